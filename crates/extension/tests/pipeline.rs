//! The three levels together, on texts and on the examples.

#![allow(clippy::disallowed_methods, missing_docs)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Severity};
use trueline_extension::{
    CODES, Context, Registry, SchemaSet, Strictness, check, check_profiles, check_registry,
    check_registry_form, duplicate_extensions, inspect, inspect_profiles,
};
use trueline_source::{Loader, MemoryLoader, SourceKind, SourceMap};

/// What is shared by the checks of one test.
struct Run {
    sources: Arc<SourceMap>,
    schemas: SchemaSet,
    registry: Option<Registry>,
    strictness: Strictness,
}

impl Run {
    fn new() -> Self {
        let sources = Arc::new(SourceMap::new());
        let schemas = SchemaSet::embedded(Arc::clone(&sources));
        Run { sources, schemas, registry: None, strictness: Strictness::Normal }
    }

    fn strict(mut self) -> Self {
        self.strictness = Strictness::Strict;
        self
    }

    fn registry(mut self, loader: &dyn Loader, path: &str) -> Self {
        self.registry = Some(Registry::load(loader, path, &self.sources).unwrap());
        self
    }

    fn context(&self) -> Context<'_> {
        Context::new(&self.sources, &self.schemas)
            .with_registry(self.registry.as_ref())
            .with_strictness(self.strictness)
    }

    fn manifest(&self, text: &str) -> Vec<String> {
        let source = self.sources.add("extension.yaml", SourceKind::File, text);
        self.show(check(source, &self.context()))
    }

    fn show(&self, findings: Vec<Diagnostic>) -> Vec<String> {
        let show = |finding: Diagnostic| {
            let source = self.sources.get(finding.primary.span.source);
            let place = source.position(finding.primary.span.start);
            let level = finding.level.map(|level| level.as_str()).unwrap_or_default();
            let name =
                Path::new(source.name()).file_name().and_then(|name| name.to_str()).unwrap_or_default();
            format!("{name}:{}:{} {level} {} {}", place.line, place.column, finding.severity, finding.code)
        };
        findings.into_iter().map(show).collect()
    }
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A directory of the examples as a loader; scripts are executable.
fn load(directory: &Path) -> MemoryLoader {
    fn add(directory: &Path, prefix: &str, mut loader: MemoryLoader) -> MemoryLoader {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                loader = add(&path, &format!("{name}/"), loader);
            } else if name.ends_with(".sh") {
                loader = loader.with_executable(&name, std::fs::read(&path).unwrap());
            } else {
                loader = loader.with_file(&name, std::fs::read(&path).unwrap());
            }
        }
        loader
    }
    add(directory, "", MemoryLoader::new("examples"))
}

const VALID: &str = "metadata: {name: a, version: 1.0.0, description: An example of one, category: mcp}
install: {method: mise, tool: node, version: '20'}
validate: {commands: [{name: node}]}
";

#[test]
fn every_example_passes_even_strictly() {
    let loader = load(&examples());
    let run = Run::new().strict().registry(&loader, "registry.yaml");
    let mut names = Vec::new();
    for entry in loader.list("extensions").unwrap() {
        let package = loader.scoped(&format!("extensions/{}", entry.name)).unwrap();
        let (source, _) =
            run.sources.add_file(package.display("extension.yaml"), package.read("extension.yaml").unwrap());
        let inspection = inspect(source, &run.context().with_package(package));
        assert_eq!(run.show(inspection.findings), Vec::<String>::new(), "{}", entry.name);
        names.extend(inspection.name);
    }
    assert_eq!(names.len(), 5);
    assert!(duplicate_extensions(names.iter().map(|(name, span)| (name.as_str(), *span))).is_empty());
    for (file, check) in
        [("registry.yaml", check_registry as fn(_, &Context<'_>) -> _), ("profiles.yaml", check_profiles)]
    {
        let (source, _) = run.sources.add_file(file, loader.read(file).unwrap());
        assert_eq!(run.show(check(source, &run.context())), Vec::<String>::new());
    }
}

#[test]
fn the_broken_example_is_reported_on_all_levels_in_order() {
    let run = Run::new().registry(&load(&examples()), "registry.yaml");
    let package = load(&examples().join("../broken-examples/extension")).scoped("").unwrap();
    let (source, _) = run.sources.add_file("extension.yaml", package.read("extension.yaml").unwrap());
    let findings = run.show(check(source, &run.context().with_package(package)));
    assert_eq!(
        findings,
        [
            "extension.yaml:10:3 parse error TL0105",
            "extension.yaml:7:13 schema error TL0204",
            "extension.yaml:18:12 schema error TL0201",
            "extension.yaml:40:13 schema error TL0204",
            "extension.yaml:2:17 semantic error TL0301",
            "extension.yaml:6:12 semantic error TL0302",
            "extension.yaml:13:5 semantic error TL0303",
            "extension.yaml:17:8 semantic error TL0311",
            "extension.yaml:22:12 semantic error TL0313",
            "extension.yaml:27:13 semantic error TL0314",
            "extension.yaml:32:16 semantic error TL0316",
            "extension.yaml:36:15 semantic error TL0315",
        ]
    );
}

/// The four examples of what is invalid: a missing field, a wrong type, a wrong choice, a wrong reference.
#[test]
fn the_four_kinds_of_invalid_manifests_are_told_apart() {
    let registry = MemoryLoader::new("").with_file("registry.yaml", "version: '1'\nextensions: {}\n");
    let run = Run::new().registry(&registry, "registry.yaml");
    let without = VALID.replace(", version: 1.0.0, description: An example of one, category: mcp", "");
    assert_eq!(
        run.manifest(&without),
        [
            "extension.yaml:1:1 schema error TL0202",
            "extension.yaml:1:1 schema error TL0202",
            "extension.yaml:1:1 schema error TL0202"
        ]
    );
    assert_eq!(run.manifest(&VALID.replace("'20'", "123")), ["extension.yaml:2:46 schema error TL0201"]);
    assert_eq!(
        run.manifest(&VALID.replace("mcp", "invalid-category")),
        ["extension.yaml:1:79 schema error TL0204"]
    );
    assert_eq!(
        run.manifest(&format!("{VALID}dependencies:\n  - nonexistent-extension\n")),
        ["extension.yaml:5:5 semantic error TL0303"]
    );
}

#[test]
fn texts_that_are_no_manifest_are_reported() {
    let run = Run::new();
    assert_eq!(run.manifest(VALID), Vec::<String>::new());
    for text in ["", "\n\n", "# only a comment\n", "---\n", "~\n"] {
        assert_eq!(run.manifest(text), ["extension.yaml:1:1 parse error TL0350"], "{text:?}");
    }
    for second in ["more: true", "[1]", "text", "{}", "a: 1\n---\nb: 2"] {
        let text = format!("{VALID}---\n{second}\n");
        assert_eq!(run.manifest(&text), ["extension.yaml:5:1 parse error TL0351"], "{second}");
    }
    for end in ["---\n", "...\n", "---\n# a comment\n", "---\nnull\n", "\n\n"] {
        assert_eq!(run.manifest(&format!("{VALID}{end}")), Vec::<String>::new(), "{end}");
    }
    assert_eq!(run.manifest("[1, 2]"), ["extension.yaml:1:1 schema error TL0201"]);
    let broken = run.manifest("metadata: {name: 'open\n");
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert!(broken[0].contains("parse error"), "{broken:?}");
}

#[test]
fn nothing_is_said_twice_about_one_place() {
    let run = Run::new();
    assert_eq!(run.manifest(&VALID.replace("1.0.0", "one")), ["extension.yaml:1:30 schema error TL0209"]);
    assert_eq!(
        run.manifest(&VALID.replace("1.0.0", "01.0.0")),
        ["extension.yaml:1:30 semantic error TL0302"]
    );
}

#[test]
fn a_strict_run_asks_for_more() {
    let text = VALID.replace("method: mise", "methd: x, method: mise");
    assert_eq!(Run::new().manifest(&text), Vec::<String>::new());
    let strict = Run::new().strict().manifest(&text);
    assert!(strict.contains(&"extension.yaml:2:11 semantic warning TL0340".to_owned()), "{strict:?}");
    assert!(strict.iter().all(|finding| finding.contains("warning")), "{strict:?}");
    let deprecated = format!("{VALID}configure: {{files: []}}\n");
    assert_eq!(Run::new().manifest(&deprecated), Vec::<String>::new());
    let strict = Run::new().strict().manifest(&deprecated);
    assert!(strict.iter().any(|finding| finding.contains("schema warning TL0222")), "{strict:?}");
}

#[test]
fn a_broken_schema_is_reported_and_the_rules_still_run() {
    use trueline_extension::schemas::SchemaDirectory;
    let files = MemoryLoader::new("schemas").with_file("extension.schema.json", "{\"type\": 7}");
    let sources = Arc::new(SourceMap::new());
    let schemas = SchemaSet::with_directory(Arc::clone(&sources), &SchemaDirectory::new(Arc::new(files)));
    let run = Run { sources, schemas, registry: None, strictness: Strictness::Strict };
    let findings = run.manifest(&VALID.replace("1.0.0", "one"));
    assert!(findings[0].contains("schema error"), "{findings:?}");
    assert!(findings.iter().any(|finding| finding.contains("TL0302")), "{findings:?}");
}

#[test]
fn registries_and_profiles_are_checked_on_all_levels() {
    let run = Run::new();
    let add = |name: &str, text: &str| run.sources.add(name, SourceKind::File, text);
    let registry = "version: '1'\nextensions:\n  a: {category: mcp, description: An example of one, dependencies: [b]}\n  c: {category: mpc, description: An example of one}\n";
    assert_eq!(
        run.show(check_registry(add("registry.yaml", registry), &run.context())),
        ["registry.yaml:4:17 schema error TL0204", "registry.yaml:3:69 semantic error TL0303"]
    );
    let profiles = "version: '1'\ndisplay_order: [x]\nprofiles:\n  y: {description: An example of one}\n";
    assert_eq!(
        run.show(check_profiles(add("profiles.yaml", profiles), &run.context())),
        [
            "profiles.yaml:4:3 schema error TL0202",
            "profiles.yaml:2:17 semantic error TL0322",
            "profiles.yaml:4:3 semantic warning TL0322"
        ]
    );
    for check in [check_registry as fn(_, &Context<'_>) -> _, check_profiles] {
        assert_eq!(run.show(check(add("r.yaml", ""), &run.context())), ["r.yaml:1:1 parse error TL0350"]);
    }
}

#[test]
fn a_script_that_is_no_map_is_told_how_to_become_one() {
    let run = Run::new();
    let text = VALID.replace("method: mise, tool: node, version: '20'", "method: script, script: install.sh");
    let source = run.sources.add("extension.yaml", SourceKind::File, text);
    let findings = check(source, &run.context());
    assert_eq!(
        findings.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>(),
        ["the script must be a map with its path; write `script: {path: scripts/install.sh}`"]
    );
}

#[test]
fn a_registry_is_a_file_or_a_directory_of_extensions() {
    let index = "extensions: {a: {category: mcp, deprecated: false}, z: {category: mcp}}\n";
    let manifest = |name: &str, rest: &str| {
        format!("metadata: {{name: {name}, version: 2.0.0, dependencies: [z]}}\n{rest}")
    };
    let loader = MemoryLoader::new("r")
        .with_file("registry.yaml", index)
        .with_file("a/extension.yaml", manifest("a", "deprecation: {deprecated: true, successor: z}"))
        .with_file("b/extension.yaml", manifest("b", ""))
        .with_file("c/extension.yaml", "metadata: {version: 1.0.0}")
        .with_file("d/extension.yaml", "metadata: {name: 5}")
        .with_file("e/other.yaml", "")
        .with_file("deep/f/extension.yaml", manifest("f", ""))
        .with_file("bad/registry.yaml/x", "");
    let sources = SourceMap::new();
    let names = |path: &str| {
        let registry = Registry::load(&loader, path, &sources).unwrap();
        registry.names().map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("registry.yaml"), "a z");
    assert_eq!(names(""), "a b z");
    assert_eq!(names("deep"), "f");
    let registry = Registry::load(&loader, "", &sources).unwrap();
    let a = registry.get("a").unwrap();
    assert!(a.deprecated && a.successor.as_deref() == Some("z") && a.dependencies[0].name == "z");
    assert_eq!(a.version.as_ref().map(ToString::to_string).as_deref(), Some("2.0.0"));
    assert!(Registry::load(&loader, "nothing", &sources).is_err());
    assert!(Registry::load(&loader, "bad", &sources).is_err());
    let error = |path: &str| Registry::load(&loader, path, &sources).unwrap_err().to_string();
    assert_eq!(error("nothing"), "`r/nothing` does not exist");
    assert_eq!(error("a/extension.yaml"), "`r/a/extension.yaml` is not a registry: it has no `extensions`");
    assert_eq!(error("e/other.yaml"), "`r/e/other.yaml` is not a registry: it has no `extensions`");
    assert!(error("e").starts_with("`r/e` is not a registry: it holds neither a `registry.yaml` nor"));
}

#[test]
fn codes_are_documented_and_not_used_twice() {
    let mut ids: Vec<&str> = CODES.iter().map(|code| code.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), CODES.len());
    for code in CODES {
        assert!(
            code.id.starts_with("TL03") && !code.summary.is_empty() && code.explanation.len() > 100,
            "{code}"
        );
        assert!(!code.summary.ends_with('.') && !code.explanation.contains("  "), "{code}");
        assert_eq!(code.wrong.is_empty(), code.right.is_empty(), "{code}");
        assert!(code.severity != Severity::Note);
    }
}

#[test]
fn a_syntax_error_does_not_silence_what_stands_above_it() {
    let manifest = "metadata:\n  name: tool\n  version: 1.0.0\n  description: A tool that does things\n  \
                    category: zzz\ninstall:\n  method: mise\n  tool: node\n  version: \"^1\"\n";
    for (end, place) in [("x: \"abc\n", "10:4"), ("validate: [a, b\n", "10:11"), ("docs:\n\ta: 1\n", "11:1")]
    {
        let found = Run::new().manifest(&format!("{manifest}{end}"));
        assert!(found[0].starts_with(&format!("extension.yaml:{place} parse error")), "{found:?}");
        let rest: Vec<&str> = found[1..].iter().map(String::as_str).collect();
        assert_eq!(
            rest,
            ["extension.yaml:5:13 schema error TL0204", "extension.yaml:9:12 semantic error TL0310"]
        );
    }
    // Nothing is called missing that may appear below the mistake, and nothing is guessed at without a field
    // above.
    assert_eq!(Run::new().strict().manifest("metadata:\n  name: tool\n  x: [\n").len(), 1);
}

#[test]
fn the_form_of_a_registry_is_checked_without_its_rules() {
    let run = Run::new().strict();
    for (text, found) in [
        ("version: 1\nextensions: [a]\n", "registry.yaml:2:13 schema error TL0201"),
        ("version: 1\nextensions: [a\n", "registry.yaml:2:13 parse error TL0106"),
    ] {
        let loader = MemoryLoader::new("").with_file("registry.yaml", text);
        let registry = Registry::load(&loader, "registry.yaml", &run.sources).unwrap();
        let source = registry.source().unwrap();
        assert_eq!(run.show(check_registry_form(source, &run.context())), [found]);
    }
}

/// What cannot be looked up is not valid: it is left out, and that is said.
#[test]
fn without_a_registry_the_names_of_extensions_are_left_out() {
    let sources = Arc::new(SourceMap::new());
    let schemas = SchemaSet::embedded(Arc::clone(&sources));
    let add = |name: &str, text: &str| sources.add(name, SourceKind::File, text);
    let manifest = add(
        "extension.yaml",
        "metadata:\n  name: web\n  dependencies: [nodejs, 'python@>=3']\ndeprecation: {successor: api}\n",
    );
    let profiles =
        add("profiles.yaml", "profiles:\n  a: {extensions: [nodejs, web]}\n  b: {extensions: [nodejs]}\n");
    let context = Context::new(&sources, &schemas);
    let shown = |left_out: Vec<trueline_diagnostic::LeftOut>| {
        let all: Vec<String> =
            left_out.into_iter().map(|part| format!("{}: {}", part.what, part.why)).collect();
        all.join("\n")
    };
    let why = "not checked, because no registry was given; use `--registry`";
    assert_eq!(
        shown(inspect(manifest, &context).left_out),
        format!("dependencies `nodejs`, `python`: {why}\nsuccessor `api`: {why}")
    );
    assert_eq!(
        shown(inspect_profiles(profiles, &context).left_out),
        format!("extensions `nodejs`, `web`: {why}")
    );
    let empty = add("empty.yaml", "");
    assert_eq!(shown(inspect_profiles(empty, &context).left_out), "");
    let loader = MemoryLoader::new("").with_file("registry.yaml", "version: 1.0.0\nextensions: {}\n");
    let registry = Registry::load(&loader, "registry.yaml", &sources).unwrap();
    let context = context.with_registry(Some(&registry));
    assert_eq!(shown(inspect(manifest, &context).left_out), "");
    assert_eq!(shown(inspect_profiles(profiles, &context).left_out), "");
}

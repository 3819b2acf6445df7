//! Whole runs over files in memory.

mod support;

use std::sync::Arc;

use support::{Mounted, check, check_before, settings};
use trueline_analysis::{Ending, InputKind, Run, Settings, Silent};
use trueline_source::{MemoryLoader, SourceMap};

const MANIFEST: &str = "metadata:
  name: tool
  version: 1.0.0
  description: A tool that does things
  category: devops
install:
  method: script
  script:
    path: install.sh
validate:
  commands:
    - name: tool
";

/// A configuration, and the path from it to the working directory.
struct ConfigFile {
    text: String,
    base: String,
}

struct Case {
    loader: MemoryLoader,
    path: &'static str,
    config: Option<ConfigFile>,
    kind: Option<InputKind>,
    strict: bool,
}

fn package(manifest: &str) -> Case {
    let loader = MemoryLoader::new("")
        .with_file("pkg/extension.yaml", manifest)
        .with_executable("pkg/install.sh", "#!/bin/sh\n");
    Case { loader, path: "", config: None, kind: None, strict: false }
}

fn files(files: &[(&str, &str)]) -> Case {
    let loader =
        files.iter().fold(MemoryLoader::new(""), |loader, (path, text)| loader.with_file(path, *text));
    Case { loader, path: "", config: None, kind: None, strict: false }
}

/// Hears what is found while a run goes on.
#[derive(Default)]
struct Heard(std::sync::Mutex<Vec<String>>);

impl trueline_analysis::Progress for Heard {
    fn units(&self, _count: usize) {}
    fn done(&self) {}
    fn general(&self, findings: &[trueline_diagnostic::Diagnostic]) {
        self.0.lock().unwrap().extend(findings.iter().map(|finding| finding.code.id.to_owned()));
    }
    fn unit(&self, unit: &trueline_diagnostic::Unit) {
        self.0.lock().unwrap().push(format!("{} {}", unit.name, unit.findings.len()));
    }
}

impl Case {
    fn run(self) -> (Run, Arc<SourceMap>) {
        self.run_before(&Silent)
    }

    fn run_before(self, progress: &dyn trueline_analysis::Progress) -> (Run, Arc<SourceMap>) {
        let settings = Settings {
            paths: vec![if self.path.is_empty() { "." } else { self.path }.into()],
            kind: self.kind,
            strict: self.strict,
            ..settings()
        };
        // A configuration that counts from above is above the working directory.
        let system = match self.config {
            None => Mounted::new(self.loader),
            Some(ConfigFile { text, base }) if base.is_empty() => {
                Mounted::new(self.loader.with_file("trueline.toml", text))
            }
            Some(ConfigFile { text, base }) => Mounted::at(&format!("/{base}"), self.loader)
                .mount("/", MemoryLoader::new("").with_file("trueline.toml", text)),
        };
        check_before(system, settings, progress)
    }

    /// Findings as `file:line:column code`, then the ending.
    fn lines(self) -> Vec<String> {
        let (run, sources) = self.run();
        let mut lines: Vec<String> = run
            .outcome
            .findings()
            .map(|finding| {
                let position = sources.position(finding.primary.span);
                let name = sources.get(finding.primary.span.source).name().to_owned();
                format!("{name}:{}:{} {} {}", position.line, position.column, finding.severity, finding.code)
            })
            .collect();
        lines.push(format!("{:?}", run.ending));
        lines
    }
}

#[test]
fn units_are_handed_over_in_order_and_those_that_need_others_last() {
    const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: backups.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: backups, singular: backup, kind: Backup, listKind: BackupList}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}\n";
    let wrong = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\nwrong: 1\n";
    let backup = "apiVersion: example.com/v1\nkind: Backup\nmetadata: {name: web}\nspec: {size: x}\n";
    let config = "[severity]\nTL9999 = \"note\"\n";
    let case = files(&[
        ("a.yaml", backup),
        ("b.yaml", wrong),
        ("c.yaml", CRD),
        ("d.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\n"),
        ("e.yaml", wrong),
        ("trueline.toml", config),
    ]);
    let heard = Heard::default();
    let (run, _) = case.run_before(&heard);
    let heard = heard.0.into_inner().unwrap();
    assert_eq!(heard, ["TL0154", "b.yaml 1", "c.yaml 0", "d.yaml 0", "e.yaml 1", "a.yaml 1"]);
    let names: Vec<&str> = run.outcome.units.iter().map(|unit| unit.name.as_str()).collect();
    assert_eq!(names, ["a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"]);
}

#[test]
fn a_sound_package_is_valid() {
    let (run, _) = package(MANIFEST).run();
    assert_eq!(run.ending, Ending::Valid, "{:?}", run.outcome);
    assert_eq!(run.outcome.summary().valid, 1);
    assert_eq!(run.outcome.units[0].name, "pkg/extension.yaml");
}

#[test]
fn syntax_errors_of_all_documents_are_reported_in_any_yaml() {
    let lines = files(&[("a.yaml", "a: [1\n---\nb: \"x\n---\nc: 1\nc: 2\n")]).lines();
    assert!(lines.len() >= 3, "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("Invalid"));
}

#[test]
fn what_is_not_known_is_skipped_and_said_to_be() {
    let (run, _) = files(&[("a.yaml", "a: 1\n"), ("b.yaml", "b: 1\n")]).run();
    let summary = run.outcome.summary();
    assert_eq!((summary.checked, summary.skipped), (0, 2));
    assert!(run.outcome.units.iter().all(|unit| unit.skipped.is_some()));
    // Nothing was checked: a warning, which fails only a strict run.
    assert_eq!(run.ending, Ending::Valid);
    assert_eq!(run.outcome.general[0].code.id, "TL0159");
    let strict = Case { strict: true, ..files(&[("a.yaml", "a: 1\n")]) };
    assert_eq!(strict.run().0.ending, Ending::Invalid);
}

#[test]
fn what_is_not_there_cannot_run_and_the_rest_is_checked() {
    let case = Case { path: "nope.yaml", ..package(MANIFEST) };
    assert_eq!(case.lines(), ["nope.yaml:1:1 error TL0150", "CouldNotRun"]);
}

#[test]
fn binary_and_foreign_encodings_are_refused_at_their_place() {
    let mut loader = MemoryLoader::new("").with_file("a.yaml", b"a: 1\nb: \xe9\n".to_vec());
    loader = loader.with_file("b.yaml", b"a\0b".to_vec());
    let case = Case { loader, path: "", config: None, kind: None, strict: false };
    assert_eq!(case.lines(), ["a.yaml:2:4 error TL0158", "b.yaml:1:2 error TL0158", "Invalid"]);
}

#[test]
fn a_comment_takes_a_finding_out_with_its_reason() {
    let wrong = MANIFEST.replace("version: 1.0.0", "version: one");
    let before = package(&wrong).lines();
    assert_eq!(before.last().map(String::as_str), Some("Invalid"), "{before:?}");
    let code = before[0].rsplit(' ').next().unwrap().to_owned();
    for comment in [
        wrong.replace("version: one", &format!("version: one # trueline: ignore[{code}] it is a codename")),
        wrong.replace(
            "  version: one",
            &format!("  # trueline: ignore[{code}] it is a codename\n  version: one"),
        ),
        format!("# trueline: ignore-file[{code}] it is a codename\n{wrong}"),
        wrong.replace("metadata:", &format!("# trueline: ignore[{code}] it is a codename\nmetadata:")),
    ] {
        assert_eq!(package(&comment).lines(), ["Valid"], "{comment}");
    }
}

#[test]
fn suppressions_are_held_to_their_own_rules() {
    let text = format!(
        "{MANIFEST}# trueline: ignore[TL0203] nothing\n# trueline: ignore[TL9999] typo\n# trueline: hush\n"
    );
    let findings = package(&text).lines();
    let codes: Vec<&str> = findings.iter().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(codes, ["TL0157", "TL0154", "TL0155", "Valid"], "{findings:?}");
    let text = MANIFEST.replace("version: 1.0.0", "version: one # trueline: ignore[TL0302, TL0206]");
    assert!(package(&text).lines().iter().any(|line| line.ends_with("TL0156")));
}

#[test]
fn the_configuration_ignores_by_path_and_code_and_changes_severities() {
    let wrong = MANIFEST.replace("version: 1.0.0", "version: one");
    let code = package(&wrong).lines()[0].rsplit(' ').next().unwrap().to_owned();
    let with = |text: String, base: &str| {
        let config = ConfigFile { text, base: base.into() };
        Case { config: Some(config), ..package(&wrong) }.lines()
    };
    let ignore =
        |paths: &str| format!("[[ignore]]\npaths = [\"{paths}\"]\ncodes = [\"{code}\"]\nreason = \"r\"\n");
    assert_eq!(with(ignore("pkg/**"), ""), ["Valid"]);
    assert_eq!(with(ignore("outer/pkg/*.yaml"), "outer"), ["Valid"]);
    assert!(with(ignore("elsewhere/**"), "")[0].ends_with("warning TL0157"), "no file matches");
    let part = with(ignore("elsewhere/**"), "outer");
    assert!(!part.iter().any(|line| line.contains("TL0157")), "only a part was checked: {part:?}");
    let lines = with(format!("[severity]\n{code} = \"warning\"\n"), "");
    assert!(lines[0].contains("warning") && lines[1] == "Valid", "{lines:?}");
    let unused = "[[ignore]]\ncodes = [\"TL0101\"]\nreason = \"r\"\n".to_owned();
    assert!(with(unused, "")[0].ends_with("warning TL0157"));
}

#[test]
fn rules_are_silenced_and_raised_by_their_names() {
    const RULE: &str = "service/duplicate-node-port";
    let service = |comment: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec:\n  type: NodePort\n  ports:\n  \
             - {{name: a, port: 80, nodePort: 30080}}\n  - {{name: b, port: 81, nodePort: 30080}}{comment}\n"
        )
    };
    let lines = |comment: &str, config: &str| {
        let text = service(comment);
        let case = files(&[("service.yaml", text.as_str())]);
        let config = ConfigFile { text: config.into(), base: String::new() };
        Case { config: Some(config), ..case }.lines()
    };
    let told = lines("", "");
    assert!(told[0].ends_with("error TL0706") && told.len() == 2, "{told:?}");
    assert_eq!(lines(&format!(" # trueline: ignore[{RULE}] one of them goes"), ""), ["Valid"]);
    let other = lines(" # trueline: ignore[service/duplicate-port] no", "");
    assert!(other.iter().any(|line| line.ends_with("error TL0706")), "{other:?}");
    assert!(other.iter().any(|line| line.ends_with("warning TL0157")), "{other:?}");
    assert_eq!(lines("", &format!("[[ignore]]\ncodes = [\"{RULE}\"]\nreason = \"r\"\n")), ["Valid"]);
    assert_eq!(lines("", &format!("[severity]\n\"{RULE}\" = \"off\"\n")), ["Valid"]);
    // What is said of a rule counts more than what is said of its code, wherever it stands.
    for config in [
        format!("[severity]\n\"{RULE}\" = \"note\"\nTL0706 = \"error\"\n"),
        format!("[severity]\nTL0706 = \"error\"\n\"{RULE}\" = \"note\"\n"),
    ] {
        assert!(lines("", &config)[0].ends_with("note TL0706"), "{config}");
    }
    let misspelt = lines("", "[severity]\n\"service/duplicate-nodeport\" = \"off\"\n");
    assert!(misspelt.iter().any(|line| line.ends_with("TL0154")), "{misspelt:?}");
}

#[test]
fn the_nearest_configuration_counts_alone() {
    let wrong = MANIFEST.replace("version: 1.0.0", "version: one");
    let code = package(&wrong).lines()[0].rsplit(' ').next().unwrap().to_owned();
    let outer = ConfigFile {
        text: format!("[[ignore]]\ncodes = [\"{code}\"]\nreason = \"r\"\n"),
        base: String::new(),
    };
    let mut case = Case { config: Some(outer), ..package(&wrong) };
    case.loader = case.loader.with_file("pkg/trueline.toml", "strict = true\n");
    assert_eq!(case.lines().last().map(String::as_str), Some("Invalid"));
}

#[test]
fn a_file_named_twice_is_one_unit() {
    let paths = vec![".".into(), "pkg/extension.yaml".into()];
    let (run, _) = check(Mounted::new(package(MANIFEST).loader), Settings { paths, ..settings() });
    assert_eq!(run.outcome.units.len(), 1);
}

#[test]
fn two_extensions_of_one_name_are_told_apart_and_can_be_suppressed() {
    let suppressed =
        MANIFEST.replace("name: tool\n  version", "name: tool # trueline: ignore[TL0321] a fork\n  version");
    for (second, expected) in [
        (MANIFEST, vec!["b/extension.yaml:2:9 error TL0321", "Invalid"]),
        (suppressed.as_str(), vec!["Valid"]),
    ] {
        let mut loader = MemoryLoader::new("");
        for (directory, manifest) in [("a", MANIFEST), ("b", second)] {
            loader = loader
                .with_file(&format!("{directory}/extension.yaml"), manifest)
                .with_executable(&format!("{directory}/install.sh"), "#!/bin/sh\n");
        }
        let case = Case { loader, path: "", config: None, kind: None, strict: false };
        assert_eq!(case.lines(), expected);
    }
}

#[test]
fn a_suppressed_syntax_error_does_not_make_a_file_valid() {
    let (run, _) = package("# trueline: ignore-file[TL0106] generated\nmetadata: [a\n").run();
    assert_eq!(run.outcome.summary().valid, 0, "{:?}", run.outcome);
}

#[test]
fn json_is_read_as_json_and_schemas_are_known_by_their_names() {
    let lines = files(&[("a.json", "{\"a\": 1,}"), ("b.json", "{\"a\": 1}")]).lines();
    assert!(lines[0].starts_with("a.json:1:8 error"), "{lines:?}");
    let twice = "{\"type\": \"object\", \"type\": \"array\"}";
    assert_eq!(files(&[("a.schema.json", twice)]).lines()[0], "a.schema.json:1:20 error TL0105");
    let lines = files(&[("values.schema.json", "{\"type\": \"strin\"}")]).lines();
    assert!(lines[0].starts_with("values.schema.json:1:10 error"), "{lines:?}");
}

#[test]
fn a_suppression_ends_with_its_node() {
    let text = "x:\n  # trueline: ignore[TL0105] r\n  y: |\n    t\nx: 1\n";
    let lines = files(&[("a.yaml", text)]).lines();
    assert!(lines.contains(&"a.yaml:5:1 error TL0105".to_owned()), "{lines:?}");
}

#[test]
fn many_suppressions_cost_little() {
    use std::fmt::Write;
    let mut text = String::new();
    for index in 0..20_000 {
        let _ = write!(text, "# trueline: ignore[TL0105] r\nk{index}: 1\nk{index}: 2\n");
    }
    let (run, _) = files(&[("a.yaml", &text)]).run();
    let summary = run.outcome.summary();
    // Each hides nothing: it speaks of the first of the two.
    assert_eq!((summary.errors, summary.warnings), (20_000, 20_000));
    assert_eq!((summary.unlisted, run.outcome.findings().count()), (38_000, 2_000));
}

#[test]
fn schemas_refer_to_other_directories_of_what_is_checked() {
    let schema = r##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": "REF"}"##;
    let case = |reference: &str, mapping: Option<&str>| {
        let mut loader = MemoryLoader::new("")
            .with_file("sub/v.schema.json", schema.replace("REF", reference))
            .with_file("s/r.json", r#"{"type": "object"}"#);
        if let Some(mapping) = mapping {
            loader = loader.with_file("schema-dependencies.json", mapping);
        }
        Case { loader, path: "", config: None, kind: None, strict: false }.lines()
    };
    assert_eq!(case("../s/r.json", None), ["Valid"]);
    assert_eq!(case("defs/r.json", Some(r#"{"defs": "s/"}"#)), ["Valid"]);
    assert_eq!(case("../../r.json", None).last().map(String::as_str), Some("Invalid"));
}

#[test]
fn an_archive_is_called_as_the_chart_in_it() {
    use trueline_helm::chart::{Compat, Request, load};
    use trueline_helm::package::{Times, pack};
    let directory =
        MemoryLoader::new("").with_file("Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");
    let (sources, compat) = (SourceMap::new(), Compat::Helm4);
    let request = Request { loader: &directory, path: "", absolute: "/web", sources: &sources, compat };
    let packed = pack(&load(&request).unwrap().chart, Times::Fixed(0), compat).unwrap();
    for (path, found) in [("web-1.0.0.tgz", 0), ("web-1.0.1.tgz", 1), ("shop-1.0.0.tgz", 1)] {
        let loader = MemoryLoader::new("").with_file(path, packed.clone());
        let (run, _) = Case { loader, path, config: None, kind: None, strict: false }.run();
        let named = run.outcome.findings().filter(|finding| finding.code.id == "TL0460");
        assert_eq!(named.count(), found, "{path}");
    }
}

#[test]
fn suppressions_count_in_a_part_that_cannot_be_read() {
    for text in [
        "a:\n\tb: c # trueline: ignore[TL0103] a tab of the vendor's\n",
        "a: b: c\n# trueline: ignore-file[TL0107] generated\n",
    ] {
        let (run, _) = files(&[("a.yaml", text)]).run();
        let errors: Vec<&str> = run.outcome.units[0].findings.iter().map(|finding| finding.code.id).collect();
        assert!(errors.is_empty(), "{text}: {errors:?}");
        assert!(run.outcome.units[0].skipped.is_some(), "it is not called valid");
    }
}

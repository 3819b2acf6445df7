//! `--schema-dir`: files that take the place of embedded schemas, and what is said when they are broken.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use trueline_extension::schemas::{DEFAULT_REMOTE, SchemaDirectory, SchemaKind, SchemaSet};
use trueline_schema::Network;
use trueline_source::{
    Entry, EntryKind, Fetch, Fetched, LoadError, LoadErrorKind, Loader, MemoryLoader, SourceKind, SourceMap,
};
use trueline_yaml::ReadOptions;

const VALID: &str = "\
metadata:
  name: nodejs
  version: 1.0.0
  description: The Node.js runtime
  category: languages
install:
  method: mise
validate: {}
";

/// A network in memory that remembers what was asked of it.
#[derive(Debug, Default)]
struct Memory {
    pages: BTreeMap<String, String>,
    asked: Mutex<Vec<String>>,
}

impl Memory {
    fn with(url: impl Into<String>, text: &str) -> Arc<Self> {
        Arc::new(Memory { pages: BTreeMap::from([(url.into(), text.to_owned())]), ..Memory::default() })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Fetch for Memory {
    fn fetch(&self, url: &str) -> Result<Fetched, LoadError> {
        self.asked.lock().unwrap().push(url.to_owned());
        match self.pages.get(url) {
            Some(text) => Ok(Fetched { bytes: text.clone().into_bytes(), url: url.to_owned() }),
            None => Err(LoadError::new(LoadErrorKind::Refused, url).with_detail("404 Not Found")),
        }
    }
}

struct Run {
    sources: Arc<SourceMap>,
    schemas: SchemaSet,
}

impl Run {
    fn new(files: &[(&str, &str)], change: impl FnOnce(SchemaDirectory) -> SchemaDirectory) -> Self {
        let loader = files
            .iter()
            .fold(MemoryLoader::new("my-schemas"), |loader, (path, text)| loader.with_file(path, *text));
        Run::over(Arc::new(loader), change)
    }

    fn over(loader: Arc<dyn Loader>, change: impl FnOnce(SchemaDirectory) -> SchemaDirectory) -> Self {
        let sources = Arc::new(SourceMap::new());
        let schemas = SchemaSet::with_directory(Arc::clone(&sources), &change(SchemaDirectory::new(loader)));
        Run { sources, schemas }
    }

    /// The findings on a document, each as `file:line:column code message`.
    fn check(&self, kind: SchemaKind, text: &str) -> Vec<String> {
        let id = self.sources.add("document.yaml", SourceKind::File, text);
        let stream = trueline_yaml::read(id, self.sources.get(id).text(), &ReadOptions::default());
        self.lines(self.schemas.check(kind, stream.documents[0].root()))
    }

    fn findings(&self) -> Vec<String> {
        self.lines(self.schemas.findings())
    }

    fn lines(&self, findings: Vec<trueline_diagnostic::Diagnostic>) -> Vec<String> {
        let line = |finding: trueline_diagnostic::Diagnostic| {
            let place = self.sources.position(finding.primary.span);
            let file = self.sources.get(finding.primary.span.source);
            format!("{}:{}:{} {} {}", file.name(), place.line, place.column, finding.code, finding.message)
        };
        findings.into_iter().map(line).collect()
    }
}

fn no_change(directory: SchemaDirectory) -> SchemaDirectory {
    directory
}

#[test]
fn an_empty_directory_leaves_the_embedded_schemas() {
    let run = Run::new(&[], no_change);
    assert_eq!(run.findings(), Vec::<String>::new());
    assert_eq!(run.check(SchemaKind::Extension, VALID), Vec::<String>::new());
    assert_eq!(run.check(SchemaKind::Extension, &VALID.replace("languages", "tongues")).len(), 1);
    assert_eq!(run.check(SchemaKind::Profiles, "{}").len(), 3);
    assert_eq!(run.check(SchemaKind::Categories, "{version: 1, categories: {}}"), Vec::<String>::new());
    assert_eq!(run.check(SchemaKind::Registry, "{version: 1, extensions: {}}"), Vec::<String>::new());
}

#[test]
fn the_embedded_main_schema_refers_to_the_part_in_the_directory() {
    let part = r#"{"$id": "https://example.com/mine.json", "required": ["owner"]}"#;
    let run = Run::new(&[("metadata.schema.json", part)], no_change);
    let found = run.check(SchemaKind::Extension, VALID);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("owner"), "{found:?}");
}

#[test]
fn a_main_schema_in_the_directory_refers_to_embedded_parts_by_name_and_by_address() {
    for reference in ["metadata.schema.json", "https://trueline.dev/schemas/metadata.schema.json"] {
        for id in ["", r#""$id": "https://example.com/schemas/extension.schema.json","#] {
            let main = format!(r#"{{{id} "properties": {{"metadata": {{"$ref": "{reference}"}}}}}}"#);
            let run = Run::new(&[("extension.schema.json", &main)], no_change);
            assert_eq!(run.findings(), Vec::<String>::new(), "{main}");
            let found = run.check(SchemaKind::Extension, "metadata: {name: nodejs}");
            assert_eq!(found.len(), 3, "{main}: {found:?}");
        }
    }
}

#[test]
fn a_broken_schema_is_reported_at_its_place() {
    for (text, expected) in [
        ("{\n  \"type\": }", "my-schemas/extension.schema.json:2:11 TL0241"),
        ("{\n  \"type\": \"text\"}", "my-schemas/extension.schema.json:2:"),
        ("{\n  \"$ref\": \"#/$defs/none\"}", "my-schemas/extension.schema.json:2:11 TL0244"),
        ("[]", "my-schemas/extension.schema.json:1:1 TL0241"),
    ] {
        let run = Run::new(&[("extension.schema.json", text)], no_change);
        let found = run.findings();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(expected), "{found:?}");
        assert_eq!(run.check(SchemaKind::Extension, VALID), found, "no document passes unseen");
        assert_eq!(run.check(SchemaKind::Registry, "{version: 1, extensions: {}}"), Vec::<String>::new());
    }
}

#[test]
fn a_part_that_several_schemas_share_is_reported_once() {
    let run = Run::new(&[("metadata.schema.json", "{")], no_change);
    let found = run.findings();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("my-schemas/metadata.schema.json:1:2"), "{found:?}");
}

#[test]
fn a_missing_schema_is_fetched_from_the_remote_address() {
    let main = r#"{"properties": {"gpu": {"$ref": "gpu.schema.json"}}}"#;
    let network = Memory::with(format!("{DEFAULT_REMOTE}gpu.schema.json"), r#"{"type": "boolean"}"#);
    let fetch: Arc<dyn Fetch> = Arc::clone(&network) as _;
    let run = Run::new(&[("extension.schema.json", main)], |directory| {
        directory.with_fetch(Some(fetch), Network::Allowed)
    });
    assert_eq!(run.check(SchemaKind::Extension, "gpu: 1").len(), 1);
    assert_eq!(run.check(SchemaKind::Extension, "gpu: true"), Vec::<String>::new());
    assert_eq!(run.findings(), Vec::<String>::new());
    assert_eq!(network.asked(), [format!("{DEFAULT_REMOTE}gpu.schema.json")], "once, and nothing else");
}

#[test]
fn another_remote_address_can_be_chosen_and_plain_http_is_a_warning() {
    let main = r#"{"$id": "https://trueline.dev/schemas/extension.schema.json", "$ref": "gpu.schema.json"}"#;
    let network = Memory::with("http://localhost/s/gpu.schema.json", r#"{"type": "boolean"}"#);
    let fetch: Arc<dyn Fetch> = Arc::clone(&network) as _;
    let run = Run::new(&[("extension.schema.json", main)], |directory| {
        directory.with_remote("http://localhost/s").with_fetch(Some(fetch), Network::Allowed)
    });
    assert_eq!(run.check(SchemaKind::Extension, "1").len(), 1);
    let found = run.findings();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("http://localhost/s/gpu.schema.json:1:1 TL0246"), "{found:?}");
}

#[test]
fn what_cannot_be_fetched_is_reported_at_the_reference() {
    let main = "{\n  \"$ref\": \"gpu.schema.json\"}";
    let page = Memory::with(format!("{DEFAULT_REMOTE}gpu.schema.json"), " <html>");
    let no_network: Option<Arc<dyn Fetch>> = None;
    let cases = [
        (no_network, Network::Offline, "offline"),
        (Some(Arc::new(Memory::default()) as _), Network::Allowed, "404"),
        (Some(page as _), Network::Allowed, "HTML"),
    ];
    for (fetch, network, expected) in cases {
        let run =
            Run::new(&[("extension.schema.json", main)], |directory| directory.with_fetch(fetch, network));
        let found = run.findings();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("my-schemas/extension.schema.json:2:11 "), "{found:?}");
        assert!(found[0].contains(expected), "{found:?}");
    }
}

#[test]
fn other_addresses_are_fetched_as_they_are() {
    let main = r#"{"$ref": "https://example.com/other.json"}"#;
    let network = Memory::with("https://example.com/other.json", r#"{"type": "boolean"}"#);
    let run = Run::new(&[("extension.schema.json", main)], |directory| {
        directory.with_fetch(Some(network), Network::Allowed)
    });
    assert_eq!(run.check(SchemaKind::Extension, "1").len(), 1);
}

/// A directory in which nothing may be read.
#[derive(Debug)]
struct Locked;

impl Loader for Locked {
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
        Err(LoadError::new(LoadErrorKind::Denied, path))
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
        Err(LoadError::new(LoadErrorKind::Denied, path))
    }

    fn entry(&self, path: &str) -> Result<Entry, LoadError> {
        match path {
            "extension.schema.json" => Ok(Entry {
                name: path.to_owned(),
                kind: EntryKind::File,
                length: 1,
                executable: false,
                link: false,
            }),
            _ => Err(LoadError::new(LoadErrorKind::NotFound, path)),
        }
    }

    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        Err(LoadError::new(LoadErrorKind::Denied, path))
    }

    fn display(&self, path: &str) -> String {
        format!("locked/{path}")
    }
}

#[test]
fn a_schema_that_may_not_be_read_is_not_passed_over() {
    let run = Run::over(Arc::new(Locked), no_change);
    let found = run.check(SchemaKind::Extension, VALID);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("locked/extension.schema.json:1:1 TL0360"), "{found:?}");
    assert!(found[0].contains("permission denied"), "{found:?}");
}

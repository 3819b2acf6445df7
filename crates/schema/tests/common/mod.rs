//! What the tests share: packages and servers in memory, and findings in one line each.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use trueline_diagnostic::Diagnostic;
use trueline_schema::{Access, Formats, Network, Schema, SchemaError, Store};
use trueline_source::{
    Entry, Fetch, Fetched, LoadError, LoadErrorKind, Loader, MemoryLoader, SourceId, SourceKind, SourceMap,
};
use trueline_yaml::{Document, Limits};

/// A server in memory.
#[derive(Debug, Default)]
pub(crate) struct Server {
    answers: BTreeMap<String, Result<Fetched, LoadErrorKind>>,
    pub(crate) asked: Mutex<Vec<String>>,
}

impl Server {
    pub(crate) fn with(mut self, url: &str, text: &str) -> Self {
        let fetched = Fetched { bytes: text.as_bytes().to_vec(), url: url.to_owned() };
        self.answers.insert(url.to_owned(), Ok(fetched));
        self
    }

    pub(crate) fn redirecting(mut self, url: &str, to: &str, text: &str) -> Self {
        let fetched = Fetched { bytes: text.as_bytes().to_vec(), url: to.to_owned() };
        self.answers.insert(url.to_owned(), Ok(fetched));
        self
    }

    pub(crate) fn failing(mut self, url: &str, kind: LoadErrorKind) -> Self {
        self.answers.insert(url.to_owned(), Err(kind));
        self
    }
}

impl Fetch for Server {
    fn fetch(&self, url: &str) -> Result<Fetched, LoadError> {
        self.asked.lock().unwrap().push(url.to_owned());
        match self.answers.get(url) {
            Some(Ok(fetched)) => Ok(fetched.clone()),
            Some(Err(kind)) => Err(LoadError::new(*kind, url)),
            None => Err(LoadError::new(LoadErrorKind::NotFound, url)),
        }
    }
}

/// Files in memory, some of which are links to outside the package; reads are counted.
#[derive(Debug)]
pub(crate) struct Linked {
    pub(crate) files: MemoryLoader,
    pub(crate) links: Vec<&'static str>,
    pub(crate) reads: AtomicUsize,
}

impl Linked {
    pub(crate) fn new(files: MemoryLoader, links: &[&'static str]) -> Self {
        Linked { files, links: links.to_vec(), reads: AtomicUsize::new(0) }
    }

    fn check(&self, path: &str) -> Result<(), LoadError> {
        match self.links.iter().any(|link| path == *link || path.starts_with(&format!("{link}/"))) {
            true => Err(LoadError::new(LoadErrorKind::Outside, path)),
            false => Ok(()),
        }
    }
}

impl Loader for Linked {
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.check(path)?;
        self.files.read(path)
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
        self.files.list(path)
    }

    fn entry(&self, path: &str) -> Result<Entry, LoadError> {
        self.check(path)?;
        self.files.entry(path)
    }

    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        self.files.scoped(path)
    }

    fn display(&self, path: &str) -> String {
        self.files.display(path)
    }
}

/// A package in memory from paths and contents.
pub(crate) fn package(files: &[(&str, &str)]) -> MemoryLoader {
    files.iter().fold(MemoryLoader::new("pkg"), |loader, (path, text)| loader.with_file(path, *text))
}

/// A store over a package and a server.
pub(crate) fn store(package: impl Loader + 'static, server: Server) -> Store {
    let access = Access {
        package: Some(Arc::new(package)),
        root: Some("/srv/pkg".to_owned()),
        fetch: Some(Arc::new(server)),
        network: Network::Allowed,
        ..Access::default()
    };
    Store::new(Arc::new(SourceMap::new()), access)
}

/// A document from JSON, as a source of the store.
pub(crate) fn document(store: &Store, text: &str) -> Document {
    let source: SourceId = store.sources().add("doc.json", SourceKind::File, text);
    let text = Arc::clone(store.sources().get(source).text());
    trueline_yaml::json::read(source, &text, Limits::default()).unwrap()
}

/// The schema `values.schema.json` of the package.
pub(crate) fn root(store: &Store) -> Result<Arc<Schema>, SchemaError> {
    store.file("values.schema.json", Formats::Assert)
}

/// Whether a document is valid against the package's schema.
pub(crate) fn accepts(store: &Store, instance: &Value) -> bool {
    let schema = root(store).unwrap_or_else(|error| panic!("{:#?}", lines(store, error.diagnostics())));
    schema.is_valid(&document(store, &instance.to_string()))
}

/// `file:line:column code message` for each finding.
pub(crate) fn lines(store: &Store, findings: &[Diagnostic]) -> Vec<String> {
    findings
        .iter()
        .map(|finding| {
            let source = store.sources().get(finding.primary.span.source);
            let position = source.position(finding.primary.span.start);
            let (line, column) = (position.line, position.column);
            format!("{}:{line}:{column} {} {}", source.name(), finding.code, finding.message)
        })
        .collect()
}

/// The text that a finding points at.
pub(crate) fn marked(store: &Store, finding: &Diagnostic) -> String {
    store.sources().get(finding.primary.span.source).slice(finding.primary.span).to_owned()
}

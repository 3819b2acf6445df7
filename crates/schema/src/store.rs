//! Where schemas come from. Every document is loaded and every schema compiled once, however many documents are
//! validated against it.

use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jsonschema::Draft;
use rustc_hash::FxHashMap;
use trueline_diagnostic::Diagnostic;
use trueline_source::{
    EntryKind, Fetch, LoadError, LoadErrorKind, Loader, Network, SourceId, SourceKind, SourceMap, Span,
};

use crate::dependencies::Dependencies;
use crate::document::{Bytes, SchemaDocument};
use crate::{Outline, Schema, address, compile};

/// What `format` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Formats {
    /// It is a rule.
    Assert,
    /// It is an annotation.
    Ignore,
    /// It is a rule up to draft 7 and an annotation from 2019-09 on.
    ByDraft,
}

/// What a [`Store`] may read. It reads nothing else.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The package that contains the schemas.
    pub package: Option<Arc<dyn Loader>>,
    /// The package's absolute path with `/` between its parts, if it has one: `file:` references below it are
    /// in the package.
    pub root: Option<String>,
    /// Access to the network, with its cache.
    pub fetch: Option<Arc<dyn Fetch>>,
    /// Schemas by their addresses.
    pub embedded: Vec<(String, Arc<str>)>,
    /// Whether the network may be used.
    pub network: Network,
    /// The draft of a schema that does not name its own.
    pub draft: Draft,
    /// Which strings have the format `duration`, if not the standard's definition.
    pub durations: Option<fn(&str) -> bool>,
}

/// Why a schema could not be used.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SchemaError {
    /// The schema that was asked for could not be loaded.
    Load(LoadError),
    /// The schema or something it refers to is invalid; the findings say what, and where.
    Broken(Vec<Diagnostic>),
}

impl SchemaError {
    /// The findings, if there are any.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            SchemaError::Load(_) => &[],
            SchemaError::Broken(findings) => findings,
        }
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaError::Load(error) => error.fmt(formatter),
            SchemaError::Broken(findings) => {
                let first =
                    findings.first().map_or("the schema is invalid", |finding| finding.message.as_str());
                formatter.write_str(first)
            }
        }
    }
}

impl std::error::Error for SchemaError {}

/// Why a source did not become a schema document.
#[derive(Debug, Clone)]
pub(crate) enum Trouble {
    /// It was not loaded.
    Load(LoadError),
    /// There is no access to the network.
    NoNetwork,
    /// A web page came instead of a schema.
    Page,
    /// It was read and is invalid.
    Broken(Box<Diagnostic>),
}

type Compiled = Result<Arc<Schema>, SchemaError>;
type Read = Result<Arc<SchemaDocument>, Trouble>;

/// Loads schemas, follows their references and compiles them, each once. Shared between threads; nothing
/// is locked while a document is validated.
#[derive(Debug, Clone)]
pub struct Store {
    shared: Arc<Shared>,
    package: Option<Arc<Package>>,
}

/// What all packages share.
#[derive(Debug)]
struct Shared {
    sources: Arc<SourceMap>,
    fetch: Option<Arc<dyn Fetch>>,
    embedded: FxHashMap<String, (String, Arc<str>)>,
    network: Network,
    draft: Draft,
    durations: Option<fn(&str) -> bool>,
    documents: Once<String, Read>,
    schemas: Once<(String, Formats), Compiled>,
    metaschemas: Once<&'static str, Compiled>,
}

#[derive(Debug)]
struct Package {
    loader: Arc<dyn Loader>,
    root: Option<String>,
    dependencies: OnceLock<Dependencies>,
    documents: Once<String, Read>,
    schemas: Once<(String, Formats), Compiled>,
}

impl Store {
    /// A store with what it may read. Documents that it loads are added to `sources`.
    pub fn new(sources: Arc<SourceMap>, access: Access) -> Self {
        let embedded = access.embedded.into_iter().map(|(name, text)| {
            let (address, _) = address::split(&name);
            (address::normal(address).unwrap_or_else(|| address.to_owned()), (name, text))
        });
        let shared = Arc::new(Shared {
            sources,
            fetch: access.fetch,
            embedded: embedded.collect(),
            network: access.network,
            draft: access.draft,
            durations: access.durations,
            documents: Once::default(),
            schemas: Once::default(),
            metaschemas: Once::default(),
        });
        let store = Store { shared, package: None };
        match access.package {
            Some(package) => store.for_package(package, access.root),
            None => store,
        }
    }

    /// The same store for another package, with what has been fetched and compiled so far. `root` is the
    /// package's absolute path, as in [`Access::root`].
    pub fn for_package(&self, package: Arc<dyn Loader>, root: Option<String>) -> Self {
        let package = Package {
            loader: package,
            root,
            dependencies: OnceLock::new(),
            documents: Once::default(),
            schemas: Once::default(),
        };
        Store { shared: Arc::clone(&self.shared), package: Some(Arc::new(package)) }
    }

    /// The sources that loaded texts are added to.
    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.shared.sources
    }

    /// The schema at an absolute address: embedded, a `file:` of the package, or fetched.
    pub fn schema(&self, uri: &str, formats: Formats) -> Result<Arc<Schema>, SchemaError> {
        let (address, _) = address::split(uri);
        let not_found = || SchemaError::Load(LoadError::new(LoadErrorKind::NotFound, address::shown(uri)));
        if address::scheme(address).as_deref() == Some("file") {
            let root = self.package.as_ref().and_then(|package| package.root.as_deref());
            return self.file(&address::file_in_package(address, root).map_err(SchemaError::Load)?, formats);
        }
        let address = address::normal(address).ok_or_else(not_found)?;
        // Embedded schemas never refer into a package, so all packages share them.
        let store = Store { shared: Arc::clone(&self.shared), package: None };
        store.shared.schemas.get((address.clone(), formats), || match store.document(&address) {
            Ok(document) => compile::compile(&store, document, formats).map(Arc::new),
            Err(trouble) => Err(trouble.into_error(&address)),
        })
    }

    /// The schema in a file of the package.
    pub fn file(&self, path: &str, formats: Formats) -> Result<Arc<Schema>, SchemaError> {
        let Some(package) = &self.package else {
            return Err(SchemaError::Load(LoadError::new(LoadErrorKind::NotFound, path)));
        };
        let path = trueline_source::normalize_path(path).map_err(SchemaError::Load)?;
        let address = address::of_package_file(&path);
        package.schemas.get((address.clone(), formats), || match self.document(&address) {
            Ok(document) => compile::compile(self, document, formats).map(Arc::new),
            Err(trouble) => Err(trouble.into_error(&path)),
        })
    }

    /// The schema in text that is already a source. Its relative references are resolved against `uri`; without
    /// one, as those of a file at the root of the package.
    pub fn text(&self, source: SourceId, uri: Option<&str>, formats: Formats) -> Result<Schema, SchemaError> {
        self.source(source, address_of(source, uri), formats)
    }

    /// Like [`Store::text`], but only read with everything that it refers to, not compiled.
    pub fn outline(&self, source: SourceId, uri: Option<&str>) -> Result<Outline, SchemaError> {
        self.outlined(source, address_of(source, uri))
    }

    /// The schema in a file of the package whose text is already a source; any reference to the file points to
    /// that text.
    pub fn text_of_file(
        &self,
        source: SourceId,
        path: &str,
        formats: Formats,
    ) -> Result<Schema, SchemaError> {
        let path = trueline_source::normalize_path(path).map_err(SchemaError::Load)?;
        self.source(source, address::of_package_file(&path), formats)
    }

    /// The schema in a file of the package whose text is already a source, read with everything that it refers
    /// to, but not compiled.
    pub fn outline_of_file(&self, source: SourceId, path: &str) -> Result<Outline, SchemaError> {
        let path = trueline_source::normalize_path(path).map_err(SchemaError::Load)?;
        self.outlined(source, address::of_package_file(&path))
    }

    fn outlined(&self, source: SourceId, address: String) -> Result<Outline, SchemaError> {
        let document = SchemaDocument::from_source(self.sources(), source, address)
            .map_err(|finding| SchemaError::Broken(vec![*finding]))?;
        compile::outline(self, Arc::new(document))
    }

    fn source(&self, source: SourceId, address: String, formats: Formats) -> Result<Schema, SchemaError> {
        let document = SchemaDocument::from_source(self.sources(), source, address)
            .map_err(|finding| SchemaError::Broken(vec![*finding]))?;
        compile::compile(self, Arc::new(document), formats)
    }

    /// What is wrong with the package's `schema-dependencies.json`.
    pub fn dependency_findings(&self) -> &[Diagnostic] {
        self.dependencies().map_or(&[], |dependencies| dependencies.findings())
    }

    /// The files and folders that the package's `schema-dependencies.json` maps prefixes to, each with its place there.
    pub fn mapped_files(&self) -> Vec<(String, Span)> {
        let targets = self.dependencies().into_iter().flat_map(Dependencies::local_targets);
        targets.map(|(path, place)| (path.trim_end_matches('/').to_owned(), place)).collect()
    }

    /// The meta-schema of a draft.
    pub(crate) fn metaschema(&self, draft: Draft) -> Result<Arc<Schema>, SchemaError> {
        let address = match draft {
            Draft::Draft4 => "http://json-schema.org/draft-04/schema",
            Draft::Draft6 => "http://json-schema.org/draft-06/schema",
            Draft::Draft7 => "http://json-schema.org/draft-07/schema",
            Draft::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            _ => "https://json-schema.org/draft/2020-12/schema",
        };
        self.shared.metaschemas.get(address, || {
            let text = serde_json::json!({"$schema": address, "$ref": address}).to_string();
            let source = self.sources().add(address, SourceKind::Embedded, text);
            let store = Store { shared: Arc::clone(&self.shared), package: None };
            let document =
                SchemaDocument::from_source(self.sources(), source, "urn:trueline:metaschema".to_owned())
                    .map_err(|finding| SchemaError::Broken(vec![*finding]))?;
            compile::compile_official(&store, Arc::new(document)).map(Arc::new)
        })
    }

    /// The package's prefixes, if there is a package.
    pub(crate) fn dependencies(&self) -> Option<&Dependencies> {
        let package = self.package.as_ref()?;
        Some(package.dependencies.get_or_init(|| {
            Dependencies::read(&self.shared.sources, &package.loader, package.root.as_deref())
        }))
    }

    /// The package's absolute path, if it is known.
    pub(crate) fn root(&self) -> Option<&str> {
        self.package.as_ref()?.root.as_deref()
    }

    /// Which strings are durations, if the caller chose.
    pub(crate) fn durations(&self) -> Option<fn(&str) -> bool> {
        self.shared.durations
    }

    /// The draft of a schema that does not name its own.
    pub(crate) fn draft(&self) -> Draft {
        self.shared.draft
    }

    /// Whether the network may be used.
    pub(crate) fn network(&self) -> Network {
        self.shared.network
    }

    /// Whether a schema with this address is compiled into the program.
    pub(crate) fn is_embedded(&self, address: &str) -> bool {
        self.shared.embedded.contains_key(address)
    }

    /// Whether a prefix of the package's `schema-dependencies.json` matches a reference.
    pub fn is_mapped(&self, reference: &str) -> bool {
        self.dependencies().is_some_and(|dependencies| dependencies.find(reference).is_some())
    }

    /// Whether the document at a remote address can be read as a schema; it is fetched if needed.
    pub fn has_address(&self, address: &str) -> bool {
        address::normal(address).is_some_and(|address| self.document(&address).is_ok())
    }

    /// Whether the package has a file.
    pub fn has_file(&self, path: &str) -> bool {
        self.package.as_ref().is_some_and(|package| package.loader.entry(path).is_ok())
    }

    /// The first part of a path that is missing in the package, with the nearest existing name.
    pub(crate) fn missing_part(&self, path: &str) -> Option<MissingPart> {
        let loader = &self.package.as_ref()?.loader;
        let mut folder = String::new();
        let mut parts = path.split('/').peekable();
        while let Some(name) = parts.next() {
            let entries = loader.list(&folder).ok()?;
            if !entries.iter().any(|entry| entry.name == name) {
                let is_file = parts.peek().is_none();
                let kind = if is_file { EntryKind::File } else { EntryKind::Directory };
                let names =
                    entries.iter().filter(|entry| entry.kind == kind).map(|entry| entry.name.as_str());
                let nearest = trueline_diagnostic::nearest(name, names).map(|near| joined(&folder, near));
                return Some(MissingPart { path: joined(&folder, name), is_file, nearest });
            }
            folder = joined(&folder, name);
        }
        None
    }

    /// The name to show for a file of the package.
    pub(crate) fn shown_file(&self, path: &str) -> String {
        match &self.package {
            Some(package) => package.loader.display(path),
            None => path.to_owned(),
        }
    }

    /// The document at an address, read as a schema.
    pub(crate) fn document(&self, address: &str) -> Read {
        if let Some((name, text)) = self.shared.embedded.get(address) {
            return self.shared.documents.get(address.to_owned(), || {
                self.read(address, name.clone(), SourceKind::Embedded, text.as_bytes().to_vec())
            });
        }
        if let Some(path) = address::package_file(address) {
            let Some(package) = &self.package else {
                return Err(Trouble::Load(LoadError::new(LoadErrorKind::NotFound, path)));
            };
            return package.documents.get(address.to_owned(), || {
                let bytes = package.loader.read(&path).map_err(Trouble::Load)?;
                self.read(address, package.loader.display(&path), SourceKind::File, bytes)
            });
        }
        self.shared.documents.get(address.to_owned(), || {
            let Some(fetch) = &self.shared.fetch else { return Err(Trouble::NoNetwork) };
            let fetched = fetch.fetch(address).map_err(Trouble::Load)?;
            if is_page(&fetched.bytes) {
                return Err(Trouble::Page);
            }
            // Relative references inside are relative to its final address.
            let from = address::normal(address::split(&fetched.url).0).unwrap_or_else(|| address.to_owned());
            self.read(&from, address.to_owned(), SourceKind::Url, fetched.bytes)
        })
    }

    fn read(&self, address: &str, name: String, kind: SourceKind, bytes: Vec<u8>) -> Read {
        SchemaDocument::read(&self.shared.sources, Bytes { address: address.to_owned(), name, kind, bytes })
            .map(Arc::new)
            .map_err(Trouble::Broken)
    }
}

/// Text without an address gets one that no file can have, so a reference to a file never points to this text.
fn address_of(source: SourceId, uri: Option<&str>) -> String {
    let given = uri.and_then(|uri| address::normal(address::split(uri).0));
    given.unwrap_or_else(|| address::of_package_file(&format!("\u{0}{}", source.index())))
}

/// Something that is missing in a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingPart {
    /// Its path.
    pub(crate) path: String,
    /// Whether a file was looked for; otherwise a directory.
    pub(crate) is_file: bool,
    /// The path of the one with the nearest name.
    pub(crate) nearest: Option<String>,
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

impl Trouble {
    fn into_error(self, path: &str) -> SchemaError {
        match self {
            Trouble::Load(error) => SchemaError::Load(error),
            Trouble::NoNetwork => SchemaError::Load(LoadError::new(LoadErrorKind::Offline, path)),
            Trouble::Page => {
                let error = LoadError::new(LoadErrorKind::Refused, path);
                SchemaError::Load(error.with_detail("it is a web page (HTML), not a JSON Schema"))
            }
            Trouble::Broken(finding) => SchemaError::Broken(vec![*finding]),
        }
    }
}

/// Whether the bytes are a web page: servers send one if the document is gone or a login is required.
fn is_page(bytes: &[u8]) -> bool {
    bytes
        .trim_ascii_start()
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start()
        .starts_with(b"<")
}

/// Values that are computed once for each key. Computing one blocks only callers that want the same key.
#[derive(Debug)]
struct Once<K, V> {
    cells: Mutex<FxHashMap<K, Arc<OnceLock<V>>>>,
}

impl<K, V> Default for Once<K, V> {
    fn default() -> Self {
        Once { cells: Mutex::new(FxHashMap::default()) }
    }
}

impl<K: Eq + Hash, V: Clone> Once<K, V> {
    fn get(&self, key: K, make: impl FnOnce() -> V) -> V {
        let cell = {
            let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(cells.entry(key).or_default())
        };
        cell.get_or_init(make).clone()
    }
}

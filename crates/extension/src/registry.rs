//! The known extensions, from a `registry.yaml`, or from a directory of extensions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use semver::Version;
use trueline_source::{EntryKind, LoadError, LoadErrorKind, Loader, SourceId, SourceMap, Span};
use trueline_yaml::Document;

use crate::field::Field;
use crate::graph::Graph;
use crate::manifest;
use crate::requirement::Requirement;

/// The known extensions.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    extensions: BTreeMap<String, RegistryEntry>,
    categories: Option<BTreeMap<String, Span>>,
    source: Option<SourceId>,
    /// Computed on first use.
    graph: OnceLock<Graph>,
}

/// Why there is no registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistryError {
    /// It could not be read.
    Unreadable(LoadError),
    /// It is not a registry.
    NotARegistry {
        /// Its name, as shown to a user.
        name: String,
        /// What it lacks.
        detail: &'static str,
    },
}

impl fmt::Display for RegistryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegistryError::Unreadable(error) => error.fmt(formatter),
            RegistryError::NotARegistry { name, detail } => {
                write!(formatter, "`{name}` is not a registry: {detail}")
            }
        }
    }
}

impl std::error::Error for RegistryError {}

/// What is known about one extension.
#[derive(Debug, Clone)]
pub struct RegistryEntry {
    /// Where it is declared: its key in a registry, its name in a manifest.
    pub span: Span,
    /// The version, if the registry knows it.
    pub version: Option<Version>,
    /// The category with its place.
    pub category: Option<(String, Span)>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// Its successor.
    pub successor: Option<String>,
    /// Its dependencies.
    pub dependencies: Vec<Requirement>,
    /// The extensions that it conflicts with.
    pub conflicts: Vec<String>,
}

impl Registry {
    /// The extensions that a `registry.yaml` declares.
    pub fn from_document(document: &Document) -> Self {
        let mut registry = Registry::default();
        registry.add_index(&Field::root(document.root()));
        registry
    }

    /// Reads a registry: a file in the form of `registry.yaml`, or a directory that holds extensions.
    ///
    /// A directory may hold a `registry.yaml` as well; the manifests below it are then added, so their versions
    /// are known. A manifest that cannot be read is skipped: it is reported when it is checked itself. A
    /// `registry.yaml` with mistakes is read as far as possible; its mistakes are reported by
    /// [`check_registry_form`](crate::check_registry_form) on its [`source`](Registry::source).
    pub fn load(loader: &dyn Loader, path: &str, sources: &SourceMap) -> Result<Self, RegistryError> {
        let unreadable = |error: LoadError| {
            RegistryError::Unreadable(LoadError { path: loader.display(&error.path), ..error })
        };
        let mut registry = Registry::default();
        if loader.entry(path).map_err(unreadable)?.kind != EntryKind::Directory {
            let bytes = loader.read(path).map_err(unreadable)?;
            registry.add_index_text(loader.display(path), bytes, sources)?;
            return Ok(registry);
        }
        let inside = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        let index = inside("registry.yaml");
        match loader.read(&index) {
            Ok(bytes) => registry.add_index_text(loader.display(&index), bytes, sources)?,
            Err(error) if error.kind == LoadErrorKind::NotFound => {}
            Err(error) => return Err(unreadable(error)),
        }
        let mut manifests = 0;
        for entry in loader.list(path).map_err(unreadable)? {
            let manifest = inside(&format!("{}/extension.yaml", entry.name));
            if entry.kind == EntryKind::Directory
                && let Ok(bytes) = loader.read(&manifest)
            {
                manifests += 1;
                let (source, _) = sources.add_file(loader.display(&manifest), bytes);
                let text = Arc::clone(sources.get(source).text());
                for document in crate::check::read(source, &text).documents.iter().take(1) {
                    registry.add_manifest(document);
                }
            }
        }
        if manifests == 0 && registry.source.is_none() {
            return Err(RegistryError::NotARegistry {
                name: loader.display(path),
                detail: "it holds neither a `registry.yaml` nor directories with an `extension.yaml`",
            });
        }
        Ok(registry)
    }

    /// Adds the extension that a manifest describes. What a registry says about it is kept, except that the
    /// manifest's version and dependencies win.
    pub fn add_manifest(&mut self, document: &Document) {
        let root = Field::root(document.root());
        let Some(name) = root.at("metadata/name") else { return };
        let Some(text) = name.text() else { return };
        self.graph = OnceLock::new();
        let entry = self.extensions.entry(text.to_owned()).or_insert_with(|| RegistryEntry::new(name.span()));
        entry.version = root.text_at("metadata/version").and_then(|version| Version::parse(version).ok());
        entry.dependencies =
            manifest::dependencies(&root).into_iter().map(|dependency| dependency.requirement).collect();
        if let Some(deprecation) = root.get("deprecation") {
            entry.deprecated |= deprecation.flag("deprecated").unwrap_or(false);
            entry.successor = entry.successor.take().or(deprecation.text_at("successor").map(str::to_owned));
        }
    }

    /// An extension by its name.
    pub fn get(&self, name: &str) -> Option<&RegistryEntry> {
        self.extensions.get(name)
    }

    /// The names of all extensions, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.extensions.keys().map(String::as_str)
    }

    /// The categories that the registry declares, if it declares any.
    pub fn categories(&self) -> Option<&BTreeMap<String, Span>> {
        self.categories.as_ref()
    }

    /// The text of the `registry.yaml` that was read, if one was.
    pub fn source(&self) -> Option<SourceId> {
        self.source
    }

    /// The relations between the extensions.
    pub(crate) fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| Graph::new(&self.extensions))
    }

    fn add_index_text(
        &mut self,
        name: String,
        bytes: Vec<u8>,
        sources: &SourceMap,
    ) -> Result<(), RegistryError> {
        let (source, _) = sources.add_file(name.clone(), bytes);
        let text = Arc::clone(sources.get(source).text());
        let stream = crate::check::read(source, &text);
        let root = stream.documents.iter().map(Document::root).find(|root| !root.is_null());
        // With a syntax error it may still be a registry whose `extensions` could not be read.
        if stream.errors.is_empty() && root.is_none_or(|root| root.get("extensions").is_none()) {
            return Err(RegistryError::NotARegistry { name, detail: "it has no `extensions`" });
        }
        if let Some(root) = root {
            self.add_index(&Field::root(root));
        }
        self.source = Some(source);
        Ok(())
    }

    fn add_index(&mut self, root: &Field<'_>) {
        self.graph = OnceLock::new();
        for (name, field) in root.entries_at("extensions") {
            let strings = |list: &str| -> Vec<String> {
                field.items_at(list).iter().filter_map(|item| item.text().map(str::to_owned)).collect()
            };
            let mut entry = RegistryEntry::new(field.key_span());
            entry.version = field.text_at("version").and_then(|version| Version::parse(version).ok());
            entry.category = field
                .get("category")
                .and_then(|category| Some((category.text()?.to_owned(), category.span())));
            entry.deprecated = field.flag("deprecated").unwrap_or(false);
            entry.successor = field.text_at("successor").map(str::to_owned);
            entry.dependencies =
                strings("dependencies").iter().map(|text| Requirement::parse(text)).collect();
            entry.conflicts = strings("conflicts");
            self.extensions.insert(name.into_owned(), entry);
        }
        if let Some(categories) = root.get("categories") {
            self.categories = Some(
                categories.entries().map(|(name, field)| (name.into_owned(), field.key_span())).collect(),
            );
        }
    }
}

impl RegistryEntry {
    fn new(span: Span) -> Self {
        RegistryEntry {
            span,
            version: None,
            category: None,
            deprecated: false,
            successor: None,
            dependencies: Vec::new(),
            conflicts: Vec::new(),
        }
    }
}

//! The extensions that are known: from a `registry.yaml`, or from a directory of extensions.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;
use trueline_source::{EntryKind, LoadError, LoadErrorKind, Loader, SourceMap, Span};
use trueline_yaml::Document;

use crate::field::Field;
use crate::manifest;
use crate::requirement::Requirement;

/// The extensions that are known.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    extensions: BTreeMap<String, RegistryEntry>,
    categories: Option<BTreeMap<String, Span>>,
}

/// What is known of one extension.
#[derive(Debug, Clone)]
pub struct RegistryEntry {
    /// Where it is declared: its key in a registry, its name in a manifest.
    pub span: Span,
    /// The version, where the registry knows it.
    pub version: Option<Version>,
    /// The category with its place.
    pub category: Option<(String, Span)>,
    /// Whether it should no longer be used.
    pub deprecated: bool,
    /// What to use in its place.
    pub successor: Option<String>,
    /// What it needs.
    pub dependencies: Vec<Requirement>,
    /// What it cannot be installed together with.
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
    /// A directory may hold a `registry.yaml` as well; what the manifests below it say is then added, so
    /// that versions are known. A manifest that cannot be read is left out: it is reported when it is
    /// checked itself.
    pub fn load(loader: &dyn Loader, path: &str, sources: &SourceMap) -> Result<Self, LoadError> {
        let mut registry = Registry::default();
        if loader.entry(path)?.kind != EntryKind::Directory {
            registry.add_index_file(loader, path, sources)?;
            return Ok(registry);
        }
        let inside = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        match registry.add_index_file(loader, &inside("registry.yaml"), sources) {
            Err(error) if error.kind != LoadErrorKind::NotFound => return Err(error),
            _ => {}
        }
        for entry in loader.list(path)? {
            let manifest = inside(&format!("{}/extension.yaml", entry.name));
            if entry.kind == EntryKind::Directory
                && let Ok(bytes) = loader.read(&manifest)
            {
                let (source, _) = sources.add_file(loader.display(&manifest), bytes);
                let text = std::sync::Arc::clone(sources.get(source).text());
                for document in crate::check::read(source, &text).documents.iter().take(1) {
                    registry.add_manifest(document);
                }
            }
        }
        Ok(registry)
    }

    /// Adds the extension that a manifest describes. What a registry has said of it already stays, but the
    /// manifest knows its own version and dependencies best.
    pub fn add_manifest(&mut self, document: &Document) {
        let root = Field::root(document.root());
        let Some(name) = root.at("metadata/name") else { return };
        let Some(text) = name.text() else { return };
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

    /// The names of all extensions, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.extensions.keys().map(String::as_str)
    }

    /// The categories that the registry declares, if it declares any.
    pub fn categories(&self) -> Option<&BTreeMap<String, Span>> {
        self.categories.as_ref()
    }

    /// The shortest way along dependencies from one extension to another, both ends included.
    pub(crate) fn path_between(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::new();
        let mut queue = std::collections::VecDeque::from([from]);
        let mut seen = BTreeSet::from([from]);
        while let Some(name) = queue.pop_front() {
            if name == to {
                let mut path = vec![name.to_owned()];
                let mut step = name;
                while let Some(&previous) = before.get(step) {
                    path.push(previous.to_owned());
                    step = previous;
                }
                path.reverse();
                return Some(path);
            }
            for requirement in self.get(name).map(|entry| entry.dependencies.as_slice()).unwrap_or_default() {
                if seen.insert(&requirement.name) {
                    before.insert(&requirement.name, name);
                    queue.push_back(&requirement.name);
                }
            }
        }
        None
    }

    fn add_index_file(
        &mut self,
        loader: &dyn Loader,
        path: &str,
        sources: &SourceMap,
    ) -> Result<(), LoadError> {
        let (source, _) = sources.add_file(loader.display(path), loader.read(path)?);
        let text = std::sync::Arc::clone(sources.get(source).text());
        for document in crate::check::read(source, &text).documents.iter().take(1) {
            self.add_index(&Field::root(document.root()));
        }
        Ok(())
    }

    fn add_index(&mut self, root: &Field<'_>) {
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

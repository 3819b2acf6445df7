//! All documents that a schema needs: starting from one, references are followed from document to document and
//! their targets are recorded. Afterwards nothing has to be loaded any more.

use std::collections::VecDeque;
use std::sync::Arc;

use jsonschema::Draft;
use rustc_hash::{FxHashMap, FxHashSet};
use trueline_diagnostic::{Diagnostic, Level};
use trueline_source::{LoadErrorKind, Span};
use trueline_yaml::{NodeId, NodeRef};

use crate::dependencies::{DEPENDENCIES_LINK, Lead, Mapped};
use crate::document::SchemaDocument;
use crate::reference::{self, Failure};
use crate::store::{Store, Trouble};
use crate::walk::{self, Position, Reference, SchemaParts};
use crate::{Instance, address};

/// A place in one of the documents.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    pub(crate) part: usize,
    pub(crate) pointer: String,
    node: NodeId,
    base: Arc<str>,
}

impl Spot {
    /// The schema that is there.
    pub(crate) fn node(&self) -> NodeId {
        self.node
    }
}

/// One document.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) document: Arc<SchemaDocument>,
    /// The draft that its rules follow.
    pub(crate) draft: Draft,
    /// Whether `$schema` names a draft other than the official ones.
    pub(crate) own_dialect: bool,
    /// Values of `pattern` and keys of `patternProperties`.
    pub(crate) patterns: Vec<NodeId>,
    /// References whose target differs from what is written.
    rewritten: FxHashMap<NodeId, String>,
    /// The schemas in it, with their drafts.
    visited: FxHashMap<NodeId, Draft>,
}

impl Part {
    /// The schema as JSON, with every reference rewritten to its target.
    pub(crate) fn json(&self) -> Arc<serde_json::Value> {
        if self.rewritten.is_empty() {
            return Arc::clone(&self.document.json);
        }
        Arc::new(self.rewritten_json(self.document.document.root()))
    }

    fn rewritten_json(&self, node: NodeRef<'_>) -> serde_json::Value {
        if let Some(text) = self.rewritten.get(&node.id()) {
            return serde_json::Value::String(text.clone());
        }
        if let Some(items) = node.items() {
            return items.map(|item| self.rewritten_json(item)).collect();
        }
        if let Some(entries) = node.entries() {
            let entries =
                entries.map(|(key, value)| (key.key_text().into_owned(), self.rewritten_json(value)));
            return serde_json::Value::Object(entries.collect());
        }
        Instance::from(node).to_json()
    }

    /// The document, and which of its nodes are schemas.
    pub(crate) fn into_text(self) -> (Arc<SchemaDocument>, FxHashMap<NodeId, Draft>) {
        (self.document, self.visited)
    }

    fn node(&self, id: NodeId) -> NodeRef<'_> {
        self.document.document.node(id)
    }
}

/// A reference that could not be followed yet: its target may be in a document that is loaded later.
#[derive(Debug)]
struct Open {
    part: usize,
    reference: Reference,
    failure: Failure,
}

/// All documents that a schema needs.
#[derive(Debug)]
pub(crate) struct Closure<'s> {
    store: &'s Store,
    pub(crate) parts: Vec<Part>,
    /// Schemas by their addresses: where they were loaded from, and what they call themselves.
    pub(crate) resources: FxHashMap<String, Spot>,
    /// The targets of references.
    pub(crate) leads: FxHashMap<(usize, NodeId), Spot>,
    /// Errors and warnings.
    pub(crate) findings: Vec<Diagnostic>,
    anchors: FxHashMap<(Arc<str>, String), Spot>,
    bases: FxHashMap<(usize, NodeId), Arc<str>>,
    ids: FxHashMap<String, (usize, Span)>,
    queue: VecDeque<(usize, Reference)>,
    open: Vec<Open>,
    warned: FxHashSet<String>,
    /// An index of the members of very large maps: definitions are looked up once for each reference to them.
    wide: FxHashMap<(usize, NodeId), FxHashMap<String, NodeId>>,
}

/// The newest draft, by the address that the validator knows.
const LATEST: &str = "https://json-schema.org/draft/2020-12/schema";

/// How many documents a schema may need. A malicious server could refer from each to yet another one.
const PARTS: usize = 1_000;
/// For how many references that cannot be resolved the package is searched for a similar name.
const SUGGESTED: usize = 100;

/// The number of members from which a map gets an index.
const WIDE: usize = 64;

impl<'s> Closure<'s> {
    /// Follows all references from a schema.
    pub(crate) fn of(store: &'s Store, document: Arc<SchemaDocument>) -> Self {
        let mut closure = Closure {
            store,
            parts: Vec::new(),
            resources: FxHashMap::default(),
            leads: FxHashMap::default(),
            findings: store.dependency_findings().to_vec(),
            anchors: FxHashMap::default(),
            bases: FxHashMap::default(),
            ids: FxHashMap::default(),
            queue: VecDeque::new(),
            open: Vec::new(),
            warned: FxHashSet::default(),
            wide: FxHashMap::default(),
        };
        closure.add(document, store.draft());
        closure.follow_all();
        closure
    }

    /// All schemas with their drafts, in the order of their positions.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = ((usize, NodeId), Draft)> {
        let of_part = |part: &Part| {
            let mut nodes: Vec<_> = part.visited.iter().map(|(node, draft)| (*node, *draft)).collect();
            nodes.sort_unstable_by_key(|(node, _)| (part.node(*node).span().start, *node));
            nodes
        };
        let parts = self.parts.iter().enumerate();
        parts.flat_map(move |(index, part)| {
            of_part(part).into_iter().map(move |(node, draft)| ((index, node), draft))
        })
    }

    /// A schema by its document and node.
    pub(crate) fn node(&self, (part, node): (usize, NodeId)) -> NodeRef<'_> {
        self.parts[part].node(node)
    }

    /// Where schemas of other drafts are inside a document.
    pub(crate) fn foreign_dialects(&self, part: &Part) -> Vec<String> {
        let mut pointers: Vec<String> = Vec::new();
        for spot in self.resources.values() {
            let text = &self.parts[spot.part];
            if Arc::ptr_eq(&text.document, &part.document)
                && !spot.pointer.is_empty()
                && text.node(spot.node).get("$schema").is_some()
            {
                pointers.push(spot.pointer.clone());
            }
        }
        pointers
    }

    fn follow_all(&mut self) {
        loop {
            while let Some((part, reference)) = self.queue.pop_front() {
                match self.follow(part, &reference) {
                    Ok(()) | Err(Failure::Reported) => {}
                    Err(failure) => self.open.push(Open { part, reference, failure }),
                }
            }
            // A document loaded since then may have the `$id` that was looked for.
            let open = std::mem::take(&mut self.open);
            let before = open.len();
            for mut entry in open {
                match self.known(entry.part, &entry.reference) {
                    Some(Ok(())) => {}
                    Some(Err(failure)) => {
                        entry.failure = failure;
                        self.open.push(entry);
                    }
                    None => self.open.push(entry),
                }
            }
            if self.queue.is_empty() || self.open.len() == before {
                break;
            }
        }
        for (index, open) in std::mem::take(&mut self.open).into_iter().enumerate() {
            let Open { part, reference, failure } = open;
            let missing = (index < SUGGESTED).then(|| failure.missing_part(self.store)).flatten();
            let node = self.parts[part].node(reference.value);
            let finding = reference::finding(self.store, node, reference.keyword, failure, missing);
            self.report(finding);
        }
    }

    /// Adds a document and the schemas in it.
    fn add(&mut self, document: Arc<SchemaDocument>, inherited: Draft) -> usize {
        let index = self.parts.len();
        let base: Arc<str> = Arc::from(document.address.as_str());
        let root = document.document.root();
        let dialect = root.get("$schema").filter(|dialect| dialect.as_str().is_some());
        let named = dialect.and_then(NodeRef::as_str);
        let latest = named.is_some_and(is_latest);
        let known = if latest { Some(Draft::Draft202012) } else { named.map(Draft::from_schema_uri) };
        let own_dialect = known == Some(Draft::Unknown);
        let draft = known.filter(|_| !own_dialect).unwrap_or(inherited);
        let root_id = root.id();
        let rewritten = dialect.filter(|_| latest).map(|value| (value.id(), LATEST.to_owned()));
        let dialect = dialect.map(NodeRef::id).filter(|_| own_dialect);
        self.parts.push(Part {
            document: Arc::clone(&document),
            draft,
            own_dialect,
            patterns: Vec::new(),
            rewritten: rewritten.into_iter().collect(),
            visited: FxHashMap::default(),
        });
        let spot = Spot { part: index, pointer: String::new(), node: root_id, base: Arc::clone(&base) };
        self.resources.entry(document.address.clone()).or_insert(spot);
        self.bases.insert((index, root_id), Arc::clone(&base));
        if let Some(value) = dialect {
            let reference = Reference { value, keyword: "$schema", base: Arc::clone(&base), draft };
            match self.follow(index, &reference) {
                Ok(()) => {
                    let drafts = self.leads.get(&(index, value)).map(|lead| self.parts[lead.part].draft);
                    self.parts[index].draft = drafts.unwrap_or_default();
                }
                Err(failure) => {
                    let node = document.document.node(value);
                    let missing = failure.missing_part(self.store);
                    let finding = reference::finding(self.store, node, "$schema", failure, missing);
                    self.report(finding);
                }
            }
        }
        let position = Position { base, draft: self.parts[index].draft, pointer: String::new() };
        self.walk(index, root_id, position);
        index
    }

    fn walk(&mut self, part: usize, node: NodeId, position: Position) {
        let mut found = SchemaParts::default();
        let entry = &mut self.parts[part];
        let document = Arc::clone(&entry.document);
        walk::walk(document.document.node(node), position, &mut entry.visited, &mut found);
        entry.patterns.append(&mut found.patterns);
        for id in found.bad_ids {
            let node = document.document.node(id);
            self.report(reference::bad_id(node));
        }
        for resource in found.resources {
            let base: Arc<str> = Arc::from(resource.address.as_str());
            self.bases.insert((part, resource.node), Arc::clone(&base));
            if resource.pointer.is_empty()
                && let Some(spot) = self.resources.get_mut(&document.address)
                && spot.part == part
            {
                spot.base = Arc::clone(&base);
            }
            match self.ids.get(&resource.address) {
                Some((_, span)) => {
                    let finding = reference::duplicate_id(&resource.address, resource.id, *span);
                    self.report(finding);
                }
                None => {
                    self.ids.insert(resource.address.clone(), (part, resource.id));
                    let spot = Spot { part, pointer: resource.pointer, node: resource.node, base };
                    self.resources.insert(resource.address, spot);
                }
            }
        }
        for anchor in found.anchors {
            let spot =
                Spot { part, pointer: anchor.pointer, node: anchor.node, base: Arc::clone(&anchor.base) };
            let key = (anchor.base, anchor.name);
            match self.anchors.get(&key) {
                Some(first) if (first.part, first.node) != (spot.part, spot.node) => {
                    let first = self.parts[first.part].node(first.node).span();
                    let finding = reference::duplicate_anchor(&key.1, anchor.name_span, first);
                    self.report(finding);
                }
                Some(_) => {}
                None => _ = self.anchors.insert(key, spot),
            }
        }
        self.queue.extend(found.references.into_iter().map(|reference| (part, reference)));
    }

    /// Follows a reference to a document that is already loaded, if that is its target.
    fn known(&mut self, part: usize, reference: &Reference) -> Option<Result<(), Failure>> {
        let written = self.written(part, reference);
        let resolved = address::resolve(&reference.base, &written)?;
        let (own, fragment) = address::split(&resolved);
        let spot = self.resources.get(own)?.clone();
        // Characters that a URI must not contain were escaped to resolve it.
        if address::spelled(&written) != written {
            self.rewrite(part, reference, own, fragment);
        }
        Some(self.arrive(part, reference, &spot, fragment))
    }

    fn follow(&mut self, part: usize, reference: &Reference) -> Result<(), Failure> {
        let store = self.store;
        let written = self.written(part, reference);
        if let Some(mapped) = store.dependencies().and_then(|prefixes| prefixes.find(&written)) {
            return self.follow_mapped(part, reference, mapped);
        }
        if let Some(arrived) = self.known(part, reference) {
            return arrived;
        }
        let resolved = address::resolve(&reference.base, &written).ok_or(Failure::NotAnAddress)?;
        if let Some(mapped) = store.dependencies().and_then(|prefixes| prefixes.find(&resolved)) {
            return self.follow_mapped(part, reference, mapped);
        }
        let (own, fragment) = address::split(&resolved);
        if let Some(official) = official(own) {
            if official != own || address::spelled(&written) != written {
                self.rewrite(part, reference, official, fragment);
            }
            return Ok(());
        }
        if reference.keyword == "$schema" && own.contains("//json-schema.org/") {
            return Err(Failure::UnknownDraft);
        }
        if store.is_embedded(own) {
            return self.load(part, reference, own, fragment, None);
        }
        if let Some(path) = self.package_path(part, reference, &written, own)? {
            return self.load(part, reference, &address::of_package_file(&path), fragment, None);
        }
        if !address::is_remote(own) {
            return Err(Failure::NotLoadable(address::shown(own)));
        }
        self.load(part, reference, own, fragment, None)
    }

    fn follow_mapped(&mut self, part: usize, reference: &Reference, mapped: Mapped) -> Result<(), Failure> {
        match &mapped.lead {
            Lead::Broken => Err(Failure::Reported),
            Lead::Outside(path) => Err(Failure::Outside(path.clone())),
            Lead::Remote(address) => {
                let (own, fragment) = address::split(address);
                self.load(part, reference, own, fragment, Some(&mapped))
            }
            Lead::File(path, fragment) => {
                let own = address::of_package_file(path);
                let followed = self.load(part, reference, &own, fragment.as_deref(), Some(&mapped));
                if let Err(Failure::Trouble { trouble: Trouble::Load(error), .. }) = &followed
                    && error.kind == LoadErrorKind::Outside
                {
                    let message = format!(
                        "`{}` is a symbolic link to outside the package",
                        self.store.shown_file(path)
                    );
                    let written = self.parts[part].node(reference.value).span();
                    let finding = Diagnostic::new(&DEPENDENCIES_LINK, mapped.span, message)
                        .related(written, "this reference points there")
                        .level(Level::Schema);
                    self.report(finding);
                    return Err(Failure::Reported);
                }
                followed
            }
        }
    }

    /// The file of the package that a reference points to, if any.
    fn package_path(
        &self,
        part: usize,
        reference: &Reference,
        written: &str,
        own: &str,
    ) -> Result<Option<String>, Failure> {
        let path = address::decode(written.split(['?', '#']).next().unwrap_or_default()).into_owned();
        let outside = |_| Failure::Outside(path.clone());
        if address::scheme(own).as_deref() == Some("file") {
            return address::file_in_package(own, self.store.root()).map(Some).map_err(outside);
        }
        let relative = address::scheme(written).is_none() && !written.starts_with("//");
        if let Some(base) = address::package_file(&reference.base) {
            if !relative {
                return Ok(None);
            }
            if path.starts_with('/') {
                return address::path_in_package(&path, self.store.root()).map(Some).map_err(outside);
            }
            return beside(&base, &path).map(Some).map_err(outside);
        }
        // A file whose `$id` is an address elsewhere can still refer to the files next to it.
        let from = address::package_file(&self.parts[part].document.address);
        Ok(from
            .filter(|_| relative && !path.starts_with('/'))
            .and_then(|from| beside(&from, &path).ok())
            .filter(|path| self.store.has_file(path)))
    }

    /// Loads the document at an address and follows the reference into it.
    fn load(
        &mut self,
        part: usize,
        reference: &Reference,
        own: &str,
        fragment: Option<&str>,
        mapped: Option<&Mapped>,
    ) -> Result<(), Failure> {
        let store = self.store;
        if address::has_credentials(own) {
            return Err(Failure::Credentials(address::shown(own)));
        }
        let known = self.resources.get(own).filter(|spot| spot.pointer.is_empty()).cloned();
        let spot = match known {
            Some(spot) => spot,
            None => {
                if own.starts_with("http:") && !store.is_embedded(own) && self.warned.insert(own.to_owned()) {
                    let written = self.parts[part].node(reference.value).span();
                    self.report(reference::plain_http(own, mapped.map_or(written, |mapped| mapped.span)));
                }
                if self.parts.len() >= PARTS {
                    return Err(Failure::TooMany);
                }
                let trouble = |trouble| Failure::Trouble {
                    address: own.to_owned(),
                    trouble,
                    via: mapped.map(|mapped| Box::new(mapped.via.clone())),
                };
                let document = store.document(own).map_err(trouble)?;
                let from = document.address.clone();
                if self.resources.get(&from).is_none_or(|spot| !spot.pointer.is_empty()) {
                    self.add(document, reference.draft);
                }
                let Some(spot) = self.resources.get(&from).cloned() else {
                    return Err(Failure::NotLoadable(address::shown(own)));
                };
                self.resources.entry(own.to_owned()).or_insert_with(|| spot.clone());
                spot
            }
        };
        let target = self.parts[spot.part].document.address.clone();
        self.rewrite(part, reference, &target, fragment);
        self.arrive(part, reference, &spot, fragment)
    }

    /// Goes from a schema with an address to what follows `#`.
    fn arrive(
        &mut self,
        part: usize,
        reference: &Reference,
        spot: &Spot,
        fragment: Option<&str>,
    ) -> Result<(), Failure> {
        let document = Arc::clone(&self.parts[spot.part].document);
        let missing =
            |name: &str| Failure::Missing { document: document.name.clone(), fragment: name.to_owned() };
        let target = match fragment.map(address::decode) {
            None => spot.clone(),
            Some(pointer) if pointer.starts_with('/') => {
                self.descend(spot, &pointer).ok_or_else(|| missing(&pointer))?
            }
            Some(name) => {
                let key = (Arc::clone(&spot.base), name.into_owned());
                self.anchors.get(&key).cloned().ok_or_else(|| missing(&key.1))?
            }
        };
        // A place becomes a schema by being referred to, even if its keyword does not make it one.
        if !self.parts[target.part].visited.contains_key(&target.node) {
            let draft = self.parts[target.part].draft;
            let position =
                Position { base: Arc::clone(&target.base), draft, pointer: target.pointer.clone() };
            self.walk(target.part, target.node, position);
        }
        self.leads.insert((part, reference.value), target);
        Ok(())
    }

    fn child(&mut self, part: usize, node: NodeId, name: &str) -> Option<NodeId> {
        let parent = self.parts[part].document.document.node(node);
        if let Some(mut items) = parent.items() {
            return items.nth(name.parse().ok()?).map(NodeRef::id);
        }
        let entries = parent.entries()?;
        if entries.len() <= WIDE {
            return parent.get(name).map(NodeRef::id);
        }
        let members = self.wide.entry((part, node)).or_insert_with(|| {
            entries.map(|(key, value)| (key.key_text().into_owned(), value.id())).collect()
        });
        members.get(name).copied()
    }

    fn descend(&mut self, from: &Spot, pointer: &str) -> Option<Spot> {
        let mut spot = from.clone();
        for segment in pointer.split('/').skip(1) {
            let name = segment.replace("~1", "/").replace("~0", "~");
            spot.node = self.child(spot.part, spot.node, &name)?;
            spot.pointer = format!("{}/{segment}", spot.pointer);
            if let Some(base) = self.bases.get(&(spot.part, spot.node)) {
                spot.base = Arc::clone(base);
            }
        }
        Some(spot)
    }

    fn rewrite(&mut self, part: usize, reference: &Reference, own: &str, fragment: Option<&str>) {
        let text = match fragment {
            Some(fragment) => format!("{own}#{fragment}"),
            None => own.to_owned(),
        };
        if self.written(part, reference) != text {
            self.parts[part].rewritten.insert(reference.value, text);
        }
    }

    fn written(&self, part: usize, reference: &Reference) -> String {
        self.parts[part].node(reference.value).as_str().unwrap_or_default().to_owned()
    }

    fn report(&mut self, finding: Diagnostic) {
        // Several references may point to one broken document, which is reported once.
        let said = |other: &Diagnostic| {
            other.code == finding.code
                && other.primary.span == finding.primary.span
                && other.message == finding.message
        };
        if !self.findings.iter().any(said) {
            self.findings.push(finding);
        }
    }
}

/// A path relative to the directory of a file.
fn beside(file: &str, path: &str) -> Result<String, trueline_source::LoadError> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let joined = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    trueline_source::normalize_path(&joined)
}

/// Whether `$schema` names the newest draft, whichever that is.
fn is_latest(dialect: &str) -> bool {
    let address = dialect.strip_suffix('#').unwrap_or(dialect);
    matches!(address, "http://json-schema.org/schema" | "https://json-schema.org/schema")
}

/// The address by which the validator knows one of the official meta-schemas.
fn official(address: &str) -> Option<&str> {
    const VOCABULARIES: [&str; 9] = [
        "core",
        "applicator",
        "unevaluated",
        "validation",
        "meta-data",
        "format",
        "format-annotation",
        "format-assertion",
        "content",
    ];
    match Draft::from_schema_uri(address) {
        Draft::Draft4 => return Some("http://json-schema.org/draft-04/schema"),
        Draft::Draft6 => return Some("http://json-schema.org/draft-06/schema"),
        Draft::Draft7 => return Some("http://json-schema.org/draft-07/schema"),
        Draft::Draft201909 => return Some("https://json-schema.org/draft/2019-09/schema"),
        Draft::Draft202012 => return Some(LATEST),
        _ if is_latest(address) => return Some(LATEST),
        _ => {}
    }
    let (year, name) = address.strip_prefix("https://json-schema.org/draft/")?.split_once("/meta/")?;
    (matches!(year, "2019-09" | "2020-12") && VOCABULARIES.contains(&name)).then_some(address)
}

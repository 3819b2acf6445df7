//! The texts of a schema, and where its references lead.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use serde_json::Value as Json;
use trueline_schema::{Draft, SchemaLookup, resolve_address};

use super::metaschema::metaschema;

/// A place in one of the texts.
#[derive(Debug)]
pub(super) struct Target<'s> {
    pub(super) text: Rc<Text<'s>>,
    /// The way from the text's root, as a JSON pointer.
    pub(super) pointer: String,
    pub(super) schema: &'s Json,
    pub(super) resource: Rc<Resource<'s>>,
    pub(super) draft: Draft,
}

/// One of the texts.
#[derive(Debug)]
pub(super) struct Text<'s> {
    name: String,
    /// The address by which messages call it.
    address: String,
    root: &'s Json,
    kind: TextKind,
    draft: Draft,
}

impl Text<'_> {
    pub(super) fn address(&self) -> &str {
        &self.address
    }
}

/// How the texts of a schema are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Called {
    /// All by the one address that Helm has for the schemas of charts.
    AsOfChart,
    /// Each by where it is.
    ByPlace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextKind {
    Own,
    Official,
}

/// A schema with a name of its own: names of places count within it.
#[derive(Debug)]
pub(super) struct Resource<'s> {
    pub(super) text: Rc<Text<'s>>,
    pub(super) pointer: String,
    pub(super) schema: &'s Json,
}

/// Where references lead, by what tells them apart.
type Leads<'s, K> = RefCell<FxHashMap<K, Option<Rc<Target<'s>>>>>;

/// All texts that a schema needs.
pub(super) struct Library<'s> {
    lookup: Option<&'s dyn SchemaLookup>,
    called: Called,
    root: Rc<Text<'s>>,
    texts: RefCell<FxHashMap<String, Rc<Text<'s>>>>,
    /// By the places of the references in memory.
    leads: Leads<'s, usize>,
    anchors: Leads<'s, (usize, usize)>,
}

impl<'s> Library<'s> {
    /// The texts of a schema.
    pub(super) fn new(lookup: &'s dyn SchemaLookup, draft: Draft, called: Called) -> Option<Self> {
        let place = lookup.root();
        let root = lookup.at(&place)?;
        let name = place.split('#').next().unwrap_or_default().to_owned();
        let address = match called {
            Called::AsOfChart => super::ADDRESS.to_owned(),
            Called::ByPlace => name.clone(),
        };
        Some(Library::of(Some(lookup), Text { name, address, root, kind: TextKind::Own, draft }, called))
    }

    /// The schema of schemas of a draft.
    pub(super) fn official(draft: Draft) -> Option<Library<'static>> {
        let (name, root) = metaschema(match draft {
            Draft::Draft4 => "http://json-schema.org/draft-04/schema",
            Draft::Draft6 => "http://json-schema.org/draft-06/schema",
            Draft::Draft7 => "http://json-schema.org/draft-07/schema",
            Draft::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            _ => "https://json-schema.org/draft/2020-12/schema",
        })?;
        Some(Library::of(None, official(name, root, draft), Called::ByPlace))
    }

    fn of(lookup: Option<&'s dyn SchemaLookup>, text: Text<'s>, called: Called) -> Self {
        let root = Rc::new(text);
        let texts = FxHashMap::from_iter([(root.name.clone(), Rc::clone(&root))]);
        Library {
            lookup,
            called,
            root,
            texts: RefCell::new(texts),
            leads: RefCell::default(),
            anchors: RefCell::default(),
        }
    }

    /// The schema as a whole.
    pub(super) fn root(&self) -> Option<Target<'s>> {
        arrive(&self.root, "")
    }

    /// The address of the schema as a whole.
    pub(super) fn address(&self) -> &str {
        self.root.address()
    }

    /// What was typed at a place of one of the chart's own texts.
    pub(super) fn typed(&self, text: &Text<'s>, pointer: &str) -> Option<&'s str> {
        match text.kind {
            TextKind::Own => self.lookup?.typed(&format!("{}#{pointer}", text.name)),
            TextKind::Official => None,
        }
    }

    /// Where a reference leads that stands at a place.
    pub(super) fn follow(
        &self,
        text: &Rc<Text<'s>>,
        pointer: impl FnOnce() -> String,
        reference: &'s Json,
    ) -> Option<Rc<Target<'s>>> {
        let key = address_of(reference);
        if let Some(known) = self.leads.borrow().get(&key) {
            return known.clone();
        }
        let found = reference.as_str().and_then(|written| match text.kind {
            TextKind::Own => self.follow_own(text, &pointer(), written),
            TextKind::Official => self.follow_official(text, written),
        });
        let found = found.map(Rc::new);
        self.leads.borrow_mut().insert(key, found.clone());
        found
    }

    fn follow_own(&self, text: &Rc<Text<'s>>, pointer: &str, written: &str) -> Option<Target<'s>> {
        let lookup = self.lookup?;
        let Some(place) = lookup.follow(&format!("{}#{pointer}", text.name), written) else {
            return self.follow_official(text, written);
        };
        let (name, pointer) = place.split_once('#')?;
        let known = self.texts.borrow().get(name).cloned();
        let text = match known {
            Some(text) => text,
            None => {
                let root = lookup.at(&format!("{name}#"))?;
                let address = match self.called {
                    Called::AsOfChart => super::ADDRESS.to_owned(),
                    Called::ByPlace => joined(text.address(), written).unwrap_or_else(|| name.to_owned()),
                };
                let draft = draft_of(root).unwrap_or(self.root.draft);
                let text = Rc::new(Text { name: name.to_owned(), address, root, kind: TextKind::Own, draft });
                self.texts.borrow_mut().insert(name.to_owned(), Rc::clone(&text));
                text
            }
        };
        arrive(&text, pointer)
    }

    /// The official schemas refer to each other by names relative to theirs; others to them by whole addresses.
    fn follow_official(&self, text: &Rc<Text<'s>>, written: &str) -> Option<Target<'s>> {
        let (address, fragment) = written.split_once('#').unwrap_or((written, ""));
        let text = if address.is_empty() {
            Rc::clone(text)
        } else {
            let relative = || {
                let (folder, _) = text.name.rsplit_once('/')?;
                metaschema(&format!("{folder}/{address}"))
            };
            let (name, root) = metaschema(address).or_else(relative)?;
            Rc::new(official(name, root, draft_of(root)?))
        };
        if fragment.is_empty() || fragment.starts_with('/') {
            return arrive(&text, fragment);
        }
        let pointer = anchored(text.root, fragment, String::new())?;
        arrive(&text, &pointer)
    }

    /// What a `$dynamicAnchor` of a resource stands for, asked for by `reference`.
    pub(super) fn dynamic_anchor(
        &self,
        resource: &Rc<Resource<'s>>,
        reference: &'s Json,
        name: &str,
    ) -> Option<Rc<Target<'s>>> {
        let key = (address_of(resource.schema), address_of(reference));
        if let Some(known) = self.anchors.borrow().get(&key) {
            return known.clone();
        }
        let found = anchored(resource.schema, name, String::new())
            .and_then(|pointer| arrive(&resource.text, &format!("{}{pointer}", resource.pointer)))
            .map(Rc::new);
        self.anchors.borrow_mut().insert(key, found.clone());
        found
    }
}

/// The text of an official schema.
fn official<'s>(name: &str, root: &'s Json, draft: Draft) -> Text<'s> {
    Text { name: name.to_owned(), address: name.to_owned(), root, kind: TextKind::Official, draft }
}

/// The address that a reference leads to, without the part after `#`.
fn joined(base: &str, reference: &str) -> Option<String> {
    resolve_address(base, reference.split('#').next().unwrap_or_default())
}

/// The value of a keyword. Most schemas have few of them, and looking through those is faster than hashing.
pub(super) fn member<'s>(schema: &'s Json, keyword: &str) -> Option<&'s Json> {
    const FEW: usize = 8;
    let members = schema.as_object()?;
    if members.len() > FEW {
        return members.get(keyword);
    }
    members.iter().find_map(|(name, value)| (name == keyword).then_some(value))
}

/// Tells one schema from another.
pub(super) fn address_of(json: &Json) -> usize {
    std::ptr::from_ref(json) as usize
}

/// The draft of an address in `$schema`.
pub(super) fn draft_named(dialect: &str) -> Option<Draft> {
    let (address, fragment) = dialect.split_once('#').unwrap_or((dialect, ""));
    let (name, _) = metaschema(address).filter(|_| fragment.is_empty())?;
    Some(Draft::from_schema_uri(name)).filter(|draft| *draft != Draft::Unknown)
}

/// The draft that a string names.
fn draft_of(root: &Json) -> Option<Draft> {
    draft_named(member(root, "$schema")?.as_str()?)
}

/// Whether a schema gives itself a name.
pub(super) fn has_name(schema: &Json, draft: Draft) -> bool {
    let keyword = if draft == Draft::Draft4 { "id" } else { "$id" };
    let Some(name) = member(schema, keyword).and_then(Json::as_str) else { return false };
    let ignored = draft <= Draft::Draft7 && member(schema, "$ref").is_some();
    !ignored && !name.is_empty() && !name.starts_with('#')
}

/// The draft of a schema that stands in one of another draft: it changes together with the name only.
pub(super) fn draft_in(schema: &Json, outer: Draft) -> Draft {
    match draft_of(schema) {
        Some(draft) if has_name(schema, draft) => draft,
        _ => outer,
    }
}

fn arrive<'s>(text: &Rc<Text<'s>>, pointer: &str) -> Option<Target<'s>> {
    let mut schema = text.root;
    let mut draft = text.draft;
    let mut resource = Resource { text: Rc::clone(text), pointer: String::new(), schema };
    let mut walked = String::new();
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        schema = match schema {
            Json::Array(items) => items.get(name.parse::<usize>().ok()?)?,
            other => other.get(&name)?,
        };
        walked.push('/');
        walked.push_str(part);
        draft = draft_in(schema, draft);
        if has_name(schema, draft) {
            resource = Resource { text: Rc::clone(text), pointer: walked.clone(), schema };
        }
    }
    Some(Target { text: Rc::clone(text), pointer: walked, schema, resource: Rc::new(resource), draft })
}

/// The place of a `$dynamicAnchor` in a resource. Resources inside it are others.
fn anchored(schema: &Json, name: &str, pointer: String) -> Option<String> {
    match schema {
        Json::Object(members) => {
            if members.get("$dynamicAnchor").and_then(Json::as_str) == Some(name) {
                return Some(pointer);
            }
            let inside = members.iter().filter(|(keyword, member)| {
                let data = matches!(keyword.as_str(), "const" | "enum" | "default" | "examples");
                !data && !has_name(member, Draft::Draft202012)
            });
            inside.into_iter().find_map(|(keyword, member)| {
                anchored(member, name, format!("{pointer}/{}", escaped(keyword)))
            })
        }
        Json::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            let inside = !has_name(item, Draft::Draft202012);
            inside.then(|| anchored(item, name, format!("{pointer}/{index}"))).flatten()
        }),
        _ => None,
    }
}

/// A name as a part of a JSON pointer.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

//! The document as the wording sees it: names, places and strings, whichever tree type it is.

use std::borrow::Cow;
use std::cell::RefCell;

use rustc_hash::FxHashMap;
use trueline_source::Span;
use trueline_yaml::{Data, NodeKind};

use super::notation::unescape;
use crate::{Instance, InstancePlace};

/// An entry of a map: its name, where the name was typed, and its value.
pub(crate) type Named<'a> = (Cow<'a, str>, Option<Span>, Instance<'a>);

/// Whether it is a map.
pub(crate) fn is_map(instance: Instance<'_>) -> bool {
    match instance {
        Instance::Node(node) => matches!(node.kind(), NodeKind::Mapping { .. }),
        Instance::Value(value) => matches!(value.data, Data::Map(_)),
        Instance::Text(_) => false,
    }
}

/// The entries of a map; none for anything else.
pub(crate) fn entries<'a>(instance: Instance<'a>) -> Vec<Named<'a>> {
    match instance {
        Instance::Node(node) => node
            .entries()
            .into_iter()
            .flatten()
            .map(|(key, value)| (key.key_text(), Some(key.span()), Instance::Node(value)))
            .collect(),
        Instance::Value(value) => match &value.data {
            Data::Map(map) => map
                .iter()
                .map(|(key, entry)| {
                    (Cow::Borrowed(key.as_ref()), entry.key_origin, Instance::Value(&entry.value))
                })
                .collect(),
            _ => Vec::new(),
        },
        Instance::Text(_) => Vec::new(),
    }
}

/// The items of a list, if it is one.
pub(crate) fn items<'a>(instance: Instance<'a>) -> Option<Vec<Instance<'a>>> {
    match instance {
        Instance::Node(node) => Some(node.items()?.map(Instance::Node).collect()),
        Instance::Value(value) => match &value.data {
            Data::List(items) => Some(items.iter().map(Instance::Value).collect()),
            _ => None,
        },
        Instance::Text(_) => None,
    }
}

/// The string, if it is one.
pub(crate) fn text<'a>(instance: Instance<'a>) -> Option<&'a str> {
    match instance {
        Instance::Node(node) => node.as_str(),
        Instance::Value(value) => value.as_str(),
        Instance::Text(text) => Some(text),
    }
}

/// The value as JSON if it is neither a list nor a map.
pub(crate) fn scalar(instance: Instance<'_>) -> Option<serde_json::Value> {
    let nested = is_map(instance) || items(instance).is_some();
    (!nested).then(|| instance.to_json())
}

/// The number of children from which a list or map gets an index.
const WIDE: usize = 32;

/// Finds values by their pointers. One long list or map may hold many mistakes; it is not searched for each of
/// them.
pub(crate) struct Finder<'a> {
    root: Instance<'a>,
    wide: RefCell<FxHashMap<String, Children<'a>>>,
}

enum Children<'a> {
    Items(Vec<Instance<'a>>),
    Entries(FxHashMap<Cow<'a, str>, (Instance<'a>, InstancePlace)>),
}

impl<'a> Finder<'a> {
    pub(crate) fn new(root: Instance<'a>) -> Self {
        Finder { root, wide: RefCell::default() }
    }

    /// The target of a pointer, with its place.
    pub(crate) fn at(&self, pointer: &str) -> Option<(Instance<'a>, InstancePlace)> {
        let mut found = (self.root, InstancePlace { value: self.root.span(), key: None });
        let mut passed = 0;
        for part in pointer.split('/').skip(1) {
            found = self.child(found.0, pointer.get(..passed)?, &unescape(part))?;
            passed += 1 + part.len();
        }
        Some(found)
    }

    fn child(
        &self,
        parent: Instance<'a>,
        pointer: &str,
        name: &str,
    ) -> Option<(Instance<'a>, InstancePlace)> {
        if width(parent) <= WIDE {
            return parent.child(name);
        }
        let mut wide = self.wide.borrow_mut();
        if !wide.contains_key(pointer) {
            let children = match items(parent) {
                Some(items) => Children::Items(items),
                None => Children::Entries(
                    entries(parent)
                        .into_iter()
                        .map(|(name, key, value)| (name, (value, InstancePlace { value: value.span(), key })))
                        .collect(),
                ),
            };
            wide.insert(pointer.to_owned(), children);
        }
        match wide.get(pointer)? {
            Children::Items(items) => {
                let item = *items.get(name.parse::<usize>().ok()?)?;
                Some((item, InstancePlace { value: item.span(), key: None }))
            }
            Children::Entries(entries) => entries.get(name).copied(),
        }
    }
}

fn width(instance: Instance<'_>) -> usize {
    match instance {
        Instance::Node(node) => {
            node.items().map_or(0, |items| items.len()) + node.entries().map_or(0, |entries| entries.len())
        }
        Instance::Value(value) => match &value.data {
            Data::List(items) => items.len(),
            Data::Map(map) => map.len(),
            _ => 0,
        },
        Instance::Text(_) => 0,
    }
}

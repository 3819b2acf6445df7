//! The document as the wording looks at it: names, places and texts, whichever kind of tree it is.

use std::borrow::Cow;

use trueline_source::Span;
use trueline_yaml::{Data, NodeKind};

use crate::Instance;

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

/// The entries of a map; none of anything else.
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

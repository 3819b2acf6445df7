//! `template.replace(x)`: documents or items in the place of the node that asks for them.

use std::rc::Rc;

use trueline_starlark::{Error, Thread, Value as Starlark};

use super::builder::{Builder, Building, KeyOverrides, Open, check_override, remove_item};
use crate::tree::{ArrayItem, Document, KeyIndex, Made, Map, MapItem, Meta, Value};
use crate::value::{Content, Context, Origin, from_starlark_measured, into_yaml};

impl Builder {
    /// Puts what `value` holds in the place of the innermost node.
    pub(super) fn replace(
        &mut self,
        thread: &Thread,
        value: &Starlark,
        overrides: KeyOverrides,
        context: &Context,
    ) -> Result<(), Error> {
        let (content, measure) = from_starlark_measured(value, context)?;
        let Some((current, above)) = self.open.split_last_mut() else {
            return Err(Error::new("expected to find a node to replace, but there is none"));
        };
        let parent = above.last_mut().map(|open| {
            open.measure.include(measure);
            &mut open.node
        });
        match &current.node {
            Building::Document(_) => {
                let Some(parent) = parent else { return Err(no_parent("document set")) };
                let Building::DocumentSet(documents) = parent else {
                    return Err(wrong_parent("expected to find document set, but was", parent));
                };
                let new = new_documents(content)?;
                take_out(current, "placeholder document in document set")?;
                documents.documents.extend(new);
            }
            Building::MapItem(_) => {
                let Some(parent) = parent else { return Err(no_parent("map")) };
                let Building::Map(map, index) = parent else {
                    return Err(wrong_parent("expected parent of map item to be a map, but was a", parent));
                };
                replace_in_map(thread, current, map, index, content, overrides)?;
            }
            Building::ArrayItem(item) => {
                let Some(parent) = parent else { return Err(no_parent("array")) };
                let Building::Array(array) = parent else {
                    return Err(wrong_parent(
                        "expected parent of array item to be an array, but was a",
                        parent,
                    ));
                };
                let new = new_array_items(content, item)?;
                take_out(current, "placeholder array item in array")?;
                array.items.extend(new);
            }
            other => {
                return Err(Error::new(format!(
                    "expected to replace document value, map item or array item, but found {}",
                    other.type_name()
                )));
            }
        }
        Ok(())
    }
}

fn no_parent(what: &str) -> Error {
    Error::new(format!("expected to find {what}, but was not enough parents"))
}

fn wrong_parent(what: &str, parent: &Building) -> Error {
    Error::new(format!("{what} {}", parent.type_name()))
}

/// Marks a node as replaced, once.
fn take_out(current: &mut Open, what: &str) -> Result<(), Error> {
    if current.is_replaced {
        return Err(Error::new(format!("expected to find {what}")));
    }
    current.is_replaced = true;
    Ok(())
}

fn new_documents(content: Content) -> Result<Vec<Document>, Error> {
    match content {
        Content::Documents(documents) => Ok(documents.documents.clone()),
        Content::Value(Value::Array(array)) if array.made == Made::Plain => {
            let document = |item: &ArrayItem| {
                let meta = Meta::default().typed_at(item.meta.place());
                Document { value: item.value.clone(), meta, ..Document::default() }
            };
            Ok(array.items.iter().map(document).collect())
        }
        other => {
            Err(Error::new(format!("expected value to be document set, but was {}", other.shown_type())))
        }
    }
}

fn new_array_items(content: Content, current: &ArrayItem) -> Result<Vec<ArrayItem>, Error> {
    match content {
        Content::Value(value @ Value::Array(_)) => {
            // Those of YAML keep their positions.
            let value =
                if is_plain(&value) { into_yaml(value, &Origin::At(current.meta.position())) } else { value };
            Ok(value.as_array().map(|array| array.items.clone()).unwrap_or_default())
        }
        other => Err(Error::new(format!("expected value to be array, but was {}", other.shown_type()))),
    }
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::Map(map) => map.made == Made::Plain,
        Value::Array(array) => array.made == Made::Plain,
        _ => false,
    }
}

fn replace_in_map(
    thread: &Thread,
    current: &mut Open,
    map: &mut Map,
    index: &mut KeyIndex,
    content: Content,
    overrides: KeyOverrides,
) -> Result<(), Error> {
    let Building::MapItem(item) = &current.node else { return Ok(()) };
    let value = match content {
        Content::Value(value @ Value::Map(_)) => value,
        other => {
            return Err(Error::new(format!("expected value to be map, but was {}", other.shown_type())));
        }
    };
    // Items of a dict say nothing of overriding, so they may.
    let from_dict = is_plain(&value);
    let value = if from_dict { into_yaml(value, &Origin::At(item.meta.position())) } else { value };
    let Value::Map(new) = value else { return Ok(()) };
    let key = item.key.clone();
    let mut is_removed = current.is_replaced;
    for item in &new.items {
        let known = index.find(&map.items, &item.key);
        let is_current = !is_removed && item.key.is_same(&key);
        if (known.is_some() || is_current) && !from_dict {
            check_override(item, overrides)?;
        }
        // The node itself is the last item with its key.
        if is_current {
            is_removed = true;
        } else if let Some(place) = known {
            remove_item(thread, map, index, place)?;
        }
    }
    if is_removed {
        return Err(Error::new("expected to find placeholder map item in map"));
    }
    current.is_replaced = true;
    map.items.extend(Rc::unwrap_or_clone(new).items.drain(..).collect::<Vec<MapItem>>());
    index.update(&map.items);
    Ok(())
}

//! `@schema/validation-defaults-for-strings`: rules for all strings below a node that have no rules of their own.
//!
//! The annotation belongs to the document that it was written in. It is handed down to the nodes of that document before
//! documents are overlaid, because afterwards nobody could tell which nodes it was meant for; what is a string is only
//! known when types are made of the result.

use std::rc::Rc;

use trueline_starlark::Thread;

use super::annotations::STRINGS;
use crate::error::Error;
use crate::tree::{Annotation, Document, Meta, Value};
use crate::validation::Validation;

/// Hands the annotation down to every node below those that have it. One that is farther inside counts.
pub(super) fn hand_down(document: &mut Document, thread: &mut Thread) -> Result<(), Error> {
    let outer = own(&document.meta, thread)?;
    if outer.is_some() || has_any(&document.value) {
        hand_to_value(&mut document.value, outer.as_ref(), thread)?;
    }
    Ok(())
}

/// The annotation of a node. Its arguments are looked at even if there is no string below it.
fn own(meta: &Meta, thread: &mut Thread) -> Result<Option<Rc<Annotation>>, Error> {
    let Some(annotation) = meta.annotations().get(STRINGS) else { return Ok(None) };
    Validation::from_annotation(STRINGS, annotation, thread)?;
    Ok(Some(Rc::new(annotation.clone())))
}

fn hand_to_value(
    value: &mut Value,
    outer: Option<&Rc<Annotation>>,
    thread: &mut Thread,
) -> Result<(), Error> {
    let mut open = vec![(value, outer.cloned())];
    while let Some((value, outer)) = open.pop() {
        let items: Vec<(&mut Meta, &mut Value)> = match value {
            Value::Map(map) => {
                let items = Rc::make_mut(map).items.iter_mut();
                items.map(|item| (&mut item.meta, &mut item.value)).collect()
            }
            Value::Array(array) => {
                let items = Rc::make_mut(array).items.iter_mut();
                items.map(|item| (&mut item.meta, &mut item.value)).collect()
            }
            _ => continue,
        };
        thread.spend(items.len())?;
        for (meta, value) in items {
            let inner = match own(meta, thread)? {
                Some(inner) => Some(inner),
                None => {
                    if let Some(outer) = &outer {
                        meta.annotations_mut().set(STRINGS.into(), (**outer).clone());
                    }
                    outer.clone()
                }
            };
            open.push((value, inner));
        }
    }
    Ok(())
}

fn has_any(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Map(map) => {
                if map.items.iter().any(|item| item.meta.annotations().has(STRINGS)) {
                    return true;
                }
                open.extend(map.items.iter().map(|item| &item.value));
            }
            Value::Array(array) => {
                if array.items.iter().any(|item| item.meta.annotations().has(STRINGS)) {
                    return true;
                }
                open.extend(array.items.iter().map(|item| &item.value));
            }
            _ => {}
        }
    }
    false
}

//! Overlays that change the annotations of the nodes that they match: `overlay/replace-ann`, `overlay/merge-anns` and
//! `overlay/remove-anns`. They say nothing about the value, and so they can be used with `overlay/noop`.

use std::rc::Rc;

use trueline_starlark as starlark;

use super::annotations::NAMESPACE;
use super::calls::{Caller, expect_bool, go_type_name};
use super::fault::{Fault, Problem};
use crate::error::Fact;
use crate::tree::{Annotation, Annotations, Meta};

pub(crate) const REPLACE: &str = "overlay/replace-ann";
pub(crate) const MERGE: &str = "overlay/merge-anns";
pub(crate) const REMOVE: &str = "overlay/remove-anns";

/// Changes the annotations of a matched node as the overlay's node says.
pub(super) fn edit_annotations(left: &mut Meta, right: &Meta, caller: &mut Caller<'_>) -> Result<(), Fault> {
    let annotations = right.annotations();
    if annotations.is_empty() {
        return Ok(());
    }
    if let Some(removal) = annotations.get(REMOVE) {
        remove(left, removal, caller)?;
        // What the node itself says takes the place of what was removed.
        for (name, annotation) in own(annotations) {
            if !left.annotations().has(name) {
                left.annotations_mut().set(Rc::clone(name), annotation.clone());
            }
        }
    }
    if annotations.has(REPLACE) {
        for (name, annotation) in own(annotations) {
            left.annotations_mut().set(Rc::clone(name), annotation.clone());
        }
    }
    if annotations.has(MERGE) {
        for (name, annotation) in own(annotations) {
            let merged = match left.annotations().get(name) {
                Some(known) => merge(known, annotation),
                None => annotation.clone(),
            };
            left.annotations_mut().set(Rc::clone(name), merged);
        }
    }
    Ok(())
}

/// The annotations that are not about overlays.
fn own(annotations: &Annotations) -> impl Iterator<Item = (&Rc<str>, &Annotation)> {
    annotations.iter().filter(|(name, _)| !name.starts_with(NAMESPACE))
}

/// Arguments are appended; keyword arguments are replaced or appended.
fn merge(known: &Annotation, new: &Annotation) -> Annotation {
    let mut merged = known.clone();
    merged.args.extend(new.args.iter().cloned());
    for (name, value) in &new.kwargs {
        match merged.kwargs.iter_mut().find(|(known, _)| known == name) {
            Some(argument) => argument.1 = value.clone(),
            None => merged.kwargs.push((Rc::clone(name), value.clone())),
        }
    }
    merged.position = new.position.clone();
    merged
}

/// Removes the named annotations, or those that a function chooses by name.
fn remove(left: &mut Meta, removal: &Annotation, caller: &mut Caller<'_>) -> Result<(), Fault> {
    let mut names = Vec::new();
    for argument in &removal.args {
        let Some(name) = argument.as_str() else {
            let found = argument.type_name();
            let text = format!("Expected '{REMOVE}' annotation arguments to be strings, but was {found}");
            return Err(Fault::annotation(text).by(Some(removal)));
        };
        // Earlier drafts of validations had this name for the annotation.
        names.push(if name == "schema/validate" { "schema/validation" } else { name });
    }
    let mut via = None;
    for (name, value) in &removal.kwargs {
        if &**name != "via" {
            let fact = Fact::UnknownArgument { annotation: REMOVE.to_owned(), argument: name.to_string() };
            return Err(Fault::known(Problem::Annotation, fact).by(Some(removal)));
        }
        if !value.is_callable() {
            let found = go_type_name(value);
            let text = format!(
                "Expected '{REMOVE}' annotation keyword argument 'via' to be function, but was {found}"
            );
            return Err(Fault::annotation(text).by(Some(removal)));
        }
        via = Some(value);
    }
    if names.is_empty() && via.is_none() {
        let text =
            format!("Expected '{REMOVE}' annotation to have at least one name or the keyword argument 'via'");
        return Err(Fault::annotation(text).by(Some(removal)));
    }
    let mut chosen: Vec<Rc<str>> = Vec::new();
    for (name, _) in left.annotations().iter() {
        let is_chosen = names.iter().any(|known| *known == &**name)
            || match via {
                Some(via) => {
                    let result = caller.call(via, &[starlark::Value::string(name.as_bytes())])?;
                    expect_bool(&result).map_err(|text| Fault::annotation(text).by(Some(removal)))?
                }
                None => false,
            };
        if is_chosen {
            chosen.push(Rc::clone(name));
        }
    }
    for name in chosen {
        left.annotations_mut().remove(&name);
    }
    Ok(())
}

//! The `@schema/…` annotations of a node, with their arguments checked.

use trueline_starlark::{Value as Argument, View};

use super::types::{Example, Type};
use super::violation::{Fault, Problem, Violation};
use crate::error::Error;
use crate::tree::{Annotation, Annotations, Meta, Position, Text, Value};
use crate::value::{Context, go_type_name, tree_value};

pub(crate) const TYPE: &str = "schema/type";
pub(crate) const NULLABLE: &str = "schema/nullable";
pub(crate) const DEFAULT: &str = "schema/default";
pub(crate) const DESCRIPTION: &str = "schema/desc";
pub(crate) const TITLE: &str = "schema/title";
pub(crate) const EXAMPLES: &str = "schema/examples";
pub(crate) const DEPRECATED: &str = "schema/deprecated";
pub(crate) const VALIDATION: &str = "schema/validation";
pub(crate) const STRINGS: &str = "schema/validation-defaults-for-strings";

/// What an annotation says that names no type.
pub(super) enum ArgumentError {
    /// It takes no such arguments.
    Violation(Box<Violation>),
    /// The argument has no place in a document.
    Conversion(Error),
}

impl From<Box<Violation>> for ArgumentError {
    fn from(violation: Box<Violation>) -> ArgumentError {
        ArgumentError::Violation(violation)
    }
}

/// `@schema/type any=True` or `any=False`: whether anything is allowed.
pub(super) fn is_any(node: &Meta) -> Result<bool, Box<Violation>> {
    let Some(annotation) = node.annotations().get(TYPE) else { return Ok(false) };
    let fails = |fault| Err(violation(TYPE, fault, annotation, &node.position()));
    if annotation.kwargs.is_empty() {
        return fails(Fault::Missing);
    }
    let mut is_any = false;
    for (name, value) in &annotation.kwargs {
        if **name != *"any" {
            return fails(Fault::UnknownKeyword(name.to_string()));
        }
        match value.as_bool() {
            Some(value) => is_any = value,
            None => return fails(Fault::NotBool(go_type_name(value))),
        }
    }
    Ok(is_any)
}

/// `@schema/nullable`.
pub(super) fn is_nullable(node: &Meta) -> Result<bool, Box<Violation>> {
    match node.annotations().get(NULLABLE) {
        Some(annotation) if !annotation.kwargs.is_empty() => {
            Err(violation(NULLABLE, Fault::Keyword, annotation, &node.position()))
        }
        annotation => Ok(annotation.is_some()),
    }
}

/// An annotation with one string, such as `@schema/title "…"`.
pub(super) fn text(name: &'static str, node: &Meta) -> Result<Option<Text>, Box<Violation>> {
    let Some(annotation) = node.annotations().get(name) else { return Ok(None) };
    let argument =
        only_argument(annotation).map_err(|fault| violation(name, fault, annotation, &node.position()))?;
    match argument.as_bytes() {
        Some(bytes) => Ok(Some(Text::from(bytes))),
        None => Err(violation(name, Fault::NotString, annotation, &node.position())),
    }
}

/// `@schema/default value`.
pub(super) fn default(
    node: &Meta,
    declared: &Type,
    context: &Context,
) -> Result<Option<(Value, Position)>, ArgumentError> {
    let Some(annotation) = node.annotations().get(DEFAULT) else { return Ok(None) };
    let argument = only_argument(annotation).map_err(|fault| {
        let problem = Problem::Arguments { annotation: DEFAULT, fault, expected: Some(declared.name()) };
        let violation = Violation::of_annotation(problem, &annotation.position, &node.position());
        Box::new(violation.declared_at(declared.position()))
    })?;
    let value = converted(argument, annotation, node, context)?;
    Ok(Some((value, annotation.position.clone())))
}

/// `@schema/examples ("description", value), …`.
pub(super) fn examples(
    node: &Meta,
    context: &Context,
) -> Result<Option<(Vec<Example>, Position)>, ArgumentError> {
    let Some(annotation) = node.annotations().get(EXAMPLES) else { return Ok(None) };
    let fails = |fault| violation(EXAMPLES, fault, annotation, &node.position());
    if !annotation.kwargs.is_empty() {
        return Err(fails(Fault::Keyword).into());
    }
    if annotation.args.is_empty() {
        return Err(fails(Fault::Missing).into());
    }
    let mut examples = Vec::with_capacity(annotation.args.len());
    for argument in &annotation.args {
        let View::Tuple(tuple) = argument.view() else {
            return Err(fails(Fault::NotTuple(argument.type_name().to_owned())).into());
        };
        let (description, value) = match tuple {
            [] | [_] => return Err(fails(Fault::ShortTuple).into()),
            [description, value] => (description, value),
            longer => return Err(fails(Fault::LongTuple(longer.len())).into()),
        };
        let Some(bytes) = description.as_bytes() else {
            return Err(fails(Fault::DescriptionNotString(description.type_name().to_owned())).into());
        };
        let value = converted(value, annotation, node, context)?;
        examples.push(Example { description: Text::from(bytes), value });
    }
    Ok(Some((examples, annotation.position.clone())))
}

/// Annotations that say something about types, with their names: none of these may be below `any=True`.
pub(super) fn about_types(annotations: &Annotations) -> Vec<(&'static str, Position)> {
    let known = [NULLABLE, TYPE, DEFAULT].into_iter();
    known.filter_map(|name| Some((name, annotations.get(name)?.position.clone()))).collect()
}

fn only_argument(annotation: &Annotation) -> Result<&Argument, Fault> {
    if !annotation.kwargs.is_empty() {
        return Err(Fault::Keyword);
    }
    match annotation.args.as_slice() {
        [] => Err(Fault::Missing),
        [argument] => Ok(argument),
        more => Err(Fault::TooMany(more.len())),
    }
}

fn violation(name: &'static str, fault: Fault, annotation: &Annotation, node: &Position) -> Box<Violation> {
    Box::new(Violation::of_annotation(
        Problem::Arguments { annotation: name, fault, expected: None },
        &annotation.position,
        node,
    ))
}

/// An argument as a value of a document, at the position of the node.
fn converted(
    argument: &Argument,
    annotation: &Annotation,
    node: &Meta,
    context: &Context,
) -> Result<Value, ArgumentError> {
    match tree_value(argument, context) {
        Ok(value) => Ok(value.into_nodes(&node.position())),
        Err(error) => Err(ArgumentError::Conversion(Error::from(error).at(annotation.position.clone()))),
    }
}

//! What the annotations of an overlay's node say.

use trueline_starlark as starlark;

use super::calls::{expect_bool, go_type_name};
use super::expectation::Expectation;
use super::fault::{Fault, Problem};
use crate::error::Fact;
use crate::tree::{Annotation, Annotations, Meta};

pub(crate) const MATCH: &str = "overlay/match";
pub(crate) const CHILD_DEFAULTS: &str = "overlay/match-child-defaults";
pub(crate) const REPLACE: &str = "overlay/replace";
pub(crate) const INSERT: &str = "overlay/insert";
pub(crate) const ASSERT: &str = "overlay/assert";

/// The prefix of all annotations that overlays understand.
pub(crate) const NAMESPACE: &str = "overlay/";

/// What a node of an overlay does to the nodes that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Merge,
    Remove,
    Replace,
    Insert,
    Append,
    Assert,
    Noop,
}

impl Action {
    const ALL: [Action; 7] = [
        Action::Merge,
        Action::Remove,
        Action::Replace,
        Action::Insert,
        Action::Append,
        Action::Assert,
        Action::Noop,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Action::Merge => "overlay/merge",
            Action::Remove => "overlay/remove",
            Action::Replace => REPLACE,
            Action::Insert => INSERT,
            Action::Append => "overlay/append",
            Action::Assert => ASSERT,
            Action::Noop => "overlay/noop",
        }
    }

    /// The action of a node: at most one may be named.
    pub(super) fn of(meta: &Meta) -> Result<Action, Fault> {
        let annotations = meta.annotations();
        if annotations.is_empty() {
            return Ok(Action::Merge);
        }
        let mut named = Action::ALL.into_iter().filter(|action| annotations.has(action.name()));
        match (named.next(), named.next()) {
            (None, _) => Ok(Action::Merge),
            (Some(action), None) => Ok(action),
            (Some(_), Some(second)) => {
                let fault = Fault::known(Problem::Annotation, Fact::SeveralOperations);
                Err(fault.by(annotations.get(second.name())))
            }
        }
    }
}

/// Which nodes a node of an overlay is meant for.
#[derive(Debug, Clone, Default)]
pub(super) struct Match {
    pub(super) by: Option<starlark::Value>,
    pub(super) expectation: Expectation,
    /// Whether there is an annotation at all.
    pub(super) presence: Presence,
}

/// Whether a node has an `overlay/match` annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Presence {
    #[default]
    Absent,
    WithoutArguments,
    WithArguments,
}

impl Match {
    /// Reads the annotation. What it leaves open about the number of matches comes from the parents' defaults.
    pub(super) fn of(meta: &Meta, defaults: &Expectation) -> Result<Match, Fault> {
        let mut result = Match::default();
        if let Some(annotation) = meta.annotations().get(MATCH) {
            result.presence = match annotation.kwargs.is_empty() {
                true => Presence::WithoutArguments,
                false => Presence::WithArguments,
            };
            for (name, value) in &annotation.kwargs {
                if &**name == "by" {
                    result.by = Some(value.clone());
                } else if !result.expectation.set(name, value) {
                    return Err(unknown(MATCH, name, annotation));
                }
            }
        }
        result.expectation.fill_in(defaults);
        Ok(result)
    }

    pub(super) fn without_arguments(annotations: &Annotations) -> Fault {
        let fact = Fact::NoArguments { annotation: MATCH, arguments: "by=..., expects=..." };
        Fault::known(Problem::Annotation, fact).by(annotations.get(MATCH))
    }
}

/// What a node says about the number of matches of everything inside of it.
pub(super) fn child_defaults(meta: &Meta, parents: &Expectation) -> Result<Expectation, Fault> {
    let mut result = Expectation::default();
    if let Some(annotation) = meta.annotations().get(CHILD_DEFAULTS) {
        for (name, value) in &annotation.kwargs {
            if !result.set(name, value) {
                return Err(unknown(CHILD_DEFAULTS, name, annotation));
            }
        }
    }
    result.fill_in(parents);
    Ok(result)
}

/// The arguments of `overlay/replace`.
#[derive(Debug, Default)]
pub(super) struct Replace {
    pub(super) via: Option<starlark::Value>,
    pub(super) or_add: bool,
}

impl Replace {
    pub(super) fn of(meta: &Meta) -> Result<Replace, Fault> {
        let mut result = Replace::default();
        let Some(annotation) = meta.annotations().get(REPLACE) else { return Ok(result) };
        for (name, value) in &annotation.kwargs {
            match &**name {
                "via" => result.via = Some(function(REPLACE, "via", value, annotation)?),
                "or_add" => result.or_add = boolean(value, annotation)?,
                _ => return Err(unknown(REPLACE, name, annotation)),
            }
        }
        Ok(result)
    }
}

/// The arguments of `overlay/insert`.
#[derive(Debug, Default)]
pub(super) struct Insert {
    pub(super) before: bool,
    pub(super) after: bool,
    pub(super) via: Option<starlark::Value>,
}

impl Insert {
    pub(super) fn of(meta: &Meta) -> Result<Insert, Fault> {
        let mut result = Insert::default();
        let annotation = meta.annotations().get(INSERT);
        let Some(annotation) = annotation.filter(|annotation| !annotation.kwargs.is_empty()) else {
            let fact = Fact::NoArguments { annotation: INSERT, arguments: "before=..., after=..." };
            return Err(Fault::known(Problem::Annotation, fact).by(annotation));
        };
        for (name, value) in &annotation.kwargs {
            match &**name {
                "before" => result.before = boolean(value, annotation)?,
                "after" => result.after = boolean(value, annotation)?,
                "via" => result.via = Some(function(INSERT, "via", value, annotation)?),
                _ => return Err(unknown(INSERT, name, annotation)),
            }
        }
        Ok(result)
    }
}

/// The arguments of `overlay/assert`: the function to ask. Whether it is one is only seen when it is needed.
pub(super) fn assert_via(meta: &Meta) -> Result<Option<starlark::Value>, Fault> {
    let Some(annotation) = meta.annotations().get(ASSERT) else { return Ok(None) };
    let mut via = None;
    for (name, value) in &annotation.kwargs {
        match &**name {
            "via" => via = Some(value.clone()),
            _ => return Err(unknown(ASSERT, name, annotation)),
        }
    }
    Ok(via)
}

/// A function that `overlay/assert` can call.
pub(super) fn assert_function(via: &starlark::Value, meta: &Meta) -> Result<(), Fault> {
    if via.is_callable() {
        Ok(())
    } else {
        Err(not_a_function(ASSERT, "via", via, meta.annotations().get(ASSERT)))
    }
}

fn function(
    annotation_name: &str,
    argument: &str,
    value: &starlark::Value,
    annotation: &Annotation,
) -> Result<starlark::Value, Fault> {
    if value.is_callable() {
        return Ok(value.clone());
    }
    Err(not_a_function(annotation_name, argument, value, Some(annotation)))
}

fn not_a_function(
    annotation_name: &str,
    argument: &str,
    value: &starlark::Value,
    annotation: Option<&Annotation>,
) -> Fault {
    let found = go_type_name(value);
    let text = format!(
        "Expected '{annotation_name}' annotation keyword argument '{argument}' to be function, but was {found}"
    );
    Fault::annotation(text).by(annotation)
}

fn boolean(value: &starlark::Value, annotation: &Annotation) -> Result<bool, Fault> {
    expect_bool(value).map_err(|text| Fault::annotation(text).by(Some(annotation)))
}

fn unknown(annotation_name: &str, argument: &str, annotation: &Annotation) -> Fault {
    let (name, argument) = (annotation_name.to_owned(), argument.to_owned());
    let fact = Fact::UnknownArgument { annotation: name, argument };
    Fault::known(Problem::Annotation, fact).by(Some(annotation))
}

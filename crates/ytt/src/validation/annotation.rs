//! `@schema/validation` and `@assert/validate`: the same arguments, checked.

use trueline_starlark::{BigInt, Thread, Value, View};

use super::check::Check;
use crate::error::Error;
use crate::tree::{Annotation, Position};

/// The rules that an annotation sets for a value.
#[derive(Debug, Clone)]
pub struct Validation {
    pub(super) rules: Vec<Rule>,
    pub(super) when: Option<Value>,
    /// Whether null is checked against the rules at all.
    pub(super) null: NullValues,
    /// Where the annotation is.
    pub position: Position,
}

/// What becomes of null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NullValues {
    Pass,
    Checked,
}

/// One rule.
#[derive(Debug, Clone)]
pub(super) enum Rule {
    /// A function that somebody wrote, with what it wants in words.
    Function { description: String, function: Value },
    /// A rule that has a name.
    Named(Check),
}

impl Validation {
    /// The rules of an annotation with this name.
    ///
    /// # Errors
    /// For arguments that it does not take.
    pub fn from_annotation(
        name: &str,
        annotation: &Annotation,
        thread: &mut Thread,
    ) -> Result<Validation, Error> {
        parse(annotation, thread).map_err(|text| match text {
            Refused::Text(text) => {
                Error::other(format!("Invalid @{name} annotation - {text}")).at(annotation.position.clone())
            }
            Refused::Error(error) => error,
        })
    }

    /// The rules that have a name, for those who export them.
    pub fn named_rules(&self) -> impl Iterator<Item = &Check> {
        self.rules.iter().filter_map(|rule| match rule {
            Rule::Named(check) => Some(check),
            Rule::Function { .. } => None,
        })
    }

    /// Whether the rules only count under a condition.
    pub fn is_conditional(&self) -> bool {
        self.when.is_some()
    }
}

enum Refused {
    Text(String),
    Error(Error),
}

impl From<String> for Refused {
    fn from(text: String) -> Refused {
        Refused::Text(text)
    }
}

impl From<trueline_starlark::Error> for Refused {
    fn from(error: trueline_starlark::Error) -> Refused {
        Refused::Error(error.into())
    }
}

fn parse(annotation: &Annotation, thread: &mut Thread) -> Result<Validation, Refused> {
    let at = &annotation.position;
    if annotation.args.is_empty() && annotation.kwargs.is_empty() {
        let text =
            format!("expected annotation to have 2-tuple as argument(s), but found no arguments (by {at})");
        return Err(text.into());
    }
    let mut rules = Vec::new();
    for argument in &annotation.args {
        rules.push(function_rule(argument, at, thread)?);
    }
    let named = Named::parse(annotation)?;
    rules.extend(named.checks.into_iter().flatten().map(Rule::Named));
    let mut null = NullValues::Pass;
    if named.is_not_null {
        null = NullValues::Checked;
        rules.insert(0, Rule::Named(Check::NotNull));
    }
    Ok(Validation { rules, when: named.when, null, position: at.clone() })
}

/// A rule with a function, written as `("description", function)`.
fn function_rule(argument: &Value, at: &Position, thread: &mut Thread) -> Result<Rule, Refused> {
    let View::Tuple(tuple) = argument.view() else {
        let found = thread.repr(argument)?;
        let found = String::from_utf8_lossy(&found);
        let text =
            format!("expected annotation to have 2-tuple as argument(s), but found: {found} (by {at})");
        return Err(text.into());
    };
    let [description, function] = tuple else {
        let length = tuple.len();
        return Err(format!("expected 2-tuple, but found tuple with length {length} (by {at})").into());
    };
    let Some(words) = description.as_bytes() else {
        let found = description.type_name();
        return Err(format!(
            "expected first item in the 2-tuple to be a string describing a valid value, but was {found} (at {at})"
        )
        .into());
    };
    let description = String::from_utf8_lossy(words).into_owned();
    let function = if function.is_callable() { function.clone() } else { check_of(function, at, thread)? };
    Ok(Rule::Function { description, function })
}

/// The function `check` of an assertion.
fn check_of(value: &Value, at: &Position, thread: &mut Thread) -> Result<Value, Refused> {
    let found = value.type_name();
    if matches!(
        value.view(),
        View::None
            | View::Bool(_)
            | View::Int(_)
            | View::BigInt(_)
            | View::Float(_)
            | View::Tuple(_)
            | View::Range(_)
    ) {
        return Err(format!(
            "expected second item in the 2-tuple to be an assertion function, but was {found} (at {at})"
        )
        .into());
    }
    match thread.attr(value, "check") {
        Ok(function) if function.is_callable() => Ok(function),
        Ok(other) => {
            let other = other.type_name();
            Err(format!("expected struct with attribute check(), but was {other} (at {at})").into())
        }
        Err(_) => Err(format!(
            "expected second item in tuple to be an assertion function or assertion object, but was a {found} \
             (at {at})"
        )
        .into()),
    }
}

/// Keyword arguments.
#[derive(Default)]
struct Named {
    when: Option<Value>,
    is_not_null: bool,
    /// In the order in which rules run, whatever the order in which they were written.
    checks: [Option<Check>; 6],
}

impl Named {
    fn parse(annotation: &Annotation) -> Result<Named, String> {
        let at = &annotation.position;
        let mut named = Named::default();
        for (name, value) in &annotation.kwargs {
            let value = value.clone();
            let found = value.type_name().to_owned();
            let wrong = |wanted: &str| {
                Err(format!(
                    "expected keyword argument \"{name}\" to be a {wanted}, but was {found} (at {at})"
                ))
            };
            match &**name {
                "when" if value.is_callable() => named.when = Some(value),
                "when" => return wrong("function"),
                "min_len" | "max_len" => {
                    let Some(length) = as_integer(&value) else { return wrong("number") };
                    if **name == *"min_len" {
                        named.checks[0] = Some(Check::MinLen(length));
                    } else {
                        named.checks[1] = Some(Check::MaxLen(length));
                    }
                }
                "min" => named.checks[2] = Some(Check::Min(value)),
                "max" => named.checks[3] = Some(Check::Max(value)),
                "not_null" => match value.as_bool() {
                    Some(value) => named.is_not_null = value,
                    None => return wrong("boolean"),
                },
                "one_not_null" => {
                    named.checks[4] = Some(Check::OneNotNull(match value.as_bool() {
                        Some(true) => None,
                        Some(false) => return Err("one_not_null= cannot be False".to_owned()),
                        None if is_sequence(&value) => Some(value),
                        None => {
                            return Err(format!("expected True or a sequence of keys, but was a '{found}'"));
                        }
                    }));
                }
                "one_of" if is_sequence(&value) => named.checks[5] = Some(Check::OneOf(value)),
                "one_of" => {
                    return Err(format!(
                        "expected keyword argument one_of to be a sequence, but was {found}"
                    ));
                }
                _ => return Err(format!("unknown keyword argument {} (at {at})", quoted(name))),
            }
        }
        Ok(named)
    }
}

fn quoted(name: &str) -> String {
    trueline_starlark::quote(name.as_bytes())
}

/// A number as an integer, floats without what comes after the point.
pub(crate) fn as_integer(value: &Value) -> Option<Value> {
    match value.view() {
        View::Int(_) | View::BigInt(_) => Some(value.clone()),
        View::Float(float) if float.is_finite() => {
            let digits = format!("{:.0}", float.trunc());
            Some(Value::big(digits.parse::<BigInt>().ok()?))
        }
        _ => None,
    }
}

/// Whether it has a length and elements. Strings have none.
pub(crate) fn is_sequence(value: &Value) -> bool {
    match value.view() {
        View::List(_) | View::Tuple(_) | View::Dict(_) | View::Set(_) | View::Range(_) => true,
        View::Custom(custom) => custom.len().is_some(),
        _ => false,
    }
}

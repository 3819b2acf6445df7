//! The keyword arguments of annotations with rules.

use trueline_starlark::{BigInt, Thread, Value, View};

use super::annotation::{Refused, Rule, Test, as_integer, is_sequence};
use super::check::{Check, Pattern};
use super::format::Format;
use crate::error::RuleFault;
use crate::tree::Annotation;

/// What keyword arguments say.
pub(super) struct Named {
    pub(super) when: Option<Value>,
    /// In the order in which rules run, whatever the order in which they were written.
    pub(super) rules: Vec<Rule>,
}

/// The names of rules, in the order in which they run.
pub const NAMED_RULES: [&str; 16] = [
    "not_null",
    "min_len",
    "max_len",
    "min",
    "max",
    "one_not_null",
    "one_of",
    "len",
    "starts_with",
    "ends_with",
    "contains",
    "matches",
    "format",
    "even",
    "odd",
    "multiple_of",
];

pub(super) fn parse(annotation: &Annotation, thread: &mut Thread) -> Result<Named, Refused> {
    let mut when = None;
    let mut rules: Vec<(usize, Option<Rule>)> = Vec::new();
    for (name, value) in &annotation.kwargs {
        if **name == *"when" {
            if !value.is_callable() {
                return Err(wrong(name, "function", value).into());
            }
            when = Some(value.clone());
            continue;
        }
        let Some(place) = NAMED_RULES.iter().position(|known| **known == **name) else {
            return Err(RuleFault::UnknownName { name: name.to_string() }.into());
        };
        rules.push((place, rule(name, value, thread)?));
    }
    rules.sort_by_key(|(place, _)| *place);
    Ok(Named { when, rules: rules.into_iter().filter_map(|(_, rule)| rule).collect() })
}

/// The rule of a keyword argument; none if the argument turns it off.
fn rule(name: &str, value: &Value, thread: &mut Thread) -> Result<Option<Rule>, Refused> {
    let (description, argument) = match described(name, value) {
        Some((description, argument)) => (Some(description), argument),
        None => (None, value.clone()),
    };
    let check = match name {
        "not_null" => match argument.as_bool() {
            Some(true) => Check::NotNull,
            Some(false) => return Ok(None),
            None => return Err(wrong(name, "boolean", &argument).into()),
        },
        "even" | "odd" => match argument.as_bool() {
            Some(true) if name == "even" => Check::Even,
            Some(true) => Check::Odd,
            Some(false) => return Err(unplaced(format!("{name}= cannot be False"))),
            None => return Err(wrong(name, "boolean", &argument).into()),
        },
        "one_not_null" => Check::OneNotNull(match argument.as_bool() {
            Some(true) => None,
            Some(false) => return Err(unplaced("one_not_null= cannot be False".to_owned())),
            None if is_sequence(&argument) => Some(argument),
            None => {
                let found = argument.type_name();
                return Err(unplaced(format!("expected True or a sequence of keys, but was a '{found}'")));
            }
        }),
        "one_of" if is_sequence(&argument) => Check::OneOf(argument),
        "one_of" => {
            let found = argument.type_name();
            return Err(unplaced(format!(
                "expected keyword argument one_of to be a sequence, but was {found}"
            )));
        }
        "min_len" | "max_len" | "len" => {
            let Some(length) = as_integer(&argument) else {
                return Err(wrong(name, "number", &argument).into());
            };
            match name {
                "min_len" => Check::MinLen(length),
                "max_len" => Check::MaxLen(length),
                _ => Check::Len(length),
            }
        }
        "multiple_of" => match multiple(&argument) {
            Some(factor) => Check::MultipleOf(factor),
            None => {
                return Err(Refused::other(format!(
                    "expected keyword argument \"{name}\" to be an integer above zero"
                )));
            }
        },
        "min" => Check::Min(argument),
        "max" => Check::Max(argument),
        "contains" => Check::Contains(argument),
        _ => {
            let Some(text) = argument.as_bytes() else {
                return Err(wrong(name, "string", &argument).into());
            };
            match name {
                "starts_with" => Check::StartsWith(argument),
                "ends_with" => Check::EndsWith(argument),
                "matches" => Check::Matches(Pattern::new(text, thread)?.map_err(|error| {
                    Refused::other(format!(
                        "expected keyword argument \"matches\" to be a regular expression, but {error}"
                    ))
                })?),
                _ => {
                    let text = String::from_utf8_lossy(text);
                    match Format::of(&text) {
                        Some(format) => Check::Format(format),
                        None => return Err(RuleFault::UnknownFormat { name: text.into_owned() }.into()),
                    }
                }
            }
        }
    };
    let for_arrays = match (&check, &description) {
        (Check::Min(_), Some(_)) => Some(Check::Min(value.clone())),
        (Check::Max(_), Some(_)) => Some(Check::Max(value.clone())),
        _ => None,
    };
    Ok(Some(Rule { description, test: Test::Named(check), for_arrays }))
}

/// An argument that is written as `("description", value)`.
fn described(name: &str, value: &Value) -> Option<(String, Value)> {
    let View::Tuple([description, argument]) = value.view() else { return None };
    let description = String::from_utf8_lossy(description.as_bytes()?).into_owned();
    let fits = match name {
        // A tuple of two strings is a sequence of two values.
        "one_of" => is_sequence(argument),
        "one_not_null" => is_sequence(argument) || argument.as_bool().is_some(),
        "not_null" => argument.as_bool().is_some(),
        "min_len" | "max_len" => as_integer(argument).is_some(),
        _ => true,
    };
    fits.then(|| (description, argument.clone()))
}

fn wrong(name: &str, wanted: &'static str, value: &Value) -> RuleFault {
    RuleFault::WrongType { name: name.to_owned(), wanted, found: value.type_name().to_owned() }
}

fn unplaced(words: String) -> Refused {
    RuleFault::Unplaced { words }.into()
}

/// What values can be multiples of: integers above zero, also written as floats.
pub(crate) fn multiple(value: &Value) -> Option<Value> {
    let is_whole = match value.view() {
        View::Int(factor) => factor > 0,
        View::BigInt(factor) => *factor > BigInt::from(0),
        View::Float(factor) => factor > 0.0 && factor.fract() == 0.0,
        _ => false,
    };
    if is_whole { as_integer(value) } else { None }
}

//! Which nodes an overlay's node is meant for.

use std::cell::OnceCell;

use trueline_starlark as starlark;

use super::annotations::MATCH;
use super::calls::{Caller, expect_bool, go_type_name};
use super::compare::{Unkeyed, contains, same_by_key};
use super::fault::{Fault, Problem};
use crate::modules::overlay::{Matcher, MatcherTarget};
use crate::tree::{Meta, Text, Value};
use crate::value::Content;

/// A `by=` that is ready to be asked about many nodes. The functions of the overlay module are not called: what they do
/// is done here, without turning nodes into values of Starlark.
pub(super) enum Ready {
    All,
    Index(i64),
    MapKey(Text),
    Subset(Value),
    And(Vec<Ready>),
    Or(Vec<Ready>),
    Not(Box<Ready>),
    Function(starlark::Value),
}

/// What the first argument of a matcher is: an index, or the key of a map item.
#[derive(Clone, Copy)]
pub(super) enum Which<'a> {
    Index(usize),
    Key(&'a Value),
}

/// What a matcher is asked about.
pub(super) struct Question<'a> {
    pub(super) which: Which<'a>,
    pub(super) left: &'a Value,
    /// Of the node that holds the left value.
    pub(super) meta: &'a Meta,
    pub(super) right: &'a Value,
    /// The right value for functions, made once for all nodes.
    pub(super) right_argument: &'a OnceCell<starlark::Value>,
}

impl Ready {
    /// Prepares a `by=` that may name a key instead of a function.
    pub(super) fn key_or_function(by: &starlark::Value, caller: &mut Caller<'_>) -> Result<Ready, Fault> {
        if let Some(bytes) = by.as_bytes() {
            return Ok(Ready::MapKey(Text::from(bytes)));
        }
        Ready::function(by, "either string (for map key) or function", caller)
    }

    /// Prepares a `by=` that has to be a function.
    pub(super) fn function(
        by: &starlark::Value,
        wanted: &str,
        caller: &mut Caller<'_>,
    ) -> Result<Ready, Fault> {
        if !by.is_callable() {
            let found = go_type_name(by);
            let text = format!(
                "Expected '{MATCH}' annotation keyword argument 'by' to be {wanted}, but was {found}"
            );
            return Err(Fault::annotation(text));
        }
        Ready::of(by, caller)
    }

    fn of(by: &starlark::Value, caller: &mut Caller<'_>) -> Result<Ready, Fault> {
        let Some(matcher) = by.as_custom::<Matcher>() else { return Ok(Ready::Function(by.clone())) };
        let all_of = |values: &[starlark::Value], caller: &mut Caller<'_>| {
            values.iter().map(|value| Ready::of(value, caller)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match matcher.kind() {
            MatcherTarget::All => Ready::All,
            MatcherTarget::Index(index) => Ready::Index(*index),
            MatcherTarget::MapKey(key) => Ready::MapKey(key.clone()),
            MatcherTarget::Subset(expected) => match caller.result(expected) {
                Ok((Content::Value(value), _)) => Ready::Subset(value),
                // What cannot be compared is reported when there is something to compare it with.
                Ok((Content::Documents(_), _)) | Err(_) => Ready::Function(by.clone()),
            },
            MatcherTarget::And(values) => Ready::And(all_of(values, caller)?),
            MatcherTarget::Or(values) => Ready::Or(all_of(values, caller)?),
            MatcherTarget::Not(value) => Ready::Not(Box::new(Ready::of(value, caller)?)),
        })
    }

    /// Whether a node is meant.
    pub(super) fn matches(&self, question: &Question<'_>, caller: &mut Caller<'_>) -> Result<bool, Fault> {
        caller.charge(1)?;
        match self {
            Ready::All => Ok(true),
            Ready::Index(expected) => match question.which {
                Which::Index(index) => Ok(usize::try_from(*expected) == Ok(index)),
                Which::Key(Value::Int(key)) => Ok(key == expected),
                Which::Key(Value::UInt(_)) => Err(failed("overlay.index_matcher: expected int64 value")),
                Which::Key(_) => Err(failed("overlay.index_matcher: expected starlark.Int")),
            },
            Ready::MapKey(key) => {
                caller.charge_lookup(question.left)?;
                same_by_key(key.as_bytes(), question.left, question.right).map_err(|unkeyed| {
                    let mut fault = failed(format!("overlay.map_key_matcher: {unkeyed}"));
                    if let Unkeyed::Missing(fact) = unkeyed {
                        fault.fact = Some(fact);
                    }
                    fault
                })
            }
            Ready::Subset(expected) => {
                caller.charge_lookup(question.left)?;
                Ok(contains(question.left, expected).is_ok())
            }
            Ready::And(parts) => {
                for part in parts {
                    if !part.matches(question, caller).map_err(|fault| prefixed("overlay.and_op", fault))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Ready::Or(parts) => {
                for part in parts {
                    if part.matches(question, caller).map_err(|fault| prefixed("overlay.or_op", fault))? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            // Its errors carry the name of the other operator, as in the original.
            Ready::Not(part) => {
                let result =
                    part.matches(question, caller).map_err(|fault| prefixed("overlay.or_op", fault))?;
                Ok(!result)
            }
            Ready::Function(function) => {
                let first = match question.which {
                    Which::Index(index) => starlark::Value::size(index),
                    Which::Key(key) => caller.argument(key, None)?,
                };
                let left = caller.argument(question.left, Some(question.meta))?;
                let right = match question.right_argument.get() {
                    Some(right) => right.clone(),
                    None => {
                        let right = caller.argument(question.right, None)?;
                        question.right_argument.get_or_init(|| right).clone()
                    }
                };
                let result = caller.call(function, &[first, left, right])?;
                expect_bool(&result).map_err(failed)
            }
        }
    }
}

fn failed(text: impl Into<String>) -> Fault {
    Fault::new(Problem::Function, text)
}

fn prefixed(prefix: &str, mut fault: Fault) -> Fault {
    fault.text = format!("{prefix}: {}", fault.text);
    fault
}

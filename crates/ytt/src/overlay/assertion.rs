//! `overlay/assert`: whether a matched node is as expected.

use starlark::View;
use trueline_starlark as starlark;

use super::annotations::assert_function;
use super::calls::Caller;
use super::compare::contains;
use super::fault::{Fault, Problem};
use super::item::Item;
use crate::error::Fact;
use crate::tree::{Array, Value};
use crate::value::Content;

/// Checks one matched node, with a function or by comparing it with the overlay's node.
pub(super) fn check<N: Item>(
    left: &N,
    new: &N,
    via: Option<&starlark::Value>,
    caller: &mut Caller<'_>,
) -> Result<(), Fault> {
    let Some(via) = via else {
        return contains(left.value(), new.value())
            .map_err(|difference| known(Fact::NotEqual { difference: difference.to_string() }));
    };
    assert_function(via, new.meta())?;
    let arguments =
        [caller.argument(left.value(), Some(left.meta()))?, caller.argument(new.value(), Some(new.meta()))?];
    let result = caller.call(via, &arguments)?;
    judge(&result, caller)
}

fn judge(result: &starlark::Value, caller: &mut Caller<'_>) -> Result<(), Fault> {
    match result.view() {
        // A function that did not fail has nothing against it.
        View::None | View::Bool(true) => Ok(()),
        View::Bool(false) => Err(known(Fact::Refused { message: None })),
        _ => match verdict(&caller.result(result)?.0) {
            Some(Ok(())) => Ok(()),
            Some(Err(message)) => Err(known(Fact::Refused { message: Some(message) })),
            None => Err(refused(
                "Expected via invocation to return NoneType, Bool or Tuple(Bool,String), but returned neither of those",
            )),
        },
    }
}

/// What `(bool, message)` says.
fn verdict(content: &Content) -> Option<Result<(), String>> {
    let Content::Value(Value::Array(array)) = content else { return None };
    let Array { items, .. } = &**array;
    match items.as_slice() {
        [holds, message] => match (&holds.value, &message.value) {
            (Value::Bool(true), Value::String(_)) => Some(Ok(())),
            (Value::Bool(false), Value::String(message)) => Some(Err(message.to_str_lossy().into_owned())),
            _ => None,
        },
        _ => None,
    }
}

fn known(fact: Fact) -> Fault {
    Fault::known(Problem::Assertion, fact)
}

fn refused(text: impl Into<String>) -> Fault {
    Fault::new(Problem::Assertion, text)
}

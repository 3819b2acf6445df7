//! Go's own functions. `and`, `or` and `call` are not here but in the evaluator: the first two do not look
//! at all of their arguments, and the last one names its argument as it was written.

mod compare;
mod escape;
mod index;

use crate::{Context, Error, Function, Type, Value, Variadic, fmt};

const VALUE: &[Type] = &[Type::Reflect];
const VALUES: &[Type] = &[Type::Reflect, Type::Reflect];
const ANY: &[Type] = &[Type::Any];

/// All of them.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function {
        name: "and",
        parameters: VALUES,
        variadic: Variadic::Yes,
        call: last,
        usage: "VALUE...",
        doc: "The first of the values that is empty, or the last one; those after it are not evaluated.",
    },
    Function {
        name: "call",
        parameters: VALUES,
        variadic: Variadic::Yes,
        call: last,
        usage: "FUNCTION ARGUMENT...",
        doc: "What a function that is held as a value gives for the arguments.",
    },
    Function {
        name: "eq",
        parameters: VALUES,
        variadic: Variadic::Yes,
        call: compare::eq,
        usage: "LEFT RIGHT...",
        doc: "Whether the first value equals one of the others.",
    },
    Function {
        name: "ge",
        parameters: VALUES,
        variadic: Variadic::No,
        call: compare::ge,
        usage: "LEFT RIGHT",
        doc: "Whether the first value is not less than the second.",
    },
    Function {
        name: "gt",
        parameters: VALUES,
        variadic: Variadic::No,
        call: compare::gt,
        usage: "LEFT RIGHT",
        doc: "Whether the first value is greater than the second.",
    },
    Function {
        name: "html",
        parameters: ANY,
        variadic: Variadic::Yes,
        call: escape::html,
        usage: "VALUE...",
        doc: "The text of the values with HTML's special characters escaped.",
    },
    Function {
        name: "index",
        parameters: VALUES,
        variadic: Variadic::Yes,
        call: index::index,
        usage: "COLLECTION KEY...",
        doc: "The item of a list or a map; further keys look into that item.",
    },
    Function {
        name: "js",
        parameters: ANY,
        variadic: Variadic::Yes,
        call: escape::js,
        usage: "VALUE...",
        doc: "The text of the values, escaped for a string of JavaScript.",
    },
    Function {
        name: "le",
        parameters: VALUES,
        variadic: Variadic::No,
        call: compare::le,
        usage: "LEFT RIGHT",
        doc: "Whether the first value is not greater than the second.",
    },
    Function {
        name: "len",
        parameters: VALUE,
        variadic: Variadic::No,
        call: index::length,
        usage: "VALUE",
        doc: "The number of items of a list or a map, or of bytes of a text.",
    },
    Function {
        name: "lt",
        parameters: VALUES,
        variadic: Variadic::No,
        call: compare::lt,
        usage: "LEFT RIGHT",
        doc: "Whether the first value is less than the second.",
    },
    Function {
        name: "ne",
        parameters: VALUES,
        variadic: Variadic::No,
        call: compare::ne,
        usage: "LEFT RIGHT",
        doc: "Whether the values differ.",
    },
    Function {
        name: "not",
        parameters: VALUE,
        variadic: Variadic::No,
        call: |_, arguments| Ok(Value::from(!arguments.first().is_some_and(Value::is_true))),
        usage: "VALUE",
        doc: "Whether the value is empty: false, zero, nil, or a text, list or map without content.",
    },
    Function {
        name: "or",
        parameters: VALUES,
        variadic: Variadic::Yes,
        call: last,
        usage: "VALUE...",
        doc: "The first of the values that is not empty, or the last one; those after it are not evaluated.",
    },
    Function {
        name: "print",
        parameters: ANY,
        variadic: Variadic::Yes,
        call: |context, arguments| spent(context, fmt::sprint(arguments)),
        usage: "VALUE...",
        doc: "The text of the values, with a space between two that are both no text.",
    },
    Function {
        name: "printf",
        parameters: &[Type::String, Type::Any],
        variadic: Variadic::Yes,
        call: printf,
        usage: "FORMAT VALUE...",
        doc: "The text of the values as the format says, in Go's notation.",
    },
    Function {
        name: "println",
        parameters: ANY,
        variadic: Variadic::Yes,
        call: |context, arguments| spent(context, fmt::sprintln(arguments)),
        usage: "VALUE...",
        doc: "The text of the values with spaces between them and a line break after them.",
    },
    Function {
        name: "slice",
        parameters: VALUES,
        variadic: Variadic::Yes,
        call: index::slice,
        usage: "VALUE FIRST END",
        doc: "A part of a list or a text: from the first index up to the one before the second.",
    },
    Function {
        name: "urlquery",
        parameters: ANY,
        variadic: Variadic::Yes,
        call: escape::urlquery,
        usage: "VALUE...",
        doc: "The text of the values, escaped for the query of a URL.",
    },
];

/// What `and`, `or` and `call` are for those who call them by themselves.
fn last(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(arguments.last().cloned().unwrap_or_default())
}

fn printf(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    match arguments.split_first() {
        Some((Value { data: crate::Data::String(format), .. }, rest)) => {
            spent(context, fmt::sprintf(format, rest))
        }
        _ => Err(Error::new("printf needs a format")),
    }
}

/// The text, once the run has paid for its length.
fn spent(context: &mut dyn Context, text: crate::Str) -> Result<Value, Error> {
    context.spend(text.len() as u64 / 8)?;
    Ok(Value::from(text))
}

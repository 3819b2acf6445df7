//! Go's own functions. `and`, `or` and `call` are not here but in the evaluator: the first two do not evaluate
//! all of their arguments, and the last one reports its argument as written.

mod compare;
mod escape;
mod index;

use crate::{Context, Error, Function, Type, Uses, Value, Variadic, fmt};

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
        doc: "The first empty value, or the last one; those after it are not evaluated.",
        uses: Uses::Decides,
    },
    Function {
        name: "call",
        parameters: VALUES,
        variadic: Variadic::Yes,
        call: last,
        usage: "FUNCTION ARGUMENT...",
        doc: "The result of calling a function that is stored in a value.",
        uses: Uses::All,
    },
    Function {
        name: "eq",
        parameters: VALUES,
        variadic: Variadic::Yes,
        call: compare::eq,
        usage: "LEFT RIGHT...",
        doc: "Whether the first value equals one of the others.",
        uses: Uses::Asked,
    },
    Function {
        name: "ge",
        parameters: VALUES,
        variadic: Variadic::No,
        call: compare::ge,
        usage: "LEFT RIGHT",
        doc: "Whether the first value is not less than the second.",
        uses: Uses::Asked,
    },
    Function {
        name: "gt",
        parameters: VALUES,
        variadic: Variadic::No,
        call: compare::gt,
        usage: "LEFT RIGHT",
        doc: "Whether the first value is greater than the second.",
        uses: Uses::Asked,
    },
    Function {
        name: "html",
        parameters: ANY,
        variadic: Variadic::Yes,
        call: escape::html,
        usage: "VALUE...",
        doc: "The values as a string with HTML's special characters escaped.",
        uses: Uses::All,
    },
    Function {
        name: "index",
        parameters: VALUES,
        variadic: Variadic::Yes,
        call: index::index,
        usage: "COLLECTION KEY...",
        doc: "The item of a list or a map; further keys look into that item.",
        uses: Uses::Index,
    },
    Function {
        name: "js",
        parameters: ANY,
        variadic: Variadic::Yes,
        call: escape::js,
        usage: "VALUE...",
        doc: "The values as a string, escaped for a JavaScript string.",
        uses: Uses::All,
    },
    Function {
        name: "le",
        parameters: VALUES,
        variadic: Variadic::No,
        call: compare::le,
        usage: "LEFT RIGHT",
        doc: "Whether the first value is not greater than the second.",
        uses: Uses::Asked,
    },
    Function {
        name: "len",
        parameters: VALUE,
        variadic: Variadic::No,
        call: index::length,
        usage: "VALUE",
        doc: "The number of items of a list or a map, or of bytes of a string.",
        uses: Uses::Asked,
    },
    Function {
        name: "lt",
        parameters: VALUES,
        variadic: Variadic::No,
        call: compare::lt,
        usage: "LEFT RIGHT",
        doc: "Whether the first value is less than the second.",
        uses: Uses::Asked,
    },
    Function {
        name: "ne",
        parameters: VALUES,
        variadic: Variadic::No,
        call: compare::ne,
        usage: "LEFT RIGHT",
        doc: "Whether the values differ.",
        uses: Uses::Asked,
    },
    Function {
        name: "not",
        parameters: VALUE,
        variadic: Variadic::No,
        call: |_, arguments| Ok(Value::from(!arguments.first().is_some_and(Value::is_true))),
        usage: "VALUE",
        doc: "Whether the value is empty: false, zero, nil, or an empty string, list or map.",
        uses: Uses::Asked,
    },
    Function {
        name: "or",
        parameters: VALUES,
        variadic: Variadic::Yes,
        call: last,
        usage: "VALUE...",
        doc: "The first non-empty value, or the last one; those after it are not evaluated.",
        uses: Uses::Decides,
    },
    Function {
        name: "print",
        parameters: ANY,
        variadic: Variadic::Yes,
        call: |context, arguments| spent(context, fmt::sprint(arguments)),
        usage: "VALUE...",
        doc: "The values as a string, with a space between two values if neither is a string.",
        uses: Uses::Joined,
    },
    Function {
        name: "printf",
        parameters: &[Type::String, Type::Any],
        variadic: Variadic::Yes,
        call: printf,
        usage: "FORMAT VALUE...",
        doc: "The values formatted by a Go format string.",
        uses: Uses::Formatted,
    },
    Function {
        name: "println",
        parameters: ANY,
        variadic: Variadic::Yes,
        call: |context, arguments| spent(context, fmt::sprintln(arguments)),
        usage: "VALUE...",
        doc: "The values as a string, with spaces between them and a line break after them.",
        uses: Uses::All,
    },
    Function {
        name: "slice",
        parameters: VALUES,
        variadic: Variadic::Yes,
        call: index::slice,
        usage: "VALUE FIRST END",
        doc: "A part of a list or a string: from the first index up to, but not including, the second.",
        uses: Uses::Items,
    },
    Function {
        name: "urlquery",
        parameters: ANY,
        variadic: Variadic::Yes,
        call: escape::urlquery,
        usage: "VALUE...",
        doc: "The values as a string, escaped for the query of a URL.",
        uses: Uses::All,
    },
];

/// The functions for `and`, `or` and `call` when they are not called directly.
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

/// The string, after its length was charged.
fn spent(context: &mut dyn Context, text: crate::Str) -> Result<Value, Error> {
    context.spend(text.len() as u64 / 8)?;
    Ok(Value::from(text))
}

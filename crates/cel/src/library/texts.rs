//! Sizes, and what can be asked of strings.

use trueline_regexp::Matcher;

use crate::function::{Actual, Cost, Estimate, Fault, Function, Overload, STRING_TRAVERSAL, Size, by_factor};
use crate::library::operators::unsupported;
use crate::library::standard::{MATCHES, declare, known_size};
use crate::types::Type;
use crate::value::Value;

pub(super) fn functions() -> Vec<Function> {
    let list = || Type::list(Type::Param("A"));
    let map = || Type::map(Type::Param("A"), Type::Param("B"));
    let strings = || vec![Type::String, Type::String];
    vec![
        Function::with_singleton(
            "size",
            vec![
                declare("size_bytes", &[Type::Bytes], Type::Int),
                Overload::declare_member("bytes_size", vec![Type::Bytes], Type::Int),
                declare("size_list", &[list()], Type::Int),
                Overload::declare_member("list_size", vec![list()], Type::Int),
                declare("size_map", &[map()], Type::Int),
                Overload::declare_member("map_size", vec![map()], Type::Int),
                declare("size_string", &[Type::String], Type::Int),
                Overload::declare_member("string_size", vec![Type::String], Type::Int),
            ],
            size,
        ),
        Function::with_singleton(
            "contains",
            vec![Overload::declare_member("contains_string", strings(), Type::Bool).costing(CONTAINS)],
            |args| ask(args, |text, part| text.contains(part)),
        ),
        Function::with_singleton(
            "endsWith",
            vec![Overload::declare_member("ends_with_string", strings(), Type::Bool).costing(END)],
            |args| ask(args, |text, part| text.ends_with(part)),
        ),
        Function::with_singleton(
            "startsWith",
            vec![Overload::declare_member("starts_with_string", strings(), Type::Bool).costing(END)],
            |args| ask(args, |text, part| text.starts_with(part)),
        ),
        Function::with_singleton(
            "matches",
            vec![
                declare("matches", &[Type::String, Type::String], Type::Bool),
                Overload::declare_member("matches_string", strings(), Type::Bool).costing(MATCHES),
            ],
            matches,
        )
        .with_pattern(1),
    ]
}

/// The cost of comparing one end of a string. What is counted when it runs is the string, but what is estimated is the
/// argument.
const END: Cost = Cost {
    actual: Actual::ByArguments(|args| by_factor(args.first().map_or(1, Value::cost_size), STRING_TRAVERSAL)),
    estimate: |call| {
        Estimate::cost(known_size(call.args.first().and_then(|arg| arg.size)).by_factor(STRING_TRAVERSAL))
    },
};

const CONTAINS: Cost = Cost {
    actual: Actual::ByArguments(|args| {
        args.iter()
            .fold(1_u64, |product, arg| product.saturating_mul(by_factor(arg.cost_size(), STRING_TRAVERSAL)))
    }),
    estimate: |call| {
        let sizes = call.target.iter().chain(&call.args);
        Estimate::cost(sizes.fold(Size::fixed(1), |product, arg| {
            product.times(known_size(arg.size).by_factor(STRING_TRAVERSAL))
        }))
    },
};

fn size(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [value @ (Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_))] => {
            let size = value.size().unwrap_or_default();
            Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
        }
        [value, ..] => Err(unsupported("size", value)),
        [] => Err(Fault::no_such_overload()),
    }
}

fn ask(args: &[Value], holds: fn(&str, &str) -> bool) -> Result<Value, Fault> {
    match args {
        [Value::String(text), Value::String(part)] => Ok(Value::Bool(holds(text, part))),
        _ => Err(Fault::no_such_overload()),
    }
}

fn matches(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::String(text), Value::String(pattern)] => {
            let matcher = Matcher::shared(pattern.as_bytes()).map_err(Fault::new)?;
            is_match(&matcher, text)
        }
        [Value::String(_), _] | [] => Err(Fault::no_such_overload()),
        [operand, ..] => Err(unsupported("matches", operand)),
    }
}

/// Whether a pattern that is ready matches a string.
pub(crate) fn is_match(matcher: &Matcher, text: &str) -> Result<Value, Fault> {
    matcher.is_match(text).map(Value::Bool).ok_or_else(|| Fault::new("the regular expression is too large"))
}

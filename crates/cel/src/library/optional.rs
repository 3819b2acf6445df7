//! Optionals: values that may be missing.

use crate::function::{Fault, Function, Overload};
use crate::library::standard::declare;
use crate::syntax::names;
use crate::types::Type;
use crate::value::Value;

/// The functions of optionals. `or` and `orValue` evaluate their argument only where it is needed, so programs do that
/// themselves, as they do with `a.?b` and `a[?b]`.
pub fn functions() -> Vec<Function> {
    let value = || Type::Param("V");
    let optional = || Type::optional(value());
    let list = || Type::list(value());
    let map = || Type::map(Type::Param("K"), value());
    let key = || Type::Param("K");
    vec![
        Function::new("optional.of", vec![Overload::global("optional_of", vec![value()], optional(), of)]),
        Function::new(
            "optional.ofNonZeroValue",
            vec![Overload::global("optional_ofNonZeroValue", vec![value()], optional(), of_non_zero)],
        ),
        Function::new(
            "optional.none",
            vec![Overload::global("optional_none", vec![], optional(), |_| Ok(Value::none()))],
        ),
        Function::new("value", vec![Overload::member("optional_value", vec![optional()], value(), held)]),
        Function::new(
            "hasValue",
            vec![Overload::member("optional_hasValue", vec![optional()], Type::Bool, holds)],
        ),
        Function::new(
            "or",
            vec![Overload::declare_member("optional_or_optional", vec![optional(), optional()], optional())],
        ),
        Function::new(
            "orValue",
            vec![Overload::declare_member("optional_orValue_value", vec![optional(), value()], value())],
        ),
        Function::new(
            names::OPTIONAL_SELECT,
            vec![declare("select_optional_field", &[Type::Dyn, Type::String], optional())],
        ),
        Function::new(
            names::OPTIONAL_INDEX,
            vec![
                declare("list_optindex_optional_int", &[list(), Type::Int], optional()),
                declare(
                    "optional_list_optindex_optional_int",
                    &[Type::optional(list()), Type::Int],
                    optional(),
                ),
                declare("map_optindex_optional_value", &[map(), key()], optional()),
                declare("optional_map_optindex_optional_value", &[Type::optional(map()), key()], optional()),
            ],
        ),
        Function::new(
            names::INDEX,
            vec![
                declare("optional_list_index_int", &[Type::optional(list()), Type::Int], optional()),
                declare("optional_map_index_value", &[Type::optional(map()), key()], optional()),
            ],
        ),
        Function::new("last", vec![Overload::member("list_last", vec![list()], optional(), last)]),
        Function::new("first", vec![Overload::member("list_first", vec![list()], optional(), first)]),
        Function::new(
            "optional.unwrap",
            vec![Overload::global("optional_unwrap", vec![Type::list(optional())], list(), unwrap)],
        ),
        Function::new(
            "unwrapOpt",
            vec![Overload::member("optional_unwrapOpt", vec![Type::list(optional())], list(), unwrap)],
        ),
    ]
}

/// The type that expressions can name.
pub fn types() -> Vec<(&'static str, Type)> {
    vec![("optional_type", Type::optional(Type::Dyn))]
}

fn of(args: &[Value]) -> Result<Value, Fault> {
    args.first().cloned().map(Value::some).ok_or_else(Fault::no_such_overload)
}

fn of_non_zero(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [value] if value.is_zero() => Ok(Value::none()),
        _ => of(args),
    }
}

fn held(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::Optional(Some(value))] => Ok((**value).clone()),
        [Value::Optional(None)] => Err(Fault::new("optional.none() dereference")),
        _ => Err(Fault::no_such_overload()),
    }
}

fn holds(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::Optional(value)] => Ok(Value::Bool(value.is_some())),
        _ => Err(Fault::no_such_overload()),
    }
}

fn first(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::List(list)] => Ok(list.get(0).map_or_else(Value::none, Value::some)),
        _ => Err(Fault::no_such_overload()),
    }
}

fn last(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::List(list)] => {
            let last = list.len().checked_sub(1).and_then(|index| list.get(index));
            Ok(last.map_or_else(Value::none, Value::some))
        }
        _ => Err(Fault::no_such_overload()),
    }
}

fn unwrap(args: &[Value]) -> Result<Value, Fault> {
    let [Value::List(list)] = args else {
        return Err(Fault::no_such_overload());
    };
    let mut values = Vec::new();
    for item in list {
        match item {
            Value::Optional(Some(value)) => values.push((*value).clone()),
            Value::Optional(None) => {}
            other => return Err(Fault::new(format!("value {other} is not optional"))),
        }
    }
    Ok(Value::list(values))
}

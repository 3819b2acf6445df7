//! Operators: arithmetic, comparisons, membership, logic.

use std::cmp::Ordering;

use crate::function::{Actual, Cost, Estimate, Fault, FaultKind, Function, Overload, Run};
use crate::library::standard::{JOINED, JOINED_LISTS, SHORTER, declare, known_size};
use crate::library::time;
use crate::syntax::names;
use crate::types::Type;
use crate::value::{List, Map, Value};

pub(super) fn functions() -> Vec<Function> {
    let a = || Type::Param("A");
    let b = || Type::Param("B");
    let list = || Type::list(a());
    let map = || Type::map(a(), b());
    let bools = [Type::Bool, Type::Bool];
    vec![
        Function::with_singleton(
            names::CONDITIONAL,
            vec![declare("conditional", &[Type::Bool, a(), a()], a())],
            no_override,
        ),
        Function::with_singleton(names::AND, vec![declare("logical_and", &bools, Type::Bool)], no_override),
        Function::with_singleton(names::OR, vec![declare("logical_or", &bools, Type::Bool)], no_override),
        Function::with_singleton(names::NOT, vec![declare("logical_not", &[Type::Bool], Type::Bool)], not),
        Function::new(
            names::NOT_STRICTLY_FALSE,
            vec![declare("not_strictly_false", &[Type::Bool], Type::Bool)],
        ),
        Function::with_singleton(
            names::EQUALS,
            vec![declare("equals", &[a(), a()], Type::Bool).costing(SHORTER)],
            no_override,
        ),
        Function::with_singleton(
            "_!=_",
            vec![declare("not_equals", &[a(), a()], Type::Bool).costing(SHORTER)],
            no_override,
        ),
        Function::with_singleton(
            names::ADD,
            vec![
                declare("add_bytes", &[Type::Bytes, Type::Bytes], Type::Bytes).costing(JOINED),
                declare("add_double", &[Type::Double, Type::Double], Type::Double),
                declare("add_duration_duration", &[Type::Duration, Type::Duration], Type::Duration),
                declare("add_duration_timestamp", &[Type::Duration, Type::Timestamp], Type::Timestamp),
                declare("add_timestamp_duration", &[Type::Timestamp, Type::Duration], Type::Timestamp),
                declare("add_int64", &[Type::Int, Type::Int], Type::Int),
                declare("add_list", &[list(), list()], list()).costing(JOINED_LISTS),
                declare("add_string", &[Type::String, Type::String], Type::String).costing(JOINED),
                declare("add_uint64", &[Type::UInt, Type::UInt], Type::UInt),
            ],
            add,
        ),
        arithmetic("_/_", ["divide_double", "divide_int64", "divide_uint64"], divide),
        Function::with_singleton(
            "_%_",
            vec![
                declare("modulo_int64", &[Type::Int, Type::Int], Type::Int),
                declare("modulo_uint64", &[Type::UInt, Type::UInt], Type::UInt),
            ],
            modulo,
        ),
        arithmetic("_*_", ["multiply_double", "multiply_int64", "multiply_uint64"], multiply),
        Function::with_singleton(
            names::NEGATE,
            vec![
                declare("negate_double", &[Type::Double], Type::Double),
                declare("negate_int64", &[Type::Int], Type::Int),
            ],
            negate,
        ),
        Function::with_singleton(
            "_-_",
            vec![
                declare("subtract_double", &[Type::Double, Type::Double], Type::Double),
                declare("subtract_duration_duration", &[Type::Duration, Type::Duration], Type::Duration),
                declare("subtract_int64", &[Type::Int, Type::Int], Type::Int),
                declare("subtract_timestamp_duration", &[Type::Timestamp, Type::Duration], Type::Timestamp),
                declare("subtract_timestamp_timestamp", &[Type::Timestamp, Type::Timestamp], Type::Duration),
                declare("subtract_uint64", &[Type::UInt, Type::UInt], Type::UInt),
            ],
            subtract,
        ),
        comparison("_<_", LESS, |args| compare("_<_", args, |order| order == Ordering::Less)),
        comparison("_<=_", LESS_EQUALS, |args| compare("_<=_", args, |order| order != Ordering::Greater)),
        comparison("_>_", GREATER, |args| compare("_>_", args, |order| order == Ordering::Greater)),
        comparison("_>=_", GREATER_EQUALS, |args| compare("_>=_", args, |order| order != Ordering::Less)),
        Function::with_singleton(
            names::INDEX,
            vec![declare("index_list", &[list(), Type::Int], a()), declare("index_map", &[map(), a()], b())],
            no_override,
        ),
        Function::with_singleton(
            names::IN,
            vec![
                declare("in_list", &[a(), list()], Type::Bool).costing(SEARCHED),
                declare("in_map", &[a(), map()], Type::Bool),
            ],
            is_in,
        ),
    ]
}

/// The cost of looking at every item of the list that is the second argument.
const SEARCHED: Cost = Cost {
    actual: Actual::ByArguments(|args| args.get(1).map_or(1, Value::cost_size)),
    estimate: |call| Estimate::cost(known_size(call.args.get(1).and_then(|list| list.size)).by_factor(1.0)),
};

fn arithmetic(name: &'static str, ids: [&'static str; 3], run: Run) -> Function {
    let [double, int, uint] = ids;
    let overloads = vec![
        declare(double, &[Type::Double, Type::Double], Type::Double),
        declare(int, &[Type::Int, Type::Int], Type::Int),
        declare(uint, &[Type::UInt, Type::UInt], Type::UInt),
    ];
    Function::with_singleton(name, overloads, run)
}

/// The names of the overloads of a comparison, in the order of [`comparison`].
type Names = [&'static str; 14];

const LESS: Names = [
    "less_bool",
    "less_int64",
    "less_int64_double",
    "less_int64_uint64",
    "less_uint64",
    "less_uint64_double",
    "less_uint64_int64",
    "less_double",
    "less_double_int64",
    "less_double_uint64",
    "less_string",
    "less_bytes",
    "less_timestamp",
    "less_duration",
];

const LESS_EQUALS: Names = [
    "less_equals_bool",
    "less_equals_int64",
    "less_equals_int64_double",
    "less_equals_int64_uint64",
    "less_equals_uint64",
    "less_equals_uint64_double",
    "less_equals_uint64_int64",
    "less_equals_double",
    "less_equals_double_int64",
    "less_equals_double_uint64",
    "less_equals_string",
    "less_equals_bytes",
    "less_equals_timestamp",
    "less_equals_duration",
];

const GREATER: Names = [
    "greater_bool",
    "greater_int64",
    "greater_int64_double",
    "greater_int64_uint64",
    "greater_uint64",
    "greater_uint64_double",
    "greater_uint64_int64",
    "greater_double",
    "greater_double_int64",
    "greater_double_uint64",
    "greater_string",
    "greater_bytes",
    "greater_timestamp",
    "greater_duration",
];

const GREATER_EQUALS: Names = [
    "greater_equals_bool",
    "greater_equals_int64",
    "greater_equals_int64_double",
    "greater_equals_int64_uint64",
    "greater_equals_uint64",
    "greater_equals_uint64_double",
    "greater_equals_uint64_int64",
    "greater_equals_double",
    "greater_equals_double_int64",
    "greater_equals_double_uint64",
    "greater_equals_string",
    "greater_equals_bytes",
    "greater_equals_timestamp",
    "greater_equals_duration",
];

fn comparison(name: &'static str, ids: Names, run: Run) -> Function {
    let params = [
        [Type::Bool, Type::Bool],
        [Type::Int, Type::Int],
        [Type::Int, Type::Double],
        [Type::Int, Type::UInt],
        [Type::UInt, Type::UInt],
        [Type::UInt, Type::Double],
        [Type::UInt, Type::Int],
        [Type::Double, Type::Double],
        [Type::Double, Type::Int],
        [Type::Double, Type::UInt],
        [Type::String, Type::String],
        [Type::Bytes, Type::Bytes],
        [Type::Timestamp, Type::Timestamp],
        [Type::Duration, Type::Duration],
    ];
    let overloads = ids.into_iter().zip(params).map(|(id, params)| -> Overload {
        let has_size = matches!(params, [Type::String | Type::Bytes, _]);
        let overload = declare(id, &params, Type::Bool);
        if has_size { overload.costing(SHORTER) } else { overload }
    });
    Function::with_singleton(name, overloads.collect(), run)
}

/// What a singleton says of an operand it has no implementation for.
pub(crate) fn unsupported(name: &str, operand: &Value) -> Fault {
    match operand {
        // These are asked for a method of that name, which they do not have.
        Value::String(_) | Value::Duration(_) | Value::Timestamp(_) => Fault::no_such_overload(),
        _ => Fault::of(FaultKind::NoOverload(format!("no such overload: {name}").into())),
    }
}

fn no_override(_: &[Value]) -> Result<Value, Fault> {
    Err(Fault::no_such_overload())
}

fn not(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::Bool(value)] => Ok(Value::Bool(!value)),
        _ => Err(Fault::no_such_overload()),
    }
}

fn int_overflow() -> Fault {
    Fault::new("integer overflow")
}

fn uint_overflow() -> Fault {
    Fault::new("unsigned integer overflow")
}

fn int(value: Option<i64>) -> Result<Value, Fault> {
    value.map(Value::Int).ok_or_else(int_overflow)
}

fn uint(value: Option<u64>) -> Result<Value, Fault> {
    value.map(Value::UInt).ok_or_else(uint_overflow)
}

fn duration(value: Option<i64>) -> Result<Value, Fault> {
    value.map(Value::Duration).ok_or_else(int_overflow)
}

pub(crate) fn add(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::Int(left), Value::Int(right)] => int(left.checked_add(*right)),
        [Value::UInt(left), Value::UInt(right)] => uint(left.checked_add(*right)),
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left + right)),
        [Value::String(left), Value::String(right)] => {
            let mut joined = String::with_capacity(left.len().saturating_add(right.len()));
            joined.push_str(left);
            joined.push_str(right);
            Ok(Value::string(joined))
        }
        [Value::Bytes(left), Value::Bytes(right)] => Ok(Value::bytes([&**left, &**right].concat())),
        [Value::List(left), Value::List(right)] => Ok(Value::List(List::plus(left.clone(), right.clone()))),
        [Value::Duration(left), Value::Duration(right)] => duration(left.checked_add(*right)),
        [Value::Duration(duration), Value::Timestamp(instant)]
        | [Value::Timestamp(instant), Value::Duration(duration)] => time::later(*instant, *duration),
        [
            Value::Int(_)
            | Value::UInt(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::List(_)
            | Value::Duration(_)
            | Value::Timestamp(_),
            ..,
        ] => Err(Fault::no_such_overload()),
        [operand, ..] => Err(unsupported(names::ADD, operand)),
        [] => Err(Fault::no_such_overload()),
    }
}

fn subtract(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::Int(left), Value::Int(right)] => int(left.checked_sub(*right)),
        [Value::UInt(left), Value::UInt(right)] => uint(left.checked_sub(*right)),
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left - right)),
        [Value::Duration(left), Value::Duration(right)] => duration(left.checked_sub(*right)),
        [Value::Timestamp(instant), Value::Duration(duration)] => match duration.checked_neg() {
            Some(duration) => time::later(*instant, duration),
            None => Err(int_overflow()),
        },
        [Value::Timestamp(left), Value::Timestamp(right)] => duration(time::between(*left, *right)),
        [
            Value::Int(_) | Value::UInt(_) | Value::Double(_) | Value::Duration(_) | Value::Timestamp(_),
            ..,
        ] => Err(Fault::no_such_overload()),
        [operand, ..] => Err(unsupported("_-_", operand)),
        [] => Err(Fault::no_such_overload()),
    }
}

fn multiply(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::Int(left), Value::Int(right)] => int(left.checked_mul(*right)),
        [Value::UInt(left), Value::UInt(right)] => uint(left.checked_mul(*right)),
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left * right)),
        [Value::Int(_) | Value::UInt(_) | Value::Double(_), ..] => Err(Fault::no_such_overload()),
        [operand, ..] => Err(unsupported("_*_", operand)),
        [] => Err(Fault::no_such_overload()),
    }
}

fn divide(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::Int(_), Value::Int(0)] | [Value::UInt(_), Value::UInt(0)] => {
            Err(Fault::new("division by zero"))
        }
        [Value::Int(left), Value::Int(right)] => int(left.checked_div(*right)),
        [Value::UInt(left), Value::UInt(right)] => uint(left.checked_div(*right)),
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left / right)),
        [Value::Int(_) | Value::UInt(_) | Value::Double(_), ..] => Err(Fault::no_such_overload()),
        [operand, ..] => Err(unsupported("_/_", operand)),
        [] => Err(Fault::no_such_overload()),
    }
}

fn modulo(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::Int(_), Value::Int(0)] | [Value::UInt(_), Value::UInt(0)] => {
            Err(Fault::new("modulus by zero"))
        }
        [Value::Int(left), Value::Int(right)] => int(left.checked_rem(*right)),
        [Value::UInt(left), Value::UInt(right)] => uint(left.checked_rem(*right)),
        [Value::Int(_) | Value::UInt(_), ..] => Err(Fault::no_such_overload()),
        [operand, ..] => Err(unsupported("_%_", operand)),
        [] => Err(Fault::no_such_overload()),
    }
}

fn negate(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::Int(value)] => int(value.checked_neg()),
        [Value::Double(value)] => Ok(Value::Double(-value)),
        [Value::Duration(value)] => duration(value.checked_neg()),
        [Value::Bool(_)] | [] => Err(Fault::no_such_overload()),
        [operand, ..] => Err(unsupported(names::NEGATE, operand)),
    }
}

fn compare(name: &str, args: &[Value], wanted: fn(Ordering) -> bool) -> Result<Value, Fault> {
    match args {
        [
            left @ (Value::Bool(_)
            | Value::Int(_)
            | Value::UInt(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_)),
            right,
        ] => left.compare(right).map(|order| Value::Bool(wanted(order))),
        [operand, ..] => Err(unsupported(name, operand)),
        [] => Err(Fault::no_such_overload()),
    }
}

fn is_in(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [item, Value::List(list)] => Ok(Value::Bool(list.iter().any(|own| item.equals(&own)))),
        [key, Value::Map(map)] => match (map, unhashable(key)) {
            (Map::Computed(map), Some(fault)) if !map.is_empty() => Err(fault),
            _ => Ok(Value::Bool(map.get(key).is_some())),
        },
        _ => Err(Fault::no_such_overload()),
    }
}

/// The crash of Go where it looks for such a key in a map.
pub(crate) fn unhashable(key: &Value) -> Option<Fault> {
    let of = match key {
        Value::Bytes(_) => "types.Bytes",
        Value::Opaque(opaque) if !opaque.is_hashable() => opaque.go_type(),
        _ => return None,
    };
    Some(Fault::of(FaultKind::Crash(format!("runtime error: hash of unhashable type {of}").into())))
}

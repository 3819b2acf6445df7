//! Kubernetes' functions of lists: order, sums, extremes and positions.

use std::cmp::Ordering;

use trueline_cel::arguments::list;
use trueline_cel::function::{Fault, Function, Overload, Run};
use trueline_cel::library::strings::SEARCH;
use trueline_cel::types::Type;
use trueline_cel::value::Value;

/// The functions of lists.
pub(crate) fn functions() -> Vec<Function> {
    let items = || Type::list(Type::Param("A"));
    vec![
        of_comparable("isSorted", IS_SORTED, Some(Type::Bool), is_sorted),
        of_comparable("max", MAX, None, |args| extreme(args, "max", Ordering::Less)),
        of_comparable("min", MIN, None, |args| extreme(args, "min", Ordering::Greater)),
        Function::new(
            "sum",
            vec![
                sum_of("list_int_sum_int", Type::Int, |args| sum(args, Value::Int(0))),
                sum_of("list_uint_sum_uint", Type::UInt, |args| sum(args, Value::UInt(0))),
                sum_of("list_double_sum_double", Type::Double, |args| sum(args, Value::Double(0.0))),
                sum_of("list_duration_sum_duration", Type::Duration, |args| sum(args, Value::Duration(0))),
            ],
        )
        .costing(SEARCH),
        Function::new(
            "indexOf",
            vec![Overload::member(
                "list_a_index_of_int",
                vec![items(), Type::Param("A")],
                Type::Int,
                index_of,
            )],
        )
        .costing(SEARCH),
        Function::new(
            "lastIndexOf",
            vec![Overload::member(
                "list_a_last_index_of_int",
                vec![items(), Type::Param("A")],
                Type::Int,
                last_index_of,
            )],
        )
        .costing(SEARCH),
    ]
}

/// The names of the overloads for each type whose values have an order.
type Names = [&'static str; 8];

const IS_SORTED: Names = [
    "list_int_is_sorted_bool",
    "list_uint_is_sorted_bool",
    "list_double_is_sorted_bool",
    "list_bool_is_sorted_bool",
    "list_duration_is_sorted_bool",
    "list_timestamp_is_sorted_bool",
    "list_string_is_sorted_bool",
    "list_bytes_is_sorted_bool",
];

const MAX: Names = [
    "list_int_max_int",
    "list_uint_max_uint",
    "list_double_max_double",
    "list_bool_max_bool",
    "list_duration_max_duration",
    "list_timestamp_max_timestamp",
    "list_string_max_string",
    "list_bytes_max_bytes",
];

const MIN: Names = [
    "list_int_min_int",
    "list_uint_min_uint",
    "list_double_min_double",
    "list_bool_min_bool",
    "list_duration_min_duration",
    "list_timestamp_min_timestamp",
    "list_string_min_string",
    "list_bytes_min_bytes",
];

/// A function with one overload for each type whose values have an order; without a result it gives an item.
fn of_comparable(name: &'static str, ids: Names, result: Option<Type>, run: Run) -> Function {
    let types = [
        Type::Int,
        Type::UInt,
        Type::Double,
        Type::Bool,
        Type::Duration,
        Type::Timestamp,
        Type::String,
        Type::Bytes,
    ];
    let overloads = ids.into_iter().zip(types).map(|(id, item)| {
        let result = result.clone().unwrap_or_else(|| item.clone());
        Overload::member(id, vec![Type::list(item)], result, run)
    });
    Function::new(name, overloads.collect()).costing(SEARCH)
}

fn sum_of(id: &'static str, item: Type, run: Run) -> Overload {
    Overload::member(id, vec![Type::list(item.clone())], item, run)
}

/// Whether values of this type have an order.
fn has_order(value: &Value) -> bool {
    matches!(
        value,
        Value::Bool(_)
            | Value::Int(_)
            | Value::UInt(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_)
    )
}

fn is_sorted(args: &[Value]) -> Result<Value, Fault> {
    let mut last: Option<Value> = None;
    for item in list(args, 0)? {
        if !has_order(&item) {
            return Err(Fault::no_such_overload());
        }
        // What cannot be compared is not out of order.
        if last.is_some_and(|last| last.compare(&item) == Ok(Ordering::Greater)) {
            return Ok(Value::Bool(false));
        }
        last = Some(item);
    }
    Ok(Value::Bool(true))
}

/// The item that no other one is before (or after): it is replaced where it compares like this with another one.
fn extreme(args: &[Value], name: &str, replaced: Ordering) -> Result<Value, Fault> {
    let mut found: Option<Value> = None;
    for item in list(args, 0)? {
        if !has_order(&item) {
            return Err(Fault::no_such_overload());
        }
        if found.as_ref().is_none_or(|found| found.compare(&item) == Ok(replaced)) {
            found = Some(item);
        }
    }
    found.ok_or_else(|| Fault::new(format!("{name} called on empty list")))
}

fn sum(args: &[Value], zero: Value) -> Result<Value, Fault> {
    list(args, 0)?.iter().try_fold(zero, |sum, item| add(&sum, &item))
}

fn add(sum: &Value, item: &Value) -> Result<Value, Fault> {
    let or = |value: Option<Value>, words: &str| value.ok_or_else(|| Fault::new(words));
    match (sum, item) {
        (Value::Int(left), Value::Int(right)) => {
            or(left.checked_add(*right).map(Value::Int), "integer overflow")
        }
        (Value::UInt(left), Value::UInt(right)) => {
            or(left.checked_add(*right).map(Value::UInt), "unsigned integer overflow")
        }
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left + right)),
        (Value::Duration(left), Value::Duration(right)) => {
            or(left.checked_add(*right).map(Value::Duration), "integer overflow")
        }
        _ => Err(Fault::no_such_overload()),
    }
}

fn index_of(args: &[Value]) -> Result<Value, Fault> {
    let (items, wanted) = (list(args, 0)?, args.get(1).unwrap_or(&Value::Null));
    let found = items.iter().position(|item| item.equals(wanted));
    Ok(position(found))
}

fn last_index_of(args: &[Value]) -> Result<Value, Fault> {
    let (items, wanted) = (list(args, 0)?, args.get(1).unwrap_or(&Value::Null));
    let found =
        (0..items.len()).rev().find(|index| items.get(*index).is_some_and(|item| item.equals(wanted)));
    Ok(position(found))
}

fn position(index: Option<usize>) -> Value {
    Value::Int(index.and_then(|index| i64::try_from(index).ok()).unwrap_or(-1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(numbers: &[i64]) -> Value {
        Value::list(numbers.iter().copied().map(Value::Int).collect())
    }

    #[test]
    fn extremes_and_sums() {
        let lowest = |value| extreme(&[value], "min", Ordering::Greater).map(|found| found.to_string());
        let highest = |value| extreme(&[value], "max", Ordering::Less).map(|found| found.to_string());
        assert_eq!(lowest(numbers(&[3, 1, 2])), Ok("1".to_owned()));
        assert_eq!(highest(numbers(&[3, 1, 2])), Ok("3".to_owned()));
        assert_eq!(lowest(numbers(&[])), Err(Fault::new("min called on empty list")));
        assert_eq!(
            sum(&[numbers(&[i64::MAX, 1])], Value::Int(0)).unwrap_err(),
            Fault::new("integer overflow")
        );
        assert_eq!(sum(&[numbers(&[1, 2])], Value::Int(0)).unwrap().to_string(), "3");
    }

    #[test]
    fn order_and_positions() {
        let sorted = |value| is_sorted(&[value]).unwrap().to_string();
        assert_eq!(sorted(numbers(&[1, 1, 2])), "true");
        assert_eq!(sorted(numbers(&[2, 1])), "false");
        assert_eq!(index_of(&[numbers(&[1, 2, 1]), Value::Int(1)]).unwrap().to_string(), "0");
        assert_eq!(last_index_of(&[numbers(&[1, 2, 1]), Value::Double(1.0)]).unwrap().to_string(), "2");
        assert_eq!(index_of(&[numbers(&[1]), Value::Int(2)]).unwrap().to_string(), "-1");
    }
}

//! cel-go's functions of lists: slices, flattening, ranges, sorting, distinct items.

use std::cmp::Ordering;

use crate::arguments::{int, list, size};
use crate::function::{
    Actual, CRASH, Call, Cost, Estimate, Fault, FaultKind, Function, Overload, STRING_TRAVERSAL, Size,
};
use crate::types::Type;
use crate::value::{List, Map, Value};

use super::operators::unsupported;
use super::sort;

/// How many items a list may have that a function makes. cel-go has no limit, and what flattening costs does not depend
/// on how many items there are in the end.
const MOST_ITEMS: usize = 1 << 22;

/// What making a list costs, whatever is in it, together with the call.
const BASE: u64 = 11;

/// The types whose values have an order, with the names that overloads have for them.
fn comparable() -> [(Type, &'static str, &'static str); 8] {
    [
        (Type::Int, "list_int_sort", "list_int_sortByAssociatedKeys"),
        (Type::UInt, "list_uint_sort", "list_uint_sortByAssociatedKeys"),
        (Type::Double, "list_double_sort", "list_double_sortByAssociatedKeys"),
        (Type::Bool, "list_bool_sort", "list_bool_sortByAssociatedKeys"),
        (
            Type::Duration,
            "list_google.protobuf.Duration_sort",
            "list_google.protobuf.Duration_sortByAssociatedKeys",
        ),
        (
            Type::Timestamp,
            "list_google.protobuf.Timestamp_sort",
            "list_google.protobuf.Timestamp_sortByAssociatedKeys",
        ),
        (Type::String, "list_string_sort", "list_string_sortByAssociatedKeys"),
        (Type::Bytes, "list_bytes_sort", "list_bytes_sortByAssociatedKeys"),
    ]
}

/// The functions of lists.
pub fn functions() -> Vec<Function> {
    let items = || Type::list(Type::Param("T"));
    let made = |estimate| Cost {
        actual: Actual::ByResult(|_, result| allocated(1.0, result.outer_size())),
        estimate,
    };
    let sorts = comparable()
        .into_iter()
        .map(|(item, id, _)| {
            let cost = Cost {
                actual: Actual::ByArguments(|args| self_compared(args, 0)),
                estimate: if is_text(&item) { estimate_sort_of_texts } else { estimate_sort },
            };
            Overload::declare_member(id, vec![Type::list(item.clone())], Type::list(item)).costing(cost)
        })
        .collect();
    let sorts_by_keys = comparable()
        .into_iter()
        .map(|(key, _, id)| {
            let cost = Cost {
                actual: Actual::ByArguments(|args| self_compared(args, 1)),
                estimate: if is_text(&key) { estimate_sort_by_texts } else { estimate_sort_by },
            };
            Overload::declare_member(id, vec![items(), Type::list(key)], items()).costing(cost)
        })
        .collect();
    vec![
        Function::new(
            "slice",
            vec![
                Overload::member("list_slice", vec![items(), Type::Int, Type::Int], items(), slice)
                    .costing(made(estimate_slice)),
            ],
        ),
        // What is in the list is not looked at before: one that is flat already is taken too.
        Function::with_singleton(
            "flatten",
            vec![
                Overload::declare_member("list_flatten", vec![Type::list(items())], items())
                    .costing(Cost { actual: FLATTEN, estimate: estimate_flatten }),
                Overload::declare_member(
                    "list_flatten_int",
                    vec![Type::list(Type::Dyn), Type::Int],
                    Type::list(Type::Dyn),
                )
                .costing(Cost { actual: FLATTEN, estimate: estimate_flatten }),
            ],
            flatten,
        ),
        Function::with_singleton("sort", sorts, sort_items),
        Function::with_singleton("@sortByAssociatedKeys", sorts_by_keys, sort_by_keys),
        Function::new(
            "lists.range",
            vec![Overload::global("lists_range", vec![Type::Int], Type::list(Type::Int), range).costing(
                Cost {
                    // The length is known before the list is made.
                    actual: Actual::ByArguments(|args| {
                        allocated(1.0, int(args, 0).map_or(1, |length| length.max(0).unsigned_abs()))
                    }),
                    estimate: estimate_range,
                },
            )],
        ),
        Function::new(
            "reverse",
            vec![
                Overload::member("list_reverse", vec![items()], items(), reverse)
                    .costing(made(estimate_reverse)),
            ],
        ),
        Function::new(
            "distinct",
            vec![Overload::member("list_distinct", vec![items()], items(), distinct).costing(Cost {
                actual: Actual::ByArguments(|args| self_compared(args, 0)),
                estimate: estimate_distinct,
            })],
        ),
    ]
}

fn is_text(item: &Type) -> bool {
    matches!(item, Type::String | Type::Bytes)
}

const FLATTEN: Actual = Actual::ByArguments(|args| match args.get(1) {
    None => allocated(1.0, size(args, 0)),
    Some(Value::Int(depth)) => allocated(*depth as f64, size(args, 0)),
    Some(_) => CRASH,
});

/// What a call costs that makes a list of so many items, with so much work for each.
fn allocated(factor: f64, size: u64) -> u64 {
    let work = size as f64 * factor;
    // A negative number of levels is refused; what the call costs wraps around all the same.
    let work = if work < 0.0 { work as i64 as u64 } else { work as u64 };
    work.wrapping_add(BASE)
}

/// What it costs to compare each item with each.
fn self_compared(args: &[Value], index: usize) -> u64 {
    let Ok(items) = list(args, index) else { return CRASH };
    let length = items.len() as u64;
    let factor = match items.get(0) {
        Some(Value::String(_) | Value::Bytes(_)) => 2.0 + STRING_TRAVERSAL,
        _ => 2.0,
    };
    allocated(factor, length.wrapping_mul(length))
}

fn estimate_allocated(factor: f64, size: Size) -> Estimate {
    Estimate::with_result(size.by_factor(factor).plus(Size::fixed(BASE)), size)
}

/// The number of a literal, nothing below zero.
fn literal(call: &Call<'_>, index: usize) -> Option<u64> {
    match call.args.get(index)?.literal? {
        Value::Int(number) => Some((*number).max(0).unsigned_abs()),
        _ => None,
    }
}

fn of_target(call: &Call<'_>, estimate: impl Fn(Size) -> Estimate) -> Estimate {
    call.target_size().map_or_else(|| (Cost::UNIT.estimate)(call), estimate)
}

fn estimate_slice(call: &Call<'_>) -> Estimate {
    of_target(call, |size| {
        let (start, end) = (literal(call, 0).unwrap_or(0), literal(call, 1).unwrap_or(size.max));
        estimate_allocated(1.0, Size::fixed(end.wrapping_sub(start)))
    })
}

fn estimate_range(call: &Call<'_>) -> Estimate {
    estimate_allocated(1.0, Size::fixed(literal(call, 0).unwrap_or(u64::MAX)))
}

fn estimate_reverse(call: &Call<'_>) -> Estimate {
    of_target(call, |size| estimate_allocated(1.0, size))
}

fn estimate_flatten(call: &Call<'_>) -> Estimate {
    let depth = if call.args.is_empty() { 1 } else { literal(call, 0).unwrap_or(u64::MAX) };
    of_target(call, |size| estimate_allocated(depth as f64, size))
}

fn estimate_distinct(call: &Call<'_>) -> Estimate {
    of_target(call, |size| estimate_allocated(2.0, size.times(size)))
}

fn estimate_sort(call: &Call<'_>) -> Estimate {
    estimate_distinct(call)
}

fn estimate_sort_of_texts(call: &Call<'_>) -> Estimate {
    of_target(call, |size| estimate_allocated(2.0 + STRING_TRAVERSAL, size.times(size)))
}

fn estimate_sort_by(call: &Call<'_>) -> Estimate {
    let size = call.arg_size(0).unwrap_or(Size::UNKNOWN);
    estimate_allocated(2.0, size.times(size))
}

fn estimate_sort_by_texts(call: &Call<'_>) -> Estimate {
    let size = call.arg_size(0).unwrap_or(Size::UNKNOWN);
    estimate_allocated(2.0 + STRING_TRAVERSAL, size.times(size))
}

fn slice(args: &[Value]) -> Result<Value, Fault> {
    let (items, start, end) = (list(args, 0)?, int(args, 1)?, int(args, 2)?);
    let refused = |words: String| Err(Fault::new(format!("cannot slice({start}, {end}), {words}")));
    if start < 0 || end < 0 {
        return refused("negative indexes not supported".to_owned());
    }
    if start > end {
        return refused("start index must be less than or equal to end index".to_owned());
    }
    let length = items.len();
    let (Ok(first), Ok(last)) = (usize::try_from(start), usize::try_from(end)) else {
        return refused(format!("list is length {length}"));
    };
    if length < last {
        return refused(format!("list is length {length}"));
    }
    Ok(Value::list((first..last).filter_map(|index| items.get(index)).collect()))
}

fn flatten(args: &[Value]) -> Result<Value, Fault> {
    let no_such_call = || {
        // A type is written with what it is made of here.
        let name = |value: &Value| match value {
            Value::List(_) => "list(dyn)".to_owned(),
            Value::Map(map) if !matches!(map, Map::Object(..)) => "map(dyn, dyn)".to_owned(),
            other => other.type_name().to_owned(),
        };
        let types: Vec<String> = args.iter().skip(1).map(name).collect();
        let receiver = args.first().map(name).unwrap_or_default();
        let words = format!("no such overload: {receiver}.flatten({})", types.join(", "));
        Fault::of(FaultKind::NoOverload(words.into()))
    };
    let Ok(items) = list(args, 0) else { return Err(no_such_call()) };
    let depth = match args.get(1) {
        None => 1,
        Some(Value::Int(depth)) => *depth,
        Some(_) => return Err(no_such_call()),
    };
    let Ok(depth) = u64::try_from(depth) else { return Err(Fault::new("level must be non-negative")) };
    let mut flat = Vec::new();
    flatten_into(&mut flat, items, depth)?;
    Ok(Value::list(flat))
}

/// Adds the items of a list, and those of the lists in it, so many levels down.
fn flatten_into(flat: &mut Vec<Value>, items: &List, depth: u64) -> Result<(), Fault> {
    for item in items {
        match item {
            Value::List(inner) if depth > 0 => flatten_into(flat, &inner, depth - 1)?,
            item if flat.len() < MOST_ITEMS => flat.push(item),
            _ => return Err(Fault::new("list is too large")),
        }
    }
    Ok(())
}

fn range(args: &[Value]) -> Result<Value, Fault> {
    let length = int(args, 0)?;
    if usize::try_from(length).is_ok_and(|length| length > MOST_ITEMS) {
        return Err(Fault::new("list is too large"));
    }
    Ok(Value::list((0..length).map(Value::Int).collect()))
}

fn reverse(args: &[Value]) -> Result<Value, Fault> {
    let items = list(args, 0)?;
    Ok(Value::list((0..items.len()).rev().filter_map(|index| items.get(index)).collect()))
}

fn distinct(args: &[Value]) -> Result<Value, Fault> {
    let items = list(args, 0)?;
    let mut unique: Vec<Value> = Vec::new();
    for item in items {
        if !unique.iter().any(|other| item.equals(other)) {
            unique.push(item);
        }
    }
    Ok(Value::list(unique))
}

fn sort_items(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::List(list)] => {
            let items: Vec<Value> = list.iter().collect();
            sorted(items.clone(), &items)
        }
        [other, ..] => Err(unsupported("sort", other)),
        [] => Err(Fault::no_such_overload()),
    }
}

fn sort_by_keys(args: &[Value]) -> Result<Value, Fault> {
    if let Some(other) = args.first().filter(|receiver| !matches!(receiver, Value::List(_))) {
        return Err(unsupported("@sortByAssociatedKeys", other));
    }
    let (items, keys) = (list(args, 0)?, list(args, 1)?);
    if items.len() != keys.len() {
        return Err(Fault::new(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            items.len(),
            keys.len()
        )));
    }
    sorted(items.iter().collect(), &keys.iter().collect::<Vec<_>>())
}

/// The items in the order of their keys.
fn sorted(items: Vec<Value>, keys: &[Value]) -> Result<Value, Fault> {
    let Some(first) = keys.first() else { return Ok(Value::list(items)) };
    // Whether a value has an order at all can be seen when it is compared with itself, except for NaN.
    if !matches!(first, Value::Double(_)) && first.compare(first).is_err() {
        return Err(Fault::new("list elements must be comparable"));
    }
    // As long as there is another one to compare with, all keys are looked at.
    if keys.len() > 1 && keys.iter().any(|key| key.type_name() != first.type_name()) {
        return Err(Fault::new("list elements must have the same type"));
    }
    let is_less = |left: usize, right: usize| match (keys.get(left), keys.get(right)) {
        (Some(left), Some(right)) => left.compare(right) == Ok(Ordering::Less),
        _ => false,
    };
    let order = sort::order(keys.len(), &is_less);
    let items = order.into_iter().filter_map(|index| items.get(index).cloned()).collect();
    Ok(Value::list(items))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(numbers: &[i64]) -> Value {
        Value::list(numbers.iter().copied().map(Value::Int).collect())
    }

    fn outcome(result: Result<Value, Fault>) -> String {
        match result {
            Ok(Value::List(items)) => {
                let texts: Vec<String> = items
                    .iter()
                    .map(|item| match item {
                        Value::Int(number) => number.to_string(),
                        Value::Double(number) => number.to_string(),
                        other => format!("{other:?}"),
                    })
                    .collect();
                texts.join(" ")
            }
            Ok(other) => format!("{other:?}"),
            Err(fault) => fault.to_string(),
        }
    }

    #[test]
    fn slices() {
        let cut = |start: i64, end: i64| outcome(slice(&[numbers(&[1, 2, 3]), start.into(), end.into()]));
        assert_eq!(cut(1, 3), "2 3");
        assert_eq!(cut(1, 1), "");
        assert_eq!(cut(-1, 1), "cannot slice(-1, 1), negative indexes not supported");
        assert_eq!(cut(2, 1), "cannot slice(2, 1), start index must be less than or equal to end index");
        assert_eq!(cut(0, 4), "cannot slice(0, 4), list is length 3");
    }

    #[test]
    fn flattening() {
        let nested = || Value::list(vec![Value::Int(1), numbers(&[2, 3]), Value::list(vec![numbers(&[4])])]);
        assert_eq!(outcome(flatten(&[nested(), Value::Int(2)])), "1 2 3 4");
        assert_eq!(outcome(flatten(&[nested(), Value::Int(-1)])), "level must be non-negative");
        let mut large = Value::Int(1);
        for _ in 0..3 {
            large = Value::list(vec![large; 1000]);
        }
        assert_eq!(outcome(flatten(&[large, Value::Int(5)])), "list is too large");
        assert_eq!(outcome(range(&[Value::Int(i64::MAX)])), "list is too large");
        assert_eq!(outcome(range(&[Value::Int(3)])), "0 1 2");
        assert_eq!(outcome(range(&[Value::Int(-3)])), "");
    }

    #[test]
    fn sorting() {
        let long: Vec<i64> = (0..100).map(|number| number * 37 % 101).collect();
        let mut expected = long.clone();
        expected.sort_unstable();
        assert_eq!(outcome(sort_items(&[numbers(&long)])), outcome(Ok(numbers(&expected))));
        let mixed = Value::list(vec![Value::Int(1), Value::from("a")]);
        assert_eq!(outcome(sort_items(&[mixed])), "list elements must have the same type");
        assert_eq!(
            outcome(sort_items(&[Value::list(vec![Value::Null])])),
            "list elements must be comparable"
        );
        assert_eq!(outcome(sort_by_keys(&[numbers(&[1, 2, 3]), numbers(&[3, 1, 2])])), "2 3 1");
        let not_a_number = Value::list(vec![Value::Double(f64::NAN), Value::Double(1.0), Value::Double(0.0)]);
        assert_eq!(outcome(sort_items(&[not_a_number])), "NaN 0 1");
        assert_eq!(outcome(distinct(&[numbers(&[1, 2, 1, 3, 2])])), "1 2 3");
    }
}

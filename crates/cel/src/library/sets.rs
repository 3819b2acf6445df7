//! cel-go's functions of lists that are read as sets.

use crate::arguments::{list, size};
use crate::function::{Actual, Call, Cost, Estimate, Fault, Function, Overload, Size};
use crate::types::Type;
use crate::value::{List, Value};

/// `sets.contains`, `sets.equivalent` and `sets.intersects`.
pub fn functions() -> Vec<Function> {
    let params = || vec![Type::list(Type::Param("T")), Type::list(Type::Param("T"))];
    let once =
        Cost { actual: Actual::ByArguments(|args| compared(args, 1)), estimate: |call| estimate(call, 1) };
    // Both lists are looked for in each other.
    let twice =
        Cost { actual: Actual::ByArguments(|args| compared(args, 2)), estimate: |call| estimate(call, 2) };
    let declare = |name, id, run, cost| {
        Function::new(name, vec![Overload::global(id, params(), Type::Bool, run).costing(cost)])
    };
    vec![
        declare("sets.contains", "list_sets_contains_list", contains, once),
        declare("sets.equivalent", "list_sets_equivalent_list", equivalent, twice),
        declare("sets.intersects", "list_sets_intersects_list", intersects, once),
    ]
}

fn compared(args: &[Value], times: u64) -> u64 {
    size(args, 0).wrapping_mul(size(args, 1)).saturating_mul(times).saturating_add(1)
}

fn estimate(call: &Call<'_>, times: u64) -> Estimate {
    match (call.arg_size(0), call.arg_size(1)) {
        (Some(left), Some(right)) => {
            Estimate::cost(left.times(right).by_factor(times as f64).plus(Size::fixed(1)))
        }
        _ => (Cost::UNIT.estimate)(call),
    }
}

fn has(items: &List, wanted: &Value) -> bool {
    items.iter().any(|item| wanted.equals(&item))
}

fn contains(args: &[Value]) -> Result<Value, Fault> {
    let (all, some) = (list(args, 0)?, list(args, 1)?);
    Ok(Value::Bool(some.iter().all(|item| has(all, &item))))
}

fn equivalent(args: &[Value]) -> Result<Value, Fault> {
    let (left, right) = (list(args, 0)?, list(args, 1)?);
    let holds = |all: &List, some: &List| some.iter().all(|item| has(all, &item));
    Ok(Value::Bool(holds(left, right) && holds(right, left)))
}

fn intersects(args: &[Value]) -> Result<Value, Fault> {
    let (left, right) = (list(args, 0)?, list(args, 1)?);
    Ok(Value::Bool(left.iter().any(|item| has(right, &item))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets() {
        let set = |numbers: &[i64]| Value::list(numbers.iter().copied().map(Value::Int).collect());
        let rows: &[(&[i64], &[i64], [bool; 3])] = &[
            (&[1, 2], &[2], [true, false, true]),
            (&[1, 2], &[2, 1, 1], [true, true, true]),
            (&[1], &[2], [false, false, false]),
            (&[], &[], [true, true, false]),
        ];
        for (left, right, expected) in rows {
            let args = [set(left), set(right)];
            let found =
                [contains, equivalent, intersects].map(|run| matches!(run(&args), Ok(Value::Bool(true))));
            assert_eq!(found, *expected, "{left:?} {right:?}");
        }
        assert_eq!(compared(&[set(&[1, 2]), set(&[3])], 2), 5);
    }
}

//! Float arithmetic with decimal numbers.

use trueline_gotemplate::{Context, Error, Function, Type, Value, fmt};

use crate::argument::rest;
use crate::cast::to_float;
use crate::decimal::Decimal;
use crate::define::{fixed, variadic};

const ANY: &[Type] = &[Type::Any];
const ANY_AND_MORE: &[Type] = &[Type::Any, Type::Any];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("add1f", ANY, add1f, "NUMBER", "The number plus 1."),
    variadic("addf", ANY, addf, "NUMBER…", "The sum."),
    variadic("subf", ANY_AND_MORE, subf, "NUMBER NUMBER…", "The first number minus all others."),
    variadic("mulf", ANY_AND_MORE, mulf, "NUMBER NUMBER…", "The product."),
    variadic("divf", ANY_AND_MORE, divf, "NUMBER NUMBER…", "The first number divided by all others."),
];

type Operation = fn(&Decimal, &Decimal) -> Option<Decimal>;

fn decimal(float: f64) -> Result<Decimal, Error> {
    let refused =
        || Error::new(format!("Cannot create a Decimal from {}", fmt::text(&Value::from(float)).text()));
    Decimal::from_float(float).ok_or_else(refused)
}

/// Combines the numbers from left to right.
fn fold(
    context: &mut dyn Context,
    first: f64,
    others: &[Value],
    operation: Operation,
) -> Result<Value, Error> {
    context.spend((others.len() as u64).saturating_mul(8))?;
    let mut result = decimal(first)?;
    for other in others {
        let other = decimal(to_float(other))?;
        result = operation(&result, &other).ok_or_else(|| Error::new("decimal division by 0"))?;
    }
    Ok(Value::from(result.to_float()))
}

fn first(arguments: &[Value]) -> f64 {
    arguments.first().map_or(0.0, to_float)
}

fn add1f(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    fold(context, first(arguments), &[Value::int(1)], |one, two| Some(one.add(two)))
}

fn addf(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    fold(context, 0.0, arguments, |one, two| Some(one.add(two)))
}

fn subf(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    fold(context, first(arguments), rest(arguments, 1), |one, two| Some(one.subtract(two)))
}

fn mulf(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    // Each number adds its digits to the product, and the next multiplication processes all of them.
    let count = arguments.len() as u64;
    context.spend(count.saturating_mul(count) / 16)?;
    fold(context, first(arguments), rest(arguments, 1), |one, two| Some(one.multiply(two)))
}

fn divf(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    fold(context, first(arguments), rest(arguments, 1), Decimal::divide)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, shown};

    #[test]
    fn sums_and_products() {
        for (name, arguments, expected) in [
            ("addf", vec![Value::from(1.5), Value::from(2.2)], "3.7"),
            ("addf", vec![], "0"),
            ("addf", vec!["0.1".into(), "0.2".into(), Value::nil()], "0.3"),
            ("add1f", vec![Value::from(1.5)], "2.5"),
            ("subf", vec![Value::from(7.5), Value::int(2), Value::int(3)], "2.5"),
            ("subf", vec![Value::int(1)], "1"),
            ("mulf", vec![Value::from(0.1), Value::int(3)], "0.3"),
            ("divf", vec![Value::int(10), Value::int(2), Value::int(4)], "1.25"),
            ("divf", vec![Value::int(1), Value::int(0)], "decimal division by 0"),
            ("addf", vec!["nan".into()], "Cannot create a Decimal from NaN"),
            ("mulf", vec!["-inf".into()], "Cannot create a Decimal from -Inf"),
        ] {
            assert_eq!(shown(call(FUNCTIONS, name, &arguments)), expected, "{name} {arguments:?}");
        }
    }
}

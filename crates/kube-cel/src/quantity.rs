//! Amounts: `quantity`, `isQuantity`, their arithmetic and their order.

use std::any::Any;
use std::cmp::Ordering;

use trueline_cel::arguments::{int, opaque, string};
use trueline_cel::function::{Fault, Function, Overload, Run};
use trueline_cel::types::{OpaqueKind, OpaqueType, Type};
use trueline_cel::value::{Opaque, Value};

use crate::amount::{Amount, Operation};
use crate::cost::{UNIT, fixed_equality, parse_first};

/// `kubernetes.Quantity`
pub static QUANTITY: OpaqueType =
    OpaqueType { name: "kubernetes.Quantity", kind: OpaqueKind::Message, equality: Some(fixed_equality) };

/// An amount as a value.
#[derive(Debug)]
pub struct Quantity {
    amount: Amount,
    source: Source,
}

/// Where an amount comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// It was read.
    String,
    /// It was computed. The server cannot have one of these on the right side of `==`.
    Arithmetic,
}

impl Quantity {
    fn value(amount: Amount, source: Source) -> Value {
        Value::opaque(Quantity { amount, source })
    }
}

impl Opaque for Quantity {
    fn opaque_type(&self) -> &'static OpaqueType {
        &QUANTITY
    }

    fn equals(&self, other: &Value) -> Option<bool> {
        let other = opaque::<Quantity>(std::slice::from_ref(other), 0).ok()?;
        (other.source == Source::String).then(|| self.amount.ordering(&other.amount).is_eq())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn go_type(&self) -> &'static str {
        match self.source {
            Source::String => "cel.Quantity",
            Source::Arithmetic => "*cel.Quantity",
        }
    }

    fn text(&self) -> String {
        self.amount.text().to_string()
    }
}

/// The functions of amounts.
pub(crate) fn functions() -> Vec<Function> {
    let quantity = || Type::Opaque(&QUANTITY);
    let read = |id, result, run| Overload::global(id, vec![Type::String], result, run);
    let ask = |name, id, result, run: Run| {
        Function::new(name, vec![Overload::member(id, vec![quantity()], result, run)]).costing(UNIT)
    };
    let compare = |name, id, result, run: Run| {
        Function::new(name, vec![Overload::member(id, vec![quantity(), quantity()], result, run)])
            .costing(UNIT)
    };
    let compute = |name, id, id_of_integer, run: Run| {
        Function::new(
            name,
            vec![
                Overload::member(id, vec![quantity(), quantity()], quantity(), run),
                Overload::member(id_of_integer, vec![quantity(), Type::Int], quantity(), run),
            ],
        )
        .costing(UNIT)
    };
    vec![
        Function::new("quantity", vec![read("string_to_quantity", quantity(), to_quantity)])
            .costing(parse_first()),
        Function::new("isQuantity", vec![read("is_quantity_string", Type::Bool, is_quantity)])
            .costing(parse_first()),
        // The only one that is not called on an amount.
        Function::new("sign", vec![Overload::global("quantity_sign", vec![quantity()], Type::Int, sign)])
            .costing(UNIT),
        compare("isGreaterThan", "quantity_is_greater_than", Type::Bool, |args| {
            Ok(Value::Bool(order(args)?.is_gt()))
        }),
        compare("isLessThan", "quantity_is_less_than", Type::Bool, |args| {
            Ok(Value::Bool(order(args)?.is_lt()))
        }),
        compare("compareTo", "quantity_compare_to", Type::Int, |args| Ok(Value::Int(order(args)? as i64))),
        ask("asApproximateFloat", "quantity_get_float", Type::Double, |args| {
            Ok(Value::Double(opaque::<Quantity>(args, 0)?.amount.as_float()))
        }),
        ask("asInteger", "quantity_get_int", Type::Int, as_integer),
        ask("isInteger", "quantity_is_integer", Type::Bool, |args| {
            Ok(Value::Bool(opaque::<Quantity>(args, 0)?.amount.as_integer().is_some()))
        }),
        compute("add", "quantity_add", "quantity_add_int", |args| combine(args, Operation::Add)),
        compute("sub", "quantity_sub", "quantity_sub_int", |args| combine(args, Operation::Subtract)),
    ]
}

fn to_quantity(args: &[Value]) -> Result<Value, Fault> {
    let amount = Amount::parse(string(args, 0)?).map_err(Fault::new)?;
    Ok(Quantity::value(amount, Source::String))
}

fn is_quantity(args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::Bool(Amount::parse(string(args, 0)?).is_ok()))
}

fn sign(args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::Int(opaque::<Quantity>(args, 0)?.amount.sign()))
}

fn as_integer(args: &[Value]) -> Result<Value, Fault> {
    let integer = opaque::<Quantity>(args, 0)?.amount.as_integer();
    integer.map(Value::Int).ok_or_else(|| Fault::new("cannot convert value to integer"))
}

fn order(args: &[Value]) -> Result<Ordering, Fault> {
    let (left, right) = (opaque::<Quantity>(args, 0)?, opaque::<Quantity>(args, 1)?);
    Ok(left.amount.compare(&right.amount))
}

fn combine(args: &[Value], operation: Operation) -> Result<Value, Fault> {
    let left = &opaque::<Quantity>(args, 0)?.amount;
    let result = match args.get(1) {
        Some(Value::Int(_)) => left.combine(&Amount::from_integer(int(args, 1)?), operation),
        _ => left.combine(&opaque::<Quantity>(args, 1)?.amount, operation),
    };
    let amount = result.map_err(|_| Fault::new("quantity is too large"))?;
    Ok(Quantity::value(amount, Source::Arithmetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantity(text: &str) -> Value {
        to_quantity(&[Value::from(text)]).unwrap()
    }

    #[test]
    fn a_computed_amount_compares_only_from_the_left() {
        let sum = combine(&[quantity("1"), Value::Int(1)], Operation::Add).unwrap();
        assert_eq!(sum.equality(&quantity("2")), Some(true));
        assert_eq!(quantity("2").equality(&sum), None);
        assert_eq!(quantity("2").equality(&Value::Int(2)), None);
        assert_eq!(order(&[quantity("2"), sum]).unwrap(), Ordering::Equal);
    }

    #[test]
    fn what_is_not_an_integer_says_so() {
        let fault = as_integer(&[quantity("1500m")]).unwrap_err();
        assert_eq!(fault.to_string(), "cannot convert value to integer");
    }
}

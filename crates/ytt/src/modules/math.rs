//! `math`: functions of floats.

use std::f64::consts::{E, PI};
use std::rc::Rc;

use trueline_gostd::math;
use trueline_starlark::{Args, BigInt, Builtin, Error, Thread, Value, View, Want};

use super::{Host, module_of};
use crate::validation::as_integer;
use crate::value::go_type_name;

const WARNING: &str = "\nWarning: a function from the @ytt:math module is used in this invocation; this module does not \
    guarantee bit-identical results across CPU architectures.\n";

type Unary = fn(f64) -> f64;
type Binary = fn(f64, f64) -> f64;

pub(super) fn module(host: &Rc<dyn Host>) -> Value {
    let warning = |name: &'static str, run: fn(&mut Thread, &Args<'_>) -> Result<Value, Error>| {
        let host = Rc::clone(host);
        Value::builtin(Builtin::new(name, move |thread, args| {
            host.warn_once(WARNING);
            run(thread, args)
        }))
    };
    let unary = |name: &'static str, operation: Unary| {
        let host = Rc::clone(host);
        Value::builtin(Builtin::new(name, move |_, args: &Args<'_>| {
            host.warn_once(WARNING);
            match args.positional {
                [x] => float(x).map(|x| Value::float(operation(x))),
                _ => Err(Error::new("expected exactly one argument")),
            }
            .map_err(|error| error.prefixed(name))
        }))
    };
    let binary = |name: &'static str, operation: Binary| {
        let host = Rc::clone(host);
        Value::builtin(Builtin::new(name, move |_, args: &Args<'_>| {
            host.warn_once(WARNING);
            match args.positional {
                [x, y] => float(x).and_then(|x| Ok(Value::float(operation(x, float(y)?)))),
                _ => Err(Error::new("expected exactly two arguments")),
            }
            .map_err(|error| error.prefixed(name))
        }))
    };
    module_of(
        "math",
        [
            ("ceil", warning("ceil", |_, args| whole("ceil", args, f64::ceil))),
            ("copysign", binary("copysign", f64::copysign)),
            ("fabs", unary("fabs", f64::abs)),
            ("floor", warning("floor", |_, args| whole("floor", args, f64::floor))),
            // ytt's own name for it in errors.
            ("mod", binary("round", math::modulo)),
            ("pow", binary("pow", math::pow)),
            ("remainder", binary("remainder", math::remainder)),
            ("round", unary("round", f64::round)),
            ("exp", unary("exp", math::exp)),
            ("sqrt", unary("sqrt", f64::sqrt)),
            ("acos", unary("acos", math::acos)),
            ("asin", unary("asin", math::asin)),
            ("atan", unary("atan", math::atan)),
            ("atan2", binary("atan2", math::atan2)),
            ("cos", unary("cos", math::cos)),
            ("hypot", binary("hypot", math::hypot)),
            ("sin", unary("sin", math::sin)),
            ("tan", unary("tan", math::tan)),
            ("degrees", unary("degrees", |x| 360.0 * x / (2.0 * PI))),
            ("radians", unary("radians", |x| 2.0 * PI * x / 360.0)),
            ("acosh", unary("acosh", math::acosh)),
            ("asinh", unary("asinh", math::asinh)),
            ("atanh", unary("atanh", math::atanh)),
            ("cosh", unary("cosh", math::cosh)),
            ("sinh", unary("sinh", math::sinh)),
            ("tanh", unary("tanh", math::tanh)),
            ("log", warning("log", |_, args| logarithm(args))),
            ("gamma", unary("gamma", math::gamma)),
            ("e", Value::float(E)),
            ("pi", Value::float(PI)),
        ],
    )
}

fn float(value: &Value) -> Result<f64, Error> {
    match value.view() {
        View::Float(value) => Ok(value),
        View::Int(value) => Ok(value as f64),
        View::BigInt(value) => Ok(big_float(value)),
        _ => Err(Error::new(format!("expected float value, but was {}", go_type_name(value)))),
    }
}

fn big_float(value: &BigInt) -> f64 {
    // The text of a float is read with correct rounding.
    value.to_string().parse().unwrap_or(f64::INFINITY)
}

/// The integer that a float is rounded to.
fn whole(name: &'static str, args: &Args<'_>, round: Unary) -> Result<Value, Error> {
    // The name is there twice: the function says it, and so does what wraps it.
    let [value] = args.positional_only(name, 1, [Want::Any]).map_err(|error| error.prefixed(name))?;
    let Some(value) = value else { return Ok(Value::NONE) };
    match value.view() {
        View::Int(_) | View::BigInt(_) => Ok(value.clone()),
        View::Float(number) => as_integer(&Value::float(round(number))).ok_or_else(|| {
            let number = if number.is_nan() { "NaN" } else { "infinity" };
            Error::new(format!("{name}: cannot convert float {number} to integer"))
        }),
        _ => Err(Error::new(format!("{name}: expected float value, but was {}", go_type_name(value)))),
    }
}

fn logarithm(args: &Args<'_>) -> Result<Value, Error> {
    let [x, base] = args.positional_only("log", 1, [Want::Any, Want::Any])?;
    let x = x.map_or(Ok(f64::NAN), float)?;
    let base = base.map_or(Ok(E), float)?;
    Ok(Value::float(math::log(x) / math::log(base)))
}

//! Functions on integers, and on floats except for decimal arithmetic.

use std::fmt::Write;

use trueline_gostd::strconv::scaled_by_power_of_two;
use trueline_gotemplate::{Context, Element, Error, Function, List, Type, Value};

use crate::argument::{any, float, integer, rest};
use crate::cast::{to_float, to_int};
use crate::define::{fixed, variadic};
use crate::text;

const ONE: &[Type] = &[Type::Any];
const TWO: &[Type] = &[Type::Any, Type::Any];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("add1", ONE, add1, "NUMBER", "The number plus one."),
    variadic("add", ONE, add, "NUMBER…", "The sum."),
    fixed("sub", TWO, sub, "NUMBER NUMBER", "The first number minus the second."),
    variadic("mul", TWO, mul, "NUMBER NUMBER…", "The product."),
    fixed("div", TWO, div, "NUMBER NUMBER", "The first number divided by the second, without the remainder."),
    fixed("mod", TWO, modulo, "NUMBER NUMBER", "The remainder of the division, with the sign of the first."),
    variadic("max", TWO, max, "NUMBER NUMBER…", "The largest."),
    variadic("biggest", TWO, max, "NUMBER NUMBER…", "An older name of `max`."),
    variadic("min", TWO, min, "NUMBER NUMBER…", "The smallest."),
    variadic("maxf", TWO, maxf, "NUMBER NUMBER…", "The largest, as a float."),
    variadic("minf", TWO, minf, "NUMBER NUMBER…", "The smallest, as a float."),
    fixed("floor", ONE, floor, "NUMBER", "The largest integer that is not greater."),
    fixed("ceil", ONE, ceil, "NUMBER", "The smallest integer that is not smaller."),
    variadic(
        "round",
        &[Type::Any, Type::INT, Type::Float64],
        round,
        "NUMBER PLACES [FROM]",
        "The number rounded to `PLACES` decimals, up from `FROM` (by default one half).",
    ),
    fixed("until", &[Type::INT], until, "END", "The integers from 0 up to, but not including, the end."),
    fixed(
        "untilStep",
        &[Type::INT, Type::INT, Type::INT],
        until_step,
        "START END STEP",
        "The integers from the start up to, but not including, the end.",
    ),
    variadic(
        "seq",
        &[Type::INT],
        seq,
        "[START [STEP]] END",
        "The integers from the start, or 1, to the end, as a string separated by spaces.",
    ),
];

fn int(arguments: &[Value], index: usize) -> i64 {
    arguments.get(index).map_or(0, to_int)
}

fn add1(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::int64(int(arguments, 0).wrapping_add(1)))
}

fn add(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::int64(arguments.iter().map(to_int).fold(0, i64::wrapping_add)))
}

fn sub(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::int64(int(arguments, 0).wrapping_sub(int(arguments, 1))))
}

fn mul(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::int64(rest(arguments, 1).iter().map(to_int).fold(int(arguments, 0), i64::wrapping_mul)))
}

fn div(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    match int(arguments, 1) {
        0 => Err(division_by_zero()),
        divisor => Ok(Value::int64(int(arguments, 0).wrapping_div(divisor))),
    }
}

fn modulo(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    match int(arguments, 1) {
        0 => Err(division_by_zero()),
        divisor => Ok(Value::int64(int(arguments, 0).wrapping_rem(divisor))),
    }
}

fn division_by_zero() -> Error {
    Error::new("runtime error: integer divide by zero")
}

fn max(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::int64(arguments.iter().map(to_int).max().unwrap_or(0)))
}

fn min(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::int64(arguments.iter().map(to_int).min().unwrap_or(0)))
}

fn maxf(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(extreme(arguments, f64::INFINITY, |one, other| {
        one > other || (one == other && other.is_sign_negative())
    })))
}

fn minf(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(extreme(arguments, f64::NEG_INFINITY, |one, other| {
        one < other || (one == other && one.is_sign_negative())
    })))
}

/// The first number in order. As in Go, `limit` comes before NaN, and NaN before everything else.
fn extreme(arguments: &[Value], limit: f64, before: impl Fn(f64, f64) -> bool) -> f64 {
    let numbers = arguments.iter().map(to_float);
    let choose = |one: f64, other: f64| {
        if one == limit || other == limit {
            limit
        } else if one.is_nan() || other.is_nan() {
            f64::NAN
        } else if before(one, other) {
            one
        } else {
            other
        }
    };
    numbers.reduce(choose).unwrap_or(0.0)
}

fn floor(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(to_float(&any(arguments, 0)).floor()))
}

fn ceil(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(to_float(&any(arguments, 0)).ceil()))
}

fn round(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let from = if arguments.len() > 2 { float(arguments, 2) } else { 0.5 };
    let power = power_of_ten(integer(arguments, 1));
    let scaled = power * to_float(&any(arguments, 0));
    // As Go's `Modf`, for which infinity has no fraction.
    let fraction = if scaled.is_infinite() { f64::NAN } else { scaled.fract() };
    let rounded = if fraction >= from { scaled.ceil() } else { scaled.floor() };
    Ok(Value::from(rounded / power))
}

/// Ten to an integer power, with the same last digit as Go's squaring.
fn power_of_ten(exponent: i64) -> f64 {
    if exponent == 1 {
        return 10.0;
    }
    // 10 is 0.625 times 2 to the 4th.
    let (mut result, mut result_exponent) = (1.0, 0i64);
    let (mut square, mut square_exponent) = (0.625, 4i64);
    let mut left = exponent.unsigned_abs();
    while left != 0 {
        if !(-4096..=4096).contains(&square_exponent) {
            result_exponent += square_exponent;
            break;
        }
        if left & 1 == 1 {
            result *= square;
            result_exponent += square_exponent;
        }
        square *= square;
        square_exponent *= 2;
        if square < 0.5 {
            square += square;
            square_exponent -= 1;
        }
        left >>= 1;
    }
    if exponent < 0 {
        result = 1.0 / result;
        result_exponent = -result_exponent;
    }
    scaled_by_power_of_two(result, result_exponent)
}

fn until(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let end = integer(arguments, 0);
    list(context, Steps { start: 0, end, step: if end < 0 { -1 } else { 1 } })
}

fn until_step(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    list(
        context,
        Steps { start: integer(arguments, 0), end: integer(arguments, 1), step: integer(arguments, 2) },
    )
}

fn seq(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let direction = |start: i64, end: i64| if end < start { -1 } else { 1 };
    let numbers: Vec<i64> = (0..arguments.len()).map(|index| integer(arguments, index)).collect();
    let steps = match *numbers {
        [end] => {
            let step = direction(1, end);
            Steps { start: 1, end: end.wrapping_add(step), step }
        }
        [start, end] => {
            let step = direction(start, end);
            Steps { start, end: end.wrapping_add(step), step }
        }
        [start, step, end] if end >= start || step <= 0 => {
            Steps { start, end: end.wrapping_add(direction(start, end)), step }
        }
        _ => return Ok(Value::from("")),
    };
    let count = steps.count();
    // A number has up to twenty digits.
    text::check_size(count.saturating_mul(21))?;
    context.spend(count.saturating_mul(12))?;
    let mut text = String::new();
    for (index, number) in steps.map(|number| number).enumerate() {
        let gap = if index == 0 { "" } else { " " };
        let _ = write!(text, "{gap}{number}");
    }
    Ok(Value::from(text))
}

/// The integers from a start up to, but not including, an end.
struct Steps {
    start: i64,
    end: i64,
    step: i64,
}

impl Steps {
    /// Their number.
    fn count(&self) -> u64 {
        let distance = i128::from(self.end) - i128::from(self.start);
        let step = i128::from(self.step);
        if step == 0 || distance == 0 || (distance < 0) != (step < 0) {
            return 0;
        }
        u64::try_from(distance.abs().saturating_add(step.abs() - 1) / step.abs()).unwrap_or(u64::MAX)
    }

    fn map<T>(&self, with: impl Fn(i64) -> T) -> impl Iterator<Item = T> {
        let (start, step) = (self.start, self.step);
        (0..self.count() as i64).map(move |index| with(start.wrapping_add(index.wrapping_mul(step))))
    }
}

/// The maximum number of items of a generated list.
const LONGEST: u64 = 1 << 22;

fn list(context: &mut dyn Context, steps: Steps) -> Result<Value, Error> {
    let count = steps.count();
    if count > LONGEST {
        return Err(Error::limit(format!("the list would have {count} items, more than {LONGEST}")));
    }
    context.spend(count.saturating_mul(size_of::<Value>() as u64 / 2))?;
    Ok(Value::from(List::new(Element::Int, steps.map(Value::int).collect())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, check};

    #[test]
    fn functions_return_what_sprig_returns() {
        check(&[
            (r#"add1 "41""#, "int64 42"),
            (r#"add 1 "2" 3.9 true nil"#, "int64 7"),
            ("add", "int64 0"),
            ("add 9223372036854775807 1", "int64 -9223372036854775808"),
            ("sub 5 7", "int64 -2"),
            (r#"mul 2 "3" 1.9"#, "int64 6"),
            ("mul 4", "int64 4"),
            ("div 7 2", "int64 3"),
            ("div -7 2", "int64 -3"),
            ("div 1 0", "! runtime error: integer divide by zero"),
            ("div -9223372036854775808 -1", "int64 -9223372036854775808"),
            ("mod -7 3", "int64 -1"),
            (r#"mod 1 "x""#, "! runtime error: integer divide by zero"),
            (r#"max 1 "5" 3.9"#, "int64 5"),
            ("biggest -1", "int64 -1"),
            (r#"min 1 "-5" nil"#, "int64 -5"),
            (r#"maxf 1.5 "2.5" 2"#, "float64 2.5"),
            ("minf 1.5 nil", "float64 0"),
            ("floor -1.5", "float64 -2"),
            (r#"floor "x""#, "float64 0"),
            ("ceil 1.2", "float64 2"),
            ("round 2.5 0", "float64 3"),
            ("round -1.5 0", "float64 -2"),
            ("round 1.005 2", "float64 1"),
            ("round 123.5555 3", "float64 123.556"),
            ("round 123.5 -2", "float64 100"),
            ("round 1.4 0 0.3", "float64 2"),
            (r#"round "1e400" 2"#, "float64 0"),
            ("until 3", "[]int [0,1,2]"),
            ("until -2", "[]int [0,-1]"),
            ("until 0", "[]int []"),
            ("untilStep 0 7 3", "[]int [0,3,6]"),
            ("untilStep 3 0 -1", "[]int [3,2,1]"),
            ("untilStep 0 3 0", "[]int []"),
            ("untilStep 3 0 1", "[]int []"),
            ("seq 3", r#"string "1 2 3""#),
            ("seq -1", r#"string "1 0 -1""#),
            ("seq 0", r#"string "1 0""#),
            ("seq 2 5", r#"string "2 3 4 5""#),
            ("seq 5 2", r#"string "5 4 3 2""#),
            ("seq 0 2 5", r#"string "0 2 4""#),
            ("seq 5 -2 0", r#"string "5 3 1""#),
            ("seq 0 -1 5", r#"string """#),
            ("seq", r#"string """#),
            ("seq 1 2 3 4", r#"string """#),
        ]);
    }

    #[test]
    fn endless_lists_are_refused() {
        for (name, arguments) in [
            ("until", vec![Value::int(i64::MAX)]),
            ("untilStep", vec![Value::int(i64::MIN), Value::int(i64::MAX), Value::int(1)]),
            ("seq", vec![Value::int(1 << 40)]),
        ] {
            assert!(call(FUNCTIONS, name, &arguments).unwrap_err().is_limit(), "{name}");
        }
    }

    #[test]
    fn powers_of_ten_have_go_s_last_digit() {
        for (exponent, expected) in
            [(0, 1.0), (1, 10.0), (2, 100.0), (-2, 0.01), (22, 1e22), (400, f64::INFINITY)]
        {
            assert_eq!(power_of_ten(exponent), expected, "{exponent}");
        }
        assert_eq!((power_of_ten(-400), power_of_ten(i64::MIN)), (0.0, 0.0));
    }
}

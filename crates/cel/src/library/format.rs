//! `format`: a string whose clauses, such as `%d`, are replaced by arguments. The words of numbers are those of American
//! English, as Go's `x/text` writes them.

use std::fmt::Write as _;

use trueline_gostd::number;
use trueline_gostd::quote::quote;

use crate::arguments::{list, size, string};
use crate::function::{Actual, Cost, Estimate, Fault, Function, Overload, STRING_TRAVERSAL, by_factor};
use crate::types::Type;
use crate::value::{List, Map, Value};

use super::conversions::to_string;
use super::strings::MOST_BYTES;

/// The declaration.
pub(super) fn function() -> Function {
    let params = vec![Type::String, Type::list(Type::Dyn)];
    let overload = Overload::member("string_format", params, Type::String, format_call).variadic();
    let cost = Cost {
        actual: Actual::ByArguments(|args| by_factor(size(args, 0), STRING_TRAVERSAL)),
        estimate: |call| match call.target_size() {
            Some(size) => Estimate::cost(size.by_factor(STRING_TRAVERSAL)),
            None => (Cost::UNIT.estimate)(call),
        },
    };
    Function::new("format", vec![overload.costing(cost)])
}

/// How an argument is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    /// `%s`
    String,
    /// `%d`
    Decimal,
    /// `%f`
    Fixed,
    /// `%e`
    Scientific,
    /// `%b`
    Binary,
    /// `%x`
    LowerHex,
    /// `%X`
    UpperHex,
    /// `%o`
    Octal,
}

impl Verb {
    /// Which arguments it takes.
    fn takes(self) -> &'static str {
        match self {
            Verb::String => {
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, \
                 and timestamps"
            }
            Verb::Decimal => "decimal clause can only be used on integers",
            Verb::Fixed => "fixed-point clause can only be used on doubles",
            Verb::Scientific => "scientific clause can only be used on doubles",
            Verb::Binary => "only integers and bools can be formatted as binary",
            Verb::LowerHex | Verb::UpperHex => {
                "only integers, byte buffers, and strings can be formatted as hex"
            }
            Verb::Octal => "octal clause can only be used on integers",
        }
    }

    /// What is said of an argument of the wrong type.
    pub(crate) fn refuses(self, type_name: &str) -> String {
        format!("error during formatting: {}, was given {type_name}", self.takes())
    }
}

/// Text before a clause, then the clause, if there is another one.
pub(crate) struct Part<'a> {
    /// The text, with `%%` still in it.
    pub text: &'a str,
    /// The clause.
    pub clause: Option<Clause<'a>>,
}

/// What follows a percent sign.
pub(crate) struct Clause<'a> {
    rest: &'a str,
}

impl<'a> Clause<'a> {
    /// Whether the string ends with the percent sign.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.rest.is_empty()
    }

    /// The verb, its precision, and what follows it; or what is wrong with it.
    pub(crate) fn read(&self) -> Result<(Verb, Option<u64>, &'a str), String> {
        let wrong = |words: String| Err(format!("could not parse formatting clause: {words}"));
        let mut rest = self.rest;
        let mut precision = None;
        if let Some(after) = rest.strip_prefix('.') {
            let length = after.bytes().take_while(u8::is_ascii_digit).count();
            let (digits, after) = after.split_at(length);
            if after.is_empty() {
                return wrong(
                    "error while parsing precision: could not find end of precision specifier".to_owned(),
                );
            }
            match digits.parse::<i64>() {
                Ok(number) => precision = Some(number.unsigned_abs()),
                Err(_) => {
                    let words = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
                    return wrong(format!(
                        "error while parsing precision: error while converting precision to integer: strconv.Atoi: \
                         parsing {}: {words}",
                        quote(digits)
                    ));
                }
            }
            rest = after;
        }
        let verb = match rest.as_bytes().first() {
            Some(b's') => Verb::String,
            Some(b'd') => Verb::Decimal,
            Some(b'f') => Verb::Fixed,
            Some(b'e') => Verb::Scientific,
            Some(b'b') => Verb::Binary,
            Some(b'x') => Verb::LowerHex,
            Some(b'X') => Verb::UpperHex,
            Some(b'o') => Verb::Octal,
            // One byte is taken for a whole character.
            other => {
                let byte = char::from(other.copied().unwrap_or_default());
                return wrong(format!("unrecognized formatting clause \"{byte}\""));
            }
        };
        Ok((verb, precision, rest.get(1..).unwrap_or_default()))
    }
}

/// The text up to the next clause.
pub(crate) fn next_part(text: &str) -> Part<'_> {
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find('%')) {
        let place = from + found;
        let rest = text.get(place + 1..).unwrap_or_default();
        if rest.starts_with('%') {
            from = place + 2;
            continue;
        }
        return Part { text: text.get(..place).unwrap_or_default(), clause: Some(Clause { rest }) };
    }
    Part { text, clause: None }
}

fn format_call(args: &[Value]) -> Result<Value, Fault> {
    let (format, values) = (string(args, 0)?, list(args, 1)?);
    let mut written = String::new();
    let mut rest: &str = format;
    for index in 0.. {
        let part = next_part(rest);
        push_literal(&mut written, part.text);
        let Some(clause) = part.clause else { break };
        let Some(value) = values.get(index) else {
            return Err(Fault::new(format!("index {index} out of range")));
        };
        if clause.is_cut_off() {
            return Err(Fault::new("unexpected end of string"));
        }
        let (verb, precision, after) = clause.read().map_err(Fault::new)?;
        write_value(&mut written, &value, verb, precision)?;
        rest = after;
    }
    Ok(Value::from(written))
}

fn push_literal(written: &mut String, text: &str) {
    match text.contains('%') {
        true => written.push_str(&text.replace("%%", "%")),
        false => written.push_str(text),
    }
}

fn write_value(written: &mut String, value: &Value, verb: Verb, precision: Option<u64>) -> Result<(), Fault> {
    let refused = || Fault::new(verb.refuses(value.type_name()));
    // Writing to a string cannot fail.
    let _ = match (verb, value) {
        (Verb::String, value) => {
            write_string(written, value).map_err(|words| {
                Fault::new(words.map_or_else(
                    || verb.refuses(value.type_name()),
                    |words| format!("error during formatting: {words}"),
                ))
            })?;
            Ok(())
        }
        (Verb::Decimal, Value::Int(number)) => write!(written, "{number}"),
        (Verb::Decimal, Value::UInt(number)) => write!(written, "{number}"),
        (Verb::Fixed, value) => {
            let number = double(value).ok_or_else(refused)?;
            written.push_str(&fixed(number, precision.unwrap_or(6)));
            Ok(())
        }
        (Verb::Scientific, value) => {
            let number = double(value).ok_or_else(refused)?;
            written.push_str(&scientific(number, precision.unwrap_or(6)));
            Ok(())
        }
        (Verb::Binary, Value::Bool(value)) => write!(written, "{}", u8::from(*value)),
        (Verb::Binary, Value::Int(number)) => write!(written, "{}{:b}", sign(*number), number.unsigned_abs()),
        (Verb::Binary, Value::UInt(number)) => write!(written, "{number:b}"),
        (Verb::Octal, Value::Int(number)) => write!(written, "{}{:o}", sign(*number), number.unsigned_abs()),
        (Verb::Octal, Value::UInt(number)) => write!(written, "{number:o}"),
        (Verb::LowerHex, Value::Int(number)) => {
            write!(written, "{}{:x}", sign(*number), number.unsigned_abs())
        }
        (Verb::UpperHex, Value::Int(number)) => {
            write!(written, "{}{:X}", sign(*number), number.unsigned_abs())
        }
        (Verb::LowerHex, Value::UInt(number)) => write!(written, "{number:x}"),
        (Verb::UpperHex, Value::UInt(number)) => write!(written, "{number:X}"),
        (Verb::LowerHex, value) => {
            bytes(value).ok_or_else(refused)?.iter().try_for_each(|byte| write!(written, "{byte:02x}"))
        }
        (Verb::UpperHex, value) => {
            bytes(value).ok_or_else(refused)?.iter().try_for_each(|byte| write!(written, "{byte:02X}"))
        }
        _ => return Err(refused()),
    };
    if written.len() > MOST_BYTES {
        return Err(Fault::new("string is too large"));
    }
    Ok(())
}

fn sign(number: i64) -> &'static str {
    if number < 0 { "-" } else { "" }
}

fn bytes(value: &Value) -> Option<&[u8]> {
    match value {
        Value::String(text) => Some(text.as_bytes()),
        Value::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

/// The number to write. Three strings name numbers that have no literal.
fn double(value: &Value) -> Option<f64> {
    match value {
        Value::Double(number) => Some(*number),
        Value::String(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// Writes a value as `%s` does. The error is nothing for a type that cannot be written, else words.
fn write_string(written: &mut String, value: &Value) -> Result<(), Option<String>> {
    match value {
        Value::List(list) => write_list(written, list).map_err(Some),
        Value::Map(map) if !matches!(map, Map::Object(..)) => write_map(written, map).map_err(Some),
        Value::Null => {
            written.push_str("null");
            Ok(())
        }
        Value::String(text) => {
            written.push_str(text);
            Ok(())
        }
        Value::Type(inner) => {
            written.push_str(inner.runtime_name());
            Ok(())
        }
        Value::Map(_) | Value::Optional(_) | Value::Opaque(_) => Err(None),
        value => match to_string(std::slice::from_ref(value)) {
            Ok(text) => {
                let _ = write!(written, "{text}");
                Ok(())
            }
            Err(fault) => {
                Err(Some(format!("could not convert argument {} to string", quote(&*fault.to_string()))))
            }
        },
    }
}

/// Writes a value inside of a list or map, as a literal of the language where there is one.
fn write_inner(written: &mut String, value: &Value) -> Result<(), String> {
    if written.len() > MOST_BYTES {
        return Err("string is too large".to_owned());
    }
    match value {
        Value::Double(number) => {
            let words = match number {
                number if number.is_nan() => quote("NaN"),
                number if number.is_infinite() => quote(if *number > 0.0 { "+Inf" } else { "-Inf" }),
                number => format!("{number:.6}"),
            };
            written.push_str(&words);
        }
        Value::Optional(_) | Value::Opaque(_) | Value::Map(Map::Object(..)) => {
            return Err(format!("no formatting function for {}", value.type_name()));
        }
        _ => {
            let start = written.len();
            write_string(written, value).map_err(Option::unwrap_or_default)?;
            let (prefix, suffix) = match value {
                Value::String(_) => ("", ""),
                Value::Bytes(_) => ("b", ""),
                Value::Timestamp(_) => ("timestamp(", ")"),
                Value::Duration(_) => ("duration(", ")"),
                _ => return Ok(()),
            };
            let plain = written.split_off(start);
            written.extend([prefix, &quote(&plain), suffix]);
        }
    }
    Ok(())
}

fn write_list(written: &mut String, list: &List) -> Result<(), String> {
    written.push('[');
    for (index, item) in list.iter().enumerate() {
        if index > 0 {
            written.push_str(", ");
        }
        write_inner(written, &item)?;
    }
    written.push(']');
    Ok(())
}

/// Writes a map in the order of its written keys.
fn write_map(written: &mut String, map: &Map) -> Result<(), String> {
    let mut entries = Vec::with_capacity(map.len());
    for (key, value) in map {
        let mut entry = (String::new(), String::new());
        match key {
            Value::String(_) | Value::Bool(_) | Value::Int(_) | Value::UInt(_) => {
                write_inner(&mut entry.0, &key)?;
            }
            _ => return Err(format!("no formatting function for map key of type {}", key.type_name())),
        }
        write_inner(&mut entry.1, &value)?;
        entries.push(entry);
    }
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    written.push('{');
    for (index, (key, value)) in entries.iter().enumerate() {
        if index > 0 {
            written.push_str(", ");
        }
        written.extend([key, ":", value]);
    }
    written.push('}');
    Ok(())
}

/// Go's answer to a number of eight digits or more in a format.
const NO_VERB: &str = "%!(NOVERB)";

/// The most that Go reads a precision or width up to. The last digit is read without looking.
const MOST_PRECISION: u64 = 10_000_009;

/// A number with groups of three digits and so many after the point.
fn fixed(number: f64, precision: u64) -> String {
    if precision > MOST_PRECISION {
        return NO_VERB.to_owned();
    }
    if let Some(special) = special(number) {
        return special;
    }
    // The limits are kept in a few bits, so a large precision wraps around: at least so many digits are written in eight
    // bits, at most in sixteen, and a negative limit is none.
    let (least, most) = (usize::from(precision as u8), precision as u16 as i16);
    let digits = match usize::try_from(most) {
        Ok(most) => format!("{:.most$}", number.abs()),
        Err(_) => number::positional(number.abs()),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let mut text = String::from(if number < 0.0 { "-" } else { "" });
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() || least > 0 {
        let _ = write!(text, ".{fraction:0<least$}");
    }
    text
}

/// A number with a power of ten. What is called its precision is its width; there are always six digits after the point.
fn scientific(number: f64, width: u64) -> String {
    if width > MOST_PRECISION {
        return NO_VERB.to_owned();
    }
    let text = special(number).unwrap_or_else(|| {
        let digits = format!("{:.6e}", number.abs());
        let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
        let (minus, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ("⁻", exponent),
            None => ("", exponent),
        };
        let raised: String = format!("{exponent:0>2}").chars().filter_map(superscript).collect();
        let sign = if number < 0.0 { "-" } else { "" };
        format!("{sign}{mantissa}×10{minus}{raised}")
    });
    let width = usize::from(width as u16);
    format!("{text:>width$}")
}

fn superscript(digit: char) -> Option<char> {
    let index = usize::try_from(digit.to_digit(10)?).ok()?;
    ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'].get(index).copied()
}

fn special(number: f64) -> Option<String> {
    let words = match number {
        number if number.is_nan() => "NaN",
        f64::INFINITY => "∞",
        f64::NEG_INFINITY => "-∞",
        _ => return None,
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(format: &str, values: Vec<Value>) -> String {
        match format_call(&[Value::from(format), Value::list(values)]) {
            Ok(Value::String(text)) => text.to_string(),
            Ok(other) => format!("{other:?}"),
            Err(fault) => format!("error: {fault}"),
        }
    }

    #[test]
    fn numbers() {
        let double = |format: &str, number: f64| formatted(format, vec![Value::Double(number)]);
        assert_eq!(double("%f", -1_234_567.891), "-1,234,567.891000");
        assert_eq!(double("%.2f", -0.001), "-0.00");
        assert_eq!(double("%.0f", 2.5), "2");
        assert_eq!(double("%f", -0.0), "0.000000");
        assert_eq!(double("%f", f64::INFINITY), "∞");
        assert_eq!(double("%.300f", 0.1), "0.1000000000000000055511151231257827021181583404541015625");
        assert_eq!(double("%.40000f", 1234.1), format!("1,234.1{}", "0".repeat(63)));
        assert_eq!(double("%.99999999f", 1.5), "%!(NOVERB)");
        assert_eq!(double("%.10000000f", 1.5).len(), 130);
        assert_eq!(double("%e", 0.000012345), "1.234500×10⁻⁰⁵");
        assert_eq!(double("%e", f64::NAN), "   NaN");
        assert_eq!(double("%.20e", 1.5), "       1.500000×10⁰⁰");
        assert_eq!(double("%s", 1e21), "1e+21");
        assert_eq!(
            formatted("%x %X %o %b", vec![Value::Int(-255), "hé".into(), Value::Int(8), true.into()]),
            "-ff 68C3A9 10 1"
        );
    }

    #[test]
    fn lists_and_maps_are_written_as_literals() {
        let inner = Value::list(vec![
            Value::Double(1.5),
            Value::from("a\n"),
            Value::bytes(*b"b"),
            Value::Null,
            Value::Duration(1_500_000_000),
        ]);
        let map = [(Value::from("b"), Value::Int(1)), (Value::from("a"), Value::Bool(true))];
        let map: crate::value::ComputedMap = map.into_iter().collect();
        assert_eq!(
            formatted("%s %s", vec![inner, map.into()]),
            "[1.500000, \"a\\n\", b\"b\", null, duration(\"1.5s\")] {\"a\":true, \"b\":1}"
        );
    }

    #[test]
    fn faults() {
        for (format, values, expected) in [
            (
                "%d",
                vec![Value::from("a")],
                "error during formatting: decimal clause can only be used on integers, was given string",
            ),
            ("%d", vec![], "index 0 out of range"),
            ("%", vec![Value::Null], "unexpected end of string"),
            (
                "%é",
                vec![Value::Null],
                "could not parse formatting clause: unrecognized formatting clause \"Ã\"",
            ),
            (
                "%s",
                vec![Value::list(vec![Value::none()])],
                "error during formatting: no formatting function for optional_type",
            ),
            (
                "%s",
                vec![Value::bytes([0xff])],
                "error during formatting: could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string",
            ),
        ] {
            assert_eq!(formatted(format, values), format!("error: {expected}"));
        }
        assert_eq!(formatted("100%% %s%%", vec![Value::from("é")]), "100% é%");
    }
}

//! Conversions between types, `dyn` and `type`.

use trueline_gostd::{number, strconv, time};

use crate::function::{
    Actual, Cost, Estimate, Fault, Function, Overload, Run, STRING_TRAVERSAL, Size, by_factor,
};
use crate::library::standard::{declare, known_size};
use crate::types::Type;
use crate::value::{Timestamp, Value, parse_timestamp};

pub(super) fn functions() -> Vec<Function> {
    let a = || Type::Param("A");
    vec![
        Function::with_singleton("type", vec![declare("type", &[a()], Type::type_of(a()))], |args| {
            Ok(Value::Type(first(args)?.type_of()))
        }),
        Function::with_singleton("dyn", vec![declare("to_dyn", &[a()], Type::Dyn)], same),
        Function::new(
            "bool",
            vec![
                convert("bool_to_bool", Type::Bool, Type::Bool, same),
                convert("string_to_bool", Type::String, Type::Bool, string_to_bool),
            ],
        ),
        Function::new(
            "bytes",
            vec![
                convert("bytes_to_bytes", Type::Bytes, Type::Bytes, same),
                convert("string_to_bytes", Type::String, Type::Bytes, string_to_bytes).costing(TO_BYTES),
            ],
        ),
        Function::new(
            "double",
            vec![
                convert("double_to_double", Type::Double, Type::Double, same),
                convert("int64_to_double", Type::Int, Type::Double, to_double),
                convert("string_to_double", Type::String, Type::Double, to_double),
                convert("uint64_to_double", Type::UInt, Type::Double, to_double),
            ],
        ),
        Function::new(
            "duration",
            vec![
                convert("duration_to_duration", Type::Duration, Type::Duration, same),
                convert("int64_to_duration", Type::Int, Type::Duration, to_duration),
                convert("string_to_duration", Type::String, Type::Duration, to_duration),
            ],
        ),
        Function::new(
            "int",
            vec![
                convert("int64_to_int64", Type::Int, Type::Int, same),
                convert("double_to_int64", Type::Double, Type::Int, to_int),
                convert("duration_to_int64", Type::Duration, Type::Int, to_int),
                convert("string_to_int64", Type::String, Type::Int, to_int),
                convert("timestamp_to_int64", Type::Timestamp, Type::Int, to_int),
                convert("uint64_to_int64", Type::UInt, Type::Int, to_int),
            ],
        ),
        Function::new(
            "string",
            vec![
                convert("string_to_string", Type::String, Type::String, same),
                convert("bool_to_string", Type::Bool, Type::String, to_string),
                convert("bytes_to_string", Type::Bytes, Type::String, to_string).costing(FROM_BYTES),
                convert("double_to_string", Type::Double, Type::String, to_string),
                convert("duration_to_string", Type::Duration, Type::String, to_string),
                convert("int64_to_string", Type::Int, Type::String, to_string),
                convert("timestamp_to_string", Type::Timestamp, Type::String, to_string),
                convert("uint64_to_string", Type::UInt, Type::String, to_string),
            ],
        ),
        Function::new(
            "timestamp",
            vec![
                convert("timestamp_to_timestamp", Type::Timestamp, Type::Timestamp, same),
                convert("int64_to_timestamp", Type::Int, Type::Timestamp, to_timestamp),
                convert("string_to_timestamp", Type::String, Type::Timestamp, to_timestamp),
            ],
        ),
        Function::new(
            "uint",
            vec![
                convert("uint64_to_uint64", Type::UInt, Type::UInt, same),
                convert("double_to_uint64", Type::Double, Type::UInt, to_uint),
                convert("int64_to_uint64", Type::Int, Type::UInt, to_uint),
                convert("string_to_uint64", Type::String, Type::UInt, to_uint),
            ],
        ),
    ]
}

const TO_BYTES: Cost = Cost {
    actual: Actual::ByArguments(actual_traversal),
    // A character has up to four bytes.
    estimate: |call| {
        let size = known_size(call.args.first().and_then(|arg| arg.size));
        let bytes = Size::between(size.min, size.max.wrapping_mul(4));
        Estimate::with_result(size.by_factor(STRING_TRAVERSAL), bytes)
    },
};

const FROM_BYTES: Cost = Cost {
    actual: Actual::ByArguments(actual_traversal),
    estimate: |call| {
        let size = known_size(call.args.first().and_then(|arg| arg.size));
        Estimate::with_result(size.by_factor(STRING_TRAVERSAL), Size::between(size.min / 4, size.max))
    },
};

fn actual_traversal(args: &[Value]) -> u64 {
    by_factor(args.first().map_or(1, Value::cost_size), STRING_TRAVERSAL)
}

fn convert(id: &'static str, from: Type, to: Type, run: Run) -> Overload {
    Overload::global(id, vec![from], to, run)
}

fn first(args: &[Value]) -> Result<&Value, Fault> {
    args.first().ok_or_else(Fault::no_such_overload)
}

fn same(args: &[Value]) -> Result<Value, Fault> {
    first(args).cloned()
}

fn impossible(from: &Value, to: &str) -> Fault {
    Fault::new(format!("type conversion error from '{}' to '{to}'", from.type_name()))
}

fn string_to_bool(args: &[Value]) -> Result<Value, Fault> {
    match first(args)? {
        Value::String(text) => match &**text {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Value::Bool(false)),
            _ => Err(impossible(first(args)?, "bool")),
        },
        other => Err(impossible(other, "bool")),
    }
}

fn string_to_bytes(args: &[Value]) -> Result<Value, Fault> {
    match first(args)? {
        Value::String(text) => Ok(Value::bytes(text.as_bytes())),
        other => Err(impossible(other, "bytes")),
    }
}

fn to_double(args: &[Value]) -> Result<Value, Fault> {
    let from = first(args)?;
    let number = match from {
        Value::Int(number) => Some(*number as f64),
        Value::UInt(number) => Some(*number as f64),
        // Numbers that are too large are an error here, not infinite.
        Value::String(text) => strconv::parse_float(text.as_bytes()).filter(|number| {
            let word = text.trim_start_matches(['+', '-']);
            !number.is_infinite() || word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity")
        }),
        _ => None,
    };
    number.map(Value::Double).ok_or_else(|| impossible(from, "double"))
}

fn to_duration(args: &[Value]) -> Result<Value, Fault> {
    let from = first(args)?;
    match from {
        Value::String(text) => {
            time::Duration::parse(text.as_bytes()).ok().map(|duration| Value::Duration(duration.0))
        }
        _ => None,
    }
    .ok_or_else(|| impossible(from, "google.protobuf.Duration"))
}

fn to_int(args: &[Value]) -> Result<Value, Fault> {
    let from = first(args)?;
    let overflow = || Fault::new("integer overflow");
    match from {
        Value::UInt(number) => i64::try_from(*number).map(Value::Int).map_err(|_| overflow()),
        Value::Double(number) if *number > i64::MIN as f64 && *number < i64::MAX as f64 => {
            Ok(Value::Int(*number as i64))
        }
        Value::Double(_) => Err(overflow()),
        Value::Duration(nanoseconds) => Ok(Value::Int(*nanoseconds)),
        Value::Timestamp(instant) => Ok(Value::Int(instant.seconds)),
        Value::String(text) => {
            strconv::parse_int(text.as_bytes(), 10).map(Value::Int).map_err(|_| impossible(from, "int"))
        }
        _ => Err(impossible(from, "int")),
    }
}

fn to_uint(args: &[Value]) -> Result<Value, Fault> {
    let from = first(args)?;
    let overflow = || Fault::new("unsigned integer overflow");
    match from {
        Value::Int(number) => u64::try_from(*number).map(Value::UInt).map_err(|_| overflow()),
        Value::Double(number) if *number >= 0.0 && *number < u64::MAX as f64 => {
            Ok(Value::UInt(*number as u64))
        }
        Value::Double(_) => Err(overflow()),
        Value::String(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().map(Value::UInt).map_err(|_| impossible(from, "uint"))
        }
        _ => Err(impossible(from, "uint")),
    }
}

pub(super) fn to_string(args: &[Value]) -> Result<Value, Fault> {
    let from = first(args)?;
    Ok(Value::string(match from {
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::UInt(number) => number.to_string(),
        Value::Double(number) => number::general(*number),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => return Err(Fault::new("invalid UTF-8 in bytes, cannot convert to string")),
        },
        Value::Duration(duration) => format!("{}s", number::positional(time::Duration(*duration).seconds())),
        Value::Timestamp(instant) => instant.rfc3339(),
        _ => return Err(impossible(from, "string")),
    }))
}

/// The seconds of the first and of the last instant that there are.
pub(super) const INSTANTS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

fn to_timestamp(args: &[Value]) -> Result<Value, Fault> {
    let from = first(args)?;
    let instant = match from {
        Value::Int(seconds) => Timestamp::new(*seconds, 0),
        Value::String(text) => match parse_timestamp(b"2006-01-02T15:04:05Z07:00", text) {
            Some(instant) => instant,
            None => return Err(impossible(from, "google.protobuf.Timestamp")),
        },
        _ => return Err(impossible(from, "google.protobuf.Timestamp")),
    };
    if !INSTANTS.contains(&instant.seconds) {
        return Err(Fault::new("timestamp overflow"));
    }
    Ok(Value::Timestamp(instant))
}

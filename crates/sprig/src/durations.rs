//! Durations as Helm reads them: strings with units, or numbers of seconds.

use trueline_gostd::strconv::parse_float;
use trueline_gostd::time::Duration;
use trueline_gotemplate::{Context, Data, Error, Function, Type, Value, fmt};

use crate::argument::any;
use crate::define::fixed;
use crate::time::{as_duration, duration_value};

const ANY: &[Type] = &[Type::Any];
const TWO: &[Type] = &[Type::Any, Type::Any];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("mustToDuration", ANY, must_to_duration, "DURATION", "The duration; fails if it is invalid."),
    fixed("durationNanoseconds", ANY, nanoseconds, "DURATION", "The duration in whole nanoseconds."),
    fixed("durationMicroseconds", ANY, microseconds, "DURATION", "The duration in whole microseconds."),
    fixed("durationMilliseconds", ANY, milliseconds, "DURATION", "The duration in whole milliseconds."),
    fixed("durationSeconds", ANY, seconds, "DURATION", "The duration in seconds."),
    fixed("durationMinutes", ANY, minutes, "DURATION", "The duration in minutes."),
    fixed("durationHours", ANY, hours, "DURATION", "The duration in hours."),
    fixed("durationDays", ANY, days, "DURATION", "The duration in days."),
    fixed("durationWeeks", ANY, weeks, "DURATION", "The duration in weeks."),
    fixed(
        "durationRoundTo",
        TWO,
        round_to,
        "DURATION MULTIPLE",
        "The duration rounded to a multiple of another.",
    ),
    fixed(
        "durationTruncateTo",
        TWO,
        truncate_to,
        "DURATION MULTIPLE",
        "The duration truncated to a multiple of another.",
    ),
];

/// A duration from a string such as `1h30m`, or from seconds.
fn read(value: &Value) -> Result<Duration, Error> {
    if let Some(span) = as_duration(value) {
        return Ok(span);
    }
    match &value.data {
        Data::Invalid | Data::Nil => Err(Error::new("invalid duration")),
        Data::String(text) => read_text(text.as_bytes()),
        Data::Int(_, seconds) => seconds
            .checked_mul(1_000_000_000)
            .map(Duration)
            .ok_or_else(|| Error::new(format!("duration seconds overflow: {seconds}"))),
        Data::Uint(_, seconds) => i64::try_from(*seconds)
            .ok()
            .and_then(|seconds| seconds.checked_mul(1_000_000_000))
            .map(Duration)
            .ok_or_else(|| Error::new(format!("duration seconds overflow: {seconds}"))),
        Data::Float(seconds) => from_seconds(*seconds),
        _ => Err(Error::new(format!("unsupported duration type {}", value.type_name()))),
    }
}

fn read_text(text: &[u8]) -> Result<Duration, Error> {
    let lossy = String::from_utf8_lossy(text);
    let trimmed = lossy.trim();
    if trimmed.is_empty() {
        return Err(Error::new("empty duration"));
    }
    if let Ok(span) = Duration::parse(trimmed.as_bytes()) {
        return Ok(span);
    }
    match parse_float(trimmed.as_bytes()) {
        Some(seconds) => from_seconds(seconds),
        None => {
            let quoted = fmt::quote(text);
            Err(Error::new(format!("could not parse duration {quoted}")))
        }
    }
}

fn from_seconds(seconds: f64) -> Result<Duration, Error> {
    const LIMIT: f64 = i64::MAX as f64;
    if !seconds.is_finite() {
        return Err(Error::new(format!(
            "invalid duration seconds: {}",
            fmt::text(&Value::from(seconds)).text()
        )));
    }
    if seconds.abs() > LIMIT / 1e9 {
        return Err(Error::new(format!(
            "duration seconds overflow: {}",
            fmt::text(&Value::from(seconds)).text()
        )));
    }
    // The one value beyond the range that passes the check becomes the smallest number, as in Go's conversion.
    let nanoseconds = seconds * 1e9;
    Ok(Duration(if nanoseconds >= LIMIT { i64::MIN } else { nanoseconds as i64 }))
}

fn given(arguments: &[Value], index: usize) -> Duration {
    read(&any(arguments, index)).unwrap_or(Duration(0))
}

fn must_to_duration(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    read(&any(arguments, 0)).map(duration_value)
}

fn nanoseconds(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::int64(given(arguments, 0).0))
}

fn microseconds(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::int64(given(arguments, 0).0 / 1_000))
}

fn milliseconds(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::int64(given(arguments, 0).0 / 1_000_000))
}

fn seconds(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(given(arguments, 0).seconds()))
}

fn minutes(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(given(arguments, 0).minutes()))
}

fn hours(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(given(arguments, 0).hours()))
}

fn days(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(given(arguments, 0).hours() / 24.0))
}

fn weeks(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(given(arguments, 0).hours() / 24.0 / 7.0))
}

/// The first duration changed by the second, or unchanged if there is no second.
fn changed(arguments: &[Value], change: fn(Duration, Duration) -> Duration) -> Result<Value, Error> {
    let span = match (read(&any(arguments, 0)), read(&any(arguments, 1))) {
        (Err(_), _) => Duration(0),
        (Ok(span), Err(_)) => span,
        (Ok(span), Ok(multiple)) => change(span, multiple),
    };
    Ok(duration_value(span))
}

fn round_to(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    changed(arguments, Duration::round)
}

fn truncate_to(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    changed(arguments, Duration::truncate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, shown};

    #[test]
    fn spans() {
        for (name, arguments, expected) in [
            ("mustToDuration", vec!["1h30m".into()], "1h30m0s"),
            ("mustToDuration", vec![" 1.5 ".into()], "1.5s"),
            ("mustToDuration", vec![Value::int(90)], "1m30s"),
            ("mustToDuration", vec![Value::from(2.5)], "2.5s"),
            ("mustToDuration", vec!["".into()], "empty duration"),
            ("mustToDuration", vec!["x".into()], "could not parse duration \"x\""),
            ("mustToDuration", vec![Value::nil()], "invalid duration"),
            ("mustToDuration", vec![Value::from(true)], "unsupported duration type bool"),
            ("mustToDuration", vec![Value::int(10_000_000_000)], "duration seconds overflow: 10000000000"),
            ("mustToDuration", vec![Value::from(1e30)], "duration seconds overflow: 1e+30"),
            ("mustToDuration", vec!["inf".into()], "invalid duration seconds: +Inf"),
            ("durationSeconds", vec!["1m30s".into()], "90"),
            ("durationSeconds", vec![Value::nil()], "0"),
            ("durationMilliseconds", vec!["1.5s".into()], "1500"),
            ("durationMicroseconds", vec!["1.5ms".into()], "1500"),
            ("durationNanoseconds", vec!["1us".into()], "1000"),
            ("durationMinutes", vec!["90s".into()], "1.5"),
            ("durationHours", vec!["90m".into()], "1.5"),
            ("durationDays", vec!["36h".into()], "1.5"),
            ("durationWeeks", vec!["168h".into()], "1"),
            ("durationRoundTo", vec!["1h29m31s".into(), "1m".into()], "1h30m0s"),
            ("durationRoundTo", vec!["bogus".into(), "1m".into()], "0s"),
            ("durationRoundTo", vec!["1h1s".into(), "x".into()], "1h0m1s"),
            ("durationTruncateTo", vec!["1h29m31s".into(), "1m".into()], "1h29m0s"),
        ] {
            assert_eq!(shown(call(FUNCTIONS, name, &arguments)), expected, "{name} {arguments:?}");
        }
    }
}

//! Timestamps and durations: arithmetic, and what clocks and calendars show.

use trueline_gostd::strconv;
use trueline_gostd::time::{Civil, Duration, Zone};

use crate::function::{Fault, Function, Overload, Run};
use crate::library::conversions::INSTANTS;
use crate::types::Type;
use crate::value::{Timestamp, Value};

pub(super) fn functions() -> Vec<Function> {
    vec![
        calendar("getFullYear", "timestamp_to_year", "timestamp_to_year_with_tz", |args| {
            show(args, |civil| civil.year)
        }),
        calendar("getMonth", "timestamp_to_month", "timestamp_to_month_with_tz", |args| {
            show(args, |civil| civil.month - 1)
        }),
        calendar("getDayOfYear", "timestamp_to_day_of_year", "timestamp_to_day_of_year_with_tz", |args| {
            show(args, |civil| civil.year_day() - 1)
        }),
        calendar("getDayOfMonth", "timestamp_to_day_of_month", "timestamp_to_day_of_month_with_tz", |args| {
            show(args, |civil| civil.day - 1)
        }),
        calendar(
            "getDate",
            "timestamp_to_day_of_month_1_based",
            "timestamp_to_day_of_month_1_based_with_tz",
            |args| show(args, |civil| civil.day),
        ),
        calendar("getDayOfWeek", "timestamp_to_day_of_week", "timestamp_to_day_of_week_with_tz", |args| {
            show(args, |civil| civil.weekday())
        }),
        clock(
            "getHours",
            ["timestamp_to_hours", "timestamp_to_hours_with_tz", "duration_to_hours"],
            [|args| show(args, |civil| civil.hour), |args| last(args, |duration| duration.hours() as i64)],
        ),
        clock(
            "getMinutes",
            ["timestamp_to_minutes", "timestamp_to_minutes_with_tz", "duration_to_minutes"],
            [
                |args| show(args, |civil| civil.minute),
                |args| last(args, |duration| duration.minutes() as i64),
            ],
        ),
        clock(
            "getSeconds",
            ["timestamp_to_seconds", "timestamp_to_seconds_tz", "duration_to_seconds"],
            [
                |args| show(args, |civil| civil.second),
                |args| last(args, |duration| duration.seconds() as i64),
            ],
        ),
        clock(
            "getMilliseconds",
            ["timestamp_to_milliseconds", "timestamp_to_milliseconds_with_tz", "duration_to_milliseconds"],
            [
                |args| show(args, |civil| civil.nanosecond / 1_000_000),
                |args| last(args, |duration| duration.0 / 1_000_000),
            ],
        ),
    ]
}

fn calendar(name: &'static str, plain: &'static str, zoned: &'static str, run: Run) -> Function {
    Function::new(
        name,
        vec![
            Overload::member(plain, vec![Type::Timestamp], Type::Int, run),
            Overload::member(zoned, vec![Type::Timestamp, Type::String], Type::Int, run),
        ],
    )
}

fn clock(name: &'static str, ids: [&'static str; 3], runs: [Run; 2]) -> Function {
    let [plain, zoned, duration] = ids;
    let [shown, lasted] = runs;
    let mut function = calendar(name, plain, zoned, shown);
    function.overloads.push(Overload::member(duration, vec![Type::Duration], Type::Int, lasted));
    function
}

/// What a calendar or a clock shows, in a zone or in UTC.
fn show(args: &[Value], part: fn(&Civil) -> i64) -> Result<Value, Fault> {
    let (instant, offset) = match args {
        [Value::Timestamp(instant)] => (instant, 0),
        [Value::Timestamp(instant), Value::String(zone)] => (instant, offset(zone, instant.seconds)?),
        _ => return Err(Fault::no_such_overload()),
    };
    let civil = Civil::from_unix(instant.seconds.wrapping_add(offset), instant.nanoseconds);
    Ok(Value::Int(part(&civil)))
}

fn last(args: &[Value], part: fn(Duration) -> i64) -> Result<Value, Fault> {
    match args {
        [Value::Duration(duration)] => Ok(Value::Int(part(Duration(*duration)))),
        _ => Err(Fault::no_such_overload()),
    }
}

/// How many seconds a zone is ahead of UTC at an instant.
fn offset(zone: &str, seconds: i64) -> Result<i64, Fault> {
    let Some((hours, minutes)) = zone.split_once(':') else {
        if zone.contains("..") || zone.starts_with('/') || zone.starts_with('\\') || zone.contains('\\') {
            return Err(Fault::new("time: invalid location name"));
        }
        let found =
            Zone::load(zone.as_bytes()).ok_or_else(|| Fault::new(format!("unknown time zone {zone}")))?;
        return Ok(found.lookup(seconds).offset);
    };
    let hours = number(hours)?;
    let minutes = number(minutes)?;
    let offset = hours.wrapping_mul(60);
    let offset =
        if zone.starts_with('-') { offset.wrapping_sub(minutes) } else { offset.wrapping_add(minutes) };
    Ok(Duration(offset.wrapping_mul(60_000_000_000)).seconds() as i64)
}

fn number(text: &str) -> Result<i64, Fault> {
    strconv::parse_int(text.as_bytes(), 10)
        .map_err(|why| Fault::new(why.of("Atoi", text.as_bytes()).to_string()))
}

/// The instant so many nanoseconds after another.
pub(super) fn later(instant: Timestamp, nanoseconds: i64) -> Result<Value, Fault> {
    const SECOND: i128 = 1_000_000_000;
    let sum =
        i128::from(instant.seconds) * SECOND + i128::from(instant.nanoseconds) + i128::from(nanoseconds);
    let seconds = i64::try_from(sum.div_euclid(SECOND)).unwrap_or(i64::MAX);
    if !INSTANTS.contains(&seconds) {
        return Err(Fault::new("timestamp overflow"));
    }
    let nanoseconds = u32::try_from(sum.rem_euclid(SECOND)).unwrap_or(0);
    Ok(Value::Timestamp(Timestamp { seconds, nanoseconds, offset: instant.offset }))
}

/// How many nanoseconds are between two instants, if they can be counted.
pub(super) fn between(left: Timestamp, right: Timestamp) -> Option<i64> {
    let seconds = left.seconds.checked_sub(right.seconds)?.checked_mul(1_000_000_000)?;
    seconds.checked_add(i64::from(left.nanoseconds) - i64::from(right.nanoseconds))
}

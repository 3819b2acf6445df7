//! Dates: formatted and parsed by Go's layouts, shifted, measured.

use trueline_gostd::strconv::{NoInt, parse_int};
use trueline_gostd::time::{Duration, Time, Zone, parse};
use trueline_gotemplate::{Context, Data, Error, Function, IntKind, Type, Value};

use crate::argument::{any, text};
use crate::define::fixed;
use crate::time::{TIME, as_time, time_argument, time_value};

const LAYOUT_AND_ANY: &[Type] = &[Type::String, Type::Any];
const TEXT_AND_TIME: &[Type] = &[Type::String, TIME];
const TWO_TEXTS: &[Type] = &[Type::String, Type::String];
const IN_ZONE: &[Type] = &[Type::String, Type::Any, Type::String];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("now", &[], now, "", "The current time."),
    fixed(
        "date",
        LAYOUT_AND_ANY,
        date,
        "LAYOUT TIME",
        "The time, or the seconds since 1970, formatted by Go's layout.",
    ),
    fixed(
        "dateInZone",
        IN_ZONE,
        date_in_zone,
        "LAYOUT TIME ZONE",
        "Like `date`, in a zone such as `Asia/Tokyo`.",
    ),
    fixed("date_in_zone", IN_ZONE, date_in_zone, "LAYOUT TIME ZONE", "An older name of `dateInZone`."),
    fixed("htmlDate", &[Type::Any], html_date, "TIME", "The date as `2006-01-02`."),
    fixed(
        "htmlDateInZone",
        &[Type::Any, Type::String],
        html_date_in_zone,
        "TIME ZONE",
        "The date in a zone as `2006-01-02`.",
    ),
    fixed(
        "toDate",
        TWO_TEXTS,
        to_date,
        "LAYOUT STRING",
        "The string parsed by Go's layout; the zero time if it does not match.",
    ),
    fixed(
        "mustToDate",
        TWO_TEXTS,
        must_to_date,
        "LAYOUT STRING",
        "Like `toDate`, but fails if it does not match.",
    ),
    fixed(
        "dateModify",
        TEXT_AND_TIME,
        date_modify,
        "DURATION TIME",
        "The time shifted by a duration such as `-1.5h`.",
    ),
    fixed("date_modify", TEXT_AND_TIME, date_modify, "DURATION TIME", "An older name of `dateModify`."),
    fixed(
        "mustDateModify",
        TEXT_AND_TIME,
        must_date_modify,
        "DURATION TIME",
        "Like `dateModify`, but fails if the duration is invalid.",
    ),
    fixed(
        "must_date_modify",
        TEXT_AND_TIME,
        must_date_modify,
        "DURATION TIME",
        "An older name of `mustDateModify`.",
    ),
    fixed("ago", &[Type::Any], ago, "TIME", "How long ago the time was, in whole seconds."),
    fixed("unixEpoch", &[TIME], unix_epoch, "TIME", "The seconds since 1970."),
    fixed("duration", &[Type::Any], duration, "SECONDS", "The seconds as a duration such as `1m35s`."),
    fixed(
        "durationRound",
        &[Type::Any],
        duration_round,
        "DURATION",
        "The duration in its largest unit, such as `2h` or `3mo`.",
    ),
];

fn now(context: &mut dyn Context, _: &[Value]) -> Result<Value, Error> {
    Ok(time_value(Time::now(context.environment().now())))
}

/// The time that an argument represents: a time itself, an integer in seconds, anything else the current time.
fn time_of(context: &dyn Context, value: &Value) -> Time {
    match &value.data {
        Data::Int(IntKind::Int | IntKind::Int32 | IntKind::Int64, seconds) => Time::unix(*seconds, 0),
        _ => as_time(value).unwrap_or_else(|| Time::now(context.environment().now())),
    }
}

fn written(context: &dyn Context, layout: &[u8], value: &Value, zone: &[u8]) -> Value {
    let zone = Zone::load(zone).unwrap_or(Zone::Utc);
    Value::new(Data::String(time_of(context, value).in_zone(zone).format(layout).into()))
}

fn date(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(written(context, text(arguments, 0).as_bytes(), &any(arguments, 1), b"Local"))
}

fn date_in_zone(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (layout, zone) = (text(arguments, 0), text(arguments, 2));
    Ok(written(context, layout.as_bytes(), &any(arguments, 1), zone.as_bytes()))
}

fn html_date(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(written(context, b"2006-01-02", &any(arguments, 0), b"Local"))
}

fn html_date_in_zone(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(written(context, b"2006-01-02", &any(arguments, 0), text(arguments, 1).as_bytes()))
}

fn read(arguments: &[Value]) -> Result<Time, Error> {
    let (layout, value) = (text(arguments, 0), text(arguments, 1));
    parse(layout.as_bytes(), value.as_bytes(), &Zone::Local).map_err(Error::new)
}

fn to_date(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(time_value(read(arguments).unwrap_or_else(|_| Time::zero())))
}

fn must_to_date(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    read(arguments).map(time_value)
}

fn date_modify(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let time = time_argument(arguments, 1);
    let moved = Duration::parse(text(arguments, 0).as_bytes()).map(|span| time.add(span));
    Ok(time_value(moved.unwrap_or(time)))
}

fn must_date_modify(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let span = Duration::parse(text(arguments, 0).as_bytes()).map_err(Error::new)?;
    Ok(time_value(time_argument(arguments, 1).add(span)))
}

fn ago(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let now = Time::now(context.environment().now());
    let time = match any(arguments, 0) {
        // Unlike `date`, this does not accept 32-bit numbers.
        Value { data: Data::Int(IntKind::Int | IntKind::Int64, seconds), .. } => Time::unix(seconds, 0),
        value => as_time(&value).unwrap_or_else(|| now.clone()),
    };
    Ok(Value::from(now.since(&time).round(Duration(1_000_000_000)).to_string()))
}

fn unix_epoch(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(time_argument(arguments, 0).unix_seconds().to_string()))
}

fn duration(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let seconds = match any(arguments, 0).data {
        Data::Int(IntKind::Int64, seconds) => seconds,
        Data::String(text) => saturated_number(text.as_bytes()),
        _ => 0,
    };
    Ok(Value::from(Duration(seconds.wrapping_mul(1_000_000_000)).to_string()))
}

/// An integer; the largest or smallest possible if it does not fit, 0 if it is not one.
fn saturated_number(text: &[u8]) -> i64 {
    match parse_int(text, 10) {
        Ok(number) | Err(NoInt::Range(number)) => number,
        Err(NoInt::Syntax) => 0,
    }
}

fn duration_round(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let value = any(arguments, 0);
    let span = match &value.data {
        Data::Int(IntKind::Int64, nanoseconds) => Duration(*nanoseconds),
        Data::String(text) => Duration::parse(text.as_bytes()).unwrap_or(Duration(0)),
        _ => match as_time(&value) {
            Some(time) => Time::now(context.environment().now()).since(&time),
            None => Duration(0),
        },
    };
    const SECOND: u64 = 1_000_000_000;
    const HOUR: u64 = 3_600 * SECOND;
    let units = [
        (HOUR * 24 * 365, "y"),
        (HOUR * 24 * 30, "mo"),
        (HOUR * 24, "d"),
        (HOUR, "h"),
        (60 * SECOND, "m"),
        (SECOND, "s"),
    ];
    let size = span.0.unsigned_abs();
    let largest = units.iter().find(|(unit, _)| size > *unit);
    Ok(Value::from(largest.map_or("0s".to_owned(), |(unit, name)| format!("{}{name}", size / unit))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, call_method, shown};
    use crate::time::duration_value;

    #[test]
    fn dates() {
        let leap = || call(FUNCTIONS, "toDate", &["2006-01-02".into(), "2020-02-29".into()]).unwrap();
        for (name, arguments, expected) in [
            ("date", vec!["2006-01-02".into(), Value::int(0)], "1970-01-01"),
            ("date", vec!["2006-01-02".into(), leap()], "2020-02-29"),
            ("date", vec!["2006-01-02".into(), Value::from(5.0)], "2009-11-10"),
            (
                "dateInZone",
                vec!["15:04".into(), Value::int64(1_600_000_000), "America/New_York".into()],
                "08:26",
            ),
            ("dateInZone", vec!["2006".into(), Value::int(0), "No/Such".into()], "1970"),
            ("htmlDateInZone", vec![Value::int(0), "America/Los_Angeles".into()], "1969-12-31"),
            ("htmlDate", vec![Value::nil()], "2009-11-10"),
            ("toDate", vec!["2006".into(), "bad".into()], "0001-01-01 00:00:00 +0000 UTC"),
            (
                "mustToDate",
                vec!["2006".into(), "bad".into()],
                "parsing time \"bad\" as \"2006\": cannot parse \"bad\" as \"2006\"",
            ),
            ("dateModify", vec!["-1.5h".into(), leap()], "2020-02-28 22:30:00 +0000 UTC"),
            ("dateModify", vec!["x".into(), leap()], "2020-02-29 00:00:00 +0000 UTC"),
            ("mustDateModify", vec!["x".into(), leap()], "time: invalid duration \"x\""),
            ("unixEpoch", vec![leap()], "1582934400"),
            ("ago", vec![Value::int64(1_257_890_000)], "1h6m40s"),
            ("ago", vec!["x".into()], "0s"),
            ("duration", vec!["95".into()], "1m35s"),
            ("duration", vec!["x".into()], "0s"),
            ("duration", vec!["99999999999999999999".into()], "-1s"),
            ("duration", vec![Value::int(5)], "0s"),
            ("duration", vec![Value::int64(3_700)], "1h1m40s"),
            ("durationRound", vec!["400h".into()], "16d"),
            ("durationRound", vec!["9000h".into()], "1y"),
            ("durationRound", vec!["-3h".into()], "3h"),
            ("durationRound", vec!["0.5s".into()], "0s"),
            ("durationRound", vec![Value::int64(90_000_000_000)], "1m"),
            ("now", vec![], "2009-11-10 23:00:00.000000001 +0000 UTC m=+0.000000000"),
        ] {
            assert_eq!(shown(call(FUNCTIONS, name, &arguments)), expected, "{name} {arguments:?}");
        }
    }

    #[test]
    fn months_are_names_and_numbers() {
        let time = call(FUNCTIONS, "toDate", &["2006-01-02".into(), "2020-02-29".into()]).unwrap();
        let [month, weekday] = ["Month", "Weekday"].map(|name| call_method(&time, name, &[]).unwrap());
        let printed = trueline_gotemplate::fmt::sprintf(
            &"%v %d %s %02d".into(),
            &[month.clone(), month, weekday.clone(), weekday],
        );
        assert_eq!(printed.text(), "February 2 Saturday 06");
    }

    #[test]
    fn methods() {
        let time = || call(FUNCTIONS, "toDate", &["2006-01-02".into(), "2020-02-29".into()]).unwrap();
        let span = || duration_value(Duration(240 * 3_600_000_000_000));
        for (name, arguments, expected) in [
            ("Unix", vec![], "1582934400"),
            ("UnixMilli", vec![], "1582934400000"),
            ("Year", vec![], "2020"),
            ("YearDay", vec![], "60"),
            ("AddDate", vec![Value::int(1), Value::int(2), Value::int(3)], "2021-05-02 00:00:00 +0000 UTC"),
            ("Add", vec![span()], "2020-03-10 00:00:00 +0000 UTC"),
            ("Truncate", vec![span()], "2020-02-26 00:00:00 +0000 UTC"),
            ("Round", vec![span()], "2020-02-26 00:00:00 +0000 UTC"),
            ("Sub", vec![time_value(Time::unix(1_582_930_800, 0))], "1h0m0s"),
            ("Before", vec![time()], "false"),
            ("Equal", vec![time()], "true"),
            ("Format", vec!["Jan".into()], "Feb"),
            ("Location", vec![], "Local"),
            ("IsZero", vec![], "false"),
        ] {
            assert_eq!(shown(call_method(&time(), name, &arguments)), expected, "{name}");
        }
    }
}

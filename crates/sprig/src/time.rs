//! Times, durations and the like, as templates see them.

use std::any::Any;

use trueline_gotemplate::{Data, Error, IntKind, Kind, Method, MethodCall, Object, Type, Value};

use trueline_gostd::time::{Duration, MONTHS, NANOSECONDS, Time, WEEKDAYS, Zone};

use crate::argument::{integer, text};

/// Go's names of the types.
pub(crate) const TIME: Type = Type::Named("time.Time");
pub(crate) const DURATION: Type = Type::NamedInt("time.Duration");
const LOCATION: Type = Type::Named("*time.Location");

/// A value of Go's `time` package in a template.
#[derive(Debug, Clone)]
struct Held<T>(T);

/// A time as a value.
pub(crate) fn time_value(time: Time) -> Value {
    Value::object(Held(time))
}

/// A duration as a value.
pub(crate) fn duration_value(span: Duration) -> Value {
    Value::object(Held(span))
}

impl Object for Held<Time> {
    fn type_name(&self) -> &'static str {
        "time.Time"
    }

    fn kind(&self) -> Kind {
        Kind::Struct
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        TIME_METHODS.iter().find(|method| method.name == name)
    }

    fn text(&self) -> String {
        self.0.text()
    }

    fn plain(&self) -> trueline_yaml::Value {
        let shown = self.0.format(b"2006-01-02T15:04:05.999999999Z07:00");
        trueline_yaml::Value::from(&*String::from_utf8_lossy(&shown))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Object for Held<Duration> {
    fn type_name(&self) -> &'static str {
        "time.Duration"
    }

    fn kind(&self) -> Kind {
        Kind::Int(IntKind::Int64)
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        DURATION_METHODS.iter().find(|method| method.name == name)
    }

    fn is_true(&self) -> bool {
        self.0.0 != 0
    }

    fn text(&self) -> String {
        self.0.to_string()
    }

    fn plain(&self) -> trueline_yaml::Value {
        trueline_yaml::Value::from(self.0.0)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Object for Held<Zone> {
    fn type_name(&self) -> &'static str {
        "*time.Location"
    }

    fn kind(&self) -> Kind {
        Kind::Pointer
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        LOCATION_METHODS.iter().find(|method| method.name == name)
    }

    fn text(&self) -> String {
        self.0.name().into_owned()
    }

    fn plain(&self) -> trueline_yaml::Value {
        std::iter::empty::<(&str, trueline_yaml::Value)>().collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A month or a day of the week: a number with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Month(i64),
    Weekday(i64),
}

impl Object for Named {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Month(_) => "time.Month",
            Self::Weekday(_) => "time.Weekday",
        }
    }

    fn kind(&self) -> Kind {
        Kind::Int(IntKind::Int)
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        NAMED_METHODS.iter().find(|method| method.name == name)
    }

    fn is_true(&self) -> bool {
        !matches!(self, Self::Weekday(0))
    }

    fn text(&self) -> String {
        let (names, index): (&[&str], _) = match self {
            Self::Month(number) => (&MONTHS, number - 1),
            Self::Weekday(number) => (&WEEKDAYS, *number),
        };
        usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or_default().to_owned()
    }

    fn plain(&self) -> trueline_yaml::Value {
        match self {
            Self::Month(number) | Self::Weekday(number) => trueline_yaml::Value::from(*number),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The time at this position; Go's zero time if there is none.
pub(crate) fn time_argument(arguments: &[Value], index: usize) -> Time {
    arguments.get(index).and_then(as_time).unwrap_or_else(Time::zero)
}

/// The time, if the value is one.
pub(crate) fn as_time(value: &Value) -> Option<Time> {
    held::<Time>(value).cloned()
}

/// The duration, if the value is one.
pub(crate) fn as_duration(value: &Value) -> Option<Duration> {
    held::<Duration>(value).copied()
}

fn held<T: 'static>(value: &Value) -> Option<&T> {
    match &value.data {
        Data::Object(object) => object.as_any().downcast_ref::<Held<T>>().map(|held| &held.0),
        _ => None,
    }
}

fn duration_argument(arguments: &[Value], index: usize) -> Duration {
    let given = arguments.get(index).and_then(as_duration);
    given.unwrap_or_else(|| Duration(integer(arguments, index)))
}

const fn method(name: &'static str, parameters: &'static [Type], call: MethodCall) -> Method {
    Method { name, parameters, call }
}

/// The receiver with its known type.
fn receiver<T: Clone + 'static>(object: &dyn Object) -> Result<T, Error> {
    let nothing = || Error::new("runtime error: invalid memory address or nil pointer dereference");
    object.as_any().downcast_ref::<Held<T>>().map(|held| held.0.clone()).ok_or_else(nothing)
}

fn with_time(object: &dyn Object, value: impl FnOnce(Time) -> Value) -> Result<Value, Error> {
    receiver::<Time>(object).map(value)
}

fn with_duration(object: &dyn Object, value: impl FnOnce(Duration) -> Value) -> Result<Value, Error> {
    receiver::<Duration>(object).map(value)
}

static TIME_METHODS: &[Method] = &[
    method("Add", &[DURATION], |object, _, arguments| {
        with_time(object, |time| time_value(time.add(duration_argument(arguments, 0))))
    }),
    method("AddDate", &[Type::INT, Type::INT, Type::INT], |object, _, arguments| {
        let [years, months, days] = [0, 1, 2].map(|index| integer(arguments, index));
        with_time(object, |time| time_value(time.add_date(years, months, days)))
    }),
    method("After", &[TIME], |object, _, arguments| {
        with_time(object, |time| Value::from(time.instant() > time_argument(arguments, 0).instant()))
    }),
    method("Before", &[TIME], |object, _, arguments| {
        with_time(object, |time| Value::from(time.instant() < time_argument(arguments, 0).instant()))
    }),
    method("Compare", &[TIME], |object, _, arguments| {
        let order = |time: Time| time.instant().cmp(&time_argument(arguments, 0).instant()) as i64;
        with_time(object, |time| Value::int(order(time)))
    }),
    method("Day", &[], |object, _, _| with_time(object, |time| Value::int(time.civil().day))),
    method("Equal", &[TIME], |object, _, arguments| {
        with_time(object, |time| Value::from(time.instant() == time_argument(arguments, 0).instant()))
    }),
    method("Format", &[Type::String], |object, _, arguments| {
        let layout = text(arguments, 0);
        with_time(object, |time| Value::new(Data::String(time.format(layout.as_bytes()).into())))
    }),
    method("Hour", &[], |object, _, _| with_time(object, |time| Value::int(time.civil().hour))),
    method("In", &[LOCATION], |object, _, arguments| {
        let zone = arguments.first().and_then(held::<Zone>).cloned();
        let zone = zone.ok_or_else(|| Error::new("time: missing Location in call to Time.In"))?;
        with_time(object, |time| time_value(time.in_zone(zone)))
    }),
    method("IsZero", &[], |object, _, _| with_time(object, |time| Value::from(time.is_zero()))),
    method("Local", &[], |object, _, _| with_time(object, |time| time_value(time.in_zone(Zone::Local)))),
    method("Location", &[], |object, _, _| {
        with_time(object, |time| Value::object(Held(time.zone().clone())))
    }),
    method("Minute", &[], |object, _, _| with_time(object, |time| Value::int(time.civil().minute))),
    method("Month", &[], |object, _, _| {
        with_time(object, |time| Value::object(Named::Month(time.civil().month)))
    }),
    method("Nanosecond", &[], |object, _, _| with_time(object, |time| Value::int(time.civil().nanosecond))),
    method("Round", &[DURATION], |object, _, arguments| {
        let multiple = duration_argument(arguments, 0);
        with_time(object, |time| {
            let rest = rest_of(&time, multiple);
            let up = i128::from(rest) * 2 >= i128::from(multiple.0) && multiple.0 > 0;
            let shift = if up { multiple.0.saturating_sub(rest) } else { -rest };
            time_value(time.in_zone(time.zone().clone()).add(Duration(shift)))
        })
    }),
    method("Second", &[], |object, _, _| with_time(object, |time| Value::int(time.civil().second))),
    method("String", &[], |object, _, _| with_time(object, |time| Value::from(time.text()))),
    method("Sub", &[TIME], |object, _, arguments| {
        with_time(object, |time| duration_value(time.since(&time_argument(arguments, 0))))
    }),
    method("Truncate", &[DURATION], |object, _, arguments| {
        let multiple = duration_argument(arguments, 0);
        with_time(object, |time| {
            let rest = rest_of(&time, multiple);
            time_value(time.in_zone(time.zone().clone()).add(Duration(-rest)))
        })
    }),
    method("UTC", &[], |object, _, _| with_time(object, |time| time_value(time.in_zone(Zone::Utc)))),
    method("Unix", &[], |object, _, _| with_time(object, |time| Value::int64(time.unix_seconds()))),
    method("UnixMicro", &[], |object, _, _| with_time(object, |time| Value::int64(time.unix_microseconds()))),
    method("UnixMilli", &[], |object, _, _| with_time(object, |time| Value::int64(time.unix_milliseconds()))),
    method("UnixNano", &[], |object, _, _| with_time(object, |time| Value::int64(time.unix_nanoseconds()))),
    method("Weekday", &[], |object, _, _| {
        with_time(object, |time| Value::object(Named::Weekday(time.civil().weekday())))
    }),
    method("Year", &[], |object, _, _| with_time(object, |time| Value::int(time.civil().year))),
    method("YearDay", &[], |object, _, _| with_time(object, |time| Value::int(time.civil().year_day()))),
];

/// The remainder of an instant modulo a duration, counted from Go's zero time.
fn rest_of(time: &Time, multiple: Duration) -> i64 {
    if multiple.0 <= 0 {
        return 0;
    }
    let (seconds, nanoseconds) = time.instant();
    let total = i128::from(seconds) * i128::from(NANOSECONDS) + i128::from(nanoseconds);
    i64::try_from(total.rem_euclid(i128::from(multiple.0))).unwrap_or(0)
}

static DURATION_METHODS: &[Method] = &[
    method("Abs", &[], |object, _, _| {
        with_duration(object, |span| duration_value(Duration(span.0.saturating_abs())))
    }),
    method("Hours", &[], |object, _, _| with_duration(object, |span| Value::from(span.hours()))),
    method("Microseconds", &[], |object, _, _| with_duration(object, |span| Value::int64(span.0 / 1_000))),
    method("Milliseconds", &[], |object, _, _| {
        with_duration(object, |span| Value::int64(span.0 / 1_000_000))
    }),
    method("Minutes", &[], |object, _, _| with_duration(object, |span| Value::from(span.minutes()))),
    method("Nanoseconds", &[], |object, _, _| with_duration(object, |span| Value::int64(span.0))),
    method("Round", &[DURATION], |object, _, arguments| {
        with_duration(object, |span| duration_value(span.round(duration_argument(arguments, 0))))
    }),
    method("Seconds", &[], |object, _, _| with_duration(object, |span| Value::from(span.seconds()))),
    method("String", &[], |object, _, _| with_duration(object, |span| Value::from(span.to_string()))),
    method("Truncate", &[DURATION], |object, _, arguments| {
        with_duration(object, |span| duration_value(span.truncate(duration_argument(arguments, 0))))
    }),
];

static LOCATION_METHODS: &[Method] = &[method("String", &[], |object, _, _| Ok(Value::from(object.text())))];

static NAMED_METHODS: &[Method] = &[method("String", &[], |object, _, _| Ok(Value::from(object.text())))];

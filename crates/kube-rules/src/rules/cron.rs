//! Schedules in cron's syntax, as the library that Kubernetes uses reads them.

use std::fmt;

use trueline_gostd::time::is_duration;

/// A field of a schedule: its bounds and the names that its numbers have.
struct Bounds {
    least: u32,
    most: u32,
    names: &'static [&'static str],
}

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: [Bounds; 5] = [
    Bounds { least: 0, most: 59, names: &[] },
    Bounds { least: 0, most: 23, names: &[] },
    Bounds { least: 1, most: 31, names: &[] },
    Bounds { least: 1, most: 12, names: MONTHS },
    Bounds { least: 0, most: 6, names: DAYS },
];

const DESCRIPTORS: &[&str] =
    &["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// What is wrong with a schedule; it prints as the library's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// There are not five fields: those that there are.
    Fields(Vec<String>),
    /// A word after `@` that is not known.
    Descriptor(String),
    /// `@every` is not followed by a duration.
    Duration(String),
    /// A part of a field is wrong.
    Part(String, PartFault),
}

/// What is wrong with a part of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PartFault {
    Slashes,
    Hyphens,
    Step,
    Below { start: u32, least: u32 },
    Above { end: u32, most: u32 },
    Order { start: u32, end: u32 },
    Negative(String),
    TooLong(String),
    NotANumber(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Fields(fields) => {
                let (count, fields) = (fields.len(), fields.join(" "));
                write!(formatter, "expected exactly 5 fields, found {count}: [{fields}]")
            }
            Fault::Descriptor(text) => write!(formatter, "unrecognized descriptor: {text}"),
            Fault::Duration(text) => write!(formatter, "failed to parse duration {text}"),
            Fault::Part(text, fault) => match fault {
                PartFault::Slashes => write!(formatter, "too many slashes: {text}"),
                PartFault::Hyphens => write!(formatter, "too many hyphens: {text}"),
                PartFault::Step => write!(formatter, "step of range should be a positive number: {text}"),
                PartFault::Below { start, least } => {
                    write!(formatter, "beginning of range ({start}) below minimum ({least}): {text}")
                }
                PartFault::Above { end, most } => {
                    write!(formatter, "end of range ({end}) above maximum ({most}): {text}")
                }
                PartFault::Order { start, end } => {
                    write!(formatter, "beginning of range ({start}) beyond end of range ({end}): {text}")
                }
                PartFault::Negative(number) => {
                    write!(formatter, "negative number ({number}) not allowed: {number}")
                }
                PartFault::TooLong(number) => write!(formatter, "failed to parse int from {number}"),
                PartFault::NotANumber(number) => write!(
                    formatter,
                    "failed to parse int from {number}: strconv.Atoi: parsing {number:?}: invalid syntax"
                ),
            },
        }
    }
}

/// Whether a string is a schedule.
pub(super) fn parse(text: &str) -> Result<(), Fault> {
    look(text).map_err(|(fault, _)| fault)
}

/// Whether a string is a schedule; if not, what is wrong, and with which of its fields.
fn look(text: &str) -> Result<(), (Fault, Option<usize>)> {
    let text = match text.strip_prefix("TZ=").or_else(|| text.strip_prefix("CRON_TZ=")) {
        Some(rest) => rest.split_once(' ').map_or("", |(_, rest)| rest).trim(),
        None => text,
    };
    if text.starts_with('@') {
        return descriptor(text).map_err(|fault| (fault, None));
    }
    let fields: Vec<&str> = text.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err((Fault::Fields(fields.into_iter().map(str::to_owned).collect()), None));
    }
    fields.iter().zip(&FIELDS).enumerate().try_for_each(|(index, (field, bounds))| {
        let mut parts = field.split(',').filter(|part| !part.is_empty());
        let wrong = |part: &str, fault| (Fault::Part(part.to_owned(), fault), Some(index));
        parts.try_for_each(|part| range(part, bounds).map_err(|fault| wrong(part, fault)))
    })
}

/// What the fields of a schedule are called.
const NAMES: [&str; 5] = ["minute", "hour", "day of the month", "month", "day of the week"];

/// What is wrong with a schedule, in plain words.
pub fn explain(text: &str) -> Option<String> {
    let (fault, index) = look(text).err()?;
    let field = index.and_then(|index| Some((NAMES.get(index)?, FIELDS.get(index)?)));
    let (Fault::Part(part, fault), Some((name, bounds))) = (&fault, field) else {
        return Some(match fault {
            Fault::Fields(fields) => format!("expected 5 fields, found {}", fields.len()),
            other => other.to_string(),
        });
    };
    let (least, most) = (bounds.least, bounds.most);
    Some(match fault {
        PartFault::Below { .. } | PartFault::Above { .. } => {
            format!("{name} `{part}` is not in {least}–{most}")
        }
        PartFault::Negative(_) | PartFault::TooLong(_) | PartFault::NotANumber(_) => {
            format!("{name} `{part}` is not a number in {least}–{most}")
        }
        PartFault::Order { .. } => format!("{name} `{part}` begins after its end"),
        PartFault::Slashes => format!("{name} `{part}` has more than one slash"),
        PartFault::Hyphens => format!("{name} `{part}` has more than one hyphen"),
        PartFault::Step => format!("{name} `{part}` has a step of 0"),
    })
}

fn descriptor(text: &str) -> Result<(), Fault> {
    if DESCRIPTORS.contains(&text) {
        return Ok(());
    }
    match text.strip_prefix("@every ") {
        Some(duration) if is_duration(duration) => Ok(()),
        Some(_) => Err(Fault::Duration(text.to_owned())),
        None => Err(Fault::Descriptor(text.to_owned())),
    }
}

/// `*`, a number, or a range of them, which may have a step.
fn range(text: &str, bounds: &Bounds) -> Result<(), PartFault> {
    let mut halves = text.split('/');
    let (span, step) = (halves.next().unwrap_or_default(), halves.next());
    if halves.next().is_some() {
        return Err(PartFault::Slashes);
    }
    let mut ends = span.split('-');
    let (first, second) = (ends.next().unwrap_or_default(), ends.next());
    let (start, mut end) = if first == "*" || first == "?" {
        (bounds.least, bounds.most)
    } else {
        let start = number(first, bounds)?;
        match second {
            None => (start, start),
            Some(second) => (start, number(second, bounds)?),
        }
    };
    if ends.next().is_some() {
        return Err(PartFault::Hyphens);
    }
    if let Some(step) = step {
        if plain_number(step)? == 0 {
            return Err(PartFault::Step);
        }
        if second.is_none() {
            end = bounds.most;
        }
    }
    if start < bounds.least {
        return Err(PartFault::Below { start, least: bounds.least });
    }
    if end > bounds.most {
        return Err(PartFault::Above { end, most: bounds.most });
    }
    if start > end {
        return Err(PartFault::Order { start, end });
    }
    Ok(())
}

fn number(text: &str, bounds: &Bounds) -> Result<u32, PartFault> {
    let lower = text.to_lowercase();
    if let Some(position) = bounds.names.iter().position(|name| *name == lower) {
        return Ok(bounds.least + position as u32);
    }
    plain_number(text)
}

fn plain_number(text: &str) -> Result<u32, PartFault> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    if !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits.parse().map_err(|_| PartFault::TooLong(text.to_owned()));
    }
    if text.starts_with('-') {
        return Err(PartFault::Negative(text.to_owned()));
    }
    Err(PartFault::NotANumber(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_explained() {
        for (text, expected) in [
            ("0 25 * * *", "hour `25` is not in 0–23"),
            ("* * *", "expected 5 fields, found 3"),
            ("* * 0 * *", "day of the month `0` is not in 1–31"),
            ("* * * * x", "day of the week `x` is not a number in 0–6"),
            ("5-1 * * * *", "minute `5-1` begins after its end"),
            ("*/0 * * * *", "minute `*/0` has a step of 0"),
            ("TZ=UTC 60 * * * *", "minute `60` is not in 0–59"),
        ] {
            assert_eq!(explain(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(explain("0 0 * * *"), None);
    }

    #[test]
    fn schedules() {
        for text in [
            "* * * * *",
            "*/5 * * * *",
            "0 0 1 1 0",
            "0-59/2 1,2,3 ? JAN-dec mon-FRI",
            "@hourly",
            "@every 1h30m",
            "  0   0 * * *  ",
            "5/10 * * * *",
            "@every 1.5s",
        ] {
            assert_eq!(parse(text), Ok(()), "{text}");
        }
        for (text, words) in [
            ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("* 24 * * *", "end of range (24)"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("* * * 13 *", "end of range (13)"),
            ("* * * * 7", "end of range (7) above maximum (6): 7"),
            ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("1/2/3 * * * *", "too many slashes: 1/2/3"),
            ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
            ("a * * * *", "failed to parse int from a"),
            ("@never", "unrecognized descriptor: @never"),
            ("@every x", "failed to parse duration @every x"),
            ("", "expected exactly 5 fields, found 0: []"),
        ] {
            assert!(
                parse(text).is_err_and(|error| error.to_string().starts_with(words)),
                "{text}: {:?}",
                parse(text)
            );
        }
    }
}

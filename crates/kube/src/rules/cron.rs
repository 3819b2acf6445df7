//! Schedules in cron's syntax, as the library behind Kubernetes reads them.

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

/// Whether a text is a schedule; if not, the library's words.
pub(super) fn parse(text: &str) -> Result<(), String> {
    let text = match text.strip_prefix("TZ=").or_else(|| text.strip_prefix("CRON_TZ=")) {
        Some(rest) => rest.split_once(' ').map_or("", |(_, rest)| rest).trim(),
        None => text,
    };
    if text.starts_with('@') {
        return descriptor(text);
    }
    let fields: Vec<&str> = text.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    fields.iter().zip(&FIELDS).try_for_each(|(field, bounds)| {
        field.split(',').filter(|part| !part.is_empty()).try_for_each(|part| range(part, bounds))
    })
}

/// What the fields of a schedule are called.
const NAMES: [&str; 5] = ["minute", "hour", "day of the month", "month", "day of the week"];

/// What is wrong with a schedule, in plain words.
pub(crate) fn explain(text: &str) -> Option<String> {
    let error = parse(text).err()?;
    let text = match text.strip_prefix("TZ=").or_else(|| text.strip_prefix("CRON_TZ=")) {
        Some(rest) => rest.split_once(' ').map_or("", |(_, rest)| rest),
        None => text,
    };
    let fields: Vec<&str> = text.split_whitespace().collect();
    if text.starts_with('@') {
        return Some(error);
    }
    if fields.len() != FIELDS.len() {
        return Some(format!("expected 5 fields, found {}", fields.len()));
    }
    let parts = fields.iter().zip(&FIELDS).zip(NAMES).flat_map(|((field, bounds), name)| {
        field.split(',').filter(|part| !part.is_empty()).map(move |part| (part, bounds, name))
    });
    let (part, bounds, name, error) = parts
        .filter_map(|(part, bounds, name)| Some((part, bounds, name, range(part, bounds).err()?)))
        .next()?;
    let is_bound = error.contains(" minimum ") || error.contains(" maximum ");
    let is_number = error.starts_with("failed to parse int") || error.starts_with("negative number");
    Some(match (is_bound, is_number) {
        (true, _) => format!("{name} `{part}` is not in {}–{}", bounds.least, bounds.most),
        (_, true) => format!("{name} `{part}` is not a number in {}–{}", bounds.least, bounds.most),
        _ if error.contains("beyond end") => format!("{name} `{part}` begins after its end"),
        _ => format!("{name} `{part}` is not allowed: {}", error.split(": ").next().unwrap_or_default()),
    })
}

fn descriptor(text: &str) -> Result<(), String> {
    if DESCRIPTORS.contains(&text) {
        return Ok(());
    }
    match text.strip_prefix("@every ") {
        Some(duration) if is_duration(duration) => Ok(()),
        Some(_) => Err(format!("failed to parse duration {text}")),
        None => Err(format!("unrecognized descriptor: {text}")),
    }
}

/// `*`, a number, or a range of them, perhaps with a step.
fn range(text: &str, bounds: &Bounds) -> Result<(), String> {
    let mut halves = text.split('/');
    let (span, step) = (halves.next().unwrap_or_default(), halves.next());
    if halves.next().is_some() {
        return Err(format!("too many slashes: {text}"));
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
        return Err(format!("too many hyphens: {text}"));
    }
    if let Some(step) = step {
        if plain_number(step)? == 0 {
            return Err(format!("step of range should be a positive number: {text}"));
        }
        if second.is_none() {
            end = bounds.most;
        }
    }
    if start < bounds.least {
        return Err(format!("beginning of range ({start}) below minimum ({}): {text}", bounds.least));
    }
    if end > bounds.most {
        return Err(format!("end of range ({end}) above maximum ({}): {text}", bounds.most));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {text}"));
    }
    Ok(())
}

fn number(text: &str, bounds: &Bounds) -> Result<u32, String> {
    let lower = text.to_lowercase();
    if let Some(position) = bounds.names.iter().position(|name| *name == lower) {
        return Ok(bounds.least + position as u32);
    }
    plain_number(text)
}

fn plain_number(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    if !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits.parse().map_err(|_| format!("failed to parse int from {text}"));
    }
    if text.starts_with('-') {
        return Err(format!("negative number ({text}) not allowed: {text}"));
    }
    Err(format!("failed to parse int from {text}: strconv.Atoi: parsing {text:?}: invalid syntax"))
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
            ("*/0 * * * *", "minute `*/0` is not allowed: step of range should be a positive number"),
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
            assert!(parse(text).is_err_and(|error| error.starts_with(words)), "{text}: {:?}", parse(text));
        }
    }
}

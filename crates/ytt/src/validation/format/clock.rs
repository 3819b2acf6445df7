//! Dates, times and durations of RFC 3339.

/// A number of exactly so many digits at the start of a string, and what comes after it.
fn digits(text: &str, count: usize) -> Option<(u32, &str)> {
    let (number, rest) = text.split_at_checked(count)?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((number.parse().ok()?, rest))
}

fn date_parts(text: &str) -> Option<()> {
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return None,
    };
    (rest.is_empty() && (1..=last).contains(&day)).then_some(())
}

/// `full-date`
pub(super) fn date(text: &str) -> bool {
    date_parts(text).is_some()
}

fn time_parts(text: &str) -> Option<()> {
    let (hour, rest) = digits(text, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?, 2)?;
    let (second, mut rest) = digits(rest.strip_prefix(':')?, 2)?;
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = fraction.trim_start_matches(|character: char| character.is_ascii_digit());
        if rest.len() == fraction.len() {
            return None;
        }
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let offset = match rest {
        "Z" | "z" => 0,
        _ => {
            let sign = if rest.starts_with('-') { -1 } else { 1 };
            let (hours, rest) = digits(rest.strip_prefix(['+', '-'])?, 2)?;
            let (minutes, rest) = digits(rest.strip_prefix(':')?, 2)?;
            if hours > 23 || minutes > 59 || !rest.is_empty() {
                return None;
            }
            sign * i64::from(hours * 60 + minutes)
        }
    };
    // Leap seconds are only added at the end of a day in universal time.
    let universal = (i64::from(hour * 60 + minute) - offset).rem_euclid(24 * 60);
    (second < 60 || universal == 24 * 60 - 1).then_some(())
}

/// `full-time`
pub(super) fn time(text: &str) -> bool {
    time_parts(text).is_some()
}

/// `date-time`
pub(super) fn date_time(text: &str) -> bool {
    text.split_once(['T', 't']).is_some_and(|(day, clock)| date(day) && time(clock))
}

/// The units of a part of a duration, in order: none may be left out between two others.
fn units(mut text: &str, names: &str) -> bool {
    let mut last = None;
    while !text.is_empty() {
        let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
        let Some(unit) = rest.chars().next().filter(|_| rest.len() < text.len()) else { return false };
        let Some(place) = names.find(unit) else { return false };
        if last.is_some_and(|last| place != last + 1) {
            return false;
        }
        last = Some(place);
        text = rest.get(unit.len_utf8()..).unwrap_or_default();
    }
    last.is_some()
}

/// `duration` of the appendix.
pub(super) fn duration(text: &str) -> bool {
    let Some(text) = text.strip_prefix('P') else { return false };
    match text.split_once('T') {
        Some((days, clock)) => (days.is_empty() || units(days, "YMD")) && units(clock, "HMS"),
        None => units(text, "YMD") || units(text, "W"),
    }
}

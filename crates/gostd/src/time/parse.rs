//! Parses a time by a layout.

use super::civil::{days_in, is_leap};
use super::layout::{Element, Offset, Precision, first};
use super::{Civil, MONTHS, NANOSECONDS, Time, WEEKDAYS, Zone};
use crate::error::{GoError, GoErrorKind};

/// Parses a time; without a zone it is in `local`.
pub fn parse(layout: &[u8], value: &[u8], local: &Zone) -> Result<Time, GoError> {
    let mut fields = Fields::default();
    let mut input = Input { rest: value };
    let mut rest = layout;
    loop {
        let (before, element, length) = first(rest)
            .map_or((rest.len(), None, 0), |(before, element, length)| (before, Some(element), length));
        let prefix = rest.get(..before).unwrap_or_default();
        let written = rest.get(before..before + length).unwrap_or_default();
        if input.skip(prefix).is_none() {
            return Err(mismatch(layout, value, prefix, input.rest));
        }
        let Some(element) = element else { break };
        rest = rest.get(before + length..).unwrap_or_default();
        let held = input.rest;
        match fields.read(element, &mut input, rest) {
            Ok(()) => {}
            Err(Refusal::Mismatch) => return Err(mismatch(layout, value, written, held)),
            Err(Refusal::Range(what)) => return Err(refused(value, &format!("{what} out of range"))),
        }
    }
    if !input.rest.is_empty() {
        return Err(refused(value, &format!("extra text: {}", quote(input.rest))));
    }
    fields.finish(local).map_err(|what| refused(value, what))
}

fn mismatch(layout: &[u8], value: &[u8], element: &[u8], found: &[u8]) -> GoError {
    GoErrorKind::Time.says(format!(
        "parsing time {} as {}: cannot parse {} as {}",
        quote(value),
        quote(layout),
        quote(found),
        quote(element)
    ))
}

fn refused(value: &[u8], why: &str) -> GoError {
    GoErrorKind::Time.says(format!("parsing time {}: {why}", quote(value)))
}

/// The quotes of Go's time package, which knows fewer escapes than others.
pub(super) fn quote(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for byte in text {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(*byte));
            }
            b' '..=0x7f => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}

/// The number at the start, which may have no digits, and what follows; `None` if it is too large.
pub(super) fn leading_digits(text: &[u8]) -> Option<(u64, &[u8])> {
    const LIMIT: u64 = 1 << 63;
    let mut value: u64 = 0;
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length)?;
    for digit in digits {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        if value > LIMIT {
            return None;
        }
    }
    Some((value, rest))
}

/// Why an element cannot be parsed.
enum Refusal {
    Mismatch,
    Range(&'static str),
}

struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// Skips text of the layout; any run of spaces matches any other.
    fn skip(&mut self, prefix: &[u8]) -> Option<()> {
        let mut prefix = prefix;
        while let Some((first, after)) = prefix.split_first() {
            if *first == b' ' {
                if self.rest.first().is_some_and(|byte| *byte != b' ') {
                    return None;
                }
                prefix = trim_spaces(prefix);
                self.rest = trim_spaces(self.rest);
                continue;
            }
            self.rest = self.rest.strip_prefix(&[*first][..])?;
            prefix = after;
        }
        Some(())
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Refusal> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Refusal::Mismatch)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Up to `most` digits, but at least `least`.
    fn number(&mut self, least: usize, most: usize) -> Result<i64, Refusal> {
        let length = self.rest.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        if length < least {
            return Err(Refusal::Mismatch);
        }
        let digits = self.take(length)?;
        Ok(digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
    }

    /// Parses one of the names, or of their abbreviations, and returns its index.
    fn name(&mut self, names: &[&str], length: Option<usize>) -> Result<i64, Refusal> {
        for (index, name) in names.iter().enumerate() {
            let name = length.and_then(|length| name.get(..length)).unwrap_or(name);
            let found = self.rest.get(..name.len());
            if found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes())) {
                self.take(name.len())?;
                return i64::try_from(index).map_err(|_| Refusal::Mismatch);
            }
        }
        Err(Refusal::Mismatch)
    }

    /// A separator and this many digits as nanoseconds.
    fn fraction(&mut self, digits: usize) -> Result<i64, Refusal> {
        let text = self.take(digits + 1)?;
        let (mark, digits) = text.split_first().ok_or(Refusal::Mismatch)?;
        if !matches!(mark, b'.' | b',') {
            return Err(Refusal::Mismatch);
        }
        let digits = digits.get(..9).unwrap_or(digits);
        let unsigned = digits.strip_prefix(b"-").or_else(|| digits.strip_prefix(b"+")).unwrap_or(digits);
        let (value, rest) = leading_digits(unsigned).ok_or(Refusal::Mismatch)?;
        if !rest.is_empty() {
            return Err(Refusal::Mismatch);
        }
        if digits.starts_with(b"-") && value > 0 {
            return Err(Refusal::Range("fractional second"));
        }
        let value = i64::try_from(value).unwrap_or(0);
        Ok((digits.len()..9).fold(value, |value, _| value * 10).min(NANOSECONDS - 1))
    }
}

fn trim_spaces(text: &[u8]) -> &[u8] {
    let length = text.iter().take_while(|byte| **byte == b' ').count();
    text.get(length..).unwrap_or_default()
}

/// The parts parsed so far.
#[derive(Default)]
struct Fields {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanosecond: i64,
    half: Option<Half>,
    utc: bool,
    offset: Option<i64>,
    zone_name: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Morning,
    Afternoon,
}

impl Fields {
    fn read(&mut self, element: Element, input: &mut Input<'_>, layout: &[u8]) -> Result<(), Refusal> {
        let in_range = |value: i64, limit: i64, what: &'static str| {
            if value < limit { Ok(value) } else { Err(Refusal::Range(what)) }
        };
        match element {
            Element::Year => {
                let text = input.take(2)?;
                let value = signed_number(text).ok_or(Refusal::Mismatch)?;
                self.year = if value >= 69 { value + 1900 } else { value + 2000 };
            }
            Element::LongYear => {
                if !input.rest.first().is_some_and(u8::is_ascii_digit) {
                    return Err(Refusal::Mismatch);
                }
                self.year = signed_number(input.take(4)?).ok_or(Refusal::Mismatch)?;
            }
            Element::Month => self.month = Some(input.name(&MONTHS, Some(3))? + 1),
            Element::LongMonth => self.month = Some(input.name(&MONTHS, None)? + 1),
            Element::NumberMonth | Element::ZeroMonth => {
                let value = input.number(least(element), 2)?;
                if !(1..=12).contains(&value) {
                    return Err(Refusal::Range("month"));
                }
                self.month = Some(value);
            }
            // Whether the day of the week matches is not checked.
            Element::Weekday => _ = input.name(&WEEKDAYS, Some(3))?,
            Element::LongWeekday => _ = input.name(&WEEKDAYS, None)?,
            Element::Day | Element::UnderDay | Element::ZeroDay => {
                if element == Element::UnderDay {
                    input.rest = input.rest.strip_prefix(b" ").unwrap_or(input.rest);
                }
                self.day = Some(input.number(least(element), 2)?);
            }
            Element::UnderYearDay | Element::ZeroYearDay => {
                if element == Element::UnderYearDay {
                    input.rest = input.rest.strip_prefix(b" ").unwrap_or(input.rest);
                    input.rest = input.rest.strip_prefix(b" ").unwrap_or(input.rest);
                }
                let least = if element == Element::ZeroYearDay { 3 } else { 1 };
                self.year_day = Some(input.number(least, 3)?);
            }
            Element::Hour => self.hour = in_range(input.number(1, 2)?, 24, "hour")?,
            Element::Hour12 | Element::ZeroHour12 => {
                self.hour = in_range(input.number(least(element), 2)?, 13, "hour")?;
            }
            Element::Minute | Element::ZeroMinute => {
                self.minute = in_range(input.number(least(element), 2)?, 60, "minute")?;
            }
            Element::Second | Element::ZeroSecond => {
                self.second = in_range(input.number(least(element), 2)?, 60, "second")?;
                // A fraction may follow the seconds even if the layout has none.
                let expected = matches!(
                    first(layout),
                    Some((_, Element::Fraction { .. } | Element::TrimmedFraction { .. }, _))
                );
                if !expected && let Some(digits) = fraction_digits(input.rest) {
                    self.nanosecond = input.fraction(digits)?;
                }
            }
            Element::UpperHalf => self.half = Some(half(input.take(2)?, b"AM", b"PM")?),
            Element::LowerHalf => self.half = Some(half(input.take(2)?, b"am", b"pm")?),
            Element::Offset(offset) if offset.zulu && input.rest.first() == Some(&b'Z') => {
                input.take(1)?;
                self.utc = true;
            }
            Element::Offset(offset) => self.offset = Some(read_offset(offset, input)?),
            Element::ZoneName if input.rest.starts_with(b"UTC") => {
                input.take(3)?;
                self.utc = true;
            }
            Element::ZoneName => {
                let length = zone_name_length(input.rest).ok_or(Refusal::Mismatch)?;
                self.zone_name = input.take(length)?.to_vec();
            }
            Element::Fraction { digits, .. } => self.nanosecond = input.fraction(digits)?,
            // The whole fraction may be missing; more digits than in the layout are accepted too.
            Element::TrimmedFraction { .. } => {
                if let Some(digits) = fraction_digits(input.rest) {
                    self.nanosecond = input.fraction(digits)?;
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, local: &Zone) -> Result<Time, &'static str> {
        match self.half {
            Some(Half::Afternoon) if self.hour < 12 => self.hour += 12,
            Some(Half::Morning) if self.hour == 12 => self.hour = 0,
            _ => {}
        }
        if let Some(year_day) = self.year_day {
            let (month, day) = month_and_day(self.year, year_day).ok_or("day-of-year out of range")?;
            if self.month.is_some_and(|read| read != month) {
                return Err("day-of-year does not match month");
            }
            if self.day.is_some_and(|read| read != day) {
                return Err("day-of-year does not match day");
            }
            (self.month, self.day) = (Some(month), Some(day));
        }
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        if day < 1 || day > days_in(month, self.year) {
            return Err("day out of range");
        }
        let civil = Civil {
            year: self.year,
            month,
            day,
            hour: self.hour,
            minute: self.minute,
            second: self.second,
            nanosecond: self.nanosecond,
        };
        if self.utc {
            return Ok(Time::from_civil(&civil, Zone::Utc));
        }
        let shifted = |offset: i64| {
            let second = civil.second - offset;
            Time::from_civil(&Civil { second, ..civil }, Zone::Utc)
        };
        // -1 is Go's mark for "no offset read".
        if let Some(offset) = self.offset.filter(|offset| *offset != -1) {
            let time = shifted(offset);
            let found = local.lookup(time.unix_seconds());
            let fits = self.zone_name.is_empty() || found.name[..] == self.zone_name[..];
            if found.offset == offset && fits {
                return Ok(time.in_zone(local.clone()));
            }
            return Ok(time.in_zone(Zone::fixed(&self.zone_name, offset)));
        }
        if !self.zone_name.is_empty() {
            let unshifted = shifted(0);
            if let Some(offset) = local.offset_of(&self.zone_name, unshifted.unix_seconds()) {
                return Ok(shifted(offset).in_zone(local.clone()));
            }
            let hours = self.zone_name.strip_prefix(b"GMT").and_then(signed_number).unwrap_or(0);
            return Ok(unshifted.in_zone(Zone::fixed(&self.zone_name, hours * 3_600)));
        }
        Ok(Time::from_civil(&civil, local.clone()))
    }
}

/// The fewest digits of a number: two if the layout has a leading zero.
fn least(element: Element) -> usize {
    match element {
        Element::ZeroMonth
        | Element::ZeroDay
        | Element::ZeroHour12
        | Element::ZeroMinute
        | Element::ZeroSecond => 2,
        _ => 1,
    }
}

fn signed_number(text: &[u8]) -> Option<i64> {
    let unsigned = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let (value, rest) = leading_digits(unsigned)?;
    let value = i64::try_from(value).ok().filter(|_| rest.is_empty())?;
    Some(if text.starts_with(b"-") { -value } else { value })
}

/// How many digits a fraction has, if one starts here.
fn fraction_digits(text: &[u8]) -> Option<usize> {
    let digits = match text.split_first()? {
        (b'.' | b',', digits) => digits.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    (digits > 0).then_some(digits)
}

fn half(text: &[u8], morning: &[u8], afternoon: &[u8]) -> Result<Half, Refusal> {
    if text == afternoon {
        Ok(Half::Afternoon)
    } else if text == morning {
        Ok(Half::Morning)
    } else {
        Err(Refusal::Mismatch)
    }
}

fn read_offset(offset: Offset, input: &mut Input<'_>) -> Result<i64, Refusal> {
    let parts = match offset.precision {
        Precision::Hours => 1,
        Precision::Minutes => 2,
        Precision::Seconds => 3,
    };
    let width = if offset.colon { 3 } else { 2 };
    let text = input.take(width * parts + usize::from(!offset.colon))?;
    let (sign, text) = text.split_first().ok_or(Refusal::Mismatch)?;
    let at = |place: usize| text.get(place * width..place * width + 2).unwrap_or_default();
    let colons = text.iter().skip(2).step_by(3).all(|byte| *byte == b':');
    if offset.colon && !colons {
        return Err(Refusal::Mismatch);
    }
    let mut numbers = [0; 3];
    let mut readable = true;
    for (place, number) in numbers.iter_mut().enumerate().take(parts) {
        match signed_number(at(place)).filter(|_| at(place).iter().all(u8::is_ascii_digit)) {
            Some(value) => *number = value,
            None => {
                readable = false;
                break;
            }
        }
    }
    let [hours, minutes, seconds] = numbers;
    // A number that is out of range is reported before one that is invalid.
    for (value, limit, what) in [
        (seconds, 60, "time zone offset second"),
        (minutes, 60, "time zone offset minute"),
        (hours, 24, "time zone offset hour"),
    ] {
        if value > limit {
            return Err(Refusal::Range(what));
        }
    }
    let total = (hours * 60 + minutes) * 60 + seconds;
    match sign {
        b'+' if readable => Ok(total),
        b'-' if readable => Ok(-total),
        _ => Err(Refusal::Mismatch),
    }
}

/// How long the name of a zone is, if one is here: three capitals, or four or five that end in T.
fn zone_name_length(text: &[u8]) -> Option<usize> {
    if text.len() < 3 {
        return None;
    }
    if text.starts_with(b"ChST") || text.starts_with(b"MeST") {
        return Some(4);
    }
    if let Some(rest) = text.strip_prefix(b"GMT") {
        return Some(3 + signed_offset_length(rest));
    }
    if matches!(text.first(), Some(b'+' | b'-')) {
        return Some(signed_offset_length(text)).filter(|length| *length > 0);
    }
    let capitals = text.iter().take(6).take_while(|byte| byte.is_ascii_uppercase()).count();
    let ends_in_t = capitals.checked_sub(1).and_then(|last| text.get(last)) == Some(&b'T');
    match capitals {
        3 => Some(3),
        4 if ends_in_t || text.starts_with(b"WITA") => Some(4),
        5 if ends_in_t => Some(5),
        _ => None,
    }
}

/// The length of a sign with at most 23 hours.
fn signed_offset_length(text: &[u8]) -> usize {
    let Some(digits) = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")) else { return 0 };
    match leading_digits(digits) {
        Some((hours, rest)) if hours <= 23 && rest.len() < digits.len() => text.len() - rest.len(),
        _ => 0,
    }
}

fn month_and_day(year: i64, year_day: i64) -> Option<(i64, i64)> {
    let mut day = year_day;
    if day < 1 || day > 365 + i64::from(is_leap(year)) {
        return None;
    }
    for month in 1..=12 {
        let length = days_in(month, year);
        if day <= length {
            return Some((month, day));
        }
        day -= length;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(layout: &str, value: &str) -> String {
        match parse(layout.as_bytes(), value.as_bytes(), &Zone::Local) {
            Ok(time) => time.text(),
            Err(error) => error.into(),
        }
    }

    #[test]
    fn times() {
        for (layout, value, expected) in [
            ("2006-01-02", "2023-05-06", "2023-05-06 00:00:00 +0000 UTC"),
            ("2006-01-02T15:04:05Z07:00", "2023-05-06T07:08:09+02:00", "2023-05-06 07:08:09 +0200 +0200"),
            ("2006-01-02T15:04:05Z07:00", "2023-05-06T07:08:09.25Z", "2023-05-06 07:08:09.25 +0000 UTC"),
            ("2006-01-02T15:04:05Z07:00", "2023-05-06T07:08:09+00:00", "2023-05-06 07:08:09 +0000 UTC"),
            ("Jan _2 2006 3:04pm", "feb  3 2020 12:30am", "2020-02-03 00:30:00 +0000 UTC"),
            (
                "Monday, 02-Jan-06 15:04:05 MST",
                "Friday, 01-Mar-69 01:02:03 CET",
                "1969-03-01 01:02:03 +0000 CET",
            ),
            ("2006-01-02 MST", "2020-01-01 GMT+3", "2020-01-01 03:00:00 +0300 GMT+3"),
            ("2006-002", "2020-366", "2020-12-31 00:00:00 +0000 UTC"),
            ("15:04:05.000", "01:02:03.456", "0000-01-01 01:02:03.456 +0000 UTC"),
            ("15:04:05.999", "01:02:03", "0000-01-01 01:02:03 +0000 UTC"),
            ("05", "07,1234567890123", "0000-01-01 00:00:07.123456789 +0000 UTC"),
            ("2006-01-02 -0700", "2020-01-01 -0330", "2020-01-01 00:00:00 -0330 -0330"),
        ] {
            assert_eq!(read(layout, value), expected, "{layout} {value}");
        }
    }

    #[test]
    fn errors() {
        for (layout, value, expected) in [
            (
                "2006-01-02",
                "nope",
                "parsing time \"nope\" as \"2006-01-02\": cannot parse \"nope\" as \"2006\"",
            ),
            (
                "2006-01-02",
                "2020/01/02",
                "parsing time \"2020/01/02\" as \"2006-01-02\": cannot parse \"/01/02\" as \"-\"",
            ),
            ("2006-01-02", "2020-13-02", "parsing time \"2020-13-02\": month out of range"),
            ("2006-01-02", "2020-02-30", "parsing time \"2020-02-30\": day out of range"),
            ("2006-01-02", "2020-02-03x", "parsing time \"2020-02-03x\": extra text: \"x\""),
            ("15:04", "24:00", "parsing time \"24:00\": hour out of range"),
            ("3PM", "13PM", "parsing time \"13PM\": hour out of range"),
            ("3PM", "1XM", "parsing time \"1XM\" as \"3PM\": cannot parse \"XM\" as \"PM\""),
            ("-0700", "+2500", "parsing time \"+2500\": time zone offset hour out of range"),
            ("2006-002", "2021-366", "parsing time \"2021-366\": day-of-year out of range"),
            ("", "é", "parsing time \"\\xc3\\xa9\": extra text: \"\\xc3\\xa9\""),
        ] {
            assert_eq!(read(layout, value), expected, "{layout} {value}");
        }
    }
}

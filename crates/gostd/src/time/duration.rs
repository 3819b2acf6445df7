//! Durations in nanoseconds: formatting, parsing, rounding.

use std::fmt;

use super::parse::{leading_digits, quote};
use crate::error::{GoError, GoErrorKind};

/// A duration in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub i64);

const SECOND: u64 = 1_000_000_000;

/// The magnitude of a negative duration may be one more than that of a positive one.
const LIMIT: u64 = 1 << 63;

/// Whether Go parses a string as a duration, such as `1h2m3.5s`.
pub fn is_duration(text: &str) -> bool {
    Duration::parse(text.as_bytes()).is_ok()
}

impl Duration {
    /// Parses a string such as `1h2m3.5s`.
    pub fn parse(text: &[u8]) -> Result<Self, GoError> {
        let fail = |message: &str| GoErrorKind::Duration.says(format!("time: {message} {}", quote(text)));
        let invalid = || fail("invalid duration");
        let negative = text.first() == Some(&b'-');
        let mut rest = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
        if rest == b"0" {
            return Ok(Self(0));
        }
        if rest.is_empty() {
            return Err(invalid());
        }
        let mut total: u64 = 0;
        while let Some(first) = rest.first() {
            if !(*first == b'.' || first.is_ascii_digit()) {
                return Err(invalid());
            }
            let before = rest.len();
            let (whole, after) = leading_digits(rest).ok_or_else(invalid)?;
            let mut digits = after.len() < before;
            rest = after;
            let (mut fraction, mut scale) = (0, 1.0);
            if let Some(after) = rest.strip_prefix(b".") {
                let length;
                (fraction, scale, length) = leading_fraction(after);
                digits |= length > 0;
                rest = after.get(length..).unwrap_or_default();
            }
            if !digits {
                return Err(invalid());
            }
            let length = rest.iter().take_while(|byte| **byte != b'.' && !byte.is_ascii_digit()).count();
            let (name, after) = rest.split_at_checked(length).unwrap_or_default();
            if name.is_empty() {
                return Err(fail("missing unit in duration"));
            }
            rest = after;
            let unit =
                unit(name).ok_or_else(|| fail(&format!("unknown unit {} in duration", quote(name))))?;
            if whole > LIMIT / unit {
                return Err(invalid());
            }
            // The part after the point is less than one unit, so the cast neither wraps nor loses a digit that
            // Go would keep.
            let part = if fraction > 0 { (fraction as f64 * (unit as f64 / scale)) as u64 } else { 0 };
            let value = (whole * unit).checked_add(part).filter(|value| *value <= LIMIT);
            total = value.and_then(|value| total.checked_add(value)).ok_or_else(invalid)?;
            if total > LIMIT {
                return Err(invalid());
            }
        }
        match (negative, i64::try_from(total)) {
            (true, Ok(total)) => Ok(Self(-total)),
            (true, Err(_)) => Ok(Self(i64::MIN)),
            (false, Ok(total)) => Ok(Self(total)),
            (false, Err(_)) => Err(invalid()),
        }
    }

    /// Truncates to a multiple.
    pub fn truncate(self, multiple: Self) -> Self {
        if multiple.0 <= 0 { self } else { Self(self.0 - self.0 % multiple.0) }
    }

    /// Rounds to the nearest multiple, halves away from zero.
    pub fn round(self, multiple: Self) -> Self {
        if multiple.0 <= 0 {
            return self;
        }
        let rest = self.0 % multiple.0;
        let up = i128::from(rest.unsigned_abs()) * 2 >= i128::from(multiple.0);
        let (toward, step) = (self.0 - rest, if self.0 < 0 { -multiple.0 } else { multiple.0 });
        if up { Self(toward.saturating_add(step)) } else { Self(toward) }
    }

    /// As a number of seconds.
    pub fn seconds(self) -> f64 {
        self.in_unit(SECOND)
    }

    /// As a number of minutes.
    pub fn minutes(self) -> f64 {
        self.in_unit(60 * SECOND)
    }

    /// As a number of hours.
    pub fn hours(self) -> f64 {
        self.in_unit(3_600 * SECOND)
    }

    /// Whole units and the rest are divided separately, which keeps more digits than one division.
    fn in_unit(self, unit: u64) -> f64 {
        let unit = unit as i64;
        (self.0 / unit) as f64 + (self.0 % unit) as f64 / unit as f64
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.unsigned_abs();
        if size == 0 {
            return formatter.write_str("0s");
        }
        if self.0 < 0 {
            formatter.write_str("-")?;
        }
        let (whole, rest, digits, unit) = match size {
            ..1_000 => (size, 0, 0, "ns"),
            1_000..1_000_000 => (size / 1_000, size % 1_000, 3, "µs"),
            1_000_000..SECOND => (size / 1_000_000, size % 1_000_000, 6, "ms"),
            _ => {
                let seconds = size / SECOND;
                if seconds >= 3_600 {
                    write!(formatter, "{}h", seconds / 3_600)?;
                }
                if seconds >= 60 {
                    write!(formatter, "{}m", seconds / 60 % 60)?;
                }
                (seconds % 60, size % SECOND, 9, "s")
            }
        };
        write!(formatter, "{whole}")?;
        if rest > 0 {
            let fraction = format!("{rest:0digits$}");
            write!(formatter, ".{}", fraction.trim_end_matches('0'))?;
        }
        formatter.write_str(unit)
    }
}

fn unit(name: &[u8]) -> Option<u64> {
    Some(match name {
        b"ns" => 1,
        b"us" | b"\xc2\xb5s" | b"\xce\xbcs" => 1_000,
        b"ms" => 1_000_000,
        b"s" => SECOND,
        b"m" => 60 * SECOND,
        b"h" => 3_600 * SECOND,
        _ => return None,
    })
}

/// The digits after a point as a number over a power of ten, and their number; digits beyond the precision are
/// skipped.
fn leading_fraction(text: &[u8]) -> (u64, f64, usize) {
    let (mut value, mut scale, mut full) = (0_u64, 1.0, false);
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    let mut length = 0;
    for byte in digits {
        length += 1;
        if full || value > (LIMIT - 1) / 10 {
            full = true;
            continue;
        }
        let next = value * 10 + u64::from(byte - b'0');
        if next > LIMIT {
            full = true;
            continue;
        }
        value = next;
        scale *= 10.0;
    }
    (value, scale, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings() {
        for (text, expected) in [
            ("0", "0s"),
            ("+0", "0s"),
            ("1h2m3.5s", "1h2m3.5s"),
            ("90m", "1h30m0s"),
            ("-1.5h", "-1h30m0s"),
            ("100ms", "100ms"),
            ("1.5us", "1.5µs"),
            ("1.5µs", "1.5µs"),
            ("1.5μs", "1.5µs"),
            ("999ns", "999ns"),
            (".5s", "500ms"),
            ("1.s", "1s"),
            ("0.3333333333333333333h", "20m0s"),
            ("9223372036854775807ns", "2562047h47m16.854775807s"),
            ("-9223372036854775808ns", "-2562047h47m16.854775808s"),
            ("", "time: invalid duration \"\""),
            ("-", "time: invalid duration \"-\""),
            ("3", "time: missing unit in duration \"3\""),
            (".s", "time: invalid duration \".s\""),
            ("1d", "time: unknown unit \"d\" in duration \"1d\""),
            ("1h 2m", "time: unknown unit \"h \" in duration \"1h 2m\""),
            ("x", "time: invalid duration \"x\""),
            ("9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""),
            ("3000000h", "time: invalid duration \"3000000h\""),
            ("1é", "time: unknown unit \"\\xc3\\xa9\" in duration \"1\\xc3\\xa9\""),
        ] {
            let actual = Duration::parse(text.as_bytes()).map_or_else(String::from, |d| d.to_string());
            assert_eq!(actual, expected, "{text}");
        }
    }

    #[test]
    fn rounding() {
        let parse = |text: &str| Duration::parse(text.as_bytes()).unwrap();
        for (value, multiple, rounded, truncated) in [
            ("1h15m30.918273645s", "1s", "1h15m31s", "1h15m30s"),
            ("1h15m30s", "1h", "1h0m0s", "1h0m0s"),
            ("90m", "1h", "2h0m0s", "1h0m0s"),
            ("-90m", "1h", "-2h0m0s", "-1h0m0s"),
            ("90m", "0", "1h30m0s", "1h30m0s"),
            ("90m", "-1h", "1h30m0s", "1h30m0s"),
            ("9223372036854775807ns", "1h", "2562047h47m16.854775807s", "2562047h0m0s"),
        ] {
            let (value, multiple) = (parse(value), parse(multiple));
            assert_eq!(value.round(multiple).to_string(), rounded);
            assert_eq!(value.truncate(multiple).to_string(), truncated);
        }
        assert_eq!(parse("90s").minutes(), 1.5);
        assert_eq!(parse("90m").hours(), 1.5);
        assert_eq!(parse("1500ms").seconds(), 1.5);
    }
}

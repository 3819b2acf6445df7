//! Instants and durations like Go's.

mod civil;
mod duration;
mod format;
mod layout;
mod parse;
mod rfc3339;
mod zone;

use std::fmt::Write;

pub use civil::days_in;
pub use civil::{Civil, MONTHS, WEEKDAYS};
pub use duration::Duration;
pub use duration::is_duration;
pub use parse::parse;
pub use rfc3339::{rfc3339, rfc3339_again, rfc3339_seconds, rfc3339_zero};
pub use zone::Zone;

/// From Go's internal epoch, the first of January of the year 1, to 1970.
const UNIX_TO_INTERNAL: i64 = 62_135_596_800;

/// The nanoseconds of a second.
pub const NANOSECONDS: i64 = 1_000_000_000;

/// An instant with the zone in which it is shown. As in Go, numbers far out of range wrap around.
#[derive(Debug, Clone)]
pub struct Time {
    /// Seconds since the first of January of the year 1.
    seconds: i64,
    nanoseconds: u32,
    zone: Zone,
    /// Go's clock readings carry a monotonic clock, which is only visible when printed.
    monotonic: Option<i64>,
}

impl Time {
    /// Go's zero time.
    pub fn zero() -> Self {
        Self { seconds: 0, nanoseconds: 0, zone: Zone::Utc, monotonic: None }
    }

    /// An instant by seconds since 1970, shown in the local zone.
    pub fn unix(seconds: i64, nanoseconds: u32) -> Self {
        let seconds = seconds.wrapping_add(UNIX_TO_INTERNAL);
        Self { seconds, nanoseconds: nanoseconds.min(999_999_999), zone: Zone::Local, monotonic: None }
    }

    /// A reading of the clock.
    pub fn now((seconds, nanoseconds): (i64, u32)) -> Self {
        Self { monotonic: Some(0), ..Self::unix(seconds, nanoseconds) }
    }

    /// The instant of a local date and time in a zone; out-of-range numbers carry over.
    pub fn from_civil(civil: &Civil, zone: Zone) -> Self {
        let local = civil.unix_seconds();
        let found = zone.lookup(local);
        let mut unix = local;
        if found.offset != 0 {
            let guess = local.wrapping_sub(found.offset);
            let offset = if guess < found.start || guess >= found.end {
                zone.lookup(guess).offset
            } else {
                found.offset
            };
            unix = local.wrapping_sub(offset);
        }
        let carried = civil.nanosecond.div_euclid(NANOSECONDS);
        let nanoseconds = u32::try_from(civil.nanosecond.rem_euclid(NANOSECONDS)).unwrap_or(0);
        Self { zone, ..Self::unix(unix.wrapping_add(carried), nanoseconds) }
    }

    /// The same instant in another zone.
    pub fn in_zone(&self, zone: Zone) -> Self {
        Self { zone, monotonic: None, ..self.clone() }
    }

    /// The zone in which it is shown.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// The date and time of day in its zone.
    pub fn civil(&self) -> Civil {
        let offset = self.zone.lookup(self.unix_seconds()).offset;
        Civil::from_unix(self.unix_seconds().wrapping_add(offset), self.nanoseconds)
    }

    /// Since the beginning of 1970.
    pub fn unix_seconds(&self) -> i64 {
        self.seconds.wrapping_sub(UNIX_TO_INTERNAL)
    }

    /// Since the beginning of 1970.
    pub fn unix_nanoseconds(&self) -> i64 {
        self.unix_seconds().wrapping_mul(NANOSECONDS).wrapping_add(i64::from(self.nanoseconds))
    }

    /// Since the beginning of 1970.
    pub fn unix_milliseconds(&self) -> i64 {
        self.unix_seconds().wrapping_mul(1_000).wrapping_add(i64::from(self.nanoseconds / 1_000_000))
    }

    /// Since the beginning of 1970.
    pub fn unix_microseconds(&self) -> i64 {
        self.unix_seconds().wrapping_mul(1_000_000).wrapping_add(i64::from(self.nanoseconds / 1_000))
    }

    /// Whether it is Go's zero time.
    pub fn is_zero(&self) -> bool {
        self.seconds == 0 && self.nanoseconds == 0
    }

    /// The instant as a comparable number.
    pub fn instant(&self) -> (i64, u32) {
        (self.seconds, self.nanoseconds)
    }

    /// The instant this much later.
    pub fn add(&self, duration: Duration) -> Self {
        let nanoseconds = i64::from(self.nanoseconds) + duration.0 % NANOSECONDS;
        let carried = nanoseconds.div_euclid(NANOSECONDS);
        let seconds = self.seconds.saturating_add(duration.0 / NANOSECONDS).saturating_add(carried);
        let nanoseconds = u32::try_from(nanoseconds.rem_euclid(NANOSECONDS)).unwrap_or(0);
        let monotonic = self.monotonic.and_then(|reading| reading.checked_add(duration.0));
        Self { seconds, nanoseconds, zone: self.zone.clone(), monotonic }
    }

    /// The date this many years, months and days later; days that do not exist carry over.
    pub fn add_date(&self, years: i64, months: i64, days: i64) -> Self {
        let mut civil = self.civil();
        civil.year = civil.year.wrapping_add(years);
        civil.month = civil.month.wrapping_add(months);
        civil.day = civil.day.wrapping_add(days);
        Self::from_civil(&civil, self.zone.clone())
    }

    /// How much later it is than another instant, saturated to nanoseconds.
    pub fn since(&self, other: &Self) -> Duration {
        let seconds = i128::from(self.seconds) - i128::from(other.seconds);
        let nanoseconds = i128::from(self.nanoseconds) - i128::from(other.nanoseconds);
        let difference = seconds * i128::from(NANOSECONDS) + nanoseconds;
        let limit = if difference < 0 { i64::MIN } else { i64::MAX };
        Duration(i64::try_from(difference).unwrap_or(limit))
    }

    /// What `%v` prints.
    pub fn text(&self) -> String {
        let shown = self.format(b"2006-01-02 15:04:05.999999999 -0700 MST");
        let mut text = String::from_utf8_lossy(&shown).into_owned();
        if let Some(reading) = self.monotonic {
            let (sign, size) = (if reading < 0 { '-' } else { '+' }, reading.unsigned_abs());
            let (seconds, rest) = (size / NANOSECONDS.unsigned_abs(), size % NANOSECONDS.unsigned_abs());
            _ = write!(text, " m={sign}{seconds}.{rest:09}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(time: &Time) -> String {
        String::from_utf8(time.format(b"2006-01-02T15:04:05.999999999Z07:00 MST")).unwrap()
    }

    #[test]
    fn instants() {
        assert_eq!(shown(&Time::zero()), "0001-01-01T00:00:00Z UTC");
        assert_eq!(shown(&Time::unix(0, 0)), "1970-01-01T00:00:00Z UTC");
        assert_eq!(shown(&Time::unix(-1, 5)), "1969-12-31T23:59:59.000000005Z UTC");
        assert_eq!(shown(&Time::unix(951_782_400, 0)), "2000-02-29T00:00:00Z UTC");
        assert_eq!(shown(&Time::unix(i64::MAX, 0)), "292277026596-12-04T15:30:07Z UTC");
    }

    #[test]
    fn arithmetic() {
        let start = Time::unix(1_700_000_000, 999_999_999);
        assert_eq!(shown(&start.add(Duration(1))), "2023-11-14T22:13:21Z UTC");
        assert_eq!(shown(&start.add(Duration(-NANOSECONDS))), "2023-11-14T22:13:19.999999999Z UTC");
        assert_eq!(shown(&start.add_date(0, 3, 17)), "2024-03-02T22:13:20.999999999Z UTC");
        assert_eq!(shown(&start.add_date(-1, -11, -14)), "2021-11-30T22:13:20.999999999Z UTC");
        assert_eq!(start.add(Duration(5)).since(&start), Duration(5));
        assert_eq!(Time::zero().since(&start), Duration(i64::MIN));
    }

    #[test]
    fn dates_in_zones() {
        let zone = Zone::load(b"Europe/Berlin").unwrap();
        let civil = |text: &str| parse(b"2006-01-02 15:04", text.as_bytes(), &Zone::Utc).unwrap().civil();
        for (local, expected) in [
            ("2024-01-15 12:00", "2024-01-15T12:00:00+01:00 CET"),
            ("2024-07-15 12:00", "2024-07-15T12:00:00+02:00 CEST"),
            ("2024-03-31 02:30", "2024-03-31T03:30:00+02:00 CEST"),
            ("2050-07-15 12:00", "2050-07-15T12:00:00+02:00 CEST"),
            ("1800-01-01 00:00", "1800-01-01T00:00:00+00:53 LMT"),
        ] {
            assert_eq!(shown(&Time::from_civil(&civil(local), zone.clone())), expected, "{local}");
        }
        let south = Zone::load(b"Australia/Sydney").unwrap();
        assert_eq!(shown(&Time::unix(2_524_608_000, 0).in_zone(south)), "2050-01-01T11:00:00+11:00 AEDT");
        assert!(Zone::load(b"europe/berlin").is_none());
        assert!(Zone::load(b"../etc/passwd").is_none());
    }

    #[test]
    fn readings_of_the_clock_print_their_monotonic_clock() {
        let now = Time::now((0, 0)).add(Duration(1_500_000_000));
        assert_eq!(now.text(), "1970-01-01 00:00:01.5 +0000 UTC m=+1.500000000");
        assert_eq!(now.in_zone(Zone::Utc).text(), "1970-01-01 00:00:01.5 +0000 UTC");
    }
}

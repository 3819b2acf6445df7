//! Times as Go writes them into JSON.

use super::{Time, Zone, parse};
use crate::error::GoError;

const LAYOUT: &[u8] = b"2006-01-02T15:04:05.999999999Z07:00";

/// The instant so many seconds and nanoseconds after the beginning of 1970.
pub fn rfc3339((seconds, nanoseconds): (i64, u32)) -> String {
    written(&Time::unix(seconds, nanoseconds))
}

/// A time after Go has read it from JSON and written it again.
pub fn rfc3339_again(text: &str) -> Result<String, GoError> {
    parse(b"2006-01-02T15:04:05Z07:00", text.as_bytes(), &Zone::Utc).map(|time| written(&time))
}

/// The whole second nearest to a time; `None` if it is not a time.
pub fn rfc3339_seconds(text: &str) -> Option<i64> {
    let time = parse(b"2006-01-02T15:04:05Z07:00", text.as_bytes(), &Zone::Utc).ok()?;
    let (seconds, nanoseconds) = (time.unix_seconds(), time.unix_nanoseconds().rem_euclid(1_000_000_000));
    Some(seconds.saturating_add(i64::from(nanoseconds >= 500_000_000)))
}

/// What Go writes for the zero time.
pub fn rfc3339_zero() -> String {
    written(&Time::zero())
}

fn written(time: &Time) -> String {
    String::from_utf8_lossy(&time.format(LAYOUT)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_without_redundant_parts() {
        assert_eq!(rfc3339((0, 0)), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339((1_600_000_000, 120_000_000)), "2020-09-13T12:26:40.12Z");
        assert_eq!(rfc3339_zero(), "0001-01-01T00:00:00Z");
        for (text, again) in [
            ("2016-10-06T16:23:20.499814565-06:00", "2016-10-06T16:23:20.499814565-06:00"),
            ("2016-10-06T16:23:20.500+00:00", "2016-10-06T16:23:20.5Z"),
        ] {
            assert_eq!(rfc3339_again(text).as_deref(), Ok(again));
        }
        assert!(rfc3339_again("yesterday").is_err());
        assert_eq!(rfc3339_seconds("2020-09-13T14:26:40.4+02:00"), Some(1_600_000_000));
        assert_eq!(rfc3339_seconds("2020-09-13T12:26:39.5Z"), Some(1_600_000_000));
        assert_eq!(rfc3339_seconds("yesterday"), None);
    }
}

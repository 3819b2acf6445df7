//! Times in objects (RFC 3339): Go's words about those that are none, and how the server writes the others.

use trueline_gostd::GoError;
use trueline_gostd::time::{Time, Zone, parse};

const LAYOUT: &[u8] = b"2006-01-02T15:04:05Z07:00";

fn read(text: &str) -> Result<Time, GoError> {
    parse(LAYOUT, text.as_bytes(), &Zone::Utc)
}

/// What is wrong with a time, in Go's words.
pub fn error(text: &str) -> Option<String> {
    read(text).err().map(String::from)
}

/// A time as the server writes it: in UTC and in whole seconds. Nothing for one that cannot be read, and for the time
/// that counts as none.
pub fn in_utc(text: &str) -> Option<String> {
    let time = read(text).ok().filter(|time| !time.is_zero())?;
    String::from_utf8(time.in_zone(Zone::Utc).format(LAYOUT)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let rows = [
            ("2024-02-29T10:11:12Z", None),
            ("2024-02-29T10:11:12.5+01:00", None),
            ("x", Some(r#"parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006""#)),
            ("2023-02-29T10:11:12Z", Some(r#"parsing time "2023-02-29T10:11:12Z": day out of range"#)),
            (
                "2023-02-02",
                Some(r#"parsing time "2023-02-02" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T""#),
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(error(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn times_are_written_in_utc() {
        let cases = [
            ("2022-12-08T15:50:37Z", Some("2022-12-08T15:50:37Z")),
            ("2022-12-31T23:30:00.123-01:00", Some("2023-01-01T00:30:00Z")),
            ("2024-02-29T00:00:00+02:30", Some("2024-02-28T21:30:00Z")),
            ("0001-01-01T00:00:00Z", None),
            ("0001-01-01T00:00:00.5Z", Some("0001-01-01T00:00:00Z")),
        ];
        for (text, expected) in cases {
            assert_eq!(in_utc(text).as_deref(), expected, "{text}");
        }
    }
}

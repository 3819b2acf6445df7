//! Points in time. They stay strings for every dialect, but the writer must quote what looks like one.

use trueline_gostd::time::{Zone, parse};

/// The forms that go-yaml knows.
const LAYOUTS: [&[u8]; 4] = [
    b"2006-1-2T15:4:5.999999999Z07:00",
    b"2006-1-2t15:4:5.999999999Z07:00",
    b"2006-1-2 15:4:5.999999999",
    b"2006-1-2",
];

/// A date, or a date and a time, in the forms that go-yaml knows.
pub fn is_timestamp(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    digits == 4
        && text.as_bytes().get(digits) == Some(&b'-')
        && LAYOUTS.iter().any(|layout| parse(layout, text.as_bytes(), &Zone::Utc).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times() {
        for text in [
            "2001-01-01",
            "2001-1-2T3:4:5Z",
            "2001-1-2t3:4:5.123+01:00",
            "2001-1-2T3:4:5-24:60",
            "2001-1-2   3:4:5",
            "2001-1-2 3:4:5,5",
            "2024-02-29",
        ] {
            assert!(is_timestamp(text), "{text}");
        }
        for text in [
            "2001-13-01",
            "2001-02-29",
            "2001-1-2T3:4:5",
            "2001-1-2T24:0:0Z",
            "20010-1-1",
            "2001-1-2 3:4:5Z",
            "2001-1-2T3:4:5.Z",
            "2001-1-2T3:4:5+1:00",
            "2001",
            "",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }
}

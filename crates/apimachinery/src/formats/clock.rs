//! Formats of dates, times and durations.

use trueline_gostd::time::is_duration;

use super::codes::is_space;

/// `2006-01-02`
pub(super) fn date(text: &str) -> bool {
    let number = |range: std::ops::Range<usize>| {
        let digits = text.get(range)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u32>().ok())?
    };
    let dashes = matches!(text.as_bytes(), [_, _, _, _, b'-', _, _, b'-', _, _]);
    let (true, Some(year), Some(month), Some(day)) = (dashes, number(0..4), number(5..7), number(8..10))
    else {
        return false;
    };
    let days = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// A date and a time with its zone; no leap second.
pub(super) fn date_time(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(day), Some(time)) = (parts.next(), parts.next()) else { return false };
    date(day) && time_with_zone(time)
}

fn time_with_zone(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else { return false };
    if !digits_between_colons(clock, &[b"23", b"59", b"59"]) {
        return false;
    }
    // Any character may precede the fraction, not only a dot.
    let mut characters = rest.chars();
    let after_fraction = match characters.next() {
        Some(first) if first != '\n' => {
            let digits = characters.as_str();
            let tail = digits.trim_start_matches(|character: char| character.is_ascii_digit());
            (tail.len() < digits.len()).then_some(tail)
        }
        _ => None,
    };
    is_zone(rest) || after_fraction.is_some_and(is_zone)
}

fn is_zone(text: &str) -> bool {
    text == "z"
        || text.strip_prefix(['+', '-']).is_some_and(|text| digits_between_colons(text, &[b"99", b"99"]))
}

/// Two digits each, separated by colons, each at most its limit.
fn digits_between_colons(text: &str, limits: &[&[u8; 2]]) -> bool {
    let parts: Vec<&[u8]> = text.as_bytes().split(|byte| *byte == b':').collect();
    parts.len() == limits.len()
        && parts.iter().zip(limits).all(|(part, limit)| {
            part.len() == 2 && part.iter().all(u8::is_ascii_digit) && *part <= limit.as_slice()
        })
}

/// A Go duration, or any string that contains a number with a unit.
pub(super) fn duration(text: &str) -> bool {
    is_duration(text) || has_unit(text)
}

fn leading_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len()))
}

/// The names of each unit; any word that begins with the last of them counts too.
const WORDS: &[&[&str]] = &[
    &["ns", "nano"],
    &["us", "µs", "micro"],
    &["ms", "milli"],
    &["s", "sec"],
    &["m", "min"],
    &["h", "hr", "hour"],
    &["d", "day"],
    &["w", "wk", "week"],
];

fn has_unit(text: &str) -> bool {
    let mut rest = text;
    let mut found = false;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit()) {
        let (digits, tail) = leading_digits(rest.get(start..).unwrap_or_default());
        let behind = tail.trim_start_matches(is_space);
        let end = behind.find(|character: char| !character.is_ascii_alphabetic() && character != 'µ');
        let (word, after) = behind.split_at(end.unwrap_or(behind.len()));
        rest = tail;
        if word.is_empty() {
            continue;
        }
        if digits.parse::<i64>().is_err() {
            return false;
        }
        let word = word.to_lowercase();
        found |= WORDS.iter().any(|names| {
            names.contains(&word.as_str()) || names.last().is_some_and(|last| word.starts_with(last))
        });
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn dates_times_and_durations() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (
                "date",
                &["2024-02-29", "0000-01-01"],
                &["2023-02-29", "2024-1-01", "2024-13-01", "2024-01-00", "", "2024-01-011"],
            ),
            (
                "date-time",
                &[
                    "2024-01-02T03:04:05Z",
                    "2024-01-02t03:04:05.123+01:00",
                    "2024-01-02T03:04:05x1z",
                    "2024-01-02T23:59:59-99:99",
                ],
                &[
                    "2024-01-02T03:04:60Z",
                    "2024-01-02T24:04:05Z",
                    "2024-01-02T03:04:05",
                    "2024-01-02 03:04:05Z",
                    "T",
                    "2024-01-02T03:04:05.Z",
                ],
            ),
            (
                "duration",
                &[
                    "1h30m",
                    "0",
                    "-1.5h",
                    "3 weeks",
                    "abc1s",
                    "1.h",
                    "5μs",
                    "2 Days",
                    "300ms",
                    "99999999999h",
                    "1 x 2 s",
                ],
                &["", "h", "1", "1 x", "99999999999999999999s", ".", "one hour", "-"],
            ),
        ];
        for (format, right, wrong) in cases {
            let check = check(format).unwrap();
            for text in *right {
                assert!(check(text), "{format}: {text}");
            }
            for text in *wrong {
                assert!(!check(text), "{format}: {text}");
            }
        }
    }
}

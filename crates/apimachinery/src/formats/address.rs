//! Formats of addresses and host names.

use std::sync::LazyLock;

use crate::pattern::Pattern;

/// An address of version 4; leading zeros are ignored, and one inside of a version 6 address does too.
pub(super) fn ipv4(text: &str) -> bool {
    is_ip(text, Zeros::Ignored) && text.contains('.')
}

/// An address that holds a colon.
pub(super) fn ipv6(text: &str) -> bool {
    is_ip(text, Zeros::Refused) && text.contains(':')
}

/// An address, a slash and a prefix length (CIDR).
pub(super) fn cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let limit = if is_v4(address, Zeros::Ignored) {
        32
    } else if is_v6(address, Zeros::Ignored) {
        128
    } else {
        return false;
    };
    bits.bytes().all(|byte| byte.is_ascii_digit()) && bits.parse::<u64>().is_ok_and(|bits| bits <= limit)
}

/// What leading zeros of a decimal number mean.
#[derive(Clone, Copy, PartialEq)]
enum Zeros {
    Ignored,
    Refused,
}

fn is_ip(text: &str, zeros: Zeros) -> bool {
    match text.chars().find(|character| matches!(character, '.' | ':')) {
        Some('.') => is_v4(text, zeros),
        Some(_) => is_v6(text, zeros),
        None => false,
    }
}

fn is_v4(text: &str, zeros: Zeros) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 4
        && parts.iter().all(|part| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_digit())
                && (zeros == Zeros::Ignored || part.len() == 1 || !part.starts_with('0'))
                && part
                    .trim_start_matches('0')
                    .parse::<u64>()
                    .map_or(part.bytes().all(|b| b == b'0'), |n| n < 256)
        })
}

fn is_v6(text: &str, zeros: Zeros) -> bool {
    let (left, right) = match text.split_once("::") {
        Some((left, right)) => (left, Some(right)),
        None => (text, None),
    };
    let groups = |text: &str, is_last: bool| -> Option<usize> {
        if text.is_empty() {
            return Some(0);
        }
        let parts: Vec<&str> = text.split(':').collect();
        let mut count = 0;
        for (index, part) in parts.iter().enumerate() {
            let ends = is_last && index + 1 == parts.len();
            if ends && part.contains('.') && is_v4(part, zeros) {
                count += 2;
            } else if (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                count += 1;
            } else {
                return None;
            }
        }
        Some(count)
    };
    match right {
        None => !left.is_empty() && groups(left, true) == Some(8),
        Some(right) => match (groups(left, false), groups(right, true)) {
            (Some(left), Some(right)) => left + right < 8,
            _ => false,
        },
    }
}

/// Six, eight or twenty bytes in hexadecimal, in pairs or in groups of four.
pub(super) fn mac(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (separator, width) = match (bytes.get(2), bytes.get(4)) {
        (Some(separator @ (b':' | b'-')), _) => (*separator, 2),
        (_, Some(b'.')) => (b'.', 4),
        _ => return false,
    };
    let groups: Vec<&[u8]> = bytes.split(|byte| *byte == separator).collect();
    matches!(groups.len() * width / 2, 6 | 8 | 20)
        && groups.iter().all(|group| group.len() == width && group.iter().all(u8::is_ascii_hexdigit))
}

static HOSTNAME: LazyLock<Option<Pattern>> = LazyLock::new(|| {
    let label = r"[a-zA-Z0-9\p{S}\p{L}]";
    let single = format!(r"{label}((-?{label}{{0,62}})?)");
    let several = format!(
        r"({label}(([a-zA-Z0-9-\p{{S}}\p{{L}}]{{0,61}}{label})?)(\.)){{1,}}([a-zA-Z\p{{L}}]){{2,63}}"
    );
    Pattern::new(&format!("^({single}|{several})$")).ok()
});

/// One label, or several separated by dots, the last of letters only.
pub(super) fn hostname(text: &str) -> bool {
    text.len() <= 255
        && text.split('.').all(|label| label.len() <= 63)
        && HOSTNAME.as_ref().is_some_and(|pattern| pattern.is_match(text) == Some(true))
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn addresses() {
        let long = "a".repeat(64);
        let cases: &[(&str, &[&str], &[&str])] = &[
            (
                "ipv4",
                &["1.2.3.4", "01.002.3.4", "::ffff:1.2.3.4", "000.0.0.255"],
                &["1.2.3", "1.2.3.256", "::1", "1.2.3.4.5", "", "1.2.3.a"],
            ),
            (
                "ipv6",
                &[
                    "::",
                    "::1",
                    "1:2:3:4:5:6:7:8",
                    "1::8",
                    "::ffff:1.2.3.4",
                    "1:2:3:4:5:6:1.2.3.4",
                    "1:2:3:4:5:6:7::",
                ],
                &[
                    "1.2.3.4",
                    "1:2:3:4:5:6:7",
                    "1::2::3",
                    ":::",
                    "12345::",
                    "::ffff:01.2.3.4",
                    "1:2:3:4:5:6:7:8::",
                    "::1%eth0",
                    ":1",
                ],
            ),
            (
                "cidr",
                &["1.2.3.4/0", "10.0.0.0/8", "::/128", "01.2.3.4/32"],
                &["1.2.3.4/33", "1.2.3.4", "::/129", "1.2.3.4/-1", "1.2.3.4/", "/8"],
            ),
            (
                "mac",
                &["01:23:45:67:89:ab", "01-23-45-67-89-AB-cd-ef", "0123.4567.89ab"],
                &["", "01:23:45:67:89", "01:23:45-67:89:ab", "0123.4567.89a"],
            ),
            (
                "hostname",
                &["localhost", "a.bc", "ex-ample.com", "münchen.de", "a1.example.org"],
                &["", "-a", "a.b", "a..bc", "a.c0m", "a_b", &long],
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

//! Formats of identifiers, numbers, colours and encodings.

/// Twelve bytes in hexadecimal.
pub(super) fn bson_object_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A UUID of any kind; its dashes are optional.
pub(super) fn uuid(text: &str) -> bool {
    uuid_groups(text).is_some()
}

pub(super) fn uuid3(text: &str) -> bool {
    uuid_groups(text).is_some_and(|groups| groups.version == b'3')
}

pub(super) fn uuid4(text: &str) -> bool {
    uuid_groups(text).is_some_and(|groups| groups.version == b'4' && groups.has_variant())
}

pub(super) fn uuid5(text: &str) -> bool {
    uuid_groups(text).is_some_and(|groups| groups.version == b'5' && groups.has_variant())
}

struct Groups {
    version: u8,
    variant: u8,
}

impl Groups {
    fn has_variant(&self) -> bool {
        matches!(self.variant.to_ascii_lowercase(), b'8' | b'9' | b'a' | b'b')
    }
}

fn uuid_groups(text: &str) -> Option<Groups> {
    let mut rest = text.as_bytes();
    let mut groups = Groups { version: 0, variant: 0 };
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix(b"-").unwrap_or(rest);
        }
        let (group, tail) = rest.split_at_checked(length)?;
        if !group.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        match index {
            2 => groups.version = *group.first()?,
            3 => groups.variant = *group.first()?,
            _ => {}
        }
        rest = tail;
    }
    rest.is_empty().then_some(groups)
}

pub(super) fn isbn(text: &str) -> bool {
    isbn10(text) || isbn13(text)
}

pub(super) fn isbn10(text: &str) -> bool {
    let Some(code) = isbn_digits(text).filter(|code| code.len() == 10) else { return false };
    let mut sum = 0;
    for (index, byte) in code.bytes().enumerate() {
        let digit = match byte {
            b'X' if index == 9 => 10,
            b'0'..=b'9' => usize::from(byte - b'0'),
            _ => return false,
        };
        sum += (index + 1) * digit;
    }
    sum % 11 == 0
}

pub(super) fn isbn13(text: &str) -> bool {
    let Some(code) = isbn_digits(text).filter(|code| code.len() == 13) else { return false };
    let mut sum = 0;
    for (index, byte) in code.bytes().enumerate() {
        if !byte.is_ascii_digit() {
            return false;
        }
        sum += usize::from(byte - b'0') * if index % 2 == 0 { 1 } else { 3 };
    }
    sum % 10 == 0
}

/// Removes spaces and dashes.
fn isbn_digits(text: &str) -> Option<String> {
    let code: String = text.chars().filter(|character| !is_space(*character) && *character != '-').collect();
    code.is_ascii().then_some(code)
}

/// What `\s` stands for in Go's patterns.
pub(super) fn is_space(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\u{c}' | '\r' | ' ')
}

/// The number of a credit card, where anything that is not a digit is ignored.
pub(super) fn credit_card(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
    let known = match digits.as_slice() {
        [b'4', ..] => matches!(digits.len(), 13 | 16),
        [b'5', b'1'..=b'5', ..] => digits.len() == 16,
        [b'6', b'0', b'1', b'1', ..] | [b'6', b'5', ..] => digits.len() == 16,
        [b'3', b'4' | b'7', ..] => digits.len() == 15,
        [b'3', b'0', b'0'..=b'5', ..] | [b'3', b'6' | b'8', ..] => digits.len() == 14,
        [b'2', b'1', b'3', b'1', ..] | [b'1', b'8', b'0', b'0', ..] => digits.len() == 15,
        [b'3', b'5', ..] => digits.len() == 16,
        _ => false,
    };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| match (u32::from(digit - b'0'), index % 2) {
            (digit, 0) => digit,
            (digit, _) => digit * 2 / 10 + digit * 2 % 10,
        })
        .sum();
    known && sum.is_multiple_of(10)
}

/// `123-45-6789`; spaces are allowed too.
pub(super) fn ssn(text: &str) -> bool {
    let mut rest = text.as_bytes();
    for (index, length) in [3, 2, 4].into_iter().enumerate() {
        if index > 0 && matches!(rest.first(), Some(b'-' | b' ')) {
            rest = rest.get(1..).unwrap_or_default();
        }
        match rest.split_at_checked(length) {
            Some((group, tail)) if group.iter().all(u8::is_ascii_digit) => rest = tail,
            _ => return false,
        }
    }
    rest.is_empty() && text.len() == 11
}

pub(super) fn hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `rgb(1, 20, 255)`
pub(super) fn rgb_color(text: &str) -> bool {
    let Some(parts) = text.strip_prefix("rgb(").and_then(|text| text.strip_suffix(')')) else { return false };
    let parts: Vec<&str> = parts.split(',').map(|part| part.trim_matches(is_space)).collect();
    parts.len() == 3
        && parts.iter().all(|part| {
            part.bytes().all(|byte| byte.is_ascii_digit())
                && part.parse::<u8>().is_ok()
                && (*part == "0" || !part.starts_with('0'))
        })
}

/// Base64 of the ordinary alphabet, padded and not empty.
pub(super) fn byte(text: &str) -> bool {
    let data = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    !data.is_empty()
        && text.len().is_multiple_of(4)
        && data.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

/// Any string.
pub(super) fn password(_: &str) -> bool {
    true
}

pub(super) fn short_name(text: &str) -> bool {
    text.len() <= 63 && is_label(text)
}

pub(super) fn long_name(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_label)
}

fn is_label(text: &str) -> bool {
    let is_end =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let bytes = text.as_bytes();
    is_end(bytes.first())
        && is_end(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn codes() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (
                "bsonobjectid",
                &["507f1f77bcf86cd799439011"],
                &["", "507f1f77bcf86cd79943901", "g07f1f77bcf86cd799439011"],
            ),
            (
                "uuid",
                &[
                    "550e8400-e29b-41d4-a716-446655440000",
                    "550E8400E29B41D4A716446655440000",
                    "550e8400e29b-41d4a716-446655440000",
                ],
                &["", "550e8400--e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-4466554400000"],
            ),
            ("uuid3", &["bcd02e22-68f0-3046-a512-327cca9def8f"], &["bcd02e22-68f0-4046-a512-327cca9def8f"]),
            ("uuid4", &["025b0d74-00a2-4048-bf57-227c5111bb34"], &["025b0d74-00a2-4048-cf57-227c5111bb34"]),
            ("uuid5", &["886313e1-3b8a-5372-9b90-0c9aee199e5d"], &["886313e1-3b8a-4372-9b90-0c9aee199e5d"]),
            (
                "isbn10",
                &["0321751043", "0-321-75104-3", "080442957X"],
                &["0321751044", "032175104", "X321751043"],
            ),
            ("isbn13", &["978-0321751041", "9780321751041"], &["9780321751042", "978032175104"]),
            ("isbn", &["0321751043", "9780321751041"], &["1"]),
            ("creditcard", &["4111-1111-1111-1111", "378282246310005"], &["4111111111111112", "1234", ""]),
            ("ssn", &["111-11-1111", "111 11 1111"], &["111111111", "111-11-11111", "11-111-1111"]),
            ("hexcolor", &["#FFFFFF", "abc"], &["#FFFF", "#ggg", ""]),
            (
                "rgbcolor",
                &["rgb(0, 20,255)", "rgb( 1,2,3 )"],
                &["rgb(256,0,0)", "rgb(01,0,0)", "rgb(1,2)", "rgb(+1,2,3)"],
            ),
            ("byte", &["YQ==", "YWI=", "YWJj"], &["", "YQ=", "YQ", "Y Q==", "YWJj\n", "===="]),
            ("password", &["", "x"], &[]),
            ("k8s-short-name", &["a", "a-1"], &["", "-a", "a-", "A", "a.b"]),
            ("k8s-long-name", &["a.b-c.d"], &["", "a..b", ".a", "a."]),
        ];
        for (format, right, wrong) in cases {
            let check = check(format).unwrap();
            assert!(right.iter().all(|text| check(text)), "{format}");
            assert!(!wrong.iter().any(|text| check(text)), "{format}");
        }
    }
}

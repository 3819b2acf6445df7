//! What literals are worth.

use std::borrow::Cow;

/// Which kind of literal escape sequences are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    /// `"…"`: escapes are code points.
    String,
    /// `b"…"`: escapes are bytes.
    Bytes,
}

const UNREADABLE: &str = "unable to unescape string";

/// The bytes of a literal without the `b` that is before bytes. Those of a string are UTF-8.
pub(super) fn unescape(literal: &str, quoted: Quoted) -> Result<Vec<u8>, &'static str> {
    // Line breaks are the same on every platform.
    let literal: Cow<'_, str> = if literal.contains('\r') {
        literal.replace("\r\n", "\n").replace('\r', "\n").into()
    } else {
        literal.into()
    };
    let (is_raw, rest) = match literal.strip_prefix(['r', 'R']) {
        Some(rest) => (true, rest),
        None => (false, &*literal),
    };
    let body = ["'''", "\"\"\"", "'", "\""]
        .iter()
        .find_map(|quote| rest.strip_prefix(quote)?.strip_suffix(quote))
        .ok_or(UNREADABLE)?;
    if is_raw || !body.contains('\\') {
        return Ok(body.as_bytes().to_vec());
    }
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        bytes.extend_from_slice(before.as_bytes());
        rest = push_escape(&mut bytes, escape.get(1..).unwrap_or_default(), quoted)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Adds the escape sequence after whose backslash `rest` begins, and returns what comes after it.
fn push_escape<'text>(
    bytes: &mut Vec<u8>,
    rest: &'text str,
    quoted: Quoted,
) -> Result<&'text str, &'static str> {
    let mut characters = rest.chars();
    let letter = characters.next().ok_or("unable to unescape string, found '\\' as last character")?;
    let after = characters.as_str();
    let simple = match letter {
        'a' => Some(0x07),
        'b' => Some(0x08),
        'f' => Some(0x0C),
        'n' => Some(b'\n'),
        'r' => Some(b'\r'),
        't' => Some(b'\t'),
        'v' => Some(0x0B),
        '\\' => Some(b'\\'),
        '\'' => Some(b'\''),
        '"' => Some(b'"'),
        '`' => Some(b'`'),
        '?' => Some(b'?'),
        _ => None,
    };
    if let Some(byte) = simple {
        bytes.push(byte);
        return Ok(after);
    }
    let (digits, radix, count) = match letter {
        'x' | 'X' => (after, 16, 2),
        'u' if quoted == Quoted::String => (after, 16, 4),
        'U' if quoted == Quoted::String => (after, 16, 8),
        '0'..='3' => (rest, 8, 3),
        _ => return Err(UNREADABLE),
    };
    let failure = if radix == 8 { "unable to unescape octal sequence in string" } else { UNREADABLE };
    let (digits, after) = digits.split_at_checked(count).ok_or(failure)?;
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(failure);
    }
    let code = u32::from_str_radix(digits, radix).map_err(|_| failure)?;
    match quoted {
        Quoted::Bytes => bytes.push(u8::try_from(code).map_err(|_| failure)?),
        Quoted::String => {
            let character = char::from_u32(code).ok_or("invalid unicode code point")?;
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Ok(after)
}

/// An integer with its sign, in decimal or after `0x`.
pub(super) fn int(sign: &str, digits: &str) -> Option<i64> {
    let (digits, radix) = digits.strip_prefix("0x").map_or((digits, 10), |digits| (digits, 16));
    i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
}

/// An unsigned integer with its `u`, in decimal or after `0x`.
pub(super) fn uint(literal: &str) -> Option<u64> {
    let digits = literal.strip_suffix(['u', 'U'])?;
    let (digits, radix) = digits.strip_prefix("0x").map_or((digits, 10), |digits| (digits, 16));
    u64::from_str_radix(digits, radix).ok()
}

/// A double with its sign; one that is too large is not a double.
pub(super) fn double(sign: &str, digits: &str) -> Option<f64> {
    format!("{sign}{digits}").parse().ok().filter(|double: &f64| double.is_finite())
}

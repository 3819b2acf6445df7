//! From text to tokens: the longest token that begins at a place is taken.
//!
//! Where no token can be completed, cel-go reports the text up to and including the character at which it gave up, and
//! goes on after that character.

use super::token::{Token, TokenKind, Unreadable};

/// The tokens of an expression.
#[derive(Debug)]
pub(super) struct Tokens {
    /// The tokens; the last one is the end of the text.
    pub(super) list: Vec<Token>,
    /// The pieces that are not tokens.
    pub(super) unreadable: Vec<Unreadable>,
}

/// Cuts `text` into tokens.
pub(super) fn tokens(text: &str) -> Tokens {
    let bytes = text.as_bytes();
    // Most tokens are followed by a space or another short token.
    let mut list = Vec::with_capacity(bytes.len() / 3 + 1);
    let mut unreadable = Vec::new();
    let mut at = 0;
    while let Some(&first) = bytes.get(at) {
        let end = match scan(bytes, at, first) {
            Scan::Skip(end) => end,
            Scan::Token(kind, end) => {
                list.push(Token { kind, start: at as u32, end: end as u32, is_missing: false });
                end
            }
            Scan::Stuck(stuck) => {
                let end = stuck + width(bytes, stuck);
                unreadable.push(Unreadable { start: at as u32, end: end as u32, before: list.len() as u32 });
                end
            }
        };
        at = end;
    }
    let end = bytes.len() as u32;
    list.push(Token { kind: TokenKind::End, start: end, end, is_missing: false });
    Tokens { list, unreadable }
}

enum Scan {
    Skip(usize),
    Token(TokenKind, usize),
    /// No token can be completed; the place of the character at which that was clear.
    Stuck(usize),
}

/// The bytes of the character at a place, 0 at the end of the text.
fn width(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        None => 0,
        Some(0..=0x7F) => 1,
        Some(0..=0xDF) => 2,
        Some(0..=0xEF) => 3,
        Some(_) => 4,
    }
}

fn scan(bytes: &[u8], at: usize, first: u8) -> Scan {
    use TokenKind::*;
    let next = bytes.get(at + 1).copied();
    let one = |kind| Scan::Token(kind, at + 1);
    let either = |with: u8, long, short| {
        if next == Some(with) { Scan::Token(long, at + 2) } else { Scan::Token(short, at + 1) }
    };
    let double = |kind| if next == Some(first) { Scan::Token(kind, at + 2) } else { Scan::Stuck(at + 1) };
    match first {
        b'\t' | b' ' | b'\r' | b'\n' | 0x0C => {
            Scan::Skip(run(bytes, at, |byte| matches!(byte, b'\t' | b' ' | b'\r' | b'\n' | 0x0C)))
        }
        b'/' if next == Some(b'/') => Scan::Skip(run(bytes, at, |byte| byte != b'\n')),
        b'/' => one(Slash),
        b'=' => double(Equals),
        b'&' => double(And),
        b'|' => double(Or),
        b'!' => either(b'=', NotEquals, Not),
        b'<' => either(b'=', LessEquals, Less),
        b'>' => either(b'=', GreaterEquals, Greater),
        b'[' => one(LeftBracket),
        b']' => one(RightBracket),
        b'{' => one(LeftBrace),
        b'}' => one(RightBrace),
        b'(' => one(LeftParen),
        b')' => one(RightParen),
        b',' => one(Comma),
        b'-' => one(Minus),
        b'?' => one(Question),
        b':' => one(Colon),
        b'+' => one(Plus),
        b'*' => one(Star),
        b'%' => one(Percent),
        b'.' if next.is_some_and(|byte| byte.is_ascii_digit()) => {
            let digits = run(bytes, at + 1, |byte| byte.is_ascii_digit());
            Scan::Token(Float, exponent(bytes, digits).unwrap_or(digits))
        }
        b'.' => one(Dot),
        b'0'..=b'9' => number(bytes, at),
        b'"' | b'\'' => match string(bytes, at, at) {
            Ok(end) => Scan::Token(String, end),
            Err(stuck) => Scan::Stuck(stuck),
        },
        b'`' => quoted_identifier(bytes, at),
        b'_' | b'a'..=b'z' | b'A'..=b'Z' => word(bytes, at),
        _ => Scan::Stuck(at),
    }
}

/// The end of the bytes from `at` on that are `wanted`.
fn run(bytes: &[u8], at: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|&byte| !wanted(byte)).unwrap_or(rest.len())
}

fn exponent(bytes: &[u8], at: usize) -> Option<usize> {
    if !matches!(bytes.get(at), Some(b'e' | b'E')) {
        return None;
    }
    let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
    let digits = at + 1 + sign;
    let end = run(bytes, digits, |byte| byte.is_ascii_digit());
    (end > digits).then_some(end)
}

fn number(bytes: &[u8], at: usize) -> Scan {
    let unsigned_or_int = |end: usize| match bytes.get(end) {
        Some(b'u' | b'U') => Scan::Token(TokenKind::UInt, end + 1),
        _ => Scan::Token(TokenKind::Int, end),
    };
    if bytes.get(at) == Some(&b'0') && bytes.get(at + 1) == Some(&b'x') {
        let end = run(bytes, at + 2, |byte| byte.is_ascii_hexdigit());
        if end > at + 2 {
            return unsigned_or_int(end);
        }
    }
    let whole = run(bytes, at, |byte| byte.is_ascii_digit());
    if bytes.get(whole) == Some(&b'.') {
        let fraction = run(bytes, whole + 1, |byte| byte.is_ascii_digit());
        if fraction > whole + 1 {
            return Scan::Token(TokenKind::Float, exponent(bytes, fraction).unwrap_or(fraction));
        }
    }
    match exponent(bytes, whole) {
        Some(end) => Scan::Token(TokenKind::Float, end),
        None => unsigned_or_int(whole),
    }
}

fn word(bytes: &[u8], at: usize) -> Scan {
    let end = run(bytes, at, |byte| byte == b'_' || byte.is_ascii_alphanumeric());
    let word = bytes.get(at..end).unwrap_or_default();
    // A prefix before a quote begins a string. If that string is not completed, the prefix is a name.
    if matches!(bytes.get(end), Some(b'"' | b'\'')) {
        let kind = match word {
            b"r" | b"R" => Some(TokenKind::String),
            b"b" | b"B" | b"br" | b"bR" | b"Br" | b"BR" => Some(TokenKind::Bytes),
            _ => None,
        };
        if let Some(kind) = kind
            && let Ok(end) = string(bytes, at, end)
        {
            return Scan::Token(kind, end);
        }
    }
    let kind = match word {
        b"true" => TokenKind::True,
        b"false" => TokenKind::False,
        b"null" => TokenKind::Null,
        b"in" => TokenKind::In,
        _ => TokenKind::Identifier,
    };
    Scan::Token(kind, end)
}

fn quoted_identifier(bytes: &[u8], at: usize) -> Scan {
    let end = run(bytes, at + 1, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/' | b' ')
    });
    if end > at + 1 && bytes.get(end) == Some(&b'`') {
        Scan::Token(TokenKind::QuotedIdentifier, end + 1)
    } else {
        Scan::Stuck(end)
    }
}

/// The end of the string whose prefix begins at `prefix` and whose first quote is at `open`, or the character at which
/// it cannot go on.
fn string(bytes: &[u8], prefix: usize, open: usize) -> Result<usize, usize> {
    let quote = bytes.get(open).copied().unwrap_or_default();
    let is_raw =
        bytes.get(prefix..open).is_some_and(|prefix| prefix.iter().any(|byte| matches!(byte, b'r' | b'R')));
    let triple = [quote; 3];
    let closes = |at: usize| bytes.get(at..at + 3) == Some(triple.as_slice());
    if closes(open) {
        let mut at = open + 3;
        loop {
            if closes(at) {
                return Ok(at + 3);
            }
            match bytes.get(at) {
                None => break,
                Some(b'\\') if !is_raw => match escape(bytes, at) {
                    Ok(end) => at = end,
                    Err(_) => break,
                },
                Some(_) => at += 1,
            }
        }
        // The two first quotes are an empty string.
        return Ok(open + 2);
    }
    let mut at = open + 1;
    loop {
        match bytes.get(at) {
            Some(&byte) if byte == quote => return Ok(at + 1),
            None | Some(b'\n' | b'\r') => return Err(at),
            Some(b'\\') if !is_raw => at = escape(bytes, at)?,
            Some(_) => at += 1,
        }
    }
}

/// The end of the escape sequence at `at`, or the character at which it cannot go on.
fn escape(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let digits = |from: usize, count: usize, wanted: fn(&u8) -> bool| {
        (from..from + count)
            .find(|&at| !bytes.get(at).is_some_and(wanted))
            .map_or(Ok(from + count), |at| Err(at.min(bytes.len())))
    };
    let octal: fn(&u8) -> bool = |byte| matches!(byte, b'0'..=b'7');
    match bytes.get(at + 1) {
        Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`') => {
            Ok(at + 2)
        }
        Some(b'x' | b'X') => digits(at + 2, 2, u8::is_ascii_hexdigit),
        Some(b'u') => digits(at + 2, 4, u8::is_ascii_hexdigit),
        Some(b'U') => digits(at + 2, 8, u8::is_ascii_hexdigit),
        Some(b'0'..=b'3') => digits(at + 2, 2, octal),
        _ => Err(at + 1),
    }
}

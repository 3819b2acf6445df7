//! Numbers, and the dot.

use num_bigint::BigInt;

use super::scanner::{Scanner, syntax_error};
use super::token::{Lexeme, Meaning, Token};
use crate::error::{Error, Position};

fn digits(scanner: &mut Scanner<'_>, is_digit: impl Fn(char) -> bool) -> usize {
    let mut count = 0;
    while is_digit(scanner.peek()) {
        scanner.read();
        count += 1;
    }
    count
}

pub(super) fn scan<'s>(scanner: &mut Scanner<'s>, start: Position) -> Result<Lexeme<'s>, Error> {
    let from = scanner.rest();
    let lexeme = |token, meaning| Lexeme { token, meaning, position: start };
    let decimal = |character: char| character.is_ascii_digit();
    let mut fraction = false;
    let mut exponent = false;
    match scanner.read() {
        '.' => {
            if !scanner.peek().is_ascii_digit() {
                return Ok(lexeme(Token::Dot, Meaning::None));
            }
            fraction = true;
        }
        '0' => match scanner.peek() {
            '.' => fraction = true,
            'x' | 'X' => {
                scanner.read();
                if digits(scanner, |character| character.is_ascii_hexdigit()) == 0 {
                    return Err(syntax_error(start, "invalid hex literal"));
                }
            }
            'o' | 'O' => {
                scanner.read();
                if digits(scanner, |character| matches!(character, '0'..='7')) == 0 {
                    return Err(syntax_error(scanner.position, "invalid octal literal"));
                }
            }
            'b' | 'B' => {
                scanner.read();
                if digits(scanner, |character| matches!(character, '0' | '1')) == 0 {
                    return Err(syntax_error(scanner.position, "invalid binary literal"));
                }
            }
            _ => {
                digits(scanner, decimal);
                let read = scanner.since(from);
                match scanner.peek() {
                    '.' => fraction = true,
                    'e' | 'E' => exponent = true,
                    _ => {
                        let octal = read.iter().all(|digit| *digit <= b'7');
                        if octal && read.iter().any(|digit| *digit != b'0') {
                            let digits = String::from_utf8_lossy(read.get(1..).unwrap_or_default());
                            let message = format!("obsolete form of octal literal; use 0o{digits}");
                            return Err(syntax_error(scanner.position, message));
                        }
                    }
                }
            }
        },
        _ => {
            digits(scanner, decimal);
            match scanner.peek() {
                '.' => fraction = true,
                'e' | 'E' => exponent = true,
                _ => {}
            }
        }
    }
    if fraction {
        // The dot, or the first digit after a dot that was read.
        scanner.read();
        digits(scanner, decimal);
        exponent = matches!(scanner.peek(), 'e' | 'E');
    }
    if exponent {
        scanner.read();
        if matches!(scanner.peek(), '+' | '-') {
            scanner.read();
            if !scanner.peek().is_ascii_digit() {
                return Err(syntax_error(scanner.position, "invalid float literal"));
            }
        }
        digits(scanner, decimal);
    }
    let text = std::str::from_utf8(scanner.since(from)).unwrap_or_default();
    if fraction || exponent {
        let parsed = text.parse::<f64>().ok().filter(|float| float.is_finite());
        let float = parsed.ok_or_else(|| syntax_error(scanner.position, "invalid float literal"))?;
        return Ok(lexeme(Token::Float, Meaning::Float(float)));
    }
    let meaning = integer(text).ok_or_else(|| syntax_error(start, "invalid int literal"))?;
    Ok(lexeme(Token::Int, meaning))
}

fn integer(text: &str) -> Option<Meaning<'static>> {
    let bytes = text.as_bytes();
    let (radix, digits) = match bytes.get(1) {
        Some(b'o' | b'O') => return i64::from_str_radix(text.get(2..)?, 8).ok().map(Meaning::Int),
        Some(b'b' | b'B') => return i64::from_str_radix(text.get(2..)?, 2).ok().map(Meaning::Int),
        Some(b'x' | b'X') => (16, text.get(2..)?),
        Some(_) if bytes.first() == Some(&b'0') => (8, text),
        _ => (10, text),
    };
    match i64::from_str_radix(digits, radix) {
        Ok(small) => Some(Meaning::Int(small)),
        Err(_) => BigInt::parse_bytes(digits.as_bytes(), radix).map(Meaning::Big),
    }
}

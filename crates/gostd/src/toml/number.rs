//! Numbers and times: where they end, and their values.

use super::lexer::{Lexer, Problem};
use super::{LOCAL_DATE, LOCAL_DATE_TIME, LOCAL_TIME, Release, Scalar};
use crate::quote::quote;
use crate::strconv::{parse_float, parse_int};
use crate::time::{Zone, parse};

/// The kind of number, as detected while it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Integer,
    Float,
    Time,
}

/// Reads a number or a time that begins with a digit.
pub(super) fn lex_from_digit(lexer: &mut Lexer<'_>) -> Result<Form, Problem> {
    if lexer.next()? != '0' {
        return lex_number_or_time(lexer);
    }
    let base = lexer.next()?;
    let (digits, name): (fn(char) -> bool, _) = match base {
        '0'..='9' => return lex_number_or_time(lexer),
        '_' => return lex_decimal(lexer),
        '.' | 'e' | 'E' => return lex_float(lexer),
        'b' => (|digit| matches!(digit, '0' | '1'), "a binary"),
        'o' => (|digit| matches!(digit, '0'..='7'), "an octal"),
        'x' => (|digit| digit.is_ascii_hexdigit(), lexer.release().hexadecimal()),
        _ => {
            lexer.back();
            return Ok(Form::Integer);
        }
    };
    let first = lexer.peek()?;
    if !digits(first) {
        return Err(lexer.problem(format!("not {name} number: '{}{first}'", lexer.current())));
    }
    loop {
        let digit = lexer.next()?;
        if !digits(digit) && digit != '_' {
            lexer.back();
            return Ok(Form::Integer);
        }
    }
}

/// Reads a number after its sign.
pub(super) fn lex_signed(lexer: &mut Lexer<'_>) -> Result<Form, Problem> {
    let first = lexer.next()?;
    let word = match first {
        'i' => Some(['n', 'f']),
        'n' => Some(['a', 'n']),
        _ => None,
    };
    if let Some([second, third]) = word {
        if !lexer.accept(second)? || !lexer.accept(third)? {
            return Err(lexer.problem(format!("invalid float: '{}'", lexer.current())));
        }
        return Ok(Form::Float);
    }
    match first {
        '0' => {
            let base = lexer.peek()?;
            if matches!(base, 'b' | 'o' | 'x') {
                let message =
                    format!("cannot use sign with non-decimal numbers: '{}{base}'", lexer.current());
                return Err(lexer.problem(message));
            }
            lex_decimal(lexer)
        }
        '1'..='9' => lex_decimal(lexer),
        '.' => Err(lexer.problem("floats must start with a digit, not '.'")),
        _ => {
            Err(lexer.problem(format!("expected a digit but got {}", super::lexer::quoted_character(first))))
        }
    }
}

fn lex_number_or_time(lexer: &mut Lexer<'_>) -> Result<Form, Problem> {
    loop {
        match lexer.next()? {
            '0'..='9' => {}
            '-' | ':' => return lex_time(lexer),
            '_' => return lex_decimal(lexer),
            '.' | 'e' | 'E' => return lex_float(lexer),
            _ => {
                lexer.back();
                return Ok(Form::Integer);
            }
        }
    }
}

fn lex_time(lexer: &mut Lexer<'_>) -> Result<Form, Problem> {
    while matches!(lexer.next()?, '0'..='9' | '-' | ':' | 'T' | 't' | ' ' | '.' | 'Z' | 'z' | '+') {}
    lexer.back();
    Ok(Form::Time)
}

fn lex_decimal(lexer: &mut Lexer<'_>) -> Result<Form, Problem> {
    loop {
        match lexer.next()? {
            '0'..='9' | '_' => {}
            '.' | 'e' | 'E' => return lex_float(lexer),
            _ => {
                lexer.back();
                return Ok(Form::Integer);
            }
        }
    }
}

fn lex_float(lexer: &mut Lexer<'_>) -> Result<Form, Problem> {
    while matches!(lexer.next()?, '0'..='9' | '_' | '.' | '-' | '+' | 'e' | 'E') {}
    lexer.back();
    Ok(Form::Float)
}

/// The value of a number or time, or its error.
pub(super) fn value(form: Form, text: &str, release: Release) -> Result<Scalar, String> {
    match form {
        Form::Integer => integer(text),
        Form::Float => float(text, release),
        Form::Time => time(text, release),
    }
}

fn integer(text: &str) -> Result<Scalar, String> {
    let invalid = |why: &str| Err(format!("Invalid integer {}: {why}", quote(text)));
    if !underscores_fit(text) {
        return invalid("underscores must be surrounded by digits");
    }
    if has_leading_zero(text) {
        return invalid("cannot have leading zeroes");
    }
    parse_int(text.as_bytes(), 0).map(Scalar::Int).map_err(|_| format!("{text} is out of range for int64"))
}

fn float(text: &str, release: Release) -> Result<Scalar, String> {
    let invalid = |why: &str| Err(format!("Invalid float {}: {why}", quote(text)));
    let mut parts = text.split(['.', 'e', 'E']).filter(|part| !part.is_empty()).peekable();
    let first = parts.peek().copied().unwrap_or_default();
    if !parts.all(underscores_fit) {
        return invalid("underscores must be surrounded by digits");
    }
    if has_leading_zero(first) {
        return invalid("cannot have leading zeroes");
    }
    let after_points = text.split('.').skip(1);
    if !after_points.into_iter().all(|part| part.starts_with(|digit: char| digit.is_ascii_digit())) {
        return invalid("'.' must be followed by one or more digits");
    }
    let number = match text {
        "-nan" if release == Release::V1_6 => Some(-f64::NAN),
        "+nan" | "-nan" | "nan" => Some(f64::NAN),
        _ => parse_float(text.replace('_', "").as_bytes()),
    };
    // The syntax is valid here, so only the size can be wrong.
    let unsigned = text.trim_start_matches(['+', '-']).replace('_', "");
    match number {
        Some(number) => Ok(Scalar::Float(number)),
        None if unsigned.parse::<f64>().is_ok() => Err(format!("{text} is out of range for float64")),
        None => Err(format!("Invalid float value: {}", quote(text))),
    }
}

fn has_leading_zero(text: &str) -> bool {
    match text.as_bytes() {
        [b'0', second, ..] => !matches!(second, b'b' | b'o' | b'x'),
        [b'-' | b'+', b'0', _, ..] => true,
        _ => false,
    }
}

/// Whether each underscore follows a digit, and none is at the end.
fn underscores_fit(text: &str) -> bool {
    if matches!(text, "nan" | "+nan" | "-nan" | "inf" | "+inf" | "-inf") {
        return true;
    }
    let mut behind_digit = false;
    for byte in text.bytes() {
        if byte == b'_' && !behind_digit {
            return false;
        }
        behind_digit = byte.is_ascii_hexdigit();
    }
    behind_digit
}

fn time(text: &str, release: Release) -> Result<Scalar, String> {
    let text = text.trim().replace(['t', ' '], "T").replace('z', "Z");
    let zone = |name: &str| Zone::fixed(name.as_bytes(), 0);
    let forms: [(&[u8], Zone); 7] = [
        (b"2006-01-02T15:04:05.999999999Z07:00", Zone::Local),
        (b"2006-01-02T15:04:05.999999999", zone(LOCAL_DATE_TIME)),
        (b"2006-01-02", zone(LOCAL_DATE)),
        (b"15:04:05.999999999", zone(LOCAL_TIME)),
        (b"2006-01-02T15:04Z07:00", Zone::Local),
        (b"2006-01-02T15:04", zone(LOCAL_DATE_TIME)),
        (b"15:04", zone(LOCAL_TIME)),
    ];
    // Times without seconds came with TOML 1.1.
    let known = if release == Release::V1_2 { 4 } else { forms.len() };
    let read = forms.iter().take(known).find_map(|(layout, zone)| {
        let time = parse(layout, text.as_bytes(), zone).ok()?;
        Some((layout, time))
    });
    match (read, release) {
        (Some((_, time)), Release::V1_2) => Ok(Scalar::Time(time)),
        (None, Release::V1_2) => Err(format!("Invalid TOML Datetime: {}.", quote(&text))),
        (Some((layout, time)), Release::V1_6) if separators_fit(text.as_bytes(), layout) => {
            Ok(Scalar::Time(time))
        }
        (_, Release::V1_6) => Err(format!("invalid datetime: {}", quote(&text))),
    }
}

/// Go reads hours of one digit, TOML does not: the separators must be at the layout's positions.
fn separators_fit(text: &[u8], layout: &[u8]) -> bool {
    layout
        .iter()
        .take_while(|byte| !matches!(byte, b'.' | b'Z'))
        .enumerate()
        .all(|(place, byte)| byte.is_ascii_digit() || text.get(place) == Some(byte))
}

//! Parses JSON with the errors of Go's `encoding/json`.

use std::ops::Range;

use crate::error::{GoError, GoErrorKind};
use crate::quote::quote;

/// Go refuses deeper nesting.
const DEEPEST: usize = 10_000;

/// Builds values from what is parsed. Ranges are those of the text; strings include their quotes.
pub trait Build {
    /// The value type.
    type Value;
    /// The type of map keys.
    type Key;

    /// A scalar.
    fn scalar(&mut self, scalar: Scalar, at: Range<usize>) -> Self::Value;

    /// A key.
    fn key(&mut self, key: String, at: Range<usize>) -> Self::Key;

    /// A list.
    fn list(&mut self, items: Vec<Self::Value>) -> Self::Value;

    /// A map, with its keys in the order of the text; the last of several equal keys counts.
    fn map(&mut self, entries: Vec<(Self::Key, Self::Value)>) -> Self::Value;
}

/// A scalar.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    String(String),
}

/// A decoded text.
#[derive(Debug)]
pub struct Decoded<V> {
    /// The value.
    pub value: V,
    /// Go's message for the first number that is too large; it is replaced by null.
    pub error: Option<GoError>,
}

/// The value of a JSON text.
pub fn decode<B: Build>(text: &[u8], build: &mut B) -> Result<Decoded<B::Value>, GoError> {
    let refused = |message: String| GoErrorKind::Json.says(message);
    let mut reader = Reader { text, offset: 0, build, error: None };
    reader.space();
    let value = reader.value().map_err(refused)?;
    reader.space();
    if reader.offset < text.len() {
        return Err(refused(reader.invalid("after top-level value")));
    }
    Ok(Decoded { value, error: reader.error.map(refused) })
}

/// Go's error message for text that must contain one JSON value; `None` if it does.
pub fn json_fault(text: &[u8]) -> Option<String> {
    decode(text, &mut Nothing).err().map(String::from)
}

/// Builds no values.
struct Nothing;

impl Build for Nothing {
    type Value = ();
    type Key = ();

    fn scalar(&mut self, _: Scalar, _: Range<usize>) {}

    fn key(&mut self, _: String, _: Range<usize>) {}

    fn list(&mut self, _: Vec<()>) {}

    fn map(&mut self, _: Vec<((), ())>) {}
}

struct Reader<'t, B> {
    text: &'t [u8],
    offset: usize,
    build: &'t mut B,
    error: Option<String>,
}

/// A list or map whose end was not read yet.
enum Open<B: Build> {
    List(Vec<B::Value>),
    Map { entries: Vec<(B::Key, B::Value)>, key: Option<B::Key> },
}

impl<B: Build> Reader<'_, B> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.offset).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.offset += 1;
        }
    }

    /// Go's error message for the character at the offset, or for the end of the text.
    fn invalid(&self, place: &str) -> String {
        match self.peek() {
            None => "unexpected end of JSON input".into(),
            Some(_) => self.invalid_inside(place),
        }
    }

    /// The same within a word or number, where Go treats the end of the text as a space.
    fn invalid_inside(&self, place: &str) -> String {
        match self.peek() {
            None => format!("invalid character ' ' {place}"),
            Some(b'\'') => format!("invalid character '\\'' {place}"),
            Some(b'"') => format!("invalid character '\"' {place}"),
            Some(byte) => {
                let quoted = quote(char::from(byte).to_string());
                let inside = quoted.trim_matches('"');
                format!("invalid character '{inside}' {place}")
            }
        }
    }

    /// Parses a value without recursion, so nesting does not use the stack.
    fn value(&mut self) -> Result<B::Value, String> {
        let mut open: Vec<Open<B>> = Vec::new();
        loop {
            let mut value = match self.peek() {
                Some(b'[') => {
                    self.offset += 1;
                    self.space();
                    if self.peek() == Some(b']') {
                        self.offset += 1;
                        self.build.list(Vec::new())
                    } else {
                        open.push(Open::List(Vec::new()));
                        self.check_depth(open.len())?;
                        continue;
                    }
                }
                Some(b'{') => {
                    self.offset += 1;
                    self.space();
                    if self.peek() == Some(b'}') {
                        self.offset += 1;
                        self.build.map(Vec::new())
                    } else {
                        let key = self.key()?;
                        open.push(Open::Map { entries: Vec::new(), key: Some(key) });
                        self.check_depth(open.len())?;
                        continue;
                    }
                }
                _ => self.scalar()?,
            };
            loop {
                self.space();
                let Some(parent) = open.last_mut() else { return Ok(value) };
                let byte = self.text.get(self.offset).copied();
                match parent {
                    Open::List(items) => {
                        items.push(value);
                        match byte {
                            Some(b',') => {
                                self.offset += 1;
                                self.space();
                                break;
                            }
                            Some(b']') => self.offset += 1,
                            _ => return Err(self.invalid("after array element")),
                        }
                    }
                    Open::Map { entries, key } => {
                        entries.extend(key.take().map(|key| (key, value)));
                        match byte {
                            Some(b',') => {
                                self.offset += 1;
                                self.space();
                                *key = Some(self.key()?);
                                break;
                            }
                            Some(b'}') => self.offset += 1,
                            _ => return Err(self.invalid("after object key:value pair")),
                        }
                    }
                }
                value = match open.pop() {
                    Some(Open::List(items)) => self.build.list(items),
                    Some(Open::Map { entries, .. }) => self.build.map(entries),
                    None => self.build.scalar(Scalar::Null, self.offset..self.offset),
                };
            }
        }
    }

    fn check_depth(&self, depth: usize) -> Result<(), String> {
        if depth > DEEPEST { Err("exceeded max depth".into()) } else { Ok(()) }
    }

    /// A key with its colon, up to the start of its value.
    fn key(&mut self) -> Result<B::Key, String> {
        if self.peek() != Some(b'"') {
            return Err(self.invalid("looking for beginning of object key string"));
        }
        let start = self.offset;
        let key = self.string()?;
        let key = self.build.key(key, start..self.offset);
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.invalid("after object key"));
        }
        self.offset += 1;
        self.space();
        Ok(key)
    }

    fn scalar(&mut self) -> Result<B::Value, String> {
        let start = self.offset;
        let scalar = match self.peek() {
            Some(b'"') => Scalar::String(self.string()?),
            Some(b't') => self.word("true", Scalar::Bool(true))?,
            Some(b'f') => self.word("false", Scalar::Bool(false))?,
            Some(b'n') => self.word("null", Scalar::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.invalid("looking for beginning of value")),
        };
        Ok(self.build.scalar(scalar, start..self.offset))
    }

    fn word(&mut self, word: &str, scalar: Scalar) -> Result<Scalar, String> {
        for expected in word.chars() {
            if self.peek().map(char::from) != Some(expected) {
                return Err(self.invalid_inside(&format!("in literal {word} (expecting '{expected}')")));
            }
            self.offset += 1;
        }
        Ok(scalar)
    }

    fn digits(&mut self, place: &str) -> Result<(), String> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.invalid_inside(place));
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.offset += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Scalar, String> {
        let start = self.offset;
        if self.peek() == Some(b'-') {
            self.offset += 1;
        }
        if self.peek() == Some(b'0') {
            self.offset += 1;
        } else {
            self.digits("in numeric literal")?;
        }
        if self.peek() == Some(b'.') {
            self.offset += 1;
            self.digits("after decimal point in numeric literal")?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.offset += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.offset += 1;
            }
            self.digits("in exponent of numeric literal")?;
        }
        let text = self.text.get(start..self.offset).unwrap_or_default();
        let text = std::str::from_utf8(text).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Scalar::Number(number)),
            _ => {
                self.error.get_or_insert_with(|| {
                    format!("json: cannot unmarshal number {text} into Go value of type float64")
                });
                Ok(Scalar::Null)
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.offset += 1;
        let mut decoded = String::new();
        loop {
            let start = self.offset;
            while self.peek().is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
                self.offset += 1;
            }
            let plain = self.text.get(start..self.offset).unwrap_or_default();
            for chunk in plain.utf8_chunks() {
                decoded.push_str(chunk.valid());
                decoded.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
            }
            match self.peek() {
                Some(b'"') => {
                    self.offset += 1;
                    return Ok(decoded);
                }
                Some(b'\\') => {
                    self.offset += 1;
                    decoded.push(self.escape()?);
                }
                _ => return Err(self.invalid("in string literal")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let character = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.offset += 1;
                return self.unicode_escape();
            }
            _ => return Err(self.invalid_inside("in string escape code")),
        };
        self.offset += 1;
        Ok(character)
    }

    fn unicode_escape(&mut self) -> Result<char, String> {
        let unit = self.four_digits()?;
        if let Some(character) = char::from_u32(unit) {
            return Ok(character);
        }
        // Half of a pair; without the other half it is not a character.
        let rest = self.text.get(self.offset..).unwrap_or_default();
        if unit < 0xdc00 && rest.starts_with(b"\\u") {
            let before = self.offset;
            self.offset += 2;
            let low = self.four_digits()?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.offset = before;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn four_digits(&mut self) -> Result<u32, String> {
        let mut value = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.invalid_inside("in \\u hexadecimal character escape"));
            };
            value = value << 4 | digit;
            self.offset += 1;
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::json_fault;

    #[test]
    fn errors_have_go_s_messages() {
        for (text, told) in [
            ("{\"a\": [1, -2.5e3, \"\\u00e9\", true, false, null, {}, []]}", ""),
            (" \"x\" ", ""),
            ("", "unexpected end of JSON input"),
            (" \n", "unexpected end of JSON input"),
            ("{", "unexpected end of JSON input"),
            ("[1", "unexpected end of JSON input"),
            ("\"a", "unexpected end of JSON input"),
            ("tru", "invalid character ' ' in literal true (expecting 'e')"),
            ("-", "invalid character ' ' in numeric literal"),
            ("\u{1}", "invalid character '\\x01' looking for beginning of value"),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("{} x", "invalid character 'x' after top-level value"),
            ("{\"a\": 1,}", "invalid character '}' looking for beginning of object key string"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\": 1 \"b\"}", "invalid character '\"' after object key:value pair"),
            ("[1 2]", "invalid character '2' after array element"),
            ("{a: 1}", "invalid character 'a' looking for beginning of object key string"),
            ("tru}", "invalid character '}' in literal true (expecting 'e')"),
            ("\"a\nb\"", "invalid character '\\n' in string literal"),
            ("\"\\x\"", "invalid character 'x' in string escape code"),
            ("\"\\u12x\"", "invalid character 'x' in \\u hexadecimal character escape"),
            ("-x", "invalid character 'x' in numeric literal"),
            ("[1.]", "invalid character ']' after decimal point in numeric literal"),
            ("[1e]", "invalid character ']' in exponent of numeric literal"),
            ("'", "invalid character '\\'' looking for beginning of value"),
            ("%", "invalid character '%' looking for beginning of value"),
        ] {
            assert_eq!(json_fault(text.as_bytes()).unwrap_or_default(), told, "{text}");
        }
        assert_eq!(json_fault("[".repeat(10_001).as_bytes()).unwrap_or_default(), "exceeded max depth");
    }
}

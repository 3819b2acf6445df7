//! JSON text to values, with the errors of Go's `encoding/json`.

use std::ops::Range;
use std::sync::Arc;

use trueline_gotemplate::{Data, Entry, Map, MapKind, Value, fmt};
use trueline_source::Span;

use crate::marks::Places;
use crate::utf8;

/// Deeper than this Go gives up.
const DEEPEST: usize = 10_000;

/// A decoded text.
pub(crate) struct Decoded {
    /// The value. Numbers are floats.
    pub(crate) value: Value,
    /// The first number that is too large, in Go's words; nil stands in its place.
    pub(crate) error: Option<String>,
}

/// The value of a JSON text, or Go's words for what is wrong with it.
pub(crate) fn decode(text: &[u8], places: Option<Places<'_>>) -> Result<Decoded, String> {
    let mut reader = Reader { text, offset: 0, places, error: None };
    reader.space();
    let value = reader.value()?;
    reader.space();
    if reader.offset < text.len() {
        return Err(reader.invalid("after top-level value"));
    }
    Ok(Decoded { value, error: reader.error })
}

/// What Go says of a text that is to hold one JSON value; nothing if it does.
pub fn json_fault(text: &[u8]) -> Option<String> {
    decode(text, None).err()
}

struct Reader<'t> {
    text: &'t [u8],
    offset: usize,
    places: Option<Places<'t>>,
    error: Option<String>,
}

/// A list or map whose end has not been read.
enum Open {
    List(Vec<Value>),
    Map { entries: Vec<(Arc<str>, Entry)>, key: (Arc<str>, Option<Span>) },
}

impl Reader<'_> {
    /// Where the bytes of a range were typed.
    fn origin(&self, range: Range<usize>) -> Option<Span> {
        self.places.as_ref()?.origin(range)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.offset).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.offset += 1;
        }
    }

    /// What Go says of the character at the offset, or of the end of the text.
    fn invalid(&self, place: &str) -> String {
        match self.peek() {
            None => "unexpected end of JSON input".into(),
            Some(_) => self.invalid_inside(place),
        }
    }

    /// The same within a word or number, where Go takes the end of the text for a space.
    fn invalid_inside(&self, place: &str) -> String {
        match self.peek() {
            None => format!("invalid character ' ' {place}"),
            Some(b'\'') => format!("invalid character '\\'' {place}"),
            Some(b'"') => format!("invalid character '\"' {place}"),
            Some(byte) => {
                let quoted = fmt::quote(char::from(byte).to_string());
                let inside = quoted.trim_matches('"');
                format!("invalid character '{inside}' {place}")
            }
        }
    }

    /// Reads a value without calling itself: how deep a text is nested is not the stack's matter.
    fn value(&mut self) -> Result<Value, String> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut value = match self.peek() {
                Some(b'[') => {
                    self.offset += 1;
                    self.space();
                    if self.peek() == Some(b']') {
                        self.offset += 1;
                        Value::list(Vec::new())
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
                        Value::from(Map::new(MapKind::Any))
                    } else {
                        let key = self.key()?;
                        open.push(Open::Map { entries: Vec::new(), key });
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
                        let (name, key_origin) = key.clone();
                        entries.push((name, Entry { key_origin, value }));
                        match byte {
                            Some(b',') => {
                                self.offset += 1;
                                self.space();
                                *key = self.key()?;
                                break;
                            }
                            Some(b'}') => self.offset += 1,
                            _ => return Err(self.invalid("after object key:value pair")),
                        }
                    }
                }
                value = match open.pop() {
                    Some(Open::List(items)) => Value::list(items),
                    Some(Open::Map { entries, .. }) => Value::from(Map::from_entries(MapKind::Any, entries)),
                    None => Value::nil(),
                };
            }
        }
    }

    fn check_depth(&self, depth: usize) -> Result<(), String> {
        if depth > DEEPEST { Err("exceeded max depth".into()) } else { Ok(()) }
    }

    /// A key with its colon, up to where its value begins.
    fn key(&mut self) -> Result<(Arc<str>, Option<Span>), String> {
        if self.peek() != Some(b'"') {
            return Err(self.invalid("looking for beginning of object key string"));
        }
        let start = self.offset;
        let key = self.string()?;
        let origin = self.origin(start + 1..self.offset);
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.invalid("after object key"));
        }
        self.offset += 1;
        self.space();
        Ok((key.into(), origin))
    }

    fn scalar(&mut self) -> Result<Value, String> {
        let start = self.offset;
        let data = match self.peek() {
            Some(b'"') => {
                let text = self.string()?;
                let copied = self.places.and_then(|places| places.copied(start..self.offset, &text));
                return Ok(match copied {
                    Some(parts) => Value::from(parts),
                    None => Value::from(text).at(self.origin(start + 1..self.offset)),
                });
            }
            Some(b't') => self.word("true", Data::Bool(true))?,
            Some(b'f') => self.word("false", Data::Bool(false))?,
            Some(b'n') => self.word("null", Data::Nil)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.invalid("looking for beginning of value")),
        };
        Ok(Value::new(data).at(self.origin(start..self.offset)))
    }

    fn word(&mut self, word: &str, data: Data) -> Result<Data, String> {
        for expected in word.chars() {
            if self.peek().map(char::from) != Some(expected) {
                return Err(self.invalid_inside(&format!("in literal {word} (expecting '{expected}')")));
            }
            self.offset += 1;
        }
        Ok(data)
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

    fn number(&mut self) -> Result<Data, String> {
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
            Ok(number) if number.is_finite() => Ok(Data::Float(number)),
            _ => {
                self.error.get_or_insert_with(|| {
                    format!("json: cannot unmarshal number {text} into Go value of type float64")
                });
                Ok(Data::Nil)
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
            match std::str::from_utf8(plain) {
                Ok(plain) => decoded.push_str(plain),
                Err(_) => decoded.extend(utf8::characters(plain).map(|(_, character, _)| character)),
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
        // Half of a pair; without the other half it stands for no character.
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

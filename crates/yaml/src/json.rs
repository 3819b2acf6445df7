//! A strict JSON reader (RFC 8259) into the same documents that YAML is read into, and a writer of JSON as Go
//! writes it.
//!
//! YAML readers accept most JSON, but not all (surrogate pairs) and much that is not JSON (comments,
//! trailing commas); schemas and mapping files are JSON and nothing else.

mod write;

use std::sync::Arc;

use trueline_source::{SourceId, Span};

use crate::document::LONGEST;
use crate::{
    Builder, Document, Entry, Limits, NodeId, ScalarStyle, ScalarValue, Stream, SyntaxError, SyntaxErrorKind,
    Text, Value,
};

pub use write::{Escaping, KeyOrder, Layout, UnsupportedNumber, WriteOptions, write, write_string};
pub(crate) use write::{push_escaped, sorted};

/// Reads one JSON text.
pub fn read(source: SourceId, text: &Arc<str>, limits: Limits) -> Result<Document, SyntaxError> {
    let mut reader = Reader::new(source, text, limits)?;
    let root = reader.value()?;
    reader.space();
    if reader.offset < reader.bytes.len() {
        return Err(reader.grammar("there is more text after the end of the JSON value"));
    }
    Ok(reader.builder.finish(root))
}

impl Value {
    /// The value of a JSON text without a source, such as one built at run time; with a source, use
    /// [`read`] and [`Value::from_node`], which keep the origins.
    pub fn from_json_text(text: &str) -> Result<Self, SyntaxError> {
        let document = read(SourceId::from_index(0), &Arc::from(text), Limits::default())?;
        Ok(Value::without_origins(document.root()))
    }

    /// The text that Go's `json.Marshal` returns; [`write()`] has other layouts.
    pub fn to_json_text(&self) -> Result<String, UnsupportedNumber> {
        write(self, WriteOptions::default())
    }
}

/// Reads a JSON text, or several values in a row, as programs print them. Reading stops at the first error.
pub fn read_all(source: SourceId, text: &Arc<str>, limits: Limits) -> Stream {
    let mut stream = Stream::default();
    let mut reader = match Reader::new(source, text, limits) {
        Ok(reader) => reader,
        Err(error) => {
            stream.errors.push(error);
            return stream;
        }
    };
    loop {
        let is_object = reader.peek() == Some(b'{');
        if stream.documents.len() >= limits.documents {
            stream.errors.push(reader.error(reader.offset, SyntaxErrorKind::TooManyDocuments));
            return stream;
        }
        match reader.value() {
            Ok(root) => {
                let builder = std::mem::replace(&mut reader.builder, Builder::new(source, Arc::clone(text)));
                reader.nodes += builder.count();
                stream.documents.push(builder.finish(root));
            }
            Err(error) => {
                stream.errors.push(error);
                return stream;
            }
        }
        reader.space();
        match reader.peek() {
            None => return stream,
            Some(b'{') if is_object => {}
            Some(_) => {
                let error = reader.grammar("there is more text after the end of the JSON value");
                stream.errors.push(error);
                return stream;
            }
        }
    }
}

struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    bytes: &'a [u8],
    offset: usize,
    limits: Limits,
    builder: Builder,
    /// How many nodes the values before this one have.
    nodes: usize,
}

/// An object or array whose end has not been read.
struct Open {
    inside: Inside,
    start: usize,
    /// The key whose value comes next.
    key: Option<NodeId>,
    entries: Vec<Entry>,
    items: Vec<NodeId>,
}

impl Open {
    fn take(&mut self, value: NodeId) {
        match self.key.take() {
            Some(key) => self.entries.push(Entry { key, value }),
            None => self.items.push(value),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Object,
    Array,
}

impl Inside {
    fn closing(self) -> u8 {
        match self {
            Inside::Object => b'}',
            Inside::Array => b']',
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Inside::Object => "expected `,` or `}` here",
            Inside::Array => "expected `,` or `]` here",
        }
    }
}

impl<'a> Reader<'a> {
    /// A reader at the start of the first value.
    fn new(source: SourceId, text: &'a Arc<str>, limits: Limits) -> Result<Self, SyntaxError> {
        let builder = Builder::new(source, Arc::clone(text));
        let mut reader =
            Reader { source, text, bytes: text.as_bytes(), offset: 0, limits, builder, nodes: 0 };
        if text.len() > limits.size || text.len() > LONGEST {
            return Err(reader.error(0, SyntaxErrorKind::TooLarge));
        }
        // Editors on Windows write a byte order mark first; it is not part of the text.
        if text.starts_with('\u{feff}') {
            reader.offset = '\u{feff}'.len_utf8();
        }
        reader.space();
        Ok(reader)
    }

    /// Reads a value without recursion: the limit bounds the nesting, not the stack.
    fn value(&mut self) -> Result<NodeId, SyntaxError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut node = match self.peek() {
                Some(b'{') => match self.begin(Inside::Object, &mut open)? {
                    Some(node) => node,
                    None => continue,
                },
                Some(b'[') => match self.begin(Inside::Array, &mut open)? {
                    Some(node) => node,
                    None => continue,
                },
                _ => self.scalar()?,
            };
            if self.nodes + self.builder.count() > self.limits.nodes {
                return Err(self.error(self.offset, SyntaxErrorKind::TooManyNodes));
            }
            // A value that completes its parent may complete the grandparent too, and so on.
            loop {
                let Some(parent) = open.last_mut() else { return Ok(node) };
                parent.take(node);
                self.space();
                if self.eat(parent.inside.closing()) {
                    let Some(parent) = open.pop() else { return Ok(node) };
                    node = self.close(&parent);
                    continue;
                }
                let start = parent.start;
                if !self.eat(b',') {
                    return Err(self.unfinished(start, parent.inside.expected()));
                }
                let comma = self.offset - 1;
                self.space();
                if self.peek() == Some(parent.inside.closing()) {
                    let words = "a trailing comma is not allowed in JSON";
                    return Err(self.error(comma, SyntaxErrorKind::Grammar(words.to_owned())));
                }
                if parent.inside == Inside::Object {
                    let key = self.key(start)?;
                    if let Some(parent) = open.last_mut() {
                        parent.key = Some(key);
                    }
                }
                break;
            }
        }
    }

    /// Opens an object or array; returns a node immediately if it is empty.
    fn begin(&mut self, inside: Inside, open: &mut Vec<Open>) -> Result<Option<NodeId>, SyntaxError> {
        if open.len() >= self.limits.depth {
            return Err(self.error(self.offset, SyntaxErrorKind::TooDeep));
        }
        let start = self.offset;
        self.offset += 1;
        self.space();
        let mut parent = Open { inside, start, key: None, entries: Vec::new(), items: Vec::new() };
        if self.eat(inside.closing()) {
            return Ok(Some(self.close(&parent)));
        }
        if inside == Inside::Object {
            parent.key = Some(self.key(start)?);
        }
        open.push(parent);
        Ok(None)
    }

    /// A key with its colon, up to the start of its value.
    fn key(&mut self, start: usize) -> Result<NodeId, SyntaxError> {
        if self.peek() != Some(b'"') {
            return Err(self.unfinished(start, "expected a key in double quotes here"));
        }
        let key = self.string()?;
        self.space();
        if !self.eat(b':') {
            return Err(self.unfinished(start, "expected `:` after the key"));
        }
        self.space();
        Ok(key)
    }

    fn close(&mut self, parent: &Open) -> NodeId {
        let span = self.source.span(parent.start, self.offset);
        match parent.inside {
            Inside::Object => self.builder.mapping(&parent.entries, None, span),
            Inside::Array => self.builder.sequence(&parent.items, span),
        }
    }

    fn scalar(&mut self) -> Result<NodeId, SyntaxError> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", ScalarValue::Bool(true)),
            Some(b'f') => self.word("false", ScalarValue::Bool(false)),
            Some(b'n') => self.word("null", ScalarValue::Null),
            Some(_) => Err(self.grammar("expected a JSON value here")),
            None => Err(self.grammar("the file ends where a JSON value was expected")),
        }
    }

    fn string(&mut self) -> Result<NodeId, SyntaxError> {
        let start = self.offset;
        self.offset += 1;
        let mut decoded: Option<String> = None;
        let mut copied = self.offset;
        loop {
            let Some(found) = memchr::memchr2(b'"', b'\\', &self.bytes[self.offset..]) else {
                self.offset = self.bytes.len();
                return Err(self.unfinished(start, "the string is not closed"));
            };
            let end = self.offset + found;
            if let Some(control) = self.bytes[self.offset..end].iter().position(|&byte| byte < 0x20) {
                self.offset += control;
                return Err(self.grammar("a control character must be escaped inside a string"));
            }
            self.offset = end + 1;
            if self.bytes[end] == b'"' {
                let text = match decoded {
                    None => Text::source(copied as u32, end as u32),
                    Some(mut buffer) => {
                        buffer.push_str(&self.text[copied..end]);
                        self.builder.decoded(&buffer)
                    }
                };
                let span = self.source.span(start, self.offset);
                return Ok(self.builder.scalar(text, ScalarValue::String, ScalarStyle::DoubleQuoted, span));
            }
            let buffer = decoded.get_or_insert_default();
            buffer.push_str(&self.text[copied..end]);
            let character = self.escape(end)?;
            decoded.get_or_insert_default().push(character);
            copied = self.offset;
        }
    }

    /// The character of an escape whose backslash is at `start`.
    fn escape(&mut self, start: usize) -> Result<char, SyntaxError> {
        let letter = self.peek();
        self.offset += 1;
        Ok(match letter {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = self.four_digits(start)?;
                if !(0xd800..0xe000).contains(&unit) {
                    return Ok(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                // Half of a surrogate pair; without the other half it is not a character.
                if unit < 0xdc00 && self.bytes[self.offset..].starts_with(b"\\u") {
                    let before = self.offset;
                    self.offset += 2;
                    let low = self.four_digits(before)?;
                    if (0xdc00..0xe000).contains(&low) {
                        let scalar = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                        return Ok(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    self.offset = before;
                }
                char::REPLACEMENT_CHARACTER
            }
            _ => {
                self.offset = start;
                return Err(self.grammar("this escape does not exist in JSON"));
            }
        })
    }

    fn four_digits(&mut self, start: usize) -> Result<u32, SyntaxError> {
        let digits = self.bytes.get(self.offset..self.offset + 4);
        let value = digits
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match value {
            Some(value) => {
                self.offset += 4;
                Ok(value)
            }
            None => {
                self.offset = start;
                Err(self.grammar("`\\u` needs four hexadecimal digits"))
            }
        }
    }

    fn number(&mut self) -> Result<NodeId, SyntaxError> {
        let start = self.offset;
        self.eat(b'-');
        let whole = self.digits();
        if whole == 0 || (whole > 1 && self.bytes[self.offset - whole] == b'0') {
            self.offset = start;
            return Err(self.grammar("this is not a JSON number"));
        }
        let mut float = false;
        if self.eat(b'.') {
            float = true;
            if self.digits() == 0 {
                self.offset = start;
                return Err(self.grammar("a number needs digits after its `.`"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            float = true;
            self.offset += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.offset += 1;
            }
            if self.digits() == 0 {
                self.offset = start;
                return Err(self.grammar("a number needs digits in its exponent"));
            }
        }
        let text = &self.text[start..self.offset];
        let value = if float { None } else { text.parse().ok().map(ScalarValue::Int) }
            .or_else(|| if float { None } else { text.parse().ok().map(ScalarValue::UInt) })
            .or_else(|| text.parse().ok().filter(|value: &f64| value.is_finite()).map(ScalarValue::Float));
        let Some(value) = value else {
            self.offset = start;
            return Err(self.grammar("this number is too large"));
        };
        Ok(self.plain(start, value))
    }

    fn digits(&mut self) -> usize {
        let count = self.bytes[self.offset..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.offset += count;
        count
    }

    fn word(&mut self, word: &str, value: ScalarValue) -> Result<NodeId, SyntaxError> {
        let start = self.offset;
        if !self.bytes[start..].starts_with(word.as_bytes()) {
            return Err(self.grammar("expected a JSON value here"));
        }
        self.offset += word.len();
        Ok(self.plain(start, value))
    }

    fn plain(&mut self, start: usize, value: ScalarValue) -> NodeId {
        let text = Text::source(start as u32, self.offset as u32);
        self.builder.scalar(text, value, ScalarStyle::Plain, self.source.span(start, self.offset))
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.offset += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.offset).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.offset += usize::from(found);
        found
    }

    fn unfinished(&self, start: usize, words: &str) -> SyntaxError {
        let mut error = self.grammar(words);
        error.context = Some(self.source.span(start, start + 1));
        error
    }

    fn grammar(&self, words: &str) -> SyntaxError {
        self.error(self.offset, SyntaxErrorKind::Grammar(words.to_owned()))
    }

    fn error(&self, offset: usize, kind: SyntaxErrorKind) -> SyntaxError {
        let offset = offset.min(self.text.len());
        let length = self.text[offset..].chars().next().map_or(0, char::len_utf8);
        let span = Span::new(self.source, offset, offset + length);
        SyntaxError { kind, span, context: None, go_text: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::SourceId;

    fn read_text(text: &str) -> Result<Document, SyntaxError> {
        read(SourceId::from_index(0), &Arc::from(text), Limits::default())
    }

    #[test]
    fn values_and_their_places() {
        let document = read_text(r#" {"a": [1, -2.5e1, "x\n\ud83d\ude00"], "b": {"c": null}} "#).unwrap();
        let root = document.root();
        let list: Vec<_> = root.get("a").unwrap().items().unwrap().collect();
        assert_eq!(list[0].scalar(), Some(ScalarValue::Int(1)));
        assert_eq!(list[1].scalar(), Some(ScalarValue::Float(-25.0)));
        assert_eq!(list[2].as_str(), Some("x\n😀"));
        assert_eq!(list[0].span(), SourceId::from_index(0).span(8, 9));
        assert!(root.at_pointer("/b/c").unwrap().is_null());
        assert_eq!(root.at_pointer("/a/7").map(NodeRefId::of), None);
    }

    struct NodeRefId;
    impl NodeRefId {
        fn of(node: crate::NodeRef<'_>) -> NodeId {
            node.id()
        }
    }

    #[test]
    fn big_numbers_keep_what_fits() {
        let document = read_text("[18446744073709551615, 18446744073709551616]").unwrap();
        let values: Vec<_> = document.root().items().unwrap().map(|node| node.scalar().unwrap()).collect();
        assert_eq!(values, [ScalarValue::UInt(u64::MAX), ScalarValue::Float(18446744073709551616.0)]);
    }

    #[test]
    fn equal_keys_are_recorded_and_the_last_counts() {
        let document = read_text(r#"{"a": 1, "b": 2, "a": 3}"#).unwrap();
        assert_eq!(document.duplicates().len(), 1);
        assert_eq!(document.root().get("a").unwrap().scalar(), Some(ScalarValue::Int(3)));
        assert_eq!(document.root().entries().unwrap().len(), 2);
        assert_eq!(document.root().written_entries().unwrap().len(), 3);
    }

    #[test]
    fn invalid_json_is_refused_at_its_place() {
        for (text, offset) in [
            ("", 0),
            ("{", 1),
            ("{\"a\":1,}", 6),
            ("{\"a\":1, \n}", 6),
            ("[1, ]", 2),
            ("[1,,2]", 3),
            ("[1 2]", 3),
            ("01", 0),
            ("1.", 0),
            ("\"a", 2),
            ("\"\t\"", 1),
            ("\"\\x\"", 1),
            ("\"\\u12g4\"", 1),
            ("// no", 0),
            ("true false", 5),
            ("tru", 0),
            ("1e999", 0),
        ] {
            let error = read_text(text).expect_err(text);
            assert_eq!(error.span.start, offset, "{text}: {error:?}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        let error = read_text(&"[".repeat(100_000)).unwrap_err();
        assert_eq!(error.kind, SyntaxErrorKind::TooDeep);
    }

    #[test]
    fn long_texts_are_refused() {
        let limits = Limits { size: 3, ..Limits::default() };
        let error = read(SourceId::from_index(0), &Arc::from("[1, 2]"), limits).unwrap_err();
        assert_eq!(error.kind, SyntaxErrorKind::TooLarge);
    }
}

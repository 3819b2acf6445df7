//! JSON text as Go's `encoding/json` writes it: keys sorted by their bytes, numbers in Go's spelling.

use std::fmt;

use crate::{Data, Map, Value, number};

/// The layout of JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Which characters are escaped.
    pub escaping: Escaping,
    /// Whether it is one line.
    pub layout: Layout,
    /// The order of keys.
    pub order: KeyOrder,
}

/// The order of the keys of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyOrder {
    /// By their bytes, as Go writes maps.
    #[default]
    Sorted,
    /// In the map's own order, as Go writes structs.
    Given,
}

/// Which characters of a string are escaped beyond those that JSON requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Escaping {
    /// `<`, `>` and `&` too, so the text can appear in HTML; this is Go's default.
    #[default]
    Html,
    /// Only the line separators that break JavaScript.
    Minimal,
}

/// Whether JSON text is one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// All in one line without spaces.
    #[default]
    Compact,
    /// A line for each item, two spaces for each level.
    Indented,
}

impl Layout {
    /// Appends what precedes the item with this index, for callers that write the values themselves.
    pub fn item(self, out: &mut String, index: usize, level: usize) {
        if index > 0 {
            out.push(',');
        }
        self.new_line(out, level);
    }

    /// Appends what follows this many items.
    pub fn close(self, out: &mut String, bracket: char, items: usize, level: usize) {
        if items > 0 {
            self.new_line(out, level);
        }
        out.push(bracket);
    }

    /// The separator between a key and its value.
    pub fn colon(self) -> &'static str {
        if self == Layout::Indented { ": " } else { ":" }
    }

    fn new_line(self, out: &mut String, level: usize) {
        if self == Layout::Indented {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", level));
        }
    }
}

/// A number that JSON cannot express.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnsupportedNumber(pub f64);

impl fmt::Display for UnsupportedNumber {
    /// Go's own message, which its tools print.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "json: unsupported value: {}", number::general(self.0))
    }
}

impl std::error::Error for UnsupportedNumber {}

/// The JSON text of a value, without a line break at its end.
pub fn write(value: &Value, options: WriteOptions) -> Result<String, UnsupportedNumber> {
    let mut writer = Writer { out: String::new(), options };
    writer.value(value, 0)?;
    Ok(writer.out)
}

/// The entries of a map in the order in which Go writes them.
pub(crate) fn sorted(map: &Map) -> Vec<(&str, &Value)> {
    let mut entries: Vec<(&str, &Value)> = map.iter().map(|(key, entry)| (&**key, &entry.value)).collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries
}

struct Writer {
    out: String,
    options: WriteOptions,
}

impl Writer {
    fn value(&mut self, value: &Value, level: usize) -> Result<(), UnsupportedNumber> {
        let layout = self.options.layout;
        match &value.data {
            Data::Null => self.out.push_str("null"),
            Data::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Data::Int(value) => self.out.push_str(&value.to_string()),
            Data::UInt(value) => self.out.push_str(&value.to_string()),
            Data::Float(value) => {
                let text = number::json(*value).ok_or(UnsupportedNumber(*value))?;
                self.out.push_str(&text);
            }
            Data::String(text) => self.string(text),
            Data::List(items) => {
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    layout.item(&mut self.out, index, level + 1);
                    self.value(item, level + 1)?;
                }
                layout.close(&mut self.out, ']', items.len(), level);
            }
            Data::Map(map) => {
                self.out.push('{');
                match self.options.order {
                    KeyOrder::Sorted => self.entries(sorted(map).into_iter(), level)?,
                    KeyOrder::Given => {
                        self.entries(map.iter().map(|(key, entry)| (&**key, &entry.value)), level)?;
                    }
                }
                layout.close(&mut self.out, '}', map.len(), level);
            }
        }
        Ok(())
    }

    fn entries<'v>(
        &mut self,
        entries: impl Iterator<Item = (&'v str, &'v Value)>,
        level: usize,
    ) -> Result<(), UnsupportedNumber> {
        for (index, (key, value)) in entries.enumerate() {
            self.options.layout.item(&mut self.out, index, level + 1);
            self.string(key);
            self.out.push_str(self.options.layout.colon());
            self.value(value, level + 1)?;
        }
        Ok(())
    }

    fn string(&mut self, text: &str) {
        write_string(&mut self.out, text, self.options.escaping);
    }
}

/// Adds a string in its quotes.
pub fn write_string(out: &mut String, text: &str, escaping: Escaping) {
    out.push('"');
    let mut copied = 0;
    for (offset, character) in text.char_indices() {
        if matches!(character, '"' | '\\' | '<' | '>' | '&' | '\0'..' ' | '\u{2028}' | '\u{2029}') {
            out.push_str(&text[copied..offset]);
            push_escaped(out, character, escaping);
            copied = offset + character.len_utf8();
        }
    }
    out.push_str(&text[copied..]);
    out.push('"');
}

/// Adds a character of a string, escaped where Go escapes it.
pub(crate) fn push_escaped(out: &mut String, character: char, escaping: Escaping) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '<' | '>' | '&' if escaping == Escaping::Html => push_code(out, character),
        '\u{0}'..'\u{20}' | '\u{2028}' | '\u{2029}' => push_code(out, character),
        _ => out.push(character),
    }
}

fn push_code(out: &mut String, character: char) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        out.push(DIGITS[(u32::from(character) >> shift & 0xf) as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Value::from_json_text(text).unwrap()
    }

    #[test]
    fn keys_are_sorted_and_numbers_spelled_as_go_does() {
        let text =
            r#"{"b": [1.0, 1e21, -0.5, 18446744073709551615], "a10": null, "a9": {"x": true}, "c": []}"#;
        let expected = r#"{"a10":null,"a9":{"x":true},"b":[1,1e+21,-0.5,18446744073709551615],"c":[]}"#;
        assert_eq!(value(text).to_json_text().unwrap(), expected);
    }

    #[test]
    fn characters_are_escaped_as_go_does() {
        let text = Value::from("<a&b>\u{2028}\u{7f}\u{1}\t\"\\é😀\u{8}\u{c}");
        assert_eq!(
            text.to_json_text().unwrap(),
            "\"\\u003ca\\u0026b\\u003e\\u2028\u{7f}\\u0001\\t\\\"\\\\é😀\\b\\f\""
        );
        let options = WriteOptions { escaping: Escaping::Minimal, ..WriteOptions::default() };
        assert_eq!(write(&Value::from("<a&b>\u{2029}"), options).unwrap(), "\"<a&b>\\u2029\"");
    }

    #[test]
    fn an_indented_text_has_a_line_for_each_item() {
        let options = WriteOptions { layout: Layout::Indented, ..WriteOptions::default() };
        assert_eq!(
            write(&value(r#"{"a":[1,{}],"b":{"c":[]}}"#), options).unwrap(),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": []\n  }\n}"
        );
    }

    #[test]
    fn numbers_that_json_cannot_express_are_refused_in_go_s_words() {
        for (number, words) in [(f64::INFINITY, "+Inf"), (f64::NEG_INFINITY, "-Inf"), (f64::NAN, "NaN")] {
            let list = Value::new(Data::List(vec![Value::from(number)].into()));
            let error = list.to_json_text().unwrap_err();
            assert_eq!(error.to_string(), format!("json: unsupported value: {words}"));
        }
    }
}

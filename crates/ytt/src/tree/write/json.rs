//! JSON, as Go's `encoding/json` writes it: keys sorted by their bytes.

use std::vec;

use trueline_yaml::json::{Escaping, write_string};
use trueline_yaml::number;

use super::super::{Text, Value};
use super::WriteError;

/// How JSON is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JsonOptions {
    /// Which characters are escaped.
    pub escaping: Escaping,
    /// By how many spaces each level is indented; with none it is all on one line.
    pub indent: usize,
}

/// The JSON text of a value.
pub fn json_of(value: &Value, options: JsonOptions) -> Result<String, WriteError> {
    let mut writer = Writer { out: String::new(), options, open: Vec::new() };
    writer.node(value)?;
    while let Some(mut level) = writer.open.pop() {
        match level.entries.next() {
            None => {
                if level.is_started {
                    writer.new_line();
                }
                writer.out.push(level.bracket);
            }
            Some((key, value)) => {
                if level.is_started {
                    writer.out.push(',');
                }
                level.is_started = true;
                writer.open.push(level);
                writer.new_line();
                if let Some(key) = key {
                    string(&mut writer.out, key, options.escaping);
                    writer.out.push_str(if options.indent > 0 { ": " } else { ":" });
                }
                writer.node(value)?;
            }
        }
    }
    Ok(writer.out)
}

struct Writer<'v> {
    out: String,
    options: JsonOptions,
    open: Vec<Level<'v>>,
}

/// A collection that is being written.
struct Level<'v> {
    entries: vec::IntoIter<(Option<&'v Text>, &'v Value)>,
    bracket: char,
    is_started: bool,
}

impl<'v> Writer<'v> {
    fn node(&mut self, value: &'v Value) -> Result<(), WriteError> {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Value::Int(value) => self.out.push_str(&value.to_string()),
            Value::UInt(value) => self.out.push_str(&value.to_string()),
            Value::Float(value) => {
                self.out.push_str(&number::json(*value).ok_or(WriteError::NotFinite(match value {
                    value if value.is_nan() => "NaN",
                    value if *value > 0.0 => "+Inf",
                    _ => "-Inf",
                }))?)
            }
            Value::String(text) => string(&mut self.out, text, self.options.escaping),
            Value::Array(array) => {
                let entries = array.items.iter().map(|item| (None, &item.value)).collect();
                self.begin('[', ']', entries);
            }
            Value::Map(map) => {
                let mut entries = Vec::with_capacity(map.items.len());
                for item in &map.items {
                    let key = item.key.as_text().ok_or(WriteError::KeyNotString)?;
                    entries.push((Some(key), &item.value));
                }
                entries.sort_by_key(|(key, _)| *key);
                self.begin('{', '}', entries);
            }
        }
        Ok(())
    }

    fn begin(&mut self, bracket: char, closing: char, entries: Vec<(Option<&'v Text>, &'v Value)>) {
        self.out.push(bracket);
        self.open.push(Level { entries: entries.into_iter(), bracket: closing, is_started: false });
    }

    fn new_line(&mut self) {
        if self.options.indent > 0 {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(' ', self.options.indent * self.open.len()));
        }
    }
}

/// A string in its quotes; a byte that is not UTF-8 becomes an escaped replacement character, as in Go.
fn string(out: &mut String, text: &Text, escaping: Escaping) {
    if let Some(text) = text.as_str() {
        write_string(out, text, escaping);
        return;
    }
    out.push('"');
    for chunk in text.utf8_chunks() {
        let start = out.len();
        write_string(out, chunk.valid(), escaping);
        // The quotes around the whole are enough.
        out.remove(start);
        out.pop();
        chunk.invalid().iter().for_each(|_| out.push_str("\\ufffd"));
    }
    out.push('"');
}

//! Writes values as JSON like Go's `encoding/json`.

use trueline_gostd::base64::STANDARD;
use trueline_gotemplate::{Data, Error, MAX_DEPTH, Str, Value};
use trueline_yaml::json::{self, KeyOrder, WriteOptions};
use trueline_yaml::number;

use crate::marks::Marks;
use crate::utf8;

/// The JSON text of a value, or Go's error.
pub(crate) fn to_json(value: &Value, options: WriteOptions, traced: bool) -> Result<Str, Error> {
    let mut writer = Writer { out: String::new(), options, marks: Marks::new(traced) };
    writer.value(value, 0)?;
    Ok(writer.marks.finish(writer.out))
}

struct Writer {
    out: String,
    options: WriteOptions,
    marks: Marks,
}

impl Writer {
    fn value(&mut self, value: &Value, level: usize) -> Result<(), Error> {
        // Only a map that contains itself is nested that deeply.
        if level > MAX_DEPTH {
            let words = "json: unsupported value: encountered a cycle via map[string]interface {}";
            return Err(Error::new(words));
        }
        let start = self.out.len();
        let layout = self.options.layout;
        match &value.data {
            Data::Invalid | Data::Nil => self.out.push_str("null"),
            Data::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Data::Int(_, value) => self.out.push_str(&value.to_string()),
            Data::Uint(_, value) => self.out.push_str(&value.to_string()),
            Data::Float(value) => match number::json(*value) {
                Some(text) => self.out.push_str(&text),
                None => {
                    return Err(Error::new(format!("json: unsupported value: {}", number::general(*value))));
                }
            },
            Data::Complex(_) => return Err(Error::new("json: unsupported type: complex128")),
            Data::String(text) => self.string(text.as_bytes()),
            Data::Bytes(bytes) => self.string(STANDARD.encode(bytes).as_bytes()),
            Data::List(list) if list.is_nil() => self.out.push_str("null"),
            Data::Map(map) if map.is_nil() => self.out.push_str("null"),
            Data::List(list) => {
                self.out.push('[');
                for (index, item) in list.iter().enumerate() {
                    layout.item(&mut self.out, index, level + 1);
                    self.value(item, level + 1)?;
                }
                layout.close(&mut self.out, ']', list.len(), level);
                return Ok(());
            }
            Data::Map(map) => {
                return map.read(|entries| {
                    self.out.push('{');
                    for (index, (key, entry)) in entries.iter().enumerate() {
                        layout.item(&mut self.out, index, level + 1);
                        let start = self.out.len();
                        json::write_string(&mut self.out, key, self.options.escaping);
                        self.marks.add(|| start..self.out.len(), entry.key_origin);
                        self.out.push_str(layout.colon());
                        self.value(&entry.value, level + 1)?;
                    }
                    layout.close(&mut self.out, '}', entries.len(), level);
                    Ok(())
                });
            }
            Data::Object(object) => {
                let options = WriteOptions { order: KeyOrder::Given, ..self.options };
                let text =
                    json::write(&object.plain(), options).map_err(|error| Error::new(error.to_string()))?;
                // A JSON string never contains a line break.
                self.out.push_str(&text.replace('\n', &format!("\n{}", "  ".repeat(level))));
            }
        }
        self.marks.value(|| start..self.out.len(), value);
        Ok(())
    }

    /// Bytes that are not UTF-8 become an escape, unlike the character it represents.
    fn string(&mut self, bytes: &[u8]) {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return json::write_string(&mut self.out, text, self.options.escaping);
        }
        let mut text = String::new();
        for (start, character, width) in utf8::characters(bytes) {
            if width == 1 && bytes.get(start).is_some_and(|byte| !byte.is_ascii()) {
                // A placeholder for the escape until it is written; no string contains this character.
                text.push('\u{10ffff}');
            } else {
                text.push(character);
            }
        }
        let mut written = String::new();
        json::write_string(&mut written, &text, self.options.escaping);
        self.out.push_str(&written.replace('\u{10ffff}', "\\ufffd"));
    }
}

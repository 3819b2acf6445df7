//! Writes values as YAML like Helm.

use trueline_gostd::base64::STANDARD;
use trueline_gotemplate::{Data, Element, Error, List, MAX_DEPTH, Str, Value};
use trueline_yaml::{Dialect, Emitter, sorted_as_written};

use crate::argument::items;
use crate::marks::Marks;
use crate::utf8;

/// The YAML text of a value without its last line break, or Go's error.
pub(crate) fn to_yaml(value: &Value, dialect: Dialect, traced: bool) -> Result<Str, Error> {
    let mut writer = Writer { emitter: Emitter::new(dialect), dialect, marks: Marks::new(traced) };
    match writer.value(value, 0) {
        Ok(()) => {
            let mut text = writer.emitter.finish();
            text.truncate(text.len() - usize::from(text.ends_with('\n')));
            Ok(writer.marks.finish(text))
        }
        Err(Stop::Cycle) => Err(Error::new(
            "error marshaling into JSON: json: unsupported value: encountered a cycle via map[string]interface {}",
        )),
        Err(Stop::Complex) => {
            Err(Error::new("error marshaling into JSON: json: unsupported type: complex128"))
        }
        Err(Stop::Doubtful) => doubtful(value, dialect),
    }
}

/// The slow path, which knows everything that the Go library refuses.
fn doubtful(value: &Value, dialect: Dialect) -> Result<Str, Error> {
    let plain = value.to_plain().map_err(|_| Error::new("error marshaling into JSON"))?;
    let text = trueline_yaml::marshal(&plain, dialect).map_err(|error| Error::new(error.to_string()))?;
    Ok(Str::from(text.strip_suffix('\n').unwrap_or(&text)))
}

enum Stop {
    /// A map contains itself.
    Cycle,
    Complex,
    /// Something that the Go library may refuse.
    Doubtful,
}

struct Writer {
    emitter: Emitter,
    dialect: Dialect,
    marks: Marks,
}

impl Writer {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Stop> {
        if depth > MAX_DEPTH {
            return Err(Stop::Cycle);
        }
        let through_json = self.dialect == Dialect::Sigs;
        match &value.data {
            Data::Invalid | Data::Nil => self.emitter.null(),
            Data::Bool(value) => self.emitter.bool(*value),
            Data::Int(_, value) => self.emitter.int(*value),
            Data::Uint(_, value) => self.emitter.uint(*value),
            Data::Float(value) if through_json && !value.is_finite() => return Err(Stop::Doubtful),
            Data::Float(value) => self.emitter.float(*value),
            Data::Complex(_) => return Err(Stop::Complex),
            Data::String(text) => self.string(text.as_bytes())?,
            Data::Bytes(bytes) if through_json => self.string(STANDARD.encode(bytes).as_bytes())?,
            Data::Bytes(_) => {
                let items = items(value).unwrap_or_default().into_owned();
                return self.list(&List::new(Element::Any, items), depth);
            }
            Data::List(list) if list.is_nil() && through_json => self.emitter.null(),
            Data::Map(map) if map.is_nil() && through_json => self.emitter.null(),
            Data::List(list) => return self.list(list, depth),
            Data::Map(map) => {
                return map.read(|entries| {
                    if entries.is_empty() {
                        self.emitter.empty_map();
                        return Ok(());
                    }
                    self.emitter.begin_map();
                    let entries = entries.iter().map(|(key, entry)| (&**key, entry)).collect();
                    for (key, entry) in sorted_as_written(entries, self.dialect) {
                        if through_json && (is_doubtful(key) || key.len() > LONGEST_SURE_KEY) {
                            return Err(Stop::Doubtful);
                        }
                        self.emitter.key(key);
                        self.marks.add(|| self.emitter.last_scalar(), entry.key_origin);
                        self.value(&entry.value, depth + 1)?;
                    }
                    self.emitter.end();
                    Ok(())
                });
            }
            Data::Object(object) => {
                self.emitter.value(&object.plain());
                return Ok(());
            }
        }
        self.marks.value(|| self.emitter.last_scalar(), value);
        Ok(())
    }

    fn list(&mut self, list: &List, depth: usize) -> Result<(), Stop> {
        if list.is_empty() {
            self.emitter.empty_list();
            return Ok(());
        }
        self.emitter.begin_list();
        for item in list.iter() {
            self.emitter.item();
            self.value(item, depth + 1)?;
        }
        self.emitter.end();
        Ok(())
    }

    fn string(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        match std::str::from_utf8(bytes) {
            Ok(text) if self.dialect == Dialect::Sigs && is_doubtful(text) => return Err(Stop::Doubtful),
            Ok(text) => self.emitter.string(text),
            Err(_) => {
                let text: String = utf8::characters(bytes).map(|(_, character, _)| character).collect();
                self.emitter.string(&text);
            }
        }
        Ok(())
    }
}

/// Every reader recognises shorter keys, however they are escaped.
const LONGEST_SURE_KEY: usize = 160;

/// Whether a string has a character that a YAML reader may refuse or fold.
fn is_doubtful(text: &str) -> bool {
    let suspect = |byte: &u8| matches!(byte, 0x7f | 0xc2 | 0xef);
    text.as_bytes().iter().any(suspect)
        && text.contains(|character| matches!(character, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}'))
}

//! Writes values as YAML text, byte for byte as the Go libraries write it.
//!
//! The structure is that of libyaml's emitter, from which they all descend: whether a line break is needed
//! depends on the column, on whether white space was written last and on whether only indentation is on the
//! line so far.

mod binary;
mod block;
mod draft;
mod error;
mod go_json;
mod order;
mod plain;
mod scalar;
mod style;

use std::ops::Range;

pub use draft::{Dashes, write_drafts};
pub use error::MarshalError;
pub use order::sorted_as_written;

use crate::{Data, Dialect, Value, number};
use style::{Analysis, Context};

/// The YAML text of a value, with a line break at its end.
///
/// It never fails: a value that a Go library would refuse (see [`marshal`]) is written as well as YAML allows.
pub fn write(value: &Value, dialect: Dialect) -> String {
    let mut emitter = Emitter::new(dialect);
    emitter.value(value);
    emitter.finish()
}

/// The YAML text of a value, or the error that the Go library returns instead.
pub fn marshal(value: &Value, dialect: Dialect) -> Result<String, MarshalError> {
    if dialect == Dialect::Sigs {
        go_json::check(value)?;
    }
    Ok(write(value, dialect))
}

/// How many spaces each level is indented, in every dialect.
const INDENTATION: isize = 2;

/// Writes YAML piece by piece, for values that are not of [`Value`]'s type: [`write`] does it all at once.
#[derive(Debug)]
pub struct Emitter {
    out: String,
    dialect: Dialect,
    /// The context of the next node.
    context: Context,
    /// The indentation around each collection that is open.
    outer: Vec<isize>,
    /// Where the last scalar is in the text.
    last: Range<usize>,
    /// Characters on the current line.
    column: isize,
    /// The indentation of the innermost collection; negative outside all.
    indent: isize,
    /// Whether white space was written last, or nothing yet.
    whitespace: bool,
    /// Whether the line has only indentation and indicators that count as such.
    indention: bool,
    /// A line at this indentation is kept apart from the comment above it; negative if there is none.
    foot_indent: isize,
}

impl Emitter {
    /// Whether nothing was written yet.
    pub fn new(dialect: Dialect) -> Self {
        Emitter {
            out: String::new(),
            dialect,
            context: Context::Root,
            outer: Vec::new(),
            last: 0..0,
            column: 0,
            indent: -1,
            whitespace: true,
            indention: true,
            foot_indent: -1,
        }
    }

    /// Whether nothing was written yet of a document after others, whose text ends with a line break.
    pub fn behind(text: String, dialect: Dialect) -> Self {
        let mut emitter = Emitter::new(dialect);
        emitter.out = text;
        emitter
    }

    /// The text, with a line break at its end.
    pub fn finish(mut self) -> String {
        self.write_indent();
        self.out
    }

    /// Where the last scalar or key is in the text.
    pub fn last_scalar(&self) -> Range<usize> {
        self.last.clone()
    }

    /// Writes a whole value.
    pub fn value(&mut self, value: &Value) {
        match &value.data {
            Data::Null => self.null(),
            Data::Bool(value) => self.bool(*value),
            Data::Int(value) => self.int(*value),
            Data::UInt(value) => self.uint(*value),
            Data::Float(value) => self.float(*value),
            Data::String(text) => self.string(text),
            Data::List(items) if items.is_empty() => self.empty_list(),
            Data::List(items) => {
                self.begin_list();
                for item in items.iter() {
                    self.item();
                    self.value(item);
                }
                self.end();
            }
            Data::Map(map) if map.is_empty() => self.empty_map(),
            Data::Map(map) => {
                self.begin_map();
                let entries = map.iter().map(|(key, entry)| (&**key, &entry.value)).collect();
                for (key, value) in sorted_as_written(entries, self.dialect) {
                    self.key(key);
                    self.value(value);
                }
                self.end();
            }
        }
    }

    /// Writes null.
    pub fn null(&mut self) {
        self.plain("null");
    }

    /// Writes true or false.
    pub fn bool(&mut self, value: bool) {
        self.plain(if value { "true" } else { "false" });
    }

    /// Writes an integer.
    pub fn int(&mut self, value: i64) {
        self.plain(&value.to_string());
    }

    /// Writes an integer without a sign.
    pub fn uint(&mut self, value: u64) {
        self.plain(&value.to_string());
    }

    /// Writes a number.
    pub fn float(&mut self, value: f64) {
        let text = match self.dialect {
            Dialect::Sigs => go_json::number(value),
            Dialect::GoYamlV3 | Dialect::Ytt => number::yaml(value),
        };
        self.plain(&text);
    }

    /// Writes a string, in quotes if needed.
    pub fn string(&mut self, text: &str) {
        if self.dialect == Dialect::Sigs {
            let text = go_json::string(text);
            self.scalar(&Analysis::of_string(&text, self.dialect), self.context);
        } else {
            self.scalar(&Analysis::of_string(text, self.dialect), self.context);
        }
    }

    /// Writes a list without items.
    pub fn empty_list(&mut self) {
        self.write_empty("[]");
    }

    /// Writes a map without keys.
    pub fn empty_map(&mut self) {
        self.write_empty("{}");
    }

    /// Opens a list that has items; for each, [`Emitter::item`] and a node follow, and [`Emitter::end`] last.
    pub fn begin_list(&mut self) {
        self.outer.push(self.indent);
        // After a simple key the dashes are under the key.
        let under_key =
            self.context == Context::MapValue && !self.indention && self.dialect != Dialect::GoYamlV3;
        if !under_key {
            self.increase_indent();
        }
    }

    /// Begins an item of the list that was opened last.
    pub fn item(&mut self) {
        self.write_indent();
        self.write_indicator("-", Gap::Before, Counts::AsIndentation);
        self.context = Context::ListItem;
    }

    /// Opens a map that has keys; for each, [`Emitter::key`] and a node follow, and [`Emitter::end`] last.
    pub fn begin_map(&mut self) {
        self.outer.push(self.indent);
        self.increase_indent();
    }

    /// Writes a key of the map that was opened last.
    pub fn key(&mut self, key: &str) {
        self.write_indent();
        let folded;
        let key = if self.dialect == Dialect::Sigs {
            folded = go_json::string(key);
            &*folded
        } else {
            key
        };
        self.scalar_key(&Analysis::of_string(key, self.dialect));
    }

    /// Writes a key that is not a string: a number, a boolean or null, in YAML's notation.
    pub fn plain_key(&mut self, key: &str) {
        self.write_indent();
        self.scalar_key(&Analysis::of_plain(key));
    }

    /// Writes a key that is a map or a list that is empty.
    pub fn empty_key(&mut self, brackets: EmptyKey) {
        self.write_indent();
        self.write_empty(match brackets {
            EmptyKey::List => "[]",
            EmptyKey::Map => "{}",
        });
        self.write_indicator(":", Gap::None, Counts::AsText);
        self.context = Context::MapValue;
    }

    /// Begins a key of any type: the node follows, then [`Emitter::end_key`].
    pub fn begin_key(&mut self) {
        self.write_indent();
        self.write_indicator("?", Gap::Before, Counts::AsIndentation);
        self.context = Context::ComplexKey;
    }

    /// Ends the key that was begun last.
    pub fn end_key(&mut self) {
        self.write_indent();
        self.write_indicator(":", Gap::Before, Counts::AsIndentation);
        self.context = Context::MapValue;
    }

    fn scalar_key(&mut self, analysis: &Analysis<'_>) {
        if analysis.fits_simple_key() {
            self.scalar(analysis, Context::SimpleKey);
            self.write_indicator(":", Gap::None, Counts::AsText);
            self.context = Context::MapValue;
        } else {
            self.write_indicator("?", Gap::Before, Counts::AsIndentation);
            self.scalar(analysis, Context::ComplexKey);
            self.end_key();
        }
    }

    /// Writes bytes that are not UTF-8: their base64 after `!!binary`.
    pub fn binary(&mut self, bytes: &[u8]) {
        let start = self.out.len() + usize::from(!self.whitespace);
        self.write_indicator("!!binary", Gap::Before, Counts::AsText);
        self.scalar(&binary::analysis(&binary::text(bytes)), self.context);
        self.last.start = start;
    }

    /// The same as a key.
    pub fn binary_key(&mut self, bytes: &[u8]) {
        let text = binary::text(bytes);
        let analysis = binary::analysis(&text);
        if style::is_simple_key(&text, "!!binary".len() + text.len()) {
            self.write_indent();
            self.write_indicator("!!binary", Gap::Before, Counts::AsText);
            self.scalar(&analysis, Context::SimpleKey);
            self.write_indicator(":", Gap::None, Counts::AsText);
            self.context = Context::MapValue;
        } else {
            self.begin_key();
            self.binary(bytes);
            self.end_key();
        }
    }

    /// Closes the list or map that was opened last.
    pub fn end(&mut self) {
        self.indent = self.outer.pop().unwrap_or(-1);
    }

    /// Lines of plain and quoted text are folded at the first space after this column.
    fn width(&self) -> isize {
        match self.dialect {
            Dialect::Sigs => 80,
            Dialect::GoYamlV3 | Dialect::Ytt => isize::MAX,
        }
    }

    fn plain(&mut self, text: &str) {
        self.scalar(&Analysis::of_plain(text), self.context);
    }

    fn increase_indent(&mut self) {
        self.indent = if self.indent < 0 { 0 } else { self.indent + INDENTATION };
    }

    fn write_empty(&mut self, brackets: &str) {
        self.write_indicator(brackets, Gap::Before, Counts::AsText);
    }

    fn write_indent(&mut self) {
        let indent = self.indent.max(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put_break();
        }
        if self.foot_indent == indent {
            self.put_break();
        }
        self.foot_indent = -1;
        if self.column < indent {
            self.out.extend(std::iter::repeat_n(' ', (indent - self.column) as usize));
            self.column = indent;
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn write_indicator(&mut self, indicator: &str, gap: Gap, counts: Counts) {
        if gap == Gap::Before && !self.whitespace {
            self.put(' ');
        }
        indicator.chars().for_each(|character| self.put(character));
        self.whitespace = false;
        self.indention = self.indention && counts == Counts::AsIndentation;
    }

    fn put(&mut self, character: char) {
        self.out.push(character);
        self.column += 1;
    }

    fn put_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
        self.indention = true;
    }
}

/// An empty list or map as a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyKey {
    /// `[]`
    List,
    /// `{}`
    Map,
}

/// Whether an indicator needs a space before it.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    Before,
    None,
}

/// Whether a line that has only this indicator may continue with a nested collection.
#[derive(Clone, Copy, PartialEq)]
enum Counts {
    AsIndentation,
    AsText,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(json: &str) -> [String; 3] {
        let value = Value::from_json_text(json).unwrap();
        [Dialect::Sigs, Dialect::GoYamlV3, Dialect::Ytt].map(|dialect| write(&value, dialect))
    }

    #[test]
    fn lists_are_under_their_key_except_in_version_3() {
        let [sigs, version_3, ytt] = texts(r#"{"b": [1, [2, {"x": [], "y": {}}]], "a": null}"#);
        assert_eq!(sigs, "a: null\nb:\n- 1\n- - 2\n  - x: []\n    \"y\": {}\n");
        assert_eq!(version_3, "a: null\nb:\n  - 1\n  - - 2\n    - x: []\n      \"y\": {}\n");
        assert_eq!(ytt, "b:\n- 1\n- - 2\n  - x: []\n    \"y\": {}\na: null\n");
    }

    #[test]
    fn only_the_first_dialect_folds_lines_and_goes_through_json() {
        let words = "word ".repeat(17) + "end";
        let [sigs, version_3, ytt] = texts(&format!(r#"["{words}", 1000000.0, "a\u0085b"]"#));
        let folded = "word ".repeat(15) + "word\n  word end";
        assert_eq!(sigs, format!("- {folded}\n- 1000000\n- a b\n"));
        assert_eq!(version_3, format!("- {words}\n- 1e+06\n- \"a\\Nb\"\n"));
        assert_eq!(ytt, version_3);
    }

    #[test]
    fn keys_that_are_long_or_have_lines_get_a_question_mark() {
        let long = "k".repeat(129);
        let [sigs, ..] = texts(&format!(r#"{{"{long}": [1], "a\nb": {{"c": 1}}, "": 0}}"#));
        assert_eq!(sigs, format!("\"\": 0\n? |-\n  a\n  b\n: c: 1\n? {long}\n: - 1\n"));
    }

    #[test]
    fn a_value_alone_is_a_document() {
        assert_eq!(texts("\"a\\n\\n\"")[0], "|+\n  a\n\n");
        assert_eq!(texts("\" a\\nb\"")[0], "|2-\n   a\n  b\n");
        assert_eq!(texts("{}")[0], "{}\n");
        assert_eq!(texts("\"\"")[0], "\"\"\n");
    }
}

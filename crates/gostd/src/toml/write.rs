//! Writes keys with plain values first, then tables, each indented by its depth.

use std::borrow::Cow;
use std::fmt;

use super::{LOCAL_DATE, LOCAL_DATE_TIME, LOCAL_TIME, MAX_DEPTH, Release, quoted, quoted_key};
use crate::error::{GoError, GoErrorKind};
use crate::number;
use crate::time::{Time, Zone};

/// The kind of a value in this format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TomlKind {
    /// A nil value, which is omitted from tables and refused in arrays.
    Nothing,
    /// A plain value with text.
    Plain,
    /// An array.
    Array,
    /// A table.
    Table,
}

/// A scalar, as it is written.
#[derive(Debug, Clone)]
pub enum Written<'a> {
    /// A string, which gets quotes.
    Text(Cow<'a, [u8]>),
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A number with a fraction.
    Float(f64),
    /// A time.
    Time(Time),
}

/// Why a value cannot be written. It prints in the words of the Go package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteFault {
    /// The value is neither a table nor in one.
    NoTable,
    /// An item of an array is nil.
    NilItem,
    /// The key of a map is not a string.
    KeyNotString,
    /// There is no form for values of this type.
    UnsupportedType(String),
    /// There is no scalar for values of this type.
    UnexpectedType(String),
    /// It is nested too deeply.
    TooDeep,
    /// The sink takes no more; what it says.
    Full(String),
}

impl fmt::Display for WriteFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteFault::NoTable => formatter.write_str("toml: top-level values must be Go maps or structs"),
            WriteFault::NilItem => formatter.write_str("toml: cannot encode array with nil element"),
            WriteFault::KeyNotString => formatter.write_str("Expected key to be string"),
            WriteFault::UnsupportedType(name) => write!(formatter, "unsupported type: {name}"),
            WriteFault::UnexpectedType(name) => write!(formatter, "unexpected type: {name}"),
            WriteFault::TooDeep => formatter.write_str("toml: the value is nested too deeply"),
            WriteFault::Full(words) => formatter.write_str(words),
        }
    }
}

impl std::error::Error for WriteFault {}

/// A value that can be written.
pub trait Source: Sized {
    /// Its kind, or why it cannot be written.
    fn kind(&self) -> Result<TomlKind, WriteFault>;

    /// The scalar if it is plain, or why it cannot be written.
    fn plain(&self) -> Result<Written<'_>, WriteFault>;

    /// The items of an array.
    fn items(&self) -> Vec<Self>;

    /// The entries of a table sorted by name.
    fn entries(&self) -> Vec<(String, Self)>;
}

/// Receives the text. An error stops writing: small values can have long texts, because the name of a table is
/// repeated for each one inside it.
pub trait Sink<S> {
    /// Receives the next part of the text.
    fn push(&mut self, text: &[u8]) -> Result<(), WriteFault>;

    /// Receives the text of a plain value.
    fn push_plain(&mut self, text: &[u8], value: &S) -> Result<(), WriteFault>;

    /// Whether it has received nothing yet.
    fn is_empty(&self) -> bool;
}

impl<S> Sink<S> for Vec<u8> {
    fn push(&mut self, text: &[u8]) -> Result<(), WriteFault> {
        self.extend_from_slice(text);
        Ok(())
    }

    fn push_plain(&mut self, text: &[u8], _: &S) -> Result<(), WriteFault> {
        self.extend_from_slice(text);
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }
}

/// The layout of the text.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// The indentation per level of tables.
    pub indent: usize,
    /// The release of the Go library whose number format is used.
    pub release: Release,
}

/// Writes a value; an error of the sink is passed on. For no value at all Go panics; the caller has to report that.
pub fn write<S: Source>(value: &S, layout: Layout, out: &mut impl Sink<S>) -> Result<(), GoError> {
    let mut writer = Writer { out, layout, key: Vec::new(), depth: 0 };
    writer.encode(value).map_err(|fault| GoErrorKind::Toml.says(fault.to_string()))
}

/// Writes a value: arrays that contain only tables are written table by table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Nothing,
    Plain,
    Array,
    Table,
    Tables,
}

struct Writer<'o, O> {
    out: &'o mut O,
    layout: Layout,
    /// The path to the current value.
    key: Vec<String>,
    depth: usize,
}

impl<O> Writer<'_, O> {
    fn encode<S: Source>(&mut self, value: &S) -> Result<(), WriteFault>
    where
        O: Sink<S>,
    {
        match shape(value, MAX_DEPTH)? {
            Shape::Nothing => Ok(()),
            Shape::Plain | Shape::Array => self.line(value),
            Shape::Tables => self.tables(value),
            Shape::Table => self.table(value),
        }
    }

    /// The indentation of the current key.
    fn indent<S: Source>(&mut self) -> Result<(), WriteFault>
    where
        O: Sink<S>,
    {
        let depth = self.key.len().saturating_sub(1);
        self.out.push(" ".repeat(self.layout.indent.saturating_mul(depth)).as_bytes())
    }

    /// A line break, unless this is the start.
    fn line_break<S: Source>(&mut self) -> Result<(), WriteFault>
    where
        O: Sink<S>,
    {
        if self.out.is_empty() { Ok(()) } else { self.out.push(b"\n") }
    }

    /// A key with a value that is not a table, on a line of its own.
    fn line<S: Source>(&mut self, value: &S) -> Result<(), WriteFault>
    where
        O: Sink<S>,
    {
        let Some(last) = self.key.last() else {
            return match self.layout.release {
                Release::V1_2 => Err(WriteFault::NoTable),
                Release::V1_6 => self.element(value),
            };
        };
        let name = quoted_key(last);
        self.indent::<S>()?;
        self.named(&name, value)?;
        self.line_break::<S>()
    }

    /// A name in quotes if it needs them, with its value.
    fn named<S: Source>(&mut self, name: &str, value: &S) -> Result<(), WriteFault>
    where
        O: Sink<S>,
    {
        self.out.push(name.as_bytes())?;
        self.out.push(b" = ")?;
        self.element(value)
    }

    /// The current key in brackets, on a line of its own.
    fn header<S: Source>(&mut self, brackets: [&str; 2]) -> Result<(), WriteFault>
    where
        O: Sink<S>,
    {
        let [opening, closing] = brackets;
        self.indent::<S>()?;
        self.out.push(opening.as_bytes())?;
        for (index, part) in self.key.iter().enumerate() {
            if index > 0 {
                self.out.push(b".")?;
            }
            self.out.push(quoted_key(part).as_bytes())?;
        }
        self.out.push(closing.as_bytes())?;
        self.line_break::<S>()
    }

    fn table<S: Source>(&mut self, value: &S) -> Result<(), WriteFault>
    where
        O: Sink<S>,
    {
        // Tables of the first level have an empty line above.
        if self.key.len() == 1 {
            self.line_break::<S>()?;
        }
        if !self.key.is_empty() {
            self.header::<S>(["[", "]"])?;
        }
        self.entries(value, EntryPlace::Line)
    }

    fn tables<S: Source>(&mut self, value: &S) -> Result<(), WriteFault>
    where
        O: Sink<S>,
    {
        if self.key.is_empty() {
            return Err(WriteFault::NoTable);
        }
        for item in value.items() {
            if shape(&item, MAX_DEPTH)? == Shape::Nothing {
                continue;
            }
            self.line_break::<S>()?;
            self.header::<S>(["[[", "]]"])?;
            self.entries(&item, EntryPlace::Line)?;
        }
        Ok(())
    }

    /// The entries of a table: those that are not tables come first.
    fn entries<S: Source>(&mut self, value: &S, place: EntryPlace) -> Result<(), WriteFault>
    where
        O: Sink<S>,
    {
        self.enter()?;
        let mut parts = (Vec::new(), Vec::new());
        for (name, value) in value.entries() {
            let is_table = matches!(shape(&value, MAX_DEPTH)?, Shape::Table | Shape::Tables);
            let part = if is_table { &mut parts.1 } else { &mut parts.0 };
            part.push((name, value));
        }
        if place == EntryPlace::Inline {
            self.out.push(b"{")?;
        }
        let has_tables = !parts.1.is_empty();
        for (part, more) in [(parts.0, has_tables), (parts.1, false)] {
            let count = part.len();
            for (index, (name, value)) in part.into_iter().enumerate() {
                if value.kind()? == TomlKind::Nothing {
                    continue;
                }
                if place == EntryPlace::Line {
                    self.key.push(name);
                    self.encode(&value)?;
                    self.key.pop();
                    continue;
                }
                self.named(&quoted_key(&name), &value)?;
                // The comma depends only on the position, so there is one even before an omitted value.
                if more || index + 1 < count {
                    self.out.push(b", ")?;
                }
            }
        }
        if place == EntryPlace::Inline {
            self.out.push(b"}")?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// A value after a key or in an array.
    fn element<S: Source>(&mut self, value: &S) -> Result<(), WriteFault>
    where
        O: Sink<S>,
    {
        match value.kind()? {
            TomlKind::Array => self.array(value),
            TomlKind::Table => self.entries(value, EntryPlace::Inline),
            TomlKind::Nothing | TomlKind::Plain => {
                let text = match value.plain()? {
                    Written::Text(text) => quoted(&text),
                    Written::Bool(truth) => truth.to_string().into_bytes(),
                    Written::Int(number) => number.to_string().into_bytes(),
                    Written::Float(number) => shown_float(number, self.layout.release).into_bytes(),
                    Written::Time(time) => shown_time(&time),
                };
                self.out.push_plain(&text, value)
            }
        }
    }

    fn array<S: Source>(&mut self, value: &S) -> Result<(), WriteFault>
    where
        O: Sink<S>,
    {
        self.enter()?;
        self.out.push(b"[")?;
        for (index, item) in value.items().iter().enumerate() {
            if index > 0 {
                self.out.push(b", ")?;
            }
            self.element(item)?;
        }
        self.out.push(b"]")?;
        self.depth -= 1;
        Ok(())
    }

    fn enter(&mut self) -> Result<(), WriteFault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(WriteFault::TooDeep) } else { Ok(()) }
    }
}

/// Whether an entry has a line of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryPlace {
    Line,
    Inline,
}

fn shape<S: Source>(value: &S, depth: usize) -> Result<Shape, WriteFault> {
    let Some(depth) = depth.checked_sub(1) else { return Err(WriteFault::TooDeep) };
    Ok(match value.kind()? {
        TomlKind::Nothing => Shape::Nothing,
        TomlKind::Plain => Shape::Plain,
        TomlKind::Table => Shape::Table,
        TomlKind::Array => {
            let items = value.items();
            let mut shape_of_all = if items.is_empty() { Shape::Array } else { Shape::Tables };
            for item in &items {
                match shape(item, depth)? {
                    Shape::Nothing => return Err(WriteFault::NilItem),
                    Shape::Table => {}
                    Shape::Plain | Shape::Array | Shape::Tables => shape_of_all = Shape::Array,
                }
            }
            shape_of_all
        }
    })
}

fn shown_time(time: &Time) -> Vec<u8> {
    let zone = time.zone().name();
    let layout: &[u8] = match &*zone {
        LOCAL_DATE_TIME => b"2006-01-02T15:04:05.999999999",
        LOCAL_DATE => b"2006-01-02",
        LOCAL_TIME => b"15:04:05.999999999",
        _ => return time.format(b"2006-01-02T15:04:05.999999999Z07:00"),
    };
    time.in_zone(Zone::Utc).format(layout)
}

fn shown_float(number: f64, release: Release) -> String {
    let (sign, text) = match release {
        Release::V1_2 if number.is_nan() => ("", String::new()),
        Release::V1_2 => (if number < 0.0 { "-" } else { "+" }, number::positional(number)),
        Release::V1_6 => (if number.is_sign_negative() { "-" } else { "" }, number::general(number)),
    };
    if number.is_nan() {
        return format!("{sign}nan");
    }
    if number.is_infinite() {
        return format!("{sign}inf");
    }
    if text.contains(['e', '.']) { text } else { format!("{text}.0") }
}

#[cfg(test)]
mod tests {
    use super::super::{Document, Node, Scalar, Table, read};
    use super::*;

    /// A parsed document that can be written again.
    struct Again<'d> {
        tables: &'d [Table],
        node: &'d Node,
    }

    impl Source for Again<'_> {
        fn kind(&self) -> Result<TomlKind, WriteFault> {
            Ok(match self.node {
                Node::Plain(_) => TomlKind::Plain,
                Node::Array(_) | Node::Tables(_) => TomlKind::Array,
                Node::Table(_) => TomlKind::Table,
            })
        }

        fn plain(&self) -> Result<Written<'_>, WriteFault> {
            let Node::Plain(scalar) = self.node else {
                return Err(WriteFault::UnexpectedType("none".to_owned()));
            };
            Ok(match scalar {
                Scalar::String(text) => Written::Text(text.as_bytes().into()),
                Scalar::Int(number) => Written::Int(i128::from(*number)),
                Scalar::Float(number) => Written::Float(*number),
                Scalar::Bool(truth) => Written::Bool(*truth),
                Scalar::Time(time) => Written::Time(time.clone()),
            })
        }

        fn items(&self) -> Vec<Self> {
            match self.node {
                Node::Array(items) => items.iter().map(|node| Again { tables: self.tables, node }).collect(),
                _ => Vec::new(),
            }
        }

        fn entries(&self) -> Vec<(String, Self)> {
            let Node::Table(id) = self.node else { return Vec::new() };
            let again = |(name, node): (&String, _)| (name.clone(), Again { tables: self.tables, node });
            self.tables[*id].iter().map(again).collect()
        }
    }

    fn again(document: Document, layout: Layout) -> String {
        let tables = document.into_tables();
        let mut out = Vec::new();
        write(&Again { tables: &tables, node: &Node::Table(0) }, layout, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn releases_differ_in_numbers() {
        let text = "a = 1e7\nb = 1.5\nc = inf\nd = -inf\ne = nan\nf = 1e300\ng = -0.0";
        for (release, expected) in [
            (
                Release::V1_2,
                format!(
                    "a = 10000000.0\nb = 1.5\nc = +inf\nd = -inf\ne = nan\nf = {}.0\ng = -0.0\n",
                    format_args!("1{}", "0".repeat(300))
                ),
            ),
            (
                Release::V1_6,
                "a = 1e+07\nb = 1.5\nc = inf\nd = -inf\ne = nan\nf = 1e+300\ng = -0.0\n".to_owned(),
            ),
        ] {
            let document = read(text.as_bytes(), release).unwrap();
            assert_eq!(again(document, Layout { indent: 2, release }), expected);
        }
    }

    #[test]
    fn tables_are_indented() {
        let text = "[a.b]\nc = 1\n[a.b.d]\ne = [1, {x = 2}]";
        let document = read(text.as_bytes(), Release::V1_2).unwrap();
        assert_eq!(
            again(document, Layout { indent: 4, release: Release::V1_2 }),
            "[a]\n    [a.b]\n        c = 1\n        [a.b.d]\n            e = [1, {x = 2}]\n"
        );
    }
}

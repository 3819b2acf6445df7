//! YAML into fixed types as Go does it: through JSON, with keys in any case, scalars taken as text where
//! text is expected, null leaving things as they are, and later files laid over earlier ones.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use trueline_diagnostic::{Diagnostic, Level};
use trueline_gotemplate::fmt::quote;
use trueline_source::Span;
use trueline_yaml::{MappingEntries, NodeKind, NodeRef, ScalarValue, Value, number};

use super::WRONG_TYPE;
use super::values::{Shift, json_value};

/// Something that a node can be decoded into.
pub(crate) trait Target {
    /// Takes what a node says.
    fn set(&mut self, node: NodeRef<'_>, decoder: &mut Decoder);

    /// Go's name of the type.
    fn go_type(&self, package: &str) -> String;

    /// What a new one is before anything is decoded into it.
    fn fresh() -> Self
    where
        Self: Sized;
}

/// A Go struct.
pub(crate) trait Record: Default {
    /// Go's name of the struct.
    const NAME: &'static str;
    /// The names of its fields in JSON.
    const FIELDS: &'static [&'static str];

    /// The field of a name from [`Record::FIELDS`].
    fn field(&mut self, name: &str) -> Option<&mut dyn Target>;

    /// Takes note of where it is written.
    fn placed(&mut self, _node: NodeRef<'_>) {}
}

/// What went wrong, and where decoding is.
#[derive(Debug)]
pub(crate) struct Decoder {
    /// The Go package of the structs.
    package: &'static str,
    record: &'static str,
    path: Vec<&'static str>,
    failures: Vec<Failure>,
    unknown: Unknown,
    /// An error that stops Go at once.
    stopped: Option<(String, Span)>,
}

/// What becomes of a key that no field has the name of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    Ignored,
    Refused,
}

#[derive(Debug)]
enum Failure {
    Mismatch(Mismatch),
    /// A key that no field has the name of.
    Unknown {
        key: String,
        span: Span,
    },
}

/// A value that does not fit its type.
#[derive(Debug)]
struct Mismatch {
    /// Go's word for the value.
    found: &'static str,
    record: &'static str,
    path: String,
    go_type: String,
    span: Span,
}

impl Decoder {
    fn new(package: &'static str, unknown: Unknown) -> Self {
        Decoder { package, record: "", path: Vec::new(), failures: Vec::new(), unknown, stopped: None }
    }

    /// Decodes a node into a target. What does not fit is left out.
    pub(crate) fn run(target: &mut dyn Target, node: NodeRef<'_>, package: &'static str) -> Self {
        Self::run_with(target, node, package, Unknown::Ignored)
    }

    /// The same, with a choice of what becomes of keys that no field has the name of.
    pub(crate) fn run_with(
        target: &mut dyn Target,
        node: NodeRef<'_>,
        package: &'static str,
        unknown: Unknown,
    ) -> Self {
        let mut decoder = Decoder::new(package, unknown);
        target.set(node, &mut decoder);
        decoder
    }

    /// Go's text of the first error, and all of them in our words.
    pub(crate) fn into_result(self) -> Result<(), (String, Vec<Diagnostic>)> {
        let go_text = match (&self.stopped, self.failures.first()) {
            (Some((text, _)), _) => text.clone(),
            (None, Some(failure)) => failure.go_text(),
            (None, None) => return Ok(()),
        };
        let mut diagnostics: Vec<_> = self.failures.iter().map(Failure::to_diagnostic).collect();
        diagnostics.extend(self.stopped.map(|(_, span)| {
            Diagnostic::new(&WRONG_TYPE, span, "this is not a date as lock files have it")
                .help("write it like `2024-05-01T12:00:00Z`, or let Helm write the file")
                .level(Level::Semantic)
        }));
        Err((format!("error unmarshaling JSON: while decoding JSON: {go_text}"), diagnostics))
    }

    /// Go's text for a whole document that does not fit.
    pub(crate) fn text_of_mismatch(node: NodeRef<'_>, go_type: &str) -> String {
        let mut decoder = Decoder::new("", Unknown::Ignored);
        decoder.mismatch(node, go_type.to_owned());
        decoder.into_result().err().map(|(text, _)| text).unwrap_or_default()
    }

    /// Stops decoding with an error text.
    pub(crate) fn stop(&mut self, text: String, span: Span) {
        self.stopped.get_or_insert((text, span));
    }

    /// Notes that a node does not fit.
    pub(crate) fn mismatch(&mut self, node: NodeRef<'_>, go_type: String) {
        let found = match node.kind() {
            NodeKind::Sequence { .. } => "array",
            NodeKind::Mapping { .. } | NodeKind::Alias(_) => "object",
            NodeKind::Scalar { value, .. } => match value {
                ScalarValue::Null => return,
                ScalarValue::Bool(_) => "bool",
                ScalarValue::Int(_) | ScalarValue::UInt(_) | ScalarValue::Float(_) => "number",
                ScalarValue::String => "string",
            },
        };
        let (record, path) = (self.record, self.path.join("."));
        self.failures.push(Failure::Mismatch(Mismatch { found, record, path, go_type, span: node.span() }));
    }
}

impl Failure {
    fn go_text(&self) -> String {
        match self {
            Failure::Mismatch(mismatch) => mismatch.go_text(),
            Failure::Unknown { key, .. } => format!("json: unknown field {}", quote(key)),
        }
    }

    fn to_diagnostic(&self) -> Diagnostic {
        match self {
            Failure::Mismatch(mismatch) => mismatch.to_diagnostic(),
            Failure::Unknown { key, span } => {
                Diagnostic::new(&WRONG_TYPE, *span, format!("`{key}` is not a field of this file"))
                    .level(Level::Semantic)
            }
        }
    }
}

impl Mismatch {
    fn go_text(&self) -> String {
        let mut text = format!("json: cannot unmarshal {} into Go ", self.found);
        // Writing to a string cannot fail.
        let _ = match self.record {
            "" => write!(text, "value of type {}", self.go_type),
            record => write!(text, "struct field {record}.{} of type {}", self.path, self.go_type),
        };
        text
    }

    fn to_diagnostic(&self) -> Diagnostic {
        let wanted = match self.go_type.as_str() {
            "string" => "a string",
            "bool" => "`true` or `false`",
            "[]string" => "a list of texts",
            "map[string]string" => "a map of texts",
            "[]interface {}" => "a list",
            list if list.starts_with("[]") => "a list of maps",
            _ => "a map",
        };
        let found = match self.found {
            "array" => "a list",
            "object" => "a map",
            "bool" => "`true` or `false`",
            "number" => "a number",
            _ => "a string",
        };
        let what = if self.path.is_empty() { "the file".to_owned() } else { format!("`{}`", self.path) };
        Diagnostic::new(&WRONG_TYPE, self.span, format!("{what} must be {wanted}"))
            .label(format!("this is {found}"))
            .level(Level::Semantic)
    }
}

impl Target for String {
    fn set(&mut self, node: NodeRef<'_>, decoder: &mut Decoder) {
        match node.scalar() {
            Some(ScalarValue::Null) => {}
            Some(ScalarValue::String) => *self = node.text().unwrap_or_default().to_owned(),
            Some(ScalarValue::Bool(value)) => *self = value.to_string(),
            Some(ScalarValue::Int(value)) => *self = value.to_string(),
            Some(ScalarValue::UInt(value)) => *self = value.to_string(),
            Some(ScalarValue::Float(value)) => *self = number::general_of_single(value),
            None => decoder.mismatch(node, self.go_type("")),
        }
    }

    fn go_type(&self, _package: &str) -> String {
        "string".to_owned()
    }

    fn fresh() -> Self {
        String::new()
    }
}

impl Target for bool {
    fn set(&mut self, node: NodeRef<'_>, decoder: &mut Decoder) {
        match node.scalar() {
            Some(ScalarValue::Bool(value)) => *self = value,
            _ => decoder.mismatch(node, self.go_type("")),
        }
    }

    fn go_type(&self, _package: &str) -> String {
        "bool".to_owned()
    }

    fn fresh() -> Self {
        false
    }
}

/// An `interface {}`.
impl Target for Value {
    fn set(&mut self, node: NodeRef<'_>, _decoder: &mut Decoder) {
        *self = json_value(node, Shift::NONE);
    }

    fn go_type(&self, _package: &str) -> String {
        "interface {}".to_owned()
    }

    fn fresh() -> Self {
        Value::new(trueline_yaml::Data::Null)
    }
}

/// A slice: entries are laid over those that are there.
impl<T: Target> Target for Vec<T> {
    fn set(&mut self, node: NodeRef<'_>, decoder: &mut Decoder) {
        if node.is_null() {
            self.clear();
            return;
        }
        let Some(items) = node.items() else {
            return decoder.mismatch(node, self.go_type(decoder.package));
        };
        let mut count = 0;
        for item in items {
            if self.len() <= count {
                self.push(T::fresh());
            }
            if let Some(element) = self.get_mut(count) {
                element.set(item, decoder);
            }
            count += 1;
        }
        self.truncate(count);
    }

    fn go_type(&self, package: &str) -> String {
        format!("[]{}", T::fresh().go_type(package))
    }

    fn fresh() -> Self {
        Vec::new()
    }
}

/// A pointer: null takes away what was there.
impl<T: Target> Target for Option<T> {
    fn set(&mut self, node: NodeRef<'_>, decoder: &mut Decoder) {
        if node.is_null() {
            *self = None;
        } else {
            self.get_or_insert_with(T::fresh).set(node, decoder);
        }
    }

    fn go_type(&self, package: &str) -> String {
        format!("*{}", T::fresh().go_type(package))
    }

    fn fresh() -> Self {
        None
    }
}

/// A map of strings: entries are added to those that are there.
impl Target for BTreeMap<String, String> {
    fn set(&mut self, node: NodeRef<'_>, decoder: &mut Decoder) {
        if node.is_null() {
            self.clear();
            return;
        }
        let Some(entries) = node.entries() else {
            return decoder.mismatch(node, self.go_type(""));
        };
        for (key, node) in sorted(entries) {
            let mut value = String::new();
            value.set(node, decoder);
            self.insert(key.into_owned(), value);
        }
    }

    fn go_type(&self, _package: &str) -> String {
        "map[string]string".to_owned()
    }

    fn fresh() -> Self {
        BTreeMap::new()
    }
}

impl<T: Record> Target for T {
    fn set(&mut self, node: NodeRef<'_>, decoder: &mut Decoder) {
        if node.is_null() {
            return;
        }
        let Some(entries) = node.entries() else {
            return decoder.mismatch(node, self.go_type(decoder.package));
        };
        self.placed(node);
        for (key, value) in sorted(entries) {
            let Some(name) = field_name(T::FIELDS, &key) else {
                if decoder.unknown == Unknown::Refused {
                    decoder.failures.push(Failure::Unknown { key: key.into_owned(), span: value.span() });
                }
                continue;
            };
            let Some(field) = self.field(name) else { continue };
            let record = std::mem::replace(&mut decoder.record, T::NAME);
            decoder.path.push(name);
            field.set(value, decoder);
            decoder.path.pop();
            decoder.record = record;
            if decoder.stopped.is_some() {
                return;
            }
        }
    }

    fn go_type(&self, package: &str) -> String {
        format!("{package}.{}", T::NAME)
    }

    fn fresh() -> Self {
        T::default()
    }
}

/// Entries in the order in which Go meets them: between YAML and the types there is a JSON text, whose keys
/// are sorted.
pub(crate) fn sorted(entries: MappingEntries<'_>) -> Vec<(Cow<'_, str>, NodeRef<'_>)> {
    let mut entries: Vec<_> = entries.map(|(key, value)| (key.key_text(), value)).collect();
    entries.sort_by(|one, two| one.0.cmp(&two.0));
    entries
}

/// The field that a key stands for: of the same name, or of the same name in another case.
pub(crate) fn field_name(fields: &'static [&'static str], key: &str) -> Option<&'static str> {
    let exact = fields.iter().find(|field| **field == key);
    exact.or_else(|| fields.iter().find(|field| same_in_any_case(field, key))).copied()
}

/// Whether a key is an ASCII name in another case, by Unicode's simple folding.
pub(crate) fn same_in_any_case(name: &str, key: &str) -> bool {
    let fold = |character: char| match character {
        'ſ' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    name.chars().map(fold).eq(key.chars().map(fold))
}

//! Files of values: YAML into a map, with floats for numbers, as Go has them after JSON.

use std::ops::Range;
use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Level};
use trueline_source::{SourceId, SourceMap, Span};
use trueline_yaml::{Data, Map, MapEntry, NodeKind, NodeRef, ScalarValue, Value};

use super::decode::Decoder;
use super::{Compat, LoadFailure, VALUES_NOT_MAP, VALUES_SEPARATOR};
use crate::go_yaml::{self, Broken};

/// A file of values: always a map. `bytes` are those of the source, which may not be UTF-8.
///
/// Helm 4 cuts the text at lines that begin with `---` and merges the parts in order; Helm 3 reads the first
/// document only. The failure's text has no words about the file before it.
pub fn read_values(
    source: SourceId,
    bytes: &[u8],
    sources: &SourceMap,
    compat: Compat,
) -> Result<Value, LoadFailure> {
    let text = Arc::clone(sources.get(source).text());
    let broken = go_yaml::broken(bytes);
    if compat == Compat::Helm3 {
        let values = read_part(source, &text, Shift::NONE, broken)?;
        return Ok(values.unwrap_or_else(empty));
    }
    let mut values: Option<Value> = None;
    let mut rest = Parts::new(&text);
    while let Some(range) = rest.next().map_err(|bad| bad.into_failure(source))? {
        let part = if range == (0..text.len()) && text.ends_with('\n') {
            Arc::clone(&text)
        } else {
            // Every line that Helm 4 reads ends with a line break, also the last one.
            let part = text.get(range.clone()).unwrap_or_default();
            if part.ends_with('\n') { Arc::from(part) } else { Arc::from(format!("{part}\n")) }
        };
        let broken = broken.filter(|broken| range.contains(&broken.offset));
        let broken = broken.map(|broken| Broken { offset: broken.offset - range.start, ..broken });
        let next = read_part(source, &part, Shift { by: range.start, end: text.len() }, broken)
            .map_err(|failure| failure.within("cannot unmarshal yaml document"))?;
        values = match (values, next) {
            (Some(values), Some(next)) => Some(merge(values, &next)),
            (values, next) => values.or(next),
        };
    }
    Ok(values.unwrap_or_else(empty))
}

fn empty() -> Value {
    Value::new(Data::Map(Arc::default()))
}

/// The parts of a file between lines that begin with `---`.
pub(crate) struct Parts<'a> {
    text: &'a str,
    offset: usize,
}

/// Something that stands on the line of a `---`.
#[derive(Debug)]
pub(crate) struct BadSeparator {
    behind: String,
    place: Range<usize>,
}

impl BadSeparator {
    /// Helm's words for it.
    pub(crate) fn text(&self) -> String {
        format!("invalid Yaml document separator: {}", self.behind)
    }

    fn into_failure(self, source: SourceId) -> LoadFailure {
        let place = source.span(self.place.start, self.place.end);
        let finding = Diagnostic::new(&VALUES_SEPARATOR, place, "something stands after `---`")
            .help("put it on a line of its own, or indent the line if it belongs to a string")
            .level(Level::Parse);
        LoadFailure::new(format!("error reading yaml document: {}", self.text()), vec![finding])
    }
}

impl<'a> Parts<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Parts { text, offset: 0 }
    }

    pub(crate) fn next(&mut self) -> Result<Option<Range<usize>>, BadSeparator> {
        let start = self.offset;
        let text = self.text.as_bytes();
        while let Some(here) = separator(text, self.offset) {
            let rest = self.text.get(here..).unwrap_or_default();
            let line =
                memchr::memchr(b'\n', rest.as_bytes()).and_then(|end| rest.get(..=end)).unwrap_or(rest);
            self.offset = here + line.len();
            let behind = line.get(SEPARATOR.len()..).unwrap_or_default().trim();
            if !behind.is_empty() && !behind.starts_with('#') {
                let place = here..here + line.trim_end().len();
                return Err(BadSeparator { behind: behind.to_owned(), place });
            }
            // A marker with nothing before it belongs to the part that it begins.
            if here > start {
                return Ok(Some(start..here));
            }
        }
        self.offset = text.len();
        Ok((self.offset > start).then_some(start..self.offset))
    }
}

const SEPARATOR: &[u8] = b"---";

/// Where the next line begins with three dashes; `from` is the beginning of a line.
fn separator(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    if rest.starts_with(SEPARATOR) {
        return Some(from);
    }
    memchr::memmem::find(rest, b"\n---").map(|found| from + found + 1)
}

/// From places in a part to places in the text that it was cut from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shift {
    /// Where the part begins.
    by: usize,
    /// Where the text ends: the part may have a line break more.
    end: usize,
}

impl Shift {
    /// The part is the text.
    pub(super) const NONE: Shift = Shift { by: 0, end: usize::MAX };

    fn span(self, span: Span) -> Span {
        let moved = |offset: u32| (offset as usize).saturating_add(self.by).min(self.end);
        Span::new(span.source, moved(span.start), moved(span.end))
    }

    fn finding(self, mut finding: Diagnostic) -> Diagnostic {
        finding.primary.span = self.span(finding.primary.span);
        for label in &mut finding.related {
            label.span = self.span(label.span);
        }
        finding
    }
}

/// One part; nothing where it is empty.
fn read_part(
    source: SourceId,
    text: &Arc<str>,
    shift: Shift,
    broken: Option<Broken>,
) -> Result<Option<Value>, LoadFailure> {
    let document = go_yaml::first_written(source, text, broken).map_err(|error| {
        let diagnostics = error.diagnostics.into_iter().map(|finding| shift.finding(finding)).collect();
        LoadFailure::new(format!("error converting YAML to JSON: {}", error.go_text), diagnostics)
    })?;
    let Some(document) = document else { return Ok(None) };
    let root = document.root();
    if root.is_null() {
        return Ok(None);
    }
    let value = json_value(root, shift);
    if matches!(value.data, Data::Map(_)) {
        return Ok(Some(value));
    }
    let place = value.origin.unwrap_or_else(|| Span::whole(source));
    let found = match value.data {
        Data::List(_) => "a list",
        Data::String(_) => "a string",
        Data::Bool(_) => "`true` or `false`",
        _ => "a number",
    };
    let finding =
        Diagnostic::new(&VALUES_NOT_MAP, place.at_start(), format!("values must be a map, not {found}"))
            .help("write `key: value` on each line")
            .level(Level::Semantic);
    let text = Decoder::text_of_mismatch(root, "map[string]interface {}");
    Err(LoadFailure::new(text, vec![finding]))
}

/// The value of a node as Go has it after JSON: every number a float.
pub(super) fn json_value(node: NodeRef<'_>, shift: Shift) -> Value {
    let data = match node.kind() {
        NodeKind::Scalar { value, .. } => match value {
            ScalarValue::Null => Data::Null,
            ScalarValue::Bool(value) => Data::Bool(value),
            ScalarValue::Int(value) => Data::Float(value as f64),
            ScalarValue::UInt(value) => Data::Float(value as f64),
            ScalarValue::Float(value) => Data::Float(value),
            ScalarValue::String => Data::String(node.text().unwrap_or_default().into()),
        },
        NodeKind::Sequence { .. } => Data::List(Arc::new(
            node.items().into_iter().flatten().map(|item| json_value(item, shift)).collect(),
        )),
        // `kind` looks through aliases.
        NodeKind::Mapping { .. } | NodeKind::Alias(_) => {
            let entries = node.entries().into_iter().flatten().map(|(key, value)| {
                let key_origin = Some(shift.span(key.span()));
                (Arc::from(key.key_text()), MapEntry { key_origin, value: json_value(value, shift) })
            });
            Data::Map(Arc::new(entries.collect()))
        }
    };
    Value { data, origin: Some(shift.span(node.span())) }
}

/// The later of two documents over the earlier one: maps are merged, everything else is replaced.
fn merge(earlier: Value, later: &Value) -> Value {
    let (Data::Map(mut map), Data::Map(over)) = (earlier.data, &later.data) else { return later.clone() };
    let entries: &mut Map = Arc::make_mut(&mut map);
    for (key, entry) in over.iter() {
        match entries.get_mut(key) {
            Some(MapEntry { value, .. })
                if matches!(value.data, Data::Map(_)) && matches!(entry.value.data, Data::Map(_)) =>
            {
                let before = std::mem::replace(value, Value::new(Data::Null));
                *value = merge(before, &entry.value);
            }
            Some(place) => *place = entry.clone(),
            None => _ = entries.insert(Arc::clone(key), entry.clone()),
        }
    }
    Value { data: Data::Map(map), origin: earlier.origin }
}

//! What was found in templates, used again after an edit: it depends on the templates without their plain text, on what Helm
//! reads of the charts, and on very little of the values, each piece of which is noted.

use std::sync::Arc;

use trueline_gotemplate::Text;
use trueline_gotemplate::node::{List, Node, Nodes, TemplatePlace};
use trueline_source::{SourceId, Span};
use trueline_yaml::{Data, Value};

use super::TemplateReads;
use super::calls::texts_at;
use super::interpreter::Interpreter;
use super::paths::{Step, follow};
use crate::chart::{Chart, Dependency, File};
use crate::dependencies::Import;
use crate::edit::{Edit, Edits};
use crate::engine::Texts;

/// What was found in the templates of a chart, with what was asked for it.
#[derive(Debug)]
pub struct Earlier {
    chart: Chart,
    texts: Arc<Texts>,
    /// Nothing if there was too much to look through.
    found: Option<TemplateReads>,
    asked: Arc<Asked>,
}

impl Earlier {
    /// The values that are read inside of a place, each by its keys. Of a value that is read in very many places not all
    /// places are known.
    pub fn values_read_in(&self, place: Span) -> Vec<Vec<String>> {
        let Some(found) = &self.found else { return Vec::new() };
        let keys = found.paths.read_in(place);
        keys.into_iter().map(|keys| keys.iter().map(ToString::to_string).collect()).collect()
    }
}

/// What was asked of the values.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The texts at a place that may be templates.
    texts: Vec<(Vec<Step>, Vec<Arc<str>>)>,
    /// Whether there is a map with something in it.
    filled_maps: Vec<(Vec<Step>, bool)>,
}

impl Asked {
    /// Whether other values give the same answers.
    fn holds(&self, values: &Value) -> bool {
        self.filled_maps.iter().all(|(steps, is_filled)| is_filled_map(values, steps) == *is_filled)
            && self.texts.iter().all(|(steps, texts)| texts_at(values, steps) == *texts)
    }
}

impl Interpreter<'_> {
    /// What was asked of the values so far.
    pub(super) fn asked(&self) -> Asked {
        let texts = self.texts_at.iter().map(|(path, texts)| (self.paths.steps(*path), texts.to_vec()));
        let maps = self.filled_maps.borrow();
        let filled_maps = maps.iter().map(|(path, is_filled)| (self.paths.steps(*path), *is_filled));
        Asked { texts: texts.collect(), filled_maps: filled_maps.collect() }
    }
}

/// Whether the only value at the end of steps is a map with something in it.
pub(super) fn is_filled_map(values: &Value, steps: &[Step]) -> bool {
    let mut found = Vec::new();
    follow(values, steps, &mut found);
    matches!(found.as_slice(), [one] if matches!(&one.data, Data::Map(map) if !map.is_empty()))
}

impl Earlier {
    pub(super) fn new(chart: Chart, texts: Arc<Texts>, found: Option<TemplateReads>, asked: Asked) -> Self {
        Earlier { chart, texts, found, asked: Arc::new(asked) }
    }

    /// Whether there is something in it that can be used again.
    pub fn is_of_use(&self) -> bool {
        self.found.is_some()
    }

    pub(super) fn found(&self) -> Option<&TemplateReads> {
        self.found.as_ref()
    }

    /// The same for what the chart is now, if nothing counts that has changed.
    pub(super) fn renewed(&self, chart: &Chart, texts: &Arc<Texts>, values: &Value) -> Option<Self> {
        let found = self.found.as_ref()?;
        let moves = moves(&self.texts, texts)?;
        if !is_same_to_helm(&self.chart, chart) || !self.asked.holds(values) {
            return None;
        }
        Some(Earlier {
            chart: chart.clone(),
            texts: Arc::clone(texts),
            found: Some(moved(found, &moves)?),
            asked: Arc::clone(&self.asked),
        })
    }
}

/// Whether Helm reads the same of two charts, other than of their values and templates.
fn is_same_to_helm(one: &Chart, other: &Chart) -> bool {
    let is_same_file = |(one, other): (&File, &File)| one.name == other.name && one.data == other.data;
    let schemas = (one.schema.as_ref(), other.schema.as_ref());
    let (entries, other_entries) = (&one.metadata.dependencies, &other.metadata.dependencies);
    one.metadata.name == other.metadata.name
        && one.metadata.kind == other.metadata.kind
        && one.path == other.path
        && schemas.0.map(|file| &file.data) == schemas.1.map(|file| &file.data)
        && one.files.len() == other.files.len()
        && one.files.iter().zip(other.files.iter()).all(is_same_file)
        && entries.len() == other_entries.len()
        && entries.iter().zip(other_entries).all(|(one, other)| is_same_entry(one, other))
        && one.dependencies.len() == other.dependencies.len()
        && one.dependencies.iter().zip(&other.dependencies).all(|(one, other)| is_same_to_helm(one, other))
}

fn is_same_entry(one: &Dependency, other: &Dependency) -> bool {
    let imports = |entry: &Dependency| -> Vec<Option<(String, String)>> {
        let read = |value| Import::read(value).map(|import| (import.child, import.parent));
        entry.import_values.iter().map(read).collect()
    };
    (&one.name, &one.alias, &one.condition, &one.tags)
        == (&other.name, &other.alias, &other.condition, &other.tags)
        && imports(one) == imports(other)
}

/// How templates have moved; nothing if something other than plain text has changed.
fn moves(earlier: &Texts, now: &Texts) -> Option<Edits> {
    let mut moves = Vec::new();
    for pair in earlier.pairs(now)? {
        let (Some(source), (Some(before), Some(after))) = (pair.source, pair.texts) else { return None };
        moves.push(change(pair.bytes.0, pair.bytes.1, (before, after), source)?);
    }
    Some(Edits(moves))
}

/// A change that only concerns one piece of plain text.
fn change(before: &[u8], after: &[u8], texts: (&Text, &Text), source: SourceId) -> Option<Edit> {
    let edit = Edit::between(source, before, after)?;
    let Edit { start, end, now, .. } = edit;
    let around = piece(texts.0, start, end)?;
    let around_now = piece(texts.1, start, now)?;
    // Text that is there prints something, whatever it is.
    let is_there = |place: TemplatePlace| place.start < place.end;
    // A definition without anything in it replaces no other one.
    let are_as_empty = texts.0.trees().len() == texts.1.trees().len()
        && texts.0.trees().iter().zip(texts.1.trees()).all(|(one, other)| one.is_empty() == other.is_empty());
    let is_same_piece = around.start == around_now.start
        && i64::from(around.end) - i64::from(end) == i64::from(around_now.end) - i64::from(now)
        && is_there(around)
        && is_there(around_now)
        && are_as_empty;
    is_same_piece.then_some(edit)
}

/// The piece of plain text that holds a range.
fn piece(text: &Text, start: u32, end: u32) -> Option<TemplatePlace> {
    text.trees().iter().find_map(|tree| piece_of_list(&tree.nodes, &tree.root, start, end))
}

fn piece_of_list(nodes: &Nodes, list: &List, start: u32, end: u32) -> Option<TemplatePlace> {
    list.nodes(nodes).iter().find_map(|node| match node {
        Node::Text(place) => (place.start <= start && end <= place.end).then_some(*place),
        Node::Branch(branch) => {
            let branch = nodes.branch(*branch);
            let otherwise = branch.otherwise.as_ref();
            piece_of_list(nodes, &branch.list, start, end)
                .or_else(|| otherwise.and_then(|list| piece_of_list(nodes, list, start, end)))
        }
        _ => None,
    })
}

/// What was found, at the places where it is now.
fn moved(found: &TemplateReads, edits: &Edits) -> Option<TemplateReads> {
    let mut found = found.clone();
    if edits.is_empty() {
        return Some(found);
    }
    let is_apart = std::cell::Cell::new(true);
    let to = |span: Span| {
        edits.moved(span).unwrap_or_else(|| {
            is_apart.set(false);
            span
        })
    };
    Arc::make_mut(&mut found.paths).move_reads(to);
    Arc::make_mut(&mut found.reads).iter_mut().for_each(|read| read.span = to(read.span));
    Arc::make_mut(&mut found.unknown_fields).iter_mut().for_each(|field| field.span = to(field.span));
    is_apart.get().then_some(found)
}

#[cfg(test)]
mod tests {
    use trueline_gotemplate::{Delimiters, Functions, Reader};

    use super::*;

    #[test]
    fn only_changes_of_plain_text_move_what_was_found() {
        for (before, after, moves) in [
            ("a {{ .b }} c", "aa {{ .b }} c", Some((1, 2))),
            ("a: {{ .b }} c {{ .d }}", "a: {{ .b }} cd {{ .d }}", Some((13, 14))),
            ("a: {{ .b }} c {{ .d }}", "a: {{ .b }} {{ .d }}", Some((14, 12))),
            ("a: {{ .b }} {{ .d }}", "a: {{ .b }}x {{ .d }}", Some((11, 12))),
            ("a: {{ .b }}{{ .d }}", "a: {{ .b }}x{{ .d }}", None),
            ("{{ if .a }}x{{ else }}y{{ end }}", "{{ if .a }}x{{ else }}yz{{ end }}", Some((23, 24))),
            ("{{ define \"x\" }} b{{ end }}", "{{ define \"x\" }} b1{{ end }}", Some((18, 19))),
            ("{{ define \"x\" }} b{{ end }}", "{{ define \"x\" }}  {{ end }}", None),
            ("a {{ .b }} c", "a {{ .c }} c", None),
            ("a {{ .b }} c", "a {{ .b }}{{ .b }} c", None),
            ("a { .b }} c", "a {{ .b }} c", None),
            ("a {{- .b }}", "a  {{- .b }}", None),
            ("{{ `}} a` }}", "{{ `}} ab` }}", None),
            ("a {{/* b */}} c", "a {{/* c */}} c", None),
        ] {
            let read = |text: &str| {
                let mut reader = Reader::new(Arc::new(Functions::builtin()));
                reader.read("t", &text.as_bytes().into(), None, Delimiters::default()).unwrap()
            };
            let (source, texts) = (SourceId::from_index(0), (&read(before), &read(after)));
            let found = change(before.as_bytes(), after.as_bytes(), texts, source);
            assert_eq!(found.map(|found| (found.end, found.now)), moves, "{before} -> {after}");
        }
    }
}

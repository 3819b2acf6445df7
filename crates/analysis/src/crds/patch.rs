//! Changes to the text of an object, line by line: what did not change keeps every sign of its own.

use std::ops::Range;
use std::sync::Arc;

use trueline_source::{SourceId, Span};
use trueline_yaml::{Data, Dialect, Draft, Limits, Map, ReadOptions, Value};

use super::kept::{DEEPEST, adapt};

/// The text of an object that became something else. Nothing where lines alone do not say it: whoever asks looks whether
/// the text that comes of it is the object that was wanted.
pub(super) fn patched(typed: &str, after: &Value) -> Option<String> {
    let text: Arc<str> = typed.into();
    let stream = trueline_yaml::read(SourceId::from_index(0), &text, &ReadOptions::default());
    let [document] = stream.documents.as_slice() else { return None };
    let before = Value::from_node(document.root());
    let mut patch = Patch { text: typed, edits: Vec::new() };
    patch.value(&before, after, 0)?;
    patch.edits.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut result, mut done) = (String::new(), 0);
    for (range, replacement) in &patch.edits {
        result.push_str(typed.get(done..range.start)?);
        result.push_str(replacement);
        done = range.end;
    }
    result.push_str(typed.get(done..)?);
    Some(result)
}

struct Patch<'t> {
    text: &'t str,
    edits: Vec<(Range<usize>, String)>,
}

impl Patch<'_> {
    fn value(&mut self, before: &Value, after: &Value, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        if before == after {
            return Some(());
        }
        let range = before.origin?.range();
        let is_in_brackets = self.text.get(range.clone())?.starts_with(['{', '[']);
        match (&before.data, &after.data) {
            (Data::Map(_) | Data::List(_), _) if is_in_brackets && depth > 0 => {
                self.brackets(range, before, after)
            }
            (Data::Map(old), Data::Map(new)) if !is_in_brackets => self.map(old, new, depth),
            (Data::List(old), Data::List(new)) if !is_in_brackets && old.len() == new.len() => {
                old.iter().zip(new.iter()).try_for_each(|(old, new)| self.value(old, new, depth + 1))
            }
            (Data::Map(_) | Data::List(_), _) | (_, Data::Map(_) | Data::List(_)) => None,
            // A value that is not there has no text to be replaced.
            _ if range.is_empty() => None,
            _ => {
                let text = trueline_yaml::marshal(after, Dialect::Sigs).ok()?;
                let text = text.trim_end();
                (!text.contains('\n')).then(|| self.edits.push((range, text.to_owned())))
            }
        }
    }

    /// What stands in brackets is written anew, as long as it is a single line.
    fn brackets(&mut self, range: Range<usize>, before: &Value, after: &Value) -> Option<()> {
        let typed = self.text.get(range.clone())?;
        let mut draft = Draft::read(typed, &Limits::default()).ok()??;
        adapt(&mut draft.root, before, after, 0)?;
        let text = trueline_yaml::write_drafts([(&draft, trueline_yaml::Dashes::UnderKey)]);
        let text = text.trim_end();
        let is_one_line = !typed.contains('\n') && !text.contains('\n');
        is_one_line.then(|| self.edits.push((range, text.to_owned())))
    }

    fn map(&mut self, old: &Map, new: &Map, depth: usize) -> Option<()> {
        let is_kept = |key: &Arc<str>| new.contains_key(key);
        // An empty map has to be written as one.
        old.keys().find(|key| is_kept(key))?;
        let mut end = 0;
        for (index, (key, entry)) in old.iter().enumerate() {
            let lines = self.lines(entry.key_origin?, entry.value.origin)?;
            end = end.max(lines.end);
            match new.get(key) {
                Some(after) => self.value(&entry.value, &after.value, depth + 1)?,
                None => {
                    // The first line of a file is about all of it.
                    let start =
                        if index == 0 && depth == 0 { lines.start } else { self.with_comments(lines.start) };
                    self.indentation(entry.key_origin?)?;
                    self.edits.push((start..lines.end, String::new()));
                }
            }
        }
        let added: Value = new
            .iter()
            .filter(|(key, _)| !old.contains_key(*key))
            .map(|(key, entry)| (Arc::clone(key), entry.value.clone()))
            .collect();
        if matches!(&added.data, Data::Map(added) if !added.is_empty()) {
            let (_, first) = old.first()?;
            let column =
                self.text.get(self.line_start(first.key_origin?)..first.key_origin?.range().start)?;
            let indentation = " ".repeat(column.chars().count());
            let text = trueline_yaml::marshal(&added, Dialect::Sigs).ok()?;
            let text: String = text.lines().map(|line| format!("{indentation}{line}\n")).collect();
            self.edits.push((end..end, text));
        }
        Some(())
    }

    /// The lines that a key and its value stand in.
    fn lines(&self, key: Span, value: Option<Span>) -> Option<Range<usize>> {
        let start = self.line_start(key);
        let end = value.map_or(key.range().end, |value| value.range().end).max(key.range().end);
        let last = start + self.text.get(start..end)?.trim_end().len();
        let rest = self.text.get(last..)?;
        Some(start..rest.find('\n').map_or(self.text.len(), |at| last + at + 1))
    }

    fn line_start(&self, place: Span) -> usize {
        let before = self.text.get(..place.range().start).unwrap_or_default();
        before.rfind('\n').map_or(0, |at| at + 1)
    }

    /// How far in a key stands that begins its line.
    fn indentation(&self, key: Span) -> Option<usize> {
        let before = self.text.get(self.line_start(key)..key.range().start)?;
        before.bytes().all(|byte| byte == b' ').then_some(before.len())
    }

    /// Where the comment begins that stands right above a line.
    fn with_comments(&self, start: usize) -> usize {
        let mut begin = start;
        while let Some(above) = self.text.get(..begin.saturating_sub(1)).filter(|_| begin > 0) {
            let line_start = above.rfind('\n').map_or(0, |at| at + 1);
            if !above.get(line_start..).is_some_and(|line| line.trim_start().starts_with('#')) {
                break;
            }
            begin = line_start;
        }
        begin
    }
}

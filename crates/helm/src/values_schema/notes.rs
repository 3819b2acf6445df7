//! What the comments of values.yaml say about its keys: descriptions, types, defaults, sections, annotations.
//!
//! Four ways of writing are understood: a plain comment above a key or at the end of its line; `# -- text`, also
//! with a type in parentheses and lines such as `# @default -- text` after it; `# path.to.key -- text` and
//! `## @param path.to.key [type] text`, which may stand anywhere; and the annotations of [`super::annotation`].

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_diagnostic::Diagnostic;
use trueline_schema::Draft;
use trueline_source::{SourceId, SourceMap, Span};
use trueline_yaml::{Data, Value};

use super::annotation::{Annotation, Mark, check, mark, read_block, read_list, wrong};
use super::comments::{Around, Comments, Line, comments};
use super::prose::description;

/// What comments say about one key.
#[derive(Debug, Clone, Default)]
pub(super) struct Note {
    pub(super) description: Option<String>,
    /// Whether the description is marked as one, and not just a comment.
    pub(super) is_marked: bool,
    /// The type, in the words of the comment.
    pub(super) kind: Option<String>,
    /// What to say in place of the default.
    pub(super) default: Option<String>,
    /// The part of the documentation that it belongs to.
    pub(super) section: Option<String>,
    /// The documentation does not speak of it.
    pub(super) ignored: bool,
    pub(super) annotation: Annotation,
}

/// The notes of a file of values.
#[derive(Debug, Default)]
pub(super) struct Notes {
    source: Option<SourceId>,
    by_key: FxHashMap<u32, Rc<Note>>,
    by_path: FxHashMap<String, Rc<Note>>,
    /// What annotations say about the values as a whole.
    pub(super) root: Annotation,
    /// What is wrong with annotations.
    pub(super) findings: Vec<Diagnostic>,
}

impl Notes {
    /// The notes in a file; `values` are those that it holds.
    pub(super) fn read(source: SourceId, sources: &SourceMap, values: &Value, draft: Draft) -> Self {
        let text: Arc<str> = Arc::clone(sources.get(source).text());
        let found = comments(source, &text);
        let mut notes = Notes { source: Some(source), ..Notes::default() };
        notes.read_paths(&found, values);
        for (key, around) in &found.by_key {
            let note = notes.note(around);
            if let Some(finding) = check(&note.annotation, draft) {
                notes.findings.push(*finding);
            }
            notes.by_key.insert(*key, Rc::new(note));
        }
        notes.read_root(&found);
        notes.findings.extend(check(&notes.root, draft).map(|finding| *finding));
        notes.findings.sort_by_key(|finding| finding.primary.span);
        notes
    }

    /// The note of a key. What was said under its path counts where nothing was said beside the key.
    pub(super) fn of(&self, key: Option<Span>, path: &str) -> Option<Rc<Note>> {
        let by_key =
            key.filter(|key| Some(key.source) == self.source).and_then(|key| self.by_key.get(&key.start));
        let by_path = self.by_path.get(path);
        match (by_key, by_path) {
            (Some(note), Some(said)) => {
                let mut note = Note::clone(note);
                note.description = said.description.clone().or(note.description);
                note.is_marked |= said.is_marked;
                note.kind = note.kind.or_else(|| said.kind.clone());
                note.default = note.default.or_else(|| said.default.clone());
                Some(Rc::new(note))
            }
            (note, said) => note.or(said).cloned(),
        }
    }

    /// A description of a key that stands under its path, wherever that is.
    fn read_paths(&mut self, comments: &Comments<'_>, values: &Value) {
        for (index, line) in comments.lines.iter().enumerate() {
            let text = line.text.trim();
            let (path, note) = if let Some(said) = text.strip_prefix("@param ") {
                param(said)
            } else {
                let Some((path, said)) = text.split_once(" -- ") else { continue };
                if path.starts_with('@') || path.contains(char::is_whitespace) {
                    continue;
                }
                let mut lines = vec![said];
                let below = comments.lines.iter().skip(index + 1).zip(index..);
                for (next, _) in below.take_while(|(next, at)| {
                    comments.lines.get(*at).is_some_and(|before| next.follows(before))
                }) {
                    let text = next.text.trim();
                    if text.contains(" -- ") || text.starts_with("--") || text.starts_with('@') {
                        break;
                    }
                    lines.push(next.text);
                }
                (path, Note { is_marked: true, ..documented(&lines) })
            };
            if leads_somewhere(values, path) {
                self.by_path.entry(path.to_owned()).or_insert_with(|| Rc::new(note));
            }
        }
    }

    fn note(&mut self, around: &Around<'_>) -> Note {
        let mut annotation = Annotation::default();
        let rest = self.annotations(&around.above, &mut annotation);
        let plain: Vec<&str> = rest.iter().map(|line| line.text).collect();
        let mut note = documented(&plain);
        for line in around.beside.iter().chain(&around.below) {
            if let Mark::List(list) = mark(line) {
                self.take(read_list(line, list, &mut annotation));
            }
        }
        if let Some(beside) = around.beside.filter(|_| note.description.is_none()) {
            let said = beside.text.trim_start().strip_prefix("-- ").unwrap_or(beside.text);
            note.description = description([said]);
        }
        Note { annotation, ..note }
    }

    /// Reads the annotations among lines, and gives back the other lines.
    fn annotations<'t>(&mut self, lines: &[Line<'t>], annotation: &mut Annotation) -> Vec<Line<'t>> {
        let mut rest = Vec::new();
        let mut block: Option<(Mark<'_>, Span, Vec<Line<'_>>)> = None;
        for line in lines {
            let found = mark(line);
            match (&mut block, found) {
                (Some((fence, span, inside)), Mark::Fence | Mark::RootFence) if *fence == found => {
                    if found == Mark::Fence {
                        let read = read_block(inside, *span, annotation);
                        self.take(read);
                    }
                    block = None;
                }
                (Some((_, _, inside)), _) => inside.push(*line),
                (None, Mark::Fence | Mark::RootFence) => block = Some((found, line.span, Vec::new())),
                (None, Mark::List(list)) => self.take(read_list(line, list, annotation)),
                (None, Mark::None) => rest.push(*line),
            }
        }
        if let Some((Mark::Fence, span, _)) = block {
            self.take(Err(wrong(span, "this block has no second line `# @schema` after it".to_owned())));
        }
        rest
    }

    /// Blocks about the values as a whole stand before the first key.
    fn read_root(&mut self, comments: &Comments<'_>) {
        let before = |line: &&Line<'_>| comments.first_key.is_none_or(|key| line.span.start < key);
        let mut lines = comments.lines.iter().take_while(before);
        while let Some(fence) = lines.find(|line| mark(line) == Mark::RootFence) {
            let inside: Vec<Line<'_>> =
                lines.by_ref().take_while(|line| mark(line) != Mark::RootFence).copied().collect();
            let mut root = std::mem::take(&mut self.root);
            self.take(read_block(&inside, fence.span, &mut root));
            self.root = root;
        }
    }

    fn take(&mut self, read: Result<(), Box<Diagnostic>>) {
        self.findings.extend(read.err().map(|finding| *finding));
    }
}

/// The note in lines of comment: from the last line that begins with `--` on, or all of them.
fn documented(lines: &[&str]) -> Note {
    let marked = lines.iter().rposition(|line| begins_description(line));
    let mut note = Note { is_marked: marked.is_some(), ..Note::default() };
    let mut prose: Vec<&str> = Vec::new();
    let from = marked.unwrap_or(0);
    for (index, line) in lines.iter().enumerate() {
        let text = line.trim();
        match text.split_once("--").map(|(name, said)| (name.trim(), said.trim())) {
            Some(("@default", said)) => note.default = Some(said.to_owned()),
            Some(("@section", said)) => note.section = Some(said.to_owned()),
            Some(("@notationType", said)) => note.kind = Some(said.to_owned()),
            _ if matches!(text, "@ignore" | "@ignored" | "@skip") => note.ignored = true,
            _ if index == from && marked.is_some() => {
                let (kind, said) = typed(text.trim_start_matches('-').trim_start());
                note.kind = kind.map(str::to_owned).or(note.kind);
                prose.push(said);
            }
            _ if index >= from => prose.push(line),
            _ => {}
        }
    }
    note.description = description(prose);
    note
}

fn begins_description(line: &str) -> bool {
    let text = line.trim_start();
    text.strip_prefix("--").is_some_and(|rest| rest.starts_with([' ', '(']) || rest.is_empty())
}

/// A type in parentheses, and what follows it.
fn typed(text: &str) -> (Option<&str>, &str) {
    let Some((kind, rest)) = text.strip_prefix('(').and_then(|text| text.split_once(')')) else {
        return (None, text);
    };
    let is_type = |letter: char| letter.is_ascii_alphanumeric() || "_/.-, ".contains(letter);
    match !kind.is_empty() && kind.len() <= 40 && kind.chars().all(is_type) {
        true => (Some(kind), rest.trim_start()),
        false => (None, text),
    }
}

/// `path [modifiers] text`.
fn param(said: &str) -> (&str, Note) {
    let (path, rest) = said.trim().split_once(char::is_whitespace).unwrap_or((said.trim(), ""));
    let rest = rest.trim_start();
    let mut note = Note { is_marked: true, ..Note::default() };
    let modifiers = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let text = match modifiers {
        Some((modifiers, text)) => {
            let mut kinds = Vec::new();
            for modifier in modifiers.split(',').map(str::trim) {
                match modifier.split_once(':') {
                    Some(("default", value)) => note.default = Some(format!("`{}`", value.trim())),
                    Some(_) => {}
                    None if modifier == "nullable" => kinds.push("null"),
                    None => kinds.push(modifier),
                }
            }
            note.kind = (!kinds.is_empty()).then(|| kinds.join(", "));
            text
        }
        None => rest,
    };
    note.description = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    (path, note)
}

/// Whether a path as documentation writes it leads to a value.
fn leads_somewhere(values: &Value, path: &str) -> bool {
    let mut value = values;
    for segment in segments(path) {
        let found = match (&value.data, segment) {
            (Data::Map(map), Segment::Key(key)) => map.get(key).map(|entry| &entry.value),
            (Data::List(items), Segment::Index(index)) => items.get(index),
            _ => None,
        };
        match found {
            Some(found) => value = found,
            None => return false,
        }
    }
    !path.is_empty()
}

enum Segment<'p> {
    Key(&'p str),
    Index(usize),
}

/// The segments of a path such as `a."b.c"[0].d`.
fn segments(path: &str) -> impl Iterator<Item = Segment<'_>> {
    let mut rest = path;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some(quoted) = rest.strip_prefix('"')
            && let Some((key, behind)) = quoted.split_once('"')
        {
            rest = behind.strip_prefix('.').unwrap_or(behind);
            return Some(Segment::Key(key));
        }
        if let Some((index, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
            && let Ok(index) = index.parse()
        {
            rest = behind.strip_prefix('.').unwrap_or(behind);
            return Some(Segment::Index(index));
        }
        let end = rest.find(['.', '[']).filter(|end| *end > 0).unwrap_or(rest.len());
        let (key, behind) = rest.split_at(end);
        rest = behind.strip_prefix('.').unwrap_or(behind);
        Some(Segment::Key(key))
    })
}

/// The path of a key below another path, as documentation writes it.
pub(super) fn below(path: &str, key: &str) -> String {
    let key = if key.contains(['.', ' ', '[', '"']) { format!("\"{key}\"") } else { key.to_owned() };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

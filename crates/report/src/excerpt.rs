//! The excerpts of source text that a finding is shown on.
//!
//! Lines are cut to the width around their marks here, before the snippet renderer sees them: it would
//! count and copy a line of 100 MB several times over, and it would print the control characters that it
//! does not know. What leaves this module is short, clean and has one `\n` between lines.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use trueline_source::{Position, Source, SourceMap};
use unicode_width::UnicodeWidthChar;

use crate::prepared::{Finding, LabelledPlace};
use crate::text;

/// A mark over more lines than this is drawn on its first line only.
const LINES_MARKED: u32 = 5;
/// Marks that are further apart are shown in excerpts of their own.
const LINES_BETWEEN: u32 = 20;
/// Shown in place of the part of a line that was cut off.
const CUT: &str = "...";

/// Some consecutive lines of one source with their marks.
#[derive(Debug)]
pub(crate) struct Excerpt {
    /// The name of the source.
    pub(crate) name: String,
    /// Where the first mark begins, in the source.
    pub(crate) position: Position,
    /// The number of the first line.
    pub(crate) first_line: u32,
    /// Whether the source has text: a file that could not be read has no lines to show.
    pub(crate) empty: bool,
    /// The lines.
    pub(crate) text: String,
    /// The marks, as byte ranges of `text`.
    pub(crate) marks: Vec<Mark>,
}

/// A marked range with its message.
#[derive(Debug)]
pub(crate) struct Mark {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
    pub(crate) role: Role,
}

/// Which place of its finding it marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Primary,
    Related,
}

/// The excerpts of a finding, the one with its primary place first.
pub(crate) fn excerpts(finding: &Finding, sources: &SourceMap, columns: usize) -> Vec<Excerpt> {
    let mut drafts: Vec<Draft<'_>> = Vec::new();
    let places = [(Role::Primary, &finding.primary)]
        .into_iter()
        .chain(finding.related.iter().map(|place| (Role::Related, place)));
    for (role, place) in places {
        let taken = drafts
            .iter_mut()
            .any(|draft| draft.place.span.source == place.span.source && draft.take(role, place, columns));
        if !taken {
            let mut draft = Draft::new(sources.get(place.span.source), place);
            draft.take(role, place, columns);
            drafts.push(draft);
        }
    }
    drafts.into_iter().map(|draft| draft.finish(columns)).collect()
}

/// How many lines are shown before and after a place in rendered text.
const LINES_BEFORE: u32 = 3;
const LINES_BEHIND: u32 = 1;

/// The lines around a place, with their numbers and a mark before the one that it begins on.
pub(crate) fn lines_around(place: &LabelledPlace, sources: &SourceMap, columns: usize) -> String {
    let draft = Draft::new(sources.get(place.span.source), place);
    let here = place.start.line;
    let last = here.saturating_add(LINES_BEHIND).min(draft.source.line_count());
    let width = last.to_string().len();
    let mut shown = Vec::new();
    for line in here.saturating_sub(LINES_BEFORE).max(1)..=last {
        let Some(range) = draft.source.line_range(line) else { continue };
        // An empty line at the end does not count.
        if line > here && range.is_empty() && line == draft.source.line_count() {
            continue;
        }
        let mark = if line == here { '>' } else { ' ' };
        let mut text = format!("{mark} {line:>width$} | ");
        let focus = range.start;
        draft.push(&mut text, window(draft.source.text(), range, focus, columns));
        shown.push(text.trim_end().to_owned());
    }
    shown.join("\n")
}

/// An excerpt while marks are added to it.
struct Draft<'a> {
    source: Arc<Source>,
    /// The first place that was put here.
    place: &'a LabelledPlace,
    /// What is shown of the lines that have marks: byte ranges of the source.
    windows: BTreeMap<u32, Range<usize>>,
    marks: Vec<(Role, &'a LabelledPlace, LinePosition, LinePosition)>,
}

/// A byte of the source, with its line.
#[derive(Clone, Copy)]
struct LinePosition {
    line: u32,
    offset: usize,
}

impl<'a> Draft<'a> {
    fn new(source: Arc<Source>, place: &'a LabelledPlace) -> Self {
        Draft { source, place, windows: BTreeMap::new(), marks: Vec::new() }
    }

    /// Adds a mark, unless it is too far from the others or outside the shown part of its line.
    fn take(&mut self, role: Role, place: &'a LabelledPlace, columns: usize) -> bool {
        let (start, end) = self.points(place);
        let near = self.windows.is_empty()
            || self.windows.keys().any(|&line| {
                line.abs_diff(start.line) <= LINES_BETWEEN || line.abs_diff(end.line) <= LINES_BETWEEN
            });
        let shown_of = |line: u32| self.windows.get(&line);
        let begins =
            shown_of(start.line).is_none_or(|shown| (shown.start..=shown.end).contains(&start.offset));
        let ends = shown_of(end.line).is_none_or(|shown| shown.start <= end.offset);
        if !near || !begins || !ends {
            return false;
        }
        for line in start.line..=end.line {
            let range = self.line(line);
            let focus = match line {
                _ if line == start.line => start.offset,
                _ if line == end.line => end.offset,
                _ => range.start,
            };
            let source = &self.source;
            self.windows.entry(line).or_insert_with(|| window(source.text(), range, focus, columns));
        }
        self.marks.push((role, place, start, end));
        true
    }

    /// Where a mark begins and ends. Trailing blanks are not marked, nor are many lines.
    fn points(&self, place: &LabelledPlace) -> (LinePosition, LinePosition) {
        let first = self.line(place.start.line);
        let length = self.source.slice(place.span).trim_end().len();
        let offset = floor(self.source.text(), (place.span.start as usize).clamp(first.start, first.end));
        let start = LinePosition { line: place.start.line, offset };
        let stop = floor(self.source.text(), (place.span.start as usize + length).max(start.offset));
        let line = self.source.position(u32::try_from(stop).unwrap_or(u32::MAX)).line;
        if line.saturating_sub(start.line) >= LINES_MARKED {
            return (start, LinePosition { line: start.line, offset: first.end });
        }
        let last = self.line(line);
        (start, LinePosition { line, offset: stop.clamp(last.start, last.end).max(start.offset) })
    }

    fn line(&self, line: u32) -> Range<usize> {
        self.source.line_range(line).unwrap_or_else(|| self.source.text().len()..self.source.text().len())
    }

    /// Adds a part of the source, with everything hidden that must not be shown.
    fn push(&self, result: &mut String, range: Range<usize>) {
        let text = self.source.text();
        let mut from = range.start;
        for hidden in self.source.hidden_in(range.clone()) {
            push_clean(result, text.get(from..hidden.start).unwrap_or_default());
            for character in text.get(hidden.clone()).unwrap_or_default().chars() {
                result.extend(std::iter::repeat_n('*', columns_of(character)));
            }
            from = hidden.end;
        }
        push_clean(result, text.get(from..range.end).unwrap_or_default());
    }

    fn finish(self, columns: usize) -> Excerpt {
        let first_line = self.windows.keys().next().copied().unwrap_or(1);
        let last_line = self.windows.keys().next_back().copied().unwrap_or(first_line);
        let mut text = String::new();
        let mut shown: BTreeMap<u32, (usize, Range<usize>)> = BTreeMap::new();
        for line in first_line..=last_line {
            if line > first_line {
                text.push('\n');
            }
            let range = self.line(line);
            let window = match self.windows.get(&line) {
                Some(window) => window.clone(),
                None => window(self.source.text(), range.clone(), range.start, columns),
            };
            if window.start > range.start {
                text.push_str(CUT);
            }
            shown.insert(line, (text.len(), window.clone()));
            self.push(&mut text, window.clone());
            if window.end < range.end {
                text.push_str(CUT);
            }
        }
        // The renderer does not show an empty line at the end, where an unclosed bracket is reported.
        if text.is_empty() || text.ends_with('\n') {
            text.push(' ');
        }
        let at = |point: LinePosition| -> usize {
            let Some((base, window)) = shown.get(&point.line) else { return text.len() };
            let offset = point.offset.clamp(window.start, window.end);
            let mut before = String::new();
            self.push(&mut before, window.start..offset);
            base + before.len()
        };
        let marks = self
            .marks
            .iter()
            .map(|&(role, place, start, end)| Mark {
                range: at(start)..at(end).max(at(start)),
                text: text::lines(&place.text).replace('\n', " "),
                role,
            })
            .collect();
        Excerpt {
            name: text::one_line(self.source.name()).into_owned(),
            position: self.place.start,
            first_line,
            empty: self.source.text().is_empty(),
            text,
            marks,
        }
    }
}

/// The shown part of a line: as many columns as fit, with `focus` in the left third.
fn window(text: &str, line: Range<usize>, focus: usize, columns: usize) -> Range<usize> {
    let content = text.get(line.clone()).unwrap_or_default();
    // Longer lines are cut without measuring their width first.
    if content.len() <= columns.saturating_mul(4) && content.chars().map(columns_of).sum::<usize>() <= columns
    {
        return line;
    }
    let columns = columns.saturating_sub(2 * CUT.len());
    let (before, _) = content.split_at(focus.clamp(line.start, line.end) - line.start);
    let back = |columns| before.len() - taken(before.chars().rev(), columns);
    let start = back(columns / 3);
    let (_, after) = content.split_at(start);
    let end = start + taken(after.chars(), columns);
    let spare = if end == content.len() {
        columns - after.chars().map(columns_of).sum::<usize>().min(columns)
    } else {
        0
    };
    line.start + back(columns / 3 + spare)..line.start + end
}

/// How many bytes of the characters fit into this many columns.
fn taken(characters: impl Iterator<Item = char>, columns: usize) -> usize {
    let (mut bytes, mut used) = (0, 0);
    for character in characters {
        used += columns_of(character);
        // Characters without a width are counted too, otherwise a million of them would fit.
        if used > columns || bytes > columns.saturating_mul(8) {
            break;
        }
        bytes += character.len_utf8();
    }
    bytes
}

/// How many columns a character takes once it is clean.
fn columns_of(character: char) -> usize {
    match character {
        '\t' => 4,
        _ if text::is_control(character) => 1,
        _ => character.width().unwrap_or(0),
    }
}

/// Adds source text with its tabs spread out and its control characters made visible.
fn push_clean(result: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '\t' => result.push_str("    "),
            // The width of a joined emoji depends on the terminal; the width of its parts does not.
            '\u{200d}' => {}
            _ if text::is_control(character) => result.push(text::picture(character)),
            // One column wide as well so that marks stay in place, and never a command to a workflow runner.
            '[' if result.ends_with("##") => result.push('⁅'),
            _ => result.push(character),
        }
    }
}

fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

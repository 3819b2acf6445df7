//! YAML that cannot be read because an action prints a block with the wrong indentation: the action is what has to be
//! changed, wherever the text breaks. The number that fits is found by trying: the rendered text is read again with
//! the block indented as the lines around it are.

use trueline_diagnostic::{Diagnostic, Frame, RENDERED};
use trueline_source::{Origin, OriginMap, SourceId, SourceMap, Span};
use trueline_yaml::ReadOptions;

use super::codes::WRONG_INDENTATION;

/// Longer texts are not read again.
const LONGEST: usize = 1 << 20;

/// The functions that print blocks.
const PRINTERS: [&str; 4] = ["toYaml", "include", "tpl", "indent"];

/// How many runs a block may be made of.
const MOST_RUNS: usize = 10_000;

/// The same finding, or the one about the indentation that is its cause. `origins` are those of the rendered `text`,
/// which the finding points into.
pub(super) fn explain(
    finding: Diagnostic,
    text: &str,
    origins: &OriginMap,
    sources: &SourceMap,
) -> Diagnostic {
    let place = finding.primary.span;
    let Some(block) = Block::near(place.start as usize, text, origins) else { return finding };
    let Some(code) = block.code(sources) else { return finding };
    // Another block of the document may be wrong as well: then at least what follows this one can be read.
    let fitting = block
        .fitting(&code, text, |again| first_error(&again.text).is_none())
        .or_else(|| block.fitting(&code, text, Again::is_read_further));
    if let Some(number) = fitting {
        return block.finding(&code, number, &finding);
    }
    match block.differs_from_next(text) {
        Some((own, next)) => {
            let words = "the number of `nindent` may be wrong";
            finding.related(
                block.action,
                format!("this block is indented by {own} and the next line by {next}; {words}"),
            )
        }
        None => finding,
    }
}

/// The finding about a block that can be read, but not as what its key holds: it is not indented further than the key,
/// so its fields become neighbours of the key. With it comes the text as it should be. `is_gone` says whether another text is
/// without `finding`.
pub(super) fn of_field(
    finding: &Diagnostic,
    text: &str,
    origins: &OriginMap,
    sources: &SourceMap,
    is_gone: impl Fn(&str) -> bool,
) -> Option<(Diagnostic, String)> {
    let block = Block::at(finding.primary.span.start as usize, text, origins)?;
    let code = block.code(sources)?;
    let above = block.above(text);
    let is_list = block.own.lines.first().is_some_and(|(_, line)| line.starts_with("- "));
    if is_list || !above.line.trim_end().ends_with(':') || block.own.indent > above.inner {
        return None;
    }
    let number = block.fitting(&code, text, |again| is_gone(&again.text))?;
    Some((block.finding(&code, number, finding), block.indented_by(number, text).text))
}

/// Where YAML cannot be read.
fn first_error(text: &str) -> Option<usize> {
    let stream = trueline_yaml::read(SourceId::from_index(0), &text.into(), &ReadOptions::default());
    stream.errors.iter().map(|error| error.to_diagnostic().primary.span.start as usize).min()
}

/// The text with the block indented in another way.
struct Again {
    text: String,
    /// Where the block ends.
    end: usize,
}

impl Again {
    /// Whether the first error is beyond the line after the block.
    fn is_read_further(&self) -> bool {
        let rest = self.text.get(self.end..).unwrap_or_default();
        let mut full = rest.split_inclusive('\n').scan(self.end, |start, line| {
            let here = *start;
            *start = start.saturating_add(line.len());
            Some((here, *start, line))
        });
        let next = full.find(|(_, _, line)| !line.trim().is_empty());
        let next_ends = next.map_or(self.text.len(), |(_, end, _)| end);
        first_error(&self.text).is_none_or(|error| error >= next_ends)
    }
}

/// Several lines that one action of the rendered template printed.
#[derive(Debug)]
struct Block {
    action: Span,
    own: Part,
    /// All that the action printed, in order: in a loop it prints several times.
    parts: Vec<Part>,
}

/// Lines that an action printed in one place.
#[derive(Debug, Clone)]
struct Part {
    start: usize,
    end: usize,
    /// What is before it on its first line, spaces aside: a key, if anything.
    before: String,
    /// The column that it begins at, if nothing but spaces is before it.
    column: Option<usize>,
    /// Its lines, each with how much further it is indented than the others.
    lines: Vec<(usize, String)>,
    /// How much its lines after the first are indented, or the only one.
    indent: usize,
}

impl Block {
    /// The block that the line of a place belongs to, or else the line above.
    fn near(place: usize, text: &str, origins: &OriginMap) -> Option<Block> {
        let here = line_start(text, place);
        let above = line_start(text, text.get(..here)?.trim_end().len());
        let first_word = |line: usize| {
            let rest = text.get(line..)?;
            Some(line.saturating_add(rest.len().saturating_sub(rest.trim_start_matches(' ').len())))
        };
        [place, first_word(here)?, here, first_word(above)?, above]
            .into_iter()
            .find_map(|offset| Block::at(offset, text, origins))
    }

    /// The block that a byte belongs to, if it has several lines or begins with a line break.
    fn at(offset: usize, text: &str, origins: &OriginMap) -> Option<Block> {
        let runs = origins.runs();
        let action_of = |index: usize| {
            let run = runs.get(index)?;
            origins.caller(run.start).or(match run.origin {
                Origin::Computed { action, .. } => Some(action),
                Origin::Verbatim(_) => None,
            })
        };
        let index = runs.partition_point(|run| run.start as usize <= offset).checked_sub(1)?;
        let action = action_of(index)?;
        let is_same = |index: &usize| action_of(*index) == Some(action);
        let first = (0..=index).rev().take(MOST_RUNS).take_while(is_same).last()?;
        let last = (index..runs.len()).take(MOST_RUNS).take_while(is_same).last()?;
        let start_of = |index: usize| runs.get(index).map_or(text.len(), |run| run.start as usize);
        let own = Part::read(start_of(first), start_of(last.saturating_add(1)), text)?;
        if !text.get(own.start..own.end)?.contains('\n') {
            return None;
        }
        if runs.len() > MOST_RUNS {
            return Some(Block { action, parts: vec![own.clone()], own });
        }
        let same: Vec<usize> = (0..runs.len()).filter(is_same).collect();
        let together = same.chunk_by(|before, after| before.saturating_add(1) == *after);
        let parts = together.filter_map(|part| {
            let (first, last) = (part.first()?, part.last()?);
            let (start, end) = (start_of(*first), start_of(last.saturating_add(1)));
            text.get(start..end).filter(|printed| !printed.trim().is_empty())?;
            Part::read(start, end, text)
        });
        Some(Block { action, parts: parts.collect(), own })
    }

    /// The action as it was written, if it is one that prints blocks.
    fn code(&self, sources: &SourceMap) -> Option<String> {
        let code = sources.get(self.action.source).slice(self.action).to_owned();
        PRINTERS.iter().any(|word| code.contains(word)).then_some(code)
    }

    /// What is said of it, in place of a finding that follows from it.
    fn finding(&self, code: &str, number: usize, follows: &Diagnostic) -> Diagnostic {
        let printer = PRINTERS.into_iter().find(|word| code.contains(word)).unwrap_or_default();
        let nindent = format!("use `nindent {number}`: {}", with_nindent(code, number));
        let (message, help) = match indent_of(code) {
            None if !self.own.before.is_empty() => {
                let first = self.parts.first().unwrap_or(&self.own);
                let key = first.before.trim_end();
                (format!("the block that `{printer}` prints begins on the line of `{key}`"), nindent)
            }
            None => (format!("only the first line of `{printer}` is indented"), nindent),
            // `indent` starts no line: what is before the action is before its first line.
            Some(("indent", wrong)) if wrong == number => {
                (format!("the first line of `{printer}` is not indented as the lines after it"), nindent)
            }
            Some((name, wrong)) => (
                format!("`{name} {wrong}` does not fit the lines around it"),
                format!("use `{name} {number}`"),
            ),
        };
        let mut found = Diagnostic::new(&WRONG_INDENTATION, self.action, message).help(help);
        found.level = follows.level;
        found.trace = vec![Frame { span: follows.primary.span, text: RENDERED.to_owned() }];
        found
    }

    /// The line that it belongs to: the one above, or the one that it begins on if something is before it there.
    fn above<'t>(&self, text: &'t str) -> Above<'t> {
        let above = text.get(..self.own.start).unwrap_or_default();
        let above = if self.own.before.is_empty() { above.trim_end() } else { above };
        let line = above.get(line_start(above, above.len())..).unwrap_or_default();
        // In `- name: a` the keys of the item begin after the dash.
        let inner = line.len().saturating_sub(line.trim_start_matches([' ', '-']).len());
        Above { line, inner }
    }

    /// The first number of spaces that the lines around it suggest and that makes valid YAML.
    fn fitting(&self, code: &str, text: &str, is_right: impl Fn(&Again) -> bool) -> Option<usize> {
        if text.len() > LONGEST {
            return None;
        }
        let written = indent_of(code);
        let others = self.candidates(text).into_iter().filter(|&number| written != Some(("nindent", number)));
        others.into_iter().find(|&number| is_right(&self.indented_by(number, text)))
    }

    /// How the lines around it say that it has to be indented, the likeliest first.
    fn candidates(&self, text: &str) -> Vec<usize> {
        let Above { line, inner } = self.above(text);
        let next = self.next_line(text).map(indentation);
        let is_list = self.own.lines.first().is_some_and(|(_, line)| line.starts_with("- "));
        let mut candidates = Vec::new();
        // After an item such as `- run` a map is wrong, however it is indented.
        let item = line.trim_start().strip_prefix("- ");
        if !is_list && item.is_some_and(|item| !item.contains(": ") && !item.trim_end().ends_with(':')) {
            return candidates;
        }
        if line.trim_end().ends_with(':') {
            candidates.extend(self.own.column.filter(|&column| column > inner));
            candidates.extend(next.filter(|&next| next > inner && !is_list));
            candidates.push(inner.saturating_add(2));
        } else {
            candidates.extend([inner, indentation(line)]);
            candidates.extend(next);
        }
        candidates
    }

    /// The line after it that is not empty.
    fn next_line<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.own.end..)?.split('\n').find(|line| !line.trim().is_empty())
    }

    /// Its indentation and that of the line after it, in words, where they are not the same.
    fn differs_from_next(&self, text: &str) -> Option<(String, String)> {
        let next = indentation(self.next_line(text)?);
        (next != self.own.indent).then(|| (spaces(self.own.indent), spaces(next)))
    }

    /// The text with all that the action prints indented by `number` spaces.
    fn indented_by(&self, number: usize, text: &str) -> Again {
        let mut again = Again { text: String::with_capacity(text.len()), end: 0 };
        let mut from = 0;
        for part in &self.parts {
            again.text.push_str(text.get(from..part.start).unwrap_or_default());
            again.text.truncate(again.text.trim_end().len());
            for (further, line) in &part.lines {
                again.text.push('\n');
                again.text.extend(std::iter::repeat_n(' ', number.saturating_add(*further)));
                again.text.push_str(line);
            }
            from = part.end;
            if !text.get(from..).unwrap_or_default().starts_with('\n') {
                again.text.push('\n');
            }
            if part.start == self.own.start {
                again.end = again.text.len();
            }
        }
        again.text.push_str(text.get(from..).unwrap_or_default());
        again
    }
}

impl Part {
    /// The lines between two offsets of the text.
    fn read(start: usize, end: usize, text: &str) -> Option<Part> {
        let block = text.get(start..end)?;
        let starts_line = block.starts_with('\n');
        let before = match starts_line {
            true => String::new(),
            false => text.get(line_start(text, start)..start)?.trim_start().to_owned(),
        };
        let written: Vec<&str> = block.trim_end().trim_start_matches('\n').split('\n').collect();
        let indented = |line: &str| line.len().saturating_sub(line.trim_start_matches(' ').len());
        let behind_first = if starts_line { 0 } else { 1 };
        let full = |line: &&&str| !line.trim().is_empty();
        let indent = written.iter().skip(behind_first).filter(full).map(|line| indented(line)).min();
        let indent = indent.unwrap_or_else(|| written.first().map_or(0, |line| indented(line)));
        let relative = written.iter().enumerate().map(|(index, line)| {
            let further = if index < behind_first { 0 } else { indented(line).saturating_sub(indent) };
            (further, line.trim_start_matches(' ').to_owned())
        });
        let column = start.saturating_sub(line_start(text, start));
        let column = Some(column).filter(|_| !starts_line && before.is_empty());
        Some(Part { start, end, before, column, lines: relative.collect(), indent })
    }
}

/// The line that a block belongs to.
struct Above<'t> {
    line: &'t str,
    /// Where its key begins.
    inner: usize,
}

/// The function of an action that indents, with its number, if it has one with a number.
fn indent_of(code: &str) -> Option<(&'static str, usize)> {
    ["nindent", "indent"].into_iter().find_map(|name| {
        let rest = code.get(code.find(name)?.saturating_add(name.len())..)?.trim_start();
        let digits = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        Some((name, rest.get(..digits)?.parse().ok()?))
    })
}

/// An action with `nindent` at its end, in place of `indent`, and without the line break before it.
fn with_nindent(code: &str, number: usize) -> String {
    let inner =
        code.trim_start_matches("{{").trim_start_matches('-').trim_end_matches("}}").trim_end_matches('-');
    let inner = inner.trim();
    let inner = inner.strip_suffix(&format!("| indent {number}")).map_or(inner, str::trim);
    format!("`{{{{- {inner} | nindent {number} }}}}`")
}

fn line_start(text: &str, offset: usize) -> usize {
    text.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline.saturating_add(1))
}

fn indentation(line: &str) -> usize {
    line.len().saturating_sub(line.trim_start_matches(' ').len())
}

/// How much the block is indented, in words.
fn spaces(number: usize) -> String {
    match number {
        1 => "1 space".to_owned(),
        number => format!("{number} spaces"),
    }
}

//! Where a part of an expression was typed, inside the string of the YAML document that holds it.

use std::ops::Range;

use trueline_diagnostic::Diagnostic;
use trueline_kube::RuleFact;
use trueline_kube::manifest::{Fact, Problem};
use trueline_source::{SourceMap, Span};

/// The place of a part of a scalar: `scalar` is where the scalar was typed, `value` what it says, and `part` bytes of that.
/// The whole scalar where the two cannot be brought together.
pub(crate) fn part_of_scalar(sources: &SourceMap, scalar: Span, value: &str, part: Range<u32>) -> Span {
    let source = sources.get(scalar.source);
    let typed = source.text().get(scalar.start as usize..scalar.end as usize).unwrap_or_default();
    let Some(range) = typed_range(typed, value, part) else { return scalar };
    let offset = |at: usize| scalar.start + u32::try_from(at).unwrap_or_default();
    Span { start: offset(range.start), end: offset(range.end), ..scalar }
}

/// The finding for a problem of an expression, at the parts of it that are wrong.
pub(super) fn at_part(mut finding: Diagnostic, problem: &Problem, sources: &SourceMap) -> Diagnostic {
    if let Fact::Refused(error, _) = &problem.fact
        && let Some(RuleFact::NotCompiled { expression, issues }) = error.expression.as_deref()
    {
        let labels = std::iter::once(&mut finding.primary).chain(&mut finding.related);
        for (label, issue) in labels.zip(issues) {
            label.span = part_of_scalar(sources, label.span, expression, issue.start..issue.end);
        }
    }
    finding
}

/// The bytes of the typed text that a part of the value comes from.
fn typed_range(typed: &str, value: &str, part: Range<u32>) -> Option<Range<usize>> {
    let (start, end) = (part.start as usize, part.end as usize);
    if typed == value {
        return (start <= end && end <= typed.len()).then_some(start..end);
    }
    let places = align(typed, value)?;
    let first = *places.get(start)?;
    let last = match end.checked_sub(1).filter(|last| *last >= start) {
        Some(last) => *places.get(last)? + 1,
        None => first,
    };
    let mut last = last.max(first);
    while !typed.is_char_boundary(last) {
        last += 1;
    }
    typed.is_char_boundary(first).then_some(first..last)
}

/// For each byte of the value, and for its end, the byte of the typed text that it comes from.
fn align(typed: &str, value: &str) -> Option<Vec<usize>> {
    let bytes = typed.as_bytes();
    let style = match bytes.first()? {
        b'\'' => Style::Single,
        b'"' => Style::Double,
        b'|' | b'>' => Style::Block,
        _ => Style::Plain,
    };
    let mut at = match style {
        Style::Block => typed.find('\n')? + 1,
        Style::Single | Style::Double => 1,
        Style::Plain => 0,
    };
    let indentation = match style {
        Style::Block => block_indentation(typed.get(at..)?, value),
        _ => usize::MAX,
    };
    if style == Style::Block {
        at = skip_spaces(bytes, at, indentation);
    }
    let mut places = Vec::with_capacity(value.len() + 1);
    let mut rest = value;
    while let Some(character) = rest.chars().next() {
        let typed_here = typed.get(at..)?;
        let first = typed_here.chars().next();
        let (taken, written) = match first {
            // A line break was typed: it is folded into a space, kept, or escaped, and what is indented after it is gone.
            Some('\n' | '\r') => {
                let folded = if matches!(character, ' ' | '\n') { 1 } else { 0 };
                let mut next = at + typed_here.find('\n')? + 1;
                next = skip_spaces(bytes, next, indentation);
                places.extend(std::iter::repeat_n(at, folded));
                rest = rest.get(folded..)?;
                at = next;
                continue;
            }
            Some('\\') if style == Style::Double => match escape_length(typed_here) {
                // An escaped line break is nothing.
                Escape::LineBreak(length) => {
                    at = skip_spaces(bytes, at + length, usize::MAX);
                    continue;
                }
                Escape::Character(length) => (character.len_utf8(), length),
            },
            Some('\'') if style == Style::Single => (1, 2),
            Some(first) if first == character => (character.len_utf8(), character.len_utf8()),
            // Spaces before a line break that is folded.
            Some(' ' | '\t') => {
                at += 1;
                continue;
            }
            // A block ends with a line break that may have been left out at the end of the file.
            None if rest.trim().is_empty() => {
                places.extend(std::iter::repeat_n(at, rest.len()));
                break;
            }
            _ => return None,
        };
        places.extend((0..taken).map(|offset| at + offset.min(written.saturating_sub(1))));
        rest = rest.get(taken..)?;
        at += written;
    }
    places.push(at);
    Some(places)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Block,
}

enum Escape {
    Character(usize),
    LineBreak(usize),
}

fn escape_length(typed: &str) -> Escape {
    match typed.as_bytes().get(1) {
        Some(b'x') => Escape::Character(4),
        Some(b'u') => Escape::Character(6),
        Some(b'U') => Escape::Character(10),
        Some(b'\n') => Escape::LineBreak(2),
        Some(b'\r') => Escape::LineBreak(3),
        _ => Escape::Character(2),
    }
}

/// How far the lines of a block are indented: what is typed before its first line that is not empty, less what the value has
/// there.
fn block_indentation(typed: &str, value: &str) -> usize {
    let spaces = |text: &str| {
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        line.len() - line.trim_start_matches(' ').len()
    };
    spaces(typed).saturating_sub(spaces(value))
}

fn skip_spaces(bytes: &[u8], from: usize, most: usize) -> usize {
    let spaces = bytes.get(from..).unwrap_or_default().iter().take(most);
    from + spaces.take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

#[cfg(test)]
mod tests {
    use super::typed_range;

    #[test]
    fn parts_are_found_in_every_style() {
        let cases = [
            ("self.a == 1", "self.a == 1", "a == 1", "a == 1"),
            ("'self.a == ''x'' || b'", "self.a == 'x' || b", "x", "x"),
            ("'self.a == ''x'' || b'", "self.a == 'x' || b", "b", "b"),
            (r#""self.a == \"x\" || b""#, "self.a == \"x\" || b", "|| b", "|| b"),
            (r#""\u0073elf.zz""#, "self.zz", "zz", "zz"),
            ("|\n    self.a\n    == zz\n", "self.a\n== zz\n", "zz", "zz"),
            ("|-\n    self.a\n      && zz", "self.a\n  && zz", "zz", "zz"),
            (">-\n    self.a\n    == zz", "self.a == zz", "zz", "zz"),
            (">\n  a ==\n  b &&\n\n  zz\n", "a == b &&\nzz\n", "zz", "zz"),
            ("self.a\n    == zz", "self.a == zz", "zz", "zz"),
            ("'é + ''zz'", "é + 'zz", "zz", "zz"),
        ];
        for (typed, value, part, expected) in cases {
            let start = value.find(part).unwrap();
            let range = typed_range(typed, value, start as u32..(start + part.len()) as u32);
            let found = range.and_then(|range| typed.get(range));
            assert_eq!(found, Some(expected), "{typed}");
        }
    }
}

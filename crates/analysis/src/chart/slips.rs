//! YAML that cannot be read because of a quote that is not closed on its line, or a colon without a space after it. The
//! reader notices such a slip only later, where the text no longer fits. Where it was made is found by trying: the text
//! is read again with the slip corrected, and if the error is gone, that was it.

use trueline_diagnostic::{Diagnostic, Edit, Label, Level};
use trueline_source::{SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::{MISSING_COLON, ReadOptions, UNCLOSED_QUOTE};

/// Longer texts are not read again.
const LONGEST: usize = 1 << 20;

/// How many lines before an error are looked at, and how many corrections are tried.
const MOST_LINES: usize = 200;
const MOST_TRIES: usize = 8;

/// A slip that may be the cause of an error: where it is, and the text without it.
struct Slip {
    span: Span,
    kind: SlipKind,
    corrected: String,
}

enum SlipKind {
    /// A quote is opened and not closed on its line.
    Open(char),
    /// A quote has nothing to close, and opens another string.
    TooMany(char),
    /// A quote inside single quotes is not doubled.
    Inside,
    /// No space follows the colon of this key.
    Colon(String),
    /// No colon follows this key.
    NoColon(String),
}

/// What is said before the message of an error in what a template writes.
pub(super) const IN_TEMPLATE: &str = "what this template writes is not YAML: ";

/// The same finding about a file that cannot be read, at the slip that is its cause.
pub(super) fn in_file(finding: Diagnostic, sources: &SourceMap) -> Diagnostic {
    let source = sources.get(finding.primary.span.source);
    match finding.level == Some(Level::Parse) && matches!(source.kind(), SourceKind::File) {
        true => explain(finding, source.text()),
        false => finding,
    }
}

/// The same finding, at the slip that is its cause. Where the cause is not certain, the nearest slip that may be it becomes
/// a further label.
pub(super) fn explain(finding: Diagnostic, text: &str) -> Diagnostic {
    if text.len() > LONGEST {
        return finding;
    }
    let error = finding.primary.span;
    let mut slips = slips(error, text);
    slips.truncate(MOST_TRIES);
    slips.extend(around(error, text));
    let is_cause = |slip: &Slip| is_read_further(&slip.corrected, text.len(), error);
    let certain = slips.iter().position(is_cause);
    match certain {
        Some(index) => at(finding, &slips.swap_remove(index), text),
        None => {
            match slips.into_iter().find(|slip| matches!(slip.kind, SlipKind::Open(_) | SlipKind::Colon(_))) {
                Some(Slip { span, kind: SlipKind::Open(_), .. }) if span.start < error.start => {
                    finding.related(span, "this quote may not be closed where it should be")
                }
                Some(Slip { span, kind: SlipKind::Colon(_), .. }) if span.start < error.start => {
                    finding.related(span, "a space may be missing after this colon")
                }
                _ => finding,
            }
        }
    }
}

/// Whether YAML with a slip corrected can be read, or at least further than the error.
fn is_read_further(corrected: &str, length: usize, error: Span) -> bool {
    let stream = trueline_yaml::read(SourceId::from_index(0), &corrected.into(), &ReadOptions::default());
    let moved = (error.start as usize).saturating_add(corrected.len()).saturating_sub(length);
    stream.errors.iter().all(|other| {
        let place = other.to_diagnostic().primary.span.start as usize;
        line_of(corrected, place) > line_of(corrected, moved)
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    memchr::memchr_iter(b'\n', before).count()
}

/// What is said of a slip, in place of what follows from it.
fn at(finding: Diagnostic, slip: &Slip, text: &str) -> Diagnostic {
    let (code, message, label, help) = match &slip.kind {
        SlipKind::Open(quote) => (
            &UNCLOSED_QUOTE,
            "this quote is not closed on its line".to_owned(),
            "opened here",
            format!("close it with `{quote}` at the end of the string"),
        ),
        SlipKind::TooMany(quote) => (
            &UNCLOSED_QUOTE,
            "this quote has nothing to close".to_owned(),
            "one quote too many",
            format!("remove one `{quote}`"),
        ),
        SlipKind::Inside => (
            &UNCLOSED_QUOTE,
            "this quote ends the string".to_owned(),
            "the string ends here",
            "write `''` for a quote inside single quotes, or use double quotes".to_owned(),
        ),
        SlipKind::Colon(key) => (
            &MISSING_COLON,
            format!("a space is missing after the colon of `{key}`"),
            "this colon",
            format!("write `{key}: …`"),
        ),
        SlipKind::NoColon(key) => (
            &MISSING_COLON,
            format!("no colon follows the key `{key}`"),
            "this line",
            format!("write `{key}: …`"),
        ),
    };
    let before = if finding.message.starts_with(IN_TEMPLATE) { IN_TEMPLATE } else { "" };
    let found = Diagnostic {
        code,
        message: format!("{before}{message}"),
        primary: Label::new(slip.span, label),
        related: Vec::new(),
        help: Some(help),
        fix: None,
        ..finding
    };
    let typed = text.get(slip.span.range()).unwrap_or_default();
    let replacement = match slip.kind {
        SlipKind::Open(_) => return found,
        SlipKind::TooMany(_) => String::new(),
        SlipKind::Inside => "''".to_owned(),
        SlipKind::Colon(_) => format!("{typed} "),
        SlipKind::NoColon(ref key) => typed.replacen(key.as_str(), &format!("{key}:"), 1),
    };
    let description = found.help.clone().unwrap_or_default();
    found.fix(description, vec![Edit { span: slip.span, replacement }])
}

/// The slips that may be the cause of an error, the likeliest first: on the line of the error, then above it.
fn slips(error: Span, text: &str) -> Vec<Slip> {
    let mut slips = Vec::new();
    let before = text.get(..error.start as usize).unwrap_or_default();
    let last = text.get(error.start as usize..).and_then(|rest| rest.find('\n'));
    let end = last.map_or(text.len(), |newline| error.start as usize + newline);
    let mut line_end = end;
    let mut line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    for _ in 0..MOST_LINES {
        let line = Line { text, source: error.source, start: line_start, end: line_end };
        slips.extend(line.slip());
        let Some(above) = line_start.checked_sub(1) else { break };
        line_end = above;
        line_start = text.get(..above).and_then(|rest| rest.rfind('\n')).map_or(0, |newline| newline + 1);
    }
    slips
}

/// A quote at the place of the error, or right before it, that is one too many or should be doubled.
fn around(error: Span, text: &str) -> Option<Slip> {
    let place = error.start as usize;
    let without = |start: usize, replacement: &str| {
        let (before, after) = (text.get(..start)?, text.get(start + 1..)?);
        Some(format!("{before}{replacement}{after}"))
    };
    let before = text.get(..place)?;
    let here = text.get(place..)?.chars().next()?;
    if matches!(here, '"' | '\'') && !before.trim_end_matches(' ').ends_with([':', '-', ',', '[', '{', '\n'])
    {
        let span = error.source.span(place, place + 1);
        return Some(Slip { span, kind: SlipKind::TooMany(here), corrected: without(place, "")? });
    }
    let quote = place.checked_sub(1)?;
    if before.ends_with('\'') && here.is_alphanumeric() {
        let span = error.source.span(quote, place);
        return Some(Slip { span, kind: SlipKind::Inside, corrected: without(quote, "''")? });
    }
    None
}

struct Line<'t> {
    text: &'t str,
    source: SourceId,
    start: usize,
    end: usize,
}

impl Line<'_> {
    /// What may be wrong with this line.
    fn slip(&self) -> Option<Slip> {
        let line = self.text.get(self.start..self.end)?;
        let item = line.trim_start_matches([' ', '-']);
        let key_start = self.start + (line.len() - item.len());
        let key_length = item.find(|character: char| !is_in_key(character)).unwrap_or(item.len());
        let (key, rest) = item.split_at_checked(key_length)?;
        let value = match rest.strip_prefix(':') {
            // `- "a`
            None if key.is_empty() => item,
            None => return self.without_colon(key, (key_start, key_length), rest),
            Some(_) if key.is_empty() => return None,
            Some(value) if value.starts_with(' ') => value.trim_start_matches(' '),
            // An address and a name with two colons have nothing missing.
            Some(value) if value.is_empty() || value.starts_with(['/', ':']) => return None,
            Some(value) => {
                let colon = key_start + key_length;
                let corrected = format!("{} {value}{}", self.text.get(..=colon)?, self.text.get(self.end..)?);
                let span = self.source.span(colon, colon + 1);
                return Some(Slip { span, kind: SlipKind::Colon(key.to_owned()), corrected });
            }
        };
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        if is_closed(value, quote) {
            return None;
        }
        let start = self.end - value.len();
        let written = self.text.get(..self.end)?.trim_end();
        let corrected = format!("{written}{quote}{}", self.text.get(self.end..)?);
        Some(Slip { span: self.source.span(start, start + 1), kind: SlipKind::Open(quote), corrected })
    }
}

impl Line<'_> {
    /// A line such as `replicas 3`.
    fn without_colon(&self, key: &str, (start, length): (usize, usize), rest: &str) -> Option<Slip> {
        let is_item = self.text.get(self.start..start)?.contains('-');
        let is_pair = rest.starts_with(' ') && !rest.trim().is_empty() && !rest.contains(": ");
        if is_item || !is_pair || rest.trim_end().ends_with(':') {
            return None;
        }
        let colon = start + length;
        let corrected = format!("{}:{}", self.text.get(..colon)?, self.text.get(colon..)?);
        let span = self.source.span(start, colon + rest.trim_end().len());
        Some(Slip { span, kind: SlipKind::NoColon(key.to_owned()), corrected })
    }
}

fn is_in_key(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.' | '/')
}

/// Whether a string that begins with a quote ends on its line.
fn is_closed(value: &str, quote: char) -> bool {
    let mut is_escaped = false;
    value.chars().skip(1).any(|character| {
        let ends = character == quote && !is_escaped;
        is_escaped = quote == '"' && character == '\\' && !is_escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(text: &str) -> String {
        let source = SourceId::from_index(0);
        let stream = trueline_yaml::read(source, &text.into(), &ReadOptions::default());
        let finding = explain(stream.errors[0].to_diagnostic(), text);
        let line = |span: Span| line_of(text, span.start as usize) + 1;
        let related: Vec<String> =
            finding.related.iter().map(|label| format!(" [{} {}]", line(label.span), label.text)).collect();
        let message = finding.message.rsplit(": ").next().unwrap_or_default().to_owned();
        format!("{} {} {message}{}", line(finding.primary.span), finding.code.id, related.concat())
    }

    #[test]
    fn slips_are_told_where_they_are() {
        for (text, expected) in [
            ("a:\n  b: \"x\n  c:\n    d: \"y\"\n", "2 TL0104 this quote is not closed on its line"),
            ("a:\n  b: 'x\n  c: 'y'\n", "2 TL0104 this quote is not closed on its line"),
            ("a:\n  - \"x\n  - \"y\"\n", "2 TL0104 this quote is not closed on its line"),
            ("a: \"x\nb: y\n", "1 TL0104 this quote is not closed on its line"),
            ("a: \"x\"\"\nb: y\n", "1 TL0104 this quote has nothing to close"),
            ("a: 'it's fine'\nb: y\n", "1 TL0104 this quote ends the string"),
            ("a:\n  b:x\n  c:\n    d: y\n", "2 TL0108 a space is missing after the colon of `b`"),
            ("a:\n  c: 1\n  b:x\nd: 2\n", "3 TL0108 a space is missing after the colon of `b`"),
            ("a:\n  - b:x\n    c: 1\n    d:2\n", "2 TL0108 a space is missing after the colon of `b`"),
            ("a 1\n\nb:\n  c: 1\n", "1 TL0108 no colon follows the key `a`"),
            ("a:\n  b: 1\n  c 2\n  d: 3\n", "3 TL0108 no colon follows the key `c`"),
            // Nothing of the kind: the finding stays as it is.
            ("a: [1, 2\nb: 1\n", "1 TL0106 this `[` is never closed [2 something else follows here]"),
            ("a: b: c\n", "1 TL0107 a map entry is not allowed here"),
            (
                "a:\n  - http://x/y\n  b: 1\n",
                "3 TL0109 this line does not fit the list around it [2 the list begins here]",
            ),
        ] {
            assert_eq!(explained(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_certain_is_only_mentioned() {
        let text = "a:\n  b:x\n  c: 1: 2\n";
        let told = explained(text);
        assert!(told.ends_with("[2 a space may be missing after this colon]"), "{told}");
    }

    #[test]
    fn strings_end_at_their_quotes() {
        for (value, quote, expected) in
            [("\"a\"", '"', true), ("\"a\\\"", '"', false), ("\"a\\\\\"", '"', true), ("'a", '\'', false)]
        {
            assert_eq!(is_closed(value, quote), expected, "{value}");
        }
    }
}

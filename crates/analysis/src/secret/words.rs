//! What findings say of secrets, without the secrets.

use std::collections::BTreeSet;

use trueline_diagnostic::Diagnostic;
use trueline_source::{SourceKind, SourceMap, Span};

use super::places;

/// What stands for a secret.
const HIDDEN: &str = "…";
/// How many characters of a secret are looked for: values are cut where they are long.
const SEARCHED: usize = 12;
/// The fields of Secrets, which sentences name, as the server's own do.
const FIELDS: &str = "apiVersion kind metadata name namespace type immutable data stringData";
/// Shorter texts than this are parts of words; they are looked for between quotation marks only.
const SHORTEST: usize = 4;
/// Secrets that a finding does not point at are looked for if they are at least as long as this.
const UNIQUE: usize = 8;
/// How many texts are looked for: of a secret, and of all that are known.
const MOST: usize = 100;
const MOST_KNOWN: usize = 300;

/// Takes the secrets that a finding points at out of what it says.
pub(super) fn clean(finding: &mut Diagnostic, known: &[String], sources: &SourceMap) {
    let shown: Vec<String> = places(finding).filter_map(|span| shown_at(span, sources)).collect();
    let is_secret = |text: &&String| !is_name_of_something(text, &shown);
    let known = known.iter().filter(is_secret).map(String::as_str).collect();
    let mut secrets = Secrets { known, texts: Vec::new(), are_changed: false, are_unseen: false };
    for span in places(finding) {
        secrets.add(span, sources);
    }
    if secrets.all().next().is_none() && !secrets.are_changed {
        return;
    }
    secrets.texts.sort_by(longer_first);
    secrets.texts.dedup();
    let field = finding.kube.as_ref().map(|cause| cause.field.as_str());
    let names =
        format!("{FIELDS} {} {}", finding.path.as_deref().unwrap_or_default(), field.unwrap_or_default());
    let clean = |text: &mut String| secrets.take_out(text, &names);
    clean(&mut finding.message);
    clean(&mut finding.primary.text);
    finding.related.iter_mut().for_each(|label| clean(&mut label.text));
    finding.trace.iter_mut().for_each(|frame| clean(&mut frame.text));
    finding.help.iter_mut().for_each(|help| secrets.take_out_of_help(help, &names));
    // A secret can be the name of a field as well.
    let paths = finding.path.iter_mut().chain(finding.kube.iter_mut().map(|cause| &mut cause.field));
    paths.for_each(|path| secrets.all().for_each(|secret| replace(path, secret)));
    if let Some(cause) = &mut finding.kube {
        clean(&mut cause.detail);
    }
    let repeats = finding.fix.as_ref().is_some_and(|fix| {
        fix.edits.iter().any(|edit| {
            let mut text = edit.replacement.clone();
            clean(&mut text);
            let hidden = sources.get(edit.span.source).hidden_in(edit.span.range()).next();
            text != edit.replacement || !edit.replacement.is_empty() && hidden.is_some()
        })
    });
    if repeats {
        finding.fix = None;
    }
    if let Some(fix) = &mut finding.fix {
        clean(&mut fix.description);
    }
}

/// The texts of secrets that any finding may repeat, long enough to be nothing else.
pub(super) fn known(spans: &[Span], sources: &SourceMap) -> Vec<String> {
    let mut texts = BTreeSet::new();
    for span in spans {
        let source = sources.get(span.source);
        if !matches!(source.kind(), SourceKind::Rendered(_)) {
            let typed = source.slice(*span).trim();
            texts.extend(spellings(typed).filter(|text| text.chars().count() >= UNIQUE).take(MOST));
        }
        if texts.len() >= MOST_KNOWN {
            break;
        }
    }
    let mut texts: Vec<String> = texts.into_iter().collect();
    texts.sort_by(longer_first);
    texts
}

/// A shorter secret may be a part of a longer one, which is looked for before it.
fn longer_first(left: &String, right: &String) -> std::cmp::Ordering {
    right.len().cmp(&left.len()).then_with(|| left.cmp(right))
}

/// A secret as it is typed and as it is read, and its lines.
fn spellings(typed: &str) -> impl Iterator<Item = String> {
    let read = trueline_yaml::yaml_to_value(typed).ok();
    let read = read.as_ref().and_then(|value| value.as_str()).map(str::to_owned);
    let lines = typed.lines().map(|line| line.trim().to_owned());
    let whole = [typed.to_owned(), typed.trim_matches(['"', '\'']).to_owned()];
    lines.chain(whole).chain(read).filter(|text| !text.is_empty()).collect::<Vec<_>>().into_iter()
}

/// The secrets that a finding may repeat.
#[derive(Debug)]
struct Secrets<'k> {
    /// Those that any finding may repeat.
    known: Vec<&'k str>,
    /// Those at its own places, as they are typed and as they are read.
    texts: Vec<String>,
    /// Whether there are some that a sentence may spell in another way: of several lines, with quotation marks or
    /// escapes, or from a file that only a flag names.
    are_changed: bool,
    /// Whether there are some in a file that only a flag names.
    are_unseen: bool,
}

impl Secrets<'_> {
    fn all(&self) -> impl Iterator<Item = &str> {
        self.known.iter().copied().chain(self.texts.iter().map(String::as_str))
    }

    fn add(&mut self, span: Span, sources: &SourceMap) {
        let source = sources.get(span.source);
        // What the file holds is not to be seen there.
        let is_unseen = matches!(source.kind(), SourceKind::Flag) && source.name().starts_with("--set-file");
        self.are_unseen |= is_unseen;
        self.are_changed |= is_unseen;
        for hidden in source.hidden_in(span.range()).take(MOST) {
            let typed = source.text().get(hidden).unwrap_or_default().trim();
            let inside = typed.trim_matches(['"', '\'']);
            let is_plain = |text: &str| {
                !text.starts_with(['|', '>', '{', '[', '&', '*', '!', '-', '#'])
                    && !text.contains(['\n', '\r', '"', '\'', '`', '\\'])
            };
            self.are_changed |= !is_plain(inside);
            self.texts.extend(spellings(typed).take(MOST));
        }
    }

    /// Takes them out of a sentence. `names` are those that the sentence may quote.
    fn take_out(&self, text: &mut String, names: &str) {
        self.all().for_each(|secret| replace(text, secret));
        if self.are_changed {
            hide_quoted(text, names);
        } else {
            hide_letters(text, &self.texts, names);
        }
    }

    /// Takes them out of a help text, most of which are fixed: what quotes no word of a secret stays as it is.
    fn take_out_of_help(&self, text: &mut String, names: &str) {
        let from = text.find(['`', '"']).unwrap_or(text.len());
        let quoted = text.get(from..).unwrap_or_default();
        let pieces = || quoted.split(['`', '"']).skip(1).step_by(2);
        let may_quote = |secret: &str| {
            // Where a quotation ends is not known if there are quotation marks in the secret.
            secret.trim_matches(['"', '\'']).contains(['`', '"'])
                || pieces().any(|piece| share_word(piece, secret))
        };
        if self.are_unseen || self.all().any(may_quote) {
            self.take_out(text, names);
        } else {
            self.all().for_each(|secret| replace(text, secret));
        }
    }
}

/// What a finding shows at a place, if nothing of it is hidden.
fn shown_at(span: Span, sources: &SourceMap) -> Option<String> {
    let source = sources.get(span.source);
    let is_open = source.hidden_in(span.range()).next().is_none();
    is_open.then(|| source.slice(span).to_owned())
}

/// Whether a string that ended up in a Secret is the name of something else in a sentence: a plain word that the finding
/// shows anyway, or a name that was made of the release's.
fn is_name_of_something(text: &str, shown: &[String]) -> bool {
    text.chars().all(|letter| letter.is_ascii_lowercase() || matches!(letter, '-' | '.' | '_'))
        && (text.starts_with("release-name") || shown.iter().any(|shown| shown.contains(text)))
}

/// Whether two texts have a word in common.
fn share_word(text: &str, secret: &str) -> bool {
    let text = text.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t");
    let in_other = |one: &str, other: &str| {
        one.split(|letter: char| !letter.is_alphanumeric())
            .any(|word| !word.is_empty() && other.contains(word))
    };
    in_other(&text, secret) || in_other(secret, &text)
}

/// Whether something between quotation marks is a name or a path, and no value.
fn is_name(quoted: &str, names: &str) -> bool {
    let mut parts = quoted.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty());
    quoted.contains(char::is_alphanumeric) && parts.all(|part| names.contains(part))
}

/// Hides everything from the first quotation mark to the last, but for names at the beginning: how a value is spelt
/// there, and where it ends, is not known.
fn hide_quoted(text: &mut String, names: &str) {
    const MARKS: [char; 2] = ['`', '"'];
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find(MARKS)).map(|found| from + found) {
        let inside = text.get(start + 1..).unwrap_or_default();
        let quoted = inside.find(MARKS).and_then(|length| inside.get(..length));
        match quoted {
            Some(quoted) if is_name(quoted, names) => from = start + quoted.len() + 2,
            _ => {
                let last = text.rfind(MARKS).filter(|last| *last > start).unwrap_or(text.len());
                text.replace_range(start + 1..last, HIDDEN);
                return;
            }
        }
    }
}

/// Hides single letters of a secret that a sentence quotes.
fn hide_letters(text: &mut String, secrets: &[String], names: &str) {
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find('`')).map(|found| from + found) {
        let inside = text.get(start + 1..).unwrap_or_default();
        let Some(length) = inside.find('`') else { return };
        let quoted = inside.get(..length).unwrap_or_default();
        let is_part = quoted.chars().count() < SHORTEST
            && secrets.iter().any(|secret| secret.contains(quoted))
            && !is_name(quoted, names);
        from = start + length + 2;
        if is_part {
            text.replace_range(start + 1..start + 1 + length, HIDDEN);
            from = start + HIDDEN.len() + 2;
        }
    }
}

/// Takes a secret out of a message, also where it was cut.
fn replace(text: &mut String, secret: &str) {
    let length = secret.chars().count();
    if length < SHORTEST {
        for quote in ['"', '`', '\''] {
            let quoted = format!("{quote}{secret}{quote}");
            if text.contains(&quoted) {
                *text = text.replace(&quoted, &format!("{quote}{HIDDEN}{quote}"));
            }
        }
        return;
    }
    replace_spelling(text, secret, length);
    // Most need no escapes: spelt with them, they are what was looked for already.
    if !secret.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')) {
        let escaped = format!("{secret:?}");
        replace_spelling(text, escaped.trim_matches('"'), length);
    }
}

/// Takes one spelling of a secret of so many letters out of a message.
fn replace_spelling(text: &mut String, secret: &str, length: usize) {
    let end = secret.char_indices().nth(SEARCHED).map_or(secret.len(), |(end, _)| end);
    let head = secret.get(..end).unwrap_or(secret);
    let mut from = 0;
    while let Some(found) =
        text.get(from..).and_then(|rest| memchr::memmem::find(rest.as_bytes(), head.as_bytes()))
    {
        let start = from + found;
        let rest = text.get(start..).unwrap_or_default();
        let same = rest.chars().zip(secret.chars()).take_while(|(left, right)| left == right);
        let end = start + same.map(|(letter, _)| letter.len_utf8()).sum::<usize>();
        let is_letter = |letter: char| letter.is_alphanumeric();
        let is_part = text.get(..start).unwrap_or_default().ends_with(is_letter)
            || text.get(end..).unwrap_or_default().starts_with(is_letter);
        // A part of a longer word is another word, unless it is long enough to be no accident.
        if is_part && length < SEARCHED {
            from = end;
            continue;
        }
        text.replace_range(start..end, HIDDEN);
        from = start + HIDDEN.len();
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn secrets_are_taken_out_of_sentences() {
        for (text, secret, expected) in [
            ("`a` is \"hunter2\": no", "hunter2", "`a` is \"…\": no"),
            ("hunter2, hunter22 and hunter2", "hunter2", "…, hunter22 and …"),
            ("it is the number 12345", "12345", "it is the number …"),
            ("this is a list", "a", "this is a list"),
            ("this is `a`", "a", "this is `…`"),
            ("`correct horse battery…` is cut", "correct horse battery staple", "`……` is cut"),
            ("is \"a\\nhunter2\"", "a\nhunter2", "is \"…\""),
        ] {
            let mut text = text.to_owned();
            super::replace(&mut text, secret);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn what_may_be_spelt_in_another_way_is_hidden_as_a_whole() {
        for (text, expected) in [
            ("`blob` must be `a1` or `b2`, but it is `-----\nX`", "`blob` must be `…`"),
            ("`spec.blob` is \"…\\nSECOND!\\n\": no", "`spec.blob` is \"…\": no"),
            ("`blob` is `a'b'c", "`blob` is `…"),
            ("nothing is quoted", "nothing is quoted"),
        ] {
            let mut text = text.to_owned();
            super::hide_quoted(&mut text, "/spec/blob");
            assert_eq!(text, expected);
        }
        let mut text = "`S` in `blob` is not allowed, `x` is".to_owned();
        super::hide_letters(&mut text, &["SECRET".to_owned()], "/blob");
        assert_eq!(text, "`…` in `blob` is not allowed, `x` is");
    }

    #[test]
    fn fixed_help_stays_as_it_is() {
        let secrets = |secret: &str| super::Secrets {
            known: Vec::new(),
            texts: vec![secret.to_owned()],
            are_changed: true,
            are_unseen: false,
        };
        for (text, secret, expected) in [
            ("use letters, `-` and `_`, and not `x`", "-bad val!", "use letters, `-` and `_`, and not `x`"),
            ("write `bad` or `x`", "-bad val!", "write `…`"),
            ("write \"a\\nhunt\"", "a'\nhunt", "write \"…\""),
        ] {
            let mut help = text.to_owned();
            secrets(secret).take_out_of_help(&mut help, "");
            assert_eq!(help, expected);
        }
    }

    #[test]
    fn names_are_no_secrets_because_a_secret_prints_them() {
        let shown = ["elasticsearch".to_owned(), "hunter22".to_owned()];
        for (text, expected) in
            [("elasticsearch", true), ("release-name-x", true), ("hunter22", false), ("correct-horse", false)]
        {
            assert_eq!(super::is_name_of_something(text, &shown), expected, "{text}");
        }
    }
}

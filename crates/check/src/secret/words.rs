//! What findings say of secrets, without the secrets.

use trueline_diagnostic::Diagnostic;
use trueline_source::{SourceMap, Span};

use super::places;

/// What stands for a secret.
const HIDDEN: &str = "…";
/// How many characters of a text are looked for: values are cut where they are long.
const SEARCHED: usize = 12;
/// Shorter texts than this are parts of words; they are looked for between quotation marks only.
const SHORTEST: usize = 4;
/// How many texts are looked for.
const MOST: usize = 100;

/// Takes the secrets that a finding points at out of what it says.
pub(super) fn clean(finding: &mut Diagnostic, sources: &SourceMap) {
    let mut secrets: Vec<String> = Vec::new();
    for span in places(finding) {
        secrets.extend(texts(span, sources).take(MOST.saturating_sub(secrets.len())));
    }
    if secrets.is_empty() {
        return;
    }
    // The longer first: a shorter one may be a part of it.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    let clean = |text: &mut String| secrets.iter().for_each(|secret| replace(text, secret));
    clean(&mut finding.message);
    clean(&mut finding.primary.text);
    finding.related.iter_mut().for_each(|label| clean(&mut label.text));
    finding.trace.iter_mut().for_each(|frame| clean(&mut frame.text));
    finding.help.iter_mut().for_each(clean);
    if let Some(cause) = &mut finding.kube {
        clean(&mut cause.detail);
    }
    let repeats = finding.fix.as_ref().is_some_and(|fix| {
        fix.edits.iter().any(|edit| {
            let mut text = edit.replacement.clone();
            clean(&mut text);
            text != edit.replacement
                || !edit.replacement.is_empty() && texts(edit.span, sources).next().is_some()
        })
    });
    if repeats {
        finding.fix = None;
    }
    if let Some(fix) = &mut finding.fix {
        clean(&mut fix.description);
    }
}

/// The secret texts at a place, as they are typed and as they are read.
fn texts(span: Span, sources: &SourceMap) -> impl Iterator<Item = String> {
    let source = sources.get(span.source);
    let hidden: Vec<Span> = source
        .hidden_in(span.range())
        .take(MOST)
        .map(|range| span.source.span(range.start, range.end))
        .collect();
    hidden.into_iter().flat_map(move |hidden| {
        let typed = source.slice(hidden).trim();
        let read = typed.starts_with(['"', '\'']).then(|| trueline_yaml::yaml_to_value(typed).ok()).flatten();
        let read = read.as_ref().and_then(|value| value.as_str()).map(str::to_owned);
        let lines =
            typed.lines().map(|line| line.trim().trim_matches(['"', '\'', '`', '*', '&', '!']).to_owned());
        let found: Vec<String> = lines.take(MOST).chain(read).filter(|text| !text.is_empty()).collect();
        found
    })
}

/// Takes a secret out of a text, also where it was cut.
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
    for secret in [secret.to_owned(), format!("{secret:?}").trim_matches('"').to_owned()] {
        let head: String = secret.chars().take(SEARCHED).collect();
        let mut from = 0;
        while let Some(found) = text.get(from..).and_then(|rest| rest.find(&head)) {
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
}

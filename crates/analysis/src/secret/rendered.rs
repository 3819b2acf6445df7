//! From the Secrets that a chart renders to back to what was typed: text of templates, values of files and flags.

use std::collections::BTreeMap;
use std::ops::Range;

use trueline_diagnostic::is_secret_name;
use trueline_source::{Origin, Source, SourceId, SourceKind, SourceMap, Span};

use super::{document, range};
use crate::rendering::RenderedDocument;

/// Where the data of the Secrets among some documents stands, and where it was typed.
pub(crate) fn of_documents(documents: &[RenderedDocument], sources: &SourceMap) -> Vec<Span> {
    let mut found = Vec::new();
    for rendered in documents {
        let source = sources.get(rendered.source);
        let text = source.text();
        if ["Secret", "stringData"]
            .iter()
            .any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
        {
            let data = document::search(&rendered.document, text, &[]).data;
            found.extend(origins(rendered.source, &data, sources));
            let span =
                |range: &Range<u32>| Span { source: rendered.source, start: range.start, end: range.end };
            found.extend(data.iter().map(span));
        }
    }
    found
}

/// Where ranges of a rendered text were typed; nothing for any other text.
pub(super) fn origins(id: SourceId, ranges: &[Range<u32>], sources: &SourceMap) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open: Vec<Span> =
        ranges.iter().map(|range| Span { source: id, start: range.start, end: range.end }).collect();
    while let Some(span) = open.pop() {
        let source = sources.get(span.source);
        let SourceKind::Rendered(map) = source.kind() else {
            // What a chart says of itself is no secret, even where it gets into one.
            if span.source != id && !source.name().ends_with("Chart.yaml") {
                found.push(span);
            }
            continue;
        };
        let runs = map.runs();
        let first = runs.partition_point(|run| run.start <= span.start).saturating_sub(1);
        for (index, run) in runs.iter().enumerate().skip(first).take_while(|(_, run)| run.start < span.end) {
            let end = runs.get(index + 1).map_or(span.end, |next| next.start.min(span.end));
            let start = run.start.max(span.start);
            let next = match run.origin {
                Origin::Verbatim(from) => {
                    let begin = from.start.saturating_add(start - run.start).min(from.end);
                    let length = end.saturating_sub(start);
                    vec![Span { start: begin, end: begin.saturating_add(length).min(from.end), ..from }]
                }
                Origin::Computed { action, value } => {
                    let template = sources.get(action.source);
                    let base = action.start as usize;
                    let literals = literals(template.slice(action));
                    let texts = literals.map(|text| action.source.span(base + text.start, base + text.end));
                    value.into_iter().chain(texts).collect()
                }
            };
            // A rendered text is only made from sources that were there before it.
            open.extend(next.into_iter().filter(|next| next.source < span.source));
        }
    }
    found
}

/// What of a rendered text was made of values that are secret elsewhere; nothing for any other text.
pub(super) fn made_of(source: &Source, known: &BTreeMap<SourceId, Vec<Span>>) -> Vec<Range<u32>> {
    let SourceKind::Rendered(map) = source.kind() else { return Vec::new() };
    let is_known = |value: Span| {
        let spans = known.get(&value.source).map_or(&[][..], Vec::as_slice);
        spans.iter().any(|span| span.start < value.end && value.start < span.end)
    };
    let runs = map.runs();
    let end_of = |index: usize| {
        runs.get(index + 1).map_or(u32::try_from(source.text().len()).unwrap_or(u32::MAX), |next| next.start)
    };
    let is_made =
        |origin: &Origin| matches!(origin, Origin::Computed { value: Some(value), .. } if is_known(*value));
    let made = runs.iter().enumerate().filter(|(_, run)| is_made(&run.origin));
    made.map(|(index, run)| run.start..end_of(index)).collect()
}

/// The same ranges of a template without the actions in them: those say where a value is from, and not what it is. The
/// texts in them stay.
pub(super) fn without_actions(template: &str, mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut actions = Vec::new();
    let mut from = 0;
    while let Some(start) = template.get(from..).and_then(|rest| rest.find("{{")).map(|start| from + start) {
        let length = template.get(start..).and_then(|rest| rest.find("}}"));
        from = length.map_or(template.len(), |length| start + length + 2);
        actions.push(range(start..from));
    }
    ranges.sort_unstable_by_key(|range| range.start);
    let mut from = 0;
    for whole in ranges {
        // Ranges may stand inside of others.
        from = whole.start.max(from);
        let first = actions.partition_point(|action| action.end <= from);
        for action in actions.iter().skip(first).take_while(|action| action.start < whole.end) {
            found.push(from..action.start.max(from));
            let base = action.start as usize;
            let code = template.get(base..action.end as usize).unwrap_or_default();
            found.extend(literals(code).map(|text| range(base + text.start..base + text.end)));
            from = action.end;
        }
        found.push(from..whole.end.max(from));
        from = whole.end.max(from);
    }
    found
}

/// Functions whose first text is a name and no value.
const NAMING: &[&str] =
    &["include", "template", "index", "get", "dig", "hasKey", "lookup", "required", "fail"];

/// The texts in an action of a template, without those that are names.
fn literals(action: &str) -> impl Iterator<Item = Range<usize>> {
    texts(action).filter(|(_, word)| !NAMING.contains(word)).map(|(text, _)| text)
}

/// The texts in an action of a template, each with the word before it.
fn texts(action: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + action.get(from..)?.find(['"', '`'])?;
        let quote = action.get(start..)?.chars().next()?;
        let inside = action.get(start + 1..)?;
        let mut escaped = false;
        let length = inside.find(|letter: char| {
            let ends = letter == quote && !escaped;
            escaped = letter == '\\' && !escaped && quote == '"';
            ends
        });
        let end = length.map_or(action.len(), |length| start + 1 + length + 1);
        from = end;
        let word = action.get(..start)?.trim_end().rsplit(|letter: char| !letter.is_alphanumeric()).next()?;
        Some((start..end, word))
    })
}

/// The texts in the actions of a template that are named like secrets there: what a variable is set to, what follows a key,
/// and the default of a value.
pub(super) fn named_in_actions(template: &str) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = template.get(from..).and_then(|rest| rest.find("{{")).map(|start| from + start) {
        let rest = template.get(start..).unwrap_or_default();
        let action = rest.get(..rest.find("}}").map_or(rest.len(), |end| end + 2)).unwrap_or(rest);
        found.extend(
            named_literals(action).into_iter().map(|text| range(start + text.start..start + text.end)),
        );
        from = start + action.len();
    }
    found
}

fn named_literals(action: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut before: Option<Range<usize>> = None;
    for (text, word) in texts(action) {
        let above = action.get(..text.start).unwrap_or_default().trim_end();
        let assigned = above.strip_suffix('=').map(|above| above.trim_end_matches([':', ' ']));
        let variable = assigned.and_then(|above| above.rsplit('$').next());
        let is_assigned = variable.is_some_and(|name| is_name(name) && is_secret_name(name));
        let key = before.as_ref().and_then(|key| {
            let is_next = action.get(key.end..text.start)?.trim().is_empty();
            action.get(key.clone()).filter(|_| is_next)
        });
        let is_entry = key.is_some_and(|key| is_secret_name(key.trim_matches(['"', '`'])));
        let is_default = word == "default" && reads_secret(action);
        if is_assigned || is_entry || is_default {
            found.push(text.clone());
        }
        before = Some(text);
    }
    found
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Whether an action reads a value that is named like a secret.
fn reads_secret(action: &str) -> bool {
    let mut parts = action.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '.');
    parts.any(|part| part.contains('.') && part.rsplit('.').next().is_some_and(is_secret_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_named_like_secrets_are_found() {
        for (action, expected) in [
            ("{{ $dbPassword := \"x\" }}", &["\"x\""][..]),
            ("{{- $name := \"x\" -}}", &[]),
            ("{{ include \"a\" (dict \"password\" \"x\" \"user\" \"y\") }}", &["\"x\""]),
            ("{{ .Values.admin.password | default \"x\" | quote }}", &["\"x\""]),
            ("{{ default \"x\" .Values.token }}", &["\"x\""]),
            ("{{ .Values.image | default \"x\" }}", &[]),
            ("{{ include \"a\" (dict \"secret\" .Values.secret \"context\" $) }}", &[]),
        ] {
            let found: Vec<&str> = named_literals(action).into_iter().map(|range| &action[range]).collect();
            assert_eq!(found, expected, "{action}");
        }
    }

    #[test]
    fn texts_in_actions_are_found_and_names_are_not() {
        for (action, expected) in [
            ("{{ .Values.a | default \"x\" }}", &["\"x\""][..]),
            ("{{ include \"a.b\" . | printf \"%s\\\"\" `c` }}", &["\"%s\\\"\"", "`c`"]),
            ("{{ index .Values \"a\" }}", &["\"a\""]),
            ("{{ get \"a\" }}", &[]),
            ("{{ \"open", &["\"open"]),
        ] {
            let found: Vec<&str> = literals(action).map(|range| &action[range]).collect();
            assert_eq!(found, expected, "{action}");
        }
    }
}

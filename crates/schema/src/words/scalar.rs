//! Scalars as they were typed: what was typed, and how another value would be typed in its place.

use serde_json::Value;
use trueline_diagnostic::{Diagnostic, Edit, Fix};
use trueline_source::{SourceKind, SourceMap, Span};

/// The text of a span, if it is short, on one line, and in a source that somebody can edit or read.
pub(crate) fn typed(sources: &SourceMap, span: Option<Span>) -> Option<String> {
    let span = span?;
    if span.end.saturating_sub(span.start) > 200 {
        return None;
    }
    let source = sources.get(span.source);
    let text = source.slice(span);
    (!text.contains(['\n', '\r'])).then(|| text.to_owned())
}

/// Whether a change can be offered there: in a file, not in a flag, a fetched or an embedded source.
pub(crate) fn editable(sources: &SourceMap, span: Span) -> bool {
    matches!(sources.get(span.source).kind(), SourceKind::File | SourceKind::Rendered(_))
}

/// A replacement of a string or a name by another in the same kind of quotation marks.
///
/// `None` if the text at the span is not simply `before`: an alias, a folded text, escapes.
pub(crate) fn replace_text(
    sources: &SourceMap,
    span: Option<Span>,
    before: &str,
    after: &str,
) -> Option<Edit> {
    let span = span?;
    let raw = typed(sources, Some(span))?;
    let replacement = if raw == before && meaning(&raw).is_some_and(|value| value.is_number()) {
        // A number for a number. JSON does not allow leading zeros.
        let is_number = !after.is_empty() && after.bytes().all(|digit| digit.is_ascii_digit());
        let is_octal = after.len() > 1 && after.starts_with('0');
        match is_number {
            true if is_octal && sources.get(span.source).name().ends_with(".json") => return None,
            true => after.to_owned(),
            false => plain(after),
        }
    } else if raw == before {
        plain(after)
    } else if raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) == Some(before) {
        Value::from(after).to_string()
    } else if raw.strip_prefix('\'').and_then(|raw| raw.strip_suffix('\'')) == Some(before) {
        format!("'{}'", after.replace('\'', "''"))
    } else {
        return None;
    };
    editable(sources, span).then_some(Edit { span, replacement })
}

/// The finding whose fix keeps the quotes that were typed. A fix is dropped if it cannot be made that way: for
/// an alias, a string over several lines, or escapes.
#[inline]
pub fn in_its_quotes(finding: Diagnostic, sources: &SourceMap) -> Diagnostic {
    if finding.fix.is_some() { fixed_in_its_quotes(finding, sources) } else { finding }
}

fn fixed_in_its_quotes(mut finding: Diagnostic, sources: &SourceMap) -> Diagnostic {
    let Some(fix) = finding.fix.take() else { return finding };
    let edits = fix.edits.iter().map(|edit| {
        let raw = typed(sources, Some(edit.span))?;
        let quoted = |quote| raw.strip_prefix(quote).and_then(|raw| raw.strip_suffix(quote));
        let before = quoted('"').or_else(|| quoted('\'')).unwrap_or(&raw);
        if before.is_empty() || before.starts_with(['*', '&', '!', '|', '>', '{', '[']) {
            return None;
        }
        replace_text(sources, Some(edit.span), before, &edit.replacement)
    });
    let edits: Option<Vec<Edit>> = edits.collect();
    finding.fix = edits.map(|edits| Fix { edits, ..fix });
    finding
}

/// Puts something before and after what was typed.
pub(crate) fn wrap(sources: &SourceMap, span: Option<Span>, before: &str, after: &str) -> Option<Vec<Edit>> {
    let span = span.filter(|span| editable(sources, *span))?;
    let end = Span { start: span.end, ..span };
    Some(vec![
        Edit { span: span.at_start(), replacement: before.to_owned() },
        Edit { span: end, replacement: after.to_owned() },
    ])
}

/// A string as YAML that is read back as that string: without quotation marks if possible.
pub(crate) fn plain(text: &str) -> String {
    let safe_letters =
        text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/'));
    let begins_as_word =
        text.starts_with(|letter: char| letter.is_ascii_alphabetic() || matches!(letter, '_' | '/'));
    // `1.2.3` is a string as it is; anything else that begins with a digit may be a number or a date.
    let is_version = text.split('.').count() >= 3
        && text.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let means_something_else = matches!(
        text.to_ascii_lowercase().as_str(),
        "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null"
    );
    if safe_letters && (begins_as_word || is_version) && !means_something_else {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}

/// A scalar as YAML.
pub(crate) fn write(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(plain(text)),
        Value::Array(_) | Value::Object(_) => None,
        other => Some(other.to_string()),
    }
}

/// What a plain word would be read as: a number, true or false; `None` for any other string.
pub(crate) fn meaning(text: &str) -> Option<Value> {
    match text.trim() {
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(Value::Bool(false)),
        text => {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            if !digits.starts_with(|letter: char| letter.is_ascii_digit()) {
                return None;
            }
            let number = text.strip_prefix('+').unwrap_or(text);
            serde_json::from_str::<serde_json::Number>(number).ok().map(Value::Number)
        }
    }
}

/// How to turn a plain value into a string; `typed` is `None` if it must not be shown.
pub(super) fn as_text(sources: &SourceMap, span: Option<Span>, typed: Option<&str>) -> String {
    let source = span.map(|span| sources.get(span.source));
    // Quotes in this flag become part of the value.
    if source.is_some_and(|source| {
        matches!(source.kind(), SourceKind::Flag) && source.name().starts_with("--set ")
    }) {
        return "use `--set-string`, which reads every value as a string".to_owned();
    }
    match typed {
        Some(typed) => format!("put it in quotes: \"{typed}\""),
        None => "put it in quotes".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_that_mean_something_else_are_quoted() {
        assert_eq!(plain("mise"), "mise");
        assert_eq!(plain("npm-global"), "npm-global");
        assert_eq!(plain("yes"), "\"yes\"");
        assert_eq!(plain("1.20"), "\"1.20\"");
        assert_eq!(plain("1.20.3"), "1.20.3");
        assert_eq!(plain("2026-01-31"), "\"2026-01-31\"");
        assert_eq!(plain("a: b"), "\"a: b\"");
        assert_eq!(plain(""), "\"\"");
        assert_eq!(write(&json!(3)).as_deref(), Some("3"));
        assert_eq!(write(&json!([])), None);
    }

    #[test]
    fn quoted_words_have_a_meaning_of_their_own() {
        assert_eq!(meaning("8080"), Some(json!(8080)));
        assert_eq!(meaning("-1.5"), Some(json!(-1.5)));
        assert_eq!(meaning("yes"), Some(json!(true)));
        assert_eq!(meaning("1.2.3"), None);
        assert_eq!(meaning(""), None);
    }

    #[test]
    fn quotation_marks_are_kept() {
        let sources = SourceMap::new();
        let id = sources.add("t", SourceKind::File, "ab 'ab' \"ab\" *ab");
        let change = |start, end| {
            replace_text(&sources, Some(id.span(start, end)), "ab", "cd").map(|edit| edit.replacement)
        };
        assert_eq!(change(0, 2).as_deref(), Some("cd"));
        assert_eq!(change(3, 7).as_deref(), Some("'cd'"));
        assert_eq!(change(8, 12).as_deref(), Some("\"cd\""));
        assert_eq!(change(13, 16), None, "an alias is not the text itself");
        let flag = sources.add("--set a=ab", SourceKind::Flag, "ab");
        let help = as_text(&sources, Some(flag.span(0, 2)), Some("5"));
        assert_eq!(help, "use `--set-string`, which reads every value as a string");
        assert_eq!(as_text(&sources, Some(id.span(0, 2)), Some("5")), "put it in quotes: \"5\"");
        assert_eq!(replace_text(&sources, Some(flag.span(0, 2)), "ab", "cd"), None);
    }
}

//! What is printed for an expression.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::{Map, Value, json};
use trueline_analysis::query::{
    Answer, CALL_LIMIT, Compiled, ESTIMATE_LIMIT, Estimate, Failed, LONGEST_RESULT, Query, QueryIssue,
    Unanswered, Why, grouped,
};
use trueline_report::{harmless, harmless_json};
use unicode_width::UnicodeWidthStr as _;

use super::AnswerFormat;
use crate::command::{INVALID, VALID};

/// What is printed, and the exit code that it asks for.
#[derive(Debug)]
pub(super) struct Printed {
    pub(super) text: String,
    pub(super) code: u8,
}

/// Evaluates an expression.
pub(super) fn answer(query: &Query, expression: &str, format: AnswerFormat) -> Printed {
    let asked = query.ask(expression);
    let code = if asked.is_ok() { VALID } else { INVALID };
    let text = match (&asked, format) {
        (Ok(answer), AnswerFormat::Human) => human(answer),
        (Err(Unanswered::NotCompiled(issues)), AnswerFormat::Human) => human_issues(issues, expression),
        (Err(Unanswered::Failed(failed)), AnswerFormat::Human) => human_failed(failed, expression),
        (Ok(answer), AnswerFormat::Json) => return Printed { text: answered_json(answer), code },
        (Err(unanswered), AnswerFormat::Json) => {
            return Printed { text: unanswered_json(unanswered, expression), code };
        }
    };
    Printed { text: harmless(&text).into_owned(), code }
}

/// The type of an expression, which is not evaluated.
pub(super) fn type_only(query: &Query, expression: &str, format: AnswerFormat) -> Printed {
    let text = |compiled: &Compiled<'_>| format!("{}\n", compiled.type_text());
    compiled(query, expression, format, text, |compiled| json!({ "type": compiled.type_text() }))
}

/// What an expression may cost; it is not evaluated.
pub(super) fn cost_only(query: &Query, expression: &str, format: AnswerFormat) -> Printed {
    let text = |compiled: &Compiled<'_>| format!("{}\n", estimate_text(compiled.estimate()));
    compiled(
        query,
        expression,
        format,
        text,
        |compiled| json!({ "estimate": estimate_json(compiled.estimate()) }),
    )
}

fn compiled(
    query: &Query,
    expression: &str,
    format: AnswerFormat,
    text: impl FnOnce(&Compiled<'_>) -> String,
    json: impl FnOnce(&Compiled<'_>) -> Value,
) -> Printed {
    let compiled = query.compile(expression);
    let code = if compiled.is_ok() { VALID } else { INVALID };
    let text = match (compiled, format) {
        (Ok(compiled), AnswerFormat::Human) => text(&compiled),
        (Ok(compiled), AnswerFormat::Json) => format!("{}\n", json(&compiled)),
        (Err(issues), AnswerFormat::Human) => harmless(&human_issues(&issues, expression)).into_owned(),
        (Err(issues), AnswerFormat::Json) => unanswered_json(&Unanswered::NotCompiled(issues), expression),
    };
    Printed { text, code }
}

/// Something that is wrong with a line, other than its expression.
pub(super) fn wrong(message: &str, format: AnswerFormat) -> Printed {
    let text = match format {
        AnswerFormat::Human => harmless(&format!("error: {message}\n")).into_owned(),
        AnswerFormat::Json => harmless_json(format!("{}\n", json!({ "error": { "message": message } }))),
    };
    Printed { text, code: INVALID }
}

fn human(answer: &Answer) -> String {
    let type_text = match &answer.value_type {
        Some(value_type) => format!("{} ({value_type})", answer.type_text),
        None => answer.type_text.clone(),
    };
    format!(
        "result:   {}\ntype:     {type_text}\ncost:     {}\nestimate: {}\n",
        answer.text,
        grouped(answer.cost),
        estimate_text(answer.estimate)
    )
}

fn estimate_text(estimate: Estimate) -> String {
    match estimate.most {
        None => format!("at least {}, no upper bound", grouped(estimate.least)),
        Some(most) if most > ESTIMATE_LIMIT => {
            format!("up to {}, more than a rule may cost ({})", grouped(most), grouped(ESTIMATE_LIMIT))
        }
        Some(most) if most == estimate.least => grouped(most),
        Some(most) => format!("{} to {}", grouped(estimate.least), grouped(most)),
    }
}

fn human_issues(issues: &[QueryIssue], expression: &str) -> String {
    let mut text = String::new();
    for issue in issues {
        let _ = writeln!(text, "error: {}", shortened(&issue.message));
        if let Some(place) = &issue.place {
            text.push_str(&excerpt(expression, place));
        }
        if let Some(help) = &issue.help {
            let _ = writeln!(text, "  = help: {help}");
        }
    }
    text
}

fn human_failed(failed: &Failed, expression: &str) -> String {
    let mut text = format!("error: {}\n", shortened(&failed_text(failed)));
    if let Some(place) = &failed.place {
        text.push_str(&excerpt(expression, place));
    }
    let _ = writeln!(text, "  = note: it cost {} up to here", grouped(failed.cost));
    text
}

fn failed_text(failed: &Failed) -> String {
    match failed.why {
        Why::Fault => failed.message.to_string(),
        Why::TooExpensive => {
            format!("the expression was stopped: it costs more than the limit of {}", grouped(CALL_LIMIT))
        }
        Why::TooLong => format!("the result is longer than {} MiB, too long to print", LONGEST_RESULT >> 20),
    }
}

fn answered_json(answer: &Answer) -> String {
    let mut text = format!("{{\"result\":{},", answer.json);
    let mut rest = Map::new();
    rest.insert("type".to_owned(), json!(answer.type_text));
    if let Some(value_type) = &answer.value_type {
        rest.insert("value_type".to_owned(), json!(value_type));
    }
    rest.insert("cost".to_owned(), json!(answer.cost));
    rest.insert("estimate".to_owned(), estimate_json(answer.estimate));
    let rest = Value::Object(rest).to_string();
    text.push_str(rest.strip_prefix('{').unwrap_or("}"));
    text.push('\n');
    harmless_json(text)
}

fn unanswered_json(unanswered: &Unanswered, expression: &str) -> String {
    let value = match unanswered {
        Unanswered::NotCompiled(issues) => {
            let issues: Vec<Value> = issues.iter().map(|issue| issue_json(issue, expression)).collect();
            json!({ "issues": issues })
        }
        Unanswered::Failed(failed) => {
            let mut error = Map::new();
            error.insert("message".to_owned(), json!(failed_text(failed)));
            error.insert("cel".to_owned(), json!(failed.original));
            add_place(&mut error, failed.place.as_ref(), expression);
            json!({
                "error": error,
                "type": failed.type_text,
                "cost": failed.cost,
                "estimate": estimate_json(failed.estimate),
            })
        }
    };
    harmless_json(format!("{value}\n"))
}

fn estimate_json(estimate: Estimate) -> Value {
    json!({ "min": estimate.least, "max": estimate.most })
}

fn issue_json(issue: &QueryIssue, expression: &str) -> Value {
    let mut value = Map::new();
    value.insert("message".to_owned(), json!(issue.message));
    value.insert("cel".to_owned(), json!(issue.original));
    if let Some(help) = &issue.help {
        value.insert("help".to_owned(), json!(help));
    }
    add_place(&mut value, issue.place.as_ref(), expression);
    Value::Object(value)
}

fn add_place(value: &mut Map<String, Value>, place: Option<&Range<usize>>, expression: &str) {
    let Some(place) = place else { return };
    for (line_name, column_name, offset) in
        [("line", "column", place.start), ("end_line", "end_column", place.end)]
    {
        let before = expression.get(..offset).unwrap_or(expression);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        value.insert(line_name.to_owned(), json!(line));
        value.insert(column_name.to_owned(), json!(column));
    }
}

/// The longest message that is shown, in characters. It may quote all of an expression.
const LONGEST_MESSAGE: usize = 400;

fn shortened(message: &str) -> String {
    match message.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", message.get(..end).unwrap_or_default()),
        None => message.to_owned(),
    }
}

/// How many characters of a line are shown before a mark, and how many from there on.
const BEFORE: usize = 60;
const AFTER: usize = 60;

/// The line of a place with marks under it. Of a long line, the part around the place.
fn excerpt(expression: &str, place: &Range<usize>) -> String {
    let (before, rest) = match (expression.get(..place.start), expression.get(place.start..)) {
        (Some(before), Some(rest)) => (before, rest),
        _ => return String::new(),
    };
    let number = before.matches('\n').count() + 1;
    let before = before.rsplit('\n').next().unwrap_or_default();
    let rest = rest.split('\n').next().unwrap_or_default().trim_end_matches('\r');
    let hidden = before.chars().count().saturating_sub(BEFORE);
    let mut line = String::from(if hidden > 0 { "…" } else { "" });
    line.extend(before.chars().skip(hidden).map(visible));
    let margin = line.width();
    let marked: String = expression
        .get(place.clone())
        .unwrap_or_default()
        .split('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .take(AFTER)
        .map(visible)
        .collect();
    line.extend(rest.chars().take(AFTER).map(visible));
    if rest.chars().nth(AFTER).is_some() {
        line.push('…');
    }
    let marks = "^".repeat(marked.trim_end().width().max(1));
    let number = number.to_string();
    let gutter = " ".repeat(number.len());
    format!("{number} | {line}\n{gutter} | {}{marks}\n", " ".repeat(margin))
}

/// Tabs and control characters one column wide, which keeps the marks in place.
fn visible(character: char) -> char {
    match character {
        '\t' => ' ',
        character if trueline_report::is_control(character) => char::REPLACEMENT_CHARACTER,
        character => character,
    }
}

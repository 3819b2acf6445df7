//! `pattern`: the text does not match a regular expression. Patterns that only list letters are said in
//! words; of the others the schema's description and examples say more than the expression itself.

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::Words;
use super::excerpt::{list, quote};
use super::route::Route;
use crate::{Violation, help};

/// The text does not match.
pub(crate) static WRONG_PATTERN: Code = Code {
    id: "TL0209",
    name: "wrong-pattern",
    severity: Severity::Error,
    summary: "A text does not have the form that its field asks for",
    explanation: "The schema describes the text by a regular expression (`pattern`), and the text does not match it. \
Where the expression only lists the letters that may be used, the message names them; otherwise look at the examples \
and the description in the help line.",
    wrong: "metadata:\n  name: Node JS\n",
    right: "metadata:\n  name: node-js\n",
};

pub(crate) fn word(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Diagnostic {
    let subject = words.subject(violation);
    let pattern = violation.want.as_str().unwrap_or_default();
    let got = words.got(violation);
    let text = match got.as_ref() {
        Value::String(text) => text.as_str(),
        _ => "",
    };
    let place = words.place(violation);
    if text.is_empty() && got.is_string() {
        let diagnostic = Diagnostic::new(&WRONG_PATTERN, place, format!("{subject} must not be empty"));
        return diagnostic
            .label("expected a text")
            .help(format!("it has to match the pattern {}", quote(pattern)));
    }
    let excerpt = words.excerpt(violation);
    if let Some(class) = Class::of(pattern) {
        let allowed = class.words();
        let is = excerpt.as_ref().map_or(String::new(), |excerpt| format!(" is {excerpt}, but"));
        let message = format!("{subject}{is} may only contain {allowed}");
        let diagnostic = Diagnostic::new(&WRONG_PATTERN, place, message);
        let offending = text.chars().find(|letter| !class.allows(*letter)).filter(|_| excerpt.is_some());
        return match offending {
            Some(' ') => diagnostic.label("a space is not allowed"),
            Some(letter) => diagnostic.label(format!("{} is not allowed", quote(&letter.to_string()))),
            None => diagnostic.label(format!("does not match {}", quote(pattern))),
        };
    }
    let message = match (known(pattern), &excerpt) {
        (Some(known), Some(excerpt)) => format!("{subject} is {excerpt}, which is not {known}"),
        (Some(known), None) => format!("{subject} is not {known}"),
        (None, Some(excerpt)) => {
            format!("{subject} is {excerpt}, which does not match the pattern {}", quote(pattern))
        }
        (None, None) => format!("{subject} does not match the pattern {}", quote(pattern)),
    };
    let described = route.beside().any(|step| help::description(step.schema).is_some());
    let diagnostic = Diagnostic::new(&WRONG_PATTERN, place, message);
    if let Some(known) = known(pattern) {
        return diagnostic.label(format!("expected {known}"));
    }
    let diagnostic = diagnostic.label("does not match the pattern");
    if described {
        return diagnostic;
    }
    diagnostic.help("the pattern is a regular expression: ^ is the beginning of the text and $ its end")
}

/// What a text that matches a pattern is called.
pub(crate) fn noun(pattern: &str) -> String {
    if let Some(known) = known(pattern) {
        return known.to_owned();
    }
    match Class::of(pattern) {
        Some(class) => format!("a string of {}", class.words()),
        None => format!("a string that matches {}", quote(pattern)),
    }
}

/// Expressions that everybody writes, and what they mean.
fn known(pattern: &str) -> Option<&'static str> {
    let plain = pattern.strip_prefix('^')?.strip_suffix('$')?.replace("[0-9]", "\\d");
    match plain.as_str() {
        "\\d{4}-\\d{2}-\\d{2}" => Some("a date such as 2026-01-31"),
        "\\d+\\.\\d+\\.\\d+" => Some("a version of three numbers such as 1.2.3"),
        "\\d+\\.\\d+" => Some("a version of two numbers such as 1.2"),
        "v?\\d+\\.\\d+\\.\\d+" | "v\\d+\\.\\d+\\.\\d+" => Some("a version such as v1.2.3"),
        "https://.*" | "https://.+" | "https:\\/\\/.*" | "https:\\/\\/.+" => {
            Some("an address that begins with https://")
        }
        _ => None,
    }
}

/// A pattern of the form `^[letters]+$`: ranges and single letters.
struct Class {
    ranges: Vec<(char, char)>,
}

impl Class {
    fn of(pattern: &str) -> Option<Self> {
        let inner = pattern.strip_prefix("^[")?;
        let inner = inner.strip_suffix('$')?;
        let inner = inner.strip_suffix(['+', '*'])?.strip_suffix(']')?;
        if inner.starts_with('^') {
            return None;
        }
        let mut ranges = Vec::new();
        let mut letters = inner.chars().peekable();
        while let Some(letter) = letters.next() {
            let letter = match letter {
                '\\' => match letters.next()? {
                    'd' => {
                        ranges.push(('0', '9'));
                        continue;
                    }
                    'w' => {
                        ranges.extend([('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]);
                        continue;
                    }
                    escaped if !escaped.is_alphanumeric() => escaped,
                    _ => return None,
                },
                // Another class begins or the first has ended: more than a list of letters.
                '[' | ']' => return None,
                letter => letter,
            };
            let mut rest = letters.clone();
            if rest.next() == Some('-')
                && let Some(end) = rest.next()
            {
                if end == '\\' || end < letter {
                    return None;
                }
                ranges.push((letter, end));
                letters = rest;
            } else {
                ranges.push((letter, letter));
            }
        }
        (!ranges.is_empty()).then_some(Class { ranges })
    }

    fn allows(&self, letter: char) -> bool {
        self.ranges.iter().any(|(start, end)| (*start..=*end).contains(&letter))
    }

    fn words(&self) -> String {
        let has = |start, end| self.ranges.contains(&(start, end));
        let mut parts: Vec<String> = Vec::new();
        match (has('a', 'z'), has('A', 'Z')) {
            (true, true) => parts.push("letters from a to z".to_owned()),
            (true, false) => parts.push("lower-case letters".to_owned()),
            (false, true) => parts.push("upper-case letters".to_owned()),
            (false, false) => {}
        }
        if has('0', '9') {
            parts.push("digits".to_owned());
        }
        for &(start, end) in &self.ranges {
            match (start, end) {
                ('a', 'z') | ('A', 'Z') | ('0', '9') => {}
                (' ', ' ') => parts.push("spaces".to_owned()),
                (start, end) if start == end => parts.push(quote(&start.to_string())),
                (start, end) => {
                    parts.push(format!("{} to {}", quote(&start.to_string()), quote(&end.to_string())))
                }
            }
        }
        list(parts, "and")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_letters_are_said_in_words() {
        for (pattern, wanted) in [
            ("^[a-z0-9-]+$", Some("lower-case letters, digits and `-`")),
            ("^[A-Z_]*$", Some("upper-case letters and `_`")),
            ("^[\\w.]+$", Some("letters from a to z, digits, `_` and `.`")),
            ("^[a-fA-F\\d]+$", Some("digits, `a` to `f` and `A` to `F`")),
            ("^[a-z][a-z0-9]*$", None),
            ("^[^/]+$", None),
            ("[a-z]+", None),
            ("^[]+$", None),
            ("^[a\\", None),
        ] {
            assert_eq!(Class::of(pattern).map(|class| class.words()).as_deref(), wanted, "{pattern}");
        }
    }
}

//! `pattern`: the string does not match a regular expression. Patterns that only list characters are explained
//! in words; for the others the schema's description and examples say more than the expression itself.

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::Words;
use super::excerpt::{list, quote};
use super::route::Route;
use crate::{Violation, help};

/// The string does not match.
pub(crate) static WRONG_PATTERN: Code = Code {
    id: "TL0209",
    name: "wrong-pattern",
    severity: Severity::Error,
    summary: "A string does not match the pattern of its field",
    explanation: "The string must match a regular expression (`pattern`) but does not. If the expression only \
                  lists the allowed characters, the message names them; otherwise see the examples and the \
                  description in the help line.",
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
            .label("expected a non-empty string")
            .help(format!("it must match the pattern {}", quote(pattern)));
    }
    let excerpt = words.excerpt(violation);
    if let Some(letters) = Letters::of(pattern) {
        let is = excerpt.as_ref().map_or(String::new(), |excerpt| format!(" is {excerpt}, but"));
        let message = format!("{subject}{is} {}", letters.rule());
        let diagnostic = Diagnostic::new(&WRONG_PATTERN, place, message);
        return match letters.offending(text).filter(|_| excerpt.is_some()) {
            Some((Position::First, letter)) => {
                diagnostic.label(format!("cannot begin with {}", quote(&letter.to_string())))
            }
            Some((Position::Later, ' ')) => diagnostic.label("a space is not allowed"),
            Some((Position::Later, letter)) => {
                diagnostic.label(format!("{} is not allowed", quote(&letter.to_string())))
            }
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
    diagnostic.help("the pattern is a regular expression: `^` is the start of the string and `$` its end")
}

/// What a string that matches a pattern is called.
pub(crate) fn noun(pattern: &str) -> String {
    if let Some(known) = known(pattern) {
        return known.to_owned();
    }
    match Letters::of(pattern) {
        Some(Letters { first: None, all }) => format!("a string of {}", all.words()),
        Some(Letters { first: Some(first), all }) => {
            format!("a string of {} that begins with {}", all.words(), first.word())
        }
        None => format!("a string that matches {}", quote(pattern)),
    }
}

/// Common expressions and what they mean.
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
        "[a-z0-9]+(-[a-z0-9]+)*" | "[a-z][a-z0-9]*(-[a-z0-9]+)*" | "[a-z0-9]+(?:-[a-z0-9]+)*" => {
            Some("a name of lower-case words joined by `-`, such as my-name")
        }
        "[a-z0-9]([-a-z0-9]*[a-z0-9])?" | "[a-z0-9]([a-z0-9-]*[a-z0-9])?" => {
            Some("a name of lower-case letters, digits and inner `-`, such as my-name")
        }
        long if long.starts_with("(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)") => {
            Some("a semantic version such as 1.2.3")
        }
        _ => None,
    }
}

/// A pattern that only lists characters: `^[letters]+$`, or `^[first][letters]*$`.
struct Letters {
    first: Option<Class>,
    all: Class,
}

enum Position {
    First,
    Later,
}

impl Letters {
    fn of(pattern: &str) -> Option<Self> {
        let (one, rest) = Class::at_start(pattern.strip_prefix('^')?)?;
        match rest {
            "+$" | "*$" => Some(Letters { first: None, all: one }),
            rest => match Class::at_start(rest)? {
                (all, "*$" | "+$") => Some(Letters { first: Some(one), all }),
                _ => None,
            },
        }
    }

    fn rule(&self) -> String {
        match &self.first {
            None => format!("may only contain {}", self.all.words()),
            Some(first) => format!("must begin with {} and only contain {}", first.word(), self.all.words()),
        }
    }

    fn offending(&self, text: &str) -> Option<(Position, char)> {
        let mut letters = text.chars();
        if let Some(class) = &self.first
            && let Some(first) = letters.next()
            && !class.allows(first)
        {
            return Some((Position::First, first));
        }
        letters.find(|letter| !self.all.allows(*letter)).map(|letter| (Position::Later, letter))
    }
}

/// The characters between brackets: ranges and single ones.
struct Class {
    ranges: Vec<(char, char)>,
}

impl Class {
    /// The class at the beginning of a pattern, and what follows it.
    fn at_start(pattern: &str) -> Option<(Self, &str)> {
        let inner = pattern.strip_prefix('[')?;
        if inner.starts_with('^') {
            return None;
        }
        let mut ranges = Vec::new();
        let mut letters = inner.chars();
        loop {
            let letter = match letters.next()? {
                ']' => break,
                '[' => return None,
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
                letter => letter,
            };
            let mut ahead = letters.clone();
            match (ahead.next(), ahead.next()) {
                (Some('-'), Some(end)) if end != ']' => {
                    if end == '\\' || end < letter {
                        return None;
                    }
                    ranges.push((letter, end));
                    letters = ahead;
                }
                _ => ranges.push((letter, letter)),
            }
        }
        (!ranges.is_empty()).then_some((Class { ranges }, letters.as_str()))
    }

    fn allows(&self, letter: char) -> bool {
        self.ranges.iter().any(|(start, end)| (*start..=*end).contains(&letter))
    }

    /// One of them.
    fn word(&self) -> String {
        list(
            self.parts([
                "a letter from a to z",
                "a lower-case letter",
                "an upper-case letter",
                "a digit",
                "a space",
            ]),
            "or",
        )
    }

    /// All of them.
    fn words(&self) -> String {
        list(
            self.parts([
                "letters from a to z",
                "lower-case letters",
                "upper-case letters",
                "digits",
                "spaces",
            ]),
            "and",
        )
    }

    fn parts(&self, [both, lower, upper, digits, spaces]: [&str; 5]) -> Vec<String> {
        let has = |start, end| self.ranges.contains(&(start, end));
        let mut parts: Vec<String> = Vec::new();
        match (has('a', 'z'), has('A', 'Z')) {
            (true, true) => parts.push(both.to_owned()),
            (true, false) => parts.push(lower.to_owned()),
            (false, true) => parts.push(upper.to_owned()),
            (false, false) => {}
        }
        if has('0', '9') {
            parts.push(digits.to_owned());
        }
        for &(start, end) in &self.ranges {
            match (start, end) {
                ('a', 'z') | ('A', 'Z') | ('0', '9') => {}
                (' ', ' ') => parts.push(spaces.to_owned()),
                (start, end) if start == end => parts.push(quote(&start.to_string())),
                (start, end) => {
                    parts.push(format!("{} to {}", quote(&start.to_string()), quote(&end.to_string())));
                }
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_characters_are_put_into_words() {
        for (pattern, wanted) in [
            ("^[a-z0-9-]+$", Some("lower-case letters, digits and `-`")),
            ("^[A-Z_]*$", Some("upper-case letters and `_`")),
            ("^[\\w.]+$", Some("letters from a to z, digits, `_` and `.`")),
            ("^[a-fA-F\\d]+$", Some("digits, `a` to `f` and `A` to `F`")),
            ("^[a-z][a-z0-9]*-$", None),
            ("^[^/]+$", None),
            ("[a-z]+", None),
            ("^[]+$", None),
            ("^[a\\", None),
        ] {
            let found = Letters::of(pattern).map(|letters| letters.all.words());
            assert_eq!(found.as_deref(), wanted, "{pattern}");
        }
    }
}

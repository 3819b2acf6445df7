//! The detour of `sigs.k8s.io/yaml`: a value becomes JSON text, that text is read as YAML, and the result is
//! written. Not all values survive this unchanged; these are the rules for those that do not.

use std::borrow::Cow;

use crate::go::first_unsupported;
use crate::json::{Escaping, push_escaped, sorted};
use crate::{Data, Value, number};

use super::MarshalError;

/// What keeps a value from being written at all: first what JSON cannot express, then what YAML cannot read.
pub(super) fn check(value: &Value) -> Result<(), MarshalError> {
    if let Some(number) = first_unsupported(value) {
        return Err(MarshalError::Number(number));
    }
    // The reader looks ahead for these, so they are reported before anything else.
    if has_refused_character(value) {
        return Err(MarshalError::ControlCharacter);
    }
    Reader { line: 0 }.check(value)
}

/// The text of a number that went through JSON: integers lose their exponent, and zero its sign.
pub(super) fn number(value: f64) -> String {
    match number::json(value) {
        Some(text) if text == "-0" => "0".to_owned(),
        Some(text) if text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok() => text,
        _ => number::yaml(value),
    }
}

/// The string after the detour through JSON: NEL is not escaped there, and YAML folds it.
pub(super) fn string(text: &str) -> Cow<'_, str> {
    if !text.contains(NEXT_LINE) {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(position) = rest.find(NEXT_LINE) {
        folded.push_str(rest[..position].trim_end_matches(' '));
        let behind = rest[position..].trim_start_matches([NEXT_LINE, ' ']);
        let breaks = rest[position..rest.len() - behind.len()].matches(NEXT_LINE).count();
        match breaks {
            1 => folded.push(' '),
            _ => folded.extend(std::iter::repeat_n('\n', breaks - 1)),
        }
        rest = behind;
    }
    folded.push_str(rest);
    Cow::Owned(folded)
}

const NEXT_LINE: char = '\u{85}';

/// Keys are recognised only if their colon follows within this many characters.
const LONGEST_KEY: usize = 1024;

fn has_refused_character(value: &Value) -> bool {
    match &value.data {
        Data::String(text) => text.contains(is_refused),
        Data::List(items) => items.iter().any(has_refused_character),
        Data::Map(map) => {
            map.iter().any(|(key, entry)| key.contains(is_refused) || has_refused_character(&entry.value))
        }
        _ => false,
    }
}

/// The error that a YAML reader of the JSON text would report.
struct Reader {
    /// The line breaks so far: JSON as written has none between its tokens, so they are all in strings.
    line: usize,
}

impl Reader {
    fn check(&mut self, value: &Value) -> Result<(), MarshalError> {
        match &value.data {
            Data::String(text) => self.check_string(text),
            Data::List(items) => items.iter().try_for_each(|item| self.check(item)),
            Data::Map(map) => sorted(map).into_iter().try_for_each(|(key, value)| {
                self.check_key(key)?;
                self.check(value)
            }),
            _ => Ok(()),
        }
    }

    fn check_key(&mut self, key: &str) -> Result<(), MarshalError> {
        self.check_string(key)?;
        let mut quoted = String::new();
        key.chars().for_each(|character| push_escaped(&mut quoted, character, Escaping::Html));
        let quotes = 2;
        if key.contains(NEXT_LINE) || quoted.chars().count() + quotes > LONGEST_KEY {
            return Err(MarshalError::Key(self.line));
        }
        Ok(())
    }

    fn check_string(&mut self, text: &str) -> Result<(), MarshalError> {
        for (position, _) in text.match_indices(NEXT_LINE) {
            self.line += 1;
            let line = &text[position + NEXT_LINE.len_utf8()..];
            let behind = line.strip_prefix("---").or_else(|| line.strip_prefix("..."));
            if behind.is_some_and(|behind| behind.starts_with([' ', NEXT_LINE])) {
                return Err(MarshalError::DocumentIndicator(self.line + 1));
            }
        }
        Ok(())
    }
}

/// Characters that are in JSON as they are, but that a YAML reader refuses.
fn is_refused(character: char) -> bool {
    match character {
        '\u{7f}'..='\u{9f}' => character != NEXT_LINE,
        '\u{fffe}' | '\u{ffff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_line_is_folded() {
        for (text, folded) in [
            ("a\u{85}b", "a b"),
            ("a  \u{85}  b", "a b"),
            ("a \u{85} \u{85}b", "a\nb"),
            ("\u{85}\u{85}\u{85}", "\n\n"),
            ("a \tb", "a \tb"),
            ("\u{85}", " "),
        ] {
            assert_eq!(string(text), folded);
        }
    }

    #[test]
    fn numbers_lose_what_json_does_not_keep() {
        for (value, text) in
            [(-0.0, "0"), (1e6, "1000000"), (1e18, "1000000000000000000"), (1e20, "1e+20"), (1e-5, "1e-05")]
        {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn values_refused_by_go_are_refused_in_its_words() {
        for (value, words) in [
            (Value::from(f64::INFINITY), "error marshaling into JSON: json: unsupported value: +Inf"),
            (Value::from("a\u{7f}"), "yaml: control characters are not allowed"),
            (Value::from("\u{ffff}"), "yaml: control characters are not allowed"),
            (Value::from("a\u{85}--- "), "yaml: line 2: found unexpected document indicator"),
            (
                Value::from_iter([("a\u{85}b", Value::from(1))]),
                "yaml: line 1: did not find expected ',' or '}'",
            ),
            (
                Value::from_iter([("a".repeat(1023), Value::from(1))]),
                "yaml: did not find expected ',' or '}'",
            ),
        ] {
            assert_eq!(check(&value).unwrap_err().to_string(), words);
        }
        assert_eq!(check(&Value::from_iter([("a".repeat(1022), Value::from("\u{fffd}\u{85}---"))])), Ok(()));
    }
}

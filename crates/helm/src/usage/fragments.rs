//! Texts that `tpl` may run and that are no templates by themselves: parts that are put together when a template runs,
//! or templates for another program. What they name is looked for without understanding the rest.

use std::sync::Arc;

use super::abstraction::Abstract;
use super::interpreter::{Interpreter, TooMuch};

/// Something that a string names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// Fields of what it is run with.
    Fields(Vec<Arc<str>>),
    /// What it is run with, as a whole.
    Dot,
    /// A template that is included.
    Template(Arc<[u8]>),
}

impl Interpreter<'_> {
    /// Counts everything that a string names as used.
    pub(super) fn run_fragment(&mut self, names: &[Named], dot: &Abstract) -> Result<(), TooMuch> {
        for named in names {
            match named {
                Named::Fields(names) => {
                    let value = names.iter().fold(dot.clone(), |value, name| self.field(&value, name));
                    self.escape(&value);
                }
                Named::Dot => self.escape(dot),
                Named::Template(name) => {
                    self.include(name, dot)?;
                }
            }
        }
        Ok(())
    }
}

/// What a string names in its actions; the last action may lack its end.
pub(super) fn named(text: &str) -> Vec<Named> {
    let mut found = Vec::new();
    let mut starts = memchr::memmem::find_iter(text.as_bytes(), b"{{").peekable();
    while let Some(start) = starts.next() {
        let end = starts.peek().copied().unwrap_or(text.len());
        let action = text.get(start + 2..end).unwrap_or_default();
        let end = memchr::memmem::find(action.as_bytes(), b"}}").unwrap_or(action.len());
        names_in(action.get(..end).unwrap_or_default(), &mut found);
    }
    found
}

fn names_in(action: &str, found: &mut Vec<Named>) {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut rest = action;
    let mut before = "";
    while let Some(first) = rest.chars().next() {
        let behind = rest.get(first.len_utf8()..).unwrap_or_default();
        match first {
            '"' | '`' => {
                let (text, behind) = behind.split_once(first).unwrap_or((behind, ""));
                if matches!(before, "include" | "template") {
                    found.push(Named::Template(text.as_bytes().into()));
                    // Its argument is taken for what the text is run with.
                    rest = behind.trim_start().trim_start_matches(['.', '$']);
                } else {
                    rest = behind;
                }
                before = "";
            }
            '$' | '.' => {
                let variable = if first == '$' {
                    behind.find(|letter| !is_name(letter)).unwrap_or(behind.len())
                } else {
                    0
                };
                let mut at = if first == '$' { behind.get(variable..).unwrap_or_default() } else { rest };
                let mut names = Vec::new();
                while let Some(field) = at.strip_prefix('.') {
                    let end = field.find(|letter| !is_name(letter)).unwrap_or(field.len());
                    let (name, behind) = field.split_at(end);
                    at = behind;
                    if name.is_empty() {
                        break;
                    }
                    names.push(name.into());
                }
                // Variables of its own are somebody else's.
                match (variable, names.is_empty()) {
                    (1.., _) => {}
                    (0, true) => found.push(Named::Dot),
                    (0, false) => found.push(Named::Fields(names)),
                }
                rest = at;
                before = "";
            }
            letter if is_name(letter) => {
                let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
                let (word, behind) = rest.split_at(end);
                // A dot directly after a word or a number belongs to it.
                let number = behind.strip_prefix('.').filter(|_| word.chars().all(char::is_numeric));
                before = word;
                rest = number.unwrap_or(behind);
            }
            letter => {
                if !letter.is_whitespace() {
                    before = "";
                }
                rest = behind;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_without_understanding() {
        let fields = |names: &[&str]| Named::Fields(names.iter().map(|name| (*name).into()).collect());
        let template = |name: &str| Named::Template(name.as_bytes().into());
        for (text, expected) in [
            ("{{- with $.RelativeScope -}}", vec![fields(&["RelativeScope"])]),
            ("{{- end }}", vec![]),
            ("{{", vec![]),
            ("no .Values.x here", vec![]),
            ("{{ $labels.pod }} {{ .Values.a.b", vec![fields(&["Values", "a", "b"])]),
            ("{{ include \"x\" . }}{{ toYaml . }}", vec![template("x"), Named::Dot]),
            ("{{ printf \"%.2f .Values\" $value }}{{ 1.5 }}", vec![]),
            ("{{ (.Values.a).b }}", vec![fields(&["Values", "a"]), fields(&["b"])]),
            ("{{ template \"x\" $ }}", vec![template("x")]),
        ] {
            assert_eq!(named(text), expected, "{text}");
        }
    }
}

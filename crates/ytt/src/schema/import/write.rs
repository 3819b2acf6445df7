//! A ytt schema as text.

use trueline_yaml::json::{Escaping, write_string};

use crate::tree::Value;

/// A node of a ytt schema.
#[derive(Debug)]
pub(super) struct Node {
    /// What is above it, such as `schema/nullable`, without the sign.
    pub(super) annotations: Vec<String>,
    /// Rules, which become one annotation.
    pub(super) rules: Vec<String>,
    pub(super) example: Example,
    /// Whether its default meets its rules.
    pub(super) is_valid: bool,
}

/// What says the type of a node, and is its default.
#[derive(Debug)]
pub(super) enum Example {
    /// A scalar or a collection on one line.
    Inline(String),
    Map(Vec<(String, Node)>),
    /// The one item of an array.
    Array(Box<Node>),
}

impl Example {
    /// Whether it is a value other than null.
    pub(super) fn is_not_null(&self) -> bool {
        !matches!(self, Example::Inline(text) if text == "null")
    }

    /// Whether missing keys are added to maps in it before rules run.
    pub(super) fn is_filled_in(&self) -> bool {
        match self {
            Example::Inline(_) => false,
            Example::Map(items) => !items.is_empty(),
            Example::Array(item) => item.example.is_filled_in(),
        }
    }
}

impl Node {
    pub(super) fn inline(text: impl Into<String>) -> Node {
        Node {
            annotations: Vec::new(),
            rules: Vec::new(),
            example: Example::Inline(text.into()),
            is_valid: true,
        }
    }

    /// How much it writes by itself.
    pub(super) fn size(&self) -> usize {
        let own = match &self.example {
            Example::Inline(text) => text.len(),
            Example::Map(items) => items.iter().map(|(key, _)| key.len()).sum(),
            Example::Array(_) => 0,
        };
        self.annotations.iter().chain(&self.rules).map(String::len).sum::<usize>() + own
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        // Keyword arguments come last.
        let (own, named): (Vec<&String>, Vec<&String>) =
            self.rules.iter().partition(|rule| rule.starts_with('('));
        let all: Vec<&str> = own.into_iter().chain(named).map(String::as_str).collect();
        let rules = (!all.is_empty()).then(|| format!("schema/validation {}", all.join(", ")));
        let all = self.annotations.iter().cloned().chain(rules);
        all.map(|annotation| format!("#@{annotation}")).collect::<Vec<_>>().into_iter()
    }

    /// Whether a rule is a function of `@ytt:assert`.
    fn asserts(&self) -> bool {
        let is_own = self.rules.iter().any(|rule| rule.starts_with('('));
        is_own
            || match &self.example {
                Example::Inline(_) => false,
                Example::Map(items) => items.iter().any(|(_, node)| node.asserts()),
                Example::Array(item) => item.asserts(),
            }
    }

    /// The whole schema.
    pub(super) fn into_document(self) -> String {
        let mut text = String::new();
        if self.asserts() {
            text.push_str("#@ load(\"@ytt:assert\", \"assert\")\n\n");
        }
        text.push_str("#@data/values-schema\n");
        for line in self.lines() {
            text.push_str(&line);
            text.push('\n');
        }
        text.push_str("---\n");
        self.write_value(0, &mut text, Start::Line);
        text
    }

    /// The value, below a key or after a dash.
    fn write_value(&self, indent: usize, text: &mut String, start: Start) {
        let is_below = start == Start::Key;
        match &self.example {
            Example::Inline(value) => {
                text.push_str(if is_below { " " } else { "" });
                text.push_str(value);
                text.push('\n');
            }
            Example::Map(items) if items.is_empty() => {
                text.push_str(if is_below { " {}\n" } else { "{}\n" });
            }
            Example::Map(items) => {
                if is_below {
                    text.push('\n');
                }
                for (key, node) in items {
                    node.write_annotations(indent, text);
                    text.push_str(&" ".repeat(indent));
                    text.push_str(&key_text(key));
                    text.push(':');
                    // Items of arrays are written where their key is.
                    let inside = if matches!(node.example, Example::Array(_)) { indent } else { indent + 2 };
                    node.write_value(inside, text, Start::Key);
                }
            }
            Example::Array(item) => {
                if is_below {
                    text.push('\n');
                }
                item.write_annotations(indent, text);
                text.push_str(&" ".repeat(indent));
                match &item.example {
                    Example::Inline(_) => {
                        text.push_str("- ");
                        item.write_value(indent, text, Start::Line);
                    }
                    Example::Map(items) if items.is_empty() => text.push_str("- {}\n"),
                    // A dash alone keeps the annotations of the item apart from those of its first key.
                    Example::Map(_) | Example::Array(_) => {
                        text.push_str("-\n");
                        item.write_value(indent + 2, text, Start::Line);
                    }
                }
            }
        }
    }

    fn write_annotations(&self, indent: usize, text: &mut String) {
        for line in self.lines() {
            text.push_str(&" ".repeat(indent));
            text.push_str(&line);
            text.push('\n');
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Line,
    Key,
}

/// Words that YAML 1.1 takes for something else.
const WORDS: [&str; 10] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan"];

/// A key as YAML.
fn key_text(key: &str) -> String {
    let is_plain = key.starts_with(|first: char| first.is_ascii_alphabetic())
        && key.chars().all(|character| character.is_ascii_alphanumeric() || "_-./".contains(character))
        && !WORDS.iter().any(|word| key.eq_ignore_ascii_case(word));
    if is_plain { key.to_owned() } else { string(key) }
}

/// A string as YAML and as JSON.
pub(super) fn string(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text, Escaping::Minimal);
    if !out.chars().any(is_not_plain_yaml) {
        return out;
    }
    let escaped = |character: char| match is_not_plain_yaml(character) {
        true => format!("\\u{:04x}", u32::from(character)),
        false => character.to_string(),
    };
    out.chars().map(escaped).collect()
}

/// Whether YAML refuses a character that JSON takes, or reads it as a line break or a byte order mark.
fn is_not_plain_yaml(character: char) -> bool {
    matches!(character, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// A value as Starlark, on one line.
pub(super) fn starlark(value: &Value) -> String {
    collected(value, ["None", "True", "False"], starlark_string)
}

/// A value as YAML, on one line.
pub(super) fn flow(value: &Value) -> String {
    collected(value, ["null", "true", "false"], string)
}

fn collected(value: &Value, words: [&str; 3], quoted: fn(&str) -> String) -> String {
    let [null, yes, no] = words;
    match value {
        Value::Null => null.to_owned(),
        Value::Bool(value) => if *value { yes } else { no }.to_owned(),
        Value::Int(number) => number.to_string(),
        Value::UInt(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::String(text) => quoted(&text.to_str_lossy()),
        Value::Array(array) => {
            let items: Vec<String> =
                array.items.iter().map(|item| collected(&item.value, words, quoted)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => {
            let items = map.items.iter().map(|item| {
                let (key, value) = (&item.key, &item.value);
                format!("{}: {}", collected(key, words, quoted), collected(value, words, quoted))
            });
            format!("{{{}}}", items.collect::<Vec<String>>().join(", "))
        }
    }
}

/// A string as Starlark, on one line.
pub(super) fn starlark_string(text: &str) -> String {
    trueline_starlark::quote(text.as_bytes())
}

//! A ytt schema as text.

use trueline_yaml::json::{Escaping, write_string};

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
        let rules = (!self.rules.is_empty()).then(|| format!("schema/validation {}", self.rules.join(", ")));
        let all = self.annotations.iter().cloned().chain(rules);
        all.map(|annotation| format!("#@{annotation}")).collect::<Vec<_>>().into_iter()
    }

    /// The whole schema.
    pub(super) fn into_document(self) -> String {
        let mut text = String::from("#@data/values-schema\n");
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
    out
}

/// A string as Starlark, on one line.
pub(super) fn starlark_string(text: &str) -> String {
    trueline_starlark::quote(text.as_bytes())
}

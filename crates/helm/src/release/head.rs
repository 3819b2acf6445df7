//! The head of a document: what it says it is, decoded as Go decodes YAML into a struct with these fields.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use trueline_source::SourceId;
use trueline_yaml::{NodeKind, NodeRef, ScalarValue, number};

use crate::chart::Compat;
use crate::go_yaml;

/// What a document says it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// `apiVersion`.
    pub version: String,
    /// `kind`.
    pub kind: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.annotations`.
    pub annotations: BTreeMap<String, String>,
}

/// What is wrong with a document, and where in it.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) text: String,
    pub(super) range: Range<usize>,
}

/// Reads the head of a document. All of it must be YAML, though only the head is looked at.
pub(super) fn read(content: &[u8], compat: Compat) -> Result<Head, Wrong> {
    let broken = go_yaml::broken(content);
    let text: Arc<str> = String::from_utf8_lossy(content).into();
    // Places are ranges, so it does not matter which source the text belongs to.
    let document = match go_yaml::first(SourceId::from_index(0), &text, broken) {
        Ok(Some(document)) => document,
        Ok(None) => return Ok(Head::default()),
        Err(unreadable) => {
            let place = unreadable.diagnostics.first().map(|diagnostic| diagnostic.primary.span.range());
            return Err(Wrong {
                text: format!("error converting YAML to JSON: {}", unreadable.go_text),
                range: place.unwrap_or_default(),
            });
        }
    };
    let mut decoder = Decoder { head: Head::default(), wrong: None, compat };
    decoder.root(document.root());
    match decoder.wrong {
        Some(wrong) => Err(wrong),
        None => Ok(decoder.head),
    }
}

/// The type of `metadata`, as Go prints it.
const METADATA: &str =
    r#"struct { Name string "json:\"name\""; Annotations map[string]string "json:\"annotations\"" }"#;

struct Decoder {
    head: Head,
    /// The first thing that does not fit; the rest is decoded all the same.
    wrong: Option<Wrong>,
    compat: Compat,
}

impl Decoder {
    fn root(&mut self, root: NodeRef<'_>) {
        if root.is_null() {
            return;
        }
        if root.entries().is_none() {
            let name = match self.compat {
                Compat::Helm4 => "util.SimpleHead",
                Compat::Helm3 => "releaseutil.SimpleHead",
            };
            return self.refuse(root, format_args!("value of type {name}"));
        }
        for (field, node) in fields(root, &["apiVersion", "kind", "metadata"]) {
            match field {
                "apiVersion" => {
                    if let Some(text) = self.string(node, "SimpleHead.apiVersion") {
                        self.head.version = text;
                    }
                }
                "kind" => {
                    if let Some(text) = self.string(node, "SimpleHead.kind") {
                        self.head.kind = text;
                    }
                }
                _ => self.metadata(node),
            }
        }
    }

    fn metadata(&mut self, metadata: NodeRef<'_>) {
        if metadata.is_null() {
            return;
        }
        if metadata.entries().is_none() {
            return self
                .refuse(metadata, format_args!("struct field SimpleHead.metadata of type {METADATA}"));
        }
        for (field, node) in fields(metadata, &["annotations", "name"]) {
            match field {
                "name" => {
                    if let Some(text) = self.string(node, ".metadata.name") {
                        self.head.name = text;
                    }
                }
                _ => self.annotations(node),
            }
        }
    }

    fn annotations(&mut self, annotations: NodeRef<'_>) {
        if annotations.is_null() {
            return;
        }
        let Some(entries) = annotations.entries() else {
            return self.refuse(
                annotations,
                format_args!("struct field .metadata.annotations of type map[string]string"),
            );
        };
        let mut entries: Vec<_> = entries.map(|(key, value)| (key.key_text().into_owned(), value)).collect();
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        for (key, node) in entries {
            // Null is the empty text here: Go makes room for the value before it looks at it.
            let text = self.string(node, ".metadata.annotations").unwrap_or_default();
            self.head.annotations.insert(key, text);
        }
    }

    /// A scalar as text, of whatever type it is; null leaves the field alone.
    fn string(&mut self, node: NodeRef<'_>, field: &str) -> Option<String> {
        match node.scalar() {
            None => {
                self.refuse(node, format_args!("struct field {field} of type string"));
                None
            }
            Some(ScalarValue::Null) => None,
            Some(ScalarValue::Bool(value)) => Some(value.to_string()),
            Some(ScalarValue::Int(value)) => Some(value.to_string()),
            Some(ScalarValue::UInt(value)) => Some(value.to_string()),
            Some(ScalarValue::Float(value)) => Some(number::general(value)),
            Some(ScalarValue::String) => node.text().map(str::to_owned),
        }
    }

    fn refuse(&mut self, node: NodeRef<'_>, into: std::fmt::Arguments<'_>) {
        if self.wrong.is_some() {
            return;
        }
        let found = match node.kind() {
            NodeKind::Sequence { .. } => "array",
            NodeKind::Mapping { .. } | NodeKind::Alias(_) => "object",
            NodeKind::Scalar { value, .. } => match value {
                ScalarValue::Null => "null",
                ScalarValue::Bool(_) => "bool",
                ScalarValue::Int(_) | ScalarValue::UInt(_) | ScalarValue::Float(_) => "number",
                ScalarValue::String => "string",
            },
        };
        let text = format!(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go {into}"
        );
        self.wrong = Some(Wrong { text, range: node.span().range() });
    }
}

/// The entries that Go puts into one of the fields, in the order in which it does: keys match in any case.
fn fields<'d>(map: NodeRef<'d>, names: &[&'static str]) -> Vec<(&'static str, NodeRef<'d>)> {
    let mut found: Vec<_> = map
        .entries()
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| {
            let key = key.key_text();
            let name = names.iter().find(|name| folds_to(&key, name))?;
            Some((key, *name, value))
        })
        .collect();
    found.sort_by(|left, right| left.0.cmp(&right.0));
    found.into_iter().map(|(_, name, value)| (name, value)).collect()
}

/// Whether a key is the name of a field, letters of either case taken for equal as Go does.
fn folds_to(key: &str, name: &str) -> bool {
    if key.len() == name.len() && key.is_ascii() {
        return key.eq_ignore_ascii_case(name);
    }
    let fold = |character: char| match character {
        // The only characters beyond ASCII that are another case of an ASCII letter.
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    key.chars().map(fold).eq(name.chars().map(fold))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Result<Head, String> {
        read(text.as_bytes(), Compat::Helm4).map_err(|wrong| wrong.text)
    }

    #[test]
    fn scalars_of_every_type_are_texts() {
        let read = head(
            "apiVersion: 1\nKind: 1.50\nMETADATA:\n  name: yes\n  annotations: {a: 0x10, b: ~, c: 1e7, d: x}\n",
        )
        .unwrap();
        assert_eq!((read.version.as_str(), read.kind.as_str(), read.name.as_str()), ("1", "1.5", "true"));
        let annotations: Vec<(&str, &str)> =
            read.annotations.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(annotations, [("a", "16"), ("b", ""), ("c", "1e+07"), ("d", "x")]);
    }

    #[test]
    fn of_keys_that_differ_in_case_the_last_in_order_counts() {
        assert_eq!(head("kind: B\nKind: A\n").unwrap().kind, "B");
        assert_eq!(head("kind: ~\nKind: A\n").unwrap().kind, "A");
        assert_eq!(head("\u{212a}ind: A\nkind: B\n").unwrap().kind, "A");
    }

    #[test]
    fn documents_without_a_head_pass() {
        for text in ["# only a comment\n", "~", "{}", "metadata: ~", "metadata: {annotations: ~}"] {
            assert_eq!(head(text), Ok(Head::default()), "{text}");
        }
    }

    #[test]
    fn errors_have_the_words_of_go() {
        let into = |found: &str, what: &str| {
            format!(
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go {what}"
            )
        };
        let yaml = |what: &str| format!("error converting YAML to JSON: yaml: {what}");
        let metadata = format!("struct field SimpleHead.metadata of type {METADATA}");
        let cases = [
            ("- a", into("array", "value of type util.SimpleHead")),
            ("text", into("string", "value of type util.SimpleHead")),
            ("5", into("number", "value of type util.SimpleHead")),
            ("true", into("bool", "value of type util.SimpleHead")),
            (
                "kind: {a: 1}\napiVersion: [1]",
                into("array", "struct field SimpleHead.apiVersion of type string"),
            ),
            ("metadata: 5", into("number", &metadata)),
            ("metadata: {name: [1]}", into("array", "struct field .metadata.name of type string")),
            (
                "metadata: {name: {a: 1}, annotations: {b: [1]}}",
                into("array", "struct field .metadata.annotations of type string"),
            ),
            (
                "metadata: {annotations: x}",
                into("string", "struct field .metadata.annotations of type map[string]string"),
            ),
            ("a: 1\nb: [\n", yaml("line 2: did not find expected node content")),
        ];
        for (text, expected) in cases {
            assert_eq!(head(text), Err(expected), "{text}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let wrong = read(b"a: \xff", Compat::Helm4).unwrap_err();
        assert_eq!(wrong.text, "error converting YAML to JSON: yaml: invalid leading UTF-8 octet");
        assert_eq!(wrong.range.start, 3);
    }
}

//! The path of a field as the server writes it, and where in the text that field stands.
//!
//! Both are needed together: the server names some fields by another path than the one they were typed at (it
//! moves what all versions share to the top), so a path begins with the server's name of a place and the value
//! that stands there.

use std::fmt::Write as _;

use trueline_source::Span;
use trueline_yaml::{Data, Value};

use crate::field_error::{FieldError, Reason};

/// A path of a field, made while a value is walked. It costs nothing until something is reported.
#[derive(Debug, Clone, Copy)]
pub struct FieldPath<'a> {
    parent: Option<&'a FieldPath<'a>>,
    segment: Segment<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Segment<'a> {
    Root { text: &'a str, value: Option<&'a Value> },
    Child(&'a str),
    Key(&'a str),
    Index(usize),
}

impl<'a> FieldPath<'a> {
    /// The beginning of a path: what the server calls it, and the value that stands there.
    pub fn root(text: &'a str, value: Option<&'a Value>) -> Self {
        FieldPath { parent: None, segment: Segment::Root { text, value } }
    }

    /// A field of it.
    pub fn child(&'a self, name: &'a str) -> FieldPath<'a> {
        FieldPath { parent: Some(self), segment: Segment::Child(name) }
    }

    /// An entry of the map that it is.
    pub fn key(&'a self, key: &'a str) -> FieldPath<'a> {
        FieldPath { parent: Some(self), segment: Segment::Key(key) }
    }

    /// An item of the list that it is.
    pub fn index(&'a self, index: usize) -> FieldPath<'a> {
        FieldPath { parent: Some(self), segment: Segment::Index(index) }
    }

    /// A value is missing.
    pub fn required(&self, detail: impl Into<String>) -> FieldError {
        self.error(Reason::Required, detail)
    }

    /// A field must not be set.
    pub fn forbidden(&self, detail: impl Into<String>) -> FieldError {
        self.error(Reason::Forbidden, detail)
    }

    /// A text is not allowed.
    pub fn invalid(&self, value: &str, detail: impl Into<String>) -> FieldError {
        self.error(Reason::Invalid, detail).with_value(go_quoted(value))
    }

    /// A value is not allowed that is no text, given as the server prints it.
    pub fn invalid_value(&self, value: impl Into<String>, detail: impl Into<String>) -> FieldError {
        self.error(Reason::Invalid, detail).with_value(value)
    }

    /// A text is none of those listed.
    pub fn not_supported(&self, value: &str, supported: &[&str]) -> FieldError {
        let listed: Vec<String> = supported.iter().map(|word| go_quoted(word)).collect();
        self.error(Reason::NotSupported, format!("supported values: {}", listed.join(", ")))
            .with_value(go_quoted(value))
    }

    /// A text occurs twice.
    pub fn duplicate(&self, value: &str) -> FieldError {
        self.error(Reason::Duplicate, "").with_value(go_quoted(value))
    }

    /// A text has more bytes than it may have.
    pub fn too_long(&self, most: usize) -> FieldError {
        let unit = if most == 1 { "byte" } else { "bytes" };
        self.error(Reason::TooLong, format!("may not be more than {most} {unit}"))
    }

    /// A list has more items than it may have.
    pub fn too_many(&self, count: usize, most: usize) -> FieldError {
        let unit = if most == 1 { "item" } else { "items" };
        self.error(Reason::TooMany, format!("must have at most {most} {unit}")).with_value(count.to_string())
    }

    /// An error about this field.
    pub fn error(&self, reason: Reason, detail: impl Into<String>) -> FieldError {
        FieldError::new(reason, self.text(), detail, self.place(reason))
    }

    /// The path as the server writes it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for segment in self.segments() {
            match segment {
                Segment::Root { text: root, .. } => text.push_str(root),
                Segment::Child(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
                Segment::Key(key) => {
                    let _ = write!(text, "[{key}]");
                }
                Segment::Index(index) => {
                    let _ = write!(text, "[{index}]");
                }
            }
        }
        text
    }

    /// Where the field was typed, or the nearest place around it: a field that must not be there is its key,
    /// any other is its value, and one that is missing is the key of what it is missing from.
    pub fn place(&self, reason: Reason) -> Option<Span> {
        let mut at: Option<&Value> = None;
        let mut key = None;
        for segment in self.segments() {
            let next = match segment {
                Segment::Root { value, .. } => {
                    at = value;
                    continue;
                }
                Segment::Child(name) | Segment::Key(name) => match at.map(|value| &value.data) {
                    Some(Data::Map(map)) => map.get(name).map(|entry| (entry.key_origin, &entry.value)),
                    _ => None,
                },
                Segment::Index(index) => match at.map(|value| &value.data) {
                    Some(Data::List(items)) => items.get(index).map(|item| (None, item)),
                    _ => None,
                },
            };
            let Some((key_origin, value)) = next else {
                return key.or(at.and_then(|value| value.origin));
            };
            (key, at) = (key_origin.or(value.origin).or(key), Some(value));
        }
        let value = at.and_then(|value| value.origin);
        if reason == Reason::Forbidden { key.or(value) } else { value.or(key) }
    }

    /// From the root on.
    fn segments(&self) -> impl Iterator<Item = Segment<'a>> {
        let mut segments = vec![self.segment];
        let mut parent = self.parent;
        while let Some(path) = parent {
            segments.push(path.segment);
            parent = path.parent;
        }
        segments.into_iter().rev()
    }
}

/// A text as Go quotes it.
pub(crate) fn go_quoted(text: &str) -> String {
    trueline_gostd::quote::quote(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_the_server_writes_them() {
        let root = FieldPath::root("spec.validation", None);
        let schema = root.child("properties");
        let property = schema.key("a.b");
        let items = property.child("anyOf");
        assert_eq!(items.index(2).text(), "spec.validation.properties[a.b].anyOf[2]");
        assert_eq!(FieldPath::root("", None).child("metadata").text(), "metadata");
    }

    #[test]
    fn places_are_where_the_field_was_typed_or_next_to_it() {
        let text = "a:\n  b: [1, xyz]\n  c: 3\n";
        let value = trueline_yaml::yaml_to_value(text).unwrap();
        let root = FieldPath::root("", Some(&value));
        let a = root.child("a");
        let b = a.child("b");
        let at = |path: &FieldPath<'_>, reason| {
            let span = path.place(reason).unwrap();
            &text[span.start as usize..span.end as usize]
        };
        assert_eq!(at(&b.index(1), Reason::Invalid), "xyz");
        assert_eq!(at(&b, Reason::Forbidden), "b");
        assert_eq!(at(&b, Reason::Invalid), "[1, xyz]");
        assert_eq!(at(&a.child("missing"), Reason::Required), "a");
        assert_eq!(at(&a.child("missing").child("more"), Reason::Required), "a");
    }

    #[test]
    fn texts_are_quoted_as_go_quotes_them() {
        let rows = [
            ("a\"b\\", r#""a\"b\\""#),
            ("\u{1}\n\u{7f}", r#""\x01\n\x7f""#),
            ("é\u{300}\u{200b}\u{a0}", "\"é\u{300}\\u200b\\u00a0\""),
        ];
        for (text, quoted) in rows {
            assert_eq!(go_quoted(text), quoted);
        }
    }
}

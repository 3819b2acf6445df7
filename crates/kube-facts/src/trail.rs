//! The path of a field as the server writes it, and where in the document that field is.
//!
//! Both are needed together: the server names some fields by another path than the one they were typed at (it
//! moves what all versions share to the top), so a path begins with the server's name of a place and the value
//! that is there.

use trueline_source::Span;
use trueline_yaml::{Data, Value};

use crate::common;
use crate::field_error::FieldError;
use crate::field_path::{FieldPath, Segment as Step};
use crate::quote::go_quoted;
use crate::reason::Reason;
use crate::server_rule::Breach;

/// The way to a field, made while a value is walked. It costs nothing until something is reported.
#[derive(Debug, Clone, Copy)]
pub struct Trail<'a> {
    parent: Option<&'a Trail<'a>>,
    segment: Segment<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Segment<'a> {
    Root { start: Start<'a>, value: Option<&'a Value> },
    Child(&'a str),
    Key(&'a str),
    Index(usize),
    Below(&'a FieldPath),
}

/// What the server calls the place where a path begins.
#[derive(Debug, Clone, Copy)]
enum Start<'a> {
    /// Fields, with dots between their names.
    Fields(&'static str),
    Path(&'a FieldPath),
}

impl<'a> Trail<'a> {
    /// The beginning of a path: the fields that the server calls it, with dots between their names, and the value that
    /// is there.
    pub fn root(fields: &'static str, value: Option<&'a Value>) -> Self {
        Trail { parent: None, segment: Segment::Root { start: Start::Fields(fields), value } }
    }

    /// The same, with a path that has keys or indexes.
    pub fn at(path: &'a FieldPath, value: Option<&'a Value>) -> Self {
        Trail { parent: None, segment: Segment::Root { start: Start::Path(path), value } }
    }

    /// A field of it.
    pub fn child(&'a self, name: &'a str) -> Trail<'a> {
        Trail { parent: Some(self), segment: Segment::Child(name) }
    }

    /// An entry of the map that it is.
    pub fn key(&'a self, key: &'a str) -> Trail<'a> {
        Trail { parent: Some(self), segment: Segment::Key(key) }
    }

    /// An item of the list that it is.
    pub fn index(&'a self, index: usize) -> Trail<'a> {
        Trail { parent: Some(self), segment: Segment::Index(index) }
    }

    /// What a path leads to from here.
    pub fn further(&'a self, path: &'a FieldPath) -> Trail<'a> {
        Trail { parent: Some(self), segment: Segment::Below(path) }
    }

    /// A breach of a rule by this field.
    pub fn refuse(&self, breach: impl Into<Breach>) -> FieldError {
        let breach = breach.into();
        let place = self.place(breach.rule.reason);
        FieldError::new(breach, self.path(), place)
    }

    /// A breach of a rule by a string.
    pub fn refuse_text(&self, value: &str, breach: impl Into<Breach>) -> FieldError {
        self.refuse(breach).with_value(go_quoted(value))
    }

    /// A breach of a rule by a value, given as the server prints it.
    pub fn refuse_value(&self, value: impl Into<String>, breach: impl Into<Breach>) -> FieldError {
        self.refuse(breach).with_value(value)
    }

    /// A field is missing.
    pub fn missing(&self) -> FieldError {
        self.refuse(&common::MISSING)
    }

    /// A string is none of those listed.
    pub fn not_supported(&self, value: &str, supported: &[&'static str]) -> FieldError {
        self.refuse_text(value, Breach::choices(&common::UNSUPPORTED, supported.iter().copied()))
    }

    /// A string occurs twice.
    pub fn duplicate(&self, value: &str) -> FieldError {
        self.refuse_text(value, &common::DUPLICATE)
    }

    /// A string has more bytes than it may have.
    pub fn too_long(&self, most: usize) -> FieldError {
        self.refuse(common::too_long(most))
    }

    /// A list has more items than it may have.
    pub fn too_many(&self, count: usize, most: usize) -> FieldError {
        self.refuse_value(count.to_string(), common::too_many(most))
    }

    /// The path as the server has it.
    pub fn path(&self) -> FieldPath {
        let mut steps = Vec::new();
        for segment in self.segments() {
            match segment {
                Segment::Root { start: Start::Path(path), .. } => {
                    steps.extend(path.segments().iter().cloned());
                }
                Segment::Root { start: Start::Fields(fields), .. } => {
                    steps.extend(FieldPath::of(fields).segments().iter().cloned());
                }
                Segment::Below(path) => steps.extend(path.segments().iter().cloned()),
                Segment::Child(name) => steps.push(Step::field(name.to_owned())),
                Segment::Key(key) => steps.push(Step::Key(key.to_owned().into())),
                Segment::Index(index) => steps.push(Step::Index(index)),
            }
        }
        FieldPath::new(steps)
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
                // What rules call a field by need not be there.
                Segment::Below(_) => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_the_server_writes_them() {
        let root = Trail::root("spec.validation", None);
        let schema = root.child("properties");
        let property = schema.key("a.b");
        let items = property.child("anyOf");
        assert_eq!(items.index(2).path().to_string(), "spec.validation.properties[a.b].anyOf[2]");
    }

    #[test]
    fn places_are_where_the_field_was_typed_or_next_to_it() {
        let text = "a:\n  b: [1, xyz]\n  c: 3\n";
        let value = trueline_yaml::yaml_to_value(text).unwrap();
        let root = Trail::root("", Some(&value));
        let a = root.child("a");
        let b = a.child("b");
        let at = |path: &Trail<'_>, reason| {
            let span = path.place(reason).unwrap();
            &text[span.start as usize..span.end as usize]
        };
        assert_eq!(at(&b.index(1), Reason::Invalid), "xyz");
        assert_eq!(at(&b, Reason::Forbidden), "b");
        assert_eq!(at(&b, Reason::Invalid), "[1, xyz]");
        assert_eq!(at(&a.child("missing"), Reason::Required), "a");
        assert_eq!(at(&a.child("missing").child("more"), Reason::Required), "a");
    }
}

//! The path of a field, as the steps that lead to it.
//!
//! A path is made when something is reported, printed as the server writes it or as a JSON pointer, and compared step by
//! step. Nothing reads a printed path: a key may hold dots and brackets.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A name in a path: one that is written in the program, or one that is shared with what was read.
#[derive(Debug, Clone)]
pub enum Name {
    /// Written in the program.
    Known(&'static str),
    /// Read.
    Read(Arc<str>),
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Name::Known(name) => name,
            Name::Read(name) => name,
        }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl From<&'static str> for Name {
    fn from(name: &'static str) -> Self {
        Name::Known(name)
    }
}

impl From<String> for Name {
    fn from(name: String) -> Self {
        Name::Read(name.into())
    }
}

impl From<Arc<str>> for Name {
    fn from(name: Arc<str>) -> Self {
        Name::Read(name)
    }
}

impl From<Cow<'_, str>> for Name {
    fn from(name: Cow<'_, str>) -> Self {
        Name::Read(name.into())
    }
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A field by its name.
    Field(Name),
    /// An entry of a map.
    Key(Name),
    /// An item of a list.
    Index(usize),
}

impl Segment {
    /// A field by its name.
    pub fn field(name: impl Into<Name>) -> Self {
        Segment::Field(name.into())
    }

    /// The name, if it is that of a field.
    pub fn as_field(&self) -> Option<&str> {
        match self {
            Segment::Field(name) => Some(name),
            Segment::Key(_) | Segment::Index(_) => None,
        }
    }

    /// Whether it is the field of this name.
    pub fn is(&self, name: &str) -> bool {
        self.as_field() == Some(name)
    }
}

/// The path of a field; empty for the whole object. A copy shares its steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct FieldPath(Arc<[Segment]>);

impl FieldPath {
    /// A path of these steps.
    pub fn new(segments: Vec<Segment>) -> Self {
        FieldPath(segments.into())
    }

    /// A path of fields that is written in the program, with dots between their names.
    pub fn of(names: &'static str) -> Self {
        let names = names.split('.').filter(|name| !name.is_empty());
        FieldPath(names.map(Segment::field).collect())
    }

    /// The steps, from the top on.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Whether it is the path of the whole object.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A field below it.
    pub fn field(&self, name: impl Into<Name>) -> Self {
        self.with(Segment::field(name))
    }

    /// An entry of the map that it is.
    pub fn key(&self, key: &str) -> Self {
        self.with(Segment::Key(Name::Read(key.into())))
    }

    /// An item of the list that it is.
    pub fn index(&self, index: usize) -> Self {
        self.with(Segment::Index(index))
    }

    fn with(&self, segment: Segment) -> Self {
        FieldPath(self.0.iter().cloned().chain([segment]).collect())
    }

    /// What another path leads to from here.
    pub fn join(&self, below: &FieldPath) -> Self {
        FieldPath(self.0.iter().chain(below.0.iter()).cloned().collect())
    }

    /// The path around it, and the last step; nothing for the whole object.
    pub fn split_last(&self) -> Option<(&Segment, &[Segment])> {
        self.0.split_last()
    }

    /// The last step.
    pub fn last(&self) -> Option<&Segment> {
        self.0.last()
    }

    /// The steps below another path, if it is at that path or below it.
    pub fn below(&self, path: &FieldPath) -> Option<&[Segment]> {
        self.0.strip_prefix(&*path.0)
    }

    /// The path around it; that of the whole object is its own.
    pub fn parent(&self) -> Self {
        self.0.iter().take(self.0.len().saturating_sub(1)).cloned().collect()
    }

    /// The item of a list that it is in, and the steps below that.
    pub fn item_of(&self, list: &FieldPath) -> Option<(usize, &[Segment])> {
        match self.below(list)? {
            [Segment::Index(index), rest @ ..] => Some((*index, rest)),
            _ => None,
        }
    }

    /// The same path with another name for a field.
    pub fn renamed(&self, name: &str, other: &'static str) -> Self {
        let segments = self.0.iter().map(|segment| match segment.is(name) {
            true => Segment::field(other),
            false => segment.clone(),
        });
        segments.collect()
    }

    /// Whether these fields are its first steps.
    pub fn starts_with(&self, names: &[&str]) -> bool {
        self.0.len() >= names.len() && self.0.iter().zip(names).all(|(segment, name)| segment.is(name))
    }

    /// Whether these fields are its last steps.
    pub fn ends_with(&self, names: &[&str]) -> bool {
        let start = self.0.len().checked_sub(names.len());
        let end = start.and_then(|start| self.0.get(start..));
        end.is_some_and(|end| end.iter().zip(names).all(|(segment, name)| segment.is(name)))
    }

    /// Whether a field of this name is among its steps.
    pub fn goes_through(&self, name: &str) -> bool {
        self.0.iter().any(|segment| segment.is(name))
    }

    /// The path as a JSON pointer: `spec.a[0].b` is `/spec/a/0/b`.
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &*self.0 {
            // The server writes some paths with an empty name, which points at nothing.
            if segment.is("") {
                continue;
            }
            pointer.push('/');
            match segment {
                Segment::Index(index) => pointer.push_str(&index.to_string()),
                Segment::Field(name) => escape(name, &mut pointer),
                Segment::Key(key) => escape(key, &mut pointer),
            }
        }
        pointer
    }
}

fn escape(name: &str, pointer: &mut String) {
    for letter in name.chars() {
        match letter {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

impl FromIterator<Segment> for FieldPath {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        FieldPath(segments.into_iter().collect())
    }
}

impl fmt::Display for FieldPath {
    /// As the server writes it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Field(name) if at == 0 => formatter.write_str(name)?,
                Segment::Field(name) => write!(formatter, ".{}", &**name)?,
                Segment::Key(key) => write!(formatter, "[{}]", &**key)?,
                Segment::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_printed_as_the_server_and_as_json_pointers_have_them() {
        let path = FieldPath::of("spec.hard").key("example.com/gpu[0]~").field("x").index(2);
        assert_eq!(path.to_string(), "spec.hard[example.com/gpu[0]~].x[2]");
        assert_eq!(path.pointer(), "/spec/hard/example.com~1gpu[0]~0/x/2");
        assert_eq!((FieldPath::default().to_string(), FieldPath::default().pointer()), Default::default());
    }

    #[test]
    fn paths_are_compared_step_by_step() {
        let path = FieldPath::of("spec.template").field("labels").key("a");
        assert!(path.starts_with(&["spec", "template"]) && !path.starts_with(&["spec", "templates"]));
        assert!(path.ends_with(&[]) && !path.ends_with(&["labels"]));
        assert_eq!(
            path.below(&FieldPath::of("spec.template.labels")),
            Some([Segment::Key(Name::Known("a"))].as_slice())
        );
        assert_eq!(path.below(&FieldPath::of("spec.tem")), None);
    }
}

//! An object as it was sent, in the form that each part of a review wants: a node for the rules of built-in kinds, a value for
//! schemas.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use trueline_diagnostic::Diagnostic;
use trueline_source::{SourceId, Span};
use trueline_yaml::{Document, Limits, SyntaxError, Value, json};

use super::from_value::ValueDocument;
use super::request::Input;
use crate::manifest::Object;

/// The longest request that an API server takes.
const LONGEST_REQUEST: usize = 3 << 20;

/// How deep JSON may be nested. Real objects stay below 50 levels, and a review may run on a thread with a small stack.
const DEEPEST: usize = 250;

/// An object that was sent.
#[derive(Debug)]
pub(super) enum Sent<'a> {
    /// A part of a document.
    Object(Object<'a>),
    /// A value, and the document that is made of it if somebody wants nodes.
    Value(&'a Value, OnceLock<Box<ValueDocument>>),
    /// JSON that was read here.
    Text(Arc<str>, Box<Document>),
}

impl<'a> Sent<'a> {
    /// Reads an object; the error says why it is not JSON.
    pub(super) fn read(input: Input<'a>, source: SourceId) -> Result<Self, SyntaxError> {
        Ok(match input {
            Input::Object(object) => Sent::Object(object),
            Input::Value(value) => Sent::Value(value, OnceLock::new()),
            Input::Json(bytes) => {
                // The server replaces bytes that are not UTF-8, too.
                let text: Arc<str> = match String::from_utf8_lossy(bytes) {
                    Cow::Borrowed(text) => text.into(),
                    Cow::Owned(text) => text.into(),
                };
                let limits = Limits { size: LONGEST_REQUEST, depth: DEEPEST, ..Limits::default() };
                let document = json::read(source, &text, limits)?;
                Sent::Text(text, Box::new(document))
            }
        })
    }

    /// Its `apiVersion` and its `kind`; empty where they are missing.
    pub(super) fn head(&self) -> (&str, &str) {
        match self {
            Sent::Object(object) => (object.api_version, object.kind),
            Sent::Value(value, _) => {
                let word = |name| value.get(name).and_then(Value::as_str).unwrap_or_default();
                (word("apiVersion"), word("kind"))
            }
            Sent::Text(_, document) => {
                let object = Object::new(document.root());
                (object.api_version, object.kind)
            }
        }
    }

    /// As an object of a document.
    pub(super) fn object(&self) -> Object<'_> {
        match self {
            Sent::Object(object) => *object,
            Sent::Value(value, made) => {
                let made = made.get_or_init(|| Box::new(ValueDocument::of(value)));
                Object::new(made.document.root())
            }
            Sent::Text(_, document) => Object::new(document.root()),
        }
    }

    /// As a value, with the head that it has from the list it is an item of.
    pub(super) fn value(&self) -> Cow<'a, Value> {
        match self {
            Sent::Object(object) => Cow::Owned(object.value()),
            Sent::Value(value, _) => Cow::Borrowed(value),
            Sent::Text(_, document) => Cow::Owned(Value::from_node(document.root())),
        }
    }

    /// The text that it is written in, if it was read here.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Sent::Text(text, _) => Some(text),
            Sent::Object(_) | Sent::Value(..) => None,
        }
    }

    /// The document that was read here.
    pub(super) fn document(&self) -> Option<&Document> {
        match self {
            Sent::Text(_, document) => Some(document),
            Sent::Object(_) | Sent::Value(..) => None,
        }
    }

    /// Where something was typed that has this place in [`Sent::object`].
    pub(super) fn place(&self, span: Span) -> Option<Span> {
        match self {
            Sent::Object(_) | Sent::Text(..) => Some(span),
            Sent::Value(_, made) => made.get().and_then(|made| made.origin(span)),
        }
    }
    /// A finding about [`Sent::object`] at the origins of its places. What has none goes to `around`.
    pub(super) fn with_origins(&self, mut finding: Diagnostic, around: Span) -> Diagnostic {
        if !matches!(self, Sent::Value(..)) {
            return finding;
        }
        finding.primary.span = self.place(finding.primary.span).unwrap_or(around);
        finding.related.retain_mut(|label| match self.place(label.span) {
            Some(place) => {
                label.span = place;
                true
            }
            None => false,
        });
        // A change to what was not typed cannot be made.
        finding.fix = finding.fix.filter(|fix| fix.edits.iter().all(|edit| self.place(edit.span).is_some()));
        for edit in finding.fix.iter_mut().flat_map(|fix| &mut fix.edits) {
            edit.span = self.place(edit.span).unwrap_or(around);
        }
        finding
    }
}

//! What a cluster is asked: an object, what it takes the place of, and how it was sent.

use trueline_source::SourceId;
use trueline_yaml::{NodeRef, Value};

use super::CustomKind;
use crate::FieldValidation;
use crate::manifest::{Object, Options, Suggestions};

/// An object that somebody sends to a cluster.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// An object of a document. Keys that are repeated in it are reported by whoever read the document.
    Object(Object<'a>),
    /// A value. Places are the origins of its parts, as far as they have one.
    Value(&'a Value),
    /// JSON, nested at most 250 levels deep. Places are counted in its bytes.
    Json(&'a [u8]),
}

impl<'a> From<Object<'a>> for Input<'a> {
    fn from(object: Object<'a>) -> Self {
        Input::Object(object)
    }
}

impl<'a> From<NodeRef<'a>> for Input<'a> {
    fn from(node: NodeRef<'a>) -> Self {
        Input::Object(Object::new(node))
    }
}

impl<'a> From<&'a Value> for Input<'a> {
    fn from(value: &'a Value) -> Self {
        Input::Value(value)
    }
}

impl<'a> From<&'a [u8]> for Input<'a> {
    fn from(json: &'a [u8]) -> Self {
        Input::Json(json)
    }
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(json: &'a str) -> Self {
        Input::Json(json.as_bytes())
    }
}

/// What a cluster is asked. Unknown fields are errors unless another treatment is chosen, as with kubectl.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub(super) object: Input<'a>,
    pub(super) old: Option<Input<'a>>,
    pub(super) options: Options,
    pub(super) namespace: &'a str,
    pub(super) source: SourceId,
    pub(super) kind: Option<&'a CustomKind>,
}

impl<'a> Request<'a> {
    /// An object is created.
    pub fn create(object: impl Into<Input<'a>>) -> Self {
        Request {
            object: object.into(),
            old: None,
            options: Options::default(),
            namespace: "default",
            source: SourceId::from_index(0),
            kind: None,
        }
    }

    /// An object takes the place of one that the cluster has.
    pub fn update(object: impl Into<Input<'a>>, old: impl Into<Input<'a>>) -> Self {
        Request { old: Some(old.into()), ..Request::create(object) }
    }

    /// The same request with what it takes the place of, if there is something.
    #[must_use]
    pub fn replacing(self, old: Option<impl Into<Input<'a>>>) -> Self {
        Request { old: old.map(Into::into), ..self }
    }

    /// The same request with another treatment of unknown and repeated fields.
    #[must_use]
    pub fn field_validation(mut self, field_validation: FieldValidation) -> Self {
        self.options.field_validation = field_validation;
        self
    }

    /// The same request, with or without a search for what was meant by unknown fields.
    #[must_use]
    pub fn suggestions(mut self, suggestions: Suggestions) -> Self {
        self.options.suggestions = suggestions;
        self
    }

    /// The same request, sent to a namespace: an object that names none is created there. Without it, `default`.
    #[must_use]
    pub fn namespace(self, namespace: &'a str) -> Self {
        Request { namespace, ..self }
    }

    /// The same request, with the source that places in a JSON text belong to. Without it, the first of a map.
    #[must_use]
    pub fn source(self, source: SourceId) -> Self {
        Request { source, ..self }
    }

    /// The same request, with the definition of the object's kind. It counts for what Kubernetes itself does not define,
    /// before the CRDs of the cluster: a repository may hold several definitions of one kind, each for its own objects.
    #[must_use]
    pub fn defined_by(self, kind: &'a CustomKind) -> Self {
        Request { kind: Some(kind), ..self }
    }
}

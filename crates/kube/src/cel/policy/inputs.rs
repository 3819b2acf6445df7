//! What the expressions of a policy see of a request.

use std::sync::Arc;

use trueline_cel::shape::Shape;
use trueline_cel::value::{Map, Value as CelValue, read};
use trueline_yaml::{Data, Value};

use super::programs::Ready;
use super::request::{Namespace, Request};
use super::unknown::{Asked, Partial, Unknown};

/// The values of variables.
#[derive(Debug)]
pub(super) struct Inputs {
    object: CelValue,
    old: CelValue,
    request: CelValue,
    namespace: CelValue,
    params: CelValue,
    pub(super) asked: Arc<Asked>,
}

/// What `namespaceObject` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// The namespace of the object.
    Namespace,
    /// Null, as it is for the conditions of a policy.
    None,
}

impl Inputs {
    /// For a request, as one for the version `matched`; nothing if only the server can convert the object.
    pub(super) fn new(
        request: &Request<'_>,
        matched: &str,
        params: Option<&Value>,
        sight: Sight,
    ) -> Option<Arc<Inputs>> {
        let asked = Arc::new(Asked::default());
        let object = |object: &Value| Some(with_metadata(&request.converted(object, matched)?, &asked));
        let request_fields = request.fields(matched).into_iter().map(|(key, value)| (key, plain(&value)));
        let unknown: fn(&str) -> Option<Unknown> = match request.name {
            "" => |key| unknown_of_request(key).or((key == "name").then_some(Unknown::SetByServer)),
            _ => unknown_of_request,
        };
        let request_value = partial(request_fields.collect(), Some(unknown), &asked);
        Some(Arc::new(Inputs {
            object: object(request.object)?,
            old: request.old.map_or(Some(CelValue::Null), object)?,
            request: request_value,
            namespace: match sight {
                Sight::Namespace => namespace(request, &asked),
                Sight::None => CelValue::Null,
            },
            params: params.map_or(CelValue::Null, plain),
            asked,
        }))
    }

    /// The values for an expression, by the numbers of its variables.
    pub(super) fn bind(&self, ready: &Ready, variables: Option<CelValue>) -> Vec<Option<CelValue>> {
        let value = |name: &Arc<str>| match &**name {
            "object" => Some(self.object.clone()),
            "oldObject" => Some(self.old.clone()),
            "request" => Some(self.request.clone()),
            "namespaceObject" => Some(self.namespace.clone()),
            "params" => Some(self.params.clone()),
            "variables" => variables.clone(),
            _ => None,
        };
        ready.names.iter().map(value).collect()
    }
}

fn plain(value: &Value) -> CelValue {
    read(value, &Shape::Dyn)
}

fn partial(
    known: Vec<(Arc<str>, CelValue)>,
    unknown: Option<fn(&str) -> Option<Unknown>>,
    asked: &Arc<Asked>,
) -> CelValue {
    CelValue::Map(Map::Lazy(Arc::new(Partial { known, unknown, asked: Arc::clone(asked) })))
}

fn unknown_of_request(key: &str) -> Option<Unknown> {
    match key {
        "userInfo" => Some(Unknown::User),
        "options" => Some(Unknown::Options),
        _ => None,
    }
}

/// An object; of its metadata, what the server sets is not known.
fn with_metadata(object: &Value, asked: &Arc<Asked>) -> CelValue {
    let Data::Map(fields) = &object.data else { return plain(object) };
    let fields = fields.iter().map(|(key, entry)| {
        let value = match (&**key, &entry.value.data) {
            ("metadata", Data::Map(metadata)) => {
                let known = metadata.iter().map(|(key, entry)| (Arc::clone(key), plain(&entry.value)));
                let unknown = match metadata.contains_key("name") {
                    true => unknown_of_metadata,
                    false => unknown_of_nameless,
                };
                partial(known.collect(), Some(unknown), asked)
            }
            _ => plain(&entry.value),
        };
        (Arc::clone(key), value)
    });
    partial(fields.collect(), None, asked)
}

fn unknown_of_metadata(key: &str) -> Option<Unknown> {
    matches!(key, "uid" | "creationTimestamp" | "managedFields").then_some(Unknown::SetByServer)
}

fn unknown_of_nameless(key: &str) -> Option<Unknown> {
    (key == "name").then_some(Unknown::SetByServer).or_else(|| unknown_of_metadata(key))
}

/// The namespace of an object; null for one that is in none.
fn namespace(request: &Request<'_>, asked: &Arc<Asked>) -> CelValue {
    let Some(name) = request.namespace.filter(|_| !request.is_namespace()) else { return CelValue::Null };
    match request.namespace_object {
        Namespace::Known(object) => with_metadata(object, asked),
        Namespace::Unknown => {
            let name = |key: &str| (Arc::from(key), CelValue::from(name));
            let labels = partial(vec![name("kubernetes.io/metadata.name")], Some(any), asked);
            let metadata = partial(vec![name("name"), ("labels".into(), labels)], Some(any), asked);
            partial(vec![("metadata".into(), metadata)], Some(any), asked)
        }
    }
}

fn any(_: &str) -> Option<Unknown> {
    Some(Unknown::Namespace)
}

//! A field of a Kubernetes object, with its definition in the API.

use trueline_kube::KubeVersion;
use trueline_kube::api::{Api, Lookup, Type};
use trueline_kube::manifest;
use trueline_source::Span;
use trueline_yaml::Document;

use super::node::{self, Part};

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The kind of the object with its API version, such as `Deployment (apps/v1)`.
    pub kind: String,
    /// The keys that lead to the field from the object on; positions in lists are numbers.
    pub keys: Vec<String>,
    /// Whether it is the key or the value.
    pub part: Part,
    /// What Kubernetes defines; nothing for what it does not have.
    pub definition: Option<Definition>,
}

/// The definition of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// What its value may be, such as `integer` or `list of objects`.
    pub expected: String,
    /// The full name of the definition of the object in it, such as `io.k8s.api.core.v1.Container`.
    pub name: Option<String>,
    /// Whether it is published as required.
    pub is_required: bool,
    /// The published default, as JSON.
    pub default: Option<String>,
}

/// The field at an offset of a document that holds objects.
pub(super) fn at(document: &Document, offset: u32, version: Option<KubeVersion>) -> Option<(Span, Field)> {
    let objects = manifest::objects(document.root());
    let object = objects.into_iter().find(|object| {
        let span = object.node.span();
        span.start <= offset
            && offset <= span.end
            && !object.kind.is_empty()
            && !object.api_version.is_empty()
    })?;
    let found = node::at(object.node, offset)?;
    let (group, of_group) = object.group_and_version();
    let kind = format!("{} ({})", object.kind, object.api_version);
    let definition = Api::nearest(version).and_then(|api| match api.lookup(group, of_group, object.kind) {
        Lookup::Served(kind) => definition(api, kind.definition, &found.keys),
        _ => None,
    });
    Some((found.span, Field { kind, keys: found.keys, part: found.part, definition }))
}

/// The definition at the end of keys.
fn definition(api: &Api, root: trueline_kube::api::DefinitionId, keys: &[String]) -> Option<Definition> {
    let mut current = Type::Object(root);
    let mut found = None;
    for key in keys {
        current = match current {
            Type::Object(id) => {
                let (_, field) = api.definition(id)?.field(key)?;
                found = Some((field.is_required, field.default));
                field.r#type.clone()
            }
            Type::List(items, _) => api.r#type(items).clone(),
            Type::Map(values) => api.r#type(values).clone(),
            _ => return None,
        };
    }
    let (is_required, default) = found?;
    let name = match innermost(api, &current) {
        Type::Object(id) => api.definition(id).map(|definition| definition.name.to_owned()),
        _ => None,
    };
    let default = default.map(str::to_owned);
    Some(Definition { expected: expected(api, &current), name, is_required, default })
}

/// The type of the items of lists and of the values of maps.
fn innermost(api: &Api, of: &Type) -> Type {
    match of {
        Type::List(inner, _) | Type::Map(inner) => innermost(api, api.r#type(*inner)),
        other => other.clone(),
    }
}

fn expected(api: &Api, of: &Type) -> String {
    let plural = |inner: &Type| match inner {
        Type::List(..) => "lists".to_owned(),
        Type::Map(_) => "maps".to_owned(),
        Type::Quantity => "quantities".to_owned(),
        Type::Any => "anything".to_owned(),
        Type::Bytes => "base64 strings".to_owned(),
        Type::IntOrString => "integers or strings".to_owned(),
        other => format!("{}s", expected(api, other)),
    };
    match of {
        Type::Any => "anything".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::Int32 | Type::Int64 => "integer".to_owned(),
        Type::Double => "number".to_owned(),
        Type::String => "string".to_owned(),
        Type::Bytes => "base64 string".to_owned(),
        Type::Time | Type::MicroTime => "time".to_owned(),
        Type::Quantity => "quantity".to_owned(),
        Type::IntOrString => "integer or string".to_owned(),
        Type::Object(_) => "object".to_owned(),
        Type::List(inner, _) => format!("list of {}", plural(api.r#type(*inner))),
        Type::Map(inner) => format!("map of {}", plural(api.r#type(*inner))),
    }
}

//! What the server publishes about a custom resource: schemas in OpenAPI v2 and v3; and a JSON Schema for editors
//! and other tools.

mod json_schema;
mod open_api;
mod version_two;

use std::sync::Arc;

use trueline_kube_facts::Trail;
use trueline_kube_facts::object_meta::Namespacing;
use trueline_yaml::Value;

use crate::definition::{Crd, SelectableField, Version};
use crate::props::OrBool;
use crate::structural::Structural;
pub use json_schema::{UnknownFields, json_schema};
use open_api::{Keywords, structural};
use version_two::version_two;

#[cfg(test)]
mod tests;

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

const API_VERSION: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should \
                           convert recognized schemas to the latest internal value, and may reject unrecognized \
                           values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";

const KIND: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this \
                    from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: \
                    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

const EMBEDDED_API_VERSION: &str = "apiVersion defines the versioned schema of this representation of an object. More \
                                    info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";

const EMBEDDED_KIND: &str = "kind is a string value representing the type of this object. In CamelCase. More info: \
                             https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

const METADATA: &str = "Standard object's metadata. More info: \
                        https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

const LIST_METADATA: &str = "Standard list metadata. More info: \
                             https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

/// Which extensions are spelled out as keywords that every reader knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfolding {
    /// Those that the server spells out.
    Server,
    /// All that the document of structural schemas describes: embedded resources and unions too.
    Document,
}

/// Whether what is demanded of values is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueValidation {
    /// It is, as servers do it.
    Kept,
    /// It is not: what is left says which fields there are and of which types.
    Dropped,
}

/// The version of OpenAPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenApi {
    /// Version 2, also known as Swagger.
    V2,
    /// Version 3.
    V3,
}

/// What is published about a version of a custom resource.
#[derive(Debug, Clone)]
pub struct Published {
    /// The name of the schema of an object.
    pub name: String,
    /// The schema of an object.
    pub object: Value,
    /// The name of the schema of a list of objects.
    pub list_name: String,
    /// The schema of a list of objects.
    pub list: Value,
    /// The paths that lead to objects.
    pub paths: Vec<String>,
}

/// What is published about a version of a custom resource.
pub fn publish(crd: &Crd, version: &Version, open_api: OpenApi, unfolding: Unfolding) -> Published {
    publish_with(crd, version, open_api, unfolding, ValueValidation::Kept)
}

/// As [`publish`], with or without value validation.
pub fn publish_with(
    crd: &Crd,
    version: &Version,
    open_api: OpenApi,
    unfolding: Unfolding,
    value_validation: ValueValidation,
) -> Published {
    let publisher = Publisher { crd, version, open_api, unfolding, value_validation };
    let names = &crd.spec.names;
    Published {
        name: publisher.name(&names.kind),
        object: publisher.object(published_schema(crd, version)),
        list_name: publisher.name(&names.list_kind),
        list: publisher.list(),
        paths: paths(crd, version),
    }
}

/// A document of OpenAPI with what is published about several versions. What the schemas refer to is in it, as
/// far as it says that there is an object.
pub fn document(published: &[Published], open_api: OpenApi) -> Value {
    let mut schemas = Keywords::default();
    for name in ["ObjectMeta", "ListMeta"] {
        let mut meta = Keywords::default();
        meta.set("type", "object");
        schemas.set(&format!("{META}.{name}"), meta);
    }
    let mut paths = Keywords::default();
    for one in published {
        schemas.set(&one.name, one.object.clone());
        schemas.set(&one.list_name, one.list.clone());
        for path in &one.paths {
            paths.set(path, Keywords::default());
        }
    }
    let mut info = Keywords::default();
    info.set("title", "Kubernetes CRD Swagger");
    info.set("version", "v0.1.0");
    let mut document = Keywords::default();
    match open_api {
        OpenApi::V2 => document.set("swagger", "2.0"),
        OpenApi::V3 => document.set("openapi", "3.0.0"),
    }
    document.set("info", info);
    document.set("paths", paths);
    match open_api {
        OpenApi::V2 => document.set("definitions", schemas),
        OpenApi::V3 => {
            let mut components = Keywords::default();
            components.set("schemas", schemas);
            document.set("components", components);
        }
    }
    document.finish()
}

/// The schema of a version if it is one that the server publishes: structural in every way.
fn published_schema(crd: &Crd, version: &Version) -> Option<Structural> {
    let schema = Structural::new(crd.schema(version)?).ok()?;
    let is_structural = schema.validate(&Trail::root("", None)).is_empty();
    (is_structural && has_known_types(&schema)).then_some(schema)
}

/// Below `allOf` and the like, a structural schema names no types that it may not.
fn has_known_types(schema: &Structural) -> bool {
    let additional = match schema.additional_properties.as_deref() {
        Some(OrBool::Schema(schema)) => has_known_types(schema),
        _ => true,
    };
    is_known_type(&schema.generic.type_name)
        && additional
        && schema.items.as_deref().is_none_or(has_known_types)
        && schema.properties.values().all(|property| has_known_types(property))
}

fn is_known_type(name: &str) -> bool {
    matches!(name, "" | "array" | "boolean" | "integer" | "number" | "object" | "string")
}

/// The paths that lead to objects of a version.
fn paths(crd: &Crd, version: &Version) -> Vec<String> {
    let (group, plural) = (&crd.spec.group, &crd.spec.names.plural);
    let root = format!("/apis/{group}/{}", version.name);
    let mut paths = Vec::new();
    let collection = match namespacing(crd) {
        Namespacing::Cluster => format!("{root}/{plural}"),
        Namespacing::Namespaced => {
            paths.push(format!("{root}/{plural}"));
            format!("{root}/namespaces/{{namespace}}/{plural}")
        }
    };
    let object = format!("{collection}/{{name}}");
    paths.extend([collection, object.clone()]);
    if let Some(subresources) = crd.subresources(version) {
        paths.extend(subresources.scale.as_ref().map(|_| format!("{object}/scale")));
        paths.extend(subresources.status.then(|| format!("{object}/status")));
    }
    paths
}

fn namespacing(crd: &Crd) -> Namespacing {
    if &*crd.spec.scope == "Namespaced" { Namespacing::Namespaced } else { Namespacing::Cluster }
}

struct Publisher<'a> {
    crd: &'a Crd,
    version: &'a Version,
    open_api: OpenApi,
    unfolding: Unfolding,
    value_validation: ValueValidation,
}

impl Publisher<'_> {
    /// The name of the schema of a kind: the group backwards, the version and the kind.
    fn name(&self, kind: &str) -> String {
        let group: Vec<&str> = self.crd.spec.group.split('.').rev().collect();
        format!("{}.{}.{kind}", group.join("."), self.version.name)
    }

    fn object(&self, schema: Option<Structural>) -> Value {
        let is_open = |schema: &Structural| {
            schema.extensions.preserve_unknown_fields || self.crd.preserves_unknown_fields()
        };
        let mut keywords = match schema.filter(|schema| self.open_api == OpenApi::V3 || !is_open(schema)) {
            // A schema with some fields would make old clients refuse all others.
            None => Keywords::of_type("object"),
            Some(schema) => {
                let schema = match self.unfolding {
                    Unfolding::Server => schema.unfold(),
                    Unfolding::Document => schema.unfold_all(),
                };
                let schema = match self.value_validation {
                    ValueValidation::Kept => schema,
                    ValueValidation::Dropped => schema.without_value_validation(),
                };
                let schema = match self.open_api {
                    OpenApi::V2 => version_two(schema),
                    OpenApi::V3 => schema,
                };
                let mut keywords =
                    structural(&schema, &|schema, keywords| self.add_embedded(schema, keywords));
                // An embedded resource has its own words for the same fields.
                if !schema.extensions.embedded_resource {
                    self.set_resource_fields([API_VERSION, KIND], &mut keywords);
                }
                keywords
            }
        };
        self.add_identity(&self.crd.spec.names.kind, &mut keywords);
        keywords.finish()
    }

    /// Sets the properties that every resource has. The server puts them in the place of what the schema says of them;
    /// the document of structural schemas keeps both.
    fn set_resource_fields(&self, words: [&str; 2], keywords: &mut Keywords) {
        let kept = |name: &str, keywords: &Keywords| match self.unfolding {
            Unfolding::Server => None,
            Unfolding::Document => keywords.property(name).cloned(),
        };
        for (name, description) in ["apiVersion", "kind"].into_iter().zip(words) {
            let mut property = Keywords::default();
            property.set("description", description);
            property.set("type", "string");
            property.extend(kept(name, keywords));
            keywords.set_property(name, property);
        }
        let mut metadata = self.reference("ObjectMeta", METADATA);
        // A schema that says no more than that it is an object adds nothing to the reference; in version 2 nothing can
        // stand beside one.
        let said = kept("metadata", keywords).filter(|said| *said != Keywords::of_type("object").finish());
        if let Some(said) = said.filter(|_| self.open_api == OpenApi::V3) {
            metadata.push("allOf", said);
        }
        keywords.set_property("metadata", metadata);
    }

    fn add_embedded(&self, schema: &Structural, keywords: &mut Keywords) {
        if self.open_api == OpenApi::V2 && schema.extensions.preserve_unknown_fields {
            return;
        }
        self.set_resource_fields([EMBEDDED_API_VERSION, EMBEDDED_KIND], keywords);
        if self.value_validation == ValueValidation::Dropped {
            return;
        }
        let mut required: Vec<Arc<str>> = schema
            .value_validation
            .as_ref()
            .map(|validation| validation.required.clone())
            .unwrap_or_default();
        for name in ["kind", "apiVersion"] {
            if !required.iter().any(|known| &**known == name) {
                required.push(name.into());
            }
        }
        keywords.set_list("required", open_api::texts(&required));
    }

    /// A reference to a schema, with words of its own beside it.
    fn reference(&self, name: &str, description: &str) -> Keywords {
        let mut keywords = Keywords::default();
        keywords.set("description", description);
        let reference = self.pointer(&format!("{META}.{name}"));
        match self.open_api {
            OpenApi::V2 => keywords.set("$ref", reference.as_str()),
            OpenApi::V3 => {
                let mut inner = Keywords::default();
                inner.set("$ref", reference.as_str());
                keywords.set_list("allOf", [inner.finish()]);
            }
        }
        keywords
    }

    fn pointer(&self, name: &str) -> String {
        match self.open_api {
            OpenApi::V2 => format!("#/definitions/{name}"),
            OpenApi::V3 => format!("#/components/schemas/{name}"),
        }
    }

    fn list(&self) -> Value {
        let names = &self.crd.spec.names;
        let mut keywords = Keywords::default();
        keywords.set("type", "object");
        keywords.set("description", format!("{} is a list of {}", names.list_kind, names.kind).as_str());
        keywords.set_list("required", [Value::from("items")]);
        let mut item = Keywords::default();
        item.set("$ref", self.pointer(&self.name(&names.kind)).as_str());
        let mut items = Keywords::default();
        let words = format!(
            "List of {}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md",
            names.plural
        );
        items.set("description", words.as_str());
        items.set("type", "array");
        items.set("items", item);
        keywords.set_property("items", items);
        self.set_resource_fields([API_VERSION, KIND], &mut keywords);
        keywords.set_property("metadata", self.reference("ListMeta", LIST_METADATA));
        self.add_identity(&names.list_kind, &mut keywords);
        keywords.finish()
    }

    /// What a schema is the schema of, and by which fields its objects can be selected.
    fn add_identity(&self, kind: &str, keywords: &mut Keywords) {
        let mut identity = Keywords::default();
        identity.set("group", &*self.crd.spec.group);
        identity.set("version", &*self.version.name);
        identity.set("kind", kind);
        keywords.set_list("x-kubernetes-group-version-kind", [identity.finish()]);
        let fields = self.crd.selectable_fields(self.version).iter().map(|field: &SelectableField| {
            let path = field.json_path.strip_prefix('.').unwrap_or(&field.json_path);
            let mut keywords = Keywords::default();
            keywords.set("fieldPath", path);
            keywords.finish()
        });
        keywords.set_list("x-kubernetes-selectable-fields", fields);
    }
}

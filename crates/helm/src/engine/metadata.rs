//! What Chart.yaml says, for templates: `.Chart`.
//!
//! Helm 4 makes it a map of Go's field names, in which an unknown name is nil; in Helm 3 it is a struct,
//! in which an unknown name is an error.

use std::any::Any;
use std::sync::Arc;

use trueline_gotemplate::{Data, Element, Entry, Kind, List, Map, MapKind, Object, Origins, Value};
use trueline_yaml as yaml;

use crate::chart::{Compat, Dependency, Maintainer, Metadata};

/// Whether a chart stands at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Root,
    Subchart,
}

/// The value of `.Chart`.
pub(super) fn value(metadata: &Metadata, level: Level, compat: Compat) -> Value {
    match compat {
        Compat::Helm4 => {
            let fields = fields(metadata, compat).into_iter().map(|field| (field.name, field.value));
            Value::from(Map::from_iter(fields.chain([("IsRoot", Value::from(level == Level::Root))])))
        }
        Compat::Helm3 => {
            let mut fields = fields(metadata, compat);
            let is_root = field("IsRoot", "IsRoot", Value::from(level == Level::Root));
            fields.push(Field { empty: Empty::Shown, ..is_root });
            Value::object(Struct {
                type_name: "struct { chart.Metadata; IsRoot bool }",
                kind: Kind::Struct,
                fields,
            })
        }
    }
}

/// A field of a struct.
#[derive(Debug)]
struct Field {
    /// Its name in Go.
    name: &'static str,
    /// Its name in JSON.
    json: &'static str,
    value: Value,
    empty: Empty,
}

/// Whether encoders write a field that is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Empty {
    Shown,
    LeftOut,
}

fn field(name: &'static str, json: &'static str, value: Value) -> Field {
    Field { name, json, value, empty: Empty::LeftOut }
}

fn text(name: &'static str, json: &'static str, text: &str) -> Field {
    field(name, json, Value::from(text))
}

fn fields(metadata: &Metadata, compat: Compat) -> Vec<Field> {
    vec![
        text("Name", "name", &metadata.name),
        text("Home", "home", &metadata.home),
        field("Sources", "sources", strings(&metadata.sources, compat)),
        text("Version", "version", &metadata.version),
        text("Description", "description", &metadata.description),
        field("Keywords", "keywords", strings(&metadata.keywords, compat)),
        field(
            "Maintainers",
            "maintainers",
            structs("*chart.Maintainer", metadata.maintainers.iter().map(maintainer), compat),
        ),
        text("Icon", "icon", &metadata.icon),
        text("APIVersion", "apiVersion", &metadata.api_version),
        text("Condition", "condition", &metadata.condition),
        text("Tags", "tags", &metadata.tags),
        text("AppVersion", "appVersion", &metadata.app_version),
        field("Deprecated", "deprecated", Value::from(metadata.deprecated)),
        field("Annotations", "annotations", annotations(metadata)),
        text("KubeVersion", "kubeVersion", &metadata.kube_version),
        field(
            "Dependencies",
            "dependencies",
            structs(
                "*chart.Dependency",
                metadata.dependencies.iter().map(|dependency| self::dependency(dependency, compat)),
                compat,
            ),
        ),
        text("Type", "type", &metadata.kind),
    ]
}

fn maintainer(maintainer: &Maintainer) -> Vec<Field> {
    vec![
        text("Name", "name", &maintainer.name),
        text("Email", "email", &maintainer.email),
        text("URL", "url", &maintainer.url),
    ]
}

fn dependency(dependency: &Dependency, compat: Compat) -> Vec<Field> {
    let imports =
        dependency.import_values.iter().map(|value| Value::from_plain(value, Origins::Kept)).collect();
    vec![
        Field { empty: Empty::Shown, ..text("Name", "name", &dependency.name) },
        text("Version", "version", &dependency.version),
        Field { empty: Empty::Shown, ..text("Repository", "repository", &dependency.repository) },
        text("Condition", "condition", &dependency.condition),
        field("Tags", "tags", strings(&dependency.tags, compat)),
        field("Enabled", "enabled", Value::from(dependency.enabled)),
        field("ImportValues", "import-values", Value::list(imports)),
        text("Alias", "alias", &dependency.alias),
    ]
}

/// Helm 4 turns every slice into one of interfaces.
fn strings(items: &[String], compat: Compat) -> Value {
    let items = items.iter().map(|item| Value::from(item.as_str())).collect();
    match compat {
        Compat::Helm4 => Value::list(items),
        Compat::Helm3 => slice(Element::String, items),
    }
}

/// A slice of a struct that Go decoded: nil where nothing was written.
fn slice(element: Element, items: Vec<Value>) -> Value {
    Value::from(if items.is_empty() { List::nil(element) } else { List::new(element, items) })
}

fn structs(type_name: &'static str, items: impl Iterator<Item = Vec<Field>>, compat: Compat) -> Value {
    match compat {
        Compat::Helm4 => {
            let map = |fields: Vec<Field>| {
                Value::from(Map::from_iter(fields.into_iter().map(|field| (field.name, field.value))))
            };
            Value::list(items.map(map).collect())
        }
        Compat::Helm3 => {
            let object = |fields| Value::object(Struct { type_name, kind: Kind::Pointer, fields });
            slice(Element::Named(type_name), items.map(object).collect())
        }
    }
}

fn annotations(metadata: &Metadata) -> Value {
    if metadata.annotations.is_empty() {
        return Value::from(Map::nil(MapKind::String));
    }
    let entries = metadata.annotations.iter().map(|(key, value)| {
        (Arc::from(key.as_str()), Entry { key_origin: None, value: Value::from(value.as_str()) })
    });
    Value::from(Map::from_entries(MapKind::String, entries))
}

/// A struct, or a pointer to one.
#[derive(Debug)]
struct Struct {
    type_name: &'static str,
    kind: Kind,
    fields: Vec<Field>,
}

impl Object for Struct {
    fn type_name(&self) -> &'static str {
        self.type_name
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn field(&self, name: &str) -> Option<Value> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.value.clone())
    }

    fn text(&self) -> String {
        let fields: Vec<_> = self.fields.iter().map(|field| shown(&field.value)).collect();
        match (self.kind, fields.as_slice()) {
            (Kind::Pointer, fields) => format!("&{{{}}}", fields.join(" ")),
            // All but the last stand in a struct of their own.
            (_, [metadata @ .., is_root]) => format!("{{{{{}}} {is_root}}}", metadata.join(" ")),
            _ => "{}".into(),
        }
    }

    fn plain(&self) -> yaml::Value {
        let shown = self.fields.iter().filter(|field| field.empty == Empty::Shown || field.value.is_true());
        let null = || yaml::Value::new(yaml::Data::Null);
        shown.map(|field| (field.json, field.value.to_plain().unwrap_or_else(|_| null()))).collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn shown(value: &Value) -> String {
    match &value.data {
        Data::Object(object) => object.text(),
        _ => trueline_gotemplate::fmt::text(value).text().into_owned(),
    }
}

//! JSON Schemas of kinds, for those who validate objects against such: draft 4, laid out as the registries that are made
//! from the published API have them, so what is wrong is reported in the same words.
//!
//! As there, a field may be null only where its object has no required field. The API server takes null for absent, so
//! such fields are left out of an object before it is validated against a schema.

use std::collections::BTreeSet;

use trueline_yaml::{Data, MapEntry, Value};

use super::{Api, DefinitionId, Field, Kind, Type};

/// What a schema has against fields that it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFields {
    /// Nothing.
    Allowed,
    /// They are refused.
    Refused,
}

/// A kind of one version, or the list of its objects.
#[derive(Debug, Clone, Copy)]
pub struct KindSchema {
    api: &'static Api,
    kind: Kind,
    is_list: bool,
}

/// What the kind of a list of objects ends with.
const LIST: &str = "List";

/// The fields of the metadata of lists.
const LIST_METADATA: [(&str, Type); 4] = [
    ("continue", Type::String),
    ("remainingItemCount", Type::Int64),
    ("resourceVersion", Type::String),
    ("selfLink", Type::String),
];

/// Whether null is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Null {
    Allowed,
    Refused,
}

impl Null {
    /// For the fields of an object.
    fn of_fields(fields: &[Field]) -> Self {
        if fields.iter().any(|field| field.is_required) { Null::Refused } else { Null::Allowed }
    }
}

impl KindSchema {
    /// The kind of an object; upper and lower case of `kind` do not matter, but the schema refuses another spelling
    /// than the API's.
    pub fn find(api: &'static Api, api_version: &str, kind: &str) -> Option<Self> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let named = |name: &str| {
            let mut kinds = api.kinds().filter(|known| known.group == group && known.version == version);
            kinds.find(|known| known.kind.eq_ignore_ascii_case(name)).copied()
        };
        if let Some(kind) = named(kind) {
            return Some(KindSchema { api, kind, is_list: false });
        }
        let end = kind.len().checked_sub(LIST.len())?;
        let item =
            kind.get(..end).filter(|_| kind.get(end..).is_some_and(|end| end.eq_ignore_ascii_case(LIST)))?;
        Some(KindSchema { api, kind: named(item)?, is_list: true })
    }

    /// The schema, as JSON text.
    pub fn json_schema(&self, unknown: UnknownFields) -> String {
        let mut writer = Writer { api: self.api, unknown, waiting: Vec::new(), seen: BTreeSet::new() };
        let version = match self.kind.group {
            "" => self.kind.version.to_owned(),
            group => format!("{group}/{}", self.kind.version),
        };
        let kind = if self.is_list { format!("{}{LIST}", self.kind.kind) } else { self.kind.kind.to_owned() };
        let mut root = if self.is_list {
            writer.list(self.kind.definition)
        } else {
            writer.object(self.kind.definition, Null::Allowed)
        };
        for (name, value) in [("apiVersion", version), ("kind", kind)] {
            let field = member(&mut root, "properties").and_then(|properties| member(properties, name));
            if let Some(field) = field {
                insert(field, "enum", [Value::from(value.as_str())].into_iter().collect());
            }
        }
        let definitions = writer.definitions();
        insert(&mut root, "$schema", Value::from("http://json-schema.org/draft-04/schema#"));
        insert(&mut root, "definitions", definitions);
        // Nothing in it is a number that JSON has no spelling for.
        root.to_json_text().unwrap_or_default()
    }

    /// An object without the fields that are null and may be absent.
    pub fn without_absent(&self, value: &Value) -> Value {
        if !has_null(value) {
            return value.clone();
        }
        let object = Type::Object(self.kind.definition);
        if !self.is_list {
            return self.settled(value, &object);
        }
        with_entries(value, |name, inner| match (name, &inner.data) {
            ("items", Data::List(items)) => {
                Some(items.iter().map(|item| self.settled(item, &object)).collect())
            }
            ("items", _) => Some(inner.clone()),
            (_, Data::Null) => None,
            _ => Some(inner.clone()),
        })
    }

    fn settled(&self, value: &Value, r#type: &Type) -> Value {
        match (r#type, &value.data) {
            (Type::Object(id), Data::Map(_)) => {
                let Some(definition) = self.api.definition(*id) else { return value.clone() };
                with_entries(value, |name, inner| match definition.field(name) {
                    None => Some(inner.clone()),
                    Some((_, field)) if matches!(inner.data, Data::Null) && !field.is_required => None,
                    Some((_, field)) => Some(self.settled(inner, field.r#type)),
                })
            }
            (Type::List(items, _), Data::List(list)) => {
                let items = self.api.r#type(*items);
                list.iter().map(|item| self.settled(item, items)).collect()
            }
            (Type::Map(values), Data::Map(_)) => {
                let values = self.api.r#type(*values);
                with_entries(value, |_, inner| {
                    (!matches!(inner.data, Data::Null)).then(|| self.settled(inner, values))
                })
            }
            _ => value.clone(),
        }
    }
}

fn has_null(value: &Value) -> bool {
    match &value.data {
        Data::Null => true,
        Data::List(items) => items.iter().any(has_null),
        Data::Map(map) => map.values().any(|entry| has_null(&entry.value)),
        _ => false,
    }
}

/// A map with other values; those that become nothing are left out.
fn with_entries(value: &Value, change: impl Fn(&str, &Value) -> Option<Value>) -> Value {
    let Data::Map(map) = &value.data else { return value.clone() };
    let entries = map.iter().filter_map(|(key, entry)| {
        let value = change(key, &entry.value)?;
        Some((key.clone(), MapEntry { key_origin: entry.key_origin, value }))
    });
    Value { data: Data::Map(std::sync::Arc::new(entries.collect())), origin: value.origin }
}

fn member<'v>(map: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    match &mut map.data {
        Data::Map(map) => std::sync::Arc::make_mut(map).get_mut(name).map(|entry| &mut entry.value),
        _ => None,
    }
}

fn insert(map: &mut Value, name: &str, value: Value) {
    if let Data::Map(map) = &mut map.data {
        std::sync::Arc::make_mut(map).insert(name.into(), MapEntry { key_origin: None, value });
    }
}

/// Writes schemas, and remembers which definitions they lead to.
struct Writer {
    api: &'static Api,
    unknown: UnknownFields,
    waiting: Vec<(DefinitionId, Null)>,
    seen: BTreeSet<(DefinitionId, Null)>,
}

impl Writer {
    /// All definitions that have been led to.
    fn definitions(&mut self) -> Value {
        let mut definitions = Vec::new();
        while let Some((id, null)) = self.waiting.pop() {
            definitions.push((self.name(id, null), self.object(id, null)));
        }
        definitions.sort_by(|left, right| left.0.cmp(&right.0));
        definitions.into_iter().collect()
    }

    fn name(&self, id: DefinitionId, null: Null) -> String {
        let name = self.api.definition(id).map_or("", |definition| definition.name);
        match null {
            Null::Allowed => name.to_owned(),
            Null::Refused => format!("{name}!"),
        }
    }

    fn object(&mut self, id: DefinitionId, null: Null) -> Value {
        let api = self.api;
        let fields = api.definition(id).map_or(&[][..], |definition| &definition.fields);
        let inner = Null::of_fields(fields);
        let properties: Vec<(&str, Value)> =
            fields.iter().map(|field| (field.name, self.schema(field.r#type, inner))).collect();
        let required = fields.iter().filter(|field| field.is_required).map(|field| field.name).collect();
        self.with_fields(null, properties, required)
    }

    fn list(&mut self, id: DefinitionId) -> Value {
        let string = || scalar("string", "", Null::Refused);
        let metadata = LIST_METADATA.iter().map(|(name, r#type)| (*name, self.schema(r#type, Null::Allowed)));
        let metadata = metadata.collect::<Vec<_>>();
        let metadata = self.with_fields(Null::Refused, metadata, Vec::new());
        let items = [
            ("type", types("array", Null::Refused)),
            ("items", self.schema(&Type::Object(id), Null::Allowed)),
        ];
        let properties = vec![
            ("apiVersion", string()),
            ("items", items.into_iter().collect()),
            ("kind", string()),
            ("metadata", metadata),
        ];
        self.with_fields(Null::Allowed, properties, vec!["items"])
    }

    fn with_fields(&self, null: Null, properties: Vec<(&str, Value)>, required: Vec<&str>) -> Value {
        let mut members = vec![("type", types("object", null))];
        if !properties.is_empty() {
            members.push(("properties", properties.into_iter().collect()));
            if self.unknown == UnknownFields::Refused {
                members.push(("additionalProperties", Value::from(false)));
            }
        }
        if !required.is_empty() {
            members.push(("required", required.into_iter().map(Value::from).collect()));
        }
        members.into_iter().collect()
    }

    fn schema(&mut self, r#type: &Type, null: Null) -> Value {
        match r#type {
            Type::Any => Value::from_iter(std::iter::empty::<(&str, Value)>()),
            Type::Bool => scalar("boolean", "", null),
            Type::Int32 => scalar("integer", "int32", null),
            Type::Int64 => scalar("integer", "int64", null),
            Type::Double => scalar("number", "double", null),
            Type::String => scalar("string", "", null),
            Type::Bytes => scalar("string", "byte", null),
            Type::Time | Type::MicroTime => scalar("string", "date-time", null),
            Type::Quantity => either("number"),
            Type::IntOrString => either("integer"),
            Type::Object(id) => {
                if self.seen.insert((*id, null)) {
                    self.waiting.push((*id, null));
                }
                let reference = format!("#/definitions/{}", self.name(*id, null));
                [("$ref", Value::from(reference.as_str()))].into_iter().collect()
            }
            Type::List(items, _) => {
                let items = self.schema(self.api.r#type(*items), Null::Allowed);
                [("type", types("array", null)), ("items", items)].into_iter().collect()
            }
            Type::Map(values) => {
                let values = self.schema(self.api.r#type(*values), Null::Allowed);
                [("type", types("object", null)), ("additionalProperties", values)].into_iter().collect()
            }
        }
    }
}

/// The value of `type`.
fn types(name: &str, null: Null) -> Value {
    match null {
        Null::Allowed => [Value::from(name), Value::from("null")].into_iter().collect(),
        Null::Refused => Value::from(name),
    }
}

fn scalar(name: &str, format: &str, null: Null) -> Value {
    let format = Some(("format", Value::from(format))).filter(|_| !format.is_empty());
    [("type", types(name, null))].into_iter().chain(format).collect()
}

/// A string or a number.
fn either(number: &str) -> Value {
    let choices = ["string", number].map(|name| scalar(name, "", Null::Allowed));
    [("oneOf", choices.into_iter().collect::<Value>())].into_iter().collect()
}

#[cfg(test)]
mod tests {
    use trueline_yaml::yaml_to_value;

    use super::*;

    fn find(api_version: &str, kind: &str) -> Option<KindSchema> {
        KindSchema::find(Api::newest().unwrap(), api_version, kind)
    }

    fn at(schema: &Value, path: &str) -> String {
        let found = path.split('/').try_fold(schema, |value, name| value.get(name));
        found.map(|value| value.to_json_text().unwrap()).unwrap_or_default()
    }

    #[test]
    fn kinds_are_found_in_any_case_but_only_in_their_group() {
        for (api_version, kind) in
            [("v1", "Pod"), ("v1", "pod"), ("apps/v1", "Deployment"), ("v1", "ConfigMapList")]
        {
            assert!(find(api_version, kind).is_some(), "{api_version} {kind}");
        }
        for (api_version, kind) in [
            ("v2", "Pod"),
            ("apps/v1", "Pod"),
            ("apps.example.com/v1", "Deployment"),
            ("v1", "List"),
            ("v1", "X"),
            ("v1", "é"),
        ] {
            assert!(find(api_version, kind).is_none(), "{api_version} {kind}");
        }
    }

    #[test]
    fn schemas_are_laid_out_as_registries_have_them() {
        let schema = |kind: &str, unknown| {
            Value::from_json_text(&find("v1", kind).unwrap().json_schema(unknown)).unwrap()
        };
        let pod = schema("pod", UnknownFields::Refused);
        let container = "definitions/io.k8s.api.core.v1.Container";
        for (path, expected) in [
            ("type", r#"["object","null"]"#),
            ("properties/kind", r#"{"enum":["Pod"],"type":["string","null"]}"#),
            ("properties/apiVersion/enum", r#"["v1"]"#),
            ("properties/spec", r##"{"$ref":"#/definitions/io.k8s.api.core.v1.PodSpec"}"##),
            ("additionalProperties", "false"),
            ("definitions/io.k8s.api.core.v1.PodSpec/required", r#"["containers"]"#),
            ("definitions/io.k8s.api.core.v1.PodSpec/properties/containers/type", r#""array""#),
            (
                "definitions/io.k8s.api.core.v1.PodSpec/properties/containers/items",
                r##"{"$ref":"#/definitions/io.k8s.api.core.v1.Container"}"##,
            ),
            (&format!("{container}/type"), r#"["object","null"]"#),
            (&format!("{container}/properties/image"), r#"{"type":"string"}"#),
            (&format!("{container}/additionalProperties"), "false"),
            (
                "definitions/io.k8s.api.core.v1.HTTPGetAction/properties/port",
                r#"{"oneOf":[{"type":["string","null"]},{"type":["integer","null"]}]}"#,
            ),
            (
                "definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta/properties/creationTimestamp",
                r#"{"format":"date-time","type":["string","null"]}"#,
            ),
        ] {
            assert_eq!(at(&pod, path), expected, "{path}");
        }
        let lenient = schema("Pod", UnknownFields::Allowed);
        assert_eq!(at(&lenient, "additionalProperties"), "");
        let list = schema("ConfigMapList", UnknownFields::Refused);
        assert_eq!(at(&list, "required"), r#"["items"]"#);
        assert_eq!(at(&list, "properties/kind"), r#"{"enum":["ConfigMapList"],"type":"string"}"#);
    }

    #[test]
    fn null_is_as_good_as_nothing_where_a_field_may_be_absent() {
        let settled = |kind: &str, text: &str| {
            find("v1", kind).unwrap().without_absent(&yaml_to_value(text).unwrap()).to_json_text().unwrap()
        };
        assert_eq!(
            settled(
                "Pod",
                "spec: {nodeName: , containers: [{name: , image: , resources: {limits: {cpu: , a: 1}}}]}"
            ),
            r#"{"spec":{"containers":[{"name":null,"resources":{"limits":{"a":1}}}]}}"#
        );
        assert_eq!(settled("Pod", "{spec: , nope: , metadata: 5}"), r#"{"metadata":5,"nope":null}"#);
        assert_eq!(
            settled("ConfigMapList", "{metadata: , items: [{data: {a: , b: x}}]}"),
            r#"{"items":[{"data":{"b":"x"}}]}"#
        );
        assert_eq!(settled("PodList", "{items: }"), r#"{"items":null}"#);
    }
}

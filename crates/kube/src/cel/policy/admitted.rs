//! Objects of built-in kinds as the server sees them when it asks policies: read into Go's types, with defaults, and written
//! again.
//!
//! What admission plugins, controllers or allocators put into an object is not there: it depends on the cluster.

use std::sync::Arc;

use trueline_apimachinery::quantity::{Notation, Quantity};
use trueline_gostd::base64;
use trueline_kube_api::{Api, Definition, Kind, Type};
use trueline_kube_rules::rules::short_name;
use trueline_yaml::{Data, Map, MapEntry, Value};

use super::encoding::Written;
use super::{fill, quality};

/// How deep objects are filled in; types that hold themselves are schemas of CRDs.
const DEEPEST: usize = 64;

/// An object that is created. One that names no namespace lands in `namespace`.
pub fn admitted(api: &'static Api, kind: &Kind, object: &Value, namespace: &str) -> Value {
    let mut object = typed(api, kind, object);
    let Some(fields) = map_of(&mut object) else { return object };
    if let Some(definition) = api.definition(kind.definition) {
        reset_status(api, kind, definition, fields);
    }
    metadata(kind, fields, namespace);
    match kind.kind {
        "Namespace" if kind.group.is_empty() => fill::namespace(fields),
        "Pod" if kind.group.is_empty() => rate(fields),
        _ => {}
    }
    object
}

/// Puts its quality of service into the status of a new pod.
fn rate(fields: &mut Map) {
    let class = match fields.get("spec").map(|entry| &entry.value.data) {
        Some(Data::Map(spec)) => quality::class(spec),
        _ => return,
    };
    if let Some(status) = fields.get_mut("status").and_then(|entry| map_of(&mut entry.value)) {
        set(status, "qosClass", Value::from(class));
    }
}

/// An object that takes the place of one that the cluster has, and that one.
pub fn admitted_update(
    api: &'static Api,
    kind: &Kind,
    object: &Value,
    old: &Value,
    namespace: &str,
) -> (Value, Value) {
    let old = {
        let mut old = typed(api, kind, old);
        if let Some(fields) = map_of(&mut old) {
            place(kind, fields, namespace);
        }
        old
    };
    let mut object = typed(api, kind, object);
    if let Some(fields) = map_of(&mut object) {
        if fields.contains_key("status") || old.get("status").is_some() {
            match old.get("status") {
                Some(status) => set(fields, "status", status.clone()),
                None => {
                    fields.shift_remove("status");
                }
            }
        }
        place(kind, fields, namespace);
        // These stay what they are.
        let kept = ["uid", "creationTimestamp", "resourceVersion", "generation", "managedFields"];
        let before = old.get("metadata");
        if let Some(metadata) = fields.get_mut("metadata").and_then(|entry| map_of(&mut entry.value)) {
            for key in kept {
                match before.and_then(|before| before.get(key)) {
                    Some(value) => set(metadata, key, value.clone()),
                    None => {
                        metadata.shift_remove(key);
                    }
                }
            }
        }
    }
    (object, old)
}

fn typed(api: &'static Api, kind: &Kind, object: &Value) -> Value {
    let Some(definition) = api.definition(kind.definition) else { return object.clone() };
    let is_pod = kind.group.is_empty() && kind.kind == "Pod";
    let mut typed = Writer { api, is_pod }.object(definition, object, 0);
    if let Some(fields) = map_of(&mut typed) {
        let api_version = match kind.group {
            "" => kind.version.to_owned(),
            group => format!("{group}/{}", kind.version),
        };
        for (key, text) in [("apiVersion", api_version.as_str()), ("kind", kind.kind)] {
            if !fields.contains_key(key) {
                set(fields, key, Value::from(text));
            }
        }
    }
    typed
}

/// What objects have as their status when they are new: nothing but what its type always writes.
fn reset_status(api: &'static Api, kind: &Kind, definition: &Definition, fields: &mut Map) {
    let Some((_, field)) = definition.field("status") else { return };
    let Type::Object(id) = field.r#type else { return };
    let Some(status) = api.definition(*id) else { return };
    // What is written by those who report it keeps its status.
    let keeps = matches!((kind.group, kind.kind), ("", "Node" | "Event" | "ComponentStatus"));
    if !keeps && Written::of(definition.name).keeps_zero("status") {
        let empty = Value::new(Data::Map(Arc::default()));
        set(fields, "status", Writer { api, is_pod: false }.object(status, &empty, 0));
    }
}

/// The kinds whose objects count the changes of what is wanted.
const COUNTED: &[(&str, &str)] = &[
    ("", "Pod"),
    ("", "ReplicationController"),
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("networking.k8s.io", "Ingress"),
    ("networking.k8s.io", "IngressClass"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("policy", "PodDisruptionBudget"),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"),
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"),
    ("scheduling.k8s.io", "PriorityClass"),
    ("discovery.k8s.io", "EndpointSlice"),
    ("resource.k8s.io", "ResourceSlice"),
    ("resource.k8s.io", "DeviceClass"),
    ("resource.k8s.io", "DeviceTaintRule"),
];

fn metadata(kind: &Kind, fields: &mut Map, namespace: &str) {
    place(kind, fields, namespace);
    let Some(metadata) = fields.get_mut("metadata").and_then(|entry| map_of(&mut entry.value)) else {
        return;
    };
    for set_by_server in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "managedFields",
        "selfLink",
        "resourceVersion",
        "generation",
    ] {
        metadata.shift_remove(set_by_server);
    }
    if COUNTED.contains(&(kind.group, kind.kind)) {
        set(metadata, "generation", Value::from(1_i64));
    }
}

fn place(kind: &Kind, fields: &mut Map, namespace: &str) {
    let Some(metadata) = fields.get_mut("metadata").and_then(|entry| map_of(&mut entry.value)) else {
        return;
    };
    match kind.is_namespaced {
        true if !metadata.contains_key("namespace") => set(metadata, "namespace", Value::from(namespace)),
        true => {}
        false => {
            metadata.shift_remove("namespace");
        }
    }
}

/// Reads a value into Go's type, and writes it again.
pub(super) struct Writer {
    pub(super) api: &'static Api,
    pub(super) is_pod: bool,
}

impl Writer {
    pub(super) fn object(&self, definition: &Definition, value: &Value, depth: usize) -> Value {
        let name = short_name(definition.name);
        let written = Written::of(definition.name);
        let mut fields = Map::default();
        if let Data::Map(typed) = &value.data {
            for (key, entry) in typed.iter().filter(|(_, entry)| !matches!(entry.value.data, Data::Null)) {
                let Some((_, field)) = definition.field(key) else { continue };
                let value = self.value(field.r#type, &entry.value, depth);
                // Amounts, times and what may be a number or a string are pointers where they may be missing.
                let can_be_zero = !matches!(
                    field.r#type,
                    Type::Object(_)
                        | Type::Quantity
                        | Type::Time
                        | Type::MicroTime
                        | Type::IntOrString
                        | Type::Any
                );
                if !(can_be_zero && is_zero(&value) && !written.keeps_zero(key)) {
                    fields.insert(Arc::clone(key), MapEntry { key_origin: entry.key_origin, value });
                }
            }
        }
        if depth < DEEPEST {
            for key in written.always().filter(|key| *key != "status" || depth > 0) {
                let Some((_, field)) = definition.field(key) else { continue };
                if !fields.contains_key(key)
                    && let Some(value) = self.zero(field.r#type, depth)
                {
                    set(&mut fields, key, value);
                }
            }
            fill::defaults(self, &name, definition, &mut fields, depth);
        }
        Value { data: Data::Map(Arc::new(fields)), origin: value.origin }
    }

    fn zero(&self, of: &Type, depth: usize) -> Option<Value> {
        Some(match of {
            Type::Object(_) => {
                let empty = Value::new(Data::Map(Arc::default()));
                self.value(of, &empty, depth)
            }
            Type::Bool => Value::from(false),
            Type::Int32 | Type::Int64 | Type::IntOrString => Value::from(0_i64),
            Type::Double => Value::from(0.0),
            Type::String => Value::from(""),
            Type::Quantity => Value::from("0"),
            Type::Time | Type::MicroTime | Type::List(..) | Type::Map(_) => Value::new(Data::Null),
            Type::Any | Type::Bytes => return None,
        })
    }

    pub(super) fn value(&self, of: &Type, value: &Value, depth: usize) -> Value {
        let with = |data: Data| Value { data, origin: value.origin };
        match (of, &value.data) {
            (Type::Object(id), Data::Map(_)) => match self.api.definition(*id) {
                // Objects without known fields hold anything.
                Some(definition) if !definition.fields.is_empty() && depth < DEEPEST => {
                    self.object(definition, value, depth + 1)
                }
                _ => value.clone(),
            },
            (Type::List(item, _), Data::List(items)) => {
                let item = self.api.r#type(*item);
                with(Data::List(Arc::new(items.iter().map(|value| self.value(item, value, depth)).collect())))
            }
            (Type::Map(values), Data::Map(entries)) => {
                let values = self.api.r#type(*values);
                let entries = entries.iter().map(|(key, entry)| {
                    let value = match &entry.value.data {
                        Data::Null => self.zero(values, depth).unwrap_or_else(|| entry.value.clone()),
                        _ => self.value(values, &entry.value, depth),
                    };
                    (Arc::clone(key), MapEntry { key_origin: entry.key_origin, value })
                });
                with(Data::Map(Arc::new(entries.collect())))
            }
            (Type::Quantity, data) => match quantity(data) {
                Some(text) => with(Data::String(text.into())),
                None => value.clone(),
            },
            (Type::Int32 | Type::Int64 | Type::IntOrString, Data::Float(number))
                if number.fract() == 0.0 && number.abs() < 9e15 =>
            {
                with(Data::Int(*number as i64))
            }
            (Type::Bytes, Data::String(text)) => match base64::STANDARD.decode(text.as_bytes()) {
                Ok(bytes) => with(Data::String(base64::STANDARD.encode(&bytes).into())),
                Err(_) => value.clone(),
            },
            _ => value.clone(),
        }
    }
}

/// An amount as the server writes it.
fn quantity(data: &Data) -> Option<String> {
    let text = match data {
        Data::String(text) => text.to_string(),
        Data::Int(number) => number.to_string(),
        Data::UInt(number) => number.to_string(),
        Data::Float(number) => trueline_yaml::number::general(*number),
        _ => return None,
    };
    Some(Quantity::read(&text).ok()?.written(Notation::of(&text)))
}

fn is_zero(value: &Value) -> bool {
    match &value.data {
        Data::Null => true,
        Data::Bool(value) => !value,
        Data::Int(number) => *number == 0,
        Data::UInt(number) => *number == 0,
        Data::Float(number) => *number == 0.0,
        Data::String(text) => text.is_empty(),
        Data::List(items) => items.is_empty(),
        Data::Map(map) => map.is_empty(),
    }
}

/// The fields of an object, to be changed.
pub(super) fn map_of(value: &mut Value) -> Option<&mut Map> {
    match &mut value.data {
        Data::Map(map) => Some(Arc::make_mut(map)),
        _ => None,
    }
}

/// Sets a field.
pub(super) fn set(fields: &mut Map, key: &str, value: Value) {
    let key_origin = fields.get(key).and_then(|entry| entry.key_origin);
    fields.insert(key.into(), MapEntry { key_origin, value });
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_kube_api::Lookup;

    /// What differs, with its path.
    fn differences(here: &Value, server: &Value, path: &str, found: &mut Vec<String>) {
        match (&here.data, &server.data) {
            (Data::Map(left), Data::Map(right)) => {
                for (key, entry) in left.iter() {
                    match right.get(key) {
                        Some(other) => {
                            differences(&entry.value, &other.value, &format!("{path}.{key}"), found);
                        }
                        None => found.push(format!("{path}.{key}: only here")),
                    }
                }
                let missing = right.keys().filter(|key| !left.contains_key(*key));
                found.extend(missing.map(|key| format!("{path}.{key}: only on the server")));
            }
            (Data::List(left), Data::List(right)) if left.len() == right.len() => {
                for (left, right) in left.iter().zip(right.iter()) {
                    differences(left, right, &format!("{path}[]"), found);
                }
            }
            _ if here == server => {}
            _ => found.push(format!("{path}: {here:?} in place of {server:?}")),
        }
    }

    #[test]
    fn objects_are_filled_in_as_a_server_fills_them_in() {
        let recorded = Value::from_json_text(include_str!("recorded/admitted.json")).unwrap();
        let Data::List(rows) = &recorded.data else { panic!("no list") };
        assert!(rows.len() > 25);
        let api = Api::for_version("1.35".parse().unwrap()).unwrap();
        for row in rows.iter() {
            let (object, seen) = (row.get("object").unwrap(), row.get("seen").unwrap());
            let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap();
            let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
            let Lookup::Served(kind) = api.lookup(group, version, text("kind")) else {
                panic!("unknown kind")
            };
            let mut found = Vec::new();
            differences(&admitted(api, &kind, object, "default"), seen, kind.kind, &mut found);
            assert!(found.is_empty(), "{found:#?}");
        }
    }

    #[test]
    fn an_update_keeps_what_only_the_server_sets() {
        let api = Api::for_version("1.35".parse().unwrap()).unwrap();
        let Lookup::Served(kind) = api.lookup("", "v1", "ConfigMap") else { panic!("unknown kind") };
        let read = |text: &str| Value::from_json_text(text).unwrap();
        let old = read(
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"u"},"data":{"a":"b"}}"#,
        );
        let new = read(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"c"}}"#);
        let (object, before) = admitted_update(api, &kind, &new, &old, "team");
        let metadata = |object: &Value, key: &str| {
            object
                .get("metadata")
                .and_then(|metadata| metadata.get(key))
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        assert_eq!(metadata(&object, "uid").as_deref(), Some("u"));
        assert_eq!(metadata(&before, "namespace").as_deref(), Some("team"));
        assert_eq!(object.get("data").and_then(|data| data.get("a")).and_then(Value::as_str), Some("c"));
    }
}

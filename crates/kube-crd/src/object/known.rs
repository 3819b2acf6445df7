//! Pruning as far as the server goes with whole objects: what no schema knows, and what metadata has no field for.

use trueline_kube_facts::decode::{GoStruct, GoType, types};
use trueline_yaml::{Data, Value};

use super::prune::{Member, member_schema, prune};
use super::resource::{Resource, Version};
use crate::structural::Root;
use crate::structural::Structural;
use crate::value::rewrite::{Fate, rewrite_list, rewrite_map, with_list, with_map};

impl Resource {
    /// An object of a version without the fields that the server drops because it does not know them.
    pub fn prune(&self, value: &Value, version: &Version) -> Value {
        let schema = version.schema.as_ref();
        let value = match self.preserves_unknown_fields {
            true => value.clone(),
            false => prune(value, schema, Root::Resource).value,
        };
        known(&value, schema, Root::Resource).unwrap_or(value)
    }
}

/// The value with pruned metadata, wherever a resource is; nothing if it stays as it is.
fn known(value: &Value, schema: Option<&Structural>, root: Root) -> Option<Value> {
    match &value.data {
        Data::Map(map) => {
            let is_resource =
                root == Root::Resource || schema.is_some_and(|schema| schema.extensions.embedded_resource);
            let changed = rewrite_map(map, |key, entry| {
                if is_resource && &**key == "metadata" {
                    return structure(&entry.value, &types::OBJECT_META).into();
                }
                match schema.and_then(|schema| member_schema(schema, key)) {
                    Some(Member::Known(schema)) => known(&entry.value, Some(schema), Root::Value).into(),
                    Some(Member::Anything) | None => Fate::Kept,
                }
            });
            changed.map(|map| with_map(value, map))
        }
        Data::List(items) => {
            let schema = schema?.items.as_deref()?;
            let changed = rewrite_list(items, |_, item| known(item, Some(schema), Root::Value));
            changed.map(|items| with_list(value, items))
        }
        _ => None,
    }
}

/// The value without the fields that a structure does not have; nothing if it has none of these. What has another type
/// stays for whoever says so.
fn structure(value: &Value, fields: &GoStruct) -> Option<Value> {
    let Data::Map(map) = &value.data else { return None };
    let changed = rewrite_map(map, |key, entry| {
        match fields.fields.iter().find(|(name, _)| *name == &**key).map(|(_, field)| field) {
            None => Fate::Gone,
            Some(GoType::List(GoType::Struct(fields))) => match &entry.value.data {
                Data::List(items) => rewrite_list(items, |_, item| structure(item, fields))
                    .map(|items| with_list(&entry.value, items))
                    .into(),
                _ => Fate::Kept,
            },
            Some(_) => Fate::Kept,
        }
    });
    changed.map(|map| with_map(value, map))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::tests::{schema, value};

    #[test]
    fn metadata_has_no_fields_but_its_own() {
        let schema = schema(
            r#"{"type": "object", "properties": {"metadata": {"type": "object"}, "list": {"type": "array", "items":
                {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}}}}"#,
        );
        let cases = [
            (r#"{"metadata": {"name": "a", "labels": {"x": "y"}}, "x": {"metadata": {"b": 1}}}"#, None),
            (
                r#"{"metadata": {"name": "a", "Name": "b", "ownerReferences": [{"kind": "A", "x": 1}, 5]}}"#,
                Some(r#"{"metadata": {"name": "a", "ownerReferences": [{"kind": "A"}, 5]}}"#),
            ),
            (
                r#"{"list": [{"metadata": {"x": 1}, "spec": {"metadata": {"x": 1}}}]}"#,
                Some(r#"{"list": [{"metadata": {}, "spec": {"metadata": {"x": 1}}}]}"#),
            ),
            (r#"{"metadata": 5}"#, None),
        ];
        for (text, expected) in cases {
            assert_eq!(known(&value(text), Some(&schema), Root::Resource), expected.map(value), "{text}");
        }
    }
}

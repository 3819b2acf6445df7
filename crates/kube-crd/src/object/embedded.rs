//! Resources inside of resources: what the server demands of their `apiVersion`, `kind` and `metadata`.

use trueline_kube_facts::object_meta::{Namespacing, ObjectMeta};
use trueline_kube_facts::{FieldError, Trail, joined, names, rules};
use trueline_yaml::{Data, Map, Value};

use super::prune::{Member, member_schema};
use crate::structural::Root;
use crate::structural::Structural;
use crate::value::printed::printed;

rules! {
    /// `apiVersion` or `kind` of an embedded object is empty.
    EMPTY_EMBEDDED_FIELD: Invalid, "custom/empty-embedded-field", "must not be empty";
    /// `apiVersion` of an embedded object is not `group/version` or `version`.
    EMBEDDED_VERSION: Invalid, "custom/embedded-version", "unexpected GroupVersion string: {}";
    /// `kind` of an embedded object is not the name of a kind.
    EMBEDDED_KIND: Invalid, "custom/embedded-kind", "may have mixed case, but should otherwise match: {}";
    /// `apiVersion` or `kind` of an embedded object is not a string.
    EMBEDDED_NOT_A_STRING: Invalid, "custom/embedded-not-a-string", "must be a string";
    /// The metadata of an embedded object cannot be read.
    EMBEDDED_METADATA: Invalid, "custom/embedded-metadata", "{}";
}

/// All that is wrong with the resources in a value, and with the value itself if it is one.
pub(crate) fn validate_embedded(
    value: &Value,
    schema: &Structural,
    root: Root,
    path: &Trail<'_>,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    walk(value, schema, root, path, &mut errors);
    errors
}

fn walk(value: &Value, schema: &Structural, root: Root, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    match &value.data {
        Data::Map(map) => {
            if root == Root::Resource || schema.extensions.embedded_resource {
                resource(map, path, errors);
            }
            for (key, entry) in map.iter() {
                if let Some(Member::Known(member)) = member_schema(schema, key) {
                    let path = match schema.properties.contains_key(key) {
                        true => path.child(key),
                        false => path.key(key),
                    };
                    walk(&entry.value, member, Root::Value, &path, errors);
                }
            }
        }
        Data::List(items) => {
            if let Some(schema) = schema.items.as_deref() {
                for (index, item) in items.iter().enumerate() {
                    walk(item, schema, Root::Value, &path.index(index), errors);
                }
            }
        }
        _ => {}
    }
}

fn resource(map: &Map, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    for name in ["apiVersion", "kind"] {
        let path = path.child(name);
        match map.get(name).map(|entry| (&entry.value, &entry.value.data)) {
            None => errors.push(path.missing()),
            Some((_, Data::String(text))) if text.is_empty() => {
                errors.push(path.refuse_text(text, &EMPTY_EMBEDDED_FIELD));
            }
            Some((_, Data::String(text))) if name == "apiVersion" => {
                if text.matches('/').count() > 1 {
                    errors.push(path.refuse_text(text, EMBEDDED_VERSION.with(text)));
                }
            }
            Some((_, Data::String(text))) => {
                let problems = names::dns_1035_label(&text.to_lowercase());
                if !problems.is_empty() {
                    let problems = joined(&problems, ",");
                    errors.push(path.refuse_text(text, EMBEDDED_KIND.with(problems)));
                }
            }
            Some((value, _)) => errors.push(path.refuse_value(printed(value), &EMBEDDED_NOT_A_STRING)),
        }
    }
    if let Some(entry) = map.get("metadata") {
        let path = path.child("metadata");
        match ObjectMeta::decode(&entry.value) {
            Err(error) => {
                errors.push(path.refuse_value(printed(&entry.value), EMBEDDED_METADATA.with(error.text)))
            }
            Ok((mut metadata, _)) => {
                if metadata.name.is_empty() {
                    // A resource inside of another needs no name.
                    metadata.name = "name".into();
                }
                let namespacing = match metadata.namespace.is_empty() {
                    true => Namespacing::Cluster,
                    false => Namespacing::Namespaced,
                };
                errors.extend(metadata.validate(namespacing, &names::path_segment_name, &path));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::tests::{schema, value};

    #[test]
    fn resources_inside_of_resources_are_checked() {
        let schema = schema(
            r#"{"type": "object", "properties": {"l": {"type": "array", "items": {"type": "object",
                "additionalProperties": {"type": "object", "x-kubernetes-embedded-resource": true}}}}}"#,
        );
        let cases = [
            (r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {}}"#, ""),
            (r#"{}"#, "l[0][k].apiVersion: Required value|l[0][k].kind: Required value"),
            (
                r#"{"apiVersion": "a/b/c", "kind": ""}"#,
                "l[0][k].apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c|\
                 l[0][k].kind: Invalid value: \"\": must not be empty",
            ),
            (
                r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a/b"}}"#,
                "l[0][k].metadata.name: Invalid value: \"a/b\": may not contain '/'",
            ),
        ];
        for (resource, expected) in cases {
            let value = value(&format!(r#"{{"l": [{{"k": {resource}}}]}}"#));
            let path = Trail::root("", Some(&value));
            let errors = validate_embedded(&value, &schema, Root::Value, &path);
            let texts: Vec<String> = errors.iter().map(FieldError::message).collect();
            assert_eq!(texts.join("|"), expected);
        }
    }
}

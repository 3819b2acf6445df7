//! The types and the written schemas say the same.
//!
//! A schema is derived from the types, and samples are put before three judges: the written schema,
//! the derived one, and deserialisation into the types. They must agree on every sample, except for the
//! keywords in [`NOT_IN_TYPES`], which a Rust type cannot carry.
//!
//! Samples are made from a document that has every field of its schema, by breaking it in one place
//! after the other: each field removed, each value replaced by one of every other kind, each choice by
//! one that does not exist, a field added to each object, a number taken below its limit. Nothing is
//! drawn by chance.

use jsonschema::{Registry, Validator};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{Categories, Extension, Profiles};
use crate::schemas::SCHEMAS;

/// Keywords of the written schemas that the types leave to them, and why.
const NOT_IN_TYPES: &[(&str, &str)] = &[
    ("pattern", "a name or a version is a `String`; its spelling is looked at where it can be explained"),
    ("minLength", "a length is no part of a type"),
    ("maxLength", "a length is no part of a type"),
    ("minItems", "a `Vec` may be empty"),
    ("uniqueItems", "a `Vec` may hold a value twice; a set would lose the order"),
    ("format", "a URL or a host name is a `String`, kept as it was written"),
];

/// The written rule that no type can carry: `validate` is required unless `validation` is there.
const VALIDATE_OR_VALIDATION: &str = "/else/required";

struct Judges {
    written: Validator,
    derived: Validator,
    deserialise: fn(&Value) -> bool,
}

impl Judges {
    fn new<T: JsonSchema + DeserializeOwned>(name: &str) -> Self {
        let parse = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
        let resources = SCHEMAS.iter().map(|schema| (schema.uri, parse(schema.text)));
        let registry = Registry::new().extend(resources).unwrap().prepare().unwrap();
        let text = crate::schemas::schema(name).unwrap();
        Judges {
            written: jsonschema::options().with_registry(&registry).build(&parse(text)).unwrap(),
            derived: jsonschema::validator_for(schemars::schema_for!(T).as_value()).unwrap(),
            deserialise: |sample| serde_json::from_value::<T>(sample.clone()).is_ok(),
        }
    }

    /// The verdict of the written schema, without the rules that types cannot carry.
    fn accepted(&self, sample: &Value) -> bool {
        self.written.iter_errors(sample).all(|error| {
            let path = error.schema_path().to_string();
            let keyword = path.rsplit('/').next().unwrap_or_default();
            NOT_IN_TYPES.iter().any(|(left_out, _)| keyword == *left_out) || path == VALIDATE_OR_VALIDATION
        })
    }

    fn agree(&self, sample: &Value, what: &str) -> bool {
        let accepted = self.agree_as_schemas(sample, what);
        assert_eq!((self.deserialise)(sample), accepted, "deserialisation on {what}");
        accepted
    }

    fn agree_as_schemas(&self, sample: &Value, what: &str) -> bool {
        let accepted = self.accepted(sample);
        assert_eq!(self.derived.is_valid(sample), accepted, "the derived schema on {what}");
        accepted
    }
}

/// Puts a full document and all that can be made from it before the judges.
fn compare<T: JsonSchema + DeserializeOwned>(name: &str) {
    let judges = Judges::new::<T>(name);
    let full = full_document(name);
    let verdict = judges.written.validate(&full);
    assert!(verdict.is_ok(), "the full document of {name}: {verdict:?}");
    assert!(judges.agree(&full, "the full document"));

    let (mut accepted, mut rejected) = (0, 0);
    for pointer in pointers(&full) {
        for (what, sample) in broken_at(&full, &pointer) {
            let what = format!("{name} with {what} at `{pointer}`");
            // serde takes a list for the fields of a struct in their order: the second known difference.
            let list_for_object = full.pointer(&pointer).is_some_and(Value::is_object)
                && sample.pointer(&pointer).is_some_and(Value::is_array);
            let verdict = if list_for_object {
                judges.agree_as_schemas(&sample, &what)
            } else {
                judges.agree(&sample, &what)
            };
            if verdict { accepted += 1 } else { rejected += 1 }
        }
    }
    // Both verdicts must occur, or the comparison shows nothing.
    assert!(accepted > 5 && rejected > 50, "{name}: {accepted} accepted, {rejected} rejected");
}

#[test]
fn the_manifest_types_agree_with_the_extension_schema() {
    compare::<Extension>("extension");
}

#[test]
fn the_registry_types_agree_with_the_registry_schema() {
    compare::<super::Registry>("registry");
}

#[test]
fn the_profile_types_agree_with_the_profiles_schema() {
    compare::<Profiles>("profiles");
}

#[test]
fn the_category_types_agree_with_the_categories_schema() {
    compare::<Categories>("categories");
}

#[test]
fn what_is_read_is_written_again() {
    let full = full_document("extension");
    let extension: Extension = serde_json::from_value(full.clone()).unwrap();
    assert_eq!(serde_json::to_value(&extension).unwrap(), full);
    let registry: super::Registry = serde_json::from_value(full_document("registry")).unwrap();
    assert_eq!(serde_json::to_value(&registry).unwrap(), full_document("registry"));
}

/// The examples of the format's own document: the parts that it shows are in a manifest of their own.
#[test]
fn the_examples_of_the_document_agree() {
    let judges = Judges::new::<Extension>("extension");
    let metadata =
        json!({"name": "nodejs", "version": "1.2.0", "description": "Node.js, LTS", "category": "languages"});
    let manifest = |metadata: &Value, install: Value| json!({"schema_version": "1.0.0", "metadata": metadata, "install": install, "validate": {}});
    let flat = json!({"method": "mise", "tool": "node", "version": "lts"});
    let mut with_dependency = manifest(&metadata, flat.clone());
    with_dependency["dependencies"] = json!(["nonexistent-extension"]);
    let mut wrong_category = metadata.clone();
    wrong_category["category"] = json!("invalid-category");
    let mut with_version = metadata.clone();
    with_version["min_cli_version"] = json!("3.0.0");
    let capable = |capabilities: Value| {
        let mut manifest = manifest(&metadata, flat.clone());
        manifest["capabilities"] = capabilities;
        manifest
    };
    let examples = [
        (manifest(&metadata, flat.clone()), true),
        (manifest(&with_version, flat.clone()), true),
        (manifest(&metadata, json!({"method": "binary", "url": "https://example.com/tool"})), true),
        (manifest(&metadata, json!({"method": "npm", "package": "@scope/tool"})), true),
        (with_dependency, true),
        (capable(json!({"mcp": {"enabled": true, "servers": [{"name": "docs", "command": "npx"}]}})), true),
        (capable(json!({"mcp": {"enabled": true, "servers": [{"command": "npx"}]}})), false),
        (json!({"metadata": {"name": "nodejs"}}), false),
        (manifest(&json!({"name": "nodejs"}), flat.clone()), false),
        (manifest(&metadata, json!({"method": "mise", "version": 123})), false),
        (manifest(&wrong_category, flat), false),
    ];
    for (example, expected) in examples {
        assert_eq!(judges.agree(&example, &example.to_string()), expected, "{example}");
    }
}

#[test]
fn every_way_to_sign_in_agrees() {
    let judges = Judges::new::<Extension>("extension");
    let ways = [
        (json!({"type": "api-key", "env_var": "KEY"}), true),
        (json!({"type": "token", "env_var": "TOKEN", "required": true}), true),
        (json!({"type": "cli-auth", "command": "gh", "description": "GitHub"}), true),
        (json!({"type": "cli-auth", "command": "gh", "env_var": 1}), true),
        (json!({"type": "api-key"}), false),
        (json!({"type": "api-key", "command": "gh"}), false),
        (json!({"type": "token", "env_var": 1}), false),
        (json!({"type": "cli-auth", "env_var": "KEY"}), false),
        (json!({"type": "cli-auth", "command": ["gh"]}), false),
        (json!({"type": "password", "env_var": "KEY"}), false),
        (json!({"env_var": "KEY"}), false),
    ];
    for (way, expected) in ways {
        let mut sample = full_document("extension");
        sample["capabilities"]["authentication"] = json!([way]);
        assert_eq!(judges.agree(&sample, &way.to_string()), expected, "{way}");
    }
}

/// The integer fields of the types take integers only as such: `2.0` is one for a schema, but
/// not for serde.
#[test]
fn a_whole_number_with_a_point_is_a_known_difference() {
    let judges = Judges::new::<Extension>("extension");
    let mut sample = full_document("extension");
    sample["requirements"]["memory"] = json!(2.0);
    assert!(judges.accepted(&sample) && judges.derived.is_valid(&sample));
    assert!(!(judges.deserialise)(&sample));
}

/// A document in which every field that a schema knows has a value.
fn full_document(name: &str) -> Value {
    fn fill(schema: &Value, file: &Value, samples: &Map<String, Value>, key: &str) -> Value {
        if let Some(value) = samples.get(key) {
            return value.clone();
        }
        let mut object = Map::new();
        if let Some(reference) = schema["$ref"].as_str() {
            let (other, pointer) = reference.split_once('#').unwrap_or((reference, ""));
            let parsed = crate::schemas::schema(other).map(|text| serde_json::from_str(text).unwrap());
            let other = parsed.as_ref().unwrap_or(file);
            let value = fill(other.pointer(pointer).unwrap(), other, samples, key);
            match value {
                Value::Object(members) => object = members,
                value => return value,
            }
        }
        if let Some(properties) = schema["properties"].as_object() {
            for (name, property) in properties {
                object.insert(name.clone(), fill(property, file, samples, name));
            }
        }
        if let Some(choices) = schema["enum"].as_array() {
            return choices[0].clone();
        }
        let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
        match kind {
            Some("array") => json!([fill(&schema["items"], file, samples, "")]),
            Some("string") => json!(schema["examples"][0].as_str().unwrap_or("a string that is long enough")),
            Some("integer") => json!(7),
            Some("boolean") => json!(true),
            _ if object.is_empty() && schema["additionalProperties"].is_object() => {
                json!({"one": fill(&schema["additionalProperties"], file, samples, "")})
            }
            _ if object.is_empty() && kind.is_none() && schema["properties"].is_null() => json!("anything"),
            _ => Value::Object(object),
        }
    }
    let samples = json!({
        "authentication": [{"type": "api-key", "env_var": "KEY", "required": true}],
        "sha256": "0".repeat(64),
    });
    let file: Value = serde_json::from_str(crate::schemas::schema(name).unwrap()).unwrap();
    fill(&file, &file, samples.as_object().unwrap(), "")
}

/// The places of a document, as JSON pointers, the document itself first.
fn pointers(document: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut next = 0;
    while let Some(pointer) = found.get(next).cloned() {
        match document.pointer(&pointer) {
            Some(Value::Object(members)) => {
                found.extend(members.keys().map(|key| format!("{pointer}/{key}")))
            }
            Some(Value::Array(items)) => {
                found.extend((0..items.len()).map(|index| format!("{pointer}/{index}")))
            }
            _ => {}
        }
        next += 1;
    }
    found
}

/// The document broken at one place in every way, with words for each.
fn broken_at(document: &Value, pointer: &str) -> Vec<(String, Value)> {
    let replacements = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(70_000),
        json!(1.5),
        json!(""),
        json!("no-such-choice"),
        json!([]),
        json!([1]),
        json!({}),
        json!({"unknown": 1}),
    ];
    let mut samples = Vec::new();
    for replacement in replacements {
        let mut sample = document.clone();
        let what = format!("`{replacement}`");
        *sample.pointer_mut(pointer).unwrap() = replacement;
        samples.push((what, sample));
    }
    let mut extended = document.clone();
    if let Some(Value::Object(members)) = extended.pointer_mut(pointer) {
        members.insert("unknownField".to_owned(), json!(1));
        samples.push(("an unknown field".to_owned(), extended));
    }
    if let Some((parent, key)) = pointer.rsplit_once('/') {
        let mut shortened = document.clone();
        if let Some(Value::Object(members)) = shortened.pointer_mut(parent) {
            members.shift_remove(key);
            samples.push(("the field removed".to_owned(), shortened));
        }
    }
    samples
}

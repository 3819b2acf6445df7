//! Whether a schema plainly keeps the rules of its draft. Nearly all do, and validating a large schema against the
//! schema of its draft takes longer than validating the values against it: that is left to those of which this walk
//! is not sure.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use trueline_schema::Draft;

use super::compile;
use super::library::draft_named;

/// A schema that is nested deeper is left to the slower way, which has limits of its own.
const DEEPEST: usize = 100;

/// How many values of an `enum` are compared with each other.
const MOST_VALUES: usize = 256;

/// Whether a schema keeps the rules of its draft for certain. `false` says nothing.
pub(super) fn is_plainly_valid(schema: &Json, draft: Draft) -> bool {
    Walk { draft }.schema(schema, DEEPEST)
}

struct Walk {
    draft: Draft,
}

impl Walk {
    fn schema(&self, schema: &Json, depth: usize) -> bool {
        match schema {
            Json::Bool(_) => self.draft > Draft::Draft4,
            Json::Object(members) => {
                depth > 0 && members.iter().all(|(key, value)| self.keyword(key, value, depth - 1))
            }
            _ => false,
        }
    }

    fn keyword(&self, key: &str, value: &Json, depth: usize) -> bool {
        let schemas = |value: &Json| match value {
            Json::Array(items) => !items.is_empty() && items.iter().all(|item| self.schema(item, depth)),
            _ => false,
        };
        match key {
            "title" | "description" | "$comment" | "format" => value.is_string(),
            "default" | "const" => true,
            "examples" => value.is_array(),
            "type" => is_type(value),
            "properties" | "$defs" | "definitions" => self.members(value, depth),
            "patternProperties" => {
                let are_patterns =
                    value.as_object().is_some_and(|members| members.keys().all(|key| compile(key).is_ok()));
                are_patterns && self.members(value, depth)
            }
            "additionalProperties" | "additionalItems" => value.is_boolean() || self.schema(value, depth),
            "items" if self.draft < Draft::Draft202012 && value.is_array() => schemas(value),
            "items" | "not" | "if" | "then" | "else" | "contains" | "propertyNames" => {
                self.schema(value, depth)
            }
            "allOf" | "anyOf" | "oneOf" => schemas(value),
            "required" => self.is_required(value),
            "enum" => is_enum(value),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                value.is_u64()
            }
            "minimum" | "maximum" => value.is_number(),
            // A switch in draft 4, and only beside another keyword.
            "exclusiveMinimum" | "exclusiveMaximum" => self.draft > Draft::Draft4 && value.is_number(),
            "multipleOf" => value.as_u64().is_some_and(|number| number > 0),
            "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
            "pattern" => value.as_str().is_some_and(|pattern| compile(pattern).is_ok()),
            "$schema" => value.as_str().and_then(draft_named).is_some(),
            "$ref" => value.as_str().is_some_and(is_local),
            _ => key.starts_with("x-"),
        }
    }

    fn members(&self, value: &Json, depth: usize) -> bool {
        value.as_object().is_some_and(|members| members.values().all(|member| self.schema(member, depth)))
    }

    fn is_required(&self, value: &Json) -> bool {
        let Some(items) = value.as_array() else { return false };
        let names: BTreeSet<&str> = items.iter().filter_map(Json::as_str).collect();
        names.len() == items.len() && (self.draft > Draft::Draft4 || !items.is_empty())
    }
}

fn is_type(value: &Json) -> bool {
    let is_name = |name: &str| {
        matches!(name, "null" | "boolean" | "object" | "array" | "number" | "string" | "integer")
    };
    match value {
        Json::String(name) => is_name(name),
        Json::Array(items) => {
            let names: BTreeSet<&str> = items.iter().filter_map(Json::as_str).collect();
            !items.is_empty() && names.len() == items.len() && names.into_iter().all(is_name)
        }
        _ => false,
    }
}

/// Values that differ from each other. Whether `1` and `1.0` do is left to those who know.
fn is_enum(value: &Json) -> bool {
    let Some(items) = value.as_array() else { return false };
    let is_sure = |item: &Json| item.is_string() || item.is_boolean() || item.is_null();
    !items.is_empty()
        && items.len() <= MOST_VALUES
        && items.iter().all(is_sure)
        && items.iter().enumerate().all(|(index, item)| !items.iter().take(index).any(|other| other == item))
}

/// A reference into the schema itself, of letters that every draft takes.
fn is_local(reference: &str) -> bool {
    reference == "#"
        || reference.starts_with("#/")
            && reference.bytes().skip(1).all(|byte| byte.is_ascii_alphanumeric() || b"/_-.$".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::evaluate::{Evaluator, Formats};
    use crate::schema::library::Library;
    use serde_json::json;
    use trueline_yaml::Value;

    const DRAFTS: [Draft; 5] =
        [Draft::Draft4, Draft::Draft6, Draft::Draft7, Draft::Draft201909, Draft::Draft202012];

    fn is_valid(schema: &Json, draft: Draft) -> bool {
        let library = Library::official(draft).unwrap();
        Evaluator::new(library, Formats::Always).failures(&Value::from_serde(schema)).is_empty()
    }

    #[test]
    fn usual_schemas_are_plain() {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "required": ["a"],
            "properties": {
                "a": {"type": ["string", "null"], "minLength": 1, "pattern": "^a+$", "default": 1},
                "b": {"$ref": "#/definitions/b"},
                "c": {"enum": ["x", null], "x-section": {"any": ["thing"]}},
            },
            "patternProperties": {"^x-": {"type": "integer", "maximum": 3.5}},
            "additionalProperties": false,
            "definitions": {"b": {"anyOf": [{"items": {"type": "number"}, "uniqueItems": true}]}},
        });
        assert!(is_plainly_valid(&schema, Draft::Draft7));
        assert!(is_valid(&schema, Draft::Draft7));
    }

    /// Whatever is found to be plain is valid for the schema of the draft too.
    #[test]
    fn what_is_plain_is_valid() {
        let values = [
            json!(null),
            json!(true),
            json!(0),
            json!(3),
            json!(-1),
            json!(1.5),
            json!(""),
            json!("a"),
            json!("#/a"),
            json!("#"),
            json!("["),
            json!("string"),
            json!([]),
            json!(["a"]),
            json!(["a", "a"]),
            json!(["string"]),
            json!([1, 1.0]),
            json!([{}]),
            json!([true]),
            json!({}),
            json!({"a": {}}),
            json!({"a": 1}),
            json!({"[": {}}),
            json!("http://json-schema.org/draft-07/schema#"),
            json!({"a": true}),
            json!(["a", "b"]),
        ];
        let keywords = [
            "title",
            "description",
            "$comment",
            "format",
            "default",
            "const",
            "examples",
            "type",
            "properties",
            "$defs",
            "definitions",
            "patternProperties",
            "additionalProperties",
            "additionalItems",
            "items",
            "not",
            "if",
            "then",
            "else",
            "contains",
            "propertyNames",
            "allOf",
            "anyOf",
            "oneOf",
            "required",
            "enum",
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "minProperties",
            "maxProperties",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "uniqueItems",
            "deprecated",
            "readOnly",
            "writeOnly",
            "pattern",
            "$schema",
            "$ref",
            "x-a",
            "$id",
            "id",
            "$anchor",
            "dependencies",
            "unknown",
        ];
        let mut plain = 0;
        for draft in DRAFTS {
            for keyword in keywords {
                for value in &values {
                    let schema = json!({keyword: value});
                    if is_plainly_valid(&schema, draft) {
                        plain += 1;
                        assert!(is_valid(&schema, draft), "{draft:?}: {schema}");
                    }
                }
            }
        }
        assert!(plain > 500, "{plain}");
    }
}

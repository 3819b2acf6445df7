//! Schemas and what is validated against them: no panic, no hang, every finding at its place.

use std::sync::Arc;

use trueline_schema::{Access, Formats, Instance, Network, SchemaError, Store, WordingContext, diagnose};
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::{ReadOptions, read};

use crate::{Target, findings};

pub(crate) const TARGET: Target = Target {
    name: "schema_compile",
    run,
    seeds: &[
        r##"{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/a"}}, "additionalProperties": false,
"$defs": {"a": {"oneOf": [{"type": "string", "pattern": "^[a-z]+$"}, {"type": "integer", "minimum": 3}]}}}
---
{"b": 1, "a": 2}
"##,
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"list": {"items": {"$ref": "#/definitions/list"}}},
"if": {"properties": {"kind": {"const": "x"}}}, "then": {"required": ["y"]}, "else": {"$ref": "#/definitions/list"}}
---
kind: x
"##,
        r##"{"$id": "https://example.com/a.json", "$dynamicAnchor": "node", "type": "array", "prefixItems": [{"format": "email"}],
"items": {"$dynamicRef": "#node"}, "unevaluatedItems": false, "uniqueItems": true, "contains": {"enum": [1, null]}}
---
- nobody
- []
- []
"##,
        r##"{"propertyNames": {"maxLength": 2}, "patternProperties": {"(a|a)*b": {"multipleOf": 0.1}}, "dependentRequired": {"a": ["b"]},
"errorMessage": {"type": "no"}, "deprecated": true, "description": "A thing.", "examples": [{}], "default": 1}
---
aaa: 0.35
a: {b: c}
"##,
        "{\"$ref\": \"other.json\"}\n---\n1\n",
        "true\n---\nx\n",
        "{\"anyOf\": [{\"type\": [\"null\", \"boolean\"]}, {\"not\": {}}, false]}\n---\n[1, {\"password\": \"x\"}]\n",
    ],
};

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (schema, instance) = text.split_once("\n---\n").unwrap_or((&text, "{}"));
    let sources = Arc::new(SourceMap::new());
    let schema = sources.add("schema.json", SourceKind::File, schema);
    let instance = sources.add("instance.yaml", SourceKind::File, instance);
    let store = Store::new(Arc::clone(&sources), Access { network: Network::Offline, ..Access::default() });
    match store.text(schema, None, Formats::Assert) {
        Ok(schema) => {
            findings::check(schema.warnings(), &sources);
            let text = Arc::clone(sources.get(instance).text());
            let stream = read(instance, &text, &ReadOptions::default());
            for document in &stream.documents {
                let root = Instance::from(document);
                let violations = schema.validate(root);
                assert_eq!(violations.is_empty(), schema.is_valid(root), "valid or not");
                let context = WordingContext {
                    sources: &sources,
                    schema: &schema,
                    instance: root,
                    fallback: Span::whole(instance),
                };
                let findings = diagnose(&violations, &context);
                assert!(violations.is_empty() || !findings.is_empty(), "broken rules without a word");
                findings::check(&findings, &sources);
            }
        }
        Err(SchemaError::Broken(findings)) => findings::check(&findings, &sources),
        Err(_) => {}
    }
}

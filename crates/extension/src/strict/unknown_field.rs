//! Fields that the schema does not describe.

use std::collections::BTreeSet;

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Severity};
use trueline_schema::SchemaLookup;

use crate::field::Field;
use trueline_diagnostic::nearest;

pub(crate) static CODE: Code = Code {
    id: "TL0340",
    name: "unknown-field",
    severity: Severity::Warning,
    summary: "A field is not described by the schema",
    explanation: "The schema allows additional fields in most sections, so tools of different versions can read a \
                  manifest. But a field that it does not describe is ignored, and is often a misspelling. Only \
                  `--strict` reports these.\n\nCorrect the name, or remove the field.",
    wrong: "metadata:\n  name: nodejs\n  homepge: https://nodejs.org\n",
    right: "metadata:\n  name: nodejs\n  homepage: https://nodejs.org\n",
};

/// Reports every field that no applicable schema describes.
pub(crate) fn check(root: &Field<'_>, schema: &dyn SchemaLookup, findings: &mut Vec<Diagnostic>) {
    visit(root, vec![schema.root()], schema, findings);
}

fn visit(field: &Field<'_>, places: Vec<String>, schema: &dyn SchemaLookup, findings: &mut Vec<Diagnostic>) {
    let schemas = applicable(places, schema);
    for item in field.items() {
        let below: Vec<String> = schemas
            .iter()
            .filter(|(_, keywords)| keywords.get("items").is_some_and(Value::is_object))
            .map(|(place, _)| format!("{place}/items"))
            .collect();
        if !below.is_empty() {
            visit(&item, below, schema, findings);
        }
    }
    let known: BTreeSet<&str> = schemas
        .iter()
        .filter_map(|(_, keywords)| keywords.get("properties")?.as_object())
        .flat_map(|properties| properties.keys().map(String::as_str))
        .collect();
    // If a schema describes no fields, everything is allowed; if it forbids further fields, level two reports
    // them.
    let open = known.is_empty()
        || schemas.iter().any(|(_, keywords)| {
            keywords.get("additionalProperties").is_some() || keywords.get("patternProperties").is_some()
        });
    for (name, value) in field.entries() {
        let mut below: Vec<String> = Vec::new();
        for (place, keywords) in &schemas {
            if keywords.pointer(&format!("/properties/{}", escape(&name))).is_some() {
                below.push(format!("{place}/properties/{}", escape(&name)));
            } else if keywords.get("additionalProperties").is_some_and(Value::is_object) {
                below.push(format!("{place}/additionalProperties"));
            }
        }
        if !below.is_empty() {
            visit(&value, below, schema, findings);
        } else if !open && name != "$schema" {
            let finding = value.key_finding(&CODE, format!("unknown field `{name}`"));
            findings.push(match nearest(&name, known.iter().copied()) {
                Some(near) => value.offer_key(finding, near).help(format!("did you mean `{near}`?")),
                None => finding.help("remove the field, or look up its name in the schema"),
            });
        }
    }
}

/// The schemas that apply to a value: those at the places and all that they include.
fn applicable(places: Vec<String>, schema: &dyn SchemaLookup) -> Vec<(String, &Value)> {
    let mut waiting = places;
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(place) = waiting.pop() {
        if !seen.insert(place.clone()) {
            continue;
        }
        let Some(keywords) = schema.at(&place) else { continue };
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            waiting.extend(schema.follow(&place, reference));
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let branches = keywords.get(keyword).and_then(Value::as_array).map_or(0, Vec::len);
            waiting.extend((0..branches).map(|index| format!("{place}/{keyword}/{index}")));
        }
        for keyword in ["then", "else"] {
            if keywords.get(keyword).is_some_and(Value::is_object) {
                waiting.push(format!("{place}/{keyword}"));
            }
        }
        found.push((place, keywords));
    }
    found
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Subject;
    use crate::rules::testing::Bench;
    use crate::{SchemaKind, SchemaSet};
    use std::sync::Arc;
    use trueline_source::SourceMap;

    fn of(kind: SchemaKind, subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
        let schemas = SchemaSet::embedded(Arc::new(SourceMap::new()));
        let schema = schemas.schema(kind).expect("an embedded schema");
        check(&subject.root, schema.as_ref(), findings);
    }

    fn manifest() -> Bench {
        Bench::new(|subject, findings| of(SchemaKind::Extension, subject, findings))
    }

    fn registry() -> Bench {
        Bench::new(|subject, findings| of(SchemaKind::Registry, subject, findings))
    }

    #[test]
    fn described_fields_pass() {
        manifest().accepts(&[
            "metadata: {name: a, tags: [b]}\ninstall: {method: mise, mise: {configFile: x}}",
            "capabilities: {mcp: {enabled: true, server: {command: npx, env: {ANYTHING: x}}}}",
            "capabilities: {authentication: [{type: api-key, env_var: X}]}",
            "bom: {tools: [{name: a, checksum: {algorithm: sha256, value: x}}]}",
            "install: {hybrid: {steps: [{anything: goes}]}}",
            "hooks: {post-install: {command: x, description: y}}",
            "$schema: https://example.com/schema.json",
            "metadata: [1, 2]",
        ]);
        registry().accepts(&["extensions: {any-name: {category: mcp, description: x}}"]);
    }

    #[test]
    fn others_are_reported_at_their_key() {
        manifest().rejects(&[
            ("«metdata»: {name: a}", "field `metdata`"),
            ("metadata: {name: a, «homepge»: x}", "field `homepge`"),
            ("validate: {commands: [{name: a}, {name: b, «\"version\"»: x}]}", "field `version`"),
            ("service: {start: {command: x, «comand»: y}}", "field `comand`"),
            ("capabilities: {mcp: {servers: [{name: a, command: b, «arg»: [c]}]}}", "field `arg`"),
            ("bom: {tools: [{name: a, checksum: {«algoritm»: x}}]}", "field `algoritm`"),
        ]);
        let help = |text: &str| manifest().findings(text).remove(0).help;
        assert_eq!(help("metdata: {}").as_deref(), Some("did you mean `metadata`?"));
        assert_eq!(help("a/b~c: {}").as_deref(), Some("remove the field, or look up its name in the schema"));
    }

    #[test]
    fn a_recursive_schema_is_read_once() {
        use crate::SchemaDirectory;
        use trueline_source::MemoryLoader;
        fn of_two_forms(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
            let schema = r##"{"properties": {"a": {"anyOf": [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x"}]}},
                "$defs": {"x": {"type": "object", "properties": {"b": {}}}}}"##;
            let files = MemoryLoader::new("").with_file("extension.schema.json", schema);
            let directory = SchemaDirectory::new(Arc::new(files));
            let schemas = SchemaSet::with_directory(Arc::new(SourceMap::new()), &directory);
            let schema = schemas.schema(SchemaKind::Extension).expect("a schema");
            check(&subject.root, schema.as_ref(), findings);
        }
        Bench::new(of_two_forms).rejects(&[("a: {b: 1, «c»: 2}", "field `c`")]);
    }

    #[test]
    fn a_closed_section_is_left_to_the_schema() {
        assert!(registry().findings("extensions: {a: {category: mcp, other: x}}").is_empty());
    }
}

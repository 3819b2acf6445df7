//! `schemas/README.md` documents every field of every schema as the schema itself describes it.
//!
//! The tables are made from the schemas. After a change of a schema, run this test with
//! `TRUELINE_UPDATE=1` in the environment: it writes the tables anew and leaves the words around them.

#![allow(clippy::disallowed_methods, reason = "the test reads and writes a file of the repository")]

use std::path::Path;

use serde_json::Value;
use trueline_extension::schemas::{SCHEMAS, schema};

/// One row of a table.
struct Row {
    path: String,
    kind: String,
    need: String,
    description: String,
}

impl Row {
    fn line(&self) -> String {
        let Row { path, kind, need, description } = self;
        format!("| `{path}` | {kind} | {need} | {} |\n", description.replace('|', "\\|"))
    }
}

#[test]
fn every_field_stands_in_the_readme() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/README.md");
    let mut readme = std::fs::read_to_string(&path).unwrap();
    let update = std::env::var_os("TRUELINE_UPDATE").is_some();
    for embedded in SCHEMAS {
        let mut rows = Vec::new();
        let file = parse(embedded.text);
        collect(&file, &file, "", &mut rows);
        assert!(!rows.is_empty(), "{} has fields", embedded.name);
        let mut table = "| Field | Value | Needed | Meaning |\n|---|---|---|---|\n".to_owned();
        rows.iter().for_each(|row| table.push_str(&row.line()));
        let begin = format!("<!-- fields of {} -->\n", embedded.name);
        let start =
            readme.find(&begin).unwrap_or_else(|| panic!("a table for {}", embedded.name)) + begin.len();
        let end = start + readme[start..].find("<!-- end -->").expect("an end of the table");
        if update {
            readme.replace_range(start..end, &table);
        } else {
            assert_eq!(
                &readme[start..end],
                table,
                "the table of {}; see the head of this test",
                embedded.name
            );
        }
    }
    if update {
        std::fs::write(&path, readme).unwrap();
    }
}

#[test]
fn every_field_has_a_description() {
    for embedded in SCHEMAS {
        let file = parse(embedded.text);
        let mut rows = Vec::new();
        collect(&file, &file, "", &mut rows);
        for row in rows {
            assert!(row.description.len() > 8, "{}: {} has no description", embedded.name, row.path);
            assert!(row.description.ends_with('.'), "{}: {}", embedded.name, row.path);
        }
    }
}

#[test]
fn every_example_is_accepted_by_its_own_schema() {
    let resources = SCHEMAS.iter().map(|schema| (schema.uri, parse(schema.text)));
    let registry = jsonschema::Registry::new().extend(resources).unwrap().prepare().unwrap();
    let mut count = 0;
    for embedded in SCHEMAS {
        let file = parse(embedded.text);
        let mut examples = Vec::new();
        collect_examples(&file, "", &mut examples);
        for (pointer, examples) in examples {
            let reference = serde_json::json!({"$ref": format!("{}#{pointer}", embedded.uri)});
            let validator = jsonschema::options()
                .with_registry(&registry)
                .should_validate_formats(true)
                .build(&reference)
                .unwrap();
            for example in examples {
                let errors: Vec<String> =
                    validator.iter_errors(&example).map(|error| error.to_string()).collect();
                assert_eq!(errors, Vec::<String>::new(), "{} at {pointer}: {example}", embedded.name);
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count} examples");
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The rows of a schema and of what it holds.
fn collect(schema: &Value, file: &Value, path: &str, rows: &mut Vec<Row>) {
    let (schema, file) = (&resolved(schema, file).0, &resolved(schema, file).1);
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let default = &property["default"];
        let need = match default {
            _ if required.contains(&name.as_str()) => "yes".to_owned(),
            Value::Null => String::new(),
            default => format!("default `{}`", default.as_str().map_or(default.to_string(), str::to_owned)),
        };
        let deprecated = if property["deprecated"] == true { "Deprecated. " } else { "" };
        let description = property["description"].as_str().unwrap_or_default();
        let description = format!("{deprecated}{description}");
        rows.push(Row { path: path.clone(), kind: kind(property, file), need, description });
        if let Some(other) = other_file(property) {
            // The other schema has a table of its own.
            assert!(schema_exists(other), "{other}");
            continue;
        }
        let (target, target_file) = resolved(property, file);
        let below = match (&target["items"], &target["additionalProperties"]) {
            (items @ Value::Object(_), _) => (format!("{path}[]"), items),
            (_, entries @ Value::Object(_)) => (format!("{path}.*"), entries),
            _ => (path, &target),
        };
        collect(below.1, &target_file, &below.0, rows);
    }
}

/// A schema with what it refers to, and the file that its own references are in.
fn resolved(schema: &Value, file: &Value) -> (Value, Value) {
    let Some(reference) = schema["$ref"].as_str() else { return (schema.clone(), file.clone()) };
    let (other, pointer) = reference.split_once('#').unwrap_or((reference, ""));
    let file = if other.is_empty() { file.clone() } else { parse(crate::schema(other).unwrap()) };
    let mut target = file.pointer(pointer).unwrap().clone();
    for (keyword, value) in schema.as_object().unwrap() {
        match (keyword.as_str(), &mut target[keyword], value) {
            ("$ref", _, _) => {}
            ("properties", Value::Object(before), Value::Object(own)) => {
                let below = std::mem::replace(before, own.clone());
                before.extend(below);
            }
            ("required", Value::Array(before), Value::Array(own)) => before.extend(own.iter().cloned()),
            (_, slot, value) => *slot = value.clone(),
        }
    }
    (target, file)
}

/// The file that a property's schema is the whole of.
fn other_file(property: &Value) -> Option<&str> {
    property["$ref"].as_str().filter(|reference| !reference.contains('#'))
}

fn schema_exists(file: &str) -> bool {
    schema(file).is_some()
}

/// What a value may be, in words.
fn kind(property: &Value, file: &Value) -> String {
    if let Some(other) = other_file(property) {
        let name = other.trim_end_matches(".schema.json");
        return format!("[{name}](#{name})");
    }
    let (target, _) = resolved(property, file);
    if let Some(choices) = target["enum"].as_array() {
        let choices: Vec<String> =
            choices.iter().map(|choice| format!("`{}`", choice.as_str().unwrap())).collect();
        return choices.join(", ");
    }
    let mut kinds: Vec<String> = match &target["type"] {
        Value::String(kind) => vec![kind.clone()],
        Value::Array(kinds) => kinds.iter().map(|kind| kind.as_str().unwrap().to_owned()).collect(),
        _ if target["properties"].is_object() => vec!["object".to_owned()],
        _ => vec!["anything".to_owned()],
    };
    if let Value::Object(_) = &target["items"] {
        let (item, _) = resolved(&target["items"], file);
        let of = item["type"].as_str().unwrap_or("anything");
        kinds[0] = format!("list of {of}s");
    }
    if let Value::Object(_) = &target["additionalProperties"] {
        kinds[0] = "map".to_owned();
    }
    let mut words = kinds.join(" or ");
    let limits = [
        ("minimum", "at least"),
        ("maximum", "at most"),
        ("minLength", "characters: at least"),
        ("maxLength", "characters: at most"),
        ("minItems", "items: at least"),
    ];
    for (keyword, limit) in limits {
        if let Some(number) = target[keyword].as_u64() {
            words.push_str(&format!(", {limit} {number}"));
        }
    }
    if target["uniqueItems"] == true {
        words.push_str(", none twice");
    }
    if let Some(pattern) = target["pattern"].as_str() {
        words.push_str(&format!(", `{}`", pattern.replace('|', "\\|")));
    }
    if let Some(format) = target["format"].as_str() {
        words.push_str(&format!(", {format}"));
    }
    words
}

/// The `examples` of a schema and of all schemas in it, by where they stand.
fn collect_examples(schema: &Value, pointer: &str, found: &mut Vec<(String, Vec<Value>)>) {
    if let Some(members) = schema.as_object() {
        // `docs.usage[].examples` is a field of that name: its schema is an object, not a list.
        if let Some(examples) = schema["examples"].as_array() {
            found.push((pointer.to_owned(), examples.clone()));
        }
        for (keyword, member) in members {
            if keyword != "examples" || member.is_object() {
                collect_examples(member, &format!("{pointer}/{}", keyword.replace('$', "%24")), found);
            }
        }
    }
}

//! The schemas that are compiled into the program.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The base of the embedded schemas' `$id`.
pub const SCHEMA_BASE: &str = "https://trueline.dev/schemas/";

/// A schema that is compiled into the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbeddedSchema {
    /// Its short name, such as `metadata`.
    pub name: &'static str,
    /// The name of its file, such as `metadata.schema.json`.
    pub file: &'static str,
    /// Its `$id`.
    pub uri: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! embed {
    ($($name:literal),+ $(,)?) => {
        &[$(EmbeddedSchema {
            name: $name,
            file: concat!($name, ".schema.json"),
            uri: concat!("https://trueline.dev/schemas/", $name, ".schema.json"),
            text: include_str!(concat!("../../../../schemas/", $name, ".schema.json")),
        }),+]
    };
}

/// The embedded schemas: the main one, its parts, and those of the registry, profiles and categories.
pub const SCHEMAS: &[EmbeddedSchema] = embed![
    "extension",
    "metadata",
    "install",
    "capabilities",
    "validation",
    "bom",
    "registry",
    "profiles",
    "categories",
];

/// The names of the embedded schemas, the main one first.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|schema| schema.name)
}

/// The text of an embedded schema, by its short name or the name of its file.
pub fn schema(name: &str) -> Option<&'static str> {
    find(name).map(|schema| schema.text)
}

/// An embedded schema by its short name, the name of its file or its URI.
pub(super) fn find(name: &str) -> Option<&'static EmbeddedSchema> {
    SCHEMAS.iter().find(|schema| name == schema.name || name == schema.file || name == schema.uri)
}

/// An embedded schema with everything it refers to in one file, for editors that take a single file.
///
/// The parts are under `$defs`, each with its own `$id`, so references stay as they are.
pub fn bundle(name: &str) -> Option<String> {
    let root = find(name)?;
    let mut parts = vec![root];
    let mut definitions = Map::new();
    let mut next = 0;
    while let Some(part) = parts.get(next).copied() {
        let schema: Value = serde_json::from_str(part.text).ok()?;
        let mut files = BTreeSet::new();
        referenced_files(&schema, &mut files);
        for file in files {
            parts.extend(find(&file).filter(|found| !parts.contains(found)));
        }
        definitions.insert(part.file.to_owned(), schema);
        next += 1;
    }
    let mut bundle = definitions.shift_remove(root.file)?;
    let own = bundle.as_object_mut()?.entry("$defs").or_insert(Value::Object(Map::new()));
    own.as_object_mut()?.extend(definitions);
    Some(serde_json::to_string_pretty(&bundle).ok()? + "\n")
}

/// The files that the references in a schema point to.
fn referenced_files(schema: &Value, files: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                files.extend(reference.split('#').next().filter(|file| !file.is_empty()).map(str::to_owned));
            }
            members.values().for_each(|member| referenced_files(member, files));
        }
        Value::Array(items) => items.iter().for_each(|item| referenced_files(item, files)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_found_by_name_file_and_uri() {
        for embedded in SCHEMAS {
            assert_eq!(schema(embedded.name), Some(embedded.text));
            assert_eq!(schema(embedded.file), Some(embedded.text));
            assert_eq!(schema(embedded.uri), Some(embedded.text));
            assert_eq!(embedded.uri, format!("{SCHEMA_BASE}{}.schema.json", embedded.name));
            let parsed: Value = serde_json::from_str(embedded.text).unwrap();
            assert_eq!(parsed["$id"], embedded.uri);
        }
        assert_eq!(schema("nothing"), None);
        assert_eq!(names().next(), Some("extension"));
        assert_eq!(names().count(), SCHEMAS.len());
    }

    #[test]
    fn a_bundle_is_self_contained() {
        let manifest = serde_json::json!({"metadata": {"name": "UPPER"}, "install": {}, "validate": {}});
        for name in names() {
            let bundled: Value = serde_json::from_str(&bundle(name).unwrap()).unwrap();
            let validator = jsonschema::validator_for(&bundled).unwrap();
            if name == "extension" {
                assert!(bundled["$defs"]["metadata.schema.json"].is_object());
                assert!(bundled["$defs"]["registry.schema.json"].is_null(), "it is not referred to");
                let paths: Vec<String> =
                    validator.iter_errors(&manifest).map(|error| error.instance_path().to_string()).collect();
                assert!(
                    paths.contains(&"/metadata/name".to_owned()) && paths.contains(&"/install".to_owned())
                );
            }
        }
        assert_eq!(bundle("nothing"), None);
    }
}

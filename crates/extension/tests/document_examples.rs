//! The examples of what is not valid that the format's own document gives, each as it is there and in a
//! manifest that is otherwise right: every finding with its place, its level, and what it says.

use std::sync::Arc;

use trueline_extension::{Context, Registry, SchemaSet};
use trueline_source::{MemoryLoader, SourceKind, SourceMap};

/// The findings of all levels, one a line: place and marked text, level and code, message, path and keyword.
fn report(text: &str) -> String {
    let sources = Arc::new(SourceMap::new());
    let schemas = SchemaSet::embedded(Arc::clone(&sources));
    let loader = MemoryLoader::new("").with_file(
        "registry.yaml",
        "version: 1\nextensions:\n  nodejs: {category: languages, description: The Node.js runtime}\n",
    );
    let registry = Registry::load(&loader, "registry.yaml", &sources).unwrap();
    let id = sources.add("extension.yaml", SourceKind::File, text);
    let context = Context::new(&sources, &schemas).with_registry(Some(&registry));
    let mut lines = String::new();
    for finding in trueline_extension::check(id, &context) {
        let place = sources.position(finding.primary.span);
        let marked =
            sources.get(id).slice(finding.primary.span).lines().next().unwrap_or_default().to_owned();
        let keyword = finding.schema.map(|schema| format!(" {}", schema.keyword)).unwrap_or_default();
        lines.push_str(&format!(
            "{}:{} `{marked}` {}[{}] {} ({}{keyword})\n",
            place.line,
            place.column,
            finding.level.map(|level| level.as_str()).unwrap_or_default(),
            finding.code,
            finding.message,
            finding.path.unwrap_or_default()
        ));
    }
    lines
}

/// A manifest that is right, with one of its lines replaced.
fn manifest(line: &str, replacement: &str) -> String {
    const RIGHT: &str = "\
schema_version: \"1.0.0\"
metadata:
  name: nodejs-tools
  version: 1.2.0
  description: The Node.js runtime
  category: languages
dependencies:
  - nodejs
install:
  method: mise
  tool: node
  version: lts
validate: {}
";
    assert!(RIGHT.contains(line));
    RIGHT.replace(line, replacement)
}

#[test]
fn the_right_manifest_is_right() {
    assert_eq!(report(&manifest("", "")), "");
}

#[test]
fn a_missing_required_field() {
    assert_eq!(
        report("metadata:\n  name: nodejs\n  # Missing: version, category, description\n"),
        "\
1:1 `metadata:` schema[TL0202] `install` is missing ( required)
1:1 `metadata` schema[TL0202] `metadata.version` is missing (/metadata required)
1:1 `metadata` schema[TL0202] `metadata.description` is missing (/metadata required)
1:1 `metadata` schema[TL0202] `metadata.category` is missing (/metadata required)
1:1 `metadata:` schema[TL0202] `validate` is missing ( required)
"
    );
    assert_eq!(
        report(&manifest("  version: 1.2.0\n", "")),
        "2:1 `metadata` schema[TL0202] `metadata.version` is missing (/metadata required)\n"
    );
}

#[test]
fn a_number_where_a_string_is_needed() {
    assert_eq!(
        report("install:\n  method: mise\n  version: 123  # Should be string\n"),
        "\
1:1 `install:` schema[TL0202] `metadata` is missing ( required)
1:1 `install:` schema[TL0202] `validate` is missing ( required)
3:12 `123` schema[TL0201] the version to install must be a string; put it in quotes, such as \"20\" (/install/version type)
2:11 `mise` semantic[TL0318] method `mise` needs `mise` or `tool`, but it is missing (/install/method)
"
    );
    assert_eq!(
        report(&manifest("version: lts", "version: 123")),
        "12:12 `123` schema[TL0201] the version to install must be a string; put it in quotes, such as \"20\" \
         (/install/version type)\n"
    );
}

#[test]
fn a_choice_that_does_not_exist() {
    assert_eq!(
        report("metadata:\n  category: invalid-category  # Not in allowed categories\n"),
        "\
1:1 `metadata:` schema[TL0202] `install` is missing ( required)
1:1 `metadata` schema[TL0202] `metadata.name` is missing (/metadata required)
1:1 `metadata` schema[TL0202] `metadata.version` is missing (/metadata required)
1:1 `metadata` schema[TL0202] `metadata.description` is missing (/metadata required)
1:1 `metadata:` schema[TL0202] `validate` is missing ( required)
2:13 `invalid-category` schema[TL0204] `metadata.category` must be one of 13 values, but it is `invalid-category` (/metadata/category enum)
"
    );
    assert_eq!(
        report(&manifest("category: languages", "category: invalid-category")),
        "6:13 `invalid-category` schema[TL0204] `metadata.category` must be one of 13 values, but it is \
         `invalid-category` (/metadata/category enum)\n"
    );
}

#[test]
fn a_dependency_that_does_not_exist() {
    assert_eq!(
        report("dependencies:\n  - nonexistent-extension  # Extension doesn't exist\n"),
        "\
1:1 `dependencies:` schema[TL0202] `metadata` is missing ( required)
1:1 `dependencies:` schema[TL0202] `install` is missing ( required)
1:1 `dependencies:` schema[TL0202] `validate` is missing ( required)
2:5 `nonexistent-extension` semantic[TL0303] dependency `nonexistent-extension` was not found in the registry (/dependencies/0)
"
    );
    assert_eq!(
        report(&manifest("- nodejs\n", "- nonexistent-extension\n")),
        "8:5 `nonexistent-extension` semantic[TL0303] dependency `nonexistent-extension` was not found in the \
         registry (/dependencies/0)\n"
    );
}

#[test]
fn a_schema_version_of_another_format() {
    assert_eq!(
        report(&manifest("\"1.0.0\"", "\"2.0.0\"")),
        "1:17 `\"2.0.0\"` semantic[TL0301] incompatible schema version: the extension uses 2.0.0, trueline supports \
         1.1.0 (/schema_version)\n"
    );
}

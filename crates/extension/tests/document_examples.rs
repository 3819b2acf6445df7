//! The examples of what is not valid that the format's own document gives, and how they are reported.

use std::sync::Arc;

use trueline_extension::schemas::{SchemaKind, SchemaSet};
use trueline_source::{SourceKind, SourceMap};
use trueline_yaml::ReadOptions;

/// The findings of level two, one a line: place, severity and code, message, path and keyword.
fn report(text: &str) -> String {
    let sources = Arc::new(SourceMap::new());
    let schemas = SchemaSet::embedded(Arc::clone(&sources));
    let id = sources.add("extension.yaml", SourceKind::File, text);
    let stream = trueline_yaml::read(id, sources.get(id).text(), &ReadOptions::default());
    assert!(stream.errors.is_empty(), "{:?}", stream.errors);
    let findings = schemas.check(SchemaKind::Extension, stream.documents[0].root());
    let mut lines = String::new();
    for finding in findings {
        let place = sources.position(finding.primary.span);
        let marked =
            sources.get(id).slice(finding.primary.span).lines().next().unwrap_or_default().to_owned();
        let keyword = finding.schema.map(|schema| schema.keyword).unwrap_or_default();
        lines.push_str(&format!(
            "{}:{} `{marked}` {}[{}] {} ({} {keyword})\n",
            place.line,
            place.column,
            finding.severity,
            finding.code,
            finding.message,
            finding.path.unwrap_or_default()
        ));
    }
    lines
}

/// The document's first example stands alone; the rest of the manifest is missing too.
const MISSING: &str = "\
metadata:
  name: nodejs
  # Missing: version, category, description
";

const WRONG_TYPE: &str = "\
metadata:
  name: nodejs
  version: 1.0.0
  description: The Node.js runtime
  category: languages
install:
  method: mise
  version: 123  # Should be string
validate: {}
";

const WRONG_CHOICE: &str = "\
metadata:
  name: nodejs
  version: 1.0.0
  description: The Node.js runtime
  category: invalid-category  # Not in allowed categories
install:
  method: mise
  tool: node
  version: lts
validate: {}
";

const UNKNOWN_DEPENDENCY: &str = "\
metadata:
  name: nodejs
  version: 1.0.0
  description: The Node.js runtime
  category: languages
dependencies:
  - nonexistent-extension  # Extension doesn't exist
install:
  method: mise
  tool: node
  version: lts
validate: {}
";

#[test]
fn a_missing_required_field() {
    assert_eq!(
        report(MISSING),
        "\
1:1 `metadata:` error[TL0202] `install` is missing ( required)
1:1 `metadata` error[TL0202] `metadata.version` is missing (/metadata required)
1:1 `metadata` error[TL0202] `metadata.description` is missing (/metadata required)
1:1 `metadata` error[TL0202] `metadata.category` is missing (/metadata required)
1:1 `metadata:` error[TL0202] `validate` is missing ( required)
"
    );
}

#[test]
fn a_number_where_a_text_is_needed() {
    assert_eq!(
        report(WRONG_TYPE),
        "8:12 `123` error[TL0201] the version to install must be a string; put it in quotes, such as \"20\" \
         (/install/version type)\n"
    );
}

#[test]
fn a_choice_that_does_not_exist() {
    assert_eq!(
        report(WRONG_CHOICE),
        "5:13 `invalid-category` error[TL0204] `metadata.category` must be one of 13 values, but it is \
         `invalid-category` (/metadata/category enum)\n"
    );
}

/// Which extensions there are is no matter of a schema: level three looks it up in the registry.
#[test]
fn a_dependency_that_does_not_exist_is_well_formed() {
    assert_eq!(report(UNKNOWN_DEPENDENCY), "");
}

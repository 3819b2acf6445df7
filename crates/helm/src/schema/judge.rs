//! One value validated against one schema: for kubeconform, which has the same validator as Helm, and so the same verdicts
//! and words.

use trueline_schema::{Outline, SchemaError, Store, within};
use trueline_source::SourceId;
use trueline_yaml::Value;

use super::evaluate::{Evaluator, Formats};
use super::failure::{Failure, Violation};
use super::library::{Called, Library};
use super::{format, trouble, words};

/// A schema that objects are validated against. Go's spans of time are durations too.
#[derive(Debug)]
pub struct Judge {
    outline: Outline,
    references: References,
}

/// What is reported of a broken rule that a reference led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum References {
    /// That the validation of the reference failed, and below that why.
    Named,
    /// What would be reported if the rule stood in place of the reference.
    Expanded,
}

/// What a schema has against a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// All that is wrong, as the validator lays it out: a line each, those below others indented.
    pub lines: String,
    /// What is wrong at the first level.
    pub causes: Vec<Cause>,
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The names and indexes on the way to the value, each after a `/`.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
}

/// Whether a string is a duration as kubeconform understands it: of ISO 8601, of Go, or as the API server reads them.
pub fn is_kubernetes_duration(text: &str) -> bool {
    format::check_kubernetes_duration(text).is_ok()
}

/// The words for a value that could be validated against a schema for ever.
const TOO_LONG: &str = "validation takes too long";

impl Judge {
    /// A schema whose text is already a source; `uri` is what its references count from. One that breaks the
    /// rules of its draft is an error.
    pub fn new(store: &Store, source: SourceId, uri: Option<&str>) -> Result<Self, SchemaError> {
        let outline = store.outline(source, uri)?;
        match trouble::against_metaschema(store, source, &outline) {
            Some(failure) => Err(SchemaError::Broken(failure.diagnostics)),
            None => Ok(Judge { outline, references: References::Named }),
        }
    }

    /// A schema that is known to keep the rules of its draft.
    pub fn of_sound(outline: Outline, references: References) -> Self {
        Judge { outline, references }
    }

    /// What the schema has against a value; nothing if the value keeps it.
    pub fn objection(&self, value: &Value) -> Option<Objection> {
        let judged = within(|| {
            let library = Library::new(&self.outline, self.outline.draft(), Called::ByPlace)?;
            let evaluator = Evaluator::new(library, Formats::ByDraftWithGoDurations);
            let failures = match self.references {
                References::Named => evaluator.failures(value),
                References::Expanded => expanded(evaluator.failures(value)),
            };
            (!failures.is_empty()).then(|| Objection {
                lines: words::lines(&failures),
                causes: failures.iter().map(cause).collect(),
            })
        });
        judged.unwrap_or_else(|_| {
            let cause = Cause { path: String::new(), message: TOO_LONG.to_owned() };
            Some(Objection { lines: format!("- at '': {TOO_LONG}"), causes: vec![cause] })
        })
    }
}

fn cause(failure: &Failure<'_>) -> Cause {
    let path = failure.path.replace("~1", "/").replace("~0", "~");
    Cause { path, message: words::sentence(&failure.kind) }
}

/// What would have failed if every schema stood in the place of the reference to it.
fn expanded(mut failures: Vec<Failure<'_>>) -> Vec<Failure<'_>> {
    failures.iter_mut().for_each(expand);
    match failures.as_mut_slice() {
        [Failure { kind: Violation::Group, causes, .. }] => std::mem::take(causes),
        _ => failures,
    }
}

fn expand(failure: &mut Failure<'_>) {
    failure.causes.iter_mut().for_each(expand);
    if !matches!(failure.kind, Violation::Reference) {
        return;
    }
    match failure.causes.pop() {
        Some(only) if failure.causes.is_empty() => *failure = only,
        last => {
            failure.causes.extend(last);
            failure.kind = Violation::Group;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trueline_schema::{Access, Draft};
    use trueline_source::{SourceKind, SourceMap};
    use trueline_yaml::yaml_to_value;

    use super::*;

    fn store() -> Store {
        Store::new(Arc::new(SourceMap::new()), Access { draft: Draft::Draft4, ..Access::default() })
    }

    const SCHEMA: &str = r##"{
        "required": ["kind"],
        "properties": {
            "kind": {"enum": ["A"]},
            "port": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "every": {"type": "string", "format": "duration"},
            "a/b": {"$ref": "#/definitions/list"}
        },
        "definitions": {"list": {"type": "array", "items": {"type": "string"}}}
    }"##;

    #[test]
    fn objections_have_lines_and_causes() {
        let store = store();
        let source = store.sources().add("s.json", SourceKind::File, SCHEMA);
        let judge = Judge::new(&store, source, None).unwrap();
        let objection = |text: &str| judge.objection(&yaml_to_value(text).unwrap());
        assert_eq!(objection("{kind: A, port: 80, every: 1h30m}"), None);
        let found = objection("{kind: B, port: 1.5, every: soon, a/b: [1]}").unwrap();
        assert_eq!(
            found.lines,
            "- at '/kind': value must be 'A'\n\
             - at '/port': 'oneOf' failed, none matched\n  \
             - at '/port': got number, want string\n  \
             - at '/port': got number, want integer\n\
             - at '/every': 'soon' is not valid duration: must start with P\n\
             - at '/a~1b/0': got number, want string"
        );
        let causes: Vec<(&str, &str)> =
            found.causes.iter().map(|cause| (cause.path.as_str(), cause.message.as_str())).collect();
        assert_eq!(
            causes,
            [
                ("/kind", "value must be 'A'"),
                ("/port", "'oneOf' failed, none matched"),
                ("/every", "'soon' is not valid duration: must start with P"),
                ("/a/b", "validation failed"),
            ]
        );
        let expanded = Judge::of_sound(store.outline(source, None).unwrap(), References::Expanded);
        let found = expanded.objection(&yaml_to_value("{kind: A, a/b: [1]}").unwrap()).unwrap();
        assert_eq!(
            found.causes,
            [Cause { path: "/a/b/0".to_owned(), message: "got number, want string".to_owned() }]
        );
        let several = expanded.objection(&yaml_to_value("{kind: A, a/b: [1, 2]}").unwrap()).unwrap();
        assert_eq!(
            several.lines,
            "- at '/a~1b/0': got number, want string\n- at '/a~1b/1': got number, want string"
        );
        assert_eq!(several.causes.len(), 2);
        let below = expanded.objection(&yaml_to_value("{kind: B, a/b: [1, 2]}").unwrap()).unwrap();
        assert_eq!(below.causes.len(), 2);
        assert!(below.lines.contains("- at '/a~1b': validation failed\n  - at '/a~1b/0'"), "{}", below.lines);
    }

    #[test]
    fn a_schema_that_leads_to_itself_is_called_by_its_own_address() {
        let cases = [
            ("file:///schemas/a.json", r##"{"anyOf": [{"$ref": "#"}]}"##, "file:///schemas/a.json#"),
            (
                "https://example.com/b.json",
                r##"{"definitions": {"b": {"allOf": [{"$ref": "#/definitions/b"}]}}, "$ref": "#/definitions/b"}"##,
                "https://example.com/b.json#/definitions/b",
            ),
        ];
        for (address, text, told) in cases {
            let store = store();
            let source = store.sources().add(address, SourceKind::Url, text);
            let judge = Judge::new(&store, source, Some(address)).unwrap();
            let found = judge.objection(&yaml_to_value("{kind: A}").unwrap()).unwrap();
            let expected = format!("resolve to \"{told}\" causing reference cycle");
            assert!(found.lines.contains(&expected), "{}", found.lines);
        }
    }

    #[test]
    fn schemas_that_break_the_rules_of_their_draft_are_refused() {
        for text in [r#"{"type": "strin"}"#, r#"{"type": ["#, "null", r#"{"$ref": "nowhere.json"}"#] {
            let store = store();
            let source = store.sources().add("s.json", SourceKind::File, text);
            assert!(Judge::new(&store, source, None).is_err(), "{text}");
        }
    }
}

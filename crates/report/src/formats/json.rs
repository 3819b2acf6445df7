//! Everything, for programs. `schemas/report.schema.json` describes it; a change that breaks readers changes
//! the version.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use trueline_diagnostic::Units;

use super::{Reader, Row, Writer};
use crate::document;
use crate::options::Options;
use crate::prepared::{Finding, LabelledPlace, Report};

/// What the format is for, and how it is written.
pub(super) const FORMAT: Row = Row {
    name: "json",
    summary: "everything, for programs",
    reader: Reader::Program,
    writer: Writer::Document { units: Units::Telling, write },
};

/// The version of the layout.
const VERSION: u32 = 1;

fn write(report: &Report, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let skipped: Vec<Value> = report.skipped().map(|(what, why)| json!({"what": what, "why": why})).collect();
    let summary = &report.summary;
    let around = json!({
        "version": VERSION,
        "tool": {"name": "trueline", "version": options.tool_version},
        "summary": {
            "checked": summary.checked,
            "valid": summary.valid,
            "invalid": summary.invalid,
            "errors": summary.errors,
            "warnings": summary.warnings,
            "notes": summary.notes,
            "unlisted": summary.unlisted,
            "skipped": skipped,
        },
        "findings": document::LIST,
    });
    document::write(&around, report.findings.iter().map(finding), 2, out)
}

fn finding(finding: &Finding) -> Value {
    let mut result = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            result.insert(key.to_owned(), value);
        }
    };
    put("code", Some(json!(finding.code.id)));
    put("rule", finding.rule.map(|rule| json!(rule.name)));
    put("severity", Some(json!(finding.severity.as_str())));
    put("message", Some(json!(finding.message)));
    put("help", finding.help.as_ref().map(|help| json!(help)));
    put("level", finding.level.map(|level| json!(level.as_str())));
    put("path", finding.path.as_ref().map(|path| json!(path)));
    let mut labels = vec![label("primary", &finding.primary)];
    labels.extend(finding.related.iter().map(|place| label("related", place)));
    put("labels", Some(Value::Array(labels)));
    put(
        "trace",
        Some(finding.trace.iter().map(|frame| Value::Object(words(place(frame), "text", frame))).collect()),
    );
    put(
        "schema",
        finding.schema.as_ref().map(|schema| json!({"path": schema.path, "keyword": schema.keyword})),
    );
    put(
        "kube",
        finding
            .kube
            .as_ref()
            .map(|kube| json!({"field": kube.field, "type": kube.kind, "detail": kube.detail})),
    );
    put(
        "fix",
        finding.fix.as_ref().map(|fix| {
            let edits: Value =
                fix.edits.iter().map(|edit| Value::Object(words(place(edit), "replacement", edit))).collect();
            json!({"description": fix.description, "edits": edits})
        }),
    );
    put("more", (finding.more > 0).then(|| json!(finding.more)));
    Value::Object(result)
}

fn label(role: &str, of: &LabelledPlace) -> Value {
    let mut result = Map::new();
    result.insert("role".to_owned(), json!(role));
    result.extend(place(of));
    Value::Object(if of.text.is_empty() { result } else { words(result, "text", of) })
}

fn words(mut object: Map<String, Value>, key: &str, of: &LabelledPlace) -> Map<String, Value> {
    object.insert(key.to_owned(), json!(of.text));
    object
}

fn place(place: &LabelledPlace) -> Map<String, Value> {
    let fields = [
        ("file", json!(&*place.file)),
        ("line", json!(place.start.line)),
        ("column", json!(place.start.column)),
        ("end_line", json!(place.end.line)),
        ("end_column", json!(place.end.column)),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::testing::{every_outcome, render, sample};
    use crate::{Format, JSON_SCHEMA};

    #[test]
    fn every_report_matches_the_schema() {
        let schema: Value = serde_json::from_str(JSON_SCHEMA).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for (sources, outcome) in every_outcome() {
            let report: Value = serde_json::from_str(&render(Format::Json, &outcome, &sources)).unwrap();
            let errors: Vec<String> = validator
                .iter_errors(&report)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(errors.is_empty(), "{errors:#?}\n{report:#}");
        }
    }

    #[test]
    fn the_schema_is_closed() {
        let schema: Value = serde_json::from_str(JSON_SCHEMA).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let (sources, outcome) = sample();
        let report: Value = serde_json::from_str(&render(Format::Json, &outcome, &sources)).unwrap();
        for pointer in ["", "/tool", "/summary", "/summary/skipped/0", "/findings/0", "/findings/0/labels/0"]
        {
            let mut altered = report.clone();
            let object = altered.pointer_mut(pointer).and_then(Value::as_object_mut).expect(pointer);
            object.insert("surprise".to_owned(), Value::Null);
            assert!(!validator.is_valid(&altered), "{pointer}");
        }
    }

    #[test]
    fn every_field_is_explained_in_the_documentation() {
        fn names(schema: &Value, found: &mut Vec<String>) {
            match schema {
                Value::Object(members) => {
                    let properties = members.get("properties").and_then(Value::as_object);
                    found.extend(properties.into_iter().flat_map(|properties| properties.keys().cloned()));
                    members.values().for_each(|member| names(member, found));
                }
                Value::Array(items) => items.iter().for_each(|item| names(item, found)),
                _ => {}
            }
        }
        let page = include_str!("../../../../docs/report.md");
        let mut found = Vec::new();
        names(&serde_json::from_str(JSON_SCHEMA).unwrap(), &mut found);
        assert!(found.len() > 20, "{found:?}");
        for name in found {
            assert!(page.contains(&format!("`{name}`")), "{name} is not explained");
        }
        let example = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let example: Value = serde_json::from_str(example).unwrap();
        let validator = jsonschema::validator_for(&serde_json::from_str(JSON_SCHEMA).unwrap()).unwrap();
        assert!(validator.is_valid(&example), "{example:#}");
    }

    #[test]
    fn the_whole_of_a_report() {
        let (sources, outcome) = sample();
        insta::assert_snapshot!(render(Format::Json, &outcome, &sources));
    }
}

//! SARIF 2.1.0.
//!
//! A place is a physical location with a region whose columns count code points. A flag, text inside the
//! program and rendered text without origins have no address: they are logical locations, with their region
//! among the properties, at the physical location of the thing that was checked. The physical location is
//! needed because code scanning rejects a whole log if one result has none.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use trueline_diagnostic::{Code, Severity, Units};

use super::{Reader, Row, Writer};
use crate::fingerprint::Fingerprints;
use crate::options::{Execution, Options};
use crate::prepared::{Finding, Fix, LabelledPlace, PlaceKind, Report};
use crate::{document, location};

/// What the format is for, and how it is written.
pub(super) const FORMAT: Row = Row {
    name: "sarif",
    summary: "SARIF 2.1.0, for code scanning",
    reader: Reader::Program,
    writer: Writer::Document { units: Units::Telling, write },
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The home of the project; its schemas and pages are below it, under their paths in the repository.
const HOME: &str = "https://trueline.dev/";
/// The page that explains every code, with an anchor for each.
const CODES: &str = "docs/diagnostics.md";
/// The id of the notification about what was not checked.
const SKIPPED: &str = "skipped";

fn write(report: &Report, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let rules = rules(report);
    let notifications: Vec<Value> = report
        .skipped()
        .map(|(what, why)| {
            json!({
                "descriptor": {"id": SKIPPED, "index": 0},
                "level": "note",
                "message": {"text": format!("{what} was not checked, or not completely: {why}")},
                "locations": [{"physicalLocation": {"artifactLocation": {"uri": location::file_uri(what)}}}],
            })
        })
        .collect();
    let around = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "trueline",
                "version": options.tool_version,
                "informationUri": HOME,
                "rules": rules.iter().map(|code| rule(code)).collect::<Vec<Value>>(),
                "notifications": [{
                    "id": SKIPPED,
                    "name": SKIPPED,
                    "shortDescription": {"text": "Something was not checked, or not completely."},
                }],
            }},
            "invocations": [{
                "executionSuccessful": !matches!(options.execution, Execution::Failed | Execution::FoundNothing),
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "unicodeCodePoints",
            "results": document::LIST,
        }],
    });
    let mut fingerprints = Fingerprints::default();
    let findings = report.findings.iter().zip(location::anchors(report));
    let results =
        findings.map(|(finding, anchor)| result(finding, &anchor, &rules, fingerprints.next(finding)));
    document::write(&around, results, 6, out)
}

/// The codes of the findings, in order of id: a log with one finding should not carry hundreds of rules.
fn rules(report: &Report) -> Vec<&'static Code> {
    let mut rules: Vec<&'static Code> = report.findings.iter().map(|finding| finding.code).collect();
    rules.sort_by_key(|code| code.id);
    rules.dedup_by_key(|code| code.id);
    rules
}

fn rule(code: &Code) -> Value {
    let mut markdown = format!("{}\n", code.explanation.trim_end());
    for (heading, example) in [("Wrong", code.wrong), ("Right", code.right)] {
        if !example.is_empty() {
            // Longer than any fence that an example could hold.
            markdown.push_str(&format!("\n{heading}:\n\n`````yaml\n{}\n`````\n", example.trim_end()));
        }
    }
    json!({
        "id": code.id,
        "name": code.name,
        "shortDescription": {"text": code.summary},
        "fullDescription": {"text": code.explanation},
        "helpUri": format!("{HOME}{CODES}#{}-{}", code.id.to_ascii_lowercase(), code.name),
        "help": {"text": code.explanation, "markdown": markdown},
        "defaultConfiguration": {"level": level(code.severity)},
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn result(finding: &Finding, anchor: &str, rules: &[&'static Code], fingerprint: String) -> Value {
    let mut primary = location(&finding.primary, anchor);
    if let Some(pointer) = &finding.path {
        logical(&mut primary, json!({"fullyQualifiedName": pointer, "kind": "value"}));
    }
    let parts = [Some(finding.message.clone()), finding.help.clone(), finding.and_more()];
    let message = parts.into_iter().flatten().collect::<Vec<String>>().join("\n\n");
    let mut result = json!({
        "ruleId": finding.code.id,
        "ruleIndex": rules.binary_search_by_key(&finding.code.id, |code| code.id).unwrap_or_default(),
        "level": level(finding.severity),
        "message": {"text": message},
        "locations": [primary],
        "partialFingerprints": {"trueline/v1": fingerprint},
    });
    let Some(object) = result.as_object_mut() else { return result };
    if !finding.related.is_empty() {
        let related = finding.related.iter().enumerate().map(|(index, place)| {
            let mut related = location(place, anchor);
            related.insert("id".to_owned(), json!(index + 1));
            Value::Object(related)
        });
        object.insert("relatedLocations".to_owned(), related.collect());
    }
    if !finding.trace.is_empty() {
        let frames: Vec<Value> =
            finding.trace.iter().map(|place| json!({"location": location(place, anchor)})).collect();
        object.insert(
            "stacks".to_owned(),
            json!([{"message": {"text": "how it got there"}, "frames": frames}]),
        );
    }
    if let Some(fix) = finding.fix.as_ref().and_then(change) {
        object.insert("fixes".to_owned(), json!([fix]));
    }
    if let Some(properties) = properties(finding) {
        object.insert("properties".to_owned(), properties);
    }
    result
}

/// What SARIF has no field for.
fn properties(finding: &Finding) -> Option<Value> {
    let mut properties = Map::new();
    if let Some(rule) = finding.rule {
        properties.insert("rule".to_owned(), json!(rule.name));
    }
    if let Some(level) = finding.level {
        properties.insert("level".to_owned(), json!(level.as_str()));
    }
    if let Some(schema) = &finding.schema {
        properties.insert("schema".to_owned(), json!({"path": schema.path, "keyword": schema.keyword}));
    }
    if let Some(kube) = &finding.kube {
        properties.insert(
            "kube".to_owned(),
            json!({"field": kube.field, "type": kube.kind, "detail": kube.detail}),
        );
    }
    (!properties.is_empty()).then_some(Value::Object(properties))
}

fn location(place: &LabelledPlace, anchor: &str) -> Map<String, Value> {
    let mut location = Map::new();
    match location::uri(place) {
        Some(uri) => {
            let physical = json!({"artifactLocation": {"uri": uri}, "region": region(place)});
            location.insert("physicalLocation".to_owned(), physical);
        }
        None => {
            let kind = match place.kind {
                PlaceKind::Flag => "parameter",
                PlaceKind::Embedded => "resource",
                PlaceKind::Rendered | PlaceKind::File | PlaceKind::Url => "module",
            };
            let physical = json!({"artifactLocation": {"uri": location::file_uri(anchor)}});
            location.insert("physicalLocation".to_owned(), physical);
            logical(
                &mut location,
                json!({"name": &*place.file, "fullyQualifiedName": &*place.file, "kind": kind}),
            );
            location.insert("properties".to_owned(), json!({"region": region(place)}));
        }
    }
    if !place.text.is_empty() {
        location.insert("message".to_owned(), json!({"text": place.text}));
    }
    location
}

fn logical(location: &mut Map<String, Value>, logical: Value) {
    if let Some(list) =
        location.entry("logicalLocations").or_insert_with(|| Value::Array(Vec::new())).as_array_mut()
    {
        list.push(logical);
    }
}

fn region(place: &LabelledPlace) -> Value {
    json!({
        "startLine": place.start.line,
        "startColumn": place.start.column,
        "endLine": place.end.line,
        "endColumn": place.end.column,
    })
}

/// A change in SARIF's form; `None` if it edits text without an address.
fn change(fix: &Fix) -> Option<Value> {
    let mut changes: Vec<(String, Vec<Value>)> = Vec::new();
    for edit in &fix.edits {
        let uri = location::uri(edit)?;
        let replacement = json!({"deletedRegion": region(edit), "insertedContent": {"text": edit.text}});
        match changes.iter_mut().find(|(known, _)| *known == uri) {
            Some((_, replacements)) => replacements.push(replacement),
            None => changes.push((uri, vec![replacement])),
        }
    }
    if changes.is_empty() {
        return None;
    }
    let changes: Vec<Value> = changes
        .into_iter()
        .map(|(uri, replacements)| json!({"artifactLocation": {"uri": uri}, "replacements": replacements}))
        .collect();
    Some(json!({"description": {"text": fix.description}, "artifactChanges": changes}))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::Format;
    use crate::testing::{every_outcome, render, sample};

    const OFFICIAL: &str = include_str!("../../tests/data/sarif-schema-2.1.0.json");

    #[test]
    fn every_log_is_valid_against_the_official_schema() {
        // The official schema contains a stray `]` in the pattern of `language`, which we never write.
        let official = OFFICIAL.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}$");
        let schema: Value = serde_json::from_str(&official).unwrap();
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        for (sources, outcome) in every_outcome() {
            let log: Value = serde_json::from_str(&render(Format::Sarif, &outcome, &sources)).unwrap();
            let errors: Vec<String> = validator
                .iter_errors(&log)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(errors.is_empty(), "{errors:#?}\n{log:#}");
        }
    }

    #[test]
    fn every_location_is_physical() {
        for (sources, outcome) in every_outcome() {
            let log: Value = serde_json::from_str(&render(Format::Sarif, &outcome, &sources)).unwrap();
            for result in log["runs"][0]["results"].as_array().unwrap() {
                let related = result["relatedLocations"].as_array().into_iter().flatten();
                for location in result["locations"].as_array().unwrap().iter().chain(related) {
                    let uri = &location["physicalLocation"]["artifactLocation"]["uri"];
                    assert!(uri.as_str().is_some_and(|uri| !uri.is_empty()), "{location:#}");
                }
            }
        }
    }

    #[test]
    fn the_whole_of_a_log() {
        let (sources, outcome) = sample();
        insta::assert_snapshot!(render(Format::Sarif, &outcome, &sources));
    }
}

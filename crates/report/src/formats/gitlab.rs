//! GitLab Code Quality: a JSON array that a merge request shows beside its lines.

use std::io::{self, Write};

use serde_json::{Value, json};
use trueline_diagnostic::{Severity, Units};

use super::{Reader, Row, Writer};
use crate::fingerprint::Fingerprints;
use crate::options::Options;
use crate::prepared::{Finding, LabelledPlace, PlaceKind, Report};
use crate::{document, location};

/// What the format is for, and how it is written.
pub(super) const FORMAT: Row = Row {
    name: "gitlab",
    summary: "GitLab Code Quality",
    reader: Reader::Program,
    writer: Writer::Document { units: Units::Telling, write },
};

fn write(report: &Report, _: &Options, out: &mut dyn Write) -> io::Result<()> {
    let mut fingerprints = Fingerprints::default();
    let findings = report.findings.iter().zip(location::anchors(report));
    let issues = findings.map(|(finding, anchor)| issue(finding, &anchor, fingerprints.next(finding)));
    document::write(&Value::from(document::LIST), issues, 0, out)
}

fn issue(finding: &Finding, anchor: &str, fingerprint: String) -> Value {
    let mut issue = json!({
        "type": "issue",
        "check_name": finding.code.id,
        "description": match finding.primary.kind {
            PlaceKind::Flag => format!("{}: {}", finding.primary.file, finding.message),
            _ => finding.message.clone(),
        },
        "categories": ["Bug Risk"],
        "severity": match finding.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Note => "info",
        },
        "fingerprint": fingerprint,
        "location": at(&finding.primary, anchor),
    });
    let Some(object) = issue.as_object_mut() else { return issue };
    if !finding.related.is_empty() {
        object.insert(
            "other_locations".to_owned(),
            finding.related.iter().map(|place| at(place, anchor)).collect(),
        );
    }
    let body: Vec<String> = finding.help.iter().cloned().chain(finding.and_more()).collect();
    if !body.is_empty() {
        object.insert("content".to_owned(), json!({"body": body.join("\n")}));
    }
    issue
}

/// A place. A place without a file, such as a flag, is reported at the start of the checked file, because
/// GitLab does not show a finding without a valid path.
fn at(place: &LabelledPlace, anchor: &str) -> Value {
    if location::uri(place).is_none() {
        return json!({
            "path": location::path(anchor),
            "lines": {"begin": 1, "end": 1},
            "positions": {"begin": {"line": 1, "column": 1}, "end": {"line": 1, "column": 1}},
        });
    }
    json!({
        "path": location::path(&place.file),
        // GitLab reads the line from `lines`, other readers of the format both from `positions`.
        "lines": {"begin": place.start.line, "end": place.end.line},
        "positions": {
            "begin": {"line": place.start.line, "column": place.start.column},
            "end": {"line": place.end.line, "column": place.end.column},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::testing::{every_outcome, render, sample};

    #[test]
    fn an_array_of_issues() {
        let (sources, outcome) = sample();
        insta::assert_snapshot!(render(Format::Gitlab, &outcome, &sources));
    }

    #[test]
    fn fingerprints_differ_and_paths_are_relative() {
        for (sources, outcome) in every_outcome() {
            let text = render(Format::Gitlab, &outcome, &sources);
            let issues: Vec<Value> = serde_json::from_str(&text).unwrap();
            let mut fingerprints: Vec<&str> =
                issues.iter().filter_map(|issue| issue["fingerprint"].as_str()).collect();
            fingerprints.sort_unstable();
            fingerprints.dedup();
            assert_eq!(fingerprints.len(), issues.len());
            assert!(issues.iter().all(|issue| {
                issue["location"]["path"].as_str().is_some_and(|path| !path.starts_with("./"))
            }));
        }
    }
}

//! The promise of all formats: a finding in rendered text is reported where somebody typed it.

use serde_json::Value;

use crate::Format;
use crate::testing::{render, rendered};

/// What each format writes for the YAML error in the template, and for the schema error of a value: the place
/// where the value was typed is primary, and the template that prints it is a further place.
#[test]
fn every_format_reports_rendered_text_at_its_origins() {
    for format in Format::ALL.iter().copied() {
        let (sources, outcome) = rendered();
        let text = render(format, &outcome, &sources);
        let expected: &[&str] = match format {
            Format::Human => {
                &["--> templates/pod.yaml:3:7", "--> prod-values.yaml:2:4", "::: templates/pod.yaml:2:11"]
            }
            Format::Short => {
                &["templates/pod.yaml:3:7: error[TL0101]", "prod-values.yaml:2:4: error[TL0201]"]
            }
            Format::Junit => &[
                "message=\"templates/pod.yaml:3:7: ",
                "message=\"prod-values.yaml:2:4: ",
                "templates/pod.yaml:2:11: ",
            ],
            Format::Github => &[
                "::error file=templates/pod.yaml,line=3,col=7,",
                "::error file=prod-values.yaml,line=2,col=4,",
                "%0Atemplates/pod.yaml:2:11: ",
            ],
            Format::Json | Format::Sarif | Format::Gitlab => &[],
            Format::Tap => &[
                "at: \"templates/pod.yaml:3:7\"",
                "at: \"prod-values.yaml:2:4\"",
                "- \"templates/pod.yaml:2:11: ",
            ],
            // A format may write places in its own way; the files are named in any case.
            #[allow(unreachable_patterns, reason = "there may be more formats than these")]
            _ => &["templates/pod.yaml", "prod-values.yaml"],
        };
        for part in expected {
            assert!(text.contains(part), "{format}: {part} is missing in\n{text}");
        }
        let places = match format {
            Format::Json => json_places(&text),
            Format::Sarif => sarif_places(&text),
            Format::Gitlab => gitlab_places(&text),
            _ => continue,
        };
        for part in
            ["TL0101 templates/pod.yaml:3:7", "TL0201 prod-values.yaml:2:4", "TL0201 templates/pod.yaml:2:11"]
        {
            assert!(places.iter().any(|place| place == part), "{format}: {part} is missing in {places:?}");
        }
        let first = places.iter().find(|place| place.starts_with("TL0201"));
        assert_eq!(
            first.map(String::as_str),
            Some("TL0201 prod-values.yaml:2:4"),
            "{format}: the value is primary"
        );
    }
}

fn json_places(text: &str) -> Vec<String> {
    let report: Value = serde_json::from_str(text).unwrap();
    let mut places = Vec::new();
    for finding in report["findings"].as_array().unwrap() {
        for label in finding["labels"].as_array().unwrap() {
            places.push(format!(
                "{} {}:{}:{}",
                finding["code"].as_str().unwrap(),
                label["file"].as_str().unwrap(),
                label["line"],
                label["column"]
            ));
        }
    }
    places
}

fn sarif_places(text: &str) -> Vec<String> {
    let log: Value = serde_json::from_str(text).unwrap();
    let mut places = Vec::new();
    for result in log["runs"][0]["results"].as_array().unwrap() {
        let related = result["relatedLocations"].as_array().into_iter().flatten();
        for location in result["locations"].as_array().unwrap().iter().chain(related) {
            let physical = &location["physicalLocation"];
            places.push(format!(
                "{} {}:{}:{}",
                result["ruleId"].as_str().unwrap(),
                physical["artifactLocation"]["uri"].as_str().unwrap(),
                physical["region"]["startLine"],
                physical["region"]["startColumn"]
            ));
        }
    }
    places
}

fn gitlab_places(text: &str) -> Vec<String> {
    let issues: Vec<Value> = serde_json::from_str(text).unwrap();
    let mut places = Vec::new();
    for issue in &issues {
        let other = issue["other_locations"].as_array().into_iter().flatten();
        for location in [&issue["location"]].into_iter().chain(other) {
            let begin = &location["positions"]["begin"];
            assert_eq!(location["lines"]["begin"], begin["line"]);
            places.push(format!(
                "{} {}:{}:{}",
                issue["check_name"].as_str().unwrap(),
                location["path"].as_str().unwrap(),
                begin["line"],
                begin["column"]
            ));
        }
    }
    places
}

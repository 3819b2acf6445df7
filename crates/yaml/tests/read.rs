//! How `sigs.k8s.io/yaml` v1.6.0 reads text, case by case: each line of `data/read.jsonl` has the text, its
//! value or the error, and the error of the strict mode if it differs.

use std::sync::Arc;

use trueline_source::SourceId;
use trueline_yaml::{ReadOptions, Value, read, selfcheck, yaml_to_json, yaml_to_json_strict};

fn cases() -> impl Iterator<Item = (String, serde_json::Value)> {
    let lines: Vec<_> = include_str!("data/read.jsonl").lines().collect();
    assert!(lines.len() > 600);
    lines.into_iter().map(|line| {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        (case["yaml"].as_str().unwrap().to_owned(), case)
    })
}

#[test]
fn values_and_errors_are_those_of_go() {
    for (text, case) in cases() {
        match yaml_to_json(&text) {
            Ok(json) => {
                let json: serde_json::Value = serde_json::from_str(&json).unwrap();
                assert_eq!(Some(&json), case.get("json"), "{case}");
            }
            Err(error) => assert_eq!(Some(&*error.to_string()), case["error"].as_str(), "{case}"),
        }
    }
}

#[test]
fn strict_errors_are_those_of_go() {
    for (text, case) in cases() {
        let expected = case.get("strict_error").or(case.get("error")).and_then(|error| error.as_str());
        assert_eq!(yaml_to_json_strict(&text).err().map(String::from).as_deref(), expected, "{case}");
    }
}

#[test]
fn the_first_document_is_what_go_reads() {
    for (text, case) in cases() {
        let stream = read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
        match stream.first() {
            Ok(None) => assert!(case["json"].is_null(), "{case}"),
            Ok(Some(document)) => {
                let json = Value::from_node(document.root()).to_json_text().unwrap();
                let json: serde_json::Value = serde_json::from_str(&json).unwrap();
                assert_eq!(Some(&json), case.get("json"), "{case}");
            }
            Err(error) => assert_eq!(Some(&*error.go_text), case["error"].as_str(), "{case}"),
        }
    }
}

#[test]
fn the_text_at_every_span_reads_as_its_node() {
    for (text, case) in cases() {
        let stream = read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
        for document in &stream.documents {
            assert_eq!(selfcheck::verify_spans(document), Vec::<String>::new(), "{case}");
        }
    }
}

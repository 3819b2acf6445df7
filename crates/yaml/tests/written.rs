//! What the Go libraries write, case by case: `data/written.jsonl` has a value on each line, with the text
//! (or the error) of `sigs.k8s.io/yaml` v1.6.0 and the text of yaml.v3's encoder with two spaces.

use trueline_yaml::{Dialect, Value, marshal, write};

fn cases() -> Vec<serde_json::Value> {
    let text = include_str!("data/written.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn values_are_written_as_go_writes_them() {
    let cases = cases();
    assert!(cases.len() > 500);
    for case in cases {
        let value = Value::from_serde(&case["value"]).with_json_numbers();
        match marshal(&value, Dialect::Sigs) {
            Ok(text) => assert_eq!(Some(&*text), case["sigs"].as_str(), "{case}"),
            Err(error) => assert_eq!(Some(&*error.to_string()), case["error"].as_str(), "{case}"),
        }
        assert_eq!(Some(&*write(&value, Dialect::GoYamlV3)), case["v3"].as_str(), "{case}");
    }
}

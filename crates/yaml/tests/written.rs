//! What the Go libraries write, case by case: `data/written.jsonl` has a value on each line, with the text
//! (or the error) of `sigs.k8s.io/yaml` v1.6.0 and the text of yaml.v3's encoder with two spaces.

use trueline_yaml::{Dialect, Value, marshal, write};

#[test]
fn values_are_written_as_go_writes_them() {
    let lines: Vec<_> = include_str!("data/written.jsonl").lines().collect();
    assert!(lines.len() > 500);
    for line in lines {
        let case = Value::from_json_text(line).unwrap();
        let expected = |key: &str| case.get(key).and_then(Value::as_str);
        let value = case.get("value").unwrap().with_json_numbers();
        match marshal(&value, Dialect::Sigs) {
            Ok(text) => assert_eq!(Some(&*text), expected("sigs"), "{line}"),
            Err(error) => assert_eq!(Some(&*error.to_string()), expected("error"), "{line}"),
        }
        assert_eq!(Some(&*write(&value, Dialect::GoYamlV3)), expected("v3"), "{line}");
    }
}

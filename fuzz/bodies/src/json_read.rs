//! The JSON reader: no panic, spans inside the text, and nothing refused that `serde_json` takes.

use std::sync::Arc;

use trueline_source::SourceId;
use trueline_yaml::{Limits, SyntaxErrorKind, Value, json};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "json_read",
    run,
    seeds: &[
        r#"{"a": [1, -2.5e1, "x\n\ud83d\ude00"], "b": {"c": null, "d": true}, "": false}"#,
        r#"[18446744073709551615, 18446744073709551616, 1e-400, -0, 0.1]"#,
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a~1b": {"enum": [1, "2"]}}}"#,
        "\u{feff}[]",
        r#""\u0000\u2028\\\/\b\f""#,
        "[[[[[[[[[[]]]]]]]]]]",
    ],
};

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let read = json::read(SourceId::from_index(0), &Arc::from(&*text), Limits::default());
    let other = serde_json::from_str::<serde_json::Value>(&text);
    match read {
        Ok(document) => {
            for node in document.nodes() {
                assert!(text.get(node.span().range()).is_some(), "a span outside the text");
            }
            let value = Value::from_node(document.root());
            let written = value.to_json_text().expect("JSON has no number that JSON cannot say");
            let again = Value::from_json_text(&written).expect("what was written can be read");
            // Large floats are written with the digits that tell them apart.
            assert_eq!(again.with_json_numbers(), value.with_json_numbers(), "{written}");
        }
        Err(error) => {
            assert!(text.get(error.span.range()).is_some(), "an error outside the text");
            assert!(other.is_err() || error.kind == SyntaxErrorKind::TooDeep, "refused: {error:?}");
        }
    }
}

//! Random texts: no panic, correct spans, and JSON that reads the same as YAML.

use std::sync::Arc;

use proptest::prelude::*;
use trueline_source::SourceId;
use trueline_yaml::{Dashes, Dialect, Draft, Limits, ReadOptions, Value, read, selfcheck, write_drafts};

/// Pieces that mean something to a scanner, so that random texts get far.
const PIECES: &[&str] = &[
    " ",
    "  ",
    "\n",
    "\n  ",
    "\n- ",
    "\t",
    "\r\n",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "- ",
    "? ",
    ": ",
    "-",
    "?",
    ":",
    ",",
    "[",
    "]",
    "{",
    "}",
    "#",
    " # c\n",
    "&a ",
    "*a",
    "!!str ",
    "!!int ",
    "!x ",
    "!<y> ",
    "|\n",
    ">-\n",
    "|2\n",
    "'",
    "\"",
    "''",
    "\\n",
    "\\x41",
    "\\",
    "%YAML 1.1\n",
    "%TAG ! a\n",
    "---\n",
    "...\n",
    "--- ",
    "@",
    "`",
    "<<: ",
    "a",
    "b: c",
    "é",
    "漢",
    "😀",
    "1",
    "0x1F",
    "1.5",
    ".inf",
    "~",
    "null",
    "yes",
    "\u{7}",
];

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        (-1.0e9..1.0e9).prop_map(|number: f64| number.into()),
        // Escapes that YAML does not share with JSON are tested in the JSON reader.
        "[ -.0-~é漢]{0,12}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::hash_map("[ -.0-~é]{0,8}", inner, 0..6)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

fn check(text: &str) {
    for dialect in [Dialect::Sigs, Dialect::GoYamlV3, Dialect::Ytt] {
        let options = ReadOptions { dialect, ..ReadOptions::default() };
        let stream = read(SourceId::from_index(0), &Arc::from(text), &options);
        for error in &stream.errors {
            let finding = error.to_diagnostic();
            assert!(text.get(finding.primary.span.range()).is_some(), "{text:?}: {finding:?}");
            assert!(error.go_text.starts_with("yaml: ") || dialect == Dialect::Sigs, "{text:?}");
        }
        for document in &stream.documents {
            document.duplicate_diagnostics();
            if dialect == Dialect::Sigs {
                assert_eq!(selfcheck::verify_spans(document), Vec::<String>::new(), "{text:?}");
            }
        }
        let _ = stream.first().map(|document| document.map(|document| Value::from_node(document.root())));
    }
    if let Ok(Some(draft)) = Draft::read(text, &Limits::default()) {
        assert!(write_drafts([(&draft, Dashes::UnderKey)]).ends_with('\n'), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_pieces_are_read_or_refused(text in pieces()) {
        check(&text);
    }

    #[test]
    fn random_characters_are_read_or_refused(text in "\\PC{0,60}") {
        check(&text);
    }

    #[test]
    fn json_reads_the_same_as_yaml(value in json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let stream = read(SourceId::from_index(0), &Arc::from(text.as_str()), &ReadOptions::default());
        prop_assert_eq!(&stream.errors, &[], "{}", text);
        let read = stream.first().unwrap().map(|document| Value::from_node(document.root()).to_serde());
        prop_assert_eq!(read, Some(value), "{}", text);
    }
}

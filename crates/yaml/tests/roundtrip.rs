//! What is written is read back as the same value.

use std::sync::Arc;

use proptest::prelude::*;
use trueline_source::SourceId;
use trueline_yaml::{Data, Dialect, ReadOptions, Value, read, write};

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        // Readers fold or refuse some characters; the writer's own tests cover those.
        "[ -~éà日]{0,24}",
        "([ -~]{0,90}\n){0,3}[ -~]{0,8}",
        "[-+0-9_.:eExob]{1,10}",
        "(true|no|~|null|y|\\.inf|2001-1-1|0x1F|---|- x|a: b|#|😀|\t|\u{a0})",
        "([a-z]{1,9} ){5,40}",
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::new(Data::Null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(|number| Value::new(Data::UInt(number))),
        any::<f64>().prop_filter("a number", |number| number.is_finite()).prop_map(Value::from),
        texts().prop_map(|text| Value::from(&*text)),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from_iter),
            prop::collection::vec((texts().prop_filter("no merge", |key| key != "<<"), inner), 0..5)
                .prop_map(Value::from_iter),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(value in values()) {
        for dialect in [Dialect::Sigs, Dialect::GoYamlV3, Dialect::Ytt] {
            let text: Arc<str> = write(&value, dialect).into();
            let options = ReadOptions { dialect, ..ReadOptions::default() };
            let stream = read(SourceId::from_index(0), &text, &options);
            prop_assert!(stream.errors.is_empty(), "{:?}\n{}", stream.errors, text);
            prop_assert_eq!(stream.documents.len(), 1);
            // A large float is written with just enough digits to identify it, which may be another integer.
            let again = Value::from_node(stream.documents[0].root()).with_json_numbers();
            prop_assert_eq!(again, value.with_json_numbers(), "{}", text);
        }
    }
}

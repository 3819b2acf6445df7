//! The YAML writer: what it writes is read back as the same value, and written the same again.

use std::sync::Arc;

use trueline_source::SourceId;
use trueline_yaml::{Data, Dialect, ReadOptions, Value, marshal, read, write};

use crate::{Target, arbitrary};

pub(crate) const TARGET: Target = Target {
    name: "yaml_roundtrip",
    run,
    seeds: &[
        "\u{9}\u{3}\u{1}a\u{4}\u{5}a\n b\n\u{2}bc\u{4}\u{4}true\u{1}d\u{0}",
        "\u{8}\u{5}\u{4}\u{3}- x\u{4}\u{6}12:30 \u{4}\u{2}\n\n\u{4}\u{7}key: #v\u{4}\u{3}\u{feff}",
        "\u{4}\u{2d}a long line that goes on and on with  two spaces and it's 'quoted' \"twice\"",
        "\u{8}\u{3}\u{3}\u{40}\u{9}\u{21}\u{fb}\u{2}\u{7f}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}",
    ],
};

fn run(input: &[u8]) {
    let value = arbitrary::value(input);
    for dialect in [Dialect::Sigs, Dialect::GoYamlV3, Dialect::Ytt] {
        if marshal(&value, dialect).is_err() || !is_readable(&value, dialect) {
            write(&value, dialect);
            continue;
        }
        let text = write(&value, dialect);
        let again = read_back(&text, dialect);
        let rewritten = write(&again, dialect);
        assert_eq!(rewritten, text, "{dialect:?}: written differently the second time");
        if !has_folded_character(&value) {
            let (again, value) = (again.with_json_numbers(), value.with_json_numbers());
            assert_eq!(again, value, "{dialect:?}: read back as something else:\n{text}");
        }
    }
}

fn read_back(text: &str, dialect: Dialect) -> Value {
    let text: Arc<str> = text.into();
    let stream = read(SourceId::from_index(0), &text, &ReadOptions { dialect, ..ReadOptions::default() });
    assert!(stream.errors.is_empty(), "{dialect:?}: cannot be read: {:?}\n{text}", stream.errors);
    assert_eq!(stream.documents.len(), 1, "{dialect:?}: not one document\n{text}");
    Value::from_node(stream.documents[0].root())
}

/// Texts that a reader of another version makes something else of: they went through JSON, where they are
/// folded, or have line breaks of Unicode, which the writer leaves alone inside single quotes and blocks.
fn has_folded_character(value: &Value) -> bool {
    let folded = |text: &str| text.contains(['\u{85}', '\u{2028}', '\u{2029}']);
    any(value, &|data| match data {
        Data::String(text) => folded(text),
        Data::Map(map) => map.keys().any(|key| folded(key)),
        _ => false,
    })
}

/// Whether the library can read what it writes. It cannot where a number is none, which equals nothing; where
/// zero has a sign, which it does not read; where a key is `<<`, which it writes without quotes and then takes
/// for a merge; and, in version 3, where a block begins with a tab.
fn is_readable(value: &Value, dialect: Dialect) -> bool {
    let readable =
        |text: &str| dialect != Dialect::GoYamlV3 || !text.starts_with('\t') || !text.contains('\n');
    !any(value, &|data| match data {
        Data::Float(number) => !number.is_finite() || (*number == 0.0 && number.is_sign_negative()),
        Data::String(text) => !readable(text),
        Data::Map(map) => map.keys().any(|key| &**key == "<<" || key.len() > 900 || !readable(key)),
        _ => false,
    })
}

fn any(value: &Value, test: &dyn Fn(&Data) -> bool) -> bool {
    test(&value.data)
        || match &value.data {
            Data::List(items) => items.iter().any(|item| any(item, test)),
            Data::Map(map) => map.values().any(|entry| any(&entry.value, test)),
            _ => false,
        }
}

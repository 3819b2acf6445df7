//! ytt's documents: places are inside the text, comments have one owner, and what is written is read back as the same.

use trueline_ytt::fmt;
use trueline_ytt::tree::{
    CommentHandling, DocumentSet, File, Format, Meta, Position, ReadOptions, Scalars, Value, read,
    write_documents,
};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "ytt_documents",
    run,
    seeds: &[
        "#@data/values\n---\na: #@ 1\n#@ if x:\nb:\n- c: [1, *x, {d: e}] #@ y\n#@ end\n",
        "a: &x\n  k: 1 #@ 2\nb: *x\nc:\n  <<: *x\n  k: 3\n? {a: 1}\n: !!binary /w==\n",
        "--- #@ x\n- |\n  a\n  b\n- \"c\\nd\"\n- 'yes'\n--- ~\n...\n%YAML 1.1\n---\n1.0: 2\n\"1\": 0x3\n# end\n",
        "a: {}\n? []\n: [[], [.inf, 1e400, 2001-01-01]]\n",
    ],
};

fn run(input: &[u8]) {
    let file = File::from_bytes("a.yml", input);
    let plain = ReadOptions { comments: CommentHandling::Ignore, ..ReadOptions::default() };
    let strict = ReadOptions { scalars: Scalars::Strict, ..ReadOptions::default() };
    let _ = read(&file, &strict);
    let mut set = match read(&file, &ReadOptions::default()) {
        Ok(set) => set,
        Err(error) => {
            inside(&error.position, input.len());
            assert!(read(&file, &plain).is_err(), "comments decide what can be read");
            return;
        }
    };
    let mut owned = 0;
    for document in &set.documents {
        owned += look(&document.meta, input.len());
        walk(&document.value, &mut |meta| owned += look(meta, input.len()));
    }
    assert_eq!(owned, set.all_comments.len(), "a comment is lost or there twice");
    fmt::format(&set);
    set.override_map_keys();
    let text = write_documents(&set, Format::Yaml).unwrap_or_default();
    let _ = write_documents(&set, Format::Json);
    let _ = write_documents(&set, Format::Pos);
    if !is_readable(&set) {
        return;
    }
    let again = match read(&File::new("b.yml", &*text), &plain) {
        Ok(again) => again,
        Err(error) => panic!("cannot be read: {error}\n{text}"),
    };
    let written = set.documents.iter().filter(|document| !document.is_empty());
    for (one, two) in written.zip(&again.documents) {
        assert!(one.value.is_same(&two.value), "read back as something else:\n{text}");
    }
    assert_eq!(write_documents(&again, Format::Yaml).unwrap_or_default(), text, "written differently");
}

/// Checks the places of a node; how many comments it owns.
fn look(meta: &Meta, length: usize) -> usize {
    inside(&meta.position(), length);
    inside(&meta.place(), length);
    meta.comments().iter().for_each(|comment| inside(&comment.position, length));
    meta.comments().len()
}

fn inside(position: &Position, length: usize) {
    if let Some(range) = position.range() {
        // What is not UTF-8 grows when it is replaced.
        assert!(range.start <= range.end && range.end as usize <= 3 * length + 3, "{range:?} of {length}");
        position.line();
    }
}

/// Visits every item below a value. The depth is limited by the reader.
fn walk(value: &Value, visit: &mut dyn FnMut(&Meta)) {
    match value {
        Value::Map(map) => map.items.iter().for_each(|item| {
            visit(&item.meta);
            walk(&item.value, visit);
        }),
        Value::Array(array) => array.items.iter().for_each(|item| {
            visit(&item.meta);
            walk(&item.value, visit);
        }),
        _ => {}
    }
}

/// Whether go-yaml can read what it writes. It cannot where a number is none or a zero has a sign; where a string has line
/// breaks of Unicode, which it leaves alone inside quotes; where a key is `<<` or very long; where two keys are written
/// the same.
fn is_readable(set: &DocumentSet) -> bool {
    fn value_is(value: &Value) -> bool {
        match value {
            Value::Float(number) => {
                number.is_finite() && !(*number == 0.0 && number.is_sign_negative()) && number.fract() != 0.0
            }
            Value::String(text) => {
                !text.to_str_lossy().contains(['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}'])
            }
            Value::Map(map) => map.items.iter().all(|item| key_is(&item.key) && value_is(&item.value)),
            Value::Array(array) => array.items.iter().all(|item| value_is(&item.value)),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::UInt(_) => true,
        }
    }
    fn key_is(key: &Value) -> bool {
        value_is(key) && !matches!(key, Value::String(text) if *text == "<<" || text.len() > 900)
    }
    set.documents.iter().all(|document| value_is(&document.value))
}

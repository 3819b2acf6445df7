//! Flags, their documents and their errors.

use std::cell::Cell;
use std::rc::Rc;

use super::{DATA_VALUES, FlagInputs, FlagValue, Flags, FoundFile, extract, has_documents};
use crate::testing::{annotated, thread};
use crate::tree::{CommentHandling, Document, File, ReadOptions, Scalars, Value, read, yaml_of};

#[derive(Default)]
struct Inputs {
    environment: Vec<String>,
    files: Vec<(&'static str, &'static [u8])>,
    asked: Cell<usize>,
}

impl FlagInputs for Inputs {
    fn environment(&self) -> Vec<String> {
        self.asked.set(self.asked.get() + 1);
        self.environment.clone()
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, crate::input_error::InputError> {
        let below = format!("{path}/");
        let found = self.files.iter().filter(|(name, _)| *name == path || name.starts_with(&below));
        let found: Vec<FoundFile> = found
            .map(|(name, bytes)| FoundFile {
                name: name.strip_prefix(&below).unwrap_or(name).to_owned(),
                bytes: Ok(Rc::from(*bytes)),
                source: None,
            })
            .collect();
        if found.is_empty() {
            let text = format!("Checking file '{path}': lstat {path}: no such file or directory");
            Err(crate::input_error::InputErrorKind::Unreadable.of(text))
        } else {
            Ok(found)
        }
    }
}

fn values(texts: &[&str]) -> Vec<FlagValue> {
    texts.iter().map(|&text| text.into()).collect()
}

/// The only document that flags make.
fn only(flags: &Flags, inputs: &Inputs) -> Document {
    let mut documents = flags.documents(inputs, Scalars::Lenient).unwrap();
    assert_eq!((documents.own.len(), documents.for_libraries.len()), (1, 0));
    Rc::unwrap_or_clone(documents.own.remove(0)).document
}

fn error(flags: &Flags, inputs: &Inputs) -> String {
    flags.documents(inputs, Scalars::Strict).unwrap_err().to_string()
}

#[test]
fn keys_become_maps() {
    let flags = Flags { values: values(&["a.b=x=y"]), ..Flags::default() };
    let document = only(&flags, &Inputs::default());
    assert_eq!(yaml_of(&document.value), "a:\n  b: x=y\n");
    assert_eq!(document.meta.position().to_string(), "(data-value arg):1");
    let outer = &document.value.as_map().unwrap().items[0];
    let inner = &outer.value.as_map().unwrap().items[0];
    assert_eq!((outer.meta.position().range(), inner.meta.position().range()), (Some(0..1), Some(2..3)));
    assert_eq!(inner.meta.place().file_name(), "--data-value a.b=x=y");
    assert_eq!(inner.meta.place().range(), Some(4..7));
    assert!(
        outer.meta.annotations().has("overlay/match") && !outer.meta.annotations().has("overlay/replace")
    );
    assert!(inner.meta.annotations().has("overlay/match") && inner.meta.annotations().has("overlay/replace"));
}

#[test]
fn values_of_yaml_know_where_they_were_typed() {
    let flags = Flags { values_yaml: values(&["@lib:a=\nb: [1, x]"]), ..Flags::default() };
    let documents = flags.documents(&Inputs::default(), Scalars::Lenient).unwrap();
    let document = &documents.for_libraries[0].document;
    let item = &document.value.as_map().unwrap().items[0];
    let nested = &item.value.as_map().unwrap().items[0];
    assert_eq!(nested.meta.position().to_string(), "2");
    let array = nested.value.as_array().unwrap();
    let place = &array.items[1].meta.place();
    assert_eq!((place.file_name(), place.range()), ("--data-value-yaml @lib:a=\nb: [1, x]", Some(15..16)));
}

#[test]
fn flags_are_ordered_by_kind() {
    let inputs = Inputs {
        environment: ["S_e=x", "Y_e=1", "S_", "SX_a=1"].map(|text| text.replace("S_", "S_e2=")).into(),
        files: vec![("dv.yml", b"f: 1\n---\n---\ng: 2\n"), ("v.txt", b"\xff\n")],
        ..Inputs::default()
    };
    let flags = Flags {
        files: values(&["dv.yml"]),
        env: values(&["S"]),
        env_yaml: values(&["Y"]),
        values: values(&["v=1"]),
        values_yaml: values(&["y=1"]),
        value_files: values(&["t=v.txt"]),
    };
    let documents = flags.documents(&inputs, Scalars::Lenient).unwrap();
    let texts: Vec<String> = documents.own.iter().map(|envelope| yaml_of(&envelope.document.value)).collect();
    let expected = [
        "f: 1\n",
        "g: 2\n",
        "e2: e=x\n",
        "e2: \"\"\n",
        "e: 1\n",
        "v: \"1\"\n",
        "\"y\": 1\n",
        "t: !!binary /wo=\n",
    ];
    assert_eq!(texts, expected);
    assert_eq!(inputs.asked.get(), 1);
    let positions: Vec<String> =
        documents.own.iter().map(|envelope| envelope.document.meta.position().to_string()).collect();
    assert_eq!(
        positions,
        [
            "dv.yml:1",
            "dv.yml:3",
            "(data-values-env arg) S:1",
            "(data-values-env arg) S:1",
            "(data-values-env-yaml arg) Y:1",
            "(data-value arg):1",
            "(data-value-yaml arg):1",
            "(data-value-file arg) t=v.txt:1",
        ]
    );
}

#[test]
fn flags_that_cannot_be_used_are_refused() {
    let inputs = Inputs {
        environment: vec!["A_a=[1,".to_owned()],
        files: vec![
            ("ann.yml", b"#@ x = 1\na: 1\n"),
            ("bad.yml", b"a: ["),
            ("d/a", b"1"),
            ("d/b", b"2"),
            ("plain.yml", b"#@comment x\n#! y\n# z\na: 1\n"),
        ],
        ..Inputs::default()
    };
    let none = Flags::default;
    for (flags, expected) in [
        (
            Flags { values: values(&["a"]), ..none() },
            "Extracting data value from KV: Expected format key=value",
        ),
        (
            Flags { values: values(&["@:a=1"]), ..none() },
            "Extracting data value from KV: Expected library ref to not be empty",
        ),
        (
            Flags { values: values(&["a:b=1"]), ..none() },
            "Extracting data value from KV: Expected at most one library-key separator ':' in 'a:b'",
        ),
        (
            Flags { values_yaml: values(&["a=yes"]), ..none() },
            "Extracting data value from KV: Deserializing value for key 'a': Deserializing YAML value: yaml: \
             Strict parsing: Found 'yes' ambigious (could be !!str or !!bool)",
        ),
        (
            Flags { env_yaml: values(&["A"]), ..none() },
            "Extracting data values from env under prefix 'A': Extracting data value from env variable 'A_a': \
             Deserializing YAML value: yaml: line 1: did not find expected node content",
        ),
        (
            Flags { files: values(&["nope.yml"]), ..none() },
            "Extracting data value from file: Find files 'nope.yml': Checking file 'nope.yml': lstat nope.yml: no \
             such file or directory",
        ),
        (
            Flags { files: values(&["ann.yml"]), ..none() },
            "Extracting data value from file: Checking data values file 'ann.yml': Expected to be plain YAML, having \
             no annotations (hint: remove comments starting with `#@`)",
        ),
        (
            Flags { files: values(&["bad.yml"]), ..none() },
            "Extracting data value from file: Unmarshaling YAML data values file 'bad.yml': yaml: line 1: did not \
             find expected node content",
        ),
        (
            Flags { value_files: values(&["a=d"]), ..none() },
            "Extracting data value from file: Expected 'd' to be a file, but is a directory",
        ),
        (
            Flags { value_files: values(&["d"]), ..none() },
            "Extracting data value from file: Expected format key=/file/path",
        ),
    ] {
        assert_eq!(error(&flags, &inputs), expected);
    }
    let flags = Flags { files: values(&["plain.yml"]), ..none() };
    assert_eq!(yaml_of(&only(&flags, &inputs).value), "a: 1\n");
}

#[test]
fn errors_point_at_flags() {
    for (text, expected) in [("a", 0..1), ("a=[1,", 2..3), ("@x~:a=1", 0..7)] {
        let flags = Flags { values_yaml: values(&[text]), ..Flags::default() };
        let error = flags.documents(&Inputs::default(), Scalars::Lenient).unwrap_err();
        let place = &error.places()[0];
        assert_eq!(place.file_name(), format!("--data-value-yaml {text}"));
        assert_eq!(place.range(), Some(expected), "{text}");
    }
}

#[test]
fn annotations_say_which_documents_hold_values() {
    let mut thread = thread();
    for (text, expected) in [
        ("a: 1\n", Ok(0)),
        ("#@data/values\n---\na: 1\n---\nb: 1\n", Ok(1)),
        ("#@data/values-schema\n---\na: 1\n", Ok(0)),
        (
            "#@data/values\na: 1\n",
            Err(
                "Found @data/values on map item (v.yml:2); only documents (---) can be annotated with @data/values",
            ),
        ),
        (
            "a:\n- #@data/values\n  b: 1\n",
            Err("Found @data/values on array item (v.yml:2); only documents (---) can be annotated with \
                 @data/values"),
        ),
        (
            "#@data/values\n#@data/values\n---\na: 1\n",
            Err("data/values annotation may only be used once per document"),
        ),
    ] {
        let plain = read(&File::new("v.yml", text), &ReadOptions::default()).unwrap();
        let found = has_documents(&plain, DATA_VALUES).map_err(|error| error.to_string());
        assert_eq!(found, expected.map(|count| count > 0).map_err(str::to_owned), "{text}");
        let evaluated = extract(annotated("v.yml", text, &mut thread), DATA_VALUES);
        let count = evaluated.map(|extracted| extracted.matched.len()).map_err(|error| error.to_string());
        assert_eq!(count, expected.map_err(str::to_owned), "{text}");
    }
    let without_comments = ReadOptions { comments: CommentHandling::Ignore, ..ReadOptions::default() };
    let documents = read(&File::new("v.yml", "#@data/values\n---\n"), &without_comments).unwrap();
    assert!(!has_documents(&documents, DATA_VALUES).unwrap());
    assert!(matches!(documents.documents[0].value, Value::Null));
}

//! What a user reads: schemas, documents and the findings between them, from the files in `tests/words`.
//!
//! Each file has cases of this form; with `TRUELINE_BLESS=1` the expected part is rewritten:
//!
//! ```text
//! === name of the case
//! --- schema
//! --- document
//! --- expected
//! ```

// Tests read their cases from the disk; the crate itself never does.
#![allow(clippy::disallowed_methods)]

use std::fmt::Write as _;
use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Fix};
use trueline_schema::{Access, Formats, Instance, Store, WordingContext, diagnose};
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::{Data, MapEntry, ReadOptions, Value, read};

fn findings(schema: &str, document: &str) -> String {
    let sources = Arc::new(SourceMap::new());
    let store = Store::new(Arc::clone(&sources), Access::default());
    let schema_source = sources.add("schema.json", SourceKind::Embedded, schema);
    let schema = match store.text(schema_source, None, Formats::Assert) {
        Ok(schema) => schema,
        Err(error) => panic!("the schema is invalid: {error:?}"),
    };
    let text: Arc<str> = document.into();
    let source = sources.add("document.yaml", SourceKind::File, Arc::clone(&text));
    let stream = read(source, &text, &ReadOptions::default());
    assert!(stream.errors.is_empty(), "the document cannot be read: {text}");
    let document = stream.documents.first().unwrap();
    let instance = Instance::from(document);
    let context =
        WordingContext { sources: &sources, schema: &schema, instance, fallback: Span::whole(source) };
    let mut shown = String::new();
    for diagnostic in diagnose(&schema.validate(instance), &context) {
        show(&mut shown, &sources, &diagnostic);
    }
    shown
}

fn show(shown: &mut String, sources: &SourceMap, diagnostic: &Diagnostic) {
    let place = |span: Span| {
        let position = sources.position(span);
        let source = sources.get(span.source);
        format!("{}:{} `{}`", position.line, position.column, source.slice(span).escape_debug())
    };
    let code = diagnostic.code.id;
    writeln!(shown, "{} {code}: {}", diagnostic.severity, diagnostic.message).unwrap();
    writeln!(shown, "  at {}: {}", place(diagnostic.primary.span), diagnostic.primary.text).unwrap();
    for label in &diagnostic.related {
        writeln!(shown, "  and {}: {}", place(label.span), label.text).unwrap();
    }
    let rule = diagnostic.schema.as_ref().unwrap();
    writeln!(shown, "  rule {} of {:?} at {}", rule.keyword, diagnostic.path.as_deref().unwrap(), rule.path)
        .unwrap();
    for line in diagnostic.help.iter().flat_map(|help| help.lines()) {
        writeln!(shown, "  help: {line}").unwrap();
    }
    if let Some(fix) = &diagnostic.fix {
        writeln!(shown, "  fix: {}: {}", fix.description, fixed_line(sources, fix)).unwrap();
    }
}

/// The first changed line, after the change.
fn fixed_line(sources: &SourceMap, fix: &Fix) -> String {
    let first = fix.edits.first().unwrap().span;
    let source = sources.get(first.source);
    let mut text = source.text().to_string();
    let mut edits = fix.edits.clone();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    for edit in edits {
        text.replace_range(edit.span.range(), &edit.replacement);
    }
    let line = source.position(first.start).line as usize;
    text.lines().nth(line - 1).unwrap_or_default().trim().to_owned()
}

#[test]
fn findings_read_as_expected() {
    let bless = std::env::var_os("TRUELINE_BLESS").is_some();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/words");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut wrong = String::new();
    let mut cases = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut written = String::new();
        for case in text.split("=== ").skip(1) {
            let (name, rest) = case.split_once('\n').unwrap();
            let (schema, rest) =
                rest.strip_prefix("--- schema\n").unwrap().split_once("--- document\n").unwrap();
            let (document, expected) = rest.split_once("--- expected\n").unwrap();
            let found = findings(schema, document.strip_suffix('\n').unwrap_or(document));
            cases += 1;
            if found.trim() != expected.trim() {
                writeln!(wrong, "{}: {name}\nexpected:\n{expected}\nfound:\n{found}", file.display())
                    .unwrap();
            }
            write!(
                written,
                "=== {name}\n--- schema\n{schema}--- document\n{document}--- expected\n{found}\n"
            )
            .unwrap();
        }
        if bless {
            std::fs::write(&file, written).unwrap();
        }
    }
    assert!(cases > 0);
    assert!(bless || wrong.is_empty(), "{wrong}");
}

/// A document and its schema in memory, for tests that are not only about the wording.
fn with_context<T>(
    schema: &str,
    kind: SourceKind,
    document: &str,
    check: impl FnOnce(&[Diagnostic], &SourceMap) -> T,
) -> T {
    let sources = Arc::new(SourceMap::new());
    let store = Store::new(Arc::clone(&sources), Access::default());
    let schema_source = sources.add("schema.json", kind, schema);
    let schema = store.text(schema_source, None, Formats::Assert).unwrap();
    let text: Arc<str> = document.into();
    let source = sources.add("document.yaml", SourceKind::File, Arc::clone(&text));
    let stream = read(source, &text, &ReadOptions::default());
    let instance = Instance::from(stream.documents.first().unwrap());
    let context =
        WordingContext { sources: &sources, schema: &schema, instance, fallback: Span::whole(source) };
    check(&diagnose(&schema.validate(instance), &context), &sources)
}

#[test]
fn the_rule_is_shown_if_the_schema_is_a_file() {
    let schema = "{\"properties\": {\n \"a\": {\"type\": \"string\"},\n \"b\": {\"deprecated\": true}}}";
    with_context(schema, SourceKind::File, "a: 1\nb: 2", |found, sources| {
        let labels: Vec<_> = found.iter().flat_map(|diagnostic| &diagnostic.related).collect();
        let texts: Vec<_> =
            labels.iter().map(|label| sources.get(label.span.source).slice(label.span).to_owned()).collect();
        assert_eq!(texts, ["\"type\": \"string\"", "\"deprecated\": true"]);
    });
    with_context(schema, SourceKind::Embedded, "a: 1\nb: 2", |found, _| {
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|diagnostic| diagnostic.related.is_empty()));
    });
}

#[test]
fn values_from_flags_are_shown_there_and_not_changed() {
    let sources = Arc::new(SourceMap::new());
    let store = Store::new(Arc::clone(&sources), Access::default());
    let text = "{\"properties\": {\"tag\": {\"type\": \"string\"}}, \"required\": [\"name\"]}";
    let schema_source = sources.add("schema.json", SourceKind::Embedded, text);
    let schema = store.text(schema_source, None, Formats::Assert).unwrap();
    let flag = sources.add("--set tag=1.20", SourceKind::Flag, "tag=1.20");
    let tag = Value { data: Data::Float(1.2), origin: Some(flag.span(4, 8)) };
    let entry = MapEntry { key_origin: Some(flag.span(0, 3)), value: tag };
    let root = Value::new(Data::Map(Arc::new([(Arc::from("tag"), entry)].into_iter().collect())));
    let instance = Instance::from(&root);
    let fallback = Span::whole(flag);
    let context = WordingContext { sources: &sources, schema: &schema, instance, fallback };
    let found = diagnose(&schema.validate(instance), &context);
    let kind = found.iter().find(|diagnostic| diagnostic.code.id == "TL0201").unwrap();
    assert_eq!(kind.message, "`tag` must be a string, but it is the number 1.20");
    assert_eq!(kind.primary.span, flag.span(4, 8));
    assert_eq!(kind.fix, None);
    let missing = found.iter().find(|diagnostic| diagnostic.code.id == "TL0202").unwrap();
    assert_eq!(missing.primary.span, fallback);
}

#[test]
fn thousands_of_mistakes_are_worded_in_linear_time() {
    let schema = r#"{"properties": {"x": {"items": {"properties": {"name": {"type": "string"}, "version": {"enum": ["one", "two"]}},
        "required": ["id"], "additionalProperties": false}},
        "y_": {"additionalProperties": false, "properties": {"something": {}}}}}"#;
    let items: String = (0..5_000)
        .map(|index| format!("  - name: {index}\n    versoin{index}: 1\n    version: on{index}\n"))
        .collect();
    let names: String = (0..5_000).map(|index| format!("  somethin{index}: 1\n")).collect();
    let document = format!("x:\n{items}y_:\n{names}");
    with_context(schema, SourceKind::Embedded, &document, |found, _| {
        assert_eq!(found.len(), 4 * 5_000 + 5_000)
    });
}

#[test]
fn deep_documents_are_worded_without_recursion() {
    let schema = r##"{"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#"}}]}"##;
    let depth = 300;
    let document = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    with_context(schema, SourceKind::Embedded, &document, |found, _| {
        assert_eq!(found.len(), 1);
        assert!(found[0].message.starts_with("`…"), "{}", found[0].message);
    });
}

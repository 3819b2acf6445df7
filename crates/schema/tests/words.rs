//! What a user reads: schemas, documents and the findings between them, from the files in `tests/words`.
//!
//! Each file has cases of this form; with `TRUELINE_BLESS=1` the expected part is written anew:
//!
//! ```text
//! === name of the case
//! --- schema
//! --- document
//! --- expected
//! ```

use std::fmt::Write as _;
use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Fix};
use trueline_schema::{Access, Formats, Instance, Store, WordingContext, diagnose};
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::{ReadOptions, read};

fn findings(schema: &str, document: &str) -> String {
    let sources = Arc::new(SourceMap::new());
    let store = Store::new(Arc::clone(&sources), Access::default());
    let schema_source = sources.add("schema.json", SourceKind::Embedded, schema);
    let schema = match store.text(schema_source, None, Formats::Assert) {
        Ok(schema) => schema,
        Err(error) => panic!("the schema is wrong: {error:?}"),
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

//! Validating documents against a schema.

use std::hint::black_box;
use std::sync::Arc;

use trueline_extension::schemas::{SchemaKind, SchemaSet, bundle};
use trueline_source::{SourceId, SourceMap};
use trueline_yaml::{Document, ReadOptions};

use crate::generate;
use crate::measure::{best_of, print_throughput};

/// Compares validation of our nodes with validation of `serde_json` values, by the same schema.
pub(crate) fn run() {
    println!("# Holding 1,000 extension manifests against their schema");
    let set = SchemaSet::embedded(Arc::new(SourceMap::new()));
    let Ok(ours) = set.schema(SchemaKind::Extension) else { panic!("the embedded schema is right") };
    let bundle = bundle("extension").and_then(|text| serde_json::from_str(&text).ok()).expect("a bundle");
    let options = jsonschema::options().should_validate_formats(true);
    let theirs = options.build(&bundle).expect("the bundle is a schema");

    let texts: Vec<Arc<str>> = (0..1_000).map(|number| generate::extension(number).into()).collect();
    let documents: Vec<Document> = texts.iter().map(read).collect();
    let values: Vec<serde_json::Value> = texts.iter().map(|text| parse(text)).collect();
    for document in &documents {
        let findings = set.check(SchemaKind::Extension, document.root());
        let messages: Vec<_> = findings.iter().map(|finding| &finding.message).collect();
        assert!(messages.is_empty(), "the generated manifests are valid: {messages:?}");
    }
    assert!(values.iter().all(|value| theirs.is_valid(value)), "the generated manifests are valid");

    let bytes = texts.iter().map(|text| text.len()).sum();
    let figures = best_of(
        20,
        &mut [
            ("trueline, on its documents", &mut || {
                documents.iter().for_each(|document| assert!(black_box(ours.validate(document)).is_empty()));
            }),
            ("jsonschema, on serde_json::Value", &mut || {
                values.iter().for_each(|value| assert!(black_box(theirs.is_valid(value))));
            }),
        ],
    );
    print_throughput("documents in memory", bytes, &figures);
    let figures = best_of(
        20,
        &mut [
            ("trueline", &mut || {
                texts.iter().for_each(|text| assert!(ours.validate(&read(text)).is_empty()))
            }),
            ("serde_yaml_ng and jsonschema", &mut || {
                texts.iter().for_each(|text| assert!(theirs.is_valid(&parse(text))));
            }),
        ],
    );
    print_throughput("from their texts", bytes, &figures);
}

fn read(text: &Arc<str>) -> Document {
    let stream = trueline_yaml::read(SourceId::from_index(0), text, &ReadOptions::default());
    stream.documents.into_iter().next().expect("the generated manifests are right")
}

fn parse(text: &str) -> serde_json::Value {
    serde_yaml_ng::from_str(text).expect("the generated manifests are right")
}

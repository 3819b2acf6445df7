//! Reading YAML.

use std::hint::black_box;
use std::sync::Arc;

use serde::Deserialize as _;
use trueline_source::SourceId;
use trueline_yaml::ReadOptions;

use crate::measure::{best_of, print_throughput};
use crate::{generate, libyaml};

/// Compares readers on manifests of three sizes.
pub(crate) fn run() {
    println!("# Reading YAML");
    for (title, size, rounds) in [("1 KB", 1_000, 100), ("100 KB", 100_000, 50), ("5 MB", 5_000_000, 10)] {
        let text: Arc<str> = generate::manifests(size).into();
        let source = SourceId::from_index(0);
        let options = ReadOptions::default();
        let stream = trueline_yaml::read(source, &text, &options);
        assert!(
            stream.errors.is_empty() && !stream.documents.is_empty(),
            "the generated manifests are right"
        );
        let figures = best_of(
            rounds,
            &mut [
                ("trueline, documents with spans", &mut || {
                    black_box(trueline_yaml::read(source, &text, &options));
                }),
                ("libyaml (unsafe-libyaml), events only", &mut || {
                    black_box(libyaml::count_events(&text));
                }),
                ("serde_yaml_ng, values", &mut || {
                    for document in serde_yaml_ng::Deserializer::from_str(&text) {
                        let value = serde_yaml_ng::Value::deserialize(document);
                        black_box(value.expect("the generated manifests are right"));
                    }
                }),
            ],
        );
        print_throughput(title, text.len(), &figures);
    }
}

//! The YAML reader: no panic, every place inside the text, and documents that can be passed on.

use std::sync::Arc;

use trueline_source::{SourceId, Span};
use trueline_yaml::{Dialect, ReadOptions, Value, read, write};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "yaml_read",
    run,
    seeds: &[
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {\"x/y\": 'z'}}\ndata:\n  text: |-\n    one\n\n    two\n",
        "base: &base {a: 1, b: [x, y]}\nother:\n  <<: *base\n  b: ~\nmore: *base\n",
        "# head\n- a # end\n- - b\n  - ? complex\n    : value\n-\n...\n---\n\"q\\u00e9\\n\": >+\n  folded\n  text\n\n",
        "%YAML 1.1\n%TAG !e! tag:example.com,2000:\n--- !e!thing\n!!str 1: !!float 2\nbin: !!binary aGk=\n",
        "a: 1\na: 2\n0x1F: .inf\n1.5: on\n2001-01-01: 12:30:45\n",
        "\u{feff}a: 'it''s'\r\nb: \"line\\\r\n  two\"\r\nplain: one\r\n  two\r\n",
        "[a, [b, {c: d, ? e : f, \"g\":h}], ]",
        "a: [1\nb: 2\n---\nok: true\n",
    ],
};

fn run(input: &[u8]) {
    let text: Arc<str> = String::from_utf8_lossy(input).into();
    let inside = |span: Span| assert!(text.get(span.range()).is_some(), "a place outside the text: {span:?}");
    for dialect in [Dialect::Sigs, Dialect::GoYamlV3, Dialect::Ytt] {
        let stream = read(SourceId::from_index(0), &text, &ReadOptions { dialect, ..ReadOptions::default() });
        for document in &stream.documents {
            document.nodes().for_each(|node| inside(node.span()));
            document.comments().iter().for_each(|comment| inside(comment.span));
            write(&Value::from_node(document.root()), dialect);
        }
        stream.comments.iter().for_each(|comment| inside(comment.span));
        for error in &stream.errors {
            inside(error.span);
            error.context.into_iter().for_each(inside);
        }
    }
}

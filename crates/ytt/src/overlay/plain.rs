//! Plain merging: what `--data-values-file` and `with_data_values(…, plain=True)` do. Maps are merged, everything else is
//! replaced, and new keys are allowed.

use std::rc::Rc;

use trueline_starlark as starlark;

use super::annotations::{MATCH, REPLACE};
use crate::tree::{Annotation, Annotations, Document, Map, Meta, Value};

/// Annotates a document of plain YAML, so that overlaying it is a plain merge. The caller has made sure that it has no
/// annotations of its own.
pub fn annotate_for_plain_merge(document: &mut Document) {
    let kinds = Kinds::new();
    annotate(&mut document.meta, &mut document.value, &kinds);
}

/// The annotations that nodes get.
struct Kinds {
    merged: Annotations,
    replaced: Annotations,
}

impl Kinds {
    fn new() -> Kinds {
        let is_true = |name: &str| Annotation {
            kwargs: vec![(Rc::from(name), starlark::Value::bool(true))],
            ..Annotation::default()
        };
        let mut merged = Annotations::new();
        merged.set(MATCH.into(), is_true("missing_ok"));
        let mut replaced = merged.clone();
        replaced.set(REPLACE.into(), is_true("or_add"));
        Kinds { merged, replaced }
    }
}

fn annotate(meta: &mut Meta, value: &mut Value, kinds: &Kinds) {
    let annotations = match value {
        Value::Map(map) => {
            annotate_map(Rc::make_mut(map), kinds);
            &kinds.merged
        }
        _ => &kinds.replaced,
    };
    *meta.annotations_mut() = annotations.clone();
}

fn annotate_map(map: &mut Map, kinds: &Kinds) {
    for item in &mut map.items {
        annotate(&mut item.meta, &mut item.value, kinds);
    }
}

//! Values as Go's `%#v` prints them: go-yaml and sigs do so in their errors.

use trueline_gostd::quote::{Keep, write_quoted};

use std::fmt::Write;

use crate::{NodeKind, NodeRef, ScalarValue};

/// How many nodes are printed at most; a longer message helps nobody.
const LONGEST: usize = 100_000;

/// A node as the value of an `interface {}`; nil is `<nil>` at the top.
pub(crate) fn value(node: NodeRef<'_>) -> String {
    if node.is_null() {
        return "<nil>".to_owned();
    }
    let mut text = String::new();
    write_value(&mut text, node, &mut LONGEST.clone());
    text
}

/// A key alone, in `%#v`.
pub(crate) fn key(node: NodeRef<'_>) -> String {
    value(node)
}

fn write_value(text: &mut String, node: NodeRef<'_>, left: &mut usize) {
    if *left == 0 {
        text.push_str("...");
        return;
    }
    *left -= 1;
    match node.kind() {
        NodeKind::Scalar { value, .. } => write_scalar(text, value, node.text().unwrap_or_default()),
        NodeKind::Sequence { .. } => {
            text.push_str("[]interface {}{");
            for (index, item) in node.items().into_iter().flatten().enumerate() {
                separate(text, index);
                write_value(text, item, left);
            }
            text.push('}');
        }
        NodeKind::Mapping { .. } | NodeKind::Alias(_) => {
            text.push_str("map[interface {}]interface {}{");
            let mut entries: Vec<_> = node.entries().into_iter().flatten().collect();
            entries.sort_by(|left, right| order(left.0, right.0));
            for (index, (key, value)) in entries.into_iter().enumerate() {
                separate(text, index);
                write_value(text, key, left);
                text.push(':');
                write_value(text, value, left);
            }
            text.push('}');
        }
    }
}

fn separate(text: &mut String, index: usize) {
    if index > 0 {
        text.push_str(", ");
    }
}

fn write_scalar(text: &mut String, value: ScalarValue, content: &str) {
    // Writing to a string cannot fail.
    let _ = match value {
        ScalarValue::Null => write!(text, "interface {{}}(nil)"),
        ScalarValue::Bool(value) => write!(text, "{value}"),
        ScalarValue::Int(value) => write!(text, "{value}"),
        ScalarValue::UInt(value) => write!(text, "0x{value:x}"),
        ScalarValue::Float(value) => write!(text, "{}", crate::number::general(value)),
        ScalarValue::String => {
            quote(text, content);
            Ok(())
        }
    };
}

/// The order in which Go prints the keys of a map: by type, then by value.
fn order(left: NodeRef<'_>, right: NodeRef<'_>) -> std::cmp::Ordering {
    let rank = |node: NodeRef<'_>| match node.scalar() {
        Some(ScalarValue::Null) => 0,
        Some(ScalarValue::Bool(_)) => 1,
        Some(ScalarValue::Int(_)) => 2,
        Some(ScalarValue::UInt(_)) => 3,
        Some(ScalarValue::Float(_)) => 4,
        Some(ScalarValue::String) | None => 5,
    };
    match (left.scalar(), right.scalar()) {
        (Some(ScalarValue::Bool(left)), Some(ScalarValue::Bool(right))) => left.cmp(&right),
        (Some(ScalarValue::Int(left)), Some(ScalarValue::Int(right))) => left.cmp(&right),
        (Some(ScalarValue::UInt(left)), Some(ScalarValue::UInt(right))) => left.cmp(&right),
        (Some(ScalarValue::Float(left)), Some(ScalarValue::Float(right))) => left.total_cmp(&right),
        (Some(ScalarValue::String), Some(ScalarValue::String)) => left.text().cmp(&right.text()),
        _ => rank(left).cmp(&rank(right)),
    }
}

/// Appends a string in Go's double quotes; printable characters stay as they are.
pub fn quote(text: &mut String, content: &str) {
    write_quoted(text, content.as_bytes(), Keep::Printable);
}

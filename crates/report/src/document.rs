//! JSON documents with one long list, which is written item by item: there may be very many findings, and
//! building a JSON value for each of them at once would take several times the memory of the findings.

use std::io::{self, Write};

use serde_json::Value;

use crate::text;

/// The placeholder for the list in the surrounding document. Nothing after the list comes from input.
pub(crate) const LIST: &str = "\u{1}the list\u{1}";

/// Writes a document, with its list of items in place of [`LIST`], indented by this many spaces.
pub(crate) fn write(
    around: &Value,
    items: impl Iterator<Item = Value>,
    indent: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let around = text::json(around, 0);
    let mark = text::json(&Value::from(LIST), 0);
    let (before, after) = around.rsplit_once(&mark).unwrap_or((&around, ""));
    out.write_all(before.as_bytes())?;
    let mut is_first = true;
    for item in items {
        out.write_all(if is_first { b"[\n" } else { b",\n" })?;
        is_first = false;
        write!(out, "{:width$}{}", "", text::json(&item, indent + 2), width = indent + 2)?;
    }
    match is_first {
        true => out.write_all(b"[]")?,
        false => write!(out, "\n{:indent$}]", "")?,
    }
    out.write_all(after.as_bytes())?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_is_laid_out_as_if_written_at_once() {
        for items in [vec![], vec![json!({"a": ["x\u{1}the list\u{1}"]})], vec![json!(1), json!([])]] {
            let around = |list: Value| json!({"said": LIST, "runs": [{"results": list, "end": 1}]});
            let mut written = Vec::new();
            write(&around(json!(LIST)), items.clone().into_iter(), 6, &mut written).unwrap();
            let whole = text::json(&around(Value::Array(items)), 0);
            assert_eq!(String::from_utf8(written).unwrap(), format!("{whole}\n"));
        }
    }
}

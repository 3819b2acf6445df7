//! An annotation that Helm does not look for in the items of a list.

use std::sync::Arc;

use trueline_source::SourceId;
use trueline_yaml::{Document, NodeRef};

use super::objects::Object;
use crate::chart::Compat;
use crate::chart::decode::Decoder;
use crate::go_yaml;

/// The error about a list with an item that is to be kept, or with items that are none. Helm looks at the first
/// document of the file.
pub(super) fn error(object: &Object, text: &str, compat: Compat) -> Option<String> {
    if object.kind != "List" {
        return None;
    }
    let document = go_yaml::first(SourceId::from_index(0), &Arc::from(text), None).ok()??;
    match is_kept(&document) {
        Ok(false) => None,
        Ok(true) => {
            let word = match compat {
                Compat::Helm4 => "annotation",
                Compat::Helm3 => "Annotation",
            };
            Some(format!("{word} 'helm.sh/resource-policy' within List objects are ignored"))
        }
        Err(wrong) => Some(format!("unable to parse YAML: {wrong}")),
    }
}

/// Whether an item has the annotation; the error is Go's text for the first thing that does not fit its type.
fn is_kept(document: &Document) -> Result<bool, String> {
    const METADATA: &str = "struct { Annotations map[string]string }";
    const ANNOTATIONS: &str = "map[string]string";
    let item_type = format!("struct {{ Metadata {METADATA} }}");
    let mut is_kept = false;
    let Some(items) = field(document.root(), "items") else { return Ok(false) };
    let items = items.items().ok_or_else(|| mismatch(items, ".Items", &format!("[]{item_type}")))?;
    for item in items.filter(|item| !item.is_null()) {
        if item.entries().is_none() {
            return Err(mismatch(item, ".Items", &item_type));
        }
        let Some(metadata) = field(item, "metadata") else { continue };
        if metadata.entries().is_none() {
            return Err(mismatch(metadata, ".Items.Metadata", METADATA));
        }
        let Some(annotations) = field(metadata, "annotations") else { continue };
        let place = ".Items.Metadata.Annotations";
        let entries = annotations.entries().ok_or_else(|| mismatch(annotations, place, ANNOTATIONS))?;
        for (key, value) in entries {
            if value.scalar().is_none() {
                return Err(mismatch(value, place, "string"));
            }
            is_kept |= key.key_text() == "helm.sh/resource-policy";
        }
    }
    Ok(is_kept)
}

/// A field that says something.
fn field<'d>(node: NodeRef<'d>, name: &str) -> Option<NodeRef<'d>> {
    node.get(name).filter(|value| !value.is_null())
}

fn mismatch(node: NodeRef<'_>, place: &str, go_type: &str) -> String {
    let text = Decoder::text_of_mismatch(node, go_type);
    text.replacen("Go value of type", &format!("Go struct field {place} of type"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_looked_at_as_go_does() {
        let list = Object { kind: "List".to_owned(), ..Object::default() };
        let of = |items: &str| error(&list, &format!("kind: List\nitems: {items}\n"), Compat::Helm4);
        let kept = "annotation 'helm.sh/resource-policy' within List objects are ignored";
        let cannot =
            "unable to parse YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";
        let item = "struct { Metadata struct { Annotations map[string]string } }";
        for (items, expected) in [
            ("[]", None),
            ("null", None),
            ("[null, {metadata: {annotations: {other: 1}}}]", None),
            ("[{metadata: {annotations: {helm.sh/resource-policy: null}}}]", Some(kept.to_owned())),
            ("x", Some(format!("{cannot} string into Go struct field .Items of type []{item}"))),
            ("[x]", Some(format!("{cannot} string into Go struct field .Items of type {item}"))),
            (
                "[{metadata: {annotations: [a]}}]",
                Some(format!(
                    "{cannot} array into Go struct field .Items.Metadata.Annotations of type map[string]string"
                )),
            ),
        ] {
            assert_eq!(of(items), expected, "{items}");
        }
    }
}

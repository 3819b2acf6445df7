//! An annotation that Helm does not look for in the items of a list.

use std::sync::Arc;

use trueline_source::SourceId;

use super::objects::Object;
use crate::chart::Compat;
use crate::go_yaml;

/// The error about a list with an item that is to be kept. Helm looks at the first document of the file.
pub(super) fn error(object: &Object, text: &str, compat: Compat) -> Option<String> {
    if object.kind != "List" {
        return None;
    }
    let document = go_yaml::first(SourceId::from_index(0), &Arc::from(text), None).ok()??;
    let mut items = document.root().get("items")?.items()?;
    let is_kept = items.any(|item| {
        let annotations = item.get("metadata").and_then(|metadata| metadata.get("annotations"));
        annotations.is_some_and(|annotations| annotations.get("helm.sh/resource-policy").is_some())
    });
    let word = match compat {
        Compat::Helm4 => "annotation",
        Compat::Helm3 => "Annotation",
    };
    is_kept.then(|| format!("{word} 'helm.sh/resource-policy' within List objects are ignored"))
}

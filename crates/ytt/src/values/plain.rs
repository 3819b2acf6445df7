//! Documents of plain YAML that are merged into data values.

use crate::error::Error;
use crate::overlay::annotate_for_plain_merge;
use crate::tree::{Comment, Document, Meta, Value};

/// Makes a document one that is merged plainly: maps are merged, everything else is replaced, new keys are allowed.
///
/// # Errors
/// If there is templating in it.
pub fn as_plain_merge(document: &mut Document) -> Result<(), Error> {
    if let Some(comment) = templating(document) {
        let text =
            "Expected to be plain YAML, having no annotations (hint: remove comments starting with `#@`)";
        return Err(Error::other(text).at(comment.position.clone()));
    }
    annotate_for_plain_merge(document);
    Ok(())
}

/// The first comment that is code or an annotation.
fn templating(document: &Document) -> Option<&Comment> {
    let mut open = vec![(&document.meta, &document.value)];
    while let Some((meta, value)) = open.pop() {
        if let Some(comment) = templating_of(meta) {
            return Some(comment);
        }
        match value {
            Value::Map(map) => {
                if let Some(comment) = templating_of(&map.meta) {
                    return Some(comment);
                }
                open.extend(map.items.iter().rev().map(|item| (&item.meta, &item.value)));
            }
            Value::Array(array) => {
                if let Some(comment) = templating_of(&array.meta) {
                    return Some(comment);
                }
                open.extend(array.items.iter().rev().map(|item| (&item.meta, &item.value)));
            }
            _ => {}
        }
    }
    None
}

fn templating_of(meta: &Meta) -> Option<&Comment> {
    let is_templating = |comment: &&Comment| {
        let name = comment.text.strip_prefix('@').and_then(|text| text.split(' ').next());
        name.is_some_and(|name| name != "comment")
    };
    meta.comments().iter().find(is_templating)
}

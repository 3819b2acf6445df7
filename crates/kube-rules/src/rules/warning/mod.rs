//! What the server takes and warns of: deprecated fields, annotations and labels, and settings that do nothing or
//! something else than they seem to. The words are the server's.

pub(super) mod address;
pub(super) mod kinds;
pub(super) mod labels;
pub(super) mod pod;
pub(super) mod ports;
pub(super) mod service;
pub(super) mod volume;

use trueline_kube_facts::{ServerRule, rules};

use super::Context;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A field is deprecated.
    DEPRECATED: Invalid in trueline_kube_facts::codes::DEPRECATED_FIELD, "field/deprecated", "{}";
}

/// An annotation that is deprecated, with the first version that says so, and the server's words.
type Annotation = (&'static str, u16, &'static str);

/// Warns of annotations.
fn annotations(
    metadata: &FieldPlace<'_, '_>,
    table: &[Annotation],
    context: &Context<'_>,
    report: &mut Report,
) {
    let annotations = metadata.child("annotations");
    for (key, since, words) in table {
        if context.version.minor >= *since
            && let Some(place) = annotations.on_key(key)
        {
            report.deprecated(&place, DEPRECATED.with(words), None);
        }
    }
}
/// The rules of all files that are declared with `rules!`.
pub static NAMED_LISTS: &[&[&ServerRule]] = &[
    address::NAMED,
    kinds::NAMED,
    labels::NAMED,
    NAMED,
    pod::NAMED,
    ports::NAMED,
    service::NAMED,
    volume::NAMED,
];

//! The names of a resource.

use trueline_kube_facts::names::dns_1035_label;
use trueline_kube_facts::{FieldError, Trail, joined, rules};

use crate::definition::Names;

rules! {
    /// A name of the resource is not a label of DNS.
    RESOURCE_NAME: Invalid in crate::codes::NAMES, "crd/resource-name", "{}";
    /// A name of the kind is not a label of DNS.
    KIND_NAME: Invalid in crate::codes::NAMES, "crd/kind-name",
        "may have mixed case, but should otherwise match: {}";
    /// `listKind` is the same as `kind`.
    LIST_KIND: Invalid in crate::codes::NAMES, "crd/list-kind", "kind and listKind may not be the same";
    /// A short name or a category is not a label of DNS.
    SHORT_NAME: Invalid in crate::codes::NAMES, "crd/short-name", "{}";
}

pub(super) fn validate(names: &Names, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    for (field, name) in [("plural", &names.plural), ("singular", &names.singular)] {
        let problems = dns_1035_label(name);
        if !name.is_empty() && !problems.is_empty() {
            errors.push(path.child(field).refuse_text(name, RESOURCE_NAME.with(joined(&problems, ","))));
        }
    }
    for (field, name) in [("kind", &names.kind), ("listKind", &names.list_kind)] {
        let problems = dns_1035_label(&name.to_lowercase());
        if !name.is_empty() && !problems.is_empty() {
            errors.push(path.child(field).refuse_text(name, KIND_NAME.with(joined(&problems, ","))));
        }
    }
    if !names.kind.is_empty() && names.kind == names.list_kind {
        errors.push(path.child("listKind").refuse_text(&names.list_kind, &LIST_KIND));
    }
    for (field, list) in [("shortNames", &names.short_names), ("categories", &names.categories)] {
        let path = path.child(field);
        for (index, name) in list.iter().enumerate() {
            let problems = dns_1035_label(name);
            if !problems.is_empty() {
                errors.push(path.index(index).refuse_text(name, SHORT_NAME.with(joined(&problems, ","))));
            }
        }
    }
}

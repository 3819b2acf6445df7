//! The names of a resource.

use super::super::Names;
use crate::field_error::FieldError;
use crate::field_path::FieldPath;
use crate::names::dns_1035_label;

pub(super) fn validate(names: &Names, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    for (field, name) in [("plural", &names.plural), ("singular", &names.singular)] {
        let problems = dns_1035_label(name);
        if !name.is_empty() && !problems.is_empty() {
            errors.push(path.child(field).invalid(name, problems.join(",")));
        }
    }
    for (field, name) in [("kind", &names.kind), ("listKind", &names.list_kind)] {
        let problems = dns_1035_label(&name.to_lowercase());
        if !name.is_empty() && !problems.is_empty() {
            let detail = format!("may have mixed case, but should otherwise match: {}", problems.join(","));
            errors.push(path.child(field).invalid(name, detail));
        }
    }
    if !names.kind.is_empty() && names.kind == names.list_kind {
        let detail = "kind and listKind may not be the same";
        errors.push(path.child("listKind").invalid(&names.list_kind, detail));
    }
    for (field, list) in [("shortNames", &names.short_names), ("categories", &names.categories)] {
        let path = path.child(field);
        for (index, name) in list.iter().enumerate() {
            let problems = dns_1035_label(name);
            if !problems.is_empty() {
                errors.push(path.index(index).invalid(name, problems.join(",")));
            }
        }
    }
}

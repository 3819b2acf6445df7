//! One version: its deprecation, and what is in it and not at the top.

use trueline_gostd::unicode::is_print;
use trueline_kube_facts::{FieldError, Trail, rules};

use super::options::Options;
use super::{columns, schema, selectable, subresources};
use crate::definition::{Crd, Version};

rules! {
    /// A warning is set for a version that is not deprecated.
    WARNING_NOT_DEPRECATED: Invalid in crate::codes::VERSIONS, "crd/warning-not-deprecated",
        "can only be set for deprecated versions";
    /// The warning of a deprecated version is too long.
    LONG_WARNING: Invalid in crate::codes::VERSIONS, "crd/long-warning", "must be <= 256 characters long";
    /// The warning of a deprecated version is empty.
    EMPTY_WARNING: Invalid in crate::codes::VERSIONS, "crd/empty-warning", "must not be an empty string";
    /// The warning of a deprecated version holds something that cannot be printed.
    WARNING_CHARACTERS: Invalid in crate::codes::VERSIONS, "crd/warning-characters",
        "must only contain printable UTF-8 characters; non-printable character found at index {}";
}

pub(super) fn validate(
    crd: &Crd,
    version: &Version,
    options: &Options,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) {
    deprecation(version, &path.child("deprecationWarning"), errors);
    if let Some(validation) = &version.validation {
        let has_status = crd.subresources(version).is_some_and(|subresources| subresources.status);
        let single = options.single_cost(&version.name);
        schema::validate(validation, has_status, options, single, &path.child("schema"), errors);
    }
    if let Some(own) = &version.subresources {
        subresources::validate(own, &path.child("subresources"), errors);
    }
    let columns = path.child("additionalPrinterColumns");
    for (index, column) in version.printer_columns.iter().enumerate() {
        columns::validate(column, &columns.index(index), errors);
    }
    selectable::validate_own(version, options, path, errors);
}

fn deprecation(version: &Version, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let Some(warning) = &version.deprecation_warning else { return };
    if !version.deprecated {
        errors.push(path.refuse_text(warning, &WARNING_NOT_DEPRECATED));
        return;
    }
    if warning.len() > 256 {
        errors.push(path.refuse_text(warning, &LONG_WARNING));
    }
    if warning.is_empty() {
        errors.push(path.refuse_text(warning, &EMPTY_WARNING));
    }
    if let Some((at, _)) = warning.char_indices().find(|(_, character)| !is_print(*character)) {
        errors.push(path.refuse_text(warning, WARNING_CHARACTERS.with(at)));
    }
}

//! `spec` as a whole: group, scope, versions together, and what stands at the top or in each version.

use rustc_hash::FxHashSet;

use super::super::{Crd, Spec, Validation, Version};
use super::options::Options;
use super::{columns, conversion, names, schema, selectable, subresources, version};
use crate::field_error::{FieldError, Reason};
use crate::field_path::FieldPath;
use crate::names::{dns_1035_label, dns_1123_subdomain};
use crate::object_meta::IMMUTABLE;
use crate::props::Props;

pub(super) fn validate(crd: &Crd, options: &Options, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let spec = &crd.spec;
    group(&spec.group, &path.child("group"), errors);
    one_of(&spec.scope, &["Cluster", "Namespaced"], &path.child("scope"), errors);
    let options = &with_structural_schemas(crd, options, path, errors);
    missing_schemas(crd, options, path, errors);
    let versions = path.child("versions");
    for (index, version) in spec.versions.iter().enumerate() {
        let path = versions.index(index);
        let problems = dns_1035_label(&version.name);
        if !problems.is_empty() {
            errors.push(path.child("name").invalid(&version.name, problems.join(",")));
        }
        version::validate(crd, version, options, &path, errors);
    }
    mutually_exclusive(spec, path, errors);
    versions_together(spec, path, errors);
    required_names(spec, &path.child("names"), errors);
    names::validate(&spec.names, &path.child("names"), errors);
    if let Some(validation) = &spec.validation {
        let path = FieldPath::root("spec.validation", validation.written.0.as_ref());
        let single = options.single_cost(&spec.version);
        schema::validate(validation, has_any_status(spec), options, single, &path, errors);
    }
    if let Some(shared) = &spec.subresources {
        let path = FieldPath::root("spec.subresources", shared.written.0.as_ref());
        subresources::validate(shared, &path, errors);
    }
    for (index, column) in spec.printer_columns.iter().enumerate() {
        let text = format!("spec.additionalPrinterColumns[{index}]");
        columns::validate(column, &FieldPath::root(&text, column.written.0.as_ref()), errors);
    }
    selectable::validate_shared(spec, options, errors);
    conversion::validate(crd, options, path, errors);
}

/// What must not change: what objects are stored under, and what the resource is called.
pub(super) fn immutable(
    crd: &Crd,
    old: &Crd,
    options: &Options,
    path: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    let (new, old) = (&crd.spec, &old.spec);
    let mut same = vec![("group", &new.group, &old.group), ("plural", &new.names.plural, &old.names.plural)];
    if options.immutable_names {
        same.extend([("scope", &new.scope, &old.scope), ("kind", &new.names.kind, &old.names.kind)]);
    }
    let names = path.child("names");
    for (field, new, _) in same.into_iter().filter(|(_, new, old)| new != old) {
        let path = if matches!(field, "plural" | "kind") { names.child(field) } else { path.child(field) };
        errors.push(path.invalid(new, IMMUTABLE));
    }
}

/// One of the words listed, and not nothing.
pub(super) fn one_of(text: &str, words: &[&str], path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    if text.is_empty() {
        errors.push(path.required(""));
    } else if !words.contains(&text) {
        errors.push(path.not_supported(text, words));
    }
}

fn group(group: &str, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let problems = dns_1123_subdomain(group);
    if group.is_empty() {
        errors.push(path.required(""));
    } else if !problems.is_empty() {
        errors.push(path.invalid(group, problems.join(",")));
    } else if !group.contains('.') {
        errors.push(path.invalid(group, "should be a domain with at least one dot"));
    }
}

/// Pruning, defaults and the extensions need structural schemas, whatever was there before.
fn with_structural_schemas(
    crd: &Crd,
    options: &Options,
    path: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) -> Options {
    let has = |asked: fn(&Props) -> bool| crd.schemas().any(|schema| schema.any(asked));
    let has_defaults = has(|schema| schema.default.is_some());
    if has_defaults && crd.spec.preserve_unknown_fields != Some(false) {
        let detail = "must be false in order to use defaults in the schema";
        errors.push(path.child("preserveUnknownFields").invalid_value("true", detail));
    }
    let is_pruning = crd.spec.preserve_unknown_fields != Some(true);
    let structural = options.structural || is_pruning || has_defaults || has(has_extensions);
    Options { structural, ..options.clone() }
}

/// The type of a map is the one extension that does not count.
fn has_extensions(schema: &Props) -> bool {
    schema.embedded_resource
        || schema.preserve_unknown_fields.is_some()
        || schema.int_or_string
        || !schema.list_map_keys.is_empty()
        || schema.list_type.is_some()
        || !schema.validations.is_empty()
}

fn missing_schemas(crd: &Crd, options: &Options, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let has = |validation: &Option<Validation>| {
        validation.as_ref().is_some_and(|validation| validation.schema.is_some())
    };
    if has(&crd.spec.validation) {
        return;
    }
    let is_pruning = crd.spec.preserve_unknown_fields != Some(true);
    let versions = path.child("versions");
    for (index, version) in crd.spec.versions.iter().enumerate() {
        let detail = if options.schema_required {
            ""
        } else if is_pruning && version.served {
            "because otherwise all fields are pruned"
        } else {
            continue;
        };
        if !has(&version.validation) {
            errors.push(versions.index(index).child("schema").child("openAPIV3Schema").required(detail));
        }
    }
}

/// What stands at the top must not stand in a version too, and what is the same in all versions stands at the top.
fn mutually_exclusive(spec: &Spec, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    type Same = fn(&Version, &Version) -> bool;
    type Row = (&'static str, &'static str, &'static str, bool, fn(&Version) -> bool, Same);
    let rows: [Row; 3] = [
        (
            "schemas",
            "validation",
            "validation",
            spec.validation.is_some(),
            |version| version.validation.is_some(),
            |left, right| left.validation == right.validation,
        ),
        (
            "subresources",
            "subresources",
            "subresources",
            spec.subresources.is_some(),
            |version| version.subresources.is_some(),
            |left, right| left.subresources == right.subresources,
        ),
        (
            "additionalPrinterColumns",
            "additionalPrinterColumns",
            "additionalPrinterColumns",
            !spec.printer_columns.is_empty(),
            |version| !version.printer_columns.is_empty(),
            |left, right| left.printer_columns == right.printer_columns,
        ),
    ];
    for (what, field, top, at_top, has, same) in rows {
        if at_top && spec.versions.iter().any(has) {
            let detail = format!("top-level and per-version {what} are mutually exclusive");
            errors.push(path.child(field).forbidden(detail));
        }
        let Some(first) = spec.versions.first() else { continue };
        if spec.versions.iter().all(|version| has(version) && same(version, first)) {
            let detail = format!(
                "per-version {what} may not all be set to identical values (top-level {top} should be used instead)"
            );
            errors.push(path.child("versions").error(Reason::Invalid, detail));
        }
    }
}

fn versions_together(spec: &Spec, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let versions = path.child("versions");
    let mut taken = FxHashSet::default();
    if let Some(index) = spec.versions.iter().position(|version| !taken.insert(&*version.name)) {
        let mut error = versions.error(Reason::Invalid, "must contain unique version names");
        error.place = versions.index(index).child("name").place(Reason::Invalid);
        errors.push(error);
    }
    if spec.versions.iter().filter(|version| version.storage).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        let mut error = versions.error(Reason::Invalid, detail);
        // The list as a whole is long; its key says enough.
        error.place = versions.place(Reason::Forbidden);
        errors.push(error);
    }
    if !spec.version.is_empty() {
        let problems = dns_1035_label(&spec.version);
        let version = FieldPath::root("spec.version", None);
        let place = path.child("version").place(Reason::Invalid);
        if !problems.is_empty() {
            errors.push(FieldError { place, ..version.invalid(&spec.version, problems.join(",")) });
        }
        if spec.versions.first().is_some_and(|first| first.name != spec.version) {
            let detail = "must match the first version in spec.versions";
            errors.push(FieldError { place, ..version.invalid(&spec.version, detail) });
        }
    }
}

/// Some names are demanded of `spec`, but not of `status`.
fn required_names(spec: &Spec, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let names = &spec.names;
    let required = [
        ("plural", &names.plural),
        ("singular", &names.singular),
        ("kind", &names.kind),
        ("listKind", &names.list_kind),
    ];
    for (field, _) in required.into_iter().filter(|(_, name)| name.is_empty()) {
        errors.push(path.child(field).required(""));
    }
}

fn has_any_status(spec: &Spec) -> bool {
    let shared = spec.subresources.as_ref();
    let own = spec.versions.iter().filter_map(|version| version.subresources.as_ref());
    shared.into_iter().chain(own).any(|subresources| subresources.status)
}

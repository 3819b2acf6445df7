//! `spec` as a whole: group, scope, versions together, and what is at the top or in each version.

use rustc_hash::FxHashSet;
use trueline_kube_facts::names::{dns_1035_label, dns_1123_subdomain};
use trueline_kube_facts::{FieldError, FieldPath, Reason, Trail, joined, rules};

use super::options::Options;
use super::{columns, conversion, names, schema, selectable, subresources, version};
use crate::definition::{Crd, Spec, Validation, Version};
use crate::props::Props;

rules! {
    /// The name of a version is not a label of DNS.
    VERSION_NAME: Invalid in crate::codes::VERSIONS, "crd/version-name", "{}";
    /// The group is not a subdomain of DNS.
    GROUP_NAME: Invalid in crate::codes::NAMES, "crd/group-name", "{}";
    /// The group has no dot.
    GROUP_WITHOUT_DOT: Invalid in crate::codes::NAMES, "crd/group-without-dot",
        "should be a domain with at least one dot";
    /// Defaults need `preserveUnknownFields: false`.
    PRESERVE_UNKNOWN_FIELDS_DEFAULT: Invalid in crate::codes::CONVERSION, "crd/preserve-unknown-fields-default",
        "must be false in order to use defaults in the schema";
    /// A version has no schema.
    NO_SCHEMA: Required in crate::codes::VERSIONS, "crd/no-schema", "{}";
    /// Something is set both for all versions and for one.
    SHARED_AND_OWN: Forbidden in crate::codes::VERSIONS, "crd/shared-and-own",
        "top-level and per-version {} are mutually exclusive";
    /// All versions set the same thing, which then belongs to the top.
    IDENTICAL: Invalid in crate::codes::VERSIONS, "crd/identical-in-all-versions",
        "per-version {} may not all be set to identical values (top-level {} should be used instead)";
    /// Two versions have the same name.
    DUPLICATE_VERSION: Invalid in crate::codes::VERSIONS, "crd/duplicate-version",
        "must contain unique version names";
    /// There is not exactly one storage version.
    STORAGE_VERSIONS: Invalid in crate::codes::VERSIONS, "crd/storage-versions",
        "must have exactly one version marked as storage version";
    /// The name of the first version is not a label of DNS.
    FIRST_VERSION_NAME: Invalid in crate::codes::VERSIONS, "crd/first-version-name", "{}";
    /// `spec.version` is not the first of the versions.
    FIRST_VERSION: Invalid in crate::codes::VERSIONS, "crd/first-version",
        "must match the first version in spec.versions";
}

pub(super) fn validate(crd: &Crd, options: &Options, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
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
            errors.push(
                path.child("name").refuse_text(&version.name, VERSION_NAME.with(joined(&problems, ","))),
            );
        }
        version::validate(crd, version, options, &path, errors);
    }
    mutually_exclusive(spec, path, errors);
    versions_together(spec, path, errors);
    required_names(spec, &path.child("names"), errors);
    names::validate(&spec.names, &path.child("names"), errors);
    if let Some(validation) = &spec.validation {
        let path = Trail::root("spec.validation", validation.written.0.as_ref());
        let single = options.single_cost(&spec.version);
        schema::validate(validation, has_any_status(spec), options, single, &path, errors);
    }
    if let Some(shared) = &spec.subresources {
        let path = Trail::root("spec.subresources", shared.written.0.as_ref());
        subresources::validate(shared, &path, errors);
    }
    for (index, column) in spec.printer_columns.iter().enumerate() {
        let path = FieldPath::of("spec.additionalPrinterColumns").index(index);
        columns::validate(column, &Trail::at(&path, column.written.0.as_ref()), errors);
    }
    selectable::validate_shared(spec, options, errors);
    conversion::validate(crd, options, path, errors);
}

/// What must not change: what objects are stored under, and what the resource is called.
pub(super) fn immutable(
    crd: &Crd,
    old: &Crd,
    options: &Options,
    path: &Trail<'_>,
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
        errors.push(path.refuse_text(new, &trueline_kube_facts::common::IMMUTABLE));
    }
}

/// One of the words listed, and not nothing.
pub(super) fn one_of(text: &str, words: &[&'static str], path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    if text.is_empty() {
        errors.push(path.missing());
    } else if !words.contains(&text) {
        errors.push(path.not_supported(text, words));
    }
}

fn group(group: &str, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let problems = dns_1123_subdomain(group);
    if group.is_empty() {
        errors.push(path.missing());
    } else if !problems.is_empty() {
        errors.push(path.refuse_text(group, GROUP_NAME.with(joined(&problems, ","))));
    } else if !group.contains('.') {
        errors.push(path.refuse_text(group, &GROUP_WITHOUT_DOT));
    }
}

/// Pruning, defaults and the extensions need structural schemas, whatever was there before.
fn with_structural_schemas(
    crd: &Crd,
    options: &Options,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) -> Options {
    let has = |asked: fn(&Props) -> bool| crd.schemas().any(|schema| schema.any(asked));
    let has_defaults = has(|schema| schema.default.is_some());
    if has_defaults && crd.spec.preserve_unknown_fields != Some(false) {
        errors
            .push(path.child("preserveUnknownFields").refuse_value("true", &PRESERVE_UNKNOWN_FIELDS_DEFAULT));
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

fn missing_schemas(crd: &Crd, options: &Options, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
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
            errors.push(
                versions.index(index).child("schema").child("openAPIV3Schema").refuse(NO_SCHEMA.with(detail)),
            );
        }
    }
}

/// What is at the top must not be in a version too, and what is the same in all versions is at the top.
fn mutually_exclusive(spec: &Spec, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
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
            errors.push(path.child(field).refuse(SHARED_AND_OWN.with(what)));
        }
        let Some(first) = spec.versions.first() else { continue };
        if spec.versions.iter().all(|version| has(version) && same(version, first)) {
            errors.push(path.child("versions").refuse(IDENTICAL.with(what).and(top)));
        }
    }
}

fn versions_together(spec: &Spec, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let versions = path.child("versions");
    let mut taken = FxHashSet::default();
    if let Some(index) = spec.versions.iter().position(|version| !taken.insert(&*version.name)) {
        let mut error = versions.refuse(&DUPLICATE_VERSION);
        error.place = versions.index(index).child("name").place(Reason::Invalid);
        errors.push(error);
    }
    if spec.versions.iter().filter(|version| version.storage).count() != 1 {
        let mut error = versions.refuse(&STORAGE_VERSIONS);
        // The list as a whole is long; its key says enough.
        error.place = versions.place(Reason::Forbidden);
        errors.push(error);
    }
    if !spec.version.is_empty() {
        let problems = dns_1035_label(&spec.version);
        let version = Trail::root("spec.version", None);
        let place = path.child("version").place(Reason::Invalid);
        if !problems.is_empty() {
            errors.push(FieldError {
                place,
                ..version.refuse_text(&spec.version, FIRST_VERSION_NAME.with(joined(&problems, ",")))
            });
        }
        if spec.versions.first().is_some_and(|first| first.name != spec.version) {
            errors.push(FieldError { place, ..version.refuse_text(&spec.version, &FIRST_VERSION) });
        }
    }
}

/// Some names are demanded of `spec`, but not of `status`.
fn required_names(spec: &Spec, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let names = &spec.names;
    let required = [
        ("plural", &names.plural),
        ("singular", &names.singular),
        ("kind", &names.kind),
        ("listKind", &names.list_kind),
    ];
    for (field, _) in required.into_iter().filter(|(_, name)| name.is_empty()) {
        errors.push(path.child(field).missing());
    }
}

fn has_any_status(spec: &Spec) -> bool {
    let shared = spec.subresources.as_ref();
    let own = spec.versions.iter().filter_map(|version| version.subresources.as_ref());
    shared.into_iter().chain(own).any(|subresources| subresources.status)
}

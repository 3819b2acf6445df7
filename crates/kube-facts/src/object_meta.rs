//! The metadata of objects: read as the server reads it, and checked as it checks it on create and on update.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trueline_gostd::unicode::is_print;
use trueline_yaml::Value;

use crate::decode::{DecodeError, UnknownField, check, fields, types};
use crate::field_error::FieldError;
use crate::names::{self, NameUse};
use crate::quote::go_quoted;
use crate::reason::Reason;
use crate::rules;
use crate::server_rule::{Breach, ServerRule};
use crate::trail::Trail;

rules! {
    /// Two finalizers exclude each other.
    CONFLICTING_FINALIZERS: Invalid, "metadata/conflicting-finalizers",
        "finalizer orphan and foregroundDeletion cannot be both set";
    /// `generation` is negative.
    GENERATION: Invalid, "metadata/generation", "must be greater than or equal to 0";
    /// An object has neither `name` nor `generateName`.
    NO_NAME: Required, "metadata/no-name", "name or generateName is required";
    /// An owner has no version.
    OWNER_VERSION: Invalid, "metadata/owner-version", "version must not be empty";
    /// A field of an owner is empty.
    OWNER_FIELD: Invalid, "metadata/owner-field", "must not be empty";
    /// An event cannot own anything.
    OWNER_IS_EVENT: Invalid, "metadata/owner-is-event", "/v1, Kind=Event is disallowed from being an owner";
    /// Two owners are controllers.
    TWO_CONTROLLERS: Invalid, "metadata/two-controllers",
        "Only one reference can have Controller set to true. Found \"true\" in references for {} and {}";
    /// An object of the cluster has a namespace.
    NAMESPACE_NOT_ALLOWED: Forbidden, "metadata/namespace-not-allowed", "not allowed on this type";
    /// A finalizer is added to an object that is being deleted.
    FINALIZERS_ADDED: Forbidden, "metadata/finalizers-added",
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{}}";
    /// `generation` is lower than before.
    GENERATION_DECREMENTED: Invalid, "metadata/generation-decremented", "must not be decremented";
    /// An operation of managed fields is neither `Apply` nor `Update`.
    MANAGED_OPERATION: Invalid, "metadata/managed-operation", "must be `Apply` or `Update`";
    /// The type of managed fields is not `FieldsV1`.
    MANAGED_TYPE: Invalid, "metadata/managed-type", "must be `FieldsV1`";
    /// The name of a field manager holds something that cannot be printed.
    MANAGER: Invalid, "metadata/manager", "invalid character {} (at position {})";
}

/// How many bytes all annotations may have together.
const ANNOTATIONS_SIZE: usize = 256 << 10;

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// The metadata of an object. A field with its zero value is one that is not there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ObjectMeta {
    /// `name`
    pub name: Arc<str>,
    /// `generateName`
    pub generate_name: Arc<str>,
    /// `namespace`
    pub namespace: Arc<str>,
    /// `uid`
    pub uid: Arc<str>,
    /// `resourceVersion`
    pub resource_version: Arc<str>,
    /// `generation`
    pub generation: i64,
    /// `creationTimestamp`
    pub creation_timestamp: Option<Arc<str>>,
    /// `deletionTimestamp`
    pub deletion_timestamp: Option<Arc<str>>,
    /// `deletionGracePeriodSeconds`
    pub deletion_grace_period_seconds: Option<i64>,
    /// `labels`
    pub labels: BTreeMap<Arc<str>, Arc<str>>,
    /// `annotations`
    pub annotations: BTreeMap<Arc<str>, Arc<str>>,
    /// `ownerReferences`
    pub owner_references: Vec<OwnerReference>,
    /// `finalizers`
    pub finalizers: Vec<Arc<str>>,
    /// `managedFields`
    pub managed_fields: Vec<ManagedFields>,
}

/// An entry of `ownerReferences`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnerReference {
    /// `apiVersion`
    pub api_version: Arc<str>,
    /// `kind`
    pub kind: Arc<str>,
    /// `name`
    pub name: Arc<str>,
    /// `uid`
    pub uid: Arc<str>,
    /// `controller`
    pub controller: bool,
}

/// An entry of `managedFields`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ManagedFields {
    /// `manager`
    pub manager: Arc<str>,
    /// `operation`
    pub operation: Arc<str>,
    /// `fieldsType`
    pub fields_type: Arc<str>,
    /// `subresource`
    pub subresource: Arc<str>,
}

/// Whether objects of a kind live in namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespacing {
    /// They do.
    Namespaced,
    /// They belong to the whole cluster.
    Cluster,
}

impl ObjectMeta {
    /// Reads the value of `metadata`, and lists the fields that the server does not know.
    pub fn decode(value: &Value) -> Result<(Self, Vec<UnknownField>), DecodeError> {
        let checked = check(value, &types::OBJECT_META, "v1")?;
        Ok((Self::read(value), checked.unknown))
    }

    /// The metadata that a value is, which has been checked to be some.
    pub fn read(value: &Value) -> Self {
        ObjectMeta {
            name: fields::text(value, "name"),
            generate_name: fields::text(value, "generateName"),
            namespace: fields::text(value, "namespace"),
            uid: fields::text(value, "uid"),
            resource_version: fields::text(value, "resourceVersion"),
            generation: fields::integer(value, "generation").unwrap_or_default(),
            creation_timestamp: fields::optional_text(value, "creationTimestamp"),
            deletion_timestamp: fields::optional_text(value, "deletionTimestamp"),
            deletion_grace_period_seconds: fields::integer(value, "deletionGracePeriodSeconds"),
            labels: fields::text_map(value, "labels"),
            annotations: fields::text_map(value, "annotations"),
            owner_references: fields::items(value, "ownerReferences")
                .iter()
                .map(OwnerReference::read)
                .collect(),
            finalizers: fields::texts(value, "finalizers"),
            managed_fields: fields::items(value, "managedFields").iter().map(ManagedFields::read).collect(),
        }
    }

    /// All that is wrong with the metadata of an object that is created. Names have been generated before.
    pub fn validate(
        &self,
        namespacing: Namespacing,
        name_check: &dyn Fn(&str, NameUse) -> Vec<Breach>,
        path: &Trail<'_>,
    ) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if !self.generate_name.is_empty() {
            let path = path.child("generateName");
            let problems = name_check(&self.generate_name, NameUse::Prefix);
            errors.extend(problems.into_iter().map(|problem| path.refuse_text(&self.generate_name, problem)));
        }
        let name = path.child("name");
        if self.name.is_empty() {
            errors.push(name.refuse(&NO_NAME));
        } else {
            let problems = name_check(&self.name, NameUse::Whole);
            errors.extend(problems.into_iter().map(|problem| name.refuse_text(&self.name, problem)));
        }
        let namespace = path.child("namespace");
        match (namespacing, &*self.namespace) {
            (Namespacing::Namespaced, "") => errors.push(namespace.missing()),
            (Namespacing::Namespaced, text) => {
                let problems = names::dns_1123_label(text);
                errors.extend(problems.into_iter().map(|problem| namespace.refuse_text(text, problem)));
            }
            (Namespacing::Cluster, "") => {}
            (Namespacing::Cluster, _) => errors.push(namespace.refuse(&NAMESPACE_NOT_ALLOWED)),
        }
        if self.generation < 0 {
            let value = self.generation.to_string();
            errors.push(path.child("generation").refuse_value(value, &GENERATION));
        }
        self.validate_texts(path, &mut errors);
        let finalizers = path.child("finalizers");
        for finalizer in &self.finalizers {
            let problems = names::qualified_name(finalizer);
            errors.extend(problems.into_iter().map(|problem| finalizers.refuse_text(finalizer, problem)));
        }
        let has = |name: &str| self.finalizers.iter().any(|finalizer| &**finalizer == name);
        if has(ORPHAN) && has(FOREGROUND) {
            let listed: Value = self.finalizers.iter().map(|finalizer| Value::from(&**finalizer)).collect();
            let detail = format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set");
            errors.push(finalizers.refuse_value(
                listed.to_json_text().unwrap_or_default(),
                CONFLICTING_FINALIZERS.with(detail),
            ));
        }
        self.validate_managed_fields(path, &mut errors);
        errors
    }

    /// All that is wrong with the metadata of an object that is updated. What the server sets itself (its
    /// version, its times, its identity) is not compared where the new object leaves it out.
    pub fn validate_update(&self, old: &ObjectMeta, path: &Trail<'_>) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if old.deletion_timestamp.is_some() {
            let before: BTreeSet<_> = old.finalizers.iter().collect();
            let added: BTreeSet<_> = self.finalizers.iter().filter(|name| !before.contains(name)).collect();
            if !added.is_empty() {
                let added: Vec<String> = added.into_iter().map(|name| go_quoted(name)).collect();
                errors.push(path.child("finalizers").refuse(FINALIZERS_ADDED.with(added.join(", "))));
            }
        }
        if self.generation != 0 && self.generation < old.generation {
            let value = self.generation.to_string();
            errors.push(path.child("generation").refuse_value(value, &GENERATION_DECREMENTED));
        }
        let same = [("name", &self.name, &old.name), ("namespace", &self.namespace, &old.namespace)];
        for (field, new, old) in same {
            if new != old {
                errors.push(path.child(field).refuse_text(new, &crate::common::IMMUTABLE));
            }
        }
        if !self.uid.is_empty() && self.uid != old.uid {
            errors.push(path.child("uid").refuse_text(&self.uid, &crate::common::IMMUTABLE));
        }
        self.validate_texts(path, &mut errors);
        self.validate_managed_fields(path, &mut errors);
        errors
    }

    fn validate_texts(&self, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
        validate_labels(&self.labels, &path.child("labels"), errors);
        validate_annotations(&self.annotations, &path.child("annotations"), errors);
        self.validate_owners(&path.child("ownerReferences"), errors);
    }

    fn validate_owners(&self, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
        let mut controller: Option<String> = None;
        for (index, owner) in self.owner_references.iter().enumerate() {
            let item = path.index(index);
            // The server names no position.
            let mut push = |field: &'static str, value: &str, rule: &'static ServerRule| {
                let mut error = item.child(field).refuse_text(value, rule);
                error.field = path.child(field).path();
                errors.push(error);
            };
            let (group, version) = owner.api_version.split_once('/').unwrap_or(("", &owner.api_version));
            if version.is_empty() || version.contains('/') {
                push("apiVersion", &owner.api_version, &OWNER_VERSION);
            }
            for (field, value) in [("kind", &owner.kind), ("name", &owner.name), ("uid", &owner.uid)] {
                if value.is_empty() {
                    push(field, value, &OWNER_FIELD);
                }
            }
            if group.is_empty() && version == "v1" && &*owner.kind == "Event" {
                let mut error = item.refuse_value("", &OWNER_IS_EVENT);
                error.field = path.path();
                errors.push(error);
            }
            if owner.controller {
                let name = format!("{}/{}", owner.kind, owner.name);
                match &controller {
                    None => controller = Some(name),
                    Some(first) => {
                        let detail = format!(
                            "Only one reference can have Controller set to true. Found \"true\" in references for \
                             {first} and {name}"
                        );
                        let mut error = item.refuse_value("", TWO_CONTROLLERS.with(detail));
                        error.field = path.path();
                        errors.push(error);
                    }
                }
            }
        }
    }

    fn validate_managed_fields(&self, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
        let path = path.child("managedFields");
        for (index, entry) in self.managed_fields.iter().enumerate() {
            let path = path.index(index);
            if !matches!(&*entry.operation, "Apply" | "Update") {
                errors.push(path.child("operation").refuse_text(&entry.operation, &MANAGED_OPERATION));
            }
            if !matches!(&*entry.fields_type, "" | "FieldsV1") {
                errors.push(path.child("fieldsType").refuse_text(&entry.fields_type, &MANAGED_TYPE));
            }
            let manager = path.child("manager");
            if entry.manager.len() > 128 {
                errors.push(manager.too_long(128));
            }
            for (at, character) in entry.manager.char_indices().filter(|(_, one)| !is_print(*one)) {
                let code = format!("U+{:04X}", u32::from(character));
                errors.push(manager.refuse_text(&entry.manager, MANAGER.with(code).and(at)));
            }
            if entry.subresource.len() > 256 {
                errors.push(path.child("subresource").too_long(256));
            }
        }
    }
}

/// All that is wrong with labels.
pub fn validate_labels(
    labels: &BTreeMap<Arc<str>, Arc<str>>,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) {
    for (key, value) in labels {
        errors.extend(names::qualified_name(key).into_iter().map(|problem| at_key(path, key, problem)));
        for problem in names::label_value(value) {
            let mut error = path.key(key).refuse_text(value, problem);
            error.field = path.path();
            errors.push(error);
        }
    }
}

/// All that is wrong with annotations.
pub fn validate_annotations(
    annotations: &BTreeMap<Arc<str>, Arc<str>>,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) {
    for key in annotations.keys() {
        for problem in names::qualified_name(&key.to_lowercase()) {
            errors.push(at_key(path, key, problem));
        }
    }
    let size = annotations
        .iter()
        .fold(0usize, |sum, (key, value)| sum.saturating_add(key.len()).saturating_add(value.len()));
    if size > ANNOTATIONS_SIZE {
        errors.push(path.too_long(ANNOTATIONS_SIZE));
    }
}

/// The server names the map; the place is that of the key.
fn at_key(path: &Trail<'_>, key: &str, problem: Breach) -> FieldError {
    let place = path.key(key).place(Reason::Forbidden);
    FieldError { place, ..path.refuse_text(key, problem) }
}

impl OwnerReference {
    fn read(value: &Value) -> Self {
        OwnerReference {
            api_version: fields::text(value, "apiVersion"),
            kind: fields::text(value, "kind"),
            name: fields::text(value, "name"),
            uid: fields::text(value, "uid"),
            controller: fields::flag(value, "controller"),
        }
    }
}

impl ManagedFields {
    fn read(value: &Value) -> Self {
        ManagedFields {
            manager: fields::text(value, "manager"),
            operation: fields::text(value, "operation"),
            fields_type: fields::text(value, "fieldsType"),
            subresource: fields::text(value, "subresource"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let value = trueline_yaml::yaml_to_value(text).unwrap();
        let (meta, _) = ObjectMeta::decode(&value).unwrap();
        let path = Trail::root("metadata", Some(&value));
        let errors = meta.validate(Namespacing::Cluster, &names::object_name, &path);
        errors.iter().map(|error| error.message()).collect()
    }

    #[test]
    fn metadata_is_checked_as_the_server_does() {
        let rows: &[(&str, &[&str])] = &[
            ("{name: a}", &[]),
            ("{}", &["metadata.name: Required value: name or generateName is required"]),
            ("{name: a, namespace: b}", &["metadata.namespace: Forbidden: not allowed on this type"]),
            (
                "{name: a, ownerReferences: [{apiVersion: v1, name: x, uid: u}]}",
                &["metadata.ownerReferences.kind: Invalid value: \"\": must not be empty"],
            ),
            (
                "{name: a, finalizers: [orphan, foregroundDeletion]}",
                &[
                    "metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer orphan and \
                   foregroundDeletion cannot be both set",
                ],
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(&errors(text), expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_in_go_s_words() {
        let value = trueline_yaml::yaml_to_value("{labels: {a: 1}}").unwrap();
        assert_eq!(
            ObjectMeta::decode(&value).unwrap_err().text,
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"
        );
        let value = trueline_yaml::yaml_to_value("{foo: 1, ownerReferences: [{bar: 1}]}").unwrap();
        let unknown = ObjectMeta::decode(&value).unwrap().1;
        let texts: Vec<String> = unknown.iter().map(UnknownField::text).collect();
        assert_eq!(texts, ["unknown field \"foo\"", "unknown field \"ownerReferences[0].bar\""]);
    }
}

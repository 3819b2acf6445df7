//! The metadata of objects: read as the server reads it, and checked as it checks it on create and on update.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trueline_gostd::unicode::is_print;
use trueline_yaml::Value;

use crate::decode::{DecodeError, UnknownField, check, fields, types};
use crate::field_error::{FieldError, Reason};
use crate::field_path::FieldPath;
use crate::names::{self, NameUse};

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
    pub(crate) fn read(value: &Value) -> Self {
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
        name_check: &dyn Fn(&str, NameUse) -> Vec<String>,
        path: &FieldPath<'_>,
    ) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if !self.generate_name.is_empty() {
            let path = path.child("generateName");
            let problems = name_check(&self.generate_name, NameUse::Prefix);
            errors.extend(problems.into_iter().map(|problem| path.invalid(&self.generate_name, problem)));
        }
        let name = path.child("name");
        if self.name.is_empty() {
            errors.push(name.required("name or generateName is required"));
        } else {
            let problems = name_check(&self.name, NameUse::Whole);
            errors.extend(problems.into_iter().map(|problem| name.invalid(&self.name, problem)));
        }
        let namespace = path.child("namespace");
        match (namespacing, &*self.namespace) {
            (Namespacing::Namespaced, "") => errors.push(namespace.required("")),
            (Namespacing::Namespaced, text) => {
                let problems = names::dns_1123_label(text);
                errors.extend(problems.into_iter().map(|problem| namespace.invalid(text, problem)));
            }
            (Namespacing::Cluster, "") => {}
            (Namespacing::Cluster, _) => errors.push(namespace.forbidden("not allowed on this type")),
        }
        if self.generation < 0 {
            let value = self.generation.to_string();
            errors.push(path.child("generation").invalid_value(value, "must be greater than or equal to 0"));
        }
        self.validate_texts(path, &mut errors);
        let finalizers = path.child("finalizers");
        for finalizer in &self.finalizers {
            let problems = names::qualified_name(finalizer);
            errors.extend(problems.into_iter().map(|problem| finalizers.invalid(finalizer, problem)));
        }
        let has = |name: &str| self.finalizers.iter().any(|finalizer| &**finalizer == name);
        if has(ORPHAN) && has(FOREGROUND) {
            let listed: Value = self.finalizers.iter().map(|finalizer| Value::from(&**finalizer)).collect();
            let detail = format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set");
            errors.push(finalizers.invalid_value(listed.to_json_text().unwrap_or_default(), detail));
        }
        self.validate_managed_fields(path, &mut errors);
        errors
    }

    /// All that is wrong with the metadata of an object that is updated. What the server sets itself (its
    /// version, its times, its identity) is not compared where the new object leaves it out.
    pub fn validate_update(&self, old: &ObjectMeta, path: &FieldPath<'_>) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if old.deletion_timestamp.is_some() {
            let before: BTreeSet<_> = old.finalizers.iter().collect();
            let added: BTreeSet<_> = self.finalizers.iter().filter(|name| !before.contains(name)).collect();
            if !added.is_empty() {
                let added: Vec<String> =
                    added.into_iter().map(|name| crate::field_path::go_quoted(name)).collect();
                let detail = format!(
                    "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                    added.join(", ")
                );
                errors.push(path.child("finalizers").forbidden(detail));
            }
        }
        if self.generation != 0 && self.generation < old.generation {
            let value = self.generation.to_string();
            errors.push(path.child("generation").invalid_value(value, "must not be decremented"));
        }
        let same = [("name", &self.name, &old.name), ("namespace", &self.namespace, &old.namespace)];
        for (field, new, old) in same {
            if new != old {
                errors.push(path.child(field).invalid(new, IMMUTABLE));
            }
        }
        if !self.uid.is_empty() && self.uid != old.uid {
            errors.push(path.child("uid").invalid(&self.uid, IMMUTABLE));
        }
        self.validate_texts(path, &mut errors);
        self.validate_managed_fields(path, &mut errors);
        errors
    }

    fn validate_texts(&self, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
        validate_labels(&self.labels, &path.child("labels"), errors);
        validate_annotations(&self.annotations, &path.child("annotations"), errors);
        self.validate_owners(&path.child("ownerReferences"), errors);
    }

    fn validate_owners(&self, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
        let mut controller: Option<String> = None;
        for (index, owner) in self.owner_references.iter().enumerate() {
            let item = path.index(index);
            // The server names no position.
            let mut push = |field: &str, value: &str, detail: &str| {
                let mut error = item.child(field).invalid(value, detail);
                error.field = path.child(field).text();
                errors.push(error);
            };
            let (group, version) = owner.api_version.split_once('/').unwrap_or(("", &owner.api_version));
            if version.is_empty() || version.contains('/') {
                push("apiVersion", &owner.api_version, "version must not be empty");
            }
            for (field, value) in [("kind", &owner.kind), ("name", &owner.name), ("uid", &owner.uid)] {
                if value.is_empty() {
                    push(field, value, "must not be empty");
                }
            }
            if group.is_empty() && version == "v1" && &*owner.kind == "Event" {
                let mut error = item.invalid_value("", "/v1, Kind=Event is disallowed from being an owner");
                error.field = path.text();
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
                        let mut error = item.invalid_value("", detail);
                        error.field = path.text();
                        errors.push(error);
                    }
                }
            }
        }
    }

    fn validate_managed_fields(&self, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
        let path = path.child("managedFields");
        for (index, entry) in self.managed_fields.iter().enumerate() {
            let path = path.index(index);
            if !matches!(&*entry.operation, "Apply" | "Update") {
                errors.push(path.child("operation").invalid(&entry.operation, "must be `Apply` or `Update`"));
            }
            if !matches!(&*entry.fields_type, "" | "FieldsV1") {
                errors.push(path.child("fieldsType").invalid(&entry.fields_type, "must be `FieldsV1`"));
            }
            let manager = path.child("manager");
            if entry.manager.len() > 128 {
                errors.push(manager.too_long(128));
            }
            for (at, character) in entry.manager.char_indices().filter(|(_, one)| !is_print(*one)) {
                let code = format!("U+{:04X}", u32::from(character));
                let detail = format!("invalid character {code} (at position {at})");
                errors.push(manager.invalid(&entry.manager, detail));
            }
            if entry.subresource.len() > 256 {
                errors.push(path.child("subresource").too_long(256));
            }
        }
    }
}

/// The server's words for a field that an update must leave alone.
pub const IMMUTABLE: &str = "field is immutable";

/// All that is wrong with labels.
pub fn validate_labels(
    labels: &BTreeMap<Arc<str>, Arc<str>>,
    path: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    for (key, value) in labels {
        errors.extend(names::qualified_name(key).into_iter().map(|problem| at_key(path, key, problem)));
        for problem in names::label_value(value) {
            let mut error = path.key(key).invalid(value, problem);
            error.field = path.text();
            errors.push(error);
        }
    }
}

/// All that is wrong with annotations.
pub fn validate_annotations(
    annotations: &BTreeMap<Arc<str>, Arc<str>>,
    path: &FieldPath<'_>,
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
fn at_key(path: &FieldPath<'_>, key: &str, problem: String) -> FieldError {
    let place = path.key(key).place(Reason::Forbidden);
    FieldError { place, ..path.invalid(key, problem) }
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
        let path = FieldPath::root("metadata", Some(&value));
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

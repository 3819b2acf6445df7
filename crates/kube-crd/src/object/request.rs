//! What the server says to an object: created, updated, or only its status updated.

use std::collections::BTreeSet;

use trueline_kube_cel::budget::PER_OBJECT;
use trueline_kube_facts::decode::UnknownField;
use trueline_kube_facts::object_meta::{Namespacing, ObjectMeta};
use trueline_kube_facts::{FieldError, FieldPath, KubeVersion, Reason, Trail, names, rules};
use trueline_yaml::{Data, Value};

use super::decode::{Decoded, with_defaults};
use super::embedded::validate_embedded;
use super::list_types::validate_list_types;
use super::metadata::Malformed;
use super::resource::{Resource, Version};
use super::scale::{validate_scale_spec, validate_scale_status};
use super::warnings::finalizer_warnings;
use super::{change_member, remove_member, set_member, with_member, without_member};
use crate::cel::{Findings, Ratchet, evaluate};
use crate::structural::Root;
use crate::value::with_server_numbers;

rules! {
    /// The metadata of an object cannot be read.
    METADATA_DECODE: Invalid, "custom/metadata-decode", "{}";
    /// `kind` is not that of the definition.
    KIND: Invalid, "custom/kind", "must be {}";
    /// Rules are not evaluated because of other errors.
    RULES_NOT_CHECKED: Invalid, "custom/rules-not-checked",
        "some validation rules were not checked because the object was invalid; correct the existing errors to \
         complete validation";
}

/// What the server appends to `generateName`; which letters it takes is chance.
const GENERATED: &str = "xxxxx";

/// Where objects go that name no namespace.
const NAMESPACE: &str = "default";

/// What the server makes of an object, and what it says to it.
#[derive(Debug)]
pub struct Verdict {
    /// What is checked, and stored if nothing is wrong.
    pub object: Value,
    /// All that is wrong.
    pub errors: Vec<FieldError>,
    /// What the server warns of, besides what it says to every object of a deprecated version.
    pub warnings: Vec<String>,
    /// The rules in CEL that the object breaks, but also broke before at a value that has not changed. The server accepts that
    /// with a warning.
    pub forgiven: Vec<FieldError>,
    /// What evaluating its rules in CEL cost; nothing if they were not evaluated.
    pub rule_cost: Option<u64>,
    /// How many of its rules were evaluated, each time counted.
    pub rules: usize,
}

/// What becomes of an object that a cluster may hold, with its status.
#[derive(Debug)]
pub(crate) struct Held {
    /// What is left of it, with defaults.
    pub(crate) value: Value,
    /// The fields that were dropped because nobody knows them.
    pub(crate) lost: Vec<UnknownField>,
    /// All that is wrong.
    pub(crate) errors: Vec<FieldError>,
}

impl Resource {
    /// What the first version makes of an object that may lie in the cluster: it has a status, whoever wrote that.
    pub(crate) fn hold(&self, value: &Value) -> Held {
        let value = with_server_numbers(value);
        let Some(version) = self.versions.first() else {
            return Held { value, lost: Vec::new(), errors: Vec::new() };
        };
        let applied = self.apply(&value, version, Malformed::Refused);
        let applied = applied.and_then(|(value, lost)| Ok((with_defaults(value, version)?, lost)));
        let (value, lost) = match applied {
            Ok(applied) => applied,
            Err(error) => {
                let errors = vec![FieldError::new(METADATA_DECODE.with(error.text), error.path, error.place)];
                return Held { value, lost: Vec::new(), errors };
            }
        };
        let object = self.placed(value.clone(), 1);
        let path = Trail::root("metadata", object.get("metadata"));
        let mut errors = metadata(&object).validate(self.namespacing, &names::object_name, &path);
        errors.extend(version.validator().validate(&object, &FieldPath::default()));
        errors.extend(scale_errors(&object, version));
        errors.extend(embedded_errors(&object, version));
        errors.extend(list_errors(&object, version));
        rule_findings(&object, None, (version, self.server()), &mut errors);
        Held { value, lost, errors }
    }

    /// The object as it lies in the cluster: with a namespace and a generation.
    pub fn stored(&self, decoded: &Decoded<'_>) -> Value {
        self.placed(decoded.value.clone(), 1)
    }

    /// The object as the server sees it when it asks policies: as it is created, or as it takes the place of an old one.
    pub fn admitted(&self, decoded: &Decoded<'_>, old: Option<&Value>) -> Value {
        let version = decoded.version;
        let mut object = self.placed(decoded.value.clone(), old.map_or(1, generation));
        if version.has_status {
            object = match old.and_then(|old| old.get("status")) {
                Some(status) => with_member(object, "status", status.clone()),
                None => without_member(object, "status"),
            };
        }
        match old {
            Some(old) if !is_same_but_metadata(&object, old) => {
                with_generation(object, generation(old).saturating_add(1))
            }
            _ => object,
        }
    }

    /// An object is created.
    pub fn create(&self, decoded: &Decoded<'_>) -> Verdict {
        let version = decoded.version;
        let mut object = decoded.value.clone();
        if version.has_status {
            remove_member(&mut object, "status");
        }
        let object = named(self.placed(object, 1));
        let metadata = metadata(&object);
        let mut errors = self.kind_errors(&object);
        if errors.is_empty() {
            let path = Trail::root("metadata", object.get("metadata"));
            errors.extend(metadata.validate(self.namespacing, &names::object_name, &path));
            errors.extend(version.validator().validate(&object, &FieldPath::default()));
            errors.extend(scale_errors(&object, version));
        }
        errors.extend(embedded_errors(&object, version));
        errors.extend(list_errors(&object, version));
        let warnings = finalizer_warnings(&metadata.finalizers, &[]);
        verdict(object, None, (version, self.server()), errors, warnings)
    }

    /// An object takes the place of the one that lies in the cluster.
    pub fn update(&self, decoded: &Decoded<'_>, old: &Value) -> Verdict {
        let version = decoded.version;
        let mut object = self.placed(decoded.value.clone(), generation(old));
        if version.has_status {
            object = match old.get("status") {
                Some(status) => with_member(object, "status", status.clone()),
                None => without_member(object, "status"),
            };
        }
        if !is_same_but_metadata(&object, old) {
            object = with_generation(object, generation(old).saturating_add(1));
        }
        let (metadata, old_metadata) = (metadata(&object), metadata(old));
        let mut errors = self.kind_errors(&object);
        if errors.is_empty() {
            let path = Trail::root("metadata", object.get("metadata"));
            errors.extend(metadata.validate_update(&old_metadata, &path));
            errors.extend(version.validator().validate_update(&object, old, &FieldPath::default()));
            errors.extend(scale_errors(&object, version));
        }
        errors.extend(embedded_errors(&object, version));
        if list_errors(old, version).is_empty() {
            errors.extend(list_errors(&object, version));
        }
        let warnings = finalizer_warnings(&metadata.finalizers, &old_metadata.finalizers);
        verdict(object, Some(old), (version, self.server()), errors, warnings)
    }

    /// The status of an object takes the place of that of the one in the cluster; all else stays.
    pub fn update_status(&self, decoded: &Decoded<'_>, old: &Value) -> Verdict {
        let version = decoded.version;
        let status = decoded.value.get("status");
        let object = match status {
            Some(status) => with_member(old.clone(), "status", status.clone()),
            None => without_member(old.clone(), "status"),
        };
        let path = Trail::root("metadata", object.get("metadata"));
        let mut errors = metadata(&object).validate_update(&metadata(old), &path);
        if let (Some(status), Some(validator)) = (status, version.status_validator()) {
            errors.extend(match old.get("status") {
                Some(old) => validator.validate_update(status, old, &FieldPath::of("status")),
                None => validator.validate(status, &FieldPath::of("status")),
            });
        }
        if let Some(scale) = &version.scale {
            errors.extend(validate_scale_status(&object, scale));
        }
        if list_errors(old, version).is_empty() {
            errors.extend(list_errors(&object, version));
        }
        verdict(object, Some(old), (version, self.server()), errors, Vec::new())
    }

    /// An object of another kind of the group is only told so.
    fn kind_errors(&self, object: &Value) -> Vec<FieldError> {
        let path = Trail::root("", Some(object));
        let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
        let is_right = kind == &*self.kind;
        let error = (!is_right).then(|| path.child("kind").refuse_text(kind, KIND.with(&self.kind)));
        error.into_iter().collect()
    }

    /// The object with its namespace and generation.
    fn placed(&self, mut value: Value, generation: i64) -> Value {
        if value.get("metadata").is_none() {
            set_member(&mut value, "metadata", Value::new(Data::Map(Default::default())));
        }
        change_member(&mut value, "metadata", |metadata| {
            let has_namespace = metadata.get("namespace").is_some();
            match self.namespacing {
                Namespacing::Namespaced if !has_namespace => {
                    set_member(metadata, "namespace", Value::from(NAMESPACE));
                }
                Namespacing::Cluster => remove_member(metadata, "namespace"),
                Namespacing::Namespaced => {}
            }
            set_member(metadata, "generation", Value::from(generation));
        });
        value
    }
}

/// The object with the name that is generated for it, if it has none.
fn named(mut value: Value) -> Value {
    let metadata = value.get("metadata").filter(|metadata| metadata.get("name").is_none());
    let prefix = metadata.and_then(|metadata| metadata.get("generateName")?.as_str());
    if let Some(name) = prefix.map(|prefix| Value::from(format!("{prefix}{GENERATED}").as_str())) {
        change_member(&mut value, "metadata", |metadata| set_member(metadata, "name", name));
    }
    value
}

fn with_generation(mut value: Value, generation: i64) -> Value {
    change_member(&mut value, "metadata", |metadata| {
        set_member(metadata, "generation", Value::from(generation));
    });
    value
}

/// Whether two objects differ in nothing but their metadata.
fn is_same_but_metadata(one: &Value, other: &Value) -> bool {
    without_member(one.clone(), "metadata") == without_member(other.clone(), "metadata")
}

fn generation(value: &Value) -> i64 {
    metadata(value).generation
}

fn metadata(value: &Value) -> ObjectMeta {
    value.get("metadata").map(ObjectMeta::read).unwrap_or_default()
}

fn scale_errors(object: &Value, version: &Version) -> Vec<FieldError> {
    let Some(scale) = &version.scale else { return Vec::new() };
    let mut errors = validate_scale_spec(object, scale);
    errors.extend(validate_scale_status(object, scale));
    errors
}

fn embedded_errors(object: &Value, version: &Version) -> Vec<FieldError> {
    let schema = version.schema.as_ref().filter(|_| version.has.embedded);
    let Some(schema) = schema else { return Vec::new() };
    validate_embedded(object, schema, Root::Value, &Trail::root("", Some(object)))
}

fn list_errors(object: &Value, version: &Version) -> Vec<FieldError> {
    let schema = version.schema.as_ref().filter(|_| version.has.list_types);
    let Some(schema) = schema else { return Vec::new() };
    validate_list_types(object, schema, &Trail::root("", Some(object)))
}

fn verdict(
    object: Value,
    old: Option<&Value>,
    (version, server): (&Version, KubeVersion),
    mut errors: Vec<FieldError>,
    mut warnings: Vec<String>,
) -> Verdict {
    let findings = rule_findings(&object, old, (version, server), &mut errors);
    if !errors.is_empty() {
        // An object that is refused gets no other warnings than those about rules.
        warnings.clear();
    }
    let rules = findings.as_ref().map_or(0, |findings| findings.evaluated);
    let (rule_cost, forgiven) = match findings {
        Some(findings) => (Some(findings.cost), findings.forgiven),
        None => (None, Vec::new()),
    };
    let mut seen = BTreeSet::new();
    errors.retain(|error| seen.insert(error.message()));
    for error in &mut errors {
        error.place = error.place.or(object.origin);
    }
    Verdict { object, errors, warnings, forgiven, rule_cost, rules }
}

/// Whether an error only says that rules were not evaluated because of the others.
pub fn says_rules_not_checked(error: &FieldError) -> bool {
    error.breaks(&RULES_NOT_CHECKED)
}

/// What the rules say of an object, unless something is wrong with it that makes the server leave them out.
fn rule_findings(
    object: &Value,
    old: Option<&Value>,
    (version, server): (&Version, KubeVersion),
    errors: &mut Vec<FieldError>,
) -> Option<Findings> {
    let (rules, schema) = (version.rules(server)?, version.schema.as_ref()?);
    let blocks = |error: &FieldError| {
        use Reason::{NotSupported, Required, TooLong, TooMany, TypeInvalid};
        matches!(error.reason(), NotSupported | Required | TooLong | TooMany | TypeInvalid)
    };
    if errors.iter().any(blocks) {
        errors.push(FieldError::new(&RULES_NOT_CHECKED, FieldPath::default(), None).with_value("null"));
        return None;
    }
    let path = Trail::root("", Some(object));
    let mut findings = evaluate(rules, schema, object, old, &path, Ratchet::Unchanged, PER_OBJECT);
    errors.append(&mut findings.errors);
    Some(findings)
}

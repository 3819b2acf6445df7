//! What the server demands of a CRD, on create and on update, with its own paths and words.

pub(crate) mod approval;
pub(crate) mod columns;
pub(crate) mod conversion;
pub(crate) mod defaults;
pub(crate) mod expressions;
pub(crate) mod names;
mod options;
pub(crate) mod schema;
pub(crate) mod selectable;
pub(crate) mod spec;
pub(crate) mod subresources;
pub(crate) mod version;

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_kube_facts::names::{NameUse, object_name};
use trueline_kube_facts::object_meta::{Namespacing, ObjectMeta};
use trueline_kube_facts::{Breach, FieldError, KubeVersion, Reason, Trail, rules};
use trueline_source::Span;

use crate::definition::{Crd, Status};
use crate::props::Props;
pub use expressions::RuleCost;
use options::Options;

rules! {
    /// The name of a CRD is not its plural, a dot and its group.
    CRD_NAME: Invalid in crate::codes::METADATA, "crd/name", "must be spec.names.plural+\".\"+spec.group";
    /// `spec.preserveUnknownFields` is true.
    PRESERVE_UNKNOWN_FIELDS_SET: Invalid in crate::codes::CONVERSION, "crd/preserve-unknown-fields-set",
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    /// No version is stored.
    NO_STORED_VERSION: Invalid in crate::codes::VERSIONS, "crd/no-stored-version",
        "must have at least one stored version";
    /// The storage version is not among the stored versions.
    STORAGE_VERSION_NOT_STORED: Invalid in crate::codes::VERSIONS, "crd/storage-version-not-stored",
        "must have the storage version {}";
    /// A version that objects are stored in was removed.
    STORED_VERSION_REMOVED: Invalid in crate::codes::VERSIONS, "crd/stored-version-removed",
        "missing from spec.versions; {} was previously a storage version, and must remain in spec.versions until a \
         storage migration ensures no data remains persisted in {} and removes {} from status.storedVersions";
}

/// What the server says about a CRD.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Why it is refused; it is accepted if there are none.
    pub errors: Vec<FieldError>,
    /// What the server warns of.
    pub warnings: Vec<Warning>,
}

/// A warning of the server's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The server's words.
    pub text: String,
    /// Where it was typed.
    pub place: Option<trueline_source::Span>,
}

impl Crd {
    /// What a server of this version says if the CRD is created.
    pub fn validate_create(&self, version: KubeVersion) -> Verdict {
        let mut crd = self.clone();
        crd.status = Status::default();
        crd.add_stored_version();
        crd.metadata.namespace = Arc::default();
        if crd.metadata.name.is_empty() && !crd.metadata.generate_name.is_empty() {
            crd.metadata.name = format!("{}xxxxx", crd.metadata.generate_name).into();
        }
        let required_name = format!("{}.{}", crd.spec.names.plural, crd.spec.group);
        let name_check = |name: &str, name_use: NameUse| {
            let mut problems = object_name(name, name_use);
            if name != required_name {
                problems.push(Breach::from(&CRD_NAME));
            }
            problems
        };
        let root = Trail::root("", self.written.0.as_ref());
        let mut errors = crd.metadata.validate(Namespacing::Cluster, &name_check, &root.child("metadata"));
        errors.extend(crd.rest(&Options::create(version), None));
        let warnings = unrecognized_formats(&crd).into_iter().map(|(_, warning)| warning).collect();
        Verdict { errors, warnings }
    }

    /// What a server of this version says if the CRD replaces another one. What was wrong before may stay wrong.
    pub fn validate_update(&self, old: &Crd, version: KubeVersion) -> Verdict {
        let mut crd = self.clone();
        crd.status = old.status.clone();
        crd.add_stored_version();
        crd.metadata.namespace = Arc::default();
        let old_metadata = ObjectMeta { namespace: Arc::default(), ..old.metadata.clone() };
        let options = Options::update(&crd, old, version);
        let root = Trail::root("", self.written.0.as_ref());
        let mut errors = crd.metadata.validate_update(&old_metadata, &root.child("metadata"));
        errors.extend(crd.rest(&options, Some(old)));
        let before: FxHashSet<Arc<str>> =
            unrecognized_formats(old).into_iter().map(|(format, _)| format).collect();
        let warnings = unrecognized_formats(&crd)
            .into_iter()
            .filter(|(format, _)| !before.contains(&**format))
            .map(|(_, warning)| warning)
            .collect();
        Verdict { errors, warnings }
    }

    /// All but the metadata.
    fn rest(&self, options: &Options, old: Option<&Crd>) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let root = Trail::root("", self.written.0.as_ref());
        let (spec_path, status_path) = (root.child("spec"), root.child("status"));
        spec::validate(self, options, &spec_path, &mut errors);
        if let Some(old) = old {
            spec::immutable(self, old, options, &spec_path, &mut errors);
        }
        names::validate(&self.status.accepted_names, &status_path.child("acceptedNames"), &mut errors);
        let versions = spec_path.child("versions").place(Reason::Forbidden);
        self.stored_versions(&status_path.child("storedVersions"), versions, &mut errors);
        approval::validate(self, old, &root, &mut errors);
        let was_preserving = old.is_some_and(Crd::preserves_unknown_fields);
        if self.preserves_unknown_fields() && !was_preserving {
            errors.push(
                spec_path.child("preserveUnknownFields").refuse_value("true", &PRESERVE_UNKNOWN_FIELDS_SET),
            );
        }
        errors
    }

    /// Adds the storage version to those that objects are stored in, as the server does on every write.
    fn add_stored_version(&mut self) {
        if let Some(version) = self.spec.versions.iter().find(|version| version.storage)
            && !self.status.stored_versions.contains(&version.name)
        {
            self.status.stored_versions.push(Arc::clone(&version.name));
        }
    }

    /// `versions` is where the versions were typed: the server means its own status, which follows from them.
    fn stored_versions(&self, path: &Trail<'_>, versions: Option<Span>, errors: &mut Vec<FieldError>) {
        let stored = &self.status.stored_versions;
        if stored.is_empty() {
            let error = path.refuse_value("null", &NO_STORED_VERSION);
            errors.push(FieldError { place: versions.or(error.place), ..error });
            return;
        }
        let known: FxHashSet<&str> = stored.iter().map(|name| &**name).collect();
        for version in self.spec.versions.iter().filter(|version| version.storage) {
            if !known.contains(&*version.name) {
                let error = path.refuse(STORAGE_VERSION_NOT_STORED.with(&version.name));
                let storage = version.written.0.as_ref().and_then(|written| written.get("storage")?.origin);
                errors.push(FieldError { place: storage.or(error.place), ..error });
            }
        }
        let versions: FxHashSet<&str> = self.spec.versions.iter().map(|version| &*version.name).collect();
        for (index, name) in stored.iter().enumerate() {
            if !versions.contains(&**name) {
                errors.push(
                    path.index(index)
                        .refuse_text(name, STORED_VERSION_REMOVED.with(name).and(name).and(name)),
                );
            }
        }
    }

    /// All schemas that it has.
    pub(super) fn schemas(&self) -> impl Iterator<Item = &Arc<Props>> {
        let shared = self.spec.validation.as_ref().and_then(|validation| validation.schema.as_ref());
        let own =
            self.spec.versions.iter().filter_map(|version| version.validation.as_ref()?.schema.as_ref());
        shared.into_iter().chain(own)
    }
}

/// The formats of texts that no server checks, with the server's warning.
fn unrecognized_formats(crd: &Crd) -> Vec<(Arc<str>, Warning)> {
    let mut found = Vec::new();
    for schema in crd.schemas() {
        schema.any(|schema| {
            if !schema.format.is_empty()
                && &*schema.type_name == "string"
                && !trueline_apimachinery::formats::is_known_format(&schema.format)
            {
                let text = format!("unrecognized format {}", trueline_kube_facts::go_quoted(&schema.format));
                let format = schema.written.0.as_ref().and_then(|written| written.get("format"));
                let place = format.and_then(|format| format.origin).or(schema.written.place());
                found.push((Arc::clone(&schema.format), Warning { text, place }));
            }
            false
        });
    }
    found
}

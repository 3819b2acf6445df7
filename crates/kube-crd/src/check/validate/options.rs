//! What is demanded of a CRD depends on what it was before: a flaw that is stored already may stay.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_kube_facts::{KubeVersion, Trail};

use super::conversion::is_good_bundle;
use super::expressions::SingleCost;
use super::schema::{has_bad_map_keys, is_non_atomic_set};
use super::selectable::MOST_SELECTABLE;
use crate::cel::Engine;
use crate::definition::Crd;
use crate::props::Props;
use crate::structural::Structural;

/// What is demanded.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) recognized_review_version: bool,
    pub(super) immutable_names: bool,
    pub(super) schema_required: bool,
    pub(super) valid_types: bool,
    pub(super) structural: bool,
    pub(super) pruned_defaults: bool,
    pub(super) atomic_sets: bool,
    pub(super) map_keys: bool,
    pub(super) good_bundle: bool,
    /// The versions that may keep more selectable fields than are allowed; an empty name for what all share.
    pub(super) too_many_selectable: BTreeSet<Arc<str>>,
    /// The versions whose schemas are as they were: what their rules cost was accepted before.
    pub(super) unchanged_schemas: BTreeSet<Arc<str>>,
    /// What compiles the expressions of rules.
    pub(super) engine: Engine,
    /// What compiles those that defaults have to keep.
    pub(super) stored: Engine,
}

impl Options {
    /// Whether single expressions of a version may cost too much.
    pub(super) fn single_cost(&self, version: &str) -> SingleCost {
        if self.unchanged_schemas.contains(version) { SingleCost::Ignored } else { SingleCost::Limited }
    }

    pub(super) fn create(version: KubeVersion) -> Self {
        Options {
            recognized_review_version: true,
            immutable_names: false,
            schema_required: true,
            valid_types: true,
            structural: true,
            pruned_defaults: true,
            atomic_sets: true,
            map_keys: true,
            // Only what is in use has to be right.
            good_bundle: false,
            too_many_selectable: BTreeSet::new(),
            unchanged_schemas: BTreeSet::new(),
            engine: Engine::for_new(version),
            stored: Engine::for_stored(version),
        }
    }

    pub(super) fn update(crd: &Crd, old: &Crd, version: KubeVersion) -> Self {
        let is_established = old.has_condition("Established");
        let conversion = old.spec.conversion.as_ref();
        let reviews = conversion.map(|conversion| conversion.review_versions.as_slice()).unwrap_or_default();
        let bundle = conversion.and_then(|conversion| conversion.client_config.as_ref());
        let bundle = bundle.map(|config| &*config.ca_bundle).filter(|bundle| !bundle.is_empty());
        let has = |asked: fn(&Props) -> bool| old.schemas().any(|schema| schema.any(asked));
        Options {
            recognized_review_version: reviews.is_empty()
                || reviews.iter().any(|version| is_review_version(version)),
            immutable_names: is_established,
            schema_required: all_versions_have_schemas(old),
            valid_types: !has(|schema| !schema.type_name.is_empty() && !is_type(&schema.type_name)),
            structural: !old.schemas().any(|schema| is_non_structural(schema)),
            pruned_defaults: !old.schemas().any(|schema| has_unpruned_defaults(schema)),
            atomic_sets: !has(is_non_atomic_set),
            map_keys: !has(has_bad_map_keys),
            good_bundle: is_established && bundle.is_none_or(is_good_bundle),
            too_many_selectable: too_many_selectable(crd, old),
            unchanged_schemas: unchanged_schemas(crd, old),
            engine: Engine::for_update(version, old.schemas()),
            stored: Engine::for_stored(version),
        }
    }
}

pub(super) fn is_review_version(version: &str) -> bool {
    matches!(version, "v1" | "v1beta1")
}

/// The types that schemas may name.
pub(super) const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

pub(super) fn is_type(name: &str) -> bool {
    TYPES.contains(&name)
}

fn all_versions_have_schemas(crd: &Crd) -> bool {
    let has = |validation: &Option<crate::definition::Validation>| {
        validation.as_ref().is_some_and(|validation| validation.schema.is_some())
    };
    has(&crd.spec.validation) || crd.spec.versions.iter().all(|version| has(&version.validation))
}

fn is_non_structural(schema: &Props) -> bool {
    match Structural::new(schema) {
        Err(_) => true,
        Ok(structural) => !structural.validate(&Trail::root("", None)).is_empty(),
    }
}

fn has_unpruned_defaults(schema: &Props) -> bool {
    schema.any(|schema| schema.default.is_some())
        && Structural::new(schema).is_ok_and(|structural| {
            structural.validate(&Trail::root("", None)).is_empty() && structural.has_unpruned_defaults()
        })
}

/// The versions whose schemas are equal in both.
fn unchanged_schemas(crd: &Crd, old: &Crd) -> BTreeSet<Arc<str>> {
    let schema_of = |crd: &Crd, name: &str| {
        let version = crd.spec.versions.iter().find(|version| &*version.name == name)?;
        crd.schema(version).cloned()
    };
    let names = crd.spec.versions.iter().map(|version| &version.name);
    names
        .filter(|name| {
            let before = schema_of(old, name);
            before.is_some() && schema_of(crd, name) == before
        })
        .cloned()
        .collect()
}

fn too_many_selectable(crd: &Crd, old: &Crd) -> BTreeSet<Arc<str>> {
    let mut allowed = BTreeSet::new();
    if old.spec.selectable_fields.len() > MOST_SELECTABLE
        && old.spec.selectable_fields == crd.spec.selectable_fields
    {
        allowed.insert(Arc::default());
    }
    let old: FxHashMap<&str, _> =
        old.spec.versions.iter().rev().map(|version| (&*version.name, &version.selectable_fields)).collect();
    for version in &crd.spec.versions {
        let before = old.get(&*version.name);
        if before
            .is_some_and(|before| before.len() > MOST_SELECTABLE && **before == version.selectable_fields)
        {
            allowed.insert(Arc::clone(&version.name));
        }
    }
    allowed
}

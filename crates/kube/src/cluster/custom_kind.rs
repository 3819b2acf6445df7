//! The kinds that CRDs define.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use trueline_source::Span;

use crate::KubeVersion;
use crate::crd::Crd;
use crate::object::Resource;
use crate::structural::NotStructural;

/// A kind that a CRD defines, compiled when the first object asks for it, or before that with [`CustomKind::compile`].
#[derive(Debug)]
pub struct CustomKind {
    crd: Arc<Crd>,
    resource: OnceLock<Result<Resource, NotStructural>>,
}

impl CustomKind {
    /// The kind of a CRD.
    pub fn new(crd: Arc<Crd>) -> Self {
        CustomKind { crd, resource: OnceLock::new() }
    }

    /// What its objects are validated against; the error says why the CRD cannot be used. The version of the server is that
    /// of the first object that asks.
    pub fn resource(&self, version: KubeVersion) -> Result<&Resource, &NotStructural> {
        self.resource.get_or_init(|| Resource::new(&self.crd, version)).as_ref()
    }

    /// Compiles its schemas and rules, so no review has to.
    pub fn compile(&self, version: KubeVersion) {
        if let Ok(resource) = self.resource(version) {
            resource.compile();
        }
    }

    /// The CRD.
    pub fn crd(&self) -> &Crd {
        &self.crd
    }

    /// Whether its objects live in namespaces.
    pub fn is_namespaced(&self) -> bool {
        &*self.crd.spec.scope != "Cluster"
    }

    /// Where the CRD was typed.
    pub fn place(&self) -> Option<Span> {
        self.crd.written.place()
    }
}

/// Kinds by group and name. Looking one up allocates nothing, however many there are.
#[derive(Debug, Clone, Default)]
pub(super) struct CustomKinds {
    groups: FxHashMap<Arc<str>, FxHashMap<Arc<str>, Arc<CustomKind>>>,
}

impl CustomKinds {
    /// Adds a kind, in the place of one that has the same group and name.
    pub(super) fn insert(&mut self, kind: Arc<CustomKind>) {
        let (group, name) = (Arc::clone(&kind.crd.spec.group), Arc::clone(&kind.crd.spec.names.kind));
        self.groups.entry(group).or_default().insert(name, kind);
    }

    /// The kind of this group and name.
    pub(super) fn get(&self, group: &str, name: &str) -> Option<&CustomKind> {
        self.groups.get(group)?.get(name).map(Arc::as_ref)
    }
}

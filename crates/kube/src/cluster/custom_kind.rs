//! The kinds that CRDs define.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_source::Span;

use crate::KubeVersion;
use crate::crd::Crd;
use crate::object::Resource;
use crate::structural::NotStructural;

/// A kind that a CRD defines. Its schemas are made ready when it is made, and nothing of the CRD as it was written is kept.
/// Its rules are compiled when the first object asks for them, or before that with [`CustomKind::compile`].
#[derive(Debug)]
pub struct CustomKind {
    group: Arc<str>,
    name: Arc<str>,
    plural: Arc<str>,
    is_namespaced: bool,
    place: Option<Span>,
    resource: Result<Resource, NotStructural>,
}

impl CustomKind {
    /// The kind of a CRD.
    pub fn new(crd: &Crd) -> Self {
        let spec = &crd.spec;
        CustomKind {
            group: Arc::clone(&spec.group),
            name: Arc::clone(&spec.names.kind),
            plural: Arc::clone(&spec.names.plural),
            is_namespaced: &*spec.scope != "Cluster",
            place: crd.written.place(),
            resource: Resource::unasked(crd),
        }
    }

    /// What its objects are validated against; the error says why the CRD cannot be used. The version of the server is that
    /// of the first object that asks.
    pub fn resource(&self, version: KubeVersion) -> Result<&Resource, &NotStructural> {
        self.resource.as_ref().map(|resource| resource.ask(version))
    }

    /// Compiles its schemas and rules, so no review has to.
    pub fn compile(&self, version: KubeVersion) {
        if let Ok(resource) = self.resource(version) {
            resource.compile();
        }
    }

    /// The group of its API.
    pub fn group(&self) -> &Arc<str> {
        &self.group
    }

    /// Its name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// What its objects are called in paths of the API.
    pub fn plural(&self) -> &str {
        &self.plural
    }

    /// Whether its objects live in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.is_namespaced
    }

    /// Where the CRD was typed.
    pub fn place(&self) -> Option<Span> {
        self.place
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
        let (group, name) = (Arc::clone(&kind.group), Arc::clone(&kind.name));
        self.groups.entry(group).or_default().insert(name, kind);
    }

    /// The kind of this group and name.
    pub(super) fn get(&self, group: &str, name: &str) -> Option<&CustomKind> {
        self.groups.get(group)?.get(name).map(Arc::as_ref)
    }
}

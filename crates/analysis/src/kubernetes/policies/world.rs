//! What is known of the cluster besides the object that is looked at: parameters, namespaces, and what kinds there are.

use std::collections::BTreeMap;

use trueline_kube::KubeVersion;
use trueline_kube::api::{Api, Lookup};
use trueline_kube::cel::policy::{self, Parameters};
use trueline_yaml::Value;

use super::Held;
use crate::kubernetes::definitions::{Definitions, Known};
use crate::kubernetes::head::{Head, Type};

/// The objects beside the one that is looked at.
#[derive(Debug, Default)]
pub(super) struct World {
    namespaces: BTreeMap<String, Value>,
    /// By group and kind, with the version, the namespace and the name.
    parameters: BTreeMap<(String, String), Vec<Parameter>>,
}

#[derive(Debug)]
struct Parameter {
    version: String,
    namespace: Option<String>,
    name: String,
    value: Value,
}

/// Reads objects as a server does.
#[derive(Debug, Clone, Copy)]
pub(in crate::kubernetes) struct Server<'s> {
    pub(in crate::kubernetes) api: &'static Api,
    pub(in crate::kubernetes) version: KubeVersion,
    pub(in crate::kubernetes) definitions: &'s Definitions,
    /// Where objects land that name no namespace.
    pub(in crate::kubernetes) namespace: &'s str,
    /// The unit that objects are from.
    pub(in crate::kubernetes) unit: &'s str,
}

/// What is known of the kind of an object.
pub(super) enum KnownKind<'s> {
    /// Kubernetes itself has it.
    Own(trueline_kube::api::Kind),
    /// A CRD defines it.
    Defined(&'s Known),
}

impl<'s> Server<'s> {
    pub(super) fn kind(&self, of: &Type) -> Option<KnownKind<'s>> {
        match self.api.lookup(&of.group, &of.version, &of.kind) {
            Lookup::Served(kind) => Some(KnownKind::Own(kind)),
            _ => self.definitions.find(of, self.unit).map(KnownKind::Defined),
        }
    }

    /// An object as the cluster has it when it was created.
    pub(super) fn stored(&self, head: &Head, value: &Value) -> Option<Value> {
        match self.kind(&head.of)? {
            KnownKind::Own(kind) => Some(policy::admitted(self.api, &kind, value, self.namespace)),
            KnownKind::Defined(known) => {
                let resource = known.kind.resource(self.version).ok()?;
                Some(resource.stored(&resource.decode(value, "").ok()?))
            }
        }
    }
}

impl World {
    /// Takes an object up that the cluster will have.
    pub(super) fn add(&mut self, held: &Held, wanted: &[(String, String)], server: &Server<'_>) {
        let head = &held.head;
        let Some(name) = &head.name else { return };
        let is_namespace = head.of.group.is_empty() && head.of.kind == "Namespace";
        let kind = (head.of.group.clone(), head.of.kind.clone());
        let is_parameter = wanted.contains(&kind);
        if !is_namespace && !is_parameter {
            return;
        }
        let Some(value) = server.stored(head, &held.value) else { return };
        if is_namespace {
            self.namespaces.insert(name.clone(), value.clone());
        }
        if is_parameter {
            let is_namespaced = match server.kind(&head.of) {
                Some(KnownKind::Own(kind)) => kind.is_namespaced,
                Some(KnownKind::Defined(known)) => known.kind.is_namespaced(),
                None => true,
            };
            let own = head.namespace.clone().unwrap_or_else(|| server.namespace.to_owned());
            let parameter = Parameter {
                version: head.of.version.clone(),
                namespace: is_namespaced.then_some(own),
                name: name.clone(),
                value,
            };
            let known = self.parameters.entry(kind).or_default();
            // The last of those that are the same object counts, as it would in a cluster.
            known.retain(|other| (&other.namespace, &other.name) != (&parameter.namespace, &parameter.name));
            known.push(parameter);
        }
    }

    /// A namespace, if it is among the inputs.
    pub(super) fn namespace(&self, name: &str) -> Option<&Value> {
        self.namespaces.get(name)
    }
}

/// The parameters of policies, as a unit sees them.
pub(super) struct FoundParameters<'w> {
    pub(super) world: &'w World,
    pub(super) server: Server<'w>,
}

impl FoundParameters<'_> {
    fn of(api_version: &str, kind: &str) -> Type {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Type { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() }
    }
}

impl Parameters for FoundParameters<'_> {
    fn is_namespaced(&self, api_version: &str, kind: &str) -> Option<bool> {
        match self.server.kind(&Self::of(api_version, kind))? {
            KnownKind::Own(kind) => Some(kind.is_namespaced),
            KnownKind::Defined(known) => Some(known.kind.is_namespaced()),
        }
    }

    fn of_kind(&self, api_version: &str, kind: &str, namespace: Option<&str>) -> Vec<(&str, &Value)> {
        let of = Self::of(api_version, kind);
        let known = self.world.parameters.get(&(of.group, of.kind)).map_or(&[][..], Vec::as_slice);
        let is_meant = |one: &&Parameter| one.version == of.version && one.namespace.as_deref() == namespace;
        known.iter().filter(is_meant).map(|one| (one.name.as_str(), &one.value)).collect()
    }
}

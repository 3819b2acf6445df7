//! A custom resource as the server serves it: its versions with everything that is needed to check objects.

use std::sync::{Arc, OnceLock};

use trueline_kube_facts::KubeVersion;
use trueline_kube_facts::object_meta::Namespacing;

use super::default::{has_default, with_pruned_defaults};
use super::validate::{Purpose, Validator};
use super::warnings::deprecation_warning;
use crate::cel::{Engine, NodeRules, has_rules};
use crate::definition::{self, Crd, Scale};
use crate::structural::Root;
use crate::structural::{NotStructural, Structural};

/// A custom resource, ready for objects.
#[derive(Debug)]
pub struct Resource {
    /// The group of its API.
    pub group: Arc<str>,
    /// Its kind.
    pub kind: Arc<str>,
    /// Whether its objects live in namespaces.
    pub namespacing: Namespacing,
    /// Whether unknown fields are kept, as old CRDs can have it.
    pub preserves_unknown_fields: bool,
    /// Whether objects of one version become those of another by a change of `apiVersion` alone.
    pub converts_by_name: bool,
    /// The versions that are served or stored.
    pub versions: Vec<Version>,
    /// The version of the server; unknown until the first object asks.
    server: OnceLock<KubeVersion>,
}

/// A version of a custom resource.
#[derive(Debug)]
pub struct Version {
    /// Its name.
    pub name: Arc<str>,
    /// Whether it is served.
    pub served: bool,
    /// Whether objects are stored in it.
    pub storage: bool,
    /// Its schema, with the defaults as they are served.
    pub schema: Option<Structural>,
    /// Whether `status` is a subresource.
    pub has_status: bool,
    /// The scale subresource.
    pub scale: Option<Scale>,
    /// What the server warns of whenever the version is used.
    pub deprecation: Option<String>,
    /// Its rules in CEL, compiled when they are first needed.
    rules: OnceLock<Option<NodeRules>>,
    has_rules: bool,
    /// Whether its schema has unions (`x-kubernetes-unions`).
    pub has_unions: bool,
    /// What its schema has, so objects are not searched for what they cannot hold.
    pub(super) has: Has,
    /// What objects are validated with, made when the first object needs it.
    validator: OnceLock<Validator>,
    /// The same for their status alone.
    status_validator: OnceLock<Validator>,
}

/// What a schema has, at whatever depth.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Has {
    /// Defaults.
    pub(super) defaults: bool,
    /// Objects that are resources of their own.
    pub(super) embedded: bool,
    /// Lists that are sets or maps.
    pub(super) list_types: bool,
}

impl Has {
    fn of(schema: &Structural) -> Self {
        let is_list = |schema: &Structural| schema.extensions.list_type.is_some();
        Has {
            defaults: has_default(schema),
            embedded: schema.any(&|schema| schema.extensions.embedded_resource),
            list_types: schema.any(&is_list),
        }
    }
}

impl Resource {
    /// Makes a resource ready, as a server of this version serves it.
    pub fn new(crd: &Crd, server: KubeVersion) -> Result<Self, NotStructural> {
        let resource = Self::unasked(crd)?;
        resource.ask(server);
        Ok(resource)
    }

    /// Makes a resource ready before it is known which server will be asked about it. Nothing of the CRD as it was written is
    /// kept.
    pub fn unasked(crd: &Crd) -> Result<Self, NotStructural> {
        let versions = crd.spec.versions.iter().filter(|version| version.served || version.storage);
        Self::with_versions(crd, versions)
    }

    /// Says which server is asked; the first one counts.
    pub fn ask(&self, server: KubeVersion) -> &Self {
        self.server.get_or_init(|| server);
        self
    }

    /// Makes one version of a resource ready, whether or not it is served.
    pub(crate) fn of_version(
        crd: &Crd,
        version: &definition::Version,
        server: KubeVersion,
    ) -> Result<Self, NotStructural> {
        let resource = Self::with_versions(crd, std::iter::once(version))?;
        resource.ask(server);
        Ok(resource)
    }

    fn with_versions<'c>(
        crd: &Crd,
        versions: impl Iterator<Item = &'c definition::Version>,
    ) -> Result<Self, NotStructural> {
        let strategy = crd.spec.conversion.as_ref().map(|conversion| &*conversion.strategy);
        Ok(Resource {
            group: Arc::clone(&crd.spec.group),
            kind: Arc::clone(&crd.spec.names.kind),
            namespacing: match &*crd.spec.scope {
                "Cluster" => Namespacing::Cluster,
                _ => Namespacing::Namespaced,
            },
            preserves_unknown_fields: crd.preserves_unknown_fields(),
            converts_by_name: strategy != Some("Webhook"),
            versions: versions.map(|version| Version::new(crd, version)).collect::<Result<_, _>>()?,
            server: OnceLock::new(),
        })
    }

    /// Compiles the schemas and rules of its versions, so no object has to wait for that.
    pub fn compile(&self) {
        for version in &self.versions {
            version.rules(self.server());
            version.validator();
            version.status_validator();
        }
    }

    /// The version of the server.
    pub(super) fn server(&self) -> KubeVersion {
        *self.server.get_or_init(|| KubeVersion::CRD_RULES)
    }

    /// The version of that name.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| &*version.name == name)
    }

    /// The `apiVersion` of objects of a version.
    pub fn api_version(&self, version: &Version) -> String {
        format!("{}/{}", self.group, version.name)
    }
}

impl Version {
    /// Its rules in CEL, if it has any, as a server of this version compiles them.
    pub(super) fn rules(&self, server: KubeVersion) -> Option<&NodeRules> {
        let schema = self.schema.as_ref().filter(|_| self.has_rules)?;
        let compile = || NodeRules::of(schema, Root::Resource, &Engine::for_stored(server));
        self.rules.get_or_init(compile).as_ref()
    }

    /// What objects of the version are validated with.
    pub(super) fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| match &self.schema {
            Some(schema) => Validator::new(schema, Purpose::Objects),
            None => Validator::allowing_everything(),
        })
    }

    /// What the status alone is validated with, where it is a subresource that has a schema.
    pub(super) fn status_validator(&self) -> Option<&Validator> {
        let status = self.schema.as_ref().filter(|_| self.has_status)?.property("status")?;
        Some(self.status_validator.get_or_init(|| Validator::new(status, Purpose::Objects)))
    }

    fn new(crd: &Crd, version: &definition::Version) -> Result<Self, NotStructural> {
        let mut schema = crd.schema(version).map(|props| Structural::new(props)).transpose()?;
        // Most of the text of a CRD is descriptions, which say nothing of objects.
        schema.iter_mut().for_each(Structural::forget_descriptions);
        let subresources = crd.subresources(version);
        let has_status = subresources.is_some_and(|subresources| subresources.status);
        Ok(Version {
            name: Arc::clone(&version.name),
            served: version.served,
            storage: version.storage,
            has_status,
            scale: subresources.and_then(|subresources| subresources.scale.clone()),
            deprecation: deprecation_warning(crd, version),
            rules: OnceLock::new(),
            has_rules: schema.as_ref().is_some_and(has_rules),
            has_unions: schema.as_ref().is_some_and(Structural::has_unions),
            validator: OnceLock::new(),
            status_validator: OnceLock::new(),
            has: schema.as_ref().map(Has::of).unwrap_or_default(),
            schema: schema.map(with_pruned_defaults),
        })
    }
}

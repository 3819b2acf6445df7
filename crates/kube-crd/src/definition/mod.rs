//! Custom resource definitions, as the server keeps them: what all versions share is at the top, whatever
//! version of the API it was written in.

pub(crate) mod condition;
mod decode;

use std::sync::Arc;

use trueline_kube_facts::object_meta::ObjectMeta;

use crate::props::{Props, Written};

pub use condition::aggregate;
pub use decode::{Decoded, decode, is_crd};

/// The version of the API that a CRD is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiVersion {
    /// `apiextensions.k8s.io/v1`
    V1,
    /// `apiextensions.k8s.io/v1beta1`, which servers no longer take.
    V1Beta1,
}

/// A custom resource definition.
#[derive(Debug, Clone)]
pub struct Crd {
    /// What it was read from.
    pub written: Written,
    /// The version of the API that it is written in.
    pub api_version: ApiVersion,
    /// `metadata`
    pub metadata: ObjectMeta,
    /// `spec`
    pub spec: Spec,
    /// `status`
    pub status: Status,
}

/// `spec`
#[derive(Debug, Clone, Default)]
pub struct Spec {
    /// `group`
    pub group: Arc<str>,
    /// `version`: the name of the first version.
    pub version: Arc<str>,
    /// `names`
    pub names: Names,
    /// `scope`
    pub scope: Arc<str>,
    /// The schema that all versions share.
    pub validation: Option<Validation>,
    /// The subresources that all versions share.
    pub subresources: Option<Subresources>,
    /// `versions`
    pub versions: Vec<Version>,
    /// The printer columns that all versions share.
    pub printer_columns: Vec<PrinterColumn>,
    /// The selectable fields that all versions share.
    pub selectable_fields: Vec<SelectableField>,
    /// `conversion`
    pub conversion: Option<Conversion>,
    /// `preserveUnknownFields`
    pub preserve_unknown_fields: Option<bool>,
    /// What its versions have of their own.
    own: Own,
}

/// Which things at least one version has of its own, so none of them is shared. Looking for it again for each
/// version would take the square of their number.
#[derive(Debug, Clone, Copy, Default)]
struct Own {
    validation: bool,
    subresources: bool,
    printer_columns: bool,
    selectable_fields: bool,
}

impl Own {
    fn of(versions: &[Version]) -> Self {
        Own {
            validation: versions.iter().any(|version| version.validation.is_some()),
            subresources: versions.iter().any(|version| version.subresources.is_some()),
            printer_columns: versions.iter().any(|version| !version.printer_columns.is_empty()),
            selectable_fields: versions.iter().any(|version| !version.selectable_fields.is_empty()),
        }
    }
}

/// `names`
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names {
    /// `plural`
    pub plural: Arc<str>,
    /// `singular`
    pub singular: Arc<str>,
    /// `shortNames`
    pub short_names: Vec<Arc<str>>,
    /// `kind`
    pub kind: Arc<str>,
    /// `listKind`
    pub list_kind: Arc<str>,
    /// `categories`
    pub categories: Vec<Arc<str>>,
}

/// An entry of `versions`.
#[derive(Debug, Clone, Default)]
pub struct Version {
    /// What it was read from.
    pub written: Written,
    /// `name`
    pub name: Arc<str>,
    /// `served`
    pub served: bool,
    /// `storage`
    pub storage: bool,
    /// `deprecated`
    pub deprecated: bool,
    /// `deprecationWarning`
    pub deprecation_warning: Option<Arc<str>>,
    /// `schema`, unless all versions share it.
    pub validation: Option<Validation>,
    /// `subresources`, unless all versions share them.
    pub subresources: Option<Subresources>,
    /// `additionalPrinterColumns`, unless all versions share them.
    pub printer_columns: Vec<PrinterColumn>,
    /// `selectableFields`, unless all versions share them.
    pub selectable_fields: Vec<SelectableField>,
}

/// What holds a schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Validation {
    /// What it was read from.
    pub written: Written,
    /// `openAPIV3Schema`
    pub schema: Option<Arc<Props>>,
}

/// `subresources`
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subresources {
    /// What it was read from.
    pub written: Written,
    /// Whether there is `status`.
    pub status: bool,
    /// `scale`
    pub scale: Option<Scale>,
}

/// `subresources.scale`
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scale {
    /// `specReplicasPath`
    pub spec_replicas_path: Arc<str>,
    /// `statusReplicasPath`
    pub status_replicas_path: Arc<str>,
    /// `labelSelectorPath`
    pub label_selector_path: Option<Arc<str>>,
}

/// An entry of `additionalPrinterColumns`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PrinterColumn {
    /// What it was read from.
    pub written: Written,
    /// `name`
    pub name: Arc<str>,
    /// `type`
    pub type_name: Arc<str>,
    /// `format`
    pub format: Arc<str>,
    /// `description`
    pub description: Arc<str>,
    /// `priority`
    pub priority: i64,
    /// `jsonPath`
    pub json_path: Arc<str>,
}

/// An entry of `selectableFields`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SelectableField {
    /// What it was read from.
    pub written: Written,
    /// `jsonPath`
    pub json_path: Arc<str>,
}

/// `conversion`
#[derive(Debug, Clone, Default)]
pub struct Conversion {
    /// What it was read from.
    pub written: Written,
    /// `strategy`
    pub strategy: Arc<str>,
    /// How the webhook is called.
    pub client_config: Option<ClientConfig>,
    /// `conversionReviewVersions`
    pub review_versions: Vec<Arc<str>>,
    /// What they were read from.
    pub review_versions_written: Written,
}

/// How a webhook is called.
#[derive(Debug, Clone, Default)]
pub struct ClientConfig {
    /// What it was read from.
    pub written: Written,
    /// `url`
    pub url: Option<Arc<str>>,
    /// `service`
    pub service: Option<Service>,
    /// `caBundle`, in base64.
    pub ca_bundle: Arc<str>,
}

/// `service` of a webhook.
#[derive(Debug, Clone, Default)]
pub struct Service {
    /// `namespace`
    pub namespace: Arc<str>,
    /// `name`
    pub name: Arc<str>,
    /// `path`
    pub path: Option<Arc<str>>,
    /// `port`
    pub port: i64,
}

/// `status`
#[derive(Debug, Clone, Default)]
pub struct Status {
    /// `conditions`
    pub conditions: Vec<Condition>,
    /// `acceptedNames`
    pub accepted_names: Names,
    /// `storedVersions`
    pub stored_versions: Vec<Arc<str>>,
}

/// An entry of `status.conditions`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    /// `type`
    pub type_name: Arc<str>,
    /// `status`
    pub status: Arc<str>,
    /// `reason`
    pub reason: Arc<str>,
    /// `message`
    pub message: Arc<str>,
}

impl Crd {
    /// The version of that name.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.spec.versions.iter().find(|version| &*version.name == name)
    }

    /// The schema of a version, wherever it is written.
    pub fn schema<'c>(&'c self, version: &'c Version) -> Option<&'c Arc<Props>> {
        let validation = if self.spec.own.validation { &version.validation } else { &self.spec.validation };
        validation.as_ref()?.schema.as_ref()
    }

    /// The subresources of a version, wherever they are written.
    pub fn subresources<'c>(&'c self, version: &'c Version) -> Option<&'c Subresources> {
        self.spec.subresources_of(version)
    }

    /// The printer columns of a version, wherever they are written.
    pub fn printer_columns<'c>(&'c self, version: &'c Version) -> &'c [PrinterColumn] {
        if self.spec.own.printer_columns { &version.printer_columns } else { &self.spec.printer_columns }
    }

    /// The selectable fields of a version, wherever they are written.
    pub fn selectable_fields<'c>(&'c self, version: &'c Version) -> &'c [SelectableField] {
        if self.spec.own.selectable_fields {
            &version.selectable_fields
        } else {
            &self.spec.selectable_fields
        }
    }

    /// Whether unknown fields of its objects are kept.
    pub fn preserves_unknown_fields(&self) -> bool {
        self.spec.preserve_unknown_fields == Some(true)
    }

    /// Says that the server has taken the resource into service, after which more must not change.
    pub fn assume_established(&mut self) {
        if !self.has_condition("Established") {
            self.status.conditions.push(Condition {
                type_name: "Established".into(),
                status: "True".into(),
                ..Condition::default()
            });
        }
    }

    /// Whether a condition is true.
    pub fn has_condition(&self, type_name: &str) -> bool {
        let conditions = &self.status.conditions;
        conditions.iter().any(|condition| &*condition.type_name == type_name && &*condition.status == "True")
    }
}

impl Spec {
    /// The subresources of a version, wherever they are written.
    fn subresources_of<'c>(&'c self, version: &'c Version) -> Option<&'c Subresources> {
        if self.own.subresources { version.subresources.as_ref() } else { self.subresources.as_ref() }
    }
}

//! The flags that say what Kubernetes objects are validated against.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use clap::{Args, ValueHint};
use trueline_analysis::{FieldValidation, KubeVersion};

/// What Kubernetes objects are validated against.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Kubernetes")]
pub(crate) struct KubeFlags {
    /// What fields are that Kubernetes does not know, or that are there twice (default: strict)
    ///
    /// strict: errors, as with kubectl; warn: warnings; ignore: nothing is said.
    #[arg(long, value_name = "HOW", value_parser = field_validation_parser())]
    pub(crate) field_validation: Option<FieldValidation>,

    /// Take the CRDs from a file, or from all files of a directory; `-` is standard input
    ///
    /// May be given several times. Definitions among what is checked, and in the crds/ of charts, are known anyway.
    #[arg(long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) crd: Vec<PathBuf>,

    /// Take admission policies from a file, or from all files of a directory; `-` is standard input
    ///
    /// ValidatingAdmissionPolicies, their bindings, the objects that they take parameters from, and Namespaces. May be given
    /// several times. What is in it is not checked itself, but a policy that cannot be used is reported. Policies among what is checked apply anyway.
    #[arg(long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) policy: Vec<PathBuf>,

    /// Where JSON Schemas of further kinds are, such as 'schemas/{{.ResourceKind}}{{.KindSuffix}}.json'
    ///
    /// A path or an address as kubeconform takes it; may be given several times, and the first that has the kind
    /// counts. What Kubernetes itself defines, and what a CRD defines, needs none.
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) schema_location: Vec<String>,

    /// Say nothing more of kinds that there is no schema for, not even with --strict
    #[arg(long)]
    pub(crate) ignore_missing_schemas: bool,

    /// Leave out objects of these kinds: Kind, or group/version/Kind
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) skip: Vec<String>,

    /// Take objects for updates of those in this file or directory; `-` is standard input
    ///
    /// May be given several times, and be a pipe, such as <(kubectl get deploy -o yaml) in a shell. Fields that may not change, such as the selector of a Deployment, are found with their old value. In definitions and
    /// objects of their kinds, what was wrong before and has not changed is forgiven where a cluster forgives it; an old definition
    /// counts as in use, so that its scope and its kind may not change. Objects
    /// are matched by kind, namespace and name; without a namespace, the only one of its kind and name is meant.
    #[arg(long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) old: Vec<PathBuf>,

    /// The version of the cluster, where charts have no say in it
    #[arg(skip)]
    pub(crate) kube_version: Option<KubeVersion>,
}

/// The values of `--field-validation`.
pub(crate) fn field_validation_parser() -> impl clap::builder::TypedValueParser<Value = FieldValidation> {
    PossibleValuesParser::new(FieldValidation::ALL.map(|(name, _)| name))
        .try_map(|name| name.parse::<FieldValidation>())
}

//! What a cluster accepts: the schemas of CRDs and what the API server demands of them, what it does to
//! objects (prune, default, validate) and what it publishes.

pub mod cel;
pub mod crd;
pub mod manifest;
mod named;
pub mod object;
mod props;
pub mod publish;
pub mod structural;

pub use named::named_rules;
pub use props::{Items, OrBool, Props, Rule, StringsOrSchema, Written};
pub use trueline_kube_api as api;
pub use trueline_kube_facts::decode::{DecodeError, UnknownField};
pub use trueline_kube_facts::meant::{nearest_kind, offer};
pub use trueline_kube_facts::object_meta::{
    ManagedFields, Namespacing, ObjectMeta, OwnerReference, validate_annotations, validate_labels,
};
pub use trueline_kube_facts::{
    Argument, Bound, Breach, Detail, ExpressionIssue, FieldError, FieldPath, FieldValidation, KubeVersion,
    Name, Reason, RuleFact, Segment, ServerRule, Trail,
};

//! What a cluster accepts: objects of built-in kinds with the words for what is wrong with them, admission policies, and what
//! the crates below give: CRDs and their objects, the embedded API.

pub mod cel;
pub mod cluster;
pub mod crd;
pub mod manifest;
mod named;

pub use named::named_rules;
pub use trueline_kube_api as api;
pub use trueline_kube_crd::props::{Items, OrBool, Props, Rule, StringsOrSchema, Written};
pub use trueline_kube_crd::{object, publish, structural};
pub use trueline_kube_facts::decode::{DecodeError, UnknownField};
pub use trueline_kube_facts::meant::{nearest_kind, offer};
pub use trueline_kube_facts::object_meta::{
    ManagedFields, Namespacing, ObjectMeta, OwnerReference, validate_annotations, validate_labels,
};
pub use trueline_kube_facts::{
    Argument, Bound, Breach, Detail, ExpressionIssue, FieldError, FieldPath, FieldValidation, KubeVersion,
    Name, Reason, RuleFact, Segment, ServerRule, Trail,
};

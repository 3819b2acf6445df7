//! What a cluster accepts: the schemas of CRDs and what the API server demands of them, what it does to
//! objects (prune, default, validate) and what it publishes.

pub mod api;
mod belongs;
pub mod cel;
pub mod cluster;
pub mod crd;
mod decode;
mod field_error;
mod field_path;
pub mod manifest;
mod meant;
mod named;
mod names;
pub mod object;
mod object_meta;
mod options;
mod props;
pub mod publish;
mod rules;
mod server_rule;
pub mod structural;
mod trail;

pub(crate) use trueline_apimachinery::quantity;

pub use decode::{DecodeError, UnknownField};
pub use field_error::{Bound, ExpressionIssue, FieldError, Reason, RuleFact};
pub use field_path::{FieldPath, Name, Segment};
pub use meant::{nearest_kind, offer};
pub use named::named_rules;
pub use object_meta::{
    ManagedFields, Namespacing, ObjectMeta, OwnerReference, validate_annotations, validate_labels,
};
pub use options::{FieldValidation, KubeVersion};
pub use props::{Items, OrBool, Props, Rule, StringsOrSchema, Written};
pub use server_rule::{Argument, Breach, Detail, ServerRule};
pub use trail::Trail;

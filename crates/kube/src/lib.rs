//! What a cluster accepts: the schemas of CRDs and what the API server demands of them, what it does to
//! objects (prune, default, validate) and what it publishes.

pub mod api;
mod belongs;
pub mod cel;
pub mod crd;
mod decode;
mod field_error;
mod field_path;
pub mod manifest;
mod meant;
pub mod object;
mod object_meta;
mod options;
mod props;
pub mod publish;
mod rules;
pub mod structural;

pub use trueline_apimachinery::names;
pub(crate) use trueline_apimachinery::quantity;

pub use decode::{DecodeError, UnknownField};
pub use field_error::{Bound, ExpressionIssue, FieldError, Reason, RuleFact};
pub use field_path::FieldPath;
pub use meant::{nearest_kind, offer};
pub use object_meta::{
    IMMUTABLE, ManagedFields, Namespacing, ObjectMeta, OwnerReference, validate_annotations, validate_labels,
};
pub use options::{FieldValidation, KubeVersion};
pub use props::{Items, OrBool, Props, Rule, StringsOrSchema, Written};

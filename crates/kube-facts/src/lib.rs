//! What the checks of objects and CRDs share: paths of fields, rules of the server and their breaches, names, the
//! metadata of objects, and how Go reads a value into a type.

pub mod belongs;
pub mod cel_codes;
pub mod codes;
pub mod common;
pub mod decode;
mod field_error;
mod field_path;
pub mod meant;
pub mod names;
pub mod object_meta;
mod options;
mod quote;
mod reason;
pub mod schema_rules;
mod server_rule;
mod trail;
pub mod web_address;

pub use field_error::{Bound, ExpressionIssue, Failure, FieldError, RuleFact};
pub use field_path::{FieldPath, Name, Segment};
pub use options::{FieldValidation, KubeVersion};
pub use quote::go_quoted;
pub use reason::Reason;
pub use server_rule::{Argument, Breach, Detail, ServerRule, joined};
pub use trail::Trail;

/// The rules that are declared in this crate.
pub static NAMED_LISTS: &[&[&ServerRule]] =
    &[common::NAMED, names::NAMED, object_meta::NAMED, schema_rules::NAMED, web_address::NAMED];

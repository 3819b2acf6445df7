//! What a cluster accepts: the schemas of CRDs and what the API server demands of them, what it does to
//! objects (prune, default, validate) and what it publishes.

mod field_error;
mod options;
mod props;
pub mod structural;

pub use field_error::{FieldError, Reason};
pub use options::{FieldValidation, KubeVersion};
pub use props::{Items, OrBool, Props, Rule, StringsOrSchema};

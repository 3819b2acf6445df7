//! ytt: YAML templates, data values, schemas, overlays and libraries.
//!
//! Everything works on [`tree`], ytt's own documents: keys of any type, strings of bytes, and a position, comments
//! and annotations on every node.

mod annotations;
pub mod error;
mod fact;
pub mod files;
pub mod fmt;
pub mod input;
pub mod input_error;
pub mod library;
pub mod modules;
pub mod overlay;
pub mod run;
pub mod schema;
pub mod template;
#[cfg(test)]
mod testing;
pub mod text;
pub mod tree;
pub mod validation;
pub mod value;
pub mod values;

pub use error::reflow;
pub use run::run;

/// The version of ytt that is followed.
pub const VERSION: &str = "0.49.0";

pub use annotations::ANNOTATIONS;

//! Extension manifests.

pub mod schemas;
pub mod types;

pub use schemas::{SchemaDirectory, SchemaKind, SchemaSet};

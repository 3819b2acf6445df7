//! The schemas that documents are validated against: embedded, replaced from a directory, or fetched.

mod directory;
mod embedded;
mod set;

pub use directory::{DEFAULT_REMOTE, SchemaDirectory};
pub use embedded::{EmbeddedSchema, SCHEMA_BASE, SCHEMAS, bundle, names, schema};
pub use set::{SCHEMA_UNAVAILABLE, SchemaKind, SchemaSet};

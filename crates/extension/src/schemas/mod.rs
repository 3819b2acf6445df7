//! The schemas that documents are held against: embedded, replaced from a directory, or fetched.

mod embedded;

pub use embedded::{EmbeddedSchema, SCHEMA_BASE, SCHEMAS, bundle, names, schema};

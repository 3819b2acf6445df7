//! What Kubernetes' apimachinery library checks in single strings: quantities, names and labels, the formats of
//! schemas, and patterns. Objects, schemas and CEL are all built on it.

pub mod formats;
pub mod names;
pub mod pattern;
pub mod quantity;

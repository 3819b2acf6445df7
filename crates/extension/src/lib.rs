//! Extension manifests.

pub mod schemas;
pub mod types;

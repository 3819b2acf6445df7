//! Extension manifests.

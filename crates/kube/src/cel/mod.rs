//! CEL as a cluster evaluates it: rules of CRDs, single expressions, and admission policies.

pub mod policy;

pub use trueline_kube_crd::cel::{CODES, Locate, grouped};
pub use trueline_kube_crd::query;

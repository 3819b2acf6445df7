//! What the API server demands of objects of built-in kinds: one walk over an object beside its definition, the rules that
//! belong to definitions, and what is wrong as facts.

pub mod cel;
pub mod manifest;
mod place;
mod problem;
pub mod rules;
mod scalar;
mod slip;
mod types;

use trueline_kube_facts::ServerRule;

pub use types::{TypedAs, WantedType};

/// The rules that are declared in this crate.
pub static NAMED_LISTS: &[&[&[&ServerRule]]] =
    &[rules::NAMED_LISTS, rules::update::NAMED_LISTS, rules::warning::NAMED_LISTS];

//! Objects of built-in kinds: whether the API server of a version would take them.
//!
//! [`objects`] takes a document apart (a `List` holds several), [`validate`] looks at one object and gives facts, and
//! [`diagnostic`] puts words on a fact.

mod causes;
mod names;
mod plain;
mod sentences;
#[cfg(test)]
mod tests;
mod type_words;
mod words;

pub use causes::{together, without_consequences};
pub use trueline_kube_facts::codes::CODES;
pub use trueline_kube_facts::meant::Meant;
pub use trueline_kube_rules::manifest::{
    Fact, Object, Options, Problem, Skip, Suggestions, Unreadable, Verdict, objects, validate,
    validate_update,
};
pub use words::{diagnostic, namespace_dropped, refused, unknown_field};

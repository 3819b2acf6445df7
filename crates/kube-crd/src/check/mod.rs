//! Checks of CRDs: what the server demands of one, what it would demand next, and what we would say besides.

mod further;
mod stricter;
mod subject;
pub(crate) mod validate;
mod words;

pub use validate::{RuleCost, Verdict, Warning};
pub use words::{
    CheckOptions, Checked, check, refused, severity_of_unknown, unknown_field, unreadable, unreadable_words,
    warned,
};

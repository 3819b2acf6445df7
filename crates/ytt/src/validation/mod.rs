//! Validations: rules that data values have to meet, from `@schema/validation` and `@assert/validate`.

mod annotation;
mod check;
mod report;
mod run;
#[cfg(test)]
mod tests;

pub use annotation::Validation;
pub(crate) use annotation::{as_integer, is_sequence};
pub use check::{Check, through_yaml};
pub use report::{Invalid, Report, RuleViolation};
pub use run::{ASSERT_VALIDATE, validate};

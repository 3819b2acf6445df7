//! Validations: rules that data values and output have to meet, from `@schema/validation` and `@assert/validate`.

mod annotation;
mod check;
mod format;
mod json_schema;
mod message;
mod named;
mod node;
mod report;
mod run;
#[cfg(test)]
mod tests;

pub use annotation::{Rule, Validation};
pub(crate) use annotation::{as_integer, is_sequence};
pub use check::{Check, Pattern, through_yaml};
pub use format::Format;
pub(crate) use format::QUANTITY_PATTERN;
pub use json_schema::JsonSchema;
pub(crate) use json_schema::is_common_pattern;
pub use named::NAMED_RULES;
pub(crate) use named::multiple;
pub(crate) use node::{has_rules, without_rules};
pub use report::{Invalid, Report, RuleViolation};
pub use run::{
    ASSERT_VALIDATE, NamedValue, breaks_rules, validate, validate_content, validate_documents, validate_value,
};

//! Charts: loading, values, dependencies and rendering, as Helm does it.

pub mod chart;
pub mod create;
pub mod dependencies;
mod edit;
pub mod engine;
mod expand;
mod go_yaml;
pub mod json_path;
pub mod lint;
pub mod log;
pub mod package;
mod path_match;
mod refusal;
pub mod release;
pub mod repository;
pub mod schema;
mod seeded;
pub mod show;
pub mod usage;
pub mod values;
pub mod values_schema;

use trueline_diagnostic::Code;

pub use expand::expand_variables;
pub use path_match::{BadPattern, path_match};
pub use refusal::{Refusal, RefusalKind};
pub use seeded::Seeded;
pub use trueline_gotemplate::fmt::quote;
pub use trueline_gotemplate::{
    ARGUMENT_TYPE, Branches, Environment, FIELD_OF_NOTHING, Limits, NO_SUCH_FIELD, NOT_ITERABLE, Origins,
    STOPPED_ON_PURPOSE, UNKNOWN_TEMPLATE,
};

/// The codes of everything that charts are made of.
pub const CODES: &[&[&Code]] = &[
    chart::CODES,
    package::CODES,
    values::VALUES_CODES,
    values_schema::VALUES_SCHEMA_CODES,
    schema::CODES,
    repository::CODES,
    usage::USAGE_CODES,
    trueline_gotemplate::CODES,
];

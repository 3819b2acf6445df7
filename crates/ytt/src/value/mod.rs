//! What YAML is to Starlark and the other way round: fragments, structs, and the values that both have.
//!
//! Scalars carry a mark that leads to the place where they were typed; [`Context`] knows all marks of a run.

mod context;
mod convert;
mod fragment;
mod measure;
mod noop;
mod places;
mod structs;
mod yaml;

pub use context::Context;
pub(crate) use convert::from_starlark_measured;
pub use convert::{from_starlark, go_type_name, to_starlark, to_struct, tree_value};
pub use fragment::{Content, Fragment};
pub(crate) use measure::Measure;
pub use noop::Noop;
pub use structs::Struct;
pub use yaml::{Origin, into_yaml};

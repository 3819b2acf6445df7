//! The functions that chart templates call, one family per file.

pub mod glob;
mod quote;
pub mod semver;

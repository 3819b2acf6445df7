//! Charts: loading, values, dependencies and rendering, as Helm does it.

pub mod chart;
mod go_text;
pub mod log;

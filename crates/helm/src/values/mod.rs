//! Values: what a chart's own files, the command line and its parent charts say, joined as Helm joins
//! them. Every value keeps the place where it was typed: the winner's.

mod coalesce;
mod codes;
mod depth;
mod error;
mod given;
mod options;
mod overlay;
mod print;
mod strvals;
mod table;

pub use coalesce::coalesce;
pub(crate) use coalesce::{ChartView, Coalescer, ImportFault, Nulls, SHARED_LEVELS, Source};
pub use codes::*;
pub(crate) use depth::{exceeds, too_deep};
pub use error::ValueError;
pub use given::{GivenError, read_given};
pub use options::{ReadFile, ValueOptions};
pub use overlay::overlay;
pub(crate) use print::{go_type, go_value};
pub(crate) use table::{Node, Table};

/// How deep the values of a chart may be nested: the same limit as for texts, because everything that
/// looks at values walks them recursively.
pub(crate) const DEPTH: usize = 1_000;

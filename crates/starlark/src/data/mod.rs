//! The contents of values: strings, lists, dicts and the like.

mod dict;
mod list;
mod small;
mod state;
mod table;
mod text;

pub use dict::{Dict, Set};
pub use list::List;
pub use small::Range;
pub(crate) use small::{Big, Cell, Tuple};
pub(crate) use state::State;
pub use text::Text;

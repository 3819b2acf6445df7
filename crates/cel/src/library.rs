//! The functions that come with the language and with cel-go. Each library gives its declarations, which an environment
//! adds to those it has.

pub mod comprehensions;
mod conversions;
mod format;
pub mod format_check;
pub mod lists;
mod operators;
pub mod optional;
pub mod sets;
mod sort;
pub mod standard;
pub mod strings;
mod texts;
mod time;

pub(crate) use comprehensions::add as add_entries;
pub(crate) use operators::{add, unhashable, unsupported};
pub(crate) use standard::SHORTER;
pub(crate) use texts::is_match;

//! Compiled programs.

mod compile;
mod expression;
mod op;
mod program;
mod resolve;
mod resolve_names;
mod spell;
mod statement;

pub(crate) use op::{CallShape, Capture, Code, Op, Stars};
pub(crate) use program::Constant;
pub use program::{Globals, Program};
pub(crate) use spell::nearest;

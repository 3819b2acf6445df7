//! Text templates: `(@ code @)` and `(@= expression @)` in any text, and in strings of YAML templates.

mod compile;
mod parse;

pub use compile::compile;
pub(crate) use compile::compile_inline;

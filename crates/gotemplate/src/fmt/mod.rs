//! Go's `fmt` for template values, and the quoting of `strconv`.

mod quote;

pub use quote::quote;

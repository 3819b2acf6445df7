//! Values: with numbers as the server has them, with parts exchanged, and as the server prints them.

mod numbers;
pub(crate) mod printed;
pub(crate) mod rewrite;

pub use numbers::with_server_numbers;

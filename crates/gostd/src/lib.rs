//! The behaviour of Go's standard library for strings, numbers, times and addresses, and of its TOML package,
//! for everything that has to agree with a Go program.

pub mod base64;
mod error;
pub mod hash;
pub mod ip;
pub mod json;
pub mod math;
pub mod number;
pub mod quote;
pub mod strconv;
pub mod system;
pub mod time;
pub mod toml;
pub mod unicode;
pub mod url;

pub use error::{GoError, GoErrorKind};

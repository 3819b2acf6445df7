//! CEL as the API server runs it: which functions each version of Kubernetes has, what they do and what they cost.

mod amount;
pub mod authorizer;
pub mod budget;
pub mod cidr;
mod cost;
mod environment;
pub mod escape;
pub mod format;
pub mod ip;
pub mod jsonpatch;
mod lists;
pub mod plain;
pub mod quantity;
pub mod reads;
mod regex;
pub mod semver;
pub mod url;
mod version;

pub use environment::{PER_CALL_LIMIT, environment};

//! Registries: references to charts in them, and what they answer. The requests themselves are the caller's.

mod challenge;
mod credentials;
mod fault;
mod manifest;
mod reference;
mod tags;

pub use challenge::{Challenge, Token, read_token};
pub use credentials::{Credentials, RegistryConfig, Stored};
pub use fault::fault;
pub use manifest::{ACCEPTED, CHART_LAYER, Layer, Manifest};
pub use reference::Reference;
pub use tags::{next_page, read_tags, sorted};

/// What addresses of registries begin with.
pub const SCHEME: &str = "oci://";

/// Whether an address leads to a registry.
pub fn is_oci(address: &str) -> bool {
    address.starts_with(SCHEME)
}

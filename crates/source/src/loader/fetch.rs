//! How documents are fetched from elsewhere.

use std::fmt;

use super::LoadError;

/// The way to the network. The binary passes one that really fetches; tests pass one in memory.
pub trait Fetch: Send + Sync + fmt::Debug {
    /// The document at an `http:` or `https:` URL, from a cache or from its server.
    ///
    /// The implementation bounds size, time and redirects, and sends no credentials.
    fn fetch(&self, url: &str) -> Result<Fetched, LoadError>;
}

/// A document that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The content of the document.
    pub bytes: Vec<u8>,
    /// The final URL, after redirects.
    pub url: String,
}

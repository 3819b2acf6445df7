//! How documents are fetched from elsewhere.

use std::fmt;

use super::LoadError;

/// The door to the network. The binary has the one that really fetches; tests have one in memory.
pub trait Fetch: Send + Sync + fmt::Debug {
    /// The document at an `http:` or `https:` URL, from a cache or from its server.
    ///
    /// The implementation bounds size, time and redirects, and sends no credentials.
    fn fetch(&self, url: &str) -> Result<Fetched, LoadError>;
}

/// A document that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The URL that it finally came from, after redirects.
    pub url: String,
}

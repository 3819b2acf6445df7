//! What the flags for values name.

use std::fmt;
use std::path::Path;

use trueline_source::{Fetch, LoadError, MAX_READ, System, TypedReadError, read_typed};
use url::Url;

/// Why what a flag names cannot be read. It prints in Helm's words where it has some.
#[derive(Debug)]
pub enum GivenError {
    /// Nothing can be read here.
    Nowhere,
    /// Standard input or an address cannot be read.
    Load(LoadError),
    /// A file cannot be read.
    File(TypedReadError),
}

impl fmt::Display for GivenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GivenError::Nowhere => formatter.write_str("no file can be read here"),
            GivenError::Load(error) => error.fmt(formatter),
            GivenError::File(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for GivenError {}

/// Reads a file, an address or standard input.
pub fn read_given(system: &dyn System, fetch: &dyn Fetch, name: &str) -> Result<Vec<u8>, GivenError> {
    if name.trim() == "-" {
        return system.standard_input(MAX_READ).map_err(GivenError::Load);
    }
    match Url::parse(name) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => {
            Ok(fetch.fetch(name).map_err(GivenError::Load)?.bytes)
        }
        _ => read_typed(system, Path::new(name), name).map_err(GivenError::File),
    }
}

//! What the flags for values name.

use std::path::Path;

use trueline_source::{Fetch, MAX_READ, System, read_typed};
use url::Url;

/// Reads a file, an address or standard input; the error is in Helm's words where it has some.
pub fn read_given(system: &dyn System, fetch: &dyn Fetch, name: &str) -> Result<Vec<u8>, String> {
    if name.trim() == "-" {
        return system.standard_input(MAX_READ).map_err(|error| error.to_string());
    }
    match Url::parse(name) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => {
            Ok(fetch.fetch(name).map_err(|error| error.to_string())?.bytes)
        }
        _ => read_typed(system, Path::new(name), name).map_err(|error| error.to_string()),
    }
}

//! Schemas from a directory: missing ones are taken from the embedded schemas or fetched.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use trueline_schema::Network;
use trueline_source::{Entry, Fetch, Fetched, LoadError, LoadErrorKind, Loader, MemoryLoader, OverlayLoader};

use super::embedded::{SCHEMA_BASE, SCHEMAS};

/// The address below which a schema is fetched that is neither in the directory nor embedded.
pub const DEFAULT_REMOTE: &str = "https://raw.githubusercontent.com/pacphi/sindri/main/docker/lib/schemas/";

/// A directory whose schemas replace embedded ones, and what to do about missing ones.
#[derive(Debug, Clone)]
pub struct SchemaDirectory {
    pub(super) loader: Arc<dyn Loader>,
    pub(super) remote: String,
    pub(super) fetch: Option<Arc<dyn Fetch>>,
    pub(super) network: Network,
}

impl SchemaDirectory {
    /// A directory of schemas; nothing is fetched unless [`with_fetch`](Self::with_fetch) says how.
    pub fn new(loader: Arc<dyn Loader>) -> Self {
        SchemaDirectory { loader, remote: DEFAULT_REMOTE.to_owned(), fetch: None, network: Network::Allowed }
    }

    /// Chooses another address below which missing schemas are looked for.
    pub fn with_remote(mut self, url: impl Into<String>) -> Self {
        self.remote = url.into();
        if !self.remote.ends_with('/') {
            self.remote.push('/');
        }
        self
    }

    /// Says how documents are fetched, and whether that is allowed.
    pub fn with_fetch(mut self, fetch: Option<Arc<dyn Fetch>>, network: Network) -> Self {
        self.fetch = fetch;
        self.network = network;
        self
    }
}

/// The directory, the embedded schemas below it and the remote address after both, as one loader.
#[derive(Debug)]
pub(super) struct SchemaFiles {
    files: OverlayLoader,
    remote: String,
    fetch: Option<Arc<dyn Fetch>>,
    plain: Mutex<BTreeSet<String>>,
}

impl SchemaFiles {
    pub(super) fn new(directory: &SchemaDirectory) -> Self {
        let embedded =
            SCHEMAS.iter().fold(MemoryLoader::new(SCHEMA_BASE.trim_end_matches('/')), |loader, schema| {
                loader.with_file(schema.file, schema.text)
            });
        SchemaFiles {
            files: OverlayLoader::new(Arc::clone(&directory.loader), Arc::new(embedded)),
            remote: directory.remote.clone(),
            fetch: directory.fetch.clone(),
            plain: Mutex::default(),
        }
    }

    /// The addresses that were fetched over unencrypted HTTP.
    pub(super) fn fetched_plainly(&self) -> Vec<String> {
        self.plain.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The address of a schema that is missing here. Only schemas are looked up elsewhere; other files need not
    /// exist.
    fn remote_address(&self, path: &str) -> Option<String> {
        let missing = self.files.entry(path).is_err_and(|error| error.kind == LoadErrorKind::NotFound);
        (missing && path.ends_with(".schema.json")).then(|| format!("{}{path}", self.remote))
    }

    fn fetch(&self, url: &str) -> Result<Fetched, LoadError> {
        let Some(fetch) = &self.fetch else { return Err(LoadError::new(LoadErrorKind::Offline, url)) };
        let fetched = fetch.fetch(url)?;
        if fetched.bytes.trim_ascii_start().starts_with(b"<") {
            let error = LoadError::new(LoadErrorKind::Refused, url);
            return Err(error.with_detail("it is a web page (HTML), not a JSON Schema"));
        }
        Ok(fetched)
    }
}

impl Loader for SchemaFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
        let Some(url) = self.remote_address(path) else { return self.files.read(path) };
        let fetched = self.fetch(&url)?;
        if url.starts_with("http:") {
            self.plain.lock().unwrap_or_else(PoisonError::into_inner).insert(url);
        }
        Ok(fetched.bytes)
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
        self.files.list(path)
    }

    fn entry(&self, path: &str) -> Result<Entry, LoadError> {
        self.files.entry(path)
    }

    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        self.files.scoped(path)
    }

    fn display(&self, path: &str) -> String {
        self.remote_address(path).unwrap_or_else(|| self.files.display(path))
    }
}

/// Addresses of our own schemas point to the files, all others to the network.
#[derive(Debug)]
pub(super) struct SchemaFetch(pub(super) Arc<SchemaFiles>);

impl Fetch for SchemaFetch {
    fn fetch(&self, url: &str) -> Result<Fetched, LoadError> {
        match url.strip_prefix(SCHEMA_BASE) {
            Some(path) => Ok(Fetched { bytes: self.0.read(path)?, url: url.to_owned() }),
            None => self.0.fetch(url),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_overrides_embedded_schemas() {
        let loader = MemoryLoader::new("mine").with_file("bom.schema.json", "{}").with_file("notes/a.md", "");
        let files = SchemaFiles::new(&SchemaDirectory::new(Arc::new(loader)));
        let names: Vec<String> = files.list("").unwrap().into_iter().map(|entry| entry.name).collect();
        assert!(names.contains(&"notes".to_owned()) && names.contains(&"install.schema.json".to_owned()));
        assert_eq!(files.read("bom.schema.json").unwrap(), b"{}");
        assert_eq!(files.scoped("notes").unwrap().read("a.md").unwrap(), b"");
        for (path, shown) in [
            ("bom.schema.json", "mine/bom.schema.json".to_owned()),
            ("install.schema.json", format!("{SCHEMA_BASE}install.schema.json")),
            ("new.schema.json", format!("{DEFAULT_REMOTE}new.schema.json")),
        ] {
            assert_eq!(files.display(path), shown);
        }
    }

    #[test]
    fn only_schemas_are_looked_up_elsewhere() {
        let files = SchemaFiles::new(&SchemaDirectory::new(Arc::new(MemoryLoader::new("mine"))));
        assert_eq!(files.read("schema-dependencies.json").unwrap_err().kind, LoadErrorKind::NotFound);
        assert_eq!(files.read("new.schema.json").unwrap_err().kind, LoadErrorKind::Offline);
        assert_eq!(files.read("../new.schema.json").unwrap_err().kind, LoadErrorKind::Outside);
    }
}

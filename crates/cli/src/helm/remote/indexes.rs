//! Indexes of repositories: fetched, kept, and read once a run.

use std::sync::Arc;

use trueline_helm::quote;
use trueline_helm::repository::{Index, Repositories, Repository, address, oci, read_index, unmanaged_name};
use trueline_source::Network;
use trueline_source::Readers;

use super::cache::place;
use super::fetch::with_clue;
use super::{Access, LARGEST_INDEX, Remote};
use crate::world::World;
use trueline_diagnostic::shown_address;

/// A chart that was found in the index of an address.
#[derive(Debug)]
pub(in super::super) struct FoundChart {
    /// Where the archive is.
    pub(in super::super) url: String,
    /// Its sum; empty where the index does not say.
    pub(in super::super) digest: String,
}

impl Remote {
    /// The repositories that were added; none where there is no file.
    pub(in super::super) fn repositories(&self, world: &World) -> Result<Repositories, String> {
        let file = &self.paths.repositories;
        match world.stat(file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Repositories::default()),
            _ => {
                let bytes = world
                    .read_file(file)
                    .map_err(|wrong| format!("couldn't load repositories file ({file}): {wrong}"))?;
                Ok(Repositories::read(&bytes)?)
            }
        }
    }

    /// The index of a repository that was fetched before, by its name.
    pub(in super::super) fn cached_index(
        &mut self,
        name: &str,
        world: &mut World,
    ) -> Result<Arc<Index>, String> {
        if let Some(index) = self.indexes.get(name) {
            return Ok(Arc::clone(index));
        }
        let file = self.paths.index(name);
        let bytes = world.read_file(&file).map_err(|error| error.to_string())?;
        let mut log = Vec::new();
        let read = read_index(&bytes, &file, &mut log);
        self.log(world, &log);
        let index = Arc::new(read.map_err(|wrong| format!("error loading {file}: {wrong}"))?);
        self.indexes.insert(name.to_owned(), Arc::clone(&index));
        Ok(index)
    }

    /// Fetches the index of a repository and keeps it under its name.
    pub(in super::super) fn update_index(
        &mut self,
        repository: &Repository,
        world: &mut World,
    ) -> Result<Arc<Index>, String> {
        // The name becomes that of a file.
        if repository.name.contains(['/', '\\']) {
            let name = &repository.name;
            return Err(format!(
                "repository name ({name}) contains '/', please specify a different name without '/'"
            ));
        }
        let (bytes, index) = self.fetch_index(&repository.url, &Access::of(repository), world)?;
        let names: String = index.entries.keys().map(|name| format!("{name}\n")).collect();
        let path = |file: String| world.path(&file);
        place(world, &path(self.paths.charts(&repository.name)), names.as_bytes(), Readers::Usual)?;
        place(world, &path(self.paths.index(&repository.name)), &bytes, Readers::Usual)?;
        self.indexes.insert(repository.name.clone(), Arc::clone(&index));
        Ok(index)
    }

    fn fetch_index(
        &self,
        url: &str,
        access: &Access,
        world: &mut World,
    ) -> Result<(Vec<u8>, Arc<Index>), String> {
        let index_url = address::resolve(url, "index.yaml")?;
        let answer = self.get(&index_url, access, None, LARGEST_INDEX, world)?;
        let mut log = Vec::new();
        let read = read_index(&answer.body, &shown_address(url), &mut log);
        self.log(world, &log);
        match read {
            Ok(index) => Ok((answer.body, Arc::new(index))),
            Err(wrong) => Err(with_clue(wrong.into(), &answer)),
        }
    }

    /// The index of an address that was fetched before, where nothing may be fetched now.
    fn index_before(&mut self, url: &str, world: &mut World) -> Option<Arc<Index>> {
        if self.options.network == Network::Allowed {
            return None;
        }
        let added = self.repositories(world).unwrap_or_default();
        let added = added.entries.into_iter().filter(|entry| address::same(&entry.url, url));
        let mut names = added.map(|entry| entry.name).chain([unmanaged_name(url)]);
        names.find_map(|name| self.cached_index(&name, world).ok())
    }

    /// Whether the index of a repository was fetched before.
    pub(in super::super) fn has_index(&self, name: &str, world: &World) -> bool {
        world.is_file(self.paths.index(name))
    }

    /// Looks for a chart in the repository at an address that nobody has to have added.
    pub(in super::super) fn find(
        &mut self,
        url: &str,
        name: &str,
        version: &str,
        world: &mut World,
    ) -> Result<FoundChart, String> {
        let place = shown_address(url);
        check_protocol(url)?;
        let index = match self.index_before(url, world) {
            Some(index) => index,
            None => {
                let fetched = self.fetch_index(url, &self.options.access(url), world).map_err(|wrong| {
                    format!(
                        "looks like {} is not a valid chart repository or cannot be reached: {wrong}",
                        quote(&place)
                    )
                })?;
                fetched.1
            }
        };
        let what = match version {
            "" => format!("chart {}", quote(name)),
            version => format!("chart {} version {}", quote(name), quote(version)),
        };
        let mut log = Vec::new();
        let found = index.get(name, version, &mut log);
        self.log(world, &log);
        let entry = found.map_err(|_| format!("{what} not found in {place} repository"))?;
        let reference = entry.urls.first().ok_or_else(|| format!("{what} has no downloadable URLs"))?;
        let url = address::resolve(url, reference)
            .map_err(|wrong| format!("failed to make chart URL absolute: {wrong}"))?;
        Ok(FoundChart { url, digest: entry.digest.clone() })
    }
}

/// Whether charts can be fetched from an address at all.
pub(in super::super) fn check_protocol(url: &str) -> Result<(), String> {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    if url.chars().any(char::is_control) {
        return Err(format!("invalid chart URL format: {}", shown_address(url)));
    }
    if oci::is_oci(url) {
        let place = quote(shown_address(url));
        return Err(format!(
            "looks like {place} is not a valid chart repository or cannot be reached: registries have no index"
        ));
    }
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => Ok(()),
        other => {
            let is_scheme = url.contains("://") || url.starts_with("file:");
            Err(format!("could not find protocol handler for: {}", if is_scheme { other } else { "" }))
        }
    }
}

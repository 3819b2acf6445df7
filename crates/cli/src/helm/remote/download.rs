//! The archive that a reference stands for: `repository/chart`, an address, or a chart in a registry.

use trueline_helm::quote;
use trueline_helm::repository::{DIGEST_MISMATCH, Repository, address, coded, oci, sha256_text};

use super::cache::plain_digest;
use super::fetch::{is_web_page, with_clue};
use super::registry::Provenance;
use super::{Access, LARGEST_ARCHIVE, Remote};
use crate::world::World;
use trueline_diagnostic::shown_address;

const ARCHIVES: &str = "application/gzip,application/octet-stream";

/// An archive that was fetched.
#[derive(Debug)]
pub(in super::super) struct Download {
    /// Where it is.
    pub(in super::super) address: String,
    /// The name of its file.
    pub(in super::super) name: String,
    pub(in super::super) bytes: Vec<u8>,
    /// The provenance file, or why there is none; nothing where it was not asked for.
    pub(in super::super) provenance: Option<Result<Vec<u8>, String>>,
}

/// Where an archive is.
#[derive(Debug)]
pub(in super::super) struct Target {
    pub(in super::super) url: String,
    /// Its sum; empty where nobody says.
    pub(in super::super) digest: String,
    pub(in super::super) access: Access,
}

impl Remote {
    /// Fetches the archive of a reference, or takes it from the cache where its sum is known.
    pub(in super::super) fn download(
        &mut self,
        reference: &str,
        version: &str,
        provenance: Provenance,
        world: &mut World,
    ) -> Result<Download, String> {
        if oci::is_oci(reference) {
            return self.download_from_registry(reference, version, provenance, world);
        }
        let target = self.target(reference, version, world)?;
        self.download_target(&target, provenance, world)
    }

    /// Fetches the archive of a chart in the repository at an address.
    pub(in super::super) fn download_from(
        &mut self,
        repository: &str,
        name: &str,
        version: &str,
        provenance: Provenance,
        world: &mut World,
    ) -> Result<Download, String> {
        let found = self.find(repository, name, version, world)?;
        // Only the server of the repository gets what was given for it.
        let access = self.options.access(repository);
        let target = Target { url: found.url, digest: found.digest, access };
        self.download_target(&target, provenance, world)
    }

    /// Fetches an archive whose address is known.
    pub(in super::super) fn download_target(
        &mut self,
        target: &Target,
        provenance: Provenance,
        world: &mut World,
    ) -> Result<Download, String> {
        let Target { url, digest, access } = target;
        if oci::is_oci(url) {
            return self.download_from_registry(url, "", provenance, world);
        }
        let name = address::file_name(url)
            .ok_or_else(|| format!("invalid chart URL format: {}", shown_address(url)))?;
        let bytes = match self.cached_archive(digest, world) {
            Some(bytes) => bytes,
            None => {
                let bytes = self.fetch_archive(url, digest, access, world)?;
                // One that no index has the sum of could never be found again. A cache that cannot be written
                // keeps nobody from the chart.
                if !digest.is_empty() {
                    let _ = self.keep_archive(&bytes, world);
                }
                bytes
            }
        };
        let provenance = (provenance == Provenance::Wanted).then(|| {
            let address = format!("{url}.prov");
            self.get(&address, access, Some(ARCHIVES), LARGEST_ARCHIVE, world).map(|answer| answer.body)
        });
        Ok(Download { address: url.clone(), name, bytes, provenance })
    }

    fn fetch_archive(
        &self,
        url: &str,
        digest: &str,
        access: &Access,
        world: &World,
    ) -> Result<Vec<u8>, String> {
        let answer = self.get(url, access, Some(ARCHIVES), LARGEST_ARCHIVE, world)?;
        if is_web_page(&answer) {
            return Err(with_clue(format!("{} is not a chart", shown_address(url)), &answer));
        }
        let wanted = plain_digest(digest);
        let found = sha256_text(&answer.body);
        if !wanted.is_empty() && !wanted.eq_ignore_ascii_case(&found) {
            let words = format!(
                "the archive {} is not the one that the index names: its SHA-256 sum is {found} in place of {}",
                shown_address(url),
                wanted.escape_debug()
            );
            return Err(coded(&words, &DIGEST_MISMATCH));
        }
        Ok(answer.body)
    }

    fn download_from_registry(
        &mut self,
        address: &str,
        version: &str,
        provenance: Provenance,
        world: &mut World,
    ) -> Result<Download, String> {
        let reference = self.tagged(address, version, world)?;
        let pulled = self.pull(&reference, provenance, world)?;
        let chart = reference.repository.rsplit('/').next().unwrap_or_default();
        let tag = match reference.tag.as_str() {
            "" => reference.digest.replace(':', "-"),
            tag => tag.replace('_', "+"),
        };
        let provenance = (provenance == Provenance::Wanted)
            .then(|| pulled.provenance.ok_or_else(|| "the registry has no provenance file".to_owned()));
        let name = format!("{chart}-{tag}.tgz");
        Ok(Download { address: address.to_owned(), name, bytes: pulled.archive, provenance })
    }

    /// Where the archive of `repository/chart` or of an address is.
    fn target(&mut self, reference: &str, version: &str, world: &mut World) -> Result<Target, String> {
        let repositories = self.repositories(world)?;
        let is_address = reference.split_once("://").is_some_and(|(_, rest)| {
            let path = rest.find('/').and_then(|place| rest.get(place..)).unwrap_or_default();
            !path.is_empty() && !rest.starts_with('/')
        });
        if is_address {
            super::indexes::check_protocol(reference).map_err(|_| {
                let scheme = reference.split(':').next().unwrap_or_default();
                format!("scheme {} not supported", quote(scheme))
            })?;
            let flags = self.options.access(reference);
            let owner = self.owner(reference, &repositories.entries, world)?;
            let access = owner.map_or(flags.clone(), |repository| Access::of(&repository).over(&flags));
            return Ok(Target { url: reference.to_owned(), digest: String::new(), access });
        }
        let Some((name, chart)) = reference.split_once('/') else {
            return Err(format!(
                "non-absolute URLs should be in form of repo_name/path_to_chart, got: {reference}"
            ));
        };
        let repository = repositories.get(name).ok_or_else(|| format!("repo {name} not found"))?;
        if repository.url.is_empty() {
            return Err(format!("no URL found for repository {name}"));
        }
        super::indexes::check_protocol(&repository.url)?;
        let index = self
            .cached_index(name, world)
            .map_err(|wrong| format!("no cached repo found. (try 'helm repo update'): {wrong}"))?;
        let mut log = Vec::new();
        let found = index.get(chart, version, &mut log);
        self.log(world, &log);
        let entry = found.map_err(|wrong| {
            format!(
                "chart {} matching {version} not found in {name} index. (try 'helm repo update'): {wrong}",
                quote(chart)
            )
        })?;
        let Some(url) = entry.urls.first() else {
            return Err(format!("chart {} has no downloadable URLs", quote(reference)));
        };
        let url = address::resolve(&repository.url, url)
            .map_err(|_| format!("invalid chart URL format: {reference}"))?;
        let access = Access::of(repository).over(&self.options.access(&repository.url));
        Ok(Target { url, digest: entry.digest.clone(), access })
    }

    /// The repository that lists an address, for what it was added with.
    fn owner(
        &mut self,
        url: &str,
        repositories: &[Repository],
        world: &mut World,
    ) -> Result<Option<Repository>, String> {
        for repository in repositories {
            let index = self
                .cached_index(&repository.name, world)
                .map_err(|wrong| format!("no cached repo found. (try 'helm repo update'): {wrong}"))?;
            let mut urls = index.entries.values().flatten().flat_map(|entry| &entry.urls);
            if urls.any(|listed| address::same(url, listed)) {
                return Ok(Some(repository.clone()));
            }
        }
        Ok(None)
    }
}

//! The charts of `charts/`: all of them are at hand before the first is put in place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use trueline_helm::chart::{self, Chart, Dependency, Lock, Request};
use trueline_helm::package::{file_name, pack};
use trueline_helm::quote;
use trueline_helm::repository::{DependencySource, OTHER_CHART, address, coded, fits, oci, same_version};
use trueline_source::Network;
use trueline_source::{FileChange, MemoryLoader, Readers, SourceMap, make_directories};

use super::super::remote::{Access, Download, Provenance, Target, place};
use super::super::{Session, location, package};
use super::list::{load, names};
use super::manager::{Manager, Verification};
use super::say;
use crate::world::{clean, go_error};
use trueline_diagnostic::shown_address;

/// What is wrong, and whether Helm says it twice.
enum Failure {
    Plain(String),
    /// It is printed with the rest before the run fails with it.
    Saving(String),
}

impl From<String> for Failure {
    fn from(words: String) -> Self {
        Failure::Plain(words)
    }
}

impl Manager<'_, '_> {
    /// Fetches or packs all charts, puts them into `charts/`, and takes out those that they replace.
    pub(super) fn store(&mut self, locked: &mut [Dependency]) -> Result<(), String> {
        let folder = address::join(&self.path, "charts");
        match self.session.world.stat(&folder) {
            Ok(stat) if !stat.is_directory() => {
                return Err(format!("{} is not a directory", quote(&folder)));
            }
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let words = go_error(&error);
                return Err(format!("unable to retrieve file info for '{folder}': stat {folder}: {words}"));
            }
            _ => {}
        }
        self.refuse_link(&folder)?;
        say(self.session, &format!("Saving {} charts", locked.len()))?;
        let archives = match self.collect(locked) {
            Ok(archives) => archives,
            Err(Failure::Plain(wrong)) => return Err(wrong),
            Err(Failure::Saving(wrong)) => {
                say(self.session, &format!("Save error occurred:  {wrong}"))?;
                return Err(wrong);
            }
        };
        let before = names(self.session, &folder);
        let directory = self.session.world.path(&folder);
        make_directories(&*self.session.world.system(), &directory)
            .map_err(|error| format!("mkdir {folder}: {}", go_error(&error)))?;
        for (name, bytes) in &archives {
            let (path, readers) = (&directory.join(name), Readers::Usual);
            let written = self.session.world.change(FileChange::Write { path, bytes, readers });
            written.map_err(|error| format!("open {folder}/{name}: {}", go_error(&error)))?;
        }
        say(self.session, "Deleting outdated charts")?;
        let is_local =
            |dependency: &&Dependency| matches!(DependencySource::of(dependency), DependencySource::Charts);
        let local: BTreeSet<&str> =
            locked.iter().filter(is_local).map(|dependency| dependency.name.as_str()).collect();
        for name in before.iter().filter(|name| !archives.contains_key(*name)) {
            self.delete_outdated(&address::join(&folder, name), &local)?;
        }
        Ok(())
    }

    /// Charts are written to `charts/` and removed from it: that must not happen in a place that a link of a chart chose.
    fn refuse_link(&self, folder: &str) -> Result<(), String> {
        let system = self.session.world.system();
        let real = |path: &str| system.real(Path::new(path)).ok();
        match (real(&self.path), real(folder)) {
            (Some(chart), Some(charts)) if !charts.starts_with(&chart) => {
                Err(format!("{} is a link that leads out of the chart", quote(folder)))
            }
            _ => Ok(()),
        }
    }

    /// The archives by the names of their files.
    fn collect(&mut self, locked: &mut [Dependency]) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
        let mut archives = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for dependency in locked {
            match DependencySource::of(dependency) {
                DependencySource::Charts => self.check_local(dependency)?,
                DependencySource::Directory(path) => {
                    let path = self.below(path);
                    if self.session.settings.debug {
                        let Dependency { name, repository, .. } = &*dependency;
                        say(self.session, &format!("Archiving {name} from repo {repository}"))?;
                    }
                    let (name, bytes, version) = self.pack(&path, dependency).map_err(Failure::Saving)?;
                    dependency.version = version;
                    archives.insert(name, bytes);
                }
                DependencySource::Registry(_) | DependencySource::Repository(_) => {
                    let target = self.target(dependency).map_err(|(address, wrong)| {
                        Failure::Saving(format!("could not find {address}: {wrong}"))
                    })?;
                    let (name, repository) = (&dependency.name, shown_address(&dependency.repository));
                    if !oci::is_oci(&target.url) && !seen.insert(target.url.clone()) {
                        say(self.session, &format!("Already downloaded {name} from repo {repository}"))?;
                        continue;
                    }
                    let doing = match self.remote.options.network {
                        Network::Allowed => "Downloading",
                        Network::Offline => "Looking in the cache for",
                    };
                    say(self.session, &format!("{doing} {name} from repo {repository}"))?;
                    let named = match target.url.rsplit_once(':') {
                        Some((address, _)) if oci::is_oci(&target.url) => address,
                        _ => &target.url,
                    };
                    let failed = |wrong: String| {
                        Failure::Saving(format!("could not download {}: {wrong}", shown_address(named)))
                    };
                    let verifies = self.parsed.is_on("verify");
                    let provenance = if verifies { Provenance::Wanted } else { Provenance::LeftOut };
                    let download = self
                        .remote
                        .download_target(&target, provenance, self.session.world)
                        .map_err(failed)?;
                    self.verify(&download).map_err(failed)?;
                    check_archive(self.session, &download.name, &download.bytes, dependency)
                        .map_err(failed)?;
                    archives.insert(download.name, download.bytes);
                }
            }
        }
        Ok(archives)
    }

    /// Verifies an archive, if that is asked for.
    fn verify(&mut self, download: &Download) -> Result<(), String> {
        match &download.provenance {
            Some(Err(wrong)) if self.verification == Verification::WherePossible => {
                let address = shown_address(&download.address);
                say(self.session, &format!("WARNING: Verification not found for {address}: {wrong}"))
            }
            _ => location::verify(download, self.parsed, self.session.world).map(|_| ()),
        }
    }

    /// That a chart that lies in `charts/` is one that is wanted.
    fn check_local(&mut self, dependency: &Dependency) -> Result<(), Failure> {
        let Dependency { name, version, .. } = dependency;
        let line = format!(
            "Dependency {name} did not declare a repository. Assuming it exists in the charts directory"
        );
        say(self.session, &line)?;
        let path = address::join(&self.path, &format!("charts/{name}"));
        let chart =
            load(self.session, &path).map_err(|wrong| format!("unable to load chart '{path}': {wrong}"))?;
        let found = &chart.metadata.version;
        let is_right = fits(found, version).map_err(|wrong| {
            format!("dependency {name} has an invalid version/constraint format: {wrong}")
        })?;
        if is_right {
            return Ok(());
        }
        Err(Failure::Saving(format!(
            "dependency {name} at version {found} does not satisfy the constraint {version}"
        )))
    }

    /// A chart from a directory: its file name, its archive and its version.
    fn pack(&mut self, path: &str, dependency: &Dependency) -> Result<(String, Vec<u8>, String), String> {
        let Dependency { name, version, .. } = dependency;
        let real = self.session.world.path(path);
        if !self.session.world.exists(&real) {
            return Err(format!("directory {path} not found"));
        }
        let times = package::times(self.session.world, self.session.compat)?;
        let chart = package::load(self.session, path, &clean(&real).to_string_lossy())?;
        let found = chart.metadata.version.clone();
        let is_right = fits(&found, version).map_err(|wrong| {
            format!("dependency {name} has an invalid version/constraint format: {wrong}")
        })?;
        if !is_right {
            return Err(format!("can't get a valid version for dependency {name}"));
        }
        let bytes = pack(&chart, times, self.session.compat)?;
        Ok((file_name(&chart), bytes, found))
    }

    /// Where the archive of a locked dependency is; the error comes with the address as far as it is known.
    fn target(&mut self, dependency: &Dependency) -> Result<Target, (String, String)> {
        let Dependency { name, version, repository, .. } = dependency;
        if oci::is_oci(repository) {
            let access = self.remote.options.access(repository);
            let url = format!("{repository}/{name}:{version}");
            return Ok(Target { url, digest: String::new(), access });
        }
        let unknown = |wrong: &str| (String::new(), wrong.to_owned());
        let known =
            self.repositories.entries.iter().find(|entry| address::same(repository, &entry.url)).cloned();
        if let Some(known) = known {
            let index = self
                .remote
                .cached_index(&known.name, self.session.world)
                .map_err(|wrong| (String::new(), wrong))?;
            let versions = index.entries.get(name).ok_or_else(|| unknown("entry not found"))?;
            let entry = versions
                .iter()
                .find(|entry| !entry.urls.is_empty() && same_version(version, &entry.metadata.version))
                .ok_or_else(|| unknown("no matching version"))?;
            let reference = entry.urls.first().map(String::as_str).unwrap_or_default();
            let url =
                address::resolve(repository, reference).map_err(|wrong| (String::new(), wrong.into()))?;
            return Ok(Target { url, digest: entry.digest.clone(), access: Access::of(&known) });
        }
        let found = self.remote.find(repository, name, version, self.session.world).map_err(|wrong| {
            (String::new(), format!("chart {name} not found in {}: {wrong}", shown_address(repository)))
        })?;
        let access = Access::of(&trueline_helm::repository::Repository {
            url: repository.clone(),
            ..Default::default()
        });
        Ok(Target { url: found.url, digest: found.digest, access })
    }

    fn delete_outdated(&mut self, file: &str, local: &BTreeSet<&str>) -> Result<(), String> {
        let path = self.session.world.path(file);
        if self.session.world.is_directory(&path) {
            return Ok(());
        }
        match load(self.session, file) {
            Err(wrong) => {
                say(self.session, &format!("Could not verify {file} for deletion: {wrong} (Skipping)"))
            }
            Ok(chart) if local.contains(chart.name()) => Ok(()),
            Ok(_) => match self.session.world.change(FileChange::RemoveFile(&path)) {
                Ok(()) => Ok(()),
                Err(error) => {
                    let words = format!("remove {file}: {}", go_error(&error));
                    let line = format!("Could not delete {file}: {words} (Skipping)");
                    self.session.world.tell(&line)
                }
            },
        }
    }
}

/// That an archive holds the chart that it was fetched for.
fn check_archive(
    session: &Session<'_>,
    name: &str,
    bytes: &[u8],
    dependency: &Dependency,
) -> Result<(), String> {
    let loader = MemoryLoader::new("").with_file("chart", bytes);
    let sources = SourceMap::new();
    let request =
        Request { loader: &loader, path: "chart", absolute: name, sources: &sources, compat: session.compat };
    let found = chart::load_plain(&request).map_err(|failure| failure.to_string())?;
    let metadata = &found.chart.metadata;
    if metadata.name == dependency.name && same_version(&metadata.version, &dependency.version) {
        return Ok(());
    }
    let words = format!(
        "the archive holds {} {}, and not {} {}",
        metadata.name, metadata.version, dependency.name, dependency.version
    );
    Err(coded(&words, &OTHER_CHART))
}

/// Writes the lock file.
pub(super) fn write_lock(
    session: &Session<'_>,
    path: &str,
    chart: &Chart,
    lock: &Lock,
) -> Result<(), String> {
    let name = if chart.metadata.api_version == "v1" { "requirements.lock" } else { "Chart.lock" };
    let file = session.world.path(&address::join(path, name));
    if let Ok(target) = session.world.system().read_link(&file) {
        let target = quote(target.to_string_lossy().as_ref());
        return Err(format!("the {name} file is a symlink to {target}"));
    }
    place(session.world, &file, lock.to_yaml().as_bytes(), Readers::Usual)
}

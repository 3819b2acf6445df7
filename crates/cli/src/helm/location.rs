//! Where a chart is: the flags about it, and what an argument leads to.

use std::path::PathBuf;

use trueline_helm::chart::Compat;
use trueline_helm::log::{Level, LogLine};
use trueline_helm::quote;
use trueline_source::Readers;

use super::flag::{Flag, Parsed};
use super::remote::{self, Download, Notes, Provenance, Remote, place};
use super::signature::{self, Verified};
use crate::world::{World, clean};
use trueline_diagnostic::shown_address;

/// The flags about where a chart comes from.
pub(super) fn flags() -> Vec<Flag> {
    let mut flags = vec![
        Flag::text("version", "which version of the chart, or a constraint, if it comes from a repository"),
        Flag::text("repo", "the address of the repository that the chart comes from"),
        Flag::switch("devel", "take pre-releases too, as with --version '>0.0.0-0'"),
        Flag::switch(
            "pass-credentials",
            "send the credentials to all servers that the chart is fetched from",
        ),
        signature::verify_flag(),
        signature::keyring_flag(),
    ];
    flags.extend(remote::FLAGS);
    flags
}

/// The absolute path of a chart on the disk; one that is not there yet is fetched into the cache.
pub(super) fn locate(
    argument: &str,
    parsed: &Parsed,
    compat: Compat,
    world: &mut World,
    log: &mut Vec<LogLine>,
) -> Result<PathBuf, String> {
    let name = argument.trim();
    let repository = parsed.text_or_empty("repo");
    // Helm 4 looks into the repository only, Helm 3 at the disk first.
    if repository.is_empty() || compat == Compat::Helm3 {
        let path = world.path(name);
        if !name.is_empty() && world.exists(&path) {
            if !repository.is_empty() {
                let words = "local chart found in current working directory. repository url ignored";
                let line = format!("WARN {words} chart={name} repository={repository}");
                log.push(LogLine::new(Level::Warn, words).in_helm3("install.go:759", line));
            }
            let path = clean(&path);
            if parsed.is_on("verify") {
                signature::verify_file(&path.to_string_lossy(), parsed, world)?;
            }
            return Ok(path);
        }
        if path_like(name) {
            return Err(format!("path {} not found", quote(name)));
        }
    }
    fetch(name, parsed, compat, world)
}

/// The same for commands that Helm does not have: what cannot be resolved is called so, because people name directories
/// there far more often than charts of repositories.
pub(super) fn locate_plainly(argument: &str, parsed: &Parsed, world: &mut World) -> Result<PathBuf, String> {
    let name = argument.trim();
    let is_there = !name.is_empty() && world.exists(name);
    if !is_there && !name.contains("://") {
        let remote = Remote::new(parsed, Compat::Helm4, Notes::Stderr, world);
        let repository = name.split_once('/').map(|(repository, _)| repository);
        let repositories = remote.repositories(world)?;
        if repository.is_none_or(|repository| repositories.get(repository).is_none()) {
            return Err(format!("there is no directory and no archive of a chart at {}", quote(name)));
        }
    }
    locate(argument, parsed, Compat::Helm4, world, &mut Vec::new())
}

/// Fetches a chart into the cache.
fn fetch(name: &str, parsed: &Parsed, compat: Compat, world: &mut World) -> Result<PathBuf, String> {
    let version = match parsed.text_or_empty("version").trim() {
        "" if parsed.is_on("devel") => ">0.0.0-0",
        version => version,
    };
    let mut remote = Remote::new(parsed, compat, Notes::Stderr, world);
    let provenance = if parsed.is_on("verify") { Provenance::Wanted } else { Provenance::LeftOut };
    let download = match parsed.text_or_empty("repo") {
        "" => remote.download(name, version, provenance, world)?,
        repository => remote.download_from(repository, name, version, provenance, world)?,
    };
    verify(&download, parsed, world)?;
    match compat {
        Compat::Helm4 => remote.keep_archive(&download.bytes, world),
        Compat::Helm3 => {
            let path = clean(&world.path(&format!("{}/{}", remote.paths.cache, download.name)));
            place(world, &path, &download.bytes, Readers::Usual)?;
            Ok(path)
        }
    }
}

/// Verifies an archive that was fetched, if that is asked for.
pub(super) fn verify(
    download: &Download,
    parsed: &Parsed,
    world: &World,
) -> Result<Option<Verified>, String> {
    if !parsed.is_on("verify") {
        return Ok(None);
    }
    let Some(Ok(provenance)) = &download.provenance else {
        return Err(format!(
            "failed to fetch provenance {}",
            quote(format!("{}.prov", shown_address(&download.address)))
        ));
    };
    signature::verify_bytes(&download.name, &download.bytes, provenance, parsed, world).map(Some)
}

fn path_like(name: &str) -> bool {
    PathBuf::from(name).is_absolute() || name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn an_argument_is_a_path_or_a_reference() {
        let directory = tempfile::TempDir::new().unwrap();
        std::fs::create_dir(directory.path().join("here")).unwrap();
        let (mut world, ..) = World::new(directory.path().to_owned(), BTreeMap::new());
        for (name, found) in [
            ("here", Ok(directory.path().join("here"))),
            ("nope", Err("there is no directory and no archive of a chart at \"nope\"".to_owned())),
            ("./nope", Err("there is no directory and no archive of a chart at \"./nope\"".to_owned())),
            ("charts/x", Err("there is no directory and no archive of a chart at \"charts/x\"".to_owned())),
        ] {
            assert_eq!(locate_plainly(name, &Parsed::default(), &mut world), found);
        }
        let mut locate =
            |name: &str| locate(name, &Parsed::default(), Compat::Helm4, &mut world, &mut Vec::new());
        assert_eq!(locate("./here/../here"), Ok(directory.path().join("here")));
        for (name, error) in [
            ("./nope", "path \"./nope\" not found"),
            ("/nope", "path \"/nope\" not found"),
            ("nope", "non-absolute URLs should be in form of repo_name/path_to_chart, got: nope"),
            ("somerepo/x", "repo somerepo not found"),
        ] {
            assert_eq!(locate(name), Err(error.to_owned()));
        }
    }
}

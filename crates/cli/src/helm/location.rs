//! Where a chart is: the flags about it, and what an argument leads to.

use std::path::PathBuf;

use trueline_helm::chart::Compat;
use trueline_helm::log::{Level, LogLine};
use trueline_helm::quote;

use super::flag::{Flag, Kind, Parsed};
use crate::world::{World, clean, go_error};

/// The flags about where a chart comes from.
pub(super) const FLAGS: &[Flag] = &[
    Flag::text("version", "which version of the chart, if it comes from a repository"),
    Flag::text("repo", "the repository that the chart comes from"),
    Flag::switch("devel", "").hidden(),
    Flag::switch("verify", "").hidden(),
    Flag::new("keyring", Kind::Text, "").hidden(),
    Flag::text("username", "").hidden(),
    Flag::text("password", "").hidden(),
    Flag::text("cert-file", "").hidden(),
    Flag::text("key-file", "").hidden(),
    Flag::text("ca-file", "").hidden(),
    Flag::switch("insecure-skip-tls-verify", "").hidden(),
    Flag::switch("plain-http", "").hidden(),
    Flag::switch("pass-credentials", "").hidden(),
];

/// The absolute path of a chart on the disk.
pub(super) fn locate(
    argument: &str,
    parsed: &Parsed,
    compat: Compat,
    world: &World,
    log: &mut Vec<LogLine>,
) -> Result<PathBuf, String> {
    let name = argument.trim();
    let repository = parsed.text_or_empty("repo");
    // Helm 4 looks into the repository only, Helm 3 at the disk first.
    if repository.is_empty() || compat == Compat::Helm3 {
        let path = world.path(name);
        if !name.is_empty() && path.exists() {
            if !repository.is_empty() {
                let words = "local chart found in current working directory. repository url ignored";
                let line = format!("WARN {words} chart={name} repository={repository}");
                log.push(LogLine::new(Level::Warn, words).in_helm3("install.go:759", line));
            }
            return verified(clean(&path), parsed);
        }
        if path_like(name) {
            return Err(format!("path {} not found", quote(name)));
        }
    }
    if !repository.is_empty() {
        return Err(format!(
            "looks like {} is not a valid chart repository or cannot be reached: charts are only taken from the disk",
            quote(repository)
        ));
    }
    if name.contains("://") {
        return Err(format!("{name} cannot be used: charts are only taken from the disk"));
    }
    match name.split_once('/') {
        Some((repository, _)) => Err(format!("repo {repository} not found")),
        None => Err(format!("non-absolute URLs should be in form of repo_name/path_to_chart, got: {name}")),
    }
}

fn path_like(name: &str) -> bool {
    PathBuf::from(name).is_absolute() || name.starts_with('.')
}

/// The path, unless the signature of the chart is to be verified.
fn verified(path: PathBuf, parsed: &Parsed) -> Result<PathBuf, String> {
    if !parsed.is_on("verify") {
        return Ok(path);
    }
    if path.is_dir() {
        return Err("unpacked charts cannot be verified".to_owned());
    }
    let signature = format!("{}.prov", path.display());
    Err(match std::fs::metadata(&signature) {
        Err(error) => {
            format!("could not load provenance file {signature}: stat {signature}: {}", go_error(&error))
        }
        Ok(_) => "signatures of charts are not verified; leave `--verify` out".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn an_argument_is_a_path_or_a_reference() {
        let directory = tempfile::TempDir::new().unwrap();
        std::fs::create_dir(directory.path().join("here")).unwrap();
        let (world, ..) = World::new(directory.path().to_owned(), BTreeMap::new());
        let locate = |name: &str| locate(name, &Parsed::default(), Compat::Helm4, &world, &mut Vec::new());
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

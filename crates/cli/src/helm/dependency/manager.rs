//! `helm dependency update` and `build`: which charts are wanted, and where they come from.

use std::collections::BTreeSet;
use std::sync::Arc;

use trueline_helm::chart::{Chart, Compat, Dependency, Lock};
use trueline_helm::log::{Level, LogLine};
use trueline_helm::repository::{
    DEPRECATED_DEPENDENCY, DependencySource, Index, OFFLINE, Plan, Repositories, Repository, Sources, coded,
    digest, digest_of_helm2, plan, resolve, rfc3339, unknown_repositories,
};
use trueline_helm::{Refusal, RefusalKind, quote};
use trueline_source::Network;

use super::super::flag::Parsed;
use super::super::remote::{Notes, Remote, check_protocol};
use super::super::{Session, package, repo};
use super::list::{has_dependencies, load};
use super::say;
use super::store;
use crate::world::{clean, go_error};
use trueline_diagnostic::shown_address;

/// One run of `update` or `build`.
pub(super) struct Manager<'s, 'w> {
    pub(super) session: &'s mut Session<'w>,
    pub(super) remote: Remote,
    /// The directory of the chart, as it was typed.
    pub(super) path: String,
    pub(super) repositories: Repositories,
    refresh: bool,
    pub(super) parsed: &'s Parsed,
    pub(super) verification: Verification,
}

/// What becomes of archives that are not signed, if signatures are to be verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verification {
    /// The run fails.
    Always,
    /// They are taken with a warning.
    WherePossible,
}

/// Puts the newest charts that a chart allows into its `charts/`, and locks them.
pub(in super::super) fn update(session: &mut Session<'_>, parsed: &Parsed, path: &str) -> Result<(), String> {
    let (mut manager, chart) = Manager::new(session, parsed, path, Verification::Always)?;
    manager.update(&chart)
}

/// The same, with nothing said about it on standard output.
pub(in super::super) fn update_quietly(
    session: &mut Session<'_>,
    parsed: &Parsed,
    path: &str,
) -> Result<(), String> {
    let stdout = std::mem::replace(&mut session.world.stdout, Box::new(std::io::sink()));
    let updated = update(session, parsed, path);
    session.world.stdout = stdout;
    updated
}

/// Puts the charts that the lock file names into `charts/`.
pub(super) fn build(session: &mut Session<'_>, parsed: &Parsed, path: &str) -> Result<(), String> {
    let (mut manager, chart) = Manager::new(session, parsed, path, Verification::WherePossible)?;
    match &chart.lock {
        Some(lock) => manager.build(&chart, lock),
        None => manager.update(&chart),
    }
}

impl<'s, 'w> Manager<'s, 'w> {
    fn new(
        session: &'s mut Session<'w>,
        parsed: &'s Parsed,
        path: &str,
        verification: Verification,
    ) -> Result<(Self, Chart), String> {
        // What is wrong with the environment is said before anything is done.
        package::times(session.world, session.compat)?;
        match session.world.stat(path) {
            Err(error) => return Err(format!("could not find {path}: stat {path}: {}", go_error(&error))),
            Ok(stat) if !stat.is_directory() => {
                return Err("only unpacked charts can be updated".to_owned());
            }
            Ok(_) => {}
        }
        let chart = load(session, path)?;
        let remote = Remote::new(parsed, session.compat, Notes::Stdout, session.world);
        let repositories = remote.repositories(session.world)?;
        let refresh = !parsed.is_on("skip-refresh");
        let path = path.to_owned();
        Ok((Manager { session, remote, path, repositories, refresh, parsed, verification }, chart))
    }

    fn update(&mut self, chart: &Chart) -> Result<(), String> {
        if !has_dependencies(chart) {
            return Ok(());
        }
        let mut wanted = chart.metadata.dependencies.clone();
        let plan = self.plan(&mut wanted)?;
        self.refresh(&plan.unmanaged)?;
        let mut locked = resolve(&wanted, &plan, self)?;
        self.warn_about_deprecated(&wanted, &plan);
        self.store(&mut locked)?;
        let digest = digest(&wanted, &locked);
        if chart.lock.as_ref().is_some_and(|lock| lock.digest == digest) {
            return Ok(());
        }
        let generated = rfc3339(self.session.world.now());
        store::write_lock(self.session, &self.path, chart, &Lock { generated, digest, dependencies: locked })
    }

    fn build(&mut self, chart: &Chart, lock: &Lock) -> Result<(), String> {
        let mut wanted = chart.metadata.dependencies.clone();
        let old_digest = digest_of_helm2(&wanted);
        self.plan(&mut wanted)?;
        if digest(&wanted, &lock.dependencies) != lock.digest {
            if chart.metadata.api_version != "v1" {
                let advice = match self.session.compat {
                    Compat::Helm4 => " with 'helm dependency update'",
                    Compat::Helm3 => "",
                };
                return Err(format!(
                    "the lock file (Chart.lock) is out of sync with the dependencies file (Chart.yaml). Please update \
                     the dependencies{advice}"
                ));
            }
            let words = "warning: a valid Helm v3 hash was not found. Checking against Helm v2 hash...";
            self.session.log(&LogLine::new(Level::Info, words).in_helm3("manager.go:122", words));
            if old_digest != lock.digest {
                return Err(
                    "the lock file (requirements.lock) is out of sync with the dependencies file (requirements.yaml). \
                     Please update the dependencies"
                        .to_owned(),
                );
            }
        }
        let unknown = unknown_repositories(&lock.dependencies, &self.repositories);
        if !unknown.is_empty() {
            let unknown: Vec<String> = unknown.into_iter().map(shown_address).collect();
            return Err(format!(
                "no repository definition for {}. Please add the missing repos via 'helm repo add'",
                unknown.join(", ")
            ));
        }
        self.refresh(&[])?;
        self.store(&mut lock.dependencies.clone())
    }

    fn plan(&mut self, wanted: &mut [Dependency]) -> Result<Plan, String> {
        let repositories = self.repositories.clone();
        Ok(plan(wanted, &repositories, self)?)
    }

    /// Fetches the indexes of the repositories that were added, and of these.
    fn refresh(&mut self, unmanaged: &[Repository]) -> Result<(), String> {
        match (self.refresh, self.remote.options.network) {
            (false, _) => Ok(()),
            (true, Network::Allowed) => {
                self.fetch_unmanaged(unmanaged)?;
                self.fetch_managed()
            }
            (true, Network::Offline) => self.tell_kept(unmanaged),
        }
    }

    /// Says which indexes are those of an earlier run.
    fn tell_kept(&mut self, unmanaged: &[Repository]) -> Result<(), String> {
        let unmanaged = unmanaged.iter().map(|repository| (&repository.name, shown_address(&repository.url)));
        let managed =
            self.repositories.entries.iter().map(|repository| (&repository.name, repository.name.clone()));
        let mut seen = BTreeSet::new();
        for (name, called) in unmanaged.chain(managed).filter(|(name, _)| seen.insert(*name)) {
            let called = quote(called);
            let line = match self.remote.has_index(name, self.session.world) {
                true => format!("...Using the index of the {called} chart repository that is in the cache"),
                false => format!("...There is no index of the {called} chart repository in the cache"),
            };
            say(self.session, &line)?;
        }
        Ok(())
    }

    fn fetch_unmanaged(&mut self, unmanaged: &[Repository]) -> Result<(), String> {
        if unmanaged.is_empty() {
            return Ok(());
        }
        say(self.session, "Getting updates for unmanaged Helm repositories...")?;
        let mut seen = BTreeSet::new();
        for repository in unmanaged {
            check_protocol(&repository.url)?;
            if !seen.insert(repository.name.as_str()) {
                continue;
            }
            let url = quote(shown_address(&repository.url));
            let line = match self.remote.update_index(repository, self.session.world) {
                Ok(_) => format!("...Successfully got an update from the {url} chart repository"),
                Err(wrong) => {
                    format!("...Unable to get an update from the {url} chart repository:\n\t{wrong}")
                }
            };
            say(self.session, &line)?;
        }
        Ok(())
    }

    fn fetch_managed(&mut self) -> Result<(), String> {
        let repositories = self.repositories.entries.clone();
        if repositories.is_empty() {
            return Ok(());
        }
        for repository in &repositories {
            check_protocol(&repository.url)?;
        }
        repo::fetch_all(self.session, &mut self.remote, &repositories.iter().collect::<Vec<_>>())?;
        say(self.session, "Update Complete. ⎈Happy Helming!⎈")
    }

    /// A chart whose latest version is deprecated has nobody who looks after it.
    fn warn_about_deprecated(&mut self, wanted: &[Dependency], plan: &Plan) {
        for dependency in wanted {
            let (DependencySource::Repository(url), Some(name)) =
                (DependencySource::of(dependency), plan.repository_of(dependency))
            else {
                continue;
            };
            let Ok(index) = self.remote.cached_index(name, self.session.world) else { continue };
            let Some(latest) = index.latest(&dependency.name).filter(|latest| latest.metadata.deprecated)
            else {
                continue;
            };
            let words = format!(
                "the dependency {} is deprecated: so says its latest version {} in {}",
                quote(&dependency.name),
                latest.metadata.version,
                shown_address(url)
            );
            self.session.world.complain(&format!("WARNING: {}", coded(&words, &DEPRECATED_DEPENDENCY)));
        }
    }

    /// A path that is absolute or seen from the chart.
    pub(super) fn below(&self, path: &str) -> String {
        let joined = std::path::Path::new(&self.path).join(path);
        clean(&joined).to_string_lossy().into_owned()
    }
}

impl Sources for Manager<'_, '_> {
    fn check_directory(&mut self, path: &str) -> Result<(), Refusal> {
        let path = self.below(path);
        match self.session.world.stat(&path) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(RefusalKind::NotFound.of(format!("directory {path} not found")))
            }
            Err(error) => Err(RefusalKind::NotFound.of(format!("stat {path}: {}", go_error(&error)))),
        }
    }

    fn version_of(&mut self, path: &str) -> Result<String, Refusal> {
        let path = self.below(path);
        let chart = load(self.session, &path).map_err(|words| RefusalKind::Syntax.of(words))?;
        Ok(chart.metadata.version)
    }

    fn index(&mut self, name: &str) -> Result<Arc<Index>, Refusal> {
        if self.remote.options.network == Network::Offline && !self.remote.has_index(name, self.session.world)
        {
            let words = coded("its index is not in the cache, and the network is not to be used", &OFFLINE);
            return Err(RefusalKind::NotFound.of(words));
        }
        self.remote.cached_index(name, self.session.world).map_err(|words| RefusalKind::NotFound.of(words))
    }

    fn tags(&mut self, reference: &str) -> Result<Vec<String>, Refusal> {
        self.remote.tags(reference, self.session.world).map_err(|words| RefusalKind::NotFound.of(words))
    }
}

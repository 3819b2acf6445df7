//! Which version of each dependency is taken.

use std::collections::BTreeMap;

use trueline_gostd::hash::sha256_text;
use trueline_gotemplate::fmt::quote;
use trueline_sprig::semver::{Constraints, Version};

use super::choose::satisfies;
use super::{Index, Repositories, Repository, address, oci};
use crate::chart::Dependency;
use crate::refusal::{Refusal, RefusalKind};

/// What the repository of a dependency is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DependencySource<'d> {
    /// Nothing is said: the chart lies in `charts/`.
    Charts,
    /// A directory, absolute or seen from the chart.
    Directory(&'d str),
    /// A registry.
    Registry(&'d str),
    /// A repository with an index.
    Repository(&'d str),
}

impl<'d> DependencySource<'d> {
    /// The place that a dependency names.
    pub fn of(dependency: &'d Dependency) -> Self {
        let repository = dependency.repository.as_str();
        if repository.is_empty() {
            DependencySource::Charts
        } else if let Some(path) = repository.strip_prefix("file://") {
            DependencySource::Directory(path)
        } else if oci::is_oci(repository) {
            DependencySource::Registry(repository)
        } else {
            DependencySource::Repository(repository)
        }
    }
}

/// What resolving needs to know about the world. Errors are in Helm's words.
pub trait Sources {
    /// That a directory exists.
    fn check_directory(&mut self, path: &str) -> Result<(), Refusal>;
    /// The version of the chart in a directory.
    fn version_of(&mut self, path: &str) -> Result<String, Refusal>;
    /// The cached index of a repository, by the name that its cache has.
    fn index(&mut self, name: &str) -> Result<std::sync::Arc<Index>, Refusal>;
    /// The versions of a chart in a registry, the newest first.
    fn tags(&mut self, reference: &str) -> Result<Vec<String>, Refusal>;
}

/// Repositories by the dependencies that come from them.
#[derive(Debug, Default)]
pub struct Plan {
    /// The name of the repository of each dependency, by the dependency's name.
    names: BTreeMap<String, String>,
    /// Repositories that nobody has added, with the name that their cache has.
    pub unmanaged: Vec<Repository>,
}

impl Plan {
    /// The name of the repository that a dependency comes from.
    pub fn repository_of(&self, dependency: &Dependency) -> Option<&str> {
        self.names.get(&dependency.name).map(String::as_str)
    }
}

/// Puts the addresses of repositories in place of their names, and finds out which repositories are needed.
pub fn plan(
    dependencies: &mut [Dependency],
    repositories: &Repositories,
    sources: &mut dyn Sources,
) -> Result<Plan, Refusal> {
    let mut plan = Plan::default();
    let mut missing = Vec::new();
    for dependency in dependencies.iter_mut() {
        match DependencySource::of(dependency) {
            DependencySource::Charts => continue,
            DependencySource::Directory(path) => {
                sources.check_directory(path)?;
                plan.names.insert(dependency.name.clone(), dependency.repository.clone());
            }
            DependencySource::Registry(_) => {
                plan.names.insert(dependency.name.clone(), dependency.repository.clone());
            }
            DependencySource::Repository(wanted) => {
                let alias = wanted.strip_prefix('@').or_else(|| wanted.strip_prefix("alias:"));
                let is_it = |entry: &&Repository| {
                    alias == Some(entry.name.as_str()) || address::same(&entry.url, wanted)
                };
                match repositories.entries.iter().find(is_it) {
                    Some(found) => {
                        plan.names.insert(dependency.name.clone(), found.name.clone());
                        if alias.is_some() {
                            dependency.repository = found.url.clone();
                        }
                    }
                    None if address::is_request(wanted) => {}
                    None => missing.push(wanted.to_owned()),
                }
            }
        }
    }
    if !missing.is_empty() {
        return Err(RefusalKind::NotFound.of(no_definition(&missing)));
    }
    for dependency in dependencies.iter() {
        if matches!(DependencySource::of(dependency), DependencySource::Repository(_))
            && !plan.names.contains_key(&dependency.name)
        {
            let name = unmanaged_name(&dependency.repository);
            plan.names.insert(dependency.name.clone(), name.clone());
            plan.unmanaged.push(Repository {
                name,
                url: dependency.repository.clone(),
                ..Repository::default()
            });
        }
    }
    Ok(plan)
}

/// The name that the index of a repository is kept under if nobody has added the repository.
pub fn unmanaged_name(url: &str) -> String {
    format!("helm-manager-{}", sha256_text(url.as_bytes()))
}

fn no_definition(missing: &[String]) -> String {
    let mut text =
        format!("no repository definition for {}. Please add them via 'helm repo add'", missing.join(", "));
    let is_bare =
        |name: &String| !name.contains("//") && !name.starts_with('@') && !name.starts_with("alias:");
    if missing.iter().any(is_bare) {
        text.push_str(
            "\nNote that repositories must be URLs or aliases. For example, to refer to the \"example\"\nrepository, \
             use \"https://charts.example.com/\" or \"@example\" instead of\n\"example\". Don't forget to add the repo, \
             too ('helm repo add').",
        );
    }
    text
}

/// The repositories of locked dependencies that nobody has added.
pub fn unknown_repositories<'d>(locked: &'d [Dependency], repositories: &Repositories) -> Vec<&'d str> {
    let is_unknown = |url: &&str| {
        let url = url.strip_suffix('/').unwrap_or(url);
        !repositories.entries.iter().any(|entry| address::same(&entry.url, url))
    };
    let wanted = locked.iter().filter_map(|dependency| match DependencySource::of(dependency) {
        DependencySource::Repository(url) => Some(url),
        _ => None,
    });
    wanted.filter(is_unknown).collect()
}

/// Takes a version of each dependency.
pub fn resolve(
    dependencies: &[Dependency],
    plan: &Plan,
    sources: &mut dyn Sources,
) -> Result<Vec<Dependency>, Refusal> {
    let mut locked = Vec::with_capacity(dependencies.len());
    let mut missing = Vec::new();
    for dependency in dependencies {
        let Dependency { name, version, repository, .. } = dependency;
        let constraint = Constraints::parse(version).map_err(|wrong| {
            let text =
                format!("dependency {} has an invalid version/constraint format: {wrong}", quote(name));
            RefusalKind::Version.of(text)
        })?;
        let chosen = match DependencySource::of(dependency) {
            DependencySource::Charts => {
                sources.check_directory(&format!("charts/{name}"))?;
                Some(version.clone())
            }
            DependencySource::Directory(path) => {
                sources.check_directory(path)?;
                Some(sources.version_of(path)?).filter(|version| satisfies(version, &constraint))
            }
            DependencySource::Registry(_) if Version::parse(version).is_ok() => Some(version.clone()),
            DependencySource::Registry(_) => {
                let place = repository.strip_prefix(oci::SCHEME).unwrap_or(repository);
                let tags = sources.tags(&format!("{place}/{name}")).map_err(|wrong| {
                    let text =
                        format!("could not retrieve list of tags for repository {repository}: {wrong}");
                    RefusalKind::NotFound.of(text)
                })?;
                tags.into_iter().find(|tag| satisfies(tag, &constraint))
            }
            DependencySource::Repository(_) => {
                let cached = plan.names.get(name).map(String::as_str).unwrap_or_default();
                let index = sources.index(cached).map_err(|wrong| {
                    let text =
                        format!("no cached repository for {cached} found. (try 'helm repo update'): {wrong}");
                    RefusalKind::NotFound.of(text)
                })?;
                let Some(versions) = index.entries.get(name) else {
                    return Err(
                        RefusalKind::NotFound.of(format!("{name} chart not found in repo {repository}"))
                    );
                };
                let usable = versions.iter().filter(|entry| !entry.urls.is_empty());
                let mut versions = usable.map(|entry| entry.metadata.version.clone());
                versions.find(|version| satisfies(version, &constraint))
            }
        };
        match chosen {
            Some(version) => locked.push(Dependency {
                name: name.clone(),
                version,
                repository: repository.clone(),
                ..Dependency::default()
            }),
            None => {
                let [name, repository, version] = [name, repository, version].map(quote);
                missing.push(format!("{name} (repository {repository}, version {version})"));
            }
        }
    }
    if missing.is_empty() {
        return Ok(locked);
    }
    Err(RefusalKind::NotFound.of(format!(
        "can't get a valid version for {} subchart(s): {}. Make sure a matching chart version exists in the repo, or \
         change the version constraint in Chart.yaml",
        missing.len(),
        missing.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::read_index;
    use std::sync::Arc;

    struct World;

    impl Sources for World {
        fn check_directory(&mut self, path: &str) -> Result<(), Refusal> {
            match path.contains("nope") {
                true => Err(RefusalKind::NotFound.of(format!("directory {path} not found"))),
                false => Ok(()),
            }
        }

        fn version_of(&mut self, _: &str) -> Result<String, Refusal> {
            Ok("0.3.1".to_owned())
        }

        fn index(&mut self, name: &str) -> Result<Arc<Index>, Refusal> {
            if name.starts_with("helm-manager-") {
                return Err(RefusalKind::NotFound.of("open x: no such file or directory"));
            }
            let text = "apiVersion: v1\nentries: {web: [{name: web, version: 1.2.3, urls: [a]}, {name: web, version: \
                        1.3.0}]}";
            let index = read_index(text.as_bytes(), "", &mut Vec::new());
            Ok(Arc::new(index.map_err(|words| RefusalKind::Syntax.of(words.to_string()))?))
        }

        fn tags(&mut self, reference: &str) -> Result<Vec<String>, Refusal> {
            assert_eq!(reference, "r.example/charts/web");
            Ok(["1.5.0", "1.4.0"].map(str::to_owned).to_vec())
        }
    }

    fn run(name: &str, version: &str, repository: &str) -> Result<(String, String), String> {
        let mut repositories = Repositories::default();
        let url = "https://x.example/charts".to_owned();
        repositories.update(Repository { name: "known".to_owned(), url, ..Repository::default() });
        let mut wanted = [Dependency {
            name: name.to_owned(),
            version: version.to_owned(),
            repository: repository.to_owned(),
            ..Dependency::default()
        }];
        let plan = plan(&mut wanted, &repositories, &mut World)?;
        let locked = resolve(&wanted, &plan, &mut World)?;
        Ok((locked[0].version.clone(), locked[0].repository.clone()))
    }

    #[test]
    fn every_kind_of_place_is_resolved() {
        let known = "https://x.example/charts";
        for (version, repository, chosen, locked) in [
            ("~0.3.0", "file://../web", "0.3.1", "file://../web"),
            ("^1", "", "^1", ""),
            ("^1", "@known", "1.2.3", known),
            ("^1", "alias:known", "1.2.3", known),
            ("^1", "https://x.example/charts/", "1.2.3", "https://x.example/charts/"),
            ("1.x", "oci://r.example/charts", "1.5.0", "oci://r.example/charts"),
            ("1.0", "oci://r.example/charts", "1.0", "oci://r.example/charts"),
        ] {
            let found = run("web", version, repository);
            assert_eq!(found, Ok((chosen.to_owned(), locked.to_owned())), "{version} {repository}");
        }
    }

    #[test]
    fn what_cannot_be_resolved_is_reported_in_helm_s_words() {
        for (name, version, repository, error) in [
            (
                "web",
                "bogus",
                "@known",
                "dependency \"web\" has an invalid version/constraint format: improper",
            ),
            (
                "web",
                "9.x",
                "@known",
                "can't get a valid version for 1 subchart(s): \"web\" (repository \"https://x",
            ),
            ("no", "1.x", "@known", "no chart not found in repo https://x.example/charts"),
            (
                "web",
                "1.x",
                "@other",
                "no repository definition for @other. Please add them via 'helm repo add'",
            ),
            (
                "web",
                "1.x",
                "other",
                "no repository definition for other. Please add them via 'helm repo add'\nNote",
            ),
            ("web", "1.x", "https://new.example", "no cached repository for helm-manager-"),
            ("nope", "1.x", "", "directory charts/nope not found"),
            ("web", "1.x", "file://nope", "directory nope not found"),
            ("web", ">0.4", "file://../web", "can't get a valid version for 1 subchart(s): \"web\""),
            ("web", ">9", "oci://r.example/charts", "can't get a valid version for 1 subchart(s): \"web\""),
        ] {
            let found = run(name, version, repository).unwrap_err();
            assert!(found.starts_with(error), "{found}");
        }
    }

    #[test]
    fn a_lock_needs_the_repositories_that_it_names() {
        let locked =
            |repository: &str| Dependency { repository: repository.to_owned(), ..Dependency::default() };
        let locked = ["file://x", "oci://x/y", "", "https://a.example/", "https://b.example"].map(locked);
        let mut repositories = Repositories::default();
        let url = "https://a.example".to_owned();
        repositories.update(Repository { name: "a".to_owned(), url, ..Repository::default() });
        assert_eq!(unknown_repositories(&locked, &repositories), ["https://b.example"]);
    }
}

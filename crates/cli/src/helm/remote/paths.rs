//! Where Helm keeps what it knows about repositories: we read and write the same files.

use super::super::flag::Parsed;
use crate::world::World;

/// The files and directories of repositories.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    /// repositories.yaml.
    pub(crate) repositories: String,
    /// The directory of indexes.
    pub(crate) cache: String,
    /// The directory of archives by their sums.
    pub(crate) content: String,
    /// The credentials of registries.
    pub(crate) registry: String,
}

impl Paths {
    /// By flags, then by variables, then where Helm has them.
    pub(crate) fn new(parsed: &Parsed, world: &World) -> Self {
        let choose = |flag: &str, variable: &str, home: &dyn Fn() -> String, below: &str| {
            let chosen = parsed.text(flag).map(str::to_owned).or_else(|| world.non_empty_variable(variable));
            chosen.unwrap_or_else(|| format!("{}/{below}", home()))
        };
        let configuration = || Self::config_home(world);
        let cache = || Self::cache_home(world);
        Paths {
            repositories: choose(
                "repository-config",
                "HELM_REPOSITORY_CONFIG",
                &configuration,
                "repositories.yaml",
            ),
            cache: choose("repository-cache", "HELM_REPOSITORY_CACHE", &cache, "repository"),
            content: choose("content-cache", "HELM_CONTENT_CACHE", &cache, "content"),
            registry: choose(
                "registry-config",
                "HELM_REGISTRY_CONFIG",
                &configuration,
                "registry/config.json",
            ),
        }
    }

    /// The directory of what Helm's user configures.
    pub(crate) fn config_home(world: &World) -> String {
        home(world, "HELM_CONFIG_HOME", "XDG_CONFIG_HOME", ".config")
    }

    /// The directory of what Helm keeps to be faster.
    pub(crate) fn cache_home(world: &World) -> String {
        home(world, "HELM_CACHE_HOME", "XDG_CACHE_HOME", ".cache")
    }

    /// The cached index of a repository.
    pub(crate) fn index(&self, name: &str) -> String {
        self.cached(name, "index.yaml")
    }

    /// The list of the names of its charts, which Helm completes words with.
    pub(crate) fn charts(&self, name: &str) -> String {
        self.cached(name, "charts.txt")
    }

    fn cached(&self, name: &str, file: &str) -> String {
        match name {
            "" => format!("{}/{file}", self.cache),
            name => format!("{}/{name}-{file}", self.cache),
        }
    }
}

fn home(world: &World, own: &str, shared: &str, default: &str) -> String {
    if let Some(chosen) = world.non_empty_variable(own) {
        return chosen;
    }
    let base = world.non_empty_variable(shared).unwrap_or_else(|| {
        let home = world.variable("HOME").unwrap_or_default();
        format!("{home}/{default}")
    });
    format!("{base}/helm")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_nearest_place_wins() {
        let paths = |variables: &[(&str, &str)]| {
            let mut environment: BTreeMap<_, _> =
                variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
            environment.insert("HOME".into(), "/h".into());
            Paths::new(&Parsed::default(), &World::new("/".into(), environment).0)
        };
        assert_eq!(paths(&[]).repositories, "/h/.config/helm/repositories.yaml");
        assert_eq!(paths(&[]).index("x"), "/h/.cache/helm/repository/x-index.yaml");
        assert_eq!(paths(&[("XDG_CACHE_HOME", "/x")]).content, "/x/helm/content");
        assert_eq!(paths(&[("HELM_CACHE_HOME", "/c")]).charts("x"), "/c/repository/x-charts.txt");
        assert_eq!(paths(&[("HELM_CONFIG_HOME", "/c")]).registry, "/c/registry/config.json");
        assert_eq!(paths(&[("HELM_REPOSITORY_CONFIG", "/r.yaml")]).repositories, "/r.yaml");
    }
}

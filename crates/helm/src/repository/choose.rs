//! Which version of a chart is meant.

use trueline_sprig::semver::{Constraints, Prereleases, Version};

use super::{ChartVersion, Index};
use crate::log::{Level, LogLine};
use crate::refusal::{Refusal, RefusalKind};

impl Index {
    /// The newest version of a chart that satisfies a constraint; an empty one stands for all that are no
    /// pre-release. A version that is written exactly so wins.
    pub fn get(&self, name: &str, version: &str, log: &mut Vec<LogLine>) -> Result<&ChartVersion, Refusal> {
        let not_found = |text: String| RefusalKind::NotFound.of(text);
        let versions = self.entries.get(name).ok_or_else(|| not_found("no chart name found".to_owned()))?;
        if versions.is_empty() {
            return Err(not_found("no chart version found".to_owned()));
        }
        let constraint = constraint_of(version)?;
        if let Some(exact) =
            versions.iter().find(|entry| !version.is_empty() && entry.metadata.version == version)
        {
            return Ok(exact);
        }
        let fits = |entry: &&ChartVersion| satisfies(&entry.metadata.version, &constraint);
        let Some(found) = versions.iter().find(fits) else {
            return Err(not_found(format!("no chart version found for {name}-{version}")));
        };
        if !version.is_empty() {
            let selected = found.metadata.version.as_str();
            log.push(if is_range(version) {
                LogLine::new(Level::Debug, "selected version matching constraint")
                    .with("chart", name)
                    .with("constraint", version)
                    .with("selected", selected)
            } else {
                LogLine::new(
                    Level::Warn,
                    "unable to find exact version requested; falling back to closest available version",
                )
                .with("chart", name)
                .with("requested", version)
                .with("selected", selected)
            });
        }
        Ok(found)
    }

    /// The latest version of a chart: the newest that is no pre-release, or the newest at all.
    pub fn latest(&self, name: &str) -> Option<&ChartVersion> {
        self.get(name, "", &mut Vec::new()).ok().or_else(|| self.entries.get(name)?.first())
    }

    /// Whether a chart as a whole is deprecated: its latest version is.
    pub fn is_deprecated(&self, name: &str) -> bool {
        self.latest(name).is_some_and(|latest| latest.metadata.deprecated)
    }
}

/// Whether a version that somebody wrote satisfies a constraint.
pub(super) fn satisfies(version: &str, constraint: &Constraints) -> bool {
    Version::parse(version).is_ok_and(|version| constraint.check(&version, Prereleases::Named))
}

/// The first of several tags, sorted from the newest on, that is meant by a version or satisfies a constraint.
pub fn choose_tag<'t>(tags: &'t [String], version: &str) -> Result<&'t str, Refusal> {
    if let Some(exact) = tags.iter().find(|tag| !version.is_empty() && *tag == version) {
        return Ok(exact);
    }
    let constraint = constraint_of(version)?;
    let found = tags.iter().find(|tag| satisfies(tag, &constraint)).map(String::as_str);
    found.ok_or_else(|| {
        let text = format!("could not locate a version matching provided version string {version}");
        RefusalKind::NotFound.of(text)
    })
}

/// What versions are compared with; an empty one allows all.
fn constraint_of(version: &str) -> Result<Constraints, Refusal> {
    let constraint = if version.is_empty() { "*" } else { version };
    Constraints::parse(constraint).map_err(|error| RefusalKind::Version.of(error.to_string()))
}

/// Whether a version satisfies a constraint; the error is the text that Go's library gives.
pub fn fits(version: &str, constraint: &str) -> Result<bool, Refusal> {
    let constraint =
        Constraints::parse(constraint).map_err(|error| RefusalKind::Version.of(error.to_string()))?;
    let version = Version::parse(version).map_err(|error| RefusalKind::Version.of(error.to_string()))?;
    Ok(constraint.check(&version, Prereleases::Named))
}

/// Whether a string is a version exactly as the semantic versioning specification writes it.
pub fn is_strict_version(text: &str) -> bool {
    Version::parse_strict(text).is_ok()
}

/// Whether a string is a single version, and not a constraint.
pub fn is_version(text: &str) -> bool {
    Version::parse(text).is_ok()
}

/// Whether two versions are the same, however they are written.
pub fn same_version(one: &str, other: &str) -> bool {
    match (Version::parse(one), Version::parse(other)) {
        (Ok(one), Ok(other)) => one == other,
        (Ok(_), Err(_)) => false,
        (Err(_), _) => one == other,
    }
}

/// Whether a version stands for several.
fn is_range(version: &str) -> bool {
    let core = version.split(['-', '+']).next().unwrap_or(version);
    version.contains(['^', '~', '<', '>', '=', '!', '*'])
        || version.contains("||")
        || version.contains(" - ")
        || core.contains(['x', 'X'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::read_index;

    const INDEX: &str = "\
apiVersion: v1
entries:
  web:
  - {name: web, version: 2.0.0-rc.1, urls: [a]}
  - {name: web, version: 1.2.3, urls: [b], deprecated: true}
  - {name: web, version: v1.2.0, urls: [c]}
  only:
  - {name: only, version: 0.1.0-alpha, urls: [d], deprecated: true}
  none: []
";

    #[test]
    fn a_version_is_chosen_as_helm_chooses_it() {
        let index = read_index(INDEX.as_bytes(), "", &mut Vec::new()).unwrap();
        for (name, version, chosen) in [
            ("web", "", Ok("1.2.3")),
            ("web", "2.0.0-rc.1", Ok("2.0.0-rc.1")),
            (">0", "", Err("no chart name found")),
            ("web", ">0.0.0-0", Ok("2.0.0-rc.1")),
            ("web", "~1.2.0", Ok("1.2.3")),
            ("web", "1.2.0", Ok("v1.2.0")),
            ("web", "1.2", Ok("1.2.3")),
            ("web", "^3", Err("no chart version found for web-^3")),
            ("web", "bogus", Err("improper constraint: \"bogus\"")),
            ("only", "", Err("no chart version found for only-")),
            ("none", "", Err("no chart version found")),
        ] {
            let found = index.get(name, version, &mut Vec::new());
            let found = found.map(|entry| entry.metadata.version.as_str());
            let found = found.map_err(String::from);
            assert_eq!(found, chosen.map_err(str::to_owned), "{name} {version}");
        }
    }

    #[test]
    fn what_was_asked_for_and_what_was_taken_is_said() {
        let index = read_index(INDEX.as_bytes(), "", &mut Vec::new()).unwrap();
        let level = |version: &str| {
            let mut log = Vec::new();
            index.get("web", version, &mut log).unwrap();
            log.first().map(|line| line.level)
        };
        assert_eq!(level(""), None);
        assert_eq!(level("1.2.3"), None);
        assert_eq!(level("1.2"), Some(Level::Warn));
        assert_eq!(level("1.2.x"), Some(Level::Debug));
        assert_eq!(level("^1"), Some(Level::Debug));
    }

    #[test]
    fn a_chart_is_deprecated_if_its_latest_version_is() {
        let index = read_index(INDEX.as_bytes(), "", &mut Vec::new()).unwrap();
        assert!(index.is_deprecated("web") && index.is_deprecated("only"));
        assert!(!index.is_deprecated("none") && !index.is_deprecated("unknown"));
    }

    #[test]
    fn tags_are_chosen_by_their_versions() {
        let tags: Vec<String> = ["2.0.0-rc1", "1.1.0", "1.0.0+a"].map(str::to_owned).to_vec();
        for (version, chosen) in [
            ("", Ok("1.1.0")),
            ("^1.0.0", Ok("1.1.0")),
            ("1.0.0+a", Ok("1.0.0+a")),
            ("~1.0", Ok("1.0.0+a")),
            (">3", Err("could not locate a version matching provided version string >3")),
            ("bogus", Err("improper constraint: \"bogus\"")),
        ] {
            let tag = choose_tag(&tags, version).map_err(String::from);
            assert_eq!(tag, chosen.map_err(str::to_owned), "{version}");
        }
        assert!(same_version("1.0", "v1.0.0") && !same_version("1.0", "x") && same_version("x", "x"));
    }
}

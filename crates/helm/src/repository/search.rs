//! Charts by the words of their descriptions.

use std::sync::Arc;

use trueline_sprig::regexp::Regexp;
use trueline_sprig::semver::{Constraints, Version};

use super::choose::satisfies;
use super::{ChartVersion, Index};
use crate::refusal::{Refusal, RefusalKind};

/// A chart that was found.
#[derive(Debug, Clone, Copy)]
pub struct SearchHit<'i> {
    /// The repository.
    pub repository: &'i str,
    /// Its name in the index.
    pub name: &'i str,
    /// The version.
    pub version: &'i ChartVersion,
    /// Whether the chart as a whole is deprecated.
    pub deprecated: bool,
    /// In which part of the description the word stands: the lower, the better.
    score: usize,
}

/// Which versions of each chart are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versions {
    /// The newest that satisfies the constraint.
    Newest,
    /// All that satisfy it.
    All,
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub enum Term<'t> {
    /// Everything.
    All,
    /// A string, compared without regard to case.
    Text(&'t str),
    /// A pattern.
    Pattern(&'t str),
}

/// Parts of the description of a chart are kept apart by this.
const SEPARATOR: char = '\u{b}';

/// Looks for charts in several indexes, each with the name of its repository. The best come first, then those
/// whose names come first, then the newest.
pub fn search<'i>(
    indexes: &'i [(String, Arc<Index>)],
    term: Term<'_>,
    versions: Versions,
    constraint: &str,
) -> Result<Vec<SearchHit<'i>>, Refusal> {
    let matcher = Matcher::new(term).map_err(|text| RefusalKind::Syntax.of(text))?;
    let mut found = Vec::new();
    for (repository, index) in indexes {
        for (name, entries) in &index.entries {
            let deprecated = index.is_deprecated(name);
            for version in entries {
                let score = matcher.score(&description(repository, version));
                found.extend(score.map(|score| SearchHit { repository, name, version, deprecated, score }));
            }
        }
    }
    found.sort_by_cached_key(|found| {
        let version = std::cmp::Reverse(Version::parse(&found.version.metadata.version).ok());
        (found.score, format!("{}/{}", found.repository, found.name), version)
    });
    let constraint = Constraints::parse(constraint)
        .map_err(|wrong| RefusalKind::Version.of(format!("an invalid version/constraint format: {wrong}")))?;
    found.retain(|found| satisfies(&found.version.metadata.version, &constraint));
    if versions == Versions::Newest {
        let mut seen = std::collections::BTreeSet::new();
        found.retain(|found| seen.insert((found.repository, found.name)));
    }
    Ok(found)
}

fn description(repository: &str, version: &ChartVersion) -> String {
    let metadata = &version.metadata;
    let (name, keywords) = (&metadata.name, metadata.keywords.join(" "));
    format!("{name}{SEPARATOR}{repository}/{name}{SEPARATOR}{}{SEPARATOR}{keywords}", metadata.description)
}

enum Matcher {
    All,
    Text(String),
    Pattern(std::rc::Rc<Regexp>),
}

impl Matcher {
    fn new(term: Term<'_>) -> Result<Self, String> {
        Ok(match term {
            Term::All => Matcher::All,
            Term::Text(text) => Matcher::Text(text.to_lowercase()),
            Term::Pattern(pattern) => Matcher::Pattern(Regexp::compile(pattern.as_bytes())?),
        })
    }

    /// In which part the first match is.
    fn score(&self, text: &str) -> Option<usize> {
        let (place, text) = match self {
            Matcher::All => return Some(0),
            Matcher::Text(term) => {
                let text = text.to_lowercase();
                (text.find(term.as_str())?, text)
            }
            Matcher::Pattern(pattern) => (pattern.find(text.as_bytes())?.start, text.to_owned()),
        };
        Some(text.bytes().take(place).filter(|byte| *byte == SEPARATOR as u8).count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::read_index;

    const INDEX: &str = "\
apiVersion: v1
entries:
  web:
  - {name: web, version: 2.0.0-rc.1, description: Serves pages, keywords: [http]}
  - {name: web, version: 1.10.0, description: Serves pages, keywords: [http]}
  - {name: web, version: 1.9.0, description: Serves Pages, keywords: [http]}
  pages:
  - {name: pages, version: 1.0.0, description: For a web, deprecated: true}
";

    fn names(term: Term<'_>, versions: Versions, constraint: &str) -> Result<Vec<String>, String> {
        let index = read_index(INDEX.as_bytes(), "", &mut Vec::new()).unwrap();
        let indexes = [("r".to_owned(), Arc::new(index))];
        let found = search(&indexes, term, versions, constraint)?;
        Ok(found
            .iter()
            .map(|found| {
                let mark = if found.deprecated { " deprecated" } else { "" };
                format!("{}/{} {}{mark}", found.repository, found.name, found.version.metadata.version)
            })
            .collect())
    }

    #[test]
    fn the_best_match_comes_first() {
        let newest = |term| names(term, Versions::Newest, ">0.0.0").unwrap();
        assert_eq!(newest(Term::All), ["r/pages 1.0.0 deprecated", "r/web 1.10.0"]);
        assert_eq!(newest(Term::Text("WEB")), ["r/web 1.10.0", "r/pages 1.0.0 deprecated"]);
        assert_eq!(newest(Term::Text("pages")), ["r/pages 1.0.0 deprecated", "r/web 1.10.0"]);
        assert_eq!(newest(Term::Text("http")), ["r/web 1.10.0"]);
        assert_eq!(newest(Term::Pattern("P[a]ges")), ["r/web 1.9.0"]);
        assert_eq!(newest(Term::Text("nothing")), [""; 0]);
    }

    #[test]
    fn versions_are_chosen_by_a_constraint() {
        let all = |constraint| names(Term::Text("web"), Versions::All, constraint);
        let of_web = |versions: &[&str]| {
            let mut lines: Vec<String> = versions.iter().map(|version| format!("r/web {version}")).collect();
            lines.push("r/pages 1.0.0 deprecated".to_owned());
            Ok(lines)
        };
        assert_eq!(all(">0.0.0"), of_web(&["1.10.0", "1.9.0"]));
        assert_eq!(all(">0.0.0-0"), of_web(&["2.0.0-rc.1", "1.10.0", "1.9.0"]));
        assert_eq!(
            all("bogus"),
            Err("an invalid version/constraint format: improper constraint: \"bogus\"".to_owned())
        );
        assert!(names(Term::Pattern("("), Versions::All, ">0").is_err());
    }
}

//! What a dependency requires: a name, and optionally a version range (`nodejs@>=20`).

use semver::{Version, VersionReq};

/// A name with an optional version range, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The name of the extension.
    pub name: String,
    /// The range after the `@`.
    pub range: Option<String>,
}

impl Requirement {
    /// A requirement from its two halves.
    pub fn new(name: &str, range: Option<&str>) -> Self {
        Requirement { name: name.trim().to_owned(), range: range.map(|range| range.trim().to_owned()) }
    }

    /// Reads `name` or `name@range`.
    pub fn parse(text: &str) -> Self {
        match text.split_once('@') {
            Some((name, range)) => Self::new(name, Some(range)),
            None => Self::new(text, None),
        }
    }

    /// The range as comparators; `latest` and a missing range match every version.
    ///
    /// Comparators may be separated by commas or by spaces.
    pub fn comparators(&self) -> Result<VersionReq, semver::Error> {
        match self.range.as_deref() {
            None | Some("latest" | "*") => Ok(VersionReq::STAR),
            Some(range) => VersionReq::parse(&with_commas(range)),
        }
    }

    /// Whether a version is in the range. An invalid range matches everything, because it is reported
    /// elsewhere.
    pub fn is_met_by(&self, version: &Version) -> bool {
        self.comparators().map_or(true, |range| range.matches(version))
    }
}

/// `>=1 <2` as `>=1, <2`; an operator may be separated from its version.
fn with_commas(range: &str) -> String {
    let mut joined = String::new();
    for word in range.split_whitespace() {
        let operator_before = joined.ends_with(['<', '>', '=', '^', '~']);
        if !joined.is_empty() && !operator_before && !joined.ends_with(',') && !word.starts_with(',') {
            joined.push(',');
        }
        joined.push_str(word);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_in_every_usual_spelling() {
        let met = |text: &str, version: &str| {
            Requirement::parse(text).is_met_by(&Version::parse(version).expect("a version"))
        };
        for text in [
            "nodejs",
            "nodejs@latest",
            "nodejs@*",
            "nodejs@20",
            "nodejs@>=20",
            "nodejs@>= 20, < 21",
            "nodejs@>=20 <21",
            "nodejs@^20.1",
            "nodejs@~20.1.0",
            "nodejs@=20.1.0",
        ] {
            assert!(met(text, "20.1.0"), "{text}");
        }
        for text in ["nodejs@21", "nodejs@>=20 <20.1.0", "nodejs@<20", "nodejs@=20.1.1"] {
            assert!(!met(text, "20.1.0"), "{text}");
        }
        assert!(met("nodejs@what", "1.0.0"));
        assert!(Requirement::parse("nodejs@what").comparators().is_err());
        assert!(Requirement::parse("nodejs@").comparators().is_err());
        assert!(Requirement::parse("nodejs@1 || 2").comparators().is_err());
    }

    #[test]
    fn the_first_at_sign_separates() {
        let requirement = Requirement::parse("a@b@c");
        assert_eq!((requirement.name.as_str(), requirement.range.as_deref()), ("a", Some("b@c")));
    }
}

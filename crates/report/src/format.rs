//! The names of the formats.

use std::fmt;
use std::str::FromStr;

/// A report format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// For people: source lines with marks and words beside them.
    Human,
    /// One line per finding, for editors and `grep`; the lines of the summary begin with `# `.
    Short,
    /// Everything, for programs; described by [`JSON_SCHEMA`](crate::JSON_SCHEMA).
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for CI servers that show tests.
    Junit,
    /// GitHub workflow commands, which become annotations on a pull request.
    Github,
    /// GitLab Code Quality, shown on a merge request.
    Gitlab,
    /// The Test Anything Protocol, version 14.
    Tap,
}

impl Format {
    /// All formats, in the order of `--help`.
    pub const ALL: [Format; 8] = [
        Format::Human,
        Format::Short,
        Format::Json,
        Format::Sarif,
        Format::Junit,
        Format::Github,
        Format::Gitlab,
        Format::Tap,
    ];

    /// The name as it is typed after `--format`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Short => "short",
            Format::Json => "json",
            Format::Sarif => "sarif",
            Format::Junit => "junit",
            Format::Github => "github",
            Format::Gitlab => "gitlab",
            Format::Tap => "tap",
        }
    }

    /// Whether it is for people, who see only a limited number of findings.
    pub fn is_for_people(self) -> bool {
        matches!(self, Format::Human | Format::Short)
    }

    /// Whether it is written during the run; the other formats are documents, written at the end.
    pub fn is_stream(self) -> bool {
        matches!(self, Format::Human | Format::Short | Format::Github | Format::Tap)
    }

    /// Whether it lists everything that was checked, not only what has findings.
    pub fn lists_units(self) -> bool {
        matches!(self, Format::Junit | Format::Tap)
    }

    /// One line for help texts: what the format is for.
    pub fn summary(self) -> &'static str {
        match self {
            Format::Human => "source lines with marks, for people",
            Format::Short => "file:line:col: severity[code] message, one line per finding",
            Format::Json => "everything, for programs",
            Format::Sarif => "SARIF 2.1.0, for code scanning",
            Format::Junit => "JUnit XML, for CI servers",
            Format::Github => "GitHub workflow annotations",
            Format::Gitlab => "GitLab Code Quality",
            Format::Tap => "Test Anything Protocol, version 14",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// An unknown format name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFormat {
    /// The name that was given.
    pub name: String,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        write!(formatter, "unknown report format `{}`; use one of {}", self.name, known.join(", "))
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            assert!(!format.summary().is_empty());
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = "yaml".parse::<Format>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown report format `yaml`; use one of human, short, json, sarif, junit, github, gitlab, tap"
        );
    }
}

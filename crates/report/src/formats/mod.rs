//! The formats, one file each. A file says in its `FORMAT` what the format is for and how it is written; here is the list.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use trueline_diagnostic::{Outcome, Unit, Units};
use trueline_source::SourceMap;

use crate::options::Options;
use crate::prepared::{Finding, Report};
use crate::summary::Figures;

mod github;
mod gitlab;
mod human;
mod json;
mod junit;
mod sarif;
mod short;
mod tap;

/// The enum of the formats and their rows, in the order of `--help`.
macro_rules! formats {
    ($($module:ident => $name:ident,)*) => {
        /// A report format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $(
                #[doc = concat!("The format of `", stringify!($module), ".rs`.")]
                $name,
            )*
        }

        impl Format {
            /// All formats, in the order of `--help`.
            pub const ALL: &'static [Format] = &[$(Format::$name),*];

            pub(crate) fn row(self) -> &'static Row {
                match self {
                    $(Format::$name => &$module::FORMAT,)*
                }
            }
        }
    };
}

formats! {
    human => Human,
    short => Short,
    json => Json,
    sarif => Sarif,
    junit => Junit,
    github => Github,
    gitlab => Gitlab,
    tap => Tap,
}

/// What a format says of itself.
pub(crate) struct Row {
    /// The name as it is typed after `--format`.
    pub(crate) name: &'static str,
    /// One line for help texts: what the format is for.
    pub(crate) summary: &'static str,
    pub(crate) reader: Reader,
    pub(crate) writer: Writer,
}

/// Who reads a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// People see only a limited number of findings.
    Person,
    Program,
}

/// How a report is written.
#[derive(Clone, Copy)]
pub(crate) enum Writer {
    /// During the run, finding by finding.
    Findings {
        show: fn(&[&Finding], &SourceMap, &Options) -> String,
        /// What comes after all findings.
        end: fn(&Figures, &Outcome, &Options) -> String,
    },
    /// During the run, unit by unit, with those that have no findings.
    Units(fn() -> Box<dyn UnitWriter>),
    /// As one document, at the end of the run.
    Document {
        /// Which units it lists.
        units: Units,
        write: fn(&Report, &Options, &mut dyn Write) -> io::Result<()>,
    },
}

/// A report that is written unit by unit.
pub(crate) trait UnitWriter: fmt::Debug + Send {
    /// Findings about the run itself.
    fn general(&mut self, findings: Vec<Finding>) -> String;
    /// A unit and its findings.
    fn unit(&mut self, unit: &Unit, findings: Vec<Finding>) -> String;
    /// The end of the report.
    fn finish(self: Box<Self>) -> String;
}

impl Format {
    /// The name as it is typed after `--format`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether it is for people, who see only a limited number of findings.
    pub fn is_for_people(self) -> bool {
        self.row().reader == Reader::Person
    }

    /// Whether it is written during the run; the other formats are documents, written at the end.
    pub fn is_stream(self) -> bool {
        !matches!(self.row().writer, Writer::Document { .. })
    }

    /// Whether it lists everything that was checked, not only what has findings.
    pub fn lists_units(self) -> bool {
        matches!(self.row().writer, Writer::Units(_) | Writer::Document { units: Units::All, .. })
    }

    /// One line for help texts: what the format is for.
    pub fn summary(self) -> &'static str {
        self.row().summary
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
            .iter()
            .copied()
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
            assert_eq!(format.name().parse(), Ok(*format));
            assert!(!format.summary().is_empty());
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = "yaml".parse::<Format>().unwrap_err();
        assert!(error.to_string().starts_with("unknown report format `yaml`; use one of human, short, json"));
        assert!(Format::ALL.iter().all(|format| error.to_string().contains(format.name())));
    }
}

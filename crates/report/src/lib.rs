//! Findings as text, in eight formats.
//!
//! Every format starts from the same prepared report: findings are moved out of rendered text to the
//! places that somebody wrote, sorted by place and freed of exact duplicates, in one shared step. A format
//! is one file that turns the prepared report into text; it decides nothing about what is reported.
//!
//! This crate writes strings and nothing else: it does not know the terminal, the disk or the clock.

mod excerpt;
mod fingerprint;
mod format;
mod github;
mod gitlab;
mod human;
mod json;
mod junit;
mod location;
mod options;
mod prepared;
mod sarif;
mod short;
mod summary;
mod tap;
mod text;

#[cfg(test)]
mod origins;
#[cfg(test)]
mod testing;

use trueline_diagnostic::{Outcome, Units};
use trueline_source::SourceMap;

pub use format::{Format, UnknownFormat};
pub use options::{Color, Execution, Options};

use prepared::Report;

/// The JSON Schema (2020-12) of the `json` format.
pub const JSON_SCHEMA: &str = include_str!("../../../schemas/report.schema.json");

/// Writes a report of everything a run found.
///
/// The result ends in a line break. It is the same for the same input, whatever the machine and the order
/// in which things were checked.
pub fn render(format: Format, outcome: Outcome, sources: &SourceMap, options: &Options) -> String {
    let units = if format.lists_units() { Units::All } else { Units::Telling };
    let report = Report::prepare(outcome, units, sources);
    match format {
        Format::Human => human::render(&report, sources, options),
        Format::Short => short::render(&report, options),
        Format::Json => json::render(&report, options),
        Format::Sarif => sarif::render(&report, options),
        Format::Junit => junit::render(&report),
        Format::Github => github::render(&report, options),
        Format::Gitlab => gitlab::render(&report),
        Format::Tap => tap::render(&report),
    }
}

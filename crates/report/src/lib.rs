//! Findings as text, in several formats.
//!
//! Every format starts from the same prepared findings: they are moved out of rendered text to the places that
//! somebody typed, sorted by place and deduplicated in one shared step. A format is one file that turns them
//! into text; it decides nothing about what is reported. Line formats are written during the run (`stream`),
//! documents at its end.
//!
//! This crate writes strings and nothing else: it does not know the terminal, the disk or the clock.

mod document;
mod excerpt;
mod fingerprint;
mod formats;
mod location;
mod options;
mod prepared;
mod stream;
mod summary;
mod text;

#[cfg(test)]
mod escaping;
#[cfg(test)]
mod origins;
#[cfg(test)]
mod testing;

use std::io::{self, Write};

use trueline_diagnostic::Outcome;
use trueline_source::SourceMap;

pub use formats::{Format, UnknownFormat};
pub use options::{Color, Execution, Options};
pub use stream::Stream;
pub use text::{harmless, harmless_json, is_control};

use formats::Writer;
use prepared::Report;

/// The JSON Schema (2020-12) of the `json` format.
pub const JSON_SCHEMA: &str = include_str!("../../../schemas/report.schema.json");

/// A report of everything that a run found, as one text.
pub fn render(format: Format, outcome: Outcome, sources: &SourceMap, options: &Options) -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail, and everything written is text.
    let _ = write(format, outcome, sources, options, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Writes a report of everything that a run found.
///
/// It ends with a line break, and the same input gives the same report on any machine and in any order of
/// checking.
pub fn write(
    format: Format,
    outcome: Outcome,
    sources: &SourceMap,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Some(mut stream) = Stream::new(format, sources, options.clone()) {
        out.write_all(stream.general(&outcome.general).as_bytes())?;
        for unit in &outcome.units {
            out.write_all(stream.unit(unit).as_bytes())?;
        }
        return out.write_all(stream.finish(&outcome, options.execution).as_bytes());
    }
    match format.row().writer {
        Writer::Document { units, write } => write(&Report::prepare(outcome, units, sources), options, out),
        Writer::Findings { .. } | Writer::Units(_) => Ok(()),
    }
}

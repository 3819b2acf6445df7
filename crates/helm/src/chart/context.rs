//! What all steps of loading share: where texts go, whose rules apply, what was said, and our own limits.

use trueline_diagnostic::Diagnostic;
use trueline_source::SourceMap;
use trueline_yaml::Value;

use super::raw::about_file;
use super::{CHART_TOO_LARGE, Chart, Compat, File, LoadFailure};
use crate::log::LogLine;

/// Files and directories of a chart with all its subcharts.
const MOST_FILES: usize = 100_000;
/// Bytes of all archives of a chart, one inside of the other. An archive can hold itself.
const MOST_UNPACKED: u64 = 512 << 20;
/// Charts in charts.
const DEEPEST: usize = 64;

/// Whether what a step says is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Log {
    Kept,
    Dropped,
}

/// When the file at a path of the loader was changed, in seconds since 1970.
pub(super) type Times<'a> = dyn Fn(&str) -> Option<i64> + 'a;

pub(super) struct Context<'a> {
    pub(super) sources: &'a SourceMap,
    pub(super) compat: Compat,
    /// The Go package whose types Helm's errors name.
    pub(super) package: &'static str,
    /// Tells when a file of the loader was changed, if somebody wants to know.
    pub(super) times: Option<&'a Times<'a>>,
    /// The chart as it was loaded before, of which unchanged values are taken.
    pub(super) earlier: Option<&'a Chart>,
    pub(super) log: Vec<LogLine>,
    pub(super) warnings: Vec<Diagnostic>,
    files: usize,
    unpacked: u64,
    depth: usize,
}

impl<'a> Context<'a> {
    pub(super) fn new(sources: &'a SourceMap, compat: Compat) -> Self {
        let package = match compat {
            Compat::Helm4 => "v2",
            Compat::Helm3 => "chart",
        };
        Context {
            sources,
            compat,
            package,
            times: None,
            earlier: None,
            log: Vec::new(),
            warnings: Vec::new(),
            files: 0,
            unpacked: 0,
            depth: 0,
        }
    }

    /// The values that a file of values was read to before, if it has not changed since.
    pub(super) fn known_values(&self, file: &File) -> Option<Value> {
        self.earlier.and_then(|chart| known_values(chart, file))
    }

    /// Counts one more file or directory.
    pub(super) fn count_file(&mut self, shown: &str) -> Result<(), LoadFailure> {
        self.files += 1;
        if self.files <= MOST_FILES {
            return Ok(());
        }
        Err(self.refuse(shown, format!("chart has more than {MOST_FILES} files")))
    }

    /// Counts bytes that came out of an archive.
    pub(super) fn count_unpacked(&mut self, bytes: u64, shown: &str) -> Result<(), LoadFailure> {
        self.unpacked = self.unpacked.saturating_add(bytes);
        if self.unpacked <= MOST_UNPACKED {
            return Ok(());
        }
        Err(self.refuse(shown, format!("chart archives unpack to more than {MOST_UNPACKED} bytes")))
    }

    /// Loads a chart one level further down. Once something is wrong, Helm does not get so far: then only
    /// findings are looked for, and nothing is logged.
    pub(super) fn deeper<T>(
        &mut self,
        shown: &str,
        log: Log,
        work: impl FnOnce(&mut Self) -> Result<T, LoadFailure>,
    ) -> Result<T, LoadFailure> {
        if self.depth >= DEEPEST {
            return Err(self.refuse(shown, format!("charts are nested more than {DEEPEST} deep")));
        }
        let said = self.log.len();
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        if log == Log::Dropped {
            self.log.truncate(said);
        }
        result
    }

    fn refuse(&self, shown: &str, text: String) -> LoadFailure {
        let finding = about_file(self.sources, shown, &CHART_TOO_LARGE, text.clone());
        LoadFailure::new(text, vec![finding])
    }
}

fn known_values(chart: &Chart, file: &File) -> Option<Value> {
    let is_same = |known: &&File| known.source == file.source && known.data == file.data;
    match chart.values_file.as_ref().filter(is_same) {
        Some(_) => Some(chart.values.clone()),
        None => chart.dependencies.iter().find_map(|subchart| known_values(subchart, file)),
    }
}

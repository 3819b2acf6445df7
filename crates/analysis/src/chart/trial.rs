//! Which values a chart is tried with: its own, each of its `ci/*-values.yaml`, or those that somebody gives.

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};
use trueline_diagnostic::{Diagnostic, Level};
use trueline_helm::chart::{Chart, read_values};
use trueline_helm::values::overlay;
use trueline_source::{EntryKind, SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::{Data, Value};

use super::codes::EMPTY_MATRIX;
use super::settings::{COMPAT, GivenValues};
use super::slips;
use crate::session::Session;
use crate::walk::{self, Candidate};

/// Values for tests that charts bring along, as the tools for testing charts know them.
const CI: &str = "ci/*-values.yaml";

/// How deep folders are looked through for files of values, and how many files are taken.
const DEEPEST: usize = 16;
const MOST: usize = 1_000;

/// The values of one rendering.
#[derive(Debug)]
pub(super) struct Input {
    /// The file that they are from, where that is one of several; nothing for the one set that is always tried.
    pub(super) name: Option<String>,
    /// What a user gives; the chart's own come below it.
    pub(super) user: Value,
}

/// What a chart is tried with.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    pub(super) list: Vec<Input>,
    pub(super) findings: Vec<Diagnostic>,
    /// The files that were read.
    pub(super) files: Vec<SourceId>,
}

/// Finds the sets of values that a chart is to be rendered with.
pub(super) fn inputs(
    candidate: &Candidate,
    chart: &Chart,
    settings: &Session,
    given: &GivenValues,
    sources: &SourceMap,
) -> Inputs {
    let mut inputs = Inputs::default();
    let base = given.files().cloned().unwrap_or_else(nothing);
    let patterns: &[String] = &settings.charts.matrix;
    if patterns.is_empty() {
        inputs.add(None, base.clone(), settings, sources);
        if given.files().is_some() {
            return inputs;
        }
    }
    let ci = [CI.to_owned()];
    let patterns = if patterns.is_empty() { &ci } else { patterns };
    let found = matching(candidate, chart, patterns);
    if found.is_empty() && !settings.charts.matrix.is_empty() {
        inputs.findings.extend(nothing_matches(chart, &settings.charts.matrix));
    }
    let root = shown_root(candidate, chart, sources);
    for file in found {
        let shown = walk::join(&root, &file.name);
        let source = sources.add(shown.clone(), SourceKind::File, String::from_utf8_lossy(&file.bytes));
        inputs.files.push(source);
        match read_values(source, &file.bytes, sources, COMPAT) {
            Ok(values) => {
                let mut user = base.clone();
                overlay(&mut user, values);
                inputs.add(Some(shown), user, settings, sources);
            }
            Err(failure) => {
                let found = failure.diagnostics.into_iter();
                inputs.findings.extend(found.map(|finding| slips::in_file(finding, sources)));
            }
        }
    }
    inputs
}

impl Inputs {
    fn add(&mut self, name: Option<String>, user: Value, settings: &Session, sources: &SourceMap) {
        match settings.set_over(user, sources) {
            Ok(user) => self.list.push(Input { name, user }),
            Err(error) => self.findings.extend(error.diagnostics),
        }
    }
}

/// Where the files of a chart are, as a person sees it: in an archive they are in a directory.
fn shown_root(candidate: &Candidate, chart: &Chart, sources: &SourceMap) -> String {
    let described = chart.chart_file.as_ref().and_then(|file| file.source);
    let inside = described.and_then(|source| {
        let source = sources.get(source);
        source.name().strip_suffix("/Chart.yaml").map(str::to_owned)
    });
    inside.unwrap_or_else(|| candidate.loader().display(&candidate.path))
}

fn nothing() -> Value {
    Value::new(Data::Map(std::sync::Arc::default()))
}

fn nothing_matches(chart: &Chart, patterns: &[String]) -> Option<Diagnostic> {
    let source = chart.chart_file.as_ref()?.source?;
    let shown: Vec<String> = patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
    let message = format!("no file of the chart matches {}", shown.join(" or "));
    Some(
        Diagnostic::new(&EMPTY_MATRIX, Span::whole(source).at_start(), message)
            .help("`--values-matrix` is seen from the directory of the chart")
            .level(Level::Semantic),
    )
}

/// A file of values in a chart.
struct FileOfValues {
    /// Its path in the chart.
    name: String,
    bytes: Vec<u8>,
}

/// The files of a chart that match one of some patterns, each once, in order of their names. Those of a
/// directory are looked for there: `.helmignore` often keeps them out of the chart.
fn matching(candidate: &Candidate, chart: &Chart, patterns: &[String]) -> Vec<FileOfValues> {
    let matchers: Vec<GlobMatcher> = patterns.iter().filter_map(|pattern| matcher(pattern)).collect();
    let is_wanted = |name: &str| matchers.iter().any(|matcher| matcher.is_match(name));
    let is_directory =
        candidate.loader().entry(&candidate.path).is_ok_and(|entry| entry.kind == EntryKind::Directory);
    let mut found: Vec<FileOfValues> = if is_directory {
        let mut names = Vec::new();
        for pattern in patterns {
            collect(candidate, fixed_folder(pattern), 0, &mut names);
        }
        let names = names.into_iter().filter(|name| is_wanted(name)).take(MOST);
        names
            .filter_map(|name| {
                let bytes = candidate.loader().read(&walk::join(&candidate.path, &name)).ok()?;
                Some(FileOfValues { name, bytes })
            })
            .collect()
    } else {
        let files = chart.files.iter().filter(|file| is_wanted(&file.name)).take(MOST);
        files.map(|file| FileOfValues { name: file.name.to_string(), bytes: file.data.to_vec() }).collect()
    };
    found.sort_by(|left, right| left.name.cmp(&right.name));
    found.dedup_by(|right, left| left.name == right.name);
    found
}

/// A pattern for files of values, as [`super::ChartSettings::matrix`] takes it.
pub fn values_pattern(text: &str) -> Result<String, PatternError> {
    match GlobBuilder::new(text).build() {
        Ok(_) if !text.is_empty() => Ok(text.to_owned()),
        Ok(_) => Err(PatternError::Empty),
        Err(error) => Err(PatternError::NotAPattern(error.kind().clone())),
    }
}

/// Why a string is not a pattern for files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternError {
    /// It is empty.
    Empty,
    /// It is not written as patterns are.
    NotAPattern(globset::ErrorKind),
}

impl fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Empty => formatter.write_str("the pattern is empty"),
            PatternError::NotAPattern(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for PatternError {}

/// The pattern made ready: `*` stays inside of a folder.
fn matcher(pattern: &str) -> Option<GlobMatcher> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    GlobBuilder::new(pattern).literal_separator(true).build().ok().map(|glob| glob.compile_matcher())
}

/// The folder that all matches of a pattern are in.
fn fixed_folder(pattern: &str) -> &str {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let end = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    pattern.get(..end).and_then(|fixed| fixed.rsplit_once('/')).map_or("", |(folder, _)| folder)
}

/// The files below a folder of the chart.
fn collect(candidate: &Candidate, folder: &str, depth: usize, names: &mut Vec<String>) {
    let Ok(entries) = candidate.loader().list(&walk::join(&candidate.path, folder)) else { return };
    for entry in entries {
        let name = walk::join(folder, &entry.name);
        match entry.kind {
            EntryKind::File => names.push(name),
            EntryKind::Directory if !entry.link && depth < DEEPEST => {
                collect(candidate, &name, depth + 1, names);
            }
            EntryKind::Directory | EntryKind::Other => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stay_in_their_folders() {
        for (pattern, name, is_match) in [
            (CI, "ci/a-values.yaml", true),
            (CI, "ci/deep/a-values.yaml", false),
            (CI, "values.yaml", false),
            ("./ci/*.yaml", "ci/a.yaml", true),
            ("envs/**/*.yaml", "envs/a/b/c.yaml", true),
        ] {
            assert_eq!(matcher(pattern).unwrap().is_match(name), is_match, "{pattern} {name}");
        }
        assert_eq!(fixed_folder("envs/prod/**/*.yaml"), "envs/prod");
        assert_eq!(fixed_folder("*.yaml"), "");
    }
}

//! Why a chart could not be loaded.

use std::fmt;

use trueline_diagnostic::Diagnostic;

use super::Chart;
use crate::log::LogLine;

/// A chart that could not be loaded: Helm's text of the first problem, and everything that is wrong in our
/// words. What it prints is what Helm prints after `Error: `.
#[derive(Debug, Clone)]
pub struct LoadFailure {
    text: String,
    /// Everything that is wrong, at its place.
    pub diagnostics: Vec<Diagnostic>,
    /// What was said before the first problem.
    pub log: Vec<LogLine>,
    /// What could be loaded all the same, for those who look for more mistakes.
    pub partial: Option<Box<Chart>>,
}

impl LoadFailure {
    /// A failure with Helm's text and our findings.
    pub(crate) fn new(text: impl Into<String>, diagnostics: Vec<Diagnostic>) -> Self {
        LoadFailure { text: text.into(), diagnostics, log: Vec::new(), partial: None }
    }

    /// The same failure with other words of Helm.
    pub(crate) fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// The same failure with words before Helm's.
    pub(crate) fn within(mut self, words: impl fmt::Display) -> Self {
        self.text = format!("{words}: {}", self.text);
        self
    }

    /// The same failure with what was said before it.
    pub(super) fn with_log(mut self, log: Vec<LogLine>) -> Self {
        self.log = log;
        self
    }

    /// Helm's text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for LoadFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for LoadFailure {}

/// Failures as they are met: the first one gives Helm's text, all of them give findings.
#[derive(Debug, Default)]
pub(super) struct Failures {
    first: Option<LoadFailure>,
}

impl Failures {
    pub(super) fn add(&mut self, failure: LoadFailure) {
        match &mut self.first {
            None => self.first = Some(failure),
            Some(first) => first.diagnostics.extend(failure.diagnostics),
        }
    }

    /// The value, or the note of why there is none.
    pub(super) fn note<T>(&mut self, result: Result<T, LoadFailure>) -> Option<T> {
        result.map_err(|failure| self.add(failure)).ok()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub(super) fn into_result(self) -> Result<(), LoadFailure> {
        self.first.map_or(Ok(()), Err)
    }
}

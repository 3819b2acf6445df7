//! Prints what a run finds while it goes on, beside the progress bar.

use std::io;
use std::sync::{Mutex, PoisonError};

use trueline_diagnostic::{Diagnostic, Unit};
use trueline_report::Stream;

use crate::progress::Progress;
use crate::terminal;

/// The report on standard output, where its format is written while a run goes on, and the progress bar.
#[derive(Debug)]
pub(crate) struct Printer<'s> {
    progress: Progress,
    state: Mutex<State<'s>>,
}

#[derive(Debug)]
struct State<'s> {
    stream: Option<Stream<'s>>,
    /// Why standard output could not be written: nothing more is tried then.
    failure: Option<io::Error>,
}

impl<'s> Printer<'s> {
    pub(crate) fn new(stream: Option<Stream<'s>>, progress: Progress) -> Self {
        Printer { progress, state: Mutex::new(State { stream, failure: None }) }
    }

    /// What is left to be written, or why it cannot be.
    pub(crate) fn finish(self) -> io::Result<Option<Stream<'s>>> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.failure {
            Some(failure) => Err(failure),
            None => Ok(state.stream),
        }
    }

    /// Prints at once and flushes, so that it stays if the run is ended.
    fn print(&self, text: impl FnOnce(&mut Stream<'s>) -> String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failure.is_some() {
            return;
        }
        let Some(text) = state.stream.as_mut().map(text).filter(|text| !text.is_empty()) else { return };
        state.failure = self.progress.beside(|| terminal::print(&text)).err();
    }
}

impl trueline_analysis::Progress for Printer<'_> {
    fn units(&self, count: usize) {
        self.progress.units(count);
    }

    fn done(&self) {
        self.progress.done();
    }

    fn general(&self, findings: &[Diagnostic]) {
        self.print(|stream| stream.general(findings));
    }

    fn unit(&self, unit: &Unit) {
        self.print(|stream| stream.unit(unit));
    }
}

//! A progress bar for runs that take long enough to be wondered about.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use trueline_source::Receiving;

/// Runs shorter than this show nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// The progress of one run; it vanishes when dropped.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    shown: Option<Arc<Shown>>,
}

#[derive(Debug)]
struct Shown {
    bar: ProgressBar,
    /// Dropped at the end, which wakes the waiting thread.
    _end: Sender<()>,
}

impl Progress {
    /// Progress that nobody sees.
    pub(crate) fn hidden() -> Self {
        Progress { shown: None }
    }

    /// A bar on standard error, once the run has taken half a second.
    pub(crate) fn on_terminal() -> Self {
        Self::with_template("{bar:30} {pos}/{len} checked, {elapsed}", "")
    }

    /// The same for something that is fetched.
    pub(crate) fn of_fetching(name: &str) -> Self {
        Self::with_template("{bar:30} {bytes}/{total_bytes} {msg}", name)
    }

    /// Does something that prints, with the bar out of the way.
    pub(crate) fn beside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.shown {
            Some(shown) => shown.bar.suspend(print),
            None => print(),
        }
    }

    fn with_template(template: &str, message: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(message.to_owned());
        let (end, ended) = mpsc::channel();
        let waiting = bar.clone();
        let spawned = thread::Builder::new().name("progress".to_owned()).spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                waiting.set_draw_target(ProgressDrawTarget::stderr());
                waiting.tick();
            }
        });
        match spawned {
            Ok(_) => Progress { shown: Some(Arc::new(Shown { bar, _end: end })) },
            Err(_) => Progress::hidden(),
        }
    }
}

impl Receiving for Progress {
    fn begin(&self, length: Option<u64>) {
        if let (Some(shown), Some(length)) = (&self.shown, length) {
            shown.bar.set_length(length);
        }
    }

    fn advance(&self, bytes: u64) {
        if let Some(shown) = &self.shown {
            shown.bar.inc(bytes);
        }
    }
}

impl trueline_analysis::Progress for Progress {
    fn units(&self, count: usize) {
        if let Some(shown) = &self.shown {
            shown.bar.set_length(count as u64);
        }
    }

    fn done(&self) {
        if let Some(shown) = &self.shown {
            shown.bar.inc(1);
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_analysis::Progress as _;

    #[test]
    fn a_short_run_shows_nothing() {
        let progress = Progress::on_terminal();
        progress.units(3);
        progress.done();
        let shown = progress.shown.clone().unwrap();
        assert_eq!((shown.bar.length(), shown.bar.position()), (Some(3), 1));
        assert!(shown.bar.is_hidden());
    }

    #[test]
    fn hidden_progress_may_be_advanced() {
        Progress::hidden().units(1);
        Progress::hidden().done();
    }
}

//! Rendering: the templates of a chart and its subcharts as one set, run with the values.

mod again;
mod capabilities;
mod dots;
mod early;
mod files;
mod functions;
mod layout;
mod metadata;
mod methods;
mod name;
mod no_value;
mod readers;
mod run;
mod texts;
mod version;

use std::fmt;
use std::sync::Arc;

use trueline_diagnostic::Diagnostic;
use trueline_gotemplate::{Branches, Environment, Limits, Origins};
use trueline_yaml as yaml;

pub use again::Earlier;
use again::Notebook;
pub use capabilities::{API_VERSIONS, Capabilities, DEFAULT_KUBE_VERSION, KubeVersion, helm_version};
pub use early::Early;
pub use functions::Mode;
pub use name::{Variables, name_from_template};
pub use texts::Texts;
pub use version::{build_info, version_from_template};

use crate::chart::{Chart, Compat};
use crate::log::LogLine;
use crate::refusal::{Refusal, RefusalKind};
use crate::release::RenderedFile;

/// What a rendering needs to know besides the chart and its values.
#[derive(Clone)]
pub struct Options<'a> {
    /// Which Helm is followed.
    pub compat: Compat,
    /// What `.Release` says.
    pub release: Release,
    /// What `.Capabilities` says.
    pub capabilities: Capabilities,
    /// What the rendering is for.
    pub mode: Mode,
    /// Whether each byte of the output remembers where it came from.
    pub origins: Origins,
    /// The clock and the dice.
    pub environment: &'a (dyn Environment + Sync),
    /// What all templates of the chart together may take.
    pub limits: Limits,
}

/// What `.Release` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// The name of the release.
    pub name: String,
    /// The namespace that it goes to.
    pub namespace: String,
    /// What is being done.
    pub operation: Operation,
}

/// What is being done with a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Operation {
    /// It is new.
    #[default]
    Install,
    /// It replaces an older one.
    Upgrade,
    /// Neither: the chart is only looked at.
    Lint,
}

/// A rendered chart.
#[derive(Debug, Default)]
pub struct Output {
    /// What each template wrote, in the order of their paths.
    pub files: Vec<RenderedFile>,
    /// What was said on the way.
    pub log: Vec<LogLine>,
}

/// Enough for the deepest nesting that is allowed, in a build without optimisation too.
const STACK_BYTES: usize = 1 << 30;

/// Renders a chart. `values` are the final values of the whole tree: those of a subchart stand under its name.
/// The first template that fails ends it, as it does for Helm.
pub fn render(chart: &Chart, values: &yaml::Value, options: &Options<'_>) -> Result<Output, RenderError> {
    let texts = Texts::read(chart, options.compat);
    start(chart, &texts, values, options, AfterFailure::Stop, Notes::None).into_result()
}

/// Renders every template of a chart, including those after one that fails.
pub fn render_all(
    chart: &Chart,
    texts: &Texts,
    values: &yaml::Value,
    options: &Options<'_>,
    notes: Notes,
) -> Rendering {
    start(chart, texts, values, options, AfterFailure::GoOn, notes)
}

/// The same where the chart was rendered before: what a template wrote is used again if nothing has changed of what it read.
/// Gives what there is to know for the next time, if that is of any use.
pub fn render_again(
    chart: &Chart,
    texts: &Arc<Texts>,
    values: &yaml::Value,
    options: &Options<'_>,
    earlier: Option<&Earlier>,
) -> (Rendering, Option<Earlier>) {
    let Some(notebook) = Notebook::new(chart, texts, values, options, earlier) else {
        return (render_all(chart, texts, values, options, Notes::None), None);
    };
    let (after, notes) = (AfterFailure::GoOn, Notes::None);
    let known = Some(&notebook.known);
    let job = run::Job { chart, texts, values, options, after, notes, known };
    match on_large_stack(|| job.run()) {
        Ok((rendering, remembered)) => {
            let is_of_use = !remembered.written.is_empty();
            let earlier = is_of_use.then(|| notebook.close(remembered.first, remembered.written));
            (rendering, earlier)
        }
        Err(wrong) => (Rendering::failed(RenderError::text(wrong.to_string())), None),
    }
}

/// A chart that was rendered as far as it can be.
#[derive(Debug, Default)]
pub struct Rendering {
    /// What the other templates wrote.
    pub output: Output,
    /// The templates that failed, in the order in which they were run; one failure alone if there are some
    /// that cannot be parsed.
    pub failures: Vec<RenderError>,
    /// The branches that were taken, if they were noted.
    pub branches: Branches,
    /// How many steps all templates took, also those that failed.
    pub steps: u64,
    /// Whether a template used up all steps that were left.
    pub is_over: bool,
}

impl Rendering {
    fn into_result(mut self) -> Result<Output, RenderError> {
        match self.failures.pop() {
            Some(failure) => Err(failure),
            None => Ok(self.output),
        }
    }

    fn failed(failure: RenderError) -> Self {
        Rendering { failures: vec![failure], ..Rendering::default() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterFailure {
    Stop,
    GoOn,
}

/// What is noted while templates are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notes {
    /// Nothing.
    None,
    /// Which branches are taken.
    Branches,
}

/// Templates are run on a thread of their own, whose stack is large enough for the deepest nesting that
/// is allowed. Memory that is not used is never taken.
fn start(
    chart: &Chart,
    texts: &Texts,
    values: &yaml::Value,
    options: &Options<'_>,
    after: AfterFailure,
    notes: Notes,
) -> Rendering {
    let job = run::Job { chart, texts, values, options, after, notes, known: None };
    on_large_stack(|| job.run().0)
        .unwrap_or_else(|wrong| Rendering::failed(RenderError::text(wrong.to_string())))
}

/// Does something on a thread with as large a stack as [`render_texts`] needs. The error is a sentence.
///
/// Work that is shared there goes to rayon's global pool. Whoever waits here on a thread of that pool may wait
/// for ever: a pool of their own is what callers with many charts need.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Refusal> {
    std::thread::scope(|scope| match large_stack().spawn_scoped(scope, work) {
        Ok(thread) => thread.join().map_err(|_| RefusalKind::Thread.of("the run stopped half way")),
        Err(error) => Err(RefusalKind::Thread.of(format!("no thread to run on: {error}"))),
    })
}

/// A thread whose stack is large enough for templates.
fn large_stack() -> std::thread::Builder {
    std::thread::Builder::new().name("render".into()).stack_size(STACK_BYTES)
}

/// Renders a chart whose templates are read, on this thread: it needs a stack as [`on_large_stack`] gives it.
pub fn render_texts(
    chart: &Chart,
    texts: &Texts,
    values: &yaml::Value,
    options: &Options<'_>,
) -> Result<Output, RenderError> {
    let (after, notes) = (AfterFailure::Stop, Notes::None);
    run::Job { chart, texts, values, options, after, notes, known: None }.run().0.into_result()
}

/// What is wrong with how the templates of a chart and of its subcharts are written. Nothing is run.
pub fn syntax(chart: &Chart, compat: Compat) -> Vec<Diagnostic> {
    Texts::read(chart, compat).findings()
}

/// Why a chart could not be rendered.
#[derive(Debug)]
pub struct RenderError {
    /// Helm's text, without `Error: `.
    pub text: String,
    /// Our own findings.
    pub diagnostics: Vec<Diagnostic>,
    /// What was said before.
    pub log: Vec<LogLine>,
}

impl RenderError {
    fn text(text: impl Into<String>) -> Self {
        RenderError { text: text.into(), diagnostics: Vec::new(), log: Vec::new() }
    }

    fn execution(error: &trueline_gotemplate::Error, compat: Compat) -> Self {
        RenderError::text(layout::execution(error, compat))
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for RenderError {}

/// Partials are there to be included, not to be run.
pub(crate) fn is_partial(path: &str) -> bool {
    path.rsplit('/').next().unwrap_or(path).starts_with('_')
}

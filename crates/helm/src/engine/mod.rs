//! Rendering: the templates of a chart and its subcharts as one set, run with the values.

mod capabilities;
mod files;
mod functions;
mod layout;
mod metadata;
mod methods;
mod name;
mod texts;
mod version;

use std::fmt;
use std::sync::Arc;

use trueline_diagnostic::Diagnostic;
use trueline_gotemplate::{
    Branches, Environment, Map, MapKind, MissingKey, Origins, Rendered, Str, StrBuilder, Trace, Value,
};
use trueline_yaml as yaml;

pub use capabilities::{API_VERSIONS, Capabilities, DEFAULT_KUBE_VERSION, KubeVersion, helm_version};
pub use functions::Mode;
pub use name::{Variables, name_from_template};
pub use texts::Texts;
pub use version::{build_info, version_from_template};

use crate::chart::{Chart, Compat};
use crate::log::LogLine;
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
}

/// What `.Release` says.
#[derive(Debug, Clone)]
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

/// Renders every template of a chart, also those behind one that fails.
pub fn render_all(
    chart: &Chart,
    texts: &Texts,
    values: &yaml::Value,
    options: &Options<'_>,
    notes: Notes,
) -> Rendering {
    start(chart, texts, values, options, AfterFailure::GoOn, notes)
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
    on_large_stack(|| run(chart, texts, values, options, after, notes))
        .unwrap_or_else(|wrong| Rendering::failed(RenderError::text(wrong)))
}

/// Does something on a thread with as large a stack as [`render_texts`] needs. The error is a sentence.
///
/// Work that is shared there goes to rayon's global pool. Whoever waits here on a thread of that pool may wait
/// for ever: a pool of their own is what callers with many charts need.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("render".into()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().map_err(|_| "the run stopped half way".to_owned()),
            Err(error) => Err(format!("no thread to run on: {error}")),
        }
    })
}

/// What the templates of a chart are run with.
struct Dot {
    /// Shared by all templates of the chart: what one of them writes to it the next ones see.
    map: Map,
    base_path: Arc<str>,
}

impl Dot {
    /// Makes it the dot of one template.
    fn of(&self, path: &Arc<str>, compat: Compat) -> Value {
        let template = Map::from_iter([
            ("Name", Value::from(Str::from(Arc::clone(path)))),
            ("BasePath", Value::from(Str::from(Arc::clone(&self.base_path)))),
        ]);
        self.map.set("Template", template.with_kind(values_kind(compat)).into());
        Value::from(self.map.with_kind(values_kind(compat)))
    }
}

fn rendered_file(path: &Arc<str>, rendered: Rendered) -> RenderedFile {
    let rendered = Rendered { text: without_no_value(rendered.text), ..rendered };
    let origins = rendered.origin_map();
    RenderedFile { path: Arc::clone(path), origins, text: Arc::clone(rendered.text.shared()) }
}

/// Renders a chart whose templates are read, on this thread: it needs a stack as [`on_large_stack`] gives it.
pub fn render_texts(
    chart: &Chart,
    texts: &Texts,
    values: &yaml::Value,
    options: &Options<'_>,
) -> Result<Output, RenderError> {
    run(chart, texts, values, options, AfterFailure::Stop, Notes::None).into_result()
}

fn run(
    chart: &Chart,
    texts: &Texts,
    values: &yaml::Value,
    options: &Options<'_>,
    after: AfterFailure,
    notes: Notes,
) -> Rendering {
    let templates = match texts.templates() {
        Ok(templates) => templates,
        Err(failure) => return Rendering::failed(failure),
    };
    let mut dots = Dots::new(values, options);
    dots.root(chart);

    let branches = Branches::default();
    let host = functions::Host::new(options.mode);
    let environment: &dyn Environment = options.environment;
    let mut run = trueline_gotemplate::Options {
        missing_key: MissingKey::Zero,
        origins: options.origins,
        map_methods: methods::of,
        branches: (notes == Notes::Branches).then_some(&branches),
        ..trueline_gotemplate::Options::new(environment, &host)
    };
    let mut rendering = Rendering::default();
    for file in texts.files.iter().filter(|file| !is_partial(&file.path)) {
        let Some(dot) = dots.charts.get(file.number) else { continue };
        match templates.execute(&file.path, &dot.of(&file.path, options.compat), &run) {
            Ok(rendered) => {
                // One share of work and of output for the whole chart, however many templates it has.
                run.limits.steps = run.limits.steps.saturating_sub(rendered.steps);
                run.limits.output = run.limits.output.saturating_sub(rendered.text.len() as u64);
                rendering.output.files.push(rendered_file(&file.path, rendered));
            }
            Err(error) => {
                let mut failure = RenderError::execution(&error, options.compat, host.log.take());
                let whole = file.source.map(|source| source.span(0, 0));
                failure.diagnostics.extend(whole.map(|whole| error.to_diagnostic(whole)));
                rendering.failures.push(failure);
                // What has used up its share once would do so again.
                if after == AfterFailure::Stop || error.is_limit() {
                    break;
                }
            }
        }
    }
    rendering.output.files.sort_by(|left, right| left.path.cmp(&right.path));
    rendering.output.log = host.log.take();
    rendering.branches = branches;
    rendering
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

    fn execution(error: &trueline_gotemplate::Error, compat: Compat, log: Vec<LogLine>) -> Self {
        let text = layout::execution(error, compat);
        RenderError { text, diagnostics: Vec::new(), log }
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for RenderError {}

const NO_VALUE: &[u8] = b"<no value>";

/// The text without what Go prints for nil. Helm takes it out of the finished text, wherever it came from.
fn without_no_value(text: Str) -> Str {
    let bytes = text.as_bytes();
    let Some(mut found) = find(bytes, 0) else { return text };
    let mut builder = StrBuilder::with_capacity(bytes.len());
    let mut from = 0;
    loop {
        builder.push_part(&text, from..found, Trace::Unknown);
        from = found + NO_VALUE.len();
        match find(bytes, from) {
            Some(next) => found = next,
            None => break,
        }
    }
    builder.push_part(&text, from..bytes.len(), Trace::Unknown);
    builder.finish()
}

fn find(bytes: &[u8], from: usize) -> Option<usize> {
    memchr::memmem::find(bytes.get(from..)?, NO_VALUE).map(|position| from + position)
}

/// What the templates of each chart are run with, in the order of their numbers.
struct Dots<'a> {
    options: &'a Options<'a>,
    release: Value,
    capabilities: Value,
    values: Value,
    charts: Vec<Dot>,
}

impl<'a> Dots<'a> {
    fn new(values: &yaml::Value, options: &'a Options<'a>) -> Self {
        Dots {
            release: release(&options.release),
            capabilities: options.capabilities.value(options.compat),
            values: Value::from_plain(values, options.origins),
            options,
            charts: Vec::new(),
        }
    }

    fn root(&mut self, chart: &Chart) {
        let values = self.values.as_map().cloned().unwrap_or_else(|| Map::new(MapKind::Any));
        self.chart(chart, metadata::Level::Root, &chart.metadata.name, values);
    }

    /// Gives what a chart's templates are run with.
    fn chart(&mut self, chart: &Chart, level: metadata::Level, path: &str, values: Map) -> Map {
        let subcharts = Map::new(MapKind::Any);
        let map = Map::from_iter([
            ("Chart", metadata::value(&chart.metadata, level, self.options.compat)),
            ("Files", Value::object(files::Files::new(&chart.files))),
            ("Release", self.release.clone()),
            ("Capabilities", self.capabilities.clone()),
            ("Values", values.with_kind(values_kind(self.options.compat)).into()),
            ("Subcharts", subcharts.clone().into()),
        ]);
        for child in &chart.dependencies {
            let name = child.metadata.name.as_str();
            let values = table(&values, name).unwrap_or_else(|| Map::new(MapKind::Any));
            let child_map = self.chart(child, metadata::Level::Subchart, &child.path_below(path), values);
            subcharts.set(name, child_map.into());
        }
        let base_path = format!("{path}/templates").into();
        self.charts.push(Dot { map: map.clone(), base_path });
        map
    }
}

/// Partials are there to be included, not to be run.
pub(crate) fn is_partial(path: &str) -> bool {
    path.rsplit('/').next().unwrap_or(path).starts_with('_')
}

/// The map under a chart's name. Helm looks it up as a path, so a dot in a name leads further down.
fn table(values: &Map, name: &str) -> Option<Map> {
    let mut table = values.clone();
    for part in name.split('.') {
        table = table.get(part)?.as_map()?.clone();
    }
    Some(table)
}

/// The type that Helm gives to `.Values` and `.Template`, which `typeOf` and messages show.
fn values_kind(compat: Compat) -> MapKind {
    MapKind::Named(match compat {
        Compat::Helm4 => "common.Values",
        Compat::Helm3 => "chartutil.Values",
    })
}

fn release(release: &Release) -> Value {
    Map::from_iter([
        ("Name", Value::from(release.name.as_str())),
        ("Namespace", Value::from(release.namespace.as_str())),
        ("IsUpgrade", Value::from(release.operation == Operation::Upgrade)),
        ("IsInstall", Value::from(release.operation == Operation::Install)),
        ("Revision", Value::int(1)),
        ("Service", Value::from("Helm")),
    ])
    .into()
}

//! One checking run: from flags to loaders and settings, through the pipeline, to reports and an exit code.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trueline_check::{
    ChartSettings, Configured, Ending, Input, Kind, KubernetesSettings, Location, LocationInput,
    MissingSchemas, NamedInput, Nested, Run, Selection, Settings, YttSettings,
};
use trueline_diagnostic::{Severity, Units};
use trueline_extension::{Registry, SchemaDirectory, SchemaSet};
use trueline_report::{Color, Execution, Format, Options, Stream};
use trueline_schema::Network;
use trueline_source::{Fetch, LoadError, Loader, MemoryLoader, SourceMap, Span};

use crate::cache::Cache;
use crate::chart_flags::ChartFlags;
use crate::command::{COULD_NOT_RUN, Ended, INVALID, VALID, unwritable};
use crate::disk::plain;
use crate::environment;
use crate::flags::{CheckFlags, ReportFlags, SourceFlags};
use crate::http::{HttpFetch, HttpLimits, permitted_url, shown};
use crate::inputs::{ConfigChoice, Inputs, STANDARD_INPUT, Templates};
use crate::kube_flags::KubeFlags;
use crate::output::{self, Destination};
use crate::printer::Printer;
use crate::progress::Progress;
use crate::terminal::{self, ColorChoice};
use crate::ytt_flags::YttFlags;

/// Deep documents are read by functions that call themselves; the limits on depth are made for this much.
const STACK: usize = 32 << 20;

/// So many findings are shown to a person, unless they ask for more or fewer.
const MOST_FINDINGS: usize = 200;

/// What the files are taken for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope {
    /// Each for what it is.
    Everything,
    /// All for this.
    TakeFor(Kind),
    /// Those of this kind; others are left out.
    Only(Kind),
}

/// A run that was made.
struct Checked<'s> {
    run: Run,
    /// How many findings are shown at most, if that was said.
    most: Option<usize>,
    /// The report on standard output, if it was begun already.
    stream: Option<Stream<'s>>,
}

/// A run that is about to be made.
#[derive(Debug)]
pub(crate) struct Checking {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) scope: Scope,
    pub(crate) flags: CheckFlags,
    /// What charts are rendered with, where charts are checked.
    pub(crate) charts: Option<ChartFlags>,
    /// What ytt folders are rendered with, where they are checked.
    pub(crate) ytt: Option<YttFlags>,
    /// What objects are validated against, where objects are checked.
    pub(crate) kubernetes: KubeFlags,
    pub(crate) color: ColorChoice,
}

impl Checking {
    /// Makes the run; the error is a sentence on why it could not be made.
    pub(crate) fn run(mut self) -> Ended {
        self.one_standard_input()?;
        let destinations = destinations(&self.flags.report, &self.paths)?;
        let mut pool = rayon::ThreadPoolBuilder::new().stack_size(STACK);
        if let Some(jobs) = self.flags.run.jobs {
            pool = pool.num_threads(usize::from(jobs));
        }
        let pool = pool.build().map_err(|_| "the threads of `--jobs` cannot be started".to_owned())?;
        let sources = Arc::new(SourceMap::new());
        let Checked { run, most, stream } = pool.install(|| self.check(&sources))?;
        self.flags.report.max_findings = most;
        let ended = report(&self.flags.report, self.color, run, &sources, destinations, stream);
        // Giving it back piece by piece takes a good part of the time of a run; the end of the process does it at once.
        std::mem::forget(sources);
        ended
    }

    /// Standard input can be read only once.
    fn one_standard_input(&self) -> Result<(), String> {
        let paths = [&self.paths, &self.kubernetes.old, &self.kubernetes.crd, &self.kubernetes.policy]
            .into_iter()
            .flatten();
        let named = paths.filter(|path| path.as_os_str() == STANDARD_INPUT).count();
        let of_ytt = self.ytt.as_ref().map_or(0, YttFlags::standard_inputs);
        match named + of_ytt + self.charts.as_ref().map_or(0, ChartFlags::standard_inputs) {
            0 | 1 => Ok(()),
            _ => Err("standard input (`-`) is named twice, but can be read only once".to_owned()),
        }
    }

    /// Makes the run, and prints what it finds as far as the format lets it.
    fn check<'s>(&self, sources: &'s Arc<SourceMap>) -> Result<Checked<'s>, String> {
        let working_directory = env::current_dir()
            .map_err(|error| format!("the working directory cannot be used: {}", plain(&error)))?;
        let choice = self.flags.run.config();
        let nested = if choice == ConfigChoice::Nearest { Nested::Used } else { Nested::Ignored };
        let mut inputs = Inputs::new(working_directory, choice);
        let templates = match self.scope {
            Scope::Everything | Scope::Only(_) | Scope::TakeFor(Kind::Chart) => Templates::OfTheirChart,
            Scope::TakeFor(_) => Templates::AsNamed,
        };
        let opened = inputs.open(&self.paths, templates, io::stdin().lock())?;
        let configured = trueline_check::configured(&opened, sources);
        let network = if self.flags.sources.offline || configured.offline {
            Network::Offline
        } else {
            Network::Allowed
        };
        let most = self.flags.report.max_findings.or(configured.max_findings);
        let settings = self.settings(network, &inputs, (&configured, most), sources)?;
        let progress = if !self.flags.report.quiet && terminal::is_watched() {
            Progress::on_terminal()
        } else {
            Progress::hidden()
        };
        let options = options(&self.flags.report, self.color, most);
        let printer = Printer::new(Stream::new(self.flags.report.format, sources, options), progress);
        let run = trueline_check::run(&opened, nested, &settings, sources, &printer);
        let stream = printer.finish().map_err(|error| unwritable(&error))?;
        Ok(Checked { run, most, stream })
    }

    fn settings(
        &self,
        network: Network,
        inputs: &Inputs,
        (configured, most): (&Configured, Option<usize>),
        sources: &Arc<SourceMap>,
    ) -> Result<Settings, String> {
        let (kind, only) = match self.scope {
            Scope::Everything => (None, None),
            Scope::TakeFor(kind) => (Some(kind), None),
            Scope::Only(kind) => (None, Some(kind)),
        };
        let flags = &self.flags.sources;
        let fetch = fetcher(network, flags);
        let catalogue = trueline_check::catalogue();
        let report = &self.flags.report;
        Ok(Settings {
            selection: Selection::new(&report.select, &report.ignore, &catalogue)?,
            catalogue,
            kind,
            only,
            strict: self.flags.report.strict,
            offline: network == Network::Offline,
            registry: flags.registry.as_deref().map(|path| registry(path, inputs, sources)).transpose()?,
            schemas: schemas(flags, inputs, sources, network, &fetch)?,
            fetch: Some(fetch),
            most: kept(&self.flags.report, most),
            units: listed(&self.flags.report),
            charts: match &self.charts {
                Some(charts) => charts.settings(network),
                None => ChartSettings::default(),
            },
            ytt: match &self.ytt {
                Some(ytt) => ytt.settings()?,
                None => YttSettings::default(),
            },
            kubernetes: self.kubernetes(inputs, configured)?,
        })
    }
}

impl Checking {
    /// What objects are validated against.
    fn kubernetes(&self, inputs: &Inputs, configured: &Configured) -> Result<KubernetesSettings, String> {
        let flags = &self.kubernetes;
        let input = |path: &Path, named| {
            let place = match path.as_os_str() == STANDARD_INPUT {
                true => inputs.standard_input(io::stdin().lock()),
                false => inputs.place(path),
            };
            NamedInput { input: Input { loader: place.loader, path: place.path, config: None }, named }
        };
        let given =
            |paths: &[PathBuf]| -> Vec<NamedInput> { paths.iter().map(|path| input(path, None)).collect() };
        let named = |paths: &[(String, Span)]| -> Vec<NamedInput> {
            paths.iter().map(|(path, place)| input(Path::new(path), Some(*place))).collect()
        };
        let mut definitions = given(&flags.crd);
        definitions.extend(named(&configured.definitions));
        let mut policies = given(&flags.policy);
        policies.extend(named(&configured.policies));
        Ok(KubernetesSettings {
            version: self.charts.as_ref().and_then(ChartFlags::kube_version).or(flags.kube_version),
            field_validation: flags.field_validation,
            definitions,
            policies,
            locations: self.locations(inputs, configured)?,
            missing: if flags.ignore_missing_schemas {
                MissingSchemas::Ignored
            } else {
                MissingSchemas::Told
            },
            skip: flags.skip.clone(),
            old: if flags.old.is_empty() { named(&configured.old) } else { given(&flags.old) },
        })
    }

    /// Where JSON Schemas of kinds are; what a flag names counts alone.
    fn locations(&self, inputs: &Inputs, configured: &Configured) -> Result<Vec<LocationInput>, String> {
        let open = |directory: &str| inputs.directory(Path::new(directory_of(directory)));
        let given = self.kubernetes.schema_location.iter().map(|typed| (typed, None));
        let named = configured.schema_locations.iter().map(|(typed, place)| (typed, Some(*place)));
        let named = named.filter(|_| self.kubernetes.schema_location.is_empty());
        // What Kubernetes itself defines is known in any case.
        let typed = given.chain(named).filter(|(typed, _)| *typed != "default");
        let location = |(typed, named): (&String, Option<Span>)| {
            LocationInput::new(typed, named, &open).map_err(|words| {
                let help = Location::HELP;
                format!("`--schema-location {typed}` cannot be used: {words}; {help}")
            })
        };
        typed.map(location).collect()
    }
}

/// How many findings a format shows on standard output; all of them if there is no number.
fn limit(format: Format, max_findings: Option<usize>) -> Option<usize> {
    match (max_findings, format) {
        (None, Format::Human) => Some(MOST_FINDINGS),
        _ => limit_in_file(max_findings).filter(|_| format.is_for_people()),
    }
}

/// How many findings the formats for people show in a file.
fn limit_in_file(max_findings: Option<usize>) -> Option<usize> {
    max_findings.filter(|most| *most > 0)
}

/// How many findings are enough for all reports of a run; all of them if there is no number.
fn kept(flags: &ReportFlags, max_findings: Option<usize>) -> Option<usize> {
    let files = flags
        .output
        .iter()
        .map(|output| limit_in_file(max_findings).filter(|_| output.format.is_for_people()));
    files.chain([limit(flags.format, max_findings)]).try_fold(0, |most, next| Some(most.max(next?)))
}

/// Which units the reports of a run list.
fn listed(flags: &ReportFlags) -> Units {
    let mut formats = flags.output.iter().map(|output| output.format).chain([flags.format]);
    if formats.any(Format::lists_units) { Units::All } else { Units::Telling }
}

/// How the report on standard output looks.
fn options(flags: &ReportFlags, color: ColorChoice, max_findings: Option<usize>) -> Options {
    Options {
        color: if color.on_stdout() { Color::Always } else { Color::Never },
        width: terminal::width(),
        most: limit(flags.format, max_findings),
        quiet: flags.quiet,
        ..Options::default()
    }
}

/// Reports a run as far as that was not done while it went on, and says how it ended.
pub(crate) fn report(
    flags: &ReportFlags,
    color: ColorChoice,
    run: Run,
    sources: &SourceMap,
    destinations: Vec<(Format, Destination)>,
    stream: Option<Stream<'_>>,
) -> Ended {
    let execution = match run.ending {
        Ending::CouldNotRun => Execution::Failed,
        Ending::FoundNothing => Execution::FoundNothing,
        Ending::Invalid if !run.outcome.has(Severity::Error) => Execution::FailedByWarnings,
        Ending::Valid | Ending::Invalid => Execution::Complete,
    };
    match stream {
        Some(stream) => terminal::print(&stream.finish(&run.outcome, execution)),
        None => {
            let options = Options { execution, ..options(flags, color, flags.max_findings) };
            let outcome = run.outcome.clone();
            terminal::print_with(|out| trueline_report::write(flags.format, outcome, sources, &options, out))
        }
    }
    .map_err(|error| unwritable(&error))?;
    let plain = Options { execution, most: limit_in_file(flags.max_findings), ..Options::default() };
    let write = |format: Format, out: &mut dyn io::Write| {
        trueline_report::write(format, run.outcome.clone(), sources, &plain, out)
    };
    let reports: Vec<(Destination, _)> = destinations
        .into_iter()
        .map(|(format, destination)| (destination, move |out: &mut dyn io::Write| write(format, out)))
        .collect();
    output::write_with(&reports)?;
    Ok(match run.ending {
        Ending::Valid => VALID,
        Ending::Invalid => INVALID,
        Ending::CouldNotRun | Ending::FoundNothing => COULD_NOT_RUN,
    })
}

/// The files of `--output`, each once and none of them an input.
pub(crate) fn destinations(
    flags: &ReportFlags,
    inputs: &[PathBuf],
) -> Result<Vec<(Format, Destination)>, String> {
    let mut destinations: Vec<(Format, Destination)> = Vec::new();
    for output in &flags.output {
        let destination = Destination::new(&output.file)?;
        let shown = output.file.display();
        if !destination.is_stream()
            && destinations.iter().any(|(_, other)| other.real() == destination.real())
        {
            return Err(format!("two reports would go to `{shown}`; give each a file of its own"));
        }
        if inputs.iter().any(|path| std::fs::canonicalize(path).is_ok_and(|path| path == destination.real()))
        {
            return Err(format!("the report would overwrite `{shown}`, which is to be checked"));
        }
        if destination.replaces_configuration() {
            return Err(format!("`{shown}` is there already and is no report; give the report another name"));
        }
        destinations.push((output.format, destination));
    }
    Ok(destinations)
}

/// A directory as it can be opened: no text at all is the working directory.
fn directory_of(typed: &str) -> &str {
    if typed.is_empty() { "." } else { typed }
}

fn registry(path: &Path, inputs: &Inputs, sources: &SourceMap) -> Result<Registry, String> {
    let place = inputs.place(path);
    Registry::load(&*place.loader, &place.path, sources)
        .map_err(|error| format!("the registry cannot be used: {error}"))
}

fn schemas(
    flags: &SourceFlags,
    inputs: &Inputs,
    sources: &Arc<SourceMap>,
    network: Network,
    fetch: &Arc<dyn Fetch>,
) -> Result<SchemaSet, String> {
    let loader: Arc<dyn Loader> = match (&flags.schema_dir, &flags.schema_url) {
        (None, None) => return Ok(SchemaSet::embedded(Arc::clone(sources))),
        (None, Some(_)) => Arc::new(MemoryLoader::default()),
        (Some(directory), _) => {
            let place = inputs.place(directory);
            place.loader.list(&place.path).map_err(|error| {
                let error = LoadError { path: place.loader.display(&error.path), ..error };
                format!("the directory of `--schema-dir` cannot be used: {error}")
            })?;
            place.loader
        }
    };
    let mut directory = SchemaDirectory::new(loader).with_fetch(Some(Arc::clone(fetch)), network);
    if let Some(url) = &flags.schema_url {
        permitted_url(url).map_err(|detail| {
            format!("the address `{}` of `--schema-url` cannot be used: {detail}", shown(url))
        })?;
        directory = directory.with_remote(url);
    }
    Ok(SchemaSet::with_directory(Arc::clone(sources), &directory))
}

/// How documents are fetched where no flags say more about it.
pub(crate) fn plain_fetcher(network: Network) -> Arc<dyn Fetch> {
    let limits = HttpLimits::default();
    let cache = environment::cache_directory().map(|directory| Cache::new(directory, limits.size));
    Arc::new(HttpFetch::new(network, limits, cache, environment::proxy))
}

/// How documents are fetched in this run.
fn fetcher(network: Network, flags: &SourceFlags) -> Arc<dyn Fetch> {
    let limits = HttpLimits::default();
    let limits = HttpLimits { total: flags.timeout, silence: limits.silence.min(flags.timeout), ..limits };
    let cache = flags.cache_dir.clone().or_else(environment::cache_directory);
    let cache = cache.map(|directory| Cache::new(directory, limits.size));
    Arc::new(HttpFetch::new(network, limits, cache, environment::proxy))
}

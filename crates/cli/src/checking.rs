//! One checking run: from flags to loaders and settings, through the pipeline, to reports and an exit code.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use trueline_analysis::{
    ChartSettings, Ending, InputKind, KubernetesSettings, MissingSchemas, Run, STANDARD_INPUT, Selection,
    Settings, Snapshot, Unanswered, Wanted, YttSettings,
};
use trueline_diagnostic::{Severity, Units, shown_address};
use trueline_report::{Color, Execution, Format, Options, Stream};
use trueline_source::{Cancel, SourceMap, System};

use crate::chart_flags::ChartFlags;
use crate::command::{COULD_NOT_RUN, Ended, INVALID, VALID};
use crate::failure::Failure;
use crate::flags::{CheckFlags, ReportFlags};
use crate::http::{HttpLimits, permitted_url};
use crate::kube_flags::KubeFlags;
use crate::machine::{Machine, NoDirectory};
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
    TakeFor(InputKind),
    /// Those of this kind; others are left out.
    Only(InputKind),
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
        let machine = Arc::new(self.machine()?);
        let destinations = destinations(&self.flags.report, &self.paths, &*machine)?;
        let mut pool = rayon::ThreadPoolBuilder::new().stack_size(STACK);
        if let Some(jobs) = self.flags.run.jobs {
            pool = pool.num_threads(usize::from(jobs));
        }
        let pool = pool.build().map_err(|_| Failure::Threads)?;
        let settings = self.settings()?;
        let system = Arc::clone(&machine) as Arc<dyn System>;
        let snapshot = pool.install(|| Snapshot::open(system, settings));
        let snapshot = snapshot.map_err(|error| Failure::Run(Unanswered::CannotRun(error)))?;
        // Giving it back piece by piece takes a good part of the time of a run; the end of the process does it at once.
        let snapshot = std::mem::ManuallyDrop::new(snapshot);
        let (run, most, stream) = pool.install(|| self.check(&snapshot))?;
        self.flags.report.max_findings = most;
        let report = Report { flags: &self.flags.report, color: self.color, destinations, system: &*machine };
        report.write(run, snapshot.sources(), stream)
    }

    /// Standard input can be read only once.
    fn one_standard_input(&self) -> Result<(), Failure> {
        let paths = [&self.paths, &self.kubernetes.old, &self.kubernetes.crd, &self.kubernetes.policy]
            .into_iter()
            .flatten();
        let named = paths.filter(|path| path.as_os_str() == STANDARD_INPUT).count();
        let of_ytt = self.ytt.as_ref().map_or(0, YttFlags::standard_inputs);
        match named + of_ytt + self.charts.as_ref().map_or(0, ChartFlags::standard_inputs) {
            0 | 1 => Ok(()),
            _ => Err(Failure::usage("standard input (`-`) is named twice, but can be read only once")),
        }
    }

    /// Makes the run, and prints what it finds as far as the format lets it.
    fn check<'s>(&self, snapshot: &'s Snapshot) -> Result<(Run, Option<usize>, Option<Stream<'s>>), Failure> {
        let most = self.flags.report.max_findings.or(snapshot.max_findings());
        let progress = if !self.flags.report.quiet && terminal::is_watched() {
            Progress::on_terminal()
        } else {
            Progress::hidden()
        };
        let options = options(&self.flags.report, self.color, most);
        let printer =
            Printer::new(Stream::new(self.flags.report.format, snapshot.sources(), options), progress);
        let wanted = Wanted { most: kept(&self.flags.report, most), units: listed(&self.flags.report) };
        let checked = snapshot.check_all(wanted, &printer, &Cancel::new());
        let run = checked.map_err(Failure::Run)?.run;
        let stream = printer.finish().map_err(Failure::Output)?;
        Ok((run, most, stream))
    }

    /// What the flags ask for.
    fn settings(&self) -> Result<Settings, Failure> {
        let (kind, only) = match self.scope {
            Scope::Everything => (None, None),
            Scope::TakeFor(kind) => (Some(kind), None),
            Scope::Only(kind) => (None, Some(kind)),
        };
        let (sources, report) = (&self.flags.sources, &self.flags.report);
        if let Some(url) = &sources.schema_url {
            permitted_url(url).map_err(|fault| {
                let shown = shown_address(url);
                Failure::Usage(format!("the address `{shown}` of `--schema-url` cannot be used: {fault}"))
            })?;
        }
        let kubernetes = &self.kubernetes;
        let charts = self.charts.as_ref();
        Ok(Settings {
            paths: self.paths.clone(),
            configuration: self.flags.run.config(),
            selection: Selection::new(&report.select, &report.ignore, &trueline_analysis::catalogue())
                .map_err(|unknown| Failure::Usage(unknown.to_string()))?,
            kind,
            only,
            strict: report.strict,
            offline: sources.offline,
            registry: sources.registry.clone(),
            schema_directory: sources.schema_dir.clone(),
            schema_url: sources.schema_url.clone(),
            charts: charts.map_or_else(ChartSettings::default, ChartFlags::settings),
            ytt: self.ytt.as_ref().map_or_else(YttSettings::default, YttFlags::settings),
            kubernetes: KubernetesSettings {
                version: charts.and_then(ChartFlags::kube_version).or(kubernetes.kube_version),
                field_validation: kubernetes.field_validation,
                definitions: kubernetes.crd.clone(),
                locations: kubernetes.schema_location.clone(),
                missing: if kubernetes.ignore_missing_schemas {
                    MissingSchemas::Ignored
                } else {
                    MissingSchemas::Told
                },
                skip: kubernetes.skip.clone(),
                policies: kubernetes.policy.clone(),
                old: kubernetes.old.clone(),
            },
        })
    }

    /// The machine, with the network as the flags want it.
    fn machine(&self) -> Result<Machine, NoDirectory> {
        let (limits, flags) = (HttpLimits::default(), &self.flags.sources);
        let limits =
            HttpLimits { total: flags.timeout, silence: limits.silence.min(flags.timeout), ..limits };
        Ok(Machine::of_process()?.fetching(limits, flags.cache_dir.clone()))
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

/// Where the reports of a run go.
pub(crate) struct Report<'r> {
    pub(crate) flags: &'r ReportFlags,
    pub(crate) color: ColorChoice,
    pub(crate) destinations: Vec<(Format, Destination)>,
    pub(crate) system: &'r dyn System,
}

impl Report<'_> {
    /// Reports a run as far as that was not done while it went on, and says how it ended.
    pub(crate) fn write(self, run: Run, sources: &SourceMap, stream: Option<Stream<'_>>) -> Ended {
        let Report { flags, color, destinations, system } = self;
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
                terminal::print_with(|out| {
                    trueline_report::write(flags.format, outcome, sources, &options, out)
                })
            }
        }
        .map_err(Failure::Output)?;
        let plain = Options { execution, most: limit_in_file(flags.max_findings), ..Options::default() };
        let write = |format: Format, out: &mut dyn io::Write| {
            trueline_report::write(format, run.outcome.clone(), sources, &plain, out)
        };
        let reports: Vec<(Destination, _)> = destinations
            .into_iter()
            .map(|(format, destination)| (destination, move |out: &mut dyn io::Write| write(format, out)))
            .collect();
        output::write_with(&reports, system)?;
        Ok(match run.ending {
            Ending::Valid => VALID,
            Ending::Invalid => INVALID,
            Ending::CouldNotRun | Ending::FoundNothing => COULD_NOT_RUN,
        })
    }
}

/// The files of `--output`, each once and none of them an input.
pub(crate) fn destinations(
    flags: &ReportFlags,
    inputs: &[PathBuf],
    system: &dyn System,
) -> Result<Vec<(Format, Destination)>, Failure> {
    let mut destinations: Vec<(Format, Destination)> = Vec::new();
    for output in &flags.output {
        let destination = Destination::new(&output.file, system)?;
        let shown = output.file.display();
        if !destination.is_stream()
            && destinations.iter().any(|(_, other)| other.real() == destination.real())
        {
            return Err(Failure::Usage(format!(
                "two reports would go to `{shown}`; give each a file of its own"
            )));
        }
        if inputs.iter().any(|path| system.real(path).is_ok_and(|path| path == destination.real())) {
            return Err(Failure::Usage(format!(
                "the report would overwrite `{shown}`, which is to be checked"
            )));
        }
        if destination.replaces_configuration() {
            return Err(Failure::Usage(format!(
                "`{shown}` is there already and is no report; give the report another name"
            )));
        }
        destinations.push((output.format, destination));
    }
    Ok(destinations)
}

//! A whole run: from inputs to an outcome.
//!
//! This file is long because the plan of a run, the units that are kept, settled and handed over, and the end of the run are
//! one story, and each part needs what the others keep to themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use trueline_diagnostic::{
    Counts, Diagnostic, LeftOut, Level, Outcome, Severity, Unit, Units, Unlisted, Verdict,
};
use trueline_kube::KubeVersion;
use trueline_kube::api::Api;
use trueline_kube::cluster::{Cluster, CustomKind};
use trueline_schema::Network;
use trueline_source::{Cancel, EntryKind, LoadError, Loader, SourceId, SourceKind, SourceMap, Span};

use crate::budget::{Budget, Share};
use crate::chart::{self, GivenValues};
use crate::config::{self, Config, Ignore};
use crate::emit::Emitter;
use crate::input::{Input, NOTHING_CHECKED, Nested, Progress, unreadable};
use crate::kinds::InputKind;
use crate::kubernetes::{
    self, Definitions, GivenPolicies, LocationInput, Locations, MissingSchemas, NamedInput, OldObjects,
    Policies, Stage, UnitOf, WITHOUT_SCHEMA, mention_policies,
};
use crate::looked::Looked;
use crate::memory::Memory;
use crate::parts::UnitParts;
use crate::session::{Named, Session, Wanted};
use crate::shown::Shown;
use crate::suppress::{Complaints, Placed, Suppressions, UNUSED_SUPPRESSION};
use crate::unit::{self, Checked, Mode};
use crate::walk::{self, Candidate, Configs, YttFolders};
use crate::{alike, registry, repeat, secret, suppress, ytt};

/// How a run ended, for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// No error, and under `--strict` no warning.
    Valid,
    /// At least one error.
    Invalid,
    /// Something could not be read.
    CouldNotRun,
    /// Nothing was there of what alone was to be checked.
    FoundNothing,
}

/// What a run found, and how it ended.
#[derive(Debug)]
pub struct Run {
    /// The findings.
    pub outcome: Outcome,
    /// How it ended.
    pub ending: Ending,
}

/// Checks everything that a plan holds. Units that were looked at before are not looked at again, as far as `memory`
/// knows them.
pub(crate) fn run(
    mut plan: Plan,
    given: &GivenValues,
    memory: Option<&Memory<'_>>,
    (settings, cancel): (&Session, &Cancel),
    sources: &Arc<SourceMap>,
    progress: &dyn Progress,
) -> Run {
    progress.units(plan.jobs.len());
    let told = plan.tell_early(settings, progress, sources);
    // What is remembered is looked at again by runs that show more.
    let shown = Shown::new(plan.report.most.filter(|_| memory.is_none()));
    let budget = Budget::of_run();
    // What the charts before one cost is known for sure when all of them are finished.
    let give_up = |done: Done| match plan.jobs.get(done.number) {
        Some(job) if done.chart_file.is_some() && budget.is_over(done.number) => {
            let mut checked =
                Checked { chart_file: done.chart_file, ..Checked::found(InputKind::Chart, Vec::new()) };
            chart::give_up(&mut checked);
            settle(job, checked, &plan, (given, &shown), settings, sources)
        }
        _ => done,
    };
    let emitter = Emitter::new(progress, &give_up);
    // In their order, so that the findings that will be shown are found first; a few at a time, so that handing them out
    // costs nothing.
    let together = (plan.jobs.len() / (16 * rayon::current_num_threads())).clamp(1, 32);
    let chunks = plan.jobs.chunks(together).enumerate().par_bridge();
    let mut kept: Vec<(usize, Kept)> = chunks
        .map(|(number, jobs)| {
            let mut kept = Kept::default();
            for (index, job) in (number * together..).zip(jobs) {
                if cancel.is_cancelled() {
                    break;
                }
                let mode = Mode { cancel: Some(cancel), ..plan.mode(job, settings) };
                let checked = match memory {
                    Some(memory) => memory.look(job, mode, (settings, given)),
                    None => {
                        let mode = Mode { share: Some(Share { run: &budget, number: index }), ..mode };
                        unit::check(job, mode, settings, given, &shown, sources)
                    }
                };
                progress.done();
                let kept = &mut kept;
                plan.keep(
                    (index, job),
                    checked,
                    kept,
                    (given, &shown),
                    (settings, memory.is_some()),
                    sources,
                );
            }
            emitter.finish(number, std::mem::take(&mut kept.done));
            (number, kept)
        })
        .collect();
    let early = emitter.into_done();
    kept.sort_unstable_by_key(|(number, _)| *number);
    let Kept { waiting, mut checked, defined, quiet, .. } =
        Kept::joined(kept.into_iter().map(|(_, kept)| kept));
    for (index, found) in defined.into_iter().filter(|(index, _)| !budget.is_over(*index)) {
        plan.definitions.add(found, plan.jobs.get(index).map(Candidate::name).as_deref());
    }
    for (number, checked) in waiting.iter().zip(&mut checked) {
        if budget.is_over(*number) {
            chart::give_up(checked);
        }
    }
    let (mut waiting, mut numbers) = (waiting.into_iter().peekable(), 0..);
    plan.jobs.retain(|_| numbers.next().is_some_and(|number: usize| waiting.next_if_eq(&number).is_some()));
    let policies = plan.find_policies(&checked, settings, sources);
    plan.jobs.par_iter().enumerate().zip(&mut checked).for_each(|((number, job), checked)| {
        let stage = Stage::new(plan.mode(job, settings), settings, sources);
        let name = job.name();
        let found = checked.objects.iter_mut().map(|objects| {
            let mut findings = stage.resolve(objects, &plan.definitions, &name);
            let unit = UnitOf { number, name: &name };
            findings.extend(policies.review(objects, &stage, &plan.definitions, unit));
            (objects.values.clone(), findings)
        });
        checked.findings.extend(repeat::once(found.collect(), sources));
    });
    for (unit, finding) in policies.not_applied() {
        match unit.and_then(|number| checked.get_mut(number)) {
            Some(checked) => checked.findings.push(finding),
            None => plan.general.push(finding),
        }
    }
    kubernetes::drop_known_defaults(checked.iter_mut().map(|checked| &mut checked.findings).collect());
    plan.general.extend(plan.unused(&checked, settings, sources));
    name_duplicates(&mut checked);
    chart::skip_without_matrix(&mut checked);
    let waited = plan.jobs.par_iter().zip(checked);
    let waited: Vec<Done> = waited
        .map(|(job, checked)| settle(job, checked, &plan, (given, &shown), settings, sources))
        .collect();
    waited.iter().for_each(|done| progress.unit(&done.unit));
    let mut done = early;
    done.extend(waited);
    plan.general.extend(unused_in_given(given, &done, settings, sources));
    let has = |kind: InputKind| done.iter().any(|done| done.unit.kind == kind.as_str());
    if has(InputKind::Ytt) && !has(InputKind::Chart) {
        plan.general.extend(ytt::ignored_values(&settings.charts.values, sources));
    }
    let run = finish(done, quiet, plan, settings, sources);
    progress.general(run.outcome.general.get(told..).unwrap_or_default());
    run
}

/// Checks one unit; nothing where other units have to be known for it.
pub(crate) fn check_alone(
    job: &Candidate,
    plan: &Plan,
    given: &GivenValues,
    memory: Option<&Memory<'_>>,
    (settings, cancel): (&Session, &Cancel),
    sources: &Arc<SourceMap>,
) -> Option<Unit> {
    let mode = Mode { cancel: Some(cancel), ..plan.mode(job, settings) };
    let shown = Shown::new(None);
    let checked = match memory {
        Some(memory) => memory.look(job, mode, (settings, given)),
        None => unit::check(job, mode, settings, given, &shown, sources),
    };
    // What was cut short is of no use to anybody.
    let is_done = !cancel.is_cancelled() && checked.is_settled(settings);
    is_done.then(|| settle(job, checked, plan, (given, &shown), settings, sources).unit)
}

/// What a check of one unit leaves: what it was rendered to, and what was found in its templates.
pub(crate) fn parts_of(
    job: &Candidate,
    plan: &Plan,
    given: &GivenValues,
    memory: Option<&Memory<'_>>,
    (settings, cancel): (&Session, &Cancel),
    sources: &Arc<SourceMap>,
) -> Arc<UnitParts> {
    let mode = Mode { cancel: Some(cancel), ..plan.mode(job, settings) };
    let known = memory.map(|memory| Arc::clone(&memory.known(job, mode, (settings, given)).parts));
    if let Some(known) = known.filter(|known| !known.renderings().is_empty()) {
        return known;
    }
    let parts = Arc::new(UnitParts::rendered());
    let mode = Mode { parts: Some(&parts), ..mode };
    match memory {
        // Open texts count here as well, and it need not be noted what is looked at.
        Some(memory) => memory.check_unremembered(job, mode, (settings, given), sources),
        None => drop(unit::check(job, mode, settings, given, &Shown::new(None), sources)),
    }
    parts
}

/// What is kept of units until all others have been looked at.
#[derive(Default)]
struct Kept {
    /// The numbers of the jobs that others have to be known for, and what was found out about each.
    waiting: Vec<usize>,
    checked: Vec<Checked>,
    /// The kinds that units define, with the numbers of the jobs.
    defined: Vec<(usize, Vec<Arc<CustomKind>>)>,
    /// Units of which all is known.
    done: Vec<Done>,
    quiet: Quiet,
}

impl Kept {
    /// All that is kept, in the order of the parts.
    fn joined(parts: impl Iterator<Item = Kept>) -> Self {
        let mut all = Kept::default();
        for part in parts {
            all.waiting.extend(part.waiting);
            all.checked.extend(part.checked);
            all.defined.extend(part.defined);
            all.done.extend(part.done);
            all.quiet.add(part.quiet);
        }
        all
    }
}

/// Units that there is nothing to show of.
#[derive(Default)]
struct Quiet {
    unlisted: Unlisted,
    /// Whether a warning among them fails the run.
    strict_warning: bool,
    /// The `[[ignore]]` of configurations that speak of them.
    ignores: BTreeSet<(usize, usize, Used)>,
}

impl Quiet {
    fn add(&mut self, others: Quiet) {
        self.unlisted = self.unlisted.and(others.unlisted);
        self.strict_warning |= others.strict_warning;
        self.ignores.extend(others.ignores);
    }
}

/// Extensions of one run that share a name: what only the whole run can see.
fn name_duplicates(checked: &mut [Checked]) {
    let names = checked.iter().filter_map(|checked| checked.name.as_ref());
    for finding in trueline_extension::duplicate_extensions(names.map(|(name, span)| (name.as_str(), *span)))
    {
        let place = finding.primary.span;
        let owner =
            checked.iter_mut().find(|checked| checked.name.as_ref().is_some_and(|(_, span)| *span == place));
        if let Some(owner) = owner {
            owner.findings.push(finding);
        }
    }
}

/// A configuration and how paths are seen from it.
struct SeenConfiguration {
    /// The name of the file; one that stands at several bases is one file.
    name: String,
    text: String,
    config: Config,
    /// What to put before a path of the loader; or, for one inside the loader, what to take away.
    base: Base,
    /// Whether all that it speaks of is checked, and not only a part of it.
    is_whole: bool,
}

#[derive(PartialEq)]
enum Base {
    Before(String),
    Inside(String),
}

/// What is checked, and what all of that shares.
#[derive(Clone, Default)]
pub(crate) struct Plan {
    /// What the report has room for.
    report: Wanted,
    /// The paths that were named.
    inputs: Vec<String>,
    /// What is checked; their configurations are numbers of `configs`.
    jobs: Vec<Candidate>,
    configs: Vec<Arc<SeenConfiguration>>,
    general: Vec<Diagnostic>,
    skipped: Vec<Unit>,
    unreadable: bool,
    /// What configurations inside the inputs name.
    named: Named,
    /// The CRDs: those that are given, and in the end those that units hold.
    definitions: Definitions,
    /// Policies beside what is checked.
    policies: GivenPolicies,
    /// Whether the run may have policies.
    has_policies: bool,
    /// Whether they can only be in the one chart that is checked.
    is_one_chart: bool,
    /// What objects are updates of.
    old: Option<Arc<OldObjects>>,
    /// Where JSON Schemas of kinds are looked for.
    locations: Option<Arc<Locations>>,
    /// Configurations that were read already, by name.
    known: BTreeMap<String, usize>,
}

impl Plan {
    /// Finds out what is checked, and reads what all of it shares.
    pub(crate) fn new(
        inputs: &[Input],
        nested: Nested,
        settings: &Session,
        sources: &Arc<SourceMap>,
    ) -> (Self, GivenValues) {
        let mut plan = Plan::default();
        for input in inputs {
            plan.add(input, nested, settings, sources);
        }
        if let [_] = inputs {
            // Names of one loader are in the order of its paths, and no two of them are the same.
            plan.jobs.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        } else {
            plan.jobs.sort_by_cached_key(Candidate::name);
            // A file that was named twice is one unit.
            plan.jobs.dedup_by(|right, left| left.name() == right.name());
        }
        let given = GivenValues::read(settings, sources);
        plan.general.extend(given.findings.iter().cloned());
        plan.unreadable |= given.is_unreadable();
        plan.read_definitions(settings, sources);
        plan.read_old(settings, sources);
        plan.read_policies(settings, sources);
        plan.find_locations(settings, sources);
        plan.general.extend(kubernetes::unknown_versions(&plan.versions(settings), sources));
        (plan, given)
    }

    /// The same plan for a report.
    pub(crate) fn for_report(&self, report: Wanted) -> Self {
        Plan { report, ..self.clone() }
    }

    /// The version of Kubernetes that a unit is for, if somebody says which.
    pub(crate) fn kube_version(&self, job: &Candidate, settings: &Session) -> Option<KubeVersion> {
        self.mode(job, settings).kube_version
    }

    /// What is checked.
    pub(crate) fn jobs(&self) -> &[Candidate] {
        &self.jobs
    }

    /// Whether units that were looked at with another plan need not be looked at again with this one: both say the same
    /// of them, and nothing that was found in them can point at what belongs to a plan.
    pub(crate) fn is_like(&self, other: &Plan) -> bool {
        let is_alone =
            |plan: &Plan| plan.definitions.is_empty() && plan.old.is_none() && plan.locations.is_none();
        let is_same = |(one, two): (&Arc<SeenConfiguration>, &Arc<SeenConfiguration>)| {
            one.name == two.name && one.text == two.text && one.base == two.base
        };
        is_alone(self)
            && is_alone(other)
            // Without policies no unit keeps its objects.
            && self.has_policies == other.has_policies
            && self.is_one_chart == other.is_one_chart
            && self.configs.len() == other.configs.len()
            && self.configs.iter().zip(&other.configs).all(is_same)
    }

    fn add(&mut self, input: &Input, nested: Nested, settings: &Session, sources: &SourceMap) {
        self.inputs.push(input.loader.display(&input.path));
        let outer = input.config.as_ref().map(|file| {
            let base = Base::Before(file.base.clone());
            let index = self.config(&file.name, &file.text, base, settings, sources);
            if let Some(found) = self.configs.get_mut(index).and_then(Arc::get_mut) {
                found.is_whole |= file.base.is_empty() && input.path.is_empty();
            }
            index
        });
        // One kind alone is looked for in all files.
        let ytt = if settings.only.is_none() { YttFolders::Units } else { YttFolders::Files };
        let mut found = walk::walk(&input.loader, &input.path, ytt);
        if settings.only == Some(InputKind::Crd) {
            found.open_charts();
        }
        if settings.kind == Some(InputKind::Chart) {
            found.take_for_charts(&input.path);
        }
        if settings.kind == Some(InputKind::Ytt) {
            found.take_for_ytt(&input.path);
        }
        for error in std::mem::take(&mut found.errors) {
            self.unreadable(&input.loader, &error, sources);
        }
        for (path, why) in std::mem::take(&mut found.skipped) {
            self.skipped.push(skipped_path(input.loader.display(&path), why));
        }
        let mut configs = Configs { outer, ..Configs::default() };
        if nested == Nested::Used {
            for directory in &found.configs {
                let path = walk::join(directory, config::FILE_NAME);
                match input.loader.read(&path) {
                    Ok(bytes) => {
                        let text = String::from_utf8_lossy(&bytes).into_owned();
                        let name = input.loader.display(&path);
                        let base = Base::Inside(directory.clone());
                        let index = self.config(&name, &text, base, settings, sources);
                        self.note_named(index, &input.loader, directory);
                        configs.inner.insert(directory.clone(), index);
                    }
                    Err(error) => self.unreadable(&input.loader, &error, sources),
                }
            }
        }
        // A file that is named to a check of one kind is of that kind, whatever it looks like.
        let named = input.loader.entry(&input.path).is_ok_and(|entry| entry.kind == EntryKind::File);
        for candidate in found.candidates.iter_mut().filter(|_| named) {
            candidate.kind = settings.only.or(candidate.kind);
        }
        found.configure(configs);
        if self.jobs.is_empty() {
            self.jobs = found.candidates;
        } else {
            self.jobs.append(&mut found.candidates);
        }
    }

    fn config(
        &mut self,
        name: &str,
        text: &str,
        base: Base,
        settings: &Session,
        sources: &SourceMap,
    ) -> usize {
        // The same file can stand at another base for another input.
        let key = match &base {
            Base::Before(base) => format!("{name}\0{base}"),
            Base::Inside(_) => name.to_owned(),
        };
        if let Some(&index) = self.known.get(&key) {
            return index;
        }
        let seen = self.known.keys().any(|known| known.split('\0').next() == Some(name));
        let (config, findings) = config::read(name, text, sources, &settings.catalogue);
        if !seen {
            self.general.extend(findings);
        }
        let is_whole = matches!(base, Base::Inside(_));
        self.configs.push(Arc::new(SeenConfiguration {
            name: name.to_owned(),
            text: text.to_owned(),
            config,
            base,
            is_whole,
        }));
        self.known.insert(key, self.configs.len() - 1);
        self.configs.len() - 1
    }

    /// Notes what a configuration inside the inputs names.
    fn note_named(&mut self, config: usize, loader: &Arc<dyn Loader>, directory: &str) {
        let Some(found) = self.configs.get(config) else { return };
        let config = &found.config;
        let beside = |path: &str| walk::join(directory, path.trim_start_matches("./").trim_end_matches('/'));
        let input = |(path, place): &(String, Span)| NamedInput {
            input: Input { loader: Arc::clone(loader), path: beside(path), root: None, config: None },
            named: Some(*place),
        };
        self.named.definitions.extend(config.crds.iter().map(input));
        self.named.policies.extend(config.policies.iter().map(input));
        self.named.old.extend(config.old.iter().map(input));
        let open = |path: &str| loader.scoped(&beside(path)).ok();
        let locations = config.schema_locations.iter().filter(|(typed, _)| typed != EMBEDDED);
        self.named.locations.extend(
            locations.filter_map(|(typed, place)| LocationInput::new(typed, Some(*place), &open).ok()),
        );
    }

    /// Keeps what is needed of a unit, and gives up all else.
    fn keep(
        &self,
        (index, job): (usize, &Candidate),
        mut checked: Checked,
        kept: &mut Kept,
        (given, shown): (&GivenValues, &Shown),
        (settings, is_remembered): (&Session, bool),
        sources: &SourceMap,
    ) {
        let is_passing = checked.is_passing();
        let defined: Vec<Arc<CustomKind>> =
            checked.objects.iter_mut().flat_map(|objects| std::mem::take(&mut objects.definitions)).collect();
        if !defined.is_empty() {
            kept.defined.push((index, defined));
        }
        if !checked.is_settled(settings) {
            kept.waiting.push(index);
            return kept.checked.push(checked);
        }
        if !is_passing {
            let chart_file = checked.chart_file;
            let done = settle(job, checked, self, (given, shown), settings, sources);
            return kept.done.push(Done { number: index, chart_file, ..done });
        }
        let (kind, files) = (checked.kind, checked.files.clone());
        let may_speak = |&file: &SourceId| suppress::may_speak(sources.get(file).text());
        let mut unshown = Counts::default();
        if !checked.findings.is_empty() || files.iter().any(may_speak) {
            let done = settle(job, checked, self, (given, shown), settings, sources);
            if !done.is_quiet() {
                return kept.done.push(done);
            }
            unshown = done.unit.unshown;
        }
        if !is_remembered {
            files.iter().for_each(|&file| sources.give_up(file));
        }
        self.keep_quiet(job, kind, unshown, kept, settings);
    }

    /// Keeps what is needed of a unit that there is nothing to show of.
    fn keep_quiet(
        &self,
        job: &Candidate,
        kind: InputKind,
        unshown: Counts,
        kept: &mut Kept,
        settings: &Session,
    ) {
        let quiet = &mut kept.quiet;
        if let Some((index, found)) = self.config_of(job) {
            let looked = Looked::new(kind, self.mode(job, settings), settings);
            let ignores = found.config.ignores.iter().enumerate();
            let speaking = ignores.filter(|(_, ignore)| found.speaks(ignore, job, &job.name()));
            let unused = |(number, ignore)| (index, number, Used::unused(kind, &looked, ignore));
            quiet.ignores.extend(speaking.map(unused));
        }
        quiet.strict_warning |= unshown.warnings > 0 && self.mode(job, settings).strict;
        match self.report.units {
            Units::All => {
                let kind = kind.as_str();
                kept.done.push(Done::of(Unit { name: job.name(), kind, unshown, ..Unit::default() }));
            }
            Units::Telling => quiet.unlisted.add(unshown),
        }
    }

    /// The configuration that counts for a unit.
    fn config_of(&self, job: &Candidate) -> Option<(usize, &SeenConfiguration)> {
        let index = job.config()?;
        Some((index, self.configs.get(index)?))
    }

    /// How a unit is checked.
    fn mode(&self, job: &Candidate, settings: &Session) -> Mode<'_> {
        let config = self.config_of(job).map(|(_, found)| &found.config);
        let kubernetes = &settings.kubernetes;
        Mode {
            strict: settings.strict || config.is_some_and(|config| config.strict),
            offline: settings.offline || config.is_some_and(|config| config.offline),
            kube_version: kubernetes.version.or(config.and_then(|config| Some(config.kube_version?.0))),
            field_validation: kubernetes
                .field_validation
                .or(config.and_then(|config| config.field_validation))
                .unwrap_or_default(),
            skip: config.map_or(&[][..], |config| config.skip.as_slice()),
            missing: match config.is_some_and(|config| config.ignore_missing_schemas) {
                true => MissingSchemas::Ignored,
                false => kubernetes.missing,
            },
            holds_objects: self.has_policies,
            is_only_unit: self.is_one_chart,
            old: self.old.as_deref(),
            locations: self.locations.as_deref(),
            definitions: Some(&self.definitions),
            share: None,
            parts: None,
            cancel: None,
        }
    }

    /// The versions of Kubernetes that are asked for, with the place of those that a configuration names.
    fn versions(&self, settings: &Session) -> BTreeMap<KubeVersion, Option<Span>> {
        let asked = self.jobs.iter().filter_map(|job| match settings.kubernetes.version {
            Some(version) => Some((version, None)),
            None => {
                let (version, place) = self.config_of(job)?.1.config.kube_version?;
                Some((version, Some(place)))
            }
        });
        asked.collect()
    }

    /// Reads what objects are updates of. What a flag names counts alone.
    fn read_old(&mut self, settings: &Session, sources: &SourceMap) {
        if settings.only.is_some_and(|only| only != InputKind::Crd) {
            return;
        }
        let given = &settings.named.old;
        let is_flag = given.iter().any(|old| old.named.is_none());
        let nested = further(&self.named.old, given, |old| old.named, sources).filter(|_| !is_flag);
        self.old = OldObjects::read(given.iter().chain(nested), sources).map(Arc::new);
        let Some(old) = &self.old else { return };
        self.unreadable |= old.is_unreadable();
        // What is there already is not what is to come, unless it was named as both.
        let (inputs, skipped) = (&self.inputs, &mut self.skipped);
        self.jobs.retain(|job| {
            let name = job.name();
            let is_old = old.are_in(&name) && !inputs.contains(&name);
            if is_old {
                let why = "it is named as what is there already, with `--old` or `old` in trueline.toml";
                skipped.push(skipped_path(name, why.to_owned()));
            }
            !is_old
        });
    }

    /// Reads the policies that are given, and finds out whether there may be others.
    fn read_policies(&mut self, settings: &Session, sources: &SourceMap) {
        if settings.only.is_some() {
            return;
        }
        let given = &settings.named.policies;
        let nested = further(&self.named.policies, given, |policy| policy.named, sources);
        let cluster = settings.kubernetes.version.map_or_else(Cluster::newest, Cluster::new);
        self.policies = GivenPolicies::read(given.iter().chain(nested), &cluster, sources);
        self.unreadable |= self.policies.is_unreadable;
        self.general.extend(self.policies.findings.iter().cloned());
        // A chart alone knows by its own files, and need not be read twice.
        self.is_one_chart = !self.policies.has_objects()
            && settings.charts.matrix.is_empty()
            && matches!(self.jobs.as_slice(), [only] if only.kind == Some(InputKind::Chart));
        self.has_policies = self.is_one_chart || self.policies.has_objects() || mention_policies(&self.jobs);
    }

    /// Finds out where JSON Schemas are looked for. What a flag names counts alone.
    fn find_locations(&mut self, settings: &Session, sources: &Arc<SourceMap>) {
        let given = &settings.named.locations;
        let is_flag = given.iter().any(|location| location.named.is_none());
        let nested = further(&self.named.locations, given, |location| location.named, sources);
        let all: Vec<&LocationInput> = given.iter().chain(nested.filter(|_| !is_flag)).collect();
        let network = if settings.offline { Network::Offline } else { Network::Allowed };
        self.locations = Locations::new(&all, sources, (settings.fetch.clone(), network)).map(Arc::new);
        let missing = kubernetes::missing_locations(&all, sources);
        self.general.extend(missing);
    }

    /// The policies of the run.
    fn find_policies(&self, checked: &[Checked], settings: &Session, sources: &SourceMap) -> Policies {
        if !self.has_policies {
            return Policies::default();
        }
        let names: Vec<String> = self.jobs.iter().map(Candidate::name).collect();
        let units: Vec<_> = (self.jobs.iter().zip(checked).zip(&names).enumerate())
            .map(|(number, ((job, checked), name))| {
                let stage = Stage::new(self.mode(job, settings), settings, sources);
                (UnitOf { number, name }, checked.objects.as_slice(), stage)
            })
            .collect();
        let version = Api::nearest(settings.kubernetes.version).map(Api::version);
        Policies::find(&self.policies, &units, &self.definitions, version.unwrap_or(KubeVersion::CRD_RULES))
    }

    /// What was asked for and had no effect. A configuration may speak of more than what was checked.
    fn unused(&self, checked: &[Checked], settings: &Session, sources: &SourceMap) -> Vec<Diagnostic> {
        let is_whole = |name: &str| self.configs.iter().any(|found| found.name == name && found.is_whole);
        let (mut given, mut configured) = (BTreeSet::new(), BTreeSet::new());
        for (job, checked) in self.jobs.iter().zip(checked) {
            let name = self.config_of(job).map(|(_, found)| found.name.as_str());
            for objects in &checked.objects {
                given.extend(objects.skips.given.iter().copied());
                configured.extend(objects.skips.configured.iter().map(|number| (name, *number)));
            }
        }
        let mut findings = kubernetes::unused_skips(&settings.kubernetes.skip, &given, sources);
        if settings.only.is_none() {
            for found in &self.configs {
                for (number, (kind, place)) in found.config.skip.iter().enumerate() {
                    // A file that is found below several bases is reported once.
                    let is_new = configured.insert((Some(found.name.as_str()), number));
                    if is_new && (is_whole(&found.name) || kubernetes::meant_kind(kind).is_some()) {
                        findings.push(kubernetes::unused_configured_skip(kind, *place));
                    }
                }
            }
        }
        let is_told = |place: Span| settings.only.is_none() && is_whole(sources.get(place.source).name());
        findings.extend(self.old.iter().flat_map(|old| old.findings(sources, is_told)));
        findings
    }

    /// Each `[[ignore]]` whose paths match no file, where all that its configuration speaks of was checked.
    fn unmatched_ignores(
        &self,
        used: &BTreeMap<(&str, usize), (usize, Used)>,
        done: &[Done],
        settings: &Session,
    ) -> Vec<Diagnostic> {
        let is_partial = settings.only.is_some()
            || !settings.charts.values.is_empty()
            || self.unreadable
            || !self.skipped.is_empty()
            || done.iter().any(|done| {
                let is_chart = done.unit.kind == InputKind::Chart.as_str();
                done.could_not_read || is_chart && done.unit.skipped.is_some()
            });
        let mut told = BTreeSet::new();
        let mut findings = Vec::new();
        for found in self.configs.iter().filter(|found| found.is_whole && !is_partial) {
            for (number, ignore) in found.config.ignores.iter().enumerate() {
                let is_known = used.contains_key(&(found.name.as_str(), number));
                if ignore.paths.is_some() && !is_known && told.insert((found.name.as_str(), number)) {
                    let finding = suppress::unused(ignore.span, &ignore.codes);
                    findings.push(finding.help("its `paths` match no file that was checked"));
                }
            }
        }
        findings
    }

    /// Reads the definitions that are given, and those that configurations inside the inputs name.
    fn read_definitions(&mut self, settings: &Session, sources: &SourceMap) {
        let given = &settings.named.definitions;
        let nested = further(&self.named.definitions, given, |definition| definition.named, sources);
        for named in given.iter().chain(nested) {
            let read = self.definitions.read(named, sources);
            self.unreadable |= !read.errors.is_empty();
            self.general.extend(read.errors.iter().map(|error| named.unreadable(error, sources)));
            self.general.extend(read.findings);
        }
    }

    /// Tells what is known before anything has been looked at, and how many of the findings about the run that are.
    fn tell_early(&mut self, settings: &Session, progress: &dyn Progress, sources: &SourceMap) -> usize {
        self.general.retain(|finding| settings.selection.reports(finding));
        secret::hide(&mut self.general, &[], sources);
        progress.general(&self.general);
        self.skipped.sort_by(|left, right| left.name.cmp(&right.name));
        self.skipped.iter().for_each(|unit| progress.unit(unit));
        self.general.len()
    }

    fn unreadable(&mut self, loader: &Arc<dyn Loader>, error: &LoadError, sources: &SourceMap) {
        self.unreadable = true;
        self.general.push(unreadable(loader, error, sources));
    }
}

/// A path that is not looked at.
fn skipped_path(name: String, why: String) -> Unit {
    Unit { name, kind: "path", skipped: Some(why), ..Unit::default() }
}

impl NamedInput {
    /// The finding for something of it that could not be read: where it is named, if that is in a file.
    pub(crate) fn unreadable(&self, error: &LoadError, sources: &SourceMap) -> Diagnostic {
        let finding = unreadable(&self.input.loader, error, sources);
        match self.named {
            Some(place) => Diagnostic::new(finding.code, place, finding.message),
            None => finding,
        }
    }
}

/// What a configuration inside the inputs names, without what was given because the same file was handed in.
fn further<'n, T>(
    nested: &'n [T],
    given: &[T],
    named: impl Fn(&T) -> Option<Span>,
    sources: &SourceMap,
) -> impl Iterator<Item = &'n T> {
    let place = move |one: &T| {
        named(one).map(|span| (sources.get(span.source).name().to_owned(), span.start, span.end))
    };
    let known: BTreeSet<_> = given.iter().filter_map(&place).collect();
    nested.iter().filter(move |one| place(one).is_none_or(|place| !known.contains(&place)))
}

/// The location that means what Kubernetes itself defines, which is known in any case.
const EMBEDDED: &str = "default";

/// A unit that was checked.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) unit: Unit,
    /// The number of its job, and its Chart.yaml, where it is a chart.
    number: usize,
    chart_file: Option<SourceId>,
    /// Whether it was skipped because somebody asked for it.
    is_asked: bool,
    /// A kind without a schema, where it was skipped because all its objects are of such kinds.
    unknown: Option<String>,
    strict: bool,
    could_not_read: bool,
    /// Which `[[ignore]]` spoke of it, and which of them hid something.
    ignores: Vec<(usize, usize, Used)>,
    /// The comments of files that `-f` names, and which of them hid something.
    in_given: BTreeMap<Span, Used>,
}

/// What is known of a suppression that speaks of something; of several units, the last of these counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Used {
    /// It speaks of files that are only looked at for their syntax.
    Unseen,
    /// It hides nothing.
    No,
    /// Not all that it speaks of was looked at.
    Unsure,
    /// It hides something.
    Yes,
}

impl Used {
    /// What is known of one that hides nothing in a unit.
    fn unused(kind: InputKind, looked: &Looked<'_>, ignore: &Ignore) -> Self {
        match (looked.at_codes(&ignore.codes), kind.unsupported()) {
            (true, _) => Used::No,
            (false, Some(_)) => Used::Unseen,
            (false, None) => Used::Unsure,
        }
    }
}

/// Applies suppression and configuration to what was found in a unit.
fn settle(
    job: &Candidate,
    mut checked: Checked,
    plan: &Plan,
    (given, shown): (&GivenValues, &Shown),
    settings: &Session,
    sources: &SourceMap,
) -> Done {
    let found = plan.config_of(job);
    let unreadable_before = checked.findings.iter().filter(|finding| is_unreadable(finding)).count();
    let found_in_it = std::mem::take(&mut checked.findings).into_iter();
    let mut placed: Vec<Placed> = found_in_it.map(|finding| Placed::new(finding, sources)).collect();
    let looked = Looked::new(checked.kind, plan.mode(job, settings), settings).at_unit(&checked);
    let (complaints, in_given) = suppress_in(&mut placed, &checked, (given, &looked), settings, sources);
    placed.extend(complaints.into_iter().map(|complaint| Placed::new(complaint, sources)));
    let mut ignores = Vec::new();
    let shared = if checked.kind == InputKind::Chart { given.sources.clone() } else { Vec::new() };
    if let Some((index, found)) = found {
        for (number, ignore) in found.config.ignores.iter().enumerate() {
            let speaks = |source: SourceId| found.speaks(ignore, job, sources.get(source).name());
            let before = placed.len();
            placed.retain(|placed| {
                !(ignore.codes.iter().any(|code| code.covers(&placed.finding))
                    && placed.places.iter().any(|place| speaks(place.source)))
            });
            if placed.len() < before {
                ignores.push((index, number, Used::Yes));
            } else if checked.files.iter().chain(&shared).any(|&file| speaks(file)) {
                ignores.push((index, number, Used::unused(checked.kind, &looked, ignore)));
            }
        }
        placed.retain_mut(|Placed { finding, .. }| {
            // What is said of a rule counts more than what is said of its code.
            let covering = || found.config.severities.iter().rev().filter(|(named, _)| named.covers(finding));
            let chosen = covering()
                .find(|(named, _)| matches!(named, trueline_diagnostic::Named::Rule(_)))
                .or(covering().next());
            match chosen {
                Some((_, Some(severity))) => finding.severity = *severity,
                Some((_, None)) => return false,
                None => {}
            }
            true
        });
    }
    placed.retain(|placed| settings.selection.reports(&placed.finding));
    let findings: Vec<Diagnostic> = placed.into_iter().map(|placed| placed.finding).collect();
    let mut skipped = checked.skipped;
    // What could not be read was not checked, whether or not somebody wants to hear of it.
    if findings.iter().filter(|finding| is_unreadable(finding)).count() < unreadable_before {
        skipped = skipped
            .or_else(|| Some("it cannot be read, and the finding that says so is suppressed".to_owned()));
    }
    // Of a file that would be looked at for its syntax only, a mistake there says all.
    if checked.kind.unsupported().is_some()
        && findings.iter().any(|finding| finding.severity == Severity::Error)
    {
        skipped = None;
    }
    let mut findings = alike::group(findings, sources);
    alike::cap(&mut findings);
    let unshown = shown.thin(&mut findings, &checked.files, sources);
    let secrets: Vec<Span> = checked.objects.iter().flat_map(|objects| &objects.secrets).copied().collect();
    secret::hide(&mut findings, &secrets, sources);
    // Levels in order, and within one the places in order: syntax before schema before meaning.
    findings.sort_by_key(|finding| (finding.level, finding.primary.span, finding.code.id));
    let were_checked: usize = checked.objects.iter().map(|objects| objects.checked).sum();
    let were_unasked: usize = checked.objects.iter().map(|objects| objects.unasked).sum();
    let mut left_out: Vec<LeftOut> =
        checked.objects.into_iter().flat_map(|objects| objects.left_out).collect();
    left_out.sort();
    left_out.dedup();
    // A file of which nothing was checked was not checked.
    let is_file = matches!(checked.kind, InputKind::Crd | InputKind::Kubernetes);
    let (mut is_asked, mut unknown) = (false, None);
    if is_file
        && were_checked == 0
        && let Some(first) = left_out.first()
    {
        is_asked = skipped.is_none() && were_unasked == 0;
        unknown = left_out.iter().find(|part| part.why == WITHOUT_SCHEMA).map(|part| part.what.clone());
        skipped = skipped.or_else(|| Some(first.why.clone()));
        left_out.clear();
    }
    Done {
        unit: Unit { name: job.name(), kind: checked.kind.as_str(), findings, unshown, skipped, left_out },
        is_asked,
        unknown,
        strict: plan.mode(job, settings).strict,
        could_not_read: checked.could_not_read,
        ignores,
        in_given,
        ..Done::default()
    }
}

/// Applies the comments of the files that a unit was checked with. Gives what is wrong with them; and those of the files
/// that `-f` names, which other units share, with whether they hid something here.
fn suppress_in(
    findings: &mut Vec<Placed>,
    checked: &Checked,
    (given, looked): (&GivenValues, &Looked<'_>),
    settings: &Session,
    sources: &SourceMap,
) -> (Vec<Diagnostic>, BTreeMap<Span, Used>) {
    let mut in_given = BTreeMap::new();
    let mut own = Suppressions::read(&checked.files, sources, &settings.catalogue);
    let shared = if checked.kind == InputKind::Chart { given.sources.as_slice() } else { &[] };
    let mut shared = Suppressions::read(shared, sources, &settings.catalogue);
    if !shared.list().is_empty() {
        // Both get to see all findings: one that two comments cover makes both of them useful.
        shared.apply(&mut findings.clone());
    }
    own.apply(findings);
    shared.apply(findings);
    // Those of subcharts come last, and whether they hide something is for whoever maintains them to know.
    if !findings.is_empty() {
        Suppressions::read(&checked.subchart_files, sources, &settings.catalogue).apply(findings);
    }
    for suppression in shared.list() {
        let used = match suppression.used {
            true => Used::Yes,
            false if looked.at(suppression.scope, &suppression.codes, sources) => Used::No,
            false => continue,
        };
        in_given.insert(suppression.comment, used);
    }
    let mut complaints = Complaints::default();
    let unused = own
        .list()
        .iter()
        .filter(|suppression| !suppression.used && looked.at(suppression.scope, &suppression.codes, sources));
    for suppression in unused {
        let unused = || suppress::unused(suppression.comment, &suppression.codes);
        complaints.push(&UNUSED_SUPPRESSION, unused);
    }
    let mut all = std::mem::take(&mut own.complaints);
    all.append(&mut complaints.kept);
    (all, in_given)
}

/// What is wrong with the comments of the files that `-f` names: one that hides nothing in any chart, and one that cannot
/// be understood.
fn unused_in_given(
    given: &GivenValues,
    done: &[Done],
    settings: &Session,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    let read = Suppressions::read(&given.sources, sources, &settings.catalogue);
    let is_unused = |comment: Span| {
        let mut states = done.iter().filter_map(|done| done.in_given.get(&comment)).peekable();
        states.peek().is_some() && states.all(|state| *state == Used::No)
    };
    let unused = read.list().iter().filter(|suppression| is_unused(suppression.comment));
    let unused: Vec<Diagnostic> =
        unused.map(|suppression| suppress::unused(suppression.comment, &suppression.codes)).collect();
    read.complaints.into_iter().chain(unused).collect()
}

impl Done {
    /// A unit that nothing else is to be remembered of.
    pub(crate) fn of(unit: Unit) -> Self {
        Done { unit, ..Done::default() }
    }

    /// Whether nothing is needed of it any more but how many findings there were.
    fn is_quiet(&self) -> bool {
        let unit = &self.unit;
        unit.findings.is_empty()
            && unit.skipped.is_none()
            && unit.left_out.is_empty()
            && self.ignores.is_empty()
    }
}

impl SeenConfiguration {
    /// Whether an `[[ignore]]` of this configuration speaks of a source.
    fn speaks(&self, ignore: &Ignore, candidate: &Candidate, name: &str) -> bool {
        ignore.paths.as_ref().is_none_or(|paths| paths.is_match(seen_from(self, candidate, name)))
    }
}

/// The path of a source as the configuration sees it.
fn seen_from(found: &SeenConfiguration, candidate: &Candidate, name: &str) -> String {
    let root = candidate.loader().display("");
    let below = name.strip_prefix(&root).and_then(|rest| rest.strip_prefix('/'));
    let below = below.filter(|_| !root.is_empty());
    let inside = below.unwrap_or(name);
    match &found.base {
        // A file of values may be anywhere: it is named as it is seen from the working directory.
        Base::Before(base) if below.is_none() && root != "." => {
            let working = base.strip_suffix(root.as_str()).map(|outer| outer.trim_end_matches('/'));
            let path = walk::join(working.unwrap_or(base), name);
            trueline_source::normalize_path(&path).unwrap_or(path)
        }
        Base::Before(base) => walk::join(base, inside),
        Base::Inside(directory) => inside
            .strip_prefix(directory.as_str())
            .and_then(|rest| rest.strip_prefix('/'))
            .unwrap_or(inside)
            .to_owned(),
    }
}

fn finish(done: Vec<Done>, quiet: Quiet, mut plan: Plan, settings: &Session, sources: &SourceMap) -> Run {
    let mut used: BTreeMap<(&str, usize), (usize, Used)> = BTreeMap::new();
    let unused = quiet.ignores.iter().copied();
    for (config, number, state) in done.iter().flat_map(|done| done.ignores.iter().copied()).chain(unused) {
        let Some(found) = plan.configs.get(config) else { continue };
        let entry = used.entry((found.name.as_str(), number)).or_insert((config, state));
        entry.1 = entry.1.max(state);
    }
    let unmatched = plan.unmatched_ignores(&used, &done, settings);
    for ((_, number), (config, _)) in used.iter().filter(|(_, (_, state))| *state == Used::No) {
        if let Some(ignore) = plan.configs[*config].config.ignores.get(*number) {
            plan.general.push(suppress::unused(ignore.span, &ignore.codes));
        }
    }
    plan.general.extend(unmatched);
    plan.general.extend(settings.schemas.warnings());
    plan.general.extend(registry::findings(settings, done.iter().map(|done| &done.unit), sources));
    plan.general.retain(|finding| settings.selection.reports(finding));
    let is_warning = |finding: &Diagnostic| finding.severity == Severity::Warning;
    let mut strict_warning = quiet.strict_warning || settings.strict && plan.general.iter().any(is_warning);
    let mut unreadable = plan.unreadable;
    let mut units = std::mem::take(&mut plan.skipped);
    let strict = settings.strict || done.iter().any(|done| done.strict);
    let asked = done.iter().filter(|done| done.is_asked).count();
    let unknown = done.iter().find_map(|done| done.unknown.clone());
    for done in done {
        strict_warning |= done.strict && done.unit.has(Severity::Warning);
        unreadable |= done.could_not_read;
        units.push(done.unit);
    }
    units.sort_by(|left, right| left.name.cmp(&right.name));
    let unlisted = quiet.unlisted;
    let checked =
        unlisted != Unlisted::default() || units.iter().any(|unit| unit.verdict() != Verdict::Skipped);
    // A chart that stops on purpose says so itself.
    let is_explained = plan.general.iter().any(|finding| finding.severity == Severity::Error)
        || units.iter().any(|unit| unit.skipped.is_some() && unit.has(Severity::Warning));
    let is_asked = asked > 0 && asked == units.len();
    let mut found_nothing = false;
    if !checked && !unreadable && !is_explained && !is_asked {
        let hint = match (settings.only, unknown) {
            (Some(only), _) => Hint::Only(only),
            (None, Some(kind)) => Hint::Define(kind),
            (None, None) => Hint::Name,
        };
        let finding = nothing_checked(&units, &plan.inputs, &hint, sources);
        // Whoever asks for definitions alone and names none has named something else than was meant.
        let is_mistaken = settings.only == Some(InputKind::Crd);
        found_nothing = is_mistaken;
        let severity = if is_mistaken { Severity::Error } else { finding.severity };
        if settings.selection.reports(&finding) {
            plan.general.push(finding.severity(severity));
        }
        strict_warning |= strict;
    }
    secret::hide(&mut plan.general, &[], sources);
    let outcome = Outcome { units, general: plan.general, unlisted };
    let ending = if unreadable {
        Ending::CouldNotRun
    } else if found_nothing {
        Ending::FoundNothing
    } else if strict_warning || outcome.has(Severity::Error) {
        Ending::Invalid
    } else {
        Ending::Valid
    };
    Run { outcome, ending }
}

/// What helps a run that checked nothing.
enum Hint {
    /// The command checks this kind alone.
    Only(InputKind),
    /// Nothing defines this kind.
    Define(String),
    /// It may be known what the files are.
    Name,
}

/// The finding for a run that checked nothing, at what was named first.
fn nothing_checked(units: &[Unit], inputs: &[String], hint: &Hint, sources: &SourceMap) -> Diagnostic {
    let first = match (units, inputs) {
        ([unit], _) => unit.name.as_str(),
        (_, [first, ..]) if !first.is_empty() => first,
        _ => ".",
    };
    let source = sources.add(first, SourceKind::File, "");
    let others = match inputs.len() {
        0 | 1 => String::new(),
        2 => " and in the other path".to_owned(),
        count => format!(" and in the {} other paths", count - 1),
    };
    let message = match (units, hint) {
        ([], _) => {
            format!("nothing was checked: there is no YAML or JSON file, chart or extension here{others}")
        }
        ([Unit { name, skipped: Some(why), .. }], Hint::Define(kind)) => {
            format!("nothing was checked in `{name}`: {why} {kind}")
        }
        ([Unit { name, skipped: Some(why), .. }], _) => format!("nothing was checked in `{name}`: {why}"),
        _ => format!("nothing was checked here{others}"),
    };
    let help = match (units, hint) {
        ([], _) => "name the file or the directory that is to be checked".to_owned(),
        (_, Hint::Only(InputKind::Crd)) => {
            "name a file or a directory that defines kinds (CustomResourceDefinition); `trueline check` checks others"
                .to_owned()
        }
        (_, Hint::Only(only)) => {
            format!("name a file or a directory of the kind {only}; `trueline check` checks others")
        }
        (_, Hint::Define(kind)) => {
            format!("give the definition of {kind} with `--crd FILE`, or say `--ignore-missing-schemas`")
        }
        ([unit], Hint::Name) if unit.kind == InputKind::Kubernetes.as_str() => {
            "name a file or a directory with objects of a cluster".to_owned()
        }
        ([_], Hint::Name) => "name what is to be checked; `--as KIND` says what a file is".to_owned(),
        (_, Hint::Name) => {
            "the summary says what was skipped and why; `--as KIND` says what a file is".to_owned()
        }
    };
    Diagnostic::new(&NOTHING_CHECKED, Span::whole(source), message).help(help)
}

/// Whether a finding means that a part of the text was not understood at all.
fn is_unreadable(finding: &Diagnostic) -> bool {
    finding.level == Some(Level::Parse)
        && finding.code.severity == Severity::Error
        && finding.code != &trueline_yaml::DUPLICATE_KEY
}

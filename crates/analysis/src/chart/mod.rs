//! A chart from the values that a person types to the documents that it renders to: one stage a file.
//!
//! Stages: Chart.yaml and the files around it, files of values, files in `crds/`; then, for each set of values,
//! schemas, templates, and the documents that they write.

mod capabilities;
mod cause;
mod codes;
mod conditions;
mod crds;
mod documents;
mod dot;
mod given;
mod head;
mod imports;
mod indentation;
mod into_secrets;
mod layout;
mod lint;
mod named;
mod nulls;
mod printed;
mod reads;
mod render;
mod settings;
mod slips;
mod trial;
mod truths;
mod unquoted;
mod usage;
mod values;

use std::sync::Arc;

use rayon::prelude::*;
use trueline_diagnostic::{Diagnostic, LeftOut, Level};
use trueline_helm::chart::{self, Chart, LoadFailure};
use trueline_helm::engine::{self, Early, Texts};
use trueline_source::{SourceId, SourceMap, Span};
use trueline_yaml::Value;

use crate::budget::Budget;
use crate::kinds::InputKind;
use crate::kubernetes::{Objects, Stage, chart_mentions_policies};
use crate::parts::UnitParts;
use crate::rendering::{RenderedDocument, Rendering};
use crate::session::Session;
use crate::unit::{Checked, Mode};
use crate::walk::Candidate;
use crate::{looked, repeat};
use codes::{EMPTY_MATRIX, TOO_MUCH_WORK};

pub(crate) use codes::CODES;
pub(crate) use documents::{ReadText, without_type};
pub(crate) use head::wrong_fields;
pub(crate) use into_secrets::typed_into_secrets;
pub use render::Trial;
pub(crate) use settings::{COMPAT, GivenValues};
pub use settings::{ChartSettings, Coverage};
pub use trial::{PatternError, values_pattern};

/// A chart with what was made of it: what the checks that look at all of it take.
#[derive(Debug)]
pub struct Subject {
    /// The chart as it was loaded, with all its subcharts.
    pub chart: Chart,
    /// Its templates, read once for all sets of values.
    pub texts: Arc<Texts>,
    /// What each set of values made of it.
    pub trials: Vec<Trial>,
}

impl Subject {
    /// All documents that the chart was rendered to, with each set of values: what the checks of Kubernetes objects
    /// take.
    pub fn documents(&self) -> impl Iterator<Item = &RenderedDocument> {
        self.trials.iter().flat_map(|trial| &trial.documents)
    }
}

/// Checks one chart.
pub(crate) fn check(
    candidate: &Candidate,
    mode: Mode<'_>,
    settings: &Session,
    given: &GivenValues,
    sources: &Arc<SourceMap>,
) -> Checked {
    let shown = candidate.loader().display(&candidate.path);
    let request = chart::Request {
        loader: &**candidate.loader(),
        path: &candidate.path,
        absolute: &shown,
        sources,
        compat: COMPAT,
    };
    let early = Early::new(COMPAT);
    let earlier = mode.parts.and_then(UnitParts::earlier_loaded);
    let loaded = match earlier {
        Some((earlier, _)) => chart::load_again(&request, earlier),
        None => chart::load_beside(&request, &|text| early.read(text)),
    };
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(failure) => return unloadable(failure, &Stage::new(mode, settings, sources), sources),
    };
    let chart = loaded.chart;
    let mut findings = loaded.warnings;
    if mode.is_cancelled() {
        return Checked::found(InputKind::Chart, findings);
    }
    let mut files = own_files(&chart);
    let subchart_files = subchart_files(&chart);
    let chart_file = chart.chart_file.as_ref().and_then(|file| file.source);
    if mode.share.is_some_and(|share| share.is_spent()) {
        let mut checked =
            Checked { files, subchart_files, chart_file, ..Checked::found(InputKind::Chart, findings) };
        give_up(&mut checked);
        return checked;
    }
    let unknown_version = chart.check_api_version(COMPAT).err();
    findings.extend(layout::archive_name(candidate, &chart));
    let kube_version = settings.charts.kube_version(mode);
    findings.extend(layout::kube_version(&chart, &kube_version));
    findings.extend(layout::hidden_schemas(candidate, &chart));
    findings.extend(layout::hidden_targets(candidate, &chart, sources));
    findings.extend(layout::other_versions(&chart));
    findings.extend(layout::stale_lock(&chart));
    findings.extend(layout::remarks(candidate, &chart, sources));
    findings.extend(conditions::spaces(&chart));
    findings.extend(conditions::unset(&chart));
    // What Helm says of the other fields depends on the version.
    match unknown_version {
        Some(failure) => {
            findings.extend(failure.diagnostics);
            findings.extend(lint::unknown_fields(&chart));
        }
        None => findings.extend(lint::check(&chart, sources)),
    }
    let may_have_policies = !mode.is_only_unit || chart_mentions_policies(candidate, &chart);
    let mode = Mode { holds_objects: mode.holds_objects && may_have_policies, ..mode };
    let stage = Stage::new(mode, settings, sources);
    let ((found, defined, definitions), of_values) = rayon::join(
        || crds::check(&chart, &stage, sources),
        || {
            let files = [&chart.chart_file, &chart.values_file].into_iter().flatten();
            let sets =
                files.filter_map(|file| file.source).map(|file| values::check(file, mode.parts, sources));
            sets.flatten().collect::<Vec<Diagnostic>>()
        },
    );
    findings.extend(found);
    findings.extend(of_values);
    let missing = layout::missing_dependencies(&chart);
    // What is wrong with the values of the command line is said once, not for each chart.
    if !missing.is_empty() || !given.findings.is_empty() {
        findings.extend(missing);
        findings.extend(engine::syntax(&chart, COMPAT));
        let skipped =
            (!given.findings.is_empty()).then(|| "the values that are given cannot be used".to_owned());
        let objects = vec![definitions];
        return Checked {
            files,
            subchart_files,
            skipped,
            objects,
            may_have_policies,
            ..Checked::found(InputKind::Chart, findings)
        };
    }
    let inputs = trial::inputs(candidate, &chart, settings, given, sources);
    findings.extend(inputs.findings);
    for file in &inputs.files {
        findings.extend(values::check(*file, mode.parts, sources));
    }
    files.extend(inputs.files);
    let has_others = inputs.list.len() > 1;
    if mode.is_cancelled() {
        return Checked { files, subchart_files, ..Checked::found(InputKind::Chart, findings) };
    }
    let texts = Arc::new(match earlier {
        Some((_, earlier)) => earlier.read_again(&chart),
        None => Texts::read_after(&chart, early),
    });
    if let Some(parts) = mode.parts {
        parts.keep_loaded(&chart, &texts);
    }
    // Without values nothing is rendered; how the templates are written is known all the same.
    if inputs.list.is_empty() {
        findings.extend(texts.findings());
    }
    let (budget, weight) = (Budget::of_chart(), weight(&chart));
    let bench = render::Bench {
        budget: &budget,
        weight,
        chart: &chart,
        texts: &texts,
        mode,
        settings,
        sources,
        stage: &stage,
        defined: &defined,
        kube_version,
        has_others,
    };
    let sets: Vec<Value> = inputs.list.iter().map(|input| input.user.clone()).collect();
    let (looked, runs): (_, Vec<(Trial, Vec<Diagnostic>, Objects)>) = rayon::join(
        || if mode.is_cancelled() { Vec::new() } else { usage::look(&chart, &texts, &sets, mode) },
        || inputs.list.into_par_iter().enumerate().map(|(number, input)| bench.run(number, input)).collect(),
    );
    let (mut trials, mut found, mut objects) = (Vec::new(), Vec::new(), vec![definitions]);
    for (number, (trial, findings, rendered)) in runs.into_iter().enumerate() {
        // The first set of values has a place to point to: the template that took everything.
        let is_over = number > 0 && budget.is_over(number);
        let (findings, rendered) =
            if is_over { left_out_set(chart_file, &trial) } else { (findings, rendered) };
        trials.push(trial);
        found.push(findings);
        objects.push(rendered);
    }
    if let Some(share) = mode.share {
        share.note(budget.total(), weight);
    }
    let skipped = not_rendered(&mut objects);
    let subject = Subject { chart, texts, trials };
    let runs = subject.trials.iter().flat_map(|trial| &trial.files).flat_map(|file| file.origins.runs());
    let written = looked::written(runs.map(|run| &run.origin), &files, sources);
    let names = subject.trials.iter().map(|trial| trial.name.clone());
    findings.extend(repeat::once(names.zip(found).collect(), sources));
    let looked = usage::beside(&mut findings, looked, sources);
    findings.extend(looked);
    if settings.charts.coverage == Coverage::Told {
        findings.extend(usage::coverage(&subject));
    }
    if let Some(parts) = mode.parts {
        let renderings = subject.trials.into_iter().map(|trial| Rendering {
            values: trial.name,
            files: trial.files.into_iter().map(Into::into).collect(),
            documents: trial.documents,
        });
        parts.keep_renderings(renderings.collect());
    }
    Checked {
        files,
        subchart_files,
        objects,
        skipped,
        written,
        chart_file,
        may_have_policies,
        ..Checked::found(InputKind::Chart, findings)
    }
}

/// Why a chart was not rendered, if it stops on purpose with every set of values. A chart that some set renders was
/// checked; then only the others are left out.
fn not_rendered(objects: &mut [Objects]) -> Option<String> {
    // The first are those of `crds/`, which are not rendered.
    let trials = objects.get_mut(1..).unwrap_or_default();
    if trials.is_empty() || !trials.iter().all(|trial| trial.is_stopped) {
        return None;
    }
    let why = trials.iter().flat_map(|trial| &trial.left_out).map(|part| part.why.clone()).next();
    trials.iter_mut().for_each(|trial| trial.left_out.clear());
    why
}

/// The bytes of a chart and its subcharts that are read anew for each set of values.
fn weight(chart: &Chart) -> u64 {
    let single = [&chart.chart_file, &chart.values_file, &chart.schema].into_iter().flatten();
    let own: u64 = single.chain(chart.templates.iter()).map(|file| file.data.len() as u64).sum();
    chart.dependencies.iter().map(weight).fold(own, u64::saturating_add)
}

/// What is said of a set of values that nothing was left for.
fn left_out_set(chart_file: Option<SourceId>, trial: &Trial) -> (Vec<Diagnostic>, Objects) {
    let name = trial.name.as_deref().unwrap_or("its own values");
    let message =
        format!("not rendered with {name}: the sets of values before it took all the work of a chart");
    let what = format!("what the templates write with {name}");
    let why = "the sets of values before it took all the work of a chart".to_owned();
    let findings = chart_file.map(|file| too_much_work(file, message)).into_iter().collect();
    let left_out = vec![LeftOut { what, why }];
    (findings, Objects { values: trial.name.clone(), left_out, ..Objects::default() })
}

fn too_much_work(chart_file: SourceId, message: String) -> Diagnostic {
    Diagnostic::new(&TOO_MUCH_WORK, Span::whole(chart_file).at_start(), message).level(Level::Semantic)
}

/// Forgets what was found out about a chart: those before it cost what all charts of a run may.
pub(crate) fn give_up(checked: &mut Checked) {
    let Some(file) = checked.chart_file else { return };
    let message = "not rendered: the charts before it took all the work of a run".to_owned();
    checked.findings = vec![
        too_much_work(file, message).help("check it in a run of its own, and look at the charts before it"),
    ];
    (checked.objects, checked.skipped) = (Vec::new(), None);
}

/// Charts of a run that have no file for `--values-matrix`, where others have: a directory of charts need not hold
/// such files everywhere, but what was not rendered was not found valid.
pub(crate) fn skip_without_matrix(checked: &mut [Checked]) {
    let is_empty = |finding: &Diagnostic| finding.code == &EMPTY_MATRIX;
    let has_match =
        |checked: &Checked| checked.kind == InputKind::Chart && !checked.findings.iter().any(is_empty);
    if !checked.iter().any(has_match) {
        return;
    }
    for checked in checked {
        if let Some(index) = checked.findings.iter().position(is_empty) {
            checked.skipped = Some(checked.findings.remove(index).message);
        }
    }
}

/// A chart that cannot be loaded: what is wrong with its other files is said all the same.
fn unloadable(failure: LoadFailure, stage: &Stage<'_>, sources: &SourceMap) -> Checked {
    let explain = |finding: Diagnostic| slips::in_file(finding, sources);
    let mut findings: Vec<Diagnostic> = failure.diagnostics.into_iter().map(explain).collect();
    let Some(chart) = failure.partial else { return Checked::found(InputKind::Chart, findings) };
    findings
        .extend(chart.check_api_version(COMPAT).err().into_iter().flat_map(|failure| failure.diagnostics));
    lint::add_unknown_fields(&mut findings, &chart);
    let (found, _, definitions) = crds::check(&chart, stage, sources);
    findings.extend(found);
    findings.extend(engine::syntax(&chart, COMPAT));
    let objects = vec![definitions];
    let (files, subchart_files) = (own_files(&chart), subchart_files(&chart));
    Checked { files, subchart_files, objects, ..Checked::found(InputKind::Chart, findings) }
}

/// The files of the chart itself that findings can point into.
fn own_files(chart: &Chart) -> Vec<SourceId> {
    let single = [&chart.chart_file, &chart.values_file].into_iter().flatten();
    let definitions = chart.files.iter().filter(|file| file.name.starts_with("crds/"));
    single.chain(chart.templates.iter()).chain(definitions).filter_map(|file| file.source).collect()
}

/// The same files of its subcharts, at any depth.
fn subchart_files(chart: &Chart) -> Vec<SourceId> {
    let mut files = Vec::new();
    let mut open: Vec<&Chart> = chart.dependencies.iter().collect();
    while let Some(subchart) = open.pop() {
        files.extend(own_files(subchart));
        open.extend(&subchart.dependencies);
    }
    files
}

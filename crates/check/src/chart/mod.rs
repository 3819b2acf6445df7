//! A chart from the values that a person types to the documents that it renders to: one stage a file.
//!
//! Stages: Chart.yaml and the files around it, files of values, files in `crds/`; then, for each set of values,
//! schemas, templates, and the documents that they write.

mod blame;
mod codes;
mod crds;
mod documents;
mod head;
mod imports;
mod into_secrets;
mod layout;
mod lint;
mod nulls;
mod reads;
mod render;
mod settings;
mod trial;
mod usage;
mod values;

use std::sync::Arc;

use rayon::prelude::*;
use trueline_diagnostic::Diagnostic;
use trueline_helm::chart::{self, Chart, LoadFailure};
use trueline_helm::engine::{self, Early, Texts};
use trueline_source::{SourceId, SourceMap};
use trueline_yaml::Value;

use crate::kind::Kind;
use crate::kubernetes::{Objects, Stage};
use crate::repeat;
use crate::unit::{Checked, Mode, Settings};
use crate::walk::Candidate;
use codes::EMPTY_MATRIX;
use settings::COMPAT;

pub(crate) use codes::CODES;
pub use documents::RenderedDocument;
pub(crate) use documents::without_type;
pub(crate) use head::wrong_fields;
pub use into_secrets::typed_into_secrets;
pub use render::Trial;
pub(crate) use settings::Given;
pub use settings::{ChartSettings, Coverage, ReadValues};
pub use trial::values_pattern;

/// A chart with what was made of it: what the checks that look at all of it take.
#[derive(Debug)]
pub struct Subject {
    /// The chart as it was loaded, with all its subcharts.
    pub chart: Chart,
    /// Its templates, read once for all sets of values.
    pub texts: Texts,
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
    settings: &Settings,
    given: &Given,
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
    let loaded = match chart::load_beside(&request, &|text| early.read(text)) {
        Ok(loaded) => loaded,
        Err(failure) => return unloadable(failure, &Stage::new(mode, settings, sources), sources),
    };
    let chart = loaded.chart;
    let mut findings = loaded.warnings;
    let mut files = own_files(&chart);
    findings
        .extend(chart.check_api_version(COMPAT).err().into_iter().flat_map(|failure| failure.diagnostics));
    findings.extend(layout::archive_name(candidate, &chart));
    let kube_version = settings.charts.kube_version(mode);
    findings.extend(layout::kube_version(&chart, &kube_version));
    findings.extend(layout::hidden_schemas(candidate, &chart));
    findings.extend(layout::other_versions(&chart));
    findings.extend(layout::stale_lock(&chart));
    findings.extend(lint::check(&chart, sources));
    let stage = Stage::new(mode, settings, sources);
    let mut definitions = Objects::default();
    let (found, defined) = crds::check(&chart, &stage, &mut definitions, sources);
    findings.extend(found);
    let texts = [&chart.chart_file, &chart.values_file].into_iter().flatten().filter_map(|file| file.source);
    findings.extend(texts.flat_map(|file| values::check(file, sources)));
    let missing = layout::missing_dependencies(&chart);
    // What is wrong with the values of the command line is said once, not for each chart.
    if !missing.is_empty() || !given.findings.is_empty() {
        findings.extend(missing);
        findings.extend(engine::syntax(&chart, COMPAT));
        let skipped =
            (!given.findings.is_empty()).then(|| "the values that are given cannot be used".to_owned());
        let objects = vec![definitions];
        return Checked { files, skipped, objects, ..Checked::found(Kind::Chart, findings) };
    }
    let inputs = trial::inputs(candidate, &chart, &settings.charts, given, sources);
    findings.extend(inputs.findings);
    for file in &inputs.files {
        findings.extend(values::check(*file, sources));
    }
    files.extend(inputs.files);
    let has_others = inputs.list.len() > 1;
    let texts = Texts::read_after(&chart, early);
    // Without values nothing is rendered; how the templates are written is known all the same.
    if inputs.list.is_empty() {
        findings.extend(texts.findings());
    }
    let bench = render::Bench {
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
        || usage::look(&chart, &texts, &sets),
        || inputs.list.into_par_iter().map(|input| bench.run(input)).collect(),
    );
    let (mut trials, mut found, mut objects) = (Vec::new(), Vec::new(), vec![definitions]);
    for (trial, findings, rendered) in runs {
        trials.push(trial);
        found.push(findings);
        objects.push(rendered);
    }
    let subject = Subject { chart, texts, trials };
    let names = subject.trials.iter().map(|trial| trial.name.clone());
    findings.extend(repeat::once(names.zip(found).collect(), sources));
    findings.extend(usage::beside(&findings, looked, sources));
    if settings.charts.coverage == Coverage::Told {
        findings.extend(usage::coverage(&subject));
    }
    Checked { files, objects, ..Checked::found(Kind::Chart, findings) }
}

/// Charts of a run that have no file for `--values-matrix`, where others have: a directory of charts need not hold
/// such files everywhere, but what was not rendered was not found valid.
pub(crate) fn skip_without_matrix(checked: &mut [Checked]) {
    let is_empty = |finding: &Diagnostic| finding.code == &EMPTY_MATRIX;
    let has_match = |checked: &Checked| checked.kind == Kind::Chart && !checked.findings.iter().any(is_empty);
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
    let mut findings = failure.diagnostics;
    let Some(chart) = failure.partial else { return Checked::found(Kind::Chart, findings) };
    findings
        .extend(chart.check_api_version(COMPAT).err().into_iter().flat_map(|failure| failure.diagnostics));
    findings.extend(lint::unknown_fields(&chart));
    let mut definitions = Objects::default();
    findings.extend(crds::check(&chart, stage, &mut definitions, sources).0);
    findings.extend(engine::syntax(&chart, COMPAT));
    let objects = vec![definitions];
    Checked { files: own_files(&chart), objects, ..Checked::found(Kind::Chart, findings) }
}

/// The files of the chart itself that findings can point into. What is hidden in those of its subcharts is
/// the business of whoever made them.
fn own_files(chart: &Chart) -> Vec<SourceId> {
    let single = [&chart.chart_file, &chart.values_file].into_iter().flatten();
    let definitions = chart.files.iter().filter(|file| file.name.starts_with("crds/"));
    single.chain(chart.templates.iter()).chain(definitions).filter_map(|file| file.source).collect()
}

//! One set of values: joined, validated against the schemas, rendered, and read again.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_diagnostic::{Diagnostic, LeftOut, Level, Severity, typed_place};
use trueline_helm::chart::Chart;
use trueline_helm::dependencies::{IgnoredSwitch, Processed};
use trueline_helm::engine::{self, KubeVersion, Notes, Operation, Release, Texts};
use trueline_helm::release::RenderedFile;
use trueline_helm::schema::{self, SchemaAccess};
use trueline_helm::{
    Branches, Environment, Limits, Origins, STOPPED_ON_PURPOSE, Seeded, dependencies, values,
};
use trueline_schema::Network;
use trueline_source::{SourceMap, Span};
use trueline_yaml::Value;

use super::codes::NOT_RENDERED;
use super::documents::{self, Documents};
use super::settings::{COMPAT, Coverage};
use super::{
    capabilities, cause, conditions, crds, dot, given, imports, into_secrets, named, nulls, printed, trial,
    truths, unquoted,
};
use crate::budget::{self, Budget};
use crate::kubernetes::{Objects, Remembered, Stage};
use crate::rendering::RenderedDocument;
use crate::secret;
use crate::session::Session;
use crate::unit::Mode;

/// Findings about objects of which it is not known which pods they make.
const HIDE_PODS: [&str; 4] = ["unknown-object-field", "unknown-kind", "no-schema", "removed-api"];

/// What one set of values made of a chart.
#[derive(Debug)]
pub struct Trial {
    /// The file that the values are from, where there are several sets; nothing for the first.
    pub name: Option<String>,
    /// What a user gave.
    pub user: Value,
    /// The chart with the subcharts that take part; none if the values cannot be joined.
    pub chart: Option<Chart>,
    /// The final values of the whole tree.
    pub values: Option<Value>,
    /// What the templates wrote.
    pub files: Vec<RenderedFile>,
    /// The documents in that.
    pub documents: Vec<RenderedDocument>,
    /// The branches of templates that were taken, if they were noted.
    pub branches: Branches,
}

/// What templates wrote, what is wrong with them, and which of their branches were taken.
type Written = (Vec<RenderedFile>, Vec<Diagnostic>, Branches);

/// What all sets of values share.
pub(super) struct Bench<'a> {
    /// What all sets of values together may cost.
    pub(super) budget: &'a Budget,
    /// The bytes of the chart.
    pub(super) weight: u64,
    pub(super) chart: &'a Chart,
    /// Its templates.
    pub(super) texts: &'a Texts,
    pub(super) mode: Mode<'a>,
    pub(super) settings: &'a Session,
    pub(super) sources: &'a Arc<SourceMap>,
    /// What its objects are validated against.
    pub(super) stage: &'a Stage<'a>,
    /// What its files in `crds/` define.
    pub(super) defined: &'a crds::Defined,
    /// The version of Kubernetes that it is rendered for.
    pub(super) kube_version: KubeVersion,
    /// Whether there are other sets of values besides the first.
    pub(super) has_others: bool,
}

impl Bench<'_> {
    /// Renders the chart with a set of values.
    pub(super) fn run(&self, number: usize, input: trial::Input) -> (Trial, Vec<Diagnostic>, Objects) {
        let mut trial = Trial {
            name: input.name,
            user: input.user,
            chart: None,
            values: None,
            files: Vec::new(),
            documents: Vec::new(),
            branches: Branches::default(),
        };
        let mut findings = Vec::new();
        let mut objects = Objects { values: trial.name.clone(), ..Objects::default() };
        if self.budget.is_spent_before(number) || self.mode.is_cancelled() {
            return (trial, findings, objects);
        }
        // Values are joined and validated against schemas again for each set.
        self.budget.note(number, self.weight);
        match self.join(&mut trial) {
            Ok(ignored) => findings.extend(conditions::check(&ignored)),
            Err(error) => {
                findings.extend(error.diagnostics);
                findings.extend(self.texts.findings());
                return (trial, findings, objects);
            }
        }
        if let (Some(chart), Some(values)) = (trial.chart.take(), trial.values.take()) {
            findings.extend(imports::check(self.chart, &chart));
            let (refusals, steps) = trueline_schema::counted(|| self.schemas(&chart, &values));
            self.budget.note(number, steps.saturating_mul(budget::COST_PER_SCHEMA_STEP));
            let refused_before = refusals.len();
            findings.extend(refusals);
            let templates = Arc::new(self.texts.read_for(&chart));
            let chart_with_texts = (&chart, &templates);
            let earlier = self.mode.parts.and_then(|parts| parts.earlier_rendered(number));
            let ((files, failures, branches), rendered) =
                self.render(number, chart_with_texts, &values, earlier);
            if let (Some(parts), Some(rendered)) = (self.mode.parts, &rendered) {
                parts.keep_rendered(number, rendered);
            }
            let again = |values: &Value| {
                let ((files, failures, _), _) =
                    self.render(number, chart_with_texts, values, rendered.as_deref());
                (files, failures)
            };
            let failed_before = failures.len();
            let is_first = trial.name.is_none();
            let is_whole = failures.is_empty();
            let refused: FxHashSet<Span> = findings.iter().map(|finding| finding.primary.span).collect();
            // A value that its schema refuses was reported; that a template cannot use it follows from that.
            let news = failures
                .into_iter()
                .filter(|finding| !is_about(finding, &refused))
                .map(|finding| given::explain(finding, &chart, &trial.user, self.sources))
                .map(|finding| given::misspelt(finding, &chart, &values, self.sources))
                .map(|finding| nulls::explain(finding, &chart, &trial.user, self.sources));
            let news = news
                .map(|finding| name_asked(finding, self.sources))
                .map(|finding| dot::explain(finding, self.sources))
                .map(|finding| unquoted::explain(finding, self.sources));
            let news: Vec<Diagnostic> =
                news.map(|finding| if is_first { self.milder(finding) } else { finding }).collect();
            findings.extend(named::together(news, &chart));
            let Documents { documents, texts, findings: mut found, mut marks } =
                documents::read(&files, (self.mode.parts, self.mode.cancel), self.sources);
            let kept = (documents.len() + found.len()) as u64;
            self.budget.note(number, kept.saturating_mul(budget::COST_PER_DOCUMENT));
            printed::without_copies(&mut marks, &chart);
            objects.secrets = secret::of_documents(&documents, self.sources);
            let replaced = into_secrets::replaced(&chart, &trial.user, &objects.secrets);
            objects.secrets.extend(replaced);
            // Where a chart refuses its own values, what it makes of them is not meant for anybody.
            let is_refused = |finding: &Diagnostic| {
                finding.code == &STOPPED_ON_PURPOSE && finding.severity != Severity::Error
            };
            let stops: Vec<&Diagnostic> =
                findings.iter().filter(|finding| finding.code == &STOPPED_ON_PURPOSE).collect();
            objects.is_stopped = !stops.is_empty();
            objects.left_out.extend(stops.first().map(|stop| self.left_out(stop, trial.name.as_deref())));
            if !stops.into_iter().any(is_refused) {
                let is_marked = |finding: &Diagnostic| marks.iter().any(|mark| mark.covers(finding));
                let is_whole = is_whole && found.is_empty();
                found.retain(|finding| !is_marked(finding));
                let before = findings.len();
                findings.extend(found);
                let remembered: Vec<&Remembered> = texts.iter().map(|text| &text.objects).collect();
                let mut news = self.stage.look_at_rendered(&documents, &remembered, &findings, &mut objects);
                self.budget.note(number, (news.len() as u64).saturating_mul(budget::COST_PER_DOCUMENT));
                news.retain(|finding| !is_marked(finding));
                let mut about_objects = findings.split_off(before);
                about_objects.extend(news);
                let given = cause::given_places(&trial.user);
                let mut caused = cause::find(about_objects, &documents, &given, (self.stage, self.sources));
                caused.retain(|finding| !refused.contains(&typed_place(finding.primary.span, self.sources)));
                findings.extend(caused);
                // Which value is to blame is not to be found by looking at one document: these are about several.
                let hides_pods = |finding: &Diagnostic| HIDE_PODS.contains(&finding.code.name);
                if is_whole && !findings.iter().any(hides_pods) {
                    findings.extend(self.stage.look_at_rendered_services(&documents));
                }
                findings.extend(printed::once(marks, self.sources));
                let as_strings = |texts: &FxHashMap<Span, String>| {
                    let values = printed::with_strings(&values, texts);
                    let (again, failures) = again(&values);
                    let is_taken = self.schemas(&chart, &values).len() <= refused_before
                        && failures.len() <= failed_before
                        && printed::count_marks(&again) <= printed::count_marks(&files);
                    if is_taken { printed::kept(texts, &again) } else { FxHashSet::default() }
                };
                let changed = printed::changed(&documents, self.sources);
                let news = printed::reported(changed, &mut findings, self.sources, as_strings);
                findings.extend(news);
                let user = (&trial.user, &values);
                findings.extend(self.strings_for_booleans(&chart, user, &files, again));
            }
            trial = Trial { chart: Some(chart), values: Some(values), files, documents, branches, ..trial };
        }
        (trial, findings, objects)
    }

    /// The strings that spell `false` and make a difference to what is rendered.
    fn strings_for_booleans(
        &self,
        chart: &Chart,
        (user, values): (&Value, &Value),
        files: &[RenderedFile],
        again: impl Fn(&Value) -> (Vec<RenderedFile>, Vec<Diagnostic>),
    ) -> Vec<Diagnostic> {
        let candidates = truths::candidates(chart, user).into_iter();
        let makes_difference = |candidate: &truths::Candidate| {
            let (again, _) = again(&truths::with_false(values, candidate.place));
            truths::texts(&again) != truths::texts(files)
        };
        let found = candidates.filter(makes_difference);
        found.map(|candidate| truths::finding(&candidate, self.sources)).collect()
    }

    /// What the summary says of a chart that stops on purpose.
    fn left_out(&self, stop: &Diagnostic, values: Option<&str>) -> LeftOut {
        let source = self.sources.get(stop.primary.span.source);
        let what = match values {
            Some(name) => format!("the rendering with `{name}`"),
            None if self.settings.charts.values.is_empty() => "the rendering with its own values".to_owned(),
            None => "the rendering with the given values".to_owned(),
        };
        let function = if source.slice(stop.primary.span).contains("required") { "required" } else { "fail" };
        LeftOut { what, why: format!("not rendered, the chart stops with `{function}`") }
    }

    /// Works out which subcharts take part, and the values of all; gives the switches that had no effect.
    fn join(&self, trial: &mut Trial) -> Result<Vec<IgnoredSwitch>, values::ValueError> {
        let mut log = Vec::new();
        let Processed { chart, ignored } =
            dependencies::process_and_tell(self.chart.clone(), &trial.user, COMPAT, &mut log)?;
        trial.values = Some(values::coalesce(&chart, &trial.user, COMPAT, &mut log)?);
        trial.chart = Some(chart);
        Ok(ignored)
    }

    fn schemas(&self, chart: &Chart, values: &Value) -> Vec<Diagnostic> {
        let network = if self.mode.offline { Network::Offline } else { Network::Allowed };
        let fetch = self.settings.fetch_for(self.mode);
        let access = SchemaAccess { sources: Arc::clone(self.sources), fetch, network };
        let (verdict, mut findings) = schema::validate_and_tell(chart, values, &access);
        findings.extend(verdict.err().into_iter().flat_map(|failure| failure.diagnostics));
        findings
    }

    fn render(
        &self,
        number: usize,
        (chart, texts): (&Chart, &Arc<Texts>),
        values: &Value,
        earlier: Option<&engine::Earlier>,
    ) -> (Written, Option<Arc<engine::Earlier>>) {
        let charts = &self.settings.charts;
        let mut api_versions = charts.api_versions.clone();
        api_versions.extend(crds::api_versions(chart, self.defined));
        let environment = Dice { dice: Seeded::new(0), mode: self.mode };
        let options = engine::Options {
            compat: COMPAT,
            release: Release {
                name: charts.release_name.clone(),
                namespace: charts.namespace.clone(),
                operation: Operation::Install,
            },
            capabilities: capabilities::of_cluster(&self.kube_version, api_versions),
            mode: engine::Mode::Render,
            origins: Origins::Kept,
            environment: &environment,
            limits: Limits { steps: budget::CHART, ..Limits::default() },
        };
        let render = |steps: u64| {
            let options = engine::Options { limits: Limits { steps, ..options.limits }, ..options.clone() };
            match charts.coverage {
                Coverage::Told => (engine::render_all(chart, texts, values, &options, Notes::Branches), None),
                Coverage::Ignored => engine::render_again(chart, texts, values, &options, earlier),
            }
        };
        let left = self.budget.left_for(number).min(options.limits.steps);
        let (mut rendering, mut remembered) = render(left.min(budget::FIRST_TRY));
        if rendering.is_over && left > budget::FIRST_TRY {
            drop((rendering, remembered));
            let run = self.mode.share.map_or(self.budget, |share| share.run);
            (rendering, remembered) = run.alone(|| render(left));
        }
        let written = rendering.output.files.iter().map(|file| file.text.len() as u64).sum::<u64>();
        let written = written.saturating_mul(budget::COST_PER_WRITTEN_BYTE);
        self.budget.note(number, rendering.steps.saturating_add(written));
        let mut findings = Vec::new();
        for failure in rendering.failures {
            if failure.diagnostics.is_empty()
                && let Some(source) = chart.chart_file.as_ref().and_then(|file| file.source)
            {
                let place = Span::whole(source).at_start();
                findings.push(Diagnostic::new(&NOT_RENDERED, place, failure.text).level(Level::Semantic));
            }
            findings.extend(failure.diagnostics);
        }
        ((rendering.output.files, findings, rendering.branches), remembered.map(Arc::new))
    }

    /// A chart may ask for values that only its users can know: that it does so with nothing but its own values
    /// is worth a warning, and nothing more where it brings values for tests along.
    fn milder(&self, finding: Diagnostic) -> Diagnostic {
        let values = &self.settings.charts.values;
        let is_asked = values.files.is_empty() && finding.code == &STOPPED_ON_PURPOSE;
        match (is_asked, self.has_others) {
            (false, _) => finding,
            (true, true) => finding.severity(Severity::Note),
            (true, false) => finding
                .severity(Severity::Warning)
                .help("the chart asks for values: give them with `-f`, or put values for tests into `ci/NAME-values.yaml`"),
        }
    }
}

/// What templates see of the world: dice that repeat themselves, and whether somebody still wants to know.
struct Dice<'m> {
    dice: Seeded,
    mode: Mode<'m>,
}

impl Environment for Dice<'_> {
    fn now(&self) -> (i64, u32) {
        self.dice.now()
    }

    fn random(&self, buffer: &mut [u8]) {
        self.dice.random(buffer);
    }

    fn seed(&self) -> Option<u64> {
        self.dice.seed()
    }

    fn lookup_host(&self, name: &str) -> String {
        self.dice.lookup_host(name)
    }

    fn is_cancelled(&self) -> bool {
        self.mode.is_cancelled()
    }
}

/// Names the value that `required` asks for: the message is the author's, and often does not say it.
fn name_asked(finding: Diagnostic, sources: &SourceMap) -> Diagnostic {
    const VALUES: &str = ".Values.";
    let span = finding.primary.span;
    let source = sources.get(span.source);
    if finding.code != &STOPPED_ON_PURPOSE || !source.slice(span).contains("required") {
        return finding;
    }
    let text = source.text();
    let start = text.get(..span.start as usize).and_then(|before| before.rfind("{{")).unwrap_or_default();
    let rest = text.get(start..).unwrap_or_default();
    let action = rest.get(..rest.find("}}").unwrap_or(rest.len())).unwrap_or_default();
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
    let mut names = action.match_indices(VALUES).map(|(place, _)| {
        let name = action.get(place..).unwrap_or_default();
        name.get(..name.find(|character| !is_part(character)).unwrap_or(name.len())).unwrap_or_default()
    });
    match (names.next(), names.next()) {
        (Some(name), None) => finding.label(format!("`{name}` has to be set")),
        _ => finding,
    }
}

fn is_about(finding: &Diagnostic, places: &FxHashSet<Span>) -> bool {
    places.contains(&finding.primary.span) || finding.related.iter().any(|label| places.contains(&label.span))
}

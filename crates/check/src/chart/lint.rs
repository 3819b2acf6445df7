//! What `helm lint` says of Chart.yaml, in its own words. Its other rules have findings of their own here.

use trueline_diagnostic::{Diagnostic, Level, Severity};
use trueline_helm::chart::Chart;
use trueline_helm::lint::{self, Message};
use trueline_source::SourceMap;

use super::codes::CHART_LINT;
use super::settings::COMPAT;

/// The rules about Chart.yaml that do not keep a chart from being loaded.
pub(super) fn check(chart: &Chart, sources: &SourceMap) -> Vec<Diagnostic> {
    lint::about_metadata(chart, sources, COMPAT)
        .into_iter()
        .filter_map(|message| match message.text.contains(STRICT) {
            true => unknown_field(&message, chart),
            false => finding(message),
        })
        .collect()
}

/// What Helm says of a file that a reader without mercy does not take. Keys that stand twice have a finding of their
/// own.
const STRICT: &str = "failed to strictly parse";

fn unknown_field(message: &Message, chart: &Chart) -> Option<Diagnostic> {
    let (_, behind) = message.text.split_once("unknown field \"")?;
    let (field, _) = behind.split_once('"')?;
    let place = chart.metadata.place(field).or(message.span)?;
    let finding = Diagnostic::new(&CHART_LINT, place, format!("`{field}` is not a field of Chart.yaml"));
    Some(finding.help("Helm leaves it out; `helm lint` says so too").level(Level::Semantic))
}

fn finding(message: Message) -> Option<Diagnostic> {
    let severity = match message.severity {
        lint::Severity::Info => Severity::Note,
        lint::Severity::Warning => Severity::Warning,
        lint::Severity::Error => Severity::Error,
    };
    let text = message.text.replace("\n\t", ": ");
    let finding = Diagnostic::new(&CHART_LINT, message.span?, text);
    Some(finding.help("`helm lint` says the same").severity(severity).level(Level::Semantic))
}

//! What `helm lint` says of Chart.yaml, in its own words. Its other rules have findings of their own here.

use trueline_diagnostic::{Diagnostic, Edit, Level, Severity, nearest};
use trueline_helm::chart::Chart;
use trueline_helm::lint::{self, Message};
use trueline_source::SourceMap;

use super::codes::CHART_LINT;
use super::settings::COMPAT;

/// The rules about Chart.yaml that do not keep a chart from being loaded.
pub(super) fn check(chart: &Chart, sources: &SourceMap) -> Vec<Diagnostic> {
    let messages = lint::about_metadata(chart, sources, COMPAT).into_iter();
    let others = messages.filter(|message| !message.text.contains(STRICT)).filter_map(finding);
    unknown_fields(chart).into_iter().chain(others).collect()
}

/// What Helm says of a file that a reader without mercy does not take: it names the first unknown key only, and keys
/// that stand twice have a finding of their own.
const STRICT: &str = "failed to strictly parse";

/// Keys of Chart.yaml that Helm does not know.
pub(super) fn unknown_fields(chart: &Chart) -> Vec<Diagnostic> {
    let known = lint::CHART_FIELDS;
    lint::unknown_fields(&chart.metadata)
        .into_iter()
        .map(|(name, place)| {
            let message = format!("`{name}` is not a field of Chart.yaml");
            let finding = Diagnostic::new(&CHART_LINT, place, message).level(Level::Semantic);
            match nearest(&name, known.iter().copied()) {
                Some(meant) => finding
                    .help(format!(
                        "did you mean `{meant}`? Helm leaves `{name}` out; `helm lint` says so too"
                    ))
                    .fix(
                        format!("write `{meant}`"),
                        vec![Edit { span: place, replacement: meant.to_owned() }],
                    ),
                None => finding.help("Helm leaves it out; `helm lint` says so too"),
            }
        })
        .collect()
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

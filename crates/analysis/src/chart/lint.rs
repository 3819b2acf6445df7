//! What `helm lint` says of Chart.yaml, in its own words. Its other rules have findings of their own here.

use trueline_diagnostic::{Diagnostic, Edit, Level, Severity, nearest};
use trueline_helm::chart::Chart;
use trueline_helm::lint::{self, Message};
use trueline_source::{SourceMap, Span};

use super::codes::CHART_LINT;
use super::settings::COMPAT;

/// The rules about Chart.yaml that do not keep a chart from being loaded.
pub(super) fn check(chart: &Chart, sources: &SourceMap) -> Vec<Diagnostic> {
    let messages = lint::about_metadata(chart, sources, COMPAT).into_iter();
    let others = messages.filter(|message| !message.text.contains(STRICT));
    let mut findings = unknown_fields(chart);
    // Several rules refuse one value: the most severe of them is reported.
    for finding in others.filter_map(|message| finding(message, sources)) {
        let place = finding.primary.span;
        let is_same = |other: &&mut Diagnostic| other.primary.span == place && is_value(place, sources);
        match findings.iter_mut().find(is_same) {
            Some(other) if other.severity < finding.severity => *other = finding,
            Some(_) => {}
            None => findings.push(finding),
        }
    }
    findings
}

/// Whether a place is a plain value, and not the file or a map that something is missing in.
fn is_value(place: Span, sources: &SourceMap) -> bool {
    let source = sources.get(place.source);
    place.start > 0 && !source.slice(place).contains('\n')
}

/// What Helm says of a file that its strict reader refuses: it names the first unknown key only, and duplicate keys have a
/// finding of their own.
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

/// Adds the unknown keys of Chart.yaml to what keeps it from being loaded. A key that is nearly one that is missing is the
/// cause of that.
pub(super) fn add_unknown_fields(findings: &mut Vec<Diagnostic>, chart: &Chart) {
    for unknown in unknown_fields(chart) {
        let meant = unknown.fix.as_ref().and_then(|fix| fix.edits.first()).map(|edit| &edit.replacement);
        let is_cause = |missing: &&mut Diagnostic| {
            let field = missing.path.as_deref().and_then(|path| path.strip_prefix('/'));
            missing.message.starts_with("the chart has no ") && field == meant.map(String::as_str)
        };
        match findings.iter_mut().find(is_cause) {
            Some(missing) => {
                missing.message = format!("{}: {}", missing.message, unknown.message);
                missing.primary = unknown.primary;
                missing.help = unknown.help;
                missing.fix = unknown.fix;
            }
            None => findings.push(unknown),
        }
    }
}

fn finding(message: Message, sources: &SourceMap) -> Option<Diagnostic> {
    let severity = match message.severity {
        lint::Severity::Info => Severity::Note,
        lint::Severity::Warning => Severity::Warning,
        lint::Severity::Error => Severity::Error,
    };
    let span = message.span?;
    let text = message.text.replace("\n\t", ": ");
    let source = sources.get(span.source);
    let finding = match about_version(&text, source.slice(span), span) {
        Some(finding) => finding,
        None => Diagnostic::new(&CHART_LINT, span, text).help("`helm lint` says the same"),
    };
    Some(finding.severity(severity).level(Level::Semantic))
}

/// The finding for a version that is a number, or only a part of a version: what Helm says of those is about the types of
/// Go.
fn about_version(text: &str, typed: &str, span: Span) -> Option<Diagnostic> {
    let edit = |replacement: &str| vec![Edit { span, replacement: replacement.to_owned() }];
    if text.starts_with("appVersion should be of type string") {
        let quoted = format!("\"{typed}\"");
        let message = format!("`appVersion: {typed}` is not a string");
        let finding = Diagnostic::new(&CHART_LINT, span, message).help(format!("quote it: `{quoted}`"));
        return Some(finding.fix("quote it", edit(&quoted)));
    }
    let is_about = text.starts_with("version should be of type string")
        || text.starts_with("version ") && text.contains(" is not a valid SemVer");
    let version = typed.trim_matches(['"', '\'']);
    if !is_about || version.is_empty() {
        return None;
    }
    let finding = Diagnostic::new(&CHART_LINT, span, format!("`{version}` is not a semantic version"));
    let parts: Vec<&str> = version.trim_start_matches('v').split('.').collect();
    let is_number = |part: &&str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (*part == "0" || !part.starts_with('0'))
    };
    if parts.len() > 3 || !parts.iter().all(is_number) {
        return Some(finding.help("write three numbers, such as `1.2.3`"));
    }
    let missing = ["0"].into_iter().cycle().take(3 - parts.len());
    let whole = parts.into_iter().chain(missing).collect::<Vec<_>>().join(".");
    Some(finding.help(format!("write `{whole}`")).fix(format!("write `{whole}`"), edit(&whole)))
}

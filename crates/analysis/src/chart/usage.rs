//! What templates read of the values, namespaces that are written into them, and branches that nothing reached.

use rustc_hash::FxHashSet;
use trueline_diagnostic::{Diagnostic, Level, Severity, typed_place};
use trueline_helm::FIELD_OF_NOTHING;
use trueline_helm::chart::Chart;
use trueline_helm::engine::Texts;
use trueline_helm::usage::{self, COVERAGE, UNDEFINED_OWNER, UNKNOWN_FIELD, Usage};
use trueline_helm::values::overlay;
use trueline_source::{SourceMap, Span};
use trueline_yaml::{Data, Value};

use super::settings::COMPAT;
use super::{Subject, reads};
use crate::parts::UnitParts;
use crate::unit::Mode;

/// Looks through a chart and the values of all sets, without rendering it.
pub(super) fn look(chart: &Chart, texts: &Texts, sets: &[Value], mode: Mode<'_>) -> Vec<Diagnostic> {
    let mut findings = usage::fixed_namespaces(texts);
    let mut all = Value::new(Data::Map(Default::default()));
    sets.iter().for_each(|user| overlay(&mut all, user.clone()));
    let earlier = mode.parts.and_then(UnitParts::earlier_usage);
    let found = Usage::of_again(chart, texts, &all, COMPAT, (earlier, mode.cancel));
    let Some((usage, left)) = found else { return findings };
    if let Some(parts) = mode.parts {
        parts.keep_usage(left);
    }
    let Some(usage) = usage else { return findings };
    for user in sets {
        findings.extend(usage.unused_given(user));
        findings.extend(usage.shadowed(user));
    }
    findings.extend(usage.unused_defaults());
    findings.extend(usage.undefined());
    findings.extend(usage.unknown_fields());
    findings
}

/// What is reported of that beside what renderings found: what stopped one is not reported again as something that may.
pub(super) fn beside(
    found: &mut Vec<Diagnostic>,
    mut findings: Vec<Diagnostic>,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    // That a field does not exist is the cause of what renderings stop at, and of objects that lack what it should print.
    for unknown in findings.iter_mut().filter(|finding| finding.code == &UNKNOWN_FIELD) {
        let before = found.len();
        let is_cause = |error: &Diagnostic| {
            error.severity == Severity::Error
                && overlaps(typed_place(error.primary.span, sources), unknown.primary.span)
        };
        found.retain(|error| !is_cause(error));
        if found.len() < before {
            unknown.severity = Severity::Error;
        }
    }
    let errors: Vec<Span> = found
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.primary.span)
        .collect();
    findings.retain(|finding| !errors.iter().any(|error| overlaps(*error, finding.primary.span)));
    // A value whose lack stopped a rendering is not told again where others read it.
    let stopped: FxHashSet<&str> = found
        .iter()
        .filter(|finding| finding.code == &FIELD_OF_NOTHING)
        .filter_map(|finding| finding.path.as_deref())
        .collect();
    let is_told = |finding: &Diagnostic| {
        finding.code == &UNDEFINED_OWNER && finding.path.as_deref().is_some_and(|path| stopped.contains(path))
    };
    findings.retain(|finding| !is_told(finding));
    let mut seen = FxHashSet::default();
    // Flags are read anew for each set of values: what was typed once has several sources of one name.
    findings.retain(|finding| {
        let span = finding.primary.span;
        let file = sources.get(span.source).name().to_owned();
        seen.insert((file, span.start, span.end, finding.code.id))
    });
    reads::together(findings.into_iter().map(|finding| explain_key(finding, sources)).collect())
}

/// Words that are truth values where they stand without quotes, even as keys.
const TRUTH: [(&str, [&str; 3]); 2] = [("true", ["y", "yes", "on"]), ("false", ["n", "no", "off"])];

/// A key that was read as a truth value is not what was typed.
fn explain_key(finding: Diagnostic, sources: &SourceMap) -> Diagnostic {
    let span = finding.primary.span;
    let source = sources.get(span.source);
    let typed = source.slice(span);
    let read = TRUTH.iter().find(|(_, words)| words.iter().any(|word| typed.eq_ignore_ascii_case(word)));
    match (read, finding.path.as_deref().and_then(|path| path.rsplit('/').next())) {
        (Some((read, _)), Some(key)) if key == *read => finding.help(format!(
            "the key `{typed}` without quotes is read as the truth value `{read}`: write `\"{typed}\"`"
        )),
        _ => finding,
    }
}

fn overlaps(one: Span, other: Span) -> bool {
    one.source == other.source && one.start < other.end && other.start < one.end
}

/// Which branches of the chart's own templates no set of values reached, with the figures.
pub(super) fn coverage(subject: &Subject) -> Vec<Diagnostic> {
    let mut branches = trueline_helm::Branches::default();
    subject.trials.iter().for_each(|trial| branches.join(&trial.branches));
    let coverage = usage::coverage(&subject.texts, &branches);
    let mut findings = coverage.findings;
    if let Some(place) = chart_file(&subject.chart)
        && coverage.branches > 0
    {
        let (reached, all) = (coverage.reached, coverage.branches);
        let message = format!("{reached} of {all} branches of the templates were reached");
        findings.push(Diagnostic::new(&COVERAGE, place, message).level(Level::Semantic));
    }
    findings
}

fn chart_file(chart: &Chart) -> Option<Span> {
    chart.chart_file.as_ref()?.source.map(|source| Span::whole(source).at_start())
}

//! Findings about the values of real charts, each judged by hand: unused, undefined and misspelt values.
//!
//! The judgements stand in `judgements/helm-usage.tsv`. A finding that is not there fails its chart, and so does one
//! at the level of a warning or above that was judged false, and a judgement without a finding.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Severity};
use trueline_helm::chart::Compat;
use trueline_helm::engine::Texts;
use trueline_helm::usage::{Usage, fixed_namespaces};
use trueline_source::SourceMap;
use trueline_yaml::{Data, Map, Value};

use super::real_charts;
use crate::Case;

/// One case for each chart.
pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let judgements = judgements()?;
    let mut cases = Vec::new();
    for (id, path) in real_charts::list(folder)? {
        let judged = judgements.get(&id).cloned().unwrap_or_default();
        cases.push(Case::new(id, move || check(&path, judged.clone())));
    }
    Ok(cases)
}

/// By chart, then by finding: whether it is true.
type Judged = BTreeMap<String, bool>;

fn judgements() -> Result<BTreeMap<String, Judged>, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("judgements/helm-usage.tsv");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut charts: BTreeMap<String, Judged> = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong =
            || format!("judgements/helm-usage.tsv:{}: chart, finding, true or false, reason", index + 1);
        let (chart, rest) = line.split_once('\t').ok_or_else(wrong)?;
        let (rest, reason) = rest.rsplit_once('\t').ok_or_else(wrong)?;
        let (finding, verdict) = rest.rsplit_once('\t').ok_or_else(wrong)?;
        let verdict = match verdict {
            "true" => true,
            "false" => false,
            _ => return Err(wrong()),
        };
        let is_new =
            charts.entry(chart.to_owned()).or_default().insert(finding.to_owned(), verdict).is_none();
        if reason.is_empty() || !is_new {
            return Err(wrong());
        }
    }
    Ok(charts)
}

fn check(path: &Path, mut judged: Judged) -> Result<(), String> {
    let sources = SourceMap::new();
    let chart = real_charts::load(path, &sources)?;
    let user = Value::new(Data::Map(Arc::new(Map::default())));
    // Charts that merge values into themselves without end are left alone.
    let texts = Texts::read(&chart, Compat::Helm4);
    let usage = Usage::of(&chart, &texts, &user, Compat::Helm4);
    let mut findings = usage.map(|usage| usage.findings(&user)).unwrap_or_default();
    findings.extend(fixed_namespaces(&texts));
    let mut problems = Vec::new();
    for finding in findings {
        let described = describe(&finding, path, &sources);
        let is_warning = finding.severity >= Severity::Warning;
        match judged.remove(&described) {
            Some(true) => {}
            Some(false) if is_warning => problems.push(format!("false, and no note: {described}")),
            Some(false) => {}
            None => problems.push(format!("not judged: {}\t{described}", finding.severity)),
        }
    }
    problems.extend(judged.into_keys().map(|finding| format!("judged, but not found: {finding}")));
    if problems.is_empty() { Ok(()) } else { Err(format!("\n{}", problems.join("\n"))) }
}

/// A finding in a line: its code, the path of the value and the place.
fn describe(finding: &Diagnostic, chart: &Path, sources: &SourceMap) -> String {
    let span = finding.primary.span;
    let line = sources.position(span).line;
    let value = finding.path.as_deref().unwrap_or("-");
    let source = sources.get(span.source);
    let file = Path::new(source.name()).strip_prefix(chart).unwrap_or(Path::new(source.name()));
    format!("{}\t{value}\t{}:{line}", finding.code.id, file.display())
}

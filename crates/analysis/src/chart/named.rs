//! Templates that are included and not defined. One name that is wrong in many places is one finding; and where a template of
//! nearly that name is defined and nobody includes it, its definition is what to change.

use rustc_hash::FxHashMap;
use trueline_diagnostic::{Diagnostic, Edit, Label};
use trueline_helm::UNKNOWN_TEMPLATE;
use trueline_helm::chart::Chart;
use trueline_source::Span;

/// So many further places are shown.
const SHOWN: usize = 3;

/// Joins the findings about one name.
pub(super) fn together(findings: Vec<Diagnostic>, chart: &Chart) -> Vec<Diagnostic> {
    let mut kept: Vec<(Diagnostic, Vec<Span>)> = Vec::new();
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for finding in findings {
        if finding.code != &UNKNOWN_TEMPLATE {
            kept.push((finding, Vec::new()));
            continue;
        }
        match seen.get(&finding.message).and_then(|&index| kept.get_mut(index)) {
            Some((_, others)) => others.push(finding.primary.span),
            None => {
                seen.insert(finding.message.clone(), kept.len());
                kept.push((finding, Vec::new()));
            }
        }
    }
    kept.into_iter().map(|(first, others)| at_cause(first, &others, chart)).collect()
}

fn at_cause(first: Diagnostic, others: &[Span], chart: &Chart) -> Diagnostic {
    if first.code != &UNKNOWN_TEMPLATE {
        return first;
    }
    let quoted = |text: &str| text.split('`').nth(1).map(str::to_owned);
    let (wanted, near) = (quoted(&first.message), first.help.as_deref().and_then(quoted));
    let definition = near.as_deref().and_then(|near| only_defined(near, chart));
    let found = match (definition, wanted, near) {
        (Some(place), Some(wanted), Some(near)) if !others.is_empty() => {
            let include = first.primary.span;
            let message = format!("`{near}` is defined and not included, and `{wanted}` the other way round");
            let found = Diagnostic { message, primary: Label::new(place, ""), help: None, ..first };
            let edit = Edit { span: place, replacement: wanted.clone() };
            found
                .related(include, "included here")
                .help(format!("did you mean `{wanted}`?"))
                .fix(format!("write `{wanted}`"), vec![edit])
        }
        _ => first,
    };
    let shown = others.iter().take(SHOWN);
    let found = shown.fold(found, |found, place| found.related(*place, "included here too"));
    match others.len().saturating_sub(SHOWN) {
        0 => found,
        more => found.help(format!("and in {more} more places")),
    }
}

/// Where the name of a template is defined, if its name is nowhere else in the chart and its subcharts.
fn only_defined(name: &str, chart: &Chart) -> Option<Span> {
    let quoted = format!("\"{name}\"");
    let mut places = Vec::new();
    let mut open = vec![chart];
    while let Some(chart) = open.pop() {
        for file in chart.templates.iter() {
            let found = memchr::memmem::find_iter(&file.data, quoted.as_bytes());
            places.extend(found.map(|start| (file, start)));
        }
        open.extend(&chart.dependencies);
    }
    let [(file, start)] = places.as_slice() else { return None };
    let before = std::str::from_utf8(file.data.get(..*start)?).ok()?;
    let is_definition = before.trim_end().ends_with("define");
    is_definition.then_some(file.source?.span(*start + 1, start + 1 + name.len()))
}

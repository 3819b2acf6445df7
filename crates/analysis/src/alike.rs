//! Findings that are like others. One cause is reported once, however many objects it ends up in; and of very many
//! findings of one code in one file so many are kept, and the rest is counted: a file of a few megabytes could otherwise
//! make a report of several gigabytes.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use trueline_diagnostic::{Diagnostic, Severity};
use trueline_source::{SourceId, SourceKind, SourceMap, Span};

/// How many of the further objects of one cause are named, and how many of their places are shown.
const NAMED: usize = 3;

/// What makes findings in rendered objects one: the code, the text that was printed into all of them, and what is said of it
/// apart from names. What is said of a typed value may differ from field to field: the value is what to change.
#[derive(PartialEq, Eq, Hash)]
struct Cause {
    code: &'static str,
    severity: Severity,
    place: Span,
    words: Option<String>,
}

/// The first place of a cause.
struct First {
    rendered: Span,
    /// What is said there, each with the number of its finding.
    said: Vec<(String, usize)>,
}

/// Joins findings whose cause ended up in several rendered objects. They were moved to their origins before.
pub(crate) fn group(findings: Vec<Diagnostic>, sources: &SourceMap) -> Vec<Diagnostic> {
    let mut seen: FxHashMap<Cause, First> = FxHashMap::default();
    let mut kept: Vec<(Diagnostic, Vec<Diagnostic>)> = Vec::with_capacity(findings.len());
    for finding in findings {
        if let Some(rendered) = rendered(&finding, sources) {
            let resolved = sources.resolve(rendered);
            let place = resolved.value.map_or(resolved.span, |value| sources.resolve(value).span);
            let said = words(&finding);
            let is_value = finding.path.is_some() && finding.primary.span == place;
            let words = (resolved.value.is_none() || !is_value).then(|| said.clone());
            match seen.entry(Cause { code: finding.code.id, severity: finding.severity, place, words }) {
                Entry::Occupied(mut entry) => {
                    let first = entry.get_mut();
                    let same = first.said.iter().find(|(other, _)| *other == said);
                    // Several complaints about one field are several things to know.
                    let is_new = same.is_none() && first.rendered == rendered;
                    let of = same.or_else(|| first.said.first()).map(|(_, index)| *index);
                    if is_new {
                        first.said.push((said, kept.len()));
                    } else if let Some((_, others)) = of.and_then(|index| kept.get_mut(index)) {
                        others.push(finding);
                        continue;
                    }
                }
                Entry::Vacant(entry) => {
                    entry.insert(First { rendered, said: vec![(said, kept.len())] });
                }
            }
        }
        kept.push((finding, Vec::new()));
    }
    kept.into_iter().map(|(first, others)| with_others(first, &others, sources)).collect()
}

/// Where a finding is in rendered text.
fn rendered(finding: &Diagnostic, sources: &SourceMap) -> Option<Span> {
    let is_rendered = |span: &Span| matches!(sources.get(span.source).kind(), SourceKind::Rendered(_));
    finding.trace.iter().map(|frame| frame.span).find(is_rendered)
}

/// What is said of a cause: the message without what it quotes, and the field, without those around it.
fn words(finding: &Diagnostic) -> String {
    let Some(path) = &finding.path else { return finding.message.clone() };
    let unquoted: Vec<&str> = finding.message.split(['`', '"']).step_by(2).collect();
    format!("{}\n{}", unquoted.join("`"), path.rsplit('/').next().unwrap_or_default())
}

fn with_others(mut first: Diagnostic, others: &[Diagnostic], sources: &SourceMap) -> Diagnostic {
    if others.is_empty() {
        return first;
    }
    let own = rendered(&first, sources).map(|span| span.source);
    let places = others.iter().filter_map(|other| rendered(other, sources));
    let objects: BTreeSet<SourceId> =
        places.map(|span| span.source).filter(|source| Some(*source) != own).collect();
    let mut shown = 0;
    for other in others {
        let span = other.primary.span;
        let is_new = first.primary.span != span && first.related.iter().all(|label| label.span != span);
        if is_new && shown < NAMED {
            shown += 1;
            first = first.related(span, "the same here");
        }
    }
    let several =
        |count: usize, word: &str| format!("{count} more {word}{}", if count == 1 { "" } else { "s" });
    if objects.is_empty() {
        return first.help(format!("and at {} in this object", several(others.len(), "place")));
    }
    let mut names: Vec<String> = Vec::new();
    for source in &objects {
        let name = format!("`{}`", sources.get(*source).name());
        if !names.contains(&name) && names.len() <= NAMED {
            names.push(name);
        }
    }
    let more = if names.len() > NAMED { ", …" } else { "" };
    names.truncate(NAMED);
    first.help(format!("and in {}: {}{more}", several(objects.len(), "object"), names.join(", ")))
}

/// How many findings of one code in one file are kept.
const MOST: usize = 1_000;

/// Keeps the first findings of each code in each file; the last of them stands for the rest.
pub(crate) fn cap(findings: &mut Vec<Diagnostic>) {
    if findings.len() <= MOST {
        return;
    }
    findings.sort_by_key(|finding| finding.primary.span);
    let mut kept: Vec<Diagnostic> = Vec::new();
    let mut seen: FxHashMap<(SourceId, &'static str), (usize, usize)> = FxHashMap::default();
    for finding in findings.drain(..) {
        let (count, last) = seen.entry((finding.primary.span.source, finding.code.id)).or_default();
        *count += 1;
        if *count <= MOST {
            *last = kept.len();
            kept.push(finding);
        } else if let Some(last) = kept.get_mut(*last) {
            last.more = last.more.saturating_add(finding.more).saturating_add(1);
        }
    }
    *findings = kept;
}

#[cfg(test)]
mod tests {
    use trueline_source::{Origin, OriginMap};

    use super::*;
    use crate::input::{NOT_TEXT, NOTHING_CHECKED};

    #[test]
    fn one_cause_in_many_objects_is_one_finding() {
        let sources = SourceMap::new();
        let helper = sources.add("_helpers.tpl", SourceKind::File, "app: -bad-\nteam: -x-\n");
        let object = |name: &str| {
            let mut origins = OriginMap::new();
            origins.push(0, Origin::Verbatim(helper.span(0, 21)));
            sources.add(name, SourceKind::Rendered(origins), "app: -bad-\nteam: -x-\n")
        };
        let found = |source: SourceId, start: usize, end: usize, path: &str| {
            let finding = Diagnostic::new(&NOT_TEXT, source.span(start, end), format!("`{path}` is wrong"));
            finding.path(path).at_origin(&sources)
        };
        let objects: Vec<SourceId> =
            ["c/a.yaml", "c/b.yaml", "c/c.yaml", "c/d.yaml", "c/e.yaml"].map(object).into();
        let mut findings = Vec::new();
        for object in &objects {
            findings.push(found(*object, 5, 10, "/metadata/labels/app"));
            findings.push(found(*object, 5, 10, "/spec/selector/app"));
        }
        findings.push(found(objects[0], 17, 20, "/metadata/labels/team"));
        let grouped = group(findings, &sources);
        let helps: Vec<&str> = grouped.iter().map(|finding| finding.help.as_deref().unwrap_or("")).collect();
        assert_eq!(helps, ["and in 4 more objects: `c/b.yaml`, `c/c.yaml`, `c/d.yaml`, …", ""]);
        let twice = vec![found(objects[0], 5, 10, "/a/app"), found(objects[0], 5, 10, "/b/app")];
        let grouped = group(twice, &sources);
        assert_eq!(grouped.len(), 1);
        assert_eq!(grouped[0].help.as_deref(), Some("and at 1 more place in this object"));
        // A typed value is one cause, whatever each field says of it.
        let values = sources.add("values.yaml", SourceKind::File, "name: My_App\n");
        let value = values.span(6, 12);
        let object = |name: &str| {
            let mut origins = OriginMap::new();
            origins.push(0, Origin::Computed { action: helper.span(0, 3), value: Some(value) });
            sources.add(name, SourceKind::Rendered(origins), "My_App")
        };
        let said = |source: SourceId, path: &str, words: &str| {
            Diagnostic::new(&NOT_TEXT, source.span(0, 6), words).path(path).at_origin(&sources)
        };
        let (one, two) = (object("c/f.yaml"), object("c/g.yaml"));
        let findings = vec![
            said(one, "/metadata/name", "not a label"),
            said(one, "/metadata/name", "too long"),
            said(two, "/spec/serviceAccountName", "not a subdomain"),
        ];
        let grouped: Vec<(String, String)> = group(findings, &sources)
            .into_iter()
            .map(|finding| (finding.message, finding.help.unwrap_or_default()))
            .collect();
        let named = |message: &str, help: &str| (message.to_owned(), help.to_owned());
        let expected = [named("not a label", "and in 1 more object: `c/g.yaml`"), named("too long", "")];
        assert_eq!(grouped, expected);
        let file = sources.add("f.yaml", SourceKind::File, "a: 1\n");
        let plain = || Diagnostic::new(&NOT_TEXT, file.span(0, 1), "x");
        assert_eq!(group(vec![plain(), plain()], &sources).len(), 2);
    }

    #[test]
    fn the_rest_is_counted_on_the_last_that_is_kept() {
        let sources = SourceMap::new();
        let [one, two] = ["a", "b"].map(|name| sources.add(name, SourceKind::File, "x".repeat(9_000)));
        let mut findings: Vec<Diagnostic> =
            (0..3_000).rev().map(|at| Diagnostic::new(&NOT_TEXT, one.span(at, at + 1), "x")).collect();
        findings.push(Diagnostic::new(&NOT_TEXT, two.span(1, 2), "x"));
        findings.push(Diagnostic::new(&NOTHING_CHECKED, one.span(1, 2), "x").more(5));
        findings.push(Diagnostic::new(&NOT_TEXT, one.span(8_000, 8_001), "x").more(7));
        cap(&mut findings);
        assert_eq!(findings.len(), MOST + 2);
        let standing: Vec<(u32, u32)> = findings
            .iter()
            .filter(|finding| finding.more > 0)
            .map(|finding| (finding.primary.span.start, finding.more))
            .collect();
        assert_eq!(standing, [(1, 5), (999, 2_008)]);
    }
}

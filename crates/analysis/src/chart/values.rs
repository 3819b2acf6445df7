//! Files of values as texts: what Helm reads without a word, and people trip over.

use trueline_diagnostic::{Diagnostic, Level, Severity};
use trueline_source::{Source, SourceId, SourceMap, Span};
use trueline_yaml::{NodeRef, ReadOptions};

use super::codes::MIXED_INDENTATION;
use crate::parts::UnitParts;
use crate::secret;

/// What is worth a remark in a file that can be read.
pub(super) fn check(file: SourceId, parts: Option<&UnitParts>, sources: &SourceMap) -> Vec<Diagnostic> {
    let source = sources.get(file);
    match parts {
        Some(parts) => parts.values.of(file, source.text(), || remarks(file, &source, sources)),
        None => remarks(file, &source, sources),
    }
}

fn remarks(file: SourceId, source: &Source, sources: &SourceMap) -> Vec<Diagnostic> {
    let stream = trueline_yaml::read(file, source.text(), &ReadOptions::default());
    let mut findings = Vec::new();
    for document in &stream.documents {
        // Helm takes the last of two: worth fixing, but no reason to refuse the chart.
        let twice = document.duplicate_diagnostics().into_iter();
        findings.extend(twice.map(|finding| finding.severity(Severity::Warning)));
    }
    findings.extend(stream.documents.iter().find_map(|document| mixed(document.root(), source)));
    // Most charts have values that there is something to say of, and then their secrets have to be known.
    if stream.errors.is_empty() && secret::may_hold(source.text()) {
        secret::note(file, source, &stream, sources);
    }
    findings
}

/// A step of indentation: how many spaces, and where.
struct Step {
    spaces: u32,
    place: Span,
}

/// The first map or list that is indented by another number of spaces than the first one of the document.
fn mixed(root: NodeRef<'_>, source: &Source) -> Option<Diagnostic> {
    let mut steps = Vec::new();
    collect(root, source, &mut steps);
    steps.sort_by_key(|step| step.place.start);
    let first = steps.first()?;
    let other = steps.iter().find(|step| step.spaces != first.spaces)?;
    let spaces = |count: u32| if count == 1 { "1 space".to_owned() } else { format!("{count} spaces") };
    let message = format!(
        "this is indented by {}, and the file so far by {}",
        spaces(other.spaces),
        spaces(first.spaces)
    );
    Some(
        Diagnostic::new(&MIXED_INDENTATION, other.place, message)
            .related(first.place, format!("indented by {} here", spaces(first.spaces)))
            .help("it is valid YAML; linters for charts refuse it, and lines get lost in the wrong map")
            .level(Level::Semantic),
    )
}

fn collect(root: NodeRef<'_>, source: &Source, steps: &mut Vec<Step>) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if let Some(entries) = node.written_entries() {
            for (key, value) in entries {
                if value.alias_target().is_some() {
                    continue;
                }
                steps.extend(step(key, value, source));
                open.push(value);
            }
        } else if let Some(items) = node.items() {
            open.extend(items.filter(|item| item.alias_target().is_none()));
        }
    }
}

/// How much further in a block stands than its key. A list may stand below its key.
fn step(key: NodeRef<'_>, value: NodeRef<'_>, source: &Source) -> Option<Step> {
    let is_list = value.items().is_some();
    if !is_list && value.entries().is_none() {
        return None;
    }
    let start = value.span().start;
    let (above, below) = (source.position(key.span().start), source.position(start));
    let is_block = below.line > above.line && !source.slice(value.span()).starts_with(['{', '[', '&', '!']);
    let spaces = below.column.checked_sub(above.column).filter(|spaces| *spaces > 0 && is_block)?;
    Some(Step { spaces, place: Span { end: start.saturating_add(1), ..value.span() } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::SourceKind;

    #[test]
    fn what_is_read_without_a_word_is_said() {
        for (text, expected) in [
            ("a:\n  b: 1\nc:\n  d:\n    e: 1\n", &[][..]),
            ("a:\n  - b: 1\nc:\n- d:\n    e: 1\n", &[]),
            ("a: {b: {c: 1}}\nd:\n    e: 1\n", &[]),
            ("a:\n   b: 1\nc:\n  d: 1\n", &["4:3 note TL0436"]),
            ("a:\n  b: 1\n  b: 2\n", &["3:3 warning TL0105"]),
            ("a: &x\n  b: 1\nc: *x\n", &[]),
        ] {
            let sources = SourceMap::new();
            let id = sources.add("values.yaml", SourceKind::File, text);
            let found: Vec<String> = check(id, None, &sources)
                .iter()
                .map(|finding| {
                    let place = sources.position(finding.primary.span);
                    format!("{}:{} {} {}", place.line, place.column, finding.severity, finding.code)
                })
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}

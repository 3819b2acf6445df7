//! The files in `crds/`: they are installed as they stand, and what they define is known to the templates.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use trueline_diagnostic::{Diagnostic, Level, Severity};
use trueline_helm::chart::Chart;
use trueline_source::{SourceId, SourceMap};
use trueline_yaml::{Document, NodeRef, ReadOptions, Stream};

use super::codes::TEMPLATED_CRD;
use super::documents::without_type;
use crate::kubernetes::{Objects, Stage};

/// The API versions that each file in `crds/` adds to a cluster, such as `example.com/v1` and
/// `example.com/v1/Backup`.
pub(super) type Defined = BTreeMap<SourceId, Vec<String>>;

/// What is wrong with the files in `crds/` of a chart and of its subcharts, and what they define. Each is read once.
///
/// They are installed as objects are, and are checked as such.
pub(super) fn check(
    chart: &Chart,
    stage: &Stage<'_>,
    sources: &SourceMap,
) -> (Vec<Diagnostic>, Defined, Objects) {
    let check = |source: SourceId| {
        let text = Arc::clone(sources.get(source).text());
        let stream = trueline_yaml::read(source, &text, &ReadOptions::default());
        let mut findings = of_file(source, &text, &stream);
        let (mut versions, mut objects) = (Vec::new(), Objects::default());
        for document in &stream.documents {
            defined(document, &mut versions);
            if stream.errors.is_empty() {
                findings.extend(stage.look(document, &mut objects));
            }
        }
        (findings, (source, versions), objects)
    };
    let files: Vec<SourceId> = chart.crds().into_iter().filter_map(|crd| crd.file.source).collect();
    let checked: Vec<_> = files.into_par_iter().map(check).collect();
    let (mut findings, mut all, mut objects) = (Vec::new(), Defined::new(), Objects::default());
    for (found, (source, versions), more) in checked {
        findings.extend(found);
        all.entry(source).or_default().extend(versions);
        objects.join(more);
    }
    (findings, all, objects)
}

/// The API versions that the definitions of a chart add to a cluster, of those that were read.
pub(super) fn api_versions(chart: &Chart, defined: &Defined) -> Vec<String> {
    let sources = chart.crds().into_iter().filter_map(|crd| crd.file.source);
    let mut versions: Vec<String> =
        sources.filter_map(|source| defined.get(&source)).flatten().cloned().collect();
    versions.sort();
    versions.dedup();
    versions
}

fn of_file(source: SourceId, text: &str, stream: &Stream) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    if !stream.errors.is_empty() {
        // What is wrong with the YAML of a template is only that it is one.
        return match text.find("{{") {
            Some(start) => {
                let places = text.matches("{{").count();
                vec![templated(source, text, start, places, Severity::Error)]
            }
            None => stream.errors.iter().map(|error| error.to_diagnostic()).collect(),
        };
    }
    let mut found = 0;
    for document in stream.documents.iter().filter(|document| !document.root().is_null()) {
        findings.extend(without_type(document.root()));
        let starts = templates(document.root());
        let first =
            starts.first().map(|&start| templated(source, text, start, starts.len(), Severity::Warning));
        findings.extend(first);
        found += starts.len();
    }
    // In comments and descriptions they are words, and most often meant as such.
    if let Some(start) = text.find("{{").filter(|_| found == 0) {
        findings.push(templated(source, text, start, text.matches("{{").count(), Severity::Note));
    }
    findings
}

/// The values in a document where a template would do something, other than in words for people.
fn templates(root: NodeRef<'_>) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if let Some(entries) = node.written_entries() {
            let entries = entries.filter(|(key, _)| key.key_text() != "description");
            let nodes: Vec<NodeRef<'_>> = entries.flat_map(|(key, value)| [key, value]).collect();
            open.extend(nodes.into_iter().rev().filter(|node| node.alias_target().is_none()));
        } else if let Some(items) = node.items() {
            let items: Vec<NodeRef<'_>> = items.filter(|node| node.alias_target().is_none()).collect();
            open.extend(items.into_iter().rev());
        } else if node.text().is_some_and(|text| text.contains("{{")) {
            starts.push(node.span().start as usize);
        }
    }
    starts
}

/// One finding for all places: a definition that was moved here from `templates/` can have hundreds.
fn templated(source: SourceId, text: &str, start: usize, places: usize, severity: Severity) -> Diagnostic {
    let offset = text.get(start..).and_then(|rest| rest.find("{{")).unwrap_or(0);
    let start = start.saturating_add(offset);
    let label = match places {
        0 | 1 => "stays in the text as it is".to_owned(),
        2 => "stays in the text as it is, and so it does in 1 more place".to_owned(),
        _ => format!("stays in the text as it is, and so it does in {} more places", places - 1),
    };
    let length = text.get(start..).and_then(|rest| rest.find("}}")).map_or(2, |end| end + 2);
    Diagnostic::new(
        &TEMPLATED_CRD,
        source.span(start, start.saturating_add(length)),
        "files in `crds/` are no templates",
    )
    .label(label)
    .help("move a definition that depends on values to `templates/`, or write it without `{{ … }}`")
    .level(Level::Semantic)
    .severity(severity)
}

/// The API versions that one definition adds.
fn defined(document: &Document, versions: &mut Vec<String>) {
    let root = document.root();
    if root.get("kind").and_then(NodeRef::as_str) != Some("CustomResourceDefinition") {
        return;
    }
    let Some(spec) = root.get("spec") else { return };
    let text = |node: Option<NodeRef<'_>>| node.and_then(NodeRef::as_str).map(str::to_owned);
    let (Some(group), Some(kind)) = (text(spec.get("group")), text(spec.at_pointer("/names/kind"))) else {
        return;
    };
    let listed = spec.get("versions").and_then(NodeRef::items).into_iter().flatten();
    let names = listed.filter_map(|version| text(version.get("name"))).chain(text(spec.get("version")));
    for name in names {
        versions.push(format!("{group}/{name}"));
        versions.push(format!("{group}/{name}/{kind}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::SourceKind;

    fn found(text: &str) -> Vec<String> {
        let sources = SourceMap::new();
        let source = sources.add("crds/a.yaml", SourceKind::File, text);
        let text: Arc<str> = text.into();
        let stream = trueline_yaml::read(source, &text, &ReadOptions::default());
        of_file(source, &text, &stream)
            .iter()
            .map(|finding| {
                let place = sources.position(finding.primary.span);
                format!("{}:{} {} {}", place.line, place.column, finding.severity, finding.code)
            })
            .collect()
    }

    const HEAD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";

    #[test]
    fn templates_are_found_where_they_would_do_something() {
        for (text, expected) in [
            ("spec: {}\n", &[][..]),
            ("spec:\n  description: \"use {{ .x }}\"\n", &["4:21 note TL0435"]),
            ("# for {{ .Release.Name }}\nspec: {}\n", &["3:7 note TL0435"]),
            ("spec:\n  x: '{{ .x }}'\n", &["4:7 warning TL0435"]),
            ("metadata:\n  labels:\n    a: \"b {{ .Release.Name }}\"\n", &["5:11 warning TL0435"]),
            ("{{- if .Values.crds }}\nspec: {}\n{{- end }}\n", &["3:1 error TL0435"]),
            ("spec: [\n", &["3:7 error TL0106"]),
        ] {
            assert_eq!(found(&format!("{HEAD}{text}")), expected, "{text}");
        }
        assert_eq!(found("kind: X\n"), ["1:1 error TL0434"]);
    }

    #[test]
    fn it_is_said_how_many_templates_there_are() {
        for (text, more) in [
            ("a: \"{{ x }}\"\n", ""),
            ("a: \"{{ x }}\"\nb: [\"{{ y }}\", \"{{ z }}\"]\n", "in 2 more places"),
            ("a: 1\n{{- if x }}\nb: 1\n{{- end }}\n", "in 1 more place"),
        ] {
            let sources = SourceMap::new();
            let source = sources.add("crds/a.yaml", SourceKind::File, text);
            let stream = trueline_yaml::read(source, &text.into(), &ReadOptions::default());
            let findings = of_file(source, text, &stream);
            let finding = findings.iter().find(|finding| finding.code == &TEMPLATED_CRD).unwrap();
            assert!(finding.primary.text.ends_with(more), "{finding:?}");
        }
    }

    #[test]
    fn kinds_and_versions_are_known() {
        let text: Arc<str> = format!(
            "{HEAD}spec:\n  group: example.com\n  names: {{kind: Backup}}\n  versions:\n  - name: v1\n  - name: v2\n"
        )
        .into();
        let sources = SourceMap::new();
        let source = sources.add("crds/a.yaml", SourceKind::File, Arc::clone(&text));
        let stream = trueline_yaml::read(source, &text, &ReadOptions::default());
        let mut versions = Vec::new();
        defined(&stream.documents[0], &mut versions);
        assert_eq!(
            versions,
            ["example.com/v1", "example.com/v1/Backup", "example.com/v2", "example.com/v2/Backup"]
        );
    }
}

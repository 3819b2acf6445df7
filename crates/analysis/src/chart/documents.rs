//! From rendered files to documents: each is YAML, a map, and says what it is.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use trueline_diagnostic::{Diagnostic, Level};
use trueline_helm::release::{RenderedFile, split};
use trueline_source::{Cancel, OriginMap, SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::{Document, NodeRef, ReadOptions, SyntaxError};

use super::codes::{NO_TYPE, NOT_AN_OBJECT, UNREADABLE_RENDERED, WRONG_INDENTATION};
use super::printed::{self, Mark};
use super::settings::COMPAT;
use super::{head, indentation, slips};
use crate::kubernetes::Remembered;
use crate::parts::UnitParts;
use crate::rendering::RenderedDocument;

/// What a rendered text is as YAML.
#[derive(Debug)]
pub(crate) struct ReadText {
    errors: Vec<SyntaxError>,
    /// The places of its comments, in order.
    comments: Vec<Span>,
    /// The first document with something in it.
    document: Option<Arc<Document>>,
    /// What was found in its objects.
    pub(super) objects: Remembered,
}

impl ReadText {
    fn new(source: SourceId, text: &Arc<str>) -> Self {
        let stream = trueline_yaml::read(source, text, &ReadOptions::default());
        let of_documents = stream.documents.iter().flat_map(|document| document.comments());
        let comments = of_documents.chain(&stream.comments);
        let mut comments: Vec<Span> = comments.map(|comment| comment.span).collect();
        comments.sort_unstable_by_key(|comment| comment.start);
        let document = stream.documents.into_iter().find(|document| !document.root().is_null());
        let objects = Remembered::default();
        ReadText { errors: stream.errors, comments, document: document.map(Arc::new), objects }
    }
}

/// So many documents of a chart are read; no real chart writes as many.
const MOST_DOCUMENTS: usize = 30_000;

/// The documents of rendered files.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) documents: Vec<RenderedDocument>,
    /// The texts of these.
    pub(super) texts: Vec<Arc<ReadText>>,
    /// What is wrong with them as documents.
    pub(super) findings: Vec<Diagnostic>,
    /// What Go left in them where it could not print a value as was asked.
    pub(super) marks: Vec<Mark>,
}

/// The documents of rendered files, and what is wrong with them as documents.
pub(super) fn read(
    files: &[RenderedFile],
    (parts, cancel): (Option<&UnitParts>, Option<&Cancel>),
    sources: &SourceMap,
) -> Documents {
    let mut left = MOST_DOCUMENTS;
    let written = files.iter().filter(|file| !file.is_notes());
    let written: Vec<(&RenderedFile, Vec<Range<usize>>, usize)> = written
        .map(|file| {
            let ranges = split(&file.text, COMPAT);
            let most = left;
            left = left.saturating_sub(ranges.len());
            (file, ranges, most)
        })
        .collect();
    let reading = Reading { parts, cancel, sources };
    let read: Vec<Documents> =
        written.into_par_iter().map(|(file, ranges, most)| reading.file(file, ranges, most)).collect();
    let mut all = Documents::default();
    for of_file in read {
        all.documents.extend(of_file.documents);
        all.texts.extend(of_file.texts);
        all.findings.extend(of_file.findings);
        all.marks.extend(of_file.marks);
    }
    all
}

/// How rendered files are read.
#[derive(Clone, Copy)]
struct Reading<'a> {
    parts: Option<&'a UnitParts>,
    /// Whether somebody still wants to know.
    cancel: Option<&'a Cancel>,
    sources: &'a SourceMap,
}

impl Reading<'_> {
    /// Reads so many of the documents of a file.
    fn file(self, file: &RenderedFile, ranges: Vec<Range<usize>>, most: usize) -> Documents {
        let Documents { mut documents, mut texts, mut findings, mut marks } = Documents::default();
        let (mut counted, mut lines) = (0, 0_u32);
        for (number, range) in ranges.into_iter().enumerate() {
            let before = file.text.get(counted..range.start).unwrap_or_default();
            lines =
                lines.saturating_add(u32::try_from(memchr::memchr_iter(b'\n', before).count()).unwrap_or(0));
            counted = range.start.max(counted);
            if self.cancel.is_some_and(Cancel::is_cancelled) {
                break;
            }
            if number >= most {
                findings.push(too_many(file, range, lines, self.sources));
                break;
            }
            match self.one(file, range, lines, &mut marks) {
                Ok(Some((document, text))) => {
                    let found = without_type(document.document.root());
                    findings.extend(
                        found.into_iter().map(|found| {
                            found.help("the name of a file that is only included begins with `_`")
                        }),
                    );
                    findings.extend(head::wrong_fields(document.document.root()));
                    documents.push(document);
                    texts.push(text);
                }
                Ok(None) => {}
                Err(found) => findings.extend(found),
            }
        }
        Documents { documents, texts, findings, marks }
    }

    /// One document; nothing if it holds only comments.
    fn one(
        self,
        file: &RenderedFile,
        range: Range<usize>,
        lines_before: u32,
        marks: &mut Vec<Mark>,
    ) -> Result<Option<(RenderedDocument, Arc<ReadText>)>, Vec<Diagnostic>> {
        let sources = self.sources;
        let bytes = file.text.get(range.clone()).unwrap_or_default();
        let broken = std::str::from_utf8(bytes).err().map(|error| error.valid_up_to());
        let (source, text, origins) = part(file, range, lines_before, sources);
        if let Some(offset) = broken {
            let place = source.span(offset, offset + char::REPLACEMENT_CHARACTER.len_utf8());
            let finding =
                Diagnostic::new(&UNREADABLE_RENDERED, place, "this template writes bytes that are not UTF-8")
                    .help("encode them, such as with `b64enc` below `binaryData`")
                    .level(Level::Parse);
            return Err(vec![finding]);
        }
        let marked = printed::marks(source, &text, &origins, sources);
        let read = || Arc::new(ReadText::new(source, &text));
        let read = match self.parts {
            Some(parts) => parts.documents.of(source, &text, read),
            None => read(),
        };
        if !read.errors.is_empty() {
            let mut explained: Vec<Diagnostic> = read
                .errors
                .iter()
                .map(|error| indentation::explain(not_yaml(error.to_diagnostic()), &text, &origins, sources))
                .collect();
            // With the right indentation the whole text can be read: the other errors follow from this one.
            if let Some(index) = explained.iter().position(|finding| finding.code == &WRONG_INDENTATION) {
                explained = vec![explained.swap_remove(index)];
            }
            let slip = |finding: Diagnostic| match finding.code == &WRONG_INDENTATION {
                true => finding,
                false => slips::explain(finding, &text),
            };
            explained = explained.into_iter().map(slip).collect();
            // A mark that Go left is often no YAML, and is reported by itself.
            let line = |span: Span| sources.position(span).line;
            explained.retain(|error| !marked.iter().any(|mark| line(mark.span) == line(error.primary.span)));
            marks.extend(marked);
            return Err(explained);
        }
        // Comments are no part of an object.
        let comments = &read.comments;
        marks.extend(marked.into_iter().filter(|mark| {
            let before = comments.partition_point(|comment| comment.start <= mark.span.start);
            let last = before.checked_sub(1).and_then(|index| comments.get(index));
            last.is_none_or(|comment| comment.end <= mark.span.start)
        }));
        let rendered = read.document.clone().map(|document| RenderedDocument {
            source,
            span: source.span(0, text.len()),
            chart: chart_of(&file.path).to_owned(),
            template: Arc::clone(&file.path),
            document,
        });
        Ok(rendered.map(|rendered| (rendered, read)))
    }
}

/// What is reported at the first document that is not read.
fn too_many(file: &RenderedFile, range: Range<usize>, lines_before: u32, sources: &SourceMap) -> Diagnostic {
    let (source, text, _) = part(file, range, lines_before, sources);
    let message = format!("this chart writes more than {MOST_DOCUMENTS} documents; the rest is not read");
    Diagnostic::new(&trueline_yaml::TOO_LARGE, source.span(0, text.len()).at_start(), message)
        .level(Level::Parse)
}

/// A part of a rendered file as a source of its own, with its origins.
fn part(
    file: &RenderedFile,
    range: Range<usize>,
    lines_before: u32,
    sources: &SourceMap,
) -> (SourceId, Arc<str>, OriginMap) {
    let bytes = file.text.get(range.clone()).unwrap_or_default();
    let text: Arc<str> = String::from_utf8_lossy(bytes).into();
    let place = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let origins = file.origins.part(place(range.start)..place(range.end)).behind_lines(lines_before);
    let source = sources.add(&*file.path, SourceKind::Rendered(origins.clone()), Arc::clone(&text));
    (source, text, origins)
}

fn not_yaml(mut finding: Diagnostic) -> Diagnostic {
    finding.message = format!("{}{}", slips::IN_TEMPLATE, finding.message);
    finding
}

/// The path of the chart that a template belongs to.
fn chart_of(template: &str) -> &str {
    template.split_once("/templates/").map_or(template, |(chart, _)| chart)
}

/// What is said of a document that does not say what it is.
pub(crate) fn without_type(root: NodeRef<'_>) -> Vec<Diagnostic> {
    let first_line = |node: NodeRef<'_>| {
        let span = node.span();
        Span { end: span.end.min(span.start.saturating_add(1)), ..span }
    };
    if root.entries().is_none() {
        let found = match root.items() {
            Some(_) => "a list",
            None => "a single value",
        };
        let message = format!("this is {found}, and not a Kubernetes object");
        let finding = Diagnostic::new(&NOT_AN_OBJECT, first_line(root), message);
        return vec![finding.help("an object is a map with `apiVersion` and `kind`").level(Level::Semantic)];
    }
    let is_set = |key: &str| {
        let value = root.get(key);
        value.is_some_and(|value| !value.is_null() && value.text() != Some(""))
    };
    let missing: Vec<&str> = ["apiVersion", "kind"].into_iter().filter(|key| !is_set(key)).collect();
    let place = missing.iter().find_map(|key| root.get_entry(key)).map_or_else(
        || root.written_entries().and_then(|mut entries| entries.next()).map_or(root, |(key, _)| key),
        |(key, _)| key,
    );
    // Keys in another case are there, and not read.
    let miscased = missing.iter().filter_map(|&one| {
        let (key, typed) = root.entries()?.find_map(|(key, _)| {
            let typed = key.text()?;
            (typed != one && typed.eq_ignore_ascii_case(one)).then_some((key, typed))
        })?;
        let message = format!("this object has no `{one}`: `{typed}` is not read as that");
        let finding = Diagnostic::new(&NO_TYPE, key.span(), message).level(Level::Semantic);
        Some(trueline_kube::offer(finding, one))
    });
    let miscased: Vec<Diagnostic> = miscased.collect();
    if !miscased.is_empty() {
        return miscased;
    }
    let needed = match missing.as_slice() {
        [one] => format!("write `{one}`"),
        _ => "write both".to_owned(),
    };
    let (label, message) = match (missing.as_slice(), root.get("kind").and_then(NodeRef::text)) {
        ([], _) => return Vec::new(),
        ([one], Some(kind)) if *one == "apiVersion" => {
            ("it is missing from this object", format!("this `{kind}` has no `apiVersion`"))
        }
        ([one], _) => ("it is missing from this object", format!("this object has no `{one}`")),
        _ => {
            ("they are missing from this object", "this object has no `apiVersion` and no `kind`".to_owned())
        }
    };
    let finding = Diagnostic::new(&NO_TYPE, place.span(), message).label(label);
    vec![finding.help(format!("{needed} at the top of every object")).level(Level::Semantic)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::{Origin, OriginMap};

    fn rendered(text: &str) -> (Vec<String>, Vec<String>) {
        let sources = SourceMap::new();
        let template = sources.add("t.yaml", SourceKind::File, text);
        let mut origins = OriginMap::new();
        origins.push(0, Origin::Verbatim(template.span(0, text.len())));
        let file = RenderedFile {
            path: "c/charts/s/templates/t.yaml".into(),
            text: text.as_bytes().into(),
            origins,
        };
        let Documents { documents, findings, .. } = read(&[file], (None, None), &sources);
        let documents = documents
            .iter()
            .map(|document| {
                assert_eq!(document.chart, "c/charts/s");
                sources.get(document.source).slice(document.span).trim().to_owned()
            })
            .collect();
        let findings = findings
            .into_iter()
            .map(|finding| {
                let finding = finding.at_origin(&sources);
                let place = sources.position(finding.primary.span);
                format!("{}:{} {} {}", place.line, place.column, finding.code, finding.message)
            })
            .collect();
        (documents, findings)
    }

    #[test]
    fn each_document_is_read_by_itself() {
        let text =
            "---\napiVersion: v1\nkind: A\n---\n# nothing\n---\nkind: B\n---\na: [\n---\n- 1\n---\nx: 1\n";
        let (documents, findings) = rendered(text);
        assert_eq!(documents, ["apiVersion: v1\nkind: A", "kind: B", "- 1", "x: 1"]);
        assert_eq!(findings.len(), 4, "{findings:?}");
        assert_eq!(findings[0], "7:1 TL0434 this `B` has no `apiVersion`");
        assert!(findings[1].contains("what this template writes is not YAML: "), "{findings:?}");
        assert_eq!(findings[2], "11:1 TL0433 this is a list, and not a Kubernetes object");
        assert_eq!(findings[3], "13:1 TL0434 this object has no `apiVersion` and no `kind`");
    }

    #[test]
    fn a_kind_without_a_value_is_pointed_at() {
        let (_, findings) = rendered("apiVersion: v1\nmetadata: {}\nkind:\n");
        assert_eq!(findings, ["3:1 TL0434 this object has no `kind`"]);
        for (text, help) in [("apiVersion: v1\n", "write `kind` at"), ("a: 1\n", "write both at")] {
            let sources = SourceMap::new();
            let source = sources.add("t.yaml", SourceKind::File, text);
            let stream = trueline_yaml::read(source, &text.into(), &ReadOptions::default());
            let finding = without_type(stream.documents[0].root()).remove(0);
            assert!(finding.help.iter().any(|line| line.starts_with(help)), "{finding:?}");
            assert!(!finding.help.iter().any(|line| line.contains("`_`")), "only templates are included");
        }
    }

    #[test]
    fn a_head_in_another_case_is_offered_as_it_is_read() {
        for (text, place, right) in [
            ("apiVersion: v1\nKind: Pod\n", (15, 19), "kind"),
            ("apiversion: v1\nkind: Pod\n", (0, 10), "apiVersion"),
        ] {
            let source = SourceMap::new().add("t.yaml", SourceKind::File, text);
            let stream = trueline_yaml::read(source, &text.into(), &ReadOptions::default());
            let finding = without_type(stream.documents[0].root()).remove(0);
            let span = finding.primary.span;
            assert_eq!(((span.start, span.end), finding.help), (place, Some(format!("write `{right}`"))));
        }
    }
}

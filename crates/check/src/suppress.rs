//! Suppression: comments in a file and `[[ignore]]` in `trueline.toml` that take findings out of the
//! report, each with a reason.
//!
//! A comment at the end of a line speaks of findings that begin on that line. A comment on a line of its
//! own speaks of the whole node that follows it; one that stands before the document, of the document. Where
//! there is no node, as in most templates, and for comments of templates (`{{- /* … */}}`), it speaks of the
//! next line. `ignore-file` speaks of the file.

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_diagnostic::{Catalogue, Code, Diagnostic, Severity};
use trueline_source::{SourceId, SourceMap, Span};
use trueline_yaml::{Comment, CommentOwner, Document, NodeId, NodeRef, Placement, ReadOptions};

use crate::config::unknown_code;

/// A comment that looks like a suppression, but is not one.
pub(crate) static MALFORMED_SUPPRESSION: Code = Code {
    id: "TL0155",
    name: "malformed-suppression",
    severity: Severity::Warning,
    summary: "a `# trueline:` comment cannot be understood",
    explanation: "The comment begins with `trueline:`, but what follows is neither `ignore[CODES] reason` nor \
                  `ignore-file[CODES] reason`. It has no effect. In a template it may also be written \
                  `{{- /* trueline: ignore[CODES] reason */}}`.",
    wrong: "name: x # trueline: disable TL0203\n",
    right: "name: x # trueline: ignore[TL0203] the name is fixed by the vendor\n",
};

/// A suppression that does not say why.
pub(crate) static SUPPRESSION_WITHOUT_REASON: Code = Code {
    id: "TL0156",
    name: "suppression-without-reason",
    severity: Severity::Warning,
    summary: "a suppression does not say why",
    explanation: "A suppression hides a finding from everybody who comes later; the reason is what lets them \
                  judge whether it still holds. The suppression works all the same.",
    wrong: "name: x # trueline: ignore[TL0203]\n",
    right: "name: x # trueline: ignore[TL0203] the name is fixed by the vendor\n",
};

/// A suppression that hides nothing.
pub(crate) static UNUSED_SUPPRESSION: Code = Code {
    id: "TL0157",
    name: "unused-suppression",
    severity: Severity::Warning,
    summary: "a suppression hides nothing",
    explanation: "No finding of these codes begins where the suppression speaks: the mistake was mended, or the \
                  suppression stands in the wrong place. Left where it is, it would hide the next mistake of \
                  this kind. A suppression in `trueline.toml` is unused only if a file that was checked \
                  matches its paths.",
    wrong: "version: 1.0.0 # trueline: ignore[TL0302] not semver\n",
    right: "version: 1.0.0\n",
};

/// The codes of this file.
pub(crate) const CODES: &[&Code] =
    &[&MALFORMED_SUPPRESSION, &SUPPRESSION_WITHOUT_REASON, &UNUSED_SUPPRESSION];

const MARKER: &str = "trueline:";

/// Whether a text may hold suppressions.
pub(crate) fn may_speak(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), MARKER.as_bytes()).is_some()
}

/// Takes suppressed findings out of a list and adds what is wrong with the suppressions themselves.
///
/// `files` are the sources that were looked at, whether or not anything was found in them.
pub(crate) fn apply(
    findings: Vec<Diagnostic>,
    files: &[SourceId],
    sources: &SourceMap,
    catalogue: &Catalogue,
) -> Vec<Diagnostic> {
    let mut suppressions = Vec::new();
    let mut complaints = Vec::new();
    for &file in files {
        collect(file, sources, catalogue, &mut suppressions, &mut complaints);
    }
    if suppressions.is_empty() && complaints.is_empty() {
        return findings;
    }
    // In order of place, so that a finding is compared with the few that can reach it.
    suppressions.sort_by_key(|suppression| suppression.scope);
    let mut reach = 0;
    let reaches: Vec<u32> = suppressions
        .iter()
        .map(|suppression| {
            reach = reach.max(suppression.scope.end);
            reach
        })
        .collect();
    let mut kept: Vec<Diagnostic> = findings
        .into_iter()
        .filter(|finding| {
            let mut hidden = false;
            let place = finding.primary.span;
            let behind = suppressions.partition_point(|suppression| {
                (suppression.scope.source, suppression.scope.start) <= (place.source, place.start)
            });
            for (suppression, reach) in suppressions[..behind].iter_mut().zip(&reaches).rev() {
                if suppression.scope.source != place.source || *reach < place.start {
                    break;
                }
                if suppression.covers(finding) {
                    suppression.used = true;
                    hidden = true;
                }
            }
            !hidden
        })
        .collect();
    for suppression in suppressions.iter().filter(|suppression| !suppression.used) {
        complaints.push(unused(suppression.comment, &suppression.codes));
    }
    kept.append(&mut complaints);
    kept
}

/// The finding for a suppression that hides nothing.
pub(crate) fn unused(span: Span, codes: &[&'static Code]) -> Diagnostic {
    let names: Vec<&str> = codes.iter().map(|code| code.id).collect();
    Diagnostic::new(
        &UNUSED_SUPPRESSION,
        span,
        format!("this suppression of {} hides nothing", names.join(", ")),
    )
    .help("remove it")
}

struct Suppression {
    comment: Span,
    codes: Vec<&'static Code>,
    /// Findings that begin in here are hidden.
    scope: Span,
    used: bool,
}

impl Suppression {
    fn covers(&self, finding: &Diagnostic) -> bool {
        let place = finding.primary.span;
        place.source == self.scope.source
            && (self.scope.contains(place.start) || place.start == self.scope.start)
            && self.codes.contains(&finding.code)
    }
}

fn collect(
    file: SourceId,
    sources: &SourceMap,
    catalogue: &Catalogue,
    suppressions: &mut Vec<Suppression>,
    complaints: &mut Vec<Diagnostic>,
) {
    let source = sources.get(file);
    let text = source.text();
    // Reading again is only worth it where there is something to find.
    if !may_speak(text) {
        return;
    }
    let stream = trueline_yaml::read(file, text, &ReadOptions::default());
    let entries: Vec<FxHashMap<NodeId, Span>> = stream.documents.iter().map(entry_spans).collect();
    let owned = stream
        .documents
        .iter()
        .zip(&entries)
        .flat_map(|document| document.0.comments().iter().map(move |comment| (Some(document), comment)));
    let of_templates = template_comments(file, text);
    let lines = content_lines(text, &of_templates);
    let is_in_another = |comment: &Comment| {
        let behind = of_templates.partition_point(|outer| outer.span.start <= comment.span.start);
        of_templates[..behind].last().is_some_and(|outer| outer.span.contains(comment.span.start))
    };
    let mut comments: Vec<(Option<Entries<'_>>, Comment)> = owned
        .chain(stream.comments.iter().map(|comment| (None, comment)))
        .map(|(of, comment)| (of, *comment))
        .collect();
    if !stream.errors.is_empty() {
        let unread = unread_comments(file, text, &comments);
        comments.extend(unread.into_iter().map(|comment| (None, comment)));
    }
    comments.retain(|(_, comment)| !is_in_another(comment));
    comments.extend(of_templates.iter().map(|comment| (None, *comment)));
    for (document, comment) in &comments {
        let Some(parsed) = parse(source.slice(comment.span)) else { continue };
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(words) => {
                complaints.push(
                    Diagnostic::new(&MALFORMED_SUPPRESSION, comment.span, words)
                        .help("write: # trueline: ignore[TL0203] the reason"),
                );
                continue;
            }
        };
        let mut codes = Vec::new();
        for name in &parsed.codes {
            match catalogue.find(name) {
                Some(code) => codes.push(code),
                None => complaints.push(unknown_code(name, comment.span, catalogue)),
            }
        }
        if parsed.reason.is_empty() {
            complaints.push(
                Diagnostic::new(
                    &SUPPRESSION_WITHOUT_REASON,
                    comment.span,
                    "this suppression does not say why",
                )
                .help("put the reason behind the bracket"),
            );
        }
        if codes.is_empty() {
            continue;
        }
        let scope = match parsed.reach {
            Reach::File => file.span(0, text.len()),
            Reach::Node => scope_of(comment, *document, text, &lines),
        };
        suppressions.push(Suppression { comment: comment.span, codes, scope, used: false });
    }
}

/// Comments that look like suppressions in the part of a text that could not be read. What they belong to is
/// not known, so they speak of lines, or of the file.
fn unread_comments(file: SourceId, text: &str, read: &[(Option<Entries<'_>>, Comment)]) -> Vec<Comment> {
    let known: FxHashSet<u32> = read.iter().map(|(_, comment)| comment.span.start).collect();
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let comment = line.rfind('#').filter(|&hash| line[hash + 1..].trim_start().starts_with(MARKER));
        if let Some(hash) = comment.filter(|hash| !known.contains(&((start + hash) as u32))) {
            let span = file.span(start + hash, start + line.trim_end().len());
            let is_alone = line[..hash].trim().is_empty();
            let placement = if is_alone { Placement::OwnLine } else { Placement::EndOfLine };
            found.push(Comment { span, placement, owner: CommentOwner::Nothing });
        }
        start += line.len();
    }
    found
}

/// The comments of the template language, which leave no trace in what is rendered.
fn template_comments(file: SourceId, text: &str) -> Vec<Comment> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("{{").map(|index| from + index) {
        from = start + 2;
        let inside = text[from..].strip_prefix('-').unwrap_or(&text[from..]).trim_start();
        let Some(inside) = inside.strip_prefix("/*") else { continue };
        let Some((_, rest)) = inside.split_once("*/") else { break };
        from = text.len() - rest.len();
        let rest = rest.trim_start();
        let Some(after) = rest.strip_prefix('-').unwrap_or(rest).strip_prefix("}}") else { continue };
        from = text.len() - after.len();
        let line = line_of(file.span(start, start), text);
        let is_alone = text[line.start as usize..start].trim().is_empty() && line_at(after).trim().is_empty();
        let placement = if is_alone { Placement::OwnLine } else { Placement::EndOfLine };
        found.push(Comment { span: file.span(start, from), placement, owner: CommentOwner::Nothing });
    }
    found
}

enum Reach {
    Node,
    File,
}

struct Parsed<'a> {
    reach: Reach,
    codes: Vec<&'a str>,
    reason: &'a str,
}

/// The suppression in a comment: none if it is another comment, an error if it only looks like one.
fn parse(comment: &str) -> Option<Result<Parsed<'_>, &'static str>> {
    let words = match comment.strip_prefix("{{") {
        Some(inside) => {
            inside.trim_start_matches(['-', '/', '*', ' ', '\t', '\r', '\n']).rsplit_once("*/")?.0
        }
        None => comment,
    };
    let rest = words.trim_start_matches('#').trim_start().strip_prefix(MARKER)?.trim_start();
    let (reach, rest) = match (rest.strip_prefix("ignore-file"), rest.strip_prefix("ignore")) {
        (Some(rest), _) => (Reach::File, rest),
        (None, Some(rest)) => (Reach::Node, rest),
        (None, None) => return Some(Err("`trueline:` is not followed by `ignore` or `ignore-file`")),
    };
    let Some((codes, reason)) = rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'))
    else {
        return Some(Err("the codes to ignore must stand in brackets"));
    };
    let codes: Vec<&str> = codes.split(',').map(str::trim).filter(|code| !code.is_empty()).collect();
    if codes.is_empty() {
        return Some(Err("there is no code between the brackets"));
    }
    Some(Ok(Parsed { reach, codes, reason: reason.trim() }))
}

type Entries<'a> = (&'a Document, &'a FxHashMap<NodeId, Span>);

fn scope_of(comment: &Comment, document: Option<Entries<'_>>, text: &str, content_lines: &[usize]) -> Span {
    let line = line_of(comment.span, text);
    if comment.placement == Placement::EndOfLine {
        return line;
    }
    match (document, comment.owner) {
        (Some((document, _)), CommentOwner::Document) => full_span(document.root()).to(comment.span),
        (Some((document, entries)), CommentOwner::Entry(key)) => {
            entries.get(&key).copied().unwrap_or_else(|| document.node(key).span())
        }
        (Some((document, _)), CommentOwner::Item(item)) => full_span(document.node(item)),
        _ => {
            let next = content_lines.partition_point(|&start| start < comment.span.end as usize);
            let next = content_lines.get(next).map(|&start| comment.span.source.span(start, start));
            next.map_or(line, |next| line.to(line_of(next, text)))
        }
    }
}

/// Where the lines begin that are neither empty nor comments.
fn content_lines(text: &str, of_templates: &[Comment]) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let line = line_at(&text[start..]);
        let end = start + line.len() + 1;
        let place = start + line.len() - line.trim_start().len();
        let comment = of_templates.binary_search_by_key(&place, |comment| comment.span.start as usize);
        let comment = comment.ok().map(|index| of_templates[index]);
        start = match comment.filter(|comment| comment.placement == Placement::OwnLine) {
            Some(comment) => comment.span.end as usize,
            None => {
                if !(line.trim().is_empty() || line.trim_start().starts_with('#')) {
                    lines.push(start);
                }
                end
            }
        };
    }
    lines
}

/// For every key, from it to the end of its value.
fn entry_spans(document: &Document) -> FxHashMap<NodeId, Span> {
    document
        .nodes()
        .filter_map(NodeRef::written_entries)
        .flatten()
        .map(|(key, value)| (key.id(), key.span().to(full_span(value))))
        .collect()
}

fn full_span(node: NodeRef<'_>) -> Span {
    node.properties_span().map_or(node.span(), |properties| properties.to(node.span()))
}

/// The line of a place with its line break, so that what is missing at its end counts too.
fn line_of(span: Span, text: &str) -> Span {
    let start = text[..span.start as usize].rfind(['\n', '\r']).map_or(0, |index| index + 1);
    span.source.span(start, start + line_at(&text[start..]).len() + 1)
}

/// The first line of a text, without its line break.
fn line_at(text: &str) -> &str {
    text.split(['\n', '\r']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::SourceKind;

    /// The lines that the first suppression of a text speaks of.
    fn covered(text: &str) -> Vec<String> {
        let sources = SourceMap::new();
        let file = sources.add("t.yaml", SourceKind::File, text);
        let (mut suppressions, mut complaints) = (Vec::new(), Vec::new());
        collect(file, &sources, &crate::catalogue(), &mut suppressions, &mut complaints);
        assert!(complaints.is_empty(), "{text}: {complaints:?}");
        let scopes = suppressions.iter().map(|suppression| suppression.scope);
        let scope =
            scopes.map(|scope| text[scope.start as usize..text.len().min(scope.end as usize)].to_owned());
        scope.collect()
    }

    #[test]
    fn comments_in_templates_speak_of_lines() {
        const HASH: &str = "# trueline: ignore[TL0434] why";
        const ACTION: &str = "{{- /* trueline: ignore[TL0434] why */}}";
        for (text, expected) in [
            (format!("{{{{ if x }}}}\n{HASH}\n\n# more\na: 1\nb: 2\n"), format!("{HASH}\n\n# more\na: 1\n")),
            (format!("{{{{ if x }}}}\na: 1 {HASH}\nb: 2\n"), format!("a: 1 {HASH}\n")),
            (format!("{{{{ if x }}}}\n{HASH}"), HASH.to_owned()),
            (format!("{ACTION}\na: 1\nb: 2\n"), format!("{ACTION}\na: 1\n")),
            (
                format!("  {ACTION}\n{{{{/* more\n */ -}}}}\na: 1\nb: 2\n"),
                format!("  {ACTION}\n{{{{/* more\n */ -}}}}\na: 1\n"),
            ),
            (format!("a: 1 {ACTION}\nb: 2\n"), format!("a: 1 {ACTION}\n")),
            (
                "{{ x }} {{/* # trueline: ignore[TL0434] why */ -}}\r\nb: 2\n".to_owned(),
                "{{ x }} {{/* # trueline: ignore[TL0434] why */ -}}\r".to_owned(),
            ),
        ] {
            assert_eq!(covered(&text), [expected], "{text}");
        }
        assert_eq!(covered("a: {{ x }}\n{{/* another trueline: comment */}}\n"), [""; 0]);
    }
}

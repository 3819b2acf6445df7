//! Suppression: comments in a file and `[[ignore]]` in `trueline.toml` that take findings out of the
//! report, each with a reason.
//!
//! A comment at the end of a line covers findings that begin on that line. A comment on a line of its own covers
//! the whole node that follows it; one before the document covers the document. Where there is no node, as in most
//! templates, and for comments of templates (`{{- /* … */}}`), it covers the next line. `ignore-file` covers the file.
//!
//! A finding is covered if any of its places is: the value that was typed, and the template line that printed it.

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_diagnostic::{Catalogue, Code, Diagnostic, Named, Severity};
use trueline_source::{SourceId, SourceMap, Span};
use trueline_yaml::{Comment, CommentOwner, Document, NodeId, NodeRef, Placement, ReadOptions};

use crate::config::{UNKNOWN_CODE, unknown_code};

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
    explanation: "No finding of these codes has a place that the suppression covers: the mistake was fixed, or the \
                  comment is in the wrong place. Left where it is, it would hide the next mistake of this kind. \
                  It is reported only if the run looked at what the suppression covers: not in a template whose lines \
                  were not rendered, not for objects that were skipped, not for checks that need a flag that was not \
                  given, and not in a chart's own files when values are given with `-f` or `--set`. An `[[ignore]]` in \
                  `trueline.toml` is reported if a checked file matches its paths, or if everything below \
                  `trueline.toml` was checked.",
    wrong: "version: 1.0.0 # trueline: ignore[TL0302] not semver\n",
    right: "version: 1.0.0\n",
};

/// The codes of this file.
pub(crate) const CODES: &[&Code] =
    &[&MALFORMED_SUPPRESSION, &SUPPRESSION_WITHOUT_REASON, &UNUSED_SUPPRESSION];

const MARKER: &str = "trueline:";

/// Whether a file may hold suppressions.
pub(crate) fn may_speak(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), MARKER.as_bytes()).is_some()
}

/// The suppressions of some files, and what is wrong with them.
#[derive(Debug, Default)]
pub(crate) struct Suppressions {
    /// In order of the places that they cover.
    list: Vec<Suppression>,
    /// Comments that cannot be understood, name no code or give no reason.
    pub(crate) complaints: Vec<Diagnostic>,
}

/// One comment.
#[derive(Debug)]
pub(crate) struct Suppression {
    pub(crate) comment: Span,
    pub(crate) codes: Vec<Named>,
    /// Findings that begin in here are hidden.
    pub(crate) scope: Span,
    pub(crate) used: bool,
}

impl Suppressions {
    /// Reads the comments of the files that were looked at, whether or not anything was found in them.
    pub(crate) fn read(files: &[SourceId], sources: &SourceMap, catalogue: &Catalogue) -> Self {
        let mut found = Suppressions::default();
        for &file in files {
            collect(file, sources, catalogue, &mut found);
        }
        // In order of place, so that a finding is compared with the few that can reach it.
        found.list.sort_by(|left, right| {
            let codes = |one: &Suppression| one.codes.iter().map(|code| code.name()).collect::<Vec<_>>();
            left.scope.cmp(&right.scope).then_with(|| codes(left).cmp(&codes(right)))
        });
        found
    }

    /// Removes the findings that are covered, and notes what covered them.
    pub(crate) fn apply(&mut self, findings: &mut Vec<Placed>) {
        if self.list.is_empty() {
            return;
        }
        // Comments that say the same of the same place are one: a file may have as many as it has findings.
        let says_same = |left: &Suppression, right: &Suppression| {
            left.scope == right.scope && left.codes.iter().eq(right.codes.iter())
        };
        let mut alike: Vec<&mut [Suppression]> = self.list.chunk_by_mut(says_same).collect();
        let mut reach = 0;
        let reaches: Vec<u32> = alike
            .iter()
            .filter_map(|alike| alike.first())
            .map(|suppression| {
                reach = reach.max(suppression.scope.end);
                reach
            })
            .collect();
        findings.retain(|placed| {
            let mut hidden = false;
            for place in &placed.places {
                hidden |= covers(&mut alike, *place, &placed.finding, &reaches);
            }
            !hidden
        });
        for alike in alike {
            let used = alike.first().is_some_and(|first| first.used);
            alike.iter_mut().for_each(|suppression| suppression.used |= used);
        }
    }

    /// The comments, in order of the places that they cover.
    pub(crate) fn list(&self) -> &[Suppression] {
        &self.list
    }
}

/// Whether a suppression covers a finding at a place. Of each group that does, the first is noted as used.
fn covers(alike: &mut [&mut [Suppression]], place: Span, finding: &Diagnostic, reaches: &[u32]) -> bool {
    let mut hidden = false;
    let begins = |alike: &&mut [Suppression]| {
        let scope = alike.first().map(|suppression| suppression.scope);
        scope.is_some_and(|scope| (scope.source, scope.start) <= (place.source, place.start))
    };
    let after = alike.partition_point(begins);
    for (alike, reach) in alike[..after].iter_mut().zip(reaches).rev() {
        let Some(suppression) = alike.first_mut() else { continue };
        if suppression.scope.source != place.source || *reach < place.start {
            break;
        }
        if suppression.covers(place, finding) {
            suppression.used = true;
            hidden = true;
        }
    }
    hidden
}

impl Suppression {
    fn covers(&self, place: Span, finding: &Diagnostic) -> bool {
        place.source == self.scope.source
            && (self.scope.contains(place.start) || place.start == self.scope.start)
            && self.codes.iter().any(|code| code.covers(finding))
    }
}

/// A finding at what was typed, with the places that it can be suppressed from.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) finding: Diagnostic,
    /// Where it is shown first, then the value and the template lines that lead there. What a rule points at besides, such
    /// as the first of two equal keys, is not among them.
    pub(crate) places: Vec<Span>,
}

impl Placed {
    /// Moves a finding to what was typed.
    pub(crate) fn new(finding: Diagnostic, sources: &SourceMap) -> Self {
        let resolved = sources.resolve(finding.primary.span);
        let typed = resolved.value.into_iter().chain(resolved.parts).chain(resolved.caller);
        let typed: Vec<Span> = typed.map(|place| sources.resolve(place).span).collect();
        let finding = finding.at_origin(sources);
        let primary = finding.primary.span;
        let related = finding.related.iter().map(|label| label.span);
        let trace = finding.trace.iter().map(|frame| frame.span);
        let elsewhere = related.chain(trace).filter(|place| place.source != primary.source);
        let places = [primary, resolved.span].into_iter().chain(typed).chain(elsewhere).collect();
        Placed { finding, places }
    }
}

/// How many findings of one code about suppressions are kept.
const MOST_COMPLAINTS: usize = 2_000;

/// Findings about suppressions. Of very many of one code, the last one kept speaks for the rest.
#[derive(Debug, Default)]
pub(crate) struct Complaints {
    pub(crate) kept: Vec<Diagnostic>,
    /// For each code, how many there are, and where the last one kept is.
    counts: FxHashMap<&'static str, (usize, usize)>,
}

impl Complaints {
    /// Adds one, which is made only if it is kept.
    pub(crate) fn push(&mut self, code: &'static Code, complaint: impl FnOnce() -> Diagnostic) {
        let (count, last) = self.counts.entry(code.id).or_default();
        *count += 1;
        if *count <= MOST_COMPLAINTS {
            *last = self.kept.len();
            self.kept.push(complaint());
        } else if let Some(last) = self.kept.get_mut(*last) {
            last.more = last.more.saturating_add(1);
        }
    }
}

/// The finding for a suppression that hides nothing.
pub(crate) fn unused(span: Span, codes: &[Named]) -> Diagnostic {
    let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
    Diagnostic::new(
        &UNUSED_SUPPRESSION,
        span,
        format!("this suppression of {} hides nothing", names.join(", ")),
    )
    .help("remove it")
}

fn collect(file: SourceId, sources: &SourceMap, catalogue: &Catalogue, found: &mut Suppressions) {
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
        let after = of_templates.partition_point(|outer| outer.span.start <= comment.span.start);
        of_templates[..after].last().is_some_and(|outer| outer.span.contains(comment.span.start))
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
    let mut complaints = Complaints::default();
    for (document, comment) in &comments {
        let Some(parsed) = parse(source.slice(comment.span)) else { continue };
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(words) => {
                complaints.push(&MALFORMED_SUPPRESSION, || {
                    Diagnostic::new(&MALFORMED_SUPPRESSION, comment.span, words)
                        .help("write: # trueline: ignore[TL0203] the reason")
                });
                continue;
            }
        };
        let mut codes = Vec::new();
        for name in &parsed.codes {
            match catalogue.named(name) {
                Some(code) => codes.push(code),
                None => complaints.push(&UNKNOWN_CODE, || unknown_code(name, comment.span, catalogue)),
            }
        }
        if parsed.reason.is_empty() {
            complaints.push(&SUPPRESSION_WITHOUT_REASON, || {
                let words = "this suppression does not say why";
                Diagnostic::new(&SUPPRESSION_WITHOUT_REASON, comment.span, words)
                    .help("write the reason after the bracket")
            });
        }
        if codes.is_empty() {
            continue;
        }
        let scope = match parsed.reach {
            Reach::File => file.span(0, text.len()),
            Reach::Node => scope_of(comment, *document, text, &lines),
        };
        found.list.push(Suppression { comment: comment.span, codes, scope, used: false });
    }
    found.complaints.append(&mut complaints.kept);
}

/// Comments that look like suppressions in the part of a file that could not be read. What they belong to is
/// not known, so they speak of lines, or of the file.
fn unread_comments(file: SourceId, text: &str, read: &[(Option<Entries<'_>>, Comment)]) -> Vec<Comment> {
    let known: FxHashSet<u32> = read.iter().map(|(_, comment)| comment.span.start).collect();
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let comment = line
            .rfind('#')
            .filter(|&hash| line[hash + 1..].trim_start_matches('!').trim_start().starts_with(MARKER));
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
    // In ytt's files comments begin with `#!`.
    let rest = words.trim_start_matches(['#', '!']).trim_start().strip_prefix(MARKER)?.trim_start();
    let (reach, rest) = match (rest.strip_prefix("ignore-file"), rest.strip_prefix("ignore")) {
        (Some(rest), _) => (Reach::File, rest),
        (None, Some(rest)) => (Reach::Node, rest),
        (None, None) => return Some(Err("`trueline:` is not followed by `ignore` or `ignore-file`")),
    };
    let Some((codes, reason)) = rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'))
    else {
        return Some(Err("the codes to ignore must be in brackets"));
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
    let node = match (document, comment.owner) {
        (Some((document, _)), CommentOwner::Document) => full_span(document.root()),
        (Some((document, entries)), CommentOwner::Entry(key)) => {
            entries.get(&key).copied().unwrap_or_else(|| document.node(key).span())
        }
        (Some((document, _)), CommentOwner::Item(item)) => full_span(document.node(item)),
        _ => {
            let next = content_lines.partition_point(|&start| start < comment.span.end as usize);
            let next = content_lines.get(next).map(|&start| comment.span.source.span(start, start));
            return next.map_or(line, |next| line.to(line_of(next, text)));
        }
    };
    with_code(node, text).to(comment.span)
}

/// A node with the code of ytt that computes its value, which is a comment at the end of its last line.
fn with_code(node: Span, text: &str) -> Span {
    let rest = text.get(node.end as usize..).map(line_at).unwrap_or_default();
    match rest.trim_start_matches([' ', '\t', ':']).starts_with("#@") {
        true => node.to(node.source.span(node.end as usize, node.end as usize + rest.len())),
        false => node,
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

/// The first line of a file, without its line break.
fn line_at(text: &str) -> &str {
    text.split(['\n', '\r']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::SourceKind;

    #[test]
    fn of_very_many_complaints_the_last_one_kept_counts_the_rest() {
        for (comment, each) in [
            ("# trueline: off\n", 1),
            ("# trueline: ignore[nonsense] x\n", 1),
            ("# trueline: ignore[nonsense]\n", 2),
        ] {
            let sources = SourceMap::new();
            let source = sources.add("a.yaml", SourceKind::File, comment.repeat(3 * MOST_COMPLAINTS));
            let found = Suppressions::read(&[source], &sources, &crate::catalogue());
            assert_eq!(found.complaints.len(), each * MOST_COMPLAINTS, "{comment}");
            let more: u32 = found.complaints.iter().map(|complaint| complaint.more).sum();
            assert_eq!(more as usize, 2 * each * MOST_COMPLAINTS, "{comment}");
        }
    }

    /// The lines that the first suppression of a file covers.
    fn covered(text: &str) -> Vec<String> {
        let sources = SourceMap::new();
        let file = sources.add("t.yaml", SourceKind::File, text);
        let mut found = Suppressions::default();
        collect(file, &sources, &crate::catalogue(), &mut found);
        assert!(found.complaints.is_empty(), "{text}: {:?}", found.complaints);
        let scopes = found.list.iter().map(|suppression| suppression.scope);
        let scope =
            scopes.map(|scope| text[scope.start as usize..text.len().min(scope.end as usize)].to_owned());
        scope.collect()
    }

    #[test]
    fn comments_of_ytt_speak_of_code_as_well() {
        const WHY: &str = "#! trueline: ignore[TL1003] why";
        for (text, expected) in [
            (format!("{WHY}\na: #@ 1 // 0\nb: 2\n"), format!("{WHY}\na: #@ 1 // 0")),
            (format!("{WHY}\na:\n- 1\n- #@ 1 // 0\nb: 2\n"), format!("{WHY}\na:\n- 1\n- #@ 1 // 0")),
            (format!("a:\n{WHY}\n- #@ 1 // 0\n- 2\n"), format!("{WHY}\n- #@ 1 // 0")),
            (format!("{WHY}\n#@ x = 1 // 0\na: 1\nb: 2\n"), format!("{WHY}\n#@ x = 1 // 0\na: 1")),
        ] {
            assert_eq!(covered(&text), [expected], "{text}");
        }
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

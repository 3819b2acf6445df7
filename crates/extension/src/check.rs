//! The pipeline: level one parses, level two validates against the schema, level three applies the rules.
//!
//! Each level reports what it can: every rule still runs on a document that violates the schema, and a manifest
//! with a syntax error is still checked up to the top-level field with the error. Level three does not repeat
//! what level two reported about a place.

use std::collections::BTreeSet;
use std::sync::Arc;

use trueline_diagnostic::{Code, Diagnostic, LeftOut, Level, Severity};
use trueline_schema::SchemaLookup;
use trueline_source::{SourceId, Span};
use trueline_yaml::{Document, ReadOptions, Stream};

use crate::field::Field;
use crate::manifest::Subject;
use crate::schemas::SchemaKind;
use crate::{Context, Registry, Strictness, rules, strict};

pub(crate) static EMPTY: Code = Code {
    id: "TL0350",
    name: "empty-document",
    severity: Severity::Error,
    summary: "The file is empty",
    explanation: "A manifest, a registry or a file of profiles must not be empty: this one contains only white \
                  space and comments.\n\nWrite its contents, or delete the file.",
    wrong: "# to be written\n",
    right: "metadata:\n  name: nodejs\n  version: 1.0.0\n  description: The Node.js runtime\n  category: languages\ninstall:\n  method: mise\n  tool: node\n  version: lts\nvalidate:\n  commands:\n    - name: node\n",
};

pub(crate) static SEVERAL: Code = Code {
    id: "TL0351",
    name: "several-documents",
    severity: Severity::Error,
    summary: "The file holds more than one document",
    explanation: "A manifest, a registry or a file of profiles is one YAML document. Everything after a second \
                  `---` is ignored.\n\nGive every extension its own directory and file.",
    wrong: "metadata:\n  name: nodejs\n---\nmetadata:\n  name: python\n",
    right: "metadata:\n  name: nodejs\n",
};

/// The result of checking a manifest.
#[derive(Debug, Clone, Default)]
pub struct Inspection {
    /// The findings of all levels, sorted by level, then by place.
    pub findings: Vec<Diagnostic>,
    /// The extension's name with its place, if it could be read.
    pub name: Option<(String, Span)>,
    /// What could not be checked.
    pub left_out: Vec<LeftOut>,
}

/// Checks one manifest on all three levels.
///
/// The source is the text of an `extension.yaml`; the findings are sorted by level, then by place.
pub fn check(source: SourceId, context: &Context<'_>) -> Vec<Diagnostic> {
    inspect(source, context).findings
}

/// Checks one manifest like [`check`], and also returns its name: for
/// [`duplicate_extensions`](crate::duplicate_extensions).
pub fn inspect(source: SourceId, context: &Context<'_>) -> Inspection {
    let (mut findings, document) = parse(source, context, "manifest");
    let broken = findings.iter().find(|finding| finding.severity == Severity::Error && document.is_none());
    let partial = broken.and_then(|first| readable_part(source, first.primary.span.start, context));
    let extent = if partial.is_some() { Extent::Part } else { Extent::Whole };
    let Some(document) = document.or(partial) else {
        return Inspection { findings, ..Inspection::default() };
    };
    let root = Field::root(document.root());
    let subject = Subject::new(root, context.sources, context.registry, context.package.clone());
    let mut semantic = Vec::new();
    for rule in rules::RULES {
        rule(&subject, &mut semantic);
    }
    let before = findings.len();
    finish(&document, SchemaKind::Extension, context, semantic, &mut findings, |lookup, semantic| {
        // Recommended fields may be in the part that could not be read.
        if extent == Extent::Whole {
            strict::check(&subject, lookup, semantic);
        }
    });
    if extent == Extent::Part {
        let level_one = findings.drain(..before).collect::<Vec<_>>();
        // Required top-level fields may be there too.
        findings.retain(|finding| finding.path.as_deref().is_some_and(|path| !path.is_empty()));
        findings.splice(..0, level_one);
    }
    let name = subject.root.at("metadata/name").and_then(|name| Some((name.text()?.to_owned(), name.span())));
    Inspection { findings, name, left_out: rules::unchecked::of_manifest(&subject) }
}

/// Checks a `registry.yaml` on all three levels.
pub fn check_registry(source: SourceId, context: &Context<'_>) -> Vec<Diagnostic> {
    let (mut findings, document) = parse(source, context, "registry");
    let Some(document) = document else { return findings };
    let root = Field::root(document.root());
    let mut semantic = Vec::new();
    rules::registry::check(&root, &Registry::from_document(&document), &mut semantic);
    finish(&document, SchemaKind::Registry, context, semantic, &mut findings, |lookup, semantic| {
        strict::check_fields(&root, lookup, semantic);
    });
    findings
}

/// Checks the form of a `registry.yaml`, levels one and two: whether the data that other files are validated
/// against can be read.
pub fn check_registry_form(source: SourceId, context: &Context<'_>) -> Vec<Diagnostic> {
    let (mut findings, document) = parse(source, context, "registry");
    if let Some(document) = document {
        finish(&document, SchemaKind::Registry, context, Vec::new(), &mut findings, |_, _| {});
    }
    findings
}

/// Checks a `profiles.yaml` on all three levels, against the registry, if there is one.
pub fn check_profiles(source: SourceId, context: &Context<'_>) -> Vec<Diagnostic> {
    inspect_profiles(source, context).findings
}

/// Checks a `profiles.yaml` like [`check_profiles`], and also returns what could not be checked.
pub fn inspect_profiles(source: SourceId, context: &Context<'_>) -> Inspection {
    let (mut findings, document) = parse(source, context, "file of profiles");
    let Some(document) = document else { return Inspection { findings, ..Inspection::default() } };
    let root = Field::root(document.root());
    let mut semantic = Vec::new();
    rules::profiles::check(&root, context.registry, &mut semantic);
    finish(&document, SchemaKind::Profiles, context, semantic, &mut findings, |lookup, semantic| {
        strict::check_fields(&root, lookup, semantic);
    });
    let left_out = if context.registry.is_none() { rules::unchecked::of_profiles(&root) } else { Vec::new() };
    Inspection { findings, name: None, left_out }
}

/// The part of a manifest that could be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    Part,
}

/// The fields above the top-level one in which parsing failed. They are complete: nothing below can change
/// them.
fn readable_part(source: SourceId, failed_at: u32, context: &Context<'_>) -> Option<Document> {
    let text = Arc::clone(context.sources.get(source).text());
    let before = text.get(..failed_at as usize)?;
    let begins_field =
        |start: usize| text[start..].starts_with(|first: char| first.is_ascii_alphanumeric() || first == '"');
    let cut = before.rmatch_indices('\n').map(|(end, _)| end + 1).find(|start| begins_field(*start))?;
    let mut stream = read(source, &Arc::from(&text[..cut]));
    let whole = stream.errors.is_empty() && stream.documents.len() == 1;
    stream.documents.pop().filter(|document| whole && document.root().entries().is_some())
}

/// Parses text by the rules for manifests.
pub(crate) fn read(source: SourceId, text: &Arc<str>) -> Stream {
    trueline_yaml::read(source, text, &ReadOptions::default())
}

/// Level one: the findings, and the first document if it is not empty.
fn parse(source: SourceId, context: &Context<'_>, what: &str) -> (Vec<Diagnostic>, Option<Document>) {
    let text = Arc::clone(context.sources.get(source).text());
    let stream = read(source, &text);
    let mut findings: Vec<Diagnostic> = stream.errors.iter().map(|error| error.to_diagnostic()).collect();
    let mut documents = stream.documents.into_iter().filter(|document| !document.root().is_null());
    let first = documents.next();
    match &first {
        Some(document) => findings.extend(document.duplicate_diagnostics()),
        None if findings.is_empty() => findings.push(
            Diagnostic::new(&EMPTY, Span::whole(source), format!("the {what} is empty"))
                .level(Level::Parse)
                .help("write its contents, or delete the file"),
        ),
        None => {}
    }
    if let (Some(first), Some(second)) = (&first, documents.next()) {
        findings.push(
            Diagnostic::new(
                &SEVERAL,
                second.root().span(),
                format!("a {what} must be one document, but another one follows here"),
            )
            .related(first.root().span().at_start(), "the first document starts here")
            .level(Level::Parse)
            .help("move it to a file of its own"),
        );
    }
    findings.sort_by_key(|finding| finding.primary.span.start);
    (findings, first)
}

/// Merges the findings of levels two and three: by level, then by place, without repetitions.
fn finish(
    document: &Document,
    kind: SchemaKind,
    context: &Context<'_>,
    mut semantic: Vec<Diagnostic>,
    findings: &mut Vec<Diagnostic>,
    strict: impl FnOnce(&dyn SchemaLookup, &mut Vec<Diagnostic>),
) {
    let mut structural = context.schemas.check(kind, document.root());
    structural.sort_by_key(|finding| (finding.primary.span.source, finding.primary.span.start));
    match (context.strictness, context.schemas.schema(kind)) {
        (Strictness::Strict, Ok(schema)) => strict(schema.as_ref(), &mut semantic),
        // Deprecated fields still work; they are the only warnings of level two.
        (Strictness::Normal, _) => structural.retain(|finding| finding.severity == Severity::Error),
        (Strictness::Strict, Err(_)) => {}
    }
    // A missing field is reported at the map that lacks it; that does not count as a finding about the map
    // itself.
    let missing = |finding: &Diagnostic| {
        finding
            .schema
            .as_ref()
            .is_some_and(|place| matches!(place.keyword.as_str(), "required" | "dependentRequired"))
    };
    let said: BTreeSet<Span> = structural
        .iter()
        .filter(|finding| finding.severity == Severity::Error && !missing(finding))
        .map(|finding| finding.primary.span)
        .collect();
    semantic.retain(|finding| !said.contains(&finding.primary.span));
    semantic
        .sort_by_key(|finding| (finding.primary.span.source, finding.primary.span.start, finding.code.id));
    findings.append(&mut structural);
    findings.append(&mut semantic);
}

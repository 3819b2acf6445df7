//! One unit: read it, find out what it is, check it.

use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Level, Severity};
use trueline_extension::{Context, Inspection, SchemaKind, Strictness};
use trueline_kube::{FieldValidation, KubeVersion, manifest};
use trueline_schema::{Access, Network, Store};
use trueline_source::{Cancel, LoadErrorKind, Source, SourceId, SourceMap, Span};
use trueline_yaml::{Document, Limits, ReadOptions, Stream};

use crate::budget::Share;
use crate::chart::{self, Given};
use crate::detect::detect;
use crate::input::NOT_TEXT;
use crate::kind::Kind;
use crate::kubernetes::{
    Definitions, Locations, MissingSchemas, NO_DEFINITION, Objects, OldObjects, Stage, is_definition,
};
use crate::run::unreadable;
use crate::secret;
use crate::session::Session;
use crate::shown::Shown;
use crate::walk::{self, Candidate};
use crate::ytt;

/// How one unit is checked: the settings, and what its configuration adds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mode<'c> {
    pub(crate) strict: bool,
    pub(crate) offline: bool,
    /// The version of Kubernetes; the newest if nobody says which.
    pub(crate) kube_version: Option<KubeVersion>,
    pub(crate) field_validation: FieldValidation,
    /// Kinds that the configuration leaves out, each with where it says so.
    pub(crate) skip: &'c [(String, Span)],
    /// What is said of kinds that there is no schema for.
    pub(crate) missing: MissingSchemas,
    /// Whether objects are kept until all of the run has been read, because it may have policies.
    pub(crate) holds_objects: bool,
    /// Whether only the unit itself may hold policies, which it finds out when it has been read.
    pub(crate) is_only_unit: bool,
    /// What objects are updates of.
    pub(crate) old: Option<&'c OldObjects>,
    /// Where JSON Schemas of kinds are looked for that nothing else defines.
    pub(crate) locations: Option<&'c Locations>,
    /// The definitions that are known so far; while units are looked at, those that were given.
    pub(crate) definitions: Option<&'c Definitions>,
    /// Its place in what the charts of the run may cost together.
    pub(crate) share: Option<Share<'c>>,
    /// Whether somebody still wants to know.
    pub(crate) cancel: Option<&'c Cancel>,
}

impl Mode<'_> {
    /// Whether nobody wants to know any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(Cancel::is_cancelled)
    }

    /// Whether what is found is noted elsewhere, too: which of the old objects were of use.
    pub(crate) fn has_old(&self) -> bool {
        self.old.is_some()
    }
}

/// What a unit turned out to be.
#[derive(Debug, Clone)]
pub(crate) struct Checked {
    pub(crate) kind: Kind,
    pub(crate) findings: Vec<Diagnostic>,
    pub(crate) skipped: Option<String>,
    /// The files that were looked at, for the suppressions in them.
    pub(crate) files: Vec<SourceId>,
    /// The files of subcharts, and those that flags for ytt name: their suppressions count, but what is wrong with those
    /// is not reported here.
    pub(crate) subchart_files: Vec<SourceId>,
    /// The extension's name with its place: no two of a run may share it.
    pub(crate) name: Option<(String, Span)>,
    pub(crate) could_not_read: bool,
    /// The Kubernetes objects in it, for each set of values that a chart is rendered with.
    pub(crate) objects: Vec<Objects>,
    /// The parts of a chart's templates that wrote something, where suppressions in them have to be judged.
    pub(crate) written: Vec<Span>,
    /// Whether the run may have policies, as far as that is known here.
    pub(crate) may_have_policies: bool,
    /// Where to say that it was given up because the charts before it cost what a run may.
    pub(crate) chart_file: Option<SourceId>,
}

impl Checked {
    /// Whether all is known of it without the other units of the run.
    pub(crate) fn is_settled(&self, settings: &Session) -> bool {
        // What is given to several charts may be a secret in one of them only, and which of them has files for a matrix
        // is known when all have been looked at.
        let charts = &settings.charts;
        let is_alone = self.kind != Kind::Chart || charts.values.is_empty() && charts.matrix.is_empty();
        is_alone && self.name.is_none() && self.objects.iter().all(Objects::is_settled)
    }

    /// Whether it is a file that nothing needs the text of, where there is nothing to say of it.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self.kind, Kind::Crd | Kind::Kubernetes)
            && self.skipped.is_none()
            && self
                .objects
                .iter()
                .all(|objects| objects.definitions.is_empty() && objects.left_out.is_empty())
    }

    fn skipped(kind: Kind, why: impl Into<String>) -> Self {
        Checked {
            kind,
            findings: Vec::new(),
            skipped: Some(why.into()),
            files: Vec::new(),
            subchart_files: Vec::new(),
            name: None,
            could_not_read: false,
            objects: Vec::new(),
            written: Vec::new(),
            may_have_policies: true,
            chart_file: None,
        }
    }

    pub(crate) fn found(kind: Kind, findings: Vec<Diagnostic>) -> Self {
        Checked {
            kind,
            findings,
            skipped: None,
            files: Vec::new(),
            subchart_files: Vec::new(),
            name: None,
            could_not_read: false,
            objects: Vec::new(),
            written: Vec::new(),
            may_have_policies: true,
            chart_file: None,
        }
    }
}

/// Checks one unit.
pub(crate) fn check(
    candidate: &Candidate,
    mode: Mode<'_>,
    settings: &Session,
    given: &Given,
    shown: &Shown,
    sources: &Arc<SourceMap>,
) -> Checked {
    // A chart is a directory or an archive; there is no text to read yet.
    let named = settings.kind.or(candidate.kind);
    let as_chart = || match settings.only {
        Some(only) if only != Kind::Chart => Checked::skipped(Kind::Chart, format!("not of the kind {only}")),
        _ => chart::check(candidate, mode, settings, given, sources),
    };
    if named == Some(Kind::Chart) {
        return as_chart();
    }
    if named == Some(Kind::Ytt) {
        return ytt::check(candidate, mode, settings, sources);
    }
    let bytes = match candidate.read() {
        Ok(bytes) => bytes,
        Err(error) => {
            let finding = unreadable(candidate.loader(), &error, sources);
            let could_not_read = error.kind != LoadErrorKind::Outside;
            return Checked { could_not_read, ..Checked::found(named.unwrap_or(Kind::Yaml), vec![finding]) };
        }
    };
    let is_packed = bytes.starts_with(GZIP);
    // What comes through a pipe has no name that says what it is.
    if is_packed && named.is_none() && !walk::is_text(&candidate.path) {
        return as_chart();
    }
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let binary = memchr::memchr(0, &bytes).is_some();
    let (id, not_utf8) = sources.add_file(candidate.name(), bytes);
    let source = sources.get(id);
    let finding = match (is_packed, utf16) {
        (true, _) => Some(packed(id)),
        (_, true) => Some(utf16_text(id)),
        _ => not_text(&source, id, binary, not_utf8),
    };
    if let Some(finding) = finding {
        return Checked { files: vec![id], ..Checked::found(named.unwrap_or(Kind::Yaml), vec![finding]) };
    }
    // A file whose name says what it is is read once, by the check for its kind.
    let (kind, stream) = match named {
        Some(kind) if kind.unsupported().is_none() => (kind, None),
        _ => {
            let stream = read(id, &source);
            (named.unwrap_or_else(|| detect(&source, &stream)), Some(stream))
        }
    };
    if settings.only.is_some_and(|only| only != kind) {
        return Checked::skipped(kind, format!("not of the kind {}", settings.only.unwrap_or(kind)));
    }
    if kind == Kind::Ytt {
        sources.give_up(id);
        return ytt::check(candidate, mode, settings, sources);
    }
    let nameless = |findings| Inspection { findings, ..Inspection::default() };
    let inspection = match kind {
        Kind::Extension | Kind::Registry | Kind::Profiles => {
            extension(kind, id, candidate, mode, settings, sources)
        }
        Kind::Categories => nameless(categories(id, &source, settings)),
        Kind::JsonSchema => {
            let mut findings = json_schema(id, candidate, mode, settings, sources);
            let twice = read(id, &source).documents.into_iter();
            findings.extend(twice.flat_map(|document| document.duplicate_diagnostics()));
            nameless(findings)
        }
        Kind::Crd | Kind::Kubernetes => {
            let stream = stream.unwrap_or_else(|| read(id, &source));
            if stream.errors.is_empty() && settings.only == Some(Kind::Crd) && !defines(&stream) {
                let why =
                    if is_empty(&stream) { EMPTY } else { "it defines no kind (CustomResourceDefinition)" };
                return Checked { files: vec![id], ..Checked::skipped(kind, why) };
            }
            if is_empty(&stream) {
                return Checked { files: vec![id], ..Checked::skipped(kind, EMPTY) };
            }
            let mut objects = Objects::default();
            let mut findings = Stage::new(mode, settings, sources).look_at_file(&stream, &mut objects);
            if settings.kind == Some(Kind::Crd) && stream.errors.is_empty() && !defines(&stream) {
                findings.extend(no_definition(&stream));
            }
            // While it is read already; what is not noted is looked for when something of the file is shown.
            if shown.may_show(&findings, source.name()) {
                secret::note(id, &source, &stream, sources);
            }
            let checked = Checked::found(kind, findings);
            return Checked { files: vec![id], objects: vec![objects], ..checked };
        }
        Kind::Yaml if stream.as_ref().is_some_and(is_empty) => {
            return Checked { files: vec![id], ..Checked::skipped(kind, EMPTY) };
        }
        Kind::Chart | Kind::Ytt | Kind::Kustomization | Kind::Patch | Kind::Yaml => {
            nameless(stream.as_ref().map(syntax).unwrap_or_default())
        }
    };
    let skipped = kind.unsupported().map(str::to_owned);
    let objects = vec![Objects { left_out: inspection.left_out, ..Objects::default() }];
    let checked = Checked::found(kind, inspection.findings);
    Checked { skipped, files: vec![id], name: inspection.name, objects, ..checked }
}

/// Why a file without anything in it is not checked.
const EMPTY: &str = "there is nothing in it";

/// Whether there is nothing in a text, or nothing but comments.
fn is_empty(stream: &Stream) -> bool {
    stream.errors.is_empty() && stream.documents.iter().all(|document| document.root().is_null())
}

/// Whether a definition of a kind is among the objects of a text.
fn defines(stream: &Stream) -> bool {
    let mut objects = stream.documents.iter().flat_map(|document| manifest::objects(document.root()));
    objects.any(|object| is_definition(object.node))
}

/// The finding for a text that was said to define a kind, and does not.
fn no_definition(stream: &Stream) -> Option<Diagnostic> {
    let root = stream.documents.iter().map(Document::root).find(|root| !root.is_null())?;
    let object = manifest::objects(root).into_iter().next()?;
    let place = object.node.get("kind").map_or_else(
        || {
            object
                .node
                .entries()
                .and_then(|mut entries| entries.next())
                .map_or(root.span(), |(key, _)| key.span())
        },
        |kind| kind.span(),
    );
    let message = "this defines no kind: it is no CustomResourceDefinition";
    let finding = Diagnostic::new(&NO_DEFINITION, place, message).severity(Severity::Error);
    Some(finding.level(Level::Semantic).help("leave `--as crd` out to have it checked for what it is"))
}

/// What gzip begins with; archives of charts are packed with it.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// The finding for what is packed where a text was expected.
fn packed(id: SourceId) -> Diagnostic {
    let message = "this is packed with gzip, not YAML or JSON";
    Diagnostic::new(&NOT_TEXT, Span::whole(id).at_start(), message)
        .help("unpack it with `gunzip`; the archive of a chart is checked if its name ends in `.tgz`")
}

/// The finding for a text that begins as UTF-16 does, which editors and shells of Windows write.
fn utf16_text(id: SourceId) -> Diagnostic {
    Diagnostic::new(&NOT_TEXT, Span::whole(id).at_start(), "this file is UTF-16 text, and has to be UTF-8")
        .help("save the file as UTF-8; in PowerShell, write it with `Out-File -Encoding utf8`")
}

fn not_text(source: &Source, id: SourceId, binary: bool, not_utf8: Option<Span>) -> Option<Diagnostic> {
    if binary {
        let place = source.text().find('\0').unwrap_or(0);
        return Some(
            Diagnostic::new(&NOT_TEXT, id.span(place, place + 1), "this is a binary file, not YAML or JSON")
                .label("the first NUL byte is here")
                .help("name a YAML or JSON file, or save the text as UTF-8 if it is one"),
        );
    }
    let place = not_utf8?;
    Some(
        Diagnostic::new(&NOT_TEXT, place, "this file is not UTF-8 text")
            .label("the first byte that is not UTF-8 is here")
            .help("save the file as UTF-8"),
    )
}

/// Reads a text: JSON by JSON's own rules where its name says that it is, or where it is nothing else; else YAML.
pub(crate) fn read(id: SourceId, source: &Source) -> Stream {
    if !source.name().ends_with(".json") {
        let stream = trueline_yaml::read(id, source.text(), &ReadOptions::default());
        // Objects of JSON one behind the other, as programs print them, are no YAML.
        if stream.errors.is_empty() || !source.text().trim_start().starts_with('{') {
            return stream;
        }
        let objects = trueline_yaml::json::read_all(id, source.text(), Limits::default());
        let first = objects.documents.first().map(|first| first.root().span().end as usize);
        let behind = first.and_then(|end| source.text().get(end..)).unwrap_or_default();
        let is_json = objects.errors.is_empty() || behind.trim_start().starts_with('{');
        return if is_json { objects } else { stream };
    }
    trueline_yaml::json::read_all(id, source.text(), Limits::default())
}

/// The findings of the reader alone.
fn syntax(stream: &Stream) -> Vec<Diagnostic> {
    let errors = stream.errors.iter().map(trueline_yaml::SyntaxError::to_diagnostic);
    let duplicates = stream.documents.iter().flat_map(trueline_yaml::Document::duplicate_diagnostics);
    errors.chain(duplicates).collect()
}

fn extension(
    kind: Kind,
    id: SourceId,
    candidate: &Candidate,
    mode: Mode<'_>,
    settings: &Session,
    sources: &SourceMap,
) -> Inspection {
    let strictness = if mode.strict { Strictness::Strict } else { Strictness::Normal };
    let mut context = Context::new(sources, &settings.schemas)
        .with_registry(settings.registry.as_ref())
        .with_strictness(strictness);
    if let Ok(package) = candidate.loader().scoped(directory_of(&candidate.path)) {
        context = context.with_package(package);
    }
    let findings = match kind {
        Kind::Registry => trueline_extension::check_registry(id, &context),
        Kind::Profiles => return trueline_extension::inspect_profiles(id, &context),
        _ => return trueline_extension::inspect(id, &context),
    };
    Inspection { findings, ..Inspection::default() }
}

/// Categories have a schema and no rules beyond it.
fn categories(id: SourceId, source: &Source, settings: &Session) -> Vec<Diagnostic> {
    let stream = trueline_yaml::read(id, source.text(), &ReadOptions::default());
    let mut findings = syntax(&stream);
    for document in &stream.documents {
        findings.extend(settings.schemas.check(SchemaKind::Categories, document.root()));
    }
    findings
}

/// A schema as such: its references are followed, but nothing is validated against it.
fn json_schema(
    id: SourceId,
    candidate: &Candidate,
    mode: Mode<'_>,
    settings: &Session,
    sources: &Arc<SourceMap>,
) -> Vec<Diagnostic> {
    let network = if mode.offline { Network::Offline } else { Network::Allowed };
    let (root_directory, path) = schema_package(candidate);
    let package = candidate.loader().scoped(root_directory).ok();
    let fetch = settings.fetch_for(mode);
    let root = package.as_ref().and_then(|package| package.root());
    let access = Access { package, root, fetch, network, ..Access::default() };
    let store = Store::new(Arc::clone(sources), access);
    trueline_schema::check_schema(&store, id, Some(path))
}

/// The package that a schema stands in, and its path there: the nearest directory with a
/// `schema-dependencies.json`, or else all that is checked.
fn schema_package(candidate: &Candidate) -> (&str, &str) {
    let mut directory = directory_of(&candidate.path);
    loop {
        let mapping = walk::join(directory, "schema-dependencies.json");
        if directory.is_empty() || candidate.loader().entry(&mapping).is_ok() {
            let path = candidate.path[directory.len()..].trim_start_matches('/');
            return (directory, path);
        }
        directory = directory_of(directory);
    }
}

fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

//! One unit: read it, find out what it is, check it.

use std::sync::Arc;

use trueline_diagnostic::Diagnostic;
use trueline_kube::{FieldValidation, KubeVersion};
use trueline_source::{Cancel, LoadErrorKind, Source, SourceId, SourceMap, Span};
use trueline_yaml::{Limits, ReadOptions, Stream};

use crate::budget::Share;
use crate::chart::GivenValues;
use crate::detect::detect;
use crate::glance::GZIP;
use crate::input::{NOT_TEXT, unreadable};
use crate::kinds::{Check, FolderCheck, InputKind, TextUnit};
use crate::kubernetes::{Definitions, Locations, MissingSchemas, Objects, OldObjects};
use crate::parts::UnitParts;
use crate::session::Session;
use crate::shown::Shown;
use crate::walk::{self, Candidate};

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
    /// What the last check of the same unit left for this one, where the engine lives longer than one run.
    pub(crate) parts: Option<&'c UnitParts>,
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
    pub(crate) kind: InputKind,
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
        let is_alone = self.kind != InputKind::Chart || charts.values.is_empty() && charts.matrix.is_empty();
        is_alone && self.name.is_none() && self.objects.iter().all(Objects::is_settled)
    }

    /// Whether it is a file that nothing needs the text of, where there is nothing to say of it.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self.kind, InputKind::Crd | InputKind::Kubernetes)
            && self.skipped.is_none()
            && self
                .objects
                .iter()
                .all(|objects| objects.definitions.is_empty() && objects.left_out.is_empty())
    }

    pub(crate) fn skipped(kind: InputKind, why: impl Into<String>) -> Self {
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

    pub(crate) fn found(kind: InputKind, findings: Vec<Diagnostic>) -> Self {
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
    given: &GivenValues,
    shown: &Shown,
    sources: &Arc<SourceMap>,
) -> Checked {
    let named = settings.kind.or(candidate.kind);
    let as_folder = |kind: InputKind, check: FolderCheck| match settings.only {
        Some(only) if only != kind && kind == InputKind::Chart => {
            Checked::skipped(kind, format!("not of the kind {only}"))
        }
        _ => check(candidate, mode, (settings, given), sources),
    };
    // A folder or an archive: there is no text to read yet.
    if let Some(kind) = named
        && let Check::Folder(check) = kind.check()
    {
        return as_folder(kind, check);
    }
    let bytes = match candidate.read() {
        Ok(bytes) => bytes,
        Err(error) => {
            let finding = unreadable(candidate.loader(), &error, sources);
            let could_not_read = error.kind != LoadErrorKind::Outside;
            return Checked {
                could_not_read,
                ..Checked::found(named.unwrap_or(InputKind::Yaml), vec![finding])
            };
        }
    };
    let is_packed = bytes.starts_with(GZIP);
    // What comes through a pipe has no name that says what it is.
    if is_packed
        && named.is_none()
        && !walk::is_text(&candidate.path)
        && let Check::Folder(check) = InputKind::Chart.check()
    {
        return as_folder(InputKind::Chart, check);
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
        return Checked {
            files: vec![id],
            ..Checked::found(named.unwrap_or(InputKind::Yaml), vec![finding])
        };
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
    match kind.check() {
        Check::Folder(check) => {
            sources.give_up(id);
            check(candidate, mode, (settings, given), sources)
        }
        Check::Text(check) => {
            check(TextUnit { kind, candidate, id, source, stream, mode, settings, shown, sources })
        }
    }
}

/// Why a file without anything in it is not checked.
pub(crate) const EMPTY: &str = "there is nothing in it";

/// Whether a file is empty, or holds nothing but comments.
pub(crate) fn is_empty(stream: &Stream) -> bool {
    stream.errors.is_empty() && stream.documents.iter().all(|document| document.root().is_null())
}

/// The finding for a packed file where text was expected.
fn packed(id: SourceId) -> Diagnostic {
    let message = "this is packed with gzip, not YAML or JSON";
    Diagnostic::new(&NOT_TEXT, Span::whole(id).at_start(), message)
        .help("unpack it with `gunzip`; the archive of a chart is checked if its name ends in `.tgz`")
}

/// The finding for a file that begins as UTF-16 does, which editors and shells of Windows write.
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

/// Reads a file: as JSON where its name says so, or where it can be nothing else; otherwise as YAML.
pub(crate) fn read(id: SourceId, source: &Source) -> Stream {
    if !source.name().ends_with(".json") {
        let stream = trueline_yaml::read(id, source.text(), &ReadOptions::default());
        // JSON objects one after the other, as programs print them, are not YAML.
        if stream.errors.is_empty() || !source.text().trim_start().starts_with('{') {
            return stream;
        }
        let objects = trueline_yaml::json::read_all(id, source.text(), Limits::default());
        let first = objects.documents.first().map(|first| first.root().span().end as usize);
        let after = first.and_then(|end| source.text().get(end..)).unwrap_or_default();
        let is_json = objects.errors.is_empty() || after.trim_start().starts_with('{');
        return if is_json { objects } else { stream };
    }
    trueline_yaml::json::read_all(id, source.text(), Limits::default())
}

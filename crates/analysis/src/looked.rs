//! What a run really looked at. A suppression is called unused only there: one that covers an object that was skipped, a
//! branch of a template that was not taken, or a check that was not asked for may well hide something in another run.

use trueline_diagnostic::{Code, Named};
use trueline_helm::usage::COVERAGE;
use trueline_kube::FieldValidation;
use trueline_source::{Origin, SourceId, SourceMap, Span};

use crate::chart::Coverage;
use crate::kinds::InputKind;
use crate::kubernetes::is_about_policies;
use crate::session::Session;
use crate::suppress;
use crate::unit::{Checked, Mode};

/// Codes that only `--strict` looks for.
const STRICT_ONLY: &[&str] = &[
    "no-schema",
    "unknown-field",
    "missing-checksum",
    "insecure-url",
    "recommended-field",
    "unpinned-version",
];

/// Codes of extensions that need `--registry`.
const WITH_REGISTRY: &[&str] = &[
    "dependency-conflict",
    "dependency-cycle",
    "deprecated-extension",
    "unknown-extension",
    "dependency-version",
    "mise-tool-name",
    "category",
];

/// What was looked at in one unit.
pub(crate) struct Looked<'a> {
    mode: Mode<'a>,
    settings: &'a Session,
    kind: InputKind,
    /// Whether it was only looked at in part.
    is_partial: bool,
    /// Whether objects in it were left out.
    has_left_out: bool,
    /// The parts of templates that wrote something, in order and without overlap.
    written: &'a [Span],
    files: &'a [SourceId],
}

impl<'a> Looked<'a> {
    /// What is looked at in a unit of this kind of which nothing was left out.
    pub(crate) fn new(kind: InputKind, mode: Mode<'a>, settings: &'a Session) -> Self {
        let is_partial = settings.only.is_some();
        Looked { mode, settings, kind, is_partial, has_left_out: false, written: &[], files: &[] }
    }

    /// What was looked at in this unit.
    pub(crate) fn at_unit(self, checked: &'a Checked) -> Self {
        let mut left_out = checked.objects.iter().flat_map(|objects| &objects.left_out);
        Looked {
            is_partial: self.is_partial || checked.skipped.is_some() || checked.could_not_read,
            has_left_out: left_out.any(|part| !is_about_policies(part)),
            mode: Mode { holds_objects: self.mode.holds_objects && checked.may_have_policies, ..self.mode },
            written: &checked.written,
            files: &checked.files,
            ..self
        }
    }

    /// Whether some codes were looked for everywhere in the unit.
    pub(crate) fn at_codes(&self, codes: &[Named]) -> bool {
        codes.iter().all(|named| self.is_looked_for(named.code()))
    }

    /// Whether some codes were looked for at a place in one of the unit's files, or in one that `-f` names.
    pub(crate) fn at(&self, scope: Span, codes: &[Named], sources: &SourceMap) -> bool {
        if !self.at_codes(codes) {
            return false;
        }
        // The chart's own values may be replaced by those that are given, and with them what there is to hide.
        let is_own = self.files.contains(&scope.source);
        if self.kind == InputKind::Chart && is_own && !self.settings.charts.values.is_empty() {
            return false;
        }
        let is_template = is_own && sources.get(scope.source).name().contains("/templates/");
        if self.kind != InputKind::Chart || !is_template {
            return true;
        }
        let first =
            self.written.partition_point(|span| (span.source, span.end) <= (scope.source, scope.start));
        self.written.get(first).is_some_and(|span| span.source == scope.source && span.start < scope.end)
    }

    fn is_looked_for(&self, code: &Code) -> bool {
        // How it is written is looked at in every file.
        let is_of_text = code.id.starts_with("TL01");
        let is_of_objects = ["TL07", "TL08", "TL09"].iter().any(|area| code.id.starts_with(area));
        if self.is_partial && !(is_of_text && self.kind != InputKind::Chart)
            || self.has_left_out && is_of_objects
        {
            return false;
        }
        match code.name {
            "immutable-field" => self.mode.old.is_some(),
            name if name.starts_with("policy-") => self.mode.holds_objects,
            "unknown-object-field" => self.mode.field_validation != FieldValidation::Ignore,
            name if STRICT_ONLY.contains(&name) => self.mode.strict,
            name if WITH_REGISTRY.contains(&name) => self.settings.registry.is_some(),
            _ if code == &COVERAGE => self.settings.charts.coverage == Coverage::Told,
            // What comes over the network need not come the same way twice.
            _ => !code.id.starts_with("TL11"),
        }
    }
}

/// The parts of files that wrote something, in order and without overlap: of those files that hold suppressions.
pub(crate) fn written<'o>(
    origins: impl Iterator<Item = &'o Origin>,
    files: &[SourceId],
    sources: &SourceMap,
) -> Vec<Span> {
    let may_speak = |file: &SourceId| suppress::may_speak(sources.get(*file).text());
    let speaking: Vec<SourceId> = files.iter().copied().filter(may_speak).collect();
    if speaking.is_empty() {
        return Vec::new();
    }
    let place = |origin: &Origin| match *origin {
        Origin::Verbatim(span) => span,
        Origin::Computed { action, .. } => action,
    };
    let mut spans: Vec<Span> = origins.map(place).filter(|span| speaking.contains(&span.source)).collect();
    spans.sort_unstable();
    spans.dedup_by(|next, kept| {
        let overlaps = next.source == kept.source && next.start <= kept.end;
        if overlaps {
            kept.end = kept.end.max(next.end);
        }
        overlaps
    });
    spans
}

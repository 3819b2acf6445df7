//! Files with Kubernetes objects, CRDs among them.

use trueline_diagnostic::{Diagnostic, Level, Severity};
use trueline_kube::manifest;
use trueline_yaml::{Document, NodeRef, Stream};

use super::{InputKind, TextUnit};
use crate::kubernetes::{NO_DEFINITION, Objects, Stage, is_definition};
use crate::rendering::Rendering;
use crate::secret;
use crate::unit::{Checked, EMPTY, is_empty, read};

/// Whether a document is an object: it says what it is, or has half of a head and the metadata of an object.
pub(super) fn is_object(root: NodeRef<'_>) -> bool {
    let has = |key: &str| root.get(key).is_some();
    let has_metadata = root.get("metadata").is_some_and(|node| node.entries().is_some());
    has("apiVersion") && has("kind")
        || has("apiVersion") != has("kind") && has_metadata && !has("install")
        || has_in_any_case(root, "apiVersion") && has_in_any_case(root, "kind") && has_metadata
}

/// Whether a map has a key, be it written in small or in capital letters.
fn has_in_any_case(root: NodeRef<'_>, name: &str) -> bool {
    let is_it = |(key, _): (NodeRef<'_>, NodeRef<'_>)| {
        key.text().is_some_and(|typed| typed.eq_ignore_ascii_case(name))
    };
    root.entries().is_some_and(|mut entries| entries.any(is_it))
}

pub(super) fn check(unit: TextUnit<'_>) -> Checked {
    let TextUnit { kind, id, source, stream, mode, settings, shown, sources, .. } = unit;
    let stream = stream.unwrap_or_else(|| read(id, &source));
    let files = vec![id];
    if stream.errors.is_empty() && settings.only == Some(InputKind::Crd) && !defines(&stream) {
        let why = if is_empty(&stream) { EMPTY } else { "it defines no kind (CustomResourceDefinition)" };
        return Checked { files, ..Checked::skipped(kind, why) };
    }
    if is_empty(&stream) {
        return Checked { files, ..Checked::skipped(kind, EMPTY) };
    }
    let mut objects = Objects::default();
    let mut findings = Stage::new(mode, settings, sources).look_at_file(&stream, &mut objects);
    if settings.kind == Some(InputKind::Crd) && stream.errors.is_empty() && !defines(&stream) {
        findings.extend(no_definition(&stream));
    }
    // While it is read already; what is not noted is looked for when something of the file is shown.
    if shown.may_show(&findings, source.name()) {
        secret::note(id, &source, &stream, sources);
    }
    if let Some(parts) = mode.parts.filter(|parts| parts.is_rendered()) {
        parts.keep_renderings(vec![Rendering::of_file(id, stream.documents, sources)]);
    }
    Checked { files, objects: vec![objects], ..Checked::found(kind, findings) }
}

/// Whether a definition of a kind is among the objects of a file.
fn defines(stream: &Stream) -> bool {
    let mut objects = stream.documents.iter().flat_map(|document| manifest::objects(document.root()));
    objects.any(|object| is_definition(object.node))
}

/// The finding for a file that was said to define a kind, and does not.
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
    let message = "this is not a CustomResourceDefinition, so it defines no kind";
    let finding = Diagnostic::new(&NO_DEFINITION, place, message).severity(Severity::Error);
    Some(finding.level(Level::Semantic).help("leave `--as crd` out to have it checked for what it is"))
}

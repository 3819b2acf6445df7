//! Extensions, and the registries, profiles and categories beside them.

use trueline_diagnostic::Diagnostic;
use trueline_extension::{Context, Inspection, SchemaKind, Strictness};
use trueline_yaml::{NodeRef, ReadOptions};

use super::{TextUnit, syntax};
use crate::kubernetes::Objects;
use crate::unit::Checked;
use crate::walk::directory_of;

pub(super) fn is_registry(root: NodeRef<'_>) -> bool {
    root.get("version").is_some() && is_map(root, "extensions")
}

pub(super) fn is_profiles(root: NodeRef<'_>) -> bool {
    root.get("display_order").is_some() && is_map(root, "profiles")
}

pub(super) fn is_categories(root: NodeRef<'_>) -> bool {
    root.get("version").is_some() && is_map(root, "categories")
}

pub(super) fn is_extension(root: NodeRef<'_>) -> bool {
    is_map(root, "metadata") && is_map(root, "install")
}

fn is_map(root: NodeRef<'_>, key: &str) -> bool {
    root.get(key).is_some_and(|node| node.entries().is_some())
}

pub(super) fn check(unit: TextUnit<'_>) -> Checked {
    inspected(&unit, trueline_extension::inspect(unit.id, &context(&unit)))
}

pub(super) fn check_registry(unit: TextUnit<'_>) -> Checked {
    let findings = trueline_extension::check_registry(unit.id, &context(&unit));
    inspected(&unit, Inspection { findings, ..Inspection::default() })
}

pub(super) fn check_profiles(unit: TextUnit<'_>) -> Checked {
    inspected(&unit, trueline_extension::inspect_profiles(unit.id, &context(&unit)))
}

/// Categories have a schema and no rules beyond it.
pub(super) fn check_categories(unit: TextUnit<'_>) -> Checked {
    let stream = trueline_yaml::read(unit.id, unit.source.text(), &ReadOptions::default());
    let mut findings: Vec<Diagnostic> = syntax::findings(&stream);
    for document in &stream.documents {
        findings.extend(unit.settings.schemas.check(SchemaKind::Categories, document.root()));
    }
    inspected(&unit, Inspection { findings, ..Inspection::default() })
}

fn context<'u>(unit: &'u TextUnit<'_>) -> Context<'u> {
    let strictness = if unit.mode.strict { Strictness::Strict } else { Strictness::Normal };
    let context = Context::new(unit.sources, &unit.settings.schemas)
        .with_registry(unit.settings.registry.as_ref())
        .with_strictness(strictness);
    match unit.candidate.loader().scoped(directory_of(&unit.candidate.path)) {
        Ok(package) => context.with_package(package),
        Err(_) => context,
    }
}

fn inspected(unit: &TextUnit<'_>, inspection: Inspection) -> Checked {
    let objects = vec![Objects { left_out: inspection.left_out, ..Objects::default() }];
    let checked = Checked::found(unit.kind, inspection.findings);
    Checked { files: vec![unit.id], name: inspection.name, objects, ..checked }
}

//! The registry that extensions are validated against: a mistake in it would make every other finding doubtful.

use trueline_diagnostic::{Diagnostic, Unit};
use trueline_extension::{Context, Registry};
use trueline_source::{SourceMap, Span};

use crate::kinds::InputKind;
use crate::session::Session;
use crate::suppress::{Placed, Suppressions};

/// What is wrong with the form of the registry, unless it was among the units and was reported there.
pub(crate) fn findings<'a>(
    settings: &Session,
    mut units: impl Iterator<Item = &'a Unit>,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    let Some(source) = settings.registry.as_ref().and_then(Registry::source) else { return Vec::new() };
    let name = sources.get(source).name().to_owned();
    let own = units.find(|unit| unit.name == name);
    if own.is_some_and(|unit| unit.kind == InputKind::Registry.as_str() && unit.skipped.is_none()) {
        return Vec::new();
    }
    let context = Context::new(sources, &settings.schemas);
    let found = trueline_extension::check_registry_form(source, &context).into_iter();
    let mut findings: Vec<Placed> = found.map(|finding| Placed::new(finding, sources)).collect();
    // Unused ones are not reported: they may hide what is only looked at when the registry itself is checked.
    let mut suppressions = Suppressions::read(&[source], sources, &settings.catalogue);
    suppressions.apply(&mut findings);
    let kept = findings.into_iter().map(|placed| placed.finding);
    let mut findings: Vec<Diagnostic> = kept.chain(suppressions.complaints).collect();
    let place = |span: Span| (span.start, span.end);
    let said = own.map(|unit| unit.findings.as_slice()).unwrap_or_default();
    findings.retain(|finding| {
        !said.iter().any(|other| {
            other.code == finding.code && place(other.primary.span) == place(finding.primary.span)
        })
    });
    findings
}

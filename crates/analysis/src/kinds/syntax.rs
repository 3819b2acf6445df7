//! Files of which only the syntax is checked.

use trueline_diagnostic::Diagnostic;
use trueline_yaml::Stream;

use super::{InputKind, TextUnit};
use crate::unit::{Checked, EMPTY, is_empty};

pub(super) fn check(unit: TextUnit<'_>) -> Checked {
    let files = vec![unit.id];
    if unit.kind == InputKind::Yaml && unit.stream.as_ref().is_some_and(is_empty) {
        return Checked { files, ..Checked::skipped(unit.kind, EMPTY) };
    }
    let findings = unit.stream.as_ref().map(findings).unwrap_or_default();
    let skipped = unit.kind.unsupported().map(str::to_owned);
    Checked { skipped, files, objects: vec![Default::default()], ..Checked::found(unit.kind, findings) }
}

/// The findings of the reader alone.
pub(super) fn findings(stream: &Stream) -> Vec<Diagnostic> {
    let errors = stream.errors.iter().map(trueline_yaml::SyntaxError::to_diagnostic);
    let duplicates = stream.documents.iter().flat_map(trueline_yaml::Document::duplicate_diagnostics);
    errors.chain(duplicates).collect()
}

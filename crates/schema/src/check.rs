//! Checking a schema itself.

use trueline_diagnostic::Diagnostic;
use trueline_source::{SourceId, Span};

use crate::{Formats, SchemaError, Store};

/// Everything that is wrong with a schema: how its keywords are written, its patterns, and its references.
/// Warnings are included.
///
/// `path` is the path of the schema's file, if it is in the package.
pub fn check_schema(store: &Store, source: SourceId, path: Option<&str>) -> Vec<Diagnostic> {
    let schema = match path {
        Some(path) => store.text_of_file(source, path, Formats::ByDraft),
        None => store.text(source, None, Formats::ByDraft),
    };
    match schema {
        Ok(schema) => schema.warnings().to_vec(),
        Err(SchemaError::Broken(findings)) => findings,
        Err(SchemaError::Load(error)) => {
            let span = Span::whole(source);
            vec![Diagnostic::new(
                &crate::UNUSABLE_SCHEMA,
                span,
                format!("the schema cannot be used: {error}"),
            )]
        }
    }
}

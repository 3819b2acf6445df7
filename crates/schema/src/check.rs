//! A schema as the thing that is checked.

use trueline_diagnostic::Diagnostic;
use trueline_source::{SourceId, Span};

use crate::{Formats, SchemaError, Store};

/// Everything that is wrong with a schema: how its keywords are written, its patterns, and where its
/// references lead. Warnings are among it.
///
/// `uri` is the address that relative references are resolved against, as for [`Store::text`].
pub fn check_schema(store: &Store, source: SourceId, uri: Option<&str>) -> Vec<Diagnostic> {
    match store.text(source, uri, Formats::ByDraft) {
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

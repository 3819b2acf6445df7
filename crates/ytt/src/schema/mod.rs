//! Schemas: types from example values, and data values checked against them.
//!
//! A type belongs to a place in the document, never to a node: values and types are walked side by side, and so a
//! value that overlays move around is judged by where it ends up.

pub(crate) mod annotations;
mod build;
mod check;
mod edits;
mod export;
mod import;
mod report;
mod strings;
#[cfg(test)]
mod tests;
mod types;
mod violation;

pub(crate) use export::name_of;
pub use export::{SchemaFormat, export};
pub use import::{Imported, Unexpressed, import};
pub use report::SchemaError;
pub use types::{
    AnyType, ArrayItemType, ArrayType, DocumentType, Documentation, Example, MapItemType, MapType,
    NullableType, Scalar, ScalarType, Type,
};
pub use violation::{Fault, Problem, Role, Violation};

use std::rc::Rc;

use trueline_starlark::Thread;

use crate::error::{Error, ErrorKind};
use crate::tree::Document;
use crate::value::Context;

/// A schema for data values.
#[derive(Debug, Clone)]
pub struct Schema {
    declared: Rc<DocumentType>,
    origin: Origin,
}

/// Whether somebody wrote a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Written,
    Missing,
}

impl Schema {
    /// The schema that a document describes.
    ///
    /// # Errors
    /// What is wrong with the document, as a report.
    pub fn new(document: &Document, thread: &mut Thread, context: &Context) -> Result<Schema, Error> {
        let declared = Rc::new(DocumentType::from_schema(document, thread, context)?);
        Ok(Schema { declared, origin: Origin::Written })
    }

    /// A schema document that is about to be overlaid with others: rules for strings are handed down to those that
    /// they are meant for.
    ///
    /// # Errors
    /// For rules that are wrong.
    pub fn prepare(document: &mut Document, thread: &mut Thread) -> Result<(), Error> {
        strings::hand_down(document, thread)
    }

    /// Whether a document edits annotations of others, and so is not a schema of its own.
    pub fn is_edit(document: &Document) -> bool {
        edits::has_edits(document)
    }

    /// The schema that a document describes without what only edits annotations.
    ///
    /// # Errors
    /// As for [`Schema::new`].
    pub fn without_edits(
        document: &Document,
        thread: &mut Thread,
        context: &Context,
    ) -> Result<Schema, Error> {
        Schema::new(&edits::without_edits(document), thread, context)
    }

    /// The schema of data values for which nobody wrote one.
    pub fn anything() -> Schema {
        Schema { declared: Rc::new(DocumentType::anything()), origin: Origin::Missing }
    }

    /// The type of the document.
    pub fn declared(&self) -> &DocumentType {
        &self.declared
    }

    /// The data values that there are if nobody says otherwise; none without a schema.
    pub fn defaults(&self) -> Option<Document> {
        (self.origin == Origin::Written).then(|| self.declared.default_document())
    }
}

impl From<SchemaError> for Error {
    fn from(report: SchemaError) -> Error {
        let text = report.to_string();
        let places: Vec<_> = report.violations().iter().map(|violation| violation.place.clone()).collect();
        Error::new(ErrorKind::Schema(Rc::new(report)), text).at_all(places)
    }
}

/// The report that an error was made from, if it was.
pub fn report_of(error: &Error) -> Option<&SchemaError> {
    match error.kind() {
        ErrorKind::Schema(facts) => facts.downcast_ref(),
        _ => None,
    }
}

//! Schema documents to one schema, and data values documents to one document.

use std::rc::Rc;

use trueline_starlark::Thread;

use super::envelope::{DATA_VALUES, DATA_VALUES_SCHEMA, Envelope, SchemaEnvelope, empty_document};
use super::extract::extract;
use crate::error::{Error, ErrorKind};
use crate::overlay::{Fault, overlay_document};
use crate::schema::{Schema, SchemaError};
use crate::tree::{Document, DocumentSet, Meta, Value};
use crate::value::Context;

/// What documents are made with.
pub struct Combining<'a> {
    /// The paths of the files that have such documents, in the order in which they count.
    pub files: &'a [Rc<str>],
    /// Evaluates one of the files.
    pub evaluate: &'a mut dyn FnMut(usize) -> Result<DocumentSet, Error>,
    /// Runs the functions of overlays.
    pub thread: &'a mut Thread,
    /// What all evaluations of the run share.
    pub context: &'a Context,
}

/// The data values of a library.
#[derive(Debug)]
pub struct CombinedValues {
    /// The final document.
    pub document: Document,
    /// Those for libraries inside of it.
    pub for_libraries: Vec<Rc<Envelope>>,
}

/// The schema of a library.
#[derive(Debug)]
pub struct CombinedSchema {
    /// The final schema.
    pub schema: Schema,
    /// Those for libraries inside of it.
    pub for_libraries: Vec<Rc<SchemaEnvelope>>,
}

impl Combining<'_> {
    /// Overlays the schema documents of the files, and then more of them, and makes types of the result.
    pub fn schema(mut self, more: &[Rc<SchemaEnvelope>]) -> Result<CombinedSchema, Error> {
        let order = self.order(more.is_empty(), "additional data value schema");
        let prefix = format!("Overlaying data values schema (in following order: {order})");
        self.combine_schema(more).map_err(|error| error.context(prefix))
    }

    fn combine_schema(&mut self, more: &[Rc<SchemaEnvelope>]) -> Result<CombinedSchema, Error> {
        let mut all = Vec::new();
        for index in 0..self.files.len() {
            for document in self.documents(index, Documents::Schema)? {
                all.push(Rc::new(SchemaEnvelope::new(document, self.thread, self.context)?));
            }
        }
        all.extend(more.iter().cloned());
        let (for_libraries, own): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|envelope| envelope.is_for_other_library());
        let schema = match own.as_slice() {
            [] => Schema::anything(),
            [first, rest @ ..] => match first.alone().filter(|_| rest.is_empty()) {
                Some(schema) => schema.clone(),
                None => {
                    let mut document = first.document().clone();
                    for overlay in rest {
                        document = overlay_document(document, overlay.document(), self.thread, self.context)?;
                    }
                    Schema::new(&document, self.thread, self.context)?
                }
            },
        };
        Ok(CombinedSchema { schema, for_libraries })
    }

    /// Overlays the data values documents of the files on the defaults of a schema, and then more of them. The result
    /// is checked against the schema after each step: a wrong value is reported although a later one would replace it.
    ///
    /// What does not fit is handed to `others`, if there is such a function. If that takes it, the others are looked at.
    pub fn values(
        mut self,
        schema: &Schema,
        more: Vec<Rc<Envelope>>,
        others: Option<&SetAside<'_>>,
    ) -> Result<CombinedValues, Error> {
        let order = self.order(more.is_empty(), "additional data values");
        let prefix = format!("Overlaying data values (in following order: {order})");
        self.combine_values(schema, more, others).map_err(|error| error.context(prefix))
    }

    fn combine_values(
        &mut self,
        schema: &Schema,
        more: Vec<Rc<Envelope>>,
        others: Option<&SetAside<'_>>,
    ) -> Result<CombinedValues, Error> {
        // Without a schema documents add keys that later ones need.
        let others = others.filter(|_| schema.defaults().is_some());
        let mut first = None;
        let mut all = Vec::new();
        if let Some(defaults) = schema.defaults() {
            all.push(Rc::new(Envelope::new(defaults)?));
        }
        for index in 0..self.files.len() {
            for document in self.documents(index, Documents::Values)? {
                all.push(Rc::new(Envelope::new(document)?));
            }
        }
        all.extend(more);
        let mut combined: Option<Document> = None;
        let mut for_libraries = Vec::new();
        for envelope in all {
            if envelope.is_for_other_library() {
                for_libraries.push(envelope);
                continue;
            }
            let before = others.and(combined.clone());
            match (self.step(combined.take(), envelope, schema), others) {
                (Ok(document), _) => combined = Some(document),
                (Err(error), None) => return Err(error.first),
                (Err(error), Some(set_aside)) => {
                    combined = before;
                    for error in [Some(error.first), error.second].into_iter().flatten() {
                        match &first {
                            None => first = Some(error),
                            // Whether an overlay matches may depend on what was left out.
                            Some(_) if is_of_types(&error) => set_aside(error)?,
                            Some(_) => {}
                        }
                    }
                }
            }
        }
        if let Some(error) = first {
            return Err(error);
        }
        let document = combined.map_or_else(empty_document, without_duplicates);
        Ok(CombinedValues { document, for_libraries })
    }

    /// The data values with those of one more document, or why they do not fit: what ytt says of it first.
    fn step(
        &mut self,
        combined: Option<Document>,
        envelope: Rc<Envelope>,
        schema: &Schema,
    ) -> Result<Document, Unfit> {
        let invalid =
            |violations| Error::from(SchemaError::new("One or more data values were invalid", violations));
        let mut document = match combined {
            None => envelope.document.clone(),
            Some(document) => {
                match overlay_document(document, &envelope.document, self.thread, self.context) {
                    Ok(document) => document,
                    Err(error) => {
                        let mut alone = envelope.document.clone();
                        // What has no operations is merged as it is, so every value of it has to fit.
                        let violations = match has_operations(&alone.value) {
                            true => Vec::new(),
                            false => schema.declared().fit(&mut alone),
                        };
                        let second = (!violations.is_empty()).then(|| invalid(violations));
                        return Err(Unfit { first: by_schema(error, schema), second });
                    }
                }
            }
        };
        // What nobody else holds is completed in place, not in a copy.
        drop(envelope);
        let violations = schema.declared().fit(&mut document);
        match violations.is_empty() {
            true => Ok(document),
            false => Err(Unfit { first: invalid(violations), second: None }),
        }
    }

    /// The documents of one kind in a file, which must have no others.
    fn documents(&mut self, index: usize, kind: Documents) -> Result<Vec<Document>, Error> {
        let Some(path) = self.files.get(index) else { return Ok(Vec::new()) };
        let extracted = (self.evaluate)(index).and_then(|documents| {
            let extracted = extract(documents, kind.annotation())?;
            match extracted.others.iter().find(|document| !document.is_empty()) {
                None => Ok(extracted.matched),
                Some(other) => {
                    let text = match kind {
                        Documents::Values => {
                            format!("Expected data values file '{path}' to only have data values documents")
                        }
                        Documents::Schema => {
                            format!("Expected schema file '{path}' to only have schema documents")
                        }
                    };
                    Err(Error::other(text).at(other.meta.position()))
                }
            }
        });
        extracted.map_err(|error| error.context(format!("Templating file '{path}'")))
    }

    fn order(&self, has_only_files: bool, more: &str) -> String {
        let mut names: Vec<&str> = self.files.iter().map(|path| &**path).collect();
        if !has_only_files {
            names.push(more);
        }
        names.join(", ")
    }
}

/// What documents of a file are for.
#[derive(Clone, Copy)]
enum Documents {
    Values,
    Schema,
}

impl Documents {
    fn annotation(self) -> &'static str {
        match self {
            Documents::Values => DATA_VALUES,
            Documents::Schema => DATA_VALUES_SCHEMA,
        }
    }
}

/// Why a document of data values does not fit.
struct Unfit {
    /// What ytt says.
    first: Error,
    /// What it would say if the first was not wrong.
    second: Option<Error>,
}

/// Keeps a failure and goes on after it, or gives it back.
pub type SetAside<'a> = dyn Fn(Error) -> Result<(), Error> + 'a;

/// Whether a failure is about keys and types that a schema declares.
fn is_of_types(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Schema(_) => true,
        ErrorKind::Overlay(facts) => {
            let fault = facts.downcast_ref::<Fault>();
            fault.and_then(|fault| fault.missing.as_ref()).is_some_and(|missing| missing.is_of_schema)
        }
        _ => false,
    }
}

/// Whether a node in a value says how it is overlaid.
fn has_operations(value: &Value) -> bool {
    let says = |meta: &Meta| meta.annotations().iter().any(|(name, _)| name.starts_with("overlay/"));
    match value {
        Value::Map(map) => map.items.iter().any(|item| says(&item.meta) || has_operations(&item.value)),
        Value::Array(array) => array.items.iter().any(|item| says(&item.meta) || has_operations(&item.value)),
        _ => false,
    }
}

/// Notes that a key which is missing is one that the schema does not declare.
fn by_schema(error: Error, schema: &Schema) -> Error {
    let ErrorKind::Overlay(facts) = error.kind() else { return error };
    let Some(fault) = facts.downcast_ref::<Fault>() else { return error };
    if fault.missing.is_none() || schema.defaults().is_none() {
        return error;
    }
    let mut fault = fault.clone();
    if let Some(missing) = &mut fault.missing {
        missing.is_of_schema = true;
    }
    Error::from(fault).reworded(error.text())
}

/// Plain YAML may have duplicate keys. They are checked like all others, and then the last one counts.
fn without_duplicates(document: Document) -> Document {
    let mut documents = DocumentSet { documents: vec![document], ..DocumentSet::default() };
    documents.override_map_keys();
    documents.documents.pop().unwrap_or_default()
}

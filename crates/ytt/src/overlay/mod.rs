//! Overlays: documents that say with annotations which nodes of others they change, and how.
//!
//! The left side is changed in place and shared where it can be: a value that an overlay puts into thousands of documents
//! is there once. The functions that usually choose documents (`overlay.subset` and the like) are not called: what they
//! do is done here, so overlaying many documents makes no values of Starlark.

mod actions;
pub(crate) mod annotations;
mod array_keys;
mod assertion;
mod calls;
mod compare;
pub(crate) mod edit;
mod engine;
mod expectation;
mod fault;
mod files;
mod item;
mod keys;
mod matching;
mod plain;
mod strip;
#[cfg(test)]
mod tests;
mod unique;

use trueline_starlark::Thread;

use crate::error::Error;
use crate::tree::{Document, DocumentSet, Position, Value};
use crate::value::{Context, Origin, into_yaml};
use calls::Caller;
pub(crate) use compare::{contains, same_by_key};
use engine::Engine;
use expectation::Expectation;
pub use fault::{Facts, Fault, MissingKey, Problem};
pub use files::{OverlayFile, post_process};
pub use plain::annotate_for_plain_merge;

/// Which documents a document of an overlay is applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// Those that its `overlay/match` annotation names, which it has to have.
    Annotated,
    /// The only one: data values and schemas.
    Exact,
}

/// What is overlaid.
pub enum Left<'a> {
    /// Documents.
    Documents(&'a mut DocumentSet),
    /// The documents of several files, counted through.
    Files(Vec<&'a mut DocumentSet>),
    /// Anything else.
    Value(&'a mut Value),
}

/// The overlay.
#[derive(Clone, Copy)]
pub enum Right<'a> {
    /// Documents.
    Documents(&'a DocumentSet),
    /// Anything else.
    Value(&'a Value),
}

/// An overlay and what it is applied to.
pub struct Operation<'a> {
    /// What is overlaid; it is changed in place.
    pub left: Left<'a>,
    /// The overlay.
    pub right: Right<'a>,
    /// Which documents are meant.
    pub exactness: Exactness,
    /// What calls the functions that annotations name.
    pub thread: &'a mut Thread,
    /// The run that it belongs to.
    pub context: &'a Context,
}

impl Operation<'_> {
    /// Applies the overlay. The annotations of overlays are removed from the result, but not from the documents of
    /// several files: there they have been printed next, and a document that was inserted may still be an overlay to those
    /// who use the result.
    ///
    /// # Errors
    /// If the overlay cannot be applied. The left side may have been changed in part.
    pub fn apply(self) -> Result<(), Fault> {
        let mut engine = Engine::new(Caller { thread: self.thread, context: self.context }, self.exactness);
        match (self.left, self.right) {
            (Left::Documents(left), Right::Documents(right)) => {
                documents_to_yaml(left);
                apply_documents(&mut engine, &mut [&mut left.documents], right)?;
                strip::strip_documents(left);
                Ok(())
            }
            (Left::Files(mut left), Right::Documents(right)) => {
                left.iter_mut().for_each(|left| documents_to_yaml(left));
                let mut lists: Vec<&mut Vec<Document>> =
                    left.iter_mut().map(|left| &mut left.documents).collect();
                apply_documents(&mut engine, &mut lists, right)
            }
            (Left::Value(left), Right::Documents(_)) => Err(Fault::kind("document set", left.type_name())),
            (Left::Value(left), Right::Value(right)) => {
                *left = to_yaml(std::mem::take(left));
                engine.apply(left, &to_yaml(right.clone()), &Expectation::default())?;
                engine.finish_value(left)?;
                strip::strip_value(left);
                Ok(())
            }
            (Left::Documents(_) | Left::Files(_), Right::Value(right)) => match right {
                Value::Map(_) => Err(Fault::kind("map", "document set")),
                Value::Array(_) => Err(Fault::kind("array", "document set")),
                _ => Ok(()),
            },
        }
    }
}

/// Overlays one document with another: data values and schemas.
///
/// # Errors
/// If the overlay cannot be applied.
pub fn overlay_document(
    left: Document,
    right: &Document,
    thread: &mut Thread,
    context: &Context,
) -> Result<Document, Error> {
    let mut left = DocumentSet { documents: vec![left], ..DocumentSet::default() };
    let right = DocumentSet { documents: vec![right.clone()], ..DocumentSet::default() };
    let operation = Operation {
        left: Left::Documents(&mut left),
        right: Right::Documents(&right),
        exactness: Exactness::Exact,
        thread,
        context,
    };
    operation.apply()?;
    // An overlay can remove the only document.
    Ok(left.documents.into_iter().next().unwrap_or_default())
}

fn apply_documents(
    engine: &mut Engine<'_>,
    left: &mut [&mut Vec<Document>],
    right: &DocumentSet,
) -> Result<(), Fault> {
    for document in &right.documents {
        let mut document = document.clone();
        document.value = to_yaml(document.value);
        engine.apply_document(left, &document)?;
    }
    engine.finish(left)
}

/// Dicts and lists that functions returned are YAML from here on.
fn to_yaml(value: Value) -> Value {
    into_yaml(value, &Origin::At(Position::unknown()))
}

fn documents_to_yaml(documents: &mut DocumentSet) {
    for document in &mut documents.documents {
        document.value = to_yaml(std::mem::take(&mut document.value));
    }
}

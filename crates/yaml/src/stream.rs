//! Reading a text: all its documents, and all that is wrong with it.

use std::sync::Arc;

use trueline_source::SourceId;

use crate::compose::{Refusal, compose};
use crate::{Comment, Dialect, Document, Limits, SyntaxError};

/// How a text is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// What it may demand.
    pub limits: Limits,
    /// Whose rules apply.
    pub dialect: Dialect,
}

/// What a text holds.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    /// The documents that could be read, in order.
    pub documents: Vec<Document>,
    /// What is wrong. After an error, reading goes on at the next line with `---`.
    pub errors: Vec<SyntaxError>,
    /// The comments that no document owns: those behind the last one, and those in what could not be read.
    pub comments: Vec<Comment>,
    /// What came first: an index into the documents or the errors.
    pub(crate) first: Option<Result<usize, usize>>,
}

impl Stream {
    /// What a reader of one document sees, as Go's `Unmarshal` does: the first document, or what is wrong
    /// with it; nothing where the text is empty. What is wrong behind the end of it is not seen.
    pub fn first(&self) -> Result<Option<&Document>, &SyntaxError> {
        match self.first {
            None => Ok(None),
            Some(Ok(index)) => Ok(self.documents.get(index)),
            Some(Err(index)) => self.errors.get(index).map_or(Ok(None), Err),
        }
    }
}

/// Reads a YAML text.
pub fn read(source: SourceId, text: &Arc<str>, options: &ReadOptions) -> Stream {
    compose(source, text, options, Refusal::Inconvertible)
}

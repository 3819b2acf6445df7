//! What reading text gives: all its documents, and all its errors.

use crate::{Comment, Dialect, Document, Limits, SyntaxError};

/// How text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// The limits that apply.
    pub limits: Limits,
    /// Whose rules apply.
    pub dialect: Dialect,
}

/// The content of the text.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    /// The documents that could be read, in order.
    pub documents: Vec<Document>,
    /// The errors. After an error, reading continues at the next line with `---`.
    pub errors: Vec<SyntaxError>,
    /// The comments that no document owns: those after the last one, and those in parts that could not be read.
    pub comments: Vec<Comment>,
    /// The first result: an index into the documents or the errors.
    pub(crate) first: Option<Result<usize, usize>>,
}

impl Stream {
    /// What a reader of one document sees, like Go's `Unmarshal`: the first document or its error; `None` if
    /// the text is empty. Errors after its end are ignored.
    pub fn first(&self) -> Result<Option<&Document>, &SyntaxError> {
        match self.first {
            None => Ok(None),
            Some(Ok(index)) => Ok(self.documents.get(index)),
            Some(Err(index)) => self.errors.get(index).map_or(Ok(None), Err),
        }
    }
}

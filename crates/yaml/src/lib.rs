//! Text to documents with spans and comments, as go-yaml and JSON readers see it, and values back to
//! text as go-yaml writes it.
//!
//! A [`Document`] is an arena that borrows from its source: it is what schemas and rules look at. A
//! [`Value`] is a tree of its own that can be merged and passed on, each node with its origin.

mod dialect;
mod document;
mod error;
pub mod json;
pub mod number;
mod value;
mod writer;

pub use dialect::Dialect;
pub use document::{
    Builder, Comment, CommentOwner, Document, Duplicate, Entry, MappingEntries, NodeId, NodeKind, NodeRef,
    Placement, ScalarStyle, ScalarValue, SequenceItems, Text,
};
pub use error::{Limits, SyntaxError, SyntaxErrorKind};
pub use value::{Data, Map, MapEntry, Value};
pub use writer::{MarshalError, marshal, write};

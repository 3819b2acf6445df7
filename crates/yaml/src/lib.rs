//! Reads YAML and JSON into documents with spans and comments, as go-yaml and JSON readers do, and writes
//! values as go-yaml writes them.
//!
//! A [`Document`] is an arena that borrows from its source: schemas and rules work on it. A [`Value`] is an
//! independent tree that can be merged and passed on, with an origin on each node.

mod classes;
mod codes;
mod comments;
mod compose;
mod decode;
mod diagnostics;
mod dialect;
mod document;
mod draft;
mod error;
mod events;
mod fault;
mod go;
mod go_syntax;
pub mod json;
mod parser;
mod resolve;
mod scanner;
pub mod selfcheck;
mod stream;
mod timestamp;
mod value;
mod writer;

pub use codes::*;
pub use comments::line_starts;
pub use compose::read;
pub use dialect::Dialect;
pub use document::{
    Builder, Comment, CommentOwner, Document, Duplicate, Entry, MappingEntries, NodeId, NodeKind, NodeRef,
    Placement, ScalarStyle, ScalarValue, SequenceItems, Text,
};
pub use draft::{Brackets, Draft, DraftContent, DraftNode};
pub use error::{Limits, SyntaxError, SyntaxErrorKind};
pub use events::{CommentPlace, Event, Events, NodePlace, Scalar};
pub use go::{GoError, yaml_to_json, yaml_to_json_strict, yaml_to_value};
pub use go_syntax::quote as go_quote;
pub use stream::{ReadOptions, Stream};
pub use timestamp::is_timestamp;
pub use trueline_gostd::number;
pub use value::{Data, Map, MapEntry, Value};
pub use writer::{Dashes, Emitter, EmptyKey, MarshalError, marshal, sorted_as_written, write, write_drafts};

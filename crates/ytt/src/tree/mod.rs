//! ytt's documents: its own tree, because keys may be of any type, strings are bytes, and every node has a position,
//! comments and annotations.

mod annotation;
mod compare;
mod go;
mod meta;
mod node;
mod plain;
mod position;
mod read;
#[cfg(test)]
mod tests;
mod text;
mod write;

pub use annotation::{Annotation, Annotations, Argument};
pub use compare::KeyIndex;
pub use meta::{Comment, Extra, Meta};
pub use node::{Array, ArrayItem, Document, DocumentSet, Made, Map, MapItem, Presence, Value};
pub use position::{File, Position};
pub use read::{CommentHandling, ReadError, ReadOneError, ReadOptions, Scalars, read, read_one};
pub use text::Text;
pub(crate) use write::leaf;
pub use write::{
    Format, JsonOptions, Part, Piece, Printer, WriteError, json_of, write_documents, yaml_of,
    yaml_with_pieces,
};

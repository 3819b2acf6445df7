//! This crate says where text comes from: sources and their ids, spans, the origins of rendered text, and the
//! [`Loader`] trait through which every other crate reads files.
//!
//! This crate knows nothing of YAML, of diagnostics or of the disk.

mod loader;
mod map;
mod origin;
mod span;

pub use loader::{
    ArchiveLimits, ArchiveLoader, Entry, EntryKind, Fetch, Fetched, Listed, LoadError, LoadErrorKind, Loader,
    MemoryLoader, Meter, Metered, Name, OverlayLoader, Reader, normalize_path,
};
pub use map::{Position, Source, SourceKind, SourceMap};
pub use origin::{Call, Origin, OriginMap, OriginRun, Resolved};
pub use span::{SourceId, Span};

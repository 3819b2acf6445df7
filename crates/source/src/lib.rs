//! Where text comes from: sources and their ids, spans, the origins of rendered text, the [`System`] that a program runs
//! on, and the [`Loader`] trait through which every other crate reads files.
//!
//! This crate knows nothing of YAML, of diagnostics or of the disk.

mod cancel;
mod loader;
mod map;
mod noted;
mod origin;
mod span;
mod system;

pub use cancel::Cancel;
pub use loader::{
    ArchiveLimits, ArchiveLoader, Entry, EntryKind, Fetch, Fetched, Listed, LoadError, LoadErrorKind, Loader,
    MemoryLoader, Meter, Metered, Name, OverlayLoader, Reader, normalize_path,
};
pub use map::{Position, Source, SourceKind, SourceMap};
pub use noted::{Judge, Judged, Look, NotedSystem, OpenText, Reads, Texts, hash_of};
pub use origin::{Call, Origin, OriginMap, OriginRun, Resolved};
pub use span::{SourceId, Span};
pub use system::{
    CertificateFault, Certificates, Ending, FileChange, Finished, MAX_READ, MemorySystem, Network, NewFile,
    NotWritten, Phase, Placing, Program, Reach, Readers, Receiving, RedirectFault, Request, Response, Secret,
    SendError, SendErrorKind, Stat, StatKind, System, TrustFault, TypedReadError, TypedReadErrorKind,
    Unfollowed, Verification, failure, make_directories, plain, read_bounded, read_expected, read_into,
    read_typed,
};

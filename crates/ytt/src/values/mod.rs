//! Data values and their schemas: which documents hold them, what flags and the environment add, in which order all of
//! these are overlaid, and which library each of them is for.

mod combine;
#[cfg(test)]
mod combine_tests;
mod envelope;
mod extract;
mod flags;
mod found;
mod library_ref;
mod plain;
#[cfg(test)]
mod tests;

pub use combine::{CombinedSchema, CombinedValues, Combining, SetAside};
pub use envelope::{DATA_VALUES, DATA_VALUES_SCHEMA, Envelope, Precedence, SchemaEnvelope, check_all_used};
pub use extract::{Extracted, extract, has_documents};
pub use flags::{FlagDocuments, FlagInputs, FlagValue, Flags};
pub use found::FoundFile;
pub use library_ref::{LIBRARY_REF, LibraryRef};
pub use plain::as_plain_merge;

//! JSON Schema over our own nodes: what a schema is, where its references lead, and which rules a
//! document breaks. Facts first ([`Violation`]); the words are put on them in one place.

mod closest;
mod deprecated;
mod error_message;
mod help;
mod instance;
mod suggest;
mod violation;
mod words;

pub use instance::{Instance, Items, ItemsIter, Members, MembersIter, Number, Tree};
pub use violation::{Place, SchemaLookup, Violation};
pub use words::{CODES, WordingContext, diagnose};

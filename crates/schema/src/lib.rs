//! JSON Schema over our own nodes: what a schema is, where its references lead, and which rules a
//! document breaks. Facts first ([`Violation`]); the words are put on them in one place.

mod instance;
mod violation;

pub use instance::{Instance, Items, ItemsIter, Members, MembersIter, Number, Tree};
pub use violation::{Place, SchemaLookup, Violation};

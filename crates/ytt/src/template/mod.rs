//! YAML templates: comments become code, the code is run, and what it builds are the documents of the output.
//!
//! A file is compiled to one Starlark program: for each node, in order, the code lines above it, a call for each
//! annotation, a call that begins the node, and one that sets its value. A subtree without any code is one call.

mod builder;
mod compile;
mod evaluate;
mod failure;
mod listing;
mod literal;
mod meta;
mod node;
mod program;
mod replace;
#[cfg(test)]
mod tests;

pub use builder::KeyOverrides;
pub use compile::{Options, compile_yaml, has_templating};
pub(crate) use listing::{InstructionNames, Listing, Source, trim_end, trim_start};
pub use meta::UnknownComments;
pub(crate) use node::{Fixed, NodeKind, NodeTable, Prototype, ROOT};
pub use program::{Loader, Output, Program, compile_starlark};

pub(crate) use builder::MAP_KEY_OVERRIDE;
pub(crate) use failure::typed_line;
pub(crate) use literal::TEXT_TEMPLATED;

//! Reads broken expressions: what is wrong, and what can be read in spite of it.
//!
//! It follows the same [`grammar`] with the same strategy as cel-go's reader: a token too much is left out, a missing one
//! made up, and otherwise tokens are skipped until something fits that may follow one of the rules being read.

mod grammar;
mod predict;
mod run;
mod stacks;

pub(super) use run::read;

//! The edge of the program: flags, exit codes, the terminal, the disk and the network. Nothing below
//! this crate touches any of them.

mod cache;
mod checking;
mod command;
mod disk;
mod environment;
mod flags;
mod http;
mod inputs;
mod output;
mod progress;
mod terminal;

pub use command::{command, run};

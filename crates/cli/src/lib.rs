//! The edge of the program: flags, exit codes, the terminal, the disk and the network. Nothing below
//! this crate touches any of them.

mod cache;
mod certificates;
mod chart_flags;
mod checking;
mod command;
mod disk;
mod environment;
mod failure;
mod flags;
mod helm;
mod http;
mod kube_flags;
mod machine;
mod output;
mod pflag;
mod printer;
mod process;
mod progress;
mod terminal;
mod transport;
mod world;
mod writing;
mod ytt;
mod ytt_flags;

pub use command::{command, run};
use std::ffi::OsString;

pub use helm::run as helm;
pub use world::{Captured, World};
pub use ytt::run as ytt;

/// Runs the kubeconform family on the words after `kubeconform`, and returns the exit code.
pub fn kubeconform(arguments: &[OsString], world: &mut World) -> u8 {
    trueline_kubeconform::run(arguments, world)
}

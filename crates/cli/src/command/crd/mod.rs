//! `trueline crd`: what concerns CRDs and their objects.

mod check;
mod conditions;
mod diff;
mod objects;
mod publish;

use std::sync::Arc;

use clap::{Args, Subcommand};
use trueline_analysis::CrdFiles;

use super::Ended;
use crate::machine::{Machine, NoDirectory};
use crate::terminal::ColorChoice;

/// Check CRDs, and see what a cluster makes of them and of their objects
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Crd {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Check),
    Prune(objects::Prune),
    Default(objects::Default),
    Diff(diff::Diff),
    Publish(publish::Publish),
}

impl Crd {
    pub(crate) fn run(self, color: ColorChoice) -> Ended {
        match self.command {
            Command::Check(command) => command.run(color),
            Command::Prune(command) => command.run(),
            Command::Default(command) => command.run(),
            Command::Diff(command) => command.run(color),
            Command::Publish(command) => command.run(),
        }
    }
}

/// The files that commands read CRDs and objects from.
pub(super) fn files() -> Result<CrdFiles, NoDirectory> {
    Ok(CrdFiles::new(Arc::new(Machine::of_process()?)))
}

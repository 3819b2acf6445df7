//! `trueline crd`: what concerns CRDs and their objects.

mod check;
mod conditions;
mod diff;
mod kept;
mod objects;
mod patch;
mod publish;
pub(super) mod reading;

use clap::{Args, Subcommand};

use super::Ended;
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

//! `trueline extension`: what concerns extension manifests alone.

mod check;
mod schema;

use clap::{Args, Subcommand};

use super::Ended;
use crate::terminal::ColorChoice;

/// Check extension manifests, or print their schemas
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Extension {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(Box<check::Check>),
    Schema(schema::Schema),
}

impl Extension {
    pub(crate) fn run(self, color: ColorChoice) -> Ended {
        match self.command {
            Command::Check(command) => command.run(color),
            Command::Schema(command) => command.run(),
        }
    }
}

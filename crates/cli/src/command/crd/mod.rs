//! `trueline crd`: what concerns definitions of kinds (CRDs) and their objects.

mod check;
mod diff;

mod objects;
mod publish;

use std::path::Path;

use clap::{Args, Subcommand};
use trueline_kube::crd::{self, Decoded};
use trueline_source::SourceMap;

use super::Ended;
use crate::terminal::ColorChoice;

/// Check definitions of kinds (CRDs), and see what a cluster makes of them and of their objects
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

/// The definitions in a file.
fn definitions(path: &Path, sources: &SourceMap) -> Result<Vec<Decoded>, String> {
    let shown = path.display();
    let mut found = Vec::new();
    for value in objects::documents(path, sources)?.iter().filter(|value| crd::is_crd(value)) {
        let decoded = crd::decode(value)
            .map_err(|error| format!("a cluster cannot read the definition in `{shown}`: {}", error.text))?;
        found.push(decoded);
    }
    if found.is_empty() {
        return Err(format!("`{shown}` holds no definition of a kind (CustomResourceDefinition)"));
    }
    Ok(found)
}

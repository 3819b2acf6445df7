//! `trueline kubeconform`: the family that takes kubeconform's command line. Its flags are read by a parser of its own,
//! as Go reads them; here it has its place among the other subcommands.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use super::{COULD_NOT_RUN, Ended};
use crate::terminal::{self, complain};
use crate::world::World;

/// Validate manifests against JSON Schemas with kubeconform's command line
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "Examples:
  trueline kubeconform -summary -strict -kubernetes-version 1.35.0 manifests/
  trueline kubeconform -output json -schema-location default -schema-location 'crds/{{ .ResourceKind }}.json' x.yaml
  trueline kubeconform -h"
)]
pub(crate) struct Kubeconform {
    /// kubeconform's flags, then files and directories; standard input without any
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS AND FILES")]
    arguments: Vec<OsString>,
}

impl Kubeconform {
    pub(crate) fn run(self) -> Ended {
        let mut world = World::of_process()?;
        // Nobody would know that it waits for them to type manifests, and nothing else of this sort has any.
        if terminal::stdin_is_device() {
            world.set_standard_input(Box::new(Silent));
        }
        Ok(crate::kubeconform(&self.arguments, &mut world))
    }
}

/// A device that nothing is to be read from.
struct Silent;

impl std::io::Read for Silent {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("failing to read data from stdin"))
    }
}

/// Runs the family on the words after `kubeconform`.
pub(super) fn run(arguments: &[OsString]) -> ExitCode {
    match (Kubeconform { arguments: arguments.to_vec() }).run() {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            complain(&format!("error: {failure}"));
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

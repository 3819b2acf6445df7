//! `trueline ytt`: the family that takes ytt's command line. Its flags are read by a parser of its own, with ytt's
//! texts; here it has its place among the other subcommands.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use super::{COULD_NOT_RUN, Ended};
use crate::terminal::complain;
use crate::world::World;

/// Run ytt templates, data values, schemas and overlays with ytt's command line
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "Examples:
  trueline ytt -f config/
  trueline ytt -f config/ -v app.name=web --data-values-file prod.yml
  trueline ytt -f config/ --data-values-schema-inspect -o openapi-v3
  trueline ytt --help"
)]
pub(crate) struct Ytt {
    /// ytt's flags, or one of its commands with flags
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS")]
    arguments: Vec<OsString>,
}

impl Ytt {
    pub(crate) fn run(self) -> Ended {
        let mut world = World::of_process()?;
        Ok(crate::ytt::run(&self.arguments, &mut world))
    }
}

/// Runs the family on what comes after `ytt`.
pub(super) fn run(arguments: &[OsString]) -> ExitCode {
    match (Ytt { arguments: arguments.to_vec() }).run() {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            complain(&format!("error: {failure}"));
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

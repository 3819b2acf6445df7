//! `trueline helm`: the family that takes Helm's command line. Its flags are read by a parser of its own, with
//! Helm's texts; here it has its place among the other subcommands.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use super::{COULD_NOT_RUN, Ended, behind};
use crate::terminal::complain;
use crate::world::World;

/// Render, lint, package and fetch charts with Helm's command line, and make schemas of their values
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "Examples:
  trueline helm template NAME CHART -f values.yaml --set a.b=1
  trueline helm --compat helm3 template NAME CHART
  trueline helm template --help"
)]
pub(crate) struct Helm {
    /// A command of the family with its flags, as Helm takes them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    arguments: Vec<OsString>,
}

impl Helm {
    pub(crate) fn run(self) -> Ended {
        let mut world = World::of_process()?;
        Ok(crate::helm::run(&self.arguments, &mut world))
    }
}

/// The same for the words after `help helm`: the family has help of its own for its commands.
pub(super) fn help_behind(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let place = arguments.windows(2).position(|words| words == ["help", "helm"])?;
    let (before, rest) = arguments.split_at_checked(place)?;
    let probe: Vec<OsString> = before.iter().cloned().chain(["helm".into()]).collect();
    behind(&probe, "helm").filter(|inside| inside.is_empty())?;
    let named = rest.get(2..).filter(|named| !named.is_empty())?;
    Some(std::iter::once("help".into()).chain(named.iter().cloned()).collect())
}

/// Runs the family on the words after `helm`.
pub(super) fn run(arguments: &[OsString]) -> ExitCode {
    match (Helm { arguments: arguments.to_vec() }).run() {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            complain(&format!("error: {failure}"));
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_is_found_behind_our_own_flags() {
        let found = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            behind(&arguments, "helm").map(|rest| rest.len())
        };
        assert_eq!(found("trueline helm template --color never"), Some(3));
        assert_eq!(found("trueline --color never helm"), Some(0));
        assert_eq!(found("trueline --color=never helm x"), Some(1));
        assert_eq!(found("trueline check helm"), None);
        assert_eq!(found("trueline"), None);
        let help = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            help_behind(&arguments).map(|rest| rest.len())
        };
        assert_eq!(help("trueline help helm dependency update"), Some(3));
        assert_eq!(help("trueline --color never help helm lint"), Some(2));
        for line in ["trueline help helm", "trueline help check", "trueline check help helm lint", "trueline"]
        {
            assert_eq!(help(line), None, "{line}");
        }
    }
}

//! The command line: one file a subcommand, each with its flags, its help and what it does.

mod check;
mod completions;
mod crd;
mod explain;
mod explain_value;
mod extension;
mod helm;
mod kubeconform;
mod man;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::terminal::{ColorChoice, complain};

/// Nothing wrong was found.
pub(crate) const VALID: u8 = 0;
/// Something wrong was found.
pub(crate) const INVALID: u8 = 1;
/// The run could not be made, or not wholly: bad usage, or an input that cannot be read.
pub(crate) const COULD_NOT_RUN: u8 = 2;

/// Is this Kubernetes configuration valid?
#[derive(Debug, Parser)]
#[command(
    name = "trueline",
    version,
    arg_required_else_help = true,
    subcommand_required = true,
    after_help = "Exit codes: 0 nothing wrong, 1 something wrong, 2 could not run (bad usage, unreadable input)."
)]
struct Cli {
    /// When to use colour
    ///
    /// `auto` uses colour on a terminal, and heeds NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM=dumb.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(Box<check::Check>),
    Crd(crd::Crd),
    Extension(extension::Extension),
    Helm(helm::Helm),
    Kubeconform(kubeconform::Kubeconform),
    Explain(explain::Explain),
    ExplainValue(explain_value::ExplainValue),
    Completions(completions::Completions),
    Man(man::Man),
}

/// The command line as a value, for whatever is generated from it.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program on its arguments, of which the first is its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(rest) = behind(&arguments, "helm") {
        return helm::run(rest);
    }
    if let Some(rest) = behind(&arguments, "kubeconform") {
        return kubeconform::run(rest);
    }
    if let Some(rest) = helm::help_behind(&arguments) {
        return helm::run(&rest);
    }
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Fails only if nobody reads.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { COULD_NOT_RUN } else { VALID });
        }
    };
    let result = match cli.command {
        Command::Check(command) => command.run(cli.color),
        Command::Crd(command) => command.run(cli.color),
        Command::Extension(command) => command.run(cli.color),
        Command::Helm(command) => command.run(),
        Command::Kubeconform(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::ExplainValue(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(message) => {
            complain(&format!("error: {message}"));
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

/// What stands behind the name of a family, if that is the subcommand: none of it is for us to read.
fn behind<'a>(arguments: &'a [OsString], family: &str) -> Option<&'a [OsString]> {
    let mut rest = arguments.get(1..)?;
    loop {
        let (first, behind) = rest.split_first()?;
        match first.to_str()? {
            word if word == family => return Some(behind),
            "--color" => rest = behind.get(1..)?,
            other if other.starts_with("--color=") => rest = behind,
            _ => return None,
        }
    }
}

/// What a subcommand ends with: an exit code, or a sentence on why it could not run.
pub(crate) type Ended = Result<u8, String>;

/// Prints the only output of a subcommand.
pub(crate) fn say(text: &str) -> Ended {
    match crate::terminal::print(text) {
        Ok(()) => Ok(VALID),
        Err(error) => Err(format!("standard output cannot be written: {}", crate::disk::plain(&error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    /// Every flag and every subcommand says what it is for.
    #[test]
    fn everything_has_help() {
        fn walk(command: &clap::Command, path: &str) {
            assert!(command.get_about().is_some(), "{path} has no help");
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{path} {} has no help", argument.get_id());
            }
            for inner in command.get_subcommands() {
                walk(inner, &format!("{path} {}", inner.get_name()));
            }
        }
        walk(&command(), "trueline");
    }
}

//! The command line: one file a subcommand, each with its flags, its help and what it does.

mod cel;
mod check;
mod completions;
mod crd;
mod explain;
mod explain_value;
mod extension;
mod helm;
mod kubeconform;
mod man;
mod ytt;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use trueline_report::harmless;

use crate::failure::Failure;
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
    Cel(cel::Cel),
    Extension(extension::Extension),
    Helm(helm::Helm),
    Kubeconform(kubeconform::Kubeconform),
    Ytt(ytt::Ytt),
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
    if let Some(rest) = behind(&arguments, "ytt") {
        return ytt::run(rest);
    }
    if let Some(rest) = helm::help_behind(&arguments) {
        return helm::run(&rest);
    }
    if let Some(advice) = advice(&arguments) {
        complain(&format!("error: {advice}"));
        return ExitCode::from(COULD_NOT_RUN);
    }
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // What was typed is repeated in the message.
            match arguments.iter().any(|typed| harmless(&typed.to_string_lossy()) != typed.to_string_lossy())
            {
                true => complain(error.render().to_string().trim_end()),
                // Fails only if nobody reads.
                false => drop(error.print()),
            }
            return ExitCode::from(if error.use_stderr() { COULD_NOT_RUN } else { VALID });
        }
    };
    let result = match cli.command {
        Command::Check(command) => command.run(cli.color),
        Command::Crd(command) => command.run(cli.color),
        Command::Cel(command) => command.run(),
        Command::Extension(command) => command.run(cli.color),
        Command::Helm(command) => command.run(),
        Command::Kubeconform(command) => command.run(),
        Command::Ytt(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::ExplainValue(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            complain(&format!("error: {failure}"));
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

/// The words after the name of a family, if that is the subcommand: none of it is for us to read.
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

/// Words that people type because other tools have them, and what to type here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("lint", "trueline check"),
    ("validate", "trueline check"),
    ("template", "trueline helm template"),
    ("render", "trueline helm template"),
    ("create", "trueline helm create"),
    ("package", "trueline helm package"),
    ("version", "trueline --version"),
];

/// What to type in place of a subcommand that other tools have.
fn advice(arguments: &[OsString]) -> Option<String> {
    let Some((word, instead)) = ELSEWHERE.iter().find(|(word, _)| behind(arguments, word).is_some()) else {
        return without_command(arguments);
    };
    let rest = behind(arguments, word).filter(|_| !instead.ends_with("--version")).unwrap_or_default();
    let typed: Vec<String> = [(*instead).to_owned()]
        .into_iter()
        .chain(rest.iter().map(|argument| argument.to_string_lossy().into_owned()))
        .collect();
    let others = if *word == "lint" { "; Helm's own lint is `trueline helm lint`" } else { "" };
    Some(format!("there is no command `trueline {word}`; type `{}`{others}", typed.join(" ")))
}

/// What to type where a path is in the place of a subcommand.
fn without_command(arguments: &[OsString]) -> Option<String> {
    const FILES: [&str; 4] = [".yaml", ".yml", ".json", ".tgz"];
    let rest = arguments.get(1..)?;
    let path = rest.first()?.to_str()?;
    let is_path =
        matches!(path, "." | "..") || path.contains('/') || FILES.iter().any(|end| path.ends_with(end));
    if path.starts_with('-') || !is_path {
        return None;
    }
    let typed: Vec<String> = rest.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    Some(format!("`{path}` is not a command; type `trueline check {}`", typed.join(" ")))
}

/// What a subcommand ends with: an exit code, or why it could not run.
pub(crate) type Ended = Result<u8, Failure>;

/// Prints the only output of a subcommand.
pub(crate) fn say(text: &str) -> Ended {
    crate::terminal::print(text).map(|()| VALID).map_err(Failure::Output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn commands_of_other_tools_say_what_to_type() {
        let said = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            advice(&arguments).unwrap_or_default()
        };
        assert_eq!(
            said("trueline lint charts/web --strict"),
            "there is no command `trueline lint`; type `trueline check charts/web --strict`; Helm's own lint is \
             `trueline helm lint`"
        );
        assert!(said("trueline --color never version").ends_with("type `trueline --version`"));
        assert_eq!(said("trueline ./web -q"), "`./web` is not a command; type `trueline check ./web -q`");
        assert!(said("trueline web-1.0.0.tgz").ends_with("type `trueline check web-1.0.0.tgz`"));
        assert_eq!(said("trueline --color always"), "");
        assert_eq!(said("trueline check lint"), "");
        for (word, instead) in ELSEWHERE {
            assert!(command().find_subcommand(word).is_none(), "{word}");
            assert!(instead.starts_with("trueline "), "{word}");
        }
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

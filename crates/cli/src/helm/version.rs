//! `helm version`: which Helm is followed.

use trueline_helm::chart::Compat;
use trueline_helm::engine;

use super::Session;
use super::command::{Arguments, Command};
use super::dice::{Dice, Names};
use super::flag::{Flag, Parsed};

pub(super) const COMMAND: Command = Command {
    name: "version",
    aliases: &[],
    usage: "",
    summary: "Print which version of Helm is followed",
    description: "
For scripts that ask Helm for its version. That of trueline itself is printed by `trueline --version`.
",
    arguments: |_| Arguments::Exactly(0),
    flags,
    exclusive: |_| &[],
    run,
};

fn flags(compat: Compat) -> Vec<Flag> {
    let mut flags = vec![
        Flag::switch("short", "print the number only"),
        Flag::text("template", "print what a template makes of it, such as \"{{.Version}}\""),
    ];
    if compat == Compat::Helm3 {
        flags.push(Flag::switch("client", "").short('c').hidden());
    }
    flags
}

fn run(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let compat = session.compat;
    let text = match parsed.text_or_empty("template") {
        "" if parsed.is_on("short") => format!("{}\n", engine::helm_version(compat)),
        "" => format!("{}\n", engine::build_info(compat)),
        template => {
            let dice = Dice::new(session.world, session.settings.seed, Names::Unknown);
            engine::version_from_template(template, compat, &dice)?
        }
    };
    session.world.print(text.as_bytes())
}

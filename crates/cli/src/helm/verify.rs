//! `helm verify`: signatures of charts. There is no OpenPGP here, so that a signature that is there is not believed.

use trueline_helm::chart::Compat;

use super::Session;
use super::command::{Arguments, Command};
use super::flag::{Flag, Parsed};
use crate::world::go_error;

pub(super) const COMMAND: Command = Command {
    name: "verify",
    aliases: &[],
    usage: "PATH",
    summary: "Say whether a packed chart is signed; signatures themselves are not checked",
    description: "
PATH is an archive whose signature stands beside it, in a file of the same name with .prov behind it. Signatures are
not checked: where there is one, the command fails and says so.
",
    arguments: |_| Arguments::Exactly(1),
    flags,
    exclusive: |_| &[],
    run,
};

fn flags(_compat: Compat) -> Vec<Flag> {
    vec![Flag::text("keyring", "").hidden()]
}

fn run(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let path = parsed.arguments.first().map(String::as_str).unwrap_or_default();
    let stat = |path: &str| {
        std::fs::metadata(session.world.path(path))
            .map_err(|error| format!("stat {path}: {}", go_error(&error)))
    };
    if stat(path)?.is_dir() {
        return Err("unpacked charts cannot be verified".to_owned());
    }
    let signature = format!("{path}.prov");
    stat(&signature).map_err(|wrong| format!("could not load provenance file {signature}: {wrong}"))?;
    Err("signatures of charts are not checked here: use `helm verify`".to_owned())
}

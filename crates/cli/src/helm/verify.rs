//! `helm verify`: signatures of charts.

use trueline_helm::chart::Compat;

use super::command::{Arguments, Command};
use super::flag::{Flag, Parsed};
use super::{Session, signature};

pub(super) const COMMAND: Command = Command {
    name: "verify",
    aliases: &[],
    usage: "PATH",
    summary: "Say who signed a packed chart, and fail unless a known key did",
    description: "
PATH is an archive whose signature stands beside it, in a file of the same name with .prov after it. The key that
signed it has to be in the keyring, and the archive must be the one that was signed. Only a trueline that was built
with `--features sign` can do this; others fail where there is a signature.
",
    arguments: |_| Arguments::Exactly(1),
    flags,
    exclusive: |_| &[],
    run,
};

fn flags(_compat: Compat) -> Vec<Flag> {
    vec![signature::keyring_flag()]
}

fn run(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let path = parsed.arguments.first().map(String::as_str).unwrap_or_default();
    let verified = signature::verify_file(path, parsed, session.world)?;
    session.world.tell(&verified.to_text())
}

//! `helm dependency`: the charts that a chart depends on.

mod list;
mod manager;
mod store;

use trueline_helm::chart::Compat;

use super::Session;
use super::command::{Arguments, Command, Group};
use super::flag::{Flag, FlagKind, Parsed};
use super::{remote, signature};
use crate::world::clean;

pub(super) use manager::{update, update_quietly};

pub(super) const GROUP: Group = Group {
    name: "dependency",
    aliases: &["dep", "dependencies"],
    summary: "List, update and rebuild the dependencies of a chart",
};

pub(super) const LIST: Command = Command {
    name: "dependency list",
    aliases: &["ls"],
    usage: "CHART",
    summary: "List the dependencies of a chart",
    description: "
CHART is the directory of a chart or an archive; without it, the working directory.
",
    arguments: |_| Arguments::AtMost(1),
    flags: |_| {
        vec![Flag::new("max-col-width", FlagKind::Integer, "the widest that a column may be (default 80)")]
    },
    exclusive: |_| &[],
    run: |session, parsed| list::run(session, parsed, &chart_path(parsed)),
};

pub(super) const UPDATE: Command = Command {
    name: "dependency update",
    aliases: &["up"],
    usage: "CHART",
    summary: "Put the newest charts that Chart.yaml allows into charts/",
    description: "
The versions are written into Chart.lock. Archives are checked against the sums of their indexes; if one of them
cannot be had, charts/ and Chart.lock stay as they are.
",
    run: |session, parsed| update(session, parsed, &chart_path(parsed)),
    ..BUILD
};

pub(super) const BUILD: Command = Command {
    name: "dependency build",
    aliases: &[],
    usage: "CHART",
    summary: "Put the charts that Chart.lock names into charts/",
    description: "
Without a Chart.lock it does what `dependency update` does.
",
    arguments: |_| Arguments::AtMost(1),
    flags,
    exclusive: |_| &[],
    run: |session, parsed| manager::build(session, parsed, &chart_path(parsed)),
};

fn flags(_: Compat) -> Vec<Flag> {
    let mut flags =
        vec![Flag::switch("skip-refresh", "use the indexes that were fetched before, and fetch none")];
    flags.extend(remote::FLAGS);
    flags.extend([signature::verify_flag(), signature::keyring_flag()]);
    flags
}

fn chart_path(parsed: &Parsed) -> String {
    let typed = parsed.arguments.first().map_or(".", String::as_str);
    clean(std::path::Path::new(typed)).to_string_lossy().into_owned()
}

/// Prints a line.
fn say(session: &mut Session<'_>, line: &str) -> Result<(), String> {
    session.world.tell(&format!("{line}\n"))
}

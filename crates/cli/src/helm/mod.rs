//! The helm family: commands that take Helm's flags and print what Helm prints. One file a command, each with
//! its table of flags.

mod command;
mod create;
mod dependency;
mod dice;
mod env;
mod lint;
mod loading;
mod location;
mod package;
mod post_render;
mod pull;
pub(crate) mod release_name;
mod remote;
mod repo;
mod schema;
mod search;
mod settings;
mod show;
mod signature;
pub(crate) mod suggestion;
mod table;
mod template;
pub(crate) mod values;
mod verify;
mod version;

use std::ffi::OsString;

use trueline_helm::chart::Compat;
use trueline_helm::log::{Level, LogLine};
use trueline_helm::quote;

use self::command::{Called, Command, Group};
use self::flag::{Flag, Parsed};
use self::settings::Settings;
use crate::pflag as flag;
use crate::world::World;

/// All commands. A command of two words belongs to a group.
const COMMANDS: &[Command] = &[
    create::COMMAND,
    dependency::BUILD,
    dependency::LIST,
    dependency::UPDATE,
    env::COMMAND,
    lint::COMMAND,
    package::COMMAND,
    pull::COMMAND,
    repo::ADD,
    repo::INDEX,
    repo::LIST,
    repo::REMOVE,
    repo::UPDATE,
    schema::BUNDLE,
    schema::DOCS,
    schema::INFER,
    search::REPO,
    show::ALL,
    show::CHART,
    show::CRDS,
    show::README,
    show::VALUES,
    template::COMMAND,
    verify::COMMAND,
    version::COMMAND,
];

/// The groups of commands.
const GROUPS: &[Group] = &[dependency::GROUP, repo::GROUP, schema::GROUP, search::GROUP, show::GROUP];

/// Commands of Helm that need a cluster, or are not here.
const ABSENT: &[&str] = &[
    "get",
    "history",
    "install",
    "list",
    "plugin",
    "push",
    "registry",
    "rollback",
    "status",
    "test",
    "uninstall",
    "upgrade",
];

/// The run of one command.
struct Session<'w> {
    world: &'w mut World,
    compat: Compat,
    settings: Settings,
}

impl Session<'_> {
    /// Prints a line of the log, if it is one that is shown.
    fn log(&mut self, line: &LogLine) {
        if line.level == Level::Debug && !self.settings.debug {
            return;
        }
        if let Some(text) = line.render(self.compat) {
            self.world.complain(&text);
        }
    }

    fn log_all(&mut self, lines: &[LogLine]) {
        lines.iter().for_each(|line| self.log(line));
    }
}

/// Deep documents are read by functions that call themselves; the limits on depth are made for this much.
const STACK: usize = 64 << 20;

/// Runs a command of the family on the words after `helm`, and returns the exit code.
pub fn run(arguments: &[OsString], world: &mut World) -> u8 {
    let arguments: Vec<String> =
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    // It fails where this was done before, which is as good.
    let _ = rayon::ThreadPoolBuilder::new().stack_size(STACK).build_global();
    let ended = trueline_helm::engine::on_large_stack(|| {
        let code = match dispatch(&arguments, world) {
            Ok(()) => 0,
            Err(message) => {
                if !message.is_empty() {
                    world.complain(&message);
                }
                1
            }
        };
        world.end(code);
        code
    });
    ended.unwrap_or_else(|wrong| {
        world.complain(&format!("Error: {wrong}"));
        1
    })
}

fn dispatch(arguments: &[String], world: &mut World) -> Result<(), String> {
    let compat = settings::compat(arguments, world).map_err(|message| format!("Error: {message}"))?;
    let globals = settings::flags(compat);
    let help = Flag::switch("help", "print this help").short('h');
    let words = flag::words(&globals, arguments);
    let Some((_, word)) = words.first().copied() else {
        let flags: Vec<Flag> = globals.into_iter().chain([help]).collect();
        parse(&flags, arguments, compat, world)?;
        return print_overview(world);
    };
    if word == "help" {
        let named: Vec<&str> = words.iter().skip(1).map(|(_, word)| *word).collect();
        return match command::called(&named, COMMANDS, GROUPS) {
            Some(Called::Command(command, _)) => print_help(command, compat, world),
            Some(Called::Group(group)) => print_group(group, world),
            None => print_overview(world),
        };
    }
    let named: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
    let (command, taken) = match command::called(&named, COMMANDS, GROUPS) {
        Some(Called::Command(command, taken)) => (command, taken),
        Some(Called::Group(group)) => return print_group(group, world),
        None => return Err(unknown(word)),
    };
    let mut rest = arguments.to_vec();
    for (place, _) in words.iter().take(taken).rev() {
        rest.remove(*place);
    }
    let mut flags = (command.flags)(compat);
    flags.extend(globals);
    flags.push(help);
    let parsed = parse(&flags, &rest, compat, world)?;
    if parsed.is_on("help") {
        return print_help(command, compat, world);
    }
    let error = |message: String| format!("Error: {message}");
    (command.arguments)(compat).check(command, parsed.arguments.len()).map_err(error)?;
    for group in (command.exclusive)(compat) {
        let mut set: Vec<&str> = group.iter().copied().filter(|name| parsed.is_set(name)).collect();
        if set.len() > 1 {
            set.sort_unstable();
            return Err(error(format!(
                "if any flags in the group [{}] are set none of the others can be; [{}] were all set",
                group.join(" "),
                set.join(" ")
            )));
        }
    }
    let settings = Settings::new(&parsed, compat, world)?;
    (command.run)(&mut Session { world, compat, settings }, &parsed).map_err(error)
}

/// Reads flags. What is to be said about deprecated ones is said if the rest can be read.
fn parse(flags: &[Flag], arguments: &[String], compat: Compat, world: &mut World) -> Result<Parsed, String> {
    let mut log = Vec::new();
    let parsed = flag::parse(flags, arguments, &mut |flag, value, before| match flag.name {
        "compat" => {
            settings::parse_compat(value).map(|_| ()).ok_or_else(|| "it must be helm3 or helm4".to_owned())
        }
        "wait" => wait(value, &mut log),
        "output" => table::Form::parse(value).map(|_| ()),
        "post-renderer" => post_render::check(value, before, compat, world, &mut log),
        _ => Ok(()),
    });
    for line in log.iter().filter_map(|line: &LogLine| line.render(compat)) {
        world.complain(&line);
    }
    let parsed = parsed.map_err(|message| format!("Error: {message}"))?;
    for note in &parsed.notes {
        world.complain(note);
    }
    Ok(parsed)
}

/// The values of Helm 4's `--wait`, of which some are those that it had when it was a switch.
fn wait(value: &str, log: &mut Vec<LogLine>) -> Result<(), String> {
    let better = match value {
        "watcher" | "legacy" | "hookOnly" => return Ok(()),
        "true" => "watcher",
        "false" => "hookOnly",
        _ => {
            return Err(format!(
                "invalid wait input {}. Valid inputs are watcher, hookOnly, and legacy",
                quote(value)
            ));
        }
    };
    log.push(LogLine::new(
        Level::Warn,
        format!("--wait={value} is deprecated (boolean value) and can be replaced with --wait={better}"),
    ));
    Ok(())
}

fn unknown(word: &str) -> String {
    let alone = COMMANDS.iter().map(|command| command.name).filter(|name| !name.contains(' '));
    let names: Vec<&str> = alone.chain(GROUPS.iter().map(|group| group.name)).collect();
    let near = if ABSENT.contains(&word) {
        "\n\nIt is a command of Helm's that trueline does not have.\n".to_owned()
    } else {
        suggestion::suggest(word, &names)
    };
    format!("Error: unknown command {} for \"helm\"{near}\nRun 'helm --help' for usage.", quote(word))
}

fn print_overview(world: &mut World) -> Result<(), String> {
    let mut text =
        "Render, lint, package and fetch charts as Helm does, and make schemas of their values.\n\nUsage:\n  trueline helm [command]\n\nCommands:\n"
            .to_owned();
    let alone = COMMANDS.iter().map(|command| (command.name, command.summary));
    let alone = alone.filter(|(name, _)| !name.contains(' '));
    let mut lines: Vec<_> = alone.chain(GROUPS.iter().map(|group| (group.name, group.summary))).collect();
    lines.sort_unstable();
    for (name, summary) in lines {
        text.push_str(&format!("  {name:<12}{summary}\n"));
    }
    text.push_str("\nFlags:\n");
    text.push_str(&flag::usages(&settings::flags(Compat::default())));
    text.push_str("\nUse \"trueline helm [command] --help\" for more about a command.\n");
    world.print(text.as_bytes())
}

fn print_group(group: &Group, world: &mut World) -> Result<(), String> {
    let mut text =
        format!("{}.\n\nUsage:\n  trueline helm {} [command]\n\nCommands:\n", group.summary, group.name);
    for command in COMMANDS {
        if let Some(name) = command.name.strip_prefix(group.name).and_then(|rest| rest.strip_prefix(' ')) {
            text.push_str(&format!("  {name:<12}{}\n", command.summary));
        }
    }
    text.push_str(&format!(
        "\nUse \"trueline helm {} [command] --help\" for more about a command.\n",
        group.name
    ));
    world.print(text.as_bytes())
}

fn print_help(command: &Command, compat: Compat, world: &mut World) -> Result<(), String> {
    let text = format!(
        "{}.\n{}\nUsage:\n  trueline helm {}\n\nFlags:\n{}\nFlags of all commands:\n{}\nHelm's other flags of this \
         command are accepted, so that scripts go on working; they have no effect here.\n",
        command.summary,
        command.description,
        command.line(),
        flag::usages(&(command.flags)(compat)),
        flag::usages(&settings::flags(compat))
    );
    world.print(text.as_bytes())
}

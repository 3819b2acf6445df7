//! What a command of the family is, and which one is called.

use trueline_helm::chart::Compat;

use super::Session;
use super::flag::{Flag, Parsed};

/// A command of the family.
pub(super) struct Command {
    /// The word that calls it, or the two words of a command that belongs to a group.
    pub(super) name: &'static str,
    /// Other words for the last one.
    pub(super) aliases: &'static [&'static str],
    /// The words after its name.
    pub(super) usage: &'static str,
    /// What it does, in a line.
    pub(super) summary: &'static str,
    /// What there is to say besides.
    pub(super) description: &'static str,
    /// How many arguments it takes.
    pub(super) arguments: fn(Compat) -> Arguments,
    pub(super) flags: fn(Compat) -> Vec<Flag>,
    /// Groups of flags of which only one may be given.
    pub(super) exclusive: fn(Compat) -> &'static [&'static [&'static str]],
    pub(super) run: fn(&mut Session<'_>, &Parsed) -> Result<(), String>,
}

impl Command {
    /// How it is called.
    pub(super) fn line(&self) -> String {
        match self.usage {
            "" => format!("{} [flags]", self.name),
            usage => format!("{} {usage} [flags]", self.name),
        }
    }
}

/// Commands that belong together, and share their first word.
pub(super) struct Group {
    /// That word.
    pub(super) name: &'static str,
    /// Other words for it.
    pub(super) aliases: &'static [&'static str],
    /// What its commands do, in a line.
    pub(super) summary: &'static str,
}

/// How many arguments a command takes.
pub(super) enum Arguments {
    /// This many or more.
    AtLeast(usize),
    /// This many, no more and no less.
    Exactly(usize),
    /// This many or less.
    AtMost(usize),
}

impl Arguments {
    /// What is wrong with a number of arguments.
    pub(super) fn check(&self, command: &Command, given: usize) -> Result<(), String> {
        let (wanted, bound, holds) = match *self {
            Arguments::AtLeast(least) => ("requires at least", least, given >= least),
            Arguments::Exactly(0) => ("accepts", 0, given == 0),
            Arguments::Exactly(number) => ("requires", number, given == number),
            Arguments::AtMost(most) => ("accepts at most", most, given <= most),
        };
        if holds {
            return Ok(());
        }
        let noun = if bound == 1 { "argument" } else { "arguments" };
        let bound = if bound == 0 { "no".to_owned() } else { bound.to_string() };
        Err(format!("\"helm {}\" {wanted} {bound} {noun}\n\nUsage:  helm {}", command.name, command.line()))
    }
}

/// What words call.
pub(super) enum Called {
    /// A command, and how many of the words are its name.
    Command(&'static Command, usize),
    /// A group without one of its commands.
    Group(&'static Group),
}

/// The command that the first words call.
pub(super) fn called(
    words: &[&str],
    commands: &'static [Command],
    groups: &'static [Group],
) -> Option<Called> {
    let first = *words.first()?;
    let Some(group) = groups.iter().find(|group| group.name == first || group.aliases.contains(&first))
    else {
        return commands
            .iter()
            .find(|command| command.name == first || command.aliases.contains(&first))
            .map(|command| Called::Command(command, 1));
    };
    let second = words.get(1).copied().unwrap_or_default();
    let command = commands.iter().find(|command| match command.name.split_once(' ') {
        Some((of, name)) => of == group.name && (name == second || command.aliases.contains(&second)),
        None => false,
    });
    Some(command.map_or(Called::Group(group), |command| Called::Command(command, 2)))
}

//! `trueline man`: the manual pages.

use std::path::PathBuf;

use clap::Args;

use trueline_source::make_directories;

use super::{Ended, VALID, command, say};
use crate::failure::Failure;
use crate::machine::Machine;
use crate::output::{self, Destination};

/// Print the manual page, or write all pages into a directory
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline man | man -l -
  trueline man --out /usr/local/share/man/man1")]
pub(crate) struct Man {
    /// Write a page for every subcommand into this directory, which is made if it is missing
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self) -> Ended {
        let mut root = command();
        root.build();
        let Some(directory) = self.out else { return say(&page(&root)) };
        let machine = Machine::of_process()?;
        make_directories(&machine, &directory).map_err(|error| Failure::Unmade(directory.clone(), error))?;
        let mut pages = Vec::new();
        collect(&root, "trueline", &mut pages);
        let reports: Vec<(Destination, String)> = pages
            .into_iter()
            .map(|(name, text)| Ok((Destination::new(&directory.join(format!("{name}.1")), &machine)?, text)))
            .collect::<Result<_, Failure>>()?;
        output::write_all(&reports, &machine)?;
        Ok(VALID)
    }
}

fn collect(command: &clap::Command, name: &str, pages: &mut Vec<(String, String)>) {
    pages.push((name.to_owned(), page(command)));
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        collect(inner, &format!("{name}-{}", inner.get_name()), pages);
    }
}

fn page(command: &clap::Command) -> String {
    let mut text = Vec::new();
    // Writing into memory does not fail.
    let _ = clap_mangen::Man::new(command.clone()).render(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_page_for_every_subcommand() {
        let mut root = command();
        root.build();
        let mut pages = Vec::new();
        collect(&root, "trueline", &mut pages);
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["trueline", "trueline-explain", "trueline-completions", "trueline-man"] {
            assert!(names.contains(&name), "{names:?}");
        }
        for (name, text) in &pages {
            assert!(
                text.contains(".SH SYNOPSIS") && text.contains(&name.replace('-', "\\-")),
                "{name}\n{text}"
            );
        }
    }
}

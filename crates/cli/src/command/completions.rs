//! `trueline completions`: the words that a shell can complete.

use clap::Args;
use clap_complete::Shell;

use super::{Ended, command, say};

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline completions bash > /etc/bash_completion.d/trueline
  trueline completions zsh > ~/.zfunc/_trueline
  trueline completions fish > ~/.config/fish/completions/trueline.fish")]
pub(crate) struct Completions {
    /// The shell to write for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Ended {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command(), "trueline", &mut script);
        say(&String::from_utf8_lossy(&script))
    }
}

//! What the terminal is like, and writing to it without falling over when nobody reads.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use trueline_report::harmless;

/// The values of `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ColorChoice {
    /// Colour on a terminal, unless the environment says otherwise
    #[default]
    Auto,
    /// Colour always
    Always,
    /// No colour
    Never,
}

impl ColorChoice {
    /// Whether standard output gets colour.
    pub(crate) fn on_stdout(self) -> bool {
        self.decide(|name| env::var_os(name), io::stdout().is_terminal())
    }

    fn decide(self, variable: impl Fn(&str) -> Option<OsString>, terminal: bool) -> bool {
        let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let is = |name: &str, wanted: &str| variable(name).is_some_and(|value| value == wanted);
        match self {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if set("NO_COLOR") => false,
            ColorChoice::Auto if set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0") => true,
            ColorChoice::Auto => terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb"),
        }
    }
}

/// Whether a progress bar may be drawn: somebody is there to watch it.
pub(crate) fn is_watched() -> bool {
    watched(|name| env::var_os(name), io::stderr().is_terminal())
}

fn watched(variable: impl Fn(&str) -> Option<OsString>, terminal: bool) -> bool {
    let automatic = variable("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0");
    terminal && !automatic && variable("TERM").is_none_or(|term| term != "dumb")
}

/// Whether standard input is a device, as terminals and `/dev/null` are: no file, and nothing that a program writes.
pub(crate) fn stdin_is_device() -> bool {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        use std::os::unix::fs::FileTypeExt as _;
        let own = io::stdin().as_fd().try_clone_to_owned();
        let about = own.and_then(|own| std::fs::File::from(own).metadata());
        about.is_ok_and(|about| about.file_type().is_char_device())
    }
    #[cfg(not(unix))]
    {
        io::stdin().is_terminal()
    }
}

/// How to ask for what must not show while it is typed; nothing where nobody sits at the keyboard.
pub(crate) fn ask() -> Option<fn() -> io::Result<String>> {
    io::stdin().is_terminal().then_some(|| console::Term::stderr().read_secure_line())
}

/// The columns that a report for people has. A file or a pipe has as many as a wide terminal.
pub(crate) fn width() -> usize {
    let chosen =
        env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    let real = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    chosen.or_else(real).unwrap_or(120)
}

/// Writes to standard output. A reader that has gone away, as `head` does, is no failure.
pub(crate) fn print(text: &str) -> io::Result<()> {
    print_with(|out| out.write_all(text.as_bytes()))
}

/// The same for what is written bit by bit.
pub(crate) fn print_with(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // Colour was decided on when the text was made; here it is only carried over to consoles that have
    // another way of colouring.
    let mut stdout = io::BufWriter::new(anstream::AutoStream::always(io::stdout().lock()));
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Says something on standard error, made harmless: it may quote names and texts that strangers wrote. If even that fails
/// there is nobody left to tell.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", harmless(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(variables: &[(&str, &str)], name: &str) -> Option<OsString> {
        variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
    }

    fn decide(choice: ColorChoice, variables: &[(&str, &str)], terminal: bool) -> bool {
        choice.decide(|name| find(variables, name), terminal)
    }

    #[test]
    fn progress_is_for_people() {
        let watched = |variables: &[(&str, &str)], terminal| watched(|name| find(variables, name), terminal);
        assert!(watched(&[], true));
        assert!(watched(&[("CI", "false"), ("TERM", "xterm")], true));
        assert!(!watched(&[], false));
        assert!(!watched(&[("CI", "true")], true));
        assert!(!watched(&[("TERM", "dumb")], true));
    }

    #[test]
    fn the_flag_wins_then_the_environment_then_the_terminal() {
        use ColorChoice::{Always, Auto, Never};
        assert!(decide(Auto, &[], true));
        assert!(!decide(Auto, &[], false));
        assert!(!decide(Auto, &[("NO_COLOR", "1")], true));
        assert!(decide(Auto, &[("NO_COLOR", "")], true));
        assert!(decide(Auto, &[("CLICOLOR_FORCE", "1")], false));
        assert!(!decide(Auto, &[("CLICOLOR_FORCE", "0")], false));
        assert!(!decide(Auto, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false));
        assert!(!decide(Auto, &[("TERM", "dumb")], true));
        assert!(!decide(Auto, &[("CLICOLOR", "0")], true));
        assert!(decide(Always, &[("NO_COLOR", "1")], false));
        assert!(!decide(Never, &[("CLICOLOR_FORCE", "1")], true));
    }
}

//! What a caller chooses about a report.

/// Whether a report for people carries colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Color {
    /// Plain text.
    #[default]
    Never,
    /// ANSI escape codes.
    Always,
}

/// How the run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Execution {
    /// Everything requested was checked.
    #[default]
    Complete,
    /// Everything was checked, and the run fails without any error because warnings count as errors.
    FailedByWarnings,
    /// Something could not be checked: bad usage, an unreadable input.
    Failed,
    /// There was nothing to check.
    FoundNothing,
}

/// How a report is to be written.
#[derive(Debug, Clone)]
pub struct Options {
    /// Colour, in the human format.
    pub color: Color,
    /// Columns of the terminal, in the human format: longer source lines are cut around their marks.
    pub width: usize,
    /// The version of the program, for the formats that name it.
    pub tool_version: String,
    /// How the run ended, for the formats that say so.
    pub execution: Execution,
    /// How many findings the formats for people show; `None` shows all. Errors are shown up to this number even
    /// if warnings came first.
    pub most: Option<usize>,
    /// Hides notes in the formats for people, and prints nothing at all if there is nothing else to show.
    pub quiet: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            color: Color::Never,
            width: 120,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            execution: Execution::Complete,
            most: None,
            quiet: false,
        }
    }
}

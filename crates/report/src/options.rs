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

/// Whether the run got to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Execution {
    /// Everything that was asked for was looked at.
    #[default]
    Complete,
    /// Everything was looked at, and the run fails although nothing is an error: warnings count as errors.
    FailedByWarnings,
    /// Something could not be run: bad usage, an unreadable input.
    Failed,
    /// There was nothing of what was to be looked at.
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
    /// Whether the run got to its end, for the formats that say so.
    pub execution: Execution,
    /// How many findings the formats for people show; all of them if there is no number. As many errors are shown
    /// even where warnings came first.
    pub most: Option<usize>,
    /// Shows no notes in the formats for people, and nothing at all where there is nothing else to show.
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

//! What stops a scan, before it is worded.

use trueline_source::SourceId;

use crate::{SyntaxError, SyntaxErrorKind};

/// Which part of go-yaml notices; they count lines differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The input buffer: names no line.
    Reader,
    /// The scanner: names the line.
    Scanner,
    /// The parser: names the line before.
    Parser,
    /// Everything that looks at whole nodes: names no line.
    Decoder,
    /// The way from values to JSON: names neither a line nor YAML.
    Conversion,
}

/// A fault; boxed, because it is rare and results are everywhere.
pub(crate) type Fault = Box<Failure>;

/// What is wrong, and where.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: SyntaxErrorKind,
    pub(crate) stage: Stage,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The line of `start`, from zero.
    pub(crate) line: u32,
    pub(crate) context: Option<usize>,
}

impl Failure {
    pub(crate) fn boxed(kind: SyntaxErrorKind, stage: Stage, start: usize, end: usize, line: u32) -> Fault {
        Box::new(Failure { kind, stage, start, end, line, context: None })
    }

    pub(crate) fn into_error(self, source: SourceId) -> SyntaxError {
        let problem = self.kind.go_problem();
        let go_text = match (self.stage, self.line) {
            (Stage::Scanner, 1..) => format!("yaml: line {}: {problem}", self.line + 1),
            (Stage::Parser, 1..) => format!("yaml: line {}: {problem}", self.line),
            (Stage::Conversion, _) => problem.into_owned(),
            _ => format!("yaml: {problem}"),
        };
        SyntaxError {
            kind: self.kind,
            span: source.span(self.start, self.end),
            context: self.context.map(|start| source.span(start, start + 1)),
            go_text,
        }
    }
}

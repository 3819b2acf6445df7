//! The faults that stop a scan, before they become messages.

use rustc_hash::FxHashSet;
use trueline_source::{SourceId, Span};

use crate::comments::line_of;
use crate::{NodeId, SyntaxError, SyntaxErrorKind};

/// Which part of go-yaml reports it; the parts count lines differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The input buffer: does not name a line.
    Reader,
    /// The scanner: names the line.
    Scanner,
    /// The parser: names the line before.
    Parser,
    /// Everything that works on whole nodes: does not name a line.
    Decoder,
    /// The conversion of values to JSON: names neither a line nor YAML.
    Conversion,
}

/// A fault; boxed, because it is rare and results are everywhere.
pub(crate) type Fault = Box<Failure>;

/// The kind of error and its place.
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

    /// The error for users: at the place to fix, which is not always where the scan stopped.
    pub(crate) fn into_error(self, source: SourceId, text: &str) -> SyntaxError {
        let go_text = self.go_text(self.line);
        self.worded(source, text, go_text)
    }

    /// The same in the words of go-yaml's version 3, which prefers to name the line where the unfinished
    /// construct started.
    pub(crate) fn into_error_of_version_3(self, source: SourceId, text: &str) -> SyntaxError {
        // go-yaml says that the item is missing, not the end of its list.
        let is_bracket = matches!(self.kind, SyntaxErrorKind::UnfilledBracket(_));
        let context = self.context.filter(|_| !is_bracket);
        let began = context.map(|start| line_of(text, start)).filter(|&line| line > 0);
        let go_text = self.go_text(began.unwrap_or(self.line));
        self.worded(source, text, go_text)
    }

    fn go_text(&self, line: u32) -> String {
        let problem = self.kind.go_problem();
        match (self.stage, line) {
            (Stage::Scanner, 1..) => format!("yaml: line {}: {problem}", line + 1),
            (Stage::Parser, 1..) => format!("yaml: line {line}: {problem}"),
            (Stage::Conversion, _) => problem.into_owned(),
            _ => format!("yaml: {problem}"),
        }
    }

    fn worded(self, source: SourceId, text: &str, go_text: String) -> SyntaxError {
        let character = |start: usize| {
            let length = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            source.span(start, start + length)
        };
        let found =
            if self.start < self.end { source.span(self.start, self.end) } else { character(self.start) };
        let (span, context) = match (&self.kind, self.context) {
            (SyntaxErrorKind::UnclosedQuote, Some(start)) => (character(start), None),
            (SyntaxErrorKind::DocumentMarkerInQuotes, Some(start)) => {
                (character(start), Some(source.span(self.start, self.start + 3)))
            }
            (SyntaxErrorKind::UnclosedBracket(_) | SyntaxErrorKind::UnfilledBracket(_), Some(start)) => {
                (character(start), (found.start < found.end).then_some(found))
            }
            // The letter after the backslash is included.
            (SyntaxErrorKind::UnknownEscape, _) => (found.to(character(self.start + 1)), None),
            (SyntaxErrorKind::MissingColon, Some(start)) => (rest_of_line(source, text, start), None),
            (_, context) => (found, context.map(character)),
        };
        SyntaxError { kind: self.kind, span, context, go_text }
    }
}

/// From an offset to the end of its line, without the white space there.
fn rest_of_line(source: SourceId, text: &str, start: usize) -> Span {
    let rest = text.get(start..).unwrap_or_default();
    let line = rest.split(['\n', '\r']).next().unwrap_or_default().trim_end();
    source.span(start, start + line.len())
}

/// A fault of a whole node, found after parsing.
#[derive(Debug, Clone)]
pub(crate) struct NodeProblem {
    pub(crate) node: NodeId,
    pub(crate) kind: SyntaxErrorKind,
}

/// All faults of the nodes of a document.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    pub(crate) list: Vec<NodeProblem>,
    nodes: FxHashSet<NodeId>,
}

impl Problems {
    pub(crate) fn push(&mut self, node: NodeId, kind: SyntaxErrorKind) {
        if self.list.len() < MOST_ERRORS {
            self.list.push(NodeProblem { node, kind });
        }
        self.nodes.insert(node);
    }

    pub(crate) fn has(&self, node: NodeId) -> bool {
        self.nodes.contains(&node)
    }
}

/// How many errors are kept; further ones show up after these are fixed.
pub(crate) const MOST_ERRORS: usize = 1_000;

//! What ytt prints when a program fails: the message, the calls with their lines, and the reason.

use std::cell::Cell;
use std::rc::Rc;

use trueline_starlark::{Error as StarlarkError, ErrorKind as StarlarkKind, Fault, Frame, Position as Place};

use super::evaluate::NodeFault;
use super::listing::{Listing, Source};
use super::program::{Loader, Program};
use crate::error::{Error, ErrorKind, Fact, Failure, TraceFrame};
use crate::tree::Position;

/// The error of a program that failed.
pub(super) fn failure(error: &StarlarkError, program: &Rc<Program>, loader: &dyn Loader) -> Error {
    let printer = Printer { program, loader, room: Cell::new(LONGEST) };
    let payload = match node_fault(error) {
        Some(fault) => fault.payload.as_ref(),
        None => error.payload(),
    };
    let cause = payload.and_then(|payload| payload.downcast_ref::<Error>()).cloned();
    let failures: Vec<Shown> = match error.kind() {
        StarlarkKind::Syntax | StarlarkKind::Resolve => error
            .problems()
            .iter()
            .map(|problem| Shown {
                message: problem.message.clone(),
                fact: problem.fault.clone().map(Fact::Language),
                frames: printer.frame(program.name(), problem.position, None).into_iter().collect(),
            })
            .collect(),
        _ => {
            let frame = |frame: &Frame| printer.frame(&frame.file, frame.position, Some(&frame.function));
            let mut frames: Vec<ShownFrame> = error.frames().iter().filter_map(frame).collect();
            if let (Some(fault), Some(frame)) = (node_fault(error), frames.first_mut()) {
                frame.show(fault);
            }
            let language = error.fault().cloned().map(Fact::Language);
            let fact = language.or_else(|| cause.as_ref().and_then(Error::fact).cloned());
            vec![Shown { message: error.message().to_owned(), fact, frames }]
        }
    };
    let mut text = String::new();
    let mut places: Vec<Position> = cause.iter().flat_map(|cause| cause.places().to_vec()).collect();
    let mut facts = Vec::with_capacity(failures.len());
    for failure in failures {
        failure.print(&mut text);
        places.extend(failure.frames.iter().map(|frame| frame.code.clone()));
        facts.push(failure.into_facts(cause.clone()));
    }
    let kind = match error.kind() {
        StarlarkKind::Limit => ErrorKind::Limit,
        _ => ErrorKind::Template(facts.into()),
    };
    Error::new(kind, text).at_all(places)
}

/// The place of a line of a program in what somebody typed.
pub(crate) fn typed_line(program: &Program, line: u32) -> Option<Position> {
    Some(program.listing().line(line)?.source.as_ref()?.code.clone())
}

/// How much of lines is shown in all: each of thousands of calls may show the same very long line.
const LONGEST: usize = 4 << 20;

struct Printer<'p> {
    program: &'p Rc<Program>,
    loader: &'p dyn Loader,
    /// How many bytes of lines may still be shown.
    room: Cell<usize>,
}

/// A failure as it is printed.
struct Shown {
    message: String,
    fact: Option<Fact>,
    frames: Vec<ShownFrame>,
}

struct ShownFrame {
    function: Option<Rc<str>>,
    /// The lines to print.
    lines: Vec<String>,
    /// The code of the line.
    instruction: String,
    code: Position,
}

impl Printer<'_> {
    fn frame(&self, file: &str, place: Place, function: Option<&str>) -> Option<ShownFrame> {
        if place.line == 0 || self.room.get() == 0 {
            return None;
        }
        let frame = self.show(file, place, function)?;
        let length = frame.instruction.len() + frame.lines.iter().map(String::len).sum::<usize>();
        self.room.set(self.room.get().saturating_sub(length));
        Some(frame)
    }

    fn show(&self, file: &str, place: Place, function: Option<&str>) -> Option<ShownFrame> {
        let function = function.map(Rc::from);
        let program = if *file == *self.program.name() {
            Some(Rc::clone(self.program))
        } else {
            self.loader.find_program(file)
        };
        let Some(program) = program else {
            // ytt says the line of the program here. That of the template is known, and means something to people.
            let foreign = self.loader.find_foreign(file);
            let code = foreign.and_then(|program| typed_line(&program, place.line)).unwrap_or_default();
            let line = code.line().unwrap_or(place.line);
            let lines = vec![format!("{file}:{line} | (unavailable)")];
            return Some(ShownFrame { function, lines, instruction: String::new(), code });
        };
        let listing: &Listing = program.listing();
        let line = listing.line(place.line)?;
        let instruction = listing.code(line);
        if let Some(source) = &line.source {
            let lines = vec![source.print()];
            return Some(ShownFrame { function, lines, instruction, code: source.code.clone() });
        }
        let before = listing.source_before(place.line, program.nodes());
        let after = listing.source_after(place.line);
        let generated = format!("{file}:? | {instruction} (generated)");
        let near = before.as_ref().or(after.as_ref()).map(|source| source.position.clone());
        let print = |source: &Source| source.print();
        let lines = before.iter().map(print).chain([generated]).chain(after.iter().map(print)).collect();
        Some(ShownFrame { function, lines, instruction, code: near.unwrap_or_default() })
    }
}

fn node_fault(error: &StarlarkError) -> Option<&NodeFault> {
    error.payload().and_then(|payload| payload.downcast_ref())
}

impl ShownFrame {
    /// Shows the line of a node in place of that of the first node which was started with it.
    fn show(&mut self, fault: &NodeFault) {
        let node = fault.program.nodes().get(fault.id);
        if let Some(source) = node.and_then(|node| Source::line(&node.meta.position())) {
            self.lines = vec![source.print()];
            self.code = source.code;
        }
    }
}

impl Shown {
    fn print(&self, text: &mut String) {
        let (topic, reason) = match self.message.split_once('\n') {
            Some((topic, reason)) => (topic, Some(reason)),
            None => (self.message.as_str(), None),
        };
        text.push_str("\n- ");
        text.push_str(topic);
        if let Some(hint) = self.hint() {
            text.push_str(" (hint: ");
            text.push_str(hint);
            text.push(')');
        }
        for frame in &self.frames {
            let mut indent = "\n    ";
            if let Some(function) = frame.function.as_ref().filter(|function| !function.is_empty()) {
                text.push_str("\n    in ");
                text.push_str(function);
                indent = "\n      ";
            }
            for line in &frame.lines {
                text.push_str(indent);
                text.push_str(line);
            }
        }
        if let Some(reason) = reason {
            text.push_str("\n\n    reason:");
            for line in reason.split('\n') {
                text.push_str("\n     ");
                text.push_str(line);
            }
        }
    }

    fn hint(&self) -> Option<&'static str> {
        let mentions = |sign: &str| self.frames.iter().any(|frame| frame.instruction.contains(sign));
        let fault = match &self.fact {
            // What a function says after its name has no hint.
            Some(Fact::Language(fault)) if fault.to_string() == self.message => fault,
            _ => return None,
        };
        Some(match fault {
            Fault::Undefined { name, nearest: None } => match name.as_str() {
                "true" => "use 'True' instead of 'true' for boolean assignment",
                "false" => "use 'False' instead of 'false' for boolean assignment",
                "null" => "use 'None' instead of 'null' to indicate no value",
                "nil" => "use 'None' instead of 'nil' to indicate no value",
                "none" => "use 'None' instead of 'none' to indicate no value",
                _ => return None,
            },
            Fault::Index { found, index } if (found.as_str(), index.as_str()) == ("struct", "string") => {
                "use getattr(...) to access struct field programmatically"
            }
            Fault::Binary { operator: "|", .. } => "use 'or' instead of '|' for logical-or",
            Fault::Binary { operator: "&", .. } => "use 'and' instead of '&' for logical-and",
            Fault::Unexpected { found, wanted } => match (found.as_str(), wanted.as_str()) {
                ("newline", "':'") => "missing colon at the end of 'if/for/def' statement?",
                ("'&'", "primary expression") if mentions("&&") => {
                    "use 'and' instead of '&&' for logical-and"
                }
                ("'|'", "primary expression") if mentions("||") => "use 'or' instead of '||' for logical-or",
                _ => return None,
            },
            _ => return None,
        })
    }

    fn into_facts(self, cause: Option<Error>) -> Failure {
        let hint = self.hint();
        let frames = self.frames.into_iter();
        let frames = frames.map(|frame| TraceFrame { function: frame.function, position: frame.code });
        let message = without_instruction(&self.message);
        Failure { hint, frames: frames.collect(), message, fact: self.fact, cause }
    }
}

/// A message without the generated function that ytt names before it: nobody wrote that.
fn without_instruction(message: &str) -> String {
    let rest = message.strip_prefix("__ytt_tpl").and_then(|rest| rest.split_once(": "));
    match rest {
        Some((name, rest)) if name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) => {
            rest.to_owned()
        }
        _ => message.to_owned(),
    }
}

//! Pipelines, commands and constants.

use super::{Cell, Frame, Run, walk};
use crate::node::{Command, Number, Operand, Pipe};
use crate::{Data, Error, IntKind, Reason, Str, Value};

impl Run<'_> {
    /// Evaluates a pipeline, including what it declares or assigns.
    pub(super) fn pipeline<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        pipe: &'t Pipe,
    ) -> Result<Cell, Error> {
        frame.node = pipe;
        let mut value: Option<Cell> = None;
        let nodes = frame.nodes;
        for command in pipe.commands(nodes) {
            value = Some(self.command(frame, dot, command, value)?.unboxed());
        }
        let value = value.unwrap_or(Cell::INVALID);
        for variable in pipe.variables(nodes) {
            let name = nodes.name(variable.name);
            if pipe.is_assign {
                walk::set(frame, name, value.clone())?;
            } else {
                frame.variables.push((name, value.clone()));
            }
        }
        Ok(value)
    }

    /// Evaluates a command; `last` is the result of the previous one.
    fn command<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        command: &'t Command,
        last: Option<Cell>,
    ) -> Result<Cell, Error> {
        let nodes = frame.nodes;
        let arguments = command.arguments(nodes);
        match &command.head {
            Operand::Field(field) => {
                frame.node = field;
                return self.fields(frame, dot, dot, field.fields, arguments, last);
            }
            Operand::Chain(chain) => return self.chain(frame, dot, nodes.chain(*chain), arguments, last),
            Operand::Function(function) => {
                frame.node = function;
                return self.function(frame, dot, function, command, arguments, last);
            }
            Operand::Pipe(pipe) => {
                not_a_function(frame, command, &last)?;
                return self.nested(frame, dot, nodes.pipe(*pipe));
            }
            Operand::Variable(variable) => return self.variable(frame, dot, variable, arguments, last),
            _ => {}
        }
        frame.node = &command.head;
        not_a_function(frame, command, &last)?;
        match &command.head {
            Operand::Bool(_, value) => Ok(Cell::plain(Value::from(*value))),
            Operand::Dot(_) => Ok(dot.clone()),
            Operand::Number(number) => self.number(frame, nodes.number(*number)),
            Operand::Text(constant) => {
                Ok(Cell::plain(Value::from(Str::from(nodes.constant(constant.value).clone()))))
            }
            _ => Err(frame.error("nil is not a command", None)),
        }
    }

    /// A pipeline in parentheses.
    pub(super) fn nested<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        pipe: &'t Pipe,
    ) -> Result<Cell, Error> {
        self.deeper(frame)?;
        let value = self.pipeline(frame, dot, pipe);
        self.depth -= 1;
        value
    }

    /// The value of a number constant if any type is accepted.
    pub(super) fn number<'t>(&mut self, frame: &mut Frame<'t>, number: &'t Number) -> Result<Cell, Error> {
        frame.node = number;
        let text = frame.nodes.at(number.place);
        let data = match *number {
            Number { complex: Some(parts), .. } => Data::Complex(parts.into()),
            Number { float: Some(value), .. } if is_written_as_float(text) => Data::Float(value),
            Number { int: Some(value), .. } => Data::Int(IntKind::Int, value),
            Number { uint: Some(_), .. } => {
                let words = format!("{} overflows int", String::from_utf8_lossy(text));
                return Err(frame.error(words, Some(Reason::Overflow)));
            }
            _ => Data::Invalid,
        };
        Ok(Cell::plain(Value::new(data)))
    }
}

/// Whether a number has a point or an exponent.
fn is_written_as_float(text: &[u8]) -> bool {
    let has = |letters: &[u8]| text.iter().any(|byte| letters.contains(byte));
    let hexadecimal = text.len() > 2 && matches!(text, [b'0', b'x' | b'X', ..]) && !has(b"pP");
    !hexadecimal && !text.starts_with(b"'") && has(b".eEpP")
}

/// Only functions and methods take arguments.
pub(super) fn not_a_function(frame: &Frame<'_>, command: &Command, last: &Option<Cell>) -> Result<(), Error> {
    if command.arguments(frame.nodes).is_empty() && last.is_none() {
        return Ok(());
    }
    Err(arguments_to(frame, &command.head))
}

/// The error about arguments to something that is not a function.
pub(super) fn arguments_to(frame: &Frame<'_>, head: &dyn crate::node::Syntax) -> Error {
    let found = frame.written(head);
    let words = format!("can't give argument to non-function {found}");
    frame.error(words, Some(Reason::NotAFunction { found }))
}

//! Pipelines, commands and operands.

use std::borrow::Cow;
use std::sync::Arc;

use trueline_gotemplate::node::{Command, Fields, Operand, Pipe, TemplatePlace};

use super::abstraction::{Abstract, Atom};
use super::calls::has_action;
use super::functions::Arguments;
use super::interpreter::{Frame, Interpreter, ReadKind, TooMuch};
use super::paths::Mark;

/// Functions that do something else where a value is not there.
const ASKING: [&str; 6] = ["default", "coalesce", "ternary", "empty", "and", "or"];

impl Interpreter<'_> {
    /// The value of a pipeline, and what it declares or assigns.
    pub(super) fn pipeline(
        &mut self,
        frame: &mut Frame<'_>,
        dot: &Abstract,
        pipe: &Pipe,
    ) -> Result<Abstract, TooMuch> {
        let mut value: Option<Abstract> = None;
        let nodes = frame.nodes;
        let asks = pipe.commands(nodes).iter().any(|command| match &command.head {
            Operand::Function(function) => ASKING.contains(&&**nodes.name(function.name)),
            _ => false,
        });
        self.asking += u32::from(asks);
        for command in pipe.commands(nodes) {
            self.spend()?;
            value = Some(self.command(frame, dot, command, value)?);
        }
        self.asking -= u32::from(asks);
        let value = value.unwrap_or_else(Abstract::unknown);
        for variable in pipe.variables(nodes) {
            let name = nodes.name(variable.name);
            if pipe.is_assign {
                frame.assign(name, &value);
            } else {
                frame.declare(name, value.clone());
            }
        }
        Ok(value)
    }

    fn command(
        &mut self,
        frame: &mut Frame<'_>,
        dot: &Abstract,
        command: &Command,
        last: Option<Abstract>,
    ) -> Result<Abstract, TooMuch> {
        let nodes = frame.nodes;
        let operands = command.arguments(nodes);
        match &command.head {
            Operand::Function(function) => {
                let arguments = Arguments { operands, last, place: command.place };
                self.function(frame, dot, function, arguments)
            }
            head if operands.is_empty() && last.is_none() => self.operand(frame, dot, head),
            head => {
                // Only methods take arguments: those of `.Values` and of `.Files`, of `.Capabilities` and the like.
                let value = self.operand(frame, dot, head)?;
                let is_files = value.atoms().iter().any(|atom| matches!(atom, Atom::Files(_)));
                for argument in operands {
                    let argument = self.operand(frame, dot, argument)?;
                    self.escape(&argument);
                }
                last.iter().for_each(|last| self.escape(last));
                if is_files {
                    return Ok(value);
                }
                // A method of values was taken for a key above: which values it reads is not known.
                for atom in value.atoms() {
                    if let Atom::Path(path) = atom {
                        self.paths.mark_above(*path, Mark::Whole);
                    }
                }
                Ok(Abstract::unknown())
            }
        }
    }

    /// The value of an operand.
    pub(super) fn operand(
        &mut self,
        frame: &mut Frame<'_>,
        dot: &Abstract,
        operand: &Operand,
    ) -> Result<Abstract, TooMuch> {
        self.spend()?;
        let nodes = frame.nodes;
        Ok(match operand {
            Operand::Field(field) => self.fields(frame, dot, field.fields, field.place, Nil::Fails),
            Operand::Variable(variable) => {
                let unknown = Abstract::unknown();
                let value = frame.variable(nodes.name(variable.name)).unwrap_or(&unknown);
                self.fields(frame, value, variable.fields, variable.place, Nil::Fails)
            }
            Operand::Chain(chain) => {
                let chain = nodes.chain(*chain);
                let value = self.operand(frame, dot, &chain.operand)?;
                self.fields(frame, &value, chain.fields, chain.place, Nil::Passes)
            }
            Operand::Pipe(pipe) => self.deeper(|run| run.pipeline(frame, dot, nodes.pipe(*pipe)))?,
            Operand::Function(function) => {
                let arguments = Arguments { operands: &[], last: None, place: function.place };
                self.function(frame, dot, function, arguments)?
            }
            Operand::Dot(_) => dot.clone(),
            Operand::Text(constant) => self.text(nodes.constant(constant.value)),
            Operand::Nil(_) | Operand::Bool(..) => Abstract::unknown(),
            Operand::Number(number) => match nodes.number(*number).int {
                // Lists are asked by number, and maps never are.
                Some(number) => Atom::Text(number.to_string().into()).into(),
                None => Abstract::unknown(),
            },
        })
    }

    fn text(&mut self, bytes: &Arc<[u8]>) -> Abstract {
        if let Some(known) = self.constants.get(bytes) {
            return known.clone();
        }
        let text = std::str::from_utf8(bytes).ok().map(Arc::<str>::from);
        text.iter().for_each(|text| self.literal(text));
        let value = text.map_or_else(Abstract::unknown, |text| Atom::Text(text).into());
        self.constants.insert(Arc::clone(bytes), value.clone());
        value
    }

    /// Remembers a string of a template that may be a template itself.
    pub(super) fn literal(&mut self, text: &str) {
        if has_action(text) && self.literals.insert(text.into()) {
            self.all_texts = None;
            self.puts.change_texts();
        }
    }

    /// The fields of a value one after the other.
    fn fields(
        &mut self,
        frame: &Frame<'_>,
        value: &Abstract,
        fields: Fields,
        place: TemplatePlace,
        first: Nil,
    ) -> Abstract {
        let mut value = Cow::Borrowed(value);
        let mut nil = first;
        for (index, name) in fields.names(frame.nodes).enumerate() {
            if let [Atom::Builtin(_)] = value.atoms() {
                let (text, names) = (frame.nodes.at(place), fields.names(frame.nodes));
                let read = names.take(index + 1).fold(0, |read, name| behind_dot(text, read, name));
                self.look_for_unknown_field(frame, &value, name, (place, read));
            }
            if nil == Nil::Fails
                && let Some(path) = value.only_path()
                && !self.paths.is_chart(path)
            {
                self.read(frame, ReadKind::Field(Arc::clone(name)), path, place);
            }
            value = Cow::Owned(self.field(&value, name));
            nil = Nil::Fails;
        }
        if !fields.is_empty() {
            self.name(frame, &value, place);
        }
        value.into_owned()
    }

    /// Values that are named are looked at.
    pub(super) fn name(&mut self, frame: &Frame<'_>, value: &Abstract, place: TemplatePlace) {
        self.touch(value);
        let Some(source) = frame.source else { return };
        for atom in value.atoms() {
            if let Atom::Path(path) = atom {
                self.paths.read_at(*path, source.span(place.start as usize, place.end as usize));
            }
        }
    }
}

/// Where a field is named in the text of an operand, from an offset on.
fn behind_dot(text: &[u8], from: usize, name: &str) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let is_named = |dot: &usize| {
        rest.get(dot + 1..)
            .is_some_and(|behind| rest.get(*dot) == Some(&b'.') && behind.starts_with(name.as_bytes()))
    };
    (0..rest.len()).find(is_named).map_or(from, |dot| from + dot + 1)
}

/// What happens to a field of nil.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nil {
    /// The rendering fails.
    Fails,
    /// It is nil again.
    Passes,
}

//! Conditions that hold or fail whatever a user sets, because of the chart that a template runs for.
//!
//! A helper may be run for a chart and for its subcharts, and find out by the values or by the name of the chart where it
//! is: `{{ if .Values.postgresql }}` holds in the chart that has the subchart `postgresql`, and fails in the subchart.
//! What is in the branch that is not taken there is not read there.

use trueline_gotemplate::node::{Command, Operand, Pipe};

use super::abstraction::{Abstract, Atom};
use super::again;
use super::interpreter::{Frame, Interpreter, TooMuch};

impl Interpreter<'_> {
    /// Whether a condition holds, if that is certain. `value` is what the pipeline gave, if it was run before.
    pub(super) fn certain_truth(
        &mut self,
        frame: &mut Frame<'_>,
        dot: &Abstract,
        pipe: &Pipe,
        value: Option<&Abstract>,
    ) -> Result<Option<bool>, TooMuch> {
        let nodes = frame.nodes;
        let [command] = pipe.commands(nodes) else { return Ok(None) };
        self.spend()?;
        if let (Operand::Field(_) | Operand::Variable(_) | Operand::Dot(_), [], Some(value)) =
            (&command.head, command.arguments(nodes), value)
        {
            return Ok(self.is_filled_map(value).then_some(true));
        }
        // What is evaluated here was evaluated before: nothing is to be remembered of it.
        self.doubts += 1;
        let truth = self.truth_of_command(frame, dot, command);
        self.doubts -= 1;
        truth
    }

    fn truth_of_command(
        &mut self,
        frame: &mut Frame<'_>,
        dot: &Abstract,
        command: &Command,
    ) -> Result<Option<bool>, TooMuch> {
        let nodes = frame.nodes;
        let operands = command.arguments(nodes);
        let Operand::Function(function) = &command.head else {
            return match operands {
                [] => self.truth_of_operand(frame, dot, &command.head),
                _ => Ok(None),
            };
        };
        match (&**nodes.name(function.name), operands) {
            ("not" | "empty", [operand]) => {
                Ok(self.truth_of_operand(frame, dot, operand)?.map(|truth| !truth))
            }
            ("and", operands) => self.truth_of_all(frame, dot, operands, false),
            ("or", operands) => self.truth_of_all(frame, dot, operands, true),
            ("eq", [left, right]) => self.are_equal(frame, dot, left, right),
            ("ne", [left, right]) => Ok(self.are_equal(frame, dot, left, right)?.map(|equal| !equal)),
            _ => Ok(None),
        }
    }

    /// `and` and `or`: one operand that is `decisive` decides, and otherwise all have to be known.
    fn truth_of_all(
        &mut self,
        frame: &mut Frame<'_>,
        dot: &Abstract,
        operands: &[Operand],
        decisive: bool,
    ) -> Result<Option<bool>, TooMuch> {
        let mut are_known = !operands.is_empty();
        for operand in operands {
            match self.truth_of_operand(frame, dot, operand)? {
                Some(truth) if truth == decisive => return Ok(Some(decisive)),
                Some(_) => {}
                None => are_known = false,
            }
        }
        Ok(are_known.then_some(!decisive))
    }

    fn truth_of_operand(
        &mut self,
        frame: &mut Frame<'_>,
        dot: &Abstract,
        operand: &Operand,
    ) -> Result<Option<bool>, TooMuch> {
        match operand {
            Operand::Pipe(pipe) => {
                let pipe = frame.nodes.pipe(*pipe);
                self.deeper(|run| run.certain_truth(frame, dot, pipe, None))
            }
            Operand::Field(_) | Operand::Variable(_) | Operand::Dot(_) => {
                let value = self.operand(frame, dot, operand)?;
                Ok(self.is_filled_map(&value).then_some(true))
            }
            _ => Ok(None),
        }
    }

    /// Whether a value is a map with something in it. A user can add to it, and cannot empty it but by setting it to
    /// null.
    fn is_filled_map(&self, value: &Abstract) -> bool {
        let Some(path) = value.only_path() else { return false };
        if let Some(known) = self.filled_maps.borrow().get(&path) {
            return *known;
        }
        let is_filled = again::is_filled_map(self.values, &self.paths.steps(path));
        self.filled_maps.borrow_mut().insert(path, is_filled);
        is_filled
    }

    fn are_equal(
        &mut self,
        frame: &mut Frame<'_>,
        dot: &Abstract,
        left: &Operand,
        right: &Operand,
    ) -> Result<Option<bool>, TooMuch> {
        let left = self.certain_text(frame, dot, left)?;
        let right = self.certain_text(frame, dot, right)?;
        Ok(left.zip(right).map(|(left, right)| left == right))
    }

    /// The text of an operand that nobody can change: one that is written there, or the name of the chart.
    fn certain_text(
        &mut self,
        frame: &mut Frame<'_>,
        dot: &Abstract,
        operand: &Operand,
    ) -> Result<Option<String>, TooMuch> {
        let nodes = frame.nodes;
        let (owner, fields) = match operand {
            Operand::Text(constant) => {
                return Ok(String::from_utf8(nodes.constant(constant.value).to_vec()).ok());
            }
            Operand::Field(field) => (dot.clone(), field.fields),
            Operand::Variable(variable) => {
                let value = frame.variable(nodes.name(variable.name)).cloned();
                (value.unwrap_or_else(Abstract::unknown), variable.fields)
            }
            _ => return Ok(None),
        };
        let names: Vec<_> = fields.names(nodes).collect();
        let [above @ .., chart, name] = names.as_slice() else { return Ok(None) };
        if (&***chart, &***name) != ("Chart", "Name") {
            return Ok(None);
        }
        let mut owner = owner;
        for name in above {
            owner = self.field(&owner, name);
        }
        let [Atom::Root(scope)] = owner.atoms() else { return Ok(None) };
        Ok(self.scopes.list.get(*scope).map(|scope| scope.name.clone()))
    }
}

//! Errors at the node that is being executed.

use super::{Frame, Run, STEPS_UNASKED};
use crate::{Error, Link, Reason, StoppedAt, Value};

impl Frame<'_> {
    /// An error at the node that is being executed.
    pub(super) fn error(&self, words: impl Into<String>, reason: Option<Reason>) -> Error {
        self.link(words.into(), reason, None, &[])
    }

    /// An error about values.
    pub(super) fn error_about(&self, words: String, reason: Reason, values: &[&Value]) -> Error {
        self.link(words, Some(reason), None, values)
    }

    /// The error of a function that was called.
    pub(super) fn call_error(&self, function: &str, cause: Error, arguments: &[Value]) -> Error {
        let reason = Reason::Call { function: function.to_owned() };
        let values: Vec<&Value> = arguments.iter().collect();
        self.link(format!("error calling {function}: "), Some(reason), Some(cause), &values)
    }

    fn link(&self, words: String, reason: Option<Reason>, cause: Option<Error>, values: &[&Value]) -> Error {
        let place = self.node.place(self.nodes);
        let place = StoppedAt {
            template: String::from_utf8_lossy(&self.tree.name).into_owned(),
            location: self.tree.location(place),
            context: String::from_utf8_lossy(&self.node.to_bytes(self.nodes)).into_owned(),
            span: self.origin.span(place),
            values: values.iter().filter_map(|value| super::origin::origin_of(value)).collect(),
        };
        Error {
            link: Link::Template(Box::new(place)),
            words,
            cause: cause.map(Box::new),
            reason: reason.map(Box::new),
        }
    }

    /// The node as written.
    pub(super) fn written(&self, node: &dyn crate::node::Syntax) -> String {
        String::from_utf8_lossy(&node.to_bytes(self.nodes)).into_owned()
    }
}

impl Run<'_> {
    /// Enters one more level, if the limit allows it.
    pub(super) fn deeper(&mut self, frame: &Frame<'_>) -> Result<(), Error> {
        if self.depth >= self.options.limits.depth {
            return Err(frame.error(self.too_deep(), Some(Reason::Depth)));
        }
        self.depth += 1;
        Ok(())
    }

    /// Go's message with our limit, which differs from Go's.
    pub(super) fn too_deep(&self) -> String {
        format!("exceeded maximum template depth ({})", self.options.limits.depth)
    }

    /// Takes one more step, if the limit allows it.
    pub(super) fn step(&mut self, frame: &Frame<'_>) -> Result<(), Error> {
        if self.steps == 0 {
            return Err(self.out_of_steps_at(frame));
        }
        if self.steps.is_multiple_of(STEPS_UNASKED) && self.options.environment.is_cancelled() {
            self.steps = 0;
            return Err(self.out_of_steps_at(frame));
        }
        self.steps -= 1;
        Ok(())
    }

    #[cold]
    fn out_of_steps_at(&self, frame: &Frame<'_>) -> Error {
        let mut error = frame.error("", None);
        error.cause = Some(Box::new(self.out_of_steps()));
        error
    }

    pub(super) fn out_of_steps(&self) -> Error {
        Error::limit("the templates take more steps than a chart is allowed")
    }

    /// Checks that the output is within its limit.
    pub(super) fn check_output(&self, frame: &Frame<'_>) -> Result<(), Error> {
        let limit = self.options.limits.output;
        if self.outer_bytes + self.out.bytes().len() as u64 <= limit {
            return Ok(());
        }
        let mut error = frame.error("", None);
        error.cause = Some(Box::new(Error::limit(format!("the templates write more than {limit} bytes"))));
        Err(error)
    }
}

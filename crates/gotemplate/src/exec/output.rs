//! The output of a template and its origins.

use super::origin::printed;
use super::{Call, Cell, Frame, LARGEST_RESULT, Run, TextOrigin};
use crate::node::TemplatePlace;
use crate::{Data, Error, Kind, StrBuilder, Trace, Value, fmt};

impl Run<'_> {
    /// Writes a part of the template's text.
    pub(super) fn write_text(&mut self, frame: &Frame<'_>, place: TemplatePlace) -> Result<(), Error> {
        let bytes = frame.nodes.at(place);
        if !self.traces {
            self.out.push_untraced(bytes);
        } else if let Some(trace) = frame.origin.trace(place) {
            self.out.push(bytes, trace);
        } else if let TextOrigin::Text(text) = frame.origin {
            self.out.push_part(text, place.range(), Trace::Unknown);
        }
        self.check_output(frame)
    }

    /// Prints the value of an action.
    pub(super) fn print(
        &mut self,
        frame: &Frame<'_>,
        action: TemplatePlace,
        cell: &Cell,
    ) -> Result<(), Error> {
        let value = &cell.value;
        if value.kind() == Kind::Func {
            let words = format!("can't print {} of type {}", frame.written(frame.node), value.type_name());
            return Err(frame.error(words, None));
        }
        if let Data::Object(object) = &value.data
            && object.weight() > LARGEST_RESULT
        {
            let mut error = frame.error("", None);
            let words = format!("what is printed is larger than {} MiB", LARGEST_RESULT >> 20);
            error.cause = Some(Box::new(Error::limit(words)));
            return Err(error);
        }
        if self.traces {
            let start = self.out.bytes().len();
            self.print_traced(frame, action, value);
            if is_written_by_others(value) {
                self.note_call(frame, action, start);
            }
        } else {
            print_untraced(&mut self.out, value);
        }
        self.check_output(frame)
    }

    /// Records that an action of the running template included all text from `start` on.
    pub(super) fn note_call(&mut self, frame: &Frame<'_>, action: TemplatePlace, start: usize) {
        if !self.traces || self.nesting != 1 {
            return;
        }
        let offset = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        // This takes memory even if nothing was written; the next step fails if the limit is reached.
        self.steps = self.steps.saturating_sub(size_of::<Call>() as u64 / 2);
        if let Some(action) = frame.origin.span(action) {
            self.calls.push(Call { start: offset(start), end: offset(self.out.bytes().len()), action });
        }
    }

    fn print_traced(&mut self, frame: &Frame<'_>, action: TemplatePlace, value: &Value) {
        let action = frame.origin.span(action);
        let convert = |trace| printed(trace, action, value.origin);
        match &value.data {
            Data::Invalid | Data::Nil => self.out.push(b"<no value>", printed(Trace::Unknown, action, None)),
            Data::String(text) => self.out.push_converted(text, convert),
            Data::Object(object) => self.out.push(object.printed().as_bytes(), convert(Trace::Unknown)),
            _ => {
                let mut out = StrBuilder::default();
                fmt::print(&mut out, value);
                self.out.push_converted(&out.finish(), convert);
            }
        }
    }
}

/// Whether a value is text that another template wrote.
fn is_written_by_others(value: &Value) -> bool {
    let Data::String(text) = &value.data else { return false };
    text.runs()
        .iter()
        .chain(text.blanks())
        .any(|run| matches!(run.trace, Trace::Printed { .. } | Trace::Verbatim(_)))
}

fn print_untraced(out: &mut StrBuilder, value: &Value) {
    match &value.data {
        Data::Invalid | Data::Nil => out.push_untraced(b"<no value>"),
        Data::String(text) => out.push_untraced(text.as_bytes()),
        Data::Object(object) => out.push_untraced(object.printed().as_bytes()),
        _ => fmt::print(out, value),
    }
}

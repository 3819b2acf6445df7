//! Where the text of a template came from, and so does its output.

use trueline_source::{SourceId, Span};

use crate::node::TemplatePlace;
use crate::{Data, Str, Trace, Value};

/// Where the text of a template came from.
#[derive(Debug, Clone)]
pub(crate) enum TextOrigin {
    /// Unknown.
    Unknown,
    /// A whole source, from its first byte on.
    Source(SourceId),
    /// A value that was typed here.
    Value(Span),
    /// A computed text, with its own traces.
    Text(Str),
}

impl TextOrigin {
    /// The origin of the text that is run as a template, from its runs.
    pub(crate) fn of_text(text: &Str) -> Self {
        match text.runs() {
            [] => TextOrigin::Unknown,
            [crate::Run { start: 0, trace: Trace::Value(span) }] => TextOrigin::Value(*span),
            _ => TextOrigin::Text(text.clone()),
        }
    }

    /// The source, if the text is one.
    pub(crate) fn source(&self) -> Option<SourceId> {
        match self {
            TextOrigin::Source(source) => Some(*source),
            _ => None,
        }
    }

    /// The place of a node in text that somebody typed.
    pub(crate) fn span(&self, place: TemplatePlace) -> Option<Span> {
        match self {
            TextOrigin::Unknown => None,
            TextOrigin::Source(source) => Some(source.span(place.start as usize, place.end as usize)),
            TextOrigin::Value(span) => Some(*span),
            TextOrigin::Text(text) => match text.trace_at(place.start as usize) {
                Trace::Unknown => None,
                Trace::Value(span) => Some(span),
                Trace::Printed { action, value } => Some(value.unwrap_or(action)),
                Trace::Verbatim(span) => {
                    let length = place.end.saturating_sub(place.start);
                    Some(Span { end: span.start.saturating_add(length).min(span.end), ..span })
                }
            },
        }
    }

    /// The trace of a part of the text that is copied to the output. `None` for [`TextOrigin::Text`], which has
    /// several.
    pub(crate) fn trace(&self, place: TemplatePlace) -> Option<Trace> {
        match self {
            TextOrigin::Unknown => Some(Trace::Unknown),
            TextOrigin::Source(source) => {
                Some(Trace::Verbatim(source.span(place.start as usize, place.end as usize)))
            }
            TextOrigin::Value(span) => Some(Trace::Value(*span)),
            TextOrigin::Text(_) => None,
        }
    }
}

/// The trace of a part of a printed value.
pub(crate) fn printed(trace: Trace, action: Option<Span>, origin: Option<Span>) -> Trace {
    match (trace, action) {
        (Trace::Unknown, Some(action)) => Trace::Printed { action, value: origin },
        (Trace::Unknown, None) => origin.map_or(Trace::Unknown, Trace::Value),
        (Trace::Value(value), Some(action)) => Trace::Printed { action, value: Some(value) },
        (trace, _) => trace,
    }
}

/// Where a value was typed: its own origin, or the first origin among the parts of its text.
pub(crate) fn origin_of(value: &Value) -> Option<Span> {
    if value.origin.is_some() {
        return value.origin;
    }
    let Data::String(text) = &value.data else { return None };
    text.runs().iter().find_map(|run| match run.trace {
        Trace::Value(span) => Some(span),
        Trace::Printed { value, .. } => value,
        Trace::Unknown | Trace::Verbatim(_) => None,
    })
}

//! Go's word for nil, which Helm takes out of what templates write.

use trueline_gotemplate::{Rendered, Str, StrBuilder, Trace};

const NO_VALUE: &[u8] = b"<no value>";

/// The text without what Go prints for nil. Helm takes it out of the finished text, wherever it came from.
pub(super) fn without_no_value(text: Str) -> Str {
    match removed(&text) {
        Some((text, _)) => text,
        None => text,
    }
}

/// The same for what a template wrote, whose calls keep to their text.
pub(super) fn rendered_without_no_value(mut rendered: Rendered) -> Rendered {
    let Some((text, places)) = removed(&rendered.text) else { return rendered };
    let moved = |offset: u32| {
        let before = places.partition_point(|&place| place < offset as usize);
        offset.saturating_sub(u32::try_from(before * NO_VALUE.len()).unwrap_or(u32::MAX))
    };
    for call in &mut rendered.calls {
        (call.start, call.end) = (moved(call.start), moved(call.end));
    }
    Rendered { text, ..rendered }
}

/// The text without it, and where it was; nothing if it is not there.
fn removed(text: &Str) -> Option<(Str, Vec<usize>)> {
    let bytes = text.as_bytes();
    let mut next = Some(find(bytes, 0)?);
    let mut builder = StrBuilder::with_capacity(bytes.len());
    let (mut from, mut places) = (0, Vec::new());
    while let Some(found) = next {
        builder.push_part(text, from..found, Trace::Unknown);
        // What printed it printed nothing.
        builder.push(b"", text.trace_at(found));
        places.push(found);
        from = found + NO_VALUE.len();
        next = find(bytes, from);
    }
    builder.push_part(text, from..bytes.len(), Trace::Unknown);
    Some((builder.finish(), places))
}

fn find(bytes: &[u8], from: usize) -> Option<usize> {
    memchr::memmem::find(bytes.get(from..)?, NO_VALUE).map(|position| from + position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::{Call, SourceId};

    #[test]
    fn calls_keep_to_their_text() {
        let action = SourceId::from_index(0).span(0, 1);
        let call = |start: u32, end: u32| Call { start, end, action };
        let text = Str::from("a<no value>bcd<no value>ef");
        let calls = vec![call(0, 1), call(11, 13), call(13, 26)];
        let rendered = rendered_without_no_value(Rendered { text, calls, steps: 0 });
        assert_eq!(rendered.text.as_bytes(), b"abcdef");
        assert_eq!(rendered.calls, [call(0, 1), call(1, 3), call(3, 6)]);
    }
}

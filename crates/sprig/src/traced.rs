//! Strings changed character by character, with their traces.

use trueline_gotemplate::{Str, StrBuilder};

use crate::utf8;

/// The string with each character replaced by what `replace` writes for it. `replace` receives the character
/// and its bytes; an invalid byte is passed as U+FFFD with that one byte.
pub(crate) fn rewrite(text: &Str, mut replace: impl FnMut(char, &[u8], &mut Vec<u8>)) -> Str {
    let bytes = text.as_bytes();
    let spelled = |start: usize, width: usize| bytes.get(start..start + width).unwrap_or_default();
    if text.runs().is_empty() {
        let mut written = Vec::with_capacity(bytes.len());
        for (start, character, width) in utf8::characters(bytes) {
            replace(character, spelled(start, width), &mut written);
        }
        return Str::from(written);
    }
    let mut builder = StrBuilder::with_capacity(bytes.len());
    let mut written = Vec::new();
    for (start, character, width) in utf8::characters(bytes) {
        written.clear();
        replace(character, spelled(start, width), &mut written);
        builder.push(&written, text.trace_at(start));
    }
    builder.finish()
}

/// The string with each character replaced by another.
pub(crate) fn mapped(text: &Str, mut map: impl FnMut(char) -> char) -> Str {
    rewrite(text, |character, _, written| {
        written.extend_from_slice(map(character).encode_utf8(&mut [0; 4]).as_bytes());
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_gotemplate::Trace;
    use trueline_source::SourceId;

    #[test]
    fn traces_follow_the_characters() {
        let span = |start, end| SourceId::from_index(0).span(start, end);
        let mut builder = StrBuilder::default();
        builder.push(b"ab", Trace::Verbatim(span(4, 6)));
        builder.push(b"c\xff", Trace::Value(span(0, 2)));
        let upper = mapped(&builder.finish(), |character| character.to_ascii_uppercase());
        assert_eq!(upper.as_bytes(), "ABC\u{fffd}".as_bytes());
        assert_eq!(upper.trace_at(1), Trace::Verbatim(span(5, 6)));
        assert_eq!(upper.trace_at(2), Trace::Value(span(0, 2)));
        assert_eq!(upper.runs().len(), 2);
    }
}

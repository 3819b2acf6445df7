//! Go's word for nil, which Helm takes out of what templates write.

use trueline_gotemplate::{Str, StrBuilder, Trace};

const NO_VALUE: &[u8] = b"<no value>";

/// The text without what Go prints for nil. Helm takes it out of the finished text, wherever it came from.
pub(super) fn without_no_value(text: Str) -> Str {
    let bytes = text.as_bytes();
    let Some(mut found) = find(bytes, 0) else { return text };
    let mut builder = StrBuilder::with_capacity(bytes.len());
    let mut from = 0;
    loop {
        builder.push_part(&text, from..found, Trace::Unknown);
        from = found + NO_VALUE.len();
        match find(bytes, from) {
            Some(next) => found = next,
            None => break,
        }
    }
    builder.push_part(&text, from..bytes.len(), Trace::Unknown);
    builder.finish()
}

fn find(bytes: &[u8], from: usize) -> Option<usize> {
    memchr::memmem::find(bytes.get(from..)?, NO_VALUE).map(|position| from + position)
}

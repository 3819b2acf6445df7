//! How large an object is when it is sent to a cluster.

use trueline_diagnostic::{Diagnostic, Level};
use trueline_yaml::{NodeRef, ScalarValue};

use super::codes::TOO_LARGE;

/// The longest request that an API server takes.
const LONGEST_REQUEST: usize = 3 << 20;

/// Texts that are shorter than this do not become longer than that.
const SURELY_SHORT: u32 = 1 << 20;

/// The finding for an object that is longer than any request may be, at its first key.
pub(crate) fn too_large(object: NodeRef<'_>) -> Option<Diagnostic> {
    let span = object.span();
    if span.end.saturating_sub(span.start) < SURELY_SHORT || !is_longer(object, LONGEST_REQUEST) {
        return None;
    }
    let place = object.entries().and_then(|mut entries| entries.next()).map_or(span, |(key, _)| key.span());
    let message = "this object is longer than the 3 MiB that an API server takes in one request";
    let finding = Diagnostic::new(&TOO_LARGE, place, message).level(Level::Semantic);
    Some(
        finding
            .help("take out of it what is not needed, such as descriptions, or make several objects of it"),
    )
}

/// Whether a value is longer than so many bytes of JSON without white space. Signs that JSON escapes count once.
fn is_longer(value: NodeRef<'_>, limit: usize) -> bool {
    let mut length = 0;
    let mut left = vec![value];
    while let Some(node) = left.pop() {
        // A comma, or the bracket at the end.
        length += 1;
        if let Some(entries) = node.entries() {
            length += 1;
            for (key, value) in entries {
                length += key.text().map_or(0, str::len) + "\"\":".len();
                left.push(value);
            }
        } else if let Some(items) = node.items() {
            length += 1;
            left.extend(items);
        } else {
            let quotes = if node.scalar() == Some(ScalarValue::String) { 2 } else { 0 };
            length += node.text().map_or(0, str::len).max(1) + quotes;
        }
        if length > limit {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trueline_source::SourceId;
    use trueline_yaml::ReadOptions;

    use super::*;

    #[test]
    fn lengths_are_those_of_json() {
        for (text, length) in
            [("a", 3), ("{a: 1}", 7), ("a: [b, 2]\nc: true\n", 22), ("{}", 2), ("a: |\n  b\n", 10)]
        {
            let text: Arc<str> = text.into();
            let stream = trueline_yaml::read(SourceId::from_index(0), &text, &ReadOptions::default());
            let root = stream.documents[0].root();
            assert!(is_longer(root, length - 1) && !is_longer(root, length + 1), "{text}");
        }
    }

    #[test]
    fn only_what_no_server_takes_is_told() {
        let told = |bytes: usize| {
            let text: Arc<str> = format!("kind: ConfigMap\ndata:\n  a: {}\n", "x".repeat(bytes)).into();
            let stream = trueline_yaml::read(SourceId::from_index(0), &text, &ReadOptions::default());
            too_large(stream.documents[0].root()).map(|finding| finding.primary.span.end)
        };
        assert_eq!(told(LONGEST_REQUEST - 100), None);
        assert_eq!(told(LONGEST_REQUEST), Some(4));
    }
}

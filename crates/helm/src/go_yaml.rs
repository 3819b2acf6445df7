//! YAML as Go's programs read it from bytes: the first document, and the error text of what stops it.

use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Level};
use trueline_source::SourceId;
use trueline_yaml::{Document, Limits, ReadOptions, read};

use crate::chart::NOT_UTF8;

/// Text that Go's YAML reader does not accept.
#[derive(Debug, Clone)]
pub(crate) struct Unreadable {
    /// go-yaml's words.
    pub(crate) go_text: String,
    /// Everything that is wrong with the text, in ours.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The first byte that is not UTF-8, and go-yaml's words for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) offset: usize,
    pub(crate) problem: &'static str,
}

/// go-yaml would read it; what is said of it are our own words.
const UTF_16: &str = "this is UTF-16 text, which is not read here: save it as UTF-8";

/// The keys, values and comments that a file of a chart may have. Large real ones have a few ten thousand.
const WRITTEN_NODES: usize = 600_000;

/// As many bytes as go-yaml takes at a time: what is wrong in an earlier piece is found first.
const PIECE: usize = 512;

/// The first document, as `Unmarshal` sees it; nothing if the text is empty.
///
/// `broken` says where the bytes that the text was made from are not UTF-8.
pub(crate) fn first(
    source: SourceId,
    text: &Arc<str>,
    broken: Option<Broken>,
) -> Result<Option<Document>, Unreadable> {
    first_with(source, text, broken, Limits::default())
}

/// As [`first`], for the files that chart authors and users write: values, Chart.yaml and its like. What they say is copied,
/// merged and looked at many times, so they may have fewer keys and values than other texts.
pub(crate) fn first_written(
    source: SourceId,
    text: &Arc<str>,
    broken: Option<Broken>,
) -> Result<Option<Document>, Unreadable> {
    first_with(source, text, broken, Limits { nodes: WRITTEN_NODES, ..Limits::default() })
}

fn first_with(
    source: SourceId,
    text: &Arc<str>,
    broken: Option<Broken>,
    limits: Limits,
) -> Result<Option<Document>, Unreadable> {
    let stream = read(source, text, &ReadOptions { limits, ..ReadOptions::default() });
    if let Some(broken) = broken {
        let piece = broken.offset / PIECE * PIECE;
        let earlier = stream.errors.first().is_some_and(|error| (error.span.start as usize) < piece)
            || stream.documents.get(1).is_some_and(|next| (next.root().span().start as usize) < piece);
        if !earlier {
            let place = source.span(broken.offset, broken.offset + char::REPLACEMENT_CHARACTER.len_utf8());
            let (message, label) = match broken.problem {
                UTF_16 => ("this file is UTF-16 text", "so says the byte order mark here"),
                _ => ("this file is not UTF-8 text", "the first byte that is not UTF-8 is here"),
            };
            let diagnostic = Diagnostic::new(&NOT_UTF8, place, message)
                .label(label)
                .help("save the file as UTF-8")
                .level(Level::Parse);
            let go_text = format!("yaml: {}", broken.problem);
            return Err(Unreadable { go_text, diagnostics: vec![diagnostic] });
        }
    }
    if let Err(error) = stream.first() {
        let go_text = error.go_text.clone();
        let diagnostics = stream.errors.iter().map(|error| error.to_diagnostic()).collect();
        return Err(Unreadable { go_text, diagnostics });
    }
    Ok(stream.documents.into_iter().next())
}

/// Where bytes are not UTF-8.
pub(crate) fn broken(bytes: &[u8]) -> Option<Broken> {
    let offset = std::str::from_utf8(bytes).err()?.valid_up_to();
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Some(Broken { offset, problem: UTF_16 });
    }
    let rest = bytes.get(offset..).unwrap_or_default();
    let first = rest.first().copied().unwrap_or_default();
    let width = match first {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => return Some(Broken { offset, problem: "invalid leading UTF-8 octet" }),
    };
    let problem = match rest.get(1..width) {
        None => "incomplete UTF-8 octet sequence",
        Some(trail) if trail.iter().any(|byte| byte & 0xc0 != 0x80) => "invalid trailing UTF-8 octet",
        Some(trail) => {
            let lead = u32::from(first) & (0xff >> (width + 1));
            let value = trail.iter().fold(lead, |value, byte| value << 6 | u32::from(byte & 0x3f));
            let shortest = match width {
                2 => 0x80,
                3 => 0x800,
                _ => 0x1_0000,
            };
            if value < shortest { "invalid length of a UTF-8 sequence" } else { "invalid Unicode character" }
        }
    };
    Some(Broken { offset, problem })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::{SourceKind, SourceMap};

    #[test]
    fn files_of_charts_may_have_fewer_values_than_others() {
        let sources = SourceMap::new();
        let many = "- 1\n".repeat(WRITTEN_NODES + 1);
        let source = sources.add("values.yaml", SourceKind::File, many.as_str());
        let text = Arc::clone(sources.get(source).text());
        assert!(first(source, &text, None).is_ok());
        let refused = first_written(source, &text, None).unwrap_err();
        assert_eq!(refused.diagnostics[0].code.id, "TL0126");
        let most = Arc::from("- 1\n".repeat(WRITTEN_NODES / 2));
        assert!(first_written(source, &most, None).is_ok());
    }

    fn go_text(bytes: &[u8]) -> Option<String> {
        let sources = SourceMap::new();
        let source = sources.add("t", SourceKind::File, String::from_utf8_lossy(bytes).into_owned());
        let text = Arc::clone(sources.get(source).text());
        first(source, &text, broken(bytes)).err().map(|error| error.go_text)
    }

    #[test]
    fn bytes_that_are_not_utf8_are_named_as_go_yaml_names_them() {
        for (bytes, text) in [
            (&b"a: \xff"[..], "yaml: invalid leading UTF-8 octet"),
            (b"a: \x80", "yaml: invalid leading UTF-8 octet"),
            (b"a: \xc3", "yaml: incomplete UTF-8 octet sequence"),
            (b"a: \xc3(", "yaml: invalid trailing UTF-8 octet"),
            (b"a: \xc0\x80", "yaml: invalid length of a UTF-8 sequence"),
            (b"a: \xed\xa0\x80", "yaml: invalid Unicode character"),
            (b"a: \xf7\xbf\xbf\xbf", "yaml: invalid Unicode character"),
            (b"\xff\xfea\0", "yaml: this is UTF-16 text, which is not read here: save it as UTF-8"),
            (b"\xfe\xff\0a", "yaml: this is UTF-16 text, which is not read here: save it as UTF-8"),
        ] {
            assert_eq!(go_text(bytes).as_deref(), Some(text), "{bytes:?}");
        }
        assert_eq!(go_text("a: é".as_bytes()), None);
    }

    #[test]
    fn what_is_wrong_in_an_earlier_piece_is_found_first() {
        let mut bytes = b"a: [\n".to_vec();
        bytes.push(0xff);
        assert_eq!(go_text(&bytes).as_deref(), Some("yaml: invalid leading UTF-8 octet"));
        let mut bytes = b"a: b: c\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'#', 600));
        bytes.push(0xff);
        assert_eq!(go_text(&bytes).as_deref(), Some("yaml: mapping values are not allowed in this context"));
    }
}

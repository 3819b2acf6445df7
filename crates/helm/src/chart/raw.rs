//! A file before it is known what it is for.

use std::sync::Arc;

use trueline_diagnostic::{Code, Diagnostic};
use trueline_source::{SourceKind, SourceMap, Span};

use super::File;

/// A file with its bytes.
#[derive(Debug)]
pub(super) struct Raw {
    path: String,
    /// Where the name inside the chart at hand begins: subcharts of subcharts move it, and copy nothing.
    start: usize,
    /// The name to show to a person.
    pub(super) shown: String,
    pub(super) content: Content,
    /// When it was changed, in seconds since 1970.
    modified: Option<i64>,
}

/// The bytes of a file, in the form in which they are kept.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Text(Arc<str>),
    Bytes(Arc<[u8]>),
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl From<&[u8]> for Content {
    /// A byte order mark at the beginning is dropped.
    fn from(bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => Content::Text(text.into()),
            Err(_) => Content::Bytes(bytes.into()),
        }
    }
}

impl Content {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Content::Text(text) => text.as_bytes(),
            Content::Bytes(bytes) => bytes,
        }
    }
}

impl Raw {
    /// A file.
    pub(super) fn new(path: String, shown: String, content: Content) -> Self {
        Raw { path, start: 0, shown, content, modified: None }
    }

    /// The same file with the time when it was changed, in seconds since 1970.
    pub(super) fn modified_at(mut self, modified: Option<i64>) -> Self {
        self.modified = modified;
        self
    }

    /// The path inside the chart at hand.
    pub(super) fn name(&self) -> &str {
        self.path.get(self.start..).unwrap_or_default()
    }

    /// The same file seen from a directory of the chart at hand; `None` where it is not below it.
    pub(super) fn below(mut self, directory: &str) -> Option<Self> {
        let inside = self.name().strip_prefix(directory)?.strip_prefix('/')?;
        self.start = self.path.len() - inside.len();
        Some(self)
    }

    /// Its bytes, shared.
    pub(super) fn shared(&self) -> Arc<[u8]> {
        match &self.content {
            Content::Text(text) => Arc::clone(text).into(),
            Content::Bytes(bytes) => Arc::clone(bytes),
        }
    }

    /// A file that is only data.
    pub(super) fn into_data(self) -> File {
        let name = self.name().into();
        let data = match self.content {
            Content::Text(text) => text.into(),
            Content::Bytes(bytes) => bytes,
        };
        File { name, data, source: None, modified: self.modified }
    }

    /// A file that findings can point into; its text is shared with the source.
    pub(super) fn into_source(self, sources: &SourceMap) -> File {
        let name = Arc::from(self.name());
        let modified = self.modified;
        match self.content {
            Content::Text(text) => {
                let source = sources.add(self.shown, SourceKind::File, Arc::clone(&text));
                File { name, data: text.into(), source: Some(source), modified }
            }
            Content::Bytes(data) => {
                let text = String::from_utf8_lossy(&data).into_owned();
                let source = sources.add(self.shown, SourceKind::File, text);
                File { name, data, source: Some(source), modified }
            }
        }
    }
}

/// A finding about a file that has no text to point into: at the start of an empty source of its name.
pub(super) fn about_file(
    sources: &SourceMap,
    shown: impl Into<String>,
    code: &'static Code,
    message: impl Into<String>,
) -> Diagnostic {
    let source = sources.add(shown, SourceKind::File, "");
    Diagnostic::new(code, Span::whole(source), message)
}

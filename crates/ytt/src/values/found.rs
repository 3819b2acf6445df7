//! Files that flags name.

use std::rc::Rc;

use trueline_source::SourceId;

use crate::tree::File;

/// A file that a flag names, or one in a directory that it names.
#[derive(Debug, Clone)]
pub struct FoundFile {
    /// Its name in messages: the last part of its path, or its path below the directory.
    pub name: String,
    /// What it holds, or what ytt prints if it cannot be read.
    pub bytes: Result<Rc<[u8]>, String>,
    /// Its id in the map of sources, if it is there.
    pub source: Option<SourceId>,
}

impl FoundFile {
    /// Whether it is one of the other files that a directory with data values may have. Like the original, this knows
    /// only those further down in the directory.
    pub(super) fn is_passed_over(&self) -> bool {
        self.name.contains('/') && !(self.name.ends_with(".yml") || self.name.ends_with(".yaml"))
    }

    /// Its text.
    pub(super) fn text(&self) -> Result<Rc<File>, String> {
        let bytes = self.bytes.as_ref().map_err(Clone::clone)?;
        Ok(match (self.source, std::str::from_utf8(bytes)) {
            (Some(source), Ok(text)) => File::in_source(&self.name, text, source),
            _ => File::from_bytes(&self.name, bytes),
        })
    }
}

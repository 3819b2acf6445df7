//! The files of a run: where their bytes come from, what they are, and in which order they count.

mod mark;

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use trueline_source::SourceId;

pub use mark::apply_marks;

use crate::error::{Error, ErrorKind};
use crate::input_error::InputError;
use crate::tree;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    /// A YAML template, or plain YAML.
    Yaml,
    /// A text template, or plain text.
    Text,
    /// A Starlark program.
    Starlark,
    /// Anything else: templates can only read its bytes.
    Unknown,
}

/// What was read of a file.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Its bytes.
    pub bytes: Rc<[u8]>,
    /// Its id in the map of sources, if it is there.
    pub source: Option<SourceId>,
}

/// Where the bytes of a file come from. They are asked for once, and only if something needs them.
pub trait Contents {
    /// Reads the file.
    fn read(&self) -> Result<Loaded, InputError>;
}

impl Contents for Vec<u8> {
    fn read(&self) -> Result<Loaded, InputError> {
        Ok(Loaded { bytes: self.as_slice().into(), source: None })
    }
}

/// Whether the result of a template is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    Printed,
    NotPrinted,
}

/// Whether a file is evaluated as a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Templating {
    Template,
    Plain,
}

/// A file of a run.
pub struct InputFile {
    original_path: Rc<str>,
    marked_path: Option<Rc<str>>,
    marked_type: Option<FileType>,
    marked_templating: Option<Templating>,
    marked_output: Cell<Option<Output>>,
    contents: Box<dyn Contents>,
    loaded: OnceCell<Result<Loaded, InputError>>,
    text: OnceCell<Rc<tree::File>>,
    order: usize,
}

impl InputFile {
    /// A file with the path that messages, `load` and outputs use.
    pub fn new(path: &str, contents: impl Contents + 'static) -> InputFile {
        InputFile {
            original_path: path.into(),
            marked_path: None,
            marked_type: None,
            marked_templating: None,
            marked_output: Cell::new(None),
            contents: Box::new(contents),
            loaded: OnceCell::new(),
            text: OnceCell::new(),
            order: 0,
        }
    }

    /// The same under another path; file marks still know it by its original one.
    pub fn renamed(mut self, path: &str) -> InputFile {
        self.marked_path = Some(path.into());
        self
    }

    /// The path, with `/` between its parts.
    pub fn path(&self) -> &Rc<str> {
        self.marked_path.as_ref().unwrap_or(&self.original_path)
    }

    /// The last part of the path.
    pub fn name(&self) -> &str {
        self.path().rsplit('/').next().unwrap_or_default()
    }

    /// Its place among all files of the run.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The bytes.
    pub fn bytes(&self) -> Result<&Rc<[u8]>, Error> {
        self.loaded().map(|loaded| &loaded.bytes)
    }

    fn loaded(&self) -> Result<&Loaded, Error> {
        self.loaded
            .get_or_init(|| self.contents.read())
            .as_ref()
            .map_err(|error| Error::new(ErrorKind::File, error.to_string()))
    }

    /// The text, under the file's path.
    pub fn text(&self) -> Result<&Rc<tree::File>, Error> {
        let loaded = self.loaded()?;
        Ok(self.text.get_or_init(|| match (loaded.source, std::str::from_utf8(&loaded.bytes)) {
            (Some(source), Ok(text)) => tree::File::in_source(self.path(), text, source),
            _ => tree::File::from_bytes(self.path(), &loaded.bytes),
        }))
    }

    /// What it is: what a mark says, else what its name says.
    pub fn file_type(&self) -> FileType {
        let name = self.name();
        self.marked_type.unwrap_or_else(|| match () {
            () if name.ends_with(".yaml") || name.ends_with(".yml") => FileType::Yaml,
            () if name.ends_with(".star") => FileType::Starlark,
            () if name.ends_with(".txt") => FileType::Text,
            () => FileType::Unknown,
        })
    }

    /// Whether other files can load it: `NAME.lib.EXT` and all Starlark files.
    pub fn is_library(&self) -> bool {
        let mut parts = self.name().rsplit('.');
        let has_library_name = parts.nth(1) == Some("lib") && parts.next().is_some();
        has_library_name || self.file_type() == FileType::Starlark
    }

    /// Whether it is evaluated.
    pub fn is_template(&self) -> bool {
        match self.marked_templating {
            Some(templating) => templating == Templating::Template,
            None => self.is_template_by_name(),
        }
    }

    fn is_template_by_name(&self) -> bool {
        !self.is_library() && matches!(self.file_type(), FileType::Yaml | FileType::Text)
    }

    /// Whether what it evaluates to belongs to the result of the run.
    pub fn is_for_output(&self) -> bool {
        match self.marked_output.get() {
            Some(output) => output == Output::Printed,
            None => self.marked_templating == Some(Templating::Template) || self.is_template_by_name(),
        }
    }

    /// Keeps it out of the result: it holds data values or a schema.
    pub fn keep_from_output(&self) {
        self.marked_output.set(Some(Output::NotPrinted));
    }
}

impl std::fmt::Debug for InputFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "InputFile({})", self.path())
    }
}

/// Puts groups of files into the order in which they count: the groups one after the other, and in each the files by
/// their paths, as bytes.
pub fn in_order(groups: Vec<Vec<InputFile>>) -> Vec<InputFile> {
    let mut files = Vec::new();
    for mut group in groups {
        group.sort_by(|one, other| one.path().as_bytes().cmp(other.path().as_bytes()));
        files.append(&mut group);
    }
    numbered(files)
}

/// Files that count in the order in which they are given.
pub fn numbered(mut files: Vec<InputFile>) -> Vec<InputFile> {
    for (index, file) in files.iter_mut().enumerate() {
        file.order = index;
    }
    files
}

/// A file that a run made.
#[derive(Debug, Clone)]
pub struct OutputFile {
    /// Its path below the directory that output is written to.
    pub path: Rc<str>,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// What the file is that it was made from.
    pub file_type: FileType,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input_error::InputErrorKind;

    fn file(path: &str) -> InputFile {
        InputFile::new(path, Vec::new())
    }

    #[test]
    fn names_say_what_files_are() {
        use FileType::{Starlark, Text, Unknown, Yaml};
        for (path, file_type, is_library, is_template) in [
            ("a.yml", Yaml, false, true),
            ("d/a.yaml", Yaml, false, true),
            ("a.lib.yml", Yaml, true, false),
            ("a.b.lib.txt", Text, true, false),
            ("lib.yml", Yaml, false, true),
            (".lib.yml", Yaml, true, false),
            ("a.txt", Text, false, true),
            ("a.star", Starlark, true, false),
            ("a.lib.star", Starlark, true, false),
            ("a.lib.md", Unknown, true, false),
            ("a.json", Unknown, false, false),
            ("yml", Unknown, false, false),
        ] {
            let file = file(path);
            let found = (file.file_type(), file.is_library(), file.is_template(), file.is_for_output());
            assert_eq!(found, (file_type, is_library, is_template, is_template), "{path}");
        }
    }

    #[test]
    fn groups_keep_their_order_and_are_sorted_inside() {
        let groups = vec![vec![file("z.yml")], vec![file("b/x.yml"), file("b.yml"), file("B.yml")]];
        let files = in_order(groups);
        let paths: Vec<_> = files.iter().map(|file| &**file.path()).collect();
        assert_eq!(paths, ["z.yml", "B.yml", "b.yml", "b/x.yml"]);
        assert_eq!(files.iter().map(InputFile::order).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn bytes_are_read_once_and_errors_are_kept() {
        struct Counted(Rc<Cell<u32>>);
        impl Contents for Counted {
            fn read(&self) -> Result<Loaded, InputError> {
                self.0.set(self.0.get() + 1);
                Err(InputErrorKind::Unreadable.of("open a.yml: permission denied"))
            }
        }
        let count = Rc::new(Cell::new(0));
        let file = InputFile::new("a.yml", Counted(Rc::clone(&count)));
        assert!(file.bytes().is_err());
        assert!(file.text().is_err());
        assert_eq!(count.get(), 1);
    }
}

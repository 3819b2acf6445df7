//! What all libraries of a run share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::Library;
use crate::error::{Error, ErrorKind};
use crate::files::{FileType, InputFile};
use crate::run::Telling;
use crate::template::{self, KeyOverrides, Program, UnknownComments};
use crate::text;
use crate::tree::{CommentHandling, DocumentSet, ReadOptions, Scalars, read};
use crate::value::Context;
use rustc_hash::{FxHashMap, FxHashSet};

/// Files that load each other, and libraries that evaluate each other, may be nested this deep.
const MAX_NESTING: usize = 64;

/// So many failures are reported besides the first.
const MOST_OTHERS: usize = 100;

/// How the files of a library are read and compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LoaderOptions {
    /// What becomes of comments that were not written for ytt.
    pub unknown_comments: UnknownComments,
    /// What becomes of keys that are there twice.
    pub key_overrides: KeyOverrides,
    /// How plain scalars are understood.
    pub scalars: Scalars,
}

/// Whether validations are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Validation {
    /// They are.
    #[default]
    Run,
    /// They are not.
    Skip,
}

/// Which validations are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Validations {
    /// Those of data values.
    pub data_values: Validation,
    /// Those of the documents that templates become.
    pub output: Validation,
}

impl Validations {
    /// Turns validations off by the name of a keyword argument; says whether it has that name.
    pub(super) fn skip(&mut self, name: &str) -> bool {
        match name {
            "dangerous_data_values_disable_validation" | "data_value_schema_disable_validation" => {
                self.data_values = Validation::Skip;
            }
            "output_disable_validation" => self.output = Validation::Skip,
            _ => return false,
        }
        true
    }
}

/// What a file is for an evaluation.
pub(super) enum Source {
    /// YAML without any code.
    Plain(DocumentSet),
    /// Code of any kind.
    Program(Rc<Program>),
}

type FileKey = *const InputFile;

/// The state of a run. Files are read and compiled once, however often they are evaluated.
pub struct Session {
    /// Places of values, and how many nodes may be made.
    pub context: Context,
    messages: RefCell<Vec<u8>>,
    is_debugging: bool,
    telling: Telling,
    /// What failed besides the failure that ends the run.
    others: RefCell<Vec<Error>>,
    has_warned: Cell<bool>,
    /// The numbers of generated names; ytt counts from two.
    programs_made: Cell<u32>,
    parsed: RefCell<FxHashMap<(FileKey, Scalars), Rc<DocumentSet>>>,
    programs: RefCell<FxHashMap<(FileKey, LoaderOptions), Rc<Program>>>,
    /// The files that are being evaluated because others load them.
    loading: RefCell<Vec<(FileKey, Rc<str>)>>,
    /// Files that were found to load each other in a circle.
    circles: RefCell<FxHashSet<FileKey>>,
    nesting: Cell<usize>,
    /// It also keeps the files alive that the tables above know by their addresses.
    root: Rc<Library>,
}

impl Session {
    /// A run over the files of a library.
    pub fn new(
        root: &Rc<Library>,
        context: Context,
        debugging: crate::run::Debugging,
        telling: Telling,
    ) -> Rc<Session> {
        Rc::new(Session {
            context,
            messages: RefCell::default(),
            is_debugging: debugging == crate::run::Debugging::On,
            telling,
            others: RefCell::default(),
            has_warned: Cell::new(false),
            programs_made: Cell::new(1),
            parsed: RefCell::default(),
            programs: RefCell::default(),
            loading: RefCell::default(),
            circles: RefCell::default(),
            nesting: Cell::new(0),
            root: Rc::clone(root),
        })
    }

    /// Says something on standard error.
    pub fn say(&self, text: &[u8]) {
        self.messages.borrow_mut().extend_from_slice(text);
    }

    /// Says something that is only said with `--debug`.
    pub(super) fn debug(&self, text: impl FnOnce() -> String) {
        if self.is_debugging {
            self.say(text().as_bytes());
        }
    }

    /// Says something that is said once in a run.
    pub(super) fn warn_once(&self, text: &str) {
        if !self.has_warned.replace(true) {
            self.say(text.as_bytes());
        }
    }

    /// What was said so far.
    pub fn take_messages(&self) -> Vec<u8> {
        std::mem::take(&mut *self.messages.borrow_mut())
    }

    /// Says which libraries there are, with `--debug`.
    pub(crate) fn describe(&self, root: &Library) {
        self.debug(|| root.describe());
    }

    /// Whether failures of a library are set aside. Those of the libraries inside end the call that led there.
    pub(super) fn sets_aside(&self, library: &Rc<Library>) -> bool {
        self.telling == Telling::Others && Rc::ptr_eq(library, &self.root)
    }

    /// Sets a failure aside and goes on after it, unless the run has cost too much.
    pub(super) fn set_aside(&self, error: Error) -> Result<(), Error> {
        let mut others = self.others.borrow_mut();
        if matches!(error.kind(), ErrorKind::Limit) || others.len() >= MOST_OTHERS {
            return Err(error);
        }
        others.push(error);
        Ok(())
    }

    /// Whether a file is in a circle of files that load each other: all of them fail for the same reason.
    pub(super) fn is_in_circle(&self, file: &Rc<InputFile>) -> bool {
        self.circles.borrow().contains(&Rc::as_ptr(file))
    }

    /// Ends with the first failure that was set aside, if there is one.
    pub(super) fn first_aside(&self) -> Result<(), Error> {
        self.others.borrow().first().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// What was set aside.
    pub(crate) fn take_others(&self) -> Vec<Error> {
        std::mem::take(&mut *self.others.borrow_mut())
    }

    /// Sets aside why files are not programs: a run that failed may have come to some of them only.
    pub(crate) fn compile_all(&self, root: &Rc<Library>, options: LoaderOptions) {
        if self.telling == Telling::First {
            return;
        }
        for file in root.accessible_files() {
            let is_evaluated = file.file.is_template() || file.file.is_library();
            if !is_evaluated || file.file.file_type() == FileType::Unknown {
                continue;
            }
            let compiled = self.source(&file.file, options).and_then(|source| match source {
                Source::Plain(_) => Ok(()),
                Source::Program(program) => program.check(),
            });
            if compiled.is_err_and(|error| self.set_aside(error).is_err()) {
                return;
            }
        }
    }

    fn next_id(&self) -> u32 {
        self.programs_made.set(self.programs_made.get().saturating_add(1));
        self.programs_made.get()
    }

    /// The documents of a YAML file, not evaluated.
    pub(super) fn documents(&self, file: &Rc<InputFile>, scalars: Scalars) -> Result<Rc<DocumentSet>, Error> {
        let key = (Rc::as_ptr(file), scalars);
        if let Some(documents) = self.parsed.borrow().get(&key) {
            return Ok(Rc::clone(documents));
        }
        let is_plain = !file.is_template() && !file.is_library();
        let comments = if is_plain { CommentHandling::Ignore } else { CommentHandling::Attach };
        let options = ReadOptions { comments, scalars, ..ReadOptions::default() };
        let documents = read(file.text()?, &options).map_err(|error| {
            Error::from(error).context(format_args!("Unmarshaling YAML template '{}'", file.path()))
        })?;
        let documents = Rc::new(documents);
        self.parsed.borrow_mut().insert(key, Rc::clone(&documents));
        Ok(documents)
    }

    /// What an evaluation of a file starts from.
    pub(super) fn source(&self, file: &Rc<InputFile>, options: LoaderOptions) -> Result<Source, Error> {
        let key = (Rc::as_ptr(file), options);
        if let Some(program) = self.programs.borrow().get(&key) {
            return Ok(Source::Program(Rc::clone(program)));
        }
        let program = match file.file_type() {
            FileType::Yaml => {
                let documents = self.documents(file, options.scalars)?;
                let is_plain = !file.is_template() && !file.is_library();
                if is_plain || !template::has_templating(&documents) {
                    let mut documents = Rc::unwrap_or_clone(documents);
                    documents.override_map_keys();
                    return Ok(Source::Plain(documents));
                }
                let settings = template::Options {
                    unknown_comments: options.unknown_comments,
                    key_overrides: options.key_overrides,
                    id: self.next_id(),
                };
                template::compile_yaml(file.path(), &documents, settings).map_err(|error| {
                    error.context(format_args!("Compiling YAML template '{}'", file.path()))
                })?
            }
            FileType::Text => text::compile(file.text()?, file.bytes()?, self.next_id())
                .map_err(|error| error.context(format_args!("Parsing text template '{}'", file.path())))?,
            FileType::Starlark => template::compile_starlark(file.text()?, file.bytes()?, self.next_id()),
            FileType::Unknown => {
                let text = format!("File '{}' type is not a known", file.path());
                return Err(Error::new(ErrorKind::File, text));
            }
        };
        self.debug(|| format!("## file {}\n### template\n{}", file.path(), program.debug_listing()));
        self.programs.borrow_mut().insert(key, Rc::clone(&program));
        Ok(Source::Program(program))
    }

    /// The program that was made of a file with this path. Of several it is always the same one.
    pub(super) fn find_program(&self, path: &str) -> Option<Rc<Program>> {
        let programs = self.programs.borrow();
        let named = programs.values().filter(|program| program.name() == path);
        named.min_by_key(|program| program.generated_name()).map(Rc::clone)
    }

    /// Runs something for a file that another loads. A file that loads itself would be loaded forever.
    pub(super) fn loading<T>(
        &self,
        file: &Rc<InputFile>,
        run: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let key = Rc::as_ptr(file);
        let cycle = {
            let loading = self.loading.borrow();
            let start = loading.iter().position(|(known, _)| *known == key);
            start
                .map(|start| loading.iter().skip(start).map(|(_, path)| path.to_string()).collect::<Vec<_>>())
        };
        if let Some(cycle) = cycle {
            let mut circles = self.circles.borrow_mut();
            circles.extend(self.loading.borrow().iter().map(|(known, _)| *known));
            let text =
                format!("Expected file '{}' to not load itself (via {})", file.path(), cycle.join(", "));
            return Err(Error::other(text));
        }
        self.loading.borrow_mut().push((key, Rc::clone(file.path())));
        let result = self.nested(run);
        self.loading.borrow_mut().pop();
        result
    }

    /// Runs something inside of an evaluation that has not ended.
    pub(super) fn nested<T>(&self, run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        if self.nesting.get() >= MAX_NESTING {
            return Err(Error::limit(format!(
                "libraries and loaded files are nested more than {MAX_NESTING} deep"
            )));
        }
        self.nesting.set(self.nesting.get() + 1);
        let result = run();
        self.nesting.set(self.nesting.get() - 1);
        result
    }

    /// Runs something for a library that does not see which files its caller loads.
    pub(super) fn apart<T>(&self, run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let outer = std::mem::take(&mut *self.loading.borrow_mut());
        let result = self.nested(run);
        *self.loading.borrow_mut() = outer;
        result
    }
}

//! Evaluating the files of a library, and what they load.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use trueline_starlark::{Error as StarlarkError, Globals, Thread, Value as Starlark};

use super::module::LibraryModule;
use super::session::{LoaderOptions, Session, Source, Validations};
use super::{FileInLibrary, Library};
use crate::error::{Error, ErrorKind, Fact};
use crate::files::{FileType, InputFile};
use crate::modules;
use crate::template::{self, Output, Program};
use crate::tree::{Document, DocumentSet};
use crate::values::{Envelope, SchemaEnvelope};

/// One phase of a library: what its files see while they are evaluated.
pub(super) struct Phase {
    pub(super) session: Rc<Session>,
    pub(super) options: LoaderOptions,
    pub(super) validations: Validations,
    /// The data values.
    pub(super) values: Document,
    /// Data values for libraries inside of this one.
    pub(super) library_values: Vec<Rc<Envelope>>,
    /// Schemas for libraries inside of this one.
    pub(super) library_schemas: Vec<Rc<SchemaEnvelope>>,
    pub(super) programs: RefCell<FxHashMap<Rc<str>, Rc<Program>>>,
}

impl Phase {
    pub(super) fn new(session: &Rc<Session>, options: LoaderOptions, validations: Validations) -> Phase {
        Phase {
            session: Rc::clone(session),
            options,
            validations,
            values: Envelope::empty().document,
            library_values: Vec::new(),
            library_schemas: Vec::new(),
            programs: RefCell::default(),
        }
    }

    /// Evaluates a file. `root` is the library that paths with a leading `/` begin in.
    pub(super) fn evaluate(
        self: &Rc<Self>,
        file: &Rc<InputFile>,
        library: &Rc<Library>,
        root: &Rc<Library>,
        thread: &Thread,
    ) -> Result<(Globals, Output), Error> {
        let program = match self.session.source(file, self.options)? {
            Source::Plain(documents) => return Ok((Globals::new(), Output::Documents(documents))),
            Source::Program(program) => program,
        };
        self.programs.borrow_mut().insert(Rc::clone(file.path()), Rc::clone(&program));
        let loader: Rc<dyn template::Loader> = Rc::new(FileLoader {
            phase: Rc::clone(self),
            library: Rc::clone(library),
            root: Rc::clone(root),
        });
        let evaluated = program.eval(&mut thread.fork(), &loader, &self.session.context);
        evaluated.map_err(|error| match file.file_type() {
            FileType::Text => error.context("Evaluating text template"),
            FileType::Starlark => error.context("Evaluating starlark template"),
            FileType::Yaml | FileType::Unknown => error,
        })
    }

    /// The documents of a YAML file.
    pub(super) fn evaluate_documents(
        self: &Rc<Self>,
        file: &FileInLibrary,
        root: &Rc<Library>,
        thread: &Thread,
    ) -> Result<DocumentSet, Error> {
        match self.evaluate(&file.file, &file.library, root, thread)?.1 {
            Output::Documents(documents) => Ok(documents),
            Output::Nothing | Output::Text(_) => Ok(DocumentSet::default()),
        }
    }
}

/// What one file can load and read.
struct FileLoader {
    phase: Rc<Phase>,
    library: Rc<Library>,
    root: Rc<Library>,
}

impl FileLoader {
    fn load_file(&self, thread: &Thread, module: &str) -> Result<Globals, Error> {
        let (library, root, path) = match module.strip_prefix('@') {
            None => (Rc::clone(&self.library), Rc::clone(&self.root), module),
            Some(address) => {
                let Some((name, path)) = address.split_once(':') else {
                    return Err(Error::other(
                        "Expected library path to be in format '@name:path' e.g. \
                         '@github.com/vmware-tanzu/test:test.star' or '@ytt:base64'",
                    ));
                };
                let library = self.library.find_accessible(name)?;
                (Rc::clone(&library), library, path)
            }
        };
        let found = match path.strip_prefix('/') {
            Some(path) => root.find_file(path),
            None => library.find_file(path),
        };
        let found = found.map_err(|error| {
            error.about(Fact::NoFile { path: path.to_owned(), module: Some(module.to_owned()) })
        })?;
        let FileInLibrary { file, library, .. } = found;
        if !file.is_library() {
            let text = format!(
                "Expected file '{}' to be a library file, but was not (hint: library filename must end with '.lib.yml' \
                 or '.star'; use data.read(...) for loading non-templated file contents)",
                file.path()
            );
            return Err(Error::new(ErrorKind::File, text));
        }
        let session = &self.phase.session;
        session.loading(&file, || Ok(self.phase.evaluate(&file, &library, &root, thread)?.0))
    }
}

impl template::Loader for FileLoader {
    fn load(&self, thread: &mut Thread, module: &str, replace: &Starlark) -> Result<Globals, StarlarkError> {
        let loaded = match module.strip_prefix("@ytt:") {
            Some(name) => {
                let host: Rc<dyn modules::Host> = Rc::new(FileHost {
                    phase: Rc::clone(&self.phase),
                    library: Rc::clone(&self.library),
                    root: Rc::clone(&self.root),
                });
                modules::load(name, &host, replace, &self.phase.session.context)
            }
            None => self.load_file(thread, module),
        };
        loaded.map_err(Error::into_starlark)
    }

    fn find_program(&self, name: &str) -> Option<Rc<Program>> {
        self.phase.programs.borrow().get(name).cloned()
    }

    fn find_foreign(&self, name: &str) -> Option<Rc<Program>> {
        self.phase.session.find_program(name)
    }
}

/// What modules see of the file that loads them.
struct FileHost {
    phase: Rc<Phase>,
    library: Rc<Library>,
    root: Rc<Library>,
}

impl FileHost {
    /// The library that a path begins in, and the path in it.
    fn start<'p>(&self, path: &'p str) -> (&Rc<Library>, &'p str) {
        match path.strip_prefix('/') {
            Some(path) => (&self.root, path),
            None => (&self.library, path),
        }
    }
}

impl modules::Host for FileHost {
    fn values(&self) -> &Document {
        &self.phase.values
    }

    fn read(&self, path: &str) -> Result<Rc<[u8]>, Error> {
        let (library, path) = self.start(path);
        library.find_file(path)?.file.bytes().cloned()
    }

    fn list(&self, path: &str) -> Result<Vec<String>, Error> {
        let (library, below) = self.start(path);
        let library = if below.is_empty() { Rc::clone(library) } else { library.find_directory(below)? };
        let lead = if path.starts_with('/') { "/" } else { "" };
        Ok(library.accessible_files().iter().map(|file| format!("{lead}{}", file.path)).collect())
    }

    fn warn_once(&self, text: &str) {
        self.phase.session.warn_once(text);
    }

    fn library(&self) -> Starlark {
        LibraryModule::new(&self.phase, &self.library).into_value()
    }
}

//! The pipeline of one library: schema, data values, templates, overlays.

use std::rc::Rc;

use trueline_starlark::{Globals, Thread};

use super::loader::Phase;
use super::session::{LoaderOptions, Session, Validation, Validations};
use super::{FileInLibrary, Library, directory};
use crate::error::{Error, ErrorKind};
use crate::files::FileType;
use crate::overlay::{self, OverlayFile};
use crate::schema::Schema;
use crate::template::Output;
use crate::tree::{Document, DocumentSet};
use crate::validation;
use crate::values::{
    CombinedSchema, CombinedValues, Combining, DATA_VALUES, DATA_VALUES_SCHEMA, Envelope, SchemaEnvelope,
    SetAside, check_all_used, has_documents,
};

/// A library that is about to be evaluated.
#[derive(Clone)]
pub struct Execution {
    pub(super) session: Rc<Session>,
    pub(super) library: Rc<Library>,
    pub(super) options: LoaderOptions,
    pub(super) validations: Validations,
}

/// What a file of a library became.
#[derive(Debug)]
pub struct EvaluatedFile<T> {
    /// Its path below the library.
    pub path: Rc<str>,
    /// What it became.
    pub content: T,
}

/// The globals of a file that can be loaded.
pub struct Export {
    /// Its path below the library.
    pub path: Rc<str>,
    /// The globals.
    pub globals: Globals,
}

/// What a library became.
#[derive(Default)]
pub struct Evaluated {
    /// Texts, in the order of the directories.
    pub texts: Vec<EvaluatedFile<Vec<u8>>>,
    /// Documents, in the order of the files.
    pub documents: Vec<EvaluatedFile<DocumentSet>>,
    /// What can be exported.
    pub exports: Vec<Export>,
}

impl Evaluated {
    /// All documents in one set.
    pub fn into_documents(self) -> DocumentSet {
        let mut all = DocumentSet::default();
        for file in self.documents {
            all.documents.extend(file.content.documents);
        }
        all
    }
}

impl Execution {
    /// A library with the options of the run.
    pub fn new(
        session: &Rc<Session>,
        library: &Rc<Library>,
        options: LoaderOptions,
        validations: Validations,
    ) -> Execution {
        Execution { session: Rc::clone(session), library: Rc::clone(library), options, validations }
    }

    fn phase(&self) -> Phase {
        Phase::new(&self.session, self.options, self.validations)
    }

    /// The files that have documents with an annotation, in the order in which they count. They are no longer part of
    /// the result.
    fn annotated_files(&self, annotation: &str) -> Result<Vec<FileInLibrary>, Error> {
        let mut found = Vec::new();
        for file in self.library.accessible_files() {
            if file.file.file_type() == FileType::Yaml && file.file.is_template() {
                let documents = self.session.documents(&file.file, self.options.scalars)?;
                if has_documents(&documents, annotation)? {
                    file.file.keep_from_output();
                    found.push(file);
                }
            }
        }
        directory::sort(&mut found);
        Ok(found)
    }

    /// The schema that the library's files and more documents make.
    pub fn schema(&self, thread: &mut Thread, more: &[Rc<SchemaEnvelope>]) -> Result<CombinedSchema, Error> {
        let files = self.annotated_files(DATA_VALUES_SCHEMA)?;
        self.combining(thread, &files, |combining| combining.schema(more))
    }

    /// The data values that the library's files and more documents make.
    pub fn values(
        &self,
        thread: &mut Thread,
        schema: &Schema,
        more: Vec<Rc<Envelope>>,
    ) -> Result<CombinedValues, Error> {
        let files = self.annotated_files(DATA_VALUES)?;
        let others = |error| self.session.set_aside(error);
        let others: Option<&SetAside<'_>> = self.session.sets_aside(&self.library).then_some(&others);
        let values = self.combining(thread, &files, |combining| combining.values(schema, more, others))?;
        if self.validations.data_values == Validation::Run {
            validation::validate(&values.document, schema, thread, &self.session.context)?;
        }
        Ok(values)
    }

    fn combining<T>(
        &self,
        thread: &mut Thread,
        files: &[FileInLibrary],
        combine: impl FnOnce(Combining<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let phase = Rc::new(self.phase());
        let paths: Vec<Rc<str>> = files.iter().map(|file| Rc::clone(file.file.path())).collect();
        let mut for_overlays = thread.fork();
        let for_files = &*thread;
        let mut evaluate = |index: usize| match files.get(index) {
            Some(file) => phase.evaluate_documents(file, &self.library, for_files),
            None => Ok(DocumentSet::default()),
        };
        combine(Combining {
            files: &paths,
            evaluate: &mut evaluate,
            thread: &mut for_overlays,
            context: &self.session.context,
        })
    }

    /// Evaluates all files with these data values, applies overlays to the result, and validates it.
    pub fn evaluate(
        &self,
        thread: &mut Thread,
        values: Document,
        library_values: Vec<Rc<Envelope>>,
        library_schemas: Vec<Rc<SchemaEnvelope>>,
    ) -> Result<Evaluated, Error> {
        let phase = Rc::new(Phase { values, library_values, library_schemas, ..self.phase() });
        let mut evaluated = Evaluated::default();
        let mut documents = Vec::new();
        let sets_aside = self.session.sets_aside(&self.library);
        for file in self.library.accessible_files() {
            let (is_output, file_type) = (file.file.is_for_output(), file.file.file_type());
            if is_output && matches!(file_type, FileType::Unknown | FileType::Starlark) {
                return Err(Error::new(ErrorKind::File, "Unknown file type"));
            }
            if !is_output && (!file.file.is_library() || file_type == FileType::Unknown) {
                continue;
            }
            let (globals, output) = if is_output && file_type == FileType::Text && !file.file.is_template() {
                (Globals::new(), Output::Text(file.file.bytes()?.to_vec()))
            } else {
                let is_known = self.session.is_in_circle(&file.file);
                match phase.evaluate(&file.file, &file.library, &self.library, thread) {
                    Err(_) if sets_aside && is_known => continue,
                    Err(error) if sets_aside => {
                        self.session.set_aside(error)?;
                        continue;
                    }
                    evaluated => evaluated?,
                }
            };
            match output {
                _ if !is_output => {
                    evaluated.exports.push(Export { path: Rc::clone(&file.path), globals });
                }
                Output::Documents(set) => documents.push((file, set)),
                Output::Text(content) => {
                    evaluated.texts.push(EvaluatedFile { path: Rc::clone(&file.path), content });
                }
                Output::Nothing => {}
            }
        }
        if sets_aside {
            self.session.first_aside()?;
        }
        check_all_used(&phase.library_values, &phase.library_schemas)?;
        // The data values have done their work, and what overlays add can have their memory.
        drop(phase);
        documents.sort_by_key(|(file, _)| file.file.order());
        let (files, sets): (Vec<_>, Vec<_>) = documents.into_iter().unzip();
        let overlaid = overlay::post_process(
            files
                .iter()
                .zip(sets)
                .map(|(file, documents)| OverlayFile { name: file.file.path().to_string(), documents })
                .collect(),
            &mut thread.fork(),
            &self.session.context,
            &mut |error| if sets_aside { self.session.set_aside(error) } else { Err(error) },
        )?;
        if sets_aside {
            self.session.first_aside()?;
        }
        for (file, content) in files.into_iter().zip(overlaid) {
            if let Some(content) = content {
                evaluated.documents.push(EvaluatedFile { path: file.path, content });
            }
        }
        if self.validations.output == Validation::Run {
            let all = evaluated.documents.iter().flat_map(|file| &file.content.documents);
            validation::validate_documents(all, &mut thread.fork(), &self.session.context)?;
        }
        Ok(evaluated)
    }
}

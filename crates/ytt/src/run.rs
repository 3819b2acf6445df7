//! A whole run: files and flags to documents and texts.

use std::rc::Rc;

use trueline_starlark::{Limits, Thread};

use crate::error::{Error, ErrorKind};
use crate::files::{FileType, InputFile, OutputFile, apply_marks};
use crate::library::{EvaluatedFile, Execution, Library, LoaderOptions, Session, Validations};
use crate::schema::{SchemaFormat, export};
use crate::tree::{Array, ArrayItem, Document, DocumentSet, Format, Printer, Value, write_documents};
use crate::value::Context;
use crate::values::{FlagInputs, Flags};

/// Whether a run says how it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Debugging {
    /// It does not.
    #[default]
    Off,
    /// It does (`--debug`).
    On,
}

/// Which failures a run tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Telling {
    /// The first, as ytt does.
    #[default]
    First,
    /// Also others that do not come from it: of other files, data values and overlays.
    Others,
}

/// What a run stops at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inspect {
    /// It goes to its end.
    #[default]
    Nothing,
    /// The paths of its files.
    Files,
    /// The data values.
    Values,
    /// The schema of the data values.
    Schema,
}

/// What flags say about a run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How files are read and compiled.
    pub loader: LoaderOptions,
    /// Which validations are run.
    pub validations: Validations,
    /// What files count as, each `PATH:KEY=VALUE`.
    pub file_marks: Vec<String>,
    /// Where data values come from besides files.
    pub flags: Flags,
    /// What the run stops at.
    pub inspect: Inspect,
    /// The formats that were asked for.
    pub formats: Formats,
    /// Whether it says how it works.
    pub debugging: Debugging,
    /// Which failures it tells.
    pub telling: Telling,
    /// What its programs may cost.
    pub limits: Limits,
}

/// The values of `--output`.
#[derive(Debug, Clone, Default)]
pub struct Formats(pub Vec<String>);

impl Formats {
    const DOCUMENTS: [(&'static str, Format); 3] =
        [("yaml", Format::Yaml), ("json", Format::Json), ("pos", Format::Pos)];

    fn check(&self) -> Result<(), Error> {
        let is_known = |name: &str| {
            SchemaFormat::NAMES.iter().any(|(known, _)| *known == name)
                || Self::DOCUMENTS.iter().any(|(known, _)| *known == name)
        };
        match self.0.iter().find(|name| !is_known(name)) {
            Some(name) => Err(Error::new(ErrorKind::Flag, format!("Unknown output type '{name}'"))),
            None => Ok(()),
        }
    }

    /// How documents are printed: the first format that is one for documents.
    ///
    /// # Errors
    /// For names that no format has.
    pub fn documents(&self) -> Result<Format, Error> {
        self.check()?;
        let find = |name: &String| Self::DOCUMENTS.iter().find(|(known, _)| known == name);
        Ok(self.0.iter().find_map(find).map_or(Format::Yaml, |(_, format)| *format))
    }

    /// What a schema is exported as.
    fn schema(&self) -> Result<Option<SchemaFormat>, Error> {
        self.check()?;
        let find = |name: &String| SchemaFormat::NAMES.iter().find(|(known, _)| known == name);
        Ok(self.0.iter().find_map(find).map(|(_, format)| *format))
    }
}

/// What a run made.
#[derive(Debug, Default)]
pub struct Produced {
    /// Texts, in the order of the directories.
    pub texts: Vec<EvaluatedFile<Vec<u8>>>,
    /// Documents by file, in the order of the files.
    pub documents: Vec<EvaluatedFile<DocumentSet>>,
}

impl Produced {
    fn inspected(document: Document) -> Produced {
        let content = DocumentSet { documents: vec![document], ..DocumentSet::default() };
        Produced { texts: Vec::new(), documents: vec![EvaluatedFile { path: "".into(), content }] }
    }

    /// The documents as one text.
    ///
    /// # Errors
    /// For documents that a format cannot hold.
    pub fn print(&self, format: Format) -> Result<String, Error> {
        let mut text = String::new();
        self.print_parts(format, |part| {
            text.push_str(part);
            Ok(())
        })?;
        Ok(text)
    }

    /// The same, part by part: all of it may be much larger than what is kept of it. Nothing is handed over of documents
    /// that a format cannot hold.
    ///
    /// # Errors
    /// For such documents, and those of `take`.
    pub fn print_parts(
        &self,
        format: Format,
        mut take: impl FnMut(&str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut printer = Printer::new(format);
        for document in self.documents.iter().flat_map(|file| &file.content.documents) {
            printer
                .print(document)
                .map_err(|error| Error::other(format!("Marshaling combined template result: {error}")))?;
            if let Some(part) = printer.part() {
                take(&part)?;
            }
        }
        take(&printer.finish())
    }

    /// All files, as they are written to a directory: texts first. What was only inspected has none.
    ///
    /// # Errors
    /// For documents that cannot be written.
    pub fn files(&self) -> Result<Vec<OutputFile>, Error> {
        let mut files: Vec<OutputFile> = self
            .texts
            .iter()
            .map(|text| OutputFile {
                path: Rc::clone(&text.path),
                bytes: text.content.clone(),
                file_type: FileType::Text,
            })
            .collect();
        for file in self.documents.iter().filter(|file| !file.path.is_empty()) {
            let text = write_documents(&file.content, Format::Yaml)
                .map_err(|error| Error::other(format!("Marshaling template result: {error}")))?;
            let bytes = text.into_bytes();
            files.push(OutputFile { path: Rc::clone(&file.path), bytes, file_type: FileType::Yaml });
        }
        Ok(files)
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// What it made, or why it made nothing.
    pub result: Result<Produced, Error>,
    /// What else failed, if that was asked for ([`Telling::Others`]).
    pub others: Vec<Error>,
    /// What it says on standard error besides.
    pub messages: Vec<u8>,
}

/// Runs files that are in the order in which they count ([`crate::files::in_order`]).
pub fn run(files: Vec<InputFile>, options: &Options, inputs: &dyn FlagInputs) -> Ended {
    let root = apply_marks(files, &options.file_marks).and_then(Library::root);
    let root = match root {
        Ok(root) => root,
        Err(error) => return Ended { result: Err(error), others: Vec::new(), messages: Vec::new() },
    };
    let session = Session::new(&root, Context::new(), options.debugging, options.telling);
    let mut thread = Thread::new(options.limits);
    let printer = Rc::clone(&session);
    thread.set_print(move |_, text| {
        printer.say(text);
        printer.say(b"\n");
    });
    let result = steps(&root, options, inputs, &session, &mut thread);
    if result.is_err() {
        session.compile_all(&root, options.loader);
    }
    Ended { result, others: session.take_others(), messages: session.take_messages() }
}

fn steps(
    root: &Rc<Library>,
    options: &Options,
    inputs: &dyn FlagInputs,
    session: &Rc<Session>,
    thread: &mut Thread,
) -> Result<Produced, Error> {
    session.describe(root);
    if options.inspect == Inspect::Files {
        return Ok(Produced::inspected(list(root)));
    }
    let flags = options.flags.documents(inputs, options.loader.scalars)?;
    let execution = Execution::new(session, root, options.loader, options.validations);
    let schema = execution.schema(thread, &[])?;
    let schema_format = options.formats.schema()?;
    if options.inspect == Inspect::Schema {
        let Some(format) = schema_format else {
            return Err(Error::new(
                ErrorKind::Flag,
                "Data values schema export only supported in OpenAPI v3 format; specify format with \
                 --output=openapi-v3 flag",
            ));
        };
        let exported = export(schema.schema.declared(), format, thread, &session.context)?;
        return Ok(Produced::inspected(exported));
    }
    if schema_format.is_some() {
        return Err(Error::new(
            ErrorKind::Flag,
            "Output type currently only supported for data values schema (i.e. include --data-values-schema-inspect)",
        ));
    }
    let mut values = execution.values(thread, &schema.schema, flags.own)?;
    values.for_libraries.extend(flags.for_libraries);
    if options.inspect == Inspect::Values {
        return Ok(Produced::inspected(values.document));
    }
    let evaluated =
        execution.evaluate(thread, values.document, values.for_libraries, schema.for_libraries)?;
    Ok(Produced { texts: evaluated.texts, documents: evaluated.documents })
}

/// The paths of all files that are not private.
fn list(root: &Rc<Library>) -> Document {
    let mut files = root.accessible_files();
    files.sort_by_key(|file| file.file.order());
    let item = |path: &str| ArrayItem { value: Value::string(path), ..ArrayItem::default() };
    let items = files.iter().map(|file| item(file.file.path())).collect();
    let mut array = Array::default();
    array.items = items;
    Document { value: array.into(), ..Document::default() }
}

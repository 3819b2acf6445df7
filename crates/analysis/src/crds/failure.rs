//! What is wrong with CRDs and objects that were named, and why nothing could be made of them.

use std::path::PathBuf;

use trueline_diagnostic::Diagnostic;
use trueline_kube::DecodeError;
use trueline_source::{LoadError, SourceMap, Span};
use trueline_yaml::{Stream, SyntaxError};

use crate::input::Input;
use crate::open_error::OpenError;

/// Something that is wrong with a file or with an object in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where it is; nothing for a file that could not be read.
    pub place: Option<Span>,
    /// What is wrong.
    pub message: String,
}

impl Problem {
    pub(super) fn at(place: Span, message: String) -> Self {
        Problem { place: Some(place), message }
    }

    /// A file of an input that could not be read.
    pub(super) fn unreadable(input: &Input, error: LoadError) -> Self {
        let message = LoadError { path: input.loader.display(&error.path), ..error }.to_string();
        Problem { place: None, message }
    }

    /// What is wrong with the text of a file.
    pub(super) fn of_syntax(stream: &Stream) -> impl Iterator<Item = Problem> {
        stream.errors.iter().map(SyntaxError::to_diagnostic).map(Problem::from)
    }

    /// The problem as a sentence, with its place as editors take it.
    pub fn sentence(&self, sources: &SourceMap) -> String {
        match self.place {
            None => self.message.clone(),
            Some(place) => {
                let position = sources.position(place);
                let name = sources.get(place.source).name().to_owned();
                format!("{name}:{}:{}: {}", position.line, position.column, self.message)
            }
        }
    }
}

impl From<Diagnostic> for Problem {
    fn from(finding: Diagnostic) -> Self {
        Problem::at(finding.primary.span, finding.message)
    }
}

/// Why nothing could be made of CRDs and objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CrdFailure {
    /// The paths cannot be followed.
    Inputs(OpenError),
    /// Files cannot be read, or hold what is not YAML, not a CRD that a cluster can read, or longer than any request.
    Unreadable(Vec<Problem>),
    /// There is no CRD in what this path names.
    NoDefinition(PathBuf),
    /// A CRD does not say how its objects look.
    NotUsable(PathBuf, String),
    /// There is no object in what was named.
    NoObject,
    /// No CRD of one side of a comparison is also on the other.
    NothingInCommon,
    /// The CRDs have other versions than the one that was asked for.
    NoVersion {
        /// What was asked for.
        asked: String,
        /// What there is.
        known: Vec<String>,
    },
    /// No version of the CRDs is served.
    NoneServed,
    /// No version of the CRDs is stored.
    NoneStored,
    /// A JSON Schema was asked for several kinds at once.
    SeveralKinds,
    /// A schema is not structural, and why.
    NotStructural(String),
    /// JSON has no form for a number.
    Number(String),
}

impl CrdFailure {
    /// The failure as a sentence, or several in lines of their own.
    pub fn sentence(&self, sources: &SourceMap) -> String {
        match self {
            CrdFailure::Inputs(error) => error.to_string(),
            CrdFailure::Unreadable(problems) => sentences(problems, sources),
            CrdFailure::NoDefinition(path) => {
                format!("`{}` holds no definition of a kind (CustomResourceDefinition)", path.display())
            }
            CrdFailure::NotUsable(path, why) => {
                format!("`{}` cannot be used as a definition: {why}", path.display())
            }
            CrdFailure::NoObject => "there is no object in what was named".to_owned(),
            CrdFailure::NothingInCommon => "the two files define nothing of the same name".to_owned(),
            CrdFailure::NoVersion { asked, known } => {
                format!("no definition has a version `{asked}`; there is {}", known.join(", "))
            }
            CrdFailure::NoneServed => "no version of the definitions is served".to_owned(),
            CrdFailure::NoneStored => "no version of the definitions is stored".to_owned(),
            CrdFailure::SeveralKinds => "a JSON Schema is about one kind: give one definition".to_owned(),
            CrdFailure::NotStructural(why) => format!("the schema is not structural: {why}"),
            CrdFailure::Number(why) => why.clone(),
        }
    }
}

/// Why expressions cannot be asked of an object.
#[derive(Debug, Clone)]
pub enum QueryFailure {
    /// The files cannot be used.
    Files(CrdFailure),
    /// There is no object in a file.
    NoObject(PathBuf),
    /// There are so many objects in a file, and an expression is asked of one.
    SeveralObjects(PathBuf, usize),
    /// The object does not say what it is: this field is missing.
    Unnamed(&'static str),
    /// The file defines other kinds than that of the object.
    OtherKinds {
        /// The file with the CRDs.
        path: PathBuf,
        /// The kind of the object.
        kind: String,
        /// The group and version of the object.
        api_version: String,
        /// The kinds that the file defines.
        defined: Vec<String>,
    },
    /// The CRD does not say how its objects look.
    NotUsable(PathBuf, String),
    /// The CRD does not serve the version of the object.
    NotServed {
        /// The kind.
        kind: String,
        /// The version of the object.
        version: String,
        /// The versions that are served.
        served: Vec<String>,
    },
    /// A cluster cannot read the object.
    Object(DecodeError),
}

impl QueryFailure {
    /// The failure as a sentence, or several in lines of their own.
    pub fn sentence(&self, sources: &SourceMap) -> String {
        match self {
            QueryFailure::Files(failure) => failure.sentence(sources),
            QueryFailure::NoObject(path) => format!("`{}` holds no object", path.display()),
            QueryFailure::SeveralObjects(path, count) => {
                format!("`{}` holds {count} objects; an expression is asked of one", path.display())
            }
            QueryFailure::Unnamed(field) => {
                format!("the object has no `{field}`, so its CRD cannot be found")
            }
            QueryFailure::OtherKinds { path, kind, api_version, defined } => {
                let defined: Vec<String> = defined.iter().map(|kind| format!("`{kind}`")).collect();
                format!(
                    "`{}` does not define the kind `{kind}` ({api_version}); it defines {}",
                    path.display(),
                    defined.join(", ")
                )
            }
            QueryFailure::NotUsable(path, why) => {
                format!("`{}` cannot be used as a CRD: {why}", path.display())
            }
            QueryFailure::NotServed { kind, version, served } => format!(
                "the CRD of `{kind}` does not serve the version `{version}`; it serves {}",
                served.join(", ")
            ),
            QueryFailure::Object(error) => {
                Problem { place: error.place, message: error.text.clone() }.sentence(sources)
            }
        }
    }
}

impl From<CrdFailure> for QueryFailure {
    fn from(failure: CrdFailure) -> Self {
        QueryFailure::Files(failure)
    }
}

fn sentences(problems: &[Problem], sources: &SourceMap) -> String {
    let sentences: Vec<String> = problems.iter().map(|problem| problem.sentence(sources)).collect();
    sentences.join("\n")
}

//! What the command line says about ytt.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use trueline_source::{SourceId, SourceKind, SourceMap};
use trueline_ytt::values::{FlagInputs, FlagValue, Flags, FoundFile};

/// A file that `--data-values-file` names, or one in a directory that it names.
#[derive(Debug, Clone)]
pub struct DataValuesFile {
    /// Its name below the directory.
    pub name: String,
    /// Its path, as reports show it.
    pub shown: String,
    /// What it holds, or why it cannot be read.
    pub bytes: Result<Vec<u8>, String>,
}

/// Finds the files at a path that the command line names, or says why it cannot.
pub type FindDataValues = dyn Fn(&str) -> Result<Vec<DataValuesFile>, String> + Send + Sync;

/// Where data values come from besides the files of a folder.
#[derive(Clone)]
pub struct YttSettings {
    /// `--data-value KEY=TEXT`
    pub values: Vec<String>,
    /// `--data-value-yaml KEY=YAML`
    pub values_yaml: Vec<String>,
    /// `--data-value-file KEY=PATH`
    pub value_files: Vec<String>,
    /// `--data-values-file PATH`
    pub files: Vec<String>,
    /// `--data-values-env PREFIX`
    pub env: Vec<String>,
    /// `--data-values-env-yaml PREFIX`
    pub env_yaml: Vec<String>,
    /// The variables of the environment as `NAME=VALUE`, in order.
    pub environment: Vec<String>,
    /// Finds what `--data-values-file` names.
    pub find: Arc<FindDataValues>,
}

impl Default for YttSettings {
    /// No data values but those of the folders, and nothing to read others from.
    fn default() -> Self {
        YttSettings {
            values: Vec::new(),
            values_yaml: Vec::new(),
            value_files: Vec::new(),
            files: Vec::new(),
            env: Vec::new(),
            env_yaml: Vec::new(),
            environment: Vec::new(),
            find: Arc::new(|_| Err("no file can be read here".to_owned())),
        }
    }
}

impl fmt::Debug for YttSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("YttSettings")
            .field("values", &self.values)
            .field("values_yaml", &self.values_yaml)
            .field("value_files", &self.value_files)
            .field("files", &self.files)
            .field("env", &self.env)
            .field("env_yaml", &self.env_yaml)
            .finish_non_exhaustive()
    }
}

impl YttSettings {
    /// The flags, each a source of its own.
    pub(super) fn flags(&self, sources: &SourceMap) -> Flags {
        let list = |name: &str, texts: &[String]| {
            let flag = |text: &String| FlagValue {
                text: text.clone(),
                source: Some(sources.add(format!("--{name} {text}"), SourceKind::Flag, text.as_str())),
            };
            texts.iter().map(flag).collect()
        };
        Flags {
            files: list("data-values-file", &self.files),
            env: list("data-values-env", &self.env),
            env_yaml: list("data-values-env-yaml", &self.env_yaml),
            values: list("data-value", &self.values),
            values_yaml: list("data-value-yaml", &self.values_yaml),
            value_files: list("data-value-file", &self.value_files),
        }
    }
}

/// What flags refer to, noted in the sources of a run.
pub(super) struct FlagFiles<'s> {
    pub(super) settings: &'s YttSettings,
    pub(super) sources: &'s SourceMap,
    /// The files that were read.
    pub(super) read: RefCell<Vec<SourceId>>,
}

impl FlagInputs for FlagFiles<'_> {
    fn environment(&self) -> Vec<String> {
        self.settings.environment.clone()
    }

    fn note_variable(&self, shown: &str, variable: &str) -> Option<SourceId> {
        Some(self.sources.add(shown, SourceKind::Flag, variable))
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, String> {
        let files = (self.settings.find)(path)?;
        let found = |file: DataValuesFile| {
            let source = match &file.bytes {
                Ok(bytes) => {
                    let source = self.sources.add_file(file.shown, bytes.clone()).0;
                    self.read.borrow_mut().push(source);
                    Some(source)
                }
                Err(_) => None,
            };
            FoundFile { name: file.name, bytes: file.bytes.map(|bytes| Rc::from(bytes.as_slice())), source }
        };
        Ok(files.into_iter().map(found).collect())
    }
}

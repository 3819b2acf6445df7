//! What the command line says about ytt.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::rc::Rc;
use std::sync::Arc;

use trueline_source::{Network, SourceId, SourceKind, SourceMap};
use trueline_ytt::files::{InputFile, in_order};
use trueline_ytt::input::{Inputs, Links};
use trueline_ytt::values::{FlagInputs, FlagValue, Flags, FoundFile};

use crate::session::Session;

/// Where data values come from besides the files of a folder.
#[derive(Debug, Clone, Default)]
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
    pub(super) settings: &'s Session,
    pub(super) sources: &'s SourceMap,
    /// The files that were read.
    pub(super) read: RefCell<Vec<SourceId>>,
}

impl FlagInputs for FlagFiles<'_> {
    /// Sorted by name: the order of the system's own table means nothing to people.
    fn environment(&self) -> Vec<String> {
        let text = |text: &OsString| text.to_string_lossy().into_owned();
        let variables = self.settings.system.variables();
        let sorted: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| (text(name), text(value))).collect();
        sorted.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    fn note_variable(&self, shown: &str, variable: &str) -> Option<SourceId> {
        Some(self.sources.add(shown, SourceKind::Flag, variable))
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, trueline_ytt::input_error::InputError> {
        let network = if self.settings.offline { Network::Offline } else { Network::Allowed };
        let mut inputs = Inputs::new(Arc::clone(&self.settings.system), Links::default(), network);
        let is_directory = inputs.is_directory(path);
        let found = |file: &InputFile| {
            let shown = match is_directory {
                true => format!("{}/{}", path.trim_end_matches('/'), file.path()),
                false => path.to_owned(),
            };
            let bytes = file.bytes().map(|bytes| Rc::from(&**bytes)).map_err(|error| error.to_string());
            let source = match &bytes {
                Ok(bytes) => {
                    let source = self.sources.add_file(shown, <[u8]>::to_vec(bytes)).0;
                    self.read.borrow_mut().push(source);
                    Some(source)
                }
                Err(_) => None,
            };
            FoundFile { name: file.path().to_string(), bytes, source }
        };
        Ok(in_order(vec![inputs.files(path)?]).iter().map(found).collect())
    }
}

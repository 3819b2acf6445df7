//! What the binary hands in: where to look, and what is asked for.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use trueline_diagnostic::{Code, Diagnostic, Severity, Unit};
use trueline_source::{LoadError, Loader, SourceKind, SourceMap, Span};

use crate::config;

/// An input that cannot be read at all.
pub(crate) static UNREADABLE_INPUT: Code = Code {
    id: "TL0150",
    name: "unreadable-input",
    severity: Severity::Error,
    summary: "a file or directory that was named cannot be read",
    explanation: "It does not exist, may not be read, or is too large. The other inputs are checked all the \
                  same, and the run ends with exit code 2: what could not be read was not found valid.",
    wrong: "",
    right: "",
};

/// A file that is not text.
pub(crate) static NOT_TEXT: Code = Code {
    id: "TL0158",
    name: "not-text",
    severity: Severity::Error,
    summary: "a file is not UTF-8 text",
    explanation: "YAML and JSON are read as UTF-8. The file holds bytes that are not UTF-8, or NUL bytes as \
                  binary files have them. If it was saved in another encoding, such as UTF-16 or Latin-1, save it \
                  again as UTF-8.",
    wrong: "",
    right: "",
};

/// Nothing was checked.
pub(crate) static NOTHING_CHECKED: Code = Code {
    id: "TL0159",
    name: "nothing-checked",
    severity: Severity::Warning,
    summary: "no file was checked",
    explanation: "The paths hold nothing that can be checked, or everything in them was skipped. That is not a \
                  success: nothing was found valid. The summary says what was skipped and why. Under `--strict` \
                  the run fails, and `trueline crd check` could not run where nothing defines a kind. Nothing is said where all that is there was left out because somebody asked for it, \
                  with `--skip` or `--ignore-missing-schemas`.",
    wrong: "",
    right: "",
};

/// The codes of this file.
pub(crate) const CODES: &[&Code] = &[&UNREADABLE_INPUT, &NOT_TEXT, &NOTHING_CHECKED];

/// The finding for something that could not be read.
pub(crate) fn unreadable(loader: &Arc<dyn Loader>, error: &LoadError, sources: &SourceMap) -> Diagnostic {
    let name = loader.display(&error.path);
    let source = sources.add(name.clone(), SourceKind::File, "");
    let shown = LoadError { path: name, ..error.clone() };
    Diagnostic::new(&UNREADABLE_INPUT, Span::whole(source), shown.to_string())
}

/// A path to check, in the loader that reads it.
#[derive(Debug, Clone)]
pub struct Input {
    /// Reads below the root that the input belongs to.
    pub loader: Arc<dyn Loader>,
    /// The file or directory; the empty path is the root itself.
    pub path: String,
    /// Where the loader's root really is, where that is known.
    pub root: Option<PathBuf>,
    /// The nearest `trueline.toml` at or above the loader's root.
    pub config: Option<ConfigFile>,
}

/// A `trueline.toml` that was found outside the loader's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFile {
    /// Its name, as shown to the user.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The path from its directory to the loader's root; empty if they are the same.
    pub base: String,
}

/// What configurations that are handed in say about the whole run.
#[derive(Debug, Default)]
pub(crate) struct Configured {
    /// Nothing is to be fetched: what is fetched for one input serves all of them.
    pub(crate) offline: bool,
    /// Files and directories with CRDs, and where they are named.
    pub(crate) definitions: Vec<(String, Span)>,
    /// Files and directories with admission policies, and where they are named.
    pub(crate) policies: Vec<(String, Span)>,
    /// Where JSON Schemas of kinds are, and where that is said.
    pub(crate) schema_locations: Vec<(String, Span)>,
    /// Files and directories with what objects are updates of, and where they are named.
    pub(crate) old: Vec<(String, Span)>,
    /// So many findings are shown to a person, at most; all if it is 0.
    pub(crate) max_findings: Option<usize>,
}

/// Reads the configurations that are handed in.
pub(crate) fn configured(inputs: &[Input], sources: &SourceMap) -> Configured {
    let files: BTreeMap<&str, &str> = inputs
        .iter()
        .filter_map(|input| input.config.as_ref())
        .map(|file| (file.name.as_str(), file.text.as_str()))
        .collect();
    let catalogue = crate::catalogue();
    let mut configured = Configured::default();
    for (name, text) in files {
        let (config, _) = config::read(name, text, sources, &catalogue);
        let beside = |path: String| match name.rsplit_once('/') {
            Some((directory, _)) if path != "default" && !path.starts_with('/') && !path.contains("://") => {
                format!("{directory}/{path}")
            }
            _ => path,
        };
        let all_beside = |paths: Vec<(String, Span)>| {
            paths.into_iter().map(|(path, place)| (beside(path), place)).collect::<Vec<_>>()
        };
        configured.offline |= config.offline;
        configured.definitions.extend(all_beside(config.crds));
        configured.policies.extend(all_beside(config.policies));
        configured.schema_locations.extend(all_beside(config.schema_locations));
        configured.old.extend(all_beside(config.old));
        // Of several files, the one that shows most.
        configured.max_findings = match (configured.max_findings, config.max_findings) {
            (Some(one), Some(other)) if one > 0 && other > 0 => Some(one.max(other)),
            (Some(_), Some(_)) => Some(0),
            (one, other) => one.or(other),
        };
    }
    configured
}

/// Whether configuration inside the inputs counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nested {
    /// A `trueline.toml` in a directory that is walked counts for what lies below it.
    Used,
    /// Only the one handed in counts (`--config`), or none (`--no-config`).
    Ignored,
}

/// Told how far a run is, and what it found as soon as that is known for good.
pub trait Progress: Sync {
    /// That there are so many units.
    fn units(&self, count: usize);
    /// That one of them is done.
    fn done(&self);
    /// What was found about the run itself: before the units, and after them.
    fn general(&self, _findings: &[Diagnostic]) {}
    /// One unit with all that was found in it. Those that depend on others of the run, such as on the definitions
    /// in them, come last; otherwise units come in the order of their names.
    fn unit(&self, _unit: &Unit) {}
}

impl fmt::Debug for dyn Progress + '_ {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Progress")
    }
}

/// A progress that tells nobody.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn units(&self, _count: usize) {}
    fn done(&self) {}
}

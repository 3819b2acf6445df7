//! What the command line says about charts.

use std::collections::BTreeSet;

use trueline_diagnostic::Diagnostic;
use trueline_helm::chart::Compat;
use trueline_helm::engine::KubeVersion;
use trueline_helm::values::{VALUES_FILE_UNREADABLE, ValueOptions};
use trueline_source::{SourceId, SourceMap};
use trueline_yaml::{Data, Value};

use super::slips;
use crate::session::Session;
use crate::unit::Mode;

/// Which Helm the check follows.
pub(crate) const COMPAT: Compat = Compat::Helm4;

/// What charts are rendered with.
#[derive(Debug, Clone)]
pub struct ChartSettings {
    /// The flags that give values.
    pub values: ValueOptions,
    /// Patterns for files of values in a chart; it is rendered once with each that matches.
    pub matrix: Vec<String>,
    /// The name of the release.
    pub release_name: String,
    /// The namespace of the release.
    pub namespace: String,
    /// The version of Kubernetes, if one was asked for.
    pub kube_version: Option<KubeVersion>,
    /// API versions that the cluster has besides the usual ones.
    pub api_versions: Vec<String>,
    /// Whether it is reported which branches of the templates were not reached.
    pub coverage: Coverage,
}

/// Whether it is reported which branches of the templates were not reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coverage {
    /// Nothing is said about them.
    #[default]
    Ignored,
    /// Each is reported.
    Told,
}

impl Default for ChartSettings {
    /// No values but the charts' own.
    fn default() -> Self {
        ChartSettings {
            values: ValueOptions::default(),
            matrix: Vec::new(),
            release_name: "release-name".to_owned(),
            namespace: "default".to_owned(),
            kube_version: None,
            api_versions: Vec::new(),
            coverage: Coverage::Ignored,
        }
    }
}

impl ChartSettings {
    /// The version of Kubernetes that a chart is rendered for: the one that was asked for, that of the
    /// configuration, or Helm's own.
    pub(crate) fn kube_version(&self, mode: Mode<'_>) -> KubeVersion {
        let configured = || KubeVersion::parse(&format!("{}.0", mode.kube_version?), COMPAT).ok();
        self.kube_version.clone().or_else(configured).unwrap_or_default()
    }
}

/// The values of the command line, read once for all charts.
#[derive(Debug)]
pub(crate) struct GivenValues {
    /// Those of files; without any, what the charts bring along counts.
    files: Option<Value>,
    /// The files that `-f` names, as far as something of them counts.
    pub(crate) sources: Vec<SourceId>,
    /// What is wrong with files and flags; then no chart is rendered.
    pub(crate) findings: Vec<Diagnostic>,
}

impl GivenValues {
    /// Reads what the flags name.
    pub(crate) fn read(settings: &Session, sources: &SourceMap) -> Self {
        let options = &settings.charts.values;
        if options.is_empty() {
            return GivenValues { files: None, sources: Vec::new(), findings: Vec::new() };
        }
        let mut read = |name: &str| settings.read_given(name);
        let merged = options.merge_files(sources, COMPAT, &mut read).and_then(|files| {
            let (_, dropped) = options.set_and_tell(files.clone(), sources, COMPAT, &mut read)?;
            Ok((files, dropped))
        });
        match merged {
            Ok((files, dropped)) => {
                let files = (!options.files.is_empty()).then_some(files);
                let sources = files.as_ref().map(sources_of).unwrap_or_default();
                GivenValues { files, sources, findings: dropped }
            }
            Err(error) => {
                let findings = error.diagnostics.into_iter();
                let findings = findings.map(|finding| slips::in_file(finding, sources)).collect();
                GivenValues { files: None, sources: Vec::new(), findings }
            }
        }
    }

    /// Whether nothing was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_none() && self.sources.is_empty() && self.findings.is_empty()
    }

    /// Whether a file could not be read at all.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.findings.iter().any(|finding| finding.code == &VALUES_FILE_UNREADABLE)
    }

    /// The values of the files that `-f` names, if it names any.
    pub(super) fn files(&self) -> Option<&Value> {
        self.files.as_ref()
    }
}

/// The sources that values come from, in order.
fn sources_of(values: &Value) -> Vec<SourceId> {
    let (mut found, mut open) = (BTreeSet::new(), vec![values]);
    while let Some(value) = open.pop() {
        found.extend(value.origin.map(|origin| origin.source));
        match &value.data {
            Data::Map(map) => open.extend(map.values().map(|entry| &entry.value)),
            Data::List(items) => open.extend(items.iter()),
            _ => {}
        }
    }
    found.into_iter().collect()
}

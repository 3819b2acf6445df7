//! What is asked for. It says nothing of where anything was typed in some run, and holds nothing that was opened: the
//! same settings serve any number of runs.

use std::path::PathBuf;

use crate::chart::ChartSettings;
use crate::discovery::{ConfigChoice, Templates};
use crate::kinds::InputKind;
use crate::kubernetes::KubernetesSettings;
use crate::selection::Selection;
use crate::ytt::YttSettings;

/// What is asked for, and what it is asked of.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The files and directories to look at; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// Which configuration counts.
    pub configuration: ConfigChoice,
    /// Which codes are reported.
    pub selection: Selection,
    /// Takes every file for this kind.
    pub kind: Option<InputKind>,
    /// Checks only this kind; other files are left out.
    pub only: Option<InputKind>,
    /// Warnings count as errors, and more is asked.
    pub strict: bool,
    /// Nothing is fetched.
    pub offline: bool,
    /// The registry of the extensions that are known.
    pub registry: Option<PathBuf>,
    /// The directory with the schemas of extensions; without one they are embedded.
    pub schema_directory: Option<PathBuf>,
    /// Where schemas of extensions are fetched from that the directory does not have.
    pub schema_url: Option<String>,
    /// What charts are rendered with.
    pub charts: ChartSettings,
    /// What ytt folders are rendered with.
    pub ytt: YttSettings,
    /// What Kubernetes objects are validated against.
    pub kubernetes: KubernetesSettings,
}

impl Settings {
    /// What a template or another file of a chart is that was named.
    pub(crate) fn templates(&self) -> Templates {
        match self.kind {
            None | Some(InputKind::Chart) => Templates::OfTheirChart,
            Some(_) => Templates::AsNamed,
        }
    }
}

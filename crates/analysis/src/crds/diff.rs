//! Whether a CRD may take the place of another, and what that breaks.

use std::path::PathBuf;

use trueline_diagnostic::{Diagnostic, Outcome, Severity, Unit};
use trueline_kube::KubeVersion;
use trueline_kube::api::Api;
use trueline_kube::crd::{self, Crd, Decoded};
use trueline_schema::in_its_quotes;
use trueline_source::SourceMap;

use super::reading::Definitions;
use super::{CrdFailure, CrdFiles};
use crate::kubernetes::part_of_scalar;
use crate::run::{Ending, Run};
use crate::selection::Selection;

/// What is compared.
#[derive(Debug)]
pub struct DiffRequest {
    /// The CRDs that are in the cluster.
    pub old: PathBuf,
    /// Those that are to take their places.
    pub new: PathBuf,
    /// Whether the old ones are in use.
    pub old_use: Use,
    /// The version of Kubernetes of the cluster; without one the newest.
    pub version: Option<KubeVersion>,
    /// Which codes are reported.
    pub selection: Selection,
    /// Whether warnings count as errors.
    pub strict: bool,
}

/// Whether a CRD is in use, so that its scope and its kind may not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It is, as any that a cluster has stored.
    Assumed,
    /// It is if its status says so.
    AsWritten,
}

impl DiffRequest {
    fn version(&self) -> KubeVersion {
        self.version.or(Api::newest().map(Api::version)).unwrap_or(KubeVersion::CRD_RULES)
    }
}

impl CrdFiles {
    /// Compares CRDs with those of the same names that are to take their places.
    pub fn diff(&self, request: &DiffRequest) -> Result<Run, CrdFailure> {
        let sources = &self.sources;
        let old = self.definitions(&request.old)?;
        let Definitions { found: new, too_large, unreadable } = self.read(&request.new)?;
        let refused: Vec<Diagnostic> = too_large.into_iter().chain(unreadable).collect();
        let is_only = new.len() + refused.len() == 1;
        let mut units = Vec::new();
        if !refused.is_empty() {
            let name = request.new.display().to_string();
            let findings = refused.into_iter().map(|finding| in_its_quotes(finding, sources)).collect();
            units.push(Unit { name, kind: "crd", findings, ..Unit::default() });
        }
        for Decoded { crd, .. } in &new {
            let name = &crd.metadata.name;
            let mut old = match old.as_slice() {
                [only] if is_only => only.crd.clone(),
                several => match several.iter().find(|old| old.crd.metadata.name == *name) {
                    Some(found) => found.crd.clone(),
                    None => continue,
                },
            };
            if request.old_use == Use::Assumed {
                old.assume_established();
            }
            let name = if is_only {
                request.new.display().to_string()
            } else {
                format!("{}: {name}", request.new.display())
            };
            let findings = compare(&old, crd, request.version(), sources);
            let findings = findings.into_iter().map(|finding| in_its_quotes(finding, sources)).collect();
            units.push(Unit { name, kind: "crd", findings, ..Unit::default() });
        }
        if units.is_empty() {
            return Err(CrdFailure::NothingInCommon);
        }
        for unit in &mut units {
            unit.findings.retain(|finding| request.selection.reports(finding));
        }
        let outcome = Outcome { units, ..Outcome::default() };
        let fails = |finding: &Diagnostic| match finding.severity {
            Severity::Error => true,
            Severity::Warning => request.strict,
            Severity::Note => false,
        };
        let ending = if outcome.findings().any(fails) { Ending::Invalid } else { Ending::Valid };
        Ok(Run { outcome, ending })
    }
}

fn compare(old: &Crd, new: &Crd, version: KubeVersion, sources: &SourceMap) -> Vec<Diagnostic> {
    let Some(around) = new.written.place() else { return Vec::new() };
    let difference = crd::diff(old, new, version);
    let locate = |scalar, value: &str, part| part_of_scalar(sources, scalar, value, part);
    let mut findings = difference.update.diagnostics(around, &locate);
    findings.extend(difference.breaks.iter().map(|broken| broken.to_diagnostic(around)));
    findings
}

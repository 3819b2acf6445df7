//! `trueline crd diff`: whether a definition may take the place of another, and what that breaks.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use trueline_analysis::{Ending, Run, Selection, part_of_scalar};
use trueline_diagnostic::{Diagnostic, Outcome, Severity, Unit};
use trueline_kube::KubeVersion;
use trueline_kube::api::Api;
use trueline_kube::crd::{self, Crd, Decoded};
use trueline_schema::in_its_quotes;
use trueline_source::SourceMap;

use super::reading::{Definitions, definitions, read};
use crate::checking::{destinations, report};
use crate::command::Ended;
use crate::flags::ReportFlags;
use crate::terminal::ColorChoice;

/// Compare two versions of a definition: would a cluster take the change, and which objects would it break?
///
/// What the API server says of the update is an error. The old definition is taken for one that is in use, as any is that
/// a cluster has stored, so that its scope and its kind may not change. A change that breaks objects which are there already is a
/// warning, with an object that the old definition accepts and the new one does not; where none can be shown, it is said
/// why, and a change of which it could not be found out whether it breaks anything is a note. Definitions are matched by
/// their names if the files hold several. A new one that a cluster cannot read is refused, and the others are compared.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline crd diff deployed.yaml new.yaml
  trueline crd diff old.yaml new.yaml --strict --format json

Exit codes: 0 the change is taken (warnings allowed), 1 it is refused, 2 could not run.")]
pub(crate) struct Diff {
    /// The definition that is in the cluster
    #[arg(value_name = "OLD", value_hint = ValueHint::FilePath)]
    old: PathBuf,

    /// The definition that is to take its place
    #[arg(value_name = "NEW", value_hint = ValueHint::FilePath)]
    new: PathBuf,

    /// The old definition is in use, so that its scope and kind may not change (the default)
    #[arg(long, conflicts_with = "not_established")]
    established: bool,

    /// The old definition never came into use, for instance because another has its names: its scope and kind may change
    ///
    /// It counts as in use anyway if its status says so.
    #[arg(long)]
    not_established: bool,

    /// Version of Kubernetes of the cluster (default: the newest)
    #[arg(long, value_name = "VERSION")]
    kube_version: Option<KubeVersion>,

    #[command(flatten)]
    report: ReportFlags,
}

impl Diff {
    fn version(&self) -> KubeVersion {
        self.kube_version.or(Api::newest().map(Api::version)).unwrap_or(KubeVersion::CRD_RULES)
    }

    pub(crate) fn run(self, color: ColorChoice) -> Ended {
        let inputs = [self.old.clone(), self.new.clone()];
        let destinations = destinations(&self.report, &inputs)?;
        let catalogue = trueline_analysis::catalogue();
        let selection = Selection::new(&self.report.select, &self.report.ignore, &catalogue)?;
        let sources = SourceMap::new();
        let old = definitions(&self.old, &sources)?;
        let Definitions { found: new, too_large, unreadable } = read(&self.new, &sources)?;
        let refused: Vec<Diagnostic> = too_large.into_iter().chain(unreadable).collect();
        let is_only = new.len() + refused.len() == 1;
        let mut units = Vec::new();
        if !refused.is_empty() {
            let name = self.new.display().to_string();
            let findings = refused.into_iter().map(|finding| in_its_quotes(finding, &sources)).collect();
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
            if self.established || !self.not_established {
                old.assume_established();
            }
            let name = if is_only {
                self.new.display().to_string()
            } else {
                format!("{}: {name}", self.new.display())
            };
            let findings = compare(&old, crd, self.version(), &sources);
            let findings = findings.into_iter().map(|finding| in_its_quotes(finding, &sources)).collect();
            units.push(Unit { name, kind: "crd", findings, ..Unit::default() });
        }
        if units.is_empty() {
            return Err("the two files define nothing of the same name".to_owned());
        }
        for unit in &mut units {
            unit.findings.retain(|finding| selection.reports(finding));
        }
        let outcome = Outcome { units, ..Outcome::default() };
        let fails = |finding: &Diagnostic| match finding.severity {
            Severity::Error => true,
            Severity::Warning => self.report.strict,
            Severity::Note => false,
        };
        let ending = if outcome.findings().any(fails) { Ending::Invalid } else { Ending::Valid };
        report(&self.report, color, Run { outcome, ending }, &sources, destinations, None)
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

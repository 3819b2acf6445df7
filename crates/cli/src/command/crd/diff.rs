//! `trueline crd diff`: whether a definition may take the place of another, and what that breaks.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};
use trueline_analysis::{CrdFiles, DiffRequest, KubeVersion, Selection, Use};
use trueline_source::System;

use crate::checking::{Report, destinations};
use crate::command::Ended;
use crate::failure::Failure;
use crate::flags::ReportFlags;
use crate::machine::Machine;
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
    pub(crate) fn run(self, color: ColorChoice) -> Ended {
        let inputs = [self.old.clone(), self.new.clone()];
        let machine = Arc::new(Machine::of_process()?);
        let destinations = destinations(&self.report, &inputs, &*machine)?;
        let catalogue = trueline_analysis::catalogue();
        let request = DiffRequest {
            selection: Selection::new(&self.report.select, &self.report.ignore, &catalogue)
                .map_err(|unknown| Failure::Usage(unknown.to_string()))?,
            old: self.old,
            new: self.new,
            old_use: if self.established || !self.not_established { Use::Assumed } else { Use::AsWritten },
            version: self.kube_version,
            strict: self.report.strict,
        };
        let files = CrdFiles::new(Arc::clone(&machine) as Arc<dyn System>);
        let run = files.diff(&request).map_err(|failure| Failure::of_files(&failure, &files))?;
        let report = Report { flags: &self.report, color, destinations, system: &*machine };
        report.write(run, files.sources(), None)
    }
}

//! `trueline crd check`: CRDs, and nothing else.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use trueline_analysis::{FieldValidation, InputKind, KubeVersion};

use super::conditions;
use crate::checking::{Checking, Scope};
use crate::command::Ended;
use crate::flags::CheckFlags;
use crate::kube_flags::{KubeFlags, field_validation_parser};
use crate::terminal::ColorChoice;

/// Check whether a cluster would take CRDs
///
/// All that the API server demands of a CRD, with its own field paths and words, and more: what the server lets pass
/// although the rules of structural schemas forbid it is a warning. A directory is searched for definitions, as
/// is the `crds/` of charts in it, and other files in it are left out. Where nothing that is named defines a kind, the command could not run.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline crd check crds/
  trueline crd check backups.yaml --format json
  trueline crd check new.yaml --old deployed.yaml
  trueline crd check backups.yaml --conditions

Exit codes: 0 nothing wrong (warnings allowed), 1 something wrong, 2 could not run.")]
pub(crate) struct Check {
    /// Files and directories to check; `-` is standard input
    #[arg(value_name = "FILE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    flags: CheckFlags,

    /// What fields are that Kubernetes does not know, or that are there twice (default: strict)
    #[arg(long, value_name = "HOW", value_parser = field_validation_parser())]
    field_validation: Option<FieldValidation>,

    /// Version of Kubernetes of the cluster (default: the newest)
    #[arg(long, value_name = "VERSION")]
    kube_version: Option<KubeVersion>,

    /// Take definitions for updates of those in this file or directory; `-` is standard input
    ///
    /// May be given several times, and be a pipe, such as <(kubectl get crd -o yaml) in a shell. What is given counts as in
    /// use, as any definition that a cluster has stored is: its scope and its kind may not change.
    #[arg(long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    old: Vec<PathBuf>,

    /// Print the NonStructuralSchema condition that an API server sets in the status, and check nothing else
    ///
    /// YAML by default, JSON with --format json. A CRD whose schemas are structural has no such condition. Servers of
    /// today refuse new CRDs like that (spec.preserveUnknownFields and schemas that are not structural), so it is found on
    /// those that an old server has stored. lastTransitionTime is left out: only the server knows it.
    #[arg(long, conflicts_with = "old")]
    conditions: bool,
}

impl Check {
    pub(crate) fn run(self, color: ColorChoice) -> Ended {
        if self.conditions {
            return conditions::print(&self.paths, &self.flags.report);
        }
        let kubernetes = KubeFlags {
            field_validation: self.field_validation,
            old: self.old,
            kube_version: self.kube_version,
            ..KubeFlags::default()
        };
        let scope = Scope::Only(InputKind::Crd);
        Checking { paths: self.paths, scope, flags: self.flags, charts: None, ytt: None, kubernetes, color }
            .run()
    }
}

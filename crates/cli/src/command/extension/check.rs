//! `trueline extension check`: extension manifests, and nothing else.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use trueline_analysis::InputKind;

use crate::checking::{Checking, Scope};
use crate::command::Ended;
use crate::flags::CheckFlags;
use crate::kube_flags::KubeFlags;
use crate::terminal::ColorChoice;

/// Check extension manifests on three levels: syntax, JSON Schema, meaning
///
/// A file is taken for a manifest whatever its name; a directory is searched for extensions, and other files in it
/// are left out.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline extension check extension.yaml
  trueline extension check extensions --registry registry.yaml
  trueline extension check . --strict --format github

Exit codes: 0 nothing wrong (warnings allowed), 1 something wrong, 2 could not run.")]
pub(crate) struct Check {
    /// Manifests and directories to check; `-` is standard input
    #[arg(value_name = "FILE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    flags: CheckFlags,
}

impl Check {
    pub(crate) fn run(self, color: ColorChoice) -> Ended {
        let scope = Scope::Only(InputKind::Extension);
        Checking {
            paths: self.paths,
            scope,
            flags: self.flags,
            charts: None,
            ytt: None,
            kubernetes: KubeFlags::default(),
            color,
        }
        .run()
    }
}

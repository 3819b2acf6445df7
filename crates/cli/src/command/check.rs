//! `trueline check`: the main job.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use trueline_analysis::InputKind;

use super::Ended;
use crate::chart_flags::ChartFlags;
use crate::checking::{Checking, Scope};
use crate::flags::{CheckFlags, kind_parser};
use crate::kube_flags::KubeFlags;
use crate::terminal::ColorChoice;
use crate::ytt_flags::YttFlags;

/// Check files, packages and directories, and report everything in one run
///
/// File types are detected: a Helm chart (a directory or .tgz with Chart.yaml), a ytt folder (a directory with YAML that has
/// `#@` comments), an extension (a directory with extension.yaml), a registry or profiles of extensions, a JSON Schema,
/// Kubernetes objects and CRDs. Directories are searched for files that end in .yaml, .yml, .json and .tgz; names that
/// begin with a dot and node_modules are left out. A chart is rendered with its own values and with each of its
/// ci/*-values.yaml, or with the values that are given: values are validated against the chart's schemas, and the rendered
/// documents are checked as Kubernetes objects. A ytt folder is rendered and checked in the same way. What cannot be
/// checked is listed in the summary.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline check
  trueline check charts/web --select TL07,duplicate-key
  trueline check charts/web -f prod.yaml --set image.tag=1.2.3
  trueline check charts --values-matrix 'ci/*.yaml' --kube-version 1.33
  trueline check config --data-value app.name=web --data-values-file prod.yml
  trueline check manifests --kube-version 1.31 --crd crds/
  trueline check extensions --registry registry.yaml --strict
  trueline check a.yaml b.yaml --format short
  trueline check . --output sarif=report.sarif --output junit=report.xml
  cat extension.yaml | trueline check --as extension -

Exit codes: 0 nothing wrong (warnings allowed), 1 something wrong, 2 could not run.")]
pub(crate) struct Check {
    /// Files and directories to check; `-` is standard input (default: the working directory)
    #[arg(value_name = "PATH", default_value = ".", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    flags: CheckFlags,

    #[command(flatten)]
    charts: ChartFlags,

    #[command(flatten)]
    ytt: YttFlags,

    #[command(flatten)]
    kubernetes: KubeFlags,

    /// Take every file for this kind of thing
    ///
    /// With `chart`, charts alone are checked, and a path without any is taken for one. With `ytt`, each path is one
    /// ytt folder or file.
    #[arg(long = "as", value_name = "KIND", value_parser = kind_parser(), help_heading = "Run")]
    kind: Option<InputKind>,
}

impl Check {
    pub(crate) fn run(self, color: ColorChoice) -> Ended {
        let scope = match self.kind {
            Some(kind) => Scope::TakeFor(kind),
            None => Scope::Everything,
        };
        Checking {
            paths: self.paths,
            scope,
            flags: self.flags,
            charts: Some(self.charts),
            ytt: Some(self.ytt),
            kubernetes: self.kubernetes,
            color,
        }
        .run()
    }
}

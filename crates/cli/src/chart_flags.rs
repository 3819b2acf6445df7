//! The flags that charts are rendered with, as Helm has them.

use clap::{Args, ValueHint};
use trueline_analysis::{ChartSettings, Coverage, values_pattern};
use trueline_helm::chart::Compat;
use trueline_helm::engine::KubeVersion;
use trueline_helm::values::ValueOptions;

use crate::helm;

/// The flags that give values.
#[derive(Debug, Args)]
#[command(next_help_heading = "Values")]
pub(crate) struct ValueFlags {
    /// Take the values of this file (or URL, or -), in place of a chart's ci/*-values.yaml
    ///
    /// May be given several times; a later file counts over an earlier one.
    #[arg(short = 'f', long, value_name = "FILE", value_delimiter = ',', value_hint = ValueHint::FilePath)]
    values: Vec<String>,

    /// Set values, such as a.b=1,list[0]=x
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Set values that are texts, whatever they look like
    #[arg(long, value_name = "KEY=TEXT")]
    set_string: Vec<String>,

    /// Set values to the contents of files, such as a.b=path
    #[arg(long, value_name = "KEY=FILE")]
    set_file: Vec<String>,

    /// Set values from JSON, such as a=[1,2], or a whole object
    #[arg(long, value_name = "JSON")]
    set_json: Vec<String>,

    /// Set one value to the rest of the argument as it stands
    #[arg(long, value_name = "KEY=TEXT")]
    set_literal: Vec<String>,
}

impl ValueFlags {
    /// What the flags say.
    pub(crate) fn options(&self) -> ValueOptions {
        ValueOptions {
            files: self.values.clone(),
            json: self.set_json.clone(),
            set: self.set.clone(),
            string: self.set_string.clone(),
            file: self.set_file.clone(),
            literal: self.set_literal.clone(),
        }
    }
}

/// What charts are rendered with.
#[derive(Debug, Args)]
#[command(next_help_heading = "Charts")]
pub(crate) struct ChartFlags {
    #[command(flatten)]
    values: ValueFlags,

    /// Render each chart once with each of its files that match, such as 'ci/*.yaml'
    ///
    /// The pattern is seen from the directory of each chart; the flag may be repeated. Charts without a matching file
    /// are skipped, if another has one. Without the flag, and without -f, charts are rendered with their own values
    /// and with each ci/*-values.yaml.
    #[arg(long, value_name = "GLOB", value_parser = values_pattern)]
    values_matrix: Vec<String>,

    /// Version of Kubernetes that charts are rendered for, and that objects are validated against (default: the newest)
    #[arg(long, value_name = "VERSION", value_parser = kube_version)]
    kube_version: Option<KubeVersion>,

    /// Further API versions of the cluster, such as example.com/v1 or example.com/v1/Kind
    #[arg(short = 'a', long, value_name = "VERSION", value_delimiter = ',')]
    api_versions: Vec<String>,

    /// Name of the release that charts are rendered as [default: release-name]
    #[arg(long, value_name = "NAME", value_parser = release_name)]
    release_name: Option<String>,

    /// Namespace that charts are rendered for, and that objects land in which name none
    #[arg(short = 'n', long, value_name = "NAME", default_value = "default")]
    namespace: String,

    /// Tell which branches of the templates no rendering reached
    #[arg(long)]
    coverage: bool,
}

impl ChartFlags {
    /// How often the flags name standard input.
    pub(crate) fn standard_inputs(&self) -> usize {
        self.values.values.iter().filter(|file| *file == "-").count()
    }

    /// The version of Kubernetes that was asked for.
    pub(crate) fn kube_version(&self) -> Option<trueline_analysis::KubeVersion> {
        self.kube_version.as_ref().and_then(|version| version.normalized.parse().ok())
    }

    /// What the flags say.
    pub(crate) fn settings(&self) -> ChartSettings {
        ChartSettings {
            values: self.values.options(),
            matrix: self.values_matrix.clone(),
            release_name: self.release_name.clone().unwrap_or_else(|| "release-name".to_owned()),
            namespace: self.namespace.clone(),
            kube_version: self.kube_version.clone(),
            api_versions: self.api_versions.clone(),
            coverage: if self.coverage { Coverage::Told } else { Coverage::Ignored },
        }
    }
}

fn kube_version(text: &str) -> Result<KubeVersion, String> {
    let version = KubeVersion::parse(text, Compat::Helm4)?;
    // Helm takes any number; there is no API of other versions.
    version.normalized.parse::<trueline_analysis::KubeVersion>()?;
    Ok(version)
}

fn release_name(text: &str) -> Result<String, String> {
    helm::release_name::check(text).map(|()| text.to_owned())
}

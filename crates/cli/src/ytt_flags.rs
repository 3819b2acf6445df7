//! The flags that give data values to ytt folders, as ytt has them.

use clap::{Args, ValueHint};
use trueline_analysis::YttSettings;

/// Where data values come from besides the files of a folder.
#[derive(Debug, Args)]
#[command(next_help_heading = "ytt")]
pub(crate) struct YttFlags {
    /// Set a data value of ytt folders to a string, such as app.name=web
    #[arg(long, value_name = "KEY=TEXT")]
    data_value: Vec<String>,

    /// Set a data value of ytt folders to YAML, such as app.ports=[80]
    #[arg(long, value_name = "KEY=YAML")]
    data_value_yaml: Vec<String>,

    /// Set a data value of ytt folders to the contents of a file, such as app.cert=cert.pem
    #[arg(long, value_name = "KEY=PATH")]
    data_value_file: Vec<String>,

    /// Take data values of ytt folders from this file or directory (or URL, or -)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    data_values_file: Vec<String>,

    /// Take data values of ytt folders from environment variables PREFIX_a__b
    #[arg(long, value_name = "PREFIX")]
    data_values_env: Vec<String>,

    /// Take data values of ytt folders from environment variables PREFIX_a__b that hold YAML
    #[arg(long, value_name = "PREFIX")]
    data_values_env_yaml: Vec<String>,
}

impl YttFlags {
    /// How often the flags name standard input.
    pub(crate) fn standard_inputs(&self) -> usize {
        let files = self.data_values_file.iter().filter(|file| *file == "-").count();
        files + self.data_value_file.iter().filter(|flag| flag.ends_with("=-")).count()
    }

    /// What the flags say.
    pub(crate) fn settings(&self) -> YttSettings {
        YttSettings {
            values: self.data_value.clone(),
            values_yaml: self.data_value_yaml.clone(),
            value_files: self.data_value_file.clone(),
            files: self.data_values_file.clone(),
            env: self.data_values_env.clone(),
            env_yaml: self.data_values_env_yaml.clone(),
        }
    }
}

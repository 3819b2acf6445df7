//! The flags that give data values to ytt folders, as ytt has them.

use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, ValueHint};
use trueline_analysis::YttSettings;

use crate::world::World;
use crate::ytt;

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

    /// Set a data value of ytt folders to the text of a file, such as app.cert=cert.pem
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
    ///
    /// # Errors
    /// If the process has no working directory.
    pub(crate) fn settings(&self) -> Result<YttSettings, String> {
        // Hardly any run reads data values that the command line names.
        let reads_files = !self.data_values_file.is_empty() || !self.data_value_file.is_empty();
        let reads_environment = !self.data_values_env.is_empty() || !self.data_values_env_yaml.is_empty();
        if !reads_files && !reads_environment {
            let (values, values_yaml) = (self.data_value.clone(), self.data_value_yaml.clone());
            return Ok(YttSettings { values, values_yaml, ..YttSettings::default() });
        }
        let world = World::of_process().map_err(|error| {
            format!("the working directory cannot be used: {}", crate::disk::plain(&error))
        })?;
        let environment = if reads_environment { ytt::environment(&world) } else { Vec::new() };
        let world = Mutex::new(world);
        Ok(YttSettings {
            values: self.data_value.clone(),
            values_yaml: self.data_value_yaml.clone(),
            value_files: self.data_value_file.clone(),
            files: self.data_values_file.clone(),
            env: self.data_values_env.clone(),
            env_yaml: self.data_values_env_yaml.clone(),
            environment,
            find: Arc::new(move |path: &str| {
                let mut world = world.lock().unwrap_or_else(PoisonError::into_inner);
                ytt::data_values_files(&mut world, path)
            }),
        })
    }
}

//! `trueline extension schema`: the schemas that are compiled into the program.

use clap::Args;
use clap::builder::PossibleValuesParser;
use trueline_extension::schemas;

use crate::command::{Ended, say};

/// Print a schema that extension manifests are held against
///
/// The schemas refer to each other by name. `--bundle` puts a schema and all that it refers to into one text, for
/// editors that take a single file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline extension schema
  trueline extension schema install
  trueline extension schema --bundle > extension.schema.json")]
pub(crate) struct Schema {
    /// The schema to print
    #[arg(value_name = "NAME", default_value = "extension", value_parser = PossibleValuesParser::new(schemas::names()))]
    name: String,

    /// Print the schema together with all that it refers to
    #[arg(long)]
    bundle: bool,
}

impl Schema {
    pub(crate) fn run(self) -> Ended {
        let text = match self.bundle {
            true => schemas::bundle(&self.name),
            false => schemas::schema(&self.name).map(str::to_owned),
        };
        match text {
            Some(text) => say(&text),
            None => Err(format!("there is no schema `{}`", self.name)),
        }
    }
}

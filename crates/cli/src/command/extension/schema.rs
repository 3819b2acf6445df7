//! `trueline extension schema`: the schemas that are compiled into the program.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use trueline_extension::schemas;

use crate::command::{Ended, say};
use crate::failure::Failure;

/// Print a schema that files are validated against, or the one of the JSON report
///
/// The schemas refer to each other by name. `--bundle` puts a schema and all that it refers to into one text, for
/// editors that take a single file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline extension schema
  trueline extension schema install
  trueline extension schema --bundle > extension.schema.json")]
pub(crate) struct Schema {
    /// The schema to print; the name of its file will do too
    #[arg(value_name = "NAME", default_value = "extension", value_parser = PossibleValuesParser::new(choices()))]
    name: String,

    /// Print the schema together with all that it refers to
    #[arg(long)]
    bundle: bool,
}

/// What the JSON report looks like: no schema of an input, but listed beside them.
const REPORT: (&str, &str) = ("report", "report.schema.json");

fn choices() -> Vec<PossibleValue> {
    let names = schemas::SCHEMAS.iter().map(|schema| (schema.name, schema.file)).chain([REPORT]);
    names.map(|(name, file)| PossibleValue::new(name).alias(file)).collect()
}

impl Schema {
    pub(crate) fn run(self) -> Ended {
        let text = match self.bundle {
            // It refers to nothing but itself.
            _ if self.name == REPORT.0 || self.name == REPORT.1 => {
                Some(trueline_report::JSON_SCHEMA.to_owned())
            }
            true => schemas::bundle(&self.name),
            false => schemas::schema(&self.name).map(str::to_owned),
        };
        match text {
            Some(text) => say(&text),
            None => Err(Failure::Usage(format!("there is no schema `{}`", self.name))),
        }
    }
}

//! `trueline crd publish`: what the server publishes about a kind.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use trueline_analysis::{
    OpenApi, PublishedForm, PublishedSchemas, Unfolding, UnknownFields, ValueValidation,
};

use super::files;
use crate::command::{Ended, INVALID, VALID, say};
use crate::failure::Failure;
use crate::terminal::complain;

/// Print the schemas that a cluster publishes for the kinds of definitions
///
/// OpenAPI v3 and v2 are what the server publishes for every version that it serves; a schema that is not structural
/// is published as an object that says nothing. A definition that the server would refuse is reported, and what would be
/// published of it is printed nevertheless, unless it is longer than any request. The JSON Schema accepts all that the server accepts, and is made for
/// editors and for tools like kubeconform. It accepts more than that where JSON Schema cannot say what a server checks,
/// or says it otherwise: patterns such as `\S`, most formats, keys of lists.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline crd publish backups.yaml
  trueline crd publish backups.yaml -o openapi-v2
  trueline crd publish backups.yaml -o json-schema --api-version v1 > backup.json
  trueline crd publish backups.yaml --drop-validation

Exit codes: 0 the schemas were printed, 1 a definition would be refused, 2 could not run.")]
pub(crate) struct Publish {
    /// Files with definitions; `-` is standard input
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    paths: Vec<PathBuf>,

    /// What is printed
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Form::OpenapiV3)]
    output: Form,

    /// Print only this version of the kind; a JSON Schema is printed for the stored version otherwise
    #[arg(long, value_name = "VERSION")]
    api_version: Option<String>,

    /// Publish what KEP-2335 describes where servers differ: unions, embedded resources spelled out, all patterns kept
    #[arg(long, conflicts_with = "closed")]
    kep: bool,

    /// Drop value validation: show only which fields there are and their types, as pruning and defaulting see the schema
    ///
    /// Removes format, enum, pattern, required, all bounds and lengths, allOf, anyOf, oneOf and not. Kept are types, fields,
    /// defaults, descriptions and every x-kubernetes- keyword.
    #[arg(long, conflicts_with = "closed")]
    drop_validation: bool,

    /// Let a JSON Schema refuse fields that are not known
    #[arg(long)]
    closed: bool,
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// OpenAPI version 2, also known as Swagger
    OpenapiV2,
    /// OpenAPI version 3
    OpenapiV3,
    /// A JSON Schema
    JsonSchema,
}

impl Publish {
    pub(crate) fn run(self) -> Ended {
        if self.closed && self.output != Form::JsonSchema {
            return Err(Failure::usage("`--closed` is about JSON Schemas: say `-o json-schema` too"));
        }
        if self.drop_validation && self.output == Form::JsonSchema {
            return Err(Failure::usage("`--drop-validation` needs `-o openapi-v3` or `-o openapi-v2`"));
        }
        let files = files()?;
        let wanted = PublishedSchemas { form: self.form(), version: self.api_version };
        let published =
            files.publish(&self.paths, &wanted).map_err(|failure| Failure::of_files(&failure, &files))?;
        if let Some(text) = &published.text {
            say(text)?;
        }
        for problem in &published.refused {
            complain(&format!("error: {}", problem.sentence(files.sources())));
        }
        Ok(if published.refused.is_empty() { VALID } else { INVALID })
    }

    /// What the flags ask for.
    fn form(&self) -> PublishedForm {
        let unfolding = if self.kep { Unfolding::Document } else { Unfolding::Server };
        let validation = if self.drop_validation { ValueValidation::Dropped } else { ValueValidation::Kept };
        let unknown = if self.closed { UnknownFields::Refused } else { UnknownFields::Accepted };
        match self.output {
            Form::OpenapiV2 => PublishedForm::OpenApi(OpenApi::V2, unfolding, validation),
            Form::OpenapiV3 => PublishedForm::OpenApi(OpenApi::V3, unfolding, validation),
            Form::JsonSchema => PublishedForm::JsonSchema(unknown),
        }
    }
}

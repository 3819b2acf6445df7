//! `trueline crd publish`: what the server publishes about a kind.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use trueline_kube::crd::{Crd, Version};
use trueline_kube::publish::{
    OpenApi, Unfolding, UnknownFields, ValueValidation, document, json_schema, publish_with,
};
use trueline_source::SourceMap;
use trueline_yaml::Value;
use trueline_yaml::json::{self, Escaping, KeyOrder, Layout, WriteOptions};

use super::reading::{readable, refusals, sentences};
use crate::command::{Ended, INVALID, VALID, say};
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
            return Err("`--closed` is about JSON Schemas: say `-o json-schema` too".to_owned());
        }
        if self.drop_validation && self.output == Form::JsonSchema {
            return Err("`--drop-validation` needs `-o openapi-v3` or `-o openapi-v2`".to_owned());
        }
        let sources = SourceMap::new();
        let (mut crds, mut refused) = (Vec::new(), Vec::new());
        for path in &self.paths {
            let read = readable(path, &sources)?;
            crds.extend(read.found.into_iter().map(|decoded| decoded.crd));
            refused.extend(sentences(&read.too_large, &sources));
        }
        let is_too_large = !refused.is_empty();
        refused.extend(crds.iter().flat_map(|crd| refusals(crd, &sources)));
        let chosen: Vec<(&Crd, &Version)> = crds
            .iter()
            .flat_map(|crd| crd.spec.versions.iter().map(move |version| (crd, version)))
            .filter(|(_, version)| self.is_wanted(version))
            .collect();
        let complain = || refused.iter().for_each(|problem| complain(&format!("error: {problem}")));
        if crds.is_empty() && is_too_large {
            complain();
            return Ok(INVALID);
        }
        if chosen.is_empty() {
            return Err(self.without_version(&crds));
        }
        let printed = match self.output {
            Form::OpenapiV2 => self.open_api(&chosen, OpenApi::V2),
            Form::OpenapiV3 => self.open_api(&chosen, OpenApi::V3),
            Form::JsonSchema => {
                let [(crd, version)] = chosen.as_slice() else {
                    return Err("a JSON Schema is about one kind: give one definition".to_owned());
                };
                let unknown = if self.closed { UnknownFields::Refused } else { UnknownFields::Accepted };
                json_schema(crd, version, unknown)
                    .map_err(|error| format!("the schema is not structural: {}", error.text))?
            }
        };
        let options =
            WriteOptions { escaping: Escaping::Minimal, layout: Layout::Indented, order: KeyOrder::Given };
        let text = json::write(&printed, options).map_err(|error| error.to_string())?;
        say(&format!("{text}\n"))?;
        complain();
        Ok(if refused.is_empty() { VALID } else { INVALID })
    }

    /// Why there is nothing to print.
    fn without_version(&self, crds: &[Crd]) -> String {
        let known: Vec<&str> =
            crds.iter().flat_map(|crd| crd.spec.versions.iter().map(|version| &*version.name)).collect();
        match &self.api_version {
            Some(asked) => format!("no definition has a version `{asked}`; there is {}", known.join(", ")),
            None if self.output == Form::JsonSchema => "no version of the definitions is stored".to_owned(),
            None => "no version of the definitions is served".to_owned(),
        }
    }

    fn is_wanted(&self, version: &Version) -> bool {
        match (&self.api_version, self.output) {
            (Some(name), _) => *name == *version.name,
            (None, Form::JsonSchema) => version.storage,
            (None, _) => version.served,
        }
    }

    fn open_api(&self, chosen: &[(&Crd, &Version)], open_api: OpenApi) -> Value {
        let unfolding = if self.kep { Unfolding::Document } else { Unfolding::Server };
        let validation = if self.drop_validation { ValueValidation::Dropped } else { ValueValidation::Kept };
        let published: Vec<_> = chosen
            .iter()
            .map(|(crd, version)| publish_with(crd, version, open_api, unfolding, validation))
            .collect();
        document(&published, open_api)
    }
}

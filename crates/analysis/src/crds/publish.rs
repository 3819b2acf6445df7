//! What a server publishes about the kinds of CRDs.

use std::path::PathBuf;

use trueline_kube::crd::{Crd, Version};
use trueline_kube::publish::{
    OpenApi, Unfolding, UnknownFields, ValueValidation, document, json_schema, publish_with,
};
use trueline_yaml::Value;

use super::conditions::json_text;
use super::reading::refusals;
use super::{CrdFailure, CrdFiles, Problem};

/// Which schemas are published, and how.
#[derive(Debug)]
pub struct PublishedSchemas {
    /// What is written.
    pub form: PublishedForm,
    /// Only this version of a kind; otherwise all that are served, or for a JSON Schema the one that is stored.
    pub version: Option<String>,
}

/// What is written of a schema.
#[derive(Debug, Clone, Copy)]
pub enum PublishedForm {
    /// OpenAPI, as a server publishes it.
    OpenApi(OpenApi, Unfolding, ValueValidation),
    /// A JSON Schema that accepts all that the server accepts, for editors.
    JsonSchema(UnknownFields),
}

/// What is published of CRDs.
#[derive(Debug)]
pub struct Published {
    /// The schemas as JSON; nothing where all CRDs are longer than any request.
    pub text: Option<String>,
    /// Why a cluster would refuse CRDs.
    pub refused: Vec<Problem>,
}

impl CrdFiles {
    /// The schemas that a cluster publishes for the kinds of CRDs.
    pub fn publish(&self, paths: &[PathBuf], wanted: &PublishedSchemas) -> Result<Published, CrdFailure> {
        let (mut crds, mut refused) = (Vec::new(), Vec::new());
        for path in paths {
            let read = self.readable(path)?;
            crds.extend(read.found.into_iter().map(|decoded| decoded.crd));
            refused.extend(read.too_large.into_iter().map(Problem::from));
        }
        let is_too_large = !refused.is_empty();
        refused.extend(crds.iter().flat_map(refusals));
        if crds.is_empty() && is_too_large {
            return Ok(Published { text: None, refused });
        }
        let value = wanted.of(&crds)?;
        Ok(Published { text: Some(json_text(&value)?), refused })
    }
}

impl PublishedSchemas {
    fn of(&self, crds: &[Crd]) -> Result<Value, CrdFailure> {
        let chosen: Vec<(&Crd, &Version)> = crds
            .iter()
            .flat_map(|crd| crd.spec.versions.iter().map(move |version| (crd, version)))
            .filter(|(_, version)| self.is_wanted(version))
            .collect();
        if chosen.is_empty() {
            return Err(self.without_version(crds));
        }
        match self.form {
            PublishedForm::OpenApi(open_api, unfolding, validation) => {
                let published: Vec<_> = chosen
                    .iter()
                    .map(|(crd, version)| publish_with(crd, version, open_api, unfolding, validation))
                    .collect();
                Ok(document(&published, open_api))
            }
            PublishedForm::JsonSchema(unknown) => {
                let [(crd, version)] = chosen.as_slice() else { return Err(CrdFailure::SeveralKinds) };
                json_schema(crd, version, unknown).map_err(|error| CrdFailure::NotStructural(error.text))
            }
        }
    }

    /// Why there is nothing to publish.
    fn without_version(&self, crds: &[Crd]) -> CrdFailure {
        let versions = crds.iter().flat_map(|crd| &crd.spec.versions);
        match (&self.version, self.form) {
            (Some(asked), _) => CrdFailure::NoVersion {
                asked: asked.clone(),
                known: versions.map(|version| version.name.to_string()).collect(),
            },
            (None, PublishedForm::JsonSchema(_)) => CrdFailure::NoneStored,
            (None, PublishedForm::OpenApi(..)) => CrdFailure::NoneServed,
        }
    }

    fn is_wanted(&self, version: &Version) -> bool {
        match (&self.version, self.form) {
            (Some(name), _) => *name == *version.name,
            (None, PublishedForm::JsonSchema(_)) => version.storage,
            (None, PublishedForm::OpenApi(..)) => version.served,
        }
    }
}

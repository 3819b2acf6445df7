//! Reading files with CRDs.

use std::path::Path;

use trueline_diagnostic::{Diagnostic, Severity};
use trueline_kube::crd::{self, Crd, Decoded};
use trueline_kube::{KubeVersion, manifest};
use trueline_yaml::Document;

use super::{CrdFailure, CrdFiles, Problem};
use crate::kubernetes::{each_file_of_definitions, too_large};

/// The kind of CRDs.
const KIND: &str = "CustomResourceDefinition";

/// What a file, or the files of a directory, define.
pub(super) struct Definitions {
    pub(super) found: Vec<Decoded>,
    /// What is said of those that are longer than any request; nothing else is done with them.
    pub(super) too_large: Vec<Diagnostic>,
    /// What is said of those that a cluster cannot read.
    pub(super) unreadable: Vec<Diagnostic>,
}

impl CrdFiles {
    /// The CRDs in a file, or in the files of a directory, each of which a cluster may have.
    pub(super) fn definitions(&self, path: &Path) -> Result<Vec<Decoded>, CrdFailure> {
        let Definitions { found, too_large, .. } = self.readable(path)?;
        match too_large.is_empty() {
            true => Ok(found),
            false => Err(CrdFailure::Unreadable(too_large.into_iter().map(Problem::from).collect())),
        }
    }

    /// The CRDs in a file, or in the files of a directory, all of which a cluster can read.
    pub(super) fn readable(&self, path: &Path) -> Result<Definitions, CrdFailure> {
        let read = self.read(path)?;
        let wrong = read.unreadable.iter().map(|finding| {
            let message = format!("a cluster cannot read the definition: {}", finding.message);
            Problem::at(finding.primary.span, message)
        });
        let wrong: Vec<Problem> = wrong.collect();
        if wrong.is_empty() { Ok(read) } else { Err(CrdFailure::Unreadable(wrong)) }
    }

    /// The CRDs in a file, or in the files of a directory.
    pub(super) fn read(&self, path: &Path) -> Result<Definitions, CrdFailure> {
        let (mut found, mut wrong, mut large) = (Vec::new(), Vec::new(), Vec::new());
        let mut undecoded = Vec::new();
        let unread = self.each_text(
            path,
            |input, sources, take| each_file_of_definitions(input, sources, take),
            |stream| {
                wrong.extend(Problem::of_syntax(&stream));
                let roots = stream.documents.iter().map(Document::root);
                for object in roots.flat_map(manifest::objects).filter(|object| object.kind == KIND) {
                    if let Some(finding) = too_large(object.node) {
                        large.push(finding);
                        continue;
                    }
                    let value = object.value();
                    if !crd::is_crd(&value) {
                        continue;
                    }
                    match crd::decode(&value) {
                        Ok(decoded) => found.push(decoded),
                        Err(error) => undecoded.push(crd::unreadable(&error, object.node.span())),
                    }
                }
            },
        )?;
        wrong.extend(unread);
        if !wrong.is_empty() {
            return Err(CrdFailure::Unreadable(wrong));
        }
        if found.is_empty() && large.is_empty() && undecoded.is_empty() {
            return Err(CrdFailure::NoDefinition(path.to_owned()));
        }
        Ok(Definitions { found, too_large: large, unreadable: undecoded })
    }
}

/// Why a cluster would refuse a CRD.
pub(super) fn refusals(crd: &Crd) -> Vec<Problem> {
    let Some(around) = crd.written.place() else { return Vec::new() };
    let findings = crd.validate_create(KubeVersion::CRD_RULES).diagnostics(around, &|scalar, _, _| scalar);
    let errors = findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(Problem::from).collect()
}

//! CRDs as objects: what a cluster says when one is created or changed.

use trueline_diagnostic::{Diagnostic, Severity};
use trueline_source::Span;

use super::answer::Answer;
use super::issue::OfDefinition;
use super::request::Request;
use super::sent::Sent;
use crate::crd::{self, Verdict};
use crate::{DecodeError, KubeVersion, UnknownField};

/// What a cluster says of a CRD.
#[derive(Debug)]
pub(super) enum DefinitionAnswer {
    /// It cannot be read.
    Unreadable(DecodeError),
    /// It was read.
    Read {
        /// The fields that the server does not know.
        unknown: Vec<UnknownField>,
        /// How much these matter; nothing if they do not.
        severity: Option<Severity>,
        /// What the server says of the rest.
        verdict: Verdict,
    },
}

impl DefinitionAnswer {
    /// Whether an object is a CRD.
    pub(super) fn is_about(api_version: &str, kind: &str) -> bool {
        kind == "CustomResourceDefinition"
            && api_version.split_once('/').is_some_and(|(group, _)| group == "apiextensions.k8s.io")
    }

    pub(super) fn of<'r>(
        sent: &Sent<'r>,
        old: Option<&Sent<'r>>,
        request: &Request<'r>,
        version: KubeVersion,
    ) -> Answer<'r> {
        let answer = match crd::decode(&sent.value()) {
            Err(error) => DefinitionAnswer::Unreadable(error),
            Ok(decoded) => {
                let old = old.and_then(|old| crd::decode(&old.value()).ok()).map(|old| {
                    let mut old = old.crd;
                    // What a cluster has stored is in use, whether or not its status was given.
                    old.assume_established();
                    old
                });
                let verdict = match old {
                    Some(old) => decoded.crd.validate_update(&old, version),
                    None => decoded.crd.validate_create(version),
                };
                let severity = crd::severity_of_unknown(request.options.field_validation);
                DefinitionAnswer::Read { unknown: decoded.unknown, severity, verdict }
            }
        };
        Answer::Definition(Box::new(answer))
    }
}

impl OfDefinition<'_> {
    /// The finding for a report. `around` is where it goes if it has no place of its own.
    pub(super) fn diagnostic(self, around: Span) -> Diagnostic {
        match self {
            OfDefinition::Unreadable(error) => crd::unreadable(error, around),
            OfDefinition::UnknownField(field) => crd::unknown_field(field, around),
            OfDefinition::Refused(error) => crd::refused(error, around, &|scalar, _, _| scalar),
            OfDefinition::Warned(warning) => crd::warned(warning, around),
        }
    }
}

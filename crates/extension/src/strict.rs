//! `--strict`: what is valid but could be better. Every finding is a warning.

pub(crate) mod checksum;
pub(crate) mod insecure_url;
pub(crate) mod recommended;
pub(crate) mod unknown_field;
pub(crate) mod unpinned;

use trueline_diagnostic::Diagnostic;
use trueline_schema::SchemaLookup;

use crate::manifest::Subject;
use crate::rules::Rule;

/// The rules that only run with `--strict`.
static RULES: &[Rule] = &[recommended::check, unpinned::check, checksum::check, insecure_url::check];

/// The findings that `--strict` adds for a manifest.
pub(crate) fn check(subject: &Subject<'_>, schema: &dyn SchemaLookup, findings: &mut Vec<Diagnostic>) {
    unknown_field::check(&subject.root, schema, findings);
    for rule in RULES {
        rule(subject, findings);
    }
}

pub(crate) use unknown_field::check as check_fields;

//! `schema_version`: a manifest's format version must be known.

use semver::Version;
use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::context::SCHEMA_VERSION;
use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0301",
    name: "schema-version",
    severity: Severity::Error,
    summary: "The manifest's `schema_version` is not supported",
    explanation: "A manifest may say which version of the manifest format it is written in with `schema_version`; \
                  the default is 1.0.0. The first number must be the supported one, because fields change their \
                  meaning with it. The second number must not be newer, because such a manifest may use unknown \
                  fields. The third number does not matter.\n\nWrite the manifest for a supported version, or use \
                  a newer trueline.",
    wrong: "schema_version: \"2.0.0\"\nmetadata:\n  name: nodejs\n",
    right: "schema_version: \"1.0.0\"\nmetadata:\n  name: nodejs\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(field) = subject.root.get("schema_version") else { return };
    let Some(text) = field.text() else { return };
    let version = match Version::parse(text) {
        Ok(version) => version,
        Err(error) => {
            let message = format!("invalid schema version `{text}`: {error}");
            findings.push(
                field
                    .finding(&CODE, message)
                    .help(format!("write three numbers, such as \"{SCHEMA_VERSION}\"")),
            );
            return;
        }
    };
    let Ok(known) = Version::parse(SCHEMA_VERSION) else { return };
    let message = if version.major != known.major {
        format!("incompatible schema version: the extension uses {version}, trueline supports {known}")
    } else if version.minor > known.minor {
        format!("schema version {version} is newer than trueline's schema {known}")
    } else {
        return;
    };
    let help = format!("write the manifest for schema {known}, or use a newer trueline");
    findings.push(field.finding(&CODE, message).help(help));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn known_versions_pass() {
        Bench::new(check).accepts(&[
            "metadata: {name: a}",
            "schema_version: '1.0.0'",
            "schema_version: \"1.1.0\"",
            "schema_version: 1.1.9",
            "schema_version: 1.0.0-draft.1",
            "schema_version: 1.0.7+build",
            "schema_version: null",
        ]);
    }

    #[test]
    fn other_versions_are_reported_at_the_value() {
        Bench::new(check).rejects(&[
            (
                "schema_version: «2.0.0»",
                "incompatible schema version: the extension uses 2.0.0, trueline supports 1.1.0",
            ),
            ("schema_version: «\"0.9.0\"»", "incompatible schema version: the extension uses 0.9.0"),
            ("schema_version: «1.9.0»", "schema version 1.9.0 is newer than trueline's schema 1.1.0"),
            ("schema_version: «1.2.0-rc.1»", "is newer than"),
            ("schema_version: «'1.0'»", "invalid schema version `1.0`: unexpected end of input"),
            ("schema_version: «v1.0.0»", "invalid schema version `v1.0.0`"),
            ("schema_version: «''»", "invalid schema version ``: empty string"),
        ]);
    }
}

//! `trueline.toml`: its keys, and what is wrong with them at their places.
//!
//! This crate reads the text; the binary finds the file. The nearest file upwards from an input counts,
//! and it alone: settings of several files are not mixed.

use std::ops::Range;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use trueline_diagnostic::{Catalogue, Code, Diagnostic, Edit, Named, Severity, nearest};
use trueline_kube::{FieldValidation, KubeVersion};
use trueline_source::{SourceId, SourceKind, SourceMap, Span};

use crate::kubernetes::Location;

/// The name of the file.
pub(crate) const FILE_NAME: &str = "trueline.toml";

/// The file is not TOML, or a key has a value of the wrong kind.
pub(crate) static INVALID_CONFIGURATION: Code = Code {
    id: "TL0151",
    name: "invalid-configuration",
    severity: Severity::Error,
    summary: "`trueline.toml` cannot be understood",
    explanation: "The configuration file is not valid TOML, or a key has a value of another kind than it \
                  needs. The run goes on without the setting, so that the rest is still checked, but it fails: \
                  a setting that is silently dropped is worse than an error.",
    wrong: "strict = \"yes\"\n",
    right: "strict = true\n",
};

/// The file has a key that Trueline does not know.
pub(crate) static UNKNOWN_CONFIGURATION_KEY: Code = Code {
    id: "TL0152",
    name: "unknown-configuration-key",
    severity: Severity::Error,
    summary: "`trueline.toml` has a key that is not known",
    explanation: "The keys are `kube-version`, `field-validation`, `strict`, `offline`, `schema-locations`, \
                  `crds`, `policies`, `old`, `skip`, `ignore-missing-schemas`, `max-findings`, the list `[[ignore]]` (with `paths`, \
                  `codes` and `reason`) and the table `[severity]`. Anything else is most likely a typing mistake, and would have no effect.",
    wrong: "stirct = true\n",
    right: "strict = true\n",
};

/// A code that is not in the catalogue.
pub(crate) static UNKNOWN_CODE: Code = Code {
    id: "TL0154",
    name: "unknown-code",
    severity: Severity::Warning,
    summary: "a suppression or severity names a code that does not exist",
    explanation: "`trueline explain` lists all codes. A suppression of a code that does not exist hides \
                  nothing; most likely a digit is wrong.",
    wrong: "[severity]\nTL9999 = \"warning\"\n",
    right: "[severity]\nTL0203 = \"warning\"\n",
};

/// The codes of this file.
pub(crate) const CODES: &[&Code] = &[&INVALID_CONFIGURATION, &UNKNOWN_CONFIGURATION_KEY, &UNKNOWN_CODE];

/// What a `trueline.toml` says.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// Warnings count as errors.
    pub strict: bool,
    /// Nothing is fetched.
    pub offline: bool,
    /// The version of Kubernetes that objects are validated against.
    pub(crate) kube_version: Option<(KubeVersion, Span)>,
    /// What becomes of fields that are not known.
    pub(crate) field_validation: Option<FieldValidation>,
    /// Where JSON Schemas of kinds are, as kubeconform writes it.
    pub(crate) schema_locations: Vec<(String, Span)>,
    /// Files and directories with CRDs, seen from the configuration.
    pub(crate) crds: Vec<(String, Span)>,
    /// Files and directories with admission policies, seen from the configuration.
    pub(crate) policies: Vec<(String, Span)>,
    /// Files and directories with objects that a cluster holds, seen from the configuration.
    pub(crate) old: Vec<(String, Span)>,
    /// Kinds whose objects are left out.
    pub(crate) skip: Vec<(String, Span)>,
    /// So many findings are shown to a person; all if it is 0.
    pub(crate) max_findings: Option<usize>,
    /// Nothing more is said of kinds that there is no schema for.
    pub(crate) ignore_missing_schemas: bool,
    /// Findings to leave out.
    pub(crate) ignores: Vec<Ignore>,
    /// Other severities than the codes' own, by code and by rule; nothing where findings are left out.
    pub(crate) severities: Vec<(Named, Option<Severity>)>,
}

/// One `[[ignore]]`.
#[derive(Debug)]
pub(crate) struct Ignore {
    pub(crate) span: Span,
    /// None: all paths.
    pub(crate) paths: Option<GlobSet>,
    pub(crate) codes: Vec<Named>,
}

/// How long a configuration may be, in bytes, and how many of its mistakes are kept.
const LARGEST: usize = 128 << 10;
const MOST_ERRORS: usize = 1_000;

/// Reads a configuration. What is wrong with it is in the findings; the rest of it counts.
pub(crate) fn read(
    name: &str,
    text: &str,
    sources: &SourceMap,
    catalogue: &Catalogue,
) -> (Config, Vec<Diagnostic>) {
    let source = sources.add(name, SourceKind::File, text);
    let mut reader = Reader { source, text, catalogue, config: Config::default(), findings: Vec::new() };
    // The parser keeps several kilobytes for each error.
    if text.len() > LARGEST {
        let message = format!("the configuration is longer than {} KiB", LARGEST >> 10);
        reader.findings.push(Diagnostic::new(&INVALID_CONFIGURATION, source.span(0, 0), message));
        return (reader.config, reader.findings);
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors.into_iter().take(MOST_ERRORS) {
        let span = reader.span(error.span().unwrap_or(0..0));
        let message = format!("the configuration is not valid TOML: {}", error.message().trim_end());
        reader.findings.push(Diagnostic::new(&INVALID_CONFIGURATION, span, message));
    }
    reader.top(table.get_ref());
    reader.findings.sort_by_key(|finding| finding.primary.span);
    reader.findings.truncate(MOST_ERRORS);
    (reader.config, reader.findings)
}

struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    catalogue: &'a Catalogue,
    config: Config,
    findings: Vec<Diagnostic>,
}

type Key<'i> = Spanned<std::borrow::Cow<'i, str>>;

const KEYS: &[&str] = &[
    "kube-version",
    "field-validation",
    "strict",
    "offline",
    "schema-locations",
    "crds",
    "policies",
    "old",
    "skip",
    "ignore-missing-schemas",
    "max-findings",
    "ignore",
    "severity",
];
const IGNORE_KEYS: &[&str] = &["paths", "codes", "reason"];

impl Reader<'_> {
    fn top(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "strict" => {
                    if let Some(strict) = self.boolean("strict", value) {
                        self.config.strict = strict;
                    }
                }
                "offline" => {
                    if let Some(offline) = self.boolean("offline", value) {
                        self.config.offline = offline;
                    }
                }
                "kube-version" => {
                    if let Some(version) = self.string("kube-version", value) {
                        match version.parse() {
                            Ok(version) => {
                                self.config.kube_version = Some((version, self.span(value.span())));
                            }
                            Err(_) => self.wrong("kube-version", "a version such as \"1.35\"", value),
                        }
                    }
                }
                "field-validation" => {
                    if let Some(name) = self.string("field-validation", value) {
                        match name.parse() {
                            Ok(validation) => self.config.field_validation = Some(validation),
                            Err(_) => {
                                self.wrong("field-validation", "`strict`, `warn` or `ignore`", value);
                                let known = FieldValidation::ALL.map(|(name, _)| name);
                                if let Some(meant) = nearest(name, known) {
                                    self.offer(value, format!("\"{meant}\""));
                                }
                            }
                        }
                    }
                }
                "schema-locations" => self.schema_locations(value),
                "crds" => self.config.crds = self.texts("crds", value),
                "policies" => self.config.policies = self.texts("policies", value),
                "old" => self.config.old = self.texts("old", value),
                "skip" => self.config.skip = self.texts("skip", value),
                "max-findings" => {
                    let number = value.get_ref().as_integer();
                    let number =
                        number.and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok());
                    match number {
                        Some(number) => self.config.max_findings = Some(number),
                        None => self.wrong("max-findings", "an integer; 0 shows all", value),
                    }
                }
                "ignore-missing-schemas" => {
                    if let Some(ignore) = self.boolean("ignore-missing-schemas", value) {
                        self.config.ignore_missing_schemas = ignore;
                    }
                }
                "ignore" => self.ignores(value),
                "severity" => self.severities(value),
                _ => self.unknown(key, KEYS, "a setting"),
            }
        }
    }

    fn ignores(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(list) = value.get_ref().as_array() else {
            return self.wrong("ignore", "a list of tables, each begun by `[[ignore]]`", value);
        };
        for item in list.iter() {
            match item.get_ref().as_table() {
                Some(table) => self.ignore(table, item.span()),
                None => self.wrong("ignore", "a list of tables, each begun by `[[ignore]]`", item),
            }
        }
    }

    fn ignore(&mut self, table: &DeTable<'_>, place: Range<usize>) {
        let mut codes = None;
        let mut paths = None;
        let mut reason = None;
        let mut sound = true;
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "codes" => {
                    codes = self.strings("codes", value);
                    sound &= codes.is_some();
                }
                "paths" => {
                    paths = self.strings("paths", value);
                    sound &= paths.is_some();
                }
                "reason" => {
                    reason = self.string("reason", value);
                    sound &= reason.is_some();
                }
                _ => self.unknown(key, IGNORE_KEYS, "a setting of `[[ignore]]`"),
            }
        }
        let span = self.span(place);
        let missing = match (&codes, reason) {
            _ if !sound => return,
            (None, _) => "codes",
            (_, None) => "reason",
            (_, Some(reason)) if reason.trim().is_empty() => "reason",
            (Some(codes), Some(_)) => {
                let codes: Vec<Named> =
                    codes.iter().filter_map(|(code, place)| self.code(code, place.clone())).collect();
                let paths = match paths {
                    Some(paths) => match self.globs(&paths) {
                        Some(globs) => Some(globs),
                        None => return,
                    },
                    None => None,
                };
                if !codes.is_empty() {
                    self.config.ignores.push(Ignore { span, paths, codes });
                }
                return;
            }
        };
        self.findings.push(
            Diagnostic::new(&INVALID_CONFIGURATION, span, format!("this `[[ignore]]` has no `{missing}`"))
                .help(
                    "an entry has the form: [[ignore]] codes = [\"TL0203\"], paths = [\"legacy/**\"], \
                       reason = \"why\"; only `paths` may be left out",
                ),
        );
    }

    fn globs(&mut self, paths: &[(String, Range<usize>)]) -> Option<GlobSet> {
        let mut set = GlobSetBuilder::new();
        for (path, place) in paths {
            // `./vendor/` and `vendor/` are how people write a directory with all that is in it.
            let mut pattern = path.strip_prefix("./").unwrap_or(path).to_owned();
            if pattern.ends_with('/') {
                pattern.push_str("**");
            }
            match GlobBuilder::new(&pattern).literal_separator(true).build() {
                Ok(glob) => {
                    set.add(glob);
                }
                Err(error) => {
                    let span = self.span(place.clone());
                    let message = format!("`{path}` is not a pattern for paths: {}", error.kind());
                    self.findings.push(Diagnostic::new(&INVALID_CONFIGURATION, span, message));
                    return None;
                }
            }
        }
        set.build().ok()
    }

    fn severities(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            return self.wrong("severity", "a table of codes, each with a severity", value);
        };
        for (key, value) in table {
            let code = self.code(key.get_ref(), key.span());
            let severity = match value.get_ref().as_str() {
                Some("error") => Some(Severity::Error),
                Some("warning") => Some(Severity::Warning),
                Some("note") => Some(Severity::Note),
                Some("off") => None,
                typed => {
                    self.wrong(key.get_ref(), "\"error\", \"warning\", \"note\" or \"off\"", value);
                    if let Some(meant) =
                        typed.and_then(|typed| nearest(typed, ["error", "warning", "note", "off"]))
                    {
                        self.offer(value, format!("\"{meant}\""));
                    }
                    continue;
                }
            };
            if let Some(code) = code {
                self.config.severities.push((code, severity));
            }
        }
    }

    fn code(&mut self, name: &str, place: Range<usize>) -> Option<Named> {
        let found = self.catalogue.named(name);
        if found.is_none() {
            let span = self.span(place);
            self.findings.push(unknown_code(name, span, self.catalogue));
        }
        found
    }

    fn boolean(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Option<bool> {
        let found = value.get_ref().as_bool();
        if found.is_none() {
            self.wrong(name, "true or false", value);
            match value.get_ref().as_str() {
                Some("true" | "yes" | "on") => self.offer(value, "true".to_owned()),
                Some("false" | "no" | "off") => self.offer(value, "false".to_owned()),
                _ => {}
            }
        }
        found
    }

    fn string<'v>(&mut self, name: &str, value: &'v Spanned<DeValue<'_>>) -> Option<&'v str> {
        let found = value.get_ref().as_str();
        if found.is_none() {
            self.wrong(name, "a string in quotes", value);
            if let DeValue::Integer(_) | DeValue::Float(_) = value.get_ref() {
                let typed = self.text.get(value.span()).unwrap_or_default();
                self.offer(value, format!("\"{typed}\""));
            }
        }
        found
    }

    fn strings(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<(String, Range<usize>)>> {
        let found: Option<Vec<_>> = value.get_ref().as_array().and_then(|list| {
            list.iter().map(|item| Some((item.get_ref().as_str()?.to_owned(), item.span()))).collect()
        });
        if found.is_none() {
            self.wrong(name, "a list of texts in quotes", value);
            if value.get_ref().as_str().is_some() {
                let typed = self.text.get(value.span()).unwrap_or_default();
                self.offer(value, format!("[{typed}]"));
            }
        }
        found
    }

    fn texts(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Vec<(String, Span)> {
        let texts = self.strings(name, value).unwrap_or_default().into_iter();
        texts.map(|(text, place)| (text, self.span(place))).collect()
    }

    /// Locations that cannot be used are left out, so that the others still count.
    fn schema_locations(&mut self, value: &Spanned<DeValue<'_>>) {
        for (typed, place) in self.texts("schema-locations", value) {
            match Location::new(&typed) {
                Ok(_) => self.config.schema_locations.push((typed, place)),
                Err(error) => {
                    let message = format!("`{typed}` is not a location of schemas: {}", error.short());
                    let finding = Diagnostic::new(&INVALID_CONFIGURATION, place, message);
                    self.findings.push(finding.help(Location::HELP));
                }
            }
        }
    }

    fn wrong(&mut self, name: &str, expected: &str, value: &Spanned<DeValue<'_>>) {
        let span = self.span(value.span());
        let found = match value.get_ref() {
            DeValue::String(text) => format!("this is the text \"{text}\""),
            DeValue::Integer(_) | DeValue::Float(_) => "this is a number".to_owned(),
            DeValue::Boolean(_) => "this is true or false".to_owned(),
            DeValue::Datetime(_) => "this is a date".to_owned(),
            DeValue::Array(_) => "this is a list".to_owned(),
            DeValue::Table(_) => "this is a table".to_owned(),
        };
        let message = format!("`{name}` must be {expected}");
        self.findings.push(Diagnostic::new(&INVALID_CONFIGURATION, span, message).label(found));
    }

    /// Offers to write something else for the value that was found wrong last.
    fn offer(&mut self, value: &Spanned<DeValue<'_>>, replacement: String) {
        let span = self.span(value.span());
        if let Some(finding) = self.findings.pop() {
            let description = format!("write `{replacement}`");
            self.findings.push(finding.fix(description, vec![Edit { span, replacement }]));
        }
    }

    fn unknown(&mut self, key: &Key<'_>, known: &[&str], what: &str) {
        let span = self.span(key.span());
        let name = key.get_ref();
        let mut finding =
            Diagnostic::new(&UNKNOWN_CONFIGURATION_KEY, span, format!("`{name}` is not {what}"));
        if let Some(meant) = nearest(name, known.iter().copied()) {
            finding = finding
                .help(format!("did you mean `{meant}`?"))
                .fix(format!("write `{meant}`"), vec![Edit { span, replacement: meant.to_owned() }]);
        }
        self.findings.push(finding.help(format!("the settings here are {}", known.join(", "))));
    }

    fn span(&self, range: Range<usize>) -> Span {
        self.source.span(range.start, range.end)
    }
}

/// The finding for a code or a rule that is not in the catalogue. Digits that are near say nothing: the next code is another one.
pub(crate) fn unknown_code(name: &str, span: Span, catalogue: &Catalogue) -> Diagnostic {
    let what = if name.contains('/') { "rule" } else { "code" };
    let finding = Diagnostic::new(&UNKNOWN_CODE, span, format!("there is no {what} `{name}`"));
    let finding = match catalogue.nearest(name) {
        Some(meant) => finding.help(format!("did you mean `{meant}`?")),
        None => finding,
    };
    finding.help("`trueline explain` lists all codes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_configuration_is_refused_and_few_errors_are_kept() {
        assert_eq!(findings(&"=\n".repeat(LARGEST)).len(), 1);
        assert!(findings(&"=\n".repeat(5_000)).len() <= MOST_ERRORS);
    }

    fn findings(text: &str) -> Vec<String> {
        let sources = SourceMap::new();
        let (_, findings) = read("trueline.toml", text, &sources, &crate::catalogue());
        findings
            .iter()
            .map(|finding| {
                let position = sources.position(finding.primary.span);
                format!("{}:{} {} {}", position.line, position.column, finding.code, finding.message)
            })
            .collect()
    }

    #[test]
    fn every_key_is_read() {
        let text = "strict = true\noffline = true\nkube-version = \"1.31\"\nfield-validation = \"warn\"\n\
                    crds = [\"crds\"]\nschema-locations = [\"default\"]\nskip = [\"Secret\"]\nold = [\"live.yaml\"]\n\
                    max-findings = 1_0\nignore-missing-schemas = true\n\n[[ignore]]\npaths = [\"old/**\", \"./vendor/\"]\ncodes = [\"TL0151\"]\n\
                    reason = \"kept for comparison\"\n\n[severity]\nTL0152 = \"warning\"\n";
        let (config, findings) = read("trueline.toml", text, &SourceMap::new(), &crate::catalogue());
        assert!(findings.is_empty(), "{findings:?}");
        assert!(config.strict && config.offline);
        assert_eq!(config.kube_version.map(|(version, _)| version), "1.31".parse().ok());
        assert_eq!(config.field_validation, Some(FieldValidation::Warn));
        for (texts, expected) in [
            (config.crds, "crds"),
            (config.schema_locations, "default"),
            (config.skip, "Secret"),
            (config.old, "live.yaml"),
        ] {
            assert_eq!(texts.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>(), [expected]);
        }
        assert_eq!((config.max_findings, config.ignore_missing_schemas), (Some(10), true));
        assert_eq!(config.ignores.len(), 1);
        for path in ["old/a/b.yaml", "vendor/a/b.yaml"] {
            assert!(config.ignores[0].paths.as_ref().unwrap().is_match(path), "{path}");
        }
        assert_eq!(config.severities, [(Named::Code(&UNKNOWN_CONFIGURATION_KEY), Some(Severity::Warning))]);
    }

    #[test]
    fn mistakes_are_reported_at_their_places_and_all_at_once() {
        let text = "stirct = true\nstrict = 1\nfield-validation = \"maybe\"\ncrds = \"x\"\n\
                    [[ignore]]\ncodes = [\"TL9999\"]\nreason = \"r\"\n[[ignore]]\nreason = \"r\"\n\
                    [[ignore]]\ncodes = [\"TL0151\"]\nreason = \" \"\n[severity]\nTL0151 = \"loud\"\n";
        let first = "max-findings = -1\nkube-version = 1.31\nold = [1]\nmaxfindings = 5\n";
        assert_eq!(
            findings(first),
            [
                "1:16 TL0151 `max-findings` must be an integer; 0 shows all",
                "2:16 TL0151 `kube-version` must be a string in quotes",
                "3:7 TL0151 `old` must be a list of texts in quotes",
                "4:1 TL0152 `maxfindings` is not a setting",
            ]
        );
        assert_eq!(
            findings(text),
            [
                "1:1 TL0152 `stirct` is not a setting",
                "2:10 TL0151 `strict` must be true or false",
                "3:20 TL0151 `field-validation` must be `strict`, `warn` or `ignore`",
                "4:8 TL0151 `crds` must be a list of texts in quotes",
                "6:10 TL0154 there is no code `TL9999`",
                "8:1 TL0151 this `[[ignore]]` has no `codes`",
                "10:1 TL0151 this `[[ignore]]` has no `reason`",
                "14:10 TL0151 `TL0151` must be \"error\", \"warning\", \"note\" or \"off\"",
            ]
        );
    }

    #[test]
    fn what_was_meant_is_offered() {
        for (text, expected) in [
            ("strict = \"yes\"\n", "true"),
            ("kube-version = 1.31\n", "\"1.31\""),
            ("field-validation = \"stict\"\n", "\"strict\""),
            ("skip = 'Secret'\n", "['Secret']"),
            ("schema-location = []\n", "schema-locations"),
        ] {
            let sources = SourceMap::new();
            let (_, findings) = read("trueline.toml", text, &sources, &crate::catalogue());
            let fixes = findings.iter().filter_map(|finding| finding.fix.as_ref()).flat_map(|fix| &fix.edits);
            let offered: Vec<&str> = fixes.map(|edit| edit.replacement.as_str()).collect();
            assert_eq!(offered, [expected], "{text}");
        }
        let (_, findings) = read(
            "trueline.toml",
            "[severity]\nunknown-feld = \"note\"\n",
            &SourceMap::new(),
            &crate::catalogue(),
        );
        assert!(findings[0].help.as_ref().unwrap().contains("did you mean `unknown-field`?"), "{findings:?}");
    }

    #[test]
    fn broken_toml_still_gives_its_good_parts() {
        let (config, findings) =
            read("trueline.toml", "strict = true\noffline = \n", &SourceMap::new(), &crate::catalogue());
        assert!(config.strict);
        assert_eq!(findings[0].code, &INVALID_CONFIGURATION);
    }

    #[test]
    fn a_bad_pattern_is_refused() {
        let text = "[[ignore]]\npaths = [\"a[\"]\ncodes = [\"TL0151\"]\nreason = \"r\"\n";
        assert_eq!(findings(text).len(), 1);
    }
}

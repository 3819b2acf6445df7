//! index.yaml: the charts of a repository, read as Helm reads them. An entry that breaks a rule of Chart.yaml costs
//! that entry only, and is said; one of the wrong type (a string in place of a map) costs the index.

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_gotemplate::fmt::quote;
use trueline_source::{SourceId, Span};
use trueline_sprig::semver::Version;
use trueline_yaml::{Document, Limits, NodeRef, Value, json, yaml_to_json_strict};

use crate::chart::decode::{Decoder, Record, Target, Unknown, sorted};
use crate::chart::metadata::{Draft, Time};
use crate::chart::{Metadata, validate};
use crate::go_yaml;
use crate::log::{Level, LogLine};
use crate::refusal::{Refusal, RefusalKind};

/// The charts of a repository.
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// The versions of each chart, the newest first.
    pub entries: BTreeMap<String, Vec<ChartVersion>>,
}

/// One version of a chart in a repository.
#[derive(Debug, Clone, Default)]
pub struct ChartVersion {
    /// What its Chart.yaml says.
    pub metadata: Metadata,
    /// Where the archive is; relative ones are below the repository.
    pub urls: Vec<String>,
    /// When the entry was made, as it is written; empty where it is not said.
    pub created: String,
    /// The SHA-256 sum of the archive in hexadecimal digits, optionally with `sha256:` before it.
    pub digest: String,
    /// Whether the version was withdrawn.
    pub removed: bool,
    /// Fields that only old tools read, in the order in which they are written.
    pub(super) old: [(&'static str, String); 4],
}

/// Reads an index; the error is in Helm's words. `place` is where it comes from, for the log.
pub fn read(bytes: &[u8], place: &str, log: &mut Vec<LogLine>) -> Result<Index, Refusal> {
    if bytes.is_empty() {
        return Err(RefusalKind::Syntax.of("empty index.yaml file"));
    }
    let mut draft = decode(bytes).map_err(|text| RefusalKind::Syntax.of(text))?;
    let mut index = Index::default();
    for (name, drafts) in std::mem::take(&mut draft.entries.0) {
        let mut versions = Vec::with_capacity(drafts.len());
        // Helm looks at the last one first, which shows in the log.
        for draft in drafts.into_iter().rev() {
            match draft.map(VersionDraft::finish) {
                None => log.push(skipped_empty(&name, place)),
                Some(Ok(version)) => versions.push(version),
                Some(Err((version, wrong))) => log.push(skipped(&name, &version, place, &wrong)),
            }
        }
        versions.reverse();
        index.entries.insert(name, versions);
    }
    index.sort();
    if draft.api_version.is_empty() {
        return Err(RefusalKind::Syntax.of("no API version specified"));
    }
    Ok(index)
}

impl Index {
    /// Puts the newest version of each chart first. Versions that are the same stay as they are.
    pub fn sort(&mut self) {
        for versions in self.entries.values_mut() {
            versions
                .sort_by_cached_key(|entry| std::cmp::Reverse(Version::parse(&entry.metadata.version).ok()));
        }
    }
}

fn decode(bytes: &[u8]) -> Result<IndexDraft, String> {
    let source = SourceId::from_index(0);
    let text: Arc<str> = String::from_utf8_lossy(bytes).into();
    let looks_like_json = text.trim_start().starts_with('{');
    if let Some(document) =
        looks_like_json.then(|| json::read(source, &text, Limits::default()).ok()).flatten()
    {
        return fill(&document, Unknown::Ignored).map_err(|text| {
            let plain = text.strip_prefix("error unmarshaling JSON: while decoding JSON: ");
            plain.unwrap_or(&text).to_owned()
        });
    }
    let broken = go_yaml::broken(bytes);
    let converting = |words: String| format!("error converting YAML to JSON: {words}");
    let document = go_yaml::first(source, &text, broken).map_err(|error| converting(error.go_text))?;
    let Some(document) = document.filter(|document| !document.root().is_null()) else {
        return Ok(IndexDraft::default());
    };
    if !document.duplicates().is_empty() {
        yaml_to_json_strict(&text).map_err(|error| converting(error.into()))?;
    }
    fill(&document, Unknown::Refused)
}

fn fill(document: &Document, unknown: Unknown) -> Result<IndexDraft, String> {
    let mut draft = IndexDraft::default();
    Decoder::run_with(&mut draft, document.root(), "repo", unknown)
        .into_result()
        .map_err(|(text, _)| text)?;
    Ok(draft)
}

fn skipped_empty(name: &str, place: &str) -> LogLine {
    LogLine::new(Level::Warn, "skipping loading invalid entry for chart: empty entry")
        .with("name", name)
        .with("source", place)
        .in_helm3(
            "index.go:359",
            format!("skipping loading invalid entry for chart {} from {place}: empty entry", quote(name)),
        )
}

fn skipped(name: &str, version: &str, place: &str, wrong: &str) -> LogLine {
    let words = "skipping loading invalid entry for chart";
    LogLine::new(Level::Warn, words)
        .with("name", name)
        .with("version", version)
        .with("source", place)
        .with("error", wrong)
        .in_helm3("index.go:371", format!("{words} {} {} from {place}: {wrong}", quote(name), quote(version)))
}

/// An index as it is decoded.
#[derive(Debug, Default)]
struct IndexDraft {
    api_version: String,
    generated: Time,
    entries: Entries,
    public_keys: Vec<String>,
    annotations: BTreeMap<String, String>,
    server_info: Option<Value>,
}

impl Record for IndexDraft {
    const NAME: &'static str = "IndexFile";
    const FIELDS: &'static [&'static str] =
        &["serverInfo", "apiVersion", "generated", "entries", "publicKeys", "annotations"];

    fn field(&mut self, name: &str) -> Option<&mut dyn Target> {
        Some(match name {
            "apiVersion" => &mut self.api_version,
            "generated" => &mut self.generated,
            "entries" => &mut self.entries,
            "publicKeys" => &mut self.public_keys,
            "annotations" => &mut self.annotations,
            "serverInfo" => &mut self.server_info,
            _ => return None,
        })
    }
}

/// The versions of all charts as they are decoded.
#[derive(Debug, Default)]
struct Entries(BTreeMap<String, Vec<Option<VersionDraft>>>);

impl Target for Entries {
    fn set(&mut self, node: NodeRef<'_>, decoder: &mut Decoder) {
        if node.is_null() {
            self.0.clear();
            return;
        }
        let Some(entries) = node.entries() else {
            return decoder.mismatch(node, self.go_type("repo"));
        };
        for (name, node) in sorted(entries) {
            let mut versions = Vec::new();
            versions.set(node, decoder);
            self.0.insert(name.into_owned(), versions);
        }
    }

    fn go_type(&self, package: &str) -> String {
        format!("map[string]{package}.ChartVersions")
    }

    fn fresh() -> Self {
        Entries::default()
    }
}

/// One version of a chart as it is decoded.
#[derive(Debug, Default)]
struct VersionDraft {
    draft: Draft,
    urls: Vec<String>,
    created: Time,
    removed: bool,
    digest: String,
    checksum: String,
    engine: String,
    tiller_version: String,
    url: String,
}

impl VersionDraft {
    /// The entry, or its version and what is wrong with it.
    fn finish(mut self) -> Result<ChartVersion, (String, String)> {
        if self.draft.metadata.api_version.is_empty() {
            self.draft.metadata.api_version = "v1".to_owned();
        }
        let nowhere = Span::whole(SourceId::from_index(0));
        if let Err(failure) = validate::check(&mut self.draft, nowhere)
            // Some servers leave the alias of a dependency out, and then two of them seem to be the same.
            && !failure.text().starts_with("validation: more than one dependency with name or alias")
        {
            return Err((self.draft.metadata.version, failure.text().to_owned()));
        }
        Ok(ChartVersion {
            metadata: self.draft.finish(),
            urls: self.urls,
            created: self.created.0,
            digest: self.digest,
            removed: self.removed,
            old: [
                ("checksum", self.checksum),
                ("engine", self.engine),
                ("tillerVersion", self.tiller_version),
                ("url", self.url),
            ],
        })
    }
}

impl Record for VersionDraft {
    const NAME: &'static str = "ChartVersion";
    const FIELDS: &'static [&'static str] = &[
        "name",
        "home",
        "sources",
        "version",
        "description",
        "keywords",
        "maintainers",
        "icon",
        "apiVersion",
        "condition",
        "tags",
        "appVersion",
        "deprecated",
        "annotations",
        "kubeVersion",
        "dependencies",
        "type",
        "urls",
        "created",
        "removed",
        "digest",
        "checksum",
        "engine",
        "tillerVersion",
        "url",
    ];

    fn field(&mut self, name: &str) -> Option<&mut dyn Target> {
        Some(match name {
            "urls" => &mut self.urls,
            "created" => &mut self.created,
            "removed" => &mut self.removed,
            "digest" => &mut self.digest,
            "checksum" => &mut self.checksum,
            "engine" => &mut self.engine,
            "tillerVersion" => &mut self.tiller_version,
            "url" => &mut self.url,
            name => return self.draft.field(name),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Compat;

    const INDEX: &str = "\
apiVersion: v1
entries:
  web:
  - {name: web, version: 1.9.0, urls: [web-1.9.0.tgz]}
  - {name: web, version: 1.10.0, urls: [web-1.10.0.tgz], deprecated: true}
  - {name: web, version: not a version, urls: [x]}
  -
  - {name: web, version: 1.10.0-rc.1, urls: [web-1.10.0-rc.1.tgz]}
  old: []
";

    fn versions(index: &Index, name: &str) -> Vec<String> {
        index.entries[name].iter().map(|entry| entry.metadata.version.clone()).collect()
    }

    #[test]
    fn versions_are_sorted_and_what_is_wrong_is_skipped() {
        let mut log = Vec::new();
        let index = read(INDEX.as_bytes(), "place", &mut log).unwrap();
        assert_eq!(versions(&index, "web"), ["1.10.0", "1.10.0-rc.1", "1.9.0"]);
        assert!(index.entries["web"][0].metadata.deprecated && index.entries["old"].is_empty());
        let lines: Vec<String> = log.iter().filter_map(|line| line.render(Compat::Helm4)).collect();
        assert_eq!(
            lines,
            [
                "level=WARN msg=\"skipping loading invalid entry for chart: empty entry\" name=web source=place",
                "level=WARN msg=\"skipping loading invalid entry for chart\" name=web version=\"not a version\" \
                 source=place error=\"validation: chart.metadata.version \\\"not a version\\\" is invalid\"",
            ]
        );
        assert_eq!(
            log[0].render(Compat::Helm3).as_deref(),
            Some("index.go:359: skipping loading invalid entry for chart \"web\" from place: empty entry")
        );
    }

    #[test]
    fn an_index_that_cannot_be_read_is_refused_in_helm_s_words() {
        for (text, error) in [
            ("", "empty index.yaml file"),
            ("entries: {}", "no API version specified"),
            ("null", "no API version specified"),
            (
                "<html>\n<p>Log in</p>",
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type \
                 repo.IndexFile",
            ),
            ("a: [", "error converting YAML to JSON: yaml: line 1: did not find expected node content"),
            (
                "apiVersion: v1\nname: x\n",
                "error unmarshaling JSON: while decoding JSON: json: unknown field \"name\"",
            ),
            (
                "apiVersion: v1\nentries: {a: [{name: a, version: 1.0.0, surprise: 1}]}\n",
                "error unmarshaling JSON: while decoding JSON: json: unknown field \"surprise\"",
            ),
            (
                "apiVersion: v1\nentries: []\n",
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go struct field \
                 IndexFile.entries of type map[string]repo.ChartVersions",
            ),
            (
                "apiVersion: v1\napiVersion: v2\n",
                "error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key \"apiVersion\" already set in \
                 map",
            ),
        ] {
            let refused = read(text.as_bytes(), "", &mut Vec::new()).err().map(String::from);
            assert_eq!(refused.as_deref(), Some(error), "{text}");
        }
    }

    #[test]
    fn json_may_have_more_fields() {
        let text = "{\"apiVersion\": \"v1\", \"more\": 1,\n\t\"entries\": {\"a\": [{\"name\": \"a\", \"version\": \
                    \"1.0.0\", \"surprise\": 1}]}}";
        let index = read(text.as_bytes(), "", &mut Vec::new()).unwrap();
        assert_eq!(versions(&index, "a"), ["1.0.0"]);
    }

    #[test]
    fn a_lost_alias_costs_nothing() {
        let text = "apiVersion: v1\nentries: {a: [{name: a, version: 1.0.0, dependencies: [{name: d, version: 1.0.0}, \
                    {name: d, version: 1.0.0}]}]}";
        assert_eq!(versions(&read(text.as_bytes(), "", &mut Vec::new()).unwrap(), "a"), ["1.0.0"]);
    }
}

//! index.yaml as Helm writes it.

use trueline_gostd::time::{rfc3339_again, rfc3339_zero};
use trueline_yaml::json::{KeyOrder, Layout, WriteOptions};
use trueline_yaml::{Data, Dialect, Value, json};

use super::address;
use super::{ChartVersion, Index};
use crate::chart::Metadata;

/// How an index is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As YAML.
    Yaml,
    /// As JSON.
    Json,
}

impl Index {
    /// Adds an archive. `base` is where the archives are, `file` its name there, and `now` the time.
    pub fn add(&mut self, metadata: Metadata, file: &str, base: &str, digest: String, now: &str) {
        let url = match base {
            "" => file.to_owned(),
            base => address::below(base, file),
        };
        let entry = ChartVersion {
            metadata,
            urls: vec![url],
            created: now.to_owned(),
            digest,
            ..ChartVersion::default()
        };
        self.entries.entry(entry.metadata.name.clone()).or_default().push(entry);
    }

    /// Adds what another index has and this one has not.
    pub fn merge(&mut self, other: Index) {
        for entry in other.entries.into_values().flatten() {
            let (name, version) = (&entry.metadata.name, &entry.metadata.version);
            if self.get(name, version, &mut Vec::new()).is_err() {
                self.entries.entry(name.clone()).or_default().push(entry);
            }
        }
    }

    /// The text of index.yaml, made at the time `now`.
    pub fn to_text(&self, form: Form, now: &str) -> String {
        let entries = self.entries.iter().map(|(name, versions)| {
            let versions = versions.iter().map(ChartVersion::to_value).collect::<Value>();
            (name.as_str(), versions)
        });
        let index: Value = [
            ("apiVersion", Value::from("v1")),
            ("generated", Value::from(now)),
            ("entries", entries.collect()),
        ]
        .into_iter()
        .collect();
        match form {
            Form::Yaml => trueline_yaml::write(&index, Dialect::Sigs),
            Form::Json => {
                let options = WriteOptions {
                    layout: Layout::Indented,
                    order: KeyOrder::Given,
                    ..WriteOptions::default()
                };
                json::write(&index, options).unwrap_or_default()
            }
        }
    }
}

impl ChartVersion {
    fn to_value(&self) -> Value {
        let Data::Map(map) = self.metadata.to_value().data else { return Value::new(Data::Null) };
        let mut fields: Vec<(std::sync::Arc<str>, Value)> =
            map.iter().map(|(name, entry)| (name.clone(), entry.value.clone())).collect();
        let urls = match self.urls.as_slice() {
            [] => Value::new(Data::Null),
            urls => urls.iter().map(|url| Value::from(url.as_str())).collect(),
        };
        fields.push(("urls".into(), urls));
        let created = rfc3339_again(&self.created).unwrap_or_else(|_| rfc3339_zero());
        fields.push(("created".into(), Value::from(created.as_str())));
        if self.removed {
            fields.push(("removed".into(), Value::from(true)));
        }
        let texts = [("digest", &self.digest)];
        let old = self.old.iter().map(|(name, text)| (*name, text));
        for (name, text) in texts.into_iter().chain(old).filter(|(_, text)| !text.is_empty()) {
            fields.push((name.into(), Value::from(text.as_str())));
        }
        fields.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::read_index;

    const NOW: &str = "2024-05-01T12:00:00Z";

    fn metadata(name: &str, version: &str) -> Metadata {
        Metadata {
            name: name.to_owned(),
            version: version.to_owned(),
            api_version: "v2".to_owned(),
            ..Metadata::default()
        }
    }

    #[test]
    fn an_index_is_written_in_both_forms() {
        let mut index = Index::default();
        index.add(metadata("web", "1.0.0"), "web-1.0.0.tgz", "", "aa".to_owned(), NOW);
        index.add(metadata("web", "1.1.0"), "web-1.1.0.tgz", "https://x.example/c/", "bb".to_owned(), NOW);
        index.sort();
        assert_eq!(
            index.to_text(Form::Yaml, NOW),
            "apiVersion: v1\nentries:\n  web:\n  - apiVersion: v2\n    created: \"2024-05-01T12:00:00Z\"\n    digest: \
             bb\n    name: web\n    urls:\n    - https://x.example/c/web-1.1.0.tgz\n    version: 1.1.0\n  - apiVersion: \
             v2\n    created: \"2024-05-01T12:00:00Z\"\n    digest: aa\n    name: web\n    urls:\n    - \
             web-1.0.0.tgz\n    version: 1.0.0\ngenerated: \"2024-05-01T12:00:00Z\"\n"
        );
        let json = index.to_text(Form::Json, NOW);
        assert!(json.starts_with("{\n  \"apiVersion\": \"v1\",\n  \"generated\": \"2024-"), "{json}");
        let again = read_index(json.as_bytes(), "", &mut Vec::new()).unwrap();
        assert_eq!(again.to_text(Form::Json, NOW), json);
    }

    #[test]
    fn merging_keeps_what_is_there() {
        let mut index = Index::default();
        index.add(metadata("web", "1.0.0"), "new.tgz", "", "aa".to_owned(), NOW);
        let text = "apiVersion: v1\nentries: {web: [{name: web, version: 1.0.0, urls: [old]}, {name: web, version: 0.9.0, \
                    tillerVersion: '>2', removed: true}]}";
        index.merge(read_index(text.as_bytes(), "", &mut Vec::new()).unwrap());
        index.sort();
        let written = index.to_text(Form::Yaml, NOW);
        assert!(written.contains("- new.tgz") && !written.contains("- old"), "{written}");
        assert!(written.contains("removed: true") && written.contains("tillerVersion: '>2'"), "{written}");
        assert!(written.contains("created: \"0001-01-01T00:00:00Z\"") && written.contains("urls: null"));
    }
}

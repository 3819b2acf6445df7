//! repositories.yaml: the repositories that a person has added, with what is needed to reach them.

use std::fmt;
use std::sync::Arc;

use trueline_gostd::time::{rfc3339_again, rfc3339_zero};
use trueline_source::SourceId;
use trueline_yaml::{Dialect, Value};

use crate::chart::decode::{Decoder, Record, Target};
use crate::chart::metadata::Time;
use crate::go_yaml;
use crate::refusal::{Refusal, RefusalKind};

/// The repositories that were added.
#[derive(Debug, Clone, Default)]
pub struct Repositories {
    api_version: String,
    generated: String,
    /// In the order in which they were added.
    pub entries: Vec<Repository>,
}

/// A repository with what is needed to reach it.
#[derive(Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the file")]
pub struct Repository {
    pub name: String,
    pub url: String,
    pub username: String,
    pub password: String,
    pub cert_file: String,
    pub key_file: String,
    pub ca_file: String,
    pub insecure_skip_tls_verify: bool,
    pub pass_credentials_all: bool,
}

impl fmt::Debug for Repository {
    /// Without the password, and without the address, which may hold one.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Repository").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Repositories {
    /// Reads the file; the error is Go's text.
    pub fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let text: Arc<str> = String::from_utf8_lossy(bytes).into();
        let document =
            go_yaml::first(SourceId::from_index(0), &text, go_yaml::broken(bytes)).map_err(|error| {
                RefusalKind::Syntax.of(format!("error converting YAML to JSON: {}", error.go_text))
            })?;
        let mut draft = FileDraft::default();
        if let Some(document) = document {
            let decoded = Decoder::run(&mut draft, document.root(), "repo").into_result();
            decoded.map_err(|(text, _)| RefusalKind::Syntax.of(text))?;
        }
        Ok(Repositories {
            api_version: draft.api_version,
            generated: draft.generated.0,
            entries: draft.repositories.into_iter().flatten().collect(),
        })
    }

    /// The repository of a name.
    pub fn get(&self, name: &str) -> Option<&Repository> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Adds a repository, in place of one of the same name.
    pub fn update(&mut self, repository: Repository) {
        match self.entries.iter_mut().find(|entry| entry.name == repository.name) {
            Some(entry) => *entry = repository,
            None => self.entries.push(repository),
        }
    }

    /// Takes a repository out; whether it was there.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.name != name);
        self.entries.len() < before
    }

    /// The text of the file.
    pub fn to_yaml(&self) -> String {
        let generated = rfc3339_again(&self.generated).unwrap_or_else(|_| rfc3339_zero());
        let file: Value = [
            ("apiVersion", Value::from(self.api_version.as_str())),
            ("generated", Value::from(generated.as_str())),
            ("repositories", self.entries.iter().map(Repository::to_value).collect()),
        ]
        .into_iter()
        .collect();
        trueline_yaml::write(&file, Dialect::Sigs)
    }
}

impl Repository {
    fn to_value(&self) -> Value {
        [
            ("name", Value::from(self.name.as_str())),
            ("url", Value::from(self.url.as_str())),
            ("username", Value::from(self.username.as_str())),
            ("password", Value::from(self.password.as_str())),
            ("certFile", Value::from(self.cert_file.as_str())),
            ("keyFile", Value::from(self.key_file.as_str())),
            ("caFile", Value::from(self.ca_file.as_str())),
            ("insecure_skip_tls_verify", Value::from(self.insecure_skip_tls_verify)),
            ("pass_credentials_all", Value::from(self.pass_credentials_all)),
        ]
        .into_iter()
        .collect()
    }
}

#[derive(Debug, Default)]
struct FileDraft {
    api_version: String,
    generated: Time,
    repositories: Vec<Option<Repository>>,
}

impl Record for FileDraft {
    const NAME: &'static str = "File";
    const FIELDS: &'static [&'static str] = &["apiVersion", "generated", "repositories"];

    fn field(&mut self, name: &str) -> Option<&mut dyn Target> {
        Some(match name {
            "apiVersion" => &mut self.api_version,
            "generated" => &mut self.generated,
            "repositories" => &mut self.repositories,
            _ => return None,
        })
    }
}

impl Record for Repository {
    const NAME: &'static str = "Entry";
    const FIELDS: &'static [&'static str] = &[
        "name",
        "url",
        "username",
        "password",
        "certFile",
        "keyFile",
        "caFile",
        "insecure_skip_tls_verify",
        "pass_credentials_all",
    ];

    fn field(&mut self, name: &str) -> Option<&mut dyn Target> {
        Some(match name {
            "name" => &mut self.name,
            "url" => &mut self.url,
            "username" => &mut self.username,
            "password" => &mut self.password,
            "certFile" => &mut self.cert_file,
            "keyFile" => &mut self.key_file,
            "caFile" => &mut self.ca_file,
            "insecure_skip_tls_verify" => &mut self.insecure_skip_tls_verify,
            "pass_credentials_all" => &mut self.pass_credentials_all,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_written_as_helm_writes_it() {
        let mut file = Repositories::read(b"").unwrap();
        file.update(Repository { name: "a".into(), url: "https://a.example".into(), ..Default::default() });
        file.update(Repository { name: "b".into(), url: "https://b.example".into(), ..Default::default() });
        file.update(Repository {
            name: "a".into(),
            url: "https://a.example".into(),
            username: "me".into(),
            password: "pw".into(),
            ..Default::default()
        });
        let text = file.to_yaml();
        assert_eq!(
            text,
            "apiVersion: \"\"\ngenerated: \"0001-01-01T00:00:00Z\"\nrepositories:\n- caFile: \"\"\n  certFile: \"\"\n  \
             insecure_skip_tls_verify: false\n  keyFile: \"\"\n  name: a\n  pass_credentials_all: false\n  password: \
             pw\n  url: https://a.example\n  username: me\n- caFile: \"\"\n  certFile: \"\"\n  \
             insecure_skip_tls_verify: false\n  keyFile: \"\"\n  name: b\n  pass_credentials_all: false\n  password: \
             \"\"\n  url: https://b.example\n  username: \"\"\n"
        );
        let mut again = Repositories::read(text.as_bytes()).unwrap();
        assert_eq!(again.entries, file.entries);
        assert!(again.remove("a") && !again.remove("a") && again.get("b").is_some());
        assert!(!format!("{file:?}").contains("pw"));
    }

    #[test]
    fn a_broken_file_is_refused_in_go_s_words() {
        let error = Repositories::read(b"repositories: {}").err().map(String::from);
        assert_eq!(
            error.as_deref(),
            Some(
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal object into Go struct field \
                 File.repositories of type []*repo.Entry"
            )
        );
    }
}

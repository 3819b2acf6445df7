//! Chart.yaml, requirements.yaml and the lock files as they are decoded, before they are checked.

use trueline_gostd::time::rfc3339_again;
use trueline_source::Span;
use trueline_yaml::{NodeRef, Value};

use super::decode::{Decoder, Record, Target};
use super::values::{Shift, json_value};
use super::{Dependency, Lock, Maintainer, Metadata};

/// Metadata that may still have empty entries.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) metadata: Metadata,
    pub(crate) maintainers: Vec<Option<Maintainer>>,
    pub(crate) dependencies: Vec<Option<Dependency>>,
}

impl Draft {
    /// The metadata without empty entries.
    pub(crate) fn finish(self) -> Metadata {
        Metadata {
            maintainers: self.maintainers.into_iter().flatten().collect(),
            dependencies: self.dependencies.into_iter().flatten().collect(),
            ..self.metadata
        }
    }
}

impl Record for Draft {
    const NAME: &'static str = "Metadata";
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
    ];

    fn field(&mut self, name: &str) -> Option<&mut dyn Target> {
        let metadata = &mut self.metadata;
        Some(match name {
            "name" => &mut metadata.name,
            "home" => &mut metadata.home,
            "sources" => &mut metadata.sources,
            "version" => &mut metadata.version,
            "description" => &mut metadata.description,
            "keywords" => &mut metadata.keywords,
            "maintainers" => &mut self.maintainers,
            "icon" => &mut metadata.icon,
            "apiVersion" => &mut metadata.api_version,
            "condition" => &mut metadata.condition,
            "tags" => &mut metadata.tags,
            "appVersion" => &mut metadata.app_version,
            "deprecated" => &mut metadata.deprecated,
            "annotations" => &mut metadata.annotations,
            "kubeVersion" => &mut metadata.kube_version,
            "dependencies" => &mut self.dependencies,
            "type" => &mut metadata.kind,
            _ => return None,
        })
    }

    fn placed(&mut self, node: NodeRef<'_>) {
        // requirements.yaml is laid over Chart.yaml, and is not what a finding about the chart points to.
        if self.metadata.written.is_none() {
            self.metadata.written = Some(json_value(node, Shift::NONE));
        }
    }
}

impl Record for Maintainer {
    const NAME: &'static str = "Maintainer";
    const FIELDS: &'static [&'static str] = &["name", "email", "url"];

    fn field(&mut self, name: &str) -> Option<&mut dyn Target> {
        Some(match name {
            "name" => &mut self.name,
            "email" => &mut self.email,
            "url" => &mut self.url,
            _ => return None,
        })
    }
}

impl Record for Dependency {
    const NAME: &'static str = "Dependency";
    const FIELDS: &'static [&'static str] =
        &["name", "version", "repository", "condition", "tags", "enabled", "import-values", "alias"];

    fn field(&mut self, name: &str) -> Option<&mut dyn Target> {
        Some(match name {
            "name" => &mut self.name,
            "version" => &mut self.version,
            "repository" => &mut self.repository,
            "condition" => &mut self.condition,
            "tags" => &mut self.tags,
            "enabled" => &mut self.enabled,
            "import-values" => &mut self.import_values,
            "alias" => &mut self.alias,
            _ => return None,
        })
    }

    fn placed(&mut self, node: NodeRef<'_>) {
        self.written = Some(json_value(node, Shift::NONE));
    }
}

/// A lock file that may still have empty entries.
#[derive(Debug, Default)]
pub(super) struct LockDraft {
    generated: Time,
    digest: String,
    dependencies: Vec<Option<Dependency>>,
}

impl LockDraft {
    /// The lock without empty entries.
    pub(super) fn finish(self) -> Lock {
        Lock {
            generated: self.generated.0,
            digest: self.digest,
            dependencies: self.dependencies.into_iter().flatten().collect(),
        }
    }
}

impl Record for LockDraft {
    const NAME: &'static str = "Lock";
    const FIELDS: &'static [&'static str] = &["generated", "digest", "dependencies"];

    fn field(&mut self, name: &str) -> Option<&mut dyn Target> {
        Some(match name {
            "generated" => &mut self.generated,
            "digest" => &mut self.digest,
            "dependencies" => &mut self.dependencies,
            _ => return None,
        })
    }
}

/// A `time.Time` as it is written; empty where there is none.
#[derive(Debug, Default)]
pub(crate) struct Time(pub(crate) String);

impl Target for Time {
    fn set(&mut self, node: NodeRef<'_>, decoder: &mut Decoder) {
        if node.is_null() {
            return;
        }
        match node.as_str().map(|text| rfc3339_again(text).map(drop)) {
            None => decoder.stop("Time.UnmarshalJSON: input is not a JSON string".to_owned(), node.span()),
            Some(Err(error)) => decoder.stop(error.into(), node.span()),
            Some(Ok(())) => self.0 = node.as_str().unwrap_or_default().to_owned(),
        }
    }

    fn go_type(&self, _package: &str) -> String {
        "time.Time".to_owned()
    }

    fn fresh() -> Self {
        Time::default()
    }
}

/// All that Helm 4 looks at to find out which kind of chart it has.
#[derive(Debug, Default)]
pub(super) struct Base {
    pub(super) api_version: String,
    /// Where the apiVersion is written.
    pub(super) place: Option<Span>,
}

impl Record for Base {
    const NAME: &'static str = "chartBase";
    const FIELDS: &'static [&'static str] = &["apiVersion"];

    fn field(&mut self, _name: &str) -> Option<&mut dyn Target> {
        Some(&mut self.api_version)
    }

    fn placed(&mut self, node: NodeRef<'_>) {
        let written = json_value(node, Shift::NONE);
        self.place = place_of(Some(&written), "apiVersion");
    }
}

/// Where the value of a key is written; keys count in any case, as they do for Helm.
pub(super) fn place_of(written: Option<&Value>, key: &str) -> Option<Span> {
    let trueline_yaml::Data::Map(map) = &written?.data else { return None };
    let entry = map.get(key).or_else(|| {
        map.iter().find(|(name, _)| super::decode::same_in_any_case(name, key)).map(|(_, entry)| entry)
    })?;
    entry.value.origin.or(entry.key_origin)
}

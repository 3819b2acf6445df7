//! A chart as it was loaded: what each file is, and where it came from.

mod archive;
mod assemble;
mod chart_file;
mod codes;
mod context;
mod crds;
pub(crate) mod decode;
mod directory;
mod expand;
mod failure;
mod gzip;
mod ignore;
mod load;
mod marshal;
pub(crate) mod metadata;
mod raw;
mod sniff;
pub(crate) mod validate;
mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_source::{SourceId, Span};
use trueline_yaml::Value;

pub(crate) use assemble::extension;
pub(crate) use chart_file::{ChartFile, read_chart_file};
pub use codes::*;
pub use crds::Crd;
use crds::is_crd;
pub use expand::{Expanded, expand};
pub use failure::LoadFailure;
pub use load::{Beside, Loaded, Request, load, load_again, load_beside, load_plain, load_with_times};
pub(crate) use values::Parts;
pub use values::read_values;

/// One file of a chart.
#[derive(Debug, Clone)]
pub struct File {
    /// Its path inside the chart, with `/` between the parts.
    pub name: Arc<str>,
    /// Its bytes, without a byte order mark. Text shares its memory with the source.
    pub data: Arc<[u8]>,
    /// The source that errors in it point to; files that are only data have none.
    pub source: Option<SourceId>,
    /// When it was changed, in seconds since 1970. Only archives say so, and a loading that asks for it.
    pub modified: Option<i64>,
}

/// A chart with its subcharts. Copies are cheap: files and values are shared.
#[derive(Debug, Clone)]
pub struct Chart {
    /// What Chart.yaml says, with the dependencies of requirements.yaml.
    pub metadata: Metadata,
    /// Chart.yaml as it stands.
    pub chart_file: Option<File>,
    /// Chart.lock or requirements.lock.
    pub lock: Option<Lock>,
    /// Everything below `templates/`, in the order of loading.
    pub templates: Arc<[File]>,
    /// values.yaml, always a map; numbers are floats, as Go has them after JSON.
    pub values: Value,
    /// values.yaml as it stands, if there is one.
    pub values_file: Option<File>,
    /// values.schema.json.
    pub schema: Option<File>,
    /// All other files: what `.Files` shows.
    pub files: Arc<[File]>,
    /// The subcharts: those of `charts/` after loading, the enabled ones after dependencies were processed.
    pub dependencies: Vec<Chart>,
    /// The path that Helm 3 gives the chart's templates, such as `root/charts/name`, where that is not the
    /// place where the chart stands: it loses track of charts below an alias.
    pub path: Option<Arc<str>>,
    /// Whether it is a subchart that lies in `charts/` as an archive.
    pub is_packed: bool,
}

impl Chart {
    /// The path of a subchart whose parent has a path.
    pub fn path_below(&self, parent: &str) -> String {
        self.path.as_deref().map_or_else(|| format!("{parent}/charts/{}", self.metadata.name), str::to_owned)
    }

    /// The chart's name.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }
}

/// What a Chart.yaml holds.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the fields are those of the chart format")]
pub struct Metadata {
    pub name: String,
    pub home: String,
    pub sources: Vec<String>,
    pub version: String,
    pub description: String,
    pub keywords: Vec<String>,
    pub maintainers: Vec<Maintainer>,
    pub icon: String,
    pub api_version: String,
    pub condition: String,
    pub tags: String,
    pub app_version: String,
    pub deprecated: bool,
    pub annotations: BTreeMap<String, String>,
    pub kube_version: String,
    pub dependencies: Vec<Dependency>,
    /// `type`.
    pub kind: String,
    /// Chart.yaml as a value, for the places of its fields; [`Metadata::place`] looks one up.
    pub written: Option<Value>,
}

impl Metadata {
    /// Where a field of Chart.yaml is written, by its name there.
    pub fn place(&self, field: &str) -> Option<Span> {
        metadata::place_of(self.written.as_ref(), field)
    }
}

/// A maintainer of a chart.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the fields are those of the chart format")]
pub struct Maintainer {
    pub name: String,
    pub email: String,
    pub url: String,
}

/// An entry of `dependencies`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the fields are those of the chart format")]
pub struct Dependency {
    pub name: String,
    pub version: String,
    pub repository: String,
    pub condition: String,
    pub tags: Vec<String>,
    pub enabled: bool,
    /// As written: a name, or a map of `child` and `parent`.
    pub import_values: Vec<Value>,
    pub alias: String,
    /// The entry as a value, for the places of its fields; [`Dependency::place`] looks one up.
    pub written: Option<Value>,
}

impl Dependency {
    /// Where a field of the entry is written, by its name there.
    pub fn place(&self, field: &str) -> Option<Span> {
        metadata::place_of(self.written.as_ref(), field)
    }
}

/// A lock file.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the fields are those of the chart format")]
pub struct Lock {
    pub generated: String,
    pub digest: String,
    pub dependencies: Vec<Dependency>,
}

/// Which Helm is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compat {
    /// Helm 4.
    #[default]
    Helm4,
    /// Helm 3.
    Helm3,
}

//! `trueline crd prune` and `trueline crd default`: what a cluster makes of objects.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use trueline_kube::object::{Resource, Root, prune};
use trueline_source::SourceMap;
use trueline_yaml::{Dialect, ReadOptions, Value};

use super::definitions;
use crate::command::{Ended, say};
use crate::disk::{plain, read_bounded};
use crate::world::MAX_READ;

/// Print objects without the fields that their definition does not know
///
/// What a cluster drops before it looks at an object: fields that the schema has not, at any depth. Nothing else
/// changes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline crd prune --crd backups.yaml nightly.yaml
  cat nightly.yaml | trueline crd prune --crd backups.yaml -")]
pub(crate) struct Prune {
    #[command(flatten)]
    objects: Objects,
}

/// Print objects as a cluster would store them
///
/// Fields that the definition does not know are dropped, and so are nulls that it does not allow; defaults are set, the
/// status is dropped where it has its own address, and `metadata.namespace` and `metadata.generation` are filled in.
/// Whether the object is valid is another question: `trueline check` answers it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline crd default --crd backups.yaml nightly.yaml
  trueline crd default --crd crds.yaml objects.yaml -o json")]
pub(crate) struct Default {
    #[command(flatten)]
    objects: Objects,
}

#[derive(Debug, Args)]
struct Objects {
    /// The file that defines the kinds of the objects; may be given several times
    #[arg(long, value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    crd: Vec<PathBuf>,

    /// Files with objects; `-` is standard input
    #[arg(value_name = "OBJECT", required = true, value_hint = ValueHint::FilePath)]
    paths: Vec<PathBuf>,

    /// How objects are printed
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Form::Yaml)]
    output: Form,
}

/// How objects are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// YAML, documents behind `---`
    Yaml,
    /// JSON, one object a line
    Json,
}

impl Prune {
    pub(crate) fn run(self) -> Ended {
        self.objects.print(|resource, value| {
            let version = value.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
            let name = version.rsplit('/').next().unwrap_or_default();
            let version = resource.version(name).ok_or_else(|| not_served(resource, name))?;
            Ok(match resource.preserves_unknown_fields {
                true => value.clone(),
                false => prune(value, version.schema.as_ref(), Root::Resource).value,
            })
        })
    }
}

impl Default {
    pub(crate) fn run(self) -> Ended {
        self.objects.print(|resource, value| {
            let decoded = resource.decode(value, "").map_err(|error| error.text)?;
            Ok(resource.create(&decoded).object)
        })
    }
}

fn not_served(resource: &Resource, name: &str) -> String {
    let served: Vec<&str> = resource.versions.iter().map(|version| &*version.name).collect();
    format!(
        "the definition of `{}` serves no version `{name}`; it serves {}",
        resource.kind,
        served.join(", ")
    )
}

impl Objects {
    fn print(&self, change: impl Fn(&Resource, &Value) -> Result<Value, String>) -> Ended {
        let sources = SourceMap::new();
        let mut resources = Vec::new();
        for path in &self.crd {
            for decoded in definitions(path, &sources)? {
                let resource = Resource::new(&decoded.crd).map_err(|error| {
                    format!("`{}` cannot be used as a definition: {}", path.display(), error.text)
                })?;
                resources.push(resource);
            }
        }
        let mut printed = String::new();
        for path in &self.paths {
            for value in documents(path, &sources)? {
                let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
                let (api_version, kind) = (text("apiVersion"), text("kind"));
                let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
                let found =
                    resources.iter().find(|resource| &*resource.group == group && &*resource.kind == kind);
                let shown = path.display();
                let resource = found.ok_or_else(|| {
                    format!(
                        "`{shown}` holds the kind `{kind}` ({api_version}), which `--crd` does not define"
                    )
                })?;
                let object = change(resource, &value).map_err(|why| format!("`{shown}`: {why}"))?;
                self.add(&object, &mut printed)?;
            }
        }
        say(&printed)
    }

    fn add(&self, object: &Value, printed: &mut String) -> Result<(), String> {
        let wrong = |error: &dyn std::fmt::Display| format!("an object cannot be printed: {error}");
        match self.output {
            Form::Yaml => {
                if !printed.is_empty() {
                    printed.push_str("---\n");
                }
                printed
                    .push_str(&trueline_yaml::marshal(object, Dialect::Sigs).map_err(|error| wrong(&error))?);
            }
            Form::Json => {
                printed.push_str(&object.to_json_text().map_err(|error| wrong(&error))?);
                printed.push('\n');
            }
        }
        Ok(())
    }
}

/// The documents of a file, other than empty ones.
pub(super) fn documents(path: &Path, sources: &SourceMap) -> Result<Vec<Value>, String> {
    let shown = path.display();
    let name = shown.to_string();
    let bytes = if name == "-" {
        read_bounded(io::stdin().lock(), MAX_READ, &name)
    } else {
        let file =
            fs::File::open(path).map_err(|error| format!("`{shown}` cannot be read: {}", plain(&error)))?;
        read_bounded(file, MAX_READ, &name)
    };
    let (id, not_text) = sources.add_file(name, bytes.map_err(|error| error.to_string())?);
    if not_text.is_some() {
        return Err(format!("`{shown}` is not UTF-8 text"));
    }
    let stream = trueline_yaml::read(id, sources.get(id).text(), &ReadOptions::default());
    if let Some(error) = stream.errors.first() {
        let finding = error.to_diagnostic();
        let place = sources.position(finding.primary.span);
        return Err(format!("`{shown}`:{}:{}: {}", place.line, place.column, finding.message));
    }
    let roots = stream.documents.iter().map(trueline_yaml::Document::root);
    Ok(roots.filter(|root| !root.is_null()).map(Value::from_node).collect())
}

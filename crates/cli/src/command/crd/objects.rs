//! `trueline crd prune` and `trueline crd default`: what a cluster makes of objects.

use std::ops::Range;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use trueline_kube::manifest;
use trueline_kube::object::{Resource, Root, prune};
use trueline_source::{SourceMap, Span};
use trueline_yaml::{Dialect, Document, Stream, Value};

use super::kept::{self, kept};
use super::reading::{address, definitions, each_text, inputs, syntax_errors};
use crate::command::{COULD_NOT_RUN, Ended, INVALID, VALID, say};
use crate::terminal::complain;

/// Print objects without the fields that their definition does not know
///
/// What a cluster drops before it looks at an object: fields that the schema has not, at any depth. Nothing else
/// changes: comments and the order of fields stay. An object that cannot be taken is told, and the others are printed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline crd prune --crd backups.yaml nightly.yaml
  cat nightly.yaml | trueline crd prune --crd crds/ -

Exit codes: 0 all objects were printed, 1 some could not be taken, 2 could not run.")]
pub(crate) struct Prune {
    #[command(flatten)]
    objects: Objects,
}

/// Print objects as a cluster would store them
///
/// Fields that the definition does not know are dropped, and so are nulls that it does not allow; defaults are set, the
/// status is dropped where it has its own address, and `metadata.namespace` and `metadata.generation` are filled in.
/// Whether the object is valid is another question: `trueline check` answers it. Comments and the order of fields stay.
/// An object that cannot be taken is told, and the others are printed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline crd default --crd backups.yaml nightly.yaml
  trueline crd default --crd crds/ objects/ -o json

Exit codes: 0 all objects were printed, 1 some could not be taken, 2 could not run.")]
pub(crate) struct Default {
    #[command(flatten)]
    objects: Objects,
}

#[derive(Debug, Args)]
struct Objects {
    /// The file or directory that defines the kinds of the objects; may be given several times
    #[arg(long, value_name = "FILE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    crd: Vec<PathBuf>,

    /// Files and directories with objects; `-` is standard input
    #[arg(value_name = "OBJECT", required = true, value_hint = ValueHint::AnyPath)]
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

/// An object that was read.
struct Typed {
    value: Value,
    /// Where it begins.
    place: Span,
    /// Its text, if it is a document of its own.
    text: Option<String>,
}

impl Objects {
    /// Prints what becomes of the objects. One that cannot be taken is told, and the others are printed.
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
        let (mut objects, mut wrong, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
        for input in inputs(&self.paths)? {
            unreadable.extend(each_text(&input, &sources, |stream| {
                wrong.extend(syntax_errors(&stream, &sources));
                objects.extend(typed(&stream, &sources));
            }));
        }
        let mut printed = String::new();
        for object in &objects {
            let become_something = resource(&resources, &object.value).and_then(|resource| {
                let after = change(resource, &object.value)?;
                self.add(object, &after, &mut printed)
            });
            if let Err(why) = become_something {
                wrong.push(format!("{}: {why}", address(object.place, &sources)));
            }
        }
        if !printed.is_empty() {
            say(&printed)?;
        }
        for problem in unreadable.iter().chain(&wrong) {
            complain(&format!("error: {problem}"));
        }
        Ok(match (unreadable.is_empty(), wrong.is_empty()) {
            (false, _) => COULD_NOT_RUN,
            (true, false) => INVALID,
            (true, true) if objects.is_empty() => {
                return Err("there is no object in what was named".to_owned());
            }
            (true, true) => VALID,
        })
    }

    fn add(&self, object: &Typed, after: &Value, printed: &mut String) -> Result<(), String> {
        let wrong = |error: &dyn std::fmt::Display| format!("it cannot be printed: {error}");
        match self.output {
            Form::Yaml => {
                let kept = object.text.as_deref().and_then(|text| kept(text, &object.value, after));
                let text = match kept {
                    Some(kept) => kept,
                    None => trueline_yaml::marshal(after, Dialect::Sigs).map_err(|error| wrong(&error))?,
                };
                if !printed.is_empty() {
                    printed.push_str("---\n");
                }
                printed.push_str(&text);
            }
            Form::Json => {
                printed.push_str(&after.to_json_text().map_err(|error| wrong(&error))?);
                printed.push('\n');
            }
        }
        Ok(())
    }
}

/// The objects of a text: its documents, or the items of lists.
fn typed(stream: &Stream, sources: &SourceMap) -> Vec<Typed> {
    let mut found = Vec::new();
    let roots = stream.documents.iter().map(Document::root).filter(|root| !root.is_null());
    let mut ranges: Option<Vec<Range<usize>>> = None;
    for root in roots {
        let source = sources.get(root.span().source);
        let ranges = ranges.get_or_insert_with(|| kept::documents(source.text()));
        let start = root.span().start as usize;
        let begun = ranges.partition_point(|range| range.start <= start);
        let range = begun.checked_sub(1).and_then(|index| ranges.get(index));
        for object in manifest::objects(root) {
            let text = range.filter(|_| object.node.id() == root.id());
            let text = text.and_then(|range| source.text().get(range.clone())).map(str::to_owned);
            found.push(Typed { value: Value::from_node(object.node), place: object.node.span(), text });
        }
    }
    found
}

/// The definition of an object's kind.
fn resource<'r>(resources: &'r [Resource], value: &Value) -> Result<&'r Resource, String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let found = resources.iter().find(|resource| &*resource.group == group && &*resource.kind == kind);
    found.ok_or_else(|| format!("the kind `{kind}` ({api_version}) is none that `--crd` defines"))
}

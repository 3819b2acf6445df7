//! `trueline crd prune` and `trueline crd default`: what a cluster makes of objects.

use std::ops::Range;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use trueline_diagnostic::Diagnostic;
use trueline_kube::cluster::place_of_missing;
use trueline_kube::manifest;
use trueline_kube::object::{Resource, Version, says_rules_not_checked};
use trueline_kube::{DecodeError, FieldError, KubeVersion, Reason};
use trueline_source::{SourceMap, Span};
use trueline_yaml::{Data, Dialect, Document, Stream, Value};

use super::kept::{self, kept};
use super::reading::{address, definitions, each_text, inputs, syntax_errors};
use crate::command::{COULD_NOT_RUN, Ended, INVALID, VALID, say};
use crate::terminal::complain;

/// Print objects without the fields that their definition does not know
///
/// What a cluster drops before it looks at an object: fields that the schema or `metadata` has not, at any depth. Nothing
/// else changes: comments, quotes and the order of fields stay. What a cluster would refuse of an object is reported, and the
/// object is printed nevertheless; one that cannot be pruned is only told.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline crd prune --crd backups.yaml nightly.yaml
  cat nightly.yaml | trueline crd prune --crd crds/ -

Exit codes: 0 all objects would be taken, 1 some would be refused, 2 could not run.")]
pub(crate) struct Prune {
    #[command(flatten)]
    objects: Objects,
}

/// Print objects as a cluster would store them
///
/// Fields that the definition does not know are dropped, and so are nulls that it does not allow; defaults are set, the
/// status is dropped where it has its own address, and `metadata.namespace` and `metadata.generation` are filled in.
/// What a cluster would refuse of the object then is reported, and the object is printed nevertheless; one that a cluster
/// cannot read is only told. Comments, quotes and the order of fields stay.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline crd default --crd backups.yaml nightly.yaml
  trueline crd default --crd crds/ objects/ -o json

Exit codes: 0 all objects would be taken, 1 some would be refused, 2 could not run.")]
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
    /// YAML, documents after `---`
    Yaml,
    /// JSON, one object a line
    Json,
}

impl Prune {
    pub(crate) fn run(self) -> Ended {
        self.objects.print(|resource, object, sources| {
            let value = &object.value;
            let version = version(resource, object)?;
            let refused = match resource.decode(value, "") {
                Ok(decoded) => refused(&resource.create(&decoded).errors, object, sources),
                Err(error) => {
                    let place = error.place.unwrap_or(object.place);
                    vec![(place, format!("a cluster cannot read this object: {}", error.text))]
                }
            };
            Ok(Become { value: resource.prune(value, version), refused })
        })
    }
}

impl Default {
    pub(crate) fn run(self) -> Ended {
        self.objects.print(|resource, object, sources| {
            version(resource, object)?;
            let unreadable = |error: DecodeError| (error.place.unwrap_or(object.place), error.text);
            let decoded = resource.decode(&object.value, "").map_err(unreadable)?;
            let verdict = resource.create(&decoded);
            let refused = refused(&verdict.errors, object, sources);
            Ok(Become { refused, value: verdict.object })
        })
    }
}

/// What becomes of an object.
struct Become {
    value: Value,
    /// Why a cluster would not take it.
    refused: Vec<Told>,
}

/// What is wrong: where, and in which words.
type Told = (Span, String);

fn refused(errors: &[FieldError], object: &Typed, sources: &SourceMap) -> Vec<Told> {
    // It follows from the other errors.
    let errors = errors.iter().filter(|error| !says_rules_not_checked(error));
    let finding = |error: &FieldError| {
        // The first line of what a field is missing from may be one that is pruned; its key is not.
        let is_missing = error.reason() == Reason::Required;
        let key = is_missing.then(|| place_of_missing(&object.value, &error.field).0).flatten();
        manifest::refused(error, key.or(error.place).unwrap_or(object.place))
    };
    let mut findings: Vec<Diagnostic> = errors.map(finding).collect();
    trueline_analysis::hide_secrets(&mut findings, &[], sources);
    findings.into_iter().map(|finding| (finding.primary.span, finding.message)).collect()
}

/// The version of an object.
fn version<'r>(resource: &'r Resource, object: &Typed) -> Result<&'r Version, Told> {
    let version = object.value.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    let name = version.rsplit('/').next().unwrap_or_default();
    resource.version(name).ok_or_else(|| not_served(resource, name, object))
}

fn not_served(resource: &Resource, name: &str, object: &Typed) -> Told {
    let served: Vec<&str> = resource.versions.iter().map(|version| &*version.name).collect();
    let words =
        format!("the CRD of `{}` serves no version `{name}`; it serves {}", resource.kind, served.join(", "));
    (object.place_of("apiVersion"), words)
}

/// An object that was read.
struct Typed {
    value: Value,
    /// Where it begins.
    place: Span,
    /// Why no cluster would read it at all.
    too_large: Option<String>,
    /// Its text as a document of its own, with plain line breaks.
    text: Option<String>,
    /// Whether its file begins with a byte order mark.
    has_mark: bool,
    /// Whether its lines end as they do on Windows.
    has_carriage_returns: bool,
}

impl Typed {
    /// Where the value of a field stands; where the object begins if it has none.
    fn place_of(&self, field: &str) -> Span {
        self.value.get(field).and_then(|value| value.origin).unwrap_or(self.place)
    }
}

impl Objects {
    /// Prints what becomes of the objects. One that cannot be taken is reported, and the others are printed.
    fn print(&self, change: impl Fn(&Resource, &Typed, &SourceMap) -> Result<Become, Told>) -> Ended {
        let sources = SourceMap::new();
        let mut resources = Vec::new();
        for path in &self.crd {
            for decoded in definitions(path, &sources)? {
                let resource = Resource::new(&decoded.crd, KubeVersion::CRD_RULES).map_err(|error| {
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
            let become_something = resource(&resources, object).and_then(|resource| {
                let after = change(resource, object, &sources)?;
                self.add(object, &after.value, &mut printed).map_err(|why| (object.place, why))?;
                Ok(after.refused)
            });
            let refused = become_something.unwrap_or_else(|told| vec![told]);
            for (place, why) in refused {
                wrong.push(format!("{}: {why}", address(place, &sources)));
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
                let text = match printed.is_empty() {
                    true => text,
                    false => format!("---\n{text}"),
                };
                if printed.is_empty() && object.has_mark {
                    printed.push('\u{feff}');
                }
                match object.has_carriage_returns {
                    true => printed.push_str(&text.replace('\n', "\r\n")),
                    false => printed.push_str(&text),
                }
            }
            Form::Json => {
                printed.push_str(&after.to_json_text().map_err(|error| wrong(&error))?);
                printed.push('\n');
            }
        }
        Ok(())
    }
}

/// The objects of a file: its documents, or the items of lists.
fn typed(stream: &Stream, sources: &SourceMap) -> Vec<Typed> {
    let mut found = Vec::new();
    let roots = stream.documents.iter().map(Document::root).filter(|root| !root.is_null());
    let mut ranges: Option<Vec<Range<usize>>> = None;
    for root in roots {
        let source = sources.get(root.span().source);
        let whole = source.text();
        let has_mark = whole.starts_with('\u{feff}');
        let has_carriage_returns = whole.contains("\r\n");
        let ranges = ranges.get_or_insert_with(|| kept::documents(whole));
        let start = root.span().start as usize;
        let begun = ranges.partition_point(|range| range.start <= start);
        let range = begun.checked_sub(1).and_then(|index| ranges.get(index));
        for object in manifest::objects(root) {
            let place = object.node.span();
            if let Some(finding) = trueline_analysis::too_large(object.node) {
                let (value, too_large) = (Value::new(Data::Null), Some(finding.message));
                let place = finding.primary.span;
                found.push(Typed { value, place, too_large, text: None, has_mark, has_carriage_returns });
                continue;
            }
            let text = match object.node.id() == root.id() {
                true => range.and_then(|range| whole.get(range.clone())).map(str::to_owned),
                false => kept::item(whole, object.node.span().range()),
            };
            // What its list says of an object is not in its lines.
            let text = text.filter(|_| object.node.get("kind").is_some());
            let text = text.map(|text| text.trim_start_matches('\u{feff}').replace("\r\n", "\n"));
            let (value, too_large) = (object.value(), None);
            found.push(Typed { value, place, too_large, text, has_mark, has_carriage_returns });
        }
    }
    found
}

/// The definition of an object's kind.
fn resource<'r>(resources: &'r [Resource], object: &Typed) -> Result<&'r Resource, Told> {
    if let Some(why) = &object.too_large {
        return Err((object.place, why.clone()));
    }
    let text = |name: &str| object.value.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let found = resources.iter().find(|resource| &*resource.group == group && &*resource.kind == kind);
    found.ok_or_else(|| {
        let missing =
            [("kind", kind), ("apiVersion", api_version)].into_iter().find(|(_, text)| text.is_empty());
        match missing {
            Some((name, _)) => (object.place, format!("the object has no `{name}`, and so no definition")),
            None => {
                let words = format!("the kind `{kind}` ({api_version}) is none that `--crd` defines");
                (object.place_of("kind"), words)
            }
        }
    })
}

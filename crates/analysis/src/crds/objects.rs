//! What a cluster makes of objects: pruned, or as it would store them.

use std::ops::Range;
use std::path::PathBuf;

use trueline_diagnostic::Diagnostic;
use trueline_kube::cluster::place_of_missing;
use trueline_kube::manifest;
use trueline_kube::object::{Resource, Version, says_rules_not_checked};
use trueline_kube::{DecodeError, FieldError, KubeVersion, Reason};
use trueline_source::{SourceMap, Span};
use trueline_yaml::{Data, Dialect, Document, Stream, Value};

use super::kept::{self, kept};
use super::{CrdFailure, CrdFiles, Problem};
use crate::kubernetes::{each_file, too_large};
use crate::secret;

/// What is done to objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transformation {
    /// Fields that the CRD does not know are dropped.
    Pruned,
    /// Everything is done that a cluster does before it stores an object.
    Stored,
}

/// How objects are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// YAML, documents after `---`.
    Yaml,
    /// JSON.
    Json,
}

/// What became of objects.
#[derive(Debug)]
pub struct Changed {
    /// The objects; one that nothing could be made of is left out.
    pub text: String,
    /// The files that could not be read.
    pub unreadable: Vec<Problem>,
    /// Why a cluster would not take objects.
    pub refused: Vec<Problem>,
}

impl CrdFiles {
    /// What becomes of the objects that paths name, whose kinds other files define.
    pub fn change(
        &self,
        definitions: &[PathBuf],
        paths: &[PathBuf],
        transformation: Transformation,
        form: Form,
    ) -> Result<Changed, CrdFailure> {
        let sources = &self.sources;
        let mut resources = Vec::new();
        for path in definitions {
            for decoded in self.definitions(path)? {
                let resource = Resource::new(&decoded.crd, KubeVersion::CRD_RULES)
                    .map_err(|error| CrdFailure::NotUsable(path.clone(), error.text))?;
                resources.push(resource);
            }
        }
        let (mut objects, mut refused, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
        for input in self.inputs(paths)? {
            let errors = each_file(&input, sources, |stream| {
                refused.extend(Problem::of_syntax(&stream));
                objects.extend(typed(&stream, sources));
            });
            unreadable.extend(errors.into_iter().map(|error| Problem::unreadable(&input, error)));
        }
        let mut text = String::new();
        for object in &objects {
            let done = resource(&resources, object).and_then(|resource| {
                let after = match transformation {
                    Transformation::Pruned => pruned(resource, object, sources)?,
                    Transformation::Stored => stored(resource, object, sources)?,
                };
                add(object, &after.value, form, &mut text).map_err(|why| Problem::at(object.place, why))?;
                Ok(after.refused)
            });
            refused.extend(done.unwrap_or_else(|problem| vec![problem]));
        }
        if objects.is_empty() && unreadable.is_empty() && refused.is_empty() {
            return Err(CrdFailure::NoObject);
        }
        Ok(Changed { text, unreadable, refused })
    }
}

/// What becomes of an object.
struct Become {
    value: Value,
    /// Why a cluster would not take it.
    refused: Vec<Problem>,
}

fn pruned(resource: &Resource, object: &Typed, sources: &SourceMap) -> Result<Become, Problem> {
    let value = &object.value;
    let version = version(resource, object)?;
    let refused = match resource.decode(value, "") {
        Ok(decoded) => refused(&resource.create(&decoded).errors, object, sources),
        Err(error) => {
            let place = error.place.unwrap_or(object.place);
            vec![Problem::at(place, format!("a cluster cannot read this object: {}", error.text))]
        }
    };
    Ok(Become { value: resource.prune(value, version), refused })
}

fn stored(resource: &Resource, object: &Typed, sources: &SourceMap) -> Result<Become, Problem> {
    version(resource, object)?;
    let unreadable = |error: DecodeError| Problem::at(error.place.unwrap_or(object.place), error.text);
    let decoded = resource.decode(&object.value, "").map_err(unreadable)?;
    let verdict = resource.create(&decoded);
    let refused = refused(&verdict.errors, object, sources);
    Ok(Become { refused, value: verdict.object })
}

fn refused(errors: &[FieldError], object: &Typed, sources: &SourceMap) -> Vec<Problem> {
    // It follows from the other errors.
    let errors = errors.iter().filter(|error| !says_rules_not_checked(error));
    let finding = |error: &FieldError| {
        // The first line of what a field is missing from may be one that is pruned; its key is not.
        let is_missing = error.reason() == Reason::Required;
        let key = is_missing.then(|| place_of_missing(&object.value, &error.field).0).flatten();
        manifest::refused(error, key.or(error.place).unwrap_or(object.place))
    };
    let mut findings: Vec<Diagnostic> = errors.map(finding).collect();
    secret::hide(&mut findings, &[], sources);
    findings.into_iter().map(Problem::from).collect()
}

/// The version of an object.
fn version<'r>(resource: &'r Resource, object: &Typed) -> Result<&'r Version, Problem> {
    let version = object.value.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    let name = version.rsplit('/').next().unwrap_or_default();
    resource.version(name).ok_or_else(|| not_served(resource, name, object))
}

fn not_served(resource: &Resource, name: &str, object: &Typed) -> Problem {
    let served: Vec<&str> = resource.versions.iter().map(|version| &*version.name).collect();
    let words =
        format!("the CRD of `{}` serves no version `{name}`; it serves {}", resource.kind, served.join(", "));
    Problem::at(object.place_of("apiVersion"), words)
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

/// Adds what became of an object to the text.
fn add(object: &Typed, after: &Value, form: Form, printed: &mut String) -> Result<(), String> {
    let wrong = |error: &dyn std::fmt::Display| format!("it cannot be printed: {error}");
    match form {
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
            if let Some(finding) = too_large(object.node) {
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
fn resource<'r>(resources: &'r [Resource], object: &Typed) -> Result<&'r Resource, Problem> {
    if let Some(why) = &object.too_large {
        return Err(Problem::at(object.place, why.clone()));
    }
    let text = |name: &str| object.value.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let found = resources.iter().find(|resource| &*resource.group == group && &*resource.kind == kind);
    found.ok_or_else(|| {
        let missing =
            [("kind", kind), ("apiVersion", api_version)].into_iter().find(|(_, text)| text.is_empty());
        match missing {
            Some((name, _)) => {
                Problem::at(object.place, format!("the object has no `{name}`, and so no definition"))
            }
            None => {
                let words = format!("the kind `{kind}` ({api_version}) is none that `--crd` defines");
                Problem::at(object.place_of("kind"), words)
            }
        }
    })
}

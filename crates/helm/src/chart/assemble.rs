//! Files into a chart: what each is for, what the subcharts are, and what Helm checks on the way.

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Severity};
use trueline_source::{SourceKind, Span};
use trueline_yaml::{Data, Value};

use super::archive;
use super::context::{Context, Log};
use super::decode::{Decoder, Target};
use super::failure::Failures;
use super::metadata::{Draft, LockDraft};
use super::raw::{Raw, about_file};
use super::values::read_values;
use super::{BROKEN_ARCHIVE, Chart, File, LoadFailure, NO_CHART_YAML, OLD_REQUIREMENTS, validate};
use crate::go_yaml;
use crate::log::{Level, LogLine};
use crate::package::name_agrees;

/// The name of the file that makes a chart.
pub(super) const CHART_YAML: &str = "Chart.yaml";

/// A chart of files; `shown` is its place for a person. Everything is looked at even if something is wrong,
/// so that all of it can be reported.
pub(super) fn assemble(
    files: Vec<Raw>,
    shown: &str,
    context: &mut Context<'_>,
) -> Result<Chart, LoadFailure> {
    let mut assembly = Assembly::default();
    let mut rest = Vec::with_capacity(files.len());
    for file in files {
        if file.name() == CHART_YAML {
            assembly.chart_yaml(file, context);
        } else {
            rest.push(file);
        }
    }
    for file in rest {
        assembly.file(file, context);
    }
    assembly.check_metadata(shown, context);
    assembly.subcharts(shown, context);
    assembly.finish()
}

#[derive(Default)]
struct Assembly {
    draft: Option<Draft>,
    chart_file: Option<File>,
    lock: Option<LockDraft>,
    templates: Vec<File>,
    values: Option<Value>,
    values_file: Option<File>,
    schema: Option<File>,
    files: Vec<File>,
    /// By the first part of their path below `charts/`: Helm takes them in random order, we in this one.
    subcharts: BTreeMap<String, Vec<Raw>>,
    dependencies: Vec<Chart>,
    failures: Failures,
    /// Chart.yaml or requirements.yaml could not be read.
    is_incomplete: bool,
}

impl Assembly {
    fn chart_yaml(&mut self, file: Raw, context: &mut Context<'_>) {
        let file = file.into_source(context.sources);
        let draft = self.draft.get_or_insert_default();
        let result = decode(draft, &file, context);
        if draft.metadata.api_version.is_empty() {
            draft.metadata.api_version = if context.package == "v3" { "v3" } else { "v1" }.to_owned();
        }
        self.metadata(result.map_err(|failure| failure.within("cannot load Chart.yaml")));
        self.chart_file = Some(file);
    }

    fn file(&mut self, file: Raw, context: &mut Context<'_>) {
        let name = file.name();
        // The experimental third kind of chart has no such files.
        let old = context.package != "v3";
        match name {
            "Chart.lock" => {
                let file = file.into_source(context.sources);
                self.lock(&file, context);
            }
            "values.yaml" => {
                let file = file.into_source(context.sources);
                let result = match (file.source, context.known_values(&file)) {
                    (_, Some(known)) => Ok(known),
                    (Some(source), None) => read_values(source, &file.data, context.sources, context.compat),
                    (None, None) => Ok(no_values()),
                };
                let values =
                    self.failures.note(result.map_err(|failure| failure.within("cannot load values.yaml")));
                self.values = values.or(self.values.take());
                self.values_file = Some(file);
            }
            "values.schema.json" => self.schema = Some(file.into_source(context.sources)),
            "requirements.yaml" if old => self.requirements(file, context),
            "requirements.lock" if old => self.requirements_lock(file, context),
            _ if name.starts_with("templates/") => self.templates.push(file.into_source(context.sources)),
            _ if name.starts_with("charts/") && extension(name) != ".prov" => {
                if let Some(file) = file.below("charts") {
                    let directory = file.name().split('/').next().unwrap_or_default().to_owned();
                    self.subcharts.entry(directory).or_default().push(file);
                }
            }
            _ if super::is_crd(name) || is_values(name) => self.files.push(file.into_source(context.sources)),
            _ => self.files.push(file.into_data()),
        }
    }

    fn requirements(&mut self, file: Raw, context: &mut Context<'_>) {
        let file = file.into_source(context.sources);
        let draft = self.draft.get_or_insert_default();
        let is_old = draft.metadata.api_version == "v1";
        let result = decode(draft, &file, context);
        if !is_old {
            let words = "Warning: Dependencies are handled in Chart.yaml since apiVersion \"v2\". We recommend migrating dependencies to Chart.yaml.";
            self.old_file(&file, words, "load.go:120", CHART_YAML, context);
        }
        self.metadata(result.map_err(|failure| failure.within("cannot load requirements.yaml")));
        if self.draft.as_ref().is_some_and(|draft| draft.metadata.api_version == "v1") {
            self.files.push(file);
        }
    }

    fn requirements_lock(&mut self, file: Raw, context: &mut Context<'_>) {
        let file = file.into_source(context.sources);
        self.lock(&file, context);
        if self.draft.get_or_insert_default().metadata.api_version == "v1" {
            self.files.push(file);
        } else {
            let words = "Warning: Dependency locking is handled in Chart.lock since apiVersion \"v2\". We recommend migrating to Chart.lock.";
            self.old_file(&file, words, "load.go:138", "Chart.lock", context);
        }
    }

    fn old_file(
        &self,
        file: &File,
        words: &str,
        place: &'static str,
        instead: &str,
        context: &mut Context<'_>,
    ) {
        if self.failures.is_empty() {
            context.log.push(LogLine::new(Level::Info, words).in_helm3(place, words));
        }
        if let Some(source) = file.source {
            let message = format!("`{}` is from the time before apiVersion v2", file.name);
            let finding = Diagnostic::new(&OLD_REQUIREMENTS, Span::whole(source), message)
                .help(format!("move its entries to `{instead}`"));
            context.warnings.push(finding);
        }
    }

    fn lock(&mut self, file: &File, context: &mut Context<'_>) {
        let mut lock = Some(LockDraft::default());
        let result = decode(&mut lock, file, context);
        self.lock = if result.as_ref().is_ok_and(|content| *content == Content::Empty) { None } else { lock };
        self.failures
            .note(result.map_err(|failure| failure.within(format_args!("cannot load {}", file.name))));
    }

    /// Takes note of how the metadata could be read.
    fn metadata(&mut self, result: Result<Content, LoadFailure>) {
        self.is_incomplete |= result.is_err();
        self.failures.note(result);
    }

    fn check_metadata(&mut self, shown: &str, context: &mut Context<'_>) {
        let place = || format!("{shown}/{CHART_YAML}");
        let Some(draft) = &mut self.draft else {
            let finding = about_file(context.sources, place(), &NO_CHART_YAML, "there is no Chart.yaml here")
                .help("add one, or list this in `.helmignore` if it is not a chart");
            return self.failures.add(LoadFailure::new("Chart.yaml file is missing", vec![finding]));
        };
        // What could not be decoded would only be reported as missing once more.
        if self.is_incomplete {
            return;
        }
        let file = self.chart_file.as_ref().and_then(|file| file.source);
        let file = file.unwrap_or_else(|| context.sources.add(place(), SourceKind::File, ""));
        self.failures.note(validate::check(draft, Span::whole(file)));
    }

    fn subcharts(&mut self, shown: &str, context: &mut Context<'_>) {
        let parent = self.draft.as_ref().map(|draft| draft.metadata.name.clone()).unwrap_or_default();
        for (name, files) in std::mem::take(&mut self.subcharts) {
            if name.starts_with(['_', '.']) {
                continue;
            }
            let place = format!("{shown}/charts/{name}");
            let log = if self.failures.is_empty() { Log::Kept } else { Log::Dropped };
            let result = if extension(&name) == ".tgz" {
                let Some(file) = files.into_iter().next() else { continue };
                if file.name() != name {
                    self.failures.add(not_packed(&name, file, &parent, context));
                    continue;
                }
                context.deeper(&place, log, |context| {
                    let files = archive::unpack(file.content.bytes(), &file.shown, context)?;
                    let chart = Chart { is_packed: true, ..assemble(files, &file.shown, context)? };
                    // Helm renders it whatever its file is called; only `helm dependency` minds.
                    let misnamed = name_agrees(&name, &chart);
                    context.warnings.extend(misnamed.map(|finding| finding.severity(Severity::Warning)));
                    Ok(chart)
                })
            } else {
                let files = files.into_iter().filter_map(|file| file.below(&name)).collect();
                context.deeper(&place, log, |context| assemble(files, &place, context))
            };
            let result = result.map_err(|failure| {
                failure.within(format_args!("error unpacking subchart {name} in {parent}"))
            });
            self.dependencies.extend(self.failures.note(result));
        }
    }

    fn finish(self) -> Result<Chart, LoadFailure> {
        let chart = Chart {
            metadata: self.draft.unwrap_or_default().finish(),
            chart_file: self.chart_file,
            lock: self.lock.map(LockDraft::finish),
            templates: self.templates.into(),
            path: None,
            is_packed: false,
            values: self.values.unwrap_or_else(no_values),
            values_file: self.values_file,
            schema: self.schema,
            files: self.files.into(),
            dependencies: self.dependencies,
        };
        match self.failures.into_result() {
            Ok(()) => Ok(chart),
            Err(mut failure) => {
                failure.partial = Some(Box::new(chart));
                Err(failure)
            }
        }
    }
}

/// A directory with the name of an archive.
fn not_packed(name: &str, file: Raw, parent: &str, context: &Context<'_>) -> LoadFailure {
    let text = format!("error unpacking subchart tar in {parent}: expected {name}, got {}", file.name());
    let message = format!("`{name}` is a directory, and its name is that of an archive");
    LoadFailure::new(text, vec![about_file(context.sources, file.shown, &BROKEN_ARCHIVE, message)])
}

/// Whether a file says anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Something,
    Empty,
}

/// Decodes a YAML file into a target, over what it already holds.
pub(super) fn decode(
    target: &mut dyn Target,
    file: &File,
    context: &Context<'_>,
) -> Result<Content, LoadFailure> {
    decode_as(target, file, context, context.package)
}

/// Decodes a YAML file into a target whose Go type is of a package.
pub(super) fn decode_as(
    target: &mut dyn Target,
    file: &File,
    context: &Context<'_>,
    package: &'static str,
) -> Result<Content, LoadFailure> {
    let Some(source) = file.source else { return Ok(Content::Empty) };
    let text = Arc::clone(context.sources.get(source).text());
    let document = go_yaml::first_written(source, &text, go_yaml::broken(&file.data)).map_err(|error| {
        LoadFailure::new(format!("error converting YAML to JSON: {}", error.go_text), error.diagnostics)
    })?;
    let Some(document) = document.filter(|document| !document.root().is_null()) else {
        return Ok(Content::Empty);
    };
    let decoded = Decoder::run(target, document.root(), package).into_result();
    decoded.map_err(|(text, diagnostics)| LoadFailure::new(text, diagnostics))?;
    Ok(Content::Something)
}

fn no_values() -> Value {
    Value::new(Data::Map(Arc::default()))
}

/// Whether a file beside values.yaml holds values too.
fn is_values(name: &str) -> bool {
    name.starts_with("values") && !name.contains('/') && matches!(extension(name), ".yaml" | ".yml")
}

/// Go's `filepath.Ext`.
pub(crate) fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rfind('.').and_then(|dot| name.get(dot..)).unwrap_or_default()
}

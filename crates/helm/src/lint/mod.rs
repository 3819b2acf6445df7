//! What `helm lint` says about a chart: one file a rule, or a family of them. Each looks at the chart and leaves
//! messages in Helm's words, with Helm's severities, in Helm's order.
//!
//! The chart is loaded once, and all rules share it.

mod addresses;
mod chart_file;
mod crds;
mod dependencies;
mod deprecations;
mod helm3;
mod indent;
mod lists;
mod names;
mod objects;
mod selectors;
mod templates;
mod values_file;

use std::fmt;
use std::sync::Arc;

use trueline_source::{LoadErrorKind, Loader, SourceMap, Span};
use trueline_yaml::{Data, Value};

use crate::chart::decode::Record;
use crate::chart::metadata::Draft;
use crate::chart::{self, Chart, Compat, LoadFailure, Loaded, Metadata};
use crate::engine::KubeVersion;
use crate::log::LogLine;
use crate::schema::SchemaAccess;
use trueline_gotemplate::Environment;

/// A chart to be linted, and what with.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Where it is read from.
    pub loader: &'a dyn Loader,
    /// The chart's directory in it.
    pub path: &'a str,
    /// The same directory as Helm's texts name it.
    pub absolute: &'a str,
    /// Which Helm is followed.
    pub compat: Compat,
    /// The values that the user gives.
    pub user: &'a Value,
    /// The namespace that templates see.
    pub namespace: &'a str,
    /// The Kubernetes that templates see, and that APIs are validated against.
    pub kube_version: &'a KubeVersion,
    /// Whether values are validated against schemas.
    pub schemas: Schemas,
    /// What schemas may use; its sources hold all texts.
    pub access: &'a SchemaAccess,
    /// The clock and the dice of templates.
    pub environment: &'a (dyn Environment + Sync),
}

/// Whether values are validated against schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schemas {
    /// They are.
    Checked,
    /// They are not. Helm 3 does it once all the same.
    Skipped,
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Could be better.
    Info,
    /// Does not follow the conventions.
    Warning,
    /// Does not work.
    Error,
}

/// Something that a rule has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// The file or directory that it is about, as Helm names it; empty for the chart.
    pub place: String,
    /// Helm's words.
    pub text: String,
    /// Where it is written, if that is known.
    pub span: Option<Span>,
}

impl fmt::Display for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Info => "INFO",
            Severity::Warning => "WARNING",
            Severity::Error => "ERROR",
        };
        write!(formatter, "[{severity}] {}: {}", self.place, self.text)
    }
}

/// What all rules say.
#[derive(Debug, Default)]
pub struct Report {
    /// The messages in the order of the rules.
    pub messages: Vec<Message>,
    /// What was said on the way.
    pub log: Vec<LogLine>,
    /// The chart as it was loaded, if it could be.
    pub chart: Option<Chart>,
}

/// Lints a chart's directory.
pub fn lint(request: &Request<'_>) -> Report {
    let mut linter = Linter { request: *request, report: Report::default() };
    let chart_request = chart::Request {
        loader: request.loader,
        path: request.path,
        absolute: request.absolute,
        sources: &request.access.sources,
        compat: request.compat,
    };
    let loaded = chart::load_plain(&chart_request);
    chart_file::check(&mut linter);
    let mut rest = Linter { request: *request, report: Report::default() };
    let check_rest = |rest: &mut Linter<'_>| {
        templates::check(rest, &loaded);
        dependencies::check(rest, &loaded);
        if request.compat == Compat::Helm4 {
            crds::check(rest, &loaded);
        }
    };
    if loaded.as_ref().is_ok_and(|loaded| loaded.chart.schema.is_some()) {
        // A large schema takes as long as all templates; neither needs the other.
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| values_file::check(&mut linter, &loaded));
            check_rest(&mut rest);
        });
    } else {
        values_file::check(&mut linter, &loaded);
        check_rest(&mut rest);
    }
    linter.report.messages.append(&mut rest.report.messages);
    linter.report.log.append(&mut rest.report.log);
    Report { chart: loaded.ok().map(|loaded| loaded.chart), ..linter.report }
}

/// What the rules about Chart.yaml and about the subcharts that it does not name say of a chart that is loaded
/// already, for those who check everything else by themselves.
pub fn about_metadata(chart: &Chart, sources: &SourceMap, compat: Compat) -> Vec<Message> {
    let Some((file, source)) = chart.chart_file.as_ref().and_then(|file| Some((file, file.source?))) else {
        return Vec::new();
    };
    let shown = sources.get(source).name().to_owned();
    let Ok(read) = chart::read_chart_file(file.data.to_vec(), shown, sources, compat) else {
        return Vec::new();
    };
    let mut messages = chart_file::messages(&read, compat);
    for message in &mut messages {
        // The same text, under the name by which it was loaded.
        message.span = message.span.map(|span| Span { source, ..span });
    }
    let unlisted = dependencies::not_listed(chart);
    if !unlisted.is_empty() {
        messages.push(Message {
            severity: Severity::Warning,
            place: "Chart.yaml".to_owned(),
            text: format!("chart metadata is missing these dependencies: {}", unlisted.join(",")),
            span: chart.metadata.place("dependencies").or_else(|| Some(Span::whole(source))),
        });
    }
    messages
}

/// The fields of Chart.yaml.
pub const CHART_FIELDS: &[&str] = <Draft as Record>::FIELDS;

/// The keys of Chart.yaml that are no fields of it, with their places.
pub fn unknown_fields(metadata: &Metadata) -> Vec<(Arc<str>, Span)> {
    let Some(Data::Map(map)) = metadata.written.as_ref().map(|written| &written.data) else {
        return Vec::new();
    };
    // Keys count in any case, as they do for Helm.
    let is_known = |name: &str| CHART_FIELDS.iter().any(|field| field.eq_ignore_ascii_case(name));
    map.iter()
        .filter(|(name, _)| !is_known(name))
        .filter_map(|(name, entry)| Some((Arc::clone(name), entry.key_origin?)))
        .collect()
}

/// A run of all rules.
struct Linter<'a> {
    request: Request<'a>,
    report: Report,
}

/// What a path of the chart leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathEntry {
    Nothing,
    Directory,
    /// A file, or something that cannot be looked at.
    Other,
}

impl Linter<'_> {
    fn say(&mut self, severity: Severity, place: impl Into<String>, text: impl Into<String>) {
        let message = Message { severity, place: place.into(), text: text.into(), span: None };
        self.report.messages.push(message);
    }

    fn sources(&self) -> &SourceMap {
        &self.request.access.sources
    }

    /// The loader's path of a file of the chart.
    fn inside(&self, name: &str) -> String {
        match self.request.path {
            "" => name.to_owned(),
            path => format!("{path}/{name}"),
        }
    }

    /// What stands on the disk, whatever `.helmignore` says.
    fn look(&self, name: &str) -> PathEntry {
        use trueline_source::EntryKind;
        match self.request.loader.entry(&self.inside(name)) {
            Ok(entry) if entry.kind == EntryKind::Directory => PathEntry::Directory,
            Err(error) if error.kind == LoadErrorKind::NotFound => PathEntry::Nothing,
            Ok(_) | Err(_) => PathEntry::Other,
        }
    }

    /// The chart, for a rule that loads it in Helm: what loading says is said again for each of them.
    fn chart<'l>(&mut self, loaded: &'l Result<Loaded, LoadFailure>) -> Result<&'l Loaded, String> {
        match loaded {
            Ok(loaded) => {
                self.report.log.extend(loaded.log.iter().cloned());
                Ok(loaded)
            }
            Err(failure) => {
                self.report.log.extend(failure.log.iter().cloned());
                Err(failure.to_string())
            }
        }
    }
}

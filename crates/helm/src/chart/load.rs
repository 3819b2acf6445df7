//! Loading a chart from a directory or an archive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use trueline_diagnostic::{Diagnostic, Level};
use trueline_source::{EntryKind, LoadErrorKind, Loader, SourceMap, Span};

use super::archive;
use super::assemble::{CHART_YAML, assemble, decode_as};
use super::context::Context;
use super::directory::Directory;
use super::gzip;
use super::metadata::Base;
use super::raw::{Raw, about_file};
use super::sniff::{GZIP, content_type};
use super::{API_VERSION, BROKEN_ARCHIVE, Chart, Compat, File, LoadFailure, NO_CHART_YAML};
use crate::log::LogLine;

/// A chart to be loaded.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Where it is read from. Links are followed as long as they stay inside its root.
    pub loader: &'a dyn Loader,
    /// The chart's directory or archive in it.
    pub path: &'a str,
    /// The same place as Helm's texts name it: the absolute path, with links as they were typed.
    pub absolute: &'a str,
    /// Where the texts are put.
    pub sources: &'a SourceMap,
    /// Which Helm is followed.
    pub compat: Compat,
}

/// A chart that was loaded.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The chart with its subcharts.
    pub chart: Chart,
    /// What Helm says on the way.
    pub log: Vec<LogLine>,
    /// What is worth fixing although the chart can be used.
    pub warnings: Vec<Diagnostic>,
}

/// Loads a chart with all its subcharts. Each file is read once.
pub fn load(request: &Request<'_>) -> Result<Loaded, LoadFailure> {
    load_as(request, KindLookup::of(request.compat), Context::new(request.sources, request.compat), None)
}

/// Loads a chart that was loaded before. Values that have not changed are not read again; they are known by their sources,
/// which have to be the same as they were.
pub fn load_again(request: &Request<'_>, earlier: &Chart) -> Result<Loaded, LoadFailure> {
    let mut context = Context::new(request.sources, request.compat);
    context.earlier = Some(earlier);
    let mut loaded = load_as(request, KindLookup::of(request.compat), context, None)?;
    share_unchanged(&mut loaded.chart, earlier);
    Ok(loaded)
}

/// Makes files that have not changed the same in memory, so whoever compares them later need not read them.
fn share_unchanged(chart: &mut Chart, earlier: &Chart) {
    let share = |file: &mut File, earlier: &File| {
        if file.name == earlier.name && file.source == earlier.source && file.data == earlier.data {
            file.data = Arc::clone(&earlier.data);
        }
    };
    let single = [
        (&mut chart.chart_file, &earlier.chart_file),
        (&mut chart.values_file, &earlier.values_file),
        (&mut chart.schema, &earlier.schema),
    ];
    for (file, earlier) in single {
        if let (Some(file), Some(earlier)) = (file, earlier) {
            share(file, earlier);
        }
    }
    let lists = [(&mut chart.templates, &earlier.templates), (&mut chart.files, &earlier.files)];
    for (files, earlier) in lists {
        // Nobody else has seen the new ones yet.
        let files = Arc::get_mut(files).into_iter().flatten();
        files.zip(earlier.iter()).for_each(|(file, earlier)| share(file, earlier));
    }
    for (subchart, earlier) in chart.dependencies.iter_mut().zip(&earlier.dependencies) {
        share_unchanged(subchart, earlier);
    }
}

/// Loads a chart; while its values are read, other threads call `beside` with the texts of templates, as far as they
/// get.
pub fn load_beside(request: &Request<'_>, beside: &Beside<'_>) -> Result<Loaded, LoadFailure> {
    load_as(
        request,
        KindLookup::of(request.compat),
        Context::new(request.sources, request.compat),
        Some(beside),
    )
}

/// Loads a chart, and asks for each file of its directory when it was changed: `times` is given the path in the
/// loader, and gives seconds since 1970.
pub fn load_with_times(
    request: &Request<'_>,
    times: &dyn Fn(&str) -> Option<i64>,
) -> Result<Loaded, LoadFailure> {
    let mut context = Context::new(request.sources, request.compat);
    context.times = Some(times);
    load_as(request, KindLookup::of(request.compat), context, None)
}

/// Loads a chart without asking first which kind of chart it is: what Helm 4 does where it shows, lints or copies
/// one. Helm 3 never asks.
pub fn load_plain(request: &Request<'_>) -> Result<Loaded, LoadFailure> {
    load_as(request, KindLookup::Assumed, Context::new(request.sources, request.compat), None)
}

/// Whether the kind of a chart is looked up before it is loaded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KindLookup {
    Detected,
    Assumed,
}

impl KindLookup {
    fn of(compat: Compat) -> Self {
        match compat {
            Compat::Helm4 => KindLookup::Detected,
            Compat::Helm3 => KindLookup::Assumed,
        }
    }
}

fn load_as(
    request: &Request<'_>,
    kind: KindLookup,
    mut context: Context<'_>,
    beside: Option<&Beside<'_>>,
) -> Result<Loaded, LoadFailure> {
    let result = match request.loader.entry(request.path).map(|entry| entry.kind) {
        Ok(EntryKind::Directory) => from_directory(request, kind, beside, &mut context),
        _ => from_archive(request, kind, &mut context),
    };
    match result {
        Ok(chart) => Ok(Loaded { chart, log: context.log, warnings: context.warnings }),
        Err(failure) => Err(failure.with_log(context.log)),
    }
}

impl Chart {
    /// Whether the chart is of a kind that can be rendered and packed: Helm 4 loads charts of apiVersion
    /// `v3`, and then refuses them.
    pub fn check_api_version(&self, compat: Compat) -> Result<(), LoadFailure> {
        if compat == Compat::Helm3 || self.metadata.api_version != "v3" {
            return Ok(());
        }
        let place = self
            .metadata
            .place("apiVersion")
            .or_else(|| self.chart_file.as_ref().and_then(|file| file.source).map(Span::whole));
        let findings = place.map(|place| unknown_api_version(place, "v3"));
        Err(LoadFailure::new("invalid chart apiVersion", findings.into_iter().collect()))
    }
}

fn from_directory(
    request: &Request<'_>,
    kind: KindLookup,
    beside: Option<&Beside<'_>>,
    context: &mut Context<'_>,
) -> Result<Chart, LoadFailure> {
    let directory = Directory { loader: request.loader, path: request.path, absolute: request.absolute };
    if kind == KindLookup::Detected {
        // Helm looks here before it reads anything else, and before `.helmignore` counts.
        let bytes = request.loader.read(&directory.inside(CHART_YAML)).map_err(|error| {
            let text = format!(
                "unable to detect chart at {}: {}",
                directory.absolute(CHART_YAML),
                directory.system_text(CHART_YAML, &error)
            );
            let finding = match error.kind {
                LoadErrorKind::NotFound => {
                    let shown = directory.shown(CHART_YAML);
                    about_file(context.sources, shown, &NO_CHART_YAML, "there is no Chart.yaml here")
                        .help("give the directory of a chart")
                }
                _ => return directory.unreadable(CHART_YAML, &error, context).with_text(text),
            };
            LoadFailure::new(text, vec![finding])
        })?;
        let file = Raw::new(CHART_YAML.to_owned(), directory.shown(CHART_YAML), bytes.as_slice().into());
        choose_kind(&file.into_source(context.sources), context)?;
    }
    let files = directory.files(context)?;
    let templates = match beside {
        Some(_) => files.iter().filter(|file| is_template(file.name())).map(Raw::shared).collect(),
        None => Vec::new(),
    };
    let put_together = || assemble(files, &directory.shown(""), context);
    match beside {
        Some(beside) if templates.iter().map(|text| text.len()).sum::<usize>() >= WORTH_SHARING => {
            with_others(&templates, beside, put_together)
        }
        _ => put_together(),
    }
}

/// Called with the text of a template on another thread.
pub type Beside<'b> = dyn Fn(&Arc<[u8]>) + Sync + 'b;

/// Fewer bytes than this are read faster than another thread is woken.
const WORTH_SHARING: usize = 1 << 16;

/// Whether a file is a template of the chart or of one of its subcharts.
fn is_template(name: &str) -> bool {
    name.starts_with("templates/") || name.contains("/templates/")
}

/// Does something here, and until it is done, `beside` on all other threads.
fn with_others<T>(texts: &[Arc<[u8]>], beside: &Beside<'_>, work: impl FnOnce() -> T) -> T {
    let (next, is_done) = (AtomicUsize::new(0), AtomicBool::new(false));
    rayon::in_place_scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| {
                while !is_done.load(Ordering::Relaxed)
                    && let Some(text) = texts.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    beside(text);
                }
            });
        }
        let done = work();
        is_done.store(true, Ordering::Relaxed);
        done
    })
}

fn from_archive(
    request: &Request<'_>,
    chart_kind: KindLookup,
    context: &mut Context<'_>,
) -> Result<Chart, LoadFailure> {
    let shown = request.loader.display(request.path);
    let name = request.absolute;
    let fail = |text: String, message: &str| {
        LoadFailure::new(text, vec![about_file(request.sources, shown.as_str(), &BROKEN_ARCHIVE, message)])
    };
    let bytes = request.loader.read(request.path).map_err(|error| {
        let words = match error.kind {
            LoadErrorKind::NotFound => "no such file or directory".to_owned(),
            LoadErrorKind::Denied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        fail(format!("open {name}: {words}"), "this chart cannot be read")
    })?;
    let kind = content_type(&bytes);
    if kind != GZIP {
        let is_yaml = name.ends_with(".yml") || name.ends_with(".yaml");
        return Err(if is_yaml {
            let text = format!("file '{name}' seems to be a YAML file, but expected a gzipped archive");
            fail(text, "this is a YAML file, and no chart")
        } else {
            let text = format!("file '{name}' does not appear to be a gzipped archive; got '{kind}'");
            fail(text, "this is not a gzip archive")
        });
    }
    let files = archive::unpack(&bytes, &shown, context).map_err(|failure| {
        if failure.text() == gzip::INVALID_HEADER {
            let text = format!("file '{name}' does not appear to be a valid chart file (details: {failure})");
            failure.with_text(text)
        } else if chart_kind == KindLookup::Detected {
            failure.with_text("unable to load chart archive")
        } else {
            failure
        }
    })?;
    if chart_kind == KindLookup::Detected {
        let Some(file) = files.iter().find(|file| file.name() == CHART_YAML) else {
            let text = "unable to detect chart version, no Chart.yaml found";
            let finding =
                about_file(request.sources, shown, &NO_CHART_YAML, "this archive holds no Chart.yaml");
            return Err(LoadFailure::new(text, vec![finding]));
        };
        let copy = Raw::new(CHART_YAML.to_owned(), file.shown.clone(), file.content.clone());
        choose_kind(&copy.into_source(context.sources), context)?;
    }
    assemble(files, &shown, context)
}

/// Finds out which of Helm 4's loaders a chart is for.
fn choose_kind(file: &File, context: &mut Context<'_>) -> Result<(), LoadFailure> {
    let mut base = Base::default();
    decode_as(&mut base, file, context, "loader")
        .map_err(|failure| failure.within("cannot load Chart.yaml"))?;
    match base.api_version.as_str() {
        "" | "v1" | "v2" => Ok(()),
        "v3" => {
            context.package = "v3";
            Ok(())
        }
        other => {
            let place = base.place.or(file.source.map(Span::whole));
            let findings = place.map(|place| unknown_api_version(place, other));
            Err(LoadFailure::new("unsupported chart version", findings.into_iter().collect()))
        }
    }
}

fn unknown_api_version(place: Span, found: &str) -> Diagnostic {
    Diagnostic::new(&API_VERSION, place, format!("charts of apiVersion `{found}` cannot be used"))
        .help("write `apiVersion: v2`")
        .path("/apiVersion")
        .level(Level::Semantic)
}

//! The templates: whether the chart can be rendered, and what each of its own templates writes.

use std::borrow::Cow;

use rayon::prelude::*;
use trueline_gotemplate::Origins;

use super::objects::{Object, Objects};
use super::{Linter, PathEntry, Schemas, Severity, deprecations, helm3, indent, lists, names, selectors};
use crate::chart::{Chart, Compat, File, LoadFailure, Loaded, extension};
use crate::engine::{self, Capabilities, Mode, Operation, Release, Texts};
use crate::release::RenderedFile;
use crate::{dependencies, schema, values};

const DIRECTORY: &str = "templates/";

/// Fewer files than this are looked at faster than another thread is woken.
const FILES_A_THREAD: usize = 16;

pub(super) fn check(linter: &mut Linter<'_>, loaded: &Result<Loaded, LoadFailure>) {
    match (linter.look("templates"), linter.request.compat) {
        (PathEntry::Nothing, Compat::Helm4) => {
            return linter.say(Severity::Warning, DIRECTORY, "directory does not exist");
        }
        (PathEntry::Other, Compat::Helm4) => {
            return linter.say(Severity::Error, DIRECTORY, "not a directory");
        }
        (PathEntry::Other, Compat::Helm3) => {
            return linter.say(Severity::Warning, DIRECTORY, "not a directory");
        }
        (PathEntry::Directory, _) | (PathEntry::Nothing, Compat::Helm3) => {}
    }
    let chart = match linter.chart(loaded) {
        Ok(loaded) => loaded.chart.clone(),
        Err(wrong) => return linter.say(Severity::Error, DIRECTORY, wrong),
    };
    match render(linter, chart) {
        Ok(Some((chart, files))) => {
            let find = |template: &File| written(&chart, template, &files, linter.request.compat);
            let written: Vec<Option<Written<'_>>> = if chart.templates.len() < 2 * FILES_A_THREAD {
                chart.templates.iter().map(find).collect()
            } else {
                chart.templates.par_iter().with_min_len(FILES_A_THREAD).map(find).collect()
            };
            for (template, written) in chart.templates.iter().zip(written) {
                if own_template(linter, template, written).is_err() {
                    return;
                }
            }
        }
        Ok(None) => {}
        Err(wrong) => linter.say(Severity::Error, DIRECTORY, wrong),
    }
}

/// The chart as it takes part, and what its templates wrote. Values that cannot be joined stop the rule without a
/// word, as they do in Helm.
fn render(linter: &mut Linter<'_>, chart: Chart) -> Result<Option<(Chart, Vec<RenderedFile>)>, String> {
    let request = linter.request;
    let mut log = Vec::new();
    let processed = dependencies::process(chart, request.user, request.compat, &mut log);
    if processed.is_err() && request.compat == Compat::Helm4 {
        // What stopped it is logged where a release is made, and nowhere else.
        log.pop();
    }
    linter.report.log.append(&mut log);
    let Ok(chart) = processed else { return Ok(None) };
    // Twice, as in Helm: so a null that removed a default brings it back.
    let joined = values::coalesce(&chart, request.user, request.compat, &mut linter.report.log)
        .and_then(|joined| values::coalesce(&chart, &joined, request.compat, &mut linter.report.log));
    let Ok(joined) = joined else { return Ok(None) };
    let mut texts = None;
    if request.schemas == Schemas::Checked && schema::has_schema(&chart) {
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| texts = Some(Texts::read(&chart, request.compat)));
            schema::validate(&chart, &joined, request.access).map_err(|failure| failure.to_string())
        })?;
    }
    let texts = texts.unwrap_or_else(|| Texts::read(&chart, request.compat));
    let options = engine::Options {
        compat: request.compat,
        release: Release {
            name: "test-release".to_owned(),
            namespace: request.namespace.to_owned(),
            operation: Operation::Lint,
        },
        capabilities: Capabilities::without_cluster(request.kube_version.clone(), &[]),
        mode: Mode::Lint,
        origins: Origins::Dropped,
        environment: request.environment,
        limits: trueline_gotemplate::Limits::default(),
    };
    match engine::on_large_stack(|| engine::render_texts(&chart, &texts, &joined, &options))? {
        Ok(output) => {
            linter.report.log.extend(output.log);
            Ok(Some((chart, output.files)))
        }
        Err(error) => {
            linter.report.log.extend(error.log);
            Err(error.text)
        }
    }
}

/// A document that cannot be read ends the rule.
struct Stopped;

/// What a template wrote, and the objects in it.
struct Written<'f> {
    text: Cow<'f, str>,
    objects: Vec<Result<Option<Object>, String>>,
}

/// What a template wrote, if it is to be looked at as a manifest and is not blank.
fn written<'f>(
    chart: &Chart,
    template: &File,
    files: &'f [RenderedFile],
    compat: Compat,
) -> Option<Written<'f>> {
    let ending = extension(&template.name);
    let is_manifest = match compat {
        Compat::Helm4 => ending.eq_ignore_ascii_case(".yaml") || ending.eq_ignore_ascii_case(".yml"),
        Compat::Helm3 => ending == ".yaml",
    };
    if !is_manifest {
        return None;
    }
    let path = format!("{}/{}", chart.name(), template.name);
    let index = files.binary_search_by(|file| (*file.path).cmp(path.as_str())).ok()?;
    let file = files.get(index)?;
    let text = String::from_utf8_lossy(&file.text);
    if text.trim().is_empty() {
        return None;
    }
    let objects = Objects::new(&file.text, &text, compat).collect();
    Some(Written { text, objects })
}

/// Looks at one template and at what it wrote.
fn own_template(
    linter: &mut Linter<'_>,
    template: &File,
    written: Option<Written<'_>>,
) -> Result<(), Stopped> {
    let name = &*template.name;
    let ending = extension(name);
    if !matches!(ending, ".yaml" | ".yml" | ".tpl" | ".txt") {
        let text =
            format!("file extension '{ending}' not valid. Valid extensions are .yaml, .yml, .tpl, or .txt");
        linter.say(Severity::Error, name, text);
    }
    if linter.request.compat == Compat::Helm3 {
        helm3::check(linter, name, &template.data);
    }
    let Some(Written { text, objects }) = written else { return Ok(()) };
    if let Some(warning) = indent::warning(&text) {
        linter.say(Severity::Warning, name, warning);
    }
    for object in objects {
        match object {
            Ok(Some(object)) => manifest(linter, name, &object, &text),
            Ok(None) => {}
            Err(wrong) => {
                linter.say(Severity::Error, name, format!("unable to parse YAML: {wrong}"));
                return Err(Stopped);
            }
        }
    }
    Ok(())
}

fn manifest(linter: &mut Linter<'_>, name: &str, object: &Object, text: &str) {
    if let Some(warning) = names::warning(&object.kind, &object.metadata.name) {
        linter.say(Severity::Warning, name, warning);
    }
    if let Some(warning) =
        deprecations::warning(&object.api_version, &object.kind, linter.request.kube_version)
    {
        linter.say(Severity::Warning, name, warning);
    }
    if let Some(error) = selectors::error(object, text) {
        linter.say(Severity::Error, name, error);
    }
    if let Some(error) = lists::error(object, text, linter.request.compat) {
        linter.say(Severity::Error, name, error);
    }
}

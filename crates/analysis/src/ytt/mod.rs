//! A folder of ytt: from data values and templates to the objects that they render to.

mod annotations;
mod broken;
mod codes;
mod fault;
mod files;
mod ignored;
mod paths;
mod rendered;
mod rules;
mod sentences;
mod settings;
mod violation;
mod words;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, LeftOut, Level};
use trueline_helm::engine::on_large_stack;
use trueline_source::{LoadError, SourceId, SourceKind, SourceMap, Span};
use trueline_ytt::error::ErrorKind;
use trueline_ytt::run::{Options, Produced, Telling};

use crate::budget;
use crate::chart::{without_type, wrong_fields};
use crate::input::unreadable;
use crate::kinds::InputKind;
use crate::kubernetes::{Objects, Stage};
use crate::rendering::{RenderedDocument, Rendering};
use crate::secret;
use crate::session::Session;
use crate::unit::{Checked, Mode};
use crate::walk::Candidate;
use codes::{LIMIT, VALIDATION};
use fault::Faults;
use files::{Listing, Read};
use rendered::Written;
use settings::FlagFiles;

pub(crate) use codes::CODES;
pub(crate) use ignored::ignored_values;
pub use settings::YttSettings;

/// What can leave the thread of a run.
struct Ran {
    files: Vec<SourceId>,
    /// The files that flags name, which other units share.
    flag_files: Vec<SourceId>,
    /// The file that could not be read.
    failed: Option<LoadError>,
    result: Result<Vec<(Arc<str>, Written)>, Vec<Diagnostic>>,
}

/// Checks one folder, or one file.
pub(crate) fn check(
    candidate: &Candidate,
    mode: Mode<'_>,
    settings: &Session,
    sources: &Arc<SourceMap>,
) -> Checked {
    let loader = candidate.loader();
    let listing = match files::list(loader, &candidate.path) {
        Ok(listing) => listing,
        Err(error) => {
            let finding = unreadable(loader, &error, sources);
            return Checked { could_not_read: true, ..Checked::found(InputKind::Ytt, vec![finding]) };
        }
    };
    let name = candidate.name();
    let at_start = |message: String| {
        let source = sources.add(name.as_str(), SourceKind::File, "");
        Diagnostic::new(&LIMIT, Span::whole(source), message).level(Level::Semantic)
    };
    if let Some(why) = &listing.cut {
        return Checked::found(InputKind::Ytt, vec![at_start(format!("not rendered: {why}"))]);
    }
    let ran = match on_large_stack(|| run(candidate, &listing, settings, sources)) {
        Ok(ran) => ran,
        Err(why) => return Checked::found(InputKind::Ytt, vec![at_start(format!("not rendered: {why}"))]),
    };
    let (files, mut objects) = (ran.files, Objects::default());
    let mut findings = match (ran.result, &ran.failed) {
        (Ok(written), _) => {
            let read = |(template, written): (Arc<str>, Written)| written.read(&template, sources);
            let documents = written.into_iter().filter_map(read);
            // ytt is not only for Kubernetes: what has no part of a head is configuration of something else.
            let (documents, others): (Vec<RenderedDocument>, Vec<_>) = documents.partition(|rendered| {
                let root = rendered.document.root();
                ["apiVersion", "kind"].iter().any(|key| root.get(key).is_some())
            });
            objects.left_out.extend(not_objects(others.len()));
            let found = look_at(&documents, &Stage::new(mode, settings, sources), &mut objects, sources);
            if let Some(parts) = mode.parts {
                parts.keep_renderings(vec![Rendering::of_documents(documents, sources)]);
            }
            found
        }
        (Err(_), Some(error)) => {
            let finding = unreadable(loader, error, sources);
            let checked = Checked::found(InputKind::Ytt, vec![finding]);
            return Checked { files, could_not_read: true, ..checked };
        }
        (Err(findings), None) => findings,
    };
    findings.extend(annotations::unknown(&files, sources));
    findings.extend(annotations::duplicates(&ran.flag_files, sources));
    let subchart_files = ran.flag_files;
    Checked { files, subchart_files, objects: vec![objects], ..Checked::found(InputKind::Ytt, findings) }
}

/// What the summary says of documents that are not objects.
fn not_objects(count: usize) -> Option<LeftOut> {
    let what = match count {
        0 => return None,
        1 => "1 rendered document".to_owned(),
        _ => format!("{count} rendered documents"),
    };
    Some(LeftOut { what, why: "no `apiVersion` and no `kind`: not Kubernetes objects".to_owned() })
}

/// What is wrong with what was rendered.
fn look_at(
    documents: &[RenderedDocument],
    stage: &Stage<'_>,
    objects: &mut Objects,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    objects.secrets = secret::of_documents(documents, sources);
    let mut findings = Vec::new();
    for rendered in documents {
        findings.extend(without_type(rendered.document.root()));
        findings.extend(wrong_fields(rendered.document.root()));
    }
    let found = stage.look_at_rendered(documents, &[], &findings, objects);
    findings.extend(found);
    findings.extend(stage.look_at_rendered_services(documents));
    once(findings)
}

/// One cause is reported once: what is said of a value is not said again of a default that is made of it, and an item that
/// is there twice is not also incomplete.
fn once(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let words = |finding: &Diagnostic| match finding.message.strip_prefix('`') {
        Some(rest) => rest.split_once('`').map_or(rest, |(_, words)| words).to_owned(),
        None => finding.message.clone(),
    };
    let item = |path: &str| path.rsplit_once('.').map(|(item, _)| format!("{item}."));
    let is_twice = |finding: &&Diagnostic| finding.code.id == "TL0706";
    let twice: Vec<String> =
        findings.iter().filter(is_twice).filter_map(|finding| item(finding.path.as_deref()?)).collect();
    let mut said = BTreeSet::new();
    let mut kept = Vec::with_capacity(findings.len());
    for finding in findings {
        let path = finding.path.as_deref().unwrap_or_default();
        let is_incomplete = finding.code.id == "TL0703";
        if is_incomplete && twice.iter().any(|item| item.ends_with("].") && path.starts_with(item.as_str())) {
            continue;
        }
        if said.insert((finding.code.id, finding.primary.span, words(&finding))) {
            kept.push(finding);
        }
    }
    kept
}

/// Failures that come from one place are one: several files may load what fails. A value may break several rules.
fn at_once(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut said = BTreeSet::new();
    let mut is_new = |finding: &Diagnostic| {
        let is_of_rule = finding.code.id == VALIDATION.id;
        let words = if is_of_rule { finding.message.clone() } else { String::new() };
        said.insert((finding.code.id, finding.primary.span, words))
    };
    findings.into_iter().filter(|finding| is_new(finding)).collect()
}

/// Renders the folder, on a thread with a large stack.
fn run(candidate: &Candidate, listing: &Listing, settings: &Session, sources: &Arc<SourceMap>) -> Ran {
    let loader = candidate.loader();
    let read = Rc::new(Read::default());
    let mut options =
        Options { flags: settings.ytt.flags(sources), telling: Telling::Others, ..Options::default() };
    options.limits.steps = options.limits.steps.min(budget::CHART);
    let inputs = FlagFiles { settings, sources, read: RefCell::default() };
    let ended = trueline_ytt::run(listing.open(loader, sources, &read), &options, &inputs);
    let (name, shown) = (candidate.name(), |path: &str| loader.display(listing.path_of(path)));
    let faults = Faults { sources, unit: &name };
    let (result, is_of_file) = match &ended.result {
        Ok(produced) => (Ok(written(produced, &shown, sources)), false),
        Err(error) => {
            let all = std::iter::once(error).chain(&ended.others);
            let findings = all.flat_map(|error| faults.findings(error)).collect();
            (Err(at_once(findings)), matches!(error.kind(), ErrorKind::File))
        }
    };
    let failed = read.failed.take().filter(|_| is_of_file);
    Ran { files: read.sources.take(), flag_files: inputs.read.take(), failed, result }
}

/// The documents of a run as texts.
fn written(
    produced: &Produced,
    shown: &dyn Fn(&str) -> String,
    sources: &SourceMap,
) -> Vec<(Arc<str>, Written)> {
    let mut all = Vec::new();
    for file in &produced.documents {
        let template: Arc<str> = shown(&file.path).into();
        let mut lines = 0;
        for document in &file.content.documents {
            let Some(written) = rendered::write(document, lines, sources) else { continue };
            // A line between documents separates them.
            lines = lines.saturating_add(written.lines()).saturating_add(1);
            all.push((Arc::clone(&template), written));
        }
    }
    all
}

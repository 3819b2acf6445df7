//! Overlays among the output of templates: documents with `overlay/match` are applied to all others.

use starlark::Thread;
use trueline_starlark as starlark;

use super::annotations::MATCH;
use super::calls::Caller;
use super::engine::Engine;
use super::fault::Fault;
use super::{Exactness, documents_to_yaml, to_yaml};
use crate::error::Error;
use crate::tree::{Document, DocumentSet};
use crate::value::Context;

/// What a file rendered to.
#[derive(Debug, Clone)]
pub struct OverlayFile {
    /// The name that messages use.
    pub name: String,
    /// The documents.
    pub documents: DocumentSet,
}

/// Takes the overlays out of the documents of all files and applies them to the others, in the order of files and
/// documents. The result has an entry for each file; a file that has no documents but overlays and empty ones has none.
///
/// An overlay that finds no document is handed to `set_aside`. If that takes it, the others are applied.
///
/// # Errors
/// If an overlay cannot be applied.
pub fn post_process(
    files: Vec<OverlayFile>,
    thread: &mut Thread,
    context: &Context,
    set_aside: &mut dyn FnMut(Error) -> Result<(), Error>,
) -> Result<Vec<Option<DocumentSet>>, Error> {
    let mut overlays = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut results = Vec::with_capacity(files.len());
    for OverlayFile { name, mut documents } in files {
        let known = overlays.len();
        let is_overlay = |document: &mut Document| document.meta.annotations().has(MATCH);
        overlays.extend(documents.documents.extract_if(.., is_overlay));
        documents.documents.retain(|document| !document.is_empty());
        if overlays.len() > known {
            names.push(name);
        }
        let has_any = !documents.documents.is_empty();
        results.push(has_any.then_some(documents));
    }
    let prefixed =
        |error: Error| error.context(format_args!("Overlaying (in following order: {})", names.join(", ")));
    apply(&mut results, overlays, thread, context, &mut |error| set_aside(prefixed(error)))?
        .map_err(|fault| prefixed(fault.into()))?;
    Ok(results)
}

fn apply(
    files: &mut [Option<DocumentSet>],
    overlays: Vec<Document>,
    thread: &mut Thread,
    context: &Context,
    set_aside: &mut dyn FnMut(Error) -> Result<(), Error>,
) -> Result<Result<(), Fault>, Error> {
    let mut engine = Engine::new(Caller { thread, context }, Exactness::Annotated);
    // Dicts and lists count as YAML as soon as an overlay comes after them.
    engine.took_results = true;
    for mut overlay in overlays {
        if std::mem::take(&mut engine.took_results) {
            files.iter_mut().flatten().for_each(documents_to_yaml);
        }
        overlay.value = to_yaml(overlay.value);
        let mut lists: Vec<&mut Vec<Document>> =
            files.iter_mut().flatten().map(|file| &mut file.documents).collect();
        match engine.apply_document(&mut lists, &overlay) {
            // Nothing was changed yet, and what comes after it is seldom about the same documents.
            Err(fault) if fault.found_no_document(&overlay) => set_aside(fault.into())?,
            Err(fault) => return Ok(Err(fault)),
            Ok(()) => {}
        }
    }
    let lists: Vec<&mut Vec<Document>> = files.iter_mut().flatten().map(|file| &mut file.documents).collect();
    Ok(engine.finish(&lists))
}

//! From rendered files to a release: documents are split, their heads read, hooks set apart, the rest put into
//! the order of installation, and all of it printed.

mod annotation;
mod head;
mod hook;
mod kube_version;
mod order;
mod print;
mod split;
mod text;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use trueline_source::{Origin, OriginMap, SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::{Document, ReadOptions};

use crate::chart::Compat;
use crate::log::LogLine;

pub use annotation::{merge_annotated, split_annotated};
pub use head::Head;
pub use hook::Event;
pub use kube_version::{check_kube_version, is_constraint};
pub use print::{NotFound, Part, WrittenFile, print, show_only, text, whole_files, written_files};
pub use split::split;

/// Fewer files than this are looked at faster than another thread is woken.
const FILES_A_THREAD: usize = 16;

/// One file as the engine wrote it.
#[derive(Debug, Clone)]
pub struct RenderedFile {
    /// The path of its template, from the name of the root chart on.
    pub path: Arc<str>,
    /// What was written; a template may write any bytes.
    pub text: Arc<[u8]>,
    /// The way back to what wrote it.
    pub origins: OriginMap,
}

impl RenderedFile {
    /// Whether it is for people to read after an installation, and not a manifest.
    pub fn is_notes(&self) -> bool {
        self.path.ends_with("NOTES.txt")
    }
}

/// A rendered file that has become a source.
#[derive(Debug)]
pub struct RenderedText {
    /// The path of its template, from the name of the root chart on.
    pub path: Arc<str>,
    /// The bytes.
    pub bytes: Arc<[u8]>,
    /// The source that holds them; bytes that are no UTF-8 are replaced there.
    pub source: SourceId,
}

impl RenderedText {
    fn new(file: RenderedFile, sources: &SourceMap) -> Self {
        let kind = SourceKind::Rendered(file.origins);
        let (bytes, source) = match std::str::from_utf8(&file.text) {
            Ok(text) => {
                let text: Arc<str> = Arc::from(text);
                let source = sources.add(&*file.path, kind, Arc::clone(&text));
                (Arc::from(text), source)
            }
            Err(_) => {
                let source = sources.add(&*file.path, kind, String::from_utf8_lossy(&file.text));
                (file.text, source)
            }
        };
        RenderedText { path: file.path, bytes, source }
    }
}

/// One document of a rendered file.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The file that it stands in.
    pub file: Arc<RenderedText>,
    /// Where it stands there.
    pub range: Range<usize>,
    /// What it says it is.
    pub head: Head,
    /// When it runs, if it is a hook.
    pub events: Vec<Event>,
}

impl Manifest {
    /// The text of the document.
    pub fn content(&self) -> &[u8] {
        self.file.bytes.get(self.range.clone()).unwrap_or_default()
    }

    /// The place of the document in the rendered file.
    pub fn span(&self) -> Span {
        self.file.source.span(self.range.start, self.range.end)
    }

    /// The document as a tree, in a source of its own that leads back to the rendered file; nothing if it holds
    /// only comments.
    pub fn document(&self, sources: &SourceMap) -> Option<Document> {
        let text: Arc<str> = String::from_utf8_lossy(self.content()).into();
        let mut origins = OriginMap::default();
        origins.push(0, Origin::Verbatim(self.span()));
        let source = sources.add(&*self.file.path, SourceKind::Rendered(origins), Arc::clone(&text));
        let stream = trueline_yaml::read(source, &text, &ReadOptions::default());
        stream.first().ok().flatten().cloned()
    }
}

/// Everything that a chart was rendered to.
#[derive(Debug, Default)]
pub struct Release {
    /// The rendered files in the order of their paths.
    pub files: Vec<Arc<RenderedText>>,
    /// The documents in the order of installation.
    pub manifests: Vec<Manifest>,
    /// The hooks in the same order.
    pub hooks: Vec<Manifest>,
    /// What was said on the way.
    pub log: Vec<LogLine>,
    /// The first document that cannot be read; then nothing is sorted.
    pub error: Option<ManifestError>,
}

/// A rendered document that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestError {
    /// The path of the template.
    pub path: Arc<str>,
    /// Go's words for what is wrong.
    pub text: String,
    /// The place in the rendered file.
    pub span: Span,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "YAML parse error on {}: {}", self.path, self.text)
    }
}

impl std::error::Error for ManifestError {}

/// Splits rendered files into documents, and sorts them as Helm does. Notes are for people, and no documents.
pub fn manifests(mut files: Vec<RenderedFile>, compat: Compat, sources: &SourceMap) -> Release {
    files.retain(|file| !file.is_notes());
    files.sort_by(|left, right| left.path.cmp(&right.path));
    let mut release = Release {
        files: files.into_iter().map(|file| Arc::new(RenderedText::new(file, sources))).collect(),
        ..Release::default()
    };
    let heads: Vec<_> = if release.files.len() < 2 * FILES_A_THREAD {
        release.files.iter().map(|file| heads(file, compat)).collect()
    } else {
        release.files.par_iter().with_min_len(FILES_A_THREAD).map(|file| heads(file, compat)).collect()
    };
    for (file, heads) in release.files.iter().zip(heads) {
        for (range, head) in heads {
            let head = match head {
                Ok(head) => head,
                Err(wrong) => {
                    let place = |offset: usize| range.start.saturating_add(offset).min(range.end);
                    release.error = Some(ManifestError {
                        path: Arc::clone(&file.path),
                        text: wrong.text,
                        span: file.source.span(place(wrong.range.start), place(wrong.range.end)),
                    });
                    return release;
                }
            };
            let kind = hook::events(&head);
            let manifest = |events| Manifest { file: Arc::clone(file), range, head, events };
            match kind {
                hook::HookEvents::None => release.manifests.push(manifest(Vec::new())),
                hook::HookEvents::Known(events) => release.hooks.push(manifest(events)),
                hook::HookEvents::Unknown(line) => release.log.push(line),
            }
        }
    }
    order::sort(&mut release.manifests, compat);
    order::sort(&mut release.hooks, compat);
    release
}

/// The documents of a file with their heads, up to the first that cannot be read.
fn heads(file: &RenderedText, compat: Compat) -> Vec<(Range<usize>, Result<Head, head::Wrong>)> {
    let is_partial = file.path.rsplit('/').next().is_some_and(|name| name.starts_with('_'));
    if is_partial || text::is_blank(&file.bytes) {
        return Vec::new();
    }
    let mut heads = Vec::new();
    for range in split(&file.bytes, compat) {
        let head = head::read(file.bytes.get(range.clone()).unwrap_or_default(), compat);
        let is_end = head.is_err();
        heads.push((range, head));
        if is_end {
            break;
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> RenderedFile {
        RenderedFile { path: path.into(), text: text.as_bytes().into(), origins: OriginMap::default() }
    }

    #[test]
    fn documents_come_in_the_order_of_installation_and_hooks_apart() {
        let sources = SourceMap::new();
        let files = vec![
            file("t/templates/b.yaml", "kind: Service\n---\nkind: Zebra\n---\nkind: Secret\n"),
            file(
                "t/templates/a.yaml",
                "kind: Service\nmetadata: {name: first}\n---\nkind: Job\nmetadata:\n  annotations:\n    \
                 helm.sh/hook: Pre-Install, test\n---\nmetadata: {annotations: {helm.sh/hook: never}}\n",
            ),
            file("t/templates/_c.yaml", "kind: ["),
            file("t/templates/d.yaml", " \n\t\n"),
            file("t/templates/sub/NOTES.txt", "thank: you: all"),
        ];
        let release = manifests(files, Compat::Helm4, &sources);
        assert_eq!(release.error, None);
        let kinds: Vec<(&str, &str)> = release
            .manifests
            .iter()
            .map(|manifest| (&*manifest.file.path, manifest.head.kind.as_str()))
            .collect();
        assert_eq!(
            kinds,
            [
                ("t/templates/b.yaml", "Secret"),
                ("t/templates/a.yaml", "Service"),
                ("t/templates/b.yaml", "Service"),
                ("t/templates/b.yaml", "Zebra"),
            ]
        );
        assert_eq!(release.manifests[1].head.name, "first");
        assert_eq!(release.hooks.len(), 1);
        assert_eq!(release.hooks[0].events, [Event::PreInstall, Event::Test]);
        let lines: Vec<_> = release.log.iter().filter_map(|line| line.render(Compat::Helm4)).collect();
        assert_eq!(lines, ["level=INFO msg=\"skipping unknown hooks\" hookTypes=never"]);
    }

    #[test]
    fn what_is_wrong_is_placed_in_the_rendered_file() {
        let sources = SourceMap::new();
        let text = "a: 1\n---\nb: 2\nkind: [x]\n";
        let release = manifests(vec![file("t/templates/a.yaml", text)], Compat::Helm4, &sources);
        let error = release.error.unwrap();
        assert_eq!(
            error.to_string(),
            "YAML parse error on t/templates/a.yaml: error unmarshaling JSON: while decoding JSON: json: cannot \
             unmarshal array into Go struct field SimpleHead.kind of type string"
        );
        assert_eq!(sources.get(error.span.source).slice(error.span), "[x]");
    }

    #[test]
    fn a_document_leads_back_to_the_rendered_file() {
        let sources = SourceMap::new();
        let release = manifests(
            vec![file("t/templates/a.yaml", "---\nkind: A\n---\nkind: B\n")],
            Compat::Helm4,
            &sources,
        );
        let manifest = &release.manifests[1];
        let document = manifest.document(&sources).unwrap();
        let place = sources.resolve(document.root().get("kind").unwrap().span());
        assert_eq!(place.span, manifest.file.source.span(22, 23));
        assert_eq!(manifest.content(), b"kind: B\n");
    }
}

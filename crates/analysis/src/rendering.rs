//! What a unit was rendered to: the same for all template engines, and for files that are no templates.

use std::sync::Arc;

use trueline_helm::release::RenderedFile;
use trueline_source::{Origin, OriginMap, SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::Document;

/// What was written with one set of values.
#[derive(Debug, Default)]
pub struct Rendering {
    /// The file that the values are from, where there are several sets; nothing for the first.
    pub values: Option<String>,
    /// The texts that were written.
    pub files: Vec<RenderedText>,
    /// The documents in them.
    pub documents: Vec<RenderedDocument>,
}

/// A file that was rendered.
#[derive(Debug, Clone)]
pub struct RenderedText {
    /// The template that wrote it.
    pub path: Arc<str>,
    /// Its bytes: a template may write what is not UTF-8.
    pub text: Arc<[u8]>,
    /// What wrote each of them.
    pub origins: OriginMap,
}

/// A document that was written: what the checks of Kubernetes objects take. Its origins are those of its source.
#[derive(Debug)]
pub struct RenderedDocument {
    /// The rendered text.
    pub source: SourceId,
    /// The document in it.
    pub span: Span,
    /// The chart whose template wrote it, from the root chart on, such as `web/charts/redis`; empty where there are no charts.
    pub chart: String,
    /// The template, with the path of its chart before it.
    pub template: Arc<str>,
    /// What it says.
    pub document: Arc<Document>,
}

impl From<RenderedFile> for RenderedText {
    fn from(file: RenderedFile) -> Self {
        RenderedText { path: file.path, text: file.text, origins: file.origins }
    }
}

impl Rendering {
    /// What was written as documents, each with a source of its own.
    pub(crate) fn of_documents(documents: Vec<RenderedDocument>, sources: &SourceMap) -> Self {
        let text = |document: &RenderedDocument| {
            let source = sources.get(document.source);
            let origins = match source.kind() {
                SourceKind::Rendered(origins) => origins.clone(),
                _ => OriginMap::new(),
            };
            RenderedText {
                path: Arc::clone(&document.template),
                text: Arc::clone(source.text()).into(),
                origins,
            }
        };
        Rendering { values: None, files: documents.iter().map(text).collect(), documents }
    }

    /// A file that is not a template: it is written as it was typed.
    pub(crate) fn of_file(source: SourceId, documents: Vec<Document>, sources: &SourceMap) -> Self {
        let file = sources.get(source);
        let (path, text) = (Arc::from(file.name()), Arc::<[u8]>::from(Arc::clone(file.text())));
        let span = source.span(0, text.len());
        let mut origins = OriginMap::new();
        origins.push(0, Origin::Verbatim(span));
        let documents = documents.into_iter().filter(|document| !document.root().is_null());
        let documents = documents.map(|document| RenderedDocument {
            source,
            span,
            chart: String::new(),
            template: Arc::clone(&path),
            document: Arc::new(document),
        });
        let documents = documents.collect();
        Rendering { values: None, documents, files: vec![RenderedText { path, text, origins }] }
    }
}

//! Test helpers for rules: texts with the expected places marked `«…»`.

use std::sync::Arc;

use trueline_diagnostic::Diagnostic;
use trueline_source::{
    Entry, LoadError, LoadErrorKind, Loader, MemoryLoader, SourceId, SourceKind, SourceMap,
};

use crate::Registry;
use crate::field::Field;
use crate::manifest::Subject;
use crate::rules::Rule;

/// A rule with the context of the manifests it is tested on.
#[derive(Clone)]
pub(crate) struct Bench {
    check: Rule,
    registry: Option<String>,
    files: Option<Vec<(String, String, bool)>>,
    loader: Option<Arc<dyn Loader>>,
}

/// A place: the name of the text and the bytes in it.
type Spot = (String, std::ops::Range<usize>);

impl Bench {
    pub(crate) fn new(check: Rule) -> Self {
        Bench { check, registry: None, files: None, loader: None }
    }

    /// With the extensions of a `registry.yaml`.
    pub(crate) fn registry(mut self, text: &str) -> Self {
        self.registry = Some(text.to_owned());
        self
    }

    /// With an empty package.
    pub(crate) fn package(mut self) -> Self {
        self.files.get_or_insert_default();
        self
    }

    /// With a file in the package.
    pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
        self.files.get_or_insert_default().push((path.to_owned(), text.to_owned(), false));
        self
    }

    /// With an executable file in the package.
    pub(crate) fn script(mut self, path: &str) -> Self {
        self.files.get_or_insert_default().push((path.to_owned(), "#!/bin/sh\n".to_owned(), true));
        self
    }

    /// With a package that is read through a loader.
    pub(crate) fn loader(mut self, loader: impl Loader + 'static) -> Self {
        self.loader = Some(Arc::new(loader));
        self
    }

    /// Asserts that the rule finds nothing in these texts.
    pub(crate) fn accepts(&self, texts: &[&str]) {
        for text in texts {
            let (findings, _) = self.run(text);
            assert!(findings.is_empty(), "{text}\n{findings:?}");
        }
    }

    /// Asserts that the rule finds something at each marked place, in order, and that the messages together
    /// contain the given words.
    pub(crate) fn rejects(&self, cases: &[(&str, &str)]) {
        for (text, words) in cases {
            let (findings, expected) = self.run(text);
            assert!(!expected.is_empty(), "no place is marked in\n{text}");
            let places: Vec<&Spot> = findings.iter().map(|(spot, _)| spot).collect();
            let messages: Vec<String> = findings.iter().map(|(_, finding)| finding.message.clone()).collect();
            assert_eq!(places, expected.iter().collect::<Vec<_>>(), "{text}\n{messages:?}");
            assert!(messages.join("\n").contains(words), "{text}\n{messages:?}");
            for (_, finding) in &findings {
                assert!(finding.path.is_some() && finding.level.is_some(), "{text}");
                assert!(!finding.message.ends_with('.'), "{}", finding.message);
            }
        }
    }

    /// What the rule finds in text.
    pub(crate) fn findings(&self, text: &str) -> Vec<Diagnostic> {
        self.run(text).0.into_iter().map(|(_, finding)| finding).collect()
    }

    fn run(&self, marked: &str) -> (Vec<(Spot, Diagnostic)>, Vec<Spot>) {
        let sources = SourceMap::new();
        let mut expected = Vec::new();
        let text = unmark("extension.yaml", marked, &mut expected);
        let registry = self.registry.as_ref().map(|text| {
            let source = sources.add("registry.yaml", SourceKind::File, text.as_str());
            Registry::from_document(&read(source, text))
        });
        let package = self.files.as_ref().map(|files| {
            let mut loader = MemoryLoader::new("");
            for (path, text, executable) in files {
                let text = unmark(path, text, &mut expected);
                loader = if *executable {
                    loader.with_executable(path, text)
                } else {
                    loader.with_file(path, text)
                };
            }
            Arc::new(loader) as Arc<dyn Loader>
        });
        let package = self.loader.clone().or(package);
        let source = sources.add("extension.yaml", SourceKind::File, text.as_str());
        let document = read(source, &text);
        let subject = Subject::new(Field::root(document.root()), &sources, registry.as_ref(), package);
        let mut findings = Vec::new();
        (self.check)(&subject, &mut findings);
        let place = |finding: &Diagnostic| {
            let span = finding.primary.span;
            (sources.get(span.source).name().to_owned(), span.range())
        };
        let mut findings: Vec<(Spot, Diagnostic)> =
            findings.into_iter().map(|finding| (place(&finding), finding)).collect();
        findings.sort_by_key(|((name, range), _)| (name.clone(), range.start));
        expected.sort_by_key(|(name, range)| (name.clone(), range.start));
        (findings, expected)
    }
}

fn read(source: SourceId, text: &str) -> trueline_yaml::Document {
    let mut stream = crate::check::read(source, &Arc::from(text));
    assert!(stream.errors.is_empty(), "{text}\n{:?}", stream.errors);
    stream.documents.remove(0)
}

/// The text without its marks; the marked places are added to `spots`.
fn unmark(name: &str, marked: &str, spots: &mut Vec<Spot>) -> String {
    let mut text = String::new();
    let mut start = 0;
    for character in marked.chars() {
        match character {
            '«' => start = text.len(),
            '»' => spots.push((name.to_owned(), start..text.len())),
            character => text.push(character),
        }
    }
    text
}

/// A package in which no file can be read, for one reason.
#[derive(Debug)]
pub(crate) struct Unreadable(pub(crate) LoadErrorKind);

impl Loader for Unreadable {
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
        Err(LoadError::new(self.0, path))
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
        Err(LoadError::new(self.0, path))
    }

    fn entry(&self, path: &str) -> Result<Entry, LoadError> {
        Err(LoadError::new(self.0, path))
    }

    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        Err(LoadError::new(self.0, path))
    }

    fn display(&self, path: &str) -> String {
        path.to_owned()
    }
}

#[test]
fn nothing_can_be_read_in_an_unreadable_package() {
    let package = Unreadable(LoadErrorKind::Denied);
    assert!(package.list("").is_err() && package.scoped("").is_err());
    assert_eq!(package.display("a"), "a");
}

//! A bench for rules: objects in, the server's texts out.

use std::sync::Arc;

use trueline_diagnostic::Severity;
use trueline_kube_api::Api;
use trueline_kube_facts::KubeVersion;
use trueline_source::{SourceKind, SourceMap, Span};

use crate::manifest::{Fact, Options, Problem, Verdict, objects, validate, validate_update};

/// Checks objects against one version.
pub(crate) struct Bench {
    api: &'static Api,
}

impl Bench {
    /// The version that the rules were compared with.
    pub(crate) fn new() -> Self {
        Bench::of(35)
    }

    /// Another version.
    pub(crate) fn of(minor: u16) -> Self {
        Bench { api: Api::for_version(KubeVersion { minor }).unwrap() }
    }

    /// The errors, each as one line.
    pub(crate) fn errors(&self, text: &str) -> Vec<String> {
        let sources = SourceMap::new();
        let source = sources.add("object.yaml", SourceKind::File, text);
        let entry = sources.get(source);
        let text: &Arc<str> = entry.text();
        let stream = trueline_yaml::read(source, text, &trueline_yaml::ReadOptions::default());
        assert!(stream.errors.is_empty(), "{:?} in {text}", stream.errors);
        let mut errors = Vec::new();
        for document in &stream.documents {
            for object in objects(document.root()) {
                let Verdict::Checked(problems) = validate(self.api, &object, &Options::default()) else {
                    panic!("skipped: {text}")
                };
                for problem in problems.iter().filter(|problem| problem.severity == Severity::Error) {
                    errors.push(match &problem.fact {
                        Fact::Refused(error, _) => error.message(),
                        fact => format!("{}: {fact:?}", problem.field),
                    });
                }
            }
        }
        errors
    }

    /// What may not change, each as one line: the text in the new object, the field, the text in the old one, and what
    /// the server says.
    pub(crate) fn changes(&self, old: &str, new: &str) -> Vec<String> {
        let sources = SourceMap::new();
        let read = |name: &str, text: &str| {
            let source = sources.add(name, SourceKind::File, text);
            let stream = trueline_yaml::read(
                source,
                sources.get(source).text(),
                &trueline_yaml::ReadOptions::default(),
            );
            assert!(stream.errors.is_empty(), "{:?} in {text}", stream.errors);
            stream
        };
        let (old_stream, stream) = (read("old.yaml", old), read("new.yaml", new));
        let (before, after) = (objects(old_stream.documents[0].root()), objects(stream.documents[0].root()));
        let Verdict::Checked(problems) =
            validate_update(self.api, &after[0], &before[0], &Options::default())
        else {
            panic!("skipped: {new}")
        };
        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
        errors
            .map(|problem| match &problem.fact {
                Fact::Changed(error, place) => {
                    let (now, before) = (new.get(problem.place.range()), old.get(place.range()));
                    let (now, before) = (now.unwrap_or_default(), before.unwrap_or_default());
                    let related = problem.related.iter().map(|(place, words)| {
                        format!(" + «{}» {words}", new.get(place.range()).unwrap_or_default())
                    });
                    let related: String = related.collect();
                    format!("«{now}» {} (was «{before}») {}{related}", problem.field, error.message())
                }
                Fact::Refused(error, _) => error.message(),
                fact => format!("{}: {fact:?}", problem.field),
            })
            .collect()
    }

    /// The update has exactly these errors, each of which begins with the text given.
    #[track_caller]
    pub(crate) fn updates(&self, old: &str, new: &str, expected: &[&str]) {
        let errors = self.changes(old, new);
        let is_same = errors.len() == expected.len()
            && expected.iter().all(|start| errors.iter().any(|error| error.starts_with(start)));
        assert!(is_same, "{errors:#?}\nin place of\n{expected:#?}\nfor\n{new}");
    }

    /// The update has exactly one error, in these words of the server.
    #[track_caller]
    pub(crate) fn updates_with(&self, old: &str, new: &str, words: &str) {
        let errors = self.changes(old, new);
        let is_meant = |error: &String| error.contains(&format!(") {words}"));
        assert!(
            errors.len() == 1 && errors.iter().all(is_meant),
            "{errors:#?}\nin place of {words} for\n{new}"
        );
    }

    /// The update has exactly one error, about the change of this field.
    #[track_caller]
    pub(crate) fn updates_field(&self, old: &str, new: &str, field: &str) {
        let errors = self.changes(old, new);
        let is_meant = |error: &String| error.contains(&format!("» {field} (was «"));
        assert!(
            errors.len() == 1 && errors.iter().all(is_meant),
            "{errors:#?}\nin place of {field} for\n{new}"
        );
    }

    /// The object has exactly these warnings and no error, each as the text that it points at, the field and the
    /// server's words; each begins with the text given.
    #[track_caller]
    pub(crate) fn warns(&self, text: &str, expected: &[&str]) {
        let warnings = self.warnings(text);
        let is_same = warnings.len() == expected.len()
            && expected.iter().all(|start| warnings.iter().any(|warning| warning.starts_with(start)));
        assert!(is_same, "{warnings:#?}\nin place of\n{expected:#?}\nin\n{text}");
    }

    /// The warnings, each as one line.
    pub(crate) fn warnings(&self, text: &str) -> Vec<String> {
        let problems = self.problems(text);
        let line = |problem: &Problem| match &problem.fact {
            Fact::Warned(breach, _) => {
                let place = text.get(problem.place.range()).unwrap_or_default();
                format!("«{place}» {}: {}", problem.field, breach.sentence())
            }
            Fact::Later(error) => {
                let place = text.get(problem.place.range()).unwrap_or_default();
                let words = error.message_without_field();
                format!(
                    "«{place}» {}: {words} (the server takes it now, and refuses it where it is used)",
                    problem.field
                )
            }
            fact => format!("{}: {fact:?}", problem.field),
        };
        problems.iter().map(line).collect()
    }

    /// What else the problems of an object point at, each as the text there and what is said of it.
    pub(crate) fn related(&self, text: &str) -> Vec<String> {
        let line = |(place, words): &(Span, String)| {
            format!("«{}» {words}", text.get(place.range()).unwrap_or_default())
        };
        self.problems(text).iter().flat_map(|problem| problem.related.iter().map(line)).collect()
    }

    /// The texts that the problems of an object point at.
    pub(crate) fn places(&self, text: &str) -> Vec<String> {
        let place = |problem: &Problem| text.get(problem.place.range()).unwrap_or_default().to_owned();
        self.problems(text).iter().map(place).collect()
    }

    /// All that is wrong with the first object.
    fn problems(&self, text: &str) -> Vec<Problem> {
        let sources = SourceMap::new();
        let source = sources.add("object.yaml", SourceKind::File, text);
        let stream =
            trueline_yaml::read(source, sources.get(source).text(), &trueline_yaml::ReadOptions::default());
        let object = objects(stream.documents[0].root())[0];
        match validate(self.api, &object, &Options::default()) {
            Verdict::Checked(problems) => problems,
            Verdict::Skipped(_) => panic!("skipped: {text}"),
        }
    }

    /// The object has no error.
    #[track_caller]
    pub(crate) fn accepts(&self, text: &str) {
        let errors = self.errors(text);
        assert!(errors.is_empty(), "{errors:#?}\nin\n{text}");
    }

    /// The object has exactly these errors, each of which begins with the text given.
    #[track_caller]
    pub(crate) fn refuses(&self, text: &str, expected: &[&str]) {
        let errors = self.errors(text);
        let is_same = errors.len() == expected.len()
            && expected.iter().all(|start| errors.iter().any(|error| error.starts_with(start)));
        assert!(is_same, "{errors:#?}\nin place of\n{expected:#?}\nin\n{text}");
    }

    /// Each of these parts, put where `{}` stands, is taken.
    #[track_caller]
    pub(crate) fn accepts_all(&self, frame: &str, parts: &[&str]) {
        for part in parts {
            self.accepts(&frame.replace("{}", part));
        }
    }

    /// Each of these parts, put where `{}` stands, has this one error.
    #[track_caller]
    pub(crate) fn refuses_all(&self, frame: &str, parts: &[(&str, &str)]) {
        for (part, error) in parts {
            self.refuses(&frame.replace("{}", part), &[error]);
        }
    }
}

//! What Chart.yaml must say, in the order that Helm looks at it.

use std::collections::BTreeMap;

use trueline_diagnostic::{Code, Diagnostic, Level};
use trueline_gotemplate::fmt::quote;
use trueline_gotemplate::is_print;
use trueline_source::Span;
use trueline_sprig::semver::Version;
use trueline_yaml::{Data, Value};

use super::metadata::{Draft, place_of};
use super::{
    API_VERSION, CHART_NAME, CHART_TYPE, CHART_VERSION, DEPENDENCY_ALIAS, DUPLICATE_DEPENDENCY, Dependency,
    EMPTY_DEPENDENCY, EMPTY_MAINTAINER, LoadFailure,
};

/// Cleans the texts of a chart's metadata, and lists everything that is wrong with them. `file` is where to
/// point if what is missing has no place.
pub(crate) fn check(draft: &mut Draft, file: Span) -> Result<(), LoadFailure> {
    clean(draft);
    let mut problems = Problems { file, written: draft.metadata.written.clone(), found: Vec::new() };
    problems.about_chart(draft);
    problems.about_maintainers(draft);
    problems.about_dependencies(draft);
    let mut found = problems.found.into_iter();
    let Some((first, diagnostic)) = found.next() else { return Ok(()) };
    let diagnostics = std::iter::once(diagnostic).chain(found.map(|(_, diagnostic)| diagnostic)).collect();
    Err(LoadFailure::new(format!("validation: {first}"), diagnostics))
}

/// Spaces of all kinds become spaces, and what cannot be printed vanishes.
fn clean(draft: &mut Draft) {
    let metadata = &mut draft.metadata;
    let texts = [
        &mut metadata.name,
        &mut metadata.description,
        &mut metadata.home,
        &mut metadata.icon,
        &mut metadata.condition,
        &mut metadata.tags,
        &mut metadata.app_version,
        &mut metadata.kube_version,
    ];
    texts.into_iter().chain(&mut metadata.sources).chain(&mut metadata.keywords).for_each(clean_text);
    for maintainer in draft.maintainers.iter_mut().flatten() {
        [&mut maintainer.name, &mut maintainer.email, &mut maintainer.url].into_iter().for_each(clean_text);
    }
    for dependency in draft.dependencies.iter_mut().flatten() {
        let Dependency { name, version, repository, condition, tags, .. } = dependency;
        [name, version, repository, condition].into_iter().chain(tags).for_each(clean_text);
    }
}

fn clean_text(text: &mut String) {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return;
    }
    *text = text
        .chars()
        .map(|character| if character.is_whitespace() { ' ' } else { character })
        .filter(|character| is_print(*character))
        .collect();
}

struct Problems {
    file: Span,
    written: Option<Value>,
    /// Helm's text and our finding.
    found: Vec<(String, Diagnostic)>,
}

impl Problems {
    fn add(&mut self, text: impl Into<String>, diagnostic: Diagnostic) {
        self.found.push((text.into(), diagnostic.level(Level::Semantic)));
    }

    /// A finding at the value of a key, or at the file where the key is missing.
    fn at(&self, key: &str, code: &'static Code, message: impl Into<String>) -> Diagnostic {
        let place = place_of(self.written.as_ref(), key).unwrap_or(self.file);
        Diagnostic::new(code, place, message).path(format!("/{key}"))
    }

    fn about_chart(&mut self, draft: &Draft) {
        let metadata = &draft.metadata;
        if metadata.api_version.is_empty() {
            let finding = self
                .at("apiVersion", &API_VERSION, "the chart has no apiVersion")
                .help("add `apiVersion: v2`");
            self.add("chart.metadata.apiVersion is required", finding);
        }
        let name = metadata.name.as_str();
        if name.is_empty() {
            let finding =
                self.at("name", &CHART_NAME, "the chart has no name").help("add `name:` with one word");
            self.add("chart.metadata.name is required", finding);
        } else if matches!(name, "." | "..") {
            let finding = self.at("name", &CHART_NAME, format!("`{name}` cannot be the name of a chart"));
            self.add(format!("chart.metadata.name {} is not allowed", quote(name)), finding);
        } else if name != base_name(name) {
            let finding = self
                .at("name", &CHART_NAME, format!("the chart's name `{name}` is a path"))
                .help(format!("a name has no `/`: `{}`", base_name(name)));
            self.add(format!("chart.metadata.name {} is invalid", quote(name)), finding);
        }
        let version = metadata.version.as_str();
        if version.is_empty() {
            let finding = self
                .at("version", &CHART_VERSION, "the chart has no version")
                .help("add `version:`, such as `version: 0.1.0`");
            self.add("chart.metadata.version is required", finding);
        } else if Version::parse(version).is_err() {
            let finding =
                self.at("version", &CHART_VERSION, format!("`{version}` is not a semantic version")).help(
                    "write three numbers, such as `1.2.3`; what the chart installs is named in `appVersion`",
                );
            self.add(format!("chart.metadata.version {} is invalid", quote(version)), finding);
        }
        if !matches!(metadata.kind.as_str(), "" | "application" | "library") {
            let finding = self
                .at("type", &CHART_TYPE, format!("`{}` is not a type of chart", metadata.kind))
                .help("write `application` or `library`");
            self.add("chart.metadata.type must be application or library", finding);
        }
    }

    fn about_maintainers(&mut self, draft: &Draft) {
        for (index, maintainer) in draft.maintainers.iter().enumerate() {
            if maintainer.is_none() {
                let finding = self.entry("maintainers", index, &EMPTY_MAINTAINER, "this maintainer is empty");
                self.add("maintainers must not contain empty or null nodes", finding);
            }
        }
    }

    fn about_dependencies(&mut self, draft: &Draft) {
        let mut seen: BTreeMap<&str, Option<Span>> = BTreeMap::new();
        for (index, dependency) in draft.dependencies.iter().enumerate() {
            let Some(dependency) = dependency else {
                let finding =
                    self.entry("dependencies", index, &EMPTY_DEPENDENCY, "this dependency is empty");
                self.add("dependencies must not contain empty or null nodes", finding);
                continue;
            };
            let place = |key: &str| place_of(dependency.written.as_ref(), key).unwrap_or(self.file);
            let alias = dependency.alias.as_str();
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            if !alias.bytes().all(allowed) {
                let message = format!("the alias `{alias}` has a character that it may not have");
                let finding = Diagnostic::new(&DEPENDENCY_ALIAS, place("alias"), message)
                    .help("use letters, digits, `_` and `-` only");
                let name = quote(&dependency.name);
                self.add(format!("dependency {name} has disallowed characters in the alias"), finding);
                continue;
            }
            let (key, place) = match alias {
                "" => (dependency.name.as_str(), place("name")),
                alias => (alias, place("alias")),
            };
            if let Some(first) = seen.get(key) {
                let message = format!("another dependency is called `{key}` already");
                let mut finding = Diagnostic::new(&DUPLICATE_DEPENDENCY, place, message)
                    .help("give one of the two an `alias` of its own");
                if let Some(first) = first {
                    finding = finding.related(*first, "the other one");
                }
                self.add(format!("more than one dependency with name or alias {}", quote(key)), finding);
            }
            seen.insert(key, Some(place));
        }
    }

    /// A finding at an entry of a list.
    fn entry(&self, key: &str, index: usize, code: &'static Code, message: &str) -> Diagnostic {
        let item = match self.written.as_ref().and_then(|written| written.get(key)).map(|list| &list.data) {
            Some(Data::List(items)) => items.get(index).and_then(|item| item.origin),
            _ => None,
        };
        let place = item.or_else(|| place_of(self.written.as_ref(), key)).unwrap_or(self.file);
        Diagnostic::new(code, place, message).path(format!("/{key}/{index}"))
    }
}

/// Go's `filepath.Base`.
pub(crate) fn base_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rsplit('/').next() {
        Some("") if path.is_empty() => ".",
        Some("") | None => "/",
        Some(name) => name,
    }
}

//! A release as `helm template` prints it, or writes it into files.

use std::fmt;
use std::sync::Arc;

use super::text::{trim_end, trim_start};
use super::{Manifest, Release, RenderedText, split};
use crate::chart::{Compat, Crd};
use crate::path_match::path_match;

/// The text of a release without its hooks: what Helm keeps as its manifest, and hands to a program that works
/// it over.
pub fn text(release: &Release, crds: &[Crd]) -> Vec<u8> {
    let crds = crds.iter().map(|crd| (crd.path.as_str(), &*crd.file.data));
    joined(crds.chain(release.manifests.iter().map(named)))
}

/// The rendered files as they are: what is shown of a release that cannot be read.
pub fn whole_files(files: &[Arc<RenderedText>]) -> Vec<u8> {
    let written = files.iter().filter(|file| !super::text::is_blank(&file.bytes));
    joined(written.map(|file| (&*file.path, &*file.bytes)))
}

/// What `helm template` prints: the text of the release without white space around it, then the hooks.
pub fn print<'m>(text: Vec<u8>, hooks: impl IntoIterator<Item = &'m Manifest>) -> Vec<u8> {
    let start = trim_start(&text);
    let end = trim_end(&text, start);
    let mut printed = text;
    printed.truncate(end);
    printed.drain(..start);
    printed.push(b'\n');
    for hook in hooks {
        let (path, content) = named(hook);
        push(&mut printed, path, content);
    }
    printed
}

fn named(manifest: &Manifest) -> (&str, &[u8]) {
    (&manifest.file.path, manifest.content())
}

fn joined<'t>(parts: impl Iterator<Item = (&'t str, &'t [u8])> + Clone) -> Vec<u8> {
    let length = parts.clone().map(|(path, content)| path.len() + content.len() + 16).sum();
    let mut text = Vec::with_capacity(length);
    parts.for_each(|(path, content)| push(&mut text, path, content));
    text
}

fn push(text: &mut Vec<u8>, path: &str, content: &[u8]) {
    for part in [b"---\n# Source: ", path.as_bytes(), b"\n", content, b"\n"] {
        text.extend_from_slice(part);
    }
}

/// A template that `--show-only` names and that is not in the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotFound(
    /// The pattern.
    pub String,
);

impl fmt::Display for NotFound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "could not find template {} in chart", self.0)
    }
}

impl std::error::Error for NotFound {}

/// Of what was printed, the documents of certain templates, in the order of the patterns. Helm looks for them in
/// the printed text, so that a comment `# Source:` in a document counts as well.
pub fn show_only(printed: &[u8], patterns: &[String], compat: Compat) -> Result<Vec<u8>, NotFound> {
    let documents: Vec<(&[u8], Option<String>)> = split(printed, compat)
        .into_iter()
        .filter_map(|range| printed.get(range))
        .map(|document| (document, source(document)))
        .collect();
    let mut shown = Vec::new();
    for pattern in patterns {
        let before = shown.len();
        let is_meant = |path: &str| path_match(pattern, path) == Ok(true);
        for (document, _) in documents.iter().filter(|(_, path)| path.as_deref().is_some_and(is_meant)) {
            for part in [b"---\n", *document, b"\n"] {
                shown.extend_from_slice(part);
            }
        }
        if shown.len() == before {
            return Err(NotFound(pattern.clone()));
        }
    }
    Ok(shown)
}

/// The path after `# Source:`, without the name of the chart.
fn source(document: &[u8]) -> Option<String> {
    const MARK: &[u8] = b"# Source: ";
    let mut rest = document;
    while let Some(found) = rest.windows(MARK.len()).position(|window| window == MARK) {
        rest = rest.get(found + MARK.len()..)?;
        let Some(slash) = rest.iter().position(|&byte| byte == b'/').filter(|&slash| slash > 0) else {
            continue;
        };
        let path = rest.get(slash + 1..)?.split(|&byte| byte == b'\n').next()?;
        if !path.is_empty() {
            return Some(String::from_utf8_lossy(path).into_owned());
        }
    }
    None
}

/// A document on its way into a file.
#[derive(Debug)]
pub struct WrittenFile<'r> {
    /// The path of the file below the directory for output.
    pub path: &'r str,
    /// What is added to it.
    pub text: Vec<u8>,
    /// What it is.
    pub part: Part,
}

/// The parts of a release, which are not all written alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A file of `crds/`.
    Crd,
    /// A document.
    Manifest,
    /// A hook.
    Hook,
}

/// The documents of a release as they are written into files, in order. Documents of one path follow each other
/// in its file.
pub fn written_files<'r>(
    release: &'r Release,
    crds: &'r [Crd],
    hooks: impl IntoIterator<Item = &'r Manifest>,
) -> Vec<WrittenFile<'r>> {
    let file = |part: Part, (path, content): (&'r str, &'r [u8])| {
        let mut text = Vec::with_capacity(content.len() + path.len() + 16);
        push(&mut text, path, content);
        WrittenFile { path, text, part }
    };
    let crds = crds.iter().map(|crd| file(Part::Crd, (crd.path.as_str(), &*crd.file.data)));
    let manifests = release.manifests.iter().map(|manifest| file(Part::Manifest, named(manifest)));
    let hooks = hooks.into_iter().map(|hook| file(Part::Hook, named(hook)));
    crds.chain(manifests).chain(hooks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::{RenderedFile, manifests};
    use trueline_source::{OriginMap, SourceMap};

    fn release(files: &[(&str, &str)], compat: Compat) -> Release {
        let files = files
            .iter()
            .map(|(path, text)| RenderedFile {
                path: (*path).into(),
                text: text.as_bytes().into(),
                origins: OriginMap::default(),
            })
            .collect();
        manifests(files, compat, &SourceMap::new())
    }

    const HOOK: &str = "metadata:\n  annotations:\n    helm.sh/hook: test\n";

    #[test]
    fn documents_are_printed_with_their_source() {
        for (compat, gap) in [(Compat::Helm4, "\n"), (Compat::Helm3, "")] {
            let release =
                release(&[("t/templates/a.yaml", "a: 1\n---\nb: 2\n"), ("t/templates/h.yaml", HOOK)], compat);
            let printed = String::from_utf8(print(text(&release, &[]), &release.hooks)).unwrap();
            assert_eq!(
                printed,
                format!(
                    "---\n# Source: t/templates/a.yaml\na: 1\n{gap}---\n# Source: t/templates/a.yaml\nb: 2\n---\n# \
                     Source: t/templates/h.yaml\n{HOOK}{gap}"
                )
            );
        }
        let nothing = release(&[], Compat::Helm4);
        assert_eq!(print(text(&nothing, &[]), &nothing.hooks), b"\n");
    }

    #[test]
    fn only_what_was_asked_for_is_shown() {
        let files = [("t/templates/a.yaml", "a: 1\n"), ("t/templates/b.yaml", "b: 1\n---\nb: 2\n")];
        let release = release(&files, Compat::Helm4);
        let printed = print(text(&release, &[]), &release.hooks);
        let show = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            show_only(&printed, &patterns, Compat::Helm4).map(|text| String::from_utf8(text).unwrap())
        };
        assert_eq!(
            show(&["templates/b.yaml"]).unwrap(),
            "---\n# Source: t/templates/b.yaml\nb: 1\n\n\n---\n# Source: t/templates/b.yaml\nb: 2\n\n"
        );
        assert_eq!(show(&["templates/*", "templates/a.yaml"]).unwrap().matches("a: 1").count(), 2);
        assert_eq!(show(&["templates/a.yaml", "a.yaml"]), Err(NotFound("a.yaml".to_owned())));
    }

    #[test]
    fn sources_are_found_in_the_text() {
        for (text, path) in [
            ("# Source: t/templates/a.yaml\nx", Some("templates/a.yaml")),
            ("a: 1\n# Source: b\nc/d\n", Some("d")),
            ("# Source: /x\n# Source: t/y", Some("y")),
            ("# Source: t/\n", None),
            ("a: 1", None),
        ] {
            assert_eq!(source(text.as_bytes()).as_deref(), path, "{text:?}");
        }
    }
}

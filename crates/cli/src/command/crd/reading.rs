//! Reading files with definitions and objects.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trueline_analysis::{
    ConfigChoice, Input, Inputs, Templates, each_file, each_file_of_definitions, too_large,
};
use trueline_diagnostic::{Diagnostic, Severity};
use trueline_kube::KubeVersion;
use trueline_kube::crd::{self, Crd, Decoded};
use trueline_kube::manifest;
use trueline_source::{LoadError, SourceMap, Span};
use trueline_yaml::Stream;

use crate::machine::{Machine, plain_fetching};

/// Where paths of the command line lead; `-` is standard input.
pub(crate) fn inputs(paths: &[PathBuf]) -> Result<Vec<Input>, String> {
    let machine = Arc::new(Machine::of_process(plain_fetching())?);
    Ok(Inputs::new(machine, ConfigChoice::None)?.open(paths, Templates::AsNamed)?)
}

/// Reads the files of an input. What cannot be read is a sentence each.
pub(crate) fn each_text(input: &Input, sources: &SourceMap, take: impl FnMut(Stream)) -> Vec<String> {
    shown(input, each_file(input, sources, take))
}

/// What could not be read, a sentence each.
fn shown(input: &Input, errors: Vec<LoadError>) -> Vec<String> {
    let shown = |error: LoadError| LoadError { path: input.loader.display(&error.path), ..error }.to_string();
    errors.into_iter().map(shown).collect()
}

/// What is wrong with texts, a sentence each.
pub(crate) fn syntax_errors(stream: &Stream, sources: &SourceMap) -> Vec<String> {
    let findings = stream.errors.iter().map(trueline_yaml::SyntaxError::to_diagnostic);
    findings
        .map(|finding| format!("{}: {}", address(finding.primary.span, sources), finding.message))
        .collect()
}

/// Where something was typed, as editors take it.
pub(crate) fn address(place: Span, sources: &SourceMap) -> String {
    let position = sources.position(place);
    format!("{}:{}:{}", sources.get(place.source).name(), position.line, position.column)
}

/// Why a cluster would refuse a definition, a sentence each.
pub(super) fn refusals(crd: &Crd, sources: &SourceMap) -> Vec<String> {
    let Some(around) = crd.written.place() else { return Vec::new() };
    let findings =
        crd.validate_create(KubeVersion::CRD_RULES).diagnostics(around, &|scalar, _, _| scalar).into_iter();
    let errors = findings.filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| format!("{}: {}", address(finding.primary.span, sources), finding.message)).collect()
}

/// The kind of definitions.
const KIND: &str = "CustomResourceDefinition";

/// What a file, or the files of a directory, define.
pub(super) struct Definitions {
    pub(super) found: Vec<Decoded>,
    /// What is said of those that are longer than any request; nothing else is done with them.
    pub(super) too_large: Vec<Diagnostic>,
    /// What is said of those that a cluster cannot read.
    pub(super) unreadable: Vec<Diagnostic>,
}

/// The definitions in a file, or in the files of a directory, each of which a cluster may have.
pub(crate) fn definitions(path: &Path, sources: &SourceMap) -> Result<Vec<Decoded>, String> {
    let Definitions { found, too_large, .. } = readable(path, sources)?;
    match too_large.is_empty() {
        true => Ok(found),
        false => Err(sentences(&too_large, sources).join("\n")),
    }
}

/// The definitions in a file, or in the files of a directory, all of which a cluster can read.
pub(super) fn readable(path: &Path, sources: &SourceMap) -> Result<Definitions, String> {
    let read = read(path, sources)?;
    let wrong = read.unreadable.iter().map(|finding| {
        let place = address(finding.primary.span, sources);
        format!("{place}: a cluster cannot read the definition: {}", finding.message)
    });
    let wrong: Vec<String> = wrong.collect();
    if wrong.is_empty() { Ok(read) } else { Err(wrong.join("\n")) }
}

/// Findings as sentences with their places.
pub(super) fn sentences(findings: &[Diagnostic], sources: &SourceMap) -> Vec<String> {
    let sentence =
        |finding: &Diagnostic| format!("{}: {}", address(finding.primary.span, sources), finding.message);
    findings.iter().map(sentence).collect()
}

/// The definitions in a file, or in the files of a directory.
pub(super) fn read(path: &Path, sources: &SourceMap) -> Result<Definitions, String> {
    let (mut found, mut wrong, mut large) = (Vec::new(), Vec::new(), Vec::new());
    let mut unreadable = Vec::new();
    for input in inputs(&[path.to_owned()])? {
        let errors = each_file_of_definitions(&input, sources, |stream| {
            wrong.extend(syntax_errors(&stream, sources));
            let roots = stream.documents.iter().map(trueline_yaml::Document::root);
            for object in roots.flat_map(manifest::objects).filter(|object| object.kind == KIND) {
                if let Some(finding) = too_large(object.node) {
                    large.push(finding);
                    continue;
                }
                let value = object.value();
                if !crd::is_crd(&value) {
                    continue;
                }
                match crd::decode(&value) {
                    Ok(decoded) => found.push(decoded),
                    Err(error) => unreadable.push(crd::unreadable(&error, object.node.span())),
                }
            }
        });
        wrong.extend(shown(&input, errors));
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    if found.is_empty() && large.is_empty() && unreadable.is_empty() {
        return Err(format!("`{}` holds no definition of a kind (CustomResourceDefinition)", path.display()));
    }
    Ok(Definitions { found, too_large: large, unreadable })
}

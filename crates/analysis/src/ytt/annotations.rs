//! What no run of ytt says of files: annotations that are probably misspelt, because ytt passes over those that it does
//! not know, and keys that appear twice in files of data values, of which the last counts.

use trueline_diagnostic::{Diagnostic, Level, nearest};
use trueline_source::{SourceId, SourceMap, Span};
use trueline_yaml::ReadOptions;
use trueline_ytt::ANNOTATIONS;

use super::codes::ANNOTATION;

/// The findings for annotations under ytt's names that ytt does not have.
pub(super) fn unknown(files: &[SourceId], sources: &SourceMap) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for &file in files {
        let source = sources.get(file);
        let is_yaml = source.name().ends_with(".yml") || source.name().ends_with(".yaml");
        let text = source.text();
        // Hardly any file has one, so few are read again for this.
        if !is_yaml
            || !memchr::memmem::find_iter(text.as_bytes(), "#@").any(|at| misspelt(text, at).is_some())
        {
            continue;
        }
        let stream = trueline_yaml::read(file, text, &ReadOptions::default());
        if !stream.errors.is_empty() {
            continue;
        }
        let comments =
            stream.documents.iter().flat_map(|document| document.comments()).chain(&stream.comments);
        let mut places: Vec<usize> =
            comments.into_iter().map(|comment| comment.span.start as usize).collect();
        places.sort_unstable();
        places.dedup();
        let found = places.into_iter().filter_map(|at| Some((at, misspelt(text, at)?)));
        findings.extend(
            found.map(|(at, (name, meant))| finding(file.span(at + 2, at + 2 + name.len()), name, meant)),
        );
    }
    findings
}

fn finding(place: Span, name: &str, meant: Option<&str>) -> Diagnostic {
    let message = format!("ytt has no annotation `@{name}`; it has no effect");
    let finding = Diagnostic::new(&ANNOTATION, place, message).level(Level::Semantic);
    match meant {
        Some(meant) => {
            let edit = trueline_diagnostic::Edit { span: place, replacement: meant.into() };
            finding.fix(format!("write `{meant}`"), vec![edit])
        }
        None => finding,
    }
}

/// The annotation at an offset, if it is not one of ytt's and under a name of ytt's, with what was probably meant.
fn misspelt(text: &str, at: usize) -> Option<(&str, Option<&'static str>)> {
    let name = text.get(at..)?.strip_prefix("#@")?.split(char::is_whitespace).next()?;
    let (namespace, own) = name.split_once('/')?;
    if own.is_empty() || ANNOTATIONS.contains(&name) {
        return None;
    }
    let is_known = |namespace: &str| {
        ANNOTATIONS.iter().any(|known| known.split_once('/').is_some_and(|(known, _)| known == namespace))
    };
    if is_known(namespace) {
        return Some((name, nearest(name, ANNOTATIONS.iter().copied())));
    }
    // Anybody may have annotations under other names; only one that is ytt's but for a letter of the first part is not.
    let is_meant = |known: &&&str| {
        known
            .split_once('/')
            .is_some_and(|(first, rest)| rest == own && nearest(namespace, [first]).is_some())
    };
    ANNOTATIONS.iter().find(is_meant).map(|meant| (name, Some(*meant)))
}

/// Keys that appear twice in files of data values.
pub(super) fn duplicates(files: &[SourceId], sources: &SourceMap) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for &file in files {
        let source = sources.get(file);
        let is_yaml = source.name().ends_with(".yml") || source.name().ends_with(".yaml");
        if is_yaml {
            let stream = trueline_yaml::read(file, source.text(), &ReadOptions::default());
            findings.extend(stream.documents.iter().flat_map(|document| document.duplicate_diagnostics()));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_annotations_are_found_and_those_of_others_are_not() {
        for (text, expected) in [
            ("#@schema/nulable", Some(("schema/nulable", Some("schema/nullable")))),
            ("#@schema/validations x", Some(("schema/validations", Some("schema/validation")))),
            ("#@overlay/mach by=1", Some(("overlay/mach", Some("overlay/match")))),
            ("#@shema/nullable", Some(("shema/nullable", Some("schema/nullable")))),
            ("#@data/something-else", Some(("data/something-else", None))),
            ("#@schema/nullable", None),
            ("#@overlay/match-child-defaults expects=1", None),
            ("#@data/values-schema", None),
            ("#@acme/nulable", None),
            ("#@ a/b", None),
            ("#@end", None),
            ("#! schema/nulable", None),
        ] {
            assert_eq!(misspelt(text, 0), expected, "{text}");
        }
    }
}

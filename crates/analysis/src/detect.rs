//! What a file is, by its content: for files whose name does not say it.

use trueline_source::{Source, SourceMap};
use trueline_yaml::{ReadOptions, Stream};

use crate::kinds::InputKind;

/// The kind of a file that has been read.
pub(crate) fn detect(source: &Source, stream: &Stream) -> InputKind {
    if has_ytt_comment(source, stream) {
        return InputKind::Ytt;
    }
    let name = source.name().rsplit('/').next().unwrap_or_default();
    if let Some(kind) =
        stream.documents.first().and_then(|first| InputKind::of_usual_file(name, first.root()))
    {
        return kind;
    }
    let kinds = || stream.documents.iter().map(|document| InputKind::of_document(document.root()));
    let first = kinds().find(|kind| *kind != InputKind::Yaml).unwrap_or(InputKind::Yaml);
    // CRDs often come after the namespace that they need.
    let defines = first == InputKind::Kubernetes && kinds().any(|kind| kind == InputKind::Crd);
    match first {
        _ if defines => InputKind::Crd,
        // What cannot be read can still be seen to be an object.
        InputKind::Yaml if !stream.errors.is_empty() && looks_like_an_object(source.text()) => {
            InputKind::Kubernetes
        }
        first => first,
    }
}

/// Whether the bytes of a YAML file are written for ytt. Hardly any other file has what ytt's comments begin with, so few
/// are read as YAML for this.
pub(crate) fn is_ytt(bytes: &[u8]) -> bool {
    if memchr::memmem::find(bytes, b"#@").is_none() {
        return false;
    }
    let sources = SourceMap::new();
    let (id, _) = sources.add_file("", bytes.to_vec());
    let source = sources.get(id);
    let stream = trueline_yaml::read(id, source.text(), &ReadOptions::default());
    // What cannot be read was not read to its end.
    let begins = |line: &str| line.trim_start().starts_with("#@");
    has_ytt_comment(&source, &stream) || !stream.errors.is_empty() && source.text().lines().any(begins)
}

fn has_ytt_comment(source: &Source, stream: &Stream) -> bool {
    let comments = stream.documents.iter().flat_map(|document| document.comments()).chain(&stream.comments);
    comments.into_iter().any(|comment| source.slice(comment.span).starts_with("#@"))
}

/// Whether lines of a file begin as the head of an object does.
fn looks_like_an_object(text: &str) -> bool {
    let begins = |key: &str| text.lines().any(|line| line.starts_with(key));
    begins("apiVersion:") && begins("kind:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::SourceKind;

    #[test]
    fn the_usual_names_count_with_their_keys() {
        for (name, text, kind) in [
            ("a/registry.yaml", "version: 1\nextensions: [a]\n", InputKind::Registry),
            ("profiles.yaml", "extensions: {}\nprofiles: []\nversion: 1\n", InputKind::Profiles),
            ("categories.yaml", "categories: 5\n", InputKind::Categories),
            ("registry.yaml", "apiVersion: v1\nkind: Pod\nextensions: {}\n", InputKind::Kubernetes),
            ("profiles.yaml", "spring: {}\n", InputKind::Yaml),
        ] {
            let sources = SourceMap::new();
            let id = sources.add(name, SourceKind::File, text);
            let source = sources.get(id);
            let stream = trueline_yaml::read(id, source.text(), &ReadOptions::default());
            assert_eq!(detect(&source, &stream), kind, "{name}: {text}");
        }
    }

    #[test]
    fn content_decides() {
        for (text, kind) in [
            ("apiVersion: v1\nkind: Pod\n", InputKind::Kubernetes),
            ("a: 1\n---\napiVersion: v1\nkind: Pod\n", InputKind::Kubernetes),
            (
                "apiVersion: v1\nkind: Pod\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
                InputKind::Crd,
            ),
            ("{\"$schema\": \"http://json-schema.org/draft-07/schema#\"}", InputKind::JsonSchema),
            ("version: 1\nextensions:\n  a: {category: x}\n", InputKind::Registry),
            ("version: 1\ndisplay_order: [a]\nprofiles:\n  a: {}\n", InputKind::Profiles),
            ("version: 1\ncategories:\n  a: {}\n", InputKind::Categories),
            ("metadata:\n  name: x\ninstall:\n  method: mise\n", InputKind::Extension),
            ("kind: Pod\nmetadata: {name: x}\n", InputKind::Kubernetes),
            ("apiversion: v1\nKind: Pod\nmetadata: {name: x}\n", InputKind::Kubernetes),
            ("apiversion: v1\nKind: Pod\n", InputKind::Yaml),
            ("apiVersion: v1\nkind: Pod\nmetadata: {\n", InputKind::Kubernetes),
            ("a: {\n", InputKind::Yaml),
            ("#@ load(\"a\", \"b\")\na: #@ b\n", InputKind::Ytt),
            ("a: 1 # @ not ytt\n", InputKind::Yaml),
            ("", InputKind::Yaml),
            ("- 1\n", InputKind::Yaml),
        ] {
            let sources = SourceMap::new();
            let id = sources.add("t", SourceKind::File, text);
            let source = sources.get(id);
            let stream = trueline_yaml::read(id, source.text(), &ReadOptions::default());
            assert_eq!(detect(&source, &stream), kind, "{text}");
        }
    }
}

//! What a file is, by its content: for files whose name does not say it.

use trueline_source::{Judge, Source, SourceMap};
use trueline_yaml::{NodeRef, ReadOptions, Stream};

use crate::kind::Kind;
use crate::kubernetes;

/// The kind of a text that has been read.
pub(crate) fn detect(source: &Source, stream: &Stream) -> Kind {
    if has_ytt_comment(source, stream) {
        return Kind::Ytt;
    }
    if let Some(kind) = stream.documents.first().and_then(|first| named(source.name(), first.root())) {
        return kind;
    }
    let kinds = || stream.documents.iter().map(|document| of_root(document.root()));
    let first = kinds().find(|kind| *kind != Kind::Yaml).unwrap_or(Kind::Yaml);
    // Definitions often stand behind the namespace that they need.
    let defines = first == Kind::Kubernetes && kinds().any(|kind| kind == Kind::Crd);
    match first {
        _ if defines => Kind::Crd,
        // What cannot be read can still be seen to be an object.
        Kind::Yaml if !stream.errors.is_empty() && looks_like_an_object(source.text()) => Kind::Kubernetes,
        first => first,
    }
}

/// Says whether a YAML file is written for ytt.
pub(crate) const YTT: Judge = Judge { name: "ytt", judge: |bytes| u64::from(is_ytt(bytes)) };

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

/// Whether lines of a text begin as the head of an object does.
fn looks_like_an_object(text: &str) -> bool {
    let begins = |key: &str| text.lines().any(|line| line.starts_with(key));
    begins("apiVersion:") && begins("kind:")
}

/// A file with the usual name and its telling key is what its name says, however wrong the rest of it is.
fn named(name: &str, root: NodeRef<'_>) -> Option<Kind> {
    let (key, kind) = match name.rsplit('/').next().unwrap_or(name) {
        "registry.yaml" => ("extensions", Kind::Registry),
        "profiles.yaml" => ("profiles", Kind::Profiles),
        "categories.yaml" => ("categories", Kind::Categories),
        _ => return None,
    };
    (root.get(key).is_some() && root.get("apiVersion").is_none()).then_some(kind)
}

fn of_root(root: NodeRef<'_>) -> Kind {
    let has = |key: &str| root.get(key).is_some();
    let is_map = |key: &str| root.get(key).is_some_and(|node| node.entries().is_some());
    let schema = root.get("$schema").and_then(NodeRef::as_str).unwrap_or_default();
    if schema.contains("json-schema.org/") {
        Kind::JsonSchema
    } else if has("apiVersion") && has("kind") {
        if kubernetes::is_definition(root) { Kind::Crd } else { Kind::Kubernetes }
    } else if has("apiVersion") != has("kind") && is_map("metadata") && !has("install") {
        // An object whose other half of the head was forgotten.
        Kind::Kubernetes
    } else if has_in_any_case(root, "apiVersion") && has_in_any_case(root, "kind") && is_map("metadata") {
        Kind::Kubernetes
    } else if has("version") && is_map("extensions") {
        Kind::Registry
    } else if has("display_order") && is_map("profiles") {
        Kind::Profiles
    } else if has("version") && is_map("categories") {
        Kind::Categories
    } else if is_map("metadata") && is_map("install") {
        Kind::Extension
    } else {
        Kind::Yaml
    }
}

/// Whether a map has a key, be it written in small or in capital letters.
fn has_in_any_case(root: NodeRef<'_>, name: &str) -> bool {
    let is_it = |(key, _): (NodeRef<'_>, NodeRef<'_>)| {
        key.text().is_some_and(|typed| typed.eq_ignore_ascii_case(name))
    };
    root.entries().is_some_and(|mut entries| entries.any(is_it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::SourceKind;

    #[test]
    fn the_usual_names_count_with_their_keys() {
        for (name, text, kind) in [
            ("a/registry.yaml", "version: 1\nextensions: [a]\n", Kind::Registry),
            ("profiles.yaml", "extensions: {}\nprofiles: []\nversion: 1\n", Kind::Profiles),
            ("categories.yaml", "categories: 5\n", Kind::Categories),
            ("registry.yaml", "apiVersion: v1\nkind: Pod\nextensions: {}\n", Kind::Kubernetes),
            ("profiles.yaml", "spring: {}\n", Kind::Yaml),
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
            ("apiVersion: v1\nkind: Pod\n", Kind::Kubernetes),
            ("a: 1\n---\napiVersion: v1\nkind: Pod\n", Kind::Kubernetes),
            (
                "apiVersion: v1\nkind: Pod\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
                Kind::Crd,
            ),
            ("{\"$schema\": \"http://json-schema.org/draft-07/schema#\"}", Kind::JsonSchema),
            ("version: 1\nextensions:\n  a: {category: x}\n", Kind::Registry),
            ("version: 1\ndisplay_order: [a]\nprofiles:\n  a: {}\n", Kind::Profiles),
            ("version: 1\ncategories:\n  a: {}\n", Kind::Categories),
            ("metadata:\n  name: x\ninstall:\n  method: mise\n", Kind::Extension),
            ("kind: Pod\nmetadata: {name: x}\n", Kind::Kubernetes),
            ("apiversion: v1\nKind: Pod\nmetadata: {name: x}\n", Kind::Kubernetes),
            ("apiversion: v1\nKind: Pod\n", Kind::Yaml),
            ("apiVersion: v1\nkind: Pod\nmetadata: {\n", Kind::Kubernetes),
            ("a: {\n", Kind::Yaml),
            ("#@ load(\"a\", \"b\")\na: #@ b\n", Kind::Ytt),
            ("a: 1 # @ not ytt\n", Kind::Yaml),
            ("", Kind::Yaml),
            ("- 1\n", Kind::Yaml),
        ] {
            let sources = SourceMap::new();
            let id = sources.add("t", SourceKind::File, text);
            let source = sources.get(id);
            let stream = trueline_yaml::read(id, source.text(), &ReadOptions::default());
            assert_eq!(detect(&source, &stream), kind, "{text}");
        }
    }
}

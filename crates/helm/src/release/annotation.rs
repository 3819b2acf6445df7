//! Documents on their way through a program that works them over, and back. Helm 4 sends them as one stream, each
//! with an annotation that names its file.
//!
//! Helm writes every document anew on both ways. Here only the annotation is put in and taken out, so that the
//! rest of a document keeps its form.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use trueline_source::{OriginMap, SourceId};
use trueline_yaml::{Document, NodeKind, NodeRef, ReadOptions};

use super::{RenderedFile, split, text};
use crate::chart::Compat;

const ANNOTATION: &str = "postrenderer.helm.sh/postrender-filename";

/// All documents as one stream, each with the annotation.
pub fn merge_annotated(files: &[RenderedFile]) -> Result<String, String> {
    let mut sorted: Vec<&RenderedFile> = files.iter().collect();
    sorted.sort_by(|left, right| left.path.cmp(&right.path));
    let mut documents = Vec::new();
    for file in sorted {
        let is_partial = file.path.rsplit('/').next().is_some_and(|name| name.starts_with('_'));
        if is_partial || text::is_blank(&file.text) {
            continue;
        }
        for range in split(&file.text, Compat::Helm4) {
            let content = String::from_utf8_lossy(file.text.get(range).unwrap_or_default()).into_owned();
            let within = |wrong: String| format!("error merging manifests: parsing {}: {wrong}", file.path);
            let Some(document) = read(&content).map_err(within)? else { continue };
            documents.push(annotated(&content, &document, &file.path).map_err(within)?);
        }
    }
    Ok(documents.join("---\n"))
}

/// The files that a stream came from. Documents without the annotation become files of their own.
pub fn split_annotated(stream: &str) -> Result<Vec<RenderedFile>, String> {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut count = 0;
    for range in split(stream.as_bytes(), Compat::Helm4) {
        let content = stream.get(range).unwrap_or_default();
        let within =
            |wrong: String| format!("error while parsing post rendered output: error parsing YAML: {wrong}");
        let Some(document) = read(content).map_err(within)? else { continue };
        let (path, content) = match without_annotation(content, &document) {
            Some((path, content)) if !path.is_empty() => (path, content),
            _ => (format!("generated-by-postrender-{count}.yaml"), content.to_owned()),
        };
        files.entry(path).or_default().push(ended(content));
        count += 1;
    }
    let file = |(path, documents): (String, Vec<String>)| RenderedFile {
        path: Arc::from(path),
        text: documents.join("---\n").into_bytes().into(),
        origins: OriginMap::default(),
    };
    Ok(files.into_iter().map(file).collect())
}

/// The text with a line break at its end.
fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn read(content: &str) -> Result<Option<Document>, String> {
    let stream = trueline_yaml::read(SourceId::from_index(0), &Arc::from(content), &ReadOptions::default());
    match stream.first() {
        Ok(document) => Ok(document.filter(|document| !document.root().is_null()).cloned()),
        Err(error) => Err(format!("MalformedYAMLError: {}", error.go_text)),
    }
}

fn annotated(content: &str, document: &Document, path: &str) -> Result<String, String> {
    let root = document.root();
    if root.entries().is_none() {
        let found = if root.items().is_some() { "SequenceNode" } else { "ScalarNode" };
        return Err(format!(
            "wrong node kind: expected MappingNode but got {found}: node contents:\n{content}\n"
        ));
    }
    let metadata = root.get("metadata");
    let annotations = metadata.and_then(|metadata| metadata.get("annotations"));
    let entry = format!("{ANNOTATION}: '{}'", path.replace('\'', "''"));
    let (at, inserted) = match (metadata, annotations) {
        (_, Some(annotations)) if is_map(annotations) => first_entry(content, annotations, &[&entry]),
        (_, Some(annotations)) => in_place(annotations, &format!("{{{entry}}}")),
        (Some(metadata), None) if is_map(metadata) => {
            first_entry(content, metadata, &["annotations:", &entry])
        }
        (Some(metadata), None) => in_place(metadata, &format!("{{annotations: {{{entry}}}}}")),
        (None, None) => first_entry(content, root, &["metadata:", "annotations:", &entry]),
    };
    let before = content.get(..at.start).unwrap_or_default();
    let behind = content.get(at.end..).unwrap_or_default();
    Ok(ended(format!("{before}{inserted}{behind}")))
}

fn is_map(node: NodeRef<'_>) -> bool {
    matches!(node.kind(), NodeKind::Mapping { .. })
}

/// In place of a value that is no map, or of none at all.
fn in_place(node: NodeRef<'_>, value: &str) -> (Range<usize>, String) {
    (node.span().range(), format!(" {value}"))
}

/// Before the first entry of a map: keys that lead down to the entry, each deeper than the one before.
fn first_entry(content: &str, map: NodeRef<'_>, keys: &[&str]) -> (Range<usize>, String) {
    let start = map.span().range().start;
    if is_flow(content, map) {
        let (entry, above) = keys.split_last().unwrap_or((&"", &[]));
        let open: String = above.iter().map(|key| format!("{key} {{")).collect();
        let comma = if map.entries().is_some_and(|mut entries| entries.next().is_some()) { ", " } else { "" };
        let text = format!("{open}{entry}{}{comma}", "}".repeat(above.len()));
        return (start + 1..start + 1, text);
    }
    let column = start - line_start(content, start);
    let mut text = String::new();
    for (depth, key) in keys.iter().enumerate() {
        if depth > 0 {
            text.push_str(&" ".repeat(column + 2 * depth));
        }
        text.push_str(key);
        text.push('\n');
    }
    text.push_str(&" ".repeat(column));
    (start..start, text)
}

fn is_flow(content: &str, map: NodeRef<'_>) -> bool {
    content.get(map.span().range().start..).is_some_and(|rest| rest.starts_with('{'))
}

fn line_start(content: &str, at: usize) -> usize {
    content.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

/// The file that a document names, and the document without the name. Maps that are empty without it go too.
fn without_annotation(content: &str, document: &Document) -> Option<(String, String)> {
    let root = document.root();
    let metadata = root.get("metadata")?;
    let annotations = metadata.get("annotations")?;
    let path = annotations.get(ANNOTATION)?.text()?.to_owned();
    let is_alone = |map: NodeRef<'_>| map.entries().is_some_and(|entries| entries.len() == 1);
    let (map, key) = match (is_alone(annotations), is_alone(metadata)) {
        (false, _) => (annotations, ANNOTATION),
        (true, false) => (metadata, "annotations"),
        (true, true) => (root, "metadata"),
    };
    let removed = entry_range(content, map, key)?;
    let before = content.get(..removed.start)?;
    let behind = content.get(removed.end..)?;
    Some((path, format!("{before}{behind}")))
}

/// The place of an entry, with what parts it from the others.
fn entry_range(content: &str, map: NodeRef<'_>, name: &str) -> Option<Range<usize>> {
    let entries: Vec<_> = map.written_entries()?.collect();
    let place = entries.iter().position(|(key, _)| key.key_text() == name)?;
    let (key, value) = entries.get(place)?;
    let start = key.span().range().start;
    let end = value.span().range().end.max(key.span().range().end);
    if is_flow(content, map) {
        if let Some((next, _)) = entries.get(place + 1) {
            return Some(start..next.span().range().start);
        }
        let before = place.checked_sub(1).and_then(|before| entries.get(before));
        let from = before.map_or(start, |(key, value)| value.span().range().end.max(key.span().range().end));
        return Some(from..flow_end(content, end));
    }
    let rest = content.get(end..)?;
    let end = rest.find('\n').map_or(content.len(), |line| end + line + 1);
    Some(line_start(content, start)..end)
}

/// Behind the comma that may follow the last entry.
fn flow_end(content: &str, end: usize) -> usize {
    let rest = content.get(end..).unwrap_or_default();
    let trimmed = rest.trim_start();
    if trimmed.starts_with(',') { end + (rest.len() - trimmed.len()) + 1 } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> RenderedFile {
        RenderedFile {
            path: "t/templates/a.yaml".into(),
            text: text.as_bytes().into(),
            origins: OriginMap::default(),
        }
    }

    #[test]
    fn every_document_names_its_file() {
        const LINE: &str = "postrenderer.helm.sh/postrender-filename: 't/templates/a.yaml'";
        for (text, expected) in [
            ("kind: X\n", format!("metadata:\n  annotations:\n    {LINE}\nkind: X\n")),
            ("metadata:\n    name: y", format!("metadata:\n    annotations:\n      {LINE}\n    name: y\n")),
            (
                "metadata:\n  annotations:\n    z: 1\n",
                format!("metadata:\n  annotations:\n    {LINE}\n    z: 1\n"),
            ),
            ("{kind: Z, metadata: {}}\n", format!("{{kind: Z, metadata: {{annotations: {{{LINE}}}}}}}\n")),
            ("{kind: Z}\n", format!("{{metadata: {{annotations: {{{LINE}}}}}, kind: Z}}\n")),
            ("metadata:\n", format!("metadata: {{annotations: {{{LINE}}}}}\n")),
            ("# only a comment\n", String::new()),
        ] {
            assert_eq!(merge_annotated(&[file(text)]).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_comes_back_is_what_was_sent() {
        for text in [
            "kind: X\n",
            "# head\nkind: A # end\nmetadata:\n    name: y\n    labels: {a: 1}\n",
            "metadata:\n  annotations:\n    z: 1\n",
            "{kind: Z, metadata: {name: b}}\n",
            "{kind: Z, metadata: {annotations: {a: b}}}\n",
        ] {
            let stream = merge_annotated(&[file(text)]).unwrap();
            let files = split_annotated(&stream).unwrap();
            assert_eq!(files.len(), 1, "{text}");
            assert_eq!(&*files[0].path, "t/templates/a.yaml");
            assert_eq!(String::from_utf8_lossy(&files[0].text), text);
        }
    }

    #[test]
    fn new_documents_get_files_of_their_own() {
        let files = split_annotated("a: 1\n---\nc: 1").unwrap();
        let shown: Vec<(&str, &str)> =
            files.iter().map(|file| (&*file.path, std::str::from_utf8(&file.text).unwrap())).collect();
        assert_eq!(
            shown,
            [("generated-by-postrender-0.yaml", "a: 1\n"), ("generated-by-postrender-1.yaml", "c: 1\n")]
        );
        let broken = split_annotated("a: [\n").unwrap_err();
        assert!(
            broken.starts_with("error while parsing post rendered output: error parsing YAML: Malformed")
        );
        assert!(merge_annotated(&[file("- a\n")]).unwrap_err().contains("but got SequenceNode"));
    }
}

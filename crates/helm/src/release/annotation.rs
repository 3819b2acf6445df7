//! Documents on their way through a program that works them over, and back. Helm 4 sends them as one stream, each
//! with an annotation that names its file, and writes every document anew on both ways, as kyaml does.

mod fields;

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_source::OriginMap;
use trueline_yaml::{Dashes, Draft, DraftContent, Limits, write_drafts};

use self::fields::{annotation, clear_annotation, clear_empty, field, has_metadata, set_annotation};
use super::{RenderedFile, split, text};
use crate::chart::Compat;
use crate::go_yaml;
use crate::refusal::{Refusal, RefusalKind};

const ANNOTATION: &str = "postrenderer.helm.sh/postrender-filename";

/// kyaml's own annotations, each with its older name.
const INDEX: [&str; 2] = ["internal.config.kubernetes.io/index", "config.kubernetes.io/index"];
const PATH: [&str; 2] = ["internal.config.kubernetes.io/path", "config.kubernetes.io/path"];
const IDENTITY: [&str; 2] = ["internal.config.kubernetes.io/id", "config.k8s.io/id"];
const DASHES: &str = "internal.config.kubernetes.io/seqindent";

/// All documents as one stream, each with the annotation.
pub fn merge_annotated(files: &[RenderedFile]) -> Result<String, Refusal> {
    merged(files).map_err(|text| RefusalKind::Syntax.of(format!("error merging manifests: {text}")))
}

fn merged(files: &[RenderedFile]) -> Result<String, String> {
    let mut sorted: Vec<&RenderedFile> = files.iter().collect();
    sorted.sort_by(|left, right| left.path.cmp(&right.path));
    let mut documents = Vec::new();
    for file in sorted {
        let is_partial = file.path.rsplit('/').next().is_some_and(|name| name.starts_with('_'));
        if is_partial || text::is_blank(&file.text) {
            continue;
        }
        for range in split(&file.text, Compat::Helm4) {
            let content = file.text.get(range).unwrap_or_default();
            let read = read_all(content).map_err(|wrong| format!("parsing {}: {wrong}", file.path))?;
            for mut document in read {
                set_annotation(&mut document.root, ANNOTATION, &file.path)
                    .map_err(|wrong| format!("annotating {}: {wrong}", file.path))?;
                documents.push(document);
            }
        }
    }
    write_all(documents).map_err(|wrong| format!("writing merged docs: {wrong}"))
}

/// The files that a stream came from. Documents without the annotation become files of their own.
pub fn split_annotated(stream: &[u8]) -> Result<Vec<RenderedFile>, Refusal> {
    let within =
        |wrong: String| RefusalKind::Syntax.of(format!("error while parsing post rendered output: {wrong}"));
    let mut files: BTreeMap<String, Vec<Draft>> = BTreeMap::new();
    let documents = read_all(stream).map_err(|wrong| within(format!("error parsing YAML: {wrong}")))?;
    for (count, mut document) in documents.into_iter().enumerate() {
        if !has_metadata(&document.root) {
            return Err(within("getting metadata: missing Resource metadata".to_owned()));
        }
        let path = match annotation(&document.root, ANNOTATION) {
            "" => format!("generated-by-postrender-{count}.yaml"),
            path => path.to_owned(),
        };
        clear_annotation(&mut document.root, ANNOTATION)
            .map_err(|wrong| within(format!("clearing filename annotation: {wrong}")))?;
        files.entry(path).or_default().push(document);
    }
    let mut rendered = Vec::with_capacity(files.len());
    for (path, documents) in files {
        let text =
            write_all(documents).map_err(|wrong| within(format!("re-writing {path}: {wrong}")))?.into_bytes();
        rendered.push(RenderedFile {
            path: Arc::from(path),
            text: text.into(),
            origins: OriginMap::default(),
        });
    }
    Ok(rendered)
}

/// All documents of a stream, those of a list by themselves.
fn read_all(stream: &[u8]) -> Result<Vec<Draft>, String> {
    let text = String::from_utf8_lossy(stream).replace("\r\n", "\n");
    let broken = go_yaml::broken(stream).map(|broken| broken.problem);
    let parts = parts(&text)?;
    let mut documents: Vec<Draft> = Vec::new();
    let mut index = 0;
    for (place, part) in parts.iter().enumerate() {
        let malformed = |wrong: &str| format!("MalformedYAMLError: {wrong}");
        // The break before a separator is part of the document too: a block of text may end with it.
        let part = if place + 1 < parts.len() { format!("{part}\n") } else { (*part).to_owned() };
        if let Some(problem) = broken.filter(|_| part.contains(char::REPLACEMENT_CHARACTER)) {
            return Err(malformed(&format!("yaml: {problem}")));
        }
        let draft = Draft::read(&part, &Limits::default()).map_err(|error| malformed(&error.go_text))?;
        let Some(mut draft) = draft.filter(|draft| !draft.root.is_null()) else { continue };
        for [name, older] in [PATH, INDEX, IDENTITY] {
            let value = annotation(&draft.root, name).to_owned();
            let of_older = annotation(&draft.root, older).to_owned();
            match (value.is_empty(), of_older.is_empty()) {
                (false, true) => set_annotation(&mut draft.root, older, &value)?,
                (true, false) => set_annotation(&mut draft.root, name, &of_older)?,
                _ => {}
            }
        }
        // They are taken away again before anything is written, but they make the maps that they stand in.
        let [name, older] = INDEX;
        for name in [older, name] {
            set_annotation(&mut draft.root, name, &index.to_string())?;
        }
        let kind = field(&draft.root, "kind").map_or("", |kind| kind.text());
        let is_list = parts.len() == 1
            && matches!(kind, "List" | "ResourceList")
            && ["items", "functionConfig"].into_iter().any(|key| draft.root.get(key).is_some());
        if is_list {
            documents.extend(items(draft).into_iter().map(Draft::from));
        } else {
            documents.push(draft);
            index += 1;
        }
    }
    Ok(documents)
}

/// What stands in the `items` of a list.
fn items(list: Draft) -> Vec<trueline_yaml::DraftNode> {
    let DraftContent::Map(_, entries) = list.root.content else { return Vec::new() };
    let items = entries.into_iter().find(|(key, _)| key.text() == "items").map(|(_, items)| items.content);
    match items {
        Some(DraftContent::List(_, items)) => items,
        Some(DraftContent::Map(_, entries)) => {
            entries.into_iter().flat_map(|(key, value)| [key, value]).collect()
        }
        _ => Vec::new(),
    }
}

/// A stream at its lines that begin with `---`; nothing but a comment may follow there.
fn parts(text: &str) -> Result<Vec<&str>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("\n---") {
        let Some((separator, behind)) = behind.split_once('\n') else { break };
        let said = separator.trim();
        if !said.is_empty() && !said.starts_with('#') {
            return Err(format!("invalid document separator: ---{}", separator.trim_end()));
        }
        parts.push(before);
        rest = behind;
    }
    if !text.is_empty() {
        parts.push(rest);
    }
    Ok(parts)
}

/// All documents as one stream, without what kyaml has noted in them.
fn write_all(mut documents: Vec<Draft>) -> Result<String, String> {
    let mut dashes = Vec::with_capacity(documents.len());
    for Draft { root, .. } in &mut documents {
        dashes.push(match annotation(root, DASHES) {
            "wide" => Dashes::Indented,
            _ => Dashes::UnderKey,
        });
        let [name, older] = INDEX;
        for name in [name, older, DASHES] {
            clear_annotation(root, name)?;
        }
        clear_empty(root)?;
    }
    Ok(write_drafts(documents.iter().zip(dashes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &[u8]) -> RenderedFile {
        RenderedFile { path: "t/a.yaml".into(), text: text.into(), origins: OriginMap::default() }
    }

    fn shown(files: &[RenderedFile]) -> Vec<(&str, &str)> {
        files.iter().map(|file| (&*file.path, std::str::from_utf8(&file.text).unwrap())).collect()
    }

    const LINE: &str = "postrenderer.helm.sh/postrender-filename: 't/a.yaml'\n";

    #[test]
    fn every_document_names_its_file_behind_all_else() {
        for (text, expected) in [
            ("kind: X\n", format!("kind: X\nmetadata:\n  annotations:\n    {LINE}")),
            (
                "metadata:\n    name: y # n\nspec: 1",
                format!("metadata:\n  name: y # n\n  annotations:\n    {LINE}spec: 1\n"),
            ),
            (
                "metadata:\n  annotations:\n    # z\n    z: 1 # one\n    # end\n",
                format!("metadata:\n  annotations:\n    # z\n    z: 1 # one\n    # end\n\n    {LINE}"),
            ),
            (
                "{kind: Z, metadata: {name: a}}\n",
                format!("{{kind: Z, metadata: {{name: a, annotations: {{{}}}}}}}\n", LINE.trim_end()),
            ),
            ("{kind: Z}\n", format!("{{kind: Z, metadata: {{annotations: {{{}}}}}}}\n", LINE.trim_end())),
            ("metadata: # c\nkind: X\n", format!("kind: X\nmetadata:\n  annotations:\n    {LINE}")),
            (
                "metadata:\n  annotations: null # c\n  name: x\n",
                format!("metadata:\n  name: x\n  annotations:\n    {LINE}"),
            ),
            (
                "kind: A\r\n---\r\n# only a comment\r\n---\r\nkind: B\r\n",
                format!(
                    "kind: A\nmetadata:\n  annotations:\n    {LINE}---\nkind: B\nmetadata:\n  annotations:\n    {LINE}"
                ),
            ),
            (
                "kind: List\nitems:\n- kind: A # a\n- metadata: {annotations: {}}\n",
                format!(
                    "kind: A # a\nmetadata:\n  annotations:\n    {LINE}---\nmetadata:\n  annotations:\n    {LINE}"
                ),
            ),
            ("# only a comment\n", String::new()),
            ("---\n", String::new()),
        ] {
            assert_eq!(merge_annotated(&[file(text.as_bytes())]).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn an_annotation_that_is_there_keeps_its_place_and_style() {
        for (value, written) in [("'x' # c", "'t/a.yaml'"), ("\"x\"", "\"t/a.yaml\""), ("x", "t/a.yaml")] {
            let document =
                |value: &str| format!("metadata:\n  annotations:\n    {ANNOTATION}: {value}\n    b: 1\n");
            assert_eq!(merge_annotated(&[file(document(value).as_bytes())]).unwrap(), document(written));
        }
    }

    #[test]
    fn kyaml_takes_its_own_annotations_away_but_not_the_path() {
        let text = "metadata:\n  annotations:\n    config.kubernetes.io/index: '5'\n    config.kubernetes.io/path: p\n    \
                    internal.config.kubernetes.io/seqindent: wide\n  finalizers:\n  - a\n";
        assert_eq!(
            merge_annotated(&[file(text.as_bytes())]).unwrap(),
            format!(
                "metadata:\n  annotations:\n    config.kubernetes.io/path: p\n    internal.config.kubernetes.io/path: \
                 'p'\n    {LINE}  finalizers:\n    - a\n"
            )
        );
    }

    #[test]
    fn what_comes_back_is_what_was_sent_but_for_its_form() {
        for (text, back) in [
            ("kind: X\n", "kind: X\n"),
            (
                "# head\n\nkind: A # end\nmetadata:\n    name: y\n    labels: {a: 1}\nlist:\n  - \"b\"\n",
                "# head\n\nkind: A # end\nmetadata:\n  name: y\n  labels: {a: 1}\nlist:\n- \"b\"\n",
            ),
            ("metadata:\n  annotations:\n    z: 1\n", "metadata:\n  annotations:\n    z: 1\n"),
            ("{kind: Z, metadata: {name: b}}\n", "{kind: Z, metadata: {name: b}}\n"),
            ("a: |+\n  b\n\n---\nc: d", "a: |+\n  b\n\n---\nc: d\n"),
        ] {
            let stream = merge_annotated(&[file(text.as_bytes())]).unwrap();
            let files = split_annotated(stream.as_bytes()).unwrap();
            assert_eq!(shown(&files), [("t/a.yaml", back)]);
        }
    }

    #[test]
    fn new_documents_get_files_of_their_own() {
        let files = split_annotated(b"a: 1\n--- # next\n\n---\nc: 1").unwrap();
        assert_eq!(
            shown(&files),
            [("generated-by-postrender-0.yaml", "a: 1\n"), ("generated-by-postrender-1.yaml", "c: 1\n")]
        );
        assert!(split_annotated(b"").unwrap().is_empty());
    }

    #[test]
    fn what_is_wrong_is_told_in_the_words_of_helm() {
        for (stream, error) in [
            (
                &b"a: [\n"[..],
                "error parsing YAML: MalformedYAMLError: yaml: line 1: did not find expected node content",
            ),
            (b"a: 1\n--- b\nc: d\n", "error parsing YAML: invalid document separator: --- b"),
            (b"a: \xff\n", "error parsing YAML: MalformedYAMLError: yaml: invalid leading UTF-8 octet"),
            (b"kind: List\nitems: [{a: b}]\n", "getting metadata: missing Resource metadata"),
        ] {
            let expected = format!("error while parsing post rendered output: {error}");
            assert_eq!(split_annotated(stream).unwrap_err().to_string(), expected);
        }
        for (text, error) in [
            (
                "- a # c\n",
                "parsing t/a.yaml: wrong node kind: expected MappingNode but got SequenceNode: node contents:\n- a # c\n",
            ),
            (
                "metadata: x\n",
                "parsing t/a.yaml: wrong node kind: expected MappingNode but got ScalarNode: node contents:\nx\n",
            ),
            (
                "a: &b {c: d}\nmetadata: *b\n",
                "parsing t/a.yaml: wrong node kind: expected MappingNode but got AliasNode: node contents:\n*b\n",
            ),
            (
                "kind: List\nitems: [x]\n",
                "annotating t/a.yaml: wrong node kind: expected MappingNode but got ScalarNode: node contents:\nx\n",
            ),
        ] {
            let expected = format!("error merging manifests: {error}");
            assert_eq!(merge_annotated(&[file(text.as_bytes())]).unwrap_err().to_string(), expected);
        }
    }
}

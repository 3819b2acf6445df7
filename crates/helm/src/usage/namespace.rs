//! Namespaces that are written into templates.

use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Level};
use trueline_gotemplate::node::Tree;

use super::codes::FIXED_NAMESPACE;
use super::masked::{ACTION, masked};
use crate::engine::Texts;

/// Every cluster has these, and some objects have to stand in them.
const OF_THE_CLUSTER: &[&str] = &["kube-system", "kube-public", "kube-node-lease"];

/// How the field begins that says it.
const NAMESPACE: &[u8] = b"namespace:";

/// How actions begin that print something, whatever comes after.
const PRINTS: &[&[u8]] = &[b".", b"$.", b"include ", b"template "];

/// Objects of a chart's own templates whose namespace is always the same, wherever the chart is installed.
pub fn fixed_namespaces(texts: &Texts) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for text in texts.own() {
        let (Some(source), Some(first)) = (text.source(), text.trees().first()) else { continue };
        let data = first.nodes.text();
        if !may_have_plain_name(data) {
            continue;
        }
        for (start, end) in found(data, text.trees()) {
            let name = String::from_utf8_lossy(data.get(start..end).unwrap_or_default()).into_owned();
            let message = format!("the namespace `{name}` is written into the template");
            findings.push(
                Diagnostic::new(&FIXED_NAMESPACE, source.span(start, end), message)
                    .label("this object goes there whatever `--namespace` says")
                    .help("write `{{ .Release.Namespace }}`, or take the name from a value")
                    .level(Level::Semantic),
            );
        }
    }
    findings
}

/// Whether a name may be written after the field anywhere in a template: a quick look before the text is taken apart.
/// Nearly all templates print the namespace, and an action that begins like one of [`PRINTS`] does nothing else.
fn may_have_plain_name(data: &[u8]) -> bool {
    memchr::memmem::find_iter(data, NAMESPACE).any(|start| {
        let after = data.get(start + NAMESPACE.len()..).unwrap_or_default();
        let blanks = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let value = after.get(blanks..).unwrap_or_default();
        match value.strip_prefix(b"{{") {
            Some(action) => {
                let action = action.strip_prefix(b"-").unwrap_or(action).trim_ascii_start();
                !PRINTS.iter().any(|start| action.starts_with(start))
            }
            None => !matches!(value.first(), None | Some(b'\n' | b'\r')),
        }
    })
}

fn found(text: &[u8], trees: &[Arc<Tree>]) -> Vec<(usize, usize)> {
    let mask = masked(text, trees);
    let mut found = Vec::new();
    // Those of one object: more than one is a choice that the template makes.
    let mut choices: Vec<Option<(usize, usize)>> = Vec::new();
    let mut inside = Inside::Elsewhere;
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', &mask).map(|end| end + 1);
    for end in ends.chain((!mask.ends_with(b"\n")).then_some(mask.len())) {
        let line = mask.get(start..end).unwrap_or_default();
        let line_start = std::mem::replace(&mut start, end);
        let indent = line.iter().take_while(|byte| **byte == b' ').count();
        let content = line.get(indent..).unwrap_or_default().trim_ascii_end();
        if content.iter().all(|byte| matches!(*byte, ACTION | b' ')) || content.starts_with(b"#") {
            continue;
        }
        match inside {
            _ if indent == 0 => {
                found.extend(only(&mut choices));
                inside = if content == b"metadata:" { Inside::Metadata } else { Inside::Elsewhere };
            }
            Inside::Elsewhere => {}
            Inside::Metadata => inside = Inside::Fields(indent),
            Inside::Fields(_) => {}
        }
        if inside == Inside::Fields(indent)
            && let Some(behind) = content.strip_prefix(NAMESPACE)
        {
            let value = behind.trim_ascii_start();
            let start = line_start + indent + content.len() - value.len();
            choices.push(literal(value).map(|(from, length)| (start + from, start + from + length)));
        }
    }
    found.extend(only(&mut choices));
    found
}

/// The only one of several choices, if it is the only one; none are left.
fn only(choices: &mut Vec<Option<(usize, usize)>>) -> Option<(usize, usize)> {
    match std::mem::take(choices).as_slice() {
        [only] => *only,
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Elsewhere,
    /// Directly after `metadata:`.
    Metadata,
    /// Among its fields, which are indented so far.
    Fields(usize),
}

/// The name that is written, as its offset and length; nothing if it is computed or one that every cluster has.
fn literal(value: &[u8]) -> Option<(usize, usize)> {
    let quote = value.first().filter(|byte| matches!(**byte, b'"' | b'\''));
    let from = usize::from(quote.is_some());
    let name = value.get(from..)?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let length = name.iter().take_while(|byte| is_part(byte)).count();
    let ends = match (quote, name.get(length)) {
        (Some(quote), Some(end)) => quote == end,
        (None, Some(end)) => *end == b' ',
        (quote, None) => quote.is_none(),
    };
    let name = std::str::from_utf8(name.get(..length)?).ok()?;
    (ends && !name.is_empty() && !OF_THE_CLUSTER.contains(&name)).then_some((from, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use trueline_gotemplate::{Delimiters, Functions, Reader};

    #[test]
    fn only_plain_names_in_the_metadata_of_objects() {
        for (text, expected) in [
            ("metadata:\n  name: a\n  namespace: web\n", vec!["web"]),
            ("metadata:\n  namespace: \"web\" # why\n", vec!["web"]),
            ("metadata:\n  namespace: {{ .Release.Namespace }}\n", vec![]),
            ("metadata:\n  namespace: web-{{ .Values.x }}\n", vec![]),
            ("metadata:\n  namespace: kube-system\n", vec![]),
            ("metadata:\n  labels:\n    namespace: web\n", vec![]),
            ("subjects:\n- kind: User\n  namespace: web\n", vec![]),
            ("spec:\n  metadata:\n    namespace: web\n", vec![]),
            ("{{/*\nmetadata:\n  namespace: web\n*/}}\n", vec![]),
            (
                "metadata:\n{{- if .Values.x }}\n  name: a\n{{- end }}\n  namespace: web\nspec: {}\n",
                vec!["web"],
            ),
            (
                "a: 1\n---\nmetadata:\n  namespace: web\n---\nmetadata:\n  namespace: two\n",
                vec!["web", "two"],
            ),
            (
                "metadata:\n{{ if .Values.x }}\n  namespace: a\n{{ else }}\n  namespace: {{ .Values.y }}\n{{ end }}\n",
                vec![],
            ),
            ("metadata:\n  namespace: {{ if .Values.x }}web{{ end }}\n", vec!["web"]),
            ("metadata:\n  namespace: {{- /* why */}} web\n", vec!["web"]),
            ("metadata:\n  namespace: {{ $x := 1 }}web\n", vec!["web"]),
            ("{{ define \"x\" }}\nmetadata:\n  namespace: web\n{{ end }}\n", vec!["web"]),
        ] {
            assert!(expected.is_empty() || may_have_plain_name(text.as_bytes()), "{text}");
            let mut reader = Reader::new(Arc::new(Functions::builtin()));
            let read = reader.read("t", &text.as_bytes().into(), None, Delimiters::default());
            let places = found(text.as_bytes(), read.unwrap().trees());
            let names: Vec<&str> = places.iter().map(|(start, end)| &text[*start..*end]).collect();
            assert_eq!(names, expected, "{text}");
        }
    }
}

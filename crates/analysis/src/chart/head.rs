//! The head of an object: what Helm itself reads of each document, and stops at if it is of another kind.

use trueline_diagnostic::{Diagnostic, Level};
use trueline_yaml::{NodeRef, ScalarValue};

use super::codes::WRONG_HEAD;

/// Fields of the head that are not what they have to be.
pub(crate) fn wrong_fields(root: NodeRef<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = [("apiVersion", "/apiVersion"), ("kind", "/kind")]
        .into_iter()
        .filter_map(|(key, path)| not_text(root.get(key)?, key, path))
        .collect();
    let Some(metadata) = root.get("metadata") else { return found };
    if metadata.entries().is_none() {
        found.extend(refuse(metadata, "metadata", "a map", "/metadata"));
        return found;
    }
    found.extend(metadata.get("name").and_then(|name| not_text(name, "metadata.name", "/metadata/name")));
    let Some(annotations) = metadata.get("annotations") else { return found };
    let path = "/metadata/annotations";
    match annotations.entries() {
        None => found.extend(refuse(annotations, "metadata.annotations", "a map of texts", path)),
        Some(entries) => {
            found.extend(entries.filter(|(_, value)| value.as_str().is_none()).filter_map(|(key, value)| {
                let name = format!("metadata.annotations.{}", key.text().unwrap_or_default());
                not_text(value, &name, path)
            }))
        }
    }
    found
}

fn not_text(node: NodeRef<'_>, name: &str, path: &str) -> Option<Diagnostic> {
    if node.as_str().is_some() { None } else { refuse(node, name, "text", path) }
}

/// A null is as good as nothing.
fn refuse(node: NodeRef<'_>, name: &str, wanted: &str, path: &str) -> Option<Diagnostic> {
    let got = match (node.entries(), node.items(), node.scalar()) {
        (_, _, Some(ScalarValue::Null)) => return None,
        (Some(_), ..) => "a map",
        (_, Some(_), _) => "a list",
        (.., Some(ScalarValue::Bool(_))) => "true or false",
        (.., Some(ScalarValue::String)) => "text",
        _ => "a number",
    };
    let help = match wanted {
        "text" if node.entries().is_none() && node.items().is_none() => "put quotes around it",
        _ => "look at the indentation of the line, and at what the template prints there",
    };
    let message = format!("`{name}` must be {wanted}, and this is {got}");
    Some(
        Diagnostic::new(&WRONG_HEAD, node.span(), message)
            .label(format!("{got} stands here"))
            .help(help)
            .path(path)
            .level(Level::Semantic),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::{SourceKind, SourceMap};
    use trueline_yaml::ReadOptions;

    #[test]
    fn what_helm_reads_of_an_object_is_of_its_kind() {
        for (text, messages) in [
            ("apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {a: b, c: null}}\n", vec![]),
            ("kind: [X]\n", vec!["`kind` must be text, and this is a list"]),
            ("apiVersion: {a: b}\n", vec!["`apiVersion` must be text, and this is a map"]),
            ("metadata: words\n", vec!["`metadata` must be a map, and this is text"]),
            ("metadata:\nkind:\n", vec![]),
            (
                "metadata: {name: 1, annotations: {k: true}}\n",
                vec![
                    "`metadata.name` must be text, and this is a number",
                    "`metadata.annotations.k` must be text, and this is true or false",
                ],
            ),
            (
                "metadata: {annotations: [a]}\n",
                vec!["`metadata.annotations` must be a map of texts, and this is a list"],
            ),
        ] {
            let sources = SourceMap::new();
            let id = sources.add("t", SourceKind::File, text);
            let source = sources.get(id);
            let stream = trueline_yaml::read(id, source.text(), &ReadOptions::default());
            let found = wrong_fields(stream.documents[0].root());
            let found: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
            assert_eq!(found, messages, "{text}");
        }
    }
}

//! The documents of a manifest as objects: what each says it is, read as Kubernetes' own reader does it.

use std::sync::Arc;

use trueline_gostd::json::json_fault;
use trueline_source::SourceId;

use crate::chart::decode::{Decoder, Record, Target};
use crate::chart::{Compat, Parts};
use crate::go_yaml::{self, Broken};

/// What a document says it is.
#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) metadata: Metadata,
}

#[derive(Debug, Default)]
pub(super) struct Metadata {
    namespace: String,
    pub(super) name: String,
}

impl Record for Object {
    const NAME: &'static str = "k8sYamlStruct";
    const FIELDS: &'static [&'static str] = &["apiVersion", "Kind", "Metadata"];

    fn field(&mut self, name: &str) -> Option<&mut dyn Target> {
        Some(match name {
            "apiVersion" => &mut self.api_version,
            "Kind" => &mut self.kind,
            "Metadata" => &mut self.metadata,
            _ => return None,
        })
    }
}

impl Record for Metadata {
    const NAME: &'static str = "k8sYamlMetadata";
    const FIELDS: &'static [&'static str] = &["Namespace", "Name"];

    fn field(&mut self, name: &str) -> Option<&mut dyn Target> {
        Some(match name {
            "Namespace" => &mut self.namespace,
            "Name" => &mut self.name,
            _ => return None,
        })
    }
}

/// The documents one by one: an object, nothing where a document is empty, or Go's words for what cannot be read.
/// Nothing comes after an error.
pub(super) struct Objects<'t> {
    text: &'t str,
    parts: Parts<'t>,
    broken: Option<Broken>,
    compat: Compat,
    is_over: bool,
}

impl<'t> Objects<'t> {
    /// The documents of `bytes`, which `text` is with what is no UTF-8 replaced.
    pub(super) fn new(bytes: &[u8], text: &'t str, compat: Compat) -> Self {
        Objects { text, parts: Parts::new(text), broken: go_yaml::broken(bytes), compat, is_over: false }
    }

    fn object(&self, range: std::ops::Range<usize>) -> Result<Option<Object>, String> {
        let part = self.text.get(range.clone()).unwrap_or_default();
        let part: Arc<str> = if part.ends_with('\n') { part.into() } else { format!("{part}\n").into() };
        let broken = self.broken.filter(|broken| range.contains(&broken.offset));
        let broken = broken.map(|broken| Broken { offset: broken.offset - range.start, ..broken });
        let document = go_yaml::first(SourceId::from_index(0), &part, broken)
            .map_err(|error| self.as_json(format!("error converting YAML to JSON: {}", error.go_text)))?;
        let Some(document) = document.filter(|document| !document.root().is_null()) else { return Ok(None) };
        let mut object = Object::default();
        match Decoder::run(&mut object, document.root(), "rules").into_result() {
            Ok(()) => Ok(Some(object)),
            Err((text, _)) => Err(match self.compat {
                Compat::Helm4 => text,
                Compat::Helm3 => text.replace("k8sYamlStruct", "K8sYamlStruct"),
            }),
        }
    }

    /// The error of the JSON reader, which comes first if the document looks like JSON.
    fn as_json(&self, text: String) -> String {
        if !self.text.trim_start().starts_with('{') {
            return text;
        }
        let fault = |end: usize| json_fault(self.text.as_bytes().get(..end).unwrap_or_default());
        let is_met = |end: usize| fault(end).is_some_and(|fault| !fault.starts_with("unexpected end"));
        let Some(words) = fault(self.text.len()).filter(|_| is_met(self.text.len())) else { return text };
        // The shortest beginning that cannot become JSON any more.
        let (mut low, mut high) = (0, self.text.len());
        while low < high {
            let middle = low.midpoint(high);
            if is_met(middle) { high = middle } else { low = middle + 1 }
        }
        format!("json: offset {low}: {words}")
    }
}

impl Iterator for Objects<'_> {
    type Item = Result<Option<Object>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let object = match self.parts.next() {
            Ok(range) => self.object(range?),
            Err(separator) => Err(separator.text()),
        };
        self.is_over = object.is_err();
        Some(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(text: &str) -> Vec<String> {
        Objects::new(text.as_bytes(), text, Compat::Helm4)
            .map(|object| match object {
                Ok(Some(object)) => {
                    format!("{} {} {}", object.api_version, object.kind, object.metadata.name)
                }
                Ok(None) => "nothing".to_owned(),
                Err(wrong) => wrong,
            })
            .collect()
    }

    #[test]
    fn documents_are_read_one_by_one() {
        let unmarshal = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";
        let cases: &[(&str, &[&str])] = &[
            ("apiVersion: v1\nkind: A\nmetadata: {name: x}\n", &["v1 A x"]),
            ("# only\n---\nkind: 1\n---\n", &["nothing", " 1 "]),
            ("{\"kind\": \"A\"}", &[" A "]),
            ("{kind: A}", &[" A "]),
            (
                "kind: A\n---\na: [\n---\nkind: B\n",
                &[" A ", "error converting YAML to JSON: yaml: line 1: did not find expected node content"],
            ),
            ("kind: A\n--- x\n", &["invalid Yaml document separator: x"]),
            ("- a\n", &[&format!("{unmarshal} array into Go value of type rules.k8sYamlStruct")]),
            ("{\"a\": [}", &["json: offset 8: invalid character '}' looking for beginning of value"]),
        ];
        for (text, found) in cases {
            assert_eq!(objects(text), *found, "{text}");
        }
    }
}

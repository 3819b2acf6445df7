//! What a resource says it is, decoded as Go decodes it into a struct: keys in any case, scalars of any type as texts.

use std::fmt;

use trueline_yaml::{Data, Value, number};

/// What a resource says it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) kind: String,
    pub(crate) version: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Signature {
    /// Version and kind, as `-skip` and `-reject` take them.
    pub(crate) fn full_kind(&self) -> String {
        format!("{}/{}", self.version, self.kind)
    }

    /// All of it, as TAP has it.
    pub(crate) fn qualified_name(&self) -> String {
        format!("{}/{}/{}/{}", self.version, self.kind, self.namespace, self.name)
    }
}

/// Go's name of the struct that `metadata` is decoded into.
const METADATA: &str = "struct { Name string \"yaml:\\\"name\\\"\"; Namespace string \"yaml:\\\"namespace\\\"\"; \
                        GenerateName string \"yaml:\\\"generateName\\\"\" }";

/// Why a resource does not say what it is, shown in kubeconform's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SignatureFault {
    /// A key is missing.
    Missing(&'static str),
    /// What is found does not fit into a field of Go's struct.
    Type {
        /// Go's word for it.
        found: &'static str,
        /// The field and its type.
        into: String,
    },
}

impl fmt::Display for SignatureFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SignatureFault::Missing(key) => write!(formatter, "missing '{key}' key"),
            SignatureFault::Type { found, into } => write!(
                formatter,
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go struct field {into}"
            ),
        }
    }
}

/// The signature of a document as far as it can be decoded, and what is wrong with it.
pub(crate) fn of_document(value: &Value) -> (Signature, Result<(), SignatureFault>) {
    let mut decoder = Decoder::default();
    let mut metadata = Vec::new();
    for (field, value) in fields(value, &["APIVersion", "Kind", "Metadata"]) {
        match field {
            "APIVersion" => decoder.text(value, ".APIVersion", |signature| &mut signature.version),
            "Kind" => decoder.text(value, ".Kind", |signature| &mut signature.kind),
            _ => match &value.data {
                Data::Null => {}
                Data::Map(_) => metadata.push(value),
                _ => decoder.refuse(value, format_args!(".Metadata of type {METADATA}")),
            },
        }
        for value in metadata.drain(..) {
            decoder.metadata(value);
        }
    }
    let Decoder { mut signature, generate_name, wrong } = decoder;
    if !generate_name.is_empty() {
        signature.name = generated(&generate_name);
    }
    let verdict = match (wrong, signature.kind.as_str(), signature.version.as_str()) {
        (Some(wrong), ..) => Err(wrong),
        (None, "", _) => Err(SignatureFault::Missing("kind")),
        (None, _, "") => Err(SignatureFault::Missing("apiVersion")),
        _ => Ok(()),
    };
    (signature, verdict)
}

/// The signature of an item of a list, whose texts have to be texts.
pub(crate) fn of_item(value: &Value) -> Result<Signature, SignatureFault> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let kind = text(value.get("kind")).ok_or(SignatureFault::Missing("kind"))?;
    let version = text(value.get("apiVersion")).ok_or(SignatureFault::Missing("apiVersion"))?;
    let metadata = |name: &str| text(value.get("metadata").and_then(|metadata| metadata.get(name)));
    let name = metadata("generateName").map(|name| generated(&name)).or_else(|| metadata("name"));
    Ok(Signature {
        kind,
        version,
        namespace: metadata("namespace").unwrap_or_default(),
        name: name.unwrap_or_default(),
    })
}

fn generated(start: &str) -> String {
    format!("{start}{{{{ generateName }}}}")
}

#[derive(Default)]
struct Decoder {
    signature: Signature,
    generate_name: String,
    /// The first thing that does not fit; the rest is decoded all the same.
    wrong: Option<SignatureFault>,
}

impl Decoder {
    fn metadata(&mut self, metadata: &Value) {
        for (field, value) in fields(metadata, &["GenerateName", "Name", "Namespace"]) {
            let path = format!(".Metadata.{field}");
            match field {
                "Name" => self.text(value, &path, |signature| &mut signature.name),
                "Namespace" => self.text(value, &path, |signature| &mut signature.namespace),
                _ => {
                    if let Some(text) = self.decoded(value, &path) {
                        self.generate_name = text;
                    }
                }
            }
        }
    }

    fn text(&mut self, value: &Value, path: &str, place: fn(&mut Signature) -> &mut String) {
        if let Some(text) = self.decoded(value, path) {
            *place(&mut self.signature) = text;
        }
    }

    /// A scalar as text, of whatever type it is; null leaves the field alone.
    fn decoded(&mut self, value: &Value, path: &str) -> Option<String> {
        match &value.data {
            Data::Null => None,
            Data::Bool(value) => Some(value.to_string()),
            Data::Int(value) => Some(value.to_string()),
            Data::UInt(value) => Some(value.to_string()),
            Data::Float(value) => Some(number::general(*value)),
            Data::String(text) => Some(text.to_string()),
            Data::List(_) | Data::Map(_) => {
                self.refuse(value, format_args!("{path} of type string"));
                None
            }
        }
    }

    fn refuse(&mut self, value: &Value, into: std::fmt::Arguments<'_>) {
        let found = found(value);
        self.wrong.get_or_insert_with(|| SignatureFault::Type { found, into: into.to_string() });
    }
}

/// Go's word for what a value is.
pub(crate) fn found(value: &Value) -> &'static str {
    match value.type_name() {
        "boolean" => "bool",
        other => other,
    }
}

/// The entries that Go puts into one of the fields, in the order in which it does: that of the keys.
fn fields<'v>(map: &'v Value, names: &[&'static str]) -> Vec<(&'static str, &'v Value)> {
    let Data::Map(map) = &map.data else { return Vec::new() };
    let mut found: Vec<_> = map
        .iter()
        .filter_map(|(key, entry)| {
            let name = names.iter().find(|name| name.eq_ignore_ascii_case(key))?;
            Some((key, *name, &entry.value))
        })
        .collect();
    found.sort_by(|left, right| left.0.cmp(right.0));
    found.into_iter().map(|(_, name, value)| (name, value)).collect()
}

#[cfg(test)]
mod tests {
    use trueline_yaml::yaml_to_value;

    use super::*;

    fn decoded(text: &str) -> (Signature, Result<(), String>) {
        let (signature, verdict) = of_document(&yaml_to_value(text).unwrap());
        (signature, verdict.map_err(|fault| fault.to_string()))
    }

    #[test]
    fn signatures_are_decoded_as_go_decodes_them() {
        let (signature, verdict) =
            decoded("apiVersion: 1\nKIND: 1.50\nMetadata: {name: yes, Namespace: 07, labels: {}}\n");
        assert_eq!(verdict, Ok(()));
        assert_eq!(signature.qualified_name(), "1/1.5/7/true");
        assert_eq!(decoded("kind: A\nKind: B\napiVersion: v1").0.full_kind(), "v1/A");
        let (signature, _) = decoded("{apiVersion: v1, kind: Job, metadata: {name: a, generateName: x-}}");
        assert_eq!(signature.name, "x-{{ generateName }}");
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let into = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";
        for (text, words) in [
            ("{apiVersion: v1}", "missing 'kind' key".to_owned()),
            ("{kind: }", "missing 'kind' key".to_owned()),
            ("{kind: Pod}", "missing 'apiVersion' key".to_owned()),
            (
                "kind: {a: 1}\napiVersion: [1]",
                format!("{into} array into Go struct field .APIVersion of type string"),
            ),
            (
                "{kind: P, metadata: {name: {}}}",
                format!("{into} object into Go struct field .Metadata.Name of type string"),
            ),
            (
                "{kind: P, metadata: 5}",
                format!("{into} number into Go struct field .Metadata of type {METADATA}"),
            ),
        ] {
            assert_eq!(decoded(text).1, Err(words), "{text}");
        }
    }

    #[test]
    fn the_texts_of_items_have_to_be_texts() {
        let item = |text: &str| of_item(&yaml_to_value(text).unwrap()).map_err(|fault| fault.to_string());
        assert_eq!(item("{kind: 5, apiVersion: v1}"), Err("missing 'kind' key".to_owned()));
        assert_eq!(item("{kind: A}"), Err("missing 'apiVersion' key".to_owned()));
        let found = item("{kind: A, apiVersion: v1, metadata: {name: 5, namespace: ns}}").unwrap();
        assert_eq!(found.qualified_name(), "v1/A/ns/");
        assert_eq!(
            item("{kind: A, apiVersion: v1, metadata: {generateName: x}}").unwrap().name,
            "x{{ generateName }}"
        );
    }
}

//! Decoding an object that is sent to the server: what it says it is, its metadata, and what becomes of its fields.

use trueline_kube_facts::decode::{DecodeError, UnknownField};
use trueline_kube_facts::{FieldPath, Trail};
use trueline_yaml::{Data, MapEntry, Value};

use super::coerce::coerce;
use super::default::{MOST_DEFAULTED, default_within};
use super::metadata::{self, Malformed, Metadata};
use super::nulls::drop_nulls;
use super::prune::prune;
use super::resource::{Resource, Version};
use super::shape::place_outside;
use super::with_member;
use crate::structural::Root;
use crate::value::with_server_numbers;

/// The type that the head of an object is decoded into.
const HEAD: &str = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
                    \"json:\\\"kind,omitempty\\\"\" }";

/// An object as the server has it after decoding.
#[derive(Debug)]
pub struct Decoded<'r> {
    /// The version that it is written in.
    pub version: &'r Version,
    /// The object: unknown fields and nulls dropped, metadata decoded, defaults set.
    pub value: Value,
    /// The fields that were dropped because nobody knows them.
    pub unknown: Vec<UnknownField>,
}

/// `apiVersion` and `kind` of an object. An error has the server's words; `text` is the object as it was sent.
pub fn head<'v>(value: &'v Value, text: &str) -> Result<(&'v str, &'v str), DecodeError> {
    fn fail<T>(text: String, value: &Value) -> Result<T, DecodeError> {
        Err(DecodeError { text, path: FieldPath::default(), place: value.origin, mismatch: None })
    }
    let word = |name: &str| match value.get(name).map(|field| (&field.data, field)) {
        None | Some((Data::Null, _)) => Ok(""),
        Some((Data::String(text), _)) => Ok(&**text),
        Some((_, field)) => {
            let found = found(field);
            let text = format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go struct field \
                 .{name} of type string"
            );
            fail(text, field)
        }
    };
    if !matches!(value.data, Data::Map(_) | Data::Null) {
        let text = format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type {HEAD}",
            found(value)
        );
        return fail(text, value);
    }
    let (api_version, kind) = (word("apiVersion")?, word("kind")?);
    if api_version.matches('/').count() > 1 {
        return fail(format!("unexpected GroupVersion string: {api_version}"), value);
    }
    match (api_version, kind) {
        (_, "") => fail(format!("Object 'Kind' is missing in '{text}'"), value),
        ("", _) => fail(format!("Object 'apiVersion' is missing in '{text}'"), value),
        head => Ok(head),
    }
}

impl Resource {
    /// Decodes an object of this resource. `text` is the object as it was sent.
    pub fn decode(&self, value: &Value, text: &str) -> Result<Decoded<'_>, DecodeError> {
        if let Some(number) = unsupported(value) {
            let text = number.to_json_text().err().map(|error| error.to_string()).unwrap_or_default();
            return Err(DecodeError {
                text,
                path: FieldPath::default(),
                place: number.origin,
                mismatch: None,
            });
        }
        let (api_version, kind) = head(value, text)?;
        let version = api_version
            .strip_prefix(&*self.group)
            .and_then(|rest| rest.strip_prefix('/'))
            .and_then(|name| self.version(name))
            .filter(|version| version.served);
        let Some(version) = version else {
            let text = format!("no such version or kind: {api_version}, Kind={kind}");
            return Err(DecodeError {
                text,
                path: FieldPath::default(),
                place: value.origin,
                mismatch: None,
            });
        };
        let value = with_server_numbers(value);
        if kind != &*self.kind {
            // The schema is not about this object; that its kind is wrong is said later.
            let metadata = decode_metadata(&value, Malformed::Refused)?;
            let (value, unknown) = with_metadata(value, metadata, Vec::new());
            return Ok(Decoded { version, value, unknown });
        }
        let (value, unknown) = self.apply(&value, version, Malformed::Refused)?;
        Ok(Decoded { version, value: with_defaults(value, version)?, unknown })
    }

    /// What the schema of a version makes of an object, except for defaults.
    pub(super) fn apply(
        &self,
        value: &Value,
        version: &Version,
        malformed: Malformed,
    ) -> Result<(Value, Vec<UnknownField>), DecodeError> {
        let mut metadata = decode_metadata(value, malformed)?;
        if let (Some(metadata), Some(schema)) = (&mut metadata, &version.schema) {
            place_outside(&mut metadata.unknown, value, schema);
        }
        let mut unknown = Vec::new();
        let mut value = value.clone();
        if !self.preserves_unknown_fields {
            let pruned = prune(&value, version.schema.as_ref(), Root::Resource);
            unknown.extend(pruned.unknown);
            value = pruned.value;
            if let Some(schema) = &version.schema {
                value = drop_nulls(&value, schema);
            }
        }
        if let Some(schema) = version.schema.as_ref().filter(|_| version.has.embedded) {
            let path = Trail::root("", Some(&value));
            let coerced =
                coerce(&value, schema, Root::Value, malformed, &path).map_err(|error| DecodeError {
                    text: error.message(),
                    path: error.field.clone(),
                    place: error.place.or(value.origin),
                    mismatch: None,
                })?;
            unknown.extend(coerced.unknown);
            value = coerced.value;
        }
        Ok(with_metadata(value, metadata, unknown))
    }

    /// What a client gets back when it has sent this object: it was written in the version that objects are
    /// stored in, and read back. Nothing if a webhook has a say in it.
    pub fn returned(&self, object: &Value, version: &Version) -> Option<Value> {
        let storage = self.versions.iter().find(|version| version.storage)?;
        if !self.converts_by_name && storage.name != version.name {
            return None;
        }
        let named = |value: &Value, version: &Version| {
            with_member(value.clone(), "apiVersion", Value::from(self.api_version(version).as_str()))
        };
        let (stored, _) = self.apply(&named(object, storage), storage, Malformed::Refused).ok()?;
        let (read, _) = self.apply(&stored, storage, Malformed::Dropped).ok()?;
        let read = with_defaults(read, storage).ok()?;
        Some(self.apply(&named(&read, version), version, Malformed::Refused).ok()?.0)
    }
}

fn decode_metadata(value: &Value, malformed: Malformed) -> Result<Option<Metadata>, DecodeError> {
    value
        .get("metadata")
        .map(|metadata| metadata::decode(metadata, &FieldPath::of("metadata"), malformed))
        .transpose()
}

/// The object with its metadata decoded, and all fields that nobody knows.
fn with_metadata(
    value: Value,
    metadata: Option<Metadata>,
    mut unknown: Vec<UnknownField>,
) -> (Value, Vec<UnknownField>) {
    match metadata {
        None => (value, unknown),
        Some(metadata) => {
            unknown.extend(metadata.unknown);
            (with_member(value, "metadata", metadata.value), unknown)
        }
    }
}

pub(super) fn with_defaults(value: Value, version: &Version) -> Result<Value, DecodeError> {
    let schema = version.schema.as_ref().filter(|_| version.has.defaults);
    let Some(schema) = schema else { return Ok(value) };
    match default_within(&value, schema) {
        (value, true) => Ok(value),
        (_, false) => {
            let text = format!(
                "the defaults of the definition would put more than {MOST_DEFAULTED} values into this object"
            );
            Err(DecodeError { text, path: FieldPath::default(), place: value.origin, mismatch: None })
        }
    }
}

/// The first number that JSON has no spelling for.
fn unsupported(value: &Value) -> Option<&Value> {
    match &value.data {
        Data::Float(number) if !number.is_finite() => Some(value),
        Data::List(items) => items.iter().find_map(unsupported),
        Data::Map(map) => map.values().find_map(|entry: &MapEntry| unsupported(&entry.value)),
        _ => None,
    }
}

/// Go's name of what a JSON value is.
fn found(value: &Value) -> &'static str {
    match &value.data {
        Data::Bool(_) => "bool",
        _ => value.type_name(),
    }
}

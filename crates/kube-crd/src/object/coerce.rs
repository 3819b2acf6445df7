//! Resources inside of resources: their `apiVersion` and `kind` are texts, and their metadata is decoded.

use trueline_kube_facts::decode::UnknownField;
use trueline_kube_facts::{FieldError, Trail, rules};
use trueline_yaml::{Data, Map, Value};

use super::metadata::{self, Malformed};
use super::prune::{Member, member_schema};
use crate::structural::Root;
use crate::structural::Structural;
use crate::value::printed::printed;
use crate::value::rewrite::{Fate, rewrite_list, rewrite_map, with_list, with_map};

rules! {
    /// `apiVersion` or `kind` is not a string.
    KIND_NOT_A_STRING: Invalid, "custom/kind-not-a-string", "must be a string";
    /// The metadata of an object cannot be read.
    METADATA_UNREADABLE: Invalid, "custom/metadata-unreadable", "{}";
}

/// A value whose resources have metadata as the server decodes it.
#[derive(Debug)]
pub(crate) struct Coerced {
    pub(crate) value: Value,
    /// Fields that metadata does not have.
    pub(crate) unknown: Vec<UnknownField>,
}

/// Decodes the metadata of the resources in a value.
pub(crate) fn coerce(
    value: &Value,
    schema: &Structural,
    root: Root,
    malformed: Malformed,
    path: &Trail<'_>,
) -> Result<Coerced, Box<FieldError>> {
    let mut coercer = Coercer { malformed, unknown: Vec::new(), error: None };
    let changed = coercer.changed(value, schema, root, path);
    match coercer.error {
        Some(error) => Err(Box::new(error)),
        None => Ok(Coerced { value: changed.unwrap_or_else(|| value.clone()), unknown: coercer.unknown }),
    }
}

struct Coercer {
    malformed: Malformed,
    unknown: Vec<UnknownField>,
    /// The first error; the server stops there.
    error: Option<FieldError>,
}

impl Coercer {
    fn changed(&mut self, value: &Value, schema: &Structural, root: Root, path: &Trail<'_>) -> Option<Value> {
        let is_resource = root == Root::Resource || schema.extensions.embedded_resource;
        match &value.data {
            Data::Map(map) => {
                let changed = rewrite_map(map, |key, entry| match &**key {
                    _ if self.error.is_some() => Fate::Kept,
                    "apiVersion" | "kind" if is_resource => self.text(&entry.value, &path.child(key)),
                    "metadata" if is_resource => self.metadata(&entry.value, &path.child(key)),
                    _ => match member_schema(schema, key) {
                        Some(Member::Known(member)) => {
                            let path = match schema.properties.contains_key(key) {
                                true => path.child(key),
                                false => path.key(key),
                            };
                            self.changed(&entry.value, member, Root::Value, &path).into()
                        }
                        Some(Member::Anything) | None => Fate::Kept,
                    },
                });
                changed.map(|map: Map| with_map(value, map))
            }
            Data::List(items) => {
                let schema = schema.items.as_deref()?;
                let changed = rewrite_list(items, |index, item| {
                    self.changed(item, schema, Root::Value, &path.index(index))
                });
                changed.map(|items| with_list(value, items))
            }
            _ => None,
        }
    }

    fn text(&mut self, value: &Value, path: &Trail<'_>) -> Fate {
        match (&value.data, self.malformed) {
            (Data::String(_), _) => Fate::Kept,
            (_, Malformed::Dropped) => Fate::Gone,
            (_, Malformed::Refused) => {
                self.error = Some(path.refuse_value(printed(value), &KIND_NOT_A_STRING));
                Fate::Kept
            }
        }
    }

    fn metadata(&mut self, value: &Value, path: &Trail<'_>) -> Fate {
        match (metadata::decode(value, &path.path(), self.malformed), self.malformed) {
            (Ok(metadata), _) => {
                self.unknown.extend(metadata.unknown);
                Fate::Changed(metadata.value)
            }
            (Err(_), Malformed::Dropped) => Fate::Kept,
            (Err(error), Malformed::Refused) => {
                self.error = Some(path.refuse_value(printed(value), METADATA_UNREADABLE.with(error.text)));
                Fate::Kept
            }
        }
    }
}

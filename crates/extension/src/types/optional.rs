//! A field that may be left out, but not be null.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A field that may be left out. Where it is written it has a value: unlike an `Option`, it does not
/// take `null` for one that was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Optional<T>(pub Option<T>);

impl<T> Optional<T> {
    /// Whether the field was left out.
    pub fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl<T> Default for Optional<T> {
    fn default() -> Self {
        Optional(None)
    }
}

impl<T> Deref for Optional<T> {
    type Target = Option<T>;

    fn deref(&self) -> &Option<T> {
        &self.0
    }
}

impl<T> DerefMut for Optional<T> {
    fn deref_mut(&mut self) -> &mut Option<T> {
        &mut self.0
    }
}

impl<T> From<T> for Optional<T> {
    fn from(value: T) -> Self {
        Optional(Some(value))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Optional<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Optional::from)
    }
}

impl<T: Serialize> Serialize for Optional<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

#[cfg(test)]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Optional<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        generator.subschema_for::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Sample {
        #[serde(default, skip_serializing_if = "Optional::is_absent")]
        field: Optional<u8>,
    }

    #[test]
    fn a_field_is_absent_or_has_a_value_but_is_never_null() {
        let read = |text| serde_json::from_str::<Sample>(text);
        assert_eq!(read("{}").unwrap(), Sample::default());
        assert_eq!(read(r#"{"field": 3}"#).unwrap(), Sample { field: 3.into() });
        assert!(read(r#"{"field": null}"#).is_err());
    }

    #[test]
    fn it_is_written_as_it_was_read() {
        let mut sample = Sample::default();
        assert_eq!(serde_json::to_string(&sample).unwrap(), "{}");
        assert!(sample.field.is_absent());
        *sample.field = Some(4);
        assert_eq!(sample.field.as_ref(), Some(&4));
        assert_eq!(serde_json::to_string(&sample).unwrap(), r#"{"field":4}"#);
    }
}

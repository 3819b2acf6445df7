//! Parses JSON into template values, with the places where they were typed.

use std::ops::Range;
use std::sync::Arc;

use trueline_gostd::json::{self, Build, Scalar};
use trueline_gotemplate::{Data, Entry, Map, MapKind, Value};
use trueline_source::Span;

use crate::marks::Places;

/// A decoded text.
#[derive(Debug)]
pub(crate) struct Decoded {
    /// The value.
    pub(crate) value: Value,
    /// What Go says of a value that it leaves out.
    pub(crate) error: Option<String>,
}

/// The value of a JSON text, or Go's error message.
pub(crate) fn decode(text: &[u8], places: Option<Places<'_>>) -> Result<Decoded, String> {
    let decoded = json::decode(text, &mut Builder { places })?;
    Ok(Decoded { value: decoded.value, error: decoded.error.map(String::from) })
}

struct Builder<'t> {
    places: Option<Places<'t>>,
}

impl Builder<'_> {
    /// Where the bytes of a range were typed.
    fn origin(&self, range: Range<usize>) -> Option<Span> {
        self.places.as_ref()?.origin(range)
    }
}

impl Build for Builder<'_> {
    type Value = Value;
    type Key = (Arc<str>, Option<Span>);

    fn scalar(&mut self, scalar: Scalar, at: Range<usize>) -> Value {
        let data = match scalar {
            Scalar::Null => Data::Nil,
            Scalar::Bool(truth) => Data::Bool(truth),
            Scalar::Number(number) => Data::Float(number),
            Scalar::String(text) => {
                let copied = self.places.and_then(|places| places.copied(at.clone(), &text));
                return match copied {
                    Some(parts) => Value::from(parts),
                    None => Value::from(text).at(self.origin(at.start + 1..at.end)),
                };
            }
        };
        Value::new(data).at(self.origin(at))
    }

    fn key(&mut self, key: String, at: Range<usize>) -> Self::Key {
        (key.into(), self.origin(at.start + 1..at.end))
    }

    fn list(&mut self, items: Vec<Value>) -> Value {
        Value::list(items)
    }

    fn map(&mut self, entries: Vec<(Self::Key, Value)>) -> Value {
        let entry = |((name, key_origin), value)| (name, Entry { key_origin, value });
        Value::from(Map::from_entries(MapKind::Any, entries.into_iter().map(entry).collect::<Vec<_>>()))
    }
}

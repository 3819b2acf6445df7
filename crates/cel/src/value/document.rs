//! Reading values of documents: each is looked at through its shape, when it is used.

use std::sync::Arc;

use trueline_gostd::{base64, time};
use trueline_yaml::Data;

use crate::shape::{ListKind, ListShape, Shape};
use crate::value::{List, Map, Timestamp, Value};

/// A value of a document as an expression sees it. What does not have its shape is seen as it is; documents are validated
/// before expressions run.
pub fn read(value: &trueline_yaml::Value, shape: &Shape) -> Value {
    match (&value.data, shape) {
        (Data::List(items), Shape::List(shape)) => Value::List(List::Document(items.clone(), shape.clone())),
        (Data::Map(map), Shape::Map(shape)) => Value::Map(Map::Document(map.clone(), (**shape).clone())),
        (Data::Map(map), Shape::Object(shape)) => Value::Map(Map::Object(map.clone(), shape.clone())),
        (Data::Int(number), Shape::Double) => Value::Double(*number as f64),
        (Data::UInt(number), Shape::Double) => Value::Double(*number as f64),
        (Data::String(text), Shape::Bytes) => match base64::STANDARD.decode(text.as_bytes()) {
            Ok(bytes) => Value::bytes(bytes),
            Err(_) => Value::String(text.clone()),
        },
        (Data::String(text), Shape::Duration) => match time::Duration::parse(text.as_bytes()) {
            Ok(duration) => Value::Duration(duration.0),
            Err(_) => Value::String(text.clone()),
        },
        (Data::String(text), Shape::Date) => timestamp(b"2006-01-02", text),
        (Data::String(text), Shape::DateTime) => timestamp(b"2006-01-02T15:04:05Z07:00", text),
        (data, _) => read_as_is(data),
    }
}

fn read_as_is(data: &Data) -> Value {
    match data {
        Data::Null => Value::Null,
        Data::Bool(value) => Value::Bool(*value),
        Data::Int(number) => Value::Int(*number),
        Data::UInt(number) => Value::Double(*number as f64),
        Data::Float(number) => Value::Double(*number),
        Data::String(text) => Value::String(text.clone()),
        Data::List(items) => Value::List(List::Document(items.clone(), any_list())),
        Data::Map(map) => Value::Map(Map::Document(map.clone(), Shape::Dyn)),
    }
}

/// The shape of a list of which nothing is known; there is one for all of them.
fn any_list() -> Arc<ListShape> {
    static ANY: std::sync::LazyLock<Arc<ListShape>> =
        std::sync::LazyLock::new(|| Arc::new(ListShape { item: Shape::Dyn, kind: ListKind::Ordered }));
    ANY.clone()
}

fn timestamp(layout: &[u8], text: &Arc<str>) -> Value {
    match parse_timestamp(layout, text) {
        Some(timestamp) => Value::Timestamp(timestamp),
        None => Value::String(text.clone()),
    }
}

/// An instant written in one of Go's layouts.
pub(crate) fn parse_timestamp(layout: &[u8], text: &str) -> Option<Timestamp> {
    let parsed = time::parse(layout, text.as_bytes(), &time::Zone::Utc).ok()?;
    let (seconds, nanoseconds) = (parsed.unix_seconds(), parsed.civil().nanosecond);
    let offset = i32::try_from(parsed.zone().lookup(seconds).offset).unwrap_or(0);
    Some(Timestamp { seconds, nanoseconds: u32::try_from(nanoseconds).unwrap_or(0), offset })
}

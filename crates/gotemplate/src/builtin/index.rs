//! `index`, `slice` and `len`.

use std::sync::Arc;

use crate::{Context, Data, Error, Kind, List, MapKind, Str, UintKind, Value};

pub(super) fn index(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let Some((item, keys)) = arguments.split_first() else { return Err(Error::new("index of untyped nil")) };
    if item.is_nil() {
        return Err(Error::new("index of untyped nil"));
    }
    keys.iter().try_fold(item.clone(), |item, key| part(&item, key))
}

/// The item of `item` with this key or index.
fn part(item: &Value, key: &Value) -> Result<Value, Error> {
    match &item.data {
        Data::Invalid | Data::Nil => Err(Error::new("index of nil pointer")),
        Data::List(list) => {
            let position = position(key, list.len())?;
            list.get(position).cloned().ok_or_else(|| Error::new("reflect: slice index out of range"))
        }
        Data::Bytes(bytes) => byte_at(bytes, key, "slice"),
        Data::String(text) => byte_at(text.as_bytes(), key, "string"),
        Data::Map(map) => {
            let found = map.get(&map_key(key)?);
            Ok(found.unwrap_or_else(|| match map.kind() {
                MapKind::String => Value::from(""),
                MapKind::Any | MapKind::Named(_) => Value::nil(),
            }))
        }
        Data::Object(object) => match (object.kind(), object.entries(), object.items()) {
            (Kind::Map, Some(entries), _) => {
                let key = map_key(key)?;
                let found = entries.into_iter().find(|(name, _)| **name == *key);
                Ok(found.map_or_else(|| object.missing(), |(_, value)| value))
            }
            (Kind::Slice, _, Some(items)) => {
                let position = position(key, items.len())?;
                let item = items.into_iter().nth(position);
                item.ok_or_else(|| Error::new("reflect: slice index out of range"))
            }
            _ => Err(cannot("index", item)),
        },
        _ => Err(cannot("index", item)),
    }
}

fn cannot(what: &str, item: &Value) -> Error {
    // Go follows pointers before it names the type.
    let name = item.type_name();
    Error::new(format!("can't {what} item of type {}", name.trim_start_matches('*')))
}

fn byte_at(bytes: &[u8], key: &Value, kind: &str) -> Result<Value, Error> {
    match bytes.get(position(key, bytes.len())?) {
        Some(byte) => Ok(Value::new(Data::Uint(UintKind::Uint8, u64::from(*byte)))),
        None => Err(Error::new(format!("reflect: {kind} index out of range"))),
    }
}

fn map_key(key: &Value) -> Result<Arc<str>, Error> {
    match &key.data {
        Data::String(text) => Ok(text.key()),
        Data::Invalid | Data::Nil => Err(Error::new("value is nil; should be of type string")),
        _ => Err(Error::new(format!("value has type {}; should be string", key.type_name()))),
    }
}

/// An index up to and including `length`.
fn position(index: &Value, length: usize) -> Result<usize, Error> {
    let number = match index.data {
        Data::Int(_, number) => number,
        Data::Uint(_, number) => number as i64,
        Data::Invalid | Data::Nil => return Err(Error::new("cannot index slice/array with nil")),
        _ => {
            return Err(Error::new(format!("cannot index slice/array with type {}", index.type_name())));
        }
    };
    match usize::try_from(number) {
        Ok(position) if position <= length => Ok(position),
        _ => Err(Error::new(format!("index out of range: {number}"))),
    }
}

pub(super) fn slice(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let Some((item, indexes)) = arguments.split_first() else {
        return Err(Error::new("slice of untyped nil"));
    };
    if item.is_nil() {
        return Err(Error::new("slice of untyped nil"));
    }
    if indexes.len() > 3 {
        return Err(Error::new(format!("too many slice indexes: {}", indexes.len())));
    }
    let length = match &item.data {
        Data::String(_) if indexes.len() == 3 => return Err(Error::new("cannot 3-index slice a string")),
        Data::String(text) => text.len(),
        Data::Bytes(bytes) => bytes.len(),
        Data::List(list) => list.len(),
        _ => return Err(cannot("slice", item)),
    };
    let mut bounds = [0, length, length];
    for (bound, index) in bounds.iter_mut().zip(indexes) {
        *bound = position(index, length)?;
    }
    let [start, end, capacity] = bounds;
    for (low, high) in [(start, end), (end, capacity)] {
        if low > high {
            return Err(Error::new(format!("invalid slice index: {low} > {high}")));
        }
    }
    let data = match &item.data {
        Data::String(text) => Data::String(text.slice(start..end)),
        Data::Bytes(bytes) => Data::Bytes(Arc::from(bytes.get(start..end).unwrap_or_default())),
        Data::List(list) => {
            let items = list.get(start..end).unwrap_or_default().to_vec();
            Data::List(List::new(list.element(), items))
        }
        _ => Data::String(Str::empty()),
    };
    Ok(Value { data, origin: item.origin })
}

pub(super) fn length(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let Some(item) = arguments.first() else { return Err(Error::new("len of nil pointer")) };
    let length = match &item.data {
        Data::Nil => return Err(Error::new("len of nil pointer")),
        Data::Invalid => return Err(Error::new("reflect: call of reflect.Value.Type on zero Value")),
        Data::String(text) => text.len(),
        Data::Bytes(bytes) => bytes.len(),
        Data::List(list) => list.len(),
        Data::Map(map) => map.len(),
        Data::Object(object) => {
            let length = match object.kind() {
                Kind::Map => object.entries().map(|entries| entries.len()),
                Kind::Slice => object.items().map(|items| items.len()),
                _ => None,
            };
            match length {
                Some(length) => length,
                None => {
                    let name = object.type_name().trim_start_matches('*');
                    return Err(Error::new(format!("len of type {name}")));
                }
            }
        }
        _ => return Err(Error::new(format!("len of type {}", item.type_name()))),
    };
    Ok(Value::int(i64::try_from(length).unwrap_or(i64::MAX)))
}

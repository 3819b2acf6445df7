//! What the macros with two variables need: adding entries to a map that is being made.

use crate::function::{Fault, Function, Overload};
use crate::syntax::names::MAP_INSERT;
use crate::types::Type;
use crate::value::{ComputedMap, Map, Value};

/// The function that `transformMap` and `transformMapEntry` become calls of.
pub fn functions() -> Vec<Function> {
    let map = || Type::map(Type::Param("K"), Type::Param("V"));
    let entry = vec![map(), Type::Param("K"), Type::Param("V")];
    vec![Function::new(
        MAP_INSERT,
        vec![
            Overload::global("@mapInsert_map_key_value", entry, map(), insert_entry),
            Overload::global("@mapInsert_map_map", vec![map(), map()], map(), insert_map),
        ],
    )]
}

fn insert_entry(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::Map(map), key, value] => with(map, std::iter::once((key.clone(), value.clone()))),
        _ => Err(Fault::no_such_overload()),
    }
}

fn insert_map(args: &[Value]) -> Result<Value, Fault> {
    match args {
        [Value::Map(map), Value::Map(more)] => with(map, more.iter()),
        _ => Err(Fault::no_such_overload()),
    }
}

fn with(map: &Map, more: impl Iterator<Item = (Value, Value)>) -> Result<Value, Fault> {
    let mut result: ComputedMap = map.iter().collect();
    add(&mut result, more)?;
    Ok(result.into())
}

/// Adds entries. A key may only be there once.
pub(crate) fn add(
    map: &mut ComputedMap,
    more: impl IntoIterator<Item = (Value, Value)>,
) -> Result<(), Fault> {
    for (key, value) in more {
        if map.get(&key).is_some() {
            return Err(Fault::new(format!("insert failed: key {key} already exists")));
        }
        map.insert(key, value);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_be_there_once() {
        let map: ComputedMap = [(Value::Int(1), Value::from("a"))].into_iter().collect();
        let map = Value::from(map);
        let added = insert_entry(&[map.clone(), Value::Int(2), Value::from("b")]).unwrap();
        assert_eq!(added.size(), Some(2));
        assert_eq!(insert_map(&[map, added]).unwrap_err().to_string(), "insert failed: key 1 already exists");
    }
}

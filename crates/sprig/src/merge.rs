//! Merges maps by the rules of `mergo`.

use trueline_gotemplate::{Context, Data, Entry, Error, Kind, MAX_DEPTH, Map, MapKind, Value};

use crate::argument::map;

/// What is overwritten in the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overwrite {
    /// Empty values, including zero, false and empty strings.
    Empty,
    /// Everything except maps, which are merged.
    All,
}

/// Merges all other maps into the first and returns it. The outer error ends the template, the inner one is
/// what `mergo` returns.
#[allow(clippy::type_complexity, reason = "both results are what their names say")]
pub(crate) fn merge_all(
    context: &mut dyn Context,
    arguments: &[Value],
    overwrite: Overwrite,
) -> Result<Result<Value, Error>, Error> {
    let mut target = map(arguments, 0);
    let origin = arguments.first().and_then(|value| value.origin);
    for index in 1..arguments.len() {
        let source = map(arguments, index);
        if target.is_nil() && !source.is_nil() {
            target = Map::new(MapKind::Any);
        }
        match merge(context, &target, &source, overwrite, MAX_DEPTH) {
            Ok(()) => {}
            Err(Stop::Returned) => return Ok(Err(Error::new("src and dst must be of same type"))),
            Err(Stop::Panicked(error)) => return Err(error),
        }
    }
    Ok(Ok(Value::from(target).at(origin)))
}

enum Stop {
    /// `mergo` fails on different types.
    Returned,
    Panicked(Error),
}

fn merge(
    context: &mut dyn Context,
    target: &Map,
    source: &Map,
    overwrite: Overwrite,
    depth: usize,
) -> Result<(), Stop> {
    let Some(depth) = depth.checked_sub(1) else {
        let words = format!("values nested deeper than {MAX_DEPTH} levels are not merged");
        return Err(Stop::Panicked(Error::limit(words)));
    };
    if target.same(source) {
        return Ok(());
    }
    for (key, entry) in source.entries() {
        context.spend(32).map_err(Stop::Panicked)?;
        let old = target.get(&key);
        if entry.value.is_nil() {
            if overwrite == Overwrite::All {
                put(target, source.kind(), &key, entry)?;
            }
            continue;
        }
        if let Data::Map(source) = &entry.value.data {
            match old.as_ref().map(|old| &old.data) {
                // A nil map cannot be filled; it is replaced below.
                Some(Data::Map(target)) if !target.is_nil() => {
                    merge(context, target, source, overwrite, depth)?;
                }
                Some(Data::Object(object))
                    if object.kind() == Kind::Pointer
                        && overwrite == Overwrite::Empty
                        && !source.is_nil() =>
                {
                    return Err(Stop::Returned);
                }
                _ => {}
            }
        }
        if let Some(old) = old.as_ref().filter(|old| !is_empty(old)) {
            let both_maps = entry.value.kind() == Kind::Map && old.kind() == Kind::Map;
            if both_maps || overwrite == Overwrite::Empty {
                continue;
            }
        }
        put(target, source.kind(), &key, entry)?;
    }
    Ok(())
}

/// Sets a key like `reflect`, which checks the types.
fn put(target: &Map, from: MapKind, key: &std::sync::Arc<str>, entry: Entry) -> Result<(), Stop> {
    if target.kind() == MapKind::String && from != MapKind::String {
        let words = "reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string";
        return Err(Stop::Panicked(Error::new(words)));
    }
    if target.contains(key) {
        target.set(std::sync::Arc::clone(key), entry.value);
    } else {
        target.set_entry(std::sync::Arc::clone(key), entry);
    }
    Ok(())
}

/// Whether `mergo` treats it as empty: objects and complex numbers never are.
fn is_empty(value: &Value) -> bool {
    match &value.data {
        Data::Complex(_) => false,
        Data::Object(object) => matches!(object.kind(), Kind::Map | Kind::Slice) && !object.is_true(),
        _ => !value.is_true(),
    }
}

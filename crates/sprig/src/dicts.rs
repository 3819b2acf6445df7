//! Maps. As in Go, those that change a map change it for all who hold it.

use trueline_gotemplate::{
    Context, Data, Entry, Error, Function, List, MAX_DEPTH, Map, MapKind, Type, Value,
};

use crate::argument::{any, map, text};
use crate::conversion::string_list;
use crate::define::{fixed, variadic};
use crate::merge::{Overwrite, merge_all};
use crate::text;

const MAP: &[Type] = &[Type::MAP];
const MAP_KEY: &[Type] = &[Type::MAP, Type::String];
const TWO_MAPS: &[Type] = &[Type::MAP, Type::MAP];

/// The family.
pub(crate) const FUNCTIONS: &[Function] = &[
    variadic("dict", &[Type::Any], dict, "KEY VALUE …", "A map of these keys and values."),
    fixed("get", MAP_KEY, get, "MAP KEY", "The value of the key, or an empty text."),
    fixed("set", &[Type::MAP, Type::String, Type::Any], set, "MAP KEY VALUE", "Sets a key; the same map."),
    fixed("unset", MAP_KEY, unset, "MAP KEY", "Takes a key out; the same map."),
    fixed("hasKey", MAP_KEY, has_key, "MAP KEY", "Whether the map has the key."),
    variadic(
        "pluck",
        &[Type::String, Type::MAP],
        pluck,
        "KEY MAP…",
        "The values of the key in the maps that have it.",
    ),
    variadic("keys", MAP, keys, "MAP…", "The keys of the maps, each map's in order."),
    fixed("values", MAP, values, "MAP", "The values in the order of their keys."),
    variadic("pick", MAP_KEY, pick, "MAP KEY…", "A map of these keys only."),
    variadic("omit", MAP_KEY, omit, "MAP KEY…", "A map of all other keys."),
    variadic(
        "merge",
        TWO_MAPS,
        merge,
        "TARGET MAP…",
        "Sets what is empty or missing in the target; the same map.",
    ),
    variadic(
        "mustMerge",
        TWO_MAPS,
        must_merge,
        "TARGET MAP…",
        "As `merge`, but fails where that gives an empty text.",
    ),
    variadic(
        "mergeOverwrite",
        TWO_MAPS,
        merge_overwrite,
        "TARGET MAP…",
        "Sets all keys in the target; the same map.",
    ),
    variadic(
        "mustMergeOverwrite",
        TWO_MAPS,
        must_merge_overwrite,
        "TARGET MAP…",
        "As `mergeOverwrite`, but fails where that gives an empty text.",
    ),
    fixed("deepCopy", &[Type::Any], deep_copy, "VALUE", "A copy that shares nothing with the value."),
    fixed("mustDeepCopy", &[Type::Any], deep_copy, "VALUE", "As `deepCopy`."),
    variadic(
        "dig",
        &[Type::Any],
        dig,
        "KEY… DEFAULT MAP",
        "What stands in the map under key after key, or the default.",
    ),
];

fn dict(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let dict = Map::new(MapKind::Any);
    for pair in arguments.chunks(2) {
        let key = pair.first().map(|key| text::string(key).key()).unwrap_or_default();
        dict.set(key, pair.get(1).cloned().unwrap_or_else(|| Value::from("")));
    }
    Ok(Value::from(dict))
}

fn get(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(map(arguments, 0).get(&text(arguments, 1).key()).unwrap_or_else(|| Value::from("")))
}

fn set(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let map = map(arguments, 0);
    if map.is_nil() {
        return Err(Error::new("assignment to entry in nil map"));
    }
    map.set(text(arguments, 1).key(), any(arguments, 2));
    Ok(Value::from(map).at(any(arguments, 0).origin))
}

fn unset(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let map = map(arguments, 0);
    map.remove(&text(arguments, 1).key());
    Ok(Value::from(map).at(any(arguments, 0).origin))
}

fn has_key(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(map(arguments, 0).contains(&text(arguments, 1).key())))
}

fn pluck(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let key = text(arguments, 0).key();
    let found = (1..arguments.len()).filter_map(|index| map(arguments, index).get(&key));
    Ok(Value::list(found.collect()))
}

fn keys(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let mut keys = Vec::new();
    for index in 0..arguments.len() {
        let map = map(arguments, index);
        context.spend(map.len() as u64)?;
        map.read(|entries| {
            keys.extend(entries.iter().map(|(key, entry)| {
                Value::from(trueline_gotemplate::Str::from(std::sync::Arc::clone(key))).at(entry.key_origin)
            }));
        });
    }
    Ok(string_list(keys))
}

fn values(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let map = map(arguments, 0);
    context.spend(map.len() as u64)?;
    Ok(Value::list(map.read(|entries| entries.values().map(|entry| entry.value.clone()).collect())))
}

fn pick(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let map = map(arguments, 0);
    let picked = Map::new(MapKind::Any);
    for index in 1..arguments.len() {
        let key = text(arguments, index).key();
        if let Some(entry) = map.entry(&key) {
            picked.set_entry(key, entry);
        }
    }
    Ok(Value::from(picked))
}

fn omit(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let map = map(arguments, 0);
    context.spend(map.len() as u64)?;
    let kept = Map::from_entries(MapKind::Any, map.entries());
    for index in 1..arguments.len() {
        kept.remove(&text(arguments, index).key());
    }
    Ok(Value::from(kept))
}

fn merge(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    merge_all(context, arguments, Overwrite::Empty).map(|merged| merged.unwrap_or_else(|_| Value::from("")))
}

fn must_merge(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    merge_all(context, arguments, Overwrite::Empty)?
}

fn merge_overwrite(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    merge_all(context, arguments, Overwrite::All).map(|merged| merged.unwrap_or_else(|_| Value::from("")))
}

fn must_merge_overwrite(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    merge_all(context, arguments, Overwrite::All)?
}

fn deep_copy(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let value = any(arguments, 0);
    if value.is_nil() {
        return Err(Error::new("reflect: call of reflect.Value.Type on zero Value"));
    }
    copy(context, &value, MAX_DEPTH)
}

/// A copy of all that can be changed. Lists cannot, but what is in them can.
fn copy(context: &mut dyn Context, value: &Value, depth: usize) -> Result<Value, Error> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Error::limit(format!("values nested deeper than {MAX_DEPTH} levels are not copied")));
    };
    context.spend(1)?;
    let data = match &value.data {
        Data::Map(map) if !map.is_nil() => {
            let copied = Map::new(map.kind());
            for (key, entry) in map.entries() {
                let value = copy(context, &entry.value, depth)?;
                copied.set_entry(key, Entry { key_origin: entry.key_origin, value });
            }
            Data::Map(copied)
        }
        Data::List(list) if !list.is_nil() => {
            let items: Result<_, _> = list.iter().map(|item| copy(context, item, depth)).collect();
            Data::List(List::new(list.element(), items?))
        }
        data => data.clone(),
    };
    Ok(Value { data, origin: value.origin })
}

fn dig(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let [keys @ .., default, dict] = arguments else {
        return Err(Error::new("dig needs at least three arguments"));
    };
    if keys.is_empty() {
        return Err(Error::new("dig needs at least three arguments"));
    }
    let mut dict = dict_of(dict)?;
    let wrong_key = keys.iter().find(|key| key.as_str().is_none());
    if let Some(key) = wrong_key {
        return Err(conversion(key, "string"));
    }
    let mut keys = keys.iter().filter_map(Value::as_str).peekable();
    while let Some(key) = keys.next() {
        let Some(step) = dict.get(&key.key()) else { return Ok(default.clone()) };
        if keys.peek().is_none() {
            return Ok(step);
        }
        dict = dict_of(&step)?;
    }
    Ok(default.clone())
}

fn dict_of(value: &Value) -> Result<Map, Error> {
    match &value.data {
        Data::Map(map) if map.kind() == MapKind::Any => Ok(map.clone()),
        _ => Err(conversion(value, "map[string]interface {}")),
    }
}

/// What Go says of a value that is not of the type that it is taken for.
fn conversion(value: &Value, wanted: &str) -> Error {
    let name = if value.is_nil() { "nil".to_owned() } else { value.type_name() };
    Error::new(format!("interface conversion: interface {{}} is {name}, not {wanted}"))
}

//! Maps. As in Go, changing a map changes it for everybody who has it.

use trueline_gotemplate::{
    Context, Data, Entry, Error, Function, List, MAX_DEPTH, MAX_NODES, Map, MapKind, Type, Uses, Value,
};

use crate::argument::{any, map, text};
use crate::conversion::string_list;
use crate::define::{fixed, variadic};
use crate::merge::{Overwrite, merge_all};
use crate::text;

const MAP: &[Type] = &[Type::MAP];
const MAP_KEY: &[Type] = &[Type::MAP, Type::String];
const TWO_MAPS: &[Type] = &[Type::MAP, Type::MAP];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    variadic("dict", &[Type::Any], dict, "KEY VALUE …", "A map with these keys and values.").with(Uses::Map),
    fixed("get", MAP_KEY, get, "MAP KEY", "The value of the key, or an empty string.").with(Uses::Entry),
    fixed(
        "set",
        &[Type::MAP, Type::String, Type::Any],
        set,
        "MAP KEY VALUE",
        "Sets a key and returns the same map.",
    )
    .with(Uses::Set),
    fixed("unset", MAP_KEY, unset, "MAP KEY", "Removes a key and returns the same map.").with(Uses::Chosen),
    fixed("hasKey", MAP_KEY, has_key, "MAP KEY", "Whether the map has the key.").with(Uses::EntryAsked),
    variadic(
        "pluck",
        &[Type::String, Type::MAP],
        pluck,
        "KEY MAP…",
        "The values of the key in all maps that have it.",
    )
    .with(Uses::Entries),
    variadic("keys", MAP, keys, "MAP…", "The keys of the maps, sorted within each map.").with(Uses::Keys),
    fixed("values", MAP, values, "MAP", "The values, sorted by their keys.").with(Uses::Values),
    variadic("pick", MAP_KEY, pick, "MAP KEY…", "A map with only these keys.").with(Uses::Chosen),
    variadic("omit", MAP_KEY, omit, "MAP KEY…", "A map with all other keys.").with(Uses::Chosen),
    variadic(
        "merge",
        TWO_MAPS,
        merge,
        "TARGET MAP…",
        "Sets what is empty or missing in the target and returns it.",
    )
    .with(Uses::Merged),
    variadic(
        "mustMerge",
        TWO_MAPS,
        must_merge,
        "TARGET MAP…",
        "Like `merge`, but fails where that returns an empty string.",
    )
    .with(Uses::Merged),
    variadic(
        "mergeOverwrite",
        TWO_MAPS,
        merge_overwrite,
        "TARGET MAP…",
        "Sets all keys in the target and returns it.",
    )
    .with(Uses::Merged),
    variadic(
        "mustMergeOverwrite",
        TWO_MAPS,
        must_merge_overwrite,
        "TARGET MAP…",
        "Like `mergeOverwrite`, but fails where that returns an empty string.",
    )
    .with(Uses::Merged),
    fixed("deepCopy", &[Type::Any], deep_copy, "VALUE", "A copy that shares nothing with the value.")
        .with(Uses::Copy),
    fixed("mustDeepCopy", &[Type::Any], deep_copy, "VALUE", "Like `deepCopy`.").with(Uses::Copy),
    variadic(
        "dig",
        &[Type::Any],
        dig,
        "KEY… DEFAULT MAP",
        "The value found by following the keys into nested maps, or the default.",
    )
    .with(Uses::Path),
];

/// The memory of a map entry.
const STEPS_PER_ENTRY: u64 = 32;

fn dict(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let dict = Map::new(MapKind::Any);
    context.spend((arguments.len() as u64 / 2).saturating_mul(STEPS_PER_ENTRY))?;
    for pair in arguments.chunks(2) {
        let key = pair.first().map(|key| text::string(context, key)).transpose()?;
        let key = key.map(|key| key.key()).unwrap_or_default();
        dict.set(key, pair.get(1).cloned().unwrap_or_else(|| Value::from("")));
    }
    Ok(Value::from(dict))
}

fn get(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(map(arguments, 0).get(&text(arguments, 1).key()).unwrap_or_else(|| Value::from("")))
}

fn set(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let map = map(arguments, 0);
    if map.is_nil() {
        return Err(Error::new("assignment to entry in nil map"));
    }
    let key = text(arguments, 1).len() as u64;
    context.spend(STEPS_PER_ENTRY.saturating_add(key / 2))?;
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

fn pluck(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let key = text(arguments, 0).key();
    // The key is looked up in each map.
    context.spend((key.len() as u64 / 64 + 1).saturating_mul(arguments.len() as u64))?;
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

fn pick(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let map = map(arguments, 0);
    context.spend((arguments.len() as u64).saturating_mul(STEPS_PER_ENTRY))?;
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
    context.spend((map.len() as u64).saturating_mul(STEPS_PER_ENTRY))?;
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
    // A copy takes memory, not only time: an oversized value is detected before the first part is copied.
    context.spend(value.count_up_to(MAX_NODES).saturating_mul(128) as u64)?;
    copy(&value, MAX_DEPTH)
}

/// A copy of everything that can be changed. Lists cannot, but their items can.
fn copy(value: &Value, depth: usize) -> Result<Value, Error> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Error::limit(format!("values nested deeper than {MAX_DEPTH} levels are not copied")));
    };
    let data = match &value.data {
        Data::Map(map) if !map.is_nil() => {
            let copied = Map::new(map.kind());
            for (key, entry) in map.entries() {
                let value = copy(&entry.value, depth)?;
                copied.set_entry(key, Entry { key_origin: entry.key_origin, value });
            }
            Data::Map(copied)
        }
        Data::List(list) if !list.is_nil() => {
            let items: Result<_, _> = list.iter().map(|item| copy(item, depth)).collect();
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

/// Go's error for a value that does not have the asserted type.
fn conversion(value: &Value, wanted: &str) -> Error {
    let name = if value.is_nil() { "nil".to_owned() } else { value.type_name() };
    Error::new(format!("interface conversion: interface {{}} is {name}, not {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, check, counts_first};

    #[test]
    fn functions_return_what_sprig_returns() {
        check(&[
            (r#"dict "a" 1 "b""#, r#"map[string]interface {} {"a":1,"b":""}"#),
            ("dict 1 2 nil 3 true 4", r#"map[string]interface {} {"1":2,"\u003cnil\u003e":3,"true":4}"#),
            ("dict", "map[string]interface {} {}"),
            (r#"get (dict "a" 1) "a""#, "int 1"),
            (r#"get (dict "a" 1) "b""#, r#"string """#),
            (r#"get nil "b""#, r#"string """#),
            (r#"set (dict "a" 1) "b" (list 1)"#, r#"map[string]interface {} {"a":1,"b":[1]}"#),
            (r#"set (fromJson "null") "a" 1"#, "! assignment to entry in nil map"),
            (r#"unset (dict "a" 1) "a""#, "map[string]interface {} {}"),
            (r#"unset (dict) "a""#, "map[string]interface {} {}"),
            (r#"hasKey (dict "a" nil) "a""#, "bool true"),
            (r#"hasKey (dict) "a""#, "bool false"),
            (r#"pluck "a" (dict "a" 1) (dict "b" 2) (dict "a" 3)"#, "[]interface {} [1,3]"),
            (r#"keys (dict "a" 1)"#, r#"[]string ["a"]"#),
            (r#"values (dict "a" 1)"#, "[]interface {} [1]"),
            (r#"pick (dict "a" 1 "b" 2) "a" "x""#, r#"map[string]interface {} {"a":1}"#),
            (r#"omit (dict "a" 1 "b" 2) "a" "x""#, r#"map[string]interface {} {"b":2}"#),
            (
                r#"merge (dict "a" 1 "z" 0 "n" nil) (dict "a" 2 "b" 3 "z" 4 "n" 5) (dict "b" 4)"#,
                r#"map[string]interface {} {"a":1,"b":3,"n":5,"z":4}"#,
            ),
            (
                r#"merge (dict "m" (dict "x" 1 "e" "")) (dict "m" (dict "x" 2 "y" 3 "e" "f"))"#,
                r#"map[string]interface {} {"m":{"e":"f","x":1,"y":3}}"#,
            ),
            (r#"merge (dict "m" 1) (dict "m" (dict "x" 2))"#, r#"map[string]interface {} {"m":1}"#),
            (r#"merge (dict "l" (list)) (dict "l" (list 1))"#, r#"map[string]interface {} {"l":[1]}"#),
            (r#"merge nil (dict "a" 1)"#, r#"map[string]interface {} {"a":1}"#),
            (
                r#"mergeOverwrite (dict "a" 1 "b" 2 "m" (dict "x" 1) "l" (list 1)) (dict "a" "" "b" nil "m" (dict) "l" (list))"#,
                r#"map[string]interface {} {"a":"","b":null,"l":[],"m":{"x":1}}"#,
            ),
            (r#"mergeOverwrite (dict "m" (dict "x" 1)) (dict "m" 2)"#, r#"map[string]interface {} {"m":2}"#),
            (
                r#"mustMerge (dict "a" (split "," "x")) (dict "a" (dict "_1" 1))"#,
                "! reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string",
            ),
            (r#"deepCopy (dict "a" (list (dict "b" 1)))"#, r#"map[string]interface {} {"a":[{"b":1}]}"#),
            ("deepCopy nil", "! reflect: call of reflect.Value.Type on zero Value"),
            (r#"dig "a" "b" "default" (dict "a" (dict "b" 1))"#, "int 1"),
            (r#"dig "a" "c" "default" (dict "a" (dict "b" 1))"#, r#"string "default""#),
            (
                r#"dig "a" "b" "default" (dict "a" 1)"#,
                "! interface conversion: interface {} is int, not map[string]interface {}",
            ),
            (
                r#"dig "a" "b" "default" (dict "a" nil)"#,
                "! interface conversion: interface {} is nil, not map[string]interface {}",
            ),
            (
                r#"dig "a" "default" 1"#,
                "! interface conversion: interface {} is int, not map[string]interface {}",
            ),
            (r#"dig 1 "default" (dict)"#, "! interface conversion: interface {} is int, not string"),
            (r#"dig "a" (dict)"#, "! dig needs at least three arguments"),
        ]);
    }

    #[test]
    fn maps_are_changed_for_everybody_who_has_them() {
        check(&[
            (r#"set (dict) "a" 1 | deepEqual (dict "a" 1)"#, "bool true"),
            (r#"set (fromJson "{}") "a" (list) | toJson"#, r#"string "{\"a\":[]}""#),
        ]);
        let inner = Map::from_iter([("x", Value::int(1))]);
        let outer = Map::from_iter([("inner", Value::from(inner.clone()))]);
        let copy = call(FUNCTIONS, "deepCopy", &[Value::from(outer.clone())]).unwrap();
        let merged = Map::new(MapKind::Any);
        call(FUNCTIONS, "merge", &[Value::from(merged.clone()), Value::from(outer.clone())]).unwrap();
        let set = [Value::from(inner), Value::from("y"), Value::int(2)];
        call(FUNCTIONS, "set", &set).unwrap();
        let size = |map: &Map| map.get("inner").unwrap().as_map().unwrap().len();
        assert_eq!((size(&outer), size(&merged), size(copy.as_map().unwrap())), (2, 2, 1));
    }

    #[test]
    fn an_oversized_value_is_not_copied_partially() {
        let mut value = Value::int(1);
        for _ in 0..60 {
            value = Value::from(Map::from_iter([("a", value.clone()), ("b", value)]));
        }
        assert!(counts_first(FUNCTIONS, "deepCopy", &[value]));
    }

    /// On a stack of the size that templates run on, because a build without optimisation needs it.
    #[test]
    fn a_map_that_contains_itself_is_refused() {
        let refused = || {
            let map = Map::new(MapKind::Any);
            map.set("self", Value::from(map.clone()));
            let other = Map::new(MapKind::Any);
            other.set("self", Value::from(other.clone()));
            assert!(call(FUNCTIONS, "deepCopy", &[Value::from(map.clone())]).unwrap_err().is_limit());
            let arguments = [Value::from(map.clone()), Value::from(other.clone())];
            assert!(call(FUNCTIONS, "mergeOverwrite", &arguments).unwrap_err().is_limit());
            map.remove("self");
            other.remove("self");
        };
        std::thread::Builder::new().stack_size(64 << 20).spawn(refused).unwrap().join().unwrap();
    }
}

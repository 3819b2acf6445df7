//! Values of the CEL corpus: how it writes them, and how ours are written to be compared.

use serde_json::{Value as Json, json};
use trueline_cel::env::Env;
use trueline_cel::types::Type;
use trueline_cel::value::{ComputedMap, Timestamp, Value};
use trueline_gostd::{base64, number, time};

/// The type that the corpus names.
pub(super) fn read_type(text: &str) -> Result<Type, String> {
    let text = text.trim();
    let inner = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    if let Some(item) = inner("list") {
        return Ok(Type::list(read_type(item)?));
    }
    if let Some(value) = inner("optional") {
        return Ok(Type::optional(read_type(value)?));
    }
    if let Some(value) = inner("wrapper") {
        return Ok(Type::wrapper(read_type(value)?));
    }
    if let Some(entry) = inner("map") {
        let mut depth = 0;
        let comma = entry.find(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            letter == ',' && depth == 0
        });
        let (key, value) = entry.split_at(comma.ok_or("a map needs two types")?);
        return Ok(Type::map(read_type(key)?, read_type(value.trim_start_matches(','))?));
    }
    Ok(match text {
        "dyn" => Type::Dyn,
        "any" => Type::Any,
        "int" => Type::Int,
        "uint" => Type::UInt,
        "double" => Type::Double,
        "string" => Type::String,
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "null" => Type::Null,
        "duration" => Type::Duration,
        "timestamp" => Type::Timestamp,
        "type" => Type::Type(None),
        other => return Err(format!("unknown type {other}")),
    })
}

/// Plain JSON, read by a type.
pub(super) fn read_plain(value: &Json, declared: &Type) -> Result<Value, String> {
    Ok(match (declared, value) {
        (_, Json::Null) => Value::Null,
        (Type::Bytes, Json::String(text)) => read_bytes(text)?,
        (Type::Duration, Json::String(text)) => read_duration(text)?,
        (Type::Timestamp, Json::String(text)) => read_timestamp(text)?,
        (Type::Double, Json::String(text)) => Value::Double(read_double(text)?),
        (Type::Double, Json::Number(number)) => Value::Double(number.as_f64().ok_or("not a double")?),
        (Type::UInt, Json::Number(number)) => Value::UInt(number.as_u64().ok_or("not a uint")?),
        (Type::Wrapper(inner), value) => read_plain(value, inner)?,
        (Type::Optional(inner), value) => Value::some(read_plain(value, inner)?),
        (Type::List(item), Json::Array(items)) => {
            Value::list(items.iter().map(|value| read_plain(value, item)).collect::<Result<_, _>>()?)
        }
        (Type::Map(key, declared), Json::Object(entries)) => {
            let mut map = ComputedMap::default();
            for (name, value) in entries {
                let problem = |_| format!("{name} is not a key");
                let key = match &**key {
                    Type::Int => Value::Int(name.parse().map_err(problem)?),
                    Type::UInt => Value::UInt(name.parse().map_err(problem)?),
                    Type::Bool => Value::Bool(name == "true"),
                    _ => Value::from(name.as_str()),
                };
                map.insert(key, read_plain(value, declared)?);
            }
            Value::from(map)
        }
        (_, Json::Bool(value)) => Value::Bool(*value),
        (_, Json::String(text)) => Value::from(text.as_str()),
        (_, Json::Number(number)) => match number.as_i64().filter(|_| !number.is_f64()) {
            Some(number) => Value::Int(number),
            None => Value::Double(number.as_f64().ok_or("not a number")?),
        },
        (_, Json::Array(_)) => read_plain(value, &Type::list(Type::Dyn))?,
        (_, Json::Object(_)) => read_plain(value, &Type::map(Type::String, Type::Dyn))?,
    })
}

/// A value that the corpus writes with its type.
pub(super) fn read_typed(value: &Json) -> Result<Value, String> {
    let (kind, value) =
        value.as_object().and_then(|object| object.iter().next()).ok_or("not a typed value")?;
    let text = value.as_str().unwrap_or_default();
    Ok(match kind.as_str() {
        "int64" => Value::Int(text.parse().map_err(|_| "not an int")?),
        "uint64" => Value::UInt(text.parse().map_err(|_| "not a uint")?),
        "double" => Value::Double(read_double(text)?),
        "string" => Value::from(text),
        "bytes" => read_bytes(text)?,
        "bool" => Value::Bool(value.as_bool().unwrap_or_default()),
        "null" => Value::Null,
        "duration" => read_duration(text)?,
        "timestamp" => read_timestamp(text)?,
        "type" => Value::Type(Env::new().named_type(text).ok_or("unknown type")?),
        "list" => {
            let items = value.as_array().into_iter().flatten().map(read_typed);
            Value::list(items.collect::<Result<_, _>>()?)
        }
        "map" => {
            let mut map = ComputedMap::default();
            for entry in value.as_array().into_iter().flatten() {
                map.insert(read_typed(&entry[0])?, read_typed(&entry[1])?);
            }
            Value::from(map)
        }
        "optional" if value.is_null() => Value::none(),
        "optional" => Value::some(read_typed(value)?),
        other => return Err(format!("unknown kind of value {other}")),
    })
}

fn read_double(text: &str) -> Result<f64, String> {
    match text {
        "NaN" => Ok(f64::NAN),
        "Infinity" => Ok(f64::INFINITY),
        "-Infinity" => Ok(f64::NEG_INFINITY),
        text => text.parse().map_err(|_| format!("{text} is not a double")),
    }
}

fn read_bytes(text: &str) -> Result<Value, String> {
    let bytes = base64::STANDARD.decode(text.as_bytes()).map_err(|_| format!("{text} is not base64"))?;
    Ok(Value::bytes(bytes))
}

fn read_duration(text: &str) -> Result<Value, String> {
    Ok(time::Duration::parse(text.as_bytes()).map(|duration| Value::Duration(duration.0))?)
}

fn read_timestamp(text: &str) -> Result<Value, String> {
    let read = time::parse(b"2006-01-02T15:04:05Z07:00", text.as_bytes(), &time::Zone::Utc)?;
    let nanoseconds = u32::try_from(read.civil().nanosecond).unwrap_or_default();
    Ok(Value::Timestamp(Timestamp::new(read.unix_seconds(), nanoseconds)))
}

/// A value with its type, as the corpus writes it; the entries of maps are sorted.
pub(super) fn write(value: &Value) -> Json {
    match value {
        Value::Null => json!({"null": null}),
        Value::Bool(value) => json!({"bool": value}),
        Value::Int(number) => json!({"int64": number.to_string()}),
        Value::UInt(number) => json!({"uint64": number.to_string()}),
        Value::Double(value) => json!({"double": write_double(*value)}),
        Value::String(text) => json!({"string": &**text}),
        Value::Bytes(bytes) => json!({"bytes": base64::STANDARD.encode(bytes)}),
        Value::Duration(nanoseconds) => json!({"duration": write_duration(*nanoseconds)}),
        Value::Timestamp(instant) => json!({"timestamp": Timestamp { offset: 0, ..*instant }.rfc3339()}),
        Value::List(list) => json!({"list": list.iter().map(|item| write(&item)).collect::<Vec<_>>()}),
        Value::Map(map) => {
            let entries = map.iter().map(|(key, value)| json!([write(&key), write(&value)]));
            json!({"map": sorted(entries.collect())})
        }
        Value::Type(named) => json!({"type": named.runtime_name()}),
        Value::Optional(None) => json!({"optional": null}),
        Value::Optional(Some(value)) => json!({"optional": write(value)}),
        Value::Opaque(opaque) => {
            let kind = match opaque.opaque_type().name {
                "net.IP" => "ip",
                "net.CIDR" => "cidr",
                "kubernetes.URL" => "url",
                "kubernetes.Quantity" => "quantity",
                "kubernetes.Semver" => "semver",
                _ => "format",
            };
            json!({"object": {"kind": kind, "value": opaque.text()}})
        }
    }
}

fn write_double(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else {
        number::general(value)
    }
}

fn write_duration(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let all = nanoseconds.unsigned_abs();
    let (seconds, rest) = (all / 1_000_000_000, all % 1_000_000_000);
    let text = format!("{sign}{seconds}.{rest:09}");
    format!("{}s", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The same value with the entries of its maps sorted by their keys.
pub(super) fn normal(value: &Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.iter().map(normal).collect()),
        Json::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let value = normal(value);
                let value = match value {
                    Json::Array(entries) if name == "map" => Json::Array(sorted(entries)),
                    other => other,
                };
                (name.clone(), value)
            })
            .collect(),
        other => other.clone(),
    }
}

fn sorted(mut entries: Vec<Json>) -> Vec<Json> {
    entries.sort_by_cached_key(|entry| entry[0].to_string());
    entries
}

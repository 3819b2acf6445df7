//! The words for types, and what helps where a value has another one than its field.

use trueline_kube_rules::{TypedAs, WantedType};

/// What a field wants, in words.
pub(super) fn wanted(wanted: WantedType) -> &'static str {
    match wanted {
        WantedType::String => "a string",
        WantedType::Bool => "`true` or `false`",
        WantedType::Number => "a number",
        WantedType::Integer => "an integer",
        WantedType::IntegerOrString => "an integer or a string",
        WantedType::List => "a list",
        WantedType::Map => "a map",
        WantedType::Amount => "an amount such as `500m` or `2Gi`",
        WantedType::Base64 => "a base64 string",
        WantedType::Time => "a time such as `2006-01-02T15:04:05Z`",
        WantedType::MicroTime => "a time such as `2006-01-02T15:04:05.000000Z`",
    }
}

/// What was typed, in words.
pub(super) fn typed(typed: TypedAs) -> &'static str {
    match typed {
        TypedAs::Nothing => "nothing",
        TypedAs::String => "a string",
        TypedAs::Bool => "a boolean",
        TypedAs::Number => "a number",
        TypedAs::OtherNumber => "another number",
        TypedAs::List => "a list",
        TypedAs::Map => "a map",
        TypedAs::Alias => "an alias",
    }
}

/// What helps where a value has another type than its field.
pub(super) fn help(wanted_type: WantedType, typed: TypedAs) -> String {
    match (wanted_type, typed) {
        (WantedType::String, TypedAs::Number) => "put it in quotes".to_owned(),
        (WantedType::String, TypedAs::Bool) => {
            "put it in quotes: Kubernetes reads y, n, yes, no, on and off as booleans, too".to_owned()
        }
        (WantedType::String, TypedAs::Map | TypedAs::List) => {
            "write a string; one of several lines goes after `|`".to_owned()
        }
        (WantedType::Number, TypedAs::String) => "write a number, without quotes".to_owned(),
        (WantedType::Integer, TypedAs::String) => "write an integer, without quotes".to_owned(),
        (WantedType::Bool, TypedAs::String) => "write `true` or `false`, without quotes".to_owned(),
        (WantedType::List, _) => "write a list: each item after `- `, on a line of its own".to_owned(),
        (WantedType::Map, TypedAs::List) => {
            "write its fields as `name: value`, without `- ` and without brackets".to_owned()
        }
        (WantedType::Map, TypedAs::String) => {
            "write its fields as `name: value`, with a space after the colon".to_owned()
        }
        (WantedType::Base64, _) => "encode it, or use `stringData`".to_owned(),
        _ => format!("write {}", wanted(wanted_type)),
    }
}

/// The type that a schema calls by this name.
pub(super) fn of_schema(name: &str) -> Option<(WantedType, TypedAs)> {
    Some(match name {
        "string" => (WantedType::String, TypedAs::String),
        "integer" => (WantedType::Integer, TypedAs::Number),
        "number" => (WantedType::Number, TypedAs::Number),
        "boolean" => (WantedType::Bool, TypedAs::Bool),
        "array" => (WantedType::List, TypedAs::List),
        "object" => (WantedType::Map, TypedAs::Map),
        _ => return None,
    })
}

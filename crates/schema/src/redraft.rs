//! A schema of one draft written in another, with the same meaning: what can be rewritten is rewritten, the
//! rest is reported.

use jsonschema::Draft;
use serde_json::{Map, Value as Json};

/// The formats that validators check when they check formats.
const FORMATS: [&str; 17] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// The first draft that has a keyword, for keywords that were added later.
fn since(keyword: &str) -> Option<Draft> {
    Some(match keyword {
        "const" | "contains" | "propertyNames" => Draft::Draft6,
        "if" | "then" | "else" => Draft::Draft7,
        "dependentRequired"
        | "dependentSchemas"
        | "maxContains"
        | "minContains"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Draft::Draft201909,
        "prefixItems" => Draft::Draft202012,
        _ => return None,
    })
}

/// Rewrites the keywords of one schema, whose nested schemas are already in the new draft. The error is a
/// keyword that the other draft cannot express.
pub(crate) fn redraft(schema: &mut Map<String, Json>, from: Draft, to: Draft) -> Result<(), &'static str> {
    if from == to {
        return Ok(());
    }
    if to == Draft::Draft4 {
        return Err("$schema");
    }
    let all: Vec<String> = schema.keys().cloned().collect();
    for keyword in &all {
        // Keywords that the schema's own draft does not know have no effect.
        if since(keyword).is_some_and(|since| from < since) {
            schema.shift_remove(keyword);
        }
    }
    reference(schema, from, to);
    items(schema, from, to);
    dependencies(schema, from, to)?;
    if from == Draft::Draft4 {
        bounds(schema);
    }
    format(schema, from, to)?;
    let lost = ["const", "contains", "propertyNames", "if", "maxContains", "minContains"];
    let lost = lost.into_iter().chain(["unevaluatedItems", "unevaluatedProperties"]);
    for keyword in lost {
        if schema.contains_key(keyword) && since(keyword).is_some_and(|since| to < since) {
            return Err(keyword);
        }
    }
    Ok(())
}

/// Up to draft 7 keywords next to a reference are ignored.
fn reference(schema: &mut Map<String, Json>, from: Draft, to: Draft) {
    let Some(reference) = schema.get("$ref").cloned() else { return };
    let alone = || Map::from_iter([("$ref".to_owned(), reference)]);
    if from <= Draft::Draft7 {
        *schema = alone();
    } else if to <= Draft::Draft7 && schema.len() > 1 {
        let alone = Json::Object(alone());
        schema.shift_remove("$ref");
        match schema.entry("allOf").or_insert_with(|| Json::Array(Vec::new())) {
            Json::Array(list) => list.insert(0, alone),
            other => *other = Json::Array(vec![alone]),
        }
    }
}

/// Draft 2020-12 calls the items by their place `prefixItems`, and the others `items`.
fn items(schema: &mut Map<String, Json>, from: Draft, to: Draft) {
    if from < Draft::Draft202012 && to >= Draft::Draft202012 {
        let rest = schema.shift_remove("additionalItems");
        if matches!(schema.get("items"), Some(Json::Array(_))) {
            rename(schema, "items", "prefixItems");
            schema.extend(rest.map(|rest| ("items".to_owned(), rest)));
        }
    } else if from >= Draft::Draft202012 && to < Draft::Draft202012 {
        schema.shift_remove("additionalItems");
        if schema.contains_key("prefixItems") {
            rename(schema, "items", "additionalItems");
            rename(schema, "prefixItems", "items");
        }
    }
}

fn rename(schema: &mut Map<String, Json>, from: &str, to: &str) {
    if let Some(value) = schema.shift_remove(from) {
        schema.insert(to.to_owned(), value);
    }
}

/// From 2019-09 on, `dependencies` is split into two keywords.
fn dependencies(schema: &mut Map<String, Json>, from: Draft, to: Draft) -> Result<(), &'static str> {
    if from <= Draft::Draft7 && to > Draft::Draft7 {
        let Some(Json::Object(entries)) = schema.shift_remove("dependencies") else { return Ok(()) };
        let (names, schemas): (Map<_, _>, Map<_, _>) =
            entries.into_iter().partition(|(_, value)| value.is_array());
        for (keyword, entries) in [("dependentRequired", names), ("dependentSchemas", schemas)] {
            if !entries.is_empty() {
                schema.insert(keyword.to_owned(), Json::Object(entries));
            }
        }
    } else if from > Draft::Draft7 && to <= Draft::Draft7 {
        schema.shift_remove("dependencies");
        let mut joined = Map::new();
        for keyword in ["dependentRequired", "dependentSchemas"] {
            let Some(Json::Object(entries)) = schema.shift_remove(keyword) else { continue };
            for (name, value) in entries {
                if joined.insert(name, value).is_some() {
                    return Err("dependentSchemas");
                }
            }
        }
        if !joined.is_empty() {
            schema.insert("dependencies".to_owned(), Json::Object(joined));
        }
    }
    Ok(())
}

/// In draft 4, `exclusiveMinimum: true` changes what `minimum` means.
fn bounds(schema: &mut Map<String, Json>) {
    for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        let Some(Json::Bool(is_exclusive)) = schema.shift_remove(exclusive) else { continue };
        if is_exclusive {
            rename(schema, bound, exclusive);
        }
    }
}

/// A format is a rule up to draft 7 and an annotation from 2019-09 on.
fn format(schema: &mut Map<String, Json>, from: Draft, to: Draft) -> Result<(), &'static str> {
    let is_checked = schema.get("format").and_then(Json::as_str).is_some_and(|name| FORMATS.contains(&name));
    if is_checked && from > Draft::Draft7 && to <= Draft::Draft7 {
        schema.shift_remove("format");
    }
    match is_checked && from <= Draft::Draft7 && to > Draft::Draft7 {
        true => Err("format"),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keywords_keep_their_meaning() {
        let (four, six, seven) = (Draft::Draft4, Draft::Draft6, Draft::Draft7);
        let (nineteen, twenty) = (Draft::Draft201909, Draft::Draft202012);
        for (schema, from, to, expected) in [
            (json!({"$ref": "#", "type": "string"}), seven, twenty, Ok(json!({"$ref": "#"}))),
            (
                json!({"$ref": "#", "type": "string"}),
                twenty,
                seven,
                Ok(json!({"type": "string", "allOf": [{"$ref": "#"}]})),
            ),
            (
                json!({"items": [true], "additionalItems": false}),
                seven,
                twenty,
                Ok(json!({"prefixItems": [true], "items": false})),
            ),
            (
                json!({"prefixItems": [true], "items": false}),
                twenty,
                nineteen,
                Ok(json!({"items": [true], "additionalItems": false})),
            ),
            (json!({"items": {}, "additionalItems": false}), seven, twenty, Ok(json!({"items": {}}))),
            (
                json!({"dependencies": {"a": ["b"], "c": {}}}),
                seven,
                twenty,
                Ok(json!({"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {}}})),
            ),
            (
                json!({"dependentRequired": {"a": ["b"]}}),
                twenty,
                seven,
                Ok(json!({"dependencies": {"a": ["b"]}})),
            ),
            (
                json!({"minimum": 1, "exclusiveMinimum": true, "maximum": 3, "exclusiveMaximum": false}),
                four,
                seven,
                Ok(json!({"exclusiveMinimum": 1, "maximum": 3})),
            ),
            (json!({"if": true, "then": false, "const": 1}), four, seven, Ok(json!({}))),
            (json!({"if": true}), seven, six, Err("if")),
            (json!({"unevaluatedProperties": false}), twenty, seven, Err("unevaluatedProperties")),
            (json!({"format": "date"}), seven, twenty, Err("format")),
            (json!({"format": "int32"}), seven, twenty, Ok(json!({"format": "int32"}))),
            (json!({"format": "date"}), twenty, seven, Ok(json!({}))),
            (json!({"type": "string"}), twenty, four, Err("$schema")),
        ] {
            let Json::Object(mut members) = schema.clone() else { panic!() };
            let result = redraft(&mut members, from, to).map(|()| Json::Object(members));
            assert_eq!(result, expected, "{schema} {from:?} {to:?}");
        }
    }
}

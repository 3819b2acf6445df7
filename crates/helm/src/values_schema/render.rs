//! From shapes to JSON Schema.

use serde_json::{Map, Value as Json};
use trueline_diagnostic::Diagnostic;
use trueline_schema::Draft;
use trueline_sprig::regexp::Regexp;
use trueline_yaml::{Data, Value};

use super::UnknownKeys;
use super::annotation::{Annotation, wrong};
use super::notes::Note;
use super::shape::Shape;
use super::types::Types;

/// Writes schemas.
pub(super) struct Renderer {
    pub(super) draft: Draft,
    pub(super) unknown_keys: UnknownKeys,
    /// What annotations define for all: `$defs` and `definitions`.
    pub(super) shared: Vec<(&'static str, Map<String, Json>)>,
    pub(super) findings: Vec<Diagnostic>,
}

/// Where a shape stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShapeContext {
    /// Keys that values.yaml does not have can be told from those it has.
    Known,
    /// What is there is an example: the items of a list, the values of a subchart.
    Example,
}

/// Keywords that say of what kind a value is: beside one of them, the type of the default is not needed.
const DECISIVE: [&str; 8] = ["type", "$ref", "const", "enum", "allOf", "anyOf", "oneOf", "not"];

impl Renderer {
    /// The schema of a shape.
    pub(super) fn schema(&mut self, shape: &Shape, place: ShapeContext) -> Json {
        let empty = Note::default();
        let note = shape.note.as_deref().unwrap_or(&empty);
        let annotation = &note.annotation;
        let keywords = self.own_keywords(annotation);
        let place = if shape.open { ShapeContext::Example } else { place };
        let mut schema = Map::new();
        let description = keywords.get("description").cloned().or(note.description.clone().map(Json::from));
        schema.extend(keywords.get("title").map(|title| ("title".to_owned(), title.clone())));
        schema.extend(description.map(|text| ("description".to_owned(), text)));
        let is_decided = DECISIVE.iter().any(|keyword| keywords.contains_key(*keyword));
        let is_constant = annotation.const_from_value && shape.value.is_some();
        let types = shape.types.with(note.kind.as_deref().and_then(Types::named).unwrap_or_default());
        if !is_decided && !is_constant {
            let types = if annotation.nullable { types.with(Types::NULL) } else { types };
            schema.extend(types.keyword().map(|types| ("type".to_owned(), types)));
        }
        if let Some(value) = &shape.value {
            if is_constant {
                schema.insert("const".to_owned(), plain(value));
            } else if has_default(value) && !keywords.contains_key("default") {
                schema.insert("default".to_owned(), plain(value));
            }
        }
        for (keyword, value) in keywords.iter().filter(|(keyword, _)| *keyword != "properties") {
            schema.insert(keyword.clone(), value.clone());
        }
        if annotation.nullable
            && let Some(types) = schema.get_mut("type")
        {
            allow_null(types);
        }
        let decides_alone = ["$ref", "allOf", "anyOf", "oneOf", "not", "const", "enum"];
        if !decides_alone.iter().any(|keyword| keywords.contains_key(*keyword)) && !is_constant {
            self.inside(shape, annotation, &keywords, place, &mut schema);
        } else if let Some(properties) = keywords.get("properties") {
            schema.insert("properties".to_owned(), properties.clone());
        }
        if let Some(written) = &shape.written {
            schema = over(written, schema);
        }
        self.beside_reference(schema)
    }

    /// The rules for what a map or a list holds.
    fn inside(
        &mut self,
        shape: &Shape,
        annotation: &Annotation,
        keywords: &Map<String, Json>,
        place: ShapeContext,
        schema: &mut Map<String, Json>,
    ) {
        let mut required = Vec::new();
        let mut properties = Map::new();
        let patterns: Vec<_> = keywords
            .get("patternProperties")
            .and_then(Json::as_object)
            .into_iter()
            .flat_map(|patterns| patterns.keys())
            .filter_map(|pattern| Regexp::compile(pattern.as_bytes()).ok())
            .collect();
        let mut common: Option<Shape> = None;
        for (name, inner) in shape.properties.iter() {
            let note = inner.note.as_deref();
            if note.is_some_and(|note| note.annotation.required == Some(true)) {
                required.push(Json::from(name));
            }
            if note.is_some_and(|note| note.annotation.hidden) || annotation.skip_properties {
                continue;
            }
            if annotation.merge_properties {
                let mut example = Shape { note: None, ..inner.clone() };
                example.forget_values();
                common.get_or_insert_default().cover(example);
            } else if !patterns.iter().any(|pattern| pattern.is_match(name.as_bytes())) {
                properties.insert(name.to_owned(), self.schema(inner, place));
            }
        }
        if let Some(Json::Object(written)) = keywords.get("properties") {
            properties.extend(written.clone());
        }
        let is_known = !properties.is_empty();
        if is_known {
            schema.insert("properties".to_owned(), Json::Object(properties));
        }
        if !required.is_empty() {
            let list = schema.entry("required").or_insert_with(|| Json::Array(Vec::new()));
            if let Json::Array(list) = list {
                required.retain(|name| !list.contains(name));
                list.extend(required);
            }
        }
        if let Some(common) = common {
            let common = self.schema(&common, ShapeContext::Example);
            schema.entry("additionalProperties").or_insert(common);
        }
        let closes = self.unknown_keys == UnknownKeys::Refused && place == ShapeContext::Known && is_known;
        if closes && !keywords.contains_key("unevaluatedProperties") {
            schema.entry("additionalProperties").or_insert(Json::Bool(false));
        }
        if let Some(items) = &shape.items {
            let inferred = self.schema(items, ShapeContext::Example);
            match schema.get_mut("items") {
                None => _ = schema.insert("items".to_owned(), inferred),
                Some(Json::Object(items)) if !DECISIVE.iter().any(|keyword| items.contains_key(*keyword)) => {
                    items.extend(inferred.get("type").map(|types| ("type".to_owned(), types.clone())));
                }
                Some(_) => {}
            }
        }
    }

    /// The keywords of an annotation without those that belong to the whole schema.
    fn own_keywords(&mut self, annotation: &Annotation) -> Map<String, Json> {
        let mut keywords = annotation.keywords.clone();
        for name in ["$defs", "definitions"] {
            let Some(Json::Object(definitions)) = keywords.shift_remove(name) else { continue };
            self.share(name, definitions, annotation);
        }
        keywords
    }

    fn share(&mut self, name: &'static str, definitions: Map<String, Json>, annotation: &Annotation) {
        let place = self.shared.iter().position(|(other, _)| *other == name);
        let place = place.unwrap_or_else(|| {
            self.shared.push((name, Map::new()));
            self.shared.len() - 1
        });
        let Some((_, shared)) = self.shared.get_mut(place) else { return };
        for (key, definition) in definitions {
            match shared.get(&key) {
                Some(other) if *other != definition => {
                    let message = format!("`{key}` is defined otherwise by an annotation before this one");
                    self.findings.extend(annotation.span.map(|span| *wrong(span, message)));
                }
                _ => _ = shared.insert(key, definition),
            }
        }
    }

    /// Up to draft 7, what stands beside a reference does not count.
    fn beside_reference(&self, mut schema: Map<String, Json>) -> Json {
        if self.draft <= Draft::Draft7
            && schema.len() > 1
            && let Some(reference) = schema.shift_remove("$ref")
        {
            let mut alone = Map::new();
            alone.insert("$ref".to_owned(), reference);
            let list = schema.entry("allOf").or_insert_with(|| Json::Array(Vec::new()));
            if let Json::Array(list) = list {
                list.insert(0, Json::Object(alone));
            }
        }
        Json::Object(schema)
    }
}

/// Whether a value is shown as a default. Maps are shown by what they hold.
fn has_default(value: &Value) -> bool {
    match &value.data {
        Data::Null => false,
        Data::Map(_) => false,
        Data::Float(number) => number.is_finite(),
        _ => true,
    }
}

/// A value as JSON, with integers as such.
pub(super) fn plain(value: &Value) -> Json {
    match &value.data {
        Data::Float(number) if number.fract() == 0.0 && number.abs() < 9.0e15 => Json::from(*number as i64),
        Data::List(items) => items.iter().map(plain).collect(),
        Data::Map(map) => {
            Json::Object(map.iter().map(|(key, entry)| (key.to_string(), plain(&entry.value))).collect())
        }
        _ => value.to_serde(),
    }
}

fn allow_null(types: &mut Json) {
    let null = Json::from("null");
    match types {
        Json::Array(names) if !names.contains(&null) => names.push(null),
        Json::String(name) if name != "null" => *types = Json::Array(vec![Json::from(name.as_str()), null]),
        _ => {}
    }
}

/// A schema that somebody wrote, with what was inferred where it says nothing.
fn over(written: &Json, inferred: Map<String, Json>) -> Map<String, Json> {
    let Json::Object(written) = written else { return inferred };
    let mut schema = inferred;
    let is_decided = DECISIVE.iter().any(|keyword| written.contains_key(*keyword));
    if is_decided {
        schema.shift_remove("type");
    }
    for (keyword, value) in written {
        match (keyword.as_str(), schema.get_mut(keyword)) {
            ("properties", Some(Json::Object(properties))) => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    let merged = match properties.shift_remove(name) {
                        Some(Json::Object(inner)) => Json::Object(over(value, inner)),
                        _ => value.clone(),
                    };
                    properties.insert(name.clone(), merged);
                }
            }
            // The default is what this chart sets, and a description closer to it is the better one.
            ("default" | "description", Some(_)) => {}
            _ => _ = schema.insert(keyword.clone(), value.clone()),
        }
    }
    schema
}

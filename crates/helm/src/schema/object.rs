//! Rules about the properties of a map.

use rustc_hash::FxHashSet;
use serde_json::Value as Json;
use trueline_schema::Draft;
use trueline_yaml::Map;

use super::evaluate::{BrokenRules, Evaluator, Frame, Step, count};
use super::failure::{Failure, Violation};

/// Validates a map against the rules about its properties.
pub(super) fn check<'s>(
    evaluator: &Evaluator<'s>,
    frame: &Frame<'_, 's>,
    map: &Map,
    found: &mut BrokenRules<'s>,
) {
    count(frame, ["minProperties", "maxProperties"], || map.len(), found);
    if let Some(missing) = missing(map, frame.list("required")) {
        found.add(frame, Violation::Required(missing));
    }
    dependencies(evaluator, frame, map, found);
    properties(evaluator, frame, map, found);
    if frame.draft >= Draft::Draft6
        && let Some(schema) = frame.get("propertyNames")
    {
        for name in map.keys() {
            let causes = evaluator.name_failures(frame, schema, name);
            if !causes.is_empty() {
                let kind = Violation::PropertyName(name.to_string());
                found.failures.push(Failure { causes, ..frame.failure(kind) });
            }
        }
    }
    if frame.draft >= Draft::Draft201909 {
        for (name, schema) in frame.map("dependentSchemas").into_iter().flatten() {
            if map.contains_key(name.as_str()) {
                evaluator.also(frame, "dependentSchemas", Some(Step::Name(name)), schema, found);
            }
        }
        for (name, wanted) in frame.map("dependentRequired").into_iter().flatten() {
            require(frame, map, name, wanted, found);
        }
    }
}

fn dependencies<'s>(
    evaluator: &Evaluator<'s>,
    frame: &Frame<'_, 's>,
    map: &Map,
    found: &mut BrokenRules<'s>,
) {
    for (name, wanted) in frame.map("dependencies").into_iter().flatten() {
        if wanted.is_array() {
            require(frame, map, name, wanted, found);
        } else if map.contains_key(name.as_str()) {
            evaluator.also(frame, "dependencies", Some(Step::Name(name)), wanted, found);
        }
    }
}

fn require<'s>(
    frame: &Frame<'_, 's>,
    map: &Map,
    name: &'s str,
    wanted: &'s Json,
    found: &mut BrokenRules<'s>,
) {
    let wanted = wanted.as_array().map_or(&[][..], Vec::as_slice);
    if map.contains_key(name)
        && let Some(missing) = missing(map, wanted)
    {
        found.add(frame, Violation::Dependency { name, missing });
    }
}

fn missing<'s>(map: &Map, wanted: &'s [Json]) -> Option<Vec<&'s str>> {
    let names = wanted.iter().filter_map(Json::as_str);
    let missing: Vec<&str> = names.filter(|name| !map.contains_key(*name)).collect();
    (!missing.is_empty()).then_some(missing)
}

fn properties<'s>(evaluator: &Evaluator<'s>, frame: &Frame<'_, 's>, map: &Map, found: &mut BrokenRules<'s>) {
    let (named, patterns) = (frame.map("properties"), frame.map("patternProperties"));
    let additional = frame.get("additionalProperties");
    if named.is_none() && patterns.is_none() && additional.is_none() {
        return;
    }
    let mut unexpected = Vec::new();
    let mut looked_at = FxHashSet::default();
    for (name, entry) in map {
        let step = Step::Name(name);
        let mut evaluated = false;
        if let Some((below, schema)) = named.and_then(|named| named.get_key_value(&**name)) {
            evaluated = true;
            let at = ("properties", Some(Step::Name(below)));
            found.take(evaluator.part(frame, at, schema, &entry.value, step));
        }
        for (pattern, schema) in patterns.into_iter().flatten() {
            if evaluator.matches(pattern, name) {
                evaluated = true;
                let at = ("patternProperties", Some(Step::Name(pattern)));
                found.take(evaluator.part(frame, at, schema, &entry.value, step));
            }
        }
        match additional {
            _ if evaluated => {}
            None => continue,
            Some(Json::Bool(true)) => {}
            Some(Json::Bool(false)) => unexpected.push(name.to_string()),
            Some(schema) => {
                let at = ("additionalProperties", None);
                found.take(evaluator.part(frame, at, schema, &entry.value, step));
            }
        }
        if !found.left.names.is_empty() {
            looked_at.insert(&**name);
        }
    }
    found.left.names.retain(|left| !looked_at.contains(&**left));
    if !unexpected.is_empty() {
        unexpected.sort_unstable();
        found.add(frame, Violation::AdditionalProperties(unexpected));
    }
}

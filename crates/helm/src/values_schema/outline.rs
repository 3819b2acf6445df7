//! The parts of a chart's own schema that can be told elsewhere: in the schema of its parent, where its values
//! may be few because the defaults come later, and in documentation.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value as Json};
use trueline_schema::{Outline, SchemaLookup};

/// How much of a schema is described.
const MAX_SCHEMAS: usize = 20_000;
/// How many references are followed into each other.
const MAX_DEPTH: usize = 100;

/// Keywords that mean the same wherever they stand, and that ask for nothing that may be missing.
const PLAIN: [&str; 21] = [
    "title",
    "description",
    "type",
    "const",
    "enum",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "multipleOf",
    "maxItems",
    "uniqueItems",
    "maxProperties",
    "$comment",
];

/// The schema without what it requires and forbids, in one piece: whatever the schema allows, and every part of it,
/// is allowed.
pub(super) fn loose(outline: &Outline) -> Json {
    let mut loosener = Loosener { outline, schemas: 0, open: FxHashSet::default() };
    loosener.schema(&outline.root(), 0)
}

struct Loosener<'o> {
    outline: &'o Outline,
    schemas: usize,
    /// References that are being followed: a schema inside itself is left out.
    open: FxHashSet<String>,
}

impl Loosener<'_> {
    fn schema(&mut self, place: &str, depth: usize) -> Json {
        self.schemas += 1;
        if self.schemas > MAX_SCHEMAS || depth > MAX_DEPTH {
            return Json::Object(Map::new());
        }
        let outline = self.outline;
        let Some(Json::Object(members)) = outline.at(place) else { return Json::Object(Map::new()) };
        let mut loose = Map::new();
        if let Some(Json::String(reference)) = members.get("$ref")
            && let Some(target) = outline.follow(place, reference)
            && self.open.insert(target.clone())
        {
            if let Json::Object(referred) = self.schema(&target, depth + 1) {
                loose = referred;
            }
            self.open.remove(&target);
        }
        for (keyword, value) in members {
            let here = || format!("{place}/{}", keyword.replace('~', "~0").replace('/', "~1"));
            let value = match (keyword.as_str(), value) {
                (keyword, value) if PLAIN.contains(&keyword) => value.clone(),
                ("properties" | "patternProperties", Json::Object(members)) => {
                    Json::Object(self.members(members, &here(), depth))
                }
                ("items" | "additionalProperties", Json::Object(_)) => self.schema(&here(), depth + 1),
                ("allOf" | "anyOf", Json::Array(items)) => {
                    let here = here();
                    (0..items.len()).map(|index| self.schema(&format!("{here}/{index}"), depth + 1)).collect()
                }
                _ => continue,
            };
            // Two groups of rules cannot be told side by side under one name.
            if !loose.contains_key(keyword) || PLAIN.contains(&keyword.as_str()) {
                loose.insert(keyword.clone(), value);
            }
        }
        Json::Object(loose)
    }

    fn members(&mut self, members: &Map<String, Json>, place: &str, depth: usize) -> Map<String, Json> {
        let mut loose = Map::new();
        for name in members.keys() {
            let inner = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
            loose.insert(name.clone(), self.schema(&inner, depth + 1));
        }
        loose
    }
}

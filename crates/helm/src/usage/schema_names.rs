//! The values that a chart's schema names: what it describes is no mistake, even if no template reads it.

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::paths::{Mark, PathId, Paths, Step};
use crate::chart::Chart;

/// How deep schemas may stand in each other, references counted.
const DEPTH: usize = 16;

/// Schemas that are looked at, each as often as something refers to it.
const MOST: usize = 20_000;

/// Marks the values that the schema of a chart names.
pub(super) fn read_by_schema(chart: &Chart, path: PathId, paths: &mut Paths) {
    let Some(file) = &chart.schema else { return };
    // Errors of a schema are reported elsewhere.
    let Ok(root) = serde_json::from_slice::<Json>(&file.data) else { return };
    let referred = FxHashMap::default();
    Names { root: &root, left: MOST, paths, referred }.schema(&root, path, 0);
}

struct Names<'a> {
    root: &'a Json,
    left: usize,
    paths: &'a mut Paths,
    /// What references lead to, by what they are.
    referred: FxHashMap<&'a str, Option<&'a Json>>,
}

impl<'a> Names<'a> {
    fn schema(&mut self, schema: &'a Json, at: PathId, depth: usize) {
        let Some(members) = schema.as_object() else { return };
        self.left = self.left.saturating_sub(1);
        if depth > DEPTH || self.left == 0 {
            self.paths.mark(at, Mark::Whole);
            return;
        }
        for (keyword, member) in members {
            match keyword.as_str() {
                "properties" => {
                    for (name, below) in member.as_object().into_iter().flatten() {
                        let found = self.paths.named(at, name);
                        self.below(found, below, depth);
                    }
                }
                "patternProperties" => {
                    for below in member.as_object().into_iter().flatten().map(|(_, below)| below) {
                        self.below_any(below, at, depth);
                    }
                }
                "additionalProperties" | "unevaluatedProperties" if member.is_object() => {
                    self.below_any(member, at, depth);
                }
                "items" | "additionalItems" | "contains" if member.is_object() => {
                    self.below_any(member, at, depth);
                }
                "items" | "prefixItems" => {
                    for below in member.as_array().into_iter().flatten() {
                        self.below_any(below, at, depth);
                    }
                }
                "required" => {
                    for name in member.as_array().into_iter().flatten().filter_map(Json::as_str) {
                        if let Some(below) = self.paths.named(at, name) {
                            self.paths.mark(below, Mark::Touched);
                        }
                    }
                }
                "allOf" | "anyOf" | "oneOf" => {
                    for same in member.as_array().into_iter().flatten() {
                        self.schema(same, at, depth + 1);
                    }
                }
                "if" | "then" | "else" | "not" => self.schema(member, at, depth + 1),
                "dependencies" | "dependentSchemas" => {
                    for same in member.as_object().into_iter().flatten().map(|(_, same)| same) {
                        self.schema(same, at, depth + 1);
                    }
                }
                "$ref" => {
                    match member.as_str().and_then(|reference| self.referred(reference)) {
                        Some(same) => self.schema(same, at, depth + 1),
                        // What another file names is not known here.
                        None => self.paths.mark(at, Mark::Whole),
                    }
                }
                _ => {}
            }
        }
    }

    fn below(&mut self, found: Option<PathId>, schema: &'a Json, depth: usize) {
        if let Some(below) = found {
            self.paths.mark(below, Mark::Touched);
            self.schema(schema, below, depth + 1);
        }
    }

    fn below_any(&mut self, schema: &'a Json, at: PathId, depth: usize) {
        let found = self.paths.step(at, Step::Any);
        self.below(found, schema, depth);
    }

    /// What a reference leads to inside of the file.
    fn referred(&mut self, reference: &'a str) -> Option<&'a Json> {
        let root = self.root;
        let look = || reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        *self.referred.entry(reference).or_insert_with(look)
    }
}

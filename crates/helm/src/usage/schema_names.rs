//! The values that a chart's schema names: what it describes is no mistake, even if no template reads it.

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
    // What is wrong with a schema is told elsewhere.
    let Ok(root) = serde_json::from_slice::<Json>(&file.data) else { return };
    Names { root: &root, left: MOST, paths }.schema(&root, path, 0);
}

struct Names<'a> {
    root: &'a Json,
    left: usize,
    paths: &'a mut Paths,
}

impl Names<'_> {
    fn schema(&mut self, schema: &Json, at: PathId, depth: usize) {
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
                        self.below(Step::Key(name.as_str().into()), below, at, depth);
                    }
                }
                "patternProperties" => {
                    for below in member.as_object().into_iter().flatten().map(|(_, below)| below) {
                        self.below(Step::Any, below, at, depth);
                    }
                }
                "additionalProperties" | "unevaluatedProperties" if member.is_object() => {
                    self.below(Step::Any, member, at, depth);
                }
                "items" | "additionalItems" | "contains" if member.is_object() => {
                    self.below(Step::Any, member, at, depth);
                }
                "items" | "prefixItems" => {
                    for below in member.as_array().into_iter().flatten() {
                        self.below(Step::Any, below, at, depth);
                    }
                }
                "required" => {
                    for name in member.as_array().into_iter().flatten().filter_map(Json::as_str) {
                        self.below(Step::Key(name.into()), &Json::Bool(true), at, depth);
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
                    let pointer = member.as_str().and_then(|reference| reference.strip_prefix('#'));
                    match pointer.and_then(|pointer| self.root.pointer(pointer)) {
                        Some(same) => self.schema(same, at, depth + 1),
                        // What another file names is not known here.
                        None => self.paths.mark(at, Mark::Whole),
                    }
                }
                _ => {}
            }
        }
    }

    fn below(&mut self, step: Step, schema: &Json, at: PathId, depth: usize) {
        if let Some(below) = self.paths.step(at, step) {
            self.paths.mark(below, Mark::Touched);
            self.schema(schema, below, depth + 1);
        }
    }
}

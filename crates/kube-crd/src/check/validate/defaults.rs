//! Defaults in schemas: whether they are values that their own schema would accept.

use std::sync::Arc;

use trueline_kube_cel::budget::PER_OBJECT;
use trueline_kube_facts::{FieldError, Trail, rules};
use trueline_yaml::{Data, Value};

use crate::cel::{Engine, NodeRules, Ratchet, evaluate};
use crate::definition::aggregate;
use crate::object::coerce::coerce;
use crate::object::embedded::validate_embedded;
use crate::object::metadata::Malformed;
use crate::props::OrBool;
use crate::structural::Structural;
use crate::value::printed::printed;
use crate::{
    object::{Purpose, has_default, prune, validate, with_pruned_defaults},
    structural::Root,
};

rules! {
    /// A default has fields that the schema does not have.
    UNKNOWN_FIELDS: Invalid in crate::codes::BAD_DEFAULT, "crd/default-unknown-fields",
        "must not have unknown fields";
    /// A default does not lead to metadata that is allowed.
    METADATA: Invalid in crate::codes::BAD_DEFAULT, "crd/default-metadata", "must result in valid metadata: {}";
}

/// Whether defaults may have fields that would be pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownInDefaults {
    /// They may, because they did before.
    Allowed,
    /// They may not.
    Refused,
}

impl Structural {
    /// All that is wrong with the defaults of a structural schema. Those of maps are not looked at.
    pub(crate) fn validate_defaults(
        &self,
        path: &Trail<'_>,
        unknown: UnknownInDefaults,
        engine: &Engine,
    ) -> Vec<FieldError> {
        let budget = Some(PER_OBJECT);
        let mut walk = Walk { unknown, engine, budget, steps: Vec::new(), errors: Vec::new() };
        let around = Around { resource: self, steps: 0, inside_meta: false };
        walk.schema(self, Root::Resource, around, path);
        walk.errors
    }

    /// Whether there are defaults that would be pruned.
    pub fn has_unpruned_defaults(&self) -> bool {
        has_default(self) && has_other_defaults(self, &with_pruned_defaults(self.clone()))
    }
}

fn has_other_defaults(left: &Structural, right: &Structural) -> bool {
    let items = left.items.iter().zip(&right.items).any(|(left, right)| has_other_defaults(left, right));
    let additional = match (left.additional_properties.as_deref(), right.additional_properties.as_deref()) {
        (Some(OrBool::Schema(left)), Some(OrBool::Schema(right))) => has_other_defaults(left, right),
        _ => false,
    };
    left.generic.default != right.generic.default
        || items
        || additional
        || left
            .properties
            .values()
            .zip(right.properties.values())
            .any(|(left, right)| has_other_defaults(left, right))
}

/// The resource around a schema.
#[derive(Debug, Clone, Copy)]
struct Around<'s> {
    resource: &'s Structural,
    /// How many steps lead to it from the root.
    steps: usize,
    /// Inside its version, its kind or its metadata.
    inside_meta: bool,
}

/// A step from an object to a part of it.
#[derive(Debug, Clone)]
enum Step {
    Key(Arc<str>),
    Item,
}

struct Walk<'e> {
    unknown: UnknownInDefaults,
    engine: &'e Engine,
    /// What evaluating rules may still cost; nothing once the server stops looking.
    budget: Option<u64>,
    steps: Vec<Step>,
    errors: Vec<FieldError>,
}

impl Walk<'_> {
    fn schema<'s>(&mut self, schema: &'s Structural, root: Root, around: Around<'s>, path: &Trail<'_>) {
        if self.budget.is_none() {
            return;
        }
        let is_resource = root == Root::Resource || schema.extensions.embedded_resource;
        let around = if is_resource {
            Around { resource: schema, steps: self.steps.len(), inside_meta: false }
        } else {
            around
        };
        if let Some(default) = &schema.generic.default {
            let path = path.child("default");
            let root = if is_resource { Root::Resource } else { Root::Value };
            if around.inside_meta {
                self.of_metadata(default, schema, root, around, &path);
            } else {
                self.of_value(default, schema, root, &path);
            }
        }
        if let Some(items) = &schema.items {
            self.steps.push(Step::Item);
            self.schema(items, Root::Value, around, &path.child("items"));
            self.steps.pop();
        }
        let properties = path.child("properties");
        for (name, property) in &schema.properties {
            let is_meta = is_resource && matches!(&**name, "metadata" | "apiVersion" | "kind");
            self.steps.push(Step::Key(Arc::clone(name)));
            let around = Around { inside_meta: around.inside_meta || is_meta, ..around };
            self.schema(property, Root::Value, around, &properties.key(name));
            self.steps.pop();
        }
    }

    fn of_value(&mut self, default: &Value, schema: &Structural, root: Root, path: &Trail<'_>) {
        if self.unknown == UnknownInDefaults::Refused && prune(default, Some(schema), root).value != *default
        {
            self.errors.push(path.refuse_value(printed(default), &UNKNOWN_FIELDS));
        }
        let value = match coerce(default, schema, root, Malformed::Refused, path) {
            Ok(coerced) => coerced.value,
            Err(error) => {
                self.errors.push(*error);
                return;
            }
        };
        let found = validate_embedded(&value, schema, root, path);
        if found.is_empty() {
            self.of_any(&value, schema, root, path);
        } else {
            self.errors.extend(found);
        }
    }

    /// The schema itself, and then its rules: as an update that changes nothing and, for rules that want to know, as a
    /// new value.
    fn of_any(&mut self, value: &Value, schema: &Structural, root: Root, path: &Trail<'_>) {
        let found = validate(value, schema, Purpose::Defaults, &path.path());
        let Some(rules) = NodeRules::of(schema, root, self.engine).filter(|_| found.is_empty()) else {
            self.errors.extend(found);
            return;
        };
        let Some(budget) = self.budget else { return };
        let run = |old| evaluate(&rules, schema, value, old, path, Ratchet::Nothing, budget);
        let mut findings = run(Some(value));
        let mut left = findings.left;
        if findings.errors.is_empty() {
            findings = run(None);
            left = left.min(findings.left);
        }
        self.budget = left;
        self.errors.extend(findings.errors);
    }

    /// What belongs to metadata is put into an object that has nothing else.
    fn of_metadata(
        &mut self,
        default: &Value,
        schema: &Structural,
        root: Root,
        around: Around<'_>,
        path: &Trail<'_>,
    ) {
        let steps = self.steps.get(around.steps..).unwrap_or_default();
        let object = with_type_meta(surrounded(default.clone(), steps));
        let nowhere = Trail::root("", None);
        let problem = match coerce(&object, around.resource, Root::Resource, Malformed::Refused, &nowhere) {
            Err(error) => Some(error.message()),
            Ok(coerced) => {
                let found = validate_embedded(&coerced.value, around.resource, Root::Resource, &nowhere);
                (!found.is_empty()).then(|| aggregate(&found))
            }
        };
        match problem {
            Some(problem) => {
                self.errors.push(path.refuse_value(printed(default), METADATA.with(problem)));
            }
            None => self.of_any(default, schema, root, path),
        }
    }
}

fn surrounded(value: Value, steps: &[Step]) -> Value {
    steps.iter().rev().fold(value, |value, step| match step {
        Step::Key(key) => [(Arc::clone(key), value)].into_iter().collect(),
        Step::Item => [value].into_iter().collect(),
    })
}

fn with_type_meta(mut object: Value) -> Value {
    if let Data::Map(map) = &mut object.data {
        let map = Arc::make_mut(map);
        for (key, text) in [("kind", "Validation"), ("apiVersion", "validation/v1")] {
            map.entry(key.into())
                .or_insert_with(|| trueline_yaml::MapEntry { key_origin: None, value: Value::from(text) });
        }
    }
    object
}

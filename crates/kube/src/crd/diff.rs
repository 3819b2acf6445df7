//! What becomes of a resource if its CRD is replaced: whether the server takes the new one, and which changes break
//! objects that exist, each with an object that the old CRD accepts and the new one does not.

use std::cell::Cell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_diagnostic::{Diagnostic, Level, Severity};
use trueline_source::Span;
use trueline_yaml::{Data, Map, MapEntry, Value};

use super::codes::BREAKING_CHANGE;
use super::example::{candidates, sample};
use super::{Crd, Verdict, Version};
use crate::field_error::{FieldError, Reason};
use crate::field_path::FieldPath;
use crate::object::embedded::validate_embedded;
use crate::object::list_types::validate_list_types;
use crate::object::{Purpose, Root, Validator, default, drop_nulls, prune};
use crate::props::{OrBool, Rule};
use crate::structural::Structural;

/// What a replacement does.
#[derive(Debug)]
pub struct Difference {
    /// What the server says about it.
    pub update: Verdict,
    /// What it breaks.
    pub breaks: Vec<Break>,
}

/// A change that breaks objects.
#[derive(Debug)]
pub struct Break {
    /// The version of the objects.
    pub version: Arc<str>,
    /// The field of the objects, such as `spec.size`; empty for the objects as a whole.
    pub field: String,
    /// What happens to them, in the user's words.
    pub message: String,
    /// An object that the old CRD accepts and the new one does not, or not in full; none could be made if it is
    /// missing.
    pub example: Option<Value>,
    /// What the server says about the object under the new CRD.
    pub errors: Vec<FieldError>,
    /// Where the change was typed in the new CRD, or what is gone in the old one.
    pub place: Option<Span>,
}

impl Break {
    /// The finding for a report.
    pub fn to_diagnostic(&self, around: Span) -> Diagnostic {
        let place = self.place.unwrap_or(around);
        let diagnostic = Diagnostic::new(&BREAKING_CHANGE, place, self.message.clone())
            .level(Level::Semantic)
            .severity(Severity::Warning);
        let Some(example) = &self.example else { return diagnostic };
        let text = trueline_yaml::marshal(example, trueline_yaml::Dialect::Sigs).unwrap_or_default();
        let said: Vec<String> = self.errors.iter().map(FieldError::message).collect();
        let what =
            if said.is_empty() { String::new() } else { format!("the new CRD says: {}\n", said.join("; ")) };
        diagnostic.help(format!("{what}an object that the old CRD accepts:\n{text}"))
    }
}

/// Compares two CRDs of one resource.
pub fn diff(old: &Crd, new: &Crd) -> Difference {
    let mut breaks = Vec::new();
    for (field, before, after) in
        [("scope", &old.spec.scope, &new.spec.scope), ("kind", &old.spec.names.kind, &new.spec.names.kind)]
    {
        // Of one that is in use, the server says it itself.
        if before != after && !old.has_condition("Established") {
            let version =
                old.spec.versions.first().map(|version| Arc::clone(&version.name)).unwrap_or_default();
            let message =
                format!("objects were stored with the {field} {before}, and are not found with {after}");
            let spec = FieldPath::root("", new.written.0.as_ref());
            let spec = spec.child("spec");
            let names = spec.child("names");
            let path = if field == "kind" { names.child(field) } else { spec.child(field) };
            let place = path.place(Reason::Invalid);
            breaks.push(Break {
                version,
                field: String::new(),
                message,
                example: None,
                errors: Vec::new(),
                place,
            });
        }
    }
    let versions: FxHashMap<&str, &Version> =
        new.spec.versions.iter().rev().map(|version| (&*version.name, version)).collect();
    for version in &old.spec.versions {
        let Some(schema) = structural(old, version) else { continue };
        let left = Cell::new(MOST_SHOWN);
        let object = Object { crd: old, version, judge: Judge::new(&schema), left };
        match versions.get(&*version.name).copied() {
            Some(after) if after.served || !version.served => {
                if let Some(after) = structural(new, after) {
                    let mut walk = Walk { object: &object, judge: Judge::new(&after), breaks: &mut breaks };
                    walk.node(&schema, &after, &mut Vec::new());
                }
            }
            after if version.served => {
                let name = &version.name;
                let what = if after.is_some() { "not served any more" } else { "gone" };
                breaks.push(Break {
                    version: Arc::clone(name),
                    field: String::new(),
                    message: format!("version {name} is {what}: objects cannot be read or written in it"),
                    example: object.with(&[], None),
                    errors: Vec::new(),
                    place: after.unwrap_or(version).written.place(),
                });
            }
            _ => {}
        }
    }
    Difference { update: new.validate_update(old), breaks }
}

fn structural(crd: &Crd, version: &Version) -> Option<Structural> {
    Structural::new(crd.schema(version)?).ok()
}

/// A step from an object to a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Field(Arc<str>),
    Entry,
    Item,
}

/// The name of the one entry of a map in an example.
const ENTRY: &str = "key";

/// Objects of a version of the old CRD.
struct Object<'c> {
    crd: &'c Crd,
    version: &'c Version,
    judge: Judge<'c>,
    /// How large the examples may be that are still to be made.
    left: Cell<usize>,
}

/// How many values all examples of a version may have together. Each example is at least as large as the smallest object
/// is, so that those of many changes would be as large as the square of a definition.
const MOST_SHOWN: usize = 20_000;

/// How many values there are in one.
fn size(value: &Value) -> usize {
    match &value.data {
        Data::Map(map) => map.values().fold(1, |sum: usize, entry| sum.saturating_add(size(&entry.value))),
        Data::List(items) => items.iter().fold(1, |sum: usize, item| sum.saturating_add(size(item))),
        _ => 1,
    }
}

/// What a server says about values: after nulls are dropped and defaults set, what the schema demands of each, that no
/// item of a set occurs twice, and what resources inside of them must have.
struct Judge<'s> {
    schema: &'s Structural,
    validator: Validator,
}

impl<'s> Judge<'s> {
    fn new(schema: &'s Structural) -> Self {
        Judge { schema, validator: Validator::new(schema, Purpose::Objects) }
    }

    fn errors(&self, value: &Value) -> Vec<FieldError> {
        let value = default(&drop_nulls(value, self.schema), self.schema);
        let path = FieldPath::root("", Some(&value));
        let mut errors = self.validator.validate(&value, "");
        errors.extend(validate_list_types(&value, self.schema, &path));
        errors.extend(validate_embedded(&value, self.schema, Root::Value, &path));
        errors
    }
}

impl Object<'_> {
    /// An object that the old CRD accepts, with a value at a place.
    fn with(&self, steps: &[Step], value: Option<&Value>) -> Option<Value> {
        if self.left.get() == 0 {
            return None;
        }
        let mut body = sample_or_empty(self.judge.schema);
        self.left.set(self.left.get().saturating_sub(size(&body)));
        if let Some(value) = value {
            body = placed(body, self.judge.schema, steps, value)?;
        }
        let spec = &self.crd.spec;
        let mut metadata = vec![("name", Value::from("example"))];
        if &*spec.scope == "Namespaced" {
            metadata.push(("namespace", Value::from("default")));
        }
        let mut object: Map = Map::default();
        let head = [
            ("apiVersion", Value::from(&*format!("{}/{}", spec.group, self.version.name))),
            ("kind", Value::from(&*spec.names.kind)),
            ("metadata", metadata.into_iter().collect()),
        ];
        for (key, value) in head {
            object.insert(key.into(), MapEntry { key_origin: None, value });
        }
        if let Data::Map(body) = &body.data {
            for (key, entry) in body.iter().filter(|(key, _)| !object.contains_key(*key)).collect::<Vec<_>>()
            {
                object.insert(Arc::clone(key), entry.clone());
            }
        }
        let object = Value::new(Data::Map(Arc::new(object)));
        self.judge.errors(&object).is_empty().then_some(object)
    }
}

fn sample_or_empty(schema: &Structural) -> Value {
    sample(schema).unwrap_or_else(|| Value::new(Data::Map(Arc::default())))
}

/// The value with another one at a place below it; what is missing on the way is made up.
fn placed(body: Value, schema: &Structural, steps: &[Step], value: &Value) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else { return Some(value.clone()) };
    let child = match step {
        Step::Field(name) => schema.properties.get(name)?,
        Step::Item => schema.items.as_deref()?,
        Step::Entry => match schema.additional_properties.as_deref()? {
            OrBool::Schema(additional) => additional,
            OrBool::Bool(_) => return None,
        },
    };
    match (step, &body.data) {
        (Step::Item, _) => {
            let mut items = match &body.data {
                Data::List(items) => Vec::clone(items),
                _ => Vec::new(),
            };
            let first = items.first().cloned().unwrap_or_else(|| sample_or_empty(child));
            let placed = placed(first, child, rest, value)?;
            match items.first_mut() {
                Some(first) => *first = placed,
                None => items.push(placed),
            }
            Some(items.into_iter().collect())
        }
        (Step::Field(_) | Step::Entry, _) => {
            let key: Arc<str> = match step {
                Step::Field(name) => Arc::clone(name),
                _ => ENTRY.into(),
            };
            let mut map = match &body.data {
                Data::Map(map) => Map::clone(map),
                _ => Map::default(),
            };
            let before =
                map.get(&key).map(|entry| entry.value.clone()).unwrap_or_else(|| sample_or_empty(child));
            map.insert(key, MapEntry { key_origin: None, value: placed(before, child, rest, value)? });
            Some(Value::new(Data::Map(Arc::new(map))))
        }
    }
}

struct Walk<'w> {
    object: &'w Object<'w>,
    judge: Judge<'w>,
    breaks: &'w mut Vec<Break>,
}

impl Walk<'_> {
    /// Compares two schemas of one place. What is inside comes first, so that a change is told where it is.
    fn node(&mut self, old: &Structural, new: &Structural, steps: &mut Vec<Step>) {
        if demand_the_same(old, new) {
            return;
        }
        let before = self.breaks.len();
        for (name, property) in &old.properties {
            steps.push(Step::Field(Arc::clone(name)));
            let is_meta = steps.len() == 1 && matches!(&**name, "apiVersion" | "kind" | "metadata");
            match (new.properties.get(name), new.additional_properties.as_deref()) {
                _ if is_meta => {}
                (Some(after), _) => self.node(property, after, steps),
                (None, Some(OrBool::Schema(after))) => self.node(property, after, steps),
                _ if new.extensions.preserve_unknown_fields => {}
                _ => self.removed(property, steps),
            }
            steps.pop();
        }
        if let (Some(old), Some(new)) = (&old.items, &new.items) {
            steps.push(Step::Item);
            self.node(old, new, steps);
            steps.pop();
        }
        match (old.additional_properties.as_deref(), new.additional_properties.as_deref()) {
            (Some(OrBool::Schema(old)), Some(OrBool::Schema(new))) => {
                steps.push(Step::Entry);
                self.node(old, new, steps);
                steps.pop();
            }
            (Some(OrBool::Schema(old)), None) if !new.extensions.preserve_unknown_fields => {
                steps.push(Step::Entry);
                self.removed(old, steps);
                steps.pop();
            }
            _ => {}
        }
        self.unknown_fields(old, new, steps);
        self.new_rules(old, new, steps);
        if own_demands_are_the_same(old, new) {
            return;
        }
        // Below a change that was told the whole is refused too.
        if self.breaks.len() == before {
            self.own_keywords(old, new, steps);
        } else if old.generic.type_name == new.generic.type_name {
            self.newly_required(old, new, steps);
        }
    }

    fn own_keywords(&mut self, old: &Structural, new: &Structural, steps: &[Step]) {
        let [before, after] = [old, new].map(Judge::new);
        // A field that is null is dropped where it may not be; an item is not.
        let is_item = steps.last() == Some(&Step::Item);
        for candidate in candidates(old, new) {
            if matches!(candidate.data, Data::Null) && !is_item || !before.errors(&candidate).is_empty() {
                continue;
            }
            let errors = after.errors(&candidate);
            if !errors.is_empty() && self.refused(&candidate, &errors, new.place, steps) {
                return;
            }
        }
        if self.newly_required(old, new, steps) || !is_another_type(old, new) {
            return;
        }
        let field = field_text(steps);
        let [was, is] = [old, new].map(|schema| &schema.generic.type_name);
        self.breaks.push(Break {
            version: Arc::clone(&self.object.version.name),
            message: format!("`{field}` was of type {was}, and must be of type {is} now"),
            field,
            example: None,
            errors: Vec::new(),
            place: new.place,
        });
    }

    /// A field that has to be there now, where it could be left out before; whether there is one.
    fn newly_required(&mut self, old: &Structural, new: &Structural, steps: &[Step]) -> bool {
        let Some(example) = sample(old) else { return false };
        let mut errors = Judge::new(new).errors(&example);
        errors.retain(|error| error.reason == Reason::Required);
        !errors.is_empty() && self.refused(&example, &errors, new.place, steps)
    }

    /// Fields that no schema knows, where they were kept before and are not any more.
    fn unknown_fields(&mut self, old: &Structural, new: &Structural, steps: &[Step]) {
        let keeps = |schema: &Structural| {
            schema.extensions.preserve_unknown_fields || schema.additional_properties.is_some()
        };
        if !old.extensions.preserve_unknown_fields || keeps(new) || is_another_type(old, new) {
            return;
        }
        let mut map = match sample_or_empty(old).data {
            Data::Map(map) => Map::clone(&map),
            _ => Map::default(),
        };
        map.insert("unknown".into(), MapEntry { key_origin: None, value: Value::from("x") });
        let value = Value::new(Data::Map(Arc::new(map)));
        let example = self.object.with(steps, Some(&value));
        let field = field_text(steps);
        self.breaks.push(Break {
            version: Arc::clone(&self.object.version.name),
            message: format!(
                "fields of `{field}` that the schema does not know were kept, and are pruned now"
            ),
            field,
            example: self.pruned_only(example),
            errors: Vec::new(),
            place: new.place,
        });
    }

    /// Rules are not evaluated, so that nothing can be shown.
    fn new_rules(&mut self, old: &Structural, new: &Structural, steps: &[Step]) {
        let known: FxHashSet<&str> = old.rules.iter().map(|rule| &*rule.rule).collect();
        let is_new = |rule: &&Rule| !known.contains(&*rule.rule);
        for rule in new.rules.iter().filter(is_new) {
            let field = field_text(steps);
            self.breaks.push(Break {
                version: Arc::clone(&self.object.version.name),
                message: format!(
                    "`{field}` has a new rule, which objects that exist may not keep: {}",
                    rule.rule
                ),
                field,
                example: None,
                errors: Vec::new(),
                place: rule.written.place().or(new.place),
            });
        }
    }

    /// An object that loses nothing shows nothing.
    fn pruned_only(&self, example: Option<Value>) -> Option<Value> {
        example.filter(|example| prune(example, Some(self.judge.schema), Root::Resource).value != *example)
    }

    /// Tells that a value is refused now, unless the object around it makes up for that; whether it was told.
    fn refused(&mut self, value: &Value, errors: &[FieldError], place: Option<Span>, steps: &[Step]) -> bool {
        let example = self.object.with(steps, Some(value));
        let said = match &example {
            Some(example) => self.judge.errors(example),
            None => Vec::new(),
        };
        if example.is_some() && said.is_empty() {
            return false;
        }
        let field = field_text(steps);
        let why = errors.first().map(why).unwrap_or_default();
        let shown = if field.is_empty() { "objects".to_owned() } else { format!("`{field}`") };
        self.breaks.push(Break {
            version: Arc::clone(&self.object.version.name),
            message: format!("{shown} can hold what the new schema refuses: {why}"),
            field,
            example,
            errors: said,
            place,
        });
        true
    }

    fn removed(&mut self, property: &Structural, steps: &[Step]) {
        let value = sample(property);
        let example = value.and_then(|value| self.object.with(steps, Some(&value)));
        let example = self.pruned_only(example);
        let field = field_text(steps);
        self.breaks.push(Break {
            version: Arc::clone(&self.object.version.name),
            message: format!("the field `{field}` is gone: it is pruned from objects that have it"),
            field,
            example,
            errors: Vec::new(),
            place: property.place,
        });
    }
}

/// Whether two schemas demand the same of the same fields, whatever they say about them in words.
fn demand_the_same(old: &Structural, new: &Structural) -> bool {
    let items = match (&old.items, &new.items) {
        (Some(old), Some(new)) => demand_the_same(old, new),
        (None, None) => true,
        _ => false,
    };
    let additional = match (old.additional_properties.as_deref(), new.additional_properties.as_deref()) {
        (Some(OrBool::Schema(old)), Some(OrBool::Schema(new))) => demand_the_same(old, new),
        (Some(OrBool::Bool(old)), Some(OrBool::Bool(new))) => old == new,
        (None, None) => true,
        _ => false,
    };
    items
        && additional
        && own_demands_are_the_same(old, new)
        && old.properties.len() == new.properties.len()
        && old.properties.iter().all(|(name, property)| {
            new.properties.get(name).is_some_and(|after| demand_the_same(property, after))
        })
}

fn own_demands_are_the_same(old: &Structural, new: &Structural) -> bool {
    old.generic.type_name == new.generic.type_name
        && old.generic.nullable == new.generic.nullable
        && old.extensions == new.extensions
        && old.value_validation == new.value_validation
        && old.rules == new.rules
        && old.additional_properties.is_some() == new.additional_properties.is_some()
        && !loses_defaults(old, new)
}

/// Whether fields that are required could be left out before, because they had a default.
fn loses_defaults(old: &Structural, new: &Structural) -> bool {
    let has_default = |schema: &Structural, name: &Arc<str>| {
        schema.properties.get(name).is_some_and(|property| property.generic.default.is_some())
    };
    let required = new.value_validation.iter().flat_map(|demanded| &demanded.required);
    required.into_iter().any(|name| has_default(old, name) && !has_default(new, name))
}

/// Whether no value of the old schema's type is one of the new schema's.
fn is_another_type(old: &Structural, new: &Structural) -> bool {
    let [was, is] = [old, new].map(|schema| &*schema.generic.type_name);
    !was.is_empty() && !is.is_empty() && was != is && (was, is) != ("integer", "number")
}

fn why(error: &FieldError) -> String {
    match (error.reason, error.detail.as_str()) {
        (Reason::Duplicate, _) => "an item must not stand twice".to_owned(),
        (Reason::Required, _) => format!("`{}` is required", error.field.trim_start_matches('.')),
        (_, "") => error.reason.text().to_owned(),
        (_, detail) => detail.trim_start().trim_start_matches("in body ").to_owned(),
    }
}

fn field_text(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => {
                text.push('.');
                text.push_str(name);
            }
            Step::Entry => text.push_str("[*]"),
            Step::Item => text.push_str("[]"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crd(schema: &str) -> Crd {
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: foos.example.com}}\n\
             spec: {{group: example.com, scope: Namespaced, names: {{plural: foos, kind: Foo}}, versions: [{{name: v1, \
             served: true, storage: true, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: \
             {schema}}}}}}}}}]}}"
        );
        super::super::decode(&trueline_yaml::yaml_to_value(&text).unwrap()).unwrap().crd
    }

    #[test]
    fn each_change_that_breaks_is_shown_with_an_object() {
        let object = |fields: &str| format!("{{type: object, properties: {{{fields}}}}}");
        // The old field, the new one, and a part of what is said; nothing if nothing breaks.
        let rows = [
            ("f: {type: string}", "f: {type: integer}", "must be of type integer"),
            ("f: {type: string, enum: [a, b]}", "f: {type: string, enum: [a]}", "supported values"),
            ("f: {type: string}", "f: {type: string, maxLength: 3}", "may not be more than 3 bytes"),
            ("f: {type: string}", "f: {type: string, pattern: '^[0-9]+$'}", "should match"),
            ("f: {type: string}", "f: {type: string, format: ipv4}", "must be of type ipv4"),
            ("f: {type: integer, maximum: 10}", "f: {type: integer, maximum: 5}", "less than or equal to 5"),
            ("f: {type: integer}", "f: {type: integer, minimum: 1}", "greater than or equal to 1"),
            ("f: {type: string}, g: {type: string}", "g: {type: string}", "the field `spec.f` is gone"),
            ("f: {type: string, nullable: true}", "f: {type: string}", ""),
            (
                "f: {type: array, items: {type: string, nullable: true}}",
                "f: {type: array, items: {type: string}}",
                "must be of type string",
            ),
            (
                "f: {type: object, properties: {a: {type: string}}}",
                "f: {type: object, required: [a], properties: {a: {type: string, default: x}}}",
                "",
            ),
            (
                "f: {type: object, required: [a], properties: {a: {type: string, default: x}}}",
                "f: {type: object, required: [a], properties: {a: {type: string}}}",
                "`a` is required",
            ),
            (
                "f: {type: string}",
                "f: {type: string, not: {enum: [abc]}}",
                "must not validate the schema (not)",
            ),
            (
                "f: {type: object, x-kubernetes-preserve-unknown-fields: true}",
                "f: {type: object, additionalProperties: {type: integer}}",
                "must be of type integer",
            ),
            (
                "f: {type: object, x-kubernetes-preserve-unknown-fields: true}",
                "f: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}",
                "is required",
            ),
            (
                "f: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}",
                "f: {type: integer}",
                "must be of type integer",
            ),
            (
                "f: {type: array, items: {type: string}}",
                "f: {type: array, maxItems: 1, items: {type: string}}",
                "at most 1 item",
            ),
            (
                "f: {type: array, items: {type: object, properties: {a: {type: string}}}}",
                "f: {type: array, items: {type: object, required: [a], properties: {a: {type: string}}}}",
                "`a` is required",
            ),
            (
                "f: {type: object, additionalProperties: {type: string}}",
                "f: {type: object, additionalProperties: {type: integer}}",
                "must be of type integer",
            ),
            (
                "f: {type: object, additionalProperties: {type: string}}",
                "f: {type: object, properties: {a: {type: string}}}",
                "the field `spec.f[*]` is gone",
            ),
            (
                "f: {type: array, items: {type: string}}",
                "f: {type: array, x-kubernetes-list-type: set, items: {type: string}}",
                "must not stand twice",
            ),
            (
                "f: {type: object, x-kubernetes-preserve-unknown-fields: true}",
                "f: {type: object}",
                "are pruned now",
            ),
            (
                "f: {type: object, minProperties: 1, additionalProperties: {type: string}}",
                "f: {type: object, minProperties: 2, additionalProperties: {type: string}}",
                "at least 2 properties",
            ),
            ("f: {type: string, description: one}", "f: {type: string, description: two}", ""),
            ("f: {x-kubernetes-int-or-string: true}", "f: {type: integer}", "must be of type integer"),
            ("f: {type: string, enum: [a]}", "f: {type: string, enum: [a, b]}", ""),
            ("f: {type: integer, maximum: 5}", "f: {type: integer, maximum: 10}", ""),
            ("f: {type: string}", "f: {type: string}, g: {type: string}", ""),
        ];
        for (old, new, said) in rows {
            let difference = diff(&crd(&object(old)), &crd(&object(new)));
            assert!(difference.update.errors.is_empty(), "{:?}", difference.update.errors);
            if said.is_empty() {
                assert!(difference.breaks.is_empty(), "{old} to {new}: {:?}", difference.breaks);
                continue;
            }
            let [found] = difference.breaks.as_slice() else {
                panic!("{old} to {new}: {:?}", difference.breaks);
            };
            assert!(found.message.contains(said), "{old} to {new}: {}", found.message);
            let example = found.example.as_ref().expect("an object");
            assert_eq!(example.get("kind").and_then(Value::as_str), Some("Foo"));
            let _ = found.to_diagnostic(trueline_source::SourceId::from_index(0).span(0, 0));
        }
    }

    #[test]
    fn another_type_breaks_even_if_no_value_can_be_made_up() {
        let field = |schema: &str| crd(&format!("{{type: object, properties: {{f: {schema}}}}}"));
        let old = field("{type: string, pattern: '^sha256:[a-f0-9]{64}$'}");
        for (new, said) in [
            (
                "{type: array, items: {type: string}}",
                "`spec.f` was of type string, and must be of type array now",
            ),
            ("{type: integer}", "`spec.f` was of type string, and must be of type integer now"),
        ] {
            let difference = diff(&old, &field(new));
            let messages: Vec<&str> = difference.breaks.iter().map(|found| &*found.message).collect();
            assert_eq!(messages, [said]);
        }
        assert!(diff(&field("{type: integer}"), &field("{type: number}")).breaks.is_empty());
    }

    #[test]
    fn versions_and_scopes_that_go_break_all_objects() {
        let old = crd("{type: object}");
        let mut new = old.clone();
        new.spec.versions[0].served = false;
        new.spec.scope = "Cluster".into();
        let difference = diff(&old, &new);
        let messages: Vec<&str> = difference.breaks.iter().map(|found| &*found.message).collect();
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages[0].contains("scope") && messages[1].contains("not served any more"), "{messages:?}");
    }
}

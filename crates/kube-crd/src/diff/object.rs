//! Objects of a version of the old CRD, made up so that the old CRD accepts them, with a value at a place.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;
use trueline_kube_facts::names::{self, NameUse};
use trueline_kube_facts::{FieldPath, KubeVersion};
use trueline_yaml::{Data, Map, MapEntry, Value};

use super::NotShown;
use crate::definition::{Crd, Version};
use crate::diff::example::{Maker, entry, map_value};
use crate::object::{Held, Resource, size};
use crate::props::OrBool;
use crate::structural::{Extensions, Structural};

/// A step from an object to a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Field(Arc<str>),
    /// An entry of a map, and the name that it has in examples.
    Entry(Arc<str>),
    Item,
}

/// The name of an entry of a map that none of the schemas has a field for.
pub(super) fn entry_name(schemas: [&Structural; 2]) -> Arc<str> {
    let is_free = |name: &str| schemas.iter().all(|schema| !schema.properties.contains_key(name));
    let others = (0..).map(|number| format!("key{number}"));
    // Only as many names can be taken as there are fields.
    std::iter::once("key".to_owned()).chain(others).find(|name| is_free(name)).unwrap_or_default().into()
}

/// What is kept without any schema.
pub(super) static ANYTHING: LazyLock<Structural> = LazyLock::new(|| Structural {
    extensions: Extensions { preserve_unknown_fields: true, ..Extensions::default() },
    ..Structural::default()
});

/// Whether fields are kept that the schema has no field for.
pub(super) fn keeps_others(schema: &Structural) -> bool {
    schema.extensions.preserve_unknown_fields
        || matches!(schema.additional_properties.as_deref(), Some(OrBool::Bool(true)))
}

/// The schema of a field that may be there, whether or not it is named.
pub(super) fn field_schema<'s>(schema: &'s Structural, name: &str) -> Option<&'s Structural> {
    match (schema.properties.get(name), schema.additional_properties.as_deref()) {
        (Some(property), _) => Some(property),
        (None, Some(OrBool::Schema(additional))) => Some(additional),
        _ => keeps_others(schema).then_some(&*ANYTHING),
    }
}

/// The schema of an item, whether or not there is one.
pub(super) fn item_schema(schema: &Structural) -> Option<&Structural> {
    let keeps = schema.generic.type_name.is_empty() && schema.extensions.preserve_unknown_fields;
    schema.items.as_deref().or_else(|| keeps.then_some(&*ANYTHING))
}

fn spend(left: &Cell<usize>, values: usize) {
    left.set(left.get().saturating_sub(values));
}

/// The address of a part of a schema, with a field that is to be there.
type Part = (*const Structural, Option<Arc<str>>);

/// Objects of a version of the old CRD.
pub(super) struct Object<'c> {
    crd: &'c Crd,
    pub(super) version: &'c Version,
    pub(super) schema: &'c Structural,
    server: Resource,
    pub(super) maker: &'c Maker,
    name: Value,
    /// The smallest values of parts of the schema, by their addresses: the schema is there as long as this is. Of each part
    /// on the way to a change one is needed, for every change.
    samples: RefCell<FxHashMap<Part, Value>>,
    pub(super) left: &'c Left,
}

/// How many values may still be validated against a definition, and how many the examples that are kept may still have. Each
/// object is at least as large as the smallest one, so those of many changes would be as large as the square of a
/// definition.
pub(super) struct Left {
    held: Cell<usize>,
    kept: Cell<usize>,
    /// The version of the server that holds them.
    pub(super) server: KubeVersion,
}

impl Left {
    pub(super) fn new(server: KubeVersion) -> Self {
        Left { held: Cell::new(1_000_000), kept: Cell::new(40_000), server }
    }
}

impl<'c> Object<'c> {
    pub(super) fn new(
        crd: &'c Crd,
        version: &'c Version,
        schema: &'c Structural,
        maker: &'c Maker,
        left: &'c Left,
    ) -> Option<Self> {
        let server = Resource::of_version(crd, version, left.server).ok()?;
        let named = schema.properties.get("metadata").and_then(|metadata| metadata.properties.get("name"));
        let name = named.and_then(|named| possible_names(maker, named, named).into_iter().next());
        let name = name.unwrap_or_else(|| Value::from("example"));
        Some(Object { crd, version, schema, server, maker, name, samples: RefCell::default(), left })
    }

    /// The schema as it was typed.
    pub(super) fn typed(&self) -> Option<&'c Value> {
        super::typed(self.crd, self.version)
    }

    /// What the old CRD makes of an object.
    pub(super) fn held(&self, object: &Value) -> Held {
        self.held_by(&self.server, object)
    }

    /// What a server makes of an object.
    pub(super) fn held_by(&self, server: &Resource, object: &Value) -> Held {
        let held = server.hold(object);
        spend(&self.left.held, size(&held.value));
        held
    }

    /// Whether no more objects may be tried.
    pub(super) fn is_spent(&self) -> bool {
        self.left.held.get() == 0 || self.left.kept.get() == 0
    }

    /// An object is kept, to be shown.
    pub(super) fn keep(&self, example: &Value) {
        spend(&self.left.kept, size(example));
    }

    /// An object that the old CRD accepts, with a value at a place.
    pub(super) fn with(&self, steps: &[Step], value: Option<&Value>) -> Result<Value, NotShown> {
        match value {
            Some(value) => self.ways(steps, value, Some),
            None => self.ways(&[], &self.smallest(self.schema), Some),
        }
    }

    /// Tries the objects with a value at a place that the old CRD accepts, until one is what is looked for.
    pub(super) fn ways<T>(
        &self,
        steps: &[Step],
        value: &Value,
        mut found: impl FnMut(Value) -> Option<T>,
    ) -> Result<T, NotShown> {
        if self.is_spent() {
            return Err(NotShown::TooLarge);
        }
        let body = self.smallest(self.schema);
        // Beside others it may be one item too many, and in the place of one it may be the same as another.
        let ways = [Beside::Nothing, Beside::Others, Beside::Alone];
        let ways = ways.into_iter().take(if steps.is_empty() { 1 } else { ways.len() });
        let mut accepted = ways.filter_map(|beside| {
            let body = self.placed(body.clone(), self.schema, steps, value, beside)?;
            self.accepted(self.whole(&body))
        });
        accepted.find_map(&mut found).ok_or(NotShown::NotFound)
    }

    /// An object with everything that the schema knows, and with the fields that have defaults or not.
    pub(super) fn full(&self) -> Option<Value> {
        let body = self.maker.full(self.schema)?;
        self.accepted(self.whole(&body))
    }

    /// The object without what is there at a place.
    pub(super) fn without(&self, object: &Value, steps: &[Step]) -> Option<Value> {
        let changed = removed(object, steps)?;
        self.accepted(changed)
    }

    /// An object that has another name.
    pub(super) fn named(&self, name: &Value) -> Option<Value> {
        let whole = self.whole(&self.smallest(self.schema));
        let metadata = with_entry(whole.get("metadata")?, "name", name.clone());
        self.accepted(with_entry(&whole, "metadata", metadata))
    }

    fn accepted(&self, object: Value) -> Option<Value> {
        self.held(&object).errors.is_empty().then_some(object)
    }

    /// The smallest value of a part of the schema.
    pub(super) fn smallest(&self, schema: &Structural) -> Value {
        self.once((std::ptr::from_ref(schema), None), || sample_or_empty(self.maker, schema))
    }

    /// The smallest object of a part of the schema that has a field.
    fn smallest_with(&self, schema: &Structural, field: &Arc<str>) -> Value {
        let made = || {
            let sample = self.maker.sample_with(schema, field);
            sample.unwrap_or_else(|| Value::new(Data::Map(Arc::default())))
        };
        self.once((std::ptr::from_ref(schema), Some(Arc::clone(field))), made)
    }

    fn once(&self, key: Part, make: impl FnOnce() -> Value) -> Value {
        let known = self.samples.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            let made = make();
            self.samples.borrow_mut().insert(key, made.clone());
            made
        })
    }

    /// The value with another one at a place below it; what is missing on the way is made up.
    fn placed(
        &self,
        body: Value,
        schema: &Structural,
        steps: &[Step],
        value: &Value,
        beside: Beside,
    ) -> Option<Value> {
        let Some((step, rest)) = steps.split_first() else { return Some(value.clone()) };
        match step {
            Step::Item => {
                let child = item_schema(schema)?;
                let mut items = match &body.data {
                    Data::List(items) => Vec::clone(items),
                    _ => Vec::new(),
                };
                let first = items.first().cloned().unwrap_or_else(|| self.smallest(child));
                let placed = self.placed(first, child, rest, value, beside)?;
                // Where items must differ, one that is there stays where it is.
                if !must_differ(schema) || !items.contains(&placed) {
                    match items.first_mut().filter(|_| beside != Beside::Others) {
                        Some(first) => *first = placed,
                        None => items.push(placed),
                    }
                }
                Some(items.into_iter().collect())
            }
            Step::Field(key) | Step::Entry(key) => {
                let entries = match (step, &body.data) {
                    (Step::Entry(_), Data::Map(map)) if beside == Beside::Nothing => Some(map),
                    _ => None,
                };
                let other =
                    entries.and_then(|map| map.keys().find(|key| !schema.properties.contains_key(*key)));
                let key = &Arc::clone(other.unwrap_or(key));
                let child = field_schema(schema, key)?;
                let body = match beside {
                    Beside::Alone if body.get(key).is_none() => self.smallest_with(schema, key),
                    _ => body,
                };
                let mut map = match &body.data {
                    Data::Map(map) => Map::clone(map),
                    _ => Map::default(),
                };
                let before = map.get(key).map(|entry| entry.value.clone());
                let before = before.unwrap_or_else(|| self.smallest(child));
                let value = self.placed(before, child, rest, value, beside)?;
                map.insert(Arc::clone(key), entry(value));
                Some(map_value(map))
            }
        }
    }

    fn whole(&self, body: &Value) -> Value {
        let spec = &self.crd.spec;
        let mut metadata = vec![("name", self.name.clone())];
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
            object.insert(key.into(), entry(value));
        }
        if let Data::Map(body) = &body.data {
            for (key, member) in body.iter().filter(|(key, _)| !is_head(key)) {
                object.insert(Arc::clone(key), member.clone());
            }
        }
        map_value(object)
    }
}

fn is_head(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

fn must_differ(schema: &Structural) -> bool {
    matches!(schema.extensions.list_type.as_deref(), Some("set" | "map"))
}

/// Names of objects that may show what a schema of names refuses.
pub(super) fn possible_names(maker: &Maker, old: &Structural, new: &Structural) -> Vec<Value> {
    let common =
        ["example", "e", "a-b", "a.b", "1", "example-of-a-name-that-is-rather-long-but-still-a-name"];
    let made = maker.candidates(old, new).values;
    let all = common.into_iter().map(Value::from).chain(made);
    let is_name = |value: &Value| {
        value
            .as_str()
            .is_some_and(|name| !name.is_empty() && names::object_name(name, NameUse::Whole).is_empty())
    };
    let keeps = crate::object::Validator::new(old, crate::object::Purpose::Objects);
    all.filter(is_name)
        .filter(|name| keeps.validate(name, &FieldPath::default()).is_empty())
        .take(40)
        .collect()
}

/// A map with an entry.
fn with_entry(value: &Value, key: &str, member: Value) -> Value {
    let mut map = match &value.data {
        Data::Map(map) => Map::clone(map),
        _ => Map::default(),
    };
    map.insert(key.into(), entry(member));
    map_value(map)
}

/// The value without what is at a place; nothing if nothing is there.
fn removed(value: &Value, steps: &[Step]) -> Option<Value> {
    match (steps, &value.data) {
        ([Step::Field(key) | Step::Entry(key)], Data::Map(map)) => {
            let mut map = Map::clone(map);
            map.shift_remove(key)?;
            Some(map_value(map))
        }
        ([Step::Field(key) | Step::Entry(key), rest @ ..], Data::Map(map)) => {
            let below = removed(&map.get(key)?.value, rest)?;
            let mut map = Map::clone(map);
            map.insert(Arc::clone(key), MapEntry { key_origin: None, value: below });
            Some(map_value(map))
        }
        ([Step::Item, rest @ ..], Data::List(items)) if !rest.is_empty() => {
            let mut items = Vec::clone(items);
            let first = items.first_mut()?;
            *first = removed(first, rest)?;
            Some(items.into_iter().collect())
        }
        _ => None,
    }
}

pub(super) fn sample_or_empty(maker: &Maker, schema: &Structural) -> Value {
    maker.sample(schema).unwrap_or_else(|| Value::new(Data::Map(Arc::default())))
}

/// Where an item is put in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// In the place of the first, or of an entry.
    Nothing,
    /// After those that are there.
    Others,
    /// In the place of the first, without fields that only one of several branches asks for.
    Alone,
}

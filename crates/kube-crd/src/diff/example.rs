//! Values made up for a schema: the smallest that keep to it, to show what a change of the schema breaks.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_kube_facts::FieldPath;
use trueline_regexp::{End, Matcher, Texts, Wanted};
use trueline_yaml::{Data, Map, MapEntry, Value};

use super::wish::{Wish, ways_to_keep};
use crate::object::{Purpose, Validator, size, validate};
use crate::props::OrBool;
use crate::structural::{NestedValueValidation, Structural, ValueValidation};

/// How deep and how large made-up values may be.
pub(super) const MAX_DEPTH: usize = 40;
pub(super) const MAX_ITEMS: i64 = 64;

/// How many values there may be in a made-up one.
const MAX_SIZE: usize = 4_000;
const MAX_LENGTH: i64 = 2_000;

/// How many steps the search for values may take, for one comparison and for one text.
const MAX_STEPS: usize = 4_000_000;
const MAX_STEPS_OF_TEXT: usize = 100_000;

/// What making one value counts, in steps.
const VALUE: usize = 20;

/// How many of the ways through `anyOf` and `oneOf` are tried.
pub(super) const MAX_WAYS: usize = 8;

/// How deep junctors are followed, and how many fields of a schema they may speak of.
pub(super) const MAX_JUNCTORS: usize = 3;
pub(super) const MAX_FIELDS: usize = 16;

/// How many ways there are through `anyOf` and `oneOf`.
pub(super) fn ways_through(demanded: &ValueValidation) -> usize {
    demanded.any_of.len().max(1).saturating_mul(demanded.one_of.len().max(1))
}

/// Makes values up, within bounds.
pub(super) struct Maker {
    left: Cell<usize>,
    texts: RefCell<FxHashMap<(Wish, usize), Rc<Texts>>>,
}

impl Maker {
    pub(super) fn new() -> Self {
        Self { left: Cell::new(MAX_STEPS), texts: RefCell::default() }
    }

    /// A value that keeps to the schema, if one is found.
    pub(super) fn sample(&self, schema: &Structural) -> Option<Value> {
        self.first(schema, MAX_DEPTH)
            .filter(|value| validate(value, schema, Purpose::Objects, &FieldPath::default()).is_empty())
    }

    /// An object that keeps to the schema and has a field, if one is found.
    pub(super) fn sample_with(&self, schema: &Structural, field: &Arc<str>) -> Option<Value> {
        let mut demanded = schema.value_validation.as_deref().cloned().unwrap_or_default();
        demanded.required.push(Arc::clone(field));
        let found = self.objects(schema, &demanded, 1, &[], MAX_DEPTH).into_iter().next();
        found.filter(|value| validate(value, schema, Purpose::Objects, &FieldPath::default()).is_empty())
    }

    /// A value with everything that the schema knows, as far as it keeps to it.
    pub(super) fn full(&self, schema: &Structural) -> Option<Value> {
        let value = self.fullest(schema, MAX_DEPTH)?;
        validate(&value, schema, Purpose::Objects, &FieldPath::default()).is_empty().then_some(value)
    }

    fn fullest(&self, schema: &Structural, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let smallest = self.first(schema, depth)?;
        let keeps = |value: &Value| {
            size(value) <= MAX_SIZE
                && validate(value, schema, Purpose::Objects, &FieldPath::default()).is_empty()
        };
        let mut found = smallest;
        match &found.data {
            Data::Map(map) => {
                let mut map = Map::clone(map);
                for (name, property) in schema.properties.iter().filter(|(name, _)| !is_head(schema, name)) {
                    if let Some(value) = self.fullest(property, depth) {
                        map.insert(Arc::clone(name), entry(value));
                    }
                }
                if let Some(OrBool::Schema(additional)) = schema.additional_properties.as_deref()
                    && let Some(value) = self.fullest(additional, depth)
                {
                    map.insert("key".into(), entry(value));
                }
                found = Some(map_value(map)).filter(keeps).unwrap_or(found);
            }
            Data::List(items) => {
                let item = schema.items.as_deref().and_then(|items| self.fullest(items, depth));
                let rest = items.iter().skip(1).cloned();
                let list = item.map(|item| std::iter::once(item).chain(rest).collect::<Value>());
                found = list.filter(keeps).unwrap_or(found);
            }
            _ => {}
        }
        Some(found)
    }

    fn first(&self, schema: &Structural, depth: usize) -> Option<Value> {
        self.variants(schema, 1, &[], depth).into_iter().next()
    }

    /// So many different values, or fewer. Objects differ in the named fields first.
    pub(super) fn variants(
        &self,
        schema: &Structural,
        count: usize,
        names: &[Arc<str>],
        depth: usize,
    ) -> Vec<Value> {
        let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
        let Some(left) = self.left.get().checked_sub(VALUE) else { return Vec::new() };
        self.left.set(left);
        let nothing = ValueValidation::default();
        let demanded = schema.value_validation.as_deref().unwrap_or(&nothing);
        let has_choices = demanded.choices.iter().any(|choice| !matches!(choice.data, Data::Null));
        // Old schemas may name no type; fields are those of objects all the same.
        let type_name = match &*schema.generic.type_name {
            "" if !schema.properties.is_empty() || schema.additional_properties.is_some() => "object",
            "" if schema.items.is_some() => "array",
            type_name => type_name,
        };
        let mut found = match type_name {
            "object" if !has_choices => self.objects(schema, demanded, count, names, depth),
            "array" if !has_choices => self.lists(schema, demanded, count, depth),
            _ => self.leaves(schema, demanded, count),
        };
        // Where nothing else keeps to the schema, null may.
        if found.is_empty() && schema.generic.nullable {
            found.push(Value::new(Data::Null));
        }
        found
    }

    /// Tries the ways through `anyOf` and `oneOf` until what was made keeps to the schema.
    fn along_branches(
        schema: &Structural,
        demanded: &ValueValidation,
        make: impl Fn(&[&NestedValueValidation]) -> Option<Value>,
    ) -> Option<Value> {
        let ways = ways_through(demanded);
        let is_simple = ways == 1 && demanded.not.is_none();
        let mut first = None;
        for way in 0..ways.min(MAX_WAYS) {
            let Some(value) = make(&branches(demanded, way, MAX_JUNCTORS)) else { continue };
            if is_simple || validate(&value, schema, Purpose::Objects, &FieldPath::default()).is_empty() {
                return Some(value);
            }
            first.get_or_insert(value);
        }
        first
    }

    fn objects(
        &self,
        schema: &Structural,
        demanded: &ValueValidation,
        count: usize,
        names: &[Arc<str>],
        depth: usize,
    ) -> Vec<Value> {
        let make = |branches: &[&NestedValueValidation]| self.object(schema, demanded, branches, depth);
        let Some(base) = Self::along_branches(schema, demanded, make) else { return Vec::new() };
        let mut found = vec![base.clone()];
        let Data::Map(map) = base.data else { return found };
        let others = schema.properties.keys().filter(|name| !names.contains(name));
        for name in names.iter().chain(others) {
            if found.len() >= count {
                break;
            }
            let Some(property) = schema.properties.get(name).filter(|_| !is_head(schema, name)) else {
                continue;
            };
            for value in self.variants(property, count, &[], depth) {
                let mut map = Map::clone(&map);
                map.insert(Arc::clone(name), entry(value));
                push_new(&mut found, map_value(map), count);
            }
        }
        if let Some(OrBool::Schema(additional)) = schema.additional_properties.as_deref() {
            for number in 0..count.saturating_sub(found.len()) {
                let Some(value) = self.first(additional, depth) else { break };
                let mut map = Map::clone(&map);
                map.insert(format!("other{number}").into(), entry(value));
                push_new(&mut found, map_value(map), count);
            }
        }
        found
    }

    /// The smallest object with all that is required, by the branches too.
    pub(super) fn object(
        &self,
        schema: &Structural,
        demanded: &ValueValidation,
        branches: &[&NestedValueValidation],
        depth: usize,
    ) -> Option<Value> {
        let mut map = Map::default();
        if schema.extensions.embedded_resource {
            let metadata = [("name", Value::from("example"))].into_iter().collect();
            let head =
                [("apiVersion", Value::from("v1")), ("kind", Value::from("Example")), ("metadata", metadata)];
            map.extend(head.map(|(name, value)| (name.into(), entry(value))));
        }
        let all = || std::iter::once(demanded).chain(branches.iter().map(|branch| &branch.value_validation));
        let chosen = branches.iter().flat_map(|branch| &branch.properties);
        let chosen = chosen.filter(|(_, nested)| !nested.value_validation.choices.is_empty());
        let required = all().flat_map(|demanded| &demanded.required).chain(chosen.map(|(name, _)| name));
        for name in required.filter(|name| !is_head(schema, name)) {
            if map.contains_key(name) {
                continue;
            }
            let value = match (schema.properties.get(name), schema.additional_properties.as_deref()) {
                (Some(property), _) => self.field(property, name, branches, depth)?,
                (None, Some(OrBool::Schema(additional))) => self.field(additional, name, branches, depth)?,
                _ => Value::from("x"),
            };
            map.insert(Arc::clone(name), entry(value));
        }
        let least = all().filter_map(|demanded| demanded.min_properties).max().unwrap_or_default();
        let least = usize::try_from(least.clamp(0, MAX_ITEMS)).unwrap_or_default();
        for (name, property) in &schema.properties {
            if map.len() < least
                && !map.contains_key(name)
                && let Some(value) = self.field(property, name, branches, depth)
            {
                map.insert(Arc::clone(name), entry(value));
            }
        }
        for number in map.len()..least {
            let value = match schema.additional_properties.as_deref() {
                Some(OrBool::Schema(additional)) => self.first(additional, depth)?,
                Some(OrBool::Bool(true)) => Value::from("x"),
                _ if schema.extensions.preserve_unknown_fields => Value::from("x"),
                _ => break,
            };
            map.insert(format!("key{number}").into(), entry(value));
        }
        Some(map_value(map))
    }

    fn field(
        &self,
        property: &Structural,
        name: &Arc<str>,
        branches: &[&NestedValueValidation],
        depth: usize,
    ) -> Option<Value> {
        let more = branches.iter().filter_map(|branch| branch.properties.get(name).map(|own| &**own));
        self.first(&with_demands(property, more), depth)
    }

    fn lists(
        &self,
        schema: &Structural,
        demanded: &ValueValidation,
        count: usize,
        depth: usize,
    ) -> Vec<Value> {
        let make = |branches: &[&NestedValueValidation]| self.list(schema, demanded, branches, 0, depth);
        let Some(base) = Self::along_branches(schema, demanded, make) else { return Vec::new() };
        let length = match &base.data {
            Data::List(items) => items.len(),
            _ => 0,
        };
        let mut found = vec![base];
        for more in 1..count {
            let least = i64::try_from(length.saturating_add(more)).unwrap_or(i64::MAX);
            match self.list(schema, demanded, &[], least, depth) {
                Some(list) => push_new(&mut found, list, count),
                None => break,
            }
        }
        found
    }

    /// A list with as many items as are demanded, or wanted.
    pub(super) fn list(
        &self,
        schema: &Structural,
        demanded: &ValueValidation,
        branches: &[&NestedValueValidation],
        least: i64,
        depth: usize,
    ) -> Option<Value> {
        let all = std::iter::once(demanded).chain(branches.iter().map(|branch| &branch.value_validation));
        let least = all.filter_map(|demanded| demanded.min_items).fold(least, i64::max).clamp(0, MAX_ITEMS);
        let least = usize::try_from(least).unwrap_or_default();
        if least == 0 {
            return Some(std::iter::empty::<Value>().collect());
        }
        let more = branches.iter().filter_map(|branch| branch.items.as_deref());
        let items = with_demands(schema.items.as_deref()?, more);
        let must_differ =
            demanded.unique_items || matches!(schema.extensions.list_type.as_deref(), Some("set" | "map"));
        let values = if must_differ {
            self.variants(&items, least, &schema.extensions.list_map_keys, depth)
        } else {
            let first = self.first(&items, depth)?;
            (size(&first).saturating_mul(least) <= MAX_SIZE).then(|| vec![first; least])?
        };
        let size = values.iter().fold(0, |sum: usize, value| sum.saturating_add(size(value)));
        self.left.set(self.left.get().saturating_sub(size));
        if size > MAX_SIZE {
            return None;
        }
        (values.len() >= least).then(|| values.into_iter().collect())
    }

    /// Values without others inside.
    fn leaves(&self, schema: &Structural, demanded: &ValueValidation, count: usize) -> Vec<Value> {
        let branches: Vec<_> = (0..MAX_WAYS).flat_map(|way| branches(demanded, way, MAX_JUNCTORS)).collect();
        let all: Vec<&ValueValidation> =
            std::iter::once(demanded).chain(branches.iter().map(|branch| &branch.value_validation)).collect();
        let validator = Validator::new(schema, Purpose::Objects);
        let mut found: Vec<Value> = Vec::new();
        let mut offer = |value: Value| {
            if found.len() < count && validator.validate(&value, &FieldPath::default()).is_empty() {
                push_new(&mut found, value, count);
            }
            found.len() >= count
        };
        let choices = all.iter().flat_map(|demanded| &demanded.choices);
        for choice in choices.filter(|choice| !matches!(choice.data, Data::Null)) {
            if offer(without_origin(choice)) {
                return found;
            }
        }
        let type_name = &*schema.generic.type_name;
        if type_name == "boolean" {
            _ = offer(Value::from(true)) || offer(Value::from(false));
        }
        if matches!(type_name, "integer" | "number") || schema.extensions.int_or_string {
            let near = numbers(&all, count);
            for number in number(demanded).into_iter().chain(near) {
                if offer(as_number(number)) {
                    return found;
                }
            }
        }
        if !matches!(type_name, "boolean" | "integer" | "number") {
            if TEXTS.iter().any(|text| offer(Value::from(*text))) {
                return found;
            }
            for wish in ways_to_keep(demanded) {
                // A format takes not every text that the pattern does.
                let made = self.texts(&wish, count.max(if demanded.format.is_empty() { 1 } else { 20 }));
                if made.texts.iter().any(|text| offer(Value::from(text.as_str()))) {
                    return found;
                }
            }
        }
        found
    }

    /// Texts that are as wished; what was made once is kept.
    pub(super) fn texts(&self, wish: &Wish, count: usize) -> Rc<Texts> {
        let key = (wish.clone(), count);
        if let Some(made) = self.texts.borrow().get(&key) {
            return Rc::clone(made);
        }
        let made =
            Rc::new(self.make_texts(wish, count).unwrap_or(Texts { texts: Vec::new(), end: End::GaveUp }));
        self.texts.borrow_mut().insert(key, Rc::clone(&made));
        made
    }

    fn make_texts(&self, wish: &Wish, count: usize) -> Option<Texts> {
        let compiled = |patterns: &[Arc<str>]| -> Option<Vec<Arc<Matcher>>> {
            patterns.iter().map(|pattern| Matcher::shared(pattern.as_bytes()).ok()).collect()
        };
        let (matching, refusing) = (compiled(&wish.matching)?, compiled(&wish.refusing)?);
        let wanted = Wanted {
            matching: matching.iter().map(Arc::as_ref).collect(),
            refusing: refusing.iter().map(Arc::as_ref).collect(),
            least: usize::try_from(wish.least.max(0)).ok().filter(|least| *least as i64 <= MAX_LENGTH)?,
            most: wish.most.map(|most| usize::try_from(most).unwrap_or_default()),
        };
        let before = self.left.get().min(MAX_STEPS_OF_TEXT);
        let mut steps = before;
        let made = trueline_regexp::texts(&wanted, count, &mut steps);
        self.left.set(self.left.get().saturating_sub(before.saturating_sub(steps)));
        Some(made)
    }
}

/// The branches on one way through a schema: all of `allOf`, and one of `anyOf` and `oneOf` each.
pub(super) fn branches(demanded: &ValueValidation, way: usize, depth: usize) -> Vec<&NestedValueValidation> {
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    let any = demanded.any_of.get(way.checked_rem(demanded.any_of.len()).unwrap_or_default());
    let rest = way.checked_div(demanded.any_of.len().max(1)).unwrap_or_default();
    let one = demanded.one_of.get(rest.checked_rem(demanded.one_of.len()).unwrap_or_default());
    let mut found = Vec::new();
    for branch in demanded.all_of.iter().chain(any).chain(one) {
        found.push(branch);
        found.extend(branches(&branch.value_validation, way, depth));
    }
    found
}

/// A schema that also demands what branches demand.
fn with_demands<'s>(
    schema: &'s Structural,
    more: impl Iterator<Item = &'s NestedValueValidation>,
) -> Cow<'s, Structural> {
    let mut schema = Cow::Borrowed(schema);
    for nested in more {
        schema.to_mut().value_validation.get_or_insert_default().all_of.push(nested.clone());
    }
    schema
}

/// Whether a field is one that every resource inside of another has.
pub(super) fn is_head(schema: &Structural, name: &str) -> bool {
    schema.extensions.embedded_resource && matches!(name, "apiVersion" | "kind" | "metadata")
}

fn push_new(found: &mut Vec<Value>, value: Value, most: usize) {
    if found.len() < most && !found.contains(&value) {
        found.push(value);
    }
}

pub(super) fn as_number(number: f64) -> Value {
    // An integer is written without a point, and read back as whole, of whatever type it was meant to be.
    if number.fract() == 0.0 && number.abs() < 9e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}

/// The smallest number above the least one, or else below the greatest.
fn number(demanded: &ValueValidation) -> Option<f64> {
    let step = demanded.multiple_of.filter(|step| *step > 0.0).unwrap_or(1.0);
    let mut number = match (demanded.minimum, demanded.maximum) {
        (Some(minimum), _) => (minimum / step).ceil() * step,
        (None, Some(maximum)) if maximum < step => (maximum / step).floor() * step,
        _ => step,
    };
    if demanded.exclusive_minimum && Some(number) == demanded.minimum {
        number += step;
    }
    if demanded.exclusive_maximum && Some(number) == demanded.maximum {
        number -= step;
    }
    number.is_finite().then_some(number)
}

/// Numbers around all bounds, in all steps.
pub(super) fn numbers(demanded: &[&ValueValidation], count: usize) -> Vec<f64> {
    let bounds = demanded.iter().flat_map(|demanded| [demanded.minimum, demanded.maximum]).flatten();
    let steps = demanded.iter().filter_map(|demanded| demanded.multiple_of).filter(|step| *step > 0.0);
    let mut steps: Vec<f64> = steps.take(4).collect();
    if let [first, second, ..] = *steps {
        steps.push(first * second);
    }
    steps.push(1.0);
    let reach = i32::try_from(count.clamp(2, 40)).unwrap_or(2);
    let mut numbers = Vec::new();
    for bound in bounds.take(MAX_FIELDS).chain([0.0]) {
        for step in &steps {
            let near = (bound / step).floor() * step;
            numbers.extend((-reach..=reach).map(|times| near + f64::from(times) * step));
        }
        numbers.extend([bound, bound - 0.5, bound + 0.5]);
    }
    numbers.retain(|number| number.is_finite());
    numbers
}

/// Texts that formats and common patterns accept.
pub(super) const TEXTS: &[&str] = &[
    "a",
    "x",
    "example",
    "1",
    "A",
    "a-b",
    "a.b",
    "/a",
    "1Gi",
    "10m",
    "10s",
    "1h",
    "true",
    "a/b",
    "a:b",
    "10.0.0.1",
    "10.0.0.0/8",
    "::1",
    "00:00:5e:00:53:01",
    "https://example.com/",
    "example.com",
    "me@example.com",
    "2024-02-29",
    "2024-02-29T10:11:12Z",
    "10:00",
    "1.2.3",
    "v1.2.3",
    "YQ==",
    "#ffffff",
    "rgb(1,2,3)",
    "123e4567-e89b-42d3-a456-426614174000",
    "978-0321751041",
    "0321751043",
    "4111111111111111",
    "111-11-1111",
    "507f1f77bcf86cd799439011",
    "ABC_D",
    "arn:aws:iam::123456789012:role/a",
];

pub(super) fn map_value(map: Map) -> Value {
    Value::new(Data::Map(Arc::new(map)))
}

pub(super) fn entry(value: Value) -> MapEntry {
    MapEntry { key_origin: None, value }
}

/// Made-up values were typed nowhere.
pub(super) fn without_origin(value: &Value) -> Value {
    Value::from_serde(&value.to_serde())
}

//! Values that one schema may accept and another refuse, to show what a change of the schema breaks.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_regexp::End;
use trueline_yaml::{Data, Map, Value};

use super::compare::defaults_are_the_same;
use super::example::{
    MAX_DEPTH, MAX_FIELDS, MAX_ITEMS, MAX_JUNCTORS, MAX_WAYS, Maker, TEXTS, as_number, branches, entry,
    is_head, map_value, numbers, ways_through, without_origin,
};
use super::samples::{formats, samples};
use super::wish::{ways_to_break, ways_to_keep};
use crate::props::OrBool;
use crate::structural::{NestedValueValidation, Structural, ValueValidation};

/// Values that may show a change.
pub(super) struct Candidates {
    pub(super) values: Vec<Value>,
    /// Whether all texts were thought of.
    pub(super) end: End,
}

/// How many branches of a schema an object is made for, each in turn.
const MAX_BRANCHES: usize = 64;

impl Maker {
    /// Values that may be accepted by one schema and refused by the other: around the bounds of both.
    pub(super) fn candidates(&self, old: &Structural, new: &Structural) -> Candidates {
        self.candidates_at(old, new, MAX_JUNCTORS)
    }

    fn candidates_at(&self, old: &Structural, new: &Structural, depth: usize) -> Candidates {
        let mut end = End::NoMore;
        let mut values: Vec<Value> = Vec::new();
        let sample = self.sample(old);
        values.extend(sample.clone());
        let nothing = ValueValidation::default();
        let [was, is] = [old, new].map(|schema| schema.value_validation.as_deref().unwrap_or(&nothing));
        for demanded in [was, is] {
            values.extend(demanded.choices.iter().map(without_origin));
            let nested = (0..MAX_WAYS).flat_map(|way| branches(demanded, way, MAX_JUNCTORS));
            let nested = nested.chain(demanded.not.as_deref());
            values.extend(nested.flat_map(|nested| &nested.value_validation.choices).map(without_origin));
            for count in [demanded.min_properties, demanded.max_properties].into_iter().flatten() {
                for count in [count.saturating_sub(1), count, count.saturating_add(1)] {
                    values.extend(self.object_of(old, count.clamp(0, MAX_ITEMS)));
                }
            }
        }
        let type_name = &*old.generic.type_name;
        if matches!(type_name, "string" | "") {
            end = self.text_candidates(was, is, &mut values);
        }
        if matches!(type_name, "integer" | "number") || old.extensions.int_or_string {
            let mut all = vec![was, is];
            for demanded in [was, is] {
                let nested = (0..MAX_WAYS).flat_map(|way| branches(demanded, way, MAX_JUNCTORS));
                all.extend(nested.chain(demanded.not.as_deref()).map(|nested| &nested.value_validation));
            }
            let common = [0.0, 1.0, -1.0, 7.0, 1_000_000.0, 0.5];
            for number in numbers(&all, 1).into_iter().chain(common) {
                values.push(as_number(number));
            }
        }
        if type_name == "boolean" {
            values.extend([true, false].map(Value::from));
        }
        if type_name == "array" {
            self.list_candidates(old, new, [was, is], &mut values);
        }
        if old.extensions.preserve_unknown_fields && type_name.is_empty() {
            let empty = [Value::new(Data::Map(Arc::default())), Value::new(Data::List(Arc::default()))];
            values.extend([Value::from("x"), Value::from(1), Value::from(true)].into_iter().chain(empty));
        }
        if old.generic.nullable {
            values.push(Value::new(Data::Null));
        }
        if let Some(Data::Map(map)) = sample.map(|sample| sample.data) {
            self.object_candidates(old, new, &map, &mut values);
            // A branch that is there no longer may be the only one that an object keeps.
            let ways = ways_through(was).min(MAX_BRANCHES);
            for way in (0..ways).filter(|_| ways > 1) {
                values.extend(self.object(old, was, &branches(was, way, MAX_JUNCTORS), depth));
            }
            if let Some(depth) = depth.checked_sub(1)
                && self.below_branches(old, new, &map, depth, &mut values) == End::GaveUp
            {
                end = End::GaveUp;
            }
        }
        Candidates { values, end }
    }

    /// Texts that keep to the old schema, and break the new one.
    fn text_candidates(&self, was: &ValueValidation, is: &ValueValidation, values: &mut Vec<Value>) -> End {
        let mut end = End::NoMore;
        let kept = ways_to_keep(was);
        let broken = ways_to_break(is);
        let mut seen: FxHashSet<String> = FxHashSet::default();
        for wish in kept.iter().flat_map(|kept| broken.iter().filter_map(|broken| kept.and(broken))) {
            let made = self.texts(&wish, 2);
            for text in made.texts.iter().filter(|text| seen.insert(text.to_string())) {
                values.push(Value::from(text.as_str()));
            }
            // Which of the texts have the format nobody knows but those who validate them against it.
            if made.end == End::GaveUp || !made.texts.is_empty() && !formats(was).is_empty() {
                end = End::GaveUp;
            }
        }
        values.extend([was, is].into_iter().flat_map(samples).map(Value::from));
        values.extend(TEXTS.iter().chain(&["", "A b", "ä", "-"]).map(|text| Value::from(*text)));
        // Formats are checked for texts only.
        for kept in &kept {
            values.extend(self.texts(kept, 20).texts.iter().map(|text| Value::from(text.as_str())));
        }
        end
    }

    /// Lists of as many items as bounds allow or not, with equal items, and with items that differ in nothing that the new
    /// schema tells items apart by.
    fn list_candidates(
        &self,
        old: &Structural,
        new: &Structural,
        demanded: [&ValueValidation; 2],
        values: &mut Vec<Value>,
    ) {
        let nested = demanded.iter().flat_map(|demanded| {
            let nested = (0..MAX_WAYS).flat_map(|way| branches(demanded, way, MAX_JUNCTORS));
            nested.chain(demanded.not.as_deref()).map(|nested| &nested.value_validation)
        });
        let all: Vec<&ValueValidation> = demanded.into_iter().chain(nested).collect();
        for count in all.iter().flat_map(|demanded| [demanded.min_items, demanded.max_items]).flatten() {
            for count in [count.saturating_sub(1), count, count.saturating_add(1)] {
                if (0..=MAX_ITEMS).contains(&count) {
                    values.extend(self.list(old, &ValueValidation::default(), &[], count, MAX_DEPTH));
                }
            }
        }
        let Some(items) = old.items.as_deref() else { return };
        if let Some(item) = self.sample(items) {
            values.push([item.clone(), item].into_iter().collect());
        }
        let keys = &new.extensions.list_map_keys;
        values.extend(self.items_by_defaults(items, new));
        let mut others: Vec<Arc<str>> = old.extensions.list_map_keys.clone();
        others.extend(items.properties.keys().cloned());
        others.retain(|name| !keys.contains(name));
        for name in others.into_iter().take(MAX_FIELDS) {
            let pair = self.variants(items, 2, &[name], MAX_DEPTH);
            values.push(pair.into_iter().collect());
        }
    }

    /// Two items that differ in nothing but a key that one of them has from the new default.
    fn items_by_defaults(&self, items: &Structural, new: &Structural) -> Option<Value> {
        let Data::Map(map) = self.sample(items)?.data else { return None };
        let key = new.extensions.list_map_keys.iter().find_map(|key| {
            let default = new.items.as_deref()?.properties.get(key)?.generic.default.as_ref()?;
            Some((key, default))
        });
        let (key, default) = key?;
        let (mut without, mut with) = (Map::clone(&map), Map::clone(&map));
        without.shift_remove(key);
        with.insert(Arc::clone(key), entry(without_origin(default)));
        Some([map_value(without), map_value(with)].into_iter().collect())
    }

    /// Objects without what has a default, with a field more, and with all fields.
    fn object_candidates(&self, old: &Structural, new: &Structural, map: &Map, values: &mut Vec<Value>) {
        let has_default =
            |name: &str| old.properties.get(name).is_some_and(|property| property.generic.default.is_some());
        let mut least = map.clone();
        least.retain(|name, _| !has_default(name));
        values.push(map_value(least));
        if let Some(OrBool::Schema(additional)) = old.additional_properties.as_deref()
            && let Some(value) = self.sample(additional)
        {
            let mut more = map.clone();
            more.insert("key".into(), entry(value));
            values.push(map_value(more));
        }
        if old.extensions.preserve_unknown_fields
            || matches!(old.additional_properties.as_deref(), Some(OrBool::Bool(true)))
        {
            for value in [Value::from("x"), Value::from(1)] {
                let mut more = map.clone();
                more.insert("key".into(), entry(value));
                values.push(map_value(more));
            }
        }
        // Which fields there are matters only where something is said about that.
        if old.value_validation == new.value_validation && defaults_are_the_same(old, new) {
            return;
        }
        let mut most = map.clone();
        for (name, property) in old.properties.iter().filter(|(name, _)| !is_head(old, name)).take(MAX_FIELDS)
        {
            if let Some(value) = self.sample(property).filter(|_| !map.contains_key(name)) {
                most.insert(Arc::clone(name), entry(value.clone()));
                let mut more = map.clone();
                more.insert(Arc::clone(name), entry(value));
                values.push(map_value(more));
            }
        }
        values.push(map_value(most));
    }

    /// Objects with fields that branches of the schemas speak of.
    fn below_branches(
        &self,
        old: &Structural,
        new: &Structural,
        map: &Map,
        depth: usize,
        values: &mut Vec<Value>,
    ) -> End {
        let mut end = End::NoMore;
        let nothing = ValueValidation::default();
        let [was, is] = [old, new].map(|schema| schema.value_validation.as_deref().unwrap_or(&nothing));
        if was == is {
            return end;
        }
        let mut names: Vec<&Arc<str>> = Vec::new();
        for branch in [was, is].into_iter().flat_map(direct_branches) {
            for name in branch.properties.keys() {
                if names.len() < MAX_FIELDS && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        for name in names {
            let [Some(before), Some(after)] =
                [(old, was), (new, is)].map(|(schema, demanded)| projected(schema, demanded, name))
            else {
                continue;
            };
            let found = self.candidates_at(&before, &after, depth);
            if found.end == End::GaveUp {
                end = End::GaveUp;
            }
            for value in found.values {
                let mut more = map.clone();
                more.insert(Arc::clone(name), entry(value));
                values.push(map_value(more));
            }
        }
        end
    }

    /// An object with so many fields.
    fn object_of(&self, schema: &Structural, count: i64) -> Option<Value> {
        if &*schema.generic.type_name != "object" {
            return None;
        }
        let mut demanded = schema.value_validation.as_deref().cloned().unwrap_or_default();
        demanded.min_properties = Some(count);
        self.object(schema, &demanded, &[], MAX_DEPTH)
    }
}

fn direct_branches(demanded: &ValueValidation) -> impl Iterator<Item = &NestedValueValidation> {
    let lists = demanded.all_of.iter().chain(&demanded.any_of).chain(&demanded.one_of);
    lists.chain(demanded.not.as_deref())
}

/// The schema of a field with what the branches around it say about the field.
fn projected(schema: &Structural, demanded: &ValueValidation, name: &Arc<str>) -> Option<Structural> {
    let mut field = schema.property(name)?.clone();
    let of = |branches: &[NestedValueValidation]| -> Vec<NestedValueValidation> {
        branches.iter().filter_map(|branch| branch.properties.get(name).map(|own| (**own).clone())).collect()
    };
    let around = ValueValidation {
        all_of: of(&demanded.all_of),
        any_of: of(&demanded.any_of),
        one_of: of(&demanded.one_of),
        not: demanded.not.as_deref().and_then(|not| not.properties.get(name)).cloned(),
        ..ValueValidation::default()
    };
    field.value_validation.get_or_insert_default().all_of.push(around.into());
    Some(field)
}

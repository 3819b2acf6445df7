//! Whether a choice or a branch was there before, found in one step: two definitions may each have a hundred thousand.

use std::cell::Cell;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use trueline_yaml::{Data, Value};

use crate::props::OrBool;
use crate::structural::{NestedValueValidation, ValueValidation};

/// Choices of `enum`.
#[derive(Debug)]
pub(super) struct KnownChoices<'v>(FxHashSet<ChoiceKey<'v>>);

#[derive(Debug, PartialEq, Eq, Hash)]
enum ChoiceKey<'v> {
    Text(&'v str),
    Whole(i128),
    /// Any other number by its bits, and anything else as JSON.
    Bits(u64),
    Json(String),
}

impl<'v> ChoiceKey<'v> {
    fn of(choice: &'v Value) -> Self {
        match &choice.data {
            Data::String(text) => ChoiceKey::Text(text),
            Data::Int(number) => ChoiceKey::Whole(i128::from(*number)),
            Data::UInt(number) => ChoiceKey::Whole(i128::from(*number)),
            Data::Float(number) if number.fract() == 0.0 && number.abs() < 2e19 => {
                ChoiceKey::Whole(*number as i128)
            }
            Data::Float(number) => ChoiceKey::Bits(number.to_bits()),
            _ => ChoiceKey::Json(choice.to_json_text().unwrap_or_default()),
        }
    }
}

impl<'v> KnownChoices<'v> {
    pub(super) fn new(choices: &'v [Value]) -> Self {
        KnownChoices(choices.iter().map(ChoiceKey::of).collect())
    }

    pub(super) fn have(&self, choice: &Value) -> bool {
        self.0.contains(&ChoiceKey::of(choice))
    }
}

/// Branches of `allOf`, `anyOf` or `oneOf`.
#[derive(Debug)]
pub(super) struct KnownBranches<'b> {
    by_fingerprint: FxHashMap<u64, Vec<&'b NestedValueValidation>>,
    /// How often two branches were compared in full.
    compared: Cell<usize>,
}

impl<'b> KnownBranches<'b> {
    pub(super) fn new(branches: &'b [NestedValueValidation]) -> Self {
        let mut by_fingerprint: FxHashMap<u64, Vec<&NestedValueValidation>> = FxHashMap::default();
        for branch in branches {
            let equal = by_fingerprint.entry(fingerprint(branch)).or_default();
            // A branch that is repeated is known already.
            if !equal.contains(&branch) {
                equal.push(branch);
            }
        }
        KnownBranches { by_fingerprint, compared: Cell::new(0) }
    }

    pub(super) fn have(&self, branch: &NestedValueValidation) -> bool {
        let equal = self.by_fingerprint.get(&fingerprint(branch)).map(Vec::as_slice).unwrap_or_default();
        equal.iter().any(|known| {
            self.compared.set(self.compared.get() + 1);
            *known == branch
        })
    }
}

/// The same number for equal branches, and nearly always another for others.
fn fingerprint(branch: &NestedValueValidation) -> u64 {
    let mut hasher = FxHasher::default();
    hash_branch(branch, &mut hasher);
    hasher.finish()
}

fn hash_branch(branch: &NestedValueValidation, hasher: &mut FxHasher) {
    hash_demands(&branch.value_validation, hasher);
    (&branch.forbidden_generic.type_name, &branch.forbidden_generic.description).hash(hasher);
    branch.rules.iter().for_each(|rule| rule.rule.hash(hasher));
    if let Some(items) = &branch.items {
        hash_branch(items, hasher);
    }
    for (name, property) in &branch.properties {
        name.hash(hasher);
        hash_branch(property, hasher);
    }
    if let Some(OrBool::Schema(additional)) = branch.additional_properties.as_deref() {
        hash_branch(additional, hasher);
    }
}

fn hash_demands(demands: &ValueValidation, hasher: &mut FxHasher) {
    // Zero has two signs and is one number.
    let number = |number: Option<f64>| number.map(|number| if number == 0.0 { 0 } else { number.to_bits() });
    [number(demands.maximum), number(demands.minimum), number(demands.multiple_of)].hash(hasher);
    [demands.exclusive_maximum, demands.exclusive_minimum, demands.unique_items].hash(hasher);
    [demands.max_length, demands.min_length, demands.max_items, demands.min_items].hash(hasher);
    [demands.max_properties, demands.min_properties].hash(hasher);
    (&demands.format, &demands.pattern, &demands.required).hash(hasher);
    demands.choices.len().hash(hasher);
    for choice in &demands.choices {
        match &choice.data {
            Data::String(text) => text.hash(hasher),
            // Equal numbers are the same as floats, however they were written.
            Data::Int(whole) => number(Some(*whole as f64)).hash(hasher),
            Data::UInt(whole) => number(Some(*whole as f64)).hash(hasher),
            Data::Float(float) => number(Some(*float)).hash(hasher),
            _ => {}
        }
    }
    for list in [&demands.all_of, &demands.any_of, &demands.one_of] {
        list.len().hash(hasher);
        list.iter().for_each(|branch| hash_branch(branch, hasher));
    }
    if let Some(not) = &demands.not {
        hash_branch(not, hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branches(count: usize) -> Vec<NestedValueValidation> {
        let branch = |number| NestedValueValidation {
            value_validation: ValueValidation {
                pattern: format!("^{number}$").into(),
                maximum: Some(0.0),
                ..ValueValidation::default()
            },
            ..NestedValueValidation::default()
        };
        (0..count).map(branch).collect()
    }

    #[test]
    fn choices_are_known_by_their_value() {
        let all: Vec<Value> = ["1", "\"1\"", "2.5", "{\"a\": [1]}", "null"]
            .iter()
            .map(|text| Value::from_json_text(text).unwrap())
            .collect();
        let known = KnownChoices::new(&all);
        for (text, is_known) in
            [("1.0", true), ("1.5", false), ("{\"a\": [1]}", true), ("\"2.5\"", false), ("null", true)]
        {
            assert_eq!(known.have(&Value::from_json_text(text).unwrap()), is_known, "{text}");
        }
    }

    /// Twice the branches are twice the comparisons.
    #[test]
    fn branches_are_compared_with_few_others() {
        let compared = |count: usize| {
            let (old, mut new) = (branches(count), branches(count));
            new.reverse();
            let known = KnownBranches::new(&old);
            assert!(new.iter().all(|branch| known.have(branch)));
            known.compared.get()
        };
        assert!(compared(400) <= 2 * compared(200), "{} and {}", compared(400), compared(200));
        let known = branches(3);
        let known = KnownBranches::new(&known);
        assert!(!known.have(&branches(4)[3]));
        let minus =
            ValueValidation { maximum: Some(-0.0), pattern: "^1$".into(), ..ValueValidation::default() };
        assert!(known.have(&minus.into()), "zero has two signs");
    }
}

//! How much of a device's capacity can be asked for, where several claims share it: some amounts, or a range.

use std::collections::BTreeSet;

use trueline_apimachinery::quantity::Quantity;
use trueline_kube_facts::{FieldError, go_quoted, rules};

use super::Context;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A policy for requests of capacity has no default.
    NO_DEFAULT: Required, "device/no-default", "required when {} is defined";
    /// A policy for requests of capacity has both a list of values and a range.
    TWO_POLICIES: Forbidden, "device/two-policies",
        "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the same time";
    /// The values of a capacity are not in ascending order.
    UNSORTED_VALUES: Invalid, "device/unsorted-values", "values must be sorted in ascending order";
    /// An option is larger than the capacity.
    OPTION_TOO_LARGE: Invalid, "device/option-too-large", "option is larger than capacity value: {}";
    /// An option of a capacity is listed twice.
    DUPLICATE_OPTION: Duplicate, "device/duplicate-option";
    /// The default is not among the values of a capacity.
    DEFAULT_NOT_AN_OPTION: Invalid, "device/default-not-an-option",
        "default value is not valid according to the requestPolicy";
    /// A range of a capacity has no minimum.
    NO_MINIMUM: Required, "device/no-minimum", "required when validRange is defined";
    /// A range of a capacity does not fit together.
    RANGE: Invalid, "device/range", "{}";
}

const MOST_VALUES: usize = 10;

/// Checks the policy of one capacity.
pub(super) fn check(capacity: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (most, policy) = (capacity.child("value"), capacity.child("requestPolicy"));
    let (values, range) = (policy.child("validValues"), policy.child("validRange"));
    let default = policy.child("default");
    let missing = |field: &str, report: &mut Report| {
        report.refuse(&default, NO_DEFAULT.with(field));
    };
    match (values.count() > 0, range.is_absent()) {
        (true, false) => report.refuse(&policy, &TWO_POLICIES),
        (true, true) if default.is_absent() => missing("validValues", report),
        (true, true) => some_values(&values, &default, &most, report),
        (false, false) if default.is_absent() => missing("validRange", report),
        (false, false) => one_range(&range, &default, &most, context, report),
        (false, true) => {}
    }
}

/// Amounts in order, none above the capacity, and the default among them.
fn some_values(
    values: &FieldPlace<'_, '_>,
    default: &FieldPlace<'_, '_>,
    most: &FieldPlace<'_, '_>,
    report: &mut Report,
) {
    let mut before = None;
    for value in values.items() {
        let size = value.quantity();
        if before > size && size.is_some() {
            report.refuse(&value, &UNSORTED_VALUES);
        }
        before = size;
    }
    if values.count() > MOST_VALUES {
        report.too_many(values, MOST_VALUES);
    } else {
        let mut taken = BTreeSet::new();
        for value in values.items() {
            let Some(size) = value.quantity() else { continue };
            if most.quantity().is_some_and(|most| size > most) {
                report.refuse(&value, OPTION_TOO_LARGE.with(most.amount()));
            }
            if !taken.insert(size) {
                report.refuse(&value, &DUPLICATE_OPTION);
            }
        }
        if default.quantity().is_none_or(|default| taken.contains(&default)) {
            return;
        }
    }
    let error = FieldError::new(&DEFAULT_NOT_AN_OPTION, values.path(), None);
    report.refused(default, error.with_value(go_quoted(&default.amount())));
}

/// A range within the capacity, with the default inside, and steps that lead to its ends.
fn one_range(
    range: &FieldPlace<'_, '_>,
    default: &FieldPlace<'_, '_>,
    most: &FieldPlace<'_, '_>,
    context: &Context<'_>,
    report: &mut Report,
) {
    let (min, max, step) = (range.child("min"), range.child("max"), range.child("step"));
    if min.is_absent() {
        return report.refuse(&min, &NO_MINIMUM);
    }
    // Newer servers name the default rather than the end of the range.
    let named = |end: &'static str| if context.version.minor >= 37 { "default" } else { end };
    let larger = |left: &FieldPlace<'_, '_>, right: &FieldPlace<'_, '_>| {
        left.quantity().zip(right.quantity()).is_some_and(|(left, right)| left > right)
    };
    let mut told = |field: &'static str, value: &FieldPlace<'_, '_>, words: String| {
        report.refuse(&range.child(field).at(value), RANGE.with(words));
    };
    let capacity = most.amount();
    if larger(&min, most) {
        told("min", &min, format!("min is larger than capacity value: {capacity}"));
    }
    if larger(&min, default) {
        told(named("min"), default, format!("default is less than min: {}", min.amount()));
    }
    if larger(&min, &max) {
        told("max", &min, format!("min is larger than max: {}", max.amount()));
    }
    if larger(&max, most) {
        told("max", &max, format!("max is larger than capacity value: {capacity}"));
    }
    if larger(default, &max) {
        told(named("max"), default, format!("default is more than max: {}", max.amount()));
    }
    let (Some(first), Some(size)) = (min.quantity(), step.quantity()) else { return };
    if size <= Quantity::from_integer(0) {
        return told("step", &step, "must be greater than zero".to_owned());
    }
    let next = first.plus(size);
    if most.quantity().is_some_and(|most| next > most) {
        let sum = next.written(min.notation());
        told("step", &step, format!("one step {sum} is larger than capacity value: {capacity}"));
    }
    for place in [default, &max] {
        // What is not an integer is rounded, and not by all versions in the same way.
        if size.is_whole() && place.quantity().is_some_and(|value| !value.minus(first).is_multiple_of(size)) {
            let (step, min) = (step.amount(), min.amount());
            told("step", place, format!("value is not a multiple of a given step ({step}) from ({min})"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn policies_of_capacities() {
        let frame = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: d.io, pool: {name: p, resourceSliceCount: 1}, allNodes: true, devices: [{name: d, allowMultipleAllocations: true, capacity: {memory: {value: 8Gi, requestPolicy: {{}}}}}]}\n";
        let bench = Bench::of(36);
        bench.accepts_all(
            frame,
            &[
                "default: 1Gi, validValues: [1Gi, 2Gi]",
                "default: 2Gi, validRange: {min: 1Gi, max: 4Gi, step: 1Gi}",
            ],
        );
        let path = "spec.devices[0].capacity[memory].requestPolicy";
        for (policy, error) in [
            (
                "default: 1Gi, validValues: [1Gi], validRange: {min: 1Gi}",
                ": Forbidden: exactly one policy can be specified",
            ),
            ("validValues: [1Gi]", ".default: Required value: required when validValues is defined"),
            (
                "default: 1Gi, validValues: [2Gi, 1Gi]",
                ".validValues[1]: Invalid value: \"1Gi\": values must be sorted in ascending order",
            ),
            (
                "default: 1Gi, validValues: [1Gi, 9Gi]",
                ".validValues[1]: Invalid value: \"9Gi\": option is larger than capacity value: 8Gi",
            ),
            (
                "default: 3Gi, validValues: [1Gi, 2Gi]",
                ".validValues: Invalid value: \"3Gi\": default value is not valid according to the requestPolicy",
            ),
            (
                "default: 1Gi, validRange: {max: 2Gi}",
                ".validRange.min: Required value: required when validRange is defined",
            ),
            (
                "default: 1Gi, validRange: {min: 2Gi}",
                ".validRange.min: Invalid value: \"1Gi\": default is less than min: 2Gi",
            ),
            (
                "default: 1Gi, validRange: {min: 1Gi, max: 9Gi}",
                ".validRange.max: Invalid value: \"9Gi\": max is larger than capacity value: 8Gi",
            ),
            (
                "default: 3Gi, validRange: {min: 1Gi, step: 3Gi}",
                ".validRange.step: Invalid value: \"3Gi\": value is not a multiple of a given step (3Gi) from (1Gi)",
            ),
        ] {
            bench.refuses(&frame.replace("{}", policy), &[&format!("{path}{error}")]);
        }
        let single = frame.replace("allowMultipleAllocations: true, ", "").replace("{}", "default: 1Gi");
        bench.refuses(&single, &[&format!("{path}: Forbidden: allowMultipleAllocations must be true")]);
        Bench::of(35).accepts(&single);
    }
}

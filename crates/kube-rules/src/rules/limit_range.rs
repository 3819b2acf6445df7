//! Limit ranges: what each type may say, and amounts that fit together.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use trueline_apimachinery::quantity::Quantity;
use trueline_kube_facts::{FieldPath, names, rules};

use super::{Context, resources};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A type of limits is neither known nor qualified.
    TYPE: Invalid, "limit-range/type", "must be a standard limit type or fully qualified";
    /// A type has limits twice.
    DUPLICATE_TYPE: Duplicate, "limit-range/duplicate-type";
    /// Defaults are set for whole pods.
    DEFAULTS_FOR_PODS: Forbidden, "limit-range/defaults-for-pods", "may not be specified when `type` is 'Pod'";
    /// Limits of volume claims have neither a minimum nor a maximum.
    NO_STORAGE: Required, "limit-range/no-storage",
        "either minimum or maximum storage value is required, but neither was provided";
    /// Limits of a resource do not fit together.
    ORDER: Invalid, "limit-range/order", "{} {} is greater than {} {}";
    /// Defaults of a resource do not fit together.
    DEFAULT_ORDER: Invalid, "limit-range/default-order",
        "default value {} must equal to defaultRequest value {} in {}";
    /// A ratio is below one.
    RATIO_BELOW_ONE: Invalid, "limit-range/ratio-below-one", "ratio {} is less than 1";
    /// A ratio does not fit the minimum and the maximum.
    RATIO: Invalid, "limit-range/ratio", "{}";
}

/// Checks `core.LimitRangeSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for limit in spec.child("limits").items() {
        let kind = limit.child("type");
        if let Some(text) = kind.text() {
            let complaints = names::qualified_name(text);
            let is_known =
                matches!(text, "Pod" | "Container" | "PersistentVolumeClaim") || text.contains('/');
            if complaints.is_empty() && !is_known {
                report.refuse(&kind, &TYPE);
            }
            report.complain(&kind, complaints);
            if !taken.insert(text) {
                report.refuse(&kind, &DUPLICATE_TYPE);
            }
        }
        item(&limit, report);
    }
}

/// Amounts by the names of resources.
type Amounts<'p, 'd> = BTreeMap<Cow<'d, str>, FieldPlace<'p, 'd>>;

fn item(limit: &FieldPlace<'_, '_>, report: &mut Report) {
    let kind = limit.child("type").text().unwrap_or_default();
    let lists =
        ["min", "max", "default", "defaultRequest", "maxLimitRequestRatio"].map(|name| limit.child(name));
    let [least, most, default, request, ratio] = &lists;
    let [leasts, mosts, mut defaults, mut requests, ratios] =
        lists.each_ref().map(|list| -> Amounts<'_, '_> {
            let is_forbidden = kind == "Pod" && matches!(&*list.last_name(), "default" | "defaultRequest");
            if is_forbidden && !list.is_empty() {
                report.refuse(list, &DEFAULTS_FOR_PODS);
            }
            list.entries().filter(|_| !is_forbidden).collect()
        });
    if kind == "Container" {
        // What is not said is filled in, from what is at most to what is asked for.
        fill(&mut defaults, &mosts);
        fill(&mut requests, &defaults);
        fill(&mut requests, &leasts);
    }
    let check_name = if matches!(kind, "Pod" | "Container") { resources::name } else { resources::any_name };
    let all =
        [(most, &mosts), (least, &leasts), (default, &defaults), (request, &requests), (ratio, &ratios)];
    for (list, amounts) in all {
        for (name, amount) in amounts {
            let mut found = Report::default();
            check_name(name, amount, &mut found);
            if !found.problems.is_empty() {
                report.adopt(found, &amount.path(), &named(list, name));
            }
        }
    }
    if kind == "PersistentVolumeClaim" && [&leasts, &mosts].iter().all(|list| !list.contains_key("storage")) {
        report.refuse(&limit.child("limits"), &NO_STORAGE);
    }
    for (small, large, list, small_words, large_words) in [
        (&leasts, &mosts, least, "min value", "max value"),
        (&leasts, &requests, request, "min value", "default request value"),
        (&requests, &mosts, request, "default request value", "max value"),
        (&requests, &defaults, request, "default request value", "default limit value"),
        (&leasts, &defaults, default, "min value", "default value"),
        (&defaults, &mosts, default, "default value", "max value"),
    ] {
        for (name, amount) in small {
            let Some(other) = large.get(name) else { continue };
            if amount.quantity().zip(other.quantity()).is_some_and(|(size, other)| size > other) {
                let (size, other) = (amount.amount(), other.amount());
                let breach = ORDER.with(small_words).and(size).and(large_words).and(other);
                report.refuse_at(named(list, name), amount, breach);
            }
        }
    }
    for (name, amount) in &ratios {
        let of = |amounts: &Amounts<'_, '_>| amounts.get(name).and_then(FieldPlace::quantity);
        check_ratio(amount, of(&leasts).zip(of(&mosts)), report);
    }
    for (name, amount) in &requests {
        let Some(other) = defaults.get(name) else { continue };
        let is_other = amount.quantity().zip(other.quantity()).is_some_and(|(left, right)| left != right);
        if is_other && !resources::is_overcommittable(name) {
            report.refuse_at(
                named(request, name),
                amount,
                DEFAULT_ORDER.with(other.amount()).and(amount.amount()).and(name),
            );
        }
    }
}

/// Takes over what is missing.
fn fill<'p, 'd>(amounts: &mut Amounts<'p, 'd>, others: &Amounts<'p, 'd>) {
    for (name, amount) in others {
        amounts.entry(name.clone()).or_insert(*amount);
    }
}

/// The path of an amount in the list that the server has it in.
fn named(list: &FieldPlace<'_, '_>, name: &str) -> FieldPath {
    list.path().key(name)
}

/// How much more than it asks for something may have: at least once, and no more than fits between least and most.
fn check_ratio(ratio: &FieldPlace<'_, '_>, limits: Option<(Quantity, Quantity)>, report: &mut Report) {
    let Some(size) = ratio.quantity() else { return };
    if size < Quantity::from_integer(1) {
        report.refuse(ratio, RATIO_BELOW_ONE.with(ratio.amount()));
    }
    if let Some((least, most)) = limits {
        let largest = most.thousandths() as f64 / least.thousandths() as f64;
        if size.thousandths() as f64 / 1000.0 > largest {
            let words = format!("ratio {} is greater than max/min = {largest:.6}", ratio.amount());
            report.refuse(ratio, RATIO.with(words));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn limit_ranges() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: [{{}}]}\n";
        bench.accepts_all(
            frame,
            &[
                "type: Container, max: {cpu: 1}, min: {cpu: 100m}",
                "type: Container, default: {cpu: 1}, defaultRequest: {cpu: 1}",
                "type: PersistentVolumeClaim, max: {storage: 1Gi}",
                "type: Pod, max: {memory: 1Gi}",
                "type: Pod, max: {cpu: 2}, min: {cpu: 1}, maxLimitRequestRatio: {cpu: 2}",
                "type: Pod, max: {cpu: 2}, min: {cpu: 0}, maxLimitRequestRatio: {cpu: 100}",
                "type: openshift.io/Image, max: {storage: 1Gi}",
                "type: Container, default: {nvidia.com/gpu: 1}, defaultRequest: {nvidia.com/gpu: 1}",
            ],
        );
        bench.accepts("apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: null}\n");
        bench.refuses_all(frame, &[
            ("type: Containers", "spec.limits[0].type: Invalid value: \"Containers\": must be a standard limit type or fully qualified"),
            ("type: Pod, max: {cpu: 0.5}, min: {cpu: 1}", "spec.limits[0].min[cpu]: Invalid value: 1: min value 1 is greater than max value 500m"),
            ("type: Pod, default: {cpu: 1}", "spec.limits[0].default: Forbidden"),
            ("type: Pod, defaultRequest: {cpu: 9}, max: {cpu: 1}", "spec.limits[0].defaultRequest: Forbidden"),
            ("type: Pod, maxLimitRequestRatio: {cpu: 500m}", "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"500m\": ratio 500m is less than 1"),
            ("type: Pod, max: {cpu: 2}, min: {cpu: 1}, maxLimitRequestRatio: {cpu: 3}", "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: 3: ratio 3 is greater than max/min = 2.000000"),
            ("type: PersistentVolumeClaim", "spec.limits[0].limits: Required value"),
            ("type: Pod, max: {storage: 1Gi}", "spec.limits[0].max[storage]: Invalid value: \"storage\": must be a standard resource for containers"),
            ("type: PersistentVolumeClaim, max: {storage: 1Gi, size: 1}", "spec.limits[0].max[size]: Invalid value: \"size\": must be a standard resource type or fully qualified"),
            ("type: Container, default: {nvidia.com/gpu: 2}, defaultRequest: {nvidia.com/gpu: 1}", "spec.limits[0].defaultRequest[nvidia.com/gpu]: Invalid value: 1: default value 2 must equal to defaultRequest value 1 in nvidia.com/gpu"),
            ("type: Container, default: {cpu: 1}, defaultRequest: {cpu: 2}", "spec.limits[0].defaultRequest[cpu]: Invalid value: 2: default request value 2 is greater than default limit value 1"),
        ]);
    }

    #[test]
    fn what_is_not_said_of_containers_is_filled_in() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: [{type: Container, {}}]}\n";
        let place = |part: &str| format!("spec.limits[0].{part}");
        bench.refuses(
            &frame.replace("{}", "max: {cpu: 1}, min: {cpu: 2}"),
            &[
                &place("min[cpu]: Invalid value: 2: min value 2 is greater than max value 1"),
                &place("defaultRequest[cpu]: Invalid value: 2: min value 2 is greater than default request value 1"),
                &place("default[cpu]: Invalid value: 2: min value 2 is greater than default value 1"),
            ],
        );
        let words = "Invalid value: \"storage\": must be a standard resource for containers";
        bench.refuses(
            &frame.replace("{}", "max: {storage: 1Gi}"),
            &["max", "default", "defaultRequest"]
                .map(|list| place(&format!("{list}[storage]: {words}")))
                .each_ref()
                .map(String::as_str),
        );
        bench.refuses(
            &frame.replace("{}", "min: {storage: 1Gi}"),
            &["min", "defaultRequest"]
                .map(|list| place(&format!("{list}[storage]: {words}")))
                .each_ref()
                .map(String::as_str),
        );
    }
}

//! Limit ranges: what each type may say, and amounts that fit together.

use std::collections::BTreeSet;

use super::{Context, resources};
use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use crate::names;
use crate::quantity::Quantity;

/// Checks `core.LimitRangeSpec`.
pub(super) fn check(spec: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for limit in spec.child("limits").items() {
        let kind = limit.child("type");
        if let Some(text) = kind.text() {
            let complaints = names::qualified_name(text);
            let is_known =
                matches!(text, "Pod" | "Container" | "PersistentVolumeClaim") || text.contains('/');
            if complaints.is_empty() && !is_known {
                report.invalid(&kind, "must be a standard limit type or fully qualified");
            }
            report.complain(&kind, complaints);
            if !taken.insert(text) {
                report.duplicate(&kind);
            }
        }
        item(&limit, report);
    }
}

fn item(limit: &Place<'_, '_>, report: &mut Report) {
    let kind = limit.child("type").text().unwrap_or_default();
    let (least, most) = (limit.child("min"), limit.child("max"));
    let (default, request) = (limit.child("default"), limit.child("defaultRequest"));
    let ratios = limit.child("maxLimitRequestRatio");
    let check_name = if matches!(kind, "Pod" | "Container") { resources::name } else { resources::any_name };
    for list in [&most, &least, &default, &request, &ratios] {
        let is_forbidden = kind == "Pod" && matches!(&*list.last_name(), "default" | "defaultRequest");
        if !is_forbidden {
            list.entries().for_each(|(name, amount)| check_name(&name, &amount, report));
        } else if !list.is_empty() {
            report.forbidden(list, "may not be specified when `type` is 'Pod'");
        }
    }
    if kind == "PersistentVolumeClaim" && [&least, &most].iter().all(|list| list.child("storage").is_absent())
    {
        report.required(
            &limit.child("limits"),
            "either minimum or maximum storage value is required, but neither was provided",
        );
    }
    let pairs = [
        (&least, &most, &least, "min value", "max value"),
        (&least, &request, &request, "min value", "default request value"),
        (&request, &most, &request, "default request value", "max value"),
        (&request, &default, &request, "default request value", "default limit value"),
        (&least, &default, &default, "min value", "default value"),
        (&default, &most, &default, "default value", "max value"),
    ];
    let is_pod = kind == "Pod";
    for (small, large, named, small_words, large_words) in pairs {
        if is_pod && !matches!((&*small.last_name(), &*large.last_name()), ("min", "max")) {
            continue;
        }
        for (name, amount) in small.entries() {
            let Some(other) = large.entry(&name) else { continue };
            let (Some(size), Some(other_size)) = (amount.quantity(), other.quantity()) else { continue };
            if size > other_size {
                let (amount_text, other_text) = (amount.amount(), other.amount());
                let words = format!("{small_words} {amount_text} is greater than {large_words} {other_text}");
                report.invalid_at(format!("{}[{name}]", named.path()), &amount, &words);
            }
        }
    }
    for (name, ratio) in ratios.entries() {
        let Some(size) = ratio.quantity() else { continue };
        if size < Quantity::from_integer(1) {
            report.invalid(&ratio, format!("ratio {} is less than 1", ratio.amount()));
        }
        let of = |list: &Place<'_, '_>| list.entry(&name).and_then(|amount| amount.quantity());
        if let (Some(min), Some(max)) = (of(&least), of(&most)) {
            let largest = max.thousandths() as f64 / min.thousandths() as f64;
            if size.thousandths() as f64 / 1000.0 > largest {
                let words = format!("ratio {} is greater than max/min = {largest:.6}", ratio.amount());
                report.invalid(&ratio, words);
            }
        }
    }
    for (name, amount) in request.entries().filter(|_| !is_pod) {
        let Some(other) = default.entry(&name) else { continue };
        let is_other = amount.quantity().zip(other.quantity()).is_some_and(|(left, right)| left != right);
        if is_other && !resources::is_overcommittable(&name) {
            let words = format!(
                "default value {} must equal to defaultRequest value {} in {name}",
                other.amount(),
                amount.amount()
            );
            report.invalid(&amount, words);
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
            ("type: Container, max: {cpu: 1}, min: {cpu: 2}", "spec.limits[0].min[cpu]: Invalid value: 2: min value 2 is greater than max value 1"),
            ("type: Container, max: {cpu: 0.5}, min: {cpu: 1}", "spec.limits[0].min[cpu]: Invalid value: 1: min value 1 is greater than max value 500m"),
            ("type: Pod, default: {cpu: 1}", "spec.limits[0].default: Forbidden"),
            ("type: Pod, defaultRequest: {cpu: 9}, max: {cpu: 1}", "spec.limits[0].defaultRequest: Forbidden"),
            ("type: Pod, maxLimitRequestRatio: {cpu: 500m}", "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"500m\": ratio 500m is less than 1"),
            ("type: Pod, max: {cpu: 2}, min: {cpu: 1}, maxLimitRequestRatio: {cpu: 3}", "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: 3: ratio 3 is greater than max/min = 2.000000"),
            ("type: PersistentVolumeClaim", "spec.limits[0].limits: Required value"),
            ("type: Container, max: {storage: 1Gi}", "spec.limits[0].max[storage]: Invalid value: \"storage\": must be a standard resource for containers"),
            ("type: PersistentVolumeClaim, max: {storage: 1Gi, size: 1}", "spec.limits[0].max[size]: Invalid value: \"size\": must be a standard resource type or fully qualified"),
            ("type: Container, default: {nvidia.com/gpu: 2}, defaultRequest: {nvidia.com/gpu: 1}", "spec.limits[0].defaultRequest[nvidia.com/gpu]: Invalid value: 1: default value 2 must equal to defaultRequest value 1 in nvidia.com/gpu"),
            ("type: Container, default: {cpu: 1}, defaultRequest: {cpu: 2}", "spec.limits[0].defaultRequest[cpu]: Invalid value: 2: default request value 2 is greater than default limit value 1"),
        ]);
    }
}

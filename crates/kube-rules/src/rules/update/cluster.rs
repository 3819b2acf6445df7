//! Nodes, their drivers, and ranges of services: what was given out stays as it is.

use trueline_kube_api::Type;
use trueline_kube_facts::{FieldPath, common, rules};

use super::applied::Applied;
use super::compare::{Comparison, Ignored};
use super::{Change, Update, at};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// The provider id of a node cannot be changed.
    PROVIDER: Forbidden, "node/provider-changed", "node updates may not change providerID except from \"\" to valid";
    /// The provider id of a node cannot be removed.
    PROVIDER_CLEARED: Invalid, "node/provider-cleared", "field cannot be cleared once set";
    /// The provider id of a node cannot be changed.
    PROVIDER_MODIFIED: Invalid, "node/provider-modified", "field cannot be modified once set";
    /// The ranges of addresses of a node cannot be changed.
    RANGES_CHANGED: Forbidden, "node/ranges-changed", "node updates may not change podCIDR except from \"\" to valid";
}

/// Since this version a second range may be added.
const MAY_GROW: u16 = 33;

/// Checks the update of a ServiceCIDR.
pub(super) fn check_ranges(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    at(new, old, &["spec", "cidrs"], &mut |ranges, old_ranges| {
        if update.leaves(ranges, &["spec", "cidrs"]) {
            return;
        }
        let texts = |place: &FieldPlace<'_, '_>| -> Vec<String> {
            place.items().map(|item| item.text().unwrap_or_default().to_owned()).collect()
        };
        if texts(ranges) == texts(old_ranges) {
            return;
        }
        let (count, before) = (ranges.count(), old_ranges.count());
        if update.version().minor < MAY_GROW || (count != before && (count, before) != (2, 1)) {
            return report.changed(
                FieldPath::of("spec.cidrs"),
                &common::IMMUTABLE,
                Change::of(ranges, old_ranges),
            );
        }
        for (range, old_range) in ranges.items().zip(old_ranges.items()) {
            if range.text() != old_range.text() {
                let change = Change::of(&range, &old_range);
                report.changed(range.path(), &common::IMMUTABLE, change);
            }
        }
    });
}

/// Checks the update of a Node.
pub(super) fn check_node(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    at(new, old, &["spec"], &mut |spec, old_spec| {
        let (ranges, old_ranges) = (ranges_of(spec), ranges_of(old_spec));
        let is_kept =
            ranges.is_empty() && update.keeps(&["spec", "podCIDRs"]) && update.keeps(&["spec", "podCIDR"]);
        if !old_ranges.is_empty() && !is_kept && ranges != old_ranges {
            let change = Change::of(&typed_ranges(spec), &typed_ranges(old_spec));
            report.changed(FieldPath::of("spec.podCIDRs"), &RANGES_CHANGED, change);
        }
        let (provider, old_provider) = (spec.child("providerID"), old_spec.child("providerID"));
        let is_kept = update.leaves(&provider, &["spec", "providerID"]);
        if old_provider.full_text().is_some() && !is_kept && provider.text() != old_provider.text() {
            let rule = match update.version().minor {
                ..37 => &PROVIDER,
                _ if provider.is_empty() => &PROVIDER_CLEARED,
                _ => &PROVIDER_MODIFIED,
            };
            let change = Change { value: None, ..Change::of(&provider, &old_provider) };
            report.changed(FieldPath::of("spec.providerID"), rule, change);
        }
    });
}

/// Since this version, how many volumes a driver takes may change.
const MAY_TAKE_MORE: u16 = 35;

/// Checks the update of a CSINode: drivers come and go, but stay what they are.
pub(super) fn check_drivers(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    let Some(Type::List(items, _)) = update.type_of(&["spec", "drivers"]) else { return };
    let ignored: Ignored = match update.version().minor {
        MAY_TAKE_MORE.. => &[("storage.CSINodeDriver", "allocatable")],
        _ => &[],
    };
    at(new, old, &["spec", "drivers"], &mut |drivers, old_drivers| {
        for driver in drivers.items() {
            let name = driver.child("name").full_text();
            for before in old_drivers.items().filter(|before| before.child("name").full_text() == name) {
                let mut comparison = Comparison::of(update, update.removed(), ignored);
                comparison.value(&driver, &before, Applied::default(), update.api.r#type(*items));
                if let Some(change) = Change::joined(comparison.found()) {
                    // The server shows all of the driver.
                    let change = Change { value: None, ..change };
                    report.changed(FieldPath::of("spec.drivers"), &common::IMMUTABLE, change);
                }
            }
        }
    });
}

/// The ranges of a node: the single one counts more than a list that begins with another.
fn ranges_of(spec: &FieldPlace<'_, '_>) -> Vec<String> {
    let ranges = spec.child("podCIDRs");
    let list: Vec<String> = ranges.items().map(|item| item.text().unwrap_or_default().to_owned()).collect();
    match spec.child("podCIDR").full_text() {
        Some(single) if list.first().is_none_or(|first| first != single) => vec![single.to_owned()],
        _ => list,
    }
}

/// Where the ranges of a node were typed.
fn typed_ranges<'p, 'd>(spec: &'p FieldPlace<'p, 'd>) -> FieldPlace<'p, 'd> {
    let ranges = spec.child("podCIDRs");
    if ranges.is_absent() { spec.child("podCIDR") } else { ranges }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn ranges_of_services() {
        let object = |ranges: &str| {
            format!(
                "apiVersion: networking.k8s.io/v1\nkind: ServiceCIDR\nmetadata: {{name: s}}\nspec: {{cidrs: [{ranges}]}}\n"
            )
        };
        let bench = Bench::new();
        let old = object("10.0.0.0/16");
        bench.updates(&old, &old, &[]);
        bench.updates(&old, &object("10.0.0.0/16, 'fd00::/112'"), &[]);
        bench.updates_with(
            &old,
            &object("10.1.0.0/16"),
            "spec.cidrs[0]: Invalid value: \"10.1.0.0/16\": field is immutable",
        );
        bench.updates_with(
            &object("10.0.0.0/16, 'fd00::/112'"),
            &old,
            "spec.cidrs: Invalid value: field is immutable",
        );
    }

    #[test]
    fn nodes() {
        let object =
            |spec: &str| format!("apiVersion: v1\nkind: Node\nmetadata: {{name: nn}}\nspec: {{{spec}}}\n");
        let bench = Bench::new();
        let old = object("podCIDR: 10.0.0.0/24, podCIDRs: [10.0.0.0/24], providerID: a");
        bench.updates(&old, &old, &[]);
        bench.updates(&object(""), &old, &[]);
        bench.updates(&old, &object("podCIDR: 10.0.0.0/24, providerID: a, unschedulable: true"), &[]);
        bench.updates_with(
            &old,
            &object("podCIDRs: [10.0.1.0/24], providerID: a"),
            "spec.podCIDRs: Forbidden: node updates may not change podCIDR except from \"\" to valid",
        );
        bench.updates_with(
            &old,
            &object("podCIDR: 10.0.0.0/24, providerID: b"),
            "spec.providerID: Forbidden: node updates may not change providerID except from \"\" to valid",
        );
        bench.updates_with(
            &old,
            &object("podCIDR: 10.0.0.0/24, providerID: a, externalID: e"),
            "spec.externalID: Forbidden: may not be updated",
        );
        // What a cluster gave a node stays where it is left out.
        bench.updates(&old.replace("name: nn", "name: nn, uid: u"), &object("unschedulable: true"), &[]);
    }

    #[test]
    fn drivers_of_nodes() {
        let object = |drivers: &str| {
            format!(
                "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {{name: node}}\nspec: {{drivers: [{drivers}]}}\n"
            )
        };
        let old = object("{name: a.b, nodeID: m, topologyKeys: [k], allocatable: {count: 3}}");
        let bench = Bench::new();
        bench.updates(&old, &object("{name: c.d, nodeID: m}"), &[]);
        bench.updates(&old, &old.replace("count: 3", "count: 4"), &[]);
        for (from, to) in [("nodeID: m", "nodeID: o"), ("topologyKeys: [k], ", ""), ("[k]", "[k, l]")] {
            bench.updates_with(
                &old,
                &old.replace(from, to),
                "spec.drivers: Invalid value: field is immutable",
            );
        }
        Bench::of(34).updates_with(
            &old,
            &old.replace("count: 3", "count: 4"),
            "spec.drivers: Invalid value: field is immutable",
        );
    }
}

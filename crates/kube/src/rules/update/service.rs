//! Services: the addresses that a cluster gave them stay as they are.

use super::{Change, Update, at};
use crate::Reason;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;

const ONCE: &str = "may not change once set";

/// Checks the update of a Service.
pub(super) fn check(new: &Place<'_, '_>, old: &Place<'_, '_>, update: &Update<'_>, report: &mut Report) {
    at(new, old, &["spec"], &mut |spec, old_spec| {
        let service_type =
            |spec: &Place<'_, '_>| spec.child("type").full_text().unwrap_or("ClusterIP").to_owned();
        let (kind, old_kind) = (service_type(spec), service_type(old_spec));
        if kind != "ExternalName" && old_kind != "ExternalName" {
            addresses(spec, old_spec, update, report);
        }
        if kind == "LoadBalancer" && old_kind == "LoadBalancer" {
            class(spec, old_spec, update, report);
            health(spec, old_spec, report);
        }
    });
}

/// The first of the addresses: as a field of its own, or as the first of the list.
fn address<'d>(spec: &Place<'_, 'd>) -> Option<&'d str> {
    let list = spec.child("clusterIPs");
    let first = list.items().next().and_then(|item| item.full_text());
    spec.child("clusterIP").full_text().or(first)
}

fn addresses(spec: &Place<'_, '_>, old_spec: &Place<'_, '_>, update: &Update<'_>, report: &mut Report) {
    let old = address(old_spec);
    // A manifest without an address got one from the cluster, whichever it is; a Service without any is something else.
    let changed = address(spec).filter(|new| match old {
        Some(old) => old != *new,
        None => *new == "None" && !update.is_stored,
    });
    if let Some(new) = changed {
        let place = |spec: &Place<'_, '_>| {
            let single = spec.child("clusterIP");
            let list = spec.child("clusterIPs");
            match single.is_absent() && !list.is_absent() {
                true => (list.path(), list.span()),
                false => (single.path(), single.span()),
            }
        };
        let (field, span) = place(spec);
        let value = Some(format!("[{new:?}]"));
        let change = Change { field, value, place: span, old: place(old_spec).1, further: Vec::new() };
        return report.changed(Reason::Invalid, "spec.clusterIPs[0]", ONCE, change);
    }
    // The server keeps an address that the new object leaves out.
    if address(spec).or(old) == Some("None") {
        return;
    }
    at(spec, old_spec, &["ipFamilies"], &mut |families, old_families| {
        let (Some(first), Some(before)) = (families.items().next(), old_families.items().next()) else {
            return;
        };
        if first.text() != before.text() {
            report.changed(Reason::Invalid, "spec.ipFamilies[0]", ONCE, Change::of(&first, &before));
        }
    });
}

fn class(spec: &Place<'_, '_>, old_spec: &Place<'_, '_>, update: &Update<'_>, report: &mut Report) {
    let (new, old) = (spec.child("loadBalancerClass"), old_spec.child("loadBalancerClass"));
    let is_kept = new.is_absent() && update.keeps(&["spec", "loadBalancerClass"]);
    if !is_kept && new.text() != old.text() {
        report.changed(Reason::Invalid, "spec.loadBalancerClass", ONCE, Change::of(&new, &old));
    }
}

fn health(spec: &Place<'_, '_>, old_spec: &Place<'_, '_>, report: &mut Report) {
    let needs = |spec: &Place<'_, '_>| spec.child("externalTrafficPolicy").text() == Some("Local");
    let (new, old) = (spec.child("healthCheckNodePort"), old_spec.child("healthCheckNodePort"));
    if let (Some(port), Some(before)) = (new.integer(), old.integer())
        && needs(spec)
        && needs(old_spec)
        && port != before
    {
        let change = Change::of(&new, &old);
        report.changed(Reason::Forbidden, "spec.healthCheckNodePort", crate::IMMUTABLE, change);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  clusterIP: 10.0.0.1\n  ports: [{port: 80}]\n";

    #[test]
    fn services() {
        let bench = Bench::new();
        let without = SERVICE.replace("  clusterIP: 10.0.0.1\n", "");
        let words = "spec.clusterIPs[0]: Invalid value";
        for (old, new) in [
            (SERVICE, SERVICE.replace("port: 80", "port: 81")),
            (SERVICE, without.clone()),
            (SERVICE, SERVICE.replace("  ports", "  clusterIPs: [10.0.0.1]\n  ports")),
            (without.as_str(), SERVICE.to_owned()),
            (SERVICE, SERVICE.replace("  ports", "  type: NodePort\n  ports")),
            (SERVICE, "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {type: ExternalName, externalName: a.b}\n".to_owned()),
        ] {
            bench.updates(old, &new, &[]);
        }
        bench.updates(
            SERVICE,
            &SERVICE.replace("10.0.0.1", "10.0.0.2"),
            &[&format!(
                "«10.0.0.2» spec.clusterIP (was «10.0.0.1») {words}: [\"10.0.0.2\"]: may not change once set"
            )],
        );
        bench.updates(
            &without,
            &SERVICE.replace("10.0.0.1", "None"),
            &[&format!("«None» spec.clusterIP (was «spec») {words}: [\"None\"]: may not change once set")],
        );
        let families = SERVICE.replace("  ports", "  ipFamilies: [IPv4]\n  ports");
        bench.updates(
            &families,
            &families.replace("IPv4", "IPv6"),
            &["«IPv6» spec.ipFamilies[0] (was «IPv4») spec.ipFamilies[0]: Invalid value: \"IPv6\": may not change once set"],
        );
        // The address stays where the new object leaves it out, and with it its family.
        let plain = families.replace("  clusterIP: 10.0.0.1\n", "");
        for old in [&families.replace("{name: s}", "{name: s, uid: u}"), &families, &plain] {
            bench.updates(
                old,
                &plain.replace("IPv4", "IPv6"),
                &["«IPv6» spec.ipFamilies[0] (was «IPv4») spec.ipFamilies[0]: Invalid value"],
            );
        }
        let headless = families.replace("10.0.0.1", "None");
        for new in [&headless, &plain] {
            bench.updates(&headless, &new.replace("IPv4", "IPv6"), &[]);
        }
        let balancer = SERVICE.replace("  ports", "  type: LoadBalancer\n  ports");
        bench.updates(
            &balancer,
            &balancer.replace("  ports", "  loadBalancerClass: a.b/c\n  ports"),
            &["«a.b/c» spec.loadBalancerClass (was «spec») spec.loadBalancerClass: Invalid value: \"a.b/c\": may not change once set"],
        );
        let checked = balancer
            .replace("  ports", "  externalTrafficPolicy: Local\n  healthCheckNodePort: 30001\n  ports");
        bench.updates(
            &checked,
            &checked.replace("30001", "30002"),
            &["«30002» spec.healthCheckNodePort (was «30001») spec.healthCheckNodePort: Forbidden: field is immutable"],
        );
    }
}

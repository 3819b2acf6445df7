//! Services: the addresses that a cluster gave them stay as they are.

use trueline_kube_facts::{FieldPath, common, rules};

use super::service_type::type_of;
use super::{Change, Update, at};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A Service without an address cannot become one that needs an address.
    HEADLESS_TYPE: Invalid, "service/headless-to-type", "may not be set to 'None' for {} services";
    /// Several addresses or families need a policy for two families.
    DUAL_STACK: Invalid, "service/needs-dual-stack",
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple {} are specified";
    /// The second address or family is only released by the policy `SingleStack`.
    RELEASE: Invalid, "service/release-family", "must be 'SingleStack' to release the secondary {}";
}

/// Checks the update of a Service.
pub(super) fn check(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    at(new, old, &["spec"], &mut |spec, old_spec| {
        let (kind, old_kind) = (type_of(spec), type_of(old_spec));
        if kind != "ExternalName" && old_kind != "ExternalName" {
            addresses(spec, old_spec, update, report);
            headless(spec, old_spec, kind, report);
            stacks(spec, old_spec, report);
        }
        if kind == "LoadBalancer" && old_kind == "LoadBalancer" {
            class(spec, old_spec, update, report);
            health(spec, old_spec, report);
        }
    });
}

/// The first of the addresses: as a field of its own, or as the first of the list.
fn address<'d>(spec: &FieldPlace<'_, 'd>) -> Option<&'d str> {
    let list = spec.child("clusterIPs");
    let first = list.items().next().and_then(|item| item.full_text());
    spec.child("clusterIP").full_text().or(first)
}

fn addresses(
    spec: &FieldPlace<'_, '_>,
    old_spec: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    let old = address(old_spec);
    // A manifest without an address got one from the cluster, whichever it is; a Service without any is something else.
    let changed = address(spec).filter(|new| match old {
        Some(old) => old != *new,
        None => *new == "None" && !update.is_stored,
    });
    if let Some(new) = changed {
        let place = |spec: &FieldPlace<'_, '_>| {
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
        return report.changed(FieldPath::of("spec.clusterIPs").index(0), &common::ONCE, change);
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
            report.changed(
                FieldPath::of("spec.ipFamilies").index(0),
                &common::ONCE,
                Change::of(&first, &before),
            );
        }
    });
}

/// A Service without an address stays without one where the new object says nothing of it, and some types need one.
fn headless(spec: &FieldPlace<'_, '_>, old_spec: &FieldPlace<'_, '_>, kind: &str, report: &mut Report) {
    if address(spec).is_some()
        || address(old_spec) != Some("None")
        || !matches!(kind, "NodePort" | "LoadBalancer")
    {
        return;
    }
    let change = Change::of(&spec.child("type"), &old_spec.child("type"));
    let change = Change { value: Some("\"None\"".to_owned()), ..change };
    let field = FieldPath::of("spec.clusterIPs").index(0);
    report.changed(field, HEADLESS_TYPE.with(kind), change);
}

/// How many addresses and families a Service has: the policy stays where the new object says nothing of it.
fn stacks(spec: &FieldPlace<'_, '_>, old_spec: &FieldPlace<'_, '_>, report: &mut Report) {
    let (policy, old_policy) = (spec.child("ipFamilyPolicy"), old_spec.child("ipFamilyPolicy"));
    let is_free = address(spec).or(address(old_spec)) == Some("None") && spec.child("selector").is_empty();
    let is_single = match policy.full_text().or(old_policy.full_text()) {
        Some(policy) => policy == "SingleStack",
        None if is_free => return,
        None => true,
    };
    let lists = [("clusterIPs", "cluster IPs", "cluster IP"), ("ipFamilies", "IP families", "IP family")];
    for (field, all, one) in lists {
        let (list, old_list) = (spec.child(field), old_spec.child(field));
        let is_same = list.count() == old_list.count()
            && list.items().zip(old_list.items()).all(|(new, old)| new.text() == old.text());
        let breach = match (is_single, old_list.count(), list.count()) {
            (true, _, 2) if !is_same => DUAL_STACK.with(all),
            (false, 2, 1) => RELEASE.with(one),
            _ => continue,
        };
        let value = policy.full_text().or(old_policy.full_text()).unwrap_or("SingleStack");
        let change = Change { value: Some(format!("{value:?}")), ..Change::of(&list, &old_list) };
        report.changed(FieldPath::of("spec.ipFamilyPolicy"), breach, change);
    }
}

fn class(spec: &FieldPlace<'_, '_>, old_spec: &FieldPlace<'_, '_>, update: &Update<'_>, report: &mut Report) {
    let (new, old) = (spec.child("loadBalancerClass"), old_spec.child("loadBalancerClass"));
    let is_kept = update.leaves(&new, &["spec", "loadBalancerClass"]);
    if !is_kept && new.text() != old.text() {
        report.changed(FieldPath::of("spec.loadBalancerClass"), &common::ONCE, Change::of(&new, &old));
    }
}

fn health(spec: &FieldPlace<'_, '_>, old_spec: &FieldPlace<'_, '_>, report: &mut Report) {
    let needs = |spec: &FieldPlace<'_, '_>| spec.child("externalTrafficPolicy").text() == Some("Local");
    let (new, old) = (spec.child("healthCheckNodePort"), old_spec.child("healthCheckNodePort"));
    // The server keeps a port that the new object leaves out, or sets to zero.
    if let (Some(port), Some(before)) = (new.integer().filter(|port| *port != 0), old.integer())
        && needs(spec)
        && needs(old_spec)
        && port != before
    {
        let change = Change::of(&new, &old);
        report.changed(FieldPath::of("spec.healthCheckNodePort"), &common::FIXED, change);
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
        bench.updates(&checked, &checked.replace("30001", "0"), &[]);
    }

    #[test]
    fn what_is_left_out_stays() {
        let bench = Bench::new();
        let listed = SERVICE.replace("  ports", "  clusterIPs: [10.0.0.1]\n  ports");
        bench.updates(&listed, &listed.replace("  clusterIP: 10.0.0.1\n", ""), &[]);
        let headless = SERVICE.replace("10.0.0.1", "None");
        let new = headless.replace("  clusterIP: None\n", "  type: NodePort\n");
        let words = "may not be set to 'None' for NodePort services";
        bench.updates_with(&headless, &new, &format!("spec.clusterIPs[0]: Invalid value: \"None\": {words}"));
        bench.updates(
            &headless,
            &new.replace("  type", "  clusterIP: None\n  type"),
            &[&format!("spec.clusterIPs[0]: Invalid value: \"None\": {words}")],
        );
    }

    #[test]
    fn a_second_family_needs_a_policy() {
        let bench = Bench::new();
        let single = SERVICE.replace("  ports", "  ipFamilies: [IPv4]\n  ports");
        let double = single.replace("[IPv4]", "[IPv4, IPv6]");
        let words = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified";
        let error = format!("spec.ipFamilyPolicy: Invalid value: \"SingleStack\": {words}");
        bench.updates_with(&single, &double, &error);
        let policy = |text: &str| format!("  ipFamilyPolicy: {text}\n  ports");
        bench.updates(&single, &double.replace("  ports", &policy("PreferDualStack")), &[]);
        let dual = double.replace("  ports", &policy("PreferDualStack"));
        bench.updates(&dual, &double, &[]);
        bench.updates(&dual, &dual.replace("PreferDualStack", "SingleStack"), &[]);
        bench.updates_with(
            &dual,
            &dual.replace("[IPv4, IPv6]", "[IPv4]"),
            "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be 'SingleStack' to release the secondary IP family",
        );
        bench.updates(&dual, &single.replace("  ports", &policy("SingleStack")), &[]);
    }
}

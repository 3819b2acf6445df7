//! Services that get another type: what means nothing to the new type, and was not changed with it, is dropped.

use std::collections::BTreeSet;

use trueline_yaml::NodeId;

use super::is_of_cluster;
use crate::place::FieldPlace;

/// The type of a Service.
pub(super) fn type_of<'d>(spec: &FieldPlace<'_, 'd>) -> &'d str {
    spec.child("type").full_text().unwrap_or("ClusterIP")
}

/// The keys of the fields that are dropped.
pub(super) fn dropped(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>) -> Vec<NodeId> {
    let (spec, old_spec) = (new.child("spec"), old.child("spec"));
    // A manifest does not tell what it was given, so it may be the same.
    let given = Assigned { is_known: is_of_cluster(old) };
    let (kind, old_kind) = (type_of(&spec), type_of(&old_spec));
    let mut keys = Vec::new();
    if old_kind != "ExternalName" && kind == "ExternalName" {
        keys.extend(given.addresses(&spec, &old_spec));
        keys.extend(given.same_list(&spec, &old_spec, "ipFamilies"));
        keys.extend(given.same_text(&spec, &old_spec, "ipFamilyPolicy"));
    }
    if has_node_ports(old_kind) && !has_node_ports(kind) {
        keys.extend(given.node_ports(&spec, &old_spec));
    }
    if has_health_check(&old_spec) && !has_health_check(&spec) {
        let (port, old_port) = (spec.child("healthCheckNodePort"), old_spec.child("healthCheckNodePort"));
        if given.is_same(old_port.is_absent(), port.integer() == old_port.integer()) {
            keys.extend(port.key_id());
        }
    }
    if old_kind == "LoadBalancer" && kind != "LoadBalancer" {
        let (ports, old_ports) =
            (spec.child("allocateLoadBalancerNodePorts"), old_spec.child("allocateLoadBalancerNodePorts"));
        if ports.is_true() == (old_ports.is_absent() || old_ports.is_true()) {
            keys.extend(ports.key_id());
        }
        let (class, old_class) = (spec.child("loadBalancerClass"), old_spec.child("loadBalancerClass"));
        if class.text() == old_class.text() && !old_class.is_absent() {
            keys.extend(class.key_id());
        }
    }
    if is_reachable(&old_spec) && !is_reachable(&spec) {
        let (policy, old_policy) =
            (spec.child("externalTrafficPolicy"), old_spec.child("externalTrafficPolicy"));
        if policy.text() == Some(old_policy.full_text().unwrap_or("Cluster")) {
            keys.extend(policy.key_id());
        }
    }
    keys
}

fn has_node_ports(kind: &str) -> bool {
    matches!(kind, "NodePort" | "LoadBalancer")
}

fn has_health_check(spec: &FieldPlace<'_, '_>) -> bool {
    type_of(spec) == "LoadBalancer" && spec.child("externalTrafficPolicy").text() == Some("Local")
}

/// Whether a Service can be reached from outside of the cluster.
fn is_reachable(spec: &FieldPlace<'_, '_>) -> bool {
    let kind = type_of(spec);
    has_node_ports(kind) || (kind == "ClusterIP" && spec.child("externalIPs").count() > 0)
}

/// What the cluster assigned to a Service.
struct Assigned {
    /// Whether the old object says it.
    is_known: bool,
}

impl Assigned {
    /// Whether something is what it was; where it was not said, it may be.
    fn is_same(&self, is_absent: bool, is_same: bool) -> bool {
        is_same || (is_absent && !self.is_known)
    }

    fn same_text(
        &self,
        spec: &FieldPlace<'_, '_>,
        old: &FieldPlace<'_, '_>,
        field: &'static str,
    ) -> Option<NodeId> {
        let (new, old) = (spec.child(field), old.child(field));
        new.key_id().filter(|_| self.is_same(old.is_absent(), new.text() == old.text()))
    }

    fn same_list(
        &self,
        spec: &FieldPlace<'_, '_>,
        old: &FieldPlace<'_, '_>,
        field: &'static str,
    ) -> Option<NodeId> {
        let (new, old) = (spec.child(field), old.child(field));
        new.key_id().filter(|_| self.is_same(old.is_absent(), texts(&new) == texts(&old)))
    }

    /// The single address and the list of all.
    fn addresses(&self, spec: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>) -> Vec<NodeId> {
        let (single, list) = (spec.child("clusterIP"), spec.child("clusterIPs"));
        let (old_single, old_list) = (old.child("clusterIP"), old.child("clusterIPs"));
        // One of the two is filled in from the other.
        let old_texts = match old_list.is_absent() {
            true => old_single.full_text().into_iter().collect(),
            false => texts(&old_list),
        };
        let old_text = old_single.full_text().or(old_texts.first().copied());
        let is_same_single =
            single.is_empty() || self.is_same(old_text.is_none(), single.full_text() == old_text);
        let is_same_list = list.count() == 0 || self.is_same(old_texts.is_empty(), texts(&list) == old_texts);
        match is_same_single && is_same_list {
            true => [single.key_id(), list.key_id()].into_iter().flatten().collect(),
            false => Vec::new(),
        }
    }

    /// All ports of nodes, unless there is one that the Service did not have.
    fn node_ports(&self, spec: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>) -> Vec<NodeId> {
        let (ports, old_ports) = (spec.child("ports"), old.child("ports"));
        let number =
            |port: &FieldPlace<'_, '_>| port.child("nodePort").integer().filter(|number| *number != 0);
        let before: BTreeSet<i64> = old_ports.items().filter_map(|port| number(&port)).collect();
        let is_known = self.is_known || old_ports.items().all(|port| number(&port).is_some());
        let is_new = |port: &FieldPlace<'_, '_>| number(port).is_some_and(|number| !before.contains(&number));
        if is_known && ports.items().any(|port| is_new(&port)) {
            return Vec::new();
        }
        ports.items().filter_map(|port| port.child("nodePort").key_id()).collect()
    }
}

fn texts<'d>(list: &FieldPlace<'_, 'd>) -> Vec<&'d str> {
    list.items().filter_map(|item| item.text()).collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const BALANCER: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  type: LoadBalancer\n  loadBalancerClass: a.b/c\n  externalTrafficPolicy: Local\n  healthCheckNodePort: 31000\n  allocateLoadBalancerNodePorts: false\n  clusterIP: 10.0.0.1\n  ipFamilies: [IPv4]\n  ports: [{port: 80, nodePort: 30080}]\n";

    #[test]
    fn what_means_nothing_to_the_new_type_is_dropped() {
        let bench = Bench::new();
        for kind in ["ClusterIP", "NodePort", "ExternalName, externalName: a.b"] {
            let new =
                BALANCER.replace("type: LoadBalancer", &format!("type: {}", kind.replace(", ", "\n  ")));
            bench.updates(BALANCER, &new, &[]);
        }
        // The type is ClusterIP where it is not said.
        bench.updates(BALANCER, &BALANCER.replace("  type: LoadBalancer\n", ""), &[]);
        // Without the policy there is no port for the health of nodes either.
        bench.updates(BALANCER, &BALANCER.replace("Policy: Local", "Policy: Cluster"), &[]);
        // What the cluster chose by itself may be the same.
        let plain = BALANCER.replace(", nodePort: 30080", "").replace("  clusterIP: 10.0.0.1\n", "");
        bench.updates(&plain, &BALANCER.replace("type: LoadBalancer", "type: ClusterIP"), &[]);
        let ports = BALANCER
            .replace("nodePort: 30080", "nodePort: 30080, name: a}, {port: 81, name: b, nodePort: 30081");
        bench.updates(&ports, &BALANCER.replace("type: LoadBalancer", "type: ClusterIP"), &[]);
    }

    #[test]
    fn what_changes_with_the_type_is_not_dropped() {
        let bench = Bench::new();
        let new = BALANCER.replace("type: LoadBalancer", "type: ClusterIP");
        for (from, to, error) in [
            (
                "a.b/c",
                "a.b/d",
                "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
            ),
            (
                "30080",
                "30081",
                "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
            ),
            ("31000", "31001", "spec.healthCheckNodePort: Invalid value: 31001: may only be set when"),
            (": false", ": true", "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when"),
            (
                "Policy: Local",
                "Policy: Cluster",
                "spec.externalTrafficPolicy: Invalid value: \"Cluster\": may only be set for",
            ),
        ] {
            bench.updates(BALANCER, &new.replace(from, to), &[error]);
        }
        // A Service that had no type with ports of nodes has none to lose.
        let cluster = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n";
        bench.updates(
            cluster,
            &cluster.replace("port: 80", "port: 80, nodePort: 30080"),
            &["spec.ports[0].nodePort: Forbidden"],
        );
    }
}

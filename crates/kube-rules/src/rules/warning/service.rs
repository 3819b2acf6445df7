//! Services: settings that do nothing beside the others.

use trueline_kube_facts::rules;

use super::{address, annotations};
use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::Context;

rules! {
    /// `loadBalancerIP` does nothing on a headless Service.
    LOAD_BALANCER_IP_IGNORED: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "service/load-balancer-ip-ignored",
        "spec.loadBalancerIP is ignored for headless services";
    /// `externalIPs` does nothing on a headless Service.
    EXTERNAL_IPS_IGNORED: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "service/external-ips-ignored",
        "spec.externalIPs is ignored for headless services";
    /// `sessionAffinity` does nothing on a headless Service.
    AFFINITY_IGNORED: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "service/affinity-ignored",
        "spec.SessionAffinity is ignored for headless services";
    /// `externalIPs` does nothing with the type `ExternalName`.
    EXTERNAL_IPS_OF_EXTERNAL_NAME: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "service/external-ips-of-external-name",
        "spec.externalIPs is ignored when spec.type is \"ExternalName\"";
    /// `externalName` does nothing with another type.
    EXTERNAL_NAME_IGNORED: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "service/external-name-ignored",
        "spec.externalName is ignored when spec.type is not \"ExternalName\"";
    /// A node port is outside the range that clusters use by default.
    UNUSUAL_NODE_PORT: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "service/port-without-protocol",
        "{} is outside the range of node ports that clusters use by default";
    /// A value of `trafficDistribution` is deprecated.
    TRAFFIC_DISTRIBUTION: Invalid in trueline_kube_facts::codes::DEPRECATED_FIELD, "service/traffic-distribution",
        "\"PreferClose\" is deprecated; use \"PreferSameZone\"";
}

const ANNOTATIONS: &[super::Annotation] = &[(
    "service.kubernetes.io/topology-aware-hints",
    27,
    "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode \
     instead",
)];

/// The ports of nodes that services get by default.
const NODE_PORTS: std::ops::RangeInclusive<i64> = 30000..=32767;

/// Warns in `core.Service`.
pub(crate) fn check(object: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    annotations(&object.child("metadata"), ANNOTATIONS, context, report);
    let spec = object.child("spec");
    let service_type = spec.child("type").full_text().unwrap_or("ClusterIP");
    let (balancer, external) = (spec.child("loadBalancerIP"), spec.child("externalIPs"));
    let is_headless = service_type == "ClusterIP" && spec.child("clusterIP").text() == Some("None");
    if is_headless {
        let affinity = spec.child("sessionAffinity");
        if balancer.full_text().is_some() {
            report.warn(&balancer, &LOAD_BALANCER_IP_IGNORED);
        }
        if external.count() > 0 {
            report.warn(&external, &EXTERNAL_IPS_IGNORED);
        }
        if affinity.full_text().is_some_and(|text| text != "None") {
            report.warn(&affinity, &AFFINITY_IGNORED);
        }
    }
    let name = spec.child("externalName");
    if service_type == "ExternalName" && external.count() > 0 {
        report.warn(&external, &EXTERNAL_IPS_OF_EXTERNAL_NAME);
    }
    if service_type != "ExternalName" && name.full_text().is_some() {
        report.warn(&name, &EXTERNAL_NAME_IGNORED);
    }
    for port in spec.child("ports").items() {
        let node = port.child("nodePort");
        let is_unusual = |number: &i64| (1..=65535).contains(number) && !NODE_PORTS.contains(number);
        if let Some(number) = node.integer().filter(is_unusual) {
            let (first, last) = (NODE_PORTS.start(), NODE_PORTS.end());
            let help = format!(
                "choose one from {first} to {last}, or leave `nodePort` out and the cluster chooses one"
            );
            report.warn_with(&node, UNUSUAL_NODE_PORT.with(number), help);
        }
    }
    let distribution = spec.child("trafficDistribution");
    if distribution.text() == Some("PreferClose") && context.version.minor >= 35 {
        report.deprecated(&distribution, &TRAFFIC_DISTRIBUTION, Some("PreferSameZone"));
    }
    for item in external.items() {
        address::told(&item, context, report);
    }
    address::ip(&balancer, context, report);
    if !is_headless {
        // The server copies the single one to the list before it looks at them.
        let (single, addresses) = (spec.child("clusterIP"), spec.child("clusterIPs"));
        if let Some(node) = single.node().filter(|_| addresses.count() == 0) {
            address::told(&addresses.index(0, node).at(&single), context, report);
        }
        for item in addresses.items() {
            address::told(&item, context, report);
        }
    }
    let ranges = spec.child("loadBalancerSourceRanges");
    let named = spec.child("LoadBalancerSourceRanges").at(&ranges);
    for item in if address::is_strict(context) { named.items() } else { ranges.items() } {
        address::range(&item, context, report);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn services() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}], {}}\n";
        for (part, warnings) in [
            ("clusterIP: None", &[][..]),
            (
                "clusterIP: None, sessionAffinity: ClientIP",
                &["«ClientIP» spec.sessionAffinity: spec.SessionAffinity is ignored for headless services"],
            ),
            (
                "clusterIP: None, externalIPs: [10.0.0.1]",
                &["«externalIPs» spec.externalIPs: spec.externalIPs is ignored for headless"],
            ),
            (
                "externalName: a.b",
                &["«a.b» spec.externalName: spec.externalName is ignored when spec.type is not"],
            ),
            (
                "type: NodePort, ports: [{name: a, port: 80, nodePort: 30000}, {name: b, port: 81, nodePort: 0}]",
                &[],
            ),
            (
                "type: NodePort, ports: [{port: 80, nodePort: 8080}]",
                &[
                    "«8080» spec.ports[0].nodePort: 8080 is outside the range of node ports that clusters use by default",
                ],
            ),
            (
                "trafficDistribution: PreferClose",
                &[
                    "«PreferClose» spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"",
                ],
            ),
        ] {
            bench.warns(&frame.replace("{}", part), warnings);
        }
        Bench::of(34).warns(&frame.replace("{}", "trafficDistribution: PreferClose"), &[]);
    }
}

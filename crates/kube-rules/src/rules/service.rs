//! Services: ports and their names, addresses, and what each type allows.

use std::collections::BTreeSet;
use trueline_kube_facts::{Breach, FieldPath, go_quoted, names, rules};

use super::warning::address;
use super::{Context, Operation, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A Service of this type cannot be headless.
    HEADLESS_TYPE: Invalid, "service/headless-type", "may not be set to 'None' for {} services";
    /// Source ranges are set on a Service that is not a load balancer.
    SOURCE_RANGES: Forbidden, "service/source-ranges", "may only be used when `type` is 'LoadBalancer'";
    /// The annotation for source ranges is set on a Service that is not a load balancer.
    RANGES_ANNOTATION: Forbidden, "service/ranges-annotation", "may only be used when `type` is 'LoadBalancer'";
    /// The annotation for source ranges is not a list of ranges.
    RANGES_ANNOTATION_FORMAT: Invalid, "service/ranges-annotation-format",
        "must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ";
    /// `ipFamilyPolicy` does not fit the families or the addresses.
    FAMILY_POLICY: Invalid, "service/family-policy",
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple {} are specified";
    /// A field is set that only load balancers have.
    ONLY_LOAD_BALANCER: Forbidden, "service/only-load-balancer", "may only be used when `type` is 'LoadBalancer'";
    /// `healthCheckNodePort` needs a load balancer with a local policy.
    HEALTH_CHECK_PORT: Invalid, "service/health-check-port",
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    /// An IP family is listed twice.
    DUPLICATE_FAMILY: Duplicate, "service/duplicate-family";
    /// The first of `clusterIPs` is not `clusterIP`.
    FIRST_CLUSTER_IP: Invalid, "service/first-cluster-ip", "first value must match `clusterIP`";
    /// `clusterIPs` is set without `clusterIP`.
    CLUSTER_IPS_ALONE: Invalid, "service/cluster-ips-alone", "must be empty when `clusterIP` is not specified";
    /// A Service has more than two cluster addresses.
    TOO_MANY_CLUSTER_IPS: Invalid, "service/too-many-cluster-ips", "may only hold up to 2 values";
    /// `None` is not the only cluster address.
    NONE_ALONE: Invalid, "service/none-alone", "'None' must be the first and only value";
    /// Two cluster addresses are of the same IP family.
    SAME_FAMILY: Invalid, "service/same-family", "may specify no more than one IP for each IP family";
    /// A cluster address is not of the family IPv4.
    IPV4_EXPECTED: Invalid, "service/ipv4-expected", "expected an IPv4 value as indicated by `{}`";
    /// A cluster address is not of the family IPv6.
    IPV6_EXPECTED: Invalid, "service/ipv6-expected", "expected an IPv6 value as indicated by `{}`";
    /// A field is set that Services of the type `ExternalName` do not have.
    EXTERNAL_NAME_FIELD: Forbidden, "service/external-name-field", "may not be set for ExternalName services";
    /// Two ports of a Service have the same name.
    DUPLICATE_PORT_NAME: Duplicate, "service/duplicate-port-name";
    /// Two entries of a Service have the same port and protocol.
    DUPLICATE_PORT: Duplicate, "service/duplicate-port";
    /// A node port is set on a Service of the type `ClusterIP`.
    NODE_PORT_NOT_USED: Forbidden, "service/node-port-not-used", "may not be used when `type` is 'ClusterIP'";
    /// A node port is not in the range from 30000 to 32767.
    NODE_PORT_RANGE: Invalid, "service/node-port-range",
        "provided port is not in the valid range. The range of valid ports is 30000-32767";
    /// Two ports of a Service have the same node port.
    DUPLICATE_NODE_PORT: Duplicate, "service/duplicate-node-port";
    /// The timeout of session affinity is not between a second and a day.
    AFFINITY_TIMEOUT: Invalid, "service/affinity-timeout", "must be greater than 0 and less than 86400";
    /// The port 10250 was kept for the nodes themselves.
    KUBELET_PORT: Invalid, "service/kubelet-port", "may not expose port 10250 externally since it is used by kubelet";
    /// The annotation for hints is not what the field says.
    HINTS_DIFFER: Invalid, "service/hints-differ", "must match annotations[{}] when both are specified";
    /// `externalTrafficPolicy` is set on a Service that is not reachable from outside.
    EXTERNAL_POLICY_TYPE: Invalid, "service/external-policy-type",
        "may only be set when `type` is 'NodePort' or 'LoadBalancer'";
    /// `externalTrafficPolicy` is set on a Service that is not reachable from outside.
    EXTERNAL_POLICY: Invalid, "service/external-policy", "may only be set for externally-accessible services";
}

/// Checks `core.ServiceSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let kind = spec.child("type");
    let service_type = kind.full_text().unwrap_or("ClusterIP");
    let (address, addresses) = (spec.child("clusterIP"), spec.child("clusterIPs"));
    let first = addresses.items().next().and_then(|item| item.full_text());
    let is_headless = address.text() == Some("None") || (address.is_empty() && first == Some("None"));
    let ports = spec.child("ports");
    if ports.is_empty() && !is_headless && service_type != "ExternalName" {
        report.missing(&ports);
    }
    match service_type {
        "LoadBalancer" | "NodePort" if is_headless => {
            let place = match address.node() {
                Some(node) => addresses.index(0, node),
                None => addresses.at(&addresses),
            };
            report.refuse(&place, HEADLESS_TYPE.with(service_type));
        }
        "ExternalName" => external_name(spec, report),
        _ => {}
    }
    self::ports(&ports, service_type, report);
    if service_type == "LoadBalancer" && context.version.minor < 33 {
        kubelet_port(&ports, report);
    }
    topology(spec, context, report);
    for item in spec.child("externalIPs").items() {
        if let Some(text) = item.text() {
            report.complain(&item, super::endpoint_slice::special(text));
        }
    }
    affinity(spec, report);
    if let Some(text) = address.full_text()
        && text != "None"
        && service_type != "ExternalName"
    {
        // The server copies it to the list before it looks at it.
        if let Some(node) = address.node().filter(|_| first.is_none()) {
            report.complain(&addresses.index(0, node).at(&address), syntax::ip(text));
        }
    }
    let ranges = spec.child("loadBalancerSourceRanges");
    let named = spec.child("LoadBalancerSourceRanges").at(&ranges);
    if ranges.count() > 0 && service_type != "LoadBalancer" {
        report.refuse(&named, &SOURCE_RANGES);
    }
    for item in named.items() {
        if let Some(text) = item.text() {
            report.complain(&item, syntax::cidr(text.trim()));
        }
    }
    if ranges.count() == 0 {
        annotated_ranges(spec, service_type, context, report);
    }
    external_traffic(spec, service_type, context, report);
    balancer(spec, service_type, context, report);
    if service_type != "ExternalName" {
        families(spec, report);
        let of_families =
            ["clusterIPs", "ipFamilies", "ipFamilyPolicy"].map(|field| spec.child(field).path());
        let is_sound = !of_families.iter().any(|path| report.is_refused_below(path));
        if is_sound && context.operation == Operation::Create {
            single_stack(spec, report);
        }
    }
}

/// Ranges as they were written before there was a field for them.
pub(super) const RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
/// Until this version the server says only that the whole is wrong.
const RANGES_EACH: u16 = 30;

fn annotated_ranges(
    spec: &FieldPlace<'_, '_>,
    service_type: &str,
    context: &Context<'_>,
    report: &mut Report,
) {
    let metadata = spec.top().child("metadata");
    let annotations = metadata.child("annotations");
    let Some(value) = annotations.entry(RANGES) else { return };
    if service_type != "LoadBalancer" {
        report.refuse(&value.at_key(), &RANGES_ANNOTATION);
    }
    let text = value.text().unwrap_or_default().trim();
    if text.is_empty() {
        return;
    }
    let parts = || text.split(',').map(str::trim);
    if context.version.minor < RANGES_EACH {
        if parts().any(|part| !syntax::cidr(part).is_empty()) {
            report.refuse(&value, &RANGES_ANNOTATION_FORMAT);
        }
        return;
    }
    for part in parts() {
        let odd = syntax::odd_cidr(part).filter(|_| address::is_strict(context)).map(Breach::from);
        for breach in syntax::cidr(part).into_iter().chain(odd) {
            report.refuse_value(&value, go_quoted(part), breach);
        }
    }
}

/// One family, one address. The second of an older object is removed where nothing else changes.
fn single_stack(spec: &FieldPlace<'_, '_>, report: &mut Report) {
    let policy = spec.child("ipFamilyPolicy");
    let is_single = match policy.is_absent() {
        // Only a service without an address and without pods of its own has both families by default.
        true => spec.child("clusterIP").text() != Some("None") || !spec.child("selector").is_empty(),
        false => policy.text() == Some("SingleStack"),
    };
    if !is_single {
        return;
    }
    for (field, what) in [("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")] {
        if spec.child(field).count() == 2 {
            report.refuse(&policy, FAMILY_POLICY.with(what));
        }
    }
}

/// What only load balancers have.
fn balancer(spec: &FieldPlace<'_, '_>, service_type: &str, context: &Context<'_>, report: &mut Report) {
    if service_type != "LoadBalancer" {
        for field in ["allocateLoadBalancerNodePorts", "loadBalancerClass"] {
            let place = spec.child(field);
            if !place.is_absent() {
                report.refuse(&place, &ONLY_LOAD_BALANCER);
            }
        }
    }
    let class = spec.child("loadBalancerClass");
    if let Some(text) = class.text().filter(|_| !class.is_absent() && service_type == "LoadBalancer") {
        report.complain(&class, names::qualified_name(text));
    }
    let check = spec.child("healthCheckNodePort");
    if let Some(port) = check.integer().filter(|port| *port != 0) {
        if service_type == "LoadBalancer" && spec.child("externalTrafficPolicy").text() == Some("Local") {
            report.complain(&check, names::port(port));
        } else {
            report.refuse(&check, &HEALTH_CHECK_PORT);
        }
    }
    let distribution = spec.child("trafficDistribution");
    let known: &[&str] = match context.version.minor {
        ..=33 => &["PreferClose"],
        _ => &["PreferClose", "PreferSameZone", "PreferSameNode"],
    };
    if !distribution.is_absent() && distribution.text().is_some_and(|text| !known.contains(&text)) {
        report.not_supported(&distribution, known);
    }
}

/// Addresses and their families: at most one of each, in the same order.
fn families(spec: &FieldPlace<'_, '_>, report: &mut Report) {
    let (families, addresses, single) =
        (spec.child("ipFamilies"), spec.child("clusterIPs"), spec.child("clusterIP"));
    let mut seen = BTreeSet::new();
    for family in families.items() {
        if family.full_text().is_some_and(|text| !seen.insert(text)) {
            report.refuse(&family, &DUPLICATE_FAMILY);
        }
    }
    let texts: Vec<&str> = addresses.items().filter_map(|item| item.text()).collect();
    if let (Some(single), Some(first)) = (single.full_text(), texts.first())
        && single != *first
    {
        report.refuse(&addresses, &FIRST_CLUSTER_IP);
    }
    if single.text() == Some("") && !texts.is_empty() {
        report.refuse(&addresses, &CLUSTER_IPS_ALONE);
    }
    if texts.len() > 2 {
        report.refuse(&addresses, &TOO_MANY_CLUSTER_IPS);
    }
    if texts.first() == Some(&"None") {
        if texts.len() > 1 {
            report.refuse(&addresses, &NONE_ALONE);
        }
        return;
    }
    let mut is_sound = true;
    for item in addresses.items() {
        let complaints = item.text().map(syntax::ip).unwrap_or_default();
        is_sound &= complaints.is_empty();
        report.complain(&item, complaints);
    }
    if is_sound && texts.len() == 2 && texts.iter().filter(|text| text.contains(':')).count() != 1 {
        report.refuse(&addresses, &SAME_FAMILY);
    }
    for (address, family) in addresses.items().zip(families.items()) {
        let is_new = address.text().is_some_and(|text| text.contains(':'));
        match family.text() {
            Some("IPv4") if is_sound && is_new => {
                report.refuse(&address, IPV4_EXPECTED.with(relative(&family)));
            }
            Some("IPv6") if is_sound && !is_new => {
                report.refuse(&address, IPV6_EXPECTED.with(relative(&family)));
            }
            _ => {}
        }
    }
}

/// The path of a family as the server writes it in its words.
fn relative(family: &FieldPlace<'_, '_>) -> String {
    FieldPath::new(family.path().segments().iter().skip(1).cloned().collect()).to_string()
}

fn external_name(spec: &FieldPlace<'_, '_>, report: &mut Report) {
    let name = spec.child("externalName");
    match name.text().map(|text| text.strip_suffix('.').unwrap_or(text)) {
        Some("") => report.missing(&name),
        Some(text) => report.complain(&name, names::dns_1123_subdomain(text)),
        None => {}
    }
    for field in ["ipFamilies", "ipFamilyPolicy"] {
        if !spec.child(field).is_empty() {
            // What they say does not matter.
            report.forget_below(&spec.child(field).path());
            report.refuse(&spec.child(field), &EXTERNAL_NAME_FIELD);
        }
    }
    // The server copies the single address into the list before it looks.
    if !spec.child("clusterIP").is_empty() || spec.child("clusterIPs").count() > 0 {
        report.refuse(&spec.child("clusterIPs").at(&spec.child("clusterIP")), &EXTERNAL_NAME_FIELD);
    }
}

fn ports(ports: &FieldPlace<'_, '_>, service_type: &str, report: &mut Report) {
    let needs_names = ports.count() > 1;
    let (mut taken_names, mut taken_ports, mut taken_nodes) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for port in ports.items() {
        let name = port.child("name");
        match name.text() {
            Some("") if needs_names => report.missing(&name),
            Some(text) if !text.is_empty() && !taken_names.insert(text) => {
                report.refuse(&name, &DUPLICATE_PORT_NAME)
            }
            _ => {}
        }
        let target = port.child("targetPort");
        let number = port.child("port");
        match (target.integer(), target.text()) {
            // Zero and empty text stand for the port itself.
            (Some(0), _) | (None, Some("")) => {
                let own = if number.is_absent() { Some(0) } else { number.integer() };
                if let Some(breach) = own.and_then(names::port) {
                    report.refuse_at(target.path(), &number, breach);
                }
            }
            (Some(number), _) => report.complain(&target, names::port(number)),
            (None, Some(text)) => report.complain(&target, syntax::port_name(text)),
            _ => {}
        }
        let protocol = port.child("protocol").full_text().unwrap_or("TCP");
        if let Some(number) = number.integer()
            && !taken_ports.insert((protocol, number))
        {
            report.refuse(&port, &DUPLICATE_PORT);
        }
        let node = port.child("nodePort");
        if let Some(number) = node.integer().filter(|number| *number != 0) {
            if service_type == "ClusterIP" {
                report.refuse(&node, &NODE_PORT_NOT_USED);
            } else if !(1..=65535).contains(&number) {
                report.refuse(&node, &NODE_PORT_RANGE);
            }
            if !taken_nodes.insert((protocol, number)) {
                report.refuse(&node, &DUPLICATE_NODE_PORT);
            }
        }
    }
}

/// Without affinity to an address, the server drops its configuration before it looks at it.
fn affinity(spec: &FieldPlace<'_, '_>, report: &mut Report) {
    if spec.child("sessionAffinity").text() == Some("ClientIP") {
        let config = spec.child("sessionAffinityConfig");
        let client = config.child("clientIP");
        let timeout = client.child("timeoutSeconds");
        if timeout.integer().is_some_and(|seconds| seconds <= 0 || seconds > 86_400) {
            report.refuse(&timeout, &AFFINITY_TIMEOUT);
        }
    }
}

/// Until Kubernetes 1.33, this port was kept for the nodes themselves.
fn kubelet_port(ports: &FieldPlace<'_, '_>, report: &mut Report) {
    for (index, port) in ports.items().enumerate() {
        let number = port.child("port");
        if number.integer() == Some(10250) {
            report.refuse_at(ports.path().index(index), &number, &KUBELET_PORT);
        }
    }
}

const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const MODE: &str = "service.kubernetes.io/topology-mode";

/// One annotation took the place of another: both have to say the same.
fn topology(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let metadata = spec.top().child("metadata");
    let annotations = metadata.child("annotations");
    let (Some(hints), Some(mode)) = (annotations.entry(HINTS), annotations.entry(MODE)) else { return };
    if context.version.minor >= 27 && hints.text() != mode.text() {
        report.refuse(&mode, HINTS_DIFFER.with(HINTS));
    }
}

/// The first version that knows a policy for addresses that others lead to.
const ROUTES_OTHERS: u16 = 29;

fn external_traffic(
    spec: &FieldPlace<'_, '_>,
    service_type: &str,
    context: &Context<'_>,
    report: &mut Report,
) {
    let policy = spec.child("externalTrafficPolicy");
    let is_newer = context.version.minor >= ROUTES_OTHERS;
    let is_accessible = matches!(service_type, "LoadBalancer" | "NodePort")
        || (is_newer && service_type == "ClusterIP" && spec.child("externalIPs").count() > 0);
    match policy.full_text() {
        Some(_) if !is_accessible && !is_newer => {
            report.refuse(&policy, &EXTERNAL_POLICY_TYPE);
        }
        Some(_) if !is_accessible => {
            report.refuse(&policy, &EXTERNAL_POLICY);
        }
        Some(text) if !matches!(text, "Cluster" | "Local") => {
            report.not_supported(&policy, &["Cluster", "Local"])
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const FRAME: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {{}}\n";

    #[test]
    fn ranges_in_an_annotation() {
        let frame = "apiVersion: v1\nkind: Service\nmetadata: {name: s, annotations: {service.beta.kubernetes.io/load-balancer-source-ranges: '{}'}}\nspec: {type: LoadBalancer, ports: [{port: 80}]}\n";
        let path = "metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]";
        let bench = Bench::new();
        bench.accepts_all(frame, &["10.0.0.0/8", "10.0.0.0/8, fd00::/8", " ", "10.0.0.1/8"]);
        bench.refuses(
            &frame.replace("{}", "10.0.0.0/8,x"),
            &[&format!("{path}: Invalid value: \"x\": must be a valid CIDR value")],
        );
        bench.refuses(
            &frame.replace("{}", "10.0.0.0/8").replace("LoadBalancer,", "NodePort,"),
            &[&format!("{path}: Forbidden: may only be used when `type` is 'LoadBalancer'")],
        );
        Bench::of(37).refuses(
            &frame.replace("{}", "10.0.0.1/8"),
            &[&format!(
                "{path}: Invalid value: \"10.0.0.1/8\": must not have bits set beyond the prefix length"
            )],
        );
        Bench::of(28).refuses(
            &frame.replace("{}", "10.0.0.0/8,x"),
            &[&format!("{path}: Invalid value: \"10.0.0.0/8,x\": must be a list of IP ranges.")],
        );
    }

    #[test]
    fn families() {
        let bench = Bench::new();
        bench.accepts_all(
            FRAME,
            &[
                "ports: [{port: 80}], ipFamilyPolicy: SingleStack, ipFamilies: [IPv4]",
                "ports: [{port: 80}], clusterIP: None, ipFamilies: [IPv4, IPv6]",
                "ports: [{port: 80}], sessionAffinityConfig: {clientIP: {timeoutSeconds: 1}}",
                "ports: [{port: 80}], sessionAffinity: None, sessionAffinityConfig: {clientIP: {timeoutSeconds: 0}}",
                "ports: [{port: 80}], ipFamilyPolicy: PreferDualStack, ipFamilies: [IPv4, IPv6]",
            ],
        );
        bench.refuses_all(
            FRAME,
            &[
                (
                    "ports: [{port: 80}], ipFamilyPolicy: SingleStack, ipFamilies: [IPv4, IPv6]",
                    "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
                ),
                (
                    "ports: [{port: 80}], ipFamilyPolicy: SingleStack, clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1, 'fd00::1']",
                    "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified",
                ),
            ],
        );
    }

    #[test]
    fn services() {
        let bench = Bench::new();
        bench.accepts_all(FRAME, &[
            "ports: [{port: 80}]",
            "ports: [{port: 80, targetPort: http}], selector: {a: b}",
            "ports: [{port: 80, name: a}, {port: 80, protocol: UDP, name: b}]",
            "clusterIP: None",
            "type: ExternalName, externalName: a.b.",
            "type: NodePort, ports: [{port: 80, nodePort: 30080}], externalTrafficPolicy: Local",
            "type: LoadBalancer, ports: [{port: 80}], loadBalancerSourceRanges: [10.0.0.0/8, ' 10.1.0.0/16']",
            "ports: [{port: 80, targetPort: 0}], sessionAffinity: ClientIP",
            "clusterIP: 10.0.0.1, ports: [{port: 80}]",
        ]);
        let words = "Invalid value: \"\": must be between 1 and 65535, inclusive";
        let errors = ["port", "targetPort"].map(|field| format!("spec.ports[0].{field}: {words}"));
        bench.refuses(&FRAME.replace("{}", "ports: [{}]"), &errors.each_ref().map(String::as_str));
        bench.refuses_all(FRAME, &[
            ("ports: [{port: 0, targetPort: 80}]", "spec.ports[0].port: Invalid value: 0"),
            ("selector: {a: b}", "spec.ports: Required value"),
            ("ports: [{port: 80}, {port: 81, name: b}]", "spec.ports[0].name: Required value"),
            ("ports: [{port: 80, name: a}, {port: 81, name: a}]", "spec.ports[1].name: Duplicate value: \"a\""),
            ("ports: [{port: 80, name: a}, {port: 80, name: b}]", "spec.ports[1]: Duplicate value"),
            ("ports: [{port: 80, targetPort: -7}]", "spec.ports[0].targetPort: Invalid value: -7"),
            ("ports: [{port: 80, targetPort: a_b}]", "spec.ports[0].targetPort: Invalid value: \"a_b\""),
            ("ports: [{port: 80, nodePort: 30080}]", "spec.ports[0].nodePort: Forbidden"),
            ("type: NodePort, ports: [{port: 80, nodePort: 70000}]", "spec.ports[0].nodePort: Invalid value: 70000: provided port is not in the valid range"),
            ("type: ExternalName", "spec.externalName: Required value"),
            ("type: ClusterIp, ports: [{port: 80}]", "spec.type: Unsupported value: \"ClusterIp\""),
            ("type: NodePort, clusterIP: None, ports: [{port: 80}]", "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"),
            ("clusterIP: x, ports: [{port: 80}]", "spec.clusterIPs[0]: Invalid value: \"x\": must be a valid IP"),
            ("type: LoadBalancer, ports: [{port: 80}], loadBalancerSourceRanges: [127.0.0.1]", "spec.LoadBalancerSourceRanges[0]: Invalid value: \"127.0.0.1\": must be a valid CIDR"),
            ("ports: [{port: 80}], externalTrafficPolicy: Local", "spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set"),
            ("ports: [{port: 80}], sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 0}}", "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0"),
            ("ports: [{port: 80}], ipFamilies: [IPv4, IPv6]", "spec.ipFamilyPolicy: Invalid value: \"\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"),
            ("ports: [{port: 80}], clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1, '::1']", "spec.ipFamilyPolicy: Invalid value: \"\": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified"),
            ("ports: [{port: 80}], allocateLoadBalancerNodePorts: false", "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'"),
            ("ports: [{port: 80}], loadBalancerClass: a.b/c", "spec.loadBalancerClass: Forbidden"),
            ("ports: [{port: 80}], healthCheckNodePort: 30000", "spec.healthCheckNodePort: Invalid value: 30000: may only be set when"),
            ("ports: [{port: 80}], trafficDistribution: Near", "spec.trafficDistribution: Unsupported value: \"Near\": supported values: \"PreferClose\", \"PreferSameZone\", \"PreferSameNode\""),
            ("ports: [{port: 80}], ipFamilies: [IPv4, IPv4]", "spec.ipFamilies[1]: Duplicate value: \"IPv4\""),
            ("ports: [{port: 80}], clusterIP: 10.0.0.1, clusterIPs: [10.0.0.2]", "spec.clusterIPs: Invalid value: first value must match `clusterIP`"),
            ("ports: [{port: 80}], clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1, 10.0.0.2]", "spec.clusterIPs: Invalid value: may specify no more than one IP for each IP family"),
            ("ports: [{port: 80}], clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ipFamilies: [IPv6]", "spec.clusterIPs[0]: Invalid value: \"10.0.0.1\": expected an IPv6 value as indicated by `ipFamilies[0]`"),
            ("ports: [{port: 80}], clusterIPs: [10.0.0.1]", "spec.clusterIPs: Invalid value: must be empty when `clusterIP` is not specified"),
            ("ports: [{port: 80}], externalIPs: [127.0.0.1]", "spec.externalIPs[0]: Invalid value: \"127.0.0.1\": may not be in the loopback range"),
            ("type: ExternalName, externalName: a.b, ipFamilyPolicy: SingleStack", "spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services"),
            ("ports: [{port: '80'}]", "spec.ports[0].port: WrongType"),
        ]);
    }

    #[test]
    fn what_older_versions_refuse() {
        let frame = "apiVersion: v1\nkind: Service\nmetadata: {name: ss}\nspec: {{}}\n";
        let port = "type: LoadBalancer, ports: [{port: 10250}]";
        let words = "spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet";
        Bench::of(32).refuses_all(frame, &[(port, words)]);
        Bench::of(33).accepts_all(frame, &[port]);
        let policy = "externalIPs: [1.2.3.4], externalTrafficPolicy: Local, ports: [{port: 1}]";
        let words = "spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set when `type` is 'NodePort' or 'LoadBalancer'";
        Bench::of(28).refuses_all(frame, &[(policy, words)]);
        Bench::of(29).accepts_all(frame, &[policy]);
        let annotated = "apiVersion: v1\nkind: Service\nmetadata: {name: ss, annotations: {service.kubernetes.io/topology-aware-hints: auto, service.kubernetes.io/topology-mode: Auto}}\nspec: {ports: [{port: 1}]}\n";
        Bench::of(26).accepts(annotated);
        let words = "metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: \"Auto\": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified";
        Bench::of(27).refuses(annotated, &[words]);
        Bench::of(27).accepts(&annotated.replace("Auto", "auto"));
    }
}

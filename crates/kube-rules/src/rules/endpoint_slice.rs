//! Slices of endpoints: addresses of the type that the slice names, and ports with names of their own.

use core::net::IpAddr;
use std::collections::BTreeSet;

use trueline_kube_facts::{Breach, joined, names, rules};

use super::warning::address;
use super::{Context, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// An address is the one that stands for all.
    UNSPECIFIED: Invalid, "endpoint/unspecified-address", "may not be unspecified ({})";
    /// An address only leads to the machine itself.
    LOOPBACK: Invalid, "endpoint/loopback-address", "may not be in the loopback range (127.0.0.0/8, ::1/128)";
    /// An address is only valid on one network link.
    LINK_LOCAL: Invalid, "endpoint/link-local-address",
        "may not be in the link-local range (169.254.0.0/16, fe80::/10)";
    /// An address is that of a group on one network link.
    MULTICAST: Invalid, "endpoint/multicast-address",
        "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)";
    /// An endpoint has no address.
    NO_ADDRESS: Required, "endpoint/no-address", "must contain at least 1 address";
    /// Two ports of an EndpointSlice have the same name.
    DUPLICATE_PORT: Duplicate, "endpoint/duplicate-port";
    /// A zone or a node is hinted at twice.
    DUPLICATE_HINT: Duplicate, "endpoint/duplicate-hint";
    /// A subset has no addresses.
    NO_ADDRESSES: Required, "endpoint/no-addresses", "must specify `addresses` or `notReadyAddresses`";
    /// An address is not of the family that the slice is for.
    ADDRESS_FAMILY: Invalid, "endpoint/address-family", "must be an {} address";
    /// An address is not the name of a domain.
    DOMAIN_NAME: Invalid, "endpoint/domain-name", "{}";
    /// The name of a domain has only one part.
    SHORT_DOMAIN_NAME: Invalid, "endpoint/short-domain-name",
        "should be a domain with at least two segments separated by dots";
}

/// Checks `discovery.EndpointSlice`.
pub(super) fn check(slice: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let kind = slice.child("addressType").text().unwrap_or_default();
    let endpoints = slice.child("endpoints");
    if endpoints.count() > 1000 {
        return report.too_many(&endpoints, 1000);
    }
    for endpoint in endpoints.items() {
        let addresses = endpoint.child("addresses");
        if addresses.is_empty() {
            report.refuse(&addresses, &NO_ADDRESS);
        }
        if addresses.count() > 100 {
            report.too_many(&addresses, 100);
        }
        for address in addresses.items() {
            check_address(&address, &addresses, kind, report);
            if kind != "FQDN" {
                address::refuse(&address, context, report);
            }
        }
        let node = endpoint.child("nodeName");
        if let Some(text) = node.text().filter(|_| !node.is_absent()) {
            report.complain(&node, names::dns_1123_subdomain(text));
        }
    }
    let mut taken = BTreeSet::new();
    for port in slice.child("ports").items() {
        let name = port.child("name");
        let Some(text) = name.text() else { continue };
        if !text.is_empty() {
            report.complain(&name, names::dns_1123_label(text));
        }
        if !taken.insert(text) {
            report.refuse(&name, &DUPLICATE_PORT);
        }
    }
}

type Syntax = fn(&str) -> Vec<Breach>;

/// So many zones or nodes an endpoint can be meant for.
const MOST_HINTS: usize = 8;

/// Checks `discovery.EndpointHints`: each zone and each node once.
pub(super) fn check_hints(hints: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let lists: [(_, Syntax); 2] = [("forZones", names::label_value), ("forNodes", names::dns_1123_subdomain)];
    for (field, syntax) in lists {
        let list = hints.child(field);
        if list.count() > MOST_HINTS {
            return report.too_many(&list, MOST_HINTS);
        }
        let mut taken = BTreeSet::new();
        for item in list.items() {
            let name = item.child("name");
            let Some(text) = name.text() else { continue };
            if !taken.insert(text) {
                report.refuse(&name, &DUPLICATE_HINT);
            }
            report.complain(&name, syntax(text));
        }
    }
}

/// Checks `core.EndpointSubset`.
pub(super) fn check_subset(subset: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    if subset.child("addresses").is_empty() && subset.child("notReadyAddresses").is_empty() {
        report.refuse(subset, &NO_ADDRESSES);
    }
    for list in ["addresses", "notReadyAddresses"] {
        for address in subset.child(list).items() {
            let address = address.child("ip");
            report.complain(&address, special(address.text().unwrap_or_default()));
            address::refuse(&address, context, report);
        }
    }
    let ports = subset.child("ports");
    for port in ports.items().filter(|_| ports.count() > 1) {
        let name = port.child("name");
        if name.text() == Some("") {
            report.missing(&name);
        }
    }
}

fn check_address(address: &FieldPlace<'_, '_>, list: &FieldPlace<'_, '_>, kind: &str, report: &mut Report) {
    let Some(text) = address.text() else { return };
    match kind {
        "IPv4" | "IPv6" => {
            let complaints = syntax::ip(text);
            if !complaints.is_empty() {
                return report.complain(address, complaints);
            }
            if text.contains(':') == (kind == "IPv4") {
                report.refuse(&list.at(address), ADDRESS_FAMILY.with(kind));
            }
            report.complain(address, special(text));
        }
        "FQDN" => {
            let name = text.strip_suffix('.').unwrap_or(text);
            if name.is_empty() {
                return report.missing(address);
            }
            let complaints = names::dns_1123_subdomain(name);
            if !complaints.is_empty() {
                report.refuse(address, DOMAIN_NAME.with(joined(&complaints, ",")));
            } else if !name.contains('.') {
                report.refuse(address, &SHORT_DOMAIN_NAME);
            }
        }
        _ => {}
    }
}

/// Addresses that lead only to the machine itself or its neighbours.
pub(super) fn special(text: &str) -> Vec<Breach> {
    let Ok(address) = text.parse::<IpAddr>() else { return Vec::new() };
    let (is_link_local, is_link_multicast) = match address {
        IpAddr::V4(address) => (address.is_link_local(), address.octets().starts_with(&[224, 0, 0])),
        IpAddr::V6(address) => {
            let first = address.segments().first().copied().unwrap_or_default();
            (first & 0xffc0 == 0xfe80, first & 0xff0f == 0xff02)
        }
    };
    let mut complaints = Vec::new();
    if address.is_unspecified() {
        complaints.push(UNSPECIFIED.with(text));
    }
    if address.is_loopback() {
        complaints.push(Breach::from(&LOOPBACK));
    }
    if is_link_local {
        complaints.push(Breach::from(&LINK_LOCAL));
    }
    if is_link_multicast {
        complaints.push(Breach::from(&MULTICAST));
    }
    complaints
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn hints() {
        let frame = "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: s}\naddressType: IPv4\nendpoints: [{addresses: [10.0.0.1], hints: {{}}}]\n";
        let bench = Bench::new();
        bench.accepts_all(frame, &["forZones: [{name: a}, {name: B_c}]", "forNodes: [{name: a.b}]"]);
        let named = |node: &str| frame.replace("hints: {{}}", &format!("nodeName: {node}"));
        bench.accepts(&named("a.b"));
        bench.accepts(&named("null"));
        bench.refuses(&named("''"), &["endpoints[0].nodeName: Invalid value: \"\": a lowercase RFC 1123"]);
        let many = format!(
            "forZones: [{}]",
            (0..9).map(|index| format!("{{name: z{index}}}, ")).collect::<String>()
        );
        bench.refuses_all(
            frame,
            &[
                (
                    "forZones: [{name: a}, {name: a}]",
                    "endpoints[0].hints.forZones[1].name: Duplicate value: \"a\"",
                ),
                ("forZones: [{name: a b}]", "endpoints[0].hints.forZones[0].name: Invalid value: \"a b\""),
                (
                    "forNodes: [{name: A}]",
                    "endpoints[0].hints.forNodes[0].name: Invalid value: \"A\": a lowercase RFC 1123",
                ),
                (&many, "endpoints[0].hints.forZones: Too many: 9: must have at most 8 items"),
            ],
        );
    }

    #[test]
    fn slices() {
        let bench = Bench::new();
        let frame = |kind: &str, address: &str| {
            format!(
                "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {{name: e}}\naddressType: {kind}\nendpoints: [{{addresses: [{address}]}}]\n"
            )
        };
        for (kind, address) in
            [("IPv4", "10.0.0.1"), ("IPv6", "'2001:db8::1'"), ("FQDN", "a.b"), ("FQDN", "a.b.")]
        {
            bench.accepts(&frame(kind, address));
        }
        for (kind, address, error) in [
            (
                "IPv4",
                "'2001:db8::1'",
                "endpoints[0].addresses: Invalid value: \"2001:db8::1\": must be an IPv4 address",
            ),
            (
                "IPv6",
                "10.0.0.1",
                "endpoints[0].addresses: Invalid value: \"10.0.0.1\": must be an IPv6 address",
            ),
            ("IPv4", "x", "endpoints[0].addresses[0]: Invalid value: \"x\": must be a valid IP"),
            (
                "IPv4",
                "127.0.0.1",
                "endpoints[0].addresses[0]: Invalid value: \"127.0.0.1\": may not be in the loopback range",
            ),
            (
                "IPv4",
                "0.0.0.0",
                "endpoints[0].addresses[0]: Invalid value: \"0.0.0.0\": may not be unspecified (0.0.0.0)",
            ),
            (
                "IPv6",
                "'fe80::1'",
                "endpoints[0].addresses[0]: Invalid value: \"fe80::1\": may not be in the link-local range",
            ),
            (
                "FQDN",
                "a",
                "endpoints[0].addresses[0]: Invalid value: \"a\": should be a domain with at least two segments",
            ),
            (
                "FQDN",
                "A.b",
                "endpoints[0].addresses[0]: Invalid value: \"A.b\": a lowercase RFC 1123 subdomain",
            ),
            ("IPv4", "", "endpoints[0].addresses: Required value: must contain at least 1 address"),
        ] {
            bench.refuses(&frame(kind, address), &[error]);
        }
        let endpoints = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: e}\nsubsets: [{}]\n";
        bench.accepts_all(endpoints, &["", "{addresses: [{ip: 10.0.0.1}], ports: [{port: 1}]}"]);
        bench.refuses_all(
            endpoints,
            &[
                ("{ports: [{port: 1}]}", "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"),
                ("{addresses: [{ip: 127.0.0.1}]}", "subsets[0].addresses[0].ip: Invalid value: \"127.0.0.1\": may not be in the loopback range"),
                ("{addresses: [{ip: 10.0.0.1}], ports: [{port: 1, name: a}, {port: 2}]}", "subsets[0].ports[1].name: Required value"),
            ],
        );
        let ports = |ports: &str| format!("{}ports: [{ports}]\n", frame("IPv4", "10.0.0.1"));
        bench.accepts(&ports("{name: a, port: 1}, {name: '', port: 1}"));
        bench.refuses(
            &ports("{name: a, port: 1}, {name: a, port: 2}"),
            &["ports[1].name: Duplicate value: \"a\""],
        );
    }
}

//! Network policies: peers and ports.

use trueline_kube_facts::{Breach, names, rules};

use super::{Context, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A range of addresses is not valid, in the words of older servers.
    NOT_A_RANGE: Invalid, "network-policy/range", "not a valid CIDR";
    /// There are more than two policy types.
    TOO_MANY_TYPES: Invalid, "network-policy/too-many-types", "may not specify more than two policyTypes";
    /// A peer selects nothing.
    EMPTY_PEER: Required, "network-policy/empty-peer", "must specify a peer";
    /// A peer has both a block of addresses and a selector.
    BLOCK_AND_SELECTOR: Forbidden, "network-policy/block-and-selector",
        "may not specify both ipBlock and another peer";
    /// An exception is not a part of the block that it is taken from.
    EXCEPTION: Invalid, "network-policy/exception", "must be a strict subset of `cidr`";
    /// `endPort` is lower than `port`.
    END_BEFORE_PORT: Invalid, "network-policy/end-before-port", "must be greater than or equal to `port`";
    /// `endPort` is set, and `port` is a name.
    END_OF_NAMED_PORT: Invalid, "network-policy/end-of-named-port", "may not be specified when `port` is non-numeric";
    /// `endPort` is set, and `port` is missing.
    END_WITHOUT_PORT: Invalid, "network-policy/end-without-port", "may not be specified when `port` is not specified";
}

/// Checks `networking.NetworkPolicySpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let types = spec.child("policyTypes");
    if types.count() > 2 {
        return report.refuse(&types, &TOO_MANY_TYPES);
    }
    for item in types.items() {
        if !matches!(item.text(), None | Some("Ingress" | "Egress")) {
            report.not_supported(&item, &["Ingress", "Egress"]);
        }
    }
}

/// Checks `networking.NetworkPolicyPeer`.
pub(super) fn check_peer(peer: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let block = peer.child("ipBlock");
    let has_selector = !peer.child("podSelector").is_absent() || !peer.child("namespaceSelector").is_absent();
    match (has_selector, block.is_absent()) {
        (false, true) => report.refuse(peer, &EMPTY_PEER),
        (true, false) => report.refuse(peer, &BLOCK_AND_SELECTOR),
        _ => {}
    }
    // Older versions stop at the first range that is none, newer ones at the outer one.
    let is_older = context.version.minor < 30;
    let complaints = |text: &str| match is_older && !syntax::cidr(text).is_empty() {
        true => vec![Breach::from(&NOT_A_RANGE)],
        false => syntax::cidr(text),
    };
    let range = block.child("cidr");
    if let Some(text) = range.full_text() {
        report.complain(&range, complaints(text));
    }
    let outer = range.full_text().and_then(syntax::network);
    if outer.is_none() {
        return;
    }
    for item in block.child("except").items() {
        let Some(text) = item.text() else { continue };
        report.complain(&item, complaints(text));
        if is_older && !syntax::cidr(text).is_empty() {
            return;
        }
        if let (Some(outer), Some(inner)) = (outer, syntax::network(text))
            && !outer.strictly_contains(&inner)
        {
            report.refuse(&item, &EXCEPTION);
        }
    }
}

/// Checks `networking.NetworkPolicyPort`.
pub(super) fn check_port(place: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (port, end) = (place.child("port"), place.child("endPort"));
    match (port.integer(), port.text().filter(|_| !port.is_absent())) {
        (Some(number), _) => {
            report.complain(&port, names::port(number));
            if let Some(last) = end.integer() {
                if last < number {
                    report.refuse(&end, &END_BEFORE_PORT);
                }
                report.complain(&end, names::port(last));
            }
        }
        (None, Some(name)) => {
            report.complain(&port, syntax::port_name(name));
            if !end.is_absent() {
                report.refuse(&end, &END_OF_NAMED_PORT);
            }
        }
        (None, None) if port.is_absent() && !end.is_absent() => {
            report.refuse(&end, &END_WITHOUT_PORT);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn policies() {
        let bench = Bench::new();
        let frame =
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: nn}\nspec: {{}}\n";
        bench.accepts_all(frame, &[
            "podSelector: {}",
            "policyTypes: [Ingress, Egress]",
            "ingress: [{from: [{podSelector: {}, namespaceSelector: {}}], ports: [{port: http}]}]",
            "egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16, 10.0.0.0/9]}}], ports: [{port: 1, endPort: 2, protocol: UDP}]}]",
            "ingress: [{}]",
        ]);
        bench.refuses_all(frame, &[
            ("policyTypes: [ingress]", "spec.policyTypes[0]: Unsupported value: \"ingress\""),
            ("ingress: [{from: [{}]}]", "spec.ingress[0].from[0]: Required value: must specify a peer"),
            ("ingress: [{from: [{podSelector: {}, ipBlock: {cidr: 10.0.0.0/8}}]}]", "spec.ingress[0].from[0]: Forbidden"),
            ("ingress: [{from: [{ipBlock: {cidr: x}}]}]", "spec.ingress[0].from[0].ipBlock.cidr: Invalid value: \"x\""),
            ("ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8, except: [11.0.0.0/16]}}]}]", "spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: \"11.0.0.0/16\": must be a strict subset of `cidr`"),
            ("ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.0.0.0/8]}}]}]", "spec.ingress[0].from[0].ipBlock.except[0]: Invalid value"),
            ("ingress: [{from: [{ipBlock: {cidr: '::/0', except: [10.0.0.0/8]}}]}]", "spec.ingress[0].from[0].ipBlock.except[0]: Invalid value"),
            ("egress: [{ports: [{port: 80, endPort: 79}]}]", "spec.egress[0].ports[0].endPort: Invalid value: 79"),
            ("ingress: [{ports: [{port: 0}]}]", "spec.ingress[0].ports[0].port: Invalid value: 0"),
            ("ingress: [{ports: [{port: 5, endPort: 4}]}]", "spec.ingress[0].ports[0].endPort: Invalid value: 4: must be greater than or equal to `port`"),
            ("ingress: [{ports: [{endPort: 4}]}]", "spec.ingress[0].ports[0].endPort: Invalid value"),
            ("ingress: [{ports: [{port: 1, protocol: tcp}]}]", "spec.ingress[0].ports[0].protocol: Unsupported value: \"tcp\": supported values: \"TCP\", \"UDP\", \"SCTP\""),
        ]);
    }

    #[test]
    fn older_words_about_ranges() {
        let frame = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p}\nspec: {podSelector: {}, ingress: [{from: [{ipBlock: {BLOCK}}]}]}\n";
        let field = "spec.ingress[0].from[0].ipBlock";
        for (block, older, newer) in [
            (
                "cidr: x, except: [z]",
                vec![".cidr: Invalid value: \"x\": not a valid CIDR"],
                vec![".cidr: Invalid value: \"x\": must be a valid CIDR"],
            ),
            (
                "cidr: 10.0.0.0/8, except: [x, z]",
                vec![".except[0]: Invalid value: \"x\": not a valid CIDR"],
                vec![".except[0]: Invalid value: \"x\"", ".except[1]: Invalid value: \"z\""],
            ),
        ] {
            for (minor, errors) in [(29, older), (30, newer)] {
                let errors: Vec<String> = errors.iter().map(|error| format!("{field}{error}")).collect();
                let errors: Vec<&str> = errors.iter().map(String::as_str).collect();
                Bench::of(minor).refuses(&frame.replace("BLOCK", block), &errors);
            }
        }
    }
}

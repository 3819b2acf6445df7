//! Addresses with zeros before numbers, or written in another unusual way: once taken, then warned of, and at last
//! refused.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use trueline_kube_facts::rules;

use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::{Context, syntax};

rules! {
    /// An address has zeros before its numbers.
    LEADING_ZEROS: Invalid in trueline_kube_facts::codes::DEPRECATED_FIELD, "address/leading-zeros",
        "non-standard IP address {} {}: use {}";
    /// An IPv6 address is not written in its shortest form.
    LONG_FORM: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "address/long-form",
        "IPv6 address {} should be in RFC 5952 canonical format ({})";
    /// A range of addresses names a host rather than a network.
    HOST_BITS: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "address/host-bits",
        "CIDR value {} is ambiguous in this context (should be \"{}/{}\" or \"{}/{}\"?)";
}

/// Since this version the server warns of them.
const SINCE: u16 = 33;
/// Since this version it refuses them.
const STRICT: u16 = 36;

/// Whether they are refused.
pub(crate) fn is_strict(context: &Context<'_>) -> bool {
    context.version.minor >= STRICT
}

/// Refuses an address that older servers take.
pub(crate) fn refuse(place: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    if let Some(words) = place.full_text().filter(|_| is_strict(context)).and_then(syntax::odd_ip) {
        report.refuse(place, words);
    }
}

/// Refuses a range of addresses that older servers take.
pub(crate) fn refuse_range(place: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let text = place.full_text().filter(|_| is_strict(context)).map(str::trim);
    if let Some(words) = text.and_then(syntax::odd_cidr) {
        report.refuse(place, words);
    }
}

/// Warns of an address.
pub(super) fn ip(place: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let Some(text) = place.full_text().filter(|_| context.version.minor >= SINCE) else { return };
    let Some(address) = sloppy(text) else { return };
    if is_odd(text, address) {
        let meant = canonical(address);
        let what = match context.version.minor {
            ..STRICT => "will be considered invalid in a future Kubernetes release",
            _ => "is invalid",
        };
        report.deprecated(
            place,
            LEADING_ZEROS.with(format!("{:?}", text)).and(what).and(format!("{:?}", meant)),
            Some(&meant),
        );
    } else if address.is_ipv6() && address.to_string() != text {
        let meant = address.to_string();
        report.warn(place, LONG_FORM.with(format!("{:?}", text)).and(format!("{:?}", meant)));
    }
}

/// Warns of an address, or refuses it.
pub(super) fn told(place: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    match is_strict(context) && place.full_text().and_then(syntax::odd_ip).is_some() {
        true => refuse(place, context, report),
        false => ip(place, context, report),
    }
}

/// Warns of a range of addresses, or refuses it.
pub(super) fn range(place: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    if is_strict(context) && place.full_text().map(str::trim).and_then(syntax::odd_cidr).is_some() {
        return refuse_range(place, context, report);
    }
    let Some(text) = place.full_text().filter(|_| context.version.minor >= SINCE) else { return };
    let Some((address, bits)) = text.trim().split_once('/') else { return };
    let (Some(address), Ok(length)) = (sloppy(address), bits.parse::<u32>()) else { return };
    let network = match address {
        IpAddr::V4(address) if length <= 32 => {
            let mask = u32::MAX.checked_shl(32 - length).unwrap_or_default();
            IpAddr::V4(Ipv4Addr::from(u32::from(address) & mask))
        }
        IpAddr::V6(address) if length <= 128 => {
            let mask = u128::MAX.checked_shl(128 - length).unwrap_or_default();
            IpAddr::V6(Ipv6Addr::from(u128::from(address) & mask))
        }
        _ => return,
    };
    if network != address {
        let all: i64 = if address.is_ipv4() { 32 } else { 128 };
        report.warn(
            place,
            HOST_BITS
                .with(format!("{:?}", text))
                .and(network.to_string())
                .and(i64::from(length))
                .and(address.to_string())
                .and(all),
        );
    }
}

/// An address as Go once read it: numbers may have zeros in front.
fn sloppy(text: &str) -> Option<IpAddr> {
    if text.contains(':') {
        return text.parse().ok().map(IpAddr::V6);
    }
    let mut parts = [0_u8; 4];
    let mut numbers = text.split('.');
    for part in &mut parts {
        let digits = numbers.next().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        *part = digits.parse().ok()?;
    }
    numbers.next().is_none().then(|| IpAddr::V4(Ipv4Addr::from(parts)))
}

/// Zeros in front, or an old address inside a new one.
fn is_odd(text: &str, address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.to_string() != text,
        IpAddr::V6(address) => address.to_ipv4_mapped().is_some(),
    }
}

fn canonical(address: IpAddr) -> String {
    match address {
        IpAddr::V6(inner) => inner.to_ipv4_mapped().map_or_else(|| inner.to_string(), |old| old.to_string()),
        IpAddr::V4(inner) => inner.to_string(),
    }
}

/// Warns in `networking.IPBlock`.
pub(crate) fn check_block(block: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    range(&block.child("cidr"), context, report);
    for item in block.child("except").items() {
        range(&item, context, report);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn addresses() {
        let bench = Bench::new();
        let service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}], externalIPs: ['{}']}\n";
        for (text, words) in [
            ("10.0.0.1", None),
            ("2001:db8::1", None),
            (
                "010.0.0.1",
                Some(
                    "non-standard IP address \"010.0.0.1\" will be considered invalid in a future Kubernetes release: use \"10.0.0.1\"",
                ),
            ),
            (
                "::ffff:10.0.0.1",
                Some("non-standard IP address \"::ffff:10.0.0.1\" will be considered invalid"),
            ),
            (
                "2001:DB8::1",
                Some("IPv6 address \"2001:DB8::1\" should be in RFC 5952 canonical format (\"2001:db8::1\")"),
            ),
        ] {
            let expected = words.map(|words| format!("«'{text}'» spec.externalIPs[0]: {words}"));
            bench.warns(
                &service.replace("{}", text),
                &expected.iter().map(String::as_str).collect::<Vec<_>>(),
            );
            Bench::of(32).warns(&service.replace("{}", text), &[]);
        }
        let policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: nn}\nspec: {podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.1/8}}]}]}\n";
        bench.warns(policy, &["«10.0.0.1/8» spec.ingress[0].from[0].ipBlock.cidr: CIDR value \"10.0.0.1/8\" is ambiguous in this context (should be \"10.0.0.0/8\" or \"10.0.0.1/32\"?)"]);
        bench.warns(&policy.replace("10.0.0.1/8", "0.0.0.0/0"), &[]);
        let newer = Bench::of(36);
        let strict = "must not have bits set beyond the prefix length";
        newer.refuses(
            policy,
            &[&format!("spec.ingress[0].from[0].ipBlock.cidr: Invalid value: \"10.0.0.1/8\": {strict}")],
        );
        newer.updates(policy, policy, &[]);
        let pod =
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], {}}\n";
        let service_part =
            "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}], {}}\n";
        let slice = "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: s}\naddressType: IPv4\nendpoints: [{addresses: [{}]}]\n";
        let endpoints =
            "apiVersion: v1\nkind: Endpoints\nmetadata: {name: s}\nsubsets: [{addresses: [{ip: {}}]}]\n";
        let node = "apiVersion: v1\nkind: Node\nmetadata: {name: m}\nspec: {podCIDRs: ['{}']}\n";
        for (frame, part, error) in [
            (
                pod,
                "hostAliases: [{ip: 010.1.1.1}]",
                "spec.hostAliases[0].ip: Invalid value: \"010.1.1.1\": must not have leading 0s",
            ),
            (
                pod,
                "dnsConfig: {nameservers: [1.1.1.01]}",
                "spec.dnsConfig.nameservers[0]: Invalid value: \"1.1.1.01\": must not have leading 0s",
            ),
            (
                service_part,
                "externalIPs: [010.0.0.1]",
                "spec.externalIPs[0]: Invalid value: \"010.0.0.1\": must not have leading 0s",
            ),
            (
                service_part,
                "clusterIP: 10.0.0.010",
                "spec.clusterIPs[0]: Invalid value: \"10.0.0.010\": must not have leading 0s",
            ),
            (
                service_part,
                "type: LoadBalancer, loadBalancerSourceRanges: [' 10.0.0.1/8 ']",
                "spec.LoadBalancerSourceRanges[0]: Invalid value: \" 10.0.0.1/8 \": must not have bits set",
            ),
            (
                slice,
                "010.0.0.1",
                "endpoints[0].addresses[0]: Invalid value: \"010.0.0.1\": must not have leading 0s",
            ),
            (
                endpoints,
                "010.0.0.1",
                "subsets[0].addresses[0].ip: Invalid value: \"010.0.0.1\": must not have leading 0s",
            ),
            (node, "10.0.0.1/24", "spec.podCIDRs[0]: Invalid value: \"10.0.0.1/24\": must not have bits set"),
        ] {
            newer.refuses(&frame.replacen("{}", part, 1), &[error]);
            bench.accepts(&frame.replacen("{}", part, 1));
        }
    }
}

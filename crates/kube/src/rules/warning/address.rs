//! Addresses that are taken for now: with zeros in front of numbers, or written in an unusual way.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use crate::rules::Context;

/// Since this version the server warns of them.
const SINCE: u16 = 33;

/// Warns of an address.
pub(super) fn ip(place: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let Some(text) = place.full_text().filter(|_| context.version.minor >= SINCE) else { return };
    let Some(address) = sloppy(text) else { return };
    if is_odd(text, address) {
        let meant = canonical(address);
        report.deprecated(
            place,
            format!(
                "non-standard IP address {text:?} will be considered invalid in a future Kubernetes release: use {meant:?}"
            ),
            Some(&meant),
        );
    } else if address.is_ipv6() && address.to_string() != text {
        let meant = address.to_string();
        report
            .warn(place, format!("IPv6 address {text:?} should be in RFC 5952 canonical format ({meant:?})"));
    }
}

/// Warns of a range of addresses.
pub(super) fn range(place: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
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
        let all = if address.is_ipv4() { 32 } else { 128 };
        report.warn(
            place,
            format!(
                "CIDR value {text:?} is ambiguous in this context (should be \"{network}/{length}\" or \
                 \"{address}/{all}\"?)"
            ),
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
pub(crate) fn check_block(block: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
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
    }
}

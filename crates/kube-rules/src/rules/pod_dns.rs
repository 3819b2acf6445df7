//! How a pod finds the addresses of names.

use trueline_kube_facts::{names, rules};

use super::{Context, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A name server is not an IP address.
    NAME_SERVER: Invalid, "pod/name-server", "must be valid IP address";
    /// `dnsPolicy: None` needs `dnsConfig`.
    NO_DNS_CONFIG: Required, "pod/no-dns-config", "must provide `dnsConfig` when `dnsPolicy` is None";
    /// `dnsPolicy: None` needs a name server.
    NO_NAME_SERVER: Required, "pod/no-name-server",
        "must provide at least one DNS nameserver when `dnsPolicy` is None";
    /// There are more than three name servers.
    TOO_MANY_NAME_SERVERS: Invalid, "pod/too-many-name-servers", "must not have more than 3 nameservers";
    /// There are too many search paths.
    TOO_MANY_SEARCH_PATHS: Invalid, "pod/too-many-search-paths", "must not have more than {} search paths";
    /// The search paths are too long together.
    LONG_SEARCH_PATHS: Invalid, "pod/long-search-paths",
        "must not have more than {} characters (including spaces) in the search list";
    /// An option of DNS has no name.
    UNNAMED_DNS_OPTION: Required, "pod/unnamed-dns-option", "must not be empty";
}

/// How many paths are searched, and how many letters they have together with the spaces between them.
const SEARCHED: (usize, usize) = (32, 2048);
/// The same of the first versions.
const SEARCHED_AT_FIRST: (usize, usize) = (6, 256);

/// Since this version all addresses are reported in the same words.
const ONE_ADDRESS: u16 = 30;

fn address(place: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let complaints = place.text().map(syntax::ip).unwrap_or_default();
    match context.version.minor {
        ..ONE_ADDRESS if !complaints.is_empty() => report.refuse(place, &NAME_SERVER),
        ..ONE_ADDRESS => {}
        _ => report.complain(place, complaints),
    }
}

/// Names that a pod gives to addresses. Older servers do not say which of them they mean.
fn host_aliases(list: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let is_older = context.version.minor < ONE_ADDRESS;
    for alias in list.items() {
        let ip = alias.child("ip");
        address(&if is_older { list.child("ip").at(&ip) } else { ip }, context, report);
        for name in alias.child("hostnames").items() {
            let complaints = name.text().map(names::dns_1123_subdomain).unwrap_or_default();
            match is_older {
                true => report.complain(&list.child("hostnames").at(&name), complaints),
                false => report.complain(&name, complaints),
            }
        }
    }
}

/// Checks `core.PodSpec`.
pub(super) fn check(pod: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    host_aliases(&pod.child("hostAliases"), context, report);
    let config = pod.child("dnsConfig");
    let servers = config.child("nameservers");
    if pod.child("dnsPolicy").text() == Some("None") {
        if config.is_absent() {
            return report.refuse(&config, &NO_DNS_CONFIG);
        }
        if servers.is_empty() {
            return report.refuse(&servers, &NO_NAME_SERVER);
        }
    }
    if servers.count() > 3 {
        report.refuse(&servers, &TOO_MANY_NAME_SERVERS);
    }
    for server in servers.items() {
        address(&server, context, report);
    }
    let searches = config.child("searches");
    let (most, longest) = if context.version.minor < 26 { SEARCHED_AT_FIRST } else { SEARCHED };
    if searches.count() > most {
        report.refuse(&searches, TOO_MANY_SEARCH_PATHS.with(most));
    }
    let length = searches.items().map(|item| item.text().map_or(0, str::len) + 1).sum::<usize>();
    if length > longest + 1 {
        report.refuse(&searches, LONG_SEARCH_PATHS.with(longest));
    }
    for item in searches.items() {
        let Some(text) = item.text() else { continue };
        let is_relaxed = context.version.minor >= 33;
        let plain = text.strip_suffix('.').unwrap_or(text);
        match is_relaxed {
            true if text == "." => {}
            true => report.complain(&item, syntax::subdomain_with_underscores(plain)),
            false => report.complain(&item, names::dns_1123_subdomain(plain)),
        }
    }
    for option in config.child("options").items() {
        if option.child("name").text() == Some("") {
            report.refuse(&option, &UNNAMED_DNS_OPTION);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn words_about_addresses() {
        let frame =
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], {}}\n";
        for (part, older, newer) in [
            (
                "hostAliases: [{ip: x, hostnames: [a]}]",
                "spec.hostAliases.ip: Invalid value: \"x\": must be valid IP address",
                "spec.hostAliases[0].ip: Invalid value: \"x\": must be a valid IP address",
            ),
            (
                "hostAliases: [{ip: 1.2.3.4, hostnames: [A]}]",
                "spec.hostAliases.hostnames: Invalid value: \"A\"",
                "spec.hostAliases[0].hostnames[0]: Invalid value: \"A\"",
            ),
            (
                "dnsConfig: {nameservers: [x]}",
                "spec.dnsConfig.nameservers[0]: Invalid value: \"x\": must be valid IP address",
                "spec.dnsConfig.nameservers[0]: Invalid value: \"x\": must be a valid IP address",
            ),
        ] {
            Bench::of(29).refuses_all(frame, &[(part, older)]);
            Bench::of(30).refuses_all(frame, &[(part, newer)]);
        }
    }
}

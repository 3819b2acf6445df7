//! The syntax of strings that only built-in kinds have: what the server demands of them, in its own words.
//!
//! Each function gives the rules that a string breaks; none, if it is well formed. Names and labels, which all
//! kinds have, are in [`names`](trueline_kube_facts::names).

use trueline_gostd::base64::STANDARD;
use trueline_kube_facts::names::dns_1123_subdomain;
use trueline_kube_facts::{Breach, ServerRule, joined, rules};

rules! {
    /// A name is longer than is allowed.
    TOO_LONG: Invalid, "name/long", "must be no more than {} characters";
    /// A host name with `*` is not `*.` and a domain.
    WILDCARD: Invalid, "name/wildcard-subdomain",
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist \
         of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
    /// The name of a port has more than 15 characters.
    LONG_PORT_NAME: Invalid, "port-name/too-long", "must be no more than 15 characters";
    /// The name of a port holds something else than lower-case letters, digits and dashes.
    PORT_NAME_SIGNS: Invalid, "port-name/characters",
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
    /// The name of a port has no letter.
    PORT_NAME_LETTER: Invalid, "port-name/no-letter", "must contain at least one letter (a-z)";
    /// The name of a port has two dashes in a row.
    PORT_NAME_DASHES: Invalid, "port-name/two-dashes", "must not contain consecutive hyphens";
    /// The name of a port begins or ends with a dash.
    PORT_NAME_ENDS: Invalid, "port-name/dash-at-end", "must not begin or end with a hyphen";
    /// The name of a header of HTTP holds something else than letters, digits and dashes.
    HEADER: Invalid, "name/http-header", "a valid HTTP header must consist of alphanumeric characters or '-'";
    /// The name of an environment variable is not allowed.
    VARIABLE: Invalid, "env/name",
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and \
         must not start with a digit";
    /// The name of an environment variable holds `=` or something that cannot be printed.
    PRINTABLE_VARIABLE: Invalid, "env/printable-name",
        "a valid environment variable name must consist only of printable ASCII characters other than '='";
    /// A key of a ConfigMap or a Secret holds something else than letters, digits, `-`, `_` and `.`.
    CONFIG_KEY: Invalid, "config/key", "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    /// A name would be that of a directory.
    DIRECTORY: Invalid, "name/directory", "must not be '{}'";
    /// A name begins with two dots.
    TWO_DOTS: Invalid, "name/two-dots", "must not start with '..'";
    /// A percentage is not an integer and `%`.
    PERCENT: Invalid, "object/percentage",
        "a valid percent string must be a numeric string followed by an ending '%'";
    /// This is not an IP address.
    IP: Invalid, "address/ip", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    /// This is not a range of IP addresses.
    CIDR: Invalid, "address/cidr", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    /// An IPv4 address is written as an IPv6 address.
    MAPPED_IP: Invalid, "address/mapped-ip", "must not be an IPv4-mapped IPv6 address";
    /// A number of an address begins with 0.
    ZEROS_IN_IP: Invalid, "address/ip-with-zeros", "must not have leading 0s";
    /// A number of a range of addresses begins with 0.
    ZEROS_IN_CIDR: Invalid, "address/cidr-with-zeros", "must not have leading 0s in IP or prefix length";
    /// A range of IPv4 addresses is written with an IPv6 address.
    MAPPED_CIDR: Invalid, "address/mapped-cidr", "must not have an IPv4-mapped IPv6 address";
    /// A range of addresses names a host rather than a network.
    HOST_BITS: Invalid, "address/cidr-of-host", "must not have bits set beyond the prefix length";
    /// An address is not written in its shortest form.
    NOT_CANONICAL: Invalid, "address/not-canonical", "must be in canonical form ({})";
    /// A domain name with underscores is not allowed.
    UNDERSCORES: Invalid, "name/subdomain-with-underscores",
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and \
         must start and end with an alphanumeric character";
    /// A name is not a domain, a slash and a path.
    DOMAIN_AND_PATH: Invalid, "name/domain-and-path", "must be a domain-prefixed path (such as \"acme.io/foo\")";
    /// The path after a domain holds something that is not allowed.
    PATH: Invalid, "name/path", "Invalid path";
    /// A name is not a domain.
    DOMAIN: Invalid, "name/domain", "{}";
    /// A domain has fewer than three parts.
    THREE_SEGMENTS: Invalid, "name/three-segments",
        "should be a domain with at least three segments separated by dots";
}

const LABEL_PATTERN: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
/// At most this many bytes in a domain name.
const SUBDOMAIN: usize = 253;

fn too_long(limit: usize) -> Breach {
    TOO_LONG.with(limit)
}

/// A domain name whose first label is `*`.
pub(crate) fn wildcard_subdomain(text: &str) -> Vec<Breach> {
    let mut complaints = Vec::new();
    if text.len() > SUBDOMAIN {
        complaints.push(too_long(SUBDOMAIN));
    }
    if !text.strip_prefix("*.").is_some_and(|rest| dns_1123_subdomain(rest).is_empty()) {
        complaints.push(Breach::pattern(
            &WILDCARD,
            format!("\\*\\.{LABEL_PATTERN}(\\.{LABEL_PATTERN})*"),
            &["*.example.com"],
        ));
    }
    complaints
}

/// The name of a port: at most 15 signs, one of them a letter.
pub(crate) fn port_name(text: &str) -> Vec<Breach> {
    let mut complaints = Vec::new();
    let mut complain = |is_wrong: bool, rule: &'static ServerRule| {
        if is_wrong {
            complaints.push(Breach::from(rule));
        }
    };
    complain(text.len() > 15, &LONG_PORT_NAME);
    complain(
        text.is_empty()
            || !text.bytes().all(|byte| (byte.is_ascii_lowercase() || byte.is_ascii_digit()) || byte == b'-'),
        &PORT_NAME_SIGNS,
    );
    complain(!text.bytes().any(|byte| byte.is_ascii_lowercase()), &PORT_NAME_LETTER);
    complain(text.contains("--"), &PORT_NAME_DASHES);
    complain(text.starts_with('-') || text.ends_with('-'), &PORT_NAME_ENDS);
    complaints
}

/// The name of a header of HTTP.
pub(crate) fn header_name(text: &str) -> Vec<Breach> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Vec::new();
    }
    vec![Breach::pattern(&HEADER, "[-A-Za-z0-9]+", &["X-Header-Name"])]
}

/// The name of an environment variable, as versions before 1.34 want it.
pub(crate) fn environment_name(text: &str) -> Vec<Breach> {
    let is_sign = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'.' | b'_');
    let mut bytes = text.bytes();
    let mut complaints = Vec::new();
    if !(bytes.next().is_some_and(is_sign) && bytes.all(|byte| is_sign(byte) || byte.is_ascii_digit())) {
        complaints.push(Breach::pattern(
            &VARIABLE,
            "[-._a-zA-Z][-._a-zA-Z0-9]*",
            &["my.env-name", "MY_ENV.NAME", "MyEnvName1"],
        ));
    }
    complaints.extend(climbing(text));
    complaints
}

/// The name of an environment variable: printable, and no `=`.
pub(crate) fn relaxed_environment_name(text: &str) -> Vec<Breach> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=') {
        return Vec::new();
    }
    vec![Breach::from(&PRINTABLE_VARIABLE)]
}

/// A key of a ConfigMap or a Secret: it may become the name of a file.
pub(crate) fn config_key(text: &str) -> Vec<Breach> {
    let mut complaints = Vec::new();
    if text.len() > SUBDOMAIN {
        complaints.push(too_long(SUBDOMAIN));
    }
    if text.is_empty()
        || !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    {
        complaints.push(Breach::pattern(
            &CONFIG_KEY,
            "[-._a-zA-Z0-9]+",
            &["key.name", "KEY_NAME", "key-name"],
        ));
    }
    complaints.extend(climbing(text));
    complaints
}

/// What would lead out of a directory.
fn climbing(text: &str) -> Option<Breach> {
    match text {
        "." | ".." => Some(DIRECTORY.with(text)),
        _ => text.starts_with("..").then(|| Breach::from(&TWO_DOTS)),
    }
}

/// A share of a hundred, such as `25%`.
pub(crate) fn percent(text: &str) -> Vec<Breach> {
    let digits = text.strip_suffix('%').unwrap_or_default();
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    vec![Breach::pattern(&PERCENT, "[0-9]+%", &["1%", "93%"])]
}

/// An address.
pub(crate) fn ip(text: &str) -> Vec<Breach> {
    if is_ip(text) {
        return Vec::new();
    }
    vec![Breach::from(&IP)]
}

/// Whether it is an address. Fields of old kinds take zeros before numbers, as Go once did.
pub(crate) fn is_ip(text: &str) -> bool {
    if text.contains(':') {
        return text.parse::<core::net::Ipv6Addr>().is_ok();
    }
    is_ipv4(text)
}

fn is_ipv4(text: &str) -> bool {
    let is_number = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) && {
            let digits = part.trim_start_matches('0');
            digits.len() <= 3 && digits.parse::<u16>().unwrap_or_default() <= 255
        }
    };
    text.split('.').count() == 4 && text.split('.').all(is_number)
}

/// A range of addresses, such as `10.0.0.0/8`.
pub(crate) fn cidr(text: &str) -> Vec<Breach> {
    let is_range = text.split_once('/').is_some_and(|(address, bits)| {
        let most = if address.contains(':') { 128 } else { 32 };
        let is_number = !bits.is_empty() && bits.len() <= 3 && bits.bytes().all(|byte| byte.is_ascii_digit());
        is_ip(address) && is_number && bits.parse::<u16>().is_ok_and(|bits| bits <= most)
    });
    if is_range {
        return Vec::new();
    }
    vec![Breach::from(&CIDR)]
}

/// What newer servers refuse in an address that older ones take, in fields that are older than they.
pub(crate) fn odd_ip(text: &str) -> Option<&'static ServerRule> {
    if text.contains(':') {
        let address: core::net::Ipv6Addr = text.parse().ok()?;
        return address.to_ipv4_mapped().map(|_| &MAPPED_IP);
    }
    let is_odd = is_ipv4(text) && text.split('.').any(has_leading_zero);
    is_odd.then_some(&ZEROS_IN_IP)
}

/// What newer servers refuse in a range of addresses that older ones take.
pub(crate) fn odd_cidr(text: &str) -> Option<&'static ServerRule> {
    let network = network(text)?;
    let (address, bits) = text.split_once('/')?;
    if has_leading_zero(bits) || odd_ip(address).is_some_and(|_| !address.contains(':')) {
        return Some(&ZEROS_IN_CIDR);
    }
    if odd_ip(address).is_some() {
        return Some(&MAPPED_CIDR);
    }
    network.has_host_bits().then_some(&HOST_BITS)
}

fn has_leading_zero(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
}

/// An address in its one form.
pub(crate) fn canonical_ip(text: &str) -> Vec<Breach> {
    let mut complaints = ip(text);
    if complaints.is_empty() {
        complaints.extend(odd_ip(text).map(Breach::from));
    }
    if complaints.is_empty() {
        let address = text.parse::<core::net::IpAddr>().map(|address| address.to_string());
        complaints.extend(address.ok().filter(|address| address != text).map(not_canonical));
    }
    complaints
}

/// A range of addresses in its one form.
pub(crate) fn canonical_cidr(text: &str) -> Vec<Breach> {
    let mut complaints = cidr(text);
    if complaints.is_empty() {
        complaints.extend(odd_cidr(text).map(Breach::from));
    }
    if complaints.is_empty()
        && let Some((address, bits)) = text.split_once('/')
        && let Ok(address) = address.parse::<core::net::IpAddr>()
    {
        let whole = format!("{address}/{bits}");
        complaints.extend(Some(whole).filter(|whole| whole != text).map(not_canonical));
    }
    complaints
}

fn not_canonical(meant: String) -> Breach {
    NOT_CANONICAL.with(format!("{meant:?}"))
}

/// A range of addresses as numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Network {
    /// Its first address, as many bits wide as its family has.
    first: u128,
    /// How many bits of it count.
    bits: u32,
    /// How many bits there are.
    width: u32,
}

impl Network {
    /// Whether all of another range, and more, is in this one.
    pub(crate) fn strictly_contains(&self, other: &Network) -> bool {
        self.width == other.width
            && self.bits < other.bits
            && self.masked(self.first) == self.masked(other.first)
    }

    /// Whether bits are set that do not count.
    fn has_host_bits(&self) -> bool {
        let unused = self.width.saturating_sub(self.bits);
        let mask = 1_u128.checked_shl(unused).map_or(u128::MAX, |bit| bit - 1);
        self.first & mask != 0
    }

    fn masked(&self, address: u128) -> u128 {
        address.checked_shr(self.width.saturating_sub(self.bits)).unwrap_or_default()
    }
}

/// A range of addresses, if it is one.
pub(crate) fn network(text: &str) -> Option<Network> {
    if !cidr(text).is_empty() {
        return None;
    }
    let (address, bits) = text.split_once('/')?;
    let bits = bits.parse().ok()?;
    if address.contains(':') {
        let address: core::net::Ipv6Addr = address.parse().ok()?;
        return Some(Network { first: address.to_bits(), bits, width: 128 });
    }
    let mut first = 0_u128;
    for part in address.split('.') {
        first = (first << 8) | part.parse::<u128>().ok()?;
    }
    Some(Network { first, bits, width: 32 })
}

/// A domain name whose labels may hold underscores.
pub(crate) fn subdomain_with_underscores(text: &str) -> Vec<Breach> {
    let is_label = |label: &str| {
        let plain = label.strip_prefix('_').unwrap_or(label).replace('_', "-");
        let is_end = |end: Option<char>| end.is_some_and(|sign| sign.is_ascii_alphanumeric());
        is_end(plain.chars().next())
            && is_end(plain.chars().last())
            && plain.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let mut problems = Vec::new();
    if text.len() > SUBDOMAIN {
        problems.push(too_long(SUBDOMAIN));
    }
    if !text.split('.').all(is_label) {
        let pattern = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
        problems.push(Breach::pattern(&UNDERSCORES, pattern, &["example.com"]));
    }
    problems
}

/// A domain, and a path after it, such as the name of a controller.
pub(crate) fn domain_prefixed_path(text: &str) -> Vec<Breach> {
    let Some((domain, path)) =
        text.split_once('/').filter(|(domain, path)| !domain.is_empty() && !path.is_empty())
    else {
        return vec![Breach::from(&DOMAIN_AND_PATH)];
    };
    let mut complaints = dns_1123_subdomain(domain);
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
    if !path.bytes().all(is_sign) {
        complaints.push(Breach::pattern(&PATH, "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+", &[]));
    }
    complaints
}

/// A domain with at least two dots, such as the name of a webhook.
pub(crate) fn three_segments(text: &str) -> Vec<Breach> {
    let complaints = dns_1123_subdomain(text);
    if !complaints.is_empty() {
        return vec![DOMAIN.with(joined(&complaints, ","))];
    }
    if text.split('.').count() < 3 {
        return vec![Breach::from(&THREE_SEGMENTS)];
    }
    Vec::new()
}

/// One part of a path, such as the name of a thing whose kind is not known.
pub(crate) fn path_segment(text: &str) -> Vec<Breach> {
    trueline_kube_facts::names::path_segment_name(text, trueline_kube_facts::names::NameUse::Whole)
}

/// What base64 stands for; nothing where it is malformed, which is reported elsewhere.
pub(crate) fn base64(text: &str) -> Vec<u8> {
    STANDARD.decode(text.as_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Syntax = fn(&str) -> Vec<Breach>;

    #[test]
    fn addresses_in_their_one_form() {
        for (text, words) in [
            ("10.0.0.1", None),
            ("2001:db8::1", None),
            ("::", None),
            ("010.0.0.1", Some("must not have leading 0s")),
            ("::ffff:1.2.3.4", Some("must not be an IPv4-mapped IPv6 address")),
            ("2001:DB8::1", Some("must be in canonical form (\"2001:db8::1\")")),
            ("x", Some("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")),
        ] {
            assert_eq!(canonical_ip(text).first().map(Breach::sentence).as_deref(), words, "{text}");
        }
        for (text, words) in [
            ("10.0.0.0/8", None),
            ("0.0.0.0/0", None),
            ("::/0", None),
            ("10.0.0.1/32", None),
            ("2001:db8::/64", None),
            ("10.0.0.1/8", Some("must not have bits set beyond the prefix length")),
            ("10.0.0.0/08", Some("must not have leading 0s in IP or prefix length")),
            ("010.0.0.0/8", Some("must not have leading 0s in IP or prefix length")),
            ("::ffff:10.0.0.0/104", Some("must not have an IPv4-mapped IPv6 address")),
            ("2001:DB8::/64", Some("must be in canonical form (\"2001:db8::/64\")")),
            ("10.0.0.0", Some("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")),
        ] {
            assert_eq!(canonical_cidr(text).first().map(Breach::sentence).as_deref(), words, "{text}");
        }
    }

    #[test]
    fn each_syntax_takes_and_refuses() {
        let cases: &[(Syntax, &[&str], &[&str])] = &[
            (wildcard_subdomain, &["*.a", "*.a.b"], &["*", "a", "*.", "*.*.a", "*.A"]),
            (port_name, &["http", "a-1"], &["", "1", "a--b", "-a", "a-", "HTTP", "abcdefghijklmnop"]),
            (header_name, &["X-A"], &["", "X A", "X_A"]),
            (environment_name, &["A", "_a.b-c1"], &["", "1A", "A B", "..a", "."]),
            (relaxed_environment_name, &["1A", "a b", ".."], &["a=b", "ä", "a\n"]),
            (config_key, &["a", "A_b.c", "-", ".a"], &["", ".", "..", "..a", "a b", "a/b"]),
            (percent, &["0%", "100%"], &["", "%", "1", "-1%", "1.5%", "a%"]),
            (
                ip,
                &["10.0.0.1", "010.0.0.01", "::1", "2001:db8::ffff"],
                &["", "10.0.0", "10.0.0.256", "a", "10.0.0.0/8"],
            ),
            (
                cidr,
                &["10.0.0.0/8", "::/0", "0.0.0.0/32"],
                &["", "10.0.0.0", "10.0.0.0/33", "::/129", "a/8", "10.0.0.0/"],
            ),
            (domain_prefixed_path, &["a.b/c", "a/b/c:d"], &["", "a", "a/", "/a", "A/b", "a/b c"]),
            (three_segments, &["a.b.c", "a.b.c.d"], &["", "a", "a.b", "A.b.c", "a..b"]),
            (path_segment, &["", "system:node", "A b"], &[".", "..", "a/b", "a%b"]),
        ];
        for (syntax, taken, refused) in cases {
            for text in *taken {
                assert_eq!(syntax(text), Vec::new(), "{text:?}");
            }
            for text in *refused {
                assert!(!syntax(text).is_empty(), "{text:?}");
            }
        }
    }
}

//! Requests for certificates and bundles of trusted ones: who signs, what for, and the PEM blocks.

use std::collections::BTreeSet;
use trueline_gostd::base64::STANDARD;

use trueline_kube_facts::names::{self, NameUse};
use trueline_kube_facts::{Breach, go_quoted, rules};

use super::{Context, Operation, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A part of the name of a signer is not allowed.
    SIGNER_LABEL: Invalid, "certificate/signer-label", "validating label {}: {}";
    /// The domain of a signer has no dot.
    SIGNER_DOMAIN: Invalid, "certificate/signer-domain",
        "should be a domain with at least two segments separated by dots";
    /// A trust bundle without a signer has a colon in its name.
    BUNDLE_COLON: Invalid, "certificate/bundle-name",
        "ClusterTrustBundle without signer name must not have \":\" in its name";
    /// The name of a trust bundle does not begin with its signer.
    BUNDLE_PREFIX: Invalid, "certificate/bundle-prefix",
        "ClusterTrustBundle for signerName {} must be named with prefix {}";
    /// A trust bundle holds something else than a certificate.
    ENTRY_KIND: Invalid, "certificate/bundle-entry", "entry {} has bad block type: {}";
    /// A certificate of a trust bundle has headers.
    ENTRY_HEADERS: Invalid, "certificate/bundle-headers", "entry {} has PEM block headers";
    /// A certificate of a trust bundle cannot be read.
    ENTRY_UNREADABLE: Invalid, "certificate/bundle-unreadable", "entry {} does not parse as X.509";
    /// A certificate of a trust bundle is not that of an authority.
    ENTRY_NO_AUTHORITY: Invalid, "certificate/bundle-no-authority", "entry {} does not have the CA bit set";
    /// A trust bundle holds no certificate.
    BUNDLE_EMPTY: Invalid, "certificate/bundle-empty", "at least one trust anchor must be provided";
    /// A trust bundle holds a certificate twice.
    BUNDLE_DUPLICATE: Invalid, "certificate/bundle-duplicate", "duplicate trust anchor (indices [{}])";
    /// `request` does not hold a certificate request that can be read.
    BAD_REQUEST: Invalid, "certificate/bad-request", "{}";
    /// A usage is listed twice.
    DUPLICATE_USAGE: Duplicate, "certificate/duplicate-usage";
    /// The legacy signer cannot be used in this version of the API.
    LEGACY_SIGNER: Invalid, "certificate/legacy-signer", "the legacy signerName is not allowed via this API version";
    /// A certificate is asked for that ends within ten minutes.
    SHORT_DURATION: Invalid, "certificate/short-duration",
        "may not specify a duration less than 600 seconds (10 minutes)";
    /// The name of a signer is not a domain and a path.
    SIGNER_NAME: Invalid, "certificate/signer-name",
        "must be a fully qualified domain and path of the form 'example.com/signer-name'";
}

/// What a certificate may be used for.
const USAGES: &[&str] = &[
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// Checks `certificates.CertificateSigningRequestSpec`.
pub(super) fn check_request(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let request = spec.child("request");
    if let Some(words) = request.text().and_then(wrong_request) {
        report.refuse(&request, BAD_REQUEST.with(words));
    }
    let mut taken = BTreeSet::new();
    for usage in spec.child("usages").items().filter(|_| context.operation == Operation::Create) {
        let Some(text) = usage.text() else { continue };
        if !USAGES.contains(&text) {
            report.not_supported(&usage, USAGES);
        }
        if !taken.insert(text) {
            report.refuse(&usage, &DUPLICATE_USAGE);
        }
    }
    let name = spec.child("signerName");
    if name.text() == Some("kubernetes.io/legacy-unknown") && context.operation == Operation::Create {
        report.refuse(&name, &LEGACY_SIGNER);
    } else {
        signer(&name, report);
    }
    let seconds = spec.child("expirationSeconds");
    if seconds.integer().is_some_and(|seconds| seconds < 600) {
        report.refuse(&seconds, &SHORT_DURATION);
    }
}

/// What is wrong with a request, as far as its outer form shows it: one block of PEM, and one sequence of DER in it.
fn wrong_request(text: &str) -> Option<&'static str> {
    let bytes = syntax::base64(text);
    let pem = String::from_utf8_lossy(&bytes);
    let block = blocks(&pem).find(|block| block.is_base64);
    let Some(block) = block.filter(|block| block.kind == "CERTIFICATE REQUEST") else {
        return Some("PEM block type must be CERTIFICATE REQUEST");
    };
    match element(&block.bytes) {
        None => Some("asn1: syntax error: sequence truncated"),
        Some((0x30, _, [])) => None,
        Some((0x30, _, _)) => Some("asn1: syntax error: trailing data"),
        Some(_) => Some("asn1: structure error: tags don't match"),
    }
}

/// The longest domain and name of who signs.
const LONGEST_DOMAIN: usize = 253;
const LONGEST_SIGNER: usize = LONGEST_DOMAIN + 253 + 63 + 2;

/// Who signs: a domain, a slash and a name.
pub(super) fn signer(place: &FieldPlace<'_, '_>, report: &mut Report) {
    let Some(text) = place.full_text() else { return };
    let parts = text.split_once('/').filter(|(_, path)| !path.contains('/'));
    let Some((domain, path)) = parts else {
        return report.refuse(place, &SIGNER_NAME);
    };
    let mut invalid = |part: &str, breach: Breach| report.refuse_value(place, go_quoted(part), breach);
    let bad_label = |part: &str, check: fn(&str) -> Vec<Breach>| {
        let bad = |label: &str| Some((label.to_owned(), check(label))).filter(|(_, words)| !words.is_empty());
        part.split('.').find_map(bad)
    };
    for (part, found) in [
        (domain, bad_label(domain, names::dns_1123_label)),
        (path, bad_label(path, names::dns_1123_subdomain)),
    ] {
        let Some((label, complaints)) = found else { continue };
        for complaint in complaints {
            invalid(part, SIGNER_LABEL.with(format!("{label:?}")).and(complaint.sentence()));
        }
    }
    if !domain.contains('.') {
        invalid(domain, Breach::from(&SIGNER_DOMAIN));
    }
    if domain.len() > LONGEST_DOMAIN {
        report.too_long(place, LONGEST_DOMAIN);
    }
    if text.len() > LONGEST_SIGNER {
        report.too_long(place, LONGEST_SIGNER);
    }
}

/// The most bytes of a bundle.
const LARGEST: usize = 1024 * 1024;

/// Checks `certificates.ClusterTrustBundleSpec`.
pub(super) fn check_bundle(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let metadata = spec.top().child("metadata");
    let (signer_name, name) = (spec.child("signerName"), metadata.child("name"));
    signer(&signer_name, report);
    if let (Some(text), Some(by)) = (name.full_text(), signer_name.text()) {
        report.complain(&name, bundle_name(text, by));
    }
    let bundle = spec.child("trustBundle");
    // What is stored is not read again.
    let Some(text) = bundle.text().filter(|_| context.operation == Operation::Create) else { return };
    if text.len() > LARGEST {
        return report.too_long(&bundle, LARGEST);
    }
    for breach in anchors(text) {
        report.refuse_value(&bundle, "\"<value omitted>\"", breach);
    }
}

fn bundle_name(name: &str, signer: &str) -> Vec<Breach> {
    if signer.is_empty() {
        if name.contains(':') {
            return vec![Breach::from(&BUNDLE_COLON)];
        }
        return names::object_name(name, NameUse::Whole);
    }
    let prefix = format!("{}:", signer.replace('/', ":"));
    match name.strip_prefix(&prefix) {
        Some(rest) => names::object_name(rest, NameUse::Whole),
        None => vec![BUNDLE_PREFIX.with(signer).and(prefix)],
    }
}

/// What is wrong with the certificates of a bundle.
fn anchors(text: &str) -> Vec<Breach> {
    let mut complaints = Vec::new();
    let mut known: Vec<(Vec<u8>, Vec<usize>)> = Vec::new();
    for (index, block) in blocks(text).enumerate() {
        if block.kind != "CERTIFICATE" {
            complaints.push(ENTRY_KIND.with(index).and(block.kind));
        } else if block.has_headers {
            complaints.push(ENTRY_HEADERS.with(index));
        } else if !is_sequence(&block.bytes) {
            complaints.push(ENTRY_UNREADABLE.with(index));
        } else if !is_authority(&block.bytes) {
            complaints.push(ENTRY_NO_AUTHORITY.with(index));
        } else if let Some((_, places)) = known.iter_mut().find(|(bytes, _)| *bytes == block.bytes) {
            places.push(index);
        } else {
            known.push((block.bytes, vec![index]));
        }
    }
    if !complaints.is_empty() {
        return complaints;
    }
    if known.is_empty() {
        return vec![Breach::from(&BUNDLE_EMPTY)];
    }
    let twice = known.iter().filter(|(_, places)| places.len() > 1);
    twice
        .map(|(_, places)| {
            let list: Vec<String> = places.iter().map(usize::to_string).collect();
            BUNDLE_DUPLICATE.with(list.join(" "))
        })
        .collect()
}

/// A block of a PEM file.
struct Block<'a> {
    kind: &'a str,
    has_headers: bool,
    /// Whether what is in it can be read, unless it begins with headers.
    is_base64: bool,
    bytes: Vec<u8>,
}

/// The blocks of a PEM file; what is no block is passed over.
fn blocks(text: &str) -> impl Iterator<Item = Block<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find("-----BEGIN ")?;
            let (line, body) = rest.get(start..)?.split_once('\n')?;
            rest = body;
            let kind = line.trim_end().strip_prefix("-----BEGIN ")?;
            let Some(kind) = kind.strip_suffix("-----") else { continue };
            let end = format!("-----END {kind}-----");
            let Some((inside, after)) = body.split_once(&end) else { continue };
            rest = after;
            let data = inside.trim_start_matches('\n');
            let has_headers = data.lines().next().is_some_and(|line| line.contains(':'));
            let digits: Vec<u8> = inside.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
            let decoded = STANDARD.decode(&digits);
            let is_base64 = has_headers || decoded.is_ok();
            return Some(Block { kind, has_headers, is_base64, bytes: decoded.unwrap_or_default() });
        }
    })
}

/// Whether the bytes are one sequence of DER, as a certificate is.
fn is_sequence(bytes: &[u8]) -> bool {
    matches!(element(bytes), Some((0x30, _, rest)) if rest.is_empty())
}

/// One element of DER: its tag, its content, and what follows.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(*first), rest),
        _ => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let digits = if digits.len() <= 4 { digits } else { return None };
            (digits.iter().fold(0, |sum, digit| (sum << 8) | usize::from(*digit)), rest)
        }
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

/// The number of the extension that says whether a certificate may sign others, as certificates have it.
const BASIC_CONSTRAINTS: &[u8] = &[0x06, 0x03, 0x55, 0x1d, 0x13];

/// Whether a certificate may sign others.
fn is_authority(certificate: &[u8]) -> bool {
    let start = certificate.windows(BASIC_CONSTRAINTS.len()).position(|part| part == BASIC_CONSTRAINTS);
    let after = start.and_then(|start| certificate.get(start + BASIC_CONSTRAINTS.len()..));
    let says_so = |after: &[u8]| {
        let (mut tag, mut content, rest) = element(after)?;
        // Whether the extension is critical comes first.
        if tag == 0x01 {
            (tag, content, _) = element(rest)?;
        }
        let (_, constraints, _) = element(content).filter(|_| tag == 0x04)?;
        let (tag, content, _) = element(constraints)?;
        Some(tag == 0x01 && content.iter().any(|byte| *byte != 0))
    };
    after.and_then(says_so).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    /// As much of a certificate as is looked at: a sequence with basic constraints that are true.
    const AUTHORITY: &str = "MA8GA1UdEwEB/wQFMAMBAf8=";
    const OTHER: &str = "MAkGA1UdEwQCMAA=";

    #[test]
    fn requests() {
        let bench = Bench::new();
        let request = "apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: {name: nn}\nspec: {request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUFBPQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K, {}}\n";
        bench.accepts_all(request, &["signerName: a.b/c, usages: [client auth]"]);
        bench.refuses_all(
            request,
            &[
                ("signerName: a.b/c, usages: [client auth, client auth]", "spec.usages[1]: Duplicate value: \"client auth\""),
                ("signerName: a.b/c, usages: [client]", "spec.usages[0]: Unsupported value: \"client\": supported values: \"any\", \"cert sign\""),
                ("signerName: a.b/c, usages: [any], expirationSeconds: 599", "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)"),
                ("signerName: ab, usages: [any]", "spec.signerName: Invalid value: \"ab\": must be a fully qualified domain and path of the form 'example.com/signer-name'"),
                ("signerName: ab/c, usages: [any]", "spec.signerName: Invalid value: \"ab\": should be a domain with at least two segments separated by dots"),
                ("signerName: A.b/c, usages: [any]", "spec.signerName: Invalid value: \"A.b\": validating label \"A\": a lowercase RFC 1123 label"),
                ("signerName: kubernetes.io/legacy-unknown, usages: [any]", "spec.signerName: Invalid value: \"kubernetes.io/legacy-unknown\": the legacy signerName is not allowed via this API version"),
            ],
        );
        let frame = "apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: {name: nn}\nspec: {signerName: a.b/c, usages: [client auth], request: {}}\n";
        bench.refuses_all(
            frame,
            &[
                ("YQ==", "spec.request: Invalid value: \"YQ==\": PEM block type"),
                ("''", "spec.request: Invalid value"),
                // Without an end.
                ("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K", "spec.request: Invalid value: \"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K\": PEM block type"),
                // `!!` in place of base64, and base64 of something else.
                ("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KISEKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==", "spec.request: Invalid value: \"LS0t"),
                ("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KWVE9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K", "spec.request: Invalid value: \"LS0t"),
            ],
        );
    }

    #[test]
    fn bundles() {
        let bench = Bench::new();
        let bundle = |name: &str, spec: &str| {
            format!(
                "apiVersion: certificates.k8s.io/v1beta1\nkind: ClusterTrustBundle\nmetadata: {{name: '{name}'}}\nspec:\n  {spec}\n"
            )
        };
        let pem = |kind: &str, data: &str| {
            format!("    -----BEGIN {kind}-----\n    {data}\n    -----END {kind}-----\n")
        };
        let one = format!("trustBundle: |\n{}", pem("CERTIFICATE", AUTHORITY));
        bench.accepts(&bundle("a", &one));
        bench.accepts(&bundle("a.b:c:d", &format!("signerName: a.b/c\n  {one}")));
        for (name, spec, error) in [
            (
                "a",
                "{}".to_owned(),
                "spec.trustBundle: Invalid value: \"<value omitted>\": at least one trust anchor must be provided",
            ),
            (
                "a",
                "trustBundle: ''".to_owned(),
                "spec.trustBundle: Invalid value: \"<value omitted>\": at least one trust anchor must be provided",
            ),
            (
                "a:b",
                one.clone(),
                "metadata.name: Invalid value: \"a:b\": ClusterTrustBundle without signer name must not have \":\" in its name",
            ),
            (
                "a",
                format!("signerName: a.b/c\n  {one}"),
                "metadata.name: Invalid value: \"a\": ClusterTrustBundle for signerName a.b/c must be named with prefix a.b:c:",
            ),
            (
                "a",
                format!("trustBundle: |\n{}", pem("PRIVATE KEY", AUTHORITY)),
                "spec.trustBundle: Invalid value: \"<value omitted>\": entry 0 has bad block type: PRIVATE KEY",
            ),
            (
                "a",
                format!("trustBundle: |\n{}", pem("CERTIFICATE", "YQ==")),
                "spec.trustBundle: Invalid value: \"<value omitted>\": entry 0 does not parse as X.509",
            ),
            (
                "a",
                format!("trustBundle: |\n{}", pem("CERTIFICATE", OTHER)),
                "spec.trustBundle: Invalid value: \"<value omitted>\": entry 0 does not have the CA bit set",
            ),
            (
                "a",
                format!("{one}{}", pem("CERTIFICATE", AUTHORITY)),
                "spec.trustBundle: Invalid value: \"<value omitted>\": duplicate trust anchor (indices [0 1])",
            ),
        ] {
            bench.refuses(&bundle(name, &spec), &[error]);
        }
    }
}

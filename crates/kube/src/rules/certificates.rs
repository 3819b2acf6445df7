//! Requests for certificates and bundles of trusted ones: who signs, what for, and the PEM blocks.

use std::collections::BTreeSet;
use trueline_gostd::base64::STANDARD;

use super::{Context, Operation, syntax};
use crate::field_path::go_quoted;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use crate::names::{self, NameUse};
use crate::{FieldError, Reason};

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
pub(super) fn check_request(spec: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let request = spec.child("request");
    if let Some(words) = request.text().and_then(wrong_request) {
        report.invalid(&request, words);
    }
    let mut taken = BTreeSet::new();
    for usage in spec.child("usages").items().filter(|_| context.operation == Operation::Create) {
        let Some(text) = usage.text() else { continue };
        if !USAGES.contains(&text) {
            report.not_supported(&usage, USAGES);
        }
        if !taken.insert(text) {
            report.duplicate(&usage);
        }
    }
    let name = spec.child("signerName");
    if name.text() == Some("kubernetes.io/legacy-unknown") && context.operation == Operation::Create {
        report.invalid(&name, "the legacy signerName is not allowed via this API version");
    } else {
        signer(&name, report);
    }
    let seconds = spec.child("expirationSeconds");
    if seconds.integer().is_some_and(|seconds| seconds < 600) {
        report.invalid(&seconds, "may not specify a duration less than 600 seconds (10 minutes)");
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
pub(super) fn signer(place: &Place<'_, '_>, report: &mut Report) {
    let Some(text) = place.full_text() else { return };
    let parts = text.split_once('/').filter(|(_, path)| !path.contains('/'));
    let Some((domain, path)) = parts else {
        let words = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        return report.invalid(place, words);
    };
    let mut invalid = |part: &str, words: String| {
        let error = FieldError::new(Reason::Invalid, place.path(), words, None);
        report.refused(place, error.with_value(go_quoted(part)));
    };
    let bad_label = |part: &str, check: fn(&str) -> Vec<String>| {
        let bad = |label: &str| Some((label.to_owned(), check(label))).filter(|(_, words)| !words.is_empty());
        part.split('.').find_map(bad)
    };
    for (part, found) in [
        (domain, bad_label(domain, names::dns_1123_label)),
        (path, bad_label(path, names::dns_1123_subdomain)),
    ] {
        let Some((label, complaints)) = found else { continue };
        for words in complaints {
            invalid(part, format!("validating label {label:?}: {words}"));
        }
    }
    if !domain.contains('.') {
        invalid(domain, "should be a domain with at least two segments separated by dots".to_owned());
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
pub(super) fn check_bundle(spec: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
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
    for words in anchors(text) {
        let error = FieldError::new(Reason::Invalid, bundle.path(), words, None);
        report.refused(&bundle, error.with_value("\"<value omitted>\""));
    }
}

fn bundle_name(name: &str, signer: &str) -> Vec<String> {
    if signer.is_empty() {
        if name.contains(':') {
            return vec!["ClusterTrustBundle without signer name must not have \":\" in its name".to_owned()];
        }
        return names::object_name(name, NameUse::Whole);
    }
    let prefix = format!("{}:", signer.replace('/', ":"));
    match name.strip_prefix(&prefix) {
        Some(rest) => names::object_name(rest, NameUse::Whole),
        None => {
            vec![format!("ClusterTrustBundle for signerName {signer} must be named with prefix {prefix}")]
        }
    }
}

/// What is wrong with the certificates of a bundle.
fn anchors(text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut known: Vec<(Vec<u8>, Vec<usize>)> = Vec::new();
    for (index, block) in blocks(text).enumerate() {
        if block.kind != "CERTIFICATE" {
            complaints.push(format!("entry {index} has bad block type: {}", block.kind));
        } else if block.has_headers {
            complaints.push(format!("entry {index} has PEM block headers"));
        } else if !is_sequence(&block.bytes) {
            complaints.push(format!("entry {index} does not parse as X.509"));
        } else if !is_authority(&block.bytes) {
            complaints.push(format!("entry {index} does not have the CA bit set"));
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
        return vec!["at least one trust anchor must be provided".to_owned()];
    }
    let twice = known.iter().filter(|(_, places)| places.len() > 1);
    twice
        .map(|(_, places)| {
            let list: Vec<String> = places.iter().map(usize::to_string).collect();
            format!("duplicate trust anchor (indices [{}])", list.join(" "))
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
            let Some((inside, behind)) = body.split_once(&end) else { continue };
            rest = behind;
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

/// The number of the extension that says whether a certificate may sign others, as it stands in one.
const BASIC_CONSTRAINTS: &[u8] = &[0x06, 0x03, 0x55, 0x1d, 0x13];

/// Whether a certificate may sign others.
fn is_authority(certificate: &[u8]) -> bool {
    let start = certificate.windows(BASIC_CONSTRAINTS.len()).position(|part| part == BASIC_CONSTRAINTS);
    let behind = start.and_then(|start| certificate.get(start + BASIC_CONSTRAINTS.len()..));
    let says_so = |behind: &[u8]| {
        let (mut tag, mut content, rest) = element(behind)?;
        // Whether the extension is critical stands in front.
        if tag == 0x01 {
            (tag, content, _) = element(rest)?;
        }
        let (_, constraints, _) = element(content).filter(|_| tag == 0x04)?;
        let (tag, content, _) = element(constraints)?;
        Some(tag == 0x01 && content.iter().any(|byte| *byte != 0))
    };
    behind.and_then(says_so).unwrap_or_default()
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

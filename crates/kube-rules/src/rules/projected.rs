//! Projected volumes: one kind of source for each item, and no two files of the same path.

use std::collections::BTreeSet;

use trueline_kube_facts::rules;

use super::pod::non_reserved;
use super::{Context, certificates};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// Two files of a projected volume have the same path.
    CONFLICTING_PATH: Invalid, "projected/conflicting-path", CONFLICT;
    /// A source of a projected volume is of more than one type.
    TWO_SOURCES: Forbidden, "projected/two-sources", "{}";
    /// A token ends within ten minutes.
    SHORT_TOKEN: Invalid, "projected/short-token", "may not specify a duration less than 10 minutes";
    /// A token lasts longer than 2^32 seconds.
    LONG_TOKEN: Invalid, "projected/long-token", "may not specify a duration larger than 2^32 seconds";
    /// A certificate lasts less than an hour.
    SHORT_CERTIFICATE: Invalid, "projected/short-certificate", "if provided, maxExpirationSeconds must be >= 3600";
    /// A certificate lasts longer than is allowed.
    LONG_CERTIFICATE: Invalid, "projected/long-certificate", "if provided, maxExpirationSeconds must be <= {}";
    /// A certificate has no path.
    NO_CERTIFICATE_PATH: Required, "projected/no-certificate-path",
        "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
    /// A trust bundle is chosen both by name and by signer.
    NAME_AND_SIGNER: Invalid, "projected/name-and-signer", "only one of name and signerName may be used";
    /// A trust bundle is chosen neither by name nor by signer.
    NO_NAME_OR_SIGNER: Required, "projected/no-name-or-signer", "either name or signerName must be specified";
    /// A trust bundle is chosen both by name and by labels.
    SELECTOR_WITH_NAME: Invalid, "projected/selector-with-name", "labelSelector must be unset if name is specified";
}

const SOURCES: &[&str] =
    &["secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate"];

const CONFLICT: &str = "conflicting duplicate paths";

/// Checks `core.ProjectedVolumeSource`.
pub(super) fn check(volume: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for source in volume.child("sources").items() {
        for name in ["secret", "configMap"] {
            let inner = source.child(name);
            if !inner.is_absent() && inner.child("name").text() == Some("") {
                report.missing(&inner.child("name"));
            }
        }
        for name in ["secret", "configMap", "downwardAPI"] {
            for item in source.child(name).child("items").items() {
                let path = item.child("path");
                if path.full_text().is_some_and(|text| !taken.insert(text)) {
                    report.refuse(&volume.at(&path), &CONFLICTING_PATH);
                }
            }
        }
        token(&source.child("serviceAccountToken"), volume, context, report);
        let trusted = source.child("clusterTrustBundle");
        bundle(&trusted, report);
        let own = source.child("podCertificate");
        certificate(&own, report);
        let certificates =
            [trusted.child("path")].into_iter().chain(PATHS.iter().map(|field| own.child(field)));
        for path in certificates {
            if path.full_text().is_some_and(|text| !taken.insert(text)) {
                report.refuse(&volume.at(&path), &CONFLICTING_PATH);
            }
        }
        if SOURCES.iter().filter(|name| !source.child(name).is_absent()).count() > 1 {
            let words = match context.version.minor {
                ..31 => "may not specify more than 1 volume type",
                _ => "may not specify more than 1 volume type per source",
            };
            report.refuse(&source, TWO_SOURCES.with(words));
        }
    }
}

/// How long a token may be good for.
pub(super) fn lifetime(expiration: &FieldPlace<'_, '_>, report: &mut Report) {
    match expiration.integer() {
        Some(seconds) if seconds < 600 => {
            report.refuse(expiration, &SHORT_TOKEN);
        }
        Some(seconds) if seconds > 1 << 32 => {
            report.refuse(expiration, &LONG_TOKEN);
        }
        _ => {}
    }
}

/// Since this version, a token is put below its volume, and nowhere else.
const TOKENS_STAY: u16 = 30;

fn token(
    token: &FieldPlace<'_, '_>,
    volume: &FieldPlace<'_, '_>,
    context: &Context<'_>,
    report: &mut Report,
) {
    if token.is_absent() {
        return;
    }
    lifetime(&token.child("expirationSeconds"), report);
    // The server puts the path right after the volume.
    let path = token.child("path");
    let named = volume.child("path");
    if path.text() == Some("") {
        report.missing(&named.at(&path));
    } else if context.version.minor >= TOKENS_STAY {
        non_reserved(&named.at(&path), report);
    }
}

/// Where a certificate, its key, or both are put.
const PATHS: &[&str] = &["credentialBundlePath", "keyPath", "certificateChainPath"];

const KEY_TYPES: &[&str] = &["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];

const DAY: i64 = 24 * 60 * 60;

/// A certificate of the pod itself: who signs it, of which kind the key is, how long it is good for, and where it is put.
fn certificate(certificate: &FieldPlace<'_, '_>, report: &mut Report) {
    if certificate.is_absent() {
        return;
    }
    let (name, kind) = (certificate.child("signerName"), certificate.child("keyType"));
    certificates::signer(&name, report);
    if kind.text().is_some_and(|text| !KEY_TYPES.contains(&text)) {
        report.not_supported(&kind, KEY_TYPES);
    }
    let expiration = certificate.child("maxExpirationSeconds");
    let domain = name.text().unwrap_or_default().split('/').next().unwrap_or_default();
    let is_own = domain == "kubernetes.io" || domain.ends_with(".kubernetes.io");
    let longest = if is_own { DAY } else { 91 * DAY };
    match expiration.integer() {
        Some(seconds) if seconds < 3600 => {
            report.refuse(&expiration, &SHORT_CERTIFICATE);
        }
        Some(seconds) if seconds > longest => {
            report.refuse(&expiration, LONG_CERTIFICATE.with(longest));
        }
        _ => {}
    }
    let paths = PATHS.iter().map(|field| certificate.child(field));
    let mut has_path = false;
    for path in paths.filter(|path| path.text() != Some("")) {
        has_path = true;
        non_reserved(&path, report);
    }
    if !has_path {
        report.refuse(certificate, &NO_CERTIFICATE_PATH);
    }
}

fn bundle(bundle: &FieldPlace<'_, '_>, report: &mut Report) {
    if bundle.is_absent() {
        return;
    }
    match (bundle.child("name").is_absent(), bundle.child("signerName").is_absent()) {
        (false, false) => report.refuse(bundle, &NAME_AND_SIGNER),
        (true, true) => report.refuse(bundle, &NO_NAME_OR_SIGNER),
        (false, true) if !bundle.child("labelSelector").is_absent() => {
            report.refuse(&bundle.child("labelSelector"), &SELECTOR_WITH_NAME);
        }
        _ => {}
    }
    non_reserved(&bundle.child("path"), report);
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn older_versions_put_tokens_anywhere() {
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], volumes: [{name: v, projected: {sources: [{serviceAccountToken: {{}}}]}}]}\n";
        Bench::of(29).accepts_all(frame, &["path: /a", "path: ../a"]);
        let words = "spec.volumes[0].projected.path: Invalid value: \"/a\": must be a relative path";
        Bench::of(30).refuses_all(frame, &[("path: /a", words)]);
    }

    #[test]
    fn projected_sources() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], volumes: [{name: v, projected: {sources: [{}]}}]}\n";
        bench.accepts_all(
            frame,
            &[
                "{secret: {name: s, items: [{key: a, path: b}]}}, {configMap: {name: c, items: [{key: a, path: c}]}}",
                "{serviceAccountToken: {path: token}}",
                "{serviceAccountToken: {path: token, expirationSeconds: 600}}",
                "{downwardAPI: {items: [{path: a, fieldRef: {fieldPath: metadata.name}}]}}",
                "{}",
            ],
        );
        for (part, error) in [
            ("{secret: {}}", ".sources[0].secret.name: Required value"),
            ("{configMap: {items: []}}", ".sources[0].configMap.name: Required value"),
            (
                "{secret: {name: s}, configMap: {name: c}}",
                ".sources[0]: Forbidden: may not specify more than 1 volume type per source",
            ),
            (
                "{secret: {name: s, items: [{key: a, path: b}]}}, {configMap: {name: c, items: [{key: a, path: b}]}}",
                ": Invalid value: \"b\": conflicting duplicate paths",
            ),
            (
                "{serviceAccountToken: {path: t, expirationSeconds: 599}}",
                ".sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
            ),
            ("{serviceAccountToken: {}}", ".path: Required value"),
            ("{serviceAccountToken: {path: /a}}", ".path: Invalid value: \"/a\": must be a relative path"),
            ("{serviceAccountToken: {path: ..a}}", ".path: Invalid value: \"..a\": must not start with '..'"),
            (
                "{secret: {name: s, items: [{key: a, path: ..b}]}}",
                ".sources[0].secret.items[0].path: Invalid value: \"..b\": must not start with '..'",
            ),
        ] {
            bench.refuses(&frame.replace("{}", part), &[&format!("spec.volumes[0].projected{error}")]);
        }
        // Until this version they are dropped.
        let newer = Bench::of(37);
        newer.accepts_all(
            frame,
            &[
                "{podCertificate: {signerName: a.b/c, keyType: ED25519, credentialBundlePath: a}}",
                "{podCertificate: {signerName: a.b/c, keyType: RSA3072, keyPath: a, certificateChainPath: b, maxExpirationSeconds: 7862400}}",
            ],
        );
        for (part, error) in [
            (
                "{clusterTrustBundle: {path: a}}",
                ".sources[0].clusterTrustBundle: Required value: either name or signerName must be specified",
            ),
            (
                "{clusterTrustBundle: {path: a, name: nn, signerName: s}}",
                ".sources[0].clusterTrustBundle: Invalid value: only one of name and signerName may be used",
            ),
            (
                "{podCertificate: {signerName: bad, keyType: ED25519, keyPath: a}}",
                ".sources[0].podCertificate.signerName: Invalid value: \"bad\": must be a fully qualified domain",
            ),
            (
                "{podCertificate: {signerName: a.b/c, keyType: Foo, keyPath: a}}",
                ".sources[0].podCertificate.keyType: Unsupported value: \"Foo\": supported values: \"RSA3072\"",
            ),
            (
                "{podCertificate: {signerName: a.b/c, keyType: ED25519, keyPath: a, maxExpirationSeconds: 1}}",
                ".sources[0].podCertificate.maxExpirationSeconds: Invalid value: 1: if provided, maxExpirationSeconds must be >= 3600",
            ),
            (
                "{podCertificate: {signerName: kubernetes.io/c, keyType: ED25519, keyPath: a, maxExpirationSeconds: 86401}}",
                ".sources[0].podCertificate.maxExpirationSeconds: Invalid value: 86401: if provided, maxExpirationSeconds must be <= 86400",
            ),
            (
                "{podCertificate: {keyType: ED25519, keyPath: a}}",
                ".sources[0].podCertificate.signerName: Required value",
            ),
            (
                "{podCertificate: {signerName: a.b/c, keyPath: a}}",
                ".sources[0].podCertificate.keyType: Unsupported value: \"\": supported values",
            ),
            (
                "{podCertificate: {signerName: a.b/c, keyType: ED25519}}",
                ".sources[0].podCertificate: Required value: specify at least one of",
            ),
            (
                "{podCertificate: {signerName: a.b/c, keyType: ED25519, keyPath: a, certificateChainPath: a}}",
                ": Invalid value: \"a\": conflicting duplicate paths",
            ),
        ] {
            newer.refuses(&frame.replace("{}", part), &[&format!("spec.volumes[0].projected{error}")]);
            bench.accepts(&frame.replace("{}", part));
        }
    }
}

//! Projected volumes: one kind of source for each item, and no two files of the same path.

use std::collections::BTreeSet;

use super::Context;
use super::pod::non_reserved;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;

const SOURCES: &[&str] =
    &["secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate"];

const CONFLICT: &str = "conflicting duplicate paths";

/// Checks `core.ProjectedVolumeSource`.
pub(super) fn check(volume: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for source in volume.child("sources").items() {
        for name in ["secret", "configMap"] {
            let inner = source.child(name);
            if !inner.is_absent() && inner.child("name").text() == Some("") {
                report.required(&inner.child("name"), "");
            }
        }
        for name in ["secret", "configMap", "downwardAPI"] {
            for item in source.child(name).child("items").items() {
                let path = item.child("path");
                if path.full_text().is_some_and(|text| !taken.insert(text)) {
                    report.invalid(&volume.at(&path), CONFLICT);
                }
            }
        }
        token(&source.child("serviceAccountToken"), volume, report);
        bundle(&source.child("clusterTrustBundle"), report);
        if SOURCES.iter().filter(|name| !source.child(name).is_absent()).count() > 1 {
            report.forbidden(&source, "may not specify more than 1 volume type per source");
        }
    }
}

/// How long a token may be good for.
pub(super) fn lifetime(expiration: &Place<'_, '_>, report: &mut Report) {
    match expiration.integer() {
        Some(seconds) if seconds < 600 => {
            report.invalid(expiration, "may not specify a duration less than 10 minutes");
        }
        Some(seconds) if seconds > 1 << 32 => {
            report.invalid(expiration, "may not specify a duration larger than 2^32 seconds");
        }
        _ => {}
    }
}

fn token(token: &Place<'_, '_>, volume: &Place<'_, '_>, report: &mut Report) {
    if token.is_absent() {
        return;
    }
    lifetime(&token.child("expirationSeconds"), report);
    // The server puts the path right behind the volume.
    let path = token.child("path");
    let named = volume.child("path");
    if path.text() == Some("") {
        report.required(&named.at(&path), "");
    } else {
        non_reserved(&named.at(&path), report);
    }
}

fn bundle(bundle: &Place<'_, '_>, report: &mut Report) {
    if bundle.is_absent() {
        return;
    }
    match (bundle.child("name").is_absent(), bundle.child("signerName").is_absent()) {
        (false, false) => report.invalid(bundle, "only one of name and signerName may be used"),
        (true, true) => report.required(bundle, "either name or signerName must be specified"),
        (false, true) if !bundle.child("labelSelector").is_absent() => {
            report
                .invalid(&bundle.child("labelSelector"), "labelSelector must be unset if name is specified");
        }
        _ => {}
    }
    non_reserved(&bundle.child("path"), report);
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

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
                "{clusterTrustBundle: {path: a}}",
                ".sources[0].clusterTrustBundle: Required value: either name or signerName must be specified",
            ),
            (
                "{clusterTrustBundle: {path: a, name: nn, signerName: s}}",
                ".sources[0].clusterTrustBundle: Invalid value: only one of name and signerName may be used",
            ),
            (
                "{secret: {name: s, items: [{key: a, path: ..b}]}}",
                ".sources[0].secret.items[0].path: Invalid value: \"..b\": must not start with '..'",
            ),
        ] {
            bench.refuses(&frame.replace("{}", part), &[&format!("spec.volumes[0].projected{error}")]);
        }
    }
}

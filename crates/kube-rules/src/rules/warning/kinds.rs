//! Single warnings of other kinds.

use trueline_kube_facts::rules;

use super::{annotations, labels, pod};
use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::{Context, syntax};
use crate::scalar::wrong_base64;

rules! {
    /// A certificate or a key is not in PEM.
    NO_CERTIFICATE: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "secret/no-certificate",
        "tls: failed to find any PEM data in {} input";
    /// Endpoints that are names of domains are deprecated.
    DOMAIN_NAMES: Invalid in trueline_kube_facts::codes::DEPRECATED_FIELD, "endpoint/domain-names",
        "FQDN endpoints are deprecated";
    /// A negative limit keeps all revisions.
    NEGATIVE_HISTORY: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "stateful-set/negative-history",
        "a negative value retains all historical revisions; a value >= 0 is recommended";
}

const MOUNTABLE: &[super::Annotation] = &[(
    "kubernetes.io/enforce-mountable-secrets",
    32,
    "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets",
)];
const INGRESS_CLASS: &[super::Annotation] = &[(
    "kubernetes.io/ingress.class",
    22,
    "annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead",
)];

/// Warns in kinds whose name becomes part of the names of pods.
pub(crate) fn check_name(object: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    pod::hostname(object, "this is used in Pod names and hostnames", report);
}

/// Warns in `networking.Ingress`.
pub(crate) fn check_ingress(object: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let spec = object.child("spec");
    if spec.child("ingressClassName").is_absent() {
        annotations(&object.child("metadata"), INGRESS_CLASS, context, report);
    }
}

/// Warns in `core.ServiceAccount`.
pub(crate) fn check_account(object: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    annotations(&object.child("metadata"), MOUNTABLE, context, report);
}

/// Warns in `core.Secret`: whether what is called a certificate and its key are written as such.
pub(crate) fn check_certificate(object: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    if object.child("type").text() != Some("kubernetes.io/tls") {
        return;
    }
    let (data, plain) = (object.child("data"), object.child("stringData"));
    for (key, kind) in [("tls.crt", "certificate"), ("tls.key", "key")] {
        // What is given as text counts more.
        let (place, bytes) = match (plain.on_key(key), data.on_key(key)) {
            (Some(place), _) => {
                let bytes = place.text().unwrap_or_default().as_bytes().to_vec();
                (place, bytes)
            }
            (None, Some(place)) => {
                let text = place.text().unwrap_or_default();
                // What is no base64 was reported as such, and says nothing else.
                if wrong_base64(text).is_some() {
                    return;
                }
                (place, syntax::base64(text))
            }
            (None, None) => return,
        };
        if !bytes.windows(PEM.len()).any(|part| part == PEM) {
            // The server stops at the first.
            return report.warn(&place, NO_CERTIFICATE.with(kind));
        }
    }
}

/// How every block begins.
const PEM: &[u8] = b"-----BEGIN";

/// Warns in `discovery.EndpointSlice`.
pub(crate) fn check_slice(object: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let kind = object.child("addressType");
    if kind.text() == Some("FQDN") {
        report.deprecated(&kind, &DOMAIN_NAMES, None);
    }
}

/// Warns in `node.Scheduling`.
pub(crate) fn check_scheduling(scheduling: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    labels::keys(&scheduling.child("nodeSelector"), report);
}

/// Warns in `apps.StatefulSetSpec`.
pub(crate) fn check_history(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let limit = spec.child("revisionHistoryLimit");
    if limit.integer().is_some_and(|number| number < 0) {
        report.warn(&limit, &NEGATIVE_HISTORY);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn other_kinds() {
        let bench = Bench::new();
        let ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, annotations: {kubernetes.io/ingress.class: nginx}}\nspec: {defaultBackend: {service: {name: s, port: {number: 80}}}}\n";
        bench.warns(ingress, &["«kubernetes.io/ingress.class» metadata.annotations[kubernetes.io/ingress.class]: annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"]);
        let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, annotations: {kubernetes.io/enforce-mountable-secrets: 'true'}}\n";
        bench.warns(account, &["«kubernetes.io/enforce-mountable-secrets» metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+"]);
        Bench::of(31).warns(account, &[]);
        let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ntype: kubernetes.io/tls\nstringData: {tls.crt: '{}', tls.key: b}\n";
        bench.warns(
            &secret.replace("{}", "a"),
            &["«tls.crt» stringData[tls.crt]: tls: failed to find any PEM data in certificate input"],
        );
        bench.warns(
            &secret.replace("{}", "-----BEGIN CERTIFICATE-----"),
            &["«tls.key» stringData[tls.key]: tls: failed to find any PEM data in key input"],
        );
        let slice = "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: e}\naddressType: FQDN\nendpoints: []\n";
        bench.warns(slice, &["«FQDN» addressType: FQDN endpoints are deprecated"]);
        let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec: {revisionHistoryLimit: -1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}}\n";
        bench.warns(
            set,
            &["«-1» spec.revisionHistoryLimit: a negative value retains all historical revisions"],
        );
    }
}

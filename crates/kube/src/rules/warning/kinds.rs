//! Single warnings of other kinds.

use super::{annotations, labels, pod};
use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use crate::rules::Context;

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
pub(crate) fn check_name(object: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    pod::hostname(object, "this is used in Pod names and hostnames", report);
}

/// Warns in `networking.Ingress`.
pub(crate) fn check_ingress(object: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let spec = object.child("spec");
    if spec.child("ingressClassName").is_absent() {
        annotations(&object.child("metadata"), INGRESS_CLASS, context, report);
    }
}

/// Warns in `core.ServiceAccount`.
pub(crate) fn check_account(object: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    annotations(&object.child("metadata"), MOUNTABLE, context, report);
}

/// Warns in `discovery.EndpointSlice`.
pub(crate) fn check_slice(object: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let kind = object.child("addressType");
    if kind.text() == Some("FQDN") {
        report.deprecated(&kind, "FQDN endpoints are deprecated", None);
    }
}

/// Warns in `node.Scheduling`.
pub(crate) fn check_scheduling(scheduling: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    labels::keys(&scheduling.child("nodeSelector"), report);
}

/// Warns in `apps.StatefulSetSpec`.
pub(crate) fn check_history(spec: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let limit = spec.child("revisionHistoryLimit");
    if limit.integer().is_some_and(|number| number < 0) {
        report.warn(&limit, "a negative value retains all historical revisions; a value >= 0 is recommended");
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
        let slice = "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: e}\naddressType: FQDN\nendpoints: []\n";
        bench.warns(slice, &["«FQDN» addressType: FQDN endpoints are deprecated"]);
        let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec: {revisionHistoryLimit: -1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}}\n";
        bench.warns(
            set,
            &["«-1» spec.revisionHistoryLimit: a negative value retains all historical revisions"],
        );
    }
}

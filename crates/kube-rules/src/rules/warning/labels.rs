//! Labels of nodes that have other names now.

use trueline_kube_facts::rules;

use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::Context;

rules! {
    /// A label of nodes has another name now.
    DEPRECATED: Invalid in trueline_kube_facts::codes::DEPRECATED_FIELD, "label/deprecated", "{}";
    /// A label of nodes has another name now.
    DEPRECATED_TOPOLOGY: Invalid in trueline_kube_facts::codes::DEPRECATED_FIELD, "label/deprecated-topology", "{} is {}";
}

/// Labels, the server's words, and what to write instead.
const DEPRECATED_LIMIT: &[(&str, &str, Option<&str>)] = &[
    (
        "beta.kubernetes.io/arch",
        "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
        Some("kubernetes.io/arch"),
    ),
    (
        "beta.kubernetes.io/os",
        "deprecated since v1.14; use \"kubernetes.io/os\" instead",
        Some("kubernetes.io/os"),
    ),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
        Some("topology.kubernetes.io/region"),
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
        Some("topology.kubernetes.io/zone"),
    ),
    (
        "beta.kubernetes.io/instance-type",
        "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
        Some("node.kubernetes.io/instance-type"),
    ),
    ("app.kubernetes.io/created-by", "deprecated since v1.9", None),
    (
        "scheduler.alpha.kubernetes.io/preferAvoidPods",
        "deprecated since v1.22; use Taints and Tolerations instead",
        None,
    ),
    (
        "node-role.kubernetes.io/master",
        "use \"node-role.kubernetes.io/control-plane\" instead",
        Some("node-role.kubernetes.io/control-plane"),
    ),
];

/// Warns of deprecated keys of a map of labels.
pub(super) fn keys(map: &FieldPlace<'_, '_>, report: &mut Report) {
    for (label, words, meant) in DEPRECATED_LIMIT {
        if let Some(place) = map.on_key(label) {
            report.deprecated(&place, DEPRECATED.with(words), *meant);
        }
    }
}

/// Warns of a string that is a deprecated label.
pub(super) fn text(place: &FieldPlace<'_, '_>, report: &mut Report) {
    let Some(text) = place.text() else { return };
    if let Some((label, words, meant)) = DEPRECATED_LIMIT.iter().find(|(label, ..)| *label == text) {
        report.deprecated(place, DEPRECATED_TOPOLOGY.with(label).and(words), *meant);
    }
}

/// Warns in `core.NodeSelectorTerm`.
pub(crate) fn check_term(term: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    for expression in term.child("matchExpressions").items() {
        text(&expression.child("key"), report);
    }
}

/// Warns in `core.TopologySelectorTerm`.
pub(crate) fn check_topology(term: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    for expression in term.child("matchLabelExpressions").items() {
        text(&expression.child("key"), report);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn labels() {
        let bench = Bench::new();
        let pod =
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], {}}\n";
        for (part, warnings) in [
            ("nodeSelector: {kubernetes.io/arch: amd64}", &[][..]),
            (
                "nodeSelector: {beta.kubernetes.io/arch: amd64}",
                &[
                    "«beta.kubernetes.io/arch» spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use \"kubernetes.io/arch\" instead",
                ],
            ),
            (
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: node-role.kubernetes.io/master, operator: Exists}]}]}}}",
                &[
                    "«node-role.kubernetes.io/master» spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: node-role.kubernetes.io/master is use \"node-role.kubernetes.io/control-plane\" instead",
                ],
            ),
            (
                "topologySpreadConstraints: [{maxSkew: 1, topologyKey: failure-domain.beta.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]",
                &[
                    "«failure-domain.beta.kubernetes.io/zone» spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17",
                ],
            ),
        ] {
            bench.warns(&pod.replace("{}", part), warnings);
        }
        let class = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: s}\nprovisioner: a.b/c\nallowedTopologies: [{matchLabelExpressions: [{key: beta.kubernetes.io/os, values: [linux]}]}]\n";
        bench.warns(class, &["«beta.kubernetes.io/os» allowedTopologies[0].matchLabelExpressions[0].key: beta.kubernetes.io/os is deprecated"]);
        let runtime = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: r}\nhandler: h\nscheduling: {nodeSelector: {beta.kubernetes.io/os: linux}}\n";
        bench.warns(
            runtime,
            &["«beta.kubernetes.io/os» scheduling.nodeSelector[beta.kubernetes.io/os]: deprecated"],
        );
    }
}

//! Pods: little may change once they are made; most changes need a new pod.

use std::collections::BTreeSet;
use trueline_kube_facts::{FieldPath, rules};

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_yaml::NodeRef;

use super::compare::Ignored;
use super::{Change, Update, at, node_affinity};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// Containers cannot be added to a pod or removed from it.
    CONTAINERS_CHANGED: Forbidden, "pod/containers-changed", "pod updates may not add or remove containers";
    /// Nearly nothing of a pod can be changed.
    IMMUTABLE_SPEC: Forbidden, "pod/immutable-spec", "{}";
    /// The deadline of a pod can only be shortened.
    DEADLINE_CHANGED: Invalid, "pod/deadline-changed", "{}";
    /// Tolerations of a pod can only be added.
    TOLERATIONS_REMOVED: Forbidden, "pod/tolerations-removed", "{}";
    /// The node selector of a pod can only be narrowed.
    NODE_SELECTOR_CHANGED: Invalid, "pod/node-selector-changed",
        "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
    /// Scheduling gates of a pod can only be removed.
    GATE_ADDED: Forbidden, "pod/gate-added", "only deletion is allowed, but found new scheduling gate '{}'";
}

/// What may change, or has a rule of its own.
const MUTABLE: Ignored = &[
    ("core.Container", "image"),
    ("core.PodSpec", "activeDeadlineSeconds"),
    ("core.PodSpec", "schedulingGates"),
    ("core.PodSpec", "tolerations"),
];

/// A pod that waits at a gate may still be told where it goes.
const GATED: Ignored = &[
    ("core.Affinity", "nodeAffinity"),
    ("core.Container", "image"),
    ("core.PodSpec", "activeDeadlineSeconds"),
    ("core.PodSpec", "nodeSelector"),
    ("core.PodSpec", "schedulingGates"),
    ("core.PodSpec", "tolerations"),
];

/// The words of servers that could not be asked for a list.
const OLD_WORDS: &str = "pod updates may not change fields other than `spec.containers[*].image`, \
                         `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, `spec.tolerations` (only \
                         additions to existing tolerations) or `spec.terminationGracePeriodSeconds` (allow it to be set \
                         to 1 if it was previously negative)";

const WORDS: &str = "pod updates may not change fields other than `spec.containers[*].image`,\
                     `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to \
                     existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was \
                     previously negative)";

/// Checks the update of a Pod.
pub(super) fn check(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    let (spec, old_spec) = (new.child("spec"), old.child("spec"));
    for name in ["containers", "initContainers"] {
        let (list, old_list) = (spec.child(name), old_spec.child(name));
        let (count, old_count) = (list.count(), old_list.count());
        // In a cluster, others may have put containers of their own beside those of the manifest.
        let is_removed = match update.is_merged {
            true => {
                let (now, before) = (container_names(&list), container_names(&old_list));
                let mut applied = update.applied.at(&["spec", name]).items().map(|item| item.text("name"));
                applied.any(|name| before.contains(&name) && !now.contains(&name))
            }
            false => count < old_count,
        };
        if count > old_count || is_removed {
            return report.changed(
                FieldPath::of("spec").field(name),
                &CONTAINERS_CHANGED,
                Change::of(&list, &old_list),
            );
        }
    }
    deadline(&spec, &old_spec, update, report);
    tolerations(&spec, &old_spec, update, report);
    gates(&spec, &old_spec, report);
    let period = old_spec.child("terminationGracePeriodSeconds");
    let is_mended = period.integer().is_some_and(|seconds| seconds < 0)
        && spec.child("terminationGracePeriodSeconds").integer() == Some(1);
    let is_gated = update.version().minor >= 27 && old_spec.child("schedulingGates").count() > 0;
    let ignored = if is_gated { GATED } else { MUTABLE };
    if is_gated {
        node_selector(&spec, &old_spec, update, report);
        node_affinity::check(&spec, &old_spec, update, report);
    }
    let changes = update.changes(new, old, &["spec"], update.removed(), ignored);
    let changes = changes.into_iter().filter(|change| !is_mended || change.old != period.span());
    if let Some(mut change) = Change::joined(changes) {
        change.value = None;
        let words = if update.version().minor >= 27 { WORDS } else { OLD_WORDS };
        report.changed(FieldPath::of("spec"), IMMUTABLE_SPEC.with(words), change);
    }
}

fn container_names<'d>(list: &FieldPlace<'_, 'd>) -> BTreeSet<Option<&'d str>> {
    list.items().map(|item| item.child("name").full_text()).collect()
}

/// A pod may be given less time, not more.
fn deadline(
    spec: &FieldPlace<'_, '_>,
    old_spec: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    at(spec, old_spec, &["activeDeadlineSeconds"], &mut |new, old| {
        let Some(before) = old.integer() else { return };
        let words = match new.integer() {
            Some(seconds) if seconds > before => "must be less than or equal to previous value",
            None if new.is_absent() && !update.keeps(&["spec", "activeDeadlineSeconds"]) => {
                "must not update from a positive integer to nil value"
            }
            _ => return,
        };
        report.changed(
            FieldPath::of("spec.activeDeadlineSeconds"),
            DEADLINE_CHANGED.with(words),
            Change::of(new, old),
        );
    });
}

/// What the cluster lets every pod tolerate for a while, unless the pod says something of it.
const TOLERATED: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/// Tolerations can be added; those that are there stay.
fn tolerations(
    spec: &FieldPlace<'_, '_>,
    old_spec: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    let (new, old) = (spec.child("tolerations"), old_spec.child("tolerations"));
    if update.leaves(&new, &["spec", "tolerations"]) {
        return;
    }
    let words = "existing toleration can not be modified except its tolerationSeconds";
    let stays: FxHashSet<_> = new.items().map(|toleration| identity(&toleration)).collect();
    let added = |key| [Some(key), Some("Exists"), None, Some("NoExecute")];
    for toleration in old.items() {
        let own = identity(&toleration);
        // The cluster adds it again.
        let is_added = TOLERATED.into_iter().any(|key| own == added(key) && !says_something_of(&new, key));
        if !is_added && !stays.contains(&own) {
            let change = Change { old: toleration.span(), ..Change::of(&new, &old) };
            return report.changed(
                FieldPath::of("spec.tolerations"),
                TOLERATIONS_REMOVED.with(words),
                change,
            );
        }
    }
    // A manifest does not show what the cluster added to it.
    let mut hidden = TOLERATED.into_iter().filter(|key| !update.is_stored && !says_something_of(&old, key));
    if hidden.any(|key| says_something_of(&new, key) && !stays.contains(&added(key))) {
        report.changed(
            FieldPath::of("spec.tolerations"),
            TOLERATIONS_REMOVED.with(words),
            Change::of(&new, &old),
        );
    }
}

/// Whether a list of tolerations has one for a taint of this key that evicts pods.
fn says_something_of(tolerations: &FieldPlace<'_, '_>, taint: &str) -> bool {
    tolerations.items().any(|toleration| {
        let [key, _, _, effect] = identity(&toleration);
        key.is_none_or(|key| key == taint) && effect.is_none_or(|effect| effect == "NoExecute")
    })
}

/// A pod that waits at a gate can be narrowed down to fewer nodes, and not to others.
fn node_selector(
    spec: &FieldPlace<'_, '_>,
    old_spec: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    let (new, old) = (spec.child("nodeSelector"), old_spec.child("nodeSelector"));
    let now: FxHashMap<_, _> = new.entries().collect();
    for (key, before) in old.entries() {
        let is_same = match now.get(&key) {
            Some(value) => value.text() == before.text(),
            None => update.keeps(&["spec", "nodeSelector", &key]),
        };
        if !is_same {
            let change =
                now.get(&key).map_or_else(|| Change::of(&new, &before), |value| Change::of(value, &before));
            let change = Change { value: None, ..change };
            return report.changed(FieldPath::of("spec.nodeSelector"), &NODE_SELECTOR_CHANGED, change);
        }
    }
}

/// What makes a toleration: how long it lasts may change.
fn identity<'d>(toleration: &FieldPlace<'_, 'd>) -> [Option<&'d str>; 4] {
    ["key", "operator", "value", "effect"].map(|name| {
        let text = toleration.child(name).node().and_then(NodeRef::text);
        text.filter(|text| !text.is_empty())
    })
}

/// Gates can only be removed.
fn gates(spec: &FieldPlace<'_, '_>, old_spec: &FieldPlace<'_, '_>, report: &mut Report) {
    let (new, old) = (spec.child("schedulingGates"), old_spec.child("schedulingGates"));
    let before: FxHashSet<&str> = old.items().filter_map(|gate| gate.child("name").text()).collect();
    for gate in new.items() {
        let name = gate.child("name");
        let Some(text) = name.text() else { continue };
        if !before.contains(text) {
            report.changed(name.path(), GATE_ADDED.with(text), Change::of(&name, &old));
        }
    }
}

/// The fields in the tables.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = String> {
    MUTABLE.iter().chain(GATED).map(|(definition, field)| format!("{definition}.{field}"))
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  tolerations: [{key: a, operator: Exists}]\n  containers:\n    - {name: a, image: i, ports: [{containerPort: 80}]}\n";
    const WORDS: &str = "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

    #[test]
    fn what_may_change() {
        let bench = Bench::new();
        for (from, to) in [
            ("image: i", "image: j"),
            ("  tolerations", "  activeDeadlineSeconds: 5\n  tolerations"),
            (
                "[{key: a, operator: Exists}]",
                "[{key: b, operator: Exists}, {key: a, operator: Exists, effect: ''}]",
            ),
            ("  tolerations", "  restartPolicy: Always\n  dnsPolicy: ClusterFirst\n  tolerations"),
            (
                "  tolerations",
                "  enableServiceLinks: true\n  terminationGracePeriodSeconds: 30\n  securityContext: {}\n  tolerations",
            ),
            ("{containerPort: 80}", "{containerPort: 80, protocol: TCP}"),
            ("image: i", "image: i, imagePullPolicy: Always"),
            ("  tolerations", "  priority: 0\n  preemptionPolicy: PreemptLowerPriority\n  tolerations"),
        ] {
            bench.updates(POD, &POD.replace(from, to), &[]);
        }
        let stored = POD
            .replace("{name: p}", "{name: p, uid: u}")
            .replace("operator: Exists}]", "operator: Exists}, {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]\n  nodeName: node\n  serviceAccountName: default\n  volumes: [{name: kube-api-access-x, projected: {sources: []}}]")
            .replace("image: i", "image: i, volumeMounts: [{name: kube-api-access-x, mountPath: /var/run}]");
        let stored = stored.replace("image: i", "image: i, env: [{name: INJECTED, value: x}]");
        // Which keys of lists a version publishes makes no difference.
        for version in trueline_kube_api::Api::versions() {
            let bench = Bench::of(version.minor);
            bench.updates(&stored, POD, &[]);
            bench.updates(&stored, &POD.replace("image: i", "image: i, env: []"), &[]);
            let other = stored.replace("value: x", "value: z").replace(", uid: u", "");
            bench.updates(
                &stored,
                &other,
                &["«z» spec.containers[0].env[0].value (was «x») spec: Forbidden: pod updates"],
            );
        }
        // Variables with the same name are the same ones as before.
        let twice = stored.replace("env: [", "env: [{name: A, value: b}, {name: A, value: c}, ");
        bench.updates(&twice, &twice, &[]);
        let gated = POD.replace("  tolerations", "  schedulingGates: [{name: g}]\n  tolerations");
        bench.updates(&gated, &POD.replace("  tolerations", "  nodeSelector: {a: b}\n  tolerations"), &[]);
        let narrowed = gated.replace("  tolerations", "  nodeSelector: {a: b}\n  tolerations");
        bench.updates(&narrowed, &narrowed.replace("{a: b}", "{a: b, c: d}"), &[]);
        bench.updates(
            &narrowed,
            &narrowed.replace("{a: b}", "{a: c}"),
            &["«c» spec.nodeSelector[a] (was «b») spec.nodeSelector: Invalid value: only additions to spec.nodeSelector are allowed (no mutations or deletions)"],
        );
        Bench::of(26).updates_field(&gated, &narrowed, "spec.nodeSelector");
        // What the cluster lets every pod tolerate is added again.
        let tolerated = POD.replace(
            "operator: Exists}]",
            "operator: Exists}, {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute}]",
        );
        bench.updates(&tolerated, POD, &[]);
        bench.updates_with(
            POD,
            &POD.replace("operator: Exists}]", "operator: Exists}, {operator: Exists}]"),
            "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
        );
        let negative = POD.replace("  tolerations", "  terminationGracePeriodSeconds: -1\n  tolerations");
        bench.updates(&negative, &negative.replace("-1", "1"), &[]);
    }

    #[test]
    fn what_may_not_change() {
        let bench = Bench::new();
        for (from, to, place) in [
            (
                "containerPort: 80",
                "containerPort: 81",
                "«81» spec.containers[0].ports[0].containerPort (was «80»)",
            ),
            (
                "  tolerations",
                "  restartPolicy: Never\n  tolerations",
                "«Never» spec.restartPolicy (was «spec»)",
            ),
            (
                "  tolerations",
                "  nodeSelector: {a: b}\n  tolerations",
                "«nodeSelector» spec.nodeSelector (was «spec»)",
            ),
            ("name: a, image", "name: b, image", "«b» spec.containers[0].name (was «a»)"),
            ("  tolerations", "  nodeName: m\n  tolerations", "«m» spec.nodeName (was «spec»)"),
            (
                "  tolerations",
                "  priorityClassName: high\n  tolerations",
                "«high» spec.priorityClassName (was «spec»)",
            ),
            ("  tolerations", "  priority: 5\n  tolerations", "«5» spec.priority (was «spec»)"),
            (
                "  tolerations",
                "  preemptionPolicy: Never\n  tolerations",
                "«Never» spec.preemptionPolicy (was «spec»)",
            ),
            ("  tolerations", "  hostname: h\n  tolerations", "«h» spec.hostname (was «spec»)"),
            ("  tolerations", "  overhead: {cpu: 1}\n  tolerations", "«overhead» spec.overhead (was «spec»)"),
            ("  tolerations", "  hostUsers: false\n  tolerations", "«false» spec.hostUsers (was «spec»)"),
            ("  tolerations", "  affinity: {}\n  tolerations", "«affinity» spec.affinity (was «spec»)"),
            (
                "  tolerations",
                "  terminationGracePeriodSeconds: 0\n  tolerations",
                "«0» spec.terminationGracePeriodSeconds (was «spec»)",
            ),
            (
                "image: i",
                "image: i, imagePullPolicy: Never",
                "«Never» spec.containers[0].imagePullPolicy (was «name»)",
            ),
            (
                "image: i",
                "image: i, resources: {requests: {cpu: 1}}",
                "«1» spec.containers[0].resources.requests[cpu] (was «name»)",
            ),
        ] {
            bench.updates(POD, &POD.replace(from, to), &[&format!("{place} {WORDS}")]);
        }
        bench.updates(
            POD,
            &POD.replace("operator: Exists", "value: b"),
            &["«tolerations» spec.tolerations (was «key») spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"],
        );
        bench.updates(
            POD,
            &format!("{POD}    - {{name: b, image: i}}\n"),
            &["«containers» spec.containers (was «containers») spec.containers: Forbidden: pod updates may not add or remove containers"],
        );
        bench.updates(
            POD,
            &POD.replace("  tolerations", "  schedulingGates: [{name: g}]\n  tolerations"),
            &["«g» spec.schedulingGates[0].name (was «spec») spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"],
        );
        let limited = POD.replace("  tolerations", "  activeDeadlineSeconds: 5\n  tolerations");
        bench.updates(
            &limited,
            &limited.replace(": 5", ": 6"),
            &["«6» spec.activeDeadlineSeconds (was «5») spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value"],
        );
        bench.updates(
            &limited,
            POD,
            &["«spec» spec.activeDeadlineSeconds (was «5») spec.activeDeadlineSeconds: Invalid value: \"\": must not update from a positive integer to nil value"],
        );
    }
}

//! Fields that never change, as a table.

use trueline_kube_facts::common::IMMUTABLE;
use trueline_kube_facts::{FieldPath, Segment, ServerRule, rules};

use super::{Removed, Update};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// The role of a binding cannot be changed.
    ROLE: Invalid, "rbac/role-changed", "cannot change roleRef";
    /// The parameters of a class cannot be changed.
    PARAMETERS: Forbidden, "storage/parameters-changed", "updates to parameters are forbidden.";
    /// The provisioner of a class cannot be changed.
    PROVISIONER: Forbidden, "storage/provisioner-changed", "updates to provisioner are forbidden.";
    /// The reclaim policy of a class cannot be changed.
    RECLAIM_POLICY: Forbidden, "storage/reclaim-policy-changed", "updates to reclaimPolicy are forbidden.";
    /// The driver of a class cannot be changed.
    DRIVER: Forbidden, "storage/driver-changed", "updates to driverName are forbidden.";
    /// The value of a priority class cannot be changed.
    PRIORITY: Forbidden, "priority-class/value-changed", "may not be changed in an update.";
    /// The external id of a node cannot be changed.
    EXTERNAL_ID: Forbidden, "node/external-id-changed", "may not be updated";
}

/// A field that never changes.
struct Fixed {
    group: &'static str,
    kind: &'static str,
    path: &'static [&'static str],
    /// The path that the server writes, where it is another one.
    named: Option<&'static str>,
    rule: &'static ServerRule,
    removed: WhenMissing,
    /// The first version in which it may change.
    until: Option<u16>,
}

/// What it means that the new object lacks the field.
enum WhenMissing {
    /// The server never fills it in, so what is missing was removed.
    Removed,
    /// What a cluster has may have been filled in, and stays.
    Kept,
}

const fn fixed(
    group: &'static str,
    kind: &'static str,
    path: &'static [&'static str],
    rule: &'static ServerRule,
    removed: WhenMissing,
) -> Fixed {
    Fixed { group, kind, path, named: None, rule, removed, until: None }
}

/// The server keeps to the names that these fields have in older events.
const fn event(path: &'static [&'static str], named: &'static str) -> Fixed {
    Fixed { named: Some(named), ..fixed(EVENTS, "Event", path, &IMMUTABLE, WhenMissing::Kept) }
}

const EVENTS: &str = "events.k8s.io";
const STORAGE: &str = "storage.k8s.io";
/// The first version with other words about classes of storage.
const STORAGE_REWORDED: u16 = 36;
const RESOURCE: &str = "resource.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";

static TABLE: &[Fixed] = &[
    fixed("apps", "Deployment", &["spec", "selector"], &IMMUTABLE, WhenMissing::Removed),
    fixed("apps", "DaemonSet", &["spec", "selector"], &IMMUTABLE, WhenMissing::Removed),
    fixed("apps", "ReplicaSet", &["spec", "selector"], &IMMUTABLE, WhenMissing::Removed),
    fixed("apps", "ControllerRevision", &["data"], &IMMUTABLE, WhenMissing::Removed),
    fixed(
        "certificates.k8s.io",
        "ClusterTrustBundle",
        &["spec", "signerName"],
        &IMMUTABLE,
        WhenMissing::Removed,
    ),
    fixed("discovery.k8s.io", "EndpointSlice", &["addressType"], &IMMUTABLE, WhenMissing::Removed),
    fixed("networking.k8s.io", "IngressClass", &["spec", "controller"], &IMMUTABLE, WhenMissing::Removed),
    fixed("networking.k8s.io", "IPAddress", &["spec", "parentRef"], &IMMUTABLE, WhenMissing::Removed),
    fixed("node.k8s.io", "RuntimeClass", &["handler"], &IMMUTABLE, WhenMissing::Removed),
    fixed(RBAC, "ClusterRoleBinding", &["roleRef"], &ROLE, WhenMissing::Removed),
    fixed(RBAC, "RoleBinding", &["roleRef"], &ROLE, WhenMissing::Removed),
    fixed(RESOURCE, "ResourceClaim", &["spec"], &IMMUTABLE, WhenMissing::Kept),
    fixed(RESOURCE, "ResourceClaimTemplate", &["spec"], &IMMUTABLE, WhenMissing::Kept),
    fixed(RESOURCE, "ResourceSlice", &["spec", "driver"], &IMMUTABLE, WhenMissing::Removed),
    fixed(RESOURCE, "ResourceSlice", &["spec", "nodeName"], &IMMUTABLE, WhenMissing::Removed),
    fixed(RESOURCE, "ResourceSlice", &["spec", "pool", "name"], &IMMUTABLE, WhenMissing::Removed),
    fixed("scheduling.k8s.io", "PriorityClass", &["value"], &PRIORITY, WhenMissing::Removed),
    fixed("scheduling.k8s.io", "PriorityClass", &["preemptionPolicy"], &IMMUTABLE, WhenMissing::Removed),
    Fixed {
        named: Some("spec.attachedRequired"),
        ..fixed(STORAGE, "CSIDriver", &["spec", "attachRequired"], &IMMUTABLE, WhenMissing::Kept)
    },
    Fixed {
        until: Some(30),
        ..fixed(STORAGE, "CSIDriver", &["spec", "fsGroupPolicy"], &IMMUTABLE, WhenMissing::Kept)
    },
    Fixed {
        until: Some(30),
        ..fixed(STORAGE, "CSIDriver", &["spec", "podInfoOnMount"], &IMMUTABLE, WhenMissing::Kept)
    },
    fixed(STORAGE, "CSIDriver", &["spec", "volumeLifecycleModes"], &IMMUTABLE, WhenMissing::Kept),
    fixed(STORAGE, "CSIStorageCapacity", &["nodeTopology"], &IMMUTABLE, WhenMissing::Removed),
    fixed(STORAGE, "CSIStorageCapacity", &["storageClassName"], &IMMUTABLE, WhenMissing::Removed),
    fixed(STORAGE, "StorageClass", &["parameters"], &PARAMETERS, WhenMissing::Removed),
    fixed(STORAGE, "StorageClass", &["provisioner"], &PROVISIONER, WhenMissing::Removed),
    fixed(STORAGE, "StorageClass", &["reclaimPolicy"], &RECLAIM_POLICY, WhenMissing::Removed),
    fixed(STORAGE, "StorageClass", &["volumeBindingMode"], &IMMUTABLE, WhenMissing::Removed),
    fixed(STORAGE, "VolumeAttachment", &["spec"], &IMMUTABLE, WhenMissing::Kept),
    fixed(STORAGE, "VolumeAttributesClass", &["driverName"], &DRIVER, WhenMissing::Removed),
    fixed(STORAGE, "VolumeAttributesClass", &["parameters"], &PARAMETERS, WhenMissing::Removed),
    fixed("", "Secret", &["type"], &IMMUTABLE, WhenMissing::Removed),
    fixed("", "Node", &["spec", "externalID"], &EXTERNAL_ID, WhenMissing::Kept),
    event(&["action"], "action"),
    event(&["deprecatedCount"], "count"),
    event(&["deprecatedFirstTimestamp"], "firstTimestamp"),
    event(&["deprecatedLastTimestamp"], "lastTimestamp"),
    event(&["deprecatedSource"], "source"),
    event(&["eventTime"], "eventTime"),
    event(&["note"], "message"),
    event(&["reason"], "reason"),
    event(&["regarding"], "involvedObject"),
    event(&["related"], "related"),
    event(&["reportingController"], "reportingController"),
    event(&["reportingInstance"], "reportingInstance"),
    event(&["type"], "type"),
];

/// Reports fields that changed and never may.
pub(super) fn check(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    for fixed in TABLE {
        if fixed.group != update.kind.group || fixed.kind != update.kind.kind {
            continue;
        }
        if fixed.until.is_some_and(|minor| update.version().minor >= minor) {
            continue;
        }
        let removed = match fixed.removed {
            WhenMissing::Removed => Removed::Counts,
            WhenMissing::Kept => update.removed(),
        };
        let Some(change) = update.change(new, old, fixed.path, removed, &[]) else { continue };
        let field = match fixed.named {
            Some(named) => FieldPath::of(named),
            None => fixed.path.iter().map(|name| Segment::field(*name)).collect(),
        };
        let is_reworded = fixed.kind == "StorageClass" && update.version().minor >= STORAGE_REWORDED;
        report.changed(field, if is_reworded { &IMMUTABLE } else { fixed.rule }, change);
    }
}

/// The kinds in the table.
#[cfg(test)]
pub(super) fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.iter().map(|fixed| (fixed.group, fixed.kind))
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    fn frame(kind: &str, selector: &str) -> String {
        format!(
            "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: d}}\nspec:\n  selector: {selector}\n  template:\n    metadata: {{labels: {{a: b, c: d}}}}\n    spec: {{containers: [{{name: a, image: i}}]}}\n"
        )
    }

    #[test]
    fn selectors_of_workloads() {
        let bench = Bench::new();
        for kind in ["Deployment", "DaemonSet", "ReplicaSet"] {
            let old = frame(kind, "{matchLabels: {a: b}}");
            bench.updates(&old, &old, &[]);
            bench.updates(&old, &frame(kind, "{matchLabels: {a: b}, matchExpressions: []}"), &[]);
            bench.updates(&old, &old.replace("image: i", "image: j"), &[]);
            for (selector, place) in [
                ("{matchLabels: {a: b, c: d}}", "«d» spec.selector.matchLabels[c] (was «matchLabels»)"),
                (
                    "{matchExpressions: [{key: a, operator: Exists}]}",
                    "«matchExpressions» spec.selector.matchExpressions (was «selector»)",
                ),
            ] {
                let expected = format!("{place} spec.selector: Invalid value");
                bench.updates(&old, &frame(kind, selector), &[&expected]);
            }
            // A label that is gone is a change, even if the old object came from a cluster.
            let stored = frame(kind, "{matchLabels: {a: b, c: d}}").replace("{name: d}", "{name: d, uid: u}");
            bench.updates(
                &stored,
                &old,
                &["«matchLabels» spec.selector.matchLabels (was «d») spec.selector: Invalid value: field is immutable"],
            );
        }
    }

    #[test]
    fn a_value_that_is_wrong_in_itself_is_one_mistake() {
        let bench = Bench::new();
        let class = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: s}\nprovisioner: a.b/c\nreclaimPolicy: Delete\n";
        bench.updates(
            class,
            &class.replace("Delete", "delete"),
            &["reclaimPolicy: Unsupported value: \"delete\""],
        );
        bench.updates(class, &class.replace("a.b/c", "5"), &["provisioner: WrongType(String, Number)"]);
        bench.updates(
            class,
            &class.replace("Delete", "Retain").replace("a.b/c", "5"),
            &["provisioner: WrongType", "«Retain» reclaimPolicy (was «Delete») reclaimPolicy: Forbidden"],
        );
    }

    #[test]
    fn fields_that_never_change() {
        let bench = Bench::new();
        let class = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: s}\nprovisioner: a.b/c\nparameters: {type: x}\n";
        bench.updates(class, &format!("{class}reclaimPolicy: Delete\nvolumeBindingMode: Immediate\n"), &[]);
        bench.updates(class, &format!("{class}allowVolumeExpansion: true\n"), &[]);
        bench.updates(
            class,
            &format!("{class}reclaimPolicy: Retain\n"),
            &["«Retain» reclaimPolicy (was «StorageClass») reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden."],
        );
        bench.updates(
            class,
            &class.replace("{type: x}", "{type: z}"),
            &["«z» parameters[type] (was «x») parameters: Forbidden: updates to parameters are forbidden."],
        );
        bench.updates(
            class,
            &class.replace("a.b/c", "a.b/d"),
            &["«a.b/d» provisioner (was «a.b/c») provisioner: Forbidden: updates to provisioner are forbidden."],
        );
        Bench::of(36).updates(
            class,
            &class.replace("a.b/c", "a.b/d"),
            &["«a.b/d» provisioner (was «a.b/c») provisioner: Invalid value: \"a.b/d\": field is immutable"],
        );
        let binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: r}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}\n";
        bench.updates(
            binding,
            &binding.replace("name: a}", "name: b}"),
            &["«b» roleRef.name (was «a») roleRef: Invalid value: \"b\": cannot change roleRef"],
        );
        let priority =
            "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: p}\nvalue: 5\n";
        bench.updates(priority, &format!("{priority}preemptionPolicy: PreemptLowerPriority\n"), &[]);
        bench.updates(
            priority,
            &priority.replace('5', "6"),
            &["«6» value (was «5») value: Forbidden: may not be changed in an update."],
        );
        let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n";
        bench.updates(secret, &format!("{secret}type: Opaque\n"), &[]);
        bench.updates(
            secret,
            &format!("{secret}type: x\n"),
            &["«x» type (was «Secret») type: Invalid value: \"x\": field is immutable"],
        );
        let driver = "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: d}\nspec: {}\n";
        bench.updates(driver, &driver.replace("{}", "{attachRequired: true}"), &[]);
        let policy = driver.replace("{}", "{fsGroupPolicy: File}");
        bench.updates(&policy, &policy.replace("File", "None"), &[]);
        Bench::of(29).updates_field(&policy, &policy.replace("File", "None"), "spec.fsGroupPolicy");
        bench.updates(
            &driver.replace("{}", "{attachRequired: true}"),
            &driver.replace("{}", "{attachRequired: false}"),
            &["«false» spec.attachRequired (was «true») spec.attachedRequired: Invalid value: false: field is immutable"],
        );
    }
}

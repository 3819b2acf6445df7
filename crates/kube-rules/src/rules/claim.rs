//! Volumes of the cluster and claims on them: how they are used, and how much.

use trueline_kube_facts::{FieldError, go_quoted, names, rules};

use super::{Context, Operation, volume};
use crate::place::FieldPlace;
use crate::problem::{Problem, Report};

rules! {
    /// A volume claim has no access mode.
    NO_ACCESS_MODE: Required, "claim/no-access-mode", "at least 1 access mode is required";
    /// A volume claim asks for no storage.
    EMPTY_REQUEST: Invalid, "claim/empty-request", "must be greater than zero";
    /// `dataSource` and `dataSourceRef` do not agree.
    TWO_SOURCES: Invalid, "claim/two-sources", "{}";
    /// A data source without a group is not a volume claim.
    SOURCE_KIND: Invalid, "claim/source-kind",
        "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    /// The root directory of a node must not be recycled.
    RECYCLED_ROOT: Forbidden, "volume/recycled-root", "may not be 'recycle' for a hostPath mount of '/'";
    /// A local volume does not say which node it is on.
    LOCAL_WITHOUT_AFFINITY: Required, "volume/local-without-affinity", "Local volume requires node affinity";
    /// A volume has no source.
    NO_SOURCE: Required, "volume/no-source", "must specify a volume type";
    /// The capacity of a volume is not a quantity.
    UNREADABLE_CAPACITY: Invalid, "volume/unreadable-capacity", "must be a valid resource quantity";
    /// The capacity of a volume is not above zero.
    NO_CAPACITY: Invalid, "volume/no-capacity", "must be greater than zero";
    /// The name of the attributes class is an empty string.
    EMPTY_ATTRIBUTES_CLASS: Required, "volume/empty-attributes-class", "an empty string is disallowed";
    /// An attributes class needs a CSI volume.
    ATTRIBUTES_CLASS_WITHOUT_CSI: Required, "volume/attributes-class-without-csi",
        "has to be specified when using volumeAttributesClassName";
    /// A field is set that inline volumes do not have.
    NOT_INLINE: Forbidden, "volume/not-inline", "may not be specified in the context of inline volumes";
    /// An inline volume is not a CSI volume.
    INLINE_WITHOUT_CSI: Required, "volume/inline-without-csi", "has to be specified in the context of inline volumes";
    /// An inline volume can only be retained.
    INLINE_POLICY: Forbidden, "volume/inline-policy", "may only be Retain in the context of inline volumes";
    /// An inline volume is a file system.
    INLINE_MODE: Forbidden, "volume/inline-mode",
        "may not specify volumeMode other than Filesystem in the context of inline volumes";
    /// `ReadWriteOncePod` is used with other access modes.
    READ_WRITE_ONCE_POD_ALONE: Forbidden, "claim/read-write-once-pod-alone",
        "may not use ReadWriteOncePod with other access modes";
}

/// The fields of a volume that do not say where its data is.
pub(super) const VOLUME_SETTINGS: [&str; 9] = [
    "accessModes",
    "capacity",
    "claimRef",
    "mountOptions",
    "nodeAffinity",
    "storageClassName",
    "persistentVolumeReclaimPolicy",
    "volumeMode",
    "volumeAttributesClassName",
];

/// Checks `core.PersistentVolumeClaimSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let modes = spec.child("accessModes");
    if modes.is_empty() {
        report.refuse(&modes, &NO_ACCESS_MODE);
    }
    exclusive(&modes, context, report);
    let resources = spec.child("resources");
    let requests = resources.child("requests");
    let storage = requests.child("storage");
    // The server puts the name of the resource right after `resources`.
    let named = |place: &FieldPlace<'_, '_>| place.path().key("storage");
    if storage.is_absent() {
        report.missing_at(named(&resources), resources.span());
    } else if storage.quantity().is_some_and(|amount| !amount.is_positive()) {
        report.refuse_at(named(&resources), &storage, &EMPTY_REQUEST);
    }
    let (source, reference) = (spec.child("dataSource"), spec.child("dataSourceRef"));
    let differs = |field: &'static str| {
        let (one, other) = (source.child(field), reference.child(field));
        one.text() != other.text() || (field == "apiGroup" && one.is_absent() != other.is_absent())
    };
    // Of a claim itself, one is filled in from the other; a template stays as it is.
    let is_claim = context.kind == "PersistentVolumeClaim";
    match (source.is_absent(), reference.is_absent()) {
        (false, true) if is_claim && !is_old_source(&source) => {
            // It is dropped where it is alone.
            return report.forget_below(&source.path());
        }
        _ => {}
    }
    data_source(&reference, context, report);
    data_source(&source, context, report);
    let is_far = reference.child("namespace").full_text().is_some();
    if source.is_absent() != reference.is_absent() && is_claim && !is_far {
        let (whole, filled) = if source.is_absent() { (&reference, &source) } else { (&source, &reference) };
        let (path, filled) = (whole.path(), filled.path());
        let is_in = |problem: &&Problem| problem.field.below(&path).is_some();
        let again = report.problems.iter().filter(is_in).cloned().collect();
        report.adopt(Report { problems: again }, &path, &filled);
    }
    if source.is_absent() || reference.is_absent() {
        return;
    }
    // The server names the whole claim.
    let words = if is_far {
        "may not be specified when dataSourceRef.namespace is specified"
    } else if ["apiGroup", "kind", "name"].into_iter().any(differs) {
        "must match dataSourceRef"
    } else {
        return;
    };
    report.refused(&source, FieldError::new(TWO_SOURCES.with(words), spec.path(), None));
}

/// Whether it is one of those that could be named before there was a field for all others.
fn is_old_source(source: &FieldPlace<'_, '_>) -> bool {
    let text = |field| source.child(field).text().unwrap_or_default();
    matches!(
        (text("apiGroup"), text("kind")),
        ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
    )
}

/// Since this version the group of what a claim is filled from has to be one.
const LOOKS_AT_GROUPS: u16 = 29;

/// What a claim is filled from.
fn data_source(source: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (group, kind) = (source.child("apiGroup"), source.child("kind"));
    let (Some(group_text), Some(kind_text)) = (group.text(), kind.text()) else { return };
    if source.is_absent() {
        return;
    }
    if group_text.is_empty() && kind_text != "PersistentVolumeClaim" {
        let error = FieldError::new(&SOURCE_KIND, source.path(), None);
        report.refused(&kind, error.with_value(go_quoted(kind_text)));
    }
    // What is stored may stay as it is.
    let is_strict = context.version.minor >= LOOKS_AT_GROUPS && context.operation == Operation::Create;
    if is_strict && !group_text.is_empty() {
        report.complain(&group, names::dns_1123_subdomain(group_text));
    }
    let namespace = source.child("namespace");
    if let Some(text) = namespace.full_text() {
        report.complain(&namespace, names::dns_1123_label(text));
    }
}

/// The sources of a volume in the order in which the server looks at them.
const SOURCES: [&str; 22] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

/// Checks `core.PersistentVolumeSpec`.
pub(super) fn check_volume(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let modes = spec.child("accessModes");
    if modes.is_empty() {
        report.missing(&modes);
    }
    exclusive(&modes, context, report);
    if context.kind == "PersistentVolume" {
        check_whole(spec, report);
    } else {
        check_inline(spec, report);
    }
    let host_path = spec.child("hostPath");
    let policy = spec.child("persistentVolumeReclaimPolicy");
    if host_path.child("path").full_text().is_some_and(is_root) && policy.text() == Some("Recycle") {
        report.refuse(&policy, &RECYCLED_ROOT);
    }
    let mut count = 0;
    for name in SOURCES {
        let source = spec.child(name);
        if source.is_absent() {
            continue;
        }
        // One of them is let through beside others.
        if count > 0 && name != "flexVolume" {
            volume::one_too_many(spec, &source, report);
        } else if name == "local"
            && (spec.child("nodeAffinity").is_absent() || context.kind != "PersistentVolume")
        {
            // Only some nodes have the directory.
            report.refuse(&spec.child("nodeAffinity"), &LOCAL_WITHOUT_AFFINITY);
        }
        count += 1;
    }
    if count == 0 {
        report.refuse(spec, &NO_SOURCE);
    }
}

/// Whether a path leads to the root, once it is taken apart.
fn is_root(path: &str) -> bool {
    let mut depth = 0_usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = depth.saturating_sub(1),
            _ => depth += 1,
        }
    }
    path.starts_with('/') && depth == 0
}

/// What only a volume of the cluster has.
fn check_whole(spec: &FieldPlace<'_, '_>, report: &mut Report) {
    let capacity = spec.child("capacity");
    if capacity.is_empty() {
        report.missing(&capacity);
    }
    if capacity.entry("storage").is_none() || capacity.entries().count() > 1 {
        report.not_supported(&capacity, &["storage"]);
    }
    for (_, amount) in capacity.entries() {
        let Some(size) = amount.quantity() else { continue };
        if size.is_negative() {
            report.refuse(&amount, &UNREADABLE_CAPACITY);
        }
        if !size.is_positive() {
            report.refuse(&amount, &NO_CAPACITY);
        }
    }
    let class = spec.child("volumeAttributesClassName");
    if !class.is_absent() {
        if class.text() == Some("") {
            report.refuse(&class, &EMPTY_ATTRIBUTES_CLASS);
        }
        if spec.child("csi").is_absent() {
            report.refuse(&spec.child("csi"), &ATTRIBUTES_CLASS_WITHOUT_CSI);
        }
    }
}

/// What a volume cannot have that is written into an attachment.
fn check_inline(spec: &FieldPlace<'_, '_>, report: &mut Report) {
    for field in ["claimRef", "capacity", "nodeAffinity", "storageClassName"] {
        let place = spec.child(field);
        if place.is_absent() || (field != "claimRef" && field != "nodeAffinity" && place.is_empty()) {
            continue;
        }
        report.forget_below(&place.path());
        report.refuse(&place, &NOT_INLINE);
    }
    if spec.child("csi").is_absent() {
        report.refuse(&spec.child("csi"), &INLINE_WITHOUT_CSI);
    }
    let (policy, mode) = (spec.child("persistentVolumeReclaimPolicy"), spec.child("volumeMode"));
    if policy.full_text().is_some_and(|text| text != "Retain") {
        report.forget_below(&policy.path());
        report.refuse(&policy, &INLINE_POLICY);
    }
    if !mode.is_absent() && mode.text().is_some_and(|text| text != "Filesystem") {
        report.forget_below(&mode.path());
        report.refuse(&mode, &INLINE_MODE);
    }
    report.forget_below(&spec.child("volumeAttributesClassName").path());
}

/// The first version in which a volume can belong to one pod alone.
const SINGLE_POD: u16 = 27;

fn exclusive(modes: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let is_single = |item: &FieldPlace<'_, '_>| item.text() == Some("ReadWriteOncePod");
    if context.version.minor < SINGLE_POD {
        for mode in modes.items().filter(|item| is_single(item)) {
            report.not_supported(&modes.at(&mode), &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"]);
        }
        return;
    }
    let is_other = |item: &FieldPlace<'_, '_>| {
        matches!(item.text(), Some("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce"))
    };
    if modes.items().any(|item| is_single(&item)) && modes.items().any(|item| is_other(&item)) {
        report.refuse(modes, &READ_WRITE_ONCE_POD_ALONE);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn claims() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: p}\nspec: {{}}\n";
        bench.accepts_all(frame, &["accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}", "accessModes: [ReadWriteMany, ReadOnlyMany], storageClassName: '', resources: {requests: {storage: 1}}", "accessModes: [ReadWriteOncePod], volumeMode: Block, resources: {requests: {storage: 1Gi}}"]);
        bench.refuses_all(
            frame,
            &[
                (
                    "resources: {requests: {storage: 1Gi}}",
                    "spec.accessModes: Required value: at least 1 access mode is required",
                ),
                (
                    "accessModes: [RWO], resources: {requests: {storage: 1Gi}}",
                    "spec.accessModes: Unsupported value: \"RWO\"",
                ),
                ("accessModes: [ReadWriteOnce]", "spec.resources[storage]: Required value"),
                (
                    "accessModes: [ReadWriteOnce], resources: {requests: {storage: 0}}",
                    "spec.resources[storage]: Invalid value: 0: must be greater than zero",
                ),
                (
                    "accessModes: [ReadWriteOnce, ReadWriteOncePod], resources: {requests: {storage: 1}}",
                    "spec.accessModes: Forbidden",
                ),
                (
                    "accessModes: [ReadWriteOnce], resources: {requests: {storage: 1GB}}",
                    "spec.resources.requests[storage]: Unreadable",
                ),
            ],
        );
    }

    #[test]
    fn sources_of_claims() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: p}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, {}}\n";
        bench.accepts_all(
            frame,
            &[
                "dataSource: {kind: PersistentVolumeClaim, name: a}, dataSourceRef: {kind: PersistentVolumeClaim, name: a}",
                "dataSourceRef: {kind: PersistentVolumeClaim, name: a}",
                "dataSource: {kind: Disk, name: a}",
                "dataSourceRef: {apiGroup: x.io, kind: Disk, name: a}",
                "volumeAttributesClassName: a",
                "volumeAttributesClassName: ''",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                (
                    "dataSource: {kind: PersistentVolumeClaim, name: a}, dataSourceRef: {kind: PersistentVolumeClaim, name: b}",
                    "spec: Invalid value: must match dataSourceRef",
                ),
                ("volumeAttributesClassName: A_", "spec.volumeAttributesClassName: Invalid value: \"A_\": a lowercase RFC 1123 subdomain"),
            ],
        );
        Bench::of(33).accepts_all(frame, &["volumeAttributesClassName: A_"]);
        // One is filled in from the other.
        for (part, error) in [
            (
                "dataSourceRef: {kind: Disk, name: a}",
                ": Invalid value: \"Disk\": must be 'PersistentVolumeClaim' when referencing the default apiGroup",
            ),
            (
                "dataSourceRef: {apiGroup: A_, kind: Disk, name: a}",
                ".apiGroup: Invalid value: \"A_\": a lowercase RFC 1123 subdomain",
            ),
            ("dataSource: {kind: PersistentVolumeClaim}", ".name: Required value"),
        ] {
            let errors = ["dataSource", "dataSourceRef"].map(|field| format!("spec.{field}{error}"));
            bench.refuses(&frame.replace("{}", part), &errors.each_ref().map(String::as_str));
        }
        bench.accepts_all(
            frame,
            &["dataSource: {kind: '', name: a}", "dataSource: {}", "dataSourceRef: {name: a, namespace: b}"],
        );
        let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}, volumeClaimTemplates: [{metadata: {name: d}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, {}}}]}\n";
        bench.refuses_all(
            set,
            &[
                (
                    "dataSource: {kind: Disk, name: a}",
                    "spec.volumeClaimTemplates[0].spec.dataSource: Invalid value: \"Disk\"",
                ),
                (
                    "dataSourceRef: {kind: Disk, name: a, namespace: b}",
                    "spec.volumeClaimTemplates[0].spec.dataSourceRef: Invalid value: \"Disk\"",
                ),
            ],
        );
    }

    #[test]
    fn volumes() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: p}\nspec: {{}}\n";
        bench.accepts_all(frame, &["accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, hostPath: {path: /a}", "accessModes: [ReadWriteMany], capacity: {storage: 1Gi}, nfs: {server: a, path: /b}, persistentVolumeReclaimPolicy: Retain"]);
        bench.refuses_all(frame, &[
            ("capacity: {storage: 1Gi}, hostPath: {path: /a}", "spec.accessModes: Required value"),
            ("accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}", "spec: Required value: must specify a volume type"),
            ("accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, hostPath: {path: /a}, nfs: {server: a, path: b}", "spec.nfs: Forbidden: may not specify more than 1 volume type"),
            ("accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, cephfs: {}, rbd: {monitors: [a], image: b}", "spec.cephFS: Forbidden: may not specify more than 1 volume type"),
            ("accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, hostPath: {path: /a}, volumeAttributesClassName: a", "spec.csi: Required value: has to be specified when using volumeAttributesClassName"),
            ("accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, csi: {driver: d, volumeHandle: v}, volumeAttributesClassName: ''", "spec.volumeAttributesClassName: Required value: an empty string is disallowed"),
            ("accessModes: [ReadWriteOnce], capacity: {storage: 0}, hostPath: {path: /a}", "spec.capacity[storage]: Invalid value: 0: must be greater than zero"),
            ("accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, hostPath: {path: /a}, persistentVolumeReclaimPolicy: Keep", "spec.persistentVolumeReclaimPolicy: Unsupported value: \"Keep\""),
        ]);
    }

    #[test]
    fn claims_of_one_pod() {
        let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}\n";
        Bench::of(26).refuses(claim, &["spec.accessModes: Unsupported value: \"ReadWriteOncePod\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\""]);
        Bench::of(27).accepts(claim);
    }
}

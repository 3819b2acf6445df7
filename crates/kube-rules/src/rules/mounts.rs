//! The volumes of a pod, and what its containers mount of them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_kube_facts::meant::nearest;
use trueline_kube_facts::{go_quoted, names, rules};

use super::pod::descending;
use super::{Context, unread};
use crate::place::FieldPlace;
use crate::problem::{Fact, Report};
use trueline_diagnostic::Severity;

rules! {
    /// Two volumes of a pod have the same name.
    DUPLICATE_CLAIM_NAME: Duplicate, "volume/duplicate-claim-name";
    /// Two volumes of a pod have the same name.
    DUPLICATE_NAME: Duplicate, "volume/duplicate-name";
    /// The claim of an ephemeral volume gets a name that is not allowed.
    CLAIM_NAME: Invalid, "volume/claim-name", "PVC name {}: {}";
    /// A volume refers to the claim that an ephemeral volume makes.
    CLAIM_OF_EPHEMERAL: Invalid, "volume/claim-of-ephemeral",
        "must not reference a PVC that gets created for an ephemeral volume";
    /// A container mounts a volume that the pod does not have.
    UNKNOWN_VOLUME: NotFound, "mount/unknown-volume";
    /// Two volumes are mounted at the same path.
    DUPLICATE_PATH: Invalid, "mount/duplicate-path", "must be unique";
    /// A volume is used both as a mount and as a device.
    MOUNTED_AND_DEVICE: Invalid, "mount/mounted-and-device", "must not already exist in volumeDevices";
    /// The path of a mount is that of a device.
    PATH_OF_DEVICE: Invalid, "mount/path-of-device", "must not already exist as a path in volumeDevices";
    /// `recursiveReadOnly` needs `readOnly: true`.
    RECURSIVE_NOT_READ_ONLY: Forbidden, "mount/recursive-not-read-only",
        "may only be specified when readOnly is true";
    /// `recursiveReadOnly` cannot be used with mount propagation.
    RECURSIVE_WITH_PROPAGATION: Forbidden, "mount/recursive-with-propagation",
        "may only be specified when mountPropagation is None or not specified";
    /// A mount has both `subPath` and `subPathExpr`.
    TWO_SUB_PATHS: Invalid, "mount/two-sub-paths", "subPathExpr and subPath are mutually exclusive";
    /// A device has to be a volume claim.
    DEVICE_SOURCE: Invalid, "mount/device-source",
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
    /// Two devices are the same volume.
    DUPLICATE_DEVICE: Invalid, "mount/duplicate-device", "must be unique";
    /// A volume is used both as a device and as a mount.
    DEVICE_AND_MOUNTED: Invalid, "mount/device-and-mounted", "must not already exist in volumeMounts";
    /// Two devices are at the same path.
    DUPLICATE_DEVICE_PATH: Invalid, "mount/duplicate-device-path", "must be unique";
    /// The path of a device leads upwards.
    DEVICE_PATH: Invalid, "mount/device-path", "can not contain backsteps ('..')";
    /// The path of a device is that of a mount.
    PATH_OF_MOUNT: Invalid, "mount/path-of-mount", "must not already exist as a path in volumeMounts";
    /// Mounts are passed back to the host by a container that is not privileged.
    PROPAGATION: Forbidden, "mount/propagation",
        "Bidirectional mount propagation is available only to privileged containers";
}

/// Checks `core.PodSpec`.
pub(super) fn check(pod: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let mut known = Volumes::default();
    // A StatefulSet makes a volume of each of its claims, which takes the place of one of the same name.
    let spec = pod.top().child("spec");
    let templates = spec.child("volumeClaimTemplates");
    let claims: Vec<_> = templates.items().filter(|_| context.kind == "StatefulSet").collect();
    let metadata: Vec<_> = claims.iter().map(|claim| claim.child("metadata")).collect();
    let claimed: Vec<_> = metadata.iter().map(|metadata| metadata.child("name")).collect();
    for name in &claimed {
        known.extend(name.text(), true);
    }
    let list = pod.child("volumes");
    let broken = broken_items(&list, report);
    let hidden: FxHashSet<usize> = list
        .items()
        .enumerate()
        .filter(|(_, volume)| volume.child("name").text().is_some_and(|name| known.known.contains_key(name)))
        .map(|(index, _)| index)
        .collect();
    let numbers = match !claimed.is_empty() && context.version.minor >= unread::SETS {
        true => renumber(&list, &claimed, &hidden, report),
        false => Vec::new(),
    };
    for (index, volume) in list.items().enumerate().filter(|(index, _)| !hidden.contains(index)) {
        let name = volume.child("name");
        let Some(text) = name.text() else { continue };
        let is_claimed =
            ["persistentVolumeClaim", "ephemeral"].iter().any(|name| !volume.child(name).is_absent());
        if known.known.contains_key(text) {
            match numbers.get(index).copied().flatten() {
                Some(number) => {
                    let field = list.path().index(number).field("name");
                    report.refuse_in(field, name.span(), Some(go_quoted(text)), &DUPLICATE_CLAIM_NAME);
                }
                None => report.refuse(&name, &DUPLICATE_NAME),
            }
        } else if !broken.contains(&index) {
            known.extend(Some(text), is_claimed);
        }
    }
    if context.kind == "Pod" {
        made_claims(pod, &list, report);
    }
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in pod.child(list).items() {
            mounts(&container, &known, context, report);
            devices(&container, &known, report);
        }
    }
}

/// The items of a list in which something was refused.
fn broken_items(list: &FieldPlace<'_, '_>, report: &Report) -> FxHashSet<usize> {
    if report.problems.is_empty() {
        return FxHashSet::default();
    }
    let path = list.path();
    let errors = report.problems.iter().filter(|problem| problem.severity == Severity::Error);
    errors.filter_map(|problem| problem.field.item_of(&path).map(|(index, _)| index)).collect()
}

/// The volumes of claims come before those of the pod, which the server counts on from there. Those that claims take the
/// place of are not looked at. Returns the number of each volume that is.
fn renumber(
    list: &FieldPlace<'_, '_>,
    claimed: &[FieldPlace<'_, '_>],
    hidden: &FxHashSet<usize>,
    report: &mut Report,
) -> Vec<Option<usize>> {
    let path = list.path();
    let mut seen = BTreeSet::new();
    let mut found = Report::default();
    for name in claimed {
        let Some(text) = name.text().filter(|text| !seen.contains(text)) else { continue };
        let index = seen.len();
        seen.insert(text);
        let field = path.index(index);
        if text.is_empty() {
            found.missing_at(field.field("name"), name.span());
            let claim = field.field("persistentVolumeClaim").field("claimName");
            found.missing_at(claim, name.span());
        }
        for breach in names::dns_1123_label(text).into_iter().filter(|_| !text.is_empty()) {
            found.refuse_in(field.field("name"), name.span(), Some(go_quoted(text)), breach);
        }
    }
    let count = list.count();
    let mut numbers = Vec::with_capacity(count);
    let mut next = seen.len();
    for index in 0..count {
        let is_hidden = hidden.contains(&index);
        numbers.push((!is_hidden).then_some(next));
        next += usize::from(!is_hidden);
    }
    report.problems.retain_mut(|problem| {
        let Some((index, rest)) = problem.field.item_of(&path) else { return true };
        let Some(number) = numbers.get(index).copied() else { return true };
        let Fact::Refused(error, _) = &mut problem.fact else { return true };
        let Some(number) = number else { return false };
        problem.field = path.index(number).join(&rest.iter().cloned().collect());
        error.field.clone_from(&problem.field);
        true
    });
    report.problems.append(&mut found.problems);
    numbers
}

/// Claims that are made for volumes of a pod are named after both.
fn made_claims(pod: &FieldPlace<'_, '_>, list: &FieldPlace<'_, '_>, report: &mut Report) {
    let metadata = pod.top().child("metadata");
    let Some(pod_name) = metadata.child("name").full_text() else { return };
    let mut made: FxHashSet<Cow<'_, str>> = FxHashSet::default();
    for volume in list.items().filter(|volume| !volume.child("ephemeral").is_absent()) {
        let name = volume.child("name");
        let Some(text) = name.text() else { continue };
        let claim = format!("{pod_name}-{text}");
        for words in names::dns_1123_subdomain(&claim).into_iter().filter(|_| !text.is_empty()) {
            report.refuse(&name, CLAIM_NAME.with(go_quoted(&claim)).and(words.sentence()));
        }
        made.insert(Cow::Owned(claim));
    }
    for volume in list.items().filter(|_| !made.is_empty()) {
        let source = volume.child("persistentVolumeClaim");
        let claim = source.child("claimName");
        if claim.full_text().is_some_and(|text| made.contains(text)) {
            report.refuse(&claim, &CLAIM_OF_EPHEMERAL);
        }
    }
}

/// The names of the volumes of a pod.
#[derive(Default)]
struct Volumes<'d> {
    in_order: Vec<&'d str>,
    /// Each with whether it is backed by a claim.
    known: FxHashMap<&'d str, bool>,
}

impl<'d> Volumes<'d> {
    fn extend(&mut self, name: Option<&'d str>, is_claimed: bool) {
        if let Some(name) = name {
            self.in_order.push(name);
            self.known.insert(name, is_claimed);
        }
    }

    /// Reports a name that no volume has.
    fn refer(&self, name: &FieldPlace<'_, '_>, report: &mut Report) {
        if let Some(text) = name.text()
            && !self.known.contains_key(text)
        {
            report.refuse_meant(
                name,
                &UNKNOWN_VOLUME,
                nearest(text, self.in_order.iter().copied()).map(str::to_owned),
            );
        }
    }
}

fn mounts(container: &FieldPlace<'_, '_>, volumes: &Volumes<'_>, context: &Context<'_>, report: &mut Report) {
    let mut paths = BTreeSet::new();
    let list = container.child("volumeMounts");
    let devices = container.child("volumeDevices");
    let of_devices = |field| -> FxHashSet<&str> {
        devices.items().filter_map(|device| device.child(field).text()).collect()
    };
    let (device_names, device_paths) = (of_devices("name"), of_devices("devicePath"));
    for mount in list.items() {
        let (name, path) = (mount.child("name"), mount.child("mountPath"));
        volumes.refer(&name, report);
        if let Some(text) = path.text()
            && !paths.insert(text)
        {
            report.refuse(&path, &DUPLICATE_PATH);
        }
        if name.text().is_some_and(|text| device_names.contains(text)) {
            report.refuse(&name, &MOUNTED_AND_DEVICE);
        }
        if path.text().is_some_and(|text| device_paths.contains(text)) {
            report.refuse(&path, &PATH_OF_DEVICE);
        }
        for field in ["subPath", "subPathExpr"] {
            // The server leaves the index out of these paths.
            descending(&list.child(field).at(&mount.child(field)), report);
        }
        propagation(container, &list.child("mountPropagation").at(&mount.child("mountPropagation")), report);
        let recursive = list.child("recursiveReadOnly").at(&mount.child("recursiveReadOnly"));
        let policy = recursive.text().filter(|_| !recursive.is_absent());
        if !matches!(policy, None | Some("Disabled" | "Enabled" | "IfPossible")) {
            report.not_supported(&recursive, &["Disabled", "Enabled", "IfPossible"]);
        }
        // Until then it is dropped.
        if context.version.minor >= 31 && matches!(policy, Some("Enabled" | "IfPossible")) {
            if !mount.child("readOnly").is_true() {
                report.refuse(&recursive, &RECURSIVE_NOT_READ_ONLY);
            }
            if !matches!(mount.child("mountPropagation").text(), None | Some("" | "None")) {
                report.refuse(&recursive, &RECURSIVE_WITH_PROPAGATION);
            }
        }
        if mount.child("subPath").full_text().is_some() && mount.child("subPathExpr").full_text().is_some() {
            report.refuse(&mount.child("subPathExpr"), &TWO_SUB_PATHS);
        }
    }
}

/// Volumes that a container sees as disks rather than as directories.
fn devices(container: &FieldPlace<'_, '_>, volumes: &Volumes<'_>, report: &mut Report) {
    let mounts = container.child("volumeMounts");
    let mounted: FxHashSet<&str> = mounts.items().filter_map(|mount| mount.child("name").text()).collect();
    let mount_paths: FxHashSet<&str> =
        mounts.items().filter_map(|mount| mount.child("mountPath").text()).collect();
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for device in container.child("volumeDevices").items() {
        let (name, path) = (device.child("name"), device.child("devicePath"));
        if let Some(text) = name.text() {
            volumes.refer(&name, report);
            if volumes.known.get(text) == Some(&false) {
                report.refuse(&name, &DEVICE_SOURCE);
            }
            if !names.insert(text) && !text.is_empty() {
                report.refuse(&name, &DUPLICATE_DEVICE);
            }
            if mounted.contains(text) {
                report.refuse(&name, &DEVICE_AND_MOUNTED);
            }
        }
        if let Some(text) = path.text() {
            if paths.contains(text) {
                report.refuse(&path, &DUPLICATE_DEVICE_PATH);
            }
            if text.split('/').any(|part| part == "..") {
                report.refuse(&path, &DEVICE_PATH);
            } else {
                paths.insert(text);
            }
            if mount_paths.contains(text) {
                report.refuse(&path, &PATH_OF_MOUNT);
            }
        }
    }
}

fn propagation(container: &FieldPlace<'_, '_>, place: &FieldPlace<'_, '_>, report: &mut Report) {
    match place.text().filter(|_| !place.is_absent()) {
        None | Some("HostToContainer" | "None") => {}
        Some("Bidirectional") => {
            if !container.child("securityContext").child("privileged").is_true() {
                report.refuse(place, &PROPAGATION);
            }
        }
        Some(_) => report.not_supported(place, &["Bidirectional", "HostToContainer", "None"]),
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {{}}\n";

    #[test]
    fn a_volume_that_is_wrong_cannot_be_mounted() {
        let bench = Bench::new();
        let mount = "containers: [{name: a, image: i, volumeMounts: [{name: v, mountPath: /v}]}]";
        let path = "spec.volumes[0].hostPath.path: Required value";
        let missing = "spec.containers[0].volumeMounts[0].name: Not found: \"v\"";
        let pod = |volumes: &str| POD.replace("{}", &format!("{mount}, volumes: [{volumes}]"));
        bench.accepts(&pod("{name: v, hostPath: {path: /a}}"));
        bench.refuses(&pod("{name: v, hostPath: {}}"), &[path, missing]);
        // The second of the name is not refused as such, and can be mounted.
        bench.refuses(&pod("{name: v, hostPath: {}}, {name: v, emptyDir: {}}"), &[path]);
        bench.refuses(&pod("{name: v}, {name: v}"), &["spec.volumes[1].name: Duplicate value: \"v\""]);
        let two = "may not specify more than 1 volume type";
        bench.refuses(
            &pod("{name: v, emptyDir: {}, downwardAPI: {items: [{}]}}"),
            &[&format!("spec.volumes[0].downwarAPI: Forbidden: {two}"), missing],
        );
        bench.refuses(
            &pod("{name: v, emptyDir: {}, gcePersistentDisk: {}}"),
            &[&format!("spec.volumes[0].gcePersistentDisk: Forbidden: {two}"), missing],
        );
    }

    #[test]
    fn mounts_without_names() {
        let part = "containers: [{name: a, image: i, volumeMounts: [{mountPath: /v}], volumeDevices: [{devicePath: /d}]}]";
        let of = |list: &str, error: &str| format!("spec.containers[0].{list}[0].name: {error}");
        Bench::new().refuses(
            &POD.replace("{}", part),
            &[
                &of("volumeMounts", "Required value"),
                &of("volumeMounts", "Not found: \"\""),
                &of("volumeMounts", "Invalid value: \"\": must not already exist in volumeDevices"),
                &of("volumeDevices", "Required value"),
                &of("volumeDevices", "Not found: \"\""),
                &of("volumeDevices", "Invalid value: \"\": must not already exist in volumeMounts"),
            ],
        );
    }

    #[test]
    fn claims_come_before_the_volumes_of_a_set() {
        let bench = Bench::new();
        let frame = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}], volumes: [VOLUMES]}}, volumeClaimTemplates: [{metadata: {NAME}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}\n";
        let set = |name: &str, volumes: &str| frame.replace("NAME", name).replace("VOLUMES", volumes);
        let volumes = "spec.template.spec.volumes";
        bench.accepts(&set("name: data", "{name: data, hostPath: {}}"));
        bench.refuses(
            &set("name: data", "{name: data, hostPath: {}}, {name: v, hostPath: {}}"),
            &[&format!("{volumes}[1].hostPath.path: Required value")],
        );
        bench.refuses(
            &set("name: data", "{name: v, hostPath: {}}"),
            &[&format!("{volumes}[1].hostPath.path: Required value")],
        );
        bench.refuses(
            &set("name: data", "{name: v, emptyDir: {}}, {name: v, emptyDir: {}}"),
            &[&format!("{volumes}[2].name: Duplicate value: \"v\"")],
        );
        bench.refuses(
            &set("labels: {}", ""),
            &[
                &format!("{volumes}[0].name: Required value"),
                &format!("{volumes}[0].persistentVolumeClaim.claimName: Required value"),
            ],
        );
        bench.refuses(&set("name: A_", ""), &[&format!("{volumes}[0].name: Invalid value: \"A_\"")]);
    }

    #[test]
    fn claims_that_are_made_for_volumes() {
        let claim = "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}";
        let pod = |claimed: &str| {
            let volumes =
                format!("{{name: e, {claim}}}, {{name: c, persistentVolumeClaim: {{claimName: {claimed}}}}}");
            POD.replace("{}", &format!("containers: [{{name: a, image: i}}], volumes: [{volumes}]"))
        };
        Bench::new().accepts(&pod("e"));
        Bench::new().refuses(
            &pod("p-e"),
            &["spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: \"p-e\": must not reference a PVC"],
        );
    }

    #[test]
    fn ports_of_the_host_are_filled_in() {
        let ports = "[{name: a, image: i, ports: [{containerPort: 80}]}, {name: b, image: i, ports: [{containerPort: 80}]}]";
        Bench::new().accepts(&POD.replace("{}", &format!("containers: {ports}")));
        Bench::new().refuses(
            &POD.replace("{}", &format!("hostNetwork: true, containers: {ports}")),
            &["spec.containers[1].ports[0].hostPort: Duplicate value: \"TCP//80\""],
        );
        let first = "containers: [{name: a, image: i}], initContainers: [{name: b, image: i}, {name: c, image: i, ports: [{containerPort: 1, hostPort: 5}, {containerPort: 2, hostPort: 5}]}]";
        Bench::new().refuses(
            &POD.replace("{}", first),
            &["spec.initContainers[0].ports[1].hostPort: Duplicate value: \"TCP//5\""],
        );
    }

    #[test]
    fn what_a_container_that_ends_cannot_have_is_not_looked_at() {
        let part = "containers: [{name: a, image: i}], initContainers: [{name: b, image: i, livenessProbe: {}, lifecycle: {preStop: {}}}]";
        let words = "may not be set for init containers without restartPolicy=Always";
        let error = |field: &str| format!("spec.initContainers[0].{field}: Forbidden: {words}");
        Bench::new().refuses(&POD.replace("{}", part), &[&error("livenessProbe"), &error("lifecycle")]);
    }

    #[test]
    fn claims_on_devices() {
        let part = |claims: &str, used: &str| {
            POD.replace("{}", &format!("resourceClaims: [{claims}], containers: [{{name: a, image: i, resources: {{claims: [{used}]}}}}]"))
        };
        let bench = Bench::new();
        bench.accepts(&part("{name: c, resourceClaimName: r}", "{name: c}"));
        bench.refuses(
            &part("{name: c, resourceClaimName: A_}", "{name: c}"),
            &["spec.resourceClaims[0].resourceClaimName: Invalid value: \"A_\""],
        );
        bench.refuses(
            &part("{name: c, resourceClaimTemplateName: ''}", "{name: c}"),
            &["spec.resourceClaims[0].resourceClaimTemplateName: Invalid value: \"\""],
        );
        bench.refuses(
            &part("{name: c, resourceClaimName: r}", "{name: d}, {}"),
            &[
                "spec.containers[0].resources.claims[0]: Not found: \"d\": must be one of the names in pod.spec.resourceClaims: c",
                "spec.containers[0].resources.claims[1]: Required value",
            ],
        );
    }
}

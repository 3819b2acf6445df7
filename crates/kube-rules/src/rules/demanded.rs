//! Small kinds of which the server demands what is published as optional, in words of their own.

use trueline_kube_facts::{names, rules};

use super::{Context, Operation, syntax, volume_source};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A ControllerRevision has no `data`.
    NO_DATA: Required, "revision/no-data", "data is mandatory";
    /// `data` of a ControllerRevision is not a JSON object.
    DATA_NOT_OBJECT: Required, "revision/data-not-object", "data must be a valid JSON object";
    /// A ServiceCIDR has no range of addresses.
    NO_RANGE: Required, "service-cidr/no-range", "at least one CIDR required";
    /// A ServiceCIDR has more than two ranges of addresses.
    TOO_MANY_RANGES: Invalid, "service-cidr/too-many-ranges", "may only hold up to 2 values";
    /// The two ranges of a ServiceCIDR are of the same IP family.
    SAME_FAMILY: Invalid, "service-cidr/same-family",
        "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    /// An attachment has no source.
    NO_SOURCE: Required, "attachment/no-source", "{}";
    /// An attachment has two sources.
    TWO_SOURCES: Forbidden, "attachment/two-sources", "{}";
    /// An attachment does not name a volume.
    NO_VOLUME: Required, "attachment/no-volume", "must specify non empty persistentVolumeName";
    /// The strategy needs an emulation version.
    NO_EMULATION_VERSION: Required, "lease/no-emulation-version",
        "must be specified when `strategy` is 'OldestEmulationVersion'";
}

/// The first version that looks at what a revision holds.
const LOOKS_AT_DATA: u16 = 31;

/// Checks `apps.ControllerRevision`.
pub(super) fn check_revision(revision: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let data = revision.child("data");
    match data.node() {
        _ if context.operation == Operation::Update => {}
        None => report.refuse(&data, &NO_DATA),
        Some(node) if node.entries().is_none() && context.version.minor >= LOOKS_AT_DATA => {
            report.refuse(&data, &DATA_NOT_OBJECT);
        }
        Some(_) => {}
    }
}

/// Checks `core.Binding`.
pub(super) fn check_binding(binding: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let target = binding.child("target");
    let (kind, name) = (target.child("kind"), target.child("name"));
    if kind.full_text().is_some_and(|kind| kind != "Node") {
        report.not_supported(&kind, &["Node", "<empty>"]);
    }
    match name.text() {
        Some("") => report.missing(&name),
        Some(text) if context.version.minor >= 37 && matches!(kind.text(), Some("" | "Node")) => {
            report.complain(&name, names::dns_1123_subdomain(text));
        }
        _ => {}
    }
}

/// Checks secrets of volumes that are only named: `core.CinderVolumeSource` and `core.StorageOSVolumeSource`, and what
/// volumes of the cluster have in their place.
pub(super) fn check_secret(source: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let secret = source.child("secretRef");
    if secret.is_absent() {
        return;
    }
    let fields: &[&'static str] = if matches!(context.kind, "PersistentVolume" | "VolumeAttachment") {
        &["name", "namespace"]
    } else {
        &["name"]
    };
    for field in fields {
        let place = secret.child(field);
        if place.text() == Some("") {
            report.missing(&place);
        }
    }
}

/// Checks `core.CSIVolumeSource`.
pub(super) fn check_driver_secret(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let secret = source.child("nodePublishSecretRef");
    let name = secret.child("name");
    match name.text().filter(|_| !secret.is_absent()) {
        Some("") => report.missing(&name),
        // The server leaves the reference out of this path.
        Some(text) => report.complain(&source.child("name").at(&name), names::dns_1123_subdomain(text)),
        None => {}
    }
}

/// Checks `core.AzureFilePersistentVolumeSource`.
pub(super) fn check_azure_file(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let namespace = source.child("secretNamespace");
    if !namespace.is_absent() && namespace.text() == Some("") {
        report.missing(&namespace);
    }
}

/// Checks `networking.ServiceCIDRSpec`.
pub(super) fn check_ranges(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let ranges = spec.child("cidrs");
    match ranges.count() {
        0 => return report.refuse(&ranges, &NO_RANGE),
        1 | 2 => {}
        _ => return report.refuse(&ranges, &TOO_MANY_RANGES),
    }
    for range in ranges.items() {
        let syntax = if context.version.minor >= 33 { syntax::canonical_cidr } else { syntax::cidr };
        report.complain(&range, range.text().map(syntax).unwrap_or_default());
    }
    let mut families = ranges.items().filter_map(|range| range.text()).map(|text| text.contains(':'));
    let is_sound = ranges.items().all(|range| range.text().is_some_and(|text| syntax::cidr(text).is_empty()));
    if let (Some(first), Some(second)) = (families.next(), families.next())
        && is_sound
        && first == second
    {
        report.refuse(&ranges, &SAME_FAMILY);
    }
}

/// Checks `storage.VolumeAttachmentSpec`: who attaches is a driver.
pub(super) fn check_attacher(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    volume_source::driver_name(&spec.child("attacher"), report);
}

/// Checks `storage.VolumeAttachmentSource`.
pub(super) fn check_attachment(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (volume, inline) = (source.child("persistentVolumeName"), source.child("inlineVolumeSpec"));
    let words = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    match (volume.is_absent(), inline.is_absent()) {
        (true, true) => report.refuse(source, NO_SOURCE.with(words)),
        (false, false) => {
            report.forget_below(&inline.path());
            report.refuse(source, TWO_SOURCES.with(words));
        }
        (false, true) if volume.text() == Some("") => {
            report.refuse(&volume, &NO_VOLUME);
        }
        _ => {}
    }
}

/// Checks `coordination.LeaseCandidateSpec`.
pub(super) fn check_candidate(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let version = spec.child("emulationVersion");
    if spec.child("strategy").text() == Some("OldestEmulationVersion") && version.text() == Some("") {
        report.refuse(&version, &NO_EMULATION_VERSION);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn ranges_of_services() {
        let bench = Bench::new();
        let frame =
            "apiVersion: networking.k8s.io/v1\nkind: ServiceCIDR\nmetadata: {name: s}\nspec: {cidrs: [{}]}\n";
        bench.accepts_all(frame, &["10.0.0.0/16", "10.0.0.0/16, 'fd00::/64'"]);
        bench.refuses_all(
            frame,
            &[
                (
                    "10.0.0.0/16, 10.1.0.0/16",
                    "spec.cidrs: Invalid value: may specify no more than one IP for each IP family",
                ),
                (
                    "10.0.0.0/16, 'fd00::/64', 10.1.0.0/16",
                    "spec.cidrs: Invalid value: may only hold up to 2 values",
                ),
                ("x", "spec.cidrs[0]: Invalid value: \"x\""),
            ],
        );
    }

    #[test]
    fn revisions() {
        let frame = "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: r}\ndata: {a: b}\nrevision: {}\n";
        Bench::new().accepts_all(frame, &["0", "7"]);
        Bench::new()
            .refuses_all(frame, &[("-1", "revision: Invalid value: -1: must be greater than or equal to 0")]);
    }

    #[test]
    fn attachments() {
        let bench = Bench::new();
        let frame = "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: s}\nspec: {attacher: a, nodeName: b, source: {{}}}\n";
        bench.accepts_all(frame, &["persistentVolumeName: v"]);
        bench.refuses(
            &frame.replace("{}", "persistentVolumeName: ''"),
            &[
                "spec.source.persistentVolumeName: Required value: must specify non empty",
                "spec.source.persistentVolumeName: Invalid value: \"\": a lowercase RFC 1123 subdomain",
            ],
        );
        let place = "spec.source.inlineVolumeSpec";
        bench.accepts_all(
            frame,
            &["inlineVolumeSpec: {accessModes: [ReadWriteOnce], csi: {driver: d, volumeHandle: h}}"],
        );
        for (part, error) in [
            (
                "nfs: {server: s, path: /p}",
                ".csi: Required value: has to be specified in the context of inline volumes",
            ),
            (
                "csi: {driver: d, volumeHandle: h}, capacity: {storage: 1Gi}",
                ".capacity: Forbidden: may not be specified",
            ),
            ("csi: {driver: d, volumeHandle: h}, claimRef: {}", ".claimRef: Forbidden: may not be specified"),
            (
                "csi: {driver: d, volumeHandle: h}, persistentVolumeReclaimPolicy: Delete",
                ".persistentVolumeReclaimPolicy: Forbidden: may only be Retain",
            ),
            (
                "csi: {driver: d, volumeHandle: h}, volumeMode: Block",
                ".volumeMode: Forbidden: may not specify volumeMode other",
            ),
        ] {
            let part = format!("inlineVolumeSpec: {{accessModes: [ReadWriteOnce], {part}}}");
            bench.refuses(&frame.replace("{}", &part), &[&format!("{place}{error}")]);
        }
        bench.refuses_all(
            frame,
            &[("persistentVolumeName: A_", "spec.source.persistentVolumeName: Invalid value: \"A_\"")],
        );
    }

    #[test]
    fn attachments_name_drivers_and_nodes() {
        let frame = "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: v}\nspec: {source: {persistentVolumeName: p}, {}}\n";
        let bench = Bench::new();
        bench.accepts_all(frame, &["attacher: d.io, nodeName: m"]);
        bench.refuses_all(
            frame,
            &[
                ("attacher: d_io, nodeName: m", "spec.attacher: Invalid value: \"d_io\""),
                ("attacher: d.io, nodeName: M_", "spec.nodeName: Invalid value: \"M_\""),
            ],
        );
    }

    #[test]
    fn templates_of_claims_give_labels_only() {
        let frame = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\nspec: {metadata: {{}}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: d.io}}]}}}\n";
        let bench = Bench::new();
        bench.accepts_all(frame, &["labels: {a: b}, annotations: {a: b}", ""]);
        bench.refuses_all(
            frame,
            &[
                ("name: a", "spec.metadata.name: Forbidden: cannot be set"),
                ("finalizers: []", "spec.metadata.finalizers: Forbidden: cannot be set"),
                ("ownerReferences: []", "spec.metadata.ownerReferences: Forbidden: cannot be set"),
                (
                    "deletionGracePeriodSeconds: 0",
                    "spec.metadata.deletionGracePeriodSeconds: Forbidden: cannot be set",
                ),
                ("labels: {a: b c}", "spec.metadata.labels: Invalid value: \"b c\""),
            ],
        );
    }
}

//! The sources of volumes, in pods and in volumes of the cluster: what each needs beyond its required fields.

use trueline_kube_facts::{names, rules};

use super::pod::backsteps;
use super::{Context, fields, metadata};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A path does not begin with `/`.
    PATH_NOT_ABSOLUTE: Invalid, "volume/path-not-absolute", "must be an absolute path";
    /// The name of an iSCSI target begins with none of the known words.
    ISCSI_NAME_START: Invalid, "volume/iscsi-name-start", "{}";
    /// A logical unit number is not between 0 and 255.
    LUN: Invalid, "volume/lun", "must be between 0 and 255, inclusive";
    /// The address and the name of an iSCSI target are too long together.
    LONG_PORTAL: Invalid, "volume/long-portal", LONG_PORTAL_WORDS;
    /// The address and the name of an iSCSI initiator are too long together.
    LONG_INITIATOR: Invalid, "volume/long-initiator", LONG_PORTAL_WORDS;
    /// The namespace of endpoints is empty.
    ENDPOINT_NAMESPACE: Invalid, "volume/endpoint-namespace",
        "if the endpointnamespace is set, it must be a valid namespace name";
    /// The name of an iSCSI target begins with none of the known words.
    ISCSI_START: Invalid, "volume/iscsi-start", "{}";
    /// The name of an iSCSI target is not of the right form.
    ISCSI_FORMAT: Invalid, "volume/iscsi-format", "must be valid format";
    /// A fibre channel volume has neither target names nor identifiers.
    NO_FIBRE_CHANNEL_TARGET: Required, "volume/no-fibre-channel-target",
        "must specify either targetWWNs or wwids, but not both";
    /// A fibre channel volume has both target names and identifiers.
    TWO_FIBRE_CHANNEL_TARGETS: Invalid, "volume/two-fibre-channel-targets",
        "targetWWNs and wwids can not be specified simultaneously";
    /// A fibre channel volume with target names has no logical unit number.
    NO_LUN: Required, "volume/no-lun", "lun is required if targetWWNs is specified";
    /// A logical unit number is not between 0 and 255.
    FIBRE_CHANNEL_LUN: Invalid, "volume/fibre-channel-lun", "must be between 0 and 255, inclusive";
    /// A Flocker volume has neither a name nor an id.
    NO_DATASET: Required, "volume/no-dataset", "one of datasetName and datasetUUID is required";
    /// A Flocker volume has both a name and an id.
    TWO_DATASETS: Invalid, "volume/two-datasets", "datasetName and datasetUUID can not be specified simultaneously";
    /// The name of a dataset holds a slash.
    DATASET_NAME: Invalid, "volume/dataset-name", "must not contain '/'";
    /// An option has a name that belongs to Kubernetes.
    RESERVED_OPTION: Invalid, "volume/reserved-option", "kubernetes.io and k8s.io namespaces are reserved";
    /// The template of a volume claim sets a field that it does not have.
    EPHEMERAL_TEMPLATE: Forbidden, "volume/ephemeral-template", "{}";
    /// A Quobyte volume has no registry.
    NO_REGISTRY: Required, "volume/no-registry", REGISTRY_WORDS;
    /// The tenant of a Quobyte volume is not a UUID.
    TENANT: Required, "volume/tenant", "must be a UUID and may not exceed a length of 64 characters";
    /// The registry of a Quobyte volume is not a list of addresses with ports.
    REGISTRY: Invalid, "volume/registry", REGISTRY_WORDS;
    /// The node affinity of a volume demands nothing.
    NO_REQUIRED_AFFINITY: Required, "volume/no-required-affinity", "must specify required node constraints";
    /// The partition of a disk is not between 0 and 255.
    PARTITION: Invalid, "volume/partition", fields::PARTITION;
}

/// Checks `core.NFSVolumeSource`.
pub(super) fn check_nfs(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let path = source.child("path");
    if path.text().is_some_and(|text| !text.starts_with('/')) {
        report.refuse(&path, &PATH_NOT_ABSOLUTE);
    }
}

/// Checks `core.ISCSIVolumeSource` and its kin for volumes of the cluster.
pub(super) fn check_iscsi(source: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let starts = match context.kind {
        "PersistentVolume" => "must be valid format",
        _ => "must be valid format starting with iqn, eui, or naa",
    };
    let name = source.child("iqn");
    qualified_name(&name, &name, starts, report);
    let initiator = source.child("initiatorName");
    let named = source.child("initiatorname").at(&initiator);
    match initiator.text().filter(|_| !initiator.is_absent()) {
        Some("") => report.refuse(&named, ISCSI_NAME_START.with(starts)),
        Some(_) => qualified_name(&initiator, &named, starts, report),
        None => {}
    }
    let unit = source.child("lun");
    if unit.integer().is_some_and(|number| !(0..=255).contains(&number)) {
        report.refuse(&unit, &LUN);
    }
    let asks = source.child("chapAuthDiscovery").is_true() || source.child("chapAuthSession").is_true();
    let secret = source.child("secretRef");
    if asks && secret.is_absent() {
        report.missing(&secret);
    }
    let secret_name = secret.child("name");
    if context.kind == "PersistentVolume" && !secret.is_absent() && secret_name.text() == Some("") {
        report.missing(&secret_name);
    }
    if context.kind == "PersistentVolume" && !initiator.is_absent() {
        let metadata = source.top().child("metadata");
        let portal = source.child("targetPortal");
        if is_long_portal(&metadata.child("name"), &portal) {
            report.refuse(&source.child("targetportal").at(&portal), &LONG_PORTAL);
        }
    }
}

const LONG_PORTAL_WORDS: &str = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";

/// Whether the name of a volume and the address of its target are too long together.
fn is_long_portal(name: &FieldPlace<'_, '_>, portal: &FieldPlace<'_, '_>) -> bool {
    let length = |place: &FieldPlace<'_, '_>| place.text().unwrap_or_default().len();
    length(name) + 1 + length(portal) > 64
}

/// Checks `core.Volume`: a volume in a network is named by the pod that uses it.
pub(super) fn check_portal(volume: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let source = volume.child("iscsi");
    if !source.is_absent() && !source.child("initiatorName").is_absent() {
        let name = volume.child("name");
        if is_long_portal(&name, &source.child("targetPortal")) {
            report.refuse(&name, &LONG_INITIATOR);
        }
    }
}

/// Checks `core.GlusterfsPersistentVolumeSource`.
pub(super) fn check_gluster(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let namespace = source.child("endpointsNamespace");
    match namespace.text().filter(|_| !namespace.is_absent()) {
        Some("") => report.refuse(&namespace, &ENDPOINT_NAMESPACE),
        Some(text) => report.complain(&namespace, names::dns_1123_label(text)),
        None => {}
    }
}

/// The name of a target: `iqn.2001-04.com.example:disk`, `eui.` with sixteen signs, or `naa.` with thirty-two.
fn qualified_name(value: &FieldPlace<'_, '_>, named: &FieldPlace<'_, '_>, starts: &str, report: &mut Report) {
    let Some(text) = value.full_text() else { return };
    // Any sign may come before the letters and digits.
    let is_number = |rest: &str, length: usize| {
        let mut signs = rest.chars();
        signs.next().is_some() && rest.len() == length + 1 && signs.all(|sign| sign.is_ascii_alphanumeric())
    };
    let is_valid = if let Some(rest) = text.strip_prefix("iqn") {
        is_iqn(rest)
    } else if let Some(rest) = text.strip_prefix("eui") {
        is_number(rest, 16)
    } else if let Some(rest) = text.strip_prefix("naa") {
        is_number(rest, 32)
    } else {
        return report.refuse(named, ISCSI_START.with(starts));
    };
    if !is_valid {
        report.refuse(named, &ISCSI_FORMAT);
    }
}

/// `.2001-04.com.example:disk`: a month, a domain, and whatever else after a colon.
fn is_iqn(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
    let is_month = bytes.first() == Some(&b'.')
        && (1..5).all(is_digit)
        && bytes.get(5) == Some(&b'-')
        && (6..8).all(is_digit)
        && bytes.get(8) == Some(&b'.');
    let Some((domain, name)) = text.get(9..).and_then(|rest| rest.split_once(':')) else { return false };
    let is_domain = !domain.is_empty()
        && domain.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'));
    let is_name = !name.is_empty()
        && !name.contains(|sign: char| ",;*&$|".contains(sign) || sign.is_ascii_whitespace());
    is_month && is_domain && is_name
}

/// Checks `core.FCVolumeSource`.
pub(super) fn check_fibre_channel(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (targets, others) = (source.child("targetWWNs"), source.child("wwids"));
    match (targets.count() > 0, others.count() > 0) {
        (false, false) => report.refuse(&targets, &NO_FIBRE_CHANNEL_TARGET),
        (true, true) => report.refuse(&targets, &TWO_FIBRE_CHANNEL_TARGETS),
        _ => {}
    }
    let unit = source.child("lun");
    if targets.count() == 0 {
        return;
    }
    if unit.is_absent() {
        report.refuse(&unit, &NO_LUN);
    } else if unit.integer().is_some_and(|number| !(0..=255).contains(&number)) {
        report.refuse(&unit, &FIBRE_CHANNEL_LUN);
    }
}

/// Checks `core.FlockerVolumeSource`.
pub(super) fn check_flocker(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (name, identity) = (source.child("datasetName"), source.child("datasetUUID"));
    match (name.full_text().is_some(), identity.full_text().is_some()) {
        (false, false) => report.refuse(source, &NO_DATASET),
        (true, true) => {
            report.refuse(source, &TWO_DATASETS);
        }
        _ => {}
    }
    if name.full_text().is_some_and(|text| text.contains('/')) {
        report.refuse(&name, &DATASET_NAME);
    }
}

/// Checks `core.FlexVolumeSource` and its kin for volumes of the cluster.
pub(super) fn check_flex(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    for (key, value) in source.child("options").entries() {
        let domain = key.split_once('/').map_or(&*key, |(domain, _)| domain);
        let domain = format!(".{}", domain.to_lowercase());
        if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
            report.refuse_key(&value, &key, &RESERVED_OPTION);
        }
    }
}

/// Checks `core.AzureDiskVolumeSource`.
pub(super) fn check_azure_disk(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let address = source.child("diskURI");
    let is_managed = source.child("kind").text() == Some("Managed");
    match address.text() {
        Some(text) if is_managed && !text.starts_with("/subscriptions/") => report.not_supported(
            &address,
            &["/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"],
        ),
        Some(text) if !is_managed && !text.starts_with("https://") => report.not_supported(
            &address,
            &["https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"],
        ),
        _ => {}
    }
}

/// Checks `core.CSIVolumeSource` and its kin for volumes of the cluster.
pub(super) fn check_csi(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    driver_name(&source.child("driver"), report);
}

/// The name of a driver.
pub(super) fn driver_name(driver: &FieldPlace<'_, '_>, report: &mut Report) {
    let Some(text) = driver.full_text() else { return };
    if text.len() > 63 {
        report.too_long(driver, 63);
    }
    report.complain(driver, names::dns_1123_subdomain(&text.to_lowercase()));
}

/// Checks `core.ImageVolumeSource`.
pub(super) fn check_image(source: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let reference = source.child("reference");
    // Until then it is dropped; and templates may leave it to what makes their pods.
    let is_demanded = match context.version.minor {
        ..=34 => false,
        35 | 36 => context.kind == "Pod",
        _ => true,
    };
    if is_demanded && reference.text() == Some("") {
        report.missing(&reference);
    }
    let policy = source.child("pullPolicy");
    if context.version.minor >= 35
        && !matches!(policy.text(), None | Some("" | "Always" | "IfNotPresent" | "Never"))
    {
        report.not_supported(&policy, &["Always", "IfNotPresent", "Never"]);
    }
}

/// Checks `core.SecretReference`, which only volumes of the cluster have.
pub(super) fn check_secret(reference: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let is_csi = matches!(
        &*reference.last_name(),
        "controllerPublishSecretRef"
            | "controllerExpandSecretRef"
            | "nodePublishSecretRef"
            | "nodeExpandSecretRef"
    );
    if context.kind != "PersistentVolume" || !is_csi {
        return;
    }
    let (name, namespace) = (reference.child("name"), reference.child("namespace"));
    match name.text() {
        Some("") => report.missing(&name),
        Some(text) => report.complain(&name, names::dns_1123_subdomain(text)),
        None => {}
    }
    match namespace.text() {
        Some("") => report.missing(&namespace),
        Some(text) => report.complain(&namespace, names::dns_1123_label(text)),
        None => {}
    }
}

/// Checks `core.LocalVolumeSource`.
pub(super) fn check_local(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    backsteps(&source.child("path"), report);
}

/// Checks `core.EphemeralVolumeSource`.
pub(super) fn check_ephemeral(source: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let template = source.child("volumeClaimTemplate");
    if template.is_absent() {
        report.missing(&template);
    }
    check_template(&template, context, report);
}

/// Checks `resource.ResourceClaimTemplateSpec`, and other things of which claims are made: they give labels and
/// annotations to the claims, and nothing else.
pub(super) fn check_template(template: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let words = match context.version.minor {
        ..26 => "cannot be set for an ephemeral volume",
        _ => "cannot be set",
    };
    let head = template.child("metadata");
    metadata::annotations(&head.child("annotations"), report);
    metadata::labels(&head.child("labels"), report);
    for field in UNUSED {
        let place = head.child(field);
        // A list without items is not the same as none, while an empty text or zero is; but zero seconds are given.
        let is_given = match *field {
            "ownerReferences" | "finalizers" | "managedFields" | "deletionGracePeriodSeconds" => {
                !place.is_absent()
            }
            _ => !place.is_empty() && place.integer() != Some(0),
        };
        if is_given {
            // The server makes the name of the field from one in capitals.
            let named = head.child(if *field == "uid" { "uID" } else { field });
            report.refuse(&named.at(&place), EPHEMERAL_TEMPLATE.with(words));
        }
    }
}

/// What the metadata of a claim that is made for a pod cannot say.
const UNUSED: &[&str] = &[
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

const REGISTRY_WORDS: &str = "must be a host:port pair or multiple pairs separated by commas";

/// Checks `core.QuobyteVolumeSource`.
pub(super) fn check_quobyte(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (registry, tenant) = (source.child("registry"), source.child("tenant"));
    match registry.text() {
        Some("") => report.refuse(&registry, &NO_REGISTRY),
        Some(_) if tenant.text().is_some_and(|text| text.len() >= 65) => {
            report.refuse(&tenant, &TENANT);
        }
        Some(text) => {
            for _ in text.split(',').filter(|pair| !is_host_and_port(pair)) {
                report.refuse(&registry, &REGISTRY);
            }
        }
        None => {}
    }
}

/// `host:port`, `[address]:port`; both parts may be empty.
fn is_host_and_port(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => match rest.split_once("]:") {
            Some(parts) => parts,
            None => return false,
        },
        None => match text.rsplit_once(':') {
            Some((host, _)) if host.contains(':') => return false,
            Some(parts) => parts,
            None => return false,
        },
    };
    !host.contains(['[', ']']) && !port.contains(['[', ']', ':'])
}

/// Checks `core.VolumeNodeAffinity`.
pub(super) fn check_affinity(affinity: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let required = affinity.child("required");
    if required.is_absent() {
        report.refuse(&required, &NO_REQUIRED_AFFINITY);
    }
}

/// Checks `core.GitRepoVolumeSource`.
pub(super) fn check_repository(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    super::pod::descending(&source.child("directory"), report);
}

/// Checks the partitions of disks.
pub(super) fn check_partition(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let partition = source.child("partition");
    if partition.integer().is_some_and(|number| !(0..=255).contains(&number)) {
        let path = source.path().renamed("gcePersistentDisk", "persistentDisk");
        report.refuse_at(path.field("partition"), &partition, &PARTITION);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], volumes: [{name: v, {}}]}\n";
    const VOLUME: &str = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: p}\nspec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, {}}\n";

    #[test]
    fn sources_in_pods() {
        let bench = Bench::new();
        bench.accepts_all(
            POD,
            &[
                "nfs: {server: s, path: /a}",
                "iscsi: {targetPortal: a, iqn: 'iqn.2001-04.com.example:storage.disk1', lun: 0}",
                "iscsi: {targetPortal: a, iqn: eui.0123456789abcdef, lun: 255}",
                "fc: {targetWWNs: [a], lun: 0}",
                "fc: {wwids: [a]}",
                "flexVolume: {driver: d, options: {a: b}}",
                "azureDisk: {diskName: d, diskURI: 'https://a', cachingMode: None}",
                "azureDisk: {diskName: d, diskURI: /subscriptions/a, kind: Managed}",
                "csi: {driver: Secrets-store.csi.k8s.io}",
                "awsElasticBlockStore: {volumeID: v, partition: 1}",
                "cephfs: {monitors: [a]}",
                "quobyte: {registry: 'a:1,[::1]:2', volume: v}",
                "storageos: {volumeName: v}",
                "ephemeral: {volumeClaimTemplate: {metadata: {creationTimestamp: null, labels: {a: b}, annotations: {c: d}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1}}}}}",
                "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1}}}}}",
            ],
        );
        for (part, error) in [
            ("nfs: {server: s, path: a}", "nfs.path: Invalid value: \"a\": must be an absolute path"),
            (
                "iscsi: {targetPortal: a, iqn: x, lun: 0}",
                "iscsi.iqn: Invalid value: \"x\": must be valid format starting",
            ),
            (
                "iscsi: {targetPortal: a, iqn: iqn.x, lun: 0}",
                "iscsi.iqn: Invalid value: \"iqn.x\": must be valid format",
            ),
            (
                "iscsi: {targetPortal: a, iqn: eui.0123456789abcdef, lun: 256}",
                "iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
            ),
            (
                "iscsi: {targetPortal: a, iqn: eui.0123456789abcdef, lun: 1, chapAuthSession: true}",
                "iscsi.secretRef: Required value",
            ),
            ("fc: {}", "fc.targetWWNs: Required value: must specify either targetWWNs or wwids"),
            ("fc: {targetWWNs: [a]}", "fc.lun: Required value: lun is required"),
            ("fc: {targetWWNs: [a], wwids: [b], lun: 1}", "fc.targetWWNs: Invalid value"),
            ("flocker: {}", "flocker: Required value: one of datasetName and datasetUUID is required"),
            (
                "flocker: {datasetName: a/b}",
                "flocker.datasetName: Invalid value: \"a/b\": must not contain '/'",
            ),
            (
                "flexVolume: {driver: d, options: {kubernetes.io/a: b}}",
                "flexVolume.options[kubernetes.io/a]: Invalid value",
            ),
            ("azureDisk: {diskName: d, diskURI: a}", "azureDisk.diskURI: Unsupported value: \"a\""),
            (
                "azureDisk: {diskName: d, diskURI: 'https://a', cachingMode: Some}",
                "azureDisk.cachingMode: Unsupported value: \"Some\": supported values: \"None\", \"ReadOnly\", \"ReadWrite\"",
            ),
            ("csi: {driver: a_b}", "csi.driver: Invalid value: \"a_b\""),
            (
                "gitRepo: {repository: r, directory: ../a}",
                "gitRepo.directory: Invalid value: \"../a\": must not contain '..'",
            ),
            (
                "gcePersistentDisk: {pdName: p, partition: 256}",
                "persistentDisk.partition: Invalid value: 256",
            ),
            ("cephfs: {}", "cephfs.monitors: Required value"),
            ("ephemeral: {}", "ephemeral.volumeClaimTemplate: Required value"),
            ("quobyte: {volume: v}", "quobyte.registry: Required value: must be a host:port pair"),
            (
                "quobyte: {registry: a, volume: v}",
                "quobyte.registry: Invalid value: \"a\": must be a host:port pair",
            ),
            ("quobyte: {registry: '::1:2', volume: v}", "quobyte.registry: Invalid value: \"::1:2\""),
            (
                "storageos: {volumeName: V}",
                "storageos.volumeName: Invalid value: \"V\": a lowercase RFC 1123 label",
            ),
            (
                "storageos: {volumeName: v, volumeNamespace: NN}",
                "storageos.volumeNamespace: Invalid value: \"NN\": a lowercase RFC 1123 label",
            ),
            (
                "ephemeral: {volumeClaimTemplate: {metadata: {name: a}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1}}}}}",
                "ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set",
            ),
            (
                "ephemeral: {volumeClaimTemplate: {metadata: {labels: {a: b c}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1}}}}}",
                "ephemeral.volumeClaimTemplate.metadata.labels: Invalid value: \"b c\"",
            ),
        ] {
            bench.refuses(&POD.replace("{}", part), &[&format!("spec.volumes[0].{error}")]);
        }
    }

    #[test]
    fn sources_in_volumes() {
        let bench = Bench::new();
        let affinity = "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}";
        bench.accepts_all(
            VOLUME,
            &[&format!("local: {{path: /a}}, {affinity}"), "csi: {driver: a.b, volumeHandle: h}"],
        );
        bench.refuses_all(
            VOLUME,
            &[
                ("local: {path: /a}", "spec.nodeAffinity: Required value: Local volume requires node affinity"),
                ("csi: {driver: a.b}", "spec.csi.volumeHandle: Required value"),
                (
                    "csi: {driver: a.b, volumeHandle: h, nodePublishSecretRef: {name: s}}",
                    "spec.csi.nodePublishSecretRef.namespace: Required value",
                ),
                (
                    "hostPath: {path: /}, persistentVolumeReclaimPolicy: Recycle",
                    "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
                ),
                ("nfs: {server: s, path: /}, nodeAffinity: {}", "spec.nodeAffinity.required: Required value"),
            ],
        );
    }
}

//! Volumes: at most one source each, and what the common sources need.

use trueline_kube_facts::rules;

use super::Context;
use super::pod::non_reserved;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// `sizeLimit` is not a quantity that is allowed.
    SIZE_LIMIT: Forbidden, "volume/size-limit", "SizeLimit field must be a valid resource quantity";
    /// A volume has more than one source.
    TWO_SOURCES: Forbidden, "volume/two-sources", "may not specify more than 1 volume type";
    /// A path of the host leads upwards.
    PATH_UPWARDS: Invalid, "volume/path-upwards", "must not contain '..'";
}

/// The sources in the order in which the server looks at them.
const SOURCES: &[&str] = &[
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
];

/// Checks `core.Volume`. A volume without a source is an empty directory.
pub(super) fn check(volume: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let mut first = "";
    for name in SOURCES {
        let source = volume.child(name);
        if source.is_absent() {
            continue;
        }
        if first.is_empty() {
            first = name;
        } else {
            one_too_many(volume, &source, report);
        }
    }
    let size = volume.child("emptyDir");
    let limit = size.child("sizeLimit");
    if limit.quantity().is_some_and(|limit| limit.is_negative()) {
        report.refuse(&limit, &SIZE_LIMIT);
    }
    let secret = volume.child("secret");
    if first == "secret" && secret.child("secretName").text() == Some("") {
        report.missing(&secret.child("secretName"));
    }
    let config = volume.child("configMap");
    if first == "configMap" && config.child("name").text() == Some("") {
        report.missing(&config.child("name"));
    }
}

/// A source besides another one: the server looks no further, and spells some of them in another way.
pub(super) fn one_too_many(volume: &FieldPlace<'_, '_>, source: &FieldPlace<'_, '_>, report: &mut Report) {
    let (path, name) = (volume.path(), source.last_name());
    let inside = if name == "gcePersistentDisk" { "persistentDisk".to_owned() } else { name.to_string() };
    report.forget_last_below(&path, &path.field(inside));
    let named = match &*name {
        "cephfs" => volume.child("cephFS").at(source),
        "downwardAPI" => volume.child("downwarAPI").at(source),
        _ => *source,
    };
    report.refuse(&named, &TWO_SOURCES);
}

/// Checks `core.GCEPersistentDiskVolumeSource`, which the server calls by a shorter name.
pub(super) fn check_disk(disk: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let name = disk.child("pdName");
    if name.text() == Some("") {
        let path = disk.path().renamed("gcePersistentDisk", "persistentDisk");
        report.missing_at(path.field("pdName"), name.span());
    }
}

/// Checks `core.KeyToPath`.
pub(super) fn check_item(item: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    non_reserved(&item.child("path"), report);
}

/// Checks `core.HostPathVolumeSource`.
pub(super) fn check_host_path(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (path, kind) = (source.child("path"), source.child("type"));
    // Of a source without a path, nothing else is looked at.
    let Some(text) = path.full_text() else { return };
    if text.split('/').any(|part| part == "..") {
        report.refuse(&path, &PATH_UPWARDS);
    }
    if kind.text().is_some_and(|text| !HOST_PATHS.contains(&text)) {
        report.not_supported(&kind, HOST_PATHS);
    }
}

/// What a path of a host can lead to; the server names the empty text among them.
const HOST_PATHS: &[&str] =
    &["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const FRAME: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], volumes: [{name: v, {}}]}\n";

    #[test]
    fn volumes() {
        let bench = Bench::new();
        bench.accepts_all(
            FRAME,
            &[
                "emptyDir: {}",
                "emptyDir: {sizeLimit: 1Gi, medium: Memory}",
                "secret: {secretName: s, defaultMode: 0400, items: [{key: a, path: b/c}]}",
                "hostPath: {path: /a, type: Directory}",
                "configMap: {name: c}",
                "projected: {sources: [{secret: {name: s}}]}",
                "emptyDir: null, configMap: {name: c}",
            ],
        );
        bench.refuses_all(
            FRAME,
            &[
                (
                    "emptyDir: {}, hostPath: {path: /a}",
                    "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type",
                ),
                ("emptyDir: {sizeLimit: -1}", "spec.volumes[0].emptyDir.sizeLimit: Forbidden"),
                ("secret: {}", "spec.volumes[0].secret.secretName: Required value"),
                ("configMap: {}", "spec.volumes[0].configMap.name: Required value"),
                ("hostPath: {}", "spec.volumes[0].hostPath.path: Required value"),
                ("hostPath: {path: /a/../b}", "spec.volumes[0].hostPath.path: Invalid value"),
                (
                    "hostPath: {path: /a, type: Dir}",
                    "spec.volumes[0].hostPath.type: Unsupported value: \"Dir\"",
                ),
                (
                    "secret: {secretName: s, items: [{key: a, path: /b}]}",
                    "spec.volumes[0].secret.items[0].path: Invalid value: \"/b\": must be a relative path",
                ),
                (
                    "secret: {secretName: s, defaultMode: 1024}",
                    "spec.volumes[0].secret.defaultMode: Invalid value: 1024",
                ),
                (
                    "persistentVolumeClaim: {}",
                    "spec.volumes[0].persistentVolumeClaim.claimName: Required value",
                ),
                ("emptyDir: {sizeLimit: 1GB}", "spec.volumes[0].emptyDir.sizeLimit: Unreadable"),
            ],
        );
    }
}

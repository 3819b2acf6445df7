//! Fields that a version knows and drops before it looks at an object, because the feature that they belong to is off in
//! it by default: no rule may see them. An update keeps them where the old object has them.

use trueline_kube_api::Field;

use crate::place::FieldPlace;

/// When a field of an object is dropped: always, or only in some states of the object.
type When = fn(&FieldPlace<'_, '_>) -> bool;

/// A field that is dropped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dropped {
    /// The field.
    pub(crate) field: &'static str,
    /// Whether it is dropped from the object at this place.
    pub(crate) when: When,
}

/// Not on by default in any version that is known.
const NEVER: u16 = u16::MAX;

fn always(_: &FieldPlace<'_, '_>) -> bool {
    true
}

fn is_first_container(container: &FieldPlace<'_, '_>) -> bool {
    container.name_around() == "initContainers"
}

/// Containers that run beside the others were there before single containers could be started again.
fn is_no_sidecar(container: &FieldPlace<'_, '_>) -> bool {
    !is_first_container(container) || container.child("restartPolicy").text() != Some("Always")
}

/// Whether it is the `spec` of the object itself.
fn is_spec(place: &FieldPlace<'_, '_>) -> bool {
    place.last_name() == "spec" && place.and_around().count() == 2
}

/// What a claim is filled from is in another namespace. Templates of claims keep it.
fn is_of_other_namespace(claim: &FieldPlace<'_, '_>) -> bool {
    is_spec(claim) && claim.child("dataSourceRef").child("namespace").full_text().is_some()
}

/// Definition, field, the last version that drops it, and when.
type Row = (&'static str, &'static str, u16, When);

/// A field counts from the version after the one that is named here.
static TABLE: &[Row] = &[
    ("apps.RollingUpdateStatefulSetStrategy", "maxUnavailable", 34, always),
    ("apps.StatefulSetSpec", "ordinals", 26, always),
    ("apps.StatefulSetSpec", "persistentVolumeClaimRetentionPolicy", 26, always),
    ("authorization.ResourceAttributes", "fieldSelector", 31, always),
    ("authorization.ResourceAttributes", "labelSelector", 31, always),
    ("autoscaling.HPAScalingRules", "tolerance", 34, always),
    ("autoscaling.MetricSpec", "containerResource", 26, always),
    ("batch.JobSpec", "backoffLimitPerIndex", 28, always),
    ("batch.JobSpec", "managedBy", 31, always),
    ("batch.JobSpec", "maxFailedIndexes", 28, always),
    ("batch.JobSpec", "podFailurePolicy", 25, always),
    ("batch.JobSpec", "podReplacementPolicy", 28, always),
    ("batch.JobSpec", "scheduling", NEVER, always),
    ("batch.JobSpec", "successPolicy", 30, always),
    ("coordination.LeaseSpec", "preferredHolder", NEVER, always),
    ("coordination.LeaseSpec", "strategy", NEVER, always),
    ("core.CSIPersistentVolumeSource", "nodeExpandSecretRef", 26, always),
    ("core.ClusterTrustBundleProjection", "user", NEVER, always),
    ("core.ConfigMapVolumeSource", "defaultUser", NEVER, always),
    ("core.Container", "resizePolicy", 32, always),
    ("core.Container", "restartPolicy", 28, is_first_container),
    ("core.Container", "restartPolicyRules", 34, always),
    ("core.DownwardAPIVolumeFile", "user", NEVER, always),
    ("core.DownwardAPIVolumeSource", "defaultUser", NEVER, always),
    ("core.EmptyDirVolumeSource", "mode", NEVER, always),
    ("core.EnvVarSource", "fileKeyRef", 34, always),
    ("core.EphemeralContainer", "resizePolicy", 32, always),
    ("core.EphemeralContainer", "restartPolicyRules", 34, always),
    ("core.GRPCAction", "mode", NEVER, always),
    ("core.HTTPGetAction", "protocol", NEVER, always),
    ("core.KeyToPath", "user", NEVER, always),
    ("core.Lifecycle", "stopSignal", NEVER, always),
    ("core.LifecycleHandler", "sleep", 29, always),
    ("core.PersistentVolumeClaimSpec", "dataSourceRef", NEVER, is_of_other_namespace),
    ("core.PersistentVolumeClaimSpec", "volumeAttributesClassName", 33, always),
    ("core.PersistentVolumeSpec", "volumeAttributesClassName", 33, always),
    ("core.PodAffinityTerm", "matchLabelKeys", 30, always),
    ("core.PodAffinityTerm", "mismatchLabelKeys", 30, always),
    ("core.PodCertificateProjection", "user", NEVER, always),
    ("core.PodSecurityContext", "seLinuxChangePolicy", 32, always),
    ("core.PodSecurityContext", "supplementalGroupsPolicy", 32, always),
    ("core.PodSpec", "evictionResponders", NEVER, always),
    ("core.PodSpec", "hostUsers", 32, always),
    ("core.PodSpec", "hostnameOverride", 34, always),
    ("core.PodSpec", "resourceClaims", 33, always),
    ("core.PodSpec", "resources", 33, always),
    ("core.PodSpec", "schedulingGates", 26, always),
    ("core.PodSpec", "schedulingGroup", NEVER, always),
    ("core.PodSpec", "workloadRef", NEVER, always),
    ("core.ProjectedVolumeSource", "defaultUser", NEVER, always),
    ("core.ResourceRequirements", "claims", 33, always),
    ("core.SecretVolumeSource", "defaultUser", NEVER, always),
    ("core.SecurityContext", "procMount", 32, always),
    ("core.ServiceAccountTokenProjection", "user", NEVER, always),
    ("core.ServiceSpec", "trafficDistribution", 30, always),
    ("core.TopologySpreadConstraint", "matchLabelKeys", 26, always),
    ("core.TopologySpreadConstraint", "minDomains", 26, always),
    ("core.TopologySpreadConstraint", "nodeAffinityPolicy", 25, always),
    ("core.TopologySpreadConstraint", "nodeTaintsPolicy", 25, always),
    ("core.VolumeMount", "bindMountOptions", NEVER, always),
    ("core.VolumeMount", "recursiveReadOnly", 30, always),
    ("core.VolumeProjection", "clusterTrustBundle", 36, always),
    ("core.VolumeProjection", "podCertificate", 36, always),
    ("discovery.EndpointHints", "forNodes", 33, always),
    ("policy.PodDisruptionBudgetSpec", "unhealthyPodEvictionPolicy", 26, always),
    ("resource.BasicDevice", "allNodes", 35, always),
    ("resource.BasicDevice", "allowMultipleAllocations", 35, always),
    ("resource.BasicDevice", "bindingConditions", 35, always),
    ("resource.BasicDevice", "bindingFailureConditions", 35, always),
    ("resource.BasicDevice", "bindsToNode", 35, always),
    ("resource.BasicDevice", "consumesCounters", 35, always),
    ("resource.BasicDevice", "nodeAllocatableResources", NEVER, always),
    ("resource.BasicDevice", "nodeName", 35, always),
    ("resource.BasicDevice", "nodeSelector", 35, always),
    ("resource.BasicDevice", "taints", 35, always),
    ("resource.Device", "allNodes", 35, always),
    ("resource.Device", "allowMultipleAllocations", 35, always),
    ("resource.Device", "bindingConditions", 35, always),
    ("resource.Device", "bindingFailureConditions", 35, always),
    ("resource.Device", "bindsToNode", 35, always),
    ("resource.Device", "consumesCounters", 35, always),
    ("resource.Device", "nodeAllocatableResources", NEVER, always),
    ("resource.Device", "nodeName", 35, always),
    ("resource.Device", "nodeSelector", 35, always),
    ("resource.Device", "taints", 35, always),
    ("resource.DeviceAttribute", "bools", NEVER, always),
    ("resource.DeviceAttribute", "ints", NEVER, always),
    ("resource.DeviceAttribute", "strings", NEVER, always),
    ("resource.DeviceAttribute", "versions", NEVER, always),
    ("resource.DeviceCapacity", "requestPolicy", 35, always),
    ("resource.DeviceClassSpec", "extendedResourceName", 35, always),
    ("resource.DeviceConstraint", "distinctAttribute", 35, always),
    ("resource.DeviceCounterConsumption", "compatibilityGroups", NEVER, always),
    ("resource.DeviceRequest", "adminAccess", 33, always),
    ("resource.DeviceRequest", "capacity", 35, always),
    ("resource.DeviceRequest", "derivedAttributes", NEVER, always),
    ("resource.DeviceRequest", "firstAvailable", 33, always),
    ("resource.DeviceRequest", "tolerations", 35, always),
    ("resource.DeviceSubRequest", "capacity", 35, always),
    ("resource.DeviceSubRequest", "derivedAttributes", NEVER, always),
    ("resource.DeviceSubRequest", "tolerations", 35, always),
    ("resource.ExactDeviceRequest", "adminAccess", 33, always),
    ("resource.ExactDeviceRequest", "capacity", 35, always),
    ("resource.ExactDeviceRequest", "derivedAttributes", NEVER, always),
    ("resource.ExactDeviceRequest", "tolerations", 35, always),
    ("resource.ResourceSliceSpec", "partitionTypeAttribute", NEVER, always),
    ("resource.ResourceSliceSpec", "perDeviceNodeSelection", 35, always),
    ("resource.ResourceSliceSpec", "sharedCounters", 35, always),
    ("storage.CSIDriverSpec", "nodeAllocatableUpdatePeriodSeconds", 34, always),
    ("storage.CSIDriverSpec", "preventPodSchedulingIfMissing", 36, always),
    ("storage.CSIDriverSpec", "seLinuxMount", 27, always),
];

/// Fields that one version alone drops: a feature was switched off again, or the field meant less before it.
static SINGLE: &[Row] = &[
    ("apps.RollingUpdateStatefulSetStrategy", "maxUnavailable", 36, always),
    ("core.Container", "restartPolicy", 34, is_no_sidecar),
    ("core.EphemeralContainer", "restartPolicy", 34, always),
];

/// The fields of a definition that a version drops.
pub(super) fn of(short: &str, fields: &[Field], minor: u16) -> Vec<Dropped> {
    let until = TABLE.iter().filter(|row| minor <= row.2);
    let single = SINGLE.iter().filter(|row| minor == row.2);
    until
        .chain(single)
        .filter(|row| row.0 == short && fields.iter().any(|field| field.name == row.1))
        .map(|row| Dropped { field: row.1, when: row.3 })
        .collect()
}

#[cfg(test)]
mod tests {
    use trueline_kube_facts::KubeVersion;

    use super::*;
    use trueline_kube_api::Api;

    use crate::rules::short_name;
    use crate::rules::testing::Bench;

    #[test]
    fn every_row_names_a_field_that_some_version_drops() {
        for (definition, field, last, _) in TABLE.iter().chain(SINGLE) {
            let is_known = Api::versions().filter(|version| version.minor <= *last).any(|version| {
                let api = Api::for_version(KubeVersion { minor: version.minor }).unwrap();
                api.all_definitions()
                    .any(|known| short_name(known.name) == *definition && known.field(field).is_some())
            });
            assert!(is_known, "{definition}.{field}");
        }
        assert!(TABLE.is_sorted_by_key(|row| (row.0, row.1)));
    }

    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {{}}\n";
    const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {{}, template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}\n";

    #[test]
    fn what_is_dropped_is_not_looked_at() {
        // The frame, the part, the version that drops it without a word, and what the next one says.
        for (frame, part, minor, error) in [
            (
                POD,
                "containers: [{name: a, image: i}], schedulingGates: [{name: a}], nodeName: x",
                26,
                "spec.nodeName: Forbidden",
            ),
            (
                POD,
                "containers: [{name: a, image: i}], securityContext: {supplementalGroupsPolicy: Foo}",
                32,
                "spec.securityContext.supplementalGroupsPolicy: Unsupported value",
            ),
            (
                POD,
                "containers: [{name: a, image: i}], securityContext: {seLinuxChangePolicy: Foo}",
                32,
                "spec.securityContext.seLinuxChangePolicy: Unsupported value",
            ),
            (
                POD,
                "containers: [{name: a, image: i, securityContext: {procMount: Foo}}]",
                32,
                "spec.containers[0].securityContext.procMount: Unsupported value",
            ),
            (
                POD,
                "containers: [{name: a, image: i, restartPolicy: Foo}]",
                34,
                "spec.containers[0].restartPolicy: Unsupported value",
            ),
            (
                POD,
                "containers: [{name: a, image: i, resizePolicy: [{resourceName: x, restartPolicy: NotRequired}]}]",
                32,
                "spec.containers[0].resizePolicy: Unsupported value: \"x\"",
            ),
            (JOB, "backoffLimitPerIndex: 1", 28, "spec.backoffLimitPerIndex: Invalid value"),
        ] {
            let text = frame.replacen("{}", part, 1);
            Bench::of(minor).accepts(&text);
            Bench::of(minor + 1).refuses(&text, &[error]);
        }
    }

    #[test]
    fn what_remains_is_looked_at() {
        for (frame, part, minor, error) in [
            (
                POD,
                "initContainers: [{name: s, image: i, restartPolicy: Always, startupProbe: {exec: {command: [a]}}}], containers: [{name: a, image: i}]",
                28,
                "spec.initContainers[0].startupProbe: Forbidden",
            ),
            (
                POD,
                "containers: [{name: a, image: i, lifecycle: {preStop: {sleep: {seconds: 3}}}}]",
                29,
                "spec.containers[0].lifecycle.preStop: Required value",
            ),
            (
                POD,
                "containers: [{name: a, image: i, env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: x, key: k}}}]}], volumes: [{name: v, emptyDir: {}}]",
                34,
                "spec.containers[0].env[0].valueFrom: Invalid value",
            ),
            (
                "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: r, {}}]}}\n",
                "firstAvailable: [{name: s, deviceClassName: x.io}]",
                33,
                "spec.devices.requests[0]: Required value",
            ),
        ] {
            let text = frame.replacen("{}", part, 1);
            Bench::of(minor).refuses(&text, &[error]);
            Bench::of(minor + 1).accepts(&text);
        }
    }

    #[test]
    fn what_a_version_does_not_have_is_not_looked_at() {
        let text = JOB.replacen("{}", "backoffLimitPerIndex: -1", 1);
        Bench::of(27).refuses(&text, &["spec.backoffLimitPerIndex: UnknownField"]);
    }

    #[test]
    fn an_update_keeps_what_the_old_object_has() {
        let with = |policy: &str| {
            POD.replacen(
                "{}",
                &format!("containers: [{{name: a, image: i}}], securityContext: {{{policy}}}"),
                1,
            )
        };
        let wrong = with("supplementalGroupsPolicy: Foo");
        let stored = wrong.replace("name: p", "name: p, uid: u");
        Bench::of(32).updates(
            &stored,
            &wrong,
            &["spec.securityContext.supplementalGroupsPolicy: Unsupported value"],
        );
        Bench::of(32).updates(&with(""), &wrong, &[]);
        // A manifest lost the field when it was applied.
        Bench::of(32).updates(&wrong, &wrong, &[]);
    }
}

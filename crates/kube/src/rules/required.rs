//! Which of the fields that are published as required the server demands.
//!
//! Published is what Go cannot leave out when it writes. The server demands most texts, lists and maps among them, and
//! takes an empty one for an absent one. Numbers and booleans are never absent for it: zero is a value. The table has
//! the exceptions: what the server does not miss, and what a rule reports in other words.

use crate::api::{Field, Type};

/// Definitions and those of their fields that are not `Required value` when they are missing.
static EXCEPTIONS: &[(&str, &[&str])] = &[
    ("apiextensions.CustomResourceColumnDefinition", &["name", "type", "jsonPath"]),
    ("apiextensions.CustomResourceConversion", &["strategy"]),
    ("apiextensions.CustomResourceDefinitionNames", &["plural", "kind"]),
    ("apiextensions.CustomResourceDefinitionSpec", &["group", "scope", "versions"]),
    ("apiextensions.CustomResourceDefinitionVersion", &["name"]),
    ("apiextensions.CustomResourceSubresourceScale", &["specReplicasPath", "statusReplicasPath"]),
    ("apiextensions.SelectableField", &["jsonPath"]),
    ("apiextensions.ServiceReference", &["namespace", "name"]),
    ("apiextensions.ValidationRule", &["rule"]),
    ("apiextensions.WebhookConversion", &["conversionReviewVersions"]),
    ("admissionregistration.AuditAnnotation", &["key", "valueExpression"]),
    ("admissionregistration.MatchCondition", &["name", "expression"]),
    ("admissionregistration.MutatingWebhook", &["name", "sideEffects", "admissionReviewVersions"]),
    ("admissionregistration.ValidatingWebhook", &["name", "sideEffects", "admissionReviewVersions"]),
    ("admissionregistration.Validation", &["expression"]),
    ("admissionregistration.Variable", &["name", "expression"]),
    ("apps.StatefulSetSpec", &["serviceName"]),
    ("apiserverinternal.StorageVersion", &["spec", "status"]),
    ("authorization.NonResourceRule", &["verbs"]),
    ("authorization.ResourceRule", &["verbs"]),
    ("autoscaling.HPAScalingPolicy", &["type"]),
    ("autoscaling.MetricIdentifier", &["name"]),
    ("autoscaling.MetricSpec", &["type"]),
    ("autoscaling.MetricTarget", &["type"]),
    ("batch.PodFailurePolicy", &["rules"]),
    ("batch.PodFailurePolicyOnExitCodesRequirement", &["operator", "values"]),
    ("batch.PodFailurePolicyOnPodConditionsPattern", &["type", "status"]),
    ("batch.PodFailurePolicyRule", &["action"]),
    ("batch.SuccessPolicy", &["rules"]),
    ("certificates.CertificateSigningRequestSpec", &["request"]),
    ("certificates.ClusterTrustBundleSpec", &["trustBundle"]),
    ("certificates.PodCertificateRequestSpec", &["pkixPublicKey", "proofOfPossession"]),
    ("core.AppArmorProfile", &["type"]),
    ("core.AttachedVolume", &["name", "devicePath"]),
    ("core.ConfigMapNodeConfigSource", &["namespace", "name", "kubeletConfigKey"]),
    ("core.ContainerResizePolicy", &["resourceName", "restartPolicy"]),
    ("core.ContainerRestartRule", &["action"]),
    ("core.ContainerRestartRuleOnExitCodes", &["operator"]),
    ("core.DownwardAPIVolumeFile", &["path"]),
    ("core.EndpointAddress", &["ip"]),
    ("core.GCEPersistentDiskVolumeSource", &["pdName"]),
    ("core.HTTPHeader", &["name", "value"]),
    ("core.HostAlias", &["ip"]),
    ("core.LimitRangeItem", &["type"]),
    ("core.LimitRangeSpec", &["limits"]),
    ("core.NodeSelector", &["nodeSelectorTerms"]),
    ("core.NodeSelectorRequirement", &["key", "operator"]),
    ("core.ObjectFieldSelector", &["fieldPath"]),
    ("core.PodAffinityTerm", &["topologyKey"]),
    ("core.PodCertificateProjection", &["signerName", "keyType"]),
    ("core.PodOS", &["name"]),
    ("core.PodReadinessGate", &["conditionType"]),
    ("core.PodSchedulingGate", &["name"]),
    ("core.ResourceFieldSelector", &["resource"]),
    ("core.ScaleIOPersistentVolumeSource", &["secretRef"]),
    ("core.ScaleIOVolumeSource", &["secretRef"]),
    ("core.ScopedResourceSelectorRequirement", &["scopeName", "operator"]),
    ("core.SeccompProfile", &["type"]),
    ("core.ServiceAccountTokenProjection", &["path"]),
    ("core.Sysctl", &["value"]),
    ("core.Taint", &["key"]),
    ("core.TopologySelectorLabelRequirement", &["key"]),
    ("core.TopologySpreadConstraint", &["topologyKey", "whenUnsatisfiable"]),
    ("discovery.Endpoint", &["addresses"]),
    ("discovery.EndpointSlice", &["endpoints"]),
    ("discovery.ForNode", &["name"]),
    ("discovery.ForZone", &["name"]),
    ("flowcontrol.FlowDistinguisherMethod", &["type"]),
    ("flowcontrol.LimitResponse", &["type"]),
    ("flowcontrol.NonResourcePolicyRule", &["verbs", "nonResourceURLs"]),
    ("flowcontrol.PriorityLevelConfigurationSpec", &["type"]),
    ("flowcontrol.ResourcePolicyRule", &["verbs", "apiGroups", "resources"]),
    ("flowcontrol.Subject", &["kind"]),
    ("flowcontrol.PolicyRulesWithSubjects", &["subjects"]),
    ("meta.Condition", &["type", "status", "reason", "message", "lastTransitionTime"]),
    ("meta.FieldSelectorRequirement", &["key", "operator"]),
    ("meta.GroupResource", &["group"]),
    ("meta.LabelSelectorRequirement", &["key", "operator"]),
    ("meta.OwnerReference", &["apiVersion", "kind", "name", "uid"]),
    ("networking.HTTPIngressPath", &["pathType"]),
    ("node.RuntimeClass", &["handler"]),
    ("rbac.PolicyRule", &["verbs"]),
    ("rbac.RoleRef", &["apiGroup", "kind"]),
    ("rbac.Subject", &["kind"]),
    ("resource.CELDeviceSelector", &["expression"]),
    ("storage.CSINodeSpec", &["drivers"]),
    ("storage.TokenRequest", &["audience"]),
];

/// The fields of a definition that must not be absent: those where empty is as bad, and those where it is not.
pub(super) fn of(definition: &str, fields: &[Field]) -> (Vec<&'static str>, Vec<&'static str>) {
    let exceptions: &[&str] =
        EXCEPTIONS.iter().find(|(name, _)| *name == definition).map_or(&[], |(_, exceptions)| exceptions);
    let demanded = || fields.iter().filter(|field| field.is_required && !exceptions.contains(&field.name));
    let can_be_empty =
        |field: &&Field| matches!(field.r#type, Type::String | Type::List(..) | Type::Map(_) | Type::Bytes);
    // What is not a struct in Go but a pointer to one can be missed as well.
    let is_pointer = |field: &&Field| matches!(field.r#type, Type::Object(_)) && !field.is_embedded;
    let names = |field: &Field| field.name;
    (demanded().filter(can_be_empty).map(names).collect(), demanded().filter(is_pointer).map(names).collect())
}

/// The names in the table.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = String> {
    EXCEPTIONS
        .iter()
        .flat_map(|(definition, fields)| fields.iter().map(move |field| format!("{definition}.{field}")))
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn what_the_server_does_not_miss_may_be_absent_or_empty() {
        let bench = Bench::new();
        bench.accepts(
            "apiVersion: storagemigration.k8s.io/v1beta1\nkind: StorageVersionMigration\nmetadata: {name: a}\n\
             spec: {resource: {group: \"\", resource: secrets}}\n",
        );
        bench.accepts(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: a, image: a}]\n  \
             volumes: [{name: v, scaleIO: {gateway: \"https://x/api\", system: s, volumeName: v}}]\n",
        );
    }
}

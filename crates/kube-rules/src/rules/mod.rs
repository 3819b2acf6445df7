//! What the server checks beyond the published types: one rule a file, each for one definition.
//!
//! A rule sees the object of its definition wherever it is: the pod of a Deployment and that of a CronJob are checked
//! by the same code. Checks of single fields are tables: [`fields`] and [`required`].

mod admission_policy;
mod admitted;
mod autoscaler;
mod budget;
mod certificates;
mod checks;
mod claim;
mod cluster;
mod config;
mod container;
pub mod cron;
mod demanded;
mod device_capacity;
mod device_names;
pub(crate) mod devices;
mod downward;
mod endpoint_slice;
pub mod env;
pub mod ephemeral;
mod event;
mod expression;
mod failure_policy;
mod fields;
mod flow_control;
mod gates;
mod identity;
mod ingress;
mod ingress_class;
mod integer_amount;
pub mod job;
mod job_selector;
mod limit_range;
mod match_condition;
pub mod mounts;
pub(crate) mod network_policy;
mod node;
mod operating_system;
mod placement;
pub mod pod;
mod pod_annotations;
mod pod_dns;
mod pod_group;
mod pod_resources;
mod probe;
mod profiles;
mod projected;
mod quota;
pub use quota::is_standard as is_standard_resource;
mod quota_scope;
mod rbac;
mod required;
mod resource_slice;
pub mod resources;
mod restart;
mod review;
mod security;
pub mod selector;
pub mod service;
mod storage;
mod template;
#[cfg(test)]
pub(crate) mod testing;
mod unread;
mod volume;
mod volume_source;
pub mod warning;
mod webhook;
mod windows;
pub(crate) mod workload;

pub(crate) mod metadata;
pub(crate) mod syntax;
pub mod update;

use trueline_kube_facts::{KubeVersion, ServerRule};

use crate::place::FieldPlace;
use crate::problem::Report;
pub(crate) use checks::{Checks, DefinitionChecks};
pub(crate) use gates::Dropped;
pub(crate) use unread::{Later, Unread};

/// What a rule may want to know besides the object it looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    /// Whose rules apply.
    pub(crate) version: KubeVersion,
    /// The kind of the whole object.
    pub(crate) kind: &'a str,
    /// What is done with the object.
    pub(crate) operation: Operation,
}

/// What is done with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// It is made.
    Create,
    /// It replaces one that is there already.
    Update,
}

/// A rule: looks at an object of one definition and reports what the server would refuse. The object may be absent,
/// where an absent one counts as empty.
pub(crate) type Rule = fn(&FieldPlace<'_, '_>, &Context<'_>, &mut Report);

/// All rules, each with the definition that it is for: group and type, whatever the version of the group.
static RULES: &[(&str, Rule)] = &[
    ("admissionregistration.AuditAnnotation", admission_policy::check_annotation),
    ("admissionregistration.MutatingAdmissionPolicyBindingSpec", admission_policy::check_mutating_binding),
    ("admissionregistration.MutatingAdmissionPolicySpec", match_condition::check),
    ("admissionregistration.MutatingAdmissionPolicySpec", admission_policy::check_mutating),
    ("admissionregistration.MutatingWebhook", match_condition::check),
    ("admissionregistration.MutatingWebhookConfiguration", webhook::check),
    ("admissionregistration.NamedRuleWithOperations", webhook::check_rule),
    ("admissionregistration.ParamKind", admission_policy::check_kind),
    ("admissionregistration.ParamRef", admission_policy::check_parameters),
    ("admissionregistration.RuleWithOperations", webhook::check_rule),
    ("admissionregistration.ValidatingAdmissionPolicyBindingSpec", admission_policy::check_binding),
    ("admissionregistration.ValidatingAdmissionPolicySpec", admission_policy::check),
    ("admissionregistration.ValidatingAdmissionPolicySpec", match_condition::check),
    ("admissionregistration.ValidatingWebhook", match_condition::check),
    ("admissionregistration.ValidatingWebhookConfiguration", webhook::check),
    ("admissionregistration.Validation", admission_policy::check_validation),
    ("admissionregistration.Variable", admission_policy::check_variable),
    ("apiregistration.APIServiceSpec", cluster::check_api_service),
    ("apps.ControllerRevision", demanded::check_revision),
    ("apps.DaemonSet", workload::check_generation),
    ("apps.DaemonSetSpec", selector::check_workload),
    ("apps.DaemonSetSpec", workload::check),
    ("apps.DaemonSetSpec", workload::check_daemon_set),
    ("apps.Deployment", workload::check_rollback),
    ("apps.Deployment", warning::kinds::check_name),
    ("apps.DeploymentSpec", selector::check_workload),
    ("apps.DeploymentSpec", workload::check),
    ("apps.DeploymentSpec", workload::check_deployment),
    ("apps.ReplicaSet", warning::kinds::check_name),
    ("apps.ReplicaSetSpec", selector::check_workload),
    ("apps.ReplicaSetSpec", workload::check),
    ("apps.StatefulSetSpec", selector::check_workload),
    ("apps.StatefulSetSpec", workload::check),
    ("apps.StatefulSetSpec", workload::check_stateful_set),
    ("apps.StatefulSetSpec", warning::kinds::check_history),
    ("authentication.TokenReviewSpec", review::check_token),
    ("authorization.FieldSelectorAttributes", review::check_selector),
    ("authorization.LabelSelectorAttributes", review::check_selector),
    ("authorization.LocalSubjectAccessReview", review::check_metadata),
    ("authorization.SelfSubjectAccessReview", review::check_metadata),
    ("authorization.SelfSubjectAccessReviewSpec", review::check_own),
    ("authorization.SelfSubjectRulesReviewSpec", review::check_rules),
    ("authorization.SubjectAccessReview", review::check_metadata),
    ("authorization.SubjectAccessReviewSpec", review::check),
    ("autoscaling.ContainerResourceMetricSource", autoscaler::check_source),
    ("autoscaling.CrossVersionObjectReference", autoscaler::check_reference),
    ("autoscaling.ExternalMetricSource", autoscaler::check_source),
    ("autoscaling.HorizontalPodAutoscalerSpec", autoscaler::check),
    ("autoscaling.HPAScalingRules", autoscaler::check_rules),
    ("autoscaling.MetricIdentifier", autoscaler::check_identifier),
    ("autoscaling.MetricSpec", autoscaler::check_metric),
    ("autoscaling.MetricTarget", autoscaler::check_target),
    ("autoscaling.ObjectMetricSource", autoscaler::check_source),
    ("autoscaling.PodsMetricSource", autoscaler::check_source),
    ("autoscaling.ResourceMetricSource", autoscaler::check_source),
    ("batch.CronJob", warning::kinds::check_name),
    ("batch.CronJobSpec", job::check_cron_job),
    ("batch.Job", warning::kinds::check_name),
    ("batch.Job", job_selector::check),
    ("batch.JobSpec", job::check),
    ("batch.JobSpec", failure_policy::check),
    ("certificates.CertificateSigningRequestSpec", certificates::check_request),
    ("certificates.ClusterTrustBundleSpec", certificates::check_bundle),
    ("coordination.LeaseCandidateSpec", demanded::check_candidate),
    ("core.AppArmorProfile", security::check_app_armor),
    ("core.AWSElasticBlockStoreVolumeSource", volume_source::check_partition),
    ("core.AzureDiskVolumeSource", volume_source::check_azure_disk),
    ("core.AzureFilePersistentVolumeSource", demanded::check_azure_file),
    ("core.Binding", demanded::check_binding),
    ("core.CinderPersistentVolumeSource", demanded::check_secret),
    ("core.CinderVolumeSource", demanded::check_secret),
    ("core.ConfigMap", config::check),
    ("core.Container", container::check),
    ("core.CSIPersistentVolumeSource", volume_source::check_csi),
    ("core.CSIVolumeSource", volume_source::check_csi),
    ("core.CSIVolumeSource", demanded::check_driver_secret),
    ("core.DownwardAPIVolumeFile", downward::check_file),
    ("core.EndpointSubset", endpoint_slice::check_subset),
    ("core.EnvFromSource", env::check_source),
    ("core.EnvVar", env::check),
    ("core.EnvVarSource", downward::check),
    ("core.EphemeralContainer", container::check),
    ("core.EphemeralContainer", ephemeral::check),
    ("core.EphemeralVolumeSource", volume_source::check_ephemeral),
    ("core.Event", event::check),
    ("core.FCVolumeSource", volume_source::check_fibre_channel),
    ("core.FlexPersistentVolumeSource", volume_source::check_flex),
    ("core.FlexVolumeSource", volume_source::check_flex),
    ("core.FlockerVolumeSource", volume_source::check_flocker),
    ("core.GCEPersistentDiskVolumeSource", volume::check_disk),
    ("core.GCEPersistentDiskVolumeSource", volume_source::check_partition),
    ("core.GitRepoVolumeSource", volume_source::check_repository),
    ("core.GlusterfsPersistentVolumeSource", volume_source::check_gluster),
    ("core.HostPathVolumeSource", volume::check_host_path),
    ("core.HTTPGetAction", probe::check_headers),
    ("core.ImageVolumeSource", volume_source::check_image),
    ("core.ISCSIPersistentVolumeSource", volume_source::check_iscsi),
    ("core.ISCSIVolumeSource", volume_source::check_iscsi),
    ("core.KeyToPath", volume::check_item),
    ("core.FileKeySelector", env::check_file),
    ("core.LifecycleHandler", probe::check_hook),
    ("core.LimitRangeSpec", limit_range::check),
    ("core.Namespace", metadata::check_namespace),
    ("core.LocalVolumeSource", volume_source::check_local),
    ("core.NFSVolumeSource", volume_source::check_nfs),
    ("core.NodeSelector", placement::check_node_selector),
    ("core.NodeSelectorTerm", placement::check_term),
    ("core.NodeSelectorTerm", warning::labels::check_term),
    ("core.Node", node::check_annotations),
    ("core.NodeSpec", node::check),
    ("core.PersistentVolume", warning::volume::check_persistent),
    ("core.PersistentVolumeClaim", warning::volume::check_claim),
    ("core.PersistentVolumeClaimSpec", claim::check),
    ("core.PersistentVolumeSpec", claim::check_volume),
    ("core.Pod", warning::pod::check),
    ("core.Pod", admitted::check),
    ("core.Pod", pod_annotations::check),
    ("core.Pod", profiles::check),
    ("core.PodAffinityTerm", warning::pod::check_term),
    ("core.PodAffinityTerm", placement::check_affinity),
    ("core.PodSecurityContext", security::check_pod),
    ("core.PodSpec", mounts::check),
    ("core.PodSpec", pod::check),
    ("core.PodSpec", pod_dns::check),
    ("core.PodSpec", env::check_files),
    ("core.PodSpec", ephemeral::check_targets),
    ("core.PodSpec", identity::check),
    ("core.PodSpec", pod_resources::check),
    ("core.PodSpec", windows::check_pod),
    ("core.PodSpec", operating_system::check),
    ("core.PodSpec", restart::check),
    ("core.PodSpec", warning::ports::check),
    ("core.PodSpec", placement::check_spreads),
    ("core.PodTemplateSpec", template::check),
    ("core.PodTemplateSpec", pod_annotations::check_template),
    ("core.PodTemplateSpec", profiles::check),
    ("core.PodTemplateSpec", warning::pod::check),
    ("core.Probe", probe::check),
    ("core.ProjectedVolumeSource", projected::check),
    ("core.QuobyteVolumeSource", volume_source::check_quobyte),
    ("core.ReplicationControllerSpec", selector::check_controller),
    ("core.ReplicationControllerSpec", workload::check),
    ("core.ResourceQuotaSpec", quota::check),
    ("core.ResourceQuotaSpec", quota_scope::check),
    ("core.ResourceRequirements", warning::pod::check_resources),
    ("core.SeccompProfile", security::check_seccomp),
    ("core.Secret", config::check_secret),
    ("core.Secret", warning::kinds::check_certificate),
    ("core.SecretReference", volume_source::check_secret),
    ("core.SecurityContext", security::check),
    ("core.Service", warning::service::check),
    ("core.ServiceAccount", warning::kinds::check_account),
    ("core.ServiceSpec", service::check),
    ("core.StorageOSPersistentVolumeSource", demanded::check_secret),
    ("core.StorageOSVolumeSource", demanded::check_secret),
    ("core.Toleration", placement::check_toleration),
    ("core.TopologySelectorTerm", warning::labels::check_topology),
    ("core.TopologySelectorTerm", storage::check_topology),
    ("core.TopologySpreadConstraint", placement::check_spread),
    ("core.Volume", volume::check),
    ("core.Volume", volume_source::check_portal),
    ("core.Volume", warning::volume::check),
    ("core.VolumeNodeAffinity", volume_source::check_affinity),
    ("core.VolumeResourceRequirements", warning::pod::check_resources),
    ("core.WindowsSecurityContextOptions", windows::check),
    ("discovery.EndpointHints", endpoint_slice::check_hints),
    ("discovery.EndpointSlice", warning::kinds::check_slice),
    ("discovery.EndpointSlice", endpoint_slice::check),
    ("events.Event", event::check_new),
    ("flowcontrol.ExemptPriorityLevelConfiguration", flow_control::check_shares),
    ("flowcontrol.FlowSchemaSpec", flow_control::check_schema),
    ("flowcontrol.LimitResponse", flow_control::check_response),
    ("flowcontrol.LimitedPriorityLevelConfiguration", flow_control::check_shares),
    ("flowcontrol.NonResourcePolicyRule", flow_control::check_addresses),
    ("flowcontrol.PolicyRulesWithSubjects", flow_control::check_rules),
    ("flowcontrol.PriorityLevelConfigurationSpec", flow_control::check_level),
    ("flowcontrol.QueuingConfiguration", flow_control::check_queues),
    ("flowcontrol.ResourcePolicyRule", flow_control::check_resources),
    ("flowcontrol.Subject", flow_control::check_subject),
    ("meta.FieldSelectorRequirement", review::check_requirement),
    ("meta.LabelSelector", selector::check),
    ("meta.LabelSelectorRequirement", selector::check_requirement),
    ("networking.HTTPIngressPath", ingress::check_path),
    ("networking.Ingress", warning::kinds::check_ingress),
    ("networking.Ingress", ingress::check_class),
    ("networking.IngressBackend", ingress::check_backend),
    ("networking.IngressClassParametersReference", ingress_class::check_parameters),
    ("networking.IngressClassSpec", ingress_class::check),
    ("networking.IngressSpec", ingress::check),
    ("networking.IPBlock", warning::address::check_block),
    ("networking.NetworkPolicyPeer", network_policy::check_peer),
    ("networking.NetworkPolicyPort", network_policy::check_port),
    ("networking.NetworkPolicySpec", network_policy::check),
    ("networking.ServiceCIDRSpec", demanded::check_ranges),
    ("node.Overhead", resources::check_fixed),
    ("node.Scheduling", cluster::check_scheduling),
    ("node.Scheduling", warning::kinds::check_scheduling),
    ("policy.PodDisruptionBudgetSpec", budget::check),
    ("rbac.AggregationRule", rbac::check_aggregation),
    ("rbac.PolicyRule", rbac::check_rule),
    ("rbac.RoleRef", rbac::check_reference),
    ("rbac.Subject", rbac::check_subject),
    ("resource.CELDeviceSelector", cluster::check_device_selector),
    ("resource.DeviceClaim", devices::check),
    ("resource.DeviceClaimConfiguration", devices::check_configuration),
    ("resource.DeviceClassConfiguration", devices::check_configuration),
    ("resource.DeviceClassSpec", devices::check_class),
    ("resource.DeviceRequest", devices::check_request),
    ("resource.DeviceSelector", devices::check_selector),
    ("resource.DeviceSubRequest", devices::check_alternative),
    ("resource.DeviceTaintRuleSpec", devices::check_taint_rule),
    ("resource.ExactDeviceRequest", devices::check_exact),
    ("resource.ResourceClaimTemplateSpec", volume_source::check_template),
    ("resource.ResourceSliceSpec", resource_slice::check),
    ("scheduling.CompositeDisruptionMode", pod_group::check_disruption),
    ("scheduling.CompositeGangSchedulingPolicy", pod_group::check_gang),
    ("scheduling.CompositePodGroupSchedulingPolicy", pod_group::check_policy),
    ("scheduling.DisruptionMode", pod_group::check_disruption),
    ("scheduling.GangSchedulingPolicy", pod_group::check_gang),
    ("scheduling.PodGroupPolicy", pod_group::check_policy),
    ("scheduling.PodGroupResourceClaim", pod_group::check_claim),
    ("scheduling.PodGroupSchedulingPolicy", pod_group::check_policy),
    ("scheduling.PodGroupSpec", pod_group::check),
    ("scheduling.PodGroupTemplate", pod_group::check),
    ("scheduling.WorkloadSpec", pod_group::check_workload),
    ("scheduling.PriorityClass", cluster::check_priority),
    ("storage.CSINodeSpec", storage::check_node),
    ("storage.CSIDriverSpec", storage::check_driver),
    ("storage.VolumeAttachmentSource", demanded::check_attachment),
    ("storage.VolumeAttachmentSpec", demanded::check_attacher),
    ("storage.StorageClass", storage::check_class),
    ("storage.VolumeAttributesClass", storage::check_attributes),
];

/// `core.Container` for `io.k8s.api.core.v1.Container`.
pub fn short_name(name: &str) -> String {
    let mut parts = name.rsplit('.');
    let last = parts.next().unwrap_or_default();
    let group = parts.nth(1).unwrap_or_default();
    format!("{group}.{last}")
}

/// The rules of all files that are declared with `rules!`.
pub static NAMED_LISTS: &[&[&ServerRule]] = &[
    admission_policy::NAMED,
    admitted::NAMED,
    autoscaler::NAMED,
    budget::NAMED,
    certificates::NAMED,
    claim::NAMED,
    cluster::NAMED,
    config::NAMED,
    container::NAMED,
    demanded::NAMED,
    device_capacity::NAMED,
    device_names::NAMED,
    devices::NAMED,
    downward::NAMED,
    endpoint_slice::NAMED,
    env::NAMED,
    ephemeral::NAMED,
    event::NAMED,
    expression::NAMED,
    failure_policy::NAMED,
    fields::NAMED,
    flow_control::NAMED,
    identity::NAMED,
    ingress::NAMED,
    ingress_class::NAMED,
    job::NAMED,
    job_selector::NAMED,
    limit_range::NAMED,
    match_condition::NAMED,
    metadata::NAMED,
    mounts::NAMED,
    network_policy::NAMED,
    node::NAMED,
    operating_system::NAMED,
    placement::NAMED,
    pod::NAMED,
    pod_annotations::NAMED,
    pod_dns::NAMED,
    pod_group::NAMED,
    pod_resources::NAMED,
    probe::NAMED,
    profiles::NAMED,
    projected::NAMED,
    quota::NAMED,
    quota_scope::NAMED,
    rbac::NAMED,
    resource_slice::NAMED,
    resources::NAMED,
    restart::NAMED,
    review::NAMED,
    security::NAMED,
    selector::NAMED,
    service::NAMED,
    storage::NAMED,
    syntax::NAMED,
    volume::NAMED,
    volume_source::NAMED,
    webhook::NAMED,
    windows::NAMED,
    workload::NAMED,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use trueline_kube_api::Api;

    #[test]
    fn every_rule_and_table_names_a_definition_that_exists() {
        let mut names = BTreeSet::new();
        for version in Api::versions() {
            let api = Api::for_version(version).unwrap();
            for definition in api.all_definitions() {
                assert!(definition.fields.len() <= 128, "{}: too many fields to be marked", definition.name);
                let short = short_name(definition.name);
                for field in &definition.fields {
                    names.insert(format!("{short}.{}", field.name));
                }
                names.insert(short);
            }
        }
        let named = RULES.iter().map(|(name, _)| (*name).to_owned());
        let unknown: Vec<String> = named
            .chain(fields::names())
            .chain(required::names())
            .chain(unread::names())
            .filter(|name| !names.contains(name))
            .collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}

//! Checks of single fields, as a table: words that are allowed, ranges, syntaxes. This file is long because the API is
//! wide; it holds facts and little code.

use trueline_kube_facts::common::MISSING;
use trueline_kube_facts::{Breach, ServerRule, go_quoted, names, rules};

use super::syntax;
use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::metadata;
use crate::slip;

rules! {
    /// A field is missing, or holds an empty string.
    EMPTY: Required, "object/empty", "can not be empty";
    /// A path of an Ingress does not say its type.
    PATH_TYPE: Required, "ingress/no-path-type", "pathType must be specified";
    /// A schema of flow control names no priority level.
    PRIORITY_LEVEL: Required, "flow-schema/no-priority-level", "must reference a priority level";
    /// A number is negative that counts or measures something.
    NEGATIVE_NUMBER: Invalid, "object/negative-number", "must be greater than or equal to 0";
    /// A number is not above zero.
    NOT_POSITIVE: Invalid, "object/not-positive", "must be greater than 0";
    /// A number is not above zero.
    ZERO_OR_LESS: Invalid, "object/zero-or-less", "must be greater than zero";
    /// A number is outside of its range.
    OUT_OF_RANGE: Invalid, "object/out-of-range", "must be between {} and {}, inclusive";
    /// A weight is not in the range from 1 to 100.
    WEIGHT: Invalid, "object/weight", "must be in the range 1-100";
    /// A file mode is not in the range from 0 to 0777.
    FILE_MODE: Invalid, "object/file-mode", "must be a number between 0 and 0777 (octal), both inclusive";
}

/// A check of one field.
#[derive(Debug)]
pub(crate) struct FieldCheck {
    /// The field.
    pub(crate) field: &'static str,
    check: Check,
}

/// What a field is validated against. Fields that are absent are not looked at, except where it is said.
#[derive(Debug)]
enum Check {
    /// One of these words; empty text stands for a default.
    OneOf(&'static [&'static str]),
    /// One of these words, wherever it is written: empty text is none of them.
    Written(&'static [&'static str]),
    /// One of these words; empty text, and an absent field, is none of them.
    Always(&'static [&'static str]),
    /// Each item is one of these words.
    Each(&'static [&'static str]),
    /// Each item is one of these words; the server does not say which item is not.
    EachUnnamed(&'static [&'static str]),
    /// Not below zero.
    NotNegative,
    /// An amount that is not below zero.
    AmountNotNegative,
    /// Above zero.
    Positive,
    /// Above zero, in other words.
    MoreThanNothing,
    /// From the first to the second.
    Between(i64, i64),
    /// The rights of a file.
    FileMode,
    /// How much something counts; an absent one is zero, which is nothing.
    Weight,
    /// The number of a port; zero stands for none.
    PortOrNone,
    /// The number of a port; an absent one is zero, which is none.
    Port,
    /// The number or the name of a port; an absent one is zero.
    PortOrName,
    /// A string of this syntax, unless it is empty.
    Text(fn(&str) -> Vec<Breach>),
    /// A string of this syntax, wherever it is written: even if it is empty.
    WrittenText(fn(&str) -> Vec<Breach>),
    /// A string of this syntax, even if it is empty or absent.
    FullText(fn(&str) -> Vec<Breach>),
    /// Each item is a string of this syntax.
    EachText(fn(&str) -> Vec<Breach>),
    /// A map of labels.
    Labels,
    /// Must not be absent or empty.
    Required(&'static ServerRule),
    /// Must not be absent.
    Present(&'static ServerRule),
}

impl FieldCheck {
    /// Looks at the field.
    pub(crate) fn apply(&self, place: &FieldPlace<'_, '_>, report: &mut Report) {
        match &self.check {
            Check::OneOf(words) => {
                if place.full_text().is_some_and(|text| !words.contains(&text)) {
                    report.not_supported(place, words);
                }
            }
            Check::Written(words) => {
                if !place.is_absent() && place.text().is_some_and(|text| !words.contains(&text)) {
                    report.not_supported(place, words);
                }
            }
            Check::Always(words) => {
                if place.text().is_some_and(|text| !words.contains(&text)) {
                    report.not_supported(place, words);
                }
            }
            Check::Each(words) | Check::EachUnnamed(words) => {
                for item in place.items() {
                    if item.text().is_some_and(|text| !words.contains(&text)) {
                        match self.check {
                            Check::EachUnnamed(_) => report.not_supported(&place.at(&item), words),
                            _ => report.not_supported(&item, words),
                        }
                    }
                }
            }
            Check::NotNegative => {
                if place.integer().is_some_and(|number| number < 0) {
                    report.refuse(place, &NEGATIVE_NUMBER);
                }
            }
            Check::AmountNotNegative => {
                if place.quantity().is_some_and(|amount| amount.is_negative()) {
                    report.refuse_value(place, go_quoted(&place.amount()), &NEGATIVE_NUMBER);
                }
            }
            Check::Positive => {
                if place.integer().is_some_and(|number| number <= 0) {
                    report.refuse(place, &NOT_POSITIVE);
                }
            }
            Check::MoreThanNothing => {
                if place.integer().is_some_and(|number| number <= 0) {
                    report.refuse(place, &ZERO_OR_LESS);
                }
            }
            Check::Between(least, most) => {
                if place.integer().is_some_and(|number| !(*least..=*most).contains(&number)) {
                    report.refuse(place, OUT_OF_RANGE.with(least).and(most));
                }
            }
            Check::FileMode => file_mode(place, report),
            Check::Weight => {
                if place.is_absent() || place.integer().is_some_and(|weight| !(1..=100).contains(&weight)) {
                    report.refuse(place, &WEIGHT);
                }
            }
            Check::PortOrNone => {
                let port = place.integer().filter(|port| *port != 0);
                report.complain(place, port.and_then(names::port));
            }
            Check::Port | Check::PortOrName => {
                let is_name = matches!(self.check, Check::PortOrName);
                let port = if place.is_absent() { Some(0) } else { place.integer() };
                match (port, place.text()) {
                    (Some(port), _) => report.complain(place, names::port(port)),
                    (None, Some(text)) if is_name => report.complain(place, syntax::port_name(text)),
                    _ => {}
                }
            }
            Check::Text(check) => {
                if let Some(text) = place.full_text() {
                    report.complain(place, check(text));
                }
            }
            Check::WrittenText(check) => {
                if let Some(text) = place.text().filter(|_| !place.is_absent()) {
                    report.complain(place, check(text));
                }
            }
            Check::FullText(check) => {
                if let Some(text) = place.text() {
                    report.complain(place, check(text));
                }
            }
            Check::EachText(check) => {
                for item in place.items() {
                    if let Some(text) = item.text() {
                        report.complain(&item, check(text));
                    }
                }
            }
            Check::Labels => metadata::labels(place, report),
            Check::Present(rule) => {
                if place.is_absent() {
                    report.refuse(place, *rule);
                }
            }
            Check::Required(rule) => {
                if place.is_empty() {
                    report.refuse(place, *rule);
                }
            }
        }
    }
}

/// A name that may go on after its last letter: the server asks no more of what variables are taken from.
fn beginning_of_name(text: &str) -> Vec<Breach> {
    names::object_name(text, names::NameUse::Prefix)
}

fn path_segment(text: &str) -> Vec<Breach> {
    names::path_segment_name(text, names::NameUse::Whole)
}

const fn check(field: &'static str, check: Check) -> FieldCheck {
    FieldCheck { field, check }
}

const PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];
const ACCESS_MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES: &[&str] = &["Block", "Filesystem"];
const FAILURE_POLICIES: &[&str] = &["Fail", "Ignore"];
const MATCH_POLICIES: &[&str] = &["Equivalent", "Exact"];
const SCOPES: &[&str] = &["*", "Cluster", "Namespaced"];
const REINVOCATION: &[&str] = &["IfNeeded", "Never"];
const STORAGE_OS: &[FieldCheck] = &[
    check("volumeName", Check::Text(names::dns_1123_label)),
    check("volumeNamespace", Check::Text(names::dns_1123_label)),
];
const NODE_POLICIES: &[&str] = &["Honor", "Ignore"];
/// The server's words for the partition of a disk that is none.
pub(super) const PARTITION: &str = "must be between 0 and 255, inclusive";
const USER_IDS: Check = Check::Between(0, i32::MAX as i64);

/// Definitions and the checks of their fields.
static TABLE: &[(&str, &[FieldCheck])] = &[
    (
        "coordination.LeaseSpec",
        &[check("leaseDurationSeconds", Check::Positive), check("leaseTransitions", Check::NotNegative)],
    ),
    (
        "admissionregistration.MutatingWebhook",
        &[
            check("failurePolicy", Check::Written(FAILURE_POLICIES)),
            check("matchPolicy", Check::Written(MATCH_POLICIES)),
            check("reinvocationPolicy", Check::Written(REINVOCATION)),
        ],
    ),
    (
        "admissionregistration.ValidatingWebhook",
        &[
            check("failurePolicy", Check::Written(FAILURE_POLICIES)),
            check("matchPolicy", Check::Written(MATCH_POLICIES)),
        ],
    ),
    ("admissionregistration.MatchResources", &[check("matchPolicy", Check::Written(MATCH_POLICIES))]),
    (
        "admissionregistration.ValidatingAdmissionPolicySpec",
        &[check("failurePolicy", Check::Written(FAILURE_POLICIES))],
    ),
    (
        "admissionregistration.ValidatingAdmissionPolicyBindingSpec",
        &[check("policyName", Check::Text(names::dns_1123_subdomain))],
    ),
    (
        "admissionregistration.MutatingAdmissionPolicySpec",
        &[
            check("failurePolicy", Check::Written(FAILURE_POLICIES)),
            check("reinvocationPolicy", Check::OneOf(REINVOCATION)),
        ],
    ),
    (
        "admissionregistration.MutatingAdmissionPolicyBindingSpec",
        &[check("policyName", Check::Text(names::dns_1123_subdomain))],
    ),
    (
        "admissionregistration.NamedRuleWithOperations",
        &[check("scope", Check::Written(SCOPES)), check("resourceNames", Check::EachText(path_segment))],
    ),
    ("admissionregistration.RuleWithOperations", &[check("scope", Check::Written(SCOPES))]),
    (
        "networking.ParentReference",
        &[
            check("group", Check::Text(names::dns_1123_subdomain)),
            check("resource", Check::Text(path_segment)),
            check("name", Check::Text(path_segment)),
            check("namespace", Check::Text(path_segment)),
        ],
    ),
    (
        "apps.DeploymentSpec",
        &[
            check("replicas", Check::NotNegative),
            check("minReadySeconds", Check::NotNegative),
            check("revisionHistoryLimit", Check::NotNegative),
            check("progressDeadlineSeconds", Check::NotNegative),
        ],
    ),
    (
        "apps.DaemonSetSpec",
        &[check("minReadySeconds", Check::NotNegative), check("revisionHistoryLimit", Check::NotNegative)],
    ),
    (
        "apps.ReplicaSetSpec",
        &[check("replicas", Check::NotNegative), check("minReadySeconds", Check::NotNegative)],
    ),
    (
        "apps.StatefulSetSpec",
        &[check("replicas", Check::NotNegative), check("minReadySeconds", Check::NotNegative)],
    ),
    ("apps.ControllerRevision", &[check("revision", Check::NotNegative)]),
    ("apps.StatefulSetOrdinals", &[check("start", Check::NotNegative)]),
    (
        "apps.StatefulSetPersistentVolumeClaimRetentionPolicy",
        &[
            check("whenDeleted", Check::OneOf(&["Retain", "Delete"])),
            check("whenScaled", Check::OneOf(&["Retain", "Delete"])),
        ],
    ),
    (
        "batch.CronJobSpec",
        &[
            check("concurrencyPolicy", Check::OneOf(&["Allow", "Forbid", "Replace"])),
            check("startingDeadlineSeconds", Check::NotNegative),
            check("successfulJobsHistoryLimit", Check::NotNegative),
            check("failedJobsHistoryLimit", Check::NotNegative),
        ],
    ),
    (
        "batch.JobSpec",
        &[
            check("parallelism", Check::NotNegative),
            check("completions", Check::NotNegative),
            check("activeDeadlineSeconds", Check::NotNegative),
            check("backoffLimit", Check::NotNegative),
            check("ttlSecondsAfterFinished", Check::NotNegative),
            check("backoffLimitPerIndex", Check::NotNegative),
            check("maxFailedIndexes", Check::NotNegative),
            check("completionMode", Check::Written(&["NonIndexed", "Indexed"])),
        ],
    ),
    ("certificates.CertificateSigningRequestSpec", &[check("usages", Check::Required(&MISSING))]),
    (
        "core.Container",
        &[
            check("name", Check::Text(names::dns_1123_label)),
            check("imagePullPolicy", Check::OneOf(&["Always", "IfNotPresent", "Never"])),
            check("terminationMessagePolicy", Check::OneOf(&["File", "FallbackToLogsOnError"])),
        ],
    ),
    (
        "core.EphemeralContainer",
        &[
            check("name", Check::Text(names::dns_1123_label)),
            check("imagePullPolicy", Check::OneOf(&["Always", "IfNotPresent", "Never"])),
            check("terminationMessagePolicy", Check::OneOf(&["File", "FallbackToLogsOnError"])),
        ],
    ),
    (
        "core.ContainerPort",
        &[check("hostPort", Check::PortOrNone), check("protocol", Check::OneOf(PROTOCOLS))],
    ),
    (
        "core.ConfigMapKeySelector",
        &[
            check("name", Check::FullText(names::dns_1123_subdomain)),
            check("key", Check::Text(syntax::config_key)),
        ],
    ),
    (
        "core.SecretKeySelector",
        &[
            check("name", Check::FullText(names::dns_1123_subdomain)),
            check("key", Check::Text(syntax::config_key)),
        ],
    ),
    (
        "core.ConfigMapEnvSource",
        &[check("name", Check::Required(&MISSING)), check("name", Check::Text(beginning_of_name))],
    ),
    (
        "core.SecretEnvSource",
        &[check("name", Check::Required(&MISSING)), check("name", Check::Text(beginning_of_name))],
    ),
    ("core.ExecAction", &[check("command", Check::Required(&MISSING))]),
    (
        "core.HTTPGetAction",
        &[check("port", Check::PortOrName), check("scheme", Check::OneOf(&["HTTP", "HTTPS"]))],
    ),
    ("core.TCPSocketAction", &[check("port", Check::PortOrName)]),
    ("core.GRPCAction", &[check("port", Check::Port)]),
    (
        "core.Probe",
        &[
            check("initialDelaySeconds", Check::NotNegative),
            check("timeoutSeconds", Check::NotNegative),
            check("periodSeconds", Check::NotNegative),
            check("successThreshold", Check::NotNegative),
            check("failureThreshold", Check::NotNegative),
            check("terminationGracePeriodSeconds", Check::Positive),
        ],
    ),
    (
        "core.PodSpec",
        &[
            check("containers", Check::Required(&MISSING)),
            check("restartPolicy", Check::OneOf(&["Always", "OnFailure", "Never"])),
            check("dnsPolicy", Check::OneOf(&["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"])),
            check("preemptionPolicy", Check::OneOf(&["PreemptLowerPriority", "Never"])),
            check("nodeSelector", Check::Labels),
            check("hostname", Check::Text(names::dns_1123_label)),
            check("subdomain", Check::Text(names::dns_1123_label)),
            check("serviceAccountName", Check::Text(names::dns_1123_subdomain)),
            check("nodeName", Check::Text(names::dns_1123_subdomain)),
            check("priorityClassName", Check::Text(names::dns_1123_subdomain)),
            check("runtimeClassName", Check::WrittenText(names::dns_1123_subdomain)),
            check("activeDeadlineSeconds", Check::Between(1, i32::MAX as i64)),
        ],
    ),
    ("core.PodReadinessGate", &[check("conditionType", Check::FullText(names::qualified_name))]),
    (
        "core.PodSecurityContext",
        &[
            check("runAsUser", USER_IDS),
            check("runAsGroup", USER_IDS),
            check("fsGroup", USER_IDS),
            check("fsGroupChangePolicy", Check::Written(&["Always", "OnRootMismatch"])),
            check("supplementalGroupsPolicy", Check::Written(&["Merge", "Strict"])),
            check("seLinuxChangePolicy", Check::Written(&["MountOption", "Recursive"])),
        ],
    ),
    (
        "core.SecurityContext",
        &[
            check("runAsUser", USER_IDS),
            check("runAsGroup", USER_IDS),
            check("procMount", Check::Written(&["Default", "Unmasked"])),
        ],
    ),
    (
        "core.ReplicationControllerSpec",
        &[check("replicas", Check::NotNegative), check("minReadySeconds", Check::NotNegative)],
    ),
    (
        "core.PersistentVolumeSpec",
        &[
            check("accessModes", Check::EachUnnamed(ACCESS_MODES)),
            check("volumeMode", Check::Written(VOLUME_MODES)),
            check("persistentVolumeReclaimPolicy", Check::OneOf(&["Delete", "Recycle", "Retain"])),
            check("storageClassName", Check::Text(names::dns_1123_subdomain)),
            check("volumeAttributesClassName", Check::Text(names::dns_1123_subdomain)),
        ],
    ),
    (
        "core.PersistentVolumeClaimSpec",
        &[
            check("accessModes", Check::EachUnnamed(ACCESS_MODES)),
            check("volumeMode", Check::Written(VOLUME_MODES)),
            check("storageClassName", Check::Text(names::dns_1123_subdomain)),
            check("volumeAttributesClassName", Check::Text(names::dns_1123_subdomain)),
        ],
    ),
    (
        "core.ServiceSpec",
        &[
            check("sessionAffinity", Check::OneOf(&["ClientIP", "None"])),
            check("type", Check::OneOf(&["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"])),
            check("internalTrafficPolicy", Check::Written(&["Cluster", "Local"])),
            check("ipFamilies", Check::Each(&["IPv4", "IPv6"])),
            check("ipFamilyPolicy", Check::Written(&["PreferDualStack", "RequireDualStack", "SingleStack"])),
            check("selector", Check::Labels),
            check("externalIPs", Check::EachText(syntax::ip)),
        ],
    ),
    (
        "core.ServicePort",
        &[
            check("protocol", Check::OneOf(PROTOCOLS)),
            check("name", Check::Text(names::dns_1123_label)),
            check("port", Check::Port),
            check("appProtocol", Check::WrittenText(names::qualified_name)),
        ],
    ),
    (
        "core.EndpointPort",
        &[
            check("port", Check::Port),
            check("protocol", Check::OneOf(PROTOCOLS)),
            check("name", Check::Text(names::dns_1123_label)),
            check("appProtocol", Check::WrittenText(names::qualified_name)),
        ],
    ),
    (
        "core.EndpointAddress",
        &[
            check("ip", Check::FullText(syntax::ip)),
            check("hostname", Check::Text(names::dns_1123_label)),
            check("nodeName", Check::WrittenText(names::dns_1123_subdomain)),
        ],
    ),
    (
        "core.TopologySpreadConstraint",
        &[
            check("topologyKey", Check::Required(&EMPTY)),
            check("whenUnsatisfiable", Check::Always(&["DoNotSchedule", "ScheduleAnyway"])),
            check("minDomains", Check::MoreThanNothing),
            check("nodeAffinityPolicy", Check::Written(NODE_POLICIES)),
            check("nodeTaintsPolicy", Check::Written(NODE_POLICIES)),
        ],
    ),
    (
        "core.PodAffinityTerm",
        &[
            check("topologyKey", Check::Required(&EMPTY)),
            check("topologyKey", Check::FullText(names::qualified_name)),
        ],
    ),
    ("core.WeightedPodAffinityTerm", &[check("weight", Check::Weight)]),
    ("core.PreferredSchedulingTerm", &[check("weight", Check::Weight)]),
    (
        "core.AzureDiskVolumeSource",
        &[
            check("cachingMode", Check::Written(&["None", "ReadOnly", "ReadWrite"])),
            check("kind", Check::Written(&["Dedicated", "Managed", "Shared"])),
        ],
    ),
    ("core.StorageOSPersistentVolumeSource", STORAGE_OS),
    ("core.StorageOSVolumeSource", STORAGE_OS),
    (
        "core.FileKeySelector",
        &[
            check("key", Check::Text(syntax::relaxed_environment_name)),
            check("volumeName", Check::Text(names::dns_1123_label)),
        ],
    ),
    ("core.Volume", &[check("name", Check::Text(names::dns_1123_label))]),
    ("core.KeyToPath", &[check("mode", Check::FileMode)]),
    ("core.SecretVolumeSource", &[check("defaultMode", Check::FileMode)]),
    ("core.ConfigMapVolumeSource", &[check("defaultMode", Check::FileMode)]),
    ("core.DownwardAPIVolumeSource", &[check("defaultMode", Check::FileMode)]),
    ("core.ProjectedVolumeSource", &[check("defaultMode", Check::FileMode)]),
    ("discovery.EndpointSlice", &[check("addressType", Check::OneOf(&["FQDN", "IPv4", "IPv6"]))]),
    (
        "discovery.EndpointPort",
        &[
            check("protocol", Check::Written(PROTOCOLS)),
            check("appProtocol", Check::WrittenText(names::qualified_name)),
        ],
    ),
    ("discovery.Endpoint", &[check("hostname", Check::WrittenText(names::dns_1123_label))]),
    (
        "networking.IngressClassParametersReference",
        &[
            check("apiGroup", Check::WrittenText(names::dns_1123_subdomain)),
            check("kind", Check::Text(path_segment)),
            check("name", Check::Text(path_segment)),
        ],
    ),
    (
        "networking.HTTPIngressPath",
        &[
            check("pathType", Check::Present(&PATH_TYPE)),
            check("pathType", Check::Written(&["Exact", "ImplementationSpecific", "Prefix"])),
        ],
    ),
    (
        "flowcontrol.PriorityLevelConfigurationReference",
        &[
            check("name", Check::Required(&PRIORITY_LEVEL)),
            check("name", Check::Text(names::dns_1123_subdomain)),
        ],
    ),
    ("admissionregistration.ParamRef", &[check("parameterNotFoundAction", Check::OneOf(&["Deny", "Allow"]))]),
    ("flowcontrol.FlowDistinguisherMethod", &[check("type", Check::Always(&["ByNamespace", "ByUser"]))]),
    ("networking.IngressSpec", &[check("ingressClassName", Check::WrittenText(names::dns_1123_subdomain))]),
    ("networking.NetworkPolicyPort", &[check("protocol", Check::Written(&["TCP", "UDP", "SCTP"]))]),
    ("node.Scheduling", &[check("nodeSelector", Check::Labels)]),
    ("node.RuntimeClass", &[check("handler", Check::FullText(names::dns_1123_label))]),
    (
        "policy.PodDisruptionBudgetSpec",
        &[check("unhealthyPodEvictionPolicy", Check::Written(&["AlwaysAllow", "IfHealthyBudget"]))],
    ),
    (
        "scheduling.PriorityClass",
        &[check("preemptionPolicy", Check::OneOf(&["PreemptLowerPriority", "Never"]))],
    ),
    (
        "storage.CSIDriverSpec",
        &[
            check("fsGroupPolicy", Check::Written(&["File", "None", "ReadWriteOnceWithFSType"])),
            check("volumeLifecycleModes", Check::EachUnnamed(&["Persistent", "Ephemeral"])),
        ],
    ),
    (
        "storage.StorageClass",
        &[
            check("reclaimPolicy", Check::OneOf(&["Delete", "Retain"])),
            check("volumeBindingMode", Check::Written(&["Immediate", "WaitForFirstConsumer"])),
            check("provisioner", Check::Text(lower_qualified_name)),
        ],
    ),
    ("autoscaling.HPAScalingRules", &[check("tolerance", Check::AmountNotNegative)]),
    ("scheduling.CompositePodGroupTemplate", &[check("name", Check::Text(names::dns_1123_label))]),
    ("scheduling.PodGroup", &[check("name", Check::Text(names::dns_1123_label))]),
    (
        "scheduling.PodGroupResourceClaim",
        &[
            check("name", Check::Text(names::dns_1123_label)),
            check("resourceClaimName", Check::WrittenText(names::dns_1123_subdomain)),
            check("resourceClaimTemplateName", Check::WrittenText(names::dns_1123_subdomain)),
        ],
    ),
    ("scheduling.PodGroupTemplate", &[check("name", Check::Text(names::dns_1123_label))]),
    ("scheduling.TopologyConstraint", &[check("key", Check::Text(names::qualified_name))]),
    (
        "scheduling.TypedLocalObjectReference",
        &[
            check("apiGroup", Check::Text(names::dns_1123_subdomain)),
            check("kind", Check::Text(path_segment)),
            check("name", Check::Text(path_segment)),
        ],
    ),
    (
        "scheduling.WorkloadPodGroupTemplateReference",
        &[
            check("workloadName", Check::Text(names::dns_1123_subdomain)),
            check("podGroupTemplateName", Check::Text(names::dns_1123_label)),
        ],
    ),
    (
        "scheduling.WorkloadReference",
        &[
            check("workloadName", Check::Text(names::dns_1123_subdomain)),
            check("templateName", Check::Text(names::dns_1123_label)),
        ],
    ),
    ("storage.VolumeNodeResources", &[check("count", Check::NotNegative)]),
    (
        "storage.CSIStorageCapacity",
        &[
            check("capacity", Check::AmountNotNegative),
            check("storageClassName", Check::FullText(names::dns_1123_subdomain)),
        ],
    ),
    (
        "storage.VolumeAttachmentSource",
        &[check("persistentVolumeName", Check::WrittenText(names::dns_1123_subdomain))],
    ),
    ("storage.VolumeAttachmentSpec", &[check("nodeName", Check::FullText(names::dns_1123_subdomain))]),
    ("storage.VolumeAttributesClass", &[check("driverName", Check::Text(lower_qualified_name))]),
];

/// A qualified name in which capitals count as small letters.
fn lower_qualified_name(text: &str) -> Vec<Breach> {
    names::qualified_name(&text.to_lowercase())
}

/// The checks of a definition.
pub(super) fn of(definition: &str) -> &'static [FieldCheck] {
    TABLE.iter().find(|(name, _)| *name == definition).map_or(&[], |(_, checks)| checks)
}

/// The names in the table.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = String> {
    TABLE.iter().flat_map(|(definition, checks)| {
        checks.iter().map(move |check| format!("{definition}.{}", check.field))
    })
}

/// Checks the permissions of a file.
pub(super) fn file_mode(place: &FieldPlace<'_, '_>, report: &mut Report) {
    if let Some(mode) = place.integer().filter(|mode| !(0..=0o777).contains(mode)) {
        report.refuse_meant(place, &FILE_MODE, slip::mode(mode));
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn empty_words_that_are_written() {
        let bench = Bench::new();
        let service = "apiVersion: v1\nkind: Service\nmetadata: {name: ss}\nspec: {ports: [{port: 1, {}}]}\n";
        for (text, error) in [
            (
                service.replace("{}}]", "}], internalTrafficPolicy: ''"),
                "spec.internalTrafficPolicy: Unsupported value: \"\"",
            ),
            (
                service.replace("{}}]", "}], ipFamilyPolicy: ''"),
                "spec.ipFamilyPolicy: Unsupported value: \"\"",
            ),
            (
                service.replace("{}}]", "}], trafficDistribution: ''"),
                "spec.trafficDistribution: Unsupported value: \"\"",
            ),
            (
                service.replace("{}}]", "}], type: LoadBalancer, loadBalancerClass: ''"),
                "spec.loadBalancerClass: Invalid value: \"\": name part must be non-empty",
            ),
            (
                service.replace("{}", "appProtocol: ''"),
                "spec.ports[0].appProtocol: Invalid value: \"\": name part must be non-empty",
            ),
        ] {
            let errors = bench.errors(&text);
            assert!(errors.first().is_some_and(|first| first.starts_with(error)), "{errors:?}\n{text}");
        }
        for (text, error) in [
            (
                "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\nspec: {ingressClassName: '', defaultBackend: {service: {name: s, port: {number: 1}}}}\n",
                "spec.ingressClassName: Invalid value: \"\": a lowercase RFC 1123 subdomain",
            ),
            (
                "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {runtimeClassName: '', containers: [{name: a, image: i}]}\n",
                "spec.runtimeClassName: Invalid value: \"\"",
            ),
            (
                "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec: {volumeMode: '', accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n",
                "spec.volumeMode: Unsupported value: \"\"",
            ),
            (
                "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: c}\nprovisioner: a.b\nvolumeBindingMode: ''\n",
                "volumeBindingMode: Unsupported value: \"\"",
            ),
        ] {
            bench.refuses(text, &[error]);
        }
        // A default stands for these.
        for text in [
            "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: c}\nprovisioner: a.b\nreclaimPolicy: ''\n",
            "apiVersion: v1\nkind: Service\nmetadata: {name: ss}\nspec: {type: '', sessionAffinity: '', internalTrafficPolicy: null, loadBalancerClass: null, ports: [{port: 1, protocol: ''}]}\n",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {dnsPolicy: '', restartPolicy: '', priorityClassName: '', runtimeClassName: null, containers: [{name: a, image: i, imagePullPolicy: ''}], volumes: [{name: v, hostPath: {path: /a, type: ''}}]}\n",
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec: {storageClassName: '', accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n",
        ] {
            bench.accepts(text);
        }
    }

    #[test]
    fn names_of_what_variables_are_taken_from() {
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, envFrom: [{}]}]}\n";
        let bench = Bench::new();
        bench.accepts_all(pod, &["{configMapRef: {name: a-}}", "{secretRef: {name: a.b-}}"]);
        bench.refuses_all(
            pod,
            &[(
                "{configMapRef: {name: A}}",
                "spec.containers[0].envFrom[0].configMapRef.name: Invalid value: \"A\"",
            )],
        );
    }
}

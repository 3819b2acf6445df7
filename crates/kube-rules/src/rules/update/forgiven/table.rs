//! What is forgiven of which kinds, and on which condition.

use trueline_kube_facts::{FieldPath, Reason, common, names};
use trueline_yaml::NodeRef;

use super::{
    Row, When, Which, compares_a_number, has_wildcard, is_relaxed_name, items, node_at, texts, whole,
};
use crate::rules::{
    cluster, job, network_policy, pod, pod_annotations, resources, restart, security, service, syntax,
    webhook,
};

const EVER: (u16, u16) = (0, u16::MAX);

const fn since(version: u16) -> (u16, u16) {
    (version, u16::MAX)
}

/// The kinds that are pods or make some.
pub(super) const WITH_PODS: &[&str] = &[
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "Pod",
    "PodTemplate",
    "ReplicaSet",
    "ReplicationController",
    "StatefulSet",
];

const HOOKS: &[&str] = &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
const POLICIES: &[&str] = &["MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"];

const NODE_VALUES: &[&str] =
    &["pod.affinity.nodeAffinity.required*.nodeSelectorTerms[].matchExpressions[].values[]"];
const VOLUME_NODE_VALUES: &[&str] =
    &["spec.nodeAffinity.required.nodeSelectorTerms[].matchExpressions[].values[]"];
const SPREAD: &[&str] = &["pod.topologySpreadConstraints[].labelSelector.**"];
const SYSCTLS: &[&str] = &["pod.securityContext.sysctls[].name"];
const DEVICES: &[&str] = &["pod.*ontainers[].volumeDevices"];
const NETWORK: &[&str] = &["pod.hostNetwork"];
const SECURITY: &[&str] = &["pod.*ontainers[].securityContext"];
const VARIABLES: &[&str] = &["pod.*ontainers[].env[].name", "pod.*ontainers[].envFrom[].prefix"];
const COSTS: &[&str] = &["**.annotations[]"];
const IMAGES: &[&str] = &["pod.volumes[].image.reference"];
const SECRETS: &[&str] = &["spec.tls[].secretName"];
const RESIZED: &[&str] = &["pod.initContainers[].resizePolicy[].restartPolicy"];
const DESCRIBED: &[&str] = &["spec.metrics[].object.describedObject.apiVersion"];
const REVIEWS: &[&str] = &["webhooks[].admissionReviewVersions"];
const SERVICES: &[&str] =
    &["spec.defaultBackend.service.name", "spec.rules[].http.paths[].backend.service.name"];
const POD_TERMS: &str = "pod.affinity.pod*.**.*Selector.match*.**";
const POD_TERM_VALUES: &str = "pod.affinity.pod*.**.*Selector.matchExpressions[].values[]";
const OWN_VALUES: &str = "spec.selector.matchExpressions[].values[]";

pub(super) static ROWS: &[Row] = &[
    Row {
        kinds: &["CronJob"],
        versions: since(29),
        fields: &["spec.schedule"],
        rules: &[&job::ZONE_IN_SCHEDULE],
        which: Which::All,
        when: When::If(|look| {
            let old = node_at(look.old, "spec.schedule").and_then(NodeRef::as_str);
            old.is_some_and(|old| old.contains("TZ"))
        }),
    },
    Row {
        kinds: &["CronJob"],
        versions: EVER,
        fields: &["spec.timeZone"],
        rules: &[],
        which: Which::All,
        when: When::Unchanged(&[&["spec", "timeZone"]]),
    },
    // The name of what is there already is not looked at again.
    Row {
        kinds: &["CronJob", "DaemonSet", "Deployment", "PriorityClass", "ReplicaSet", "StatefulSet"],
        versions: EVER,
        fields: &["metadata.name"],
        rules: &[],
        which: Which::Only(|_, error| error.reason() != Reason::Required),
        when: When::Unchanged(&[&["metadata", "name"]]),
    },
    Row {
        kinds: &["PriorityClass"],
        versions: EVER,
        fields: &["value"],
        rules: &[&cluster::TOO_HIGH],
        which: Which::All,
        when: When::Always,
    },
    Row {
        kinds: &["StatefulSet"],
        versions: since(33),
        fields: &["spec.serviceName"],
        rules: &[],
        which: Which::All,
        when: When::Always,
    },
    Row {
        kinds: &["StatefulSet"],
        versions: since(34),
        fields: &["spec.volumeClaimTemplates.**"],
        rules: &[],
        which: Which::All,
        when: When::Always,
    },
    Row {
        kinds: &["ServiceCIDR"],
        versions: EVER,
        fields: &["spec.cidrs.**"],
        rules: &[],
        which: Which::All,
        when: When::If(|look| {
            let counts = [look.old, look.new].map(|object| items(object, "spec.cidrs").count());
            look.update.version().minor < 33 || counts != [1, 2]
        }),
    },
    Row {
        kinds: &["ResourceClaim"],
        versions: since(35),
        fields: &["spec.**"],
        rules: &[],
        which: Which::All,
        when: When::Always,
    },
    // What was asked for is not changed by an update: the server puts the old one in its place.
    Row {
        kinds: &["CertificateSigningRequest", "Namespace"],
        versions: EVER,
        fields: &["spec.**"],
        rules: &[],
        which: Which::All,
        when: When::Always,
    },
    Row {
        kinds: &["Ingress"],
        versions: EVER,
        fields: SECRETS,
        rules: &[],
        which: Which::All,
        when: When::Before(SECRETS),
    },
    Row {
        kinds: &["Ingress"],
        versions: EVER,
        fields: &["spec.rules[].http.**"],
        rules: &[],
        which: Which::Only(|look, error| {
            look.is_marked(&FieldPath::of("spec.rules"), &error.field, has_wildcard)
        }),
        when: When::If(|look| look.had_wrong_wildcard()),
    },
    Row {
        kinds: &["Ingress"],
        versions: (34, 35),
        fields: SERVICES,
        rules: &[],
        which: Which::Only(|_, error| names::dns_1123_label(error.typed()).is_empty()),
        when: When::If(|look| {
            look.before(SERVICES).any(|error| names::dns_1123_label(error.typed()).is_empty())
        }),
    },
    Row {
        kinds: &["NetworkPolicy"],
        versions: EVER,
        fields: &["spec.**.*elector.matchExpressions[].values[]"],
        rules: &[],
        which: Which::All,
        when: When::Before(&["spec.podSelector.match*.**"]),
    },
    Row {
        kinds: &["NetworkPolicy"],
        versions: since(36),
        fields: &["spec.**.ipBlock.cidr", "spec.**.ipBlock.except[]"],
        rules: &[],
        which: Which::Only(|_, error| !error.breaks(&network_policy::EXCEPTION)),
        when: When::Among(whole, |look| look.old_blocks()),
    },
    Row {
        kinds: &["PodDisruptionBudget", "PersistentVolumeClaim"],
        versions: EVER,
        fields: &[OWN_VALUES],
        rules: &[],
        which: Which::All,
        when: When::Before(&["spec.selector.match*.**"]),
    },
    Row {
        kinds: &["CSIStorageCapacity"],
        versions: EVER,
        fields: &["nodeTopology.matchExpressions[].values[]"],
        rules: &[],
        which: Which::All,
        when: When::Before(&["nodeTopology.match*.**"]),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].*Selector.matchExpressions[].values[]"],
        rules: &[],
        which: Which::All,
        when: When::Before(&["webhooks[].*Selector.match*.**"]),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: REVIEWS,
        rules: &[&webhook::REVIEW_VERSION],
        which: Which::All,
        when: When::Before(REVIEWS),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].name"],
        rules: &[],
        which: Which::Only(|_, error| error.reason() == Reason::Duplicate),
        when: When::If(|look| {
            look.before(&["webhooks[].name"]).any(|error| error.reason() == Reason::Duplicate)
        }),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].sideEffects"],
        rules: &[],
        which: Which::Only(|_, error| matches!(error.typed(), "Some" | "Unknown")),
        when: When::Before(&["webhooks[].sideEffects"]),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].matchConditions.**"],
        rules: &[],
        which: Which::All,
        when: When::If(|look| look.has_same_conditions()),
    },
    Row {
        kinds: POLICIES,
        versions: EVER,
        fields: &["spec.matchConditions.**"],
        rules: &[],
        which: Which::All,
        when: When::Unchanged(&[&["spec", "paramKind"], &["spec", "matchConditions"]]),
    },
    Row {
        kinds: &["Service"],
        versions: since(33),
        fields: &["spec.clusterIPs[]"],
        rules: &[&syntax::IP, &syntax::ZEROS_IN_IP, &syntax::MAPPED_IP],
        which: Which::All,
        when: When::Among(whole, |look| {
            let single = node_at(look.old, "spec.clusterIP").and_then(NodeRef::as_str).map(str::to_owned);
            texts(look.old, "spec.clusterIPs", whole).into_iter().chain(single).collect()
        }),
    },
    // The address that the new object leaves out is that of the old one.
    Row {
        kinds: &["Service"],
        versions: EVER,
        fields: &["spec.clusterIPs"],
        rules: &[&service::CLUSTER_IPS_ALONE],
        which: Which::All,
        when: When::If(|look| {
            node_at(look.old, "spec.type").and_then(NodeRef::as_str) != Some("ExternalName")
        }),
    },
    // A Service that stays without an address needs no ports.
    Row {
        kinds: &["Service"],
        versions: EVER,
        fields: &["spec.ports"],
        rules: &[],
        which: Which::Only(|_, error| error.reason() == Reason::Required),
        when: When::If(|look| {
            let [new, old] = [look.new, look.old]
                .map(|object| node_at(object, "spec.clusterIP").and_then(NodeRef::as_str).map(str::to_owned));
            new.is_none_or(|address| address.is_empty()) && old.as_deref() == Some("None")
        }),
    },
    // Whether it is an address that can be reached is still asked.
    Row {
        kinds: &["Service"],
        versions: since(33),
        fields: &["spec.externalIPs[]"],
        rules: &[&syntax::ZEROS_IN_IP, &syntax::MAPPED_IP],
        which: Which::All,
        when: When::Among(whole, |look| texts(look.old, "spec.externalIPs", whole)),
    },
    Row {
        kinds: &["Service"],
        versions: since(33),
        fields: &["spec.LoadBalancerSourceRanges[]"],
        rules: &[],
        which: Which::All,
        when: When::Among(str::trim, |look| texts(look.old, "spec.loadBalancerSourceRanges", str::trim)),
    },
    Row {
        kinds: &["Service"],
        versions: since(33),
        fields: &["metadata.annotations[]"],
        rules: &[],
        which: Which::Only(|_, error| error.reason() == Reason::Invalid),
        when: When::If(|look| look.has_same_annotation(crate::rules::service::RANGES)),
    },
    Row {
        kinds: &["Endpoints"],
        versions: since(33),
        fields: &["subsets.**"],
        rules: &[],
        which: Which::All,
        when: When::Unchanged(&[&["subsets"]]),
    },
    Row {
        kinds: &["EndpointSlice"],
        versions: since(33),
        fields: &["endpoints.**"],
        rules: &[],
        which: Which::All,
        when: When::Unchanged(&[&["endpoints"]]),
    },
    Row {
        kinds: &["HorizontalPodAutoscaler"],
        versions: since(34),
        fields: &["spec.scaleTargetRef.apiVersion"],
        rules: &[],
        which: Which::All,
        when: When::Unchanged(&[
            &["spec", "scaleTargetRef", "apiVersion"],
            &["spec", "scaleTargetRef", "kind"],
        ]),
    },
    Row {
        kinds: &["HorizontalPodAutoscaler"],
        versions: since(34),
        fields: DESCRIBED,
        rules: &[],
        which: Which::All,
        when: When::Before(DESCRIBED),
    },
    Row {
        kinds: &["ResourceSlice"],
        versions: since(35),
        fields: &["spec.devices[].taints.**"],
        rules: &[],
        which: Which::Only(|look, error| look.has_same_part(error, "taints")),
        when: When::Always,
    },
    Row {
        kinds: &["ResourceSlice"],
        versions: since(37),
        fields: &["spec.devices[].capacity.**"],
        rules: &[],
        which: Which::Only(|look, error| look.has_same_part(error, "capacity")),
        when: When::Always,
    },
    Row {
        kinds: &["HorizontalPodAutoscaler"],
        versions: (0, 36),
        fields: &["spec.minReplicas"],
        rules: &[],
        which: Which::Only(|_, error| error.typed() == "0"),
        when: When::If(|look| {
            let is_zero = node_at(look.old, "spec.minReplicas").and_then(NodeRef::text) == Some("0");
            is_zero && look.is_scaled_from_outside()
        }),
    },
    Row {
        kinds: &["PersistentVolume"],
        versions: since(33),
        fields: VOLUME_NODE_VALUES,
        rules: &[],
        which: Which::All,
        when: When::Before(VOLUME_NODE_VALUES),
    },
    Row {
        kinds: &["DaemonSet", "Job"],
        versions: EVER,
        fields: &[OWN_VALUES, POD_TERM_VALUES],
        rules: &[],
        which: Which::All,
        when: When::Before(&[OWN_VALUES, POD_TERMS]),
    },
    Row {
        kinds: WITH_PODS,
        versions: EVER,
        fields: &[POD_TERM_VALUES],
        rules: &[],
        which: Which::All,
        when: When::Before(&[POD_TERMS]),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(33),
        fields: NODE_VALUES,
        rules: &[],
        which: Which::All,
        when: When::Before(NODE_VALUES),
    },
    Row {
        kinds: WITH_PODS,
        versions: EVER,
        fields: SPREAD,
        rules: &[],
        which: Which::All,
        when: When::Before(SPREAD),
    },
    Row {
        kinds: WITH_PODS,
        versions: EVER,
        fields: &["pod.**[]"],
        rules: &[&resources::PAGE_SIZE],
        which: Which::All,
        when: When::Before(&["pod.*ontainers[].resources.**[]", "pod.overhead.**[]"]),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(29),
        fields: SYSCTLS,
        rules: &[&pod::HOST_NETWORK, &pod::HOST_IPC],
        which: Which::All,
        when: When::Before(SYSCTLS),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(30),
        fields: &["pod.volumes[].projected.path"],
        rules: &[],
        which: Which::Only(|_, error| error.reason() == Reason::Invalid),
        when: When::If(|look| {
            let mut before = look.before(&["pod.volumes[].projected.path"]);
            before.any(|error| error.reason() == Reason::Invalid)
        }),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(34),
        fields: DEVICES,
        rules: &[&pod::DEVICES_WITHOUT_USERS],
        which: Which::All,
        when: When::Before(DEVICES),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(35),
        fields: NETWORK,
        rules: &[&pod::HOST_WITHOUT_USERS],
        which: Which::All,
        when: When::Before(NETWORK),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(35),
        fields: &["pod.tolerations[].operator"],
        rules: &[&common::UNSUPPORTED],
        which: Which::Only(|look, error| {
            let list = error.field.parent().parent();
            matches!(error.typed(), "Lt" | "Gt") && look.is_marked(&list, &error.field, compares_a_number)
        }),
        when: When::If(|look| {
            look.before(&["pod.tolerations[].operator"]).any(|error| matches!(error.typed(), "Lt" | "Gt"))
        }),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(36),
        fields: RESIZED,
        rules: &[&restart::RESIZE_POLICY],
        which: Which::All,
        when: When::Before(RESIZED),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(37),
        fields: IMAGES,
        rules: &[],
        which: Which::All,
        when: When::Before(IMAGES),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(37),
        fields: SECURITY,
        rules: &[&security::ESCALATION_AND_ADMIN],
        which: Which::All,
        when: When::If(|look| look.had_administrators()),
    },
    Row {
        kinds: WITH_PODS,
        versions: (30, 31),
        fields: VARIABLES,
        rules: &[],
        which: Which::Only(|_, error| is_relaxed_name(error)),
        when: When::If(|look| look.keeps_relaxed_name(VARIABLES)),
    },
    Row {
        kinds: &["DeviceTaintRule"],
        versions: since(35),
        fields: &["spec.taint.effect"],
        rules: &[],
        which: Which::All,
        when: When::Unchanged(&[&["spec", "taint", "effect"]]),
    },
    Row {
        kinds: WITH_PODS,
        versions: EVER,
        fields: COSTS,
        rules: &[&pod_annotations::DELETION_COST],
        which: Which::All,
        when: When::Before(COSTS),
    },
];

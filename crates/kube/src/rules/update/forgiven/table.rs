//! What is forgiven of which kinds, and on which condition.

use trueline_yaml::NodeRef;

use super::{
    Row, When, Which, compares_a_number, has_wildcard, is_relaxed_name, items, node_at, texts, value, whole,
};
use crate::{Reason, names};

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
const SPREAD: &[&str] = &["pod.topologySpreadConstraints[].labelSelector*"];
const SYSCTLS: &[&str] = &["pod.securityContext.sysctls[].name"];
const DEVICES: &[&str] = &["pod.*ontainers[].volumeDevices"];
const NETWORK: &[&str] = &["pod.hostNetwork"];
const SECURITY: &[&str] = &["pod.*ontainers[].securityContext"];
const VARIABLES: &[&str] = &["pod.*ontainers[].env[].name", "pod.*ontainers[].envFrom[].prefix"];
const COSTS: &[&str] = &["*annotations[]"];
const IMAGES: &[&str] = &["pod.volumes[].image.reference"];
const SECRETS: &[&str] = &["spec.tls[].secretName"];
const RESIZED: &[&str] = &["pod.initContainers[].resizePolicy[].restartPolicy"];
const DESCRIBED: &[&str] = &["spec.metrics[].object.describedObject.apiVersion"];
const REVIEWS: &[&str] = &["webhooks[].admissionReviewVersions"];
const SERVICES: &[&str] =
    &["spec.defaultBackend.service.name", "spec.rules[].http.paths[].backend.service.name"];
const POD_TERMS: &str = "pod.affinity.pod*Selector.match*";
const POD_TERM_VALUES: &str = "pod.affinity.pod*Selector.matchExpressions[].values[]";
const OWN_VALUES: &str = "spec.selector.matchExpressions[].values[]";

pub(super) static ROWS: &[Row] = &[
    Row {
        kinds: &["CronJob"],
        versions: since(29),
        fields: &["spec.schedule"],
        words: "cannot use TZ or CRON_TZ in schedule",
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
        words: "",
        which: Which::All,
        when: When::Unchanged(&[&["spec", "timeZone"]]),
    },
    // The name of what is there already is not looked at again.
    Row {
        kinds: &["CronJob", "DaemonSet", "Deployment", "PriorityClass", "ReplicaSet", "StatefulSet"],
        versions: EVER,
        fields: &["metadata.name"],
        words: "",
        which: Which::Only(|_, error| error.reason != Reason::Required),
        when: When::Unchanged(&[&["metadata", "name"]]),
    },
    Row {
        kinds: &["PriorityClass"],
        versions: EVER,
        fields: &["value"],
        words: "maximum allowed value of a user defined priority",
        which: Which::All,
        when: When::Always,
    },
    Row {
        kinds: &["StatefulSet"],
        versions: since(33),
        fields: &["spec.serviceName"],
        words: "",
        which: Which::All,
        when: When::Always,
    },
    Row {
        kinds: &["StatefulSet"],
        versions: since(34),
        fields: &["spec.volumeClaimTemplates*"],
        words: "",
        which: Which::All,
        when: When::Always,
    },
    Row {
        kinds: &["ServiceCIDR"],
        versions: EVER,
        fields: &["spec.cidrs*"],
        words: "",
        which: Which::All,
        when: When::If(|look| {
            let counts = [look.old, look.new].map(|object| items(object, "spec.cidrs").count());
            look.update.version().minor < 33 || counts != [1, 2]
        }),
    },
    Row {
        kinds: &["ResourceClaim"],
        versions: since(35),
        fields: &["spec*"],
        words: "",
        which: Which::All,
        when: When::Always,
    },
    // What was asked for is not changed by an update: the server puts the old one in its place.
    Row {
        kinds: &["CertificateSigningRequest", "Namespace"],
        versions: EVER,
        fields: &["spec*"],
        words: "",
        which: Which::All,
        when: When::Always,
    },
    Row {
        kinds: &["Ingress"],
        versions: EVER,
        fields: SECRETS,
        words: "",
        which: Which::All,
        when: When::Before(SECRETS),
    },
    Row {
        kinds: &["Ingress"],
        versions: EVER,
        fields: &["spec.rules[].http*"],
        words: "",
        which: Which::Only(|look, error| look.is_marked("spec.rules", &error.field, has_wildcard)),
        when: When::If(|look| look.had_wrong_wildcard()),
    },
    Row {
        kinds: &["Ingress"],
        versions: (34, 35),
        fields: SERVICES,
        words: "",
        which: Which::Only(|_, error| names::dns_1123_label(value(error)).is_empty()),
        when: When::If(|look| {
            look.before(SERVICES).any(|error| names::dns_1123_label(value(error)).is_empty())
        }),
    },
    Row {
        kinds: &["NetworkPolicy"],
        versions: EVER,
        fields: &["spec.*elector.matchExpressions[].values[]"],
        words: "",
        which: Which::All,
        when: When::Before(&["spec.podSelector.match*"]),
    },
    Row {
        kinds: &["NetworkPolicy"],
        versions: since(36),
        fields: &["spec.*.ipBlock.cidr", "spec.*.ipBlock.except[]"],
        words: "",
        which: Which::Only(|_, error| !error.detail.contains("strict subset")),
        when: When::Among(whole, |look| look.old_blocks()),
    },
    Row {
        kinds: &["PodDisruptionBudget", "PersistentVolumeClaim"],
        versions: EVER,
        fields: &[OWN_VALUES],
        words: "",
        which: Which::All,
        when: When::Before(&["spec.selector.match*"]),
    },
    Row {
        kinds: &["CSIStorageCapacity"],
        versions: EVER,
        fields: &["nodeTopology.matchExpressions[].values[]"],
        words: "",
        which: Which::All,
        when: When::Before(&["nodeTopology.match*"]),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].*Selector.matchExpressions[].values[]"],
        words: "",
        which: Which::All,
        when: When::Before(&["webhooks[].*Selector.match*"]),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: REVIEWS,
        words: "must include at least one of",
        which: Which::All,
        when: When::Before(REVIEWS),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].name"],
        words: "",
        which: Which::Only(|_, error| error.reason == Reason::Duplicate),
        when: When::If(|look| {
            look.before(&["webhooks[].name"]).any(|error| error.reason == Reason::Duplicate)
        }),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].sideEffects"],
        words: "",
        which: Which::Only(|_, error| matches!(value(error), "Some" | "Unknown")),
        when: When::Before(&["webhooks[].sideEffects"]),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].matchConditions*"],
        words: "",
        which: Which::All,
        when: When::If(|look| look.has_same_conditions()),
    },
    Row {
        kinds: POLICIES,
        versions: EVER,
        fields: &["spec.matchConditions*"],
        words: "",
        which: Which::All,
        when: When::Unchanged(&[&["spec", "paramKind"], &["spec", "matchConditions"]]),
    },
    Row {
        kinds: &["Service"],
        versions: since(33),
        fields: &["spec.clusterIPs[]"],
        words: "must ",
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
        words: "must be empty when `clusterIP` is not specified",
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
        words: "",
        which: Which::Only(|_, error| error.reason == Reason::Required),
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
        words: "must not ",
        which: Which::All,
        when: When::Among(whole, |look| texts(look.old, "spec.externalIPs", whole)),
    },
    Row {
        kinds: &["Service"],
        versions: since(33),
        fields: &["spec.LoadBalancerSourceRanges[]"],
        words: "",
        which: Which::All,
        when: When::Among(str::trim, |look| texts(look.old, "spec.loadBalancerSourceRanges", str::trim)),
    },
    Row {
        kinds: &["Service"],
        versions: since(33),
        fields: &["metadata.annotations[]"],
        words: "",
        which: Which::Only(|_, error| error.reason == Reason::Invalid),
        when: When::If(|look| look.has_same_annotation(crate::rules::service::RANGES)),
    },
    Row {
        kinds: &["Endpoints"],
        versions: since(33),
        fields: &["subsets*"],
        words: "",
        which: Which::All,
        when: When::Unchanged(&[&["subsets"]]),
    },
    Row {
        kinds: &["EndpointSlice"],
        versions: since(33),
        fields: &["endpoints*"],
        words: "",
        which: Which::All,
        when: When::Unchanged(&[&["endpoints"]]),
    },
    Row {
        kinds: &["HorizontalPodAutoscaler"],
        versions: since(34),
        fields: &["spec.scaleTargetRef.apiVersion"],
        words: "",
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
        words: "",
        which: Which::All,
        when: When::Before(DESCRIBED),
    },
    Row {
        kinds: &["ResourceSlice"],
        versions: since(35),
        fields: &["spec.devices[].taints*"],
        words: "",
        which: Which::Only(|look, error| look.has_same_part(error, "taints")),
        when: When::Always,
    },
    Row {
        kinds: &["ResourceSlice"],
        versions: since(37),
        fields: &["spec.devices[].capacity*"],
        words: "",
        which: Which::Only(|look, error| look.has_same_part(error, "capacity")),
        when: When::Always,
    },
    Row {
        kinds: &["HorizontalPodAutoscaler"],
        versions: (0, 36),
        fields: &["spec.minReplicas"],
        words: "",
        which: Which::Only(|_, error| value(error) == "0"),
        when: When::If(|look| {
            let is_zero = node_at(look.old, "spec.minReplicas").and_then(NodeRef::text) == Some("0");
            is_zero && look.is_scaled_from_outside()
        }),
    },
    Row {
        kinds: &["PersistentVolume"],
        versions: since(33),
        fields: VOLUME_NODE_VALUES,
        words: "",
        which: Which::All,
        when: When::Before(VOLUME_NODE_VALUES),
    },
    Row {
        kinds: &["DaemonSet", "Job"],
        versions: EVER,
        fields: &[OWN_VALUES, POD_TERM_VALUES],
        words: "",
        which: Which::All,
        when: When::Before(&[OWN_VALUES, POD_TERMS]),
    },
    Row {
        kinds: WITH_PODS,
        versions: EVER,
        fields: &[POD_TERM_VALUES],
        words: "",
        which: Which::All,
        when: When::Before(&[POD_TERMS]),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(33),
        fields: NODE_VALUES,
        words: "",
        which: Which::All,
        when: When::Before(NODE_VALUES),
    },
    Row {
        kinds: WITH_PODS,
        versions: EVER,
        fields: SPREAD,
        words: "",
        which: Which::All,
        when: When::Before(SPREAD),
    },
    Row {
        kinds: WITH_PODS,
        versions: EVER,
        fields: &["pod.*[]"],
        words: "is not positive integer multiple of",
        which: Which::All,
        when: When::Before(&["pod.*ontainers[].resources.*[]", "pod.overhead*[]"]),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(29),
        fields: SYSCTLS,
        words: "may not be specified when 'host",
        which: Which::All,
        when: When::Before(SYSCTLS),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(30),
        fields: &["pod.volumes[].projected.path"],
        words: "",
        which: Which::Only(|_, error| error.reason == Reason::Invalid),
        when: When::If(|look| {
            let mut before = look.before(&["pod.volumes[].projected.path"]);
            before.any(|error| error.reason == Reason::Invalid)
        }),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(34),
        fields: DEVICES,
        words: "when `hostUsers` is false",
        which: Which::All,
        when: When::Before(DEVICES),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(35),
        fields: NETWORK,
        words: "when `hostUsers` is false",
        which: Which::All,
        when: When::Before(NETWORK),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(35),
        fields: &["pod.tolerations[].operator"],
        words: "supported values",
        which: Which::Only(|look, error| {
            let list = error.field.rsplit_once('[').map_or("", |(list, _)| list);
            matches!(value(error), "Lt" | "Gt") && look.is_marked(list, &error.field, compares_a_number)
        }),
        when: When::If(|look| {
            look.before(&["pod.tolerations[].operator"]).any(|error| matches!(value(error), "Lt" | "Gt"))
        }),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(36),
        fields: RESIZED,
        words: "non-sidecar initContainers",
        which: Which::All,
        when: When::Before(RESIZED),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(37),
        fields: IMAGES,
        words: "",
        which: Which::All,
        when: When::Before(IMAGES),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(37),
        fields: SECURITY,
        words: "CAP_SYS_ADMIN",
        which: Which::All,
        when: When::If(|look| look.had_administrators()),
    },
    Row {
        kinds: WITH_PODS,
        versions: (30, 31),
        fields: VARIABLES,
        words: "",
        which: Which::Only(|_, error| is_relaxed_name(error)),
        when: When::If(|look| look.keeps_relaxed_name(VARIABLES)),
    },
    Row {
        kinds: &["DeviceTaintRule"],
        versions: since(35),
        fields: &["spec.taint.effect"],
        words: "",
        which: Which::All,
        when: When::Unchanged(&[&["spec", "taint", "effect"]]),
    },
    Row {
        kinds: WITH_PODS,
        versions: EVER,
        fields: COSTS,
        words: "must be a 32bit integer",
        which: Which::All,
        when: When::Before(COSTS),
    },
];

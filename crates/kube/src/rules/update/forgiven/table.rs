//! What is forgiven of which kinds, and on which condition.

use trueline_yaml::NodeRef;

use super::{Row, When, node_at, value};
use crate::{FieldError, Reason, names};

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
const COSTS: &[&str] = &["*annotations[]"];
const IMAGES: &[&str] = &["pod.volumes[].image.reference"];
const SECRETS: &[&str] = &["spec.tls[].secretName"];
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
        when: When::If(|look, _| {
            node_at(look.old, "spec.schedule").and_then(NodeRef::as_str).is_some_and(|old| old.contains("TZ"))
        }),
    },
    Row {
        kinds: &["CronJob"],
        versions: EVER,
        fields: &["spec.timeZone"],
        words: "",
        when: When::Unchanged(&[&["spec", "timeZone"]]),
    },
    // Names that cannot change are not looked at again.
    Row {
        kinds: &["CronJob", "DaemonSet", "Deployment", "PriorityClass", "ReplicaSet", "StatefulSet"],
        versions: EVER,
        fields: &["metadata.name"],
        words: "",
        when: When::If(|_, error| error.reason != Reason::Required),
    },
    Row {
        kinds: &["PriorityClass"],
        versions: EVER,
        fields: &["value"],
        words: "maximum allowed value of a user defined priority",
        when: When::Always,
    },
    Row {
        kinds: &["StatefulSet"],
        versions: since(33),
        fields: &["spec.serviceName"],
        words: "",
        when: When::Always,
    },
    Row {
        kinds: &["StatefulSet"],
        versions: since(34),
        fields: &["spec.volumeClaimTemplates*"],
        words: "",
        when: When::Always,
    },
    Row {
        kinds: &["ServiceCIDR"],
        versions: EVER,
        fields: &["spec.cidrs*"],
        words: "",
        when: When::If(|look, _| {
            let count =
                |object| node_at(object, "spec.cidrs").and_then(NodeRef::items).map_or(0, Iterator::count);
            look.update.version().minor < 33 || (count(look.old), count(look.new)) != (1, 2)
        }),
    },
    Row { kinds: &["ResourceClaim"], versions: since(35), fields: &["spec*"], words: "", when: When::Always },
    Row { kinds: &["Ingress"], versions: EVER, fields: SECRETS, words: "", when: When::Before(SECRETS) },
    Row {
        kinds: &["Ingress"],
        versions: EVER,
        fields: &["spec.rules[].http*"],
        words: "",
        when: When::If(|look, error| {
            look.has_wildcard(look.new, &error.field)
                && look
                    .before(&["spec.rules[].http*"], "")
                    .any(|error| look.has_wildcard(look.old, &error.field))
        }),
    },
    Row {
        kinds: &["Ingress"],
        versions: (34, 35),
        fields: SERVICES,
        words: "",
        when: When::If(|look, error| {
            let is_relaxed = |error: &FieldError| names::dns_1123_label(value(error)).is_empty();
            is_relaxed(error) && look.before(SERVICES, "").any(is_relaxed)
        }),
    },
    Row {
        kinds: &["NetworkPolicy"],
        versions: EVER,
        fields: &["spec.*elector.matchExpressions[].values[]"],
        words: "",
        when: When::Before(&["spec.podSelector.match*"]),
    },
    Row {
        kinds: &["NetworkPolicy"],
        versions: since(36),
        fields: &["spec.*.ipBlock.cidr", "spec.*.ipBlock.except[]"],
        words: "",
        when: When::If(|look, error| {
            !error.detail.contains("strict subset") && look.old_blocks().any(|old| old == value(error))
        }),
    },
    Row {
        kinds: &["PodDisruptionBudget", "PersistentVolumeClaim"],
        versions: EVER,
        fields: &[OWN_VALUES],
        words: "",
        when: When::Before(&["spec.selector.match*"]),
    },
    Row {
        kinds: &["CSIStorageCapacity"],
        versions: EVER,
        fields: &["nodeTopology.matchExpressions[].values[]"],
        words: "",
        when: When::Before(&["nodeTopology.match*"]),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].*Selector.matchExpressions[].values[]"],
        words: "",
        when: When::Before(&["webhooks[].*Selector.match*"]),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: REVIEWS,
        words: "must include at least one of",
        when: When::Before(REVIEWS),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].name"],
        words: "",
        when: When::If(|look, error| {
            let is_twice = |error: &FieldError| error.reason == Reason::Duplicate;
            is_twice(error) && look.before(&["webhooks[].name"], "").any(is_twice)
        }),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].sideEffects"],
        words: "",
        when: When::If(|look, error| {
            matches!(value(error), "Some" | "Unknown")
                && look.before(&["webhooks[].sideEffects"], "").next().is_some()
        }),
    },
    Row {
        kinds: HOOKS,
        versions: EVER,
        fields: &["webhooks[].matchConditions*"],
        words: "",
        when: When::If(|look, _| look.has_same_conditions()),
    },
    Row {
        kinds: POLICIES,
        versions: EVER,
        fields: &["spec.matchConditions*"],
        words: "",
        when: When::Unchanged(&[&["spec", "paramKind"], &["spec", "matchConditions"]]),
    },
    Row {
        kinds: &["Service"],
        versions: since(33),
        fields: &["spec.clusterIPs[]"],
        words: "",
        when: When::If(|look, error| {
            let single = node_at(look.old, "spec.clusterIP").and_then(NodeRef::as_str);
            look.old_texts("spec.clusterIPs").chain(single).any(|old| old == value(error))
        }),
    },
    // Whether it is an address that can be reached is still asked.
    Row {
        kinds: &["Service"],
        versions: since(33),
        fields: &["spec.externalIPs[]"],
        words: "must not ",
        when: When::If(|look, error| look.old_texts("spec.externalIPs").any(|old| old == value(error))),
    },
    Row {
        kinds: &["Service"],
        versions: since(33),
        fields: &["spec.LoadBalancerSourceRanges[]"],
        words: "",
        when: When::If(|look, error| {
            let mut old = look.old_texts("spec.loadBalancerSourceRanges");
            old.any(|old| old.trim() == value(error).trim())
        }),
    },
    Row {
        kinds: &["Service"],
        versions: since(33),
        fields: &["metadata.annotations[]"],
        words: "",
        when: When::If(|look, error| {
            error.reason == Reason::Invalid && look.has_same_annotation(crate::rules::service::RANGES)
        }),
    },
    Row {
        kinds: &["Endpoints"],
        versions: since(33),
        fields: &["subsets*"],
        words: "",
        when: When::Unchanged(&[&["subsets"]]),
    },
    Row {
        kinds: &["EndpointSlice"],
        versions: since(33),
        fields: &["endpoints*"],
        words: "",
        when: When::Unchanged(&[&["endpoints"]]),
    },
    Row {
        kinds: &["HorizontalPodAutoscaler"],
        versions: (0, 36),
        fields: &["spec.minReplicas"],
        words: "",
        when: When::If(|look, error| {
            let is_zero = node_at(look.old, "spec.minReplicas").and_then(NodeRef::text) == Some("0");
            is_zero && value(error) == "0" && look.is_scaled_from_outside()
        }),
    },
    Row {
        kinds: &["PersistentVolume"],
        versions: since(33),
        fields: VOLUME_NODE_VALUES,
        words: "",
        when: When::Before(VOLUME_NODE_VALUES),
    },
    Row {
        kinds: &["DaemonSet", "Job"],
        versions: EVER,
        fields: &[OWN_VALUES, POD_TERM_VALUES],
        words: "",
        when: When::Before(&[OWN_VALUES, POD_TERMS]),
    },
    Row {
        kinds: WITH_PODS,
        versions: EVER,
        fields: &[POD_TERM_VALUES],
        words: "",
        when: When::Before(&[POD_TERMS]),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(33),
        fields: NODE_VALUES,
        words: "",
        when: When::Before(NODE_VALUES),
    },
    Row { kinds: WITH_PODS, versions: EVER, fields: SPREAD, words: "", when: When::Before(SPREAD) },
    Row {
        kinds: WITH_PODS,
        versions: EVER,
        fields: &["pod.*[]"],
        words: "is not positive integer multiple of",
        when: When::Before(&["pod.*ontainers[].resources.*[]", "pod.overhead*[]"]),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(29),
        fields: SYSCTLS,
        words: "may not be specified when 'host",
        when: When::Before(SYSCTLS),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(30),
        fields: &["pod.volumes[].projected.path"],
        words: "",
        when: When::If(|look, error| {
            let is_invalid = |error: &FieldError| error.reason == Reason::Invalid;
            is_invalid(error) && look.before(&["pod.volumes[].projected.path"], "").any(is_invalid)
        }),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(34),
        fields: DEVICES,
        words: "when `hostUsers` is false",
        when: When::Before(DEVICES),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(35),
        fields: NETWORK,
        words: "when `hostUsers` is false",
        when: When::Before(NETWORK),
    },
    Row {
        kinds: WITH_PODS,
        versions: since(35),
        fields: &["pod.tolerations[].operator"],
        words: "supported values",
        when: When::If(|look, error| {
            let is_comparison = |error: &FieldError| matches!(value(error), "Lt" | "Gt");
            is_comparison(error)
                && look.compares_a_number(&error.field)
                && look.before(&["pod.tolerations[].operator"], "").any(is_comparison)
        }),
    },
    Row { kinds: WITH_PODS, versions: since(37), fields: IMAGES, words: "", when: When::Before(IMAGES) },
    Row {
        kinds: WITH_PODS,
        versions: since(37),
        fields: SECURITY,
        words: "CAP_SYS_ADMIN",
        when: When::If(|look, _| look.had_administrators()),
    },
    Row {
        kinds: WITH_PODS,
        versions: EVER,
        fields: COSTS,
        words: "must be a 32bit integer",
        when: When::Before(COSTS),
    },
];

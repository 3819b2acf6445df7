//! What the server puts where a field is missing. Simple defaults are in tables; what follows from other fields has a function
//! for the type that holds them.

use std::sync::Arc;

use trueline_gostd::base64;
use trueline_kube_api::{Definition, Type};
use trueline_kube_rules::rules::update::defaults::{self, Fixed};
use trueline_yaml::{Data, Map, MapEntry, Value};

use super::admitted::{Writer, map_of, set};

/// Types, fields and defaults that comparisons of old and new objects need not know.
static TABLE: &[(&str, &str, &str)] = &[
    ("apps.DaemonSetSpec", "revisionHistoryLimit", "10"),
    ("apps.DeploymentSpec", "progressDeadlineSeconds", "600"),
    ("apps.DeploymentSpec", "replicas", "1"),
    ("apps.DeploymentSpec", "revisionHistoryLimit", "10"),
    ("apps.ReplicaSetSpec", "replicas", "1"),
    ("apps.StatefulSetSpec", "replicas", "1"),
    (
        "apps.StatefulSetSpec",
        "persistentVolumeClaimRetentionPolicy",
        r#"{"whenDeleted":"Retain","whenScaled":"Retain"}"#,
    ),
    ("apps.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted", r#""Retain""#),
    ("apps.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenScaled", r#""Retain""#),
    ("autoscaling.HorizontalPodAutoscalerSpec", "minReplicas", "1"),
    ("batch.CronJobSpec", "concurrencyPolicy", r#""Allow""#),
    ("batch.CronJobSpec", "failedJobsHistoryLimit", "1"),
    ("batch.CronJobSpec", "successfulJobsHistoryLimit", "3"),
    ("batch.CronJobSpec", "suspend", "false"),
    ("core.EndpointPort", "protocol", r#""TCP""#),
    ("core.HostPathVolumeSource", "type", r#""""#),
    ("core.PersistentVolumeClaimStatus", "phase", r#""Pending""#),
    ("core.PersistentVolumeSpec", "persistentVolumeReclaimPolicy", r#""Retain""#),
    ("core.PersistentVolumeStatus", "phase", r#""Pending""#),
    ("core.NamespaceStatus", "phase", r#""Active""#),
    ("core.PodStatus", "phase", r#""Pending""#),
    ("core.ReplicationControllerSpec", "replicas", "1"),
    ("core.ServicePort", "protocol", r#""TCP""#),
    ("core.ServiceSpec", "sessionAffinity", r#""None""#),
    ("core.ServiceSpec", "type", r#""ClusterIP""#),
    ("flowcontrol.FlowSchemaSpec", "matchingPrecedence", "1000"),
    ("discovery.EndpointPort", "name", r#""""#),
    ("discovery.EndpointPort", "protocol", r#""TCP""#),
    ("networking.IngressClassParametersReference", "scope", r#""Cluster""#),
    ("networking.NetworkPolicyPort", "protocol", r#""TCP""#),
    ("storage.CSIDriverSpec", "fsGroupPolicy", r#""ReadWriteOnceWithFSType""#),
    ("storage.CSIDriverSpec", "podInfoOnMount", "false"),
    ("storage.CSIDriverSpec", "requiresRepublish", "false"),
    ("storage.CSIDriverSpec", "seLinuxMount", "false"),
    ("storage.CSIDriverSpec", "storageCapacity", "false"),
];

/// Types whose defaults follow from what else they hold.
type Rule = fn(&mut Map, u16);
static RULES: &[(&str, Rule)] = &[
    ("apps.DaemonSetUpdateStrategy", |fields, _| {
        roll(fields, r#"{"maxSurge":0,"maxUnavailable":1}"#);
    }),
    ("apps.DeploymentStrategy", |fields, _| {
        roll(fields, r#"{"maxSurge":"25%","maxUnavailable":"25%"}"#);
    }),
    ("apps.StatefulSetSpec", claims),
    ("apps.StatefulSetUpdateStrategy", stateful_strategy),
    ("autoscaling.HorizontalPodAutoscalerSpec", scaled_metrics),
    ("autoscaling.HorizontalPodAutoscalerBehavior", scaling_behavior),
    ("batch.Job", job),
    ("core.Container", |fields, _| pull_policy(fields, "image", "imagePullPolicy")),
    ("core.EphemeralContainer", |fields, _| pull_policy(fields, "image", "imagePullPolicy")),
    ("core.ImageVolumeSource", |fields, _| pull_policy(fields, "reference", "pullPolicy")),
    ("core.LimitRangeItem", limits),
    ("core.Namespace", |fields, _| {
        let name = text_at(fields, &["metadata", "name"]);
        if let (Some(name), Some(metadata)) = (name, part(fields, "metadata")) {
            let Some(labels) = part_or_new(metadata, "labels") else { return };
            set(labels, "kubernetes.io/metadata.name", Value::from(name.as_str()));
        }
    }),
    ("core.Pod", pod),
    ("core.ReplicationController", |fields, _| {
        take_labels(fields, &["spec", "template", "metadata", "labels"]);
        let labels = value_at(fields, &["spec", "template", "metadata", "labels"]).cloned();
        if let (Some(labels), Some(spec)) = (labels, part(fields, "spec"))
            && !spec.contains_key("selector")
        {
            set(spec, "selector", labels);
        }
    }),
    ("core.Secret", string_data),
    ("core.ServicePort", |fields, _| {
        let is_unset = match fields.get("targetPort").map(|entry| &entry.value.data) {
            None | Some(Data::Int(0)) => true,
            Some(Data::String(text)) => text.is_empty(),
            _ => false,
        };
        if let Some(port) = fields.get("port").map(|entry| entry.value.clone()).filter(|_| is_unset) {
            set(fields, "targetPort", port);
        }
    }),
    ("core.ServiceSpec", service),
    ("core.Volume", |fields, _| {
        if fields.keys().all(|key| &**key == "name") {
            set(fields, "emptyDir", empty());
        }
    }),
    ("networking.NetworkPolicySpec", |fields, _| {
        if !fields.contains_key("policyTypes") {
            let egress = fields.contains_key("egress").then_some("Egress");
            let types = ["Ingress"].into_iter().chain(egress).map(Value::from);
            set(fields, "policyTypes", types.collect());
        }
    }),
    ("rbac.Subject", |fields, _| {
        let group = match text_at(fields, &["kind"]).as_deref() {
            Some("User" | "Group") => "rbac.authorization.k8s.io",
            _ => return,
        };
        default(fields, "apiGroup", Value::from(group));
    }),
];

/// Puts in what is missing in an object of a type.
pub(super) fn defaults(writer: &Writer, name: &str, definition: &Definition, fields: &mut Map, depth: usize) {
    for field in &definition.fields {
        let is_missing = match fields.get(field.name).map(|entry| &entry.value.data) {
            None => true,
            // Where a zero value is written, it is a missing one all the same.
            Some(Data::String(text)) => text.is_empty(),
            Some(Data::Int(0)) => field.name == "matchingPrecedence",
            _ => false,
        };
        if !is_missing {
            continue;
        }
        let own = TABLE.iter().find(|(of, known, _)| *of == name && *known == field.name);
        let value = match own {
            Some((_, _, json)) => Value::from_json_text(json).ok(),
            None => {
                let fixed = if writer.is_pod { defaults::fixed_in_pod } else { defaults::fixed };
                match fixed(name, field) {
                    Some(Fixed::Is(text)) => scalar(field.r#type, text),
                    Some(Fixed::Only(text)) => Some(std::iter::once(Value::from(text)).collect()),
                    Some(Fixed::Nothing) => Some(empty()),
                    None => None,
                }
            }
        };
        if let Some(value) = value.filter(|_| !ELSEWHERE.contains(&(name, field.name))) {
            set(fields, field.name, writer.value(field.r#type, &value, depth));
        }
    }
    for (_, rule) in RULES.iter().filter(|(of, _)| *of == name) {
        rule(fields, writer.api.version().minor);
        // Older versions do not have all of these fields.
        fields.retain(|key, _| definition.field(key).is_some());
    }
}

/// What only plugins of a cluster put into pods, and what depends on where the type stands.
const ELSEWHERE: &[(&str, &str)] =
    &[("core.PodSpec", "serviceAccountName"), ("batch.JobSpec", "completionMode")];

fn scalar(of: &Type, text: &str) -> Option<Value> {
    Some(match of {
        Type::Bool => Value::from(text == "true"),
        Type::Int32 | Type::Int64 => Value::from(text.parse::<i64>().ok()?),
        Type::IntOrString => text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from),
        Type::String | Type::Quantity => Value::from(text).clone(),
        _ => return None,
    })
    .filter(|value| value.as_str() != Some(""))
}

fn default(fields: &mut Map, key: &str, value: Value) {
    let is_empty = fields.get(key).is_none_or(|entry| entry.value.as_str() == Some(""));
    if is_empty {
        set(fields, key, value);
    }
}

fn part<'f>(fields: &'f mut Map, key: &str) -> Option<&'f mut Map> {
    fields.get_mut(key).and_then(|entry| map_of(&mut entry.value))
}

/// A map inside an object, put there if it is missing.
fn part_or_new<'f>(fields: &'f mut Map, key: &str) -> Option<&'f mut Map> {
    let entry = fields.entry(key.into()).or_insert_with(|| MapEntry { key_origin: None, value: empty() });
    if !matches!(entry.value.data, Data::Map(_)) {
        entry.value = empty();
    }
    map_of(&mut entry.value)
}

fn empty() -> Value {
    Value::new(Data::Map(Arc::default()))
}

fn value_at<'f>(fields: &'f Map, path: &[&str]) -> Option<&'f Value> {
    let (first, rest) = path.split_first()?;
    let start = &fields.get(*first)?.value;
    rest.iter().try_fold(start, |value, key| value.get(key))
}

fn text_at(fields: &Map, path: &[&str]) -> Option<String> {
    value_at(fields, path)?.as_str().map(str::to_owned)
}

/// A rolling update with these bounds, where no other strategy is asked for.
fn roll(fields: &mut Map, bounds: &str) {
    default(fields, "type", Value::from("RollingUpdate"));
    if text_at(fields, &["type"]).as_deref() != Some("RollingUpdate") {
        return;
    }
    let Ok(Value { data: Data::Map(bounds), .. }) = Value::from_json_text(bounds) else { return };
    let Some(rolling) = part_or_new(fields, "rollingUpdate") else { return };
    for (key, entry) in bounds.iter() {
        default(rolling, key, entry.value.clone());
    }
}

fn stateful_strategy(fields: &mut Map, minor: u16) {
    let is_typed = text_at(fields, &["type"]).is_some_and(|text| !text.is_empty());
    if is_typed && !fields.contains_key("rollingUpdate") {
        return;
    }
    roll(
        fields,
        match minor {
            ..35 => r#"{"partition":0}"#,
            _ => r#"{"partition":0,"maxUnavailable":1}"#,
        },
    );
}

/// Claims of a template say what they are.
fn claims(fields: &mut Map, _: u16) {
    for claim in each(fields, "volumeClaimTemplates") {
        default(claim, "kind", Value::from("PersistentVolumeClaim"));
        default(claim, "apiVersion", Value::from("v1"));
    }
}

/// Jobs that a CronJob will make are not filled in.
fn job(fields: &mut Map, _: u16) {
    take_labels(fields, &["spec", "template", "metadata", "labels"]);
    let Some(fields) = part(fields, "spec") else { return };
    for (key, value) in [("manualSelector", false), ("suspend", false)] {
        default(fields, key, Value::from(value));
    }
    default(fields, "completionMode", Value::from("NonIndexed"));
    if !fields.contains_key("completions") && !fields.contains_key("parallelism") {
        set(fields, "completions", Value::from(1_i64));
    }
    default(fields, "parallelism", Value::from(1_i64));
    let most = if fields.contains_key("backoffLimitPerIndex") { i64::from(i32::MAX) } else { 6 };
    default(fields, "backoffLimit", Value::from(most));
    let replaced = if fields.contains_key("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    default(fields, "podReplacementPolicy", Value::from(replaced));
}

fn take_labels(fields: &mut Map, path: &[&str]) {
    let Some(labels) = value_at(fields, path).cloned() else { return };
    let Some(metadata) = part_or_new(fields, "metadata") else { return };
    if !metadata.contains_key("labels") {
        set(metadata, "labels", labels);
    }
}

/// Whether an image is pulled each time, which it is where its name says no version.
fn pull_policy(fields: &mut Map, image: &str, policy: &str) {
    let Some(name) = text_at(fields, &[image]) else { return };
    let (name, digest) = match name.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (name.as_str(), None),
    };
    let tag = name.rsplit_once(':').map(|(_, tag)| tag).filter(|tag| !tag.contains('/'));
    let is_latest = tag == Some("latest") || (tag.is_none() && digest.is_none());
    default(fields, policy, Value::from(if is_latest { "Always" } else { "IfNotPresent" }));
}

fn each<'f>(fields: &'f mut Map, key: &str) -> impl Iterator<Item = &'f mut Map> {
    let items = match fields.get_mut(key).map(|entry| &mut entry.value.data) {
        Some(Data::List(items)) => Some(Arc::make_mut(items).iter_mut()),
        _ => None,
    };
    items.into_iter().flatten().filter_map(map_of)
}

/// Adds the entries of one map to another that does not have them.
fn add_missing(fields: &mut Map, from: &str, to: &str) {
    let Some(Data::Map(given)) = fields.get(from).map(|entry| entry.value.data.clone()) else { return };
    let Some(target) = part_or_new(fields, to) else { return };
    for (key, entry) in given.iter() {
        if !target.contains_key(key) {
            set(target, key, entry.value.clone());
        }
    }
}

fn pod(fields: &mut Map, _: u16) {
    let Some(spec) = part(fields, "spec") else { return };
    let is_on_host =
        matches!(value_at(spec, &["hostNetwork"]).map(|value| &value.data), Some(Data::Bool(true)));
    for list in ["containers", "initContainers"] {
        for container in each(spec, list) {
            if let Some(resources) = part(container, "resources") {
                add_missing(resources, "limits", "requests");
            }
            if !is_on_host {
                continue;
            }
            for port in each(container, "ports") {
                if let Some(number) = value_at(port, &["containerPort"]).cloned() {
                    default(port, "hostPort", number);
                }
            }
        }
    }
}

/// What was typed as plain strings is kept as bytes.
fn string_data(fields: &mut Map, _: u16) {
    let Some(entry) = fields.shift_remove("stringData") else { return };
    let Data::Map(plain) = &entry.value.data else { return };
    let Some(data) = part_or_new(fields, "data") else { return };
    for (key, entry) in plain.iter() {
        let text = entry.value.as_str().unwrap_or_default();
        let value = Value::new(Data::String(base64::STANDARD.encode(text.as_bytes()).into()));
        set(data, key, Value { origin: entry.value.origin, ..value });
    }
}

fn service(fields: &mut Map, _: u16) {
    let kind = text_at(fields, &["type"]).unwrap_or_default();
    if text_at(fields, &["sessionAffinity"]).as_deref() == Some("ClientIP") {
        let Some(config) = part_or_new(fields, "sessionAffinityConfig") else { return };
        let Some(client) = part_or_new(config, "clientIP") else { return };
        default(client, "timeoutSeconds", Value::from(10_800_i64));
    } else {
        fields.shift_remove("sessionAffinityConfig");
    }
    let is_reachable = matches!(kind.as_str(), "NodePort" | "LoadBalancer")
        || kind == "ClusterIP" && fields.contains_key("externalIPs");
    if is_reachable {
        default(fields, "externalTrafficPolicy", Value::from("Cluster"));
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer" | "ClusterIP") {
        default(fields, "internalTrafficPolicy", Value::from("Cluster"));
    }
    if kind == "LoadBalancer" {
        default(fields, "allocateLoadBalancerNodePorts", Value::from(true));
    }
}

fn limits(fields: &mut Map, _: u16) {
    if text_at(fields, &["type"]).as_deref() == Some("Container") {
        for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
            add_missing(fields, from, to);
        }
    }
}

const METRICS: &str = r#"[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]"#;

fn scaled_metrics(fields: &mut Map, _: u16) {
    // The first version has a number in its place, which the server does not fill in.
    let is_first = fields.contains_key("targetCPUUtilizationPercentage");
    if !fields.contains_key("metrics")
        && !is_first
        && let Ok(metrics) = Value::from_json_text(METRICS)
    {
        set(fields, "metrics", metrics);
    }
}

fn scaling_behavior(fields: &mut Map, _: u16) {
    let up = r#"{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[{"type":"Pods","value":4,"periodSeconds":15},{"type":"Percent","value":100,"periodSeconds":15}]}"#;
    let down = r#"{"selectPolicy":"Max","policies":[{"type":"Percent","value":100,"periodSeconds":15}]}"#;
    for (key, json) in [("scaleUp", up), ("scaleDown", down)] {
        let Ok(Value { data: Data::Map(rules), .. }) = Value::from_json_text(json) else { continue };
        let Some(own) = part_or_new(fields, key) else { continue };
        for (name, entry) in rules.iter() {
            if !own.contains_key(name) {
                set(own, name, entry.value.clone());
            }
        }
    }
}

/// What a new namespace has.
pub(super) fn namespace(fields: &mut Map) {
    let Some(spec) = part_or_new(fields, "spec") else { return };
    if !spec.contains_key("finalizers") {
        set(spec, "finalizers", std::iter::once(Value::from("kubernetes")).collect());
    }
}

//! Pods: annotations that became fields, selectors that match nothing, and amounts in thousandths of a byte.

use trueline_kube_facts::{joined, names, rules};

use super::{annotations, labels};
use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::Context;

rules! {
    /// A constraint without a selector counts no pods.
    NO_SELECTOR: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "topology-spread/no-selector", NO_SELECTOR_WORDS;
    /// A negative grace period counts as one second.
    SHORT_GRACE_PERIOD: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "pod/short-grace-period",
        "must be >= 0; negative values are invalid and will be treated as 1";
    /// The name of the pod is not fit for its host name.
    SURPRISING_NAME: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "pod/surprising-name",
        "{}, which can result in surprising behavior; a DNS label is recommended: [{}]";
    /// A field or an annotation of pods is deprecated.
    DEPRECATED_FIELD: Invalid in trueline_kube_facts::codes::DEPRECATED_FIELD, "pod/deprecated-field", "{}";
    /// An affinity without a selector matches no pods.
    NO_SELECTOR_2: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "affinity/no-selector", NO_SELECTOR_WORDS;
    /// Memory is given in thousandths of a byte.
    MILLI_BYTES: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "resources/milli-bytes", "{}";
    /// Memory is given in fractions of a byte.
    FRACTION_OF_BYTE: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "resources/fraction-of-byte", "{}";
}

const ANNOTATIONS: &[super::Annotation] = &[
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        16,
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    (
        "security.alpha.kubernetes.io/sysctls",
        11,
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        11,
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
];

const SECCOMP_WORDS: &str = "non-functional in v1.27+; use the \"seccompProfile\" field instead";
const SECCOMP_POD: &[super::Annotation] = &[("seccomp.security.alpha.kubernetes.io/pod", 27, SECCOMP_WORDS)];
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR_CONTAINER: &str = "container.apparmor.security.beta.kubernetes.io/";
const NO_SELECTOR_WORDS: &str = "a null labelSelector results in matching no pod";

/// Warns in whatever has the metadata and the spec of a pod: `core.Pod` and `core.PodTemplateSpec`.
pub(crate) fn check(object: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (metadata, spec) = (object.child("metadata"), object.child("spec"));
    annotations(&metadata, ANNOTATIONS, context, report);
    profiles(&metadata, &spec, context, report);
    labels::keys(&spec.child("nodeSelector"), report);
    for constraint in spec.child("topologySpreadConstraints").items() {
        labels::text(&constraint.child("topologyKey"), report);
        let selector = constraint.child("labelSelector");
        if selector.is_absent() {
            report.warn(&selector, &NO_SELECTOR);
        }
    }
    let period = spec.child("terminationGracePeriodSeconds");
    // Of a pod, it is refused from 1.37 on.
    let is_refused = context.kind == "Pod" && context.version.minor >= 37;
    if !is_refused && period.integer().is_some_and(|seconds| seconds < 0) {
        report.warn(&period, &SHORT_GRACE_PERIOD);
    }
    let dns = spec.child("dnsConfig");
    for server in dns.child("nameservers").items() {
        super::address::told(&server, context, report);
    }
    for alias in spec.child("hostAliases").items() {
        super::address::told(&alias.child("ip"), context, report);
    }
    if context.kind == "Pod" {
        hostname(object, "this is used in the Pod's hostname", report);
    }
}

/// Names with dots are taken, but make odd names of hosts.
pub(super) fn hostname(object: &FieldPlace<'_, '_>, used: &str, report: &mut Report) {
    let metadata = object.child("metadata");
    let name = metadata.child("name");
    let Some(text) = name.full_text() else { return };
    let complaints = names::dns_1123_label(text);
    // What breaks the rule for names has been refused already.
    if !complaints.is_empty() && names::dns_1123_subdomain(text).is_empty() {
        let complaints = joined(&complaints, " ");
        report.warn(&name, SURPRISING_NAME.with(used).and(complaints));
    }
}

/// Annotations that became fields of security contexts.
fn profiles(
    metadata: &FieldPlace<'_, '_>,
    spec: &FieldPlace<'_, '_>,
    context: &Context<'_>,
    report: &mut Report,
) {
    let security = spec.child("securityContext");
    if security.child("seccompProfile").is_absent() {
        annotations(metadata, SECCOMP_POD, context, report);
    }
    let all = metadata.child("annotations");
    if all.is_empty() {
        return;
    }
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in spec.child(list).items() {
            let Some(name) = container.child("name").full_text() else { continue };
            let inner = container.child("securityContext");
            for (prefix, field, since, words) in [
                (SECCOMP_CONTAINER, "seccompProfile", 27, SECCOMP_WORDS),
                (
                    APP_ARMOR_CONTAINER,
                    "appArmorProfile",
                    30,
                    "deprecated since v1.30; use the \"appArmorProfile\" field instead",
                ),
            ] {
                // A profile of the whole pod may say the same as the annotation.
                let has_field = !inner.child(field).is_absent()
                    || (prefix == APP_ARMOR_CONTAINER && !security.child(field).is_absent());
                if context.version.minor >= since
                    && !has_field
                    && let Some(place) = all.on_key(&format!("{prefix}{name}"))
                {
                    report.deprecated(&place, DEPRECATED_FIELD.with(words), None);
                }
            }
        }
    }
}

/// Warns in `core.PodAffinityTerm`.
pub(crate) fn check_term(term: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let selector = term.child("labelSelector");
    if selector.is_absent() {
        report.warn(&selector, &NO_SELECTOR_2);
    }
}

/// Warns in `core.ResourceRequirements` and `core.VolumeResourceRequirements`: bytes come whole.
pub(crate) fn check_resources(resources: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    for list in ["limits", "requests"] {
        for (name, amount) in resources.child(list).entries() {
            if !matches!(&*name, "memory" | "ephemeral-storage" | "storage") {
                continue;
            }
            let is_fraction = amount.quantity().is_some_and(|amount| !amount.is_whole());
            let Some(text) = amount.node().and_then(|node| node.text()).filter(|_| is_fraction) else {
                continue;
            };
            let words = format!("fractional byte value {text:?} is invalid, must be an integer");
            match text.strip_suffix('m') {
                Some(number) => report.warn_with(&amount, MILLI_BYTES.with(words), format!("`m` is a thousandth: write `{number}M`, or `{number}Mi` for 1024 × 1024 times as much")),
                None => report.warn(&amount, FRACTION_OF_BYTE.with(words)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn pods() {
        let bench = Bench::new();
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {A: b}}\nspec: {containers: [{name: a, image: i}]}\n";
        let annotated = |key: &str| pod.replace("A: b", &format!("{key}: unconfined"));
        bench.warns(pod, &[]);
        for (key, words) in [
            (
                "scheduler.alpha.kubernetes.io/critical-pod",
                "non-functional in v1.16+; use the \"priorityClassName\" field instead",
            ),
            (
                "seccomp.security.alpha.kubernetes.io/pod",
                "non-functional in v1.27+; use the \"seccompProfile\" field instead",
            ),
            (
                "container.seccomp.security.alpha.kubernetes.io/a",
                "non-functional in v1.27+; use the \"seccompProfile\" field instead",
            ),
            (
                "container.apparmor.security.beta.kubernetes.io/a",
                "deprecated since v1.30; use the \"appArmorProfile\" field instead",
            ),
        ] {
            bench.warns(&annotated(key), &[&format!("«{key}» metadata.annotations[{key}]: {words}")]);
        }
        Bench::of(26).warns(&annotated("seccomp.security.alpha.kubernetes.io/pod"), &[]);
        let with =
            |part: &str| pod.replace("[{name: a, image: i}]", &format!("[{{name: a, image: i}}], {part}"));
        for (part, warning) in [
            (
                "terminationGracePeriodSeconds: -1",
                "«-1» spec.terminationGracePeriodSeconds: must be >= 0; negative",
            ),
            (
                "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]",
                "«maxSkew» spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
            ),
            (
                "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: k}]}}",
                "«topologyKey» spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector",
            ),
        ] {
            bench.warns(&with(part), &[warning]);
        }
        bench.warns(
            &pod.replace("image: i", "image: i, resources: {limits: {memory: 128m, cpu: 100m}}"),
            &["«128m» spec.containers[0].resources.limits[memory]: fractional byte value \"128m\" is invalid, must be an integer"],
        );
        bench.warns(
            &pod.replace("name: p", "name: p.q"),
            &["«p.q» metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"],
        );
    }

    #[test]
    fn templates() {
        let bench = Bench::new();
        let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d.e}\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}, annotations: {scheduler.alpha.kubernetes.io/critical-pod: ''}}\n    spec: {containers: [{name: a, image: i}], nodeSelector: {beta.kubernetes.io/os: linux}}\n";
        bench.warns(text, &[
            "«d.e» metadata.name: this is used in Pod names and hostnames",
            "«scheduler.alpha.kubernetes.io/critical-pod» spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional",
            "«beta.kubernetes.io/os» spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14",
        ]);
    }
}

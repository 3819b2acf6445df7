//! Fields that a version takes as they are: it decodes them, and validates them against no rule. What is wrong in them shows
//! when something is made of them, if it ever does.

use trueline_kube_api::Field;

use super::Context;

/// A field that is not looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unread {
    /// The field.
    pub(crate) field: &'static str,
    /// Whether this version does not look at it in an object of this kind.
    pub(crate) when: fn(&Context<'_>) -> bool,
    /// What comes of it later.
    pub(crate) later: Later,
}

/// What comes of a field that is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Later {
    /// It is refused where it is used.
    Refused,
    /// It is never used.
    Unused,
}

/// The first version that looks at the pods and the claims of a StatefulSet when it is made.
pub(super) const SETS: u16 = 34;

fn always(_: &Context<'_>) -> bool {
    true
}

fn is_older_set(context: &Context<'_>) -> bool {
    context.kind == "StatefulSet" && context.version.minor < SETS
}

/// A set names the hosts of its pods itself.
fn is_newer_set(context: &Context<'_>) -> bool {
    context.kind == "StatefulSet" && context.version.minor >= SETS
}

fn is_before_27(context: &Context<'_>) -> bool {
    context.version.minor < 27
}

/// Definition, field, when it is not looked at, and what comes of it.
type Row = (&'static str, &'static str, fn(&Context<'_>) -> bool, Later);

static TABLE: &[Row] = &[
    ("apps.StatefulSetSpec", "volumeClaimTemplates", is_older_set, Later::Refused),
    ("autoscaling.MetricIdentifier", "selector", always, Later::Refused),
    ("core.PersistentVolumeClaim", "status", always, Later::Unused),
    ("core.PodSpec", "hostname", is_newer_set, Later::Unused),
    ("core.PodSpec", "subdomain", is_newer_set, Later::Unused),
    ("core.PodTemplateSpec", "spec", is_older_set, Later::Refused),
    ("core.TopologySpreadConstraint", "labelSelector", is_before_27, Later::Refused),
];

/// The fields of a definition that are not looked at in some objects.
pub(super) fn of(short: &str, fields: &[Field]) -> Vec<Unread> {
    let rows = TABLE.iter().filter(|row| row.0 == short && fields.iter().any(|field| field.name == row.1));
    rows.map(|row| Unread { field: row.1, when: row.2, later: row.3 }).collect()
}

/// The names in the table.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = String> {
    TABLE.iter().map(|row| format!("{}.{}", row.0, row.1))
}

#[cfg(test)]
mod tests {
    use super::SETS;
    use crate::rules::testing::Bench;

    const SET: &str = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec:\n  serviceName: web\n  selector: {matchLabels: {a: b}}\n  template: {metadata: {labels: {a: b}}, {}}\n";

    #[test]
    fn pods_of_sets() {
        let (older, newer) = (Bench::of(SETS - 1), Bench::of(SETS));
        for (pod, error) in [
            ("spec: {containers: [{name: a}]}", "spec.template.spec.containers[0].image: Required value"),
            ("spec: {containers: []}", "spec.template.spec.containers: Required value"),
            ("x: {}", "spec.template.spec.containers: Required value"),
            (
                "spec: {containers: [{name: a, image: i, volumeMounts: [{name: v, mountPath: /v}]}]}",
                "spec.template.spec.containers[0].volumeMounts[0].name: Not found",
            ),
            (
                "spec: {containers: [{name: a, image: i}], dnsPolicy: Foo}",
                "spec.template.spec.dnsPolicy: Unsupported value",
            ),
        ] {
            let text = SET.replacen("{}", &pod.replace("x: {}", ""), 1).replace(", }", "}");
            newer.refuses(&text, &[error]);
            older.accepts(&text);
            assert_eq!(older.warnings(&text).len(), 1, "{text}");
        }
        // What the set itself wants of its pods, and their labels and annotations, have always been looked at.
        let text = SET.replacen("{}", "spec: {containers: [{name: a, image: i}], restartPolicy: Never}", 1);
        older.refuses(&text, &["spec.template.spec.restartPolicy: Unsupported value"]);
        let text = SET.replacen("{a: b}}, {}", "{a: b, 'c d': e}}, spec: {containers: []}", 1);
        older.refuses(&text, &["spec.template.labels: Invalid value: \"c d\""]);
        let annotation = "annotations: {seccomp.security.alpha.kubernetes.io/pod: unconfined}";
        let profile = "spec: {securityContext: {seccompProfile: {type: RuntimeDefault}}, containers: [{name: a, image: i}]}";
        let text = SET.replacen(
            "{labels: {a: b}}, {}",
            &format!("{{labels: {{a: b}}, {annotation}}}, {profile}"),
            1,
        );
        older.accepts(&text);
        newer.refuses(&text, &["spec.template.spec.securityContext.seccompProfile.type: Forbidden"]);
        // A type that is none cannot be decoded.
        let text = SET.replacen("{}", "spec: {containers: 1}", 1);
        older.refuses(&text, &["spec.template.spec.containers: WrongType"]);
    }

    #[test]
    fn hosts_of_pods_of_sets() {
        let text =
            SET.replacen("{}", "spec: {hostname: A_B, subdomain: C_D, containers: [{name: a, image: i}]}", 1);
        for bench in [Bench::of(SETS - 1), Bench::of(SETS)] {
            bench.accepts(&text);
        }
        let text = text.replace("StatefulSet", "Deployment").replace("  serviceName: web\n", "");
        Bench::new().refuses(
            &text,
            &["spec.template.spec.hostname: Invalid value", "spec.template.spec.subdomain: Invalid value"],
        );
    }

    #[test]
    fn claims_of_sets() {
        let (older, newer) = (Bench::of(SETS - 1), Bench::of(SETS));
        let frame = SET.replacen("{}", "spec: {containers: [{name: a, image: i}]}", 1)
            + "  volumeClaimTemplates: [{metadata: {name: d}, {}}]\n";
        let size = "resources: {requests: {storage: 1Gi}}";
        for (claim, error) in [
            ("spec: {}", "spec.volumeClaimTemplates[0].spec."),
            (
                &*format!("spec: {{accessModes: [Foo], {size}}}"),
                "spec.volumeClaimTemplates[0].spec.accessModes",
            ),
            (
                &*format!(
                    "spec: {{accessModes: [ReadWriteOnce], {size}, selector: {{matchLabels: {{'a b': c}}}}}}"
                ),
                "spec.volumeClaimTemplates[0].spec.selector.matchLabels: Invalid value",
            ),
            (
                &*format!("spec: {{accessModes: [ReadWriteOnce], {size}, volumeMode: Foo}}"),
                "spec.volumeClaimTemplates[0].spec.volumeMode: Unsupported value",
            ),
        ] {
            let text = frame.replacen("{}", claim, 1);
            assert!(newer.errors(&text).iter().all(|found| found.starts_with(error)), "{text}");
            assert!(!newer.errors(&text).is_empty(), "{text}");
            older.accepts(&text);
            assert!(!older.warnings(&text).is_empty(), "{text}");
        }
        // Their labels are never looked at, nor is what they say of their state.
        let claim = format!("spec: {{accessModes: [ReadWriteOnce], {size}}}, status: {{conditions: [{{}}]}}");
        let text = frame.replacen("name: d", "name: d, labels: {'a b': c}", 1).replacen("{}", &claim, 1);
        newer.accepts(&text);
        older.accepts(&text);
    }

    #[test]
    fn selectors() {
        let metric = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\nspec: {maxReplicas: 1, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, metrics: [{type: External, external: {metric: {name: q, selector: {matchLabels: {queue: a/b}}}, target: {type: Value, value: 1}}}]}\n";
        for minor in [25, 37] {
            Bench::of(minor).warns(
                metric,
                &["«a/b» spec.metrics[0].external.metric.selector.matchLabels: Invalid value: \"a/b\""],
            );
        }
        let spread = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchExpressions: [{key: a b, operator: Foo}]}}]}\n";
        Bench::of(26).accepts(spread);
        let field = "spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0]";
        Bench::of(27).refuses(spread, &[&format!("{field}.operator"), &format!("{field}.key")]);
    }
}

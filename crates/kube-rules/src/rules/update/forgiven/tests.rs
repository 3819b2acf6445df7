//! Each thing that is forgiven, and beside it what is not. This file is long because there is a case for each row.

use trueline_kube_api::Api;
use trueline_kube_facts::Segment;

use super::fits;
use super::table::ROWS;
use crate::rules::testing::Bench;

const CONTAINERS: &str = "containers: [{name: c, image: i}]";

/// Objects with a place for a part of their spec.
fn frame(kind: &str) -> String {
    let head = |api: &str| format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a}}\n");
    let template = format!("metadata: {{labels: {{a: b}}}}, spec: {{{CONTAINERS}, {{}}}}");
    match kind {
        "Deployment" | "DaemonSet" | "StatefulSet" | "ReplicaSet" => {
            format!(
                "{}spec: {{selector: {{matchLabels: {{a: b}}}}, template: {{{template}}}}}\n",
                head("apps/v1")
            )
        }
        "Pod" => format!("{}spec: {{{CONTAINERS}, {{}}}}\n", head("v1")),
        "CronJob" => format!(
            "{}spec: {{schedule: '* * * * *', jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, {CONTAINERS}, {{}}}}}}}}}}}}\n",
            head("batch/v1")
        ),
        "PodTemplate" => format!("{}template: {{{template}}}\n", head("v1")),
        "Ingress" => format!(
            "{}spec: {{defaultBackend: {{service: {{name: s, port: {{number: 1}}}}}}, {{}}}}\n",
            head("networking.k8s.io/v1")
        ),
        "NetworkPolicy" => format!("{}spec: {{{{}}}}\n", head("networking.k8s.io/v1")),
        "PodDisruptionBudget" => format!("{}spec: {{{{}}}}\n", head("policy/v1")),
        "ClusterRole" => format!("{}aggregationRule: {{{{}}}}\n", head("rbac.authorization.k8s.io/v1")),
        "Service" => format!("{}spec: {{ports: [{{port: 80}}], {{}}}}\n", head("v1")),
        "HorizontalPodAutoscaler" => format!(
            "{}spec: {{maxReplicas: 3, scaleTargetRef: {{kind: Deployment, name: a, apiVersion: apps/v1}}, {{}}}}\n",
            head("autoscaling/v2")
        ),
        "ValidatingWebhookConfiguration" => format!(
            "{}webhooks: [{{name: a.b.c, clientConfig: {{url: 'https://a'}}, {{}}}}]\n",
            head("admissionregistration.k8s.io/v1")
        ),
        _ => format!("{}{{}}\n", head("v1")),
    }
}

/// With a first part of the old object, a second one of the new object is forgiven; with a third one it is not, and the
/// server says this.
type Case = (u16, &'static str, &'static str, &'static str, &'static str, &'static str);

#[track_caller]
fn hold(cases: &[Case]) {
    for (version, kind, wrong, new, right, error) in cases {
        let (frame, bench) = (frame(kind), Bench::of(*version));
        let fill = |part: &str| frame.replacen("{}", part, 1);
        let forgiven = bench.changes(&fill(wrong), &fill(new));
        assert!(forgiven.is_empty(), "{version} {kind}: {forgiven:#?}\nfor {wrong}\nbecoming {new}");
        let refused = bench.changes(&fill(right), &fill(new));
        let is_told = refused.iter().any(|text| text.starts_with(error));
        assert!(is_told, "{version} {kind}: {refused:#?}\nin place of {error}\nfor {right}\nbecoming {new}");
    }
}

/// Never forgiven.
#[track_caller]
fn hold_not(cases: &[(u16, &str, &str, &str, &str)]) {
    for (version, kind, old, new, error) in cases {
        let (frame, bench) = (frame(kind), Bench::of(*version));
        let errors = bench.changes(&frame.replacen("{}", old, 1), &frame.replacen("{}", new, 1));
        let is_told = errors.iter().any(|text| text.starts_with(error));
        assert!(is_told, "{version} {kind}: {errors:#?}\nin place of {error}\nfor {old}\nbecoming {new}");
    }
}

#[test]
fn every_row_names_kinds_that_exist() {
    let apis = || Api::versions().filter_map(Api::for_version);
    let known: Vec<&str> = apis().flat_map(|api| api.kinds().map(|kind| kind.kind)).collect();
    for kind in ROWS.iter().flat_map(|row| row.kinds) {
        assert!(known.contains(kind), "{kind}");
    }
}

#[test]
fn patterns() {
    // Keys and indexes are written `[]`.
    let steps = |text: &str| -> Vec<Segment> {
        let names = text.split('.').map(|name| name.trim_end_matches("[]")).zip(text.split('.'));
        let with_items = names.flat_map(|(name, whole)| {
            let items = (whole.len() - name.len()) / 2;
            std::iter::once(Segment::field(name.to_owned())).chain((0..items).map(Segment::Index))
        });
        with_items.collect()
    };
    for (pattern, text) in [
        ("a.b", "a.b"),
        ("a.**", "a"),
        ("a.**", "a.b[].c"),
        ("a.**.*c[]", "a.b.c[]"),
        ("a.**.*c[]", "a.xc[]"),
        ("a.**[]", "a.b.c[]"),
        ("**.a[]", "b.a[]"),
        ("a.**.*Selector.match*.**", "a.labelSelector.matchLabels"),
        ("*ontainers[].x", "initContainers[].x"),
    ] {
        assert!(fits(pattern, &steps(text)), "{pattern} {text}");
    }
    for (pattern, text) in [
        ("a.b", "a.bc"),
        ("a*b", "ac"),
        ("a.**.*c[]", "a.c"),
        ("ab*ba", "aba"),
        ("a[].b", "a.b"),
        ("a.**.*Selector.match*.**", "a.match"),
    ] {
        assert!(!fits(pattern, &steps(text)), "{pattern} {text}");
    }
}

#[test]
fn cron_jobs() {
    let job = |schedule: &str, rest: &str| {
        let job = frame("CronJob").replacen(", {}", "", 1);
        job.replace("'* * * * *'", &format!("'{schedule}'{rest}"))
    };
    let (plain, zoned) = (job("* * * * *", ""), job("TZ=UTC * * * * *", ""));
    let other = job("CRON_TZ=UTC 1 * * * *", "");
    let bench = Bench::new();
    bench.updates(&zoned, &other, &[]);
    bench.updates(&zoned, &plain, &[]);
    let words =
        "spec.schedule: Invalid value: \"CRON_TZ=UTC 1 * * * *\": cannot use TZ or CRON_TZ in schedule";
    bench.updates(&plain, &other, &[words]);
    let words = "spec.schedule: Invalid value: \"TZ=UTC * * * * *\": cannot use both timeZone field and TZ";
    bench.updates(&zoned, &job("TZ=UTC * * * * *", ", timeZone: UTC"), &[words]);
    bench.updates(&zoned, &job("TZ=UTC x * * * *", ""), &["spec.schedule: Invalid value"]);
    // Until then it was taken, but not twice.
    Bench::of(28).updates(&plain, &other, &[]);
    Bench::of(28).updates(&plain, &job("TZ=UTC * * * * *", ", timeZone: UTC"), &[words]);

    let (wrong, worse) = (job("* * * * *", ", timeZone: A/B"), job("* * * * *", ", timeZone: A/C"));
    bench.updates(&wrong, &wrong.replace("* * * * *", "1 * * * *"), &[]);
    bench.updates(&wrong, &worse, &["spec.timeZone: Invalid value: \"A/C\": unknown time zone A/C"]);
    bench.updates(&plain, &wrong, &["spec.timeZone: Invalid value: \"A/B\": unknown time zone A/B"]);

    let long = plain.replace("name: a}", &format!("name: {}}}", "a".repeat(53)));
    bench.updates(&long, &long, &[]);
    assert_eq!(bench.errors(&long).len(), 1);
    bench.updates(&plain, &plain.replace("{name: a}", "{}"), &["metadata.name: Required value"]);
}

#[test]
fn ingresses() {
    hold(&[
        (
            35,
            "Ingress",
            "tls: [{secretName: A_B}]",
            "tls: [{secretName: C_D}, {secretName: e}]",
            "tls: [{secretName: a}]",
            "spec.tls[0].secretName: Invalid value: \"C_D\"",
        ),
        (
            35,
            "Ingress",
            "rules: [{host: '*.a', http: {paths: [{path: b, pathType: Exact, backend: {service: {name: s, port: {number: 1}}}}]}}]",
            "rules: [{host: '*.b', http: {paths: [{path: c, pathType: Exact, backend: {service: {name: s, port: {number: 1}}}}]}}]",
            "rules: [{host: 'a.a', http: {paths: [{path: b, pathType: Exact, backend: {service: {name: s, port: {number: 1}}}}]}}]",
            "spec.rules[0].http.paths[0].path: Invalid value: \"c\"",
        ),
        (
            35,
            "Ingress",
            "rules: [{http: {paths: [{path: /, pathType: Exact, backend: {service: {name: 1s, port: {number: 1}}}}]}}]",
            "rules: [{http: {paths: [{path: /, pathType: Exact, backend: {service: {name: 2s, port: {number: 1}}}}]}}]",
            "rules: [{http: {paths: [{path: /, pathType: Exact, backend: {service: {name: s, port: {number: 1}}}}]}}]",
            "spec.rules[0].http.paths[0].backend.service.name: Invalid value: \"2s\"",
        ),
    ]);
    let rule = "rules: [{host: '*.a', http: {paths: [{path: b, pathType: Exact, backend: {service: {name: s, port: {number: 1}}}}]}}]";
    let single = "rules: [{host: 'b.a', http: {paths: [{path: b, pathType: Exact, backend: {service: {name: s, port: {number: 1}}}}]}}]";
    let service = "rules: [{http: {paths: [{path: /, pathType: Exact, backend: {service: {name: 1s, port: {number: 1}}}}]}}]";
    let wrong = "rules: [{http: {paths: [{path: /, pathType: Exact, backend: {service: {name: S, port: {number: 1}}}}]}}]";
    hold_not(&[
        (35, "Ingress", rule, single, "spec.rules[0].http.paths[0].path: Invalid value"),
        (35, "Ingress", service, wrong, "spec.rules[0].http.paths[0].backend.service.name: Invalid value"),
        (33, "Ingress", service, service, "spec.rules[0].http.paths[0].backend.service.name: Invalid value"),
        (
            35,
            "Ingress",
            "tls: [{hosts: [A_B]}]",
            "tls: [{hosts: [A_B]}]",
            "spec.tls[0].hosts[0]: Invalid value",
        ),
    ]);
}

#[test]
fn selectors() {
    let selector = "{matchExpressions: [{key: a, operator: In, values: ['-x']}]}";
    let role = format!("clusterRoleSelectors: [{selector}]");
    hold(&[
        (
            35,
            "NetworkPolicy",
            "podSelector: {matchExpressions: [{key: a, operator: In, values: ['-x']}]}",
            "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchExpressions: [{key: a, operator: In, values: ['-y']}]}}]}]",
            "podSelector: {}",
            "spec.ingress[0].from[0].namespaceSelector.matchExpressions[0].values[0]: Invalid value: \"-y\"",
        ),
        (
            35,
            "PodDisruptionBudget",
            "selector: {matchExpressions: [{key: a, operator: In, values: ['-x']}]}",
            "selector: {matchExpressions: [{key: a, operator: In, values: ['-y']}]}",
            "selector: {}",
            "spec.selector.matchExpressions[0].values[0]: Invalid value: \"-y\"",
        ),
        (
            35,
            "PersistentVolumeClaim",
            "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1}}, selector: {matchExpressions: [{key: a, operator: In, values: ['-x']}]}}",
            "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1}}, selector: {matchExpressions: [{key: a, operator: In, values: ['-x']}]}}",
            "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1}}}",
            "spec.selector.matchExpressions[0].values[0]: Invalid value: \"-x\"",
        ),
    ]);
    hold_not(&[
        // The selector of the old policy itself counts, not those of its peers.
        (
            35,
            "NetworkPolicy",
            "podSelector: {}, ingress: [{from: [{podSelector: {matchExpressions: [{key: a, operator: In, values: ['-x']}]}}]}]",
            "podSelector: {}, ingress: [{from: [{podSelector: {matchExpressions: [{key: a, operator: In, values: ['-x']}]}}]}]",
            "spec.ingress[0].from[0].podSelector.matchExpressions[0].values[0]: Invalid value",
        ),
        // Labels are strict, and so is all but the values.
        (
            35,
            "PodDisruptionBudget",
            "selector: {matchLabels: {a: '-x'}}",
            "selector: {matchLabels: {a: '-x'}}",
            "spec.selector.matchLabels: Invalid value",
        ),
        (
            35,
            "PodDisruptionBudget",
            "selector: {matchExpressions: [{key: a, operator: In}]}",
            "selector: {matchExpressions: [{key: a, operator: In}]}",
            "spec.selector.matchExpressions[0].values: Required value",
        ),
        // The server cannot use such a selector.
        (
            35,
            "ClusterRole",
            &role,
            &role,
            "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values[0]: Invalid value",
        ),
    ]);
    // Workloads cannot use one either, except those that do not say so.
    for (api, kind, is_forgiven) in
        [("apps/v1", "DaemonSet", true), ("apps/v1", "Deployment", false), ("batch/v1", "Job", true)]
    {
        let rest = if kind == "Job" { "manualSelector: true, " } else { "" };
        let policy = if kind == "Job" { "restartPolicy: Never, " } else { "" };
        let object = format!(
            "apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{{rest}selector: {selector}, template: {{metadata: {{labels: {{a: x}}}}, spec: {{{policy}{CONTAINERS}}}}}}}\n"
        );
        let errors = Bench::new().changes(&object, &object);
        assert_eq!(errors.is_empty(), is_forgiven, "{kind}: {errors:#?}");
        let errors = Bench::new().changes(&object.replace("-x", "x"), &object);
        assert!(!errors.is_empty(), "{kind}");
    }
}

#[test]
fn pods() {
    const TERM: &str = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: k, labelSelector: {matchExpressions: [{key: a, operator: In, values: ['-x']}]}}]}}";
    const OTHER_TERM: &str = "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: k, labelSelector: {matchExpressions: [{key: a, operator: In, values: ['-y']}]}}]}}";
    const NODES: &str = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: ['-x']}]}]}}}";
    const SPREAD: &str = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: '-x'}}}]";
    const TOKEN: &str = "volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: ../x}}]}}]";
    const SYSCTL: &str = "hostNetwork: true, securityContext: {sysctls: [{name: net.a, value: '1'}]}";
    const HUGE: &str =
        "initContainers: [{name: d, image: i, resources: {limits: {cpu: 1, hugepages-2Mi: 1Mi}}}]";
    const DEVICES: &str = "hostUsers: false, volumes: [{name: v, persistentVolumeClaim: {claimName: c}}], initContainers: [{name: d, image: i, volumeDevices: [{name: v, devicePath: /x}]}]";
    const TOLERATION: &str = "tolerations: [{key: a, operator: Gt, value: '5', effect: NoSchedule}]";
    const ADMIN: &str = "initContainers: [{name: d, image: i, securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [CAP_SYS_ADMIN]}}}]";
    const IMAGE: &str = "volumes: [{name: v, image: {}}]";
    hold(&[
        (
            35,
            "Deployment",
            TERM,
            OTHER_TERM,
            "hostNetwork: false",
            "spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values[0]: Invalid value",
        ),
        (
            35,
            "Pod",
            TERM,
            TERM,
            "hostNetwork: false",
            "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values[0]: Invalid value",
        ),
        (
            35,
            "CronJob",
            NODES,
            NODES,
            "hostNetwork: false",
            "spec.jobTemplate.spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value",
        ),
        (
            35,
            "PodTemplate",
            SPREAD,
            SPREAD,
            "hostNetwork: false",
            "template.spec.topologySpreadConstraints[0].labelSelector.matchLabels: Invalid value",
        ),
        (
            35,
            "Deployment",
            TOKEN,
            TOKEN,
            "hostNetwork: false",
            "spec.template.spec.volumes[0].projected.path: Invalid value",
        ),
        (
            35,
            "Deployment",
            SYSCTL,
            SYSCTL,
            "hostNetwork: true",
            "spec.template.spec.securityContext.sysctls[0].name: Invalid value",
        ),
        (
            35,
            "Deployment",
            HUGE,
            HUGE,
            "hostNetwork: true",
            "spec.template.spec.initContainers[0].resources.limits[hugepages-2Mi]: Invalid value",
        ),
        (
            35,
            "Deployment",
            DEVICES,
            DEVICES,
            "hostUsers: false",
            "spec.template.spec.initContainers[0].volumeDevices: Forbidden",
        ),
        (
            35,
            "Deployment",
            "hostUsers: false, hostNetwork: true",
            "hostUsers: false, hostNetwork: true",
            "hostUsers: false",
            "spec.template.spec.hostNetwork: Forbidden",
        ),
        (
            35,
            "Deployment",
            TOLERATION,
            TOLERATION,
            "hostUsers: false",
            "spec.template.spec.tolerations[0].operator: Unsupported value: \"Gt\"",
        ),
        (
            37,
            "Deployment",
            ADMIN,
            ADMIN,
            "hostUsers: false",
            "spec.template.spec.initContainers[0].securityContext: Invalid value",
        ),
        (
            37,
            "Deployment",
            IMAGE,
            IMAGE,
            "hostUsers: false",
            "spec.template.spec.volumes[0].image.reference: Required value",
        ),
    ]);
    // It is enough that it was not allowed.
    hold(&[(
        37,
        "Deployment",
        "initContainers: [{name: d, image: i, securityContext: {capabilities: {add: [CAP_SYS_ADMIN]}}}]",
        ADMIN,
        "initContainers: [{name: d, image: i, securityContext: {allowPrivilegeEscalation: true, capabilities: {add: [CAP_SYS_ADMIN]}}}]",
        "spec.template.spec.initContainers[0].securityContext: Invalid value",
    )]);
    let variable = "initContainers: [{name: d, image: i, env: [{name: a b, value: c}]}]";
    hold(&[(
        31,
        "Deployment",
        "initContainers: [{name: d, image: i, env: [{name: a b, value: c}]}]",
        "initContainers: [{name: d, image: i, env: [{name: a b, value: c}, {name: d e, value: c}]}]",
        "initContainers: [{name: d, image: i, env: [{name: b, value: c}]}]",
        "spec.template.spec.initContainers[0].env[0].name: Invalid value",
    )]);
    let words = "spec.template.spec.initContainers[0].env[0].name: Invalid value";
    hold_not(&[
        (31, "Deployment", variable, &variable.replace("a b", "b c"), words),
        (29, "Deployment", variable, variable, words),
    ]);
    let cost = |kind: &str, cost: &str| {
        let cost = format!("annotations: {{controller.kubernetes.io/pod-deletion-cost: '{cost}'}}");
        match kind {
            "Pod" => frame(kind).replace("{name: a}", &format!("{{name: a, {cost}}}")),
            _ => frame(kind).replace("labels: {a: b}}, spec", &format!("labels: {{a: b}}, {cost}}}, spec")),
        }
        .replace(", {}", "")
    };
    for (kind, field) in [("Pod", "metadata.annotations["), ("Deployment", "spec.template.annotations[")] {
        Bench::new().updates(&cost(kind, "x"), &cost(kind, "y"), &[]);
        Bench::new().updates(&cost(kind, "1"), &cost(kind, "y"), &[field]);
    }
    hold_not(&[
        (
            35,
            "Deployment",
            ADMIN,
            ADMIN,
            "spec.template.spec.initContainers[0].securityContext: Invalid value",
        ),
        (
            34,
            "Deployment",
            "hostUsers: false, hostNetwork: true",
            "hostUsers: false, hostNetwork: true",
            "spec.template.spec.hostNetwork: Forbidden",
        ),
        (
            35,
            "Deployment",
            TOLERATION,
            "tolerations: [{key: a, operator: Gt, value: x}]",
            "spec.template.spec.tolerations[0].operator: Unsupported value",
        ),
        (
            35,
            "Deployment",
            TOLERATION,
            "tolerations: [{key: a, operator: Ge, value: '5'}]",
            "spec.template.spec.tolerations[0].operator: Unsupported value",
        ),
        (
            35,
            "Deployment",
            TERM,
            SPREAD,
            "spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels: Invalid value",
        ),
        (
            35,
            "Deployment",
            TOKEN,
            "volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: ''}}]}}]",
            "spec.template.spec.volumes[0].projected.path: Required value",
        ),
        (35, "Deployment", "dnsPolicy: X", "dnsPolicy: X", "spec.template.spec.dnsPolicy: Unsupported value"),
    ]);
}

#[test]
fn stateful_sets() {
    let set = frame("StatefulSet");
    let set = |part: &str, pod: &str| {
        set.replacen(", {}", pod, 1).replacen("spec: {", &format!("spec: {{{part}"), 1)
    };
    let bench = Bench::new();
    let dotted = set("serviceName: a.b, ", "");
    bench.updates(&dotted, &dotted.replace("image: i", "image: j"), &[]);
    bench.updates(&set("serviceName: a, ", ""), &dotted, &["«a.b» spec.serviceName"]);
    assert_eq!(bench.errors(&dotted).len(), 1);
    Bench::of(32).accepts(&dotted);
    let claims = set("volumeClaimTemplates: [{metadata: {name: d}, spec: {}}], ", "");
    bench.updates(&claims, &claims, &[]);
    assert!(!bench.errors(&claims).is_empty());
    let name = set("", "").replace("{name: a}", "{name: a.b}");
    bench.updates(&name, &name, &[]);
    assert_eq!(bench.errors(&name).len(), 1);

    // Once something is wrong with the old one, its pods are not looked at.
    let (right, wrong) = (set("", ""), set("", ", dnsPolicy: X"));
    let words = "spec.template.spec.dnsPolicy: Unsupported value: \"X\"";
    bench.updates(&wrong, &wrong, &[]);
    bench.updates(&wrong, &set("", ", hostname: A"), &[]);
    bench.updates(&set("replicas: -1, ", ""), &wrong, &[]);
    bench.updates(&right, &wrong, &[words]);
    // Older versions do not look at them at all.
    Bench::of(33).updates(&right, &wrong, &[]);
    bench.updates(
        &set("replicas: -1, ", ""),
        &set("replicas: -1, ", ""),
        &["spec.replicas: Invalid value: -1"],
    );
    // What is forgiven itself does not count.
    bench.updates(
        &dotted,
        &dotted.replace("image: i}", "image: i}], dnsPolicy: X, tolerations: ["),
        &[words],
    );
    // What the set wants of its pods is asked all the same.
    for (pod, error) in [
        (", dnsPolicy: X, restartPolicy: Never", "spec.template.spec.restartPolicy: Unsupported value"),
        (", dnsPolicy: X, activeDeadlineSeconds: 5", "spec.template.spec.activeDeadlineSeconds: Forbidden"),
    ] {
        bench.updates(&wrong, &set("", pod), &[error]);
    }
    let labels = wrong
        .replace("template: {metadata: {labels: {a: b}}", "template: {metadata: {labels: {a: b, c: '-'}}");
    bench.updates(&wrong, &labels, &["spec.template.labels: Invalid value"]);
}

#[test]
fn webhooks() {
    const KIND: &str = "ValidatingWebhookConfiguration";
    hold(&[
        (
            35,
            KIND,
            "sideEffects: None, admissionReviewVersions: [v2]",
            "sideEffects: None, admissionReviewVersions: [v3]",
            "sideEffects: None, admissionReviewVersions: [v1]",
            "webhooks[0].admissionReviewVersions: Invalid value: must include at least one of",
        ),
        (
            35,
            KIND,
            "sideEffects: Some, admissionReviewVersions: [v1]",
            "sideEffects: Unknown, admissionReviewVersions: [v1]",
            "sideEffects: None, admissionReviewVersions: [v1]",
            "webhooks[0].sideEffects: Unsupported value: \"Unknown\"",
        ),
        (
            35,
            KIND,
            "sideEffects: None, admissionReviewVersions: [v1], objectSelector: {matchExpressions: [{key: a, operator: In, values: ['-x']}]}",
            "sideEffects: None, admissionReviewVersions: [v1], namespaceSelector: {matchExpressions: [{key: a, operator: In, values: ['-x']}]}",
            "sideEffects: None, admissionReviewVersions: [v1]",
            "webhooks[0].namespaceSelector.matchExpressions[0].values[0]: Invalid value",
        ),
        (
            35,
            KIND,
            "sideEffects: None, admissionReviewVersions: [v1], matchConditions: [{name: a b, expression: 'true'}]",
            "sideEffects: None, admissionReviewVersions: [v1], matchConditions: [{expression: 'true', name: a b}]",
            "sideEffects: None, admissionReviewVersions: [v1]",
            "webhooks[0].matchConditions[0].name: Invalid value",
        ),
        (
            35,
            KIND,
            "sideEffects: None, admissionReviewVersions: [v1]}, {name: a.b.c, clientConfig: {url: 'https://a'}, sideEffects: None, admissionReviewVersions: [v1]",
            "sideEffects: None, admissionReviewVersions: [v1]}, {name: a.b.c, clientConfig: {url: 'https://b'}, sideEffects: None, admissionReviewVersions: [v1]",
            "sideEffects: None, admissionReviewVersions: [v1]",
            "webhooks[1].name: Duplicate value",
        ),
    ]);
    hold_not(&[
        (
            35,
            KIND,
            "sideEffects: Some, admissionReviewVersions: [v1]",
            "sideEffects: Any, admissionReviewVersions: [v1]",
            "webhooks[0].sideEffects: Unsupported value",
        ),
        (
            35,
            KIND,
            "admissionReviewVersions: [v1]",
            "admissionReviewVersions: [v1]",
            "webhooks[0].sideEffects: Required value",
        ),
        (
            35,
            KIND,
            "sideEffects: None",
            "sideEffects: None",
            "webhooks[0].admissionReviewVersions: Required value",
        ),
        (
            35,
            KIND,
            "sideEffects: None, admissionReviewVersions: [v1], matchConditions: [{name: a b, expression: 'true'}]",
            "sideEffects: None, admissionReviewVersions: [v1], matchConditions: [{name: a b, expression: 'false'}]",
            "webhooks[0].matchConditions[0].name: Invalid value",
        ),
    ]);
    let policy = |conditions: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: a}}\nspec: {{matchConstraints: {{resourceRules: [{{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [pods]}}]}}, validations: [{{expression: 'true'}}], {conditions}}}\n"
        )
    };
    let wrong = policy("matchConditions: [{name: a b, expression: 'true'}]");
    let words = "spec.matchConditions[0].name: Invalid value: \"a b\"";
    let bench = Bench::new();
    bench.updates(&wrong, &wrong.replace("pods", "nodes"), &[]);
    bench.updates(&wrong, &wrong.replace("name: a b", "name: a b, expression: 'false'}, {name: c"), &[words]);
    bench.updates(&wrong, &policy("matchConditions: [{name: a b, expression: 'true'}], paramKind: {apiVersion: v1, kind: ConfigMap}"), &[words]);
}

#[test]
fn addresses() {
    hold(&[
        (
            36,
            "Service",
            "externalIPs: [11.0.0.01]",
            "externalIPs: [11.0.0.2, 11.0.0.01]",
            "externalIPs: [11.0.0.1]",
            "spec.externalIPs[1]: Invalid value: \"11.0.0.01\": must not have leading 0s",
        ),
        (
            36,
            "Service",
            "clusterIP: 10.0.0.01",
            "clusterIP: 10.0.0.01",
            "clusterIP: None",
            "spec.clusterIPs[0]: Invalid value: \"10.0.0.01\": must not have leading 0s",
        ),
        (
            36,
            "Service",
            "type: LoadBalancer, loadBalancerSourceRanges: [10.0.0.01/8]",
            "type: LoadBalancer, loadBalancerSourceRanges: [' 10.0.0.01/8']",
            "type: LoadBalancer",
            "spec.LoadBalancerSourceRanges[0]: Invalid value: \" 10.0.0.01/8\"",
        ),
        (
            36,
            "NetworkPolicy",
            "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.1/8}}]}]",
            "podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.0.0.1/8}}]}]",
            "podSelector: {}",
            "spec.egress[0].to[0].ipBlock.cidr: Invalid value: \"10.0.0.1/8\"",
        ),
        (
            36,
            "Endpoints",
            "subsets: [{addresses: [{ip: 10.0.0.01}], ports: [{port: 1}]}]",
            "subsets: [{addresses: [{ip: 10.0.0.01}], ports: [{port: 1}]}]",
            "subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 1}]}]",
            "subsets[0].addresses[0].ip: Invalid value: \"10.0.0.01\"",
        ),
        (
            35,
            "Endpoints",
            "subsets: [{addresses: [{ip: x}], ports: [{port: 1}]}]",
            "subsets: [{addresses: [{ip: x}], ports: [{port: 1}]}]",
            "subsets: [{addresses: [{ip: x}], ports: [{port: 2}]}]",
            "subsets[0].addresses[0].ip: Invalid value: \"x\"",
        ),
    ]);
    hold_not(&[
        (
            36,
            "Service",
            "externalIPs: [11.0.0.01]",
            "externalIPs: [11.0.0.02]",
            "spec.externalIPs[0]: Invalid value",
        ),
        (
            35,
            "Service",
            "externalIPs: [127.0.0.1]",
            "externalIPs: [127.0.0.1]",
            "spec.externalIPs[0]: Invalid value",
        ),
        (
            32,
            "Endpoints",
            "subsets: [{addresses: [{ip: x}], ports: [{port: 1}]}]",
            "subsets: [{addresses: [{ip: x}], ports: [{port: 1}]}]",
            "subsets[0].addresses[0].ip: Invalid value",
        ),
        (
            36,
            "NetworkPolicy",
            "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.1/8}}]}]",
            "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.2/8}}]}]",
            "spec.ingress[0].from[0].ipBlock.cidr: Invalid value",
        ),
    ]);
    let slice = |rest: &str| {
        format!(
            "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {{name: a}}\naddressType: IPv4\nendpoints: [{{addresses: [10.0.0.01], {rest}}}]\n"
        )
    };
    let bench = Bench::of(36);
    bench.updates(&slice(""), &slice("").replace("{name: a}", "{name: a, labels: {b: c}}"), &[]);
    bench.updates(
        &slice(""),
        &slice("zone: z"),
        &["endpoints[0].addresses[0]: Invalid value: \"10.0.0.01\""],
    );
    let service = |range: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: a, annotations: {{service.beta.kubernetes.io/load-balancer-source-ranges: '{range}'}}}}\nspec: {{type: LoadBalancer, ports: [{{port: 80}}]}}\n"
        )
    };
    let words = "metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Invalid value";
    bench.updates(&service("10.0.0.1/8"), &service("10.0.0.1/8"), &[]);
    bench.updates(&service("10.0.0.1/8"), &service("10.0.0.2/8"), &[words]);
    Bench::of(32).updates(&service("x"), &service("x"), &[words]);
    let service = service("x").replace("LoadBalancer", "NodePort");
    bench.updates(&service, &service, &[&words.replace("Invalid value", "Forbidden")]);
    // A second family may be added, and is looked at.
    let ranges = |list: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: ServiceCIDR\nmetadata: {{name: a}}\nspec: {{cidrs: [{list}]}}\n"
        )
    };
    bench.updates(&ranges("10.0.0.1/8"), &ranges("10.0.0.1/8"), &[]);
    bench.updates(
        &ranges("10.0.0.0/8"),
        &ranges("10.0.0.0/8, 'fd00::1/64'"),
        &["spec.cidrs[1]: Invalid value"],
    );
}

#[test]
fn what_the_old_object_says_counts() {
    let bench = Bench::new();
    // What a certificate was asked for with is not changed by an update.
    let request = "apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: {name: a}\nspec: {signerName: a.b/c, usages: [client auth], request: YQ==}\n";
    bench.updates(request, &request.replace("a.b/c", "a").replace("client auth", "other"), &[]);
    // A field that is dropped where an object is made is dropped where it is updated, and no change.
    let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: c, capacity: {requests: {m: 1Gi}}}}]}}\n";
    let other = claim.replace("1Gi", "2Gi");
    bench.updates(claim, &other, &[]);
    bench.updates(claim, &claim.replace(", capacity: {requests: {m: 1Gi}}", ""), &[]);
    bench.updates_with(
        &claim.replace("{name: a}", "{name: a, uid: u}"),
        &other,
        "spec: Invalid value: \"2Gi\": field is immutable",
    );
}

#[test]
fn others() {
    const EXTERNAL: &str =
        "metrics: [{type: External, external: {metric: {name: m}, target: {type: Value, value: 1}}}]";
    let zero: &'static str = "minReplicas: 0, metrics: [{type: External, external: {metric: {name: m}, target: {type: Value, value: 1}}}]";
    const KIND: &str = "HorizontalPodAutoscaler";
    let words = "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1";
    hold(&[(35, KIND, zero, zero, EXTERNAL, words)]);
    hold_not(&[
        (35, KIND, zero, "minReplicas: 0", words),
        (35, KIND, zero, &zero.replace(": 0,", ": -1,"), "spec.minReplicas: Invalid value: -1"),
    ]);
    let class =
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: a}\nvalue: 2000000000\n";
    let bench = Bench::new();
    bench.updates(class, &class.replace("{name: a}", "{name: a, labels: {b: c}}"), &[]);
    bench.updates(&class.replace("2000000000", "1"), class, &["«2000000000» value"]);
    let rule = |effect: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceTaintRule\nmetadata: {{name: a}}\nspec: {{deviceSelector: {{driver: d.io}}, taint: {{key: a, effect: {effect}}}}}\n"
        )
    };
    bench.updates(&rule("A"), &rule("A").replace("d.io", "e.io"), &[]);
    bench.updates(&rule("A"), &rule("B"), &["spec.taint.effect: Unsupported value: \"B\""]);
    let volume = |value: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: a}}\nspec: {{accessModes: [ReadWriteOnce], capacity: {{storage: 1}}, local: {{path: /a}}, nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: a, operator: In, values: [{value}]}}]}}]}}}}}}\n"
        )
    };
    bench.updates(&volume("'-x'"), &volume("'-x'"), &[]);
    assert!(!bench.changes(&volume("x"), &volume("'-x'")).is_empty());
    let capacity = |value: &str| {
        format!(
            "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {{name: a}}\nstorageClassName: s\nnodeTopology: {{matchExpressions: [{{key: a, operator: In, values: [{value}]}}]}}\n"
        )
    };
    bench.updates(&capacity("'-x'"), &capacity("'-x'"), &[]);
    assert!(!bench.changes(&capacity("x"), &capacity("'-x'")).is_empty());
    // What cannot change is not looked at again, but it still cannot change.
    let claim = |name: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: a}}\nspec: {{devices: {{requests: [{{name: {name}, exactly: {{deviceClassName: c}}}}]}}}}\n"
        )
    };
    assert!(!bench.errors(&claim("A_")).is_empty());
    bench.updates(&claim("A_"), &claim("A_"), &[]);
    assert!(!bench.changes(&claim("A_"), &claim("B_")).is_empty());
    assert!(!Bench::of(34).changes(&claim("A_"), &claim("A_")).is_empty());
    for (old, new) in [("10.0.0.1/8", "10.0.0.2/8"), ("10.0.0.1/8", "10.0.0.1/8, 10.0.0.2/8, 10.0.0.3/8")] {
        let ranges = |list: &str| {
            format!(
                "apiVersion: networking.k8s.io/v1\nkind: ServiceCIDR\nmetadata: {{name: a}}\nspec: {{cidrs: [{list}]}}\n"
            )
        };
        assert!(!bench.changes(&ranges(old), &ranges(new)).is_empty(), "{new}");
    }
    let deployment = frame("Deployment").replace(", {}", "");
    assert!(!bench.changes(&deployment, &deployment.replace("{name: a}", "{name: A_}")).is_empty());
    let set = frame("StatefulSet").replace(", {}", "");
    let claims =
        |claims: &str| set.replacen("spec: {", &format!("spec: {{volumeClaimTemplates: [{claims}], "), 1);
    assert!(!bench.changes(&set, &claims("{metadata: {name: a}, spec: {}}")).is_empty());
}

//! Objects in, facts and sentences out.

use trueline_diagnostic::Severity;
use trueline_kube_api::Api;
use trueline_kube_facts::{FieldValidation, KubeVersion};
use trueline_source::{SourceKind, SourceMap};

use super::{Options, Skip, Verdict, diagnostic, objects, validate};

/// Each finding as a line: severity, code, the text it points at, and the message.
fn findings(text: &str, minor: u16, field_validation: FieldValidation) -> Vec<String> {
    let sources = SourceMap::new();
    let source = sources.add("object.yaml", SourceKind::File, text);
    let stored = sources.get(source);
    let stream = trueline_yaml::read(source, stored.text(), &trueline_yaml::ReadOptions::default());
    let api = Api::for_version(KubeVersion { minor }).unwrap();
    let mut lines = Vec::new();
    for document in &stream.documents {
        for object in objects(document.root()) {
            match validate(api, &object, &Options { field_validation, ..Options::default() }) {
                Verdict::Skipped(reason) => lines.push(format!("skipped {} {reason:?}", object.kind)),
                Verdict::Checked(problems) => lines.extend(problems.iter().map(|problem| {
                    let finding = diagnostic(problem, &object);
                    let place = text.get(finding.primary.span.range()).unwrap_or_default();
                    let help = finding.help.as_deref().unwrap_or_default();
                    format!("{} {} «{place}» {} ({help})", finding.severity, finding.code, finding.message)
                })),
            }
        }
    }
    lines
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(findings(text, 35, FieldValidation::Strict), expected, "{text}");
}

#[test]
fn fields_that_stand_elsewhere_are_told_where_they_belong() {
    let whole = |selector: &str, template: &str, rest: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  selector: {{{selector}}}\n  \
             template:\n    metadata: {{labels: {{app: web}}}}\n    spec: {{containers: [{{name: a, image: \
             i{template}}}]}}\n{rest}"
        )
    };
    let labels = "matchLabels: {app: web}";
    for (text, field, help) in [
        (
            whole(&format!("{labels}, app: web"), "", ""),
            "app",
            "labels that have to match belong in `spec.selector.matchLabels`",
        ),
        (
            whole(labels, "", "    containers: []\n"),
            "containers",
            "`containers` belongs in `spec.template.spec`: look at its indentation",
        ),
        (
            whole(labels, ", replicas: 2", ""),
            "replicas",
            "`replicas` belongs in `spec`: look at its indentation",
        ),
        (
            whole(labels, ", hostNetwork: true", ""),
            "hostNetwork",
            "`hostNetwork` belongs in `spec.template.spec`: look at its indentation",
        ),
        (
            whole(labels, "", "  annotations: {}\n"),
            "annotations",
            "`annotations` belongs in `metadata`: look at its indentation",
        ),
        (
            whole(labels, ", status: {}", ""),
            "status",
            "`status` belongs at the top of the object: look at its indentation",
        ),
        (
            whole(labels, ", resources: {cpu: 1}", ""),
            "cpu",
            "`cpu` belongs in `spec.template.spec.containers[0].resources.limits` or `spec.template.spec.containers[0].resources.requests`: look at its indentation",
        ),
        (
            whole(labels, ", resources: {limits: {}, cpu: 1}", ""),
            "cpu",
            "`cpu` belongs in `spec.template.spec.containers[0].resources.limits`: look at its indentation",
        ),
        (
            whole(labels, "", "").replace("{containers:", "{imagePullPolicy: Always, containers:"),
            "imagePullPolicy",
            "`imagePullPolicy` belongs in an item of `spec.template.spec.containers`: look at its indentation",
        ),
        // Another shape was not meant.
        (whole(labels, ", port: 80", ""), "port", "remove `port`, or look up its name and where it belongs"),
        // Where it belongs, there is one already.
        (
            whole(labels, "", "  name: web\n"),
            "name",
            "remove `name`, or look up its name and where it belongs",
        ),
        (whole(labels, "", "  zzz: web\n"), "zzz", "remove `zzz`, or look up its name and where it belongs"),
    ] {
        let found = findings(&text, 35, FieldValidation::Strict);
        let told = found.iter().find(|line| line.starts_with(&format!("error TL0701 «{field}»")));
        assert!(told.is_some_and(|line| line.ends_with(&format!("({help})"))), "{text}{found:?}");
    }
}

#[test]
fn names_of_another_meaning_are_not_offered() {
    let pod = "spec: {restartPolicy: Never, containers: [{name: a, image: i}]}";
    let cron = |spec: &str, job: &str| {
        format!(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: a}}\nspec: {{schedule: '@daily', {spec} \
             jobTemplate: {{spec: {{{job} template: {{{pod}}}}}}}}}\n"
        )
    };
    let of = |kind: &str, pod: &str, rest: &str| {
        format!(
            "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{selector: {{matchLabels: {{a: b}}}}, \
             template: {{metadata: {{labels: {{a: b}}}}, spec: {{{pod} containers: [{{name: a, image: i}}]}}}}, \
             {rest}}}\n"
        )
    };
    let volume = |source: &str| of("Deployment", &format!("volumes: [{{name: v, {source}}}],"), "");
    let nothing = |name: &str| format!("remove `{name}`, or look up its name and where it belongs");
    let inside = |name: &str, path: &str| format!("`{name}` belongs in {path}: look at its indentation");
    let did_you_mean = |name: &str| format!("did you mean `{name}`?");
    let template = "`spec.template.spec`";
    let job = "`spec.jobTemplate.spec`";
    let binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nroleRef: \
                   {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a, namespace: b}\n";
    let budget =
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minUnavailable: 1}\n";
    let ingress =
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a, ingressClassName: b}\n";
    for (text, name, help) in [
        (
            cron("activeDeadlineSeconds: 5,", ""),
            "activeDeadlineSeconds",
            inside("activeDeadlineSeconds", job),
        ),
        (
            cron("", "startingDeadlineSeconds: 5,"),
            "startingDeadlineSeconds",
            inside("startingDeadlineSeconds", "`spec`"),
        ),
        (cron("backoffLimit: 5,", ""), "backoffLimit", inside("backoffLimit", job)),
        (
            cron("containers: [],", "").replace("containers: [{name: a, image: i}]", ""),
            "containers",
            inside("containers", "`spec.jobTemplate.spec.template.spec`"),
        ),
        (budget.to_owned(), "minUnavailable", nothing("minUnavailable")),
        (of("Deployment", "securityContext: {runAsRoot: true},", ""), "runAsRoot", nothing("runAsRoot")),
        (volume("persistentVolumeClaim: {name: d}"), "name", did_you_mean("claimName")),
        (volume("secret: {name: d}"), "name", did_you_mean("secretName")),
        (volume("hostPath: {path: /a, name: d}"), "name", nothing("name")),
        (of("Deployment", "", "").replace("matchLabels", "labels"), "labels", did_you_mean("matchLabels")),
        (of("Deployment", "labels: {a: b},", ""), "labels", inside("labels", "`spec.template.metadata`")),
        (binding.to_owned(), "namespace", nothing("namespace")),
        (of("DaemonSet", "", "strategy: {}"), "strategy", did_you_mean("updateStrategy")),
        (of("Deployment", "", "updateStrategy: {}"), "updateStrategy", did_you_mean("strategy")),
        (
            of("Deployment", "", "imagePullSecrets: []"),
            "imagePullSecrets",
            inside("imagePullSecrets", template),
        ),
        (of("Deployment", "", "nodeSelector: {}"), "nodeSelector", inside("nodeSelector", template)),
        (
            of("Deployment", "", "maxSurge: 1"),
            "maxSurge",
            inside("maxSurge", "`spec.strategy.rollingUpdate`"),
        ),
        (ingress.to_owned(), "ingressClassName", inside("ingressClassName", "`spec`")),
        (
            of("Deployment", "", "").replace("image: i", "image: i, securityContext: {fsGroup: 1}"),
            "fsGroup",
            inside("fsGroup", "`spec.template.spec.securityContext`"),
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nspec: {data: {a: b}}\n".to_owned(),
            "spec",
            "remove `spec`: its contents belong right here".to_owned(),
        ),
    ] {
        let found = findings(&text, 35, FieldValidation::Strict);
        let told = found.iter().find(|line| line.starts_with(&format!("error TL0701 «{name}»")));
        assert!(told.is_some_and(|line| line.ends_with(&format!("({help})"))), "{help}\n{text}{found:?}");
    }
}

#[test]
fn mistakes_are_told_where_they_were_typed() {
    let head = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n";
    let check = |rest: &str, expected: &[&str]| check(&format!("{head}{rest}"), expected);
    check("spec:\n  containers: [{name: a, image: i}]\n", &[]);
    check(
        "spec:\n  contaniers: []\n  containers: [{name: a, image: i}]\n",
        &[
            "error TL0701 «contaniers» the kind `Pod` has no field `spec.contaniers` (remove `contaniers`, or look up its name and where it belongs)",
        ],
    );
    // Two fields are not offered the same name.
    check(
        "spec:\n  hostnam: a\n  hostnme: b\n  containers: [{name: a, image: i}]\n",
        &[
            "error TL0701 «hostnam» the kind `Pod` has no field `spec.hostnam` (write `hostname`)",
            "error TL0701 «hostnme» the kind `Pod` has no field `spec.hostnme` (remove `hostnme`, or look up its name and where it belongs)",
        ],
    );
    check(
        "zzz: 1\nspec: {containers: [{name: a, image: i}]}\n",
        &[
            "error TL0701 «zzz» the kind `Pod` has no field `zzz` (remove `zzz`, or look up its name and where it belongs)",
        ],
    );
    check(
        "spec: {containers: [{name: a, image: 5}]}\n",
        &[
            "error TL0702 «5» `spec.containers[0].image`: expected a string, found a number (put it in quotes)",
        ],
    );
    check(
        "spec: {containers: {name: a}}\n",
        &[
            "error TL0702 «containers» `spec.containers`: expected a list, found a map (write a list: each item after `- `, on a line of its own)",
        ],
    );
    check("spec: {}\n", &["error TL0703 «spec» `spec.containers` is missing or empty ()"]);
    check("", &["error TL0703 «Pod» `spec.containers` is missing or empty ()"]);
    check(
        "spec: {containers: [{name: a, image: i}], dnsPolicy: default}\n",
        &["error TL0704 «default» `spec.dnsPolicy`: expected one of \"ClusterFirstWithHostNet\", \
         \"ClusterFirst\", \"Default\", \"None\", found \"default\" (write `Default`)"],
    );
    check(
        "spec: {containers: [{name: a, image: i, env: [{name: A}, {name: A}]}]}\n",
        &[
            "warning TL0711 «name» `spec.containers[0].env[1]` has the same key as an earlier item of its list (the cluster \
         keeps only one of them when it merges changes; give each its own key)",
        ],
    );
    check(
        "spec: {containers: [{name: a, image: i}, {name: a, image: i}]}\n",
        &["error TL0706 «a» `spec.containers[1].name`: \"a\" appears twice ()"],
    );
}

#[test]
fn types_are_those_of_the_decoder() {
    let head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}, ";
    for taken in
        ["replicas: 3", "replicas: 3.0", "replicas: null", "paused: true", "replicas: 0x3", "replicas: 1e0"]
    {
        check(&format!("{head}{taken}}}\n"), &[]);
    }
    for (refused, words) in [
        (
            "replicas: '3'",
            "«'3'» `spec.replicas`: expected an integer, found a string (write an integer, without quotes)",
        ),
        (
            "replicas: 3.5",
            "«3.5» `spec.replicas`: expected an integer, found another number (write an integer)",
        ),
        (
            "replicas: 3000000000",
            "«3000000000» `spec.replicas` cannot be read: the number does not fit 32 bits ()",
        ),
        ("replicas: true", "«true» `spec.replicas`: expected an integer, found a boolean (write an integer)"),
        (
            "paused: 'yes'",
            "«'yes'» `spec.paused`: expected `true` or `false`, found a string (write `true` or `false`, without quotes)",
        ),
        ("replicas: [3]", "«replicas» `spec.replicas`: expected an integer, found a list (write an integer)"),
    ] {
        check(&format!("{head}{refused}}}\n"), &[&format!("error TL0702 {words}")]);
    }
}

#[test]
fn likely_slips_are_named() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, {}}], volumes: [{name: v, secret: {secretName: s}}]}\n";
    check(
        &pod.replace("{}", "resources: {limits: {memory: 128MB}}"),
        &[
            "error TL0702 «128MB» `128MB` is not a valid quantity (write `128Mi` (powers of two) or `128M` (powers of ten))",
        ],
    );
    check(
        &pod.replace("{}", "resources: {limits: {cpu: 500 m}}"),
        &["error TL0702 «500 m» `500 m` is not a valid quantity (write `500m`)"],
    );
    check(
        &pod.replace(", {}", "").replace("secretName: s", "secretName: s, defaultMode: 644"),
        &[
            "error TL0704 «644» `spec.volumes[0].secret.defaultMode` is 644: must be a number between 0 and 0777 (octal), both inclusive (write `0644`)",
        ],
    );
}

#[test]
fn a_status_is_decoded_and_no_more() {
    let head = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 1}]}\nstatus: ";
    check(&format!("{head}{{conditions: [{{}}]}}\n"), &[]);
    let lines =
        findings(&format!("{head}{{conditions: [{{type: 1, zz: 2}}]}}\n"), 35, FieldValidation::Strict);
    assert_eq!(lines.len(), 2, "{lines:?}");
}

#[test]
fn unknown_fields_are_errors_warnings_or_nothing() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, Labels: {}}\n";
    assert!(findings(text, 35, FieldValidation::Strict)[0].starts_with("error TL0701 «Labels»"));
    assert!(findings(text, 35, FieldValidation::Warn)[0].starts_with("warning TL0701 «Labels»"));
    assert!(findings(text, 35, FieldValidation::Ignore).is_empty());
}

#[test]
fn versions_of_kinds_come_and_go() {
    let strict = FieldValidation::Strict;
    check(
        "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: i}\n",
        &[
            "error TL0708 «extensions/v1beta1» extensions/v1beta1 Ingress is not served by Kubernetes 1.22 and later (use \
         `networking.k8s.io/v1`; its fields may differ)",
        ],
    );
    let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: r}\nspec: {}\n";
    assert_eq!(findings(claim, 35, strict), Vec::<String>::new());
    assert!(findings(claim, 30, strict)[0].contains("is served from Kubernetes 1.34 on only"));
    let endpoints = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: e}\n";
    assert!(
        findings(endpoints, 35, strict)[0]
            .starts_with("warning TL0709 «v1» v1 Endpoints is deprecated since Kubernetes 1.33")
    );
    assert!(findings(endpoints, 30, strict).is_empty());
    check(
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, namespace: b}\n",
        &["warning TL0710 «b» a Namespace is cluster-scoped; `namespace` is ignored (remove `namespace`)"],
    );
    check(
        "kind: Pod\n",
        &[
            "error TL0712 «Pod» the object has no `apiVersion` (every object has an `apiVersion` and a `kind`, both \
         strings)",
        ],
    );
    check(
        "apiVersion: apps/v1\nkind: Deploymnet\n",
        &["skipped Deploymnet UnknownKind(Some(\"Deployment\"))"],
    );
    check("apiVersion: x.io/v1\nkind: Thing\n", &["skipped Thing UnknownKind(None)"]);
    check("a: b\n", &["skipped  NotAnObject"]);
}

#[test]
fn lists_hold_objects() {
    let text = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- {apiVersion: v1, kind: ConfigMap, data: {a: 1}}\n- {apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ConfigMap}]}\n";
    let lines = findings(text, 35, FieldValidation::Strict);
    assert_eq!(lines.len(), 3, "{lines:#?}");
    check(
        "apiVersion: v1\nkind: ConfigMapList\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]\n",
        &[],
    );
    check("apiVersion: v1\nkind: List\n", &["skipped List UnknownKind(None)"]);
    check("apiVersion: v1\nkind: List\nitems: []\n", &[]);
}

#[test]
fn what_the_server_would_say_is_kept() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}\ndata: {a: 1}\n";
    let sources = SourceMap::new();
    let source = sources.add("object.yaml", SourceKind::File, text);
    let stored = sources.get(source);
    let stream = trueline_yaml::read(source, stored.text(), &trueline_yaml::ReadOptions::default());
    let object = objects(stream.documents[0].root())[0];
    let Verdict::Checked(problems) = validate(Api::newest().unwrap(), &object, &Options::default()) else {
        panic!("skipped")
    };
    let causes: Vec<_> = problems.iter().map(|problem| diagnostic(problem, &object).kube).collect();
    let cause = causes[0].as_ref().unwrap();
    assert_eq!((cause.field.as_str(), cause.kind.as_str()), ("metadata.name", "FieldValueInvalid"));
    assert!(cause.detail.starts_with("a lowercase RFC 1123 subdomain must consist"));
    // A body that cannot be decoded has no field errors.
    assert_eq!(causes[1], None);
    assert!(!Verdict::Checked(problems).is_valid());
    assert!(!Verdict::Skipped(Skip::NotAnObject).is_valid());
    assert!(Verdict::Checked(Vec::new()).is_valid());
    assert_eq!(super::CODES.len(), 15);
    assert!(super::CODES.iter().all(|code| code.severity >= Severity::Warning && !code.wrong.is_empty()));
}

/// The examples of the pages are what they say: the wrong one shows its code, the right one nothing.
#[test]
fn the_examples_of_the_codes_hold() {
    // What an update may not change, an object alone does not show.
    for code in super::CODES.iter().filter(|code| code.name != "immutable-field") {
        let wrong = findings(code.wrong, 37, FieldValidation::Strict);
        assert!(wrong.iter().any(|line| line.contains(code.id)), "{}: {wrong:#?}", code.id);
        assert_eq!(findings(code.right, 37, FieldValidation::Strict), Vec::<String>::new(), "{}", code.id);
    }
}

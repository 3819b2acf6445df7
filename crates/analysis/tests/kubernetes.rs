//! Kubernetes objects and CRDs, in files and in what charts render to.
//!
//! This file is long because each of its tests is a few small files with the findings that are expected of them.

mod support;

use std::path::PathBuf;
use std::sync::Arc;

use support::{Mounted, check, settings};
use trueline_analysis::{Ending, KubernetesSettings, MissingSchemas, Run, Settings};
use trueline_source::{MemoryLoader, SourceMap};

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Backup, plural: backups}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [schedule]
            properties:
              schedule: {type: string}
              keep: {type: integer, maximum: 9}
";

const POD: &str = "apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: web, image: web}
";

fn backup(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Backup\nmetadata: {{name: nightly}}\nspec: {spec}\n")
}

struct Case {
    files: Vec<(&'static str, String)>,
    kubernetes: KubernetesSettings,
    config: Option<&'static str>,
    strict: bool,
    /// What a cluster has already.
    old: Option<String>,
    /// Where objects land that name no namespace.
    namespace: &'static str,
    /// What is checked of the files.
    path: &'static str,
    /// What is mounted besides.
    beside: Vec<(&'static str, MemoryLoader)>,
}

fn case<T: Into<String>>(files: impl IntoIterator<Item = (&'static str, T)>) -> Case {
    let files = files.into_iter().map(|(path, text)| (path, text.into())).collect();
    let kubernetes = KubernetesSettings::default();
    Case {
        files,
        kubernetes,
        config: None,
        strict: false,
        old: None,
        namespace: "default",
        path: "",
        beside: Vec::new(),
    }
}

fn loader<'f>(files: impl IntoIterator<Item = &'f (&'static str, String)>) -> MemoryLoader {
    let empty = MemoryLoader::new("");
    files.into_iter().fold(empty, |loader, (path, text)| loader.with_file(path, text.as_str()))
}

impl Case {
    /// Files that are named besides what is checked: those of each path are mounted there.
    fn beside(&mut self, path: &'static str, files: &[(&'static str, String)]) -> PathBuf {
        self.beside.push((path, loader(files)));
        PathBuf::from(path)
    }

    fn run(mut self) -> (Run, Arc<SourceMap>) {
        if let Some(text) = self.old.take() {
            self.kubernetes.old = vec![self.beside("/old", &[("old.yaml", text)])];
        }
        let settings = Settings {
            paths: vec![if self.path.is_empty() { "." } else { self.path }.into()],
            strict: self.strict,
            charts: trueline_analysis::ChartSettings {
                namespace: self.namespace.to_owned(),
                ..trueline_analysis::ChartSettings::default()
            },
            kubernetes: self.kubernetes,
            ..settings()
        };
        let main = loader(&self.files);
        let main = match self.config {
            Some(text) => main.with_file("trueline.toml", text),
            None => main,
        };
        let system = Mounted::new(main);
        let beside = self.beside.into_iter();
        let system = beside.fold(system, |system, (path, loader)| system.mount(path, loader));
        let (run, sources) = check(system, settings);
        (run, sources)
    }

    /// Findings as `file:line:column severity code`, with the places that belong to them.
    fn lines(self) -> Vec<String> {
        let (run, sources) = self.run();
        let place = |span| {
            let position = sources.position(span);
            format!("{}:{}:{}", sources.get(span.source).name(), position.line, position.column)
        };
        let lines = run.outcome.findings().map(|finding| {
            let related: Vec<String> =
                finding.related.iter().map(|label| format!(" + {}", place(label.span))).collect();
            let primary = place(finding.primary.span);
            format!("{primary} {} {}{}", finding.severity, finding.code, related.concat())
        });
        lines.collect()
    }

    /// What the findings offer to write, and where.
    fn fixes(self) -> Vec<String> {
        let (run, sources) = self.run();
        let edits =
            run.outcome.findings().filter_map(|finding| finding.fix.as_ref()).flat_map(|fix| &fix.edits);
        edits
            .map(|edit| {
                let position = sources.position(edit.span);
                let typed = sources.get(edit.span.source).slice(edit.span).to_owned();
                format!("{}:{} {typed} -> {}", position.line, position.column, edit.replacement)
            })
            .collect()
    }

    /// What was not checked, and why.
    fn left_out(self) -> Vec<String> {
        let (run, _) = self.run();
        let whole = run.outcome.units.iter().filter_map(|unit| unit.skipped.clone());
        let parts = run.outcome.units.iter().flat_map(|unit| &unit.left_out);
        whole.chain(parts.map(|part| format!("{}: {}", part.what, part.why))).collect()
    }
}

#[test]
fn objects_of_kubernetes_itself_are_checked() {
    assert_eq!(case([("pod.yaml", POD)]).lines(), [""; 0]);
    let broken = POD.replace("image: web", "image: 5, imagee: web");
    assert_eq!(
        case([("pod.yaml", broken.as_str())]).lines(),
        ["pod.yaml:6:24 error TL0702", "pod.yaml:6:27 error TL0701"]
    );
    let mut lenient = case([("pod.yaml", broken)]);
    lenient.config = Some("field-validation = \"warn\"\n");
    assert_eq!(lenient.lines(), ["pod.yaml:6:24 error TL0702", "pod.yaml:6:27 warning TL0701"]);
}

#[test]
fn the_version_of_kubernetes_can_be_chosen() {
    let job = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\nkind: FlowSchema\nmetadata: {name: a}\n";
    let found = |version: &str| {
        let mut case = case([("a.yaml", job)]);
        case.kubernetes.version = Some(version.parse().unwrap());
        case.lines().iter().any(|line| line.contains("TL0708"))
    };
    assert!(!found("1.28"));
    assert!(found("1.29"));
    let mut old = case([("pod.yaml", POD)]);
    old.kubernetes.version = Some("1.2".parse().unwrap());
    assert_eq!(old.lines(), ["--kube-version 1.2:1:1 warning TL0782"]);
}

#[test]
fn definitions_of_the_same_run_are_known() {
    let files = [("b/nightly.yaml", backup("{schedule: 3, keeep: 7}")), ("a/crd.yaml", CRD.to_owned())];
    assert_eq!(
        case(files.clone()).lines(),
        ["b/nightly.yaml:4:18 error TL0704", "b/nightly.yaml:4:21 error TL0701"]
    );
    // One that is nearer counts.
    let other = ("b/crd.yaml", CRD.replace("schedule: {type: string}", "schedule: {type: integer}"));
    let [object, definition] = files;
    assert_eq!(case([object, definition, other]).lines(), ["b/nightly.yaml:4:21 error TL0701"]);
}

#[test]
fn definitions_can_be_given() {
    let object = ("nightly.yaml", backup("{keep: 70}"));
    let mut with = case([object.clone()]);
    with.kubernetes.definitions = vec![with.beside("/crds", &[("crds/backups.yaml", CRD.to_owned())])];
    assert_eq!(with.lines(), ["nightly.yaml:4:1 error TL0703", "nightly.yaml:4:14 error TL0704"]);
    // It counts before one that stands beside the object.
    let found = ("crd.yaml", CRD.replace("required: [schedule]", "required: [keep]"));
    let mut both = case([object.clone(), found]);
    both.kubernetes.definitions = vec![both.beside("/crds", &[("crds/backups.yaml", CRD.to_owned())])];
    assert_eq!(both.lines(), ["nightly.yaml:4:1 error TL0703", "nightly.yaml:4:14 error TL0704"]);
    let without = || case([object.clone()]);
    assert_eq!(without().lines(), ["nightly.yaml:1:1 warning TL0159"]);
    let (run, _) = without().run();
    let finding = run.outcome.findings().next().unwrap();
    assert!(finding.message.contains("no schema for the kind Backup (example.com/v1)"), "{finding:?}");
    assert!(finding.help.as_ref().is_some_and(|help| help.contains("`--crd FILE`")), "{finding:?}");
    assert_eq!(without().left_out(), ["there is no schema for the kind"]);
    assert_eq!(Case { strict: true, ..without() }.run().0.ending, Ending::Invalid);
    let mut mixed = case([("a.yaml", format!("{POD}---\n{}", object.1))]);
    assert_eq!(mixed.run().0.ending, Ending::Valid);
    mixed = case([("a.yaml", format!("{POD}---\n{}", object.1))]);
    assert_eq!(mixed.left_out(), ["Backup (example.com/v1): there is no schema for the kind"]);
    let strict = |missing| {
        let mut strict = case([("a.yaml", format!("{POD}---\n{}", object.1))]);
        (strict.strict, strict.kubernetes.missing) = (true, missing);
        strict.run().0.ending
    };
    assert_eq!(strict(MissingSchemas::Told), Ending::Invalid);
    assert_eq!(strict(MissingSchemas::Ignored), Ending::Valid);
}

#[test]
fn kinds_that_kubernetes_does_not_have_are_found() {
    for (api_version, kind, expected) in [
        ("v1", "Deployment", "a.yaml:1:13 error TL0786"),
        ("apps/v1", "Deploymnet", "a.yaml:2:7 error TL0786"),
        ("batch/v9", "Job", "a.yaml:1:13 error TL0786"),
        ("a/b/c", "Job", "a.yaml:1:13 error TL0786"),
        ("example.com/v1", "Deployment", "a.yaml:1:1 warning TL0159"),
    ] {
        let text = format!("apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a}}\n");
        assert_eq!(case([("a.yaml", text)]).lines(), [expected], "{api_version} {kind}");
    }
    let headless = case([("a.yaml", "kind: Pod\nmetadata: {name: a}\n")]);
    assert_eq!(headless.lines(), ["a.yaml:1:1 error TL0434"]);
}

#[test]
fn kinds_that_are_never_kept_are_told_for_what_they_are() {
    for (api_version, kind, words) in [
        ("policy/v1", "Eviction", "Eviction (policy/v1) cannot be applied by itself: it asks to end a pod"),
        ("autoscaling/v1", "Scale", "cannot be applied by itself: it is the size of another object"),
        ("authentication.k8s.io/v1", "TokenRequest", "cannot be applied by itself: it asks for a token"),
        ("v1", "Status", "Status (v1) cannot be applied by itself: it is what the server answers"),
        ("v1", "DeleteOptions", "cannot be applied by itself: it says how a request is meant"),
        ("v1", "ComponentStatus", "cannot be applied by itself: the server makes it itself"),
    ] {
        let text = format!("apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a}}\n");
        assert_eq!(case([("a.yaml", text.clone())]).lines(), ["a.yaml:2:7 error TL0793"], "{kind}");
        let (run, _) = case([("a.yaml", text)]).run();
        let finding = run.outcome.findings().next().unwrap();
        assert!(finding.message.contains(words), "{finding:?}");
    }
    for text in [
        "apiVersion: authentication.k8s.io/v1\nkind: TokenReview\nspec: {token: a}\n",
        "apiVersion: authorization.k8s.io/v1\nkind: SelfSubjectRulesReview\nspec: {namespace: a}\n",
        "apiVersion: authorization.k8s.io/v1\nkind: SelfSubjectAccessReview\nspec: {resourceAttributes: {verb: get, resource: pods}}\n",
        "apiVersion: v1\nkind: Binding\nmetadata: {name: web}\ntarget: {kind: Node, name: node-1}\n",
    ] {
        assert_eq!(case([("a.yaml", text)]).lines(), [""; 0], "{text}");
    }
}

#[test]
fn files_that_no_cluster_reads_are_left_out_and_said() {
    let config = "apiVersion: v1\nkind: Config\nclusters: []\nusers:\n- {name: a, user: {token: hunter2, client-key-data: hunter3}}\n";
    let walked = || {
        case([
            ("audit.yaml", "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: []\n"),
            ("cluster.yaml", "apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\n"),
            ("kubeconfig.yaml", config),
            ("pod.yaml", POD),
        ])
    };
    assert_eq!(walked().lines(), [""; 0]);
    assert_eq!(
        walked().left_out(),
        [
            "the API server reads it, no cluster does: checked for syntax only",
            "kind reads it, no cluster does: checked for syntax only",
            "kubectl reads it, no cluster does: checked for syntax only",
        ]
    );
    assert_eq!(Case { strict: true, ..walked() }.run().0.ending, Ending::Valid);
    // Named alone, it is said that nothing was checked, and why.
    let (run, _) = case([("kubeconfig.yaml", config)]).run();
    let finding = run.outcome.findings().next().unwrap();
    assert_eq!(finding.code.id, "TL0159");
    assert!(finding.message.contains("kubectl reads it, no cluster does"), "{finding:?}");
    // A mistake in one is reported without what is around it.
    let (run, sources) =
        case([("kubeconfig.yaml", config.replace("token:", "token: hunter2, token:"))]).run();
    assert_eq!(run.outcome.findings().count(), 1);
    for finding in run.outcome.findings() {
        assert!(!format!("{finding:?}").contains("hunter"), "{finding:?}");
        let hidden = sources.get(finding.primary.span.source).hidden().map(|hidden| hidden.len());
        assert_eq!(hidden, Some(3));
    }
    let slip = "apiVersion: v1\nkind: Config\nmetadata: {name: a}\ndata: {}\n";
    assert_eq!(case([("a.yaml", slip)]).lines(), ["a.yaml:1:13 error TL0786"]);
    // A definition says otherwise.
    let crd = CRD.replace("example.com", "eksctl.io");
    let object = backup("{keep: 70}").replace("example.com", "eksctl.io");
    assert_eq!(
        case([("crd.yaml", crd), ("nightly.yaml", object)]).lines(),
        ["nightly.yaml:4:1 error TL0703", "nightly.yaml:4:14 error TL0704"]
    );
}

#[test]
fn heads_that_are_no_texts_are_found() {
    for (text, expected) in [
        ("apiVersion: v1\nkind: [Pod]\n", "a.yaml:2:7 error TL0439"),
        ("apiVersion: 1\nkind: Pod\n", "a.yaml:1:13 error TL0439"),
        ("apiVersion: v1\nkind: List\nitems: [1]\n", "a.yaml:3:9 error TL0433"),
        ("apiVersion: v1\nkind: List\nitems: [{kind: Pod}]\n", "a.yaml:3:10 error TL0434"),
        (
            "apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: A_}}]\n",
            "a.yaml:3:27 error TL0704",
        ),
    ] {
        assert_eq!(case([("a.yaml", text)]).lines(), [expected], "{text}");
    }
}

#[test]
fn secrets_are_not_told() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n";
    for data in ["stringData: {\"bad key!\": hunter2}", "data: {a: hunter2!}", "stringData: {a: [hunter2]}"] {
        let (run, _) = case([("a.yaml", format!("{secret}{data}\n"))]).run();
        assert_ne!(run.outcome.findings().count(), 0, "{data}");
        for finding in run.outcome.findings() {
            assert!(!format!("{finding:?}").contains("hunter2"), "{finding:?}");
        }
    }
}

#[test]
fn what_defines_nothing_is_told() {
    let mut useless = case([("a.yaml", POD)]);
    useless.kubernetes.definitions = vec![useless.beside("/crds", &[("x/pod.yaml", POD.to_owned())])];
    assert_eq!(useless.lines().len(), 1);
}

#[test]
fn kinds_can_be_left_out() {
    for (name, expected) in [("Pod", true), ("v1/Pod", true), ("apps/v1/Pod", false)] {
        let mut left_out = case([("a.yaml", POD)]);
        left_out.kubernetes.skip = vec![name.to_owned()];
        assert_eq!(left_out.left_out().len(), usize::from(expected), "{name}");
    }
}

#[test]
fn what_has_not_changed_is_forgiven() {
    let old = backup("{schedule: x, keep: 70}");
    let new = backup("{schedule: z, keep: 70}");
    let found = |old: &str| {
        let mut update = case([("crd.yaml", CRD.to_owned()), ("new.yaml", new.clone())]);
        update.old = Some(old.to_owned());
        update.lines()
    };
    assert_eq!(found(&old), [""; 0]);
    let others = found(&old.replace("nightly", "other"));
    assert_eq!(others, ["--old :1:1 warning TL0790", "new.yaml:4:27 error TL0704"]);
}

#[test]
fn what_may_not_change_is_told_with_the_old_value() {
    let service = |address: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec:\n  clusterIP: {address}\n  ports: [{{port: 80}}]\n"
        )
    };
    let found = |new: String| {
        let mut update = case([("new.yaml", new)]);
        update.old = Some(format!("{}---\n{}", service("10.0.0.1"), POD));
        update.lines()
    };
    assert_eq!(found(service("10.0.0.1")), [""; 0]);
    assert_eq!(found(service("10.0.0.2")), ["new.yaml:5:14 error TL0713 + old.yaml:5:14"]);
    let unused = ["--old :1:1 warning TL0790"];
    assert_eq!(found(service("10.0.0.2").replace("name: web", "name: other")), unused);
    assert_eq!(
        found(POD.replace("image: web", "image: web, tty: true")),
        ["new.yaml:6:34 error TL0713 + old.yaml:13:6"]
    );
    // An object in the namespace `default` is the same as one that names none.
    assert_eq!(found(service("10.0.0.2").replace("web}", "web, namespace: default}")).len(), 1);
    // One that names none is the only one of its name, wherever that is.
    let elsewhere = |old: &str| {
        let mut update = case([("new.yaml", service("10.0.0.2"))]);
        update.old = Some(old.to_owned());
        update.lines()
    };
    let stored =
        |namespace: &str| service("10.0.0.1").replace("web}", &format!("web, namespace: {namespace}}}"));
    let both = format!("{}---\n{}", stored("shop"), stored("other"));
    assert_eq!(elsewhere(&stored("shop")), ["new.yaml:5:14 error TL0713 + old.yaml:5:14"]);
    assert_eq!(elsewhere(&both), unused);
    let mut update = case([("new.yaml", service("10.0.0.2").replace("web}", "web, namespace: default}"))]);
    update.old = Some(stored("shop"));
    assert_eq!(update.lines(), unused);
    // A namespace that was said is the one that counts.
    let inside = |namespace: &'static str, old: &str| {
        let update = case([("new.yaml", service("10.0.0.2"))]);
        Case { old: Some(old.to_owned()), namespace, ..update }.lines()
    };
    assert_eq!(inside("other", &both), ["new.yaml:5:14 error TL0713 + old.yaml:12:14"]);
    assert_eq!(inside("other", &stored("shop")), unused);
    assert_eq!(inside("other", &service("10.0.0.1")), ["new.yaml:5:14 error TL0713 + old.yaml:5:14"]);
    // What cannot be read is reported.
    let broken = elsewhere("apiVersion: v1\nkind: [\n");
    assert!(
        broken.iter().any(|line| line.starts_with("old.yaml:") && line.contains(" error ")),
        "{broken:?}"
    );
    // The items of a list of one kind need not say again what they are.
    let mut update = case([("new.yaml", service("10.0.0.2"))]);
    let list =
        "apiVersion: v1\nkind: ServiceList\nitems:\n- {metadata: {name: web}, spec: {clusterIP: 10.0.0.1}}\n";
    update.old = Some(list.to_owned());
    assert_eq!(update.lines(), ["new.yaml:5:14 error TL0713 + old.yaml:4:45"]);
    // Kinds without rules about updates are taken.
    assert_eq!(found("apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n".to_owned()), unused);
}

#[test]
fn the_same_object_twice_is_told() {
    let twice = format!("{POD}---\n{POD}");
    assert_eq!(case([("a.yaml", twice.as_str())]).lines(), ["a.yaml:10:18 warning TL0780 + a.yaml:3:18"]);
    let hook = twice.replace("{name: web}", "{name: web, annotations: {helm.sh/hook: test}}");
    assert_eq!(case([("a.yaml", hook)]).lines(), [""; 0]);
}

#[test]
fn what_charts_render_to_is_checked_at_its_origins() {
    let chart =
        ("c/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\nicon: https://example.com/i.png\n");
    let template = "apiVersion: example.com/v1\nkind: Backup\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n  schedule: \"x\"\n  keep: {{ .Values.keep }}\n";
    let files = [
        chart,
        ("c/values.yaml", "keep: 70\n"),
        ("c/templates/backup.yaml", template),
        ("c/crds/backups.yaml", CRD),
    ];
    assert_eq!(case(files).lines(), ["c/values.yaml:1:7 error TL0704 + c/templates/backup.yaml:7:9"]);
}

#[test]
fn words_about_templates_keep_no_definition_from_being_used() {
    let described =
        CRD.replace("schedule: {type: string}", "schedule: {type: string, description: \"as {{ x }}\"}");
    let chart = "apiVersion: v2\nname: c\nversion: 1.0.0\nicon: https://example.com/i.png\n";
    let files = [
        ("c/Chart.yaml", chart.to_owned()),
        ("c/values.yaml", String::new()),
        ("c/templates/backup.yaml", backup("{schedule: x, keep: 70}")),
        ("c/crds/backups.yaml", described),
    ];
    let lines = case(files).lines();
    assert_eq!(lines, ["c/crds/backups.yaml:20:57 note TL0435", "c/templates/backup.yaml:4:27 error TL0704"]);
}

#[test]
fn rules_of_definitions_are_evaluated() {
    let rule = "x-kubernetes-validations: [{rule: \"self.keep > 3\"}]\n            ";
    let crd = CRD.replace("required: [schedule]", &format!("{rule}required: [schedule]"));
    let with = |spec: &str| case([("crd.yaml", crd.clone()), ("a.yaml", backup(spec))]);
    assert_eq!(with("{schedule: x, keep: 5}").left_out(), Vec::<String>::new());
    assert_eq!(with("{schedule: x, keep: 5}").lines(), Vec::<String>::new());
    assert_eq!(with("{schedule: x, keep: 2}").lines(), ["a.yaml:4:27 error TL0903 + crd.yaml:18:47"]);
    // What is wrong with a rule is wrong with the definition, and not with objects.
    let broken = || {
        let crd = crd.replace("self.keep > 3", "self.kept > 3");
        case([("crd.yaml", crd), ("a.yaml", backup("{schedule: x}"))])
    };
    assert_eq!(broken().lines(), ["crd.yaml:18:53 error TL0901"]);
    let left_out = broken().left_out();
    assert_eq!(left_out.len(), 1, "{left_out:?}");
    assert!(left_out[0].contains("`self.kept > 3` does not compile"), "{left_out:?}");
}

#[test]
fn changes_are_offered_where_it_is_known_what_was_meant() {
    let budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minAvailable: 1}\n";
    let rows: &[(String, &[&str])] = &[
        (POD.replace("image: web", "imag: web"), &["6:17 imag -> image"]),
        (POD.replace("image: web", "\"imag\": web"), &["6:17 \"imag\" -> \"image\""]),
        // A name that is there already was not meant.
        (POD.replace("image: web", "image: web, imag: web"), &[]),
        (POD.replace("image: web", "image: web, imagePullPolicy: always"), &["6:46 always -> Always"]),
        (
            POD.replace("image: web", "image: web, resources: {limits: {memory: 1gi}}"),
            &["6:58 1gi -> \"1Gi\""],
        ),
        (budget.to_owned(), &["1:13 policy/v1beta1 -> policy/v1"]),
        // The fields of the other version are not the same.
        (budget.replace("minAvailable: 1", "minAvailable: [1]"), &[]),
        ("apiVersion: v1\nkind: Deployment\nmetadata: {name: a}\n".to_owned(), &["1:13 v1 -> apps/v1"]),
        (CRD.replace("Namespaced", "'namespaced'"), &["6:10 'namespaced' -> 'Namespaced'"]),
        (CRD.replace("served:", "serve:"), &["10:5 serve -> served"]),
    ];
    for (text, expected) in rows {
        assert_eq!(&case([("a.yaml", text.as_str())]).fixes(), expected, "{text}");
    }
    let crd = CRD.replace("schedule: {type: string}", "schedule: {type: string, enum: [daily, weekly]}");
    let files = [("crd.yaml", crd), ("a.yaml", backup("{schedule: dayly, kep: 5}"))];
    assert_eq!(case(files).fixes(), ["4:18 dayly -> daily", "4:25 kep -> keep"]);
}

#[test]
fn a_default_that_is_refused_is_told_where_it_was_typed() {
    let crd = CRD.replace(
        "schedule: {type: string}",
        "schedule: {type: string}\n              days: {type: object, additionalProperties: {type: object, properties: {n: {type: integer, default: x}}}}",
    );
    let files = [("crd.yaml", crd), ("a.yaml", backup("{schedule: x, days: {monday: {}}}"))];
    let lines = case(files).lines();
    assert_eq!(lines.last().map(String::as_str), Some("crd.yaml:21:114 warning TL0825"), "{lines:?}");
    assert!(lines.contains(&"crd.yaml:21:114 error TL0704 + a.yaml:3:18".to_owned()), "{lines:?}");
}

#[test]
fn metadata_that_no_cluster_can_read_is_told_in_plain_words() {
    let object = backup("{schedule: x}").replace("{name: nightly}", "{name: nightly, annotations: {a: 1}}");
    let (run, _) = case([("crd.yaml", CRD.to_owned()), ("a.yaml", object)]).run();
    let messages: Vec<&str> = run.outcome.findings().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages, ["`metadata.annotations.a`: expected a string, found a number"]);
}

#[test]
fn what_a_definition_says_of_its_versions_and_scope_is_told() {
    let crd = CRD.replace("scope: Namespaced", "scope: Cluster").replace(
        "    served: true\n",
        "    served: true\n    deprecated: true\n    deprecationWarning: nobody fixes it\n",
    );
    let object = backup("{schedule: x}").replace("{name: nightly}", "{name: nightly, namespace: ops}");
    let files = [("crd.yaml", crd), ("a.yaml", object)];
    assert_eq!(case(files).lines(), ["a.yaml:1:13 warning TL0785", "a.yaml:3:38 warning TL0710"]);
}

#[test]
fn the_configuration_can_leave_out_kinds_and_name_definitions() {
    let files = || case([("pod.yaml", POD.to_owned()), ("a.yaml", backup("{schedule: x}"))]);
    let with = |text: &'static str, strict: bool| Case { config: Some(text), strict, ..files() };
    assert_eq!(with("", true).run().0.ending, Ending::Invalid);
    assert_eq!(with("ignore-missing-schemas = true\n", true).run().0.ending, Ending::Valid);
    assert_eq!(with("skip = [\"Backup\"]\n", true).run().0.ending, Ending::Valid);
    assert_eq!(with("skip = [\"Backup\"]\n", true).left_out(), ["`skip` in trueline.toml leaves Backup out"]);
    assert_eq!(with("skip = 5\n", false).lines(), ["trueline.toml:1:8 error TL0151"]);
    let nested = case([("x/trueline.toml", "strict = false\ncrds = [\"nosuch/\"]\n"), ("x/pod.yaml", POD)]);
    assert_eq!(nested.lines(), ["x/trueline.toml:2:9 error TL0150"]);
}

#[test]
fn a_skip_that_leaves_nothing_out_is_told() {
    let mut unused = case([("a.yaml", POD)]);
    unused.kubernetes.skip = vec!["Pods".to_owned(), "Secret".to_owned()];
    assert_eq!(unused.lines(), ["--skip Pods:1:1 warning TL0789", "--skip Secret:1:1 warning TL0789"]);
    let with = |config, path: &'static str| Case { config: Some(config), ..case([(path, POD)]) };
    let config = "skip = [\n  \"Pods\",\n  \"Pod\",\n  \"Secret\",\n  \"Certificate\",\n]\n";
    assert_eq!(
        with(config, "a.yaml").lines(),
        [2, 4, 5].map(|line| format!("trueline.toml:{line}:3 warning TL0789"))
    );
    assert_eq!(with(config, "a.yaml").fixes(), ["2:3 \"Pods\" -> \"Pod\""]);
    // Where only a part of the directory is checked, a kind may well be missing from it; a misspelt one is reported.
    let (part, sources) = Case { path: "x/a.yaml", ..with(config, "x/a.yaml") }.run();
    let lines: Vec<u32> =
        part.outcome.findings().map(|finding| sources.position(finding.primary.span).line).collect();
    assert_eq!(lines, [2]);
    let nested = [("x/trueline.toml", "skip = [\"Job\"]\n"), ("x/a.yaml", POD)];
    assert_eq!(case(nested).lines(), ["x/trueline.toml:1:9 warning TL0789"]);
}

#[test]
fn what_somebody_asked_to_leave_out_is_no_lack() {
    let object = backup("{schedule: x}");
    let ending = |skip: &str, missing, more: &[(&'static str, &str)]| {
        let files = [("a.yaml", object.as_str())].into_iter().chain(more.iter().copied());
        let mut asked = case(files);
        asked.strict = true;
        asked.kubernetes.missing = missing;
        asked.kubernetes.skip = skip.split_terminator(',').map(str::to_owned).collect();
        let (run, _) = asked.run();
        let figures = run.outcome.summary();
        (run.ending, figures.valid, figures.skipped, run.outcome.findings().count())
    };
    assert_eq!(ending("Backup", MissingSchemas::Told, &[]), (Ending::Valid, 0, 1, 0));
    assert_eq!(ending("", MissingSchemas::Ignored, &[]), (Ending::Valid, 0, 1, 0));
    assert_eq!(ending("", MissingSchemas::Told, &[]), (Ending::Invalid, 0, 1, 1));
    assert_eq!(ending("", MissingSchemas::Ignored, &[("b.yaml", POD)]), (Ending::Valid, 1, 1, 0));
    assert_eq!(ending("Backup", MissingSchemas::Told, &[("b.yaml", "x: 1\n")]), (Ending::Invalid, 0, 2, 1));
    assert_eq!(case([("readme.md", "")]).lines(), [".:1:1 warning TL0159"]);
}

#[test]
fn an_old_object_that_is_there_twice_is_told() {
    let mut update = case([("new.yaml", POD)]);
    let stored = |text: &str| [("old.yaml", text.to_owned())];
    update.kubernetes.old = vec![
        update.beside("/one", &stored(POD)),
        update.beside("/two", &stored(&POD.replace("web}", "web, namespace: default}"))),
    ];
    let told = ["--old :1:1 warning TL0790", "old.yaml:2:7 warning TL0791 + old.yaml:2:7"];
    let mut lines = update.lines();
    lines.sort();
    assert_eq!(lines, told);
    let generated = POD.replace("name: web}", "generateName: web-}");
    let mut update = case([("new.yaml", POD)]);
    let stored = stored(&format!("{generated}---\n{generated}---\n{POD}"));
    update.kubernetes.old = vec![update.beside("/old", &stored)];
    assert_eq!(update.lines(), [""; 0]);
}

#[test]
fn an_old_file_that_is_named_twice_counts_once() {
    let files = [("old/web.yaml", POD.to_owned()), ("old/other.yaml", POD.replace("web}", "other}"))];
    let named = |path: &str| PathBuf::from("/live").join(path);
    for paths in [["old/web.yaml", "old"], ["old", "old/web.yaml"], ["old/web.yaml", "old/web.yaml"]] {
        let mut update = case([("new.yaml", POD)]);
        update.beside("/live", &files);
        update.kubernetes.old = paths.map(named).into();
        assert_eq!(update.lines(), [""; 0], "{paths:?}");
    }
    let mut unused = case([("new.yaml", POD.replace("web}", "new}"))]);
    unused.beside("/live", &files);
    unused.kubernetes.old = ["old", "old/web.yaml"].map(named).into();
    assert_eq!(unused.lines(), ["--old old:1:1 warning TL0790"]);
}

#[test]
fn old_objects_can_be_named_in_the_configuration() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {clusterIP: ADDRESS, ports: [{port: 80}]}\n";
    let (old, new) = (service.replace("ADDRESS", "10.0.0.1"), service.replace("ADDRESS", "10.0.0.2"));
    let files = |config: &'static str| {
        case([("x/trueline.toml", config), ("x/live/old.yml", &old), ("x/new.yaml", &new)])
    };
    let lines = files("old = [\"./live/\"]\n").lines();
    assert_eq!(lines, ["x/new.yaml:4:19 error TL0713 + x/live/old.yml:4:19"]);
    assert_eq!(files("old = [\"gone\"]\n").lines(), ["x/trueline.toml:1:8 error TL0150"]);
    let skipped = files("old = [\"live\"]\n").left_out();
    assert!(skipped.len() == 1 && skipped[0].contains("what is there already"), "{skipped:?}");
    let mut given = files("old = [\"live\"]\n");
    given.old = Some(POD.to_owned());
    assert_eq!(given.lines(), ["--old :1:1 warning TL0790"], "the flag counts alone");
}

#[test]
fn what_a_server_adds_to_old_objects_does_not_disturb() {
    let live = "  uid: 0b8c\n  resourceVersion: \"7\"\n  generation: 2\n  creationTimestamp: \"2024-01-01T00:00:00Z\"\n  managedFields:\n  - manager: kubectl\n    operation: Apply\n    apiVersion: example.com/v1\n    time: \"2024-01-01T00:00:00Z\"\n    fieldsType: FieldsV1\n    fieldsV1: {\"f:spec\": {\"f:keep\": {}, \".\": {}}}\n    subresource: status\n";
    let stored = format!(
        "apiVersion: v1\nkind: List\nmetadata: {{resourceVersion: \"\"}}\nitems:\n- apiVersion: example.com/v1\n  kind: Backup\n  metadata:\n    name: nightly\n{}  spec: {{schedule: x, keep: 70}}\n  status: {{phase: Done, conditions: [{{type: Ready}}]}}\n",
        live.replace("\n  ", "\n    ").replacen("  uid", "    uid", 1)
    );
    let mut update = case([("crd.yaml", CRD.to_owned()), ("new.yaml", backup("{schedule: z, keep: 70}"))]);
    update.old = Some(stored);
    assert_eq!(update.lines(), [""; 0], "what was wrong before is forgiven");
    let metadata = format!("metadata:\n  name: backups.example.com\n{}", live.trim_end());
    let definition = format!(
        "{}status:\n  conditions: [{{type: Established, status: \"True\"}}]\n  storedVersions: [v1]\n",
        CRD.replace("metadata: {name: backups.example.com}", &metadata)
    );
    let mut update = case([("crd.yaml", CRD)]);
    update.old = Some(definition);
    assert_eq!(update.lines(), [""; 0]);
}

#[test]
fn locations_of_schemas_are_told_that_cannot_be_used_or_are_not_there() {
    let config = "schema-locations = [\n  \"a/{{ .Foo }}.json\",\n  \"gone/{{ .ResourceKind }}.json\",\n  \"s/{{ .ResourceKind }}.json\",\n  \"default\",\n]\n";
    let schema = r#"{"properties": {"spec": {"required": ["every"]}}}"#;
    let files = [
        ("x/trueline.toml", config.to_owned()),
        ("x/s/backup.json", schema.to_owned()),
        ("x/a.yaml", backup("{schedule: x}")),
    ];
    assert_eq!(
        case(files).lines(),
        [
            "x/trueline.toml:2:3 error TL0151",
            "x/trueline.toml:3:3 warning TL0792",
            "x/a.yaml:4:1 error TL0202 + x/s/backup.json:1:26"
        ]
    );
    let mut given = case([("a.yaml", backup("{schedule: x}")), ("pod.yaml", POD.to_owned())]);
    given.kubernetes.locations = vec!["gone".to_owned()];
    assert_eq!(given.lines(), ["--schema-location gone:1:1 warning TL0792"]);
}

#[test]
fn a_version_that_is_not_known_is_told_where_it_was_typed() {
    let with = Case { config: Some("kube-version = \"1.2\"\n"), ..case([("pod.yaml", POD)]) };
    assert_eq!(with.lines(), ["trueline.toml:1:16 warning TL0782"]);
}

#[test]
fn parts_of_kustomize_are_no_whole_objects() {
    let patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n";
    let files = [
        ("o/kustomization.yaml", "resources: [pod.yaml]\npatches: [{path: patch.yaml}]\n"),
        ("o/patch.yaml", patch),
        ("o/pod.yaml", POD),
    ];
    assert_eq!(case(files).lines(), [""; 0]);
    let left_out = case(files).left_out();
    assert_eq!(left_out.len(), 2, "{left_out:?}");
    assert!(left_out[1].contains("not as a whole object"), "{left_out:?}");
    let [_, patch, pod] = files;
    assert_ne!(case([patch, pod]).lines(), [""; 0]);
    let broken = ("o/kustomization.yaml", "patches: [{path: patch.yaml}\n");
    let lines = case([broken, patch, pod]).lines();
    assert_eq!(
        lines,
        ["o/kustomization.yaml:1:10 error TL0106"],
        "what cannot be read is reported, and nothing else"
    );
}

#[test]
fn objects_of_json_can_stand_one_behind_the_other() {
    let pod =
        r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "NAME"}, "spec": {"containers": []}}"#;
    let two = format!("{}\n{}", pod.replace("NAME", "a"), pod.replace("NAME", "B"));
    for name in ["a.json", "a.yaml"] {
        let lines = case([(name, two.as_str())]).lines();
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines.iter().all(|line| line.contains(" error TL07")), "{lines:?}");
    }
    let broken = format!("{two}}}");
    assert!(case([("a.json", broken)]).lines()[0].contains("TL01"));
}

#[test]
fn a_file_with_nothing_in_it_is_said_to_be_so() {
    for text in ["", "# nothing\n", "---\n"] {
        let (run, _) = case([("a.yaml", text)]).run();
        let messages: Vec<&str> = run.outcome.findings().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, ["nothing was checked in `a.yaml`: there is nothing in it"], "{text}");
    }
}

#[test]
fn all_errors_of_a_definition_are_told_in_one_run() {
    let findings = |crd: String| {
        let (run, sources) = case([("crd.yaml", crd)]).run();
        let found = run.outcome.findings().map(|finding| {
            let line = sources.position(finding.primary.span).line;
            format!("{line} {}{}", finding.code, if finding.kube.is_some() { " kube" } else { "" })
        });
        found.collect::<Vec<_>>()
    };
    // The server reads no further than the first value of a wrong type.
    let unreadable = CRD
        .replace("maximum: 9", "maximum: \"9\"")
        .replace("schedule: {type: string}", "schedule: {type: string, maxLength: \"9\"}")
        .replace("scope: Namespaced", "scope: Everywhere");
    assert_eq!(findings(unreadable), ["6 TL0804", "20 TL0801", "21 TL0801"]);
    // Nor does it look at defaults after an invalid pattern.
    let pattern = CRD
        .replace("schedule: {type: string}", "schedule: {type: string, pattern: \"[\"}")
        .replace("maximum: 9", "default: x");
    assert_eq!(findings(pattern), ["20 TL0809 kube", "21 TL0810"]);
    let reference = CRD
        .replace("schedule: {type: string}", "schedule: {type: string, $ref: x}")
        .replace("type: integer, maximum: 9", "maximum: 9");
    assert_eq!(findings(reference), ["20 TL0808 kube", "21 TL0809"]);
}

#[test]
fn keys_that_are_not_read_as_typed_are_told() {
    let lines = |data: &str| {
        let head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
        case([("a.yaml", format!("{head}data:\n{data}"))]).lines()
    };
    assert_eq!(lines("  y: a\n  x: b\n"), ["a.yaml:5:3 warning TL0794"]);
    assert_eq!(lines("  0x10: a\n  1_000: b\n"), ["a.yaml:5:3 warning TL0794", "a.yaml:6:3 warning TL0794"]);
    assert_eq!(lines("  'y': a\n  8080: b\n  true: c\n  1.5: d\n"), [""; 0]);
    assert_eq!(
        lines("  ? !!int \"1\\x30\"\n  : a\n  ? !!float \"\\x31e3\"\n  : b\n"),
        ["a.yaml:7:13 warning TL0794"]
    );
    // That says why already.
    assert_eq!(lines("  y: a\n  on: b\n"), ["a.yaml:6:3 error TL0105 + a.yaml:5:3"]);
    let values = "name: web\nversion: 1.0.0\napiVersion: v2\n";
    let chart = [("c/Chart.yaml", values.to_owned()), ("c/values.yaml", "on: 1\n".to_owned())];
    assert!(!case(chart).lines().iter().any(|line| line.contains("TL0794")));
}

#[test]
fn what_is_wrong_with_a_key_is_told_at_the_key() {
    let metadata = "{name: web, labels: {\"a b\": c}, annotations: {\"d e\": f}}";
    let pod = POD.replace("{name: web}", metadata);
    assert_eq!(case([("a.yaml", pod)]).lines(), ["a.yaml:3:32 error TL0704", "a.yaml:3:57 error TL0704"]);
    let custom = backup("{schedule: x}").replace("{name: nightly}", metadata);
    let files = [("crd.yaml", CRD.to_owned()), ("a.yaml", custom)];
    assert_eq!(case(files).lines(), ["a.yaml:3:32 error TL0704", "a.yaml:3:57 error TL0704"]);
}

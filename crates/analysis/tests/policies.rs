//! Admission policies beside what a real API server (1.35) says of the same objects. Each file of `policies/` has sections: what
//! a cluster holds (`# setup`), what an object takes the place of (`# old`), objects that are sent (`# object`), and after each
//! what the server answered (`# server`), recorded with dry runs.

#![allow(clippy::disallowed_methods, reason = "the test reads files of the repository")]

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use support::Mounted;
use trueline_analysis::{ChartSettings, KubernetesSettings, Run, Settings};
use trueline_diagnostic::{Diagnostic, Severity};
use trueline_source::{MemoryLoader, SourceMap};

/// An object that was sent, and the answers.
#[derive(Debug, Default)]
struct Sent {
    object: String,
    old: Option<String>,
    answers: Vec<String>,
}

/// Checks files, beside which others are mounted at paths of their own.
fn check(
    files: &[(&str, &str)],
    beside: &[(&str, &str)],
    kubernetes: KubernetesSettings,
) -> (Run, Arc<SourceMap>) {
    let main = files.iter().fold(MemoryLoader::new(""), |loader, (name, text)| loader.with_file(name, *text));
    let system = beside.iter().fold(Mounted::new(main), |system, (path, text)| {
        system.mount(path, MemoryLoader::new("").with_file("given.yaml", *text))
    });
    let settings = Settings {
        charts: ChartSettings { namespace: "default".to_owned(), ..ChartSettings::default() },
        kubernetes: KubernetesSettings { version: "1.35".parse().ok(), ..kubernetes },
        ..support::settings()
    };
    support::check(system, settings)
}

fn findings(run: &Run) -> Vec<&Diagnostic> {
    let units = run.outcome.units.iter().flat_map(|unit| &unit.findings);
    units.chain(&run.outcome.general).collect()
}

fn read(text: &str) -> (String, Vec<Sent>) {
    let (mut setup, mut sent, mut old) = (String::new(), Vec::<Sent>::new(), None::<String>);
    let mut section = "";
    for line in text.lines() {
        match line {
            "# setup" | "# old" | "# object" => {
                section = line;
                match line {
                    "# old" => old = Some(String::new()),
                    "# object" => sent.push(Sent { old: old.clone(), ..Sent::default() }),
                    _ => {}
                }
                continue;
            }
            _ => {}
        }
        let target = match section {
            "# setup" => &mut setup,
            "# old" => old.as_mut().unwrap(),
            _ => {
                let last = sent.last_mut().unwrap();
                if let Some(answer) = line.strip_prefix("# server: ") {
                    last.answers.push(answer.to_owned());
                    continue;
                }
                &mut last.object
            }
        };
        target.push_str(line);
        target.push('\n');
    }
    (setup, sent)
}

/// What differs from the answers of the server.
fn differences(setup: &str, sent: &Sent) -> Vec<String> {
    let definitions = vec!["/setup".into()];
    let kubernetes = KubernetesSettings {
        policies: vec!["/setup".into()],
        definitions: if setup.contains("CustomResourceDefinition") { definitions } else { Vec::new() },
        old: sent.old.iter().map(|_| "/old".into()).collect(),
        ..KubernetesSettings::default()
    };
    let old = sent.old.iter().map(|old| ("/old", old.as_str()));
    let beside: Vec<(&str, &str)> = old.chain([("/setup", setup)]).collect();
    let (run, _) = check(&[("object.yaml", &sent.object)], &beside, kubernetes);
    let of_policies: Vec<&Diagnostic> = findings(&run)
        .into_iter()
        .filter(|finding| ("TL0905".."TL0909").contains(&finding.code.id))
        .collect();
    let said = |severity: Severity| -> BTreeSet<String> {
        let of = of_policies.iter().filter(|finding| finding.severity == severity);
        of.filter_map(|finding| Some(finding.kube.as_ref()?.detail.replace('\n', "\\n"))).collect()
    };
    let mut wrong = Vec::new();
    let denials = said(Severity::Error);
    for answer in &sent.answers {
        if answer == "ok" && !denials.is_empty() {
            wrong.push(format!("refused: {denials:?}"));
        } else if let Some(denied) = answer.strip_prefix("denied: ") {
            let (_, message) = denied.split_once(": ").unwrap();
            if !denials.contains(message) {
                wrong.push(format!("server: {message}\n    here: {denials:?}"));
            }
        } else if answer == "invalid" && !of_policies.is_empty() {
            wrong.push(format!("asked although it is invalid: {of_policies:?}"));
        }
    }
    // What several bindings of one policy say is one finding.
    let without_binding = |text: &str| {
        let (before, rest) = text.split_once(" with binding '").unwrap();
        format!("{before}{}", rest.split_once('\'').unwrap().1)
    };
    let warnings = sent.answers.iter().filter_map(|answer| answer.strip_prefix("warning: "));
    let warnings: BTreeSet<String> = warnings.map(without_binding).collect();
    let here: BTreeSet<String> = said(Severity::Warning).iter().map(|text| without_binding(text)).collect();
    if warnings != here {
        wrong.push(format!("warnings of the server: {warnings:?}\n    here: {:?}", said(Severity::Warning)));
    }
    let notes: Vec<String> = findings(&run)
        .into_iter()
        .filter(|finding| finding.code.id == "TL0909" || finding.code.id == "TL0910")
        .map(|finding| finding.message.clone())
        .collect();
    if !wrong.is_empty() && !notes.is_empty() {
        wrong.push(format!("notes: {notes:?}"));
    }
    wrong
}

#[test]
fn policies_say_what_the_server_says() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/policies");
    let mut files: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut cases, mut failures) = (0, Vec::new());
    for file in files {
        let (setup, sent) = read(&std::fs::read_to_string(&file).unwrap());
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        for (number, sent) in sent.iter().enumerate() {
            assert!(!sent.answers.is_empty(), "{name}: nothing was recorded");
            cases += 1;
            for wrong in differences(&setup, sent) {
                failures.push(format!("{name}, object {}: {wrong}", number + 1));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(cases >= 150, "{cases}");
}

#[test]
fn examples_of_codes_are_what_they_say() {
    let catalogue = trueline_analysis::catalogue();
    let mut tested = 0;
    for code in catalogue.codes().iter().filter(|code| ("TL0905"..="TL0909").contains(&code.id)) {
        let ids = |text: &str| -> BTreeSet<&str> {
            let (run, _) = check(&[("example.yaml", text)], &[], KubernetesSettings::default());
            findings(&run).into_iter().map(|finding| finding.code.id).collect()
        };
        assert_eq!(ids(code.wrong), BTreeSet::from([code.id]), "{}", code.wrong);
        assert_eq!(ids(code.right), BTreeSet::new(), "{}", code.right);
        tested += 1;
    }
    assert_eq!(tested, 5);
}

const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [VALIDATIONS]
";

const BINDING: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p, validationActions: [Deny]}
";

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: b}\n";

/// The codes and messages of a policy with these validations, in one file with its binding, and of an object in another.
fn said(validations: &str, object: &str) -> Vec<String> {
    let policy = format!("{}---\n{BINDING}", POLICY.replace("VALIDATIONS", validations));
    let (run, _) = check(&[("a.yaml", object), ("policy.yaml", &policy)], &[], KubernetesSettings::default());
    findings(&run).into_iter().map(|finding| format!("{} {}", finding.code.id, finding.message)).collect()
}

#[test]
fn what_only_a_cluster_knows_is_not_guessed() {
    for (expression, why) in [
        (
            "authorizer.group('').resource('pods').check('get').allowed()",
            "it asks what the user is allowed to do",
        ),
        ("request.userInfo.username == 'a'", "it depends on who sends the request"),
        ("object.data.a == 'x' || request.userInfo.username == 'a'", "it depends on who sends the request"),
        ("'userInfo' in dyn(request)", "it depends on who sends the request"),
        ("request.options.dryRun == []", "it depends on how the request is sent"),
        ("namespaceObject.metadata.labels.team == 'a'", "it reads the namespace of the object"),
        ("object.metadata.uid == ''", "it reads metadata that only the server sets"),
        ("object.metadata.?uid.orValue('') == ''", "it reads metadata that only the server sets"),
        ("object.metadata['creationTimestamp'] != ''", "it reads metadata that only the server sets"),
        ("object.metadata.all(k, k != 'uid')", "it reads metadata that only the server sets"),
    ] {
        let said = said(&format!("{{expression: \"{expression}\"}}"), MAP);
        let [only] = said.as_slice() else { panic!("{expression}: {said:?}") };
        assert!(
            only.starts_with("TL0909 this rule was not evaluated on some objects: "),
            "{expression}: {only}"
        );
        assert!(only.contains(why), "{expression}: {only}");
    }
    // The rest of the expression decides.
    for expression in [
        "object.data.a == 'b' || request.userInfo.username == 'a'",
        "namespaceObject.metadata.name == 'default'",
        "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'default'",
        "!(object.data.a == 'x' && authorizer.group('').resource('pods').check('get').allowed())",
    ] {
        assert_eq!(
            said(&format!("{{expression: \"{expression}\"}}"), MAP),
            Vec::<String>::new(),
            "{expression}"
        );
    }
}

#[test]
fn policies_stand_anywhere_in_a_run() {
    let rule = "{expression: \"object.data.a != 'b'\", message: not b}";
    let policy = POLICY.replace("VALIDATIONS", rule);
    let chart = "apiVersion: v2\nname: c\nversion: 1.0.0\n";
    let template = format!("{policy}---\n{BINDING}");
    for files in [
        vec![("a.yaml", MAP), ("b.yaml", template.as_str())],
        vec![("z.yaml", MAP), ("b.yaml", policy.as_str()), ("c.yaml", BINDING)],
        vec![("a.yaml", MAP), ("c/Chart.yaml", chart), ("c/templates/policy.yaml", template.as_str())],
        vec![("p.yaml", template.as_str()), ("c/Chart.yaml", chart), ("c/templates/map.yaml", MAP)],
        vec![
            ("p.yaml", template.as_str()),
            (
                "y/map.yaml",
                "#@ a = 1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: b}\n",
            ),
        ],
    ] {
        let (run, _) = check(&files, &[], KubernetesSettings::default());
        let refused: Vec<_> =
            findings(&run).into_iter().filter(|finding| finding.code.id == "TL0905").collect();
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        assert_eq!(refused.len(), 1, "{names:?} {:?}", findings(&run));
        assert_eq!(refused.first().map(|finding| finding.message.as_str()), Some("not b"));
    }
}

#[test]
fn findings_are_suppressed_like_others() {
    let policy =
        format!("{}---\n{BINDING}", POLICY.replace("VALIDATIONS", "{expression: 'false', message: refused}"));
    let object = MAP.replace("{name: m}", "{name: m} # trueline: ignore[TL0905] known");
    let (run, _) =
        check(&[("a.yaml", &object), ("policy.yaml", &policy)], &[], KubernetesSettings::default());
    assert!(findings(&run).is_empty(), "{:?}", findings(&run));
    // Without a policy, nothing is said of a comment about one.
    let (run, _) = check(&[("a.yaml", &object)], &[], KubernetesSettings::default());
    assert!(findings(&run).is_empty(), "{:?}", findings(&run));
}

#[test]
fn given_policies_that_cannot_be_used_are_reported() {
    let broken = POLICY.replace("VALIDATIONS", "{expression: 'object.data.a =='}");
    let said = |text: &str| -> Vec<&'static str> {
        let kubernetes =
            KubernetesSettings { policies: vec!["/given".into()], ..KubernetesSettings::default() };
        let (run, _) = check(&[("a.yaml", MAP)], &[("/given", text)], kubernetes);
        findings(&run).iter().map(|finding| finding.code.id).collect()
    };
    assert_eq!(said(&format!("{broken}---\n{BINDING}")), ["TL0901"]);
    assert_eq!(said("# nothing\n"), ["TL0910"]);
    assert_eq!(said(BINDING), ["TL0909"]);
}

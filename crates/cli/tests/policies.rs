//! Admission policies from the command line and from `trueline.toml`.

mod support;

use serde_json::Value;
use support::Sandbox;

const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: small}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps]}]
  validations:
  - expression: |
      object.data.size() < 2
    message: at most one entry
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: small}
spec: {policyName: small, validationActions: [Deny]}
";

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: b, c: d}\n";

fn findings(sandbox: &Sandbox, arguments: &[&str]) -> Vec<Value> {
    let ran = sandbox.run(&[arguments, &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    report["findings"].as_array().cloned().unwrap_or_default()
}

fn codes(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    findings(sandbox, arguments).iter().filter_map(|one| one["code"].as_str().map(str::to_owned)).collect()
}

#[test]
fn policies_are_given_by_a_flag_or_named_by_the_configuration() {
    let sandbox = Sandbox::new();
    sandbox.file("policies/small.yaml", POLICY);
    sandbox.file("objects/map.yaml", MAP);
    assert_eq!(codes(&sandbox, &["check", "objects"]), Vec::<String>::new());
    for policy in ["policies", "policies/small.yaml"] {
        assert_eq!(codes(&sandbox, &["check", "objects", "--policy", policy]), ["TL0905"]);
    }
    // What is given is not checked itself, and counts once where it is checked as well.
    assert_eq!(codes(&sandbox, &["check", ".", "--policy", "policies"]), ["TL0905"]);
    let found = findings(&sandbox, &["check", "objects", "--policy", "policies"]);
    assert_eq!(found[0]["message"], "at most one entry");
    assert_eq!(
        found[0]["kube"]["detail"],
        "ValidatingAdmissionPolicy 'small' with binding 'small' denied request: at most one entry"
    );
    sandbox.file("trueline.toml", "policies = [\"policies/\"]\n");
    assert_eq!(codes(&sandbox, &["check", "objects"]), ["TL0905"]);
    sandbox.file("trueline.toml", "policies = [\"policies/\"]\n[severity]\npolicy-denies = \"warning\"\n");
    assert_eq!(findings(&sandbox, &["check", "objects"])[0]["severity"], "warning");
    sandbox.file("trueline.toml", "policies = [\"nothing/\"]\n");
    assert_eq!(codes(&sandbox, &["check", "objects"]), ["TL0150"]);
}

#[test]
fn old_objects_make_updates() {
    let sandbox = Sandbox::new();
    let policy =
        POLICY.replace("object.data.size() < 2", "oldObject == null || object.data == oldObject.data");
    sandbox.file("policy.yaml", &policy);
    sandbox.file("map.yaml", MAP);
    sandbox.file("old.yaml", MAP.replace("c: d", "c: e"));
    assert_eq!(codes(&sandbox, &["check", "map.yaml", "--policy", "policy.yaml"]), Vec::<String>::new());
    let with_old = ["check", "map.yaml", "--policy", "policy.yaml", "--old", "old.yaml"];
    assert_eq!(codes(&sandbox, &with_old), ["TL0905"]);
}

#[test]
fn policies_come_from_standard_input() {
    let sandbox = Sandbox::new();
    sandbox.file("map.yaml", MAP);
    let ran = sandbox.run_with_stdin(&["check", "map.yaml", "--policy", "-"], POLICY.as_bytes());
    assert!(ran.stdout.contains("TL0905"), "{ran:?}");
}

//! Plain JSON against a cluster with a CRD, as a webhook gets it: no panic, the same answer however the object is given, and
//! what the cluster would store is something that it would take again.

use std::sync::{Arc, LazyLock};

use trueline_kube::cluster::{Cluster, Issue, Request};
use trueline_kube::{FieldValidation, KubeVersion, crd};
use trueline_source::SourceId;
use trueline_yaml::{Limits, Value, json};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "cluster_review",
    run,
    seeds: &[
        r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"a":"b"}},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx","ports":[{"containerPort":80}],"resources":{"limits":{"cpu":0.5,"memory":"1Gi"}}}]}}}}"#,
        r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","name":"t"},"spec":{"ports":[{"port":80},{"port":1e3}],"type":"NodePort"},"status":{}}
{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","uid":"u"},"spec":{"ports":[{"port":81}],"clusterIP":"10.0.0.1"}}"#,
        r#"{"apiVersion":"example.com/v1","kind":"Backup","metadata":{"name":"b","finalizers":["x"]},"spec":{"schedule":"daily","keep":3,"labels":{"a":[1,{"b":null}]},"z":1}}
{"apiVersion":"example.com/v1","kind":"Backup","metadata":{"name":"b"},"spec":{"schedule":"weekly","keep":9}}"#,
        r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a.b.c"},"spec":{"group":"b.c","scope":"Cluster","names":{"plural":"a","kind":"A"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}"#,
        r#"{"apiVersion":"extensions/v1beta1","kind":"Ingress","metadata":7}"#,
    ],
};

const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: backups, kind: Backup}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [schedule]
              x-kubernetes-validations: [{rule: 'self.keep <= oldSelf.keep'}]
              properties:
                schedule: {type: string, maxLength: 20, enum: [daily, weekly]}
                keep: {type: integer, default: 3, maximum: 100}
                labels: {type: object, x-kubernetes-preserve-unknown-fields: true}
";

static CLUSTER: LazyLock<Cluster> = LazyLock::new(|| {
    let crd = trueline_yaml::yaml_to_value(CRD).expect("it is YAML");
    let crd = crd::decode(&crd).expect("it is a CRD").crd;
    Cluster::new(KubeVersion { minor: 35 }).with_crds([Arc::new(crd)])
});

/// An object, and what it takes the place of on the next line.
fn run(input: &[u8]) {
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (new, old) = input.split_at(end);
    same_answers(new);
    for how in [FieldValidation::Strict, FieldValidation::Warn, FieldValidation::Ignore] {
        let request = Request::create(new).replacing(Some(old)).field_validation(how).namespace("team");
        answer(request);
    }
    let created = CLUSTER.review(Request::create(new).field_validation(FieldValidation::Ignore));
    if let Some(stored) = created.stored() {
        assert!(created.is_accepted());
        let again = CLUSTER.review(Request::update(&stored, &stored));
        let refused: Vec<_> = again.errors().map(|error| error.message()).collect();
        assert!(refused.is_empty(), "what was stored is refused: {refused:?}");
    }
}

fn answer(request: Request<'_>) {
    let review = CLUSTER.review(request);
    let around = SourceId::from_index(0).span(0, 0);
    for issue in review.issues() {
        assert!(!issue.message().is_empty(), "there are no words for {issue:?}");
        assert_eq!(issue.diagnostic(around).severity.min(issue.severity()), issue.severity());
        let _ = (issue.server_sentence(), issue.rule(), issue.detail(), issue.place(), issue.field());
    }
    let findings = review.diagnostics(around, &|scalar, _, _| scalar);
    assert!(findings.is_empty() || review.issues().next().is_some());
    assert!(review.is_accepted() || review.stored().is_none());
}

/// JSON, its document and its value are the same object.
fn same_answers(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(document) = json::read(SourceId::from_index(0), &text.into(), Limits::default()) else { return };
    if !document.duplicates().is_empty() {
        return;
    }
    let value = Value::from_node(document.root());
    let facts = |issue: Issue<'_>| (issue.message(), issue.field().into_owned(), issue.place());
    let of_text: Vec<_> = CLUSTER.review(Request::create(text)).issues().map(facts).collect();
    let of_node: Vec<_> = CLUSTER.review(Request::create(document.root())).issues().map(facts).collect();
    assert_eq!(of_text, of_node, "JSON and its document differ");
    // A value does not know how a number was spelled, so messages may show `81000` in the place of `81e3`.
    let places = |issue: Issue<'_>| (issue.rule(), issue.field().into_owned(), issue.place());
    let of_text: Vec<_> = CLUSTER.review(Request::create(text)).issues().map(places).collect();
    let of_value: Vec<_> = CLUSTER.review(Request::create(&value)).issues().map(places).collect();
    assert_eq!(of_text, of_value, "JSON and its value differ");
}

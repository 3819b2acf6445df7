use std::sync::Arc;

use trueline_source::{SourceId, SourceKind, SourceMap};
use trueline_yaml::{ReadOptions, Value};

use super::{Cluster, Issue, Outcome, Request};
use crate::crd;
use crate::{FieldValidation, KubeVersion};

const DEPLOYMENT: &str = r#"{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
    "selector": {"matchLabels": {"app": "web"}},
    "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}}}}"#;

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
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [schedule]
              x-kubernetes-validations: [{rule: 'self.keep >= 1', message: keep at least one}]
              properties:
                schedule: {type: string, maxLength: 20}
                keep: {type: integer, default: 3}
                labels: {type: object, x-kubernetes-preserve-unknown-fields: true}
    - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
";

fn cluster() -> Cluster {
    Cluster::new(KubeVersion { minor: 35 })
}

fn with_backups() -> Cluster {
    cluster().with_crds([definition(CRD)])
}

fn definition(text: &str) -> Arc<crd::Crd> {
    Arc::new(crd::decode(&trueline_yaml::yaml_to_value(text).unwrap()).unwrap().crd)
}

fn backup(spec: &str) -> String {
    format!(
        r#"{{"apiVersion": "example.com/v1", "kind": "Backup", "metadata": {{"name": "b"}}, "spec": {spec}}}"#
    )
}

/// What is wrong, in the server's words or else in ours.
fn errors(cluster: &Cluster, request: Request<'_>) -> Vec<String> {
    let words = |issue: Issue<'_>| issue.server_sentence().unwrap_or_else(|| issue.message());
    cluster.review(request).errors().map(words).collect()
}

#[test]
fn built_in_kinds_and_those_of_crds_are_reviewed_alike() {
    let cluster = with_backups();
    assert!(cluster.review(Request::create(DEPLOYMENT)).is_accepted());
    let text = DEPLOYMENT.replace(r#""app": "web"}}, "spec""#, r#""app": "x"}}, "spec""#);
    let review = cluster.review(Request::create(text.as_str()));
    let [error] = review.errors().collect::<Vec<_>>()[..] else { panic!("{review:?}") };
    assert_eq!(error.rule().unwrap().name, "selector/template-labels");
    assert_eq!(error.field().to_string(), "spec.template.metadata.labels");
    let text = backup(r#"{"keep": 0, "schedul": "daily"}"#);
    let review = cluster.review(Request::create(text.as_str()));
    let found: Vec<_> = review
        .errors()
        .map(|error| (error.rule().map(|rule| rule.name), error.field().to_string()))
        .collect();
    assert_eq!(
        found,
        [
            (None, "spec.schedul".to_owned()),
            (Some("object/missing-field"), "spec.schedule".to_owned()),
            (Some("custom/rules-not-checked"), String::new()),
        ]
    );
    let sentences = errors(&cluster, Request::create(text.as_str()));
    assert_eq!(sentences[0], "unknown field \"spec.schedul\"");
    assert_eq!(sentences[1], "spec.schedule: Required value");
    assert_eq!(
        errors(&cluster, Request::create(backup(r#"{"keep": 0, "schedule": "x"}"#).as_str())),
        ["spec: Invalid value: keep at least one"]
    );
}

#[test]
fn json_a_value_and_a_document_give_the_same() {
    let cluster = with_backups();
    let service = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "S"}, "spec": {"type": "NodePort",
        "ports": [{"port": 80, "nodePort": 30000}, {"port": 70000, "nodePort": 30000.5, "x": null}, {"port": "a"}]}}"#;
    let text = backup(r#"{"keep": "x", "z": 1, "schedule": "abcdefghijklmnopqrstuvwxyz"}"#);
    for text in [DEPLOYMENT, service, &text, "{}", r#"{"kind": "Pod"}"#, "[]", "7"] {
        let sources = SourceMap::new();
        let id = sources.add("a.json", SourceKind::File, text);
        let stream = trueline_yaml::read(id, sources.get(id).text(), &ReadOptions::default());
        let value = Value::from_node(stream.documents[0].root());
        let of_text = cluster.review(Request::create(text).source(id));
        let of_value = cluster.review(Request::create(&value));
        let of_node = cluster.review(Request::create(stream.documents[0].root()));
        for other in [&of_value, &of_node] {
            let facts = |issue: Issue<'_>| {
                (issue.server_sentence(), issue.field().into_owned(), issue.place(), issue.rule())
            };
            let (left, right): (Vec<_>, Vec<_>) =
                (of_text.issues().map(facts).collect(), other.issues().map(facts).collect());
            assert_eq!(left, right, "{text}");
            let around = id.span(0, 1);
            let words = |issue: Issue<'_>| format!("{:?}", issue.diagnostic(around));
            let (left, right): (Vec<_>, Vec<_>) =
                (of_text.issues().map(words).collect(), other.issues().map(words).collect());
            assert_eq!(left, right, "{text}");
            assert_eq!(of_text.stored(), other.stored(), "{text}");
            assert_eq!(format!("{:?}", of_text.outcome()), format!("{:?}", other.outcome()));
        }
    }
}

#[test]
fn what_has_no_places_is_still_reviewed() {
    let value = Value::from_json_text(
        r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "A"}, "data": {"a": 1}}"#,
    );
    let value = value.unwrap();
    let cluster = cluster();
    let review = cluster.review(Request::create(&value));
    let found: Vec<_> = review.errors().map(|error| (error.place(), error.field().to_string())).collect();
    assert_eq!(found, [(None, "metadata.name".to_owned()), (None, "data[a]".to_owned())]);
    let around = SourceId::from_index(4).span(7, 9);
    assert!(
        review
            .diagnostics(around, &|scalar, _, _| scalar)
            .iter()
            .all(|finding| finding.primary.span == around && finding.fix.is_none())
    );
}

#[test]
fn what_is_stored_has_defaults_and_nothing_unknown() {
    let cluster = with_backups();
    let stored = cluster.review(Request::create(DEPLOYMENT).namespace("shop")).stored().unwrap();
    let at = |value: &Value, path: &str| {
        path.split('.').try_fold(value.clone(), |value, key| value.get(key).cloned())
    };
    assert_eq!(at(&stored, "metadata.namespace"), Some(Value::from("shop")));
    assert_eq!(at(&stored, "spec.strategy.type"), Some(Value::from("RollingUpdate")));
    let text = backup(r#"{"schedule": "daily", "z": 1, "labels": {"any": true}}"#);
    let request = Request::create(text.as_str()).namespace("shop");
    assert!(cluster.review(request).stored().is_none(), "a refused object is not stored");
    let review = cluster.review(request.field_validation(FieldValidation::Warn));
    assert_eq!(review.warnings().count(), 1);
    let stored = review.stored().unwrap();
    assert_eq!(
        at(&stored, "spec").unwrap(),
        Value::from_json_text(r#"{"schedule": "daily", "labels": {"any": true}, "keep": 3}"#).unwrap()
    );
    assert_eq!(at(&stored, "metadata.namespace"), Some(Value::from("shop")));
    let old = DEPLOYMENT.replace(r#""name": "web"}, "spec""#, r#""name": "web", "uid": "u"}, "spec""#);
    let stored = cluster.review(Request::update(DEPLOYMENT, old.as_str())).stored().unwrap();
    assert_eq!(at(&stored, "metadata.uid"), Some(Value::from("u")));
}

#[test]
fn updates_are_compared_with_the_old_object() {
    let cluster = with_backups();
    let new = DEPLOYMENT.replace("\"web\"}", "\"shop\"}");
    let review = cluster.review(Request::update(new.as_str(), DEPLOYMENT));
    assert!(review.errors().any(|error| error.field().to_string() == "spec.selector"), "{review:?}");
    assert!(!cluster.review(Request::update(DEPLOYMENT, "{")).is_accepted());
    // What was wrong before may stay wrong.
    let long = backup(r#"{"schedule": "abcdefghijklmnopqrstuvwxyz"}"#);
    assert!(!cluster.review(Request::create(long.as_str())).is_accepted());
    assert!(cluster.review(Request::update(long.as_str(), long.as_str())).is_accepted());
}

#[test]
fn what_is_not_reviewed_says_why() {
    let cluster = with_backups();
    let outcome = |text: &str| format!("{:?}", cluster.review(Request::create(text)).outcome());
    assert_eq!(outcome(r#"{"apiVersion": "example.com/v1", "kind": "Other"}"#), "UnknownKind(None)");
    assert_eq!(
        outcome(r#"{"apiVersion": "apps/v1", "kind": "Deploymnt"}"#),
        "UnknownKind(Some(\"Deployment\"))"
    );
    assert_eq!(outcome("{}"), "NotAnObject");
    let alpha = backup("{}").replace("/v1\"", "/v1alpha1\"");
    let review = cluster.review(Request::create(alpha.as_str()));
    assert_eq!(review.errors().map(|error| error.field().to_string()).collect::<Vec<_>>(), ["apiVersion"]);
    let broken = CRD.replace("type: string, maxLength: 20", "type: string, x-kubernetes-int-or-string: true");
    let broken = super::Cluster::new(KubeVersion { minor: 35 }).with_crds([definition(&broken)]);
    let text = backup("{}");
    let review = broken.review(Request::create(text.as_str()));
    assert!(matches!(review.outcome(), Outcome::UnusableDefinition(_) | Outcome::Reviewed));
}

#[test]
fn crds_are_reviewed_too() {
    let cluster = cluster();
    let crd = trueline_yaml::yaml_to_value(CRD).unwrap();
    let review = cluster.review(Request::create(&crd));
    assert!(review.is_accepted() && review.stored().is_none(), "{review:?}");
    let wrong = trueline_yaml::yaml_to_value(&CRD.replace("plural: backups", "plural: backup")).unwrap();
    let review = cluster.review(Request::create(&wrong));
    let found: Vec<_> = review.errors().filter_map(|error| error.rule()).map(|rule| rule.name).collect();
    assert_eq!(found, ["crd/name"]);
    assert!(
        review
            .diagnostics(SourceId::from_index(0).span(0, 0), &|scalar, _, _| scalar)
            .iter()
            .all(|finding| !finding.message.is_empty())
    );
}

#[test]
fn hostile_json_gives_errors() {
    let cluster = with_backups();
    let deep =
        |open: &str, close: &str, levels: usize| format!("{}1{}", open.repeat(levels), close.repeat(levels));
    let inside = |inner: &str| backup(&format!(r#"{{"schedule": "x", "labels": {{"a": {inner}}}}}"#));
    for text in [
        String::new(),
        "{".to_owned(),
        "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"spec\": 1e999}".to_owned(),
        deep("[", "]", 100_000),
        deep("{\"a\":", "}", 5_000),
        inside(&deep("[", "]", 300)),
        inside(&deep("[", "]", 2_000)),
        format!("\"{}\"", "x".repeat(4 << 20)),
    ] {
        let review = cluster.review(Request::create(text.as_str()));
        assert_eq!(review.errors().count(), 1, "{}", &text[..text.len().min(50)]);
    }
    // As deep as texts are read.
    for levels in [10, 100, 240] {
        for text in [inside(&deep("[", "]", levels)), inside(&deep("{\"a\":", "}", levels))] {
            assert!(cluster.review(Request::create(text.as_str())).is_accepted(), "{levels}");
        }
        let text = DEPLOYMENT.replace("\"nginx\"", &deep("{\"a\":", "}", levels));
        assert!(!cluster.review(Request::create(text.as_str())).is_accepted());
    }
    let numbers = DEPLOYMENT.replace("\"selector\"", "\"replicas\": 99999999999999999999, \"selector\"");
    assert_eq!(errors(&cluster, Request::create(numbers.as_str())).len(), 1);
    let bytes = [
        br#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": ""#.as_slice(),
        &[0xff, 0xfe],
        b"\"}}",
    ]
    .concat();
    assert!(!cluster.review(Request::create(bytes.as_slice())).is_accepted());
}

#[test]
fn repeated_keys_are_refused_as_unknown_fields_are() {
    let cluster = cluster();
    let text =
        DEPLOYMENT.replace("\"name\": \"web\", \"image\"", "\"name\": \"a\", \"name\": \"web\", \"image\"");
    let request = Request::create(text.as_str());
    assert_eq!(errors(&cluster, request), ["duplicate field \"spec.template.spec.containers[0].name\""]);
    let review = cluster.review(request.field_validation(FieldValidation::Warn));
    assert_eq!((review.errors().count(), review.warnings().count()), (0, 1));
    let review = cluster.review(request.field_validation(FieldValidation::Ignore));
    assert_eq!((review.errors().count(), review.warnings().count()), (0, 0));
    let many = format!(
        r#"{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "a"}}, "data": {{{}"a": "b"}}}}"#,
        "\"a\": \"b\", ".repeat(10_000)
    );
    assert_eq!(cluster.review(Request::create(many.as_str())).errors().count(), 100);
}

#[test]
fn a_cluster_is_shared_by_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Cluster>();
    is_shared::<super::Review<'_>>();
    let cluster = with_backups();
    let texts: Vec<String> =
        (0..8).map(|keep| backup(&format!(r#"{{"schedule": "x", "keep": {keep}}}"#))).collect();
    std::thread::scope(|scope| {
        for text in &texts {
            let cluster = &cluster;
            scope.spawn(move || {
                for _ in 0..20 {
                    let is_zero = text.contains("\"keep\": 0");
                    assert_eq!(cluster.review(Request::create(text.as_str())).is_accepted(), !is_zero);
                    assert!(cluster.review(Request::create(DEPLOYMENT)).is_accepted());
                }
            });
        }
    });
}

#[test]
fn of_two_crds_of_one_kind_the_last_counts() {
    let other = CRD.replace("maxLength: 20", "maxLength: 2");
    let text = backup(r#"{"schedule": "daily"}"#);
    let refuses = |cluster: &Cluster| !cluster.review(Request::create(text.as_str())).is_accepted();
    assert!(refuses(&cluster().with_crds([definition(CRD), definition(&other)])));
    assert!(!refuses(&cluster().with_crds([definition(&other), definition(CRD)])));
    let kind = super::CustomKind::new(&definition(&other));
    let cluster = with_backups();
    assert!(!cluster.review(Request::create(text.as_str()).defined_by(&kind)).is_accepted());
}

#[test]
fn each_kind_is_found_among_many() {
    let crd = |number: usize| {
        let (group, kind) = (format!("group{}.example.com", number % 7), format!("Kind{number}"));
        let limit = format!("maxLength: {number}");
        let text = CRD.replace("group: example.com", &format!("group: {group}"));
        definition(&text.replace("kind: Backup", &format!("kind: {kind}")).replace("maxLength: 20", &limit))
    };
    let cluster = cluster().with_crds((0..300).map(crd));
    for number in [0, 1, 7, 150, 299] {
        let object = |length: usize| {
            backup(&format!(r#"{{"schedule": "{}"}}"#, "x".repeat(length)))
                .replace("example.com", &format!("group{}.example.com", number % 7))
                .replace("Backup", &format!("Kind{number}"))
        };
        assert!(cluster.review(Request::create(object(number).as_str())).is_accepted(), "{number}");
        assert!(!cluster.review(Request::create(object(number + 1).as_str())).is_accepted(), "{number}");
    }
    let elsewhere = backup("{}").replace("example.com", "group1.example.com").replace("Backup", "Kind0");
    let review = cluster.review(Request::create(elsewhere.as_str()));
    assert!(matches!(review.outcome(), Outcome::UnknownKind(None)));
}

//! Admission policies asked about the objects beside them: no panic, the same answer twice, and objects that are filled in
//! once stay as they are.

use trueline_kube::KubeVersion;
use trueline_kube::api::{Api, Kind, Lookup};
use trueline_kube::cel::policy::{Binding, Enforced, Namespace, Parameters, Policy, Request, admitted};
use trueline_kube::manifest::{Object, Options, Verdict, objects, validate};
use trueline_source::{SourceKind, SourceMap};
use trueline_yaml::{ReadOptions, Value};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "policies",
    run,
    seeds: &[
        r#"apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]
    objectSelector: {matchExpressions: [{key: a, operator: NotIn, values: [b]}]}
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: default}}
  matchConditions: [{name: a, expression: "request.name != 'x'"}]
  paramKind: {apiVersion: v1, kind: ConfigMap}
  variables: [{name: all, expression: "object.?data.orValue({})"}, {name: b, expression: "variables.all.size()"}]
  validations:
  - {expression: "variables.b < 3 && params.data.a != ''", messageExpression: "'too many: ' + string(variables.b)"}
  - {expression: "request.userInfo.username == 'a' || object.metadata.name == 'm'", message: m}
  auditAnnotations: [{key: k, valueExpression: "'a' + object.kind"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p, validationActions: [Deny], paramRef: {name: m, parameterNotFoundAction: Deny}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: m}
data: {a: b}
---
apiVersion: v1
kind: Pod
metadata: {generateName: p-}
spec: {containers: [{name: c, image: i, resources: {limits: {cpu: 0.5}}}]}
"#,
        "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {type: LoadBalancer, sessionAffinity: ClientIP, ports: [{port: 80}]}\n---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\nspec: {maxReplicas: 3, behavior: {scaleUp: {}}, scaleTargetRef: {kind: D, name: a}}\n---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: []}}}\n",
    ],
};

/// All ConfigMaps of the input are parameters.
struct Maps(Vec<(String, Value)>);

impl Parameters for Maps {
    fn is_namespaced(&self, _: &str, kind: &str) -> Option<bool> {
        match kind {
            "ConfigMap" => Some(true),
            "Namespace" => Some(false),
            _ => None,
        }
    }

    fn of_kind(&self, _: &str, kind: &str, _: Option<&str>) -> Vec<(&str, &Value)> {
        let maps = self.0.iter().filter(|_| kind == "ConfigMap");
        maps.map(|(name, value)| (name.as_str(), value)).collect()
    }
}

fn kind_of(api: &'static Api, object: &Object<'_>) -> Option<Kind> {
    let (group, version) = object.group_and_version();
    match api.lookup(group, version, object.kind) {
        Lookup::Served(kind) => Some(kind),
        _ => None,
    }
}

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let sources = SourceMap::new();
    let source = sources.add("policies.yaml", SourceKind::File, &*text);
    let stored = sources.get(source);
    let stream = trueline_yaml::read(source, stored.text(), &ReadOptions::default());
    let Some(api) = Api::newest() else { panic!("no API") };
    let all: Vec<Object<'_>> =
        stream.documents.iter().flat_map(|document| objects(document.root())).collect();
    let is_valid = |object: &Object<'_>| {
        let verdict = validate(api, object, &Options::default());
        matches!(verdict, Verdict::Checked(_)) && verdict.is_valid()
    };
    let mut seen = Vec::new();
    let (mut policies, mut bindings, mut maps) = (Vec::new(), Vec::new(), Vec::new());
    for object in &all {
        let value = object.value();
        match object.kind {
            "ValidatingAdmissionPolicy" => policies.extend(Policy::read(&value)),
            "ValidatingAdmissionPolicyBinding" => bindings.extend(Binding::read(&value)),
            _ => {}
        }
        let Some(kind) = kind_of(api, object) else { continue };
        let first = admitted(api, &kind, &value, "default");
        if is_valid(object) {
            let second = admitted(api, &kind, &first, "default");
            assert_eq!(first, second, "what was filled in is filled in again");
        }
        if object.kind == "ConfigMap" {
            maps.push((object.name.to_owned(), first.clone()));
        }
        seen.push((object, kind, first));
    }
    let maps = Maps(maps);
    for policy in policies.into_iter().take(4) {
        let policy = Enforced::new(policy, KubeVersion { minor: 35 });
        for binding in bindings.iter().take(4) {
            for (object, kind, value) in &seen {
                let request = Request {
                    group: kind.group,
                    version: kind.version,
                    kind: kind.kind,
                    resource: Some(kind.plural),
                    is_namespaced: kind.is_namespaced,
                    other_versions: Vec::new(),
                    converts_by_name: false,
                    name: object.name,
                    namespace: kind.is_namespaced.then_some("default"),
                    namespace_object: Namespace::Unknown,
                    object: value,
                    old: (object.name == "m").then_some(value),
                };
                let first = policy.review(binding, &request, &maps);
                let second = policy.review(binding, &request, &maps);
                assert_eq!(first.decisions, second.decisions);
                assert_eq!(first.unknown, second.unknown);
            }
        }
    }
}

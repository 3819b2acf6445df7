//! Objects of built-in kinds against the oldest and the newest API: no panic, every finding at its place, the same
//! findings twice, and no object that differs from itself when it is updated.

use trueline_kube::FieldValidation;
use trueline_kube::api::Api;
use trueline_kube::manifest::{Fact, Options, Verdict, diagnostic, objects, validate, validate_update};
use trueline_source::{SourceKind, SourceMap};
use trueline_yaml::ReadOptions;

use crate::{Target, findings};

pub(crate) const TARGET: Target = Target {
    name: "manifest_check",
    run,
    seeds: &[
        r#"apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}, annotations: {x.io/y: z}, ownerReferences: [{uid: a}]}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}, matchExpressions: [{key: a, operator: In, values: [b]}]}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 1}}
  template:
    metadata: {labels: {app: web, a: b}}
    spec:
      containers:
        - name: web
          image: nginx
          ports: [{containerPort: 80, name: http, protocol: TCP, hostPort: 8080}]
          env: [{name: A, value: b}, {name: B, valueFrom: {secretKeyRef: {name: s, key: k}}}]
          resources: {limits: {cpu: 500m, memory: 1Gi}, requests: {cpu: 0.1, nvidia.com/gpu: 1}}
          livenessProbe: {httpGet: {path: /, port: http}, initialDelaySeconds: 3}
          volumeMounts: [{name: data, mountPath: /data, subPath: a/b}]
      volumes: [{name: data, emptyDir: {sizeLimit: 1e3}}, {name: c, configMap: {name: c, items: [{key: a, path: b}]}}]
      tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 3}]
"#,
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec: {schedule: '*/5 1-2,3 ? JAN MON', jobTemplate: {spec: {completions: 1, template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}}}\n",
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Service, metadata: {name: s}, spec: {type: NodePort, ports: [{port: 80, targetPort: 8080, nodePort: 30000}], clusterIP: 10.0.0.1}}\n- {apiVersion: v1, kind: ConfigMap, data: {a: 1}}\n- {apiVersion: v1, kind: Secret, data: {a: YQ==}, type: kubernetes.io/tls}\n",
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {generateName: i-}\nspec: {rules: [{host: '*.a.b', http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: s, port: {number: 80}}}}]}}]}\nstatus: {loadBalancer: {}}\n",
        "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l, creationTimestamp: 2024-01-01T00:00:00Z}\nspec: {limits: [{type: Container, max: {cpu: 1}, min: {cpu: 2k}}]}\n---\napiVersion: extensions/v1beta1\nkind: Ingress\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, uid: u}\nspec: {containers: [{name: a, image: i, env: [{name: A}, {name: A, value: b}]}], nodeSelector: {beta.kubernetes.io/os: linux}, tolerations: [{key: a}]}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: b, image: i, resources: {limits: {memory: 5MB}}}], activeDeadlineSeconds: 3}\n",
    ],
};

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let sources = SourceMap::new();
    let source = sources.add("object.yaml", SourceKind::File, &*text);
    let stored = sources.get(source);
    let stream = trueline_yaml::read(source, stored.text(), &ReadOptions::default());
    let versions: Vec<_> = Api::versions().collect();
    for version in [versions.first(), versions.last()].into_iter().flatten() {
        let Some(api) = Api::for_version(*version) else { panic!("no API of {version}") };
        for document in &stream.documents {
            for object in objects(document.root()) {
                let strict = validate(api, &object, &Options::default());
                assert_eq!(strict, validate(api, &object, &Options::default()), "the second look differs");
                let Verdict::Checked(problems) = strict else { continue };
                let found: Vec<_> = problems.iter().map(|problem| diagnostic(problem, &object)).collect();
                findings::check(&found, &sources);
                let loose = Options { field_validation: FieldValidation::Ignore, ..Options::default() };
                let Verdict::Checked(fewer) = validate(api, &object, &loose) else {
                    panic!("checked before")
                };
                assert!(fewer.len() <= problems.len(), "less is said of unknown fields, not more");
                let Verdict::Checked(same) = validate_update(api, &object, &object, &Options::default())
                else {
                    panic!("checked before")
                };
                let is_change = |fact: &Fact| matches!(fact, Fact::Changed(..));
                assert!(
                    !same.iter().any(|problem| is_change(&problem.fact)),
                    "an object differs from itself"
                );
                for other in stream.documents.iter().flat_map(|document| objects(document.root())) {
                    if let Verdict::Checked(problems) =
                        validate_update(api, &object, &other, &Options::default())
                    {
                        let found: Vec<_> =
                            problems.iter().map(|problem| diagnostic(problem, &object)).collect();
                        findings::check(&found, &sources);
                    }
                }
            }
        }
    }
}

//! [`Cluster::review`] on one Deployment as JSON, on one core: how many a second, with reading the text, and whether CRDs that
//! the cluster has besides make a difference.

use std::hint::black_box;
use std::sync::Arc;

use trueline_kube::KubeVersion;
use trueline_kube::cluster::{Cluster, Request};
use trueline_kube::crd::{self, Crd};

use crate::measure::best_of;

/// How many CRDs the second cluster has.
const CRDS: usize = 300;
/// How many rounds are measured.
const ROUNDS: usize = 40;

/// A Deployment as a webhook gets it.
const DEPLOYMENT: &str = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","labels":{"app.kubernetes.io/name":"web","app.kubernetes.io/instance":"shop"},"annotations":{"example.com/team":"shop"}},"spec":{"replicas":3,"selector":{"matchLabels":{"app.kubernetes.io/name":"web","app.kubernetes.io/instance":"shop"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":0}},"template":{"metadata":{"labels":{"app.kubernetes.io/name":"web","app.kubernetes.io/instance":"shop"}},"spec":{"serviceAccountName":"web","securityContext":{"runAsNonRoot":true,"runAsUser":1000,"fsGroup":1000},"containers":[{"name":"web","image":"registry.example.com/shop/web:1.4.2","imagePullPolicy":"IfNotPresent","ports":[{"name":"http","containerPort":8080,"protocol":"TCP"},{"name":"metrics","containerPort":9090,"protocol":"TCP"}],"env":[{"name":"MODE","value":"production"},{"name":"PASSWORD","valueFrom":{"secretKeyRef":{"name":"web","key":"password"}}}],"resources":{"requests":{"cpu":"100m","memory":"128Mi"},"limits":{"cpu":"1","memory":"512Mi"}},"livenessProbe":{"httpGet":{"path":"/healthz","port":"http"},"initialDelaySeconds":10},"readinessProbe":{"httpGet":{"path":"/ready","port":"http"},"periodSeconds":5},"volumeMounts":[{"name":"config","mountPath":"/etc/web","readOnly":true},{"name":"tmp","mountPath":"/tmp"}]}],"volumes":[{"name":"config","configMap":{"name":"web"}},{"name":"tmp","emptyDir":{}}],"tolerations":[{"key":"dedicated","operator":"Equal","value":"shop","effect":"NoSchedule"}]}}}}"#;

/// An object of the first CRD.
const BACKUP: &str = r#"{"apiVersion":"group0.example.com/v1","kind":"Kind0","metadata":{"name":"nightly","namespace":"shop"},"spec":{"schedule":"daily","keep":7,"targets":[{"name":"a","size":"10Gi"},{"name":"b","size":"20Gi"}]}}"#;

/// Measures.
pub(crate) fn run() {
    println!("# Reviewing one object as JSON, on one core, with reading it");
    let version = KubeVersion { minor: 35 };
    let plain = Cluster::new(version);
    let crowded = Cluster::new(version).with_crds((0..CRDS).map(definition));
    let review = |cluster: &Cluster, text: &str| {
        let request = Request::create(black_box(text.as_bytes()));
        assert!(cluster.review(request).is_accepted(), "the object is a good one");
    };
    let store = |cluster: &Cluster, text: &str| {
        let request = Request::create(black_box(text.as_bytes()));
        assert!(black_box(cluster.review(request).stored()).is_some(), "the object is a good one");
    };
    let many = format!("a Deployment, {CRDS} CRDs").leak();
    let figures = best_of(
        ROUNDS,
        &mut [
            ("a Deployment, no CRDs", &mut || review(&plain, DEPLOYMENT)),
            (many, &mut || review(&crowded, DEPLOYMENT)),
            ("the same, and what would be stored", &mut || store(&crowded, DEPLOYMENT)),
            ("an object of a CRD with a rule", &mut || review(&crowded, BACKUP)),
        ],
    );
    println!("  {} and {} bytes", DEPLOYMENT.len(), BACKUP.len());
    for figure in figures {
        let (time, name) = (figure.time.as_secs_f64(), figure.name);
        println!("  {name:<40} {:>9.1} µs {:>9.0} reviews a second", time * 1e6, 1.0 / time);
    }
}

fn definition(number: usize) -> Arc<Crd> {
    let text = format!(
        "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: kind{number}s.group{number}.example.com}}
spec:
  group: group{number}.example.com
  scope: Namespaced
  names: {{plural: kind{number}s, kind: Kind{number}}}
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
              x-kubernetes-validations: [{{rule: self.keep >= 1}}]
              properties:
                schedule: {{type: string, maxLength: 100}}
                keep: {{type: integer, default: 3}}
                suspend: {{type: boolean, default: false}}
                targets:
                  type: array
                  maxItems: 10
                  items:
                    type: object
                    properties: {{name: {{type: string}}, size: {{type: string}}}}
"
    );
    let value = trueline_yaml::yaml_to_value(&text).expect("it is YAML");
    Arc::new(crd::decode(&value).expect("it is a CRD").crd)
}

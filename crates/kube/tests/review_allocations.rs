//! What a review allocates does not depend on how many CRDs a cluster has.

use std::sync::Arc;

use allocation_counter::{AllocationInfo, measure};
use trueline_kube::KubeVersion;
use trueline_kube::cluster::{Cluster, Request};
use trueline_kube::crd::{self, Crd};

const VERSION: KubeVersion = KubeVersion { minor: 35 };

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
"
    );
    let value = trueline_yaml::yaml_to_value(&text).unwrap();
    Arc::new(crd::decode(&value).unwrap().crd)
}

/// The allocations of reviewing a string. Its first review makes what is made once: it is not counted.
fn allocations(cluster: &Cluster, text: &str) -> AllocationInfo {
    let errors = || cluster.review(Request::create(text)).errors().count();
    let expected = errors();
    measure(|| assert_eq!(errors(), expected, "{text}"))
}

#[test]
fn more_definitions_do_not_mean_more_allocations() {
    let clusters = [1, 10, 300].map(|number| Cluster::new(VERSION).with_crds((0..number).map(definition)));
    for text in [
        r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "b"}}"#,
        r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "Not a name"}}"#,
        r#"{"apiVersion": "group0.example.com/v1", "kind": "Kind0", "metadata": {"name": "a"}, "spec": {"schedule": "b"}}"#,
        r#"{"apiVersion": "group0.example.com/v1", "kind": "Kind0", "metadata": {"name": "a"}, "spec": {"keep": 0}}"#,
    ] {
        let [one, ten, many] = clusters.each_ref().map(|cluster| allocations(cluster, text));
        assert!(one.count_total > 0, "nothing was counted for {text}");
        for (number, more) in [(10, ten), (300, many)] {
            assert_eq!(one.count_total, more.count_total, "allocations with {number} CRDs, {text}");
            assert_eq!(one.bytes_total, more.bytes_total, "bytes with {number} CRDs, {text}");
        }
    }
}

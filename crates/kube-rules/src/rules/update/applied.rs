//! What `kubectl apply` wrote last: a field that is there and not in the new object is removed by the next
//! one, while what others put into the object stays.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_source::SourceId;
use trueline_yaml::{Document, Limits, NodeRef};

use crate::place::FieldPlace;

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Reads what was applied last, if the object tells and it can be read.
pub(super) fn read(old: &FieldPlace<'_, '_>) -> Option<Document> {
    let metadata = old.child("metadata");
    let annotations = metadata.child("annotations");
    let text = annotations.child(ANNOTATION).full_text()?;
    // Nothing points into this text, so it needs no source of its own.
    trueline_yaml::json::read(SourceId::from_index(0), &Arc::from(text), Limits::default()).ok()
}

/// A value of what was applied last, if there is one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Applied<'d>(Option<NodeRef<'d>>);

impl<'d> Applied<'d> {
    pub(super) fn of(document: Option<&'d Document>) -> Self {
        Applied(document.map(Document::root))
    }

    fn new(node: NodeRef<'d>) -> Self {
        Applied(Some(node).filter(|node| !node.is_null()))
    }

    /// Whether something was applied here.
    pub(super) fn is_there(self) -> bool {
        self.0.is_some()
    }

    /// A field by its name.
    pub(super) fn child(self, name: &str) -> Self {
        self.0.and_then(|node| node.get(name)).map(Applied::new).unwrap_or_default()
    }

    /// The field at a path.
    pub(super) fn at(self, path: &[&str]) -> Self {
        path.iter().fold(self, |applied, name| applied.child(name))
    }

    /// The items of a list.
    pub(super) fn items(self) -> impl Iterator<Item = Applied<'d>> {
        self.0.and_then(NodeRef::items).into_iter().flatten().map(Applied::new)
    }

    /// The entries of a map.
    pub(super) fn entries(self) -> FxHashMap<Cow<'d, str>, Applied<'d>> {
        let entries = self.0.and_then(NodeRef::entries).into_iter().flatten();
        let entries = entries.map(|(key, value)| (key.key_text(), Applied::new(value)));
        entries.filter(|(_, value)| value.is_there()).collect()
    }

    /// The text of a field, whatever its type.
    pub(super) fn text(self, name: &str) -> Option<&'d str> {
        self.child(name).0.and_then(NodeRef::text)
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    /// An object as a cluster returns it, with what was applied last.
    fn stored(object: &str, applied: &str) -> String {
        let head = format!(
            "{{name: a, uid: u, annotations: {{kubectl.kubernetes.io/last-applied-configuration: '{applied}'}}}}"
        );
        object.replace("{name: a}", &head)
    }

    #[test]
    fn what_was_applied_is_taken_away() {
        let bench = Bench::new();
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  dnsPolicy: Default\n  containers:\n    - {name: c, image: i, command: [x], env: [{name: A, value: b}, {name: B, value: c}]}\n    - {name: d, image: i}\n";
        let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  completions: 3\n  template:\n    metadata: {labels: {a: b, c: d}}\n    spec: {restartPolicy: Never, containers: [{name: c, image: i, command: [x]}]}\n";
        let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec:\n  serviceName: web\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: c, image: i}]}\n  volumeClaimTemplates: [{metadata: {name: d}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]\n";
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nimmutable: true\ndata: {a: b}\n";
        let quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: a}\nspec: {hard: {pods: 1}, scopes: [BestEffort]}\n";
        let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec:\n  storageClassName: fast\n  accessModes: [ReadWriteOnce]\n  resources: {requests: {storage: 2Gi}}\n";
        let balancer = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  type: LoadBalancer\n  loadBalancerClass: x.io/y\n  ports: [{port: 80}]\n";
        let cases = [
            (
                pod,
                " command: [x],",
                r#"{"spec":{"containers":[{"name":"d"},{"name":"c","command":["x"]}]}}"#,
                "spec.containers[0].command",
            ),
            (
                pod,
                "{name: A, value: b}, ",
                r#"{"spec":{"containers":[{"name":"c","env":[{"name":"A","value":"b"}]}]}}"#,
                "spec.containers[0].env",
            ),
            (pod, "  dnsPolicy: Default\n", r#"{"spec":{"dnsPolicy":"Default"}}"#, "spec.dnsPolicy"),
            (
                pod,
                "    - {name: d, image: i}\n",
                r#"{"spec":{"containers":[{"name":"c"},{"name":"d"}]}}"#,
                "spec.containers",
            ),
            (
                job,
                ", command: [x]",
                r#"{"spec":{"template":{"spec":{"containers":[{"name":"c","command":["x"]}]}}}}"#,
                "spec.template.spec.containers[0].command",
            ),
            (
                job,
                ", c: d",
                r#"{"spec":{"template":{"metadata":{"labels":{"a":"b","c":"d"}}}}}"#,
                "spec.template.metadata.labels",
            ),
            (job, "  completions: 3\n", r#"{"spec":{"completions":3}}"#, "spec.completions"),
            (set, "  serviceName: web\n", r#"{"spec":{"serviceName":"web"}}"#, "spec.serviceName"),
            (
                set,
                "  volumeClaimTemplates: [{metadata: {name: d}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]\n",
                r#"{"spec":{"volumeClaimTemplates":[{"metadata":{"name":"d"}}]}}"#,
                "spec.volumeClaimTemplates",
            ),
            (map, "immutable: true\n", r#"{"immutable":true}"#, "immutable"),
            (quota, ", scopes: [BestEffort]", r#"{"spec":{"scopes":["BestEffort"]}}"#, "spec.scopes"),
            (
                claim,
                "  storageClassName: fast\n",
                r#"{"spec":{"storageClassName":"fast"}}"#,
                "spec.storageClassName",
            ),
            (
                balancer,
                "  loadBalancerClass: x.io/y\n",
                r#"{"spec":{"loadBalancerClass":"x.io/y"}}"#,
                "spec.loadBalancerClass",
            ),
        ];
        for (object, part, applied, field) in cases {
            let new = object.replace(part, "");
            assert_ne!(new, object, "{part}");
            bench.updates_field(&stored(object, applied), &new, field);
            // What was not applied, or is not known to be, stays.
            for other in [r#"{"spec":{}}"#, "no JSON", r#"{"spec":null}"#, r#"{"spec":[{"containers":1}]}"#] {
                bench.updates(&stored(object, other), &new, &[]);
            }
            bench.updates(&stored(object, applied), object, &[]);
        }
    }

    #[test]
    fn what_is_replaced_as_a_whole_does_not_stay() {
        let bench = Bench::new();
        let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec:\n  devices:\n    requests: [{name: r, exactly: {deviceClassName: c}}]\n    constraints: [{requests: [r], matchAttribute: d.io/x}]\n";
        let stored = claim.replace("{name: a}", "{name: a, uid: u}");
        let constraint = "spec.devices.constraints";
        bench.updates_field(
            &stored,
            &claim.replace("requests: [r], ", ""),
            &format!("{constraint}[0].requests"),
        );
        for nothing in ["null", "[]"] {
            let new = claim.replace("[{requests: [r], matchAttribute: d.io/x}]", nothing);
            bench.updates_field(&stored, &new, constraint);
        }
        // What the new object says nothing of stays.
        bench.updates(
            &stored,
            &claim.replace("    constraints: [{requests: [r], matchAttribute: d.io/x}]\n", ""),
            &[],
        );
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  nodeSelector: {a: b}\n  subdomain: s\n  containers: [{name: c, image: i}]\n";
        let stored = pod.replace("{name: a}", "{name: a, uid: u}");
        bench.updates_field(&stored, &pod.replace("subdomain: s", "subdomain:"), "spec.subdomain");
        bench.updates(&stored, &pod.replace("{a: b}", "{}"), &[]);
        bench.updates(&stored, &pod.replace("  subdomain: s\n", ""), &[]);
    }

    #[test]
    fn what_the_server_fills_in_again_is_no_change() {
        let bench = Bench::new();
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  dnsPolicy: ClusterFirst\n  securityContext: {}\n  containers: [{name: c, image: i, imagePullPolicy: Always, resources: {}}]\n";
        let applied = r#"{"spec":{"dnsPolicy":"ClusterFirst","securityContext":{},"containers":[{"name":"c","imagePullPolicy":"Always","resources":{}}]}}"#;
        let new =
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n";
        bench.updates(&stored(pod, applied), new, &[]);
    }
}

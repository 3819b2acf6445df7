//! Services beside the pods of the same render or file: a selector that matches no pod, a port that no container has.
//!
//! Both are only reported where they are certain. Pods may also come from elsewhere: an operator makes them for its own
//! kinds, a program sets labels while it runs, another file holds them. What may be meant for such pods is not reported.

use trueline_diagnostic::{Code, Diagnostic, Level, Severity, nearest};
use trueline_kube::api::Api;
use trueline_kube::manifest::Object;
use trueline_yaml::NodeRef;

/// A Service that selects nothing.
pub(super) static NO_POD: Code = Code {
    id: "TL0720",
    name: "service-selects-no-pod",
    severity: Severity::Warning,
    summary: "the selector of a Service matches no pod of the same chart",
    explanation: "A Service sends requests to the pods that have all labels of its selector. Here no pod template that the \
                  chart renders in the namespace of the Service has them, so the Service has no endpoints and requests \
                  to it fail. The cluster accepts such a Service without a word.\n\nNothing is said where the pods may \
                  come from elsewhere: where the chart renders custom resources, which an operator may make pods for, \
                  where a label of the selector is on none of the pods (programs set such labels while they run, but not \
                  `helm.sh/chart` and its like), and in \
                  plain files, whose pods may be in another file.",
    wrong: "# The pods have the label `app: web`.\nkind: Service\nspec:\n  selector: {app: wbe}\n",
    right: "kind: Service\nspec:\n  selector: {app: web}\n",
};

/// A Service whose port names no container port.
pub(super) static NO_PORT: Code = Code {
    id: "TL0721",
    name: "service-target-port",
    severity: Severity::Warning,
    summary: "the `targetPort` of a Service names a port that no container has",
    explanation: "A `targetPort` may be the name of a port of a container. If none of the pods that the Service selects has \
                  a port of that name, this port of the Service has no endpoints, and requests to it fail. The cluster \
                  accepts such a Service without a word. Containers and init containers that keep running \
                  (`restartPolicy: Always`) count. Headless Services (`clusterIP: None`) are not looked at: whoever \
                  asks them gets the addresses of the pods, and chooses the port.",
    wrong: "# The container has the port `name: http`.\nkind: Service\nspec:\n  ports:\n    - port: 80\n      targetPort: web\n",
    right: "kind: Service\nspec:\n  ports:\n    - port: 80\n      targetPort: http\n",
};

/// A probe that asks a port that its container does not have.
pub(super) static NO_PROBE_PORT: Code = Code {
    id: "TL0722",
    name: "probe-port",
    severity: Severity::Warning,
    summary: "a probe or hook names a port that its container does not have",
    explanation: "A probe may name a port of its own container. If the container has no port of that name, the probe fails \
                  each time, so the container is restarted or never becomes ready. The cluster accepts such a pod \
                  without a word.",
    wrong: "containers:\n  - name: web\n    ports: [{name: http, containerPort: 80}]\n    livenessProbe:\n      httpGet: {port: htp}\n",
    right: "containers:\n  - name: web\n    ports: [{name: http, containerPort: 80}]\n    livenessProbe:\n      httpGet: {port: http}\n",
};

/// The ports that probes and hooks of containers name and the containers do not have.
pub(super) fn check_probes(objects: &[Object<'_>]) -> Vec<Diagnostic> {
    let templates = objects.iter().filter_map(|object| template(object, ""));
    let lists = templates.filter_map(|template| template.spec).flat_map(|spec| {
        ["containers", "initContainers"].into_iter().filter_map(move |name| spec.get(name)?.items())
    });
    lists.flatten().flat_map(wrong_probes).collect()
}

fn wrong_probes(container: NodeRef<'_>) -> Vec<Diagnostic> {
    let ports = container.get("ports").and_then(NodeRef::items).into_iter().flatten();
    let names: Vec<&str> = ports.filter_map(|port| port.get("name")?.as_str()).collect();
    let probes = ["livenessProbe", "readinessProbe", "startupProbe"];
    let hooks = ["postStart", "preStop"];
    let asked = probes.into_iter().filter_map(|name| container.get(name));
    let asked = asked.chain(hooks.into_iter().filter_map(|name| container.get("lifecycle")?.get(name)));
    let targets = asked.flat_map(|probe| {
        ["httpGet", "tcpSocket"].into_iter().filter_map(move |name| probe.get(name)?.get("port"))
    });
    let wrong = targets.filter_map(|port| {
        let wanted =
            port.as_str().filter(|name| name.contains(|letter: char| letter.is_ascii_lowercase()))?;
        (!names.contains(&wanted)).then_some((port, wanted))
    });
    wrong
        .map(|(port, wanted)| {
            let message = format!("the container has no port named `{wanted}`");
            let finding = Diagnostic::new(&NO_PROBE_PORT, port.span(), message).level(Level::Semantic);
            match nearest(wanted, names.iter().copied()) {
                Some(near) => trueline_kube::offer(finding, near),
                None => finding.help("give a port of the container this name, or write its number here"),
            }
        })
        .collect()
}

/// Where objects are found together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All that a chart renders: other pods are not part of it.
    Render,
    /// A file, beside which there may be others.
    File,
}

/// No more labels than this are compared: who has more gets no answer.
const MOST_COMPARISONS: usize = 5_000_000;

/// Labels that the cluster itself sets on pods.
const SET_BY_CLUSTER: &[&str] = &[
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-completion-index",
    "batch.kubernetes.io/job-name",
    "controller-revision-hash",
    "controller-uid",
    "job-name",
    "pod-template-generation",
    "pod-template-hash",
    "statefulset.kubernetes.io/pod-name",
];

/// Labels that charts set and no program sets while it runs.
const SET_BY_CHARTS: &[&str] =
    &["app.kubernetes.io/managed-by", "app.kubernetes.io/version", "helm.sh/chart", "chart", "heritage"];

/// A label, with the node of its value.
type Label<'d> = (&'d str, &'d str, NodeRef<'d>);

/// What the pods of a workload are made from.
struct Template<'d> {
    namespace: &'d str,
    labels: Vec<Label<'d>>,
    /// Whether its labels can be read. What is wrong with them is an error of its own.
    is_readable: bool,
    /// What the workload itself selects, where its own pods do not have it: an error of its own.
    unmatched: Vec<Label<'d>>,
    spec: Option<NodeRef<'d>>,
}

struct Service<'d> {
    name: &'d str,
    namespace: &'d str,
    selector: Vec<Label<'d>>,
    ports: Vec<NodeRef<'d>>,
}

/// What is wrong with the Services among objects. Those that name no namespace land in `namespace`.
pub(super) fn check(objects: &[Object<'_>], namespace: &str, extent: Extent) -> Vec<Diagnostic> {
    let services: Vec<Service<'_>> = objects.iter().filter_map(|object| service(object, namespace)).collect();
    let is_custom = |object: &Object<'_>| !Api::has_group(object.group_and_version().0);
    if services.is_empty() || objects.iter().any(is_custom) {
        return Vec::new();
    }
    let templates: Vec<Template<'_>> =
        objects.iter().filter_map(|object| template(object, namespace)).collect();
    let labels: usize = templates.iter().map(|template| template.labels.len()).sum();
    let wanted: usize = services.iter().map(|service| service.selector.len()).sum();
    if labels.saturating_mul(wanted) > MOST_COMPARISONS {
        return Vec::new();
    }
    services.iter().flat_map(|service| service.check(&templates, extent)).collect()
}

impl<'d> Service<'d> {
    fn check(&self, templates: &[Template<'d>], extent: Extent) -> Vec<Diagnostic> {
        let near: Vec<&Template<'d>> =
            templates.iter().filter(|template| template.namespace == self.namespace).collect();
        let selected: Vec<&Template<'d>> =
            near.iter().copied().filter(|template| self.missing(template).next().is_none()).collect();
        // One cause is reported once: with the workload.
        let is_explained = |template: &&Template<'d>| {
            let wants = |(key, value, _): &Label<'d>| {
                template.unmatched.iter().any(|(other, wanted, _)| other == key && wanted == value)
            };
            !template.is_readable || !template.unmatched.is_empty() && self.selector.iter().all(wants)
        };
        if selected.is_empty() && near.iter().any(is_explained) {
            return Vec::new();
        }
        match (selected.is_empty(), extent) {
            (true, Extent::Render) => self.selects_nothing(&near).into_iter().collect(),
            (true, Extent::File) => Vec::new(),
            (false, _) => self.ports.iter().filter_map(|port| self.leads_nowhere(*port, &selected)).collect(),
        }
    }

    /// The labels of the selector that a pod does not have.
    fn missing<'s>(&'s self, template: &'s Template<'d>) -> impl Iterator<Item = &'s Label<'d>> {
        self.selector.iter().filter(|(key, value, _)| {
            let is_it = |(other, found, _): &Label<'_>| other == key && found == value;
            !SET_BY_CLUSTER.contains(key) && !template.labels.iter().any(is_it)
        })
    }

    fn selects_nothing(&self, templates: &[&Template<'d>]) -> Option<Diagnostic> {
        let closest = templates.iter().min_by_key(|template| self.missing(template).count())?;
        let keys = || templates.iter().flat_map(|template| &template.labels).map(|(key, ..)| *key);
        let of_template = |key: &str| closest.labels.iter().find(|(other, ..)| *other == key);
        let mut slip = None;
        for (key, ..) in self.missing(closest) {
            // Programs may set a label that no template has; a slip of one that they have is another matter.
            if !SET_BY_CHARTS.contains(key) && !keys().any(|known| known == *key) {
                slip = Some(nearest(key, closest.labels.iter().map(|(key, ..)| *key))?);
            }
        }
        let (key, value, node) = self.missing(closest).next()?;
        let name = self.name;
        let message = format!("the Service `{name}` selects no pod: none has the label `{key}: {value}`");
        let other = of_template(slip.unwrap_or(key));
        // Where each label is on some pod, it is their combination that none has.
        let has_it = |template: &&&Template<'d>| {
            template.labels.iter().any(|(other, found, _)| other == key && found == value)
        };
        let message = match templates.iter().find(has_it) {
            Some(_) => format!("the Service `{name}` selects no pod: none has all labels of its selector"),
            None => message,
        };
        let finding = Diagnostic::new(&NO_POD, node.span(), message).level(Level::Semantic);
        Some(match other {
            Some((key, value, place)) => finding
                .related(place.span(), format!("this pod has `{key}: {value}`"))
                .help("use the labels of the pod template in the selector"),
            None => finding.help("use the labels of a pod template in the selector"),
        })
    }

    fn leads_nowhere(&self, port: NodeRef<'d>, templates: &[&Template<'d>]) -> Option<Diagnostic> {
        let target = port.get("targetPort")?;
        // A number needs no port of the container: what listens there may not be listed.
        let wanted = target.as_str().filter(|name| !name.is_empty() && name.parse::<u32>().is_err())?;
        let names: Vec<&str> = templates.iter().flat_map(|template| template.port_names()).collect();
        if names.contains(&wanted) {
            return None;
        }
        let message =
            format!("no container that the Service `{}` leads to has a port named `{wanted}`", self.name);
        let finding = Diagnostic::new(&NO_PORT, target.span(), message).level(Level::Semantic);
        let mut known = names;
        known.sort_unstable();
        known.dedup();
        Some(match (nearest(wanted, known.iter().copied()), known.as_slice()) {
            (Some(near), _) => finding.help(format!("did you mean `{near}`?")),
            (None, []) => finding.help("give the port of the container this name, or write its number here"),
            (None, known) => {
                let shown: Vec<String> = known.iter().take(5).map(|name| format!("`{name}`")).collect();
                finding.help(format!("the containers have {}", shown.join(", ")))
            }
        })
    }
}

impl<'d> Template<'d> {
    /// The names of the ports of all containers that keep running.
    fn port_names(&self) -> Vec<&'d str> {
        let list = |name: &str| self.spec.and_then(|spec| spec.get(name)?.items()).into_iter().flatten();
        let is_sidecar = |container: &NodeRef<'d>| {
            container.get("restartPolicy").and_then(NodeRef::as_str) == Some("Always")
        };
        let containers = list("containers").chain(list("initContainers").filter(is_sidecar));
        let ports = containers.filter_map(|container| container.get("ports")?.items()).flatten();
        ports.filter_map(|port| port.get("name")?.as_str()).collect()
    }
}

fn service<'d>(object: &Object<'d>, namespace: &'d str) -> Option<Service<'d>> {
    if object.kind != "Service" || object.api_version != "v1" {
        return None;
    }
    let spec = object.node.get("spec")?;
    if spec.get("type").and_then(NodeRef::as_str) == Some("ExternalName") {
        return None;
    }
    let selector = labels(spec.get("selector")?)?;
    // Whoever asks a headless Service gets the addresses of the pods, and chooses the port.
    let is_headless = spec.get("clusterIP").and_then(NodeRef::as_str) == Some("None");
    let ports = spec.get("ports").and_then(NodeRef::items).into_iter().flatten();
    let ports = ports.filter(|_| !is_headless).collect();
    let name = object.name;
    let namespace = namespace_of(object, namespace);
    (!selector.is_empty()).then_some(Service { name, namespace, selector, ports })
}

/// The pods that an object makes, or is.
fn template<'d>(object: &Object<'d>, namespace: &'d str) -> Option<Template<'d>> {
    let (group, _) = object.group_and_version();
    let pod = match (group, object.kind) {
        ("", "Pod") => object.node,
        ("", "ReplicationController")
        | ("apps" | "extensions", "Deployment" | "ReplicaSet" | "DaemonSet")
        | ("apps", "StatefulSet")
        | ("batch", "Job") => object.node.get("spec")?.get("template")?,
        ("batch", "CronJob") => object.node.get("spec")?.get("jobTemplate")?.get("spec")?.get("template")?,
        _ => return None,
    };
    let typed = pod.get("metadata").and_then(|metadata| metadata.get("labels"));
    let read = typed.and_then(labels);
    let is_readable = typed.is_none_or(NodeRef::is_null) || read.is_some();
    let own = read.unwrap_or_default();
    let selector = object.node.get("spec").and_then(|spec| spec.get("selector")?.get("matchLabels"));
    let selector = selector.and_then(labels).unwrap_or_default();
    let is_own =
        |(key, value, _): &Label<'d>| own.iter().any(|(other, found, _)| other == key && found == value);
    let unmatched = if selector.iter().all(is_own) { Vec::new() } else { selector };
    let namespace = namespace_of(object, namespace);
    Some(Template { namespace, labels: own, is_readable, unmatched, spec: pod.get("spec") })
}

fn namespace_of<'d>(object: &Object<'d>, usual: &'d str) -> &'d str {
    if object.namespace.is_empty() { usual } else { object.namespace }
}

/// The labels in a map; nothing if a value is no string, which is an error of its own.
fn labels(map: NodeRef<'_>) -> Option<Vec<Label<'_>>> {
    map.entries()?.map(|(key, value)| Some((key.as_str()?, value.as_str()?, value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_kube::manifest::objects;
    use trueline_source::{SourceKind, SourceMap};
    use trueline_yaml::ReadOptions;

    fn found(text: &str, extent: Extent) -> Vec<String> {
        let sources = SourceMap::new();
        let id = sources.add("t", SourceKind::File, text);
        let source = sources.get(id);
        let stream = trueline_yaml::read(id, source.text(), &ReadOptions::default());
        assert!(stream.errors.is_empty(), "{:?}", stream.errors);
        let all: Vec<Object<'_>> =
            stream.documents.iter().flat_map(|document| objects(document.root())).collect();
        let describe = |finding: Diagnostic| {
            let place = source.slice(finding.primary.span).to_owned();
            format!(
                "{} at {place}: {} ({})",
                finding.code.id,
                finding.message,
                finding.help.unwrap_or_default()
            )
        };
        check(&all, "default", extent).into_iter().map(describe).collect()
    }

    fn deployment(labels: &str, port: &str) -> String {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\nspec:\n  template:\n    metadata:\n      \
             labels: {labels}\n    spec:\n      containers:\n        - name: c\n          ports: [{port}]\n"
        )
    }

    fn service(spec: &str) -> String {
        format!("---\napiVersion: v1\nkind: Service\nmetadata: {{name: s}}\nspec: {spec}\n")
    }

    #[test]
    fn a_selector_that_matches_no_pod_is_told_where_it_is_certain() {
        let pods = deployment("{app: web, tier: front}", "{name: http, containerPort: 80}");
        let told = "TL0720 at wbe: the Service `s` selects no pod: none has the label `app: wbe` (use the labels of \
                    the pod template in the selector)";
        for (spec, expected) in [
            ("{selector: {app: web}}", &[][..]),
            ("{selector: {app: web, tier: front, pod-template-hash: x}}", &[]),
            ("{selector: {app: wbe}}", &[told]),
            ("{selector: {app: wbe, tier: front}}", &[told]),
            // A label that no template has may be set by a program, unless it is a slip of one.
            ("{selector: {app: web, web-active: 'true'}}", &[]),
            (
                "{selector: {app: web, teir: front}}",
                &[
                    "TL0720 at front: the Service `s` selects no pod: none has the label `teir: front` (use the labels of the \
                 pod template in the selector)",
                ],
            ),
            ("{selector: {app: wbe}, type: ExternalName}", &[]),
            ("{selector: {}}", &[]),
            ("{selector: {app: 1}}", &[]),
            ("{ports: []}", &[]),
        ] {
            let text = format!("{pods}{}", service(spec));
            assert_eq!(found(&text, Extent::Render), expected, "{spec}");
            assert_eq!(found(&text, Extent::File), [""; 0], "another file may have the pods: {spec}");
        }
    }

    #[test]
    fn labels_of_different_pods_do_not_make_one() {
        let pods =
            deployment("{app: web, tier: front}", "") + "---\n" + &deployment("{app: api, tier: back}", "");
        let text = pods + &service("{selector: {app: web, tier: back}}");
        let told = found(&text, Extent::Render);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("none has all labels of its selector"), "{told:?}");
    }

    #[test]
    fn nothing_is_told_where_pods_may_come_from_elsewhere() {
        let pods = deployment("{app: web}", "");
        let selector = service("{selector: {app: wbe}}");
        for text in [
            selector.clone(),
            format!(
                "{pods}---\napiVersion: example.com/v1\nkind: Database\nmetadata: {{name: x}}\n{selector}"
            ),
            pods.replace("metadata: {name: d}", "metadata: {name: d, namespace: other}") + &selector,
        ] {
            assert_eq!(found(&text, Extent::Render), [""; 0], "{text}");
        }
        let same = pods.replace("metadata: {name: d}", "metadata: {name: d, namespace: default}") + &selector;
        assert_eq!(found(&same, Extent::Render).len(), 1);
    }

    #[test]
    fn a_named_port_is_one_of_a_container() {
        let sidecar = "{name: http, containerPort: 80}]\n      initContainers:\n        - {name: i, ports: [{name: init}]}\n        \
                       - {name: k, restartPolicy: Always, ports: [{name: side}]}\n      volumes: [";
        let pods = deployment("{app: web}", sidecar);
        for (port, expected) in [
            ("{port: 80, targetPort: http}", &[][..]),
            ("{port: 80, targetPort: side}", &[]),
            ("{port: 80, targetPort: 8080}", &[]),
            ("{port: 80, targetPort: '8080'}", &[]),
            ("{port: 80}", &[]),
            (
                "{port: 80, targetPort: htpp}",
                &[
                    "TL0721 at htpp: no container that the Service `s` leads to has a port named `htpp` (did you mean `http`?)",
                ],
            ),
            (
                "{port: 80, targetPort: init}",
                &[
                    "TL0721 at init: no container that the Service `s` leads to has a port named `init` (the containers have \
                 `http`, `side`)",
                ],
            ),
        ] {
            let text = format!("{pods}{}", service(&format!("{{selector: {{app: web}}, ports: [{port}]}}")));
            for extent in [Extent::Render, Extent::File] {
                assert_eq!(found(&text, extent), expected, "{port}");
            }
        }
        let headless = "{clusterIP: None, selector: {app: web}, ports: [{port: 1, targetPort: x}]}";
        assert_eq!(found(&(pods + &service(headless)), Extent::Render), [""; 0]);
        let bare = deployment("{app: web}", "")
            + &service("{selector: {app: web}, ports: [{port: 1, targetPort: x}]}");
        assert!(
            found(&bare, Extent::Render)[0]
                .ends_with("(give the port of the container this name, or write its number here)")
        );
    }

    #[test]
    fn every_kind_of_workload_makes_pods() {
        let template = "{metadata: {labels: {app: web}}, spec: {containers: [{ports: [{name: p}]}]}}";
        for (head, spec) in [
            ("apps/v1\nkind: StatefulSet", format!("{{template: {template}}}")),
            ("apps/v1\nkind: DaemonSet", format!("{{template: {template}}}")),
            ("apps/v1\nkind: ReplicaSet", format!("{{template: {template}}}")),
            ("v1\nkind: ReplicationController", format!("{{template: {template}}}")),
            ("batch/v1\nkind: Job", format!("{{template: {template}}}")),
            ("batch/v1\nkind: CronJob", format!("{{jobTemplate: {{spec: {{template: {template}}}}}}}")),
        ] {
            let text = format!("apiVersion: {head}\nmetadata: {{name: w}}\nspec: {spec}\n");
            let text = text + &service("{selector: {app: web}, ports: [{port: 1, targetPort: q}]}");
            assert_eq!(found(&text, Extent::Render).len(), 1, "{head}");
        }
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: web}}\nspec: {containers: [{ports: [{name: p}]}]}\n";
        let text = pod.to_owned() + &service("{selector: {app: web}, ports: [{port: 1, targetPort: q}]}");
        assert_eq!(found(&text, Extent::Render).len(), 1);
    }
}

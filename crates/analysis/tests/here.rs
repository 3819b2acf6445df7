//! What units are rendered to, and what is at a place of a file, in charts, folders of ytt and plain manifests.

use std::path::Path;
use std::sync::Arc;

use trueline_analysis::{Change, Here, Host, Item, Part, Rendered, Settings, Snapshot};
use trueline_source::{Cancel, MemorySystem, Span};

const VALUES: &str = "name: web\nreplicas: 2\nlabels:\n  tier: front\n";
const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.name }}\n  labels: {{- toYaml .Values.labels | nindent 4 }}\nspec:\n  replicas: {{ .Values.replicas }}\n  paused: maybe\n";
const YTT: &str = "#@ load(\"@ytt:data\", \"data\")\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: #@ data.values.name\n";
const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec:\n  containers:\n  - name: a\n    image: b\n    ports:\n    - containerPort: 80\n";

fn system() -> MemorySystem {
    [
        ("/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ("/web/values.yaml", VALUES),
        ("/web/ci/large-values.yaml", "replicas: 9\n"),
        ("/web/templates/deployment.yaml", DEPLOYMENT),
        ("/ytt/config.yml", YTT),
        ("/ytt/schema.yml", "#@data/values-schema\n---\nname: web\n"),
        ("/plain/pod.yaml", POD),
        ("/plain/other.yaml", "a:\n  b: [1, 2]\n"),
    ]
    .into_iter()
    .fold(MemorySystem::new(), |system, (path, text)| system.with_file(path, text))
}

fn settings() -> Settings {
    Settings { paths: vec![".".into()], offline: true, ..Settings::default() }
}

fn render(snapshot: &Snapshot, path: &str) -> Arc<Rendered> {
    let unit = snapshot.unit_of(Path::new(path)).unwrap();
    snapshot.render(&unit, &Cancel::new()).unwrap()
}

/// The texts of all renderings, in their order.
fn texts(rendered: &Rendered) -> Vec<String> {
    let files = rendered.renderings().iter().flat_map(|rendering| &rendering.files);
    files.map(|file| String::from_utf8_lossy(&file.text).trim().to_owned()).collect()
}

/// What is at a place of the first file that has this content.
fn at(snapshot: &Snapshot, path: &str, text: &str, place: &str) -> Here {
    snapshot.at(Path::new(path), text.find(place).unwrap()).unwrap()
}

fn places(here: &Here, spans: &[Span]) -> Vec<String> {
    let place = |span: &Span| {
        let source = here.sources.get(span.source);
        format!("{}:{} {}", source.name(), here.sources.position(*span).line, source.slice(*span))
    };
    spans.iter().map(place).collect()
}

#[test]
fn a_chart_is_rendered_with_each_set_of_values() {
    let mut host = Host::new(Arc::new(system()), settings());
    let rendered = render(&host.snapshot(), "web/values.yaml");
    let names: Vec<_> = rendered.renderings().iter().map(|rendering| rendering.values.as_deref()).collect();
    assert_eq!(names, [None, Some("web/ci/large-values.yaml")]);
    let written = texts(&rendered);
    assert!(written[0].contains("replicas: 2") && written[1].contains("replicas: 9"), "{written:?}");
    let document = &rendered.renderings()[1].documents[0];
    let replicas = document.document.root().at_pointer("/spec/replicas").unwrap();
    let origin = rendered.sources.resolve(replicas.span());
    let value = origin.value.map(|value| rendered.sources.get(value.source).name().to_owned());
    assert_eq!(value.as_deref(), Some("web/ci/large-values.yaml"));
    assert_eq!((&*document.template, document.chart.as_str()), ("web/templates/deployment.yaml", "web"));
    // What somebody has not saved counts.
    host.apply(Change::Open("web/values.yaml".into(), VALUES.replace("2", "3").into_bytes().into()));
    assert!(texts(&render(&host.snapshot(), "web/values.yaml"))[0].contains("replicas: 3"));
    // One run that remembers nothing says the same.
    let once = Snapshot::open(Arc::new(system()), settings()).unwrap();
    assert_eq!(texts(&render(&once, "web/values.yaml")), written);
}

#[test]
fn folders_of_ytt_and_plain_manifests_are_rendered_alike() {
    let mut host = Host::new(Arc::new(system()), settings());
    let rendered = render(&host.snapshot(), "ytt/config.yml");
    assert_eq!(texts(&rendered), ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web"]);
    let [rendering] = rendered.renderings() else { panic!("{rendered:?}") };
    let name = rendering.documents[0].document.root().at_pointer("/metadata/name").unwrap();
    let value = rendered.sources.resolve(name.span()).value.unwrap();
    assert_eq!(rendered.sources.get(value.source).name(), "ytt/schema.yml");
    host.apply(Change::Open("plain/pod.yaml".into(), POD.replace("one", "two").into_bytes().into()));
    let rendered = render(&host.snapshot(), "plain/pod.yaml");
    let [rendering] = rendered.renderings() else { panic!("{rendered:?}") };
    let root = rendering.documents[0].document.root();
    assert_eq!(root.at_pointer("/metadata/name").unwrap().as_str(), Some("two"));
    assert_eq!((&*rendering.files[0].path, rendering.documents.len()), ("plain/pod.yaml", 1));
}

#[test]
fn a_value_is_known_with_who_sets_and_reads_it() {
    let snapshot = Host::new(Arc::new(system()), settings()).snapshot();
    let here = at(&snapshot, "web/values.yaml", VALUES, "plicas");
    let Item::Value { keys, part, set, reads } = &here.item else { panic!("{here:?}") };
    assert_eq!((keys.as_slice(), *part), (&["replicas".to_owned()][..], Part::Key));
    assert_eq!(places(&here, set), ["web/values.yaml:2 2"]);
    let reads: Vec<Span> = reads.iter().map(|read| read.span).collect();
    assert_eq!(places(&here, &reads), ["web/templates/deployment.yaml:7 .Values.replicas"]);
    let here = at(&snapshot, "web/values.yaml", VALUES, "front");
    let Item::Value { keys, part, .. } = &here.item else { panic!("{here:?}") };
    assert_eq!((keys.join("."), *part), ("labels.tier".to_owned(), Part::Value));
    let here = at(&snapshot, "web/ci/large-values.yaml", "replicas: 9\n", "9");
    let Item::Value { set, .. } = &here.item else { panic!("{here:?}") };
    assert_eq!(places(&here, set), ["web/values.yaml:2 2", "web/ci/large-values.yaml:1 9"]);
}

#[test]
fn an_action_is_known_with_what_it_reads_and_writes() {
    let mut host = Host::new(Arc::new(system()), settings());
    let here = at(&host.snapshot(), "web/templates/deployment.yaml", DEPLOYMENT, ".Values.replicas");
    let Item::Action { reads, writes } = &here.item else { panic!("{here:?}") };
    assert_eq!(reads, &[["replicas"]]);
    let written: Vec<_> = places(&here, writes);
    assert_eq!(written.len(), 2, "{written:?}");
    assert!(written[0].ends_with(":8 2") && written[1].ends_with(":8 9"), "{written:?}");
    assert_eq!(places(&here, &[here.span]), ["web/templates/deployment.yaml:7 {{ .Values.replicas }}"]);
    // An open text counts in the place of the file.
    let text = DEPLOYMENT.replace(".Values.replicas", ".Values.name | quote");
    host.apply(Change::Open("web/templates/deployment.yaml".into(), text.as_bytes().into()));
    let here = at(&host.snapshot(), "web/templates/deployment.yaml", &text, "| quote");
    assert!(matches!(&here.item, Item::Action { reads, .. } if *reads == [["name"]]), "{here:?}");
}

#[test]
fn a_field_is_known_with_its_definition_and_what_is_reported_there() {
    let snapshot = Host::new(Arc::new(system()), settings()).snapshot();
    let field = |path: &str, text: &str, place: &str| {
        let here = at(&snapshot, path, text, place);
        let Item::Field(field) = here.item else { panic!("{here:?}") };
        let of = field.definition.map(|of| (of.expected, of.name, of.is_required));
        (field.kind, field.keys.join("."), of, here.findings.len())
    };
    let pod = || "Pod (v1)".to_owned();
    assert_eq!(
        field("plain/pod.yaml", POD, "containerPort"),
        (pod(), "spec.containers.0.ports.0.containerPort".into(), Some(("integer".into(), None, true)), 0)
    );
    let container = Some("io.k8s.api.core.v1.Container".to_owned());
    assert_eq!(
        field("plain/pod.yaml", POD, "containers"),
        (pod(), "spec.containers".into(), Some(("list of objects".into(), container, true)), 0)
    );
    let (kind, keys, of, findings) = field("web/templates/deployment.yaml", DEPLOYMENT, "maybe");
    assert_eq!((kind.as_str(), keys.as_str()), ("Deployment (apps/v1)", "spec.paused"));
    assert_eq!((of, findings), (Some(("boolean".to_owned(), None, false)), 1));
    let here = at(&snapshot, "plain/other.yaml", "a:\n  b: [1, 2]\n", "2");
    assert_eq!(here.item, Item::Key { keys: vec!["a".into(), "b".into(), "1".into()], part: Part::Value });
    assert!(snapshot.at(Path::new("readme.md"), 0).is_none());
}

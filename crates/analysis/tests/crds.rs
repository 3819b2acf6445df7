//! What commands ask about CRDs, objects and values beside runs, on a machine in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trueline_analysis::{
    Conditions, CrdFailure, CrdFiles, DiffRequest, Ending, Form, KubeVersion, PublishedForm,
    PublishedSchemas, QueryFailure, Selection, Transformation, UnknownFields, Use, ValueQuestion, ValueStory,
};
use trueline_source::{MemorySystem, Network};

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
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
            properties:
              keep: {type: integer, default: 7}
              zone: {type: string, maxLength: 10}
";

const OBJECT: &str = "apiVersion: example.com/v1
kind: Backup
metadata: {name: nightly}
spec:
  zone: 'a' # near
  unknown: 1
";

fn files(system: MemorySystem) -> CrdFiles {
    CrdFiles::new(Arc::new(system.with_file("/crd.yaml", CRD).with_file("/object.yaml", OBJECT)))
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

#[test]
fn objects_are_pruned_and_filled_in_as_they_were_typed() {
    let files = files(MemorySystem::new());
    let changed = |transformation| {
        let changed = files
            .change(&paths(&["crd.yaml"]), &paths(&["object.yaml"]), transformation, Form::Yaml)
            .unwrap();
        assert!(changed.unreadable.is_empty() && changed.refused.is_empty(), "{changed:?}");
        changed.text
    };
    let pruned = changed(Transformation::Pruned);
    assert_eq!(pruned, OBJECT.replace("  unknown: 1\n", ""));
    let stored = changed(Transformation::Stored);
    assert!(stored.contains("zone: 'a' # near\n  keep: 7\n"), "{stored}");
}

#[test]
fn what_is_wrong_has_a_kind_and_a_place() {
    let files =
        files(MemorySystem::new().with_file("/list.yaml", "- a\n").with_file("/broken.yaml", "a: [\n"));
    let change = |crd: &str, object: &str| {
        files.change(&paths(&[crd]), &paths(&[object]), Transformation::Pruned, Form::Json)
    };
    assert_eq!(
        change("object.yaml", "object.yaml").unwrap_err(),
        CrdFailure::NoDefinition("object.yaml".into())
    );
    assert!(matches!(change("broken.yaml", "object.yaml"), Err(CrdFailure::Unreadable(_))));
    let refused = change("crd.yaml", "broken.yaml").unwrap().refused;
    let [problem] = refused.as_slice() else { panic!("{refused:?}") };
    assert!(problem.sentence(files.sources()).starts_with("broken.yaml:"), "{problem:?}");
    let missing = files.query(Some(Path::new("none.yaml")), None, None, KubeVersion::CRD_RULES);
    assert!(matches!(missing, Err(QueryFailure::Files(CrdFailure::Unreadable(_)))));
}

#[test]
fn changes_are_compared_and_schemas_published() {
    let files = files(
        MemorySystem::new()
            .with_file("/new.yaml", CRD.replace("maxLength: 10", "maxLength: 5"))
            .with_file("/other.yaml", CRD.replace("Namespaced", "Cluster")),
    );
    let diff = |new: &str, old_use| {
        let request = DiffRequest {
            old: "crd.yaml".into(),
            new: new.into(),
            old_use,
            version: None,
            selection: Selection::default(),
            strict: false,
        };
        files.diff(&request).unwrap()
    };
    let run = diff("new.yaml", Use::Assumed);
    assert_eq!((run.ending, run.outcome.findings().count()), (Ending::Valid, 1));
    assert_eq!(diff("other.yaml", Use::Assumed).ending, Ending::Invalid);
    let form = PublishedForm::JsonSchema(UnknownFields::Accepted);
    let wanted = |version: &str| PublishedSchemas { form, version: Some(version.to_owned()) };
    let published = files.publish(&paths(&["crd.yaml"]), &wanted("v1")).unwrap();
    assert!(published.text.is_some_and(|text| text.contains("\"maxLength\": 10")));
    assert!(matches!(files.publish(&paths(&["crd.yaml"]), &wanted("v2")), Err(CrdFailure::NoVersion { .. })));
    let mut conditions = Conditions::default();
    assert!(conditions.read(&files, Path::new("crd.yaml")).unwrap().is_empty() && !conditions.has_any());
}

#[test]
fn expressions_are_asked_of_typed_objects() {
    let files = files(MemorySystem::new());
    let query = files.query(
        Some(Path::new("object.yaml")),
        None,
        Some(Path::new("crd.yaml")),
        KubeVersion::CRD_RULES,
    );
    let answer = query.unwrap().ask("self.spec.keep + size(self.spec.zone)").unwrap();
    assert_eq!((answer.text.as_str(), answer.type_text.as_str()), ("8", "int"));
}

#[test]
fn a_value_is_followed_through_a_chart() {
    let system = MemorySystem::new()
        .with_file("/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
        .with_file("/web/values.yaml", "image:\n  tag: \"1\"\npassword: old\n")
        .with_file("/web/templates/a.yaml", "tag: {{ .Values.image.tag }}\n");
    let system = Arc::new(system);
    let story = |path: &str| {
        let question = ValueQuestion {
            chart: "web".into(),
            path: path.to_owned(),
            values: Default::default(),
            network: Network::Offline,
        };
        ValueStory::of(&question, Arc::clone(&system) as Arc<dyn trueline_source::System>).unwrap()
    };
    let tag = story("image.tag");
    assert_eq!((tag.set.len(), tag.reads.len(), tag.meant.as_deref()), (1, 1, None));
    assert!(story("password").set[0].value.is_none(), "a secret is not given out");
    assert_eq!(story("imag.tag").meant.as_deref(), Some("image.tag"));
}

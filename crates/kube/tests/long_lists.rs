//! Long lists are looked at once: whoever compares each entry with all others makes these tests run for minutes.

use trueline_kube::crd;
use trueline_kube::manifest::{self, Options, Verdict};
use trueline_source::{SourceKind, SourceMap};
use trueline_yaml::{ReadOptions, Stream};

const MANY: usize = 4000;

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n";
const CONTAINER: &str = "  containers:\n  - name: a\n    image: i\n";

/// The same line for each number, with `N` in its place.
fn lines(line: &str) -> String {
    (1..=MANY).map(|number| line.replace('N', &number.to_string())).collect()
}

fn read(text: &str) -> Stream {
    let sources = SourceMap::new();
    let source = sources.add("object.yaml", SourceKind::File, text);
    trueline_yaml::read(source, sources.get(source).text(), &ReadOptions::default())
}

/// How many problems an object has, beside an old one.
fn problems(text: &str, old: Option<&str>) -> usize {
    let api = trueline_kube::api::Api::newest().unwrap();
    let stream = read(text);
    let object = manifest::objects(stream.documents[0].root())[0];
    let options = Options::default();
    let verdict = match old.map(read) {
        Some(old) => {
            let old = manifest::objects(old.documents[0].root())[0];
            manifest::validate_update(api, &object, &old, &options)
        }
        None => manifest::validate(api, &object, &options),
    };
    match verdict {
        Verdict::Checked(problems) => problems.len(),
        Verdict::Skipped(why) => panic!("{why:?}"),
    }
}

#[test]
fn objects() {
    let ports = lines("    - {name: p-N, containerPort: N}\n");
    let volumes = format!("  volumes:\n{}", lines("  - {name: vN, emptyDir: {}}\n"));
    let mounts = |name: &str| {
        format!("    volumeMounts:\n{}", lines(&format!("    - {{name: {name}N, mountPath: /N}}\n")))
    };
    let set = format!(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: s}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  \
         template:\n    metadata: {{labels: {{a: b}}}}\n    spec:\n      containers:\n      - name: a\n        image: i\n        \
         volumeMounts:\n{}  volumeClaimTemplates:\n{}",
        lines("        - {name: vN, mountPath: /N}\n"),
        lines(
            "  - {metadata: {name: vN}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}\n"
        ),
    );
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  ports:\n";
    for (text, expected) in [
        (format!("{POD}{CONTAINER}    ports:\n{ports}"), 0),
        (format!("{POD}{volumes}{CONTAINER}{}", mounts("v")), 0),
        (format!("{POD}{volumes}{CONTAINER}{}", mounts("w")), MANY),
        (set, 0),
        (format!("{service}{}", lines("  - {name: pN, port: N}\n")), 0),
        (format!("{service}{}", lines("  - {name: pN, port: 80}\n")), MANY - 1),
    ] {
        assert_eq!(
            problems(&text, None),
            expected,
            "{}",
            text.lines().take(8).collect::<Vec<_>>().join("\n")
        );
    }
}

#[test]
fn updates() {
    for list in ["  tolerations:\n  - {key: kN, operator: Exists}\n", "  schedulingGates:\n  - {name: gN}\n"]
    {
        let (name, line) = list.split_once('\n').unwrap();
        let pod = format!("{POD}{name}\n{}{CONTAINER}", lines(line));
        assert_eq!(problems(&pod, Some(&pod)), 0, "{list}");
    }
}

#[test]
fn definitions() {
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\nspec:\n  \
                group: example.com\n  scope: Namespaced\n  names:\n    plural: foos\n    kind: Foo\n";
    let crd = |text: &str| crd::decode(&trueline_yaml::yaml_to_value(text).unwrap()).unwrap().crd;
    let versions =
        lines("  - {name: vN, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n");
    let several = crd(&format!("{head}    shortNames:\n{}  versions:\n{versions}", lines("    - sN\n")));
    let errors = several.validate_create(trueline_kube::KubeVersion::CRD_RULES).errors;
    assert!(
        errors
            .iter()
            .all(|error| error.field.starts_with(&["spec", "versions"])
                || error.field.starts_with(&["status"]))
    );
    let single = "  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        \
                  type: object\n        properties:\n          a: {type: string}\n";
    let names: Vec<String> = (1..=MANY).map(|number| format!("k{number}")).collect();
    let large = format!(
        "{head}{single}{}        required: [{}]\n",
        lines("          kN: {type: string}\n"),
        names.join(", ")
    );
    let difference =
        crd::diff(&crd(&large), &crd(&format!("{head}{single}")), trueline_kube::KubeVersion::CRD_RULES);
    assert_eq!(difference.breaks.len(), MANY);
}

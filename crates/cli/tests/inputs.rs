//! Which files are read, and under which configuration.

mod support;

use support::{Sandbox, VALID};

fn bad() -> String {
    VALID.replace("category: devops", "category: nonsense")
}

#[test]
fn standard_input_is_a_dash() {
    let sandbox = Sandbox::new();
    let ran =
        sandbox.run_with_stdin(&["check", "--as", "extension", "--format", "json", "-"], bad().as_bytes());
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.findings()[0].place, "<stdin>:5:13");
    assert_eq!(sandbox.run_with_stdin(&["extension", "check", "-"], VALID.as_bytes()).code, Some(0));
}

#[test]
fn paths_are_shown_from_the_working_directory() {
    let sandbox = Sandbox::new();
    sandbox.file("pkg/extension.yaml", bad());
    let absolute = sandbox.path("pkg").canonicalize().unwrap();
    for path in ["pkg", "./pkg/", "pkg/extension.yaml", absolute.to_str().unwrap()] {
        let (_, findings) = sandbox.findings(&["check", path]);
        assert_eq!(findings[0].place, "pkg/extension.yaml:5:13", "{path}");
    }
    let (_, findings) = sandbox.findings(&["check", "pkg", "./pkg/extension.yaml"]);
    assert_eq!(findings.len(), 1, "a file that is named twice is one: {findings:?}");
}

#[test]
fn the_nearest_configuration_counts() {
    let sandbox = Sandbox::new();
    let ignore = "[[ignore]]\ncodes = [\"CODE\"]\npaths = [\"pkg/**\"]\nreason = \"kept as an example\"\n";
    sandbox.file("repo/pkg/extension.yaml", bad());
    let code = sandbox.findings(&["check", "repo"]).1[0].code.clone();
    let ignore = ignore.replace("CODE", &code);
    sandbox.file("repo/trueline.toml", &ignore);
    for path in ["repo", "repo/pkg", "repo/pkg/extension.yaml"] {
        assert_eq!(sandbox.findings(&["check", path]), (Some(0), vec![]), "{path}");
        assert_eq!(sandbox.findings(&["check", path, "--no-config"]).0, Some(1), "{path}");
    }
    sandbox.file("repo/pkg/trueline.toml", "");
    assert_eq!(
        sandbox.findings(&["check", "repo/pkg/extension.yaml"]).0,
        Some(1),
        "the nearest alone counts"
    );
    assert_eq!(sandbox.findings(&["check", "repo"]).0, Some(1));
    assert_eq!(sandbox.findings(&["check", "repo/pkg", "--config", "repo/trueline.toml"]).0, Some(0));
    sandbox.file("repo/pkg/trueline.toml", "stirct = true\n");
    let (code, findings) = sandbox.findings(&["check", "repo/pkg"]);
    assert_eq!(code, Some(1));
    assert!(findings.iter().any(|finding| finding.place == "repo/pkg/trueline.toml:1:1"), "{findings:?}");
}

/// An entry that hides something in one of several inputs is used, wherever the inputs lie.
#[test]
fn one_configuration_serves_several_inputs() {
    let sandbox = Sandbox::new();
    sandbox.file("a/extension.yaml", bad());
    sandbox.file("b/extension.yaml", VALID.replace("name: demo", "name: other"));
    let code = sandbox.findings(&["check", "a"]).1[0].code.clone();
    sandbox.file("trueline.toml", format!("[[ignore]]\ncodes = [\"{code}\"]\nreason = \"known\"\n"));
    assert_eq!(sandbox.findings(&["check", "a/extension.yaml", "b/extension.yaml"]), (Some(0), vec![]));
    let (_, findings) = sandbox.findings(&["check", "b/extension.yaml"]);
    assert_eq!(findings[0].place, "trueline.toml:1:1", "{findings:?}");
}

#[test]
fn a_file_that_is_named_is_a_manifest_for_extension_check() {
    let sandbox = Sandbox::new();
    sandbox.file("all/odd.yaml", "nickname: demo\n").file("all/good/extension.yaml", VALID);
    let (code, findings) = sandbox.findings(&["extension", "check", "all/odd.yaml"]);
    assert_eq!(code, Some(1));
    assert_eq!(findings[0].place, "all/odd.yaml:1:1", "{findings:?}");
    let ran = sandbox.run_with_stdin(&["extension", "check", "--format", "json", "-"], b"nickname: demo\n");
    assert_eq!(ran.findings()[0].place, "<stdin>:1:1");
    let ran = sandbox.run(&["extension", "check", "all", "--format", "json"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.json()["summary"]["skipped"].to_string().contains("all/odd.yaml"), "{}", ran.stdout);
}

#[test]
fn a_registry_is_a_file_or_a_directory() {
    let sandbox = Sandbox::new();
    let text = VALID.replace("  category: devops", "  category: devops\n  dependencies: [nodejs]");
    sandbox.file("pkg/extension.yaml", text);
    sandbox.file("all/nodejs/extension.yaml", VALID.replace("name: demo", "name: nodejs"));
    let registry = |name: &str| {
        format!(
            "version: '1.0'\nextensions:\n  {name}: {{category: languages, description: A runtime of its own}}\n"
        )
    };
    sandbox.file("with.yaml", registry("nodejs"));
    sandbox.file("without.yaml", registry("python"));
    for (registry, code) in [("with.yaml", 0), ("all", 0), ("without.yaml", 1)] {
        let (ended, findings) = sandbox.findings(&["extension", "check", "pkg", "--registry", registry]);
        assert_eq!(ended, Some(code), "{registry}: {findings:?}");
        if code == 1 {
            assert_eq!(findings[0].place, "pkg/extension.yaml:6:18");
            assert!(findings[0].message.contains("nodejs"), "{findings:?}");
        }
    }
}

#[test]
fn mistakes_of_the_registry_are_reported_once_at_their_place() {
    let sandbox = Sandbox::new();
    sandbox.file("pkg/extension.yaml", VALID);
    let entry = "{category: languages, description: A runtime of its own}";
    for (text, places) in [
        ("version: '1'\nextensions: [a\n".to_owned(), vec!["TL0106 registry.yaml:2:13"]),
        ("version: '1'\nextensions: [a]\n".to_owned(), vec!["TL0201 registry.yaml:2:13"]),
        ("version: '1'\nextensions:\n".to_owned(), vec!["TL0201 registry.yaml:2:1"]),
        (format!("extensions:\n  a: {entry}\n"), vec!["TL0202 registry.yaml:1:1"]),
        (
            format!("version: '1'\nextensions:\n  a: {entry}\n  a: {entry}\n"),
            vec!["TL0105 registry.yaml:4:3"],
        ),
        (format!("version: '1'\nextensions:\n  a: {entry}\n"), vec![]),
        ("version: '1'\nextensions:\n  a: {} # trueline: ignore[TL0202] to be written\n".to_owned(), vec![]),
    ] {
        sandbox.file("registry.yaml", &text);
        for arguments in [
            &["extension", "check", "pkg", "--registry", "registry.yaml"][..],
            &["extension", "check", ".", "--registry", "."],
            &["check", ".", "--registry", "registry.yaml"],
            &["check", "pkg", "./registry.yaml", "--registry", "registry.yaml"],
        ] {
            let (ended, findings) = sandbox.findings(arguments);
            let found: Vec<String> =
                findings.iter().map(|finding| format!("{} {}", finding.code, finding.place)).collect();
            assert_eq!(found, places, "{arguments:?}\n{text}");
            assert_eq!(ended, Some(i32::from(!places.is_empty())), "{arguments:?}\n{text}");
        }
    }
}

#[cfg(unix)]
#[test]
fn nothing_outside_a_package_is_read() {
    let sandbox = Sandbox::new();
    sandbox.file("outside/extension.yaml", bad());
    sandbox.file("all/good/extension.yaml", VALID);
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, sandbox.path(name)).unwrap();
    link("../outside", "all/linked");
    link("../outside/extension.yaml", "all/file.yaml");
    let ran = sandbox.run(&["check", "all", "--format", "json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert_eq!(ran.json()["summary"]["checked"], 1);
    let skipped = ran.json()["summary"]["skipped"].to_string();
    assert!(skipped.contains("all/file.yaml"), "{skipped}");
    assert_eq!(sandbox.run(&["check", "all/linked"]).code, Some(1), "a link that is named is followed");
}

#[cfg(unix)]
#[test]
fn links_that_cannot_be_followed_say_why() {
    let sandbox = Sandbox::new();
    sandbox.file("outside.yaml", "a: 1\n").file("all/good/extension.yaml", VALID);
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, sandbox.path(name)).unwrap();
    link("nowhere.yaml", "all/dangling.yaml");
    link("../outside.yaml", "all/outside.yaml");
    let ran = sandbox.run(&["check", "all", "--format", "json"]);
    let skipped = ran.json()["summary"]["skipped"].to_string();
    assert!(
        skipped.contains("something that does not exist") && skipped.contains("leads out of"),
        "{skipped}"
    );
    let (code, findings) = sandbox.findings(&["check", "all/dangling.yaml"]);
    assert_eq!(code, Some(2));
    assert!(findings[0].message.ends_with("it is a link to something that does not exist"), "{findings:?}");
}

#[test]
fn a_file_with_a_mistake_in_its_syntax_is_not_skipped_too() {
    let sandbox = Sandbox::new();
    sandbox.file("a.json", "{\"a\": 1").file("b.yaml", "a: 1\n");
    let ran = sandbox.run(&["check", "."]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("checked 1: 0 valid, 1 invalid; 1 skipped"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn pipes_and_sockets_are_never_opened() {
    let sandbox = Sandbox::new();
    sandbox.file("all/good/extension.yaml", VALID);
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.path("all/socket.yaml")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(sandbox.path("all/pipe.yaml")).status();
    let ran = sandbox.run(&["check", "all", "--format", "json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    let skipped = ran.json()["summary"]["skipped"].to_string();
    assert!(skipped.contains("all/socket.yaml"), "{skipped}");
    if made.is_ok_and(|status| status.success()) {
        assert!(skipped.contains("all/pipe.yaml"), "{skipped}");
    }
}

/// An absolute `file:` reference is followed below the directory of its schema and nowhere else.
#[test]
fn absolute_file_references_stay_inside_the_directory_of_the_schema() {
    let sandbox = Sandbox::new();
    sandbox
        .file("pkg/parts/port.json", "{\"type\": \"integer\"}")
        .file("port.json", "{\"type\": \"integer\"}")
        .file("pkg/parts/broken.json", "{\"type\": \"integr\"}")
        .file("pkg/extension.yaml", VALID);
    let root = url::Url::from_directory_path(sandbox.path("").canonicalize().unwrap()).unwrap();
    for (reference, code, place, words) in [
        ("pkg/parts/port.json", None, "", ""),
        ("pkg/parts/../parts/port.json", None, "", ""),
        ("pkg/parts/broken.json", Some("TL0240"), "pkg/parts/broken.json:1:10", "`integr`"),
        ("pkg/parts/none.json", Some("TL0244"), "pkg/extension.schema.json:1:31", "does not exist"),
        ("port.json", Some("TL0248"), "pkg/extension.schema.json:1:31", "is outside the package"),
        ("pkg/../port.json", Some("TL0248"), "pkg/extension.schema.json:1:31", "is outside the package"),
    ] {
        let address = format!("{root}{reference}");
        sandbox.file(
            "pkg/extension.schema.json",
            format!("{{\"properties\": {{\"p\": {{\"$ref\": \"{address}\"}}}}}}"),
        );
        for arguments in [
            &["check", "pkg/extension.schema.json", "--as", "json-schema"][..],
            &["check", "pkg/extension.yaml", "--schema-dir", "pkg"][..],
        ] {
            let (ended, findings) = sandbox.findings(arguments);
            match code {
                None => assert_eq!((ended, &findings), (Some(0), &vec![]), "{reference} {arguments:?}"),
                Some(code) => {
                    assert_eq!((ended, findings.len()), (Some(1), 1), "{findings:?}");
                    let first = &findings[0];
                    assert_eq!((first.code.as_str(), first.place.as_str()), (code, place), "{findings:?}");
                    assert!(first.message.contains(words), "{findings:?}");
                }
            }
        }
    }
}

#[test]
fn what_is_named_twice_is_checked_once() {
    let sandbox = Sandbox::new();
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: bs.example.com}\nspec:\n  \
               group: example.com\n  scope: Namespaced\n  names: {kind: B, plural: bs}\n  versions:\n  - {name: v1, served: \
               true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {keep: {type: integer}}}}}\n";
    sandbox
        .file("crd.yaml", crd)
        .file("object.yaml", "apiVersion: example.com/v1\nkind: B\nmetadata: {name: a}\nkeep: x\n")
        .file("sub/other.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    let absolute = sandbox.path("crd.yaml").display().to_string();
    for (paths, count) in [
        (&["crd.yaml", "crd.yaml"][..], 1),
        (&["crd.yaml", "./crd.yaml", "sub/../crd.yaml", &absolute], 1),
        (&["sub/../object.yaml", "object.yaml", "--crd", "crd.yaml", "--crd", "sub/../crd.yaml"], 1),
        (&[".", "sub/..", "sub/../sub"], 3),
        (&["sub", "sub/../sub/other.yaml"], 1),
    ] {
        let ran = sandbox.run(&[&["check", "--format", "short"], paths].concat());
        assert!(ran.stdout.contains(&format!("checked {count}:")), "{paths:?}: {ran:?}");
        assert!(ran.stdout.matches("error[").count() <= 1, "{paths:?}: {ran:?}");
        assert!(!ran.stdout.contains(".."), "{paths:?}: {ran:?}");
    }
    // What is elsewhere is shown as it was typed.
    let mut outside =
        sandbox.command(&["check", "--format", "short", "../object.yaml", "--crd", "../crd.yaml"]);
    let ran = support::run(outside.current_dir(sandbox.path("sub")), b"");
    assert!(ran.stdout.starts_with("../object.yaml:4:7: error["), "{ran:?}");
}

#[test]
fn a_misspelt_group_of_kubernetes_is_told() {
    let sandbox = Sandbox::new();
    for (version, kind, meant) in [
        ("app/v1", "Deployment", Some("apps/v1")),
        ("networking/v1", "Ingress", Some("networking.k8s.io/v1")),
        ("networking.k8s.oi/v1", "Ingress", Some("networking.k8s.io/v1")),
        ("rbac/v1", "Role", Some("rbac.authorization.k8s.io/v1")),
        // Kinds of others that have a name of one of Kubernetes.
        ("batch.volcano.sh/v1alpha1", "Job", None),
        ("serving.knative.dev/v1", "Service", None),
        ("example.com/v1", "Backup", None),
    ] {
        sandbox.file("a.yaml", format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: web}}\n"));
        let ran = sandbox.run(&["check", "a.yaml"]);
        // Groups of CRDs have a dot, so others are certain to be a slip.
        let is_certain = !version.contains('.');
        let (code, help) = match is_certain {
            true => ("error[TL0786]", meant.map(|meant| format!("write `{meant}`"))),
            false => ("warning[TL0781]", meant.map(|meant| format!("did you mean `apiVersion: {meant}`?"))),
        };
        assert_eq!(ran.stdout.contains(code), help.is_some(), "{ran:?}");
        assert!(help.is_none_or(|help| ran.stdout.contains(&help)), "{ran:?}");
        assert!(meant.is_none() || ran.stdout.contains("a.yaml:1:13"), "{ran:?}");
    }
    // The server reads no group or version that is not lower case.
    sandbox.file("a.yaml", "apiVersion: Apps/v1\nkind: Deployment\nmetadata: {name: web}\n");
    let ran = sandbox.run(&["check", "a.yaml"]);
    assert!(ran.stdout.contains("error[TL0702]") && ran.stdout.contains("help: write `apps/v1`"), "{ran:?}");
}

#[test]
fn endings_are_known_in_any_case() {
    let sandbox = Sandbox::new();
    sandbox.file("all/a.YAML", "apiVersion: v1\nkind: Pod\n").file("all/.git/b.yaml", "a: [");
    let places: Vec<String> =
        sandbox.findings(&["check", "all"]).1.into_iter().map(|finding| finding.place).collect();
    assert!(!places.is_empty() && places.iter().all(|place| place.starts_with("all/a.YAML:")), "{places:?}");
}

#[test]
fn lists_say_what_their_items_are_and_need_some() {
    let sandbox = Sandbox::new();
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
        metadata: {name: backups.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  \
        names: {kind: Backup, plural: backups}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    \
        schema:\n      openAPIV3Schema:\n        type: object\n        properties: {spec: {type: object, properties: {a: {type: integer}}}}\n";
    let list = "apiVersion: example.com/v1\nkind: BackupList\nitems:\n- metadata: {name: one}\n  spec: {a: 1}\n\
        - metadata: {name: two}\n  spec: {a: x, b: 2}\n";
    sandbox.file("crd.yaml", definition).file("list.yaml", list);
    let places = |arguments: &[&str]| -> Vec<String> {
        sandbox.findings(arguments).1.into_iter().map(|finding| finding.place).collect()
    };
    assert_eq!(places(&["check", "list.yaml", "--crd", "crd.yaml"]), ["list.yaml:7:13", "list.yaml:7:16"]);
    let pruned = sandbox.run(&["crd", "prune", "--crd", "crd.yaml", "list.yaml"]).stdout;
    assert!(
        pruned.starts_with("apiVersion: example.com/v1\nkind: Backup\n") && !pruned.contains("b: 2"),
        "{pruned}"
    );
    for (items, told) in [
        ("item: []", "--> slip.yaml:3:1"),
        ("itmes: []", "write `items`"),
        ("items: {a: b}", "`items` of a `List` must be a list of objects"),
        ("items: none", "--> slip.yaml:3:1"),
        ("objects: []", "under `items`"),
    ] {
        sandbox.file("slip.yaml", format!("apiVersion: v1\nkind: List\n{items}\n"));
        let ran = sandbox.run(&["check", "slip.yaml"]);
        assert!(ran.code == Some(1) && ran.stdout.contains(told), "{items}: {ran:?}");
    }
    sandbox.file("slip.yaml", "apiVersion: v1\nkind: List\nitems:\n");
    assert_eq!(sandbox.run(&["check", "slip.yaml"]).code, Some(0));
}

#[test]
fn an_ignore_names_a_file_of_values_outside_of_the_chart() {
    let chart = "apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.com/i.svg\n";
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.name }}\n";
    let sandbox = Sandbox::new();
    sandbox
        .file("web/Chart.yaml", chart)
        .file("web/values.yaml", "name: a\n")
        .file("web/templates/a.yaml", map)
        .file("envs/prod.yaml", "name: Not_A_Name\n");
    let codes = |config: &str, arguments: &[&str]| -> Vec<String> {
        sandbox.file("trueline.toml", config);
        sandbox.findings(arguments).1.into_iter().map(|finding| finding.code).collect()
    };
    let given = ["check", "web", "-f", "envs/prod.yaml"];
    assert_eq!(codes("", &given), ["TL0704"]);
    let ignore = |path: &str| {
        format!("[[ignore]]\npaths = [\"{path}\"]\ncodes = [\"TL0704\"]\nreason = \"as the vendor has it\"\n")
    };
    assert_eq!(codes(&ignore("envs/prod.yaml"), &given), [""; 0]);
    assert_eq!(codes(&ignore("envs/"), &given), [""; 0]);
    assert_eq!(codes(&ignore("web/envs/prod.yaml"), &given), ["TL0704"]);
}

//! `trueline helm` end to end, in this process: each run has a world of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use trueline_cli::World;

/// A directory with files, and what is run in it.
struct Place {
    directory: TempDir,
    variables: BTreeMap<OsString, OsString>,
    stdin: &'static str,
}

/// What a run printed.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    code: u8,
    stdout: String,
    stderr: String,
}

const CHART: &str = "apiVersion: v2\nname: t\nversion: 1.0.0\n";

impl Place {
    /// A chart `c` with these files besides its Chart.yaml.
    fn chart(files: &[(&str, &str)]) -> Self {
        let directory = TempDir::new().unwrap();
        let place = Place { directory, variables: BTreeMap::new(), stdin: "" };
        place.write("c/Chart.yaml", CHART);
        for (path, text) in files {
            place.write(&format!("c/{path}"), text);
        }
        place
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.directory.path().join(path)).unwrap()
    }

    fn with(mut self, name: &str, value: impl AsRef<Path>) -> Self {
        self.variables.insert(name.into(), value.as_ref().into());
        self
    }

    fn run(&self, line: &[&str]) -> Ran {
        let (mut world, stdout, stderr) =
            World::new(self.directory.path().to_owned(), self.variables.clone());
        world.set_standard_input(Box::new(self.stdin.as_bytes()));
        let arguments: Vec<OsString> = line.iter().map(OsString::from).collect();
        let code = trueline_cli::helm(&arguments, &mut world);
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(self.directory.path().to_str().unwrap(), "@")
        };
        Ran { code, stdout: text(stdout.take()), stderr: text(stderr.take()) }
    }

    /// What is printed by a run that succeeds and has nothing else to say.
    fn output(&self, line: &[&str]) -> String {
        let ran = self.run(line);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line:?}");
        ran.stdout
    }

    /// What is said by a run that fails and prints nothing.
    fn error(&self, line: &[&str]) -> String {
        let ran = self.run(line);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{line:?}");
        ran.stderr
    }
}

const HOOK: &str = "kind: Pod\nmetadata:\n  name: h\n  annotations:\n    helm.sh/hook: test\n";

#[test]
fn documents_are_printed_as_either_helm_prints_them() {
    let place = Place::chart(&[
        ("templates/b.yaml", "kind: Service\nname: {{ .Release.Name }}\n---\nkind: Secret\n"),
        ("templates/h.yaml", HOOK),
        ("templates/NOTES.txt", "hello\n"),
    ]);
    let expected = |gap: &str| {
        format!(
            "---\n# Source: t/templates/b.yaml\nkind: Secret\n{gap}---\n# Source: t/templates/b.yaml\nkind: \
             Service\nname: r\n---\n# Source: t/templates/h.yaml\n{HOOK}{gap}"
        )
    };
    assert_eq!(place.output(&["template", "r", "c"]), expected("\n"));
    assert_eq!(place.output(&["--compat", "helm3", "template", "r", "c"]), expected(""));
    let place = place.with("TRUELINE_HELM_COMPAT", "3");
    assert_eq!(place.output(&["template", "r", "c"]), expected(""));
}

#[test]
fn parts_can_be_left_out_or_asked_for() {
    let place = Place::chart(&[
        ("templates/a.yaml", "a: 1\n"),
        ("templates/b.yaml", "b: 1\n"),
        ("templates/h.yaml", HOOK),
        ("crds/x.yaml", "kind: CustomResourceDefinition\n"),
    ]);
    let with = |flags: &[&str]| place.output(&[&["template", "r", "c"], flags].concat());
    assert!(with(&[]).contains("h.yaml"));
    for flags in [&["--no-hooks"][..], &["--skip-tests"], &["--no-hooks=true"]] {
        assert!(!with(flags).contains("h.yaml"), "{flags:?}");
    }
    assert!(with(&["--no-hooks=false"]).contains("h.yaml"));
    assert!(!with(&[]).contains("CustomResourceDefinition"));
    assert!(with(&["--include-crds"]).starts_with("---\n# Source: t/crds/x.yaml\n"));
    let shown = with(&["-s", "templates/b.yaml", "--show-only=templates/a.yaml"]);
    assert_eq!(
        shown,
        "---\n# Source: t/templates/b.yaml\nb: 1\n\n---\n# Source: t/templates/a.yaml\na: 1\n\n\n"
    );
    assert_eq!(
        place.error(&["template", "r", "c", "-s", "templates/no.yaml"]),
        "Error: could not find template templates/no.yaml in chart\n"
    );
}

#[test]
fn values_come_from_everywhere() {
    let mut place = Place::chart(&[
        ("values.yaml", "a: chart\nb: chart\nc: chart\n"),
        ("templates/a.yaml", "v: {{ .Values.a }} {{ .Values.b }} {{ .Values.c }} {{ .Values.d }}\n"),
    ]);
    place.write("v.yaml", "b: file\n");
    place.write("text", "from a file");
    place.stdin = "c: stdin\n";
    let line = ["template", "c", "-fv.yaml", "-f", "-", "--set", "a=set", "--set-file", "d=text"];
    assert_eq!(place.output(&line), "---\n# Source: t/templates/a.yaml\nv: set file stdin from a file\n");
    assert_eq!(
        place.error(&["template", "c", "-f", "no.yaml"]),
        "Error: open no.yaml: no such file or directory\n"
    );
    assert_eq!(
        place.error(&["template", "c", "--set", "a"]),
        "Error: failed parsing --set data: key \"a\" has no value\n"
    );
}

#[test]
fn the_release_and_the_cluster_are_what_the_flags_say() {
    let text = "v: {{ .Release.Name }} {{ .Release.Namespace }} {{ .Release.IsUpgrade }} {{ .Capabilities.KubeVersion }} {{ \
                .Capabilities.APIVersions.Has \"x/v1\" }}\n";
    let place = Place::chart(&[("templates/a.yaml", text)]);
    for (line, expected) in [
        (&["template", "c"][..], "release-name default false v1.37.0 false"),
        (
            &["template", "c", "-n", "ns", "--is-upgrade", "--kube-version", "1.30", "-a", "y/v1,x/v1"],
            "release-name ns true v1.30 true",
        ),
        (
            &["-nns", "template", "--name-template", "a-{{ \"B\" | lower }}", "c"],
            "a-b ns false v1.37.0 false",
        ),
        (&["template", "--generate-name", "c"], "release-name default false v1.37.0 false"),
    ] {
        let printed = place.output(line);
        assert_eq!(printed, format!("---\n# Source: t/templates/a.yaml\nv: {expected}\n"), "{line:?}");
    }
    let place = place.with("HELM_NAMESPACE", "of-variable");
    assert!(place.output(&["template", "c"]).contains(" of-variable "));
}

#[test]
fn files_are_written_below_a_directory() {
    let place = Place::chart(&[
        ("templates/a.yaml", "a: 1\n---\nb: 2\n"),
        ("templates/h.yaml", HOOK),
        ("crds/x.yaml", "x: 1\n"),
    ]);
    let printed = place.output(&["template", "r", "c", "--output-dir", "out", "--include-crds"]);
    assert_eq!(
        printed,
        "wrote out/t/crds/x.yaml\nwrote out/t/templates/a.yaml\nwrote out/t/templates/a.yaml\nwrote \
         out/t/templates/h.yaml\n\n"
    );
    assert_eq!(
        place.read("out/t/templates/a.yaml"),
        "---\n# Source: t/templates/a.yaml\na: 1\n\n---\n# Source: t/templates/a.yaml\nb: 2\n\n"
    );
    let printed =
        place.output(&["template", "r", "c", "--output-dir", "named", "--release-name", "--no-hooks"]);
    assert_eq!(printed, "wrote named/r/t/templates/a.yaml\nwrote named/r/t/templates/a.yaml\n\n");
}

#[test]
fn random_functions_repeat_themselves_with_a_seed() {
    let place = Place::chart(&[("templates/a.yaml", "v: {{ randAlphaNum 20 }}\n")]);
    let run = |flags: &[&str]| place.output(&[&["template", "c"], flags].concat());
    assert_eq!(run(&["--seed", "7"]), run(&["--seed", "7"]));
    assert_ne!(run(&["--seed", "7"]), run(&["--seed", "8"]));
    assert_ne!(run(&[]), run(&[]));
}

#[test]
fn mistakes_on_the_command_line_are_reported_as_cobra_does() {
    let place = Place::chart(&[("templates/a.yaml", "a: 1\n")]);
    for (line, error) in [
        (&["bogus"][..], "unknown command \"bogus\" for \"helm\"\nRun 'helm --help' for usage."),
        (
            &["templat"],
            "unknown command \"templat\" for \"helm\"\n\nDid you mean this?\n\ttemplate\n\nRun 'helm --help' for usage.",
        ),
        (
            &["template"],
            "\"helm template\" requires at least 1 argument\n\nUsage:  helm template [NAME] [CHART] [flags]",
        ),
        (&["template", "c", "--bogus"], "unknown flag: --bogus"),
        (&["template", "c", "-z"], "unknown shorthand flag: 'z' in -z"),
        (&["-n"], "flag needs an argument: 'n' in -n"),
        (
            &["--compat=2", "template", "c"],
            "invalid argument \"2\" for \"--compat\" flag: it must be helm3 or helm4",
        ),
        (
            &["template", "c", "--timeout", "x"],
            "invalid argument \"x\" for \"--timeout\" flag: time: invalid duration \"x\"",
        ),
        (
            &["template", "c", "--wait=zz"],
            "invalid argument \"zz\" for \"--wait\" flag: invalid wait input \"zz\". Valid inputs are watcher, hookOnly, \
             and legacy",
        ),
        (
            &["template", "c", "--post-renderer", "none"],
            "invalid argument \"none\" for \"--post-renderer\" flag: plugin: {Name:none Type:postrenderer/v1} not found",
        ),
        (
            &["template", "c", "--force-replace", "--force-conflicts"],
            "if any flags in the group [force-replace force-conflicts] are set none of the others can be; \
             [force-conflicts force-replace] were all set",
        ),
        (
            &["template", "c", "--dry-run=none"],
            "invalid dry-run value (\"none\"). Must be \"server\" or \"client\"",
        ),
        (
            &["--compat=helm3", "template", "c", "--dry-run=foo"],
            "Invalid dry-run flag. Flag must one of the following: false, true, none, client, server",
        ),
        (&["template", "a", "b", "c"], "expected at most two arguments, unexpected arguments: c"),
        (&["template", "-g", "a", "c"], "cannot set --generate-name and also specify a name"),
        (
            &["template", "c", "--kube-version", "abc"],
            "invalid kube version 'abc': could not parse \"abc\" as version",
        ),
        (&["template", "./none"], "path \"./none\" not found"),
        (
            &["template", "c", "-l", "owner=x"],
            "user supplied labels contains system reserved label name. System labels: \
             [name owner status version createdAt modifiedAt]",
        ),
    ] {
        assert_eq!(place.error(line), format!("Error: {error}\n"), "{line:?}");
    }
}

#[test]
fn helm_says_things_beside_its_output() {
    let place = Place::chart(&[("templates/a.yaml", "a: 1\n")]);
    let printed = "---\n# Source: t/templates/a.yaml\na: 1\n";
    for (line, said) in [
        (
            &["template", "c", "--atomic"][..],
            "Flag --atomic has been deprecated, use --rollback-on-failure instead",
        ),
        (
            &["template", "c", "--wait=true"],
            "level=WARN msg=\"--wait=true is deprecated (boolean value) and can be replaced with --wait=watcher\"",
        ),
        (
            &["template", "c", "--dry-run"],
            "level=WARN msg=\"--dry-run is deprecated and should be replaced with '--dry-run=client'\"",
        ),
    ] {
        let ran = place.run(line);
        assert_eq!(ran, Ran { code: 0, stdout: printed.to_owned(), stderr: format!("{said}\n") }, "{line:?}");
    }
    assert_eq!(
        place.output(&["--compat=helm3", "template", "c", "--atomic", "--dry-run", "--wait"]),
        printed
    );
    let bad_name = place.error(&["template", "A", "c"]);
    assert!(bad_name.starts_with(
        "level=ERROR msg=\"release name check failed\" error=\"release name \\\"A\\\": invalid"
    ));
    assert!(
        bad_name.contains("\nError: release name check failed: release name \"A\": invalid release name")
    );
}

#[test]
fn what_cannot_be_rendered_is_shown_with_debug() {
    let place = Place::chart(&[("templates/a.yaml", "a: [1\n"), ("templates/b.yaml", "b: 1\n")]);
    let parse = "YAML parse error on t/templates/a.yaml: error converting YAML to JSON: yaml: line 1: did not find expected \
                 ',' or ']'";
    assert_eq!(
        place.error(&["template", "c"]),
        format!("Error: {parse}\n\nUse --debug flag to render out invalid YAML\n")
    );
    let ran = place.run(&["template", "c", "--debug"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.stdout,
        "---\n# Source: t/templates/a.yaml\na: [1\n\n---\n# Source: t/templates/b.yaml\nb: 1\n"
    );
    assert!(
        ran.stderr.starts_with("level=DEBUG msg=\"Original chart version\" version=\"\"\n"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.ends_with(&format!("Error: {parse}\n")), "{}", ran.stderr);
}

#[test]
fn charts_are_refused_as_helm_refuses_them() {
    let chart = |more: &str| {
        let place = Place::chart(&[("templates/a.yaml", "a: 1\n")]);
        place.write("c/Chart.yaml", &format!("{CHART}{more}"));
        place
    };
    assert_eq!(
        chart("type: library\n").error(&["template", "c"]),
        "Error: library charts are not installable\n"
    );
    let missing = "dependencies:\n- {name: zz, version: '1', repository: x}\n";
    assert_eq!(
        chart(missing).error(&["template", "c"]),
        "Error: an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to \
         fetch missing dependencies: found in Chart.yaml, but missing in charts/ directory: zz\n"
    );
    assert_eq!(
        chart("kubeVersion: <1.20.0\n").error(&["template", "c"]),
        "Error: chart requires kubeVersion: <1.20.0 which is incompatible with Kubernetes v1.37.0\n\nUse --debug flag to \
         render out invalid YAML\n"
    );
    let deprecated = chart("deprecated: true\n");
    assert_eq!(deprecated.run(&["template", "c"]).stderr, "level=WARN msg=\"this chart is deprecated\"\n");
    assert_eq!(
        deprecated.run(&["--compat=helm3", "template", "c"]).stderr,
        "WARNING: This chart is deprecated\n"
    );
    let cluster = chart("").error(&["template", "c", "--dry-run=server"]);
    assert!(cluster.ends_with("Error: cluster reachability check failed: kubernetes cluster unreachable: trueline talks to no cluster\n"));
}

#[test]
fn objects_of_helm_are_seen_as_helm_shows_them() {
    for (template, expected) in [
        ("{{ .Files.nope }} {{ (.Files.Glob \"x\").nope }} {{ index .Files \"nope\" }}", "[] [] []"),
        ("{{ .Files.nope | toJson }} {{ typeOf .Files.nope }} {{ len .Files.nope }}", "null []uint8 0"),
        (
            "{{ printf \"%s|%q|%x|%#v\" .Files.nope .Files.nope .Files.nope .Files.nope }}",
            "|\"\"||[]byte(nil)",
        ),
        ("{{ .Files.nope | toString | quote }} {{ eq .Files.nope nil }}", "\"\" true"),
        ("{{ range .Files.nope }}x{{ else }}none{{ end }} {{ .Files.nope | default \"d\" }}", "none d"),
        (
            "{{ printf \"%d\" .Capabilities.KubeVersion }}",
            "{%!d(string=v1.37.0) %!d(string=v1.37.0) %!d(string=1) %!d(string=37)}",
        ),
        (
            "{{ .Capabilities.HelmVersion.GoVersion }} {{ .Capabilities.HelmVersion }}",
            "go1.26.8 {v4.3.1   go1.26.8 v1.37}",
        ),
        (
            "{{ toJson .Capabilities.HelmVersion }}",
            r#"{"version":"v4.3.1","go_version":"go1.26.8","kube_client_version":"v1.37"}"#,
        ),
        ("{{ ((toDate \"2006\" \"2020\").Add 5000000000).Second }}", "5"),
        ("{{ (now.Sub now).Round 7 }} {{ date \"2006\" -9223372036854775808 }}", "0s 292277026596"),
    ] {
        let place = Place::chart(&[("templates/t.yaml", &format!("a: >-\n  {template}"))]);
        let expected = format!("---\n# Source: t/templates/t.yaml\na: >-\n  {expected}\n");
        assert_eq!(place.output(&["template", "r", "c"]), expected, "{template}");
    }
    let place = Place::chart(&[("templates/t.yaml", "{{ now.Add \"5\" }}")]);
    let error = place.error(&["template", "r", "c"]);
    assert!(error.contains("expected integer; found \"5\""), "{error}");
}

#[test]
fn names_are_made_of_variables() {
    let place = Place::chart(&[("templates/t.yaml", "a: {{ .Release.Name }}")]).with("WHO", "me");
    for (template, name) in [
        ("x{{ env \"WHO\" }}", "xme"),
        ("{{ expandenv \"${WHO}-$WHO\" }}", "me-me"),
        ("n{{ env \"NOPE\" }}", "n"),
    ] {
        let printed = place.output(&["template", "c", "--name-template", template]);
        assert!(printed.ends_with(&format!("a: {name}\n")), "{printed}");
    }
    let place = Place::chart(&[("templates/t.yaml", "{{ env \"WHO\" }}")]);
    assert!(place.error(&["template", "r", "c"]).contains("function \"env\" not defined"));
}

#[test]
fn what_cannot_be_written_is_said_in_helm_s_words() {
    let place = Place::chart(&[("templates/t.yaml", "a: 1")]);
    place.write("file", "");
    place.write("full/t/templates/t.yaml/x", "");
    for (directory, words) in [
        ("file", "stat file/t/templates: not a directory"),
        ("full", "open full/t/templates/t.yaml: is a directory"),
    ] {
        let line = ["template", "r", "c", "--output-dir", directory];
        let hint = "\n\nUse --debug flag to render out invalid YAML\n";
        assert_eq!(place.error(&line), format!("Error: {words}{hint}"));
        let ran = place.run(&[&line[..], &["--debug"]].concat());
        assert!(ran.stdout == "\n" && ran.stderr.ends_with(&format!("Error: {words}\n")), "{ran:?}");
    }
}

#[test]
fn certificates_are_looked_at_first() {
    let place = Place::chart(&[]);
    place.write("junk", "junk");
    let missing = "open nope: no such file or directory";
    for (flags, words) in [
        (&["--ca-file", "nope"][..], format!("can't read CA file: \"nope\": {missing}")),
        (&["--ca-file", "junk"], "failed to append certificates from pem block".to_owned()),
        (
            &["--cert-file", "nope", "--key-file", "junk"],
            format!("unable to read cert file: \"nope\": {missing}"),
        ),
    ] {
        let error = place.error(&[&["template", "r", "c"], flags].concat());
        let before = "Error: missing registry client: can't create TLS config for client: ";
        assert_eq!(error, format!("{before}{words}\n"));
    }
    place.output(&["template", "r", "c", "--cert-file", "nope"]);
}

#[test]
fn helm_3_says_first_what_is_not_to_be_shown() {
    let place = Place::chart(&[("templates/t.yaml", "a: b: c")]);
    let line = ["template", "r", "c", "--debug", "-s", "nope"];
    let helm3 = place.run(&[&line[..], &["--compat", "helm3"]].concat());
    let lines =
        "install.go:225: [debug] Original chart version: \"\"\ninstall.go:242: [debug] CHART PATH: @/c\n\n";
    assert_eq!(helm3.stderr, format!("{lines}Error: could not find template nope in chart\n"));
    assert!(place.run(&line).stderr.ends_with("mapping values are not allowed in this context\n"));
}

#[test]
fn every_command_has_help() {
    let place = Place::chart(&[]);
    let overview = place.output(&[]);
    assert!(overview.contains("template"), "{overview}");
    assert_eq!(place.output(&["help"]), overview);
    let help = place.output(&["template", "--help"]);
    assert_eq!(place.output(&["help", "template"]), help);
    for part in [
        "trueline helm template [NAME] [CHART] [flags]",
        "-f, --values strings",
        "--seed int",
        "--dry-run",
        "from the cache",
        "are accepted",
    ] {
        assert!(help.contains(part), "{help}");
    }
}

#[test]
fn a_chart_is_made_linted_packed_and_shown() {
    let place = Place::chart(&[]).with("SOURCE_DATE_EPOCH", "1600000000");
    assert_eq!(place.output(&["create", "web"]), "Creating web\n");
    assert!(place.directory.path().join("web/charts").is_dir());
    let again = place.output(&["create", "web"]);
    assert_eq!(again.lines().filter(|line| line.ends_with("already exists. Overwriting.")).count(), 12);
    let linted =
        "==> Linting web\n[INFO] Chart.yaml: icon is recommended\n\n1 chart(s) linted, 0 chart(s) failed\n";
    assert_eq!(place.output(&["lint", "web"]), linted);
    assert_eq!(place.output(&["lint", "web", "--quiet"]), "");
    assert_eq!(
        place.output(&["package", "web", "-d", "out", "--version", "1.0.0", "--app-version", "2"]),
        "Successfully packaged chart and saved it to: out/web-1.0.0.tgz\n"
    );
    let first = fs::read(place.directory.path().join("out/web-1.0.0.tgz")).unwrap();
    place.output(&["package", "web", "-d", "out", "--version", "1.0.0", "--app-version", "2"]);
    assert_eq!(fs::read(place.directory.path().join("out/web-1.0.0.tgz")).unwrap(), first);
    let shown = place.output(&["show", "chart", "out/web-1.0.0.tgz"]);
    assert!(shown.contains("appVersion: \"2\"\n") && shown.contains("version: 1.0.0\n"), "{shown}");
    assert!(place.output(&["lint", "out/web-1.0.0.tgz"]).contains("0 chart(s) failed"));
    assert!(place.output(&["template", "r", "out/web-1.0.0.tgz"]).contains("kind: Deployment"));
}

#[test]
fn what_cannot_be_made_or_packed_leaves_nothing_behind() {
    let place = Place::chart(&[("values.schema.json", "{")]);
    for (line, error) in [
        (&["package"][..], "need at least one argument, the path to the chart"),
        (&["package", "nope"], "stat nope: no such file or directory"),
        (&["package", "c", "-d", "out"], "failed to save: invalid JSON in values.schema.json"),
        (&["package", "c", "--version", "x"], "invalid semantic version"),
        (&["package", "c", "--sign"], "--key is required for signing a package"),
        (&["package", "c", "-d", "c/Chart.yaml"], "failed to save: is not a directory: c/Chart.yaml"),
        (
            &["package", "c", "--sign", "--key", "k", "--keyring", ""],
            "--keyring is required for signing a package",
        ),
        (&["verify", "c"], "unpacked charts cannot be verified"),
        (&["verify", "c/Chart.yaml"], "chart must be a tgz file"),
    ] {
        assert_eq!(place.error(line), format!("Error: {error}\n"), "{line:?}");
    }
    let made = place.run(&["create", "a+b"]);
    assert_eq!((made.code, made.stdout.as_str()), (1, "Creating a+b\n"));
    assert_eq!(made.stderr, "Error: chart name must match the regular expression \"^[a-zA-Z0-9._-]+$\"\n");
    let names: Vec<_> =
        fs::read_dir(place.directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["c"]);
}

#[test]
#[cfg(not(feature = "sign"))]
fn signatures_need_a_build_that_has_them() {
    let place = Place::chart(&[]);
    let missing = "this trueline was built without signatures: build it with `--features sign`";
    let sign = ["package", "c", "--sign", "--key", "k", "--keyring", "c/Chart.yaml"];
    assert_eq!(place.error(&sign), format!("Error: {missing}\n"));
    let packed = place.output(&["package", "c"]);
    let archive = packed.trim_end().rsplit('/').next().unwrap();
    fs::write(place.directory.path().join(format!("{archive}.prov")), "").unwrap();
    let verify = ["verify", archive, "--keyring", "c/Chart.yaml"];
    assert_eq!(place.error(&verify), format!("Error: failed to load keyring: {missing}\n"));
}

#[test]
fn subcharts_are_linted_on_their_own_if_asked_for() {
    let place = Place::chart(&[("charts/s/Chart.yaml", "apiVersion: v2\nname: s\n")]);
    let ran = place.run(&["lint", "c", "--with-subcharts"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("==> Linting c/charts/s\n[ERROR] Chart.yaml: version is required\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stderr, "Error: 2 chart(s) linted, 2 chart(s) failed\n");
}

#[test]
fn a_starter_is_found_by_name_or_path() {
    let place = Place::chart(&[("templates/x.yaml", "name: <CHARTNAME>\n")]);
    let directory = place.directory.path().to_owned();
    let place = place.with("HELM_DATA_HOME", directory.join("data"));
    let error = place.run(&["create", "new", "-p", "nope"]).stderr;
    assert!(error.contains("data/starters/nope: no such file or directory"), "{error}");
    place.output(&["create", "new", "-p", directory.join("c").to_str().unwrap()]);
    assert_eq!(place.read("new/templates/x.yaml"), "name: new\n");
    assert!(place.read("new/Chart.yaml").contains("name: new\n"));
}

#[test]
fn the_version_is_that_of_the_helm_that_is_followed() {
    let place = Place::chart(&[]);
    assert_eq!(place.output(&["version", "--short"]), "v4.3.1\n");
    assert_eq!(place.output(&["version", "--template", "{{ .Version }}!"]), "v4.3.1!");
    assert_eq!(
        place.output(&["--compat=helm3", "version"]),
        "version.BuildInfo{Version:\"v3.22.0\", GitCommit:\"\", GitTreeState:\"\", GoVersion:\"go1.26.8\"}\n"
    );
    assert_eq!(
        place.error(&["version", "x"]),
        "Error: \"helm version\" accepts no arguments\n\nUsage:  helm version [flags]\n"
    );
    assert_eq!(
        place.error(&["version", "--template", "{{ .Foo }}"]),
        "Error: template: _:1:3: executing \"_\" at <.Foo>: can't evaluate field Foo in type version.BuildInfo\n"
    );
}

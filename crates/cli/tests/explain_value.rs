//! `explain-value` through the built program.

mod support;

use support::Sandbox;

fn chart() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .file("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
        .file("web/values.yaml", "image:\n  tag: \"1\"\npassword: old\nextra: {a: 1}\n")
        .file(
            "web/templates/a.yaml",
            "tag: {{ .Values.image.tag }}\nsecret: {{ .Values.password }}\n{{ toYaml .Values.extra }}\n",
        )
        .file("prod.yaml", "image: {tag: \"2\"}\npassword: new\n");
    sandbox
}

#[test]
fn who_sets_and_who_reads_a_value_is_told() {
    let sandbox = chart();
    for (arguments, code, expected) in [
        (
            vec!["image.tag", "-f", "prod.yaml", "--set", "image.tag=3"],
            0,
            "image.tag\n  set by      --set image.tag=3:1:11  3\n  replaces    prod.yaml:1:14  \"2\"\n  \
             replaces    web/values.yaml:2:8  \"1\"\n  read by     web/templates/a.yaml:1:9\n",
        ),
        (
            vec!["extra.a"],
            0,
            "extra.a\n  set by      web/values.yaml:4:12  1\n  \
             read by     web/templates/a.yaml:3:11  with everything around it\n",
        ),
        (
            vec!["password", "-f", "prod.yaml"],
            0,
            "password\n  set by      prod.yaml:2:11  (not shown)\n  replaces    web/values.yaml:3:11  (not shown)\n  \
             read by     web/templates/a.yaml:2:12\n",
        ),
        (
            vec!["imag.tag"],
            1,
            "imag.tag\n  nothing sets it\n  no template reads it\n  did you mean `image.tag`?\n",
        ),
    ] {
        let ran = sandbox.run(&[&["explain-value", "web"], arguments.as_slice()].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), expected), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn the_answer_can_be_read_by_programs() {
    let sandbox = chart();
    let ran = sandbox.run(&["explain-value", "web", "image.tag", "-f", "prod.yaml", "--format", "json"]);
    let answer = ran.json();
    assert_eq!(answer["set"][0]["value"], "2");
    assert_eq!(answer["set"][1]["place"]["line"], 2);
    assert_eq!(answer["read"][0]["reach"], "itself");
    let ran = sandbox.run(&["explain-value", "web", "password", "--format", "json"]);
    assert!(!ran.stdout.contains("old"), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_answered_ends_with_2() {
    let sandbox = chart();
    for arguments in [["explain-value", "web", "a..b"], ["explain-value", "none", "a"]] {
        assert_eq!(sandbox.run(&arguments).code, Some(2), "{arguments:?}");
    }
}

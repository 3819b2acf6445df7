//! What `helm lint` says about whole charts: one table of charts, each a small change of one that is right.

mod support;

use support::lint_files;
use trueline_helm::chart::Compat;
use trueline_helm::lint::{Message, Schemas};

const CHART: &str = "apiVersion: v2\nname: t\nversion: 1.0.0\nicon: https://example.com/i.png\n";
const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n";

/// The messages about a chart that is right but for some files; an empty text takes a file away.
fn messages(changes: &[(&str, &str)], compat: Compat, schemas: Schemas) -> Vec<Message> {
    let mut files = vec![("Chart.yaml", CHART), ("values.yaml", "a: 1\n"), ("templates/map.yaml", MAP)];
    files.retain(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
    files.extend(changes.iter().filter(|(_, text)| !text.is_empty()));
    lint_files(&files, "{}", compat, schemas)
}

fn lines(changes: &[(&str, &str)], compat: Compat) -> Vec<String> {
    messages(changes, compat, Schemas::Checked).iter().map(ToString::to_string).collect()
}

#[test]
fn a_chart_that_is_right_has_no_messages() {
    assert_eq!(lines(&[], Compat::Helm4), Vec::<String>::new());
    assert_eq!(lines(&[], Compat::Helm3), Vec::<String>::new());
}

#[test]
fn both_helms_say_the_same() {
    let chart = |rest: &str| format!("{CHART}{rest}");
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "Chart.yaml",
            "apiVersion: v2\nname: t\nversion: 1.0.0\n",
            &["[INFO] Chart.yaml: icon is recommended"],
        ),
        ("Chart.yaml", &chart("type: library\n"), &[]),
        (
            "Chart.yaml",
            &chart("appVersion: 1.5\n"),
            &["[ERROR] Chart.yaml: appVersion should be of type string but it's of type float64"],
        ),
        (
            "Chart.yaml",
            &chart("sources: [https://example.com, here]\n"),
            &["[ERROR] Chart.yaml: invalid source URL 'here'"],
        ),
        (
            "Chart.yaml",
            &chart("maintainers: [{name: A, email: a@b.cd, url: b.cd}, {name: B, email: b}]\n"),
            &["[ERROR] Chart.yaml: invalid email 'b' for maintainer 'B'"],
        ),
        (
            "Chart.yaml",
            &chart("dependencies: [{name: d, version: 1.0.0}]\n"),
            &["[WARNING] /here/t: chart directory is missing these dependencies: d"],
        ),
        (
            "charts/s/Chart.yaml",
            "apiVersion: v2\nname: s\nversion: 1.0.0\n",
            &["[ERROR] /here/t: chart metadata is missing these dependencies: s"],
        ),
        ("values.yaml", "", &["[INFO] values.yaml: file does not exist"]),
        (
            "templates/x.json",
            "{}",
            &[
                "[ERROR] templates/x.json: file extension '.json' not valid. Valid extensions are .yaml, .yml, .tpl, or .txt",
            ],
        ),
        ("templates/_helpers.tpl", "{{ define \"x\" }}{{ end }}", &[]),
        (
            "templates/map.yaml",
            "{{ if true }}\n",
            &["[ERROR] templates/: parse error at (t/templates/map.yaml:2): unexpected EOF"],
        ),
        (
            "templates/map.yaml",
            "a: [\n",
            &[
                "[ERROR] templates/map.yaml: unable to parse YAML: error converting YAML to JSON: yaml: line 1: did not find \
               expected node content",
            ],
        ),
        (
            "templates/map.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n",
            &[
                "[ERROR] templates/map.yaml: a Deployment must contain matchLabels or matchExpressions, and \"x\" does not",
            ],
        ),
        (
            "templates/map.yaml",
            "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: x}\n",
            &[
                "[WARNING] templates/map.yaml: batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 \
               CronJob",
            ],
        ),
        (
            "templates/map.yaml",
            "  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: x}\n",
            &[
                "[WARNING] templates/map.yaml: document starts with an illegal indent: \"  apiVersion: v1\", which may cause \
               parsing problems",
            ],
        ),
        ("templates/map.yaml", "{{ required \"need it\" .Values.b }}\n", &[]),
    ];
    for (name, text, expected) in cases {
        for compat in [Compat::Helm4, Compat::Helm3] {
            assert_eq!(lines(&[(name, text)], compat), *expected, "{name} {text}");
        }
    }
}

#[test]
fn some_rules_belong_to_one_helm() {
    let cases: &[(&str, &str, &[&str], &[&str])] = &[
        (
            "Chart.yaml",
            "apiVersion: v2\nname: t\nversion: \"1.0\"\nicon: https://example.com/i.png\nmore: 1\n",
            &[
                "[WARNING] Chart.yaml: failed to strictly parse chart metadata file\n\terror unmarshaling JSON: while \
                 decoding JSON: json: unknown field \"more\"",
                "[WARNING] Chart.yaml: version '1.0' is not a valid SemVerV2",
            ],
            &[],
        ),
        ("templates/map.yaml", "", &["[WARNING] templates/: directory does not exist"], &[]),
        (
            "crds/a.yaml",
            "kind: Other\napiVersion: v1\n",
            &[
                "[ERROR] crds/a.yaml: apiVersion is not in 'apiextensions.k8s.io'",
                "[ERROR] crds/a.yaml: object kind is not 'CustomResourceDefinition'",
            ],
            &[],
        ),
        (
            "templates/old.yaml",
            "{{/* .Release.Time */}}",
            &[],
            &[
                "[ERROR] templates/old.yaml: .Release.Time has been removed in v3, please replace with the `now` function in \
               your templates",
            ],
        ),
        (
            "templates/list.yml",
            "apiVersion: v1\nkind: List\nmetadata: {name: l}\nitems: [{metadata: {annotations: {helm.sh/resource-policy: \
             keep}}}]\n",
            &[
                "[ERROR] templates/list.yml: annotation 'helm.sh/resource-policy' within List objects are ignored",
            ],
            &[],
        ),
    ];
    for (name, text, helm4, helm3) in cases {
        assert_eq!(lines(&[(name, text)], Compat::Helm4), *helm4, "{name}");
        assert_eq!(lines(&[(name, text)], Compat::Helm3), *helm3, "{name}");
    }
}

#[test]
fn values_are_held_against_the_schema_twice() {
    let schema = ("values.schema.json", "{\"properties\": {\"a\": {\"type\": \"string\"}}}");
    let places = |compat, schemas| -> Vec<String> {
        messages(&[schema], compat, schemas).into_iter().map(|message| message.place).collect()
    };
    for compat in [Compat::Helm4, Compat::Helm3] {
        assert_eq!(places(compat, Schemas::Checked), ["values.yaml", "templates/"]);
    }
    assert_eq!(places(Compat::Helm4, Schemas::Skipped), Vec::<String>::new());
    assert_eq!(places(Compat::Helm3, Schemas::Skipped), ["values.yaml"]);
}

#[test]
fn a_message_about_a_field_knows_its_place() {
    let chart = format!("{CHART}sources: [here]\n");
    let found = messages(&[("Chart.yaml", &chart)], Compat::Helm4, Schemas::Checked);
    assert_eq!(found[0].span.map(|span| &chart[span.range()]), Some("[here]"));
}

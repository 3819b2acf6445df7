//! Mistakes in the values that somebody gives to a chart, and in the files around it: what is reported first is the text to
//! change.

mod support;

use support::{Mounted, check, settings};
use trueline_analysis::{ChartSettings, Settings};
use trueline_diagnostic::Severity;
use trueline_helm::values::ValueOptions;
use trueline_source::MemoryLoader;

const CHART: &str = "apiVersion: v2\nname: c\nversion: 1.0.0\nicon: https://example.com/i.svg\n";

/// What is found with the values of `prod.yaml`, as `file:line:column code message`, with the text of the fix.
fn found(files: &[(&str, &str)], given: Option<&'static str>) -> Vec<String> {
    let values = ValueOptions {
        files: given.iter().map(|_| "prod.yaml".to_owned()).collect(),
        ..ValueOptions::default()
    };
    let loader =
        files.iter().fold(MemoryLoader::new(""), |loader, (path, text)| loader.with_file(path, *text));
    let loader = match files.iter().any(|(path, _)| *path == "c/Chart.yaml") {
        true => loader,
        false => loader.with_file("c/Chart.yaml", CHART),
    };
    let system = Mounted::new(loader).named("prod.yaml", given.unwrap_or_default());
    let charts = ChartSettings { values, ..ChartSettings::default() };
    let (run, sources) = check(system, Settings { charts, ..settings() });
    let findings = run.outcome.findings().filter(|finding| finding.severity != Severity::Note);
    let told = findings.map(|finding| {
        let finding = finding.clone().at_origin(&sources);
        let span = finding.primary.span;
        let place = sources.position(span);
        let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
        let fix: String = edits.map(|edit| format!(" => {}", edit.replacement)).collect();
        let file = sources.get(span.source).name().to_owned();
        format!("{file}:{}:{} {} {}{fix}", place.line, place.column, finding.code.id, finding.message)
    });
    told.collect()
}

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n";

#[test]
fn a_null_that_takes_a_value_away_is_primary() {
    let template =
        format!("{MAP}  a: \"{{{{ .Values.auth.user }}}}\"\n  b: \"{{{{ .Values.auth.user }}}}\"\n");
    let files = [("c/values.yaml", "auth: {user: a}\n"), ("c/templates/a.yaml", template.as_str())];
    assert_eq!(found(&files, None), [""; 0]);
    assert_eq!(
        found(&files, Some("auth: null\n")),
        ["prod.yaml:1:7 TL0530 `auth` is set to null, so `.Values.auth.user` cannot be read"]
    );
}

#[test]
fn a_string_in_the_place_of_a_list_is_primary() {
    let template = format!("{MAP}  {{{{- range .Values.hosts }}}}\n  {{{{ . }}}}: x\n  {{{{- end }}}}\n");
    let files = [("c/values.yaml", "hosts: []\n"), ("c/templates/a.yaml", template.as_str())];
    assert_eq!(
        found(&files, Some("hosts: example.com\n")),
        ["prod.yaml:1:8 TL0536 `hosts` has to be a list, and is `example.com` => [example.com]"]
    );
}

#[test]
fn a_misspelt_value_in_a_template_is_named() {
    let template = format!("{MAP}  a: \"{{{{ .Values.servce.port }}}}\"\n");
    let files = [("c/values.yaml", "service: {port: 1}\n"), ("c/templates/a.yaml", template.as_str())];
    let message = "`.Values.servce.port` cannot be read: `servce` is not set";
    assert_eq!(found(&files, None), [format!("c/templates/a.yaml:6:10 TL0530 {message} => service")]);
}

#[test]
fn a_string_that_spells_false_counts_as_true() {
    let template = format!("{MAP}{{{{- if .Values.on }}}}\n  a: b\n{{{{- end }}}}\n");
    let files = [("c/values.yaml", "on: false\n"), ("c/templates/a.yaml", template.as_str())];
    assert_eq!(found(&files, Some("\"on\": true\n")).len(), 0);
    let message = "`on` is the string \"False\", which counts as true";
    let values = [("c/values.yaml", "\"on\": false\n"), ("c/templates/a.yaml", template.as_str())];
    assert_eq!(
        found(&values, Some("\"on\": \"False\"\n")),
        [format!("prod.yaml:1:7 TL0661 {message} => false")]
    );
    // Where it makes no difference, nothing is said.
    let compared = format!("{MAP}{{{{- if eq (toString .Values.on) \"true\" }}}}\n  a: b\n{{{{- end }}}}\n");
    let values = [("c/values.yaml", "\"on\": false\n"), ("c/templates/a.yaml", compared.as_str())];
    assert_eq!(found(&values, Some("\"on\": \"false\"\n")), [""; 0]);
}

#[test]
fn of_two_fields_that_do_not_fit_the_given_one_is_primary() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n    - name: a\n      image: b\n      resources:\n        {{- toYaml .Values.resources | nindent 8 }}\n";
    let values = "resources:\n  requests:\n    memory: 128Mi\n  limits:\n    memory: 1Gi\n";
    let files = [("c/values.yaml", values), ("c/templates/a.yaml", pod)];
    let told = found(&files, Some("resources:\n  limits:\n    memory: 64Mi\n"));
    assert!(matches!(told.as_slice(), [one] if one.starts_with("prod.yaml:3:13 TL0704 ")), "{told:?}");
}

#[test]
fn a_condition_that_nothing_sets_names_the_switch() {
    let chart = |condition: &str| {
        format!(
            "{CHART}dependencies:\n  - name: cache\n    version: 1.0.0\n    repository: \"\"\n    condition: {condition}\n"
        )
    };
    let told = |condition: &str, values: &str| {
        let chart = chart(condition);
        let sub = "apiVersion: v2\nname: cache\nversion: 1.0.0\n";
        let files =
            [("c/Chart.yaml", chart.as_str()), ("c/values.yaml", values), ("c/charts/cache/Chart.yaml", sub)];
        let told = found(&files, None).into_iter();
        told.filter(|line| line.contains("TL0424")).collect::<Vec<_>>()
    };
    let switch = "cache:\n  enabled: false\n";
    assert_eq!(told("cache.enabled", switch), [""; 0]);
    assert_eq!(told("redis.enabled", "a: 1\n"), [""; 0], "it may be set by users only");
    let message = "nothing sets `redis.enabled`, so `cache` is always enabled";
    assert_eq!(
        told("redis.enabled", switch),
        [format!("c/Chart.yaml:9:16 TL0424 {message} => cache.enabled")]
    );
}

#[test]
fn one_mistake_in_chart_yaml_is_one_finding() {
    for (chart, expected) in [
        (
            CHART.replace("version: 1.0.0", "verson: 1.0.0"),
            "c/Chart.yaml:3:1 TL0405 the chart has no version: `verson` is not a field of Chart.yaml => version",
        ),
        (
            CHART.replace("apiVersion: v2", "apiVersion: v3\ntype: application"),
            "c/Chart.yaml:1:13 TL0403 charts of apiVersion `v3` cannot be used",
        ),
        (
            format!("{CHART}kubeVersion: \">= new\"\n"),
            "c/Chart.yaml:5:14 TL0431 `>= new` is not a range of versions, so Helm refuses every cluster",
        ),
    ] {
        assert_eq!(found(&[("c/Chart.yaml", &chart)], None), [expected], "{chart}");
    }
}

#[test]
fn a_misspelt_workload_says_nothing_about_services() {
    let objects = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  selector: {app: a}\n  ports: [{port: 80, targetPort: http}]\n---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: a\nspec:\n  selector:\n    matchLabels: {app: a}\n  template:\n    metadata:\n      labels: {app: a}\n    spec:\n      container:\n        - {name: a, image: b, ports: [{containerPort: 1, name: http}]}\n";
    let told = found(&[("c/templates/a.yaml", objects)], None);
    assert!(matches!(told.as_slice(), [one] if one.contains(":20:7 TL0701 ")), "{told:?}");
    let sound = objects.replace("container:", "containers:");
    assert_eq!(found(&[("c/templates/a.yaml", &sound)], None), [""; 0]);
}

#[test]
fn a_kind_of_kubernetes_in_a_group_without_a_dot_is_an_error() {
    let object = |version: &str| format!("apiVersion: {version}\nkind: Deployment\nmetadata:\n  name: a\n");
    for (version, expected) in [("app/v1", "apps/v1"), ("deployments/v1", "apps/v1"), ("apps/v3", "apps/v1")]
    {
        let message = format!("Kubernetes has no kind `Deployment` in `{version}`");
        assert_eq!(
            found(&[("c/templates/a.yaml", &object(version))], None),
            [format!("c/templates/a.yaml:1:13 TL0786 {message} => {expected}")]
        );
    }
}

#[test]
fn the_part_of_a_selector_that_nothing_meets_is_primary() {
    let object = |own: &str, wanted: &str, has: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\n  labels: {{app: {own}}}\nspec:\n  selector:\n    matchLabels: {{app: {wanted}}}\n  template:\n    metadata:\n      labels: {{app: {has}}}\n    spec:\n      containers: [{{name: a, image: b}}]\n"
        )
    };
    let place = |text: String| found(&[("c/templates/a.yaml", &text)], None).concat();
    assert!(place(object("a", "b", "a")).starts_with("c/templates/a.yaml:8:24 TL0704 "), "the selector");
    let template = place(object("a", "a", "b"));
    assert!(template.starts_with("c/templates/a.yaml:11:7 TL0704 "), "the template: {template}");
}

#[test]
fn a_probe_names_a_port_of_its_container() {
    let pod = |port: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n    - name: a\n      image: b\n      ports: [{{name: http, containerPort: 80}}]\n      livenessProbe:\n        httpGet: {{path: /, port: {port}}}\n"
        )
    };
    for port in ["http", "80", "8081"] {
        assert_eq!(found(&[("c/templates/a.yaml", &pod(port))], None), [""; 0], "{port}");
    }
    assert_eq!(
        found(&[("c/templates/a.yaml", &pod("htp"))], None),
        ["c/templates/a.yaml:11:34 TL0722 the container has no port named `htp` => http"]
    );
}

#[test]
fn a_selector_of_labels_that_only_charts_set_selects_no_pod() {
    let objects = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  selector: {app: a, helm.sh/chart: c-1.0.0}\n  ports: [{port: 80}]\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {app: a}\nspec:\n  containers: [{name: a, image: b}]\n";
    let told = found(&[("c/templates/a.yaml", objects)], None);
    assert!(matches!(told.as_slice(), [one] if one.contains(" TL0720 ")), "{told:?}");
    let set_by_program = objects.replace("helm.sh/chart: c-1.0.0", "role: leader");
    assert_eq!(found(&[("c/templates/a.yaml", &set_by_program)], None), [""; 0]);
}

#[test]
fn a_map_among_the_items_of_a_list_is_told_at_the_value() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n    - name: a\n      args:\n        - run\n        {{- toYaml .Values.extraArgs | nindent 8 }}\n      image: b\n";
    let files = [("c/values.yaml", "extraArgs: []\n"), ("c/templates/a.yaml", pod)];
    let told = found(&files, Some("extraArgs:\n  interval: 2m\n"));
    assert!(matches!(told.as_slice(), [one] if one.starts_with("prod.yaml:2:3 TL0109 ")), "{told:?}");
}

#[test]
fn a_line_without_a_colon_is_told_where_it_is() {
    let values = "replicas 1\n\nimage:\n  tag: a\n";
    let message = "no colon follows the key `replicas`";
    let files = [("c/values.yaml", values), ("c/templates/a.yaml", MAP)];
    assert_eq!(found(&files, None), [format!("c/values.yaml:1:1 TL0108 {message} => replicas: 1")]);
    let files = [("c/templates/a.yaml", MAP)];
    let told = found(&files, Some("replicas 1\n\nimage:\n  tag: a\n"));
    assert_eq!(told, [format!("prod.yaml:1:1 TL0108 {message} => replicas: 1")]);
}

#[test]
fn a_template_that_is_defined_under_another_name_is_one_finding() {
    let template = format!("{MAP}  a: {{{{ include \"c.labels\" . }}}}\n");
    let defined = "{{- define \"c.label\" -}}\nx\n{{- end -}}\n";
    let files = [
        ("c/templates/_h.tpl", defined),
        ("c/templates/a.yaml", template.as_str()),
        ("c/templates/b.yaml", template.as_str()),
    ];
    let message = "`c.label` is defined and not included, and `c.labels` the other way round";
    assert_eq!(found(&files, None), [format!("c/templates/_h.tpl:1:13 TL0538 {message} => c.labels")]);
    // Who includes it once may have made the slip there.
    let told = found(&files[..2], None);
    assert!(matches!(told.as_slice(), [one] if one.starts_with("c/templates/a.yaml:6:9 ")), "{told:?}");
}

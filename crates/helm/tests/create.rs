//! New charts: they lint and render, whatever is switched on, and starters are copied.

mod support;

use support::{CHART, archive, directory, lint_messages};
use trueline_helm::chart::Compat;
use trueline_helm::create::{NewFile, from_starter, scaffold};
use trueline_helm::package::Times;

const ALL_ON: &str = "replicaCount: 3
serviceAccount: {create: false}
podLabels: {team: red}
podAnnotations: {x: y}
imagePullSecrets: [{name: login}]
podSecurityContext: {runAsNonRoot: true}
securityContext: {readOnlyRootFilesystem: true}
service: {type: LoadBalancer}
ingress: {enabled: true, className: nginx, annotations: {a: b}, tls: [{secretName: s}]}
httpRoute: {enabled: true, annotations: {a: b}, rules: [{filters: [{type: RequestMirror}]}]}
resources: {requests: {cpu: 1}}
autoscaling: {enabled: true, targetMemoryUtilizationPercentage: 70}
volumes: [{name: v}]
volumeMounts: [{name: v, mountPath: /v}]
nodeSelector: {os: linux}
tolerations: [{key: k}]
affinity: {nodeAffinity: {}}
";

fn texts(files: &[NewFile]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, content)| (path.as_str(), std::str::from_utf8(content).unwrap())).collect()
}

#[test]
fn a_new_chart_has_nothing_to_mend() {
    for name in ["web", "my-chart.2", "true", "My_Chart"] {
        let files = scaffold(name);
        for values in ["{}", ALL_ON] {
            for compat in [Compat::Helm4, Compat::Helm3] {
                let found = lint_messages(&texts(&files), values, compat);
                assert_eq!(found, ["[INFO] Chart.yaml: icon is recommended"], "{name} {values}");
            }
        }
    }
}

#[test]
fn a_new_chart_has_helm_s_files() {
    let mut paths: Vec<String> = scaffold("web").into_iter().map(|(path, _)| path).collect();
    paths.sort();
    assert_eq!(
        paths,
        [
            ".helmignore",
            "Chart.yaml",
            "templates/NOTES.txt",
            "templates/_helpers.tpl",
            "templates/deployment.yaml",
            "templates/hpa.yaml",
            "templates/httproute.yaml",
            "templates/ingress.yaml",
            "templates/service.yaml",
            "templates/serviceaccount.yaml",
            "templates/tests/test-connection.yaml",
            "values.yaml",
        ]
    );
}

#[test]
fn a_starter_is_copied_with_another_name() {
    let files = [
        (
            "Chart.yaml",
            "apiVersion: v2\nname: start\nversion: 9.0.0\ndependencies: [{name: s, version: 1.0.0}]\n",
        ),
        ("values.yaml", "# <CHARTNAME>\nhost: <CHARTNAME>.example\n"),
        ("values.schema.json", "{\"title\": \"<CHARTNAME>\"}\n"),
        ("templates/x.yaml", "name: <CHARTNAME>\n"),
        ("README.md", "# <CHARTNAME>\n"),
        ("Chart.lock", "digest: x\n"),
        ("charts/t/Chart.yaml", CHART),
        ("charts/t/values.yaml", "host: <CHARTNAME>\n"),
        ("charts/t/templates/a.yaml", "a: <CHARTNAME>\n"),
        ("charts/t/charts/u/Chart.yaml", "apiVersion: v2\nname: u\nversion: 1.0.0\n"),
        ("charts/t/charts/u/templates/b.yaml", "b: <CHARTNAME>\n"),
    ];
    let starter = directory(&files, Compat::Helm4).unwrap().chart;
    let mut made = from_starter(&starter, "web", Times::Fixed(0), Compat::Helm4).unwrap();
    let (path, packed) = made.pop().unwrap();
    assert_eq!(path, "charts/t-1.0.0.tgz");
    let subchart = archive(&packed, Compat::Helm4).unwrap().chart;
    let text = |file: &trueline_helm::chart::File| String::from_utf8_lossy(&file.data).into_owned();
    let below: Vec<String> =
        subchart.dependencies.iter().flat_map(|below| below.templates.iter().map(text)).collect();
    let own: Vec<String> = subchart.values_file.iter().chain(subchart.templates.iter()).map(text).collect();
    assert_eq!(
        (subchart.name(), own, below),
        ("t", vec!["host: web\n".to_owned(), "a: web\n".to_owned()], vec!["b: web\n".to_owned()],)
    );
    assert_eq!(
        texts(&made),
        [
            (
                "Chart.yaml",
                "apiVersion: v2\nappVersion: 0.1.0\ndescription: A Helm chart for Kubernetes\nname: web\ntype: \
                 application\nversion: 0.1.0\n"
            ),
            ("values.yaml", "# web\nhost: web.example\n"),
            ("values.schema.json", "{\"title\": \"web\"}\n"),
            ("templates/x.yaml", "name: web\n"),
            ("README.md", "# web\n"),
        ]
    );
}

//! `trueline helm template` and `lint` beside Helm's own, and `trueline check` beside `helm lint`: time and memory from
//! the start to the end of the process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::check::{beside_this_program, on_path};

/// Runs of each program for each chart; the shortest counts.
const ROUNDS: usize = 7;

/// Charts of the recorded corpus, with the values that make them render the same each time.
pub(crate) const REAL: &[(&str, &[&str])] = &[
    ("prometheus-community_helm-charts/kube-prometheus-stack", &["--set", "grafana.adminPassword=pw"]),
    ("argoproj_argo-helm/argo-cd", &["--set", "crds.install=false"]),
    (
        "apache_airflow/airflow",
        &["--set", "fernetKey=abc,apiSecretKey=x,jwtSecret=y,redis.password=z,webserverSecretKey=q"],
    ),
    ("cilium_cilium/cilium", &["--set", "hubble.tls.auto.method=cronJob"]),
    ("fluent_helm-charts/fluentd", &[]),
    ("aquasecurity_trivy-operator/trivy-operator", &[]),
];

/// Subcharts of the generated umbrella charts.
const UMBRELLAS: &[usize] = &[10, 60, 120];

/// Compares on the largest charts of the corpus, a minimal chart and umbrella charts.
pub(crate) fn run() {
    println!("# Charts");
    let Some(trueline) = beside_this_program("trueline") else {
        println!("  left out: there is no release build of trueline; run `cargo build --release` first");
        return;
    };
    let helm = on_path("helm");
    if helm.is_none() {
        println!("  helm is not installed: only our own figures");
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mut charts: Vec<(String, PathBuf, &[&str])> = Vec::new();
    match std::env::var_os("TRUELINE_CORPUS") {
        Some(corpus) => {
            let real = Path::new(&corpus).join("helm/charts/real");
            charts.extend(REAL.iter().map(|(path, flags)| (base(path), real.join(path), *flags)));
        }
        None => println!("  TRUELINE_CORPUS is not set: no real charts"),
    }
    charts.push(("minimal, one template".into(), minimal(folder.path()), &[]));
    for count in UMBRELLAS {
        charts.push((format!("umbrella of {count} subcharts"), umbrella(folder.path(), *count), &[]));
    }
    for comparison in COMPARISONS {
        println!(
            "  {:<28} {:>10} {:>10} {:>8}   {:>9} {:>9} {:>8}",
            comparison.title, "trueline", "helm", "times", "trueline", "helm", "share"
        );
        for (name, path, flags) in &charts {
            let path = path.display().to_string();
            let line = |words: &[&str]| {
                let words = words.iter().copied().chain([path.as_str()]).chain(flags.iter().copied());
                words.map(str::to_owned).collect::<Vec<String>>()
            };
            let ours = measure(&trueline, &line(comparison.ours), comparison.ends);
            let theirs = helm.as_deref().map(|helm| measure(helm, &line(comparison.theirs), &[0]));
            print(name, &ours, theirs.as_ref());
        }
    }
}

/// What is measured against what.
struct Comparison {
    title: &'static str,
    ours: &'static [&'static str],
    theirs: &'static [&'static str],
    /// The exit codes of ours that are no failure of the run.
    ends: &'static [i32],
}

const COMPARISONS: &[Comparison] = &[
    Comparison {
        title: "rendered",
        ours: &["helm", "template", "rel"],
        theirs: &["template", "rel"],
        ends: &[0],
    },
    Comparison { title: "linted", ours: &["helm", "lint"], theirs: &["lint"], ends: &[0] },
    // It looks for more than `helm lint`, and may find something.
    Comparison { title: "checked, beside lint", ours: &["check"], theirs: &["lint"], ends: &[0, 1] },
];

/// Prints what both programs took.
pub(crate) fn print(name: &str, ours: &Taken, theirs: Option<&Taken>) {
    match theirs {
        Some(theirs) => println!(
            "  {name:<28} {:>7.1} ms {:>7.1} ms {:>6.1} x   {:>5.1} MiB {:>5.1} MiB {:>6.2}",
            milliseconds(ours.time),
            milliseconds(theirs.time),
            theirs.time.as_secs_f64() / ours.time.as_secs_f64(),
            mebibytes(ours.peak),
            mebibytes(theirs.peak),
            ours.peak as f64 / theirs.peak as f64,
        ),
        None => {
            println!("  {name:<28} {:>7.1} ms {:>34.1} MiB", milliseconds(ours.time), mebibytes(ours.peak));
        }
    }
}

pub(crate) fn base(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

pub(crate) fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / (1 << 20) as f64
}

/// What one program took.
pub(crate) struct Taken {
    pub(crate) time: Duration,
    pub(crate) peak: u64,
}

pub(crate) fn measure(program: &Path, arguments: &[String], ends: &[i32]) -> Taken {
    let time = (0..ROUNDS)
        .map(|_| {
            let mut command = Command::new(program);
            command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
            let started = Instant::now();
            let status = command.status();
            let time = started.elapsed();
            let code = status.ok().and_then(|status| status.code());
            assert!(code.is_some_and(|code| ends.contains(&code)), "{command:?} ended with {code:?}");
            time
        })
        .min()
        .unwrap_or_default();
    Taken { time, peak: peak(program, arguments) }
}

/// The most memory that the program held. A process can ask that only about all its children together, so
/// this program starts itself for each question.
fn peak(program: &Path, arguments: &[String]) -> u64 {
    let this = std::env::current_exe().expect("this program has a path");
    let output = Command::new(this).arg(PEAK).arg(program).args(arguments).output();
    let text = String::from_utf8(output.expect("this program can be started").stdout).unwrap_or_default();
    text.trim().parse().unwrap_or_default()
}

/// The first argument of this program when it is to run another and print the memory that it held.
pub(crate) const PEAK: &str = "--peak-of";

/// Runs a program and prints the most memory that it held, in bytes.
pub(crate) fn print_peak(mut command: impl Iterator<Item = String>) {
    let Some(program) = command.next() else { return };
    let status = Command::new(program).args(command).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.expect("the program can be started");
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN);
    // Linux counts in kibibytes.
    println!("{}", usage.map_or(0, |usage| usage.max_rss()) * 1024);
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it stands in a folder")).expect("a folder can be made");
    fs::write(path, text).expect("a file can be written");
}

fn minimal(folder: &Path) -> PathBuf {
    let chart = folder.join("minimal");
    write(&chart.join("Chart.yaml"), "apiVersion: v2\nname: minimal\nversion: 0.1.0\n");
    write(&chart.join("values.yaml"), "name: x\n");
    write(
        &chart.join("templates/map.yaml"),
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.name }}}\n",
    );
    chart
}

const DEPLOYMENT: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "part.fullname" . }}
  labels:
    {{- include "part.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels:
      {{- include "part.labels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "part.labels" . | nindent 8 }}
    spec:
      containers:
      - name: main
        image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
        {{- with .Values.resources }}
        resources:
          {{- toYaml . | nindent 10 }}
        {{- end }}
        env:
        {{- range $name, $value := .Values.env }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
"#;

const HELPERS: &str = r#"{{- define "part.fullname" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- define "part.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
team: {{ .Values.global.team | default "none" }}
{{- end }}
"#;

const VALUES: &str = "replicas: 2
image: {repository: example/part, tag: \"\"}
resources:
  limits: {cpu: 500m, memory: 128Mi}
  requests: {cpu: 100m, memory: 64Mi}
env: {LEVEL: info, MODE: fast, REGION: north, SIZE: \"10\"}
";

/// A chart whose subcharts are all alike and read a value of their parent.
fn umbrella(folder: &Path, count: usize) -> PathBuf {
    let chart = folder.join(format!("umbrella-{count}"));
    let mut manifest = String::from("apiVersion: v2\nname: umbrella\nversion: 0.1.0\ndependencies:\n");
    let mut values = String::from("global: {team: red}\n");
    for number in 0..count {
        manifest.push_str(&format!(
            "- {{name: part{number}, version: 0.1.0, condition: part{number}.enabled}}\n"
        ));
        values.push_str(&format!("part{number}: {{enabled: true, replicas: {number}}}\n"));
        let part = chart.join(format!("charts/part{number}"));
        write(
            &part.join("Chart.yaml"),
            &format!("apiVersion: v2\nname: part{number}\nversion: 0.1.0\nappVersion: \"1.{number}\"\n"),
        );
        write(&part.join("values.yaml"), VALUES);
        write(&part.join("templates/_helpers.tpl"), HELPERS);
        for copy in 0..5 {
            write(&part.join(format!("templates/deployment-{copy}.yaml")), DEPLOYMENT);
        }
    }
    write(&chart.join("Chart.yaml"), &manifest);
    write(&chart.join("values.yaml"), &values);
    chart
}

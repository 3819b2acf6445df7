//! An engine that lives on while files change: what it finds is what a new one would find, and what nobody needs any more
//! is given back.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use trueline_analysis::{Change, Host, Progress, Report, Settings, Silent, Unanswered, Wanted};
use trueline_source::{Cancel, MemorySystem, SourceMap, Span};

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.com/icon.svg\n";
const VALUES: &str = "name: web\nreplicas: 2\nport: 80\n";
const HELPERS: &str = "{{- define \"web.labels\" }}\napp: {{ .Values.name }}\n{{- end }}\n";
const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.name }}\nspec:\n  replicas: {{ .Values.replicas }}\n  selector:\n    matchLabels:\n      {{- include \"web.labels\" . | nindent 6 }}\n  template:\n    metadata:\n      labels:\n        {{- include \"web.labels\" . | nindent 8 }}\n    spec:\n      containers:\n      - name: web\n        image: web\n";
const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.name }}\nspec:\n  selector:\n    {{- include \"web.labels\" . | nindent 4 }}\n  ports:\n  - port: {{ .Values.port }}\n";
const POD: &str =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec:\n  containers:\n  - {name: a, image: b}\n";
const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: backups.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: backups, singular: backup, kind: Backup, listKind: BackupList}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}\n";
const BACKUP: &str = "apiVersion: example.com/v1\nkind: Backup\nmetadata: {name: web}\nspec: {size: 5}\n";
const YTT: &str = "#@ load(\"@ytt:data\", \"data\")\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: #@ data.values.name\n";
const YTT_SCHEMA: &str = "#@data/values-schema\n---\nname: web\n";
const CONFIG: &str = "[severity]\nTL0422 = \"note\"\n";

/// The files of a repository, with what each of them may become.
const FILES: &[(&str, &[&str])] = &[
    ("web/Chart.yaml", &[CHART, "apiVersion: v2\nname: web\nversion: one\n"]),
    ("web/values.yaml", &[VALUES, "name: web\nreplicas: two\nport: 80\nunused: 1\n", "name: [\n"]),
    (
        "web/templates/_helpers.tpl",
        &[HELPERS, "{{- define \"web.labels\" }}\napp: {{ .Values.nam }}\n{{- end }}\n"],
    ),
    ("web/templates/deployment.yaml", &[DEPLOYMENT, "a: {{ .Values.name\n", "kind: Pod\n"]),
    (
        "web/templates/service.yaml",
        &[SERVICE, "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {ports: [{port: 99999}]}\n"],
    ),
    ("web/ci/test-values.yaml", &["port: 81\n", "port: many\n"]),
    (
        "plain/pod.yaml",
        &[
            POD,
            "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec: {}\n",
            "a: #@ 1\n",
            "# trueline: ignore[TL0701] test\n",
        ],
    ),
    (
        "plain/backup.yaml",
        &[BACKUP, "apiVersion: example.com/v1\nkind: Backup\nmetadata: {name: web}\nspec: {size: x}\n"],
    ),
    ("crds/backup.yaml", &[CRD, "apiVersion: v1\nkind: List\n"]),
    ("ytt/config.yml", &[YTT, "a: 1\n"]),
    ("ytt/schema.yml", &[YTT_SCHEMA, "#@data/values-schema\n---\nname: 5\n"]),
    ("trueline.toml", &[CONFIG, "strict = true\n", "[[ignore]]\ncodes = [\"TL0701\"]\nreason = \"r\"\n"]),
    ("plain/extension.yaml", &["metadata: {name: x}\ninstall: {}\n"]),
    ("other/extension.yaml", &["metadata: {name: x}\ninstall: {}\n"]),
];

/// Which of them are there at first.
const FIRST: usize = 11;

fn system(files: &[(PathBuf, &'static str)]) -> Arc<MemorySystem> {
    let add = |system: MemorySystem, (path, text): &(PathBuf, &'static str)| {
        system.with_file(&path.to_string_lossy(), *text)
    };
    Arc::new(files.iter().fold(MemorySystem::new().with_file("/readme.md", ""), add))
}

fn settings() -> Settings {
    Settings { paths: vec![".".into()], offline: true, ..Settings::default() }
}

/// All that is reported, with its places.
fn told(report: &Report) -> Vec<String> {
    let sources: &SourceMap = &report.sources;
    let place = |span: Span| {
        let (source, position) = (sources.get(span.source), sources.position(span));
        format!("{}:{}:{} `{}`", source.name(), position.line, position.column, source.slice(span))
    };
    let outcome = &report.run.outcome;
    let mut lines: Vec<String> = outcome
        .units
        .iter()
        .map(|unit| format!("{} {} {:?} {:?}", unit.name, unit.kind, unit.skipped, unit.left_out))
        .collect();
    for finding in outcome.findings().chain(&outcome.general) {
        let finding = finding.clone().at_origin(sources);
        let related = finding.related.iter().map(|label| place(label.span)).collect::<Vec<_>>();
        let primary = place(finding.primary.span);
        lines
            .push(format!("{} {} {primary} {related:?} {}", finding.severity, finding.code, finding.message));
    }
    lines.sort();
    lines.push(format!("{:?}", report.run.ending));
    lines
}

fn all(host: &Host) -> Vec<String> {
    told(&host.snapshot().check_all(Wanted::default(), &Silent, &Cancel::new()).unwrap())
}

/// What one file is changed to: new content, or nothing.
#[derive(Debug, Clone, Copy)]
struct Edit {
    file: usize,
    text: usize,
    is_removed: bool,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = (0..FILES.len(), 0..4_usize, prop::bool::weighted(0.2))
        .prop_map(|(file, text, is_removed)| Edit { file, text, is_removed });
    prop::collection::vec(edit, 1..12)
}

fn text_of(edit: Edit) -> Option<&'static str> {
    let (_, texts) = FILES[edit.file];
    (!edit.is_removed).then(|| texts[edit.text % texts.len()])
}

fn first() -> Vec<(PathBuf, &'static str)> {
    FILES.iter().take(FIRST).map(|(path, texts)| (Path::new("/").join(path), texts[0])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_found_after_edits_is_what_a_new_engine_finds(edits in edits()) {
        let mut files = first();
        let mut host = Host::new(system(&files), settings());
        all(&host);
        for edit in edits {
            let path = Path::new("/").join(FILES[edit.file].0);
            files.retain(|(other, _)| *other != path);
            match text_of(edit) {
                Some(text) => {
                    host.apply(Change::Open(path.clone(), text.as_bytes().into()));
                    files.push((path, text));
                }
                None => host.apply(Change::Remove(path)),
            }
            let fresh = Host::new(system(&files), settings());
            prop_assert_eq!(all(&host), all(&fresh));
            // A unit by itself says what the whole run says of it.
            let snapshot = host.snapshot();
            let report = snapshot.check_all(Wanted::default(), &Silent, &Cancel::new()).unwrap();
            for unit in snapshot.units().unwrap() {
                let alone = snapshot.check(&unit, &Cancel::new()).unwrap();
                let whole = report.run.outcome.units.iter().find(|other| other.name == unit.name()).unwrap();
                let messages = |unit: &trueline_diagnostic::Unit| -> Vec<String> {
                    unit.findings.iter().map(|finding| finding.message.clone()).collect()
                };
                prop_assert_eq!(messages(&alone.unit), messages(whole), "{:?}", unit);
            }
        }
    }
}

#[test]
fn only_what_read_a_file_is_looked_at_again() {
    let mut host = Host::new(system(&first()), settings());
    all(&host);
    let looks = host.looks();
    assert_eq!(looks, host.snapshot().units().unwrap().len() as u64);
    all(&host);
    assert_eq!(host.looks(), looks, "nothing changed");
    let path = |path: &str| Path::new("/").join(path);
    host.apply(Change::Open(path("web/values.yaml"), b"name: w\nreplicas: 2\nport: 80\n".as_slice().into()));
    all(&host);
    assert_eq!(host.looks(), looks + 1, "the chart alone");
    host.apply(Change::Open(path("plain/pod.yaml"), POD.replace("one", "two").into_bytes().into()));
    all(&host);
    assert_eq!(host.looks(), looks + 2, "the pod alone");
    host.apply(Change::Open(path("plain/pod.yaml"), POD.replace("one", "two").into_bytes().into()));
    host.apply(Change::Open(path("plain/notes.txt"), b"nobody reads it".as_slice().into()));
    all(&host);
    assert_eq!(host.looks(), looks + 2, "what it holds is what it held");
    host.apply(Change::Close(path("plain/pod.yaml")));
    all(&host);
    assert_eq!(host.looks(), looks + 3, "the disk has another pod");
}

#[test]
fn snapshots_do_not_change_and_serve_several_threads() {
    let mut host = Host::new(system(&first()), settings());
    let before = host.snapshot();
    let path = Path::new("/web/values.yaml");
    host.apply(Change::Open(path.to_owned(), b"name: [\n".as_slice().into()));
    let after = host.snapshot();
    let ask = |snapshot: &trueline_analysis::Snapshot| {
        told(&snapshot.check_all(Wanted::default(), &Silent, &Cancel::new()).unwrap())
    };
    let (old, new) = std::thread::scope(|scope| {
        let new = scope.spawn(|| ask(&after));
        (ask(&before), new.join().unwrap())
    });
    assert!(old.last().unwrap() == "Valid" && new.last().unwrap() == "Invalid", "{old:?} {new:?}");
    assert_eq!((ask(&before), ask(&after)), (old, new));
    let unit = after.unit_of(path).unwrap();
    assert_eq!(unit.name(), "web");
    assert!(!after.check(&unit, &Cancel::new()).unwrap().unit.findings.is_empty());
    assert_eq!(after.unit_of(Path::new("plain/pod.yaml")).unwrap().name(), "plain/pod.yaml");
    assert_eq!(after.unit_of(Path::new("readme.md")), None);
}

#[test]
fn memory_stays_flat_over_many_edits() {
    let parts =
        ["/web/Chart.yaml", "/web/values.yaml", "/web/templates/_helpers.tpl", "/web/templates/service.yaml"];
    let files: Vec<_> =
        first().into_iter().filter(|(path, _)| parts.iter().any(|part| path == Path::new(part))).collect();
    let mut host = Host::new(system(&files), settings());
    let path = Path::new("/web/values.yaml");
    let mut held = Vec::new();
    for edit in 0..10_000 {
        let text = format!("name: web\nreplicas: {}\nport: 80\n", edit % 7 + 1);
        host.apply(Change::Open(path.to_owned(), text.into_bytes().into()));
        // An editor asks when somebody stops typing.
        if edit % 4 == 3 {
            let snapshot = host.snapshot();
            let unit = snapshot.unit_of(path).unwrap();
            snapshot.check(&unit, &Cancel::new()).unwrap();
        }
        if edit % 1_000 == 999 {
            held.push(host.held_sources());
        }
    }
    let first = held[0];
    assert!(held.iter().all(|held| *held == first), "{held:?}");
}

/// Gives a run up when so many units are done, and counts those that are done.
struct Impatient<'c> {
    most: usize,
    done: AtomicUsize,
    cancel: &'c Cancel,
}

impl Progress for Impatient<'_> {
    fn units(&self, _: usize) {}

    fn done(&self) {
        if self.done.fetch_add(1, Ordering::Relaxed) + 1 >= self.most {
            self.cancel.cancel();
        }
    }
}

#[test]
fn no_unit_is_begun_after_nobody_wants_to_know() {
    let paths: Vec<PathBuf> = (0..400).map(|number| format!("/plain/{number}.yaml").into()).collect();
    let files: Vec<(PathBuf, &str)> = paths.into_iter().map(|path| (path, POD)).collect();
    for most in [1, 50, 200] {
        let host = Host::new(system(&files), settings());
        let cancel = Cancel::new();
        let progress = Impatient { most, done: AtomicUsize::new(0), cancel: &cancel };
        let answer = host.snapshot().check_all(Wanted::default(), &progress, &cancel);
        assert_eq!(answer.err(), Some(Unanswered::Cancelled));
        // Each thread may be in the middle of one.
        let done = progress.done.into_inner();
        assert!((most..=most + rayon::current_num_threads()).contains(&done), "{most} {done}");
        assert!(host.looks() <= done as u64, "{} {done}", host.looks());
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "how long it takes is what this is about")]
fn what_nobody_wants_any_more_is_given_up_at_once() {
    // Templates that go through long lists, each of them minutes of work.
    let slow = "{{- range $a := until 20000 }}{{- range $b := until 20000 }}{{- if eq $a $b }}{{ end }}{{- end }}{{- end }}\n";
    let mut files = vec![(PathBuf::from("/slow/Chart.yaml"), CHART)];
    files.extend((0..30).map(|number| (PathBuf::from(format!("/slow/templates/{number}.yaml")), slow)));
    let host = Host::new(system(&files), settings());
    let snapshot = host.snapshot();
    let unit = snapshot.units().unwrap().remove(0);
    let cancel = Cancel::new();
    let (asked, ended) = std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let answer = snapshot.check(&unit, &cancel);
            (answer.err(), std::time::Instant::now())
        });
        std::thread::sleep(std::time::Duration::from_millis(300));
        let asked = std::time::Instant::now();
        cancel.cancel();
        let (answer, ended) = run.join().unwrap();
        assert_eq!(answer, Some(Unanswered::Cancelled));
        (asked, ended)
    });
    let late = ended.saturating_duration_since(asked);
    assert!(late < std::time::Duration::from_secs(1), "{late:?}");
    // What was cut short was not remembered.
    assert_eq!(snapshot.check(&unit, &cancel).err(), Some(Unanswered::Cancelled));
    assert_eq!(host.looks(), 2);
}

//! Charts that are edited line by line: an engine that has seen everything before reports what a new one does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trueline_analysis::{Change, Host, Settings, UnitId};
use trueline_source::{Cancel, MemorySystem, Span};

type Files = Vec<(PathBuf, String)>;

/// A chart with helpers, a subchart that shares a file with it, two sets of values, a schema and CRDs.
fn web() -> Files {
    let helpers = "{{- define \"web.name\" -}}\n{{ default .Chart.Name .Values.nameOverride | trunc 63 }}\n{{- end }}\n# plain text\n{{/* labels */}}\n{{- define \"web.labels\" -}}\napp: {{ include \"web.name\" . }}\nteam: core\n{{- with .Values.labels }}\n{{ toYaml . }}\n{{- end }}\n{{- end }}\n";
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ include \"web.name\" . }}\n  labels:\n    {{- include \"web.labels\" . | nindent 4 }}\nspec:\n  replicas: {{ .Values.replicas }}\n  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n        - name: web\n          image: \"{{ .Values.image.repository }}:{{ .Values.image.tag }}\"\n          {{- if .Values.probe }}\n          livenessProbe:\n            {{- tpl (toYaml .Values.probe) . | nindent 12 }}\n          {{- end }}\n";
    let service = "{{- if .Values.service.enabled }}\napiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.service.name }}\nspec:\n  selector:\n    app: web\n  ports:\n    - port: {{ .Values.service.port }}\n      name: http\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: web\nstringData:\n  password: {{ .Values.password | quote }}\n{{- end }}\n";
    let values = "nameOverride: web\nreplicas: 2\nlabels:\n  tier: front\nimage:\n  repository: nginx\n  tag: \"1.27\"\nprobe:\n  httpGet:\n    path: /{{ .Release.Name }}\n    port: 80\nservice:\n  enabled: true\n  name: web\n  port: 80\npassword: hunter22\nunused: 1\nredis:\n  enabled: true\n  size: 1\n";
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: backups.example.com\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: backups, singular: backup, kind: Backup, listKind: BackupList}\n  versions:\n    - name: v1\n      served: true\n      storage: true\n      schema:\n        openAPIV3Schema:\n          type: object\n          properties:\n            spec:\n              type: object\n              properties:\n                size: {type: integer}\n";
    let backup = "apiVersion: example.com/v1\nkind: Backup\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n  size: {{ .Values.size }}\n";
    [
        ("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.com/icon.svg\ndependencies:\n  - name: redis\n    version: 1.0.0\n    repository: https://example.com\n    condition: redis.enabled\n"),
        ("web/Chart.lock", "dependencies:\n- name: redis\n  version: 1.0.0\n  repository: https://example.com\ndigest: sha256:0\ngenerated: \"2024-01-01T00:00:00Z\"\n"),
        ("web/values.yaml", values),
        ("web/values.schema.json", "{\"type\": \"object\", \"properties\": {\"replicas\": {\"type\": \"integer\"}}}\n"),
        ("web/ci/other-values.yaml", "service:\n  port: 81\nlabels: {}\n"),
        ("web/crds/backup.yaml", crd),
        ("web/templates/_helpers.tpl", helpers),
        ("web/templates/deployment.yaml", deployment),
        ("web/templates/service.yaml", service),
        ("web/templates/NOTES.txt", "Installed {{ .Release.Name }}\n"),
        ("web/charts/redis/Chart.yaml", "apiVersion: v2\nname: redis\nversion: 1.0.0\n"),
        ("web/charts/redis/values.yaml", "enabled: true\nsize: 1\n"),
        ("web/charts/redis/templates/_helpers.tpl", helpers),
        ("web/charts/redis/templates/backup.yaml", backup),
    ]
    .map(|(path, text)| (Path::new("/").join(path), text.to_owned()))
    .into()
}

fn host(files: &Files) -> Host {
    let add = |system: MemorySystem, (path, text): &(PathBuf, String)| {
        system.with_file(&path.to_string_lossy(), text.as_str())
    };
    let settings = Settings { paths: vec![".".into()], offline: true, ..Settings::default() };
    Host::new(Arc::new(files.iter().fold(MemorySystem::new(), add)), settings)
}

/// What is reported of the only unit, in its order, with all places.
fn told(host: &Host) -> Vec<String> {
    let snapshot = host.snapshot();
    let units = snapshot.units().unwrap();
    let [unit]: &[UnitId] = &units else { panic!("{units:?}") };
    let outcome = snapshot.check(unit, &Cancel::new()).unwrap();
    let sources = &outcome.sources;
    let place = |span: Span| {
        let (source, position) = (sources.get(span.source), sources.position(span));
        let hidden: Vec<_> = source.hidden_in(span.start as usize..span.end as usize).collect();
        format!("{}:{}:{} `{}` {hidden:?}", source.name(), position.line, position.column, source.slice(span))
    };
    let mut lines = vec![format!("{:?} {:?}", outcome.unit.skipped, outcome.unit.left_out)];
    for finding in &outcome.unit.findings {
        let finding = finding.clone().at_origin(sources);
        let related: Vec<String> =
            finding.related.iter().map(|label| format!("{} {}", place(label.span), label.text)).collect();
        let fix = finding.fix.as_ref().map(|fix| {
            let edits = fix.edits.iter().map(|edit| format!("{} {}", place(edit.span), edit.replacement));
            (fix.description.clone(), edits.collect::<Vec<_>>())
        });
        let trace: Vec<String> = finding.trace.iter().map(|frame| place(frame.span)).collect();
        let (primary, help) = (place(finding.primary.span), &finding.help);
        let head = format!("{} {} {}", finding.severity, finding.code, finding.message);
        lines.push(format!(
            "{head}\n  {primary} {}\n  {related:?}\n  {trace:?}\n  {help:?} {fix:?}",
            finding.primary.text
        ));
    }
    lines
}

/// Numbers that look random, and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// What lines become.
fn edited(line: &str, numbers: &mut Numbers) -> String {
    let at = |numbers: &mut Numbers| {
        let places: Vec<usize> = line.char_indices().map(|(place, _)| place).collect();
        places.get(numbers.below(places.len())).copied().unwrap_or_default()
    };
    match numbers.below(8) {
        0 => format!("{line} # {}", numbers.below(100)),
        1 => format!("{line}x"),
        2 => String::new(),
        3 => format!("{line}\n{line}"),
        4 => {
            let place = at(numbers);
            format!("{}7{}", &line[..place], &line[place..])
        }
        5 => {
            let place = at(numbers);
            format!("{} {}", &line[..place], &line[place..])
        }
        6 => line.replacen(|letter: char| letter.is_ascii_lowercase(), "q", 1),
        _ => match line.split_once(": ") {
            Some((key, _)) => {
                format!("{key}: {}", ["5", "\"z\"", "{{ .Values.zz }}", "true"][numbers.below(4)])
            }
            None => format!("  {line}"),
        },
    }
}

/// Edits lines of a chart, one after the other, some of them to what they were.
fn follow(first: Files, edits: usize, seed: u64) {
    let (mut numbers, mut files) = (Numbers(seed), first.clone());
    let mut host = host(&files);
    assert_eq!(told(&host), told(&self::host(&files)));
    for edit in 0..edits {
        let number = numbers.below(files.len());
        let (path, text) = &mut files[number];
        if numbers.below(3) == 0 {
            text.clone_from(&first[number].1);
        } else {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let line = numbers.below(lines.len());
            if let Some(line) = lines.get_mut(line) {
                *line = edited(line, &mut numbers);
            }
            *text = lines.join("\n") + "\n";
        }
        host.apply(Change::Open(path.clone(), text.as_bytes().into()));
        let name = path.display().to_string();
        assert_eq!(told(&host), told(&self::host(&files)), "edit {edit} of {name}");
    }
}

#[test]
fn a_chart_that_is_edited_line_by_line_is_checked_as_if_it_were_new() {
    for seed in 1..=6 {
        follow(web(), 25, seed * 0x9E37_79B9);
    }
}

#[test]
fn a_template_that_is_not_ignored_any_more_is_an_origin_of_what_was_rendered_before() {
    let mut files = web();
    let mut add = |path: &str, text: &str| files.push((Path::new("/web").join(path), text.to_owned()));
    add(".helmignore", "_extra.tpl\n");
    add("templates/_extra.tpl", "{{- define \"web.size\" }}many{{ end }}\n");
    add("templates/_size.tpl", "{{- define \"web.size\" }}2{{ end }}\n");
    add(
        "templates/other.yaml",
        "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata:\n  name: a\nspec:\n  replicas: {{ include \"web.size\" . }}\n",
    );
    let mut host = host(&files);
    let before = told(&host);
    let ignore = files.iter().position(|(path, _)| path.ends_with(".helmignore")).unwrap();
    for text in ["# nothing\n", "_extra.tpl\n"] {
        files[ignore].1 = text.to_owned();
        host.apply(Change::Open(files[ignore].0.clone(), text.as_bytes().into()));
        assert_eq!(told(&host), told(&self::host(&files)), "{text}");
        assert_eq!(told(&host) == before, text == "_extra.tpl\n");
    }
}

/// The charts of a corpus, where there is one.
#[test]
#[allow(clippy::disallowed_methods, reason = "the corpus is on the disk")]
fn charts_of_the_corpus_that_are_edited_are_checked_as_if_they_were_new() {
    let Some(corpus) = std::env::var_os("TRUELINE_CORPUS") else { return };
    let mut charts: Vec<PathBuf> = Vec::new();
    for project in children(&Path::new(&corpus).join("helm/charts/real")) {
        charts.extend(children(&project).into_iter().filter(|chart| chart.join("Chart.yaml").is_file()));
    }
    charts.sort();
    let step = charts.len() / 20;
    for (number, chart) in charts.iter().step_by(step.max(1)).take(20).enumerate() {
        let mut files = Files::new();
        let mut open = vec![chart.clone()];
        while let Some(path) = open.pop() {
            match path.is_dir() {
                true => open.extend(children(&path)),
                false => {
                    let Ok(text) = std::fs::read_to_string(&path) else { continue };
                    files.push((Path::new("/chart").join(path.strip_prefix(chart).unwrap()), text));
                }
            }
        }
        files.sort();
        follow(files, 6, 77 + number as u64);
    }
}

#[allow(clippy::disallowed_methods, reason = "the corpus is on the disk")]
fn children(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

//! Charts that are rendered again after an edit: what comes out is what a new rendering gives, with all origins, and only
//! templates that read what has changed are run.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use trueline_helm::chart::{Chart, Compat};
use trueline_helm::engine::{self, Capabilities, Earlier, Options, Release, Rendering, Texts};
use trueline_helm::{Environment, Limits, Origins, Seeded, dependencies, values};
use trueline_source::SourceMap;
use trueline_yaml::{Value, yaml_to_value};

const HELPERS: &str = "{{- define \"one\" }}1 {{ .Values.one }}{{ end }}\n{{- define \"two\" -}}\n2 {{ .Values.two.x }}\n{{- end -}}\n";
const VALUES: &str =
    "# the values\none: 1\ntwo: {x: 2, w: 3}\nlist: [{z: 1}]\ntext: '{{ .Values.one }}'\nall: {p: {q: 1}}\n";

/// The files of a chart; its templates are run in the order of their letters, from the last to the first.
const FILES: &[(&str, &str)] = &[
    ("Chart.yaml", support::CHART),
    ("values.yaml", VALUES),
    ("data.txt", "data"),
    ("templates/_helpers.tpl", HELPERS),
    ("templates/a.yaml", "a: {{ include \"one\" . }}\n"),
    ("templates/b.yaml", "b: {{ template \"two\" . }}\n"),
    ("templates/c.yaml", "c: {{ .Values.two.w }}{{ with .Values.list }}{{ (index . 0).z }}{{ end }}\n"),
    ("templates/d.yaml", "d: {{ tpl .Values.text . }}\n"),
    ("templates/e.yaml", "e: {{ toYaml .Values.all | nindent 2 }}\n"),
    ("templates/f.yaml", "f: {{ if .Values.two }}yes{{ end }}{{ .Values.missing | default \"none\" }}\n"),
    ("templates/g.yaml", "g: {{ randAlphaNum 8 }} {{ .Chart.Version }} {{ .Release.Name }}\n"),
    ("charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 1.0.0\n"),
    ("charts/s/values.yaml", "one: 5\n"),
    ("charts/s/templates/s.yaml", "s: {{ .Values.one }} {{ include \"one\" . }}\n"),
];

fn edited<'f>(changes: &[(&'f str, &'f str)]) -> Vec<(&'f str, &'f str)> {
    let text = |(name, text): &(&'f str, &'f str)| {
        let changed = changes.iter().find(|(changed, _)| changed == name);
        (*name, changed.map_or(*text, |(_, text)| *text))
    };
    FILES.iter().map(text).collect()
}

fn loaded(files: &[(&str, &str)]) -> (Chart, Value) {
    // The sources of a chart get the same ids each time.
    let chart = support::from(&support::memory(files), "", Compat::Helm4, &SourceMap::new()).unwrap().chart;
    let none = yaml_to_value("{}").unwrap();
    let chart = dependencies::process(chart, &none, Compat::Helm4, &mut Vec::new()).unwrap();
    let values = values::coalesce(&chart, &none, Compat::Helm4, &mut Vec::new()).unwrap();
    (chart, values)
}

fn rendered(
    (chart, values): &(Chart, Value),
    earlier: Option<&Earlier>,
    environment: &(dyn Environment + Sync),
) -> (Rendering, Option<Earlier>) {
    let options = Options {
        compat: Compat::Helm4,
        release: Release { name: "r".into(), namespace: "n".into(), operation: engine::Operation::Install },
        capabilities: Capabilities::default(),
        mode: engine::Mode::Render,
        origins: Origins::Kept,
        environment,
        limits: Limits::default(),
    };
    engine::render_again(chart, &Arc::new(Texts::read(chart, Compat::Helm4)), values, &options, earlier)
}

/// The letters of the templates that are run again after a change of files, and what they wrote.
fn run_again(before: &[(&str, &str)], after: &[(&str, &str)]) -> String {
    let dice = Seeded::new(7);
    let (first, earlier) = rendered(&loaded(before), None, &dice);
    let after = loaded(after);
    let (again, _) = rendered(&after, earlier.as_ref(), &dice);
    let (new, _) = rendered(&after, None, &dice);
    let texts = |rendering: &Rendering| {
        let files = rendering.output.files.iter();
        files.map(|file| (Arc::clone(&file.path), Arc::clone(&file.text), file.origins.clone())).collect()
    };
    let (texts_again, texts_new): (Vec<_>, Vec<_>) = (texts(&again), texts(&new));
    assert_eq!(texts_again, texts_new);
    assert_eq!(again.steps, new.steps);
    let failures = |rendering: &Rendering| -> Vec<String> {
        rendering.failures.iter().map(|failure| failure.text.clone()).collect()
    };
    assert_eq!(failures(&again), failures(&new));
    let is_known = |path: &str, text: &Arc<[u8]>| {
        let known = first.output.files.iter().find(|known| *known.path == *path);
        known.is_some_and(|known| Arc::ptr_eq(&known.text, text))
    };
    let run = texts_again.iter().filter(|(path, text, _)| !is_known(path, text));
    let mut letters: Vec<char> =
        run.filter_map(|(path, ..)| path.rsplit('/').next()?.chars().next()).collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

#[test]
fn only_templates_that_read_what_has_changed_are_run() {
    let value = |from: &str, to: &str| VALUES.replace(from, to);
    let values = [
        (value("# the values", "# the values of the chart"), ""),
        (value("one: 1", "one: 10"), "ad"),
        (value("x: 2", "x: 2000"), "b"),
        (value("w: 3", "w: three"), "c"),
        (value("z: 1", "z: 5"), "c"),
        (value("q: 1", "q: 5"), "e"),
        (value("q: 1", "q: 1, r: 1"), "e"),
        (value("{{ .Values.one }}", "{{ .Values.two.w }}"), "d"),
        (value("one: 1", "missing: x\none: 1"), "f"),
        (value("w: 3", "w: 3, v: 4"), "f"),
        (value("two: {x: 2, w: 3}", "two: {}"), "bcf"),
        // Where the values of a subchart are is looked up before anything is run.
        (value("one: 1", "s: {one: 9}\none: 1"), "abcdefgs"),
    ];
    for (text, run) in &values {
        assert_eq!(run_again(FILES, &edited(&[("values.yaml", text)])), *run, "{text}");
    }
    for (name, text, run) in [
        ("templates/a.yaml", "a: x{{ include \"one\" . }}\n", "a"),
        ("templates/_helpers.tpl", &*HELPERS.replace("1 {{", "11 {{"), "as"),
        ("templates/_helpers.tpl", &*HELPERS.replace("2 {{", "{{/* two */}}{{"), "b"),
        ("templates/_helpers.tpl", &*format!("# helpers\n{HELPERS}"), ""),
        ("templates/_helpers.tpl", &*format!("{HELPERS}{{{{ define \"three\" }}}}{{{{ end }}}}"), ""),
        // It may take the place of another definition.
        ("templates/a.yaml", "a: {{ include \"one\" . }}\n{{ define \"one\" }}x{{ end }}", "as"),
        // Text around a definition that is trimmed is not a part of it.
        ("templates/_helpers.tpl", &*HELPERS.replace("}}\n{{- define", "}}\n\n\n# words\n{{- define"), ""),
        ("charts/s/values.yaml", "# of a subchart\none: 5\n", ""),
        ("charts/s/values.yaml", "one: 6\n", "s"),
        ("data.txt", "other", "abcdefgs"),
        ("Chart.yaml", &*support::CHART.replace("1.0.0", "1.0.1"), "abcdefgs"),
    ] {
        assert_eq!(run_again(FILES, &edited(&[(name, text)])), run, "{name} {text}");
    }
}

#[test]
fn what_writes_to_the_values_and_what_comes_after_it_is_run_each_time() {
    let write = "e: {{ $_ := set .Values.two \"x\" 7 }}\n";
    let writing = edited(&[("templates/e.yaml", write)]);
    assert_eq!(run_again(&writing, &writing), "abcde");
    // It wrote before, and does not any more; and the other way round.
    assert_eq!(run_again(&writing, FILES), "abcde");
    assert_eq!(run_again(FILES, &writing), "abcde");
}

#[test]
fn what_fails_is_run_each_time() {
    let failing = edited(&[("templates/c.yaml", "c: {{ fail \"no\" }}\n")]);
    assert_eq!(run_again(&failing, &failing), "");
    assert_eq!(run_again(&failing, FILES), "c");
    let unreadable = edited(&[("templates/c.yaml", "c: {{ fail\n")]);
    assert_eq!(run_again(&unreadable, FILES), "abcdefgs");
    assert_eq!(run_again(FILES, &unreadable), "");
}

/// Says that nobody wants to know any more once it was asked so often, and counts how often it is asked.
struct Impatient {
    dice: Seeded,
    most: usize,
    asked: AtomicUsize,
}

impl Environment for Impatient {
    fn now(&self) -> (i64, u32) {
        self.dice.now()
    }

    fn random(&self, buffer: &mut [u8]) {
        self.dice.random(buffer);
    }

    fn seed(&self) -> Option<u64> {
        self.dice.seed()
    }

    fn lookup_host(&self, name: &str) -> String {
        self.dice.lookup_host(name)
    }

    fn is_cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.most
    }
}

#[test]
fn no_template_is_begun_after_nobody_wants_to_know() {
    // Each template asks several times.
    let long = "{{ range until 5000 }}{{ . }}{{ end }}";
    let names: Vec<String> = (0..50).map(|number| format!("templates/{number}.yaml")).collect();
    let mut files = vec![("Chart.yaml", support::CHART)];
    files.extend(names.iter().map(|name| (name.as_str(), long)));
    let chart = loaded(&files);
    let patient = Impatient { dice: Seeded::new(7), most: usize::MAX, asked: AtomicUsize::new(0) };
    let (all, earlier) = rendered(&chart, None, &patient);
    assert_eq!(all.output.files.len(), names.len());
    let asked = patient.asked.into_inner();
    assert!(asked >= 2 * names.len(), "{asked}");
    for most in [0, 7, 20] {
        let impatient = Impatient { dice: Seeded::new(7), most, asked: AtomicUsize::new(0) };
        let (cut, _) = rendered(&chart, None, &impatient);
        // The template that hears of it is the last one.
        assert_eq!(impatient.asked.into_inner(), most + 1);
        assert_eq!(cut.failures.len(), 1);
        assert!(cut.output.files.len() * asked <= (most + 2) * names.len(), "{most}");
    }
    // What is known need not be run.
    let impatient = Impatient { dice: Seeded::new(7), most: 0, asked: AtomicUsize::new(0) };
    let (again, _) = rendered(&chart, earlier.as_ref(), &impatient);
    assert_eq!((again.output.files.len(), impatient.asked.into_inner()), (names.len(), 0));
}

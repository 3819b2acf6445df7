//! Whole charts in memory, with what is found in them.

use std::sync::Arc;

use trueline_check::{ChartSettings, Coverage, Ending, Input, Nested, Run, Settings, Silent};
use trueline_helm::values::ValueOptions;
use trueline_source::{MemoryLoader, SourceMap};

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.com/icon.svg\n";
const OBJECT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

fn run(files: &[(&str, &str)], charts: ChartSettings) -> (Run, Arc<SourceMap>) {
    let sources = Arc::new(SourceMap::new());
    let settings = Settings {
        catalogue: trueline_check::catalogue(),
        kind: None,
        only: None,
        strict: false,
        offline: true,
        registry: None,
        schemas: trueline_extension::SchemaSet::embedded(Arc::clone(&sources)),
        fetch: None,
        most: None,
        units: trueline_diagnostic::Units::All,
        charts,
        kubernetes: trueline_check::KubernetesSettings::default(),
    };
    let loader =
        files.iter().fold(MemoryLoader::new(""), |loader, (path, text)| loader.with_file(path, *text));
    let input = Input { loader: Arc::new(loader), path: String::new(), config: None };
    let run = trueline_check::run(&[input], Nested::Used, &settings, &sources, &Silent);
    (run, sources)
}

/// Findings as `file:line:column severity code`, with ` + file:line:column` for each related place. Which values are
/// used is not what most charts here are about.
fn lines(files: &[(&str, &str)], charts: ChartSettings) -> Vec<String> {
    all_lines(files, charts).into_iter().filter(|line| !line.contains("TL0680")).collect()
}

fn all_lines(files: &[(&str, &str)], charts: ChartSettings) -> Vec<String> {
    let (run, sources) = run(files, charts);
    let place = |span| {
        let position = sources.position(span);
        format!("{}:{}:{}", sources.get(span.source).name(), position.line, position.column)
    };
    let mut lines: Vec<String> = run
        .outcome
        .findings()
        .map(|finding| {
            let mut line = format!("{} {} {}", place(finding.primary.span), finding.severity, finding.code);
            for label in &finding.related {
                line.push_str(&format!(" + {}", place(label.span)));
            }
            line
        })
        .collect();
    lines.sort();
    lines
}

fn found(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<(&str, &str)> =
        [("c/Chart.yaml", CHART)].into_iter().chain(files.iter().copied()).collect();
    lines(&files, ChartSettings::default())
}

fn set(text: &str) -> ChartSettings {
    let values = ValueOptions { set: vec![text.to_owned()], ..ValueOptions::default() };
    ChartSettings { values, ..ChartSettings::default() }
}

#[test]
fn a_sound_chart_is_valid() {
    let (run, _) = run(&[("c/Chart.yaml", CHART), ("c/templates/a.yaml", OBJECT)], ChartSettings::default());
    assert_eq!(run.ending, Ending::Valid, "{:?}", run.outcome);
    let summary = run.outcome.summary();
    assert_eq!((summary.valid, summary.skipped), (1, 0));
}

#[test]
fn every_stage_reports_at_the_place_that_was_typed() {
    for (files, expected) in [
        // Chart.yaml.
        (
            &[("c/Chart.yaml", "apiVersion: v2\nname: a/b\nversion: 1.0.0\n")][..],
            &["c/Chart.yaml:2:7 error TL0404"][..],
        ),
        (
            &[(
                "c/Chart.yaml",
                "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n  - name: cache\n    version: 1.x\nicon: https://example.com/icon.svg\n",
            )],
            &["c/Chart.yaml:5:11 error TL0430"],
        ),
        (
            &[(
                "c/Chart.yaml",
                "apiVersion: v2\nname: web\nversion: 1.0.0\nkubeVersion: <1.20\nicon: https://example.com/icon.svg\n",
            )],
            &["c/Chart.yaml:4:14 error TL0431"],
        ),
        (
            &[("c/Chart.yaml", "apiVersion: v2\nname: web\nversion: \"1.2\"\nengine: gotpl\n")],
            &[
                "c/Chart.yaml:1:1 note TL0440",
                "c/Chart.yaml:3:10 warning TL0440",
                "c/Chart.yaml:4:1 warning TL0440",
            ],
        ),
        // Values.
        (&[("c/values.yaml", "a: 1\nb: @\n")], &["c/values.yaml:2:4 error TL0110"]),
        (&[("c/values.yaml", "a: 1\na: 2\n")], &["c/values.yaml:2:1 warning TL0105 + c/values.yaml:1:1"]),
        // Templates: all that cannot be parsed, whatever else is wrong.
        (
            &[("c/values.yaml", "- 1\n"), ("c/templates/a.yaml", "{{ .Values.a")],
            &["c/templates/a.yaml:1:1 error TL0501", "c/values.yaml:1:1 error TL0411"],
        ),
        (
            &[("c/templates/a.yaml", "{{ .Values.a"), ("c/templates/b.yaml", "x: {{ nope }}\n")],
            &["c/templates/a.yaml:1:1 error TL0501", "c/templates/b.yaml:1:7 error TL0507"],
        ),
        // All templates that fail, each for itself.
        (
            &[
                ("c/values.yaml", "n: 1\nt: x\n"),
                ("c/templates/a.yaml", "{{ .Values.x.y }}\n"),
                ("c/templates/b.yaml", "a: 1\nb: {{ .Values.t.y }}\n"),
            ],
            &[
                "c/templates/a.yaml:1:4 error TL0530",
                "c/templates/b.yaml:2:7 error TL0531 + c/values.yaml:2:4",
            ],
        ),
        // What templates write.
        (
            &[
                ("c/values.yaml", "t: \"a: b\"\n"),
                ("c/templates/a.yaml", "kind: A\napiVersion: a.b/v1\nx: {{ .Values.t }}\n"),
            ],
            &["c/templates/a.yaml:3:4 error TL0107 + c/values.yaml:1:4"],
        ),
        (
            &[("c/templates/a.yaml", "kind: A\n---\n# nothing\n---\n- 1\n")],
            &["c/templates/a.yaml:1:1 error TL0434", "c/templates/a.yaml:5:1 error TL0433"],
        ),
        // A chart that asks for a value.
        (
            &[("c/templates/a.yaml", "{{ required \"say a\" .Values.a }}\n")],
            &["c/templates/a.yaml:1:4 warning TL0544"],
        ),
        // Definitions.
        (&[("c/crds/a.yaml", "{{ if }}\nkind: A\n")], &["c/crds/a.yaml:1:1 error TL0435"]),
    ] {
        assert_eq!(found(files), expected, "{files:?}");
    }
}

#[test]
fn definitions_are_known_to_templates() {
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
               metadata: {name: backups.example.com}\nspec:\n  group: example.com\n  scope: Cluster\n  \
               names: {kind: Backup, plural: backups}\n  versions: [{name: v1, served: true, storage: true, \
               schema: {openAPIV3Schema: {type: object}}}]\n";
    let template =
        "{{ if not (.Capabilities.APIVersions.Has \"example.com/v1/Backup\") }}{{ fail \"no\" }}{{ end }}";
    assert_eq!(found(&[("c/crds/a.yaml", crd), ("c/templates/a.yaml", template)]), [""; 0]);
    assert_eq!(found(&[("c/templates/a.yaml", template)]).len(), 1);
}

#[test]
fn nulls_that_take_values_away_are_shown() {
    let files = [
        ("c/Chart.yaml", CHART),
        ("c/values.yaml", "image:\n  tag: \"1\"\n"),
        ("c/templates/a.yaml", "kind: A\napiVersion: {{ printf \"a.b/%s\" .Values.image.tag | quote }}\n"),
    ];
    assert_eq!(lines(&files, ChartSettings::default()), [""; 0]);
    let found = lines(&files, set("image=null"));
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("c/templates/a.yaml:2:32 error TL0530"), "{found:?}");
    assert!(found[0].contains(" + --set image=null:1:7"), "{found:?}");
}

const STRICT: &str = r#"{"properties": {"size": {"type": "string"}}, "additionalProperties": false}"#;

#[test]
fn what_helm_adds_for_subcharts_is_told() {
    let with_dependency = |name: &str, dependency: &str| {
        format!(
            "apiVersion: v2\nname: {name}\nversion: 1.0.0\nicon: https://example.com/icon.svg\ndependencies:\n  - name: {dependency}\n    version: 1.0.0\n"
        )
    };
    let (web, cache) = (with_dependency("web", "cache"), with_dependency("cache", "disk"));
    let strict = r#"{"properties": {"global": {}}, "additionalProperties": false}"#;
    let base = [
        ("c/Chart.yaml", web.as_str()),
        ("c/charts/cache/Chart.yaml", &cache),
        ("c/charts/cache/charts/disk/Chart.yaml", "apiVersion: v2\nname: disk\nversion: 1.0.0\n"),
    ];
    let with = |files: &[(&'static str, &'static str)]| {
        lines(&[&base[..], files].concat(), ChartSettings::default())
    };
    let rule = "values.schema.json:1:32";
    assert_eq!(
        with(&[("c/values.schema.json", strict)]),
        [format!("c/Chart.yaml:6:11 error TL0651 + c/{rule}")]
    );
    assert_eq!(
        with(&[("c/charts/cache/values.schema.json", strict)]),
        [format!("c/charts/cache/Chart.yaml:6:11 error TL0651 + c/charts/cache/{rule}")]
    );
    // What somebody wrote is told where it was written.
    let written = with(&[("c/values.schema.json", strict), ("c/values.yaml", "cache: {}\n")]);
    assert!(written[0].starts_with("c/values.yaml:1:1 error TL0203"), "{written:?}");
}

#[test]
fn what_is_missing_in_a_subchart_is_told_where_somebody_can_write_it() {
    let parent = "apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.com/icon.svg\ndependencies:\n  - name: cache\n    version: 1.0.0\n";
    let base = [
        ("c/Chart.yaml", parent),
        ("c/charts/cache/Chart.yaml", "apiVersion: v2\nname: cache\nversion: 1.0.0\n"),
        ("c/charts/cache/values.schema.json", "{\"required\": [\"size\"]}"),
    ];
    for (path, text, place) in [
        ("c/values.yaml", "a: 1\n", "c/values.yaml:1:1"),
        ("c/values.yaml", "a: 1\ncache:\n  b: 1\n", "c/values.yaml:3:3"),
        ("c/charts/cache/values.yaml", "b: 1\n", "c/charts/cache/values.yaml:1:1"),
    ] {
        let found = lines(&[&base[..], &[(path, text)]].concat(), ChartSettings::default());
        let found: Vec<&String> = found.iter().filter(|line| line.contains("TL0202")).collect();
        assert_eq!(
            found,
            [&format!("{place} error TL0202 + c/charts/cache/values.schema.json:1:2")],
            "{text}"
        );
    }
}

#[test]
fn what_a_parent_gives_to_a_strict_subchart_is_told() {
    let parent = "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n  - name: cache\n    version: 1.0.0\n    condition: cache.enabled\nicon: https://example.com/icon.svg\n";
    let cache = "apiVersion: v2\nname: cache\nversion: 1.0.0\n";
    let base = [
        ("c/Chart.yaml", parent),
        ("c/charts/cache/Chart.yaml", cache),
        ("c/charts/cache/values.yaml", "size: 1Gi\n"),
        ("c/charts/cache/values.schema.json", STRICT),
    ];
    let rule = "c/charts/cache/values.schema.json:1:46";
    let with =
        |values: &str| lines(&[&base[..], &[("c/values.yaml", values)]].concat(), ChartSettings::default());
    assert_eq!(with(""), [format!("c/Chart.yaml:5:11 error TL0651 + {rule}")]);
    assert_eq!(with("a: 1\nglobal:\n  x: 1\n"), [format!("c/values.yaml:2:1 error TL0651 + {rule}")]);
    let enabled = with("global: {}\ncache:\n  enabled: true\n");
    assert_eq!(
        enabled,
        [
            format!("c/values.yaml:1:1 error TL0651 + {rule}"),
            format!("c/values.yaml:3:3 error TL0651 + c/Chart.yaml:7:16 + {rule}"),
        ]
    );
    // What is only misspelt is told as such.
    let misspelt = with("global: {}\ncache:\n  sise: 2Gi\n");
    assert!(misspelt[1].starts_with("c/values.yaml:3:3 error TL0203"), "{misspelt:?}");
    // The fix is one that mends it.
    let (run, sources) = run(&base, ChartSettings::default());
    let finding = run.outcome.findings().next().unwrap();
    assert!(finding.help.as_ref().unwrap().contains("allow it: add"), "{finding:?}");
    let edit = &finding.fix.as_ref().unwrap().edits[0];
    let mut mended = sources.get(edit.span.source).text().to_string();
    mended.replace_range(edit.span.range(), &edit.replacement);
    let files = [base[0], base[1], base[2], ("c/charts/cache/values.schema.json", mended.as_str())];
    assert_eq!(lines(&files, ChartSettings::default()), [""; 0]);
}

#[test]
fn findings_of_several_values_are_said_once() {
    let template = "kind: A\napiVersion: a.b/v1\na: {{ .Values.a.b }}\nc: {{ if .Values.d }}{{ .Values.d.e.f }}{{ end }}\n";
    let found = found(&[
        ("c/templates/a.yaml", template),
        ("c/ci/one-values.yaml", "a: {b: 1}\nd: {g: 1}\n"),
        ("c/ci/two-values.yaml", "a: {b: 1}\nd: {g: 1}\n"),
        ("c/ci/three-values.yaml", "a: {b: 1}\n"),
    ]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("c/templates/a.yaml:3:7 error TL0530"), "{found:?}");
    assert!(found[1].starts_with("c/templates/a.yaml:4:25 error TL0530"), "{found:?}");
}

#[test]
fn each_chart_of_a_repository_is_a_unit() {
    let (run, _) = run(
        &[
            ("charts/a/Chart.yaml", CHART),
            ("charts/a/charts/b/Chart.yaml", CHART),
            ("charts/c/Chart.yaml", CHART),
            ("readme.md", ""),
        ],
        ChartSettings::default(),
    );
    let names: Vec<&str> = run.outcome.units.iter().map(|unit| unit.name.as_str()).collect();
    assert_eq!(names, ["charts/a", "charts/c"]);
}

#[test]
fn suppression_works_in_templates_and_values() {
    let template = "# trueline: ignore-file[TL0530] set by the platform\na: {{ .Values.a.b }}\n";
    assert_eq!(found(&[("c/templates/a.yaml", template)]), [""; 0]);
    for comment in [
        "# trueline: ignore[TL0434] read by another tool",
        "{{- /* trueline: ignore[TL0434] read by another tool */}}",
        "{{- /* # trueline: ignore[TL0434] read by another tool */}}",
    ] {
        let template = format!("{{{{- if true }}}}\n{comment}\nmetadata: {{}}\n{{{{- end }}}}\n");
        assert_eq!(found(&[("c/templates/a.yaml", &template)]), [""; 0], "{template}");
        let template = format!("{{{{- if true }}}}\nmetadata: {{}} {comment}\n{{{{- end }}}}\n");
        assert_eq!(found(&[("c/templates/a.yaml", &template)]), [""; 0], "{template}");
    }
    let definition = "# trueline: ignore[TL0434] read by another tool\nkind: X\n";
    assert_eq!(found(&[("c/crds/a.yaml", definition)]), [""; 0]);
    let values = "a: 1\na: 2 # trueline: ignore[TL0105] on purpose\n";
    assert_eq!(found(&[("c/values.yaml", values)]), [""; 0]);
}

#[test]
fn a_chart_that_was_not_rendered_is_not_called_valid() {
    let template = "{{/* trueline: ignore[TL0434] read by another tool */}}\na: 1\n";
    let files = [("c/Chart.yaml", CHART), ("c/templates/a.yaml", template)];
    let missing = ValueOptions { files: vec!["none.yaml".to_owned()], ..ValueOptions::default() };
    for (charts, ending) in [
        (set("a"), Ending::Invalid),
        (ChartSettings { values: missing, ..ChartSettings::default() }, Ending::CouldNotRun),
    ] {
        let (run, _) = run(&files, charts);
        let summary = run.outcome.summary();
        assert_eq!((summary.valid, summary.skipped, summary.errors), (0, 1, 1), "{:?}", run.outcome);
        assert_eq!((run.ending, summary.warnings), (ending, 0));
    }
}

#[test]
fn charts_without_a_file_for_the_matrix_are_skipped_where_others_have_one() {
    let files = [
        ("c/Chart.yaml", CHART),
        ("c/templates/a.yaml", OBJECT),
        ("c/envs/prod.yaml", "a: 1\n"),
        ("d/Chart.yaml", CHART),
        ("d/templates/a.yaml", OBJECT),
    ];
    let matrix =
        |pattern: &str| ChartSettings { matrix: vec![pattern.to_owned()], ..ChartSettings::default() };
    let (some, _) = run(&files, matrix("envs/*.yaml"));
    let skipped: Vec<Option<&str>> = some.outcome.units.iter().map(|unit| unit.skipped.as_deref()).collect();
    assert_eq!(skipped, [None, Some("no file of the chart matches `envs/*.yaml`")]);
    assert_eq!(some.ending, Ending::Valid);
    let summary = some.outcome.summary();
    assert_eq!((summary.checked, summary.valid, summary.skipped), (1, 1, 1), "skipped is not valid");
    assert_eq!(run(&files, matrix("none/*.yaml")).0.outcome.summary().errors, 2);
}

#[test]
fn a_chart_that_refuses_its_own_values_is_judged_by_those_for_tests() {
    let template = "{{- if not .Values.name }}{{ fail \"a name is needed\" }}{{ end }}\n";
    let object = "{{- if .Values.name }}\napiVersion: v1\nkind: ConfigMap\n{{- end }}\nmetadata: {name: a}\n";
    let files = [
        ("c/values.yaml", "name: \"\"\n"),
        ("c/ci/a-values.yaml", "name: a\n"),
        ("c/templates/check.yaml", template),
        ("c/templates/object.yaml", object),
    ];
    assert_eq!(found(&files), ["c/templates/check.yaml:1:30 note TL0544"]);
}

#[test]
fn what_a_flag_does_to_every_set_of_values_is_told_once() {
    let files = [
        ("c/Chart.yaml", CHART),
        ("c/values.yaml", "a: {b: 1}\n"),
        ("c/ci/one-values.yaml", "a: {b: 2}\n"),
        ("c/ci/two-values.yaml", "a: {b: 3}\n"),
        (
            "c/templates/a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {{ .Values.a }}\n",
        ),
    ];
    let lines = all_lines(&files, set("a=1,zzz=2"));
    let flags: Vec<&str> = lines.iter().map(String::as_str).filter(|line| line.contains("TL068")).collect();
    let flag = "--set a=1,zzz=2:1";
    assert_eq!(
        flags,
        [format!("{flag}:3 warning TL0685 + c/values.yaml:1:4"), format!("{flag}:5 warning TL0680")]
    );
}

#[test]
fn keys_that_are_read_as_truth_values_are_explained() {
    let files = [
        ("c/Chart.yaml", CHART),
        (
            "c/templates/a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n{{- range .Values.users }}\n  u: {{ .name }}\n{{- end }}\n",
        ),
    ];
    for (values, expected) in [
        ("users:\n- name: a\n  n: 1\n", true),
        ("users:\n- name: a\n  \"n\": 1\n", false),
        ("users:\n- name: a\n  false: 1\n", false),
    ] {
        let [chart, template] = files;
        let (run, _) = run(&[chart, ("c/values.yaml", values), template], ChartSettings::default());
        let help: Vec<&str> = run
            .outcome
            .findings()
            .filter(|finding| finding.code.id == "TL0680")
            .filter_map(|finding| finding.help.as_deref())
            .collect();
        assert_eq!(help.len(), 1, "{values}");
        assert_eq!(help[0].contains("write `\"n\"`"), expected, "{values}: {help:?}");
    }
}

#[test]
fn lists_and_maps_of_another_type_are_told_at_the_value() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: a, image: i}]\n";
    let template = format!("{pod}  tolerations:\n    {{{{- toYaml .Values.tolerations | nindent 4 }}}}\n");
    let files = [
        ("c/Chart.yaml", CHART),
        ("c/values.yaml", "tolerations:\n  key: a\n"),
        ("c/templates/a.yaml", &template),
    ];
    let lines = all_lines(&files, ChartSettings::default());
    let found: Vec<&String> = lines.iter().filter(|line| line.contains("TL0702")).collect();
    assert_eq!(found, ["c/templates/a.yaml:7:5 error TL0702 + c/values.yaml:2:3"]);
}

#[test]
fn values_that_nothing_reads_or_sets_are_told() {
    let files = [
        ("c/Chart.yaml", CHART),
        ("c/values.yaml", "replicaCount: 1\nimage: {tag: 1}\nold: 1\n"),
        (
            "c/templates/a.yaml",
            "apiVersion: a.b/v1\nkind: A\nmetadata:\n  name: a\n  namespace: web\nc: {{ .Values.replicaCount }}\n\
             t: {{ toJson .Values.image }}\n{{ if .Values.x }}u: {{ .Values.account.name }}{{ else }}v: 1{{ end }}\n",
        ),
    ];
    let own = [
        "c/templates/a.yaml:5:14 warning TL0550",
        "c/templates/a.yaml:8:25 warning TL0682",
        "c/values.yaml:3:1 note TL0680",
    ];
    assert_eq!(all_lines(&files, ChartSettings::default()), own);
    let given = all_lines(&files, set("replicacount=3,image=web"));
    let flags: Vec<&str> =
        given.iter().map(String::as_str).filter(|line| line.starts_with("--set")).collect();
    let flag = "--set replicacount=3,image=web:1";
    assert_eq!(
        flags,
        [format!("{flag}:1 warning TL0681"), format!("{flag}:22 warning TL0685 + c/values.yaml:2:8")]
    );
    let coverage = ChartSettings { coverage: Coverage::Told, ..ChartSettings::default() };
    let covered: Vec<String> =
        all_lines(&files, coverage).into_iter().filter(|line| line.contains("TL055")).collect();
    assert_eq!(
        covered,
        [
            "c/Chart.yaml:1:1 note TL0552",
            "c/templates/a.yaml:5:14 warning TL0550",
            "c/templates/a.yaml:8:1 note TL0551",
        ]
    );
}

#[test]
fn dependencies_that_do_not_fit_are_told() {
    let chart = "apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.com/icon.svg\ndependencies:\n  - name: cache\n    version: ^2.0.0\n    repository: https://example.com\n";
    let lock = "dependencies:\n- name: cache\n  repository: https://example.com\n  version: 1.4.0\ndigest: sha256:aa\n";
    let cache = "apiVersion: v2\nname: cache\nversion: 1.4.0\n";
    let files = [("c/Chart.yaml", chart), ("c/charts/cache/Chart.yaml", cache)];
    let other = "c/Chart.yaml:7:14 warning TL0441 + c/charts/cache/Chart.yaml:3:10";
    assert_eq!(lines(&files, ChartSettings::default()), [other]);
    let locked = [&files[..], &[("c/Chart.lock", lock)]].concat();
    assert_eq!(lines(&locked, ChartSettings::default()), ["c/Chart.yaml:6:3 warning TL0442", other]);
    let fitting = chart.replace("^2.0.0", "^1.0.0");
    let files = [("c/Chart.yaml", fitting.as_str()), ("c/charts/cache/Chart.yaml", cache)];
    assert_eq!(lines(&files, ChartSettings::default()), [""; 0]);
    let (empty, lock) = (format!("{CHART}dependencies: []\n"), "dependencies: []\ndigest: sha256:aa\n");
    let files = [("c/Chart.yaml", empty.as_str()), ("c/Chart.lock", lock)];
    assert_eq!(lines(&files, ChartSettings::default()), [""; 0], "there is nothing that can be out of date");
}

#[test]
fn what_is_wrong_with_chart_yaml_is_told_at_once() {
    let chart = "apiVersion: v3\nname: web\nversion: abc\nmaintaners: []\nsomething: 1\n";
    let found = lines(&[("c/Chart.yaml", chart)], ChartSettings::default());
    for part in ["1:13 error TL0403", "3:10 error TL0405", "4:1 warning TL0440", "5:1 warning TL0440"] {
        assert!(found.iter().any(|line| line.contains(part)), "{part}: {found:?}");
    }
}

#[test]
fn schemas_that_helmignore_hides_are_told() {
    let files = [
        ("c/Chart.yaml", CHART),
        ("c/.helmignore", "*.json\n"),
        ("c/values.schema.json", "{}"),
        ("c/schema-dependencies.json", "{}"),
    ];
    let found = lines(&files, ChartSettings::default());
    assert_eq!(found, ["c/Chart.yaml:1:1 warning TL0443"; 2]);
}

#[test]
fn a_block_that_is_indented_wrongly_is_blamed() {
    let template = "apiVersion: a.b/v1\nkind: A\nmetadata:\n  labels:\n    {{- include \"l\" . | nindent 5 }}\n    c: d\n";
    let helpers = "{{- define \"l\" -}}\na: b\nx: y\n{{- end -}}\n";
    let (run, sources) = run(
        &[("c/Chart.yaml", CHART), ("c/templates/a.yaml", template), ("c/templates/_h.tpl", helpers)],
        ChartSettings::default(),
    );
    let finding = run.outcome.findings().find(|finding| finding.message.contains("is not YAML")).unwrap();
    let finding = finding.clone().at_origin(&sources);
    let blamed = finding.related.iter().find(|label| label.text.contains("nindent")).expect("a label");
    assert_eq!(sources.position(blamed.span).line, 5);
    assert!(blamed.text.contains("by 5 spaces") && blamed.text.contains("by 4 spaces"), "{blamed:?}");
    assert!(finding.help.unwrap().contains("indentation of the block above"));
}

#[test]
fn what_a_helper_writes_wrongly_says_who_includes_it() {
    let template = "---\n# one\n---\napiVersion: a.b/v1\nkind: A\nspec:\n  {{- include \"l\" . }}\n  b: c\n";
    let helpers = "{{- define \"l\" }}\n  a: [\n{{- end -}}\n";
    let (run, sources) = run(
        &[("c/Chart.yaml", CHART), ("c/templates/a.yaml", template), ("c/templates/_h.tpl", helpers)],
        ChartSettings::default(),
    );
    let finding = run.outcome.findings().find(|finding| finding.message.contains("is not YAML")).unwrap();
    let place = |span: trueline_source::Span| {
        let position = sources.position(span);
        format!("{}:{}:{}", sources.get(span.source).name(), position.line, position.column)
    };
    let trace: Vec<String> =
        finding.trace.iter().map(|frame| format!("{} {}", frame.text, place(frame.span))).collect();
    assert!(trace.contains(&"included here c/templates/a.yaml:7:3".to_owned()), "{trace:?}");
    // Lines of rendered text are those of the whole file.
    assert!(
        trace.iter().any(|line| line.starts_with("in the rendered text") && line.contains(":7:")),
        "{trace:?}"
    );
}

#[test]
fn the_value_that_a_chart_asks_for_is_named() {
    let template = "apiVersion: a.b/v1\nkind: A\nx: {{ required \"give it\" .Values.tag }}\n";
    let (run, _) =
        run(&[("c/Chart.yaml", CHART), ("c/templates/a.yaml", template)], ChartSettings::default());
    let finding = run.outcome.findings().find(|finding| finding.code.id == "TL0544").unwrap();
    assert_eq!(finding.primary.text, "`.Values.tag` has to be set");
}

#[test]
fn imports_that_import_nothing_are_told() {
    let chart = format!(
        "{CHART}dependencies:\n- name: a\n  version: 1.0.0\n  import-values:\n  - data\n  - dta\n  - 5\n  - child: text\n    parent: x\n  - {{child: plain.nope, parent: x}}\n  - {{parent: x}}\n  - {{child: plain, parent: 7}}\n  - {{child: plain.nn, parent: .}}\n- {{name: b, version: 1.0.0, condition: b.enabled, import-values: [none]}}\n"
    );
    let values = "exports:\n  data: {k: 1}\nplain: {nn: {o: 1}}\ntext: t\n";
    let mut files = vec![
        ("c/Chart.yaml", chart.as_str()),
        ("c/values.yaml", "b: {enabled: false}\n"),
        ("c/charts/a/Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
        ("c/charts/a/values.yaml", values),
        ("c/charts/b/Chart.yaml", "apiVersion: v2\nname: b\nversion: 1.0.0\n"),
        ("c/templates/a.yaml", OBJECT),
    ];
    let told = |files: &[(&str, &str)]| {
        let lines = lines(files, ChartSettings::default());
        lines.into_iter().filter(|line| line.contains("TL0444")).collect::<Vec<_>>()
    };
    assert_eq!(
        told(&files),
        [
            "c/Chart.yaml:10:5 warning TL0444",
            "c/Chart.yaml:11:5 warning TL0444",
            "c/Chart.yaml:12:12 warning TL0444 + c/charts/a/values.yaml:4:7",
            "c/Chart.yaml:14:13 warning TL0444",
            "c/Chart.yaml:15:5 warning TL0444",
            "c/Chart.yaml:16:28 warning TL0444",
        ]
    );
    files[1].1 = "b: {enabled: true}\n";
    assert_eq!(told(&files).len(), 7, "a subchart that takes part has to have what is imported");
    let (run, _) = run(&files, ChartSettings::default());
    let fixes: Vec<String> = run
        .outcome
        .findings()
        .filter(|finding| finding.code.id == "TL0444")
        .filter_map(|finding| Some(finding.fix.as_ref()?.edits[0].replacement.clone()))
        .collect();
    assert_eq!(fixes, ["data"]);
}

#[test]
fn notes_stay_where_there_are_errors() {
    let template =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: \"{{ .Values.nothing }}\"}\n";
    for more in ["", "wrong: 1\n"] {
        let object = format!("{template}{more}");
        let lines = found(&[("c/values.yaml", ""), ("c/templates/a.yaml", &object)]);
        let is_noted = lines.iter().any(|line| line.contains("note TL0683"));
        assert!(is_noted && lines.len() == 1 + usize::from(!more.is_empty()), "{lines:?}");
    }
}

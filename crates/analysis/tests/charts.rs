//! Whole charts in memory, with what is found in them.
//!
//! This file is long because each of its tests is a small chart with the findings that are expected of it.

mod support;

use std::sync::Arc;

use support::{Mounted, check, settings};
use trueline_analysis::{ChartSettings, Coverage, Ending, Run, Settings};
use trueline_diagnostic::Severity;
use trueline_helm::values::ValueOptions;
use trueline_source::{MemoryLoader, SourceMap};

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.com/icon.svg\n";
const OBJECT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

fn run(files: &[(&str, &str)], charts: ChartSettings) -> (Run, Arc<SourceMap>) {
    run_with(files, charts, "")
}

/// The same with a file of values that a flag names `more.yaml`.
fn run_with(files: &[(&str, &str)], charts: ChartSettings, more: &str) -> (Run, Arc<SourceMap>) {
    let loader =
        files.iter().fold(MemoryLoader::new(""), |loader, (path, text)| loader.with_file(path, *text));
    check(Mounted::new(loader).named("more.yaml", more), Settings { charts, ..settings() })
}

/// Findings as `file:line:column severity code`, with ` + file:line:column` for each related place. Which values are
/// used, and how directories are named, is not what most charts here are about.
fn lines(files: &[(&str, &str)], charts: ChartSettings) -> Vec<String> {
    all_lines(files, charts).into_iter().filter(|line| is_about_charts(line)).collect()
}

fn is_about_charts(line: &str) -> bool {
    !line.contains("TL0680") && !line.contains("TL0422")
}

fn all_lines(files: &[(&str, &str)], charts: ChartSettings) -> Vec<String> {
    lines_of(&run(files, charts))
}

fn lines_of((run, sources): &(Run, Arc<SourceMap>)) -> Vec<String> {
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
            &["c/values.yaml:1:4 error TL0107 + c/templates/a.yaml:3:4"],
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
    assert_eq!(found, ["--set image=null:1:7 error TL0530 + c/templates/a.yaml:2:32"]);
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
    // What somebody wrote is reported where it was written.
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
    // What is only misspelt is reported as such.
    let misspelt = with("global: {}\ncache:\n  sise: 2Gi\n");
    assert!(misspelt[1].starts_with("c/values.yaml:3:3 error TL0203"), "{misspelt:?}");
    // The fix works.
    let (run, sources) = run(&base, ChartSettings::default());
    let finding = run.outcome.findings().next().unwrap();
    assert!(finding.help.as_ref().unwrap().contains("allow it: add"), "{finding:?}");
    let edit = &finding.fix.as_ref().unwrap().edits[0];
    let mut fixed = sources.get(edit.span.source).text().to_string();
    fixed.replace_range(edit.span.range(), &edit.replacement);
    let files = [base[0], base[1], base[2], ("c/charts/cache/values.schema.json", fixed.as_str())];
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

const LABELLED: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels:\n    team: {{ .Values.team }}\n";

#[test]
fn object_errors_are_suppressed_at_the_value_and_at_the_template_line() {
    let template = |comment: &str| LABELLED.replace(".team }}", &format!(".team }}}} {comment}"));
    assert_eq!(found(&[("c/values.yaml", "team: a!\n"), ("c/templates/a.yaml", LABELLED)]).len(), 1);
    for (values, template) in [
        ("team: a! # trueline: ignore[TL0704] fixed\n", template("")),
        ("team: a! # trueline: ignore[invalid-value] fixed\n", template("")),
        ("# trueline: ignore-file[TL0704] fixed\nteam: a!\n", template("")),
        ("team: a!\n", template("# trueline: ignore[TL0704] fixed")),
        ("team: a!\n", template("{{- /* trueline: ignore[TL0704] fixed */}}")),
    ] {
        let files = [("c/values.yaml", values), ("c/templates/a.yaml", &template)];
        assert_eq!(found(&files), [""; 0], "{values}{template}");
    }
    let config = "[[ignore]]\npaths = [\"values.yaml\"]\ncodes = [\"invalid-value\"]\nreason = \"r\"\n";
    let files =
        [("c/trueline.toml", config), ("c/values.yaml", "team: a!\n"), ("c/templates/a.yaml", LABELLED)];
    assert_eq!(found(&files), [""; 0]);
}

#[test]
fn given_values_files_can_suppress_and_are_told_of_unused_suppressions_once() {
    let files = [
        ("a/Chart.yaml", CHART),
        ("a/values.yaml", "team: a\n"),
        ("a/templates/a.yaml", LABELLED),
        ("b/Chart.yaml", CHART),
        ("b/values.yaml", "team: a # trueline: ignore[TL0704] unused, but its value is replaced\n"),
        ("b/templates/a.yaml", LABELLED),
    ];
    let given = |text: &'static str| {
        let values = ValueOptions { files: vec!["more.yaml".to_owned()], ..ValueOptions::default() };
        let told = lines_of(&run_with(&files, ChartSettings { values, ..ChartSettings::default() }, text));
        told.into_iter().filter(|line| is_about_charts(line)).collect::<Vec<String>>()
    };
    assert_eq!(given("team: a! # trueline: ignore[TL0704] fixed\n"), [""; 0]);
    assert_eq!(given("team: b # trueline: ignore[TL0704] fixed\n"), ["more.yaml:1:9 warning TL0157"]);
    let malformed = "team: b # trueline: hush\n";
    assert_eq!(given(malformed), ["more.yaml:1:9 warning TL0155"]);
}

#[test]
fn suppressions_in_subcharts_count_and_their_leftovers_are_not_reported() {
    let sub = |values: &str, template: &str| {
        lines(
            &[
                ("c/Chart.yaml", CHART),
                ("c/charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"),
                ("c/charts/sub/values.yaml", values),
                ("c/charts/sub/templates/s.yaml", template),
            ],
            ChartSettings::default(),
        )
        .into_iter()
        .filter(|line| ["TL0704", "TL0155", "TL0156", "TL0157"].iter().any(|code| line.contains(code)))
        .count()
    };
    let comment = "# trueline: ignore[TL0704] known";
    assert_eq!(sub("team: a!\n", LABELLED), 1);
    assert_eq!(sub(&format!("team: a! {comment}\n"), LABELLED), 0);
    assert_eq!(sub("# trueline: ignore-file[TL0704] known\n\nteam: a!\n", LABELLED), 0);
    let commented = LABELLED.replace(".team }}", &format!(".team }}}} {comment}"));
    assert_eq!(sub("team: a!\n", &commented), 0);
    assert_eq!(sub(&format!("team: a {comment}\n"), LABELLED), 0, "unused");
    assert_eq!(sub("team: a # trueline: hush\n", LABELLED), 0, "malformed");
}

#[test]
fn unused_suppressions_are_told_where_the_run_looked() {
    let comment = "# trueline: ignore[TL0704] fixed";
    let unused = |template: &str, values: &str| {
        let found = found(&[("c/values.yaml", values), ("c/templates/a.yaml", template)]);
        found.into_iter().filter(|line| line.contains("TL0157")).count()
    };
    let at_value = format!("team: a {comment}\n");
    assert_eq!(unused(LABELLED, &at_value), 1);
    let rendered = LABELLED.replace(".team }}", &format!(".team }}}} {comment}"));
    assert_eq!(unused(&rendered, "team: a\n"), 1);
    let branch = format!("{OBJECT}{{{{- if .Values.extra }}}}\ndata: {{}} {comment}\n{{{{- end }}}}\n");
    assert_eq!(unused(&branch, "extra: true\n"), 1);
    assert_eq!(unused(&branch, "extra: false\n"), 0, "the line was not rendered");
    let stopped = format!("{LABELLED}    a: {{{{ required \"a\" .Values.a }}}}\n");
    assert_eq!(unused(&stopped, &at_value), 0, "nothing was rendered");
    let skipped =
        "apiVersion: example.com/v1\nkind: Unknown # trueline: ignore[TL0704] fixed\nmetadata: {name: a}\n";
    assert_eq!(unused(skipped, ""), 0, "the object was not checked");
    let update = LABELLED.replace(".team }}", ".team }} # trueline: ignore[immutable-field] fixed");
    assert_eq!(unused(&update, "team: a\n"), 0, "there is nothing to compare with");
}

#[test]
fn a_chart_that_stops_on_purpose_is_listed_as_not_rendered() {
    for (stop, function) in
        [("{{ required \"give x\" .Values.x }}", "required"), ("{{ fail \"no\" }}", "fail")]
    {
        let template = format!("{OBJECT}data: {{x: '{stop}'}}\n");
        let files =
            [("c/Chart.yaml", CHART), ("c/values.yaml", "x: ''\n"), ("c/templates/a.yaml", &*template)];
        let (stopped, _) = run(&files, ChartSettings::default());
        let summary = stopped.outcome.summary();
        assert_eq!((summary.valid, summary.skipped, summary.warnings), (0, 1, 1), "{:?}", stopped.outcome);
        assert_eq!(stopped.ending, Ending::Valid);
        let why = format!("not rendered, the chart stops with `{function}`");
        assert_eq!(stopped.outcome.units[0].skipped.as_deref(), Some(&*why));
        let strict = [files.as_slice(), &[("c/trueline.toml", "strict = true\n")]].concat();
        assert_eq!(run(&strict, ChartSettings::default()).0.ending, Ending::Invalid);
    }
    // Values for tests render it: the others are a part that was left out.
    let template = format!("{OBJECT}data: {{x: '{{{{ required \"give x\" .Values.x }}}}'}}\n");
    let files = [
        ("c/Chart.yaml", CHART),
        ("c/values.yaml", "x: ''\n"),
        ("c/ci/a-values.yaml", "x: y\n"),
        ("c/templates/a.yaml", &*template),
    ];
    let (tested, _) = run(&files, ChartSettings::default());
    let unit = &tested.outcome.units[0];
    assert_eq!((unit.skipped.as_deref(), unit.left_out.len()), (None, 1), "{unit:?}");
    assert_eq!(unit.left_out[0].what, "the rendering with its own values");
}

/// A file for tests that the chart stops at is an error, even if the chart refuses its own values in the same place.
#[test]
fn values_for_tests_that_a_chart_stops_at_are_an_error() {
    let template = format!("{OBJECT}data: {{x: '{{{{ required \"give x\" .Values.x }}}}'}}\n");
    let files = [
        ("c/Chart.yaml", CHART),
        ("c/values.yaml", "x: ''\n"),
        ("c/ci/a-values.yaml", "x: z\n"),
        ("c/ci/b-values.yaml", "z: 1\n"),
        ("c/templates/a.yaml", &*template),
    ];
    let (tested, _) = run(&files, ChartSettings::default());
    assert_eq!(tested.ending, Ending::Invalid, "{:?}", tested.outcome);
    let unit = &tested.outcome.units[0];
    let mut left_out: Vec<&str> = unit.left_out.iter().map(|part| part.what.as_str()).collect();
    left_out.sort_unstable();
    assert_eq!(left_out, ["the rendering with `c/ci/b-values.yaml`", "the rendering with its own values"]);
    let stop = tested.outcome.findings().find(|finding| finding.code.id == "TL0544").unwrap();
    assert_eq!(stop.severity, Severity::Error);
    assert!(stop.help.as_deref().unwrap_or_default().contains("`c/ci/b-values.yaml`"), "{stop:?}");
}

#[test]
fn an_empty_value_that_an_object_error_is_about_is_primary() {
    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n";
    for (written, expected) in [
        (
            "    - name: x\n      image: {{ .Values.img }}\n",
            "c/values.yaml:1:6 error TL0703 + c/templates/a.yaml:7:14",
        ),
        (
            "    - name: x\n      image: \"{{ .Values.img }}\"\n",
            "c/values.yaml:1:6 error TL0703 + c/templates/a.yaml:7:15",
        ),
        (
            "    - name: x\n      image: {{ .Values.img | quote }}\n",
            "c/values.yaml:1:6 error TL0703 + c/templates/a.yaml:7:14",
        ),
        (
            "    - image: x\n      name: {{ .Values.img | trim }}\n",
            "c/values.yaml:1:6 error TL0703 + c/templates/a.yaml:7:13",
        ),
        (
            "    - image: x\n      name: {{ include \"n\" . }}\n{{- define \"n\" }}{{ .Values.img }}{{ end }}\n",
            "c/values.yaml:1:6 error TL0703 + c/templates/a.yaml:7:13",
        ),
        (
            "    - image: x\n      name: a-{{ .Values.img }}\n",
            "c/values.yaml:1:6 error TL0704 + c/templates/a.yaml:7:15",
        ),
        // Nobody typed it: the action is what to look at.
        ("    - image: x\n      name: {{ .Release.Nmae }}\n", "c/templates/a.yaml:7:25 error TL0686"),
        // It is not empty because of the value.
        ("    - image: {{ .Values.img }}x\n      name:\n", "c/templates/a.yaml:7:7 error TL0703"),
    ] {
        let template = format!("{POD}{written}");
        let found = found(&[("c/values.yaml", "img: \"\"\n"), ("c/templates/a.yaml", &template)]);
        assert_eq!(found, [expected], "{written}");
    }
    // One cause, one finding: without a port there is no target port either.
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n    - port: {{ .Values.port }}\n";
    let found = found(&[("c/values.yaml", "port: \"\"\n"), ("c/templates/a.yaml", service)]);
    assert_eq!(found, ["c/values.yaml:1:7 error TL0704 + c/templates/a.yaml:6:13"]);
}

#[test]
fn fields_that_do_not_exist_are_reported_once() {
    for (written, expected) in [
        ("metadata: {name: a, namespace: '{{ .Release.Namesapce }}'}\n", "4:45 warning TL0686"),
        ("metadata:\n  name: {{ .Chart.Nmae }}\n", "5:19 error TL0686"),
        ("metadata: {name: a}\ndata: {a: '{{ .Capabilities.KubeVersion.Versoin }}'}\n", "5:41 error TL0686"),
        (
            "metadata: {name: a}\n{{- if .Values.x }}\ndata: {a: '{{ .Chart.Verison }}'}\n{{- end }}\n",
            "6:22 warning TL0686",
        ),
        ("metadata: {name: a}\ndata: {a: '{{ .Chart.Version }}'}\n", ""),
    ] {
        let template = format!("apiVersion: v1\nkind: ConfigMap\n# {{{{ .Chart.Name }}}}\n{written}");
        let found = found(&[("c/values.yaml", "x: false\n"), ("c/templates/a.yaml", &template)]);
        let expected: Vec<String> = expected
            .split(';')
            .filter(|place| !place.is_empty())
            .map(|place| format!("c/templates/a.yaml:{place}"))
            .collect();
        assert_eq!(found, expected, "{written}");
    }
    let told = messages("", "a: {{ .Relase.Name }}\n");
    assert_eq!(told, ["nothing is called `.Relase` in a template | did you mean `.Release`?"]);
}

#[test]
fn slips_in_yaml_are_reported_where_they_are() {
    for (written, expected) in [
        (
            "metadata:\n  name: \"{{ .Values.x }}\n  labels:\n    app: \"b\"\n",
            "c/templates/a.yaml:4:9 error TL0104",
        ),
        ("metadata:\n  name:{{ .Values.x }}\n  labels:\n    app: b\n", "c/templates/a.yaml:4:7 error TL0108"),
        (
            "metadata:\n  name: \"{{ .Values.x }}\"\"\n  labels:\n    app: b\n",
            "c/templates/a.yaml:4:26 error TL0104",
        ),
        ("metadata:\n  name: a\ndata:\n  b: 'it's {{ .Values.x }}'\n", "c/templates/a.yaml:6:9 error TL0104"),
    ] {
        let template = format!("apiVersion: v1\nkind: ConfigMap\n{written}");
        let found = found(&[("c/values.yaml", "x: web\n"), ("c/templates/a.yaml", &template)]);
        assert_eq!(found, [expected], "{written}");
    }
}

/// The messages and helps of a chart with one template and values.
fn messages(values: &str, template: &str) -> Vec<String> {
    let files = [("c/Chart.yaml", CHART), ("c/values.yaml", values), ("c/templates/a.yaml", template)];
    let (run, _) = run(&files, ChartSettings::default());
    let of = |finding: &trueline_diagnostic::Diagnostic| {
        format!("{} | {}", finding.message, finding.help.as_deref().unwrap_or_default())
    };
    let findings = run.outcome.findings().filter(|finding| finding.severity != Severity::Note);
    findings.filter(|finding| !finding.code.id.starts_with("TL068")).map(of).collect()
}

#[test]
fn what_changed_the_dot_is_named() {
    for (template, expected) in [
        (
            "{{ with .Values.a }}{{ .Values.b }}{{ end }}",
            "inside `with`, `.` is `.Values.a`, which has no `Values` | use `$.Values` to reach the chart's values",
        ),
        (
            "{{ range .Values.l }}{{ .Release.Name }}{{ end }}",
            "inside `range`, `.` is an item of `.Values.l`, which has no `Release` | use `$.Release` to reach `.Release`",
        ),
        (
            "{{ with .Values.m }}{{ .Values.b.c }}{{ end }}",
            "inside `with`, `.` is `.Values.m`, which has no `Values` | use `$.Values` to reach the chart's values",
        ),
        (
            "{{ define \"n\" }}{{ .Values.b }}{{ end }}{{ include \"n\" .Values.a }}",
            "the template `n` reads `.Values`, but its caller passes something else | pass the root: `{{ include \"n\" $ }}`",
        ),
    ] {
        assert_eq!(messages("a: x\nl: [x]\nm: {k: 1}\n", template), [expected], "{template}");
    }
}

#[test]
fn a_number_that_is_not_quoted_is_told_at_the_value() {
    let template = "a: {{ .Values.imageTag | trunc 3 }}\n";
    let files =
        [("c/Chart.yaml", CHART), ("c/values.yaml", "imageTag: 1.10\n"), ("c/templates/a.yaml", template)];
    let (run, sources) = run(&files, ChartSettings::default());
    let finding = run.outcome.findings().find(|finding| finding.code.id == "TL0534").unwrap();
    assert_eq!(finding.message, "`imageTag: 1.10` is the number 1.1, not a string");
    assert_eq!(finding.help.as_deref(), Some("quote it: `\"1.10\"`"));
    assert_eq!(sources.get(finding.primary.span.source).slice(finding.primary.span), "1.10");
    assert_eq!(finding.fix.as_ref().unwrap().edits[0].replacement, "\"1.10\"");
    assert_eq!(finding.related[0].text, "`trunc` needs a string here");
}

#[test]
fn a_version_that_is_no_version_is_one_finding() {
    for (version, message, fix, severity) in [
        ("1.36", "`1.36` is not a semantic version", "1.36.0", "error"),
        ("2", "`2` is not a semantic version", "2.0.0", "error"),
        ("\"1.2\"", "`1.2` is not a semantic version", "1.2.0", "warning"),
    ] {
        let chart = CHART.replace("version: 1.0.0", &format!("version: {version}"));
        let (run, _) =
            run(&[("c/Chart.yaml", &*chart), ("c/templates/a.yaml", OBJECT)], ChartSettings::default());
        let findings: Vec<_> =
            run.outcome.findings().filter(|finding| finding.severity != Severity::Note).collect();
        assert_eq!(findings.len(), 1, "{version}: {findings:?}");
        assert_eq!((&*findings[0].message, findings[0].severity.to_string()), (message, severity.to_owned()));
        assert_eq!(findings[0].fix.as_ref().unwrap().edits[0].replacement, fix);
    }
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
    assert_eq!(found, ["c/values.yaml:2:3 error TL0702 + c/templates/a.yaml:7:5"]);
}

#[test]
fn values_that_nothing_reads_or_sets_are_told() {
    let files = [
        ("web/Chart.yaml", CHART),
        ("web/values.yaml", "replicaCount: 1\nimage: {tag: 1}\nold: 1\n"),
        (
            "web/templates/a.yaml",
            "apiVersion: a.b/v1\nkind: A\nmetadata:\n  name: a\n  namespace: web\nc: {{ .Values.replicaCount }}\n\
             t: {{ toJson .Values.image }}\n{{ if .Values.x }}u: {{ .Values.account.name }}{{ else }}v: 1{{ end }}\n",
        ),
    ];
    let own = [
        "web/templates/a.yaml:5:14 warning TL0550",
        "web/templates/a.yaml:8:25 warning TL0682",
        "web/values.yaml:3:1 note TL0680",
    ];
    assert_eq!(all_lines(&files, ChartSettings::default()), own);
    let given = all_lines(&files, set("replicacount=3,image=web"));
    let flags: Vec<&str> =
        given.iter().map(String::as_str).filter(|line| line.starts_with("--set")).collect();
    let flag = "--set replicacount=3,image=web:1";
    assert_eq!(
        flags,
        [format!("{flag}:1 warning TL0681"), format!("{flag}:22 warning TL0685 + web/values.yaml:2:8")]
    );
    let coverage = ChartSettings { coverage: Coverage::Told, ..ChartSettings::default() };
    let covered: Vec<String> =
        all_lines(&files, coverage).into_iter().filter(|line| line.contains("TL055")).collect();
    assert_eq!(
        covered,
        [
            "web/Chart.yaml:1:1 note TL0552",
            "web/templates/a.yaml:5:14 warning TL0550",
            "web/templates/a.yaml:8:1 note TL0551",
        ]
    );
}

#[test]
fn dependencies_that_do_not_fit_are_told() {
    let chart = "apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.com/icon.svg\ndependencies:\n  - name: cache\n    version: ^2.0.0\n    repository: https://example.com\n";
    let lock = "dependencies:\n- name: cache\n  repository: https://example.com\n  version: 1.4.0\ndigest: sha256:aa\n";
    let cache = "apiVersion: v2\nname: cache\nversion: 1.4.0\n";
    let files = [("c/Chart.yaml", chart), ("c/charts/cache/Chart.yaml", cache)];
    let other = "c/Chart.yaml:7:14 note TL0441 + c/charts/cache/Chart.yaml:3:10";
    assert_eq!(lines(&files, ChartSettings::default()), [other]);
    let locked = [&files[..], &[("c/Chart.lock", lock)]].concat();
    assert_eq!(lines(&locked, ChartSettings::default()), ["c/Chart.yaml:6:3 warning TL0442", other]);
    let aliased = format!("{chart}    alias: store\n");
    let (run, _) =
        run(&[("c/Chart.yaml", &aliased), ("c/charts/cache/Chart.yaml", cache)], ChartSettings::default());
    let found = run.outcome.findings().find(|finding| finding.code.id == "TL0441").unwrap();
    assert_eq!(found.severity, trueline_diagnostic::Severity::Warning);
    assert_eq!(found.primary.text, "Helm renders version 1.4.0 as `cache`: the alias `store` has no effect");
    let fitting = chart.replace("^2.0.0", "^1.0.0");
    let files = [("c/Chart.yaml", fitting.as_str()), ("c/charts/cache/Chart.yaml", cache)];
    assert_eq!(lines(&files, ChartSettings::default()), [""; 0]);
    let (empty, lock) = (format!("{CHART}dependencies: []\n"), "dependencies: []\ndigest: sha256:aa\n");
    let files = [("c/Chart.yaml", empty.as_str()), ("c/Chart.lock", lock)];
    assert_eq!(lines(&files, ChartSettings::default()), [""; 0], "there is nothing that can be out of date");
}

/// A chart of the name `web` with a dependency, and with more lines in the entry of it.
fn with_dependency(entry: &str) -> String {
    format!("{CHART}dependencies:\n  - name: cache\n    version: 1.x\n{entry}")
}

#[test]
fn remarks_about_charts_and_their_dependencies() {
    let cache = "apiVersion: v2\nname: cache\nversion: 1.4.0\n";
    let deprecated = format!("{cache}deprecated: true\n");
    for (path, chart, subchart, expected) in [
        ("web", CHART.to_owned(), cache, &[][..]),
        ("api", CHART.to_owned(), cache, &["api/Chart.yaml:2:7 note TL0422"]),
        ("web", format!("{CHART}deprecated: true\n"), cache, &["web/Chart.yaml:5:13 note TL0423"]),
        ("web", format!("{CHART}deprecated: false\n"), cache, &[]),
        (
            "web",
            with_dependency(""),
            &deprecated,
            &["web/Chart.yaml:6:11 warning TL0423 + web/charts/cache/Chart.yaml:4:13"],
        ),
        ("web", with_dependency("    enabled: false\n"), cache, &["web/Chart.yaml:8:14 warning TL0425"]),
        ("web", with_dependency("    enabled: true\n"), cache, &["web/Chart.yaml:8:14 note TL0425"]),
        ("web", with_dependency("    condition: a.b,c.d\n"), cache, &[]),
        ("web", with_dependency("    condition: a.b, c.d\n"), cache, &["web/Chart.yaml:8:16 warning TL0424"]),
    ] {
        let (own, below) = (format!("{path}/Chart.yaml"), format!("{path}/charts/cache/Chart.yaml"));
        let mut files = vec![(own.as_str(), chart.as_str())];
        if chart.contains("dependencies") {
            files.push((below.as_str(), subchart));
        }
        assert_eq!(all_lines(&files, ChartSettings::default()), expected, "{chart}");
    }
    let files = [("web/Chart.yaml", CHART), ("web/charts/cache-1/Chart.yaml", cache)];
    let found = all_lines(&files, ChartSettings::default());
    assert!(found.contains(&"web/charts/cache-1/Chart.yaml:2:7 note TL0422".to_owned()), "{found:?}");
}

#[test]
fn conditions_that_are_not_boolean_are_told_at_the_value() {
    let cache = "apiVersion: v2\nname: cache\nversion: 1.4.0\n";
    let condition = with_dependency("    condition: cache.enabled\n    tags: [back]\n");
    for (values, expected) in [
        ("cache: {enabled: false}\n", &[][..]),
        ("cache: {enabled: null}\n", &[]),
        ("cache: {enabled: \"false\"}\n", &["web/values.yaml:1:18 warning TL0424 + web/Chart.yaml:8:16"]),
        ("cache: {enabled: 0}\n", &["web/values.yaml:1:18 warning TL0424 + web/Chart.yaml:8:16"]),
        ("cache: {enabled: {a: 1}}\n", &["web/Chart.yaml:8:16 warning TL0424"]),
        ("tags: {back: \"no\"}\n", &["web/values.yaml:1:14 warning TL0424 + web/Chart.yaml:9:11"]),
    ] {
        let files = [
            ("web/Chart.yaml", condition.as_str()),
            ("web/values.yaml", values),
            ("web/charts/cache/Chart.yaml", cache),
        ];
        assert_eq!(lines(&files, ChartSettings::default()), expected, "{values}");
    }
    let files = [("web/Chart.yaml", condition.as_str()), ("web/charts/cache/Chart.yaml", cache)];
    let (run, _) = run(
        &files,
        ChartSettings {
            values: ValueOptions {
                string: vec!["cache.enabled=false".to_owned()],
                ..ValueOptions::default()
            },
            ..ChartSettings::default()
        },
    );
    let found = run.outcome.findings().find(|finding| finding.code.id == "TL0424").unwrap();
    assert_eq!(
        found.message,
        "`cache.enabled` does not enable or disable `cache`: expected a boolean, found the string \"false\""
    );
    assert_eq!(found.help.as_deref(), Some("write `false` without quotes"));
}

#[test]
fn templates_see_what_a_cluster_of_the_version_serves() {
    // A number is an error in a ConfigMap, so each API version that is served gives a finding.
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  \
                    {{- range list \"apiregistration.k8s.io/v1\" \"policy/v1beta1\" \"apps/v1/Deployment\" \"example.com/v1\" }}\n  \
                    {{ . | replace \"/\" \"_\" }}: {{ if $.Capabilities.APIVersions.Has . }}1{{ else }}text{{ end }}\n  {{- end }}\n";
    let files = [("web/Chart.yaml", CHART), ("web/templates/a.yaml", template)];
    let settings =
        ChartSettings { api_versions: vec!["example.com/v1".to_owned()], ..ChartSettings::default() };
    let (run, _) = run(&files, settings);
    let paths = run.outcome.findings().filter_map(|finding| finding.path.as_deref());
    let mut served: Vec<&str> = paths.filter_map(|path| path.strip_prefix("/data/")).collect();
    served.sort_unstable();
    assert_eq!(served, ["apiregistration.k8s.io_v1", "apps_v1_Deployment", "example.com_v1"]);
}

#[test]
fn services_are_seen_beside_the_pods_of_the_chart() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n  \
                      template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n        - name: web\n          \
                      image: web\n          ports: [{name: http, containerPort: 80}]\n";
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  selector:\n    app: {{ .Values.app }}\n  ports:\n    \
                   - port: 80\n      targetPort: {{ .Values.port }}\n";
    let with = |values: &str, more: &str| {
        let files = [
            ("web/Chart.yaml", CHART),
            ("web/values.yaml", values),
            ("web/templates/d.yaml", deployment),
            ("web/templates/s.yaml", service),
            ("web/templates/more.yaml", more),
        ];
        let found = lines(&files, ChartSettings::default());
        found
            .into_iter()
            .filter(|line| line.contains("TL072"))
            .map(|line| line[..].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(with("app: web\nport: http\n", ""), [""; 0]);
    let selector = with("app: wbe\nport: http\n", "");
    assert_eq!(selector.len(), 1, "{selector:?}");
    assert!(
        selector[0].contains("warning TL0720") && selector[0].contains("web/values.yaml:1:6"),
        "{selector:?}"
    );
    let port = with("app: web\nport: htpp\n", "");
    assert_eq!(port.len(), 1, "{port:?}");
    assert!(port[0].contains("warning TL0721") && port[0].contains("web/values.yaml:2:7"), "{port:?}");
    // Pods that an operator makes, or that a template failed to write, may be the ones that are meant.
    let custom = "apiVersion: example.com/v1\nkind: Database\nmetadata: {name: a}\n";
    assert_eq!(with("app: wbe\nport: http\n", custom), [""; 0]);
    assert_eq!(with("app: wbe\nport: http\n", "{{ .Values.a.b }}"), [""; 0]);
}

#[test]
fn mapped_folders_that_helmignore_hides_are_told_at_their_entry() {
    for (ignored, expected) in [
        ("*.md\n", None),
        ("schemas/\n", Some("`.helmignore` keeps the folder `schemas` out of the chart")),
        ("b.json\n", Some("`.helmignore` keeps `schemas/b.json` out of the chart")),
    ] {
        let files = [
            ("web/Chart.yaml", CHART),
            ("web/.helmignore", ignored),
            ("web/schema-dependencies.json", "{\"own\": \"schemas/\"}"),
            ("web/schemas/a.json", "{}"),
            ("web/schemas/b.json", "{}"),
            ("web/schemas/notes.md", ""),
        ];
        let (run, sources) = run(&files, ChartSettings::default());
        let found: Vec<_> = run.outcome.findings().filter(|finding| finding.code.id == "TL0443").collect();
        assert_eq!(found.len(), usize::from(expected.is_some()), "{ignored}: {found:?}");
        if let (Some(expected), [finding]) = (expected, found.as_slice()) {
            assert!(finding.message.starts_with(expected), "{}", finding.message);
            assert_eq!(sources.get(finding.primary.span.source).name(), "web/schema-dependencies.json");
        }
    }
}

#[test]
fn a_mapping_is_checked_without_a_schema() {
    let files = [("web/Chart.yaml", CHART), ("web/schema-dependencies.json", "{\"own\": \"../schemas/\"}")];
    assert_eq!(lines(&files, ChartSettings::default()), ["web/schema-dependencies.json:1:9 error TL0264"]);
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
    let finding = run.outcome.findings().find(|finding| finding.code.id == "TL0560").unwrap();
    let finding = finding.clone().at_origin(&sources);
    assert_eq!(sources.position(finding.primary.span), trueline_source::Position { line: 5, column: 5 });
    assert_eq!(finding.message, "`nindent 5` does not fit the lines around it");
    assert_eq!(finding.help.as_deref(), Some("use `nindent 4`"));
    assert!(finding.trace.iter().any(|frame| frame.text == "in the rendered text"), "{:?}", finding.trace);
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
    let finding = finding.clone().at_origin(&sources);
    let related: Vec<String> =
        finding.related.iter().map(|label| format!("{} {}", label.text, place(label.span))).collect();
    assert!(related.contains(&"included here c/templates/a.yaml:7:3".to_owned()), "{related:?}");
    let trace: Vec<String> =
        finding.trace.iter().map(|frame| format!("{} {}", frame.text, place(frame.span))).collect();
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

/// The findings of a chart with these values and this template, as `file:line:column CODE message`, notes aside.
fn told(values: &str, template: &str, settings: ChartSettings) -> Vec<String> {
    let helpers = "{{- define \"name\" -}}\n{{ printf \"%s-%s\" .Release.Name .Values.name | trunc 63 }}\n{{- end -}}\n";
    let files = [
        ("c/Chart.yaml", CHART),
        ("c/values.yaml", values),
        ("c/templates/a.yaml", template),
        ("c/templates/_h.tpl", helpers),
    ];
    let (run, sources) = run(&files, settings);
    let findings = run.outcome.findings().filter(|finding| finding.severity != Severity::Note);
    findings
        .map(|finding| {
            let finding = finding.clone().at_origin(&sources);
            let place = sources.position(finding.primary.span);
            let file = sources.get(finding.primary.span.source).name().to_owned();
            format!("{file}:{}:{} {} {}", place.line, place.column, finding.code.id, finding.message)
        })
        .collect()
}

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n";

#[test]
fn the_value_that_an_object_error_is_about_is_primary() {
    let service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n";
    for (values, template, place) in [
        ("type: loadbalancer\n", "  type: {{ .Values.type }}\n  ports: [{port: 1}]\n", "c/values.yaml:1:7"),
        (
            "type: loadbalancer\n",
            "  type: \"{{ .Values.type }}\"\n  ports: [{port: 1}]\n",
            "c/values.yaml:1:7",
        ),
        (
            "spec:\n  typ: ClusterIP\n",
            "  ports: [{port: 1}]\n  {{- toYaml .Values.spec | nindent 2 }}\n",
            "c/values.yaml:2:3",
        ),
        // What a template writes by itself is wrong in the template.
        ("x: 1\n", "  typ: ClusterIP\n  ports: [{port: {{ .Values.x }}}]\n", "c/templates/a.yaml:6:3"),
        (
            "port: \"\"\n",
            "  ports: [{targetPort: 1, port: {{ default 99999 .Values.port }}}]\n",
            "c/templates/a.yaml:6:33",
        ),
        (
            "flag: yes\n",
            "  type: {{ ternary \"Bad\" \"Good\" .Values.flag }}\n  ports: [{port: 1}]\n",
            "c/templates/a.yaml:6:9",
        ),
    ] {
        let found = told(values, &format!("{service}{template}"), ChartSettings::default());
        assert!(
            matches!(found.as_slice(), [one] if one.starts_with(&format!("{place} "))),
            "{template}: {found:?}"
        );
    }
}

#[test]
fn of_several_parts_the_one_is_blamed_that_mends_it() {
    let long = "x".repeat(70);
    for (values, name, place) in [
        ("name: My_App\n".to_owned(), "{{ include \"name\" . }}", "c/values.yaml:1:7"),
        ("a: ok\nb: Not_Ok\n".to_owned(), "{{ .Values.a }}-{{ .Values.b }}", "c/values.yaml:2:4"),
        ("a: ok\n".to_owned(), "Not_Ok-{{ .Values.a }}", "c/templates/a.yaml:4:9"),
        // Either could be shorter.
        (
            format!("a: {long}\nb: {long}\n"),
            "{{ .Values.a }}.{{ .Values.b }}.{{ .Values.a }}.{{ .Values.b }}",
            "c/templates/a.yaml:4:9",
        ),
    ] {
        let template = format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n");
        let found = told(&values, &template, ChartSettings::default());
        assert!(
            matches!(found.as_slice(), [one] if one.starts_with(&format!("{place} "))),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn a_number_that_has_to_be_quoted_is_blamed_on_what_prints_it() {
    let raw = format!("{MAP}  a: {{{{ .Values.port }}}}\n");
    let yaml = format!("{MAP}  {{{{- toYaml .Values | nindent 2 }}}}\n");
    for (template, place) in [(raw, "c/templates/a.yaml:6:6"), (yaml, "c/values.yaml:1:7")] {
        let found = told("port: 80\n", &template, ChartSettings::default());
        assert!(matches!(found.as_slice(), [one] if one.starts_with(&format!("{place} "))), "{found:?}");
    }
}

#[test]
fn marks_of_go_in_the_output_are_errors() {
    for (values, line, expected) in [
        (
            "tag: 1.10\n",
            "  a: {{ printf \"nginx:%s\" .Values.tag }}\n",
            "c/values.yaml:1:6 TL0561 `%s` expects a string, found the number `1.10`",
        ),
        (
            "tag: 1.10\n",
            "  a: {{ printf \"%s\" .Values.tag }}\n",
            "c/values.yaml:1:6 TL0561 `%s` expects a string, found the number `1.10`",
        ),
        (
            "x: 1\n",
            "  a: \"{{ printf \"%s %s\" \"a\" }}\"\n",
            "c/templates/a.yaml:6:7 TL0561 `printf` has no argument for `%s`",
        ),
        (
            "map:\n  a: b\n",
            "  a: {{ .Values.map }}\n",
            "c/templates/a.yaml:6:6 TL0562 a map is printed in Go's notation, which is not YAML",
        ),
        (
            "tag:\n  a: b\n",
            "  a: nginx:{{ .Values.tag }}\n",
            "c/values.yaml:2:3 TL0562 a map is printed in Go's notation, which is not YAML",
        ),
    ] {
        let found = told(values, &format!("{MAP}{line}"), ChartSettings::default());
        assert_eq!(found, [expected], "{line}");
    }
    let nested =
        told("a: {b: {c: d}}\n", &format!("{MAP}  a: {{{{ .Values.a }}}}\n"), ChartSettings::default());
    assert_eq!(nested.len(), 1, "{nested:?}");
    let float = told(
        "a: 7\n",
        &format!("{MAP}  a: {{{{ printf \"%d\" .Values.a | quote }}}}\n"),
        ChartSettings::default(),
    );
    assert_eq!(
        float,
        ["c/templates/a.yaml:6:6 TL0561 `%d` expects an integer, and numbers in values are floating-point"]
    );
    // Text that somebody typed is no mark.
    let typed = told(
        "a: \"%!s(int=1) map[a:b]\"\n",
        &format!(
            "{MAP}  a: {{{{ .Values.a | quote }}}}\n  b: \"%!s(int=1) map[a:b]\"\n  c: {{{{ quote \"map[a:b]\" }}}}\n"
        ),
        ChartSettings::default(),
    );
    assert!(typed.is_empty(), "{typed:?}");
}

#[test]
fn a_map_that_is_printed_in_quotes_is_found() {
    let values = "m:\n  a: b\n  o: {c: d}\nz: 5\n";
    for (action, place) in [
        (".Values.m | quote", "c/values.yaml:2:3"),
        (".Values.m | squote", "c/values.yaml:2:3"),
        (".Values.m | toString | quote", "c/values.yaml:2:3"),
        (".Values.m.o | quote", "c/values.yaml:3:6"),
        (".Values | quote", "c/templates/a.yaml:6:6"),
        ("dict \"a\" 1 | quote", "c/templates/a.yaml:6:6"),
        ("dict \"a\" .Values.z | quote", "c/templates/a.yaml:6:6"),
        ("list (dict \"a\" 1) | quote", "c/templates/a.yaml:6:6"),
    ] {
        let found = told(values, &format!("{MAP}  a: {{{{ {action} }}}}\n"), ChartSettings::default());
        let expected = format!("{place} TL0562 a map is printed in Go's notation, which is not YAML");
        assert_eq!(found, [expected], "{action}");
    }
    let literal = "{{ $text := \"map[a:b]\" }}\n";
    let found = told("", &format!("{literal}{MAP}  a: {{{{ $text | quote }}}}\n"), ChartSettings::default());
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn marks_in_comments_and_in_copied_files_are_not_reported() {
    for comment in [
        format!("# c {{{{ .Values.m }}}} {{{{ printf \"%s\" 5 }}}}\n{MAP}  a: b\n"),
        format!("{MAP}  a: b # c {{{{ .Values.m }}}}\n"),
        format!("{MAP}  a: b\n# c {{{{ .Values.m | quote }}}}\n"),
        "# c {{ .Values.m }}\n".to_owned(),
    ] {
        let found = told("m: {a: b}\n", &comment, ChartSettings::default());
        assert!(found.is_empty(), "{comment}: {found:?}");
    }
    for action in [
        "  a: |\n    {{- .Files.Get \"f/a.txt\" | nindent 4 }}\n",
        "  a: {{ .Files.Get \"f/a.txt\" | quote }}\n",
        "{{ (.Files.Glob \"f/*\").AsConfig | indent 2 }}\n",
        "  {{- $text := .Files.Get \"f/a.txt\" }}\n  a: {{ $text | quote }}\n",
    ] {
        let template = format!("{MAP}{action}");
        let with = |text| found(&[("c/templates/a.yaml", &template), ("c/f/a.txt", text)]);
        assert_eq!(with("map[a:b] %!s(MISSING)\n"), Vec::<String>::new(), "{action}");
    }
    // What such a chart prints itself is still found.
    let template = format!("{MAP}  a: {{{{ printf \"%s\" | quote }}}}\n");
    let found = found(&[("c/templates/a.yaml", &template), ("c/f/a.txt", "%!s(MISSING)\n")]);
    assert_eq!(found, ["c/templates/a.yaml:6:6 error TL0561"]);
}

#[test]
fn quotes_are_advised_only_where_they_are_right() {
    let helps = |values: &str, template: &str| -> Vec<String> {
        let files = [("c/Chart.yaml", CHART), ("c/values.yaml", values), ("c/templates/a.yaml", template)];
        let (run, _) = run(&files, ChartSettings::default());
        let findings = run.outcome.findings().filter(|finding| finding.severity == Severity::Error);
        findings.map(|finding| finding.help.clone().unwrap_or_default()).collect()
    };
    let service = |field: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  type: NodePort\n  ports:\n    - port: 80\n      {field}\n"
        )
    };
    for (values, template) in [
        ("port: 99999\n", service("targetPort: {{ .Values.port }}")),
        ("port: 80\n", "{{ .Values.port }}\n".to_owned()),
    ] {
        let found = helps(values, &template);
        assert!(matches!(found.as_slice(), [help] if !help.contains("quote")), "{template}: {found:?}");
    }
    let printed = service("nodePort: {{ .Values.port | quote }}");
    for values in ["port: \"30080\"\n", "port: 30080\n"] {
        assert_eq!(helps(values, &printed), ["remove `| quote` where it is printed"], "{values}");
        let found = told(values, &printed, ChartSettings::default());
        assert!(
            matches!(found.as_slice(), [one] if one.starts_with("c/templates/a.yaml:9:17 ")),
            "{values}: {found:?}"
        );
    }
}

#[test]
fn an_unknown_verb_is_called_one() {
    let template = format!("{MAP}  a: {{{{ printf \"%z\" .Values.a | quote }}}}\n");
    let found = told("a: 5\n", &template, ChartSettings::default());
    assert_eq!(found, ["c/templates/a.yaml:6:6 TL0561 `%z` is not a verb of `printf`"]);
}

#[test]
fn a_value_that_is_printed_otherwise_than_it_was_typed_is_reported() {
    for (values, line, expected) in [
        ("a: 1.10\n", "  a: \"v{{ .Values.a }}\"\n", Some("`1.10` is read as a number and printed as `1.1`")),
        (
            "a: 1000000\n",
            "  a: {{ .Values.a | quote }}\n",
            Some("`1000000` is read as a number and printed as `1e+06`"),
        ),
        ("a: 0755\n", "  a: \"{{ .Values.a }}\"\n", Some("`0755` is read as a number and printed as `493`")),
        (
            "a: yes\n",
            "  a: {{ .Values.a | quote }}\n",
            Some("`yes` is read as a boolean and printed as `true`"),
        ),
        (
            "a: 0x1F\n",
            "  a: {{ .Values.a | toString | quote }}\n",
            Some("`0x1F` is read as a number and printed as `31`"),
        ),
        (
            "a: 1.0\n",
            "  a: |\n    version {{ .Values.a }}\n",
            Some("`1.0` is read as a number and printed as `1`"),
        ),
        ("a: 80\n", "  a: {{ .Values.a | quote }}\n", None),
        ("a: 1.10\n", "  a: {{ printf \"%.1f\" .Values.a | quote }}\n", None),
        // Numbers inside of a structure are read as numbers again, whatever they look like.
        ("b: {c: 1.0}\na: 1\n", "  a: {{ .Values.b | toJson | quote }}\n", None),
        (
            "b: {c: 1.0}\na: 1\n",
            "  {{- $b := toPrettyJson .Values.b }}\n  a: |\n    {{ $b | nindent 4 }}\n",
            None,
        ),
        ("b: {c: on}\na: 1\n", "  a: {{ .Values.b | toJson | quote }}\n", None),
        ("a: \"1.10\"\n", "  a: {{ .Values.a | quote }}\n", None),
        ("a: 1.10\n", "  a: {{ add 1 .Values.a | quote }}\n", None),
        ("a: 1.10\n", "  a: b # {{ .Values.a }}\n", None),
        ("a: true\n", "  a: {{ .Values.a | quote }}\n", None),
        ("a: 2024-01-01\n", "  a: {{ .Values.a | quote }}\n", None),
    ] {
        let found = told(values, &format!("{MAP}{line}"), ChartSettings::default());
        let expected: Vec<String> =
            expected.into_iter().map(|message| format!("c/values.yaml:1:4 TL0660 {message}")).collect();
        assert_eq!(found, expected, "{values} {line}");
    }
    // A number that stays the number that was typed is not text.
    let volume = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers: [{name: a, image: b}]\n  volumes: [{name: a, configMap: {name: a, defaultMode: {{ .Values.mode }}}}]\n";
    let found = told("mode: 0644\n", volume, ChartSettings::default());
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_value_that_is_printed_after_its_key_is_compared_with_what_was_typed() {
    for (values, line, place) in [
        (
            "a:\n  x: 1.30\n",
            "{{- range $k, $v := .Values.a }}\n  {{ $k }}: {{ $v | quote }}\n{{- end }}\n",
            "c/values.yaml:2:6",
        ),
        (
            "a:\n  level: 010\n",
            "  a: |\n{{- range $k, $v := .Values.a }}\n    --{{ $k }}={{ $v }}\n{{- end }}\n",
            "c/values.yaml:2:10",
        ),
    ] {
        let found = told(values, &format!("{MAP}{line}"), ChartSettings::default());
        assert!(
            matches!(found.as_slice(), [one] if one.starts_with(&format!("{place} TL0660 "))),
            "{values}: {found:?}"
        );
    }
}

#[test]
fn the_quotes_that_keep_a_text_are_offered_where_the_chart_takes_a_string() {
    let fix = |template: &str| {
        let files =
            [("c/Chart.yaml", CHART), ("c/values.yaml", "a: 1.10\n"), ("c/templates/a.yaml", template)];
        let (run, sources) = run(&files, ChartSettings::default());
        let finding = run.outcome.findings().find(|finding| finding.code.id == "TL0660").unwrap();
        finding.clone().at_origin(&sources).fix.map(|fix| fix.edits[0].replacement.clone())
    };
    let printed = format!("{MAP}  a: \"v{{{{ .Values.a }}}}\"\n");
    assert_eq!(fix(&printed).as_deref(), Some("\"1.10\""));
    let compared = format!("{MAP}  a: \"v{{{{ .Values.a }}}}\"\n  b: \"{{{{ gt .Values.a 1.0 }}}}\"\n");
    assert_eq!(fix(&compared), None, "a string cannot be compared with a number");
    let converted = format!("{MAP}  a: \"v{{{{ .Values.a | float64 }}}}\"\n");
    assert_eq!(fix(&converted), None, "a string is converted as well");
}

#[test]
fn an_action_that_prints_several_blocks_is_one_finding() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n    - name: a\n      image: b\n      {{- range $key := list \"livenessProbe\" \"readinessProbe\" }}\n      {{ $key }}:\n        {{- toYaml (index $.Values $key) ACTION }}\n      {{- end }}\n";
    let probe = "httpGet:\n    path: /\n    port: 80\n";
    let values = format!("livenessProbe:\n  {probe}readinessProbe:\n  {probe}");
    for (action, message) in [
        ("| nindent 6", "`nindent 6` does not fit the lines around it"),
        ("", "the block that `toYaml` prints begins on the line of `livenessProbe:`"),
    ] {
        let found = told(&values, &pod.replace("ACTION", action), ChartSettings::default());
        assert_eq!(found, [format!("c/templates/a.yaml:11:9 TL0560 {message}")], "{action}");
    }
}

#[test]
fn a_block_is_blamed_even_if_another_is_wrong_too() {
    let service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  labels:\n    {{- toYaml .Values.labels | indent 2 }}\nspec:\n  ports: [{port: 80}]\n  selector:\n    {{- toYaml .Values.labels | indent 2 }}\n";
    let found = told("labels:\n  a: b\n  c: d\n", service, ChartSettings::default());
    let expected = "c/templates/a.yaml:6:5 TL0560 `indent 2` does not fit the lines around it";
    assert!(found.first().is_some_and(|first| first == expected), "{found:?}");
}

#[test]
fn a_value_that_breaks_several_fields_is_one_finding() {
    let objects = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  ports: [{port: {{ .Values.port }}}]\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers: [{name: a, image: b, ports: [{containerPort: {{ .Values.port }}}]}]\n";
    let found = told("port: http80\n", objects, ChartSettings::default());
    assert!(matches!(found.as_slice(), [one] if one.starts_with("c/values.yaml:1:7 TL0702 ")), "{found:?}");
}

#[test]
fn a_block_says_how_it_has_to_be_indented() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n    - name: a\n      image: b\n      resources:\n";
    let values = "resources:\n  limits:\n    cpu: 1\n  requests:\n    cpu: 1\n";
    for (action, column, expected) in [
        ("        {{ toYaml .Values.resources }}\n", 9, "only the first line of `toYaml` is indented"),
        (
            "        {{ toYaml .Values.resources | indent 8 }}\n",
            9,
            "the first line of `toYaml` is not indented as the lines after it",
        ),
        (
            "        {{- toYaml .Values.resources | indent 8 }}\n",
            9,
            "the first line of `toYaml` is not indented as the lines after it",
        ),
        ("{{ toYaml .Values.resources | indent 6 }}\n", 1, "`indent 6` does not fit the lines around it"),
        (
            "      {{- toYaml .Values.resources | nindent 6 }}\n",
            7,
            "`nindent 6` does not fit the lines around it",
        ),
        (
            "      {{- toYaml .Values.resources | nindent 4 }}\n",
            7,
            "`nindent 4` does not fit the lines around it",
        ),
    ] {
        let template = format!("{pod}{action}");
        let files =
            [("c/Chart.yaml", CHART), ("c/values.yaml", values), ("c/templates/a.yaml", template.as_str())];
        let (run, sources) = run(&files, ChartSettings::default());
        let findings: Vec<_> =
            run.outcome.findings().filter(|finding| finding.severity == Severity::Error).collect();
        let [finding] = findings.as_slice() else { panic!("{action}: {findings:?}") };
        assert_eq!((finding.code.id, finding.message.as_str()), ("TL0560", expected), "{action}");
        let place = sources.position(finding.primary.span);
        assert_eq!((place.line, place.column), (10, column), "{action}");
        assert!(finding.help.as_deref().is_some_and(|help| help.contains("indent 8`")), "{:?}", finding.help);
    }
}

#[test]
fn what_follows_from_the_indentation_is_not_reported() {
    let labels = "  labels:\n    {{- toYaml .Values.labels | nindent 2 }}\n";
    let template = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  selector:\n    matchLabels:\n      {{{{- toYaml .Values.labels | nindent 6 }}}}\n  template:\n    metadata:\n{}    spec:\n      containers: [{{name: a, image: b}}]\n",
        labels
            .replace("  labels", "      labels")
            .replace("    {{-", "        {{-")
            .replace("nindent 2", "nindent 6")
    );
    let found = told("labels:\n  app: a\n  tier: b\n", &template, ChartSettings::default());
    assert_eq!(found, ["c/templates/a.yaml:12:9 TL0560 `nindent 6` does not fit the lines around it"]);
}

#[test]
fn a_value_that_its_schema_refuses_is_reported_once() {
    let template =
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  ports: [{port: {{ .Values.port }}}]\n";
    let files = [
        ("c/Chart.yaml", CHART),
        ("c/values.yaml", "port: web\n"),
        ("c/values.schema.json", "{\"properties\": {\"port\": {\"type\": \"integer\"}}}"),
        ("c/templates/a.yaml", template),
    ];
    assert_eq!(lines(&files, ChartSettings::default()).len(), 1);
}

/// Takes most of the work that the templates of a chart may do, in a moment.
const COSTLY: &str = "{{ $a := until 1500000 }}{{ $b := until 1500000 }}apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

#[test]
fn all_sets_of_values_share_the_work_of_a_chart() {
    let files = [
        ("c/templates/a.yaml", COSTLY),
        ("c/ci/a-values.yaml", ""),
        ("c/ci/b-values.yaml", ""),
        ("c/ci/c-values.yaml", ""),
    ];
    let expected = vec!["c/Chart.yaml:1:1 error TL0571"; 3];
    for _ in 0..3 {
        assert_eq!(found(&files), expected);
    }
}

#[test]
fn all_charts_of_a_run_share_its_work_in_their_order() {
    let names: Vec<String> = (0..6).map(|number| format!("c{number}")).collect();
    let files: Vec<(String, &str)> = names
        .iter()
        .flat_map(|name| {
            [(format!("{name}/Chart.yaml"), CHART), (format!("{name}/templates/a.yaml"), COSTLY)]
        })
        .chain([
            // What costs little is not given up for what comes after it, and this comes after all of them.
            ("d/Chart.yaml".to_owned(), CHART),
        ])
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let given_up = || -> Vec<String> {
        let lines = lines(&files, ChartSettings::default());
        lines.into_iter().filter(|line| line.contains("TL0571")).collect()
    };
    let first = given_up();
    assert!((3..=5).contains(&first.len()), "{first:?}");
    let charts = names.iter().map(String::as_str).chain(["d"]);
    let all: Vec<String> = charts.map(|name| format!("{name}/Chart.yaml:1:1 error TL0571")).collect();
    let last = &all[all.len() - first.len()..];
    assert_eq!(first, last);
    assert_eq!(given_up(), first);
}

#[test]
fn a_storm_of_imports_is_refused() {
    let imports: String =
        (0..2_000).map(|number| format!("      - {{child: data, parent: p{number}}}\n")).collect();
    let chart =
        format!("{CHART}dependencies:\n  - name: s\n    version: 1.0.0\n    import-values:\n{imports}");
    let values: String = (0..2_000).map(|number| format!("  k{number}: {number}\n")).collect();
    let values = format!("data:\n{values}");
    let files = [
        ("c/Chart.yaml", chart.as_str()),
        ("c/charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 1.0.0\n"),
        ("c/charts/s/values.yaml", &values),
        ("c/values.yaml", "a: 1\n"),
    ];
    let lines = lines(&files, ChartSettings::default());
    assert!(lines.iter().any(|line| line.ends_with("error TL0570")), "{lines:?}");
}

#[test]
fn a_value_of_another_type_is_shown_where_a_with_reads_it() {
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  {{- with .Values.global.labels }}\n  labels: {}\n  {{- end }}\n";
    let files =
        [("c/Chart.yaml", CHART), ("c/values.yaml", "global: planted\n"), ("c/templates/a.yaml", template)];
    let (run, sources) = run(&files, ChartSettings::default());
    let finding = run.outcome.findings().find(|finding| finding.severity == Severity::Error).unwrap();
    let typed =
        finding.related.iter().map(|label| sources.get(label.span.source).slice(label.span).to_owned());
    assert_eq!(typed.collect::<Vec<_>>(), ["planted"], "{finding:?}");
}

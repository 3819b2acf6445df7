//! Chart.yaml: what it may say, Helm's words where it says something else, and the places of our findings.

mod support;

use support::{CHART, directory, error, findings, from, memory};
use trueline_helm::chart::{Compat, Metadata};
use trueline_source::SourceMap;

fn text(chart: &str, compat: Compat) -> Option<String> {
    error(directory(&[("Chart.yaml", chart)], compat))
}

fn metadata(chart: &str) -> Metadata {
    directory(&[("Chart.yaml", chart)], Compat::Helm4).unwrap().chart.metadata
}

#[test]
fn wrong_types_have_go_s_texts() {
    const PREFIX: &str =
        "cannot load Chart.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ";
    for (line, rest) in [
        ("dependencies: abc", "string into Go struct field Metadata.dependencies of type []*v2.Dependency"),
        ("dependencies: [a]", "string into Go struct field Metadata.dependencies of type v2.Dependency"),
        (
            "dependencies: [{name: [x]}]",
            "array into Go struct field Dependency.dependencies.name of type string",
        ),
        (
            "dependencies: [{name: a, import-values: 5}]",
            "number into Go struct field Dependency.dependencies.import-values of type []interface {}",
        ),
        ("annotations: [a]", "array into Go struct field Metadata.annotations of type map[string]string"),
        (
            "annotations: {b: {c: d}, a: [1]}",
            "array into Go struct field Metadata.annotations of type string",
        ),
        ("deprecated: 1", "number into Go struct field Metadata.deprecated of type bool"),
        ("maintainers: [[a]]", "array into Go struct field Metadata.maintainers of type v2.Maintainer"),
        (
            "keywords: x\nannotations: 5\nsources: {}",
            "number into Go struct field Metadata.annotations of type map[string]string",
        ),
    ] {
        let expected = format!("{PREFIX}{rest}");
        assert_eq!(text(&format!("{CHART}{line}\n"), Compat::Helm4), Some(expected.clone()), "{line}");
        let expected = expected.replace("v2.", "chart.");
        assert_eq!(text(&format!("{CHART}{line}\n"), Compat::Helm3), Some(expected), "{line}");
    }
    let whole = format!("{PREFIX}array into Go value of type loader.chartBase");
    assert_eq!(text("- a\n", Compat::Helm4), Some(whole));
    let whole = format!("{PREFIX}array into Go value of type chart.Metadata");
    assert_eq!(text("- a\n", Compat::Helm3), Some(whole));
}

#[test]
fn rules_are_checked_in_helm_s_order() {
    for (chart, expected) in [
        ("", "validation: chart.metadata.name is required"),
        ("name: '.'\nversion: 1.0.0\n", "validation: chart.metadata.name \".\" is not allowed"),
        ("name: a/\nversion: 1.0.0\n", "validation: chart.metadata.name \"a/\" is invalid"),
        ("name: t\n", "validation: chart.metadata.version is required"),
        ("name: t\nversion: 1.2.3.4\n", "validation: chart.metadata.version \"1.2.3.4\" is invalid"),
        (
            "name: t\nversion: 1.0.0\ntype: Library\n",
            "validation: chart.metadata.type must be application or library",
        ),
        (
            "name: t\nversion: 1.0.0\nmaintainers: [null]\ndependencies: [null]\n",
            "validation: maintainers must not contain empty or null nodes",
        ),
        (
            "name: t\nversion: 1.0.0\ndependencies: [{name: a, alias: a.b}, null]\n",
            "validation: dependency \"a\" has disallowed characters in the alias",
        ),
        (
            "name: t\nversion: 1.0.0\ndependencies: [{name: a, alias: b}, {name: b}]\n",
            "validation: more than one dependency with name or alias \"b\"",
        ),
        ("apiVersion: v9\nname: t\n", "unsupported chart version"),
        (
            "name: [\n",
            "cannot load Chart.yaml: error converting YAML to JSON: yaml: line 1: did not find expected node content",
        ),
    ] {
        assert_eq!(text(chart, Compat::Helm4).as_deref(), Some(expected), "{chart}");
    }
    assert_eq!(text("apiVersion: v9\nname: t\nversion: 1\n", Compat::Helm3), None);
}

#[test]
fn every_problem_is_found_at_its_place() {
    let chart = "apiVersion: v2\nname: a/b\nversion: x\ntype: y\nmaintainers:\n  - name: m\n  -\ndependencies:\n  - name: d\n    alias: '!'\n  - {name: e}\n  - {name: e}\n";
    let (sources, loader) = (SourceMap::new(), memory(&[("Chart.yaml", chart), ("values.yaml", "- a\n")]));
    let failure = from(&loader, "", Compat::Helm4, &sources).unwrap_err();
    assert_eq!(
        findings(&failure, &sources),
        [
            "TL0411 t/values.yaml:1:1",
            "TL0404 t/Chart.yaml:2:7",
            "TL0405 t/Chart.yaml:3:10",
            "TL0406 t/Chart.yaml:4:7",
            "TL0407 t/Chart.yaml:7:4",
            "TL0409 t/Chart.yaml:10:12",
            "TL0410 t/Chart.yaml:12:12",
        ]
    );
    let wrong_types = format!("{CHART}keywords: x\nannotations: 5\n");
    let (sources, loader) = (SourceMap::new(), memory(&[("Chart.yaml", &wrong_types)]));
    let failure = from(&loader, "", Compat::Helm4, &sources).unwrap_err();
    assert_eq!(findings(&failure, &sources), ["TL0402 t/Chart.yaml:5:14", "TL0402 t/Chart.yaml:4:11"]);
}

#[test]
fn scalars_become_text_and_keys_count_in_any_case() {
    let chart = metadata(
        "APIVERSION: v2\nName: T\nname: t\nversion: 1.10\nappVersion: 1e3\nkeywords: [1, true, null, 0x10, 12345678901234567890]\nannotations: {a: 1.50, b: ~}\nMaintainers: [{NAME: m, Url: u}]\n\u{17f}ources: [s]\n",
    );
    assert_eq!((chart.name.as_str(), chart.version.as_str()), ("t", "1.1"));
    assert_eq!(chart.app_version, "1000");
    assert_eq!(chart.keywords, ["1", "true", "", "16", "12345678901234567890"]);
    assert_eq!(
        chart.annotations.into_iter().collect::<Vec<_>>(),
        [("a".to_owned(), "1.5".to_owned()), ("b".to_owned(), String::new())]
    );
    let maintainer = chart.maintainers.first().unwrap();
    assert_eq!((maintainer.name.as_str(), maintainer.url.as_str()), ("m", "u"));
    assert_eq!(chart.sources, ["s"]);
    assert_eq!(metadata("name: t\nversion: 1\n").api_version, "v1");
}

#[test]
fn texts_are_cleaned() {
    let chart = metadata(&format!("{CHART}description: \"a\\tb\\u00a0c\\u200bd\\u0007e\"\n"));
    assert_eq!(chart.description, "a b cde");
}

#[test]
fn fields_know_their_places() {
    let sources = SourceMap::new();
    let text = format!("{CHART}kubeVersion: '>=1'\ndependencies:\n  - name: a\n    condition: a.on\n");
    let loaded = from(&memory(&[("Chart.yaml", &text)]), "", Compat::Helm4, &sources).unwrap();
    let metadata = &loaded.chart.metadata;
    assert_eq!(sources.position(metadata.place("kubeVersion").unwrap()).line, 4);
    let dependency = metadata.dependencies.first().unwrap();
    assert_eq!(sources.position(dependency.place("condition").unwrap()).line, 7);
    assert_eq!(dependency.place("alias"), None);
}

#[test]
fn the_third_kind_of_chart_is_loaded_and_refused() {
    let loaded =
        directory(&[("Chart.yaml", "apiVersion: v3\nname: t\nversion: 1.0.0\n")], Compat::Helm4).unwrap();
    let refused = loaded.chart.check_api_version(Compat::Helm4).unwrap_err();
    assert_eq!(refused.to_string(), "invalid chart apiVersion");
    assert!(loaded.chart.check_api_version(Compat::Helm3).is_ok());
}

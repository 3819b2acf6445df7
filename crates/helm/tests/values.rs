//! Values through whole charts, with the texts beside this file: what each chart of a tree sees, what is
//! logged, and what is an error, in Helm 4 and in Helm 3.

mod support;

use support::memory;
use trueline_helm::chart::{Chart, Compat, Request, load};
use trueline_helm::values::{GivenError, ValueOptions, coalesce};
use trueline_helm::{dependencies, log::LogLine};
use trueline_source::SourceMap;
use trueline_yaml::{Data, Value};

/// One case: flags, files, and what is expected.
#[derive(Default)]
struct Case<'a> {
    name: &'a str,
    options: ValueOptions,
    files: Vec<(&'a str, String)>,
    helm4: String,
    helm3: String,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    text.split("\n#### ").skip(1).map(case).collect()
}

fn case(text: &str) -> Case<'_> {
    let mut lines = text.lines();
    let mut case = Case { name: lines.next().unwrap_or_default(), ..Case::default() };
    let mut section = "";
    for line in lines.filter(|line| !line.is_empty()) {
        if let Some(next) = line.strip_prefix("== ") {
            section = next;
        } else if let Some(file) = line.strip_prefix("-- ") {
            section = "file";
            case.files.push((file, String::new()));
        } else {
            let flag = || line.split_once(' ').unwrap().1.to_owned();
            match section {
                "" if line.starts_with("--set-json ") => case.options.json.push(flag()),
                "" if line.starts_with("--set-string ") => case.options.string.push(flag()),
                "" if line.starts_with("--set ") => case.options.set.push(flag()),
                "" if line.starts_with("-f ") => case.options.files.push(flag()),
                "file" => case.files.last_mut().unwrap().1.extend([line, "\n"]),
                "Helm 4" => case.helm4.extend([line, "\n"]),
                "Helm 3" => case.helm3.extend([line, "\n"]),
                "both" => {
                    case.helm4.extend([line, "\n"]);
                    case.helm3.extend([line, "\n"]);
                }
                _ => panic!("{}: what is this? {line}", case.name),
            }
        }
    }
    case
}

impl Case<'_> {
    /// The files of the case, with a Chart.yaml for each chart that has none.
    fn all_files(&self) -> Vec<(String, String)> {
        let mut files: Vec<(String, String)> =
            self.files.iter().map(|(name, text)| ((*name).to_owned(), text.clone())).collect();
        let mut charts = vec![(String::new(), "t".to_owned())];
        for (name, _) in &self.files {
            let mut path = String::new();
            let mut parts = name.split('/').peekable();
            while let (Some("charts"), Some(chart)) = (parts.next(), parts.next()) {
                path.push_str(&format!("charts/{chart}/"));
                charts.push((path.clone(), chart.to_owned()));
            }
        }
        for (path, name) in charts {
            let file = format!("{path}Chart.yaml");
            if !files.iter().any(|(known, _)| *known == file) {
                files.push((file, format!("{{apiVersion: v2, name: {name}, version: 1.0.0}}\n")));
            }
        }
        files
    }

    fn run(&self, compat: Compat, sources: &SourceMap, log: &mut Vec<LogLine>) -> Result<Outcome, String> {
        let files = self.all_files();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
        let mut read = |path: &str| {
            let file = files.iter().find(|(name, _)| *name == path);
            file.map(|(_, text)| text.as_bytes().to_vec()).ok_or(GivenError::Nowhere)
        };
        let user = self.options.merge(sources, compat, &mut read).map_err(|error| error.to_string())?;
        let loader = memory(&files);
        let request = Request { loader: &loader, path: "", absolute: "/t", sources, compat };
        let chart = load(&request).map_err(|failure| failure.to_string())?.chart;
        let chart = dependencies::process(chart, &user, compat, log).map_err(|error| error.to_string())?;
        let values = coalesce(&chart, &user, compat, log).map_err(|error| error.to_string())?;
        let mut lines = Vec::new();
        for (path, chart, values) in per_chart(&chart, &values) {
            let mut text = format!("{path}: {}\n", values.to_json_text().unwrap());
            let listed = &chart.metadata.dependencies;
            if !listed.is_empty() {
                let listed = listed.iter().map(|entry| {
                    let truth = if entry.enabled { "true" } else { "false" };
                    format!(" {}:{}:{truth}", entry.name, entry.version)
                });
                text.push_str(&format!("{path} has{}\n", listed.collect::<String>()));
            }
            lines.push((path, text));
        }
        lines.sort();
        // What is duplicated at one path is rendered once.
        lines.dedup();
        Ok(Outcome { text: lines.into_iter().map(|(_, text)| text).collect(), values })
    }
}

/// The charts of a tree with what the names of their templates begin with, and their values. A dot in the name of
/// a chart separates names, as it does for Helm, which then finds nothing.
fn per_chart<'a>(chart: &'a Chart, values: &Value) -> Vec<(String, &'a Chart, Value)> {
    let mut found = vec![(chart.name().to_owned(), chart, values.clone())];
    let mut next = 0;
    while let Some((path, chart, values)) = found.get(next).cloned() {
        for child in chart.dependencies.iter() {
            let table = child.name().split('.').try_fold(&values, |table, name| table.get(name));
            let table = table.filter(|table| matches!(table.data, Data::Map(_))).cloned();
            let path = child
                .path
                .as_deref()
                .map_or_else(|| format!("{path}/charts/{}", child.name()), str::to_owned);
            found.push((path, child, table.unwrap_or_else(|| std::iter::empty::<(&str, Value)>().collect())));
        }
        next += 1;
    }
    found
}

struct Outcome {
    text: String,
    values: Value,
}

fn check(text: &str, least: usize) {
    let cases = cases(text);
    assert!(cases.len() >= least);
    for case in cases {
        for (compat, expected) in [(Compat::Helm4, &case.helm4), (Compat::Helm3, &case.helm3)] {
            let sources = SourceMap::new();
            let mut log = Vec::new();
            let result = case.run(compat, &sources, &mut log);
            if let Ok(outcome) = &result {
                every_scalar_has_an_origin(&outcome.values, case.name, &sources);
            }
            let mut said: Vec<String> = log
                .iter()
                .filter_map(|line| line.render(compat))
                .map(|line| format!("log: {line}\n"))
                .collect();
            // Helm goes through its maps in no order.
            said.sort();
            let said = said.concat();
            let found = match result {
                Ok(outcome) => outcome.text + &said,
                Err(error) => format!("{said}error: {error}\n"),
            };
            assert_eq!(found, *expected, "{} ({compat:?})", case.name);
        }
    }
}

fn every_scalar_has_an_origin(value: &Value, place: &str, sources: &SourceMap) {
    match &value.data {
        Data::List(items) => items.iter().for_each(|item| every_scalar_has_an_origin(item, place, sources)),
        Data::Map(map) => {
            for (key, entry) in map.iter() {
                every_scalar_has_an_origin(&entry.value, &format!("{place}.{key}"), sources);
            }
        }
        _ => {
            let span = value.origin.unwrap_or_else(|| panic!("no origin: {place}"));
            let source = sources.get(span.source);
            assert!(source.text().get(span.range()).is_some(), "not in {}: {place}", source.name());
            assert_ne!(source.name().trim(), "");
        }
    }
}

#[test]
fn values_of_users_over_those_of_charts() {
    check(include_str!("values/coalesce.txt"), 20);
}

#[test]
fn globals() {
    check(include_str!("values/globals.txt"), 9);
}

#[test]
fn which_subcharts_take_part() {
    check(include_str!("values/enabled.txt"), 15);
}

#[test]
fn imported_values() {
    check(include_str!("values/imports.txt"), 12);
}

fn umbrella(dependency: &str, values: &str) -> Result<Outcome, String> {
    let chart = format!("apiVersion: v2\nname: t\nversion: 1.0.0\ndependencies:\n{dependency}\n");
    let case = Case {
        files: vec![("Chart.yaml", chart), ("charts/a/values.yaml", values.to_owned())],
        ..Case::default()
    };
    case.run(Compat::Helm4, &SourceMap::new(), &mut Vec::new())
}

#[test]
fn a_table_is_not_imported_into_itself() {
    for places in [["x", "x.z"], ["x.z", "x.z.q"]] {
        let imports = places.map(|place| format!("{{child: data, parent: {place}}}")).join(", ");
        let entry = format!("- {{name: a, version: 1.0.0, import-values: [{imports}]}}");
        let error = umbrella(&entry, "data: {k: 1}\n").err();
        let expected = "chart dependencies processing failed: import-values puts a table into itself";
        assert_eq!(error.as_deref(), Some(expected));
    }
}

#[test]
fn imports_nest_values_only_so_far() {
    let entry = |place: &str| {
        format!("- {{name: a, version: 1.0.0, import-values: [{{child: data, parent: {place}}}]}}")
    };
    assert!(umbrella(&entry(&["x"; 100].join(".")), "data: {k: 1}\n").is_ok());
    assert!(umbrella(&entry(&["x"; 100_000].join(".")), "data: {k: 1}\n").is_err());
    let tables: String = (0..3_000).map(|table| format!("t{table}: {{k: 1}}\n")).collect();
    let chain: Vec<String> = (1..3_000)
        .flat_map(|table| {
            let before = table - 1;
            [
                format!("{{child: t{before}, parent: p{before}}}"),
                format!("{{child: t{table}, parent: p{before}.z}}"),
            ]
        })
        .collect();
    let entry = format!("- {{name: a, version: 1.0.0, import-values: [{}]}}", chain.join(", "));
    assert!(umbrella(&entry, &tables).is_err(), "each table in the one before it");
}

#[test]
fn values_are_merged_at_any_depth_that_can_be_read() {
    let nested = |inner: &str| format!("a: {}{inner}{}\n", "{a: ".repeat(400), "}".repeat(400));
    let mut case = Case {
        files: vec![("user.yaml", nested("{u: 1}")), ("values.yaml", nested("{c: 2, n: ~}"))],
        ..Case::default()
    };
    case.options.files.push("user.yaml".to_owned());
    let outcome = case.run(Compat::Helm4, &SourceMap::new(), &mut Vec::new()).unwrap();
    assert!(outcome.text.contains(r#"{"c":2,"u":1}"#));
    let deep = format!("x={}{}", "[".repeat(950), "]".repeat(950));
    let path = format!("q{}.y", "[0]".repeat(190));
    case.options.json.push(deep.replacen('x', &path, 1));
    assert!(case.run(Compat::Helm4, &SourceMap::new(), &mut Vec::new()).is_err());
}

/// Copying what is not changed would make the work grow with the square of the number of subcharts.
#[test]
fn what_is_not_changed_is_not_copied() {
    let names: Vec<String> = (0..20).map(|index| format!("s{index}")).collect();
    let listed: String = names.iter().map(|name| format!("- {{name: {name}, version: 1.0.0}}\n")).collect();
    let chart = format!("apiVersion: v2\nname: t\nversion: 1.0.0\ndependencies:\n{listed}");
    let mut files = vec![("Chart.yaml".to_owned(), chart)];
    files.push(("values.yaml".to_owned(), "global: {g: {h: {i: 1}}}\ns3: {new: 1}\n".to_owned()));
    for name in &names {
        files.push((format!("charts/{name}/Chart.yaml"), format!("name: {name}\nversion: 1.0.0\n")));
        files.push((format!("charts/{name}/values.yaml"), "m: {x: {w: [1]}}\n".to_owned()));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let loader = memory(&files);
    let (sources, compat) = (SourceMap::new(), Compat::Helm4);
    let request = Request { loader: &loader, path: "", absolute: "/t", sources: &sources, compat };
    let loaded = load(&request).unwrap().chart;
    let user = ValueOptions::default().merge(&sources, compat, &mut |_| Err(GivenError::Nowhere)).unwrap();
    let mut log = Vec::new();
    let chart = dependencies::process(loaded.clone(), &user, compat, &mut log).unwrap();
    let values = coalesce(&chart, &user, compat, &mut log).unwrap();
    let map = |value: Option<&Value>| match value.map(|value| &value.data) {
        Some(Data::Map(map)) => std::sync::Arc::clone(map),
        _ => panic!("no map"),
    };
    for before in &loaded.dependencies {
        let after = values.get(before.name()).unwrap();
        assert!(std::sync::Arc::ptr_eq(&map(before.values.get("m")), &map(after.get("m"))));
        let global = |value: &Value| map(value.get("global").and_then(|global| global.get("g")?.get("h")));
        assert!(std::sync::Arc::ptr_eq(&global(after), &global(&values)));
    }
}

#[test]
fn values_of_aliases_are_counted_before_they_are_merged() {
    let values: String = (0..2_000).map(|number| format!("k{number}: {{a: {number}}}\n")).collect();
    let processed = |aliases: usize| {
        let entries: String =
            (0..aliases).map(|number| format!("- {{name: s, version: 1.0.0, alias: s{number}}}\n")).collect();
        let chart = format!("apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n{entries}");
        let files = [
            ("Chart.yaml", chart.as_str()),
            ("charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 1.0.0\n"),
            ("charts/s/values.yaml", values.as_str()),
        ];
        let chart = support::directory(&files, Compat::Helm4).unwrap().chart;
        let user = std::iter::empty::<(&str, Value)>().collect();
        let processed = dependencies::process(chart, &user, Compat::Helm4, &mut Vec::new());
        processed.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(processed(100), Ok(()));
    let refused = processed(1_000).unwrap_err();
    assert!(refused.contains("values, counting those of each alias"), "{refused}");
    let refused = processed(10_000).unwrap_err();
    assert!(refused.contains("subcharts, counting each alias"), "{refused}");
}

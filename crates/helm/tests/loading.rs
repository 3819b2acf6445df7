//! Directories: what each file is for, subcharts, old files, values, links and limits.

mod support;

use std::sync::Arc;

use support::{CHART, directory, error, findings, from, memory, packed};
use trueline_helm::chart::{Chart, Compat, LoadFailure, Loaded};
use trueline_source::{Entry, EntryKind, LoadError, LoadErrorKind, Loader, MemoryLoader, SourceMap};

const SUB: &str = "apiVersion: v2\nname: s\nversion: 1.0.0\n";

fn chart(files: &[(&str, &str)]) -> Chart {
    directory(&[&[("Chart.yaml", CHART)], files].concat(), Compat::Helm4).unwrap().chart
}

fn failed(files: &[(&str, &str)], compat: Compat) -> Option<String> {
    error(directory(&[&[("Chart.yaml", CHART)], files].concat(), compat))
}

fn names(files: &[trueline_helm::chart::File]) -> Vec<&str> {
    files.iter().map(|file| &*file.name).collect()
}

fn log(loaded: &Loaded, compat: Compat) -> Vec<String> {
    loaded.log.iter().filter_map(|line| line.render(compat)).collect()
}

#[test]
fn files_are_sorted_by_what_they_are_for() {
    let chart = chart(&[
        ("values.yaml", "\u{feff}a: 1\n"),
        ("values.schema.json", "{}"),
        ("Chart.lock", "generated: 2024-05-01T00:00:00Z\ndigest: d\ndependencies: [{name: s, version: 1}]\n"),
        ("templates/a.yaml", "\u{feff}x"),
        ("templates/deep/b.txt", "y"),
        ("templates/.hidden", "z"),
        ("crds/c.yaml", "kind: A"),
        ("README.md", "r"),
        ("charts/s.tgz.prov", "p"),
        (".helmignore", "*.bak\n"),
        ("old.bak", "o"),
    ]);
    assert_eq!(names(&chart.templates), ["templates/a.yaml", "templates/deep/b.txt"]);
    assert_eq!(names(&chart.files), [".helmignore", "README.md", "charts/s.tgz.prov", "crds/c.yaml"]);
    assert_eq!(chart.values.to_json_text().unwrap(), r#"{"a":1}"#);
    assert!(chart.schema.is_some() && chart.values_file.is_some());
    assert_eq!(&*chart.templates[0].data, b"x", "byte order marks are dropped");
    let lock = chart.lock.unwrap();
    assert_eq!((lock.digest.as_str(), lock.dependencies.len()), ("d", 1));
    let with_sources: Vec<_> = chart.files.iter().map(|file| file.source.is_some()).collect();
    assert_eq!(with_sources, [false, false, false, true]);
}

#[test]
fn a_template_shares_its_text_with_the_source() {
    let sources = SourceMap::new();
    let loader = memory(&[("Chart.yaml", CHART), ("templates/a.yaml", "text")]);
    let loaded = from(&loader, "", Compat::Helm4, &sources).unwrap();
    let file = &loaded.chart.templates[0];
    let source = sources.get(file.source.unwrap());
    assert_eq!(source.name(), "t/templates/a.yaml");
    assert!(std::ptr::eq(source.text().as_bytes(), &*file.data));
}

#[test]
fn subcharts_come_in_the_order_of_their_names() {
    let archive = packed(&[("x/Chart.yaml", "name: packed\nversion: 2\n"), ("x/values.yaml", "p: 1\n")]);
    let loader = memory(&[
        ("Chart.yaml", CHART),
        ("charts/b/Chart.yaml", SUB),
        ("charts/b/charts/inner/Chart.yaml", "name: inner\nversion: 1\n"),
        ("charts/b/crds/y.YAML", "y"),
        ("charts/_ignored/values.yaml", "- no chart"),
        ("charts/.ignored", "no chart"),
        ("crds/deep/x.json", "x"),
        ("crds/README.md", "no"),
    ])
    .with_file("charts/a.tgz", archive);
    let chart = from(&loader, "", Compat::Helm4, &SourceMap::new()).unwrap().chart;
    let subcharts: Vec<_> = chart.dependencies.iter().map(Chart::name).collect();
    assert_eq!(subcharts, ["packed", "s"]);
    assert_eq!(chart.dependencies[1].dependencies[0].name(), "inner");
    assert_eq!(chart.dependencies[0].values.to_json_text().unwrap(), r#"{"p":1}"#);
    let crds: Vec<_> = chart.crds().into_iter().map(|crd| crd.path).collect();
    assert_eq!(crds, ["t/crds/deep/x.json", "t/charts/s/crds/y.YAML"]);
}

#[test]
fn an_archive_in_charts_is_named_after_its_chart() {
    let archive = packed(&[("x/Chart.yaml", "apiVersion: v2\nname: packed\nversion: 2.0.0\n")]);
    for (name, message) in [
        ("packed-2.0.0.tgz", None),
        ("packed-1.0.0.tgz", Some("the archive says version `1.0.0`, and the chart in it `2.0.0`")),
        ("other-2.0.0.tgz", Some("the archive `other-2.0.0.tgz` holds a chart of the name `packed`")),
    ] {
        let loader = memory(&[("Chart.yaml", CHART)]).with_file(&format!("charts/{name}"), archive.clone());
        let loaded = from(&loader, "", Compat::Helm4, &SourceMap::new()).unwrap();
        assert_eq!(loaded.chart.dependencies[0].name(), "packed", "it is loaded whatever it is called");
        let found: Vec<_> = loaded.warnings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(found, message.into_iter().collect::<Vec<_>>(), "{name}");
        assert!(
            loaded.warnings.iter().all(|finding| finding.severity == trueline_diagnostic::Severity::Warning)
        );
    }
}

#[test]
fn errors_of_subcharts_are_nested() {
    for (files, expected) in [
        (
            &[("charts/README.md", "x")][..],
            "error unpacking subchart README.md in t: Chart.yaml file is missing",
        ),
        (
            &[("charts/s/Chart.yaml", SUB), ("charts/s/charts/u/Chart.yaml", "name: u\n")],
            "error unpacking subchart s in t: error unpacking subchart u in s: validation: chart.metadata.version is required",
        ),
        (
            &[("charts/x.tgz/Chart.yaml", SUB)],
            "error unpacking subchart tar in t: expected x.tgz, got x.tgz/Chart.yaml",
        ),
        (&[("charts/x.tgz", "no archive")], "error unpacking subchart x.tgz in t: gzip: invalid header"),
        (&[("charts/x.tgz", "")], "error unpacking subchart x.tgz in t: EOF"),
        (
            &[("charts/s/requirements.yaml", "name: s\nversion: 1\n")],
            "error unpacking subchart s in t: validation: chart.metadata.apiVersion is required",
        ),
        (
            &[("charts/s/values.yaml", "- a\n")],
            "error unpacking subchart s in t: cannot load values.yaml: cannot unmarshal yaml document: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
    ] {
        assert_eq!(failed(files, Compat::Helm4).as_deref(), Some(expected));
    }
}

#[test]
fn what_is_wrong_in_several_subcharts_is_found_in_one_run() {
    let loader = memory(&[
        ("Chart.yaml", CHART),
        ("charts/a/Chart.yaml", "name: a\nversion: x\n"),
        ("charts/b/values.yaml", "b: [1\n"),
        ("charts/b/Chart.yaml", SUB),
    ]);
    let sources = SourceMap::new();
    let failure = from(&loader, "", Compat::Helm4, &sources).unwrap_err();
    assert_eq!(
        failure.to_string(),
        "error unpacking subchart a in t: validation: chart.metadata.version \"x\" is invalid"
    );
    assert_eq!(
        findings(&failure, &sources),
        ["TL0405 t/charts/a/Chart.yaml:2:10", "TL0106 t/charts/b/values.yaml:1:4"]
    );
}

#[test]
fn a_missing_chart_yaml_is_named_as_each_helm_names_it() {
    for (files, helm4, helm3) in [
        (
            &[("values.yaml", "a: 1\n")][..],
            "unable to detect chart at /here/t/Chart.yaml: open /here/t/Chart.yaml: no such file or directory",
            "Chart.yaml file is missing",
        ),
        (
            &[("Chart.yaml", CHART), (".helmignore", "!a.txt\n")],
            "Chart.yaml file is missing",
            "Chart.yaml file is missing",
        ),
    ] {
        assert_eq!(error(directory(files, Compat::Helm4)).as_deref(), Some(helm4));
        assert_eq!(error(directory(files, Compat::Helm3)).as_deref(), Some(helm3));
    }
}

#[test]
fn old_files_are_read_and_warned_about() {
    let files = [("requirements.yaml", "dependencies: [{name: s}]\n"), ("requirements.lock", "digest: d\n")];
    let dependencies = "dependencies: [{name: s, version: 1, repository: r}]\n";
    let second = format!("{CHART}{dependencies}");
    let all = [&[("Chart.yaml", second.as_str())], &files[..]].concat();
    let loaded = directory(&all, Compat::Helm4).unwrap();
    let dependency = loaded.chart.metadata.dependencies.first().unwrap();
    assert_eq!((dependency.name.as_str(), dependency.version.as_str()), ("s", "1"), "laid over each other");
    assert_eq!(names(&loaded.chart.files), [""; 0]);
    assert_eq!(loaded.chart.lock.as_ref().map(|lock| lock.digest.as_str()), Some("d"));
    assert_eq!(
        log(&loaded, Compat::Helm4),
        [
            "level=INFO msg=\"Warning: Dependency locking is handled in Chart.lock since apiVersion \\\"v2\\\". We recommend migrating to Chart.lock.\"",
            "level=INFO msg=\"Warning: Dependencies are handled in Chart.yaml since apiVersion \\\"v2\\\". We recommend migrating dependencies to Chart.yaml.\"",
        ]
    );
    assert!(log(&loaded, Compat::Helm3)[1].starts_with("load.go:120: Warning: Dependencies are handled"));
    assert_eq!(loaded.warnings.len(), 2);

    let first = "apiVersion: v1\nname: t\nversion: 1.0.0\n";
    let loaded = directory(&[&[("Chart.yaml", first)], &files[..]].concat(), Compat::Helm4).unwrap();
    assert_eq!(names(&loaded.chart.files), ["requirements.lock", "requirements.yaml"]);
    assert!(loaded.log.is_empty() && loaded.warnings.is_empty());
}

#[test]
fn values_are_read_as_each_helm_reads_them() {
    for (text, helm4, helm3) in [
        ("a: 1\n---\nb: 2\n", r#"{"a":1,"b":2}"#, r#"{"a":1}"#),
        ("---\na: 1\n", r#"{"a":1}"#, r#"{"a":1}"#),
        ("# c\n---\na: 1\n", r#"{"a":1}"#, r#"{"a":1}"#),
        (
            "a: {b: 1, c: {d: 1}}\nx: [1]\n---\na: {c: {e: 2}, b: null}\nx: {z: 1}\n",
            r#"{"a":{"b":null,"c":{"d":1,"e":2}},"x":{"z":1}}"#,
            r#"{"a":{"b":1,"c":{"d":1}},"x":[1]}"#,
        ),
        ("a: |\n  text", r#"{"a":"text\n"}"#, r#"{"a":"text"}"#),
        ("a: 1\n...\nb: 2\n", r#"{"a":1}"#, r#"{"a":1}"#),
        ("a: 1\r\n---\r\nb: |\r\n  x\r\n", r#"{"a":1,"b":"x\n"}"#, r#"{"a":1}"#),
        (
            "a: 9007199254740993\n1.5: b\ny: c\n",
            r#"{"1.5":"b","a":9007199254740992,"true":"c"}"#,
            r#"{"1.5":"b","a":9007199254740992,"true":"c"}"#,
        ),
        ("null\n", "{}", "{}"),
        ("", "{}", "{}"),
    ] {
        for (compat, expected) in [(Compat::Helm4, helm4), (Compat::Helm3, helm3)] {
            let loaded = directory(&[("Chart.yaml", CHART), ("values.yaml", text)], compat).unwrap();
            assert_eq!(loaded.chart.values.to_json_text().unwrap(), expected, "{text:?} {compat:?}");
        }
    }
}

#[test]
fn values_that_cannot_be_read_have_helm_s_texts() {
    const CONVERT: &str = "error converting YAML to JSON: yaml: ";
    const DECODE: &str = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ";
    const MAP: &str = " into Go value of type map[string]interface {}";
    for (text, expected) in [
        ("a: [\n".to_owned(), format!("{CONVERT}line 1: did not find expected node content")),
        ("5\n".to_owned(), format!("{DECODE}number{MAP}")),
        ("abc\n".to_owned(), format!("{DECODE}string{MAP}")),
        ("true\n".to_owned(), format!("{DECODE}bool{MAP}")),
    ] {
        let (helm4, helm3) =
            ("cannot load values.yaml: cannot unmarshal yaml document: ", "cannot load values.yaml: ");
        let files = [("values.yaml", text.as_str())];
        assert_eq!(failed(&files, Compat::Helm4), Some(format!("{helm4}{expected}")));
        assert_eq!(failed(&files, Compat::Helm3), Some(format!("{helm3}{expected}")));
    }
    assert_eq!(
        failed(&[("values.yaml", "a: 1\n--- b\nc: 1\n")], Compat::Helm4).as_deref(),
        Some("cannot load values.yaml: error reading yaml document: invalid Yaml document separator: b")
    );
}

#[test]
fn the_places_of_later_documents_are_right() {
    let sources = SourceMap::new();
    let text = "a: 1\n---\nb:\n  c: 2\n";
    let loader = memory(&[("Chart.yaml", CHART), ("values.yaml", text)]);
    let loaded = from(&loader, "", Compat::Helm4, &sources).unwrap();
    let origin = loaded.chart.values.get("b").and_then(|b| b.get("c")).and_then(|c| c.origin).unwrap();
    assert_eq!(sources.position(origin).line, 4);
    let loader = memory(&[("Chart.yaml", CHART), ("values.yaml", "a: 1\n---\nb: {c: 1\n---\n")]);
    let failure = from(&loader, "", Compat::Helm4, &sources).unwrap_err();
    assert_eq!(findings(&failure, &sources), ["TL0106 t/values.yaml:3:4"]);
}

#[test]
fn large_files_are_refused_as_each_helm_refuses_them() {
    let large = "x".repeat((5 << 20) + 1);
    let files = [("Chart.yaml", CHART), ("big/file.txt", large.as_str())];
    assert_eq!(error(directory(&files, Compat::Helm4)), None);
    assert_eq!(
        error(directory(&files, Compat::Helm3)).as_deref(),
        Some("chart file \"file.txt\" is larger than the maximum file size 5242880")
    );
}

#[test]
fn charts_that_are_nested_without_end_are_refused() {
    let mut loader = MemoryLoader::new("t");
    let mut path = String::new();
    for _ in 0..80 {
        loader = loader.with_file(&format!("{path}Chart.yaml"), SUB);
        path.push_str("charts/s/");
    }
    let failure = from(&loader, "", Compat::Helm4, &SourceMap::new()).unwrap_err();
    assert!(failure.to_string().ends_with("charts are nested more than 64 deep"), "{failure}");
}

#[test]
fn directories_that_are_nested_without_end_are_refused() {
    let loader = memory(&[("Chart.yaml", CHART), (&format!("{}file", "d/".repeat(100_000)), "x")]);
    let failure = from(&loader, "", Compat::Helm4, &SourceMap::new()).unwrap_err();
    assert_eq!(failure.to_string(), "directories are nested more than 256 deep");
}

/// A memory loader with links in it.
#[derive(Debug)]
struct Linked {
    files: MemoryLoader,
    links: Vec<(&'static str, Result<&'static str, LoadErrorKind>)>,
}

impl Linked {
    fn target(&self, path: &str) -> Result<String, LoadError> {
        for (link, target) in &self.links {
            if let Some(rest) = path.strip_prefix(link)
                && (rest.is_empty() || rest.starts_with('/'))
            {
                let target = target.map_err(|kind| LoadError::new(kind, "gone"))?;
                return self.target(&format!("{target}{rest}"));
            }
        }
        Ok(path.trim_matches('/').to_owned())
    }
}

impl Loader for Linked {
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
        self.files.read(&self.target(path)?)
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
        let real = self.target(path)?;
        let mut entries = self.files.list(&real)?;
        for (link, _) in &self.links {
            let (directory, name) = link.rsplit_once('/').unwrap_or(("", link));
            if directory == real {
                entries.push(Entry { name: name.to_owned(), link: true, ..self.entry(link)? });
            }
        }
        entries.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(entries)
    }

    fn entry(&self, path: &str) -> Result<Entry, LoadError> {
        let other =
            Entry { name: path.to_owned(), kind: EntryKind::Other, length: 0, executable: false, link: true };
        match self.target(path) {
            Ok(real) => self.files.entry(&real),
            Err(_) => Ok(other),
        }
    }

    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        self.files.scoped(path)
    }

    fn follow(&self, path: &str) -> Result<String, LoadError> {
        self.target(path)
    }

    fn display(&self, path: &str) -> String {
        self.files.display(path)
    }
}

fn linked(links: &[(&'static str, Result<&'static str, LoadErrorKind>)]) -> Result<Loaded, LoadFailure> {
    let files = memory(&[("Chart.yaml", CHART), ("shared/a.yaml", "a"), ("templates/own.yaml", "o")]);
    let loader = Linked { files, links: links.to_vec() };
    from(&loader, "", Compat::Helm4, &SourceMap::new())
}

#[test]
fn links_inside_are_followed_and_said() {
    let loaded =
        linked(&[("templates/b.yaml", Ok("shared/a.yaml")), ("templates/deep", Ok("shared"))]).unwrap();
    assert_eq!(
        names(&loaded.chart.templates),
        ["templates/b.yaml", "templates/deep/a.yaml", "templates/own.yaml"]
    );
    assert_eq!(
        log(&loaded, Compat::Helm4),
        [
            "level=INFO msg=\"found symbolic link in path. Contents of linked file included and used\" path=/here/t/templates/b.yaml resolved=/here/t/shared/a.yaml",
            "level=INFO msg=\"found symbolic link in path. Contents of linked file included and used\" path=/here/t/templates/deep resolved=/here/t/shared",
        ]
    );
    assert_eq!(
        log(&loaded, Compat::Helm3)[0],
        "walk.go:75: found symbolic link in path: /here/t/templates/b.yaml resolves to /here/t/shared/a.yaml. Contents of linked file included and used"
    );
}

#[test]
fn links_that_cannot_be_followed_are_refused() {
    for (links, expected) in [
        (
            &[("x", Err(LoadErrorKind::NotFound))][..],
            "error evaluating symlink /here/t/x: lstat /here/t/gone: no such file or directory",
        ),
        (
            &[("x", Err(LoadErrorKind::Outside))],
            "error evaluating symlink /here/t/x: it leads out of the chart",
        ),
        (&[("shared/x", Ok(""))], "error evaluating symlink /here/t/shared/x: too many links"),
        (
            &[("shared/x", Ok("templates")), ("templates/y", Ok("shared"))],
            "error evaluating symlink /here/t/shared/x/y: too many links",
        ),
    ] {
        assert_eq!(error(linked(links)).as_deref(), Some(expected));
    }
}

#[test]
fn devices_are_refused() {
    #[derive(Debug)]
    struct Device(MemoryLoader);
    impl Loader for Device {
        fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
            self.0.read(path)
        }
        fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
            let mut entries = self.0.list(path)?;
            let name = "socket".to_owned();
            entries.push(Entry { name, kind: EntryKind::Other, length: 0, executable: false, link: false });
            Ok(entries)
        }
        fn entry(&self, path: &str) -> Result<Entry, LoadError> {
            self.0.entry(path)
        }
        fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
            self.0.scoped(path)
        }
        fn display(&self, path: &str) -> String {
            self.0.display(path)
        }
    }
    let result = from(&Device(memory(&[("Chart.yaml", CHART)])), "", Compat::Helm4, &SourceMap::new());
    assert_eq!(
        error(result).as_deref(),
        Some("cannot load irregular file /here/t/socket as it has file mode type bits set")
    );
}

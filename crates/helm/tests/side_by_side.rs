//! Many templates: they may be run on several threads, and nothing of that may show.

mod support;

use trueline_helm::chart::{Chart, Compat};
use trueline_helm::engine::{self, Capabilities, Notes, Options, Release, Texts};
use trueline_helm::{Origins, Seeded, dependencies, values};
use trueline_yaml::yaml_to_value;

const TEMPLATES: usize = 60;

/// A chart whose templates are long enough to be worth several threads. `special` gives the texts of some of them,
/// which are run from the last to the first.
fn chart(special: &[(usize, &str)]) -> Chart {
    let padding = format!("{{{{/* {} */}}}}", "x".repeat(4_000));
    let mut files = vec![
        ("Chart.yaml".to_owned(), support::CHART.to_owned()),
        ("values.yaml".to_owned(), "a: {b: 0}\nlist: [{c: 1}]\n".to_owned()),
        ("charts/s/Chart.yaml".to_owned(), "apiVersion: v2\nname: s\nversion: 1.0.0\n".to_owned()),
        ("charts/s/templates/one.yaml".to_owned(), "s".to_owned()),
    ];
    for number in 0..TEMPLATES {
        let text = special.iter().find(|(place, _)| *place == number).map(|(_, text)| *text);
        let text = text.unwrap_or("{{ .Values.a.b }} {{ .Template.Name }} {{ .Subcharts.s.Template.Name }}");
        files.push((format!("templates/{number:02}.yaml"), format!("{padding}{text}")));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let loaded = support::directory(&files, Compat::Helm4).unwrap();
    let none = yaml_to_value("{}").unwrap();
    dependencies::process(loaded.chart, &none, Compat::Helm4, &mut Vec::new()).unwrap()
}

/// What each template wrote, in their order, and the texts of the failures.
fn rendered(chart: &Chart) -> (Vec<String>, Vec<String>) {
    let none = yaml_to_value("{}").unwrap();
    let values = values::coalesce(chart, &none, Compat::Helm4, &mut Vec::new()).unwrap();
    let environment = Seeded::new(7);
    let options = Options {
        compat: Compat::Helm4,
        release: Release { name: "r".into(), namespace: "n".into(), operation: engine::Operation::Install },
        capabilities: Capabilities::default(),
        mode: engine::Mode::Render,
        origins: Origins::Dropped,
        environment: &environment,
        limits: trueline_helm::Limits::default(),
    };
    let texts = Texts::read(chart, Compat::Helm4);
    let rendering = engine::render_all(chart, &texts, &values, &options, Notes::None);
    let files = rendering.output.files.iter().filter(|file| file.path.starts_with("t/templates/"));
    let files = files.map(|file| String::from_utf8_lossy(&file.text).into_owned()).collect();
    (files, rendering.failures.into_iter().map(|failure| failure.text).collect())
}

fn usual(value: &str, number: usize) -> String {
    format!("{value} t/templates/{number:02}.yaml t/charts/s/templates/one.yaml")
}

#[test]
fn what_a_template_writes_to_the_values_those_behind_it_see() {
    for (place, write) in [
        (40, "{{ $_ := set .Values.a \"b\" 5 }}"),
        (TEMPLATES - 1, "{{ $_ := set .Values.a \"b\" 5 }}"),
        (3, "{{ $_ := set .Values \"a\" (dict \"b\" 5) }}"),
        (20, "{{ $_ := mergeOverwrite .Values (dict \"a\" (dict \"b\" 5)) }}"),
        (20, "{{ $_ := set (index .Values.list 0) \"c\" 2 }}{{ $_ := set .Values.a \"b\" 5 }}"),
    ] {
        let (files, failures) = rendered(&chart(&[(place, write)]));
        assert!(failures.is_empty(), "{failures:?}");
        for (number, text) in files.iter().enumerate() {
            match number {
                number if number == place => assert_eq!(text, "", "{write}"),
                number if number < place => assert_eq!(*text, usual("5", number), "{write}"),
                number => assert_eq!(*text, usual("0", number), "{write}"),
            }
        }
    }
}

#[test]
fn what_is_written_once_more_counts_too() {
    let add = "{{ $_ := set .Values.a \"b\" (add 1 .Values.a.b) }}";
    let (files, _) = rendered(&chart(&[(50, add), (30, add), (29, add), (2, add)]));
    for (number, expected) in [(51, "0"), (49, "1"), (31, "1"), (28, "3"), (3, "3"), (1, "4"), (0, "4")] {
        assert_eq!(files[number], usual(expected, number));
    }
}

#[test]
fn failures_come_in_the_order_of_the_templates() {
    let (files, failures) = rendered(&chart(&[(45, "{{ fail \"one\" }}"), (7, "{{ fail \"two\" }}")]));
    assert_eq!(files.len(), TEMPLATES - 2);
    assert_eq!(failures.len(), 2);
    assert!(failures[0].ends_with("): one"), "{failures:?}");
    assert!(failures[1].ends_with("): two"), "{failures:?}");
}

#[test]
fn dice_do_not_depend_on_who_rolled_before() {
    let roll = "{{ randAlphaNum 8 }}";
    let (alone, _) = rendered(&chart(&[(9, roll)]));
    let (beside, _) = rendered(&chart(&[(50, roll), (9, roll), (8, roll)]));
    assert_eq!(alone[9], beside[9]);
    assert_eq!(alone[9].len(), 8);
    assert_ne!(beside[9], beside[8]);
}

#[test]
fn a_share_of_work_is_spent_once() {
    // Together more than half of what a chart is allowed.
    let costly = "{{ $long := repeat 17000000 \"y\" }}{{ len $long }}";
    let mut special: Vec<(usize, &str)> = (10..17).map(|number| (number, costly)).collect();
    special.push((5, "{{ $_ := set .Values.a \"b\" 5 }}"));
    for _ in 0..2 {
        let (files, failures) = rendered(&chart(&special));
        assert!(failures.is_empty(), "{failures:?}");
        assert_eq!((files[10].as_str(), files.len()), ("17000000", TEMPLATES));
        assert_eq!(files[4], usual("5", 4));
    }
}

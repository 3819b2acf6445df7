//! A rendered text with a YAML error and a schema error: every report names the values file where the value was typed
//! and the template that prints it, never a line of text that nobody wrote.

use std::sync::Arc;

use trueline_diagnostic::{Outcome, Unit};
use trueline_report::{Format, Options};
use trueline_schema::{Access, Formats, Store, WordingContext, diagnose};
use trueline_source::{Origin, OriginMap, SourceKind, SourceMap};
use trueline_yaml::ReadOptions;

const TEMPLATE: &str = "{{- /* a comment that moves the lines */ -}}\n\
    kind: Deployment\n\
    replicas: {{ .Values.web.count }}\n\
    ---\n\
    labels: [{{ .Values.labels }}\n";
const VALUES: &str = "web:\n  count: many\nlabels: a, b\n";
const SCHEMA: &str = r#"{"type": "object", "properties": {"replicas": {"type": "integer"}}}"#;

/// The outcome of reading and validating the rendered text, as a template engine would hand it over.
fn outcome(sources: &Arc<SourceMap>) -> Outcome {
    let template = sources.add("templates/web.yaml", SourceKind::File, TEMPLATE);
    let values = sources.add("values.yaml", SourceKind::File, VALUES);
    let place = |text: &str, part: &str| {
        let start = text.find(part).unwrap();
        (start, start + part.len())
    };
    let mut rendered = String::new();
    let mut origins = OriginMap::new();
    let mut copied = place(TEMPLATE, "kind").0;
    for (action, value) in [("{{ .Values.web.count }}", "many"), ("{{ .Values.labels }}", "a, b")] {
        let (start, end) = place(TEMPLATE, action);
        origins.push(rendered.len() as u32, Origin::Verbatim(template.span(copied, start)));
        rendered.push_str(&TEMPLATE[copied..start]);
        let (from, to) = place(VALUES, value);
        let origin =
            Origin::Computed { action: template.span(start, end), value: Some(values.span(from, to)) };
        origins.push(rendered.len() as u32, origin);
        rendered.push_str(value);
        copied = end;
    }
    origins.push(rendered.len() as u32, Origin::Verbatim(template.span(copied, TEMPLATE.len())));
    rendered.push_str(&TEMPLATE[copied..]);
    let text = sources.add("web.yaml (rendered)", SourceKind::Rendered(origins), rendered);

    let store = Store::new(Arc::clone(sources), Access::default());
    let schema = sources.add("schema.json", SourceKind::Embedded, SCHEMA);
    let schema = store.text(schema, None, Formats::Ignore).unwrap();
    let stream = trueline_yaml::read(text, sources.get(text).text(), &ReadOptions::default());
    let mut findings: Vec<_> = stream.errors.iter().map(trueline_yaml::SyntaxError::to_diagnostic).collect();
    let document = &stream.documents[0];
    let context = WordingContext {
        sources,
        schema: &schema,
        instance: document.root().into(),
        fallback: document.root().span(),
    };
    findings.extend(diagnose(&schema.validate(document.root()), &context));
    assert_eq!(findings.len(), 2, "{findings:?}");
    let unit = Unit { name: "chart".to_owned(), kind: "chart", findings, ..Unit::default() };
    Outcome { units: vec![unit], ..Outcome::default() }
}

#[test]
fn every_format_names_the_places_that_somebody_wrote() {
    let sources = Arc::new(SourceMap::new());
    let outcome = outcome(&sources);
    for format in Format::ALL.iter().copied() {
        let report = trueline_report::render(format, outcome.clone(), &sources, &Options::default());
        let places: &[&str] = match format {
            Format::Human => {
                &["--> values.yaml:2:10", "::: templates/web.yaml:3:11", "templates/web.yaml:5:9"]
            }
            Format::Short => &["values.yaml:2:10: error", "templates/web.yaml:5:9: error"],
            Format::Json => &[
                r#""role": "primary","file": "values.yaml","line": 2,"column": 10"#,
                r#""role": "related","file": "templates/web.yaml","line": 3,"column": 11"#,
                r#""file": "templates/web.yaml","line": 5,"column": 9"#,
            ],
            Format::Sarif => &[r#""startLine": 2,"startColumn": 10"#, r#""startLine": 5,"startColumn": 9"#],
            Format::Github => &["file=values.yaml,line=2,col=10", "file=templates/web.yaml,line=5,col=9"],
            Format::Gitlab => &[r#""line": 2,"column": 10"#, r#""line": 5,"column": 9"#],
            Format::Junit | Format::Tap => {
                &["values.yaml:2:10", "templates/web.yaml:3:11", "templates/web.yaml:5:9"]
            }
            _ => &["values.yaml", "templates/web.yaml"],
        };
        // The machine formats differ in white space, which says nothing about places.
        let flat = report.lines().map(str::trim).collect::<Vec<_>>().join("");
        for place in places {
            assert!(flat.contains(place), "{format}: {place} is not in\n{report}");
        }
    }
}

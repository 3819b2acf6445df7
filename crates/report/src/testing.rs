//! Outcomes that the tests of all formats share.

use trueline_diagnostic::{Code, Diagnostic, Edit, KubeCause, Level, Outcome, SchemaPlace, Severity, Unit};
use trueline_source::{Origin, OriginMap, SourceKind, SourceMap, Span};

use crate::{Format, Options};

pub(crate) static SYNTAX: Code = Code {
    id: "TL0101",
    name: "syntax",
    severity: Severity::Error,
    summary: "the text is not YAML",
    explanation: "YAML cannot be read on from here.",
    wrong: "a: [\n",
    right: "a: []\n",
};

pub(crate) static TYPE: Code = Code {
    id: "TL0201",
    name: "wrong-type",
    severity: Severity::Error,
    summary: "a value has another type than its schema allows",
    explanation: "Write a value of the type that the schema names.",
    wrong: "replicas: many\n",
    right: "replicas: 3\n",
};

pub(crate) static ADVICE: Code = Code {
    id: "TL0301",
    name: "advice",
    severity: Severity::Warning,
    summary: "something could be better",
    explanation: "It works, but it could be better.",
    wrong: "",
    right: "",
};

/// A finding of severity error.
pub(crate) fn finding(span: Span, message: &str) -> Diagnostic {
    Diagnostic::new(&TYPE, span, message)
}

/// A unit that was checked.
pub(crate) fn unit(name: &str, findings: Vec<Diagnostic>) -> Unit {
    Unit { name: name.to_owned(), kind: "extension", findings, ..Unit::default() }
}

/// What a run over some units found.
pub(crate) fn outcome(units: Vec<Unit>) -> Outcome {
    Outcome { units, ..Outcome::default() }
}

/// Renders with a fixed version.
pub(crate) fn render(format: Format, outcome: &Outcome, sources: &SourceMap) -> String {
    let options = Options { width: 80, tool_version: "1.2.3".to_owned(), ..Options::default() };
    crate::render(format, outcome.clone(), sources, &options)
}

/// A run with every feature of a finding, every verdict, and one duplicate finding.
pub(crate) fn sample() -> (SourceMap, Outcome) {
    let sources = SourceMap::new();
    let text = "name: web\nreplicas: many\nports:\n  - 80\n  - 80\n";
    let file = sources.add("apps/web.yaml", SourceKind::File, text);
    let values = sources.add("values.yaml", SourceKind::File, "count: many\n");
    let flag = sources.add("--set a.b=1", SourceKind::Flag, "a.b=1");
    let config = sources.add("trueline.toml", SourceKind::File, "strict = maybe\n");

    let wrong = finding(file.span(20, 24), "`replicas` must be an integer, not text")
        .label("this is text")
        .related(file.span(0, 4), "in this object")
        .related(values.span(7, 11), "the value was typed here")
        .frame(file.span(10, 18), "included from \"web.labels\"")
        .path("/replicas")
        .level(Level::Schema)
        .help("write a number such as 3")
        .fix("write 3", vec![Edit { span: file.span(20, 24), replacement: "3".into() }]);
    let wrong = Diagnostic {
        schema: Some(SchemaPlace {
            path: "web.schema.json#/properties/replicas".into(),
            keyword: "type".into(),
        }),
        kube: Some(KubeCause {
            field: "spec.replicas".into(),
            kind: "FieldValueTypeInvalid".into(),
            detail: "must be an integer".into(),
        }),
        ..wrong
    };
    let twice = Diagnostic::new(&ADVICE, file.span(44, 46), "80 appears twice in the list")
        .related(file.span(37, 39), "first here");
    let from_flag = finding(flag.span(4, 5), "`a.b` must be text").level(Level::Semantic);
    let general = Diagnostic::new(&ADVICE, config.span(9, 14), "`strict` must be true or false");

    let mut skipped = unit("notes.txt", vec![]);
    skipped.skipped = Some("not Kubernetes configuration".into());
    let outcome = Outcome {
        units: vec![
            unit("apps/web.yaml", vec![twice.clone(), wrong.clone(), wrong, from_flag]),
            skipped,
            unit("values.yaml", vec![]),
        ],
        general: vec![general],
        ..Outcome::default()
    };
    (sources, outcome)
}

/// Names, messages and texts that try to break out of every format.
pub(crate) fn hostile() -> (SourceMap, Outcome) {
    const NAMES: [&str; 4] = [
        "a b\"'.yaml",
        "new\nline,100%:x.yaml",
        "::error::x\x1b[2J.yaml",
        "<&]]>\0\u{202e}# TODO ##[error].yaml",
    ];
    const MESSAGE: &str = "]]> ::error::no\n::stop-commands::x\r\n...\n  ...\n--- # SKIP \x1b[31mred\0 \u{202e}back\u{2069} \u{9b}1m <b>&amp; \"q\" %0A\u{ffff}";
    let sources = SourceMap::new();
    let units = NAMES.map(|name| {
        let file = sources.add(name, SourceKind::File, "\x1b]0;t\x07a: \u{202e}b\u{200d}\tc\r\n\0d: e");
        let hostile = finding(file.span(9, 13), MESSAGE)
            .label(MESSAGE)
            .related(file.span(0, 3), MESSAGE)
            .frame(file.span(20, 21), MESSAGE)
            .help(MESSAGE)
            .path("/a\x1b\n]]>")
            .fix(MESSAGE, vec![Edit { span: file.span(0, 1), replacement: MESSAGE.into() }]);
        unit(name, vec![hostile])
    });
    (sources, outcome(units.into()))
}

/// Every kind of source, and places at the edges of texts.
pub(crate) fn edges() -> (SourceMap, Outcome) {
    let sources = SourceMap::new();
    let mut findings = Vec::new();
    let kinds = [
        ("/absolute/a.yaml", SourceKind::File),
        ("./here.yaml", SourceKind::File),
        ("--set x=y", SourceKind::Flag),
        ("https://example.org/a b.json?x=1#/y", SourceKind::Url),
        ("schemas/extension.schema.json", SourceKind::Embedded),
        ("rendered.yaml", SourceKind::Rendered(OriginMap::new())),
    ];
    for (name, kind) in kinds {
        for text in ["", "a", "a\r\nb\r\n", "漢字: 🎉\n\n", "\u{feff}x: y\n", "a\rb", "\n\n\n\n\n\n\n\nx\n"]
        {
            let id = sources.add(name, kind.clone(), text);
            for (start, end) in [(0, 0), (0, text.len()), (text.len(), text.len()), (1, 2), (2, 9999)] {
                findings.push(
                    finding(id.span(start, end), "wrong")
                        .label("here")
                        .related(id.span(0, 1), "and here")
                        .fix("do", vec![Edit { span: id.span(start, end), replacement: "z".into() }]),
                );
            }
        }
    }
    (sources, outcome(vec![unit("edges", findings)]))
}

/// A template and a values file rendered to text with a YAML error and a schema error.
pub(crate) fn rendered() -> (SourceMap, Outcome) {
    let sources = SourceMap::new();
    let template_text = "kind: Pod\nreplicas: {{ .Values.n }}\nname: [a\n";
    let template = sources.add("templates/pod.yaml", SourceKind::File, template_text);
    let values = sources.add("prod-values.yaml", SourceKind::File, "# counts\nn: many\n");
    let mut origins = OriginMap::new();
    origins.push(0, Origin::Verbatim(template.span(0, 20)));
    origins.push(20, Origin::Computed { action: template.span(20, 35), value: Some(values.span(12, 16)) });
    origins.push(24, Origin::Verbatim(template.span(35, template_text.len())));
    let text =
        sources.add("pod.yaml", SourceKind::Rendered(origins), "kind: Pod\nreplicas: many\nname: [a\n");
    let findings = vec![
        Diagnostic::new(&SYNTAX, text.span(31, 32), "the list is not closed").level(Level::Parse),
        finding(text.span(20, 24), "`replicas` must be an integer, not text").level(Level::Schema),
    ];
    (sources, outcome(vec![unit("chart", findings)]))
}

/// All of the above, and a run that checked nothing.
pub(crate) fn every_outcome() -> Vec<(SourceMap, Outcome)> {
    vec![sample(), hostile(), edges(), rendered(), (SourceMap::new(), outcome(vec![]))]
}

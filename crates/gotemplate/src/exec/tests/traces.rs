//! Where each byte came from.

use trueline_source::{SourceKind, SourceMap, Span};

use super::{World, json, set};
use crate::{Options, Origins, Trace};

const VALUES: &str = "name: web\nport: 8080\nlist: [a, b]\nmap: {k: v}\ntext: 'x-{{ .name }}-y'\n";

/// Each run of the output: its text, what wrote it, and its value.
fn runs(template: &str) -> Vec<String> {
    let sources = SourceMap::new();
    let id = sources.add("t.yaml", SourceKind::File, template);
    let values = sources.add("values.yaml", SourceKind::File, VALUES);
    let mut options = Options::new(&World, &());
    options.origins = Origins::Kept;
    let rendered = set(template, Some(id)).execute("t.yaml", &json(VALUES, Some(values)), &options).unwrap();
    let shown = |span: Span| sources.get(span.source).slice(span).to_owned();
    let text = rendered.text;
    let ends = text.runs().iter().skip(1).map(|run| run.start as usize).chain([text.len()]);
    text.runs()
        .iter()
        .zip(ends)
        .map(|(run, end)| {
            let part = String::from_utf8_lossy(&text.as_bytes()[run.start as usize..end]).into_owned();
            match run.trace {
                Trace::Unknown => format!("{part} ?"),
                Trace::Value(span) => format!("{part} = {}", shown(span)),
                Trace::Verbatim(span) => format!("{part} <- {}", shown(span)),
                Trace::Printed { action, value: None } => format!("{part} by {}", shown(action)),
                Trace::Printed { action, value: Some(value) } => {
                    format!("{part} by {} of {}", shown(action), shown(value))
                }
            }
        })
        .collect()
}

#[test]
fn every_byte_knows_what_wrote_it() {
    for (template, expected) in [
        ("a: {{ .name }}\n", &["a:  <- a: ", "web by {{ .name }} of web", "\n <- \n"][..]),
        ("{{ .port }}{{ 1 }}", &["8080 by {{ .port }} of 8080", "1 by {{ 1 }}"]),
        // The result of a function without its own traces has the place of the last argument.
        ("{{ .name | upper }}", &["WEB by {{ .name | upper }} of web"]),
        (
            "{{ printf `%s-%v` .name .port }}",
            &[
                "web by {{ printf `%s-%v` .name .port }} of web",
                "- by {{ printf `%s-%v` .name .port }}",
                "8080 by {{ printf `%s-%v` .name .port }} of 8080",
            ],
        ),
        (
            "{{ print .list }}",
            &[
                "[ by {{ print .list }} of [a, b]",
                "a by {{ print .list }} of a",
                "  by {{ print .list }} of [a, b]",
                "b by {{ print .list }} of b",
                "] by {{ print .list }} of [a, b]",
            ],
        ),
        (
            "{{ range $k, $v := .map }}{{ $k }}={{ $v }}{{ end }}",
            &["k by {{ $k }} of k", "= <- =", "v by {{ $v }} of v"],
        ),
        // Included text keeps its own origin.
        (
            "{{ define `n` }}<{{ .name }}>{{ end }}{{ include `n` . }}",
            &["< <- <", "web by {{ .name }} of web", "> <- >"],
        ),
        (
            "{{ define `n` }}<{{ .name }}>{{ end }}{{ html (include `n` .) }}",
            &["&lt; <- <", "web by {{ .name }} of web", "&gt; <- >"],
        ),
        // Text of a value that is run as a template has the place of that value.
        (
            "{{ tpl .text . }}",
            &[
                "x- by {{ tpl .text . }} of 'x-{{ .name }}-y'",
                "web by 'x-{{ .name }}-y' of web",
                "-y by {{ tpl .text . }} of 'x-{{ .name }}-y'",
            ],
        ),
        ("{{ .missing }}", &["<no value> by {{ .missing }}"]),
    ] {
        assert_eq!(runs(template), expected, "{template}");
    }
}

#[test]
fn without_origins_nothing_is_recorded() {
    let rendered = set("a{{ .name }}{{ print .list }}", None)
        .execute("t.yaml", &json(VALUES, None), &Options::new(&World, &()))
        .unwrap();
    assert_eq!(rendered.text.as_bytes(), b"aweb[a b]");
    assert!(rendered.text.runs().is_empty() && rendered.origin_map().runs().is_empty());
}

#[test]
fn calls_name_the_action_of_the_running_template() {
    let template = "{{ define `a` }}<{{ .name }}>{{ end }}{{ define `b` }}{{ include `a` . }}{{ end }}\
                    x{{ include `b` . }}y{{ template `b` . }}{{ $v := include `a` . }}{{ $v }}{{ .name }}";
    let sources = SourceMap::new();
    let id = sources.add("t.yaml", SourceKind::File, template);
    let values = sources.add("values.yaml", SourceKind::File, VALUES);
    let mut options = Options::new(&World, &());
    options.origins = Origins::Kept;
    let rendered = set(template, Some(id)).execute("t.yaml", &json(VALUES, Some(values)), &options).unwrap();
    let text = String::from_utf8_lossy(rendered.text.as_bytes()).into_owned();
    let calls: Vec<(&str, String)> = rendered
        .calls
        .iter()
        .map(|call| {
            let action = sources.get(id).slice(call.action).to_owned();
            (&text[call.start as usize..call.end as usize], action)
        })
        .collect();
    let expected =
        [("<web>", "{{ include `b` . }}"), ("<web>", "{{ template `b` . }}"), ("<web>", "{{ $v }}")];
    assert_eq!(calls, expected.map(|(text, action)| (text, action.to_owned())));
}

#[test]
fn a_constant_that_is_passed_on_has_no_place() {
    for (template, expected) in [
        ("{{ or .missing `c` }}", "c by {{ or .missing `c` }}"),
        ("{{ print .name }}", "web by {{ print .name }} of web"),
    ] {
        assert_eq!(runs(template), [expected]);
    }
}

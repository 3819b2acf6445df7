//! Templates: any text is read or refused, and what can be read runs to an end.

use std::sync::Arc;

use trueline_gotemplate::{
    Data, Environment, Error, Function, Functions, Limits, MissingKey, Options, Origins, Rendered, Templates,
    TextError, Trace, Type, Uses, Value, Variadic,
};
use trueline_source::SourceId;
use trueline_yaml as yaml;

use crate::Target;

/// Reads a template and runs it.
pub(crate) const TARGET: Target = Target {
    name: "template_run",
    run,
    seeds: &[
        "a: {{ .Values.name | printf \"%-10s|\" }}\n{{- range $k, $v := .Values.map }}\n{{ $k }}: {{ $v }}{{ end }}",
        "{{ define \"x\" }}<{{ . }}>{{ end }}{{ template \"x\" 1.5 }}{{ include \"x\" .Values.list }}",
        "{{ with .Values.none }}{{ else with .Values.name }}{{ . }}{{ end }}{{ if and (eq 1 1) (lt 1.0 2.0) }}y{{ end }}",
        "{{ $x := 0x1F }}{{ $x = index .Values.list 1 }}{{ printf \"%v %+d %#v %[1]*.[2]*f\" $x 3 4.5 }}",
        "{{ tpl .Values.text . }}{{ tpl \"{{ range 3 }}{{ . }}{{ break }}{{ end }}\" $ }}",
        "{{ .Values.name.x }}{{ (.Values.none).x }}{{ slice .Values.name 1 2 | html | js | urlquery }}",
        "{{/* c */}}{{- 'a' -}} {{ 1i }} {{ len `raw` }} {{ not nil }} {{ or nil .Values.map.k }}",
    ],
};

const VALUES: &str = r#"{"Values": {"name": "w<b", "none": null, "list": [1, "b", [2.5]], "map": {"k": "v", "n": -7}, "text": "{{ .Values.name }}", "flag": true}}"#;

struct Still;

impl Environment for Still {
    fn now(&self) -> (i64, u32) {
        (0, 0)
    }

    fn random(&self, _: &mut [u8]) {}

    fn lookup_host(&self, _: &str) -> String {
        String::new()
    }
}

const FUNCTIONS: &[Function] = &[
    Function {
        name: "include",
        parameters: &[Type::String, Type::Any],
        variadic: Variadic::No,
        call: |context, arguments| match arguments {
            [Value { data: Data::String(name), .. }, dot] => {
                context.execute(&name.text(), dot).map(Value::from)
            }
            _ => Err(Error::new("no name")),
        },
        usage: "NAME DOT",
        doc: "",
        uses: Uses::All,
    },
    Function {
        name: "tpl",
        parameters: &[Type::String, Type::Any],
        variadic: Variadic::No,
        call: |context, arguments| match arguments {
            [Value { data: Data::String(text), .. }, dot] => {
                context.execute_text("tpl", text, dot).map(Value::from).map_err(|error| match error {
                    TextError::Parse(message) => Error::new(message),
                    TextError::Execute(error) => Error::wrap("tpl: ", error),
                })
            }
            _ => Err(Error::new("no text")),
        },
        usage: "TEXT DOT",
        doc: "",
        uses: Uses::All,
    },
];

fn run(input: &[u8]) {
    let source = SourceId::from_index(0);
    let mut functions = Functions::builtin();
    functions.extend(FUNCTIONS);
    let mut templates = Templates::new("set", Arc::new(functions));
    if let Err(errors) = templates.parse("t", &Arc::from(input), Some(source)) {
        for error in errors {
            assert!(error.to_string().starts_with("template: t:"), "{error}");
            let _ = error.to_diagnostic(source);
        }
        return;
    }
    let plain = execute(&templates, MissingKey::Zero, Origins::Dropped);
    let traced = execute(&templates, MissingKey::Zero, Origins::Kept);
    match (plain, traced) {
        (Ok(plain), Ok(traced)) => {
            assert_eq!(plain.text, traced.text, "traces change what is written");
            assert!(plain.text.runs().is_empty());
            check_runs(&traced, input.len());
        }
        (Err(plain), Err(traced)) => {
            assert_eq!(plain.to_string(), traced.to_string(), "traces change what is said");
            assert!(plain.to_string().starts_with("template: "), "{plain}");
            let finding = traced.to_diagnostic(source.span(0, 0));
            assert!(!finding.message.is_empty());
        }
        (plain, traced) => panic!("traces change what happens: {plain:?} and {traced:?}"),
    }
    for missing_key in [MissingKey::Invalid, MissingKey::Error] {
        let _ = execute(&templates, missing_key, Origins::Dropped);
    }
}

fn execute(templates: &Templates, missing_key: MissingKey, origins: Origins) -> Result<Rendered, Error> {
    let value = yaml::Value::from_json_text(VALUES).expect("our own text can be read");
    let mut options = Options::new(&Still, &());
    options.missing_key = missing_key;
    options.origins = origins;
    options.limits = Limits { steps: 20_000, output: 1 << 20, depth: 40 };
    templates.execute("t", &Value::from_plain(&value, origins), &options)
}

/// Runs are in order and lead into the template.
fn check_runs(rendered: &Rendered, length: usize) {
    let text = &rendered.text;
    assert!(text.runs().windows(2).all(|pair| pair[0].start < pair[1].start));
    for run in text.runs() {
        assert!((run.start as usize) < text.len());
        match run.trace {
            Trace::Verbatim(span) | Trace::Printed { action: span, .. } => {
                assert!(span.start <= span.end && span.end as usize <= length, "{span:?}");
            }
            Trace::Unknown | Trace::Value(_) => {}
        }
    }
}

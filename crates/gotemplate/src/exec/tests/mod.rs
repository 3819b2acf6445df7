//! Templates on one small value: Go's output, or Go's message.

mod cases;
mod traces;

use std::sync::Arc;

use trueline_source::SourceId;
use trueline_yaml as yaml;

use crate::{
    Data, Environment, Error, Function, Functions, Limits, MissingKey, Options, Origins, Templates,
    TextError, Type, UintKind, Uses, Value, Variadic, fmt,
};

/// A world without time and randomness.
pub(crate) struct World;

impl Environment for World {
    fn now(&self) -> (i64, u32) {
        (0, 0)
    }

    fn random(&self, _: &mut [u8]) {}

    fn lookup_host(&self, _: &str) -> String {
        String::new()
    }
}

/// A value from JSON. Its numbers are floating-point numbers, as those of Helm's values are.
pub(crate) fn json(text: &str, source: Option<SourceId>) -> Value {
    let id = source.unwrap_or(SourceId::from_index(0));
    let stream = yaml::read(id, &Arc::from(text), &yaml::ReadOptions::default());
    let document = stream.first().unwrap().unwrap();
    let origins = if source.is_some() { Origins::Kept } else { Origins::Dropped };
    floats(Value::from_plain(&yaml::Value::from_node(document.root()), origins))
}

fn floats(value: Value) -> Value {
    let data = match value.data {
        Data::Int(_, number) => Data::Float(number as f64),
        Data::List(list) => return Value::list(list.iter().cloned().map(floats).collect()).at(value.origin),
        Data::Map(map) => {
            for (key, mut entry) in map.entries() {
                entry.value = floats(entry.value);
                map.set_entry(key, entry);
            }
            Data::Map(map)
        }
        data => data,
    };
    Value { data, origin: value.origin }
}

const fn function(
    name: &'static str,
    parameters: &'static [Type],
    variadic: Variadic,
    call: crate::Call,
) -> Function {
    Function { name, parameters, variadic, call, usage: "", doc: "", uses: Uses::All }
}

/// Functions of every kind of signature.
const FUNCTIONS: &[Function] = &[
    function("include", &[Type::String, Type::Any], Variadic::No, |context, arguments| {
        let name = fmt::text(&arguments[0]);
        context.execute(&name.text(), &arguments[1]).map(Value::from)
    }),
    function("tpl", &[Type::String, Type::Any], Variadic::No, |context, arguments| {
        let text = traced(&arguments[0]);
        context.execute_text("gotpl", &text, &arguments[1]).map(Value::from).map_err(|error| match error {
            TextError::Parse(message) => Error::wrap("cannot parse: ", Error::new(message)),
            TextError::Execute(error) => Error::wrap("tpl: ", error),
        })
    }),
    function("upper", &[Type::String], Variadic::No, |_, arguments| {
        Ok(Value::from(fmt::text(&arguments[0]).text().to_uppercase()))
    }),
    function("fail", &[Type::String], Variadic::No, |_, arguments| {
        Err(Error::new(fmt::text(&arguments[0]).text().into_owned()))
    }),
    function("id", &[Type::Any], Variadic::No, |_, arguments| Ok(arguments[0].clone())),
    function("none", &[], Variadic::No, |_, _| Ok(Value::nil())),
    function("takeint", &[Type::INT], Variadic::No, |_, arguments| Ok(arguments[0].clone())),
    function("takeint64", &[Type::INT64], Variadic::No, |_, arguments| Ok(arguments[0].clone())),
    function("takeuint8", &[Type::Uint(UintKind::Uint8)], Variadic::No, |_, arguments| {
        Ok(arguments[0].clone())
    }),
    function("takefloat", &[Type::Float64], Variadic::No, |_, arguments| Ok(arguments[0].clone())),
    function("takebool", &[Type::Bool], Variadic::No, |_, arguments| Ok(arguments[0].clone())),
    function("takemap", &[Type::MAP], Variadic::No, |_, arguments| {
        Ok(Value::int(arguments[0].as_map().map_or(0, |map| map.len() as i64)))
    }),
    function("takelist", &[Type::LIST], Variadic::No, |_, arguments| {
        Ok(Value::int(arguments[0].as_list().map_or(0, |list| list.len() as i64)))
    }),
    function("join", &[Type::String, Type::String], Variadic::Yes, |_, arguments| {
        let texts: Vec<String> = arguments.iter().map(|value| fmt::text(value).text().into_owned()).collect();
        Ok(Value::from(texts[1..].join(&texts[0])))
    }),
    function("int64", &[Type::Any], Variadic::No, |_, arguments| {
        Ok(Value::int64(match arguments[0].data {
            Data::Float(number) => number as i64,
            Data::Int(_, number) => number,
            _ => 0,
        }))
    }),
    function("uint64", &[Type::Any], Variadic::No, |_, arguments| {
        Ok(match arguments[0].data {
            Data::Float(number) => Value::new(Data::Uint(UintKind::Uint64, number as u64)),
            Data::Int(_, number) => Value::new(Data::Uint(UintKind::Uint64, number as u64)),
            _ => Value::int64(0),
        })
    }),
    function("bytes", &[Type::String], Variadic::No, |_, arguments| {
        Ok(Value::new(Data::Bytes(Arc::clone(fmt::text(&arguments[0]).shared()))))
    }),
    function("list", &[Type::Any], Variadic::Yes, |_, arguments| Ok(Value::list(arguments.to_vec()))),
    function("strs", &[Type::String], Variadic::Yes, |_, arguments| {
        Ok(Value::strings(arguments.iter().map(fmt::text)))
    }),
];

/// A string whose origin is where it was typed, unless it has its own origins.
fn traced(value: &Value) -> crate::Str {
    let text = fmt::text(value);
    match value.origin {
        Some(origin) if text.runs().is_empty() => {
            let mut builder = crate::StrBuilder::default();
            builder.push(text.as_bytes(), crate::Trace::Value(origin));
            builder.finish()
        }
        _ => text,
    }
}

fn set(template: &str, source: Option<SourceId>) -> Templates {
    let mut functions = Functions::builtin();
    functions.extend(FUNCTIONS);
    let mut set = Templates::new("gotpl", Arc::new(functions));
    set.parse("t.yaml", &Arc::from(template.as_bytes()), source).unwrap();
    set
}

fn run(template: &str, missing_key: MissingKey) -> String {
    let mut options = Options::new(&World, &());
    options.missing_key = missing_key;
    let data = json(cases::DATA, None);
    match set(template, None).execute("t.yaml", &data, &options) {
        Ok(rendered) => format!("OK {}", rendered.text.text()),
        Err(error) => format!("ERR {error}"),
    }
}

#[test]
fn templates_write_what_go_writes() {
    for (template, zero, default, error) in cases::CASES {
        for (missing_key, expected) in
            [(MissingKey::Zero, zero), (MissingKey::Invalid, default), (MissingKey::Error, error)]
        {
            // Only results that differ are listed again.
            let expected = if expected.is_empty() { zero } else { expected };
            assert_eq!(run(template, missing_key), *expected, "{template} with {missing_key:?}");
        }
    }
}

#[test]
fn definitions_are_replaced_by_later_ones_unless_these_are_empty() {
    let mut templates = set(r#"{{ define "a" }}1{{ end }}{{ define "b" }}1{{ end }}"#, None);
    let second = r#"{{ define "a" }}2{{ end }}{{ define "b" }} {{/* nothing */}} {{ end }}{{ template "a" }}{{ template "b" }}"#;
    templates.parse("u.yaml", &Arc::from(second.as_bytes()), None).unwrap();
    let rendered = templates.execute("u.yaml", &Value::nil(), &Options::new(&World, &())).unwrap();
    assert_eq!(rendered.text.as_bytes(), b"21");
    assert_eq!(
        templates.names().iter().map(|name| name.text().into_owned()).collect::<Vec<_>>(),
        ["a", "b", "t.yaml", "u.yaml"]
    );
}

#[test]
fn other_delimiters_are_read() {
    let mut templates = set("", None);
    templates.delimiters("<<", ">>");
    templates.parse("d", &Arc::from(&b"{{ << 1 >> }}"[..]), None).unwrap();
    let rendered = templates.execute("d", &Value::nil(), &Options::new(&World, &())).unwrap();
    assert_eq!(rendered.text.as_bytes(), b"{{ 1 }}");
}

#[test]
fn runs_stop_at_their_limits() {
    let limited = |template: &str, limits: Limits| {
        let mut options = Options::new(&World, &());
        options.limits = limits;
        set(template, None).execute("t.yaml", &Value::nil(), &options).unwrap_err()
    };
    let error = limited("{{ range 1000000000000 }}{{ end }}", Limits { steps: 1_000, ..Limits::default() });
    assert!(error.is_limit());
    assert_eq!(
        error.to_string(),
        "template: t.yaml:1:9: executing \"t.yaml\" at <1000000000000>: the templates take more steps than a chart is allowed"
    );
    let error = limited("{{ range 1000 }}0123456789{{ end }}", Limits { output: 100, ..Limits::default() });
    assert!(error.is_limit());
    let error = limited(
        "{{ define `r` }}{{ include `r` . }}{{ end }}{{ include `r` . }}",
        Limits { depth: 50, ..Limits::default() },
    );
    assert_eq!(error.root().words, "exceeded maximum template depth (50)");
    assert_eq!(error.chain().count(), 52);
    // A string that is passed to a function repeatedly is charged repeatedly.
    let long =
        format!("{{{{ $x := `{}` }}}}{{{{ range 1000 }}}}{{{{ not $x }}}}{{{{ end }}}}", "x".repeat(100_000));
    let error = limited(&long, Limits { steps: 100_000, ..Limits::default() });
    assert!(error.is_limit(), "{error}");
}

/// The default depth is safe on the documented stack size, even in a build without optimisation.
#[test]
fn the_deepest_nesting_fits_the_stack() {
    for template in [
        "{{ define `r` }}{{ include `r` . }}{{ end }}{{ include `r` . }}",
        "{{ define `r` }}{{ template `r` . }}{{ end }}{{ include `r` . }}",
        "{{ define `r` }}{{ if true }}{{ with 1 }}{{ range (list 1) }}{{ (include `r` (id $)) | upper }}{{ end }}{{ end }}{{ end }}{{ end }}{{ include `r` . }}",
        "{{ define `r` }}{{ tpl `{{ include \"r\" . }}` . }}{{ end }}{{ include `r` . }}",
    ] {
        let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(move || {
            let options = Options::new(&World, &());
            let error = set(template, None).execute("t.yaml", &Value::nil(), &options).unwrap_err();
            assert_eq!(error.root().words, "exceeded maximum template depth (20000)");
        });
        thread.unwrap().join().unwrap();
    }
}

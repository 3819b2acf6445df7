//! Schemas of strings, numbers and booleans.

use trueline_regexp::Regexp;
use trueline_starlark::{Limits, Thread};
use trueline_yaml::{NodeRef, ScalarValue};

use super::write::{Node, starlark_string, string};
use crate::tree::Value;
use crate::validation::{Format, JsonSchema, is_common_pattern};

/// The kinds of scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    String,
    Integer,
    Number,
    Boolean,
}

impl Scalar {
    pub(super) fn of(name: &str) -> Option<Scalar> {
        Some(match name {
            "string" => Scalar::String,
            "integer" => Scalar::Integer,
            "number" => Scalar::Number,
            "boolean" => Scalar::Boolean,
            _ => return None,
        })
    }

    fn takes(self, value: ScalarValue) -> bool {
        match self {
            Scalar::String => value == ScalarValue::String,
            Scalar::Integer => match value {
                ScalarValue::Int(_) | ScalarValue::UInt(_) => true,
                ScalarValue::Float(float) => float.fract() == 0.0,
                _ => false,
            },
            Scalar::Number => {
                matches!(value, ScalarValue::Int(_) | ScalarValue::UInt(_) | ScalarValue::Float(_))
            }
            Scalar::Boolean => matches!(value, ScalarValue::Bool(_)),
        }
    }
}

/// Which default is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    /// One that meets the rules.
    Valid,
    /// Whatever says the type.
    Anything,
}

pub(super) struct Converted {
    pub(super) node: Node,
    /// Keywords that are lost.
    pub(super) unexpressed: Vec<&'static str>,
}

/// A value that rules can be asked about.
#[derive(Debug, Clone, PartialEq)]
enum Candidate {
    Text(String),
    Number(f64),
    Integer(i128),
    Bool(bool),
}

impl Candidate {
    fn of(kind: Scalar, node: NodeRef<'_>) -> Option<Candidate> {
        let value = node.scalar().filter(|value| kind.takes(*value))?;
        Some(match (kind, value) {
            (Scalar::String, _) => Candidate::Text(node.as_str()?.to_owned()),
            (Scalar::Boolean, ScalarValue::Bool(value)) => Candidate::Bool(value),
            (Scalar::Integer, ScalarValue::Float(float)) if float.abs() < 9e15 => {
                Candidate::Integer(float as i128)
            }
            (Scalar::Integer, value) => Candidate::Integer(integer(value)?),
            (_, value) => Candidate::Number(number(value)?),
        })
    }

    fn value(&self) -> Value {
        match self {
            Candidate::Text(text) => Value::string(text.as_str()),
            Candidate::Number(number) => Value::Float(*number),
            Candidate::Integer(number) => {
                i64::try_from(*number).map_or(Value::Float(*number as f64), Value::Int)
            }
            Candidate::Bool(value) => Value::Bool(*value),
        }
    }

    fn yaml(&self) -> String {
        match self {
            Candidate::Text(text) => string(text),
            Candidate::Number(number) => format!("{number:?}"),
            Candidate::Integer(number) => number.to_string(),
            Candidate::Bool(value) => value.to_string(),
        }
    }
}

fn integer(value: ScalarValue) -> Option<i128> {
    match value {
        ScalarValue::Int(value) => Some(value.into()),
        ScalarValue::UInt(value) => Some(value.into()),
        _ => None,
    }
}

fn number(value: ScalarValue) -> Option<f64> {
    match value {
        ScalarValue::Int(value) => Some(value as f64),
        ScalarValue::UInt(value) => Some(value as f64),
        ScalarValue::Float(value) => Some(value),
        _ => None,
    }
}

type Test = Box<dyn Fn(&Candidate) -> bool>;

/// The rules of a schema, as text and as tests.
#[derive(Default)]
struct Rules {
    texts: Vec<String>,
    tests: Vec<Test>,
    candidates: Vec<Candidate>,
    unexpressed: Vec<&'static str>,
}

impl Rules {
    fn add(&mut self, text: String, test: impl Fn(&Candidate) -> bool + 'static) {
        self.texts.push(text);
        self.tests.push(Box::new(test));
    }
}

/// A scalar of one kind.
pub(super) fn convert(
    kind: Scalar,
    schema: NodeRef<'_>,
    want: Want,
    besides: Option<&JsonSchema>,
) -> Converted {
    let mut rules = Rules::default();
    if let Some(default) = schema.get("default").and_then(|default| Candidate::of(kind, default)) {
        rules.candidates.push(default);
    }
    match kind {
        Scalar::String => string_rules(schema, &mut rules),
        Scalar::Integer | Scalar::Number => number_rules(kind, schema, &mut rules),
        Scalar::Boolean => {}
    }
    if let Some(values) = allowed_nodes(schema) {
        let fitting: Vec<NodeRef<'_>> =
            values.into_iter().filter(|value| Candidate::of(kind, *value).is_some()).collect();
        let listed: Vec<String> = fitting.iter().filter_map(|value| literal(*value)).collect();
        let candidates: Vec<Candidate> =
            fitting.iter().filter_map(|value| Candidate::of(kind, *value)).collect();
        rules.candidates.extend(candidates.iter().cloned());
        rules.add(format!("one_of=[{}]", listed.join(", ")), move |value| candidates.contains(value));
    }
    let usual = match kind {
        Scalar::String => vec![Candidate::Text(String::new()), Candidate::Text("a".to_owned())],
        Scalar::Integer => vec![Candidate::Integer(0), Candidate::Integer(1)],
        Scalar::Number => vec![Candidate::Number(0.0), Candidate::Number(1.0)],
        Scalar::Boolean => vec![Candidate::Bool(false), Candidate::Bool(true)],
    };
    if let Some(besides) = besides {
        let (besides, thread) = (besides.clone(), Thread::new(Limits::default()));
        rules.tests.push(Box::new(move |value| {
            besides.broken(&value.value(), &thread).is_ok_and(|broken| broken.is_none())
        }));
    }
    let written = rules.candidates.first().filter(|_| schema.get("default").is_some()).cloned();
    let plain = usual.first().cloned();
    rules.candidates.extend(usual);
    let is_valid = |value: &&Candidate| rules.tests.iter().all(|test| test(value));
    let valid = rules.candidates.iter().find(is_valid).cloned();
    let (chosen, is_valid) = match (want, written, valid, plain) {
        (Want::Anything, Some(written), ..) => {
            let is_valid = is_valid(&&written);
            (Some(written), is_valid)
        }
        (Want::Anything, None, _, Some(plain)) => {
            let is_valid = is_valid(&&plain);
            (Some(plain), is_valid)
        }
        (_, _, Some(valid), _) => (Some(valid), true),
        (_, _, None, plain) => (plain, false),
    };
    let mut node = Node::inline(chosen.map(|chosen| chosen.yaml()).unwrap_or_default());
    node.rules = rules.texts;
    node.is_valid = is_valid;
    Converted { node, unexpressed: rules.unexpressed }
}

fn string_rules(schema: NodeRef<'_>, rules: &mut Rules) {
    let length = |keyword: &str| match schema.get(keyword).and_then(NodeRef::scalar) {
        Some(value) => integer(value).or_else(|| number(value).map(|float| float as i128)),
        None => None,
    };
    let bytes = |value: &Candidate| match value {
        Candidate::Text(text) => text.len() as i128,
        _ => 0,
    };
    if let Some(least) = length("minLength").filter(|least| *least > 0) {
        rules.add(format!("min_len={least}"), move |value| bytes(value) >= least);
        if let Ok(least) = usize::try_from(least)
            && least < 1000
        {
            rules.candidates.push(Candidate::Text("a".repeat(least)));
        }
    }
    if let Some(most) = length("maxLength") {
        rules.add(format!("max_len={most}"), move |value| bytes(value) <= most);
    }
    if let Some(pattern) = schema.get("pattern").and_then(NodeRef::as_str) {
        match Regexp::new(pattern.as_bytes()) {
            Ok(compiled) if is_common_pattern(pattern) => {
                rules.add(
                    format!("matches={}", starlark_string(pattern)),
                    move |value| matches!(value, Candidate::Text(text) if compiled.is_match(text.as_bytes())),
                );
                let usual = ["0", "1", "1Gi", "100m", "a-b", "/", "A", "v1", "1.0.0", "a.b", "http://a"];
                rules.candidates.extend(usual.map(|text| Candidate::Text(text.to_owned())));
            }
            _ => rules.unexpressed.push("pattern"),
        }
    }
    let format = schema.get("format").and_then(NodeRef::as_str);
    if let Some(format) = format.and_then(Format::of) {
        rules.add(
            format!("format={}", starlark_string(format.name())),
            move |value| matches!(value, Candidate::Text(text) if format.has(text)),
        );
        rules.candidates.push(Candidate::Text(format.example().to_owned()));
    }
}

fn number_rules(kind: Scalar, schema: NodeRef<'_>, rules: &mut Rules) {
    let value_of = |value: &Candidate| match value {
        Candidate::Number(number) => *number,
        Candidate::Integer(number) => *number as f64,
        _ => f64::NAN,
    };
    let near = |bound: f64| match kind {
        Scalar::Integer => {
            vec![Candidate::Integer(bound.ceil() as i128), Candidate::Integer(bound.floor() as i128)]
        }
        _ => vec![Candidate::Number(bound)],
    };
    for (keyword, exclusive, rule) in
        [("minimum", "exclusiveMinimum", "min"), ("maximum", "exclusiveMaximum", "max")]
    {
        let is_min = rule == "min";
        let bound = schema.get(keyword);
        if let Some(bound) = bound
            && let (Some(text), Some(limit)) = (literal(bound), bound.scalar().and_then(number))
        {
            rules.add(format!("{rule}={text}"), move |value| match is_min {
                true => value_of(value) >= limit,
                false => value_of(value) <= limit,
            });
            rules.candidates.extend(near(limit));
        }
        let Some(exclusive_bound) = schema.get(exclusive) else { continue };
        // Earlier drafts have a boolean that is about the other keyword.
        let limit = match exclusive_bound.scalar() {
            Some(ScalarValue::Bool(true)) => bound.and_then(NodeRef::scalar).and_then(number),
            Some(ScalarValue::Bool(false)) => continue,
            value => value.and_then(number),
        };
        match limit {
            Some(limit) if kind == Scalar::Integer && limit.abs() < 9e15 => {
                let limit = if is_min { limit.floor() + 1.0 } else { limit.ceil() - 1.0 };
                rules.texts.retain(|text| !text.starts_with(&format!("{rule}=")));
                rules.add(format!("{rule}={limit:.0}"), move |value| match is_min {
                    true => value_of(value) >= limit,
                    false => value_of(value) <= limit,
                });
                rules.candidates.extend(near(limit));
            }
            _ => rules.unexpressed.push(if is_min { "exclusiveMinimum" } else { "exclusiveMaximum" }),
        }
    }
    if let Some(factor) = schema.get("multipleOf") {
        match factor.scalar().and_then(number) {
            Some(factor) if factor > 0.0 && factor.fract() == 0.0 && factor < 9e15 => {
                rules.add(format!("multiple_of={factor:.0}"), move |value| value_of(value) % factor == 0.0);
                rules.candidates.extend(near(factor));
            }
            _ => rules.unexpressed.push("multipleOf"),
        }
    }
}

/// The values that `enum` or `const` allow.
fn allowed_nodes(schema: NodeRef<'_>) -> Option<Vec<NodeRef<'_>>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Some(vec![value]),
        (None, Some(values)) => Some(values.items()?.collect()),
        (None, None) => None,
    }
}

/// The same as Starlark; none if one of them is not a scalar.
pub(super) fn allowed(schema: NodeRef<'_>) -> Option<Vec<String>> {
    if schema.get("type").is_some() {
        return None;
    }
    let values: Option<Vec<String>> = allowed_nodes(schema)?.into_iter().map(literal).collect();
    values.filter(|values| values.iter().any(|value| value != "None"))
}

/// The first value that is not null, as YAML.
pub(super) fn first_allowed(schema: NodeRef<'_>) -> Option<String> {
    allowed_nodes(schema)?.into_iter().find(|value| !value.is_null()).and_then(yaml)
}

/// The type that all allowed values have besides null, if a schema names none.
pub(super) fn type_of_allowed(schema: NodeRef<'_>) -> Option<&'static str> {
    let values = allowed_nodes(schema)?;
    let mut values = values.into_iter().filter(|value| !value.is_null());
    let name = |value: NodeRef<'_>| {
        Some(match value.scalar()? {
            ScalarValue::String => "string",
            ScalarValue::Bool(_) => "boolean",
            ScalarValue::Int(_) | ScalarValue::UInt(_) => "integer",
            ScalarValue::Float(_) => "number",
            ScalarValue::Null => return None,
        })
    };
    let first = name(values.next()?)?;
    values.all(|value| name(value) == Some(first)).then_some(first)
}

/// A scalar as Starlark.
pub(super) fn literal(value: NodeRef<'_>) -> Option<String> {
    Some(match value.scalar()? {
        ScalarValue::Null => "None".to_owned(),
        ScalarValue::Bool(true) => "True".to_owned(),
        ScalarValue::Bool(false) => "False".to_owned(),
        ScalarValue::Int(value) => value.to_string(),
        ScalarValue::UInt(value) => value.to_string(),
        ScalarValue::Float(value) if value.is_finite() => format!("{value:?}"),
        ScalarValue::Float(_) => return None,
        ScalarValue::String => starlark_string(value.as_str()?),
    })
}

/// A scalar as YAML.
pub(super) fn yaml(value: NodeRef<'_>) -> Option<String> {
    Some(match value.scalar()? {
        ScalarValue::Null => "null".to_owned(),
        ScalarValue::Bool(value) => value.to_string(),
        ScalarValue::Int(value) => value.to_string(),
        ScalarValue::UInt(value) => value.to_string(),
        ScalarValue::Float(value) if value.is_finite() => format!("{value:?}"),
        ScalarValue::Float(_) => return None,
        ScalarValue::String => string(value.as_str()?),
    })
}

//! Single expressions, asked of an object: what they give, which type that has and what it costs.

mod written;

use std::ops::Range;
use std::sync::Arc;

use trueline_cel::check::Checked;
use trueline_cel::cost;
use trueline_cel::env::Env;
use trueline_cel::function::{Size, Sizes};
use trueline_cel::program::{End, Program};
use trueline_cel::syntax::{Issue, IssueKind, MOST_ISSUES};
use trueline_cel::types::Type;
use trueline_cel::value::{Value as CelValue, read};
use trueline_kube_cel::budget::{PER_CALL, PER_EXPRESSION};
use trueline_kube_cel::plain::{plain, plain_fault, without_consequences};
use trueline_kube_facts::KubeVersion;
use trueline_kube_facts::decode::DecodeError;
use trueline_yaml::Value;

use crate::cel::declared::{Declared, ROOT_NAME};
use crate::cel::engine::{Engine, OldSelf};
use crate::{object::Resource, structural::Root, value::with_server_numbers};
use written::{in_cel, in_json, type_text, value_type_text};

pub use written::LONGEST as LONGEST_RESULT;

/// What one evaluation may cost.
pub const CALL_LIMIT: u64 = PER_CALL;

/// What a rule of a CRD may cost by its estimate.
pub const ESTIMATE_LIMIT: u64 = PER_EXPRESSION;

/// What expressions are asked of: `self`, `oldSelf` and the functions of a version of Kubernetes.
#[derive(Debug)]
pub struct Query {
    env: Env,
    engine: Engine,
    /// What the schema says of `self`; nothing where it may be anything.
    declared: Option<Arc<Declared>>,
    values: Vec<Option<CelValue>>,
}

impl Query {
    /// Asks without a schema: `self` and `oldSelf` may be anything, and are not defined where there is none.
    pub fn untyped(object: Option<&Value>, old: Option<&Value>, server: KubeVersion) -> Self {
        let numbers = |value: Option<&Value>| value.map(with_server_numbers);
        Self::new(None, numbers(object), numbers(old), server)
    }

    /// Asks of a custom resource: `self` and `oldSelf` have the types of the schema, and are pruned and defaulted as they are
    /// when the server evaluates rules.
    ///
    /// # Errors
    ///
    /// A cluster could not read one of the objects.
    pub fn of_resource(
        resource: &Resource,
        object: &Value,
        old: Option<&Value>,
        server: KubeVersion,
    ) -> Result<Self, DecodeError> {
        let decoded = resource.decode(object, "")?;
        let old = old.map(|old| resource.decode(old, "")).transpose()?;
        let schema = decoded.version.schema.as_ref();
        let declared = schema.and_then(|schema| Declared::of(schema, Root::Resource, ROOT_NAME));
        let old = old.map(|old| resource.stored(&old));
        Ok(Self::new(declared, Some(resource.stored(&decoded)), old, server))
    }

    fn new(
        declared: Option<Arc<Declared>>,
        object: Option<Value>,
        old: Option<Value>,
        server: KubeVersion,
    ) -> Self {
        let engine = Engine::for_new(server);
        let mut env = engine.env();
        let mut values = Vec::new();
        for (name, value) in [("self", object), ("oldSelf", old)] {
            let Some(value) = value else { continue };
            let (variable_type, value) = match &declared {
                Some(declared) => (declared.shape.declared(), read(&value, &declared.shape)),
                None => (Type::Dyn, read(&value, &trueline_cel::shape::Shape::Dyn)),
            };
            let number = env.add_variable(name, variable_type);
            values.resize(number + 1, None);
            if let Some(place) = values.get_mut(number) {
                *place = Some(value);
            }
        }
        Query { env, engine, declared, values }
    }

    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, in the order of the places; at least one issue.
    pub fn compile(&self, expression: &str) -> Result<Compiled<'_>, Vec<QueryIssue>> {
        let checked = self.env.compile(expression).map_err(|issues| {
            let issues = without_consequences(issues).take(MOST_ISSUES);
            issues.map(|issue| self.issue(issue)).collect::<Vec<_>>()
        })?;
        let program = Program::new(&self.env, &checked).map_err(|fault| {
            let place = fault.node.and_then(|node| checked.ast.places.get(node as usize)).map(bytes);
            vec![QueryIssue {
                message: plain_fault(&fault.kind),
                original: fault.to_string(),
                help: None,
                place,
            }]
        })?;
        Ok(Compiled { query: self, estimate: self.estimate(&checked), checked, program })
    }

    /// Compiles and evaluates an expression.
    ///
    /// # Errors
    ///
    /// It does not compile, or has no value.
    pub fn ask(&self, expression: &str) -> Result<Answer, Unanswered> {
        self.compile(expression).map_err(Unanswered::NotCompiled)?.evaluate().map_err(Unanswered::Failed)
    }

    fn estimate(&self, checked: &Checked) -> Estimate {
        let size = match &self.declared {
            Some(declared) => {
                cost::estimate(checked, &self.engine.scope(declared, ROOT_NAME, OldSelf::Value))
            }
            None => cost::estimate(checked, &Unknown),
        };
        Estimate { least: size.min, most: (size.max < u64::MAX).then_some(size.max) }
    }

    fn issue(&self, issue: Issue) -> QueryIssue {
        let place = (issue.line >= 0).then(|| bytes(&issue.place));
        let (message, original) = (plain(&issue.kind), issue.kind.to_string());
        QueryIssue { message, original, help: self.help(&issue.kind), place }
    }

    fn help(&self, kind: &IssueKind) -> Option<String> {
        let undeclared = match kind {
            IssueKind::Undeclared { name, .. } => Some(&**name),
            _ => None,
        };
        match undeclared {
            Some("self") => return Some("name the file with the object: `--object FILE`".to_owned()),
            Some("oldSelf") => return Some("name the file with the old object: `--old FILE`".to_owned()),
            _ => {}
        }
        if let Some(declared) = &self.declared {
            return self.engine.scope(declared, ROOT_NAME, OldSelf::Value).help(kind);
        }
        let name = undeclared?;
        let CelValue::Map(map) = self.values.first()?.as_ref()? else { return None };
        map.get(&CelValue::from(name)).map(|_| format!("write `self.{name}`"))
    }
}

/// Nothing is known of how large values are.
struct Unknown;

impl Sizes for Unknown {
    fn size(&self, _: &[Arc<str>], _: &Type) -> Option<Size> {
        None
    }
}

/// An expression that compiles.
#[derive(Debug)]
pub struct Compiled<'q> {
    query: &'q Query,
    checked: Checked,
    program: Program,
    estimate: Estimate,
}

impl Compiled<'_> {
    /// The type that it has before it is evaluated.
    pub fn type_text(&self) -> String {
        type_text(&self.checked.result())
    }

    /// What evaluating it may cost.
    pub fn estimate(&self) -> Estimate {
        self.estimate
    }

    /// Evaluates it.
    ///
    /// # Errors
    ///
    /// It has no value, costs more than [`CALL_LIMIT`], or its value is longer than [`LONGEST_RESULT`].
    pub fn evaluate(&self) -> Result<Answer, Failed> {
        let outcome = self.program.run(&self.query.values, PER_CALL);
        let failed = |why: Why, message: String, original: String, place: Option<Range<usize>>| Failed {
            why,
            message,
            original,
            place,
            type_text: self.type_text(),
            cost: outcome.cost,
            estimate: self.estimate,
        };
        let value = match (&outcome.result, outcome.end) {
            (Ok(value), _) => value,
            (Err(fault), End::LimitExceeded) => {
                return Err(failed(Why::TooExpensive, plain_fault(&fault.kind), fault.to_string(), None));
            }
            (Err(fault), End::Done) => {
                let place = self.program.place(fault).as_ref().map(bytes);
                return Err(failed(Why::Fault, plain_fault(&fault.kind), fault.to_string(), place));
            }
        };
        let too_long = || {
            let words = "the result is too long to be printed".to_owned();
            failed(Why::TooLong, words.clone(), words, None)
        };
        Ok(Answer {
            text: in_cel(value).ok_or_else(too_long)?,
            json: in_json(value).ok_or_else(too_long)?,
            type_text: self.type_text(),
            value_type: (self.checked.result() == Type::Dyn).then(|| value_type_text(value)),
            cost: outcome.cost,
            estimate: self.estimate,
        })
    }
}

/// What an expression gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The value as an expression that gives it.
    pub text: String,
    /// The value as JSON. What JSON has no form for is a string.
    pub json: String,
    /// The type of the expression.
    pub type_text: String,
    /// The type of the value, where that of the expression is `dyn`.
    pub value_type: Option<String>,
    /// What evaluating it cost.
    pub cost: u64,
    /// What it may have cost, as far as that can be said before it is evaluated.
    pub estimate: Estimate,
}

/// What evaluating an expression may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// At least.
    pub least: u64,
    /// At most; nothing if there is no bound.
    pub most: Option<u64>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// The expression does not compile.
    NotCompiled(Vec<QueryIssue>),
    /// It has no value.
    Failed(Failed),
}

/// Something that is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryIssue {
    /// What is wrong, in plain words.
    pub message: String,
    /// What is wrong, in the words of CEL.
    pub original: String,
    /// What would be right, if that is known.
    pub help: Option<String>,
    /// The bytes of the expression that it is about; nothing if it is about all of it.
    pub place: Option<Range<usize>>,
}

/// An expression that has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// What kind of failure it is.
    pub why: Why,
    /// What failed, in plain words.
    pub message: String,
    /// What failed, in the words of CEL.
    pub original: String,
    /// The bytes of the expression that failed, if that is known.
    pub place: Option<Range<usize>>,
    /// The type of the expression.
    pub type_text: String,
    /// What evaluating it cost.
    pub cost: u64,
    /// What it may have cost.
    pub estimate: Estimate,
}

/// Why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Something in it failed.
    Fault,
    /// It cost more than it may.
    TooExpensive,
    /// It has a value that is too long to be written.
    TooLong,
}

fn bytes(place: &Range<u32>) -> Range<usize> {
    place.start as usize..place.end.max(place.start) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(expression: &str) -> Result<Answer, Unanswered> {
        let object = Value::from_json_text(r#"{"a": 1, "b": {"c": ["x", 1.0, 2.5, null]}}"#).unwrap();
        Query::untyped(Some(&object), None, KubeVersion::CRD_RULES).ask(expression)
    }

    #[test]
    fn values_are_written_as_expressions_that_give_them() {
        let rows = [
            ("self", r#"{"a": 1, "b": {"c": ["x", 1, 2.5, null]}}"#),
            ("1u", "1u"),
            ("-1.0", "-1.0"),
            ("1e300", "1e300"),
            ("double('NaN')", "double(\"NaN\")"),
            ("'a\\n\"'", r#""a\n\"""#),
            ("b'a\\xff'", r#"b"a\xff""#),
            ("duration('90m')", r#"duration("1h30m0s")"#),
            ("timestamp('2020-01-02T03:04:05.5Z')", r#"timestamp("2020-01-02T03:04:05.5Z")"#),
            ("quantity('1Gi')", r#"quantity("1Gi")"#),
            ("ip('::1')", r#"ip("::1")"#),
            ("cidr('10.0.0.0/8')", r#"cidr("10.0.0.0/8")"#),
            ("url('https://example.com/a')", r#"url("https://example.com/a")"#),
            ("semver('1.2.3')", r#"semver("1.2.3")"#),
            ("optional.of(1)", "optional.of(1)"),
            ("optional.none()", "optional.none()"),
            ("{true: [1, 2]}", "{true: [1, 2]}"),
            ("type(1)", "int"),
        ];
        for (expression, expected) in rows {
            let first = ask(expression).unwrap();
            assert_eq!(first.text, expected, "{expression}");
            // Literals have to be of one type; objects need not.
            if expression != "self" {
                assert_eq!(
                    ask(&first.text).map(|second| second.text),
                    Ok(first.text.clone()),
                    "{expression}"
                );
            }
        }
    }

    #[test]
    fn json_has_strings_for_what_it_lacks() {
        let rows = [
            ("{1u: b'a', 2u: b''}", r#"{"1":"YQ==","2":""}"#),
            (
                "[dyn(duration('1s')), dyn(double('-Infinity')), dyn(1.0), dyn(1)]",
                r#"["1s","-Infinity",1.0,1]"#,
            ),
            ("[optional.none(), optional.of(1)]", "[null,1]"),
            ("quantity('1Gi')", r#""1Gi""#),
            ("int", r#""int""#),
        ];
        for (expression, expected) in rows {
            assert_eq!(ask(expression).map(|answer| answer.json), Ok(expected.to_owned()), "{expression}");
        }
    }

    #[test]
    fn a_list_that_doubles_is_not_written() {
        let expression = format!("[[1]]{}[0]", ".map(a, a + a)".repeat(60));
        let Err(Unanswered::Failed(failed)) = ask(&expression) else { panic!("it has no answer") };
        assert_eq!(failed.why, Why::TooLong, "{failed:?}");
    }
}

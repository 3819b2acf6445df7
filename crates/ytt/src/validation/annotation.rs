//! `@schema/validation` and `@assert/validate`: the same arguments, checked.

use trueline_starlark::{BigInt, Thread, Value, View};

use super::check::Check;
use super::message::Message;
use super::named;
use crate::error::{Error, ErrorKind, Fact, RuleFault};
use crate::tree::{Annotation, Position};
use crate::value::Struct;

/// The rules that an annotation sets for a value.
#[derive(Debug, Clone)]
pub struct Validation {
    /// In the order in which they run.
    pub(super) rules: Vec<Rule>,
    pub(super) when: Option<Value>,
    /// Whether null is checked against the rules at all.
    pub(super) null: NullValues,
    /// Where the annotation is.
    pub position: Position,
}

/// What becomes of null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NullValues {
    Pass,
    Checked,
}

/// One rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// What it wants, in the words of its author; rules with names have words of their own.
    pub(super) description: Option<String>,
    pub(super) test: Test,
    /// What it checks of an array in place of `test`: there a tuple that looks like a description with a bound is a bound.
    pub(super) for_arrays: Option<Check>,
}

/// How a value is tested.
#[derive(Debug, Clone)]
pub(super) enum Test {
    /// A function that somebody wrote, or the `check` of an assertion.
    Function {
        function: Value,
        /// What the function is called where its failure is described.
        name: String,
        /// What the assertion checks, if it is one of `@ytt:assert`.
        check: Option<Check>,
        /// What is said in place of the usual words.
        message: Option<Message>,
    },
    /// A rule that has a name.
    Named(Check),
}

impl Rule {
    /// What it checks, unless that is only known to a function.
    pub fn check(&self) -> Option<&Check> {
        match &self.test {
            Test::Named(check) => Some(check),
            Test::Function { check, .. } => check.as_ref(),
        }
    }

    /// The same for an array, or for anything else.
    pub(crate) fn check_of(&self, is_array: bool) -> Option<&Check> {
        self.for_arrays.as_ref().filter(|_| is_array).or_else(|| self.check())
    }

    /// What a value must be.
    ///
    /// # Errors
    /// If an argument cannot be printed.
    pub fn description(&self, thread: &mut Thread) -> Result<String, Error> {
        match (&self.description, self.check()) {
            (Some(description), _) => Ok(description.clone()),
            (None, Some(check)) => Ok(check.description(thread)?),
            (None, None) => Ok(String::new()),
        }
    }

    pub(super) fn is_not_null(&self) -> bool {
        matches!(self.check(), Some(Check::NotNull))
    }
}

impl Validation {
    /// The rules of an annotation with this name.
    ///
    /// # Errors
    /// For arguments that it does not take.
    pub fn from_annotation(
        name: &str,
        annotation: &Annotation,
        thread: &mut Thread,
    ) -> Result<Validation, Error> {
        parse(annotation, thread).map_err(|refused| match refused {
            Refused::Fault(fault) => {
                let (annotation, place) = (name.to_owned(), annotation.position.clone());
                let fact = Fact::Rule { annotation, fault, line: place.to_string() };
                Error::known(ErrorKind::Other, fact).at(place)
            }
            Refused::Error(error) => error,
        })
    }

    /// The rules, in the order in which they run.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether the rules only count under a condition.
    pub fn is_conditional(&self) -> bool {
        self.when.is_some()
    }

    /// Whether null breaks a rule.
    pub fn refuses_null(&self) -> bool {
        self.null == NullValues::Checked
    }
}

pub(super) enum Refused {
    Fault(RuleFault),
    Error(Error),
}

impl Refused {
    /// In words that are said nowhere else.
    pub(super) fn other(words: String) -> Refused {
        Refused::Fault(RuleFault::Other { words })
    }
}

impl From<RuleFault> for Refused {
    fn from(fault: RuleFault) -> Refused {
        Refused::Fault(fault)
    }
}

impl From<trueline_starlark::Error> for Refused {
    fn from(error: trueline_starlark::Error) -> Refused {
        Refused::Error(error.into())
    }
}

fn parse(annotation: &Annotation, thread: &mut Thread) -> Result<Validation, Refused> {
    let at = &annotation.position;
    if annotation.args.is_empty() && annotation.kwargs.is_empty() {
        return Err(RuleFault::Missing.into());
    }
    let mut rules = Vec::new();
    for (index, argument) in annotation.args.iter().enumerate() {
        rules.push(function_rule(argument, index + 1, thread)?);
    }
    let named = named::parse(annotation, thread)?;
    rules.extend(named.rules);
    let null = match rules.iter().any(Rule::is_not_null) {
        true => NullValues::Checked,
        false => NullValues::Pass,
    };
    // Whether the value is there at all is looked at first. The sort keeps the order of the others.
    rules.sort_by_key(|rule| !rule.is_not_null());
    Ok(Validation { rules, when: named.when, null, position: at.clone() })
}

/// A rule with a function: `("description", function)`, `("description", function, "message")` or the function alone.
fn function_rule(argument: &Value, number: usize, thread: &mut Thread) -> Result<Rule, Refused> {
    if argument.is_callable() || assertion_of(argument).is_some() {
        let test = test(argument, number, None, thread)?;
        let description = match &test {
            Test::Function { function, check: None, .. } => Some(name_of(function)),
            _ => None,
        };
        return Ok(Rule { description, test, for_arrays: None });
    }
    let View::Tuple(tuple) = argument.view() else {
        let found = thread.repr(argument)?;
        let found = String::from_utf8_lossy(&found).into_owned();
        return Err(RuleFault::NotARule { found }.into());
    };
    let (description, function, message) = match tuple {
        [description, function] => (description, function, None),
        [description, function, message] => (description, function, Some(message)),
        other => return Err(RuleFault::TupleLength(other.len()).into()),
    };
    let Some(words) = description.as_bytes() else {
        let found = description.type_name();
        return Err(Refused::other(format!(
            "expected first item in the 2-tuple to be a string describing a valid value, but was {found}"
        )));
    };
    let description = String::from_utf8_lossy(words).into_owned();
    let message = match message {
        None => None,
        Some(template) => Some(Message::new(template, thread).map_err(Refused::other)?),
    };
    let test = test(function, number, message, thread)?;
    Ok(Rule { description: Some(description), test, for_arrays: None })
}

fn test(
    function: &Value,
    number: usize,
    message: Option<Message>,
    thread: &mut Thread,
) -> Result<Test, Refused> {
    // The function is also the way to call the assertion.
    let is_not_null =
        matches!(function.view(), View::Builtin(builtin) if builtin.name() == "assert.not_null");
    let check = match assertion_of(function) {
        Some(check) => Some(check.clone()),
        None => is_not_null.then_some(Check::NotNull),
    };
    let function = if function.is_callable() { function.clone() } else { check_of(function, thread)? };
    let name = match name_of(&function).as_str() {
        "lambda" => format!("rule {number}"),
        name => format!("\"{name}()\""),
    };
    Ok(Test::Function { function, name, check, message })
}

/// What an assertion of `@ytt:assert` checks.
fn assertion_of(value: &Value) -> Option<&Check> {
    value.as_custom::<Struct>()?.payload()
}

/// The name of a function.
fn name_of(function: &Value) -> String {
    match function.view() {
        View::Function(function) => function.name().to_owned(),
        View::Builtin(builtin) => builtin.name().to_owned(),
        _ => function.type_name().to_owned(),
    }
}

/// The function `check` of an assertion.
fn check_of(value: &Value, thread: &mut Thread) -> Result<Value, Refused> {
    let found = value.type_name();
    if matches!(
        value.view(),
        View::None
            | View::Bool(_)
            | View::Int(_)
            | View::BigInt(_)
            | View::Float(_)
            | View::Tuple(_)
            | View::Range(_)
    ) {
        return Err(Refused::other(format!(
            "expected second item in the 2-tuple to be an assertion function, but was {found}"
        )));
    }
    match thread.attr(value, "check") {
        Ok(function) if function.is_callable() => Ok(function),
        Ok(other) => {
            let other = other.type_name();
            Err(Refused::other(format!("expected struct with attribute check(), but was {other}")))
        }
        Err(_) => Err(Refused::other(format!(
            "expected second item in tuple to be an assertion function or assertion object, but was a {found}"
        ))),
    }
}

/// A number as an integer, floats without what comes after the point.
pub(crate) fn as_integer(value: &Value) -> Option<Value> {
    match value.view() {
        View::Int(_) | View::BigInt(_) => Some(value.clone()),
        View::Float(float) if float.is_finite() => {
            let digits = format!("{:.0}", float.trunc());
            Some(Value::big(digits.parse::<BigInt>().ok()?))
        }
        _ => None,
    }
}

/// Whether it has a length and elements. Strings have none.
pub(crate) fn is_sequence(value: &Value) -> bool {
    match value.view() {
        View::List(_) | View::Tuple(_) | View::Dict(_) | View::Set(_) | View::Range(_) => true,
        View::Custom(custom) => custom.len().is_some(),
        _ => false,
    }
}

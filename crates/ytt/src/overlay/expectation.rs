//! How many nodes have to be matched: `expects=`, `missing_ok=` and `when=`.

use starlark::View;
use trueline_starlark as starlark;

use super::annotations::MATCH;
use super::calls::{Caller, go_type_name};
use super::fault::{Fault, Problem};
use crate::error::Fact;
use crate::tree::Position;

/// Lists in lists of expectations, at most this deep: a list can contain itself.
const DEEPEST: usize = 50;

/// What was said about the number of matches; by default it has to be one.
#[derive(Debug, Clone, Default)]
pub(super) struct Expectation {
    expects: Option<starlark::Value>,
    missing_ok: Option<starlark::Value>,
    when: Option<starlark::Value>,
}

/// Whether a node of an overlay is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is.
    Apply,
    /// It is left out, because `when=` does not hold.
    Skip,
}

/// Why a number of matches was refused.
enum Refusal {
    /// It is not the expected one.
    Count {
        text: String,
        expected: Option<String>,
    },
    Other(Fault),
}

/// The places of matched nodes, asked for only if a message needs them.
pub(super) trait Matched {
    fn count(&self) -> usize;
    fn positions(&self) -> Vec<Position>;
}

impl Expectation {
    /// Sets the argument of this name, if there is one.
    pub(super) fn set(&mut self, name: &str, value: &starlark::Value) -> bool {
        let argument = match name {
            "expects" => &mut self.expects,
            "missing_ok" => &mut self.missing_ok,
            "when" => &mut self.when,
            _ => return false,
        };
        *argument = Some(value.clone());
        true
    }

    pub(super) fn fill_in(&mut self, defaults: &Expectation) {
        let fill = |argument: &mut Option<starlark::Value>, default: &Option<starlark::Value>| {
            if argument.is_none() {
                argument.clone_from(default);
            }
        };
        fill(&mut self.expects, &defaults.expects);
        fill(&mut self.missing_ok, &defaults.missing_ok);
        fill(&mut self.when, &defaults.when);
    }

    /// Compares the number of matches with what was said.
    pub(super) fn check(&self, matched: &dyn Matched, caller: &mut Caller<'_>) -> Result<Verdict, Fault> {
        let both = |one, two| Err(Fault::known(Problem::Annotation, Fact::Exclusive { one, two }));
        let result = match (&self.missing_ok, &self.expects, &self.when) {
            (Some(_), Some(_), _) => return both("missing_ok", "expects"),
            (Some(_), None, Some(_)) => return both("missing_ok", "when"),
            (None, Some(_), Some(_)) => return both("when", "expects"),
            (Some(missing_ok), None, None) => match missing_ok.as_bool() {
                Some(true) if matched.count() == 0 => Ok(()),
                Some(_) => exactly("1", matched, matched.count() == 1),
                None => {
                    let text = "Expected keyword argument 'missing_ok' to be a boolean";
                    return Err(Fault::annotation(text));
                }
            },
            (None, None, Some(when)) => check_value(when, "when", matched, caller, 0),
            (None, Some(expects), None) => check_value(expects, "expects", matched, caller, 0),
            (None, None, None) => exactly("1", matched, matched.count() == 1),
        };
        match result {
            Ok(()) => Ok(Verdict::Apply),
            Err(Refusal::Count { .. }) if self.when.is_some() => Ok(Verdict::Skip),
            Err(Refusal::Count { text, expected }) => {
                let mut fault = Fault::new(Problem::Count { expected, found: matched.count() }, text);
                fault.places = matched.positions();
                Err(fault)
            }
            Err(Refusal::Other(fault)) => Err(fault),
        }
    }
}

fn check_value(
    value: &starlark::Value,
    argument: &str,
    matched: &dyn Matched,
    caller: &mut Caller<'_>,
    depth: usize,
) -> Result<(), Refusal> {
    match value.view() {
        View::Int(expected) => {
            exactly(&expected.to_string(), matched, usize::try_from(expected) == Ok(matched.count()))
        }
        View::BigInt(expected) => exactly(&expected.to_string(), matched, false),
        View::String(text) => at_least(&text.to_string_lossy(), matched),
        View::List(list) if depth < DEEPEST => {
            let mut last = Ok(());
            for item in list.to_vec() {
                last = check_value(&item, argument, matched, caller, depth + 1);
                if last.is_ok() {
                    break;
                }
            }
            last
        }
        _ if value.is_callable() => {
            let count = starlark::Value::size(matched.count());
            let result = caller.call(value, &[count]).map_err(Refusal::Other)?;
            match result.as_bool() {
                Some(true) => Ok(()),
                Some(false) => Err(Refusal::Count {
                    text: "Expectation of number of matched nodes failed".to_owned(),
                    expected: None,
                }),
                None => Err(Refusal::Other(Fault::annotation(format!(
                    "Expected keyword argument '{argument}' to have a function that returns a boolean"
                )))),
            }
        }
        _ => Err(Refusal::Other(Fault::annotation(format!(
            "Expected '{MATCH}' annotation keyword argument '{argument}' to be either int, string or function, \
             but was {}",
            go_type_name(value)
        )))),
    }
}

fn exactly(expected: &str, matched: &dyn Matched, is_met: bool) -> Result<(), Refusal> {
    if is_met { Ok(()) } else { Err(wrong_count(expected.to_owned(), matched)) }
}

/// `N+`: that many or more.
fn at_least(text: &str, matched: &dyn Matched) -> Result<(), Refusal> {
    let Some(least) = text.strip_suffix('+').and_then(|number| number.parse::<i64>().ok()) else {
        let fact = Fact::NotACount { found: text.to_owned() };
        return Err(Refusal::Other(Fault::known(Problem::Annotation, fact)));
    };
    let is_met = usize::try_from(least).map_or(least < 0, |least| matched.count() >= least);
    if is_met { Ok(()) } else { Err(wrong_count(format!(">= {least}"), matched)) }
}

fn wrong_count(expected: String, matched: &dyn Matched) -> Refusal {
    let mut text = format!("Expected number of matched nodes to be {expected}, but was {}", matched.count());
    let mut lines: Vec<String> = matched.positions().iter().map(ToString::to_string).collect();
    if !lines.is_empty() {
        lines.sort();
        text.push_str(&format!(" (lines: {})", lines.join(", ")));
    }
    Refusal::Count { text, expected: Some(expected) }
}

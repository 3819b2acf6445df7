//! What a policy says of a request, in the order and within the budgets of the server.

use std::sync::Arc;

use trueline_cel::value::Value as CelValue;
use trueline_kube_cel::budget::{PER_CALL, PER_OBJECT};
use trueline_kube_cel::plain::{grouped, plain_fault};
use trueline_yaml::Value;

use super::Part;
use super::inputs::{Inputs, Sight};
use super::programs::{Compiled, Programs};
use super::read::{OnFailure, Policy};
use super::request::Request;
use super::unknown::Unknown;
use super::variables::Variables;

/// What the conditions of a policy may cost together.
const PER_CONDITIONS: u64 = 2_500_000;

/// The longest message that an expression may make, in bytes.
const MAX_MESSAGE: usize = 5 << 10;

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// What a policy says against a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The part of the policy that says it.
    pub part: Part,
    /// Whether a rule is broken, or failed.
    pub kind: DecisionKind,
    /// What the server says.
    pub message: String,
    /// What it says, in plain words.
    pub plain: String,
    /// What the server gives as its reason.
    pub reason: String,
    /// The field of the object that it is about, if there is only one.
    pub field: Option<Vec<Arc<str>>>,
}

/// Why an object is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionKind {
    /// It breaks a rule.
    Broken,
    /// A rule cannot be evaluated on it.
    Failed,
    /// It is refused whatever the binding says, because something cannot be used.
    Unusable,
    /// It is refused whatever the binding says, because there are no parameters.
    NoParameters,
}

/// What a policy says of a request.
#[derive(Debug, Default)]
pub(super) struct Review {
    pub(super) decisions: Vec<Decision>,
    /// The parts that only a cluster can evaluate.
    pub(super) unknown: Vec<(Part, Unknown)>,
    /// How many rules were evaluated.
    pub(super) evaluated: usize,
}

/// A value, or why there is none.
enum Evaluated {
    Value(CelValue),
    Failed(Words),
    Unknown(Unknown),
}

/// Why something failed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Words {
    server: String,
    plain: String,
}

impl Words {
    fn out_of_budget() -> Self {
        let plain = format!("all its expressions together cost more than {} units", grouped(PER_OBJECT));
        Words { server: OUT_OF_BUDGET.to_owned(), plain }
    }
}

/// Nothing is left of a budget.
struct Spent;

/// The evaluation of one list of expressions.
struct Run<'r> {
    inputs: &'r Arc<Inputs>,
    variables: Arc<Variables>,
    left: u64,
}

impl<'r> Run<'r> {
    fn new(programs: &Arc<Programs>, inputs: &'r Arc<Inputs>, budget: u64) -> Self {
        Run { inputs, variables: Variables::new(programs, inputs), left: budget }
    }

    fn evaluate(&mut self, compiled: &Compiled) -> Result<Evaluated, Spent> {
        let ready = match &compiled.program {
            Ok(ready) => ready,
            Err(words) => {
                return Ok(Evaluated::Failed(Words {
                    server: format!("compilation error: {words}"),
                    plain: "an expression cannot be compiled".to_owned(),
                }));
            }
        };
        let asked = &self.inputs.asked;
        asked.reset();
        let values = self.inputs.bind(ready, self.variables.value());
        let outcome = ready.program.run(&values, PER_CALL);
        for cost in [self.variables.take_cost(), outcome.cost] {
            self.left = self.left.checked_sub(cost).ok_or(Spent)?;
        }
        let has_value = outcome.result.is_ok();
        if let Some(unknown) = asked.decides(has_value) {
            return Ok(Evaluated::Unknown(unknown));
        }
        Ok(match outcome.result {
            Ok(value) => Evaluated::Value(value),
            Err(_) if ready.asks_rights => Evaluated::Unknown(Unknown::Authorizer),
            Err(fault) => Evaluated::Failed(Words {
                server: format!("expression '{}' resulted in error: {fault}", compiled.text),
                plain: plain_fault(&fault.kind),
            }),
        })
    }
}

/// Whether a policy looks at a request any further.
enum Conditions {
    Met,
    Unmet,
    Unknown(Unknown),
    Failed(Words),
}

/// Asks a policy about a request as one for the version `matched`.
pub(super) fn review(
    policy: &Policy,
    programs: &Arc<Programs>,
    request: &Request<'_>,
    matched: &str,
    params: Option<&Value>,
) -> Review {
    let mut review = Review::default();
    let fail = |review: &mut Review, part: Part, words: Words| {
        if policy.failure == OnFailure::Fail {
            review.decisions.push(Decision {
                part,
                kind: DecisionKind::Failed,
                message: words.server,
                plain: words.plain,
                reason: "Invalid".to_owned(),
                field: None,
            });
        }
    };
    let Some(conditions) = conditions(policy, programs, request, matched, params) else {
        review.unknown.push((Part::Policy, Unknown::Conversion));
        return review;
    };
    match conditions {
        Conditions::Met => {}
        Conditions::Unmet => return review,
        Conditions::Unknown(unknown) => {
            review.unknown.push((Part::Policy, unknown));
            return review;
        }
        Conditions::Failed(words) => {
            fail(&mut review, Part::Conditions, words);
            return review;
        }
    }
    let Some(inputs) = Inputs::new(request, matched, params, Sight::Namespace) else {
        review.unknown.push((Part::Policy, Unknown::Conversion));
        return review;
    };
    validations(policy, programs, &inputs, &mut review, &fail);
    annotations(policy, programs, &inputs, &mut review);
    review
}

fn conditions(
    policy: &Policy,
    programs: &Arc<Programs>,
    request: &Request<'_>,
    matched: &str,
    params: Option<&Value>,
) -> Option<Conditions> {
    if programs.conditions.is_empty() {
        return Some(Conditions::Met);
    }
    let inputs = Inputs::new(request, matched, params, Sight::None)?;
    let mut run = Run::new(programs, &inputs, PER_CONDITIONS);
    let (mut failed, mut unknown) = (Vec::new(), None);
    let mut is_unmet = false;
    for condition in &programs.conditions {
        match run.evaluate(condition) {
            Ok(Evaluated::Value(CelValue::Bool(true))) => {}
            Ok(Evaluated::Value(_)) => is_unmet = true,
            Ok(Evaluated::Failed(words)) => failed.push(words),
            Ok(Evaluated::Unknown(why)) => {
                unknown.get_or_insert(why);
            }
            Err(Spent) => {
                return Some(match policy.failure {
                    OnFailure::Fail => Conditions::Failed(Words {
                        plain: format!("its conditions cost more than {} units", grouped(PER_CONDITIONS)),
                        ..Words::out_of_budget()
                    }),
                    OnFailure::Ignore => Conditions::Unmet,
                });
            }
        }
    }
    // One that is false decides, wherever it stands.
    Some(match (is_unmet, unknown, failed.as_slice()) {
        (true, ..) => Conditions::Unmet,
        (false, Some(why), _) => Conditions::Unknown(why),
        (false, None, []) => Conditions::Met,
        (false, None, _) if policy.failure == OnFailure::Ignore => Conditions::Unmet,
        (false, None, [only]) => Conditions::Failed(only.clone()),
        (false, None, _) => {
            failed.dedup();
            Conditions::Failed(match failed.as_slice() {
                [only] => only.clone(),
                several => {
                    let joined =
                        |words: fn(&Words) -> &str| several.iter().map(words).collect::<Vec<_>>().join(", ");
                    let server = format!("[{}]", joined(|words| &words.server));
                    Words { server, plain: joined(|words| &words.plain) }
                }
            })
        }
    })
}

fn validations(
    policy: &Policy,
    programs: &Arc<Programs>,
    inputs: &Arc<Inputs>,
    review: &mut Review,
    fail: &dyn Fn(&mut Review, Part, Words),
) {
    let mut run = Run::new(programs, inputs, PER_OBJECT);
    let mut found = Vec::new();
    for compiled in &programs.validations {
        match run.evaluate(compiled) {
            Ok(evaluated) => found.push(evaluated),
            Err(Spent) => return fail(review, Part::Policy, Words::out_of_budget()),
        }
    }
    review.evaluated += found.len();
    let is_broken = |evaluated: &Evaluated| match evaluated {
        Evaluated::Value(value) => !matches!(value, CelValue::Bool(true)),
        Evaluated::Failed(_) | Evaluated::Unknown(_) => false,
    };
    // All messages are made, also those of rules that hold; that matters only where they may cost too much together.
    let made = programs.messages.iter().flatten().count() as u64;
    let mut messages = Vec::new();
    let mut is_spent = false;
    if found.iter().any(is_broken) || made.saturating_mul(PER_CALL) > run.left {
        let mut run = Run::new(programs, inputs, run.left);
        for compiled in &programs.messages {
            match compiled.as_ref().map(|compiled| run.evaluate(compiled)).transpose() {
                Ok(message) => messages.push(message),
                Err(Spent) => {
                    is_spent = true;
                    break;
                }
            }
        }
    }
    for (index, (evaluated, validation)) in found.into_iter().zip(&policy.validations).enumerate() {
        let part = Part::Validation(index);
        match evaluated {
            Evaluated::Unknown(why) => review.unknown.push((part, why)),
            Evaluated::Failed(words) => fail(review, part, words),
            Evaluated::Value(_) if is_spent => {
                let words = Words::out_of_budget();
                let server = format!("failed messageExpression: {}", words.server);
                fail(review, part, Words { server, ..words });
            }
            Evaluated::Value(CelValue::Bool(true)) => {}
            Evaluated::Value(_) => {
                let made = match messages.get(index) {
                    Some(Some(Evaluated::Value(CelValue::String(text)))) => usable(text),
                    _ => None,
                };
                let typed = || Some(validation.message.trim().to_owned()).filter(|text| !text.is_empty());
                let default = || format!("failed expression: {}", validation.expression.text.trim());
                let ready = programs.validations.get(index).and_then(|one| one.program.as_ref().ok());
                let message = made.or_else(typed).unwrap_or_else(default);
                review.decisions.push(Decision {
                    part,
                    kind: DecisionKind::Broken,
                    plain: message.clone(),
                    message,
                    reason: validation.reason.clone().unwrap_or_else(|| "Invalid".to_owned()),
                    field: ready.and_then(|ready| ready.field.clone()),
                });
            }
        }
    }
}

/// A message that an expression made, if the server uses it.
fn usable(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n')).then(|| text.to_owned())
}

/// Annotations only matter where they fail: the object is refused then, whatever the binding says.
fn annotations(policy: &Policy, programs: &Arc<Programs>, inputs: &Arc<Inputs>, review: &mut Review) {
    let mut run = Run::new(programs, inputs, PER_OBJECT);
    for (index, compiled) in programs.annotations.iter().enumerate() {
        let part = Part::Annotation(index);
        let (words, kind) = match run.evaluate(compiled) {
            Ok(Evaluated::Value(_)) => continue,
            Ok(Evaluated::Unknown(why)) => {
                review.unknown.push((part, why));
                continue;
            }
            Ok(Evaluated::Failed(words)) => (words, DecisionKind::Unusable),
            Err(Spent) => {
                // Then this is all that the server says.
                review.decisions.clear();
                (Words::out_of_budget(), DecisionKind::Failed)
            }
        };
        let is_spent = kind == DecisionKind::Failed;
        if policy.failure == OnFailure::Fail {
            let reason = "Invalid".to_owned();
            let Words { server, plain } = words;
            review.decisions.push(Decision { part, kind, message: server, plain, reason, field: None });
        }
        if is_spent {
            break;
        }
    }
}

//! What the rules of a schema say of an object, in the order and within the budget of the server.

use std::sync::Arc;

use trueline_cel::function::FaultKind;
use trueline_cel::value::{Value as CelValue, read};
use trueline_kube_cel::place::whole_name;
use trueline_kube_cel::plain::plain_fault;
use trueline_kube_facts::{Breach, FieldError, RuleFact, Trail, rules};
use trueline_yaml::{Data, Value};

use super::compile::{CompiledRule, NodeRules};
use crate::structural::Structural;
use crate::structural::ratchet::{Correlates, OldItems, is_unchanged, old_member};
use crate::value::printed::printed;

rules! {
    /// The object breaks a rule of its definition.
    BROKEN: Invalid in trueline_kube_facts::cel_codes::RULE_BROKEN, "cel/rule-broken", "{}";
    /// The object breaks a rule of its definition, which says that a field must not be set.
    BROKEN_FORBIDDEN: Forbidden in trueline_kube_facts::cel_codes::RULE_BROKEN, "cel/rule-broken-forbidden", "{}";
    /// The object breaks a rule of its definition, which says that a field is missing.
    BROKEN_REQUIRED: Required in trueline_kube_facts::cel_codes::RULE_BROKEN, "cel/rule-broken-required", "{}";
    /// The object breaks a rule of its definition, which says that something is there twice.
    BROKEN_DUPLICATE: Duplicate in trueline_kube_facts::cel_codes::RULE_BROKEN, "cel/rule-broken-duplicate";
    /// A rule of the definition cannot be evaluated on the object.
    FAILED: Invalid in trueline_kube_facts::cel_codes::RULE_FAILED, "cel/rule-failed", "{} evaluating rule: {}";
    /// A rule of the definition cannot be evaluated on the object: no function takes what it is given.
    NO_OVERLOAD: Invalid in trueline_kube_facts::cel_codes::RULE_FAILED, "cel/no-overload",
        "'{}': call arguments did not match a supported operator, function or macro signature for rule: {}";
    /// Evaluating rules ended before all of them were looked at.
    STOPPED: Invalid, "cel/rules-stopped", "{}";
    /// The object breaks a rule of its definition that has no message.
    UNNAMED: Invalid in trueline_kube_facts::cel_codes::RULE_BROKEN, "cel/rule-without-message", "failed rule: {}";
}

/// The longest message that an expression may make, in bytes.
const MAX_MESSAGE: usize = 5 << 10;

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// What rules said of an object.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// All that is wrong.
    pub(crate) errors: Vec<FieldError>,
    /// What was wrong before and has not changed: the server only warns of it.
    pub(crate) forgiven: Vec<FieldError>,
    /// How many rules were evaluated, each time counted.
    pub(crate) evaluated: usize,
    /// What evaluating cost.
    pub(crate) cost: u64,
    /// What is left of the budget; nothing where the server stops looking.
    pub(crate) left: Option<u64>,
}

/// Evaluates all rules of a schema on a value, for no more than `budget`. `old` is what an update replaces.
pub(crate) fn evaluate(
    rules: &NodeRules,
    schema: &Structural,
    value: &Value,
    old: Option<&Value>,
    path: &Trail<'_>,
    ratchet: Ratchet,
    budget: u64,
) -> Findings {
    let mut run = Run { budget: Some(budget), findings: Findings::default() };
    let before = match (ratchet, old) {
        (Ratchet::Unchanged, Some(old)) => {
            Before { current: Some(Pair { schema, value, old }), around: None }
        }
        _ => Before::default(),
    };
    run.node(rules, schema, value, old, before, path);
    Findings { left: run.budget, ..run.findings }
}

/// Whether an update is forgiven for what it does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ratchet {
    /// It is, with a warning.
    Unchanged,
    /// Everything has to hold, as it does for defaults.
    Nothing,
}

/// A value with what it was before.
#[derive(Debug, Clone, Copy)]
struct Pair<'a> {
    schema: &'a Structural,
    value: &'a Value,
    old: &'a Value,
}

impl Pair<'_> {
    fn is_unchanged(self) -> bool {
        is_unchanged(self.schema, self.value, self.old)
    }
}

/// What a value was before, or else what the nearest value around it was of which that is known.
#[derive(Debug, Clone, Copy, Default)]
struct Before<'a> {
    current: Option<Pair<'a>>,
    around: Option<Pair<'a>>,
}

impl<'a> Before<'a> {
    /// Whether what is wrong was wrong before.
    fn is_unchanged(self) -> bool {
        self.current.or(self.around).is_some_and(Pair::is_unchanged)
    }

    fn member(self, key: &str) -> Before<'a> {
        let Some(pair) = self.current else { return self };
        if self.around.is_none() && matches!(key, "apiVersion" | "kind") {
            // Both objects were converted to the same version before they are compared.
            return Before::default();
        }
        let current = old_member(pair.schema, pair.value, pair.old, key).and_then(|old| {
            let (schema, value) = (pair.schema.member(key)?, pair.value.get(key)?);
            Some(Pair { schema, value, old })
        });
        Before { current, around: Some(pair) }
    }

    fn item(self, item: &'a Value, old: Option<&'a Value>) -> Before<'a> {
        let Some(pair) = self.current else { return self };
        let current = old.and_then(|old| Some(Pair { schema: pair.schema.item()?, value: item, old }));
        Before { current, around: Some(pair) }
    }
}

struct Run {
    /// What is left; nothing once the server stops looking.
    budget: Option<u64>,
    findings: Findings,
}

impl Run {
    fn node<'a>(
        &mut self,
        rules: &NodeRules,
        schema: &'a Structural,
        value: &'a Value,
        old: Option<&'a Value>,
        before: Before<'a>,
        path: &Trail<'_>,
    ) {
        if matches!(value.data, Data::Null) || self.budget.is_none() {
            return;
        }
        let old = old.filter(|old| !matches!(old.data, Data::Null));
        self.rules(rules, schema, value, old, before, path);
        match &value.data {
            Data::List(items) => {
                let (Some(item_rules), Some(item_schema)) = (rules.items.as_deref(), schema.items.as_deref())
                else {
                    return;
                };
                let old_items = old.and_then(|old| OldItems::of(schema, old));
                for (index, item) in items.iter().enumerate() {
                    let old = old_items.as_ref().and_then(|old| old.of_item(item));
                    let before = before.item(item, old);
                    self.node(item_rules, item_schema, item, old, before, &path.index(index));
                }
            }
            Data::Map(map) => {
                for (key, entry) in map.iter() {
                    let member_of = |old: &'a Value| old.get(key);
                    // Most fields have no rules, and their schemas need not be looked up.
                    if let Some(rules) = rules.values.as_deref()
                        && let Some(schema) = schema.member(key)
                    {
                        let old = old.and_then(member_of);
                        self.node(rules, schema, &entry.value, old, before.member(key), &path.key(key));
                    }
                    if let Some(rules) = rules.properties.get(key)
                        && let Some(schema) = schema.properties.get(key)
                    {
                        let old = old.and_then(member_of);
                        self.node(rules, schema, &entry.value, old, before.member(key), &path.child(key));
                    }
                }
            }
            _ => {}
        }
    }

    fn rules(
        &mut self,
        rules: &NodeRules,
        schema: &Structural,
        value: &Value,
        old: Option<&Value>,
        before: Before<'_>,
        path: &Trail<'_>,
    ) {
        if rules.rules.is_empty() {
            return;
        }
        let type_name = &*schema.generic.type_name;
        let refuse = |breach: Breach| path.refuse_text(type_name, breach);
        if self.budget == Some(0) {
            return self.stop(refuse(STOPPED.with(OUT_OF_BUDGET)));
        }
        let Some(declared) = &rules.declared else {
            let why = "failed to convert to declType for CEL validation rules";
            self.findings
                .errors
                .push(refuse(STOPPED.with(format!("rule compiler initialization error: {why}"))));
            return;
        };
        let this = read(value, &declared.shape);
        let before_this = old.map(|old| read(old, &declared.shape));
        for rule in &rules.rules {
            let programs = match &rule.programs {
                Ok(Some(programs)) => programs,
                Ok(None) => continue,
                Err(fault) => {
                    let detail = format!("rule compile error: {}", fault.server_text());
                    let fact = RuleFact::Uncompiled { expression: Arc::clone(fault.expression()) };
                    self.findings.errors.push(refuse(STOPPED.with(detail)).about_rule(fact));
                    continue;
                }
            };
            let takes_optional = rule.written.optional_old_self == Some(true);
            if rule.uses_old_self && before_this.is_none() && !takes_optional {
                continue;
            }
            let old_self = match (&before_this, takes_optional) {
                (Some(old), true) => CelValue::some(old.clone()),
                (Some(old), false) => old.clone(),
                (None, _) => CelValue::none(),
            };
            let variables = [Some(this.clone()), Some(old_self)];
            let outcome = programs.rule.evaluate(&variables);
            self.findings.evaluated += 1;
            if !self.spend(outcome.cost) {
                return self.stop(refuse(STOPPED.with(OUT_OF_BUDGET)));
            }
            let name = rule.error_name();
            match outcome.result {
                Ok(CelValue::Bool(true)) => {}
                Ok(_) => {
                    let Some(error) = self.violated(rule, &variables, value, schema, path) else { return };
                    let error = error.about_rule(RuleFact::Broken { rule: rule.place() });
                    if !rule.uses_old_self && before.is_unchanged() {
                        self.findings.forgiven.push(error);
                    } else {
                        self.findings.errors.push(error);
                    }
                }
                Err(fault) => {
                    let text = fault.to_string();
                    let fact = RuleFact::Failed {
                        rule: rule.place(),
                        expression: Arc::clone(&rule.written.rule),
                        part: programs.rule.place(&fault).map(|part| whole_name(&rule.written.rule, part)),
                        why: plain_fault(&fault.kind),
                    };
                    let breach = match &*fault.kind {
                        FaultKind::NoOverload(_) => NO_OVERLOAD.with(text).and(name),
                        FaultKind::CostLimit => {
                            let detail = format!(
                                "'{text}': no further validation rules will be run due to call cost exceeds limit \
                                 for rule: {name}"
                            );
                            return self.stop(refuse(STOPPED.with(detail)).about_rule(fact));
                        }
                        FaultKind::MissingKey(_) | FaultKind::Crash(_) | FaultKind::Other(_) => {
                            FAILED.with(text).and(name)
                        }
                    };
                    self.findings.errors.push(refuse(breach).about_rule(fact));
                }
            }
        }
    }

    /// The error for a rule that a value breaks; nothing if its message took all that was left.
    fn violated(
        &mut self,
        rule: &CompiledRule,
        variables: &[Option<CelValue>],
        value: &Value,
        schema: &Structural,
        path: &Trail<'_>,
    ) -> Option<FieldError> {
        let path = match &rule.field_path {
            Some(field) => &path.further(field),
            None => path,
        };
        let (detail, is_unnamed) = match self.message(rule, variables) {
            Message::Text(text) => (text, false),
            Message::Default => (rule.default_message(), rule.written.message.is_empty()),
            Message::Stopped(detail) => {
                self.stop(path.refuse_text(&schema.generic.type_name, STOPPED.with(detail)));
                return None;
            }
        };
        let is_compound = matches!(&*schema.generic.type_name, "object" | "array");
        let error = match rule.written.reason.as_deref() {
            Some("FieldValueForbidden") => path.refuse(BROKEN_FORBIDDEN.with(detail)),
            Some("FieldValueRequired") => path.refuse(BROKEN_REQUIRED.with(detail)),
            Some("FieldValueDuplicate") => path.refuse(&BROKEN_DUPLICATE),
            _ if is_unnamed => path.refuse(UNNAMED.with(rule.written.rule.trim())),
            _ => path.refuse(BROKEN.with(detail)),
        };
        let place = rule.field_place(value).or(error.place);
        let error = if is_compound { error } else { error.with_value(printed(value)) };
        Some(FieldError { place, ..error })
    }

    fn message(&mut self, rule: &CompiledRule, variables: &[Option<CelValue>]) -> Message {
        let program = rule.programs.as_ref().ok().and_then(|programs| programs.as_ref()?.message.as_ref());
        let Some(program) = program else { return Message::Default };
        let outcome = program.evaluate(variables);
        if !self.spend(outcome.cost) {
            return Message::Stopped(
                "messageExpression evaluation failed due to running out of cost budget, no further validation rules \
                 will be run"
                    .to_owned(),
            );
        }
        match outcome.result {
            Ok(CelValue::String(text)) => {
                let text = text.trim();
                let is_usable = !text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n');
                if is_usable { Message::Text(text.to_owned()) } else { Message::Default }
            }
            Err(fault) if *fault.kind == FaultKind::CostLimit => Message::Stopped(format!(
                "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                trueline_kube_facts::go_quoted(&rule.written.message_expression)
            )),
            _ => Message::Default,
        }
    }

    /// Takes a cost out of the budget; whether there was enough.
    fn spend(&mut self, cost: u64) -> bool {
        self.findings.cost = self.findings.cost.saturating_add(cost);
        self.budget = self.budget.and_then(|left| left.checked_sub(cost));
        self.budget.is_some()
    }

    fn stop(&mut self, error: FieldError) {
        self.findings.errors.push(error);
        self.budget = None;
    }
}

enum Message {
    Text(String),
    /// The expression made none that can be used.
    Default,
    /// The server stops with this error.
    Stopped(String),
}

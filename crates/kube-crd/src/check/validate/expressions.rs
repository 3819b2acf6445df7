//! The expressions of rules: whether they compile, and what they may cost.

use std::sync::Arc;

use trueline_kube_cel::budget::{PER_EXPRESSION, PER_SCHEMA};
use trueline_kube_facts::{Failure, FieldError, KubeVersion, RuleFact, Trail, rules};
use trueline_source::Span;

use crate::cel::{
    CompiledRule, Declared, Engine, ROOT_NAME, SchemaStep, compile, cost_message, escape, has_rules,
    max_elements, suggest_bounds,
};
use crate::definition::{Crd, Version};
use crate::props::OrBool;
use crate::structural::Root;
use crate::structural::Structural;

rules! {
    /// A rule in CEL may cost more than is allowed.
    EXPENSIVE_RULE: Forbidden in trueline_kube_facts::cel_codes::TOO_EXPENSIVE, "crd/expensive-rule",
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    /// All rules in CEL together may cost more than is allowed.
    EXPENSIVE_RULES: Forbidden in trueline_kube_facts::cel_codes::TOO_EXPENSIVE, "crd/expensive-rules", "{}";
    /// The rules in CEL cannot be compiled.
    RULES_NOT_COMPILED: Internal in crate::codes::BAD_RULE, "crd/rules-not-compiled",
        "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert \
         structural schema to CEL declarations";
    /// A rule in CEL may cost more than is allowed.
    RULE_COST: Forbidden in trueline_kube_facts::cel_codes::TOO_EXPENSIVE, "crd/rule-cost", "{}";
    /// A message expression may cost more than is allowed.
    MESSAGE_COST: Forbidden in trueline_kube_facts::cel_codes::TOO_EXPENSIVE, "crd/message-cost", "{}";
    /// A rule in CEL reads `oldSelf` where there is none.
    RULE_WITH_OLD_SELF: Invalid in crate::codes::BAD_RULE, "crd/rule-with-old-self",
        "oldSelf cannot be used on the uncorrelatable portion of the schema within {}";
    /// `optionalOldSelf` is set on a rule that does not read `oldSelf`.
    OPTIONAL_OLD_SELF: Invalid in crate::codes::BAD_RULE, "crd/optional-old-self",
        "may not be set if oldSelf is not used in rule";
    /// A rule in CEL cannot be compiled.
    RULE_NOT_COMPILED: Invalid in trueline_kube_facts::cel_codes::NOT_COMPILED, "crd/rule-not-compiled", "{}";
}

/// What is known of a schema while the rules in it are looked at.
#[derive(Debug, Clone)]
pub(super) struct Scope<'s> {
    /// The whole schema.
    whole: &'s Structural,
    /// The names and items that lead from it to this one.
    steps: Vec<SchemaStep>,
    schema: &'s Structural,
    root: Root,
    seen: Seen,
    /// The name of the type.
    name: String,
    /// How often a value may occur in an object; nothing if there is no bound.
    cardinality: Option<u64>,
    /// The list whose items cannot be found again in an update, if this is inside of one.
    uncorrelatable: Option<Arc<str>>,
}

/// What expressions see.
#[derive(Debug, Clone)]
enum Seen {
    /// Nobody asks: there are no rules here or around it.
    NotAsked,
    /// This.
    Known(Arc<Declared>),
    /// Nothing, because it has no type that expressions know.
    Nothing,
}

impl<'s> Scope<'s> {
    /// The root of a schema.
    pub(super) fn root(schema: &'s Structural) -> Self {
        let scope = Scope {
            whole: schema,
            steps: Vec::new(),
            schema,
            root: Root::Resource,
            seen: Seen::NotAsked,
            name: ROOT_NAME.to_owned(),
            cardinality: Some(1),
            uncorrelatable: None,
        };
        scope.asked()
    }

    /// The schema of a field.
    pub(super) fn field(&self, key: &Arc<str>) -> Option<Scope<'s>> {
        let schema = self.schema.properties.get(key)?;
        let escaped = escape(key);
        let seen = match (&self.seen, &escaped) {
            (Seen::Known(declared), Some(escaped)) => declared.fields.get(&**escaped).cloned(),
            _ => None,
        };
        let name = escaped.map(|escaped| format!("{}.{escaped}", self.name));
        Some(self.child(schema, SchemaStep::Field(Arc::clone(key)), seen, name))
    }

    /// The schema of items.
    pub(super) fn items(&self, path: &Trail<'_>) -> Option<Scope<'s>> {
        let schema = self.schema.items.as_deref()?;
        let mut scope =
            self.child(schema, SchemaStep::Items, self.element(), Some(format!("{}.@idx", self.name)));
        if self.schema.extensions.list_type.as_deref() != Some("map") && scope.uncorrelatable.is_none() {
            scope.uncorrelatable = Some(path.path().to_string().into());
        }
        Some(scope)
    }

    /// The schema of the values of a map.
    pub(super) fn values(&self) -> Option<Scope<'s>> {
        let Some(OrBool::Schema(schema)) = self.schema.additional_properties.as_deref() else { return None };
        Some(self.child(schema, SchemaStep::Values, self.element(), Some(format!("{}.@elem", self.name))))
    }

    fn element(&self) -> Option<Arc<Declared>> {
        match &self.seen {
            Seen::Known(declared) => declared.element.clone(),
            Seen::NotAsked | Seen::Nothing => None,
        }
    }

    fn child(
        &self,
        schema: &'s Structural,
        step: SchemaStep,
        declared: Option<Arc<Declared>>,
        name: Option<String>,
    ) -> Scope<'s> {
        let mut steps = self.steps.clone();
        steps.push(step);
        let (seen, name) = match (&self.seen, declared, name) {
            (Seen::Nothing, _, _) => (Seen::Nothing, self.name.clone()),
            (_, Some(declared), Some(name)) => (Seen::Known(declared), name),
            _ => (Seen::NotAsked, ROOT_NAME.to_owned()),
        };
        let root = if schema.extensions.embedded_resource { Root::Resource } else { Root::Value };
        let cardinality =
            self.cardinality.and_then(|cardinality| Some(times(cardinality, max_elements(self.schema)?)));
        Scope {
            whole: self.whole,
            steps,
            schema,
            root,
            seen,
            name,
            cardinality,
            uncorrelatable: self.uncorrelatable.clone(),
        }
        .asked()
    }

    /// With what expressions see, if there are rules in or around it.
    fn asked(mut self) -> Self {
        if matches!(self.seen, Seen::NotAsked) && !self.schema.rules.is_empty() {
            self.seen = match Declared::of(self.schema, self.root, &self.name) {
                Some(declared) => Seen::Known(declared),
                None => Seen::Nothing,
            };
        }
        self
    }

    /// Whether anything below has rules.
    pub(super) fn has_rules(&self) -> bool {
        has_rules(self.schema)
    }
}

/// A product that cannot overflow.
fn times(cost: u64, cardinality: u64) -> u64 {
    cost.saturating_mul(cardinality)
}

/// An error at an expression, which is what has to be changed, and not at the key before it.
fn at(error: FieldError, expression: Option<Span>) -> FieldError {
    FieldError { place: expression.or(error.place), ..error }
}

/// What all rules of a schema cost together.
#[derive(Debug, Default)]
pub(super) struct Total {
    sum: u64,
    /// The dearest, the first of them most.
    most: Vec<(u64, FieldError)>,
}

impl Total {
    fn add(&mut self, cost: u64, path: &Trail<'_>, place: Option<Span>) {
        self.sum = self.sum.saturating_add(cost);
        if cost < PER_SCHEMA / 100 {
            return;
        }
        let error = path.refuse(&EXPENSIVE_RULE).about_rule(RuleFact::AmongExpensive);
        self.most.push((cost, at(error, place)));
        self.most.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
        self.most.truncate(4);
    }

    /// The errors of a schema whose rules cost too much together.
    pub(super) fn finish(self, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
        if self.sum <= PER_SCHEMA {
            return;
        }
        errors.extend(self.most.into_iter().map(|(_, error)| error));
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let fact = RuleFact::TooExpensive { estimate: self.sum, limit: PER_SCHEMA, bounds: Vec::new() };
        errors.push(
            path.refuse(EXPENSIVE_RULES.with(cost_message(what, self.sum, PER_SCHEMA))).about_rule(fact),
        );
    }
}

/// Whether single expressions may cost more than the limit, because they did before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SingleCost {
    /// They may not.
    Limited,
    /// They may.
    Ignored,
}

/// Looks at the expressions of a schema. `path` is that of its list of rules.
pub(super) fn validate(
    scope: &Scope<'_>,
    engine: &Engine,
    single: SingleCost,
    total: &mut Total,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) {
    let declared = match &scope.seen {
        Seen::Known(declared) => declared,
        Seen::NotAsked => return,
        Seen::Nothing => {
            errors.push(path.refuse(&RULES_NOT_COMPILED));
            return;
        }
    };
    for (index, compiled) in compile(scope.schema, declared, &scope.name, engine).iter().enumerate() {
        rule(scope, compiled, engine, single, total, &path.index(index), errors);
    }
}

fn rule(
    scope: &Scope<'_>,
    compiled: &CompiledRule,
    engine: &Engine,
    single: SingleCost,
    total: &mut Total,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) {
    let rule_path = path.child("rule");
    let place = compiled.place();
    let cost = times(compiled.max_cost, scope.cardinality.unwrap_or(compiled.max_cardinality));
    if single == SingleCost::Limited && cost > PER_EXPRESSION {
        let bounds = suggest_bounds(scope.whole, &scope.steps, &compiled.written, engine);
        let fact = RuleFact::TooExpensive { estimate: cost, limit: PER_EXPRESSION, bounds };
        let message = cost_message("estimated rule cost", cost, PER_EXPRESSION);
        errors.push(at(rule_path.refuse(RULE_COST.with(message)).about_rule(fact), place));
    }
    total.add(cost, &rule_path, place);
    if let Err(failure) = &compiled.programs {
        errors.push(not_compiled(failure, &rule_path));
    }
    let message_path = path.child("messageExpression");
    match &compiled.message {
        Some(Err(failure)) => errors.push(not_compiled(failure, &message_path)),
        Some(Ok(cost)) => {
            if single == SingleCost::Limited && *cost > PER_EXPRESSION {
                let fact =
                    RuleFact::TooExpensive { estimate: *cost, limit: PER_EXPRESSION, bounds: Vec::new() };
                let message = cost_message("estimated messageExpression cost", *cost, PER_EXPRESSION);
                let error = message_path.refuse(MESSAGE_COST.with(message)).about_rule(fact);
                errors.push(at(error, compiled.message_place()));
            }
            total.add(*cost, &message_path, compiled.message_place());
        }
        None => {}
    }
    if compiled.uses_old_self {
        if let Some(list) = &scope.uncorrelatable {
            errors.push(rule_path.refuse_text(&compiled.written.rule, RULE_WITH_OLD_SELF.with(list)));
        }
    } else if let Some(value) = compiled.written.optional_old_self {
        errors.push(path.child("optionalOldSelf").refuse_value(value.to_string(), &OPTIONAL_OLD_SELF));
    }
}

fn not_compiled(failure: &Failure, path: &Trail<'_>) -> FieldError {
    path.refuse(RULE_NOT_COMPILED.with(failure.server_text())).about_rule(RuleFact::NotCompiled {
        expression: failure.expression().clone(),
        issues: failure.issues().to_vec(),
    })
}

/// What a rule may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleCost {
    /// The path of its schema, from the root of the schema on, as the server writes it.
    pub path: String,
    /// Its number.
    pub index: usize,
    /// What evaluating it once may cost.
    pub max_cost: u64,
    /// What evaluating it on a whole object may cost.
    pub cost: u64,
    /// What evaluating the expression of its message may cost.
    pub message_cost: Option<u64>,
}

impl Crd {
    /// What the rules of a version may cost that compile.
    pub fn rule_costs(&self, version: &Version, server: KubeVersion) -> Vec<RuleCost> {
        let Some(structural) = self.schema(version).and_then(|schema| Structural::new(schema).ok()) else {
            return Vec::new();
        };
        let engine = Engine::for_new(server);
        let mut costs = Vec::new();
        let path = Trail::root("openAPIV3Schema", None);
        rule_costs(&Scope::root(&structural), &engine, &path, &mut costs);
        costs
    }
}

fn rule_costs(scope: &Scope<'_>, engine: &Engine, path: &Trail<'_>, costs: &mut Vec<RuleCost>) {
    if !scope.has_rules() {
        return;
    }
    if let Seen::Known(declared) = &scope.seen {
        for (index, compiled) in compile(scope.schema, declared, &scope.name, engine).iter().enumerate() {
            if compiled.programs.is_err() {
                continue;
            }
            costs.push(RuleCost {
                path: path.path().to_string(),
                index,
                max_cost: compiled.max_cost,
                cost: times(compiled.max_cost, scope.cardinality.unwrap_or(compiled.max_cardinality)),
                message_cost: compiled.message.as_ref().and_then(|message| message.as_ref().ok().copied()),
            });
        }
    }
    let properties = path.child("properties");
    for key in scope.schema.properties.keys() {
        if let Some(field) = scope.field(key) {
            rule_costs(&field, engine, &properties.key(key), costs);
        }
    }
    if let Some(items) = scope.items(path) {
        rule_costs(&items, engine, &path.child("items"), costs);
    }
    if let Some(values) = scope.values() {
        rule_costs(&values, engine, &path.child("additionalProperties"), costs);
    }
}

//! The rules of a schema, compiled where they stand: every node of the schema that has rules, or has them below it.

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_kube_cel::escape::escape;
use trueline_kube_facts::Failure;
use trueline_kube_facts::FieldPath;
use trueline_source::Span;
use trueline_yaml::Value;

use super::declared::{Declared, MAX_REQUEST, ROOT_NAME};
use super::engine::{Engine, Expression, OldSelf};
use crate::props::{OrBool, Rule};
use crate::structural::Root;
use crate::structural::{Brackets, Structural};

/// The rules of a node and of what is below it.
#[derive(Debug, Default)]
pub(crate) struct NodeRules {
    /// Its own, in the order of the schema.
    pub(crate) rules: Vec<CompiledRule>,
    /// What expressions see of the node; nothing if they cannot see it.
    pub(crate) declared: Option<Arc<Declared>>,
    /// Those of items.
    pub(crate) items: Option<Box<NodeRules>>,
    /// Those of fields.
    pub(crate) properties: BTreeMap<Arc<str>, NodeRules>,
    /// Those of the values of a map.
    pub(crate) values: Option<Box<NodeRules>>,
}

/// A rule that was compiled.
#[derive(Debug)]
pub(crate) struct CompiledRule {
    /// The rule as written.
    pub(crate) written: Rule,
    /// What evaluates it; nothing for an empty rule.
    pub(crate) programs: Result<Option<Programs>, Failure>,
    /// Whether it compares with what was there before.
    pub(crate) uses_old_self: bool,
    /// What evaluating it once may cost.
    pub(crate) max_cost: u64,
    /// How often it may have to be evaluated, if only the size of a request bounds that.
    pub(crate) max_cardinality: u64,
    /// What is wrong with the expression of its message, or what evaluating that may cost.
    pub(crate) message: Option<Result<u64, Failure>>,
    /// The path of the field that it blames, relative to the node, as the server writes it.
    pub(crate) field_path: Option<FieldPath>,
    /// The names on that path.
    field_steps: Vec<Arc<str>>,
}

/// What evaluates a rule.
#[derive(Debug)]
pub(crate) struct Programs {
    /// The rule itself.
    pub(crate) rule: Expression,
    /// The expression of its message.
    pub(crate) message: Option<Expression>,
}

impl NodeRules {
    /// Compiles all rules of a schema; nothing if there are none.
    pub(crate) fn of(schema: &Structural, root: Root, engine: &Engine) -> Option<NodeRules> {
        if !has_rules(schema) {
            return None;
        }
        let declared = Declared::of(schema, root, ROOT_NAME);
        node(schema, declared, &mut ROOT_NAME.to_owned(), engine)
    }
}

/// Whether a schema has rules, at any depth.
pub(crate) fn has_rules(schema: &Structural) -> bool {
    schema.any(&|schema| !schema.rules.is_empty())
}

fn node(
    schema: &Structural,
    declared: Option<Arc<Declared>>,
    name: &mut String,
    engine: &Engine,
) -> Option<NodeRules> {
    if !has_rules(schema) {
        return None;
    }
    let mut found = NodeRules {
        rules: match &declared {
            Some(declared) => compile(schema, declared, name, engine),
            None => Vec::new(),
        },
        ..NodeRules::default()
    };
    let element = declared.as_ref().and_then(|declared| declared.element.clone());
    let length = name.len();
    if let Some(items) = schema.items.as_deref() {
        name.push_str(".@idx");
        found.items = node(items, element.clone(), name, engine).map(Box::new);
        name.truncate(length);
    }
    if let Some(OrBool::Schema(values)) = schema.additional_properties.as_deref() {
        name.push_str(".@elem");
        found.values = node(values, element, name, engine).map(Box::new);
        name.truncate(length);
    }
    for (key, property) in &schema.properties {
        let rules = match escape(key) {
            Some(escaped) => {
                // What expressions cannot see is not validated by them either.
                let field = declared.as_ref().and_then(|declared| declared.fields.get(&*escaped));
                let Some(field) = field.cloned() else { continue };
                name.push('.');
                name.push_str(&escaped);
                node(property, Some(field), name, engine)
            }
            None => {
                let root = if property.extensions.embedded_resource { Root::Resource } else { Root::Value };
                let Some(field) = Declared::of(property, root, ROOT_NAME) else { continue };
                node(property, Some(field), &mut ROOT_NAME.to_owned(), engine)
            }
        };
        name.truncate(length);
        if let Some(rules) = rules {
            found.properties.insert(Arc::clone(key), rules);
        }
    }
    found.declared = declared;
    Some(found)
}

/// Compiles the rules of one node. `name` is the name of its type.
pub(crate) fn compile(
    schema: &Structural,
    declared: &Declared,
    name: &str,
    engine: &Engine,
) -> Vec<CompiledRule> {
    schema.rules.iter().map(|rule| compile_rule(schema, rule, declared, name, engine)).collect()
}

fn compile_rule(
    schema: &Structural,
    rule: &Rule,
    declared: &Declared,
    name: &str,
    engine: &Engine,
) -> CompiledRule {
    let mut compiled = CompiledRule {
        written: rule.clone(),
        programs: Ok(None),
        uses_old_self: false,
        max_cost: 0,
        max_cardinality: 0,
        message: None,
        field_path: None,
        field_steps: Vec::new(),
    };
    if rule.rule.trim().is_empty() {
        return compiled;
    }
    let old = if rule.optional_old_self == Some(true) { OldSelf::Optional } else { OldSelf::Value };
    let scope = engine.scope(declared, name, old);
    let main = match scope.rule(&rule.rule) {
        Ok(main) => main,
        Err(failure) => {
            compiled.programs = Err(failure);
            return compiled;
        }
    };
    compiled.uses_old_self = main.uses_old_self;
    compiled.max_cost = main.max_cost;
    compiled.max_cardinality = (MAX_REQUEST / declared.min_size.saturating_add(1)) as u64;
    let mut programs = Programs { rule: main, message: None };
    if !rule.message_expression.is_empty() {
        compiled.message = Some(match scope.message(&rule.message_expression) {
            Ok(message) => {
                let cost = message.max_cost;
                programs.message = Some(message);
                Ok(cost)
            }
            Err(failure) => Err(failure),
        });
    }
    compiled.programs = Ok(Some(programs));
    // The server gives up on the path where the message cannot be compiled.
    let has_message = !matches!(compiled.message, Some(Err(_)));
    if has_message
        && !rule.field_path.is_empty()
        && let Ok(found) = schema.follow(&rule.field_path, Brackets::Allowed)
    {
        compiled.field_steps = found.steps;
        compiled.field_path = Some(found.path).filter(|path| !path.is_empty());
    }
    compiled
}

impl CompiledRule {
    /// Where the rule was typed.
    pub(crate) fn place(&self) -> Option<Span> {
        self.written.place()
    }

    /// Where the expression of its message was typed.
    pub(crate) fn message_place(&self) -> Option<Span> {
        self.written.places.message_expression
    }

    /// What the server calls the rule in errors.
    pub(crate) fn error_name(&self) -> &str {
        match self.written.message.is_empty() {
            true => self.written.rule.trim(),
            false => self.written.message.trim(),
        }
    }

    /// What the server says where no expression makes a message.
    pub(crate) fn default_message(&self) -> String {
        match self.written.message.is_empty() {
            true => format!("failed rule: {}", self.written.rule.trim()),
            false => self.written.message.trim().to_owned(),
        }
    }

    /// Where the field was typed that the rule blames, or else the only one that it reads. What was not typed inside the
    /// value, such as a default, is not what has to be changed.
    pub(crate) fn field_place(&self, value: &Value) -> Option<Span> {
        let is_within = |place: &Span| {
            value.origin.is_none_or(|around| {
                around.source == place.source && around.start <= place.start && place.end <= around.end
            })
        };
        let place = match self.field_path {
            Some(_) => self.blamed_place(value),
            None => self.read_place(value),
        };
        place.filter(is_within)
    }

    /// Where the only field was typed that the rule reads.
    fn read_place(&self, value: &Value) -> Option<Span> {
        let programs = self.programs.as_ref().ok()?.as_ref()?;
        let keys = programs.rule.only_field.as_ref()?;
        keys.iter().try_fold(value, |value, key| value.get(key))?.origin
    }

    /// Where the field was typed that the rule blames, or the nearest place around it.
    fn blamed_place(&self, value: &Value) -> Option<Span> {
        let mut at = value;
        let mut place = None;
        for step in &self.field_steps {
            let trueline_yaml::Data::Map(map) = &at.data else { break };
            let Some(entry) = map.get(step) else { break };
            place = entry.value.origin.or(entry.key_origin).or(place);
            at = &entry.value;
        }
        place
    }
}

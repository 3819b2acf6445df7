//! Rules in CEL (`x-kubernetes-validations`): what expressions see of a schema, what they cost, and what they say of objects.

mod bounds;
mod compile;
pub(crate) mod declared;
pub(crate) mod engine;
pub(crate) mod evaluate;
pub(crate) mod words;

use std::sync::Arc;

pub(crate) use bounds::suggest_bounds;
pub(crate) use compile::{CompiledRule, NodeRules, compile, has_rules};
pub(crate) use declared::{Declared, ROOT_NAME};
pub(crate) use engine::Engine;
pub(crate) use evaluate::{Findings, Ratchet, evaluate};
pub use trueline_kube_cel::plain::grouped;
pub use trueline_kube_facts::cel_codes::CODES;
pub(crate) use words::told_once;
pub use words::{Locate, rule_finding};

pub(crate) use trueline_kube_cel::escape::escape;

use crate::structural::Structural;

/// A step from a schema to one inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SchemaStep {
    /// A field.
    Field(Arc<str>),
    /// The items of a list.
    Items,
    /// The values of a map.
    Values,
}

/// By how much a schema multiplies the values of the schemas inside it; nothing if there is no bound.
pub(crate) fn max_elements(schema: &Structural) -> Option<u64> {
    let validation = schema.value_validation.as_deref();
    let bound = |most: Option<i64>| most.map(|most| u64::try_from(most).unwrap_or(0));
    match &*schema.generic.type_name {
        "object" if schema.additional_properties.is_some() => {
            bound(validation.and_then(|validation| validation.max_properties))
        }
        "array" => bound(validation.and_then(|validation| validation.max_items)),
        _ => Some(1),
    }
}

/// What the server says of an expression that may cost too much.
pub(crate) fn cost_message(what: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    )
}

//! Rules in CEL (`x-kubernetes-validations`): what expressions see of a schema, what they cost, and what they say of objects.

mod admission;
mod bounds;
pub(crate) mod codes;
mod compile;
mod declared;
mod device;
mod engine;
pub(crate) mod evaluate;
mod plain;
pub mod policy;
pub mod query;
mod reads;
mod words;
mod written;

use std::sync::Arc;

pub(crate) use admission::{Admission, Extra, Patch};
pub(crate) use bounds::suggest_bounds;
pub use codes::CODES;
pub(crate) use compile::{CompiledRule, NodeRules, compile, has_rules};
pub(crate) use declared::{Declared, ROOT_NAME};
pub(crate) use device::{PER_SELECTOR, compile_device_selector};
pub(crate) use engine::{Engine, Failure};
pub(crate) use evaluate::{Findings, Ratchet, evaluate};
pub use words::{Locate, grouped};
pub(crate) use words::{rule_finding, told_once};

pub(crate) use trueline_kube_cel::escape::{escape, is_reserved};

use crate::structural::Structural;

/// What one expression may cost, times how often it may be evaluated.
pub(crate) const PER_EXPRESSION: u64 = 10_000_000;

/// What all rules of a schema may cost together.
pub(crate) const PER_SCHEMA: u64 = 100_000_000;

/// What one evaluation may cost.
pub(crate) const PER_CALL: u64 = 1_000_000;

/// What all rules may cost on one object.
pub(crate) const PER_OBJECT: u64 = 10_000_000;

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

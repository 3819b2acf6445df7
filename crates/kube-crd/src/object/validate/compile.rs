//! A schema made ready: both parts of a structural schema in one form, patterns compiled, formats looked up.

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_apimachinery::formats::{self, Check};
use trueline_apimachinery::pattern::Pattern;

use super::Purpose;
use super::choices::Choices;
use crate::props::OrBool;
use crate::structural::ratchet::Correlates;
use crate::structural::{Extensions, Generic, NestedValueValidation, Structural, ValueValidation};
use crate::value::with_server_numbers;

/// How deep schemas may be nested. Real ones stay below 60; checking calls itself for each level.
const MAX_DEPTH: usize = 250;

/// A schema as it is checked. Most fields have nothing but a type, so what few have is in a box.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The types that are allowed; any, if none is named.
    pub(super) types: Vec<Arc<str>>,
    pub(super) nullable: bool,
    pub(super) format: Arc<str>,
    pub(super) format_check: Option<Check>,
    pub(super) numbers: Option<Box<Numbers>>,
    pub(super) sizes: Option<Box<Sizes>>,
    pub(super) pattern: Option<Box<NamedPattern>>,
    pub(super) choices: Option<Box<Choices>>,
    pub(super) items: Option<Box<Node>>,
    pub(super) unique_items: bool,
    /// Each is in a box: a map of a few fields makes room for eleven.
    pub(super) properties: BTreeMap<Arc<str>, Box<Node>>,
    pub(super) additional: Additional,
    pub(super) required: Vec<Arc<str>>,
    pub(super) junctors: Option<Box<Junctors>>,
    /// The keys that items are known by, if they can be found again in another list.
    pub(super) list_keys: Option<Vec<Arc<str>>>,
    /// The schema is nested deeper than the limit here; nothing below is checked.
    pub(super) is_cut: bool,
}

impl Correlates for Node {
    fn list_keys(&self) -> Option<&[Arc<str>]> {
        self.list_keys.as_deref()
    }

    fn item(&self) -> Option<&Self> {
        self.items.as_deref()
    }

    fn member(&self, key: &str) -> Option<&Self> {
        self.properties.get(key).map(|property| &**property).or(match &self.additional {
            Additional::Schema(schema) => Some(schema),
            Additional::Any | Additional::None => None,
        })
    }
}

/// What fields may be there that have no schema of their own.
#[derive(Debug, Default)]
pub(super) enum Additional {
    #[default]
    Any,
    None,
    Schema(Box<Node>),
}

/// Schemas that a value has to match as well: all of them, one of them, or none.
#[derive(Debug, Default)]
pub(super) struct Junctors {
    pub(super) all_of: Vec<Node>,
    pub(super) any_of: Vec<Node>,
    pub(super) one_of: Vec<Node>,
    pub(super) not: Option<Node>,
}

/// How large values may be.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sizes {
    pub(super) max_length: Option<i64>,
    pub(super) min_length: Option<i64>,
    pub(super) max_items: Option<i64>,
    pub(super) min_items: Option<i64>,
    pub(super) max_properties: Option<i64>,
    pub(super) min_properties: Option<i64>,
}

/// What is demanded of numbers.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Numbers {
    pub(super) maximum: Option<f64>,
    pub(super) exclusive_maximum: bool,
    pub(super) minimum: Option<f64>,
    pub(super) exclusive_minimum: bool,
    pub(super) multiple_of: Option<f64>,
}

/// A pattern as written and as compiled, or why it cannot be.
#[derive(Debug)]
pub(super) struct NamedPattern {
    pub(super) text: Arc<str>,
    pub(super) compiled: Result<Pattern, String>,
}

/// Makes a structural schema ready.
pub(super) fn structural(schema: &Structural, purpose: Purpose) -> Node {
    Compiler { purpose, depth: 0 }.structural(schema)
}

struct Compiler {
    purpose: Purpose,
    depth: usize,
}

impl Compiler {
    fn structural(&mut self, schema: &Structural) -> Node {
        let mut node = Node::default();
        if self.enter(&mut node) {
            if let Some(validation) = &schema.value_validation {
                self.value_validation(&mut node, validation);
            }
            self.generic(&mut node, &schema.generic, &schema.extensions);
            node.items = schema.items.as_deref().map(|items| Box::new(self.structural(items)));
            node.properties = schema
                .properties
                .iter()
                .map(|(name, property)| (Arc::clone(name), Box::new(self.structural(property))))
                .collect();
            node.additional = match schema.additional_properties.as_deref() {
                None | Some(OrBool::Bool(true)) => Additional::Any,
                Some(OrBool::Bool(false)) => Additional::None,
                Some(OrBool::Schema(schema)) => Additional::Schema(Box::new(self.structural(schema))),
            };
            let extensions = &schema.extensions;
            if extensions.list_type.as_deref() == Some("map") {
                let is_list = &*schema.generic.type_name == "array";
                node.list_keys = Some(if is_list { extensions.list_map_keys.clone() } else { Vec::new() });
            }
        }
        self.depth -= 1;
        node
    }

    fn nested(&mut self, schema: &NestedValueValidation) -> Node {
        let mut node = Node::default();
        if self.enter(&mut node) {
            self.value_validation(&mut node, &schema.value_validation);
            self.generic(&mut node, &schema.forbidden_generic, &schema.forbidden_extensions);
            node.items = schema.items.as_deref().map(|items| Box::new(self.nested(items)));
            node.properties = schema
                .properties
                .iter()
                .map(|(name, property)| (Arc::clone(name), Box::new(self.nested(property))))
                .collect();
            node.additional = match schema.additional_properties.as_deref() {
                _ if self.purpose == Purpose::Defaults => Additional::Any,
                None | Some(OrBool::Bool(true)) => Additional::Any,
                Some(OrBool::Bool(false)) => Additional::None,
                Some(OrBool::Schema(schema)) => Additional::Schema(Box::new(self.nested(schema))),
            };
        }
        self.depth -= 1;
        node
    }

    /// Goes one level down; whether there is still room.
    fn enter(&mut self, node: &mut Node) -> bool {
        self.depth += 1;
        node.is_cut = self.depth > MAX_DEPTH;
        !node.is_cut
    }

    fn generic(&mut self, node: &mut Node, generic: &Generic, extensions: &Extensions) {
        node.nullable = generic.nullable;
        if extensions.int_or_string && self.purpose == Purpose::Objects {
            node.types = vec!["integer".into(), "string".into()];
        } else if !generic.type_name.is_empty() {
            node.types = vec![Arc::clone(&generic.type_name)];
        }
    }

    fn value_validation(&mut self, node: &mut Node, validation: &ValueValidation) {
        node.format_check = formats::check(&validation.format);
        if node.format_check.is_some() || self.purpose == Purpose::Defaults {
            node.format = Arc::clone(&validation.format);
        }
        node.numbers = unless_default(Numbers {
            maximum: validation.maximum,
            exclusive_maximum: validation.exclusive_maximum,
            minimum: validation.minimum,
            exclusive_minimum: validation.exclusive_minimum,
            multiple_of: validation.multiple_of,
        });
        node.sizes = unless_default(Sizes {
            max_length: validation.max_length,
            min_length: validation.min_length,
            max_items: validation.max_items,
            min_items: validation.min_items,
            max_properties: validation.max_properties,
            min_properties: validation.min_properties,
        });
        if !validation.pattern.is_empty() {
            let compiled = Pattern::new(&validation.pattern).map_err(String::from);
            node.pattern = Some(Box::new(NamedPattern { text: Arc::clone(&validation.pattern), compiled }));
        }
        node.unique_items = validation.unique_items;
        if !validation.choices.is_empty() {
            let choices = validation.choices.iter().map(with_server_numbers).collect();
            node.choices = Some(Box::new(choices));
        }
        node.required = validation.required.clone();
        let mut branches = |branches: &[NestedValueValidation]| -> Vec<Node> {
            branches.iter().map(|branch| self.nested(branch)).collect()
        };
        let junctors = Junctors {
            all_of: branches(&validation.all_of),
            any_of: branches(&validation.any_of),
            one_of: branches(&validation.one_of),
            not: validation.not.as_deref().map(|not| self.nested(not)),
        };
        node.junctors = (!junctors.is_empty()).then(|| Box::new(junctors));
    }
}

impl Junctors {
    fn is_empty(&self) -> bool {
        self.all_of.is_empty() && self.any_of.is_empty() && self.one_of.is_empty() && self.not.is_none()
    }
}

/// A box for something that says anything.
fn unless_default<T: Default + PartialEq>(found: T) -> Option<Box<T>> {
    (found != T::default()).then(|| Box::new(found))
}

//! JSON Schema as a rule: `assert.json_schema({...})`, for what types and named rules of ytt do not say, such as a value of
//! several types or a map with any keys. A schema is validation keywords of the draft 2020-12 without references.

mod check;
mod number;
mod read;
#[cfg(test)]
mod tests;

use std::fmt;
use std::rc::Rc;

use trueline_starlark::{Error, Thread};

use super::check::Pattern;
use super::format::Format;
use crate::tree::Value;

pub(crate) use read::is_common_pattern;

/// A schema that was read.
#[derive(Clone)]
pub struct JsonSchema {
    source: Value,
    root: Rc<Node>,
}

impl JsonSchema {
    /// A schema, as it was written.
    ///
    /// # Errors
    /// For keywords that are unknown or have a wrong value, and if the limits are reached.
    pub fn new(source: Value, thread: &Thread) -> Result<JsonSchema, Error> {
        let root = Rc::new(read::node(&source, thread, 0)?);
        Ok(JsonSchema { source, root })
    }

    /// As it was written.
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// What a value breaks first, if anything. The words do not repeat the value.
    ///
    /// # Errors
    /// If the limits are reached.
    pub fn broken(&self, value: &Value, thread: &Thread) -> Result<Option<String>, Error> {
        let broken = check::check(&self.root, value, thread)?;
        Ok(broken.map(|broken| broken.to_string()))
    }
}

impl fmt::Debug for JsonSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JsonSchema")
    }
}

/// A schema, or a part of one.
enum Node {
    Never,
    /// All of these; none at all for a schema that accepts everything.
    Rules(Vec<Rule>),
}

/// A keyword, or several that count together.
enum Rule {
    Types(Types),
    /// `enum` and `const`.
    Values(Vec<Value>),
    Bound(Bound, Value),
    MultipleOf(Value),
    /// A length, by the keyword.
    Size(Measured, Side, u64),
    Pattern(Pattern),
    Format(Format),
    Items {
        first: Vec<Node>,
        others: Option<Node>,
    },
    UniqueItems,
    Contains {
        item: Node,
        least: u64,
        most: Option<u64>,
    },
    Keys {
        properties: Vec<(String, Node)>,
        patterns: Vec<(Pattern, Node)>,
        others: Option<Node>,
    },
    Required(Vec<String>),
    Names(Node),
    DependentRequired(Vec<(String, Vec<String>)>),
    DependentSchemas(Vec<(String, Node)>),
    AllOf(Vec<Node>),
    AnyOf(Vec<Node>),
    OneOf(Vec<Node>),
    Not(Node),
    If {
        condition: Node,
        then: Option<Node>,
        otherwise: Option<Node>,
    },
}

/// A set of types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Types(u8);

impl Types {
    /// With the names that messages use.
    const NAMES: [(&'static str, &'static str); 7] = [
        ("string", "a string"),
        ("number", "a number"),
        ("integer", "an integer"),
        ("boolean", "a boolean"),
        ("array", "a list"),
        ("object", "a map"),
        ("null", "null"),
    ];

    fn add(&mut self, name: &str) -> bool {
        let place = Types::NAMES.iter().position(|(known, _)| *known == name);
        if let Some(place) = place {
            self.0 |= 1 << place;
        }
        place.is_some()
    }

    fn has(self, name: &str) -> bool {
        Types::NAMES
            .iter()
            .position(|(known, _)| *known == name)
            .is_some_and(|place| self.0 & (1 << place) != 0)
    }

    fn accept(self, value: &Value) -> bool {
        match value {
            Value::Null => self.has("null"),
            Value::Bool(_) => self.has("boolean"),
            Value::Int(_) | Value::UInt(_) => self.has("integer") || self.has("number"),
            Value::Float(float) => self.has("number") || self.has("integer") && float.fract() == 0.0,
            Value::String(_) => self.has("string"),
            Value::Array(_) => self.has("array"),
            Value::Map(_) => self.has("object"),
        }
    }

    /// In words, such as `a string or null`.
    fn words(self) -> String {
        let names: Vec<&str> =
            Types::NAMES.iter().filter(|(name, _)| self.has(name)).map(|(_, words)| *words).collect();
        match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => "nothing".to_owned(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
}

/// What has a length: a string in characters, a list in items, a map in keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measured {
    String,
    Array,
    Map,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Least,
    Most,
}

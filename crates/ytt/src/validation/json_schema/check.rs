//! Values against schemas.

use std::cmp::Ordering;
use std::fmt;

use trueline_starlark::{Error, Thread};

use super::number::{compare, is_multiple};
use super::{Bound, Measured, Node, Rule, Side};
use crate::schema::name_of;
use crate::tree::{Map, Value};
use crate::validation::check::has_format;

/// Places are not shown longer than this.
const LONGEST_PATH: usize = 200;

/// What a value breaks.
pub(super) struct Broken {
    /// Keys and indexes, from the innermost.
    path: Vec<String>,
    words: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut path = String::new();
        for step in self.path.iter().rev() {
            if path.len() + step.len() > LONGEST_PATH {
                path.push('…');
                break;
            }
            if !path.is_empty() && !step.starts_with('[') {
                path.push('.');
            }
            path.push_str(step);
        }
        match path.as_str() {
            "" => f.write_str(&self.words),
            path => write!(f, "{path}: {}", self.words),
        }
    }
}

type Verdict = Result<Option<Broken>, Error>;

fn breaks(words: impl Into<String>) -> Verdict {
    Ok(Some(Broken { path: Vec::new(), words: words.into() }))
}

fn meets(is_met: bool, keyword: &str) -> Verdict {
    if is_met { Ok(None) } else { breaks(format!("`{keyword}` is not met")) }
}

/// What is broken in a part of a value, with its key or index.
fn inside(verdict: Verdict, step: impl FnOnce() -> String) -> Verdict {
    verdict.map(|broken| {
        broken.map(|mut broken| {
            broken.path.push(step());
            broken
        })
    })
}

/// What a value breaks first.
pub(super) fn check(node: &Node, value: &Value, thread: &Thread) -> Verdict {
    thread.spend(1)?;
    match node {
        Node::Never => breaks("not allowed"),
        Node::Rules(rules) => {
            for rule in rules {
                let broken = of_rule(rule, value, thread)?;
                if broken.is_some() {
                    return Ok(broken);
                }
            }
            Ok(None)
        }
    }
}

fn accepts(node: &Node, value: &Value, thread: &Thread) -> Result<bool, Error> {
    check(node, value, thread).map(|broken| broken.is_none())
}

fn of_rule(rule: &Rule, value: &Value, thread: &Thread) -> Verdict {
    thread.spend(1)?;
    match rule {
        Rule::Types(types) if types.accept(value) => Ok(None),
        Rule::Types(types) => breaks(format!("expected {}, found {}", types.words(), found(value))),
        Rule::Values(values) => {
            for allowed in values {
                if is_same(allowed, value, thread)? {
                    return Ok(None);
                }
            }
            breaks("not one of allowed values")
        }
        Rule::Bound(bound, limit) => of_bound(*bound, limit, value),
        Rule::MultipleOf(factor) => {
            let is_number = matches!(value, Value::Int(_) | Value::UInt(_) | Value::Float(_));
            meets(!is_number || is_multiple(value, factor), "multipleOf")
        }
        Rule::Size(measured, side, limit) => of_size(*measured, *side, *limit, value, thread),
        Rule::Pattern(pattern) => match value {
            Value::String(text) => meets(pattern.matches(text.as_bytes(), thread)?, "pattern"),
            _ => Ok(None),
        },
        Rule::Format(format) => match value {
            Value::String(text) if !has_format(text.as_bytes(), *format, thread)? => {
                breaks(format!("not a valid {}", format.json_schema_name()))
            }
            _ => Ok(None),
        },
        Rule::Items { .. } | Rule::UniqueItems | Rule::Contains { .. } => of_array(rule, value, thread),
        Rule::Keys { .. }
        | Rule::Required(_)
        | Rule::Names(_)
        | Rule::DependentRequired(_)
        | Rule::DependentSchemas(_) => match value {
            Value::Map(map) => of_map(rule, map, value, thread),
            _ => Ok(None),
        },
        Rule::AllOf(nodes) => {
            for node in nodes {
                let broken = check(node, value, thread)?;
                if broken.is_some() {
                    return Ok(broken);
                }
            }
            Ok(None)
        }
        Rule::AnyOf(nodes) => meets(count(nodes, value, 1, thread)? == 1, "anyOf"),
        Rule::OneOf(nodes) => meets(count(nodes, value, 2, thread)? == 1, "oneOf"),
        Rule::Not(node) => meets(!accepts(node, value, thread)?, "not"),
        Rule::If { condition, then, otherwise } => {
            let branch = if accepts(condition, value, thread)? { then } else { otherwise };
            branch.as_ref().map_or(Ok(None), |branch| check(branch, value, thread))
        }
    }
}

/// How many schemas accept a value, counted up to a limit.
fn count(nodes: &[Node], value: &Value, most: usize, thread: &Thread) -> Result<usize, Error> {
    let mut count = 0;
    for node in nodes {
        if count < most && accepts(node, value, thread)? {
            count += 1;
        }
    }
    Ok(count)
}

fn of_bound(bound: Bound, limit: &Value, value: &Value) -> Verdict {
    let Some(order) = compare(value, limit) else { return Ok(None) };
    let (is_met, keyword) = match bound {
        Bound::Minimum => (order != Ordering::Less, "minimum"),
        Bound::Maximum => (order != Ordering::Greater, "maximum"),
        Bound::ExclusiveMinimum => (order == Ordering::Greater, "exclusiveMinimum"),
        Bound::ExclusiveMaximum => (order == Ordering::Less, "exclusiveMaximum"),
    };
    meets(is_met, keyword)
}

fn of_size(measured: Measured, side: Side, limit: u64, value: &Value, thread: &Thread) -> Verdict {
    let length = match (measured, value) {
        (Measured::String, Value::String(text)) => {
            thread.spend(text.as_bytes().len() / 8)?;
            text.to_str_lossy().chars().count()
        }
        (Measured::Array, Value::Array(array)) => array.items.len(),
        (Measured::Map, Value::Map(map)) => map.items.len(),
        _ => return Ok(None),
    };
    let is_met = match side {
        Side::Least => length as u64 >= limit,
        Side::Most => length as u64 <= limit,
    };
    if is_met { Ok(None) } else { breaks(format!("length = {length}")) }
}

fn of_array(rule: &Rule, value: &Value, thread: &Thread) -> Verdict {
    let Value::Array(array) = value else { return Ok(None) };
    match rule {
        Rule::Items { first, others } => {
            for (index, item) in array.items.iter().enumerate() {
                let Some(node) = first.get(index).or(others.as_ref()) else { break };
                let broken = inside(check(node, &item.value, thread), || format!("[{index}]"))?;
                if broken.is_some() {
                    return Ok(broken);
                }
            }
            Ok(None)
        }
        Rule::Contains { item, least, most } => {
            let mut count = 0;
            for one in &array.items {
                count += u64::from(accepts(item, &one.value, thread)?);
            }
            meets(count >= *least && most.is_none_or(|most| count <= most), "contains")
        }
        _ => {
            for (index, one) in array.items.iter().enumerate() {
                for two in array.items.iter().skip(index + 1) {
                    if is_same(&one.value, &two.value, thread)? {
                        return breaks("two items are the same");
                    }
                }
            }
            Ok(None)
        }
    }
}

fn of_map(rule: &Rule, map: &Map, value: &Value, thread: &Thread) -> Verdict {
    let has = |name: &str| map.items.iter().any(|item| is_key(&item.key, name));
    let all = |names: &[String]| {
        thread.spend(names.len().saturating_mul(map.items.len()))?;
        match names.iter().find(|name| !has(name)) {
            None => Ok(None),
            Some(name) => breaks(format!("`{name}` is missing")),
        }
    };
    match rule {
        Rule::Required(names) => all(names),
        Rule::DependentRequired(dependent) => {
            for (name, names) in dependent {
                let broken = if has(name) { all(names)? } else { None };
                if broken.is_some() {
                    return Ok(broken);
                }
            }
            Ok(None)
        }
        Rule::DependentSchemas(dependent) => {
            for (name, node) in dependent {
                let broken = if has(name) { check(node, value, thread)? } else { None };
                if broken.is_some() {
                    return Ok(broken);
                }
            }
            Ok(None)
        }
        Rule::Names(node) => {
            for item in &map.items {
                let name = name_of(&item.key);
                let broken = inside(check(node, &Value::string(name.as_str()), thread), || name.clone())?;
                if broken.is_some() {
                    return Ok(broken);
                }
            }
            Ok(None)
        }
        Rule::Keys { properties, patterns, others } => {
            for item in &map.items {
                let name = name_of(&item.key);
                thread.spend(properties.len() + patterns.len())?;
                let mut nodes: Vec<&Node> =
                    properties.iter().filter(|(known, _)| *known == name).map(|(_, node)| node).collect();
                for (pattern, node) in patterns {
                    if pattern.matches(name.as_bytes(), thread)? {
                        nodes.push(node);
                    }
                }
                if nodes.is_empty() {
                    nodes.extend(others);
                }
                for node in nodes {
                    let broken = inside(check(node, &item.value, thread), || name.clone())?;
                    if broken.is_some() {
                        return Ok(broken);
                    }
                }
            }
            Ok(None)
        }
        _ => Ok(None),
    }
}

fn is_key(key: &Value, name: &str) -> bool {
    match key {
        Value::String(text) => *text == *name,
        other => name_of(other) == name,
    }
}

/// Whether two values are the same to JSON: `1` is `1.0`, and the order of keys does not matter.
fn is_same(one: &Value, two: &Value, thread: &Thread) -> Result<bool, Error> {
    thread.spend(1)?;
    Ok(match (one, two) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(one), Value::Bool(two)) => one == two,
        (Value::String(one), Value::String(two)) => {
            thread.spend(one.as_bytes().len() / 8)?;
            one == two
        }
        (Value::Array(one), Value::Array(two)) => {
            if one.items.len() != two.items.len() {
                return Ok(false);
            }
            for (one, two) in one.items.iter().zip(&two.items) {
                if !is_same(&one.value, &two.value, thread)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(one), Value::Map(two)) => {
            if one.items.len() != two.items.len() {
                return Ok(false);
            }
            for item in &one.items {
                thread.spend(two.items.len())?;
                let name = name_of(&item.key);
                let other = two.items.iter().find(|other| is_key(&other.key, &name));
                match other {
                    Some(other) if is_same(&item.value, &other.value, thread)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        _ => compare(one, two) == Some(Ordering::Equal),
    })
}

fn found(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Int(_) | Value::UInt(_) => "an integer",
        Value::Float(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Map(_) => "a map",
    }
}

//! What types and named rules do not say: JSON Schemas as rules.

use trueline_yaml::{NodeRef, ScalarValue};

use super::convert::{ANYTHING, Converter, Null, any};
use super::inline::plain;
use super::write::{Example, Node, flow as write_flow, starlark, starlark_string};
use super::{Dialect, ImportError};
use crate::tree::{Value, read_one};
use crate::validation::JsonSchema;

impl<'d> Converter<'d> {
    /// A value of any type, checked against the whole schema, and whether it may be null.
    pub(super) fn checked_value(
        &mut self,
        schema: NodeRef<'d>,
        path: &str,
        declared: Null,
    ) -> Result<(Node, Null), ImportError> {
        let inlined = self.inlined(schema, path)?;
        let Some(rule) = self.compiled(inlined, path, schema) else {
            let declared = match self.dialect {
                // Without a type, null is as good as anything.
                Dialect::JsonSchema if schema.get("type").is_none() => Null::Allowed,
                _ => declared,
            };
            let nothing = if path.is_empty() { "{}" } else { "null" };
            let default =
                schema.get("default").filter(|default| !path.is_empty() || default.entries().is_some());
            let mut node = any(default.and_then(flow).as_deref().unwrap_or(nothing));
            node.is_valid = declared == Null::Allowed || node.example.is_not_null();
            return Ok((node, declared));
        };
        let null = match self.dialect {
            Dialect::JsonSchema if declared == Null::Refused => match self.accepts(&rule, &Value::Null) {
                true => Null::Allowed,
                false => Null::Refused,
            },
            _ => declared,
        };
        // The whole document is a map, whether or not it can be left as it is.
        let default = match path.is_empty() {
            true => self
                .default_for(&rule, schema)
                .filter(|value| value.as_map().is_some())
                .or(read_one("{}").ok()),
            false => self.default_for(&rule, schema),
        };
        let mut node = any(&default.as_ref().map_or_else(|| "null".to_owned(), write_flow));
        node.is_valid = default.is_some() || null == Null::Allowed;
        node.rules.push(rule_text(&rule));
        Ok((node, null))
    }

    /// Adds a rule for keywords that the type of a node does not say.
    pub(super) fn check_besides(
        &mut self,
        node: &mut Node,
        schema: NodeRef<'d>,
        keywords: &[&str],
        path: &str,
    ) -> Result<(), ImportError> {
        if let Some(rule) = self.rule_besides(schema, keywords, path)? {
            let default = match &node.example {
                Example::Inline(text) => read_one(text.as_str()).ok(),
                Example::Array(_) => read_one("[]").ok(),
                Example::Map(_) => None,
            };
            node.is_valid &= default.is_some_and(|default| self.accepts(&rule, &default));
            node.rules.push(rule_text(&rule));
        }
        Ok(())
    }

    /// The rule for some keywords of a schema, if they say anything.
    pub(super) fn rule_besides(
        &mut self,
        schema: NodeRef<'d>,
        keywords: &[&str],
        path: &str,
    ) -> Result<Option<JsonSchema>, ImportError> {
        if !keywords.iter().any(|keyword| schema.get(keyword).is_some()) {
            return Ok(None);
        }
        let inlined = self.inlined_keywords(schema, keywords, path)?;
        Ok(self.compiled(inlined, path, schema))
    }

    fn compiled(&mut self, inlined: Option<Value>, path: &str, schema: NodeRef<'d>) -> Option<JsonSchema> {
        let compiled = JsonSchema::new(inlined?, &self.thread);
        if compiled.is_err() {
            // That it is not a schema only shows when it is compiled.
            for (key, _) in schema.entries().into_iter().flatten() {
                self.note(&key.key_text(), path, key, ANYTHING);
            }
        }
        compiled.ok()
    }

    fn accepts(&self, rule: &JsonSchema, value: &Value) -> bool {
        rule.broken(value, &self.thread).is_ok_and(|broken| broken.is_none())
    }

    /// A default that a schema accepts: its own, an allowed value, or the simplest of a type.
    fn default_for(&self, rule: &JsonSchema, schema: NodeRef<'d>) -> Option<Value> {
        let own = schema.get("default").into_iter();
        let allowed = schema.get("enum").and_then(NodeRef::items).into_iter().flatten();
        let written = own.chain(schema.get("const")).chain(allowed).filter_map(|value| plain(value, 0).ok());
        let simple = ["\"\"", "{}", "[]", "0", "false", "\"a\"", "1"];
        let simple = simple.iter().filter_map(|text| read_one(*text).ok());
        written.chain(simple).find(|value| !value.is_null() && self.accepts(rule, value))
    }
}

/// A rule as it is written.
pub(super) fn rule_text(rule: &JsonSchema) -> String {
    let source = rule.source();
    format!("({}, assert.json_schema({}))", starlark_string(&words(source)), starlark(source))
}

/// What a schema wants, in words.
fn words(schema: &Value) -> String {
    let get = |name: &str| {
        let item = schema
            .as_map()?
            .items
            .iter()
            .find(|item| matches!(&item.key, Value::String(key) if *key == *name));
        item.map(|item| &item.value)
    };
    let is_only = |names: &[&str]| {
        let is_known =
            |key: &Value| matches!(key, Value::String(key) if names.iter().any(|name| *key == **name));
        schema.as_map().is_some_and(|map| map.items.iter().all(|item| is_known(&item.key)))
    };
    let bound =
        ["exclusiveMinimum", "exclusiveMaximum", "multipleOf"].into_iter().find(|name| is_only(&[*name]));
    if let Some((name, bound)) = bound.and_then(|name| Some((name, get(name)?))) {
        let words = match name {
            "exclusiveMinimum" => "a value >",
            "exclusiveMaximum" => "a value <",
            _ => "a multiple of",
        };
        return format!("{words} {}", starlark(bound));
    }
    let mut types = get("type").map(type_names).unwrap_or_default();
    // Null is an afterthought.
    types.sort_by_key(|name| *name == "null");
    let of = |inner: Option<&Value>| {
        let inner = inner?.as_map()?;
        let [only] = inner.items.as_slice() else { return None };
        let is_type = matches!(&only.key, Value::String(key) if *key == *"type");
        let name = only.value.as_text().filter(|_| is_type)?.to_str_lossy().into_owned();
        Some(match name.as_str() {
            "object" => "maps".to_owned(),
            "array" => "lists".to_owned(),
            name => format!("{name}s"),
        })
    };
    let plural = match types.as_slice() {
        ["a map"] if is_only(&["type", "additionalProperties"]) => of(get("additionalProperties")),
        ["a list"] if is_only(&["type", "items"]) => of(get("items")),
        _ => None,
    };
    match (types.split_last(), plural) {
        (Some((one, _)), Some(plural)) => format!("{one} of {plural}"),
        (Some((last, others)), None) if is_only(&["type"]) => match others {
            [] => (*last).to_owned(),
            _ => format!("{} or {last}", others.join(", ")),
        },
        _ => "a value that its JSON Schema accepts".to_owned(),
    }
}

fn type_names(types: &Value) -> Vec<&'static str> {
    let names = match types {
        Value::Array(array) => array.items.iter().map(|item| &item.value).collect(),
        one => vec![one],
    };
    let name = |name: &Value| {
        Some(match &*name.as_text()?.to_str_lossy() {
            "string" => "a string",
            "integer" => "an integer",
            "number" => "a number",
            "boolean" => "a boolean",
            "object" => "a map",
            "array" => "a list",
            "null" => "null",
            _ => return None,
        })
    };
    names.into_iter().filter_map(name).collect()
}

/// A value of a schema on one line.
fn flow(value: NodeRef<'_>) -> Option<String> {
    if value.scalar() == Some(ScalarValue::Null) {
        return None;
    }
    plain(value, 0).ok().map(|value| write_flow(&value))
}

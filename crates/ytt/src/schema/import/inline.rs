//! Schemas as `assert.json_schema` takes them: without references, documentation and the spellings of earlier drafts.

use trueline_yaml::{NodeRef, ScalarValue};

use super::convert::{ANYTHING, Converter, LOST};
use super::reference::resolve;
use super::{Dialect, ImportError, is_true};
use crate::tree::{Array, ArrayItem, Map, MapItem, Value};
use crate::validation::{Format, is_common_pattern};

/// What may become of a keyword that cannot be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    /// Without it the schema accepts more.
    Allowed,
    /// Without it the schema accepts something else, such as inside of `not`: whatever it is in is lost as well.
    Refused,
}

/// Keywords that can be said as they are.
const PLAIN: [&str; 18] = [
    "enum",
    "const",
    "minimum",
    "maximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "required",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "dependentRequired",
];

/// Keywords that cannot be said.
const UNKNOWN: [&str; 7] = [
    "$dynamicRef",
    "$recursiveRef",
    "unevaluatedProperties",
    "unevaluatedItems",
    "x-kubernetes-validations",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-list-type",
];

/// A keyword that is not said, and no schema can be made without it.
#[derive(Debug)]
pub(super) struct Unsaid;

pub(super) type Inlined = Result<Value, Unsaid>;

impl<'d> Converter<'d> {
    /// A schema without a reference that a rule can check; none if it says nothing. What is lost is noted.
    pub(super) fn inlined(&mut self, schema: NodeRef<'d>, path: &str) -> Result<Option<Value>, ImportError> {
        let inlined = self.keywords(schema, &|_| true, path, Loss::Allowed);
        self.within_limits()?;
        Ok(inlined.ok().filter(|schema| !says_nothing(schema)))
    }

    /// The same of some keywords of a schema.
    pub(super) fn inlined_keywords(
        &mut self,
        schema: NodeRef<'d>,
        keywords: &[&str],
        path: &str,
    ) -> Result<Option<Value>, ImportError> {
        let is_wanted = |keyword: &str| match keyword {
            "then" | "else" => keywords.contains(&"if"),
            keyword => keywords.contains(&keyword),
        };
        let inlined = self.keywords(schema, &is_wanted, path, Loss::Allowed);
        self.within_limits()?;
        Ok(inlined.ok().filter(|schema| !says_nothing(schema)))
    }

    fn inline(&mut self, written: NodeRef<'d>, path: &str, loss: Loss) -> Inlined {
        self.count();
        if self.within_limits().is_err() {
            return Err(Unsaid);
        }
        let target = resolve(self.root, written).filter(|target| !self.open.contains(&target.id()));
        let Some(schema) = target else {
            if let Some((key, _)) = written.get_entry("$ref") {
                self.note("$ref", path, key, ANYTHING);
            }
            return unsaid(loss);
        };
        self.open.push(schema.id());
        let inlined = match schema.scalar() {
            Some(ScalarValue::Bool(value)) => Ok(Value::Bool(value)),
            _ => self.keywords(schema, &|_| true, path, loss),
        };
        self.open.pop();
        // Beside a reference earlier drafts read nothing.
        let is_alone = schema.id() == written.id() || self.ignores_siblings();
        if is_alone {
            return inlined;
        }
        let siblings = self.keywords(written, &|keyword| keyword != "$ref", path, loss)?;
        Ok(match (inlined?, says_nothing(&siblings)) {
            (target, true) => target,
            (target, false) => map([("allOf", list([target, siblings]))]),
        })
    }

    fn keywords(
        &mut self,
        schema: NodeRef<'d>,
        is_wanted: &dyn Fn(&str) -> bool,
        path: &str,
        loss: Loss,
    ) -> Inlined {
        let mut said: Vec<(String, Value)> = Vec::new();
        for (key, value) in schema.entries().into_iter().flatten() {
            let keyword = key.key_text();
            if !is_wanted(&keyword) {
                continue;
            }
            match self.keyword(schema, &keyword, value, path, loss) {
                Ok(more) => said.extend(more),
                Err(Unsaid) => {
                    self.note(&keyword, path, key, LOST);
                    if loss == Loss::Refused {
                        return Err(Unsaid);
                    }
                }
            }
        }
        Ok(map(said.iter().map(|(keyword, value)| (keyword.as_str(), value.clone()))))
    }

    /// What a keyword is in the draft 2020-12; nothing for documentation.
    fn keyword(
        &mut self,
        schema: NodeRef<'d>,
        keyword: &str,
        value: NodeRef<'d>,
        path: &str,
        loss: Loss,
    ) -> Result<Vec<(String, Value)>, Unsaid> {
        let one =
            |value: Value| -> Result<Vec<(String, Value)>, Unsaid> { Ok(vec![(keyword.to_owned(), value)]) };
        let is_off = value.scalar() == Some(ScalarValue::Bool(false));
        match keyword {
            "type" => one(self.types(schema, value)?),
            "enum" if self.is_nullable(schema) => {
                self.charge(value.span().range().len());
                let mut values = plain(value, 0)?;
                if let Some(array) = values.as_array_mut() {
                    array.items.push(ArrayItem::plain(Value::Null));
                }
                one(values)
            }
            // Earlier drafts have a boolean that is about the other keyword.
            "exclusiveMinimum" | "exclusiveMaximum" if is_off => Ok(Vec::new()),
            "exclusiveMinimum" | "exclusiveMaximum" if is_true(value) => {
                let bound = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
                match schema.get(bound) {
                    Some(bound) => one(plain(bound, 0)?),
                    None => Ok(Vec::new()),
                }
            }
            _ if PLAIN.contains(&keyword) => {
                self.charge(value.span().range().len());
                one(plain(value, 0)?)
            }
            "pattern" => match value.as_str().filter(|pattern| is_readable(pattern)) {
                Some(pattern) => one(Value::string(pattern)),
                None => Err(Unsaid),
            },
            "format" if self.dialect == Dialect::Crd && value.as_str() == Some("byte") => Err(Unsaid),
            "format" => match value.as_str() {
                Some(format) if Format::of(format).is_some() => one(Value::string(format)),
                _ => Ok(Vec::new()),
            },
            "properties" | "patternProperties" => {
                let is_patterns = keyword == "patternProperties";
                let mut items = Vec::new();
                for (key, value) in value.entries().into_iter().flatten() {
                    let name = key.key_text().into_owned();
                    if is_patterns && !is_readable(&name) {
                        return Err(Unsaid);
                    }
                    let inner = if is_patterns { path.to_owned() } else { joined(path, &name) };
                    items.push((name, self.inline(value, &inner, loss)?));
                }
                one(map(items.iter().map(|(name, value)| (name.as_str(), value.clone()))))
            }
            "additionalItems" => match schema.get("items").is_some_and(|items| items.items().is_some()) {
                true => Ok(vec![("items".to_owned(), self.inline(value, &format!("{path}[]"), loss)?)]),
                false => Ok(Vec::new()),
            },
            "additionalProperties" | "propertyNames" => one(self.inline(value, path, loss)?),
            "items" | "prefixItems" if value.items().is_some() => {
                let items = self.all(value, &format!("{path}[]"), loss)?;
                Ok(vec![("prefixItems".to_owned(), items)])
            }
            "items" => one(self.inline(value, &format!("{path}[]"), loss)?),
            "contains" => {
                let loss = if schema.get("maxContains").is_some() { Loss::Refused } else { loss };
                one(self.inline(value, path, loss)?)
            }
            "allOf" | "anyOf" => one(self.all(value, path, loss)?),
            "oneOf" => one(self.all(value, path, Loss::Refused)?),
            "not" | "if" => match keyword == "not" || schema.get("then").or(schema.get("else")).is_some() {
                true => one(self.inline(value, path, Loss::Refused)?),
                false => Ok(Vec::new()),
            },
            "then" | "else" => match schema.get("if").is_some() {
                true => one(self.inline(value, path, loss)?),
                false => Ok(Vec::new()),
            },
            "dependentSchemas" | "dependencies" => {
                let (mut schemas, mut required) = (Vec::new(), Vec::new());
                for (key, value) in value.entries().into_iter().flatten() {
                    let name = key.key_text().into_owned();
                    match value.items().is_some() && keyword == "dependencies" {
                        true => required.push((name, plain(value, 0)?)),
                        false => schemas.push((name, self.inline(value, path, loss)?)),
                    }
                }
                let mut said = Vec::new();
                for (keyword, entries) in [("dependentSchemas", schemas), ("dependentRequired", required)] {
                    if !entries.is_empty() {
                        let entries = entries.iter().map(|(name, value)| (name.as_str(), value.clone()));
                        said.push((keyword.to_owned(), map(entries)));
                    }
                }
                Ok(said)
            }
            "x-kubernetes-int-or-string" if is_true(value) && schema.get("type").is_none() => {
                Ok(vec![("type".to_owned(), list(["integer", "string"].map(Value::string)))])
            }
            "x-kubernetes-list-type" if value.as_str() == Some("atomic") => Ok(Vec::new()),
            // That nothing else is allowed is not the same as saying nothing.
            _ if UNKNOWN.contains(&keyword) && (!is_off || keyword.starts_with("unevaluated")) => Err(Unsaid),
            _ => Ok(Vec::new()),
        }
    }

    fn all(&mut self, value: NodeRef<'d>, path: &str, loss: Loss) -> Inlined {
        let items = value.items().into_iter().flatten();
        let items: Result<Vec<Value>, Unsaid> = items.map(|item| self.inline(item, path, loss)).collect();
        items.map(list)
    }

    fn types(&self, schema: NodeRef<'d>, value: NodeRef<'d>) -> Inlined {
        let mut types = plain(value, 0)?;
        if self.is_nullable(schema) {
            match types.as_array_mut() {
                Some(array) => array.items.push(ArrayItem::plain(Value::string("null"))),
                None => types = list([types, Value::string("null")]),
            }
        }
        Ok(types)
    }

    /// Whether a schema of a CRD allows null besides.
    fn is_nullable(&self, schema: NodeRef<'d>) -> bool {
        self.dialect == Dialect::Crd && schema.get("nullable").is_some_and(is_true)
    }

    fn ignores_siblings(&self) -> bool {
        let draft = self.root.get("$schema").and_then(NodeRef::as_str).unwrap_or_default();
        draft.contains("/draft-0")
    }
}

/// What a schema with a part that cannot be said is instead.
fn unsaid(loss: Loss) -> Inlined {
    match loss {
        Loss::Allowed => Ok(Value::Bool(true)),
        Loss::Refused => Err(Unsaid),
    }
}

fn is_readable(pattern: &str) -> bool {
    is_common_pattern(pattern) && trueline_regexp::Regexp::new(pattern.as_bytes()).is_ok()
}

fn says_nothing(schema: &Value) -> bool {
    match schema {
        Value::Bool(value) => *value,
        Value::Map(map) => map.items.is_empty(),
        _ => false,
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// A value as it is.
pub(super) fn plain(value: NodeRef<'_>, depth: usize) -> Inlined {
    if depth > 50 {
        return Err(Unsaid);
    }
    if let Some(items) = value.items() {
        let items: Result<Vec<Value>, Unsaid> = items.map(|item| plain(item, depth + 1)).collect();
        return items.map(list);
    }
    if let Some(entries) = value.entries() {
        let entries = entries.map(|(key, value)| Ok((key.key_text().into_owned(), plain(value, depth + 1)?)));
        let entries: Result<Vec<(String, Value)>, Unsaid> = entries.collect();
        return Ok(map(entries?.iter().map(|(key, value)| (key.as_str(), value.clone()))));
    }
    Ok(match value.scalar() {
        Some(ScalarValue::Bool(value)) => Value::Bool(value),
        Some(ScalarValue::Int(value)) => Value::Int(value),
        Some(ScalarValue::UInt(value)) => Value::unsigned(value),
        Some(ScalarValue::Float(value)) if value.is_finite() => Value::Float(value),
        Some(ScalarValue::Float(_)) => return Err(Unsaid),
        Some(ScalarValue::String) => Value::string(value.as_str().unwrap_or_default()),
        Some(ScalarValue::Null) | None => Value::Null,
    })
}

/// A map of a schema.
fn map<'k>(items: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    let items = items.into_iter().map(|(key, value)| MapItem::plain(Value::string(key), value));
    Map::plain(items.collect()).into()
}

fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Array::plain(items.into_iter().map(ArrayItem::plain).collect()).into()
}

//! Schemas as they are written.

use trueline_starlark::{Error, Thread, quote};

use super::number::compare;
use super::{Bound, Measured, Node, Rule, Side, Types};
use crate::schema::name_of;
use crate::tree::{Map, Value};
use crate::validation::{Format, Pattern};

/// Schemas may be nested so deep.
const DEEPEST: usize = 100;

/// Keywords that say nothing of values.
const ANNOTATIONS: [&str; 10] = [
    "$schema",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentMediaType",
];

/// Whether a pattern means the same to ECMAScript and to Go: what both read, but differently, is left out.
pub(crate) fn is_common_pattern(pattern: &str) -> bool {
    const OTHERS: [&str; 14] =
        ["\\c", "\\u", "\\k", "\\1", "\\2", "(?", "[^]", "\\0", "\\a", "\\A", "\\z", "\\Q", "\\C", "[[:"];
    let pattern = pattern.replace("(?:", "(");
    !OTHERS.iter().any(|part| pattern.contains(part))
}

/// Reads a schema.
pub(super) fn node(source: &Value, thread: &Thread, depth: usize) -> Result<Node, Error> {
    thread.spend(1)?;
    if depth > DEEPEST {
        return Err(Error::new(format!("the JSON Schema is nested more than {DEEPEST} levels deep")));
    }
    let map = match source {
        Value::Bool(true) => return Ok(Node::Rules(Vec::new())),
        Value::Bool(false) => return Ok(Node::Never),
        Value::Map(map) => map,
        other => {
            let found = other.type_name();
            return Err(Error::new(format!(
                "expected a JSON Schema to be a map or a boolean, found {found}"
            )));
        }
    };
    let reader = Reader { map, thread, depth: depth + 1 };
    let mut rules = Vec::new();
    for item in &map.items {
        thread.spend(1)?;
        let name = name_of(&item.key);
        if let Some(rule) = reader.rule(&name, &item.value)? {
            rules.push(rule);
        }
    }
    Ok(Node::Rules(rules))
}

struct Reader<'m> {
    map: &'m Map,
    thread: &'m Thread,
    depth: usize,
}

impl<'m> Reader<'m> {
    fn get(&self, name: &str) -> Option<&'m Value> {
        self.map.items.iter().find(|item| name_of(&item.key) == name).map(|item| &item.value)
    }

    /// The rule of a keyword. Keywords that count together are read with the first of them.
    fn rule(&self, name: &str, value: &Value) -> Result<Option<Rule>, Error> {
        let size = |measured, side| Ok(Some(Rule::Size(measured, side, natural(name, value)?)));
        let bound = |bound| Ok(Some(Rule::Bound(bound, number(name, value)?)));
        Ok(Some(match name {
            "type" => Rule::Types(types(value)?),
            "const" => Rule::Values(vec![value.clone()]),
            "enum" => match value {
                Value::Array(array) => {
                    self.thread.spend(array.items.len())?;
                    Rule::Values(array.items.iter().map(|item| item.value.clone()).collect())
                }
                _ => return Err(wrong(name, "a list")),
            },
            "minimum" => return bound(Bound::Minimum),
            "maximum" => return bound(Bound::Maximum),
            "exclusiveMinimum" => return bound(Bound::ExclusiveMinimum),
            "exclusiveMaximum" => return bound(Bound::ExclusiveMaximum),
            "multipleOf" => {
                let factor = number(name, value)?;
                if compare(&factor, &Value::Int(0)) != Some(std::cmp::Ordering::Greater) {
                    return Err(wrong(name, "a number above zero"));
                }
                Rule::MultipleOf(factor)
            }
            "minLength" => return size(Measured::String, Side::Least),
            "maxLength" => return size(Measured::String, Side::Most),
            "minItems" => return size(Measured::Array, Side::Least),
            "maxItems" => return size(Measured::Array, Side::Most),
            "minProperties" => return size(Measured::Map, Side::Least),
            "maxProperties" => return size(Measured::Map, Side::Most),
            "pattern" => Rule::Pattern(self.pattern(name, &string(name, value)?)?),
            "format" => {
                let format = string(name, value)?;
                let known = Format::ALL.into_iter().find(|known| known.json_schema_name() == format);
                // Other formats are documentation.
                return Ok(known.filter(|known| *known != Format::Quantity).map(Rule::Format));
            }
            "prefixItems" => Rule::Items { first: self.nodes(name, value)?, others: self.optional("items")? },
            "items" if self.get("prefixItems").is_some() => return Ok(None),
            "items" => Rule::Items { first: Vec::new(), others: Some(self.node(value)?) },
            "uniqueItems" => return Ok(boolean(name, value)?.then_some(Rule::UniqueItems)),
            "contains" => Rule::Contains {
                item: self.node(value)?,
                least: self.get("minContains").map_or(Ok(1), |least| natural("minContains", least))?,
                most: self.get("maxContains").map(|most| natural("maxContains", most)).transpose()?,
            },
            "minContains" | "maxContains" if self.get("contains").is_some() => return Ok(None),
            "properties" => self.keys()?,
            "patternProperties" if self.get("properties").is_none() => self.keys()?,
            "additionalProperties" if self.get("properties").or(self.get("patternProperties")).is_none() => {
                self.keys()?
            }
            "patternProperties" | "additionalProperties" => return Ok(None),
            "required" => Rule::Required(names(name, value)?),
            "propertyNames" => Rule::Names(self.node(value)?),
            "dependentRequired" => {
                let each = entries(name, value)?.into_iter();
                let each = each.map(|(key, value)| Ok((key, names(name, value)?)));
                Rule::DependentRequired(each.collect::<Result<_, Error>>()?)
            }
            "dependentSchemas" => Rule::DependentSchemas(self.named(name, value)?),
            "allOf" => Rule::AllOf(self.nodes(name, value)?),
            "anyOf" => Rule::AnyOf(self.nodes(name, value)?),
            "oneOf" => Rule::OneOf(self.nodes(name, value)?),
            "not" => Rule::Not(self.node(value)?),
            "if" => Rule::If {
                condition: self.node(value)?,
                then: self.optional("then")?,
                otherwise: self.optional("else")?,
            },
            "then" | "else" if self.get("if").is_some() => return Ok(None),
            _ if ANNOTATIONS.contains(&name) || name.starts_with("x-") => return Ok(None),
            _ => {
                let name = quote(name.as_bytes());
                return Err(Error::new(format!(
                    "{name} is not a keyword of JSON Schema that can be used here"
                )));
            }
        }))
    }

    fn node(&self, source: &Value) -> Result<Node, Error> {
        node(source, self.thread, self.depth)
    }

    fn optional(&self, name: &str) -> Result<Option<Node>, Error> {
        self.get(name).map(|source| self.node(source)).transpose()
    }

    fn nodes(&self, name: &str, value: &Value) -> Result<Vec<Node>, Error> {
        let Value::Array(array) = value else { return Err(wrong(name, "a list")) };
        array.items.iter().map(|item| self.node(&item.value)).collect()
    }

    fn named(&self, name: &str, value: &Value) -> Result<Vec<(String, Node)>, Error> {
        entries(name, value)?.into_iter().map(|(key, value)| Ok((key, self.node(value)?))).collect()
    }

    fn keys(&self) -> Result<Rule, Error> {
        let of = |name| self.get(name).map_or(Ok(Vec::new()), |value| self.named(name, value));
        let patterns = of("patternProperties")?.into_iter();
        let patterns =
            patterns.map(|(pattern, node)| Ok((self.pattern("patternProperties", &pattern)?, node)));
        Ok(Rule::Keys {
            properties: of("properties")?,
            patterns: patterns.collect::<Result<_, Error>>()?,
            others: self.optional("additionalProperties")?,
        })
    }

    fn pattern(&self, name: &str, source: &str) -> Result<Pattern, Error> {
        if !is_common_pattern(source) {
            return Err(Error::new(format!(
                "the regular expression of `{name}` means something else in ECMAScript than in Go"
            )));
        }
        Pattern::new(source.as_bytes(), self.thread)?
            .map_err(|error| Error::new(format!("expected `{name}` to be a regular expression, but {error}")))
    }
}

fn wrong(name: &str, wanted: &str) -> Error {
    Error::new(format!("expected `{name}` of a JSON Schema to be {wanted}"))
}

fn string(name: &str, value: &Value) -> Result<String, Error> {
    value.as_text().map(|text| text.to_str_lossy().into_owned()).ok_or_else(|| wrong(name, "a string"))
}

fn boolean(name: &str, value: &Value) -> Result<bool, Error> {
    match value {
        Value::Bool(value) => Ok(*value),
        _ => Err(wrong(name, "a boolean")),
    }
}

fn number(name: &str, value: &Value) -> Result<Value, Error> {
    match value {
        Value::Int(_) | Value::UInt(_) => Ok(value.clone()),
        Value::Float(float) if float.is_finite() => Ok(value.clone()),
        _ => Err(wrong(name, "a number")),
    }
}

fn natural(name: &str, value: &Value) -> Result<u64, Error> {
    let number = match value {
        Value::Int(number) => u64::try_from(*number).ok(),
        Value::UInt(number) => Some(*number),
        Value::Float(float) if float.fract() == 0.0 && (0.0..9e15).contains(float) => Some(*float as u64),
        _ => None,
    };
    number.ok_or_else(|| wrong(name, "an integer that is not negative"))
}

fn types(value: &Value) -> Result<Types, Error> {
    let names = match value {
        Value::String(text) => vec![text.to_str_lossy().into_owned()],
        value => names("type", value)?,
    };
    let mut types = Types::default();
    for name in names {
        if !types.add(&name) {
            let name = quote(name.as_bytes());
            return Err(Error::new(format!("{name} is not a type of JSON Schema")));
        }
    }
    Ok(types)
}

fn names(name: &str, value: &Value) -> Result<Vec<String>, Error> {
    let Value::Array(array) = value else { return Err(wrong(name, "a list of strings")) };
    array.items.iter().map(|item| string(name, &item.value)).collect()
}

fn entries<'v>(name: &str, value: &'v Value) -> Result<Vec<(String, &'v Value)>, Error> {
    let Value::Map(map) = value else { return Err(wrong(name, "a map")) };
    Ok(map.items.iter().map(|item| (name_of(&item.key), &item.value)).collect())
}

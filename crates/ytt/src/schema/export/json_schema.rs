//! A schema as JSON Schema.

use std::rc::Rc;

use super::cel::{Member, members};
use super::constraints::{Constraints, Shape};
use super::default::name_of;
use super::keys::{Key, Keywords};
use super::openapi::{add_lengths, add_numbers};
use super::{Exporter, array, map};
use crate::error::Error;
use crate::schema::types::{DocumentType, MapType, Scalar, Type};
use crate::tree::{Map, MapItem, Meta, Value};
use crate::validation::{Format, QUANTITY_PATTERN, Validation};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The document that `--data-values-schema-inspect -o json-schema` prints.
pub(super) fn document(declared: &DocumentType, exporter: &mut Exporter<'_>) -> Result<Value, Error> {
    let root = Node {
        declared: &declared.value,
        validation: declared.validation.as_ref(),
        default: Some(&declared.default),
    };
    let keywords = root.schema(exporter)?.into_map();
    let mut items = vec![MapItem::plain(Value::string("$schema"), Value::string(DRAFT))];
    items.extend(keywords.as_map().map(|map| map.items.clone()).unwrap_or_default());
    Ok(Map::new(items, Meta::default()).into())
}

/// A node of a schema.
struct Node<'t> {
    declared: &'t Type,
    validation: Option<&'t Rc<Validation>>,
    /// What there is if nobody says otherwise; items of arrays have none.
    default: Option<&'t Value>,
}

impl Node<'_> {
    fn schema(&self, exporter: &mut Exporter<'_>) -> Result<Keywords, Error> {
        let mut keywords = Keywords::default();
        let (inner, is_nullable) = match self.declared {
            Type::Nullable(nullable) => (&nullable.value, true),
            other => (other, matches!(other, Type::Any(_))),
        };
        let mut constraints =
            Constraints::of(self.declared, self.validation.map(|validation| &**validation), exporter)?;
        let takes_null = is_nullable && !constraints.refuses_null;
        if let Some(name) = type_name(inner) {
            let names = [Value::string(name), Value::string("null")];
            let [name, null] = names;
            keywords.add(Key::Type, if takes_null { array([name, null]) } else { name });
        } else {
            keywords.add(Key::PreserveUnknown, Value::Bool(true));
            if !takes_null {
                keywords.add(Key::Not, map([("type", Value::string("null"))]));
            }
        }
        match inner {
            Type::Map(declared) => add_properties(&mut keywords, declared, exporter)?,
            Type::Array(declared) => {
                let item = &declared.item;
                let item =
                    Node { declared: &item.value, validation: item.validation.as_ref(), default: None };
                keywords.add(Key::Items, item.schema(exporter)?.into_map());
            }
            _ => {}
        }
        if let Some(default) = self.default.filter(|default| !matches!(default, Value::Map(_)))
            && !exporter.is_required(default, self.declared, self.validation)?
        {
            keywords.add(Key::Default, default.clone());
        }
        add_constraints(&mut keywords, &mut constraints, inner, takes_null);
        let documentation = self.declared.documentation();
        keywords.add_words(documentation, &constraints.descriptions);
        if documentation.deprecated.is_some() {
            keywords.add(Key::Deprecated, Value::Bool(true));
        }
        if !documentation.examples.is_empty() {
            let examples = documentation.examples.iter().map(|example| example.value.clone());
            keywords.add(Key::Examples, array(examples));
        }
        Ok(keywords)
    }
}

fn type_name(declared: &Type) -> Option<&'static str> {
    Some(match declared {
        Type::Map(_) => "object",
        Type::Array(_) => "array",
        Type::Scalar(scalar) => match scalar.scalar {
            Scalar::Float => "number",
            other => other.name(),
        },
        Type::Any(_) => return None,
        Type::Nullable(nullable) => return type_name(&nullable.value),
    })
}

fn add_properties(
    keywords: &mut Keywords,
    declared: &MapType,
    exporter: &mut Exporter<'_>,
) -> Result<(), Error> {
    keywords.add(Key::AdditionalProperties, Value::Bool(false));
    let mut properties = Vec::with_capacity(declared.items.len());
    for (item, default) in declared.items.iter().zip(declared.default_items()) {
        let node = Node {
            declared: &item.value,
            validation: item.validation.as_ref(),
            default: Some(&default.value),
        };
        let name = Value::string(name_of(&default.key));
        properties.push(MapItem::plain(name, node.schema(exporter)?.into_map()));
    }
    keywords.add(Key::Properties, Map::new(properties, Meta::default()).into());
    let required = exporter.required(declared)?;
    if !required.is_empty() {
        keywords.add(Key::Required, array(required));
    }
    Ok(())
}

fn add_constraints(
    keywords: &mut Keywords,
    constraints: &mut Constraints,
    declared: &Type,
    takes_null: bool,
) {
    let shape = Shape::of(declared);
    let mut all = Vec::new();
    add_numbers(keywords, constraints);
    match shape {
        Shape::Array => add_lengths(keywords, constraints, (Key::MinItems, Key::MaxItems)),
        Shape::String => add_lengths(keywords, constraints, (Key::MinLength, Key::MaxLength)),
        // All keys are there when a map is validated, and so the rule says nothing or is never met.
        Shape::Map(length) if !constraints.allows_length(length) => all.push(or_null(never(), takes_null)),
        _ => {}
    }
    if let Some(values) = &constraints.allowed {
        let null = takes_null.then_some(Value::Null);
        keywords.add(Key::Enum, array(values.iter().cloned().chain(null)));
    }
    if constraints.is_odd {
        let odd = map([("not", map([("multipleOf", Value::Int(2))]))]);
        all.push(or_null(odd, takes_null));
    }
    let mut patterns = Vec::new();
    for (pattern, description) in std::mem::take(&mut constraints.patterns) {
        match pattern.portable {
            Some(pattern) => patterns.push(pattern),
            None => constraints.unsay(description),
        }
    }
    if let Some(format) = constraints.format {
        keywords.string(Key::Format, format.json_schema_name());
        if format == Format::Quantity {
            patterns.push(QUANTITY_PATTERN.to_owned());
        }
    }
    let mut patterns = patterns.into_iter();
    if let Some(pattern) = patterns.next() {
        keywords.string(Key::Pattern, &pattern);
    }
    all.extend(patterns.map(|pattern| map([("pattern", Value::string(pattern))])));
    let mut contained = constraints.contained.iter().map(|item| map([("const", item.clone())]));
    if let Some(item) = contained.next() {
        keywords.add(Key::Contains, item);
    }
    all.extend(contained.map(|item| map([("contains", item)])));
    all.extend(constraints.schemas.iter().map(|schema| or_null(schema.clone(), takes_null)));
    if let (Some(keys), Type::Map(declared)) = (&constraints.one_not_null, declared) {
        let branches = members(declared, keys).into_iter().map(|(name, member)| is_set(&name, member));
        let one = array(branches);
        let is_empty = one.as_array().is_none_or(|branches| branches.items.is_empty());
        match (is_empty, takes_null) {
            (true, _) => all.push(or_null(never(), takes_null)),
            (false, false) => keywords.add(Key::OneOf, one),
            (false, true) => all.push(or_null(map([("oneOf", one)]), true)),
        }
    }
    if !all.is_empty() {
        keywords.add(Key::AllOf, array(all));
    }
    let unsaid = constraints.unsaid.iter().filter(|text| !text.is_empty());
    let unsaid: Vec<Value> = unsaid.map(|text| Value::string(text.as_str())).collect();
    if !unsaid.is_empty() {
        keywords.add(Key::Validation, array(unsaid));
    }
}

/// A schema that no value meets.
fn never() -> Value {
    map([("not", map([]))])
}

/// Rules do not count for null where it is allowed.
fn or_null(schema: Value, takes_null: bool) -> Value {
    if !takes_null {
        return schema;
    }
    map([("anyOf", array([map([("type", Value::string("null"))]), schema]))])
}

/// The objects of which a member is not null, counting what is added to them.
fn is_set(name: &str, member: Member) -> Value {
    let not_null = || map([("not", map([("type", Value::string("null"))]))]);
    match member {
        Member::Set => map([]),
        Member::SetByDefault => map([("properties", map([(name, not_null())]))]),
        Member::NullByDefault => {
            map([("required", array([Value::string(name)])), ("properties", map([(name, not_null())]))])
        }
        Member::Absent => never(),
    }
}

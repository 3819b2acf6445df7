//! A structural schema as expressions see it: which types there are, and how large values can become.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_cel::shape::{FieldShape, ListKind, ListShape, ObjectShape, OtherFields, Shape};
use trueline_kube_cel::escape::{escape, is_reserved};
use trueline_yaml::Data;

use crate::props::OrBool;
use crate::structural::Root;
use crate::structural::{Structural, ValueValidation};

/// The largest request that the server accepts, in bytes.
pub(crate) const MAX_REQUEST: i64 = 3 << 20;

/// The name of the type at the root. The server makes up a new one each time, so nobody can rely on it.
pub(crate) const ROOT_NAME: &str = "selfType";

/// Sizes of the shortest and longest JSON that values have, quotes included.
const MIN_STRING: i64 = 2;
const MIN_BOOLEAN: i64 = 4;
const MIN_NUMBER: i64 = 1;
const MIN_DURATION: i64 = 3;
const MAX_DURATION: i64 = 32;
const DATE: i64 = 12;
const MIN_DATE_TIME: i64 = 21;
const MAX_DATE_TIME: i64 = 32;
/// Values without a size of their own, and the keys of maps, count as empty in estimates.
const NO_SIZE: i64 = 0;

/// What expressions know of a schema.
#[derive(Debug)]
pub(crate) struct Declared {
    /// How values look to expressions.
    pub(crate) shape: Shape,
    /// The length of the shortest JSON that a value can have.
    pub(crate) min_size: i64,
    /// How large a value can be: bytes of a string, items of a list, entries of a map.
    pub(crate) max_elements: i64,
    /// The fields of an object, by the name that they have in expressions.
    pub(crate) fields: BTreeMap<Arc<str>, Arc<Declared>>,
    /// The items of a list or the values of a map.
    pub(crate) element: Option<Arc<Declared>>,
}

impl Declared {
    /// What expressions see of a schema; nothing if they cannot see it. `name` is that of the type, if it is an object.
    pub(crate) fn of(schema: &Structural, root: Root, name: &str) -> Option<Arc<Declared>> {
        declared(schema, root, name).map(Arc::new)
    }

    fn scalar(shape: Shape, min_size: i64, max_elements: i64) -> Declared {
        Declared { shape, min_size, max_elements, fields: BTreeMap::new(), element: None }
    }

    /// What is found at a step of a path into a value, as the estimate of costs names it.
    pub(crate) fn step(&self, step: &str) -> Option<Step<'_>> {
        match step {
            "@items" | "@values" => self.element.as_deref().map(Step::To),
            "@keys" => matches!(self.shape, Shape::Map(_)).then_some(Step::Keys),
            field => self.fields.get(field).map(|field| Step::To(field)),
        }
    }
}

/// What a path leads to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step<'d> {
    /// A value with a schema.
    To(&'d Declared),
    /// The keys of a map, which have none.
    Keys,
}

/// The largest size of the keys of a map: the server sets no bound of its own for the type `string`.
pub(crate) const MAX_KEY: i64 = NO_SIZE;

fn declared(schema: &Structural, root: Root, name: &str) -> Option<Declared> {
    let validation = schema.value_validation.as_deref();
    if schema.extensions.int_or_string {
        let most = match max_length(validation) {
            Some(length) => length.saturating_mul(4),
            None => MAX_REQUEST - 2,
        };
        return Some(Declared::scalar(Shape::Dyn, 1, most));
    }
    match &*schema.generic.type_name {
        // A resource has fields, whatever else its schema says.
        "array" => list(schema, name),
        "object" => object(schema, root, name),
        "string" => Some(string(validation)),
        "boolean" => Some(Declared::scalar(Shape::Bool, MIN_BOOLEAN, NO_SIZE)),
        "number" => Some(Declared::scalar(Shape::Double, MIN_NUMBER, NO_SIZE)),
        "integer" => Some(Declared::scalar(Shape::Int, MIN_NUMBER, NO_SIZE)),
        _ => None,
    }
}

fn list(schema: &Structural, name: &str) -> Option<Declared> {
    let items = schema.items.as_deref()?;
    let item = Declared::of(items, root_of(items), &format!("{name}.@idx"))?;
    let max_items = schema.value_validation.as_ref().and_then(|validation| validation.max_items);
    let most = match max_items {
        Some(most) => most.max(0),
        None => (MAX_REQUEST - 2) / (item.min_size + 1),
    };
    let kind = match schema.extensions.list_type.as_deref() {
        Some("set") => ListKind::Set,
        Some("map") => ListKind::Keyed(schema.extensions.list_map_keys.clone()),
        _ => ListKind::Ordered,
    };
    let shape = Shape::List(Arc::new(ListShape { item: item.shape.clone(), kind }));
    Some(Declared { shape, min_size: 2, max_elements: most, fields: BTreeMap::new(), element: Some(item) })
}

fn object(schema: &Structural, root: Root, name: &str) -> Option<Declared> {
    if let Some(OrBool::Schema(values)) = schema.additional_properties.as_deref() {
        let value = Declared::of(values, root_of(values), &format!("{name}.@elem"))?;
        let max_properties =
            schema.value_validation.as_ref().and_then(|validation| validation.max_properties);
        let most = match max_properties {
            Some(most) => most.max(0),
            None => (MAX_REQUEST - 2) / (value.min_size + 6),
        };
        return Some(Declared {
            shape: Shape::Map(Arc::new(value.shape.clone())),
            min_size: 2,
            max_elements: most,
            fields: BTreeMap::new(),
            element: Some(value),
        });
    }
    let required = schema.value_validation.as_ref().map_or(&[][..], |validation| &validation.required);
    let mut fields = BTreeMap::new();
    let mut shapes = FxHashMap::default();
    let mut min_size = 2_i64;
    let mut add = |key: &Arc<str>, field: Arc<Declared>, is_always_there: bool| {
        if is_always_there {
            min_size = min_size.saturating_add(key.len() as i64 + field.min_size + 4);
        }
        if let Some(escaped) = escape(key) {
            let escaped: Arc<str> = escaped.as_ref().into();
            if is_reserved(key) {
                // After a dot, reserved words are understood without escaping.
                let shape = field.shape.clone();
                shapes.insert(Arc::clone(key), FieldShape { key: Arc::clone(key), shape });
            }
            shapes.insert(
                Arc::clone(&escaped),
                FieldShape { key: Arc::clone(key), shape: field.shape.clone() },
            );
            fields.insert(escaped, field);
        }
    };
    let adds_metadata = root == Root::Resource && !has_metadata(schema);
    for (key, property) in &schema.properties {
        if adds_metadata && matches!(&**key, "apiVersion" | "kind" | "metadata") {
            continue;
        }
        let field_name = match escape(key) {
            Some(escaped) => format!("{name}.{escaped}"),
            None => String::new(),
        };
        let Some(field) = Declared::of(property, root_of(property), &field_name) else { continue };
        let is_required = required.contains(key) && property.generic.default.is_none();
        add(key, field, is_required);
    }
    if adds_metadata {
        let string = || Arc::new(string(None));
        for key in ["apiVersion", "kind"] {
            let key: Arc<str> = key.into();
            let is_required = required.contains(&key);
            add(&key, string(), is_required);
        }
        let metadata = metadata(&format!("{name}.metadata"), &string);
        let key: Arc<str> = "metadata".into();
        let is_required = required.contains(&key);
        add(&key, Arc::new(metadata), is_required);
    }
    let shape =
        Shape::Object(Arc::new(ObjectShape { name: name.into(), fields: shapes, others: OtherFields::None }));
    Some(Declared { shape, min_size, max_elements: NO_SIZE, fields, element: None })
}

/// Of the metadata of a resource, expressions see the name and the prefix of a generated one.
fn metadata(name: &str, string: &dyn Fn() -> Arc<Declared>) -> Declared {
    let mut fields = BTreeMap::new();
    let mut shapes = FxHashMap::default();
    for key in ["name", "generateName"] {
        let key: Arc<str> = key.into();
        shapes.insert(Arc::clone(&key), FieldShape { key: Arc::clone(&key), shape: Shape::String });
        fields.insert(key, string());
    }
    let shape =
        Shape::Object(Arc::new(ObjectShape { name: name.into(), fields: shapes, others: OtherFields::None }));
    Declared { shape, min_size: 2, max_elements: NO_SIZE, fields, element: None }
}

/// Whether the schema of a resource has its version, its kind and its metadata as far as expressions see them.
fn has_metadata(schema: &Structural) -> bool {
    let is = |schema: Option<&Structural>, type_name: &str| {
        schema.is_some_and(|schema| &*schema.generic.type_name == type_name)
    };
    let metadata = schema.property("metadata");
    let inside = |name: &str| metadata.and_then(|metadata| metadata.property(name));
    is(schema.property("kind"), "string")
        && is(schema.property("apiVersion"), "string")
        && is(metadata, "object")
        && is(inside("name"), "string")
        && is(inside("generateName"), "string")
}

fn string(validation: Option<&ValueValidation>) -> Declared {
    let format = validation.map_or("", |validation| &validation.format);
    let length = max_length(validation);
    match format {
        "byte" => Declared::scalar(Shape::Bytes, MIN_STRING, length.unwrap_or(MAX_REQUEST - 2)),
        "duration" => Declared::scalar(Shape::Duration, MIN_DURATION, MAX_DURATION),
        "date" => Declared::scalar(Shape::Date, DATE, DATE),
        "date-time" => Declared::scalar(Shape::DateTime, MIN_DATE_TIME, MAX_DATE_TIME),
        _ => {
            let choices = validation.map_or(&[][..], |validation| &validation.choices);
            let longest = choices.iter().map(|choice| match &choice.data {
                Data::String(text) => text.len() as i64,
                _ => 0,
            });
            let most = match (length, longest.max()) {
                (Some(length), _) => length.saturating_mul(4),
                (None, Some(longest)) => longest,
                (None, None) => MAX_REQUEST - 2,
            };
            Declared::scalar(Shape::String, MIN_STRING, most)
        }
    }
}

fn max_length(validation: Option<&ValueValidation>) -> Option<i64> {
    validation.and_then(|validation| validation.max_length).map(|length| length.max(0))
}

/// Whether the values of a schema inside another are resources of their own.
fn root_of(schema: &Structural) -> Root {
    if schema.extensions.embedded_resource { Root::Resource } else { Root::Value }
}

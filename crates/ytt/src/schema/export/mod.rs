//! Schemas for others: OpenAPI, JSON Schema, and the schemas of CRDs.

mod cel;
mod constraints;
mod crd;
mod default;
mod json_schema;
mod keys;
mod openapi;
mod pattern;

use trueline_starlark::Thread;

pub(crate) use default::name_of;

use super::types::DocumentType;
use crate::error::Error;
use crate::tree::{Document, Map, MapItem, Meta, Value};
use crate::value::Context;

/// What a schema is exported as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaFormat {
    /// An OpenAPI 3.0 document.
    OpenApi,
    /// A JSON Schema of the draft 2020-12.
    JsonSchema,
    /// A structural schema, as CRDs have.
    Crd,
}

impl SchemaFormat {
    /// All formats with their names.
    pub const NAMES: [(&'static str, SchemaFormat); 3] = [
        ("openapi-v3", SchemaFormat::OpenApi),
        ("json-schema", SchemaFormat::JsonSchema),
        ("crd-schema", SchemaFormat::Crd),
    ];
}

/// The document that `--data-values-schema-inspect` prints.
///
/// # Errors
/// If the limits are reached.
pub fn export(
    declared: &DocumentType,
    format: SchemaFormat,
    thread: &mut Thread,
    context: &Context,
) -> Result<Document, Error> {
    let mut exporter = Exporter { thread, context, repeated: 1 };
    let value = match format {
        SchemaFormat::OpenApi => openapi::document(declared, &mut exporter)?,
        SchemaFormat::JsonSchema => json_schema::document(declared, &mut exporter)?,
        SchemaFormat::Crd => crd::document(declared, &mut exporter)?,
    };
    Ok(Document { value, ..Document::default() })
}

/// What schemas are exported with.
struct Exporter<'a> {
    thread: &'a mut Thread,
    context: &'a Context,
    /// How often the current node can be there: the items of arrays around it, multiplied.
    repeated: u64,
}

fn map<'k>(items: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    let items = items.into_iter().map(|(key, value)| MapItem::plain(Value::string(key), value));
    Map::new(items.collect(), Meta::default()).into()
}

fn array(items: impl IntoIterator<Item = Value>) -> Value {
    let items = items.into_iter().map(crate::tree::ArrayItem::plain);
    crate::tree::Array::new(items.collect(), Meta::default()).into()
}

//! JSON Schemas and schemas of CRDs as ytt schemas: types by example, defaults, and rules.
//!
//! A ytt schema says less than JSON Schema: maps are closed, every value has one type and a default, and a value is
//! required if its default breaks a rule. What cannot be said is listed with its keyword and its place.

mod checked;
mod convert;
mod inline;
mod reference;
mod scalar;
mod write;

use std::fmt;

use trueline_source::Span;
use trueline_yaml::NodeRef;

use convert::{Converter, DEEPEST, MOST_BYTES, MOST_NODES};

/// A schema that was imported.
#[derive(Debug)]
pub struct Imported {
    /// The ytt schema.
    pub text: String,
    /// What it does not say.
    pub unexpressed: Vec<Unexpressed>,
}

/// A keyword that a ytt schema does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unexpressed {
    /// The keyword.
    pub keyword: String,
    /// The value that it is about, such as `image.tag` or `hosts[].name`; empty for the whole document.
    pub path: String,
    /// Where the keyword is.
    pub span: Span,
    /// What becomes of it.
    pub effect: &'static str,
}

/// Where a schema comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// JSON Schema: objects are open, and defaults are only documentation.
    JsonSchema,
    /// The schema of a CRD: unknown fields are dropped, and defaults are filled in.
    Crd,
}

/// Why a document cannot be turned into a schema of ytt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportError {
    /// A CRD has no schema.
    NoSchema,
    /// It is neither a map nor `true`.
    NotAMap,
    /// It is a map, but not a schema.
    NoKeyword,
    /// It has more levels or values than are taken.
    TooManyNodes,
    /// What is made of it is too long.
    TooLong,
}

impl fmt::Display for ImportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::NoSchema => {
                formatter.write_str("the CRD has no schema: expected spec.versions[].schema.openAPIV3Schema")
            }
            ImportError::NotAMap => {
                formatter.write_str("expected a JSON Schema or a CRD, found something that is not a map")
            }
            ImportError::NoKeyword => formatter
                .write_str("expected a JSON Schema or a CRD, found a map without any keyword of JSON Schema"),
            ImportError::TooManyNodes => write!(
                formatter,
                "the schema is nested more than {DEEPEST} levels deep or has more than {MOST_NODES} values"
            ),
            ImportError::TooLong => write!(formatter, "the schema becomes more than {MOST_BYTES} bytes"),
        }
    }
}

impl std::error::Error for ImportError {}

/// Turns a schema into one of ytt. The document is a JSON Schema, a CRD, or what `-o crd-schema` prints.
///
/// # Errors
/// If there is no schema in the document, or too much of it.
pub fn import(root: NodeRef<'_>) -> Result<Imported, ImportError> {
    let (schema, dialect) = find(root)?;
    let mut converter = Converter::new(schema, dialect);
    let converted = converter.document(schema)?;
    Ok(Imported { text: converted.into_document(), unexpressed: converter.unexpressed })
}

fn find(root: NodeRef<'_>) -> Result<(NodeRef<'_>, Dialect), ImportError> {
    if let Some(schema) = root.get("openAPIV3Schema") {
        return Ok((schema, Dialect::Crd));
    }
    if root.get("kind").and_then(NodeRef::as_str) == Some("CustomResourceDefinition") {
        let versions = root.at_pointer("/spec/versions").and_then(NodeRef::items).into_iter().flatten();
        let is_stored = |version: &NodeRef<'_>| version.get("storage").is_some_and(is_true);
        let schema = versions.clone().find(is_stored).or_else(|| versions.clone().next());
        return schema
            .and_then(|version| version.at_pointer("/schema/openAPIV3Schema"))
            .map(|schema| (schema, Dialect::Crd))
            .ok_or(ImportError::NoSchema);
    }
    if root.entries().is_none() && root.scalar() != Some(trueline_yaml::ScalarValue::Bool(true)) {
        return Err(ImportError::NotAMap);
    }
    let is_empty = root.entries().into_iter().flatten().next().is_none();
    if !is_empty && !KEYWORDS.iter().any(|keyword| root.get(keyword).is_some()) {
        return Err(ImportError::NoKeyword);
    }
    Ok((root, Dialect::JsonSchema))
}

/// What a JSON Schema may say at its top. A map with none of these is something else: the values themselves, or a
/// Kubernetes object. As a schema it would accept anything, which nobody asks for with a file.
const KEYWORDS: [&str; 41] = [
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "$comment",
    "$anchor",
    "$dynamicRef",
    "$recursiveRef",
    "id",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "type",
    "enum",
    "const",
    "properties",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependencies",
    "items",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "x-kubernetes-preserve-unknown-fields",
];

fn is_true(node: NodeRef<'_>) -> bool {
    node.scalar() == Some(trueline_yaml::ScalarValue::Bool(true))
}

//! From a schema as written to a structural one, where that is possible.

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_source::Span;

use super::{Extensions, Generic, NestedValueValidation, Structural, Union, ValueValidation};
use crate::props::{Items, OrBool, Props};

/// Why no structural schema can be made, in the server's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotStructural {
    /// The server's words.
    pub text: String,
    /// Where the schema with the keyword was typed.
    pub place: Option<Span>,
}

impl Structural {
    /// The structural schema that says the same, unless there are keywords that it has no place for.
    pub fn new(props: &Props) -> Result<Self, NotStructural> {
        refuse_unsupported(props)?;
        // In the server's order: only the first that is refused is reported.
        let value_validation = value_validation(props)?;
        let extensions = extensions(props)?;
        let properties = each(&props.properties, |field| Structural::new(field).map(Box::new))?;
        Ok(Structural {
            place: props.written.place(),
            items: item(props)?.map(Structural::new).transpose()?.map(Box::new),
            properties,
            additional_properties: or_bool(props.additional_properties.as_deref(), Structural::new)?,
            generic: generic(props),
            extensions,
            rules: props.validations.clone(),
            unions: Union::of(props),
            // Most fields have nothing but a type, and there may be a hundred thousand of them.
            value_validation: (!value_validation.is_empty()).then(|| Box::new(value_validation)),
        })
    }
}

fn nested(props: &Props) -> Result<NestedValueValidation, NotStructural> {
    refuse_unsupported(props)?;
    let value_validation = value_validation(props)?;
    let forbidden_extensions = extensions(props)?;
    let properties = each(&props.properties, |field| nested(field).map(Box::new))?;
    Ok(NestedValueValidation {
        place: props.written.place(),
        value_validation,
        items: item(props)?.map(nested).transpose()?.map(Box::new),
        properties,
        additional_properties: or_bool(props.additional_properties.as_deref(), nested)?,
        forbidden_generic: generic(props),
        forbidden_extensions,
        rules: props.validations.clone(),
        unions: Union::of(props),
    })
}

/// Makes something of each field. A map that is made of everything at once has no room left over, unlike one that is
/// filled bit by bit.
fn each<T>(
    properties: &BTreeMap<Arc<str>, Box<Props>>,
    make: impl Fn(&Props) -> Result<T, NotStructural>,
) -> Result<BTreeMap<Arc<str>, T>, NotStructural> {
    properties.iter().map(|(name, property)| Ok((Arc::clone(name), make(property)?))).collect()
}

fn value_validation(props: &Props) -> Result<ValueValidation, NotStructural> {
    let all = |branches: &[Props]| branches.iter().map(nested).collect::<Result<Vec<_>, _>>();
    Ok(ValueValidation {
        format: Arc::clone(&props.format),
        maximum: props.maximum,
        exclusive_maximum: props.exclusive_maximum,
        minimum: props.minimum,
        exclusive_minimum: props.exclusive_minimum,
        max_length: props.max_length,
        min_length: props.min_length,
        pattern: Arc::clone(&props.pattern),
        max_items: props.max_items,
        min_items: props.min_items,
        unique_items: props.unique_items,
        multiple_of: props.multiple_of,
        choices: props.choices.clone(),
        max_properties: props.max_properties,
        min_properties: props.min_properties,
        required: props.required.clone(),
        not: props.not.as_deref().map(nested).transpose()?.map(Box::new),
        all_of: all(&props.all_of)?,
        any_of: all(&props.any_of)?,
        one_of: all(&props.one_of)?,
    })
}

fn generic(props: &Props) -> Generic {
    Generic {
        description: Arc::clone(&props.description),
        type_name: Arc::clone(&props.type_name),
        title: Arc::clone(&props.title),
        default: props.default.clone(),
        nullable: props.nullable,
    }
}

fn extensions(props: &Props) -> Result<Extensions, NotStructural> {
    if props.preserve_unknown_fields == Some(false) {
        let text = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
        return Err(NotStructural { text: text.to_owned(), place: props.written.place() });
    }
    Ok(Extensions {
        preserve_unknown_fields: props.preserve_unknown_fields.unwrap_or_default(),
        embedded_resource: props.embedded_resource,
        int_or_string: props.int_or_string,
        list_map_keys: props.list_map_keys.clone(),
        list_type: props.list_type.clone(),
        map_type: props.map_type.clone(),
    })
}

fn item(props: &Props) -> Result<Option<&Props>, NotStructural> {
    match props.items.as_deref() {
        Some(Items::List(schemas)) if !schemas.is_empty() => {
            let text = "OpenAPIV3Schema 'items' must be a schema, but is an array";
            Err(NotStructural { text: text.to_owned(), place: props.written.place() })
        }
        Some(Items::Schema(schema)) => Ok(Some(schema)),
        _ => Ok(None),
    }
}

fn or_bool<T>(
    schema: Option<&OrBool<Props>>,
    make: impl Fn(&Props) -> Result<T, NotStructural>,
) -> Result<Option<Box<OrBool<T>>>, NotStructural> {
    Ok(match schema {
        None => None,
        Some(OrBool::Bool(allowed)) => Some(Box::new(OrBool::Bool(*allowed))),
        Some(OrBool::Schema(schema)) => Some(Box::new(OrBool::Schema(make(schema)?))),
    })
}

fn refuse_unsupported(props: &Props) -> Result<(), NotStructural> {
    let keywords = [
        ("id", !props.id.is_empty()),
        ("schema", !props.schema.is_empty()),
        ("$ref", props.reference.as_ref().is_some_and(|reference| !reference.is_empty())),
        ("patternProperties", !props.pattern_properties.is_empty()),
        ("dependencies", props.dependencies.as_ref().is_some_and(|dependencies| !dependencies.is_empty())),
        ("additionalItems", props.additional_items.is_some()),
        ("definitions", !props.definitions.is_empty()),
    ];
    match keywords.into_iter().find(|(_, is_used)| *is_used) {
        None => Ok(()),
        Some((keyword, _)) => {
            let text = format!("OpenAPIV3Schema '{keyword}' is not supported");
            Err(NotStructural { text, place: props.written.place() })
        }
    }
}

//! What is left of a schema in OpenAPI v2, which knows neither null nor branches; and what old clients stumble
//! over is taken out.

use crate::props::OrBool;
use crate::structural::Structural;

/// The schema as it is published in OpenAPI v2.
pub(super) fn version_two(mut schema: Structural) -> Structural {
    schema.for_each_mut(&mut |schema| {
        schema.generic.default = None;
        let is_nullable = |schema: &Structural| schema.generic.nullable;
        let has_nullable_values = match schema.additional_properties.as_deref() {
            Some(OrBool::Schema(values)) => is_nullable(values),
            _ => false,
        };
        if schema.generic.nullable || schema.extensions.preserve_unknown_fields {
            schema.items = None;
            schema.properties.clear();
        }
        if schema.generic.nullable {
            schema.generic.type_name = "".into();
            schema.generic.nullable = false;
        }
        let type_name = &*schema.generic.type_name;
        if (type_name == "array" && schema.items.is_none())
            || (type_name == "object" && schema.extensions.preserve_unknown_fields)
        {
            schema.generic.type_name = "".into();
        }
        if let Some(validation) = &mut schema.value_validation {
            validation.all_of.clear();
            validation.any_of.clear();
            validation.one_of.clear();
            validation.not = None;
            let properties = &schema.properties;
            validation
                .required
                .retain(|name| !properties.get(name).is_some_and(|property| is_nullable(property)));
            if has_nullable_values {
                validation.required.clear();
            }
        }
    });
    schema
}

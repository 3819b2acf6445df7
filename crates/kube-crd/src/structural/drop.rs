//! Dropping value validation: what is left says which fields there are, and demands nothing of their values.

use super::Structural;
use crate::props::OrBool;

impl Structural {
    /// The same structure without value validation, at any depth. Rules in CEL are kept, as the server keeps
    /// them.
    pub fn without_value_validation(&self) -> Structural {
        Structural {
            place: self.place,
            items: self.items.as_ref().map(|items| Box::new(items.without_value_validation())),
            properties: self
                .properties
                .iter()
                .map(|(name, property)| (name.clone(), Box::new(property.without_value_validation())))
                .collect(),
            additional_properties: self.additional_properties.as_ref().map(|additional| {
                Box::new(match additional.as_ref() {
                    OrBool::Bool(allowed) => OrBool::Bool(*allowed),
                    OrBool::Schema(schema) => OrBool::Schema(schema.without_value_validation()),
                })
            }),
            generic: self.generic.clone(),
            extensions: self.extensions.clone(),
            rules: self.rules.clone(),
            unions: self.unions.clone(),
            value_validation: None,
        }
    }

    /// Changes the schema and every schema inside its structure, outermost first.
    pub fn for_each_mut(&mut self, change: &mut impl FnMut(&mut Structural)) {
        change(self);
        if let Some(items) = &mut self.items {
            items.for_each_mut(change);
        }
        for property in self.properties.values_mut() {
            property.for_each_mut(change);
        }
        if let Some(OrBool::Schema(additional)) = self.additional_properties.as_deref_mut() {
            additional.for_each_mut(change);
        }
    }
}

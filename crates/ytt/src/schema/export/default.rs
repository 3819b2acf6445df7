//! Defaults: which can be left to those who read a schema, and which have to be replaced.

use std::rc::Rc;

use super::Exporter;
use crate::error::Error;
use crate::schema::types::{MapType, Type};
use crate::tree::Value;
use crate::validation::{Validation, breaks_rules};

impl Exporter<'_> {
    /// Whether a default breaks rules: somebody has to set another value.
    pub(super) fn is_required(
        &mut self,
        default: &Value,
        declared: &Type,
        validation: Option<&Rc<Validation>>,
    ) -> Result<bool, Error> {
        breaks_rules(default, declared, validation, self.thread, self.context)
    }

    /// The keys of a map that have to be set.
    pub(super) fn required(&mut self, declared: &MapType) -> Result<Vec<Value>, Error> {
        let mut required = Vec::new();
        for (item, default) in declared.items.iter().zip(declared.default_items()) {
            if self.is_required(&default.value, &item.value, item.validation.as_ref())? {
                required.push(Value::string(name_of(&default.key)));
            }
        }
        Ok(required)
    }
}

/// A key as JSON has it.
pub(crate) fn name_of(key: &Value) -> String {
    match key {
        Value::String(text) => text.to_str_lossy().into_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        Value::Int(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Map(_) | Value::Array(_) => crate::tree::yaml_of(key).trim_end().to_owned(),
    }
}

//! To YAML and back.

use trueline_gotemplate::{Context, Error, Function, Type, Value};
use trueline_yaml::Dialect;

use crate::argument::any;
use crate::define::fixed;
use crate::json::not_plain;

/// The family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("toYaml", &[Type::Any], to_yaml, "VALUE", "The value as YAML, without the last line break."),
    fixed(
        "mustToYaml",
        &[Type::Any],
        must_to_yaml,
        "VALUE",
        "As `toYaml`, but fails where that gives nothing.",
    ),
    fixed(
        "toYamlPretty",
        &[Type::Any],
        to_yaml_pretty,
        "VALUE",
        "As `toYaml`, with lists indented under their keys.",
    ),
];

fn to_yaml(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    match must_to_yaml(context, arguments) {
        Err(error) if !error.is_limit() => Ok(Value::from("")),
        text => text,
    }
}

fn must_to_yaml(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let value = any(arguments, 0);
    let plain = value.to_plain().map_err(not_plain)?;
    let text =
        trueline_yaml::marshal(&plain, Dialect::Sigs).map_err(|error| Error::new(error.to_string()))?;
    Ok(Value::from(text.strip_suffix('\n').unwrap_or(&text)).at(value.origin))
}

fn to_yaml_pretty(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let value = any(arguments, 0);
    let plain = value.to_plain().map_err(not_plain)?;
    let text = trueline_yaml::write(&plain, Dialect::GoYamlV3);
    Ok(Value::from(text.strip_suffix('\n').unwrap_or(&text)).at(value.origin))
}

//! Conversions between types.

use trueline_gostd::strconv::{NoInt, parse_int};
use trueline_gotemplate::{Context, Element, Error, Function, List, Type, Uses, Value};
use trueline_source::Span;

use crate::argument::{any, items, text};
use crate::define::fixed;
use crate::{cast, text};

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("atoi", &[Type::String], atoi, "STRING", "The string as an integer, or 0 if it is not one."),
    fixed("int", &[Type::Any], int, "VALUE", "The value as an `int`, or 0 if it is not a number."),
    fixed("int64", &[Type::Any], int64, "VALUE", "The value as an `int64`, or 0 if it is not a number."),
    fixed("float64", &[Type::Any], float64, "VALUE", "The value as a `float64`, or 0 if it is not a number."),
    fixed(
        "toDecimal",
        &[Type::Any],
        to_decimal,
        "VALUE",
        "The value read as an octal number, like a file mode, or 0 if it is not one.",
    ),
    fixed("toString", &[Type::Any], to_string, "VALUE", "The value as a string.").with(Uses::Printed),
    fixed("toStrings", &[Type::Any], to_strings, "LIST", "The items as strings, without those that are nil."),
];

fn atoi(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let number = match parse_int(text(arguments, 0).as_bytes(), 10) {
        Ok(number) | Err(NoInt::Range(number)) => number,
        Err(NoInt::Syntax) => 0,
    };
    Ok(Value::int(number).at(origin(arguments)))
}

fn int(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::int(cast::to_int(&any(arguments, 0))).at(origin(arguments)))
}

fn int64(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::int64(cast::to_int(&any(arguments, 0))).at(origin(arguments)))
}

fn float64(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(cast::to_float(&any(arguments, 0))).at(origin(arguments)))
}

fn to_decimal(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let digits = text::display(context, &any(arguments, 0))?;
    Ok(Value::int64(parse_int(digits.as_bytes(), 8).unwrap_or(0)).at(origin(arguments)))
}

fn to_string(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(text::string(context, &any(arguments, 0))?).at(origin(arguments)))
}

fn to_strings(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(string_list(strings(context, &any(arguments, 0))?))
}

/// The items of a list as strings, without nil; anything else is treated as a list of one item.
pub(crate) fn strings(context: &mut dyn Context, value: &Value) -> Result<Vec<Value>, Error> {
    let mut one = |value: &Value| Ok(Value::from(text::string(context, value)?).at(value.origin));
    match items(value) {
        Some(items) => items.iter().filter(|item| !item.is_nil()).map(one).collect(),
        None if value.is_nil() => Ok(Vec::new()),
        None => Ok(vec![one(value)?]),
    }
}

/// A `[]string`.
pub(crate) fn string_list(items: Vec<Value>) -> Value {
    Value::from(List::new(Element::String, items))
}

fn origin(arguments: &[Value]) -> Option<Span> {
    arguments.first().and_then(|value| value.origin)
}

#[cfg(test)]
mod tests {
    use crate::test_context::check;

    #[test]
    fn functions_return_what_sprig_returns() {
        check(&[
            (r#"atoi "12""#, "int 12"),
            (r#"atoi "1_0""#, "int 0"),
            (r#"atoi "99999999999999999999""#, "int 9223372036854775807"),
            (r#"atoi "-99999999999999999999x""#, "int -9223372036854775808"),
            (r#"int "010""#, "int 8"),
            ("int 4.7", "int 4"),
            (r#"int64 "0x1F""#, "int64 31"),
            ("int64 true", "int64 1"),
            ("int (list)", "int 0"),
            (r#"float64 "1.5""#, "float64 1.5"),
            ("float64 nil", "float64 0"),
            (r#"toDecimal "0777""#, "int64 511"),
            ("toDecimal 755", "int64 493"),
            ("toDecimal 1.5", "int64 0"),
            (r#"toDecimal "9""#, "int64 0"),
            ("toString 1.0", r#"string "1""#),
            ("toString nil", r#"string "\u003cnil\u003e""#),
            (r#"toString (dict "a" (list 1 nil))"#, r#"string "map[a:[1 \u003cnil\u003e]]""#),
            (r#"toStrings (list 1 nil "x" true)"#, r#"[]string ["1","x","true"]"#),
            ("toStrings nil", "[]string []"),
            ("toStrings 1.5", r#"[]string ["1.5"]"#),
        ]);
    }
}

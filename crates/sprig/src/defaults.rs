//! Values that may be missing.

use trueline_gotemplate::{Context, Data, Error, Function, Kind, Type, Uses, Value};

use crate::argument::any;
use crate::define::{fixed, variadic};

const ANY: &[Type] = &[Type::Any];
const TWO: &[Type] = &[Type::Any, Type::Any];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    variadic("default", TWO, default, "DEFAULT VALUE", "The value, or the default if it is empty.")
        .with(Uses::Default),
    fixed("empty", ANY, empty, "VALUE", "Whether it is nil, false, zero, or empty.").with(Uses::Asked),
    variadic("coalesce", ANY, coalesce, "VALUE…", "The first non-empty value.").with(Uses::OneOf),
    variadic("all", ANY, all, "VALUE…", "Whether all values are non-empty.").with(Uses::Asked),
    variadic("any", ANY, any_of, "VALUE…", "Whether any value is non-empty.").with(Uses::Asked),
    fixed(
        "ternary",
        &[Type::Any, Type::Any, Type::Bool],
        ternary,
        "YES NO CONDITION",
        "The first value if the condition is true, otherwise the second.",
    )
    .with(Uses::OneOf),
];

/// Whether it is the zero value of its type or empty. Structs never are, even if a template treats them as
/// such.
pub(crate) fn is_empty(value: &Value) -> bool {
    match &value.data {
        Data::Object(object) => matches!(object.kind(), Kind::Map | Kind::Slice) && !object.is_true(),
        _ => !value.is_true(),
    }
}

fn default(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    match arguments.get(1) {
        Some(value) if !is_empty(value) => Ok(value.clone()),
        _ => Ok(any(arguments, 0)),
    }
}

fn empty(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(is_empty(&any(arguments, 0))))
}

fn coalesce(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(arguments.iter().find(|value| !is_empty(value)).cloned().unwrap_or_default())
}

fn all(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(!arguments.iter().any(is_empty)))
}

fn any_of(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(!arguments.iter().all(is_empty)))
}

fn ternary(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let yes = matches!(arguments.get(2).map(|value| &value.data), Some(Data::Bool(true)));
    Ok(any(arguments, if yes { 0 } else { 1 }))
}

#[cfg(test)]
mod tests {
    use crate::test_context::check;

    #[test]
    fn functions_return_what_sprig_returns() {
        check(&[
            (r#"default "d" """#, r#"string "d""#),
            (r#"default "d" "x""#, r#"string "x""#),
            (r#"default "d" 0"#, r#"string "d""#),
            (r#"default "d" false"#, r#"string "d""#),
            (r#"default "d" (list)"#, r#"string "d""#),
            (r#"default "d""#, r#"string "d""#),
            ("default nil nil", "<nil> null"),
            ("empty 0.0", "bool true"),
            (r#"empty " ""#, "bool false"),
            ("empty (dict)", "bool true"),
            ("empty nil", "bool true"),
            (r#"coalesce 0 "" nil "x" 1"#, r#"string "x""#),
            ("coalesce", "<nil> null"),
            (r#"all 1 "x""#, "bool true"),
            (r#"all 1 """#, "bool false"),
            ("all", "bool true"),
            (r#"any 0 "" 1"#, "bool true"),
            ("any", "bool false"),
            (r#"ternary "y" "n" true"#, r#"string "y""#),
            (r#"ternary "y" "n" false"#, r#"string "n""#),
            (r#"ternary "y" "n" 1"#, "! expected bool; found 1"),
        ]);
    }
}

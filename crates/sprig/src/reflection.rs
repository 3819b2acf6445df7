//! Inspection of values.

use trueline_gotemplate::{Context, Error, Function, Type, Uses, Value};

use crate::argument::{any, text};
use crate::define::fixed;
use crate::equal::deep_equal;

const NAME_VALUE: &[Type] = &[Type::String, Type::Any];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("typeOf", &[Type::Any], type_of, "VALUE", "Go's name of the type of the value.")
        .with(Uses::TypeAsked),
    fixed("typeIs", NAME_VALUE, type_is, "NAME VALUE", "Whether the type has this name.")
        .with(Uses::TypeAsked),
    fixed(
        "typeIsLike",
        NAME_VALUE,
        type_is_like,
        "NAME VALUE",
        "Whether the type has this name, or is a pointer to it.",
    )
    .with(Uses::TypeAsked),
    fixed(
        "kindOf",
        &[Type::Any],
        kind_of,
        "VALUE",
        "Go's name of the kind of the value: `map`, `slice`, `string` …",
    )
    .with(Uses::TypeAsked),
    fixed("kindIs", NAME_VALUE, kind_is, "NAME VALUE", "Whether the value is of this kind.")
        .with(Uses::TypeAsked),
    fixed(
        "deepEqual",
        &[Type::Any, Type::Any],
        equal,
        "VALUE VALUE",
        "Whether both have the same types and the same content.",
    )
    .with(Uses::Asked),
];

fn type_of(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(any(arguments, 0).type_name()))
}

fn type_is(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(text(arguments, 0).as_bytes() == any(arguments, 1).type_name().as_bytes()))
}

fn type_is_like(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (wanted, name) = (text(arguments, 0), any(arguments, 1).type_name());
    let pointed_to = name.strip_prefix('*').unwrap_or(&name);
    Ok(Value::from(wanted.as_bytes() == name.as_bytes() || wanted.as_bytes() == pointed_to.as_bytes()))
}

fn kind_of(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(any(arguments, 0).kind().name()))
}

fn kind_is(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(text(arguments, 0).as_bytes() == any(arguments, 1).kind().name().as_bytes()))
}

fn equal(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(deep_equal(context, &any(arguments, 0), &any(arguments, 1))?))
}

#[cfg(test)]
mod tests {
    use crate::test_context::check;

    #[test]
    fn functions_return_what_sprig_returns() {
        check(&[
            ("typeOf 1", r#"string "int""#),
            ("typeOf nil", r#"string "\u003cnil\u003e""#),
            ("typeOf 1.5", r#"string "float64""#),
            ("typeOf (until 1)", r#"string "[]int""#),
            (r#"typeOf (splitList "" "a")"#, r#"string "[]string""#),
            (r#"typeOf (split "" "a")"#, r#"string "map[string]string""#),
            ("typeOf (chunk 1 (list 1))", r#"string "[][]interface {}""#),
            ("typeOf (keys (dict))", r#"string "[]string""#),
            ("typeOf (add 1)", r#"string "int64""#),
            (r#"typeIs "string" "x""#, "bool true"),
            (r#"typeIsLike "int" 1"#, "bool true"),
            ("kindOf (list)", r#"string "slice""#),
            ("kindOf (dict)", r#"string "map""#),
            ("kindOf nil", r#"string "invalid""#),
            ("kindOf 1.5", r#"string "float64""#),
            (r#"kindIs "map" (dict)"#, "bool true"),
            (r#"deepEqual (list 1 (dict "a" 1)) (list 1 (dict "a" 1))"#, "bool true"),
            ("deepEqual 1 1.0", "bool false"),
            ("deepEqual (list) (rest (list))", "bool false"),
            ("deepEqual nil nil", "bool true"),
            (r#"deepEqual (dict "a" 1) (dict "a" 2)"#, "bool false"),
        ]);
    }
}

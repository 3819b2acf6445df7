use crate::env::{Env, Numbers};
use crate::library::optional;
use crate::types::Type;
use crate::validate;

fn environment() -> Env {
    let mut env = Env::new();
    env.options.numbers = Numbers::OfAllTypes;
    env.syntax.optional = true;
    env.add_functions(optional::functions());
    env.add_variable("s", Type::String);
    env.add_variable("l", Type::list(Type::Int));
    env.add_variable("m", Type::map(Type::String, Type::list(Type::Double)));
    env.add_variable("d", Type::Dyn);
    env.add_variable("w", Type::wrapper(Type::Int));
    env.add_variable("ns.v", Type::Bool);
    env
}

fn result(env: &Env, text: &str) -> String {
    match env.compile(text) {
        Ok(checked) => checked.result().to_string(),
        Err(issues) => {
            let issues = issues.iter().map(|issue| format!("{}:{} {}", issue.line, issue.column, issue.kind));
            issues.collect::<Vec<_>>().join("; ")
        }
    }
}

#[test]
fn types_follow_from_literals_variables_and_overloads() {
    let env = environment();
    for (text, expected) in [
        ("1 + 2", "int"),
        ("[]", "list(dyn)"),
        ("[] + [1]", "list(int)"),
        ("{'a': [b'x']}", "map(string, list(bytes))"),
        ("m.x[0]", "double"),
        ("m[?'x']", "optional_type(list(double))"),
        ("m.?x[0]", "optional_type(double)"),
        ("l.map(x, string(x))", "list(string)"),
        ("d.a.b", "dyn"),
        ("d + 1", "int"),
        ("true ? l : d", "dyn"),
        ("w == null || w + 1 == 2", "bool"),
        ("null == duration('1s')", "bool"),
        ("type(1)", "type(int)"),
        ("ns.v", "bool"),
        ("optional.of(l).value()", "list(int)"),
        ("[1, dyn('a')]", "list(dyn)"),
    ] {
        assert_eq!(result(&env, text), expected, "{text}");
    }
}

#[test]
fn mistakes_are_reported_where_they_are() {
    let env = environment();
    for (text, expected) in [
        (
            "x + y",
            "1:0 undeclared reference to 'x' (in container ''); 1:4 undeclared reference to 'y' (in container '')",
        ),
        ("s + 1", "1:2 found no matching overload for '_+_' applied to '(string, int)'"),
        ("s.size(1)", "1:6 found no matching overload for 'size' applied to 'string.(int)'"),
        ("l.a", "1:1 type 'list(int)' does not support field selection"),
        (
            "s.all(c, true)",
            "1:0 expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
        ),
        ("1 && true", "1:0 expected type 'bool' but found 'int'"),
        ("[?1]", "1:2 expected type 'optional_type(int)' but found 'int'"),
        (
            "l == m",
            "1:2 found no matching overload for '_==_' applied to '(list(int), map(string, list(double)))'",
        ),
        ("int{}", "1:3 'int' is not a message type"),
        ("s{}", "1:1 'string' is not a type"),
    ] {
        assert_eq!(result(&env, text), expected, "{text}");
    }
}

#[test]
fn numbers_of_different_types_compare_only_if_that_is_allowed() {
    let mut env = environment();
    assert_eq!(result(&env, "1 < 2.0"), "bool");
    env.options.numbers = Numbers::OfOneType;
    assert!(result(&env, "1 < 2.0").contains("no matching overload"));
    // Inside and after comprehensions it is allowed anyway.
    assert_eq!(result(&env, "l.exists(x, x < 2.0) || 1 > 2u"), "bool");
}

#[test]
fn names_are_looked_for_from_the_container_outwards() {
    let mut env = environment();
    env.add_variable("a.b.x", Type::Int);
    env.add_variable("a.x", Type::String);
    env.add_variable("x", Type::Bool);
    assert_eq!(result(&env, "x"), "bool");
    env.set_container("a.b");
    assert_eq!(result(&env, "x"), "int");
    assert_eq!(result(&env, ".x"), "bool");
    env.set_container("a.c");
    assert_eq!(result(&env, "x"), "string");
    assert_eq!(result(&env, "y"), "1:0 undeclared reference to 'y' (in container 'a.c')");
}

#[test]
fn literals_that_cannot_work_are_reported() {
    let mut env = environment();
    env.add_validator(validate::duration_literals);
    env.add_validator(validate::timestamp_literals);
    env.add_validator(validate::regex_literals);
    env.add_validator(validate::homogeneous_literals);
    for (text, expected) in [
        ("duration('1x') == duration('1s')", "1:9 invalid duration argument"),
        ("timestamp('today') > timestamp(0)", "1:10 invalid timestamp argument"),
        ("s.matches('[')", "1:10 invalid matches argument"),
        ("[1, 'a']", "1:4 expected type 'int' but found 'string'"),
        (
            "{'a': 1, 2: 2.0}",
            "1:9 expected type 'string' but found 'int'; 1:12 expected type 'int' but found 'double'",
        ),
        ("s.matches('^a') && [[1], [2]] == []", "bool"),
    ] {
        assert_eq!(result(&env, text), expected, "{text}");
    }
}

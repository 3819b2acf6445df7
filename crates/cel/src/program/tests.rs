use std::sync::Arc;

use super::*;
use crate::env::Numbers;
use crate::library::{comprehensions, optional};
use crate::shape::{FieldShape, ListKind, ListShape, ObjectShape, OtherFields, Shape};
use crate::types::Type;
use crate::value::read;

fn environment() -> Env {
    let mut env = Env::new();
    env.options.numbers = Numbers::OfAllTypes;
    env.syntax.optional = true;
    env.syntax.two_variable_comprehensions = true;
    env.add_functions(optional::functions());
    env.add_functions(comprehensions::functions());
    env.add_variable("any", Type::Dyn);
    env.add_variable("this", this().declared());
    env.add_variable("missing", Type::Bool);
    env
}

fn this() -> Shape {
    let field =
        |name: &str, key: &str, shape: Shape| (Arc::from(name), FieldShape { key: key.into(), shape });
    let list = |item: Shape, kind: ListKind| Shape::List(Arc::new(ListShape { item, kind }));
    let item =
        object("item", vec![field("name", "name", Shape::String), field("size", "size", Shape::Double)]);
    let keyed = ListKind::Keyed(vec!["name".into()]);
    object(
        "this",
        vec![
            field("first__dash__name", "first-name", Shape::String),
            field("items", "items", list(item, keyed)),
            field("tags", "tags", list(Shape::String, ListKind::Set)),
            field("labels", "labels", Shape::Map(Arc::new(Shape::String))),
            field("data", "data", Shape::Bytes),
            field("wait", "wait", Shape::Duration),
            field("day", "day", Shape::Date),
            field("gone", "gone", Shape::String),
        ],
    )
}

fn object(name: &str, fields: Vec<(Arc<str>, FieldShape)>) -> Shape {
    Shape::Object(Arc::new(ObjectShape {
        name: name.into(),
        fields: fields.into_iter().collect(),
        others: OtherFields::None,
    }))
}

fn values() -> Vec<Option<Value>> {
    let text = r#"{"first-name": "Ada", "items": [{"name": "a", "size": 1}, {"name": "b", "size": 2.5}],
        "tags": ["x", "y"], "labels": {"app": "web"}, "data": "aGk=", "wait": "90s", "day": "2024-02-29", "gone": null,
        "hidden": 1}"#;
    let document = trueline_yaml::Value::from_json_text(text).unwrap();
    vec![Some(read(&document, &Shape::Dyn)), Some(read(&document, &this())), None]
}

fn run(text: &str) -> Outcome {
    let env = environment();
    let checked = env.compile(text).unwrap_or_else(|issues| panic!("{text}: {issues:?}"));
    Program::new(&env, &checked).unwrap_or_else(|fault| panic!("{text}: {fault}")).run(&values(), 1_000_000)
}

/// An expression, what it prints as or why it fails, and what it costs.
fn check(text: &str, expected: &str, cost: u64) {
    let outcome = run(text);
    let found = outcome.result.map_or_else(|fault| format!("fault: {fault}"), |value| value.to_string());
    assert_eq!((found.as_str(), outcome.cost), (expected, cost), "{text}");
}

#[test]
fn operators() {
    check("7 / 2 + 7 % 4 * 2", "9", 4);
    check("9223372036854775807 + 1", "fault: integer overflow", 1);
    check("1u - 2u", "fault: unsigned integer overflow", 1);
    check("-(-9223372036854775807 - 1)", "fault: integer overflow", 2);
    check("1 / (2 - 2)", "fault: division by zero", 2);
    check("5 % 0", "fault: modulus by zero", 1);
    check("1.0 / 0.0 > 9223372036854775807", "true", 2);
    check("any + 1", "fault: no such overload: _+_", 2);
    check("'ab' + 'c' == 'abc' && b'a' < b'b'", "true", 3);
    check("[1, 2] + [3]", "[1, 2, 3]", 1);
    check("dyn(1) == 1.0 && dyn(2u) != 3 && 1 < 1.5", "true", 3);
    check("2 in [1, 2.0] || 'a' in {'a': 1}", "true", 0);
}

#[test]
fn logic_absorbs_faults_that_do_not_matter() {
    check("missing || true", "true", 1);
    check("missing && false", "false", 1);
    check("missing || false", "fault: no such attribute(s): missing", 1);
    check("1 / 0 > 0 || missing", "fault: division by zero", 3);
    check("[1, 0].exists(x, 1 / x > 0)", "true", 11);
    check("[0, 1].all(x, 1 / x > 0)", "fault: division by zero", 13);
    check("true ? 1 : 1 / 0", "1", 0);
    check("any.nothing == 1 ? 1 : 2", "fault: no such key: nothing", 3);
}

#[test]
fn fields_of_documents() {
    check("this.first__dash__name", "Ada", 2);
    check("this.items[1].size + 0.5", "3", 5);
    check("this.items[2].size", "fault: index out of bounds: 2", 3);
    check("has(this.gone) || has(this.labels.app)", "true", 3);
    check("this.gone", "fault: no such key: gone", 2);
    check("this.labels['app'] + string(this.data)", "webhi", 7);
    check("this.wait > duration('1m') && this.day.getMonth() == 1", "true", 7);
    check("any.items[0].size", "1", 4);
    check("any.?absent.?more.orValue(3)", "3", 1);
    check("any[?'labels'].app", "optional(web)", 3);
    check("any.first.name", "fault: no such key: first", 2);
    check("(any.hidden == 1 ? any.labels : any).app", "web", 5);
    check("size(dyn(this)) == 9 && type(this) == map", "true", 7);
}

#[test]
fn lists_of_documents_compare_and_add_as_their_kinds_say() {
    check("this.tags == ['y', 'x']", "true", 3);
    check("['y', 'x'] == this.tags", "false", 3);
    check("(this.tags + ['z', 'x']).size()", "3", 4);
    check("this.tags + ['z'] == ['z', 'y', 'x']", "true", 4);
    check("this.items + [this.items[1]] == this.items", "true", 19);
    check("dyn(this.items) == dyn(1)", "fault: no such overload", 4);
    check("dyn(this.items) != dyn(1)", "true", 4);
}

#[test]
fn comprehensions() {
    check("this.items.map(i, i.name)", "[a, b]", 31);
    check("this.items.filter(i, i.size > 2.0).size()", "1", 23);
    check("[1, 2, 3].exists_one(x, x > 2)", "true", 10);
    check("{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2)", "{b: 4}", 10);
    check(
        "{'a': 1, 'b': 1}.transformMapEntry(k, v, {v: k})",
        "fault: insert failed: key 1 already exists",
        69,
    );
    check("[3, 4].transformList(i, v, i + v)", "[3, 5]", 31);
    check("dyn(1).all(x, true)", "fault: got 'types.Int', expected iterable type", 0);
    check("optional.of(2).optMap(x, x + 1)", "optional(3)", 7);
    check("optional.none().optMap(x, 1)", "optional.none()", 3);
    // The value of the optional is not asked for where nobody reads it.
    check("optional.of(1).optFlatMap(x, optional.of(5))", "optional(5)", 3);
    // A long list is not copied for each item.
    let items = vec!["1"; 2_000].join(",");
    assert_eq!(run(&format!("[{items}].map(x, x).size()")).result.unwrap().to_string(), "2000");
}

#[test]
fn what_is_known_is_computed_once() {
    let env = environment();
    let build = |text: &str| Program::new(&env, &env.compile(text).unwrap());
    for (text, problem) in [
        ("true || int('a') == 1", "type conversion error from 'string' to 'int'"),
        (
            "duration(dyn('1x')) == duration('1s')",
            "type conversion error from 'string' to 'google.protobuf.Duration'",
        ),
        ("'a'.matches('(')", "error parsing regexp: missing closing ): `(`"),
        ("any[null]", "invalid qualifier type: types.Null"),
        ("{b'a': 1}", "panic: runtime error: hash of unhashable type types.Bytes"),
        ("[type(1)].map(x, x == int)", "reference to undefined type: x"),
    ] {
        assert_eq!(build(text).unwrap_err().to_string(), problem, "{text}");
    }
    check("[1, int('2'), {'a': dyn(3)}['a']].size()", "3", 13);
    check("1 in []", "false", 0);
    check(
        "dyn(b'a') in ['a']",
        "fault: internal error: runtime error: hash of unhashable type types.Bytes",
        0,
    );
}

#[test]
fn limits_end_a_run() {
    let env = environment();
    let program = Program::new(&env, &env.compile("[1, 2, 3].all(x, x > 0)").unwrap()).unwrap();
    let cost = program.run(&[], u64::MAX).cost;
    assert_eq!(program.run(&[], cost).end, End::Done);
    let ended = program.run(&[], cost - 1);
    assert_eq!(ended.end, End::LimitExceeded);
    assert_eq!(ended.result.unwrap_err().to_string(), "operation cancelled: actual cost limit exceeded");
    // What costs too much is not done at all, and cannot be handled inside the expression.
    let long = format!("[[1, 2, 3, 4]]{}.all(l, l == l) || true", ".map(l, l + l)".repeat(30));
    let program = Program::new(&env, &env.compile(&long).unwrap()).unwrap();
    assert_eq!(program.run(&[], 1_000_000).end, End::LimitExceeded);
}

#[test]
fn faults_have_places() {
    let env = environment();
    for (text, place) in
        [("1 + any.nothing", "any.nothing"), ("[1][3] == 2", "[1][3]"), ("true && 2 / 0 == 1", "2 / 0")]
    {
        let program = Program::new(&env, &env.compile(text).unwrap()).unwrap();
        let fault = program.run(&values(), 1_000).result.unwrap_err();
        let found = program.place(&fault).unwrap();
        let start = text.find(place).unwrap();
        assert!(
            found.start as usize >= start && found.end as usize <= start + place.len(),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn unchecked_expressions_find_names_when_they_run() {
    let mut env = Env::new();
    env.add_variable("a.b", Type::Int);
    env.add_variable("a", Type::Dyn);
    let run = |text: &str, values: &[Option<Value>]| {
        let ast = crate::syntax::parse(text, &env.syntax).unwrap();
        let result = Program::unchecked(&env, &ast).unwrap().run(values, 1_000).result;
        result.map_or_else(|fault| format!("fault: {fault}"), |value| value.to_string())
    };
    assert_eq!(run("a.b + 1", &[Some(Value::Int(2)), None]), "3");
    assert_eq!(run("a.b + 1", &[None, None]), "fault: no such attribute(s): a.b");
    assert_eq!(run("unknown(1)", &[]), "fault: no such overload: unknown");
    assert_eq!(run("[1, 'a'].map(x, type(x)) == [int, string]", &[]), "true");
}

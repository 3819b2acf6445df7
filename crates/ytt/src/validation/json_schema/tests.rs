use trueline_starlark::{Limits, Thread};

use super::JsonSchema;
use crate::tree::read_one;

/// What a value in YAML breaks of a schema in YAML.
fn broken(schema: &str, value: &str) -> Option<String> {
    let thread = Thread::new(Limits::default());
    let of = |text: &str| read_one(text).unwrap();
    let schema = JsonSchema::new(of(schema), &thread).unwrap();
    schema.broken(&of(value), &thread).unwrap()
}

fn refused(schema: &str) -> String {
    let thread = Thread::new(Limits::default());
    let schema = read_one(schema).unwrap();
    JsonSchema::new(schema, &thread).unwrap_err().message().to_owned()
}

#[test]
fn every_keyword_has_good_and_bad_values() {
    for (schema, good, bad, words) in [
        ("type: [string, integer]", "2.0", "1.5", "expected a string or an integer, found a number"),
        ("type: 'null'", "null", "''", "expected null, found a string"),
        ("enum: [a, 1, {x: [1]}]", "{x: [1.0]}", "b", "not one of allowed values"),
        ("const: 1.0", "1", "2", "not one of allowed values"),
        ("minimum: 1", "1.0", "0.5", "`minimum` is not met"),
        ("maximum: 1", "x", "2", "`maximum` is not met"),
        ("exclusiveMinimum: 0", "0.1", "0", "`exclusiveMinimum` is not met"),
        ("exclusiveMaximum: 0", "-1", "0.0", "`exclusiveMaximum` is not met"),
        ("multipleOf: 0.1", "0.3", "0.35", "`multipleOf` is not met"),
        ("multipleOf: 4", "8.0", "6", "`multipleOf` is not met"),
        ("minLength: 2", "éé", "é", "length = 1"),
        ("maxLength: 1", "é", "ab", "length = 2"),
        ("pattern: ^a+$", "aa", "ab", "`pattern` is not met"),
        ("format: ipv4", "1.2.3.4", "1.2.3", "not a valid ipv4"),
        ("format: uri-reference", "a/b", "'%'", "not a valid uri-reference"),
        ("items: {type: integer}", "[1]", "[1, a]", "[1]: expected an integer, found a string"),
        ("{prefixItems: [{type: string}], items: false}", "[a]", "[a, b]", "[1]: not allowed"),
        ("minItems: 1", "[a]", "[]", "length = 0"),
        ("maxItems: 1", "[a]", "[a, b]", "length = 2"),
        ("uniqueItems: true", "[1, '1', {a: 1}]", "[{a: 1, b: 2}, {b: 2.0, a: 1}]", "two items are the same"),
        ("contains: {const: a}", "[b, a]", "[b]", "`contains` is not met"),
        (
            "{contains: {const: a}, minContains: 2, maxContains: 2}",
            "[a, a]",
            "[a, a, a]",
            "`contains` is not met",
        ),
        ("properties: {a: {type: string}}", "{b: 1}", "{a: 1}", "a: expected a string, found an integer"),
        (
            "patternProperties: {^a: {type: string}}",
            "{b: 1}",
            "{ab: 1}",
            "ab: expected a string, found an integer",
        ),
        (
            "{properties: {a: true}, patternProperties: {^b: true}, additionalProperties: {type: string}}",
            "{a: 1, b: 1, c: c}",
            "{c: {d: 1}}",
            "c: expected a string, found a map",
        ),
        (
            "additionalProperties: {items: {type: string}}",
            "{1: [a]}",
            "{1: [a, 1]}",
            "1[1]: expected a string, found an integer",
        ),
        ("propertyNames: {maxLength: 2}", "{ab: 1}", "{abc: 1}", "abc: length = 3"),
        ("required: [a]", "{a: null}", "{}", "`a` is missing"),
        ("minProperties: 1", "{a: 1}", "{}", "length = 0"),
        ("maxProperties: 1", "[1, 2]", "{a: 1, b: 1}", "length = 2"),
        ("dependentRequired: {a: [b]}", "{b: 1}", "{a: 1}", "`b` is missing"),
        ("dependentSchemas: {a: {required: [b]}}", "{a: 1, b: 1}", "{a: 1}", "`b` is missing"),
        ("allOf: [{minimum: 1}, {maximum: 2}]", "2", "3", "`maximum` is not met"),
        ("anyOf: [{type: string}, {minimum: 1}]", "a", "0", "`anyOf` is not met"),
        ("oneOf: [{minimum: 1}, {maximum: 2}]", "3", "1", "`oneOf` is not met"),
        ("not: {type: string}", "1", "a", "`not` is not met"),
        ("{if: {type: string}, then: {minLength: 1}, else: {minimum: 1}}", "1", "''", "length = 0"),
        ("{if: {type: string}, else: {minimum: 1}}", "''", "0", "`minimum` is not met"),
        ("false", "", "1", "not allowed"),
    ] {
        if schema != "false" {
            assert_eq!(broken(schema, good), None, "{schema}");
        }
        assert_eq!(broken(schema, bad).as_deref(), Some(words), "{schema}");
    }
    // What says nothing of a type accepts it, and other formats and annotations say nothing at all.
    for schema in ["true", "{}", "minLength: 5", "required: [a]", "format: secret", "{title: a, x-b: 1}"] {
        assert_eq!(broken(schema, "5"), None, "{schema}");
    }
}

#[test]
fn schemas_that_cannot_be_read_are_refused() {
    for (schema, words) in [
        ("1", "expected a JSON Schema to be a map or a boolean, found integer"),
        ("typ: string", "\"typ\" is not a keyword of JSON Schema that can be used here"),
        ("$ref: '#'", "\"$ref\" is not a keyword of JSON Schema that can be used here"),
        ("type: strnig", "\"strnig\" is not a type of JSON Schema"),
        ("minLength: -1", "expected `minLength` of a JSON Schema to be an integer that is not negative"),
        ("multipleOf: 0", "expected `multipleOf` of a JSON Schema to be a number above zero"),
        ("pattern: '('", "expected `pattern` to be a regular expression, but"),
        (
            "pattern: '(?=a)'",
            "the regular expression of `pattern` means something else in ECMAScript than in Go",
        ),
        ("required: a", "expected `required` of a JSON Schema to be a list of strings"),
        ("anyOf: {}", "expected `anyOf` of a JSON Schema to be a list"),
        ("properties: []", "expected `properties` of a JSON Schema to be a map"),
    ] {
        assert!(refused(schema).starts_with(words), "{}", refused(schema));
    }
    let deep = format!("{}true{}", "{not: ".repeat(150), "}".repeat(150));
    assert!(refused(&deep).contains("nested more than 100 levels deep"));
}

//! Schemas and values with the reports of the real tool.

use crate::schema::{Schema, SchemaFormat, export};
use crate::testing::{document, thread};
use crate::tree::yaml_of;
use crate::value::Context;

/// The report about a schema.
fn broken(schema: &str) -> String {
    let mut thread = thread();
    let document = document("schema.yml", schema, &mut thread);
    Schema::new(&document, &mut thread, &Context::new()).unwrap_err().to_string()
}

/// What values are completed to, or the report about them.
fn fitted(schema: &str, values: &str) -> String {
    let mut thread = thread();
    let schema = document("schema.yml", schema, &mut thread);
    let schema = Schema::new(&schema, &mut thread, &Context::new()).unwrap();
    let mut values = document("values.yml", values, &mut thread);
    let violations = schema.declared().fit(&mut values);
    if violations.is_empty() {
        return yaml_of(&values.value);
    }
    super::SchemaError::new("One or more data values were invalid", violations).to_string()
}

/// The values that there are if nobody says otherwise.
fn defaults(schema: &str) -> String {
    let mut thread = thread();
    let document = document("schema.yml", schema, &mut thread);
    let schema = Schema::new(&document, &mut thread, &Context::new()).unwrap();
    yaml_of(&schema.defaults().unwrap().value)
}

#[test]
fn defaults_come_from_examples_and_annotations() {
    for (schema, expected) in [
        (
            "s: x\ni: 1\nf: 1.5\nb: true\nm:\n  k: v\nl:\n- x\n",
            "s: x\ni: 1\nf: 1.5\nb: true\nm:\n  k: v\nl: []\n",
        ),
        ("#@schema/nullable\na: x\n", "a: null\n"),
        ("#@schema/type any=True\na:\n- 1\n- x: z\n", "a:\n- 1\n- x: z\n"),
        ("#@schema/nullable\n#@schema/type any=True\na: 1\n", "a: null\n"),
        ("#@schema/nullable\n#@schema/default 5\na: 1\n", "a: 5\n"),
        ("#@schema/default [{'a': 1}]\nl:\n- a: 0\n  b: x\n", "l:\n- a: 1\n  b: x\n"),
        ("#@schema/default {'b': 2}\nm:\n  a: 1\n  b: 1\n", "m:\n  b: 2\n  a: 1\n"),
        ("#@schema/type any=False\na: 1\n", "a: 1\n"),
        ("1: a\ntrue: b\n", "1: a\ntrue: b\n"),
    ] {
        assert_eq!(defaults(schema), expected, "{schema}");
    }
}

#[test]
fn missing_keys_are_added_after_given_ones() {
    for (schema, values, expected) in [
        ("a: 1\nb: 2\nc: 3\n", "c: 4\na: 0\n", "c: 4\na: 0\nb: 2\n"),
        ("l:\n- a: 1\n  b: 2\n", "l:\n- b: 5\n- a: 6\n", "l:\n- b: 5\n  a: 1\n- a: 6\n  b: 2\n"),
        ("#@schema/nullable\nm:\n  a: 1\n", "m: {}\n", "m:\n  a: 1\n"),
        ("f: 1.0\n", "f: 2\n", "f: 2\n"),
        ("#@schema/nullable\na: x\n", "a:\n", "a: null\n"),
    ] {
        assert_eq!(fitted(schema, values), expected, "{schema} {values}");
    }
}

#[test]
fn wrong_values_are_reported() {
    let expected = "
One or more data values were invalid
====================================

Given data value is not declared in schema
values.yml:
    |
  2 | hostnme: x
    |

    = found: hostnme
    = expected: one of { hostname, port } (from schema.yml:1)
    = hint: did you mean \"hostname\"?

values.yml:
    |
  1 | port: a
    |

    = found: string
    = expected: integer (by schema.yml:2)

";
    assert_eq!(fitted("hostname: a\nport: 1\n", "port: a\nhostnme: x\n"), expected);
}

#[test]
fn a_wrong_structure_is_reported_alone() {
    let expected = "
One or more data values were invalid
====================================

values.yml:
    |
  1 | a:
    |

    = found: array
    = expected: map (by schema.yml:1)

";
    assert_eq!(fitted("a:\n  b: 1\nc: 1\n", "a:\n- 1\nc: x\n"), expected);
}

#[test]
fn what_was_expected_is_worded_by_how_many_keys_there_are() {
    let ten: String = (0..10).map(|index| format!("k{index}: 1\n")).collect();
    for (schema, expected) in [
        ("a: 1\n", "a map item with the key named \"a\" (from schema.yml:1)"),
        ("b: 1\na: 1\n", "one of { a, b } (from schema.yml:1)"),
        (&ten, "a key declared in map (from schema.yml:1)"),
        ("{}", "a key declared in map (from schema.yml:1)"),
    ] {
        let report = fitted(schema, "zzzzzz: 1\n");
        assert!(report.contains(&format!("= expected: {expected}\n")), "{report}");
    }
}

#[test]
fn schemas_are_refused() {
    for (schema, parts) in [
        ("a:\n", &["Invalid schema - null value not allowed here\n", "= found: null value\n"][..]),
        ("#@schema/nullable\na:\n", &["Invalid schema - null value not allowed here\n"]),
        ("a: []\n", &["wrong number of items in array definition", "= found: 0 array items\n"]),
        (
            "a: [1, 2]\n",
            &["= found: 2 array items\n", "= expected: exactly 1 array item, of the desired type\n"],
        ),
        ("#@schema/type\na: 1\n", &["expected @schema/type annotation to have keyword argument and value\n"]),
        ("#@schema/type any=1\na: 1\n", &["= found: starlark.Int (by schema.yml:1)\n"]),
        ("#@schema/type foo=1\na: 1\n", &["= found: foo (by schema.yml:1)\n", "= expected: A valid kwarg\n"]),
        (
            "#@schema/nullable x=1\na: 1\n",
            &["= found: keyword argument in @schema/nullable (by schema.yml:1)\n"],
        ),
        ("#@schema/title 5\na: 1\n", &["= found: Non-string value in @schema/title (by schema.yml:1)\n"]),
        ("#@schema/desc\na: 1\n", &["= found: missing value in @schema/desc (by schema.yml:1)\n"]),
        ("#@schema/desc 'a', 'b'\na: 1\n", &["= found: 2 values in @schema/desc (by schema.yml:1)\n"]),
        (
            "#@schema/deprecated x=1\na: 1\n",
            &["= hint: this annotation only accepts one argument: a string.\n"],
        ),
        ("#@schema/examples 1\na: 1\n", &["= found: int for @schema/examples (at schema.yml:1)\n"]),
        (
            "#@schema/examples (1, 2)\na: 1\n",
            &["= found: int value for @schema/examples (at schema.yml:1)\n"],
        ),
        ("#@schema/examples ('a', 2, 3)\na: 1\n", &["= found: 3-tuple argument in @schema/examples"]),
        ("#@schema/examples ('a',)\na: 1\n", &["= found: empty tuple in @schema/examples"]),
        (
            "#@schema/examples ('a', 'x')\na: 1\n",
            &["has wrong type\n", "= found: string (by schema.yml:1)\n"],
        ),
        ("#@schema/default 'x'\na: 1\n", &["is wrong type\n", "= found: string (at schema.yml:1)\n"]),
        ("#@schema/default\na: 1\n", &["= expected: integer (by schema.yml:2)\n"]),
        (
            "#@schema/default x=1\na: 1\n",
            &["= hint: value must be in Starlark format, e.g.: {'key': 'value'}, True.\n"],
        ),
        ("#@schema/deprecated 'x'\n---\na: 1\n", &["@schema/deprecated not supported on a document\n"]),
        (
            "#@schema/type any=True\na:\n  #@schema/nullable\n  #@schema/default 1\n  b: 1\n",
            &[
                "Schema was specified within an \"any type\" fragment\n",
                "  3 |   #@schema/nullable\n  4 |   #@schema/default 1\n  5 |   b: 1\n",
                "= found: @schema/nullable, @schema/default annotation(s)\n",
            ],
        ),
        (
            "#@schema/validation\na: 1\n",
            &["Invalid @schema/validation annotation - expected annotation to have 2-tuple"],
        ),
    ] {
        let report = broken(schema);
        for part in parts {
            assert!(report.contains(part), "{schema}\n{report}");
        }
    }
}

#[test]
fn some_reports_are_reports_in_reports() {
    let expected = "
Invalid schema
==============

Invalid schema - @schema/default not supported on array item
============================================================

schema.yml:
    |
  2 | #@schema/default \"x\"
  3 | - \"\"
    |



    = hint: do you mean to set a default value for the array?
    = hint: set an array's default by annotating its parent.

 

";
    assert_eq!(broken("l:\n#@schema/default \"x\"\n- \"\"\n"), expected);
    let nullable = broken("#@schema/nullable\nm:\n  a: []\n");
    assert!(
        nullable.starts_with("\nInvalid schema\n==============\n\nInvalid schema - wrong number"),
        "{nullable}"
    );
}

#[test]
fn deep_schemas_are_refused() {
    let mut schema = String::new();
    for depth in 0..400 {
        schema.push_str(&format!("{}a:\n", " ".repeat(depth)));
    }
    schema.push_str(&format!("{}a: 1\n", " ".repeat(400)));
    assert_eq!(broken(&schema), "the schema is nested more than 200 levels deep");
}

#[test]
fn types_are_exported_as_openapi() {
    let schema =
        "#@schema/title 'T'\n#@schema/desc 'D'\n#@schema/deprecated ''\n#@schema/examples ('e', 'v')\na: x
f: 1.5
#@schema/nullable
k: 1
#@schema/type any=True
any: [1]
l:
- b: true
";
    let mut thread = thread();
    let document = document("schema.yml", schema, &mut thread);
    let schema = Schema::new(&document, &mut thread, &Context::new()).unwrap();
    let expected = "openapi: 3.0.0
info:
  version: 0.1.0
  title: Schema for data values, generated by ytt
paths: {}
components:
  schemas:
    dataValues:
      type: object
      additionalProperties: false
      properties:
        a:
          title: T
          type: string
          deprecated: true
          description: D
          x-example-description: e
          example: v
          default: x
        f:
          type: number
          format: float
          default: 1.5
        k:
          type: integer
          nullable: true
          default: null
        any:
          nullable: true
          default:
          - 1
        l:
          type: array
          items:
            type: object
            additionalProperties: false
            properties:
              b:
                type: boolean
                default: true
          default: []
";
    let exported = export(schema.declared(), SchemaFormat::OpenApi, &mut thread, &Context::new()).unwrap();
    assert_eq!(yaml_of(&exported.value), expected);
}

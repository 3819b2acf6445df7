//! Rules with the reports of the real tool.

use super::validate;
use crate::schema::Schema;
use crate::testing::{document, thread};
use crate::value::Context;

/// What is said about the values that a schema has by default, or the error about its rules.
fn report(schema: &str) -> String {
    let mut thread = thread();
    let context = Context::new();
    let document = document("s.yml", schema, &mut thread);
    let schema = match Schema::new(&document, &mut thread, &context) {
        Ok(schema) => schema,
        Err(error) => return error.to_string(),
    };
    let values = schema.defaults().unwrap();
    match validate(&values, &schema, &mut thread, &context) {
        Ok(()) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn rules_with_names_are_checked() {
    for (schema, must, found) in [
        ("#@schema/validation min=1\na: 0\n", "a value >= 1", "value < 1"),
        ("#@schema/validation max=\"b\"\na: c\n", "a value <= \"b\"", "value > b"),
        ("#@schema/validation max=2.0\na: 3\n", "a value <= 2", "value > 2"),
        ("#@schema/validation min=1\na: x\n", "a value >= 1", "string >= int not implemented"),
        ("#@schema/validation min_len=4\na: abc\n", "length >= 4", "length = 3"),
        ("#@schema/validation max_len=1.9\na: é\n", "length <= 1", "length = 2"),
        ("#@schema/validation min_len=1\na: 5\n", "length >= 1", "len: value of type int has no len"),
        ("#@schema/validation not_null=True, min=1\n#@schema/nullable\na: 1\n", "not null", "value is null"),
        ("#@schema/validation one_of=[1, \"x\"]\na: 2\n", "one of [1, \"x\"]", "not one of allowed values"),
        ("#@schema/validation one_of={\"x\": 1}\na: z\n", "one of {\"x\": 1}", "not one of allowed values"),
        (
            "#@schema/validation one_not_null=True\na:\n  b: 1\n  c: 2\n",
            "exactly one of all children to be not null",
            "[\"b\", \"c\"] are not null",
        ),
        (
            "#@schema/validation one_not_null=(\"b\",)\na:\n  #@schema/nullable\n  b: 1\n",
            "exactly one of (\"b\",) to be not null",
            "all values are null",
        ),
        (
            "#@schema/validation one_not_null=True\na: {}\n",
            "exactly one of all children to be not null",
            "value must be a map or dict, but was 'NoneType'",
        ),
    ] {
        let lines = schema.lines().count();
        let position = schema.lines().position(|line| line.starts_with("a:")).unwrap_or(lines) + 1;
        let expected = format!(
            "Validating final data values:\n  a\n    from: s.yml:{position}\n    - must be: {must} (by: s.yml:1)\n      \
             found: {found}\n\n"
        );
        assert_eq!(report(schema), expected, "{schema}");
    }
}

#[test]
fn values_that_meet_their_rules_pass() {
    for schema in [
        "#@schema/validation min=1, max=3, one_of=[2]\na: 2\n",
        "#@schema/validation min=1\n#@schema/nullable\na: 0\n",
        "#@schema/validation one_not_null=[\"b\", \"missing\"]\na:\n  b: 1\n",
        "#@schema/validation (\"x\", lambda value: value[\"b\"] == 1)\na:\n  b: 1\n",
        "#@schema/validation min=9, when=lambda value: False\na: 1\n",
        "#@schema/validation min=9, when=lambda value, ctx: ctx.root[\"b\"] != ctx.parent[\"b\"]\na: 1\nb: 1\n",
        "#@schema/validation one_of=[1.0]\na: 1\n",
    ] {
        assert_eq!(report(schema), "", "{schema}");
    }
}

#[test]
fn functions_are_rules() {
    let schema = "#@schema/validation (\"no x\", lambda value: None), (\"y\", lambda value: fail(\"because\"))\na: 1\n";
    let expected = "Validating final data values:\n  a\n    from: s.yml:2\n    - must be: no x (by: s.yml:1)\n    - must \
                    be: y (by: s.yml:1)\n      found: because\n\n";
    assert_eq!(report(schema), expected);
}

#[test]
fn parents_are_listed_before_children() {
    let schema = "#@schema/validation min_len=9\n---\n#@schema/validation min_len=9\na:\n  #@schema/validation min=9\n  b: 1\n";
    let report = report(schema);
    let lines: Vec<&str> = report.lines().filter(|line| !line.starts_with("    ")).collect();
    assert_eq!(lines, ["Validating final data values:", "  (document)", "", "  a", "", "  a.b", ""]);
}

#[test]
fn arguments_are_checked() {
    for (arguments, expected) in [
        ("", "expected annotation to have 2-tuple as argument(s), but found no arguments (by s.yml:1)"),
        ("5", "expected annotation to have 2-tuple as argument(s), but found: 5 (by s.yml:1)"),
        ("(\"a\",)", "expected 2-tuple, but found tuple with length 1 (by s.yml:1)"),
        (
            "(1, 2)",
            "expected first item in the 2-tuple to be a string describing a valid value, but was int (at s.yml:1)",
        ),
        (
            "(\"a\", 2)",
            "expected second item in the 2-tuple to be an assertion function, but was int (at s.yml:1)",
        ),
        (
            "(\"a\", \"b\")",
            "expected second item in tuple to be an assertion function or assertion object, but was a string (at \
             s.yml:1)",
        ),
        (
            "min_len=\"x\"",
            "expected keyword argument \"min_len\" to be a number, but was string (at s.yml:1)",
        ),
        ("not_null=1", "expected keyword argument \"not_null\" to be a boolean, but was int (at s.yml:1)"),
        ("when=True", "expected keyword argument \"when\" to be a function, but was bool (at s.yml:1)"),
        ("one_not_null=False", "one_not_null= cannot be False"),
        ("one_not_null=5", "expected True or a sequence of keys, but was a 'int'"),
        ("one_of=\"abc\"", "expected keyword argument one_of to be a sequence, but was string"),
        ("foo=1", "unknown keyword argument \"foo\" (at s.yml:1)"),
    ] {
        let report = report(&format!("#@schema/validation {arguments}\na: 1\n"));
        assert_eq!(report, format!("Invalid @schema/validation annotation - {expected}"), "{arguments}");
    }
}

#[test]
fn conditions_have_to_be_booleans() {
    for (when, expected) in [
        ("lambda value: 1", "want when= to be bool, got int"),
        ("lambda value: value + None", "Failure evaluating when=: unknown binary op: int + NoneType"),
        ("lambda a, b, c: True", "Failed to evaluate when=: function must accept 1 or 2 arguments (3 given)"),
    ] {
        let report = report(&format!("#@schema/validation min=1, when={when}\na: 1\n"));
        assert_eq!(report, format!("Validating final data values:\nValidating a: {expected}"), "{when}");
    }
}

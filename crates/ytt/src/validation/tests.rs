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
            "#@schema/validation one_of={\"x\": 1}\na:\n  b: 1\n",
            "one of {\"x\": 1}",
            "not one of allowed values",
        ),
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
    let schema = "#@schema/validation (\"x\", lambda value: None), (\"y\", lambda value: fail(\"because\")), (\"z\", lambda \
         value: (False, \"the text\")), (\"t\", lambda value: (True, \"unused\")), (\"u\", lambda value: False), (\"v\", \
         lambda value: 1)\na: 1\n";
    let expected = "Validating final data values:\n  a\n    from: s.yml:2\n    - must be: y (by: s.yml:1)\n      found: \
                    because\n    - must be: z (by: s.yml:1)\n      found: the text\n    - must be: u (by: s.yml:1)\n    \
                    - must be: v (by: s.yml:1)\n\n";
    assert_eq!(report(schema), expected);
    let bare = "#@schema/validation lambda value: False, min=2\na: 1\n";
    let expected = "Validating final data values:\n  a\n    from: s.yml:2\n    - must be: lambda (by: s.yml:1)\n    - \
                    must be: a value >= 2 (by: s.yml:1)\n      found: value < 2\n\n";
    assert_eq!(report(bare), expected);
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
        (
            "(\"a\", lambda v: True, \"{x}\")",
            "expected third item in the 3-tuple to be a message with {key}, {value}, {desc} and {failure}: format: keyword \
             x not found (at s.yml:1)",
        ),
        (
            "(\"a\", lambda v: True, 1)",
            "expected third item in the 3-tuple to be a string, but was int (at s.yml:1)",
        ),
        ("even=False", "even= cannot be False"),
        ("odd=1", "expected keyword argument \"odd\" to be a boolean, but was int (at s.yml:1)"),
        (
            "multiple_of=0",
            "expected keyword argument \"multiple_of\" to be an integer above zero (at s.yml:1)",
        ),
        (
            "multiple_of=1.5",
            "expected keyword argument \"multiple_of\" to be an integer above zero (at s.yml:1)",
        ),
        ("len=\"x\"", "expected keyword argument \"len\" to be a number, but was string (at s.yml:1)"),
        (
            "starts_with=1",
            "expected keyword argument \"starts_with\" to be a string, but was int (at s.yml:1)",
        ),
        (
            "matches=\"(\"",
            "expected keyword argument \"matches\" to be a regular expression, but error parsing regexp: missing closing \
             ): `(` (at s.yml:1)",
        ),
        (
            "format=\"e-mail\"",
            "unknown format \"e-mail\", expected one of quantity, date-time, date, time, duration, email, idn-email, \
             hostname, idn-hostname, ipv4, ipv6, uri, uriref, iri, iri-reference, uri-template, uuid, json-pointer, \
             relative-json-pointer, regex (at s.yml:1)",
        ),
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
        ("lambda a, b, c: True", "Failed to evaluate when=: function must accept 1 or 2 arguments (3 given)"),
    ] {
        let report = report(&format!("#@schema/validation min=1, when={when}\na: 1\n"));
        assert_eq!(report, format!("Validating final data values:\nValidating a: {expected}"), "{when}");
    }
}

#[test]
fn a_condition_that_fails_is_not_met() {
    assert_eq!(report("#@schema/validation min=9, when=lambda value: value + None\na: 1\n"), "");
    assert_eq!(report("#@schema/validation min=9, when=lambda value: fail(\"no\")\na: 1\n"), "");
}

/// The lines of a report that say what is wrong.
fn found(schema: &str) -> Vec<String> {
    let report = report(schema);
    report.lines().filter_map(|line| Some(line.trim_start().strip_prefix("found: ")?.to_owned())).collect()
}

#[test]
fn rules_beyond_ytt_have_their_words() {
    for (rule, value, must, found) in [
        ("len=3", "ab", "length = 3", "length = 2"),
        ("len=3", "5", "length = 3", "len: value of type int has no len"),
        ("starts_with=\"x\"", "abc", "a value starting with \"x\"", "does not start with \"x\""),
        ("ends_with=\".git\"", "abc", "a value ending with \".git\"", "does not end with \".git\""),
        ("contains=\"@sha\"", "abc", "a value containing \"@sha\"", "does not contain \"@sha\""),
        ("contains=\"x\"", "{a: 1}", "a value containing \"x\"", "does not contain \"x\""),
        ("contains=1", "5", "a value containing 1", "a value of type int has no members"),
        ("starts_with=\"x\"", "5", "a value starting with \"x\"", "a value of type int is not a string"),
        ("matches=\"^a+$\"", "secret", "a value matching ^a+$", "does not match"),
        ("format=\"quantity\"", "secret", "a valid quantity", "not a valid quantity"),
        ("format=\"uriref\"", "a b", "a valid uriref", "not a valid uriref"),
        ("format=\"regex\"", "\"(\"", "a valid regex", "not a valid regex"),
        ("format=\"email\"", "5", "a valid email", "a value of type int is not a string"),
        ("even=True", "3", "an even number", "an odd number"),
        ("odd=True", "4", "an odd number", "an even number"),
        ("odd=True", "4.5", "an odd number", "a number with a fraction"),
        ("even=True", "x", "an even number", "a value of type string is not a number"),
        ("multiple_of=1024", "1025", "a multiple of 1024", "not a multiple of 1024"),
        ("multiple_of=2", "0.5", "a multiple of 2", "not a multiple of 2"),
    ] {
        let schema = format!("#@schema/validation {rule}\na: {value}\n");
        let expected = format!(
            "Validating final data values:\n  a\n    from: s.yml:2\n    - must be: {must} (by: s.yml:1)\n      found: \
             {found}\n\n"
        );
        assert_eq!(report(&schema), expected, "{schema}");
    }
}

#[test]
fn rules_beyond_ytt_pass() {
    for (rule, value) in [
        ("len=2", "ab"),
        ("len=1", "{a: 1}"),
        ("starts_with=\"a\", ends_with=\"c\", contains=\"b\"", "abc"),
        ("contains=\"a\"", "{a: 1}"),
        ("matches=\"b+\"", "abbc"),
        ("format=\"quantity\"", "10Gi"),
        ("format=\"quantity\"", "10"),
        ("format=\"date-time\"", "\"2024-01-01T00:00:00Z\""),
        ("even=True", "4.0"),
        ("odd=True", "-3"),
        ("multiple_of=2.0", "4.0"),
        ("multiple_of=3", "-9"),
        ("even=True", "18446744073709551614"),
    ] {
        assert_eq!(report(&format!("#@schema/validation {rule}\na: {value}\n")), "", "{rule} {value}");
    }
    // Arrays have no items in a schema, but may have them by default.
    let array = |rule: &str| format!("#@schema/validation {rule}\n#@schema/default [1, 2]\na:\n- 0\n");
    assert_eq!(report(&array("contains=2, len=2")), "");
    assert_eq!(found(&array("contains=3")), ["does not contain 3"]);
}

#[test]
fn arguments_can_have_descriptions() {
    for (rule, value, must) in [
        ("min_len=(\"a name\", 1)", "\"\"", "a name"),
        ("max_len=(\"a short name\", 1)", "abc", "a short name"),
        ("len=(\"two letters\", 2)", "abc", "two letters"),
        ("min=(\"a port\", 1)", "0", "a port"),
        ("max=(\"a port\", \"b\")", "c", "a port"),
        ("one_of=(\"a cloud\", [\"aws\", \"gcp\"])", "x", "a cloud"),
        ("one_of=(\"a\", \"b\")", "x", "one of (\"a\", \"b\")"),
        ("one_of=(\"a\", True)", "x", "one of (\"a\", True)"),
        ("one_not_null=(\"one of both\", True)", "{b: 1, c: 2}", "one of both"),
        ("one_not_null=(\"one of both\", [\"b\", \"c\"])", "{b: 1, c: 2}", "one of both"),
        ("one_not_null=(\"b\", \"c\")", "{b: 1, c: 2}", "exactly one of (\"b\", \"c\") to be not null"),
        ("starts_with=(\"a path\", \"/\")", "x", "a path"),
        ("contains=(\"a digest\", \"@\")", "x", "a digest"),
        ("matches=(\"digits\", \"^[0-9]+$\")", "x", "digits"),
        ("format=(\"an address\", \"ipv4\")", "x", "an address"),
        ("even=(\"pairs\", True)", "1", "pairs"),
        ("multiple_of=(\"pages\", 4096)", "1", "pages"),
    ] {
        let report = report(&format!("#@schema/validation {rule}\na: {value}\n"));
        assert!(report.contains(&format!("- must be: {must} (by: s.yml:1)\n")), "{rule}: {report}");
    }
    let nullable =
        "#@schema/nullable\n#@schema/validation not_null=(\"Credentials are required\", True)\na: 1\n";
    assert!(
        report(nullable)
            .contains("- must be: Credentials are required (by: s.yml:2)\n      found: value is null")
    );
    // On an array a tuple is a bound like any other.
    let array = "#@schema/validation min=(\"b\", 1)\n#@schema/default [\"a\"]\na:\n- \"\"\n";
    assert!(report(array).contains("- must be: a value >= (\"b\", 1) (by: s.yml:1)"), "{}", report(array));
}

#[test]
fn authors_word_messages() {
    for (rule, value, expected) in [
        (
            "(\"a port\", lambda v: fail(\"too small\"), \"\\\"{key}\\\" (={value}) {{{desc}}} {failure}\")",
            "x",
            "\"a\" (=\"x\") {a port} too small",
        ),
        ("(\"d\", lambda v: False, \"{failure}\")", "1", "rule 1 returned False"),
        ("(\"d\", lambda v: True), (\"d\", lambda v: False, \"{failure}\")", "1", "rule 2 returned False"),
        ("(\"d\", lambda v: (False, \"why\"), \"{failure}\")", "1", "why"),
        ("(\"d\", lambda v: 1, \"[{failure}]\")", "1", "[]"),
    ] {
        let report = report(&format!("#@schema/validation {rule}\na: {value}\n"));
        let expected = format!(
            "Validating final data values:\n  a\n    from: s.yml:2\n    - {expected} (by: s.yml:1)\n\n"
        );
        assert_eq!(report, expected, "{rule}");
    }
    let document = "#@schema/validation (\"d\", lambda v: False, \"{key}\")\n---\na: 1\n";
    assert!(report(document).contains("    - 0 (by: s.yml:1)\n"), "{}", report(document));
    let item =
        "#@schema/default [1, 2]\na:\n#@schema/validation (\"d\", lambda v: v == 1, \"at {key}\")\n- 0\n";
    assert!(report(item).contains("    - at 1 (by: s.yml:3)\n"), "{}", report(item));
}

#[test]
fn rules_run_from_the_leaves_upwards() {
    let mut thread = thread();
    let said = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let heard = std::rc::Rc::clone(&said);
    thread.set_print(move |_, text| heard.borrow_mut().push(String::from_utf8_lossy(text).into_owned()));
    let rule = |name: &str| format!("#@schema/validation (\"x\", lambda v: print(\"{name}\"))");
    let text = format!(
        "{}\n---\n{}\na:\n  {}\n  b: 1\n  {}\n  c: 2\n{}\nd: 3\n",
        rule("document"),
        rule("a"),
        rule("b"),
        rule("c"),
        rule("d")
    );
    let context = Context::new();
    let document = document("s.yml", &text, &mut thread);
    let schema = Schema::new(&document, &mut thread, &context).unwrap();
    validate(&schema.defaults().unwrap(), &schema, &mut thread, &context).unwrap();
    assert_eq!(*said.borrow(), ["b", "c", "a", "d", "document"]);
}

//! Schemas, data values and flags together, with the words of the real tool.

use std::rc::Rc;

use super::{Combining, DATA_VALUES, DATA_VALUES_SCHEMA, FlagInputs, Flags, FoundFile};
use crate::error::Error;
use crate::schema::{Schema, report_of};
use crate::testing::{annotated, thread};
use crate::tree::{Position, Scalars, yaml_of};
use crate::value::Context;

struct Nothing;

impl FlagInputs for Nothing {
    fn environment(&self) -> Vec<String> {
        Vec::new()
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, crate::input_error::InputError> {
        let bytes: Rc<[u8]> = Rc::from(path.replace(';', "\n").into_bytes());
        Ok(vec![FoundFile { name: "dv.yml".to_owned(), bytes: Ok(bytes), source: None }])
    }
}

/// The final data values of documents without their markers.
fn combined(schemas: &[&str], values: &[&str], flags: &Flags) -> Result<String, Error> {
    let mut thread = thread();
    let context = Context::new();
    let mut fork = thread.fork();
    let names = |prefix: &str, count: usize| -> Vec<Rc<str>> {
        (0..count).map(|index| Rc::from(format!("{prefix}{index}.yml"))).collect()
    };
    let schema_names = names("s", schemas.len());
    let mut evaluate = |index: usize| {
        let text = format!("#@{DATA_VALUES_SCHEMA}\n---\n{}", schemas[index]);
        Ok(annotated(&schema_names[index], &text, &mut fork))
    };
    let combining =
        Combining { files: &schema_names, evaluate: &mut evaluate, thread: &mut thread, context: &context };
    let schema: Schema = combining.schema(&[])?.schema;
    let names = names("v", values.len());
    let mut fork = thread.fork();
    let mut evaluate = |index: usize| {
        let text = format!("#@{DATA_VALUES}\n---\n{}", values[index]);
        Ok(annotated(&names[index], &text, &mut fork))
    };
    let flags = flags.documents(&Nothing, Scalars::Lenient)?;
    let combining =
        Combining { files: &names, evaluate: &mut evaluate, thread: &mut thread, context: &context };
    let values = combining.values(&schema, flags.own, None)?;
    Ok(yaml_of(&values.document.value))
}

fn text(schemas: &[&str], values: &[&str]) -> String {
    combined(schemas, values, &Flags::default()).unwrap_or_else(|error| error.to_string())
}

#[test]
fn values_are_overlaid_in_order() {
    for (schemas, values, expected) in [
        (&[][..], &[][..], "{}\n"),
        (&[], &["a: 1\n", "a: 2\n"], "a: 2\n"),
        (&[], &["l: [1]\n", "l: [2]\n"], "l:\n- 1\n- 2\n"),
        (&["a: 1\nb: x\n"], &["b: z\n"], "a: 1\nb: z\n"),
        (&["a: 1\n", "#@overlay/match missing_ok=True\nb: 2\n"], &["b: 3\n"], "a: 1\nb: 3\n"),
        (&["a: 1\n", "#@overlay/replace\na: x\n"], &[], "a: x\n"),
        (&["l:\n- a: 1\n"], &["l:\n- {}\n", "l:\n- a: 2\n"], "l:\n- a: 1\n- a: 2\n"),
    ] {
        assert_eq!(text(schemas, values), expected, "{schemas:?} {values:?}");
    }
}

#[test]
fn flags_come_last_and_replace() {
    let flags = Flags {
        files: vec!["m: {b: 5};l: [9]".into()],
        values: vec!["s=1".into()],
        values_yaml: vec!["m.c={x: 1}".into()],
        ..Flags::default()
    };
    let schema = "m:\n  a: 1\n  b: 1\n  #@schema/type any=True\n  c:\n    old: 1\nl:\n- 1\ns: x\n";
    let result = combined(&[schema], &["l: [1, 2]\n"], &flags).unwrap();
    assert_eq!(result, "m:\n  a: 1\n  b: 5\n  c:\n    x: 1\nl:\n- 9\ns: \"1\"\n");
}

#[test]
fn each_step_is_checked() {
    let expected = "Overlaying data values (in following order: v0.yml, v1.yml): 
One or more data values were invalid
====================================

v0.yml:
    |
  3 | a: x
    |

    = found: string
    = expected: integer (by s0.yml:3)

";
    assert_eq!(text(&["a: 1\n"], &["a: x\n", "a: 2\n"]), expected);
}

#[test]
fn errors_name_the_order_and_the_file() {
    for (schemas, values, expected) in [
        (
            &[][..],
            &["a: 1\n", "b: 1\n"][..],
            "Overlaying data values (in following order: v0.yml, v1.yml): Document on line v1.yml:2: Map item (key \
             'b') on line v1.yml:3: Expected number of matched nodes to be 1, but was 0",
        ),
        (
            &[],
            &["a: 1\n---\nb: 1\n"],
            "Overlaying data values (in following order: v0.yml): Templating file 'v0.yml': Expected data values file \
             'v0.yml' to only have data values documents",
        ),
        (
            &["a: 1\n---\nb: 1\n"],
            &[],
            "Overlaying data values schema (in following order: s0.yml): Templating file 's0.yml': Expected schema \
             file 's0.yml' to only have schema documents",
        ),
    ] {
        assert_eq!(text(schemas, values), expected);
    }
}

#[test]
fn violations_know_the_place_in_a_flag() {
    for (flag, problem_at, name) in [
        ("a=x", 2..3, "--data-value-yaml a=x"),
        ("m.zz=x", 2..4, "--data-value-yaml m.zz=x"),
        ("m={b: [1]}", 6..9, "--data-value-yaml m={b: [1]}"),
        ("m={b: 1, zz: 1}", 9..11, "--data-value-yaml m={b: 1, zz: 1}"),
        ("@", 0..1, "--data-value-yaml @"),
    ] {
        let flags = Flags { values_yaml: vec![flag.into()], ..Flags::default() };
        let error = combined(&["a: 1\nm:\n  b: 1\n"], &[], &flags).unwrap_err();
        let place: &Position = match report_of(&error) {
            Some(report) => &report.violations()[0].place,
            None => &error.places()[0],
        };
        assert_eq!((place.file_name(), place.range()), (name, Some(problem_at)), "{error}");
        assert_eq!(error.places()[0].range(), place.range());
    }
}

//! `assert`: failing on purpose, and rules as objects.

use std::rc::Rc;

use trueline_starlark::{Args, BlockStyle, Builtin, Error, Globals, Program, Thread, Value, parse};

use super::assert_valid;
use super::yaml::{self, encoded};
use super::{boolean, bytes, function, module_of, string};
use crate::tree::Text;
use crate::validation::{Check, Format, JsonSchema, Pattern, as_integer, is_sequence, multiple};
use crate::value::{Context, Struct, go_type_name, tree_value};

const TYPE: &str = "@ytt:assert.assertion";
const HINT: &str = "@ytt:assert.assertion does not encode (did you mean to call check()?)";

/// A rule that a function makes.
struct Rule {
    name: &'static str,
    /// The argument of the function.
    argument: fn(&Args<'_>) -> Result<Value, Error>,
    /// What the rule checks, for those who export it.
    check: fn(Value) -> Check,
    source: &'static str,
}

/// Values are compared as YAML, so that fragments and structs can be compared with dicts and lists.
const MIN: Rule = Rule {
    name: "assert.min",
    argument: |args| exactly(args).map(|[least]| least.clone()),
    check: Check::Min,
    source: "lambda val: yaml.decode(yaml.encode(val)) >= yaml.decode(yaml.encode(argument)) \
             or fail(\"value < {}\".format(yaml.decode(yaml.encode(argument))))",
};
const MAX: Rule = Rule {
    name: "assert.max",
    argument: |args| exactly(args).map(|[most]| most.clone()),
    check: Check::Max,
    source: "lambda val: yaml.decode(yaml.encode(val)) <= yaml.decode(yaml.encode(argument)) \
             or fail(\"value > {}\".format(yaml.decode(yaml.encode(argument))))",
};
const MIN_LEN: Rule = Rule {
    name: "assert.min_len",
    argument: length,
    check: Check::MinLen,
    source: "lambda sequence: True if len(sequence) >= argument else fail(\"length = {}\".format(len(sequence)))",
};
const MAX_LEN: Rule = Rule {
    name: "assert.max_len",
    argument: length,
    check: Check::MaxLen,
    source: "lambda sequence: True if len(sequence) <= argument else fail(\"length = {}\".format(len(sequence)))",
};
const NOT_NULL: Rule = Rule {
    name: "assert.not_null",
    argument: |_| Ok(Value::NONE),
    check: |_| Check::NotNull,
    source: "lambda value: value != None or fail(\"value is null\")",
};
const ONE_OF: Rule = Rule {
    name: "assert.one_of",
    argument: one_of,
    check: Check::OneOf,
    source: "lambda val: yaml.decode(yaml.encode(val)) in yaml.decode(yaml.encode(argument)) \
             or fail(\"not one of allowed values\")",
};

pub(super) fn module(context: &Context) -> Value {
    let for_equals = context.clone();
    let equals = function("assert.equals", move |thread, args| equals(thread, args, &for_equals));
    let fail = function("assert.fail", |_, args| {
        let [text] = exactly(args)?;
        Err(Error::new(format!("fail: {}", string(text)?)))
    });
    let try_to = function("assert.try_to", |thread, args| {
        let [callee] = exactly(args)?;
        if !callee.is_callable() {
            let found = go_type_name(callee);
            return Err(Error::new(format!("expected argument to be a function, but was {found}")));
        }
        match thread.call(callee, Args::of(&[])) {
            Ok(value) => Ok(Value::tuple(vec![value, Value::NONE])),
            // Limits stop the run, whoever tries.
            Err(error) if error.kind() == trueline_starlark::ErrorKind::Limit => Err(error),
            Err(error) => Ok(Value::tuple(vec![Value::NONE, Value::string(error.message())])),
        }
    });
    let rule = |rule: &'static Rule| {
        let context = context.clone();
        function(rule.name, move |thread, args| assertion(thread, rule, (rule.argument)(args)?, &context))
    };
    let for_null = context.clone();
    let not_null = function("assert.not_null", move |thread, args| match args.positional {
        [] => assertion(thread, &NOT_NULL, Value::NONE, &for_null),
        [value] => {
            let object = assertion(thread, &NOT_NULL, Value::NONE, &for_null)?;
            let check = thread.attr(&object, "check")?;
            thread.call(&check, Args::of(std::slice::from_ref(value)))
        }
        more => Err(Error::new(format!("got {} arguments, want at most 1", more.len()))),
    });
    let for_one = context.clone();
    let one_not_null = function("assert.one_not_null", move |_, args| {
        Ok(checking("assert.one_not_null", one_not_null(args)?, &for_one))
    });
    let native = |name: &'static str, check: fn(&Thread, &Args<'_>) -> Result<Check, Error>| {
        let context = context.clone();
        function(name, move |thread, args| Ok(checking(name, check(thread, args)?, &context)))
    };
    let for_schemas = context.clone();
    let json_schema = function("assert.json_schema", move |thread, args| {
        let [source] = exactly(args)?;
        let schema = JsonSchema::new(tree_value(source, &for_schemas)?, thread)?;
        Ok(checking("assert.json_schema", Check::JsonSchema(schema), &for_schemas))
    });
    let for_validate = context.clone();
    let validate =
        function("assert.validate", move |thread, args| assert_valid::validate(thread, args, &for_validate));
    let for_valid = context.clone();
    let valid = function("assert.valid", move |thread, args| assert_valid::valid(thread, args, &for_valid));
    module_of(
        "assert",
        [
            ("equals", equals),
            ("fail", fail),
            ("try_to", try_to),
            ("min", rule(&MIN)),
            ("max", rule(&MAX)),
            ("min_len", rule(&MIN_LEN)),
            ("max_len", rule(&MAX_LEN)),
            ("not_null", not_null),
            ("one_not_null", one_not_null),
            ("one_of", rule(&ONE_OF)),
            ("len", native("assert.len", |_, args| length(args).map(Check::Len))),
            ("starts_with", native("assert.starts_with", |_, args| text(args).map(Check::StartsWith))),
            ("ends_with", native("assert.ends_with", |_, args| text(args).map(Check::EndsWith))),
            (
                "contains",
                native("assert.contains", |_, args| {
                    exactly(args).map(|[part]| Check::Contains(part.clone()))
                }),
            ),
            ("matches", native("assert.matches", matches)),
            ("format", native("assert.format", format)),
            ("even", native("assert.even", |_, args| nothing(args).map(|()| Check::Even))),
            ("odd", native("assert.odd", |_, args| nothing(args).map(|()| Check::Odd))),
            ("multiple_of", native("assert.multiple_of", multiple_of)),
            ("json_schema", json_schema),
            ("validate", validate),
            ("valid", valid),
        ],
    )
}

/// An object whose `check` is not a program of Starlark.
fn checking(name: &'static str, check: Check, context: &Context) -> Value {
    let (rule, context) = (check.clone(), context.clone());
    let run = move |thread: &mut Thread, args: &Args<'_>| match args.positional {
        [value] => rule.run(thread, value, &context).map(|()| Value::bool(true)),
        more => Err(Error::new(format!("check: got {} arguments, want 1", more.len()))),
    };
    object(Value::builtin(Builtin::new(name, run)), check)
}

fn exactly<'a, const N: usize>(args: &Args<'a>) -> Result<&'a [Value; N], Error> {
    args.positional
        .try_into()
        .map_err(|_| Error::new(format!("got {} arguments, want {N}", args.positional.len())))
}

/// A rule as an object: its `check` says whether a value keeps it. The rules of ytt are functions of Starlark, which
/// shows in their names, types and traces.
fn assertion(thread: &mut Thread, rule: &Rule, argument: Value, context: &Context) -> Result<Value, Error> {
    let mut given = Globals::new();
    given.set("yaml", yaml::module(context));
    given.set("argument", argument.clone());
    let source = format!("check = {}", rule.source);
    let ast = parse(rule.name, source.as_bytes(), BlockStyle::End)?;
    let program = Program::compile(&ast, &|name| given.contains(name))?;
    let globals = program.init(&mut thread.fork(), &given)?;
    globals.freeze();
    let check = globals.get("check").cloned().unwrap_or(Value::NONE);
    Ok(object(check, (rule.check)(argument)))
}

fn object(check: Value, rule: Check) -> Value {
    Value::custom(Struct::with_payload(TYPE, HINT, [(Text::from("check"), check)], Rc::new(rule)))
}

fn nothing(args: &Args<'_>) -> Result<(), Error> {
    exactly(args).map(|[]| ())
}

fn text(args: &Args<'_>) -> Result<Value, Error> {
    let [text] = exactly(args)?;
    bytes(text).map(|_| text.clone())
}

fn matches(thread: &Thread, args: &Args<'_>) -> Result<Check, Error> {
    let [pattern] = exactly(args)?;
    Pattern::new(bytes(pattern)?, thread)?.map(Check::Matches).map_err(|error| Error::new(error.to_string()))
}

fn format(_: &Thread, args: &Args<'_>) -> Result<Check, Error> {
    let [name] = exactly(args)?;
    let name = string(name)?;
    Format::of(&name).map(Check::Format).ok_or_else(|| Error::new(Format::unknown(&name)))
}

fn multiple_of(_: &Thread, args: &Args<'_>) -> Result<Check, Error> {
    let [factor] = exactly(args)?;
    multiple(factor).map(Check::MultipleOf).ok_or_else(|| Error::new("expected an integer above zero"))
}

fn length(args: &Args<'_>) -> Result<Value, Error> {
    let [value] = exactly(args)?;
    as_integer(value)
        .ok_or_else(|| Error::new(format!("expected value to be an number, but was {}", value.type_name())))
}

fn one_not_null(args: &Args<'_>) -> Result<Check, Error> {
    match args.positional {
        [] => Ok(Check::OneNotNull(None)),
        [value] if value.as_bool().is_some() => match boolean(value)? {
            true => Ok(Check::OneNotNull(None)),
            false => Err(Error::new("one_not_null() cannot be False")),
        },
        [keys] if is_sequence(keys) => Ok(Check::OneNotNull(Some(keys.clone()))),
        [other] => {
            let text = format!("expected a sequence of keys, but was a '{}'", other.type_name());
            Err(Error::new(text))
        }
        more => Err(Error::new(format!("got {} arguments, want 1", more.len()))),
    }
}

fn one_of(args: &Args<'_>) -> Result<Value, Error> {
    match args.positional {
        [] => Err(Error::new("got 0 arguments, want at least 1")),
        [values] if is_sequence(values) => Ok(values.clone()),
        [other] => Err(Error::new(format!("expected a sequence, but was a '{}'", other.type_name()))),
        values => Ok(Value::tuple(values.to_vec())),
    }
}

fn equals(thread: &mut Thread, args: &Args<'_>, context: &Context) -> Result<Value, Error> {
    let [expected, actual] = exactly(args)?;
    for value in [expected, actual] {
        if value.is_callable() {
            let found = go_type_name(value);
            return Err(Error::new(format!("expected argument not to be a function, but was {found}")));
        }
    }
    let (one, two) = (encoded(thread, expected, context)?, encoded(thread, actual, context)?);
    if one == two {
        return Ok(Value::NONE);
    }
    Err(Error::new(format!(
        "Not equal:\n(expected type: {})\n{one}\n\n(was type: {})\n{two}",
        expected.type_name(),
        actual.type_name()
    )))
}

//! Regular expressions in Go's syntax.

use std::ops::Range;
use std::rc::Rc;

use trueline_gotemplate::{Context, Data, Element, Error, Function, List, Str, Type, Value};
use trueline_regexp::PatternError;

use crate::argument::{any, integer, text};
use crate::define::fixed;
use crate::regexp::{self, Count, Regexp, quote_meta};

const TEXT: &[Type] = &[Type::String];
const TWO: &[Type] = &[Type::String, Type::String];
const THREE: &[Type] = &[Type::String, Type::String, Type::String];
const COUNTED: &[Type] = &[Type::String, Type::String, Type::INT];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed(
        "regexMatch",
        TWO,
        is_match,
        "PATTERN STRING",
        "Whether the pattern matches; false if it is invalid.",
    ),
    fixed("mustRegexMatch", TWO, must_match, "PATTERN STRING", "Whether the pattern matches."),
    fixed("regexFind", TWO, find, "PATTERN STRING", "The first match, or nothing."),
    fixed("mustRegexFind", TWO, must_find, "PATTERN STRING", "The first match, or nothing."),
    fixed(
        "regexFindAll",
        COUNTED,
        find_all,
        "PATTERN STRING COUNT",
        "The first COUNT matches; all if it is negative.",
    ),
    fixed(
        "mustRegexFindAll",
        COUNTED,
        must_find_all,
        "PATTERN STRING COUNT",
        "The first COUNT matches; all if it is negative.",
    ),
    fixed(
        "regexReplaceAll",
        THREE,
        replace_all,
        "PATTERN STRING NEW",
        "The string with each match replaced; `${1}` is a group.",
    ),
    fixed(
        "mustRegexReplaceAll",
        THREE,
        must_replace_all,
        "PATTERN STRING NEW",
        "The string with each match replaced; `${1}` is a group.",
    ),
    fixed(
        "regexReplaceAllLiteral",
        THREE,
        replace_all_literal,
        "PATTERN STRING NEW",
        "The string with each match replaced by the literal string.",
    ),
    fixed(
        "mustRegexReplaceAllLiteral",
        THREE,
        must_replace_all_literal,
        "PATTERN STRING NEW",
        "The string with each match replaced by the literal string.",
    ),
    fixed(
        "regexSplit",
        COUNTED,
        split,
        "PATTERN STRING COUNT",
        "The string split at the matches, into at most COUNT parts.",
    ),
    fixed(
        "mustRegexSplit",
        COUNTED,
        must_split,
        "PATTERN STRING COUNT",
        "The string split at the matches, into at most COUNT parts.",
    ),
    fixed(
        "regexQuoteMeta",
        TEXT,
        quote,
        "STRING",
        "The string with all special characters of patterns escaped.",
    ),
];

/// The pattern of the first argument, or its error. A pattern takes memory, and a search takes longer with a
/// larger pattern: both are charged in advance.
fn ready(context: &mut dyn Context, arguments: &[Value]) -> Result<Result<Rc<Regexp>, PatternError>, Error> {
    let pattern = text(arguments, 0);
    let read = Regexp::compile_for(pattern.as_bytes(), &mut |bytes| context.spend(bytes as u64 / 2))?;
    if let Ok(pattern) = &read {
        let length = text(arguments, 1).len() as u64;
        context.spend(length.saturating_mul(pattern.cost_per_byte() as u64))?;
    }
    Ok(read)
}

/// The pattern of the first argument, for functions that return errors.
fn compiled(context: &mut dyn Context, arguments: &[Value]) -> Result<Rc<Regexp>, Error> {
    ready(context, arguments)?.map_err(Error::new)
}

/// The pattern of the first argument, for functions that cannot return errors: Go panics.
fn required(context: &mut dyn Context, arguments: &[Value]) -> Result<Rc<Regexp>, Error> {
    ready(context, arguments)?.map_err(|problem| {
        let pattern = text(arguments, 0);
        // Go shows a pattern between backquotes if possible.
        let plain = std::str::from_utf8(pattern.as_bytes()).ok().filter(|text| {
            text.chars().all(|character| {
                character == '\t' || !(character.is_ascii_control() || matches!(character, '`' | '\u{feff}'))
            })
        });
        let shown = plain
            .map_or_else(|| trueline_gotemplate::fmt::quote(pattern.as_bytes()), |text| format!("`{text}`"));
        Error::new(format!("regexp: Compile({shown}): {problem}"))
    })
}

fn is_match(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let pattern = ready(context, arguments)?;
    let found = pattern.is_ok_and(|pattern| pattern.is_match(text(arguments, 1).as_bytes()));
    Ok(Value::from(found))
}

fn must_match(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(compiled(context, arguments)?.is_match(text(arguments, 1).as_bytes())))
}

fn find(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(found(&*required(context, arguments)?, arguments))
}

fn must_find(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(found(&*compiled(context, arguments)?, arguments))
}

fn found(pattern: &Regexp, arguments: &[Value]) -> Value {
    let text = text(arguments, 1);
    let range = pattern.find(text.as_bytes()).unwrap_or(0..0);
    part(&text, range, arguments)
}

/// A part of the searched string, with its origin.
fn part(text: &Str, range: Range<usize>, arguments: &[Value]) -> Value {
    Value::new(Data::String(text.slice(range))).at(any(arguments, 1).origin)
}

/// The memory of a part of a string as a list item.
const STEPS_PER_PART: u64 = 48;

/// Parts of the string as a list; Go returns nil if there are none.
fn parts(ranges: Vec<Range<usize>>, arguments: &[Value]) -> Value {
    if ranges.is_empty() {
        return Value::from(List::nil(Element::String));
    }
    let text = text(arguments, 1);
    let items = ranges.into_iter().map(|range| part(&text, range, arguments)).collect();
    Value::from(List::new(Element::String, items))
}

fn find_all(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let pattern = required(context, arguments)?;
    all_found(context, &pattern, arguments)
}

fn must_find_all(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let pattern = compiled(context, arguments)?;
    all_found(context, &pattern, arguments)
}

fn all_found(context: &mut dyn Context, pattern: &Regexp, arguments: &[Value]) -> Result<Value, Error> {
    let (count, cost) = (Count::from(integer(arguments, 2)), pattern.cost_per_byte());
    let found = pattern.find_all_for(text(arguments, 1).as_bytes(), count, &mut |again| {
        context.spend(regexp::match_steps(again, cost) + STEPS_PER_PART)
    })?;
    Ok(parts(found, arguments))
}

fn split(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let pattern = required(context, arguments)?;
    split_by(context, &pattern, arguments)
}

fn must_split(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let pattern = compiled(context, arguments)?;
    split_by(context, &pattern, arguments)
}

fn split_by(context: &mut dyn Context, pattern: &Regexp, arguments: &[Value]) -> Result<Value, Error> {
    let (count, cost) = (Count::from(integer(arguments, 2)), pattern.cost_per_byte());
    let found = pattern.split_for(text(arguments, 1).as_bytes(), count, &mut |again| {
        context.spend(regexp::match_steps(again, cost) + STEPS_PER_PART)
    })?;
    Ok(parts(found, arguments))
}

fn replace_all(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let pattern = required(context, arguments)?;
    replaced(context, &pattern, arguments, regexp::replace_all)
}

fn must_replace_all(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let pattern = compiled(context, arguments)?;
    replaced(context, &pattern, arguments, regexp::replace_all)
}

fn replace_all_literal(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let pattern = required(context, arguments)?;
    replaced(context, &pattern, arguments, regexp::replace_all_literal)
}

fn must_replace_all_literal(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let pattern = compiled(context, arguments)?;
    replaced(context, &pattern, arguments, regexp::replace_all_literal)
}

type Replace = fn(&mut dyn Context, &Regexp, &Str, &[u8]) -> Result<Str, Error>;

fn replaced(
    context: &mut dyn Context,
    pattern: &Regexp,
    arguments: &[Value],
    replace: Replace,
) -> Result<Value, Error> {
    let (subject, new) = (text(arguments, 1), text(arguments, 2));
    let replaced = replace(context, pattern, &subject, new.as_bytes())?;
    Ok(Value::from(replaced).at(any(arguments, 1).origin))
}

fn quote(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::new(Data::String(quote_meta(text(arguments, 0).as_bytes()).into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, shown};

    #[test]
    fn calls() {
        for (name, arguments, expected) in [
            ("regexMatch", vec!["^[a-z]+$".into(), "abc".into()], "true"),
            ("regexMatch", vec!["(".into(), "abc".into()], "false"),
            (
                "mustRegexMatch",
                vec!["(".into(), "abc".into()],
                "error parsing regexp: missing closing ): `(`",
            ),
            ("regexFind", vec!["[a-z][0-9]".into(), "abc1d2".into()], "c1"),
            (
                "regexFind",
                vec!["(".into(), "a".into()],
                "regexp: Compile(`(`): error parsing regexp: missing closing ): `(`",
            ),
            (
                "regexFind",
                vec!["`(".into(), "a".into()],
                "regexp: Compile(\"`(\"): error parsing regexp: missing closing ): ``(`",
            ),
            ("mustRegexFind", vec!["z".into(), "abc".into()], ""),
            ("regexFindAll", vec!["[0-9]".into(), "1a2b3".into(), Value::int(2)], "[1 2]"),
            ("regexFindAll", vec!["z".into(), "abc".into(), Value::int(-1)], "[]"),
            ("regexReplaceAll", vec!["a(x*)b".into(), "-ab-axxb-".into(), "${1}W".into()], "-W-xxW-"),
            (
                "regexReplaceAllLiteral",
                vec!["a(x*)b".into(), "-ab-axxb-".into(), "${1}".into()],
                "-${1}-${1}-",
            ),
            ("mustRegexSplit", vec!["b".into(), "abc".into(), Value::int(-1)], "[a c]"),
            ("regexSplit", vec!["b".into(), "abc".into(), Value::int(0)], "[]"),
            ("regexQuoteMeta", vec!["1.2".into()], "1\\.2"),
        ] {
            assert_eq!(shown(call(FUNCTIONS, name, &arguments)), expected, "{name} {arguments:?}");
        }
    }
}

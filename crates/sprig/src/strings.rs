//! Strings: trimmed, searched, split and joined.

use std::sync::Arc;

use trueline_gotemplate::{
    Context, Entry, Error, Function, Map, MapKind, Str, StrBuilder, Trace, Type, Uses, Value,
};

use crate::argument::{any, integer, text, trace};
use crate::conversion::{string_list, strings};
use crate::define::{fixed, variadic};
use crate::{text, utf8};

const TEXT: &[Type] = &[Type::String];
const TWO_TEXTS: &[Type] = &[Type::String, Type::String];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("trim", TEXT, trim, "STRING", "The string without leading and trailing white space.")
        .with(Uses::Printed),
    fixed(
        "trimAll",
        TWO_TEXTS,
        trim_all,
        "CHARACTERS STRING",
        "The string without these characters at its start and end.",
    ),
    fixed("trimall", TWO_TEXTS, trim_all, "CHARACTERS STRING", "An older name of `trimAll`."),
    fixed(
        "trimPrefix",
        TWO_TEXTS,
        trim_prefix,
        "PREFIX STRING",
        "The string without the prefix, if it has one.",
    ),
    fixed(
        "trimSuffix",
        TWO_TEXTS,
        trim_suffix,
        "SUFFIX STRING",
        "The string without the suffix, if it has one.",
    ),
    fixed("nospace", TEXT, nospace, "STRING", "The string without any white space."),
    fixed(
        "trunc",
        &[Type::INT, Type::String],
        trunc,
        "LENGTH STRING",
        "The first bytes of the string, or the last ones if the length is negative.",
    ),
    fixed(
        "substr",
        &[Type::INT, Type::INT, Type::String],
        substr,
        "START END STRING",
        "The bytes from START up to, but not including, END; a negative START means the beginning, a negative END \
         the end.",
    ),
    fixed("contains", TWO_TEXTS, contains, "PART STRING", "Whether the string contains the part."),
    fixed("hasPrefix", TWO_TEXTS, has_prefix, "PREFIX STRING", "Whether the string begins with the prefix."),
    fixed("hasSuffix", TWO_TEXTS, has_suffix, "SUFFIX STRING", "Whether the string ends with the suffix."),
    fixed("repeat", &[Type::INT, Type::String], repeat, "COUNT STRING", "The string, repeated COUNT times."),
    fixed(
        "replace",
        &[Type::String, Type::String, Type::String],
        replace,
        "OLD NEW STRING",
        "The string with every `OLD` replaced by `NEW`.",
    ),
    fixed(
        "plural",
        &[Type::String, Type::String, Type::INT],
        plural,
        "ONE MANY COUNT",
        "The first string if the count is 1, otherwise the second.",
    ),
    fixed(
        "splitList",
        TWO_TEXTS,
        split_list,
        "SEPARATOR STRING",
        "The string split at the separators, as a list.",
    )
    .with(Uses::Parts),
    fixed(
        "split",
        TWO_TEXTS,
        split,
        "SEPARATOR STRING",
        "The string split at the separators, as a map with the keys `_0`, `_1` …",
    )
    .with(Uses::NumberedParts),
    fixed(
        "splitn",
        &[Type::String, Type::INT, Type::String],
        splitn,
        "SEPARATOR COUNT STRING",
        "Like `split`, but into at most COUNT parts.",
    ),
    fixed("join", &[Type::String, Type::Any], join, "SEPARATOR LIST", "The items joined by the separator."),
    fixed("sortAlpha", &[Type::Any], sort_alpha, "LIST", "The items as strings, sorted by their bytes.")
        .with(Uses::Items),
    variadic("cat", &[Type::Any], cat, "VALUE…", "The values as strings joined by spaces, without nil."),
    fixed("hello", &[], hello, "", "A greeting."),
];

/// The part of the first string in this range, with its traces.
fn part(arguments: &[Value], index: usize, range: std::ops::Range<usize>) -> Value {
    let origin = arguments.get(index).and_then(|value| value.origin);
    Value::from(text(arguments, index).slice(range)).at(origin)
}

fn trim(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let range = utf8::trimmed(text(arguments, 0).as_bytes(), char::is_whitespace);
    Ok(part(arguments, 0, range))
}

fn trim_all(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let set = text(arguments, 0);
    let mut set: Vec<char> = utf8::characters(set.as_bytes()).map(|found| found.1).collect();
    set.sort_unstable();
    set.dedup();
    let is_cut = |character| set.binary_search(&character).is_ok();
    let range = utf8::trimmed(text(arguments, 1).as_bytes(), is_cut);
    Ok(part(arguments, 1, range))
}

fn trim_prefix(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (prefix, whole) = (text(arguments, 0), text(arguments, 1));
    let start = if whole.as_bytes().starts_with(prefix.as_bytes()) { prefix.len() } else { 0 };
    Ok(part(arguments, 1, start..whole.len()))
}

fn trim_suffix(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (suffix, whole) = (text(arguments, 0), text(arguments, 1));
    let cut = if whole.as_bytes().ends_with(suffix.as_bytes()) { suffix.len() } else { 0 };
    Ok(part(arguments, 1, 0..whole.len() - cut))
}

/// Each byte counts as a character, as in the original: a string with characters beyond ASCII is corrupted if
/// anything is removed from it.
fn nospace(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let whole = text(arguments, 0);
    if !whole.as_bytes().iter().any(|byte| char::from(*byte).is_whitespace()) {
        return Ok(any(arguments, 0));
    }
    context.spend(whole.len() as u64)?;
    let mut builder = StrBuilder::with_capacity(whole.len());
    for (offset, byte) in whole.as_bytes().iter().enumerate() {
        let character = char::from(*byte);
        if character.is_ascii() && !character.is_whitespace() {
            builder.push_part(&whole, offset..offset + 1, Trace::Unknown);
        } else if !character.is_whitespace() {
            builder.push(character.encode_utf8(&mut [0; 4]).as_bytes(), whole.trace_at(offset));
        }
    }
    Ok(Value::from(builder.finish()).at(any(arguments, 0).origin))
}

fn trunc(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let length = text(arguments, 1).len();
    let count = integer(arguments, 0);
    let wanted = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX).min(length);
    let range = if count < 0 { length - wanted..length } else { 0..wanted };
    Ok(part(arguments, 1, range))
}

fn substr(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (start, end) = (integer(arguments, 0), integer(arguments, 1));
    let length = text(arguments, 2).len();
    let out_of_range =
        |words: String| Error::new(format!("runtime error: slice bounds out of range {words}"));
    let index = |value: i64| usize::try_from(value).unwrap_or(usize::MAX);
    if start < 0 {
        if end < 0 {
            return Err(out_of_range(format!("[:{end}]")));
        }
        if index(end) > length {
            return Err(out_of_range(format!("[:{end}] with length {length}")));
        }
        return Ok(part(arguments, 2, 0..index(end)));
    }
    let end = if end < 0 || index(end) > length { length } else { index(end) };
    if index(start) > end {
        return Err(out_of_range(format!("[{start}:{end}]")));
    }
    Ok(part(arguments, 2, index(start)..end))
}

fn contains(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(
        memchr::memmem::find(text(arguments, 1).as_bytes(), text(arguments, 0).as_bytes()).is_some(),
    ))
}

fn has_prefix(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(text(arguments, 1).as_bytes().starts_with(text(arguments, 0).as_bytes())))
}

fn has_suffix(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(text(arguments, 1).as_bytes().ends_with(text(arguments, 0).as_bytes())))
}

fn repeat(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (count, unit) = (integer(arguments, 0), text(arguments, 1));
    let size = repeated_size(context, count, unit.len())?;
    let mut builder = StrBuilder::with_capacity(size);
    if !unit.is_empty() {
        (0..count).for_each(|_| builder.push_str(&unit, Trace::Unknown));
    }
    Ok(Value::from(builder.finish()).at(any(arguments, 1).origin))
}

/// The size of a repeated string, which is charged.
pub(crate) fn repeated_size(context: &mut dyn Context, count: i64, unit: usize) -> Result<usize, Error> {
    let count = u64::try_from(count).map_err(|_| Error::new("strings: negative Repeat count"))?;
    let size = count.saturating_mul(unit as u64);
    text::check_size(size)?;
    context.spend(size)?;
    Ok(usize::try_from(size).unwrap_or(usize::MAX))
}

fn replace(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (old, new, whole) = (text(arguments, 0), text(arguments, 1), text(arguments, 2));
    let count = count_of(&whole, &old);
    if count == 0 {
        return Ok(any(arguments, 2));
    }
    let size = (count as u64).saturating_mul(new.len() as u64).saturating_add(whole.len() as u64);
    text::check_size(size)?;
    context.spend(size.saturating_add(count as u64 * 8))?;
    let places = matches(&whole, &old);
    let new_trace = arguments.get(1).map_or(Trace::Unknown, trace);
    let mut builder = StrBuilder::with_capacity(usize::try_from(size).unwrap_or(0));
    let mut position = 0;
    for place in places {
        builder.push_part(&whole, position..place, Trace::Unknown);
        builder.push_str(&new, new_trace);
        position = place + old.len();
    }
    builder.push_part(&whole, position..whole.len(), Trace::Unknown);
    Ok(Value::from(builder.finish()).at(any(arguments, 2).origin))
}

/// How many places [`matches`] finds; an empty part matches at most this often.
fn count_of(whole: &Str, part: &Str) -> usize {
    match part.as_bytes() {
        [] => whole.len() + 1,
        part => memchr::memmem::find_iter(whole.as_bytes(), part).count(),
    }
}

/// Where the part occurs, from left to right without overlap. An empty part occurs before every character and
/// at the end.
fn matches(whole: &Str, part: &Str) -> Vec<usize> {
    if part.is_empty() {
        let starts = utf8::characters(whole.as_bytes()).map(|found| found.0);
        return starts.chain([whole.len()]).collect();
    }
    memchr::memmem::find_iter(whole.as_bytes(), part.as_bytes()).collect()
}

fn plural(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(any(arguments, if integer(arguments, 2) == 1 { 0 } else { 1 }))
}

/// The ranges between the separators, at most `most`.
fn parts(whole: &Str, separator: &Str, most: usize) -> Vec<std::ops::Range<usize>> {
    let mut cuts = matches(whole, separator);
    if separator.is_empty() {
        // One part per character: no split before the first and none after the last.
        cuts.retain(|cut| *cut > 0 && *cut < whole.len());
        if whole.is_empty() {
            return Vec::new();
        }
    }
    cuts.truncate(most.saturating_sub(1));
    let mut start = 0;
    let mut ranges = Vec::with_capacity(cuts.len() + 1);
    for cut in cuts {
        ranges.push(start..cut);
        start = cut + separator.len();
    }
    ranges.push(start..whole.len());
    ranges
}

/// Charges for the parts between separators before any is created.
fn spend_on_parts(context: &mut dyn Context, whole: &Str, separator: &Str) -> Result<(), Error> {
    const STEPS_PER_PART: u64 = 64;
    context.spend((count_of(whole, separator) as u64 + 1).saturating_mul(STEPS_PER_PART))
}

fn split_list(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    spend_on_parts(context, &text(arguments, 1), &text(arguments, 0))?;
    let ranges = parts(&text(arguments, 1), &text(arguments, 0), usize::MAX);
    Ok(string_list(ranges.into_iter().map(|range| part(arguments, 1, range)).collect()))
}

fn split(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    spend_on_parts(context, &text(arguments, 1), &text(arguments, 0))?;
    let ranges = parts(&text(arguments, 1), &text(arguments, 0), usize::MAX);
    numbered(arguments, 1, ranges)
}

fn splitn(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    spend_on_parts(context, &text(arguments, 2), &text(arguments, 0))?;
    let ranges = match integer(arguments, 1) {
        0 => Vec::new(),
        count => {
            parts(&text(arguments, 2), &text(arguments, 0), usize::try_from(count).unwrap_or(usize::MAX))
        }
    };
    numbered(arguments, 2, ranges)
}

/// The parts of an argument under `_0`, `_1` and so on.
fn numbered(arguments: &[Value], index: usize, ranges: Vec<std::ops::Range<usize>>) -> Result<Value, Error> {
    let entries = ranges.into_iter().enumerate().map(|(number, range)| {
        let entry = Entry { key_origin: None, value: part(arguments, index, range) };
        (Arc::from(format!("_{number}")), entry)
    });
    Ok(Value::from(Map::from_entries(MapKind::String, entries)))
}

fn join(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let items = strings(context, &any(arguments, 1))?;
    joined(context, &items, &any(arguments, 0))
}

fn joined(context: &mut dyn Context, items: &[Value], separator: &Value) -> Result<Value, Error> {
    let separator_text = separator.as_str().cloned().unwrap_or_else(Str::empty);
    let texts = items.iter().filter_map(Value::as_str).map(Str::len).fold(0, usize::saturating_add);
    let size = separator_text.len().saturating_mul(items.len().saturating_sub(1)).saturating_add(texts);
    text::check_size(size as u64)?;
    context.spend(size as u64)?;
    let mut builder = StrBuilder::with_capacity(size);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            builder.push_str(&separator_text, trace(separator));
        }
        if let Some(text) = item.as_str() {
            builder.push_str(text, trace(item));
        }
    }
    Ok(Value::from(builder.finish()))
}

fn sort_alpha(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    if list.is_nil() {
        return Ok(Value::strings(["<nil>"]));
    }
    let mut items = strings(context, &list)?;
    // Each comparison may read a whole string, and each item is compared a logarithmic number of times.
    let bytes: u64 = items.iter().filter_map(Value::as_str).map(|text| text.len() as u64).sum();
    let rounds = u64::from(items.len().max(1).ilog2()) + 1;
    context.spend((items.len() as u64).saturating_mul(16).saturating_add(bytes / 16 * rounds))?;
    let bytes = |value: &Value| value.as_str().map(|text| Arc::clone(text.shared()));
    items.sort_by_cached_key(bytes);
    Ok(string_list(items))
}

fn cat(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let mut display = |value: &Value| Ok(Value::from(text::display(context, value)?).at(value.origin));
    let texts: Result<Vec<Value>, Error> =
        arguments.iter().filter(|value| !value.is_nil()).map(&mut display).collect();
    joined(context, &texts?, &Value::from(" "))
}

fn hello(_: &mut dyn Context, _: &[Value]) -> Result<Value, Error> {
    Ok(Value::from("Hello!"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, check, shown};
    use trueline_source::SourceId;

    #[test]
    fn functions_return_what_sprig_returns() {
        check(&[
            (r#"trim "\t x y \n""#, r#"string "x y""#),
            (r#"trim "\u00a0x\u2003""#, r#"string "x""#),
            (r#"trimAll "$é" "é$5.00$""#, r#"string "5.00""#),
            (r#"trimall "" " x ""#, r#"string " x ""#),
            (r#"trimPrefix "he" "hello""#, r#"string "llo""#),
            (r#"trimPrefix "lo" "hello""#, r#"string "hello""#),
            (r#"trimSuffix "lo" "hello""#, r#"string "hel""#),
            (r#"nospace " a b\tc ""#, r#"string "abc""#),
            (r#"nospace "é x""#, r#"string "Ã©x""#),
            (r#"nospace "à""#, r#"string "Ã""#),
            (r#"trunc 5 "hello world""#, r#"string "hello""#),
            (r#"trunc -5 "hello world""#, r#"string "world""#),
            (r#"trunc 50 "x""#, r#"string "x""#),
            (r#"trunc -50 "x""#, r#"string "x""#),
            (r#"trunc 1 "é""#, r#"string "\ufffd""#),
            (r#"substr 0 5 "hello world""#, r#"string "hello""#),
            (r#"substr -1 3 "hello""#, r#"string "hel""#),
            (r#"substr 3 -1 "hello""#, r#"string "lo""#),
            (r#"substr 3 50 "hello""#, r#"string "lo""#),
            (r#"substr -1 50 "hello""#, "! runtime error: slice bounds out of range [:50] with length 5"),
            (r#"substr -1 -1 "hello""#, "! runtime error: slice bounds out of range [:-1]"),
            (r#"substr 3 2 "hello""#, "! runtime error: slice bounds out of range [3:2]"),
            (r#"substr 9 -1 "hello""#, "! runtime error: slice bounds out of range [9:5]"),
            (r#"contains "ell" "hello""#, "bool true"),
            (r#"contains "" """#, "bool true"),
            (r#"hasPrefix "he" "hello""#, "bool true"),
            (r#"hasSuffix "he" "hello""#, "bool false"),
            (r#"repeat 3 "ab""#, r#"string "ababab""#),
            (r#"repeat 0 "ab""#, r#"string """#),
            (r#"repeat -1 "ab""#, "! strings: negative Repeat count"),
            (r#"replace "l" "L" "hello""#, r#"string "heLLo""#),
            (r#"replace "" "-" "aé""#, r#"string "-a-é-""#),
            (r#"replace "x" "y" "hello""#, r#"string "hello""#),
            (r#"plural "one" "many" 1"#, r#"string "one""#),
            (r#"plural "one" "many" 0"#, r#"string "many""#),
            (r#"splitList "," "a,,b""#, r#"[]string ["a","","b"]"#),
            (r#"splitList "" "aé""#, r#"[]string ["a","é"]"#),
            (r#"splitList "," """#, r#"[]string [""]"#),
            (r#"splitList "" """#, "[]string []"),
            (r#"split "." "a.b""#, r#"map[string]string {"_0":"a","_1":"b"}"#),
            (r#"splitn "." 2 "a.b.c""#, r#"map[string]string {"_0":"a","_1":"b.c"}"#),
            (r#"splitn "." 0 "a.b.c""#, "map[string]string {}"),
            (r#"splitn "." -1 "a.b.c""#, r#"map[string]string {"_0":"a","_1":"b","_2":"c"}"#),
            (r#"join "-" (list "a" nil 1 true)"#, r#"string "a-1-true""#),
            (r#"join "-" "x""#, r#"string "x""#),
            (r#"join "-" nil"#, r#"string """#),
            (r#"sortAlpha (list "b" "a" 10 9)"#, r#"[]string ["10","9","a","b"]"#),
            (r#"sortAlpha "x""#, r#"[]string ["x"]"#),
            ("sortAlpha nil", r#"[]string ["\u003cnil\u003e"]"#),
            (r#"cat "a" nil 1 true"#, r#"string "a 1 true""#),
            ("cat", r#"string """#),
            ("hello", r#"string "Hello!""#),
            ("trim 1", "! expected string; found 1"),
            (r#"trunc "x" "y""#, r#"! expected integer; found "x""#),
        ]);
    }

    #[test]
    fn what_would_fill_the_memory_is_refused() {
        let text = Value::from("x");
        for (name, arguments) in [
            ("repeat", vec![Value::int(i64::MAX), text.clone()]),
            ("repeat", vec![Value::int(1 << 31), text.clone()]),
            (
                "replace",
                vec![Value::from(""), Value::from("y".repeat(1 << 16)), Value::from("x".repeat(1 << 16))],
            ),
        ] {
            assert!(call(FUNCTIONS, name, &arguments).unwrap_err().is_limit(), "{name}");
        }
        assert_eq!(shown(call(FUNCTIONS, "repeat", &[Value::int(i64::MAX), Value::from("")])), "");
    }

    #[test]
    fn parts_remember_where_they_came_from() {
        let span = |start| SourceId::from_index(0).span(start, start + 9);
        let (left, right) = (Value::from("left").at(Some(span(0))), Value::from("right").at(Some(span(10))));
        let joined =
            call(FUNCTIONS, "join", &[Value::from(", "), Value::list(vec![left.clone(), right])]).unwrap();
        let text = joined.as_str().unwrap();
        let places = [0, 4, 6].map(|offset| text.trace_at(offset));
        assert_eq!(places, [Trace::Value(span(0)), Trace::Unknown, Trace::Value(span(10))]);
        let cut = call(FUNCTIONS, "trunc", &[Value::int(-4), joined]).unwrap();
        assert_eq!(cut.as_str().unwrap().trace_at(0), Trace::Value(span(10)));
        for (name, arguments) in [
            ("trim", vec![left.clone()]),
            ("replace", vec![Value::from("e"), Value::from("E"), left.clone()]),
            ("repeat", vec![Value::int(2), left.clone()]),
            ("trimPrefix", vec![Value::from("l"), left]),
        ] {
            assert_eq!(call(FUNCTIONS, name, &arguments).unwrap().origin, Some(span(0)), "{name}");
        }
    }
}

//! cel-go's string functions: characters, searching, replacing, splitting, joining. All positions count characters.

use crate::arguments::{int, list, size, string};
use crate::function::{
    Actual, Call, Cost, Estimate, Fault, Function, Overload, STRING_TRAVERSAL, Size, by_factor,
};
use crate::types::Type;
use crate::value::{Value, characters};

use super::format;

/// How many bytes a string may have that a function makes. cel-go has no limit: a short expression could fill the memory
/// with a string whose cost is counted only afterwards.
pub(crate) const MOST_BYTES: usize = 1 << 26;

/// Which functions there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// The first ones, without `format` and `strings.quote`.
    V0,
    /// All of them but `reverse`.
    V2,
}

/// The string functions of a version.
pub fn functions(version: Version) -> Vec<Function> {
    let text = || Type::String;
    let texts = || Type::list(Type::String);
    let member = Overload::member;
    let mut functions = vec![
        Function::new("charAt", vec![member("string_char_at_int", vec![text(), Type::Int], text(), char_at)]),
        Function::new(
            "indexOf",
            vec![
                member("string_index_of_string", vec![text(), text()], Type::Int, index_of),
                member("string_index_of_string_int", vec![text(), text(), Type::Int], Type::Int, index_of),
            ],
        )
        .costing(SEARCH),
        Function::new(
            "lastIndexOf",
            vec![
                member("string_last_index_of_string", vec![text(), text()], Type::Int, last_index_of),
                member(
                    "string_last_index_of_string_int",
                    vec![text(), text(), Type::Int],
                    Type::Int,
                    last_index_of,
                ),
            ],
        )
        .costing(SEARCH),
        Function::new("lowerAscii", vec![member("string_lower_ascii", vec![text()], text(), lower)])
            .costing(COPY),
        Function::new("upperAscii", vec![member("string_upper_ascii", vec![text()], text(), upper)])
            .costing(COPY),
        Function::new("trim", vec![member("string_trim", vec![text()], text(), trim)]).costing(COPY),
        Function::new(
            "substring",
            vec![
                member("string_substring_int", vec![text(), Type::Int], text(), substring),
                member("string_substring_int_int", vec![text(), Type::Int, Type::Int], text(), substring),
            ],
        )
        .costing(COPY),
        Function::new(
            "replace",
            vec![
                member("string_replace_string_string", vec![text(), text(), text()], text(), replace),
                member(
                    "string_replace_string_string_int",
                    vec![text(), text(), text(), Type::Int],
                    text(),
                    replace,
                ),
            ],
        )
        .costing(Cost { actual: TWICE, estimate: estimate_replace }),
        Function::new(
            "split",
            vec![
                member("string_split_string", vec![text(), text()], texts(), split),
                member("string_split_string_int", vec![text(), text(), Type::Int], texts(), split),
            ],
        )
        .costing(Cost { actual: TWICE, estimate: estimate_split }),
        Function::new(
            "join",
            vec![
                member("list_join", vec![texts()], text(), join),
                member("list_join_string", vec![texts(), text()], text(), join),
            ],
        )
        .costing(Cost {
            actual: Actual::ByResult(|_, result| by_factor(result.outer_size(), 2.0 * STRING_TRAVERSAL)),
            estimate: estimate_join,
        }),
    ];
    if version == Version::V2 {
        functions.push(Function::new(
            "strings.quote",
            vec![Overload::global("strings_quote", vec![text()], text(), quote).costing(Cost {
                actual: Actual::ByArguments(|args| by_factor(size(args, 0), STRING_TRAVERSAL)),
                estimate: estimate_quote,
            })],
        ));
        functions.push(format::function());
    }
    functions
}

/// Searching reads the string once; bytes are counted, and what is below one unit is free.
pub const SEARCH: Cost =
    Cost { actual: Actual::ByArguments(|args| args.first().map_or(0, traversal)), estimate: estimate_search };

/// The string is read once and the result is no larger.
const COPY: Cost = Cost {
    actual: Actual::ByArguments(|args| by_factor(size(args, 0), STRING_TRAVERSAL)),
    estimate: |call| match call.target_size() {
        Some(size) => Estimate::with_result(size.by_factor(STRING_TRAVERSAL), size),
        None => (Cost::UNIT.estimate)(call),
    },
};

const TWICE: Actual = Actual::ByArguments(|args| by_factor(size(args, 0), 2.0 * STRING_TRAVERSAL));

/// What it costs to read a value with all that it holds.
pub fn traversal(value: &Value) -> u64 {
    let part = |bytes: usize| (bytes as f64 * STRING_TRAVERSAL) as u64;
    match value {
        Value::String(text) => part(text.len()),
        Value::Bytes(bytes) => part(bytes.len()),
        Value::List(list) => list.iter().fold(0_u64, |sum, item| sum.saturating_add(traversal(&item))),
        Value::Map(map) => map.iter().fold(0_u64, |sum, (key, value)| {
            sum.saturating_add(traversal(&key)).saturating_add(traversal(&value))
        }),
        _ => 1,
    }
}

/// What it may cost to look at every item of a list, or at every character of a string.
fn estimate_search(call: &Call<'_>) -> Estimate {
    let Some(target) = &call.target else { return (Cost::UNIT.estimate)(call) };
    let size = call.size(target);
    let Some(item) = call.items(target) else {
        return Estimate::cost(size.by_factor(STRING_TRAVERSAL));
    };
    let mut each = Size::fixed(1);
    if matches!(item.declared, Type::String | Type::Bytes) {
        each = each.plus(call.size(&item).by_factor(STRING_TRAVERSAL));
    }
    Estimate::cost(size.times(each))
}

fn estimate_replace(call: &Call<'_>) -> Estimate {
    let (Some(size), Some(old), Some(new)) = (call.target_size(), call.arg_size(0), call.arg_size(1)) else {
        return (Cost::UNIT.estimate)(call);
    };
    // How often something is replaced, and how much of the string stays.
    let (mut count, mut kept) = (Size::fixed(0), Size::fixed(0));
    if old.min == 0 {
        (count.max, kept.max) = (size.max.saturating_add(1), size.max);
    } else if new.max <= old.min {
        kept.max = size.max;
    } else {
        count.max = (size.max as f64 / old.min as f64).ceil() as u64;
    }
    if old.max == 0 {
        (count.min, kept.min) = (size.min.saturating_add(1), size.min);
    } else if old.max <= new.min {
        kept.min = size.min;
    } else {
        count.min = (size.min as f64 / old.max as f64).ceil() as u64;
    }
    Estimate::with_result(size.by_factor(2.0 * STRING_TRAVERSAL), count.times(new).plus(kept))
}

fn estimate_split(call: &Call<'_>) -> Estimate {
    let Some(size) = call.target_size() else { return (Cost::UNIT.estimate)(call) };
    // A negative limit is taken for a huge one.
    let most = match call.args.get(1).and_then(|limit| limit.literal) {
        Some(Value::Int(limit)) => *limit as u64,
        _ => size.max,
    };
    Estimate::with_result(size.by_factor(2.0 * STRING_TRAVERSAL), Size::between(0, most))
}

fn estimate_join(call: &Call<'_>) -> Estimate {
    let Some(target) = &call.target else { return (Cost::UNIT.estimate)(call) };
    let count = call.size(target);
    let mut size = match call.items(target) {
        Some(item) => count.times(call.size(&item)),
        None => Size::fixed(0),
    };
    if let Some(separator) = call.arg_size(0) {
        let gaps = Size::between(count.min.saturating_sub(1), count.max.saturating_sub(1));
        size = size.plus(separator.times(gaps));
    }
    Estimate::with_result(size.by_factor(STRING_TRAVERSAL), size)
}

fn estimate_quote(call: &Call<'_>) -> Estimate {
    let Some(size) = call.arg_size(0) else { return (Cost::UNIT.estimate)(call) };
    // The arithmetic wraps around, so a size that is not known becomes a small one.
    let result = Size::between(size.min.wrapping_add(2), size.max.wrapping_mul(2).wrapping_add(2));
    Estimate::with_result(size.by_factor(STRING_TRAVERSAL), result)
}

fn out_of_range(index: i64) -> Fault {
    Fault::new(format!("index out of range: {index}"))
}

fn too_large() -> Fault {
    Fault::new("string is too large")
}

/// Where the character with this number begins. The end of the string is a place too.
fn place(text: &str, index: i64) -> Option<usize> {
    let index = usize::try_from(index).ok()?;
    if text.is_ascii() {
        return (index <= text.len()).then_some(index);
    }
    let ends = std::iter::once(text.len());
    text.char_indices().map(|(place, _)| place).chain(ends).nth(index)
}

fn char_at(args: &[Value]) -> Result<Value, Fault> {
    let (text, index) = (string(args, 0)?, int(args, 1)?);
    let place = place(text, index).ok_or_else(|| out_of_range(index))?;
    let rest = text.get(place..).unwrap_or_default();
    Ok(Value::from(rest.chars().next().map(String::from).unwrap_or_default()))
}

fn index_of(args: &[Value]) -> Result<Value, Fault> {
    let (text, part) = (string(args, 0)?, string(args, 1)?);
    let offset = if args.len() > 2 { int(args, 2)? } else { 0 };
    if part.is_empty() {
        return Ok(Value::Int(offset));
    }
    if offset < 0 {
        return Err(out_of_range(offset));
    }
    let found = place(text, offset)
        .and_then(|start| text.get(start..))
        .and_then(|rest| rest.find(&**part).and_then(|end| rest.get(..end)))
        .map(|before| offset.saturating_add(character_count(before)));
    Ok(Value::Int(found.unwrap_or(-1)))
}

fn last_index_of(args: &[Value]) -> Result<Value, Fault> {
    let (text, part) = (string(args, 0)?, string(args, 1)?);
    let length = character_count(text);
    let offset = if args.len() > 2 { int(args, 2)? } else { length.saturating_sub(1) };
    if part.is_empty() {
        return Ok(Value::Int(if args.len() > 2 { offset } else { length }));
    }
    if args.len() == 2 && text.len() < part.len() {
        return Ok(Value::Int(-1));
    }
    if offset < 0 {
        return Err(out_of_range(offset));
    }
    if offset >= length {
        return Ok(Value::Int(-1));
    }
    // The match may begin at the offset at the latest.
    let end = offset.saturating_add(character_count(part));
    let within = place(text, end).and_then(|end| text.get(..end)).unwrap_or(text);
    let found = within.rfind(&**part).and_then(|end| within.get(..end)).map(character_count);
    Ok(Value::Int(found.unwrap_or(-1)))
}

fn character_count(text: &str) -> i64 {
    i64::try_from(characters(text)).unwrap_or(i64::MAX)
}

fn lower(args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::from(string(args, 0)?.to_ascii_lowercase()))
}

fn upper(args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::from(string(args, 0)?.to_ascii_uppercase()))
}

fn trim(args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::from(string(args, 0)?.trim()))
}

fn substring(args: &[Value]) -> Result<Value, Fault> {
    let (text, start) = (string(args, 0)?, int(args, 1)?);
    let end = if args.len() > 2 { Some(int(args, 2)?) } else { None };
    if let Some(end) = end
        && start > end
    {
        return Err(Fault::new(format!("invalid substring range. start: {start}, end: {end}")));
    }
    let first = place(text, start).ok_or_else(|| out_of_range(start))?;
    let last = match end {
        Some(end) => place(text, end).ok_or_else(|| out_of_range(end))?,
        None => text.len(),
    };
    Ok(Value::from(text.get(first..last).unwrap_or_default()))
}

fn replace(args: &[Value]) -> Result<Value, Fault> {
    let (text, old, new) = (string(args, 0)?, string(args, 1)?, string(args, 2)?);
    let limit = if args.len() > 3 { int(args, 3)? } else { -1 };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if new.len() > old.len() {
        let found = match old.is_empty() {
            true => text.chars().count() + 1,
            false => text.matches(&**old).count(),
        };
        let more = found.min(limit).saturating_mul(new.len() - old.len());
        if text.len().saturating_add(more) > MOST_BYTES {
            return Err(too_large());
        }
    }
    Ok(Value::from(text.replacen(&**old, new, limit)))
}

fn split(args: &[Value]) -> Result<Value, Fault> {
    let (text, separator) = (string(args, 0)?, string(args, 1)?);
    let limit = if args.len() > 2 { int(args, 2)? } else { -1 };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if limit == 0 {
        return Ok(Value::list(Vec::new()));
    }
    if !separator.is_empty() {
        return Ok(Value::list(text.splitn(limit, &**separator).map(Value::from).collect()));
    }
    let mut parts = Vec::new();
    let mut rest: &str = text;
    while let Some(first) = rest.chars().next() {
        let (part, after) = match parts.len() + 1 == limit {
            true => (rest, ""),
            false => rest.split_at(first.len_utf8()),
        };
        parts.push(Value::from(part));
        rest = after;
    }
    Ok(Value::list(parts))
}

fn join(args: &[Value]) -> Result<Value, Fault> {
    let items = list(args, 0)?;
    let separator = if args.len() > 1 { &**string(args, 1)? } else { "" };
    let mut joined = String::new();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            joined.push_str(separator);
        }
        let Value::String(part) = &item else {
            let found = if matches!(item, Value::Null) { "0".to_owned() } else { item.to_string() };
            return Err(Fault::new(format!("join: invalid input: {found}")));
        };
        if joined.len().saturating_add(part.len()).saturating_add(separator.len()) > MOST_BYTES {
            return Err(too_large());
        }
        joined.push_str(part);
    }
    Ok(Value::from(joined))
}

fn quote(args: &[Value]) -> Result<Value, Fault> {
    let text = string(args, 0)?;
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    Ok(Value::from(quoted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Run;

    fn call(run: Run, args: &[Value]) -> String {
        match run(args) {
            Ok(Value::String(text)) => text.to_string(),
            Ok(Value::Int(number)) => number.to_string(),
            Ok(Value::List(list)) => {
                list.iter().map(|item| format!("{:?}", crate::arguments::string(&[item], 0))).collect()
            }
            Ok(other) => format!("{other:?}"),
            Err(fault) => format!("error: {fault}"),
        }
    }

    /// A function, the string, the part, the offset and the outcome.
    type Row = (Run, &'static str, &'static str, Option<i64>, &'static str);

    fn values(args: &[&dyn Fn() -> Value]) -> Vec<Value> {
        args.iter().map(|arg| arg()).collect()
    }

    #[test]
    fn searching_counts_characters() {
        let rows: &[Row] = &[
            (index_of, "héllo", "l", None, "2"),
            (index_of, "héllo", "l", Some(3), "3"),
            (index_of, "héllo", "l", Some(4), "-1"),
            (index_of, "abc", "", Some(-7), "-7"),
            (index_of, "abc", "a", Some(-1), "error: index out of range: -1"),
            (index_of, "abc", "a", Some(9), "-1"),
            (last_index_of, "héllo", "l", None, "3"),
            (last_index_of, "héllo", "l", Some(2), "2"),
            (last_index_of, "abc", "", None, "3"),
            (last_index_of, "abc", "", Some(9), "9"),
            (last_index_of, "abcabc", "bc", Some(4), "4"),
            (last_index_of, "abcabc", "bc", Some(3), "1"),
            (last_index_of, "", "a", None, "-1"),
            (last_index_of, "abc", "a", Some(3), "-1"),
            (last_index_of, "abc", "a", Some(-2), "error: index out of range: -2"),
        ];
        for (run, text, part, offset, expected) in rows {
            let mut args = vec![Value::from(*text), Value::from(*part)];
            args.extend(offset.map(Value::Int));
            assert_eq!(call(*run, &args), *expected, "{text} {part} {offset:?}");
        }
    }

    #[test]
    fn parts_of_strings() {
        let text = || Value::from("tacocat");
        assert_eq!(call(char_at, &values(&[&text, &|| Value::Int(7)])), "");
        assert_eq!(call(char_at, &values(&[&text, &|| Value::Int(3)])), "o");
        assert_eq!(call(char_at, &values(&[&text, &|| Value::Int(8)])), "error: index out of range: 8");
        let cut = |from: i64, to: i64| call(substring, &[text(), Value::Int(from), Value::Int(to)]);
        assert_eq!(cut(2, 4), "co");
        assert_eq!(cut(4, 2), "error: invalid substring range. start: 4, end: 2");
        assert_eq!(cut(-1, 2), "error: index out of range: -1");
        assert_eq!(cut(0, 8), "error: index out of range: 8");
    }

    #[test]
    fn replacing_and_splitting() {
        let replaced = |limit: i64| {
            call(replace, &[Value::from("aaa"), Value::from(""), Value::from("-"), Value::Int(limit)])
        };
        assert_eq!([replaced(-1), replaced(2), replaced(0)], ["-a-a-a-", "-a-aa", "aaa"]);
        let parts = |text: &str, separator: &str, limit: i64| match split(&[
            Value::from(text),
            Value::from(separator),
            Value::Int(limit),
        ]) {
            Ok(Value::List(list)) => list.len(),
            _ => usize::MAX,
        };
        assert_eq!(parts("", "", -1), 0);
        assert_eq!(parts("", ",", -1), 1);
        assert_eq!(parts("abc", "", 2), 2);
        assert_eq!(parts("a,b,c", ",", 2), 2);
        assert_eq!(parts("a,b,c", ",", 0), 0);
    }

    #[test]
    fn nothing_grows_without_bounds() {
        let long = "a".repeat(1 << 15);
        let args = [Value::from(long.as_str()), Value::from("a"), Value::from(long.as_str())];
        assert_eq!(call(replace, &args), "error: string is too large");
        let many = Value::list(vec![Value::from(long.as_str()); 1 << 12]);
        assert_eq!(call(join, &[many]), "error: string is too large");
    }
}

//! The rules that have names: `min=`, `one_of=` and the like, also as functions of `@ytt:assert`.

use std::fmt;
use std::rc::Rc;

use trueline_regexp::{PatternError, Regexp};
use trueline_starlark::{BigInt, CompareOp, Dict, Error, ErrorKind, Thread, Value, View};

use super::annotation::is_sequence;
use super::format::Format;
use super::json_schema::JsonSchema;
use crate::tree::{self, Made, Position, read_one, write_documents, yaml_of};
use crate::value::{Content, Context, from_starlark, to_starlark};

/// A rule that has a name.
#[derive(Debug, Clone)]
pub enum Check {
    /// At least so long.
    MinLen(Value),
    /// At most so long.
    MaxLen(Value),
    /// At least as great.
    Min(Value),
    /// At most as great.
    Max(Value),
    /// Not null.
    NotNull,
    /// Exactly one of these keys, or of all keys, is not null.
    OneNotNull(Option<Value>),
    /// One of these.
    OneOf(Value),
    /// Exactly so long.
    Len(Value),
    /// A string that starts with this one.
    StartsWith(Value),
    /// A string that ends with this one.
    EndsWith(Value),
    /// A string with this one in it, a list with this item, or a map with this key.
    Contains(Value),
    /// A string that a regular expression matches somewhere.
    Matches(Pattern),
    /// A string of a format.
    Format(Format),
    /// An even number.
    Even,
    /// An odd number.
    Odd,
    /// A multiple of this integer, which is above zero.
    MultipleOf(Value),
    /// What a JSON Schema accepts.
    JsonSchema(JsonSchema),
}

/// A regular expression of Go.
#[derive(Clone)]
pub struct Pattern {
    source: Rc<str>,
    compiled: Rc<Regexp>,
}

impl Pattern {
    /// A pattern, or what is wrong with it. Its memory is paid for before it is taken.
    ///
    /// # Errors
    /// If the limits are reached.
    pub fn new(source: &[u8], thread: &Thread) -> Result<Result<Pattern, PatternError>, Error> {
        let compiled = Regexp::compile_for(source, &mut |bytes| {
            thread.spend(bytes / 2)?;
            thread.need_memory(bytes)
        })?;
        let source = String::from_utf8_lossy(source);
        Ok(compiled.map(|compiled| Pattern { source: source.into(), compiled }))
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether it matches somewhere.
    ///
    /// # Errors
    /// If the limits are reached.
    pub(super) fn matches(&self, text: &[u8], thread: &Thread) -> Result<bool, Error> {
        thread.spend(text.len().saturating_mul(self.compiled.cost_per_byte()))?;
        Ok(self.compiled.is_match(text))
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl Check {
    /// What a value must be.
    ///
    /// # Errors
    /// If the arguments cannot be printed.
    pub fn description(&self, thread: &mut Thread) -> Result<String, Error> {
        let mut with = |prefix: &str, value: &Value, suffix: &str| {
            let value = thread.repr(value)?;
            Ok(format!("{prefix}{}{suffix}", String::from_utf8_lossy(&value)))
        };
        match self {
            Check::MinLen(length) => with("length >= ", length, ""),
            Check::MaxLen(length) => with("length <= ", length, ""),
            Check::Min(least) => with("a value >= ", least, ""),
            Check::Max(most) => with("a value <= ", most, ""),
            Check::NotNull => Ok("not null".to_owned()),
            Check::OneNotNull(None) => Ok("exactly one of all children to be not null".to_owned()),
            Check::OneNotNull(Some(keys)) => with("exactly one of ", keys, " to be not null"),
            Check::OneOf(values) => with("one of ", values, ""),
            Check::Len(length) => with("length = ", length, ""),
            Check::StartsWith(start) => with("a value starting with ", start, ""),
            Check::EndsWith(end) => with("a value ending with ", end, ""),
            Check::Contains(part) => with("a value containing ", part, ""),
            Check::Matches(pattern) => Ok(format!("a value matching {}", pattern.source)),
            Check::Format(format) => Ok(format!("a valid {}", format.name())),
            Check::Even => Ok("an even number".to_owned()),
            Check::Odd => Ok("an odd number".to_owned()),
            Check::MultipleOf(factor) => with("a multiple of ", factor, ""),
            Check::JsonSchema(_) => Ok("a value that its JSON Schema accepts".to_owned()),
        }
    }

    /// Checks a value against the rule.
    ///
    /// # Errors
    /// If the value breaks the rule, with what is wrong; the message begins as that of the function in `@ytt:assert`.
    pub fn run(&self, thread: &mut Thread, value: &Value, context: &Context) -> Result<(), Error> {
        match self {
            Check::MinLen(length) => check_length(thread, value, CompareOp::GreaterOrEqual, length),
            Check::MaxLen(length) => check_length(thread, value, CompareOp::LessOrEqual, length),
            Check::Min(least) => {
                check_bound(thread, value, (CompareOp::GreaterOrEqual, "value < "), least, context)
            }
            Check::Max(most) => {
                check_bound(thread, value, (CompareOp::LessOrEqual, "value > "), most, context)
            }
            Check::NotNull if value.is_none() => Err(Error::new("fail: value is null")),
            Check::NotNull => Ok(()),
            Check::OneNotNull(keys) => check_one_not_null(thread, value, keys.as_ref(), context),
            Check::OneOf(values) => check_one_of(thread, value, values, context),
            Check::Len(length) => check_length(thread, value, CompareOp::Equal, length),
            Check::StartsWith(start) => {
                let has = |text: &[u8], start: &[u8]| text.starts_with(start);
                check_part(thread, value, start, "does not start with ", has)
            }
            Check::EndsWith(end) => {
                let has = |text: &[u8], end: &[u8]| text.ends_with(end);
                check_part(thread, value, end, "does not end with ", has)
            }
            Check::Contains(part) => check_contains(thread, value, part, context),
            Check::Matches(pattern) => {
                if pattern.matches(text_of(value)?, thread)? {
                    Ok(())
                } else {
                    Err(fail("does not match"))
                }
            }
            Check::Format(format) => check_format(thread, value, *format),
            Check::Even | Check::Odd => match (whole(value)?, self) {
                (None, _) => Err(fail("a number with a fraction")),
                (Some(number), Check::Even) if number.bit(0) => Err(fail("an odd number")),
                (Some(number), Check::Odd) if !number.bit(0) => Err(fail("an even number")),
                _ => Ok(()),
            },
            Check::MultipleOf(factor) => {
                let is_multiple = match (whole(value)?, whole(factor)?) {
                    (Some(number), Some(factor)) if factor > BigInt::from(0) => {
                        number % factor == BigInt::from(0)
                    }
                    _ => false,
                };
                if is_multiple {
                    return Ok(());
                }
                let factor = thread.str(factor)?;
                Err(fail(&format!("not a multiple of {}", String::from_utf8_lossy(&factor))))
            }
            Check::JsonSchema(schema) => check_json_schema(thread, value, schema, context),
        }
    }
}

fn fail(text: &str) -> Error {
    Error::new(format!("fail: {text}"))
}

/// The string that a value is. Messages name its type alone: values may be secrets.
fn text_of(value: &Value) -> Result<&[u8], Error> {
    value.as_bytes().ok_or_else(|| fail(&format!("a value of type {} is not a string", value.type_name())))
}

/// The integer that a number is; none if it has a fraction.
fn whole(value: &Value) -> Result<Option<BigInt>, Error> {
    match value.view() {
        View::Int(number) => Ok(Some(BigInt::from(number))),
        View::BigInt(number) => Ok(Some(number.clone())),
        View::Float(number) if number.fract() == 0.0 => Ok(format!("{number:.0}").parse().ok()),
        View::Float(_) => Ok(None),
        _ => Err(fail(&format!("a value of type {} is not a number", value.type_name()))),
    }
}

fn check_part(
    thread: &mut Thread,
    value: &Value,
    part: &Value,
    words: &str,
    has: impl Fn(&[u8], &[u8]) -> bool,
) -> Result<(), Error> {
    let (text, wanted) = (text_of(value)?, text_of(part)?);
    thread.spend(wanted.len() / 8)?;
    if has(text, wanted) { Ok(()) } else { missing(thread, part, words) }
}

fn missing(thread: &mut Thread, part: &Value, words: &str) -> Result<(), Error> {
    let part = thread.repr(part)?;
    Err(fail(&format!("{words}{}", String::from_utf8_lossy(&part))))
}

fn check_contains(thread: &mut Thread, value: &Value, part: &Value, context: &Context) -> Result<(), Error> {
    const WORDS: &str = "does not contain ";
    if let Some(text) = value.as_bytes() {
        let wanted = text_of(part)?;
        thread.spend(text.len() / 8)?;
        return match memchr::memmem::find(text, wanted) {
            Some(_) => Ok(()),
            None => missing(thread, part, WORDS),
        };
    }
    if !is_sequence(value) {
        return Err(fail(&format!("a value of type {} has no members", value.type_name())));
    }
    let (members, wanted) = (through_yaml(thread, value, context)?, through_yaml(thread, part, context)?);
    let has = match members.view() {
        View::Dict(dict) => has_key(dict, &wanted, thread)?,
        View::List(list) => {
            let mut has = false;
            for member in list.to_vec() {
                if thread.equal(&member, &wanted)? {
                    has = true;
                    break;
                }
            }
            has
        }
        // An empty fragment is nothing after it has been YAML.
        _ => false,
    };
    if has { Ok(()) } else { missing(thread, part, WORDS) }
}

/// Whether a dict has a key. What cannot be one, such as a list, is none.
fn has_key(dict: &Dict, key: &Value, thread: &mut Thread) -> Result<bool, Error> {
    match dict.get(thread, key) {
        Ok(found) => Ok(found.is_some()),
        Err(error) if error.kind() == ErrorKind::Limit => Err(error),
        Err(_) => Ok(false),
    }
}

fn check_format(thread: &mut Thread, value: &Value, format: Format) -> Result<(), Error> {
    let is_number = match value.view() {
        View::Int(_) | View::BigInt(_) => true,
        View::Float(number) => number.is_finite(),
        _ => false,
    };
    if is_number && format == Format::Quantity {
        return Ok(());
    }
    if has_format(text_of(value)?, format, thread)? {
        return Ok(());
    }
    Err(fail(&format!("not a valid {}", format.name())))
}

/// Whether a string has a format.
pub(super) fn has_format(text: &[u8], format: Format, thread: &Thread) -> Result<bool, Error> {
    thread.spend(text.len())?;
    Ok(match format {
        Format::Regex => Pattern::new(text, thread)?.is_ok(),
        _ => std::str::from_utf8(text).is_ok_and(|text| format.takes(text)),
    })
}

fn check_json_schema(
    thread: &Thread,
    value: &Value,
    schema: &JsonSchema,
    context: &Context,
) -> Result<(), Error> {
    let Content::Value(value) = from_starlark(value, context)? else {
        return Err(fail("expected one value, found documents"));
    };
    match schema.broken(&value, thread)? {
        None => Ok(()),
        Some(words) => Err(fail(&words)),
    }
}

fn check_length(thread: &mut Thread, value: &Value, op: CompareOp, bound: &Value) -> Result<(), Error> {
    let Some(length) = thread.len(value) else {
        return Err(Error::new(format!("len: value of type {} has no len", value.type_name())));
    };
    if thread.compare(op, &Value::size(length), bound)? {
        Ok(())
    } else {
        Err(Error::new(format!("fail: length = {length}")))
    }
}

fn check_bound(
    thread: &mut Thread,
    value: &Value,
    (op, words): (CompareOp, &str),
    bound: &Value,
    context: &Context,
) -> Result<(), Error> {
    let value = through_yaml(thread, value, context)?;
    let bound = through_yaml(thread, bound, context)?;
    if thread.compare(op, &value, &bound)? {
        return Ok(());
    }
    let bound = thread.str(&bound)?;
    Err(Error::new(format!("fail: {words}{}", String::from_utf8_lossy(&bound))))
}

fn check_one_of(thread: &mut Thread, value: &Value, values: &Value, context: &Context) -> Result<(), Error> {
    let value = through_yaml(thread, value, context)?;
    let values = through_yaml(thread, values, context)?;
    let is_one_of = match values.view() {
        View::Dict(dict) => has_key(dict, &value, thread)?,
        View::List(list) => {
            let mut is_one_of = false;
            for allowed in list.to_vec() {
                if thread.equal(&allowed, &value)? {
                    is_one_of = true;
                    break;
                }
            }
            is_one_of
        }
        // An empty fragment is nothing after it has been YAML.
        _ => {
            let (value, values) = (value.type_name(), values.type_name());
            return Err(Error::new(format!("unknown binary op: {value} in {values}")));
        }
    };
    if is_one_of { Ok(()) } else { Err(Error::new("fail: not one of allowed values")) }
}

fn check_one_not_null(
    thread: &mut Thread,
    value: &Value,
    keys: Option<&Value>,
    context: &Context,
) -> Result<(), Error> {
    let value = through_yaml(thread, value, context)?;
    let View::Dict(dict) = value.view() else {
        return Err(Error::new(format!(
            "check: value must be a map or dict, but was '{}'",
            value.type_name()
        )));
    };
    let keys = match keys {
        None => dict.keys(),
        Some(keys) => {
            let written = thread.elements(keys)?.unwrap_or_default();
            let keys: Result<Vec<Value>, Error> =
                written.iter().map(|key| through_yaml(thread, key, context)).collect();
            keys?
        }
    };
    let mut not_null = Vec::new();
    for key in keys {
        // A key that is missing counts as null: schemas are there to notice it.
        if dict.get(thread, &key)?.is_some_and(|value| !value.is_none()) {
            not_null.push(key);
        }
    }
    match not_null.len() {
        0 if dict.is_empty() => Err(Error::new("check: value is empty")),
        0 => Err(Error::new("check: all values are null")),
        1 => Ok(()),
        _ => {
            let list = thread.repr(&Value::list(not_null))?;
            Err(Error::new(format!("check: {} are not null", String::from_utf8_lossy(&list))))
        }
    }
}

/// The value as it is after it has been written as YAML and read again: structs and fragments are dicts and lists, and
/// empty fragments are nothing.
pub fn through_yaml(thread: &mut Thread, value: &Value, context: &Context) -> Result<Value, Error> {
    match value.view() {
        View::None | View::Bool(_) | View::Int(_) | View::String(_) => return Ok(value.clone()),
        // What `one_of=` allows is mostly such a list, and every value is compared with it.
        View::List(list) if list.to_vec().iter().all(is_same_in_yaml) => {
            return same_in_yaml(list.to_vec(), thread, context);
        }
        View::Tuple(items) if items.iter().all(is_same_in_yaml) => {
            return same_in_yaml(items.to_vec(), thread, context);
        }
        _ => {}
    }
    let value = match from_starlark(value, context)? {
        Content::Value(value) => value,
        Content::Documents(documents) => {
            let text = write_documents(&documents, tree::Format::Yaml)
                .map_err(|error| Error::new(error.to_string()))?;
            thread.spend(text.len())?;
            read_one(text).map_err(|error| Error::new(error.to_string()))?
        }
    };
    let is_dropped = match &value {
        tree::Value::Map(map) => map.items.is_empty() && map.made == Made::Yaml,
        tree::Value::Array(array) => array.items.is_empty() && array.made == Made::Yaml,
        _ => false,
    };
    if is_dropped {
        return Ok(Value::NONE);
    }
    let text = yaml_of(&value);
    thread.spend(text.len())?;
    let read = read_one(text).map_err(|error| Error::new(error.to_string()))?;
    to_starlark(thread, &read.to_plain(), &Position::unknown(), context)
}

/// Whether a value is surely the same after it has been written as YAML and read again.
fn is_same_in_yaml(value: &Value) -> bool {
    match value.view() {
        View::None | View::Bool(_) | View::Int(_) => true,
        View::String(text) => text.as_bytes().iter().all(|byte| matches!(byte, b' '..=b'~')),
        _ => false,
    }
}

/// Such values as the list that they are in YAML, at the same price.
fn same_in_yaml(items: Vec<Value>, thread: &Thread, context: &Context) -> Result<Value, Error> {
    let lengths = items.iter().map(|item| item.as_bytes().map_or(0, <[u8]>::len));
    let (bytes, nodes) = lengths.fold((0_usize, items.len() as u64 + 1), |(bytes, nodes), length| {
        (bytes.saturating_add(length), nodes.saturating_add(Context::nodes_of_text(length)))
    });
    context.charge(nodes)?;
    thread.spend(bytes.saturating_add(items.len()))?;
    Ok(Value::list(items))
}

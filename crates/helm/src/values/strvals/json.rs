//! JSON values inside a flag.

use std::sync::Arc;

use trueline_source::{SourceId, Span};
use trueline_yaml::{Data, Limits, Value, json};

use super::fault::{Fault, bad_json};

/// The JSON value at the start of a string, and how many bytes it takes. The rest is left.
pub(super) fn prefix(source: SourceId, rest: &str, offset: usize) -> Result<(Value, usize), Fault> {
    let length = length(rest.as_bytes());
    let text = rest.get(..length).unwrap_or(rest);
    Ok((whole(source, text, offset)?, text.len()))
}

/// The object that a whole flag is, without the white space around it.
pub(in crate::values) fn object(source: SourceId, text: &str) -> Result<Value, Fault> {
    let before = text.len() - text.trim_start().len();
    whole(source, text.trim(), before)
}

fn whole(source: SourceId, text: &str, offset: usize) -> Result<Value, Fault> {
    let document = json::read(source, &Arc::from(text), Limits::default())
        .map_err(|error| bad_json(shift(error.span, offset), &error.to_diagnostic().message))?;
    let mut value = Value::from_node(document.root());
    adopt(&mut value, offset);
    if has_infinity(&value) {
        return Err(bad_json(source.span(offset, offset + text.len()), "a number is too large"));
    }
    Ok(value)
}

/// Makes every number a float, as Go has it, and moves every origin from the value to the flag.
fn adopt(value: &mut Value, offset: usize) {
    value.origin = value.origin.map(|span| shift(span, offset));
    match &mut value.data {
        Data::Int(number) => value.data = Data::Float(*number as f64),
        Data::UInt(number) => value.data = Data::Float(*number as f64),
        Data::List(items) => Arc::make_mut(items).iter_mut().for_each(|item| adopt(item, offset)),
        Data::Map(map) => {
            for entry in Arc::make_mut(map).values_mut() {
                entry.key_origin = entry.key_origin.map(|span| shift(span, offset));
                adopt(&mut entry.value, offset);
            }
        }
        Data::Null | Data::Bool(_) | Data::Float(_) | Data::String(_) => {}
    }
}

fn shift(span: Span, offset: usize) -> Span {
    span.source.span(span.start as usize + offset, span.end as usize + offset)
}

/// A number beyond the range of 64-bit floats, which Go refuses.
fn has_infinity(value: &Value) -> bool {
    match &value.data {
        Data::Float(number) => !number.is_finite(),
        Data::List(items) => items.iter().any(has_infinity),
        Data::Map(map) => map.values().any(|entry| has_infinity(&entry.value)),
        _ => false,
    }
}

/// Where a JSON value ends; for what is not JSON, any place up to which the reader finds the fault.
fn length(bytes: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        index = match byte {
            b'"' => string_end(bytes, index + 1),
            b'{' | b'[' => {
                depth += 1;
                index + 1
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                index + 1
            }
            b'-' | b'0'..=b'9' if depth == 0 => number_end(bytes, index),
            b'a'..=b'z' if depth == 0 => index + word_length(&bytes[index..]),
            _ => index + 1,
        };
        let is_space = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        if depth == 0 && !is_space {
            return index;
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut index = start;
    while let Some(byte) = bytes.get(index) {
        match byte {
            b'"' => return index + 1,
            b'\\' => index += 2,
            _ => index += 1,
        }
    }
    bytes.len()
}

/// As much as the grammar of numbers takes; `01` is `0` followed by `1`.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let digits =
        |from: usize| from + bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let mut index = start + usize::from(bytes.get(start) == Some(&b'-'));
    index = if bytes.get(index) == Some(&b'0') { index + 1 } else { digits(index) };
    if bytes.get(index) == Some(&b'.') {
        index = digits(index + 1);
    }
    if let Some(b'e' | b'E') = bytes.get(index) {
        index += 1;
        if let Some(b'+' | b'-') = bytes.get(index) {
            index += 1;
        }
        index = digits(index);
    }
    index
}

fn word_length(bytes: &[u8]) -> usize {
    let known = ["true", "false", "null"].iter().find(|word| bytes.starts_with(word.as_bytes()));
    known.map_or(1, |word| word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_value_is_found() {
        for (text, expected) in [
            ("1,b=2", "1"),
            ("-1.5e+3x", "-1.5e+3"),
            ("01", "0"),
            ("true,false", "true"),
            ("truex", "true"),
            ("null", "null"),
            (r#""a,\"b"c"#, r#""a,\"b""#),
            (r#"{"a":[1,{"b":"}"}]},c=1"#, r#"{"a":[1,{"b":"}"}]}"#),
            ("[]", "[]"),
            ("[1", "[1"),
            (" 1 2", " 1"),
            ("\"\\", "\"\\"),
        ] {
            let end = length(text.as_bytes()).min(text.len());
            assert_eq!(&text[..end], expected, "{text}");
        }
    }
}

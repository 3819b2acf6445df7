//! `html`, `js` and `urlquery`. Escaped text keeps the traces of what was escaped.

use crate::{Context, Data, Error, Str, StrBuilder, Trace, Value, fmt};
use trueline_gostd::unicode::{first_character, is_print};

pub(super) fn html(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    escape(context, arguments, |byte, _| {
        let escaped = match byte {
            b'\0' => "\u{fffd}",
            b'"' => "&#34;",
            b'\'' => "&#39;",
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            _ => return None,
        };
        Some((1, escaped.into()))
    })
}

pub(super) fn js(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    escape(context, arguments, |byte, rest| {
        let escaped = match byte {
            b'\\' => "\\\\".into(),
            b'\'' => "\\'".into(),
            b'"' => "\\\"".into(),
            b'<' | b'>' | b'&' | b'=' | ..b' ' => format!("\\u{byte:04X}"),
            ..0x80 => return None,
            _ => {
                return Some(match first_character(rest) {
                    // U+FFFD is printable; an invalid byte is kept as it is.
                    None | Some((_, 1)) => return None,
                    Some((character, width)) if is_print(character) => (width, character.into()),
                    Some((character, width)) => (width, format!("\\u{:04X}", u32::from(character))),
                });
            }
        };
        Some((1, escaped))
    })
}

pub(super) fn urlquery(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    escape(context, arguments, |byte, _| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => None,
        b' ' => Some((1, "+".into())),
        _ => Some((1, format!("%{byte:02X}"))),
    })
}

/// Replaces everything for which `replace` returns an escape and the number of bytes that it replaces.
fn escape(
    context: &mut dyn Context,
    arguments: &[Value],
    replace: impl Fn(u8, &[u8]) -> Option<(usize, String)>,
) -> Result<Value, Error> {
    let text = joined(arguments);
    let bytes = text.as_bytes();
    // An escape takes up to six bytes.
    context.spend(bytes.len() as u64)?;
    let mut out = StrBuilder::with_capacity(bytes.len());
    let (mut copied, mut position) = (0, 0);
    while let Some(byte) = bytes.get(position) {
        match replace(*byte, bytes.get(position..).unwrap_or_default()) {
            None => position += 1,
            Some((length, escaped)) => {
                out.push_part(&text, copied..position, Trace::Unknown);
                out.push(escaped.as_bytes(), text.trace_at(position));
                position += length;
                copied = position;
            }
        }
    }
    if copied == 0 {
        return Ok(Value::from(text));
    }
    out.push_part(&text, copied..bytes.len(), Trace::Unknown);
    Ok(Value::from(out.finish()))
}

/// The text of the arguments, each as an action would print it.
fn joined(arguments: &[Value]) -> Str {
    if let [Value { data: Data::String(text), .. }] = arguments {
        return text.clone();
    }
    let shown: Vec<Value> = arguments
        .iter()
        .map(|value| if value.is_nil() { Value::from("<no value>") } else { value.clone() })
        .collect();
    fmt::sprint(&shown)
}

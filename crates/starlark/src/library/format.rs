//! `"{}".format(…)`.

use super::string::bytes;
use crate::builtin::Args;
use crate::error::Error;
use crate::value::Value;
use crate::{Thread, Writer, unicode};

/// How positional arguments were chosen so far.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Numbering {
    Unknown,
    Automatic,
    Manual,
}

pub(super) fn format(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    _: &'static str,
) -> Result<Value, Error> {
    let mut rest = bytes(receiver);
    let mut writer = Writer::new(thread);
    let mut mark = receiver.mark();
    let mut numbering = Numbering::Unknown;
    let mut next = 0;
    loop {
        let open = memchr::memchr(b'{', rest);
        let (literal, behind) = rest.split_at(open.unwrap_or(rest.len()));
        push_literal(&mut writer, literal)?;
        let [b'{', behind @ ..] = behind else { break };
        if let [b'{', behind @ ..] = behind {
            writer.push("{")?;
            rest = behind;
            continue;
        }
        let Some(close) = memchr::memchr(b'}', behind) else {
            return Err(Error::new("format: unmatched '{' in format"));
        };
        let (field, behind) = behind.split_at(close);
        rest = behind.get(1..).unwrap_or_default();
        let (name, conversion, spec) = parts(field);
        let value = choose(args, name, &mut numbering, &mut next)?;
        mark = mark.or(value.mark());
        if !spec.is_empty() {
            let spec = String::from_utf8_lossy(spec);
            let message = format!("format spec features not supported in replacement fields: {spec}");
            return Err(Error::new(message));
        }
        match conversion {
            b"s" => writer.str(&value)?,
            b"r" => writer.repr(&value)?,
            _ => {
                let shown = unicode::quote(conversion);
                return Err(Error::new(format!("format: unknown conversion {shown}")));
            }
        }
    }
    Ok(Value::string_from(writer.finish()).with_mark(mark))
}

/// Text between fields, where `}}` means `}`.
fn push_literal(writer: &mut Writer<'_>, mut literal: &[u8]) -> Result<(), Error> {
    while let Some(at) = memchr::memchr(b'}', literal) {
        if literal.get(at + 1) != Some(&b'}') {
            return Err(Error::new("format: single '}' in format"));
        }
        writer.push(literal.get(..=at).unwrap_or_default())?;
        literal = literal.get(at + 2..).unwrap_or_default();
    }
    writer.push(literal)
}

/// `name!conversion:spec`.
fn parts(field: &[u8]) -> (&[u8], &[u8], &[u8]) {
    fn cut(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
        match memchr::memchr(at, text) {
            Some(place) => (text.get(..place).unwrap_or_default(), text.get(place + 1..)),
            None => (text, None),
        }
    }
    match cut(field, b'!') {
        (name, Some(behind)) => {
            let (conversion, spec) = cut(behind, b':');
            (name, conversion, spec.unwrap_or_default())
        }
        (_, None) => {
            let (name, spec) = cut(field, b':');
            (name, b"s", spec.unwrap_or_default())
        }
    }
}

fn choose(args: &Args<'_>, name: &[u8], numbering: &mut Numbering, next: &mut usize) -> Result<Value, Error> {
    let by_index = |index: usize| {
        let value = args.positional.get(index).cloned();
        value.ok_or_else(|| Error::new("format: tuple index out of range"))
    };
    if name.is_empty() {
        if *numbering == Numbering::Manual {
            return Err(Error::new(
                "format: cannot switch from manual field specification to automatic field numbering",
            ));
        }
        *numbering = Numbering::Automatic;
        *next += 1;
        return by_index(*next - 1);
    }
    if let Some(index) = decimal(name) {
        if *numbering == Numbering::Automatic {
            return Err(Error::new(
                "format: cannot switch from automatic field numbering to manual field specification",
            ));
        }
        *numbering = Numbering::Manual;
        return by_index(index);
    }
    if let Some((_, value)) = args.named.iter().find(|(key, _)| key.as_bytes() == Some(name)) {
        return Ok(value.clone());
    }
    let shown = String::from_utf8_lossy(name);
    Err(Error::new(if name.contains(&b'.') {
        format!("format: attribute syntax x.y is not supported in replacement fields: {shown}")
    } else if name.contains(&b'[') {
        format!("format: element syntax a[i] is not supported in replacement fields: {shown}")
    } else if name.contains(&b'{') {
        "format: nested replacement fields not supported".to_owned()
    } else {
        format!("format: keyword {shown} not found")
    }))
}

/// Digits only. A number that is too large does not count.
fn decimal(name: &[u8]) -> Option<usize> {
    name.iter()
        .try_fold(0i64, |number, digit| {
            let digit = digit.is_ascii_digit().then(|| i64::from(digit - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        })
        .and_then(|number| usize::try_from(number).ok())
}

//! The bytes and characters of a string, as something to iterate over.

use std::any::Any;
use std::rc::Rc;

use crate::builtin::Args;
use crate::custom::{CompareOp, CustomValue};
use crate::data::Text;
use crate::error::Error;
use crate::value::{Inner, Mark, Value};
use crate::{Thread, Writer, unicode};

pub(super) fn make(
    _: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    args.positional_only(name, 0, [])?;
    let Inner::Text(mark, text) = &receiver.0 else { return Ok(Value::NONE) };
    Ok(Value::custom(StringIterable { text: Rc::clone(text), mark: *mark, name }))
}

struct StringIterable {
    text: Rc<Text>,
    mark: Mark,
    /// The method that created it.
    name: &'static str,
}

impl CustomValue for StringIterable {
    fn type_name(&self) -> &str {
        if self.name.starts_with('c') { "codepoints" } else { "elems" }
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Error> {
        writer.repr(&Value(Inner::Text(Mark::NONE, Rc::clone(&self.text))))?;
        writer.push(format!(".{}()", self.name))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn hash(&self, _: &mut Thread) -> Result<u32, Error> {
        Err(Error::new(format!("unhashable: {}", self.type_name())))
    }

    fn iterate(&self) -> Option<Box<dyn Iterator<Item = Value>>> {
        let (text, mark, name) = (Rc::clone(&self.text), self.mark, self.name);
        let is_characters = name.starts_with('c');
        let is_numbers = name.ends_with("ords");
        let mut at = 0;
        Some(Box::new(std::iter::from_fn(move || {
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            let (number, width) = if is_characters {
                let (character, width) = unicode::decode(rest);
                (u32::from(character), width)
            } else {
                (rest.first().copied().map_or(0, u32::from), 1)
            };
            at += width;
            let value =
                if is_numbers { Value::int(number.into()) } else { Value::string(rest.get(..width)?) };
            Some(value.with_mark(mark))
        })))
    }

    fn compare(&self, _: &mut Thread, op: CompareOp, other: &Value, _: usize) -> Option<Result<bool, Error>> {
        let other = other.as_custom::<StringIterable>()?;
        let is_equal = self.name == other.name && self.text == other.text;
        match op {
            CompareOp::Equal => Some(Ok(is_equal)),
            CompareOp::NotEqual => Some(Ok(!is_equal)),
            _ => None,
        }
    }
}

//! Values made from bytes, whatever the bytes are.

use std::sync::Arc;

use trueline_yaml::{Data, Value};

/// A value that the bytes spell.
pub(crate) fn value(input: &[u8]) -> Value {
    Bytes { rest: input }.value(0)
}

struct Bytes<'a> {
    rest: &'a [u8],
}

impl Bytes<'_> {
    fn value(&mut self, depth: usize) -> Value {
        let kind = self.byte();
        let nested = if depth < 20 { 2 } else { 0 };
        Value::new(match kind % (8 + nested) {
            0 => Data::Null,
            1 => Data::Bool(kind & 0x80 != 0),
            2 => Data::Int(self.number() as i64),
            3 => Data::Float(f64::from_bits(self.number())),
            4..=7 => Data::String(Arc::from(self.string())),
            8 => return (0..self.byte() % 6).map(|_| self.value(depth + 1)).collect(),
            _ => return (0..self.byte() % 6).map(|_| (self.string(), self.value(depth + 1))).collect(),
        })
    }

    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    fn number(&mut self) -> u64 {
        (0..8).fold(0, |number, _| number << 8 | u64::from(self.byte()))
    }

    fn string(&mut self) -> String {
        let length = usize::from(self.byte()).min(self.rest.len());
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        String::from_utf8_lossy(text).into_owned()
    }
}

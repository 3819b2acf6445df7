//! The printer used by `Sprint` and `Sprintf`: how a verb prints each kind of value.

use super::flags::{Base, Flags, Sign, character, characters};
use crate::exec::LARGEST_RESULT;
use crate::value::{Data, Element, List, MAX_DEPTH, Map, Str, StrBuilder, Trace, Value};

/// Printing stops after this many bytes; the evaluator refuses a string of that length.
const LARGEST_TEXT: usize = LARGEST_RESULT + 1;

/// The verbs that show a number as one, whatever the name of its type.
fn is_number_verb(verb: char) -> bool {
    matches!(verb, 'b' | 'c' | 'd' | 'o' | 'O' | 'U')
}

/// Prints values one after another, and keeps where each part came from.
pub(super) struct Printer<'a> {
    pub(super) out: &'a mut StrBuilder,
    pub(super) flags: Flags,
    /// The origin of what is printed next.
    trace: Trace,
    /// The nesting depth of the value that is printed.
    depth: usize,
}

impl<'a> Printer<'a> {
    pub(super) fn new(out: &'a mut StrBuilder) -> Self {
        Printer { out, flags: Flags::default(), trace: Trace::Unknown, depth: 0 }
    }

    /// Writes text of the printer itself.
    pub(super) fn words(&mut self, text: &str) {
        self.write(text.as_bytes(), Trace::Unknown);
    }

    /// Whether the limit is reached: a few maps that contain each other, or a few wide columns, would print
    /// more than fits into memory.
    pub(super) fn is_full(&self) -> bool {
        self.out.bytes().len() >= LARGEST_TEXT
    }

    /// Writes as much as the limit allows.
    fn write(&mut self, text: &[u8], trace: Trace) {
        let room = LARGEST_TEXT.saturating_sub(self.out.bytes().len());
        self.out.push(text.get(..room).unwrap_or(text), trace);
    }

    /// Writes a verb.
    pub(super) fn verb(&mut self, verb: char) {
        self.words(verb.encode_utf8(&mut [0; 4]));
    }

    /// Prints one argument.
    pub(super) fn argument(&mut self, value: &Value, verb: char) {
        match (&value.data, verb) {
            (Data::Invalid | Data::Nil, 'T' | 'v') => self.padded(b"<nil>"),
            (Data::Invalid | Data::Nil, _) => self.bad_verb(value, verb),
            (_, 'T') => {
                let name = value.type_name();
                let end = self.flags.truncated(name.as_bytes());
                self.padded(name.as_bytes().get(..end).unwrap_or_default());
            }
            (_, 'p') => self.pointer(value, verb),
            (Data::List(_) | Data::Map(_) | Data::Object(_), 'w') => self.bad_verb(value, verb),
            (Data::List(list), 'v') if self.flags.sharp_v && list.element() == Element::Byte => {
                self.raw(b"[]byte(nil)");
            }
            (Data::Bytes(bytes), 'v') if self.flags.sharp_v => {
                self.bytes_in_go(bytes, "[]byte", value.origin.map_or(Trace::Unknown, Trace::Value));
            }
            _ => self.value(value, verb),
        }
    }

    /// Prints a value, which may be inside another.
    fn value(&mut self, value: &Value, verb: char) {
        let before = self.trace;
        if let Some(origin) = value.origin {
            self.trace = Trace::Value(origin);
        }
        self.depth += 1;
        if self.is_full() {
            // The evaluator refuses the text.
        } else if self.depth > MAX_DEPTH {
            self.words("...");
        } else {
            self.data(value, verb);
        }
        self.depth -= 1;
        self.trace = before;
    }

    fn data(&mut self, value: &Value, verb: char) {
        match &value.data {
            Data::Invalid | Data::Nil if self.flags.sharp_v => self.raw(b"interface {}(nil)"),
            Data::Invalid | Data::Nil => self.raw(b"<nil>"),
            Data::Bool(flag) => match verb {
                't' | 'v' => self.padded(if *flag { b"true" } else { b"false" }),
                _ => self.bad_verb(value, verb),
            },
            Data::Int(_, number) => {
                let sign = if *number < 0 { Sign::Minus } else { Sign::None };
                self.integer(value, number.unsigned_abs(), sign, *number as u64, verb);
            }
            Data::Uint(_, number) if verb == 'v' && self.flags.sharp_v => self.hex_number(*number),
            Data::Uint(_, number) => self.integer(value, *number, Sign::None, *number, verb),
            Data::Float(number) => self.float(value, *number, verb),
            Data::Complex(parts) => self.complex(value, parts.0, parts.1, verb),
            Data::String(text) => self.string(value, text, verb),
            Data::Bytes(bytes) => self.bytes(bytes, verb),
            Data::List(list) if list.element() == Element::Byte && !self.flags.sharp_v => {
                self.bytes(&[], verb);
            }
            Data::List(list) => self.list(value, list, verb),
            Data::Map(map) => self.map(value, map, verb),
            Data::Object(object) if object.weight() >= LARGEST_TEXT => self.fill(b' ', LARGEST_TEXT),
            Data::Object(object) => match verb {
                'v' | 's' | 'x' | 'X' | 'q' => {
                    let text = Str::from(object.text());
                    let sharp_v = std::mem::take(&mut self.flags.sharp_v);
                    self.string(value, &text, verb);
                    self.flags.sharp_v = sharp_v;
                }
                _ => match object.plain().data {
                    // A named number type, such as a month, has text but is still a number.
                    trueline_yaml::Data::Int(number) if is_number_verb(verb) => {
                        let number = Value::int64(number);
                        self.data(&number, verb);
                    }
                    _ => self.parts(value, &object.parts(), verb),
                },
            },
        }
    }

    /// The fields of a struct, one by one.
    fn parts(&mut self, value: &Value, parts: &[Value], verb: char) {
        if parts.is_empty() {
            return self.bad_verb(value, verb);
        }
        self.raw(b"{");
        for (index, part) in parts.iter().enumerate() {
            self.space(index);
            self.value(part, verb);
        }
        self.raw(b"}");
    }

    /// `%!d(string=hi)`.
    fn bad_verb(&mut self, value: &Value, verb: char) {
        self.words("%!");
        self.verb(verb);
        self.words("(");
        if value.is_nil() {
            self.words("<nil>");
        } else {
            self.words(&value.type_name());
            self.words("=");
            self.argument(value, 'v');
        }
        self.words(")");
    }

    fn integer(&mut self, value: &Value, magnitude: u64, sign: Sign, bits: u64, verb: char) {
        let base = match verb {
            'v' | 'd' => Base::Decimal,
            'b' => Base::Binary,
            'o' => Base::Octal,
            'O' => Base::OctalPrefixed,
            'x' => Base::Hex,
            'X' => Base::UpperHex,
            'c' => return self.padded(character(bits).encode_utf8(&mut [0; 4]).as_bytes()),
            'q' => {
                let text = self.flags.quoted_character(bits);
                return self.padded(text.as_bytes());
            }
            'U' => {
                let text = self.flags.unicode(bits);
                return self.padded_by_spaces(text.as_bytes());
            }
            _ => return self.bad_verb(value, verb),
        };
        let text = self.flags.integer(magnitude, sign, base);
        self.padded_by_spaces(text.as_bytes());
    }

    /// A number without a sign in `%#v`.
    fn hex_number(&mut self, number: u64) {
        let sharp = std::mem::replace(&mut self.flags.sharp, true);
        let text = self.flags.integer(number, Sign::None, Base::Hex);
        self.flags.sharp = sharp;
        self.padded_by_spaces(text.as_bytes());
    }

    fn float(&mut self, value: &Value, number: f64, verb: char) {
        if !self.float_part(number, verb) {
            self.bad_verb(value, verb);
        }
    }

    /// Whether the verb can print such numbers.
    fn float_part(&mut self, number: f64, verb: char) -> bool {
        let (letter, precision) = match verb {
            'v' => (b'g', None),
            'b' | 'g' | 'G' | 'x' | 'X' => (verb as u8, None),
            'f' | 'e' | 'E' => (verb as u8, Some(6)),
            'F' => (b'f', Some(6)),
            _ => return false,
        };
        let text = self.flags.float(number, letter, precision);
        if !number.is_finite() {
            // Infinity keeps its sign.
            let bare = number.is_nan() && !self.flags.space && !self.flags.plus;
            let shown = if bare { text.trim_start_matches('+') } else { &text };
            self.padded_by_spaces(shown.as_bytes());
        } else if self.flags.plus || !text.starts_with('+') {
            let fill = self.flags.padding(text.len());
            match text.split_at_checked(1) {
                Some((sign, digits)) if self.flags.zero && !self.flags.minus && fill.before > 0 => {
                    self.raw(sign.as_bytes());
                    self.fill(fill.byte, fill.before);
                    self.raw(digits.as_bytes());
                }
                _ => self.padded(text.as_bytes()),
            }
        } else {
            self.padded(text.trim_start_matches('+').as_bytes());
        }
        true
    }

    fn complex(&mut self, value: &Value, real: f64, imaginary: f64, verb: char) {
        if !matches!(verb, 'v' | 'b' | 'g' | 'G' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E') {
            return self.bad_verb(value, verb);
        }
        self.raw(b"(");
        self.float_part(real, verb);
        let plus = std::mem::replace(&mut self.flags.plus, true);
        self.float_part(imaginary, verb);
        self.raw(b"i)");
        self.flags.plus = plus;
    }

    fn string(&mut self, value: &Value, text: &Str, verb: char) {
        match verb {
            'v' if self.flags.sharp_v => self.quoted(text.as_bytes()),
            'v' | 's' => self.text(text),
            'x' => self.hex(text.as_bytes(), Base::Hex),
            'X' => self.hex(text.as_bytes(), Base::UpperHex),
            'q' => self.quoted(text.as_bytes()),
            _ => self.bad_verb(value, verb),
        }
    }

    /// The string itself, cut to the precision and padded to the width, with its own traces.
    fn text(&mut self, text: &Str) {
        let end = self.flags.truncated(text.as_bytes());
        let shown = text.as_bytes().get(..end).unwrap_or_default();
        let fill = match self.flags.width {
            None => self.flags.padding(0),
            Some(_) => self.flags.padding(characters(shown).count()),
        };
        self.fill(fill.byte, fill.before);
        let room = LARGEST_TEXT.saturating_sub(self.out.bytes().len());
        self.out.push_part(text, 0..end.min(room), self.trace);
        self.fill(fill.byte, fill.behind);
    }

    fn quoted(&mut self, text: &[u8]) {
        let quoted = self.flags.quoted(text);
        self.padded(quoted.as_bytes());
    }

    fn hex(&mut self, text: &[u8], base: Base) {
        let digits = self.flags.hex(text, base);
        self.padded(digits.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8], verb: char) {
        match verb {
            'v' | 'd' if self.flags.sharp_v => self.bytes_in_go(bytes, "[]uint8", self.trace),
            's' => {
                let end = self.flags.truncated(bytes);
                self.padded(bytes.get(..end).unwrap_or_default());
            }
            'x' => self.hex(bytes, Base::Hex),
            'X' => self.hex(bytes, Base::UpperHex),
            'q' => self.quoted(bytes),
            _ => {
                self.raw(b"[");
                for (index, byte) in bytes.iter().enumerate() {
                    self.space(index);
                    let item =
                        Value { data: Data::Uint(crate::UintKind::Uint8, u64::from(*byte)), origin: None };
                    self.data(&item, verb);
                }
                self.raw(b"]");
            }
        }
    }

    fn bytes_in_go(&mut self, bytes: &[u8], name: &str, trace: Trace) {
        let before = std::mem::replace(&mut self.trace, trace);
        self.raw(name.as_bytes());
        self.raw(b"{");
        for (index, byte) in bytes.iter().enumerate() {
            self.comma(index);
            self.hex_number(u64::from(*byte));
        }
        self.raw(b"}");
        self.trace = before;
    }

    fn list(&mut self, value: &Value, list: &List, verb: char) {
        if self.flags.sharp_v {
            self.raw(value.type_name().as_bytes());
            if list.is_nil() {
                return self.raw(b"(nil)");
            }
            self.raw(b"{");
            for (index, item) in list.iter().enumerate() {
                if self.is_full() {
                    break;
                }
                self.comma(index);
                self.value(item, verb);
            }
            self.raw(b"}");
        } else {
            self.raw(b"[");
            for (index, item) in list.iter().enumerate() {
                if self.is_full() {
                    break;
                }
                self.space(index);
                self.value(item, verb);
            }
            self.raw(b"]");
        }
    }

    fn map(&mut self, value: &Value, map: &Map, verb: char) {
        if self.flags.sharp_v {
            self.raw(value.type_name().as_bytes());
            if map.is_nil() {
                return self.raw(b"(nil)");
            }
            self.raw(b"{");
        } else {
            self.raw(b"map[");
        }
        let mut index = 0;
        let _ = map.visit(|key, entry| {
            if self.flags.sharp_v {
                self.comma(index);
            } else {
                self.space(index);
            }
            index += 1;
            let key = Value::from(Str::from(std::sync::Arc::clone(key))).at(entry.key_origin);
            self.value(&key, verb);
            self.raw(b":");
            self.value(&entry.value, verb);
            Ok::<(), std::convert::Infallible>(())
        });
        self.raw(if self.flags.sharp_v { b"}" } else { b"]" });
    }

    /// `%p`: the addresses that Go would print do not exist here; for anything but a pointer the verb is wrong.
    fn pointer(&mut self, value: &Value, verb: char) {
        match &value.data {
            Data::List(_) | Data::Map(_) | Data::Bytes(_) => {
                let text = if self.flags.sharp { "c000012000" } else { "0xc000012000" };
                self.padded_by_spaces(text.as_bytes());
            }
            _ => self.bad_verb(value, verb),
        }
    }

    fn space(&mut self, index: usize) {
        if index > 0 {
            self.raw(b" ");
        }
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.raw(b", ");
        }
    }

    fn raw(&mut self, text: &[u8]) {
        self.write(text, self.trace);
    }

    fn fill(&mut self, byte: u8, count: usize) {
        let room = LARGEST_TEXT.saturating_sub(self.out.bytes().len());
        if count > 0 && room > 0 {
            self.out.push(&vec![byte; count.min(room)], self.trace);
        }
    }

    fn padded(&mut self, text: &[u8]) {
        self.padded_with(text, self.flags);
    }

    /// Numbers are already padded with zeros.
    fn padded_by_spaces(&mut self, text: &[u8]) {
        self.padded_with(text, self.flags.without_zero());
    }

    fn padded_with(&mut self, text: &[u8], flags: Flags) {
        if flags.width.is_none() {
            return self.raw(text);
        }
        let fill = flags.padding(characters(text).count());
        self.fill(fill.byte, fill.before);
        self.raw(text);
        self.fill(fill.byte, fill.behind);
    }
}

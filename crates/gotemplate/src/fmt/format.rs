//! `Sprintf`: parsing the format.

use super::flags::Flags;
use super::printer::Printer;
use crate::value::{Data, Str, StrBuilder, Trace, Value};
use trueline_gostd::unicode::first_character;

/// Larger widths and precisions are not read as numbers.
const LARGEST: i64 = 1_000_000;

/// Go's `Sprintf`.
pub fn sprintf(format: &Str, arguments: &[Value]) -> Str {
    let mut out = StrBuilder::with_capacity(format.len() + 16 * arguments.len());
    let mut reader =
        Reader { format, position: 0, close: 0, arguments, next: 0, reordered: false, good_index: true };
    reader.run(&mut Printer::new(&mut out));
    out.finish()
}

struct Reader<'a> {
    format: &'a Str,
    position: usize,
    /// The position of the next `]`, if it was searched for.
    close: usize,
    arguments: &'a [Value],
    /// The argument that is printed next.
    next: usize,
    /// Whether an index was ever given: then leftover arguments are not reported.
    reordered: bool,
    good_index: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.format.as_bytes().get(self.position).copied()
    }

    fn rest(&self) -> &[u8] {
        self.format.as_bytes().get(self.position..).unwrap_or_default()
    }

    fn run(&mut self, printer: &mut Printer<'_>) {
        loop {
            let start = self.position;
            self.position = match self.rest().iter().position(|byte| *byte == b'%') {
                Some(length) => start + length,
                None => self.format.len(),
            };
            printer.out.push_part(self.format, start..self.position, Trace::Unknown);
            if self.peek().is_none() || printer.is_full() {
                break;
            }
            self.position += 1;
            if !self.directive(printer) {
                break;
            }
        }
        if !self.reordered && self.next < self.arguments.len() {
            printer.flags = Flags::default();
            printer.words("%!(EXTRA ");
            for (index, value) in self.arguments.iter().skip(self.next).enumerate() {
                if index > 0 {
                    printer.words(", ");
                }
                if !value.is_nil() {
                    printer.words(&value.type_name());
                    printer.words("=");
                }
                printer.argument(value, 'v');
            }
            printer.words(")");
        }
    }

    /// Handles what follows a `%`, and returns whether the format continues after it.
    fn directive(&mut self, printer: &mut Printer<'_>) -> bool {
        self.good_index = true;
        let mut flags = Flags::default();
        while let Some(byte) = self.peek() {
            match byte {
                b'#' => flags.sharp = true,
                b'0' => flags.zero = true,
                b'+' => flags.plus = true,
                b'-' => flags.minus = true,
                b' ' => flags.space = true,
                _ => break,
            }
            self.position += 1;
        }
        let mut after_index = self.index();
        if self.peek() == Some(b'*') {
            self.position += 1;
            match self.int_argument() {
                None => printer.words("%!(BADWIDTH)"),
                Some(width) => {
                    if width < 0 {
                        flags.minus = true;
                        flags.zero = false;
                    }
                    flags.width = Some(width.unsigned_abs() as usize);
                }
            }
            after_index = false;
        } else {
            flags.width = self.number();
            if after_index && flags.width.is_some() {
                self.good_index = false;
            }
        }
        if self.peek() == Some(b'.') && self.position + 1 < self.format.len() {
            self.position += 1;
            if after_index {
                self.good_index = false;
            }
            after_index = self.index();
            if self.peek() == Some(b'*') {
                self.position += 1;
                flags.precision = self.int_argument().and_then(|number| usize::try_from(number).ok());
                if flags.precision.is_none() {
                    printer.words("%!(BADPREC)");
                }
                after_index = false;
            } else {
                flags.precision = Some(self.number().unwrap_or(0));
            }
        }
        if !after_index {
            self.index();
        }
        let Some((verb, length)) = first_character(self.rest()) else {
            printer.words("%!(NOVERB)");
            return false;
        };
        self.position += length;
        self.print(printer, flags, verb);
        true
    }

    fn print(&mut self, printer: &mut Printer<'_>, mut flags: Flags, verb: char) {
        let value = self.arguments.get(self.next);
        match value {
            _ if verb == '%' => printer.words("%"),
            _ if !self.good_index => bad(printer, verb, "(BADINDEX)"),
            None => bad(printer, verb, "(MISSING)"),
            Some(value) => {
                if matches!(verb, 'v' | 'w') {
                    flags.sharp_v = std::mem::take(&mut flags.sharp);
                    flags.plus_v = std::mem::take(&mut flags.plus);
                }
                printer.flags = flags;
                printer.argument(value, verb);
                self.next += 1;
            }
        }
    }

    /// An index such as `[2]`. Returns whether there was a valid one.
    fn index(&mut self) -> bool {
        if self.peek() != Some(b'[') {
            return false;
        }
        self.reordered = true;
        let close = if self.rest().len() < 3 { None } else { self.closing() };
        let Some(close) = close else {
            self.good_index = false;
            self.position += 1;
            return false;
        };
        let inside = self.rest().get(1..close).unwrap_or_default();
        let (number, length) = leading_number(inside);
        let well_formed = number.is_some() && length == inside.len();
        self.position += close + 1;
        match number.filter(|_| well_formed).and_then(|number| number.checked_sub(1)) {
            Some(index) if index < self.arguments.len() => {
                self.next = index;
                true
            }
            _ => {
                self.good_index = false;
                well_formed
            }
        }
    }

    /// The distance to the next `]`. It is searched for only once, however many brackets precede it.
    fn closing(&mut self) -> Option<usize> {
        if self.close < self.position {
            let found = self.rest().iter().position(|byte| *byte == b']');
            self.close = found.map_or(usize::MAX, |found| self.position + found);
        }
        (self.close < usize::MAX).then(|| self.close - self.position)
    }

    /// The argument of a `*`.
    fn int_argument(&mut self) -> Option<i64> {
        let value = self.arguments.get(self.next)?;
        self.next += 1;
        let number = match value.data {
            Data::Int(_, number) => number,
            Data::Uint(_, number) => i64::try_from(number).ok()?,
            _ => return None,
        };
        (-LARGEST..=LARGEST).contains(&number).then_some(number)
    }

    /// Digits at this place. If there are far too many, the rest of the format is dropped.
    fn number(&mut self) -> Option<usize> {
        let (number, length) = leading_number(self.rest());
        self.position += length;
        number
    }
}

fn bad(printer: &mut Printer<'_>, verb: char, words: &str) {
    printer.words("%!");
    printer.verb(verb);
    printer.words(words);
}

/// The number that text begins with, and how many bytes were read: all of them if it is too large.
fn leading_number(text: &[u8]) -> (Option<usize>, usize) {
    let mut number: Option<usize> = None;
    for (index, byte) in text.iter().enumerate() {
        if !byte.is_ascii_digit() {
            return (number, index);
        }
        let before = number.unwrap_or(0);
        if before as i64 > LARGEST {
            return (None, text.len());
        }
        number = Some(before * 10 + usize::from(byte - b'0'));
    }
    (number, text.len())
}

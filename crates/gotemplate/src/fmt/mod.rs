//! Go's `fmt` for template values, and the quoting of `strconv`.

mod flags;
mod float;
mod format;
mod printer;

pub use format::sprintf;
pub use trueline_gostd::quote::quote;

use crate::value::{Data, Str, StrBuilder, Value};
use printer::Printer;

/// Go's `Sprint`: a space between two values of which neither is a string.
pub fn sprint(values: &[Value]) -> Str {
    let mut out = StrBuilder::default();
    let mut before_is_text = true;
    for value in values {
        let is_text = matches!(value.data, Data::String(_));
        if !is_text && !before_is_text {
            out.push(b" ", crate::Trace::Unknown);
        }
        before_is_text = is_text;
        print(&mut out, value);
    }
    out.finish()
}

/// Go's `Sprintln`: spaces between all values and a line break after them.
pub fn sprintln(values: &[Value]) -> Str {
    let mut out = StrBuilder::default();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(b" ", crate::Trace::Unknown);
        }
        print(&mut out, value);
    }
    out.push(b"\n", crate::Trace::Unknown);
    out.finish()
}

/// The text of one value as `%v` prints it.
pub fn text(value: &Value) -> Str {
    match &value.data {
        Data::String(text) if !text.runs().is_empty() || value.origin.is_none() => text.clone(),
        _ => {
            let mut out = StrBuilder::default();
            print(&mut out, value);
            out.finish()
        }
    }
}

/// Writes one value as `%v` prints it. What came from a value has its trace.
pub(crate) fn print(out: &mut StrBuilder, value: &Value) {
    Printer::new(out).argument(value, 'v');
}

//! References inside of a schema.

use std::borrow::Cow;

use trueline_yaml::NodeRef;

/// How many references may lead to each other.
const LONGEST: usize = 64;

/// The schema that a reference is to; none if it is to another document, to nothing, or to itself.
pub(super) fn resolve<'d>(root: NodeRef<'d>, schema: NodeRef<'d>) -> Option<NodeRef<'d>> {
    let mut at = schema;
    for _ in 0..LONGEST {
        let Some(reference) = at.get("$ref") else { return Some(at) };
        let pointer = reference.as_str()?.strip_prefix('#')?;
        at = match pointer {
            "" => root,
            _ => root.at_pointer(&unescaped(pointer))?,
        };
    }
    None
}

/// A pointer in an address may have its characters escaped.
fn unescaped(pointer: &str) -> Cow<'_, str> {
    if !pointer.contains('%') {
        return Cow::Borrowed(pointer);
    }
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let [first, after @ ..] = rest {
        let byte = match (first, after) {
            (b'%', [one, two, ..]) => {
                let digits = [char::from(*one), char::from(*two)].map(|digit| digit.to_digit(16));
                match digits {
                    [Some(one), Some(two)] => u8::try_from(one * 16 + two).ok(),
                    _ => None,
                }
            }
            _ => None,
        };
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

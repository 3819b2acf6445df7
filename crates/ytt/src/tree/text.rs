//! Strings of the tree.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

/// A string of a document: bytes, because `!!binary` and Starlark can produce any of them.
///
/// Most keys and many values are short. They are in the string itself, which with its length takes 16 bytes, and so does a
/// value that holds it. Longer ones are shared, because templates put the same strings into many documents and overlays
/// copy whole trees; the box makes the pointer to them a thin one.
#[derive(Clone)]
pub struct Text(Bytes);

#[derive(Clone)]
enum Bytes {
    Short(Length, [u8; SHORT]),
    /// Longer ones, always: equal strings are stored in the same way.
    Shared(Rc<Box<[u8]>>),
}

/// The longest string that needs no allocation.
const SHORT: usize = 14;

/// How long a short string is. The numbers that are not among these tell the variants of a value apart.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
enum Length {
    L0,
    L1,
    L2,
    L3,
    L4,
    L5,
    L6,
    L7,
    L8,
    L9,
    L10,
    L11,
    L12,
    L13,
    L14,
}

impl Length {
    const ALL: [Length; SHORT + 1] = [
        Length::L0,
        Length::L1,
        Length::L2,
        Length::L3,
        Length::L4,
        Length::L5,
        Length::L6,
        Length::L7,
        Length::L8,
        Length::L9,
        Length::L10,
        Length::L11,
        Length::L12,
        Length::L13,
        Length::L14,
    ];
}

impl Bytes {
    /// The bytes in place, if they are few.
    fn short(bytes: &[u8]) -> Option<Bytes> {
        let length = *Length::ALL.get(bytes.len())?;
        let mut short = [0; SHORT];
        short.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(Bytes::Short(length, short))
    }
}

impl Text {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Bytes::Short(length, bytes) => bytes.get(..*length as usize).unwrap_or_default(),
            Bytes::Shared(bytes) => bytes,
        }
    }

    /// The characters, if the bytes are UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()).ok()
    }

    /// The characters, with U+FFFD for what is not UTF-8. For messages.
    pub fn to_str_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }
}

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Borrow<[u8]> for Text {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text::from(text.as_bytes())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text::from(text.into_bytes())
    }
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Self {
        Text(Bytes::short(bytes).unwrap_or_else(|| Bytes::Shared(Rc::new(bytes.into()))))
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Self {
        Text(Bytes::short(&bytes).unwrap_or_else(|| Bytes::Shared(Rc::new(bytes.into_boxed_slice()))))
    }
}

impl PartialEq for Text {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            // After the end there are zeros.
            (Bytes::Short(one, left), Bytes::Short(two, right)) => {
                *one as usize == *two as usize && left == right
            }
            (Bytes::Shared(one), Bytes::Shared(two)) => Rc::ptr_eq(one, two) || one == two,
            _ => false,
        }
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_str_lossy())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Value;
    use super::*;

    #[test]
    fn strings_and_values_take_16_bytes() {
        assert_eq!((size_of::<Text>(), size_of::<Value>(), size_of::<Option<Value>>()), (16, 16, 16));
    }

    #[test]
    fn strings_of_all_lengths_are_kept() {
        for length in 0..40 {
            let bytes: Vec<u8> = (0..length).map(|byte| byte * 5).collect();
            let text = Text::from(bytes.as_slice());
            assert_eq!((text.as_bytes(), &text), (bytes.as_slice(), &Text::from(bytes.clone())));
        }
    }
}

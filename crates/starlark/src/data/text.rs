//! The bytes of a string. Short ones, which are most, need no allocation.

use std::fmt;
use std::ops::Deref;

use crate::live;

/// The longest string that is stored inline.
const INLINE: usize = 22;

/// An immutable string of bytes, not necessarily UTF-8.
pub struct Text(Bytes);

enum Bytes {
    Inline(u8, [u8; INLINE]),
    Heap(Box<[u8]>),
}

impl Text {
    /// A string with these bytes.
    pub fn new(bytes: &[u8]) -> Text {
        live::add(live::OBJECT);
        if bytes.len() <= INLINE {
            let mut inline = [0; INLINE];
            inline[..bytes.len()].copy_from_slice(bytes);
            Text(Bytes::Inline(bytes.len() as u8, inline))
        } else {
            live::add(bytes.len());
            Text(Bytes::Heap(bytes.into()))
        }
    }

    /// Like [`Text::new`], for bytes that the caller no longer needs.
    pub fn from_vec(bytes: Vec<u8>) -> Text {
        if bytes.len() <= INLINE {
            return Text::new(&bytes);
        }
        live::add(live::OBJECT + bytes.len());
        Text(Bytes::Heap(bytes.into_boxed_slice()))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Bytes::Inline(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Bytes::Heap(bytes) => bytes,
        }
    }

    /// The string, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()).ok()
    }

    /// The string with U+FFFD for bytes that are not UTF-8.
    pub fn to_string_lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        let own = match &self.0 {
            Bytes::Inline(..) => 0,
            Bytes::Heap(bytes) => bytes.len(),
        };
        live::remove(live::OBJECT + own);
    }
}

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string_lossy())
    }
}

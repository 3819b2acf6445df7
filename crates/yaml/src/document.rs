//! The arena that a YAML text is read into: nodes with byte spans, comments with owners.
//!
//! Scalars borrow from the source wherever their value is there verbatim. Aliases are nodes of their own that
//! point at their target, so a document is never larger than its text; [`NodeRef`] follows them.

mod builder;
mod wide;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use trueline_source::{SourceId, Span};

use crate::dialect::TAG_PREFIX;

pub use builder::Builder;
use wide::Wide;

/// The index of a node in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The position in the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where the text of a scalar is: in the source, verbatim, or in the document's own buffer, because escapes,
/// folding or indentation changed it.
///
/// Packed into one number because it is copied very often, and a value written in two parts but read as one
/// stalls the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text(u64);

impl Text {
    const DECODED: u64 = 1 << 63;

    /// A range of the source.
    #[inline]
    pub fn source(start: u32, end: u32) -> Self {
        Text(u64::from(start) | (u64::from(end) << 32))
    }

    /// A range of the document's own buffer, which is shorter than 2³¹ bytes.
    #[inline]
    pub fn decoded(start: u32, end: u32) -> Self {
        Text(Text::source(start, end).0 | Text::DECODED)
    }

    /// Whether it is in the document's own buffer.
    #[inline]
    pub fn is_decoded(self) -> bool {
        self.0 & Text::DECODED != 0
    }

    /// The offsets of its first byte and after its last one.
    #[inline]
    pub fn range(self) -> (u32, u32) {
        (self.0 as u32, ((self.0 & !Text::DECODED) >> 32) as u32)
    }
}

/// The longest text that is accepted, so the length of text that grows when decoded still fits.
pub(crate) const LONGEST: usize = i32::MAX as usize / 4;

/// What a scalar means after YAML's (or JSON's) rules have been applied to its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScalarValue {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer that fits 64 bits with a sign.
    Int(i64),
    /// An integer that fits 64 bits only without a sign.
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// A string.
    String,
}

/// How a scalar was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarStyle {
    /// Without quotes.
    Plain,
    /// In single quotes.
    SingleQuoted,
    /// In double quotes.
    DoubleQuoted,
    /// After `|`.
    Literal,
    /// After `>`.
    Folded,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NodeKind {
    /// A scalar with its text and meaning.
    Scalar {
        /// Its text after unescaping and folding.
        text: Text,
        /// What it means.
        value: ScalarValue,
        /// How it was written.
        style: ScalarStyle,
    },
    /// A list: a range of the document's items.
    Sequence {
        /// The first item.
        start: u32,
        /// After the last item.
        end: u32,
    },
    /// A map: a range of the document's entries as typed, and a range of the effective ones.
    Mapping {
        /// The first entry as typed.
        start: u32,
        /// After the last entry as typed.
        end: u32,
        /// The first effective entry, after merge keys and duplicates are resolved.
        effective_start: u32,
        /// After the last effective entry.
        effective_end: u32,
    },
    /// A reference to an anchored node.
    Alias(NodeId),
}

/// The kinds of [`NodeData`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Null,
    Bool,
    Int,
    UInt,
    Float,
    String,
    Sequence,
    Mapping,
    Alias,
}

/// A [`NodeKind`] packed small: documents consist mostly of nodes.
#[derive(Debug, Clone)]
struct NodeData {
    /// A scalar's number, the start of a string in the source, or a map's range of effective entries.
    payload: u64,
    /// The range of a scalar's text, of items or of entries as typed, or an alias's target.
    first: u32,
    second: u32,
    /// The content, without tag and anchor.
    start: u32,
    end: u32,
    /// Tag and anchor, if there are any: index into `properties`.
    properties: u32,
    shape: Shape,
    style: ScalarStyle,
    is_decoded: bool,
}

/// A node without tag and anchor.
const NO_PROPERTIES: u32 = u32::MAX;

impl NodeData {
    #[inline]
    fn new(kind: NodeKind, span: Span) -> Self {
        let mut data = NodeData {
            payload: 0,
            first: 0,
            second: 0,
            start: span.start,
            end: span.end,
            properties: NO_PROPERTIES,
            shape: Shape::Null,
            style: ScalarStyle::Plain,
            is_decoded: false,
        };
        match kind {
            NodeKind::Scalar { text, value, style } => {
                data.is_decoded = text.is_decoded();
                (data.first, data.second) = text.range();
                data.style = style;
                (data.shape, data.payload) = match value {
                    ScalarValue::Null => (Shape::Null, 0),
                    ScalarValue::Bool(value) => (Shape::Bool, value.into()),
                    ScalarValue::Int(value) => (Shape::Int, value as u64),
                    ScalarValue::UInt(value) => (Shape::UInt, value),
                    ScalarValue::Float(value) => (Shape::Float, value.to_bits()),
                    ScalarValue::String => (Shape::String, 0),
                };
            }
            NodeKind::Sequence { start, end } => {
                (data.shape, data.first, data.second) = (Shape::Sequence, start, end);
            }
            NodeKind::Mapping { start, end, effective_start, effective_end } => {
                (data.shape, data.first, data.second) = (Shape::Mapping, start, end);
                data.payload = (u64::from(effective_start) << 32) | u64::from(effective_end);
            }
            NodeKind::Alias(target) => (data.shape, data.first) = (Shape::Alias, target.0),
        }
        data
    }

    /// Stores the first bytes of a string: they and the length distinguish most keys without reading the text.
    #[inline]
    fn note_beginning(&mut self, source: &[u8]) {
        if self.shape == Shape::String && !self.is_decoded {
            self.payload = beginning(source, self.first as usize, self.length());
        }
    }

    /// How long the text of a scalar is.
    #[inline]
    fn length(&self) -> usize {
        self.second.saturating_sub(self.first) as usize
    }

    #[inline]
    fn kind(&self) -> NodeKind {
        let value = match self.shape {
            Shape::Null => ScalarValue::Null,
            Shape::Bool => ScalarValue::Bool(self.payload != 0),
            Shape::Int => ScalarValue::Int(self.payload as i64),
            Shape::UInt => ScalarValue::UInt(self.payload),
            Shape::Float => ScalarValue::Float(f64::from_bits(self.payload)),
            Shape::String => ScalarValue::String,
            Shape::Sequence => return NodeKind::Sequence { start: self.first, end: self.second },
            Shape::Mapping => {
                return NodeKind::Mapping {
                    start: self.first,
                    end: self.second,
                    effective_start: (self.payload >> 32) as u32,
                    effective_end: self.payload as u32,
                };
            }
            Shape::Alias => return NodeKind::Alias(NodeId(self.first)),
        };
        NodeKind::Scalar { text: self.text(), value, style: self.style }
    }

    /// Where the text of a scalar is.
    #[inline]
    fn text(&self) -> Text {
        match self.is_decoded {
            true => Text::decoded(self.first, self.second),
            false => Text::source(self.first, self.second),
        }
    }
}

/// The first eight bytes of a string as a number, padded with zeros.
#[inline]
fn beginning(text: &[u8], start: usize, length: usize) -> u64 {
    let behind = text.get(start..).unwrap_or_default();
    let Some(chunk) = behind.first_chunk::<8>() else { return short(behind.get(..length).unwrap_or(behind)) };
    let number = u64::from_le_bytes(*chunk);
    if length < 8 { number & ((1 << (8 * length)) - 1) } else { number }
}

/// The bytes of a string shorter than eight bytes as a number.
#[inline]
fn short(text: &[u8]) -> u64 {
    // The string is read from both ends; bytes that are read twice have the same value both times.
    let behind = |bytes: usize| 8 * (text.len() - bytes);
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) | (u64::from(u32::from_le_bytes(*last)) << behind(4))
    } else if let (Some(first), Some(last)) = (text.first_chunk::<2>(), text.last_chunk::<2>()) {
        u64::from(u16::from_le_bytes(*first)) | (u64::from(u16::from_le_bytes(*last)) << behind(2))
    } else {
        text.first().copied().map_or(0, u64::from)
    }
}

/// Tag and anchor of a node.
#[derive(Debug, Clone, Default)]
struct Properties {
    tag: Option<String>,
    anchor: Option<String>,
    span: Option<Span>,
}

/// A key with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The key's node.
    pub key: NodeId,
    /// The value's node.
    pub value: NodeId,
}

/// Two keys of one map that are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duplicate {
    /// The earlier key.
    pub first: NodeId,
    /// The later key; its value counts.
    pub second: NodeId,
}

/// Whether a comment is alone on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Only white space precedes it.
    OwnLine,
    /// It follows something on its line.
    EndOfLine,
}

/// What a comment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentOwner {
    /// The document as a whole.
    Document,
    /// The map entry with this key: for a comment on its own line, the outermost node on the next line with a
    /// node; for one at the end of a line, the innermost node of that line.
    Entry(NodeId),
    /// This item of a list.
    Item(NodeId),
    /// Nothing: it follows the last node.
    Nothing,
}

/// A comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// From the `#` to the end of its line, without the line break.
    pub span: Span,
    /// Whether it is alone on its line.
    pub placement: Placement,
    /// What it belongs to.
    pub owner: CommentOwner,
}

/// One document of a YAML text.
#[derive(Debug, Clone)]
pub struct Document {
    source: SourceId,
    text: Arc<str>,
    decoded: String,
    nodes: Vec<NodeData>,
    properties: Vec<Properties>,
    items: Vec<NodeId>,
    entries: Vec<Entry>,
    root: NodeId,
    comments: Vec<Comment>,
    duplicates: Vec<Duplicate>,
    reread_keys: Vec<NodeId>,
    /// The lines where go-yaml places omitted nodes, if not after the preceding text.
    marks: FxHashMap<NodeId, u32>,
    /// An index of the keys of large maps, built at the first lookup.
    wide: OnceLock<Wide>,
}

impl Document {
    /// The source it was read from.
    pub fn source(&self) -> SourceId {
        self.source
    }

    /// The top node.
    pub fn root(&self) -> NodeRef<'_> {
        self.node(self.root)
    }

    /// A node by its id.
    #[inline]
    pub fn node(&self, id: NodeId) -> NodeRef<'_> {
        NodeRef { document: self, id }
    }

    /// All nodes, children before their parents.
    pub fn nodes(&self) -> impl Iterator<Item = NodeRef<'_>> {
        (0..self.nodes.len() as u32).map(|index| self.node(NodeId(index)))
    }

    /// The comments, in order.
    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// Keys that differ from the typed text: `y` is read as `true`.
    pub fn reread_keys(&self) -> impl Iterator<Item = NodeRef<'_>> {
        self.reread_keys.iter().map(|&key| self.node(key))
    }

    /// Keys that appear twice in one map, in order.
    pub fn duplicates(&self) -> &[Duplicate] {
        &self.duplicates
    }

    /// Where go-yaml places a node: on a line (from zero) if it was omitted, otherwise at an offset, which is
    /// that of its tag or anchor if it has one.
    pub(crate) fn go_place(&self, id: NodeId) -> Result<u32, u32> {
        let node = self.node(id);
        match self.marks.get(&id) {
            Some(line) => Ok(*line),
            None => Err(node.properties_span().unwrap_or(node.span()).start),
        }
    }

    /// The full text that the document was read from.
    pub(crate) fn source_text(&self) -> &str {
        &self.text
    }

    /// The text of a scalar. Comparing bytes avoids the search for character boundaries.
    #[inline]
    fn bytes_of(&self, scalar: &NodeData) -> Option<&[u8]> {
        let text = if scalar.is_decoded { &self.decoded } else { &*self.text };
        text.as_bytes().get(scalar.first as usize..scalar.second as usize)
    }

    /// Whether two nodes are the same key.
    #[inline]
    fn is_same_key(&self, one: NodeId, other: NodeId) -> bool {
        let (left, right) = (&self.nodes[one.index()], &self.nodes[other.index()]);
        if left.shape == Shape::String && right.shape == Shape::String {
            return left.length() == right.length()
                && (left.payload == right.payload || left.is_decoded || right.is_decoded)
                && self.bytes_of(left) == self.bytes_of(right);
        }
        KeyIdentity::of(self.node(one)) == KeyIdentity::of(self.node(other))
    }

    #[inline]
    fn text_of(&self, text: Text) -> &str {
        let (start, end) = text.range();
        let whole = if text.is_decoded() { self.decoded.as_str() } else { &*self.text };
        &whole[start as usize..end as usize]
    }
}

/// A node in its document. Aliases are followed: kind and content are the target's, the span is the alias's.
#[derive(Debug, Clone, Copy)]
pub struct NodeRef<'a> {
    document: &'a Document,
    id: NodeId,
}

impl<'a> NodeRef<'a> {
    /// The document.
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// The node's own id; for an alias, the alias's.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The place of the content, without tag and anchor; for an alias, the place of the alias.
    #[inline]
    pub fn span(self) -> Span {
        let data = &self.document.nodes[self.id.index()];
        Span { source: self.document.source, start: data.start, end: data.end }
    }

    /// The place of tag and anchor.
    pub fn properties_span(self) -> Option<Span> {
        self.properties().and_then(|properties| properties.span)
    }

    /// The tag in full, such as `tag:yaml.org,2002:str` or `!custom`, if one was written.
    pub fn tag(self) -> Option<&'a str> {
        self.properties().and_then(|properties| properties.tag.as_deref())
    }

    /// The anchor's name, if one was written.
    pub fn anchor(self) -> Option<&'a str> {
        self.properties().and_then(|properties| properties.anchor.as_deref())
    }

    /// The node that an alias stands for, if this is one.
    pub fn alias_target(self) -> Option<NodeRef<'a>> {
        match self.own_kind() {
            NodeKind::Alias(target) => Some(self.document.node(target)),
            _ => None,
        }
    }

    /// What the node is; never an alias.
    #[inline]
    pub fn kind(self) -> NodeKind {
        self.data().kind()
    }

    /// The node itself or, for an alias, its target.
    #[inline]
    fn data(self) -> &'a NodeData {
        let own = &self.document.nodes[self.id.index()];
        match own.shape {
            // A target is never an alias itself: a builder resolves them when they are added.
            Shape::Alias => &self.document.nodes[own.first as usize],
            _ => own,
        }
    }

    /// The scalar's meaning, if it is a scalar.
    #[inline]
    pub fn scalar(self) -> Option<ScalarValue> {
        match self.kind() {
            NodeKind::Scalar { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The scalar's text as written, unquoted and unescaped, whatever its type.
    #[inline]
    pub fn text(self) -> Option<&'a str> {
        match self.kind() {
            NodeKind::Scalar { text, .. } => Some(self.document.text_of(text)),
            _ => None,
        }
    }

    /// The string, if it is one.
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        let data = self.data();
        (data.shape == Shape::String).then(|| self.document.text_of(data.text()))
    }

    /// How the scalar was written, if it is one.
    pub fn style(self) -> Option<ScalarStyle> {
        match self.kind() {
            NodeKind::Scalar { style, .. } => Some(style),
            _ => None,
        }
    }

    /// Whether it is the merge key, where it is a key.
    pub(crate) fn is_merge_key(self) -> bool {
        self.alias_target().is_none()
            && self.style() == Some(ScalarStyle::Plain)
            && self.text() == Some("<<")
            && self.tag().is_none_or(|tag| tag == "!" || tag.strip_prefix(TAG_PREFIX) == Some("merge"))
    }

    /// Whether it is null.
    #[inline]
    pub fn is_null(self) -> bool {
        self.data().shape == Shape::Null
    }

    /// The items, if it is a list.
    #[inline]
    pub fn items(self) -> Option<SequenceItems<'a>> {
        let data = self.data();
        (data.shape == Shape::Sequence).then(|| SequenceItems {
            document: self.document,
            ids: self.document.items[data.first as usize..data.second as usize].iter(),
        })
    }

    /// The effective entries, if it is a map: with merge keys resolved and the last of duplicate keys.
    #[inline]
    pub fn entries(self) -> Option<MappingEntries<'a>> {
        let data = self.data();
        (data.shape == Shape::Mapping)
            .then(|| self.entry_range((data.payload >> 32) as u32, data.payload as u32))
    }

    /// The entries as typed, if it is a map: with merge keys and duplicates.
    pub fn written_entries(self) -> Option<MappingEntries<'a>> {
        match self.kind() {
            NodeKind::Mapping { start, end, .. } => Some(self.entry_range(start, end)),
            _ => None,
        }
    }

    /// The value of a key, if it is a map that has it.
    pub fn get(self, key: &str) -> Option<NodeRef<'a>> {
        self.get_entry(key).map(|(_, value)| value)
    }

    /// Key and value nodes of a key, if it is a map that has it.
    pub fn get_entry(self, key: &str) -> Option<(NodeRef<'a>, NodeRef<'a>)> {
        let begins = beginning(key.as_bytes(), 0, key.len());
        let mut entries = self.entries()?;
        if entries.len() > wide::WIDE {
            return self.wide_entry(key, begins);
        }
        entries.find(|(name, _)| name.is_key(key, begins))
    }

    /// Whether its text as a key equals this one, whose first bytes are given.
    #[inline]
    fn is_key(self, key: &str, begins: u64) -> bool {
        let data = &self.document.nodes[self.id.index()];
        let is_same = || self.document.bytes_of(data) == Some(key.as_bytes());
        match data.shape {
            Shape::String if !data.is_decoded => {
                data.length() == key.len() && data.payload == begins && (key.len() <= 8 || is_same())
            }
            Shape::String | Shape::Null => data.length() == key.len() && is_same(),
            _ => self.key_text() == key,
        }
    }

    /// The node at a path of keys and indices, from here.
    pub fn at_pointer(self, pointer: &str) -> Option<NodeRef<'a>> {
        let mut node = self;
        for part in pointer.split('/').skip(1) {
            let part = unescape_pointer(part);
            node = match node.items() {
                Some(mut items) => items.nth(part.parse().ok()?)?,
                None => node.get(&part)?,
            };
        }
        Some(node)
    }

    /// The text of this node as a key of a JSON object: go-yaml's text of a number or boolean.
    #[inline]
    pub fn key_text(self) -> Cow<'a, str> {
        match self.kind() {
            NodeKind::Scalar { text, value, .. } => match value {
                ScalarValue::String | ScalarValue::Null => Cow::Borrowed(self.document.text_of(text)),
                ScalarValue::Bool(value) => Cow::Borrowed(if value { "true" } else { "false" }),
                ScalarValue::Int(value) => Cow::Owned(value.to_string()),
                ScalarValue::UInt(value) => Cow::Owned(value.to_string()),
                ScalarValue::Float(value) => Cow::Owned(crate::number::key_of_float(value)),
            },
            _ => Cow::Borrowed(""),
        }
    }

    #[inline]
    fn entry_range(self, start: u32, end: u32) -> MappingEntries<'a> {
        MappingEntries {
            document: self.document,
            entries: self.document.entries[start as usize..end as usize].iter(),
        }
    }

    /// What the node is; an alias where it is one.
    #[inline]
    pub(crate) fn own_kind(self) -> NodeKind {
        self.document.nodes[self.id.index()].kind()
    }

    fn properties(self) -> Option<&'a Properties> {
        let index = self.document.nodes[self.id.index()].properties;
        self.document.properties.get(index as usize)
    }
}

/// The parts of a JSON pointer are escaped; this unescapes them.
fn unescape_pointer(part: &str) -> Cow<'_, str> {
    if part.contains('~') {
        Cow::Owned(part.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(part)
    }
}

/// The items of a list.
#[derive(Debug, Clone)]
pub struct SequenceItems<'a> {
    document: &'a Document,
    ids: std::slice::Iter<'a, NodeId>,
}

impl<'a> Iterator for SequenceItems<'a> {
    type Item = NodeRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.ids.next().map(|&id| self.document.node(id))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ids.size_hint()
    }
}

impl ExactSizeIterator for SequenceItems<'_> {}

/// The entries of a map: key node and value node.
#[derive(Debug, Clone)]
pub struct MappingEntries<'a> {
    document: &'a Document,
    entries: std::slice::Iter<'a, Entry>,
}

impl<'a> Iterator for MappingEntries<'a> {
    type Item = (NodeRef<'a>, NodeRef<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.entries.next().map(|entry| (self.document.node(entry.key), self.document.node(entry.value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl ExactSizeIterator for MappingEntries<'_> {}

/// What makes two keys the same: their text as a key of a JSON object, and whether they are null.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum KeyIdentity<'a> {
    Null,
    Text(Cow<'a, str>),
}

impl<'a> KeyIdentity<'a> {
    #[inline]
    pub(crate) fn of(key: NodeRef<'a>) -> Self {
        match key.kind() {
            NodeKind::Scalar { text, value: ScalarValue::String, .. } => {
                KeyIdentity::Text(Cow::Borrowed(key.document.text_of(text)))
            }
            NodeKind::Scalar { value: ScalarValue::Null, .. } => KeyIdentity::Null,
            _ => KeyIdentity::Text(key.key_text()),
        }
    }

    pub(crate) fn into_owned(self) -> KeyIdentity<'static> {
        match self {
            KeyIdentity::Null => KeyIdentity::Null,
            KeyIdentity::Text(text) => KeyIdentity::Text(Cow::Owned(text.into_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_string_is_its_first_eight_bytes() {
        let text = b"abcdefghijkl";
        for start in 0..=text.len() {
            for end in start..=text.len() {
                // With text after it, and at the end.
                let numbers = [text.as_slice(), &text[..end]].map(|text| beginning(text, start, end - start));
                let bytes = text[start..end].iter().take(8).enumerate();
                let expected =
                    bytes.fold(0, |number, (index, &byte)| number | (u64::from(byte) << (8 * index)));
                assert_eq!(numbers, [expected, expected], "{start}..{end}");
            }
        }
    }

    #[test]
    fn a_text_knows_where_it_is() {
        for (start, end) in [(0, 0), (1, 2), (7, i32::MAX as u32)] {
            let (source, decoded) = (Text::source(start, end), Text::decoded(start, end));
            assert_eq!((source.range(), source.is_decoded()), ((start, end), false));
            assert_eq!((decoded.range(), decoded.is_decoded()), ((start, end), true));
        }
    }
}

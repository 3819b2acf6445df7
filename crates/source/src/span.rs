//! Ids and byte ranges: small and `Copy`; line and column are computed only for printing.

use std::num::NonZeroU32;

/// The identity of the text in a [`SourceMap`](crate::SourceMap).
///
/// Non-zero, so that `Option<Span>` is no larger than `Span`: every value carries one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(NonZeroU32);

impl SourceId {
    /// The id of the `index`-th source of a map.
    ///
    /// An index beyond `u32::MAX - 1` saturates: a map that large does not fit into memory.
    pub fn from_index(index: usize) -> Self {
        let number = u32::try_from(index).unwrap_or(u32::MAX - 1).saturating_add(1);
        SourceId(NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN))
    }

    /// The position of the source in its map.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// A span of this source.
    pub fn span(self, start: usize, end: usize) -> Span {
        Span::new(self, start, end)
    }
}

/// A range of bytes in one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The text the range is in.
    pub source: SourceId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// A span from byte offsets. Sources are limited to 4 GiB; larger offsets saturate.
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span { source, start: clamp(start), end: clamp(end.max(start)) }
    }

    /// The empty span at the beginning of a source: for findings about the source as a whole.
    pub fn whole(source: SourceId) -> Self {
        Span { source, start: 0, end: 0 }
    }

    /// The empty span where this one begins.
    pub fn at_start(self) -> Self {
        Span { end: self.start, ..self }
    }

    /// The smallest span that covers both. Both must be of one source; otherwise `self` is returned.
    pub fn to(self, other: Span) -> Self {
        if self.source != other.source {
            return self;
        }
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether `offset` lies inside.
    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// The byte range, for slicing the source's text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_span_costs_nothing() {
        assert_eq!(size_of::<Option<Span>>(), size_of::<Span>());
        assert_eq!(size_of::<Span>(), 12);
    }

    #[test]
    fn joining_covers_both_ends() {
        let id = SourceId::from_index(0);
        assert_eq!(id.span(3, 5).to(id.span(1, 4)), id.span(1, 5));
        assert_eq!(id.span(3, 5).to(SourceId::from_index(1).span(0, 9)), id.span(3, 5));
    }
}

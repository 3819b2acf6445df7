//! The tokens that the scanner passes to the parser.

use crate::{ScalarStyle, Text};

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    StreamEnd,
    /// `%YAML`, with the version.
    VersionDirective(u8, u8),
    /// `%TAG`: index into the scanner's pairs of handle and prefix.
    TagDirective(u32),
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    /// Index into the scanner's pairs of handle and suffix.
    Tag(u32),
    Scalar(Text, ScalarStyle),
}

/// A token with its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The line where it starts, from zero.
    pub(crate) line: u32,
}

//! What can be wrong with a YAML or JSON text, and the limits for all texts.

use std::borrow::Cow;

use trueline_source::Span;

/// Limits on what text may demand. Every reader enforces them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How deep lists and maps may be nested.
    pub depth: usize,
    /// How many bytes text may have.
    pub size: usize,
    /// How many nodes a document may have once its aliases are expanded.
    pub expanded_nodes: u64,
    /// How many documents text may have. Each costs some memory, however short it is.
    pub documents: usize,
    /// How many nodes all documents of the text may have together, and how many comments there may be.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        // Real manifests stay below 50 levels. Readers of a document recurse over it, so the depth also
        // bounds their stack.
        Limits {
            depth: 1_000,
            size: 64 << 20,
            expanded_nodes: 4_000_000,
            documents: 200_000,
            nodes: 5_000_000,
        }
    }
}

/// Text that could not be read.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntaxError {
    /// The kind of error.
    pub kind: SyntaxErrorKind,
    /// Where the error is.
    pub span: Span,
    /// Where the unfinished construct started, such as an open bracket.
    pub context: Option<Span>,
    /// go-yaml's message, for the commands that print it; empty for JSON.
    pub go_text: String,
}

/// The kinds of [`SyntaxError`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// A violation of JSON's grammar, described in words.
    Grammar(String),
    /// Lists and maps are nested deeper than the limit.
    TooDeep,
    /// The text is longer than the limit.
    TooLarge,
    /// Aliases expand to more nodes than the limit.
    TooManyAliases,
    /// There are more documents than the limit.
    TooManyDocuments,
    /// There are more nodes or comments than the limit.
    TooManyNodes,
    /// The prefixes of `%TAG` make the tags longer than the limit for text.
    LongTags,
    /// A character that YAML forbids.
    ControlCharacter(char),
    /// A character that cannot start a token.
    CannotStart(char),
    /// A line that should be `key: value` has no colon.
    MissingColon,
    /// A list item where none is allowed.
    ItemNotAllowed,
    /// A `?` where no key is allowed.
    KeyNotAllowed,
    /// A colon where no value is allowed.
    ValueNotAllowed,
    /// `&` or `*` without a valid name after it.
    BadName,
    /// A tab in the indentation of a string that continues.
    TabInPlain,
    /// A tab in the indentation of a block string.
    TabInBlockScalar,
    /// `---` or `...` before the quote was closed.
    DocumentMarkerInQuotes,
    /// The text ends before the quote is closed.
    UnclosedQuote,
    /// An escape that YAML does not know.
    UnknownEscape,
    /// An escape without enough hexadecimal digits.
    BadHexEscape,
    /// An escape for a character that does not exist.
    NoSuchCharacter,
    /// A block string with an indentation of zero.
    ZeroIndentation,
    /// Text after `|` or `>` on the same line.
    TextAfterBlockIndicator,
    /// A `%` without a name.
    DirectiveWithoutName,
    /// A directive with a bad name.
    BadDirectiveName,
    /// A directive that YAML does not know.
    UnknownDirective,
    /// A `%YAML` without a version.
    VersionMissing,
    /// A version without a full stop.
    VersionWithoutDot,
    /// A version with too many digits.
    LongVersion,
    /// Text after a directive.
    TextAfterDirective,
    /// A `%TAG` without a prefix.
    TagDirectiveWithoutPrefix,
    /// A tag handle without its `!`.
    TagHandleNotClosed,
    /// A `!<` without its `>`.
    TagNotClosed,
    /// Something follows a tag without a space.
    TextAfterTag,
    /// A tag without a name.
    TagWithoutUri,
    /// A `%` in a tag without two hexadecimal digits.
    BadUriEscape,
    /// An escape in a tag that does not start a character.
    BadUriLead,
    /// An escape in a tag that does not continue a character.
    BadUriTrail,
    /// Something after the end of a document.
    ExpectedDocumentStart,
    /// A second `%YAML`.
    DuplicateVersion,
    /// An unsupported version of YAML.
    IncompatibleVersion,
    /// A second `%TAG` for one handle.
    DuplicateTagDirective,
    /// A tag with an undefined handle.
    UndefinedTagHandle(String),
    /// A value was expected.
    ExpectedNode,
    /// A `-` was expected.
    ExpectedItem,
    /// A key was expected.
    ExpectedKey,
    /// A `[` or `{` that is still open where the document ends.
    UnclosedBracket(char),
    /// The same, where an item or entry has to follow.
    UnfilledBracket(char),
    /// A `,` or `]` was expected.
    ExpectedCommaOrBracket,
    /// A `,` or `}` was expected.
    ExpectedCommaOrBrace,
    /// An alias of an anchor that does not exist.
    UnknownAnchor(String),
    /// An alias inside the value that its anchor marks.
    AnchorInItself(String),
    /// A `!!binary` that is not base64.
    BadBase64,
    /// A merge key whose value is not a map.
    MergeNotMap,
    /// A list or map as a key, as Go prints it.
    KeyNotScalar(String),
    /// A key that JSON cannot have, in the words of `sigs.k8s.io/yaml`.
    UnsupportedKey(String),
    /// A number that JSON cannot have, as Go prints it.
    NotFinite(&'static str),
    /// A tag that does not fit its text.
    WrongTag {
        /// The actual type, such as `!!str`.
        found: &'static str,
        /// The text.
        text: String,
        /// The tag, such as `!!int`.
        tag: String,
    },
}

impl SyntaxErrorKind {
    /// Whether it is about the text as a whole, so nothing after it is read.
    pub(crate) fn is_limit_of_stream(&self) -> bool {
        matches!(self, Self::TooManyDocuments | Self::TooManyNodes | Self::LongTags)
    }

    /// go-yaml's message for it.
    pub(crate) fn go_problem(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::ControlCharacter(_) => "control characters are not allowed",
            Self::CannotStart(_) => "found character that cannot start any token",
            Self::MissingColon => "could not find expected ':'",
            Self::ItemNotAllowed => "block sequence entries are not allowed in this context",
            Self::KeyNotAllowed => "mapping keys are not allowed in this context",
            Self::ValueNotAllowed => "mapping values are not allowed in this context",
            Self::BadName => "did not find expected alphabetic or numeric character",
            Self::TabInPlain => "found a tab character that violates indentation",
            Self::TabInBlockScalar => "found a tab character where an indentation space is expected",
            Self::DocumentMarkerInQuotes => "found unexpected document indicator",
            Self::UnclosedQuote => "found unexpected end of stream",
            Self::UnknownEscape => "found unknown escape character",
            Self::BadHexEscape => "did not find expected hexdecimal number",
            Self::NoSuchCharacter => "found invalid Unicode character escape code",
            Self::ZeroIndentation => "found an indentation indicator equal to 0",
            Self::TextAfterBlockIndicator | Self::TextAfterDirective => {
                "did not find expected comment or line break"
            }
            Self::DirectiveWithoutName => "could not find expected directive name",
            Self::BadDirectiveName => "found unexpected non-alphabetical character",
            Self::UnknownDirective => "found unknown directive name",
            Self::VersionMissing => "did not find expected version number",
            Self::VersionWithoutDot => "did not find expected digit or '.' character",
            Self::LongVersion => "found extremely long version number",
            Self::TagDirectiveWithoutPrefix => "did not find expected whitespace",
            Self::TagHandleNotClosed => "did not find expected '!'",
            Self::TagNotClosed => "did not find the expected '>'",
            Self::TextAfterTag => "did not find expected whitespace or line break",
            Self::TagWithoutUri => "did not find expected tag URI",
            Self::BadUriEscape => "did not find URI escaped octet",
            Self::BadUriLead => "found an incorrect leading UTF-8 octet",
            Self::BadUriTrail => "found an incorrect trailing UTF-8 octet",
            Self::ExpectedDocumentStart => "did not find expected <document start>",
            Self::DuplicateVersion => "found duplicate %YAML directive",
            Self::IncompatibleVersion => "found incompatible YAML document",
            Self::DuplicateTagDirective => "found duplicate %TAG directive",
            Self::UndefinedTagHandle(_) => "found undefined tag handle",
            Self::ExpectedNode | Self::UnfilledBracket(_) => "did not find expected node content",
            Self::ExpectedItem => "did not find expected '-' indicator",
            Self::ExpectedKey => "did not find expected key",
            Self::ExpectedCommaOrBracket => "did not find expected ',' or ']'",
            Self::ExpectedCommaOrBrace => "did not find expected ',' or '}'",
            Self::BadBase64 => "!!binary value contains invalid base64 data",
            Self::MergeNotMap => "map merge requires map or sequence of maps as the value",
            Self::TooDeep => "exceeded max depth",
            Self::TooManyAliases => "document contains excessive aliasing",
            Self::TooLarge => "document is too large",
            Self::TooManyDocuments => "stream contains too many documents",
            Self::TooManyNodes => "document contains too many nodes",
            Self::LongTags => "tags are too long",
            Self::UnclosedBracket('[') => "did not find expected ',' or ']'",
            Self::UnclosedBracket(_) => "did not find expected ',' or '}'",
            Self::Grammar(words) => return Cow::Owned(words.clone()),
            Self::UnknownAnchor(name) => return Cow::Owned(format!("unknown anchor '{name}' referenced")),
            Self::AnchorInItself(name) => {
                return Cow::Owned(format!("anchor '{name}' value contains itself"));
            }
            Self::KeyNotScalar(key) => return Cow::Owned(format!("invalid map key: {key}")),
            Self::UnsupportedKey(words) => return Cow::Owned(words.clone()),
            Self::NotFinite(number) => return Cow::Owned(format!("json: unsupported value: {number}")),
            Self::WrongTag { found, text, tag } => {
                return Cow::Owned(format!("cannot decode {found} `{text}` as a {tag}"));
            }
        })
    }
}

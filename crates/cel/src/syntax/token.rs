//! The tokens of an expression.

/// What a token is. The order is that of cel-go's grammar; error messages list tokens in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum TokenKind {
    End,
    Equals,
    NotEquals,
    In,
    Less,
    LessEquals,
    GreaterEquals,
    Greater,
    And,
    Or,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    Dot,
    Comma,
    Minus,
    Not,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    UInt,
    String,
    Bytes,
    Identifier,
    QuotedIdentifier,
}

/// How many kinds there are.
pub(super) const KINDS: usize = TokenKind::QuotedIdentifier as usize + 1;

/// Every kind, in order.
pub(super) const ALL: [TokenKind; KINDS] = {
    use TokenKind::*;
    [
        End,
        Equals,
        NotEquals,
        In,
        Less,
        LessEquals,
        GreaterEquals,
        Greater,
        And,
        Or,
        LeftBracket,
        RightBracket,
        LeftBrace,
        RightBrace,
        LeftParen,
        RightParen,
        Dot,
        Comma,
        Minus,
        Not,
        Question,
        Colon,
        Plus,
        Star,
        Slash,
        Percent,
        True,
        False,
        Null,
        Float,
        Int,
        UInt,
        String,
        Bytes,
        Identifier,
        QuotedIdentifier,
    ]
};

impl TokenKind {
    /// How error messages name the kind.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::End => "<EOF>",
            Self::Equals => "'=='",
            Self::NotEquals => "'!='",
            Self::In => "'in'",
            Self::Less => "'<'",
            Self::LessEquals => "'<='",
            Self::GreaterEquals => "'>='",
            Self::Greater => "'>'",
            Self::And => "'&&'",
            Self::Or => "'||'",
            Self::LeftBracket => "'['",
            Self::RightBracket => "']'",
            Self::LeftBrace => "'{'",
            Self::RightBrace => "'}'",
            Self::LeftParen => "'('",
            Self::RightParen => "')'",
            Self::Dot => "'.'",
            Self::Comma => "','",
            Self::Minus => "'-'",
            Self::Not => "'!'",
            Self::Question => "'?'",
            Self::Colon => "':'",
            Self::Plus => "'+'",
            Self::Star => "'*'",
            Self::Slash => "'/'",
            Self::Percent => "'%'",
            Self::True => "'true'",
            Self::False => "'false'",
            Self::Null => "'null'",
            Self::Float => "NUM_FLOAT",
            Self::Int => "NUM_INT",
            Self::UInt => "NUM_UINT",
            Self::String => "STRING",
            Self::Bytes => "BYTES",
            Self::Identifier => "IDENTIFIER",
            Self::QuotedIdentifier => "ESC_IDENTIFIER",
        }
    }
}

/// A token. White space and comments are not among them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: TokenKind,
    /// Its first byte.
    pub(super) start: u32,
    /// The byte after its last one.
    pub(super) end: u32,
    /// Whether it was made up to go on after an error.
    pub(super) is_missing: bool,
}

/// Text at which no token begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unreadable {
    /// The first byte of the piece.
    pub(super) start: u32,
    /// The byte after its last one.
    pub(super) end: u32,
    /// How many tokens come before it.
    pub(super) before: u32,
}

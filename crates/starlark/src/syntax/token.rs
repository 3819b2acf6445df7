//! The tokens of the scanner.

use num_bigint::BigInt;

use crate::error::Position;

macro_rules! tokens {
    ($($name:ident $text:literal),* $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Token { $($name),* }

        impl Token {
            /// The name of the token.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Token::$name => $text),* }
            }
        }
    };
}

tokens! {
    Illegal "illegal token", EndOfFile "end of file", Newline "newline", Indent "indent", Outdent "outdent",
    Ident "identifier", Int "int literal", Float "float literal", String "string literal",
    Plus "+", Minus "-", Star "*", Slash "/", SlashSlash "//", Percent "%", Ampersand "&", Pipe "|",
    Circumflex "^", ShiftLeft "<<", ShiftRight ">>", Tilde "~", Dot ".", Comma ",", Equals "=", Semicolon ";",
    Colon ":", LeftParen "(", RightParen ")", LeftBracket "[", RightBracket "]", LeftBrace "{", RightBrace "}",
    Less "<", Greater ">", GreaterOrEqual ">=", LessOrEqual "<=", EqualEqual "==", NotEqual "!=",
    PlusEquals "+=", MinusEquals "-=", StarEquals "*=", SlashEquals "/=", SlashSlashEquals "//=",
    PercentEquals "%=", AmpersandEquals "&=", PipeEquals "|=", CircumflexEquals "^=", ShiftLeftEquals "<<=",
    ShiftRightEquals ">>=", StarStar "**",
    And "and", Break "break", Continue "continue", Def "def", Elif "elif", Else "else", For "for", If "if",
    In "in", Lambda "lambda", Load "load", Not "not", NotIn "not in", Or "or", Pass "pass", Return "return",
    While "while",
}

impl Token {
    /// How messages show the token: punctuation in quotes.
    pub(crate) fn shown(self) -> String {
        if (Token::Plus as u8..=Token::StarStar as u8).contains(&(self as u8)) {
            format!("'{}'", self.text())
        } else {
            self.text().to_owned()
        }
    }

    pub(crate) fn is_keyword(self) -> bool {
        self == Token::Illegal || (self as u8 >= Token::And as u8 && self != Token::NotIn)
    }
}

/// The token for a word.
pub(super) fn word(text: &[u8]) -> Token {
    match text {
        b"and" => Token::And,
        b"break" => Token::Break,
        b"continue" => Token::Continue,
        b"def" => Token::Def,
        b"elif" => Token::Elif,
        b"else" => Token::Else,
        b"for" => Token::For,
        b"if" => Token::If,
        b"in" => Token::In,
        b"lambda" => Token::Lambda,
        b"load" => Token::Load,
        b"not" => Token::Not,
        b"or" => Token::Or,
        b"pass" => Token::Pass,
        b"return" => Token::Return,
        b"while" => Token::While,
        b"as" | b"class" | b"del" | b"except" | b"finally" | b"from" | b"global" | b"import" | b"is"
        | b"nonlocal" | b"raise" | b"try" | b"with" | b"yield" => Token::Illegal,
        _ => Token::Ident,
    }
}

/// The value of a token.
#[derive(Debug, Clone, Default)]
pub(super) enum Meaning<'s> {
    /// The token has no value.
    #[default]
    None,
    /// The text of a word.
    Word(&'s str),
    Int(i64),
    Big(BigInt),
    Float(f64),
    String(Vec<u8>),
}

/// A token with its value and start.
#[derive(Debug, Clone)]
pub(super) struct Lexeme<'s> {
    pub(super) token: Token,
    pub(super) meaning: Meaning<'s>,
    pub(super) position: Position,
}

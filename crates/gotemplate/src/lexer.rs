//! Splits text into tokens, one at a time, like Go's lexer.
//!
//! Where Go's lexer gives up for good, this one stops until the parser asks it to continue after the action.

use memchr::memmem;

use crate::parse_error::Fault;
use trueline_gostd::unicode::is_alphanumeric;

const LEFT_COMMENT: &[u8] = b"/*";
const RIGHT_COMMENT: &[u8] = b"*/";
/// A minus and a space.
const TRIM_MARKER: usize = 2;

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Something is wrong; [`Lexer::fault`] says what.
    Error,
    Bool,
    /// A printable ASCII character with no meaning of its own, such as a comma.
    Char,
    CharConstant,
    Complex,
    Assign,
    Declare,
    End,
    Field,
    Identifier,
    LeftDelimiter,
    LeftParenthesis,
    Number,
    Pipe,
    RawString,
    RightDelimiter,
    RightParenthesis,
    Space,
    QuotedString,
    Text,
    Variable,
    Keyword(Keyword),
}

/// The keywords; Go counts the dot among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    Block,
    Break,
    Continue,
    Dot,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

/// A token: its text is its range of the source. Both ends are packed into one number so that a token is passed
/// in two registers; passing it through memory would take longer than reading most tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    ends: u64,
}

impl Token {
    pub(crate) fn new(kind: TokenKind, range: std::ops::Range<usize>) -> Self {
        Token { kind, ends: (range.end as u64) << 32 | u64::from(range.start as u32) }
    }

    pub(crate) fn start(self) -> u32 {
        self.ends as u32
    }

    pub(crate) fn end(self) -> u32 {
        (self.ends >> 32) as u32
    }

    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start() as usize..self.end() as usize
    }
}

/// The delimiters of actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delimiters<'a> {
    /// Before an action; empty means `{{`.
    pub left: &'a [u8],
    /// After an action; empty means `}}`.
    pub right: &'a [u8],
}

impl Default for Delimiters<'_> {
    fn default() -> Self {
        Delimiters { left: b"{{", right: b"}}" }
    }
}

/// Which of the keywords that may also be functions are keywords.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words {
    pub(crate) break_is_keyword: bool,
    pub(crate) continue_is_keyword: bool,
}

/// The state of the lexer.
#[derive(Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t [u8],
    left: memmem::Finder<'t>,
    right: memmem::Finder<'t>,
    words: Words,
    /// The start of the token being read.
    start: usize,
    position: usize,
    inside_action: bool,
    parentheses: usize,
    /// The error and its place; nothing more is read until it is taken.
    fault: Option<(Fault, Token)>,
    /// Whether an error swallowed the rest of the text.
    swallowed: bool,
}

/// How an action that cannot be read ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// At its right delimiter, or at the end of the text.
    Closed,
    /// At the start of the next action.
    Unclosed,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t [u8], delimiters: Delimiters<'t>, words: Words) -> Self {
        let or = |chosen: &'t [u8], default: &'static [u8]| if chosen.is_empty() { default } else { chosen };
        Lexer {
            text,
            left: memmem::Finder::new(or(delimiters.left, b"{{")),
            right: memmem::Finder::new(or(delimiters.right, b"}}")),
            words,
            start: 0,
            position: 0,
            inside_action: false,
            parentheses: 0,
            fault: None,
            swallowed: false,
        }
    }

    /// The next token. After an error, and at the end of the text, it is [`TokenKind::End`] for ever.
    pub(crate) fn next_token(&mut self) -> Token {
        if self.fault.is_some() {
            return self.token(TokenKind::End);
        }
        if self.inside_action { self.inside_action() } else { self.text() }
    }

    /// The error of the last token of kind [`TokenKind::Error`].
    pub(crate) fn fault(&self) -> Option<&(Fault, Token)> {
        self.fault.as_ref()
    }

    /// Whether an error swallowed the rest of the text, so nothing is known about it.
    pub(crate) fn swallowed(&self) -> bool {
        self.swallowed
    }

    /// The start of the next token.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Continues after an action that cannot be parsed; `last` is the last token that was read.
    pub(crate) fn skip_action(&mut self, last: Token) -> Skipped {
        let mut token = last;
        loop {
            if let Some((fault, token)) = self.fault.take() {
                return self.resume(&fault, token);
            }
            if !self.inside_action {
                return Skipped::Closed;
            }
            match token.kind {
                TokenKind::End => return Skipped::Closed,
                TokenKind::Char if self.rest(token.start() as usize).starts_with(self.left.needle()) => {
                    self.text_from(token.start() as usize);
                    return Skipped::Unclosed;
                }
                _ => token = self.next_token(),
            }
        }
    }

    fn resume(&mut self, fault: &Fault, token: Token) -> Skipped {
        let from = token.start() as usize;
        let mut rest = self.rest(from);
        // An unclosed comment or raw string may have swallowed everything except its own line.
        if matches!(fault, Fault::UnclosedComment | Fault::UnclosedRawString) {
            rest = memchr::memchr(b'\n', rest).and_then(|line| rest.get(..line)).unwrap_or(rest);
        }
        let close = self.right.find(rest);
        let open = self.left.find(rest.get(..close.unwrap_or(rest.len())).unwrap_or_default());
        match (open, close) {
            (Some(open), _) => {
                self.text_from(from + open);
                return Skipped::Unclosed;
            }
            (None, Some(close)) => self.text_from(from + close + self.right.needle().len()),
            (None, None) => {
                self.swallowed = true;
                self.text_from(self.text.len());
            }
        }
        Skipped::Closed
    }

    fn text_from(&mut self, position: usize) {
        self.inside_action = false;
        self.start = position;
        self.position = position;
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.text.get(from..).unwrap_or_default()
    }

    /// The token from the start to the position, where the next one begins.
    fn token(&mut self, kind: TokenKind) -> Token {
        let token = Token::new(kind, self.start..self.position);
        self.start = self.position;
        token
    }

    /// An error at the place of the token so far.
    fn fail(&mut self, fault: Fault) -> Token {
        let place = self.start..self.position;
        self.fail_at(fault, place)
    }

    /// An error. Go takes the line from the start of the token, so that is the place of the token; the parser
    /// reports the narrower place.
    fn fail_at(&mut self, fault: Fault, place: std::ops::Range<usize>) -> Token {
        self.fault = Some((fault, Token::new(TokenKind::Error, place)));
        Token::new(TokenKind::Error, self.start..self.position)
    }

    /// The character at the position and its length in bytes. As in Go, a byte that is not UTF-8 is U+FFFD.
    fn peek(&self) -> Option<(char, usize)> {
        let rest = self.rest(self.position);
        let first = *rest.first()?;
        if first < 0x80 {
            return Some((char::from(first), 1));
        }
        let chunk = rest.get(..4).unwrap_or(rest).utf8_chunks().next()?;
        Some(
            chunk
                .valid()
                .chars()
                .next()
                .map_or((char::REPLACEMENT_CHARACTER, 1), |letter| (letter, letter.len_utf8())),
        )
    }

    fn next(&mut self) -> Option<char> {
        let (character, length) = self.peek()?;
        self.position += length;
        Some(character)
    }

    fn accept(&mut self, set: &[u8]) -> bool {
        let found = self.text.get(self.position).is_some_and(|byte| set.contains(byte));
        self.position += usize::from(found);
        found
    }

    fn accept_run(&mut self, set: &[u8]) {
        while self.accept(set) {}
    }

    fn text(&mut self) -> Token {
        loop {
            let Some(distance) = self.left.find(self.rest(self.position)) else {
                self.position = self.text.len();
                let kind = if self.position > self.start { TokenKind::Text } else { TokenKind::End };
                return self.token(kind);
            };
            let delimiter = self.position + distance;
            let behind = delimiter + self.left.needle().len();
            let marker = if has_left_trim_marker(self.rest(behind)) { TRIM_MARKER } else { 0 };
            if distance > 0 {
                let text = self.text.get(self.start..delimiter).unwrap_or_default();
                let kept = if marker > 0 { trim_end(text) } else { text.len() };
                self.position = self.start + kept;
                let token = self.token(TokenKind::Text);
                self.text_from(delimiter);
                if kept > 0 {
                    return token;
                }
            }
            if !self.rest(behind + marker).starts_with(LEFT_COMMENT) {
                self.position = behind;
                let token = self.token(TokenKind::LeftDelimiter);
                self.text_from(behind + marker);
                self.inside_action = true;
                self.parentheses = 0;
                return token;
            }
            self.text_from(behind + marker);
            if let Some(error) = self.comment() {
                return error;
            }
        }
    }

    /// A comment, up to what follows it; an error if it has no end.
    fn comment(&mut self) -> Option<Token> {
        let opened = self.start;
        self.position += LEFT_COMMENT.len();
        let Some(distance) = memmem::find(self.rest(self.position), RIGHT_COMMENT) else {
            return Some(self.fail_at(Fault::UnclosedComment, opened..self.position));
        };
        self.position += distance + RIGHT_COMMENT.len();
        let Some(marker) = self.at_right_delimiter(self.position) else {
            let rest = self.rest(self.position);
            let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let extra = self.right.find(rest.get(..line).unwrap_or_default()).unwrap_or(line);
            return Some(self.fail_at(Fault::TextBehindComment, self.position..self.position + extra));
        };
        let end = self.position + marker + self.right.needle().len();
        self.text_from(end + if marker > 0 { leading_space(self.rest(end)) } else { 0 });
        None
    }

    /// The length of the trim marker before a right delimiter at `position`, if there is one.
    fn at_right_delimiter(&self, position: usize) -> Option<usize> {
        let rest = self.rest(position);
        if has_right_trim_marker(rest) && rest.get(TRIM_MARKER..).is_some_and(|rest| self.is_right(rest)) {
            Some(TRIM_MARKER)
        } else {
            self.is_right(rest).then_some(0)
        }
    }

    /// Whether the text begins with the right delimiter. Usually not, and the first byte is enough to see that.
    fn is_right(&self, text: &[u8]) -> bool {
        let right = self.right.needle();
        text.first() == right.first() && text.starts_with(right)
    }

    fn right_delimiter(&mut self) -> Token {
        let marker = self.at_right_delimiter(self.position).unwrap_or_default();
        self.start = self.position + marker;
        self.position = self.start + self.right.needle().len();
        let token = self.token(TokenKind::RightDelimiter);
        let space = if marker > 0 { leading_space(self.rest(self.position)) } else { 0 };
        self.text_from(self.position + space);
        token
    }

    fn inside_action(&mut self) -> Token {
        // A right delimiter begins with its own first byte or, with a trim marker, with a space.
        let first = self.text.get(self.position);
        let is_space = first.is_some_and(is_space_byte);
        let possible = is_space || first == self.right.needle().first();
        if possible && self.at_right_delimiter(self.position).is_some() {
            if self.parentheses == 0 {
                return self.right_delimiter();
            }
            return self.fail(Fault::UnclosedParenthesis);
        }
        if is_space {
            return self.space();
        }
        let Some((character, length)) = self.peek() else {
            return self.fail(Fault::UnclosedAction);
        };
        self.position += length;
        match character {
            '=' => self.token(TokenKind::Assign),
            ':' if self.accept(b"=") => self.token(TokenKind::Declare),
            ':' => self.fail(Fault::LoneColon),
            '|' => self.token(TokenKind::Pipe),
            '"' => self.quoted(b'"', TokenKind::QuotedString, Fault::UnclosedString),
            '\'' => self.quoted(b'\'', TokenKind::CharConstant, Fault::UnclosedCharacter),
            '`' => self.raw_string(),
            '$' => self.name(TokenKind::Variable, TokenKind::Variable),
            // A dot at the very end is treated as a malformed number.
            '.' if self.text.get(self.position).is_some_and(|byte| !byte.is_ascii_digit()) => {
                self.name(TokenKind::Keyword(Keyword::Dot), TokenKind::Field)
            }
            '.' | '+' | '-' | '0'..='9' => {
                self.position -= length;
                self.number()
            }
            '(' => {
                self.parentheses += 1;
                self.token(TokenKind::LeftParenthesis)
            }
            ')' => match self.parentheses.checked_sub(1) {
                Some(left) => {
                    self.parentheses = left;
                    self.token(TokenKind::RightParenthesis)
                }
                None => self.fail(Fault::ExtraParenthesis),
            },
            character if is_alphanumeric(character) => self.identifier(),
            ' '..='~' => self.token(TokenKind::Char),
            character => self.fail(Fault::StrangeCharacter(character)),
        }
    }

    /// A run of spaces; the last of them may belong to a right delimiter with a trim marker.
    fn space(&mut self) -> Token {
        self.position += leading_space(self.rest(self.position));
        let last = self.position - 1;
        if self.text.get(self.position) == Some(&b'-')
            && self.at_right_delimiter(last).is_some_and(|marker| marker > 0)
        {
            self.position = last;
            if last == self.start {
                return self.right_delimiter();
            }
        }
        self.token(TokenKind::Space)
    }

    /// Reads the letters and digits that follow; fails if something follows that must not follow a name.
    fn letters(&mut self) -> Result<(), Token> {
        loop {
            let rest = self.rest(self.position);
            let is_other = |byte: &u8| !IS_LETTER[usize::from(*byte)];
            self.position += rest.iter().position(is_other).unwrap_or(rest.len());
            if self.at_terminator() {
                return Ok(());
            }
            let (character, length) = self.peek().unwrap_or_default();
            if !is_alphanumeric(character) {
                let place = self.position..self.position + length;
                return Err(self.fail_at(Fault::CharacterInName(character), place));
            }
            self.position += length;
        }
    }

    fn identifier(&mut self) -> Token {
        if let Err(failed) = self.letters() {
            return failed;
        }
        let kind = match self.text.get(self.start..self.position).unwrap_or_default() {
            b"true" | b"false" => TokenKind::Bool,
            b"block" => TokenKind::Keyword(Keyword::Block),
            b"break" if self.words.break_is_keyword => TokenKind::Keyword(Keyword::Break),
            b"continue" if self.words.continue_is_keyword => TokenKind::Keyword(Keyword::Continue),
            b"define" => TokenKind::Keyword(Keyword::Define),
            b"else" => TokenKind::Keyword(Keyword::Else),
            b"end" => TokenKind::Keyword(Keyword::End),
            b"if" => TokenKind::Keyword(Keyword::If),
            b"nil" => TokenKind::Keyword(Keyword::Nil),
            b"range" => TokenKind::Keyword(Keyword::Range),
            b"template" => TokenKind::Keyword(Keyword::Template),
            b"with" => TokenKind::Keyword(Keyword::With),
            _ => TokenKind::Identifier,
        };
        self.token(kind)
    }

    /// A field or a variable, whose first character is read; `alone` if nothing follows.
    fn name(&mut self, alone: TokenKind, named: TokenKind) -> Token {
        if self.at_terminator() {
            return self.token(alone);
        }
        match self.letters() {
            Ok(()) => self.token(named),
            Err(failed) => failed,
        }
    }

    /// Whether a name can end here.
    fn at_terminator(&self) -> bool {
        match self.text.get(self.position) {
            None | Some(b' ' | b'\t' | b'\r' | b'\n' | b'.' | b',' | b'|' | b':' | b')' | b'(') => true,
            Some(_) => self.is_right(self.rest(self.position)),
        }
    }

    fn number(&mut self) -> Token {
        let mut sound = self.scan_number();
        let mut kind = TokenKind::Number;
        if sound && matches!(self.text.get(self.position), Some(b'+' | b'-')) {
            kind = TokenKind::Complex;
            sound = self.scan_number() && self.text.get(self.position - 1) == Some(&b'i');
        }
        if sound { self.token(kind) } else { self.fail(Fault::BadNumber) }
    }

    fn scan_number(&mut self) -> bool {
        const DECIMAL: &[u8] = b"0123456789_";
        let mut digits = DECIMAL;
        let mut exponent: &[u8] = b"eE";
        self.accept(b"+-");
        if self.accept(b"0") {
            if self.accept(b"xX") {
                (digits, exponent) = (b"0123456789abcdefABCDEF_", b"pP");
            } else if self.accept(b"oO") {
                (digits, exponent) = (b"01234567_", b"");
            } else if self.accept(b"bB") {
                (digits, exponent) = (b"01_", b"");
            }
        }
        self.accept_run(digits);
        if self.accept(b".") {
            self.accept_run(digits);
        }
        if self.accept(exponent) {
            self.accept(b"+-");
            self.accept_run(DECIMAL);
        }
        self.accept(b"i");
        match self.peek() {
            Some((character, length)) if is_alphanumeric(character) => {
                self.position += length;
                false
            }
            _ => true,
        }
    }

    /// A string or character whose opening quote is read. The parser handles escapes.
    fn quoted(&mut self, quote: u8, kind: TokenKind, unclosed: Fault) -> Token {
        let opened = self.start;
        loop {
            let Some(distance) = memchr::memchr3(quote, b'\\', b'\n', self.rest(self.position)) else {
                self.position = self.text.len();
                return self.fail_at(unclosed, opened..opened + 1);
            };
            self.position += distance;
            let found = self.text.get(self.position).copied();
            self.position += 1;
            if found == Some(quote) {
                return self.token(kind);
            }
            if found != Some(b'\\') || matches!(self.next(), None | Some('\n')) {
                return self.fail_at(unclosed, opened..opened + 1);
            }
        }
    }

    fn raw_string(&mut self) -> Token {
        match memchr::memchr(b'`', self.rest(self.position)) {
            Some(distance) => {
                self.position += distance + 1;
                self.token(TokenKind::RawString)
            }
            None => {
                let opened = self.start;
                self.fail_at(Fault::UnclosedRawString, opened..opened + 1)
            }
        }
    }
}

/// The ASCII bytes that names may contain.
static IS_LETTER: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

fn is_space_byte(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn leading_space(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_space_byte(byte)).count()
}

/// The length without trailing spaces.
fn trim_end(text: &[u8]) -> usize {
    text.iter().rposition(|byte| !is_space_byte(byte)).map_or(0, |last| last + 1)
}

fn has_left_trim_marker(text: &[u8]) -> bool {
    matches!(text, [b'-', space, ..] if is_space_byte(space))
}

fn has_right_trim_marker(text: &[u8]) -> bool {
    matches!(text, [space, b'-', ..] if is_space_byte(space))
}

//! The scanner turns bytes into tokens. Many errors are reported at its position after a token, so it reads
//! exactly as far as the original does.

use super::number;
use super::quote::unquote;
use super::token::{Lexeme, Meaning, Token, word};
use crate::error::{Error, ErrorKind, Position, Problem};
use crate::fault::Fault;
use crate::unicode;

pub(super) struct Scanner<'s> {
    rest: &'s [u8],
    pub(super) position: Position,
    /// How many brackets are open.
    depth: usize,
    indents: Vec<usize>,
    /// Indents (positive) or outdents (negative) that were seen and not yet returned.
    dents: isize,
    line_start: bool,
}

pub(super) fn syntax_error(position: Position, message: impl Into<String>) -> Error {
    Error::source(ErrorKind::Syntax, vec![Problem::new(message, position)])
}

/// The same for one that is known by its facts.
pub(super) fn syntax_fault(position: Position, fault: Fault) -> Error {
    Error::source(ErrorKind::Syntax, vec![Problem::of(fault, position)])
}

/// An invalid character marks the end of the source, as in the original.
const END: char = '\0';

impl<'s> Scanner<'s> {
    pub(super) fn new(source: &'s [u8]) -> Scanner<'s> {
        Scanner {
            rest: source,
            position: Position { line: 1, column: 1 },
            depth: 0,
            indents: vec![0],
            dents: 0,
            line_start: true,
        }
    }

    /// The next character. All line endings are returned as `\n`.
    pub(super) fn peek(&self) -> char {
        match self.rest.first() {
            None => END,
            Some(b'\r') => '\n',
            Some(byte) if byte.is_ascii() => char::from(*byte),
            Some(_) => unicode::decode(self.rest).0,
        }
    }

    pub(super) fn read(&mut self) -> char {
        let Some(&byte) = self.rest.first() else { return END };
        let (character, width) = match byte {
            b'\r' if self.rest.get(1) == Some(&b'\n') => ('\n', 2),
            b'\r' => ('\n', 1),
            _ if byte.is_ascii() => (char::from(byte), 1),
            _ => unicode::decode(self.rest),
        };
        self.rest = self.rest.get(width..).unwrap_or_default();
        if character == '\n' {
            self.position = Position { line: self.position.line + 1, column: 1 };
        } else {
            self.position.column += 1;
        }
        character
    }

    pub(super) fn rest(&self) -> &'s [u8] {
        self.rest
    }

    /// The text read since `rest` was `from`.
    pub(super) fn since(&self, from: &'s [u8]) -> &'s [u8] {
        from.get(..from.len() - self.rest.len()).unwrap_or_default()
    }

    fn lexeme(&self, token: Token) -> Lexeme<'s> {
        Lexeme { token, meaning: Meaning::None, position: self.position }
    }

    pub(super) fn next(&mut self) -> Result<Lexeme<'s>, Error> {
        loop {
            let at_line_start = self.line_start;
            let blank = self.indentation()?;
            if self.dents != 0 {
                let token = if self.dents < 0 { Token::Outdent } else { Token::Indent };
                self.dents -= self.dents.signum();
                return Ok(self.lexeme(token));
            }
            while matches!(self.peek(), ' ' | '\t') {
                self.read();
            }
            if self.peek() == '#' {
                while !matches!(self.peek(), END | '\n') {
                    self.read();
                }
            }
            match self.peek() {
                '\n' => {
                    self.line_start = true;
                    // Newlines inside brackets and blank lines have no meaning.
                    if self.depth > 0 || blank {
                        self.read();
                        continue;
                    }
                    let lexeme = self.lexeme(Token::Newline);
                    self.read();
                    return Ok(lexeme);
                }
                END => {
                    // Open indentation is closed, after a newline, unless one was just returned.
                    if self.indents.len() > 1 {
                        if at_line_start {
                            self.dents = 1 - self.indents.len() as isize;
                            self.indents.truncate(1);
                            continue;
                        }
                        self.line_start = true;
                        return Ok(self.lexeme(Token::Newline));
                    }
                    return Ok(self.lexeme(Token::EndOfFile));
                }
                '\\' => {
                    self.read();
                    if self.peek() != '\n' {
                        return Err(syntax_error(self.position, "stray backslash in program"));
                    }
                    self.read();
                }
                _ => return self.proper_token(),
            }
        }
    }

    /// Reads the white space at the start of a line, and returns whether the line has nothing else on it.
    fn indentation(&mut self) -> Result<bool, Error> {
        if !self.line_start {
            return Ok(false);
        }
        self.line_start = false;
        let mut column = 0;
        loop {
            match self.peek() {
                ' ' => column += 1,
                '\t' => column += 8 - (self.position.column as usize - 1) % 8,
                _ => break,
            }
            self.read();
        }
        if matches!(self.peek(), '#' | '\n' | END) {
            return Ok(true);
        }
        if self.depth == 0 {
            let current = self.indents.last().copied().unwrap_or(0);
            if column > current {
                self.dents += 1;
                self.indents.push(column);
            } else if column < current {
                while self.indents.last().is_some_and(|last| column < *last) {
                    self.dents -= 1;
                    self.indents.pop();
                }
                if self.indents.last() != Some(&column) {
                    let message = "unindent does not match any outer indentation level";
                    return Err(syntax_error(self.position, message));
                }
            }
        }
        Ok(false)
    }

    fn proper_token(&mut self) -> Result<Lexeme<'s>, Error> {
        let position = self.position;
        let from = self.rest;
        let plain = |token| Ok(Lexeme { token, meaning: Meaning::None, position });
        let character = self.peek();
        if matches!(character, '"' | '\'') {
            return self.string(position, from);
        }
        if is_word_start(character) {
            if character == 'r' && matches!(from.get(1), Some(b'"' | b'\'')) {
                self.read();
                return self.string(position, from);
            }
            while is_word(self.peek()) {
                self.read();
            }
            let text = self.since(from);
            let token = word(text);
            let meaning = Meaning::Word(std::str::from_utf8(text).unwrap_or_default());
            return Ok(Lexeme { token, meaning, position });
        }
        if character.is_ascii_digit() || character == '.' {
            return number::scan(self, position);
        }
        match character {
            '[' | '(' | '{' => self.depth += 1,
            ']' | ')' | '}' if self.depth == 0 => {
                return Err(syntax_error(position, format!("unexpected '{character}'")));
            }
            ']' | ')' | '}' => self.depth -= 1,
            _ => {}
        }
        const PUNCTUATION: &[(&[u8], Token)] = &[
            (b"//=", Token::SlashSlashEquals),
            (b"<<=", Token::ShiftLeftEquals),
            (b">>=", Token::ShiftRightEquals),
            (b"==", Token::EqualEqual),
            (b"!=", Token::NotEqual),
            (b"<=", Token::LessOrEqual),
            (b">=", Token::GreaterOrEqual),
            (b"+=", Token::PlusEquals),
            (b"-=", Token::MinusEquals),
            (b"%=", Token::PercentEquals),
            (b"/=", Token::SlashEquals),
            (b"&=", Token::AmpersandEquals),
            (b"|=", Token::PipeEquals),
            (b"^=", Token::CircumflexEquals),
            (b"*=", Token::StarEquals),
            (b"**", Token::StarStar),
            (b"//", Token::SlashSlash),
            (b"<<", Token::ShiftLeft),
            (b">>", Token::ShiftRight),
            (b",", Token::Comma),
            (b"(", Token::LeftParen),
            (b")", Token::RightParen),
            (b"[", Token::LeftBracket),
            (b"]", Token::RightBracket),
            (b"{", Token::LeftBrace),
            (b"}", Token::RightBrace),
            (b"=", Token::Equals),
            (b":", Token::Colon),
            (b"+", Token::Plus),
            (b"-", Token::Minus),
            (b"*", Token::Star),
            (b"/", Token::Slash),
            (b"%", Token::Percent),
            (b"<", Token::Less),
            (b">", Token::Greater),
            (b"&", Token::Ampersand),
            (b"|", Token::Pipe),
            (b"^", Token::Circumflex),
            (b"~", Token::Tilde),
            (b";", Token::Semicolon),
        ];
        for (text, token) in PUNCTUATION {
            if from.starts_with(text) {
                for _ in *text {
                    self.read();
                }
                return plain(*token);
            }
        }
        let shown = unicode::quote_character(character);
        Err(syntax_error(position, format!("unexpected input character {shown}")))
    }

    /// A string literal; the `r` before it was read.
    fn string(&mut self, position: Position, from: &'s [u8]) -> Result<Lexeme<'s>, Error> {
        let inside = self.position;
        let quote = self.peek();
        let triple = self.rest.iter().take(3).filter(|byte| char::from(**byte) == quote).count() == 3;
        let no_end = || syntax_error(position, "unexpected EOF in string");
        self.read();
        let mut text;
        if triple {
            self.read();
            self.read();
            // Line endings inside are read as `\n`, and invalid UTF-8 as U+FFFD.
            text = self.since(from).to_vec();
            let mut quotes = 0;
            let mut buffer = [0; 4];
            while quotes < 3 {
                if self.rest.is_empty() {
                    return Err(no_end());
                }
                let character = self.read();
                text.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
                quotes = if character == quote { quotes + 1 } else { 0 };
                if character == '\\' {
                    if self.rest.is_empty() {
                        return Err(no_end());
                    }
                    text.extend_from_slice(self.read().encode_utf8(&mut buffer).as_bytes());
                }
            }
        } else {
            loop {
                if self.rest.is_empty() {
                    return Err(no_end());
                }
                match self.read() {
                    character if character == quote => break,
                    '\n' => return Err(syntax_fault(position, Fault::OpenString)),
                    '\\' if self.rest.is_empty() => return Err(no_end()),
                    '\\' => {
                        self.read();
                    }
                    _ => {}
                }
            }
            text = self.since(from).to_vec();
        }
        let meaning = unquote(&text).map_err(|message| syntax_error(inside, message))?;
        Ok(Lexeme { token: Token::String, meaning: Meaning::String(meaning), position })
    }
}

fn is_word_start(character: char) -> bool {
    character == '_' || unicode::is_letter(character)
}

fn is_word(character: char) -> bool {
    character.is_ascii_digit() || is_word_start(character)
}

//! Blocks that are closed with `end`: block tokens are derived from colons and `end`, and indentation has no
//! meaning.

use std::collections::VecDeque;

use super::scanner::{Scanner, syntax_error, syntax_fault};
use super::token::{Lexeme, Meaning, Token};
use crate::error::{Error, Position};
use crate::fault::Fault;

pub(super) struct BlockScanner<'s> {
    scanner: Scanner<'s>,
    /// Tokens that were read ahead, with whether the block before them was closed already.
    ahead: VecDeque<(Lexeme<'s>, bool)>,
    last: Token,
    last_position: Position,
    before_last: Token,
    /// The starts of the open blocks.
    open: Vec<Position>,
}

impl<'s> BlockScanner<'s> {
    pub(super) fn new(scanner: Scanner<'s>) -> BlockScanner<'s> {
        BlockScanner {
            scanner,
            ahead: VecDeque::new(),
            last: Token::EndOfFile,
            last_position: Position::default(),
            before_last: Token::EndOfFile,
            open: Vec::new(),
        }
    }

    pub(super) fn position(&self) -> Position {
        self.scanner.position
    }

    pub(super) fn next(&mut self) -> Result<Lexeme<'s>, Error> {
        let lexeme = self.make_next()?;
        self.before_last = self.last;
        self.last = lexeme.token;
        self.last_position = lexeme.position;
        Ok(lexeme)
    }

    fn make_next(&mut self) -> Result<Lexeme<'s>, Error> {
        if self.before_last == Token::Colon && self.last == Token::Newline {
            self.open.push(self.last_position);
            return Ok(self.made(Token::Indent));
        }
        loop {
            let (lexeme, closed) = match self.ahead.pop_front() {
                Some(ahead) => ahead,
                None => (self.scanner.next()?, false),
            };
            match lexeme.token {
                // `else` closes a block only before a colon: otherwise it is part of a condition.
                Token::Else if !closed => {
                    let next = self.scanner.next()?;
                    if next.token == Token::Colon {
                        self.ahead.push_back((lexeme, true));
                        self.ahead.push_back((next, false));
                        return self.outdent();
                    }
                    self.ahead.push_back((next, false));
                }
                Token::Elif if !closed => {
                    self.ahead.push_back((lexeme, true));
                    return self.outdent();
                }
                Token::Indent | Token::Outdent => continue,
                Token::Pass => {
                    let message = "use of reserved keyword 'pass' is not allowed";
                    return Err(syntax_error(self.position(), message));
                }
                Token::Ident if matches!(lexeme.meaning, Meaning::Word("end")) => {
                    let next = self.scanner.next()?;
                    if next.token != Token::Newline {
                        self.ahead.push_back((next, false));
                    }
                    return self.outdent();
                }
                Token::EndOfFile => {
                    if let Some(opened) = self.open.last() {
                        return Err(syntax_fault(*opened, Fault::OpenBlock));
                    }
                }
                _ => {}
            }
            return Ok(lexeme);
        }
    }

    fn outdent(&mut self) -> Result<Lexeme<'s>, Error> {
        if self.open.pop().is_none() {
            return Err(syntax_error(self.position(), "unexpected end"));
        }
        Ok(self.made(Token::Outdent))
    }

    fn made(&self, token: Token) -> Lexeme<'s> {
        Lexeme { token, meaning: Meaning::None, position: self.last_position }
    }
}

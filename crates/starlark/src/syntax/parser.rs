//! The parser: its state, and what expressions and statements share.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::{Ast, Ident, Symbol};
use super::block::BlockScanner;
use super::scanner::{Scanner, syntax_error, syntax_fault};
use super::token::{Lexeme, Meaning, Token};
use crate::error::{Error, Position};
use crate::fault::Fault;

/// How blocks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockStyle {
    /// By indentation, as in standard Starlark.
    Indent,
    /// Closed with `end`, as in ytt: indentation has no meaning, and there is no `pass`.
    End,
}

/// How deeply brackets, operators and blocks may be nested. Trees are walked recursively.
const DEEPEST: usize = 200;

/// Parses a program. `file` is the name that errors and calls will show.
///
/// # Errors
/// The first problem ([`crate::ErrorKind::Syntax`]).
pub fn parse(file: &str, source: &[u8], style: BlockStyle) -> Result<Ast, Error> {
    let scanner = Scanner::new(source);
    let tokens = match style {
        BlockStyle::Indent => Tokens::Plain(scanner),
        BlockStyle::End => Tokens::Blocks(Box::new(BlockScanner::new(scanner))),
    };
    let mut parser = Parser {
        tokens,
        token: Token::EndOfFile,
        meaning: Meaning::None,
        position: Position::default(),
        depth: 0,
        ast: Ast { file: file.into(), statements: Vec::new(), names: Vec::new(), idents: 0, functions: 1 },
        symbols: FxHashMap::default(),
    };
    parser.advance()?;
    let mut statements = Vec::new();
    while parser.token != Token::EndOfFile {
        if parser.token == Token::Newline {
            parser.advance()?;
        } else {
            parser.statement(&mut statements)?;
        }
    }
    parser.ast.statements = statements;
    Ok(parser.ast)
}

enum Tokens<'s> {
    Plain(Scanner<'s>),
    Blocks(Box<BlockScanner<'s>>),
}

pub(super) struct Parser<'s> {
    tokens: Tokens<'s>,
    pub(super) token: Token,
    pub(super) meaning: Meaning<'s>,
    pub(super) position: Position,
    depth: usize,
    pub(super) ast: Ast,
    symbols: FxHashMap<Arc<str>, Symbol>,
}

impl<'s> Parser<'s> {
    /// Advances to the next token, and returns the start of the old one.
    pub(super) fn advance(&mut self) -> Result<Position, Error> {
        let Lexeme { token, meaning, position } = match &mut self.tokens {
            Tokens::Plain(scanner) => scanner.next()?,
            Tokens::Blocks(scanner) => scanner.next()?,
        };
        self.token = token;
        self.meaning = meaning;
        Ok(std::mem::replace(&mut self.position, position))
    }

    /// The position of the scanner, which is after the token: errors are reported there.
    fn scanned(&self) -> Position {
        match &self.tokens {
            Tokens::Plain(scanner) => scanner.position,
            Tokens::Blocks(scanner) => scanner.position(),
        }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        syntax_error(self.scanned(), message)
    }

    /// The error for a token in the place of another.
    pub(super) fn unexpected(&self, found: Token, wanted: impl Into<String>) -> Error {
        syntax_fault(self.scanned(), Fault::Unexpected { found: found.shown(), wanted: wanted.into() })
    }

    pub(super) fn consume(&mut self, wanted: Token) -> Result<Position, Error> {
        if self.token != wanted {
            return Err(self.unexpected(self.token, wanted.shown()));
        }
        self.advance()
    }

    /// Runs `parse` one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Parser<'s>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.depth >= DEEPEST {
            return Err(self.error(format!("the code is nested more than {DEEPEST} levels deep")));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub(super) fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(known) = self.symbols.get(name) {
            return *known;
        }
        let symbol = self.ast.names.len() as Symbol;
        let name: Arc<str> = name.into();
        self.ast.names.push(Arc::clone(&name));
        self.symbols.insert(name, symbol);
        symbol
    }

    pub(super) fn make_ident(&mut self, name: Symbol, position: Position) -> Ident {
        let ident = self.ast.ident(name);
        Ident { position, ..ident }
    }

    pub(super) fn ident(&mut self) -> Result<Ident, Error> {
        let word = match self.meaning {
            Meaning::Word(word) => word,
            _ => "",
        };
        if self.token != Token::Ident {
            return Err(if self.token.is_keyword() {
                self.error(format!("use of reserved keyword '{word}' is not allowed (expected identifier)"))
            } else {
                self.error("not an identifier")
            });
        }
        let symbol = self.symbol(word);
        let position = self.advance()?;
        Ok(self.make_ident(symbol, position))
    }

    pub(super) fn function_id(&mut self) -> u32 {
        self.ast.functions += 1;
        self.ast.functions - 1
    }
}
